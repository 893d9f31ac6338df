"""What memories hold of a fact, by words alone: exact for copies, and for rewritings only what is sure."""

from __future__ import annotations

import random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memtriage.core.episode import Fact
from memtriage.diagnose.lexical.detector import holds
from memtriage.diagnose.lexical.evidence import subject_stems
from memtriage.diagnose.lexical.finding import Finding
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.text.sentences import sentences

RULE = "Bramble guards the wheelbarrow only when the gate stays open after 6 p.m."
DETAILS = ("the gate stays open after 6 p.m.", "guards the wheelbarrow")
ESSAY = f"Bramble is a terrier from Tarn. {RULE} Her bowl is blue."


def state(fact: Fact, memories: list[str], said: list[str] | None = None) -> Finding:
    turns = list(enumerate([fact.text] if said is None else said))
    library = SentenceIndex([(f"t{i}", text) for i, text in turns], [("t0", e) for e in fact.evidence])
    scope = frozenset(library.add(str(i), text) for i, text in enumerate(memories))
    return holds(fact, library, scope)


def rule(**changes: object) -> Fact:
    kept: dict[str, object] = {"id": "f", "text": RULE, "turns": ("t0",), "details": DETAILS, "subject": "Bramble"}
    return Fact(**{**kept, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (RULE, "found"),
        (ESSAY, "found"),
        (RULE.replace("6 p.m.", "six PM"), "found"),
        ("Bramble guards the wheelbarrow only when the gate stays open.", "edited"),
        ("Bramble guards the wheelbarrow only when the gate is open after 6 p.m.", "found"),
        (RULE.replace("6", "9"), "edited"),
        ("Bramble guards the wheelbarrow only sometimes.", "edited"),
        ("Bramble guards the wheelbarrow when the gate stays open after 6 p.m.", "edited"),
        (RULE.replace("guards", "never guards"), "edited"),
        (RULE.replace("Bramble", "She"), "edited"),
        (RULE.replace("Bramble", "Thistle"), "edited"),
        ("With an open gate in the evening, Bramble watches over the barrow.", "unsettled"),
        (RULE.replace("after", "before"), "edited"),
        (RULE.replace("guards", "stopped guarding"), "unsettled"),
        (RULE.replace("Bramble", "Bramble's brother"), "unsettled"),
        (RULE.replace("6 p.m.", "18:00"), "found"),
        ("Bramble guards the gate only when the wheelbarrow stays open after 6 p.m.", "unsettled"),
        ("Odo mends nets.", "absent"),
    ],
)
def test_a_rewritten_rule_is_judged_by_what_it_kept(memory: str, expected: str) -> None:
    assert state(rule(), [memory], [ESSAY, "Odo mends nets."]).state == expected


def test_a_copied_sentence_without_the_name_is_edited() -> None:
    said = "She guards the wheelbarrow only when the gate stays open after 6 p.m."
    fact = rule(text=said)
    essay = f"Bramble is a terrier. {said}"
    assert state(fact, [essay], [essay]).state == "found"
    found = state(fact, [said], [essay])
    assert (found.state, found.memories) == ("edited", (0,))
    assert "Bramble" in found.why


def test_the_words_of_somebody_else_are_not_the_fact() -> None:
    other = RULE.replace("Bramble", "Thistle")
    assert state(rule(), [other], [RULE, other]).state == "absent"
    assert state(rule(), [f"Bramble likes Thistle. {other}"], [RULE, other]).state != "found"


def test_another_person_in_a_memory_that_names_the_subject_elsewhere_is_no_find() -> None:
    memory = "Bramble met Thistle. Thistle guards the wheelbarrow only when the gate stays open after 6 p.m."
    assert state(rule(), [memory]).state == "unsettled"


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("Odo never eats plums except at harvest feasts.", "Odo eats plums only at harvest feasts."),
        ("Odo does not sail unless the harbour lamp burns.", "Odo sails only if the harbour lamp burns."),
        ("Odo eats not only plums but also quinces.", "Odo eats plums and also quinces."),
        ("Odo rows eight out of ten mornings across the bay.", "Odo rows 80% of mornings across the bay."),
        ("Odo sings whenever the temperature falls below 10°C.", "Odo sings below 10°C."),
        ("Odo bakes one rye loaf on market Mondays.", "Odo bakes a rye loaf on market Mondays."),
        ("Odo naps for 60 minutes on the pier bench.", "Odo naps for an hour on the pier bench."),
        ("Odo adores the old love song of harbour choirs.", "Odo loves the old love song of harbour choirs."),
    ],
)
def test_the_same_in_other_words_is_never_a_loss(said: str, memory: str) -> None:
    details = (said.removeprefix("Odo ").rstrip("."),)
    for cut in (details, tuple(details[0].split(" ", 1))):
        fact = Fact("f", said, ("t0",), cut, subject="Odo")
        assert state(fact, [memory]).state in {"found", "unsettled"}


