"""Rows written by a model."""
