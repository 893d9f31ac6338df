"""How far judges agree with labels that people gave to answers, and with each other, by type of question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

from memtriage.config import Limits
from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput
from memtriage.core.handed_in import AnswerSheet, GivenAnswer
from memtriage.core.suite import Suite
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.metrics.statistics import Part, kappa, mean_of_parts
from memtriage.studies.score_answers import WORDS, Scored, score
from memtriage.tables.table import open_interval

SCHEMA = "memtriage.agreement/1"
LABELS = "labels"
"""The name of the people's side."""

ALL = "all"
MEAN = "mean of types"

_IDS = ("question_id", "qa_pair_id", "id")
_ANSWERS = ("hypothesis", "output", "answer")
_LABELS = ("label", "human_label", "autoeval_label", "right")
_YES = ("yes", "true", "right", "correct", "1")
_NO = ("no", "false", "wrong", "incorrect", "0")


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """An answer, whether a person called it right, and the model that gave it ("" if the file doesn't say)."""

    given: GivenAnswer
    right: bool
    model: str


@dataclass(frozen=True, slots=True)
class LabelledSheet:
    """A file of labelled answers, matched with its questions; `problems` say what could not be read, and where."""

    labelled: tuple[LabelledAnswer, ...]
    strangers: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """How far two sides agree on the answers of one model to one type of question.

    `one` is a judge, or `words`; `other` is another one, or the labels. Answers that one of them left open are no
    agreement, but may be one: the interval reaches from none of them to all of them. Of the answers where both
    decided, `lenient` counts those that only `one` calls right, `strict` those that only `other` does; `kappa` is
    Cohen's, None where nothing was decided. The mean of types has no counts of its own.
    """

    one: str
    other: str
    model: str
    type: str
    kind: Literal["type", "mean", "all"]
    n: int
    agreed: int
    open: int
    lenient: int
    strict: int
    agreement: float
    low: float
    high: float
    kappa: float | None


@dataclass(frozen=True, slots=True)
class Agreed:
    """The agreement of judges with labels and with each other, and what asking them took."""

    suite: str
    sheet: LabelledSheet
    lines: tuple[AgreementLine, ...]
    scored: Mapping[str, Scored]

    @property
    def errors(self) -> int:
        """How many gradings failed."""
        return sum(found.errors for found in self.scored.values())

    @property
    def stopped(self) -> str | None:
        return next((found.stopped for found in self.scored.values() if found.stopped), None)


def read_labelled(suite: Suite, path: Path, data: Path) -> LabelledSheet:
    """Labelled answers from JSON lines, matched with the questions of a data file.

    Each line has an id (`question_id`), an answer (`hypothesis`), a `label` (true or false, yes or no) and, where
    several models answered, their `model`.
    """
    problems: list[str] = []
    assert suite.scorer is not None  # the command refuses others
    probes: dict[str, Probe] = {}
    for probe in suite.scorer.questions(data, problems.append):
        for name in (probe.id, probe.tags.get("qa_pair_id", probe.id)):
            probes.setdefault(name, probe)
    if not probes:
        raise BadInput(f"{data} holds no questions that answers could be compared with; {'; '.join(problems[:3])}")
    found: dict[tuple[str, str], LabelledAnswer] = {}
    strangers: dict[str, None] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        entry = _entry(line, where)
        if isinstance(entry, str):
            problems.append(entry)
            continue
        id, answer, right, model = entry
        if id not in probes:
            strangers[id] = None
        elif (probes[id].id, model) in found:
            problems.append(f"{where}: question {id} was labelled before{f' for {model}' if model else ''}")
        else:
            found[probes[id].id, model] = LabelledAnswer(GivenAnswer(probes[id], answer), right, model)
    return LabelledSheet(tuple(found.values()), tuple(strangers), tuple(problems))


def _entry(line: str, where: str) -> tuple[str, str, bool, str] | str:
    """The id, answer, label and model of a line, or what is wrong with it."""
    try:
        entry = loads(line)
    except BadJson as error:
        return f"{where} is no JSON ({error}); each line is an object with question_id, hypothesis and label"
    if not isinstance(entry, dict):
        return f"{where} is no object with question_id, hypothesis and label"
    id, answer, label = (
        next((entry[name] for name in names if name in entry), None) for names in (_IDS, _ANSWERS, _LABELS)
    )
    if not isinstance(id, str) or not id:
        return f"{where} has no id (question_id, qa_pair_id or id)"
    if isinstance(answer, bool) or not isinstance(answer, str | int | float):
        return f"{where}: question {id} has no answer (hypothesis, output or answer)"
    if isinstance(label, dict):  # as the official script writes it
        label = label.get("label")
    text = str(label).strip().lower()
    if text not in (*_YES, *_NO):
        return f"{where}: the label of question {id} is {label!r}; write true or false"
    model = entry.get("model")
    return id, str(answer), text in _YES, model if isinstance(model, str) else ""


