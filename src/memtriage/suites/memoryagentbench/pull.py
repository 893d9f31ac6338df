"""Download MemoryAgentBench's released files, check that they are whole, and note what they are.

>>> pull_memoryagentbench(Path("data/memoryagentbench"))   # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path

from memtriage.disk import why, write_whole
from memtriage.errors import BadInput, unknown
from memtriage.suites.hub import Downloaded, Progress, download, endpoint
from memtriage.suites.memoryagentbench.files import TITLES
from memtriage.suites.memoryagentbench.parquet import SPLITS, check

DATASET = "ai-hyz/MemoryAgentBench"
HUB = "https://huggingface.co"
"""Where the dataset is served; a mirror answers under the same paths."""

DEFAULT: tuple[str, ...] = tuple(SPLITS.values())

_STAGE = ".incoming"
_NOTE = "pull.json"
_MAGIC = b"PAR1"
"""How a parquet file begins and ends."""


def pull_memoryagentbench(
    out: Path,
    revision: str = "main",
    mirror: str | None = None,
    progress: Progress | None = None,
    splits: Sequence[str] = DEFAULT,
) -> Path:
    """Bring the files of some splits into a folder, with `pull.json` saying which they are; returns the folder.

    A file arrives beside its place and moves there once it has been found whole, so that a pull that fails leaves
    earlier data as it was, and the next one continues where it broke off. Other files in the folder stay.
    """
    for split in splits:
        if split not in DEFAULT:
            raise BadInput(unknown("split", split, DEFAULT))
    base = f"{endpoint(HUB, mirror)}/datasets/{DATASET}/resolve"
    stage = out / _STAGE
    files = {f"data/{split}-00000-of-00001.parquet": f"{split}-00000-of-00001.parquet" for split in splits}
    if SPLITS["test-time-learning"] in splits:
        files[TITLES] = TITLES
    for served, name in files.items():
        (arrived,) = download(base, {served: name}, revision, stage, progress=progress)
        rows = _whole(arrived)
        _note(out, name, None)  # it must not describe the new file, should moving it break off
        arrived.path.replace(out / name)
        _note(out, name, _record(arrived, name, rows, revision))
    with suppress(OSError):  # what another pull left there is kept
        stage.rmdir()
    return out


def _whole(file: Downloaded) -> int | None:
    """The number of its rows, where that can be told; a file that is no data file is thrown away and named."""
    try:
        if file.path.suffix == ".json":
            return _titles(file.path)
        with file.path.open("rb") as opened:
            begin = opened.read(4)
            opened.seek(max(0, file.size - 4))
            end = opened.read(4)
        if (begin, end) != (_MAGIC, _MAGIC):
            raise BadInput("it doesn't begin and end as parquet files do")
        return check(file.path) if find_spec("pyarrow") else None
    except BadInput as error:
        file.path.unlink(missing_ok=True)
        raise BadInput(f"{file.url} arrived, but is not a file of MemoryAgentBench: {error}") from error


def _titles(path: Path) -> int:
    try:
        listed = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise BadInput(f"it is no JSON ({error})") from error
    if not isinstance(listed, dict) or not listed:
        raise BadInput("it is no object with an id for each name")
    return len(listed)


def _record(file: Downloaded, name: str, rows: int | None, revision: str) -> dict[str, object]:
    return {
        "path": name,
        "url": file.url,
        "revision": revision,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": file.sha256,
        "size": file.size,
        "rows": rows,
    }


def _note(out: Path, name: str, record: dict[str, object] | None) -> None:
    """Write down what a file is, beside what is known of the others that are still there."""
    path = out / _NOTE
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["files"]
        others = [one for one in told if one["path"] != name and (out / str(one["path"])).is_file()]
    except (OSError, ValueError, KeyError, TypeError):
        others = []
    known = [*others, *([record] if record is not None else [])]
    try:
        write_whole(path, (json.dumps({"suite": "memoryagentbench", "files": known}, indent=2) + "\n").encode())
    except OSError as error:
        raise BadInput(f"{path} could not be written: {why(error)}") from error
