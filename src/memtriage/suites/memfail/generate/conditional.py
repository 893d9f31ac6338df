"""Conditional-Facts: an essay about somebody who does one thing under one condition only.

`generate(seed, variant)` yields rows without end and without any model. The Easy essay says the rule
in one sentence; the Hard essay spreads it over three that are not neighbors. Both variants of a seed
tell of the same entities, behaviors and conditions and ask about the same scenes, row by row, in words of their own.

>>> easy, hard = next(generate(7, "easy")), next(generate(7, "hard"))
>>> (easy.entity, easy.condition, easy.question_context) == (hard.entity, hard.condition, hard.question_context)
True
>>> len(easy.evidence), len(hard.evidence)
(1, 3)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from random import Random
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from memtriage.suites.kit.draw import Deck, deck, decks
from memtriage.suites.kit.templates import draw, marked
from memtriage.suites.kit.words import items, records, table, values
from memtriage.suites.memfail.paper import PACKAGE, condition_types, pet_condition_types
from memtriage.suites.memfail.rows import ConditionalRow, EntityCategory

Variant = Literal["easy", "hard"]
T = TypeVar("T")

PET_SHARE = 0.7  # of the rows whose condition type suits pets: about a fifth of all rows
COMMON_SHARE = 0.6  # of the acts of persons and characters could be anybody's
PERSON_SHARE = 0.55  # of the rows that are not about pets

# How many sentences an essay has, with weights that bring its mean length near the released essays'.
EASY_LENGTHS = ((5, 6, 7, 8), (1, 12, 10, 1))
HARD_LENGTHS = ((8, 9), (10, 4))
YES_OF_100 = {"easy": 32, "hard": 49}
"""How many of the released 100 questions are answered with yes."""

WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen twenty"
).split()
PRONOUNS = {
    "m": {"he": "he", "him": "him", "his": "his", "himself": "himself"},
    "f": {"he": "she", "him": "her", "his": "her", "himself": "herself"},
}
_CONDITIONAL = re.compile(r"\b(only|unless|except when|whenever|if)\b", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(brother|sister|father|mother|uncle|aunt|nephew|niece|cousin|grand\w+|boss|landlady|mentor|carrier|librarian|boy"
    r"|girl|m[ae]n|wom[ae]n|owner|son|daughter|roommate|barber|best friend|closest friend)\b",
    re.IGNORECASE,
)
_PEOPLE = re.compile(rf"{_OTHERS.pattern}|\b(child|(?<!in )person|someone|visitor|friend|neighbor|teacher|godson)\b")
"""Others in a scene, after whom "he" could be either."""
_TWICE = re.compile(r"\b(\w{5,})\b.*\b\1\b", re.IGNORECASE)
_HEAD = re.compile(r"\b[a-z]{3}")
_GAP = re.compile(r"\{(\w+)\}")
CATEGORIES: tuple[EntityCategory, ...] = ("person", "character", "pet")
SPECIES = ("dog", "cat")
PARTS = ("tails", "comes", "afters")
WORK = ("task_type", "workload")  # conditions that say what somebody works on
TRIES = 8  # at a sentence whose words go with what has been said
HARD_TOPICS = ("work", "objects", "friends", "outings", "food", "manner", "family")
HARD_PET_TOPICS = ("life", "things", "people", "character")


class Behavior(NamedTuple):
    """An idiosyncratic act in the inflections sentences need; its kind says which phrases go with it."""

    base: str
    third: str
    gerund: str
    participle: str
    object: str
    kind: str
    tags: frozenset[str]
    """`home` where it takes a certain place, `dog` or `cat` where it suits one of them only."""


class Threshold(NamedTuple):
    """A number to choose; `met_by` and `missed_by` are the distances at which a question's offer stands from it."""

    numbers: Sequence[float]
    met_by: Sequence[float]
    missed_by: Sequence[float]
    span: float
    clock: bool
    """Whether the numbers are hours of the day."""


class Choices(NamedTuple):
    """One of several things; a question that misses the condition offers another of them."""

    values: tuple[str, ...]


class Cases(NamedTuple):
    """Values with their own offers: (value, offer that meets it, offer that misses it)."""

    values: Sequence[Sequence[str]]


Variants = Threshold | Choices | Cases


