"""Rows in other languages than English: grammars that are data alone.

A suite keeps them in `words/CODE/`. Sentences are written out with gaps, so that inflection and word order are the
language's own: {er} is filled with what the gap is for the person spoken of, {Er} with the same and a capital.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from memtriage.core.errors import BadInput
from memtriage.suites.kit.words import FOLDER, items, records
from memtriage.text.language import ENGLISH, codes, spoken

OPTION = "language"
MEANING = "the language of generated rows, or of the files: {} (default en)"

_GAP = re.compile(r"\{(\w+)\}")


@cache
def languages(package: str) -> tuple[str, ...]:
    """The languages in which a suite has rows, English first."""
    folder = files(package).joinpath(FOLDER)
    return (ENGLISH, *(code for code in codes() if code != ENGLISH and folder.joinpath(code).is_dir()))


def option(package: str) -> dict[str, str]:
    """The option that says in which language a suite speaks."""
    return {OPTION: MEANING.format(" or ".join(languages(package)))}


def language_of(options: Mapping[str, str], package: str) -> str:
    """The language that options ask for; English by default.

    >>> language_of({"language": "de"}, "memtriage.suites.memfail"), language_of({}, "memtriage.suites.memfail")
    ('de', 'en')
    """
    code = options.get(OPTION, ENGLISH).strip().lower()
    if code not in languages(package):
        suite = package.rpartition(".")[2]
        raise BadInput(f"{suite} has no rows in the language {code!r}; it has them in {', '.join(languages(package))}")
    return code


def spoken_in(package: str) -> str:
    """The folder of words in the language that is spoken, with a slash; nothing for English or what a package lacks."""
    language = spoken()
    return "" if language is None or language.code not in languages(package) else f"{language.code}/"


def filled(template: str, gaps: Mapping[str, str]) -> str:
    """A template with its gaps filled.

    >>> filled("{Er} mag {sein} Rad.", {"er": "sie", "sein": "ihr"})
    'Sie mag ihr Rad.'
    """

    def fill(found: re.Match[str]) -> str:
        name = found[1]
        return gaps[name] if name in gaps else capital(gaps[name[0].lower() + name[1:]])

    return _GAP.sub(fill, template)


def capital(text: str) -> str:
    """The text with a capital first letter, even behind an opening bracket."""
    start = 1 if text.startswith("[") else 0
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


@cache
def grammar(package: str, code: str, name: str) -> Mapping[str, Any]:
    """What a file of a language holds; it is shared, so don't change it."""
    return records(package, f"{code}/{name}")


@cache
def lines(package: str, code: str, name: str, key: str) -> tuple[str, ...]:
    """A list in a file of a language."""
    return items(grammar(package, code, name)[key])
