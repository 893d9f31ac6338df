"""From the stores of a suite file to episodes, with everything that doesn't fit together on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import pairwise
from string import ascii_uppercase

from memtriage.core.episode import Episode, Fact, Outdated, Probe, Session, Turn
from memtriage.core.suite import Problem
from memtriage.suites.own.documents import Document, Loc
from memtriage.suites.own.format import FactRow, QuestionRow, StoreRow, SuiteRow
from memtriage.text.sentences import spans
from memtriage.text.words import hinge_stems, vague_stems, words

_CLOSE = 60
"""How alike, of 100, a sentence must be to be offered in the place of evidence that stands nowhere."""

Position = tuple[int, int]
"""A turn: the place of its session, and its place there."""


@dataclass(slots=True)
class Findings:
    """What is wrong with a file, with the place of each."""

    document: Document
    problems: list[Problem] = field(default_factory=list)

    def error(self, loc: Loc, message: str) -> None:
        self.problems.append(Problem(f"{self.document.place(loc)}: {message}", True))

    def warning(self, loc: Loc, message: str) -> None:
        self.problems.append(Problem(f"{self.document.place(loc)}: {message}", False))


@dataclass(frozen=True, slots=True)
class _Told:
    """A fact, and the turn with which all of it was told for the first time; one that only follows has none."""

    fact: Fact
    row: FactRow
    loc: Loc
    at: Position | None

    @property
    def known_from(self) -> int:
        """The place of the session after which it is known."""
        return self.at[0] if self.at else -1

    @property
    def voids(self) -> list[str]:
        return [*self.row.replaces, *self.row.deletes]


def lay_out(suite: SuiteRow, name: str, kinds: Sequence[str], findings: Findings) -> list[Episode]:
    """The episodes of a file. Where something is wrong they are not to be used."""
    stores = list(suite.each_store())
    ids = [store.id or f"store-{n}" for n, (_, store) in enumerate(stores, start=1)]
    _unique(ids, [loc for loc, _ in stores], "store", findings)
    task = f"{name}/{kinds[0] if len(kinds) == 1 else 'all'}"
    return [
        _Store(store, loc, f"{id}/" if len(stores) > 1 else "", findings).episode(f"{name}/{id}", name, task)
        for id, (loc, store) in zip(ids, stores, strict=True)
    ]


def _unique(ids: Sequence[str], locs: Sequence[Loc], what: str, findings: Findings) -> None:
    seen: set[str] = set()
    for id, loc in zip(ids, locs, strict=True):
        if id in seen:
            findings.error(loc, f"another {what} has the id {id!r}; give each its own")
        seen.add(id)


class _Store:
    """One store of a file: what it is told, the facts, the questions."""

    def __init__(self, row: StoreRow, loc: Loc, prefix: str, findings: Findings) -> None:
        self._row, self._loc, self._prefix, self._findings = row, loc, prefix, findings
        self._names = [session.id or f"s{n}" for n, session in enumerate(row.sessions, start=1)]
        self._place = {name: n for n, name in enumerate(self._names)}
        self._dates = [session.date or "" for session in row.sessions]
        self._told: dict[str, _Told] = {}

    def episode(self, id: str, name: str, task: str) -> Episode:
        sessions = self._sessions()
        self._check_dates()
        ids = [self._question_id(n) for n in range(len(self._row.questions))]
        _unique(ids, [(*self._loc, "questions", n) for n in range(len(ids))], "question", self._findings)
        self._find_facts(ids)
        self._check_order()
        probes = [self._probe(n, id, name) for n, id in enumerate(ids)]
        self._check_use(probes)
        if any(problem.is_error for problem in self._findings.problems):
            return Episode(id, task, (), (), ())
        facts = tuple(told.fact for told in self._told.values())
        return Episode(id, task, sessions, facts, tuple(_clustered(probes)))

    def _question_id(self, n: int) -> str:
        return self._row.questions[n].id or f"q{n + 1}"

    # -------------------------------------------------------------- what is told

    def _sessions(self) -> tuple[Session, ...]:
        locs: list[Loc] = [(*self._loc, "sessions", n) for n in range(len(self._names))]
        _unique(self._names, locs, "session", self._findings)
        return tuple(
            Session(
                name,
                tuple(Turn(turn.role, turn.text, self._turn_id(n, i)) for i, turn in enumerate(session.turns)),
                session.date,
            )
            for n, (name, session) in enumerate(zip(self._names, self._row.sessions, strict=True))
        )

    def _turn_id(self, session: int, turn: int) -> str:
        return f"{self._names[session]}/{turn + 1}"

    def _check_dates(self) -> None:
        dated = [n for n, date in enumerate(self._dates) if date]
        for n in (n for n, date in enumerate(self._dates) if dated and not date):
            self._findings.error((*self._loc, "sessions", n), "it has no date, but others do; date all or none")
        for before, n in pairwise(dated):
            if _ends(self._dates[n]) < _begins(self._dates[before]):
                self._findings.error(
                    (*self._loc, "sessions", n, "date"),
                    f"{self._dates[n]} is before {self._dates[before]}, the date of session {self._names[before]!r} "
                    "above it; sessions stand in the order they were held",
                )

    # -------------------------------------------------------------- facts

    def _find_facts(self, questions: Sequence[str]) -> None:
        """Find the turns of all facts: those of the store, and those that stand in questions."""
        for n, row in enumerate(self._row.facts):
            self._add_fact(row.id or f"f{n + 1}", row, (*self._loc, "facts", n))
        for n, question in enumerate(self._row.questions):
            for i, use in enumerate(question.facts):
                if isinstance(use, FactRow):
                    id = use.id or f"{questions[n]}/{i + 1}"
                    self._add_fact(id, use, (*self._loc, "questions", n, "facts", i))

    def _add_fact(self, id: str, row: FactRow, loc: Loc) -> None:
        if id in self._told:
            self._findings.error(loc, f"another fact has the id {id!r}; give each its own")
        sentences, positions, told = self._evidence(row, loc)
        said = " ".join(sentences) or row.text
        self._check_details(row, said, loc)
        fact = Fact(
            id=id,
            text=row.text.strip() or said or id,
            turns=tuple(self._turn_id(*position) for position in positions),
            details=tuple(row.details) or (tuple(sentences) or (row.text.strip(),)),
            evidence=tuple(sentences),
            subject=row.subject.strip(),
            split=len(sentences) > 1 if row.split is None else row.split,
            settled=row.settled,
        )
        self._told[id] = _Told(fact, row, loc, told)

    def _evidence(self, row: FactRow, loc: Loc) -> tuple[list[str], tuple[Position, ...], Position | None]:
        """The whole sentences that tell a fact, the turns that they stand in, and the one with which all was told."""
        if row.settled:
            if row.evidence or not row.text.strip():
                self._findings.error(loc, "a settled fact was never said: give it a text, and no evidence")
            return [], (), None
        if not row.evidence:
            self._findings.error(loc, "it has no evidence; copy the sentence that tells it, word for word")
        if row.session is not None and row.session not in self._place:
            self._findings.error((*loc, "session"), f"there is no session {row.session!r} ({_few(self._names)})")
            return [], (), None
        sentences: dict[str, None] = {}
        positions: set[Position] = set()
        first: list[Position] = []
        for n, text in enumerate(row.evidence):
            found = list(self._search(text, row.session))
            if not found:
                self._findings.error((*loc, "evidence", n) if len(row.evidence) > 1 else loc, self._missing(text, row))
            sentences |= dict.fromkeys(sentence for _, said in found for sentence in said)
            positions |= {position for position, _ in found}
            first += [position for position, _ in found[:1]]
        return list(sentences), tuple(sorted(positions)), max(first, default=None)

    def _search(self, text: str, session: str | None) -> Iterator[tuple[Position, list[str]]]:
        """The turns that hold a text, whatever its line breaks, each with the whole sentences it stands in."""
        wanted = re.compile(r"\s+".join(map(re.escape, text.split())))
        for n, row in enumerate(self._row.sessions):
            if session is not None and self._names[n] != session:
                continue
            for i, turn in enumerate(row.turns):
                if found := wanted.search(turn.text):
                    cut = _spans(turn.text)
                    yield (n, i), [turn.text[a:b] for a, b in cut if a < found.end() and found.start() < b]

    def _missing(self, text: str, row: FactRow) -> str:
        from rapidfuzz import fuzz, process

        said = {
            turn.text[a:b]: name
            for name, session in zip(self._names, self._row.sessions, strict=True)
            if row.session in (None, name)
            for turn in session.turns
            for a, b in _spans(turn.text)
        }
        best = process.extractOne(text, said.keys(), scorer=fuzz.ratio, score_cutoff=_CLOSE)
        closest = f"; the closest sentence, in session {said[best[0]]!r}, is {_short(best[0])!r}" if best else ""
        where = f"session {row.session!r}" if row.session else "any turn"
        return f"the evidence {_short(text)!r} does not stand in {where}; copy it word for word{closest}"

    def _check_details(self, row: FactRow, said: str, loc: Loc) -> None:
        if not said:
            return
        if not row.details:
            self._findings.warning(
                loc, "it has no details, so every word of it counts; name the phrases without which it is another fact"
            )
        flat = " ".join(said.split()).casefold()
        for detail in row.details:
            if not row.settled and " ".join(detail.split()).casefold() not in flat:
                self._findings.error(
                    loc, f"the detail {_short(detail)!r} does not stand in its evidence; spell it as it was said"
                )

    def _check_order(self) -> None:
        """A fact replaces or deletes one that was told before it."""
        for id, told in self._told.items():
            for key in ("replaces", "deletes"):
                for old in getattr(told.row, key):
                    before = self._told.get(old)
                    if before is None:
                        self._findings.error(told.loc, f"it {key} {old!r}, which is no fact ({_few(self._told)})")
                    elif old == id or (before.at and told.at and before.at >= told.at):
                        self._findings.error(
                            told.loc, f"it {key} {old!r}, which is not told before it; name the older fact"
                        )

    # -------------------------------------------------------------- questions

    def _probe(self, n: int, id: str, name: str) -> Probe:
        row = self._row.questions[n]
        loc: Loc = (*self._loc, "questions", n)
        asked = self._asked_after(row, loc)
        sets = self._sufficient(row, id, loc)
        needed = list(dict.fromkeys(fact for each in sets for fact in each))
        self._check_told(row, needed, asked, loc)
        scoring = row.scored_by
        self._check_scoring(row, needed, loc)
        golds = list(dict.fromkeys((*([row.gold] if row.gold else []), *row.golds)))
        if scoring != "abstain":
            self._check_answers(golds, needed, loc)
        correct = row.choices.index(row.gold) if scoring == "choice" and row.gold in row.choices else None
        return Probe(
            id=f"{self._prefix}{id}",
            text=row.question,
            gold=row.gold or "; ".join(row.golds) or ("It was never said, or no longer holds." if not golds else ""),
            sufficient=tuple(sets),
            scoring=scoring,
            choices=tuple(row.choices),
            correct_choice=ascii_uppercase[correct] if correct is not None and correct < 26 else "",
            after=self._names[asked] if asked < len(self._names) - 1 else None,
            tags=row.tags,
            task=f"{name}/{row.task}",
            outdated=tuple(self._outdated(needed, asked)),
            asked_at=_ends(row.date) if row.date else None,  # a day is over: what was said on it was said before
            targets=self._targets(needed) if scoring != "abstain" else (),
            golds=tuple(row.golds) if scoring in ("points", "nuggets") else tuple(golds) if len(golds) > 1 else (),
        )

    def _check_answers(self, golds: Iterable[str], needed: Iterable[str], loc: Loc) -> None:
        """An answer that stands in the evidence is a detail, or a memory that changes it passes for right."""
        facts = [self._told[id].fact for id in needed if id in self._told]
        kept = {stem for fact in facts for detail in fact.details for stem in words(detail).stems}
        for gold in golds:
            text = r"\s+".join(map(re.escape, gold.split()))
            standing = re.compile(rf"(?<!\w){text}(?!\w)", re.IGNORECASE)
            lost = set(words(gold).stems) - kept - vague_stems() - hinge_stems()
            if lost and (holding := [fact for fact in facts if standing.search(" ".join(fact.evidence))]):
                self._findings.warning(
                    loc,
                    f"its answer {_short(gold)!r} stands in the evidence of fact {holding[0].id!r}, but in no detail: "
                    "a memory that changes it would pass for right; add it to the details",
                )

    def _targets(self, needed: Iterable[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(turn for id in needed if id in self._told for turn in self._told[id].fact.turns))

    def _asked_after(self, row: QuestionRow, loc: Loc) -> int:
        """The place of the session after which a question is asked: the named one, or the last before its date."""
        last = len(self._names) - 1
        if row.after is not None and row.after not in self._place:
            self._findings.error(
                (*loc, "after"), f"there is no session {row.after!r} to ask it after ({_few(self._names)})"
            )
            return last
        if row.date is None or not all(self._dates):
            return last if row.after is None else self._place[row.after]
        earlier = [n for n, date in enumerate(self._dates) if _begins(date) <= _ends(row.date)]
        if row.after is None:
            if not earlier:
                self._findings.error((*loc, "date"), f"{row.date} is before the first session; nothing was told yet")
            return max(earlier, default=last)
        asked = self._place[row.after]
        if asked not in earlier:
            self._findings.error(
                (*loc, "date"),
                f"{row.date} is before {self._dates[asked]}, the date of session {row.after!r} that it is asked "
                "after; mend one of them",
            )
        return asked

    def _sufficient(self, row: QuestionRow, id: str, loc: Loc) -> list[tuple[str, ...]]:
        if row.facts and row.sufficient:
            self._findings.error(loc, "facts and sufficient are both given; facts are all needed, sufficient are sets")
        own = [(use.id or f"{id}/{n}") if isinstance(use, FactRow) else use for n, use in enumerate(row.facts, start=1)]
        sets = [tuple(each) for each in row.sufficient] or ([tuple(own)] if own else [])
        for fact in dict.fromkeys(fact for each in sets for fact in each):
            if fact not in self._told:
                self._findings.error(
                    loc, f"it needs the fact {_short(fact)!r}, which does not exist ({_few(self._told)})"
                )
        return sets

    def _check_told(self, row: QuestionRow, needed: Sequence[str], asked: int, loc: Loc) -> None:
        for id in needed:
            told = self._told.get(id)
            if told is None:
                continue
            if told.known_from > asked:
                self._findings.error(
                    loc,
                    f"it is asked after session {self._names[asked]!r}, but its fact {id!r} is told in "
                    f"{self._names[told.known_from]!r}; ask it later, or leave the fact out",
                )
            newer = [other for other in self._voiding(id, asked) if other not in needed]
            if newer and row.scored_by != "abstain":
                self._findings.warning(
                    loc, f"its fact {id!r} no longer holds, as {newer[-1]!r} voids it; is {newer[-1]!r} meant?"
                )

    def _voiding(self, id: str, asked: int, seen: frozenset[str] = frozenset()) -> list[str]:
        """The facts that void a fact, directly or by voiding what did, and are told when a question is asked."""
        direct = [
            other for other, told in self._told.items() if id in told.voids and told.known_from <= asked and other != id
        ]
        further = [far for near in direct if near not in seen for far in self._voiding(near, asked, seen | {near})]
        return list(dict.fromkeys((*direct, *further)))

    def _outdated(self, needed: Sequence[str], asked: int) -> Iterator[Outdated]:
        """What the needed facts replaced or deleted, however long ago."""
        left, seen = list(needed), set(needed)
        while left:
            told = self._told.get(left.pop())
            for old in told.voids if told else ():
                if old not in seen and old in self._told:
                    seen.add(old)
                    left.append(old)
                    yield Outdated(old, tuple(self._voiding(old, asked)))

    def _check_scoring(self, row: QuestionRow, needed: Sequence[str], loc: Loc) -> None:
        error, scoring = self._findings.error, row.scored_by
        if scoring == "choice":
            if not 2 <= len(row.choices) <= len(ascii_uppercase):
                error(loc, f"it has {len(row.choices)} choices; give 2 to {len(ascii_uppercase)}")
            elif len(set(row.choices)) < len(row.choices):
                error(loc, "two of its choices are the same; change one of them")
            elif row.gold not in row.choices:
                error(loc, f"gold {_short(row.gold)!r} is none of its choices; repeat the right one word for word")
        elif row.choices:
            error(loc, f"choices don't go with scoring {scoring!r}; leave one of them out")
        if scoring == "points" and not row.golds:
            error(loc, "scoring 'points' needs golds, the points that a right answer makes")
        elif scoring == "nuggets" and not row.golds:
            error(loc, "scoring 'nuggets' needs golds, what a right answer holds or does, one by one")
        elif scoring not in ("abstain", "points", "nuggets") and not (row.gold or row.golds):
            error(loc, "it has no gold answer; give gold, or scoring: abstain if it can't be known")
        if scoring == "abstain":
            deleted = any(self._told[id].voids for id in needed if id in self._told)
            if needed and not deleted:
                error(loc, "it is to be declined, but needs facts that delete nothing; leave the facts out")
        elif not needed:
            self._findings.warning(
                loc, "it names no facts, so only a judged answer can be right or wrong; name the facts it needs"
            )
        elif any(self._told[id].row.deletes for id in needed if id in self._told):
            self._findings.warning(loc, "it rests on a deletion; is scoring: abstain missing?")
        asked = _words(row.question)
        if scoring in ("free", "contains", "exact") and row.gold and f" {_words(row.gold).strip()} " in asked:
            self._findings.warning(loc, f"the question gives its answer {_short(row.gold)!r} away; ask without it")

    def _check_use(self, probes: Iterable[Probe]) -> None:
        used = {id for probe in probes for id in probe.needed}
        used |= {old.fact for probe in probes for old in probe.outdated}
        for id, told in self._told.items():
            if id not in used and self._row.questions:
                self._findings.warning(told.loc, "no question needs it; ask for it, or leave it out")


def _clustered(probes: Sequence[Probe]) -> Iterator[Probe]:
    """The probes with clusters: questions that share a fact, directly or through others, share their luck."""
    cluster: dict[str, str] = {}
    for probe in probes:
        shared = sorted({cluster[id] for id in probe.needed if id in cluster})
        name = shared[0] if shared else probe.id
        cluster |= {id: name for id, old in cluster.items() if old in shared} | dict.fromkeys(probe.needed, name)
    for probe in probes:
        own = next((cluster[id] for id in probe.needed), probe.id)
        yield replace(probe, cluster=own)


@lru_cache(maxsize=1 << 14)
def _spans(text: str) -> tuple[tuple[int, int], ...]:
    return tuple(spans(text))


def _begins(date: str) -> str:
    return date if "T" in date else f"{date}T00:00"


def _ends(date: str) -> str:
    return date if "T" in date else f"{date}T23:59"


def _words(text: str) -> str:
    return " ".join(["", *re.findall(r"[^\W_]+", text.casefold()), ""])


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"


def _few(names: Iterable[str]) -> str:
    listed = list(names)
    return f"there are {', '.join(listed[:8])}{', …' if len(listed) > 8 else ''}" if listed else "there are none"
