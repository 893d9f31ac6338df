"""The structural rules of one MemFail row, dataset by dataset: pure functions from a row to what it breaks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from memtriage.core.errors import unknown
from memtriage.suites.memfail.cast import is_known
from memtriage.suites.memfail.paper import categories, condition_types, pet_condition_types
from memtriage.suites.memfail.rows import (
    LETTERS,
    CoexistingRow,
    ConditionalRow,
    LongHopRow,
    PersonaQuestion,
    PersonaRow,
)

CONNECTIVES = ("only when", "unless", "except when", "but only if", "whenever", "if", "only after", "only if")
"""What says a condition outright; a hard essay has none of them."""

ENTITY_CATEGORIES = ("person", "pet", "character")

_HALF = 0.5  # a phrase counts as present when this share of its content words is
_REPEATS = 0.75  # a sentence with this share of another's words, details aside, tells the same trait
_SUPPORTED = 0.3  # essays tell a rule, and answers a detail, in words of their own: below this they don't
_LONGEST_FACT = 16  # words in a Long-Hop fact

_CONNECTIVE = re.compile(r"\b(" + "|".join(c.replace(" ", r"\s+") for c in CONNECTIVES) + r")\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(I|[Mm]e|[Mm]y|[Mm]yself|[Ww]e|us|[Oo]ur|[Oo]urs|of mine)\b")
_THIRD_PERSON = re.compile(r"\b(he|she|his|her|him|hers|himself|herself)\b", re.IGNORECASE)
_ABSTAINS = re.compile(r"\b(no|not|never|nothing|unknown|cannot|unable|\w+n't)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"; |—|, (?:so|and (?:she|he|[A-Z]\w+)|a \w+ (?:she|he|that)) ")
_LISTS_ALL = re.compile(r"\b(list|name|tell me)\s+(all|every|each)\b", re.IGNORECASE)
_NOT_A_WORD = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule and how it was broken; where, the caller knows. With `warning` it makes no row unusable."""

    rule: str
    message: str
    warning: bool = False


# --- conditional -------------------------------------------------------------------------------------


def conditional_easy(row: ConditionalRow) -> Iterator[Broken]:
    """An essay of 5 to 8 sentences that states behaviour and condition together."""
    yield from _conditional(row)
    yield from _sentence_count(row.essay, 5, 8)
    pairs = [" ".join(pair) for pair in pairwise(["", *_sentences(row.essay)])]
    if not any(min(_word_share(row.behavior, p), _word_share(row.condition, p)) >= _SUPPORTED for p in pairs):
        yield Broken("rule-present", "no sentence of the essay states the behavior together with the condition")
    stating = [s for s in _sentences(row.essay) if _CONNECTIVE.search(s)]
    if len(stating) > 1:
        yield Broken("one-conditional", f"{len(stating)} sentences state a condition; the essay should have one rule")


def conditional_hard(row: ConditionalRow) -> Iterator[Broken]:
    """An essay of 8 to 12 sentences over which behaviour, condition and link are spread."""
    yield from _conditional(row)
    yield from _sentence_count(row.essay, 8, 12)
    for found in sorted({" ".join(m.group().lower().split()) for m in _CONNECTIVE.finditer(row.essay)}):
        yield Broken("no-connective", f"the essay says {found!r}; a hard essay never states a condition outright")
    for sentence in _sentences(row.essay):
        if _word_share(row.behavior, sentence) == 1 and _word_share(row.condition, sentence) == 1:
            yield Broken("decomposed", f"one sentence holds behavior and condition: {_short(sentence)}")
    if row.evidence:
        yield from _three_apart(row)


def _conditional(row: ConditionalRow) -> Iterator[Broken]:
    if row.entity_category not in ENTITY_CATEGORIES:
        yield Broken("entity-category", unknown("entity category", row.entity_category, ENTITY_CATEGORIES))
    if row.condition_type not in condition_types():
        yield Broken("condition-type", unknown("condition type", row.condition_type, condition_types()))
    elif row.entity_category == "pet" and row.condition_type not in pet_condition_types():
        yield Broken("pet-condition", f"{row.condition_type} can't be observed from outside, as a pet's condition must")
    if not mentions(row.essay, row.entity):
        yield Broken("essay-names-entity", f"the essay never names {row.entity}")
    if not mentions(row.question, row.entity):
        yield Broken("question-names-entity", f"the question never names {row.entity}")
    yield from _yes_or_no(row)
    yield from _marks(row.essay, row.evidence, row.details, "")


