"""Many runs and one table: sweeps, grids, answers from elsewhere, tuned prompts."""
