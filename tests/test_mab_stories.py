"""Generated novels for EventQA, detective questions and summaries: what they claim follows from their text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.errors import BadInput
from memtriage.core.suite import Loaded, Suite, Task
from memtriage.suites.kit.words import lists
from memtriage.suites.memoryagentbench.context import PACKAGE, Context
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import detective, eventqa, story, summarization
from memtriage.suites.memoryagentbench.generate.detective import Case, Clue, case
from memtriage.text.sentences import spans
from memtriage.text.tokens import count_tokens

Contexts = Callable[[int, int, int, Mapping[str, str]], Iterator[Context]]
ALL: dict[str, Contexts] = {
    "eventqa": eventqa.contexts,
    "detective": detective.contexts,
    "summarization": summarization.contexts,
}
EVERY = pytest.mark.parametrize("kind", ALL)


def generate(kind: str, length: int = 12_000, rows: int = 5, seed: int = 7) -> Context:
    return next(ALL[kind](length, rows, seed, {}))


# --- what all of them keep ------------------------------------------------------------------------


@EVERY
@pytest.mark.parametrize("length", [6_000, 16_384, 90_000])
def test_lengths_are_what_was_asked_for(kind: str, length: int) -> None:
    context = generate(kind, length)
    assert abs(count_tokens(context.text) - length) <= 0.03 * length
    assert context.tags["length"] == f"{length // 1000}k"


@EVERY
def test_passages_are_whole_sentences_in_their_place_and_said_once(kind: str) -> None:
    context = generate(kind)
    borders = set(spans(context.text))
    assert context.passages
    for passage in context.passages:
        end = passage.start + len(passage.text)
        assert context.text[passage.start : end] == passage.text
        assert (passage.start, end) in borders, passage.text
        assert context.text.count(passage.text) == 1
        assert passage.details
        assert all(detail.lower() in passage.text.lower() for detail in passage.details)
    assert [p.start for p in context.passages] == sorted(p.start for p in context.passages)
    asked = {id for query in context.queries for needed in query.needed for id in needed}
    assert asked == {passage.id for passage in context.passages}
    assert [query.id for query in context.queries] == [f"{context.id}/q{n}" for n in range(1, len(context.queries) + 1)]
    assert context.kind == kind


@EVERY
def test_passages_are_spread_over_the_whole_text(kind: str) -> None:
    context = generate(kind, 30_000, 20)
    fifths = Counter(5 * passage.start // len(context.text) for passage in context.passages)
    assert set(fifths) == set(range(5))


@EVERY
def test_the_same_seed_gives_the_same_and_another_does_not(kind: str) -> None:
    assert generate(kind) == generate(kind)
    assert generate(kind).text != generate(kind, seed=8).text


@EVERY
def test_prose_reads_on_without_gaps_or_much_repetition(kind: str) -> None:
    context = generate(kind, 60_000)
    said = [context.text[start:end] for start, end in spans(context.text)]
    assert len(set(said)) >= 0.9 * len(said)
    assert not re.search(r"[{}\[\]|_]|\b[Aa] [aeiou]|  |\.\.|,,", context.text)
    assert all(re.match(r"[“A-Z]|said |asked |who ", sentence) for sentence in said)
    paragraphs = context.text.strip().split("\n\n")
    assert sum(paragraph.startswith("“") for paragraph in paragraphs) > 0.15 * len(paragraphs)
    assert len([p for p in paragraphs if re.fullmatch(r"Chapter \d+", p)]) == 60_000 // 5_000


@EVERY
def test_the_work_grows_in_proportion_to_the_length(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counted = 0

    def counting(text: str) -> int:
        nonlocal counted
        counted += len(text)
        return count_tokens(text)

    monkeypatch.setattr(story, "count_tokens", counting)
    work = {}
    for length in (20_000, 80_000):
        counted = 0
        generate(kind, length)
        work[length] = counted
    assert work[80_000] < 4.6 * work[20_000]


@EVERY
def test_what_has_no_room_is_refused(kind: str) -> None:
    with pytest.raises(BadInput, match="at least"):
        generate(kind, 200, 5)
    with pytest.raises(BadInput, match="at least 1"):
        generate(kind, 6_000, 0)


# --- eventqa ------------------------------------------------------------------------------------------

THING = re.compile(
    rf"\b{' '.join(f'(?:{chr(124).join(words)})' for words in lists(PACKAGE, 'eventqa/things').values())}\b"
)
PEOPLE = lists(PACKAGE, "story/people")
NAMES = (*PEOPLE["women"], *PEOPLE["men"])


def thing(said: str) -> str:
    [found] = THING.findall(said)
    return str(found)


def lives(text: str, names: Sequence[str]) -> dict[str, list[str]]:
    """What happens to each person, read from the text alone: the things of their lives, in order of first mention."""
    found: dict[str, list[str]] = {name: [] for name in names}
    seen = set()
    for start, end in spans(text):
        sentence = text[start:end]
        for here in THING.findall(sentence):
            if here not in seen:
                seen.add(here)
                [who] = [name for name in names if re.search(rf"\b{name}\b", sentence)]
                found[who].append(here)
    return found


@pytest.mark.parametrize(("length", "rows"), [(6_000, 100), (30_000, 40), (60_000, 12)])
def test_what_happens_next_is_next_and_nothing_else_offered_ever_happens(length: int, rows: int) -> None:
    context = generate("eventqa", length, rows)
    assert len(context.queries) == rows
    life = lives(context.text, NAMES)
    said = [context.text[start:end] for start, end in spans(context.text)]
    by_thing = {t: [s for s in said if t in s] for query in context.queries for t in map(thing, query.options)}
    for query in context.queries:
        who = query.tags["character"]
        before = [thing(line) for line in query.text.splitlines() if line[0].isdigit()]
        [gold] = query.golds
        place = life[who].index(thing(gold))
        assert before == life[who][max(0, place - 5) : place]
        assert 1 <= len(before) <= 5
        assert len(set(query.options)) == 6
        assert gold in query.options
        for option in query.options:
            assert option.startswith(f"{who} ")
            assert count_tokens(option) <= 36, "an answer has 40 tokens"
            happens = [s for s in by_thing[thing(option)] if re.search(rf"\b{who}\b", s)]
            assert bool(happens) == (option == gold), option
        assert all(gold.rstrip(".") not in other for other in query.options if other != gold)
        [[needed]] = query.needed
        told = next(p for p in context.passages if p.id == needed)
        assert {who, thing(gold)} <= set(told.details)
        assert told.text not in query.text
        assert thing(gold) not in query.text


def test_some_wrong_options_happen_to_others_and_some_to_nobody() -> None:
    context = generate("eventqa", 30_000, 40)
    elsewhere = [thing(o) in context.text for q in context.queries for o in q.options if o not in q.golds]
    assert 0.2 < sum(elsewhere) / len(elsewhere) < 0.8
    places = [query.options.index(query.golds[0]) for query in context.queries]
    assert len(set(places)) == 6, "the right option stands anywhere"


# --- detective ----------------------------------------------------------------------------------------

_PAST = {0: "{h} o'clock", 5: "five past {h}", 10: "ten past {h}", 15: "a quarter past {h}", 20: "twenty past {h}"}
_PAST |= {25: "twenty-five past {h}", 30: "half past {h}", 35: "twenty-five to {n}", 40: "twenty to {n}"}
_PAST |= {45: "a quarter to {n}", 50: "ten to {n}", 55: "five to {n}"}
_HOURS = {8: "eight", 9: "nine", 10: "ten", 11: "eleven", 12: "twelve"}
CLOCK = {said.format(h=_HOURS[h], n=_HOURS[h + 1]): 60 * h + m for h in range(8, 12) for m, said in _PAST.items()}
MINUTES = {"fifteen": 15, "twenty": 20, "twenty-five": 25, "thirty-five": 35, "forty": 40}


class Solver:
    """Works out a case from clues alone: joins what they say, and gives every answer that they leave open."""

    def __init__(self, clues: Sequence[Clue]) -> None:
        self.told = [(clue.relation, clue.values) for clue in clues]

    def all(self, relation: str) -> list[Mapping[str, str]]:
        return [values for told, values in self.told if told == relation]

    def times(self) -> set[int]:
        fast = {values["clock"]: MINUTES[values["minutes"]] for values in self.all("fast")}
        return {CLOCK[v["time"]] - fast[v["clock"]] for v in self.all("stopped") if v["clock"] in fast}

    def rooms(self, who: str) -> set[str]:
        return {v["room"] for v in self.all("seen") if v["who"] == who and CLOCK[v["time"]] in self.times()}

    def culprits(self) -> set[str]:
        if not self.times():
            return set()
        cabinets = {values["cabinet"] for values in self.all("wound")}
        keys = {v[key] for v in self.all("keys") if v["cabinet"] in cabinets for key in "abc"}
        return {who for who in keys if not self.rooms(who)}

    def joined(self, found: str, on: str, known: str) -> set[str]:
        wanted = {values[on] for values in self.all(found)}
        return {values["who"] for values in self.all(known) if values[on] in wanted}

    def writers(self) -> set[str]:
        inks = {values["ink"] for values in self.all("letter")}
        homes = {values["lodging"] for values in self.all("sold") if values["ink"] in inks}
        return {values["who"] for values in self.all("lodges") if values["lodging"] in homes}

    def answers(self, kind: str, question: str) -> set[str]:
        match kind:
            case "culprit":
                return self.culprits()
            case "time":
                return {said for said, at in CLOCK.items() if at in self.times()}
            case "whereabouts":
                return self.rooms(question.split()[2])
            case "letter":
                return self.writers()
            case "debt":
                return self.joined("debt", "sign", "seal")
            case "garment":
                return self.joined("left", "thread", "mended")
            case "alias":
                return self.joined("alias", "mark", "mark")
            case "lie":
                return self.joined("locked", "room", "claims")
        raise AssertionError(kind)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6))
def test_every_answer_follows_from_its_clues_and_from_no_fewer(number: int) -> None:
    drawn = case(str(number))
    by_id = {clue.id: clue for clue in drawn.clues}
    assert len(by_id) == len(drawn.clues)
    assert len({puzzle.kind for puzzle in drawn.puzzles}) == len(drawn.puzzles) == detective.MOST
    for puzzle in drawn.puzzles:
        needed = [by_id[id] for id in puzzle.needed]
        assert Solver(drawn.clues).answers(puzzle.kind, puzzle.text) == {puzzle.gold}
        assert Solver(needed).answers(puzzle.kind, puzzle.text) == {puzzle.gold}
        for gone in needed:
            left = [clue for clue in needed if clue is not gone]
            assert Solver(left).answers(puzzle.kind, puzzle.text) != {puzzle.gold}, (puzzle.kind, gone.relation)
        assert len({puzzle.gold, *puzzle.others}) == 4
        if puzzle.kind == "culprit":
            naive = [clue for clue in drawn.clues if clue.relation != "fast"]
            clock = next(clue.values["clock"] for clue in drawn.clues if clue.relation == "fast")
            taken = Solver([*naive, Clue("x", "fast", {"clock": clock, "minutes": "zero"}, "", ())])
            MINUTES["zero"] = 0
            assert puzzle.gold not in taken.culprits(), "by the clock's own time the culprit has an alibi"


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_clues_say_what_they_hold_and_nobody_is_in_two_places(number: int) -> None:
    drawn = case(str(number))
    for clue in drawn.clues:
        said = clue.sentence.lower()
        told = [value for key, value in clue.values.items() if key != "witness"]
        assert all(value.lower() in said for value in told), clue
        assert len(list(spans(clue.sentence))) == 1
    assert len({clue.sentence for clue in drawn.clues}) == len(drawn.clues)
    for a, b in combinations([clue.values for clue in drawn.clues if clue.relation == "seen"], 2):
        assert not (a["who"] == b["who"] and a["time"] == b["time"])
    assert drawn.victim.split()[0] not in drawn.suspects
    assert drawn.investigator.name not in drawn.suspects
    scene = next(clue.values["scene"] for clue in drawn.clues if clue.relation == "stopped")
    assert scene not in {clue.values.get("room") for clue in drawn.clues}


def test_stories_share_the_questions_out_as_the_paper_has_it() -> None:
    stories = list(detective.contexts(4_000, 71, 3, {}))
    assert len(stories) == 10
    assert sum(len(each.queries) for each in stories) == 71
    assert len({each.id for each in stories}) == 10
    for query in (query for each in stories for query in each.queries):
        assert query.scoring == "exact"
        text, lettered = query.golds
        assert lettered in query.options
        assert lettered == f"{'ABCD'[query.options.index(lettered)]}. {text}"
    assert {len(each.queries) for each in detective.contexts(4_000, 10, 3, {})} == {5}
    letters = Counter(query.golds[1][0] for each in stories for query in each.queries)
    assert set(letters) == set("ABCD")


def test_the_story_does_not_give_the_answer_away() -> None:
    context = generate("detective", 20_000, 8)
    drawn: Case = case(context.id)
    told = {clue.sentence for clue in drawn.clues}
    for start, end in spans(context.text):
        sentence = context.text[start:end]
        if sentence not in told:
            assert not any(re.search(rf"\b{name}\b", sentence) for name in drawn.suspects), sentence


# --- summarization ------------------------------------------------------------------------------------


def test_a_summary_is_asked_for_once_and_every_point_of_the_plot_counts() -> None:
    novels = list(summarization.contexts(8_000, 3, 5, {}))
    assert len({novel.text for novel in novels}) == 3
    for novel in [*novels, generate("summarization", 25_000)]:
        [query] = novel.queries
        assert query.scoring == "points"
        assert query.needed == (tuple(passage.id for passage in novel.passages),)
        assert len(query.golds) == len(novel.passages) == len(set(query.golds))
        for point, passage in zip(query.golds, novel.passages, strict=True):
            names = re.findall(r"(?<!^)\b[A-Z]\w+", point)  # what opens a sentence has a capital anyway
            names += [point.split()[0]] if point.split()[0] in NAMES else []
            assert all(name in passage.text for name in names), (point, passage.text)
            assert point not in novel.text, "a point is put in other words"
            assert count_tokens(point) <= 40
    assert len(generate("summarization", 25_000).passages) > len(novels[0].passages), "longer novels have side plots"


# --- through the whole pipeline ---------------------------------------------------------------------


def test_ceilings_reach_one_and_the_floor_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    episodes = [episode(generate(kind, 8_000, 6), 512) for kind in ALL]
    task = Task("mab/all", "", 1, lambda request: Loaded(episodes, {"source": "generated"}))
    monkeypatch.setattr(plugins, "suite", lambda name: Suite("mab", "", "", "", "1", (task,)))
    run = api.run("oracle", "full-context", "none", "bm25", suite="mab", k=[4, 64], out=tmp_path / "run")
    credit: dict[tuple[str, int, str], list[float | None]] = {}
    for verdict in run.verdicts():
        assert verdict.error is None
        credit.setdefault((verdict.system, verdict.k, verdict.task), []).append(verdict.credit)
    for kind in ALL:
        full = f"memoryagentbench/{kind}"
        assert set(credit["oracle", 64, full]) == {1.0}
        assert set(credit["full-context", 64, full]) == {1.0}
        assert set(credit["none", 64, full]) == {0.0}
        assert None not in credit["bm25", 4, full], "of what is kept word for word, nothing is left open"
    [covered] = credit["bm25", 4, "memoryagentbench/summarization"]
    assert covered is not None
    assert 0.0 < covered < 1.0, "the share of the plot that was brought back"
