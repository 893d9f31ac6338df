"""Long-Hop in other languages: chains of what somebody likes or can't stand, how it feels, and what that leads to."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from memtriage.suites.kit.draw import Deck, deck
from memtriage.suites.kit.localized import capital, filled, grammar, lines
from memtriage.suites.kit.words import values
from memtriage.suites.memfail.localized.people import first_names
from memtriage.suites.memfail.paper import PACKAGE
from memtriage.suites.memfail.rows import LETTERS, LongHopRow


class _Feeling(NamedTuple):
    stand: str
    name: str
    things: tuple[str, ...]


class _Act(NamedTuple):
    verb: str
    rest: str
    final: str

    @property
    def text(self) -> str:
        return f"{self.verb} {self.rest}"


class _Chains:
    """The words of chains: feelings, and the acts that each leads to, one after the other."""

    def __init__(self, code: str) -> None:
        self.frames = grammar(PACKAGE, code, "long_hop")
        self.feelings: dict[str, _Feeling] = {}
        for line in lines(PACKAGE, code, "long_hop", "feelings"):
            stand, name, things = line.split(" | ")
            self.feelings[name] = _Feeling(stand, name, values(things))
        self.paths: list[tuple[_Feeling, _Act, _Act]] = []
        for line in lines(PACKAGE, code, "long_hop", "acts"):
            feeling, acts = line.split(": ", 1)
            first, second = (_Act(*act.split(" + ")) for act in acts.split(" > "))
            self.paths.append((self.feelings[feeling], first, second))


def generate(code: str, seed: int, hop_counts: Iterator[int]) -> Iterator[LongHopRow]:
    """Chains without end, with as many hops as asked for."""
    rng = Random(f"{code}:long-hop:{seed}")
    words = _Chains(code)
    paths, people = deck(rng, words.paths), first_names(code, rng)
    asks = {key: Deck(lines(PACKAGE, code, "long_hop", key)) for key in ("ask_feeling", "ask_act")}
    made: dict[int, int] = {}
    for hops in hop_counts:
        feeling, first, second = next(paths)
        person = next(people)
        thing = rng.choice(feeling.things)
        gaps = {**person.gaps, "stand": feeling.stand, "thing": thing, "feeling": feeling.name}
        steps = [
            filled(words.frames["head"], gaps),
            filled(words.frames["makes"], gaps),
            filled(words.frames["leads"], {**gaps, **first._asdict()}),
            filled(words.frames["then"], {**gaps, "final": first.final, "verb": second.verb, "rest": second.rest}),
        ]
        chain = (person.name, thing, feeling.name, first.text, second.text)
        # What follows from things that somebody likes would be told from the rest by its tone alone.
        alike = [path for path in words.paths if path[0].stand == feeling.stand]
        others = {
            1: list(dict.fromkeys(one.name for one, _, _ in alike)),
            2: [one.text for _, one, _ in alike],
            3: [one.text for _, _, one in alike],
        }[hops]
        others.remove(chain[hops + 1])
        question = filled(rng.choice(asks["ask_feeling" if hops == 1 else "ask_act"]), gaps)
        yield _row(hops, made.get(hops, 0), steps[: hops + 1], chain[: hops + 2], capital(question), others, words, rng)
        made[hops] = made.get(hops, 0) + 1


def _row(
    hops: int,
    number: int,
    facts: list[str],
    chain: tuple[str, ...],
    question: str,
    others: list[str],
    words: _Chains,
    rng: Random,
) -> LongHopRow:
    answer = chain[-1]
    choices = rng.sample(others, len(LETTERS) - 1)
    choices.insert(rng.randrange(len(LETTERS)), answer)
    options = "\n".join(f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=True))
    return LongHopRow(
        id=f"longhop-{hops}hop-{number:03}",
        hop_count=hops,
        facts=tuple(facts),
        chain=chain,
        graded_question=f"{question}\n\n{words.frames['options']}\n{options}",
        ground_truth_answer=answer,
        choices=tuple(choices),
        correct_choice=LETTERS[choices.index(answer)],
    )
