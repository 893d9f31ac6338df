"""The files of a run that are read back: what each of them is, and what to do when one is damaged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from memtriage.core.errors import BadRun
from memtriage.host.files import open_inside
from memtriage.host.sealed import CRLF
from memtriage.host.shell import shell_word

Kind = Literal["whole", "appended", "result", "view"]
"""`whole`: written once. `appended`: only ever grows. `result`: made by every diagnosis from these two.

A `view` is made from the others at any time, so that it has a seal of its own and no place in `seal.json`.
"""

SESSIONS: Final = "sessions.jsonl"
SETTINGS: Final = "run.toml"

PACKED: Final = ".zst"
"""What is added to the name of a file whose lines are packed (`record/lines.py`)."""

SUMMARY: Final = "summary.json"
MEMORY_CHECKS: Final = "memory_checks.jsonl"

_PLAIN: Final[Mapping[str, Kind]] = {
    "run.json": "whole",
    SETTINGS: "whole",
    SESSIONS: "whole",
    "journal.jsonl": "appended",
    "memories.jsonl": "appended",
    "batches.jsonl": "appended",
    "bill.jsonl": "appended",
    "verdicts.jsonl": "result",
    "stores.jsonl": "result",
    MEMORY_CHECKS: "result",
    SUMMARY: "result",
    "cost.json": "view",
    "due.json": "view",
    "report.html": "view",
}

PACKABLE: Final = (SESSIONS, "journal.jsonl", "memories.jsonl", "verdicts.jsonl")
"""The files that grow with a run, and are packed if they get large."""

FILES: Final[Mapping[str, Kind]] = {**_PLAIN, **{name + PACKED: _PLAIN[name] for name in PACKABLE}}
"""All of them but `episodes/`, whose hashes are in run.json."""

_NOT_ALWAYS = frozenset({"batches.jsonl", "bill.jsonl", SETTINGS, SUMMARY, MEMORY_CHECKS})
SEALED = tuple(name for name, kind in FILES.items() if kind != "view")
NEEDED = frozenset(name for name, kind in _PLAIN.items() if kind != "view") - _NOT_ALWAYS
"""The files that every finished run has, plain or packed."""


def packable(name: str) -> bool:
    """Whether the file of this name is packed if it gets large."""
    return name in PACKABLE


@dataclass(frozen=True, slots=True)
class FileSeal:
    """A file as it was when its run was finished."""

    records: int
    bytes: int
    sha256: str


class Damaged(BadRun):
    """A file of a run that is not what was written; `where` names the record, if it is known."""

    def __init__(self, file: Path, why: object, where: str = "") -> None:
        if _has_crlf(file):
            why, where = CRLF, ""
        self.file, self.why, self.where = file, str(why), where
        super().__init__(f"{file}{where and f': {where}'} is damaged ({why}); {self.remedy}")

    @property
    def rebuildable(self) -> bool:
        """Whether the file can be made again from the others."""
        return FILES.get(self.file.name) in ("result", "view") or self.file.name == "seal.json"

    @property
    def remedy(self) -> str:
        """What to do about it."""
        if self.why == CRLF:
            run = self.file.parent.parent if self.file.parent.name == "episodes" else self.file.parent
            # .json, .jsonl and .html, and no saved stores
            found = f"find {shell_word(run)} \\( -name '*.[jh]*' -o -name {SETTINGS} \\) ! -name '*{PACKED}'"
            return f"change them back with: {found} -exec perl -pi -e 's/\\r$//' {{}} +"
        if self.rebuildable:
            return f"make it again with: memtriage verify {shell_word(self.file.parent)} --rebuild"
        return "put the file back from a copy, or run again"


def _has_crlf(file: Path) -> bool:
    """Whether the file's lines end as ours never do, by a look at its first one."""
    try:
        with open_inside(file.parent, file.name, "r") as opened:
            return opened.readline(1 << 20).endswith(b"\r\n")
    except OSError:
        return False
