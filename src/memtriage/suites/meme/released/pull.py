"""Download MEME's released files, check that they can be read, and record what they are.

>>> pull_meme(Path("data/meme"), revision="main")   # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memtriage.suites.kit.hub import Downloaded, Progress
from memtriage.suites.kit.pull import USUAL, Pull, Terms, dataset, must_be
from memtriage.suites.meme.released import files

DATASET = "meme-benchmark/MEME"
RELEASED = ("meme_filler32k.json", "meme_nofiller.json", "meme_filler128k.json")


def pull_meme(
    out: Path,
    revision: str = "main",
    mirror: str | None = None,
    progress: Progress | None = None,
    names: Sequence[str] = RELEASED,
    terms: Terms = USUAL,
) -> Path:
    """Download released files into a folder, with `pull.json` saying which they are; returns the folder.

    The files are moved into place once all of them have been read without a problem, so that a pull that fails leaves
    earlier data as it was, and the next one continues where it broke off.
    """
    pull = Pull("meme", dataset(DATASET, mirror), revision, out, progress, terms)
    return pull.fetch_all({name: name for name in names}, _read)


def _read(file: Downloaded) -> dict[str, object]:
    """The number of its episodes, each of which must be readable."""
    with must_be("a file of MEME", file):
        return {"episodes": len([entry.episode().skeleton.id for entry in files.read(files.EpisodeFile(file.path))])}
