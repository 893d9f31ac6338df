"""Where other people's libraries live: each in a virtual environment of its own, pinned and hashed.

An environment counts as installed only once its record is written, which is the last thing an install does.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal

from memtriage.core.errors import BadSystem
from memtriage.host.environment import installer_environment
from memtriage.systems.libraries.catalog import Library

State = Literal["installed", "outdated", "incomplete", "absent", "unavailable"]

_REDIRECTS = ("PYTHONPATH", "PYTHONHOME", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_USER", "PIP_CONSTRAINT")
"""Settings of a user that would put packages elsewhere than into the environment, or others than the pinned ones."""

_PIP = ("-I", "-u", "-m", "pip")

_VERSIONS = """
import importlib.metadata, json, platform
found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions()}
print(json.dumps({"python": platform.python_version(), "packages": found}))
"""


@dataclass(frozen=True, slots=True)
class Installed:
    """The record of a finished install."""

    name: str
    package: str
    version: str
    lock: str
    python: str
    seconds: float
    bytes: int
    date: str
    missing: tuple[str, ...] = ()
    """What the library also uses and could not be had, each with what to do."""


@dataclass(frozen=True, slots=True)
class Status:
    """Whether a library is installed here, why not, and the record of its install."""

    state: State
    why: str = ""
    installed: Installed | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an install is: `bytes` are those fetched so far, as pip tells them."""

    step: str
    packages: int
    of: int
    seconds: float
    bytes: int


def home() -> Path:
    """The folder for environments: MEMTRIAGE_HOME, or memtriage in the user's cache folder."""
    if own := os.environ.get("MEMTRIAGE_HOME", "").strip():
        return Path(own).expanduser().absolute()
    root = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(root).absolute() if root else Path.home() / ".cache") / "memtriage"


def place(name: str) -> Path:
    """The folder of a library, whether it is there or not."""
    return home() / "systems" / name


def folder(library: Library) -> Path:
    """Everything that an install of this library puts on the disk."""
    return place(library.name)


def python(library: Library) -> Path:
    """The interpreter of the library's environment, whether it is there or not."""
    return folder(library) / "venv" / "bin" / "python"


def adapter_command(library: Library) -> list[str]:
    """The command that starts the library's adapter in its environment."""
    return [str(python(library)), "-P", str(library.script)]


def log(library: Library) -> Path:
    """What pip said when the library was last installed."""
    return folder(library) / "install.log"


def size(library: Library) -> int:
    """The bytes an install takes now."""
    total = 0
    for place, _, files in os.walk(folder(library)):
        for file in files:
            with suppress(FileNotFoundError):  # something else is at work there
                total += (Path(place) / file).lstat().st_size
    return total


def command(verb: str, library: Library) -> str:
    """The command a user types."""
    return f"memtriage systems {verb} {library.name}"


def lock_hash(library: Library) -> str:
    """One hash of all that is to be installed; another one means another environment."""
    wanted = "\n".join([*library.first, _lock(library)])
    return hashlib.sha256(wanted.encode()).hexdigest()


