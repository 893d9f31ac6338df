"""Checks by words, for every fact a probe needs, whether it was stored, kept intact and retrieved."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from memtriage.core.episode import Episode, Fact, Probe
from memtriage.core.trace import History, Ingest, Trace
from memtriage.core.verdict import FAILURES, FactVerdict, ProbeVerdict, StageState, Verdict
from memtriage.diagnose.lexical.detector import NAME, holds
from memtriage.diagnose.lexical.evidence import evidence_of
from memtriage.diagnose.lexical.finding import Finding
from memtriage.diagnose.lexical.sentence_index import SentenceIndex
from memtriage.diagnose.lexical.verbatim import verbatim_episode
from memtriage.diagnose.votes import votes
from memtriage.metrics.ranking import GAP_TAG, RankingMeter, Sources
from memtriage.text.words import Words

_OPEN = {"found": "ppu", "edited": "u", "unsettled": "u", "absent": "u"}
"""The stages of a fact that a retrieved memory may hold in other words, by its state in the store."""

_ALTERNATIVES = 16
"""If any one of more facts than this is enough, a verdict only lists those that got furthest."""

Stale = Literal["yes", "no", "open"]
"""Whether an outdated fact was retrieved without a fact that voids it; open if words can't tell."""

Texts = Callable[[Collection[str]], Mapping[str, str]]
"""Gives the texts of memories by content key."""


