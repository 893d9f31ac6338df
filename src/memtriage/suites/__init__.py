"""Where questions come from: one package per paper, each with its generator, loader and tasks."""
