"""The scripted model's answers to memory systems: one module per system or family."""
