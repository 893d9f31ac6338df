"""The formats of other tools that `diagnose` reads: which one a file has, and its questions with their gold."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.diagnose.importers import langfuse, langsmith, longmemeval, mem0, memorybench, otel
from memtriage.diagnose.importers.gold import Gold, makeshift, read_gold
from memtriage.diagnose.importers.values import read_values
from memtriage.diagnose.trace_format import Record

TELEMETRY = {"otel": otel, "langsmith": langsmith, "langfuse": langfuse}
RESULTS = {"mem0": mem0, "memorybench": memorybench, "longmemeval": longmemeval}
OWN = "traces"
"""The format of docs/traces.md."""

FORMATS = (OWN, *TELEMETRY, *RESULTS)


@dataclass(frozen=True, slots=True)
class Import:
    """How a file is to be read.

    `gold` says what right answers need, `answers` are answers or grades in a file of their own, `searches` the steps
    of telemetry that count as searches, `ks` how many of a ranking count, and `system` whose memory it was. With
    `judged`, a judge will grade free answers, which takes gold answers.
    """

    source: str
    gold: Path | None = None
    answers: Path | None = None
    searches: tuple[str, ...] = ()
    ks: tuple[int, ...] = ()
    system: str = ""
    judged: bool = False


@dataclass(slots=True)
class ImportedFile:
    """The lines that were made of a file, and what has to be known about them.

    `stand_ins` are the questions whose gold answers stand in for facts; `left_out` those of which nothing can be said,
    having neither answer nor gold, which are not among the lines.
    """

    lines: list[Record]
    notes: list[str] = field(default_factory=list)
    stand_ins: set[str] = field(default_factory=set)
    left_out: list[dict[str, Any]] = field(default_factory=list)

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [line for _, line in self.lines if "question" in line]


def recognize(path: Path) -> str:
    """The format of a file by its first value; our own where it is no other's."""
    try:
        _, first = next(iter(read_values(path)), ("", None))
    except BadInput:
        return OWN  # whoever reads it says what is wrong with it
    kinds = {**TELEMETRY, **RESULTS}
    return next((name for name, kind in kinds.items() if kind.fits(first)), OWN)


def read_import(path: Path, how: Import) -> ImportedFile:
    """The questions of a file, each with its gold as far as it is known."""
    if how.source not in FORMATS:
        raise BadInput(unknown("format", how.source, FORMATS))
    _refuse_options(how)
    found = ImportedFile([])
    found.lines = _read(path, how, found.notes)
    if not found.questions:
        raise BadInput("\n".join([f"{path} holds no questions; is it {how.source}'s whole export?", *found.notes]))
    if how.answers is not None:
        _answer(found, how)
    if how.gold is not None:
        _give_gold(found, read_gold(how.gold))
    _give_texts(found)
    _finish(found, how.judged)
    return found


def gold_template(found: ImportedFile) -> list[dict[str, Any]]:
    """A gold line for each question, answered or not, to be filled in."""
    lines = {
        line["probe"]: {
            "probe": line["probe"],
            "question": line["question"],
            "gold": line.get("gold", ""),
            "facts": [] if line["probe"] in found.stand_ins else line["facts"],
        }
        for line in (*found.questions, *found.left_out)
    }
    return list(lines.values())


_ABOUT_FACTS = ("facts", "sufficient", "outdated", "conversations")
_ONLY = {
    "--searches": ("otel", "langsmith", "langfuse"),
    "--k": ("longmemeval",),
    "--answers": ("longmemeval", "mem0"),
}
"""Which formats an option goes with, where it doesn't go with all."""


def _refuse_options(how: Import) -> None:
    given = {"--searches": how.searches, "--k": how.ks, "--answers": how.answers}
    for option, formats in _ONLY.items():
        if given[option] and how.source not in formats:
            raise BadInput(f"{option} goes with files of {', '.join(formats)}; this one is read as {how.source}")


def _read(path: Path, how: Import, notes: list[str]) -> list[Record]:
    if how.source == "otel":
        return otel.records(path, how.searches, how.system, notes)
    if how.source == "langsmith":
        return langsmith.records(path, how.searches, how.system, notes)
    if how.source == "langfuse":
        return langfuse.records(path, how.searches, how.system, notes)
    if how.source == "mem0":
        return mem0.records(path, how.system)
    if how.source == "memorybench":
        return memorybench.records(path, how.system, notes)
    return longmemeval.records(path, how.ks, how.system, how.answers is not None, notes)


def _answer(found: ImportedFile, how: Import) -> None:
    """Add answers or grades that stand in a file of their own."""
    assert how.answers is not None
    if how.source == "longmemeval":
        given = dict(longmemeval.answers(how.answers))
        matched = [(line, given[line["probe"]]) for line in found.questions if line["probe"] in given]
    else:
        graded = {(question, answer): grade for question, answer, grade in mem0.grades(how.answers)}
        keys = ((line, (line["question"], line["answer"])) for line in found.questions)
        matched = [(line, graded[key]) for line, key in keys if key in graded]
    if not matched:
        raise BadInput(f"{how.answers}: none of its answers is to a question of the file; do they belong together?")
    for line, more in matched:
        line.update(more)
    if left := len(found.questions) - len(matched):
        found.notes.append(f"{left} of {len(found.questions)} questions have no answer in {how.answers}")


