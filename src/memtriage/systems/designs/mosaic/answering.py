"""An answer from what a search brought, put together by rule: what was said, and what has become of it."""

from __future__ import annotations

from collections.abc import Sequence

from memtriage.systems.designs.mosaic.memory import Entry, Hit, MosaicMemory
from memtriage.systems.designs.mosaic.statements import Kind

UNKNOWN = "I don't know."


def composed(memory: MosaicMemory, hits: Sequence[Hit]) -> str:
    """The statements that answer, with what voids them.

    What fits best is what the first hits were brought for. If it holds, it is the answer, with others of its chain or
    kind; if something has replaced it, that is; if its reason is gone, it is told with what a rule says of it.
    """
    if not hits:
        return UNKNOWN
    best = _best(memory, hits)
    events = {event.kind: event.entry for event in memory.history(best.entry.id)} if best.voided_by else {}
    if "voided" in events:
        return _taken_back(memory, events["voided"])
    if not {"forget", "retraction"}.isdisjoint(memory.kinds(best.entry.id)):
        return _taken_back(memory, best.entry)
    if "replaced" in events:
        return f"{_told(memory, events['replaced'])} Before: {_told(memory, best.entry)}"
    if "changed" in events:
        return _uncertain(memory, best, events["changed"], hits)
    with_it = [hit.entry for hit in hits if hit is best or _belongs(memory, hit, best)]
    return " ".join(dict.fromkeys(_told(memory, entry) for entry in with_it))


def _best(memory: MosaicMemory, hits: Sequence[Hit]) -> Hit:
    """The hit that answers: rather one that something else was brought for, or that states how something is."""
    by_id = {hit.entry.id: hit for hit in hits}
    first = by_id.get(hits[0].by or "", hits[0]) if hits[0].why == "dependency" else hits[0]
    if not _is_rule(memory, first):
        return first
    return next((hit for hit in hits if hit.voided_by and not _is_rule(memory, hit)), first)


def _is_rule(memory: MosaicMemory, hit: Hit) -> bool:
    return "rule" in memory.kinds(hit.entry.id)


def _taken_back(memory: MosaicMemory, request: Entry) -> str:
    """That something no longer counts; what was to be forgotten is not told again."""
    if "forget" in memory.kinds(request.id):
        return f"You asked for that to be forgotten{_on(request)}."
    return f"That was taken back{_on(request)}: {_told(memory, request)}"


def _uncertain(memory: MosaicMemory, best: Hit, report: Entry, hits: Sequence[Hit]) -> str:
    """What something was until a report; then what a rule says it will be, or that nobody knows."""
    was = f"It was: {_told(memory, best.entry)} Then{_on(report)}: {_told(memory, report)}"
    before = {hit.entry.id for hit in hits[: hits.index(best)]}
    rules = [
        _told(memory, hit.entry, "rule")
        for hit in hits
        if _is_rule(memory, hit)
        and (hit.by == best.entry.id or hit.entry.id in before)
        and any(event.entry.id == report.id for event in memory.history(hit.entry.id))
    ]
    return f"{was} As was said before: {' '.join(rules)}" if rules else f"{was} So it is uncertain now."


def _on(entry: Entry) -> str:
    return f" on {entry.at[:10]}" if entry.at else ""


def _belongs(memory: MosaicMemory, hit: Hit, best: Hit) -> bool:
    """Whether a hit is a link of the same chain, or of the same kind, where a model named it."""
    if hit.why == best.why == "chain":
        return True
    return hit.voided_by is None and not _kinds(memory, hit).isdisjoint(_kinds(memory, best))


def _kinds(memory: MosaicMemory, hit: Hit) -> set[str]:
    return {told.category for _, each in memory.statements(hit.entry.id) if (told := each.told)}


def _told(memory: MosaicMemory, entry: Entry, kind: Kind | None = None) -> str:
    """What an entry says, without the talk around it."""
    said = [each for _, each in memory.statements(entry.id)]
    telling = [each for each in said if each.told] or [each for each in said if each.leading and not each.quiet]
    some = [each for each in telling if each.kind == kind] or telling
    return " ".join(each.text for each in some) or entry.text