class Condition(NamedTuple):
    """A condition with its value left open: how it reads as a rule, scattered over an essay, and put as a question."""

    kind: str
    variants: Variants
    condition: str
    scattered: tuple[str, ...]
    links: tuple[str, ...]
    scenes: tuple[str, ...]
    """What a question describes."""
    reason: str
    """The same as the reason in an answer."""
    anywhere: bool
    unfit: frozenset[str]
    """Kinds of acts that it doesn't go with."""

    def suits(self, act: Behavior) -> bool:
        """Whether somebody could do that then."""
        kinds = _kinds()[act.kind]
        away = self.anywhere and "home" in act.tags
        return not away and act.kind not in self.unfit and self.kind in kinds.get("types", self.kind).split()


@dataclass(frozen=True, slots=True)
class _Spec:
    """What the Easy and the Hard row of one index share."""

    words: Mapping[str, str]
    category: EntityCategory
    species: str
    act: str
    kind: str
    scattered: tuple[str, ...]
    links: tuple[str, ...]
    condition: str
    trigger: str
    scene: str
    context: str
    who: str
    whom: str
    met: bool
    reason: str


def generate(seed: int, variant: Variant, like_released: bool = False) -> Iterator[ConditionalRow]:
    """Yield Conditional-Facts rows without end; the same seed and variant always give the same rows.

    Half of the questions are answered with yes; `like_released`, as many as in the released rows.
    """
    yes = YES_OF_100[variant] if like_released else 50
    rules = decks(_grammar(variant, "rule")) | {
        f"{kind} {part}": Deck(items(phrases[part])) for kind, phrases in _kinds().items() for part in PARTS
    }
    around = {kind: _grammar(variant, kind) for kind in ("two_legged", "pet")}
    words = {kind: decks(lists) | rules for kind, lists in around.items()}
    pools = {kind: {name: Pool(cards) for name, cards in lists.items()} for kind, lists in around.items()}
    for index, spec in enumerate(_specs(seed, yes)):
        rng = Random(f"conditional-{variant}:{seed}:{index}")
        who = "pet" if spec.category == "pet" else "two_legged"
        writer = _Writer(rng, spec, words[who], pools[who])
        essay, evidence, details = _easy(spec, rng, writer) if variant == "easy" else _hard(spec, rng, writer)
        asked = {"ctx": spec.scene, "who": spec.who, "whom": spec.whom}
        if spec.words["done"] in spec.scene:
            asked |= {"base": "do it again", "gerund": "doing it again"}
        yield ConditionalRow(
            entity=spec.words["name"],
            entity_category=spec.category,
            behavior=spec.words["third"],
            condition_type=spec.kind,
            condition=spec.condition,
            essay=essay,
            question=_said_once(writer.rule("questions", asked)),
            question_context=spec.context,
            condition_met="yes" if spec.met else "no",
            ground_truth_answer=writer.rule("yes_answers" if spec.met else "no_answers", {"reason": spec.reason}),
            evidence=evidence,
            details=details,
        )


# Specs


def _specs(seed: int, yes: int) -> Iterator[_Spec]:
    rng = Random(f"conditional:{seed}")
    kinds = deck(rng, condition_types())
    outcomes = deck(rng, (True, False) if yes == 50 else (True,) * yes + (False,) * (100 - yes))
    names = {category: _names(rng, category) for category in CATEGORIES}
    acts = {category: Pool(_behaviors(category)) for category in (*CATEGORIES, "common")}
    conditions: dict[tuple[bool, str], Iterator[Condition]] = {}
    while True:
        kind, met = next(kinds), next(outcomes)
        category = _category(rng, kind)
        condition = next(conditions.setdefault((category == "pet", kind), deck(rng, _conditions(category, kind))))
        name, gender = next(names[category])
        pool = acts["common" if category != "pet" and rng.random() < COMMON_SHARE else category]
        act = pool.draw(rng, condition.suits)
        yield _spec(rng, category, condition, act, name, gender, met)


def _category(rng: Random, kind: str) -> EntityCategory:
    if kind in pet_condition_types() and rng.random() < PET_SHARE:
        return "pet"
    return "person" if rng.random() < PERSON_SHARE else "character"


