"""What a run came to, in little, so that another one can be held against it: read from a run, or from a baseline file.

A baseline file is JSON lines, small enough to be committed: settings first, then each episode with a hash of what it
tells and asks and with what models used for it, and each of its probes with one letter per system and k. It holds no
conversations, questions, memories or answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, NamedTuple, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from memtriage.core.amount import K
from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.core.verdict import KINDS, Depth, ProbeVerdict, StoreSummary, Verdict
from memtriage.host.files import failure_reason, write_whole
from memtriage.host.inputs import BadJson, loads, read_input
from memtriage.host.sealed import CRLF, BrokenSeal, open_line, seal_line
from memtriage.host.shell import shell_word
from memtriage.record.journal import first_problem, json_line, sealed_lines
from memtriage.record.reader import RunReader

FORMAT: Final = "memtriage.baseline/1"

_LETTERS: Mapping[Verdict, str] = {kind.verdict: kind.letter for kind in KINDS} | {"correct": "+"}
_VERDICTS = {letter: verdict for verdict, letter in _LETTERS.items()}
_MISSING = "."


class Judge(NamedTuple):
    """Who graded a task: a model, and a digest of the prompts it was asked with."""

    model: str
    prompts: str


@dataclass(frozen=True, slots=True)
class EpisodeMark:
    """An episode of a run: its suite and task, and a hash of what it tells and asks."""

    suite: str
    task: str
    digest: str


@dataclass(frozen=True, slots=True)
class StoreUse:
    """What models used to fill one store and to ask it, all in all; None if no model was asked."""

    suite: str
    system: str
    episode: str
    usage: Usage | None


@dataclass(frozen=True, slots=True)
class Results:
    """What a run came to: its settings, its episodes by digest, and its verdicts.

    `models` are those inside the systems, `grading` is the one that made the verdicts, `digest` that of the run.
    `probes` gives the verdicts, as often as wanted; those of a baseline file have no questions, facts or memories.
    """

    name: str
    memtriage: str
    digest: str
    suites: tuple[str, ...]
    seed: int
    rows: int | None
    options: Mapping[str, str]
    ks: tuple[K, ...]
    systems: tuple[str, ...]
    models: Mapping[str, str]
    grading: Mapping[str, Any]
    judges: Mapping[str, frozenset[Judge]]
    episodes: Mapping[str, EpisodeMark]
    uses: tuple[StoreUse, ...]
    probes: Callable[[], Iterable[ProbeVerdict]]


def results_of(reader: RunReader, name: str) -> Results:
    """What a finished run came to."""
    manifest = reader.manifest
    judges: dict[str, set[Judge]] = {}
    suites: dict[str, str] = {}
    for probe in reader.verdicts():  # refuses a run that is not finished
        suites.setdefault(probe.episode, probe.suite)
        if probe.judged_by:
            judges.setdefault(probe.task, set()).add(Judge(probe.judged_by, probe.prompts))
    assert reader.seal is not None
    return Results(
        name,
        manifest["memtriage"],
        reader.seal.digest,
        tuple(manifest["suites"]),
        manifest["seed"],
        manifest.get("rows"),
        {key: str(value) for key, value in (manifest.get("options") or {}).items()},
        tuple(manifest["ks"]),
        tuple(system["label"] for system in manifest["systems"]),
        manifest.get("models") or {},
        reader.seal.grading,
        {task: frozenset(found) for task, found in judges.items()},
        {
            entry["id"]: EpisodeMark(suites.get(entry["id"], ""), entry["task"], reader.episode_digest(entry["id"]))
            for entry in manifest["episodes"]
        },
        tuple(StoreUse(store.suite, store.system, store.episode, _usage(store)) for store in reader.stores()),
        reader.verdicts,
    )


def _usage(store: StoreSummary) -> Usage | None:
    used = [each for each in (store.ingest_usage, store.retrieve_usage, store.answer_usage) if each is not None]
    return sum(used, Usage()) if used else None


_Name = Annotated[str, Field(max_length=10_000)]
_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
_Count = Annotated[int, Field(ge=0, le=1 << 40)]
_Column = tuple[_Name, int | _Name, Depth, _Count, _Count, _Count]
"""Whom a letter is about: system, k, depth, and the repeats of storing, answering and judging."""


class _Strict(TypedDict):
    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]


class _Head(_Strict):
    format: Literal["memtriage.baseline/1"]
    memtriage: _Name
    run: _Hash
    suites: list[_Name]
    seed: int
    rows: _Count | None
    options: dict[_Name, _Name]
    ks: list[int | _Name]
    systems: list[_Name]
    models: dict[_Name, _Name]
    grading: dict[_Name, Any]
    judges: dict[_Name, list[tuple[_Name, _Name]]]
    columns: list[_Column]
    lines: _Count
    sha256: _Hash


class _EpisodeLine(_Strict):
    episode: _Name
    suite: _Name
    task: _Name
    digest: _Hash
    usage: NotRequired[list[tuple[_Name, Usage | None]]]


class _ProbeLine(_Strict):
    probe: _Name
    task: NotRequired[_Name]
    cluster: NotRequired[_Name]
    verdicts: _Name


_HEAD = TypeAdapter(_Head)
_EPISODE_LINE = TypeAdapter(_EpisodeLine)
_PROBE_LINE = TypeAdapter(_ProbeLine)


def write_baseline(path: Path, results: Results) -> None:
    """Write a baseline file, in the place of an older one; any other file is left alone."""
    _refuse_other_file(path)
    columns, lines = _laid_out(results)
    body = list(sealed_lines(map(json_line, lines)))
    head = {
        "format": FORMAT,
        "memtriage": results.memtriage,
        "run": results.digest,
        "suites": list(results.suites),
        "seed": results.seed,
        "rows": results.rows,
        "options": dict(results.options),
        "ks": list(results.ks),
        "systems": list(results.systems),
        "models": dict(results.models),
        "grading": dict(results.grading),
        "judges": {task: sorted(found) for task, found in sorted(results.judges.items())},
        "columns": columns,
        "lines": len(body),
        "sha256": hashlib.sha256(b"".join(body)).hexdigest(),
    }
    try:
        write_whole(path, [seal_line(json_line(head), 0), *body])
    except OSError as error:
        raise BadInput(f"{path} can't be written: {failure_reason(error)}") from error


def _refuse_other_file(path: Path) -> None:
    if not path.exists():
        return
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file for the baseline: --save-baseline baseline.jsonl RUN")
    with path.open("rb") as file:
        if not file.read(200).startswith(b'{"format":"memtriage.baseline/'):
            raise BadInput(f"{path} is there already and is no baseline; name another file, or remove it")


def _laid_out(results: Results) -> tuple[list[_Column], list[dict[str, Any]]]:
    """The columns of letters, and a line for each episode and each probe."""
    places: dict[_Column, int] = {}
    rows: dict[str, dict[tuple[str, str, str], dict[int, str]]] = {id: {} for id in results.episodes}
    for probe in results.probes():
        repeats = (probe.ingest_repeat, probe.repeat, probe.judge_repeat)
        place = places.setdefault((probe.system, probe.k, probe.depth, *repeats), len(places))
        row = rows[probe.episode].setdefault((probe.task, probe.probe, probe.cluster), {})
        row[place] = _LETTERS[probe.verdict]
    uses: dict[str, list[tuple[str, dict[str, Any] | None]]] = {}
    for use in results.uses:
        uses.setdefault(use.episode, []).append((use.system, asdict(use.usage) if use.usage else None))
    lines: list[dict[str, Any]] = []
    for id, mark in results.episodes.items():
        used = uses.get(id, [])
        with_models = {"usage": used} if any(usage for _, usage in used) else {}
        lines.append({"episode": id, **asdict(mark), **with_models})
        for (task, probe_id, cluster), letters in rows[id].items():
            shown = "".join(letters.get(place, _MISSING) for place in range(len(places))).rstrip(_MISSING)
            line = {"probe": probe_id, **({"task": task} if task != mark.task else {})}
            lines.append({**line, **({"cluster": cluster} if cluster else {}), "verdicts": shown})
    return list(places), lines


def read_baseline(path: Path) -> Results:
    """Read a baseline file; BadInput with the line and what to do if it is not as it was written."""
    raw = read_input(path)
    if not raw.strip():
        raise BadInput(f"{path} is empty; {_remedy(path)}")
    if b"\r\n" in raw:
        raise BadInput(f"{path}: {CRLF}; write '{path.name} -text' into .gitattributes, and {_remedy(path)}")
    first, newline, rest = raw.partition(b"\n")
    head = _head(path, first + newline)
    body = rest.splitlines(keepends=True)
    if hashlib.sha256(rest).hexdigest() != head["sha256"] or len(body) != head["lines"]:
        raise _other_content(path, body, head["lines"])
    episodes: dict[str, EpisodeMark] = {}
    uses: list[StoreUse] = []
    probes: list[ProbeVerdict] = []
    start = 0
    for number, line in enumerate(body, start=2):
        content = _opened(path, line, start, number)
        start += len(line)
        try:
            if "episode" in content:
                told = _EPISODE_LINE.validate_python(content)
                if told["episode"] in episodes:
                    raise _bad(path, number, f"the episode {told['episode']!r} stands twice")
                episode, mark = told["episode"], EpisodeMark(told["suite"], told["task"], told["digest"])
                episodes[episode] = mark
                uses += [StoreUse(mark.suite, system, episode, usage) for system, usage in told.get("usage", ())]
            elif not episodes:
                raise _bad(path, number, "a probe stands before any episode")
            else:
                row = _PROBE_LINE.validate_python(content)
                probes += _verdicts(path, number, row, head["columns"], episode, mark)
        except ValidationError as error:
            raise _bad(path, number, first_problem(error)) from error
    _refuse_unknown_systems(path, head)
    return Results(
        str(path),
        head["memtriage"],
        head["run"],
        tuple(head["suites"]),
        head["seed"],
        head["rows"],
        head["options"],
        tuple(head["ks"]),
        tuple(head["systems"]),
        head["models"],
        head["grading"],
        {task: frozenset(Judge(*one) for one in found) for task, found in head["judges"].items()},
        episodes,
        tuple(uses),
        lambda: probes,
    )


def _head(path: Path, line: bytes) -> _Head:
    """The first line, which says what the file is; one of another kind or version is told apart from a damaged one."""
    try:
        content = loads(line)
    except BadJson as error:
        raise BadInput(f"{path} is no baseline: its first line is not JSON ({error}); {_remedy(path)}") from error
    kind = content.get("format") if isinstance(content, dict) else None
    if not isinstance(kind, str) or not kind.startswith("memtriage.baseline/"):
        raise BadInput(f"{path} is no baseline, nor a run directory; {_remedy(path)}")
    if kind != FORMAT:
        found = f"{kind[:40]}; this memtriage reads {FORMAT}"
        raise BadInput(f"{path} is of another version ({found}); {_remedy(path)}")
    try:
        return _HEAD.validate_python(_opened(path, line, 0, 1))
    except ValidationError as error:
        raise _bad(path, 1, first_problem(error)) from error


def _opened(path: Path, line: bytes, start: int, number: int) -> dict[str, Any]:
    try:
        content = loads(open_line(line, start))
    except (BrokenSeal, BadJson) as error:
        raise _bad(path, number, error) from error
    if not isinstance(content, dict):
        raise _bad(path, number, "it is not an object")
    return content


def _other_content(path: Path, body: Sequence[bytes], lines: int) -> BadInput:
    """The error for lines that are not those of the head; it names the first that was changed, if one was."""
    start = 0
    for number, line in enumerate(body, start=2):
        try:
            open_line(line, start)
        except BrokenSeal as error:
            return _bad(path, number, error)
        start += len(line)
    return BadInput(f"{path} is damaged (line 1 says {lines} lines, and {len(body)} follow); {_remedy(path)}")


def _verdicts(
    path: Path, number: int, row: _ProbeLine, columns: Sequence[_Column], episode: str, mark: EpisodeMark
) -> Iterator[ProbeVerdict]:
    if len(row["verdicts"]) > len(columns):
        raise _bad(path, number, f"it has {len(row['verdicts'])} letters for {len(columns)} columns")
    for letter, (system, k, depth, ingest, repeat, judge) in zip(row["verdicts"], columns, strict=False):
        if letter == _MISSING:
            continue
        if letter not in _VERDICTS:
            raise _bad(path, number, f"the letter {letter!r} is no verdict")
        yield ProbeVerdict(
            mark.suite,
            row.get("task", mark.task),
            system,
            episode,
            row["probe"],
            k,
            depth,
            _VERDICTS[letter],
            question="",
            gold="",
            facts=(),
            cluster=row.get("cluster", ""),
            ingest_repeat=ingest,
            repeat=repeat,
            judge_repeat=judge,
        )


def _refuse_unknown_systems(path: Path, head: _Head) -> None:
    for system, k, *_ in head["columns"]:
        if system not in head["systems"] or k not in head["ks"]:
            raise _bad(path, 1, f"its columns have {system!r} at k = {k}, of which its settings don't tell")


def _bad(path: Path, number: int, why: object) -> BadInput:
    return BadInput(f"{path}, line {number} is damaged ({why}); {_remedy(path)}")


def _remedy(path: Path) -> str:
    return f"take it from its commit again, or make it with: memtriage gate --save-baseline {shell_word(path)} RUN"
