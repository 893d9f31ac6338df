"""Words, sentences and tokens."""
