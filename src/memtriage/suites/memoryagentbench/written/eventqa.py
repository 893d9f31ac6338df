"""EventQA from any book: a model notes the events of its characters and thinks up others that never happen.

The characters are the names that the book uses most. Stretch by stretch, the model gives events, each with the words
of the book that tell it; an event whose words are not there is thrown out. Of what is left, as many as are wanted are
taken, spread over the book. For each but the first, the model writes five wrong ones.

>>> book = await write(read_book(Path("novel.txt")), 100, 42, client, print)      # doctest: +SKIP
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from memtriage.core.chat import ChatModel, ModelError
from memtriage.core.errors import BadInput
from memtriage.core.suite import Step
from memtriage.suites.kit.phrases import runs
from memtriage.suites.kit.writing import ENDING, Attempts, WritingPrompt, one_line, together
from memtriage.suites.memoryagentbench.chunks import Span, chunks
from memtriage.suites.memoryagentbench.context import Context, Passage, Query, length_label
from memtriage.suites.memoryagentbench.event_questions import OPTIONS, PREVIOUS, event_query
from memtriage.suites.memoryagentbench.kinds import LARGE, SPECS
from memtriage.suites.memoryagentbench.written import prompts
from memtriage.suites.memoryagentbench.written.book import characters
from memtriage.text.sentences import sentences, spans
from memtriage.text.tokens import count_tokens
from memtriage.text.words import well_formed, words

RETRIES = 2
_SPARE = 1.3
"""So many times the events that are wanted are asked for."""

_MOST = 12
"""How many events one stretch is asked for at the most."""

_SENTENCES = 4
"""An event that takes more sentences than this to tell is none."""

_ALIKE = 0.8
"""With so large a share of their words in common, two events are the same."""

_TELLING = 3
"""With fewer words than this in common, an event and its quote are matched by the whole quote."""

_NEARBY = 12
T = TypeVar("T")
_QUOTES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"'})


@dataclass(frozen=True, slots=True)
class BookEvent:
    """An event of a book: to whom it happens, in the model's words, and where the book tells it."""

    character: str
    event: str
    start: int
    end: int


async def write(
    text: str, rows: int, seed: int, model: ChatModel, step: Step, *, name: str = "book", retries: int = RETRIES
) -> Context:
    """So many questions about a book, asked of the model's notes."""
    if rows < 1:
        raise BadInput(f"{name}: at least 1 question, not {rows}")
    tries = Attempts(model, seed, retries)
    whole = well_formed(text)
    people = characters(whole, name)
    reader = _BookReader(name, whole, people, chunks(whole, LARGE, "eventqa", name), tries, step)
    events = await reader.events(rows + 1)
    asked = await reader.questions(events)
    id = f"eventqa-{name}-{seed}"
    queries = tuple(
        _query(f"{id}/q{number}", events, place, wrong, seed) for number, (place, wrong) in enumerate(asked, 1)
    )
    passages = tuple(_passage(events[place], place, whole) for place, _ in asked)
    tags = {"length": length_label(count_tokens(whole))}
    return Context(id, "eventqa", "eventqa", whole, passages, queries, tags)


