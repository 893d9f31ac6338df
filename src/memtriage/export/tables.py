"""The tables of a run, with a type and a description for every column; data frames and files have the same ones.

Rows are read one by one, so that a run of any size can be written with little memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Protocol

from memtriage.core.amount import K
from memtriage.core.errors import BadInput, unknown
from memtriage.core.trace import Usage
from memtriage.core.verdict import KINDS, STAGES, ProbeVerdict, StoreSummary
from memtriage.diagnose.false_memories import memory_checks
from memtriage.host.masks import mask
from memtriage.pipeline.bill import charges
from memtriage.record.reader import RunReader
from memtriage.tables.table import first_why, row_json, table
from memtriage.text.tokens import count_tokens
from memtriage.text.words import well_formed

Type = Literal["text", "int", "float", "bool", "texts"]
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, its type and what it means. All but `content` is memtriage's own, such as names and errors.

    `content` is what was said, asked, kept or answered.
    """

    name: str
    type: Type
    what: str
    content: bool = False


@dataclass(frozen=True, slots=True)
class Extract:
    """One table of a run, ready to be read: its columns, and its rows one by one."""

    name: str
    what: str
    columns: tuple[Column, ...]
    rows: Callable[[], Iterator[Record]]


class Verdicts(Protocol):
    """Where verdicts and stores come from: a run, or traces of another tool."""

    def verdicts(self) -> Iterable[ProbeVerdict]: ...

    def stores(self) -> Iterable[StoreSummary]: ...


@dataclass(frozen=True, slots=True)
class _Table:
    """A table; one `of_runs` takes more than verdicts and stores."""

    what: str
    columns: Callable[[Verdicts], Iterable[Column]]
    rows: Callable[[Any], Iterator[Record]]
    of_runs: bool = False


def extract(source: Verdicts, name: str) -> Extract:
    """One table of a run or of traces by its name, such as `probes`."""
    if name not in _TABLES:
        raise BadInput(unknown("table", name, _TABLES))
    found = _TABLES[name]
    if found.of_runs and not isinstance(source, RunReader):
        had = ", ".join(name for name, table in _TABLES.items() if not table.of_runs)
        raise BadInput(f"only a run has the table {name!r}; traces of another tool have {had}")
    columns = tuple(found.columns(source))
    return Extract(name, found.what, columns, lambda: (_clean(row, columns) for row in found.rows(source)))


def _clean(row: Mapping[str, Any], columns: Iterable[Column]) -> Record:
    """The row in the order of the columns; texts without keys, and such that they can be encoded."""
    return {column.name: _clean_value(row.get(column.name)) for column in columns}


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return mask(well_formed(value))
    return [mask(well_formed(each)) for each in value] if isinstance(value, list | tuple) else value


# ------------------------------------------------------------------ columns that several tables share

_SUITE = (
    Column("suite", "text", "the suite"),
    Column("task", "text", "the task of the suite"),
)
_SYSTEM = Column("system", "text", "the memory system")
_K = (
    Column("k", "int", "how many memories were asked for; null if the amount was given in another way"),
    Column("amount", "text", "the same as text: 5, native (the system's own amount) or 500 tokens"),
)
_DEPTH = Column("depth", "text", "memory: judged by what was retrieved; full: by the answer as well")
_EPISODE = Column("episode", "text", "the episode: one history with its questions, told to one store")
_PROBE = Column("probe", "text", "the probe: one question of the episode")
_STORED_AGAIN = Column("ingest_repeat", "int", "which filling of the store it is, from 0; above 0 only with repeats")
_REPEATS = (
    _STORED_AGAIN,
    Column("repeat", "int", "which answer to the question it is, from 0"),
    Column("judge_repeat", "int", "which judging of the answer it is, from 0"),
)
_KEY = Column("key", "text", "the memory's content key: the same id, text and sources give the same key")


def _k(k: K) -> Record:
    return {"k": k if isinstance(k, int) else None, "amount": str(k)}


def _usage_columns(stage: str, whose: str) -> tuple[Column, ...]:
    return (
        Column(f"{stage}_calls", "int", f"calls of {whose}; null without a model"),
        Column(f"{stage}_cached", "int", "replies from the cache among them"),
        Column(f"{stage}_errors", "int", "calls that failed"),
        Column(f"{stage}_input_tokens", "int", "tokens that were sent and paid for"),
        Column(f"{stage}_output_tokens", "int", "tokens that came back and were paid for"),
        Column(f"{stage}_dollars", "float", "what they cost; null if a price is unknown"),
    )


