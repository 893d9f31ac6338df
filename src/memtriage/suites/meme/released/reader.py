"""Released episodes as skeletons: their entities, edges, tasks and gold facts.

What is missing or wrong is refused with the file, the episode and the place in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.meme.domains import DOMAINS
from memtriage.suites.meme.graph import refuse_cycle
from memtriage.suites.meme.skeleton import TASKS, Link, Question, Skeleton, Statement, StatementKind, TaskType
from memtriage.text.words import well_formed

TAGS: Mapping[str, TaskType] = {
    "ER": "exact-recall",
    "Agg": "aggregation",
    "Tr": "tracking",
    "Del": "deletion",
    "Cas": "cascade",
    "Abs": "absence",
}
SHORT = {"personal-life": "pl", "software-project": "sw"}
"""The prefix of episode ids of a domain in released files."""

_HOPS: tuple[TaskType, ...] = ("cascade", "absence")
_NONE: tuple[TaskType, ...] = ("deletion", "absence")
_SEVERAL: tuple[TaskType, ...] = ("tracking", "aggregation")

Object = Mapping[str, Any]


def domain_of(record: Object, where: str) -> str:
    """The domain that an episode is of; a name with underscores is understood too."""
    name = str(record.get("domain", "")).replace("_", "-")
    if name not in DOMAINS:
        raise BadInput(f"{where}: {unknown('domain', str(record.get('domain')), DOMAINS)}")
    return name


def episode_id(record: Object, number: int) -> str:
    """The id of an episode as the file gives it, with its domain where that is just a number."""
    given = record.get("episode_id")
    if isinstance(given, int) and not isinstance(given, bool):
        domain = str(record.get("domain", "")).replace("_", "-")
        return f"{SHORT.get(domain, domain)}_{given:03d}"
    return well_formed(given) if isinstance(given, str) and given.strip() else f"number {number}"


def read_skeleton(record: Object, gold: Object, id: str, file: str) -> Skeleton:
    """The skeleton of an episode without chats; its statements are the gold facts."""
    where = f"{file}: episode {id!r}"
    reader = EpisodeReader(
        record, id, where, *(objects(gold, f"phase{part}_questions", where) for part in ("2_before", "4_after"))
    )
    facts = [reader.statement(fact, where) for fact in objects(gold, "phase1_fact_introduction", where)]
    ending = [reader.statement(fact, where) for fact in objects(gold, "phase3_change_and_deletion", where)]
    return reader.skeleton(_spread(facts, ending, reader.triple))


class EpisodeReader:
    """One episode's record: its entities, edges and tasks, checked as they are read."""

    def __init__(self, record: Object, id: str, where: str, before: Iterable[Object], after: Iterable[Object]) -> None:
        self._record = record
        self._id = id
        self._where = where
        self._before = {_question_key(question): question for question in before}
        self._after = {_question_key(question): question for question in after}
        entities = record.get("entities")
        if not isinstance(entities, dict) or not all(isinstance(entity, dict) for entity in entities.values()):
            raise BadInput(f"{where}: entities is missing or no object of objects")
        self.entities: Mapping[str, Object] = entities
        self._tasks = [(self._tag(task), task) for task in objects(record, "tasks", where)]
        for missing in (task for task in TASKS if task not in {type for type, _ in self._tasks}):
            raise BadInput(f"{where}: no task of type {missing!r}; an episode holds all six")
        self._root = self._entity(record.get("root"), "root")

    @cached_property
    def triple(self) -> tuple[str, ...]:
        """The entities that one question asks for together."""
        return next(self._targets(task) for type, task in self._tasks if type == "aggregation")

    @cached_property
    def _histories(self) -> dict[str, tuple[str, ...]]:
        """The tracked entities, with all their values."""
        found = ((self._targets(task)[0], task) for type, task in self._tasks if type == "tracking")
        return {entity: self._values("tracking", task) for entity, task in found}

    @cached_property
    def _exact(self) -> set[str]:
        return {self._targets(task)[0] for type, task in self._tasks if type == "exact-recall"}

    def statement(self, fact: Object, where: str, text: str = "") -> Statement:
        """A gold fact as a statement, in the words given or in its own."""
        entity = self._entity(fact.get("entity"), f"gold fact {seed(fact)!r}", where)
        kind = self._kind(fact, entity)
        source = str(fact.get("dependency_source") or "") if kind in ("rule", "dependency") else ""
        if kind in ("rule", "dependency"):
            self._entity(source, f"what {entity!r} hangs on", where)
        value = text_of(fact.get("value"), f"{where}: the value of {entity!r}")
        history = self._histories.get(entity, ())
        step = history.index(value) + 1 if kind in ("fact", "update") and value in history else 0
        wording = text or text_of(seed(fact), f"{where}: the gold fact of {entity!r}")
        return Statement(entity, value, kind if step < 2 else "update", wording, source, step)

    def skeleton(self, sessions: tuple[tuple[Statement, ...], ...]) -> Skeleton:
        """The whole episode."""
        change = self._record.get("root_change")
        if not isinstance(change, dict) or not {"before", "after"} <= change.keys():
            raise BadInput(f"{self._where}: root_change does not say what {self._root!r} was before and is after")
        statements = [statement for session in sessions for statement in session]
        for kind in ("change", "delete"):
            if not any(statement.kind == kind for statement in statements):
                raise BadInput(f"{self._where}: nothing tells the {'change' if kind == 'change' else 'deletion'}")
        links = self._links(statements)
        return Skeleton(
            id=self._id,
            domain=domain_of(self._record, self._where),
            root=self._root,
            change=(text_of(change["before"], f"{self._where}: root_change"), str(change["after"])),
            links=links,
            sessions=sessions,
            questions=tuple(self._question(type, task, links) for type, task in self._tasks),
            entities=tuple(self.entities),
        )

    def _links(self, statements: Sequence[Statement]) -> tuple[Link, ...]:
        """The edges in use; a dependency that only a gold fact names is one too."""
        found: dict[tuple[str, str], Link] = {}
        for edge in objects(self._record, "dependency_edges_used", self._where):
            source, target = (self._entity(edge.get(end), "an edge") for end in ("source", "target"))
            hop, middle = edge.get("hop"), bool(edge.get("is_2hop_middle"))
            link = Link(source, target, hop if isinstance(hop, int) else 1, str(edge.get("pattern") or ""), middle)
            if (source, target) not in found or middle:
                found[source, target] = link
        for statement in statements:
            pair = (statement.source, statement.entity)
            if statement.source and statement.source != statement.entity and pair not in found:
                found[pair] = Link(*pair, hop=1 if statement.source == self._root else 2, pattern="")
        refuse_cycle(found, self._where)
        for source in (source for source, target in found if target == self._root):
            raise BadInput(f"{self._where}: edge {source} -> {self._root} is a rule for the root; leave it out")
        return tuple(sorted(found.values(), key=lambda link: link.hop))

    def _question(self, type: TaskType, task: Object, links: Sequence[Link]) -> Question:
        targets = self._targets(task)
        if type != "aggregation" and len(targets) > 1:
            raise BadInput(f"{self._where}: a {type} task is about one entity, and this one names {len(targets)}")
        after = self._after.get(_question_key(task), {})
        text = after.get("question") or task.get("question_template")
        gold = text_of(task.get("gold_answer") or after.get("gold_answer"), f"{self._where}: the answer of {type!r}")
        hop = task.get("hop")
        if type in _HOPS and not isinstance(hop, int):
            raise BadInput(f"{self._where}: the {type} task of {targets[0]!r} does not say how many hops it takes")
        source = str(task.get("cascade_source") or "") if type in _HOPS else ""
        if type in _HOPS and not source:
            source = next((link.source for link in links if link.target == targets[0]), self._root)
        return Question(
            type=type,
            targets=targets,
            text=text_of(text, f"{self._where}: the question of {type!r}"),
            gold=gold,
            values=() if type in _NONE else self._values(type, task) if type in _SEVERAL else (gold,),
            before=self._value_before(targets[0], task) if type in (*_HOPS, "deletion") else "",
            hop=hop if type in _HOPS and isinstance(hop, int) else 0,
            source=source,
        )

    def _value_before(self, target: str, task: Object) -> str:
        """The right answer before the change."""
        asked = self._before.get(_question_key(task), {})
        value = asked.get("expected_answer") or asked.get("gold_answer") or self.entities[target].get("before")
        return text_of(value, f"{self._where}: what {target!r} was before the change")

    def _values(self, type: TaskType, task: Object) -> tuple[str, ...]:
        given = task.get("entity_values")
        what = f"{self._where}: the values of {type!r}"
        if not isinstance(given, dict):
            raise BadInput(f"{what} are missing")
        found = [given.get(target) for target in self._targets(task)]
        if type == "tracking":
            found = found[0] if isinstance(found[0], list) else found
        if type == "tracking" and len(found) < 2:
            raise BadInput(f"{what} are no history")
        return tuple(text_of(value, what) for value in found)

    def _targets(self, task: Object) -> tuple[str, ...]:
        targets = task.get("target_entities")
        if not isinstance(targets, list) or not targets:
            raise BadInput(f"{self._where}: the task of type {task.get('type')!r} names no target")
        return tuple(self._entity(target, f"the task of type {task.get('type')!r}") for target in targets)

    def _tag(self, task: Object) -> TaskType:
        tag = str(task.get("type"))
        if tag not in TAGS:
            raise BadInput(f"{self._where}: {unknown('task tag', tag, TAGS)}")
        return TAGS[tag]

    def _entity(self, name: object, what: str, where: str = "") -> str:
        if not isinstance(name, str) or name not in self.entities:
            raise BadInput(f"{where or self._where}: {what}: {unknown('entity', str(name), self.entities)}")
        return name

    def _kind(self, fact: Object, entity: str) -> StatementKind:
        event = str(fact.get("type") or "").lower()
        if "change" in event:
            return "change"
        if "delet" in event:
            return "delete"
        if fact.get("is_if_then"):
            return "rule"
        if fact.get("has_dependency"):
            return "dependency"
        if fact.get("is_filler"):
            return "filler"
        return "exact" if fact.get("is_exact") or entity in self._exact else "fact"


