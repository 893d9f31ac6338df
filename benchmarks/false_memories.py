"""False alarms on real stores: how often a rewritten memory that was said is called invented.

    python benchmarks/false_memories.py [--locomo locomo10.json --mem0 FOLDER]

`rewritten_stores.jsonl` and `library_stores.jsonl` are stores that a strong model wrote (`rewritten_stores.py`), here
beside the conversations that they were written from (`store_conversations.jsonl`: the rows have changed since). The
pairs that ship with the package are held against their fact alone, without a date, so that whatever a memory says
besides it was never said there. With LoCoMo's released file and a folder of Mem0's stores of it (`Caroline_0.json`: of
which person, in which conversation), these are read too. Rules were mended on the pairs, not on the stores, but for
two: repeated words, and labels of fields.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from memtriage.core.episode import Session, Turn
from memtriage.diagnose.lexical.said import Said
from memtriage.diagnose.lexical.support import support
from memtriage.validate.calibrate_pairs import shipped_pairs

HERE = Path(__file__).parent


def records(name: str) -> Iterator[dict]:
    return map(json.loads, (HERE / name).read_text("utf-8").splitlines())


def conversations() -> dict[tuple[str, int, int], Said]:
    found = {}
    for one in records("store_conversations.jsonl"):
        sessions = [Session(s["id"], tuple(Turn(**t) for t in s["turns"]), s["timestamp"]) for s in one["sessions"]]
        found[one["task"], one["rows"], one["seed"]] = Said(sessions)
    return found


def locomo(file: Path, number: int) -> Said:
    told = json.loads(file.read_text("utf-8"))[number]["conversation"]
    sessions = []
    for n in range(1, 100):
        if told.get(f"session_{n}"):
            day = datetime.strptime(told[f"session_{n}_date_time"], "%I:%M %p on %d %B, %Y").isoformat()
            turns = (
                Turn("user", f"{t['speaker']}: {t['text']} {t.get('blip_caption', '')}", t["dia_id"])
                for t in told[f"session_{n}"]
            )
            sessions.append(Session(str(n), tuple(turns), day))
    return Said(sessions)


def count(memories: Iterable[str], said: Said) -> Counter[str]:
    """How many memories are supported, invented and uncertain; each invented one is printed."""
    states: Counter[str] = Counter()
    for text in memories:
        found = support(text, said)
        states[found.state] += 1
        if found.state == "invented":
            print(f"  {found.why} {found.words}: {text[:200]!r}")
    return states


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--mem0", type=Path)
    options = parser.parse_args()
    said = conversations()
    for name in ("rewritten_stores.jsonl", "library_stores.jsonl"):
        total: Counter[str] = Counter()
        for store in records(name):
            total += count(store["memories"], said[store["task"], store["rows"], store["seed"]])
        print(name, dict(total))
    labels: Counter[tuple[str, str]] = Counter()
    for pair in shipped_pairs():
        told = Said([Session("s", (Turn("user", pair.fact, "s/0"),))])
        labels[pair.label, support(pair.memory, told).state] += 1
    print("pairs", {f"{label} -> {state}": n for (label, state), n in sorted(labels.items())})
    for file in sorted(options.mem0.glob("*.json")) if options.mem0 and options.locomo else ():
        memories = [memory["memory"] for memory in json.loads(file.read_text("utf-8"))]
        print(file.name, dict(count(memories, locomo(options.locomo, int(file.stem[-1])))))


if __name__ == "__main__":
    main()
