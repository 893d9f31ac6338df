"""Libraries in environments of their own: real virtual environments, real pip, a wheel made by hand."""

from __future__ import annotations

import errno
import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from conftest import without_locks
from memtriage.cli.systems import systems_app
from memtriage.core.errors import BadSystem
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.libraries.doctor import CheckResult, examine
from memtriage.systems.libraries.environments import Installed, Progress
from tiny_library import Tiny, tiny, wheel


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """The tiny library, not installed."""
    return tiny(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Tiny, Installed, list[Progress]]]:
    """The tiny library, installed once for all the tests that only look at it."""
    with pytest.MonkeyPatch.context() as patch:
        made = tiny(tmp_path_factory.mktemp("tiny"), patch)
        seen: list[Progress] = []
        yield made, environments.install(made.library, progress=seen.append), seen


@pytest.fixture
def there(shared: tuple[Tiny, Installed, list[Progress]]) -> Iterator[Tiny]:
    """The installed tiny library; what a test does to its record, lock or script is undone."""
    made, _, _ = shared
    library = made.library
    kept = [library.lock, library.script, environments.folder(library) / "installed.json"]
    before = [path.read_bytes() for path in kept]
    yield made
    for path, text in zip(kept, before, strict=True):
        path.write_bytes(text)


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(systems_app, list(words))
    assert result.exit_code == code, result.output
    return result.output


def outcomes(findings: list[CheckResult]) -> dict[str, str]:
    return {finding.what: finding.outcome for finding in findings}


# where


def test_the_home_is_memtriage_home_then_the_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMTRIAGE_HOME", str(tmp_path / "own"))
    assert environments.home() == tmp_path / "own"
    monkeypatch.setenv("MEMTRIAGE_HOME", " ")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert environments.home() == tmp_path / "memtriage"
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert environments.home() == tmp_path / "me" / ".cache" / "memtriage"


# install


def test_an_install_is_recorded_and_shows_its_steps(shared: tuple[Tiny, Installed, list[Progress]]) -> None:
    made, record, seen = shared
    library = made.library
    assert (record.name, record.package, record.version) == ("tiny-mem", "tiny_mem", "1.0")
    assert record.lock == environments.lock_hash(library)
    assert 10_000 < record.bytes <= environments.size(library)
    assert record.seconds > 0
    assert environments.status(library) == environments.Status("installed", "", record)
    assert list(dict.fromkeys(p.step for p in seen)) == [
        "making the environment",
        "fetching packages",
        "unpacking packages",
        "checking",
    ]
    assert [p.packages for p in seen if p.step == "fetching packages"] == [0, 1, 2]
    assert {p.of for p in seen} == {2}
    assert [p.seconds for p in seen] == sorted(p.seconds for p in seen)
    assert "tiny_dep" in environments.log(library).read_text()
    assert environments.versions(library)[1]["tiny-mem"] == "1.0"


def test_a_whole_install_is_not_made_again(there: Tiny) -> None:
    before = environments.python(there.library).lstat().st_mtime_ns
    said = run("install", "tiny-mem")
    assert "TinyMem 1.0 is installed already" in said
    assert environments.python(there.library).lstat().st_mtime_ns == before


def test_a_file_with_another_hash_is_refused_and_nothing_is_left(fresh: Tiny) -> None:
    fresh.pin(("tiny_mem", "1.0"), hashed="0" * 64)
    with pytest.raises(BadSystem, match=r"installing tiny-mem failed: .*memtriage systems install tiny-mem") as told:
        environments.install(fresh.library)
    assert str(environments.log(fresh.library)) in str(told.value)
    assert "hash" in environments.log(fresh.library).read_text().lower()
    assert environments.status(fresh.library).state == "absent"
    assert [path.name for path in environments.folder(fresh.library).iterdir()] == ["install.log"]


