"""Download MemFail's released CSV files, check that they can be read, and note what they are.

>>> pull_memfail(Path("data/memfail"), revision="main")   # doctest: +SKIP
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from memtriage.errors import BadInput
from memtriage.suites.hub import Downloaded, Progress, download, endpoint
from memtriage.suites.memfail.files import layout, read_rows, write_file
from memtriage.suites.memfail.rows import DATASETS

REPOSITORY = "ishirgarg/MemFail"
RAW_FILES = "https://raw.githubusercontent.com"
"""Where GitHub serves a repository's files as they are; a mirror answers under the same paths."""

_STAGE = ".incoming"


def pull_memfail(
    out: Path, revision: str = "main", endpoint: str | None = None, progress: Progress | None = None
) -> Path:
    """Bring the five released files into a folder, with `pull.json` saying which they are; returns the folder.

    The files arrive beside their places and move there once all of them have been read without a problem,
    so a pull that fails leaves earlier data as it was, and the next one continues where it broke off.
    """
    base = f"{_endpoint(endpoint)}/{REPOSITORY}"
    stage = out / _STAGE
    files = {f"datasets/{place}": place for place in _places().values()}
    arrived = download(base, files, revision, stage, progress=progress)
    rows = _read(arrived)
    _move(arrived, stage, out)
    record = _record(arrived, rows, stage, base, revision)
    write_file(out / "pull.json", (json.dumps(record, indent=2) + "\n").encode())
    return out


def _endpoint(given: str | None) -> str:
    return endpoint(RAW_FILES, given)


def _places() -> dict[str, str]:
    return {dataset: layout(Path(), dataset).as_posix() for dataset in DATASETS}


def _read(arrived: Sequence[Downloaded]) -> list[int]:
    """The number of rows of each file; a file that can't be read is thrown away and named."""
    counts = []
    for dataset, file in zip(DATASETS, arrived, strict=True):
        try:
            counts.append(len(read_rows(file.path, dataset)))
        except BadInput as error:
            file.path.unlink(missing_ok=True)
            raise BadInput(f"{file.url} arrived, but is not a {dataset} file of MemFail: {error}") from error
    return counts


def _move(arrived: Sequence[Downloaded], stage: Path, out: Path) -> None:
    # the old record must not describe the new files, should moving them break off
    (out / "pull.json").unlink(missing_ok=True)
    for file in arrived:
        target = out / file.path.relative_to(stage)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.path.replace(target)
    shutil.rmtree(stage)


def _record(
    arrived: Sequence[Downloaded], rows: Sequence[int], stage: Path, base: str, revision: str
) -> dict[str, object]:
    return {
        "suite": "memfail",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision,
        "url": base,
        "files": [
            {
                "dataset": dataset,
                "path": file.path.relative_to(stage).as_posix(),
                "url": file.url,
                "sha256": file.sha256,
                "size": file.size,
                "rows": count,
            }
            for dataset, file, count in zip(DATASETS, arrived, rows, strict=True)
        ],
    }
