"""Tests a detector or a judge on pairs of a fact and a rewritten memory, labelled one by one.

A memory *states* the fact with every detail, *alters* it (something is changed, lost, hedged or given to another), or
*lacks* it. Each pair becomes a run of its own: one session in which the user says the fact, and a store with the one
memory, which is retrieved. Pairs are data files in the folder `rewritten`, JSON lines; every file there is read. What
readers of results should know about the pairs is in its `notes.txt`.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from memtriage.core.chat import ChatModel
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.errors import BadInput, unknown
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import FactVerdict, ProbeVerdict, Verdict
from memtriage.diagnose.lexical.reading import grown_on
from memtriage.diagnose.stages import Texts
from memtriage.diagnose.store import diagnose, judge_store
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.text.language import ENGLISH, codes, speaking
from memtriage.text.words import is_number, words
from memtriage.validate.calibrate_judge import UnaidedJudge, failing_fast
from memtriage.validate.calibrate_risk import Detector, Outcome, Scorecard, confidence_of

Label = Literal["states", "alters", "lacks"]
LABELS: tuple[Label, ...] = get_args(Label)

EXPECTED: Mapping[Label, Verdict] = {"states": "correct", "alters": "summary_error", "lacks": "not_stored"}
"""The right verdict for each label."""

BASELINE = "words-only baseline"

_TASK = "rewritten/pairs"
_QUESTION = "What was said about this, in every detail?"
_NEIGHBOURS = 25
_AT_ONCE = 64
"""How many pairs are judged at the same time; the model's own limit applies as well."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A fact and a memory, and what the memory does with the fact.

    `kind` names the change, or for `states` the style; `said` is the day on which the fact was said (ISO 8601).
    """

    id: str
    fact: str
    memory: str
    label: Label
    kind: str
    style: str = ""
    said: str | None = None
    language: str = ENGLISH


@cache
def shipped_pairs(language: str = ENGLISH) -> tuple[Pair, ...]:
    """All pairs of a language that come with memtriage, file by file; those of other languages have folders."""
    folder = _folder() if language == ENGLISH else _folder().joinpath(language)
    if language not in codes() or not folder.is_dir():
        known = [code for code in codes() if code == ENGLISH or _folder().joinpath(code).is_dir()]
        raise BadInput(unknown("language with rewritten memories", language, known))
    found = sorted((f for f in folder.iterdir() if f.name.endswith(".jsonl")), key=lambda f: f.name)
    pairs = (pair for file in found for pair in parse_pairs(file.read_text(encoding="utf-8"), file.name))
    return tuple(replace(pair, language=language) for pair in pairs)


@cache
def notes(language: str = ENGLISH) -> tuple[str, ...]:
    """The known weaknesses of the pairs of a language."""
    folder = _folder() if language == ENGLISH else _folder().joinpath(language)
    return tuple(folder.joinpath("notes.txt").read_text(encoding="utf-8").splitlines())


def _folder() -> Traversable:
    return files("memtriage.validate").joinpath("rewritten")


def parse_pairs(text: str, source: str) -> list[Pair]:
    """The pairs of a JSON-lines text; without an id, a pair is named after its file and line."""
    pairs: dict[str, Pair] = {}
    for number, record in _records(text, source):
        where = f"{source}, line {number}"
        unknown = record.keys() - Pair.__slots__
        if unknown:
            raise BadInput(f"{where}: unknown field {sorted(unknown)[0]!r}; a pair has {', '.join(Pair.__slots__)}")
        for field in dict.fromkeys(("fact", "memory", "kind", *record)):
            if not isinstance(record.get(field), str) or not record[field].strip():
                raise BadInput(f"{where}: {field} must be a text that is not empty")
        if record.get("label") not in LABELS:
            raise BadInput(f"{where}: label {record.get('label')!r} is none of {', '.join(LABELS)}")
        if "said" in record and not _is_date(record["said"]):
            raise BadInput(f"{where}: said {record['said']!r} is not an ISO date such as 2026-03-14")
        pair = Pair(**{"id": f"{source.removesuffix('.jsonl')}/{number}", **record})
        if pair.id in pairs:
            raise BadInput(f"{where}: id {pair.id!r} occurs twice")
        pairs[pair.id] = pair
    return list(pairs.values())


def of_some_facts(pairs: Sequence[Pair], facts: int | None, seed: int) -> list[Pair]:
    """The pairs of so many facts, drawn by seed; all pairs without a number."""
    every = list(dict.fromkeys(pair.fact for pair in pairs))
    if facts is None or facts >= len(every):
        return list(pairs)
    chosen = set(random.Random(f"pairs:{seed}").sample(every, facts))
    return [pair for pair in pairs if pair.fact in chosen]


@dataclass(frozen=True, slots=True)
class PairsCalibration:
    """The scorecards of one or more detectors on the same pairs, and that of the words-only baseline."""

    pairs: tuple[Pair, ...]
    scores: tuple[Scorecard, ...]
    baseline: Scorecard

    @property
    def facts(self) -> int:
        return len({pair.fact for pair in self.pairs})

    @property
    def labels(self) -> dict[Label, int]:
        counts = Counter(pair.label for pair in self.pairs)
        return {label: counts[label] for label in LABELS}

    @property
    def errors(self) -> dict[str, int]:
        """Why the first of the detectors could not judge pairs, and how often."""
        return dict(Counter(o.why for o in self.scores[0].outcomes if o.found == "error"))

    @property
    def overlap(self) -> dict[Label, float]:
        """The mean share of a fact's words that its memory repeats, by label."""
        shares: dict[Label, list[float]] = {}
        for pair in self.pairs:
            shares.setdefault(pair.label, []).append(_shared(pair)[0])
        return {label: sum(shares[label]) / len(shares[label]) for label in LABELS if label in shares}