class StageFinder:
    """Finds the stage at which each fact was lost in one store; the store is searched once for all k."""

    def __init__(self, episode: Episode, history: History, texts: Texts, sources: Sources | None = None) -> None:
        self._episode = episode
        self._history = history
        self._texts = texts
        self._rankings = RankingMeter(episode, sources)
        self._facts = {fact.id: fact for fact in episode.facts}
        self._session_of = {turn.id: s.id for s in (*episode.sessions, *episode.coarse) for turn in s.turns}
        self._dates = {s.id: s.timestamp or "" for s in (*episode.sessions, *episode.coarse)}
        self._snapshots = {snapshot.id: snapshot for snapshot in history.snapshots}
        self._alive: dict[str, frozenset[int]] = {}
        self._stored: dict[tuple[str, str], Finding] = {}
        self._evidence: dict[str, frozenset[Words]] = {}
        self._verbatim = verbatim_episode(episode)
        self._index_all()

    def _index_all(self) -> None:
        """Index the conversations and all memories; of a verbatim store, only what may hold a fact."""
        turns = self._verbatim.turns if self._verbatim else (turn for s in self._episode.sessions for turn in s.turns)
        facts = self._episode.facts
        gold = [(turn, e) for fact in facts for e in fact.evidence for turn in fact.turns or (fact.id,)]
        self._index = SentenceIndex(
            ((turn.id, turn.text) for turn in turns if not turn.is_reply),  # its copy is read like any rewriting
            gold,
        )
        self._alive.clear()
        self._stored.clear()
        for snapshot in self._history.snapshots:
            verbatim = self._verbatim is not None
            added = self._add(snapshot.added)
            if verbatim and self._verbatim is None:
                return  # `_add` has indexed everything anew
            before = self._alive[snapshot.base] if snapshot.base else frozenset()
            self._alive[snapshot.id] = (before | added) - self._numbers(snapshot.removed)

    def _add(self, keys: Collection[str]) -> frozenset[int]:
        """Add memories to the index if they are new, and give their numbers."""
        texts = self._texts([key for key in keys if key not in self._index])
        if self._verbatim is not None and not self._verbatim.are_copies(texts.values()):
            self._verbatim = None  # not a verbatim store after all
            self._index_all()
        for key, text in texts.items():
            if self._verbatim is None or self._verbatim.may_hold_evidence(text):
                self._index.add(key, text)
        return self._numbers(keys)

    def _numbers(self, keys: Collection[str]) -> frozenset[int]:
        return frozenset(self._index.number(key) for key in keys if key in self._index)

    def verdict(self, probe: Probe, trace: Trace, suite: str, system: str) -> ProbeVerdict:
        """The verdict on one probe before its answer is graded, by the sufficient set that got furthest."""
        error = self._history.ingest.error or trace.error
        facts: tuple[FactVerdict, ...] = ()
        stale: tuple[str, ...] = ()
        has_stale: Stale = "no"
        verdict: Verdict = "error"
        if error is None:
            facts = self._facts_of(probe, trace)
            verdict, error = best_set_verdict(probe, {f.fact: f for f in facts})
            stale, has_stale = self._stale(probe, trace)
            verdict = with_declining(probe, verdict, has_stale)
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
            | ({"stale": has_stale} if probe.outdated else {})
            | ({GAP_TAG: ranked.gap} if ranked.gap else {}),
            credit=credit_of(probe, facts, verdict) if facts and error is None else None,
            stale=stale,
            measures={**ranked.measures, **votes(probe, self._retrieved_texts(trace))} if error is None else {},
        )

    def _retrieved_texts(self, trace: Trace) -> Iterator[str]:
        """The retrieved texts, best first; only loaded when read."""
        texts = self._texts({r.key for r in trace.retrieved})
        yield from (texts[r.key] for r in sorted(trace.retrieved, key=lambda r: r.rank))

    def _stale(self, probe: Probe, trace: Trace) -> tuple[tuple[str, ...], Stale]:
        """The outdated facts that were retrieved without a fact that voids them, and whether there are any."""
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
        """The numbers of the retrieved memories."""
        return self._add(list(dict.fromkeys(r.key for r in trace.retrieved)))

    def _facts_of(self, probe: Probe, trace: Trace) -> tuple[FactVerdict, ...]:
        shown = self._shown(trace)
        needed = [self._facts[id] for id in probe.needed]
        if len(needed) > _ALTERNATIVES and all(len(ids) == 1 for ids in probe.sufficient):
            return self._furthest(needed, trace, shown)
        return tuple(self._fact(fact, trace, shown) for fact in needed)

    def _furthest(self, alternatives: Sequence[Fact], trace: Trace, shown: frozenset[int]) -> tuple[FactVerdict, ...]:
        """Of facts any one of which is enough: one that was retrieved, or else some of those that got furthest."""
        sentences = {self._index.kept.sentences[n] for memory in shown for n in self._index.sentences_of(memory)}
        verdicts: list[FactVerdict] = []
        for fact in sorted(alternatives, key=lambda fact: not self._evidence_of(fact) <= sentences):
            verdicts.append(self._fact(fact, trace, shown))
            if verdicts[-1].verdict == "correct":
                return (verdicts[-1],)
        best = max(_progress(fact.verdict) for fact in verdicts)
        return tuple(fact for fact in verdicts if _progress(fact.verdict) == best)[:_ALTERNATIVES]

    def _evidence_of(self, fact: Fact) -> frozenset[Words]:
        if fact.id not in self._evidence:
            self._evidence[fact.id] = frozenset(sentence for sentence, _ in evidence_of(fact))
        return self._evidence[fact.id]

    def _fact(self, fact: Fact, trace: Trace, shown: frozenset[int]) -> FactVerdict:
        error = self._storing_error(fact, self._history.ingest)
        hidden = self._history.ingest.blind
        seen = holds(fact, self._index, shown, loose=hidden is not None, said=self._said(fact))
        if error and seen.state != "found":
            return _verdict(fact, "error", error, {})
        if hidden:
            return self._in_hidden_store(fact, seen, hidden)
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
            alive = self._alive.get(snapshot, frozenset())
            self._stored[key] = holds(fact, self._index, alive, said=self._said(fact))
        return self._stored[key]

    def _lost(self, fact: Fact, snapshot: str, stored: Finding) -> FactVerdict:
        """The verdict on a fact that is not in the store: it never was, or was lost later."""
        gone = self._snapshots.get(snapshot)
        lost: Literal["never"] | None = "never"
        while gone and gone.base:
            before = self._snapshots[gone.base]
            # Where nothing went, nothing was there that is not there still.
            held = self._held(fact, before.id) if gone.removed else stored
            if held.state in ("found", "edited"):
                why = f"it was there after session {before.after} and gone after {gone.after}"
                return replace(self._with(fact, "not_stored", why, "f", held), lost="later", lost_after=gone.after)
            if held.state == "unsettled":
                lost = None  # it may have been there, in other words
            gone = before
        return replace(self._with(fact, "not_stored", stored.why, "f", stored), lost=lost)

    def _in_hidden_store(self, fact: Fact, seen: Finding, reason: str) -> FactVerdict:
        stages: dict[str, StageState] = {"storage": "n/a", "summary": "n/a"}
        if seen.state == "found":
            return self._with(fact, "correct", f"{seen.why}, and retrieved", {**stages, "retrieval": "pass"}, seen)
        if seen.state == "unsettled":
            return self._with(fact, "uncertain", seen.why, {**stages, "retrieval": "uncertain"}, seen)
        why = f"not among the retrieved; the store can't be seen ({reason}), so whether it was stored is unknown"
        return self._with(fact, "not_retrieved", why, {**stages, "retrieval": "fail"}, seen)

    def _said(self, fact: Fact) -> str:
        """The day on which a fact was said, if it is known."""
        return next((self._dates.get(self._session_of.get(turn, ""), "") for turn in fact.turns), "")

    def _storing_error(self, fact: Fact, ingest: Ingest) -> str | None:
        """The error that prevented a session of this fact from being stored."""
        for turn in fact.turns:
            session = self._session_of.get(turn, "")
            if session in ingest.failed:
                return f"session {session} was not stored: {ingest.failed[session]}"
        return None

    def _with(
        self, fact: Fact, verdict: Verdict, why: str, stages: str | Mapping[str, StageState], finding: Finding
    ) -> FactVerdict:
        keys = tuple(self._index.keys[m] for m in finding.memories)
        found = _verdict(fact, verdict, why, _stages(stages) if isinstance(stages, str) else stages, keys)
        return replace(found, confidence=finding.confidence) if finding.confidence is not None else found


