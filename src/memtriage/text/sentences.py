"""Splits text into sentences, with care for abbreviations, initials, decimals, times and quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from memtriage.text.language import Language, spoken

_BREAK = re.compile(
    r"""
    (?P<stop> (?<![.!?…]) [.!?…]++ (?:\[\d{1,4}\])*+ ["'”’“»)\]}*_]*+ (?=\s) )
  | (?P<wide> [。！？｡]++ [」』”’）)\]]*+ )
  | (?P<line> [\n\r\v\f\x1c-\x1e\x85\u2028\u2029] \s*+ )
    """,
    re.VERBOSE,
)
_NEWLINES = re.compile(r"\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_NEXT_WORD = re.compile(r"\s*+[\"'“‘«(\[{*_]*+(\S{0,40})")
_LINK = re.compile(r"[/–—]")
_ROLE = re.compile(r"(?:user|assistant|system): ")
"""How a turn begins in a conversation that is stored as one text."""

_TITLES = frozenset("mr mrs ms mx dr prof st jr sr messrs mme mlle".split())
_RANKS = frozenset("mt rev fr gen col maj capt cpt cmdr lt sgt gov sen rep hon pres supt".split())
_NEVER_LAST = frozenset("e.g eg i.e ie cf viz vs approx ca esp incl resp aka a.k.a".split())
_BEFORE_A_NUMBER = frozenset(
    "no nos nr fig figs eq eqs sec secs ch chap vol vols p pp pt art par tab app ver ext".split()
)
_BEFORE_A_DATE = frozenset(
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun".split()
)
_MAY_BE_LAST = frozenset(
    """etc al inc ltd co corp bros llc esq ave blvd rd sq hwy apt dept univ assn est min mins max hr hrs wk wks
    mo mos yr yrs lb lbs oz kg km cm mm ml tbsp tsp tel temp avg misc orig ed eds ft""".split()
)
_TIMES = frozenset("a.m p.m".split())
_AFTER_A_TIME = frozenset(
    """monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december est edt cst cdt mst mdt pst pdt gmt utc cet cest bst eastern central mountain
    pacific""".split()
)
_OPENERS = frozenset(
    """a an the this that these those i i'm i've i'd i'll he he's he'd he'll she she's she'd she'll it it's its we we're
    we've we'd they they're they've you you're your my his her our their there there's here what when where why who how
    which and but or so yet then if in on at after before since because although though while as for from with without
    by to not no yes once only also even still now later today yesterday tomorrow tonight afterwards meanwhile however
    every each all both some any many most one two three nobody nothing everyone everything is are was were do does did
    has have had can could will would should may might must let maybe perhaps please thanks sometimes usually often
    never always until unless whenever another other""".split()
)


class _Rules(NamedTuple):
    """What is known of a language's full stops."""

    titles: frozenset[str]
    ranks: frozenset[str]
    never_last: frozenset[str]
    before_a_number: frozenset[str]
    before_a_date: frozenset[str]
    may_be_last: frozenset[str]
    times: frozenset[str]
    after_a_time: frozenset[str]
    openers: frozenset[str]
    after_an_ordinal: frozenset[str] | None = None
    """If numbers with a full stop are ordinals, the words that always go on after one."""


_ENGLISH = _Rules(
    _TITLES,
    _RANKS,
    _NEVER_LAST,
    _BEFORE_A_NUMBER,
    _BEFORE_A_DATE,
    _MAY_BE_LAST,
    _TIMES,
    _AFTER_A_TIME,
    _OPENERS,
)


@cache
def _rules(language: Language | None) -> _Rules:
    if language is None:
        return _ENGLISH
    kinds = "titles ranks never_last before_a_number before_a_date may_be_last times after_a_time openers"
    found = {kind: language.abbreviations(kind) for kind in kinds.split()}
    return _Rules(**found, after_an_ordinal=language.date_words if language.dotted_ordinals else None)


def sentences(text: str) -> list[str]:
    """The sentences of a text, in order; every character that isn't space is in exactly one of them.

    >>> sentences("Dr. Ito left at 5 p.m. on Friday. It was 3.5 degrees!")
    ['Dr. Ito left at 5 p.m. on Friday.', 'It was 3.5 degrees!']
    """
    return list(_cut(text, spoken()))


def spans(text: str) -> Iterator[tuple[int, int]]:
    """Where each sentence of a text begins and ends.

    >>> list(spans("One. Two."))
    [(0, 4), (5, 9)]
    """
    return _spans(text, _rules(spoken()))


