"""Runs that are killed, interrupted or starved of disk, and what `memtriage resume` makes of them."""

from __future__ import annotations

import json
import resource
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conftest import Child, Cli, Place
from damage import edit_document, edit_lines, unfinished
from memtriage.models.ledger import Ledger
from memtriage.models.system_models import SystemModels
from model_server import NEVER, ModelServer

RUN = ("run", "--k", "1,3", "--looks", "3", "--no-report", "-q", "--out", "run")


def verdicts(run: Path) -> Counter[tuple[Any, ...]]:
    """What was found, without when and how fast."""
    lines = [json.loads(line) for line in (run / "verdicts.jsonl").read_text().splitlines()]
    return Counter((v["system"], v["task"], v["probe"], v["k"], v["verdict"]) for v in lines)


def finish_after_kills(place: Place, system: str, suite: str, *kills: str) -> int:
    """Run with self-inflicted SIGKILLs, resuming until done; how many resumes it took."""
    place.write("kill.txt", "\n".join(kills))
    ended = place.start(*RUN, "--suite", suite, "--rows", "12", "--system", system).ended()
    resumes = 0
    while ended.code == -signal.SIGKILL:
        resumes += 1
        ended = place.start("resume", "run", "-q", "--no-report").ended()
    assert ended.code == 0, ended
    return resumes


def undisturbed(place: Place, system: str, suite: str) -> Counter[tuple[Any, ...]]:
    place.write("kill.txt", "")
    (place.path / "calls.txt").unlink(missing_ok=True)
    place.cli(*RUN[:-1], "calm", "--suite", suite, "--rows", "12", "--system", system)
    return verdicts(place.path / "calm")


@pytest.mark.parametrize(
    ("suite", "kills"),
    [
        ("tiny/end", ["store:s1", "store:s7", "p1:1", "p3:3", "p12:3"]),
        ("tiny/along", ["store:s1", "p1:1", "store:s7", "p9:3", "p2:1", "p12:3"]),
    ],
)
def test_a_run_killed_again_and_again_ends_in_the_same_verdicts(place: Place, suite: str, kills: list[str]) -> None:
    system = "mems.py:Counted"
    assert finish_after_kills(place, system, suite, *kills) == len(kills)
    asked = Counter(call for call in place.calls() if call.startswith("ask"))
    assert len(asked) == 24
    assert set(asked.values()) == {1}, "a probe was asked twice at the same k"
    assert verdicts(place.path / "run") == undisturbed(place, system, suite)


@pytest.mark.parametrize("suite", ["tiny/end", "tiny/along"])
def test_a_saved_store_is_loaded_and_not_stored_again(place: Place, suite: str) -> None:
    system = "mems.py:Saved"
    assert finish_after_kills(place, system, suite, "p2:1", "p4:3") >= 1
    calls = Counter(place.calls())
    assert calls["save"] == 1
    assert calls["load"] >= 1
    stores = [n for call, n in calls.items() if call.startswith("store")]
    assert stores == [1] * 12
    assert {n for call, n in calls.items() if call.startswith("ask")} == {1}
    assert not (place.path / "run" / "stores").exists() or not list((place.path / "run" / "stores").iterdir())
    assert verdicts(place.path / "run") == undisturbed(place, system, suite)


def test_a_store_killed_while_it_was_being_saved_is_not_loaded_half(place: Place) -> None:
    """Half of the memories are on disk when the kill comes; loading them would look like a loss of the system's."""
    assert finish_after_kills(place, "mems.py:Saved", "tiny/end", "save") == 1
    assert verdicts(place.path / "run") == undisturbed(place, "mems.py:Saved", "tiny/end")


UUIDS = """
import uuid
from dataclasses import replace
from mems import Counted, Saved


class Renames:
    def store_conversation(self, conversation):
        super().store_conversation(conversation)
        self.kept[-1] = replace(self.kept[-1], id=str(uuid.uuid4()))


class Uuids(Renames, Counted):
    pass


class SavedUuids(Renames, Saved):
    pass
"""


