"""What is wrong with the questions of a file, collected while they are read and reported briefly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

_EACH = 5
"""Up to so many questions with the same problem are reported one by one; of more, only the ids."""

_EXAMPLES = 3
"""Of one question's problems of a kind, so many are reported in full."""


class Complaints:
    """The problems of one file, by kind.

    >>> complaints = Complaints(Path("s.json"))
    >>> complaints.add("date", "q1", "its date '31st' can't be read", "dates that can't be read")
    >>> complaints.lines()
    ["s.json: question 'q1': its date '31st' can't be read"]
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._of_file: list[str] = []
        self._found: dict[str, dict[str, list[str]]] = {}
        self._together: dict[str, str] = {}

    def of_file(self, message: str) -> None:
        """Add a problem of the file itself."""
        self._of_file.append(message)

    def has_file_problem(self) -> bool:
        """Whether the file itself has a problem."""
        return bool(self._of_file)

    def add(self, kind: str, question: str, message: str, together: str = "") -> None:
        """Add a problem of one question; `together` says it of many (without it, each one is reported).

        Without a message, only the ids of the questions that have it are reported.
        """
        self._together[kind] = together
        self._found.setdefault(kind, {}).setdefault(question, []).append(message)

    def counts(self) -> dict[str, int]:
        """How many questions have which kind of problem."""
        return {kind: len(found) for kind, found in self._found.items()}

    def lines(self) -> list[str]:
        """One line for each problem, with file and question; where many questions share one, a line with their ids."""
        return [line for _, line in self.by_kind()]

    def by_kind(self) -> Iterator[tuple[str, str]]:
        """The lines, each with its kind; what is wrong with the file itself is of the kind `file`."""
        yield from (("file", f"{self._path}: {message}") for message in self._of_file)
        for kind, found in self._found.items():
            together = self._together[kind]
            if not together or (len(found) <= _EACH and all(map(all, found.values()))):
                yield from (
                    (kind, f"{self._path}: question {id!r}: {_listed(messages)}") for id, messages in found.items()
                )
            else:
                ids = ", ".join(map(repr, found))
                yield kind, f"{self._path}: {together}: {len(found)} questions ({ids})"


def _listed(messages: Sequence[str]) -> str:
    more = f"; and {len(messages) - _EXAMPLES} more" if len(messages) > _EXAMPLES else ""
    return "; ".join(messages[:_EXAMPLES]) + more
