"""The suite's options: how much other talk there is, how dependencies are put, and where fillers come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.datasets import sha256
from memtriage.suites.kit.filler.chats import Filler
from memtriage.suites.kit.localized import OPTION, language_of, option
from memtriage.suites.kit.options import refuse_unknown
from memtriage.suites.meme.generate.assemble import parse_filler
from memtriage.suites.meme.generate.pool import read_pool
from memtriage.suites.meme.graph import PACKAGE, PHRASINGS, Phrasing
from memtriage.suites.meme.released.files import DEFAULT
from memtriage.text.language import ENGLISH

OPTIONS = {
    "filler": "tokens of other talk around what matters: none, 32k (default), 128k or a number",
    "phrasing": "how dependencies are told: explicit (default), implicit or none (no conditional at all)",
    "pool": "a JSON file of chats to take the other talk from (default: generated ones)",
    **option(PACKAGE),
}


@dataclass(frozen=True, slots=True)
class MemeOptions:
    """The parsed options; `given` names those that were not left to their defaults."""

    filler: str
    phrasing: Phrasing
    pool: Path | None
    given: frozenset[str] = frozenset()
    language: str = ENGLISH

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> MemeOptions:
        """The options as given on the command line.

        >>> MemeOptions.parse({"filler": "0"}).filler
        'none'
        """
        refuse_unknown(options, OPTIONS, "suite meme")
        phrasing = options.get("phrasing", "explicit")
        if phrasing not in PHRASINGS:
            raise BadInput(unknown("phrasing", phrasing, PHRASINGS))
        pool = options.get("pool")
        if pool and not Path(pool).is_file():
            raise BadInput(f"the pool of fillers {pool} is no file; give a JSON list of chats")
        filler = _level(options.get("filler", DEFAULT))
        return cls(filler, phrasing, Path(pool) if pool else None, frozenset(options), language_of(options, PACKAGE))

    def provenance(self) -> dict[str, object]:
        """What a run or a file records of the options."""
        pool = {} if self.pool is None else {"pool": str(self.pool), "pool_sha256": sha256(self.pool)}
        language = {OPTION: self.language} if self.language != ENGLISH else {}
        return {"filler": self.filler, "phrasing": self.phrasing, **pool, **language}

    def fillers(self) -> tuple[Filler, ...] | None:
        """The user's own fillers; None where they are generated."""
        return read_pool(self.pool) if self.pool is not None else None


def _level(text: str) -> str:
    """A filler size in its shortest spelling, so that the same size has one name.

    >>> _level("32000"), _level("1500"), _level("none")
    ('32k', '1500', 'none')
    """
    tokens = parse_filler(text)
    if not tokens:
        return "none"
    return f"{tokens // 1000}k" if tokens % 1000 == 0 else str(tokens)