@pytest.mark.parametrize("name", ["Uuids", "SavedUuids"])
def test_memories_that_are_named_anew_each_time_make_no_difference(place: Place, name: str) -> None:
    """Stored twice, the same text has two ids; what was asked of the first store is judged by the first store."""
    place.write("uuids.py", UUIDS)
    kills = ("store:s6", "p9:3", "p2:3", "p11:1")
    assert finish_after_kills(place, f"uuids.py:{name}", "tiny/along", *kills) == 4
    assert verdicts(place.path / "run") == undisturbed(place, f"uuids.py:{name}", "tiny/along")


def test_a_kill_before_the_manifest_leaves_a_directory_that_can_be_used(place: Place) -> None:
    (place.path / "run" / "episodes").mkdir(parents=True)
    place.write("run/episodes/0001.json.part", "{")
    assert "not a run" in place.cli("resume", "run", code=1).err
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "4", "--system", "none")
    assert sum(verdicts(place.path / "run").values()) == 8


def test_a_finished_store_is_left_alone_when_another_is_killed(place: Place) -> None:
    place.write("kill.txt", "p5:1\n")
    other = place.write("other.py", "from mems import Keeps, log\n\n\nclass Other(Keeps):\n"
                        "    def store_conversation(self, c):\n        log('other.txt', c.id)\n"
                        "        super().store_conversation(c)\n")  # fmt: skip
    systems = ("--system", f"{other.name}:Other", "--system", "mems.py:Counted")
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "12", *systems, code=-signal.SIGKILL)
    place.cli("resume", "run", "-q", "--no-report")
    assert len((place.path / "other.txt").read_text().splitlines()) == 12
    assert len(verdicts(place.path / "run")) == 12 * 2 * 2


def test_errors_of_sessions_and_their_notes_survive_a_kill(place: Place) -> None:
    """What an earlier attempt noted is still told at the end, though only the resumed one gets there."""
    place.write("kill.txt", "p9:1")
    place.write("bad.py", "from mems import Saved\n\n\nclass Bad(Saved):\n"
                "    def store_conversation(self, c):\n        if c.id == 's3':\n"
                "            raise RuntimeError('no room')\n        super().store_conversation(c)\n")  # fmt: skip
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "12", "--system", "bad.py:Bad", code=-signal.SIGKILL)
    told = place.cli("resume", "run", "-q", "--no-report", code=1)
    assert "s3" in told.err
    assert "no room" in told.err
    lost = [key for key in verdicts(place.path / "run") if key[-1] == "error"]
    assert sorted(lost) == [("bad.py:Bad", "tiny/end", "p3", 1, "error"), ("bad.py:Bad", "tiny/end", "p3", 3, "error")]


@pytest.fixture
def finished(place: Place) -> Place:
    """A finished run of the counted system."""
    place.write("kill.txt", "")
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "6", "--system", "mems.py:Counted")
    return place


def test_resuming_a_finished_run_changes_nothing(finished: Place) -> None:
    run, calls = finished.path / "run", finished.calls()
    before = {name: (run / name).read_bytes() for name in ("journal.jsonl", "memories.jsonl", "verdicts.jsonl")}
    finished.cli("resume", "run", "-q", "--no-report")
    assert {name: (run / name).read_bytes() for name in before} == before
    assert finished.calls() == calls


@pytest.mark.parametrize("cut", [1, 7, 200])
def test_a_truncated_last_line_is_cut_off_and_done_again(finished: Place, cut: int) -> None:
    journal = unfinished(finished.path / "run") / "journal.jsonl"
    before = verdicts(finished.path / "run")
    journal.write_bytes(journal.read_bytes()[:-cut])
    finished.cli("resume", "run", "-q", "--no-report")
    assert verdicts(finished.path / "run") == before
    assert all(json.loads(line) for line in journal.read_text().splitlines())


