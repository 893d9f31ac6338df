"""Questions that a model writes."""
