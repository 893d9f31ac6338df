"""The data inside the page: every row of the table, and as many probes as fit, with each text stored once.

Probes are streamed. If there are more than a page can hold, each row of the table keeps a fair share,
failures first, chosen by a hash of the probe. So the same probes are kept for every system and k, and
two pages of one run agree.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from memtriage.core.amount import K
from memtriage.core.verdict import KINDS, STAGES, VERDICTS, FactVerdict, ProbeVerdict, Retrieved, StoreSummary
from memtriage.host.masks import mask_bytes
from memtriage.tables.depth import at_graded_depth
from memtriage.tables.table import row_json

if TYPE_CHECKING:
    from memtriage.tables.table import Row

RETRIEVED_SHOWN = 20
MOST_PROBES = 20_000
TEXT_LIMITS = (4_000, 1_000)
"""Memory texts are cut at the first length; the second is tried before any probe is left out."""

ROW_FIELDS = (
    *("suite", "task", "system", "k", "depth", "n"),
    *(kind.column for kind in KINDS),
    *("success", "low", "high", "tokens_per_memory", "items", "context_tokens"),
    *("answered", "accuracy", "accuracy_low", "accuracy_high"),
)

Texts = Callable[[Collection[str]], Mapping[str, str]]
Group = tuple[str, str, str, K, str]


@dataclass(slots=True)
class Sample:
    """The probes that a page shows, by row of the table, and how many there are in total."""

    kept: dict[int, list[ProbeVerdict]]
    totals: Counter[int]
    unplaced: int = 0

    @property
    def shown(self) -> int:
        return sum(map(len, self.kept.values()))

    @property
    def total(self) -> int:
        return sum(self.totals.values())

    def shrunk(self, most: int) -> Sample:
        """The same sample with at most this many probes."""
        shares = fair_shares(most, {row: len(probes) for row, probes in self.kept.items()})
        return replace(self, kept={row: _best(probes, shares[row]) for row, probes in self.kept.items()})


def fair_shares(most: int, sizes: Mapping[int, int]) -> dict[int, int]:
    """Divide `most` places fairly; no group gets more than it needs.

    >>> fair_shares(10, {0: 2, 1: 100, 2: 100})
    {0: 2, 1: 4, 2: 4}
    """
    shares: dict[int, int] = {}
    left = most
    for position, group in enumerate(sorted(sizes, key=lambda g: (sizes[g], g))):
        shares[group] = min(sizes[group], left // (len(sizes) - position))
        left -= shares[group]
    return shares


def draw(probes: Iterable[ProbeVerdict], rows: Sequence[Row], most: int = MOST_PROBES) -> Sample:
    """Read all probes once and keep at most `most`, a fair share for every row of the table."""
    where = {_group(row): i for i, row in enumerate(rows)}
    sizes = {i: max(row.n, 1) for i, row in enumerate(rows)}
    shares = fair_shares(max(most, len(rows)), sizes)
    sample = Sample(kept=defaultdict(list), totals=Counter())
    worst: dict[int, tuple[bool, bytes]] = {}
    for probe in at_graded_depth(probes):
        row = where.get(_group(probe))
        if row is None:
            sample.unplaced += 1
            continue
        sample.totals[row] += 1
        if row in worst and _priority(probe) > worst[row]:
            continue  # as good as dropped: there are enough that come before it
        bucket = sample.kept[row]
        bucket.append(_trimmed(probe))
        if len(bucket) >= 2 * shares[row] + 50:
            sample.kept[row] = _best(bucket, shares[row])
            worst[row] = _priority(sample.kept[row][-1])
    return sample if sample.shown <= most else sample.shrunk(most)


def fit(sample: Sample, limit: int, page: Mapping[str, Any], texts: Texts) -> tuple[bytes, Sample]:
    """The payload, compressed to at most `limit` bytes by leaving out probes if needed."""
    for cut in TEXT_LIMITS:
        packed = pack(encode(sample, cut, texts) | dict(page))
        if len(packed) <= limit:
            return packed, sample
    while len(packed) > limit and sample.shown:
        sample = sample.shrunk(int(sample.shown * min(0.9 * limit / len(packed), 0.9)))
        packed = pack(encode(sample, cut, texts) | dict(page))
    return packed, sample


def pack(payload: Mapping[str, Any]) -> bytes:
    """JSON, compressed; the same payload always gives the same bytes."""
    text = json.dumps(payload, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    # level 9 takes twice as long for one byte in fifty
    return gzip.compress(mask_bytes(text.encode("ascii")), compresslevel=7, mtime=0)


def rows_payload(rows: Sequence[Row]) -> dict[str, Any]:
    """The whole table, row by row."""
    counted = [row_json(row) for row in rows]
    return {"fields": ROW_FIELDS, "rows": [[_plain(values[name]) for name in ROW_FIELDS] for values in counted]}


def stores_payload(stores: Sequence[StoreSummary]) -> list[dict[str, Any]]:
    """What each system stored per task, and over all tasks under ""."""
    groups: dict[tuple[str, str, str], list[StoreSummary]] = defaultdict(list)
    for store in stores:
        groups[store.suite, store.task, store.system].append(store)
    for store in stores:
        groups[store.suite, "", store.system].append(store)
    return [
        {
            **{"suite": suite, "task": task, "system": system, "episodes": len(members)},
            "memories": _mean(m.memories for m in members),
            "tokens": _mean(m.tokens for m in members),
            "ingest": _mean(m.ingest_seconds for m in members),
            "query": _ratio(sum(m.query_seconds for m in members), sum(m.queries for m in members)),
            "errors": sum(m.error is not None for m in members),
        }
        for (suite, task, system), members in groups.items()
    ]


def encode(sample: Sample, cut: int, texts: Texts) -> dict[str, Any]:
    """The sampled probes as columns of numbers that point into tables of texts, facts and memories."""
    tables = _Tables()
    ordered = sorted(
        ((row, probe) for row, probes in sample.kept.items() for probe in probes),
        key=lambda pair: (pair[1].suite, pair[1].task, pair[1].episode, pair[1].probe, pair[1].system, pair[0]),
    )
    reasons = any(item.why for _, probe in ordered for item in probe.retrieved)
    columns: dict[str, list[Any]] = defaultdict(list)
    for row, probe in ordered:
        for name, value in _verdict_columns(row, probe, tables, reasons):
            columns[name].append(value)
    return {
        "verdicts": columns,
        "probes": tables.probes.values,
        "facts": tables.facts.values,
        "judged": tables.judged.values,
        "memories": [_clip(text, cut, details) for text, details in tables.memory_texts(texts)],
        "strings": [_shorten(text, cut) for text in tables.strings.values],
        "sample": {"shown": sample.shown, "total": sample.total, "rows": sorted(sample.totals.items())},
    }


@dataclass(slots=True)
class _Table:
    """Distinct values in order of first use; `place` returns a value's position."""

    values: list[Any] = field(default_factory=list)
    places: dict[Any, int] = field(default_factory=dict)

    def place(self, key: Any, value: Any = None) -> int:
        at = self.places.get(key)
        if at is None:
            at = self.places[key] = len(self.values)
            self.values.append(key if value is None else value)
        return at


