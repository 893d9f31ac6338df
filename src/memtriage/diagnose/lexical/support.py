"""Says by words whether what was said supports a memory: yes, no, or words alone can't tell.

A memory is invented if it has a name, number or date that was never said and can't be worked out, if it tells what was
said of one person of another, or if nothing like it was said. Whatever else differs may be another way to say it, and
stays uncertain.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from memtriage.diagnose.lexical.alignment import align, weight
from memtriage.diagnose.lexical.comparison import compare
from memtriage.diagnose.lexical.lexicon import in_a_group, kin
from memtriage.diagnose.lexical.plain_text import plain_text
from memtriage.diagnose.lexical.said import Line, Said
from memtriage.diagnose.lexical.statement import Kind, Statement, Unit, statement
from memtriage.diagnose.lexical.times import MONTHS
from memtriage.text.sentences import sentences
from memtriage.text.tokens import encoded
from memtriage.text.words import stem, words

State = Literal["supported", "invented", "uncertain"]

_EXACT = frozenset(("name", "number", "date", "time"))
_STAMP = re.compile(r"^[\s*•-]*(?:\[[^\]]{1,40}\]|\(?\d{4}[-/]\d\d[-/]\d\d[^\s,;]*\)?:?)\s+(?:user|assistant)?:?\s*")
_FIELD = re.compile(
    r"^[\s*•-]*(?:topics?|persons?|people|(?:related )?entities|locations?|keywords|tags|category)\s*:\s+", re.I
)
"""A label of the system's below a memory; what stands behind it is read."""
_SAME = 0.97
"""With this share of its weight in one place, a rewritten memory was said there."""
_LIKE = 0.8
"""With this share of the rest, a memory repeats a line, and what differs was swapped."""
_PARTLY = 0.4
_LEAST_TOLD = 3
_UNLIKE = 0.2
"""With no more than this share of a sentence, nothing like it was said."""
_TELLING = 1.2
_UNSAID, _MOST = 4, 0.75
_ENOUGH_SAID = 20
"""Of fewer sentences, other words for the same would be missing as well."""
_UNSAID_WHY = "nothing like it was said"
_ALL = 0.95
_TURNS = """
negation_lost negation_added exclusive_lost condition_lost hedge_lost plan_lost plan_added past_added quantity_lost
compare_lost link_conflict neighbours_turned number_moved rivals turned_names player_other player_after_other modal_lost
""".split()
"""What makes something else of the same words (`comparison.py`)."""
_SWAPS: Mapping[Kind, str] = {"number": "another number", "date": "another date", "name": "another name"}
_SMALL_NUMBER = 12
_ENDINGS = ("ing", "ed", "ness", "tion", "sion", "ment", "ism", "ist", "ity", "ous", "ive", "able", "ful")


@dataclass(frozen=True, slots=True)
class Support:
    """Whether a memory is supported, why, the words that nothing supports, and the nearest line that was said."""

    state: State
    why: str = ""
    words: tuple[str, ...] = ()
    nearest: Line | None = None
    copied: bool = False
    """Whether it is a copy of what was said."""


def support(text: str, said: Said, created: str = "") -> Support:
    """Hold a memory against what was said; `created` is its own date, which is no part of what it tells."""
    if said.has(text):
        return Support("supported", copied=True)
    found = [_sentence(sentence, said, created) for sentence in _sentences(text) if not _was_said(sentence, said)]
    if found and all(one.why == _UNSAID_WHY for one in found):
        unsaid = tuple(dict.fromkeys(word for one in found for word in one.words))
        if len(unsaid) >= _UNSAID and len(said.lines) >= _ENOUGH_SAID:
            return Support("invented", _UNSAID_WHY, unsaid, found[0].nearest)
    for state in ("invented", "uncertain"):
        first = next((one for one in found if one.state == state), None)
        if first is not None:
            unsupported = tuple(dict.fromkeys(word for one in found if one.state == state for word in one.words))
            return Support(first.state, first.why, unsupported, first.nearest)
    return Support("supported")