def _spec(
    rng: Random, category: EntityCategory, condition: Condition, act: Behavior, name: str, gender: str, met: bool
) -> _Spec:
    pronouns = PRONOUNS[gender]
    words = pronouns | {word.capitalize(): form.capitalize() for word, form in pronouns.items()}
    what = act.object.format_map(words)
    words |= {"name": name, "base": f"{act.base} {what}", "third": f"{act.third} {what}"}
    words |= {"gerund": f"{act.gerund} {what}", "done": f"{act.participle} {what}", "act": what}
    act_in_words = f"{name} {words['base']}".casefold()
    while True:
        drawn = {key: value.format_map(words) for key, value in _values(rng, condition.variants, met).items()}
        phrase, (trigger,) = marked(_contracted(condition.condition).format_map(words | drawn))
        if trigger.casefold() not in act_in_words:
            break
    words |= drawn | {"cond": phrase}
    template = _contracted(rng.choice(condition.scenes))
    scene, (context,) = marked(template.format_map(words))
    clear = "{name}" in template and not _PEOPLE.search(scene)
    who, whom = (pronouns["he"], pronouns["him"]) if clear else (name, name)
    reason = marked(_contracted(condition.reason).format_map(words))[0]
    species = rng.choice([s for s in SPECIES if s in act.tags] or SPECIES)
    words["breed"] = rng.choice(_breeds(species))
    return _Spec(
        words,
        category,
        species,
        act.kind,
        condition.kind,
        condition.scattered,
        condition.links,
        phrase,
        trigger,
        scene,
        context,
        who,
        whom,
        met,
        reason,
    )


def _values(rng: Random, variants: Variants, met: bool) -> dict[str, str]:
    """A value and what the question offers, as words for the templates."""
    match variants:
        case Choices(choices):
            value = rng.choice(choices)
            return {"value": value, "offered": value if met else rng.choice([c for c in choices if c != value])}
        case Cases(cases):
            value, good, bad = rng.choice(cases)
            return {"value": value, "offered": good if met else bad}
        case Threshold(numbers, met_by, missed_by, span, clock):
            offers = [{n + by for n in numbers for by in distances} for distances in (missed_by, met_by)]
            # What could be offered either way doesn't give the answer away.
            offer = rng.choice(sorted(offers[0] & offers[1] or offers[met]))
            number = rng.choice([n for n in numbers if offer - n in (met_by if met else missed_by)])
            write = _clock if clock else str
            plain = {"value": write(number), "until": write(number + span), "offered": write(offer)}
            return plain | {"value_in_words": _in_words(number), "offered_in_words": _in_words(offer)}


def _clock(hour: float) -> str:
    """
    >>> [_clock(hour) for hour in (6.5, 12, 14, 24.25)]
    ['6:30 am', 'noon', '2 pm', '12:15 am']
    """
    minutes = round(hour * 60) % (24 * 60)
    if minutes in (0, 12 * 60):
        return "noon" if minutes else "midnight"
    whole, rest = divmod(minutes, 60)
    return f"{(whole - 1) % 12 + 1}{f':{rest:02}' if rest else ''} {'am' if whole < 12 else 'pm'}"


def _in_words(number: float) -> str:
    return WORDS[int(number)] if number in range(len(WORDS)) else str(number)


# Essays

Essay = tuple[str, tuple[str, ...], tuple[str, ...]]
"""An essay, the sentences in it that state the rule, and the words of those that must survive."""


def _easy(spec: _Spec, rng: Random, writer: _Writer) -> Essay:
    while True:
        rule = writer.rule("rules")
        if spec.condition.startswith("at most") and "any other time" in rule:
            continue
        count = rng.choices(*EASY_LENGTHS)[0]
        lives = rng.sample(
            ("home", "days") if spec.category == "pet" or spec.kind in WORK else ("home", "work", "days"), 2
        )
        others = rng.sample(("hobbies", "friends", lives[1]), 3)
        after = rng.choices((["afters"], [f"{spec.act} afters"], []), (9, 5, 6))[0]
        ends = ["closings"] if rng.random() < 0.8 else []
        before = ["openings"] if count == 5 or rng.random() < 0.35 else ["openings", lives[0]]
        rest = [kind for kind in (*others, lives[0]) if kind not in before]
        filled = [*after, *rest[: count - 1 - len(before) - len(after) - len(ends)], *ends]
        seen = set(_marks(rule))
        told = _named([*writer.around(before, seen), rule, *writer.around(filled, seen)], spec.words)
        essay = " ".join(told)
        if _occur_once(essay, (spec.trigger,)) and not _CONDITIONAL.search(essay.replace(rule, "")):
            return essay, (rule,), (spec.trigger,)


