"""Which models the systems of this process use now. Cheap to import: the models are loaded when first asked for."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memtriage.models.spec import names_endpoint

if TYPE_CHECKING:
    from memtriage.models.embedders import Embedder
    from memtriage.models.system_models import SystemModels

_lock = threading.RLock()
_in_use: list[SystemModels] = []
_defaults: dict[Path, SystemModels] = {}
_of_parent: list[object] = []


def current_models() -> SystemModels:
    """The models that `use_models` names, or else some with the default cache."""
    from memtriage.models.cache import Cache, default_path
    from memtriage.models.system_models import SystemModels

    with _lock:
        if _in_use:
            return _in_use[-1]
        path = default_path()
        if path not in _defaults:
            _defaults[path] = SystemModels(cache=Cache(path))
        return _defaults[path]


def models_in_use() -> SystemModels | None:
    """The models that `use_models` made the current ones, if any."""
    with _lock:
        return _in_use[-1] if _in_use else None


@contextmanager
def use_models(models: SystemModels) -> Iterator[SystemModels]:
    """Make these the current models, for all threads, until the block ends."""
    with _lock:
        _in_use.append(models)
    try:
        yield models
    finally:
        with _lock:
            del _in_use[len(_in_use) - 1 - _in_use[::-1].index(models)]


def embedder(name: str) -> Embedder:
    """The embedder that a name stands for; one behind an endpoint belongs to the current models.

    >>> embedder("wordllama").dimensions
    256
    """
    if names_endpoint(name):
        return current_models().embedder(name)
    from memtriage.models.embedders import offline_embedder

    return offline_embedder(name)


@atexit.register
def _close_defaults() -> None:
    for models in _defaults.values():
        models.close()
        if models.cache is not None:
            models.cache.close()


def _after_fork() -> None:
    """A child has its parent's memory but not its threads, so it begins with models of its own."""
    global _lock
    _lock = threading.RLock()
    _of_parent.append([*_in_use, *_defaults.values()])  # kept, so that nothing of the parent's is closed here
    _in_use.clear()
    _defaults.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