def _spans(text: str, rules: _Rules) -> Iterator[tuple[int, int]]:
    start = _skip_space(text, 0)
    for found in _BREAK.finditer(text, start):
        if found.end() > start and _is_break(text, _spoken_from(text, start, found.start()), found, rules):
            yield start, start + len(text[start : found.end()].rstrip())
            start = _skip_space(text, found.end())
    if start < len(text):
        yield start, start + len(text[start:].rstrip())


@lru_cache(maxsize=1 << 12)  # the same text is often both a turn and a memory
def _cut(text: str, language: Language | None) -> tuple[str, ...]:
    return tuple(text[start:end] for start, end in _spans(text, _rules(language)) if end > start)


def _spoken_from(text: str, start: int, before: int) -> int:
    """Where a sentence begins, after the role of the speaker if there is one."""
    label = _ROLE.match(text, start)
    return label.end() if label and label.end() <= before else start


def _is_break(text: str, start: int, found: re.Match[str], rules: _Rules) -> bool:
    if found["wide"]:
        # The sentence may go on after a quotation: 「…。」と
        return found["wide"][-1] not in "」』" or text[found.end() : found.end() + 1] in ("", " ", "\n", "「", "『")
    if found["line"]:
        return _line_ends(text, start, found)
    mark = found["stop"]
    quoted = mark[-1] not in ".!?…"
    following = _next_word(text, found.end())
    if mark[0] == "." and mark[1:2] not in (".", "!", "?", "…"):
        return _full_stop_ends(text, start, found.start(), following, quoted, rules)
    if "!" in mark or "?" in mark:
        return not (quoted and _is_lower(following))
    return not _is_lower(following)  # else an ellipsis in mid-sentence


def _line_ends(text: str, start: int, found: re.Match[str]) -> bool:
    """Whether a line break ends a sentence, rather than wrapping it."""
    if len(_NEWLINES.findall(found["line"])) > 1 or not text[found.end() : found.end() + 1].islower():
        return True
    if _ROLE.match(text, found.end()):
        return True
    before = text[max(start, found.start() - 200) : found.start()].rstrip().rstrip("\"'”’»)]}")
    return before.endswith((".", "!", "?", "…", ":", ";")) or text[start].islower()


def _full_stop_ends(text: str, start: int, stop: int, following: str, quoted: bool, rules: _Rules) -> bool:
    """Whether a full stop ends a sentence, rather than an abbreviation, an initial or a list's number."""
    written = _last_word(text, start, stop)
    word = written.lower()
    numbered = following[:1].isdigit()
    if word in rules.never_last or (word in rules.before_a_number and (numbered or following[:1] == "#")):
        return False
    if word.isdigit() and stop - start < 12 and not text[start:stop].strip("0123456789([*_ "):
        return False  # the number of a list item
    if rules.after_an_ordinal is not None and word.isdigit() and len(word) <= 2:
        return _bare(following) not in rules.after_an_ordinal and (not following or _bare(following) in rules.openers)
    if word in rules.times:
        return following[:1].isupper() and _bare(following) not in rules.after_a_time
    if word in rules.titles or (word in rules.ranks and written[0].isupper()) or _is_initials(written):
        return following[:1].isupper() and _bare(following) in rules.openers
    shortened = word in rules.may_be_last or word in rules.before_a_date
    if _is_lower(following):
        # A text that starts sentences in lower case does so after a full stop too.
        return text[start].islower() and not quoted and not shortened
    return not (shortened and numbered)


def _last_word(text: str, start: int, stop: int) -> str:
    before = text[max(start, stop - 40) : stop]
    if not before or before[-1].isspace():
        return ""
    return _LINK.split(before.rsplit(None, 1)[-1])[-1].lstrip("([{\"'“‘«*_")


def _next_word(text: str, position: int) -> str:
    found = _NEXT_WORD.match(text, position)
    return found[1] if found else ""


def _bare(word: str) -> str:
    return word.rstrip(".,;:!?\"'”’)").lower().replace("’", "'")


def _is_lower(word: str) -> bool:
    """Whether a word is all lower case: `then`, but not `iPhone`."""
    return word[:1].islower() and word.islower()


def _is_initials(word: str) -> bool:
    """Whether a word is initials: J., U.S., Ph.D.; but not the h of km/h."""
    parts = word.split(".")
    if len(parts) == 1 and not word.isupper():
        return False
    return all(part.isalpha() and len(part) <= (1 if len(parts) == 1 else 2) for part in parts)


def _skip_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position
