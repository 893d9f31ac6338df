"""Finds the letter that an answer chose, by MemFail's three steps."""

from __future__ import annotations

import json
import re
from typing import Any

KEYS = ("selected_choice", "answer", "choice")

CANT_TELL = "can't tell"
"""What an answer may say instead of a letter, where a run allows it."""

_CANT_TELL = re.compile(r"\bcan(?:['’]?t|\s?not) tell\b", re.IGNORECASE)


def parse_choice(answer: str, letters: str = "ABCDE") -> str | None:
    """The chosen letter, or None if the answer names none.

    In order: the whole answer as a JSON object with one of `KEYS`; the last JSON object in it that has one; the last
    of the letters that stands alone, in upper case. Runs in linear time.

    >>> parse_choice('{"selected_choice": "D"}')
    'D'
    >>> parse_choice('Sure! {"answer": "b"} because A is wrong')
    'B'
    >>> parse_choice("It is not A, so B.")
    'B'
    """
    whole = _as_json(answer)
    chosen = _chosen(whole, letters) if isinstance(whole, dict) else None
    if chosen is not None:
        return chosen
    return _embedded(answer, letters) or _last_lone(answer, letters)


def says_cant_tell(answer: str, letters: str = "ABCDE") -> bool:
    """Whether an answer says that it can't tell, and names no letter.

    >>> says_cant_tell("I can't tell."), says_cant_tell("I can't tell, but B.")
    (True, False)
    """
    return _CANT_TELL.search(answer) is not None and parse_choice(answer, letters) is None


class _OneLine(str):
    """Text that claims to have no line breaks.

    Every error of the JSON decoder counts the lines before it. With an error for each brace of a hostile text that
    would take minutes, and nobody reads the line numbers.
    """

    __slots__ = ()

    def count(self, *_: object) -> int:
        return 0

    def rfind(self, *_: object) -> int:
        return -1


def _as_json(answer: str) -> object:
    try:
        return json.loads(answer, strict=False, parse_int=str)
    except (ValueError, RecursionError):
        return None


def _embedded(text: str, letters: str) -> str | None:
    """The choice of the last JSON object in the text that has one.

    The decoder reports every object it completes, also nested ones, and where it gave up. The search goes on from
    there, which keeps hostile nesting from taking quadratic time.
    """
    text = _OneLine(text)
    found: list[str] = []

    def note(object: dict[str, Any]) -> dict[str, Any]:
        choice = _chosen(object, letters)
        if choice is not None:
            found.append(choice)
        return object

    # Numbers stay text: no choice is a number, and very long ones would raise an error.
    decoder = json.JSONDecoder(object_hook=note, strict=False, parse_int=str)
    position = text.find("{")
    while position != -1:
        try:
            _, end = decoder.raw_decode(text, position)
        except json.JSONDecodeError as stopped:
            end = stopped.pos
        except RecursionError:  # no real answer nests that deep
            break
        position = text.find("{", max(end, position + 1))
    return found[-1] if found else None


def _chosen(object: dict[str, Any], letters: str) -> str | None:
    values = (object.get(key) for key in KEYS)
    return next((choice for value in values if (choice := _letter(value, letters))), None)


def _letter(value: object, letters: str) -> str | None:
    """The letter in a value like "D", "d", "(D)", "D. the lake" or "Option D"; the article "A" does not count."""
    if not isinstance(value, str):
        return None
    text = value.strip().strip("()[]*\"'`.:").strip()
    if len(text) == 1:
        return text.upper() if letters and text.upper() in letters else None
    if len(text) > 1 and text[0] in letters and text[1] in ").:,]":
        return text[0]
    word, _, last = text.rpartition(" ")
    named = word.strip().lower() in ("option", "choice", "answer", "option:", "choice:", "answer:")
    return last if named and len(last) == 1 and last in letters else None


def _last_lone(text: str, letters: str) -> str | None:
    if not letters:
        return None
    lone = re.findall(rf"(?<!\w)[{re.escape(letters)}](?!\w)", text)
    return lone[-1] if lone else None
