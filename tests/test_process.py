"""A memory in a process of its own: nothing is lost in silence, and nothing of it outlives memtriage."""

from __future__ import annotations

import dataclasses
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput, BadSystem, StoreLost
from memtriage.core.memory import Answered, Memory, Question
from memtriage.core.trace import Usage
from memtriage.systems.adapted import adapt, capabilities
from memtriage.systems.remote import process
from memtriage.systems.remote.connection import GUARD, SIDE
from memtriage.systems.remote.process import Process, from_text
from memtriage.systems.remote.running import close_all

ROOT = Path(__file__).parents[1]
EXAMPLE = ROOT / "examples" / "process_adapter.py"
FAST = [sys.executable, "-I", "-S"]

KEEPS = '''
import os, signal, sys, time
from memtriage_adapter import *

class Keeps:
    """Keeps every turn; finds those that contain the query."""
    def __init__(self):
        self.kept = []
    def store_conversation(self, conversation):
        self.kept += [Memory(t.id, t.text, conversation.timestamp, (t.id,), 0.5) for t in conversation.turns]
    def retrieve_memories(self, query, conversation, k):
        return [m for m in self.kept if query in m.text][:k]
    def get_all_memories(self):
        return self.kept
'''

BARE = """
import json, os, signal, subprocess, sys, time
CAPABILITIES = ["store", "retrieve", "all"]
HELLO = {"protocol": 1, "name": "bare", "version": "1.2", "notices": ["only a test"]}
def say(id, **reply):
    os.write(1, json.dumps({"id": id, **reply}).encode() + b"\\n")
kept = []
for line in sys.stdin:
    request = json.loads(line)
    id, do = request["id"], request["do"]
    if do == "hello":
        say(id, ok={**HELLO, "capabilities": CAPABILITIES})
        continue
    %s
    if do == "bye":
        break
    if do == "store":
        kept.append(request["session"]["turns"][0]["text"])
    if do == "reset":
        kept.clear()
    say(id, ok={"memories": kept} if do in ("retrieve", "all") else None)
"""


@pytest.fixture(autouse=True)
def _nothing_left() -> Iterator[None]:
    yield
    close_all()


@pytest.fixture
def written(tmp_path: Path) -> Callable[..., list[str]]:
    """Writes an adapter around the library; returns the command that runs it."""

    def write(source: str, end: str = "serve(Keeps)", name: str = "adapter.py") -> list[str]:
        file = tmp_path / name
        file.write_text(f"{KEEPS}\n{source}\n{end}\n")
        return [sys.executable, str(file)]

    return write


@pytest.fixture
def bare(tmp_path: Path) -> Callable[..., list[str]]:
    """Writes a side of the protocol without the library, with something strange in it."""

    def write(strange: str = "pass", name: str = "bare.py") -> list[str]:
        file = tmp_path / name
        file.write_text(BARE % strange.replace("\n", "\n    "))
        return [*FAST, str(file)]

    return write


def session(text: str, id: str = "s1", timestamp: str | None = "2026-03-02T09:00:00") -> Session:
    return Session(id, (Turn("user", text, f"{id}/0"),), timestamp)


def texts_of(memories: list[Memory]) -> list[str]:
    return [memory.text for memory in memories]


def running(mark: str) -> set[int]:
    """The processes that have this text among their arguments; one that has ended and waits to be seen is none."""
    found = set()
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and mark.encode() in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
        except OSError:
            continue  # it ended while we looked
    return found


def comes_true(true: Callable[[], object]) -> bool:
    """Whether something becomes true; the bound is there to fail rather than to hang, however busy the machine."""
    until = time.monotonic() + 300
    while not true():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


# What goes through, comes back


def test_the_example_of_the_docs_is_a_memory_system() -> None:
    memory = Process([sys.executable, str(EXAMPLE)], options={"window": "3"})
    for n, text in enumerate(["red kettle", "blue kettle", "green lamp", "old lamp"]):
        memory.store_conversation(session(text, f"s{n}"))
    assert texts_of(memory.retrieve_memories("which lamp is green?", session("?"), 2)) == ["green lamp", "old lamp"]
    assert memory.get_all_memories()[0] == Memory("s1/0", "blue kettle", "2026-03-02T09:00:00", ("s1/0",))
    assert (memory.name, memory.traits.parallel, len(memory.get_all_memories())) == ("NewestTurns", True, 3)


def test_the_page_about_adapters_shows_the_example() -> None:
    code = EXAMPLE.read_text().partition('"""\n\n')[2]
    page = (ROOT / "docs" / "write-an-adapter.md").read_text()
    assert code.strip() in page
    assert len([line for line in code.splitlines() if line.strip()]) <= 20


def test_ten_thousand_stores_and_a_thousand_retrievals_lose_nothing(bare: Callable[..., list[str]]) -> None:
    find = 'if do == "retrieve":\n    say(id, ok={"memories": [kept[int(request["query"])]]})\n    continue'
    memory = Process(bare(find))
    for n in range(10_000):
        memory.store_conversation(session(f"number {n}"))
    rng = random.Random(4)
    for n in rng.choices(range(10_000), k=1_000):
        assert texts_of(memory.retrieve_memories(str(n), session("?"), 1)) == [f"number {n}"]
    assert texts_of(memory.get_all_memories()) == [f"number {n}" for n in range(10_000)]


