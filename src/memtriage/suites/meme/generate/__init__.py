"""Episodes by seed: planned on a domain's graph, put into chats, and surrounded by filler."""
