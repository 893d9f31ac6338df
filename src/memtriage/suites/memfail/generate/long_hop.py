"""Long-Hop: chains of small personal facts that only answer a question together.

>>> row = next(generate(seed=7))
>>> row.id, row.hop_count, len(row.facts), len(row.chain)
('longhop-1hop-000', 1, 2, 3)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle, pairwise
from random import Random

from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import deck
from memtriage.suites.kit.words import records
from memtriage.suites.memfail.generate.long_hop_anchors import (
    SPEAKER,
    Concept,
    Step,
    Story,
    Voice,
    content_stems,
    feelings,
    kin,
    stories,
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
# How often all stories are tried before the demand for unused anchors is lowered.
_PATIENCE = (1, 3)
# Three chains in seven are about a named person.
_VOICES = (True, True, True, False, False, False, False)
# How many ways of saying a story's steps are tried.
_SAYINGS = 4
# How many other chains are drawn for the wrong options of one.
_OTHER_CHAINS = 150
# How many of them are weighed against each other.
_FITTING = 10


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
    untold: list[Story] = field(default_factory=list)
    """Stories that haven't been told since all were."""
    owed: Counter[str] = field(default_factory=Counter)
    """How often more a word stood in right options than in wrong ones, four of which go with each."""

    def next_is_named(self, rng: Random, hops: int) -> bool:
        """Whether the next chain is about a named person; dealt from a deck, so that small datasets mix evenly too."""
        if not self.decks.get(hops):
            self.decks[hops] = rng.sample(_VOICES, len(_VOICES))
        return self.decks[hops].pop()

    def next_stories(self, rng: Random) -> list[Story]:
        """All stories, those first that haven't been told lately."""
        if not self.untold:
            self.untold.extend(stories())
        told = [story for story in stories() if story not in self.untold]
        return rng.sample(self.untold, len(self.untold)) + rng.sample(told, len(told))

    def take(self, story: Story, concepts: list[Concept], chain: _Chain, strictness: int) -> None:
        """Remember a chain that became a row."""
        if story in self.untold:
            self.untold.remove(story)
        if chain.voice is SPEAKER:
            self.anchors.take(concepts, strictness)
        for fact in chain.facts:
            self.facts.add(fact)
        self.owed.update(dict.fromkeys(_option_words(chain.chain[-1]), len(LETTERS) - 1))
        for option in chain.distractors:
            self.owed.subtract(_option_words(option))


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
    """The next chain, from a story that the others of the dataset haven't told lately."""
    voice = next(dataset.names) if dataset.next_is_named(rng, hops) else SPEAKER
    tries = 0
    while True:
        strictness = min(dataset.anchors.strictness, STRICTEST - sum(tries >= limit for limit in _PATIENCE))
        tries += 1
        for story in dataset.next_stories(rng):
            for _ in range(_SAYINGS):
                concepts = _draw_concepts(rng, story, hops, voice, dataset, strictness)
                chain = _write_chain(rng, story, concepts, voice, dataset.owed) if concepts else None
                if not concepts or not chain:
                    continue
                if strictness > 0 and any(dataset.facts.known(fact) for fact in chain.facts):
                    continue
                dataset.take(story, concepts, chain, strictness)
                return chain


def _draw_concepts(
    rng: Random, story: Story, hops: int, voice: Voice, dataset: _Dataset, strictness: int
) -> list[Concept] | None:
    """Some steps of a story in a row, each said in one way, or None where too few are left unused."""
    steps = _steps(story, hops + 1 if voice.name else hops + 2, voice)
    concepts: list[Concept] = []
    for place, step in enumerate(steps):
        free = [Concept(step, text) for text in step.texts]
        if voice is SPEAKER:
            used = dataset.anchors
            if place == len(steps) - 1:
                free = [concept for concept in free if used.free_to_end(concept, strictness)]
            else:
                free = [concept for concept in free if used.free_to_lead(concept, strictness, head=place == 0)]
        if dataset.longest:
            free = [concept for concept in free if len(concept.text.split()) <= dataset.longest] or free
        if not free:
            return None
        concepts.append(_pick(rng, free))
    return concepts or None


def _pick(rng: Random, said: Sequence[Concept]) -> Concept:
    """One way to say a step, a short one rather than a long one."""
    return rng.choices(said, [4 if len(concept.text.split()) <= _SHORT else 1 for concept in said])[0]


