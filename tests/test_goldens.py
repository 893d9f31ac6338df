"""What memtriage does, seen from outside, is what it did when the goldens were recorded (`goldens/record.py`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from goldens.record import differences, golden, of_scene, play
from goldens.scenes import SCENES
from goldens.stage import Stage


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with Stage(tmp_path_factory.mktemp("goldens")) as opened:
        yield opened


@pytest.mark.parametrize("name", [name for name, each in SCENES.items() if not each.big])
def test_the_outcome_is_the_recorded_one(stage: Stage, name: str) -> None:
    told = differences(of_scene(golden(), name), play(stage, SCENES[name]))
    assert not told, "\n".join(["`python tests/goldens/record.py --check --dump DIR` shows more", *told])


def test_nothing_is_recorded_that_is_not_played() -> None:
    assert {name.split("/")[0] for entries in golden().values() for name in entries} <= set(SCENES)
