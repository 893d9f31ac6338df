"""Puts spaces between the words of text that is written without them: Chinese and Japanese."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Literal

from memtriage.text.language import spoken

_UNSPACED = re.compile(r"[\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]{3,}")
_KANA = re.compile(r"[\u3040-\u30ff\uff66-\uff9f]")


def segmented(text: str) -> str:
    """The text with a space between words where the script has none.

    >>> segmented("She said 私は遅刻魔です again")
    'She said 私は 遅刻魔です again'
    """
    if text.isascii() or spoken() is not None:  # a language of its own says by itself where words end
        return text
    return _UNSPACED.sub(lambda run: " ".join(_parts(run[0])), text)


def _parts(run: str) -> list[str]:
    found: list[str] = _parser("ja" if _KANA.search(run) else "zh").parse(run)
    return found


@cache
def _parser(language: Literal["ja", "zh"]) -> Any:
    import budoux

    return (
        budoux.load_default_japanese_parser() if language == "ja" else budoux.load_default_simplified_chinese_parser()
    )
