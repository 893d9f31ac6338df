"""Test-time learning: sentences with numbered labels to learn from, and new sentences to label in the same way.

They come from a labelled file, or from made-up intents that can be worded in endless ways.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.options import count_of, switch_of
from memtriage.suites.kit.templates import draw
from memtriage.suites.kit.words import lists, word_list
from memtriage.suites.memoryagentbench.context import PACKAGE, Context, length_label
from memtriage.suites.memoryagentbench.generate.labelled_files import Example, Labelled, read
from memtriage.suites.memoryagentbench.generate.plan import shares
from memtriage.suites.memoryagentbench.labelled_examples import BLANK_LINE, example_context
from memtriage.text.tokens import count_tokens

_TOKENS_EACH = 24
_LEAST_EACH = 4
"""Fewer made-up labels for short contexts, so that each has some examples."""
_PATIENCE = 100
_BEFORE_VOWEL = re.compile(r"\ba (?=[aeio])")

_NAMES = {
    "intents": "made_up",
    "question-types": "question_types_coarse",
    "question-types-fine": "question_types_fine",
}
"""What sources are called after the kind of their labels."""

_ByLabel = Mapping[str, Iterator[Example]]
"""Examples yet to be drawn, by label."""


@dataclass(frozen=True, slots=True)
class _Pool:
    """What examples are drawn from: those to show, those to ask about, and what they are called."""

    name: str
    shown: _ByLabel
    asked: _ByLabel


def contexts(length: int, rows: int, seed: int, options: Mapping[str, str]) -> Iterator[Context]:
    """Contexts of about so many tokens, or of so many `shots`, with so many sentences to label in all.

    From a file there is one. Made-up ones have labels of every kind in turn, unless `labels` names a kind.
    """
    if options.get("from"):
        yield _context(length, rows, seed, options, "")
        return
    kinds = _kinds(options)
    for number, share in enumerate(shares("icl", rows, options)):
        yield _context(length, share, seed, options, kinds[number % len(kinds)], number + 1)


def _kinds(options: Mapping[str, str]) -> Sequence[str]:
    """The kinds of made-up labels, one for each context: in the paper three are of intents, two of questions."""
    named, fine = options.get("labels", ""), switch_of(options, "fine")
    match named, fine:
        case ("", False):
            return ("intents", "intents", "intents", "question-types", "question-types-fine")
        case ("" | "question-types", True):
            return ("question-types-fine",)
        case ("intents", False) | ("question-types", False):
            return (named,)
        case ("intents", True):
            raise BadInput("icl: intents have no finer labels; leave out fine, or give labels=question-types")
    raise BadInput(unknown("labels", named, ("intents", "question-types")))


def _context(length: int, rows: int, seed: int, options: Mapping[str, str], kind: str, number: int = 1) -> Context:
    rng = random.Random(f"classification/{seed}/{length}" + (f"/{number}" if number > 1 else ""))
    shots = count_of(options, "shots")
    pool = _made_up(kind, length, rows, shots, rng) if kind else _from_file(options, rows, rng)
    labels = rng.sample(sorted(pool.shown), len(pool.shown))
    numbers = {label: number for number, label in enumerate(labels)}
    asked = list(islice(_round_robin(pool.asked, rng), rows))
    shown = _shown_examples(pool, numbers, length, shots, rng)
    text = BLANK_LINE.join(_block(example, numbers) for example in _evenly_mixed(shown, rng))
    size = count_tokens(text)
    own = f"_{number}" if number > 1 else ""
    source = f"icl_{pool.name}{own}_{len(shown)}shot_balance"
    questions = [(example.text, (str(numbers[example.label]),), {"class": example.label}) for example in asked]
    tags = {"length": length_label(length if abs(size - length) <= 0.03 * length else size)}
    return example_context(f"{source}_{seed}", source, text, questions, tags)


# ------------------------------------------------------------------ which examples


def _shown_examples(
    pool: _Pool, numbers: Mapping[str, int], length: int, shots: int | None, rng: random.Random
) -> list[Example]:
    """So many examples, or as many as fit into the length: of every label as many, as far as it has them."""
    examples = _round_robin(pool.shown, rng)
    shown = list(islice(examples, shots)) if shots else list(_fitting(examples, numbers, length))
    if shots and len(shown) < shots:
        raise BadInput(f"{pool.name} has only {len(shown)} examples to show, not {shots} shots")
    if len({example.label for example in shown}) < len(numbers):
        raise BadInput(
            f"{pool.name} has {len(numbers)} labels, but only {len(shown)} examples would be shown; "
            "ask for a greater length or more shots"
        )
    return shown


def _fitting(examples: Iterator[Example], numbers: Mapping[str, int], length: int) -> Iterator[Example]:
    used = 0
    for example in examples:
        used += count_tokens(_block(example, numbers) + BLANK_LINE)
        if used > length:
            return
        yield example


def _round_robin(by_label: _ByLabel, rng: random.Random) -> Iterator[Example]:
    """One example of every label after the other, round by round, until all are used up."""
    left = dict(by_label)
    while left:
        for label in rng.sample(sorted(left), len(left)):
            example = next(left[label], None)
            if example is None:
                del left[label]
            else:
                yield example


def _evenly_mixed(examples: Sequence[Example], rng: random.Random) -> list[Example]:
    """The examples in an order in which those of each label are spread over the whole."""
    by_label: dict[str, list[Example]] = {}
    for example in examples:
        by_label.setdefault(example.label, []).append(example)
    placed = [
        ((number + rng.random()) / len(alike), example)
        for alike in by_label.values()
        for number, example in enumerate(alike)
    ]
    return [example for _, example in sorted(placed, key=lambda place: place[0])]


def _block(example: Example, numbers: Mapping[str, int]) -> str:
    return f"{example.text}\nLabel: {numbers[example.label]}"


# ------------------------------------------------------------------ from a file


def _from_file(options: Mapping[str, str], rows: int, rng: random.Random) -> _Pool:
    fine = switch_of(options, "fine")
    columns = options.get("text", ""), options.get("label", "")
    labelled = read(Path(options["from"]), *columns, fine)
    shown = _by_label(_without_repeats(labelled.to_learn), rng)
    if options.get("test"):
        other = read(Path(options["test"]), *columns, fine)
        asked = _apart(shown, other.test + other.train, rng)
    elif labelled.train and labelled.test:
        asked = _apart(shown, labelled.test, rng)
    else:
        asked = _held_out(shown, rows)
    return _Pool(_name(labelled, fine), _iterators(shown), _iterators(asked))


def _apart(shown: Mapping[str, Sequence[Example]], tests: Iterable[Example], rng: random.Random) -> _Lists:
    """The sentences to test with that are not among those to learn from."""
    known = {example.words for examples in shown.values() for example in examples}
    for example in tests:
        if example.label not in shown:
            raise BadInput(f"{example.where} has the label {example.label!r}, which no example to learn from has")
    return _by_label([example for example in _without_repeats(tests) if example.words not in known], rng)


def _held_out(shown: _Lists, rows: int) -> _Lists:
    """As many of each label's examples as it takes for the questions, at most half, taken away from those shown."""
    each = -(-rows // len(shown))
    for label, examples in shown.items():
        if len(examples) < 2:
            raise BadInput(
                f"{examples[0].where} is the only example of {label!r}; it takes one to learn from and one to ask about"
            )
    return {label: [examples.pop() for _ in range(min(each, len(examples) // 2))] for label, examples in shown.items()}


_Lists = dict[str, list[Example]]


def _by_label(examples: Iterable[Example], rng: random.Random) -> _Lists:
    found: _Lists = {}
    for example in examples:
        found.setdefault(example.label, []).append(example)
    for alike in found.values():
        rng.shuffle(alike)
    return found


def _iterators(by_label: _Lists) -> _ByLabel:
    return {label: iter(examples) for label, examples in by_label.items()}


def _without_repeats(examples: Iterable[Example]) -> list[Example]:
    """Every sentence once, and none that has several labels."""
    found: dict[str, Example] = {}
    ambiguous: set[str] = set()
    for example in examples:
        first = found.setdefault(example.words, example)
        if first.label != example.label:
            ambiguous.add(example.words)
    return [example for words, example in found.items() if words not in ambiguous]


def _name(labelled: Labelled, fine: bool) -> str:
    return re.sub(r"\W+", "_", labelled.name.lower()).strip("_") + ("_fine" if fine else "")


# ------------------------------------------------------------------ made up


def _made_up(kind: str, length: int, rows: int, shots: int | None, rng: random.Random) -> _Pool:
    worded = _worded(kind)
    count = max(2, min(len(worded), (shots or length // _TOKENS_EACH) // _LEAST_EACH))
    labels = sorted(rng.sample(sorted(worded), count))
    asked = {label: list(islice(_sentences(worded[label], kind, rng), -(-rows // count))) for label in labels}
    shown = {label: _others(label, worded[label], kind, asked[label], rng) for label in labels}
    questions = {label: [Example(words, label, label) for _, words in asked[label]] for label in labels}
    return _Pool(_NAMES[kind], shown, _iterators(questions))


def _worded(kind: str) -> Mapping[str, Sequence[str]]:
    """The labels of a kind, each with its templates."""
    if kind == "intents":
        return lists(PACKAGE, "labels/intents")
    fine = lists(PACKAGE, "labels/question_types")
    if kind == "question-types-fine":
        return fine
    coarse: dict[str, list[str]] = {}
    for label, templates in fine.items():
        coarse.setdefault(label.partition(":")[0], []).extend(templates)
    return coarse


def _others(
    label: str, templates: Sequence[str], kind: str, asked: Sequence[tuple[str, str]], rng: random.Random
) -> Iterator[Example]:
    """Ever new sentences of a label that are not asked about, nor, while there are others, have the same core."""
    cores, sentences = {core for core, _ in asked}, {words for _, words in asked}
    passed = 0
    for core, words in _sentences(templates, kind, rng):
        if words in sentences or (core in cores and passed < _PATIENCE):
            passed += 1
        else:
            passed = 0
            yield Example(words, label, label)


def _sentences(templates: Sequence[str], kind: str, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Ever new sentences of a label, each with its core: what is left without a greeting and the like.

    Questions are asked without any; where no new one turns up any more, there are no more.
    """
    bare = kind != "intents"
    openers, closers = word_list(PACKAGE, "labels/openers"), word_list(PACKAGE, "labels/closers")
    gaps = lists(PACKAGE, "labels/question_gaps" if bare else "labels/phrases")
    seen: set[str] = set()
    repeats = 0
    while repeats < _PATIENCE:
        core = _phrased(rng.choice(templates), gaps, rng)
        opener, closer = ("", "") if bare else (rng.choice(openers), _phrased(rng.choice(closers), gaps, rng))
        words = f"{opener} {core}" if opener else _capital(core)
        words += f" {_capital(closer)}" if closer else ""
        repeats = repeats + 1 if words in seen else 0
        if not repeats:
            seen.add(words)
            yield core, words


def _phrased(template: str, gaps: Mapping[str, Sequence[str]], rng: random.Random) -> str:
    return _BEFORE_VOWEL.sub("an ", draw(template, rng, gaps))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
