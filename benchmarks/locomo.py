"""LoCoMo's recall counted a second way: systems are asked directly, and sets of turn ids compared.

python benchmarks/locomo.py data/locomo/locomo10.json

Nothing of `metrics/` is used, and evidence is read from the file itself. The numbers are those of `show --by measure`
for a run with `--gold as-released`, and the paper's own recall besides: the mean share of the evidence that is found.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from statistics import fmean

from memtriage.core.episode import Session, Turn
from memtriage.core.suite import Request
from memtriage.suites.locomo.suite import SUITE
from memtriage.systems.retrieval.bm25 import BM25
from memtriage.systems.retrieval.dense import Dense

KS = (5, 10)


def turn_ids(text: str) -> set[str]:
    return {f"D{int(a)}:{int(b)}" for a, b in re.findall(r"D:?(\d+):(\d+)", text)}


def main(path: Path) -> None:
    samples = {sample["sample_id"]: sample for sample in json.loads(path.read_text(encoding="utf-8"))}
    episodes = list(SUITE.tasks[0].load(Request(data=path, options={"gold": "as-released"})).episodes)
    for system in (BM25, Dense):
        shares: dict[int, list[float]] = {k: [] for k in KS}
        for episode in episodes:
            memory, sample = system(), samples[episode.id]
            for session in episode.sessions:
                memory.store_conversation(session)
            known = turn_ids(json.dumps(sample["conversation"]))
            for probe in episode.probes:
                wanted = turn_ids(" ".join(sample["qa"][int(probe.id.rpartition("/q")[2])]["evidence"])) & known
                asked = Session("asked", (Turn("user", probe.text, "asked"),), episode.sessions[-1].timestamp)
                found = (
                    [one.sources[0] for one in memory.retrieve_memories(probe.text, asked, max(KS))] if wanted else []
                )
                for k in KS if wanted else ():
                    shares[k].append(len(wanted & set(found[:k])) / len(wanted))
        for k, values in shares.items():
            shown = {"any": fmean(v > 0 for v in values), "all": fmean(v == 1 for v in values), "share": fmean(values)}
            print(
                system.__name__, f"k={k}", f"n={len(values)}", *(f"{name} {100 * v:.2f}" for name, v in shown.items())
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
