"""Every suite with every option: a memory that brings everything back loses nothing, one that keeps nothing loses all.

The tasks and their options are those that the suites declare; an option without a case here fails a test.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from conftest import shared_data
from memtriage import api, registry
from memtriage.core.suite import Task
from memtriage.core.verdict import ProbeVerdict
from memtriage.suites.meme.graph import PHRASINGS
from memtriage.systems.retrieval.units import KINDS

Options = Mapping[str, str]

CUT = ("sentence", "chunk")
"""What cuts texts apart, so that a piece may lack the name or half of a sentence that a fact is about."""
SYSTEMS = {"oracle": "turn", "none": "", **{f"full-context:granularity={kind}": kind for kind in KINDS}}
"""Floor and ceilings, with what one memory of each holds."""

FILES = {"POOL": "pool.json", "TRAIN": "train.csv", "TEST": "test.csv", "TREC": "trec.label"}
"""Files that options name; a test puts their paths in place of these words."""

GROUPS: dict[str, list[list[Options]]] = {
    "memfail": [
        [
            {"facts_per_conversation": "1", "replies": "no"},
            {"facts_per_conversation": "3"},
            {"like": "released"},
            {"language": "de"},
        ],
    ],
    # with 8k, diagnosis already leaves out what bears on no fact
    "meme": [
        [{"filler": "none"}, {"filler": "8k"}, {"filler": "2k", "pool": "POOL"}, {"filler": "2k", "language": "de"}],
        [{"phrasing": phrasing} for phrasing in PHRASINGS],
    ],
    "beam": [[{"tokens": "12k"}]],
    "meme/expedition": [[{"filler": "none"}], [{"phrasing": phrasing} for phrasing in PHRASINGS]],
    "longmemeval": [
        [
            {"sessions": "5", "pool": "30"},
            {"tokens": "6k", "pool": "30", "mixture": "50/25/25", "errata": "off"},
            {"sessions": "4", "pool": "40", "language": "de"},
        ],
    ],
    "longmemeval/oracle": [
        [{"pool": "30"}, {"pool": "30", "mixture": "0/50/50", "errata": "off"}, {"language": "de"}],
    ],
    "talk": [[{"sessions": "5", "captions": "no"}, {"sessions": "8", "months": "4", "stores": "speakers"}]],
    "memoryagentbench": [[{"length": "4k"}, {"length": "8k", "chunk": "128", "acknowledge": "yes"}]],
    "memoryagentbench/summarization": [[{"length": "4k", "demonstrations": "yes"}]],
    "memoryagentbench/longmemeval": [[{"length": "4k"}, {"length": "4k", "chunk": "128", "contexts": "2"}]],
    "memoryagentbench/icl": [
        [
            {"length": "4k"},
            {"length": "4k", "chunk": "128", "shots": "40"},
            {"length": "2k", "from": "TRAIN", "test": "TEST", "text": "said", "label": "meant"},
            {"length": "2k", "from": "TREC", "fine": "yes"},
            {"length": "3k", "labels": "question-types"},
        ]
    ],
}
"""By task or suite, what its options can be: one of each group, together. All are small."""

ROWS = {"memfail": 4, "meme": 1, "longmemeval": 3, "memoryagentbench": 3, "beam": 1, "talk": 1}


LOADED = ("halumem", "locomo", "personamem")
"""Suites that generate nothing; each has a test of its own."""


def tasks() -> Iterator[Task]:
    for name in registry.registered(registry.SUITES):
        yield from registry.suite(name).tasks if name not in LOADED else ()


def groups_of(task: Task) -> list[list[Options]]:
    return GROUPS.get(task.name) or GROUPS[task.name.partition("/")[0]]


CASES: list[tuple[str, Options]] = [
    (task.name, {name: value for part in parts for name, value in part.items()})
    for task in tasks()
    for parts in product(*groups_of(task))
]


def test_every_option_of_every_suite_has_a_case() -> None:
    declared = {(task.name.partition("/")[0], option) for task in tasks() for option in task.options}
    tried = {(task.partition("/")[0], option) for task, options in CASES for option in options}
    assert declared - {("beam", "size")} == tried  # which is about released chats: see test_beam.py


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    said = [
        (f"{verb} my {thing} {when}", verb)
        for verb in ("Paint", "Sell", "Mend")
        for thing in ("bicycle", "kettle", "wardrobe", "harp")
        for when in ("today", "next week", "before the fair")
    ]
    talk = [
        [{"role": "user", "content": f"Where does tram {n} stop? I always forget which way it goes."}]
        for n in range(200)
    ] + [[{"role": "user", "content": f"What is {n} times {n + 7}? Show me how to work it out."}] for n in range(400)]
    (folder / FILES["POOL"]).write_text(json.dumps(talk))
    for name, rows in (("TRAIN", said[::2]), ("TEST", said[1::2])):
        with (folder / FILES[name]).open("w", newline="") as file:
            csv.writer(file).writerows([("said", "meant"), *rows])
    (folder / FILES["TREC"]).write_text("".join(f"{verb[:3].upper()}:{verb.lower()} {text} ?\n" for text, verb in said))
    return folder


@pytest.mark.parametrize(("task", "options"), CASES)
@settings(max_examples=1 if settings.default.derandomize else 3)
@given(chance=st.integers(0, 2**32 - 1))
def test_ceilings_reach_all_and_the_floor_nothing(task: str, options: Options, files: Path, chance: int) -> None:
    seed = chance ^ crc32(f"{task} {options}".encode())  # one of its own for each case, where nothing is left to chance
    paths = {word: str(files / name) for word, name in FILES.items()}
    given = {name: paths.get(value, value) for name, value in options.items()}
    asked = verdicts(suite=task, rows=ROWS[task.partition("/")[0]], seed=seed, options=given)
    assume(asked)
    check(asked)


@pytest.mark.parametrize(
    ("suite", "options"), [("memfail", {}), ("meme", {"filler": "none"}), ("meme", {"filler": "8k"})]
)
def test_released_rows_do_too(suite: str, options: Options) -> None:
    asked = verdicts(suite=suite, rows=None if suite == "memfail" else 3, data=shared_data(suite), options=options)
    assert len(asked) > 100
    check(asked)


def verdicts(**settings: Any) -> list[ProbeVerdict]:
    """The verdicts on floor and ceilings, without questions that nobody can be asked without an answer."""
    with TemporaryDirectory() as folder:
        run = api.run(*SYSTEMS, k=[1000], looks=1, out=Path(folder) / "run", **settings)
        return [verdict for verdict in run.verdicts() if verdict.verdict != "n/a"]


def check(asked: Iterable[ProbeVerdict]) -> None:
    for verdict in asked:
        if verdict.system == "none":
            assert verdict.verdict == "not_stored", lost(verdict)
        elif SYSTEMS[verdict.system] in CUT:
            assert verdict.verdict not in ("not_stored", "not_retrieved", "error"), lost(verdict)
        else:
            assert verdict.verdict == "correct", lost(verdict)


def lost(verdict: ProbeVerdict) -> str:
    """What a failure shows."""
    facts = "; ".join(f"{fact.fact}: {fact.verdict}, {fact.why}" for fact in verdict.facts)
    return f"{verdict.system}, {verdict.probe}: {verdict.verdict} ({facts})"
