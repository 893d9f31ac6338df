"""PersonaMem's files, downloaded and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.kit.hub import Downloaded
from memtriage.suites.kit.options import splits_of
from memtriage.suites.kit.pull import Pull, Terms, byte_progress, dataset, must_be
from memtriage.suites.kit.released_only import ReleasedOnly
from memtriage.suites.kit.tables import csv_rows
from memtriage.suites.personamem import version_1, version_2
from memtriage.suites.personamem.episodes import Layout, Version
from memtriage.suites.personamem.history import SUITE

REPOSITORIES: Mapping[Version, str] = {"v1": "bowen-upenn/PersonaMem-v1", "v2": "bowen-upenn/PersonaMem-v2"}
SPLITS = (*version_1.SIZES, *(f"v2-{size}" for size in version_2.SIZES))
NOT_GENERATED = (
    f"PersonaMem has no generated rows; download its files with memtriage data pull {SUITE} (--split "
    f"{'|'.join(SPLITS)}), and name their folder with --data"
)


class PersonaMemFiles(ReleasedOnly):
    """The files of both versions."""

    not_generated = NOT_GENERATED

    def validate(self, path: Path) -> Iterator[Checked]:
        found = list(_readers(path))
        if not found:
            raise BadInput(f"{path} has no files of PersonaMem; {version_1.GET}")
        for version, file, reader in found:
            rows = 0
            try:
                for history in reader.histories():
                    rows += 1
                    Layout(version).episode(history)  # whatever an episode can't be made of is refused here
            except BadInput as error:
                reader.problems.append(str(error))
            yield Checked(f"{SUITE}/{version}", file, rows, tuple(Problem(text, True) for text in reader.problems))

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        terms, rest = Terms.of(options)
        for split in splits_of(rest, SPLITS, (SPLITS[0],), SUITE):
            version: Version = "v2" if split.startswith("v2-") else "v1"
            base = dataset(REPOSITORIES[version], endpoint)
            pull = Pull(SUITE, base, revision, out, byte_progress(step), terms)
            if version == "v1":
                names = (f"questions_{split}.csv", f"shared_contexts_{split}.jsonl")
                pull.fetch_each({name: name for name in names}, _read_part)
                continue
            pull.fetch_each({version_2.BENCHMARK: version_2.BENCHMARK}, _read_table)
            reader = version_2.Reader(out / version_2.BENCHMARK, out, split.removeprefix("v2-"))
            links = [link for link in reader.links() if not (out / link).is_file()]
            if not links and reader.problems:
                raise BadInput("\n".join(reader.problems[:3]))
            pull.fetch_each({link: link for link in links}, _read_chat)
        return out


_Reader = version_1.Reader | version_2.Reader


def _readers(path: Path) -> Iterator[tuple[Version, Path, _Reader]]:
    """What reads the files at a path, for each version and size that is there."""
    if not path.is_dir():
        if path.name.startswith("questions_"):
            yield "v1", path, version_1.Reader(*version_1.find(path, ""))
        else:
            table, folder = version_2.find(path)
            yield "v2", table, version_2.Reader(table, folder)
        return
    for size in version_1.SIZES:
        if (path / f"questions_{size}.csv").is_file():
            yield "v1", path / f"questions_{size}.csv", version_1.Reader(*version_1.find(path, size))
    if (path / version_2.BENCHMARK).is_file() or (path / "benchmark.csv").is_file():
        table, folder = version_2.find(path)
        for size in version_2.SIZES:
            if (folder / "data" / f"chat_history_{size}").is_dir():
                yield "v2", table, version_2.Reader(table, folder, size)


def _read_part(file: Downloaded) -> dict[str, object]:
    """How many rows one of the two files of version 1 has."""
    with must_be("a file of PersonaMem", file):
        if file.path.suffix == ".csv":
            return {"questions": _rows(file.path, version_1.NEEDED)}
        return {"histories": version_1.count_histories(file.path)}


def _read_table(file: Downloaded) -> dict[str, object]:
    with must_be("PersonaMem's table of questions", file):
        return {"questions": _rows(file.path, version_2.NEEDED)}


def _rows(path: Path, needed: tuple[str, ...]) -> int:
    problems: list[str] = []
    rows = sum(1 for _ in csv_rows(path, needed, problems.append))
    if problems or not rows:
        raise BadInput("; ".join(problems[:3]) or "it has no rows")
    return rows


def _read_chat(file: Downloaded) -> dict[str, object]:
    with must_be("a history of PersonaMem", file):
        return {"messages": len(version_2.read_chat(file.path))}
