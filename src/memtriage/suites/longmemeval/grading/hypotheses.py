"""The official hypothesis file: answers by question id, matched with the questions, and scored."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Graded, Mark, ScoreGroup
from memtriage.suites.kit.answer_files import Complain, first_answers
from memtriage.suites.longmemeval import errata
from memtriage.suites.longmemeval.grading.by_words import settled
from memtriage.suites.longmemeval.options import Size
from memtriage.suites.longmemeval.question import ABSTENTION, TYPES
from memtriage.suites.longmemeval.released import files

_ID, _ANSWER = "question_id", "hypothesis"


class Hypotheses:
    """Grades hypothesis files of LongMemEval."""

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        problems: list[str] = []
        by_id = first_answers(answers, problems.append)
        probes = {probe.id: probe for probe in references(data, problems.append)}
        if not probes:
            raise BadInput(f"{data} holds no questions that answers could be compared with; {'; '.join(problems[:3])}")
        return AnswerSheet(
            given=tuple(GivenAnswer(probes[id], answer) for id, answer in by_id.items() if id in probes),
            missing=tuple(id for id in probes if id not in by_id),
            strangers=tuple(id for id in by_id if id not in probes),
            problems=tuple(problems),
            corrected=_corrected(probes),
            errata=errata.load().version,
        )

    def questions(self, data: Path, complain: Complain) -> Iterator[Probe]:
        return references(data, complain)

    def by_words(self, probe: Probe, answer: str) -> Graded | None:
        type = ABSTENTION if probe.scoring == "abstain" else probe.tags["type"]
        found = settled(type, probe.text, probe.gold, answer)
        return Graded(*found) if found else None

    def groups(self, marks: Sequence[Mark]) -> list[ScoreGroup]:
        """By type, abstention questions among theirs; the mean over types, all, and abstention by itself."""
        by_type = {type: tuple(mark for mark in marks if mark.given.probe.tags["type"] == type) for type in TYPES}
        types = tuple(ScoreGroup(type, own) for type, own in by_type.items() if own)
        abstained = tuple(mark for mark in marks if mark.given.probe.scoring == "abstain")
        return [
            *types,
            ScoreGroup("task-averaged", of=types, kind="mean"),
            ScoreGroup("overall", tuple(marks), kind="all"),
            ScoreGroup("abstention", abstained),
        ]

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        for mark in marks:
            if mark.right is not None:
                label = {"model": judge, "label": mark.right}
                yield {_ID: mark.given.probe.id, _ANSWER: mark.given.answer, "autoeval_label": label}


def references(data: Path, complain: Complain) -> Iterator[Probe]:
    """The questions of a data file, without their histories; an entry that lacks something is named."""
    if data.is_dir():
        data = files.find(data, _any_size(data)).path
    for number, entry in files.Entries(data, lambda problem: complain(f"{data}: {problem}")):
        found = entry if isinstance(entry, dict) else {}
        id, type = found.get(_ID), found.get("question_type")
        where = f"{data}, question {id}" if isinstance(id, str) else f"{data}, entry {number}"
        lacks = [key for key in (_ID, "question", "answer") if not isinstance(found.get(key), str | int | float)]
        if lacks:
            complain(f"{where} lacks {', '.join(lacks)}")
        elif type not in TYPES:
            complain(f"{where} is of the unknown type {type!r}; the types are {', '.join(TYPES)}")
        else:
            yield _probe(str(id), str(type), str(found["question"]), str(found["answer"]))


def _any_size(folder: Path) -> Size:
    """A size whose file a folder has: questions and gold answers are the same in all of them."""
    there = {files.size_of(path) for path in folder.iterdir()}
    return next((size for size in ("oracle", "s", "m") if size in there), "s")


def _probe(id: str, type: str, question: str, gold: str) -> Probe:
    abstains = id.endswith("_abs")
    return Probe(
        id,
        question,
        gold,
        (),
        scoring="abstain" if abstains else "free",
        task=f"longmemeval/{ABSTENTION if abstains else type}",
        tags={"type": type},
        cluster=id,
    )


def _corrected(probes: Mapping[str, Probe]) -> dict[str, Probe]:
    """The questions whose gold answer is known to be wrong, with the right one."""
    known = errata.load().entries
    wrong = [probe for id, probe in probes.items() if id in known and known[id].was == probe.gold.strip()]
    return {probe.id: replace(probe, gold=known[probe.id].gold) for probe in wrong}
