"""Which earlier sentences mosaic shows to its model: those that new ones are linked to, however much is kept."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import pytest

from memtriage.core.episode import Session, Turn
from memtriage.models.embedders import Vectors
from memtriage.systems.designs.mosaic import earlier
from memtriage.systems.designs.mosaic.extraction import EARLIER
from memtriage.systems.designs.mosaic.system import Mosaic
from memtriage.systems.designs.mosaic.text_index import Places, Scores, SentenceVectors
from memtriage.systems.designs.prompts import Ask


class Reader:
    """A mosaic whose model reads every session by itself and names nothing; `shown` is what it was shown last."""

    def __init__(self) -> None:
        self.system = Mosaic()
        self.system.memory.annotate = self.system._annotated
        self.system._ask = self._reply  # type: ignore[method-assign]
        self.shown: list[str] = []
        self._sessions = 0

    def told(self, *sessions: str) -> Reader:
        for text in sessions:
            self._sessions += 1
            id = f"s{self._sessions}"
            self.system.store_conversation(Session(id, (Turn("user", text, f"{id}/0"),), "2026-03-01T10:00:00"))
        return self

    def _reply(self, ask: Ask) -> dict[str, list[object]]:
        data = ask.messages[-1].content
        block = json.loads(data[data.index("{") : data.rindex("}") + 1])
        self.shown = [each["text"] for each in block["earlier"]]
        return {"statements": []}


def talk(count: int) -> list[str]:
    """Sentences about many things, of words that come again and again."""
    draw = random.Random(count)
    words = ["".join(draw.choices(("ba", "re", "mi", "lo", "ka", "ter", "sun"), k=3)) for _ in range(120)]
    return [f"The {' '.join(draw.sample(words, 3))} was {draw.choice(words)}." for _ in range(count)]


def looked_at(turns: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """The most sentences that are compared for one call while so many turns are stored."""
    counts = []
    compared = SentenceVectors.likenesses

    def counted(self: SentenceVectors, vectors: Vectors, only: Places) -> Scores:
        counts.append(len(only))
        return compared(self, vectors, only)

    with monkeypatch.context() as patch:
        patch.setattr(SentenceVectors, "likenesses", counted)
        Reader().told(*talk(turns))
    return max(counts)


def test_no_more_sentences_are_looked_at_in_a_larger_store(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(earlier, "LATEST", 60)
    monkeypatch.setattr(earlier, "HOLDING", 5)
    most = 60 + earlier.SEEDS * earlier.RAREST * 5
    assert [looked_at(turns, monkeypatch) <= most for turns in (300, 900)] == [True, True]


@pytest.mark.parametrize(
    ("before", "new"),
    [
        (["My gym is Baths Hall, because of my job."], "I have a new job as a baker."),
        (["If my job changes, I will swim at the Lido."], "I have just resigned."),
        (["My locker code is 4711."], "Please delete what I said of that locker."),
        (["I work at Corder Mills.", "Corder Mills runs a shuttle to Hythe."], "I no longer work."),
    ],
    ids=["its reason", "an event", "its words", "through another"],
)
def test_what_a_new_sentence_is_linked_to_is_shown_however_long_ago_it_was_said(
    before: Sequence[str], new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(earlier, "LATEST", 20)
    reader = Reader().told(*before, *talk(300), new)
    assert set(before) <= set(reader.shown)
    assert len(reader.shown) <= EARLIER


def test_what_means_nearly_the_same_is_shown_without_a_word_in_common() -> None:
    reader = Reader().told("We sit in the old mill.", *talk(100), "Our office is in another building.")
    assert "We sit in the old mill." in reader.shown
