"""Questions with histories, made without a model."""
