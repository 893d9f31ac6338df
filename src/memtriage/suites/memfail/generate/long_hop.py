"""Long-Hop: chains of small personal facts that only answer a question together.

>>> row = next(generate(seed=7))
>>> row.id, row.hop_count, len(row.facts), len(row.chain)
('longhop-1hop-000', 1, 2, 3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import cycle, pairwise
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.words import records
from memtriage.suites.memfail.generate.long_hop_anchors import (
    DRINK_KINDS,
    EFFECT_SHARE,
    FOOD_KINDS,
    SPEAKER,
    Concept,
    Voice,
    content_stems,
    draw_act,
    draw_everyday_act,
    draw_mood,
    draw_mood_noun,
    draw_thing,
    effects,
    has_occasion,
    moods,
    thing_kinds,
    time_of_day,
    topics,
    write,
)
from memtriage.suites.memfail.generate.long_hop_sentences import Anchor, Opening, ask, link, open_named
from memtriage.suites.memfail.generate.long_hop_used import (
    STRICTEST,
    UsedAnchors,
    UsedFacts,
    alike,
    normal,
    words_of,
)
from memtriage.suites.memfail.paper import PACKAGE
from memtriage.suites.memfail.rows import LETTERS, LongHopRow

MAX_WORDS = 17
_SHORT = 3  # words of an anchor, where they are kept short
# How many chains are tried before the demand for unused anchors is lowered, step by step.
_PATIENCE = (12, 60, 240)
# Three chains in seven are about a named person.
_VOICES = (True, True, True, False, False, False, False)
# How many draws an anchor gets, on average, before its chain is given up.
_DRAWS = 6
# How many other chains are drawn for the wrong options of one.
_OTHER_CHAINS = 80
# How many of them are weighed against each other.
_FITTING = 10
_CRAVED = ("hot_food", "sweet_food", "snack", "soft_drink", "coffee", "music", "media", "outing", "quiet_time")


def generate(seed: int, hop_counts: Iterable[int] | None = None, like_released: bool = False) -> Iterator[LongHopRow]:
    """Endless Long-Hop rows; hop counts as given (ending with them), else 1, 2, 3 in turn.

    `like_released`, anchors are as short as in the released rows while there are unused ones.
    """
    rng = Random(f"long-hop:{seed}")
    dataset = _Dataset(
        _names(rng), deck(Random(f"long-hop-letters:{seed}"), LETTERS), _SHORT if like_released else None
    )
    numbers: Counter[int] = Counter()
    for hops in cycle((1, 2, 3)) if hop_counts is None else hop_counts:
        if hops not in (1, 2, 3):
            raise BadInput(f"Long-Hop chains have 1, 2 or 3 hops, not {hops!r}; give hop counts from 1 to 3")
        yield _row(
            _next_chain(rng, hops, dataset), f"longhop-{hops}hop-{numbers[hops]:03d}", hops, next(dataset.letters)
        )
        numbers[hops] += 1


@dataclass(frozen=True, slots=True)
class _Dataset:
    """What the chains of one dataset share: the names to come, and the anchors and facts already used."""

    names: Iterator[Voice]
    letters: Iterator[str]
    """Where the right options stand, dealt from a deck so that no letter is commoner."""
    longest: int | None
    """How many words an anchor may have."""
    anchors: UsedAnchors = field(default_factory=UsedAnchors)
    facts: UsedFacts = field(default_factory=UsedFacts)
    decks: dict[int, list[bool]] = field(default_factory=dict)
    owed: Counter[str] = field(default_factory=Counter)
    """How often more a word stood in right options than in wrong ones, four of which go with each."""

    def next_is_named(self, rng: Random, hops: int) -> bool:
        """Whether the next chain is about a named person; dealt from a deck, so that small datasets mix evenly too."""
        if not self.decks.get(hops):
            self.decks[hops] = rng.sample(_VOICES, len(_VOICES))
        return self.decks[hops].pop()


@dataclass(frozen=True, slots=True)
class _Chain:
    voice: Voice
    anchors: tuple[Anchor, ...]
    head: str
    facts: tuple[str, ...]
    question: str
    distractors: tuple[str, ...]

    @property
    def chain(self) -> tuple[str, ...]:
        texts = tuple(anchor.text for anchor in self.anchors)
        return (self.head, *texts) if self.voice.name else texts


def _names(rng: Random) -> Iterator[Voice]:
    """Every name once: first names, then full names, then double surnames."""
    pools = {key: names.split() for key, names in records(PACKAGE, "long_hop/names").items()}
    alone = [(name, True) for name in pools["women"]] + [(name, False) for name in pools["men"]]
    rng.shuffle(alone)
    yield from (_person(name, she) for name, she in alone)
    first = [(name, True) for name in pools["women_with_surname"]]
    first += [(name, False) for name in pools["men_with_surname"]]
    full = [(f"{name} {last}", she) for name, she in first for last in pools["surnames"]]
    rng.shuffle(full)
    yield from (_person(name, she) for name, she in full)
    while True:
        name, she = rng.choice(first)
        yield _person(f"{name} {'-'.join(rng.sample(pools['surnames'], 2))}", she)


def _person(name: str, she: bool) -> Voice:
    return Voice(name, "she", "her", "her", "herself") if she else Voice(name, "he", "him", "his", "himself")


def _next_chain(rng: Random, hops: int, dataset: _Dataset) -> _Chain:
    voice = next(dataset.names) if dataset.next_is_named(rng, hops) else SPEAKER
    tries = 0
    while True:
        strictness = min(dataset.anchors.strictness, STRICTEST - sum(tries >= limit for limit in _PATIENCE))
        tries += 1
        concepts = _draw_concepts(rng, hops, voice, dataset.anchors, strictness, dataset.longest)
        chain = _write_chain(rng, concepts, voice, hops, dataset.owed) if concepts else None
        if concepts is None or chain is None:
            continue
        if strictness > 0 and any(dataset.facts.known(fact) for fact in chain.facts):
            continue
        if voice is SPEAKER:
            dataset.anchors.take(concepts, strictness)
        for fact in chain.facts:
            dataset.facts.add(fact)
        dataset.owed.update(dict.fromkeys(_option_words(chain.chain[-1]), len(LETTERS) - 1))
        for option in chain.distractors:
            dataset.owed.subtract(_option_words(option))
        return chain


def _draw_concepts(
    rng: Random, hops: int, voice: Voice, used: UsedAnchors, strictness: int, longest: int | None = None
) -> list[Concept] | None:
    """Concepts from the head on (for a named person from what they like), or None where they don't fit together."""
    spread = voice is SPEAKER and strictness < STRICTEST
    length = hops + 1 if voice.name else hops + 2
    concepts: list[Concept] = []
    for _ in range(_DRAWS * length):
        last = len(concepts) == length - 1
        if concepts:
            concept = _draw_following(rng, concepts[-1], hops, last=last, spread=spread)
        else:
            concept = _draw_head(rng, voice, spread)
        if longest and strictness == STRICTEST and len(concept.full.split()) > longest:
            continue
        if voice is SPEAKER:
            free = (
                used.free_to_end(concept, strictness)
                if last
                else used.free_to_lead(concept, strictness, head=not concepts)
            )
            if not free:
                continue
        if _fits(concept, concepts):
            concepts.append(concept)
        if len(concepts) == length:
            return concepts
    return None


