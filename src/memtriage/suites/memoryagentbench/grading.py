"""MemoryAgentBench's official scores: answers matched with the questions, graded, and averaged as in the paper.

Each task has one metric. The score of a competency is the mean of its tasks, and the overall score the mean of the
competencies, however many questions each has (the paper's table 2).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import get_args

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Graded, Mark, ScoreGroup
from memtriage.core.suite import AnswerMeasure
from memtriage.metrics.answers import all_inside, best, exact_flexible, official
from memtriage.metrics.titles import Titles, recalls
from memtriage.suites.kit.answer_files import Complain, first_answers
from memtriage.suites.longmemeval.grading.by_words import settled
from memtriage.suites.memoryagentbench import context_files
from memtriage.suites.memoryagentbench.episodes import probe as probe_of
from memtriage.suites.memoryagentbench.episodes import task_of
from memtriage.suites.memoryagentbench.kinds import KINDS, SPECS, Competency, Kind

METRICS: Mapping[Kind, str] = {
    "sh-docqa": "SubEM",
    "mh-docqa": "SubEM",
    "longmemeval": "judge",
    "eventqa": "SubEM",
    "icl": "EM",
    "recommendation": "Recall@5",
    "summarization": "judge F1",
    "detective": "EM",
    "factconsolidation-sh": "SubEM",
    "factconsolidation-mh": "SubEM",
}
"""The metric of each task in the paper's table."""

PARSE_FIRST: frozenset[Kind] = frozenset({"eventqa", "icl"})
"""Tasks where only the parsed part of an answer counts; elsewhere the whole of it counts as well."""

_IN_TABLE: Mapping[Kind, str] = {
    "longmemeval": r"longmemeval_s\*.*",
    "eventqa": r"eventqa_full",
    "factconsolidation-sh": r".*_262k",
    "factconsolidation-mh": r".*_262k",
}
"""The sub-datasets in the paper's table, for tasks that are released in several lengths."""

_OFFICIAL_NAMES = {
    "SubEM": "substring_exact_match",
    "EM": "exact_match",
    "F1": "f1",
    "EventQA_recall": "eventqa_recall",
}
_OFFICIAL_NAMES |= {f"Recall@{k}": f"recsys_recall@{k}" for k in (1, 5, 10)}


def _parsed(name: str, answer: str, golds: Sequence[str]) -> float:
    return official(answer, golds, parse_first=True)[name]


_PARSED: Mapping[str, AnswerMeasure] = {name: partial(_parsed, name) for name in ("SubEM", "EM", "F1")}

ANSWER_MEASURES: Mapping[Kind, Mapping[str, AnswerMeasure]] = {
    "eventqa": {**_PARSED, "EventQA_recall": all_inside},
    "icl": _PARSED,
}
"""The measures of tasks that differ from the others."""


