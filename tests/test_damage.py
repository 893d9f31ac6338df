"""Runs that were changed behind memtriage's back: the same result as before, or a clear refusal."""

from __future__ import annotations

import hashlib
import io
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from drills.damage import CHANGES, files_of

import memtriage
from conftest import Cli
from damage import edit_document, edit_lines, nonsense
from memtriage.config import Limits
from memtriage.core.errors import BadRun
from memtriage.models.scripted import StubServer, content
from memtriage.record.files import FILES
from memtriage.record.journal import Log, json_line, records
from memtriage.record.reader import RunReader
from memtriage.record.seal import write_seal
from memtriage.validate.audit import Audit, Labelled

DEPTHS = ("by words", "judged")
CASES = 80


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Finished runs of both depths, each with a twin of another seed, and the cache that they share."""
    folder = tmp_path_factory.mktemp("finished")
    limits = Limits(cache=folder / "cache.db")
    settings: dict[str, Any] = {
        "suite": ["memfail/coexisting", "memfail/long-hop"],
        "rows": 2,
        "k": 3,
        "limits": limits,
    }
    with StubServer(content) as server:
        models = {"answer": f"{server.url}#reader", "judge": f"{server.url}#judge"}
        for depth, more in (("by words", {}), ("judged", models)):
            for name, seed in ((depth, 42), (f"{depth} twin", 5)):
                memtriage.run("bm25", **settings, **more, seed=seed, out=folder / name).report()
    return folder


@pytest.fixture
def changed(finished: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """A fresh copy of a finished run, called `run` in the current folder."""
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(finished / "cache.db"))

    def copied(depth: str) -> Path:
        shutil.rmtree("run", ignore_errors=True)
        shutil.copytree(finished / depth, "run")
        return Path("run")

    return copied


def shown(cli: Cli, run: str = "run") -> str | None:
    """What a run shows, or None if that is refused with one sentence."""
    told = cli("show", run, "--json", code=None)
    if told.code == 0:
        return str(told.out)
    assert told.out == ""
    assert re.fullmatch(r"error: .+\n", told.err), told.err
    return None


@pytest.mark.parametrize("depth", DEPTHS)
def test_whatever_was_changed_is_named_and_never_shown_as_the_result(
    changed: Callable[[str], Path], finished: Path, cli: Cli, depth: str
) -> None:
    before = shown(cli, str(changed(depth)))
    assert before is not None
    rng = random.Random(f"damage: {depth}")
    refused = mended = 0
    for case in range(CASES):
        run = changed(depth)
        file = rng.choice(files_of(run))
        change = rng.choice(CHANGES)
        was = file.read_bytes()
        change(file, rng, finished / f"{depth} twin" / file.relative_to(run))
        if file.exists() and file.read_bytes() == was:
            continue
        what = f"{change.__name__} in {file} (case {case})"
        told = cli("verify", "run", code=None)
        assert told.code == 1, what
        assert file.name in told.err or file.name == "seal.json", (what, told.err)
        found = shown(cli)
        assert found in (None, before), what
        refused += found is None
        if case % 4 == 0 and cli("resume", "run", "-q", "--no-report", "--hold", code=None).code == 0:
            assert shown(cli) == before, f"after resume: {what}"
            mended += 1
    assert refused > CASES / 3
    assert mended


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", ["verdicts.jsonl", "stores.jsonl", "seal.json", "cost.json", "report.html"])
def test_what_can_be_made_again_is_made_again_as_it_was(
    changed: Callable[[str], Path], cli: Cli, depth: str, name: str
) -> None:
    run = changed(depth)
    file = run / name
    if not file.exists():
        pytest.skip("no model was asked")
    digest = json.loads((run / "seal.json").read_text())["digest"]
    before = file.read_bytes()
    file.write_bytes(before[: len(before) // 2])
    told = cli("verify", "run", code=1)
    assert f"run/{name}" in told.err
    assert "memtriage verify run --rebuild" in told.err
    told = cli("verify", "run", "--rebuild")
    assert f"made again: run/{name}" in told.err
    assert cli("verify", "run", "--digest", digest).out.endswith(f"digest: {digest}\n")
    if name != "report.html":  # the page says when it was made
        assert file.read_bytes() == before


@pytest.mark.parametrize("name", ["run.json", "sessions.jsonl", "journal.jsonl", "memories.jsonl", "bill.jsonl"])
def test_what_cannot_be_made_again_is_refused_by_every_command(
    changed: Callable[[str], Path], finished: Path, cli: Cli, name: str
) -> None:
    run = changed("judged")
    file = run / name
    content = file.read_bytes()
    at = content.index(b"e", len(content) // 2)
    file.write_bytes(content[:at] + b"3" + content[at + 1 :])
    told = cli("verify", "run", "--rebuild", code=1)
    assert f"run/{name}" in told.err
    assert "put the file back from a copy, or run again" in told.err
    assert file.read_bytes()[at] == ord("3")
    assert "damage" in json.loads(cli("verify", "run", "--json", code=1).out)["runs"][0]
    for command in (("resume", "run"), ("judge", "run", "--judge", "offline/another", "--hold")):
        assert cli(*command, code=1).err.startswith(f"error: run/{name}")


def test_a_cut_result_is_not_shown_and_its_records_are_counted(changed: Callable[[str], Path], cli: Cli) -> None:
    file = changed("by words") / "verdicts.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:-1]))
    said = f"run/verdicts.jsonl is damaged (it has {len(lines) - 1} records, and seal.json says {len(lines)}); "
    for command in (("show", "run"), ("report", "run"), ("compare", "run", "run"), ("explain", "run", "--failed")):
        assert said in cli(*command, code=1).err
    with pytest.raises(BadRun, match=r"seal\.json says"):
        memtriage.load("run").table()


def test_a_damaged_record_is_named_by_its_line(changed: Callable[[str], Path], cli: Cli) -> None:
    file = changed("by words") / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"snapshot", b"snapshut", 1)
    file.write_bytes(b"".join(lines))
    place = f"run/journal.jsonl: line 3 (byte {len(lines[0] + lines[1])}) is damaged (its seal does not fit)"
    assert place in cli("show", "run", code=1).err


def test_changed_line_ends_are_called_so_and_can_be_changed_back(changed: Callable[[str], Path], cli: Cli) -> None:
    """As git does with autocrlf, and some mail programs."""
    run = changed("judged")
    sent = {file: file.read_bytes().replace(b"\n", b"\r\n") for file in (*files_of(run), run / "report.html")}
    for file, received in sent.items():
        whole = file.read_bytes()
        if received != whole:
            file.write_bytes(received)
            assert f"error: {file} is damaged (its line ends were changed to CRLF" in cli("verify", "run", code=1).err
            file.write_bytes(whole)
    for file, received in sent.items():
        file.write_bytes(received)
    told = cli("show", "run", code=1).err
    subprocess.run(told.strip().rpartition("change them back with: ")[2], shell=True, check=True)
    cli("verify", "run")


def test_the_digest_is_that_of_the_files_and_can_be_checked_without_memtriage(
    changed: Callable[[str], Path], cli: Cli
) -> None:
    run = changed("judged")
    seal = json.loads((run / "seal.json").read_text())
    sealed = seal["files"]
    listed = "".join(f"{hashlib.sha256((run / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(sealed))
    grading = json.dumps(seal["grading"], sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(f"{listed}{grading}\n".encode()).hexdigest()
    packed = {name for name in FILES if name.endswith(".zst")}  # in large runs
    assert sealed.keys() == {name for name, kind in FILES.items() if kind != "view"} - packed - {"batches.jsonl"}
    assert f"digest: {digest}" in cli("verify", "run", "--digest", digest.upper()).out
    assert f"another digest than {digest[::-1]}" in cli("verify", "run", "--digest", digest[::-1], code=1).err


def test_a_run_that_is_not_finished_is_not_shown_and_is_finished_by_resuming(
    changed: Callable[[str], Path], cli: Cli
) -> None:
    run = changed("by words")
    before = shown(cli)
    seal = (run / "seal.json").read_bytes()
    (run / "seal.json").unlink()
    for command in (("show", "run"), ("verify", "run"), ("compare", "run", "run")):
        assert (
            "run is not finished: it has no seal.json; finish it with: memtriage resume run"
            in cli(*command, code=1).err
        )
    cli("resume", "run", "-q", "--no-report")
    assert (run / "seal.json").read_bytes() == seal
    assert shown(cli) == before


def test_the_sealed_part_of_a_run_that_goes_on_must_be_as_it_was(changed: Callable[[str], Path], cli: Cli) -> None:
    run = changed("by words")
    [*_, (_, last)] = records(run / "journal.jsonl")
    with closing(Log(run / "journal.jsonl")) as journal:
        journal.append(json_line(last))  # it only grew
    assert shown(cli) is not None
    cli("resume", "run", "-q", "--no-report")
    cli("verify", "run")
    edit_lines(run / "journal.jsonl", lambda found: [*found[:-2], *found[-1:] * 9])  # longer, but another one
    assert "seal.json has another hash for it" in cli("resume", "run", code=1).err


def test_without_the_judges_replies_verdicts_are_not_made_again(
    changed: Callable[[str], Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = changed("judged")
    (run / "verdicts.jsonl").unlink()
    said = cli("verify", "run", "--rebuild", "--cache", "empty.db", code=1).err
    assert "are not in the cache; memtriage resume run asks for them again" in said
    assert not (run / "due.json").exists()
    cli("verify", "run", "--rebuild")


def test_a_study_is_verified_run_by_run(changed: Callable[[str], Path], finished: Path, cli: Cli) -> None:
    shutil.copytree(finished, "study")
    (Path("study") / "by words twin" / "stores.jsonl").write_bytes(b"")
    told = json.loads(cli("verify", "study", "--json", code=1).out)["runs"]
    assert [Path(run["path"]).name for run in told] == ["by words", "by words twin", "judged", "judged twin"]
    assert [[each["file"] for each in run["damage"]] for run in told] == [[], ["stores.jsonl"], [], []]
    cli("verify", "study", "--rebuild")
    assert "name one of them" in cli("verify", "study", "--digest", "0" * 64, code=1).err
    assert "not a run directory" in cli("verify", ".", code=1).err


# ---------------------------------------------------------------------- sealed by somebody who knows how


NONSENSE: dict[str, Any] = {
    "memtriage": None,
    "suites": "memfail",
    "seed": [],
    "ks": {"a": 1},
    "answers": "yes",
    "looks": -1,
    "systems": [{"class": "x"}],
    "tasks": [],
    "episodes": [{"id": "a"}],
    "grading": {"repeats": {"ingest": 10**12, "answer": 1, "judge": 1}},
    "models": ["a"],
    "dates": 5,
}


@pytest.mark.parametrize("key", NONSENSE)
def test_a_manifest_of_nonsense_is_refused_whatever_its_seal(
    changed: Callable[[str], Path], cli: Cli, key: str
) -> None:
    run = changed("by words")
    edit_document(run / "run.json", **{key: NONSENSE[key]})
    write_seal(run, {})
    for command in ("show", "resume", "report", "verify"):
        assert f"run/run.json is damaged ({key}" in cli(command, "run", code=1).err


@pytest.mark.parametrize("key", [{}, [], 7, None])
def test_a_memory_whose_key_is_no_text_is_refused_whatever_its_seal(
    changed: Callable[[str], Path], cli: Cli, key: Any
) -> None:
    run = changed("by words")
    edit_lines(run / "memories.jsonl", lambda found: found[0].update(key=key))
    write_seal(run, {})
    for command in ("audit", "verify"):
        assert "memories.jsonl" in (said := cli(command, "run", code=1).err)
        assert "its 'key' is no text" in said


def of_kind(which: str, **changes: Any) -> Callable[[list[dict[str, Any]]], None]:
    def edit(found: list[dict[str, Any]]) -> None:
        record = next(each for each in found if each["kind"] == which)
        record.update({key: value for key, value in changes.items() if key in record})
        if isinstance(record["data"], dict):
            record["data"].update({key: value for key, value in changes.items() if key not in record})

    return edit


@pytest.mark.parametrize(
    "edit",
    [
        of_kind("snapshot", episode="nowhere"),
        of_kind("trace", system="nobody"),
        of_kind("snapshot", kind="dream"),
        of_kind("trace", probe="nothing"),
        of_kind("trace", snapshot="never"),
        of_kind("trace", retrieved=7),
        of_kind("trace", retrieved=[{"key": "none", "rank": 1}]),
        of_kind("snapshot", base="never"),
        of_kind("snapshot", added=["none"]),
        of_kind("ingest", seconds="long"),
        of_kind("ingest", data=3),
        of_kind("done", notes=4),
        of_kind("trace", k=[1]),
    ],
)
def test_records_of_nonsense_are_refused_whatever_their_seals(
    changed: Callable[[str], Path], cli: Cli, edit: Callable[[list[dict[str, Any]]], None]
) -> None:
    run = changed("by words")
    edit_lines(run / "journal.jsonl", edit)
    write_seal(run, {})
    assert re.search(r"run/(journal|memories).jsonl", cli("verify", "run", code=1).err)
    assert re.match(r"error: run/(journal|memories).jsonl", cli("resume", "run", "-q", code=1).err)


def test_a_memory_is_the_one_that_its_key_names(changed: Callable[[str], Path], cli: Cli) -> None:
    run = changed("by words")
    edit_lines(run / "memories.jsonl", lambda found: found[0].update(text="Something else."))
    write_seal(run, {})
    said = "run/memories.jsonl: line 1 (byte 0) is damaged (its key is not that of its content)"
    assert said in cli("verify", "run", code=1).err
    assert said in cli("resume", "run", "-q", code=1).err


@pytest.mark.parametrize("changes", [{"roles": 5}, {"total": {"dollars": []}}, {"bill_bytes": "all"}, {"notes": [1]}])
def test_a_bill_of_nonsense_is_refused_and_made_again(
    changed: Callable[[str], Path], cli: Cli, changes: dict[str, Any]
) -> None:
    run = changed("judged")
    edit_document(run / "cost.json", **changes)
    for command in ("show", "resume", "report", "verify"):
        assert "run/cost.json is damaged" in cli(command, "run", code=1).err
    cli("verify", "run", "--rebuild")
    cli("show", "run")


def test_a_bill_that_does_not_add_up_is_named(changed: Callable[[str], Path], cli: Cli) -> None:
    run = changed("judged")
    total = json.loads((run / "cost.json").read_text())["total"]
    edit_document(run / "cost.json", total={**total, "calls": total["calls"] + 1})
    assert "run/cost.json is damaged (it is not what bill.jsonl adds up to)" in cli("verify", "run", code=1).err
    cli("verify", "run", "--rebuild")


NONSENSE_CASES = 12


def test_audit_and_explain_bear_nonsense_that_was_sealed_anew(
    changed: Callable[[str], Path], cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunReader(run := changed("judged")) as reader, Audit(reader, 5, 1) as audit:
        probe = next(iter(reader.verdicts())).probe
        for item in audit.items:
            audit.record(Labelled(item.id, "correct", "me", "2026-01-05T09:00:00+00:00", 1.0))
    shutil.copytree(run, "labelled")
    rng, refused = random.Random("nonsense"), 0
    for case in range(NONSENSE_CASES):
        shutil.rmtree(run)
        shutil.copytree("labelled", run)
        where = nonsense(run, rng)
        for command in (
            ("audit", "run", "--agreement"),
            ("audit", "run", "--sample", "2"),
            ("explain", "run", "--failed", "--json"),
            ("explain", "run", "--probe", probe),
        ):
            monkeypatch.setattr(sys, "stdin", io.StringIO("1\nq\n"))
            told = cli(*command, code=None)
            assert told.code in (0, 1), (case, where, command)
            assert told.code == 0 or re.fullmatch(r"error: .+\n", told.err), (case, where, command, told.err)
            refused += told.code
    assert refused > NONSENSE_CASES / 2
