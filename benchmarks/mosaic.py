"""mosaic's figures: every suite beside plain retrieval, what each of its parts is worth, and how long it takes.

python benchmarks/mosaic.py                                  # every section that has its data; an hour on two cores
python benchmarks/mosaic.py memfail meme --data DIR          # the folder that holds memfail/, meme/, longmemeval/, …
python benchmarks/mosaic.py memfail --embedder minilm        # all systems that have vectors, with these
python benchmarks/mosaic.py ablation costs speed
python benchmarks/mosaic.py failures                         # what was not found, by cause
python benchmarks/mosaic.py longmemeval --system mixture:members=bm25,dense,hipporag:summarise=rules

Success is what memtriage calls it: all that a question needs was stored, intact and among the k that came back. One
setting for everything; nobody tells a system which suite it is in. Intervals are Wilson's, at 95 %.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from longmemeval_design import among_evidence
from memoryagentbench import examined

from memtriage import api, registry
from memtriage.core.episode import Episode, Session, Turn
from memtriage.core.suite import Request
from memtriage.core.verdict import ProbeVerdict
from memtriage.metrics.statistics import wilson
from memtriage.suites.memoryagentbench import fact_contexts
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate import factconsolidation
from memtriage.suites.memoryagentbench.kinds import Kind
from memtriage.systems.designs.mosaic.statements import stems

DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data"
SYSTEMS = ("bm25", "dense", "hybrid", "hipporag:summarise=rules", "mosaic")
WITHOUT = ("chains", "relatives", "dependencies", "sessions", "times", "words", "vectors")
MEMFAIL = ("coexisting", "conditional-easy", "conditional-hard", "persona", "long-hop")
KIND: Kind = "factconsolidation-mh"
FRESH = 301
"""A seed that nothing was designed on."""
TURNS = 10_000


def memfail(chosen: argparse.Namespace) -> None:
    """MemFail's five tasks, released rows."""
    if found := _folder(chosen, "memfail"):
        verdicts = _verdicts(chosen.systems, suite="memfail", data=found, k=[1, 5, 10, 20])
        for task in MEMFAIL:
            of_task = [v for v in verdicts if v.task == f"memfail/{task}" and v.tags.get("query") != "misleading"]
            _table(f"{task}{', direct' * (task == 'persona')}, released", of_task, chosen.systems)


def one_store(chosen: argparse.Namespace) -> None:
    """All five tasks of MemFail in one store, beside each in its own."""
    if not (found := _folder(chosen, "memfail")):
        return
    apart = [
        each for task in registry.suite("memfail").select(None) for each in task.load(Request(data=found)).episodes
    ]
    together = _together(apart)
    for title, episodes in (("each task in its own store", apart), ("all five in one store", [together])):
        verdicts = [
            v for system in chosen.systems for each in episodes for v in examined(each, system, (1, 5, 10)).verdicts
        ]
        for task in MEMFAIL:
            of_task = [v for v in verdicts if v.task == f"memfail/{task}" and v.tags.get("query") != "misleading"]
            _table(f"{task}, {title}", of_task, chosen.systems)


def meme(chosen: argparse.Namespace) -> None:
    """MEME: released skeletons, a fresh seed, and rules that only give a reason."""
    plans: list[tuple[str, dict[str, Any]]] = [
        (f"generated, seed {FRESH}", {"seed": FRESH}),
        (f"generated, seed {FRESH}, implicit", {"seed": FRESH, "options": {"phrasing": "implicit"}}),
    ]
    if found := _folder(chosen, "meme"):
        plans.insert(0, ("released", {"data": found}))
    for title, settings in plans:
        verdicts = _verdicts(chosen.systems, suite="meme", k=[5, 10], **settings)
        for task in ("cascade", "absence", "deletion", "tracking", "aggregation", "exact-recall"):
            _table(f"{task}, {title}", [v for v in verdicts if v.task == f"meme/{task}"], chosen.systems, stale=True)


