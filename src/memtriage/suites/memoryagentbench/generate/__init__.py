"""Contexts generated without a model, one module for each kind of task."""
