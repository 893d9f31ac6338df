"""What the staged judge reads per graded fact, against showing it the whole store at every stage.

    python benchmarks/judge.py --data path/to/memfail --stores path/to/mem0_stores

All ways are judged over HTTP by the scripted server, which decides by content alone. Tokens are those of the messages
as they were sent. There are two shortcuts: facts share calls and what these show, and what words can decide is not
asked. With the first alone, every verdict must be the same. Where words decide otherwise than the script, both are
held against what is known of the fact, which was made from a store by rule.

    python benchmarks/judge.py --judge openai/gpt-4.1-mini --together 60,30,10 --store Gina_1

asks a model of yours about some of the stores instead, in calls that so many facts share: those that look at a whole
store, those near the same memories, and answers. What it says is held against what is known.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from memtriage import api
from memtriage.core.chat import Call, ChatModel, Reply
from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.trace import Answer, History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import FactVerdict, ProbeVerdict
from memtriage.diagnose.judge.staged import SHARING, Judge, Sharing
from memtriage.diagnose.stages import Texts
from memtriage.diagnose.store import judge_store
from memtriage.models.client import Client
from memtriage.models.scripted import ContentJudge, StubServer
from memtriage.record.reader import RunReader
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.text.tokens import count_all
from memtriage.text.words import words
from memtriage.validate.calibrate_judge import UnaidedJudge

SHARED = Path(os.environ.get("MEMTRIAGE_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))
K = 10
EACH = 20
"""How many facts of each kind are made from one store."""


@dataclass(frozen=True)
class Unit:
    """One store's life, ready to be judged."""

    episode: Episode
    history: History
    traces: Sequence[Trace]
    texts: Texts
    truth: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The verdicts that are right of each fact, where that is known."""


class Counted:
    """A model that keeps count of what it is sent."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model
        self.name = "scripted"
        self.calls: Counter[str] = Counter()
        self.tokens: Counter[str] = Counter()

    async def ask(self, call: Call) -> Reply:
        self.calls[call.stage] += 1
        self.tokens[call.stage] += count_all(message.content for message in call.messages)
        return await self._model.ask(call)


# ------------------------------------------------------------------ the released rows, kept word for word


def released(data: Path, folder: Path) -> Iterator[Unit]:
    api.run("bm25", suite="memfail", data=data, k=(K,), out=folder / "run", looks=1)
    with RunReader(folder / "run") as reader:
        for unit in reader.units:
            yield Unit(reader.episode(unit[1]), reader.history(unit), list(reader.traces(unit)), reader.texts)


# ------------------------------------------------------------------ memories that a model wrote


def written(stores: Path) -> Iterator[Unit]:
    """Facts made from real stores by rule: told in another order (kept), with a detail changed, or never stored."""
    texts = {path.stem: _memories(path) for path in sorted(stores.glob("*.json"))}
    for name, memories in texts.items():
        conversation = name.rpartition("_")[2]
        others = [text for other, more in texts.items() if not other.endswith(f"_{conversation}") for text in more]
        yield _unit(name, memories, others)


def _memories(path: Path) -> list[str]:
    return list(dict.fromkeys(str(entry["memory"]) for entry in json.loads(path.read_text())))


