"""Document QA and merged chat histories: what the text says, worked out again from the text alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from cProfile import Profile
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Suite, Task
from memtriage.suites.kit.words import records
from memtriage.suites.longmemeval.generate.catalogue import Collection, collections
from memtriage.suites.longmemeval.generate.values import amount, capitalized, number_in, the
from memtriage.suites.longmemeval.public import TYPES, Chat, ChatIndex, Evidence, Gold, Message, Question
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, Query
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import docqa, longmemeval
from memtriage.suites.memoryagentbench.generate.docqa import WITH_ARTICLE, relations
from memtriage.text.sentences import sentences, spans
from memtriage.text.tokens import count_tokens

KINDS: tuple[docqa.DocKind, ...] = ("sh-docqa", "mh-docqa")
DOCUMENT = re.compile(r"Document (\d+): (.+)\n(.+)")


@cache
def generate(kind: docqa.DocKind, length: int = 6_000, rows: int = 40, seed: int = 1) -> Context:
    return next(docqa.contexts(length, rows, seed, {}, kind))


@cache
def chats(length: int = 90_000, rows: int = 15, seed: int = 3) -> Context:
    return next(longmemeval.contexts(length, rows, seed, {}))


def whole_sentences(context: Context) -> None:
    """Every passage stands in its place, begins and ends with a sentence, and holds its details."""
    cut = list(spans(context.text))
    ends = {end for _, end in cut}
    starts = {start for start, _ in cut}
    starts |= {start + len(label[0]) for start in starts if (label := re.match(r"\w+: ", context.text[start:]))}
    for passage in context.passages:
        end = passage.start + len(passage.text)
        assert context.text[passage.start : end] == passage.text
        assert passage.start in starts, passage
        assert end in ends, passage
        assert all(detail in passage.text for detail in passage.details), passage
    ids = [query.id for query in context.queries]
    assert len(set(ids)) == len(ids)
    assert all(id.startswith(f"{context.id}/q") for id in ids)
    named = {id for q in context.queries for ids in (*q.needed, *((o, *v) for o, v in q.outdated)) for id in ids}
    assert named <= {passage.id for passage in context.passages}


# ------------------------------------------------------------------ documents, read by patterns


class Fact(NamedTuple):
    value: str
    sentence: str


class Documents:
    """What a text of documents tells, found by patterns, and what questions about it come to."""

    def __init__(self, text: str) -> None:
        self.facts: dict[str, dict[str, Fact]] = {}
        for _, title, body in DOCUMENT.findall(text):
            assert title not in self.facts
            mine = self.facts.setdefault(title, {})
            for said in sentences(body):
                for relation, subject, value in facts_in(said):
                    assert subject == title  # nothing is told of a thing but in its own document
                    assert relation not in mine  # and nothing twice
                    mine[relation] = Fact(value, said)

    def answers(self, question: str) -> Iterator[tuple[str, list[str]]]:
        """Every way to read a question: the answer, and the sentences that give it."""
        for relation in relations().values():
            for words in relation.asks:
                for (subject,) in read(words, question, "subject"):
                    for name, before in self.named(subject):
                        if fact := self.facts[name].get(relation.name):
                            yield fact.value, [*before, fact.sentence]
            for form in relation.compare:
                for pair, facts in self.both(form["asks"], question, relation.name):
                    numbers = [int(re.sub(r"\D", "", fact.value)) for fact in facts]
                    assert numbers[0] != numbers[1]
                    right = numbers.index(min(numbers) if form["answer"] == "lower" else max(numbers))
                    yield without_article(pair[right]), [fact.sentence for fact in facts]
            for _, facts in self.both(relation.same, question, relation.name):
                yield "yes" if facts[0].value == facts[1].value else "no", [fact.sentence for fact in facts]

    def both(self, words: str, question: str, relation: str) -> Iterator[tuple[tuple[str, ...], list[Fact]]]:
        for pair in read(words, question, "a", "b"):
            found = [self.facts.get(without_article(name), {}).get(relation) for name in pair]
            if facts := [fact for fact in found if fact] if all(found) else []:
                yield pair, facts

    def named(self, subject: str) -> Iterator[tuple[str, list[str]]]:
        """The things that words may stand for, and the sentences that say so."""
        if without_article(subject) in self.facts:
            yield without_article(subject), []
        for relation in relations().values():
            for (name,) in read(relation.via, subject, "subject"):
                fact = self.facts.get(without_article(name), {}).get(relation.name)
                if fact and fact.value in self.facts:
                    yield fact.value, [fact.sentence]
        for form in records(PACKAGE, "docqa/descriptions")["descriptions"]:
            for values in read(form["text"], subject, "first", "second"):
                for name, facts in self.facts.items():
                    found = [facts[relation] for relation in form["relations"] if relation in facts]
                    if [fact.value for fact in found] == list(map(without_article, values)):
                        yield name, [fact.sentence for fact in found]


def without_article(name: str) -> str:
    return name.removeprefix("the ")


@cache
def pattern(words: str) -> re.Pattern[str]:
    gaps = {"a_value": "an? (?P<value>.+)"}
    parts = enumerate(re.split(r"\{(\w+)\}", words))
    return re.compile("".join(gaps.get(p, f"(?P<{p}>.+)") if n % 2 else re.escape(p) for n, p in parts))


def read(words: str, text: str, *names: str) -> Iterator[tuple[str, ...]]:
    if found := pattern(words).fullmatch(text):
        yield tuple(found[name] for name in names)


def facts_in(said: str) -> Iterator[tuple[str, str, str]]:
    for relation in relations().values():
        for words in relation.told:
            for subject, value in read(words, said, "subject", "value"):
                subject = re.sub("^[Tt]he ", "", subject) if relation.about in WITH_ARTICLE else subject
                value = re.sub("^[Tt]he ", "", value) if relation.value in WITH_ARTICLE else value
                yield relation.name, subject, value


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 10_000), kind=st.sampled_from(KINDS), length=st.sampled_from([3_000, 6_000, 15_000]))
def test_gold_is_the_one_answer_that_the_documents_give(seed: int, kind: docqa.DocKind, length: int) -> None:
    context = next(docqa.contexts(length, 40, seed, {}, kind))
    world = Documents(context.text)
    said = {passage.id: passage.text for passage in context.passages}
    for query in context.queries:
        (needed,) = query.needed
        found = {(answer, tuple(sorted(rest))) for answer, rest in world.answers(query.text)}
        assert found == {(query.golds[0], tuple(sorted(said[id] for id in needed)))}, query
        assert query.scoring == "contains"
    whole_sentences(context)
    assert abs(count_tokens(context.text) - length) <= 0.03 * length


@pytest.mark.parametrize("kind", KINDS)
def test_questions_are_of_every_sort_and_each_is_asked_once(kind: docqa.DocKind) -> None:
    context = generate(kind, 30_000, 100)
    assert len({query.text for query in context.queries}) == 100
    ops = [query.tags["op"] for query in context.queries]
    if kind == "sh-docqa":
        assert {query.tags["hop"] for query in context.queries} == {"1"}
        assert ops.count("described") == 33
    else:
        assert {query.tags["hop"] for query in context.queries} == {"2"}
        assert ops.count("bridge") > ops.count("compare") > 10
        yes_no = [query.golds for query in context.queries if query.tags["op"] == "same"]
        assert abs(yes_no.count(("yes",)) - yes_no.count(("no",))) <= 1


def test_documents_are_short_numbered_and_easily_mistaken_for_each_other() -> None:
    found = DOCUMENT.findall(generate("sh-docqa", 30_000).text)
    assert [int(number) for number, _, _ in found] == list(range(1, len(found) + 1))
    words = [len(body.split()) for _, _, body in found]
    assert min(words) >= 50
    assert max(words) <= 160
    assert 80 < sum(words) / len(words) < 125
    endings = [title.split()[-1] for _, title, _ in found if len(title.split()) > 1]
    shared = [ending for ending in endings if endings.count(ending) > 1]
    assert len(shared) > 0.6 * len(endings)


def test_questions_use_other_words_than_the_documents() -> None:
    """Names apart, the sentence that answers shares few words with its question."""
    small = set("the a an of in to is was did does which what who where when it its for by and at on that".split())
    shared = 0.0
    context = generate("sh-docqa", 30_000, 60)
    said = {passage.id: passage for passage in context.passages}
    for query in context.queries:
        passage = said[query.needed[0][-1]]
        names = set(re.findall(r"\w+", " ".join(passage.details).lower()))
        question = set(re.findall(r"\w+", query.text.lower())) - small - names
        shared += len(question & set(re.findall(r"\w+", passage.text.lower()))) / len(question)
    assert shared / len(context.queries) < 0.15


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_seed_gives_the_same_documents_and_another_one_others(kind: docqa.DocKind) -> None:
    again = next(docqa.contexts(6_000, 40, 1, {}, kind))
    assert again == generate(kind)
    assert again.tags == {"length": "6k"}
    assert next(docqa.contexts(6_000, 40, 2, {}, kind)).text != again.text


def test_too_short_a_context_is_refused() -> None:
    with pytest.raises(BadInput, match="at least 3000 tokens, not 50"):
        next(docqa.contexts(50, 10, 1, {}))
    with pytest.raises(BadInput, match="fit into 500 tokens"):
        next(longmemeval.contexts(500, 10, 1, {}))


def test_the_work_grows_in_proportion_to_the_length() -> None:
    def calls(length: int) -> int:
        with Profile() as profile:
            next(docqa.contexts(length, 100, 1, {}, "mh-docqa"))
        return sum(entry.callcount for entry in profile.getstats())

    calls(10_000)
    assert calls(200_000) < 4.6 * calls(50_000)


# ------------------------------------------------------------------ histories

SESSION = re.compile(r"^Session on (\d{4}/\d\d/\d\d) \((\w{3})\) (\d\d:\d\d)\n", re.MULTILINE)
SAID = re.compile(r"^(user|assistant): ", re.MULTILINE)


class ReadSession(NamedTuple):
    """A session as it is read back from the text."""

    at: datetime
    start: int
    end: int
    chat: Chat


def sessions_in(context: Context) -> list[ReadSession]:
    heads = list(SESSION.finditer(context.text))
    ends = [*(head.start() for head in heads[1:]), len(context.text)]
    return [read_back(context.text, head, end) for head, end in zip(heads, ends, strict=True)]


def read_back(text: str, head: re.Match[str], end: int) -> ReadSession:
    at = datetime.strptime(f"{head[1]} {head[3]}", "%Y/%m/%d %H:%M")
    assert head[2] == f"{at:%a}"
    body = text[head.end() : end]
    marks = list(SAID.finditer(body))
    ends = [*(mark.start() for mark in marks[1:]), len(body)]
    told = tuple(Message(m[1], body[m.end() : stop].strip()) for m, stop in zip(marks, ends, strict=True))
    return ReadSession(at, head.start(), end, Chat(str(head.start()), told))


def evidence_of(context: Context, query: Query) -> list[tuple[ReadSession, str]]:
    """The sessions that a question rests on, with the sentences, in the order in which they were told."""
    sessions = sessions_in(context)
    found = []
    for passage in context.passages:
        if passage.id.startswith(f"{query.id}/e"):
            (home,) = (session for session in sessions if session.start <= passage.start < session.end)
            found.append((home, passage.text))
    return found


def test_sessions_stand_in_the_order_of_time_and_speak_in_turn() -> None:
    sessions = sessions_in(chats())
    times = [session.at for session in sessions]
    assert times == sorted(times)
    for session in sessions:
        assert [message.role for message in session.chat.messages[:2]] == ["user", "assistant"]
    whole_sentences(chats())


def test_every_question_is_asked_after_its_own_evidence_and_most_need_it() -> None:
    context = chats(rows=40)
    types = {query.tags["type"] for query in context.queries}
    assert types == {*TYPES, "abstention"}
    for query in context.queries:
        told = evidence_of(context, query)
        if query.tags["type"] == "abstention":
            assert (query.needed, query.scoring, told) == ((), "abstain", [])
            continue
        assert query.scoring == "free"
        assert len(told) == int(query.tags["sessions"])
        assert query.asked_at is not None
        assert all(session.at < datetime.fromisoformat(query.asked_at) for session, _ in told)
        outdated = [id for id, _ in query.outdated]
        if query.tags["type"] == "knowledge-update":
            assert len(outdated) == (query.tags["op"] == "present")
        assert set(outdated).isdisjoint(query.needed[0])


@pytest.mark.parametrize(("rows", "seed"), [(15, 3), (15, 4), (3, 2), (3, 7)])
def test_no_other_chat_bears_on_a_question(rows: int, seed: int) -> None:
    """By words alone, for every question and every session that isn't its own."""
    context = chats(90_000, rows, seed)
    sessions = [(one.start, ChatIndex.of(one.chat)) for one in sessions_in(context)]
    for query in context.queries:
        type = next((type for type in TYPES if type == query.tags["type"]), TYPES[0])
        mine = {session.start for session, _ in evidence_of(context, query)}
        details = tuple(d for p in context.passages if p.id.startswith(f"{query.id}/e") for d in p.details)
        told = (Evidence("", 0, (), details),) if details else ()
        id = "q_abs" if query.tags["type"] == "abstention" else "q"
        gold = Gold.of_question(Question(id, type, query.text, query.golds[0], "", (), (), told))
        assert mine or id == "q_abs"
        for start, heard in sessions:
            if start not in mine:
                assert gold.conflict(heard) is None, (query.text, heard.chat)


