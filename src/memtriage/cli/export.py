"""The command `export`: a run as tables for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memtriage.cli.app import RunPath, app, command, joined
from memtriage.core.errors import BadInput


@command(app)
def export(
    path: RunPath,
    parquet: Annotated[Path | None, typer.Option(help="Write a Parquet file per table into this folder.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write a CSV file per table into this folder.")] = None,
    jsonl: Annotated[Path | None, typer.Option(help="Write a file of JSON lines per table into this folder.")] = None,
    hf: Annotated[
        Path | None, typer.Option(help="Write a dataset for the Hugging Face Hub into this folder, with its card.")
    ] = None,
    inspect: Annotated[
        Path | None, typer.Option(help="Write eval logs of Inspect into this folder; inspect view opens them.")
    ] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option(
            help="Only these: probes, facts, memories, invented, retrieved, stores, calls, table (default: all)."
        ),
    ] = None,
) -> None:
    """Write a run for other tools: tables (Parquet, CSV, JSON lines), a dataset for the Hub, or logs of Inspect."""
    from memtriage import api

    folders = [(parquet, "parquet"), (csv, "csv"), (jsonl, "jsonl"), (hf, "hf"), (inspect, "inspect")]
    if not any(folder for folder, _ in folders):
        raise BadInput("say what to write, and where: --parquet DIR, --csv DIR, --jsonl DIR, --hf DIR or --inspect DIR")
    run = api.load(path)
    chosen = [name.strip() for name in (joined(tables) or "").split(",") if name.strip()]
    for folder, form in folders:
        if folder is not None:
            for written in run.export(folder, form, chosen):  # type: ignore[arg-type]
                rows = "" if written.rows is None else f": {written.rows:,} row{'s' * (written.rows != 1)}"
                typer.echo(f"{written.path}{rows}")
