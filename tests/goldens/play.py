"""What a scene is, and what scenes share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from goldens.stage import Scene

SEEDS = ("42", "7")
FOUR = "--system bm25 --system dense --system echo --system oracle"


@dataclass(frozen=True, slots=True)
class Play:
    """A scene by its name."""

    name: str
    act: Callable[[Scene], None]
    big: bool = False


SCENES: dict[str, Play] = {}


def scene(act: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Register a scene that is played in every check."""
    return _registered(act, big=False)


def big(act: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Register a scene that is played only where all are asked for."""
    return _registered(act, big=True)


def _registered(act: Callable[[Scene], None], big: bool) -> Callable[[Scene], None]:
    name = act.__name__.replace("_", "-")
    assert name not in SCENES, name
    SCENES[name] = Play(name, act, big)
    return act


def rows(s: Scene, suite: str, options: str, name: str = "", seeds: Iterable[str] = SEEDS) -> None:
    """Generate rows at each seed and keep what was written."""
    for seed in seeds:
        label = f"{name or suite.replace('/', '-')}-seed{seed}"
        s.cli(f"data generate {suite} {options} --seed {seed} --out {label} -q")
        s.rows(label, label)


def show(s: Scene, run: str, views: str, csv: str = "", tables: str = "") -> None:
    """A run as `show` prints it: as JSON, and some views as CSV and for people."""
    for by in views.split():
        s.view(f"show-{by}", f"show {run} --by {by} --json")
    for by in csv.split():
        s.csv(f"show-{by}.csv", f"show {run} --by {by} --csv")
    for by in tables.split():
        s.table(f"show-{by}", f"show {run} --by {by} --limit 12")


def asked_models(s: Scene) -> str:
    return f"--answer {s.model('reader')} --judge {s.model('judge')}"


def tasks(names: str) -> str:
    return " ".join(f"--suite memoryagentbench/{name}" for name in names.split())
