"""The floor and the ceilings of every comparison."""
