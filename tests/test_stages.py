"""Which stage lost a fact, worked out by hand on small lives of small stores."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage.core.episode import Episode, Fact, Probe, Scoring, Session, Turn
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import ProbeVerdict
from memtriage.diagnose.store import diagnose
from memtriage.text.sentences import sentences
from memtriage.text.words import words, words_in

TEA = "Sorrel brews nettle tea only when the barometer falls below 990."
OAR = "Sorrel carves an oar each winter."
NET = "Wick mends the trawl net on Fridays."


def fact(text: str, *details: str, id: str = "f", subject: str = "", turn: str = "s1/0", split: bool = False) -> Fact:
    return Fact(id, text, (turn,), details, subject=subject, split=split)


TEA_FACT = fact(TEA, "the barometer falls below 990", "brews nettle tea", subject="Sorrel")


def verdict(
    facts: Sequence[Fact],
    stores: Sequence[Sequence[str]],
    shown: Iterable[str] = (),
    said: Sequence[str] = (TEA, OAR, NET),
    sufficient: tuple[tuple[str, ...], ...] | None = None,
    scoring: Scoring = "free",
    answer: str | None = None,
    ingest: Mapping[str, object] | None = None,
    error: str | None = None,
) -> ProbeVerdict:
    """The verdict on one question; `stores` are what was kept after each session, by text."""
    sessions = tuple(Session(f"s{i}", (Turn("user", text, f"s{i}/0"),)) for i, text in enumerate(said, start=1))
    needed = sufficient or (tuple(f.id for f in facts),)
    probe = Probe("p", "?", "gold", needed, scoring, tuple("abcde"), "B" if scoring == "choice" else "")
    snapshots: list[Snapshot] = []
    before: Sequence[str] = ()
    for i, store in enumerate(stores, start=1):
        added = tuple(m for m in store if m not in before)
        removed = tuple(m for m in before if m not in store)
        snapshots.append(Snapshot(f"x{i}", f"s{i}", f"x{i - 1}" if i > 1 else None, added, removed))
        before = store
    history = History(Ingest(len(sessions), 0.0, **(ingest or {})), tuple(snapshots))  # type: ignore[arg-type]
    retrieved = tuple(Retrieved(text, rank) for rank, text in enumerate(shown, start=1))
    trace = Trace("p", 5, None, retrieved, answer=answer, error=error)
    episode = Episode("e", "t", sessions, tuple(facts), (probe,))
    (result,) = diagnose(episode, history, [trace], lambda keys: {key: key for key in keys}, "suite", "system")
    return result


def test_kept_and_retrieved_is_correct() -> None:
    found = verdict([TEA_FACT], [[TEA, OAR]], [TEA])
    assert found.verdict == "correct"
    assert found.facts[0].stages == {"storage": "pass", "summary": "pass", "retrieval": "pass"}
    assert found.facts[0].witness == (TEA,)


def test_what_was_dropped_was_never_stored() -> None:
    found = verdict([TEA_FACT], [[OAR], [OAR, NET]], [OAR])
    assert (found.verdict, found.facts[0].lost, found.facts[0].lost_after) == ("not_stored", "never", None)
    assert found.facts[0].stages == {"storage": "fail"}


def test_lost_later_names_the_session() -> None:
    found = verdict([TEA_FACT], [[TEA], [TEA, OAR], [OAR, NET]], [OAR])
    assert (found.verdict, found.facts[0].lost, found.facts[0].lost_after) == ("not_stored", "later", "s3")


def test_an_early_store_that_may_have_held_it_leaves_never_unsaid() -> None:
    reworded = "Low pressure makes Sorrel reach for nettles."
    found = verdict([TEA_FACT], [[reworded], [NET], [NET, OAR]], [NET])
    assert (found.verdict, found.facts[0].lost) == ("not_stored", None)


@pytest.mark.parametrize(
    "memory",
    [
        TEA.replace("990", "960"),
        "Sorrel brews nettle tea only when the barometer falls below some level.",
        "Sorrel brews nettle tea only sometimes.",
        TEA.replace("only ", ""),
        TEA.replace("brews", "never brews"),
    ],
)
def test_a_mangled_copy_is_a_summary_error(memory: str) -> None:
    found = verdict([TEA_FACT], [[memory, OAR]], [memory])
    assert found.verdict == "summary_error"
    assert found.facts[0].stages == {"storage": "pass", "summary": "fail"}
    assert found.facts[0].witness == (memory,)


def test_kept_but_not_in_the_top_k_is_not_retrieved() -> None:
    found = verdict([TEA_FACT], [[TEA, OAR, NET]], [OAR, NET])
    assert (found.verdict, found.facts[0].witness) == ("not_retrieved", (TEA,))
    assert found.facts[0].stages == {"storage": "pass", "summary": "pass", "retrieval": "fail"}


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        ("Sorrel makes nettle tea only when the barometer drops under 990.", "correct"),
        ("Nettle tea is what Sorrel brews once the barometer reads under 990.", "uncertain"),
        ("When pressure drops under 990, Sorrel makes an infusion.", "summary_error"),
        (TEA.lower()[7:], "summary_error"),
        ("Sorrel likes hot drinks.", "not_stored"),
        ("In low weather Sorrel sets nettles to steep.", "uncertain"),
    ],
)
def test_a_paraphrase_is_read(memory: str, expected: str) -> None:
    assert verdict([TEA_FACT], [[memory]], [memory]).verdict == expected


def test_a_retrieved_rewording_beside_a_stored_copy_is_not_called_missing() -> None:
    other = "Nettle tea is what Sorrel brews once the barometer reads under 990."
    assert verdict([TEA_FACT], [[TEA, other]], [other]).verdict == "uncertain"
    assert (
        verdict([TEA_FACT], [[TEA, "Sorrel owns a red kayak."]], ["Sorrel owns a red kayak."]).verdict
        == "not_retrieved"
    )


def test_an_unsettled_retrieved_text_that_the_store_does_not_list_is_uncertain() -> None:
    other = "Nettle tea is what Sorrel brews once the barometer reads under 990."
    assert verdict([TEA_FACT], [[OAR]], [other]).verdict == "uncertain"


def test_the_name_missing_from_a_copied_sentence_is_a_summary_error() -> None:
    habit = "She brews nettle tea only when the barometer falls below 990."
    nameless = fact(habit, "the barometer falls below 990", "brews nettle tea", subject="Sorrel")
    essay = f"Sorrel lives in Moss. {habit}"
    assert verdict([nameless], [[habit]], [habit], [essay]).verdict == "summary_error"
    assert verdict([nameless], [[essay]], [essay], [essay]).verdict == "correct"


def test_over_generalised_preferences_are_uncertain_never_correct() -> None:
    liking = fact("I am very fond of smoked eel.", "smoked eel")
    for memory in ("The user likes seafood.", "User enjoys eel."):
        assert verdict([liking], [[memory]], [memory], [liking.text]).verdict == "uncertain"


def test_of_two_halves_the_missing_one_decides() -> None:
    habit, when = "Sorrel brews nettle tea.", "That happens to Sorrel only below 990 on the barometer."
    both = Fact("f", f"{habit} {when}", ("s1/0",), ("brews nettle tea", "below 990"), (habit, when), "Sorrel", True)
    essay = f"{habit} Moss is damp. {when}"
    assert verdict([both], [[habit, when]], [habit, when], [essay]).verdict == "correct"
    assert verdict([both], [[habit, when]], [habit], [essay]).verdict == "not_retrieved"
    assert verdict([both], [[habit]], [habit], [essay]).verdict == "not_stored"


LINKS = ("Juno admires the tin whale.", "The tin whale guards the salt tower.")


def chain() -> list[Fact]:
    return [
        fact(LINKS[0], "Juno", "tin whale", id="a"),
        fact(LINKS[1], "tin whale", "salt tower", id="b", turn="s2/0"),
    ]


def test_merged_links_are_correct_and_a_turned_link_never_is() -> None:
    merged = "Juno admires the tin whale and the tin whale guards the salt tower."
    assert [f.verdict for f in verdict(chain(), [[merged]], [merged], LINKS).facts] == ["correct", "correct"]
    turned = "The salt tower guards the tin whale."
    assert verdict(chain(), [[LINKS[0], turned]], [LINKS[0], turned], LINKS).facts[1].verdict != "correct"


def test_letters_are_graded_only_where_every_fact_arrived() -> None:
    def of(answer: str, *shown: str) -> ProbeVerdict:
        return verdict(chain(), [LINKS], shown, LINKS, scoring="choice", answer=answer)

    assert (of("B", *LINKS).verdict, of("B", *LINKS).depth) == ("correct", "full")
    assert of("A", *LINKS).verdict == "reasoning_error"
    assert of("no idea", *LINKS).verdict == "reasoning_error"
    assert {f.stages["reasoning"] for f in of("A", *LINKS).facts} == {"fail"}
    lucky = of("B", LINKS[0])
    assert [lucky.verdict, *(f.verdict for f in lucky.facts)] == ["not_retrieved", "correct", "not_retrieved"]
    assert "reasoning" not in lucky.facts[0].stages


def test_any_one_sufficient_set_is_enough_and_the_furthest_names_the_stage() -> None:
    facts = [TEA_FACT, fact(OAR, "carves an oar", id="g", turn="s2/0"), fact(NET, "trawl net", id="h", turn="s3/0")]
    sets = (("f",), ("g",))
    assert verdict(facts, [[OAR]], [OAR], sufficient=sets).verdict == "correct"
    assert verdict(facts, [[OAR]], [], sufficient=sets).verdict == "not_retrieved"
    assert verdict(facts, [[NET]], [], sufficient=sets).verdict == "not_stored"
    assert verdict(facts, [[OAR, NET]], [OAR], sufficient=(("f", "g"), ("g", "h"))).verdict == "not_retrieved"


def test_a_misread_leaves_the_facts_of_a_lost_set_as_they_were() -> None:
    facts = [TEA_FACT, fact(OAR, "carves an oar", id="g", turn="s2/0")]
    found = verdict(facts, [[OAR]], [OAR], sufficient=(("f",), ("g",)), scoring="choice", answer="E")
    assert found.verdict == "reasoning_error"
    assert [f.verdict for f in found.facts] == ["not_stored", "reasoning_error"]


def test_errors_are_errors_whatever_else_is_seen() -> None:
    assert verdict([TEA_FACT], [[TEA]], [TEA], error="timed out").verdict == "error"
    assert verdict([TEA_FACT], [[TEA]], [TEA], ingest={"error": "disk full"}).error == "disk full"
    failed = verdict([TEA_FACT], [[OAR]], [OAR], ingest={"failed": {"s1": "ValueError"}})
    assert (failed.verdict, "s1" in (failed.error or "")) == ("error", True)
    elsewhere = verdict([TEA_FACT], [[OAR]], [OAR], ingest={"failed": {"s2": "ValueError"}})
    assert elsewhere.verdict == "not_stored"


def test_an_error_in_one_set_is_not_outranked_by_a_failure_in_another() -> None:
    facts = [TEA_FACT, fact(OAR, "carves an oar", id="g", turn="s2/0")]
    found = verdict(facts, [[NET]], [], sufficient=(("f",), ("g",)), ingest={"failed": {"s1": "ValueError"}})
    assert found.verdict == "error"


def test_a_store_that_cannot_be_seen_leaves_storage_unknown() -> None:
    blind = {"blind": "no get_all_memories"}
    seen = verdict([TEA_FACT], [], [TEA], ingest=blind)
    assert (seen.verdict, seen.facts[0].stages["storage"]) == ("correct", "n/a")
    unseen = verdict([TEA_FACT], [], [OAR], ingest=blind)
    assert (unseen.verdict, unseen.facts[0].stages["retrieval"]) == ("not_retrieved", "fail")
    assert "no get_all_memories" in unseen.facts[0].why
    reworded = verdict([TEA_FACT], [], ["A falling glass means a brew for Sorrel."], ingest=blind)
    assert reworded.verdict == "uncertain"


def test_roles_in_a_whole_session_kept_as_one_memory_are_no_rewording() -> None:
    session = Session("s1", (Turn("user", "Hi.", "a"), Turn("assistant", "Ahoy.", "b"), Turn("user", TEA, "c")))
    kept = session.text.replace(TEA, "")
    liking = fact("I collect amber floats.", "amber floats", turn="d")
    other = Session("s2", (Turn("user", liking.text, "d"),))
    episode = Episode("e", "t", (session, other), (liking,), (Probe("p", "?", "", (("f",),)),))
    history = History(Ingest(2, 0.0), (Snapshot("x", "s2", None, ("m",)),))
    (found,) = diagnose(episode, history, [Trace("p", 1)], lambda keys: dict.fromkeys(keys, kept), "s", "y")
    assert found.verdict == "not_stored"


@settings(max_examples=60)
@given(st.data())
def test_more_retrieved_never_makes_a_verdict_worse(data: st.DataObject) -> None:
    pool = [TEA, OAR, NET, TEA.replace("990", "960"), "Sorrel drinks tea.", "Below 990 Sorrel brews.", "Ahoy!"]
    store = data.draw(st.lists(st.sampled_from(pool), unique=True, min_size=1))
    shown = data.draw(st.lists(st.sampled_from(store), unique=True))
    more = data.draw(st.lists(st.sampled_from(store), unique=True))
    order = ["not_stored", "summary_error", "not_retrieved", "uncertain", "correct"]
    few = verdict([TEA_FACT], [store], shown).verdict
    many = verdict([TEA_FACT], [store], dict.fromkeys([*shown, *more])).verdict
    assert order.index(many) >= order.index(few)


def test_every_memory_of_a_large_store_is_read_once_and_not_once_per_question() -> None:
    rng = random.Random(5)
    nouns = [f"{a}{b}" for a in "bram tor wick sel mor fen dun hal".split() for b in "gate moss well barn mill".split()]
    said = list(
        dict.fromkeys(
            f"{rng.choice(nouns)} {rng.choice(nouns)} keeps {rng.choice(nouns)} number {i} in the shed."
            for i in range(5_000)
        )
    )
    facts = [fact(t, " ".join(t.split()[2:6]), id=f"f{i}", turn=f"s{i}/0") for i, t in enumerate(said[:400:2])]
    kept = set(said) - {f.text for f in facts[::2]}
    sessions = tuple(Session(f"s{i}", (Turn("user", f.text, f"s{i}/0"),)) for i, f in enumerate(facts))
    probes = tuple(Probe(f.id, "?", "", ((f.id,),)) for f in facts)
    history = History(Ingest(len(sessions), 0.0), (Snapshot("x", "s0", None, tuple(sorted(kept))),))
    episode = Episode("e", "t", sessions, tuple(facts), probes)
    asked: list[str] = []

    def texts(keys: Collection[str]) -> dict[str, str]:
        asked.extend(keys)
        return {key: key for key in keys}

    words_in.cache_clear()
    verdicts = [v.verdict for v in diagnose(episode, history, (Trace(p.id, 1) for p in probes), texts, "s", "y")]
    assert len(asked) == len(kept)
    read = words_in.cache_info()
    assert read.hits + read.misses < 3 * len(kept), read
    assert verdicts[1::2] == ["not_retrieved"] * 100
    assert "correct" not in verdicts


# Memories that a real system wrote, taken as what was kept of sentences altered by rule.

SYNONYMS = {
    "enjoys": "relishes",
    "loves": "adores",
    "wants": "hopes",
    "plans": "intends",
    "attended": "went to",
    "started": "began",
    "thinks": "believes",
    "excited": "thrilled",
    "grateful": "thankful",
    "kids": "children",
    "amazing": "incredible",
    "bought": "purchased",
    "appreciates": "values",
    "business": "company",
}


def _mem0() -> list[str]:
    first = min(shared_data("traces/mem0_locomo").glob("*.json"))
    memories = json.loads(first.read_text(encoding="utf-8"))
    texts = dict.fromkeys(record["memory"] for record in memories)
    return [m for m in texts if len(words(m).stems) >= 4 and len(sentences(m)) == 1]


def _judged(pairs: Sequence[tuple[str, str]], store: Sequence[str], shown: bool) -> Counter[str]:
    """The verdicts on what was said, where the store holds what a real system might have made of it."""
    facts = []
    for i, (said, _) in enumerate(pairs):
        content = [w.strip(".,'") for w in said.split() if words(w).stems]
        details = (" ".join(content[len(content) // 2 :]), " ".join(content[1 : len(content) // 2]))
        name = content[0] if content[0].istitle() else ""
        facts.append(fact(said, *filter(None, details), id=f"f{i}", subject=name, turn=f"s{i}/0"))
    sessions = tuple(Session(f"s{i}", (Turn("user", f.text, f"s{i}/0"),)) for i, f in enumerate(facts))
    probes = tuple(Probe(f.id, "?", "", ((f.id,),)) for f in facts)
    history = History(Ingest(len(sessions), 0.0), (Snapshot("x", "s0", None, tuple(store)),))
    retrieved = tuple(Retrieved(text, i) for i, text in enumerate(store, start=1)) if shown else ()
    traces = (Trace(p.id, 10, None, retrieved) for p in probes)
    episode = Episode("e", "t", sessions, tuple(facts), probes)
    return Counter(v.verdict for v in diagnose(episode, history, traces, lambda keys: {k: k for k in keys}, "s", "y"))


def test_real_memories_are_found_as_they_stand() -> None:
    store = _mem0()
    assert _judged([(m, m) for m in store], store, True) == {"correct": len(store)}


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        (r"\b(is|was|has|will|loves|enjoys|likes|wants|feels|finds|plans)\b(?!')", r"\1 not"),
        (r" (on|in|at|with|for|during|after|before) ", r" only \1 "),
        (r"\b(after)\b", "before"),
        (r"$", " every second Tuesday"),
    ],
)
def test_a_real_memory_that_lost_something_is_never_correct(pattern: str, instead: str) -> None:
    store = _mem0()
    pairs = [(said, m) for m in store if (said := re.sub(pattern, instead, m.rstrip("."), count=1)) != m.rstrip(".")]
    assert pairs
    assert _judged(pairs, store, True)["correct"] == 0


def test_a_real_memory_in_other_words_is_never_called_lost() -> None:
    store = _mem0()
    pattern = re.compile(rf"\b({'|'.join(SYNONYMS)})\b")
    pairs = [(said, m) for m in store if (said := pattern.sub(lambda w: SYNONYMS[w[1]], m)) != m]
    found = _judged(pairs, store, False)
    assert len(pairs) > 30
    assert found["not_stored"] == 0
    assert found["summary_error"] == 0