def _hard(spec: _Spec, rng: Random, writer: _Writer) -> Essay:
    while True:
        act = writer.rule("pet_behaviors" if spec.category == "pet" else "behaviors")
        if spec.kind == "frequency_cap" and "often" in act:
            continue
        link = writer.rule("links", {"link": writer.one_of(spec.links)})
        condition, (trigger,) = marked(writer.one_of(spec.scattered))
        first, second = rng.sample((act, condition), 2)
        what = spec.words["act"]
        details = (what, trigger) if first == act else (trigger, what)
        count = rng.choices(*HARD_LENGTHS)[0]
        topics = HARD_PET_TOPICS if spec.category == "pet" else HARD_TOPICS[spec.kind in WORK :]
        kinds = ["openings", *rng.sample(topics, min(count - 4, len(topics)))]
        if rng.random() < 0.6 or len(kinds) < count - 3:
            kinds[count - 4 :] = ["closings"]
        others = writer.around(kinds, set(_marks(f"{act} {condition} {link}")))
        places = _apart(rng, count)
        rule, rest = dict(zip(places, (first, second, link), strict=True)), iter(others)
        told = _named([rule[i] if i in rule else next(rest) for i in range(count)], spec.words)
        essay = " ".join(told)
        around = " ".join(sentence for i, sentence in enumerate(told) if i not in places or rule[i] != condition)
        if _occur_once(essay, details) and not _CONDITIONAL.search(around):
            return essay, tuple(told[place] for place in places), details


def _apart(rng: Random, count: int) -> list[int]:
    """Three places after the opening sentence, no two of them neighbors."""
    packed = sorted(rng.sample(range(1, count - 2), 3))
    return [place + gap for gap, place in enumerate(packed)]


def _named(told: Sequence[str], words: Mapping[str, str]) -> list[str]:
    """The sentences with the name in place of a pronoun, where the sentence before speaks of somebody else, too."""
    name, forms = words["name"], {words["He"]: words["name"], words["His"]: f"{words['name']}'s"}
    out = list(told)
    for i in range(1, len(told)):
        pronoun, _, rest = told[i].partition(" ")
        if pronoun in forms and name not in told[i] and _OTHERS.search(told[i - 1]):
            out[i] = f"{forms[pronoun]} {rest}"
    return out


class Pool(Generic[T]):
    """Cards that come back only when the others have been used, drawn among those that fit.

    >>> pool, rng = Pool([1, 2, 3]), Random(1)
    >>> sorted(pool.draw(rng, lambda card: card < 3) for _ in range(2)), pool.draw(rng, lambda card: True)
    ([1, 2], 3)
    """

    def __init__(self, cards: Sequence[T]) -> None:
        self._cards = cards
        self._drawn = [0] * len(cards)

    def draw(self, rng: Random, fits: Callable[[T], bool]) -> T:
        """One of the cards that fit and were drawn least often; of all cards, where none fits."""
        fitting = [place for place, card in enumerate(self._cards) if fits(card)] or range(len(self._cards))
        least = min(self._drawn[place] for place in fitting)
        place = rng.choice([place for place in fitting if self._drawn[place] == least])
        self._drawn[place] += 1
        return self._cards[place]


