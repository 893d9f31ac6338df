"""One system on its own, with its models, as `check` and `chat` try it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from memtriage import registry
from memtriage.config import Limits, embedder_label, model_label
from memtriage.pipeline.models import open_system_models
from memtriage.registry import SystemSpec
from memtriage.runner import plan
from memtriage.systems.remote import running


def system_with_models(system: object, internal: str | None = None, embed: str | None = None) -> SystemSpec:
    """The system with its models; refused if it takes no model of that kind."""
    [spec] = registry.system_specs([system])
    models = {"internal": model_label(internal or ""), "embedder": embedder_label(embed or "")}
    plan.refuse_unused_models(models, [spec])
    return registry.with_models(spec, models)


@contextmanager
def models_open(limits: Limits) -> Iterator[None]:
    """Open the models inside a system, and close its processes afterwards."""
    with open_system_models(limits):
        try:
            yield
        finally:
            running.close_all()