def _steps(story: Story, length: int, voice: Voice) -> Sequence[Step]:
    """The first steps of a story, or none: a named person's story starts with what they like or not."""
    if len(story.steps) < length or (voice.name and story.head.attitude == "act"):
        return ()
    return story.steps[:length]


def _write_chain(rng: Random, story: Story, concepts: list[Concept], voice: Voice, owed: Counter[str]) -> _Chain | None:
    """The chain in words, or None where the words break a rule."""
    head = story.head
    anchors: list[Anchor] = []
    for place, concept in enumerate(concepts):
        before = anchors[-1] if anchors else None
        form = _form(rng, concept, before, voice, last=place == len(concepts) - 1)
        anchors.append(Anchor(concept, form, write(concept, form, voice)))
    opening = open_named(rng, voice, head, anchors[0]) if voice.name else None
    facts = [opening.fact] if opening else []
    pattern = ""
    for left, right in pairwise(anchors):
        linked = link(rng, left, right, head, voice, pattern)
        if linked is None:
            return None
        fact, pattern = linked
        facts.append(fact)
    question = ask(rng, head, anchors[0], anchors[-1], voice, opening)
    options = _distractors(rng, story, anchors, voice, [*facts, question], owed)
    if options is None:
        return None
    first = voice.subject if opening else anchors[0].text
    chain = _Chain(voice, tuple(anchors), first, tuple(facts), question, tuple(options))
    return chain if _keeps_the_rules(chain, opening) else None


def _form(rng: Random, concept: Concept, before: Anchor | None, voice: Voice, *, last: bool) -> str:
    """The form in which an anchor goes with the one before it."""
    kind = concept.kind
    if kind in ("thing", "food"):
        return kind
    after_subject = before is not None and before.can_be_subject and concept.step.caused
    if kind == "feel":
        if not after_subject:
            return "feel_finite"
        forms = {"feel_base" if voice.name and last else "feel_finite": 4}
        if concept.text in feelings("made") | feelings("left"):
            forms["adjective"] = 4
        if concept.text in feelings("moods"):
            forms["mood"] = 3
        return _weighed(rng, forms)
    if before is None:
        return "gerund" if voice.name or (kind == "act" and rng.random() < 0.25) else "finite"
    if not concept.step.caused:
        return "finite"
    forms = {"finite": 6}
    if before.form != "gerund" and concept.lasts:
        forms["gerund"] = 6
    if last and voice.name and after_subject and (concept.step.helped or not concept.unmade):
        forms["base"] = 14
    return _weighed(rng, forms)


def _weighed(rng: Random, weights: dict[str, int]) -> str:
    return rng.choices(list(weights), list(weights.values()))[0]


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
    rng: Random, story: Story, anchors: Sequence[Anchor], voice: Voice, told: list[str], owed: Counter[str]
) -> list[str] | None:
    """Four wrong options of the answer's shape that nothing told or asked brings to mind.

    Of those that fit, the ones are taken whose words stood in right options more often than in wrong ones so far.
    """
    answer = anchors[-1]
    used = content_stems(" ".join(told))
    near = frozenset[int]().union(*(kin(anchor.text) for anchor in anchors))
    own = {text for step in story.steps for text in step.texts}
    fitting: dict[str, Concept] = {}
    for _ in range(_OTHER_CHAINS):
        # What other chains would end with: right and wrong options must be drawn alike, or words alone tell them apart.
        steps = _steps(rng.choice(stories()), len(anchors), voice)
        if not steps or steps[-1].kind != answer.concept.kind:
            continue
        concept = _pick(rng, [Concept(steps[-1], text) for text in steps[-1].texts])
        if concept.text in own or (answer.form == "mood" and concept.text not in feelings("moods")):
            continue
        text = write(concept, answer.form, voice)
        apart = not content_stems(text) & used and not kin(concept.text) & near
        if apart and abs(len(text.split()) - len(answer.text.split())) <= 2:
            fitting.setdefault(text, concept)
        if len(fitting) == _FITTING:
            break
    found: list[str] = []
    for text in sorted(fitting, key=lambda text: -_mean(owed[word] for word in _option_words(text))):
        stems, families = content_stems(text), kin(fitting[text].text)
        if not stems & used and not families & near:
            found.append(text)
            used |= stems
            near |= families
        if len(found) == len(LETTERS) - 1:
            return rng.sample(found, len(found))
    return None


def _option_words(text: str) -> frozenset[str]:
    return content_stems(text) or frozenset({text})


def _mean(values: Iterable[int]) -> float:
    several = list(values)
    return sum(several) / len(several)


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
