"""One entry of a file, checked and read into a question.

What can be repaired is repaired, the rest is left out, and both are reported with the question's id: one broken
question does not make a file of five hundred useless.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.dates import parse_date
from memtriage.suites.longmemeval.question import TYPES, Chat, DatedChat, Evidence, Message, Question, QuestionType
from memtriage.suites.longmemeval.released.align import find_evidence, likeliest_evidence
from memtriage.suites.longmemeval.released.chats import SIDES, marked
from memtriage.suites.longmemeval.released.complaints import Complaints
from memtriage.suites.longmemeval.released.files import ParsedSession
from memtriage.suites.longmemeval.released.recent import RecentCache
from memtriage.text.words import well_formed

_ROLES = {"human": "user", "customer": "user", "gpt": "assistant", "bot": "assistant", "ai": "assistant"}
_ROLES |= {"chatgpt": "assistant", "model": "assistant", "agent": "assistant"}
_KNOWN = (*SIDES, "system", "tool")
_at = itemgetter(0)  # of a dated chat
_FIELDS = ("question_type", "question", "answer", "haystack_dates", "haystack_session_ids", "haystack_sessions")
_TIMES = frozenset(f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60))

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _CachedChat:
    """A chat, and whether there was nothing to say about it."""

    chat: Chat
    clean: bool


class ChatCache:
    """The chats seen lately, so that one that recurs in other histories is the same object there.

    Keyed by what they say; sessions of a file that is read in pieces are recognised by their bytes (`ParsedSession`).
    Bounded by the memory that their texts take; the least recently seen go first.
    """

    def __init__(self, most: int = 1 << 28) -> None:
        self._seen: RecentCache[Hashable, _CachedChat] = RecentCache(most)

    @property
    def weight(self) -> int:
        """The memory that the texts take."""
        return self._seen.weight

    def seen(self, raw: Hashable) -> _CachedChat | None:
        """The chat that was made of the same content, if it was seen lately."""
        return self._seen.get(raw)

    def keep(self, raw: Hashable, chat: Chat, clean: bool) -> Chat:
        """Remember a chat, and whether there was nothing to say about it."""
        weight = sum(sys.getsizeof(message.text) for message in chat.messages)
        self._seen.keep(raw, _CachedChat(chat, clean), weight)
        return chat


class QuestionReader:
    """Turns the entries of one file into questions, one after the other."""

    def __init__(self, complaints: Complaints, chats: ChatCache | None = None) -> None:
        self._complaints = complaints
        self._chats = chats or ChatCache()
        self._seen: set[str] = set()

    def question(self, number: int, entry: object) -> Question | None:
        """The question of an entry, or None where it can't be asked; the complaints say why."""
        if not isinstance(entry, Mapping):
            self._complaints.of_file(f"entry {number} is no object, and was skipped")
            return None
        id = entry.get("question_id")
        if not isinstance(id, str | int) or isinstance(id, bool) or not str(id).strip():
            self._complaints.of_file(f"entry {number} has no question_id, and was skipped")
            return None
        script = _EntryReader(entry, well_formed(str(id).strip()), self._complaints, self._chats)
        if script.id in self._seen:
            script.complain("twice", f"stands there twice; entry {number} was skipped")
            return None
        self._seen.add(script.id)
        try:
            return script.question()
        except BadInput as error:
            script.complain("left out", f"{error}; it was left out")
            return None


