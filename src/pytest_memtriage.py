"""A plug-in for pytest: the fixture `memtriage`, with which a test holds a memory against a baseline.

def test_memory(memtriage):
    memtriage.assert_not_worse(MyMemory(), baseline="baseline.jsonl", max_drop=3)
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


class Gatekeeper:
    """What the fixture gives; memtriage is imported when it is first used, so that other tests don't wait for it."""

    def __init__(self, folders: pytest.TempPathFactory) -> None:
        self._folders = folders

    def assert_not_worse(
        self,
        run_or_system: object,
        baseline: Any,
        *,
        suite: str | list[str] | None = None,
        max_drop: float = 3.0,
        min_success: dict[str, float] | None = None,
        max_cost_rise: float | None = None,
        systems: tuple[str, str] | None = None,
        shared: bool = False,
        strict: bool = False,
        **settings: Any,
    ) -> Any:
        """Fail the test if a run, or a run of this system, is worse than the baseline; returns what the gate found.

        A system is run as the baseline was, unless `suite` or `settings` (those of `memtriage.run`) say otherwise. What
        can't be told is a warning, and a failure if `strict`.
        """
        __tracebackhide__ = True
        from memtriage import Run, api
        from memtriage.core.errors import MemtriageError
        from memtriage.report.gate_text import headline, lines

        try:
            run: Any = run_or_system
            if not isinstance(run, Run) and not _is_run(run):
                folder = self._folders.mktemp("memtriage") / "run"
                run = api.run_like(baseline, run_or_system, out=folder, suite=suite, **settings)
                systems = systems or _paired(api.results(baseline).systems, run.manifest["systems"][0]["label"])
            found = api.gate(
                run,
                baseline,
                max_drop=max_drop,
                min_success=min_success,
                max_cost_rise=max_cost_rise,
                systems=systems,
                shared=shared,
                strict=strict,
            )
        except MemtriageError as error:
            pytest.fail(f"memtriage: {error}", pytrace=False)
        if found.failed:
            pytest.fail("memory " + "\n".join(lines(found)), pytrace=False)
        if found.finding == "undecided":
            import warnings

            warnings.warn(f"memory gate {headline(found)}", stacklevel=2)
        return found


def _is_run(source: object) -> bool:
    return isinstance(source, str | Path) and (Path(source) / "run.json").exists()


def _paired(known: tuple[str, ...], system: str) -> tuple[str, str] | None:
    """The baseline's system of the same name, or its only one; floor and ceilings are none of them."""
    from memtriage.tables.standings import REFERENCES

    own = [name for name in known if name not in REFERENCES]
    return (system, system) if system in known else (own[0], system) if len(own) == 1 else None


@pytest.fixture(scope="session")
def memtriage(tmp_path_factory: pytest.TempPathFactory) -> Gatekeeper:
    """Holds a memory against a baseline: `memtriage.assert_not_worse(run_or_system, baseline=...)`."""
    return Gatekeeper(tmp_path_factory)
