"""The script `memory`: it answers what memory systems ask their models, by rule.

Everything that was said is kept and nothing is understood, so it proves plumbing, not quality. Each module in
`systems` knows one system's requests: its `reply(request)` answers those and returns None for all others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from memtriage.models.scripted.replies import Request
from memtriage.models.scripted.simple import extract


def memory(request: Request) -> Any:
    """The reply of the first system that knows the request, or else the user's sentences."""
    for reply in _replies():
        if (answer := reply(request)) is not None:
            return answer
    return extract(request)


@cache
def _replies() -> tuple[Callable[[Request], Any], ...]:
    systems = import_module(f"{__package__}.systems")
    names = sorted(module.name for module in iter_modules(systems.__path__))
    return tuple(import_module(f"{systems.__name__}.{name}").reply for name in names)
