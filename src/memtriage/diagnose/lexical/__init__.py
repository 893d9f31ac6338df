"""The detector that decides by words alone."""
