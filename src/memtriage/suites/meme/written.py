"""Evidence sessions written by a model: it chats with itself, and what it wrote is checked twice.

Each statement gets a message of the user's. Rules and texts to be kept word for word stand in it as they are; for the
rest the model is told the fact from outside and finds words of its own. Then every fact must be found in a message
(annotation) and nothing may be missing, changed, invented or contradicted (audit). A session that fails is written
again, a few times; then the free wording takes its place, and is counted.

>>> written = await write_chats(skeleton, 42, client)                                 # doctest: +SKIP
>>> assembled = assemble(written.skeleton, 42, "32k", word=written.word)             # doctest: +SKIP
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
from memtriage.suites.kit.writing import Attempts, Prompt, Turned, one_line, together
from memtriage.suites.meme import written_prompts as prompts
from memtriage.suites.meme.chats import Worded, session_of, word
from memtriage.suites.meme.facts import label_of
from memtriage.suites.meme.skeleton import Kind, Skeleton, Statement

RETRIES = 3
VERBATIM: tuple[Kind, ...] = ("rule", "exact")
"""What stands in a message as it is: a word more or less would make it another rule, or another text."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Chat:
    """One session in a model's words: the talk, and for each of its statements the turn's place and the words there."""

    talk: Talk
    turns: tuple[int, ...]
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WrittenChats:
    """The evidence sessions of an episode in a model's words, and what it took.

    `skeleton` is the episode with the model's words as the texts of its statements. `chats` are the sessions in order;
    None stands for one that the free wording has to tell. `problems` counts why attempts were turned down.
    """

    skeleton: Skeleton
    chats: tuple[Chat | None, ...]
    calls: int
    attempts: int
    problems: Mapping[str, int] = field(default_factory=dict)

    @property
    def free(self) -> int:
        """How many sessions the model could not write."""
        return sum(chat is None for chat in self.chats)

    def word(self, skeleton: Skeleton, seed: int, ids: Sequence[str], times: Sequence[str]) -> tuple[Worded, ...]:
        """The sessions under these ids and times; in the place of `memtriage.suites.meme.chats.word`."""
        if skeleton.sessions != self.skeleton.sessions:
            raise BadInput(f"episode {skeleton.id!r} is not the one that was written; pass the written skeleton")
        worded: list[Worded] = []
        first = 0
        for chat, plain, id, time in zip(self.chats, word(skeleton, seed, ids, times), ids, times, strict=True):
            if chat is None:
                worded.append(plain)
            else:
                turns = {number: f"{id}/{place}" for number, place in enumerate(chat.turns, start=first)}
                worded.append(Worded(session_of(id, chat.talk, time), turns))
            first += len(plain.turns)
        return tuple(worded)


async def write_chats(skeleton: Skeleton, seed: int, model: ChatModel, *, retries: int = RETRIES) -> WrittenChats:
    """Let a model word the evidence sessions of an episode, all of them at the same time."""
    tries = Attempts(model, seed, retries)
    desk = _Desk(skeleton, tries)
    chats = await together(desk.session(number) for number in range(len(skeleton.sessions)))
    said = [
        tuple(replace(statement, text=quote) for statement, quote in zip(told, chat.quotes, strict=True))
        if chat is not None
        else told
        for told, chat in zip(skeleton.sessions, chats, strict=True)
    ]
    worded = replace(skeleton, sessions=tuple(said))
    return WrittenChats(worded, tuple(chats), tries.calls, tries.made, dict(tries.problems))