def calibrate_pairs(
    pairs: Sequence[Pair], detector: Detector = diagnose, done: Callable[[], None] = lambda: None
) -> PairsCalibration:
    """Test a detector on pairs."""
    verdicts = []
    for pair in pairs:
        verdicts.append(_by_words(pair, detector))
        done()
    return PairsCalibration(tuple(pairs), tuple(_seen_and_unseen(pairs, verdicts)), baseline(pairs))


def _seen_and_unseen(pairs: Sequence[Pair], verdicts: Sequence[FactVerdict]) -> Iterator[Scorecard]:
    """A scorecard of the pairs that the detector was not grown on, then one of those it was, if there are both."""
    both = list(zip(pairs, verdicts, strict=True))
    for wanted, title in ((False, "on pairs it never saw"), (True, "on pairs it was grown on")):
        chosen = [(p, v) for p, v in both if (p.id.partition("/")[0] in grown_on()) == wanted]
        if chosen:
            found = [v for _, v in chosen]
            yield _scorecard([p for p, _ in chosen], found, f"{found[0].detector}, {title}")


async def calibrate_judge_on_pairs(
    pairs: Sequence[Pair], model: ChatModel, *, paper_exact: bool = False, done: Callable[[], None] = lambda: None
) -> PairsCalibration:
    """Test a judge on pairs: alone, and as runs use it, after the lexical detector has decided what it can."""
    lexical = [_by_words(pair, diagnose) for pair in pairs]
    free = asyncio.Semaphore(_AT_ONCE)
    with failing_fast(model) as careful:
        judge = UnaidedJudge(careful, paper_exact=paper_exact)

        async def judged(pair: Pair) -> FactVerdict:
            async with free:
                episode, history, texts, trace = _run_of(pair)
                stream = judge_store(episode, history, [trace], (), texts, "rewritten", "one memory", judge)
                verdict = _only([found async for found in stream])
                done()
                return verdict

        async with asyncio.TaskGroup() as tasks:
            asked = [tasks.create_task(judged(pair)) for pair in pairs]
    alone = [task.result() for task in asked]
    both = [judge if words.verdict == "uncertain" else words for words, judge in zip(lexical, alone, strict=True)]
    scores = (
        _scorecard(pairs, alone, f"judge {model.name}"),
        *_seen_and_unseen(pairs, lexical),
        _scorecard(pairs, both, f"{lexical[0].detector}, then the judge"),
    )
    return PairsCalibration(tuple(pairs), scores, baseline(pairs))


def score_answers(pairs: Sequence[Pair], path: Path) -> PairsCalibration:
    """Test an outside detector by its answers: JSON lines with `id`, `label` and, if it has one, `confidence`.

    The label `uncertain` and a pair without an answer count as not committed.
    """
    answers = _read_answers(path, {pair.id for pair in pairs})
    verdicts: dict[str, Verdict] = {"uncertain": "uncertain", **{str(k): v for k, v in EXPECTED.items()}}
    outcomes = []
    for pair in pairs:
        label, confidence = answers.get(pair.id, ("uncertain", 1.0))
        outcomes.append(_outcome(pair, verdicts[label], confidence))
    return PairsCalibration(tuple(pairs), (Scorecard(path.name, tuple(outcomes)),), baseline(pairs))


def questions(pairs: Iterable[Pair]) -> Iterator[dict[str, str]]:
    """The pairs as an outside detector is to see them: without label, kind and style."""
    for pair in pairs:
        yield {"id": pair.id, "fact": pair.fact, "memory": pair.memory} | ({"said": pair.said} if pair.said else {})