class _Tables:
    """The tables of distinct texts, facts, probes and memories to which verdicts point."""

    def __init__(self) -> None:
        self.strings, self.facts, self.probes = _Table(), _Table(), _Table()
        self.judged, self.memories = _Table(), _Table()
        self.details: dict[int, set[str]] = defaultdict(set)

    def string(self, text: str | None) -> int:
        return -1 if text is None else self.strings.place(text)

    def fact(self, fact: FactVerdict) -> int:
        key = (fact.fact, fact.text, fact.details)
        return self.facts.place(key, [self.string(fact.fact), self.string(fact.text), *map(self.string, fact.details)])

    def fact_verdict(self, fact: FactVerdict) -> int:
        stages = "".join(fact.stages.get(stage, "-")[0] for stage in STAGES)
        value = [
            *(self.fact(fact), VERDICTS.index(fact.verdict), self.string(fact.why), stages),
            *(self.string(fact.detector), fact.lost or "", self.string(fact.lost_after)),
            *(self.memory(key, fact.details) for key in fact.witness),
        ]
        return self.judged.place(tuple(value), value)

    def probe(self, probe: ProbeVerdict) -> int:
        tags = [self.string(part) for pair in sorted(probe.tags.items()) for part in pair]
        texts = (probe.episode, probe.probe, probe.question, probe.gold, probe.cluster)
        value = [*map(self.string, texts), *tags]
        return self.probes.place((probe.suite, probe.task, *value), value)

    def memory(self, key: str, details: Iterable[str] = ()) -> int:
        at = self.memories.place(key)
        self.details[at].update(details)
        return at

    def memory_texts(self, texts: Texts) -> Iterator[tuple[str | None, set[str]]]:
        known = texts(list(self.memories.values)) if self.memories.values else {}
        for at, key in enumerate(self.memories.values):
            yield known.get(key), self.details[at]