def pins(library: Library) -> dict[str, str]:
    """Name and version of every package in the lock."""
    found = re.findall(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", _lock(library), re.MULTILINE)
    return {normal_name(name): version for name, version in found}


def normal_name(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def status(library: Library) -> Status:
    """Whether the library can be used here, and why not."""
    record = _record(library)
    if record is None:
        if not library.installable:
            return Status("unavailable", library.unavailable)
        if (folder(library) / "venv").exists():
            return Status("incomplete", "its install did not finish")
        return Status("absent", f"{library.name} is not installed")
    if not python(library).exists():
        return Status("incomplete", f"its interpreter {python(library)} is gone", record)
    if record.lock != lock_hash(library):
        return Status("outdated", f"installed with other pins ({record.package} {record.version})", record)
    if _minor(record.python) != _minor(platform.python_version()):
        running = _minor(platform.python_version())
        return Status("outdated", f"installed for Python {_minor(record.python)}; this is Python {running}", record)
    return Status("installed", "", record)


def install(
    library: Library, *, progress: Callable[[Progress], None] = lambda _: None, force: bool = False
) -> Installed:
    """Make the library's environment, unless it is there as it should be; a broken or outdated one is made anew.

    Whatever ends it early, an error or Ctrl-C, leaves nothing behind but the log.
    """
    if not library.installable:
        raise BadSystem(f"{library.name} can't be installed by name: {library.unavailable}")
    with _locked(library) as lock:
        now = status(library)
        if now.state == "installed" and now.installed and not force:
            return now.installed
        try:
            clear(library)
            with log(library).open("w", encoding="utf-8") as output:
                record = _Install(library, lock, output, progress).run()
        except OSError as error:
            clear(library)
            raise BadSystem(_unfinished(library, str(error))) from error
        except BaseException:
            clear(library)
            raise
        return record


def remove(library: Library) -> int:
    """Delete the library's environment; gives the bytes that were freed."""
    with _locked(library):
        freed = size(library)
        clear(library)
        shutil.rmtree(folder(library))
        return freed


def clear(library: Library) -> None:
    """Leave a folder with at most a log in it; the record goes first, so that no half is taken for a whole."""
    place = folder(library)
    place.mkdir(parents=True, exist_ok=True)
    (place / "installed.json").unlink(missing_ok=True)
    for part in ("venv", "data"):
        if (place / part).exists():
            shutil.rmtree(place / part)


def versions(library: Library) -> tuple[str, dict[str, str]]:
    """The Python of the environment, and every package in it with its version, as Python itself sees them."""
    done = subprocess.run(
        [python(library), "-I", "-c", _VERSIONS],
        capture_output=True,
        text=True,
        env=_environment_variables(library),
        timeout=120,
    )
    if done.returncode:
        raise BadSystem(f"{python(library)} does not run: {_last_line(done.stderr)}")
    found = json.loads(done.stdout)
    return found["python"], {normal_name(name): version for name, version in found["packages"].items() if name}


def differing(library: Library, found: Mapping[str, str]) -> list[str]:
    """The packages that differ from the lock, one line each."""
    wanted = pins(library) | ({normal_name(library.package): library.version} if library.package else {})
    return [
        f"{name} is {found.get(name) or 'missing'}, pinned is {version}"
        for name, version in sorted(wanted.items())
        if found.get(name, "").partition("+")[0] != version.partition("+")[0]
    ]


@dataclass
class _Install:
    """One install under way."""

    library: Library
    lock: IO[bytes]
    output: IO[str]
    progress: Callable[[Progress], None]
    step: str = ""
    packages: int = 0
    bytes: int = 0
    pip: list[str] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    def run(self) -> Installed:
        library = self.library
        self._begin("making the environment")
        own_pip = _can_serve_others()
        self._call([sys.executable, "-I", "-m", "venv", *["--without-pip"] * own_pip, str(folder(library) / "venv")])
        self.pip = (
            [sys.executable, *_PIP, "--python", str(python(library))] if own_pip else [str(python(library)), *_PIP]
        )
        if library.first:
            self._begin(f"installing {', '.join(library.first)} first")
            self._pip(*library.first)
        if pins(library):
            self._begin("fetching packages")
            reinstall = (
                ["--force-reinstall"] if library.first else []
            )  # what came along first has to have its hashes, too
            self._pip("--no-deps", "--require-hashes", *reinstall, "-r", str(library.lock))
        self._begin("checking")
        running, found = versions(library)
        if differences := differing(library, found):
            raise BadSystem(_unfinished(library, "; ".join(differences[:3])))
        return self._recorded(running, self._data())

    def _data(self) -> tuple[str, ...]:
        """Fetch what the library needs beside packages; gives what can't be had."""
        library = self.library
        if not library.data_script.is_file():
            return ()
        self._begin("fetching its data")
        lines = self._call(
            [str(python(library)), "-P", "-u", str(library.data_script), str(folder(library) / "data"), *self.pip]
        )
        return tuple(line.removeprefix("missing: ").strip() for line in lines if line.startswith("missing: "))

    def _recorded(self, running: str, missing: tuple[str, ...]) -> Installed:
        library = self.library
        record = Installed(
            name=library.name,
            package=library.package,
            version=library.version,
            lock=lock_hash(library),
            python=running,
            seconds=round(time.monotonic() - self.started, 1),
            bytes=size(library),
            date=datetime.now(UTC).isoformat(timespec="seconds"),
            missing=missing,
        )
        path = folder(library) / "installed.json"
        draft = path.with_suffix(".draft")
        draft.write_text(json.dumps(asdict(record), indent=1) + "\n", encoding="utf-8")
        draft.replace(path)
        return record

    def _begin(self, step: str) -> None:
        self.step = step
        self.output.write(f"## {step}\n")
        self._report()

    def _report(self) -> None:
        seconds = time.monotonic() - self.started
        self.progress(Progress(self.step, self.packages, len(pins(self.library)), seconds, self.bytes))

    def _pip(self, *arguments: str) -> None:
        quiet = ("--no-input", "--disable-pip-version-check", "--no-color", "--progress-bar", "off")
        self._call([*self.pip, "install", *quiet, *arguments])

    def _call(self, words: list[str]) -> list[str]:
        """Run a command in a session of its own: it ends when this ends, and holds the place until it has ended.

        Gives the lines that it printed.
        """
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            env=_environment_variables(self.library),
            start_new_session=True,
            pass_fds=(self.lock.fileno(),),
        )
        assert process.stdout is not None
        with process:
            try:
                lines = [self._read_output(line) for line in process.stdout]
            except BaseException:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.stdout.read()  # ends when all that it started has ended, and writes no more
                raise
        if process.returncode:
            errors = [line for line in lines if line.startswith("ERROR:")]
            raise BadSystem(_unfinished(self.library, _last_line("\n".join(errors or lines))))
        return lines

    def _read_output(self, line: str) -> str:
        self.output.write(line)
        self.output.flush()
        fetching = self.step == "fetching packages"
        if fetching and line.startswith(("Collecting ", "Processing ")):
            self.packages += 1
            self._report()
        elif fetching and line.startswith("Installing collected packages"):
            self._begin("unpacking packages")
        elif fetched := re.match(r"\s+(?:Downloading|Using cached) \S+ \(([\d.]+) (bytes|kB|MB|GB)\)", line):
            self.bytes += round(float(fetched[1]) * {"bytes": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}[fetched[2]])
        return line


def _can_serve_others() -> bool:
    """Whether this Python's pip can install elsewhere, which spares every environment a pip of its own."""
    words = [sys.executable, *_PIP, "--version"]
    printed = subprocess.run(words, capture_output=True, text=True, env=_environment_variables(), timeout=60).stdout
    found = re.match(r"pip (\d+)\.(\d+)", printed)
    return found is not None and (int(found[1]), int(found[2])) >= (22, 3)


def _unfinished(library: Library, why: str) -> str:
    kept = f"; pip's words are in {log(library)}" if log(library).exists() else ""
    return f"installing {library.name} failed: {why}{kept}; mend that and run: {command('install', library)}"


@contextmanager
def _locked(library: Library) -> Iterator[IO[bytes]]:
    """Hold a library's place for this process, and for what it starts."""
    place = folder(library).parent
    place.mkdir(parents=True, exist_ok=True)
    with (place / f".{library.name}.busy").open("wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BadSystem(
                f"{library.name} is being installed or removed by another memtriage; wait for it, or stop it"
            ) from error
        except OSError as error:
            raise BadSystem(
                f"{place} can't be locked ({error.strerror}); choose a folder on another disk with MEMTRIAGE_HOME"
            ) from error
        yield lock


def _record(library: Library) -> Installed | None:
    try:
        raw: Any = json.loads((folder(library) / "installed.json").read_text(encoding="utf-8"))
        return Installed(**{**raw, "missing": tuple(raw.get("missing", ()))})
    except (OSError, ValueError, TypeError):
        return None  # none, or not one of ours: then nothing is installed


def _lock(library: Library) -> str:
    try:
        return library.lock.read_text(encoding="utf-8")
    except FileNotFoundError:
        if not library.installable:
            return ""
        raise BadSystem(f"{library.name} has no lock at {library.lock}; install memtriage anew") from None


def _environment_variables(library: Library | None = None) -> dict[str, str]:
    seen = installer_environment(*(library.install_variables if library else ()))
    kept = {name: value for name, value in seen.items() if name not in _REDIRECTS}
    return {**kept, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}


def _minor(version: str) -> str:
    return ".".join(version.split(".")[:2])


def _last_line(text: str) -> str:
    return (text.strip().splitlines() or ["it said nothing"])[-1].removeprefix("ERROR: ").strip()[:500]