@dataclass(slots=True)
class _BookReader:
    """One book while it is being read."""

    name: str
    text: str
    characters: Sequence[str]
    stretches: Sequence[Span]
    tries: Attempts
    step: Step
    done: int = 0

    async def events(self, wanted: int) -> list[BookEvent]:
        """So many events, in order and spread over the book."""
        asked = _spread(self.stretches, int(wanted * _SPARE) + 1)
        each = min(_MOST, -(-int(wanted * _SPARE + 1) // len(asked)))
        self.done = 0
        noted = await together(self._noted(stretch, each, len(asked)) for stretch in asked)
        found = _without_repeats(sorted((one for some in noted for one in some), key=lambda one: one.start))
        if len(found) < wanted:
            why = f" (most often: {self.tries.problems.most_common(1)[0][0]})" if self.tries.problems else ""
            fewer = f"ask for at most {len(found) - 1} questions, or take" if len(found) > 1 else "take"
            raise BadInput(
                f"{self.name}: the model found {len(found)} events that the book tells; {wanted - 1} questions take "
                f"{wanted}{why}; {fewer} a longer book or a better model"
            )
        return _spread(found, wanted)

    async def questions(self, events: Sequence[BookEvent]) -> list[tuple[int, list[str]]]:
        """The places of the events to ask for, each with wrong ones; without those that the model found none for."""
        self.done = 0
        places = range(1, len(events))
        options = await together(self._wrong(events, place) for place in places)
        good = [(place, wrong) for place, wrong in zip(places, options, strict=True) if wrong]
        if not good:
            raise BadInput(
                f"{self.name}: the model wrote no usable wrong answers "
                f"({'; '.join(why for why, _ in self.tries.problems.most_common(2))}); take a better model"
            )
        if len(good) < len(options):
            dropped = len(options) - len(good)
            self.step(f"{self.name}: {dropped} questions dropped, without five usable wrong answers", 1.0)
        return good

    async def _noted(self, stretch: Span, count: int, of: int) -> list[BookEvent]:
        """The events of a stretch that pass every check; what is missing is asked for again."""
        good: list[BookEvent] = []
        wrong: list[str] = []
        for attempt in range(self.tries.retries + 1):
            data = {
                "characters": list(self.characters),
                "count": count,
                "text": self.text[stretch.start : stretch.end],
                **({"problems": wrong} if wrong else {}),
            }
            reply = await self._ask(prompts.EVENTS, data, attempt)
            wrong = []
            for entry in reply.get("events", ()):
                checked = self._checked(entry, stretch)
                if isinstance(checked, BookEvent):
                    good = _without_repeats([*good, checked])
                else:
                    wrong.append(checked)
            if len(good) >= count or not wrong:
                break
        self._count("events", of)
        return good[:count]

    def _checked(self, entry: Mapping[str, Any], stretch: Span) -> BookEvent | str:
        """An event with its place in the book, or what is wrong with it."""
        event, who = one_line(str(entry["event"])), one_line(str(entry["character"]))
        named = next((one for one in self.characters if one.lower() == who.lower()), None)
        place = _place(self.text, stretch, str(entry["quote"]))
        why = ""
        if named is None:
            why = "is about somebody who is not among the characters"
        elif named.lower() not in event.lower():
            why = f"does not name {named}"
        elif len(words(event).stems) < 3 or count_tokens(event) >= SPECS["eventqa"].max_tokens:
            why = "is too short or too long"
        elif place is None:
            why = "has a quote that is not in the text"
        elif len(sentences(self.text[place.start : place.end])) > _SENTENCES:
            why = "has too long a quote"
        if why or named is None or place is None:
            self.tries.problems[f"an event {why}"] += 1
            return f"this event {why}: {event}"
        return BookEvent(named, event, place.start, place.end)

    async def _wrong(self, events: Sequence[BookEvent], place: int) -> list[str]:
        """Five events that don't happen, or nothing."""
        event = events[place]
        real = [one.event for one in events]
        around = self.stretches[bisect_right(self.stretches, event.start, key=lambda stretch: stretch.start) - 1]
        good: list[str] = []
        problems: list[str] = []
        for attempt in range(self.tries.retries + 1):
            data = {
                "character": event.character,
                "previous": real[max(0, place - PREVIOUS) : place],
                "event": event.event,
                "count": OPTIONS - 1,
                "happens": real[max(0, place - _NEARBY) : place + _NEARBY],
                "text": self.text[around.start : around.end],
                **({"problems": problems} if problems else {}),
            }
            reply = await self._ask(prompts.DISTRACTORS, data, attempt)
            problems = []
            for text in map(one_line, map(str, reply.get("distractors", ()))):
                why = _problem_with(text, event, real, good)
                if why:
                    self.tries.problems[f"a wrong answer {why}"] += 1
                    problems.append(f"this one {why}: {text}")
                else:
                    good.append(text)
            if len(good) >= OPTIONS - 1:
                break
        self._count("questions", len(events) - 1)
        return good[: OPTIONS - 1] if len(good) >= OPTIONS - 1 else []

    async def _ask(self, prompt: WritingPrompt, data: Mapping[str, Any], attempt: int) -> Mapping[str, Any]:
        try:
            return await self.tries.ask(prompt, data, attempt)
        except ModelError as error:
            if error.trouble in ENDING:
                raise
            self.tries.problems[f"a call failed: {error.trouble}"] += 1
            return {}

    def _count(self, what: str, of: int) -> None:
        self.done += 1
        self.step(f"{self.name}: {what}", self.done / of)


def _query(id: str, events: Sequence[BookEvent], place: int, wrong: Sequence[str], seed: int) -> Query:
    event = events[place]
    options = [event.event, *wrong]
    Random(f"{id}:{seed}").shuffle(options)
    before = [one.event for one in events[max(0, place - PREVIOUS) : place]]
    return event_query(id, event.character, before, event.event, options, place + 1)


def _passage(event: BookEvent, place: int, text: str) -> Passage:
    """Where the book tells an event; its details are the words that the event shares with it."""
    quoted = text[event.start : event.end]
    shared = tuple(phrase for text in sentences(quoted) for phrase in runs(text, event.event))
    telling = sum(len(words(phrase).stems) for phrase in shared) >= _TELLING
    return Passage(f"e{place + 1}", quoted, event.start, shared if telling else ())


def _place(text: str, stretch: Span, quote: str) -> Span | None:
    """The whole sentences of a stretch in which a quote stands, whatever its spaces and quotation marks."""
    parts = [re.escape(part) for part in quote.translate(_QUOTES).split()]
    within = text[stretch.start : stretch.end]
    hit = re.search(r"\s+".join(parts), within.translate(_QUOTES)) if parts else None
    if hit is None:
        return None
    touched = [(start, end) for start, end in spans(within) if start < hit.end() and hit.start() < end]
    return Span(stretch.start + touched[0][0], stretch.start + touched[-1][1])


def _problem_with(text: str, event: BookEvent, real: Sequence[str], before: Sequence[str]) -> str:
    """Why a wrong answer can't be used; empty where it can."""
    if event.character.lower() not in text.lower():
        return f"does not name {event.character}"
    if len(words(text).stems) < 3 or count_tokens(text) >= SPECS["eventqa"].max_tokens:
        return "is too short or too long"
    if any(_same(text, one) for one in real):
        return "really happens"
    if any(_same(text, one) for one in before):
        return "says what another says"
    return ""


def _same(a: str, b: str) -> bool:
    """Whether two events say the same, or one's words are inside the other's."""
    left, right = set(words(a).stems), set(words(b).stems)
    return _bare(a) in _bare(b) or _bare(b) in _bare(a) or len(left & right) >= _ALIKE * len(left | right)


def _bare(text: str) -> str:
    return re.sub(r"\W+", " ", text.lower()).strip()


def _without_repeats(found: Sequence[BookEvent]) -> list[BookEvent]:
    """Each event once, and no two that rest on the same sentences."""
    kept: list[BookEvent] = []
    for one in found:
        if not any(_same(one.event, other.event) or _overlap(one, other) for other in kept):
            kept.append(one)
    return kept


def _overlap(a: BookEvent, b: BookEvent) -> bool:
    return a.start < b.end and b.start < a.end


def _spread(items: Sequence[T], count: int) -> list[T]:
    """So many of the items, evenly spread; all where there are no more."""
    if len(items) <= count:
        return list(items)
    return [items[len(items) * n // count] for n in range(count)]
