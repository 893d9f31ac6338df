"""The drills' own engine: a drill that can't fail would be worth nothing."""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from drills.damage import CHANGES
from drills.engine import Broke, Case, Outcome, Part, go_through


def _case(case: Case) -> None:
    """Some cases hold, one breaks, one raises, one hangs and one dies."""
    case.counts["tried"] += 1
    (case.folder / "file").touch()
    match case.number:
        case 1:
            raise Broke("it did not hold")
        case 2:
            raise ZeroDivisionError
        case 3:
            time.sleep(60)
        case 4:
            os._exit(9)


def test_what_breaks_hangs_or_dies_is_counted_kept_and_can_be_repeated(tmp_path: Path) -> None:
    part = Part("toy", "cases of all kinds", 8, _case, seconds=1)
    outcome = Outcome("toy", part.what, 7, 8, "")
    said: list[str] = []
    go_through(part, outcome, range(8), tmp_path, said.append)
    assert outcome.held == 4
    assert [failure.case for failure in outcome.broke] == [1, 2, 3, 4]
    for word, failure in zip(("did not", "ZeroDivision", "after 1 s", "ended with 9"), outcome.broke, strict=True):
        assert word in failure.why
    assert outcome.counts["tried"] == 6
    assert outcome.broke[0].repeat == f"{Path(sys.executable).name} -m drills toy --seed 7 --case 1"
    assert sorted(path.name for path in (tmp_path / "toy").iterdir()) == ["1", "2", "3", "4", "shared"]
    outcome.write(tmp_path / "toy.json")
    assert Outcome.read(tmp_path / "toy.json") == outcome


@pytest.mark.parametrize("change", sorted(set(CHANGES), key=lambda change: change.__name__), ids=lambda c: c.__name__)
def test_a_damage_is_one(tmp_path: Path, change: Callable[[Path, random.Random, Path], None]) -> None:
    """Whatever is done to a file, most of the time it is another file afterwards."""
    good = "".join(json.dumps({"n": n, "text": f"line {n}", "right": n % 2 == 0}) + "\n" for n in range(40))
    twin = tmp_path / "twin"
    twin.write_text(good.replace("line", "row"))
    same = 0
    for seed in range(20):
        file = tmp_path / str(seed)
        file.write_text(good)
        change(file, random.Random(seed), twin)
        same += file.exists() and file.read_text(errors="replace") == good
    assert same <= 2
