"""MEME: facts that depend on each other, asked about before and after the world changes."""
