"""The full depth over HTTP: words first, the judge for the rest, and the answer last."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from memtriage import registry as plugins
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Request
from memtriage.core.trace import Answer, History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import FactVerdict, ProbeVerdict
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.store import judge_store
from memtriage.models.breaker import Breaker
from memtriage.models.client import Client
from memtriage.models.scripted import ContentJudge, Faults, StubServer
from memtriage.validate.planted_faults import EXPECTED, FaultyMemory


@dataclass(frozen=True)
class Unit:
    """One store's life with its texts."""

    episode: Episode
    history: History
    traces: tuple[Trace, ...]
    texts: dict[str, str]


def block(seen: Any) -> Any:
    """The data of a request."""
    return json.loads(seen.body["messages"][1]["content"].partition("<<<DATA\n")[2].rpartition("\nDATA>>>")[0])


def run(
    unit: Unit,
    answers: Iterable[Answer] = (),
    server: StubServer | None = None,
    seated: bool = True,
    kind: type[Judge] = Judge,
    **options: Any,
) -> list[ProbeVerdict]:
    """Every verdict of a unit, judged over HTTP."""

    async def go(url: str) -> list[ProbeVerdict]:
        async with Client(f"{url}#judge", backoff=0.001, max_retries=1, breaker=Breaker(0.1)) as client:
            judge = kind(client, **options) if seated else None
            texts = lambda keys: {key: unit.texts[key] for key in keys}  # noqa: E731
            by = "taker" if answers else ""
            units = judge_store(unit.episode, unit.history, unit.traces, answers, texts, "memfail", "it", judge, by)
            return [verdict async for verdict in units]

    if server is not None:
        return asyncio.run(go(server.url))
    with StubServer(ContentJudge()) as own:
        return asyncio.run(go(own.url))


def small(
    task: str, said: Sequence[str], kept: Sequence[str], brought: Sequence[int], probe: Probe, *facts: Fact
) -> Unit:
    """A hand-made history: what was said, what was kept of it, and what the one question brought back."""
    sessions = tuple(Session(f"s{n}", (Turn("user", text, f"s{n}/0"),)) for n, text in enumerate(said))
    episode = Episode("e", task, sessions, facts, (probe,))
    keys = tuple(f"k{n}" for n in range(len(kept)))
    history = History(Ingest(len(said), 0.0, len(kept)), (Snapshot("end", sessions[-1].id, None, keys),))
    trace = Trace(probe.id, 5, "end", tuple(Retrieved(f"k{n}", rank) for rank, n in enumerate(brought, start=1)))
    return Unit(episode, history, (trace,), dict(zip(keys, kept, strict=True)))


SAID = "Ada only ever swims in the lake before 7 am."
RULE = Fact("f", SAID, ("s0/0",), ("before 7 am",), subject="Ada")
ASKED = Probe("p", "It is 9 am. Will Ada swim in the lake?", "No, Ada swims before 7 am.", (("f",),))
REWORDED = "Swims, lake: only ever before 7 am, says Ada's brother with a grin about morning fog."


def reworded(task: str = "memfail/conditional-easy", brought: Sequence[int] = (0,), probe: Probe = ASKED) -> Unit:
    return small(task, [SAID, "Ben likes tea."], [REWORDED, "Ben likes tea."], brought, probe, RULE)


def answer(text: str = "No, Ada swims before 7 am.", **more: Any) -> Answer:
    return Answer("p", 5, "taker", text=text, **more)


def test_what_words_leave_open_is_settled_by_the_judge() -> None:
    [open_] = run(reworded(), seated=False)
    assert (open_.verdict, open_.depth, open_.judged_by) == ("uncertain", "memory", "")
    [found] = run(reworded())
    assert (found.verdict, found.depth) == ("correct", "memory")
    assert found.judged_by.endswith("#judge")
    assert found.facts[0].detector == f"judge:{found.judged_by}"
    assert found.facts[0].stages == {"storage": "pass", "summary": "pass", "retrieval": "pass"}
    [missed] = run(reworded(brought=(1,)))
    assert (missed.verdict, missed.facts[0].witness) == ("not_retrieved", ("k0",))


