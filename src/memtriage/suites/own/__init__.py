"""Your own conversations and questions as a suite: a file in YAML, TOML, JSON or JSON lines, and no Python."""
