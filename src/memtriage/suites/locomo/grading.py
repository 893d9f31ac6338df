"""The paper's scores: F1 over stems by kind of question, and means over the questions of a kind and over all.

A judge grades by meaning instead, where one is given.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer, Graded, Mark, ScoreGroup
from memtriage.core.rubric import GENERIC, Rubric
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.answer_files import Complain, first_answers
from memtriage.suites.locomo import errata
from memtriage.suites.locomo.conversation import ADVERSARIAL, CATEGORIES, IN_TABLE, Question
from memtriage.suites.locomo.episodes import SUITE, probe_alone
from memtriage.suites.locomo.porter import stem
from memtriage.suites.locomo.reading import LOCOMO, Reader, Source

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_SMALL = re.compile(r"\b(?:a|an|the|and)\b")
_DECLINED = ("no information available", "not mentioned")
"""How an answer declines, by the paper's script."""

_PREDICTION = "prediction"
"""How the key of an answer ends in the files of the paper's script: `gpt-4-turbo_prediction`."""


def f1(answer: str, gold: str) -> float:
    """F1 of the stems that an answer shares with a gold answer, in any order.

    >>> f1("She painted a sunrise", "the paintings")
    0.5
    """
    given, wanted = _stems(answer), _stems(gold)
    shared = (Counter(given) & Counter(wanted)).total()
    return 2 * shared / (len(given) + len(wanted)) if shared else 0.0


def partial_f1(answer: str, gold: str) -> float:
    """F1 of answers with several parts between commas: for each part of the gold answer, the best part of the answer.

    >>> partial_f1("camping, swimming", "swimming, pottery")
    0.5
    """
    return fmean(max(f1(given, wanted) for given in answer.split(",")) for wanted in gold.split(","))


def paper_score(category: int, answer: str, gold: str) -> float:
    """What the paper's script gives an answer.

    Questions over several sessions may have several answers; of an open-domain answer, only the part before a semicolon
    counts; adversarial questions are right if they are declined in one of two phrases.

    >>> paper_score(3, "Likely no", "Likely no; she has no time"), paper_score(5, "It is not mentioned.", "")
    (1.0, 1.0)
    """
    if category == ADVERSARIAL:
        return float(any(phrase in answer.lower() for phrase in _DECLINED))
    if CATEGORIES[category] == "multi-hop":
        return partial_f1(answer, gold)
    return f1(answer, gold.split(";")[0].strip() if CATEGORIES[category] == "open-domain" else gold)


def _stems(text: str) -> list[str]:
    bare = text.replace(",", "").lower().translate(_PUNCTUATION)
    return [stem(word) for word in _SMALL.sub(" ", bare).split()]


_STATES = (
    "Does the answer say what `gold` says? Other words, more detail and the same date in another form count, and so "
    "does a date that `gold` gives by its distance from another. False if it names another thing, person or time, has "
    "only a part of what `gold` lists, or says that it doesn't know."
)
_OPEN = (
    "The question asks for a judgement that the conversation suggests without saying it; `gold` gives it, often with a "
    "reason. Does the answer come to the same judgement? It need not give the reason. False if it judges otherwise, "
    "leaves it open, or says that it doesn't know."
)
_UNTOLD = (
    "The question takes something for granted that the conversation doesn't say: it was told of the other person, or "
    "not at all. Does the answer recognise that? True if it says that this wasn't mentioned, that it doesn't know, "
    "that it was the other person, or denies it. False if it answers as if it were so."
)
_ANSWER = replace(GENERIC, last="answer", every_answer=True, reasoning=_STATES)


def rubrics(suite: str = SUITE) -> Mapping[str, Rubric]:
    """What a judge is asked about an answer, by kind of question."""
    return {
        f"{suite}/multi-hop": _ANSWER,
        f"{suite}/temporal": replace(_ANSWER, last="timing"),
        f"{suite}/single-hop": _ANSWER,
        f"{suite}/open-domain": replace(_ANSWER, reasoning=_OPEN),
        f"{suite}/adversarial": replace(_ANSWER, last="untold", reasoning=_UNTOLD),
    }