def _give_gold(found: ImportedFile, gold: Gold) -> None:
    known = {line["store"] for _, line in found.lines if "question" not in line}
    stores = [each for each in gold.stores if each[1].get("store") not in known]
    lines: list[Record] = [*stores, *((where, line) for where, line in found.lines if "question" not in line)]
    without = 0
    for where, line in found.lines:
        if "question" not in line:
            continue
        about = gold.of(line)
        if about is None:
            without += 1
            lines.append((where, line))
            continue
        place, more = about
        if line.get("facts") == []:  # what came back is unknown, so that facts would only be called missing
            more = {key: value for key, value in more.items() if key not in _ABOUT_FACTS}
        merged = {**line, **{key: value for key, value in more.items() if key not in ("probe", "question")}}
        if "store" in line and "store" not in more:  # the store's line doesn't have the turns that the gold names
            merged.pop("conversations", None)
            merged["facts"] = [_without_turns(fact) for fact in merged.get("facts", ())]
        lines.append((f"{where}, with {place}", merged))
    asked = len(found.questions)
    if without == asked:
        raise BadInput(f"{gold.path}: none of its lines is about a question of the file; name it as the file does")
    if without:
        found.notes.append(f"{without} of {asked} questions have no line in {gold.path}")
    found.lines = lines


def _without_turns(fact: Any) -> Any:
    return {key: value for key, value in fact.items() if key != "turns"} if isinstance(fact, dict) else fact


def _give_texts(found: ImportedFile) -> None:
    """Find the texts of memories that came back by id alone in the stores of the file or of the gold."""
    texts: dict[str, str] = {}
    for _, line in found.lines:
        if "question" not in line:
            looks = line.get("snapshots") or [line]
            held = (one for look in looks for one in look.get("memories") or ())
            texts |= {str(one["id"]): one["text"] for one in held if isinstance(one, dict) and "id" in one}
    for where, line in found.lines:
        for one in line.get("retrieved", ()):
            if "text" not in one:
                if one["id"] not in texts:
                    raise BadInput(
                        f"{where}: memory {one['id']!r} came back without its text; record contents too, "
                        "or give a store with this id in --gold"
                    )
                one["text"] = texts[one["id"]]


def _finish(found: ImportedFile, judged: bool) -> None:
    """Stand-ins for facts where only a gold answer is known, one k for all, and notes on what can't be said."""
    most: dict[str, int] = {}
    for line in found.questions:
        most[line["system"]] = max(most.get(line["system"], 1), len(line["retrieved"]))
    needs_unknown = stores = ungraded = 0
    lines, found.lines = found.lines, []
    for where, line in lines:
        if "question" in line:
            line.setdefault("k", most[line["system"]])
            if "facts" not in line:
                answer = line.get("gold")
                line["facts"] = [makeshift(line["question"], answer)] if answer and "scoring" not in line else []
                if line["facts"]:
                    found.stand_ins.add(line["probe"])
            if judged and "answer" in line and _has_no_gold(line):
                del line["answer"]
                ungraded += 1
            if not line["facts"] and line.get("scoring") != "abstain":
                if not {"answer", "right", "error"} & set(line):
                    found.left_out.append(line)
                    continue
                needs_unknown += 1
            stores += "store" in line or "all_memories" in line
        found.lines.append((where, line))
    total = len(found.questions)
    if ungraded:
        found.notes.append(f"{ungraded} answers can't be graded, as no gold answer is known for them")
    if found.left_out:
        count = len(found.left_out)
        whose, were = ("question has", "was") if count == 1 else ("questions have", "were")
        found.notes.append(f"{count} {whose} no answer, nor gold to judge by, and {were} left out of the verdicts")
    if needs_unknown:
        found.notes.append(
            f"{needs_unknown} of {total} questions come without what they need, or without what came back, so no "
            "stage is named for them; --gold-template writes a file for --gold, to be filled in with facts"
        )
    if found.stand_ins:
        found.notes.append(
            f"{len(found.stand_ins)} of {total} questions have no facts but a gold answer, which stands in for them; "
            "words settle few of these: use a judge, or give facts with --gold"
        )
    if stores < total:
        found.notes.append(
            f"{total - stores} of {total} questions come without the store that was searched: "
            "never stored and not retrieved can't be told apart there"
        )


def _has_no_gold(line: dict[str, Any]) -> bool:
    """Whether a judge would have nothing to compare the answer with."""
    free = line.get("scoring", "free") == "free" and not line.get("correct_choice")
    return free and "right" not in line and not line.get("gold") and not line.get("golds")
