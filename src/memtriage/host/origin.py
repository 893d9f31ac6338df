"""Where something was made: a mark under a secret that this user keeps on this machine.

The secret is a file in the user's state folder, made on first use. Whoever has it not can copy a mark, but make none:
what was changed, or was made elsewhere, has no mark that fits.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import secrets
import stat
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

MARK = "origin"

_BYTES = 32
log = logging.getLogger(__name__)


def secret_file() -> Path:
    """Where the secret is: below XDG_STATE_HOME, or the user's own state folder."""
    root = Path(os.environ.get("XDG_STATE_HOME", "").strip())
    return (root if root.is_absolute() else Path.home() / ".local" / "state") / "memtriage" / "origin"


def marked(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its mark; an empty one, which fits nothing, if no secret can be kept here."""
    try:
        mark = _mark(content, _read() or _make())
    except (OSError, ValueError, RuntimeError) as error:  # RuntimeError: the user has no home
        mark = ""
        _tell(str(error))
    return {**content, MARK: mark}


@cache
def _tell(reason: str) -> None:
    log.warning(
        "runs can't be marked as yours here (%s), so that resuming one needs its systems and models named again; "
        "to change that, set XDG_STATE_HOME to a folder that you can write to",
        reason,
    )


def made_here(content: Mapping[str, Any]) -> bool:
    """Whether this user made the content on this machine, and nobody changed it since."""
    mark = content.get(MARK)
    if not isinstance(mark, str) or not mark.isascii():
        return False
    with suppress(OSError, ValueError, RuntimeError):
        secret = _read()
        return secret is not None and hmac.compare_digest(mark, _mark(content, secret))
    return False


def _mark(content: Mapping[str, Any], secret: bytes) -> str:
    # Through JSON and back, as keys that are numbers become texts there, and sort otherwise.
    read_back = json.loads(json.dumps({key: value for key, value in content.items() if key != MARK}))
    plain = json.dumps(read_back, sort_keys=True, separators=(",", ":"))
    return hmac.new(secret, b"memtriage origin\n" + plain.encode(), hashlib.sha256).hexdigest()


def _read() -> bytes | None:
    """The secret; None if there is none yet. ValueError if others may know it."""
    file = secret_file()
    try:
        opened = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        found = os.fstat(opened)
        secret = os.read(opened, _BYTES + 1) if stat.S_ISREG(found.st_mode) else b""
    finally:
        os.close(opened)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        raise ValueError(f"others may have read or written {file}; delete it")
    if len(secret) != _BYTES:
        raise ValueError(f"{file} is damaged; delete it")
    return secret


def _make() -> bytes:
    """Make the secret, whole from the start; of several processes that try, one wins and all use its secret."""
    file = secret_file()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as opened:
            opened.write(secrets.token_bytes(_BYTES))
            opened.flush()
            os.fsync(opened.fileno())
        with suppress(FileExistsError):
            os.link(part, file)
    finally:
        part.unlink(missing_ok=True)
    secret = _read()
    if secret is None:
        raise ValueError(f"{file} vanished")
    return secret
