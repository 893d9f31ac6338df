"""Download MemoryAgentBench's released files, check that they are whole, and note what they are.

>>> pull_memoryagentbench(Path("data/memoryagentbench"))   # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from memtriage.core.errors import BadInput, unknown
from memtriage.host.inputs import BadJson, loads, read_input
from memtriage.suites.kit.hub import Downloaded, Progress
from memtriage.suites.kit.pull import USUAL, Pull, Terms, dataset, must_be
from memtriage.suites.memoryagentbench.released.load import TITLES
from memtriage.suites.memoryagentbench.released.parquet import SPLITS, check

DATASET = "ai-hyz/MemoryAgentBench"
DEFAULT: tuple[str, ...] = tuple(SPLITS.values())

_MAGIC = b"PAR1"
"""How a parquet file begins and ends."""


def pull_memoryagentbench(
    out: Path,
    revision: str = "main",
    mirror: str | None = None,
    progress: Progress | None = None,
    splits: Sequence[str] = DEFAULT,
    terms: Terms = USUAL,
) -> Path:
    """Bring the files of some splits into a folder, with `pull.json` saying which they are; returns the folder.

    A file arrives beside its place and moves there once it has been found whole, so that a pull that fails leaves
    earlier data as it was, and the next one continues where it broke off. Other files in the folder stay.
    """
    for split in splits:
        if split not in DEFAULT:
            raise BadInput(unknown("split", split, DEFAULT))
    files = {f"data/{split}-00000-of-00001.parquet": f"{split}-00000-of-00001.parquet" for split in splits}
    if SPLITS["test-time-learning"] in splits:
        files[TITLES] = TITLES
    pull = Pull("memoryagentbench", dataset(DATASET, mirror), revision, out, progress, terms)
    return pull.fetch_each(files, _read)


def _read(file: Downloaded) -> dict[str, object]:
    """The number of its rows, where that can be told; the file must be whole."""
    with must_be("a file of MemoryAgentBench", file):
        return {"rows": _titles(file.path) if file.path.suffix == ".json" else _contexts(file)}


def _contexts(file: Downloaded) -> int | None:
    with file.path.open("rb") as opened:
        begin = opened.read(4)
        opened.seek(max(0, file.size - 4))
        end = opened.read(4)
    if (begin, end) != (_MAGIC, _MAGIC):
        raise BadInput("it doesn't begin and end as parquet files do")
    return check(file.path) if find_spec("pyarrow") else None


def _titles(path: Path) -> int:
    try:
        listed = loads(read_input(path))
    except BadJson as error:
        raise BadInput(f"it is no JSON ({error})") from error
    if not isinstance(listed, dict) or not listed:
        raise BadInput("it is no object with an id for each name")
    return len(listed)
