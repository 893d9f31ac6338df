"""memtriage's command line in a process of its own, forked from one that has imported it already."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from drills.engine import Broke

_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["drills.preloaded"])


@dataclass(frozen=True)
class Ended:
    """How a command ended (minus the signal where it was killed), and what it said."""

    code: int
    out: str
    err: str

    def clean(self, *codes: int) -> Ended:
        """The same, if it ended with one of these codes and without a traceback."""
        for sign in ("Traceback (most recent", "Exception ignored", "Fatal Python error"):
            if sign in self.err or sign in self.out:
                raise Broke(f"a traceback reached the user: {self.err[-1500:] or self.out[-1500:]}")
        if codes and self.code not in codes:
            raise Broke(
                f"ended with {self.code}, not {' or '.join(map(str, codes))}: {self.err[-800:]} {self.out[-300:]}"
            )
        return self


class Home:
    """A folder to run commands in, with a cache, a state and a place for temporary files of its own."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.path = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir(exist_ok=True, parents=True)
        self.env = {
            **{name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")},
            "HOME": str(folder / "home"),
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CACHE_HOME": str(folder / "home" / "cache"),
            "MEMTRIAGE_CACHE": str(folder / "cache.db"),
            "TMPDIR": str(self.temporary),
            "COLUMNS": "200",
            "NO_COLOR": "1",
            **env,
        }

    def start(self, *arguments: str, file_size: int | None = None) -> Command:
        """Begin a command; `file_size` is the most bytes a file may grow to."""
        return Command(self.path, arguments, self.env, file_size)

    def run(self, *arguments: str, seconds: float = 120, file_size: int | None = None) -> Ended:
        """A command, to its end."""
        return self.start(*arguments, file_size=file_size).ended(seconds)

    def processes(self) -> list[str]:
        """Command lines of processes that still work in this folder."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    place = os.readlink(entry / "cwd")
                    line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                except OSError:
                    continue
                if Path(place).is_relative_to(self.path.resolve()) and line:
                    found.append(line)
        return found


class Command:
    """A command under way."""

    _count = 0

    def __init__(self, folder: Path, arguments: tuple[str, ...], env: Mapping[str, str], file_size: int | None) -> None:
        Command._count += 1
        self._files = [folder / f".{name}-{os.getpid()}-{Command._count}" for name in ("out", "err")]
        self._process = _CONTEXT.Process(
            target=_become, args=(str(folder), arguments, dict(env), [str(file) for file in self._files], file_size)
        )
        self._process.start()

    @property
    def running(self) -> bool:
        return self._process.is_alive()

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        if self._process.pid is not None and self.running:
            os.kill(self._process.pid, number)

    def ended(self, seconds: float = 120) -> Ended:
        self._process.join(seconds)
        if self.running:
            self.kill()
            raise Broke(f"the command still ran after {seconds:g} s: {self._said()}")
        code = self._process.exitcode
        assert code is not None
        out, err = self._said()
        self._process.close()
        for file in self._files:
            file.unlink(missing_ok=True)
        return Ended(code, out, err)

    def _said(self) -> tuple[str, str]:
        out, err = (file.read_text(errors="replace") if file.exists() else "" for file in self._files)
        return out, err


def wait_until(reached: object, seconds: float = 60) -> bool:
    """Wait for something to be true; False if it doesn't become so in time."""
    assert callable(reached)
    end = time.monotonic() + seconds
    while not reached():
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def _become(
    folder: str, arguments: tuple[str, ...], env: dict[str, str], files: list[str], file_size: int | None
) -> NoReturn:
    code = 70
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.environ.clear()
        os.environ.update(env)
        os.chdir(folder)
        tempfile.tempdir = None  # that of the process it was forked from
        sys.path[:0] = env["PYTHONPATH"].split(os.pathsep) if "PYTHONPATH" in env else []
        os.umask(0o022)
        sys.argv = ["memtriage", *arguments]
        for number, name in enumerate(files, 1):
            os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        if file_size is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size))
        code = exit_code()
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    except KeyboardInterrupt:  # before or after the command itself
        code = 130
    finally:
        os._exit(code)


def exit_code() -> int:
    """Run the command that sys.argv names in this process; 70 stands for a traceback."""
    from memtriage.cli.main import main

    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    except BaseException:
        traceback.print_exc()
        return 70
    return 0
