"""Contexts that a model helps to make: EventQA from any book."""
