"""Looks up what needs looking up, and judges what comes of it: the design of Self-RAG."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Answered, Memory, Question, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.chat_memory import one_of
from memtriage.systems.designs.rag.passages import PassageMemory
from memtriage.systems.designs.rag.prompts import (
    SUPPORT,
    self_critique,
    self_draft,
    self_need,
    self_relevance,
    self_rewrite,
)
from memtriage.systems.designs.replies import line, numbers
from memtriage.systems.retrieval.units import number, whole
from memtriage.text.words import well_formed

RETRIEVES = ("adaptive", "always")
GOOD = 4
"""A draft that is fully supported and at least so useful, of 5, ends the search."""


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer, and what the model thinks of it. `bearing` are the passages that bear it out."""

    answer: str
    support: str = "none"
    usefulness: int = 1
    bearing: tuple[Memory, ...] = ()
    missing: str = ""
    passages: tuple[Memory, ...] = ()

    @property
    def score(self) -> float:
        """How good it is, by the original's weights: 1 for support, a half for usefulness.

        >>> Draft("In Graz.", "fully", 5).score, Draft("Who knows.", "none", 1).score
        (1.5, -0.5)
        """
        return {"fully": 1.0, "partially": 0.5, "none": 0.0}[self.support] + (self.usefulness - 3) / 4

    @property
    def good(self) -> bool:
        return self.support == "fully" and self.usefulness >= GOOD


@dataclass(slots=True)
class Inquiry:
    """One question, and what was found out about it so far."""

    asked: Mapping[str, str]
    form: str
    most: int
    tried: list[str] = field(default_factory=list)
    seen: set[Memory] = field(default_factory=set)
    relevant: list[Memory] = field(default_factory=list)
    best: Draft | None = None

    def take(self, draft: Draft) -> None:
        """Keep the better draft; among equals the newer one, which was made from more passages."""
        if self.best is None or draft.score >= self.best.score:
            self.best = draft

    @property
    def brought(self) -> list[Memory]:
        """The relevant passages: those that bear the best draft out first, each group as it was found."""
        bearing = self.best.bearing if self.best is not None else ()
        return sorted(self.relevant, key=lambda passage: passage not in bearing)[: self.most]


