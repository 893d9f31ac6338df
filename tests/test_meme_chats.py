"""What holds for every evidence session: of skeletons written by hand, generated and released."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import items, records
from memtriage.suites.meme.domains import DOMAINS, PUBLISHED, graph_of
from memtriage.suites.meme.generate.chats import evidence_sessions, slots, small_talk
from memtriage.suites.meme.generate.skeletons import skeletons
from memtriage.suites.meme.graph import PHRASINGS, Phrasing
from memtriage.suites.meme.skeleton import Skeleton, Statement, StatementKind
from memtriage.suites.meme.transcript import EvidenceSession
from memtriage.text.sentences import sentences

IDS = tuple(f"s{number:02d}" for number in range(1, 6))
TIMES = tuple(f"2025-01-{day:02d}T09:00:00" for day in range(6, 11))

GENERATED = [skeleton for domain in DOMAINS for skeleton in skeletons(graph_of(domain), 12, seed=11)]


def statement_of(entity: str, value: str, kind: StatementKind, text: str) -> Statement:
    return Statement(entity, value, kind, text)


def by_hand(domain: str = "personal-life", vehicle: str = "Morvane Coupe") -> Skeleton:
    """A small episode with a statement of every kind, some of them hard to tell apart from what follows."""
    sessions = (
        (
            statement_of("employer", "Thalby Inc.", "fact", "I work for Thalby Inc."),
            statement_of("vehicle", vehicle, "fact", f"I drive a {vehicle}"),
            statement_of("pet", "iguana", "filler", "my pet is an iguana"),
        ),
        (
            statement_of(
                "commute", "tram", "dependency", "I go by tram, because of Thalby Inc.; if that changes, so does this"
            ),
            statement_of("vitamin", "vitamin K", "fact", "I take vitamin K."),
        ),
        (
            statement_of("commute", "ferry", "rule", "If my employer changes, my commute will be by ferry"),
            statement_of("vehicle", "Orlo van", "update", "Update: I drive an Orlo van"),
        ),
        (statement_of("log", "Err: 7.\nat line 3.", "exact", 'Keep this word for word:\n"Err: 7.\nat line 3."'),),
        (
            statement_of("employer", "Quince & Co", "change", "I have left Thalby Inc. for Quince & Co"),
            statement_of("pet", "iguana", "delete", "My pet is an iguana. Please remove that from your memory."),
        ),
    )
    return Skeleton("hand", domain, "employer", ("Thalby Inc.", "Quince & Co"), (), sessions, ())


def released(name: str) -> list[Skeleton]:
    """The released gold facts, in five sessions."""
    path = shared_data(f"meme/gold_facts_{name}_20.json")
    return [_skeleton(row) for row in json.loads(path.read_text())]


def _skeleton(row: dict[str, object]) -> Skeleton:
    intro, end = row["phase1_fact_introduction"], row["phase3_change_and_deletion"]
    assert isinstance(intro, list)
    assert isinstance(end, list)
    facts = [statement_of(fact["entity"], fact["value"], _kind(fact), fact["gold_fact"]) for fact in intro]
    quarter = -(-len(facts) // 4)
    parts = [tuple(facts[start : start + quarter]) for start in range(0, 4 * quarter, quarter)]
    last = tuple(statement_of(fact["entity"], fact["value"], _kind(fact), fact["gold_fact"]) for fact in end)
    change = row["root_change"]
    assert isinstance(change, dict)
    pair = (change["before"], change["after"])
    return Skeleton(str(row["episode_id"]), str(row["domain"]), str(row["root"]), pair, (), (*parts, last), ())


def _kind(fact: dict[str, object]) -> StatementKind:
    if "type" in fact:
        return "delete" if fact["type"] == "delete" else "change"
    return "exact" if fact.get("is_exact") else "rule" if fact.get("is_if_then") else "fact"


def chats_of(skeleton: Skeleton, seed: int = 1) -> tuple[EvidenceSession, ...]:
    return evidence_sessions(skeleton, seed, IDS, TIMES)


def texts(chats: Iterable[EvidenceSession]) -> dict[str, str]:
    return {turn.id: turn.text for chat in chats for turn in chat.session.turns}


def turn_of(chats: Iterable[EvidenceSession]) -> dict[int, str]:
    return {number: turn for chat in chats for number, turn in chat.turns.items()}


def holds(text: str, value: str) -> bool:
    """Whether a text holds a value as words of its own, whatever the case."""
    return re.search(rf"(?<!\w){re.escape(value.lower())}(?!\w)", text.lower()) is not None


def run_of(part: list[str], whole: list[str]) -> bool:
    return any(whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1))


def check_words(skeleton: Skeleton, chats: tuple[EvidenceSession, ...]) -> None:
    said, turns = texts(chats), turn_of(chats)
    assert sorted(turns) == list(range(len(skeleton.statements())))
    for number, statement in enumerate(skeleton.statements()):
        message = said[turns[number]]
        assert statement.text in message
        closed = statement.text if statement.text[-1] in ".!?\"'”" else f"{statement.text}."
        assert run_of(sentences(closed), sentences(message)), message


def check_silence(skeleton: Skeleton, chats: tuple[EvidenceSession, ...]) -> None:
    """Around a statement no value is named, except that the reply may repeat the one just told."""
    values = {statement.value for statement in skeleton.statements()} - {"none", "deleted"}
    said, number_at = texts(chats), {turn: number for number, turn in turn_of(chats).items()}
    statements = skeleton.statements()
    just: Statement | None = None
    for id, text in said.items():
        if id in number_at:
            just = statements[number_at[id]]
            text = text.replace(just.text, "", 1)
            allowed: set[str] = set()
        else:
            allowed = {just.value} if just and just.kind in ("fact", "filler", "update") else set()
        named = {value for value in values if holds(text, value)}
        assert named <= allowed, text


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**40), st.sampled_from(["personal-life", "software_project", "somewhere-else"]))
def test_every_statement_is_quoted_as_whole_sentences(seed: int, domain: str) -> None:
    skeleton = by_hand(domain)
    chats = chats_of(skeleton, seed)
    check_words(skeleton, chats)
    check_silence(skeleton, chats)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(GENERATED), st.integers(0, 2**40))
def test_generated_chats_name_no_other_values(skeleton: Skeleton, seed: int) -> None:
    chats = chats_of(skeleton, seed)
    check_words(skeleton, chats)
    check_silence(skeleton, chats)


@pytest.mark.parametrize("name", ["pl", "sw"])
def test_released_episodes_get_chats_too(name: str) -> None:
    for skeleton in released(name):
        chats = chats_of(skeleton)
        check_words(skeleton, chats)
        check_silence(skeleton, chats)


@pytest.mark.parametrize("phrasing", PHRASINGS)
def test_other_phrasings_stay_word_for_word(phrasing: Phrasing) -> None:
    for skeleton in skeletons(graph_of("personal-life"), 5, 2, phrasing):
        check_words(skeleton, chats_of(skeleton))


def test_the_same_seed_gives_the_same_chats_and_another_gives_others() -> None:
    for skeleton in GENERATED[::6]:
        assert chats_of(skeleton, 5) == chats_of(skeleton, 5)
        assert chats_of(skeleton, 5) != chats_of(skeleton, 6)


def test_turns_are_numbered_and_speakers_alternate() -> None:
    for skeleton in GENERATED:
        for chat, id, time in zip(chats_of(skeleton), IDS, TIMES, strict=True):
            assert chat.session.id == id
            assert chat.session.timestamp == time
            assert [turn.id for turn in chat.session.turns] == [f"{id}/{n}" for n in range(len(chat.session.turns))]
            roles = [turn.role for turn in chat.session.turns]
            assert all(a != b for a, b in pairwise(roles))
            assert roles[-1] == "assistant"
            spoken = {turn.id: turn.role for turn in chat.session.turns}
            assert all(spoken[turn] == "user" for turn in chat.turns.values())


def test_what_users_say_around_statements_hardly_repeats_itself() -> None:
    for skeleton in GENERATED:
        chats = chats_of(skeleton)
        around: Counter[str] = Counter()
        for number, turn in turn_of(chats).items():
            rest = texts(chats)[turn].replace(skeleton.statements()[number].text, "")
            around.update(s for s in sentences(rest) if len(s) > 3)
        assert max(around.values()) <= 3, around.most_common(1)


def test_sessions_of_different_episodes_do_not_look_alike() -> None:
    openings = Counter(chats_of(skeleton)[0].session.turns[0].text for skeleton in GENERATED)
    assert max(openings.values()) <= len(GENERATED) / 4
    whole = {chat.session.text for skeleton in GENERATED for chat in chats_of(skeleton)}
    assert len(whole) == 5 * len(GENERATED)


def test_the_assistant_sometimes_repeats_the_value_just_told() -> None:
    repeated = 0
    for skeleton in GENERATED:
        chats = chats_of(skeleton)
        said = texts(chats)
        for number, turn in turn_of(chats).items():
            session, place = turn.split("/")
            reply = said[f"{session}/{int(place) + 1}"]
            statement = skeleton.statements()[number]
            if holds(reply, statement.value.rstrip(".")):
                assert statement.kind in ("fact", "filler", "update")
                repeated += 1
    assert 0 < repeated < 0.3 * sum(len(skeleton.statements()) for skeleton in GENERATED)


def test_a_phrase_that_holds_a_value_of_the_episode_is_not_used() -> None:
    # "note" stands in many phrases; as a value it must not come from anyone but the one who tells it.
    skeleton = by_hand(vehicle="Note")
    for seed in range(30):
        check_silence(skeleton, chats_of(skeleton, seed))


def test_every_place_of_a_chat_has_a_dozen_wordings() -> None:
    found = records("memtriage.suites.meme", "chat")
    pools = {name: text for name, text in found.items() if name not in ("slots", "short_offers", "asides")}
    texts = [text for pool in pools.values() for text in (pool.values() if isinstance(pool, dict) else [pool])]
    for text in texts:
        worded = {draw(line, Random(n), slots()) for line in items(text) for n in range(40)}
        assert len(worded) >= 12
        assert not any("{" in words.replace("{value}", "") or "|" in words for words in worded)
    assert len(set(small_talk())) >= 12
    published = {small_talk(name, entity.name) for name in PUBLISHED for entity in graph_of(name).entities}
    questions = [pair for pairs in published for pair in pairs]
    assert len(questions) == len(set(questions)) >= 80


def test_what_people_say_around_facts_is_rarely_said_twice() -> None:
    """Of the sentences around the statements of other episodes, most are worded anew."""
    episodes = [skeleton for domain in PUBLISHED for skeleton in skeletons(graph_of(domain), 15, seed=3)]
    said: dict[str, set[str]] = {}
    for skeleton in episodes:
        statements = " ".join(statement.text for statement in skeleton.statements())
        for session in chats_of(skeleton, 3):
            for turn in session.session.turns:
                for sentence in sentences(turn.text):
                    if turn.role == "user" and len(sentence.split()) > 6 and sentence.strip() not in statements:
                        said.setdefault(sentence, set()).add(skeleton.id)
    again = sum(len(homes) > 1 for homes in said.values())
    assert len(said) > 1_000
    assert again < 0.1 * len(said)
