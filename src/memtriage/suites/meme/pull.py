"""Download MEME's released files, check that they can be read, and note what they are.

>>> pull_meme(Path("data/meme"), revision="main")   # doctest: +SKIP
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from memtriage.errors import BadInput
from memtriage.suites.hub import Downloaded, Progress, download, endpoint
from memtriage.suites.meme import files

DATASET = "meme-benchmark/MEME"
HUB = "https://huggingface.co"
"""Where the dataset is served; a mirror answers under the same paths."""

RELEASED = ("meme_filler32k.json", "meme_nofiller.json", "meme_filler128k.json")

_STAGE = ".incoming"


def pull_meme(
    out: Path,
    revision: str = "main",
    mirror: str | None = None,
    progress: Progress | None = None,
    names: Sequence[str] = RELEASED,
) -> Path:
    """Bring released files into a folder, with `pull.json` saying which they are; returns the folder.

    The files arrive beside their places and move there once all of them have been read without a problem, so that a
    pull that fails leaves earlier data as it was, and the next one continues where it broke off.
    """
    base = f"{endpoint(HUB, mirror)}/datasets/{DATASET}/resolve"
    stage = out / _STAGE
    arrived = download(base, tuple(names), revision, stage, progress=progress)
    rows = [_read(file) for file in arrived]
    (out / "pull.json").unlink(missing_ok=True)  # it must not describe the new files, should moving them break off
    for file in arrived:
        file.path.replace(out / file.file)
    shutil.rmtree(stage)
    files.write_json(out / "pull.json", _record(arrived, rows, base, revision))
    return out


def _read(file: Downloaded) -> int:
    """The number of its episodes; a file that can't be read is thrown away and named."""
    try:
        return len([entry.told().skeleton.id for entry in files.read(files.Source(file.path))])
    except BadInput as error:
        file.path.unlink(missing_ok=True)
        raise BadInput(f"{file.url} arrived, but is not a file of MEME: {error}") from error


def _record(arrived: Sequence[Downloaded], rows: Sequence[int], base: str, revision: str) -> dict[str, object]:
    return {
        "suite": "meme",
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": revision,
        "url": base,
        "files": [
            {"path": file.file, "url": file.url, "sha256": file.sha256, "size": file.size, "episodes": count}
            for file, count in zip(arrived, rows, strict=True)
        ],
    }
