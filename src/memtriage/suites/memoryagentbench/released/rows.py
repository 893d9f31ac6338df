"""From a row of the released files to a context: its kind by its source, and what its questions need.

Released rows don't say which part of a context a question needs. For numbered facts that follows from the facts, for
labels from the examples, for chats from the messages that are marked; for documents and novels it is looked for by
words. Where it stays open, only answers can be graded.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from memtriage.core.errors import BadInput
from memtriage.core.rubric import JUDGED_AS
from memtriage.suites.kit.dates import parse_date
from memtriage.suites.longmemeval.public import (
    ABSTENTION,
    TYPES,
    Chat,
    DatedChat,
    Question,
    QuestionType,
    find_evidence,
)
from memtriage.suites.memoryagentbench import fact_contexts, labelled_examples
from memtriage.suites.memoryagentbench.context import Context, Passage, Query
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind
from memtriage.suites.memoryagentbench.released.evidence import SentenceIndex
from memtriage.suites.memoryagentbench.released.parquet import Row
from memtriage.text.sentences import sentences, spans
from memtriage.text.tokens import count_tokens

SOURCES: Mapping[str, Kind] = {
    r"ruler_qa1_.+": "sh-docqa",
    r"ruler_qa2_.+": "mh-docqa",
    r"longmemeval_.+": "longmemeval",
    r"eventqa_.+": "eventqa",
    r"icl_.+": "icl",
    r"recsys_redial.*": "recommendation",
    r"infbench_sum.*": "summarization",
    r"detective_?qa.*": "detective",
    r"factconsolidation_sh_.+": "factconsolidation-sh",
    r"factconsolidation_mh_.+": "factconsolidation-mh",
}
"""Which kind the contexts of a source are, by its name."""

_LENGTH = re.compile(r"_(\d+)(k?)$", re.IGNORECASE)
_LEFT_OUT = "; it was left out"
_GOLD_TAG = "gold"
"""The tag that says where it is known from what a question needs."""


@dataclass(frozen=True, slots=True)
class Released:
    """The context of a row, what it has no place for, and what was wrong with some of its questions.

    `references` are summaries by somebody who knows the story, by the question's id; `cut` is how many sentences were
    longer than a chunk and were split.
    """

    context: Context
    references: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    cut: int = 0


def kind_of(source: str) -> Kind | None:
    """The kind of a source's contexts; None where nobody knows it.

    >>> kind_of("icl_banking77_5900shot_balance"), kind_of("ruler_niah_1")
    ('icl', None)
    """
    return next((kind for pattern, kind in SOURCES.items() if re.fullmatch(pattern, source, re.IGNORECASE)), None)


def length_of(source: str) -> str:
    """The length of a source's contexts as its name tells it; "" where it doesn't.

    >>> length_of("eventqa_65536"), length_of("ruler_qa1_197K"), length_of("eventqa_full")
    ('64k', '197k', '')
    """
    found = _LENGTH.search(source)
    if found is None:
        return ""
    return f"{found[1]}k" if found[2] else f"{int(found[1]) // 1024}k"


def released(row: Row, id: str, titles: Mapping[str, str] | None = None) -> Released:
    """The context of a row. A question that can't be used is left out and named; so is the row, by `BadInput`."""
    kind = kind_of(row.source)
    if kind is None:
        raise BadInput(f"{row.where}: nobody knows this source")
    whole = _chats_as_text(row.context) if kind == "longmemeval" else row.context
    text, cut = split_long_sentences(whole, SPECS[kind].chunk)
    tags = {"length": length_of(row.source) or f"{count_tokens(text) // 1024}k"}
    reader = _RowReader(row, id, kind, text, titles or {})
    context = reader.context(tags)
    if not context.queries:
        first = reader.problems[0].removeprefix(f"{row.where}, ").removesuffix(_LEFT_OUT)
        raise BadInput(f"{row.where}: none of its {len(row.questions)} questions can be used; {first}")
    return Released(context, reader.references, tuple(reader.problems), cut)


def gold_answers(row: Row, id: str, titles: Mapping[str, str] | None = None) -> Released:
    """The questions of a row with their gold answers, and no more: nothing is looked for in its context.

    A question that can't be used is left out and named.
    """
    kind = kind_of(row.source)
    if kind is None:
        raise BadInput(f"{row.where}: nobody knows this source")
    reader = _RowReader(row, id, kind, "", titles or {})
    queries = tuple(reader.bare_query(n, golds) for n, golds in reader.usable_questions())
    context = Context(id, kind, row.source, "", (), queries, {"length": length_of(row.source)})
    return Released(context, reader.references, tuple(reader.problems))


