"""What right answers need, from a file beside the traces: gold lines, a suite file, LoCoMo's or LongMemEval's data."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memtriage.core.episode import Episode, Probe
from memtriage.core.errors import BadInput, unknown
from memtriage.diagnose.importers.values import read_values
from memtriage.diagnose.trace_format import Record, TraceLine

_KEYS = set(TraceLine.model_fields) - {"retrieved", "answer", "k", "seconds", "error", "system"}
_SUITE_FILES = (".yaml", ".yml")


@dataclass(slots=True)
class Gold:
    """Gold lines by the question they are about, with their places, and stores that the traces lack."""

    path: Path
    lines: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    stores: list[Record] = field(default_factory=list)
    _by_id: dict[str, tuple[str, dict[str, Any]]] = field(init=False, default_factory=dict)
    _by_words: dict[str, list[tuple[str, dict[str, Any]]]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        for line in self.lines:
            if "probe" in line[1]:
                self._by_id.setdefault(line[1]["probe"], line)
            if "question" in line[1]:
                self._by_words.setdefault(_plain(line[1]["question"]), []).append(line)

    def of(self, record: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """The line about a question: by its id, else by its words, and its gold answer where several have them."""
        asked = _plain(record["question"])
        named = self._by_id.get(record["probe"])
        if named is not None and _plain(named[1].get("question") or asked) == asked:
            return named
        found = self._by_words.get(asked, [])
        if len(found) > 1:
            found = [each for each in found if _plain(each[1].get("gold", "")) == _plain(record.get("gold", ""))]
        return found[0] if len(found) == 1 else None


def read_gold(path: Path) -> Gold:
    """The gold lines of a file."""
    if path.suffix.lower() in _SUITE_FILES:
        return Gold(path, list(_of_episodes(path, _own(path))))
    values = list(read_values(path))
    first = values[0][1]
    if isinstance(first, Mapping) and "conversation" in first and "qa" in first:
        return Gold(path, list(_of_episodes(path, _locomo(path))))
    if isinstance(first, Mapping) and "haystack_sessions" in first:
        return Gold(path, list(_of_episodes(path, _longmemeval(path, values))))
    if isinstance(first, Mapping) and "memtriage" in first:
        return Gold(path, list(_of_episodes(path, _own(path))))
    lines: list[tuple[str, dict[str, Any]]] = []
    stores: list[Record] = []
    for where, value in values:
        if not isinstance(value, Mapping):
            raise BadInput(f"{where}: a gold line is a JSON object (see docs/traces.md)")
        if {"memories", "snapshots"} & set(value) and "question" not in value and "probe" not in value:
            stores.append((where, dict(value)))
            continue
        if stray := next((key for key in value if key not in _KEYS), None):
            raise BadInput(f"{where}: {unknown('key', stray, sorted(_KEYS))}")
        if not any(isinstance(value.get(key), str) and value[key].strip() for key in ("probe", "question")):
            raise BadInput(f"{where}: name the question by its words (question) or its id (probe)")
        lines.append((where, dict(value)))
    return Gold(path, lines, stores)


def gold_of(episode: Episode, probe: Probe) -> dict[str, Any]:
    """What a suite says of a question, in the keys of a trace line."""
    ids = dict.fromkeys((*probe.needed, *(id for old in probe.outdated for id in (old.fact, *old.voided_by))))
    facts = [fact for fact in episode.facts if fact.id in ids]
    found = {
        "question": probe.text,
        "task": probe.task or episode.task,
        "facts": [
            {
                "id": fact.id,
                "text": fact.text,
                "details": list(fact.details),
                "evidence": list(fact.evidence),
                "subject": fact.subject,
                "split": fact.split,
                "settled": fact.settled,
                "turns": list(fact.turns),
            }
            for fact in facts
        ],
        "sufficient": [list(ids) for ids in probe.sufficient],
        "outdated": [{"fact": old.fact, "voided_by": list(old.voided_by)} for old in probe.outdated],
        "gold": probe.gold,
        "golds": list(probe.golds),
        "scoring": probe.scoring,
        "choices": list(probe.choices),
        "correct_choice": probe.correct_choice,
        "asked_at": probe.asked_at,
        "tags": dict(probe.tags),
    }
    return {key: value for key, value in found.items() if value or key == "facts"}


def makeshift(question: str, gold: str) -> dict[str, Any]:
    """The question with its gold answer in the place of a fact; yes and no are no details to look for."""
    telling = _plain(gold).split(" ")[0].rstrip(",.;:!") not in ("yes", "no", "true", "false")
    return {"text": f"{question} {gold}", **({"details": [gold]} if telling else {})}


# ------------------------------------------------------------------ data of suites


def _of_episodes(path: Path, episodes: Iterable[Episode]) -> Iterator[tuple[str, dict[str, Any]]]:
    for episode in episodes:
        sessions = {turn.id: session for session in episode.sessions for turn in session.turns}
        for probe in episode.probes:
            line = gold_of(episode, probe)
            told = dict.fromkeys(sessions[turn].id for fact in line["facts"] for turn in fact["turns"])
            line["probe"] = probe.id
            # the sessions that told the facts say what "yesterday" was; the rest would only be read over and over
            line["conversations"] = [
                {
                    "id": session.id,
                    **({"date": session.timestamp} if session.timestamp else {}),
                    "turns": [{"id": turn.id, "role": turn.role, "text": turn.text} for turn in session.turns],
                }
                for session in episode.sessions
                if session.id in told
            ]
            yield f"{path}, question {probe.id!r}", line


def _own(path: Path) -> Iterable[Episode]:
    from memtriage.suites.own.format import listed
    from memtriage.suites.own.suite import read_own

    data = read_own(path)
    errors = [problem.message for problem in data.problems if problem.is_error]
    if errors:
        raise BadInput(listed(errors))
    return data.episodes


def _locomo(path: Path) -> list[Episode]:
    from memtriage.suites.own.documents import parse
    from memtriage.suites.own.format import checked, listed
    from memtriage.suites.own.importing import import_file
    from memtriage.suites.own.layout import Findings, lay_out

    values = import_file(path, "locomo").values
    document = parse(Path("locomo.json"), json.dumps(values).encode())
    findings = Findings(document)
    episodes = lay_out(checked(document), "locomo", ("questions", "all"), findings)
    if errors := [problem.message for problem in findings.problems if problem.is_error]:
        raise BadInput(f"{path} can't be read as LoCoMo's data:\n{listed(errors)}")
    return episodes


def _longmemeval(path: Path, values: Iterable[Record]) -> Iterator[Episode]:
    from memtriage.suites.longmemeval.episodes import episode
    from memtriage.suites.longmemeval.released.complaints import Complaints
    from memtriage.suites.longmemeval.released.reading import QuestionReader

    complaints = Complaints(path)
    reader = QuestionReader(complaints)
    questions = (reader.question(number, entry) for number, (_, entry) in enumerate(values, start=1))
    found = [episode(question, "s") for question in questions if question is not None]
    if not found:
        raise BadInput("\n".join(complaints.lines()[:5]) or f"{path} has no questions")
    return iter(found)


def _plain(text: Any) -> str:
    return " ".join(str(text).casefold().split())
