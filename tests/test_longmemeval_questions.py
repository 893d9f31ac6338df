"""The generated LongMemEval questions: their gold answers, their evidence in chats, their variety."""

from __future__ import annotations

import re
from collections import Counter
from datetime import date, datetime, timedelta
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.suites.longmemeval.attributes import attributes, category, related
from memtriage.suites.longmemeval.generate.catalogue import (
    collections,
    events,
    links,
    listings,
    preferences,
    rotas,
    topics,
    user_facts,
)
from memtriage.suites.longmemeval.generate.chats import distractor_chat, evidence_chat
from memtriage.suites.longmemeval.generate.outlines import draw_outline
from memtriage.suites.longmemeval.generate.people import person
from memtriage.suites.longmemeval.generate.values import Values, amount, number_in
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.question import PER_500, TYPES, Chat, type_mixture
from memtriage.suites.memfail.dedup import jaccard, word_set
from memtriage.text.sentences import sentences


def _outlines(count: int, seed: int) -> list[Outline]:
    used: set[str] = set()
    rng = Random(seed)
    return [draw_outline(type, rng, used, abstention) for type, abstention in type_mixture(count, seed)]


@pytest.fixture(scope="module")
def five_hundred() -> list[Outline]:
    return _outlines(500, 1)


# The evaluator: gold answers worked out again from the words of the statements and of the question alone.

_PLACES = "first second third fourth fifth sixth".split()
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()


def _int(word: str) -> int:
    return _WORDS.index(word) if word in _WORDS else int(word.replace(",", ""))


def _figure(text: str) -> int:
    found = re.search(r"\d[\d,]*", text)
    assert found, text
    return int(found[0].replace(",", ""))


def _noun(item: str) -> str:
    return re.sub(r"^(?:an?|the) ", "", item, flags=re.IGNORECASE).lower()


def _day(statement: Statement, asked_on: str | None) -> date:
    """When what a statement tells of happened; without a question's day, any fixed one will do."""
    assert statement.days_before is not None
    held = date.fromisoformat(asked_on or "2023-05-30") - timedelta(days=statement.days_before)
    text = statement.text.lower()
    if asked_on is None:
        assert re.search(r"\b(today|this morning|just now)\b", text), text
        return held
    if found := re.search(
        r"\bon (january|february|march|april|may|june|july|august|september|october|november|december) (\d+)", text
    ):
        spoken = datetime.strptime(f"{found[1]} {found[2]} {held.year}", "%B %d %Y").date()
        return spoken if spoken <= held else spoken.replace(year=held.year - 1)
    if "yesterday" in text:
        return held - timedelta(days=1)
    if found := re.search(r"\b(\w+) days ago\b", text):
        return held - timedelta(days=_int(found[1]))
    found = re.search(r"\b(?:this past|last) (\w+day)\b", text)
    assert found, text
    day = held - timedelta(days=1)
    while f"{day:%A}".lower() != found[1]:
        day -= timedelta(days=1)
    return day


def _plain(clause: str) -> list[str]:
    return [word for word in re.findall(r"\w+", clause.lower()) if word not in "i you my your our me was were".split()]


def _evaluate(outline: Outline) -> bool:
    op, told, answer = outline.tags["op"], outline.statements, outline.answer
    figures = [_figure(one.details[-1]) for one in told] if op in ("sum", "diff", "most") else []
    if op == "recall":
        return told[0].details[0].lower() in answer.lower()
    if op in ("present", "former"):
        wanted, other = (told[1], told[0]) if op == "present" else (told[0], told[1])
        outdated = [one.outdated for one in told]
        return (
            outline.ordered
            and outdated == [op == "present", False]
            and wanted.details[0].lower() in answer.lower()
            and wanted.details != other.details
        )
    if op == "count":
        return int(answer) == len({one.details[0].lower() for one in told}) == len(told) <= 6
    if op == "sum":
        return _figure(answer) == sum(figures)
    if op == "diff":
        first, second = (outline.text.lower().index(_noun(one.details[0])) for one in told)
        return _figure(answer) == (figures[0] - figures[1]) * (1 if first < second else -1)
    if op == "most":
        return _noun(answer) == _noun(max(zip(figures, told, strict=True), key=lambda one: one[0])[1].details[0])
    if op in ("plus", "minus", "times"):
        one, two = (_figure(each.text) for each in told)
        return _figure(answer) == {"plus": one + two, "minus": one - two, "times": one * two}[op] > 0
    if op == "clock":
        start = datetime.strptime(told[0].details[0], "%I:%M %p")
        return datetime.strptime(answer, "%I:%M %p") == start + timedelta(minutes=_figure(told[1].text))
    if op in ("place", "said", "name", "rota"):
        return _listed(outline, op)
    if op == "preference":
        return told[0].details[0].lower() in answer.lower()
    return _evaluate_time(outline, op)


