"""Where memtriage writes: inside the run only, for the user alone, one process at a time, with nothing left over."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Child, Cli, Place, without_locks
from damage import edit_document
from memtriage.core.errors import BadRun
from memtriage.host import files
from memtriage.host.temporary import TemporaryFolder
from memtriage.models.cache import Cache, CacheEntry
from memtriage.models.held import Waiting
from memtriage.record.manifest import claim
from memtriage.record.reader import RunReader

WITH_REPORT = ("run", "--suite", "tiny/end", "--rows", "2", "--k", "1", "-q", "--system", "mems.py:Counted", "--out")
RUN = (WITH_REPORT[0], "--no-report", *WITH_REPORT[1:])


@pytest.fixture
def run(cli: Cli, place: Place) -> Path:
    cli(*RUN, "run")
    return place.path / "run"


@pytest.fixture
def precious(place: Place) -> Path:
    """A file of the user outside the run, which nothing may touch."""
    return place.write("precious.txt", "mine\n")


@pytest.mark.parametrize(
    "name",
    (
        ".lock run.json journal.jsonl memories.jsonl sessions.jsonl verdicts.jsonl stores.jsonl "
        "cost.json bill.jsonl due.json batches.jsonl report.html"
    ).split(),
)
def test_a_linked_file_in_a_run_is_refused_and_what_it_points_to_is_left_alone(
    cli: Cli, run: Path, precious: Path, name: str
) -> None:
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(precious)
    said = cli("resume", "run", "-q", "--no-report", code=1).err
    assert f"run/{name}: it is a link, not a plain file" in said
    assert len(said.strip().splitlines()) == 1
    assert precious.read_text() == "mine\n"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("run.json", "show"),
        ("journal.jsonl", "show"),
        ("verdicts.jsonl", "show"),
        ("cost.json", "show"),
        ("bill.jsonl", "show"),
        ("due.json", "resume"),
        ("batches.jsonl", "resume"),
        ("memories.jsonl", "explain --probe p1"),
        ("sessions.jsonl", "explain --probe p1"),
    ],
)
def test_a_fifo_in_a_run_is_refused_and_never_waited_for(cli: Cli, run: Path, name: str, command: str) -> None:
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
    said = cli(*command.split(), "run", code=1).err
    assert f"run/{name}: it is not a plain file; remove it" in said


@pytest.mark.parametrize("folder", ["episodes", "stores"])
def test_a_linked_folder_in_a_run_is_refused(cli: Cli, run: Path, place: Place, folder: str) -> None:
    elsewhere = place.path / "elsewhere"
    shutil.copytree(run / "episodes", elsewhere)
    shutil.rmtree(run / folder, ignore_errors=True)
    (run / folder).symlink_to(elsewhere)
    said = cli("resume", "run", "-q", "--no-report", code=1).err
    assert f"run/{folder}: it is a link" in said
    assert sorted(file.name for file in elsewhere.iterdir()) == ["0001.json"]


@pytest.mark.parametrize("name", ["../../precious.txt", "/etc/hostname", "..", "", "a/../../../precious.txt", "x\0y"])
def test_a_name_in_a_manifest_never_leads_out_of_the_run(run: Path, precious: Path, name: str) -> None:
    with RunReader(run) as reader:
        entries = reader.manifest["episodes"]
        entries[0]["file"] = name
        with pytest.raises(BadRun, match=r"leads out of its folder"):
            list(reader.episodes())
    with pytest.raises(files.NotPlain, match="leads out of its folder"):
        files.read_inside(run, f"episodes/{name}")


def test_a_file_with_a_second_name_is_read_but_not_written_to(cli: Cli, run: Path, place: Place) -> None:
    backup = place.path / "backup.jsonl"
    os.link(run / "journal.jsonl", backup)
    before = backup.read_bytes()
    cli("show", "run")
    (run / "seal.json").unlink()  # a finished run is not written to at all
    said = cli("resume", "run", "-q", "--no-report", code=1).err
    assert "run/journal.jsonl: it has a second name elsewhere (a hard link)" in said
    assert backup.read_bytes() == before


def test_the_run_directory_itself_may_be_reached_through_a_link(cli: Cli, place: Place) -> None:
    (place.path / "big disk").mkdir()
    (place.path / "runs").symlink_to(place.path / "big disk")
    cli(*WITH_REPORT, "runs/one")
    cli("resume", "runs/one", "-q")
    assert (place.path / "big disk" / "one" / "report.html").is_file()


def test_a_fifo_in_the_place_of_what_is_due_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "due.json")
    with pytest.raises(files.NotPlain, match=r"due\.json: it is not a plain file"):
        Waiting.read(tmp_path)


def test_a_device_is_not_even_opened(tmp_path: Path) -> None:
    (tmp_path / "null").symlink_to("/dev/null")
    with pytest.raises(files.NotPlain, match="it is a link"):
        files.open_inside(tmp_path, "null", "r")
    with pytest.raises(files.NotPlain, match="it is not a plain file"):
        files.open_inside(Path("/dev"), "null", "r")
    with pytest.raises(files.NotPlain, match="it is not a plain file"):
        files.open_inside(Path("/dev"), "null", "a")


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def test_a_run_is_for_its_user_alone_whatever_the_umask(cli: Cli, umask: int) -> None:
    cli(*WITH_REPORT, "fresh/run")
    run = Path("fresh/run")
    modes = {path.relative_to(run).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in run.rglob("*")}
    page = modes.pop("report.html")
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert modes.pop("episodes") == 0o700
    assert set(modes.values()) == {0o600}, modes
    assert page == 0o666 & ~umask  # made to be shared, and guarded by its folder until it is


def test_the_cache_of_model_calls_is_for_its_user_alone(tmp_path: Path, umask: int) -> None:
    with Cache(tmp_path / "calls" / "calls.sqlite") as cache:
        cache.put("key", CacheEntry("yes", 10, 2, 0.5, "m", {}))
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in cache.path.parent.iterdir()}
    assert modes.keys() >= {"calls.sqlite", "calls.sqlite-wal", "calls.sqlite-shm"}
    assert not any(mode & 0o077 for name, mode in modes.items() if not name.endswith(".lock")), modes
    assert stat.S_IMODE(cache.path.parent.stat().st_mode) == 0o700


def test_a_folder_that_was_there_keeps_its_mode(cli: Cli, place: Place) -> None:
    (place.path / "mine").mkdir(mode=0o755)
    (place.path / "mine").chmod(0o755)
    cli(*RUN, "mine")
    assert stat.S_IMODE((place.path / "mine").stat().st_mode) == 0o755
    assert stat.S_IMODE((place.path / "mine" / "journal.jsonl").stat().st_mode) == 0o600


def test_a_saved_store_with_a_link_in_it_is_not_loaded(place: Place, precious: Path) -> None:
    place.write("kill.txt", "p1:1\n")
    (saved, *_) = _killed_with_a_saved_store(place)
    (saved / "extra").symlink_to(precious)
    assert place.start("resume", "run", "-q", "--no-report").ended().code == 0
    calls = Counter(place.calls())
    assert calls["load"] == 0
    assert {n for call, n in calls.items() if call.startswith("store")} == {2}  # it was stored again


def _killed_with_a_saved_store(place: Place) -> list[Path]:
    ended = place.start(*RUN[:-2], "mems.py:Saved", "--out", "run").ended()
    assert ended.code == -signal.SIGKILL
    return list((place.path / "run" / "stores").iterdir())


def test_what_a_killed_process_left_half_written_is_removed_by_the_next_command(place: Place, cli: Cli) -> None:
    def kill_before_the_manifest() -> None:
        replace = os.replace

        def killed(source: str, target: str, **folders: int) -> None:
            if target == "verdicts.jsonl":
                os.kill(os.getpid(), signal.SIGKILL)
            replace(source, target, **folders)

        os.replace = killed  # type: ignore[assignment]

    assert Child(place.path, (*RUN, "run"), kill_before_the_manifest).code() == -signal.SIGKILL
    run = place.path / "run"
    (left,) = run.glob(".verdicts.jsonl.*.part")
    (run / "stores").mkdir(exist_ok=True)
    (run / "stores" / "0123456789abcdef.part").mkdir()
    cli("resume", "run", "-q", "--no-report")
    assert not left.exists()
    assert not list(run.rglob("*.part"))


def test_what_a_living_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    def parts() -> Iterator[bytes]:
        yield b"one "
        files.clear_leftovers(tmp_path)  # as another process might
        yield b"two"

    files.write_inside(tmp_path, "file", parts())
    assert (tmp_path / "file").read_bytes() == b"one two"


ADAPTER = """
import os, pathlib, tempfile
from memtriage_adapter import serve

