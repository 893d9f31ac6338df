"""An agent that manages its own memory, in the manner of MemGPT."""
