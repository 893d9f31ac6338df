"""What is wrong with the questions of a file, gathered while they are read: named, and short however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

_EACH = 5
"""Up to so many questions with the same trouble are told one by one; of more, the ids."""

_EXAMPLES = 3
"""Of one question's troubles of a kind, so many are told in full."""


class Complaints:
    """The troubles of one file, by kind.

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
        """A trouble of the file itself."""
        self._of_file.append(message)

    def has_file_problem(self) -> bool:
        """Whether the file itself has a trouble."""
        return bool(self._of_file)

    def add(self, kind: str, question: str, message: str, together: str = "") -> None:
        """A trouble of one question; `together` says it of many (without it, each is told, however many there are).

        Without a message, all that is said is which questions have it.
        """
        self._together[kind] = together
        self._found.setdefault(kind, {}).setdefault(question, []).append(message)

    def counts(self) -> dict[str, int]:
        """How many questions have which kind of trouble."""
        return {kind: len(found) for kind, found in self._found.items()}

    def lines(self) -> list[str]:
        """One line for each trouble, with file and question; where many questions share one, a line with their ids."""
        return [line for _, line in self.by_kind()]

    def by_kind(self) -> Iterator[tuple[str, str]]:
        """The lines, each with its kind; what is wrong with the file itself is of the kind `file`."""
        yield from (("file", f"{self._path}: {message}") for message in self._of_file)
        for kind, found in self._found.items():
            together = self._together[kind]
            if not together or (len(found) <= _EACH and all(map(all, found.values()))):
                yield from ((kind, f"{self._path}: question {id!r}: {_listed(told)}") for id, told in found.items())
            else:
                ids = ", ".join(map(repr, found))
                yield kind, f"{self._path}: {together}: {len(found)} questions ({ids})"


def _listed(messages: Sequence[str]) -> str:
    more = f"; and {len(messages) - _EXAMPLES} more" if len(messages) > _EXAMPLES else ""
    return "; ".join(messages[:_EXAMPLES]) + more
