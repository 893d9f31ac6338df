"""Record the goldens, or hold a tree against them.

    python tests/goldens/record.py                    write the goldens of the usual scenes anew
    python tests/goldens/record.py --all              of the long ones too
    python tests/goldens/record.py --only memfail     of some scenes alone
    python tests/goldens/record.py --check [--all]    change nothing; name what differs, exit with 1 if anything does

The tree that is examined is the one `import memtriage` finds (PYTHONPATH=src), or the one that --tree names; its entry
points are read from its pyproject.toml. Record only where a change of behaviour is meant, and look at the difference
of the JSON files before committing it. To see what lies behind a changed hash, write what was hashed with
`--check --dump DIR` for both trees, and compare the two folders with `diff -r`.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from goldens.play import Play
from goldens.scenes import SCENES
from goldens.stage import SECTIONS, Entries, Scene, Stage, fresh

HERE = Path(__file__).resolve().parent
_CLOSE = 1e-4
"""How far sums of scores may differ: they are computed in single precision."""
_SHOWN = 12


def play(stage: Stage, chosen: Play) -> Entries:
    """Play one scene and give what it left."""
    played = Scene(stage, chosen.name)
    chosen.act(played)
    return played.found


def golden() -> Entries:
    """What was recorded."""
    files = {section: HERE / f"{section}.json" for section in SECTIONS}
    return {name: json.loads(file.read_bytes()) if file.exists() else {} for name, file in files.items()}


def of_scene(entries: Entries, scene: str) -> Entries:
    """The entries of one scene."""
    return {
        section: {name: entry for name, entry in found.items() if name.split("/")[0] == scene}
        for section, found in entries.items()
    }


def differences(expected: Entries, found: Entries) -> list[str]:
    """How two recordings differ, a line each."""
    return [line for section in SECTIONS for line in _of_section(section, expected[section], found[section])]


def _of_section(section: str, expected: dict[str, Any], found: dict[str, Any]) -> Iterator[str]:
    for name in sorted({*expected, *found}):
        if name not in found:
            yield f"{section} {name}: no longer there"
        elif name not in expected:
            yield f"{section} {name}: not recorded"
        else:
            told = list(_differ(expected[name], found[name]))
            if told:
                more = [f"and {len(told) - _SHOWN} more"] if len(told) > _SHOWN else []
                yield f"{section} {name}: " + "; ".join([*told[:_SHOWN], *more])


def _differ(expected: Any, found: Any, path: str = "") -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted({*expected, *found}):
            yield from _differ(expected.get(name), found.get(name), f"{path}.{name}" if path else name)
    elif isinstance(expected, list) and isinstance(found, list):
        if expected != found:
            gone = [each for each in expected if each not in found]
            new = [each for each in found if each not in expected]
            yield f"{path} without {gone}, with {new}"
    elif isinstance(expected, float) and isinstance(found, float):
        if not math.isclose(expected, found, rel_tol=_CLOSE, abs_tol=_CLOSE):
            yield f"{path} was {expected}, is {found}"
    elif expected != found:
        yield f"{path} was {_brief(expected)}, is {_brief(found)}"


def _brief(value: Any) -> str:
    text = str(value)
    return text[:12] if len(text) == 64 else text


def write(entries: Entries) -> None:
    """Put entries on disk, sorted, a line each."""
    for section, found in entries.items():
        told = [f"{_line(name)}: {_line(entry)}" for name, entry in sorted(found.items())]
        (HERE / f"{section}.json").write_text("{\n" + ",\n".join(told) + "\n}\n", encoding="utf-8")


def _line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def recorded(before: Entries, scenes: Iterable[str], found: Entries) -> Entries:
    """The goldens with those of some scenes replaced; entries of scenes that are no more are dropped."""
    played = set(scenes)
    kept = {
        section: {
            name: entry
            for name, entry in entries.items()
            if name.split("/")[0] in SCENES and name.split("/")[0] not in played
        }
        for section, entries in before.items()
    }
    return {section: {**kept[section], **found[section]} for section in SECTIONS}


def main() -> int:
    parser = argparse.ArgumentParser(description="Record the goldens, or hold a tree against them.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if anything differs")
    parser.add_argument("--all", action="store_true", help="the long scenes too")
    parser.add_argument("--only", nargs="+", metavar="SCENE", choices=sorted(SCENES), help="these scenes alone")
    parser.add_argument("--tree", type=Path, help="the checkout to examine (default: what `import memtriage` finds)")
    parser.add_argument("--dump", type=Path, help="folder for the texts that were hashed")
    chosen = parser.parse_args()
    scenes = [SCENES[name] for name in chosen.only or SCENES if chosen.only or chosen.all or not SCENES[name].big]
    dump = fresh(chosen.dump) if chosen.dump else None
    found: Entries = {section: {} for section in SECTIONS}
    with tempfile.TemporaryDirectory(prefix="goldens-") as home, Stage(Path(home), chosen.tree, dump) as stage:
        for each in scenes:
            began = time.perf_counter()
            for section, entries in play(stage, each).items():
                found[section] |= entries
            print(f"{each.name}: {time.perf_counter() - began:.1f} s", file=sys.stderr, flush=True)
    names = [each.name for each in scenes]
    before = golden()
    if not chosen.check:
        write(recorded(before, names, found))
        return 0
    expected = {s: {n: e for name in names for n, e in of_scene(before, name)[s].items()} for s in SECTIONS}
    told = differences(expected, found)
    for line in told:
        print(line)
    print(f"{sum(map(len, found.values()))} entries, {len(told)} differ", file=sys.stderr)
    return int(bool(told))


if __name__ == "__main__":
    raise SystemExit(main())