@pytest.mark.parametrize(
    ("said", "memory"),
    [
        ("The tug Mora tows the barge Finch.", "The tug Mora is towed by the barge Finch."),
        ("The red lantern guides the red harbour.", "The red harbour guides the red lantern."),
        ("The tug Mora tows the barge Finch.", "The barge Finch tows the tug Mora."),
        ("The tug Mora tows the barge Finch.", "The tug Mora saw the barge Finch."),
        ("Odo sings when it is not dark.", "Odo does not sing when it is dark."),
        ("Odo skates below -5 degrees.", "Odo skates below 5 degrees."),
    ],
)
def test_a_turned_statement_is_never_found(said: str, memory: str) -> None:
    anchors = {"The tug": ("tug Mora", "barge Finch"), "The red": ("red lantern", "red harbour")}
    fact = Fact("f", said, ("t0",), anchors.get(said[:7], (said.removeprefix("Odo ").rstrip("."),)))
    assert state(fact, [memory]).state != "found"
    assert state(fact, [said]).state == "found"


def test_an_over_general_preference_is_open_and_a_mention_is_no_preference() -> None:
    fact = Fact("f", "I keep coming back to pickled herring on rye.", ("t0",), ("pickled herring",))
    assert state(fact, ["User likes Nordic food."]).state == "absent"
    assert state(fact, ["User likes herring."]).state == "unsettled"
    assert state(fact, ["User's boss once spilled pickled herring."]).state == "unsettled"
    assert state(fact, []).state == "absent"


def test_a_split_rule_may_stand_in_two_memories_that_name_the_subject() -> None:
    habit, when = "Bramble guards the wheelbarrow.", "Bramble does that only after 6 p.m."
    fact = rule(text=f"{habit} {when}", evidence=(habit, when), details=("guards the wheelbarrow", "after 6 p.m."))
    split = rule(text=fact.text, evidence=fact.evidence, details=fact.details, split=True)
    said = [f"{habit} Tarn is wet. {when}"]
    assert state(split, [habit, when], said).state == "found"
    assert state(fact, [habit, when], said).state == "unsettled"
    assert state(split, [habit], said).state == "absent"
    assert state(split, [habit, when.replace("Bramble", "She")], said).state != "found"


def test_a_denial_from_another_sentence_of_the_fact_flips_nothing() -> None:
    said = (
        "Friends find Odo most amusing completely rested, a state he is seldom in. "
        "The way Odo folds paper swans is well known. The folding happens in that condition and not beyond."
    )
    fact = Fact(
        "f",
        "Odo folds paper swans only when he is completely rested.",
        ("t0",),
        ("completely rested", "folds paper swans"),
        evidence=tuple(sentences(said)),
        subject="Odo",
        split=True,
    )
    joined = (
        "Odo folds paper swans, which is well known. It happens when Odo is completely rested (a state he is seldom "
        "in, and in which friends find him most amusing) and not beyond."
    )
    assert state(fact, [joined], [said]).state in ("found", "unsettled")
    assert state(fact, [joined.replace("is completely rested", "is not completely rested")], [said]).state != "found"


def test_merged_links_are_each_found() -> None:
    links = ["Priya loves the glass garden.", "The glass garden hides the copper well."]
    merged = "Priya loves the glass garden and the glass garden hides the copper well."
    details = [("Priya", "glass garden"), ("glass garden", "copper well")]
    for text, anchors in zip(links, details, strict=True):
        assert state(Fact("f", text, ("t0",), anchors), [merged], links).state == "found"


def test_a_repeat_without_its_detail_is_open_where_another_sentence_may_hold_it() -> None:
    habit = "Bramble guards the wheelbarrow."
    fact = Fact("f", "Bramble guards the wheelbarrow at low tide.", ("t0",), ("low tide",), subject="Bramble")
    assert state(fact, [habit]).state == "edited"
    assert state(fact, [habit, "It is low tide that brings Bramble out on watch."]).state in {"found", "unsettled"}
    assert state(fact, [f"{habit} This happens at low tide, says Bramble's keeper."]).state in {"found", "unsettled"}


def test_another_habit_under_the_same_condition_is_no_find() -> None:
    fact = Fact("f", "Bramble guards the wheelbarrow at low tide.", ("t0",), ("low tide",), subject="Bramble")
    assert state(fact, ["Bramble sleeps at low tide."]).state == "unsettled"


def test_a_piece_of_the_evidence_is_not_nothing() -> None:
    """A reworded memory that resembles the fact itself most can't be put down to something else."""
    said = "On wet autumn mornings Bramble guards the wheelbarrow beside the old stone gate until the milk cart passes."
    fact = Fact("f", said, ("t0",), ("until the milk cart passes", "guards the wheelbarrow"), subject="Bramble")
    assert state(fact, ["Bramble guards the wheelbarrow."], [said]).state != "absent"


