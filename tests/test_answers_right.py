"""Answers that count by themselves: right or wrong whatever was retrieved, in parts, in pairs, and at what cost."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from memtriage.core.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.rubric import CHANGE_STAGES
from memtriage.core.trace import Answer, History, Ingest, Retrieved, Snapshot, Trace, Usage
from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.diagnose.judge.prompts import Case, prompt, rulings
from memtriage.diagnose.judge.staged import Judge
from memtriage.diagnose.run import AskingTotals, summary
from memtriage.diagnose.store import judge_store
from memtriage.metrics.statistics import clustered, wilson
from memtriage.metrics.verbatim import credit_for, in_order, longest_common, verbatim
from memtriage.models.breaker import Breaker
from memtriage.models.client import Client
from memtriage.models.scripted import ContentJudge, Faults, StubServer
from memtriage.registry import rubric
from memtriage.report.terminal.show import show
from memtriage.report.terminal.tables import print_table
from memtriage.tables.costs import costs
from memtriage.tables.outcomes import outcomes
from memtriage.tables.paired import paired
from memtriage.tables.table import SCHEMA, records, table, table_json

SAID = {
    "pill": "I take a pill called Quelm because of my knee.",
    "rule": "If my knee gets better, I will take Zorvane instead.",
    "diet": "I eat a Brellow diet because of my knee.",
    "club": "I row with a club called the Harrow Rowers.",
    "motto": 'Please keep this word for word: Oars out, "hearts" up, no splashing.',
    "bike1": "My bike is a Tarrick.",
    "bike2": "I sold it, my bike is a Movane now.",
    "bike3": "My new bike is a Sellit.",
    "tea": "My tea is Oolvar.",
    "cat": "My cat is called Pim.",
    "street": "I live in Gantry Lane.",
    "change": "Good news: my knee is fine again since Monday.",
    "gone": "Please forget my club, I have left it.",
}
DETAILS = {
    "pill": ("Quelm",), "rule": ("Zorvane", "knee"), "diet": ("Brellow",), "club": ("Harrow Rowers",),
    "motto": ("Oars out, \"hearts\" up, no splashing.",), "bike1": ("Tarrick",), "bike2": ("Movane",),
    "bike3": ("Sellit",), "tea": ("Oolvar",), "cat": ("Pim",), "street": ("Gantry Lane",),
    "change": ("knee is fine",), "gone": ("forget", "club"),
}  # fmt: skip
FACTS = tuple(Fact(id, text, (f"s-{id}/0",), DETAILS[id]) for id, text in SAID.items())
MOTTO = 'Oars out, "hearts" up, no splashing.'


def asked(id: str, gold: str, *needs: str, **more: Any) -> Probe:
    kind = more.pop("task", id)
    return Probe(id, f"What about {id}?", gold, (needs,), task=f"meme/{kind}", cluster="e", **more)


PROBES = (
    asked("pill-before", "Quelm", "pill", task="before", after="s-street"),
    asked("diet-before", "Brellow", "diet", task="before", after="s-street"),
    asked("club-before", "Harrow Rowers", "club", task="before", after="s-street"),
    asked("exact-recall", MOTTO, "motto"),
    asked("aggregation", "tea: Oolvar; cat: Pim; street: Gantry Lane", "tea", "cat", "street"),
    asked("tracking", "Tarrick, then Movane, then Sellit", "bike1", "bike2", "bike3"),
    asked("cascade", "Zorvane", "rule", "change", given="pill-before", outdated=(Outdated("pill", ("change",)),)),
    asked(
        "absence",
        "Uncertain: the knee has changed",
        "diet",
        "change",
        scoring="abstain",
        given="diet-before",
        outdated=(Outdated("diet", ("change",)),),
    ),
    asked(
        "deletion",
        "Nothing is kept about it",
        "gone",
        scoring="abstain",
        given="club-before",
        outdated=(Outdated("club", ("gone",)),),
    ),
)
RIGHT = {
    "pill-before": "You take Quelm.",
    "diet-before": "The Brellow diet.",
    "club-before": "The Harrow Rowers.",
    "exact-recall": "You said: “oars out, 'hearts' up,\n  no splashing.”",
    "aggregation": "You drink Oolvar, your cat is Pim and you live in Gantry Lane.",
    "tracking": "First a Tarrick, then a Movane, and now a Sellit.",
    "cascade": "It was Quelm before, but now you take Zorvane.",
    "absence": "I am not sure: your knee has changed, so please confirm whether Brellow still holds.",
    "deletion": "That was removed, I have no information about a club.",
}


def episode() -> Episode:
    sessions = tuple(Session(f"s-{id}", (Turn("user", text, f"s-{id}/0"),)) for id, text in SAID.items())
    return Episode("e", "meme/rowing", sessions, FACTS, PROBES)


def history() -> History:
    return History(Ingest(len(SAID), 0.0, len(SAID)), (Snapshot("end", "s-gone", None, tuple(SAID)),))


def brought(probe: Probe, missing: Sequence[str]) -> Trace:
    keys = [id for id in (*probe.sufficient[0], "rule") if id not in missing]
    return Trace(probe.id, 5, "end", tuple(Retrieved(key, n) for n, key in enumerate(dict.fromkeys(keys), start=1)))


def judged(
    answers: Mapping[str, str],
    missing: Mapping[str, Sequence[str]] | None = None,
    server: StubServer | None = None,
    seated: bool = True,
) -> dict[str, ProbeVerdict]:
    """The verdicts where these probes were answered so, each without some of what it needs."""
    missing = missing or {}
    traces = [brought(probe, missing.get(probe.id, ())) for probe in PROBES if probe.id in answers]
    given = [Answer(id, 5, "taker", text=text) for id, text in answers.items()]

    async def go(url: str) -> list[ProbeVerdict]:
        async with Client(f"{url}#judge", backoff=0.001, max_retries=0, breaker=Breaker(0.1)) as client:
            texts = lambda keys: {key: SAID[key] for key in keys}  # noqa: E731
            judge = Judge(client) if seated else None
            unit = judge_store(episode(), history(), traces, given, texts, "meme", "it", judge, "taker")
            return [verdict async for verdict in unit]

    if server is not None:
        return {v.probe: v for v in asyncio.run(go(server.url))}
    with StubServer(ContentJudge()) as own:
        return {v.probe: v for v in asyncio.run(go(own.url))}


def stages(server: StubServer) -> list[str]:
    found = []
    for request in server.requests:
        messages = "\n".join(str(m["content"]) for m in request.body["messages"])
        found.append(str(json.loads(messages.partition("<<<DATA\n")[2].rpartition("\nDATA>>>")[0])["stage"]))
    return found


# ------------------------------------------------------------------ right, whatever was retrieved


def test_right_answers_to_everything_are_right_and_credited() -> None:
    found = judged(RIGHT)
    assert {id: (v.verdict, v.right, v.credit) for id, v in found.items()} == dict.fromkeys(
        RIGHT, ("correct", True, 1.0)
    )
    assert {id: v.tags["pair"] for id, v in found.items() if "pair" in v.tags} == dict.fromkeys(
        ("cascade", "absence", "deletion"), "credited"
    )
    assert all(v.depth == "full" for v in found.values())


def test_an_answer_can_be_right_without_what_it_needed() -> None:
    found = judged(RIGHT, {"aggregation": ["tea"], "pill-before": ["pill"], "cascade": ["change"]})
    assert (found["aggregation"].verdict, found["aggregation"].right) == ("not_retrieved", True)
    assert (found["pill-before"].verdict, found["pill-before"].right) == ("not_retrieved", True)
    cascade = found["cascade"]
    assert (cascade.verdict, cascade.right, cascade.tags["pair"]) == ("not_retrieved", True, "credited")


def test_a_wrong_answer_is_misread_only_where_everything_was_there() -> None:
    wrong = {**RIGHT, "aggregation": "You drink Oolvar."}
    there, gone = judged(wrong)["aggregation"], judged(wrong, {"aggregation": ["cat"]})["aggregation"]
    assert (there.verdict, there.right) == ("reasoning_error", False)
    assert (gone.verdict, gone.right) == ("not_retrieved", False)
    assert {fact.verdict for fact in gone.facts} == {"correct", "not_retrieved"}


def test_the_answers_of_every_task_are_judged_whatever_was_retrieved() -> None:
    probe = replace(PROBES[0], task="memfail/persona")
    with StubServer(ContentJudge()) as server:
        found = _one(probe, "You take Quelm.", brought(probe, ["pill"]), server)
        assert (found.verdict, found.right, found.right_without_evidence) == ("not_retrieved", True, True)
        found = _one(probe, "You take Zorvane.", brought(probe, ["pill"]), server)
        assert (found.verdict, found.right, found.right_without_evidence) == ("not_retrieved", False, False)
        found = _one(probe, "You take Quelm.", brought(probe, []), server)
        assert (found.verdict, found.right, found.right_without_evidence) == ("correct", True, False)


def _one(probe: Probe, text: str, trace: Trace, server: StubServer) -> ProbeVerdict:
    async def go() -> list[ProbeVerdict]:
        async with Client(f"{server.url}#judge") as client:
            alone = replace(episode(), probes=(probe,))
            given = [Answer(probe.id, 5, "taker", text=text)]
            texts = lambda keys: {key: SAID[key] for key in keys}  # noqa: E731
            unit = judge_store(alone, history(), [trace], given, texts, "x", "it", Judge(client), "taker")
            return [verdict async for verdict in unit]

    return asyncio.run(go())[0]


def test_a_letter_says_whether_the_answer_is_right_whatever_was_retrieved() -> None:
    probe = Probe("c", "Which?", "B", (("pill",),), "choice", ("x", "y"), "B")
    with StubServer(ContentJudge()) as server:
        found = _one(probe, '{"selected_choice": "B"}', brought(probe, ["pill"]), server)
        assert (found.verdict, found.right, found.credit) == ("not_retrieved", True, 1.0)
        found = _one(probe, '{"selected_choice": "A"}', brought(probe, []), server)
        assert (found.verdict, found.right, found.credit) == ("reasoning_error", False, 0.0)
        assert not server.requests


def test_an_answer_that_cannot_be_judged_is_an_error_and_no_wrong_answer() -> None:
    with StubServer(ContentJudge(), faults=Faults().first(99, ["500"])) as server:
        found = judged({"aggregation": RIGHT["aggregation"]}, {"aggregation": ["tea"]}, server)["aggregation"]
    assert (found.verdict, found.right, found.credit) == ("error", None, None)
    assert "could not be judged" in str(found.error)


# ------------------------------------------------------------------ task by task

WRONG = [
    ("exact-recall", "Oars up, hearts out, no splashing.", 0.0),
    ("aggregation", "You drink Oolvar and live in Gantry Lane.", 2 / 3),
    ("aggregation", "I have no information about that.", 0.0),
    ("tracking", "A Sellit, then a Tarrick, then a Movane.", 2 / 3),
    ("tracking", "A Tarrick, and now a Sellit.", 2 / 3),
    ("tracking", "", 0.0),
    ("cascade", "You take Quelm.", 0.0),
    ("cascade", "I have no information about that.", 0.0),
    ("cascade", "If your knee gets better, you will take Zorvane.", 0.0),
    ("absence", "You eat Brellow.", 0.0),
    ("absence", "Vegetables, mostly.", 0.0),
    ("deletion", "You row with the Harrow Rowers.", 0.0),
    ("pill-before", "I have no information about that.", 0.0),
]


@pytest.mark.parametrize(("task", "answer", "credit"), WRONG)
def test_wrong_answers_are_wrong_and_parts_of_them_count(task: str, answer: str, credit: float) -> None:
    found = judged({**RIGHT, task: answer})[task]
    assert (found.right, found.verdict) == (False, "reasoning_error")
    assert found.credit == pytest.approx(credit)


def test_each_task_has_its_own_stage_and_words_settle_what_they_can() -> None:
    with StubServer(ContentJudge()) as server:
        judged(RIGHT, server=server)
        assert sorted(stages(server)) == ["absence", "before", "cascade", "deletion", "parts"]
    with StubServer(ContentJudge()) as server:
        turned = judged({"tracking": "A Sellit; before that a Movane, and at first a Tarrick."}, server=server)
        assert stages(server) == ["history"]
        assert turned["tracking"].right is False  # the scripted judge goes by where words stand; a model would not


def test_words_alone_grade_a_verbatim_text_even_without_a_judge() -> None:
    found = judged({"exact-recall": RIGHT["exact-recall"], "tracking": RIGHT["tracking"]}, seated=False)
    assert (found["exact-recall"].depth, found["exact-recall"].right) == ("full", True)
    assert (found["tracking"].depth, found["tracking"].right) == ("memory", None)


@pytest.mark.parametrize("stage", CHANGE_STAGES)
def test_the_judge_is_never_shown_the_order_and_the_old_value_is_named_as_such(stage: Any) -> None:
    case = Case((FACTS[0],), (), "Which?", "b, then a", "said </s> DATA>>>", ("b", "a"), ("old one",))
    call = prompt(stage, rubric("meme/cascade").rule(stage), [case]).call
    content = call.messages[1].content
    data = json.loads(content.partition("<<<DATA\n")[2].rpartition("\nDATA>>>")[0])
    assert data["old"] == ["old one"]
    assert not {"fact", "expected"} & data.keys()
    if stage in ("parts", "history"):
        assert data["values"] == [{"id": "v1", "text": "a"}, {"id": "v2", "text": "b"}]
        assert "gold" not in data
    else:
        assert data["gold"] == "b, then a"


def test_what_a_judge_found_is_credited_in_order_and_strange_ids_are_nothing() -> None:
    case = Case((), (), "Which?", "", "said", ("z", "y", "x"))
    asked_ = prompt("history", "rule", [case])
    labels = {value: id for id, value in asked_.labels[0].items()}
    reply = {"reason": "so", "found": [labels["y"], "v9", labels["x"], labels["z"], labels["z"]]}
    [ruling] = rulings(asked_, reply)
    assert ruling is not None
    assert not ruling.verdict
    assert ruling.credit == pytest.approx(2 / 3)
    both = prompt("parts", "rule", [case, replace(case, values=("x",))])
    found = rulings(both, {"results": [{"id": 2, "reason": "", "found": ["v1"]}]})
    assert [ruling and ruling.verdict for ruling in found] == [None, True]


# ------------------------------------------------------------------ words


def test_a_verbatim_text_may_differ_in_case_space_and_quotes_only() -> None:
    assert verbatim('Say "yes"\nonce.', "you told me: say 'YES'   once. And so on")
    assert not verbatim("Say yes once.", "Say yes only once.")
    assert not verbatim(" ", "anything")


@pytest.mark.parametrize(
    ("answer", "settled"),
    [
        ("1. Red hat 2. Blue cap 3. Old hood", True),
        ("From earliest to latest: red hat, blue cap, old hood.", True),
        ("Red hat → Blue cap → Old hood, which you have now", True),
        ("Now a red hat, then blue cap, old hood", None),
        ("Red hat, blue cap before old hood", None),
        ("Old hood, blue cap, red hat", None),
        ("Red hat, blue cap", None),
        ("Red hat, blue cap, old hood, red hat", None),
        ("Not red hat, blue cap, old hood", None),
        ("You didn't have a red hat, blue cap, old hood", None),
        ("red hats, blue cap, old hood", None),
        ("Red hat, blue cap, green bonnet, old hood", None),
        ("You wore a red hat, blue cap, old hood", None),
        ("  ", False),
    ],
)
def test_words_settle_a_history_only_beyond_doubt(answer: str, settled: bool | None) -> None:
    assert in_order(("red hat", "Blue Cap", "old hood"), answer) is settled


def test_a_history_may_be_told_in_the_words_of_its_question() -> None:
    told, asked = "You wore a red hat, then a blue cap.", "Which headgear did I wear, or wore last year?"
    assert in_order(("red hat", "blue cap"), told, asked) is True
    assert in_order(("red hat", "blue cap"), "You wore a red hat, a bonnet, then a blue cap.", asked) is None


LETTERS = st.lists(st.sampled_from("abcde"), max_size=7)


@given(LETTERS, LETTERS)
def test_the_longest_common_order_agrees_with_trying_everything(a: list[str], b: list[str]) -> None:
    def has(part: tuple[str, ...]) -> bool:
        rest = iter(b)
        return all(item in rest for item in part)

    best = max(n for n in range(len(a) + 1) if any(has(part) for part in combinations(a, n)))
    assert longest_common(a, b) == longest_common(b, a) == best


@given(st.permutations(["a", "b", "c", "d"]), st.integers(0, 4))
def test_order_can_only_lower_the_credit(found: list[str], upto: int) -> None:
    values = ("a", "b", "c", "d")
    plain, ordered = (credit_for(found[:upto], values, in_order=flag) for flag in (False, True))
    assert plain == upto / 4
    assert ordered <= plain
    assert (ordered == 1) == (tuple(found[:upto]) == values)


# ------------------------------------------------------------------ pairs


def test_the_pair_is_about_answers_where_both_were_judged() -> None:
    unknown = "I have no information about that."
    found = judged({**RIGHT, "pill-before": unknown, "club-before": unknown, "cascade": "You take Quelm."})
    assert (found["cascade"].tags["pair"], found["cascade"].right, found["cascade"].credit) == (
        "never_knew",
        False,
        0.0,
    )
    deletion = found["deletion"]  # let go of what it never knew
    assert (deletion.tags["pair"], deletion.right, deletion.credit) == ("trivial", False, 0.0)
    assert deletion.verdict == "reasoning_error"
    failed = judged({**RIGHT, "absence": "You eat Brellow."})["absence"]
    assert (failed.tags["pair"], failed.right) == ("knew_but_failed", False)


def test_a_pair_stays_open_where_one_answer_is_missing() -> None:
    answers = {id: RIGHT[id] for id in ("cascade",)}
    [found] = judged(answers).values()
    assert (found.verdict, found.right, found.tags["pair"]) == ("error", None, "open")


# ------------------------------------------------------------------ tables


def verdict(id: str, right: bool | None, word: Any = "correct", **more: Any) -> ProbeVerdict:
    made = ProbeVerdict("meme", "meme/cascade", "it", "e", id, 5, "full", word, "?", "gold", (), answer="said")
    return replace(made, right=right, **more)


def test_accuracy_counts_answers_with_an_interval_that_knows_clusters() -> None:
    outcome = [("a", True), ("a", True), ("b", False), ("b", False), ("c", True), ("c", False)]
    [row] = table([verdict(f"p{n}", right, "not_stored", cluster=c) for n, (c, right) in enumerate(outcome)], [])
    assert (row.answered, row.accuracy, row.success) == (6, 0.5, 0.0)
    assert (row.accuracy_low, row.accuracy_high) == clustered(outcome)
    [plain] = table([verdict(f"p{n}", n < 3) for n in range(4)], [])
    assert (plain.accuracy_low, plain.accuracy_high) == wilson(3, 4)


def test_a_selection_of_answers_has_no_accuracy_and_errors_are_no_right_answers() -> None:
    probes = [verdict("a", True), verdict("b", None, "not_retrieved")]
    [row] = table(probes, [])
    assert (row.answered, row.accuracy, row.accuracy_low, row.accuracy_high) == (1, None, 0.0, 1.0)
    [row] = table([verdict("a", True), verdict("b", None, "error")], [])
    assert (row.answered, row.accuracy, row.accuracy_high) == (1, 0.5, 1.0)


def test_json_csv_and_records_carry_accuracy_and_credit() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    probes = [verdict("a", True, credit=1.0), verdict("b", False, "not_stored", credit=1 / 3)]
    rows = table(probes, [])
    jsonschema.validate(table_json(rows), SCHEMA)
    assert (
        table_json(rows)["rows"][0] | {"accuracy": 0.5, "answered": 2, "credit": 0.666667}
        == table_json(rows)["rows"][0]
    )
    assert [(r["right"], r["credit"]) for r in records(probes)] == [(True, 1.0), (False, 1 / 3)]


@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_terminal_shows_accuracy_only_where_answers_were_judged(width: int) -> None:
    def printed(*probes: ProbeVerdict) -> str:
        console = Console(file=io.StringIO(), width=width, color_system=None)
        print_table(table(probes, []), console)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    text = printed(verdict("a", True, "not_stored"), verdict("b", True), verdict("c", False, "not_retrieved"))
    assert all(part in text for part in ("66.7 %", "33.3 %", "Accuracy:"))
    assert max(map(len, text.splitlines())) <= width
    assert "ccuracy" not in printed(verdict("a", None))


def test_probes_of_several_tasks_share_one_store() -> None:
    store = StoreSummary("meme", "meme/rowing", "it", "e", 3, 10, 250, 0.1)
    [row] = table([verdict("a", True)], [store])
    assert row.tokens_per_memory == 25


# ------------------------------------------------------------------ show


class Run:
    """Verdicts and stores, as a run has them."""

    def __init__(self, verdicts: Sequence[ProbeVerdict], stores: Sequence[StoreSummary] = ()) -> None:
        self.verdicts, self.stores = list(verdicts), list(stores)


def shown(run: Run, by: str, capsys: pytest.CaptureFixture[str], form: Any = "table", width: int = 160) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    show(run, console, by, form=form)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue() or capsys.readouterr().out


OUTCOMES = [
    *(verdict(f"a{n}", True) for n in range(4)),
    *(verdict(f"b{n}", False, "reasoning_error") for n in range(3)),
    *(verdict(f"c{n}", True, "not_retrieved") for n in range(2)),
    verdict("d", False, "not_stored"),
    verdict("e", None, "summary_error"),
    verdict("f", None, "error"),
    verdict("g", True, "uncertain"),
]


def test_outcomes_set_retrieval_against_answers(capsys: pytest.CaptureFixture[str]) -> None:
    [row] = outcomes(OUTCOMES)
    assert (row.retrieved_right, row.retrieved_wrong, row.missing_right, row.missing_wrong) == (4, 3, 2, 1)
    assert (row.unjudged, row.open, row.n) == (1, 2, 13)
    [late] = outcomes([*OUTCOMES, verdict("h", None, "error", depth="memory")])  # raised before it could be answered
    assert (late.open, late.n) == (3, 14)
    several = [verdict(f"p{n}", True, system=s, task=t) for n, (s, t) in enumerate(product("ab", "xy"))]
    rows = [(row.task, row.system, row.n) for row in outcomes(several)]
    assert rows[:4] == [("x", "a", 1), ("x", "b", 1), ("y", "a", 1), ("y", "b", 1)]
    assert rows[4:] == [("meme/all", "a", 2), ("meme/all", "b", 2)]  # over all tasks
    told = json.loads(shown(Run(OUTCOMES), "outcome", capsys, "json"))
    assert told["schema"] == "memtriage.outcomes/1"
    assert told["rows"][0]["missing_right"] == 2
    lines = shown(Run(OUTCOMES), "outcome", capsys).splitlines()
    assert (lines[0], lines[3].split()) == ("meme/cascade", "it 5 13 4 3 2 1 1 2".split())
    with pytest.raises(BadInput, match="--judge"):
        shown(Run([verdict("a", None)]), "outcome", capsys)


def test_pairs_are_reported_below_the_table_for_each_system(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["credited"] * 3 + ["knew_but_failed"] * 2 + ["never_knew"] + ["trivial"] * 4
    run = Run([verdict(f"p{n}", True, tags={"pair": word, "hop": "1"}) for n, word in enumerate(words)])
    text = shown(run, "task", capsys)
    assert "  it: 3 credited, 2 knew but failed, 1 never knew, 4 trivial\n" in text
    assert "before and after" not in shown(Run(OUTCOMES), "task", capsys)
    assert json.loads(shown(run, "hop", capsys, "json"))["rows"][0]["hop"] == "1"


def test_pairs_are_counted_by_task_system_and_filler_with_the_rate_of_trivial_passes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["credited"] * 3 + ["knew_but_failed"] * 2 + ["never_knew"] + ["trivial"] * 2
    low = [verdict(f"p{n}", True, tags={"pair": word, "filler": "none"}) for n, word in enumerate(words)]
    high = [verdict(f"p{n}", True, tags={"pair": "trivial", "filler": "32k"}) for n in range(2)]
    unknown = [verdict("q", None, tags={"pair": "open", "filler": "128k"}), verdict("r", True, tags={"filler": "none"})]
    rows = paired([*low, *high, *unknown])
    assert [(row.filler, row.n, row.trivial, row.trivial_rate) for row in rows] == [
        ("none", 8, 2, 0.25), ("32k", 2, 2, 1.0), ("128k", 1, 0, None)
    ]  # fmt: skip
    assert (rows[0].credited, rows[0].knew_but_failed, rows[0].never_knew, rows[0].open) == (3, 2, 1, 0)
    told = json.loads(shown(Run(low), "pair", capsys, "json"))
    assert (told["schema"], told["rows"][0]["trivial_rate"]) == ("memtriage.pairs/1", 0.25)
    printed = [line.split() for line in shown(Run(low), "pair", capsys).splitlines()]
    assert "it 5 none 8 3 2 1 2 0 25.0".split() in printed
    with pytest.raises(BadInput, match="before and after"):
        shown(Run(OUTCOMES), "pair", capsys)


# ------------------------------------------------------------------ costs


def test_a_store_adds_up_what_its_traces_took() -> None:
    clock = AskingTotals()
    traces = [Trace("p", 5, usage=Usage(1, 0, 0, 100, 10, 0.25)), Trace("q", 5, usage=Usage(2, 1, 0, 50, 5, 0.5))]
    assert list(clock.add(iter([*traces, Trace("r", 5)]))) == [*traces, Trace("r", 5)]
    ingest = Ingest(3, 1.0, usage=Usage(7, 0, 0, 1000, 200, 2.0))
    made = summary(episode(), "it", History(ingest), clock, Usage(4, 0, 0, 40, 4, None))
    assert made.ingest_usage == Usage(7, 0, 0, 1000, 200, 2.0)
    assert made.retrieve_usage == Usage(3, 1, 0, 150, 15, 0.75)
    assert summary(episode(), "it", History(Ingest(3, 1.0)), AskingTotals()).retrieve_usage is None


def stores() -> list[StoreSummary]:
    plain = StoreSummary("meme", "meme/x", "bm25", "e", 3, 10, 250, 0.1, answer_usage=Usage(2, 0, 0, 800, 40, 0.02))
    wiki = replace(plain, system="wiki", answer_usage=Usage(2, 0, 0, 300, 60, None))
    return [
        plain,
        replace(wiki, ingest_usage=Usage(10, 0, 0, 5000, 900, 1.5), retrieve_usage=Usage(1, 0, 0, 100, 10, 0.1)),
        replace(wiki, episode="e2", ingest_usage=Usage(20, 4, 0, 7000, 1100, 2.5)),
    ]


def test_costs_are_split_by_stage_and_told_per_episode(capsys: pytest.CaptureFixture[str]) -> None:
    found = {(row.system, row.stage): row for row in costs(stores())}
    stages = [
        ("bm25", "answer"),
        ("bm25", "all"),
        *(("wiki", name) for name in ("ingest", "retrieve", "answer", "all")),
    ]
    assert list(found) == stages
    ingest = found["wiki", "ingest"]
    assert (ingest.episodes, ingest.calls, ingest.cached, ingest.input_tokens, ingest.dollars) == (2, 15, 2, 6000, 2.0)
    assert found["wiki", "retrieve"].dollars == 0.05
    assert found["wiki", "answer"].dollars is None
    assert (ingest.all_input, ingest.all_dollars) == (None, None), "four replies are from the cache, of unknown size"
    lines = shown(Run([], stores()), "cost", capsys).splitlines()
    assert [line.split() for line in lines[2:8]] == [
        ["bm25", "answer", "1", "800", "40", "0.0200", "800", "40", "0.0200"],
        ["bm25", "all", "1", "800", "40", "0.0200", "800", "40", "0.0200", "1.0×"],
        ["wiki", "ingest", "2", "6,000", "1,000", "2.0000", "–", "–", "unknown"],
        ["wiki", "retrieve", "2", "50", "5", "0.0500", "50", "5", "0.0500"],
        ["wiki", "answer", "2", "300", "60", "unknown", "300", "60", "unknown"],
        ["wiki", "all", "2", "6,350", "1,065", "unknown", "–", "–", "unknown"],
    ]
    told = json.loads(shown(Run([], stores()), "cost", capsys, "json"))
    assert (told["schema"], told["rows"][-1]["dollars"]) == ("memtriage.costs/1", None)


def test_stores_as_csv_have_a_column_for_each_number_of_a_usage(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(shown(Run([], stores()), "store", capsys, "csv"))))
    assert (rows[1]["ingest_usage_input_tokens"], rows[0]["ingest_usage_input_tokens"]) == ("5000", "")


def test_a_whole_run_keeps_answers_and_what_they_cost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from memtriage import api
    from memtriage.config import Limits
    from memtriage.models.scripted import content

    prices = tmp_path / "prices.json"
    prices.write_text(json.dumps({"m": {"input": 2.0, "output": 4.0}}))
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(prices))
    with StubServer(content) as server:
        model = f"{server.url}#m"
        run = api.run(
            "bm25", suite="memfail/long-hop", rows=2, k=[2], out=tmp_path / "run", answer=model, judge=model,
            limits=Limits(cache=tmp_path / "cache.db"),
        )  # fmt: skip
    used = [store.answer_usage for store in run.stores()]
    taken = sum((one for one in used if one is not None), Usage())
    [row] = run.rows()
    assert row.answered == row.n == taken.calls > 0
    assert taken.dollars == pytest.approx((2 * taken.input_tokens + 4 * taken.output_tokens) / 1e6)
    assert run.cost is not None
    assert taken.dollars == pytest.approx(run.cost["roles"]["answer"]["answer"]["dollars"])
    assert all(v.right is not None for v in run.verdicts())


def test_right_answers_without_their_evidence_are_counted_and_named_as_such(
    capsys: pytest.CaptureFixture[str],
) -> None:
    probes = [
        verdict("a", True),
        verdict("b", True, "not_retrieved"),
        verdict("c", True, "not_stored"),
        verdict("d", False, "not_stored"),
        verdict("e", True, "uncertain"),
        replace(verdict("f", None, "n/a"), why="nobody answered"),
    ]
    [row] = table(probes, [])
    assert (row.answered, row.accuracy, row.right_without_evidence) == (5, 0.8, 2)
    assert [r["right_without_evidence"] for r in records(probes)] == [False, True, True, False, False, False]
    assert "2 answers are right without their evidence" in " ".join(shown(Run(probes), "task", capsys).split())
    lines = shown(Run(probes), "probe", capsys, width=300).splitlines()
    assert [line.split()[0] for line in lines if "right without its evidence" in line] == ["b", "c"]
    assert [line.split()[0] for line in lines if "nobody answered" in line] == ["f"]