@pytest.mark.parametrize("seed", [3, 4, 7])
def test_sums_and_counts_take_in_everything_of_the_kind_in_the_whole_text(seed: int) -> None:
    context = chats(seed=seed)
    told = [m.text for session in sessions_in(context) for m in session.chat.messages if m.role == "user"]
    said = [one for text in told for one in sentences(text)]
    for query in context.queries:
        kind = next((one for one in collections() if query.text in one.asks.values()), None)
        if kind is None or query.tags["op"] not in ("count", "sum", "most"):
            continue
        found = [item for sentence in said for item in things(kind, sentence)]
        assert len(found) == len(query.needed[0]) > 1
        figures = [figure for _, figure in found]
        largest = found[figures.index(max(figures))][0]
        right = {"count": str(len(found)), "sum": amount(sum(figures), kind.unit), "most": capitalized(the(largest))}
        assert query.golds == (right[query.tags["op"]],)


def things(kind: Collection, said: str) -> list[tuple[str, int]]:
    """What a sentence tells of a kind, found by the figures and the things that there are."""
    shown = [figure for figure in kind.figures if amount(figure, kind.unit) in said]
    if not shown:
        return []
    there = [item for item in kind.items if re.search(rf"\b{re.escape(item)}\b", said, re.IGNORECASE)]
    longest = max(there, key=len, default=None)
    return [(longest, number_in(amount(max(shown), kind.unit)))] if longest else []


