"""Whether an episode's gold answers are what follows from what it tells."""

from __future__ import annotations

from functools import lru_cache

from memtriage.suites.meme.propagate import UNKNOWN, Resolved, resolve
from memtriage.suites.meme.skeleton import Question, Skeleton


@lru_cache(maxsize=256)
def disputed(skeleton: Skeleton) -> tuple[Question, ...]:
    """The questions whose gold answer is not what the change and the declared rules lead to.

    Released files have a few: what hangs on a change without a replacement, though a replacement was declared.
    """
    after = outcome(skeleton)
    return tuple(question for question in skeleton.questions if not _follows(question, after))


def outcome(skeleton: Skeleton) -> dict[str, Resolved]:
    """What every entity is at the end, going by what was told; what was never told is taken as it was asked for."""
    told: dict[str, str] = {}
    rules: dict[tuple[str, str], str] = {}
    for statement in skeleton.statements():
        if statement.kind == "rule" and statement.entity != statement.source:
            rules[statement.entity, statement.source] = statement.value
        elif statement.kind not in ("rule", "change", "delete"):
            told[statement.entity] = statement.value
    links = [(link.source, link.target) for link in skeleton.links]
    for question in skeleton.questions:
        for target, value in zip(question.targets, question.values[-len(question.targets) :], strict=False):
            told.setdefault(target, question.before or value)
    for entity in (entity for link in links for entity in link):
        told.setdefault(entity, "")
    return resolve(links, told, rules, {skeleton.root: skeleton.change[1]})


def _follows(question: Question, after: dict[str, Resolved]) -> bool:
    match question.type:
        case "cascade":
            return after[question.targets[0]] == question.gold
        case "absence":
            return after[question.targets[0]] is UNKNOWN
        case "aggregation":
            return all(after[name] == value for name, value in zip(question.targets, question.values, strict=True))
        case "tracking":
            return after[question.targets[0]] == question.values[-1]
        case "exact-recall":
            return after[question.targets[0]] == question.gold
        case "deletion":
            return True
