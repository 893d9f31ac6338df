"""Planted faults: they really change what is kept, and the detector gives each to its own stage."""

from __future__ import annotations

from functools import cache
from itertools import islice

import pytest

from conftest import shared_data
from memtriage import registry
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Request
from memtriage.suites.memfail.episodes import episode
from memtriage.suites.memfail.generate.rows import stream
from memtriage.suites.memfail.released.files import find_files, read_rows
from memtriage.suites.memfail.rows import DATASETS
from memtriage.text.words import words
from memtriage.validate.calibrate import Calibration, calibrate
from memtriage.validate.planted_faults import FAULTS, FaultyMemory, plant


@cache
def generated(dataset: str, seed: int = 11) -> Episode:
    return episode(list(islice(stream(dataset, seed, 40), 40)), dataset, seed)


@cache
def released(dataset: str) -> Episode:
    return episode(read_rows(find_files(shared_data("memfail"), (dataset,))[dataset], dataset), dataset, 1)


@cache
def of_turns(dataset: str) -> Calibration:
    """The calibration on memories that nothing cuts apart."""
    return calibrate([generated(dataset)], 0.5, 0)


@pytest.mark.parametrize("granularity", ["turn", "session"])
@pytest.mark.parametrize("dataset", DATASETS)
@pytest.mark.parametrize("source", ["generated", "released"])
def test_faults_go_to_their_stage_and_a_faultless_memory_raises_no_alarm(
    source: str, dataset: str, granularity: str
) -> None:
    whole = generated(dataset) if source == "generated" else released(dataset)
    planted = attributed = 0
    for rate, seed in ((0.3, 0), (0.6, 1), (1.0, 2)):
        found = calibrate([whole], rate, seed, granularity)
        planted += found.planted
        attributed += found.attributed
        assert found.false_alarms <= 0.01 * found.clean
    assert planted > 20
    assert attributed >= 0.99 * planted


@pytest.mark.parametrize("dataset", DATASETS)
def test_a_lossless_cut_into_chunks_is_never_called_not_stored(dataset: str) -> None:
    """What a chunk's edge tears apart is there all the same; words may only doubt it."""
    for size in ("chunk:16", "chunk:60"):
        found = calibrate([generated(dataset)], 0.0, 0, size)
        assert found.unfaulted.get("not_stored", 0) == found.left_out.get(("cut apart", "not_stored"), 0) == 0


@pytest.mark.parametrize("granularity", ["sentence", "chunk:20", "chunk:60"])
@pytest.mark.parametrize("dataset", DATASETS)
def test_what_the_cut_takes_apart_is_no_false_alarm(dataset: str, granularity: str) -> None:
    found = calibrate([generated(dataset)], 0.5, 0, granularity)
    whole = of_turns(dataset)
    assert found.false_alarms <= 0.01 * found.clean
    assert found.clean + sum(found.left_out.values()) == whole.clean
    assert whole.left_out == {}


def test_a_sentence_without_the_name_is_cut_off_from_its_subject() -> None:
    """In `She keeps bees.` alone nobody is named; in the whole turn, somebody is."""
    told = "Ada Byron lives in Leeds. She keeps seven hives of bees there."
    turn = Turn("user", told, "s/0")
    bees = Fact(
        "bees", "Ada keeps seven hives of bees.", ("s/0",), ("seven hives",), (told.split(". ")[1],), "Ada Byron"
    )
    place = Fact("place", "Ada lives in Leeds.", ("s/0",), ("Leeds",), ("Ada Byron lives in Leeds.",), "Ada Byron")
    probes = (Probe("p", "Bees?", "seven", (("bees",),)), Probe("q", "Where?", "Leeds", (("place",),)))
    whole = Episode("e", "own/bees", (Session("s", (turn,)),), (bees, place), probes)
    cut = calibrate([whole], 0.0, 0, "sentence")
    assert [(why, n) for (why, _), n in cut.left_out.items()] == [("cut apart", 1)]
    assert cut.unfaulted == {"correct": 1}
    assert calibrate([whole], 0.0, 0, "turn").unfaulted == {"correct": 2}


def test_what_was_never_said_is_no_false_alarm_and_gets_no_fault() -> None:
    request = Request(42, 3, None)
    episodes = [e for task in registry.tasks("meme")[1] for e in task.load(request).episodes]
    found = calibrate(episodes, 1.0, 1)
    assert found.false_alarms == 0
    assert sum(n for (why, _), n in found.left_out.items() if why == "never said") > 5
    assert found.attributed >= 0.97 * found.planted


@pytest.mark.parametrize("dataset", DATASETS)
def test_planted_faults_change_what_is_kept(dataset: str) -> None:
    whole = generated(dataset)
    memory = FaultyMemory(1.0, 3)
    memory.reveal(whole)
    for session in whole.sessions:
        memory.store_conversation(session)
    kept = {source: m.text for m in memory.get_all_memories() for source in m.sources}
    seen = set()
    for fact in whole.facts:
        text = kept.get(fact.turns[0], "")
        match memory.plan.of(fact.id):
            case "drop":
                assert not any(sentence in text for sentence in fact.evidence)
            case "strip" | "blur":
                assert not all(sentence in text for sentence in fact.evidence)
                assert fact.details[0].lower() not in text.lower() or dataset == "persona"
            case _:
                assert all(sentence in text for sentence in fact.evidence)
        seen.add(memory.plan.of(fact.id))
    assert {"drop", "strip", "hide"} <= seen


def test_a_hidden_fact_is_kept_but_not_brought_back() -> None:
    whole = generated("conditional-easy")
    memory = FaultyMemory(1.0, 3)
    memory.reveal(whole)
    for session in whole.sessions:
        memory.store_conversation(session)
    facts = {fact.id: fact for fact in whole.facts}
    hidden = [p for p in whole.probes if memory.plan.of(p.sufficient[0][0]) == "hide"]
    assert hidden
    for probe in hidden:
        shown = memory.retrieve_memories(probe.text, whole.sessions[0], 5)
        assert not any(facts[probe.sufficient[0][0]].evidence[0] in m.text for m in shown)


def test_the_plan_is_seeded_and_every_kind_of_fault_comes_up() -> None:
    whole = generated("long-hop")
    assert plant(whole, 0.5, 4) == plant(whole, 0.5, 4)
    assert plant(whole, 0.5, 4) != plant(whole, 0.5, 5)
    assert plant(whole, 0.0, 4).faults == {}
    assert set(plant(whole, 1.0, 4).faults.values()) == set(FAULTS)


def test_a_detector_that_always_says_correct_is_found_out() -> None:
    from collections.abc import Iterator
    from dataclasses import replace

    from memtriage.core.verdict import ProbeVerdict
    from memtriage.diagnose.store import diagnose

    def blithe(*args: object) -> Iterator[ProbeVerdict]:
        for verdict in diagnose(*args):  # type: ignore[arg-type]
            yield replace(verdict, facts=tuple(replace(f, verdict="correct") for f in verdict.facts))

    found = calibrate([generated("conditional-easy")], 0.5, 0, detector=blithe)
    assert found.planted > 0
    assert found.attributed == 0
    assert found.kappa == pytest.approx(0.0)


def test_every_generated_detail_stands_in_its_evidence() -> None:
    for dataset in DATASETS:
        for fact in generated(dataset).facts:
            said = {stem for sentence in fact.evidence for stem in words(sentence).stems}
            assert all(said.issuperset(words(detail).stems) for detail in fact.details)
            assert fact.details
