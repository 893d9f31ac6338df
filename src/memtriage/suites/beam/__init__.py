"""BEAM: ten abilities over one chat of up to ten million tokens."""
