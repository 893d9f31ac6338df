"""Numbers from verdicts: pure functions, no I/O."""