class _RowReader:
    """Turns one row into a context."""

    def __init__(self, row: Row, id: str, kind: Kind, text: str, titles: Mapping[str, str]) -> None:
        self._row = row
        self._id = id
        self._kind = kind
        self._text = text
        self._titles = titles
        self._passages: dict[str, Passage] = {}
        self.references: dict[str, str] = {}
        self.problems: list[str] = []

    def context(self, tags: Mapping[str, str]) -> Context:
        row, asked = self._row, list(self.usable_questions())
        if self._kind in ("factconsolidation-sh", "factconsolidation-mh"):
            named = [(self._query_id(n), row.questions[n], golds) for n, golds in asked]
            context = fact_contexts.released_context(self._id, self._kind, row.source, self._text, named, tags)
            return self._with_own_tags(context)
        if self._kind == "icl":
            return self._with_own_tags(self._labelled(asked, tags))
        queries = tuple(self._query(n, golds) for n, golds in asked)
        passages = tuple(self._passages.values())
        return Context(self._id, self._kind, row.source, self._text, passages, queries, tags)

    def usable_questions(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The questions that can be used, with their gold answers."""
        for n, (question, answers) in enumerate(zip(self._row.questions, self._row.answers, strict=True)):
            golds = tuple(dict.fromkeys(answer.strip() for answer in answers if answer.strip()))
            if not question.strip() or not golds:
                self._leave_out(n, "it has no words" if golds else "it has no answer")
            elif self._kind == "recommendation":
                yield from self._with_titles(n, golds)
            else:
                yield n, golds

    def _with_titles(self, n: int, golds: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
        ids = [id.strip() for gold in golds for id in gold.split(",") if id.strip()]
        unknown = [id for id in ids if id not in self._titles]
        if unknown:
            self._leave_out(n, f"entity2id.json has no title for its answer {unknown[0]!r}")
        else:
            yield n, tuple(dict.fromkeys(self._titles[id] for id in ids))

    def _labelled(self, asked: list[tuple[int, tuple[str, ...]]], tags: Mapping[str, str]) -> Context:
        labels = {label for _, _, label in labelled_examples.blocks(self._text)}
        if not labels:
            raise BadInput(f"{self._row.where}: no example has a line such as 'label: 12'")
        for n, golds in asked:
            if not labels & set(golds):
                self._leave_out(n, f"its label {golds[0]!r} is not in the mapping: no example has it")
        named = [(self._query_id(n), self._row.questions[n], golds) for n, golds in asked if labels & set(golds)]
        return labelled_examples.released_context(self._id, self._row.source, self._text, named, tags)

    def _with_own_tags(self, context: Context) -> Context:
        """The same with the tags that every question has; ids tell which question of the row each is."""
        queries = (replace(q, tags={**self._tags(int(q.id.rpartition("/q")[2])), **q.tags}) for q in context.queries)
        return replace(context, queries=tuple(queries))

    def _query(self, n: int, golds: tuple[str, ...]) -> Query:
        words = self._row.questions[n]
        match self._kind:
            case "sh-docqa" | "mh-docqa":
                return self._aligned(self.bare_query(n, golds), self._sentences.answering(f"answer/{n}", words, golds))
            case "eventqa":
                return self._aligned(self.bare_query(n, golds), self._sentences.telling(f"event/{n}", golds[0]))
            case "longmemeval":
                return self._chat_query(self._query_id(n), n, golds, self._tags(n))
        bare = self.bare_query(n, golds)
        return replace(bare, tags={**bare.tags, _GOLD_TAG: "answer"})

    def bare_query(self, n: int, golds: tuple[str, ...]) -> Query:
        """A question with its gold answers, without what it needs of the context."""
        id, tags = self._query_id(n), self._tags(n)
        if self._kind == "longmemeval":
            return self._chat_query(id, n, golds, tags)
        if self._kind == "summarization":
            return self._summary(id, self._row.questions[n], golds, tags)
        return Query(id, self._row.questions[n], golds, SPECS[self._kind].scoring, tags=tags)

    def _aligned(self, query: Query, found: Passage | None) -> Query:
        if found is None:
            return replace(query, tags={**query.tags, _GOLD_TAG: "answer"})
        self._passages[found.id] = found
        return replace(query, needed=((found.id,),), tags={**query.tags, _GOLD_TAG: "aligned"})

    def _summary(self, id: str, words: str, golds: tuple[str, ...], tags: Mapping[str, str]) -> Query:
        points = tuple(point.strip() for point in self._row.lists.get("keypoints", ()) if point.strip())
        self.references[id] = golds[0]
        points = points or tuple(sentences(golds[0]))
        return Query(id, words, points, "points", tags=tags)

    def _chat_query(self, id: str, n: int, golds: tuple[str, ...], tags: Mapping[str, str]) -> Query:
        row, type = self._row, self._row.listed("question_types", n)
        asked_at = parse_date(row.listed("question_dates", n))
        if row.listed("question_ids", n).endswith("_abs"):
            tags = {**tags, "type": ABSTENTION, JUDGED_AS: f"longmemeval/{ABSTENTION}"}
            return Query(id, row.questions[n], golds, "abstain", asked_at=asked_at, tags=tags)
        known = next((each for each in TYPES if each == type), None)
        judged = {"type": known, JUDGED_AS: f"longmemeval/{known}"} if known else {}
        found = self._marked_passages(n, known or "single-session-user", golds[0], asked_at or "")
        latest = [ids for _, ids in sorted(found.items())]
        needed = tuple(each for ids in latest for each in ids)
        outdated: tuple[tuple[str, tuple[str, ...]], ...] = ()
        if known == "knowledge-update" and len(latest) > 1:
            old = tuple(each for ids in latest[:-1] for each in ids)
            needed, outdated = latest[-1], tuple((each, latest[-1]) for each in old)
        sets = (needed,) if needed else ()
        tags = {**tags, **judged, _GOLD_TAG: "marked" if found else "answer"}
        return Query(id, row.questions[n], golds, "free", sets, outdated, asked_at=asked_at, tags=tags)

    def _marked_passages(self, n: int, type: QuestionType, answer: str, asked_at: str) -> dict[int, tuple[str, ...]]:
        """The passages of the messages that are marked for a question, by where they stand in the context."""
        chats = self._row.chats[n] if n < len(self._row.chats) else ()
        history = tuple(DatedChat("", Chat(str(place), messages)) for place, messages in enumerate(chats))
        question = Question("", type, self._row.questions[n], answer, asked_at, history, ())
        found: dict[int, tuple[str, ...]] = {}
        for evidence in find_evidence(question):
            message = chats[int(evidence.chat)][evidence.message].text
            at = self._text.find(message)
            if at < 0:
                return {}  # half of what it needs would be taken for all
            ids = []
            for part, sentence in enumerate(evidence.texts):
                start, end = self._sentences.whole(*_find(self._text, sentence, at))
                passage = self._text[start:end]
                details = tuple(detail for detail in evidence.details if detail in passage)
                ids.append(f"chat/{n}/{evidence.chat}/{evidence.message}/{part}")
                self._passages[ids[-1]] = Passage(ids[-1], passage, start, details)
            found[at] = tuple(ids)
        return found

    @cached_property
    def _sentences(self) -> SentenceIndex:
        return SentenceIndex(self._text)

    def _query_id(self, n: int) -> str:
        return f"{self._id}/q{n}"

    def _tags(self, n: int) -> dict[str, str]:
        named = self._row.listed("qa_pair_ids", n)
        return {"qa_pair_id": named} if named else {}

    def _leave_out(self, n: int, why: str) -> None:
        self.problems.append(f"{self._row.where}, question {n + 1}: {why}{_LEFT_OUT}")


def _find(text: str, sentence: str, at: int) -> tuple[int, int]:
    start = max(text.find(sentence, at), at)
    return start, start + len(sentence)


def split_long_sentences(text: str, tokens: int) -> tuple[str, int]:
    """A text in which no sentence is longer than a chunk: such are split by blank lines; and how many there were.

    >>> split_long_sentences("One two three four. Five.", 3)[1]
    1
    """
    pieces, done, cut = [], 0, 0
    for start, end in spans(text):
        if len(text[start:end].encode()) <= tokens or count_tokens(text[start:end]) <= tokens:  # a token has a byte
            continue
        cut += 1
        pieces += [text[done:start], "\n\n".join(_stretches(text[start:end], tokens))]
        done = end
    return "".join([*pieces, text[done:]]), cut


def _stretches(sentence: str, tokens: int) -> Iterator[str]:
    """A long sentence in stretches of about so many bytes, cut between words where there are any."""
    start = 0
    while start < len(sentence):
        most = sentence[start : start + tokens].encode()[:tokens].decode(errors="ignore") or sentence[start]
        end = start + len(most)
        space = sentence.rfind(" ", start + len(most) // 2, end) if end < len(sentence) else -1
        end = space if space > start else end
        yield sentence[start:end]
        start = end
        while sentence[start : start + 1] == " ":
            start += 1


def _chats_as_text(context: str) -> str:
    """Chats as people write them down; the released files hold them as a list in Python's notation.

    >>> _chats_as_text("['Chat Time: 2023/05/20', [{'role': 'user', 'content': 'Hi.'}]]")
    'Chat Time: 2023/05/20\\nuser:\\nHi.'
    """
    if not context.lstrip().startswith("["):
        return context
    try:
        listed = ast.literal_eval(context.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return context
    return "\n\n".join("\n".join(_lines(part)) for part in _paired(listed))


def _paired(listed: list[object]) -> Iterator[list[object]]:
    """A chat with the heading before it."""
    heading: list[object] = []
    for part in listed:
        if isinstance(part, list):
            yield [*heading, *part]
            heading = []
        else:
            heading.append(part)
    if heading:
        yield heading


def _lines(part: list[object]) -> Iterator[str]:
    for each in part:
        if isinstance(each, dict):
            yield f"{each.get('role', 'user')}:\n{str(each.get('content', '')).strip()}"
        else:
            yield str(each).strip()
