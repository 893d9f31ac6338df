"""Retrieval of passages, guided by a model: memorag and self-rag."""
