"""LongMemEval: long, timestamped histories of chats, and questions about what was said in them."""