@dataclass(frozen=True, slots=True)
class _EntryReader:
    """One entry while it is read."""

    entry: Entry
    id: str
    complaints: Complaints
    chats: ChatCache

    def complain(self, kind: str, message: str, together: str = "") -> None:
        self.complaints.add(kind, self.id, message, together)

    def question(self) -> Question:
        missing = [name for name in _FIELDS if self.entry.get(name) is None]
        if missing:
            raise BadInput(f"has no {' and no '.join(missing)}")
        type = self._type()
        history = self._history()
        asked_at = self._asked_at(type, history)
        answer_chats = self._answer_chats(history)
        question = Question(
            id=self.id,
            type=type,
            text=self._text("question"),
            answer=self._answer(),
            asked_at=asked_at,
            history=history,
            answer_chats=answer_chats,
            tags=self._tags(),
        )
        return self._with_evidence(question)

    def _type(self) -> QuestionType:
        given = self.entry["question_type"]
        for type in TYPES:
            if type == given:
                return type
        raise BadInput(unknown("question_type", str(given), TYPES))

    def _text(self, name: str) -> str:
        value = self.entry[name]
        if not isinstance(value, str) or not value.strip():
            raise BadInput(f"its {name} is {'empty' if isinstance(value, str) else 'no text'}")
        return well_formed(value)

    def _answer(self) -> str:
        value = self.entry["answer"]
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.complain("number", "", "answers that are numbers, read as texts")
            return str(value)
        return self._text("answer")

    def _tags(self) -> dict[str, str]:
        tags = self._own().get("tags", {})
        return {str(k): well_formed(str(v)) for k, v in tags.items()} if isinstance(tags, Mapping) else {}

    def _own(self) -> Entry:
        """What this project's generator says of its own questions."""
        own = self.entry.get("memtriage")
        return own if isinstance(own, Mapping) else {}

    def _history(self) -> tuple[DatedChat, ...]:
        names = ("haystack_sessions", "haystack_session_ids", "haystack_dates")
        lists = [self.entry[name] for name in names]
        if not all(isinstance(value, list) for value in lists):
            raise BadInput(f"{', '.join(names)} are not all lists")
        sessions, ids, dates = lists
        if len(sessions) != len(ids) or len(sessions) != len(dates):
            lengths = f"{len(sessions)}, {len(ids)} and {len(dates)}"
            raise BadInput(f"{', '.join(names)} have {lengths} entries, which don't belong together")
        chats = self._named_apart(list(self._chats(sessions, ids, dates)))
        if not chats:
            raise BadInput("its history has no sessions with anything in them")
        dated = chats if all(map(_at, chats)) else list(self._all_dated(chats))
        ordered = sorted(dated, key=_at)
        if ordered != dated:
            self.complain("order", "", "sessions that were not in order of time, and were sorted")
        return tuple(ordered)

    def _chats(self, sessions: list[Any], ids: list[Any], dates: list[Any]) -> Iterator[DatedChat]:
        """The chats of the history that have messages; a date that can't be read is left empty."""
        for session, given, date in zip(sessions, ids, dates, strict=True):
            chat: Chat | None
            if type(session) is Chat:  # most are in the usual form
                chat = session
            elif (chat := self._chat(well_formed(str(given)), session)) is None:
                self.complain("empty", f"its session {given!r} is empty, and was left out", "empty sessions, left out")
                continue
            at = _moment(date)
            if at is None:
                self.complain(
                    "date",
                    f"the date {date!r} of its session {given!r} can't be read; the one of its neighbour is taken",
                    "sessions whose dates can't be read, and which have that of their neighbour",
                )
            yield DatedChat(at or "", chat)

    def _chat(self, id: str, session: object) -> Chat | None:
        """The chat of a session, the same as in earlier histories; None where nothing was said in it."""
        if not isinstance(session, list):
            return None
        if isinstance(session, ParsedSession):
            chat = Chat(id, tuple(self._messages(session, id)))
            return chat if _says_anything(chat) else None
        raw = _raw(id, session)
        kept = self.chats.seen(raw)
        if kept is not None and kept.clean:
            return kept.chat
        chat = Chat(id, tuple(self._messages(session, id)))
        if kept is not None:
            return kept.chat
        if not _says_anything(chat):
            return None
        return chat if raw is None else self.chats.keep(raw, chat, _clean(session, chat))

    def _messages(self, session: list[Any], id: str) -> Iterator[Message]:
        for number, turn in enumerate(session, start=1):
            if type(turn) is not dict and not isinstance(turn, Mapping):  # the former is quick, and nearly always so
                turn = {}
            role, text = turn.get("role"), turn.get("content")
            if type(text) is not str or not text.isascii():
                text = _content(text)
            if not text or text.isspace():
                self.complain("blank", "", "empty messages, left out")
            if role != "user" and role != "assistant":
                role = self._role(role, number, id)
            yield Message(role, text, marked(turn))

    def _role(self, given: object, number: int, id: str) -> str:
        role = str(given).strip().lower()
        role = _ROLES.get(role, role)
        if role in _KNOWN:
            if role not in SIDES:
                message = f"message {number} of {id!r} is the {role}'s"
                self.complain("role", message, "messages of neither user nor assistant")
            return role
        guess = "user" if number % 2 else "assistant"
        what = "has no role" if given is None else f"has the role {given!r}"
        self.complain("role", f"message {number} of {id!r} {what}; taken as {guess}'s", "messages without a known role")
        return guess

    def _named_apart(self, chats: list[DatedChat]) -> list[DatedChat]:
        """The chats with ids of their own; the second of two with one id is numbered."""
        ids = {dated.chat.id for dated in chats}
        if len(ids) == len(chats):
            return chats
        seen: set[str] = set()
        apart = []
        for dated in chats:
            id, number = dated.chat.id, 2
            while id in seen or (id != dated.chat.id and id in ids):
                id, number = f"{dated.chat.id}#{number}", number + 1
            if id != dated.chat.id:
                together = "sessions that have the id of another, and got one of their own"
                self.complain(
                    "same id", f"its session {dated.chat.id!r} stands there twice; one is called {id!r}", together
                )
                dated = DatedChat(dated.at, Chat(id, dated.chat.messages))
            seen.add(id)
            apart.append(dated)
        return apart

    def _all_dated(self, chats: Sequence[DatedChat]) -> Iterator[DatedChat]:
        """The chats; those without a date have that of the one before, the first ones that of the one after."""
        at = next((dated.at for dated in chats if dated.at), "")
        if not at:
            raise BadInput("none of its sessions has a date that can be read")
        for dated in chats:
            if dated.at:
                at = dated.at
                yield dated
            else:
                yield DatedChat(at, dated.chat)

    def _asked_at(self, type: QuestionType, history: Sequence[DatedChat]) -> str:
        given, end = self.entry.get("question_date"), history[-1].at
        asked_at = parse_date(given)
        if asked_at is None:
            why = f"its question_date {given!r} can't be read" if given is not None else "has no question_date"
            if type == "temporal-reasoning":
                raise BadInput(f"{why}, and its answer may hang on it")
            together = "question dates that can't be read, taken to be the end of the history"
            self.complain("asked", f"{why}; it is taken to be asked at the end of its history", together)
            return end
        if asked_at < end:
            message = f"is asked at {asked_at}, before the end of its history at {end}; both are kept"
            self.complain("early", message, "asked before the end of the history; both dates are kept")
        return asked_at

    def _answer_chats(self, history: Sequence[DatedChat]) -> tuple[str, ...]:
        there = {dated.chat.id for dated in history}
        given = self.entry.get("answer_session_ids")
        if not isinstance(given, list):
            named = tuple(dated.chat.id for dated in history if "answer" in dated.chat.id)
            together = "no answer_session_ids; taken from the sessions' ids"
            self.complain(
                "unnamed", f"has no answer_session_ids; taken from its sessions' ids: {', '.join(named)}", together
            )
            return named
        wanted = tuple(dict.fromkeys(well_formed(str(id)) for id in given))
        missing = [id for id in wanted if id not in there]
        if missing:
            names = ", ".join(map(repr, missing))
            self.complain("gone", f"its evidence {names} is not in its history", "evidence sessions that don't exist")
        return tuple(id for id in wanted if id in there)

    def _with_evidence(self, question: Question) -> Question:
        if question.abstention:
            return question
        chats = {dated.chat.id: dated.chat for dated in question.history}
        given = self._given_evidence(chats)
        if given:
            return replace(question, evidence=given)
        marked = [chat for chat in chats.values() if any(message.has_answer for message in chat.messages)]
        unmarked = [chats[id] for id in question.answer_chats if chats[id] not in marked]
        if not marked and not unmarked:
            raise BadInput("nothing of its evidence is in its history")
        if unmarked:
            names = ", ".join(repr(chat.id) for chat in unmarked)
            together = "evidence sessions without a message that has_answer"
            self.complain("unmarked", f"no message of its evidence {names} has_answer", together)
        found = find_evidence(question) or tuple(likeliest_evidence(question, chat) for chat in (*marked, *unmarked))
        return replace(question, evidence=found)

    def _given_evidence(self, chats: Mapping[str, Chat]) -> tuple[Evidence, ...]:
        given = self._own().get("evidence")
        if given is None:
            return ()
        try:
            found = tuple(_evidence(item, chats) for item in given)
            if len({(one.chat, one.message) for one in found}) < len(found):
                raise ValueError("one message is named twice")
            return found
        except (KeyError, TypeError, ValueError) as error:
            together = "evidence of the generator's that doesn't fit; found anew"
            self.complain("evidence", f"the evidence it brings doesn't fit ({error}); found anew", together)
            return ()