def test_any_text_arrives_as_it_was_sent(written: Callable[..., list[str]]) -> None:
    memory = Process(written(""))
    texts = ["naïve 日本語 🎈", "line\nbreaks\r\n\u2028 and \x00 \t", '{"id": 1, "ok": "no"}', "x" * 5_000_000]
    for text in texts:
        memory.store_conversation(session(text))
    memory.store_conversation(session("half a pair \ud83d"))
    assert texts_of(memory.get_all_memories()) == [*texts, "half a pair ?"]
    assert texts_of(memory.retrieve_memories("🎈", session("\udc00"), 5)) == texts[:1]


def test_scores_and_dates_of_any_kind_become_plain(written: Callable[..., list[str]]) -> None:
    source = """
import datetime
class Number:
    def __float__(self): return 0.25
class Odd(Keeps):
    def get_all_memories(self):
        at = datetime.datetime(2026, 3, 2, 9)
        yield {"memory": "a", "score": float("nan"), "created_at": at, "extra": {(1, 2): object()}}
        yield {"content": "b", "score": Number(), "id": 7, "sources": (1, 2)}
        yield "c"
"""
    a, b, c = Process(written(source, "serve(Odd)")).get_all_memories()
    assert (a.text, a.score, a.created_at) == ("a", None, "2026-03-02T09:00:00")
    assert (b.text, b.score, b.id, b.sources) == ("b", 0.25, "7", ("1", "2"))
    assert (c.text, len(c.id)) == ("c", 16)


def test_async_stores_settle_on_one_loop(written: Callable[..., list[str]]) -> None:
    source = """
import asyncio
class Later(Keeps):
    def __init__(self):
        super().__init__()
        self.tasks = []
    async def store_conversation(self, conversation):
        self.tasks.append(asyncio.create_task(self.write(conversation)))
    async def write(self, conversation):
        await asyncio.sleep(0)
        super().store_conversation(conversation)
    async def settle(self):
        await asyncio.gather(*self.tasks)
    async def retrieve_memories(self, query, conversation, k):
        return self.kept[:k]
"""
    memory = adapt(Process(written(source, "serve(Later)")))
    for n in range(5):
        memory.store_conversation(session(f"t{n}"))
    memory.settle()
    assert texts_of(memory.retrieve_memories("", session("?"), 9)) == [f"t{n}" for n in range(5)]


def test_what_a_library_prints_or_reads_does_not_touch_the_protocol(written: Callable[..., list[str]]) -> None:
    source = """
import subprocess
class Loud(Keeps):
    def store_conversation(self, conversation):
        print("storing")
        os.write(1, b"from C\\n")
        sys.__stdout__.write("kept for later")
        subprocess.run(["sh", "-c", "cat; echo from a child"])
        super().store_conversation(conversation)
"""
    memory = Process(written(source, "serve(Loud)"))
    for n in range(3):
        memory.store_conversation(session(f"t{n}"))
    assert texts_of(memory.get_all_memories()) == ["t0", "t1", "t2"]


def test_save_and_load(written: Callable[..., list[str]], tmp_path: Path) -> None:
    source = """
class Saved(Keeps):
    def save(self, path):
        (path / "kept.txt").write_text("\\n".join(m.text for m in self.kept))
    def load(self, path):
        self.kept = (path / "kept.txt").read_text().split("\\n")
"""
    command = written(source, "serve(Saved)")
    first = Process(command)
    first.store_conversation(session("kept in the attic"))
    first.save(tmp_path)
    first.close()
    second = Process(command)
    assert second.get_all_memories() == []
    second.load(tmp_path)
    assert texts_of(second.get_all_memories()) == ["kept in the attic"]


def test_notices_troubles_and_version_come_with_the_replies(written: Callable[..., list[str]]) -> None:
    source = """
import logging
logging.getLogger("lib").addHandler(LoggedTroubles())
class Sorry(Keeps):
    def store_conversation(self, conversation):
        trouble("the model refused sk-abcdefgh12345678")
        logging.getLogger("lib").error("no %s", "luck")
info = lambda settings: Info("3.1", ("semantic only",))
"""
    memory = Process(written(source, "serve(Sorry, name='sorry', prepare=info)"))
    assert (memory.name, memory.version, memory.notices()) == ("sorry", "3.1", ["semantic only"])
    memory.store_conversation(session("x"))
    assert memory.troubles() == ["the model refused [key]", "lib: no luck"]
    assert memory.troubles() == []


def test_prompts_cross_over_and_survive_a_reset(written: Callable[..., list[str]]) -> None:
    source = """
class Tuned(Keeps):
    def __init__(self):
        super().__init__()
        self.now = {"keep": "all"}
    def prompts(self):
        return self.now
    def set_prompts(self, prompts):
        self.now = prompts
"""
    command = written(source, "serve(Tuned)")
    memory, other = Process(command), Process(command)
    assert memory.prompts() == {"keep": "all"}
    memory.set_prompts({"keep": "nothing"})
    assert (memory.prompts(), other.prompts()) == ({"keep": "nothing"}, {"keep": "all"})
    memory.reset()
    assert memory.prompts() == {"keep": "nothing"}
    assert Process(written("", "serve(Keeps)", "plain.py")).prompts is None  # type: ignore[comparison-overlap]


