"""Fill stores, ask them, have models answer, and record everything in a run directory."""
