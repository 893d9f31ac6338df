"""Options of suites: refuse unknown ones, read numbers, choose the files to download."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar

from memtriage.core.errors import BadInput, unknown

Name = TypeVar("Name", bound=str)

_MOST = 10**8


def refuse_unknown(options: Mapping[str, str], known: Collection[str], of: str) -> None:
    """Refuse an unknown option and name the nearest known one; `of` says whose options these are."""
    for option in options:
        if option not in known:
            raise BadInput(unknown(f"option of {of}", option, known))


def no_options(suite: str, options: Mapping[str, str] | None) -> None:
    """Refuse options where a suite's data files have none."""
    for option in options or ():
        raise BadInput(f"option {option!r} does not apply to {suite}'s data files")


def count_of(options: Mapping[str, str], name: str, least: int = 1) -> int | None:
    """A number of at least one, or so many, also written 2,000, 115k or 10m; None where the option is not given.

    >>> count_of({"sessions": "50"}, "sessions"), count_of({"tokens": "115k"}, "tokens"), count_of({}, "pool")
    (50, 115000, None)
    >>> count_of({"tokens": "10M"}, "tokens")
    10000000
    """
    text = options.get(name, "").strip().lower().replace(",", "").replace("_", "")
    if not text:
        return None
    factor = {"k": 1000, "m": 1_000_000}.get(text[-1], 1)
    digits = text if factor == 1 else text[:-1]
    if not (digits.isascii() and digits.isdigit()) or not least <= int(digits) * factor <= _MOST:
        raise BadInput(f"{name} must be a whole number of at least {least:,}, such as 115k, not {options[name]!r}")
    return int(digits) * factor


def switch_of(options: Mapping[str, str], name: str, default: bool = False) -> bool:
    """Whether an option is yes or no, or the default where it is not given.

    >>> switch_of({"replies": "Yes"}, "replies"), switch_of({}, "replies", True)
    (True, True)
    """
    text = options.get(name, "").strip().lower()
    if text not in ("", "yes", "no"):
        raise BadInput(f"{name} is yes or no, not {options[name]!r}")
    return text == "yes" if text else default


def one_of(options: Mapping[str, str], name: str, known: Sequence[Name]) -> Name:
    """The value of an option that takes one of a few; the first of them where it is not given.

    >>> one_of({"answers": "Free"}, "answers", ("choice", "free")), one_of({}, "answers", ("choice", "free"))
    ('free', 'choice')
    """
    text = options.get(name, "").strip().lower()
    for value in known:
        if value.lower() == (text or known[0].lower()):
            return value
    raise BadInput(unknown(name, options[name], known))


def splits_of(
    options: Mapping[str, str] | None, known: Sequence[Name], default: tuple[Name, ...], suite: str
) -> tuple[Name, ...]:
    """The released files that options ask for: `split=a`, `split=a,b` or `split=all`, in the order of the known ones.

    >>> splits_of({"split": "m, s"}, ("s", "m", "l"), ("s",), "mine"), splits_of({}, ("s", "m"), ("s",), "mine")
    (('s', 'm'), ('s',))
    """
    given = options or {}
    refuse_unknown(given, ("split",), f"pulling {suite}")
    names = [name.strip().lower() for name in given.get("split", "").split(",") if name.strip()]
    if names == ["all"]:
        return tuple(known)
    for name in names:
        if name not in {each.lower() for each in known}:
            raise BadInput(unknown("split", name, (*known, "all")))
    return tuple(each for each in known if each.lower() in names) or default