@dataclass(frozen=True, slots=True)
class _Desk:
    """One episode while it is being written."""

    skeleton: Skeleton
    tries: Attempts

    async def session(self, number: int) -> Chat | None:
        """One session, or nothing where no attempt was good."""
        return await self.tries.until_good(partial(self._attempt, number))

    async def _attempt(self, number: int, attempt: int, wrong: Sequence[str]) -> Chat:
        statements = self.skeleton.sessions[number]
        talk, places = await self._chat(statements, attempt, wrong)
        facts = [{"number": n, "fact": outside(self.skeleton, said)} for n, said in enumerate(statements, 1)]
        quotes = await self._annotated(statements, facts, talk, places, attempt)
        await self._audited(facts, talk, attempt)
        return Chat(talk, places, quotes)

    async def _chat(
        self, statements: Sequence[Statement], attempt: int, wrong: Sequence[str]
    ) -> tuple[Talk, tuple[int, ...]]:
        """The chat, a message of the user's for each statement, and where they stand."""
        talk: list[tuple[str, str]] = []
        places: list[int] = []
        for statement in statements:
            places.append(len(talk))
            talk.append(("user", await self._told(statement, talk, attempt, wrong)))
            talk.append(("assistant", await self._message(prompts.ASSISTANT, self._scene(talk), attempt)))
        return tuple(talk), tuple(places)

    async def _told(
        self, statement: Statement, talk: Sequence[tuple[str, str]], attempt: int, wrong: Sequence[str]
    ) -> str:
        if statement.kind in VERBATIM:
            return statement.text
        data = {
            **self._scene(talk),
            "tell": outside(self.skeleton, statement),
            "exactly": list(kept(self.skeleton, statement)),
            **({"problems": list(wrong)} if wrong else {}),
        }
        return await self._message(prompts.USER, data, attempt)

    async def _message(self, prompt: Prompt, data: Mapping[str, Any], attempt: int) -> str:
        message = one_line(str((await self.tries.ask(prompt, data, attempt)).get("message", "")))
        if not message:
            raise Turned("empty", "a message was empty")
        return message

    async def _annotated(
        self,
        statements: Sequence[Statement],
        facts: Sequence[Mapping[str, Any]],
        talk: Talk,
        places: Sequence[int],
        attempt: int,
    ) -> tuple[str, ...]:
        """The words that tell each statement; every one of them must be found in its message."""
        turns = [{"number": n, "message": talk[place][1]} for n, place in enumerate(places, 1)]
        reply = await self.tries.ask(prompts.ANNOTATION, {"facts": list(facts), "turns": turns}, attempt)
        marked: dict[int, tuple[int, str]] = {}
        for entry in reply.get("annotations", ()):
            marked.setdefault(entry["fact"], (entry["turn"], one_line(entry["quote"])))
        wrong: list[str] = []
        quotes: list[str] = []
        for n, (statement, place) in enumerate(zip(statements, places, strict=True), 1):
            told = statement.text if statement.kind in VERBATIM else marked.get(n, (0, ""))[1]
            quotes.append(told)
            wrong += _misquoted(self.skeleton, statement, told, marked.get(n, (0, ""))[0] == n, talk[place][1])
        if wrong:
            raise Turned("annotation", *wrong)
        return tuple(quotes)

    async def _audited(self, facts: Sequence[Mapping[str, Any]], talk: Talk, attempt: int) -> None:
        data = {"facts": list(facts), "chat": _spoken(talk)}
        reply = await self.tries.ask(prompts.AUDIT, data, attempt)
        found = [f"{finding['kind']}: {finding['what']}" for finding in reply.get("findings", ())]
        if found:
            raise Turned("audit", *found)

    def _scene(self, talk: Sequence[tuple[str, str]]) -> dict[str, Any]:
        return {"about": self.skeleton.domain.replace("_", " ").replace("-", " "), "chat": _spoken(talk)}


def outside(skeleton: Skeleton, statement: Statement) -> str:
    """A statement in the third person, as somebody would put it who only knows the facts.

    >>> said = Statement("pet", "an iguana", "fact", "I have an iguana.")
    >>> outside(Skeleton("e", "elsewhere", "pet", ("", ""), (), ((said,),), ()), said)
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


def kept(skeleton: Skeleton, statement: Statement) -> Iterator[str]:
    """The words that a message may not change: the value, and for a change the old one, for a tie what it hangs on."""
    yield statement.value
    if statement.kind == "change":
        yield skeleton.change[0]
    if statement.kind == "dependency" and (held := _held(skeleton, statement.source)) and held in statement.text:
        yield held


def _held(skeleton: Skeleton, entity: str) -> str:
    """The value that an entity was first told to have."""
    found = (s.value for s in skeleton.statements() if s.entity == entity and s.kind not in ("rule", "change"))
    return next(found, "")


def _misquoted(skeleton: Skeleton, statement: Statement, told: str, in_place: bool, message: str) -> Iterator[str]:
    """What is wrong with how a statement was found in its message."""
    if statement.kind in VERBATIM:
        if statement.text not in message:
            yield f"the message does not hold word for word: {statement.text}"
        return
    fact = outside(skeleton, statement)
    if not told or not in_place:
        yield f"no message of its own tells: {fact}"
    elif told not in message:
        yield f"these words are in no message: {told}"
    else:
        yield from (f"{words!r} is missing where this is told: {fact}" for words in _gone(skeleton, statement, told))


def _gone(skeleton: Skeleton, statement: Statement, told: str) -> list[str]:
    low = _SPACE.sub(" ", told).lower()
    return [words for words in kept(skeleton, statement) if _SPACE.sub(" ", words).lower().rstrip(".") not in low]


def _spoken(talk: Sequence[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"role": role, "message": text} for role, text in talk]
