"""From a conversation to episodes, as LoCoMo has it; but here it is known which phrases of a turn answer a question."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from memtriage.core.episode import Fact
from memtriage.suites.kit.phrases import as_said, holding
from memtriage.suites.locomo.conversation import Conversation, Question, Said
from memtriage.suites.locomo.episodes import Layout
from memtriage.suites.talk.questions import Asked
from memtriage.text.sentences import sentences

SUITE = "talk"


@dataclass(frozen=True, slots=True)
class TalkLayout(Layout):
    """How made-up conversations become episodes."""

    suite: str = SUITE

    def questions(self, talk: Conversation) -> dict[str, Question]:
        """What is asked; without captions, nothing that only a picture tells."""
        said = turns(talk)
        return {
            talk.question_id(one): one
            for one in talk.questions
            if self.captions or not isinstance(one, Asked) or not missing(one, said, self)
        }

    def facts(self, talk: Conversation, question: Question) -> Iterator[Fact]:
        if not isinstance(question, Asked) or not question.told:  # a file without phrases
            yield from Layout.facts(self, talk, question)
            return
        said = turns(talk)
        for turn, phrases in question.told.items():
            text = self.text(said[turn])
            evidence = tuple(holding(phrases, sentences(text)))
            whole = " ".join(evidence)
            speaker = said[turn].speaker
            yield Fact(
                id=f"q{question.index}/{turn}",
                text=whole if whole.startswith(f"{speaker}: ") else f"{speaker}: {whole}",
                turns=(turn,),
                details=tuple(as_said(phrase, whole) for phrase in phrases),
                evidence=evidence,
                split=len(evidence) > 1,
            )


def turns(talk: Conversation) -> dict[str, Said]:
    """What was said, by id."""
    return {said.id: said for sitting in talk.sittings for said in sitting.said}


def missing(question: Asked, said: dict[str, Said], layout: Layout) -> list[str]:
    """The phrases of a question that don't stand in the turns that it names."""
    return [
        phrase
        for turn, phrases in question.told.items()
        for phrase in phrases
        if turn not in said or phrase.lower() not in layout.text(said[turn]).lower()
    ]