def _listed(outline: Outline, op: str) -> bool:
    """The answer looked up in the list of the assistant's message."""
    body, text, answer = outline.statements[0].body, outline.text, outline.answer
    if op == "rota":
        found = re.search(r" (?:who was|whom did you put|who is) (.+?) (?:on|for) (\w+day)\?", text, re.I)
        assert found
        line = next(line for line in body.splitlines() if line.startswith(f"{found[2]}: "))
        return re.search(rf"(\w+) {re.escape(found[1])}\b", line)[1] == answer  # type: ignore[index]
    entries = re.findall(r"^(\d+)\. (.+?): it (.+)\.$", body, re.MULTILINE)
    if op == "place":
        last = re.search(r"\blast\b", text)
        named = [place for place in _PLACES if re.search(rf"\b{place}(?![\w-])", text)]
        return answer == (entries[-1] if last else entries[_PLACES.index(named[0])])[1]
    if op == "said":
        return [name for _, name, said in entries if said in text] == [answer]
    return [f"It {said}" for _, name, said in entries if re.search(rf"{re.escape(name)}(?!\w)", text)] == [answer]


def _of_that_time(outline: Outline, statement: Statement) -> bool:
    """Whether a chat was held at the time that a question names, going by the calendar."""
    asked = date.fromisoformat(str(outline.asked_on))
    assert statement.days_before is not None
    held = asked - timedelta(days=statement.days_before)
    words = outline.text.removesuffix("?").split()
    if words[-1] == "ago":
        days = _int(words[-3]) * (7 if words[-2].startswith("week") else 1)
        return abs(statement.days_before - days) <= (3 if words[-2].startswith("week") else 0)
    if words[-1] == "month":
        return (held.year * 12 + held.month) == asked.year * 12 + asked.month - 1
    if words[-2] == "in":
        return f"{held:%B}" == words[-1] and held < asked
    monday = asked - timedelta(days=asked.weekday())
    return f"{held:%A}" == words[-1] and monday - timedelta(days=7) <= held < monday


def _evaluate_time(outline: Outline, op: str) -> bool:
    per = 7 if outline.tags["unit"] == "weeks" else 1
    if op == "when":
        (wanted,) = [one for one in outline.statements if _of_that_time(outline, one)]
        return _noun(outline.answer) == _noun(wanted.details[0]) and not wanted.distractor
    days = [_day(one, outline.asked_on) for one in outline.statements]
    if op == "ago":
        return _figure(outline.answer) * per == (date(2023, 5, 30) - days[0]).days
    if op == "between":
        return _figure(outline.answer) * per == abs((days[1] - days[0]).days)
    clauses = re.split(r"^First you |, then you |, and last you |\.$", outline.answer)[1:-1]
    in_time = [one for _, one in sorted(zip(days, outline.statements, strict=True), key=lambda pair: pair[0])]
    named = [_names(statement, clause) for statement, clause in zip(in_time, clauses, strict=False)]
    return all(named) and len(clauses) == (3 if op == "order" else 1) and len(set(days)) == len(days)


def _names(statement: Statement, clause: str) -> bool:
    """Whether a clause of an answer speaks of the event that a statement tells of."""
    (event,) = [event for event in events() if event.key in statement.keys]
    told = _plain(statement.details[0])
    return _plain(clause) == _plain(event.asked) or (
        _plain(clause)[:2] == told[:2] and set(_plain(clause)) <= set(told)
    )


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(TYPES), st.integers(0, 10**9))
def test_the_gold_answer_follows_from_what_is_told(type: str, number: int) -> None:
    outline = draw_outline(type, Random(number))
    assert outline.type == type
    assert _evaluate(outline), outline


def test_every_way_of_asking_occurs_and_is_right(five_hundred: list[Outline]) -> None:
    asked = Counter(outline.tags["op"] for outline in five_hundred)
    assert set(asked) >= {
        "recall", "present", "former", "count", "sum", "diff", "most", "minus", "place", "said",
        "name", "rota", "preference", "ago", "between", "first", "order", "when", "abstain",
    }  # fmt: skip
    assert {outline.tags["time"] for outline in five_hundred if "time" in outline.tags} == {"explicit", "metadata"}
    for outline in five_hundred:
        assert outline.abstention or _evaluate(outline), outline


