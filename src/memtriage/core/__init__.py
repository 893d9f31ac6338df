"""The types that all other packages share; nothing here imports the rest of memtriage."""
