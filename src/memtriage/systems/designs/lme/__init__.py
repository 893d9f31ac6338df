"""LongMemEval's own memory design."""