def _yes_or_no(row: ConditionalRow) -> Iterator[Broken]:
    if row.condition_met not in ("yes", "no"):
        yield Broken("condition-met", f"condition_met is {row.condition_met!r}, not yes or no")
    answer = plain(row.ground_truth_answer).partition(" ")[0]
    if answer not in ("yes", "no"):
        yield Broken("answer-yes-no", f"the answer begins with {answer!r}, not with Yes or No")
    elif row.condition_met in ("yes", "no") and answer != row.condition_met:
        yield Broken("answer-agrees", f"condition_met is {row.condition_met}, but the answer begins with {answer}")


def _three_apart(row: ConditionalRow) -> Iterator[Broken]:
    if len(row.evidence) != 3:
        yield Broken("three-sentences", f"{len(row.evidence)} evidence sentences; behavior, condition and link are 3")
    places = sorted(_sentence_numbers(row.essay, row.evidence))
    for first, second in pairwise(places):
        if second - first < 2:
            yield Broken("apart", f"evidence stands in sentences {first} and {second}, with nothing between them")


# --- coexisting --------------------------------------------------------------------------------------


def coexisting(row: CoexistingRow) -> Iterator[Broken]:
    """Two to five preferences of one category, each told on its own, and a question that needs all of them."""
    if row.preference_category not in categories():
        yield Broken("category", unknown("preference category", row.preference_category, categories()))
    if not 2 <= len(row.preferences) <= 5:
        yield Broken("preference-count", f"{len(row.preferences)} preferences; a row has 2 to 5")
    if len({plain(p) for p in row.preferences}) < len(row.preferences):
        yield Broken("distinct-preferences", "a preference occurs twice")
    if len(row.preference_facts) != len(row.preferences):
        yield Broken("same-length", f"{len(row.preference_facts)} facts for {len(row.preferences)} preferences")
    for index, fact in enumerate(row.preference_facts[: len(row.preferences)]):
        yield from _preference_fact(row, index, fact)
    for preference in row.preferences:
        if not mentions(row.ground_truth_answer, preference):
            yield Broken("answer-complete", f"the answer leaves out {preference!r}")
    if _LISTS_ALL.search(row.question):
        yield Broken("scenario-question", "the question asks for a list outright rather than from a scenario")


def _preference_fact(row: CoexistingRow, index: int, fact: str) -> Iterator[Broken]:
    own = row.preferences[index]
    if _word_share(own, fact) < _HALF:
        yield Broken("fact-names-own", f"fact {index + 1} does not name {own!r}")
    for other in row.preferences[:index] + row.preferences[index + 1 :]:
        if mentions(fact, other) and not mentions(own, other):
            yield Broken("fact-names-other", f"fact {index + 1} is about {own!r} but names {other!r} too")
    if not _FIRST_PERSON.search(fact):
        yield Broken("first-person-fact", f"fact {index + 1} is not in the first person: {_short(fact)}")
    if len(_sentences(fact)) > 2:
        yield Broken("short-fact", f"fact {index + 1} has more than 2 sentences")


# --- persona -----------------------------------------------------------------------------------------


def persona(row: PersonaRow) -> Iterator[Broken]:
    """An essay about one named person, and three questions about that person or about somebody absent."""
    if not is_known(row.entity):
        yield Broken("entity-known", f"{row.entity!r} is not a first name and a surname of this suite")
    if not mentions(row.essay, row.entity):
        yield Broken("essay-names-entity", f"the essay never names {row.entity}")
    if len(row.questions) != 3:
        yield Broken("three-questions", f"{len(row.questions)} questions; a row has exactly 3")
    distractors = [q.distractor for q in row.questions if q.distractor]
    if len(set(distractors)) < len(distractors):
        yield Broken("distinct-distractors", "a distractor is used twice")
    for distractor in distractors:
        if not is_known(distractor):
            yield Broken("distractor-known", f"{distractor!r} is not a first name and a surname of this suite")
        if distractor == row.entity:
            yield Broken("distractor-other", f"{distractor} is the essay's own person")
        elif mentions(row.essay, distractor):
            yield Broken("distractor-absent", f"the essay names the distractor {distractor}")
    yield from _sentence_count(row.essay, 10, 15)
    if found := _FIRST_PERSON.search(row.essay):
        yield Broken("third-person", f"the essay says {found.group()!r}; it should stay in the third person")
    for number, question in enumerate(row.questions, 1):
        yield from _about_absent(row, question, number) if question.is_misleading else _direct(row, question, number)


