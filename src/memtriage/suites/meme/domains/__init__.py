"""The worlds of MEME: one knowledge graph each."""