@pytest.mark.parametrize(
    ("text", "verdict", "state"),
    [("No, Ada swims before 7 am.", "correct", "pass"), ("Yes, she will.", "reasoning_error", "fail")],
)
def test_a_free_answer_is_graded_by_the_judge(text: str, verdict: str, state: str) -> None:
    [found] = run(reworded(), [answer(text)])
    assert (found.verdict, found.depth, found.answer, found.answered_by) == (verdict, "full", text, "taker")
    assert found.facts[0].stages["reasoning"] == state


def test_a_trace_that_was_to_be_answered_and_was_not_is_an_error() -> None:
    elsewhere = Answer("p", 99, "taker", text="No.")  # the run stopped before it came to this one
    [found] = run(reworded(), [elsewhere])
    assert (found.verdict, found.depth) == ("error", "full")
    assert "not answered" in (found.error or "")


@pytest.mark.parametrize(("text", "right"), [("No, Ada swims before 7 am.", True), ("Yes, she will.", False)])
def test_an_answer_is_graded_even_where_an_earlier_stage_failed(text: str, right: bool) -> None:
    for kept in (REWORDED, "Cat."):  # not retrieved, and not even stored
        unit = small("memfail/conditional-easy", [SAID, "Ben likes tea."], [kept, "Ben likes tea."], [1], ASKED, RULE)
        with StubServer(ContentJudge()) as server:
            [found] = run(unit, [answer(text)], server)
            [shown] = [data for data in map(block, server.requests) if data["stage"] == "reasoning"]
        assert (found.verdict, found.depth, found.right) == (
            "not_retrieved" if kept == REWORDED else "not_stored", "full", right
        )  # fmt: skip
        assert found.right_without_evidence == right
        assert shown["fact"]["text"] == SAID  # what the answer is held against, though the memory lost it
        assert "reasoning" not in found.facts[0].stages


def test_the_papers_chain_stops_at_the_first_stage_that_failed() -> None:
    with StubServer(ContentJudge()) as server:
        [found] = run(reworded(brought=(1,)), [answer()], server, paper_exact=True)
        assert [block(seen)["stage"] for seen in server.requests] == ["storage", "summary", "retrieval"]
    assert (found.verdict, found.depth, found.right) == ("not_retrieved", "full", None)


def test_every_liking_is_expected_of_an_answer_also_where_one_was_lost() -> None:
    facts = [Fact(f"f{n}", said, (f"s{n}/0",), (name,)) for n, (said, name) in enumerate(_LIKINGS)]
    probe = Probe("p", "What music do I like?", "Jazz, tango.", (("f0", "f1"),))
    said = [text for text, _ in _LIKINGS]
    with StubServer(ContentJudge()) as server:
        [found] = run(small("memfail/coexisting", said, said, [0], probe, *facts), [answer("Jazz, tango.")], server)
        [shown] = map(block, server.requests)
    assert shown["expected"] == said
    assert (found.verdict, found.right, found.right_without_evidence) == ("not_retrieved", True, True)


STRANGER = replace(ASKED, text="When does Eve swim?", gold="I don't know.", scoring="abstain")


@pytest.mark.parametrize("brought", [(0,), (1,), ()])
@pytest.mark.parametrize(
    ("text", "verdict"),
    [("I have no information about Eve.", "correct"), ("She swims before 7 am.", "reasoning_error")],
)
def test_only_the_answer_decides_a_question_about_a_stranger(text: str, verdict: str, brought: tuple[int, ...]) -> None:
    unit = reworded("memfail/persona", brought, STRANGER)
    [found] = run(unit, [answer(text)])
    assert (found.verdict, found.right, found.credit) == (verdict, verdict == "correct", float(verdict == "correct"))
    assert not found.right_without_evidence  # it needs none
    assert ("the answer is not right" in found.why) == (verdict != "correct")
    [staged] = run(unit, [answer(text)], paper_exact=True)
    assert staged.verdict == (verdict if 0 in brought else "not_retrieved")


