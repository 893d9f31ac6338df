"""HaluMem: what a memory should keep of each session, what it should change, and what it must not make up."""