def test_a_sentence_cut_through_a_word_is_cut_apart_not_lost() -> None:
    fact = rule()
    found = state(fact, ["Bramble guards the wheelb", "arrow only when the gate stays open after 6 p.m."])
    assert found.state == "unsettled"


def test_a_gold_text_that_nobody_said_lets_a_copied_turn_be_the_fact() -> None:
    fact = Fact("f", "Odo lost his post as a lamp keeper.", (), ("lost his post as a lamp keeper",), subject="Odo")
    turn = "Odo here: I lost my post, they don't need lamp keepers."
    assert state(fact, [turn], [turn]).state == "unsettled"


@pytest.mark.parametrize("details", [(), ("only",), ("only", "after 6 p.m."), ("—", "🙂")])
def test_details_without_words_neither_crash_nor_make_everything_a_find(details: tuple[str, ...]) -> None:
    assert state(rule(details=details), []).state == "absent"
    assert state(rule(details=details), ["Odo mends nets only."]).state != "found"
    assert state(rule(details=details), [RULE]).state in {"found", "unsettled"}


def test_a_fact_without_any_word_is_never_settled() -> None:
    fact = Fact("f", "🙂 !!!", ("t0",), ("🙂",))
    assert state(fact, ["Odo mends nets.", "!!!"]).state == "unsettled"


def test_a_detail_over_two_sentences_of_one_text_is_kept_with_the_text() -> None:
    text = "I don't drink coffee. Mint tea is what I ask for."
    fact = Fact("f", text, ("t0",), ("Mint tea",))
    assert state(fact, [text]).state == "found"


def test_titles_name_nobody() -> None:
    assert subject_stems("Captain Ilse D'Arcy") == {"ils", "darci"}


NAMES = "Odo Ilse Bramble Thistle Mora Finch Petra Juno".split()
HABITS = "mends nets|polishes bells|counts gulls|bakes rye|winds clocks|sorts buttons|waters ferns|paints oars".split(
    "|"
)
TIMES = "at low tide|after 7 p.m.|below 4 degrees|on market days|before every storm|with 3 candles lit".split("|")


def _store(seed: int, size: int) -> list[Fact]:
    rng = random.Random(seed)
    triples = rng.sample([(n, h, t) for n in NAMES for h in HABITS for t in TIMES], size)
    return [
        Fact(f"f{i}", f"{name} {habit} only {time}.", (f"t{i}",), (time, habit), subject=name)
        for i, (name, habit, time) in enumerate(triples)
    ]


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 90), st.data())
def test_dropping_memories_loses_exactly_their_facts(seed: int, size: int, data: st.DataObject) -> None:
    facts = _store(seed, size)
    dropped = data.draw(st.sets(st.integers(0, size - 1), max_size=5))
    library = SentenceIndex([(f.turns[0], f.text) for f in facts])
    order = data.draw(st.permutations(range(size))) if size < 12 else list(range(size))[::-1]
    numbers = {i: library.add(str(i), facts[i].text) for i in order}
    scope = frozenset(numbers[i] for i in range(size) if i not in dropped)
    for i, fact in enumerate(facts):
        found = holds(fact, library, scope)
        assert found.state == ("absent" if i in dropped else "found")
        assert found.memories == (() if i in dropped else (numbers[i],))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.lists(st.text(max_size=80), max_size=90))
def test_unrelated_memories_never_unmake_a_find(seed: int, noise: list[str]) -> None:
    facts = _store(seed, 5)
    library = SentenceIndex([(f.turns[0], f.text) for f in facts])
    scope = frozenset(library.add(f"n{i}", text) for i, text in enumerate([*noise, *(f.text for f in facts)]))
    assert [holds(fact, library, scope).state for fact in facts] == ["found"] * 5


@settings(max_examples=60)
@given(st.lists(st.sampled_from([RULE, ESSAY, RULE.replace("6", "9"), "Odo naps.", "Bramble barks."]), max_size=5))
def test_the_order_of_memories_does_not_matter(memories: list[str]) -> None:
    assert len({state(rule(), order).state for order in (memories, memories[::-1], sorted(memories))}) == 1


@settings(max_examples=80)
@given(st.text(max_size=60), st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_any_text_can_be_looked_for_and_is_only_ever_found_in_memories_that_are_there(
    text: str, detail: str, memories: list[str]
) -> None:
    assume(text.strip())
    fact = Fact("f", text, ("t0",), (detail, "only"), subject=detail[:5])
    found = state(fact, memories, [text, *memories])
    assert set(found.memories) <= set(range(len(memories)))
    assert found.memories or found.state in ("absent", "unsettled")
    assert memories or found.state == "absent"
    assert state(Fact("f", text, ("t0",), ()), [*memories, text]).state in ("found", "unsettled"), "odd, but kept"
