"""Compares answers with gold answers by words alone: exact match, substring exact match, token F1.

The definitions are those of MemoryAgentBench's own scripts (`official`). Their exact match takes an answer literally,
so that "label: 43" is not 43; `exact_flexible` is more lenient, as the benchmark's README recommends.
"""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_LITERAL = frozenset({"yes", "no", "noanswer"})
"""Answers that are right or wrong as a whole, never in part."""

_MARK = re.compile(r"answer:", re.IGNORECASE)
_NOUN = r"answer|label|class|category|intent|option|choice|prediction|event"
_LEAD_IN = re.compile(
    rf"^\W*(?:(?:so|thus|therefore|hence),?\s+)?(?:the\s+)?(?:(?:final|correct|right|best|next|numerical|predicted)\s+)*"
    rf"(?:{_NOUN})(?:\s+(?:label|number|{_NOUN}))?[\s*_]*(?:is\b|=|:|-)?\s*[:=]?\s*(?=\S)",
    re.IGNORECASE,
)
"""Words that only announce the answer: "The label is", "Final answer:"."""

_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w]|\.\d)")
_LETTERED = re.compile(r"^\W*([A-Za-z])(?:\s*[).:\],;]+|\s*$|\s+(?=because\b|since\b))\s*(.*)$", re.DOTALL)
_DECORATION = "*_`\"'“”‘’ \t"
_DENIED = re.compile(
    r"""(?:\b(?:not|never|nor|neither|cannot|no\ longer|except|excluding|(?:other|rather)\ than|instead\ of
              |anything\ but|rul\w+\ out|reject\w*|unlikely)\b|n['’]t\b)[^.,;:!?\n]*?(?<![\w.])-?\d
      | \d[^.,;:!?\n\d]*?\b(?:is|was|would\ be|seems|looks)\s+(?:\w+ly\s+)?(?:not|wrong|incorrect|unlikely|false)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""A number that is denied in the same part of a sentence, before it or after it."""

_KEYS = ("answer", "label", "choice", "option", "selected_choice", "final_answer")


class F1(NamedTuple):
    """How well the words of two texts agree, in any order."""

    f1: float
    precision: float
    recall: float


def normalized(text: str) -> str:
    """A text in small letters, without ASCII punctuation, without articles, with single spaces.

    >>> normalized("The  Owl, an old-timer!")
    'owl oldtimer'
    """
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact(answer: str, gold: str) -> bool:
    """Whether an answer equals the gold answer, ignoring case, punctuation and articles."""
    return normalized(answer) == normalized(gold)


def contains(answer: str, gold: str) -> bool:
    """Whether an answer contains the gold answer, even inside a word.

    >>> contains("It was Lake Orrin, I think.", "the lake orrin")
    True
    """
    return normalized(gold) in normalized(answer)


def f1(answer: str, gold: str) -> F1:
    """F1 of the words that an answer shares with the gold answer; yes and no are all or nothing.

    >>> f1("a red brick house", "the brick house").precision
    0.6666666666666666
    """
    text, wanted = normalized(answer), normalized(gold)
    literal = text != wanted and (text in _LITERAL or wanted in _LITERAL)
    shared = 0 if literal else (Counter(text.split()) & Counter(wanted.split())).total()
    if not shared:
        return F1(0.0, 0.0, 0.0)
    precision, recall = shared / len(text.split()), shared / len(wanted.split())
    return F1(2 * precision * recall / (precision + recall), precision, recall)


def best(measure: Callable[[str, str], float], answer: str, golds: Sequence[str]) -> float:
    """The best score of an answer over all gold answers; 0 without any."""
    return max((float(measure(answer, gold)) for gold in golds), default=0.0)


def all_inside(answer: str, golds: Sequence[str]) -> bool:
    """EventQA's recall: whether an answer contains every gold text, ignoring case but nothing else."""
    return bool(golds) and all(gold.lower() in answer.lower() for gold in golds)


def parsed(answer: str) -> str:
    """What the official scripts take as the answer: the rest of the line after "Answer:", else the first line.

    >>> parsed("I think so.\\nAnswer: 43\\nBecause."), parsed("43\\nBecause.")
    ('43', '43')
    """
    found = _MARK.search(answer)
    line = answer[found.end() if found else 0 :].partition("\n")[0].strip()
    return line[len("answer:") :].strip() if line.lower().startswith("answer:") else line


def official(answer: str, golds: Sequence[str], *, parse_first: bool = False) -> dict[str, float]:
    """SubEM, EM and F1 of an answer: the best of the whole answer and its `parsed` part, over all gold answers.

    With `parse_first`, as EventQA and the labelling tasks have it, only the `parsed` part counts.

    >>> official("It is a lake.\\nAnswer: Orrin", ["Lake Orrin"])
    {'SubEM': 0.0, 'EM': 0.0, 'F1': 0.6666666666666666}
    """
    readings = (parsed(answer),) if parse_first else (answer, parsed(answer))
    measures = {"SubEM": contains, "EM": exact, "F1": lambda text, gold: f1(text, gold).f1}
    return {name: max(best(measure, text, golds) for text in readings) for name, measure in measures.items()}


def exact_strict(answer: str, gold: str) -> bool:
    """Exact match as in the official scripts: of the whole answer or of its `parsed` part."""
    return exact(answer, gold) or exact(parsed(answer), gold)


def exact_flexible(answer: str, gold: str) -> bool:
    """Whether an answer is the gold answer once everything around it is removed.

    That is a label before it, a JSON object around it, or reasoning before the last line. An option's letter counts as
    the option, and so does the option without its letter. A sentence counts as a number if it has no other number and
    does not deny it.

    >>> exact_flexible("label: 43", "43"), exact_flexible("(b)", "B. The gardener"), exact_flexible("43 or 44", "43")
    (True, True, False)
    """
    if exact_strict(answer, gold):
        return True
    letter, option = _lettered(gold)
    for reading in _readings(answer):
        chosen, text = _lettered(reading)
        if chosen == letter and (letter or exact(reading, gold)):
            return True
        if bool(chosen) != bool(letter) and exact(text, option):  # the same option, only one of them with its letter
            return True
    numbers = {found[0] for found in _NUMBER.finditer(answer)}
    return _NUMBER.fullmatch(gold.strip()) is not None and numbers == {gold.strip()} and not _DENIED.search(answer)


def _lettered(text: str) -> tuple[str, str]:
    """An option's letter and its text; the letter is empty if there is none.

    >>> _lettered("B. The gardener"), _lettered("c"), _lettered("A gardener")
    (('B', 'The gardener'), ('C', ''), ('', 'A gardener'))
    """
    found = _LETTERED.match(text.strip(_DECORATION))
    return (found[1].upper(), found[2].strip(_DECORATION)) if found else ("", text)


def _readings(answer: str) -> Iterator[str]:
    """The parts of a text that may be the answer; only one if it is marked as such, or the last line concludes it."""
    in_json = _in_json(answer)
    if in_json is not None:
        yield _without_lead_in(in_json)
        return
    marks = list(_MARK.finditer(answer))
    if marks:
        yield _without_lead_in(parsed(answer[marks[-1].start() :]))
        return
    lines = [line.strip() for line in answer.splitlines() if line.strip(_DECORATION)]
    for line in lines[-1:] if lines and _concludes(lines[-1]) else dict.fromkeys((*lines[:1], *lines[-1:])):
        yield _without_lead_in(line)


def _concludes(line: str) -> bool:
    """Whether a line is an option with its letter, or announced as the answer."""
    found = _LEAD_IN.match(line.strip(_DECORATION))
    return bool(_lettered(line)[0]) or (found is not None and re.search(r"(?:is|[=:])\W*$", found[0]) is not None)


def _without_lead_in(line: str) -> str:
    bare = line.strip(_DECORATION)
    return _LEAD_IN.sub("", bare, count=1).strip(_DECORATION) or bare


def _in_json(answer: str) -> str | None:
    """The answer that a JSON object in the text gives."""
    start, end = answer.find("{"), answer.rfind("}")
    if not 0 <= start < end:
        return None
    try:
        record = json.loads(answer[start : end + 1], strict=False)
    except (ValueError, RecursionError):
        return None
    values = (record.get(key) for key in _KEYS) if isinstance(record, dict) else ()
    found = next((value for value in values if isinstance(value, str | int)), None)
    return None if found is None else str(found)
