"""Has a model propose questions about chats. What it proposes is checked by rule, and accepted or not by a person."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memtriage.core.chat import ChatModel, Schema
from memtriage.core.errors import BadInput
from memtriage.host.inputs import read_input
from memtriage.models.json_shapes import TEXT, TEXTS, object_of, objects_of, one_of
from memtriage.suites.kit.writing import DATA, Attempts, TurnedDown, WritingPrompt, one_line
from memtriage.suites.own.documents import Document, parse
from memtriage.suites.own.format import VERSION, SuiteRow, checked
from memtriage.suites.own.importing import import_file
from memtriage.suites.own.layout import Findings, lay_out
from memtriage.text.tokens import count_tokens

KINDS = ("recall", "several-facts", "updates", "deletions", "never-told")
RETRIES = 1
WINDOW = 6000
"""Tokens of chats that a model is shown at once."""

PROMPT = WritingPrompt(
    "own-draft",
    f"""\
You write questions that test whether a memory kept what was said in chats.
{DATA}

`sessions` are chats in the order they were held, with their turns. Propose up to `wanted` questions about what is said
in them and is worth remembering: who somebody is, what they have, like, plan, decided or changed. Each has a `kind`:
- recall: one fact answers it.
- several-facts: it takes two or more facts, best from several sessions.
- updates: what was said first no longer holds, and the question asks for what holds now.
- deletions: somebody asked for something to be forgotten, or took it back, and the question asks for it.
- never-told: it asks for something close to what was said that was never said. It has no facts.
The question is one sentence in the third person that names who is meant, could not be answered by somebody who has not
read the chats, and does not hold its answer. `answer` is as short as it can be; it is empty for deletions and
never-told. `facts` are the sentences that it rests on:
- session: the id of the session.
- sentence: one whole sentence of a turn, copied letter for letter.
- details: the one to three phrases of that sentence, letter for letter, without which it would be another fact.
- holds: no for what was said first and no longer holds, or was taken back; yes for everything else. A question of the
  kind deletions has the sentence that takes back (yes) and what it takes back (no).