def test_a_truncated_last_memory_is_recorded_again(finished: Place) -> None:
    run = unfinished(finished.path / "run")
    before = verdicts(run)
    journal = (run / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (run / "journal.jsonl").write_bytes(journal[0])
    (run / "memories.jsonl").write_bytes((run / "memories.jsonl").read_bytes()[:-9])
    finished.cli("resume", "run", "-q", "--no-report")
    assert verdicts(run) == before


def test_damage_in_the_middle_is_named(finished: Place) -> None:
    journal = finished.path / "run" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + b'{"kind": "sna\n' + b"".join(lines[2:]))
    told = finished.cli("resume", "run", code=1)
    assert "journal.jsonl" in told.err
    assert str(len(lines[0])) in told.err


@pytest.mark.parametrize(
    "line", [b"5\n", b"{}\n", b'{"kind": "trace"}\n', b"null\n", b'{"kind":"done","seal":"0123456789abcdef"}\n']
)
def test_a_line_that_is_not_a_record_is_named(finished: Place, line: bytes) -> None:
    with (finished.path / "run" / "journal.jsonl").open("ab") as file:
        file.write(line)
    assert "journal.jsonl" in finished.cli("show", "run", code=1).err


def test_a_letter_changed_in_a_memory_is_named_and_not_graded(finished: Place) -> None:
    memories = finished.path / "run" / "memories.jsonl"
    memories.write_bytes(memories.read_bytes().replace(b"attic", b"Attic", 1))
    assert "memories.jsonl" in finished.cli("resume", "run", code=1).err


def edit_manifest(place: Place, **changes: Any) -> None:
    edit_document(unfinished(place.path / "run") / "run.json", **changes)


def test_a_manifest_edited_after_the_start_is_refused_with_the_difference(finished: Place) -> None:
    edit_manifest(finished, ks=[1, 5])
    told = finished.cli("resume", "run", code=1)
    assert "ks" in told.err
    assert "[1, 3]" in told.err
    assert "[1, 5]" in told.err


@pytest.mark.parametrize(
    ("changes", "said"), [({"format": "memtriage.run/9"}, "memtriage.run/9"), ({"format": None}, "version")]
)
def test_another_format_is_refused(finished: Place, changes: dict[str, Any], said: str) -> None:
    edit_manifest(finished, **changes)
    for command in ("resume", "show", "report"):
        assert said in finished.cli(command, "run", code=1).err


def test_a_run_of_another_version_is_not_continued(finished: Place) -> None:
    edit_manifest(finished, memtriage="0.0.1")
    edit_lines(finished.path / "run" / "journal.jsonl", lambda found: found[0]["manifest"].update(memtriage="0.0.1"))
    assert "0.0.1" in finished.cli("resume", "run", code=1).err


def test_an_edited_plug_in_is_refused_until_it_is_named(finished: Place) -> None:
    source = finished.path / "mems.py"
    source.write_text(source.read_text() + "\n# a change\n")
    told = finished.cli("resume", "run", code=1)
    assert "mems.py:Counted changed since the run began, so it was not imported" in told.err
    finished.cli("resume", "run", "--system", "mems.py:Counted", "-q")


def test_edited_episodes_are_refused(finished: Place) -> None:
    file = finished.path / "run" / "episodes" / "0001.json"
    file.write_text(file.read_text().replace("attic", "roof"))
    assert "0001.json" in finished.cli("resume", "run", code=1).err


def test_a_run_is_never_begun_in_a_directory_that_holds_one(finished: Place) -> None:
    told = finished.cli(*RUN, "--suite", "tiny/end", "--system", "none", code=1)
    assert "memtriage resume run" in told.err


def test_two_plug_ins_of_one_file_name_resume(place: Place) -> None:
    for folder, value in (("a", 1), ("b", 2)):
        (place.path / folder).mkdir()
        place.write(
            f"{folder}/mem.py", f"from mems import Counted\n\nVALUE = {value}\n\n\nclass M(Counted):\n    pass\n"
        )
    place.write("kill.txt", "p3:1")
    systems = ("--system", "a/mem.py:M", "--system", "b/mem.py:M")
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "6", *systems, code=-signal.SIGKILL)
    place.cli("resume", "run", "-q", "--no-report")


