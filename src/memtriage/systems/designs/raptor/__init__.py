"""A tree of summaries over clusters of what was said: the design of RAPTOR."""
