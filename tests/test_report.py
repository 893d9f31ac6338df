"""The HTML report in a real browser: what it shows, what it refuses to do, and how large it is."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from memtriage.diagnose.verdict import FactVerdict, ProbeVerdict, Retrieved, StoreSummary, Verdict
from memtriage.report.html import About, headline, summarise, visible, write_report
from memtriage.report.payload import draw, fair_shares
from memtriage.score.table import table

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ABOUT = About(
    title="Five built-in memories on MemFail",
    created="2025-01-31T12:00:00+00:00",
    version="0.1.0",
    suite="memfail",
    data="generated, seed 7",
    command="memtriage run memfail --systems bm25,dense,hybrid --k 5,10,20 --seed 7",
    depth="memory",
)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "nul\x00bell\x07esc\x1b[31m",
    "\u202eright to left\u202c שלום",
    "family 👩‍👩‍👧 and a lone \ud83d",
    "%{x} <b>bold</b> $x^2$ &lt;i&gt;",
)
WORDS = (
    "harbour lantern copper Tuesday orchard violin marble ferry pepper attic winter saddle canyon kettle meadow "
    "pilot ribbon granite basil tunnel cello mirror quarry falcon ginger cabin velvet compass willow ember "
    "sister neighbour teacher usually never prefers keeps visits after before during because whenever small "
    "green quiet early second morning evening bought painted repaired studied promised forgot cooked the a of in to and with"
).split()
TASKS = {"conditional-easy": 138, "conditional-hard": 138, "coexisting": 138, "persona": 150, "long-hop": 128}
SYSTEMS = {
    # what becomes of a hundred probes at k=20: stored badly, mangled, not retrieved; the rest is right
    "none": (100, 0, 0),
    "bm25": (0, 0, 38),
    "dense": (0, 0, 31),
    "hybrid": (0, 0, 19),
    "full-context": (0, 0, 0),
    "my-summariser": (22, 30, 12),
}


@dataclass
class Run:
    """A made-up run: verdicts as they would stream from disk, and the texts behind their keys."""

    texts: dict[str, str] = field(default_factory=dict)
    probes: list[ProbeVerdict] = field(default_factory=list)

    def known(self, keys: Collection[str]) -> Mapping[str, str]:
        return {key: self.texts[key] for key in keys if key in self.texts}

    def stores(self) -> list[StoreSummary]:
        places = {(p.suite, p.task, p.system, p.episode): p.k_returned for p in self.probes}
        return [StoreSummary(*place, 12, 40 + i % 7, 900 + 31 * (i % 11), 0.01) for i, place in enumerate(places)]

    def write(self, out: Path, about: About = ABOUT) -> Path:
        rows = table(self.probes, self.stores())
        return write_report(out, iter(self.probes), self.stores(), rows, self.known, about)


def made_up_run(scale: float = 1.0, ks: tuple[int, ...] = (5, 10, 20), memories: int = 60) -> Run:
    """Six systems on five tasks; the same memories and questions for all of them."""
    run, rng = Run(), random.Random(7)
    for task, count in TASKS.items():
        for number in range(max(2, int(count * scale))):
            _add_probe(run, rng, task, number, ks, memories)
    return run


def _add_probe(run: Run, rng: random.Random, task: str, number: int, ks: tuple[int, ...], memories: int) -> None:
    episode = f"{task}-{number // 3:04}"
    details = (" ".join(rng.choices(WORDS, k=2)), " ".join(rng.choices(WORDS, k=3)))
    fact = f"{rng.choice(WORDS).capitalize()} {details[0]} {rng.choice(WORDS)} {details[1]}."
    keys = [f"{episode}-{i:03}" for i in range(memories)]
    for key in keys:
        run.texts.setdefault(key, " ".join(rng.choices(WORDS, k=rng.randint(8, 26))).capitalize() + ".")
    witness = rng.choice(keys)
    run.texts[witness] += " " + fact
    question = f"What did {' '.join(rng.choices(WORDS, k=12))}?"
    for system, shares in SYSTEMS.items():
        luck = rng.random() * 100
        ranked = [key for key in rng.sample(keys, len(keys)) if key != witness] + [witness]
        scores = sorted((rng.random() * 20 for _ in keys), reverse=True)
        for k in ks:
            verdict = _verdict(shares, luck, k / ks[-1], rng)
            if verdict == "correct" and ranked.index(witness) >= k:
                ranked.insert(k // 2, ranked.pop(ranked.index(witness)))
            wanted = 0 if system == "none" else len(keys) if system == "full-context" else k
            retrieved = tuple(Retrieved(key, i + 1, scores[i]) for i, key in enumerate(ranked[:wanted]))
            stage = {"not_stored": "storage", "summary_error": "summary", "not_retrieved": "retrieval"}.get(verdict)
            order = ("storage", "summary", "retrieval")
            passed = order.index(stage) if stage else 3
            judged = FactVerdict(
                fact=f"{number}-f",
                text=fact,
                details=details,
                verdict=verdict,
                why=f"{len(details)} critical details looked for in {len(keys)} memories; {stage or 'every stage'} decided",
                stages={name: "pass" if i < passed else "fail" if i == passed else "n/a" for i, name in enumerate(order)},
                witness=() if verdict == "not_stored" else (witness,),
                lost="never" if verdict == "not_stored" else None,
            )
            run.probes.append(
                ProbeVerdict(
                    *("memfail", task, system, episode, f"q{number:04}", k, "memory", verdict, question, details[1]),
                    facts=(judged,),
                    retrieved=retrieved,
                    k_returned=len(retrieved),
                    context_tokens=24 * len(retrieved),
                    seconds=0.0021,
                    cluster=episode,
                    tags={"N": str(number % 5)},
                )
            )


def _verdict(shares: tuple[int, int, int], luck: float, k_share: float, rng: random.Random) -> Verdict:
    stored, mangled, hidden = shares
    if mangled and luck > 92:
        return "uncertain"
    if luck < stored:
        return "not_stored"
    if luck < stored + mangled:
        return "summary_error"
    return "not_retrieved" if luck < stored + mangled + hidden * (1.9 - 0.9 * k_share) else "correct"
