"""What a run found, as its user sees it, without what differs from run to run: ports, times, paths."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from drills.command import Home
from drills.engine import Broke

_PORT = re.compile(r"127\.0\.0\.1:\d+")


VIEWS = {"table": (), "probes": ("--by", "probe"), "facts": ("--by", "fact")}


def findings(home: Home, run: str = "run", views: Iterable[str] = VIEWS) -> dict[str, Any]:
    """The table, every probe and every fact of a finished run, or some of these views."""
    return {name: _shown(home.run("show", run, *VIEWS[name], "--json").clean(0).out) for name in views}


def _shown(text: str) -> Any:
    return json.loads(_PORT.sub("PORT", text), object_hook=_timeless)


def _timeless(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in found.items() if "seconds" not in name}


def same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Nothing differs between two findings."""
    for name, value in found.items():
        if value != wanted[name]:
            raise Broke(f"other {name} than in the undisturbed run: {_first_difference(value, wanted[name])}")


def _first_difference(found: Any, wanted: Any, where: str = "") -> str:
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in sorted(found.keys() | wanted.keys()):
            if found.get(name) != wanted.get(name):
                return _first_difference(found.get(name), wanted.get(name), f"{where}.{name}")
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
            if one != other:
                return _first_difference(one, other, f"{where}[{number}]")
    return f"{where} is {str(found)[:200]}, was {str(wanted)[:200]}"
