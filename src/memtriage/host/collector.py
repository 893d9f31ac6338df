"""Python's garbage collector in processes of our own: it looks through all that is kept, which only grows there."""

from __future__ import annotations

import gc

_NEW, _ROUNDS, _LATE = 50_000, 20, 100
"""How many new objects, and how many rounds, come before it looks again; Python's own numbers are 700, 10 and 10."""


def collect_seldom() -> None:
    """Have it look for cycles less often: there are few, and looking took a tenth of a run."""
    gc.set_threshold(_NEW, _ROUNDS, _LATE)