# What the other side can do


def test_an_instance_has_what_the_other_side_has(written: Callable[..., list[str]]) -> None:
    base = {"store_conversation", "retrieve_memories", "reset"}
    blind = "class Blind(Keeps):\n    get_all_memories = None\n    def settle(self): pass"
    assert capabilities(Process(written(blind, "serve(Blind)", "a.py"))) == base | {"settle"}
    assert capabilities(Process(written("", "serve(Keeps)", "b.py"))) == base | {"get_all_memories"}
    unsaid = "def make(settings):\n    return Keeps()"
    assert capabilities(Process(written(unsaid, "serve(make)", "c.py"))) == base | {"get_all_memories"}
    full = "class Full(Keeps):\n    save = load = settle = answer = lambda *_: None\n"
    full += "def make(settings) -> 'Full': return Full()"
    everything = base | {"get_all_memories", "answer", "save", "load", "settle"}
    assert capabilities(Process(written(full, "serve(make)", "d.py"))) == everything


def test_settings_reach_the_other_side(written: Callable[..., list[str]], tmp_path: Path) -> None:
    source = """
class Told(Keeps):
    def __init__(self, settings):
        s = settings
        assert s.home.is_dir() and s.home.name == s.scope
        self.kept = [s.options["window"], s.internal.base_url, str(s.embed.dimensions), os.environ["EXTRA"]]
"""
    model = {"base_url": "http://127.0.0.1:1/v1", "api_key": "k", "model": "m"}
    started = []

    def models() -> dict[str, object]:
        started.append(1)
        return {"internal": model, "embed": {**model, "dimensions": 12}, "close": None}

    arguments: dict[str, Any] = {"options": {"window": "5"}, "environment": {"EXTRA": "yes"}, "models": models}
    command = written(source, "serve(Told, options={'window': 'how many'})")
    for _ in range(2):
        memory = Process(command, home=tmp_path / "home", **arguments)
        assert texts_of(memory.get_all_memories()) == ["5", model["base_url"], "12", "yes"]
        memory.close()
    assert len(started) == 1


def test_an_unknown_option_is_refused_with_the_list(written: Callable[..., list[str]]) -> None:
    command = written("", "serve(Keeps, name='keeps', options={'window': 'how many turns', 'mode': 'fast or slow'})")
    with pytest.raises(BadSystem) as refused:
        Process(command, options={"windw": "5"})
    assert str(refused.value) == (
        "keeps has no option 'windw'; its options: window (how many turns), mode (fast or slow)"
    )
    assert not isinstance(refused.value, StoreLost)


def test_an_error_belongs_to_its_call_and_the_store_lives_on(written: Callable[..., list[str]]) -> None:
    source = """
class Picky(Keeps):
    def store_conversation(self, conversation):
        text = conversation.turns[0].text
        if text == "refuse": raise Refused("set --embed")
        if text == "exit": raise SystemExit("bye")
        if text == "raise": raise KeyError("no such user; key sk-abcdefgh12345678")
        super().store_conversation(conversation)
    def retrieve_memories(self, query, conversation, k):
        return {"list": [object()], "text": "abc", "number": 5}[query]
"""
    memory = Process(written(source, "serve(Picky)"), label="picky")
    memory.store_conversation(session("first"))
    for text, said in {
        "refuse": r"^set --embed$",
        "exit": r"^picky: store raised SystemExit: bye, at adapter.py:\d+ in store_conversation$",
        "raise": r"^picky: store raised KeyError: 'no such user; key \[key\]', at adapter.py:\d+ in store",
    }.items():
        with pytest.raises(BadSystem, match=said) as caught:
            memory.store_conversation(session(text))
        assert not isinstance(caught.value, StoreLost)
    for query in ("list", "text", "number"):
        with pytest.raises(BadSystem, match="picky: retrieve raised TypeError"):
            memory.retrieve_memories(query, session("?"), 1)
    memory.store_conversation(session("second"))
    assert texts_of(memory.get_all_memories()) == ["first", "second"]


# What answers itself

ASKED = Question("kettle", Session("q", (), "2026-03-02"), 1, ("attic", "cellar"), "Be brief.")

OWN_WAY = """
class Answers(Keeps):
    async def answer(self, question):
        told = f"{question.text}|{question.session.timestamp}|{question.k}|{question.choices}|{question.instruction}"
        return Answered(told, self.kept, {"calls": 2, "input_tokens": 30, "output_tokens": 4, "dollars": 0.5})
"""


def test_a_process_answers_and_tells_what_from_and_what_it_took(written: Callable[..., list[str]]) -> None:
    memory = adapt(Process(written(OWN_WAY, "serve(Answers)")))
    assert memory.looks_for_itself
    memory.store_conversation(session("The kettle is in the attic."))
    assert memory.usage() is None
    answered = memory.answer_alone(ASKED)
    assert answered.text == "kettle|2026-03-02|1|('attic', 'cellar')|Be brief."
    assert texts_of([*(answered.memories or ())]) == ["The kettle is in the attic."]
    memory.answer_alone(ASKED)
    assert memory.usage() == Usage(calls=4, input_tokens=60, output_tokens=8, dollars=1.0)