def _direct(row: PersonaRow, question: PersonaQuestion, number: int) -> Iterator[Broken]:
    which = f"question {number}"
    if question.distractor is not None:
        yield Broken("direct-no-distractor", f"{which} is direct but has the distractor {question.distractor}")
    if not mentions(question.text, row.entity):
        yield Broken("direct-names-entity", f"{which} does not name {row.entity}")
    for other in {q.distractor for q in row.questions if q.distractor}:
        if mentions(question.text, other):
            yield Broken("direct-names-distractor", f"{which} is direct but names the distractor {other}")
    if _word_share(question.ground_truth_answer, row.essay) < _SUPPORTED:
        yield Broken("answer-supported", f"{which}: hardly a word of the answer is in the essay")
    yield from _marks(row.essay, question.evidence, question.details, f"{which}: ")


def _about_absent(row: PersonaRow, question: PersonaQuestion, number: int) -> Iterator[Broken]:
    which = f"question {number}"
    if question.distractor is None:
        yield Broken("misleading-distractor", f"{which} is misleading but has no distractor")
        return
    if not mentions(question.text, question.distractor):
        yield Broken("misleading-names-distractor", f"{which} does not name its distractor {question.distractor}")
    if mentions(question.text, row.entity):
        yield Broken("misleading-names-entity", f"{which} is misleading but names {row.entity}")
    answer = question.ground_truth_answer.replace("’", "'")
    if not (_ABSTAINS.search(answer) and mentions(answer, question.distractor)):
        yield Broken("abstains", f"{which}: the answer does not decline to answer about {question.distractor}")
    yield from _marks(row.essay, question.evidence, question.details, f"{which}: ")


def told_apart(rows: Sequence[PersonaRow]) -> Iterator[tuple[int, Broken]]:
    """In one store every question is about one person, and what it asks is told of nobody else with that first name.

    Yields each problem with the number of its row. Rows without evidence, such as the released ones, are only warned
    about: their thirty people come back by design.
    """
    about: dict[str, list[int]] = {}
    called: dict[str, list[int]] = {}
    for number, row in enumerate(rows, 1):
        about.setdefault(plain(row.entity), []).append(number)
        called.setdefault(_first_name(row.entity), []).append(number)
    essays = [stems_of(row.essay) for row in rows]
    for number, row in enumerate(rows, 1):
        warning = not any(question.evidence for question in row.questions)
        if others := [n for n in about[plain(row.entity)] if n != number]:
            yield number, Broken("one-person-per-name", f"{row.entity} is also the person of {_rows(others)}", warning)
        for which, question in enumerate(row.questions, 1):
            if question.distractor and (others := about.get(plain(question.distractor), [])):
                known = f"question {which}: {question.distractor} is no stranger but the person of {_rows(others)}"
                yield number, Broken("stranger-unknown", known, warning)
            name = _first_name(question.distractor or row.entity)
            traits = trait_words(row, question)
            namesakes = [n for n in called.get(name, []) if n != number]
            if others := [n for n in namesakes if tells(rows[n - 1].essay, essays[n - 1], traits)]:
                told = f"question {which}: what it asks about is told of another {name.capitalize()} in {_rows(others)}"
                yield number, Broken("told-of-one", told, warning)


def _first_name(name: str) -> str:
    return plain(name).partition(" ")[0]


def trait_words(row: PersonaRow, question: PersonaQuestion) -> list[frozenset[str]]:
    """What each evidence sentence says beside its details and the person's name."""
    found = []
    for sentence in question.evidence:
        told = max((sentence.find(detail) + len(detail) for detail in question.details), default=0)
        if goes_on := _GOES_ON.search(sentence, told):  # with something that any essay may have
            sentence = sentence[: goes_on.start()]
        for detail in question.details:
            sentence = sentence.replace(detail, " ")
        found.append(stems_of(sentence) - stems_of(row.entity))
    return [stems for stems in found if stems]


