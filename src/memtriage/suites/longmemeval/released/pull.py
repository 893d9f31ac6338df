"""Download LongMemEval's released files, check that they can be read, and note what they are.

>>> pull_longmemeval(Path("data/longmemeval"), splits=("s",))   # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.suites.kit import options as shared
from memtriage.suites.kit.hub import Downloaded, Progress
from memtriage.suites.kit.pull import USUAL, Pull, Terms, dataset, must_be
from memtriage.suites.longmemeval.options import SIZES, Size
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.files import Entries
from memtriage.suites.longmemeval.released.reading import QuestionReader

DATASET = "xiaowu0162/longmemeval-cleaned"
RELEASED: Mapping[Size, str] = {
    "s": "longmemeval_s_cleaned.json",
    "m": "longmemeval_m_cleaned.json",
    "oracle": "longmemeval_oracle.json",
}
DEFAULT: tuple[Size, ...] = ("s",)
"""What is fetched where nothing is said; the histories of M take several gigabytes."""


def splits_of(options: Mapping[str, str] | None) -> tuple[Size, ...]:
    """The splits that options ask for: `split=s`, `split=s,oracle` or `split=all`.

    >>> splits_of({"split": "s,oracle"}), splits_of({})
    (('s', 'oracle'), ('s',))
    """
    return shared.splits_of(options, SIZES, DEFAULT, "longmemeval")


def pull_longmemeval(
    out: Path,
    revision: str = "main",
    mirror: str | None = None,
    progress: Progress | None = None,
    splits: Sequence[Size] = DEFAULT,
    terms: Terms = USUAL,
) -> Path:
    """Bring the files of some splits into a folder, with `pull.json` saying which they are; returns the folder.

    A file arrives beside its place and moves there once it has been read without a problem, so that a pull that fails
    leaves earlier data as it was, and the next one continues where it broke off. Other splits in the folder stay.
    """
    pull = Pull("longmemeval", dataset(DATASET, mirror), revision, out, progress, terms)
    return pull.fetch_each({RELEASED[split]: RELEASED[split] for split in splits}, _read)


def _read(file: Downloaded) -> dict[str, object]:
    """The number of its questions; the file must be readable to its end."""
    complaints = Complaints(file.path)
    reader = QuestionReader(complaints)
    questions = 0
    with must_be("a file of LongMemEval", file):
        for number, entry in Entries(file.path, complaints.of_file):
            if not questions and reader.question(number, entry) is None:
                raise BadInput("; ".join(complaints.lines()))
            questions += 1
        if not questions or complaints.has_file_problem():
            raise BadInput("; ".join(complaints.lines()) or f"{file.path} holds no questions")
    return {"questions": questions}