def agree(
    suite: Suite,
    sheet: LabelledSheet,
    judges: Sequence[str] = (),
    *,
    limits: Limits | None = None,
    done: Callable[[], None] = lambda: None,
) -> Agreed:
    """Have judges grade labelled answers, without seeing the labels, and compare; without a judge, words grade."""
    limits = limits or Limits()
    given = answer_sheet(sheet)
    scored: dict[str, Scored] = {}
    for judge in judges or (None,):
        found = score(suite, given, judge=judge, errata="off", limits=limits, done=done)
        scored[found.judge or WORDS] = found
        limits = limits.after_spending(_spent(found))
    opinions: dict[str, dict[GivenAnswer, bool | None]] = {
        name: {mark.given: mark.right for mark in found.marks["released"]} for name, found in scored.items()
    }
    sides = {name: [opinion[one.given] for one in sheet.labelled] for name, opinion in opinions.items()}
    labels: list[bool | None] = [one.right for one in sheet.labelled]
    pairs = [(name, LABELS, calls, labels) for name, calls in sides.items()]
    pairs += [(one, two, sides[one], sides[two]) for one, two in combinations(sides, 2)]
    lines = [line for pair in pairs for line in _lines(*pair, sheet.labelled)]
    return Agreed(suite.name, sheet, tuple(lines), scored)


def answer_sheet(sheet: LabelledSheet) -> AnswerSheet:
    """The answers alone, each once."""
    return AnswerSheet(tuple(dict.fromkeys(one.given for one in sheet.labelled)))


def _spent(found: Scored) -> Decimal:
    dollars = found.cost["total"]["dollars"] if found.cost else None
    return Decimal(str(dollars or 0))


_Call = tuple[LabelledAnswer, bool | None, bool | None]


def _lines(
    one: str,
    other: str,
    first: Sequence[bool | None],
    second: Sequence[bool | None],
    labelled: Sequence[LabelledAnswer],
) -> Iterator[AgreementLine]:
    calls: list[_Call] = list(zip(labelled, first, second, strict=True))
    models = list(dict.fromkeys(each.model for each in labelled))
    for model in (*models, *([ALL] if len(models) > 1 else [])):
        own = [call for call in calls if model in (call[0].model, ALL)]
        types = dict.fromkeys(_type(call) for call in own)
        lines = [_line((one, other, model), type, "type", [c for c in own if _type(c) == type]) for type in types]
        yield from lines
        whole = _line((one, other, model), ALL, "all", own)
        if len(lines) > 1:
            yield _mean(whole, lines)
        yield whole


def _type(call: _Call) -> str:
    return call[0].given.probe.task.rpartition("/")[2]


def _line(
    sides: tuple[str, str, str], type: str, kind: Literal["type", "all"], calls: Sequence[_Call]
) -> AgreementLine:
    decided = [(first, second) for _, first, second in calls if first is not None and second is not None]
    by_question: dict[str, tuple[int, int, int]] = {}
    for answer, first, second in calls:
        n, agreed, open = by_question.get(answer.given.probe.id, (0, 0, 0))
        undecided = first is None or second is None
        by_question[answer.given.probe.id] = (n + 1, agreed + (not undecided and first == second), open + undecided)
    low, high = open_interval(Counter(by_question.values()))
    agreed = sum(first == second for first, second in decided)
    return AgreementLine(
        *sides,
        type=type,
        kind=kind,
        n=len(calls),
        agreed=agreed,
        open=len(calls) - len(decided),
        lenient=sum(bool(first) > bool(second) for first, second in decided),
        strict=sum(bool(first) < bool(second) for first, second in decided),
        agreement=agreed / len(calls),
        low=low,
        high=high,
        kappa=kappa((str(first), str(second)) for first, second in decided) if decided else None,
    )


def _mean(whole: AgreementLine, lines: Sequence[AgreementLine]) -> AgreementLine:
    parts = [Part(each.agreement, each.agreement + each.open / each.n, each.low, each.high) for each in lines]
    mean, (low, high) = mean_of_parts(parts)
    counts = {
        name: getattr(whole, name) for name in ("one", "other", "model", "n", "agreed", "open", "lenient", "strict")
    }
    return AgreementLine(**counts, type=MEAN, kind="mean", agreement=mean or 0.0, low=low, high=high, kappa=None)


def agreement_json(found: Agreed) -> dict[str, Any]:
    """Agreement as JSON in a stable schema."""
    return {
        "schema": SCHEMA,
        "suite": found.suite,
        "answers": len(found.sheet.labelled),
        "unknown": list(found.sheet.strangers),
        "problems": list(found.sheet.problems),
        "errors": found.errors,
        "stopped": found.stopped,
        "rows": [_row_json(line) for line in found.lines],
    }


def _row_json(line: AgreementLine) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in asdict(line).items()}