def tells(essay: str, stems: frozenset[str], traits: Iterable[frozenset[str]]) -> bool:
    """Whether an essay, whose stems are given too, has a sentence that tells one of the traits."""
    return any(
        len(trait & stems) >= _REPEATS * len(trait)
        and any(len(trait & stems_of(sentence)) >= _REPEATS * len(trait) for sentence in _sentences(essay))
        for trait in traits
    )


# --- long-hop ----------------------------------------------------------------------------------------


def long_hop(row: LongHopRow) -> Iterator[Broken]:
    """K+1 facts over K+2 anchors, a question from the first anchor to the last, and five options."""
    facts = [plain(fact) for fact in row.facts]
    chain = [plain(anchor) for anchor in row.chain]
    if row.hop_count < 1:
        yield Broken("hop-count", f"hop_count is {row.hop_count}; a chain has at least one hop")
    if len(facts) != row.hop_count + 1 or not all(facts):
        yield Broken("fact-count", f"{len(facts)} facts for {row.hop_count} hops; expected {row.hop_count + 1}")
    if len(chain) != row.hop_count + 2 or not all(chain):
        yield Broken("anchor-count", f"{len(chain)} anchors for {row.hop_count} hops; expected {row.hop_count + 2}")
    if len(set(chain)) < len(chain):
        yield Broken("distinct-anchors", "an anchor occurs twice in the chain")
    if len(chain) == len(facts) + 1:
        yield from _anchors_in_facts(facts, chain, row)
    if chain:
        yield from _chain_question(chain, row)
    yield from _options(chain, row)
    yield from _fact_style(row)


def _anchors_in_facts(facts: Sequence[str], chain: Sequence[str], row: LongHopRow) -> Iterator[Broken]:
    for index, anchor in enumerate(chain):
        borders = {index - 1, index} & set(range(len(facts)))
        for fact in sorted(borders):
            if anchor not in facts[fact]:
                # "talks fast" for "talk fast" is the same anchor, only not literally so
                rule = "anchor-literal" if _word_share(anchor, facts[fact]) == 1 else "anchor-in-fact"
                yield Broken(rule, f"anchor {row.chain[index]!r} is not word for word in fact {fact + 1} beside it")
        for fact in sorted(set(range(len(facts))) - borders) if index else ():
            if mentions(facts[fact], anchor):
                yield Broken("anchor-elsewhere", f"anchor {row.chain[index]!r} is also in fact {fact + 1}")


def _chain_question(chain: Sequence[str], row: LongHopRow) -> Iterator[Broken]:
    question = plain(bare_question(row))
    tails = [token for token in chain[0].split() if len(token) >= 3][-1:]
    if not any(part in question for part in (chain[0], *tails)):
        yield Broken("head-in-question", f"the question does not mention the head anchor {row.chain[0]!r}")
    for anchor, written in zip(chain[1:-1], row.chain[1:-1], strict=True):
        if anchor in question:
            yield Broken("middle-in-question", f"the question gives away the intermediate anchor {written!r}")
    answer = plain(row.ground_truth_answer)
    if not answer or not (answer in chain[-1] or chain[-1] in answer):
        yield Broken("answer-is-terminal", f"the answer is not the chain's last anchor {row.chain[-1]!r}")


def _options(chain: Sequence[str], row: LongHopRow) -> Iterator[Broken]:
    choices = [plain(choice) for choice in row.choices]
    if len(set(choices)) != len(LETTERS) or len(choices) != len(LETTERS):
        yield Broken("five-choices", f"{len(set(choices))} distinct choices; a question has {len(LETTERS)}")
        return
    if row.correct_choice not in LETTERS:
        yield Broken("correct-choice", f"correct_choice is {row.correct_choice!r}, not one of {', '.join(LETTERS)}")
        return
    correct = LETTERS.index(row.correct_choice)
    if choices[correct] != plain(row.ground_truth_answer):
        yield Broken("correct-is-answer", f"option {row.correct_choice} is {row.choices[correct]!r}, not the answer")
    lines = {line.strip() for line in row.graded_question.splitlines()}
    for letter, choice in zip(LETTERS, row.choices, strict=True):
        if f"{letter}. {choice}".strip() not in lines:
            yield Broken("options-listed", f"the graded question does not list '{letter}. {choice}'")
    for index, choice in enumerate(choices):
        if index != correct and choice in chain:
            yield Broken("wrong-is-anchor", f"the wrong option {row.choices[index]!r} is an anchor of the chain")


