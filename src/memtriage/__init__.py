"""Find out where an LLM memory system fails."""