class _Writer:
    """Writes the sentences of one row, with words that the rows before it have not used lately."""

    def __init__(self, rng: Random, spec: _Spec, rules: dict[str, Deck], around: dict[str, Pool[str]]) -> None:
        self._rng = rng
        self._spec = spec
        self._words = spec.words
        self._rules = rules
        self._around = around

    def rule(self, kind: str, words: Mapping[str, str] | None = None) -> str:
        """A sentence of the rule, the question or the answer."""
        text = self._drawn(self._rng.choice(self._rules[kind]), words or {})
        if self._spec.condition.startswith("at most"):  # which says "only" already
            text = text.replace("only ", "", 1)
        return _capital(text)

    def one_of(self, cards: tuple[str, ...]) -> str:
        """One of a few phrases, none of which comes again before the others."""
        return self._rng.choice(self._rules.setdefault("\n".join(cards), Deck(cards))).format_map(self._words)

    def around(self, kinds: Sequence[str], seen: set[str]) -> list[str]:
        """Sentences around the rule that repeat and contradict nothing that has been seen; it is added to."""
        told = []
        barred = {f"kind {self._spec.act}", f"type {self._spec.kind}"}
        if self._spec.category == "pet":
            barred.add(f"species {self._spec.species}")
        for kind in kinds:
            out = barred.union(*map(_against, seen))
            text, marks = self._sentence(kind, out)
            seen |= marks
            told.append(text)
        return told

    def _sentence(self, kind: str, out: set[str]) -> tuple[str, frozenset[str]]:
        if kind not in self._around:
            text = self.rule(kind)
            return text, _marks(text)
        template = self._around[kind].draw(self._rng, lambda card: not _marks(card) & out)
        if self._around.keys().isdisjoint(_GAP.findall(template)):
            return _capital(self._drawn(template, {})), _marks(template)
        for _ in range(TRIES):  # what is drawn for its gaps may not fit
            text = _capital(self._drawn(template, {}))
            marks = _marks(text)
            if not marks & out and not _TWICE.search(text):
                break
        return text, marks

    def _drawn(self, template: str, more: Mapping[str, str]) -> str:
        parts = {part: self._rules[f"{self._spec.act} {part}"] for part in PARTS[:2]}
        return draw(template, self._rng, {**self._rules, **parts}, {**self._words, **more})


def _occur_once(essay: str, details: Sequence[str]) -> bool:
    return all(essay.casefold().count(detail.casefold()) == 1 for detail in details)


# Words


@cache
def _grammar(variant: Variant, kind: str) -> dict[str, tuple[str, ...]]:
    """The sentences of a variant and the phrases they are made of: around the rule, or the rule itself."""
    return {key: items(text) for key, text in records(PACKAGE, f"conditional/{variant}")[kind].items()}


@cache
def _kinds() -> Mapping[str, Mapping[str, str]]:
    """What goes with each kind of act."""
    return records(PACKAGE, "conditional/kinds")


@cache
def _behaviors(category: str) -> tuple[Behavior, ...]:
    words = records(PACKAGE, "conditional/behaviors")
    verbs = {base: (base, third, gerund, done) for base, third, gerund, done in table(words["verbs"])}
    return tuple(
        Behavior(*verbs[verb], what, kind, frozenset(" ".join(tags).split()))
        for verb, what, kind, *tags in table(words[category])
    )


@cache
def _conditions(category: EntityCategory, kind: str) -> tuple[Condition, ...]:
    files = ("pet_surroundings",) if category == "pet" else ("surroundings", "inner_states", "company_and_tasks")
    found = [record for file in files for record in records(PACKAGE, f"conditional/{file}").get(kind, ())]
    return tuple(_condition(kind, record) for record in found)


def _condition(kind: str, record: Mapping[str, Any]) -> Condition:
    variants: Variants
    if "choices" in record:
        variants = Choices(items(record["choices"]))
    elif "cases" in record:
        variants = Cases(table(record["cases"]))
    else:
        numbers = record.get("numbers") or record["hours"]
        variants = Threshold(numbers, record["met_by"], record["missed_by"], record.get("span", 0), "hours" in record)
    scenes = items(record["scene"])
    return Condition(
        kind,
        variants,
        record["condition"],
        items(record["scattered"]),
        items(record["links"]),
        scenes,
        record.get("reason", _said_of_him(scenes[0])),
        record.get("anywhere", False),
        frozenset(record.get("unfit", "").split()),
    )


@cache
def _patterns() -> dict[str, tuple[re.Pattern[str], frozenset[str]]]:
    """What sentences may be about, by mark: see clashes.toml. Lower case is searched twice as fast.

    Beside each pattern are the beginnings of words without one of which it can't match, if they are known.
    """
    words = records(PACKAGE, "conditional/clashes")
    found = {f"once {line}": line for line in items(words["once"])}
    for number, sides in enumerate(table(words["apart"])):
        found |= {f"apart {number} {side}": line for side, line in enumerate(sides)}
    found |= {f"kind {kind}": phrases["clash"] for kind, phrases in _kinds().items()}
    found |= {f"type {kind}": line for kind, line in words["types"].items()}
    found |= {f"species {species}": line for species, line in words["species"].items()}
    return {
        mark: (re.compile(rf"\b(?:{line})", 0 if line == line.lower() else re.IGNORECASE), _beginnings(line))
        for mark, line in found.items()
    }