def _unit(name: str, held: Sequence[str], others: Sequence[str]) -> Unit:
    rng = random.Random(name)
    person = name.partition("_")[0]
    telling = [text for text in held if len(words(text).stems) >= 4]
    strange = [text for text in others if len(words(text).stems) >= 4]
    numbered = [text for text in telling if re.search(r"\d", text)]
    altered = (rng.sample(numbered, min(len(numbered), EACH)) + rng.sample(telling, EACH))[:EACH]
    made = [_told(text, person) for text in rng.sample([text for text in telling if text not in altered], EACH)]
    made += [_told(_altered(text), person) for text in altered]
    made += [_told(text, person) for text in rng.sample(strange, EACH)]
    facts = [replace(fact, id=f"f{n}", turns=(f"s{n}/0",)) for n, fact in enumerate(made)]
    sessions = [Session(f"s{n}", (Turn("user", fact.text, f"s{n}/0"),)) for n, fact in enumerate(facts)]
    probes = [Probe(f"p{n}", f"What about {f.details[0]}?", f.text, ((f.id,),)) for n, f in enumerate(facts)]
    episode = Episode(name, "mem0/locomo", tuple(sessions), tuple(facts), tuple(probes))
    system = BM25()
    for n, text in enumerate(held):
        system.store_conversation(Session(f"m{n}", (Turn("user", text, f"m{n}/0"),)))
    kept = {memory.id: memory.text for memory in system.get_all_memories()}
    history = History(Ingest(len(sessions), 0.0, len(kept)), (Snapshot("end", sessions[-1].id, None, tuple(kept)),))
    asked = Session("query", (Turn("user", "", "query/0"),))
    brought = [(probe, system.retrieve_memories(probe.text, asked, K)) for probe in probes]
    traces = [
        Trace(probe.id, K, "end", tuple(Retrieved(memory.id, rank) for rank, memory in enumerate(memories, start=1)))
        for probe, memories in brought
    ]
    truth = {fact.id: _TRUTH[n // EACH] for n, fact in enumerate(facts)}
    return Unit(episode, history, traces, lambda keys: {key: kept[key] for key in keys}, truth)


_TRUTH = (("correct", "not_retrieved"), ("summary_error",), ("not_stored",))


def _told(text: str, person: str) -> Fact:
    """A memory as somebody might have said it: its second half first; its last two content words are critical."""
    said = text.strip(" .!").split()
    middle = len(said) // 2
    telling = [n for n, word in enumerate(said) if words(word).stems and word.strip("'s.,") != person]
    turned = f"{' '.join(said[middle:])} is what it was: {' '.join(said[:middle])}."
    details = (" ".join(said[telling[-2] : telling[-1] + 1]).strip(".,!?;:'\"()"),)
    return Fact("", turned, (), details, subject=person if person in text else "")


def _altered(text: str) -> str:
    """The text with its number changed or, without one, its last word."""
    if re.search(r"\d+", text):
        return re.sub(r"\d+", lambda found: str(int(found[0]) + 7), text)
    return " ".join([*text.split()[:-1], "zeppelins"])


# ------------------------------------------------------------------ both ways


class WithoutWords(Judge):
    """Near memories first, but every fact is judged, however certain words are."""

    def must_decide(self, lexical: FactVerdict) -> bool:
        return lexical.verdict != "error"

    def known_intact(self, lexical: FactVerdict) -> bool:
        return False


async def judged(
    units: Iterable[Unit], kind: Callable[[ChatModel], Judge] = Judge, model: str = ""
) -> tuple[list[ProbeVerdict], Counted]:
    with StubServer(ContentJudge()) as server:
        async with Client(model or f"{server.url}#scripted", ceiling=16) as client:
            model = Counted(client)
            judge = kind(model)
            verdicts = [
                verdict
                for unit in units
                async for verdict in judge_store(
                    unit.episode, unit.history, unit.traces, _answers(unit), unit.texts, "", "", judge, "gold"
                )
            ]
    return verdicts, model


def _answers(unit: Unit) -> list[Answer]:
    """The right answers, so that every probe whose facts were retrieved is graded to the end."""
    probes = unit.episode.probes
    gold = {p.id: json.dumps({"answer": p.correct_choice}) if p.scoring == "choice" else p.gold for p in probes}
    return [Answer(trace.probe, trace.k, "gold", text=gold[trace.probe]) for trace in unit.traces]


def compare(what: str, units: Sequence[Unit], goal: float) -> bool:
    """Print all bills, and say whether the goal is met by a way with which all verdicts are the same."""
    exact, whole = asyncio.run(judged(units, partial(UnaidedJudge, paper_exact=True)))
    shared, once = asyncio.run(judged(units, WithoutWords))
    ours, near = asyncio.run(judged(units))
    facts = sum(len(verdict.facts) for verdict in ours)
    print(f"{what}: {facts} graded facts, {dict(Counter(f.verdict for v in ours for f in v.facts))}")
    by_words = sum(fact.detector.startswith("lexical") for verdict in ours for fact in verdict.facts)
    print(f"  settled by words alone: {by_words}")
    ways = (
        ("whole store each time", whole, []),
        ("shared calls", once, list(_differing(exact, shared))),
        ("and words first", near, list(_differing(exact, ours))),
    )
    best = 0.0
    for name, model, moved in ways:
        each, ratio = model.tokens.total() / facts, whole.tokens.total() / max(1, model.tokens.total())
        print(
            f"  {name:<24}{model.calls.total():>7} calls{each:>8.0f} input tokens per fact{ratio:>7.1f} times fewer"
            f"   {dict(model.tokens)}; {len(moved)} verdicts differ"
        )
        for line in moved[:20]:
            print(f"    {line}")
        best = best if moved else max(best, ratio)
    if any(unit.truth for unit in units):
        wrong, wrong_exact = _mistakes(units, ours), _mistakes(units, exact)
        print(f"  against what is known: {wrong_exact} of {facts} wrong with the whole store, {wrong} with words first")
    kept = best >= goal
    print(f"  {best:.1f} times fewer at the same verdicts (goal {goal:g}): {'ok' if kept else 'NOT MET'}")
    return kept


def _mistakes(units: Sequence[Unit], verdicts: Iterable[ProbeVerdict]) -> int:
    truth = {(unit.episode.id, fact): right for unit in units for fact, right in unit.truth.items()}
    return sum(f.verdict not in truth[v.episode, f.fact] for v in verdicts for f in v.facts)


def _differing(exact: Iterable[ProbeVerdict], ours: Iterable[ProbeVerdict]) -> Iterator[str]:
    for one, other in zip(exact, ours, strict=True):
        for a, b in zip(one.facts, other.facts, strict=True):
            if a.verdict != b.verdict:
                yield f"{one.episode} {one.probe} {a.fact}: {a.verdict} ({a.why}), {b.verdict} ({b.why}; {b.detector})"


def ask(model: str, units: Sequence[Unit], sharing: Sharing) -> None:
    """Print what a model says of facts that were made by rule, and where it differs from what is known."""
    verdicts, counted = asyncio.run(judged(units, partial(WithoutWords, sharing=sharing), model))
    truth = {(unit.episode.id, fact): right for unit in units for fact, right in unit.truth.items()}
    found = Counter((truth[v.episode, f.fact][0], f.verdict) for v in verdicts for f in v.facts)
    facts = sum(found.values())
    print(f"{facts} facts, {counted.calls.total()} calls, {counted.tokens.total() / facts:.0f} input tokens per fact")
    for right in (kinds[0] for kinds in _TRUTH):
        print(f"  {right}: { ({said: n for (known, said), n in sorted(found.items()) if known == right}) }")
    for verdict in verdicts:
        for fact in verdict.facts:
            if fact.verdict not in (right := truth[verdict.episode, fact.fact]):
                print(f"  {verdict.episode} {fact.fact}: {fact.verdict}, not {right[0]}: {fact.text!r}; {fact.why}")
    print(f"  {_mistakes(units, verdicts)} of {facts} differ from what is known")


def main(data: Path, stores: Path) -> int:
    kept = True
    if data.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            units = list(_loaded(released(data, Path(folder))))
            kept &= compare("released rows, kept word for word (bm25, k=10)", units, 20)
    else:
        print(f"(no released files at {data})")
    if stores.is_dir():
        kept &= compare("memories written by a model (Mem0)", list(written(stores)), 20)
    else:
        print(f"(no stores at {stores})")
    return 0 if kept else 1


def _loaded(units: Iterable[Unit]) -> Iterator[Unit]:
    """Units whose texts stay at hand when the run's files are closed."""
    for unit in units:
        keys = {r.key for t in unit.traces for r in t.retrieved} | {k for s in unit.history.snapshots for k in s.added}
        yield replace(unit, texts=_at_hand(dict(unit.texts(keys))))


def _at_hand(texts: Mapping[str, str]) -> Texts:
    return lambda keys: {key: texts[key] for key in keys}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED / "memfail", help="the released MemFail files")
    parser.add_argument("--stores", type=Path, default=SHARED / "traces" / "mem0_locomo", help="stores Mem0 wrote")
    parser.add_argument("--judge", help="a model to ask instead of the script, such as openai/gpt-4.1-mini")
    parser.add_argument("--store", action="append", help="the stores to ask it about; default: all")
    parser.add_argument("--together", default=f"{SHARING.whole},{SHARING.near},{SHARING.apart}", help="facts to a call")
    chosen = parser.parse_args()
    if chosen.judge:
        asked = [unit for unit in written(chosen.stores) if not chosen.store or unit.episode.id in chosen.store]
        if not asked or len(sizes := chosen.together.split(",")) != 3:
            parser.error("there is no such store" if not asked else "--together takes three numbers, as in 60,30,10")
        ask(chosen.judge, asked, Sharing(*map(int, sizes)))
    else:
        sys.exit(main(chosen.data, chosen.stores))
