"""mosaic weighs only what may be near enough to a report, and finds what weighing everything would find."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from memtriage.systems.designs.mosaic import dependencies, hanging
from memtriage.systems.designs.mosaic.dependencies import DependencyGraph
from memtriage.systems.designs.mosaic.hanging import Forms, Hangs, Numbers, news_for, next_for, plain_for, same_for
from memtriage.systems.designs.mosaic.kept import Postings
from memtriage.systems.designs.mosaic.statements import Statement, Stems
from memtriage.systems.designs.mosaic.text_index import WordIndex

VOCABULARY = [f"word{n}" for n in range(60)]
Weighing = tuple[Stems, float, Callable[[Hangs], float], bool]


class Store:
    """Words and what hangs on them as a memory holds them, one statement to an entry."""

    def __init__(self, seed: int, count: int) -> None:
        self.chosen = random.Random(seed)
        self.words = WordIndex(lambda place: ())
        self.statements: list[Statement] = []
        self.weighed = 0
        self.forms = Forms(self.words, self.statements.__getitem__)
        for _ in range(count):
            self.add()

    def some(self, most: int) -> Stems:
        """A few words, some of which are much more frequent than others."""
        count = self.chosen.randint(1, most)
        return frozenset(VOCABULARY[int(60 * self.chosen.random() ** 2)] for _ in range(count))

    def add(self) -> None:
        """A rule or a tie that hangs on one or several things; now and then on more than the tables hold."""
        chosen = self.chosen
        clauses = tuple(self.some(60 if chosen.random() < 0.1 else 5) for _ in range(chosen.choice((1, 1, 2, 3, 6))))
        names = frozenset(word for word in frozenset().union(*clauses) if chosen.random() < 0.3)
        about = self.some(4)
        kind = chosen.choice(("rule", "tie"))
        statement = Statement("", kind, (), about, clauses, names | about if chosen.random() < 0.3 else names)
        self.statements.append(statement)
        self.words.add(sorted(about.union(*clauses)), len(self.words))
        if chosen.random() < 0.5:  # what hangs on others is worked out when it is asked for
            self.forms.put(len(self.statements) - 1, statement)

    def weighings(self) -> list[Weighing]:
        """What is weighed in memories: by a report, by what follows from one, by what hangs on the same."""
        told = self.some(10)
        meant = told | self.some(3)
        return [
            (meant, hanging.DIRECT, partial(news_for, self.words, told, meant), True),
            (meant, hanging.PLAIN, partial(plain_for, self.words, told, meant), False),
            (told, hanging.NEXT, partial(next_for, self.words, told), False),
            (told | meant, hanging.SAME, partial(same_for, self.words, (told, meant)), False),
        ]

    def near(self, numbers: Numbers, weighing: Weighing) -> list[tuple[int, float]]:
        among, least, weigh, every_part = weighing

        def counted(hangs: Hangs) -> float:
            self.weighed += 1
            return weigh(hangs)

        return self.forms.weighed(numbers, among, least, counted, every_part)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_near_enough_is_found_as_if_all_were_weighed(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    store, found, few, all_of_them = Store(seed, 150), 0, 0, 0
    for n in range(30):
        numbers = np.arange(n, len(store.statements), dtype=np.int32)
        for weighing in store.weighings():
            store.weighed = 0
            near = store.near(numbers, weighing)
            few, found = few + store.weighed, found + len(near)
            with monkeypatch.context() as patched:
                patched.setattr(hanging, "FEW", 10**9)
                store.weighed = 0
                assert near == store.near(numbers, weighing)
            all_of_them += store.weighed
        store.add()  # words become more frequent between two reports
    assert found > 100
    assert few < 0.6 * all_of_them


def test_what_was_let_go_is_worked_out_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hanging, "MOST_FORMS", 20)
    let_go, whole = Store(7, 90), Store(7, 90)
    numbers = np.arange(90, dtype=np.int32)
    for weighing, same in zip(let_go.weighings(), whole.weighings(), strict=True):
        near = let_go.near(numbers, weighing)
        whole.forms.clear()
        assert near == whole.near(numbers, same)


@pytest.mark.parametrize("seed", range(4))
def test_those_that_share_most_are_looked_at(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dependencies, "MOST", 20)
    monkeypatch.setattr(dependencies, "MOST_NEAR", 50)
    store = Store(seed, 300)
    graph = DependencyGraph(store.words, lambda entry: ())
    postings = Postings("hanging_on")
    latest: dict[str, list[int]] = {}
    for number, statement in enumerate(store.statements):
        for stem in frozenset().union(*statement.clauses):
            postings.add(stem, number)
            latest.setdefault(stem, []).append(number)
    for most in (1, 3, 8):
        stems = store.some(most) | {"never said"}
        held = {stem: latest.get(stem, []) for stem in stems}
        shared: dict[int, float] = {}
        for stem in stems:
            for number in held[stem][-50:]:
                shared[number] = shared.get(number, 0.0) + store.words.rarity(stem)
        best = sorted(shared, key=lambda number: (round(shared[number], 6), number))[-20:]
        wanted = sorted(best) if sum(map(len, held.values())) > 20 else sorted(shared)
        assert graph._most(postings, stems).tolist() == wanted
