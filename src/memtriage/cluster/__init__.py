"""Stores on other machines: the run stays where it was begun, a Ray cluster fills and asks them."""
