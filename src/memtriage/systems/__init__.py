"""Memory systems: the built-in ones, other people's libraries, and whatever runs elsewhere."""
