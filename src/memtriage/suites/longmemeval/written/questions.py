"""Questions written by a model: it invents a user, proposes a question, and chats with itself to tell the evidence.

For each question a paragraph about somebody is written, then the question with its answer and the statements it rests
on, then for each statement a chat of up to ten rounds, in one of which it is told. All of it is checked by words: the
statement's details stand in the message that tells it and in no other of the same side, and nothing of the other
statements leaks. What fails is tried again; a question that fails too often is dropped, and counted.

>>> written = await write_question(assignment, 42, client)                                 # doctest: +SKIP
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from random import Random
from typing import Any

from memtriage.core.chat import ChatModel
from memtriage.suites.kit.writing import Attempts, TurnedDown, WritingPrompt, together
from memtriage.suites.longmemeval.attributes import attributes, category, related
from memtriage.suites.longmemeval.conflicts import stems_of
from memtriage.suites.longmemeval.outline import Outline, Statement
from memtriage.suites.longmemeval.question import Chat, Evidence, Message, QuestionType, type_mixture
from memtriage.suites.longmemeval.written import prompts
from memtriage.text.sentences import sentences
from memtriage.text.words import well_formed

RETRIES = 2
ROUNDS = 10
"""As many as the paper's self-chats have at the most."""

_TELLING_ROUNDS = 4
"""The evidence is told in one of so many first rounds."""

_ANSWERED_BY_LAST = ("single-session-user", "single-session-assistant", "knowledge-update")

_LONGEST_REQUEST = 1_000
"""A message of the user's with more characters than this is an answer: the model has changed sides."""

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Assignment:
    """A question to be written: its number, type and topic."""

    number: int
    type: QuestionType
    abstention: bool
    attribute: str

    @classmethod
    def of(cls, number: int, type: QuestionType, abstention: bool, seed: int) -> Assignment:
        """The assignment with a topic drawn for it."""
        return cls(number, type, abstention, Random(f"written:{seed}:{number}").choice(attributes()))


def assignments(count: int, seed: int) -> list[Assignment]:
    """So many questions to be written, in the generator's mixture of types."""
    return [
        Assignment.of(number, type, abstention, seed)
        for number, (type, abstention) in enumerate(type_mixture(count, seed))
    ]


@dataclass(frozen=True, slots=True)
class WrittenQuestion:
    """A question in a model's words, with its evidence chats; None where none was good. And what it took."""

    assignment: Assignment
    outline: Outline | None
    chats: tuple[Chat, ...]
    evidence: tuple[Evidence, ...]
    calls: int
    problems: Mapping[str, int] = field(default_factory=dict)


async def write_question(
    assignment: Assignment, seed: int, model: ChatModel, *, retries: int = RETRIES
) -> WrittenQuestion:
    """Let a model write one question and the chats it rests on."""
    tries = Attempts(model, seed, retries)
    proposal, chats = await tries.until_good(_QuestionWriter(assignment, tries).question) or (None, [])
    evidence = tuple(one for _, one in chats)
    return WrittenQuestion(
        assignment, proposal, tuple(chat for chat, _ in chats), evidence, tries.calls, dict(tries.problems)
    )


@dataclass(frozen=True, slots=True)
class _QuestionWriter:
    """One question while it is being written."""

    assignment: Assignment
    tries: Attempts

    async def question(self, attempt: int, wrong: tuple[str, ...]) -> tuple[Outline, list[tuple[Chat, Evidence]]]:
        assignment = self.assignment
        about = {
            "attribute": assignment.attribute,
            "category": category(assignment.attribute),
            "number": assignment.number,
        }
        background = _printable((await self.tries.ask(prompts.BACKGROUND, about, attempt)).get("background"))
        if not background:
            raise TurnedDown("background", "the background was empty")
        proposal = await self._propose(background, attempt, wrong)
        chats = await together(self._chat(background, proposal, place) for place in range(len(proposal.statements)))
        return proposal, chats

    async def _propose(self, background: str, attempt: int, before: Sequence[str]) -> Outline:
        kind, least, most = prompts.KINDS[self.assignment.type]
        data = {
            "background": background,
            "kind": kind + (prompts.UNTOLD if self.assignment.abstention else ""),
            "least": least,
            "most": most,
            **({"problems": list(before)} if before else {}),
        }
        proposal = _outline_of(self.assignment, await self.tries.ask(prompts.PROPOSAL, data, attempt))
        if wrong := tuple(flaws(proposal)):
            raise TurnedDown("proposal", *wrong)
        return proposal

    async def _chat(self, background: str, proposal: Outline, place: int) -> tuple[Chat, Evidence]:
        """The chat that tells one statement; a few attempts, then the question is given up."""
        wrong: tuple[str, ...] = ()
        for attempt in range(self.tries.retries + 1):
            try:
                return await _SelfChat(self, background, proposal, place, attempt, wrong).run()
            except TurnedDown as turned:
                self.tries.problems[turned.by] += 1
                wrong = turned.problems
        raise TurnedDown("chat", *wrong)

    async def message(self, prompt: WritingPrompt, data: Mapping[str, Any], attempt: int) -> str:
        """One message of a chat."""
        return _printable((await self.tries.ask(prompt, data, attempt)).get("message"))


