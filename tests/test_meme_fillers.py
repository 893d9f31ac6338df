"""Fillers and the episodes transcript with them: no facts touched, the budget met, time in order."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import datetime
from itertools import islice, pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.suites.kit.filler.chats import LONGEST, SHORTEST, Filler, draw_fillers
from memtriage.suites.kit.filler.topics import families, topics
from memtriage.suites.meme.generate.assemble import assemble, parse_filler
from memtriage.suites.meme.generate.conflicts import GoldWords
from memtriage.suites.meme.generate.pool import read_pool
from memtriage.suites.meme.skeleton import Skeleton
from memtriage.suites.meme.transcript import Transcript
from memtriage.text.tokens import count_tokens
from test_meme_chats import GENERATED, by_hand, holds, released

DOMAINS = ("personal-life", "software-project", "anything-else")
OWN = re.compile(r"\b(my|mine|our|ours|I (am|live|work|own|drive|take|play|train|sleep|eat)|we (use|have|are|run))\b")


def fillers_of(transcript: Transcript) -> list[tuple[str, str]]:
    """Every filler session as its id and its text."""
    return [(s.id, s.text) for s in transcript.sessions if s.id not in transcript.evidence]


def gap_tokens(transcript: Transcript) -> list[int]:
    """The tokens of filler before each evidence session and after the last."""
    gaps = [0]
    for session in transcript.sessions:
        if session.id in transcript.evidence:
            gaps.append(0)
        else:
            gaps[-1] += count_tokens("\n".join(turn.text for turn in session.turns))
    return gaps


def talk(*said: str) -> tuple[tuple[str, str], ...]:
    return tuple((("user", "assistant")[number % 2], text) for number, text in enumerate(said))


@pytest.mark.parametrize("domain", DOMAINS)
def test_there_are_many_topics_and_each_is_well_formed(domain: str) -> None:
    assert len(topics(domain)) >= 40
    for family in families(domain):
        assert all(len(subject) == len(family.gaps) for subject in family.subjects), family.name
        assert len({subject[0] for subject in family.subjects}) == len(family.subjects)
        assert len(family.aspects) >= 5
        assert all(len(aspect.asks) == 2 and len(aspect.points) >= 5 for aspect in family.aspects), family.name


@pytest.mark.parametrize("domain", DOMAINS)
def test_generated_fillers_are_long_chats_all_different_with_nothing_left_open(domain: str) -> None:
    drawn = list(islice(draw_fillers(domain, Random(3)), 250))
    assert len({filler.turns for filler in drawn}) == len(drawn)
    assert all(SHORTEST <= filler.tokens <= LONGEST for filler in drawn)
    assert {filler.tokens < 1000 for filler in drawn} == {filler.tokens > 2500 for filler in drawn} == {True, False}
    for filler in drawn:
        assert [role for role, _ in filler.turns] == ["user", "assistant"] * (len(filler.turns) // 2)
        assert len(filler.turns) >= 4
        for _, text in filler.turns:
            assert text == text.strip()
            assert not re.search(r"\{[a-z]+\}|\.\.\d", text), text


@pytest.mark.parametrize("domain", DOMAINS)
def test_nobody_speaks_of_themselves_in_a_generated_filler(domain: str) -> None:
    for filler in islice(draw_fillers(domain, Random(4)), 250):
        for role, text in filler.turns:
            assert role != "user" or not OWN.search(text), text


def test_the_tokens_of_a_filler_are_those_of_its_texts() -> None:
    filler = next(draw_fillers("software-project", Random(1)))
    assert filler.tokens == count_tokens("\n".join(text for _, text in filler.turns))


@settings(max_examples=12, deadline=None)
@given(st.sampled_from(GENERATED), st.integers(0, 2**40), st.sampled_from(["none", "8k", "32k"]))
def test_an_assembled_episode_keeps_its_promises(skeleton: Skeleton, seed: int, size: str) -> None:
    check(skeleton, assemble(skeleton, seed, size), parse_filler(size))


@pytest.mark.parametrize("name", ["pl", "sw"])
def test_released_episodes_full_of_everyday_words_find_enough_fillers(name: str) -> None:
    for skeleton in released(name)[:10]:
        check(skeleton, assemble(skeleton, 1, 24_000), 24_000)


def check(skeleton: Skeleton, made: Transcript, budget: int) -> None:
    said = {turn.id: turn.text for session in made.sessions for turn in session.turns}
    assert sorted(made.turns) == list(range(len(skeleton.statements())))
    for number, statement in enumerate(skeleton.statements()):
        assert statement.text in said[made.turns[number]]
    values = {s.value for s in skeleton.statements()} | set(skeleton.change)
    for id, text in fillers_of(made):
        found = [value for value in values if value not in ("none", "deleted") and holds(text, value)]
        assert not found, (id, found)
    gaps = gap_tokens(made)
    largest = max((count_tokens(text) for _, text in fillers_of(made)), default=0)
    assert sum(gaps) == made.filler_tokens
    assert len(gaps) == 6
    assert all(abs(gap - budget / 6) <= largest for gap in gaps)
    assert abs(made.filler_tokens - budget) <= largest
    check_order(made)


def check_order(made: Transcript) -> None:
    moments = [datetime.fromisoformat(session.timestamp or "") for session in made.sessions]
    assert all(a < b for a, b in pairwise(moments))
    assert (moments[-1] - moments[0]).days <= 70
    assert [s.id for s in made.sessions] == [f"s{n:02d}" for n in range(1, len(made.sessions) + 1)]
    assert all(turn.id.startswith(f"{session.id}/") for session in made.sessions for turn in session.turns)
    assert len(made.evidence) == 5
    assert list(made.evidence) == sorted(made.evidence)
    told = [made.turns[number].split("/")[0] for number in sorted(made.turns)]
    assert list(dict.fromkeys(told)) == list(made.evidence)
    texts = [text for _, text in fillers_of(made)]
    assert len(set(texts)) == len(texts)


def test_the_same_seed_gives_the_same_episode_and_another_gives_another() -> None:
    skeleton = GENERATED[0]
    assert assemble(skeleton, 7, "8k") == assemble(skeleton, 7, "8k")
    assert assemble(skeleton, 7, "8k") != assemble(skeleton, 8, "8k")


def test_the_words_of_the_evidence_do_not_depend_on_the_filler() -> None:
    def evidence(size: str) -> list[list[str]]:
        made = assemble(GENERATED[1], 3, size)
        return [[turn.text for turn in s.turns] for s in made.sessions if s.id in made.evidence]

    assert evidence("none") == evidence("16k")


def test_a_long_episode_uses_no_filler_twice() -> None:
    made = assemble(GENERATED[0], 1, "128k")
    check(GENERATED[0], made, 128_000)
    assert len(made.sessions) > 60


@pytest.mark.parametrize(
    ("size", "tokens"), [("none", 0), ("32k", 32_000), ("128K", 128_000), ("1.5k", 1500), (700, 700), ("1m", 10**6)]
)
def test_sizes_are_understood(size: str | int, tokens: int) -> None:
    assert parse_filler(size) == tokens


@pytest.mark.parametrize("size", ["lots", "-5", "32kb", "k", "1.2.3k", -1])
def test_a_bad_size_is_refused(size: str | int) -> None:
    with pytest.raises(BadInput, match=r"32k"):
        parse_filler(size)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I drive a rusty old van these days.", "A"),
        ("Well, my employer is hiring again.", "A"),
        ("Our old pet was a goat.", "A"),
        ("Is the Morvane Coupe any good?", "B"),
        ("How are iguanas kept?", "B"),
        ("Who founded the Morvane works?", "C"),
        ("Tell me about a thalby.", "C"),
        ("What is a good name for a boat?", None),
        ("How does one drive in snow?", None),
        ("I have a question about tramways.", None),
    ],
)
def test_conflicts_are_found_by_words(said: str, kind: str | None) -> None:
    assert GoldWords.of(by_hand()).conflict(talk(said, "Let me see.")) == kind


def test_an_assistant_who_tells_the_user_what_they_have_conflicts_too() -> None:
    gold = GoldWords.of(by_hand())
    assert gold.conflict(talk("Hm?", "Your employer is a bank, as you said.")) == "A"
    assert gold.conflict(talk("Hm?", "An employer is somebody who pays wages.")) is None


def test_a_part_of_a_text_to_be_kept_conflicts_but_its_single_words_do_not() -> None:
    text = "Plant two trees for every clever remark, and water both of them before breakfast."
    base = by_hand()
    exact = (base.sessions[3][0].__class__("motto", text, "exact", f'Keep this: "{text}"'),)
    gold = GoldWords.of(Skeleton("e", "personal-life", "motto", ("", ""), (), (exact,), ()))
    assert gold.conflict(talk("They say: plant two trees for every guest.", "Do they?")) == "B"
    assert gold.conflict(talk("Which trees need water?", "A clever question.")) is None


def pool_of(count: int, tokens: int = 60) -> tuple[Filler, ...]:
    words = "lamp stone river cloud basket"
    return tuple(Filler.of(talk(f"Question {n}: {words * (tokens // 6)}?", f"Answer {n}.")) for n in range(count))


def test_a_pool_replaces_the_generated_fillers_and_is_filtered() -> None:
    bad = Filler.of(talk("I drive a rusty old van.", "I see."))
    pool = (*pool_of(60), *[bad] * 3)
    made = assemble(by_hand(), 1, 3000, pool)
    texts = [text for _, text in fillers_of(made)]
    assert all("Question" in text for text in texts)
    assert len(set(texts)) == len(texts)
    assert abs(made.filler_tokens - 3000) <= max(filler.tokens for filler in pool)
    everything = assemble(by_hand(), 1, sum(filler.tokens for filler in pool_of(60)), pool)
    assert everything.dropped == {"A": 1}


def test_a_pool_that_is_too_small_is_refused_with_the_numbers() -> None:
    with pytest.raises(BadInput, match=r"'hand'.* ran out at [\d,]+ of 50,000"):
        assemble(by_hand(), 1, 50_000, pool_of(10))


def test_sessions_of_a_pool_that_are_too_large_for_a_gap_are_left_out() -> None:
    giant = Filler.of(talk("word " * 9000, "Indeed."))
    made = assemble(by_hand(), 1, 3000, (giant, *pool_of(80)))
    assert all("word word" not in text for _, text in fillers_of(made))


def row(*said: str) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for role, text in talk(*said)]


def test_a_pool_is_read_from_json_and_from_lines(tmp_path: Path) -> None:
    rows = [row("Hi?", "Hello."), row("Why?", "Because."), row("Hi?", "Hello.")]
    (tmp_path / "list.json").write_text(json.dumps(rows))
    (tmp_path / "lines.jsonl").write_text("\n\n".join(map(json.dumps, rows)) + "\n")
    (tmp_path / "one.jsonl").write_text(json.dumps(rows[0]))
    expected = (Filler.of(talk("Hi?", "Hello.")), Filler.of(talk("Why?", "Because.")))
    assert read_pool(tmp_path / "list.json") == read_pool(tmp_path / "lines.jsonl") == expected
    assert read_pool(tmp_path / "one.jsonl") == expected[:1]


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('[[{"role": "user", "content": "Hi"}], [{"role": "user"}]]', "session 2, turn 1: .*role and content"),
        ('[[{"role": "human", "content": "Hi"}]]', "session 1, turn 1: role 'human'"),
        ('[[{"role": ["user"], "content": "Hi"}]]', "session 1, turn 1: role"),
        ('[[{"role": "user", "content": " "}]]', "session 1, turn 1: content"),
        ('[[{"role": "user", "content": 7}]]', "session 1, turn 1: content"),
        ("[[]]", "session 1: .*at least one turn"),
        ('["Hi"]', "session 1: "),
        ('{"a": 1}', "list of sessions, not dict"),
        ("[]", "no session"),
        ("", "no session"),
        ('[{"role": "user", "content": "Hi"}]\n[{"role": "user", "content"', "line 2 is not JSON"),
    ],
)
def test_a_bad_row_of_a_pool_is_named(tmp_path: Path, text: str, where: str) -> None:
    path = tmp_path / "pool.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=rf"pool\.json: .*{where}|pool\.json: {where}"):
        read_pool(path)


def test_a_missing_pool_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.json.*can't be read"):
        read_pool(tmp_path / "nowhere.json")


def test_topics_take_turns_in_an_episode() -> None:
    firsts = [
        filler.turns[0][1]
        for filler in islice(draw_fillers("personal-life", Random(5)), len(families("personal-life")))
    ]
    assert max(Counter(firsts).values()) == 1