def _beginnings(line: str) -> frozenset[str]:
    """The first three letters of whatever a pattern matches; none if some match may begin otherwise.

    >>> sorted(_beginnings("cats?|grand(?:mother|father)|tea")), sorted(_beginnings("is known|cat"))
    (['cat', 'gra', 'tea'], [])
    """
    outside = line
    while outside != (outside := re.sub(r"\([^()]*\)", "()", outside).replace("()", "_")):
        pass
    found = [re.match(r"([A-Za-z]{3})(?![?*{])", each) for each in outside.split("|")]
    return frozenset(each[1].lower() for each in found if each) if all(found) else frozenset()


@lru_cache(maxsize=1 << 13)
def _marks(text: str) -> frozenset[str]:
    lower = text.lower()
    heads = frozenset(_HEAD.findall(lower))
    return frozenset(
        mark
        for mark, (pattern, beginnings) in _patterns().items()
        if not (beginnings and beginnings.isdisjoint(heads)) and pattern.search(lower)
    )


@cache
def _against(mark: str) -> tuple[str, ...]:
    """What no other sentence of an essay may be about, after one with this mark."""
    what, *rest = mark.split(" ", 2)
    if what == "apart":
        return tuple(f"apart {rest[0]} {side}" for side in "01" if side != rest[1])
    return (mark,) if what == "once" else ()


@cache
def _breeds(species: str) -> tuple[str, ...]:
    return items(records(PACKAGE, "conditional/pet")[f"{species}s"])


def _names(rng: Random, category: EntityCategory) -> Iterator[tuple[str, str]]:
    """Names with their gender; a name comes back only in another form, until the forms run out."""
    seen: set[str] = set()
    people = rng.sample(_given_names(category), len(_given_names(category)))
    turn = 0
    while True:
        for position, (given, gender) in enumerate(people):
            forms = _name_forms(category)
            form = forms[(position + turn) % len(forms)] if turn else "{}"
            name = form.format(given)
            if name not in seen or turn > 2 * len(forms):
                seen.add(name)
                yield name, gender or rng.choice("mf")
        turn += 1


@cache
def _given_names(category: EntityCategory) -> tuple[tuple[str, str], ...]:
    record = records(PACKAGE, f"conditional/{category}")
    lists = {"names": "", "females": "f", "males": "m", "women": "f", "men": "m"}
    return tuple((name, gender) for key, gender in lists.items() for name in record.get(key, "").split())


@cache
def _name_forms(category: EntityCategory) -> tuple[str, ...]:
    """Patterns that turn a given name into a further name, the likeliest ones first."""
    record = records(PACKAGE, f"conditional/{category}")
    if category == "pet":
        return tuple(f"{honor} {{}}" for honor in record["honors"].split())
    return tuple(f"{{}} {surname}" for surname in values(record["surnames"]))


# Text


def _contracted(template: str) -> str:
    """A template as people say it: "it's", "he's".

    >>> _contracted("when {he} is tired and it is [late]")
    "when {he}'s tired and it's [late]"
    """
    return re.sub(r"(\b[Ii]t|\{[Hh]e\}) is\b", r"\1's", template)


def _said_of_him(scene: str) -> str:
    """A scene as the reason in an answer, which has the name already.

    >>> _said_of_him("On {name}'s list and around {name} there is [more], and {name} is glad")
    'on {his} list and around {him} there is [more], and {he} is glad'
    >>> _said_of_him("[The cherry harvest] is under way")
    '[the cherry harvest] is under way'
    """
    start = scene.startswith("[") + 1
    text = (scene[:start].lower() + scene[start:]).replace("{name}'s", "{his}")
    return re.sub(r"\b(with|around|near|of|asked) \{name\}", r"\1 {him}", text).replace("{name}", "{he}")


def _said_once(question: str) -> str:
    """A question without a second "now".

    >>> _said_once("It's raining right now. Would Ann sing now?")
    "It's raining right now. Would Ann sing?"
    """
    return re.sub(r"(\bnow\b.*?) (?:right )?now\?$", r"\1?", question, flags=re.IGNORECASE)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