class OfficialScores:
    """Grades files of answers to MemoryAgentBench's questions."""

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        problems: list[str] = []
        by_id = first_answers(answers, problems.append)
        named: dict[str, list[Probe]] = {}
        for probe in _questions(data, problems.append):
            for name in dict.fromkeys((probe.id, probe.tags.get("qa_pair_id", probe.id))):
                named.setdefault(name, []).append(probe)
        if not named:
            raise BadInput(f"{data} holds no questions that answers could be compared with; {'; '.join(problems[:3])}")
        given: dict[str, GivenAnswer] = {}
        for id, answer in by_id.items():
            match named.get(id, []):
                case [probe] if probe.id in given:
                    problems.append(f"{answers}: question {probe.id} is answered twice, also as {id}; the first counts")
                case [probe]:
                    given[probe.id] = GivenAnswer(probe, answer)
                case [one, another, *_]:
                    problems.append(
                        f"{answers}: {id} names {one.id} and {another.id}; give one of these as the id, or data with "
                        "one of them"
                    )
        sources = {each.probe.tags["source"] for each in given.values()}
        probes = {probe.id: probe for probes in named.values() for probe in probes}
        return AnswerSheet(
            given=tuple(given.values()),
            missing=tuple(id for id, probe in probes.items() if probe.tags["source"] in sources and id not in given),
            strangers=tuple(id for id in by_id if id not in named),
            problems=tuple(problems),
        )

    def questions(self, data: Path, complain: Complain) -> Iterator[Probe]:
        return _questions(data, complain)

    def by_words(self, probe: Probe, answer: str) -> Graded | None:
        kind, golds = _kind(probe), probe.golds or (probe.gold,)
        if kind == "summarization":
            return None if answer.strip() else Graded(0.0, "there is no answer")
        if kind == "longmemeval":
            type = "abstention" if probe.scoring == "abstain" else probe.tags.get("type", "")
            found = settled(type, probe.text, probe.gold, answer)
            return Graded(*found) if found else None
        metric = METRICS[kind]
        if kind == "recommendation":
            measures = recalls(answer, golds, _titles(probe.choices) if probe.choices else None)
        else:
            own = {name: float(measure(answer, golds)) for name, measure in ANSWER_MEASURES.get(kind, {}).items()}
            measures = {**official(answer, golds), "EM_flexible": best(exact_flexible, answer, golds), **own}
        return Graded(measures[metric], f"its {metric} is {measures[metric]:.3g}", measures)

    def groups(self, marks: Sequence[Mark]) -> list[ScoreGroup]:
        """By sub-dataset where a task has several, by task, by competency, and overall."""
        lines: list[ScoreGroup] = []
        averages: list[ScoreGroup] = []
        for competency in get_args(Competency):
            kinds = [kind for kind in KINDS if SPECS[kind].competency == competency]
            tasks: list[ScoreGroup] = []
            for kind in kinds:
                *sources, task = _lines_of(kind, [mark for mark in marks if _kind(mark.given.probe) == kind])
                tasks += [task] if task.marks or task.of else []
                lines += [*sources, task] if task.marks or task.of else []
            if tasks:
                name = _of(competency, len(tasks), len(kinds))
                averages.append(ScoreGroup(name, of=tuple(tasks), metric="mean", kind="mean"))
                lines.append(averages[-1])
        overall = _of("overall", len(averages), len(get_args(Competency)))
        return [*lines, ScoreGroup(overall, of=tuple(averages), metric="mean", kind="all")]

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        for mark in marks:
            if mark.credit is not None:
                probe = mark.given.probe
                measures = {_OFFICIAL_NAMES.get(name, name): value for name, value in mark.measures.items()}
                label = {"autoeval_label": {"model": judge, "label": mark.right}} if mark.by == "judge" else {}
                ids = {"id": probe.id, "qa_pair_id": probe.tags.get("qa_pair_id"), "source": probe.tags["source"]}
                yield {**ids, "output": mark.given.answer, "answer": list(probe.golds), **measures, **label}


def _questions(data: Path, complain: Complain) -> Iterator[Probe]:
    """The questions of a folder or file: of contexts that this project wrote, else of the released files."""
    paths = list(dict.fromkeys(path for kind in KINDS if (path := context_files.find(data, kind)) is not None))
    if not paths:
        from memtriage.suites.memoryagentbench.released.load import gold_answers

        yield from gold_answers(data, complain)
    for path in paths:
        for context in context_files.read(path):
            for query in context.queries:
                asked = probe_of(query, context, first=context.kind == "recommendation")
                yield replace(asked, task=task_of(context))


def _kind(probe: Probe) -> Kind:
    name = probe.task.rpartition("/")[2]
    return next(kind for kind in KINDS if kind == name)


def _lines_of(kind: Kind, marks: Sequence[Mark]) -> Iterator[ScoreGroup]:
    """The score of each sub-dataset of a task, if there are several, then that of the task: their mean.

    Other lengths than the one in the paper's table are left out of that mean, as long as that one is there.
    """
    by_source: dict[str, list[Mark]] = {}
    for mark in marks:
        by_source.setdefault(mark.given.probe.tags["source"], []).append(mark)
    parts = {name: ScoreGroup(f"  {name}", tuple(own), metric=METRICS[kind]) for name, own in by_source.items()}
    if len(parts) > 1:
        yield from parts.values()
        in_table = [each for name, each in parts.items() if re.fullmatch(_IN_TABLE.get(kind, ".*"), name)]
        yield ScoreGroup(kind, of=tuple(in_table or parts.values()), metric=METRICS[kind])
    else:
        yield ScoreGroup(kind, tuple(marks), metric=METRICS[kind])


def _of(name: str, there: int, all: int) -> str:
    """The name of a mean; with how many of its parts are there, if not all."""
    return name if there == all else f"{name} ({there}/{all})"


@lru_cache(maxsize=4)
def _titles(known: tuple[str, ...]) -> Titles:
    return Titles(known)
