"""Rewritten memories with planted faults: a store that keeps every fact in some style, except for the planned faults.

The store is made from the gold facts by rule, without any detector. A fact that can't be rewritten in the style is kept
as it was said, and is not tested.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import Verdict
from memtriage.diagnose.stages import Texts
from memtriage.text.words import words
from memtriage.validate.planted_alterations import ALTERATIONS, Alteration, alter
from memtriage.validate.planted_english import continued
from memtriage.validate.planted_faults import planted_answer, shared_sentences
from memtriage.validate.planted_rewritings import STYLES, Rewritten, Style, Told, rewrite

RewrittenFault = Alteration | Literal["merged_with_loss", "drop", "overwritten", "hide", "misread"]
FAULTS: tuple[RewrittenFault, ...] = (*ALTERATIONS, "merged_with_loss", "drop", "overwritten", "hide", "misread")

StyleChoice = Style | Literal["mixed"]
STYLE_CHOICES: tuple[StyleChoice, ...] = (*STYLES, "mixed")

_MERGED = 2
_NOTE_LINES = 3
_SAME_ATTRIBUTE = 0.5
"""Facts that share this much of their words without the details are taken for two values of one attribute."""


def expected(fault: RewrittenFault | None) -> Verdict:
    """The right verdict for a fault, or for a lossless rewriting."""
    match fault:
        case None:
            return "correct"
        case "drop" | "overwritten":
            return "not_stored"
        case "hide":
            return "not_retrieved"
        case "misread":
            return "reasoning_error"
    return "summary_error"


@dataclass(frozen=True, slots=True)
class PlantedFault:
    """A fault in one fact, planted for one probe; `told` is what is kept of the fact.

    A misread concerns all facts of its probe.
    """

    kind: RewrittenFault
    probe: str
    told: Told


class RewrittenMemory:
    """A store of one episode in one style; with `mixed`, each fact has a style of its own."""

    def __init__(self, episode: Episode, style: StyleChoice, rate: float, seed: int) -> None:
        self._episode = episode
        self._style = style
        self.rate = rate
        self._told = {fact.id: told for fact, told in tellings(episode)}
        self._rng = random.Random(f"rewritten:{episode.id}:{style}:{seed}")
        self.styles = self._choose_styles()
        self.faults: dict[str, PlantedFault] = {}
        if rate:
            self._plant(rate)

    @property
    def said(self) -> frozenset[str]:
        """The facts that were said, and could be kept."""
        return frozenset(self._told)

    def _choose_styles(self) -> dict[str, Style]:
        """The style of each fact that can be rewritten."""
        styles: dict[str, Style] = {}
        for id, told in self._told.items():
            tried: list[Style] = []
            if self._style == "mixed":
                tried += [style for style in self._rng.sample(STYLES, len(STYLES)) if style != "merged"]
            else:
                tried.append(self._style)
            style = next((style for style in tried if rewrite(style, told)), None)
            if style is not None:
                styles[id] = style
        if self._style == "merged" and len(styles) % _MERGED:
            styles.popitem()  # it has none to be merged with
        return styles

    # ------------------------------------------------------------------ the plan

    def _plant(self, rate: float) -> None:
        """Faults for about this share of the probes, in one fact each; rarer kinds are taken first where they fit."""
        planted: Counter[RewrittenFault] = Counter()
        for probe in self._episode.probes:
            ids = [id for id in (probe.sufficient[0] if probe.sufficient else ()) if id in self.styles]
            if not ids or self._rng.random() >= rate:
                continue
            id = self._rng.choice(ids)
            if id in self.faults or self._told_twice(id):
                continue
            for kind in sorted(self._rng.sample(FAULTS, len(FAULTS)), key=lambda kind: planted[kind]):
                told = self._with_fault(kind, id, probe)
                if told is not None:
                    for each in probe.needed if kind == "misread" else (id,):
                        self.faults[each] = PlantedFault(kind, probe.id, told if each == id else self._told[each])
                    planted[kind] += 1
                    break

    def _with_fault(self, kind: RewrittenFault, id: str, probe: Probe) -> Told | None:
        """What is left of a fact with this fault; None if the fault doesn't fit the fact or its style."""
        told, style = self._told[id], self.styles[id]
        rewritten = rewrite(style, told)
        shares = bool(rewritten and rewritten.merges)
        match kind:
            case "drop":
                return told
            case "hide":
                return None if shares else told
            case "overwritten":
                return told if self._later_value(id) and not shares else None
            case "misread":
                free = all(each in self.styles and each not in self.faults for each in probe.needed)
                return told if probe.lettered and free else None
            case "merged_with_loss":
                changed = alter("detail_lost", told, self._others(id), self._rng) if style == "merged" else None
            case _:
                loss = kind == "detail_lost" and style == "merged"
                changed = None if loss else alter(kind, told, self._others(id), self._rng)
        return changed if changed is not None and rewrite(style, changed) else None

    def _others(self, id: str) -> list[Told]:
        return [told for other, told in self._told.items() if other != id]

    def _told_twice(self, id: str) -> bool:
        """Whether another fact says this one too, so that a fault in one memory would not be a fault."""
        fact = self._told[id].fact
        if self._shared.intersection(fact.evidence):
            return True
        wanted = [detail.lower() for detail in (*fact.details, fact.subject)]
        return any(all(part in other.text.lower() for part in wanted) for other in self._others(id))

    @cached_property
    def _shared(self) -> set[str]:
        return shared_sentences(self._episode.facts)

    def _later_value(self, id: str) -> str | None:
        """A fact that gives the same attribute another value in a later session."""
        told, order = self._told[id], self._session_order
        frame = _frame(told.fact)
        for other, later in self._told.items():
            if order[later.fact.id] <= order[id] or later.fact.subject != told.fact.subject:
                continue
            theirs = _frame(later.fact)
            alike = len(frame & theirs) / max(1, len(frame | theirs)) >= _SAME_ATTRIBUTE
            if other in self.faults or later.fact.details[-1:] == told.fact.details[-1:]:
                continue
            if (_row(id) == _row(other) and id.startswith("value/")) or (alike and _same_owner(told.fact, later.fact)):
                return other
        return None

    @cached_property
    def _session_order(self) -> dict[str, int]:
        at = {turn.id: n for n, session in enumerate(self._episode.sessions) for turn in session.turns}
        return {fact.id: max((at.get(turn, -1) for turn in fact.turns), default=-1) for fact in self._episode.facts}

    # ------------------------------------------------------------------ the store

    @cached_property
    def memories(self) -> list[tuple[str, tuple[str, ...]]]:
        """The texts of all memories, each with the facts it was made from; those overwritten later are the last."""
        single: list[tuple[str, tuple[str, ...]]] = []
        shared: dict[str, list[tuple[str, Rewritten]]] = {}
        for id, told in self._told.items():
            fault = self.faults.get(id)
            if fault and fault.kind in ("drop", "overwritten"):
                continue
            kept = fault.told if fault else told
            found = rewrite(self.styles[id], kept) if id in self.styles else None
            if found is None:
                single.append((kept.text, (id,)))
            elif found.merges:
                shared.setdefault(found.heading, []).append((id, found))
            else:
                single += [(text, (id,)) for text in found.texts]
        return [*single, *self._joined(shared), *((text, (id,)) for id, text in self._overwritten)]

    def _joined(self, shared: Mapping[str, Sequence[tuple[str, Rewritten]]]) -> Iterator[tuple[str, tuple[str, ...]]]:
        for heading, lines in shared.items():
            size = _NOTE_LINES if heading else _MERGED
            for start in range(0, len(lines), size):
                group = lines[start : start + size]
                texts = [found.texts[0] for _, found in group]
                if heading:
                    text = "\n".join([heading, *texts])
                else:
                    text = "; also, ".join([texts[0], *map(continued, texts[1:])]) + "."
                yield text, tuple(id for id, _ in group)

    @cached_property
    def _overwritten(self) -> list[tuple[str, str]]:
        """What the store held of overwritten facts before the later value came."""
        kept: list[tuple[str, str]] = []
        for id, fault in self.faults.items():
            found = rewrite(self.styles[id], fault.told) if fault.kind == "overwritten" else None
            if found:
                kept.append((id, " ".join(found.texts)))
        return kept

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {f"m{n}": text for n, (text, _) in enumerate(self.memories)}

    @property
    def texts(self) -> Texts:
        """Gives the texts of memories by key."""
        return lambda keys: {key: self._texts[key] for key in keys}

    @property
    def history(self) -> History:
        """The store's history: overwritten memories were there until the last session."""
        keys = tuple(self._texts)
        gone = keys[len(keys) - len(self._overwritten) :]
        sessions = self._episode.sessions
        steps = [Snapshot("end", sessions[-1].id, None, keys)]
        if gone:
            before = sessions[-2].id if len(sessions) > 1 else sessions[-1].id
            steps = [Snapshot("before", before, None, keys), Snapshot("end", sessions[-1].id, "before", (), gone)]
        return History(Ingest(len(sessions), 0.0, memories=len(keys) - len(gone)), tuple(steps))

    def traces(self) -> Iterator[Trace]:
        """What is retrieved for each probe: the memories of all facts it needs, unless they are hidden."""
        held = len(self.memories) - len(self._overwritten)
        of_fact: dict[str, list[int]] = {}
        for n, (_, ids) in enumerate(self.memories[:held]):
            for id in ids:
                of_fact.setdefault(id, []).append(n)
        for probe in self._episode.probes:
            wanted = [id for id in probe.needed if not self._is(id, "hide")]
            wanted += [later for id in wanted if self._is(id, "overwritten") and (later := self._later_value(id))]
            shown = dict.fromkeys(n for id in wanted for n in of_fact.get(id, ()))
            retrieved = tuple(Retrieved(f"m{n}", rank) for rank, n in enumerate(shown, start=1))
            misread = any(self._is(id, "misread") for id in probe.needed)
            answer = planted_answer(probe, misread) if probe.lettered else None
            yield Trace(probe.id, max(1, len(retrieved)), "end", retrieved, answer=answer)

    def _is(self, id: str, kind: RewrittenFault) -> bool:
        return id in self.faults and self.faults[id].kind == kind


def tellings(episode: Episode) -> Iterator[tuple[Fact, Told]]:
    """The facts that were said, each as it was told."""
    said = {turn.id: (turn.text, s.timestamp) for s in episode.sessions for turn in s.turns}
    for fact in episode.facts:
        known = [said[turn] for turn in fact.turns if turn in said]
        if known:
            text, timestamp = known[0]
            # A part of a document that is read out has a date, but not that of what it tells.
            spoken = timestamp and not any(mark in text for mark in ("\nuser: ", "\nassistant: "))
            yield fact, Told.of(fact, datetime.fromisoformat(timestamp) if timestamp and spoken else None)


def _frame(fact: Fact) -> frozenset[str]:
    known = {stem for detail in (*fact.details, fact.subject) for stem in words(detail).stems}
    return frozenset(stem for stem in words(fact.text).stems if stem not in known and not stem[0].isdigit())


def _row(id: str) -> str:
    return id.rpartition("/")[0]


def _same_owner(one: Fact, other: Fact) -> bool:
    """Whether two facts of several details have all but the last in common, as two values of one attribute have."""
    return len(one.details) > 1 and one.details[:-1] == other.details[:-1]
