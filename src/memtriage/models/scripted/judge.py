"""A judge and a test-taker that decide by content alone, so that what they say is a function of the data.

Prompts carry their data as one JSON object between the lines `<<<DATA` and `DATA>>>`. Nothing else in a prompt
is looked at: whatever a memory says, it is compared word by word and never obeyed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memtriage.metrics.letters import CANT_TELL
from memtriage.models.scripted.data_block import data_block, plain_block
from memtriage.models.scripted.judge_changes import NO_INFORMATION, changed, named
from memtriage.models.scripted.judge_memories import ruled_memories
from memtriage.models.scripted.replies import Reply, Request, Script, as_reply
from memtriage.models.scripted.schema_values import FieldNames, NoField, fit_values
from memtriage.text.sentences import sentences
from memtriage.text.tokens import chunks, count_tokens
from memtriage.text.words import tokens, words

_CHOICE = re.compile(r'"(?:selected_choice|answer|choice)"\s*:\s*"\W*(?:[Oo]ption )?([A-Ja-j])(?:[).:,\]]|\W*")')
_TITLES = frozenset("captain dr doctor mr mrs ms miss sir lady lord old aunt uncle professor sister brother".split())

_ALIASES = {
    **dict.fromkeys("stored present faithful preserved retrieved found correct abstained abstains".split(), "verdict"),
    **dict.fromkeys("pass passed holds".split(), "verdict"),
    **dict.fromkeys("witnesses witness_ids memory_ids memories ids".split(), "witness"),
    **dict.fromkeys("why explanation reasoning rationale".split(), "reason"),
    **dict.fromkeys("verdicts items facts answers".split(), "results"),
    **dict.fromkeys("fact fact_id index number".split(), "id"),
}
_AROUND = 40
"""Tokens for the names and the rest of a reply, of which half are on either side."""
_REQUIRED = frozenset({"verdict", "results", "found", "supported", "fluent", "scores", "order"})
_READER_ALIASES = {
    **dict.fromkeys("choice letter selected option".split(), "selected_choice"),
    **dict.fromkeys("used_memories memories_used memory_ids memories used_ids ids".split(), "used"),
    **dict.fromkeys("response text final_answer".split(), "answer"),
    **dict.fromkeys("why explanation reasoning rationale".split(), "reason"),
}


@dataclass(frozen=True, slots=True)
class Decision:
    """What a judge finds, the memories it rests on, and why."""

    verdict: bool
    witness: tuple[str, ...]
    reason: str
    found: tuple[str, ...] | None = None
    supported: tuple[str, ...] | None = None
    scores: Mapping[str, float] | None = None
    others: int | None = None


class ContentJudge:
    """Decides the stages of a diagnosis by the words of facts, memories and answers.

    `otherwise` answers prompts that carry no stage; without it they get an error.
    """

    def __init__(self, otherwise: Script | None = None) -> None:
        self._otherwise = otherwise

    def __call__(self, request: Request) -> Reply | Mapping[str, Any]:
        data = data_block(request)
        if data is None or "stage" not in data:
            return as_reply(self._otherwise(request)) if self._otherwise else _no_data("stage")
        if data["stage"] == "memories":
            return ruled_memories(data)
        try:
            return fit_values(request.schema, _judged(data), FieldNames(_ALIASES, _REQUIRED))
        except (_Unclear, NoField) as problem:
            return Reply(str(problem), status=400)


class ContentReader:
    """Answers a question from the memories it is given, by their words; to plain talk it only says that it heard."""

    def __call__(self, request: Request) -> Reply | Mapping[str, Any]:
        data = data_block(request) or plain_block(request)
        if data is None and request.schema is None:
            return Reply("I'll keep that in mind.")
        if data is None or "question" not in data:
            return _no_data("question")
        try:
            return _read(data, request)
        except (_Unclear, NoField) as problem:
            return Reply(str(problem), status=400)


def content(request: Request) -> Reply | Mapping[str, Any]:
    """Judges prompts that name a stage, and answers the others: both roles behind one address."""
    return ContentJudge(otherwise=ContentReader())(request)


class _Unclear(ValueError):
    """Data that the judge can't decide on; the client gets the message as an error."""