def _usage(stage: str, usage: Usage | None) -> Record:
    return {f"{stage}_{name}": value for name, value in asdict(usage).items()} if usage else {}


# ------------------------------------------------------------------ the main table


def _main_columns(_: Verdicts) -> Iterable[Column]:
    counts = [Column(kind.column, "int", f"probes: {kind.title}") for kind in KINDS]
    shares = (
        Column("success", "float", "correct / asked, from 0 to 1; null if nothing was asked"),
        Column("low", "float", "lower end of its 95 % interval"),
        Column("high", "float", "upper end of its 95 % interval"),
        Column("tokens_per_memory", "float", "mean size of a stored memory"),
        Column("context_tokens", "float", "mean size of what was retrieved for a question"),
        Column("answered", "int", "probes whose answer was judged"),
        Column("accuracy", "float", "share of right answers; null if some answer was not judged"),
        Column("accuracy_low", "float", "lower end of its 95 % interval"),
        Column("accuracy_high", "float", "upper end of its 95 % interval"),
        Column("credit", "float", "mean share of what was asked for that was there"),
        Column("right_without_evidence", "int", "right answers to questions of which an earlier stage failed"),
        Column("items", "float", "mean number of memories that came back"),
    )
    return (*_SUITE, _SYSTEM, *_K, _DEPTH, Column("n", "int", "all probes"), *counts, *shares)


def _main_rows(reader: Verdicts) -> Iterator[Record]:
    for row in table(reader.verdicts(), reader.stores()):
        yield {**row_json(row), **_k(row.k)}


# ------------------------------------------------------------------ probes and facts

_PROBE_COLUMNS = (
    *(*_SUITE, _SYSTEM, *_K, _DEPTH, _EPISODE, _PROBE, *_REPEATS),
    Column("verdict", "text", "correct, or the first stage that failed; uncertain, n/a or error"),
    Column("question", "text", "what was asked", content=True),
    Column("gold", "text", "the right answer", content=True),
    Column("answer", "text", "the answer that was given; null without an answering model", content=True),
    Column("right", "bool", "whether the answer is right, whatever was retrieved; null if it was not graded"),
    Column("right_without_evidence", "bool", "the answer is right although an earlier stage failed"),
    Column("credit", "float", "share of what was asked for that was there"),
    Column("why", "text", "why it got its verdict; empty if it is correct"),
    Column("error", "text", "what was raised, if anything was"),
    Column("facts_needed", "int", "facts that the question needs"),
    Column("facts_correct", "int", "those of them that came back intact"),
    Column("stale", "texts", "outdated facts that came back without what voids them"),
    Column("k_returned", "int", "memories that came back"),
    Column("context_tokens", "int", "their size"),
    Column("seconds", "float", "how long the system took to retrieve"),
    Column("choices", "int", "lettered choices of the question; 0 if it has none"),
    Column("cluster", "text", "probes of one cluster share their luck, which widens intervals"),
    Column("answered_by", "text", "the answering model"),
    Column("judged_by", "text", "the judge"),
)
_SAME = tuple(
    column.name for column in _PROBE_COLUMNS if column.name in {each.name for each in fields(ProbeVerdict)} - {"k"}
)


def _probe_columns(reader: Verdicts) -> Iterable[Column]:
    tags: dict[str, None] = {}
    measures: dict[str, None] = {}
    for verdict in reader.verdicts():
        tags.update(dict.fromkeys(verdict.tags))
        measures.update(dict.fromkeys(verdict.measures))
    return (
        *_PROBE_COLUMNS,
        *(Column(f"tag_{name}", "text", f"the suite's tag {name}") for name in sorted(tags)),
        *(Column(f"measure_{name}", "float", f"the measure {name}") for name in sorted(measures)),
    )


def _probe_rows(reader: Verdicts) -> Iterator[Record]:
    for verdict in reader.verdicts():
        yield {
            **{name: getattr(verdict, name) for name in _SAME},
            **_k(verdict.k),
            "why": first_why(verdict),
            "right_without_evidence": verdict.right_without_evidence,
            "facts_needed": len(verdict.facts),
            "facts_correct": sum(fact.verdict == "correct" for fact in verdict.facts),
            **{f"tag_{name}": value for name, value in verdict.tags.items()},
            **{f"measure_{name}": value for name, value in verdict.measures.items()},
        }


