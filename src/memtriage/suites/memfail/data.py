"""MemFail's data files: generated in the released layout, written by a model, validated, downloaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Problem, Request, Step
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.datasets import generator_record, sha256, write_record
from memtriage.suites.kit.localized import OPTION, language_of
from memtriage.suites.kit.options import no_options
from memtriage.suites.memfail.paper import PACKAGE
from memtriage.suites.memfail.rows import DATASETS, Row
from memtriage.text.language import ENGLISH, codes, speaking

ROWS = {"conditional-easy": 100, "conditional-hard": 100, "coexisting": 100, "persona": 100, "long-hop": 92}
"""Rows of each dataset, as in the paper."""


def load_rows(dataset: str, request: Request) -> tuple[list[Row], dict[str, object]]:
    """The rows that a request is for, generated or from the released files, and where they come from."""
    from memtriage.suites.memfail.generate.rows import generate_rows
    from memtriage.suites.memfail.released.files import find_files, read_rows

    if request.data is None:
        wanted = ROWS[dataset] if request.rows is None else request.rows
        language = language_of(request.options, PACKAGE)
        rows, total = generate_rows(dataset, request.seed, wanted, like_released(request.options), language)
        like = {"like": request.options["like"]} if "like" in request.options else {}
        return rows, {"source": "generated", "seed": request.seed, "rows": len(rows), "made": total, **like}
    path = find_files(request.data, (dataset,))[dataset]
    rows = read_rows(path, dataset)[: request.rows]
    return rows, {"source": "files", "file": str(path), "sha256": sha256(path), "rows": len(rows)}


def like_released(options: Mapping[str, str]) -> bool:
    """Whether generated rows shall have the shares of the released ones rather than those the paper asks for."""
    if options.get("like", "released") != "released":
        raise BadInput(f"option like={options['like']}: generated rows can only be like=released")
    return "like" in options


class MemFailFiles:
    """MemFail's data files: one for each dataset, with what made it beside it."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        from memtriage.suites.memfail.generate.rows import generate_rows

        like, language = like_released(options or {}), language_of(options or {}, PACKAGE)
        known = ("like", OPTION)
        no_options("memfail", {name: value for name, value in (options or {}).items() if name not in known})
        about = ({"like": "released"} if like else {}) | ({OPTION: language} if language != ENGLISH else {})
        written: list[Path] = []
        for done, dataset in enumerate(tasks):
            step(dataset, done / len(tasks))
            wanted = ROWS[dataset] if rows is None else rows
            kept, total = generate_rows(dataset, seed, wanted, like, language)
            written += write_dataset(kept, out, dataset, seed, wanted, total, total - len(kept), about)
        step("done", 1.0)
        return written

    async def write(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        model: ChatModel,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        from memtriage.suites.memfail.written.rows import write_rows

        no_options("memfail", options)
        written: list[Path] = []
        for done, dataset in enumerate(tasks):
            wanted = ROWS[dataset] if rows is None else rows
            progress = partial(_report_share, step, done, len(tasks))
            result = await write_rows(dataset, wanted, seed, model, progress=progress)
            about = {"model_name": model.name, "calls": result.calls, "dropped": dict(result.dropped)}
            duplicates = result.dropped.get("duplicate", 0)
            written += write_dataset(result.rows, out, dataset, seed, wanted, result.total, duplicates, about)
        return written

    def validate(self, path: Path) -> Iterator[Checked]:
        from memtriage.suites.memfail.released.files import read_rows
        from memtriage.suites.memfail.released.validate import errors, guessable, validate

        for dataset, file in present_files(path).items():
            language = _language_of(file)
            with speaking(language):
                rows = read_rows(file, dataset)
                found = validate(rows, dataset, str(file), language)
                if not errors(found):
                    found = guessable(rows, dataset, str(file)) + found
            yield Checked(dataset, file, len(rows), tuple(Problem(str(p), p.level == "error") for p in found))

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        from memtriage.suites.kit.pull import Terms, byte_progress
        from memtriage.suites.memfail.released.pull import pull_memfail

        terms, rest = Terms.of(options)
        no_options("memfail", rest)
        return pull_memfail(out, revision, endpoint, byte_progress(step), terms=terms)


def write_dataset(
    rows: Sequence[Row],
    out: Path,
    dataset: str,
    seed: int,
    wanted: int,
    total: int,
    duplicates: int,
    about: Mapping[str, object] | None = None,
) -> list[Path]:
    """Write rows to their place in the released layout, and `generation_config.json` beside them.

    `total` rows were generated for the `wanted` ones; the record says enough to generate the same rows again.
    """
    from memtriage.suites.memfail import dedup
    from memtriage.suites.memfail.released.files import csv_path, write_rows

    path = csv_path(out, dataset)
    write_rows(rows, path, dataset)
    record = {
        **generator_record(f"memfail {dataset}"),
        "dataset": dataset,
        "seed": seed,
        "num_rows_requested": wanted,
        "num_rows_raw": total,
        "num_rows_deduped": len(rows),
        "rows_removed_by_dedup": duplicates,
        "dedup_threshold": dedup.THRESHOLD[dataset],
        "dedup_key_field": dedup.KEY[dataset],
        **(about or {}),
        "output_csv": path.name,
        "sha256": sha256(path),
    }
    config = path.with_name("generation_config.json")
    write_record(config, record)
    return [path, config]


def _report_share(step: Step, done: int, tasks: int, name: str, share: float) -> None:
    step(name, (done + share) / tasks)


def _language_of(file: Path) -> str:
    """The language of a generated file, as the record beside it says; else English."""
    try:
        record = loads(read_text(file.with_name("generation_config.json")))
    except (OSError, BadInput, BadJson):
        return ENGLISH
    named = record.get(OPTION) if isinstance(record, dict) else None
    return named if isinstance(named, str) and named in codes() else ENGLISH


def present_files(path: Path) -> dict[str, Path]:
    """The datasets that are there, however few."""
    from memtriage.suites.memfail.released.files import find_files

    found: dict[str, Path] = {}
    for dataset in DATASETS:
        with suppress(BadInput):
            found |= find_files(path, (dataset,))
    return found or find_files(path)