def _sentences(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n")):
        own = _STAMP.sub("", line)
        yield from sentences(plain_text(_FIELD.sub("", own) if number else own))


def _was_said(sentence: str, said: Said) -> bool:
    return said.has(sentence) or said.has_words(sentence)


def _sentence(sentence: str, said: Said, created: str) -> Support:
    read = _with_names(statement(sentence), said)
    if not any(unit.kind != "self" for unit in read.units):
        return Support("supported")
    windows: list[_Window] = []
    for place in said.nearest(words(sentence)):
        window = _Window.of(place, read, said)
        if window.supports(read):
            return Support("supported", nearest=window.line)
        windows.append(window)
    best = max(windows, key=lambda window: window.share, default=None)
    nearest = best.line if best else None
    lines = [line for window in windows for line in window.lines]
    held = frozenset(n for window in windows for n in window.kept)
    nowhere = [
        unit.surface
        for n, unit in enumerate(read.units)
        if unit.kind in _EXACT and n not in held and not _is_known(unit, n, read, said, lines, created)
    ]
    if nowhere:
        return Support("invented", "never said", tuple(nowhere), nearest)
    if best is None or best.share <= _UNLIKE:
        return Support("uncertain", _UNSAID_WHY, _unsaid(read, said), nearest)
    swapped = _swapped(read, best, windows, said)
    if swapped:
        return Support("invented", *swapped, nearest)
    return Support("uncertain", "", tuple(unit.surface for unit in best.left(read)), nearest)


def _with_names(read: Statement, said: Said) -> Statement:
    """A statement in which every word that was said as a name is one, also at the start and in lower case."""
    units = (replace(u, kind="name") if u.kind == "word" and u.surface.lower() in said.names else u for u in read.units)
    return replace(read, units=tuple(units))


@dataclass(frozen=True, slots=True)
class _Window:
    """A line that is like a memory, with the lines beside it, and which units of the memory they have."""

    line: Line
    lines: tuple[Line, ...]
    kept: frozenset[int]
    """The units that any of the lines has; a name may stand anywhere in the session."""
    share: float
    """How much of the memory that is."""

    @classmethod
    def of(cls, place: int, read: Statement, said: Said) -> _Window:
        line = said.lines[place]
        lines = tuple(said.lines[other] for other in said.around(place))
        named = (n for n, u in enumerate(read.units) if u.kind == "name" and said.in_session(line.session, u.surface))
        kept = frozenset(named).union(*(align(one.statement, read).pairs.values() for one in lines))
        kept |= _repeated(kept, read.units)
        return cls(line, lines, kept, _share(kept, read.units))

    def supports(self, read: Statement) -> bool:
        """Whether it tells nearly all of the memory, whatever matters, and denies something only if the memory does."""
        if self.share < _SAME or any(map(_tells, self.left(read))):
            return False
        if bool(read.count("negation")) != bool(self.line.statement.count("negation")):
            return False
        features = compare(self.line.statement, read).features
        return not any(features[name] for name in _TURNS)

    def left(self, read: Statement) -> list[Unit]:
        """The units of the memory that it lacks."""
        return [unit for n, unit in enumerate(read.units) if n not in self.kept and unit.kind != "self"]

    def lacks(self, read: Statement, kind: Kind) -> list[Unit]:
        """The units of one kind that the line has and the memory has not."""
        kept = align(self.line.statement, read).pairs
        return [u for i, u in enumerate(self.line.statement.units) if i not in kept and u.kind == kind]


def _repeated(kept: Collection[int], units: Sequence[Unit]) -> frozenset[int]:
    """The words and names that stand elsewhere in the memory too, where they are kept: said once is enough."""
    forms = {units[n].form for n in kept if units[n].kind in ("word", "name")}
    return frozenset(n for n, unit in enumerate(units) if unit.kind in ("word", "name") and unit.form in forms)


def _tells(unit: Unit) -> bool:
    """Whether a unit can't be left out of account: a rare word, a name, a date, or a number that is more than `one`."""
    return weight(unit) >= _TELLING or _is_figure(unit)


def _is_figure(unit: Unit) -> bool:
    return unit.kind == "number" and (unit.form != "1" or unit.surface.isdigit())


def _share(kept: Collection[int], units: Sequence[Unit]) -> float:
    """How much of some units these places hold."""
    total = sum(map(weight, units))
    return sum(weight(unit) for n, unit in enumerate(units) if n in kept) / total if total else 0.0


def _unsaid(read: Statement, said: Said) -> tuple[str, ...]:
    """The telling words of a sentence that were said in no form and nowhere, if most of them were not."""
    telling = [unit for unit in read.units if unit.kind == "word" and weight(unit) >= _TELLING]
    unsaid = [unit.surface for unit in telling if not said.knows(unit.surface) and not said.knows_like(unit.surface)]
    return tuple(unsaid) if len(unsaid) >= _MOST * len(telling) else ()


def _swapped(
    read: Statement, best: _Window, windows: Sequence[_Window], said: Said
) -> tuple[str, tuple[str, ...]] | None:
    """What a memory tells otherwise than the line that it repeats: a number, a date, a name or the person."""
    for kind, why in _SWAPS.items():
        other = [n for n, u in enumerate(read.units) if u.kind == kind and n not in best.kept]
        other = [n for n in other if (kind == "date" or _is_figure(read.units[n]) or _is_name(read.units[n], read))]
        units = [u if n not in other else replace(u, kind="self") for n, u in enumerate(read.units)]
        told = [u for n, u in enumerate(units) if u.kind != "self" and n in best.kept]
        if not other or len(told) < _LEAST_TOLD or _share(best.kept, units) < _LIKE:
            continue
        if any(
            _share(window.kept, units) >= _PARTLY and any(n in window.kept for n in other)
            for window in windows
            if window is not best
        ):
            continue  # something else that was said may support it
        words = tuple(read.units[n].surface for n in other)
        if kind == "name":
            swapped = _swapped_name(read, best, words, said)
            if swapped and not any(_begins_alike(word, best.line) for word in words):
                return swapped, words
            continue
        if not best.lacks(read, kind) or (kind == "date" and best.line.relative):
            continue
        values = [float(read.units[n].form) for n in other] if kind == "number" else []
        if any(_in_other_units(value, best.line) for value in values):
            continue
        if _share(best.kept, units) < _ALL and any(_worked_out(value, best.line) for value in values):
            continue
        return why, words
    return None


def _begins_alike(name: str, line: Line) -> bool:
    """Whether a line has a word that begins like a name, as Scottish and Scotland do."""
    return len(name) >= 4 and any(stem[:4] == name[:4].lower() for stem in line.words.stems)


def _swapped_name(read: Statement, best: _Window, names: Sequence[str], said: Said) -> str:
    """Whether a name stands in the place of another: `wrong person` where it is what the memory is about."""
    lower = {name.lower() for name in names}
    first = next((unit for unit in read.units if unit.kind in ("name", "self")), None)
    instead = [unit for unit in best.lacks(read, "name") if is_proper(unit.surface)]
    if first is None or first.surface.lower() not in lower:
        return "another name" if instead else ""
    speaks_of_itself = any(unit.kind == "self" for line in best.lines for unit in line.statement.units)
    if speaks_of_itself:
        return ""  # who speaks may have that name
    return "wrong person" if instead or said.names_in(best.line.session) - lower else ""


def _is_known(unit: Unit, place: int, read: Statement, said: Said, lines: Sequence[Line], created: str) -> bool:
    """Whether a name, number or date was said anywhere, or may have been worked out from what was."""
    match unit.kind:
        case "name":
            return not _is_name(unit, read) or _knows_name(unit.surface, said)
        case "number":
            return _knows_number(unit, place, read, said, lines, created)
        case "date":
            return _knows_date(unit, said, lines, created)
        case _:
            return True


@cache
def is_proper(word: str) -> bool:
    """Whether a word with a capital is a name rather than a word: the tokenizer has met it more often with one."""
    lower = word.lower()
    if in_a_group(lower) or lower.endswith(_ENDINGS) or stem(lower) in kin():
        return False
    named, common = encoded(f" {word}"), encoded(f" {lower}")
    if len(named) == len(common) == 1:
        return named[0] < common[0]
    return len(named) <= len(common)


def _is_name(unit: Unit, read: Statement) -> bool:
    """Whether a unit is the name of something: capitals of headings and of labels are none."""
    letters = unit.surface.replace("'", "")
    if len(letters) < 3 or (len(letters) <= 5 and sum(map(str.isupper, letters)) > 1):
        return False  # an abbreviation, which may stand for anything
    here = [u for u in read.units if u.sentence == unit.sentence and u.kind in ("word", "name")]
    heading = len(here) > 1 and all(u.surface[:1].isupper() for u in here) and not all(map(_proper, here))
    return not heading and _proper(unit)


def _proper(unit: Unit) -> bool:
    return unit.kind == "name" and is_proper(unit.surface)


def _knows_name(surface: str, said: Said) -> bool:
    if said.knows(surface) or said.knows_like(surface):
        return True
    lower = surface.lower().replace("'", "")
    known = said.words_said
    return any(
        abs(len(token) - len(lower)) <= 2
        and token[0] == lower[0]
        and (token.startswith(lower) or (lower.startswith(token) and len(token) >= 3) or _one_letter_off(token, lower))
        for token in known
        if token[:1].isalpha()
    )


def _one_letter_off(one: str, other: str) -> bool:
    if len(one) < 5 or abs(len(one) - len(other)) > 1:
        return False
    short, long = sorted((one, other), key=len)
    at = next((n for n, letter in enumerate(short) if letter != long[n]), len(short))
    return short[at + (len(short) == len(long)) :] == long[at + 1 :]


def _knows_number(unit: Unit, place: int, read: Statement, said: Said, lines: Sequence[Line], created: str) -> bool:
    try:
        value = float(unit.form)
    except ValueError:
        return True
    if value in said.numbers or value <= _SMALL_NUMBER:
        return True
    if unit.form in created or any(unit.form in other.dates for line in lines for other in line.statement.units):
        return True
    if value in _SHARES and any(_SHARE.search(line.text) for line in lines):
        return True
    near = [other.kind for n, other in enumerate(read.units) if 0 < abs(n - place) <= 2]
    if "date" in near and (value <= 31 or not said.days):
        return True  # the end of June is June 30; and a day that nobody else knows may be that of storing
    if 1900 <= value <= 2100 and value == int(value):
        years = {int(day[:4]) for day in said.days}
        if years and value > max(years):
            return True  # a clock of its own
        return any(line.relative for line in lines[:3]) and (not years or min(years) - value <= 3)
    return any(_worked_out(value, line) or _in_other_units(value, line) for line in lines)


_UNITS = (7, 12, 24, 30, 52, 60, 365, 1000, 3600, 1_000_000, 1_000_000_000)
_ONE_UNIT = re.compile(
    r"\b(?:an?|one|per|each|every|the) (?:hour|minute|day|week|fortnight|month|year|dozen)\b", re.IGNORECASE
)
_SHARES = frozenset((20.0, 25.0, 33.0, 50.0, 100.0))
_SHARE = re.compile(r"\b(?:half|halve|quarter|third|fifth|all|every|entire|whole|complete|only|sole)", re.IGNORECASE)
_FACTORS = (2, 7, 12, 24, 30, 52, 60, 100, 365, 1000, 1.609, 2.54, 2.205, 0.3048, 3.28, 0.4536)


def _in_other_units(value: float, line: Line) -> bool:
    """Whether a number may be one of a line's in other units: an hour and 60 minutes, 2 million and 2,000,000."""
    near = [n for u in line.statement.units if u.kind == "number" and (n := _float(u.form))][:8]
    near += [1.0] if _ONE_UNIT.search(line.text) else []
    sizes = [n * f for n in near for f in _UNITS] + [n / f for n in near for f in _UNITS]
    return any(math.isclose(value, one, rel_tol=0.001) for one in sizes)


def _worked_out(value: float, line: Line) -> bool:
    """Whether a number follows from those of a line: a sum, a difference, a product, or in another unit."""
    near = [n for u in line.statement.units if u.kind == "number" and (n := _float(u.form))][:8]
    worked = [n * f for n in near for f in _FACTORS] + [n / f for n in near for f in _FACTORS]
    worked += [r for one in near for other in near for r in (one + other, one - other, one * other, one / other)]
    return any(math.isclose(value, one, rel_tol=0.02) for one in worked)


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _knows_date(unit: Unit, said: Said, lines: Sequence[Line], created: str) -> bool:
    """Whether a month or weekday was said, is that of a session, or may have been worked out."""
    if said.knows(unit.form) or said.knows(unit.form[:3]):
        return True
    if unit.form in MONTHS and any(
        int(day[5:7]) == MONTHS.index(unit.form) + 1 for day in (*said.days, created) if len(day) >= 7
    ):
        return True
    if any(unit.form in other.dates for line in lines for other in line.statement.units):
        return True
    if unit.dates or unit.form not in MONTHS or any(line.relative for line in lines):
        return True
    return not said.days and unit.surface[:1].isdigit()  # a time stamp, whose days nobody knows