def _verdict(
    fact: Fact, verdict: Verdict, why: str, stages: Mapping[str, StageState], witness: Sequence[str] = ()
) -> FactVerdict:
    return FactVerdict(fact.id, fact.text, fact.details, verdict, why, stages, tuple(witness), NAME)


def _stages(letters: str) -> dict[str, StageState]:
    """The states of the stages in order, one letter each: p(ass), f(ail), u(ncertain)."""
    states: dict[str, StageState] = {"p": "pass", "f": "fail", "u": "uncertain"}
    return {stage: states[c] for stage, c in zip(("storage", "summary", "retrieval"), letters, strict=False)}


def with_declining(probe: Probe, verdict: Verdict, stale: str) -> Verdict:
    """The verdict on a probe that should be declined: correct if nothing outdated was retrieved."""
    if not probe.outdated or probe.scoring != "abstain" or verdict not in FAILURES or stale == "yes":
        return verdict
    return "uncertain" if stale == "open" else "correct"


def credit_of(probe: Probe, facts: Sequence[FactVerdict], verdict: Verdict) -> float | None:
    """The share of facts that were retrieved, in the sufficient set with the largest share; None if uncertain.

    A correct probe has full credit, also if it should be declined and has no facts.
    """
    if verdict == "correct":
        return 1.0
    found = {fact.fact: fact.verdict for fact in facts}
    if any(verdict in ("uncertain", "error") for verdict in found.values()):
        return None
    sets = [ids for ids in probe.sufficient if ids and found.keys() >= set(ids)]
    return max((sum(found[id] == "correct" for id in ids) / len(ids) for ids in sets), default=1.0)


def best_set_verdict(probe: Probe, facts: Mapping[str, FactVerdict]) -> tuple[Verdict, str | None]:
    """The verdict of the sufficient set that got furthest, and its error if there is one.

    A probe without sets is n/a, as there is nothing to look for in a store, or correct if it should be declined. Sets
    with facts that are not given were left out because others got as far.
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

    One certain failure fails the set, whatever else is uncertain; an error says nothing about the system.
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