def _draw_head(rng: Random, voice: Voice, spread: bool) -> Concept:
    modified = rng.random() < (0.95 if spread else 0.06)
    if rng.random() < (0.25 if voice.name else 0.45):
        return draw_act(rng, rng.choice(tuple(topics())), modified=modified)
    return draw_thing(rng, rng.choice(tuple(thing_kinds())), modified=modified)


def _draw_following(rng: Random, before: Concept, hops: int, *, last: bool, spread: bool) -> Concept:
    kind = _following_kind(rng, before, hops, last, spread)
    modified = not last and rng.random() < (0.95 if spread else 0.05)
    if kind == "feel":
        cluster = rng.choice(_tones(before.kind, before.field))
        if rng.random() < 0.3:
            return draw_mood_noun(rng, cluster, varied=modified)
        return draw_mood(rng, cluster, modified=modified)
    if kind == "thing":
        return draw_thing(rng, rng.choice(_wants(before.kind, before.field)), modified=modified)
    if (last or not spread) and rng.random() < EFFECT_SHARE:
        return rng.choice(effects(before.kind, before.field))
    topic = rng.choice(_leads(before.kind, before.field))
    return draw_everyday_act(rng, topic) if last and rng.random() < 0.9 else draw_act(rng, topic, modified=modified)


