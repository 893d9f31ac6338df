"""Several memories as one: what each brings back is fused, or one of them is chosen for the question."""