@dataclass(slots=True)
class _SelfChat:
    """One chat in which the model speaks for both sides."""

    writer: _QuestionWriter
    background: str
    proposal: Outline
    place: int
    attempt: int
    wrong: Sequence[str]
    talk: list[Message] = field(default_factory=list)
    told_at: int | None = None

    @property
    def statement(self) -> Statement:
        return self.proposal.statements[self.place]

    @property
    def id(self) -> str:
        return chat_id(
            question_id(self.writer.assignment, self.writer.tries.seed), self.proposal.abstention, self.place
        )

    async def run(self) -> tuple[Chat, Evidence]:
        """Rounds up to the most there may be, or until either side has nothing left to say."""
        assignment = self.writer.assignment
        rng = Random(f"written:{self.writer.tries.seed}:{assignment.number}:{self.place}:{self.attempt}")
        telling = rng.randrange(_TELLING_ROUNDS)
        for round in range(ROUNDS):
            if not await self._user(round == telling and self.statement.role == "user"):
                break
            if not await self._assistant(round == telling and self.statement.role == "assistant"):
                break
        if self.told_at is None:
            raise TurnedDown("untold", f"the chat ended before this was told: {self.statement.text}")
        if self.talk[-1].role == "user" and len(self.talk) > self.told_at + 1:
            self.talk.pop()  # a last question that nobody answered
        texts = telling_sentences(self.talk[self.told_at].text, self.statement.details)
        evidence = Evidence(self.id, self.told_at, texts, self.statement.details, self.statement.outdated)
        return Chat(self.id, tuple(self.talk)), evidence

    async def _user(self, tells: bool) -> bool:
        data = {
            "background": self.background,
            "chat": self._messages(),
            "tell": self.statement.text if tells else "",
            "exactly": list(self.statement.details) if tells else [],
            "later": self.statement.text if self.told_at is None and not tells else "",
            "avoid": self._phrases_to_avoid(tells),
            **({"problems": list(self.wrong)} if self.wrong else {}),
        }
        text = await self.writer.message(prompts.USER, data, self.attempt)
        if len(text) > _LONGEST_REQUEST:
            raise TurnedDown("sides", "the person's message was as long as an answer")
        return self._add("user", text, tells)

    async def _assistant(self, tells: bool) -> bool:
        data = {"chat": self._messages(), "include": self.statement.text if tells else ""}
        return self._add("assistant", await self.writer.message(prompts.ASSISTANT, data, self.attempt), tells)

    def _add(self, role: str, text: str, tells: bool) -> bool:
        """Add a message, if there is one and it says what it has to and nothing it must not."""
        if not text:
            return False
        if tells:
            missing = [detail for detail in self.statement.details if not holds(text, detail)]
            if missing:
                raise TurnedDown(
                    "details", *(f"{detail!r} is missing from the message that tells it" for detail in missing)
                )
            self.told_at = len(self.talk)
        elif role == self.statement.role and all(holds(text, detail) for detail in self.statement.details):
            raise TurnedDown("repeated", f"more than one message tells: {self.statement.text}")
        for phrase in (*self._other_details(), *self.proposal.untold):
            if leaks(text, phrase):
                raise TurnedDown("leak", f"the chat tells what it must not: {phrase}")
        self.talk.append(Message(role, text, tells))
        return True

    def _other_details(self) -> Iterator[str]:
        for place, statement in enumerate(self.proposal.statements):
            if place != self.place:
                yield " ".join(statement.details)

    def _phrases_to_avoid(self, tells: bool) -> list[str]:
        others = [one.text for place, one in enumerate(self.proposal.statements) if place != self.place or not tells]
        return [*others, *self.proposal.untold]

    def _messages(self) -> list[dict[str, str]]:
        return [{"role": message.role, "message": message.text} for message in self.talk]


