"""The files of a diagnosis: verdicts.jsonl and stores.jsonl, replaced whole by every diagnosis."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from memtriage.core.verdict import ProbeVerdict, StoreSummary
from memtriage.host.sealed import check_line, seal_line
from memtriage.record.encoded import Encoded, Encoder, Places
from memtriage.record.files import SUMMARY, Damaged, FileSeal
from memtriage.record.journal import damaged, first_problem, lines, replace_file, sealed_lines
from memtriage.record.lines import Lines, packed_path
from memtriage.record.same_lists import MANY, List, place_in
from memtriage.record.seal import LineSeal, RunSeal, remove_seal

T = TypeVar("T")

VERDICTS, STORES = "verdicts.jsonl", "stores.jsonl"

_VERDICT = TypeAdapter(ProbeVerdict)
_STORE = TypeAdapter(StoreSummary)


def write_verdicts(
    path: Path, verdicts: Iterable[ProbeVerdict | Encoded], stores: Iterable[StoreSummary]
) -> Mapping[str, FileSeal]:
    """Write the verdicts and store summaries of a diagnosis into a directory, replacing old ones; returns their seals.

    From then on the run is not finished, until it is sealed again.
    """
    seals = {VERDICTS: LineSeal(), STORES: LineSeal()}
    replace_file(path / VERDICTS, _unsealing(path, seals[VERDICTS].over(_sealed(verdicts))))
    packed_path(path / VERDICTS).unlink(missing_ok=True)
    made = sealed_lines(_STORE.dump_json(store) + b"\n" for store in stores)
    replace_file(path / STORES, seals[STORES].over(made))
    return {name: seal.file() for name, seal in seals.items()}


def _sealed(verdicts: Iterable[ProbeVerdict | Encoded]) -> Iterator[bytes]:
    """The lines of verdicts; a long list of memories is written once, and named by those that follow in its store."""
    start, places = 0, Places()
    for encoded in _encoded(verdicts):
        if encoded.number == 0:  # of another store
            places = Places()
        sealed = seal_line(places.line(encoded) + b"\n", start)
        places.wrote(encoded, start)
        yield sealed
        start += len(sealed)


def _encoded(verdicts: Iterable[ProbeVerdict | Encoded]) -> Iterator[Encoded]:
    encoder, store = Encoder(), ("", "", 0)
    for verdict in verdicts:
        if isinstance(verdict, Encoded):
            yield verdict
            continue
        if store != (verdict.system, verdict.episode, verdict.ingest_repeat):
            encoder, store = Encoder(), (verdict.system, verdict.episode, verdict.ingest_repeat)
        yield encoder.verdict(verdict)


def _unsealing(path: Path, made: Iterable[bytes]) -> Iterator[bytes]:
    """The same lines; after the last one, and before they take the place of others, the run's seal is removed."""
    yield from made
    remove_seal(path)
    (path / SUMMARY).unlink(missing_ok=True)


def read_verdicts(path: Path, seal: RunSeal) -> Iterator[ProbeVerdict]:
    """The verdicts of a finished run, one by one."""
    return (verdict for _, verdict in placed_verdicts(path, seal))


def placed_verdicts(path: Path, seal: RunSeal) -> Iterator[tuple[int, ProbeVerdict]]:
    """The verdicts of a finished run, each with the byte where its line starts."""
    file = path / VERDICTS
    named: tuple[int, List] = (-1, ())
    for start, line in lines(file, seal.files):
        verdict, place = _opened(file, start, line)
        if place is not None:
            if place != named[0]:
                with Lines(file) as opened:
                    named = (place, verdict_at(opened, place, before=start).retrieved)
            verdict = replace(verdict, retrieved=named[1])
        elif len(verdict.retrieved) >= MANY:
            named = (start, verdict.retrieved)
        yield start, verdict


def verdict_at(file: Lines, start: int, before: int | None = None) -> ProbeVerdict:
    """The verdict whose line starts at this byte; one that is named by the line `before` has a list of its own."""
    try:
        if before is not None and not start < before:
            raise ValueError("the list that it names is not before it")
        line = file.at(start)
        check_line(line, start)
        verdict, place = _opened(file.path, start, line)
        if before is not None and place is not None:
            raise ValueError("the line that it names has no list of memories")
    except (ValueError, Damaged) as error:
        if before is None and isinstance(error, Damaged):
            raise
        why = "no verdict is where its list should be" if isinstance(error, Damaged) else error
        raise damaged(file.path, start if before is None else before, why) from error
    return verdict if place is None else replace(verdict, retrieved=verdict_at(file, place, before=start).retrieved)


def _opened(file: Path, start: int, line: bytes) -> tuple[ProbeVerdict, int | None]:
    """The verdict in a line, and the place of its list if that is in another one."""
    line, place = place_in(line) or (line, None)
    try:
        return _VERDICT.validate_json(line), place
    except ValidationError as error:
        raise damaged(file, start, first_problem(error)) from error


def read_stores(path: Path, seal: RunSeal) -> Iterator[StoreSummary]:
    """The store summaries of a finished run, one by one."""
    file = path / STORES
    for start, line in lines(file, seal.files):
        try:
            yield _STORE.validate_json(line)
        except ValidationError as error:
            raise damaged(file, start, first_problem(error)) from error


def parsed(kind: TypeAdapter[T], record: Mapping[str, Any], path: Path, start: int) -> T:
    """A record as what it stands for; Damaged if it doesn't stand for one."""
    try:
        return kind.validate_python(record)
    except ValidationError as error:
        raise damaged(path, start, first_problem(error)) from error