@pytest.mark.parametrize("seated", [False, True])
@pytest.mark.parametrize("answers", [(), ("She swims before 7 am.",)])
@pytest.mark.parametrize("brought", [(0,), (1,), ()])
def test_without_a_graded_answer_a_question_about_a_stranger_is_not_applicable(
    brought: tuple[int, ...], answers: tuple[str, ...], seated: bool
) -> None:
    if seated and answers:
        return  # that one is graded
    [found] = run(reworded("memfail/persona", brought, STRANGER), [answer(text) for text in answers], seated=seated)
    assert (found.verdict, found.depth, found.credit) == ("n/a", "memory", None)
    assert "only an answer" in found.why


@pytest.mark.parametrize(("letter", "verdict"), [("B", "correct"), ("C", "reasoning_error")])
def test_a_letter_needs_no_judge(letter: str, verdict: str) -> None:
    probe = replace(ASKED, scoring="choice", choices=("x", "y", "z"), correct_choice="B")
    unit = small("memfail/long-hop", [SAID], [SAID], [0], probe, RULE)
    with StubServer(ContentJudge()) as server:
        [found] = run(unit, [answer(f'{{"selected_choice": "{letter}"}}')], server)
        assert len(server.requests) == 0
    assert (found.verdict, found.depth) == (verdict, "full")


@pytest.mark.parametrize(
    ("text", "verdict"), [("You like jazz and tango.", "correct"), ("You like opera.", "reasoning_error")]
)
def test_coexisting_facts_are_covered_by_one_check_over_all_of_them(text: str, verdict: str) -> None:
    facts = [Fact(f"f{n}", said, (f"s{n}/0",), (name,)) for n, (said, name) in enumerate(_LIKINGS)]
    probe = Probe("p", "What music do I like?", "Jazz, tango.", (("f0", "f1"),))
    said = [text for text, _ in _LIKINGS]
    with StubServer(ContentJudge()) as server:
        [found] = run(small("memfail/coexisting", said, said, [0, 1], probe, *facts), [answer(text)], server)
        assert len(server.requests) == 1
    assert found.verdict == verdict
    assert {fact.stages["reasoning"] for fact in found.facts} == {"pass" if verdict == "correct" else "fail"}


_LIKINGS = (("I adore jazz on Sundays.", "jazz"), ("I dance tango at night.", "tango"))


def test_the_store_is_judged_once_for_every_k_and_repeat() -> None:
    unit = reworded()
    unit = replace(unit, traces=tuple(replace(unit.traces[0], k=k) for k in (5, 10, 20)))
    answers = [Answer("p", k, "taker", repeat, "No, Ada swims before 7 am.") for k in (20, 10, 5) for repeat in (1, 0)]
    with StubServer(ContentJudge()) as server:
        found = run(unit, answers, server)
        asked = Counter(
            seen.body["messages"][0]["content"].split(".")[0].rpartition(" ")[2] for seen in server.requests
        )
    assert [(v.k, v.repeat) for v in found] == [(k, repeat) for k in (5, 10, 20) for repeat in (0, 1)]
    assert (asked["storage"], asked["summary"]) == (1, 1)
    assert {v.verdict for v in found} == {"correct"}


def test_the_store_is_judged_once_however_many_traces_ask() -> None:
    unit = reworded()
    unit = replace(unit, traces=tuple(replace(unit.traces[0], k=k) for k in range(1, 300)))
    with StubServer(ContentJudge()) as server:
        found = run(unit, server=server)
        asked = [seen for seen in server.requests if "memory system: storage" in seen.body["messages"][0]["content"]]
    assert [v.k for v in found] == list(range(1, 300))
    assert len(asked) == 1


def test_errors_are_errors_and_never_verdicts() -> None:
    [unanswered] = run(reworded(), [answer("", error="timeout: nobody answered")])
    assert (unanswered.verdict, unanswered.answer) == ("error", None)
    assert "nobody answered" in (unanswered.error or "")
    with StubServer(ContentJudge(), faults=Faults().first(99, ["500"])) as server:
        [unjudged] = run(reworded(), [answer()], server)
        verbatim = small("memfail/conditional-easy", [SAID], [SAID], [0], ASKED, RULE)
        [ungraded] = run(verbatim, [answer()], server)
    assert unjudged.verdict == ungraded.verdict == "error"
    assert "server" in (unjudged.error or "")
    assert "the answer could not be judged" in (ungraded.error or "")