def _evidence(item: Any, chats: Mapping[str, Chat]) -> Evidence:
    chat, message = chats[item["chat"]], int(item["message"])
    if not 0 <= message < len(chat.texts):
        raise ValueError(f"session {chat.id!r} has no message {message}")
    texts, details = tuple(map(str, item["texts"])), tuple(map(str, item["details"]))
    if not texts or any(text not in chat.texts[message] for text in texts):
        raise ValueError(f"message {message} of {chat.id!r} doesn't say it")
    return Evidence(chat.id, message, texts, details, bool(item.get("outdated", False)))


def _clean(session: list[Any], chat: Chat) -> bool:
    """Whether there is nothing to say about what a chat was made of."""
    known = all(type(turn) is dict and turn.get("role") in SIDES for turn in session)
    return known and bool(chat.messages) and all(message.text.strip() for message in chat.messages)


def _says_anything(chat: Chat) -> bool:
    return any(message.text.strip() for message in chat.messages)


def _moment(date: object) -> str | None:
    """When something was. The official form is put together of a day and a time; histories share the days."""
    if type(date) is str and date[17:] in _TIMES:
        day = _day(date[:17])
        if day is not None:
            return day + date[17:]
    return parse_date(date)


@lru_cache(maxsize=1 << 12)
def _day(text: str) -> str | None:
    """The part before the time; the official `2023/05/30 (Tue) ` as an ISO 8601 date."""
    official = len(text) == 17 and text[4] == text[7] == "/" and text[10:12] == " (" and text[15:] == ") "
    at = parse_date(f"{text}00:00") if official else None
    return None if at is None else at[:11]


def _raw(id: str, session: list[Any]) -> Hashable:
    """A key that identifies a session's content; None if it is not in the usual form."""
    try:
        raw = id, tuple((turn["role"], turn["content"], turn.get("has_answer")) for turn in session)
        hash(raw)
    except (KeyError, TypeError, AttributeError, IndexError):
        return None
    return raw


def _content(value: object) -> str:
    """The text of a message, also where it comes in parts."""
    if isinstance(value, str):
        text = well_formed(value)
        return value if text == value else text  # one object in memory rather than two that are equal
    if isinstance(value, list):
        parts = (part.get("text") if isinstance(part, Mapping) else part for part in value)
        return well_formed("\n".join(part for part in parts if isinstance(part, str)))
    return ""
