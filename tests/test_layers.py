"""The house has layers: an import only goes down the list that docs/design.md gives, and never round in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "memtriage"
FRONT = ("memtriage", "memtriage.__main__")
"""What stands before the house: the package itself, which hands out the nouns and the front door."""


@cache
def layers() -> tuple[frozenset[str], ...]:
    """The rooms of each layer, from the top down, as docs/design.md lists them."""
    text = (PROJECT / "docs" / "design.md").read_text(encoding="utf-8")
    block = re.search(r"<!-- layers -->\n```text\n(.*?)```", text, re.DOTALL)
    assert block is not None, "docs/design.md has no list of layers"
    lines = (re.split(r"\s{2,}", line.strip())[0] for line in block[1].splitlines() if line.strip())
    return tuple(frozenset(line.split(" | ")) for line in lines)


@cache
def modules() -> dict[str, Path]:
    """Every module of memtriage; adapters are scripts that run beside a library and import nothing of ours."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        if "adapters" in path.parts or "side" in path.parts:
            continue
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(module: str, path: Path) -> Iterator[tuple[str, int]]:
    """What a module imports of memtriage, wherever in it, with the line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules() else str(node.module), node.lineno


@cache
def edges() -> tuple[tuple[str, str, str], ...]:
    """Who imports whom, and where."""
    return tuple(
        (module, target, f"{path.relative_to(PROJECT)}:{line}")
        for module, path in modules().items()
        for target, line in imported(module, path)
        if target.split(".")[0] == "memtriage" and target != module
    )


def room(module: str) -> str:
    return module.split(".")[1]


def level(module: str) -> int:
    return next(number for number, rooms in enumerate(layers()) if room(module) in rooms)


def test_every_room_has_its_layer_and_every_layer_its_rooms() -> None:
    rooms = {room(module) for module in modules() if module not in FRONT}
    listed = [name for layer in layers() for name in layer]
    assert sorted(listed) == sorted(rooms)


def test_imports_only_go_down() -> None:
    wrong = [
        f"{where} imports {target}"
        for module, target, where in edges()
        if module not in FRONT
        and (target in FRONT or (room(module) != room(target) and level(target) <= level(module)))
    ]
    assert wrong == []


def test_no_modules_import_each_other_in_a_circle() -> None:
    targets: dict[str, set[str]] = {module: set() for module in modules()}
    for module, target, _ in edges():
        if target in targets:
            targets[module].add(target)
    left = dict(targets)
    while free := [module for module, needed in left.items() if not needed & left.keys()]:
        for module in free:
            del left[module]
    circles = {module: sorted(needed & left.keys()) for module, needed in left.items()}
    assert circles == {}


def test_nobody_reaches_for_a_module_behind_the_imports() -> None:
    """`sys.modules` would hide an edge; only the registry, which loads the files of others, writes to it."""
    hidden = {
        str(path.relative_to(SOURCE))
        for path in modules().values()
        if "sys.modules" in path.read_text(encoding="utf-8")
    }
    assert hidden == {"registry.py", "host/gpu_memory.py"}  # the second asks whether torch is loaded


def test_no_module_holds_only_words() -> None:
    """A Python module has logic in it; word lists are data files."""
    wordy = []
    for module, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        logic = any(isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for node in ast.walk(tree))
        strings = sum(isinstance(node, ast.Constant) and isinstance(node.value, str) for node in ast.walk(tree))
        if not logic and strings > 100:
            wordy.append(module)
    assert wordy == []


def test_every_scoring_has_its_rule_and_every_verdict_its_kind() -> None:
    from memtriage.core.episode import Scoring
    from memtriage.core.verdict import KINDS, Verdict
    from memtriage.diagnose.answers import SCORINGS

    assert set(SCORINGS) == set(get_args(Scoring))
    assert tuple(kind.verdict for kind in KINDS) == get_args(Verdict)
