"""Download MemFail's released CSV files, check that they can be read, and note what they are.

>>> pull_memfail(Path("data/memfail"), revision="main")   # doctest: +SKIP
"""

from __future__ import annotations

from pathlib import Path

from memtriage.suites.kit import hub
from memtriage.suites.kit.hub import Downloaded, Progress
from memtriage.suites.kit.pull import USUAL, Pull, Terms, must_be
from memtriage.suites.memfail.released.files import csv_path, read_rows
from memtriage.suites.memfail.rows import DATASETS

REPOSITORY = "ishirgarg/MemFail"
RAW_FILES = "https://raw.githubusercontent.com"
"""Where GitHub serves a repository's files as they are; a mirror answers under the same paths."""


def pull_memfail(
    out: Path,
    revision: str = "main",
    endpoint: str | None = None,
    progress: Progress | None = None,
    terms: Terms = USUAL,
) -> Path:
    """Bring the five released files into a folder, with `pull.json` saying which they are; returns the folder.

    The files arrive beside their places and move there once all of them have been read without a problem,
    so a pull that fails leaves earlier data as it was, and the next one continues where it broke off.
    """
    places = {dataset: csv_path(Path(), dataset).as_posix() for dataset in DATASETS}
    datasets = {f"datasets/{place}": dataset for dataset, place in places.items()}

    def read(file: Downloaded) -> dict[str, object]:
        dataset = datasets[file.file]
        with must_be(f"a {dataset} file of MemFail", file):
            return {"dataset": dataset, "rows": len(read_rows(file.path, dataset))}

    base = f"{hub.endpoint(RAW_FILES, endpoint)}/{REPOSITORY}"
    files = {served: places[dataset] for served, dataset in datasets.items()}
    return Pull("memfail", base, revision, out, progress, terms).fetch_all(files, read)
