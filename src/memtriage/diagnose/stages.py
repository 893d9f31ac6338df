"""The four stages, in order, for every fact a probe needs: stored, faithful, retrieved, used."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.trace import History, Ingest, Trace
from memtriage.core.verdict import FAILURES, FactVerdict, ProbeVerdict, StageState, Verdict
from memtriage.diagnose.lexical.detector import NAME, Finding, evidence_of, holds
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.diagnose.lexical.verbatim import verbatim_episode
from memtriage.diagnose.votes import votes
from memtriage.metrics.ranking import GAP_TAG, RankingMeter, Sources
from memtriage.text.words import Words

_OPEN = {"found": "ppu", "edited": "u", "unsettled": "u", "absent": "u"}
"""The stages of a fact that a retrieved memory may hold in other words, by what the store holds of it."""

_ALTERNATIVES = 16
"""Of more facts than this, any one of which is enough, a verdict names only those that came furthest."""

Stale = Literal["yes", "no", "open"]
"""Whether something outdated came back without what voids it; open where words can't tell."""

Texts = Callable[[Collection[str]], Mapping[str, str]]
"""Gives the texts of memories by their content keys."""


class StageFinder:
    """One store's life laid out for diagnosis; what the store held of a fact is worked out once for all k."""

    def __init__(self, episode: Episode, history: History, texts: Texts, sources: Sources | None = None) -> None:
        self._episode = episode
        self._history = history
        self._texts = texts
        self._rankings = RankingMeter(episode, sources)
        self._facts = {fact.id: fact for fact in episode.facts}
        self._session_of = {turn.id: s.id for s in (*episode.sessions, *episode.coarse) for turn in s.turns}
        self._snapshots = {snapshot.id: snapshot for snapshot in history.snapshots}
        self._alive: dict[str, frozenset[int]] = {}
        self._stored: dict[tuple[str, str], Finding] = {}
        self._evidence: dict[str, frozenset[Words]] = {}
        self._verbatim = verbatim_episode(episode)
        self._lay_out()

    def _lay_out(self) -> None:
        """Take in what was said and what the store ever held; of verbatim stores, only what bears on a fact."""
        turns = self._verbatim.turns if self._verbatim else (turn for s in self._episode.sessions for turn in s.turns)
        facts = self._episode.facts
        gold = [(turn, e) for fact in facts for e in fact.evidence for turn in fact.turns or (fact.id,)]
        self._index = SentenceIndex(((turn.id, turn.text) for turn in turns), gold)
        self._alive.clear()
        self._stored.clear()
        for snapshot in self._history.snapshots:
            verbatim = self._verbatim is not None
            added = self._taken_in(snapshot.added)
            if verbatim and self._verbatim is None:
                return  # all of it was laid out anew on the way
            before = self._alive[snapshot.base] if snapshot.base else frozenset()
            self._alive[snapshot.id] = (before | added) - self._numbers(snapshot.removed)

    def _taken_in(self, keys: Collection[str]) -> frozenset[int]:
        """The numbers of memories, old and new."""
        texts = self._texts([key for key in keys if key not in self._index])
        if self._verbatim is not None and not self._verbatim.are_copies(texts.values()):
            self._verbatim = None  # no verbatim store after all
            self._lay_out()
        for key, text in texts.items():
            if self._verbatim is None or self._verbatim.may_hold_evidence(text):
                self._index.add(key, text)
        return self._numbers(keys)

    def _numbers(self, keys: Collection[str]) -> frozenset[int]:
        return frozenset(self._index.number(key) for key in keys if key in self._index)

    def verdict(self, probe: Probe, trace: Trace, suite: str, system: str) -> ProbeVerdict:
        """The verdict on one probe before anybody answers: the first stage that failed on its most promising set."""
        error = self._history.ingest.error or trace.error
        facts: tuple[FactVerdict, ...] = ()
        stale: tuple[str, ...] = ()
        kept: Stale = "no"
        verdict: Verdict = "error"
        if error is None:
            facts = self._facts_of(probe, trace)
            verdict, error = best_set_verdict(probe, {f.fact: f for f in facts})
            stale, kept = self._stale(probe, trace)
            verdict = with_declining(probe, verdict, kept)
        ranked = self._rankings.measure(probe, trace)
        return ProbeVerdict(
            suite=suite,
            task=probe.task or self._episode.task,
            system=system,
            episode=self._episode.id,
            probe=probe.id,
            k=trace.k,
            depth="memory",
            verdict=verdict,
            question=probe.text,
            gold=probe.gold,
            facts=facts,
            retrieved=trace.retrieved,
            k_returned=len(trace.retrieved),
            context_tokens=trace.context_tokens,
            seconds=trace.seconds,
            error=error,
            cluster=probe.cluster or probe.id,
            tags=dict(probe.tags)
            | ({"stale": kept} if probe.outdated else {})
            | ({GAP_TAG: ranked.gap} if ranked.gap else {}),
            credit=credit_of(probe, facts, verdict) if facts and error is None else None,
            stale=stale,
            measures={**ranked.measures, **votes(probe, self._read(trace))} if error is None else {},
        )

    def _read(self, trace: Trace) -> Iterator[str]:
        """The texts that came back, the best first; fetched only if somebody reads them."""
        texts = self._texts({r.key for r in trace.retrieved})
        yield from (texts[r.key] for r in sorted(trace.retrieved, key=lambda r: r.rank))

    def _stale(self, probe: Probe, trace: Trace) -> tuple[tuple[str, ...], Stale]:
        """The outdated facts that came back without what voids them, and whether there are any."""
        shown = self._shown(trace) if probe.outdated else frozenset()
        stale, unsettled = [], False
        for old in probe.outdated:
            voids = {holds(self._facts[id], self._index, shown, loose=False).state for id in old.voided_by}
            state = "absent" if "found" in voids else holds(self._facts[old.fact], self._index, shown).state
            if state == "found" and "unsettled" not in voids:
                stale.append(old.fact)
            unsettled = unsettled or state in ("found", "unsettled")
        return tuple(stale), "yes" if stale else "open" if unsettled else "no"

    def _shown(self, trace: Trace) -> frozenset[int]:
        """The numbers of the memories that came back."""
        return self._taken_in({r.key for r in trace.retrieved})

    def _facts_of(self, probe: Probe, trace: Trace) -> tuple[FactVerdict, ...]:
        shown = self._shown(trace)
        needed = [self._facts[id] for id in dict.fromkeys(id for ids in probe.sufficient for id in ids)]
        if len(needed) > _ALTERNATIVES and all(len(ids) == 1 for ids in probe.sufficient):
            return self._furthest(needed, trace, shown)
        return tuple(self._fact(fact, trace, shown) for fact in needed)

    def _furthest(self, alternatives: Sequence[Fact], trace: Trace, shown: frozenset[int]) -> tuple[FactVerdict, ...]:
        """Of many facts any one of which is enough: one that came back, or else some of those that came furthest."""
        said = {self._index.kept.said[n] for memory in shown for n in self._index.sentences_of(memory)}
        found: list[FactVerdict] = []
        for fact in sorted(alternatives, key=lambda fact: not self._evidence_of(fact) <= said):
            found.append(self._fact(fact, trace, shown))
            if found[-1].verdict == "correct":
                return (found[-1],)
        best = max(_progress(fact.verdict) for fact in found)
        return tuple(fact for fact in found if _progress(fact.verdict) == best)[:_ALTERNATIVES]

    def _evidence_of(self, fact: Fact) -> frozenset[Words]:
        if fact.id not in self._evidence:
            self._evidence[fact.id] = frozenset(said for said, _ in evidence_of(fact))
        return self._evidence[fact.id]

    def _fact(self, fact: Fact, trace: Trace, shown: frozenset[int]) -> FactVerdict:
        raised = self._raised(fact, self._history.ingest)
        if raised:
            return _verdict(fact, "error", raised, {})
        blind = self._history.ingest.blind
        seen = holds(fact, self._index, shown, loose=blind is not None)
        if blind:
            return self._blind(fact, seen, blind)
        if seen.state == "found":
            return self._with(fact, "correct", f"{seen.why}, and retrieved", "ppp", seen)
        snapshot = trace.snapshot or next(reversed(self._snapshots), "")
        stored = self._held(fact, snapshot)
        if seen.state == "unsettled":
            return self._with(fact, "uncertain", f"among the retrieved: {seen.why}", _OPEN[stored.state], seen)
        match stored.state:
            case "absent":
                return self._lost(fact, snapshot, stored)
            case "edited":
                return self._with(fact, "summary_error", stored.why, "pf", stored)
            case "unsettled":
                return self._with(fact, "uncertain", f"in the store: {stored.why}", "u", stored)
        return self._with(fact, "not_retrieved", f"{stored.why}, but not among the retrieved", "ppf", stored)

    def _held(self, fact: Fact, snapshot: str) -> Finding:
        key = (fact.id, snapshot)
        if key not in self._stored:
            self._stored[key] = holds(fact, self._index, self._alive.get(snapshot, frozenset()))
        return self._stored[key]

    def _lost(self, fact: Fact, snapshot: str, stored: Finding) -> FactVerdict:
        """Not in the store: whether it never was, or was lost on the way."""
        gone = self._snapshots.get(snapshot)
        lost: Literal["never"] | None = "never"
        while gone and gone.base:
            before = self._snapshots[gone.base]
            held = self._held(fact, before.id)
            if held.state in ("found", "edited"):
                why = f"it was there after session {before.after} and gone after {gone.after}"
                return replace(self._with(fact, "not_stored", why, "f", held), lost="later", lost_after=gone.after)
            if held.state == "unsettled":
                lost = None  # it may have been there, in other words
            gone = before
        return replace(self._with(fact, "not_stored", stored.why, "f", stored), lost=lost)

    def _blind(self, fact: Fact, seen: Finding, blind: str) -> FactVerdict:
        stages: dict[str, StageState] = {"storage": "n/a", "summary": "n/a"}
        if seen.state == "found":
            return self._with(fact, "correct", f"{seen.why}, and retrieved", {**stages, "retrieval": "pass"}, seen)
        if seen.state == "unsettled":
            return self._with(fact, "uncertain", seen.why, {**stages, "retrieval": "uncertain"}, seen)
        why = f"not among the retrieved; the store can't be seen ({blind}), so whether it was stored is unknown"
        return self._with(fact, "not_retrieved", why, {**stages, "retrieval": "fail"}, seen)

    def _raised(self, fact: Fact, ingest: Ingest) -> str | None:
        """The error that kept a session of this fact from being stored."""
        for turn in fact.turns:
            session = self._session_of.get(turn, "")
            if session in ingest.failed:
                return f"session {session} was not stored: {ingest.failed[session]}"
        return None

    def _with(
        self, fact: Fact, verdict: Verdict, why: str, stages: str | Mapping[str, StageState], finding: Finding
    ) -> FactVerdict:
        keys = tuple(self._index.keys[m] for m in finding.memories)
        return _verdict(fact, verdict, why, _stages(stages) if isinstance(stages, str) else stages, keys)


