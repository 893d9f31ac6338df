"""Evidence chats that a model writes."""
