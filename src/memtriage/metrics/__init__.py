"""Statistics and measures of answers and rankings: pure functions."""
