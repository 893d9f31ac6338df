"""Where memtriage writes: inside the run only, for the user alone, one process at a time, with nothing left over."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Cli, Place
from memtriage.core.errors import BadRun
from memtriage.host import files
from memtriage.record.reader import RunReader

RUN = ("run", "--suite", "tiny/end", "--rows", "2", "--system", "mems.py:Counted", "--k", "1", "-q", "--out")


@pytest.fixture
def run(cli: Cli, place: Place) -> Path:
    cli(*RUN, "run")
    return place.path / "run"


@pytest.fixture
def precious(place: Place) -> Path:
    """A file of the user outside the run, which nothing may touch."""
    return place.write("precious.txt", "mine\n")


@pytest.mark.parametrize(
    "name", [".lock", "journal.jsonl", "memories.jsonl", "run.json", "verdicts.jsonl", "stores.jsonl", "sessions.jsonl"]
)
def test_a_linked_file_in_a_run_is_refused_and_what_it_points_to_is_left_alone(
    cli: Cli, run: Path, precious: Path, name: str
) -> None:
    (run / name).unlink()
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
        ("memories.jsonl", "explain --probe p1"),
        ("sessions.jsonl", "explain --probe p1"),
    ],
)
def test_a_fifo_in_a_run_is_refused_and_never_waited_for(cli: Cli, run: Path, name: str, command: str) -> None:
    (run / name).unlink()
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
    said = cli("resume", "run", "-q", "--no-report", code=1).err
    assert "run/journal.jsonl: it has a second name elsewhere (a hard link)" in said
    assert backup.read_bytes() == before


def test_the_run_directory_itself_may_be_reached_through_a_link(cli: Cli, place: Place) -> None:
    (place.path / "big disk").mkdir()
    (place.path / "runs").symlink_to(place.path / "big disk")
    cli(*RUN, "runs/one")
    cli("resume", "runs/one", "-q")
    assert (place.path / "big disk" / "one" / "report.html").is_file()


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
    cli(*RUN, "fresh/run")
    run = Path("fresh/run")
    modes = {path.relative_to(run).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in run.rglob("*")}
    page = modes.pop("report.html")
    assert stat.S_IMODE(run.stat().st_mode) == 0o700
    assert modes.pop("episodes") == 0o700
    assert set(modes.values()) == {0o600}, modes
    assert page == 0o666 & ~umask  # made to be shared, and guarded by its folder until it is


def test_a_folder_that_was_there_keeps_its_mode(cli: Cli, place: Place) -> None:
    (place.path / "mine").mkdir(mode=0o755)
    (place.path / "mine").chmod(0o755)
    cli(*RUN, "mine")
    assert stat.S_IMODE((place.path / "mine").stat().st_mode) == 0o755
    assert stat.S_IMODE((place.path / "mine" / "journal.jsonl").stat().st_mode) == 0o600
