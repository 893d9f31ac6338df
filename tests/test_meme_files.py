"""Files of MEME's episodes: read as released, written so that they read the same, refused where something is wrong."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage.core.errors import BadInput
from memtriage.suites.kit.datasets import write_file
from memtriage.suites.meme.domains import DOMAINS, graph_of
from memtriage.suites.meme.generate.assemble import assemble
from memtriage.suites.meme.generate.skeletons import skeletons
from memtriage.suites.meme.graph import PHRASINGS, Phrasing
from memtriage.suites.meme.layout import episode, unanswerable
from memtriage.suites.meme.released import files
from memtriage.suites.meme.released.files import EpisodeFile, find, read
from memtriage.suites.meme.released.reader import TAGS
from memtriage.suites.meme.released.record import record_of
from memtriage.suites.meme.released.sessions import ReleasedEpisode
from memtriage.suites.meme.resolve import disputed


def fact(entity: str, value: str, seed: str, turn: int | None = None, **flags: object) -> dict[str, Any]:
    return {"entity": entity, "value": value, "original_seed": seed, "conveyed_in_turn": turn, **flags}


def chat(*texts: str) -> list[dict[str, str]]:
    return [{"role": role, "content": text} for text in texts for role in ("user",)]


def evidence(day: int, talk: list[dict[str, str]], *facts: dict[str, Any]) -> dict[str, Any]:
    when = f"2024/05/{day:02d} (Fri) 10:30"
    return {
        "session_id": f"ev{day}",
        "type": "evidence",
        "timestamp": when,
        "conversation": talk,
        "gold_facts": [*facts],
    }


def filler(day: int) -> dict[str, Any]:
    talk = [{"role": "user", "content": "How long does rice keep?"}, {"role": "assistant", "content": "Four days."}]
    return {
        "session_id": f"f{day}",
        "type": "filler",
        "timestamp": f"2024/05/{day:02d} (Fri) 10:30",
        "conversation": talk,
    }


def question_with(
    tag: str, question: str, answer: str, *entities: str, values: object = None, **more: object
) -> dict[str, Any]:
    given = values if isinstance(values, dict) else {entities[0]: values or answer}
    return {
        "type": tag,
        "target_entities": [*entities],
        "entity_values": given,
        "question_template": question,
        "gold_answer": answer,
        "notes": "",
        **more,
    }


TASKS: list[dict[str, Any]] = [
    question_with("ER", "Recite my motto.", "Slow is smooth. Smooth is done.", "life_philosophy"),
    question_with(
        "Agg",
        "What do I do after work?",
        "a, b, c",
        "hobby",
        "sports",
        "club_membership",
        values={"hobby": "whittling", "sports": "korfball", "club_membership": "the Kite Union"},
    ),
    question_with("Tr", "Which cars have I had?", "x, y, z", "vehicle", values=["Brisk One", "Brisk Two", "Tanager"]),
    question_with("Del", "Who is my partner?", "No, it was removed.", "partner", values="Ottilie"),
    question_with(
        "Cas", "Where do I train?", "Dune Gym", "fitness_facility", hop=1, cascade_source="residence_location"
    ),
    question_with(
        "Abs",
        "How do I get to work?",
        "Uncertain.",
        "commute_method",
        values="the ferry",
        hop=1,
        cascade_source="residence_location",
    ),
]
HUB: dict[str, Any] = {
    "episode_id": "pl_901",
    "domain": "personal_life",
    "root": "residence_location",
    "root_change": {"before": "Fennick", "after": "Ostrava Quay"},
    "chain_entities": ["residence_location"],
    "filler_entities": ["media_consumption"],
    "entities": {
        name: {"before": "x", "after": None, "task": None}
        for name in """residence_location fitness_facility commute_method life_philosophy hobby sports club_membership
        vehicle partner media_consumption""".split()
    },
    "has_2hop": False,
    "dependency_edges_used": [
        {"source": "residence_location", "target": "fitness_facility", "hop": 1, "pattern": "proximity"}
    ],
    "tasks": TASKS,
    "total_sessions": 7,
    "evidence_sessions": 5,
    "evidence_session_indices": [0, 1, 3, 4, 6],
    "sessions": [
        evidence(
            1,
            chat(
                "Hello there. I moved house last year, so Fennick is where I live these days. Nice place.",
                "I have taken up whittling as a hobby, can you imagine?",
                "My first car was small. It was a Brisk One, bright red.",
            ),
            fact("residence_location", "Fennick", "I live in Fennick", 0),
            fact("hobby", "whittling", "My hobby is whittling", 1),
            fact("vehicle", "Brisk One", "I drive a Brisk One", 2),
        ),
        evidence(
            2,
            chat(
                "On Sundays it is korfball for me.",
                "The red one is gone: I drive a Brisk Two. And Ottilie, my partner, too!",
            ),
            fact("sports", "korfball", "I play korfball"),
            fact("vehicle", "Brisk Two", "Update: I drive a Brisk Two", 1),
            fact("partner", "Ottilie", "My partner is Ottilie", 1),
            fact("media_consumption", "The Long Ebb", "I watch The Long Ebb", None, is_filler=True),
        ),
        filler(3),
        evidence(
            4,
            chat("The Kite Union took me in as a member.", "My third car has arrived, a Tanager."),
            fact("club_membership", "the Kite Union", "I am part of the Kite Union", 0),
            fact("vehicle", "Tanager", "Now I drive a Tanager", 1),
        ),
        evidence(
            5,
            chat(
                "I train at Hall Nine, as it is near Fennick; if I move, this changes. Any thoughts?",
                "I take the ferry, as one does in Fennick; if I move, this changes. Any thoughts?",
                'My motto, word for word: "Slow is smooth. Smooth is done." Any thoughts?',
                "If my residence changes, my residence will be Ostrava Quay. Any thoughts?",
                "If my residence changes, I will train at Dune Gym. Any thoughts?",
            ),
            fact(
                "fitness_facility",
                "Hall Nine",
                "I train at Hall Nine, as it is near Fennick; if I move, this changes",
                0,
                has_dependency=True,
                dependency_source="residence_location",
            ),
            fact(
                "commute_method",
                "the ferry",
                "I take the ferry, as one does in Fennick; if I move, this changes",
                1,
                has_dependency=True,
                dependency_source="residence_location",
            ),
            fact(
                "life_philosophy",
                "Slow is smooth. Smooth is done.",
                'My motto, word for word: "Slow is smooth. Smooth is done."',
                2,
                is_exact=True,
            ),
            fact(
                "residence_location",
                "Ostrava Quay",
                "If my residence changes, my residence will be Ostrava Quay",
                3,
                has_dependency=True,
                is_if_then=True,
                dependency_source="residence_location",
            ),
            fact(
                "fitness_facility",
                "Dune Gym",
                "If my residence changes, I will train at Dune Gym",
                4,
                has_dependency=True,
                is_if_then=True,
                dependency_source="residence_location",
            ),
        ),
        filler(6),
        evidence(
            7,
            chat("I have just moved to Ostrava Quay. Any thoughts?", "My partner is Ottilie. Please forget that."),
            fact("residence_location", "Ostrava Quay", "I have just moved to Ostrava Quay", 0, type="root_change"),
            fact("partner", "Ottilie", "My partner is Ottilie. Please forget that.", 1, type="delete"),
        ),
    ],
    "before_questions": {
        "timestamp": "2024/05/06 (Fri) 10:30",
        "position_after_session": 5,
        "questions": [
            {
                "task_type": "Cas",
                "entity": ["fitness_facility"],
                "question": "Where do I train?",
                "expected_answer": "Hall Nine",
            },
            {"task_type": "Abs", "entity": ["commute_method"], "question": "How?", "expected_answer": "the ferry"},
            {"task_type": "Del", "entity": ["partner"], "question": "Who?", "expected_answer": "Ottilie"},
        ],
    },
    "after_questions": {"timestamp": "2024/05/07 (Fri) 12:00", "position_after_session": 6, "questions": []},
}


def hub() -> dict[str, Any]:
    return copy.deepcopy(HUB)


def saved(path: Path, *records: object) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def one(path: Path) -> ReleasedEpisode:
    (entry,) = read(EpisodeFile(path))
    return entry.episode()


def test_a_released_episode_is_read_with_each_fact_at_its_turn(tmp_path: Path) -> None:
    told = one(saved(tmp_path / "meme_filler32k.json", hub()))
    made = episode(told.skeleton, told.transcript, told.filler)
    said = {fact.id: (fact.turns, fact.text, fact.details) for fact in made.facts}
    assert said["rule/fitness_facility"][0] == ("ev5/4",)
    assert said["rule/fitness_facility"][1] == "If my residence changes, I will train at Dune Gym"
    # a chat tells in its own words: the sentences that carry the value are the evidence
    assert said["value/vehicle/1"] == (("ev1/2",), "It was a Brisk One, bright red.", ("Brisk One",))
    assert said["fact/partner"] == (("ev2/1",), "And Ottilie, my partner, too!", ("Ottilie",))
    assert said["fact/sports"][0] == ("ev2/0",)  # the file doesn't say where: found by its words
    assert said["delete/partner"][2] == ("Ottilie", "forget")
    assert [s.kind for s in told.skeleton.sessions[-1]] == ["change", "delete"]
    assert made.sessions[0].timestamp == "2024-05-01T10:30:00"
    assert {probe.after for probe in made.probes} == {None, "f6"}
    assert made.task == "meme/personal-life"


def test_a_link_missing_from_the_list_is_taken_from_the_gold_facts(tmp_path: Path) -> None:
    told = one(saved(tmp_path / "meme_x.json", hub()))
    assert {(link.source, link.target) for link in told.skeleton.links} == {
        ("residence_location", "fitness_facility"),
        ("residence_location", "commute_method"),
    }
    assert disputed(told.skeleton) == ()
    assert unanswerable(told.skeleton) == ()


def drop(record: dict[str, Any], *path: object) -> None:
    *way, last = path
    here: Any = record
    for step in way:
        here = here[step]
    del here[last]


def put(record: dict[str, Any], value: object, *path: object) -> None:
    *way, last = path
    here: Any = record
    for step in way:
        here = here[step]
    here[last] = value


BROKEN: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "missing session": (lambda r: drop(r, "sessions", 2), r"has 6 sessions, but should have 7; some are missing"),
    "evidence beyond the end": (
        lambda r: put(r, [0, 1, 3, 4, 9], "evidence_session_indices"),
        r"told in session 9, which is missing",
    ),
    "fewer evidence sessions": (
        lambda r: put(r, [0, 1, 3, 4], "evidence_session_indices"),
        r"4 sessions .* should be 5",
    ),
    "empty session": (lambda r: put(r, [], "sessions", 2, "conversation"), r"session 2 is empty"),
    "no gold facts": (lambda r: drop(r, "sessions", 4, "gold_facts"), r"session 4: gold_facts is missing"),
    "unknown entity of a task": (
        lambda r: put(r, ["hoby", "sports", "club_membership"], "tasks", 1, "target_entities"),
        r"unknown entity 'hoby'; did you mean 'hobby'",
    ),
    "two entities tracked at once": (
        lambda r: put(r, ["vehicle", "hobby"], "tasks", 2, "target_entities"),
        r"a tracking task is about one entity, and this one names 2",
    ),
    "unknown entity of an edge": (
        lambda r: put(r, "sea", "dependency_edges_used", 0, "source"),
        r"an edge: unknown entity 'sea'",
    ),
    "edges in a circle": (
        lambda r: r["dependency_edges_used"].append({"source": "fitness_facility", "target": "residence_location"}),
        r"the dependencies go in a circle: .*residence_location.*fitness_facility",
    ),
    "a rule for the root": (
        lambda r: r["dependency_edges_used"].append({"source": "hobby", "target": "residence_location"}),
        r"edge hobby -> residence_location is a rule for the root",
    ),
    "unknown tag": (lambda r: put(r, "Casc", "tasks", 4, "type"), r"unknown task tag 'Casc'; did you mean 'Cas'"),
    "five tasks": (lambda r: drop(r, "tasks", 5), r"no task of type 'absence'; an episode holds all six"),
    "a fact nobody says": (
        lambda r: put(r, [{"role": "user", "content": "Hm."}], "sessions", 6, "conversation"),
        r"no turn of session 6 says the gold fact 'I have just moved to Ostrava Quay'",
    ),
    "asked after the change": (
        lambda r: put(r, 6, "before_questions", "position_after_session"),
        r"first questions are asked after session 6, not between session 4",
    ),
    "no hop": (lambda r: drop(r, "tasks", 4, "hop"), r"cascade task of 'fitness_facility' does not say how many hops"),
    "no change": (lambda r: drop(r, "sessions", 6, "gold_facts", 0), r"nothing tells the change"),
    "bad time": (lambda r: put(r, "May", "sessions", 0, "timestamp"), r"session 0: 'May' is no time"),
    "no history": (
        lambda r: put(r, "Tanager", "tasks", 2, "entity_values", "vehicle"),
        r"values of 'tracking' are no history",
    ),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_episode_is_refused_with_file_and_episode(what: str, tmp_path: Path) -> None:
    spoil, message = BROKEN[what]
    record = hub()
    spoil(record)
    path = saved(tmp_path / "meme_x.json", record)
    with pytest.raises(BadInput, match=message) as refused:
        one(path)
    assert str(path) in str(refused.value)
    assert "episode 'pl_901'" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"episode_id": 1}', "no JSON list"),
        ('[{"episode_id": "a"', "entry 1 breaks off"),
        ("[3]", "entry 1 is no object"),
        ("\xff", "no JSON list"),
        ('[{"episode_id": "a", "domain": "cooking"}]', "episode 'a': unknown domain 'cooking'"),
    ],
)
def test_a_file_that_holds_no_episodes_is_refused(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "meme_x.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        list(read(EpisodeFile(path)))


def test_a_duplicate_episode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="episode 'pl_901' stands there twice"):
        list(read(EpisodeFile(saved(tmp_path / "meme_x.json", hub(), hub()))))


def test_a_large_file_is_read_episode_by_episode(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_BLOCK", 64)
    records = [hub() | {"episode_id": f"pl_{n:03d}"} for n in range(5)]
    path = saved(tmp_path / "meme_x.json", *records)
    path.write_text(path.read_text()[:-9], encoding="utf-8")  # the last one breaks off
    entries = read(EpisodeFile(path))
    assert [next(entries).id for _ in range(4)] == ["pl_000", "pl_001", "pl_002", "pl_003"]
    with pytest.raises(BadInput, match="entry 5 breaks off"):
        next(entries)


@settings(max_examples=10, deadline=None)
@given(st.sampled_from(DOMAINS), st.integers(0, 10_000), st.sampled_from(PHRASINGS))
def test_what_is_written_reads_the_same(domain: str, seed: int, phrasing: Phrasing) -> None:
    (skeleton,) = skeletons(graph_of(domain), 1, seed, phrasing)
    transcript = assemble(skeleton, seed, "2k")
    record = json.loads(json.dumps(record_of(skeleton, transcript, "2k")))
    told = files.FileEntry(skeleton.id, domain, "f", record).episode()
    assert told.skeleton == skeleton
    assert episode(told.skeleton, told.transcript, told.filler) == episode(skeleton, transcript, "2k")


def test_a_written_file_has_the_keys_of_a_released_one(tmp_path: Path) -> None:
    (skeleton,) = skeletons(graph_of("personal-life"), 1, 1)
    record = record_of(skeleton, assemble(skeleton, 1, "2k"), "2k")
    assert HUB.keys() <= record.keys()
    assert {task["type"] for task in record["tasks"]} == set(TAGS)
    assert HUB["sessions"][0].keys() <= record["sessions"][record["evidence_session_indices"][0]].keys()
    write_file(tmp_path / "meme_x.json", files.json_pieces(iter([record, record | {"episode_id": "other"}])))
    assert [entry.id for entry in read(EpisodeFile(tmp_path / "meme_x.json"))] == [skeleton.id, "other"]


def pair(folder: Path, name: str = "pl_1") -> tuple[Path, Path]:
    """The episode above as released without its chats: a skeleton, and its gold facts in a file of their own."""
    bare = {
        key: value for key, value in hub().items() if key not in ("sessions", "before_questions", "after_questions")
    }
    told = [f | {"gold_fact": f["original_seed"]} for s in hub()["sessions"] for f in s.get("gold_facts", ())]
    gold = {
        "episode_id": 901,
        "domain": "personal_life",
        "phase1_fact_introduction": [f for f in told if "type" not in f],
        "phase2_before_questions": hub()["before_questions"]["questions"],
        "phase3_change_and_deletion": [f for f in told if "type" in f],
        "phase4_after_questions": [],
    }
    return (
        saved(folder / f"episodes_{name}.json", bare | {"episode_id": 901}),
        saved(folder / f"gold_facts_{name}.json", gold),
    )


def test_a_bare_episode_gets_five_sessions_from_its_gold_facts(tmp_path: Path) -> None:
    pair(tmp_path)
    (source,) = find(tmp_path)
    (entry,) = read(source)
    skeleton = entry.skeleton()
    assert skeleton.id == "pl_901"
    assert [[(s.kind, s.entity, s.step) for s in session] for session in skeleton.sessions] == [
        [("fact", "residence_location", 0), ("fact", "hobby", 0), ("fact", "vehicle", 1)],
        [("fact", "partner", 0), ("fact", "sports", 0), ("update", "vehicle", 2)],
        [("fact", "club_membership", 0), ("update", "vehicle", 3)],
        [
            ("dependency", "fitness_facility", 0),
            ("dependency", "commute_method", 0),
            ("exact", "life_philosophy", 0),
            ("rule", "residence_location", 0),
            ("rule", "fitness_facility", 0),
        ],
        [("change", "residence_location", 0), ("filler", "media_consumption", 0), ("delete", "partner", 0)],
    ]
    made = episode(skeleton, assemble(skeleton, 1, "none"))
    assert "rule/residence_location" not in {fact.id for fact in made.facts}
    assert {probe.tags["task"] for probe in made.probes} == set(TAGS.values())


def test_gold_facts_must_be_beside_their_episodes(tmp_path: Path) -> None:
    episodes, gold = pair(tmp_path)
    with pytest.raises(BadInput, match=r"holds gold facts; give the episodes_pl_1\.json"):
        find(gold)
    saved(gold)
    with pytest.raises(BadInput, match=r"episode 'pl_901' has no gold facts in .*gold_facts_pl_1\.json"):
        list(read(*find(episodes)))
    gold.unlink()
    with pytest.raises(BadInput, match=r"put gold_facts_pl_1\.json beside it"):
        find(episodes)


def test_the_filler_names_one_of_several_files(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"holds neither meme_\*\.json"):
        find(tmp_path)
    saved(tmp_path / "meme_filler128k.json", hub())
    assert [source.path.name for source in find(tmp_path)] == ["meme_filler128k.json"]
    saved(tmp_path / "meme_nofiller.json", hub())
    with pytest.raises(
        BadInput, match=r"no meme_filler32k\.json; there are meme_filler128k\.json, meme_nofiller\.json"
    ):
        find(tmp_path)
    assert [source.path.name for source in find(tmp_path, "none")] == ["meme_nofiller.json"]
    saved(tmp_path / "meme_filler32k.json", hub())
    assert [source.path.name for source in find(tmp_path)] == ["meme_filler32k.json"]
    with pytest.raises(BadInput, match="does not exist"):
        find(tmp_path / "nowhere")


def test_released_answers_follow_except_where_files_contradict_themselves() -> None:
    found = [entry for source in find(shared_data("meme")) for entry in read(source)]
    assert len(found) == 40
    contested: Counter[str] = Counter()
    for entry in found:
        skeleton = entry.skeleton()
        asked_for = Counter(TAGS[task["type"]] for task in entry.record["tasks"])
        assert Counter(question.type for question in skeleton.questions) == asked_for
        for question in disputed(skeleton):
            # the file itself declares what the target becomes, and calls the outcome uncertain all the same
            assert question.type == "absence"
            assert any(s.kind == "rule" and s.entity == question.targets[0] for s in skeleton.statements())
            contested[skeleton.domain] += 1
        episode(skeleton, assemble(skeleton, 1, "none"))
    assert contested == {"personal-life": 1, "software-project": 3}