def longmemeval(chosen: argparse.Namespace) -> None:
    """LongMemEval: released questions, their evidence among other questions' and released chats."""
    if not (found := _folder(chosen, "longmemeval")):
        return
    with tempfile.TemporaryDirectory() as folder:
        verdicts = _verdicts(chosen.systems, suite="longmemeval/s", data=_among_evidence(found, folder), k=[5], looks=0)
    for level in ("turn", "session"):
        print(f"LongMemEval, released evidence: Recall_all@5, {level}s")
        for system in chosen.systems:
            measured = [v.measures.get(f"{level}/Recall_all@5") for v in verdicts if v.system == system]
            _line(system, [[bool(value) for value in measured if value is not None]])


def facts(chosen: argparse.Namespace) -> None:
    """FactConsolidation, multi-hop: a memory is one fact. mosaic cuts a list of facts by itself, others are told to."""
    systems = [
        each if each.startswith("mosaic") else f"{each}{',' if ':' in each else ':'}granularity=sentence"
        for each in chosen.systems
    ]
    for title, told in _fact_episodes(chosen):
        verdicts = [v for system in systems for v in examined(told, system, (5, 10, 20)).verdicts]
        _table(f"FactConsolidation, multi-hop, {title}", verdicts, systems, stale=True)


def ablation(chosen: argparse.Namespace) -> None:
    """What is lost without each part."""
    systems = _with_embedder(["mosaic", *(f"mosaic:without={part}" for part in WITHOUT)], chosen.embedder)
    columns: list[tuple[str, Sequence[ProbeVerdict]]] = []
    if found := _folder(chosen, "memfail"):
        for task, k in (("long-hop", 10), ("coexisting", 10), ("conditional-hard", 1), ("persona", 5)):
            verdicts = _verdicts(systems, suite=f"memfail/{task}", data=found, k=[k])
            columns.append((f"{task}@{k}", [v for v in verdicts if v.tags.get("query") != "misleading"]))
    if found := _folder(chosen, "meme"):
        verdicts = _verdicts(systems, suite="meme", data=found, k=[5])
        columns += [(f"{task}@5", [v for v in verdicts if v.task == f"meme/{task}"]) for task in ("cascade", "absence")]
    for title, told in _fact_episodes(chosen)[:1]:
        verdicts = [v for system in systems for v in examined(told, system, (10,)).verdicts]
        columns.append((f"facts@10, {title}", verdicts))
    print("without a part\n  " + " " * 34 + "".join(f"{name:<26}" for name, _ in columns))
    for system in systems:
        _line(system, [[v.verdict == "correct" for v in verdicts if v.system == system] for _, verdicts in columns])


def failures(chosen: argparse.Namespace) -> None:
    """Why mosaic did not find all of it within k, the first cause that applies; the last line is what it did find."""
    plans: list[tuple[str, int, list[Episode]]] = []
    if found := _folder(chosen, "memfail"):
        for task, k in (("coexisting", 10), ("coexisting", 20), ("long-hop", 5)):
            plans.append((f"{task}, k = {k}", k, _episodes(f"memfail/{task}", Request(data=found))))
    if found := _folder(chosen, "longmemeval"):
        with tempfile.TemporaryDirectory() as folder:
            told = _episodes("longmemeval/s", Request(data=_among_evidence(found, folder)))
        plans.append(("LongMemEval, turns, k = 5", 5, told))
    for title, k, episodes in plans:
        system = _with_embedder(["mosaic"], chosen.embedder)[0]
        counts = Counter(cause for each in episodes for cause in _causes(each, system, k))
        print(f"{title}: {counts.total()} questions")
        for cause in CAUSES:
            print(f"  {counts[cause]:>4}  {cause.format(k=k)}", flush=True)


CAUSES = (
    "more than {k} turns are needed",
    "what is missed came within twice {k}",
    "what is missed has no word of the question",
    "what is missed shares words with it, and is further down",
    "found",
)