def _no_data(key: str) -> Reply:
    return Reply(f"no message holds a JSON object with {key!r} between the lines <<<DATA and DATA>>>", status=400)


# ------------------------------------------------------------------ judging


def _judged(data: Mapping[str, Any]) -> dict[str, Any]:
    batch = next((data[key] for key in ("entries", "items", "facts", "batch") if isinstance(data.get(key), list)), None)
    if batch is None:
        return _as_json(decide(data))
    parts = [part if isinstance(part, Mapping) else {"text": str(part)} for part in batch]
    return {"results": [{"id": p.get("id", n), **_as_json(decide(_part(data, p)))} for n, p in enumerate(parts)]}


def _part(data: Mapping[str, Any], part: Mapping[str, Any]) -> dict[str, Any]:
    """One part of a batch, with what the batch has in common; a part that is itself a fact stands as one."""
    return {**data, **part} if "fact" in part or "text" not in part else {**data, **part, "fact": part}


def _as_json(decision: Decision) -> dict[str, Any]:
    if decision.scores is not None:
        scores = [{"id": id, "score": score} for id, score in decision.scores.items()]
        order = {} if decision.others is None else {"order": list(decision.found or ()), "others": decision.others}
        return {"scores": scores, **order, "reason": decision.reason}
    if decision.supported is not None:
        lists = {"found": list(decision.found or ()), "supported": list(decision.supported)}
        return {**lists, "fluent": decision.verdict, "reason": decision.reason}
    if decision.found is not None:
        return {"found": list(decision.found), "reason": decision.reason}
    return {"verdict": decision.verdict, "witness": list(decision.witness), "reason": decision.reason}


def decide(data: Mapping[str, Any]) -> Decision:
    """The decision on one fact or answer.

    >>> memory = {"id": "m1", "text": "Ada swims in the lake."}
    >>> fact = {"text": "Ada swims in the lake before 7 am.", "details": ["before 7 am"], "subject": "Ada"}
    >>> decide({"stage": "storage", "fact": fact, "memories": [memory]}).verdict
    True
    >>> decide({"stage": "summary", "fact": fact, "memories": [memory]}).verdict
    False
    """
    match str(data["stage"]).lower():
        case "storage" | "stored":
            return _stored(_fact(data), _memories(data))
        case "summary" | "retrieval" | "faithful" | "retrieved":
            return _faithful(_fact(data), _memories(data))
        case "reasoning" | "answer" | "invocation" | "coverage" | "direct" | "update" | "preference":
            return _answered(data)
        case "timing":
            return _answered(data, slack=1)
        case "abstention" | "abstain" | "untold":
            return _abstained(str(data.get("answer", "")))
        case "parts" | "history":
            return _values_named(data)
        case "points":
            return _points_made(data)
        case "nuggets" | "ordering" as stage:
            return _nuggets_met(data, ordered=stage == "ordering")
        case "before" | "verbatim" | "deletion" | "absence" | "cascade" as stage:
            verdict, reason = changed(stage, data)
            return Decision(verdict, (), reason)
    raise _Unclear(f"unknown stage {data['stage']!r}: storage, summary, retrieval, reasoning or abstention")


@dataclass(frozen=True, slots=True)
class _Memory:
    id: str
    text: str


@dataclass(frozen=True, slots=True)
class _Fact:
    text: str
    details: tuple[str, ...]
    subject: str
    said: str = ""


def _stored(fact: _Fact, memories: Sequence[_Memory]) -> Decision:
    held = [memory.id for memory in memories if _is_about(fact, memory)]
    missing = "no memory shares its subject and half of its words or all of its details"
    why = "these memories speak of it" if held else missing
    return Decision(bool(held), tuple(held), why)


