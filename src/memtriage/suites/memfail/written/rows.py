"""MemFail rows in a model's own words.

Code draws what each row must be (an order), the model fills orders in batches, and every row passes the same
validator and deduplication as generated ones. A row that breaks a rule goes back with the validator's words.

>>> written = await write_rows("persona", 100, 42, client)      # doctest: +SKIP
>>> len(written.rows), dict(written.dropped)                    # doctest: +SKIP
(100, {'duplicate': 1})
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.suites.kit.draw import deck
from memtriage.suites.memfail.cast import Cast
from memtriage.suites.memfail.dedup import KEY, deduplicate
from memtriage.suites.memfail.paper import PREFERENCES, QUESTIONS, categories, condition_types, pet_condition_types
from memtriage.suites.memfail.released.columns import layout_of
from memtriage.suites.memfail.rows import CoexistingRow, ConditionalRow, PersonaQuestion, PersonaRow, Row
from memtriage.suites.memfail.written import prompts
from memtriage.suites.memfail.written.orders import (
    ROUNDS,
    Order,
    OrderWriter,
    Progress,
    Rejected,
    Spec,
    require_filled,
    too_few_rows,
    validated,
)

DATAPOINT_RULES = frozenset(
    "entity-category condition-type pet-condition condition-met answer-yes-no answer-agrees "
    "question-names-entity".split()
)
"""The rules that a conditional row can be checked by before its essay is written."""

_INITIALS = "ABCDEFGHIJKLMNOPRSTVWYZ"


@dataclass(frozen=True, slots=True)
class WrittenRows:
    """Rows of one dataset, how many were written for them in all, why others were dropped, and the calls it took."""

    rows: tuple[Row, ...]
    total: int
    dropped: Mapping[str, int]
    calls: int


async def write_rows(
    dataset: str,
    rows: int,
    seed: int,
    model: ChatModel,
    *,
    batch: int = 10,
    retries: int = 3,
    progress: Progress | None = None,
) -> WrittenRows:
    """Have a model write exactly so many rows of a dataset; where it can't, BadInput says how far it came.

    Easy and hard rows of the same seed and model tell of the same entities, conditions and questions.
    """
    layout_of(dataset)
    for name, value, least in (("rows", rows, 1), ("batch", batch, 1), ("retries", retries, 0)):
        if value < least:
            raise BadInput(f"{name} must be at least {least}, not {value}")
    phases = {"conditional-easy": 2, "conditional-hard": 2, "long-hop": 2}.get(dataset, 1)
    writer = OrderWriter(model, dataset, batch, retries, progress, rows * phases)
    if dataset == "long-hop":
        from memtriage.suites.memfail.written.long_hop import write_chains

        kept: Sequence[Row] = await write_chains(writer, rows, seed)
    else:
        kept = await _write_independent(writer, rows, seed)
    if progress is not None:
        progress(dataset, 1.0)
    return WrittenRows(tuple(kept), len(kept) + writer.dropped.total(), dict(writer.dropped), writer.calls)


# --- rows that stand alone ---------------------------------------------------------------------------


async def _write_independent(writer: OrderWriter, rows: int, seed: int) -> list[Row]:
    """One row per order; what was dropped is ordered again, so that the mix stays as it was drawn."""
    draw_specs, write = _KINDS[writer.dataset]
    waiting = dict(enumerate(draw_specs(_rng(writer.dataset, seed), rows), 1))
    kept: dict[int, Row] = {}
    for round in range(ROUNDS):
        fresh = await write(writer, waiting, round)
        numbers = [*kept, *fresh]
        found = deduplicate([*kept.values(), *fresh.values()], writer.dataset)
        kept_instead = {id(removed.row): removed.kept for removed in found.removed}
        for number, row in zip(numbers, [*kept.values(), *fresh.values()], strict=True):
            if id(row) not in kept_instead:
                kept[number] = row
                waiting.pop(number, None)
            else:
                other = str(getattr(kept_instead[id(row)], KEY[writer.dataset]))
                waiting[number] = {**waiting[number], "unlike": other}
                writer.drop("duplicate", f"nearly the same as another row: {other}")
        if not waiting or not kept:  # a model that got nothing right won't get better
            break
    if waiting:
        raise too_few_rows(writer, len(kept), rows)
    return [kept[number] for number in sorted(kept)]


def _rng(dataset: str, seed: int) -> Random:
    # easy and hard draw the same orders
    return Random(f"written:{dataset.removesuffix('-easy').removesuffix('-hard')}:{seed}")


def _conditional_specs(rng: Random, rows: int) -> Iterator[Spec]:
    kinds, outcomes, initials = deck(rng, condition_types()), deck(rng, ("yes", "no")), deck(rng, _INITIALS)
    for _ in range(rows):
        kind = next(kinds)
        entities = ("person", "pet", "character") if kind in pet_condition_types() else ("person", "character")
        yield {
            "entity_category": rng.choice(entities),
            "condition_type": kind,
            "condition_met": next(outcomes),
            "initial": next(initials),
        }


async def _conditional(writer: OrderWriter, specs: Mapping[int, Spec], round: int) -> dict[int, Row]:
    orders = [Order(id, spec, _datapoint_reader(spec)) for id, spec in specs.items()]
    points = await writer.write(prompts.DATAPOINT, orders, round)
    hard = writer.dataset == "conditional-hard"
    read = _hard_reader if hard else _easy_reader
    essays = [Order(id, _essay_spec(row, rule, specs[id]), read(row)) for id, (row, rule) in points.items()]
    return await writer.write(prompts.HARD_ESSAY if hard else prompts.EASY_ESSAY, essays, round)


def _datapoint_reader(spec: Spec) -> Callable[[Mapping[str, Any]], tuple[ConditionalRow, str]]:
    def read(entry: Mapping[str, Any]) -> tuple[ConditionalRow, str]:
        require_filled(entry, "entity", "behavior", "condition", "rule", "question", "question_context")
        if entry["condition_met"] != spec["condition_met"]:
            raise Rejected("condition-ordered", f"condition_met was ordered to be {spec['condition_met']}")
        row = ConditionalRow(
            entity=entry["entity"],
            entity_category=spec["entity_category"],
            behavior=entry["behavior"],
            condition_type=spec["condition_type"],
            condition=entry["condition"],
            essay="",
            question=entry["question"],
            question_context=entry["question_context"],
            condition_met=entry["condition_met"],
            ground_truth_answer=entry["ground_truth_answer"],
        )
        return validated(row, "conditional-easy", only=DATAPOINT_RULES), entry["rule"]

    return read


def _essay_spec(row: ConditionalRow, rule: str, spec: Spec) -> Spec:
    names = ("entity", "entity_category", "behavior", "condition")
    unlike = {"unlike": spec["unlike"]} if "unlike" in spec else {}
    return {**{name: getattr(row, name) for name in names}, "rule": rule, **unlike}


def _easy_reader(row: ConditionalRow) -> Callable[[Mapping[str, Any]], ConditionalRow]:
    def read(entry: Mapping[str, Any]) -> ConditionalRow:
        require_filled(entry, "essay", "rule_sentence", "condition_words")
        evidence, details = (entry["rule_sentence"],), (entry["condition_words"],)
        return validated(replace(row, essay=entry["essay"], evidence=evidence, details=details), "conditional-easy")

    return read


def _hard_reader(row: ConditionalRow) -> Callable[[Mapping[str, Any]], ConditionalRow]:
    names = ("behavior_sentence", "condition_sentence", "link_sentence")

    def read(entry: Mapping[str, Any]) -> ConditionalRow:
        require_filled(entry, "essay", *names, "condition_words")
        evidence = tuple(sorted((entry[name] for name in names), key=entry["essay"].find))
        details = (entry["condition_words"],)
        return validated(replace(row, essay=entry["essay"], evidence=evidence, details=details), "conditional-hard")

    return read


def _coexisting_specs(rng: Random, rows: int) -> Iterator[Spec]:
    names = deck(rng, tuple(categories()))
    for _ in range(rows):
        yield {"category": next(names), "count": rng.randint(*PREFERENCES)}


async def _coexisting(writer: OrderWriter, specs: Mapping[int, Spec], round: int) -> dict[int, Row]:
    orders = [Order(id, spec, _coexisting_reader(spec)) for id, spec in specs.items()]
    return await writer.write(prompts.COEXISTING, orders, round)


def _coexisting_reader(spec: Spec) -> Callable[[Mapping[str, Any]], CoexistingRow]:
    def read(entry: Mapping[str, Any]) -> CoexistingRow:
        require_filled(entry, "preferences", "preference_facts", "question")
        preferences = tuple(entry["preferences"])
        if len(preferences) != spec["count"]:
            raise Rejected("count-ordered", f"{len(preferences)} preferences; {spec['count']} were ordered")
        row = CoexistingRow(
            preference_category=spec["category"],
            preferences=preferences,
            preference_facts=tuple(entry["preference_facts"]),
            question=entry["question"],
            ground_truth_answer=", ".join(preferences),
        )
        return validated(row, "coexisting")

    return read


def _persona_specs(rng: Random, rows: int) -> Iterator[Spec]:
    misleading = deck(rng, (True, False))
    cast = Cast(rng)
    for _ in range(rows):
        person = cast.person()
        slots = [(next(misleading), stranger) for stranger in cast.strangers(QUESTIONS)]
        yield {
            "entity": person.name,
            "flavor": person.flavor,
            "slots": [{"about": name if wrong else person.name, "misleading": wrong} for wrong, name in slots],
        }


async def _persona(writer: OrderWriter, specs: Mapping[int, Spec], round: int) -> dict[int, Row]:
    orders = [Order(id, spec, _persona_reader(spec)) for id, spec in specs.items()]
    return await writer.write(prompts.PERSONA, orders, round)


def _persona_reader(spec: Spec) -> Callable[[Mapping[str, Any]], PersonaRow]:
    def read(entry: Mapping[str, Any]) -> PersonaRow:
        require_filled(entry, "essay", "questions")
        if len(entry["questions"]) != len(spec["slots"]):
            raise Rejected("three-questions", f"{len(entry['questions'])} questions for {len(spec['slots'])} slots")
        questions = tuple(map(_persona_question, entry["questions"], spec["slots"]))
        return validated(PersonaRow(spec["entity"], entry["essay"], questions), "persona")

    return read


def _persona_question(entry: Mapping[str, Any], slot: Mapping[str, Any]) -> PersonaQuestion:
    misleading = bool(slot["misleading"])
    require_filled(entry, "text", "evidence", "detail", *(() if misleading else ("answer",)))
    return PersonaQuestion(
        text=entry["text"],
        is_misleading=misleading,
        distractor=slot["about"] if misleading else None,
        ground_truth_answer=f"I don't have information about {slot['about']}." if misleading else entry["answer"],
        evidence=(entry["evidence"],),
        details=(entry["detail"],),
    )


_Specs = Callable[[Random, int], Iterable[Spec]]
_WriteRows = Callable[[OrderWriter, Mapping[int, Spec], int], Awaitable[dict[int, Row]]]
_KINDS: dict[str, tuple[_Specs, _WriteRows]] = {
    "conditional-easy": (_conditional_specs, _conditional),
    "conditional-hard": (_conditional_specs, _conditional),
    "coexisting": (_coexisting_specs, _coexisting),
    "persona": (_persona_specs, _persona),
}