def _verdict(
    fact: Fact, verdict: Verdict, why: str, stages: Mapping[str, StageState], witness: Sequence[str] = ()
) -> FactVerdict:
    return FactVerdict(fact.id, fact.text, fact.details, verdict, why, stages, tuple(witness), NAME)


def _stages(letters: str) -> dict[str, StageState]:
    """Stage states in order, a letter each: p(ass), f(ail), u(ncertain)."""
    states: dict[str, StageState] = {"p": "pass", "f": "fail", "u": "uncertain"}
    return {stage: states[c] for stage, c in zip(("storage", "summary", "retrieval"), letters, strict=False)}


def with_declining(probe: Probe, verdict: Verdict, stale: str) -> Verdict:
    """The verdict on a probe that is right to decline: where nothing outdated came back, declining is what follows."""
    if not probe.outdated or probe.scoring != "abstain" or verdict not in FAILURES or stale == "yes":
        return verdict
    return "uncertain" if stale == "open" else "correct"


def credit_of(probe: Probe, facts: Sequence[FactVerdict], verdict: Verdict) -> float | None:
    """The share of the facts that were there, of the set that has most of them; None where words leave it open.

    A probe that succeeds has it all: it may be one that is right to be silent.
    """
    if verdict == "correct":
        return 1.0
    found = {fact.fact: fact.verdict for fact in facts}
    if any(verdict in ("uncertain", "error") for verdict in found.values()):
        return None
    sets = [ids for ids in probe.sufficient if ids and found.keys() >= set(ids)]
    return max((sum(found[id] == "correct" for id in ids) / len(ids) for ids in sets), default=1.0)