def _faithful(fact: _Fact, memories: Sequence[_Memory]) -> Decision:
    """Whether the memories about a fact hold every word of its details: together, if they name its subject; else one.

    Other memories never count, so that it makes no difference how many of them are sent along.
    """
    about = [memory for memory in memories if _is_about(fact, memory)]
    if not about:
        return Decision(False, (), "no memory speaks of it")
    marks = [_words_and_polarity(memory.text) for memory in about]
    lost = min((_missing_details(fact, there) for there in ([set().union(*marks)] if fact.subject else marks)), key=len)
    ids = tuple(memory.id for memory in about)
    return Decision(not lost, ids, f"without {lost[0]!r}" if lost else "every detail is there")


def _missing_details(fact: _Fact, present: set[str]) -> list[str]:
    return [detail for detail in fact.details or (fact.text,) if not _words_and_polarity(detail) <= present]


def _is_about(fact: _Fact, memory: _Memory) -> bool:
    present = set(words(memory.text).stems)
    names = set(words(fact.subject).stems)
    if names and not (names - _TITLES or names) & present:
        return False
    for wording in (fact.text, fact.said):
        content = set(words(wording).stems) - names
        if content and 2 * len(content & present) >= len(content):
            return True
    # A shared detail alone tells nothing: others like podcasts too. All of them, about the same one, do.
    wanted = {stem for detail in fact.details for stem in words(detail).stems} - names
    return bool(names and wanted and wanted <= present)


def _words_and_polarity(text: str) -> set[str]:
    """Content words, and that something is denied or exclusive, whichever word says so."""
    found = words(text)
    exclusives = {"only", "unless", "except", "solely", "exclusively"}
    return {*found.stems, *("<only>" if word in exclusives else "<not>" for word in found.polarity)}


def _answered(data: Mapping[str, Any], slack: int = 0) -> Decision:
    """Whether an answer has the key words of the gold answer and its numbers, or numbers as near as `slack`."""
    answer = str(data.get("answer", ""))
    letter = _right_letter(data)
    if letter:
        chosen = _chosen_letter(answer)
        return Decision(chosen == letter, (), f"chose {chosen}, right is {letter}")
    gold = next((data[key] for key in ("gold", "expected") if isinstance(data.get(key), str) and data[key]), None)
    present = set(words(answer).stems)
    if gold is None:
        lost = [d for d in _fact(data).details or (_fact(data).text,) if not set(words(d).stems) <= present]
        return Decision(not lost, (), f"doesn't say {lost[0]!r}" if lost else "says every detail")
    if _yes_no(gold) and _yes_no(gold) != _yes_no(answer):
        return Decision(False, (), f"doesn't say {_yes_no(gold)}")
    wanted = set(words(gold).stems)
    key = wanted - set(words(str(data.get("question", ""))).stems) or wanted
    numbers = {stem for stem in key if stem[0].isdigit()}
    met = {stem for stem in numbers if _near(stem, present, slack)}
    shared = len((key & present) | met)
    enough = numbers == met and 2 * shared >= len(key)
    return Decision(enough, (), f"has {shared} of {len(key)} key words")


def _near(number: str, present: set[str], slack: int) -> bool:
    return number in present or (number.isdecimal() and any(str(int(number) + by) in present for by in (slack, -slack)))


def _values_named(data: Mapping[str, Any]) -> Decision:
    """The values that an answer names, in the order in which it names them first."""
    listed = data.get("values")
    if not isinstance(listed, list) or not all(isinstance(value, Mapping) for value in listed):
        raise _Unclear("'values' must be a list of objects with an id and a text")
    found = named({str(value["id"]): str(value["text"]) for value in listed}, str(data.get("answer", "")))
    return Decision(len(found) == len(listed), (), f"names {len(found)} of {len(listed)}", found)


