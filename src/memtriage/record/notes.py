"""What went wrong in the stores of a run, in one sentence for each mistake and not for each session or question."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

_RAISED = re.compile(r"raised (?P<kind>[\w.]+)(?:: .*?)?(?P<place>, at [^,]+:\d+ in \S+)?", re.DOTALL)
_COUNTED = re.compile(r"(?P<what>.+): (?P<times>\d+)", re.DOTALL)


class Failure(NamedTuple):
    """A session that was not stored, or a question that was not asked: `raised KeyError: 0`, `hid an error: …`."""

    system: str
    episode: str
    doing: str
    thing: str
    name: str
    what: str

    @property
    def mistake(self) -> tuple[str, ...]:
        """What failures with one cause share: an exception's name and its place in the code, if those are known."""
        raised = _RAISED.fullmatch(self.what)
        kind = (raised["kind"], raised["place"] or "") if raised else (self.what.partition(":")[0],)
        return (self.system, self.doing, *kind)


def failure_notes(failures: Iterable[Failure]) -> Iterator[str]:
    """A sentence for each mistake, with its first occurrence in full.

    >>> where = ("mine.py:Mine", "memfail/persona", "storing", "session")
    >>> list(failure_notes([Failure(*where, "s7", "raised KeyError: 0"), Failure(*where, "s9", "raised KeyError: 1")]))
    ['mine.py:Mine: storing raised KeyError: 0 (in 2 sessions, the words differ, first in s7 of memfail/persona)']
    """
    mistakes: dict[tuple[str, ...], list[Failure]] = {}
    for failure in dict.fromkeys(failures):
        mistakes.setdefault(failure.mistake, []).append(failure)
    for found in mistakes.values():
        first = found[0]
        if len(found) == 1:
            yield f"{first.system} on {first.episode}: {first.doing} {first.thing} {first.name} {first.what}"
            continue
        episodes = len({failure.episode for failure in found})
        places = len({(failure.episode, failure.name) for failure in found})
        within = f" of {episodes} episodes" if episodes > 1 else ""
        differ = ", the words differ" if len({failure.what for failure in found}) > 1 else ""
        yield (
            f"{first.system}: {first.doing} {first.what} "
            f"(in {places} {first.thing}s{within}{differ}, first in {first.name} of {first.episode})"
        )


def merged_notices(notices: Mapping[str, int]) -> list[str]:
    """The notices on a system's stores, with how many stores gave each; those that only count differently are merged.

    >>> merged_notices({"it is a toy": 2, "walks that ended early: 3": 1, "walks that ended early: 8": 4})
    ['it is a toy', 'walks that ended early: 3 to 8 in 5 stores']
    """
    numbers: dict[str, Counter[int]] = {}
    for notice, stores in notices.items():
        counted = _COUNTED.fullmatch(notice)
        numbers.setdefault(counted["what"] if counted else notice, Counter())[
            int(counted["times"]) if counted else -1
        ] += stores
    told: list[str] = []
    for what, times in numbers.items():
        if set(times) == {-1}:
            told.append(what)
        elif len(times) == 1:
            told.append(f"{what}: {next(iter(times))}")
        else:
            told.append(f"{what}: {min(times)} to {max(times)} in {times.total()} stores")
    return told