def test_a_memory_that_is_handed_memories_gets_what_it_would_retrieve(written: Callable[..., list[str]]) -> None:
    source = """
class Handed(Keeps):
    def answer(self, query, memories):
        return f"{query}: {[m.text for m in memories]}"
class Plain(Handed):
    def answer(self, question):
        return question.whole
"""
    memory = Process(written(source, "serve(Handed)"))
    for text in ("a kettle", "a pan", "the kettle"):
        memory.store_conversation(session(text))
    answered = memory.answer(ASKED)
    assert (answered.text, texts_of([*(answered.memories or ())])) == ("kettle: ['a kettle']", ["a kettle"])
    plain = Process(written(source, "serve(Plain)", "plain.py"))
    how = "The question is asked on 2026-03-02. Be brief. Answer with the letter of one option, and nothing else."
    assert plain.answer(ASKED) == Answered(f"kettle\n\n{how}", None)
    assert ASKED.whole == f"kettle\n\n{how}"


def test_an_answer_that_raises_or_is_none_belongs_to_its_call(written: Callable[..., list[str]]) -> None:
    source = """
class Odd(Keeps):
    def answer(self, question):
        if question.k == 1:
            raise ValueError("no model")
        return None
"""
    memory = Process(written(source, "serve(Odd, name='odd')"), label="odd")
    memory.store_conversation(session("first"))
    with pytest.raises(BadSystem, match="odd: answer raised ValueError: no model"):
        memory.answer(ASKED)
    with pytest.raises(BadSystem, match="odd: answer raised TypeError: an answer is a text or an Answered"):
        memory.answer(dataclasses.replace(ASKED, k=2))
    assert texts_of(memory.get_all_memories()) == ["first"]


@pytest.mark.parametrize(
    ("strange", "said"),
    [
        ("say(id, ok={'text': 3})", "its answer has no text"),
        ("say(id, ok=None)", "its answer has no text"),
        ("say(id, ok={'text': 'a', 'memories': [3]})", "is no memory"),
        ("signal.pause()", "no reply within 0.3 s"),
        ("os.kill(os.getpid(), 9)", "was ended by SIGKILL"),
    ],
)
def test_a_broken_answer_loses_the_store(bare: Callable[..., list[str]], strange: str, said: str) -> None:
    command = bare(f'if do == "answer":\n    {strange}\n    continue')
    file = Path(command[-1])
    file.write_text(file.read_text().replace('"all"]', '"all", "answer"]', 1))
    Process(command, label="odd").close()  # started with time to spare
    memory = Process(command, label="odd", timeout=0.3 if "pause" in strange else 600)
    with pytest.raises(StoreLost, match=f"during answer: .*{said}"):
        memory.answer(ASKED)


# What goes wrong