def _points_made(data: Mapping[str, Any]) -> Decision:
    """The points whose words a summary has, and its sentences whose words the points have; fluent if none recurs."""
    points, sentences = data.get("values"), data.get("sentences")
    if not isinstance(points, list) or not isinstance(sentences, list):
        raise _Unclear("'values' and 'sentences' must be lists of objects with an id and a text")
    stems_of = [set(words(str(sentence["text"])).stems) for sentence in sentences]
    every = set().union(*stems_of)
    wanted = {str(point["id"]): set(words(str(point["text"])).stems) for point in points}
    found = tuple(id for id, stems in wanted.items() if stems and 4 * len(stems & every) >= 3 * len(stems))
    known = set().union(*wanted.values(), words(str(data.get("gold") or "")).stems)
    supported = tuple(
        str(sentence["id"])
        for sentence, stems in zip(sentences, stems_of, strict=True)
        if 2 * len(stems & known) >= len(stems)
    )
    texts = [str(sentence["text"]) for sentence in sentences]
    fluent = bool(texts) and len(set(texts)) == len(texts)
    return Decision(fluent, (), f"makes {len(found)} of {len(wanted)} points", found, supported)


def _nuggets_met(data: Mapping[str, Any], ordered: bool) -> Decision:
    """A nugget is met by an answer with three quarters of its words and all of its figures, and half met by half."""
    listed = data.get("nuggets")
    if not isinstance(listed, list) or not all(isinstance(nugget, Mapping) for nugget in listed):
        raise _Unclear("'nuggets' must be a list of objects with an id and a text")
    answer = str(data.get("answer", ""))
    wanted = {str(nugget["id"]): set(words(str(nugget["text"])).stems) for nugget in listed}
    scores = {id: _share_met(stems, set(words(answer).stems)) for id, stems in wanted.items()}
    why = f"meets {sum(scores.values()):g} of {len(scores)} nuggets"
    if not ordered:
        return Decision(all(scores.values()), (), why, scores=scores)
    lines = [set(words(line).stems) for line in answer.splitlines() if words(line).stems]
    if len(lines) < 2:
        lines = [set(words(sentence).stems) for sentence in sentences(answer)]
    places: dict[str, int] = {}
    for id, stems in wanted.items():
        shares = [len(stems & line) for line in lines]
        if scores[id] and shares:
            places[id] = shares.index(max(shares))
    others = sum(not any(_share_met(stems, line) for stems in wanted.values()) for line in lines)
    return Decision(all(scores.values()), (), why, tuple(sorted(places, key=places.__getitem__)), None, scores, others)


def _share_met(stems: set[str], present: set[str]) -> float:
    figures = {stem for stem in stems if stem[0].isdigit()}
    shared = len(stems & present)
    if not stems or not figures <= present or 2 * shared < len(stems):
        return 0.0
    return 1.0 if 4 * shared >= 3 * len(stems) else 0.5


def _right_letter(data: Mapping[str, Any]) -> str | None:
    for key in ("correct_choice", "gold", "expected"):
        value = str(data.get(key) or "").strip().strip("().").upper()
        if re.fullmatch("[A-J]", value):
            return value
    return None


def _chosen_letter(answer: str) -> str | None:
    """The letter in the last field that names a choice, or else the last capital that stands alone.

    The judge reads letters by rules of its own, so that a mistake in the grader's rules shows.
    """
    found = _CHOICE.findall(answer) or re.findall(r"\b[A-J]\b", answer)
    return found[-1].upper() if found else None


def _yes_no(text: str) -> str | None:
    """The yes or no with which a text opens."""
    first = tokens(text)[:1]
    return first[0] if first and first[0] in ("yes", "no") else None


def _abstained(answer: str) -> Decision:
    phrase = NO_INFORMATION.search(" ".join(tokens(answer)))
    if not answer.strip():
        return Decision(False, (), "there is no answer")
    return Decision(bool(phrase), (), f"says {phrase[0]!r}" if phrase else "answers as if it knew")


# ------------------------------------------------------------------ reading


