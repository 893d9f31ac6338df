"""Talk: two people who chat for months; what is asked follows from what they said, and from nothing else."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from functools import cache
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from conftest import Cli
from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.suites.kit.moments import DAYS, MONTHS, ahead, past
from memtriage.suites.locomo.conversation import ADVERSARIAL, CATEGORIES, Conversation
from memtriage.suites.talk.files import TALK, TalkReader, record_of
from memtriage.suites.talk.generate import conversation
from memtriage.suites.talk.layout import TalkLayout, turns
from memtriage.suites.talk.questions import Asked
from memtriage.suites.talk.stories import listed, small_talk, stories, traits
from memtriage.suites.talk.suite import SUITE
from memtriage.suites.talk.validate import duplicates, problems, quizzes
from memtriage.text.words import words
from memtriage.validate.calibrate import calibrate

SEEDS = st.integers(0, 10**9)
SMALL = settings(max_examples=8)


@cache
def talks(rows: int = 10, seed: int = 42) -> tuple[Conversation, ...]:
    return tuple(conversation(seed, number) for number in range(rows))


def asked(talk: Conversation) -> list[Asked]:
    found = [question for question in talk.questions if isinstance(question, Asked)]
    assert len(found) == len(talk.questions)
    return found


def load(rows: int = 1, seed: int = 1, data: Path | None = None, **options: str) -> tuple[list[Episode], Any]:
    loaded = SUITE.tasks[0].load(Request(seed=seed, rows=rows, data=data, options=options))
    return list(loaded.episodes), loaded.provenance


# ------------------------------------------------------------------ what is said and asked


@SMALL
@given(seed=SEEDS, sessions=st.integers(4, 35))
def test_everything_that_is_checked_in_files_holds_of_any_conversation(seed: int, sessions: int) -> None:
    talk = conversation(seed, 0, sessions)
    assert [text for text, severe in problems([talk]) if severe] == []
    assert len(talk.sittings) == sessions
    ids = [said.id for sitting in talk.sittings for said in sitting.said]
    assert len(set(ids)) == len(ids)
    dates = [sitting.at for sitting in talk.sittings]
    assert dates == sorted(dates)
    said = "\n".join(text for each in turns(talk).values() for text in (each.text, each.caption))
    assert not re.search(r"[{}|\[\]@]|\s[,.!?]|\b[Aa] (?:[ai]|e(?!u)|o(?!ne)|u(?!ni|rn))|  ", said), (
        "a gap or a slip in the words"
    )
    for sitting in talk.sittings:
        speakers = [each.speaker for each in sitting.said]
        assert all(one != two for one, two in pairwise(speakers)), "they take turns"


@SMALL
@given(seed=SEEDS)
def test_questions_name_whom_they_are_about_and_never_their_answer(seed: int) -> None:
    talk = conversation(seed, 3)
    assert {question.kind for question in talk.questions} == set(CATEGORIES.values())
    for question in asked(talk):
        assert question.text.endswith("?")
        assert not re.search(r"[{}\[\]]|\bmy\b|\bI\b", f"{question.text} {question.answer}")
        assert any(name in question.text for name in talk.speakers)
        if question.kind == "single-hop":
            assert question.answer.lower() not in question.text.lower()
    texts = Counter(question.text for question in talk.questions)
    assert max(texts.values()) == 1, "no question comes twice"


def test_a_row_depends_on_seed_and_number_alone() -> None:
    few, _ = load(rows=2, seed=5)
    more, _ = load(rows=4, seed=5)
    assert more[:2] == few
    assert load(rows=2, seed=6)[0] != few
    assert conversation(5, 1) == conversation(5, 1)


def test_no_two_rows_have_the_same_skeleton_and_hardly_a_turn_comes_back() -> None:
    assert duplicates(talks()) < 0.02
    skeletons = {tuple(len(sitting.said) for sitting in talk.sittings) for talk in talks()}
    assert len(skeletons) == len(talks())
    first, second = conversation(1, 0), conversation(1, 0)
    assert duplicates([first, second]) == 1.0


def test_the_size_is_that_of_locomo() -> None:
    for talk in talks():
        assert 19 <= len(talk.sittings) <= 32
        assert 200 < len(turns(talk)) < 700
        assert 60 < len(talk.questions) < 220
    kinds = Counter(question.kind for talk in talks() for question in talk.questions)
    shares = {kind: kinds[kind] / kinds.total() for kind in kinds}
    assert shares["single-hop"] > 0.25
    assert 0.15 < shares["adversarial"] < 0.3
    assert min(shares.values()) > 0.04
    assert sum(bool(said.caption) for talk in talks() for said in turns(talk).values()) > 50


def test_sessions_and_months_can_be_chosen() -> None:
    (short,), about = load(sessions="6", months="12")
    assert len(short.sessions) == 6
    assert (about["sessions"], about["months"]) == ("6", "12")
    first, last = (datetime.fromisoformat(str(short.sessions[i].timestamp)) for i in (0, -1))
    assert timedelta(days=150) < last - first < timedelta(days=500)


# ------------------------------------------------------------------ times, worked out another way than they were made


def days_meant(said: str, told: date) -> tuple[date, date]:
    """The first and the last day that somebody means, found by looking at every day around."""
    near = [told + timedelta(days=n) for n in range(-70, 10)]
    before, monday = [day for day in near if day < told], told - timedelta(days=told.weekday())
    match said.split():
        case ["yesterday"] | ["tomorrow"]:
            day = told + timedelta(days=1 if said == "tomorrow" else -1)
            return day, day
        case [number, "days", "ago"]:
            day = told - timedelta(days=["zero", "one", "two", "three", "four"].index(number))
            return day, day
        case ["last", "weekend"] | ["over", "the", "weekend"]:
            sunday = [day for day in before if DAYS[day.weekday()] == "Sunday"][-1]
            return sunday - timedelta(days=1), sunday
        case ["last", "week"]:
            return monday - timedelta(days=7), monday - timedelta(days=1)
        case ["last", "month"]:
            month = [day for day in near if (day.year, day.month) < (told.year, told.month)][-1]
            return month.replace(day=1), month
        case ["on" | "last", weekday]:
            day = [day for day in before if DAYS[day.weekday()] == weekday][-1]
            return day, day
        case ["this", *_, weekday]:
            day = next(day for day in near if day > told and DAYS[day.weekday()] == weekday)
            return day, day
    raise AssertionError(said)


def gold_of(said: str, told: date, first: date) -> str:
    as_written = f"{first.day} {MONTHS[first.month - 1]} {first.year}"
    if "weekend" in said:
        return f"the weekend of {as_written}"
    if said == "last week":
        return f"the week before {told.day} {MONTHS[told.month - 1]} {told.year}"
    return f"{MONTHS[first.month - 1]} {first.year}" if said == "last month" else as_written


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(2, 70), SEEDS)
def test_what_is_said_of_a_time_leads_to_its_date(told: date, days: int, seed: int) -> None:
    rng, after = Random(seed), told - timedelta(days=days)
    for moment in (past(rng, told, after), ahead(rng, told)):
        assert moment is not None
        assert (moment.first, moment.last) == days_meant(moment.said, told)
        assert moment.gold == gold_of(moment.said, told, moment.first)
    found = past(rng, told, after)
    assert found is not None
    assert after < found.first <= found.last < told
    assert past(rng, told, told - timedelta(days=1)) is None


@SMALL
@given(seed=SEEDS)
def test_every_date_of_an_answer_follows_from_its_turn_and_the_day_it_was_said(seed: int) -> None:
    talk = conversation(seed, 1)
    on = {said.id: date.fromisoformat(str(sitting.at)[:10]) for sitting in talk.sittings for said in sitting.said}
    dated = [one for one in asked(talk) if one.kind == "temporal"]
    assert dated
    for question in dated:
        meant = {turn: days_meant(phrases[-1], on[turn]) for turn, phrases in question.told.items()}
        if question.text.startswith("Which"):
            (one, two), events = meant.values(), re.findall(r", (.*) or (.*)\?", question.text)[0]
            assert one[1] < two[0], "the first comes first"
            assert question.answer in events
        else:
            ((turn, phrases),) = question.told.items()
            assert question.answer == gold_of(phrases[-1], on[turn], meant[turn][0])


# ------------------------------------------------------------------ evidence


@SMALL
@given(seed=SEEDS)
def test_facts_are_sentences_of_the_turns_they_name_with_their_details(seed: int) -> None:
    talk = conversation(seed, 2)
    said = {id: TalkLayout().text(each) for id, each in turns(talk).items()}
    (episode,) = TalkLayout().episodes(talk)
    for fact in episode.facts:
        (turn,) = fact.turns
        assert all(sentence in said[turn] for sentence in fact.evidence)
        assert all(detail in " ".join(fact.evidence) for detail in fact.details)
    for probe in episode.probes:
        assert bool(probe.sufficient) == (probe.scoring != "abstain") == (not probe.task.endswith("adversarial"))
        assert probe.targets


def test_the_phrases_of_a_single_hop_are_those_that_say_its_answer() -> None:
    for talk in talks():
        for question in asked(talk):
            if question.kind == "single-hop":
                (phrases,) = question.told.values()
                answer = set(words(question.answer).stems)
                assert all(answer & set(words(phrase).stems) for phrase in phrases), question


def test_multi_hop_questions_need_several_sessions() -> None:
    for talk in talks():
        hops = [one for one in asked(talk) if one.kind == "multi-hop"]
        several = [one for one in hops if len({turn.partition(":")[0] for turn in one.evidence}) > 1]
        assert len(several) > 0.7 * len(hops)
        assert all(len(one.evidence) > 1 for one in hops)


def test_lists_name_all_that_was_told_and_what_both_have_in_common() -> None:
    for talk in talks():
        for question in asked(talk):
            things = question.answer.split(", ")
            kind = next((each for each in listed() if things[0] in {row[""] for row in each.things}), None)
            if question.kind != "multi-hop" or kind is None or len(things) == 1:
                continue
            named = next(name for name in talk.speakers if name in question.text)
            heard = " ".join(said.text for said in turns(talk).values() if said.speaker == named)
            assert set(things) == {row[""] for row in kind.things if re.search(rf"\b{re.escape(row[''])}\b", heard)}


def test_an_adversarial_question_is_answered_by_nothing_that_its_person_said() -> None:
    seen = 0
    for talk in talks():
        for question in asked(talk):
            if question.category != ADVERSARIAL:
                continue
            about = next(name for name in talk.speakers if name in question.text)
            tellers = {turns(talk)[turn].speaker for turn in question.evidence}
            if about in tellers:  # then it names a thing that nobody spoke of
                strange = set(words(question.text).stems) - set(
                    words(" ".join(turns(talk)[turn].text for turn in question.evidence)).stems
                )
                assert strange
            seen += 1
            assert question.answer == ""
            assert question.misleading
    assert seen > 100


# ------------------------------------------------------------------ guessing


def test_nothing_can_be_guessed_without_a_memory() -> None:
    found = [text for text, _ in problems(talks(30, 3)) if "shortcut" in text]
    assert found == []
    assert len(quizzes(talks(30, 3))) > 500, "there is something to guess"


def test_the_audit_sees_a_commonest_answer() -> None:
    spoiled = [
        Conversation(
            f"t{n}", talk.speakers, talk.sittings,
            tuple(
                Asked(one.index, one.text, one.category, "Yes", one.evidence, told=one.told)
                if one.answer.startswith("No;") and n % 9
                else one
                for one in asked(talk)
            ),
        )
        for n, talk in enumerate(talks(30, 3))
    ]  # fmt: skip
    assert any("yes or no: the commonest answer" in text for text, _ in problems(spoiled))


def test_both_sides_of_every_trait_are_told_and_every_word_is_used() -> None:
    assert len(stories()) > 35
    assert len(traits()) > 20
    assert len(small_talk()) > 20
    answers = Counter(
        question.answer.split(";")[0]
        for talk in talks(30, 3)
        for question in talk.questions
        if question.kind == "open-domain" and question.answer.startswith(("Yes", "No"))
    )
    assert 0.4 < answers["Yes"] / answers.total() < 0.6


# ------------------------------------------------------------------ runs, files, scores


def test_ceilings_floor_and_stores_for_each_speaker(tmp_path: Path) -> None:
    for stores in ("one", "speakers"):
        options = {"stores": stores, "sessions": "8"}
        run = memtriage.run("oracle", "none", suite="talk", rows=1, k=50, options=options, out=tmp_path / stores)
        verdicts = Counter((v.system, v.verdict) for v in run.verdicts() if not v.task.endswith("adversarial"))
        assert {verdict for _, verdict in verdicts} == {"correct", "not_stored"}
        assert verdicts["oracle", "correct"] == verdicts["none", "not_stored"] > 20
    (one,), _ = load(sessions="8")
    assert {turn.role for session in one.sessions for turn in session.turns} == {"user"}
    two, _ = load(sessions="8", stores="speakers")
    assert len(two) == 2
    assert sum(len(each.probes) for each in two) == len(one.probes)
    assert {turn.role for session in two[0].sessions for turn in session.turns} == {"user", "assistant"}


def test_without_captions_nothing_is_asked_that_only_a_picture_shows() -> None:
    number = next(
        n
        for n in range(60)
        if any("What colour is" in one.text and one.told for one in conversation(1, n).questions)  # type: ignore[attr-defined]
    )
    talk = conversation(1, number)
    seen, unseen = TalkLayout(), TalkLayout(captions=False)
    ((whole,), (bare,)) = (list(each.episodes(talk)) for each in (seen, unseen))
    assert "[shares" in whole.sessions[0].text + " ".join(session.text for session in whole.sessions)
    assert "[shares" not in " ".join(session.text for session in bare.sessions)
    left = {probe.id for probe in whole.probes} - {probe.id for probe in bare.probes}
    for id in left:
        question = next(one for one in asked(talk) if talk.question_id(one) == id)
        captions = [turns(talk)[turn].caption for turn in question.told]
        assert any(
            phrase in caption for phrases in question.told.values() for phrase in phrases for caption in captions
        )


@pytest.fixture
def folder(cli: Cli) -> Path:
    cli("data", "generate", "talk", "--rows", "2", "--sessions", "6", "--seed", "9", "--out", "d", "-q")
    return Path("d")


def test_a_file_gives_back_what_was_generated(folder: Path) -> None:
    read = list(TalkReader(folder / "talk.json", TALK).conversations())
    assert read == [conversation(9, number, 6) for number in range(2)]
    assert load(rows=2, data=folder)[0] == load(rows=2, seed=9, sessions="6")[0]
    config = json.loads((folder / "generation_config.json").read_text())
    assert (config["seed"], config["conversations"], config["sessions"]) == (9, 2, "6")


def test_the_file_is_locomos_and_locomo_can_read_it(cli: Cli, folder: Path) -> None:
    told = cli("run", "--suite", "locomo", "--data", "d/talk.json", "--system", "none", "--k", "3", "--out", "r").out
    assert "none" in told
    assert "2 rows, ok" in cli("data", "validate", "d", "--suite", "talk").out
    assert re.search(r"all\s+12\s+", cli("data", "stats", "talk", "--data", "d").out)


def spoil(path: Path, change: Mapping[str, Any]) -> None:
    values = json.loads(path.read_text())
    row = next(row for row in values[0]["qa"] if row["category"] == 4)
    row |= change
    path.write_text(json.dumps(values))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"answer": "a purple submarine"}, "does not say the answer 'a purple submarine'"),
        ({"told": {"D99:1": ["x"]}}, "no list of phrases"),
        ({"told": "<b>"}, "no list of phrases"),
        ({"evidence": [], "told": {}}, "has no evidence"),
    ],
)
def test_what_is_wrong_with_a_file_is_named(change: dict[str, Any], message: str, cli: Cli, folder: Path) -> None:
    spoil(folder / "talk.json", change)
    assert message in cli("data", "validate", "d", "--suite", "talk", "--limit", "50", code=1).out
    episodes, _ = load(rows=2, data=folder)
    assert len(episodes) == 2, "the rest is used"


def test_evidence_that_does_not_say_its_phrase_is_named(cli: Cli, folder: Path) -> None:
    talk = next(TalkReader(folder / "talk.json", TALK).conversations())
    question = next(one for one in asked(talk) if one.kind == "single-hop")
    record = record_of(talk)
    record["qa"] = [{**record["qa"][question.index], "told": {question.evidence[0]: ["a green giraffe"]}}]
    (folder / "talk.json").write_text(json.dumps([record]))
    assert "does not say 'a green giraffe'" in cli("data", "validate", "d", "--suite", "talk", code=1).out


def test_answers_are_scored_as_locomo_scores_them(cli: Cli, folder: Path) -> None:
    probes: list[Probe] = [probe for episode in load(rows=2, data=folder)[0] for probe in episode.probes]
    lines = [{"question_id": probe.id, "hypothesis": probe.gold.split(";")[0]} for probe in probes]
    Path("a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = json.loads(cli("score", "talk", "a.jsonl", "--data", "d", "--json").out)
    scores = {line["name"]: line["accuracy"] for line in found["scores"]["released"]}
    assert scores == pytest.approx(dict.fromkeys(scores, 1.0))
    assert set(CATEGORIES.values()) <= set(scores)
    with StubServer(ContentJudge()) as server:
        judged = ("score", "talk", "a.jsonl", "--data", "d", "--judge", f"{server.url}#judge", "--json")
        lines = json.loads(cli(*judged).out)["scores"]["released"]
    assert {line["metric"] for line in lines} == {"accuracy"}
    assert set(SUITE.rubrics) == {f"talk/{kind}" for kind in CATEGORIES.values()}


def test_locomo_without_its_file_points_here_and_wrong_options_are_refused(cli: Cli, folder: Path) -> None:
    assert "--suite talk" in cli("run", "--suite", "locomo", "--system", "none", "--out", "r", code=1).err
    run = ("run", "--suite", "talk", "--system", "none", "--out", "r")
    for wrong, meant in (
        (("--sessions", "3"), "between 4 and 60"),
        (("--sessions", "100"), "between 4 and 60"),
        (("--months", "2000"), "at most 120"),
        (("--stores", "speaker"), "speakers"),
        (("--captions", "on"), "yes or no"),
        (("--data", "nowhere"), "memtriage data generate talk"),
        (("--data", "d", "--sessions", "9"), "brings its own conversations"),
    ):
        assert meant in cli(*run, *wrong, code=1).err
    assert "all of it is generated" in cli("data", "pull", "talk", "--out", "p", code=1).err
    with pytest.raises(BadInput, match="option of suite talk"):
        load(session="8")


def test_planted_faults_are_found_at_their_stage() -> None:
    episodes, _ = load(rows=5, sessions="12")
    found = calibrate(episodes, styles=())
    assert found.planted > 30
    assert found.attributed == found.planted
    assert found.false_alarms == 0