def _fact_style(row: LongHopRow) -> Iterator[Broken]:
    # a name, all its words with a capital, marks the voice of a person who is then the subject of every fact
    person = row.chain[0] if row.chain and all(w[:1].isupper() for w in row.chain[0].split()) else ""
    for number, fact in enumerate(row.facts, 1):
        if len(_sentences(fact)) > 1:
            yield Broken("one-sentence", f"fact {number} is more than one sentence")
        if len(fact.split()) > _LONGEST_FACT:
            yield Broken(
                "short-fact", f"fact {number} has {len(fact.split())} words; at most {_LONGEST_FACT} are meant"
            )
        if person and not mentions(fact, person):
            yield Broken("person-in-fact", f"fact {number} does not name {person}, whom the chain is about")
        elif not person and _THIRD_PERSON.search(fact):
            yield Broken("self-contained", f"fact {number} has a pronoun without anyone it could stand for")


def bare_question(row: LongHopRow) -> str:
    """The graded question without its lettered options.

    The first line that opens with `A.` begins them, together with a heading such as `Options:` before it.
    """
    return re.split(r"\n\s*(?:\w+:\s*\n\s*)?A\.\s", row.graded_question, maxsplit=1)[0].strip()


# --- shared ------------------------------------------------------------------------------------------


def plain(text: str) -> str:
    """Lower case, punctuation stripped, whitespace collapsed.

    >>> plain("Late-night  snacking!")
    'late night snacking'
    """
    return _NOT_A_WORD.sub(" ", text.lower()).strip()


def mentions(text: str, name: str) -> bool:
    """Whether a text has these words, whole and in this order, whatever the case and punctuation.

    >>> mentions("Is Mei's tea hot?", "mei"), mentions("Meister", "Mei")
    (True, False)
    """
    return f" {plain(name)} " in f" {plain(text)} "


def _word_share(phrase: str, text: str) -> float:
    """The share of a phrase's content words that a text has, by stem or by a common beginning."""
    wanted = stems_of(phrase) or set(plain(phrase).split())
    have = stems_of(text) | set(plain(text).split())
    return sum(_has_stem(have, stem) for stem in wanted) / len(wanted) if wanted else 1.0


def _has_stem(have: Set[str], stem: str) -> bool:
    if stem in have or any(stem[:end] in have for end in range(4, len(stem))):
        return True
    return len(stem) >= 4 and any(other.startswith(stem) for other in have)


def stems_of(text: str) -> frozenset[str]:
    from memtriage.text.words import words

    return frozenset(words(text).stems)


def _rows(numbers: Sequence[int]) -> str:
    """Some rows by their numbers.

    >>> _rows([4]), _rows([4, 17]), _rows([1, 2, 3, 4, 5, 6, 7])
    ('row 4', 'rows 4 and 17', 'rows 1, 2, 3, 4, 5 and 2 more')
    """
    if len(numbers) == 1:
        return f"row {numbers[0]}"
    listed = [*map(str, numbers)] if len(numbers) <= 6 else [*map(str, numbers[:5]), f"{len(numbers) - 5} more"]
    return f"rows {', '.join(listed[:-1])} and {listed[-1]}"


def _marks(essay: str, evidence: Sequence[str], details: Sequence[str], which: str) -> Iterator[Broken]:
    for sentence in evidence:
        if sentence not in essay:
            yield Broken("evidence-in-essay", f"{which}evidence is not in the essay word for word: {_short(sentence)}")
    for detail in details:
        if not any(detail in sentence for sentence in evidence):
            yield Broken("detail-in-evidence", f"{which}detail {detail!r} is in no evidence sentence")


def _sentence_count(essay: str, least: int, most: int) -> Iterator[Broken]:
    count = len(_sentences(essay))
    if not least <= count <= most:
        yield Broken("sentence-count", f"the essay has {count} sentences; {least} to {most} are meant")


def _sentence_numbers(essay: str, evidence: Iterable[str]) -> list[int]:
    starts, end = [], 0
    for sentence in _sentences(essay):
        starts.append(essay.index(sentence, end))
        end = starts[-1] + len(sentence)
    return [bisect_right(starts, essay.index(e)) for e in evidence if e in essay]


@lru_cache(maxsize=64)  # every rule of a row cuts the same essay
def _sentences(text: str) -> tuple[str, ...]:
    from memtriage.text.sentences import sentences

    return tuple(sentences(text))


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:77] + "…"
