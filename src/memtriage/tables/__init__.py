"""Tables computed from verdicts."""