def test_how_long_ago_follows_from_the_dates_alone() -> None:
    seen = 0
    for seed in (3, 4, 7, 8, 9):
        context = chats(seed=seed)
        for query in context.queries:
            if query.tags.get("op") not in ("ago", "between") or query.tags.get("time") != "metadata":
                continue
            days = [session.at.date() for session, _ in evidence_of(context, query)]
            assert query.asked_at is not None
            last = datetime.fromisoformat(query.asked_at).date() if query.tags["op"] == "ago" else max(days)
            gone = (last - min(days)).days
            assert query.golds == (amount(gone // (7 if query.tags["unit"] == "weeks" else 1), query.tags["unit"]),)
            dates = [p for p in context.passages if p.id in query.needed[0] and p.text.startswith("Session on")]
            assert len(dates) == len(days)  # without the date of the chat there is no telling
            seen += 1
    assert seen >= 3


def test_the_length_holds_and_the_seed_decides() -> None:
    for length in (6_000, 20_000):
        context = chats(length, 4, 1)
        assert abs(count_tokens(context.text) - length) <= 0.03 * length
        assert context.tags == {"length": f"{length // 1000}k"}
    again = next(longmemeval.contexts(20_000, 4, 1, {}))
    assert again == chats(20_000, 4, 1)
    assert next(longmemeval.contexts(20_000, 4, 2, {})).text != again.text


def test_several_dialogues_differ_and_a_wrong_number_of_them_is_refused() -> None:
    made = list(longmemeval.contexts(8_000, 3, 1, {"contexts": "3"}))
    assert len({context.id for context in made}) == len({context.text for context in made}) == 3
    with pytest.raises(BadInput, match="contexts must be a whole number of at least 1"):
        next(longmemeval.contexts(8_000, 3, 1, {"contexts": "none"}))


# ------------------------------------------------------------------ floor and ceilings


@pytest.mark.parametrize("kind", ["sh-docqa", "mh-docqa", "longmemeval"])
def test_ceilings_reach_one_and_the_floor_nothing(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = next((generate(each, 8_000, 30) for each in KINDS if each == kind), None) or chats(30_000, 10)
    task = Task(f"memoryagentbench/{kind}", "", 1, lambda request: Loaded([episode(context)], {"source": "generated"}))
    monkeypatch.setattr(plugins, "suite", lambda name: Suite("memoryagentbench", "", "", "", "1", (task,)))
    run = api.run("oracle", "full-context", "none", suite="memoryagentbench", k=[500], out=tmp_path / "run")
    abstain = {query.id for query in context.queries if query.scoring == "abstain"}
    found: dict[str, set[bool]] = {}
    for verdict in run.verdicts():
        if verdict.probe not in abstain:
            found.setdefault(verdict.system, set()).add(verdict.verdict == "correct")
    assert found == {"oracle": {True}, "full-context": {True}, "none": {False}}
