"""The nouns every room shares; they import nothing else of memtriage."""
