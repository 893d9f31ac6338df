"""Claims on calls: of all who share a cache, one sends a call, and the others wait for its reply.

Who waits holds nothing that others could wait for, so nobody waits for good. A claim ends with its call, whatever came
of it; with its process, if that was killed; or with its time, if nobody renews it.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Protocol

from memtriage.core.errors import BadInput

LEASE = 60.0
"""How many seconds a claim lasts unless it is renewed."""

_RENEWAL = 15.0
_FIRST_PAUSE, _LONGEST_PAUSE, _SLOWER = 0.02, 1.0, 1.5
"""Seconds between looks at somebody else's claim: at first, at most, and how much longer each is."""


class Claims(Protocol):
    """Where claims are kept: a `Cache`."""

    def claim(self, keys: Sequence[str], who: str, until: float) -> bool: ...

    def renew(self, who: str, until: float) -> None: ...

    def release(self, who: str) -> None: ...


@asynccontextmanager
async def claimed(claims: Claims, keys: Sequence[str]) -> AsyncIterator[None]:
    """Wait until nobody else asks for any of these, and be the one who does until the block ends."""
    who = f"{_machine()} {os.getpid()} {_started(os.getpid())} {uuid.uuid4().hex}"
    pause = _FIRST_PAUSE
    while not claims.claim(keys, who, time.time() + LEASE):
        await asyncio.sleep(pause)
        pause = min(_LONGEST_PAUSE, pause * _SLOWER)
    renewing = asyncio.ensure_future(_renew(claims, who))
    try:
        yield
    finally:
        renewing.cancel()
        with suppress(BadInput):  # it runs out by itself
            claims.release(who)


def has_ended(who: str, until: float) -> bool:
    """Whether a claim is of no account any more: its time is up, or its process on this machine is gone."""
    machine, _, rest = who.partition(" ")
    pid, _, rest = rest.partition(" ")
    if until < time.time() or until > time.time() + 2 * LEASE or not pid.isdecimal():
        return True
    return machine == _machine() and _started(int(pid)) != rest.partition(" ")[0]


async def _renew(claims: Claims, who: str) -> None:
    while True:
        await asyncio.sleep(_RENEWAL)
        with suppress(BadInput):
            claims.renew(who, time.time() + LEASE)


@cache
def _machine() -> str:
    """This machine since it was booted, as far as it sees processes: a container sees others than its host."""
    try:
        booted = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{booted}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname().replace(" ", "-")


def _started(pid: int) -> str:
    """When a process was started, which tells it from a later one of the same number; "gone" if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()[19]
    except (FileNotFoundError, ProcessLookupError):
        pass
    except (OSError, IndexError):
        return "unknown"
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return "gone"
    except PermissionError:
        pass
    return "unknown"