def _causes(told: Episode, system: str, k: int) -> Iterator[str]:
    """Of each question that names what is needed, what came of it."""
    memory = registry.system(system).build()
    for session in told.sessions:
        memory.store_conversation(session)
    texts = {turn.id: turn.text for session in told.sessions for turn in session.turns}
    turns = {fact.id: fact.turns for fact in told.facts}
    for probe in told.probes:
        needed = {turn for fact in probe.sufficient[0] for turn in turns[fact]} if probe.sufficient else set()
        if not needed or probe.tags.get("query") == "misleading":
            continue
        last = replace(told.sessions[-1], timestamp=probe.asked_at or told.sessions[-1].timestamp)
        ranked = [source for hit in memory.retrieve_memories(probe.text, last, len(texts)) for source in hit.sources]
        missed = needed - set(ranked[:k])
        asked = set(stems(probe.text))
        if not missed:
            yield CAUSES[4]
        elif len(needed) > k:
            yield CAUSES[0]
        elif missed <= set(ranked[: 2 * k]):
            yield CAUSES[1]
        elif any(asked.isdisjoint(stems(texts[turn])) for turn in missed):
            yield CAUSES[2]
        else:
            yield CAUSES[3]


def speed(chosen: argparse.Namespace) -> None:
    """Milliseconds of the processor to store a turn and to answer a question, in a store of `--turns` turns."""
    task = next(task for task in registry.suite("meme").tasks if task.name == "meme/personal-life")
    turns: list[Turn] = []
    questions: list[str] = []
    for seed in range(FRESH, FRESH + 100):
        for told in task.load(Request(seed=seed, rows=10)).episodes:
            turns += [
                replace(turn, id=f"t{len(turns) + n}")
                for n, turn in enumerate(t for s in told.sessions for t in s.turns)
            ]
            questions += [probe.text for probe in told.probes]
        if len(turns) >= chosen.turns:
            break
    sessions = [Session(f"s{n}", tuple(turns[n : n + 20]), "2026-03-01") for n in range(0, chosen.turns, 20)]
    asked = random.Random(FRESH).sample(questions, 100)
    print(f"{chosen.turns:,} turns of MEME's chats: ms of the processor to store a turn, to answer a question")
    for system in chosen.systems:
        memory = registry.system(system).build()
        began = time.process_time()
        for session in sessions:
            memory.store_conversation(session)
        memory.settle()
        memory.retrieve_memories(asked[0], sessions[-1], 10)  # whatever is only built for the first question
        stored = time.process_time()
        for question in asked:
            memory.retrieve_memories(question, sessions[-1], 10)
        took = time.process_time() - stored
        print(f"  {system:<34}{1e3 * (stored - began) / chosen.turns:8.3f}{1e3 * took / len(asked):8.2f}", flush=True)


def costs(chosen: argparse.Namespace) -> None:
    """What each part costs: the same as `speed`, without one part at a time."""
    systems = _with_embedder(["mosaic", *(f"mosaic:without={part}" for part in WITHOUT)], chosen.embedder)
    speed(argparse.Namespace(**{**vars(chosen), "systems": systems}))


def _episodes(task: str, request: Request) -> list[Episode]:
    suite = registry.suite(task.partition("/")[0])
    return [each for found in suite.tasks if found.name == task for each in found.load(request).episodes]


def _among_evidence(found: Path, folder: str) -> Path:
    """Released questions with their evidence among other questions' and released chats, as an official file."""
    among = Path(folder) / "longmemeval_s_among_evidence.json"
    evidence, chats = found / "evidence_turns_250.json", found / "longmemeval_s_sample.json"
    among.write_text(json.dumps(list(among_evidence(evidence, chats, seed=2026))))
    return among


def _verdicts(systems: Sequence[str], **settings: Any) -> list[ProbeVerdict]:
    with tempfile.TemporaryDirectory() as folder:
        return list(api.run(*systems, out=Path(folder) / "run", progress=False, **settings).verdicts())


def _table(title: str, verdicts: Sequence[ProbeVerdict], systems: Sequence[str], stale: bool = False) -> None:
    """A line for each system: its success at each k and, where asked for, how often something outdated came alone."""
    asked = [v for v in verdicts if v.verdict != "n/a"]
    ks = sorted({v.k for v in asked if isinstance(v.k, int)})
    count = len({(v.episode, v.probe) for v in asked})
    heads = [f"k = {k}" for k in ks] + [f"stale, k = {k}" for k in ks if stale]
    print(f"{title}: {count} questions\n  {'':<34}" + "".join(f"{head:<18}" for head in heads))
    for system in systems:
        mine = [v for v in asked if v.system == system]
        cells = [[v.verdict == "correct" for v in mine if v.k == k] for k in ks]
        cells += [[bool(v.stale) for v in mine if v.k == k] for k in ks if stale]
        _line(system, cells, 18)