@dataclass(frozen=True, slots=True)
class PaperScores:
    """Grades answers to the questions of a file like LoCoMo's: by the paper's F1, or by a judge."""

    suite: str = SUITE
    source: Source = LOCOMO

    def read(self, answers: Path, data: Path) -> AnswerSheet:
        problems: list[str] = []
        by_id = _predictions(answers) or first_answers(answers, problems.append)
        known = errata.load()
        released: dict[str, Probe] = {}
        corrected: dict[str, Probe] = {}
        for id, question in self._asked(data, problems.append):
            released[id] = probe_alone(id, question, self.suite)
            if known.entry(id, question) is not None:
                right = known.applied(id, question)
                void = replace(released[id], tags={**released[id].tags, "errata": "void"})
                corrected[id] = probe_alone(id, right, self.suite) if right is not None else void
        return AnswerSheet(
            given=tuple(GivenAnswer(released[id], answer) for id, answer in by_id.items() if id in released),
            missing=tuple(id for id in released if id not in by_id),
            strangers=tuple(id for id in by_id if id not in released),
            problems=tuple(problems),
            corrected=corrected,
            errata=known.version,
        )

    def questions(self, data: Path, complain: Complain) -> Iterator[Probe]:
        return (probe_alone(id, question, self.suite) for id, question in self._asked(data, complain))

    def by_words(self, probe: Probe, answer: str) -> Graded:
        credit = paper_score(int(probe.tags["category"]), answer, probe.gold)
        return Graded(credit, f"its F1 is {credit:.3g}", {"F1": credit})

    def groups(self, marks: Sequence[Mark]) -> list[ScoreGroup]:
        """By kind in the paper's order, all of them, and without the adversarial ones, as most reports have it."""
        asked = [mark for mark in marks if mark.given.probe.tags.get("errata") != "void"]
        metric = "accuracy" if any(mark.by == "judge" for mark in asked) else "F1"
        by_kind = {n: tuple(mark for mark in asked if mark.given.probe.tags["category"] == str(n)) for n in IN_TABLE}
        four = tuple(mark for n, own in by_kind.items() if n != ADVERSARIAL for mark in own)
        return [
            *(ScoreGroup(CATEGORIES[n], own, metric=metric) for n, own in by_kind.items() if own),
            ScoreGroup("without adversarial", four, metric=metric, kind="mean"),
            ScoreGroup("overall", tuple(asked), metric=metric, kind="all"),
        ]

    def log(self, marks: Sequence[Mark], judge: str) -> Iterator[Mapping[str, object]]:
        for mark in marks:
            if mark.credit is not None:
                probe = mark.given.probe
                about = {"question_id": probe.id, "category": int(probe.tags["category"]), "question": probe.text}
                graded = {"score": mark.credit, "by": judge or "F1"}
                yield {**about, "answer": probe.gold, "prediction": mark.given.answer, **graded}

    def _asked(self, data: Path, complain: Complain) -> Iterator[tuple[str, Question]]:
        """The questions of a file with their ids; what had to be left out is named."""
        reader = Reader(self.source.find(data), self.source)
        for talk in reader.conversations():
            yield from ((talk.question_id(question), question) for question in talk.questions)
        for problem in reader.problems:
            complain(problem)


def _predictions(path: Path) -> dict[str, str]:
    """The answers in a file that the paper's script wrote: LoCoMo's own, with a prediction beside each question."""
    try:
        whole = loads(read_text(path))
    except BadJson:
        return {}
    samples = [each for each in (whole if isinstance(whole, list) else [whole]) if isinstance(each, dict)]
    rows = [
        (f"{sample.get('sample_id')}/q{index}", row)
        for sample in samples
        if isinstance(sample.get("qa"), list)
        for index, row in enumerate(sample["qa"])
        if isinstance(row, dict)
    ]
    names = sorted({key for _, row in rows for key in row if key.endswith(_PREDICTION)})
    if len(names) > 1:
        raise BadInput(f"{path} has the answers of several models ({', '.join(names)}); leave those of one in it")
    return {id: str(row[name]) for id, row in rows for name in names if isinstance(row.get(name), str | int | float)}
