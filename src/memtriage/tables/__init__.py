"""Tables from verdicts: pure functions."""
