"""Memories that keep markdown files."""