NONSENSE = {
    "text": ("os.write(1, b'hello there\\n')", r"it wrote 'hello there' \(11 bytes\) to stdout"),
    "binary": ("os.write(1, bytes(range(128, 256)) + b'\\n')", r"it wrote '.*' \(128 bytes\) to stdout"),
    "junk": ("os.write(1, b'j' * 10_000); signal.pause()", r"it wrote 'j{80}…' \([\d,]+ bytes\)"),
    "half": (
        'os.write(1, b\'{"id": 3, "ok\'); os.kill(os.getpid(), 9)',
        r"was ended by SIGKILL in the middle of a reply, after '{\"id\": 3, \"ok' \(13 bytes\)",
    ),
    "another": ("say(id + 1, ok=None)", r"it replied to request 4 where 3 was asked"),
    "neither": ("say(id, fine=1)", r"neither ok nor error"),
    "list": ("os.write(1, b'[1, 2]\\n')", r"it wrote '\[1, 2\]'"),
    "deep": ("os.write(1, b'{\"a\":' * 100_000 + b'\\n')", r"to stdout"),
    "odd error": ("say(id, error='oops')", r"neither ok nor error"),
    "exit": ("sys.exit('no more room')", r"ended with exit code 1; its stderr is kept in .* ends:\s+no more room$"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", r"its process was ended by SIGSEGV; it wrote nothing to stderr"),
    "hang": ("signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()", r"no reply within 0.3 s"),
}


@pytest.mark.parametrize("strange", NONSENSE)
def test_nonsense_silence_and_death_lose_the_store_aloud(
    bare: Callable[..., list[str]], tmp_path: Path, strange: str
) -> None:
    source, said = NONSENSE[strange]
    command = bare(f'if do == "store" and "go" in line:\n    {source}\n    continue')
    place: dict[str, Any] = {"label": "odd", "home": tmp_path / "home"}
    Process(command, **place).close()  # started with time to spare
    memory = Process(command, **place, timeout=0.3 if strange == "hang" else 600)
    with pytest.raises(StoreLost, match=r"^odd lost its store during store: ") as lost:
        memory.store_conversation(session("go"))
    assert re.search(said, str(lost.value), re.DOTALL)
    assert comes_true(lambda: not running(str(tmp_path)))
    for call in (memory.get_all_memories, memory.reset, lambda: memory.store_conversation(session("more"))):
        with pytest.raises(StoreLost, match=r"^odd lost its store during store: "):
            call()
    memory.close()


@pytest.mark.parametrize(
    "ok", ["None", "[]", "{'memories': None}", "{'memories': [3]}", "{'memories': ['a', {'id': 'x'}]}"]
)
def test_memories_that_are_none_lose_the_store(bare: Callable[..., list[str]], ok: str) -> None:
    memory = Process(bare(f'if do == "all":\n    say(id, ok={ok})\n    continue'))
    with pytest.raises(StoreLost, match=r"during all: .*(no list of memories|no memory)"):
        memory.get_all_memories()


def test_one_word_too_many_loses_the_store_at_the_next_call(bare: Callable[..., list[str]]) -> None:
    memory = Process(bare('if do == "store":\n    say(id, ok=None)'))
    memory.store_conversation(session("a"))
    with pytest.raises(StoreLost, match="it replied to request 2 where 3 was asked"):
        memory.get_all_memories()


def test_a_large_message_to_a_process_that_does_not_read_times_out(bare: Callable[..., list[str]]) -> None:
    command = bare('if do == "store":\n    signal.pause()')
    Process(command).close()
    deaf = Process(command, timeout=0.3)
    with pytest.raises(StoreLost, match="no reply within"):
        deaf.store_conversation(session("x" * 5_000_000))
    assert Process(command).get_all_memories() == []  # in a new process


def test_stderr_is_kept_whole_bounded_and_without_keys(bare: Callable[..., list[str]], tmp_path: Path) -> None:
    source = """
if do == "store":
    for n in range(40_000):
        print(f"line {n} of very many lines that say next to nothing {'.' * 40}", file=sys.stderr)
    print("Bearer abcdefgh12345678 \\x1b[31mred", os.environ["MY_API_KEY"], file=sys.stderr, flush=True)
    os._exit(3)
"""
    home = tmp_path / "home"
    memory = Process(bare(source), home=home, label="loud", environment={"MY_API_KEY": "quite-secret-indeed"})
    with pytest.raises(StoreLost) as lost:
        memory.store_conversation(session("x"))
    message = str(lost.value)
    assert "exit code 3" in message
    assert "line 39999 of" in message
    assert "line 39995 of" not in message  # five lines
    assert message.isascii()
    assert "\x1b" not in message
    kept = Path(re.search(r"kept in (\S+) and", message)[1])  # type: ignore[index]
    assert kept.parent.parent == home
    assert "line 39000 of" in kept.read_text()
    assert sum(file.stat().st_size for file in kept.parent.iterdir()) < 5_000_000
    for text in (message, kept.read_text()):
        assert "secret" not in text
        assert "abcdefgh" not in text


def test_a_wrong_command_is_named_when_the_system_is_built(tmp_path: Path) -> None:
    with pytest.raises(BadSystem, match=r"(?s)^nope --fast can't be started: .* 127;.*nope can't be started: No such"):
        Process(["nope", "--fast"], home=tmp_path)
    with pytest.raises(BadSystem, match=r"(?s)^mine can't be started \(.*\): .* exit code 2; .*can't open file"):
        Process([*FAST, str(tmp_path / "missing.py")], label="mine", home=tmp_path)
    with pytest.raises(BadSystem, match=r"no reply within 0\.2 s"):
        Process(["sleep", "infinity"], timeout=0.2)
    with pytest.raises(BadInput, match="timeout must be"):
        Process(["true"], timeout=-1)


@pytest.mark.parametrize(
    ("hello", "said"),
    [
        ("HELLO['protocol'] = 2", "it speaks protocol 2, and memtriage 1"),
        ("CAPABILITIES.remove('retrieve')", "it can't retrieve, which every memory must"),
        ("CAPABILITIES = None", "doesn't list its capabilities"),
        ("HELLO = {}", "it speaks protocol None"),
    ],
)
def test_a_strange_hello_is_no_start(bare: Callable[..., list[str]], hello: str, said: str) -> None:
    command = bare()
    file = Path(command[-1])
    file.write_text(file.read_text().replace("kept = []", f"kept = []\n{hello}"))
    with pytest.raises(BadSystem, match=said) as caught:
        Process(command)
    assert not isinstance(caught.value, StoreLost)


def test_after_two_failed_starts_nothing_is_started_for_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starts = tmp_path / "starts"
    command = [*FAST, "-c", f"open({str(starts)!r}, 'a').write('x'); raise SystemExit('not today')"]
    messages = set()
    for _ in range(5):
        with pytest.raises(BadSystem, match="not today") as failed:
            Process(command, home=tmp_path)
        messages.add(str(failed.value))
    assert starts.read_text() == "xx"
    assert len(messages) == 2  # the second is told again
    monkeypatch.setattr(process, "QUIET", 0.0)
    with pytest.raises(BadSystem):
        Process(command, home=tmp_path)
    assert starts.read_text() == "xxx"


def test_killed_twenty_times_no_episode_is_silently_short(bare: Callable[..., list[str]]) -> None:
    command = bare('if "die" in line:\n    os.kill(os.getpid(), 9)')
    rng = random.Random(20)
    complete = lost = 0
    doomed = [True] * 20 + [False] * 10
    rng.shuffle(doomed)
    for episode, dies in enumerate(doomed):
        last = rng.randrange(40) if dies else None
        memory = Process(command)
        try:
            for n in range(40):
                memory.store_conversation(session(f"{episode}:{n} {'die' if n == last else 'live'}"))
            assert texts_of(memory.get_all_memories()) == [f"{episode}:{n} live" for n in range(40)]
            complete += 1
        except StoreLost:
            lost += 1
        finally:
            memory.close()
    assert (complete, lost) == (10, 20)


def test_killed_from_outside_at_any_moment_no_episode_is_silently_short(
    bare: Callable[..., list[str]], tmp_path: Path
) -> None:
    command = bare()
    outcomes = []
    for moment in (0, 1, 150, 398, 399, None):
        memory = Process(command)
        (victim,) = running(str(tmp_path)) - running(str(GUARD))
        killer = threading.Thread(target=os.kill, args=(victim, signal.SIGKILL))
        try:
            for n in range(400):
                if n == moment:
                    killer.start()  # beside the call
                memory.store_conversation(session(f"{moment}:{n}"))
            if moment is not None:
                killer.join()
            outcomes.append(len(memory.get_all_memories()))
        except StoreLost:
            outcomes.append(-1)
        memory.close()
    assert outcomes == [-1] * 5 + [400]


# One process, many stores


def test_a_process_serves_one_store_after_another(written: Callable[..., list[str]], tmp_path: Path) -> None:
    source = f"open({str(tmp_path / 'starts')!r}, 'a').write('x')"
    command = written(source)
    for n in range(3):
        memory = Process(command)
        assert memory.get_all_memories() == []
        memory.store_conversation(session(f"secret {n}"))
        memory.close()
        with pytest.raises(StoreLost, match="was closed"):
            memory.get_all_memories()
    assert (tmp_path / "starts").read_text() == "x"
    Process(command, label="another")
    Process(command, environment={"ANOTHER": "1"})
    assert (tmp_path / "starts").read_text() == "xxx"


def test_stores_open_at_the_same_time_have_processes_of_their_own(bare: Callable[..., list[str]]) -> None:
    command = bare()
    problems: list[BaseException] = []

    def live(name: str) -> None:
        try:
            for _ in range(3):
                memory = Process(command)
                texts = [f"{name}:{n}" for n in range(50)]
                for text in texts:
                    memory.store_conversation(session(text))
                assert texts_of(memory.get_all_memories()) == texts
                memory.close()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=live, args=(f"t{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_a_process_that_died_while_it_waited_is_replaced(bare: Callable[..., list[str]], tmp_path: Path) -> None:
    command = bare()
    Process(command).close()
    (victim,) = running(str(tmp_path)) - running(str(GUARD))
    os.kill(victim, signal.SIGKILL)
    assert comes_true(lambda: not running(str(tmp_path)))
    memory = Process(command)
    memory.store_conversation(session("x"))
    assert texts_of(memory.get_all_memories()) == ["x"]


def test_a_process_that_can_not_forget_is_not_used_again(written: Callable[..., list[str]], tmp_path: Path) -> None:
    source = "class Clings(Keeps):\n    def close(self): raise OSError('busy')"
    command = written(source, "serve(Clings)")
    memory = Process(command)
    memory.store_conversation(session("x"))
    memory.close()
    assert not running(str(tmp_path))
    assert Process(command).get_all_memories() == []


def test_reset_forgets_and_clears_the_folder(written: Callable[..., list[str]], tmp_path: Path) -> None:
    source = """
class OnDisk(Keeps):
    def __init__(self, settings):
        self.file = settings.home / "kept.txt"
    def store_conversation(self, conversation):
        with self.file.open("a") as file: file.write(conversation.turns[0].text + "\\n")
    def get_all_memories(self):
        return self.file.read_text().splitlines() if self.file.exists() else None
"""
    memory = Process(written(source, "serve(OnDisk)"), home=tmp_path / "home")
    memory.store_conversation(session("a"))
    assert texts_of(memory.get_all_memories()) == ["a"]
    memory.reset()
    assert memory.get_all_memories() == []
    memory.close()
    assert list((tmp_path / "home").glob("*/stores/*")) == []
    close_all()
    assert list((tmp_path / "home").iterdir()) == []


def test_closing_all_breaks_a_call_another_thread_waits_for(bare: Callable[..., list[str]], tmp_path: Path) -> None:
    mark = tmp_path / "waiting"
    memory = Process(bare(f'if do == "store":\n    open({str(mark)!r}, "w").close()\n    signal.pause()'))
    caught: list[BaseException] = []

    def wait() -> None:
        try:
            memory.store_conversation(session("x"))
        except StoreLost as error:
            caught.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    assert comes_true(mark.exists)
    close_all()
    thread.join()
    assert len(caught) == 1
    assert comes_true(lambda: not running(str(tmp_path)))


# Nothing is left behind

PARENT = """
import os, sys, time
from pathlib import Path
from memtriage.core.episode import Session, Turn
from memtriage.systems.remote.process import Process
memory = Process([sys.executable, sys.argv[1]], home=Path(sys.argv[2]))
print("ready", flush=True)
memory.store_conversation(Session("s", (Turn("user", "x", "s/0"),)))
"""

FAMILY = """
import signal, subprocess
child = (
    "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
    "open(f'{sys.argv[1]}.{os.getpid()}', 'w').close(); signal.pause()"
)
class Family(Keeps):
    def __init__(self):
        for apart in (False, True):
            subprocess.Popen([sys.executable, "-I", "-S", "-c", child, __file__], start_new_session=apart)
        daemon = f"import os, sys\\nif os.fork() == 0:\\n os.setsid()\\n if os.fork() == 0: exec({child!r})"
        subprocess.run([sys.executable, "-I", "-S", "-c", daemon, __file__])
    def store_conversation(self, conversation):
        signal.pause()
"""


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_a_killed_memtriage_leaves_no_process_behind(
    written: Callable[..., list[str]], tmp_path: Path, how: str
) -> None:
    script = written(FAMILY, "serve(Family)")[-1]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, script, str(tmp_path / "home")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    assert comes_true(lambda: len(list(tmp_path.glob("adapter.py.*"))) == 3)  # one in its group, one apart, one daemon
    os.killpg(parent.pid, getattr(signal, how))  # as Ctrl-C in a terminal does
    _, errors = parent.communicate()
    assert comes_true(lambda: not running(script))
    assert errors.count(b"Traceback") == (how == "SIGINT")  # that of the parent's script itself
    for file in (tmp_path / "home").glob("*/stderr.txt"):
        assert "KeyboardInterrupt" not in file.read_text()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def ended(pid: int) -> bool:
    """Whether a process is over: a zombie has no command line, and one that was waited for has no entry at all."""
    try:
        return not Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return True


def test_a_killed_guard_is_noticed_and_its_command_ended(bare: Callable[..., list[str]], tmp_path: Path) -> None:
    memory = Process(bare())
    (guard,) = running(str(tmp_path)) & running(str(GUARD))
    os.kill(guard, signal.SIGKILL)
    assert comes_true(lambda: ended(guard))
    with pytest.raises(StoreLost, match="SIGKILL"):
        memory.store_conversation(session("x"))
    assert comes_true(lambda: not running(str(tmp_path)))


def test_a_fork_leaves_its_parents_processes_alone(bare: Callable[..., list[str]]) -> None:
    source = """
import os, sys
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import StoreLost
from memtriage.systems.remote.process import Process
memory = Process(sys.argv[1:])
said = Session("s", (Turn("user", "x", "s/0"),))
memory.store_conversation(said)
child = os.fork()
if child == 0:
    try:
        memory.store_conversation(said)
    except StoreLost as error:
        print(error, flush=True)
    sys.exit(7)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
memory.store_conversation(said)
print(len(memory.get_all_memories()))
"""
    done = subprocess.run([sys.executable, "-c", source, *bare()], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["2"], done.stderr
    assert "belongs to the process that started it" in done.stdout


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -SEGV $$", -11), ("true", 0), ("kill -9 $$", -9)])
def test_the_guard_passes_on_how_a_command_ended(command: str, code: int) -> None:
    ours, theirs = os.pipe()
    try:
        guard = [*FAST, str(GUARD), str(ours), "--", "sh", "-c", f"cat; echo said; {command}"]
        done = subprocess.run(guard, input=b"heard ", capture_output=True, pass_fds=[ours])
    finally:
        os.close(ours)
        os.close(theirs)
    assert (done.returncode, done.stdout) == (code, b"heard said\n")


# The library for the other side, spoken to directly


class Spoken:
    """An adapter process whose every line is written by the test."""

    def __init__(self, command: list[str], **hello: object) -> None:
        environment = {**os.environ, "PYTHONPATH": str(SIDE)}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
        )
        self.say({"id": 0, "do": "hello", "protocol": 1, **hello})

    def write(self, line: bytes) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()
        reply: dict[str, Any] = json.loads(self.process.stdout.readline())
        return reply

    def say(self, request: dict[str, object]) -> dict[str, Any]:
        return self.write(json.dumps(request).encode())

    def tell(self, scope: str, text: str) -> dict[str, Any]:
        turns = [{"role": "user", "text": text, "id": "0"}]
        return self.say({"id": 1, "do": "store", "scope": scope, "session": {"id": "s", "turns": turns}})

    def all(self, scope: str) -> list[str]:
        reply = self.say({"id": 2, "do": "all", "scope": scope})
        return [memory["text"] for memory in reply["ok"]["memories"]]

    def ended(self) -> tuple[int, str]:
        _, errors = self.process.communicate()
        return self.process.returncode, errors.decode()


@pytest.fixture
def spoken(tmp_path: Path) -> Iterator[Callable[[list[str]], Spoken]]:
    opened: list[Spoken] = []

    def speak(command: list[str]) -> Spoken:
        opened.append(Spoken(command, home=str(tmp_path / "stores")))
        return opened[-1]

    yield speak
    for each in opened:
        each.process.kill()
        each.process.communicate()


def test_a_malformed_line_gets_an_error_reply(
    written: Callable[..., list[str]], spoken: Callable[[list[str]], Spoken]
) -> None:
    side = spoken(written(""))
    for line in (b"", b"junk", b"\xff\xfe\x00", b"[]", b"3", b"{}", b'{"id": 1}', b"[" * 100_000, b'{"do": "all"}'):
        reply = side.write(line)
        assert reply["id"] is None or reply["id"] == 1
        assert reply["error"]["message"] or reply["error"]["kind"] == "RecursionError"
    assert "unknown request 'dance'" in side.say({"id": 5, "do": "dance"})["error"]["message"]
    assert side.say({"id": 6, "do": "store", "scope": "a"})["error"]["kind"] == "KeyError"
    assert "a scope is made of" in side.say({"id": 7, "do": "all", "scope": "../../x"})["error"]["message"]
    assert "speaks protocol 1, not 9" in side.say({"id": 8, "do": "hello", "protocol": 9})["error"]["message"]
    assert side.tell("a", "still here") == {"id": 1, "ok": None}
    assert side.all("a") == ["still here"]


def test_the_session_in_the_docs_is_true(spoken: Callable[[list[str]], Spoken]) -> None:
    page = (ROOT / "docs" / "protocol.md").read_text().partition("## A session by hand")[2]
    lines = [line.strip() for line in page.splitlines() if line.strip().startswith("{")]
    side = spoken([sys.executable, str(EXAMPLE)])
    for request, reply in zip(lines[::2], lines[1::2], strict=True):
        assert side.write(request.encode()) == json.loads(reply)
    assert side.ended() == (0, "")


def test_interleaved_scopes_never_meet(
    written: Callable[..., list[str]], spoken: Callable[[list[str]], Spoken]
) -> None:
    side = spoken(written(""))
    for n in range(20):
        side.tell("ab"[n % 2], f"t{n}")
    assert side.all("a") == [f"t{n}" for n in range(0, 20, 2)]
    side.say({"id": 3, "do": "reset", "scope": "a"})
    assert (side.all("a"), side.all("b")) == ([], [f"t{n}" for n in range(1, 20, 2)])


@pytest.mark.parametrize("how", ["bye", "eof", "SIGTERM", "SIGTERM while busy"])
def test_stores_are_closed_however_the_process_ends(
    written: Callable[..., list[str]], spoken: Callable[[list[str]], Spoken], tmp_path: Path, how: str
) -> None:
    source = """
import asyncio
class Closes(Keeps):
    async def store_conversation(self, conversation):
        super().store_conversation(conversation)
    async def settle(self):
        print("busy", file=sys.stderr, flush=True)
        try:
            await asyncio.Event().wait()
        except Exception: pass
    async def close(self):
        await asyncio.sleep(0)
        print(f"closed {self.kept[0].text}", file=sys.stderr)
"""
    side = spoken(written(source, "serve(Closes)"))
    side.tell("a", "one")
    side.tell("b", "two")
    stdin, stderr = side.process.stdin, side.process.stderr
    assert stdin is not None
    assert stderr is not None
    if how == "bye":
        assert side.say({"id": 9, "do": "bye"}) == {"id": 9, "ok": None}
    elif how == "SIGTERM while busy":
        stdin.write(b'{"id": 4, "do": "settle", "scope": "a"}\n')
        stdin.flush()
        assert stderr.readline() == b"busy\n"
    if how.startswith("SIGTERM"):
        side.process.send_signal(signal.SIGTERM)
    code, errors = side.ended()
    assert (code, errors) == (0, "closed one\nclosed two\n")
    assert list((tmp_path / "stores").iterdir()) == []


# On the command line


def test_a_text_names_a_command_and_options() -> None:
    assert from_text("proc:python3 my_adapter.py --x 'a b'") == (["python3", "my_adapter.py", "--x", "a b"], {})
    assert from_text("proc[timeout=60,name=x]:sh -c 'echo [1]: 2'") == (
        ["sh", "-c", "echo [1]: 2"],
        {"timeout": 60.0, "options": {"name": "x"}},
    )
    assert from_text('proc[list="a,b", mode = fast]:sh')[1] == {"options": {"list": "a,b", "mode": "fast"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("proc:", "has no command"),
        ("proc:  ", "has no command"),
        ("proc:''", "has no command"),
        ("proc:sh -c 'echo", "can't be read .*check its quotes"),
        ("proc[timeout=soon]:sh", "timeout must be a number of seconds above 0, not 'soon'"),
        ("proc[timeout=0]:sh", "timeout must be"),
        ("proc[timeout=nan]:sh", "timeout must be"),
        ("proc[timeout]:sh", "'timeout' is not an option"),
        ("proc[a='b]:sh", "the brackets can't be read"),
        ("proc[a=b:sh", "is not a process"),
        ("process:sh", "is not a process"),
        ("proc:no-such-program-anywhere x", "'no-such-program-anywhere' was not found on PATH"),
        ("proc:./no-such-file.sh", "is no file that can be run"),
    ],
)
def test_a_bad_text_is_named(text: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        from_text(text)
