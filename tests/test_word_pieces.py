"""wordllama's tokens, looked up word by word, are those of its own tokenizer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.models import word_pieces
from memtriage.models.embedders import _wordllama
from memtriage.models.word_pieces import BLANK, WordPieces

PARTS = [" ", "  ", "\n", "\t", BLANK, "tea", "Honey,", "naïve", "日本語", "😀", "<s>", "</s>", "<unk>", "<", "x" * 80]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PARTS), max_size=8).map("".join), max_size=6))
def test_tokens_are_those_of_the_whole_text(texts: list[str]) -> None:
    known, _ = _wordllama()
    tokenizer = known._tokenizer
    whole = [each.ids for each in tokenizer.encode_batch(texts, add_special_tokens=False)]
    for pieces in (known, WordPieces(tokenizer)):
        assert [ids.tolist() for ids in pieces.ids(texts)] == whole


def test_what_is_remembered_of_words_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = _wordllama()[0]._tokenizer
    monkeypatch.setattr(word_pieces, "_MOST_WORDS", 5)
    pieces = WordPieces(tokenizer)
    for number in range(9):
        text = f"word{number} another{number} tea"
        assert [ids.tolist() for ids in pieces.ids([text])] == [tokenizer.encode(text, add_special_tokens=False).ids]
        assert len(pieces._numbers) <= 8