def _line(system: str, cells: Iterable[Sequence[bool]], width: int = 26) -> None:
    print(f"  {system:<34}" + "".join(f"{_rate(cell):<{width}}" for cell in cells), flush=True)


def _rate(values: Sequence[bool]) -> str:
    if not values:
        return "–"
    low, high = wilson(sum(values), len(values))
    return f"{100 * sum(values) / len(values):.1f} ({100 * low:.0f}–{100 * high:.0f})"


def _together(episodes: Sequence[Episode]) -> Episode:
    """Several episodes as one, session by session in turn; ids are told apart by the number of their episode."""
    renamed = [_renamed(each, f"e{n}:") for n, each in enumerate(episodes)]
    sessions = [session for each in renamed for session in each.sessions]
    random.Random(FRESH).shuffle(sessions)
    return Episode(
        "together",
        "memfail/together",
        tuple(sessions),
        tuple(fact for each in renamed for fact in each.facts),
        tuple(replace(probe, task=probe.task or each.task) for each in renamed for probe in each.probes),
    )


def _renamed(told: Episode, before: str) -> Episode:
    def new(id: str) -> str:
        return before + id

    return replace(
        told,
        sessions=tuple(
            replace(s, id=new(s.id), turns=tuple(replace(t, id=new(t.id)) for t in s.turns)) for s in told.sessions
        ),
        facts=tuple(replace(f, id=new(f.id), turns=tuple(map(new, f.turns))) for f in told.facts),
        probes=tuple(
            replace(
                p,
                id=new(p.id),
                sufficient=tuple(tuple(map(new, facts)) for facts in p.sufficient),
                after=None,
                targets=(),
                outdated=tuple(
                    replace(o, fact=new(o.fact), voided_by=tuple(map(new, o.voided_by))) for o in p.outdated
                ),
            )
            for p in told.probes
        ),
        coarse=(),
    )


def _fact_episodes(chosen: argparse.Namespace) -> list[tuple[str, Episode]]:
    found = []
    folder = chosen.data / "memoryagentbench"
    context, asked = (folder / f"factconsolidation_6k_{part}" for part in ("context.txt", "questions_40.json"))
    if context.exists():
        rows = [row for row in json.loads(asked.read_bytes()) if "_mh_" in row["source"]]
        mine = [(row["qa_pair_id"], row["question"], tuple(row["golds"])) for row in rows]
        text = context.read_text(encoding="utf-8")
        found.append(("released 6k", episode(fact_contexts.released_context("mh", KIND, KIND, text, mine, {}))))
    made = episode(next(factconsolidation.contexts(6_000, 100, FRESH, {}, KIND)))
    return [*found, (f"generated 6k, seed {FRESH}", made)]


def _with_embedder(systems: Sequence[str], embedder: str) -> list[str]:
    """Systems with an embedder; bm25 has none, and the members of a mixture have their own."""
    return (
        [
            each + f"{',' if ':' in each else ':'}embedder={embedder}" * (not each.startswith(("bm25", "mixture")))
            for each in systems
        ]
        if embedder
        else list(systems)
    )


def _folder(chosen: argparse.Namespace, name: str) -> Path | None:
    folder: Path = chosen.data / name
    if not folder.is_dir():
        print(f"{name}, released: no files at {folder}")
        return None
    return folder


SECTIONS: dict[str, Callable[[argparse.Namespace], None]] = {
    "memfail": memfail,
    "one-store": one_store,
    "meme": meme,
    "longmemeval": longmemeval,
    "facts": facts,
    "ablation": ablation,
    "failures": failures,
    "speed": speed,
    "costs": costs,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="the folder with the released files")
    parser.add_argument("--turns", type=int, default=TURNS, help="how many turns `speed` and `costs` store")
    parser.add_argument("--system", dest="systems", action="append", help="instead of the usual ones; may be repeated")
    parser.add_argument("--embedder", default="", help="for all systems that have vectors, such as minilm")
    given = parser.parse_args()
    given.systems = _with_embedder(given.systems or SYSTEMS, given.embedder)
    for name in given.sections or SECTIONS:
        SECTIONS[name](given)
