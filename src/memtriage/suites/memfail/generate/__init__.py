"""Rows made by seed, without a model."""
