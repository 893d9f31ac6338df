"""Worker processes of this machine, and the lines to them.

On Linux one process imports what all need and forks; elsewhere each is started by itself. The first has no thread and
nothing of the run's, so that a fork takes along nothing that could be held or half done.
"""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any

from memtriage.cluster.shipping import Shipped
from memtriage.host.environment import child_environment

_START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from memtriage.cluster.local_worker import main
main(json.loads(sys.argv[2]))
"""

_GOODBYE = 5.0
"""Seconds that a process has to end by itself, so that the time it took is added to that of the run."""


@dataclass(frozen=True, slots=True)
class Line:
    """What goes to a worker and what comes from it, pickled. A worker whose line is closed ends at once."""

    to: IO[bytes]
    back: IO[bytes]

    def say(self, message: Any) -> None:
        """Send something; whoever listens finds out if nobody is there."""
        with suppress(OSError, ValueError):
            pickle.dump(message, self.to, pickle.HIGHEST_PROTOCOL)
            self.to.flush()

    def close(self) -> None:
        with suppress(OSError):
            self.to.close()


class Pool:
    """So many workers, started now; `systems` are what they will build, so that they can load it at once."""

    def __init__(self, count: int, systems: Collection[Shipped] = ()) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self.lines: list[Line] = []
        self.used = False
        """Whether anything was asked of them; if not, they may still be loading, and nobody waits for that."""
        groups = [count] if sys.platform == "linux" else [1] * count
        for size in groups:
            self._start(size, systems)

    def _start(self, size: int, systems: Collection[Shipped]) -> None:
        pairs = [(os.pipe(), os.pipe()) for _ in range(size if sys.platform == "linux" else 0)]
        theirs = [(to[0], back[1]) for to, back in pairs]
        paths = [path or os.getcwd() for path in sys.path]
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _START, json.dumps(paths), json.dumps(theirs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL if pairs else subprocess.PIPE,
            pass_fds=[end for ends in theirs for end in ends],
            env=child_environment(),
        )
        self._processes.append(process)
        assert process.stdin is not None
        for ends in theirs:
            for end in ends:
                os.close(end)
        first = Line(process.stdin, process.stdin if process.stdout is None else process.stdout)
        first.say(list(systems))
        if pairs:
            self.lines += [Line(os.fdopen(to[1], "wb"), os.fdopen(back[0], "rb")) for to, back in pairs]
        else:
            self.lines.append(first)

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for line in self.lines:
            line.close()  # forks end by themselves then
        for process in self._processes:
            try:
                process.wait(_GOODBYE if self.used else 0)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            assert process.stdin is not None
            with suppress(OSError):
                process.stdin.close()
        for line in self.lines:
            with suppress(OSError, ValueError):
                line.back.read()  # until nobody is left who could write
                line.back.close()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