class Stuck:
    def __init__(self, settings):
        (settings.home / "library.db").write_text("half a store")
        tempfile.mkdtemp()
    def store_conversation(self, conversation):
        with open("stuck", "w"):
            pass
        with open("never", "r"):
            pass
    def retrieve_memories(self, query, conversation, k):
        return []

serve(Stuck)
"""


def test_the_next_command_removes_temporary_folders_of_a_killed_run_and_no_others(
    cli: Cli, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = place.path / "tmp"
    there.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(there))
    place.write("stuck.py", ADAPTER)
    os.mkfifo(place.path / "stuck")
    os.mkfifo(place.path / "never")
    child = place.start(*RUN[:-2], f"proc:{sys.executable} stuck.py", "--out", "run")
    (place.path / "stuck").read_text()  # returns once a store is being filled
    child.kill()
    assert child.code() == -signal.SIGKILL
    (left,) = there.iterdir()
    assert (left / "stores").exists()
    (there / "memtriage-notes").mkdir()  # somebody's own
    with TemporaryFolder("alive-") as alive:
        cli("systems")
        assert {path.name for path in there.iterdir()} == {"memtriage-notes", alive.name}
    assert [path.name for path in there.iterdir()] == ["memtriage-notes"]


def test_several_runs_into_one_folder_leave_one_good_run(cli: Cli, place: Place) -> None:
    for number in range(3):
        out = f"run{number}"
        children = [place.start(*RUN, out) for _ in range(3)]
        ended = [child.ended() for child in children]
        assert sorted(end.code for end in ended) == [0, 1, 1]
        for lost in (end.err for end in ended if end.code):
            assert len(lost.splitlines()) == 1, lost
            assert f"{out} is in use by another memtriage" in lost or f"{out} already holds a run" in lost
        cli("show", out)
        assert len((place.path / out / "verdicts.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    "command",
    [
        (*RUN, "taken"),
        ("resume", "taken"),
        ("sweep", "--suite", "tiny/end", "--rows", "2", "--system", "bm25", "--out", "taken"),
        ("judge", "run", "--judge", "stub/x", "--out", "taken"),
    ],
    ids=["run", "resume", "sweep", "judge"],
)
def test_a_folder_that_another_process_works_in_is_refused_before_anything_is_written(
    cli: Cli, run: Path, command: tuple[str, ...]
) -> None:
    taken = run.with_name("taken")
    if command[0] == "resume":
        shutil.copytree(run, taken)
    with claim(taken):
        before = sorted(taken.rglob("*"))
        assert "taken is in use by another memtriage; wait for it, or stop it" in cli(*command, code=1).err
        assert sorted(taken.rglob("*")) == before


def test_a_folder_named_in_a_sweep_never_leads_out_of_it(cli: Cli, place: Place) -> None:
    cli("sweep", "--suite", "tiny/end", "--rows", "2", "--system", "bm25", "--out", "swept", "-q")
    file = place.path / "swept" / "sweep.json"
    [cell] = json.loads(file.read_text())["cells"]
    edit_document(file, cells=[{**cell, "folder": "../precious"}])
    assert "'../precious' is not the name of a folder beside it" in cli("show", "swept", code=1).err


@pytest.mark.parametrize("reason", [errno.ENOLCK, errno.ENOTSUP])
def test_a_folder_that_cannot_be_locked_is_refused_with_the_reason(
    place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch, reason: int
) -> None:
    without_locks(monkeypatch, reason)
    said = cli("run", "--suite", "tiny/end", "--rows", "2", "--k", "1", "--system", "bm25", "--out", "run", code=1).err
    assert said.endswith(f"error: run can't be locked ({os.strerror(reason)}); choose a folder on another disk\n")
