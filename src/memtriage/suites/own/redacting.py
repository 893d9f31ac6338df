"""Takes personal data out of chats before they leave the machine, by a few patterns and a list of words.

Patterns find what has a form: addresses, numbers, keys. Names, places and what people tell of themselves have none, so
they stay, unless they are among the words.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any


def _digits(text: str) -> list[int]:
    return [int(char) for char in text if char.isascii() and char.isdigit()]


def is_card(text: str) -> bool:
    """Whether a number has the check digit of a payment card (Luhn).

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = _digits(text)[::-1]
    doubled = sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return 13 <= len(digits) <= 19 and doubled % 10 == 0


def is_iban(text: str) -> bool:
    """Whether an account number has the check digits of an IBAN.

    >>> is_iban("GB82 WEST 1234 5698 7654 32"), is_iban("GB83 WEST 1234 5698 7654 32")
    (True, False)
    """
    plain = re.sub(r"\s", "", text).upper()
    return 15 <= len(plain) <= 34 and int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


_NO_PHONE = re.compile(
    r"\d{4}[-./ ]\d{1,2}[-./ ]\d{1,2} | \d{1,2}[-./ ]\d{1,2}[-./ ]\d{4} | (?:19|20)\d\d\s?-\s?(?:19|20)\d\d | \d+\.\d+",
    re.VERBOSE,
)


def _is_phone(text: str) -> bool:
    """Whether digits may be a phone number: seven to fifteen of them, and no date, years or decimal."""
    return 7 <= len(_digits(text)) <= 15 and not _NO_PHONE.fullmatch(text)


_ANY: Callable[[str], bool] = lambda text: True  # noqa: E731

PATTERNS: tuple[tuple[str, re.Pattern[str], Callable[[str], bool]], ...] = (
    ("email", re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}"), _ANY),
    ("link", re.compile(r"\b(?:https?://|www\.)[^\s<>\"')\]]+", re.IGNORECASE), _ANY),
    ("account", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}\b"), is_iban),
    ("card", re.compile(r"(?<![\d.,])\d(?:[ -]?\d){12,18}(?![\d.,]*\d)"), is_card),
    ("address", re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.]*\d)"), _ANY),
    ("key", re.compile(r"\b(?:sk|pk|ghp|gho|xox[abp]|AKIA|AIza)[-_A-Za-z0-9]{12,}|\b[A-Za-z0-9_-]{40,}\b"), _ANY),
    ("phone", re.compile(r"(?<![\w.,:])\+?\(?\d(?:[ ()/.-]{0,2}\d){6,40}(?![\w]|[.,:]\d)"), _is_phone),
    ("handle", re.compile(r"(?<![\w/])@[A-Za-z_]\w{2,30}\b"), _ANY),
)
"""What is looked for, in this order: its name, its form, and what else must hold."""


@dataclass(slots=True)
class Redactor:
    """Replaces what it finds by its kind and a number; the same value gets the same number everywhere.

    >>> redactor = Redactor(("Nora Lind",))
    >>> redactor.text("Nora Lind, nora@x.org, +47 22 33 44 55; on 2026-03-02 for 1200 kr")
    '[name 1], [email 1], [phone 1]; on 2026-03-02 for 1200 kr'
    """

    words: Sequence[str] = ()
    found: Counter[str] = field(default_factory=Counter)
    _numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """The text without what was found."""
        for kind, pattern, holds in PATTERNS:
            text = pattern.sub(partial(self._checked, kind, holds), text)
        for word in sorted(filter(str.strip, self.words), key=len, reverse=True):
            wanted = re.compile(rf"(?<!\w){re.escape(word.strip())}(?!\w)", re.IGNORECASE)
            text = wanted.sub(partial(self._checked, "name", _ANY), text)
        return text

    def stores(self, stores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Stores that are redacted, questions and all; ids, which may be addresses too, are numbered anew."""
        return [self._store(n, store) for n, store in enumerate(stores, start=1)]

    def _store(self, n: int, store: Mapping[str, Any]) -> dict[str, Any]:
        said: dict[str, list[tuple[str, str]]] = {}
        sessions = []
        for i, session in enumerate(store["sessions"], start=1):
            turns = [(role, text, self.text(text)) for turn in session["turns"] for role, text in turn.items()]
            said[session["id"]] = [(text, redacted) for _, text, redacted in turns]
            dated = {"date": session["date"]} if session.get("date") else {}
            sessions.append({"id": f"s{i}", **dated, "turns": [{role: redacted} for role, _, redacted in turns]})
        counted = self.found.copy()
        facts, questions = store.get("facts", ()), store.get("questions", ())
        session_ids = {id: f"s{i}" for i, id in enumerate(said, start=1)}
        fact_ids = {fact["id"]: f"f{i}" for i, fact in enumerate(facts, start=1)}

        def redacted_fact(fact: Mapping[str, Any]) -> dict[str, Any]:
            evidence = [self._evidence(text, said[fact["session"]]) for text in fact["evidence"]]
            flat = _flat(" ".join(evidence))
            details = [detail for detail in map(self.text, fact["details"]) if _flat(detail) in flat]
            return {
                **({"id": fact_ids[fact["id"]]} if "id" in fact else {}),
                "evidence": evidence,
                **({"details": details} if details else {}),
                "session": session_ids[fact["session"]],
                **({"replaces": [fact_ids[old] for old in fact["replaces"]]} if "replaces" in fact else {}),
            }

        def use(fact: str | Mapping[str, Any]) -> str | dict[str, Any]:
            return fact_ids[fact] if isinstance(fact, str) else redacted_fact(fact)

        redacted = {
            "facts": [redacted_fact(fact) for fact in facts],
            "questions": [
                {
                    **question,
                    "id": f"q{i}",
                    **{key: self.text(question[key]) for key in ("question", "gold") if key in question},
                    **({"facts": [use(fact) for fact in question["facts"]]} if "facts" in question else {}),
                }
                for i, question in enumerate(questions, start=1)
            ],
        }
        self.found = counted  # what facts and questions repeat of the chats is not counted again
        return {"id": f"store-{n}", "sessions": sessions, **{key: rows for key, rows in redacted.items() if rows}}

    def _evidence(self, text: str, turns: Sequence[tuple[str, str]]) -> str:
        """A sentence as it stands in a redacted turn; all of the turn, where what was replaced goes beyond it."""
        redacted = self.text(text)
        if any(redacted in after for _, after in turns):
            return redacted
        return next(after for before, after in turns if text in before)

    def _checked(self, kind: str, holds: Callable[[str], bool], match: re.Match[str]) -> str:
        return self._replaced(kind, match[0]) if holds(match[0]) else match[0]

    def _replaced(self, kind: str, value: str) -> str:
        self.found[kind] += 1
        same = value.casefold() if kind in ("name", "email", "link", "handle", "key") else re.sub(r"\W", "", value)
        taken = sum(other == kind for other, _ in self._numbers)
        return f"[{kind} {self._numbers.setdefault((kind, same), taken + 1)}]"


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