def _spread(
    facts: Sequence[Statement], ending: Sequence[Statement], triple: Sequence[str]
) -> tuple[tuple[Statement, ...], ...]:
    """Plain facts over three sessions, a step of the history and one of the triple in each; then the other statements.

    Two of the fillers go with the change and the deletion, as in the released chats.
    """
    tied = [s for s in facts if s.kind in ("dependency", "rule", "exact")]
    fillers = [s for s in facts if s.kind == "filler"]
    steps = sorted((s for s in facts if s.step), key=lambda s: s.step)
    three = [s for s in facts if s.kind == "fact" and not s.step and s.entity in triple]
    rest = [s for s in facts if s not in tied and s not in fillers and s not in steps and s not in three]
    first: tuple[list[Statement], ...] = ([], [], [])
    for group in (rest, three, steps, fillers[2:]):
        for number, statement in enumerate(group):
            first[number % 3].append(statement)
    last = [s for pair in _paired(ending, fillers[:2]) for s in pair]
    return (*map(tuple, first), tuple(tied), tuple(last))


def _paired(ending: Sequence[Statement], fillers: Sequence[Statement]) -> Iterator[tuple[Statement, ...]]:
    for number, statement in enumerate(ending):
        yield (statement, *fillers[number : number + 1])


def questions(record: Object, moment: str, where: str) -> list[Object]:
    block = record.get(f"{moment}_questions")
    if isinstance(block, dict):
        return objects(block, "questions", f"{where}, {moment}_questions")
    return objects(record, f"{moment}_questions", where)


def _question_key(question: Object) -> tuple[str, tuple[str, ...]]:
    """What a question is about: its task and its entities."""
    about = question.get("target_entities") or question.get("entity") or ()
    names = about if isinstance(about, list | tuple) else (about,)
    return str(question.get("type") or question.get("task_type")), tuple(map(str, names))


def seed(fact: Object) -> str:
    return str(fact.get("original_seed") or fact.get("gold_fact") or fact.get("fact_text") or "")


def objects(record: Object, key: str, where: str) -> list[Object]:
    found = record.get(key)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise BadInput(f"{where}: {key} is missing or no list of objects")
    return found


def text_of(value: object, what: str) -> str:
    if not isinstance(value, str | int | float) or isinstance(value, bool) or not str(value).strip():
        raise BadInput(f"{what} is missing")
    return well_formed(str(value))