def _read(data: Mapping[str, Any], request: Request) -> Reply | dict[str, Any]:
    memories, choices = _memories(data), _choices(data.get("choices"))
    if choices:
        chosen = _choose(choices, memories)
        if _may_decline(request) and not chosen["used"]:
            chosen |= {"selected_choice": CANT_TELL, "answer": CANT_TELL, "reason": "no memory shares its words"}
        return fit_values(request.schema, chosen, FieldNames(_READER_ALIASES, frozenset({"selected_choice"})))
    answer = _nearest_memory(str(data["question"]), memories, request.most_tokens)
    if request.schema is None and not request.json_object:
        return Reply(str(answer["answer"]))
    return fit_values(request.schema, answer, FieldNames(_READER_ALIASES, frozenset({"answer"})))


def _may_decline(request: Request) -> bool:
    chosen = ((request.schema or {}).get("properties") or {}).get("selected_choice") or {}
    return CANT_TELL in chosen.get("enum", ())


def _choose(choices: Mapping[str, str], memories: Sequence[_Memory]) -> dict[str, Any]:
    """The option whose words stand in the memories; of equals, the one they repeat more often, then the first."""
    stems = {letter: set(words(option).stems) for letter, option in choices.items()}
    kept = {memory.id: words(memory.text).stems for memory in memories}
    everywhere = {stem for held in kept.values() for stem in held}

    def weight(letter: str) -> tuple[float, int]:
        wanted = stems[letter]
        share = len(wanted & everywhere) / len(wanted) if wanted else 0.0
        return share, sum(stem in wanted for held in kept.values() for stem in held)

    chosen = max(choices, key=weight)
    used = [id for id, held in kept.items() if stems[chosen] & set(held)]
    return {"selected_choice": chosen, "used": used, "answer": choices[chosen], "reason": "its words are remembered"}


def _nearest_memory(question: str, memories: Sequence[_Memory], limit: Any) -> dict[str, Any]:
    asked = set(words(question).stems)

    def shared(text: str) -> int:
        return len(asked & set(words(text).stems))

    best = max(memories, key=lambda memory: shared(memory.text), default=None)
    if best is None or not shared(best.text):
        return {"answer": "I have no information about that.", "used": [], "reason": "no memory shares its words"}
    said, room = best.text, max(1, limit // 2 - _AROUND) if isinstance(limit, int) else None
    if room is not None and count_tokens(said) > room:  # said twice, in the notes and in the answer
        said = chunks(max(sentences(said), key=shared), room)[0]
    notes = [f"{best.id}: {said}"]
    return {"notes": notes, "answer": said, "used": [best.id], "reason": "the memory nearest to the question"}


# ------------------------------------------------------------------ what the data holds


def _memories(data: Mapping[str, Any]) -> list[_Memory]:
    return list(_each_memory(data.get("memories") or []))


def _each_memory(listed: object) -> Iterator[_Memory]:
    if not isinstance(listed, list):
        raise _Unclear("'memories' must be a list")
    for n, memory in enumerate(listed):
        if isinstance(memory, Mapping):
            yield _Memory(str(memory.get("id", n)), str(memory.get("text", "")))
        else:
            yield _Memory(str(n), str(memory))


def _fact(data: Mapping[str, Any]) -> _Fact:
    fact = data.get("fact")
    if isinstance(fact, str):
        fact = {"text": fact}
    if not isinstance(fact, Mapping) or not fact.get("text"):
        raise _Unclear("'fact' must be an object with a text")
    details, said = (tuple(map(str, fact.get(name) or ())) for name in ("details", "said"))
    return _Fact(str(fact["text"]), details, str(fact.get("subject") or ""), " ".join(said))


def _choices(choices: object) -> dict[str, str]:
    """Options by letter, from a mapping or from a list in order."""
    if isinstance(choices, Mapping):
        return {str(letter).strip("(). ").upper(): str(option) for letter, option in choices.items()}
    if not isinstance(choices, list):
        return {}
    return {"ABCDEFGHIJ"[n]: re.sub(r"^\(?[A-J][).:]\s*", "", _option(option)) for n, option in enumerate(choices[:10])}


def _option(option: object) -> str:
    return str(option.get("text", "")) if isinstance(option, Mapping) else str(option)
