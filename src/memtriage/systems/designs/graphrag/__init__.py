"""Entities, relations, communities of them and reports on these: the design of GraphRAG."""