def test_figures_told_apart_are_joined_in_every_way() -> None:
    used: set[str] = set()
    asked = [draw_outline("multi-session", Random(number), used) for number in range(400)]
    assert all(map(_evaluate, asked))
    assert {outline.tags["op"] for outline in asked} >= {"plus", "minus", "times", "clock"}
    assert {len(outline.statements) for outline in asked} == {2, 3, 4, 5, 6}


def _told_in(chat: Chat, sentence: str) -> list[int]:
    return [place for place, message in enumerate(chat.messages) if sentence in sentences(message.text)]


def test_a_statement_stands_word_for_word_in_one_message_of_its_chat(five_hundred: list[Outline]) -> None:
    places = Counter[int]()
    rng = Random(4)
    for number, outline in enumerate(five_hundred):
        for place, statement in enumerate(outline.statements):
            chat, index = evidence_chat(statement, f"answer_{number}_{place}", rng)
            places[index] += 1
            assert statement.texts
            for text in statement.texts:
                assert _told_in(chat, text) == [index], text
            for detail in statement.details:
                assert detail in statement.text
            marked = [at for at, message in enumerate(chat.messages) if message.has_answer]
            assert marked == [index]
            assert chat.messages[index].role == statement.role
            assert [message.role for message in chat.messages[:2]] == ["user", "assistant"]
            assert 8 <= len(chat.messages) <= 14
    assert len(places) >= 9


def test_user_messages_are_short_and_the_advice_is_long() -> None:
    for number in range(60):
        outline = draw_outline("single-session-user", Random(number))
        chat, _ = evidence_chat(outline.statements[0], "answer_1", Random(number))
        for message in chat.messages[:8]:
            if message.role == "user":
                assert len(sentences(message.text)) <= 6
                assert len(message.text.split()) <= 110
            else:
                assert 60 <= len(message.text.split()) <= 550


def test_the_advice_never_repeats_the_value() -> None:
    """A name that is told occurs nowhere else in its chat; numbers and everyday words may by chance."""
    for number in range(120):
        outline = draw_outline("knowledge-update", Random(number))
        statement = outline.statements[1]
        (value,) = statement.details
        if len(value.split()) < 2 or not value[0].isupper():
            continue
        chat, index = evidence_chat(statement, "answer_1", Random(number))
        assert [place for place, message in enumerate(chat.messages) if value in message.text] == [index]


def test_a_false_premise_is_told_nowhere() -> None:
    for type in ("single-session-user", "multi-session", "knowledge-update", "temporal-reasoning"):
        for number in range(60):
            rng = Random(number)
            outline = draw_outline(type, rng, abstention=True)
            assert outline.abstention
            assert outline.untold
            assert not any(statement.outdated for statement in outline.statements)
            chats = [evidence_chat(statement, "answer_1", rng)[0] for statement in outline.statements]
            said = "\n".join(message.text for chat in chats for message in chat.messages).lower()
            for phrase in outline.untold:
                assert not re.search(rf"\b{re.escape(phrase.lower())}(?!\w)", said), (phrase, outline.text)
            assert any(phrase.lower() in outline.text.lower() for phrase in outline.untold)


def test_types_without_false_premises_and_unknown_types_are_refused() -> None:
    with pytest.raises(BadInput, match="no false premises"):
        draw_outline("single-session-preference", Random(0), abstention=True)
    with pytest.raises(BadInput, match="unknown question type 'multi'"):
        draw_outline("multi", Random(0))


def test_the_mixture_of_500_is_the_papers_and_any_other_keeps_its_proportions() -> None:
    assert Counter(type_mixture(500)) == PER_500
    assert Counter(type for type, _ in type_mixture(500)) == {
        "single-session-user": 70,
        "single-session-assistant": 56,
        "single-session-preference": 30,
        "multi-session": 133,
        "knowledge-update": 78,
        "temporal-reasoning": 133,
    }
    assert sum(abstention for _, abstention in type_mixture(500)) == 30
    assert type_mixture(500, 1) != type_mixture(500, 2)


@given(st.integers(0, 700))
def test_a_mixture_has_the_size_asked_for(n: int) -> None:
    found = Counter(type_mixture(n))
    assert found.total() == n
    for kind, share in PER_500.items():
        assert abs(found[kind] - n * share / 500) < 1