class SelfRAG(PassageMemory):
    """Keeps passages word for word; a model decides whether to search, and judges passages and its own drafts.

    Summarise: nothing; storing asks no model.
    Store: passages (`granularity`) with their index.
    Retrieve: the model says whether the question needs a search (`retrieve=always` skips that). Then, for at most
    `rounds` rounds: the best k passages are searched for; it names those that are relevant; it drafts an answer from
    all relevant ones so far; it says how far they bear the draft out, and how useful that is. A draft that is fully
    borne out and useful ends it, else the model says what to search for next. The relevant passages come back, those
    that bear the best draft out first: k at most, maybe none. A question takes at most 4 calls a round.

    It answers questions itself with its best draft (`--answer system`). With `summarise=rules` a passage is relevant
    whose score is at least the share `least` of the best one's; that is plain retrieval with a threshold. With
    `summarise=verbatim` nothing is judged: plain retrieval.
    """

    name = "self-rag"
    asks = ("self_need", "self_relevance", "self_draft", "self_critique", "self_rewrite")
    without_model = (
        "Without a model, self-rag:summarise=rules is plain retrieval with a threshold, and "
        "self-rag:summarise=verbatim is plain retrieval"
    )
    traits = Traits(
        family="agentic",
        architecture=(
            "summarise: verbatim; store: passages with an index; "
            "retrieve: a model decides to search, keeps relevant passages, judges its draft and searches again "
            "(or a threshold by rule)"
        ),
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        granularity: str | int = "turn",
        search: str = "dense",
        retrieve: str = "adaptive",
        rounds: int = 2,
        least: float = 0.5,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, granularity, search, repeat, prompts)
        self.retrieve = one_of("retrieve", retrieve, RETRIEVES)
        self.rounds, self.least = whole("rounds", rounds), number("least", least, 0, 1)
        self.traits = replace(self.traits, ranks_all=self.summarise == "verbatim")

    def reset(self) -> None:
        self._passages.reset()

    @property
    def answer(self) -> Callable[[Question], Answered]:
        """Answers a question with its best draft. Only one that has a model can."""
        if self._writer is None:
            raise AttributeError(f"{self.name} has no model to answer with")
        return self._answer

    def store_conversation(self, conversation: Session) -> None:
        self._passages.store_conversation(conversation)

    def settle(self) -> None:
        """Index all passages."""
        self._passages.settle()

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[Memory]:
        most = whole("k", k)
        if self.summarise == "model":
            return self._inquired(Inquiry(_asked(query, conversation), "", most)).brought
        found = self._found(query, most)
        if self.summarise == "verbatim" or not found:
            return found
        enough = self.least * (found[0].score or 0.0)
        return [passage for passage in found if (passage.score or 0.0) >= enough]

    def _answer(self, question: Question) -> Answered:
        asked = _asked(question.text, question.session)
        inquiry = self._inquired(Inquiry(asked, question.how, question.k))
        best = inquiry.best or self._draft(inquiry, inquiry.brought)
        return Answered(best.answer, best.passages) if best is not None else Answered("", tuple(inquiry.brought))

    # The inquiry

    def _inquired(self, inquiry: Inquiry) -> Inquiry:
        if not len(self._passages.units):
            return inquiry
        if self.retrieve == "adaptive" and not self._needed(inquiry):
            return inquiry
        search = inquiry.asked["query"]
        for left in reversed(range(self.rounds)):
            inquiry.tried.append(search)
            draft = self._round(inquiry, search)
            if draft is not None:
                inquiry.take(draft)
            if not left or (draft is not None and draft.good):
                break
            search = self._next_search(inquiry, draft)
            if not search:
                break
        if not inquiry.relevant:
            self._tell("questions for which no passage was found relevant")
        return inquiry

    def _needed(self, inquiry: Inquiry) -> bool:
        reply = self._asked(self_need(inquiry.asked)) or {}
        needed = reply.get("retrieve") != "no"
        if not needed:
            self._tell("questions that were not searched for")
        return needed

    def _round(self, inquiry: Inquiry, search: str) -> Draft | None:
        """Search, keep what is relevant, draft and judge; None if there is nothing new to draft from."""
        found = [replace(passage, score=None) for passage in self._found(search, inquiry.most)]
        new = [passage for passage in found if passage not in inquiry.seen]
        inquiry.seen.update(new)
        relevant = self._relevant(inquiry, search, new) if new else []
        if not relevant:
            return None
        passages = [*inquiry.brought[: inquiry.most - len(relevant)], *relevant]
        inquiry.relevant += relevant
        draft = self._draft(inquiry, passages)
        return self._judged(inquiry, draft) if draft is not None else None

    def _relevant(self, inquiry: Inquiry, search: str, passages: Sequence[Memory]) -> list[Memory]:
        reply = self._asked(self_relevance(inquiry.asked, search, inquiry.brought, passages))
        if reply is None:
            return list(passages)
        return [passages[n - 1] for n in sorted(numbers(reply, "relevant", len(passages)))]

    def _draft(self, inquiry: Inquiry, passages: Sequence[Memory]) -> Draft | None:
        reply = self._asked(self_draft(inquiry.asked, inquiry.form, passages)) or {}
        said = reply.get("answer")
        answer = well_formed(said).strip() if isinstance(said, str) else ""  # with its lines: it may be a list
        return Draft(answer, passages=tuple(passages)) if answer else None

    def _judged(self, inquiry: Inquiry, draft: Draft) -> Draft:
        reply = self._asked(self_critique(inquiry.asked, draft.passages, draft.answer)) or {}
        support, usefulness = reply.get("support"), reply.get("usefulness")
        bearing = tuple(draft.passages[n - 1] for n in numbers(reply, "passages", len(draft.passages)))
        return replace(
            draft,
            support=support if support in SUPPORT else "none",
            usefulness=min(max(usefulness, 1), 5) if type(usefulness) is int else 1,
            bearing=bearing,
            missing=line(reply, "missing"),
        )

    def _next_search(self, inquiry: Inquiry, draft: Draft | None) -> str:
        """What to search for next; empty if nothing else comes to mind."""
        answer, missing = (draft.answer, draft.missing) if draft is not None else ("", "")
        reply = self._asked(self_rewrite(inquiry.asked, inquiry.tried, answer, missing)) or {}
        search = line(reply, "search")
        return "" if search.lower() in (tried.lower() for tried in inquiry.tried) else search

    def _found(self, search: str, most: int) -> list[Memory]:
        with self._lock:
            return self._passages.units.best(self._passages.scores(search), most)

    # Disk

    def _state(self) -> dict[str, Any]:
        return {}

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Nothing: all it keeps is passages."""


def _asked(query: str, conversation: Session) -> dict[str, str]:
    return {"query": query, "asked_at": conversation.timestamp or ""}
