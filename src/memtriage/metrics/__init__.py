"""Measures of answers and rankings, and statistics."""
