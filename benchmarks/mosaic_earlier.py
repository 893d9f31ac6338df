"""Whether mosaic's model is shown the earlier sentences that a new one bears on: generated chats of MEME, with filler.

    python benchmarks/mosaic_earlier.py            # about a minute
    python benchmarks/mosaic_earlier.py --seed 777 --episodes 2

Pairs of a new sentence and an earlier one that it outdates, as the data says, and pairs that mosaic's rules link; those
that are read in the same call don't count. The model is scripted: it names the facts by their keys, and nothing else.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from memtriage import registry
from memtriage.core.episode import Episode
from memtriage.core.suite import Request
from memtriage.systems.designs.mosaic.extraction import LONGEST
from memtriage.systems.designs.mosaic.system import Mosaic
from memtriage.systems.designs.prompts import Ask

Pairs = set[tuple[str, str]]
KINDS = {"dep": "tie", "rule": "rule", "change": "change"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=301)
    parser.add_argument("--episodes", type=int, default=6, help="of each of the two domains")
    chosen = parser.parse_args()
    for phrasing in ("explicit", "implicit"):
        request = Request(seed=chosen.seed, rows=chosen.episodes, options={"phrasing": phrasing})
        episodes = [each for task in registry.suite("meme").select(None) for each in task.load(request).episodes]
        pairs = [{"outdated": outdated(each), "linked by rules": linked(each)} for each in episodes]
        for batch in (40, 1):
            counts: Counter[tuple[str, bool]] = Counter()
            for told, known in zip(episodes, pairs, strict=True):
                counts += shown(told, known, batch)
            for name in ("outdated", "linked by rules"):
                found, missed = counts[name, True], counts[name, False]
                print(f"{phrasing}, batch {batch:>2}, {name}: {found} of {found + missed} shown", flush=True)


def outdated(told: Episode) -> Pairs:
    """Sentences with what they outdate."""
    said = {fact.id: fact.evidence[0] if fact.evidence else fact.text for fact in told.facts}
    return {(said[by], said[each.fact]) for probe in told.probes for each in probe.outdated for by in each.voided_by}


def linked(told: Episode) -> Pairs:
    """Sentences with what the rules say that they change, replace or void."""
    system = Mosaic()
    for session in told.sessions:
        system.store_conversation(session)
    graph = system.memory._graph
    text = [each.text for each in graph.statements]
    found: Pairs = set()
    for number, earlier in enumerate(text):
        change = graph.changed.get(number)
        by = (change.report if change else None, graph.replaced_by.get(number), graph.voided_by.get(number))
        found |= {(text[later], earlier) for later in by if later is not None}
    return found


def shown(told: Episode, pairs: Mapping[str, Pairs], batch: int) -> Counter[tuple[str, bool]]:
    """Of each kind of pairs, how many earlier sentences were shown beside the new one, and how many were not."""
    facts = {text: fact.id for fact in told.facts for text in (fact.evidence or (fact.text,))}
    counts: Counter[tuple[str, bool]] = Counter()
    read: set[str] = set()

    def reply(ask: Ask) -> dict[str, list[Any]]:
        content = ask.messages[-1].content
        data = json.loads(content[content.index("{") : content.rindex("}") + 1])
        new = {each["text"]: each["n"] for day in data["said"] for each in day["sentences"]}
        earlier = {each["text"] for each in data["earlier"]}
        for name, some in pairs.items():
            counts.update((name, old[:LONGEST] in earlier) for later, old in some if later in new and old in read)
        read.update(new)
        return {"statements": [named(n, text, facts[text]) for text, n in new.items() if text in facts]}

    system = Mosaic(batch=batch)
    system._ask = reply  # type: ignore[assignment, method-assign]
    system._writer = object()  # type: ignore[assignment]
    system.reset()
    for session in told.sessions:
        system.store_conversation(session)
    system.settle()
    return counts


def named(n: int, text: str, fact: str) -> dict[str, Any]:
    """What the scripted model says of a fact: its key as the noun, and for rules and ties that it hangs on that."""
    kind, _, key = fact.partition("/")
    noun = key.partition("/")[0].replace("_", " ") or kind
    hangs_on = [noun] if kind in ("dep", "rule") else []
    about = {"kind": KINDS.get(kind, "state"), "subject": "user", "category": noun, "value": text, "date": ""}
    return {"n": n, **about, "hangs_on": hangs_on, "changes": []}


if __name__ == "__main__":
    main()