def test_ctrl_c_leaves_nothing_and_says_how_to_go_on(fresh: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    real = environments.install

    def stopped(library: Any, *, progress: Any, force: bool) -> Installed:
        def stop(at: Progress) -> None:
            if at.packages:
                raise KeyboardInterrupt

        return real(library, progress=stop, force=force)

    monkeypatch.setattr(environments, "install", stopped)
    said = run("install", "tiny-mem", code=130)
    assert "start again with: memtriage systems install tiny-mem" in said
    assert environments.status(fresh.library).state == "absent"
    assert not (environments.folder(fresh.library) / "venv").exists()


def test_an_environment_without_its_record_is_not_installed(fresh: Tiny) -> None:
    environments.python(fresh.library).parent.mkdir(parents=True)
    environments.python(fresh.library).write_text("")
    now = environments.status(fresh.library)
    assert (now.state, now.why) == ("incomplete", "its install did not finish")
    (environments.folder(fresh.library) / "installed.json").write_text('{"name": "tiny-mem", "ver')
    assert environments.status(fresh.library).state == "incomplete"


def test_two_installs_at_once_are_locked_out(there: Tiny) -> None:
    with (environments.folder(there.library).parent / ".tiny-mem.busy").open("wb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        said = run("install", "tiny-mem", code=1)
        assert "tiny-mem is being installed or removed by another memtriage" in said
        assert "another memtriage" in run("remove", "tiny-mem", "--yes", code=1)
    assert environments.status(there.library).state == "installed"


def test_a_home_without_locks_is_refused_with_the_reason(fresh: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    without_locks(monkeypatch, errno.ENOLCK)
    said = run("install", "tiny-mem", code=1)
    assert f"can't be locked ({os.strerror(errno.ENOLCK)}); choose a folder on another disk with MEMTRIAGE_HOME" in said


def test_what_can_not_be_had_is_refused_with_the_reason(fresh: Tiny) -> None:
    entry = fresh.adapters / "gone.toml"
    text = (fresh.adapters / "tiny-mem.toml").read_text().replace("tiny-mem", "gone")
    entry.write_text('unavailable = "its maker took it down; use tiny-mem"\n' + text)
    assert "its maker took it down; use tiny-mem" in run("install", "gone", code=1)
    assert "its maker took it down" in " ".join(run("doctor", "gone", code=1).split())


def test_what_a_library_stands_on_is_installed_where_it_can_not_be_had_itself(fresh: Tiny) -> None:
    text = (fresh.adapters / "tiny-mem.toml").read_text().replace('name = "tiny-mem"', 'name = "from-source"')
    text = text.replace('package = "tiny_mem"\nversion = "1.0"', 'package = ""\nversion = ""')
    (fresh.adapters / "from-source.toml").write_text('unavailable = "clone it and name the folder"\n' + text)
    (fresh.adapters / "from-source.py").write_text(fresh.library.script.read_text())
    (fresh.adapters / "locks" / "from-source.lock").write_text(fresh.library.lock.read_text())
    said = run("install", "from-source")
    assert "TinyMem installed, 2 packages" in said
    assert "note: clone it and name the folder" in said
    assert "clone it and name the folder" in run("doctor", "from-source")


def test_what_comes_first_does_not_outlast_the_lock(fresh: Tiny) -> None:
    wheel(fresh.wheels, "tiny_dep", "0.4")
    entry = fresh.adapters / "tiny-mem.toml"
    entry.write_text('first = ["tiny_dep==0.4"]\n' + entry.read_text())
    catalog.read.cache_clear()
    seen: list[Progress] = []
    environments.install(fresh.library, progress=seen.append)
    assert [p.step for p in seen][:3] == [
        "making the environment",
        "installing tiny_dep==0.4 first",
        "fetching packages",
    ]
    assert environments.versions(fresh.library)[1]["tiny-dep"] == "0.3"


def test_unknown_names_are_told_before_anything_is_done(fresh: Tiny) -> None:
    assert "did you mean 'tiny-mem'" in run("install", "tiny-mem", "tiny-mum", code=1)
    assert not environments.folder(fresh.library).exists()
    assert "comes with memtriage" in run("install", "bm25", code=1)


def test_other_pins_or_another_python_make_an_install_outdated(there: Tiny) -> None:
    there.library.lock.write_text(there.library.lock.read_text() + "\n# other\n")
    now = environments.status(there.library)
    assert (now.state, now.why) == ("outdated", "installed with other pins (tiny_mem 1.0)")
    assert outcomes(examine(there.library))["install"] == "problem"


def test_an_install_for_another_python_is_outdated(there: Tiny) -> None:
    path = environments.folder(there.library) / "installed.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "python": "3.2.1"}))
    assert "installed for Python 3.2; this is Python 3." in environments.status(there.library).why


def test_an_outdated_install_is_made_anew_and_removed_at_last(fresh: Tiny) -> None:
    environments.python(fresh.library).parent.mkdir(parents=True)
    stale = environments.folder(fresh.library) / "venv" / "stale"
    stale.write_text("")
    said = run("install", "tiny-mem")
    assert "tiny-mem: TinyMem 1.0 installed, 2 packages" in said
    assert not stale.exists()
    assert CliRunner().invoke(systems_app, ["remove", "tiny-mem"], input="n\n").exit_code == 1
    assert environments.status(fresh.library).state == "installed"
    assert "removed tiny-mem" in run("remove", "tiny-mem", "--yes")
    assert not environments.folder(fresh.library).exists()
    assert "not installed" in run("remove", "tiny-mem", "--yes")


# doctor


def test_the_doctor_finds_a_package_that_is_not_as_pinned(there: Tiny) -> None:
    found = next(environments.folder(there.library).rglob("tiny_dep-0.3.dist-info"))
    moved = found.rename(found.with_name("elsewhere"))
    try:
        problems = [finding for finding in examine(there.library) if finding.outcome == "problem"]
    finally:
        moved.rename(found)
    assert [(finding.what, finding.seen) for finding in problems] == [
        ("packages", "tiny-dep is missing, pinned is 0.3"),
    ]
    assert problems[0].mend == "memtriage systems install tiny-mem --force"


def test_the_doctor_tells_what_is_needed_and_what_is_not_set(there: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    told = {(finding.outcome, finding.what): finding for finding in examine(there.library)}
    assert "--embed" in told["ok", "needs"].seen
    assert told["warning", "variable"].seen == "TINY_KEY is not set: the key of the tiny service"
    monkeypatch.setenv("TINY_KEY", "x")
    assert ("warning", "variable") not in {(f.outcome, f.what) for f in examine(there.library)}


def test_the_doctor_lets_the_adapter_speak(there: Tiny) -> None:
    told = [(finding.outcome, finding.what, finding.seen) for finding in examine(there.library)]
    assert ("ok", "adapter", "answers as tiny-mem 1.0") in told
    assert ("warning", "notice", "tiny-mem has no sense of time") in told


def test_the_doctor_shows_why_an_adapter_does_not_start(there: Tiny) -> None:
    there.library.script.write_text("import tiny_mem_gone\n")
    problem = next(finding for finding in examine(there.library) if finding.what == "adapter")
    assert problem.outcome == "problem"
    assert "tiny_mem_gone" in problem.seen


def test_the_doctor_looks_at_all_that_is_installed(there: Tiny) -> None:
    assert "2 as pinned" in run("doctor")
    found = json.loads(run("doctor", "--json"))
    assert {each["outcome"] for each in found["tiny-mem"]} == {"ok", "warning"}


def test_the_doctor_has_nothing_to_do_where_nothing_is_installed(fresh: Tiny) -> None:
    assert "no library is installed" in run("doctor")
    assert "memtriage systems install tiny-mem" in run("doctor", "tiny-mem", code=1)


# data beside packages

DATA = """
import pathlib, sys
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True)
(folder / "words.txt").write_text(" ".join(sys.argv[2:]))
print("missing: the large model; name it with TINY_MODEL")
"""


def test_data_is_fetched_after_the_packages_and_what_is_missing_is_said(fresh: Tiny) -> None:
    fresh.library.data_script.write_text(DATA)
    assert "note: the large model; name it with TINY_MODEL" in run("install", "tiny-mem")
    assert " -m pip " in (environments.folder(fresh.library) / "data" / "words.txt").read_text()
    assert environments.status(fresh.library).installed == environments.install(fresh.library)
    assert outcomes(examine(fresh.library))["data"] == "warning"
    fresh.library.data_script.write_text(
        "import sys; sys.exit('ERROR: TINY_MODEL is /nowhere, and there is no such file')"
    )
    assert "TINY_MODEL is /nowhere" in run("install", "tiny-mem", "--force", code=1)
    assert environments.status(fresh.library).state == "absent"
    assert not (environments.folder(fresh.library) / "data").exists()
