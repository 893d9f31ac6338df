"""What memory libraries ask their models, answered by rule: whatever was said is kept, nothing is understood.

Each module knows one library's requests: `reply(request)` answers those and gives None for all others. The script
`memory` tries them in turn. It proves plumbing, not quality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from memtriage.models.stub_replies import Request, extract


def memory(request: Request) -> Any:
    """The reply of the first library that knows the request; the user's sentences where none does."""
    for reply in _replies():
        if (said := reply(request)) is not None:
            return said
    return extract(request)


@cache
def _replies() -> tuple[Callable[[Request], Any], ...]:
    return tuple(_found())


def _found() -> Iterator[Callable[[Request], Any]]:
    for module in sorted(iter_modules(__path__), key=lambda each: each.name):
        yield import_module(f"{__name__}.{module.name}").reply
