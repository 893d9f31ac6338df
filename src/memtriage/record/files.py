"""The files of a run that are read back: what each of them is, and what to do when one is damaged."""

from __future__ import annotations

from collections.abc import Mapping
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

FILES: Final[Mapping[str, Kind]] = {
    "run.json": "whole",
    SETTINGS: "whole",
    SESSIONS: "whole",
    "journal.jsonl": "appended",
    "memories.jsonl": "appended",
    "batches.jsonl": "appended",
    "bill.jsonl": "appended",
    "verdicts.jsonl": "result",
    "stores.jsonl": "result",
    "cost.json": "view",
    "due.json": "view",
    "report.html": "view",
}
"""All of them but `episodes/`, whose hashes are in run.json."""

_NOT_ALWAYS = frozenset({"batches.jsonl", "bill.jsonl", SETTINGS})
SEALED = tuple(name for name, kind in FILES.items() if kind != "view")
NEEDED = frozenset(SEALED) - _NOT_ALWAYS


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
            found = f"find {shell_word(run)} \\( -name '*.[jh]*' -o -name {SETTINGS} \\)"
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
