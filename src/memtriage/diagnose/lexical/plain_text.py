"""Takes the markup off a memory: profile lines, graph edges, notes and Markdown become lines of plain words."""

from __future__ import annotations

import re
import unicodedata

from memtriage.text.segments import segmented
from memtriage.text.words import well_formed

_CHARACTERS = {ord(c): "'" for c in "’‘ʼ′`´"} | {ord(c): None for c in "\u00ad\u200b\u200c\u200d\u2060\ufeff"}
_SPEAKER = re.compile(r"^\s*(?:user|assistant|system)\s*:\s+", re.IGNORECASE)
_KEYWORDS = re.compile(r"(?:^|[|;.\n])\s*(?:keywords|tags|topics|labels|categories)\s*:[^|;\n]*", re.IGNORECASE)
_LABEL = re.compile(
    r"\b(?:content|context|description|entity(?:_type)?|type|fact|summary|note|memory|name)\s*:\s*(?=\S)", re.IGNORECASE
)
_IDENTIFIER = re.compile(r"\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b|\b[a-z]+(?:_[a-z0-9]+)+\b")
_RELATION = re.compile(r"(?<=\[)[A-Z][A-Z ]{3,}")
_SLASH = re.compile(r"(?<=\w)/(?=\w)")
_MARKUP = re.compile(
    r"(?<!-)-+[ \t]*\[|\][ \t]*-*>|-{1,2}>|=>|→|⟶|[{}()|]|\]|\[|[ \t][-–—]{1,2}[ \t]|[ \t]~[ \t]|#+[ \t]|\*+"
    r"|(?<!\w)_|_(?!\w)|^[ \t]*[-•][ \t]",
    re.MULTILINE,
)


def plain_text(text: str) -> str:
    """A text without markup, speaker, labels and keywords; words of scripts without spaces are set apart.

    >>> plain_text("Mina -[WORKS_AT since 2019]-> Harbor Lab")
    'Mina   works at since 2019   Harbor Lab'
    """
    text = segmented(unicodedata.normalize("NFKC", well_formed(text))).translate(_CHARACTERS)
    text = _SPEAKER.sub("", text)
    # Keywords repeat what the note says, without saying anything about it.
    text = _KEYWORDS.sub(" ", text)
    text = _LABEL.sub("", text)
    text = _IDENTIFIER.sub(lambda found: found[0].replace("_", " ").lower(), text)
    text = _RELATION.sub(lambda found: found[0].lower(), text)
    text = _SLASH.sub(" / ", text)
    return _MARKUP.sub("  ", text).strip()
