"""How well generated rows can be told from released ones by their words, and how much of them recurs.

    python benchmarks/tell_apart.py --data path/to/memfail                        # every task of MemFail
    python benchmarks/tell_apart.py --suite meme/personal --data DIR --role asked
    python benchmarks/tell_apart.py --suite longmemeval --released texts.jsonl    # released text that no loader reads

A row is what its questions need: the turns that tell its facts (`said`), its questions (`asked`), its gold answers
(`gold`), and what an assistant says in those turns' sessions (`replied`). Lines of `--released` (and `--generated`) are
{"role": "said", "row": 1, "text": "..."}.

A logistic regression on words and pairs of words is trained on some rows of both sides, as many of either, and
tested on the others (5 parts, 3 generator seeds; 50 % is chance). Names and topics are masked first, as they may
differ: a word with a capital letter inside a sentence, a number, and every word that fewer than one row in twenty has
on both sides becomes a sign that only keeps its ending. What is left is how things are said. The interval takes the
released rows as the sample.

`--half 0` or `--half 1` takes only released rows with even or odd numbers, so that one half may be read while
generators are written, and the other measured. Needs scikit-learn (no dependency of memtriage).
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from memtriage import registry
from memtriage.core.episode import Episode
from memtriage.core.suite import Request, Task
from memtriage.metrics.statistics import wilson
from memtriage.text.sentences import sentences

DEFAULT_DATA = Path(__file__).parents[2] / "shared" / "data" / "memfail"
ROLES = ("said", "replied", "asked", "gold")
SEEDS = (42, 43, 44)
PARTS = 5
TOPIC = 0.05
"""A word that fewer rows than this share have, on both sides, is a topic."""
ALIKE = 0.75
"""Sentences that share this much of their words (Jaccard) are near duplicates."""
SHORT = 4  # sentences with fewer words recur by chance
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[?!,;:.()\"—–]")
NAME = re.compile(r"(?<=[a-z,] )[A-Z]\w+")
ENDINGS = ("ing", "ed", "ly", "s")

Rows = dict[str, dict[str, str]]
"""Texts by row and role."""


def rows_of(episodes: Iterable[Episode]) -> Rows:
    """The texts of each row, by role."""
    found: Rows = {}
    for episode in episodes:
        turn_of = {turn.id: turn for session in episode.sessions for turn in session.turns}
        session_of = {turn.id: session for session in episode.sessions for turn in session.turns}
        fact_of = {fact.id: fact for fact in episode.facts}
        for probe in episode.probes:
            texts: dict[str, dict[str, None]] = defaultdict(dict)
            told = [turn for id in probe.needed for turn in fact_of[id].turns if turn in turn_of]
            texts["said"] |= {turn_of[turn].text: None for turn in told if turn_of[turn].role == "user"}
            replies = [t for id in told for t in session_of[id].turns if t.role == "assistant"]
            texts["replied"] |= {turn.text: None for turn in replies}
            texts["asked"][probe.text] = None
            texts["gold"][probe.gold] = None
            row = found.setdefault(f"{episode.id}#{probe.cluster or probe.id}", defaultdict(str))
            for role, several in texts.items():
                row[role] += "".join(f"{text}\n" for text in several if text not in row[role])
    return dict(sorted(found.items()))


def rows_in(path: Path) -> Rows:
    """The texts of a file with a line for each."""
    found: Rows = defaultdict(lambda: defaultdict(str))
    for line in path.read_text("utf-8").splitlines():
        if line.strip():
            record = json.loads(line)
            found[str(record["row"])][record["role"]] += record["text"] + "\n"
    return dict(found)


def texts_of(rows: Rows, role: str) -> list[str]:
    """The text of each row in a role, or in all of them."""
    return ["\n".join(row.get(r, "") for r in ((role,) if role != "all" else ROLES)) for row in rows.values()]


def split(text: str) -> list[str]:
    """Words and marks in small letters; names and numbers as signs."""
    words: list[str] = []
    begins = True
    for token in WORD.findall(text.replace("’", "'")):
        if any(c.isdigit() for c in token):
            words.append("<number>")
        elif token[0].isupper() and not begins and token not in ("I", "I'm", "I've", "I'd", "I'll"):
            words.append("<name>")
        else:
            words.append(token.lower())
        begins = token in '.?!:"'
    return words


def masked(sides: Sequence[Sequence[str]]) -> list[list[str]]:
    """The texts of both sides with names and topics as signs."""
    tokens = [[split(text) for text in side] for side in sides]
    names = Counter(word.lower() for side in sides for text in side for word in NAME.findall(text))
    plain = Counter(word for side in tokens for text in side for word in text)
    shares = [Counter(word for text in side for word in set(text)) for side in tokens]

    def sign(word: str) -> str:
        if word.startswith("<") or not word[0].isalnum():
            return word
        if names[word] > plain[word]:
            return "<name>"
        if all(share[word] < TOPIC * len(side) for share, side in zip(shares, tokens, strict=True)):
            return f"<{next((e for e in ENDINGS if word.endswith(e)), 'word')}>"
        return word

    return [[" ".join(map(sign, text)) for text in side] for side in tokens]


def accuracy(generated: Sequence[str], released: Sequence[str], seed: int) -> tuple[float, Counter[str]]:
    """The share of unseen rows put on the right side, and how much each word speaks for being generated."""
    texts = np.array([*generated, *released])
    labels = np.array([1] * len(generated) + [0] * len(released))
    right = 0
    weights: Counter[str] = Counter()
    for seen, unseen in StratifiedKFold(PARTS, shuffle=True, random_state=seed).split(texts, labels):
        words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+", lowercase=False, sublinear_tf=True, min_df=2)
        model = make_pipeline(words, LogisticRegression(C=10, max_iter=2000))
        model.fit(texts[seen], labels[seen])
        right += int((model.predict(texts[unseen]) == labels[unseen]).sum())
        for word, weight in zip(words.get_feature_names_out(), model[-1].coef_[0], strict=True):
            weights[word] += float(weight) / PARTS
    return right / len(texts), weights


def recurring(rows: Sequence[str]) -> tuple[float, float]:
    """The share of sentences that stand in another row too, word for word, and of those with a near duplicate there."""
    found = [(number, tuple(split(s))) for number, text in enumerate(rows) for s in parts_of(text)]
    found = [(number, words) for number, words in found if len(words) > SHORT]
    homes: dict[tuple[str, ...], set[int]] = defaultdict(set)
    for number, words in found:
        homes[words].add(number)
    bags = [(number, frozenset(words)) for number, words in found]
    by_word: dict[str, list[int]] = defaultdict(list)
    for place, (_, bag) in enumerate(bags):
        for word in bag:
            by_word[word].append(place)
    near = 0
    for number, bag in bags:
        # two such sentences share most words, so one of the rarer third of the words of either
        rare = sorted(bag, key=lambda word: len(by_word[word]))[: int(len(bag) * (1 - ALIKE)) + 1]
        others = {place for word in rare for place in by_word[word] if bags[place][0] != number}
        near += any(len(bag & bags[o][1]) >= ALIKE * len(bag | bags[o][1]) for o in others)
    total = max(1, len(found))
    return sum(len(homes[words]) > 1 for _, words in found) / total, near / total


def parts_of(text: str) -> list[str]:
    return [s for line in text.splitlines() for s in sentences(line)]


def telling(weights: Counter[str], generated: Sequence[str], released: Sequence[str], count: int) -> list[str]:
    """The words that speak most for either side, with the share of its rows that have them."""
    lines = []
    for word, weight in sorted(weights.items(), key=lambda item: -abs(item[1]))[:count]:
        shares = [sum(f" {word} " in f" {t} " for t in side) / len(side) for side in (generated, released)]
        lines.append(f"{word!r} {shares[0]:.0%}/{shares[1]:.0%} ({weight:+.1f})")
    return lines


def compare(name: str, sides: Sequence[Rows], released: Rows, role: str, show: int) -> None:
    """One line for a dataset and role, and the words that give its rows away."""
    real = [text for text in texts_of(released, role) if text.strip()]
    if len(real) < 2 * PARTS:
        return
    values: list[float] = []
    weights: Counter[str] = Counter()
    for seed, rows in zip(SEEDS, sides, strict=False):
        own, other = masked([[t for t in texts_of(rows, role) if t.strip()][: len(real)], real])
        value, found = accuracy(own, other, seed)
        values.append(value)
        weights.update(found)
        last = own, other
    mean = sum(values) / len(values)
    low, high = wilson(mean * 2 * len(real), 2 * len(real))
    # gold answers such as "I don't know" are meant to recur
    whole = [recurring(texts_of(rows, "said" if role == "all" else role)) for rows in (sides[0], released)]
    print(
        f"{name:<28}{role:<9}{mean:>6.0%} [{low:.0%}, {high:.0%}]  {len(real)} rows a side   reused "
        f"{whole[0][0]:.1%} of {len(sides[0])} rows (released {whole[1][0]:.1%} of {len(released)}), near duplicates "
        f"{whole[0][1]:.1%} ({whole[1][1]:.1%})"
    )
    if show:
        print("    given away by (generated/released rows): " + ", ".join(telling(weights, *last, show)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="memfail", help="a suite or one of its tasks")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="released files")
    parser.add_argument("--role", choices=("all", *ROLES, "each"), default="all")
    parser.add_argument("--rows", type=int, help="how many rows to generate (default: as many as the suite does)")
    parser.add_argument("--option", action="append", default=[], help="an option of the suite: like=released")
    parser.add_argument("--generated", type=Path, help="a file of generated texts instead of the suite's generator")
    parser.add_argument("--released", type=Path, help="a file of released texts instead of --data")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only released rows with even or odd numbers")
    parser.add_argument("--words", type=int, default=12, help="how many telling words to print")
    args = parser.parse_args()
    options = dict(item.split("=", 1) for item in args.option)
    _, tasks = registry.tasks(args.suite)
    for task in tasks:
        released = rows_in(args.released) if args.released else loaded(task, Request(data=args.data))
        if args.half is not None:
            released = dict(list(released.items())[args.half :: 2])
        requests = [Request(seed=seed, rows=args.rows, options=options) for seed in SEEDS]
        sides = [rows_in(args.generated)] if args.generated else [loaded(task, request) for request in requests]
        for role in ("all", *ROLES) if args.role == "each" else (args.role,):
            compare(task.name, sides, released, role, args.words)


def loaded(task: Task, request: Request) -> Rows:
    """The rows of a task, generated or released."""
    return rows_of(task.load(request).episodes)


if __name__ == "__main__":
    main()
