"""How `memtriage points` does on memories whose fate is known: `python benchmarks/points.py`.

Users in HaluMem's format are made up, and a memory writes their points down: whole, with another number, with another
place, or not at all; without the user's name, and in a second run in other words too. Prints what became of them by
words, and the processor time.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import memtriage
from memtriage.core.episode import Session
from memtriage.core.suite import Request
from memtriage.diagnose.points import check_points
from memtriage.record.reader import RunReader
from memtriage.suites.halumem.suite import load

NAME = "Ada Lund"
THINGS = "lamp boat kite drum harp vase coat sled bell rope tent oven clock ladder mirror basket candle carpet".split()
PLACES = "Lisbon Turin Oslo Quito Perth Osaka Leeds Nantes Gdansk Aarhus Cork Malaga Izmir Tartu Varna".split()
DEEDS = "bought sold painted repaired borrowed hid mailed photographed polished lost".split()
LOOKS = "red old tiny wooden silver green heavy broken woven striped".split()
FATES = ("whole", "dropped", "other place", "other number")
WORDINGS = {"without the name": " for ", "in other words too": " and paid "}
SESSIONS, TURNS = 70, 22


def session(rng: random.Random, number: int) -> dict[str, Any]:
    dialogue, points = [], []
    for turn in range(TURNS):
        deed, look, thing = rng.choice(DEEDS), rng.choice(LOOKS), rng.choice(THINGS)
        told = f"{deed} a {look} {thing} in {rng.choice(PLACES)} for {rng.randint(2, 900)} crowns."
        dialogue.append({"role": "user", "content": f"It was a long week. I {told} What else should I plan?"})
        dialogue.append({"role": "assistant", "content": f"A full week. Have you thought of {rng.choice(PLACES)}?"})
        if turn % 2 == 0:
            points.append({"memory_content": f"{NAME} {told}", "memory_type": "Event Memory", "importance": 0.5})
    day = f"Jan {1 + number % 28:02d}, {2025 + number // 28}, 09:00:00"
    asked = {"question": f"What did {NAME} do?", "answer": "Much.", "evidence": points[:1], "question_type": "Recall"}
    return {"start_time": day, "dialogue": dialogue, "memory_points": points, "questions": [asked]}


class Writer:
    """Writes the points of its sessions down, each with its fate."""

    fates: dict[str, str] = {}  # noqa: RUF012  (every store adds to it)
    paid = ""

    def __init__(self) -> None:
        self.kept: list[str] = []

    def store_conversation(self, conversation: Session) -> None:
        for turn in conversation.turns[::4]:  # points are told in every other turn of the user
            told = turn.text.split(" I ")[1].split(" What ")[0]
            rng = random.Random(told)
            fate = self.fates[told] = rng.choice(FATES)
            start, _, rest = told.partition(" in ")
            place, _, price = rest.partition(" for ")
            if fate == "other place":
                place = rng.choice([other for other in PLACES if other != place])
            if fate == "other number":
                price = f"{int(price.split()[0]) + rng.randint(1, 50)} crowns."
            if fate != "dropped":
                self.kept.append(f"The user {start} in {place}{self.paid}{price}")

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> list[str]:
        return self.kept[:k]

    def get_all_memories(self) -> list[str]:
        return self.kept


def main() -> None:
    rng = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "HaluMem-Medium.jsonl"
        users = [
            {"uuid": f"u{n}", "persona_info": f"Name: {NAME}", "sessions": [session(rng, s) for s in range(SESSIONS)]}
            for n in range(2)
        ]
        file.write_text("".join(json.dumps(user) + "\n" for user in users))
        began = time.process_time()
        points = sum(len(episode.facts) for episode in load(Request(data=file)).episodes) // 3
        print(f"2 users, {points:,} points: read and laid out in {time.process_time() - began:.1f} s")
        for wording, paid in WORDINGS.items():
            Writer.paid = paid
            out = Path(folder) / wording.split()[0]
            memtriage.run({"writer": Writer}, suite="halumem", data=file, k=1, out=out)
            began = time.process_time()
            with RunReader(out) as reader:
                checks = list(check_points(reader))
            print(f"{wording}: checked in {time.process_time() - began:.1f} s")
            found = Counter(
                (Writer.fates[one.point.text.removeprefix(f"{NAME} ")], one.low, one.high)
                for check in checks
                for one in check.points
            )
            for (fate, low, high), count in sorted(found.items()):
                print(f"  {fate:<13} {f'{low}' if low == high else f'{low} to {high}':<7} {count:>5,}")


if __name__ == "__main__":
    main()