def baseline(pairs: Sequence[Pair]) -> Scorecard:
    """What a count of shared words achieves alone: the label that most of the nearest pairs about other facts have.

    Nearest are those with the most similar shares of shared words, in both directions, and of kept numbers. Pairs about
    the same fact are left out, as they differ in one word on purpose.
    """
    features = np.array([_shared(pair) for pair in pairs])
    labels = np.array([LABELS.index(pair.label) for pair in pairs])
    group = {fact: n for n, fact in enumerate(dict.fromkeys(pair.fact for pair in pairs))}
    groups = np.array([group[pair.fact] for pair in pairs])
    outcomes = []
    for n, pair in enumerate(pairs):
        distance = np.abs(features - features[n]).sum(axis=1)
        distance[groups == groups[n]] = np.inf
        near = np.argsort(distance, kind="stable")[:_NEIGHBOURS]
        votes = np.bincount(labels[near[np.isfinite(distance[near])]], minlength=len(LABELS))
        if not votes.any():
            outcomes.append(_outcome(pair, "uncertain", 1.0))
            continue
        best = int(votes.argmax())
        outcomes.append(_outcome(pair, EXPECTED[LABELS[best]], float(votes[best] / votes.sum())))
    return Scorecard(BASELINE, tuple(outcomes))


def _shared(pair: Pair) -> tuple[float, float, float]:
    """The share of the fact's words in the memory, of the memory's in the fact, and of the fact's numbers kept."""
    with speaking(pair.language):
        said, kept = set(words(pair.fact).stems), set(words(pair.memory).stems)
    numbers = {stem for stem in said if is_number(stem)}
    return _share(said & kept, said), _share(said & kept, kept), _share(numbers & kept, numbers)


def _share(part: set[str], whole: set[str]) -> float:
    return len(part) / len(whole) if whole else 1.0


# ------------------------------------------------------------------ a pair as a run


def _run_of(pair: Pair) -> tuple[Episode, History, Texts, Trace]:
    turn = Turn("user", pair.fact, "said/0")
    fact = Fact("fact", pair.fact, (turn.id,), (pair.fact,))
    probe = Probe(pair.id, _QUESTION, pair.fact, (("fact",),))
    episode = Episode(pair.id, _TASK, (Session("said", (turn,), pair.said),), (fact,), (probe,), language=pair.language)
    history = History(Ingest(1, 0.0, memories=1), (Snapshot("end", "said", None, ("memory",)),))
    return episode, history, lambda keys: dict.fromkeys(keys, pair.memory), _trace(probe)


def _trace(probe: Probe) -> Trace:
    return Trace(probe.id, 1, "end", (Retrieved("memory", 1),))


def _by_words(pair: Pair, detector: Detector) -> FactVerdict:
    episode, history, texts, trace = _run_of(pair)
    return _only(detector(episode, history, [trace], texts, "rewritten", "one memory"))


def _only(verdicts: Iterable[ProbeVerdict]) -> FactVerdict:
    [verdict] = verdicts
    return verdict.facts[0]


def _scorecard(pairs: Sequence[Pair], verdicts: Sequence[FactVerdict], name: str = "") -> Scorecard:
    outcomes = [
        _outcome(pair, verdict.verdict, confidence_of(verdict), verdict.why)
        for pair, verdict in zip(pairs, verdicts, strict=True)
    ]
    return Scorecard(name or (verdicts[0].detector if verdicts else "no pairs"), tuple(outcomes))


def _outcome(pair: Pair, found: Verdict, confidence: float, why: str = "") -> Outcome:
    return Outcome(pair.fact, pair.kind, EXPECTED[pair.label], found, pair.style, confidence, why)


# ------------------------------------------------------------------ files


def _records(text: str, source: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = loads(line)
        except BadJson as error:
            raise BadInput(f"{source}, line {number} is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise BadInput(f"{source}, line {number} is not a JSON object")
        yield number, record


def _is_date(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _read_answers(path: Path, known: set[str]) -> dict[str, tuple[str, float]]:
    answers: dict[str, tuple[str, float]] = {}
    for number, record in _records(read_text(path), str(path)):
        id, label, confidence = record.get("id"), record.get("label"), record.get("confidence", 1.0)
        if not isinstance(id, str) or id not in known:
            raise BadInput(f"{path}, line {number}: there is no pair {id!r}; `--export FILE` writes all ids")
        if id in answers:
            raise BadInput(f"{path}, line {number}: pair {id!r} is answered twice")
        if label not in (*LABELS, "uncertain"):
            raise BadInput(f"{path}, line {number}: label {label!r} is none of {', '.join(LABELS)}, uncertain")
        if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
            raise BadInput(f"{path}, line {number}: confidence {confidence!r} is not a number from 0 to 1")
        answers[id] = (label, float(confidence))
    if not answers:
        raise BadInput(f'{path} holds no answers; write a line such as {{"id": …, "label": …}} for each pair')
    return answers