SLOW = """
import time
from mems import Keeps, log


class Slow(Keeps):
    def retrieve_memories(self, query, conversation, k):
        log("alive.txt", conversation.id)
        if (log.__globals__["HERE"] / "slow").exists():
            time.sleep(600)
        return super().retrieve_memories(query, conversation, k)


class SlowAsync(Slow):
    async def retrieve_memories(self, query, conversation, k):
        import asyncio

        log("alive.txt", conversation.id)
        if (log.__globals__["HERE"] / "slow").exists():
            await asyncio.sleep(600)
        return Keeps.retrieve_memories(self, query, conversation, k)
"""


def started(place: Place, system: str) -> Any:
    """A run that hangs in its first question."""
    place.write("slow.py", SLOW)
    place.write("slow", "")
    process = place.start(*RUN, "--suite", "tiny/end", "--rows", "6", "--system", f"slow.py:{system}")
    while not (place.path / "alive.txt").exists():
        assert process.running, process.ended()
    return process


def test_two_processes_on_one_run_are_refused(place: Place) -> None:
    process = started(place, "Slow")
    try:
        assert "in use" in place.cli("resume", "run", code=1).err
    finally:
        process.kill()
        process.code()
    (place.path / "slow").unlink()
    place.cli("resume", "run", "-q", "--no-report")


def test_a_reader_knows_what_a_store_that_is_done_was_asked(place: Place) -> None:
    from memtriage.record.reader import RunReader

    place.cli(*RUN, "--suite", "tiny/end", "--rows", "6", "--system", "bm25", "--system", "none")
    asked: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for line in (place.path / "run" / "journal.jsonl").read_text().splitlines():
        record = json.loads(line)
        if record["kind"] == "trace":
            unit = (record["system"], record["episode"])
            asked.setdefault(unit, []).append((record["data"]["probe"], record["data"]["k"]))
    with RunReader(place.path / "run") as reader:
        assert sorted(reader.units) == sorted(asked)
        for unit, questions in asked.items():
            assert reader.done(unit)
            assert list(reader.asked(unit)) == questions
            assert [(trace.probe, trace.k) for trace in reader.traces(unit)] == questions