def flaws(proposal: Outline) -> Iterator[str]:
    """What is wrong with a proposed question, as far as words can tell."""
    _, least, most = prompts.KINDS[proposal.type]
    statements = proposal.statements
    if not proposal.text or not proposal.answer:
        yield "the question or the answer is empty"
    if not least <= len(statements) <= most:
        yield f"it has {len(statements)} statements, not {least} to {most}"
    for statement in statements:
        if not statement.details:
            yield f"no details are named in: {statement.text}"
        yield from (f"{d!r} is not in: {statement.text}" for d in statement.details if not holds(statement.text, d))
        for other in statements:
            if other is not statement and leaks(other.text, " ".join(statement.details)):
                yield f"two statements tell the same: {statement.text}"
    yield from _flaws_of_answer(proposal)


def _flaws_of_answer(proposal: Outline) -> Iterator[str]:
    statements = proposal.statements
    if proposal.abstention:
        if not proposal.untold:
            yield "nothing is named that was never told"
        for phrase in proposal.untold:
            if any(leaks(one.text, phrase) for one in statements):
                yield f"{phrase!r} is told by a statement"
        return
    if proposal.answer and leaks(proposal.text, proposal.answer):
        yield "the question gives its answer away"
    if proposal.type == "temporal-reasoning":
        days = [statement.days_before for statement in statements]
        if None in days or days != sorted(days, key=lambda day: -(day or 0)):
            yield "days_before are missing, or the earliest event does not come first"
    last = stems_of(" ".join(statements[-1].details)) if statements else frozenset()
    if proposal.type in _ANSWERED_BY_LAST and last.isdisjoint(stems_of(proposal.answer)):
        yield "the answer has nothing to do with the details of the last statement"


def holds(text: str, phrase: str) -> bool:
    """Whether a text holds a phrase letter for letter, whatever its case and spaces."""
    return _normalized(phrase) in _normalized(text)


def leaks(text: str, phrase: str) -> bool:
    """Whether one sentence of a text holds all that matters of a phrase."""
    wanted = stems_of(phrase)
    return bool(wanted) and any(wanted <= stems_of(one) for one in sentences(text))


def telling_sentences(text: str, details: Sequence[str]) -> tuple[str, ...]:
    """The sentences of a message that hold its details, word for word.

    >>> telling_sentences("Hi. I drive a Polo. It is red.", ("Polo", "red"))
    ('I drive a Polo.', 'It is red.')
    """
    chosen = [one for one in sentences(text) if any(holds(one, detail) for detail in details)]
    # a detail that reaches over a full stop is in no single sentence
    return tuple(chosen) if all(holds(" ".join(chosen), detail) for detail in details) else (text,)


def question_id(assignment: Assignment, seed: int) -> str:
    """The id of a written question."""
    name = blake2b(f"written:{seed}:{assignment.number}".encode(), digest_size=4).hexdigest()
    return f"{name}_abs" if assignment.abstention else name


def chat_id(question: str, abstention: bool, place: int) -> str:
    """The id of an evidence chat: official code tells them by how they begin."""
    return f"answer_{question.removesuffix('_abs')}{'_abs' if abstention else ''}_{place + 1}"


def _outline_of(assignment: Assignment, reply: Mapping[str, Any]) -> Outline:
    given = list(reply.get("statements", ()))
    dated = assignment.type == "temporal-reasoning"
    statements = tuple(
        Statement(
            attribute=assignment.attribute,
            text=_printable(one.get("text")),
            details=tuple(filter(None, map(_printable, one.get("details", ())))),
            keys=related(assignment.attribute),
            role="assistant" if assignment.type == "single-session-assistant" else "user",
            days_before=int(one["days_before"]) if dated and int(one.get("days_before", -1)) >= 0 else None,
            outdated=assignment.type == "knowledge-update" and place < len(given) - 1,
        )
        for place, one in enumerate(given)
    )
    return Outline(
        id_hint=assignment.attribute,
        type=assignment.type,
        text=_printable(reply.get("question")),
        answer=_printable(reply.get("answer")),
        statements=statements,
        abstention=assignment.abstention,
        ordered=assignment.type in ("knowledge-update", "temporal-reasoning"),
        untold=tuple(filter(None, map(_printable, reply.get("untold", ())))) if assignment.abstention else (),
        tags={"attribute": assignment.attribute, "written": "model"},
    )


def _normalized(text: str) -> str:
    return _SPACE.sub(" ", text).strip().lower()


def _printable(text: object) -> str:
    """A model's text without characters that don't print; its lines stay."""
    lines = well_formed(text if isinstance(text, str) else "").splitlines()
    return "\n".join("".join(char for char in line if char.isprintable()).rstrip() for line in lines).strip()
