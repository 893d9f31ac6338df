"""Evidence sessions written by a model, which plays both sides; what it wrote is checked twice.

Each statement gets a message of the user's. Rules and texts to be kept word for word are quoted; for the rest the model
gets the fact in the third person and finds its own words. Then every fact must be found in a message (annotation), and
nothing may be missing, changed, invented or contradicted (audit). A session that fails is written again, a few times;
then a generated session takes its place, and is counted and marked.

>>> written = await write_chats(skeleton, 42, client)                                 # doctest: +SKIP
>>> assembled = assemble(written.skeleton, 42, "32k", write=written.evidence_sessions)  # doctest: +SKIP
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.suites.kit.filler.chats import Talk
from memtriage.suites.kit.writing import Attempts, TurnedDown, WritingPrompt, one_line, together
from memtriage.suites.meme.facts import label_of
from memtriage.suites.meme.generate.chats import evidence_sessions
from memtriage.suites.meme.skeleton import Skeleton, Statement, StatementKind
from memtriage.suites.meme.transcript import EvidenceSession, session_of
from memtriage.suites.meme.written import prompts

RETRIES = 3
VERBATIM: tuple[StatementKind, ...] = ("rule", "exact")
"""Statements that are quoted: a word more or less would make it another rule, or another text."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class WrittenChat:
    """One session in a model's words: the talk, and for each statement the place of its turn and the words there."""

    talk: Talk
    turns: tuple[int, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WrittenChats:
    """The evidence sessions of an episode in a model's words, and how many calls they took.

    `skeleton` is the episode with the model's words as the texts of its statements. `chats` are the sessions in order;
    None is one that has to be generated instead. `problems` counts why attempts were rejected.
    """

    skeleton: Skeleton
    chats: tuple[WrittenChat | None, ...]
    calls: int
    attempts: int
    problems: Mapping[str, int] = field(default_factory=dict)

    @property
    def by_rules(self) -> int:
        """How many sessions the model could not write."""
        return sum(chat is None for chat in self.chats)

    @property
    def by_model(self) -> int:
        """How many sessions the model wrote."""
        return len(self.chats) - self.by_rules

    def evidence_sessions(
        self, skeleton: Skeleton, seed: int, ids: Sequence[str], times: Sequence[str]
    ) -> tuple[EvidenceSession, ...]:
        """The sessions with these ids at these times, where the generator's `evidence_sessions` is used otherwise."""
        if skeleton.sessions != self.skeleton.sessions:
            raise BadInput(f"episode {skeleton.id!r} is not the one that was written; pass the written skeleton")
        sessions = list(evidence_sessions(skeleton, seed, ids, times))
        for number, (chat, id, time) in enumerate(zip(self.chats, ids, times, strict=True)):
            if chat is not None:
                turns = {
                    statement: f"{id}/{place}"
                    for statement, place in zip(sessions[number].turns, chat.turns, strict=True)
                }
                sessions[number] = EvidenceSession(session_of(id, chat.talk, time), turns)
        return tuple(sessions)


async def write_chats(skeleton: Skeleton, seed: int, model: ChatModel, *, retries: int = RETRIES) -> WrittenChats:
    """Let a model write the evidence sessions of an episode, all of them at the same time."""
    tries = Attempts(model, seed, retries)
    writer = _EpisodeWriter(skeleton, tries)
    chats = await together(writer.session(number) for number in range(len(skeleton.sessions)))
    sessions = [
        tuple(replace(statement, text=quote) for statement, quote in zip(statements, chat.quotes, strict=True))
        if chat is not None
        else statements
        for statements, chat in zip(skeleton.sessions, chats, strict=True)
    ]
    rewritten = replace(skeleton, sessions=tuple(sessions))
    return WrittenChats(rewritten, tuple(chats), tries.calls, tries.count, dict(tries.problems))


@dataclass(frozen=True, slots=True)
class _EpisodeWriter:
    """Writes the sessions of one episode."""

    skeleton: Skeleton
    tries: Attempts

    async def session(self, number: int) -> WrittenChat | None:
        """One session, or None where no attempt was good."""
        return await self.tries.until_good(partial(self._attempt, number))

    async def _attempt(self, number: int, attempt: int, wrong: Sequence[str]) -> WrittenChat:
        statements = self.skeleton.sessions[number]
        talk, places = await self._chat(statements, attempt, wrong)
        facts = [{"number": n, "fact": third_person(self.skeleton, one)} for n, one in enumerate(statements, 1)]
        quotes = await self._annotated(statements, facts, talk, places, attempt)
        await self._audited(facts, talk, attempt)
        return WrittenChat(talk, places, quotes)

    async def _chat(
        self, statements: Sequence[Statement], attempt: int, wrong: Sequence[str]
    ) -> tuple[Talk, tuple[int, ...]]:
        """The chat, with a message of the user's for each statement, and the places of these."""
        talk: list[tuple[str, str]] = []
        places: list[int] = []
        for statement in statements:
            places.append(len(talk))
            talk.append(("user", await self._user_message(statement, talk, attempt, wrong)))
            talk.append(("assistant", await self._message(prompts.ASSISTANT, self._scene(talk), attempt)))
        return tuple(talk), tuple(places)

    async def _user_message(
        self, statement: Statement, talk: Sequence[tuple[str, str]], attempt: int, wrong: Sequence[str]
    ) -> str:
        if statement.kind in VERBATIM:
            return statement.text
        data = {
            **self._scene(talk),
            "tell": third_person(self.skeleton, statement),
            "exactly": list(exact_words(self.skeleton, statement)),
            **({"problems": list(wrong)} if wrong else {}),
        }
        return await self._message(prompts.USER, data, attempt)

    async def _message(self, prompt: WritingPrompt, data: Mapping[str, Any], attempt: int) -> str:
        message = one_line(str((await self.tries.ask(prompt, data, attempt)).get("message", "")))
        if not message:
            raise TurnedDown("empty", "a message was empty")
        return message

    async def _annotated(
        self,
        statements: Sequence[Statement],
        facts: Sequence[Mapping[str, Any]],
        talk: Talk,
        places: Sequence[int],
        attempt: int,
    ) -> tuple[str, ...]:
        """The words that tell each statement; each must be found in its message."""
        turns = [{"number": n, "message": talk[place][1]} for n, place in enumerate(places, 1)]
        reply = await self.tries.ask(prompts.ANNOTATION, {"facts": list(facts), "turns": turns}, attempt)
        marked: dict[int, tuple[int, str]] = {}
        for entry in reply.get("annotations", ()):
            marked.setdefault(entry["fact"], (entry["turn"], one_line(entry["quote"])))
        wrong: list[str] = []
        quotes: list[str] = []
        for n, (statement, place) in enumerate(zip(statements, places, strict=True), 1):
            quote = statement.text if statement.kind in VERBATIM else marked.get(n, (0, ""))[1]
            quotes.append(quote)
            wrong += _misquoted(self.skeleton, statement, quote, marked.get(n, (0, ""))[0] == n, talk[place][1])
        if wrong:
            raise TurnedDown("annotation", *wrong)
        return tuple(quotes)

    async def _audited(self, facts: Sequence[Mapping[str, Any]], talk: Talk, attempt: int) -> None:
        data = {"facts": list(facts), "chat": _spoken(talk)}
        reply = await self.tries.ask(prompts.AUDIT, data, attempt)
        found = [f"{finding['kind']}: {finding['what']}" for finding in reply.get("findings", ())]
        if found:
            raise TurnedDown("audit", *found)

    def _scene(self, talk: Sequence[tuple[str, str]]) -> dict[str, Any]:
        return {"about": self.skeleton.domain.replace("_", " ").replace("-", " "), "chat": _spoken(talk)}


def third_person(skeleton: Skeleton, statement: Statement) -> str:
    """A statement in the third person.

    >>> pet = Statement("pet", "an iguana", "fact", "I have an iguana.")
    >>> third_person(Skeleton("e", "elsewhere", "pet", ("", ""), (), ((pet,),), ()), pet)
    "The user's pet: an iguana."
    """
    thing = f"The user's {label_of(skeleton.domain, statement.entity)}"
    match statement.kind:
        case "change":
            return f"{thing} has changed: it was {skeleton.change[0]}, and from now on it is {statement.value}."
        case "delete":
            return f"{thing} ({statement.value}) is to be forgotten: the user asks to have it removed from memory."
        case "update":
            return f"{thing} is another one now: {statement.value}."
        case "dependency":
            held = f"{label_of(skeleton.domain, statement.source)} ({_held(skeleton, statement.source)})"
            return f'{thing}: {statement.value}. It hangs on the {held}. One way to say it: "{statement.text}"'
        case "rule" | "exact":
            return f'The user says, word for word: "{statement.text}"'
        case _:
            return f"{thing}: {statement.value}."


def exact_words(skeleton: Skeleton, statement: Statement) -> Iterator[str]:
    """The words that a message may not change: the value, for a change the old one, for a dependency its source's."""
    yield statement.value
    if statement.kind == "change":
        yield skeleton.change[0]
    if statement.kind == "dependency" and (held := _held(skeleton, statement.source)) and held in statement.text:
        yield held


def _held(skeleton: Skeleton, entity: str) -> str:
    """The first value that was told of an entity."""
    found = (s.value for s in skeleton.statements() if s.entity == entity and s.kind not in ("rule", "change"))
    return next(found, "")


def _misquoted(skeleton: Skeleton, statement: Statement, quote: str, in_place: bool, message: str) -> Iterator[str]:
    """What is wrong with how a statement was found in its message."""
    if statement.kind in VERBATIM:
        if statement.text not in message:
            yield f"the message does not hold word for word: {statement.text}"
        return
    fact = third_person(skeleton, statement)
    if not quote or not in_place:
        yield f"no message of its own tells: {fact}"
    elif quote not in message:
        yield f"these words are in no message: {quote}"
    else:
        for words in _missing(skeleton, statement, quote):
            yield f"{words!r} is missing where this is told: {fact}"


def _missing(skeleton: Skeleton, statement: Statement, quote: str) -> list[str]:
    wanted, low = exact_words(skeleton, statement), _SPACE.sub(" ", quote).lower()
    return [words for words in wanted if _SPACE.sub(" ", words).lower().rstrip(".") not in low]


def _spoken(talk: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"role": role, "message": text} for role, text in talk]
