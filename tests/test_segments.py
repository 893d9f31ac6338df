"""Words are set apart where the script doesn't do it, and nothing else changes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtriage.text.segments import segmented


@pytest.mark.parametrize(
    ("text", "apart"),
    [
        ("私は毎朝コーヒーを飲みます。", "私は 毎朝 コーヒーを 飲みます。"),
        ("我喜欢在周末去爬山", "我 喜欢 在 周末 去 爬山"),
        ("She said 私は遅刻魔です again", "She said 私は 遅刻魔です again"),
    ],
)
def test_words_are_set_apart(text: str, apart: str) -> None:
    assert segmented(text) == apart


@pytest.mark.parametrize("text", ["", "Mina rows.", "Zoë rows in Århus.", "한국어 문장", "東京"])
def test_what_has_spaces_or_is_a_single_short_word_stays(text: str) -> None:
    assert segmented(text) == text


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="東京に行きました我喜欢 ab。\n\ud800"))
def test_only_spaces_are_added(text: str) -> None:
    assert segmented(text).replace(" ", "") == text.replace(" ", "")
