"""Disks that are full, out of inodes or read-only, and runs that hold links, FIFOs and devices."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from drills.command import Ended, Home, wait_until
from drills.engine import Broke, Case, Part
from drills.results import findings, same

RUN = (
    "run",
    "--suite",
    "memfail/coexisting",
    "--rows",
    "6",
    "--k",
    "3,6",
    "-q",
    "--system",
    "bm25",
    "--system",
    "dense",
)
LARGE = "size=64m,nr_inodes=10000"


def prepare(shared: Path) -> None:
    """A good run, and what it finds."""
    home = Home(shared / "good")
    home.run(*RUN, "--out", "run").clean(0)
    (shared / "found.json").write_text(json.dumps(findings(home)))


@contextmanager
def disk(folder: Path, options: str) -> Iterator[Callable[[str], None]]:
    """A small disk of its own on this folder; what is yielded mounts it again with other options."""
    folder.mkdir()
    _mount("-t", "tmpfs", "-o", options, "drill", str(folder))
    try:
        yield lambda options: _mount("-o", f"remount,{options}", str(folder))
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True)


def no_room(case: Case) -> None:
    """No bytes, no inodes, no right to write, or files that may not grow: one message, and resume goes on."""
    wanted = json.loads((case.shared / "found.json").read_text())
    size = sum(file.stat().st_size for file in (case.shared / "good" / "run").rglob("*") if file.is_file())
    kinds = {"bytes": _full, "inodes": _full, "read-only": _read_only, "file size": _file_size}
    kind = list(kinds)[case.number % 4] if os.geteuid() == 0 else "file size"
    home = Home(case.folder)
    case.counts[kind] += 1
    if kind == "file size":
        _file_size(case, home, size, wanted)
    elif kind == "read-only":
        _read_only(case, home, size, wanted)
    else:
        small = f"size={max(1, int(size * case.rng.uniform(0.05, 1.2))) // 4096 * 4096 + 4096},nr_inodes=10000"
        few = f"size=64m,nr_inodes={case.rng.randrange(2, 18)}"
        _full(case, home, small if kind == "bytes" else few, wanted)


def _full(case: Case, home: Home, options: str, wanted: dict[str, object]) -> None:
    with disk(case.folder / "disk", options) as remount:
        _one_message(home.run(*RUN, "--out", "disk/run").clean(0, 1))
        remount(LARGE)
        _go_on(home, wanted, "disk/run")


def _read_only(case: Case, home: Home, size: int, wanted: dict[str, object]) -> None:
    with disk(case.folder / "disk", LARGE) as remount:
        if case.rng.random() < 0.5:  # a finished run can still be looked at
            home.run(*RUN, "--out", "disk/run").clean(0)
            remount("ro")
            same(findings(home, "disk/run"), wanted)
        else:
            running = home.start(*RUN, "--out", "disk/run")
            wait_until(lambda: (case.folder / "disk" / "run" / "journal.jsonl").exists() or not running.running)
            running.kill(signal.SIGKILL)
            running.ended()
            remount("ro")
            _one_message(home.run("resume", "disk/run", "-q").clean(1))
            _one_message(home.run(*RUN, "--out", "disk/another").clean(1))
        remount("rw")
        _go_on(home, wanted, "disk/run")


def _file_size(case: Case, home: Home, size: int, wanted: dict[str, object]) -> None:
    limit = int(size * case.rng.uniform(0.001, 0.5))
    _one_message(home.run(*RUN, "--out", "run", file_size=limit).clean(0, 1))
    _go_on(home, wanted, "run")


def _go_on(home: Home, wanted: dict[str, object], run: str) -> None:
    begun = (home.path / run / "run.json").exists()
    home.run(*(("resume", run, "-q") if begun else (*RUN, "--out", run))).clean(0)
    same(findings(home, run), wanted)


def _one_message(ended: Ended) -> None:
    lines = [line for line in ended.err.strip().splitlines() if not line.startswith("note:")]
    if ended.code and (len(lines) > 2 or not any(line.startswith("error:") for line in lines)):
        raise Broke(f"not one message: {ended.err[-1500:]}")


# ---------------------------------------------------------------------- what does not belong into a run

COMMANDS = (("show",), ("show", "--by", "fact"), ("resume", "-q"), ("report",), ("verify",), ("explain", "--failed"))


def odd_file(case: Case) -> None:
    """A link, FIFO, device or folder in the place of a file of a run: nothing outside is touched or waited for."""
    shutil.copytree(case.shared / "good", case.folder, dirs_exist_ok=True)
    home = Home(case.folder)
    run = case.folder / "run"
    precious = case.folder / "precious.txt"
    names = [file for file in sorted(run.rglob("*")) if file.is_file()] + [run / "episodes"]
    victim = case.rng.choice(names)
    copied = case.folder / "copied"
    (shutil.copytree if victim.is_dir() else shutil.copyfile)(victim, copied)
    precious.write_text("mine\n")
    shutil.rmtree(victim) if victim.is_dir() else victim.unlink()
    kind = case.rng.choice(("link", "link to itself elsewhere", "dangling link", "fifo", "device", "folder", "socket"))
    match kind:
        case "link":
            victim.symlink_to(precious)
        case "link to itself elsewhere":
            victim.symlink_to(copied)
        case "dangling link":
            victim.symlink_to(case.folder / "made-through-a-link")
        case "fifo":
            os.mkfifo(victim)
        case "device" if os.geteuid() == 0:
            os.mknod(victim, 0o666 | 0o020000, os.makedev(1, 5))  # /dev/zero
        case "socket":
            os.mknod(victim, 0o600 | 0o140000)
        case _:
            victim.mkdir()
    before = _contents(copied)
    what = f"{kind} in the place of {victim.relative_to(run)}"
    (case.folder / "what.txt").write_text(what)
    case.counts[kind] += 1
    command = case.rng.choice(COMMANDS)
    ended = home.run(command[0], "run", *command[1:], seconds=20).clean(0, 1)
    if ended.code:
        _one_message(ended)
    if (
        precious.read_text() != "mine\n"
        or _contents(copied) != before
        or (case.folder / "made-through-a-link").exists()
    ):
        raise Broke(f"written through a link: {what}: {command}")


def _contents(place: Path) -> list[bytes]:
    return [file.read_bytes() for file in ([place] if place.is_file() else sorted(place.rglob("*"))) if file.is_file()]


PARTS = (
    Part("disks", "runs without room: bytes, inodes, read-only, file size", 60, no_room, prepare=prepare),
    Part("places", "links, FIFOs, devices and folders in the place of files of a run", 200, odd_file, prepare=prepare),
)