def test_a_run_is_read_only_by_the_one_who_holds_it(finished: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading first and locking then would miss what another process writes in between, and do it again."""
    import memtriage
    from memtriage.pipeline import run as pipeline
    from memtriage.record.reader import RunReader

    refused: list[str] = []

    class Watched(RunReader):
        def __init__(self, path: Path, forget_errors: bool = False) -> None:
            monkeypatch.setattr(pipeline, "RunReader", RunReader)
            refused.append(finished.cli("resume", "run", code=1).err)
            super().__init__(path, forget_errors)

    monkeypatch.setattr(pipeline, "RunReader", Watched)
    memtriage.resume("run")
    assert "in use" in refused[0]


@pytest.mark.parametrize("system", ["Slow", "SlowAsync"])
def test_an_interrupt_ends_with_130_and_says_how_to_go_on(place: Place, system: str) -> None:
    process = started(place, system)
    process.kill(signal.SIGINT)
    assert "memtriage resume run" in process.ended(130).err
    (place.path / "slow").unlink()
    place.cli("resume", "run", "-q", "--no-report")
    assert len(verdicts(place.path / "run")) == 12


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_while_models_are_asked_ends_with_130_and_no_traceback(place: Place, how: signal.Signals) -> None:
    with ModelServer(lambda number, body: NEVER) as server:
        process = place.start(*RUN, "--suite", "tiny/end", "--rows", "6", "--system", "bm25", "--answer", server.spec)
        server.wait_for(1)
        process.kill(how)
        told = process.ended(130).err
    assert "Traceback" not in told
    assert "memtriage resume" in told


INTERRUPTED = """
import os
import signal
import threading
from memtriage import Traits
from mems import Keeps, log


class Interrupted(Keeps):
    traits = Traits(parallel=True)

    def store_conversation(self, conversation):
        log("stored.txt", conversation.id)
        if conversation.id == "s1":
            os.kill(os.getpid(), signal.SIGINT)
            threading.Event().wait(1)
        super().store_conversation(conversation)
"""


def test_an_interrupt_while_the_last_stores_are_waited_for_ends_their_models_before_the_bill(
    place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reply that came in between would be in the cache and not on the bill."""
    closed: list[str] = []
    for kind in (SystemModels, Ledger):
        close = kind.close
        monkeypatch.setattr(
            kind, "close", lambda self, close=close: (closed.append(type(self).__name__), close(self))[1]
        )
    place.write("interrupted.py", INTERRUPTED)
    run = (*RUN, "--suite", "tiny/end", "--rows", "12", "--system", "interrupted.py:Interrupted", "--parallel", "2")
    assert "memtriage resume run" in cli(*run, code=130).err
    assert closed[:2] == ["SystemModels", "Ledger"]
    assert (place.path / "stored.txt").read_text().split() == ["s1"]


@pytest.mark.parametrize("share", [0.02, 0.3, 0.7, 0.95])
def test_a_full_disk_is_one_message_and_resume_goes_on(place: Place, share: float) -> None:
    """A file that may not grow past a limit stands in for the disk; the journal is the largest file."""
    place.write("kill.txt", "")
    place.cli(*RUN[:-1], "calm", "--suite", "tiny/end", "--rows", "12", "--system", "mems.py:Counted")
    (place.path / "calls.txt").unlink()
    limit = int((place.path / "calm" / "journal.jsonl").stat().st_size * share)
    arguments = (*RUN, "--suite", "tiny/end", "--rows", "12", "--system", "mems.py:Counted")

    def no_room() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    told = Child(place.path, arguments, before=no_room).ended(1)
    assert [line[:6] for line in told.err.splitlines()] == ["error:"], told.err
    if (place.path / "run" / "run.json").exists():
        place.cli("resume", "run", "-q", "--no-report")
    else:
        place.cli(*arguments)
    asked = Counter(call for call in place.calls() if call.startswith("ask"))
    assert sum(asked.values()) <= 25, "only the question whose answer could not be written may be asked again"
    assert verdicts(place.path / "run") == verdicts(place.path / "calm")


OUTAGE = """
from pathlib import Path
from mems import HERE, Counted


class Flaky(Counted):
    def retrieve_memories(self, query, conversation, k):
        if (HERE / "outage").exists() and conversation.id == "query-p5":
            raise ConnectionError("the service is down")
        return super().retrieve_memories(query, conversation, k)


class Leaky(Counted):
    def store_conversation(self, conversation):
        if (HERE / "outage").exists() and conversation.id == "s7":
            raise ConnectionError("the service is down")
        super().store_conversation(conversation)
"""


def test_errors_are_tried_again_only_when_asked_for_and_only_those(place: Place) -> None:
    place.write("flaky.py", OUTAGE)
    place.write("outage", "")
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "12", "--system", "flaky.py:Flaky", code=1)
    (place.path / "outage").unlink()
    place.cli("resume", "run", "-q", "--no-report", code=1)  # an error stays an error
    before = len(place.calls())
    place.cli("resume", "run", "-q", "--no-report", "--retry-errors")
    asked = [call for call in place.calls()[before:] if call.startswith("ask")]
    assert asked == ["ask query-p5 1", "ask query-p5 3"]
    assert {verdict for *_, verdict in verdicts(place.path / "run")} == {"correct"}


def test_a_store_that_lost_a_session_is_filled_and_asked_anew(place: Place) -> None:
    place.write("flaky.py", OUTAGE)
    place.write("outage", "")
    place.cli(*RUN, "--suite", "tiny/end", "--rows", "12", "--system", "flaky.py:Leaky", code=1)
    (place.path / "outage").unlink()
    ended = place.cli("resume", "run", "-q", "--no-report", "--retry-errors")
    assert {verdict for *_, verdict in verdicts(place.path / "run")} == {"correct"}
    assert "service is down" not in ended.err