_FACT_COLUMNS = (
    *(*_SUITE, _SYSTEM, *_K, _DEPTH, _EPISODE, _PROBE, *_REPEATS),
    Column("fact", "text", "the fact, by the suite's name for it"),
    Column("text", "text", "what it says", content=True),
    Column("details", "texts", "the critical details that must survive", content=True),
    Column("verdict", "text", "correct, or the stage at which it was lost; uncertain, n/a or error"),
    Column("why", "text", "why it got its verdict"),
    *(
        Column(stage, "text", f"the {stage} stage: pass, fail, uncertain or n/a; null if not reached")
        for stage in STAGES
    ),
    Column("witness", "texts", "content keys of the memories that show it"),
    Column("detector", "text", "who decided: words (lexical) or a judge"),
    Column("confidence", "float", "how sure a detector was that read a rewritten memory; null if decided by rule"),
    Column("lost", "text", "never: it was never seen in the store; later: it was, and went"),
    Column("lost_after", "text", "the session after which it was gone"),
)


def _fact_rows(reader: Verdicts) -> Iterator[Record]:
    of_probe = ("suite", "task", "system", "depth", "episode", "probe", "ingest_repeat", "repeat", "judge_repeat")
    of_fact = ("fact", "text", "verdict", "why", "detector", "confidence", "lost", "lost_after", "details", "witness")
    for verdict in reader.verdicts():
        for fact in verdict.facts:
            yield {
                **{name: getattr(verdict, name) for name in of_probe},
                **_k(verdict.k),
                **{name: getattr(fact, name) for name in of_fact},
                **{stage: fact.stages.get(stage) for stage in STAGES},
            }


# ------------------------------------------------------------------ stores, memories and what came back

_MEMORY_COLUMNS = (
    *(_SYSTEM, _EPISODE, _STORED_AGAIN, _KEY),
    Column("id", "text", "the system's own name for it", content=True),
    Column("text", "text", "what it says", content=True),
    Column("tokens", "int", "its size in cl100k_base tokens"),
    Column("sources", "texts", "the turns it came from, where the system says so"),
    Column("created_at", "text", "when it was created, where the system says so"),
    Column("listed", "bool", "whether the store ever listed it; false if it only came back for a question"),
    Column("added_after", "text", "the session after which it was first listed"),
    Column("removed_after", "text", "the session after which it was gone; null if it stayed"),
)


def _memory_rows(reader: RunReader) -> Iterator[Record]:
    for unit in reader.units:
        system, repeat = reader.system_and_repeat(unit[0])
        history = reader.history(unit)
        added: dict[str, str | None] = {}
        removed: dict[str, str] = {}
        for look in history.leading_to(history.snapshots[-1].id if history.snapshots else None):
            for key in look.added:
                added.setdefault(key, look.after)
                removed.pop(key, None)
            removed.update(dict.fromkeys(look.removed, look.after))
        listed = len(added)
        for trace in reader.traces(unit):
            for found in trace.retrieved:
                added.setdefault(found.key, None)
        for number, (key, after) in enumerate(added.items()):
            memory = reader.memory(key)
            yield {
                **{"system": system, "episode": unit[1], "ingest_repeat": repeat},
                **{name: memory.get(name) for name in ("key", "id", "text", "sources", "created_at")},
                "tokens": count_tokens(memory["text"]),
                **{"listed": number < listed, "added_after": after, "removed_after": removed.get(key)},
            }


_INVENTED_COLUMNS = (
    *(*_SUITE, _SYSTEM, _EPISODE, _STORED_AGAIN),
    Column("kind", "text", "invented, or contradicting: two memories that can't both hold"),
    _KEY,
    Column("text", "text", "what the memory says", content=True),
    Column("why", "text", "why it is no true memory"),
    Column("words", "texts", "the words that nothing supports, or the values that rule each other out", content=True),
    Column("nearest", "text", "the nearest thing that was said", content=True),
    Column("session", "text", "the session in which it was said"),
    Column("turn", "text", "the turn in which it was said"),
    Column("other_key", "text", "the content key of the second of two memories"),
    Column("other_text", "text", "what that one says", content=True),
    Column("detector", "text", "who decided: words (lexical) or a judge"),
)


def _invented_rows(reader: RunReader) -> Iterator[Record]:
    for check in memory_checks(reader):
        store = {name: getattr(check, name) for name in ("suite", "task", "system", "episode", "ingest_repeat")}
        yield from ({**store, **asdict(finding)} for finding in check.findings)


_RETRIEVED_COLUMNS = (
    *(_SYSTEM, _EPISODE, _STORED_AGAIN, _PROBE, *_K),
    Column("rank", "int", "its place from 1; 0 if it is shown whatever is asked"),
    _KEY,
    Column("score", "float", "the system's own score"),
    Column("created_at", "text", "the date it came back with"),
    Column("why", "text", "what the system says about why it came back; empty where it doesn't"),
)