def test_a_store_that_cannot_be_seen_is_judged_by_what_it_brings_back() -> None:
    unit = reworded()
    unit = replace(unit, history=History(Ingest(1, 0.0, blind="no get_all_memories")))
    unit = replace(unit, traces=(replace(unit.traces[0], snapshot=None),))
    for options in ({}, {"paper_exact": True}):
        [found] = run(unit, **options)
        assert found.verdict == "correct"
        assert found.facts[0].stages == {"storage": "n/a", "summary": "n/a", "retrieval": "pass"}


def planted(task: str, rows: int, seed: int) -> tuple[Unit, FaultyMemory]:
    [loaded] = [t for t in plugins.suite("memfail").tasks if t.name == task]
    [episode] = loaded.load(Request(rows=rows)).episodes
    memory = FaultyMemory(0.6, seed)
    memory.reveal(episode)
    for session in episode.sessions:
        memory.store_conversation(session)
    kept = {m.id: m.text for m in memory.get_all_memories()}
    history = History(
        Ingest(len(episode.sessions), 0.0), (Snapshot("end", episode.sessions[-1].id, None, tuple(kept)),)
    )
    asked = Session("q", (Turn("user", "", "q/0"),))
    traces = [
        Trace(
            p.id,
            9,
            "end",
            tuple(Retrieved(m.id, r) for r, m in enumerate(memory.retrieve_memories(p.text, asked, 9), 1)),
        )
        for p in episode.probes
    ]
    return Unit(episode, history, tuple(traces), kept), memory


@pytest.mark.parametrize("task", ["conditional-easy", "conditional-hard"])
def test_planted_faults_get_the_same_verdicts_with_the_whole_store_and_without(task: str) -> None:
    unit, memory = planted(f"memfail/{task}", 8, 1)
    answers = [Answer(p.id, 9, "taker", text=p.gold) for p in unit.episode.probes]
    with StubServer(ContentJudge()) as whole, StubServer(ContentJudge()) as near:
        exact = run(unit, answers, whole, paper_exact=True)
        ours = run(unit, answers, near)
        assert len(near.requests) < len(whole.requests)
    assert [v.probe for v in ours] == [t.probe for t in unit.traces]
    planned = [EXPECTED[memory.plan.of(f.fact)] for v in ours for f in v.facts]
    for verdicts in (exact, ours):
        assert [f.verdict for v in verdicts for f in v.facts] == planned
    assert [v.verdict for v in ours] == [v.verdict for v in exact]
    assert all(v.right is not None for v in ours)


class _WithoutWords(Judge):
    """Judges every fact, however certain words are, so that only the prefilter and the pages are put to the test."""

    def open(self, lexical: FactVerdict) -> bool:
        return lexical.verdict != "error"

    def known_intact(self, lexical: FactVerdict) -> bool:
        return False


@pytest.mark.parametrize("task", ["conditional-easy", "conditional-hard", "coexisting", "long-hop"])
def test_near_memories_and_pages_lead_to_the_verdicts_of_the_whole_store(task: str) -> None:
    unit, _ = planted(f"memfail/{task}", 8, 1)
    exact = run(unit, paper_exact=True)
    near = run(unit, kind=_WithoutWords, candidates=4)
    assert [(f.fact, f.verdict) for v in exact for f in v.facts] == [(f.fact, f.verdict) for v in near for f in v.facts]


def test_judging_again_asks_the_very_same() -> None:
    unit, _ = planted("memfail/persona", 8, 1)
    asked = []
    for latency in (0.0, 0.01):
        with StubServer(ContentJudge(), latency=latency, faults=Faults(jitter=latency)) as server:
            run(unit, server=server, kind=_WithoutWords, candidates=4)
            asked.append(Counter(str(seen.body["messages"]) for seen in server.requests))
    assert asked[0] == asked[1]


def test_many_traces_come_in_order() -> None:
    unit = reworded()
    unit = replace(unit, traces=tuple(replace(unit.traces[0], k=k) for k in range(1, 400)))
    assert [verdict.k for verdict in run(unit, seated=False)] == list(range(1, 400))
