"""HaluMem's files, downloaded and checked. Their licence allows no changed copies, and nothing is generated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.halumem.episodes import TASK, episode
from memtriage.suites.halumem.reading import FILES, SIZES, SUITE, Reader, find
from memtriage.suites.kit.hub import Downloaded
from memtriage.suites.kit.options import splits_of
from memtriage.suites.kit.pull import Pull, Terms, byte_progress, dataset, must_be
from memtriage.suites.kit.released_only import ReleasedOnly

REPOSITORY = "IAAR-Shanghai/HaluMem"
NOT_GENERATED = (
    f"HaluMem has no generated rows; download its files with memtriage data pull {SUITE} (CC BY-NC-ND 4.0), and name "
    "their folder with --data"
)


class HaluMemFiles(ReleasedOnly):
    """`HaluMem-Medium.jsonl` and `HaluMem-Long.jsonl`, with the same twenty users."""

    not_generated = NOT_GENERATED

    def validate(self, path: Path) -> Iterator[Checked]:
        there = [path / name for name in FILES.values() if (path / name).is_file()] or [find(path, "")]
        for file in there:
            reader = Reader(file)
            rows = 0
            odd: list[Problem] = []
            try:
                for user in reader.users():
                    rows += 1
                    odd += [Problem(f"{file}: {remark}", False) for remark in episode(user)[1]]
            except BadInput as error:
                reader.problems = [str(error)]
            yield Checked(TASK, file, rows, (*(Problem(text, True) for text in reader.problems), *odd))

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        terms, rest = Terms.of(options)
        names = [FILES[size] for size in splits_of(rest, SIZES, SIZES[:1], SUITE)]
        pull = Pull(SUITE, dataset(REPOSITORY, endpoint), revision, out, byte_progress(step), terms)
        return pull.fetch_each({name: name for name in names}, _read)


def _read(file: Downloaded) -> dict[str, object]:
    """How many users, sessions and questions a file has; all of it must be readable."""
    with must_be("a file of HaluMem", file):
        reader = Reader(file.path)
        counts = {"users": 0, "sessions": 0, "points": 0, "questions": 0}
        for user in reader.users():
            counts["users"] += 1
            counts["sessions"] += len(user.sittings)
            counts["points"] += sum(len(sitting.kept) for sitting in user.sittings)
            counts["questions"] += sum(len(sitting.asked) for sitting in user.sittings)
        if reader.problems:
            raise BadInput("; ".join(reader.problems[:3]))
    return dict(counts)