def _following_kind(rng: Random, before: Concept, hops: int, last: bool, spread: bool) -> str:
    if before.effect:
        return "act"
    moody = before.kind in ("feel", "mood")
    weights = {
        # A mood right after the first step is too easy to guess, so it mostly ends the longer chains.
        "feel": 0.0 if moody else (0.15 if spread else 0.2) if not last else 0.15 if hops == 1 else 0.25,
        "thing": 0.02 if last else 0.06,
        "act": 0.7 if last else 0.5,
    }
    if before.kind == "thing" and not thing_kinds()[before.field].wants:
        weights["thing"] = 0.0
    return rng.choices(list(weights), list(weights.values()))[0]


def _tones(kind: str, field: str) -> Sequence[str]:
    return thing_kinds()[field].tones if kind == "thing" else topics()[field].causes


def _wants(kind: str, field: str) -> Sequence[str]:
    return thing_kinds()[field].wants if kind == "thing" else _CRAVED


@cache
def _leads(kind: str, field: str) -> Sequence[str]:
    if kind == "thing":
        return thing_kinds()[field].leads
    if kind == "act":
        return topics()[field].follows
    return [name for name, topic in topics().items() if field in topic.suits]


def _fits(concept: Concept, earlier: list[Concept]) -> bool:
    """No shared words, no repeated field, no two different times of day within a chain."""
    stems = content_stems(concept.full)
    time = time_of_day(concept.full)
    if has_occasion(concept.full) and any(has_occasion(other.full) for other in earlier):
        return False
    for other in earlier:
        if stems & content_stems(other.full) or concept.topics & other.topics:
            return False
        if concept.kind in ("feel", "mood") and other.kind in ("feel", "mood"):
            return False
        if time and time_of_day(other.full) not in (None, time):
            return False
    return True


def _write_chain(rng: Random, concepts: list[Concept], voice: Voice, hops: int, owed: Counter[str]) -> _Chain | None:
    """The chain in words, or None where the words break a rule."""
    last = len(concepts) - 1
    anchors = tuple(_anchor(rng, concept, voice, first=i == 0, last=i == last) for i, concept in enumerate(concepts))
    opening = open_named(rng, voice, anchors[0]) if voice.name else None
    facts = [opening.fact] if opening else []
    pattern = ""
    for left, right in pairwise(anchors):
        fact, pattern = link(rng, left, right, voice, pattern)
        facts.append(fact)
    question = ask(rng, anchors[0], anchors[-1], voice, opening)
    options = _distractors(rng, anchors, voice, [*facts, question], hops, owed)
    if options is None:
        return None
    head = voice.subject if opening else anchors[0].text
    chain = _Chain(voice, anchors, head, tuple(facts), question, tuple(options))
    return chain if _keeps_the_rules(chain, opening) else None


def _anchor(rng: Random, concept: Concept, voice: Voice, *, first: bool, last: bool) -> Anchor:
    form = _form(rng, concept, voice, first=first, last=last)
    return Anchor(concept, form, write(concept, form, voice))


def _form(rng: Random, concept: Concept, voice: Voice, *, first: bool, last: bool) -> str:
    if concept.kind in ("thing", "mood"):
        return concept.kind
    if concept.kind == "feel":
        if rng.random() < (0.5 if last else 0.6 if voice.name else 0.3):
            return "adjective"
        return "feel_base" if last and voice.name else "feel_finite"
    if first and voice.name:
        return "gerund"
    if last and voice.name:
        return rng.choices(("base", "gerund", "finite"), (5, 1, 4))[0]
    return rng.choices(("finite", "gerund"), (0.9, 0.1) if last else (0.6, 0.4))[0]


