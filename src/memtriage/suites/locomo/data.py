"""LoCoMo's data file: downloaded and checked. Its licence allows no copies here, and nothing is generated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.kit import hub
from memtriage.suites.kit.hub import Downloaded
from memtriage.suites.kit.options import no_options
from memtriage.suites.kit.pull import Pull, Terms, byte_progress, must_be
from memtriage.suites.kit.released_only import ReleasedOnly
from memtriage.suites.locomo.episodes import SUITE, Layout
from memtriage.suites.locomo.reading import FILE, LOCOMO, Reader, remarks

RAW_FILES = "https://raw.githubusercontent.com"
REPOSITORY = "snap-research/locomo"
NOT_GENERATED = (
    "LoCoMo has no generated rows; download its file with memtriage data pull locomo (CC BY-NC 4.0), and name it with "
    "--data. memtriage run --suite talk needs no download: made-up conversations in LoCoMo's style"
)


class LoCoMoFiles(ReleasedOnly):
    """LoCoMo's file: `locomo10.json`, with ten conversations."""

    not_generated = NOT_GENERATED

    def validate(self, path: Path) -> Iterator[Checked]:
        file = LOCOMO.find(path)
        reader = Reader(file)
        rows = 0
        found: list[Problem] = []
        try:
            for talk in reader.conversations():
                rows += 1
                found += [Problem(f"{file}: {remark}", False) for remark in remarks(talk, talk.questions)]
                for _ in Layout().episodes(talk):  # whatever an episode can't be made of is refused here
                    pass
        except BadInput as error:
            reader.problems = [str(error)]
        yield Checked(f"{SUITE}/qa", file, rows, (*(Problem(text, True) for text in reader.problems), *found))

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        terms, rest = Terms.of(options)
        no_options(SUITE, rest)
        base = f"{hub.endpoint(RAW_FILES, endpoint)}/{REPOSITORY}"
        return Pull(SUITE, base, revision, out, byte_progress(step), terms).fetch_all({f"data/{FILE}": FILE}, _read)


def _read(file: Downloaded) -> dict[str, object]:
    """How many conversations and questions a file has; all of it must be readable."""
    with must_be("LoCoMo's file", file):
        reader = Reader(file.path)
        talks = list(reader.conversations())
        if reader.problems:
            raise BadInput("; ".join(reader.problems[:3]))
    return {"conversations": len(talks), "questions": sum(len(talk.questions) for talk in talks)}