def _retrieved_rows(reader: RunReader) -> Iterator[Record]:
    names = ("rank", "key", "score", "created_at", "why")
    for unit in reader.units:
        system, repeat = reader.system_and_repeat(unit[0])
        for trace in reader.traces(unit):
            asked = {"system": system, "episode": unit[1], "ingest_repeat": repeat, "probe": trace.probe, **_k(trace.k)}
            for found in trace.retrieved:
                yield {**asked, **{name: getattr(found, name) for name in names}}


_STORE_COLUMNS = (
    *(*_SUITE, _SYSTEM, _EPISODE),
    Column("sessions", "int", "sessions that were stored"),
    Column("memories", "int", "memories at the end; null if the store can't be listed"),
    Column("tokens", "int", "their size"),
    Column("ingest_seconds", "float", "how long storing took"),
    Column("query_seconds", "float", "how long all questions took"),
    Column("queries", "int", "questions, counted at every k"),
    Column("error", "text", "why storing failed, if it did"),
    Column("peak_bytes", "int", "the most memory it was seen to use"),
    Column("gpu_bytes", "int", "the most memory of GPUs"),
    *_usage_columns("ingest", "models inside the system while it stored"),
    *_usage_columns("retrieve", "models inside the system while it retrieved"),
    *_usage_columns("answer", "the answering model"),
)


def _store_rows(reader: Verdicts) -> Iterator[Record]:
    usages = ("ingest", "retrieve", "answer")
    for store in reader.stores():
        plain = {field.name: getattr(store, field.name) for field in fields(store)}
        used = [_usage(stage, plain.pop(f"{stage}_usage")) for stage in usages]
        yield {**plain, **{name: value for each in used for name, value in each.items()}}


_CALL_COLUMNS = (
    Column("role", "text", "whose call it was: internal (a system's model), embed, answer or judge"),
    Column("stage", "text", "what it was for"),
    Column("system", "text", "the system it was made for, where that is known"),
    Column("episode", "text", "the episode it was made for, where that is known"),
    Column("calls", "int", "replies that were paid for: 1 in most rows"),
    Column("cached", "int", "replies from the cache, which are counted together"),
    Column("retries", "int", "requests that were sent again"),
    Column("errors", "int", "calls that failed"),
    Column("trouble", "text", "how they failed"),
    Column("input_tokens", "int", "tokens that were sent"),
    Column("output_tokens", "int", "tokens that came back"),
    Column("dollars", "float", "what it cost; null if the price is unknown"),
)


def _call_rows(reader: RunReader) -> Iterator[Record]:
    for charge in charges(reader.path):
        account = charge.account
        store, episode = charge.owner if len(charge.owner) == 2 else (None, None)
        yield {
            **{"role": charge.role, "stage": charge.stage, "episode": episode},
            "system": reader.system_and_repeat(store)[0] if store else None,
            **{name: getattr(account, name) for name in ("calls", "cached", "retries")},
            "errors": account.errors.total(),
            "trouble": ", ".join(sorted(account.errors)) or None,
            **{"input_tokens": account.input, "output_tokens": account.output},
            "dollars": None if account.unpriced else float(account.dollars),
        }


_TABLES: Mapping[str, _Table] = {
    "probes": _Table("one row per question, system and k: where it failed, and why", _probe_columns, _probe_rows),
    "facts": _Table(
        "one row per fact that a question needs: at which stage it was lost", lambda _: _FACT_COLUMNS, _fact_rows
    ),
    "memories": _Table(
        "one row per memory of each store: what it says, when it came and went",
        lambda _: _MEMORY_COLUMNS,
        _memory_rows,
        of_runs=True,
    ),
    "invented": _Table(
        "one row per memory that nothing said supports, and per pair that can't both hold",
        lambda _: _INVENTED_COLUMNS,
        _invented_rows,
        of_runs=True,
    ),
    "retrieved": _Table(
        "one row per memory that came back for a question", lambda _: _RETRIEVED_COLUMNS, _retrieved_rows, of_runs=True
    ),
    "stores": _Table("one row per store: its size, time and models", lambda _: _STORE_COLUMNS, _store_rows),
    "calls": _Table(
        "one row per entry of the bill: calls of models", lambda _: _CALL_COLUMNS, _call_rows, of_runs=True
    ),
    "table": _Table("one row per task, system and k: the table that `show` prints", _main_columns, _main_rows),
}

TABLES: tuple[str, ...] = tuple(_TABLES)
"""The tables of a run by name."""