def test_500_questions_hardly_repeat_each_other(five_hundred: list[Outline]) -> None:
    kept: list[frozenset[str]] = []
    for outline in five_hundred:
        words = word_set(outline.text)
        if all(jaccard(words, other) < 0.7 for other in kept):
            kept.append(words)
    assert len(kept) >= 490
    asked = {attribute for outline in five_hundred for attribute in outline.attributes}
    assert len(asked) > 130
    assert len({category(attribute) for attribute in asked}) == 5


def test_a_question_shares_only_part_of_its_words_with_the_evidence(five_hundred: list[Outline]) -> None:
    shares = []
    for outline in five_hundred:
        words = {word for word in word_set(outline.text) if len(word) > 3}
        told = frozenset().union(*(word_set(statement.text) for statement in outline.statements))
        shares.append(len(words & told) / max(1, len(words)))
    assert sum(shares) / len(shares) < 0.5


def test_the_same_seed_asks_the_same_and_another_something_else() -> None:
    assert _outlines(60, 5) == _outlines(60, 5)
    assert _outlines(60, 5) != _outlines(60, 6)
    (statement,) = draw_outline("single-session-user", Random(1)).statements
    assert evidence_chat(statement, "a", Random(2)) == evidence_chat(statement, "a", Random(2))
    one = distractor_chat("owned/cars", person(3), Random(1), "c")
    assert one == distractor_chat("owned/cars", person(3), Random(1), "c")


def test_the_attributes_are_the_papers() -> None:
    assert len(set(attributes())) == len(attributes()) == 164
    sizes = Counter(map(category, attributes()))
    assert list(sizes.values()) == [7, 99, 15, 20, 23]
    assert all(attribute in related(attribute) for attribute in attributes())
    assert all(one in related(two) for one in attributes() for two in related(one))


def test_every_attribute_can_be_talked_about() -> None:
    for attribute in attributes():
        topic = topics()[attribute]
        assert topic.facts
        assert len(set(topic.aspects)) >= 6
        chat, keys = distractor_chat(attribute, person(1), Random(attribute), "85a1be56_1")
        assert keys
        assert {key.partition("#")[0] for key in keys} == {attribute}
        assert not any(message.has_answer for message in chat.messages)


def test_what_a_person_tells_stays_the_same() -> None:
    fact = topics()["owned/cars"].facts[0]
    assert person(5).facts("owned/cars") == person(5).facts("owned/cars")
    assert len({person(number).value(fact) for number in range(30)}) > 10
    chats = [distractor_chat("owned/cars", person(5), Random(n), "c") for n in range(30)]
    told = [chat for chat, keys in chats if fact.key in keys]
    assert told
    assert all(any(person(5).value(fact) in message.text for message in chat.messages) for chat in told)


def test_questions_that_add_up_put_everything_near_out_of_bounds() -> None:
    for number in range(80):
        outline = draw_outline("multi-session", Random(number))
        assert all("#" not in key for key in outline.keys)
        assert set(outline.attributes) <= outline.keys


def test_all_that_can_be_told_is_about_known_attributes() -> None:
    about = [one.attribute for some in (events, collections, preferences, listings, rotas) for one in some()]
    linked = [attribute for link in links() for attribute in link.attributes]
    assert {*about, *linked} <= set(attributes())


def test_the_templates_are_sound() -> None:
    for fact in user_facts():
        assert all("{value}" in tell for tell in (*fact.tells, fact.update) if tell), fact
        assert fact.ask.endswith("?")
        assert fact.ask_former == "" or fact.update
        assert fact.swap is None or re.search(rf"\b{re.escape(fact.swap[0])}(?!\w)", fact.ask), fact
        for tell in filter(None, (*fact.tells, fact.update)):
            assert len(sentences(tell.format(value=fact.values.draw(Random(1))))) == 1, tell
    for found in collections():
        assert set(found.asks) == {"count", "sum", "diff", "most", "when"}
        assert len(found.figures) >= 7
        assert len(found.items) >= 6  # as many as a question may need
        assert all("{item}" in tell and "{figure}" in tell for tell in found.tells)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_rising_values_rise(first: int, second: int) -> None:
    rising = Values("rising", "20..400")
    old = rising.draw(Random(first))
    assert number_in(rising.draw(Random(second), but=old)) > number_in(old)


def test_amounts_in_words() -> None:
    assert [amount(1, "people"), amount(1, "years old"), amount(2, "km"), amount(1250, "$")] == [
        "1 person",
        "1 year old",
        "2 km",
        "$1,250",
    ]