def best_set_verdict(probe: Probe, facts: Mapping[str, FactVerdict]) -> tuple[Verdict, str | None]:
    """The verdict of the set that came furthest, with the error where there is one.

    A probe without sets is n/a: there is nothing to look for in a store. One that is right to decline needs nothing.
    Sets that are not among the facts were left out because others came as far.
    """
    furthest: tuple[Verdict, str | None] | None = None
    for ids in (ids for ids in probe.sufficient if facts.keys() >= set(ids)):
        verdict = _first_failure([facts[id].verdict for id in ids])
        error = next((facts[id].why for id in ids if facts[id].verdict == "error"), None)
        if furthest is None or _progress(verdict) > _progress(furthest[0]):
            furthest = verdict, error if verdict == "error" else None
    if furthest is None and probe.scoring != "abstain":
        return "n/a", None
    return furthest or ("correct", None)


def _first_failure(verdicts: Sequence[Verdict]) -> Verdict:
    """The first stage that failed among the facts of one set.

    One certain failure fails the set, whatever else is open; an error says nothing about the system.
    """
    if "error" in verdicts:
        return "error"
    failed = [f for f in FAILURES if f in verdicts]
    if failed:
        return failed[0]
    return "uncertain" if "uncertain" in verdicts else "correct"


def _progress(verdict: Verdict) -> int:
    order: tuple[Verdict, ...] = (*FAILURES, "error", "uncertain", "correct")
    return order.index(verdict)