def _verdict_columns(row: int, probe: ProbeVerdict, tables: _Tables, reasons: bool) -> Iterator[tuple[str, Any]]:
    consecutive = all(item.rank == i for i, item in enumerate(probe.retrieved, start=1))
    scored = any(item.score is not None for item in probe.retrieved)
    yield "row", row
    yield "probe", tables.probe(probe)
    yield "verdict", VERDICTS.index(probe.verdict)
    yield "facts", [tables.fact_verdict(fact) for fact in probe.facts]
    yield "keys", [tables.memory(item.key) for item in probe.retrieved]
    yield "ranks", 0 if consecutive else [item.rank for item in probe.retrieved]
    yield "scores", [_short(item.score) for item in probe.retrieved] if scored else 0
    if reasons:
        yield "reasons", [tables.string(item.why or None) for item in probe.retrieved]
    yield "returned", probe.k_returned
    yield "tokens", probe.context_tokens
    yield "seconds", _short(probe.seconds)
    yield "answer", tables.string(probe.answer)
    yield "right", -1 if probe.right is None else probe.right + probe.right_without_evidence
    yield "why", tables.string(probe.why or None)
    yield "error", tables.string(probe.error)


def _group(thing: Row | ProbeVerdict) -> Group:
    return thing.suite, thing.task, thing.system, thing.k, thing.depth


def _best(probes: list[ProbeVerdict], most: int) -> list[ProbeVerdict]:
    return probes if len(probes) <= most else sorted(probes, key=_priority)[:most]


def _priority(probe: ProbeVerdict) -> tuple[bool, bytes]:
    identity = "\0".join((probe.suite, probe.task, probe.episode, probe.probe))
    return probe.verdict == "correct", hashlib.blake2b(identity.encode("utf-8", "replace"), digest_size=8).digest()


def _trimmed(probe: ProbeVerdict) -> ProbeVerdict:
    """The probe with only the memories that the page shows: the first ones and the witnesses."""
    total = max(probe.k_returned, len(probe.retrieved))
    if len(probe.retrieved) <= RETRIEVED_SHOWN and probe.k_returned == total:
        return probe
    witnesses = {key for fact in probe.facts for key in fact.witness}
    shown: tuple[Retrieved, ...] = tuple(
        item for i, item in enumerate(probe.retrieved) if i < RETRIEVED_SHOWN or item.key in witnesses
    )
    return replace(probe, retrieved=shown, k_returned=total)


def _clip(text: str | None, limit: int, details: Collection[str]) -> str | list[Any] | None:
    """The text or, if it is too long, its beginning, the passage with a critical detail, and its full length."""
    if text is None or len(text) <= limit:
        return text
    low = text.lower()
    found = [at for at in (low.find(detail.lower(), limit // 2) for detail in sorted(details) if detail) if at >= 0]
    if not found or min(found) < limit * 3 // 4:
        return [text[:limit], len(text)]
    start = min(found) - limit // 8
    return [f"{text[: limit // 2]} […] {text[start : start + limit // 2]}", len(text)]


def _shorten(text: str, limit: int) -> str:
    return text if len(text) <= limit else f"{text[:limit]} […] (cut: {limit:,} of {len(text):,} characters)"


def _plain(value: Any) -> Any:
    if isinstance(value, float) and not isinstance(value, bool):
        return round(float(value), 6) if math.isfinite(value) else None
    return value


def _short(value: float | None) -> float | None:
    return None if value is None or not math.isfinite(value) else float(f"{value:.4g}")


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return _short(sum(known) / len(known)) if known else None


def _ratio(top: float, bottom: int) -> float | None:
    return _short(top / bottom) if bottom else None
