"""A book as a file and as a text: read with care, and searched for the people it is about.

>>> characters("At noon Anna Holt rose. Then Anna said no, and they left Anna, and Anna laughed.", "a page")
['Anna']
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.host.inputs import read_input
from memtriage.suites.kit.words import lists
from memtriage.suites.memoryagentbench.context import PACKAGE
from memtriage.text.sentences import spans

MOST = 10
"""As many characters as the paper takes."""

_FEWEST = 3
"""A name that is used less often is nobody's who matters."""

_WRAPPED = 45
"""Lines of a paragraph that are at least this long were broken by a machine."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


@dataclass(slots=True)
class _Use:
    """How a capitalised word is used in a book."""

    count: int = 0
    acts: int = 0
    places: int = 0
    titled: int = 0
    beside: Counter[str] = field(default_factory=Counter)

    @property
    def somebody(self) -> bool:
        """Whether it does things as people do, rather than being gone to."""
        return self.count >= _FEWEST and (self.titled > 0 or self.acts > 0) and self.places <= 0.5 * self.count


def read_book(path: Path) -> str:
    """The text of a .txt file, with lines that were broken by a machine joined again."""
    raw = read_input(path)
    encoding = "utf-16" if raw.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise BadInput(
            f"{path}: not {encoding.removesuffix('-sig').upper()} text: byte {error.start} (line {line}) is "
            f"0x{raw[error.start]:02x}; save the file as UTF-8"
        ) from None
    if "\x00" in text:
        raise BadInput(f"{path}: not a text file (it holds NUL bytes)")
    if not text.strip():
        raise BadInput(f"{path}: empty")
    return "\n\n".join(_joined(block) for block in re.split(r"\n[ \t]*\n\s*", text.replace("\r\n", "\n").strip()))


def characters(text: str, where: str = "the book", most: int = MOST) -> list[str]:
    """The people a text speaks of most, by the names it uses most for them."""
    uses = _uses(text)
    small = Counter(word for word in re.findall(r"\b[^\W\d_]+\b", text) if word.islower())
    names = {word: use for word, use in uses.items() if use.somebody and small[word.lower()] * 4 <= use.count}
    ranked = sorted(names, key=lambda word: (-names[word].count, word))
    chosen: list[str] = []
    for word in ranked:
        # The rarer half of a full name (Holt, of Anna Holt) is the same person.
        if not any(2 * names[word].beside[other] >= names[word].count for other in chosen):
            chosen.append(word)
    if not chosen:
        raise BadInput(
            f"{where}: no named characters: no capitalised name that does or says something is used {_FEWEST} times; "
            "take a book about people who have names"
        )
    return chosen[:most]


def _joined(block: str) -> str:
    lines = [line.strip() for line in block.split("\n")]
    broken = len(lines) > 1 and all(len(line) >= _WRAPPED for line in lines[:-1])
    return " ".join(lines) if broken else "\n".join(lines)


def _uses(text: str) -> dict[str, _Use]:
    """Every capitalised word that also stands inside a sentence, with how it is used there and elsewhere."""
    telling = {key: frozenset(words) for key, words in lists(PACKAGE, "books/names").items()}
    titles, speaking, doing = telling["titles"], telling["speaking"], telling["doing"]
    no_names = telling["not_names"] | titles
    inside: dict[str, _Use] = {}
    first: Counter[str] = Counter()
    acting: Counter[str] = Counter()
    for start, end in spans(text):
        run: list[str] = []
        for word, before, after, opening in _words(text[start:end], titles):
            bare = word.removesuffix("'s").removesuffix("’s")
            if not bare[0].isupper() or bare.isupper() or bare.lower() in no_names:
                run = []
                continue
            acts = before in speaking or after in speaking or after in doing or after.endswith("ed")
            if opening:
                first[bare] += 1
                acting[bare] += acts
                run = [bare]
                continue
            use = inside.setdefault(bare, _Use())
            use.count += 1
            use.acts += acts
            use.places += before in telling["before_places"]
            use.titled += before in titles
            for other in run:
                use.beside[other] += 1
                inside.setdefault(other, _Use()).beside[bare] += 1
            run = [*run, bare]
    for word, use in inside.items():
        use.count += first[word]
        use.acts += acting[word]
    return inside


def _words(sentence: str, titles: frozenset[str]) -> Iterator[tuple[str, str, str, bool]]:
    """Each word with those before and after it, small, and whether it opens the sentence or something said in it."""
    found = list(_WORD.finditer(sentence))
    for place, match in enumerate(found):
        before = found[place - 1][0].lower() if place else ""
        after = found[place + 1][0].lower() if place + 1 < len(found) else ""
        lead = sentence[found[place - 1].end() if place else 0 : match.start()]
        opens = any(mark in lead for mark in '“"‘:;.!?—') and before not in titles
        yield match[0], before, after, opens or not place