def _keeps_the_rules(chain: _Chain, opening: Opening | None) -> bool:
    """The literal rules: anchors where they belong and nowhere else, and a question that gives nothing away."""
    texts = [normal(text) for text in chain.chain]
    facts = [normal(fact) for fact in chain.facts]
    question = normal(chain.question)
    if len(set(texts)) < len(texts) or any(text in question for text in texts[1:]):
        return False
    if any(len(fact.split()) > MAX_WORDS for fact in facts):
        return False
    if opening and f" {opening.verb} " in chain.facts[1]:
        return False
    if any(alike(words_of(one), words_of(two)) for one, two in pairwise(facts)):
        return False
    for place, text in enumerate(texts):
        bordering = {place - 1, place}
        everywhere = opening is not None and place == 0
        if any((text in fact) != (i in bordering or everywhere) for i, fact in enumerate(facts)):
            return False
    return True


def _distractors(
    rng: Random, anchors: tuple[Anchor, ...], voice: Voice, told: list[str], hops: int, owed: Counter[str]
) -> list[str] | None:
    """Four wrong options of the answer's shape that nothing told or asked brings to mind.

    Of those that fit, the ones are taken whose words stood in right options more often than in wrong ones so far.
    """
    answer = anchors[-1]
    used = content_stems(" ".join(told))
    fitting: dict[str, Concept] = {}
    for concept in _candidates(rng, anchors, hops):
        text = write(concept, answer.form, voice)
        if not content_stems(concept.full) & used and abs(len(text.split()) - len(answer.text.split())) <= 2:
            fitting.setdefault(text, concept)
        if len(fitting) == _FITTING:
            break
    found: list[str] = []
    for text in sorted(fitting, key=lambda text: -_mean(owed[word] for word in _option_words(text))):
        stems = content_stems(fitting[text].full)
        if not stems & used:
            found.append(text)
            used |= stems
        if len(found) == len(LETTERS) - 1:
            return rng.sample(found, len(found))
    return None


def _option_words(text: str) -> frozenset[str]:
    return content_stems(text) or frozenset({text})


def _mean(values: Iterable[int]) -> float:
    several = list(values)
    return sum(several) / len(several)


def _candidates(rng: Random, anchors: tuple[Anchor, ...], hops: int) -> Iterator[Concept]:
    """What other chains would end with: right and wrong options must be drawn alike, or words alone tell them apart."""
    answer = anchors[-1].concept
    near = frozenset[str]().union(*(anchor.concept.topics for anchor in anchors))
    felt = {anchor.concept.field for anchor in anchors}
    if answer.kind == "thing":
        kinds = next((kinds for kinds in (FOOD_KINDS, DRINK_KINDS) if answer.field in kinds), {answer.field})
        for _ in range(40):
            yield draw_thing(rng, rng.choice(sorted(kinds)), modified=False)
        return
    for _ in range(_OTHER_CHAINS):
        drawn = _draw_concepts(rng, hops, SPEAKER, UsedAnchors(), STRICTEST)
        if not drawn or drawn[-1].kind != answer.kind:
            continue
        obvious = moods()[drawn[-1].field].obvious_fields if answer.kind != "act" else frozenset[str]()
        if drawn[-1].field not in felt and not (drawn[-1].topics | obvious) & near:
            yield drawn[-1]


def _row(chain: _Chain, row_id: str, hops: int, letter: str) -> LongHopRow:
    answer, place = chain.chain[-1], LETTERS.index(letter)
    choices = (*chain.distractors[:place], answer, *chain.distractors[place:])
    options = "\n".join(f"{letter}. {choice}" for letter, choice in zip(LETTERS, choices, strict=True))
    return LongHopRow(
        id=row_id,
        hop_count=hops,
        facts=chain.facts,
        chain=chain.chain,
        graded_question=f"{chain.question}\n\nOptions:\n{options}",
        ground_truth_answer=answer,
        choices=choices,
        correct_choice=letter,
    )