Questions in `asked` were proposed before: propose others. If `problems` are given, earlier proposals had them. If
nothing is worth asking, `questions` is empty.
""",
    Schema(
        "own_draft",
        object_of(
            questions=objects_of(
                question=TEXT,
                answer=TEXT,
                kind=one_of(*KINDS),
                facts=objects_of(session=TEXT, sentence=TEXT, details=TEXTS, holds=one_of("yes", "no")),
            )
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question that a model proposes for a store; `old` are its facts that no longer hold."""

    store: int
    kind: str
    question: str
    answer: str
    facts: tuple[Mapping[str, Any], ...]
    old: tuple[Mapping[str, Any], ...]

    @property
    def declined(self) -> bool:
        return self.kind in ("deletions", "never-told")

    def rows(self, id: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """The question as it stands in a suite file, and the older facts that stand beside it."""
        old = [{"id": f"{id}-before-{n}", **fact} for n, fact in enumerate(self.old, start=1)]
        key = "deletes" if self.kind == "deletions" else "replaces"
        voids = {key: [fact["id"] for fact in old]} if old else {}
        question = {
            "id": id,
            "task": self.kind,
            "question": self.question,
            **({"scoring": "abstain"} if self.declined else {"gold": self.answer}),
            **({"facts": [{**fact, **voids} for fact in self.facts]} if self.facts else {}),
        }
        return question, old

    def edited(self, question: str, answer: str) -> Proposal:
        """The proposal in a person's words."""
        return replace(self, question=one_line(question), answer=one_line(answer))


@dataclass(slots=True)
class Draft:
    """What a model proposed for some stores, and why proposals were turned down."""

    stores: list[dict[str, Any]]
    proposals: list[Proposal] = field(default_factory=list)
    problems: Counter[str] = field(default_factory=Counter)

    def file(self, name: str, accepted: Sequence[Proposal]) -> dict[str, Any]:
        """The values of a suite file with the accepted questions."""
        stores = [{**store, "facts": [], "questions": []} for store in self.stores]
        for number, proposal in enumerate(accepted, start=1):
            question, old = proposal.rows(f"q{number}")
            stores[proposal.store]["facts"] += old
            stores[proposal.store]["questions"].append(question)
        return {"memtriage": VERSION, "name": name, "stores": stores}


def read_chats(path: Path, source: str | None) -> list[dict[str, Any]]:
    """The sessions of a suite file, or of logs in the format that is named."""
    if source is not None:
        return [{**store, "facts": [], "questions": []} for store in import_file(path, source).values["stores"]]
    try:
        suite = checked(parse(path, read_input(path)))
    except BadInput as error:
        raise BadInput(f"{error}\nif {path} is a log, name its format: --from sharegpt, openai or langchain") from error
    return [
        {
            **({"id": store.id} if store.id else {}),
            "sessions": [
                {
                    "id": session.id or f"s{n}",
                    **({"date": session.date} if session.date else {}),
                    "turns": [{turn.role: turn.text} for turn in session.turns],
                }
                for n, session in enumerate(store.sessions, start=1)
            ],
        }
        for _, store in suite.each_store()
    ]


async def draft(
    stores: Sequence[Mapping[str, Any]],
    wanted: int,
    model: ChatModel,
    step: Callable[[str, float], None],
    seed: int = 0,
) -> Draft:
    """Ask a model for questions, evenly over the chats, one window of them after the other."""
    found = Draft([{key: store[key] for key in ("id", "sessions") if key in store} for store in stores])
    windows = [(n, window) for n, store in enumerate(found.stores) for window in _windows(store["sessions"])]
    chosen = [windows[i * len(windows) // min(wanted, len(windows))] for i in range(min(wanted, len(windows)))]
    for done, (store, window) in enumerate(chosen):
        step(f"window {done + 1} of {len(chosen)}", done / len(chosen))
        left = wanted - len(found.proposals)
        if left <= 0:
            break
        asked = _Asking(found, store, window, math.ceil(left / (len(chosen) - done)), Attempts(model, seed, RETRIES))
        found.proposals += await asked.tries.until_good(asked.proposals) or []
    step("done", 1.0)
    return found


def _windows(sessions: Sequence[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """The sessions in pieces of so many tokens; a long session goes on in the next piece."""
    window: list[dict[str, Any]] = []
    tokens = 0
    for session in sessions:
        for turn in session["turns"]:
            ((role, text),) = turn.items()
            size = count_tokens(text)
            if window and tokens + size > WINDOW:
                yield window
                window, tokens = [], 0
            if not window or window[-1]["id"] != session["id"]:
                window.append({"id": session["id"], "date": session.get("date", ""), "turns": []})
            window[-1]["turns"].append({"role": role, "text": text})
            tokens += size
    if window:
        yield window


@dataclass(frozen=True, slots=True)
class _Asking:
    """The requests for one window of a store."""

    draft: Draft
    store: int
    window: list[dict[str, Any]]
    wanted: int
    tries: Attempts

    async def proposals(self, attempt: int, wrong: tuple[str, ...]) -> list[Proposal]:
        """The proposals that pass every check; turned down if there are some and none does."""
        asked = [proposal.question for proposal in self.draft.proposals if proposal.store == self.store]
        data = {
            "sessions": self.window,
            "wanted": self.wanted,
            "asked": asked,
            **({"problems": list(wrong)} if wrong else {}),
        }
        reply = await self.tries.ask(PROMPT, data, attempt)
        good: list[Proposal] = []
        bad: list[str] = []
        for row in _rows(reply.get("questions"))[: self.wanted]:
            proposal = _proposal(self.store, row)
            same = proposal.question.casefold() in {each.casefold() for each in (*asked, *(p.question for p in good))}
            problems = ["it was asked before"] if same else list(flaws(proposal, self.draft.stores[self.store]))
            self.draft.problems.update(problems[:1])
            bad += [f"{proposal.question}: {problem}" for problem in problems]
            good += [] if problems else [proposal]
        if bad and not good:
            raise TurnedDown("proposal", *bad)
        return good


def flaws(proposal: Proposal, store: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a proposal: everything that validation would say of a file that holds it."""
    if not proposal.question:
        yield "the question is empty"
        return
    if proposal.kind == "never-told" and (proposal.facts or proposal.old):
        yield "what was never told has no facts"
    if proposal.kind != "never-told" and not proposal.facts:
        yield "it rests on no fact that holds"
    if proposal.kind in ("updates", "deletions") and not proposal.old:
        yield "it names nothing that no longer holds"
    if proposal.kind not in ("updates", "deletions") and proposal.old:
        yield "it rests on a fact that no longer holds"
    question, old = proposal.rows("q")
    values = {"sessions": store["sessions"], "facts": old, "questions": [question]}
    document = Document(Path("draft"), values, {})
    try:
        suite: SuiteRow = checked(document)
    except BadInput as error:
        yield from (line.partition(": ")[2] or line for line in str(error).splitlines())
        return
    findings = Findings(document)
    lay_out(suite, "draft", (proposal.kind,), findings)
    yield from (problem.message.partition(": ")[2] for problem in findings.problems)


def _proposal(store: int, row: Mapping[str, Any]) -> Proposal:
    facts = [
        (
            str(fact.get("holds")) != "no",
            {
                "evidence": str(fact.get("sentence") or "").strip(),
                "details": [str(detail) for detail in _list(fact.get("details")) if str(detail).strip()],
                "session": str(fact.get("session") or "").strip(),
            },
        )
        for fact in _rows(row.get("facts"))
    ]
    return Proposal(
        store,
        str(row.get("kind")),
        one_line(str(row.get("question") or "")),
        one_line(str(row.get("answer") or "")),
        tuple(fact for holds, fact in facts if holds),
        tuple(fact for holds, fact in facts if not holds),
    )


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _rows(value: object) -> list[Mapping[str, Any]]:
    return [row for row in _list(value) if isinstance(row, Mapping)]
