"""The command `verify`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memtriage.cli.app import FAILED, AsJson, CacheFile, app, command, say
from memtriage.core.errors import BadInput, BadRun
from memtriage.host.shell import shell_word

if TYPE_CHECKING:
    from memtriage.pipeline.verify import Verified


@command(app)
def verify(
    path: Annotated[Path, typer.Argument(help="A run directory, or the folder of a study.")],
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Make damaged verdicts, costs, seals and pages again; asks no model.")
    ] = False,
    digest: Annotated[str | None, typer.Option(help="The digest that the run should have (all 64 digits).")] = None,
    cache: CacheFile = None,
    as_json: AsJson = False,
) -> None:
    """Check that a run is what was written: every record and file, and its digest."""
    from memtriage import studies
    from memtriage.pipeline.verify import verify as verified
    from memtriage.record.manifest import no_run

    if studies.is_sweep(path):
        studies.load(path)
    runs = [path] if (path / "run.json").exists() else sorted(file.parent for file in path.glob("*/run.json"))
    if not runs:
        raise BadRun(no_run(path))
    if digest is not None and runs != [path]:
        raise BadInput(f"{path} holds {len(runs)} runs, each with a digest of its own; name one of them")
    found = [verified(run) for run in runs]
    if rebuild:
        found = [each if each.whole or not each.damage else _rebuilt(each, cache) for each in found]
    if as_json:
        typer.echo(json.dumps({"schema": "memtriage.verified/1", "runs": [_record(each) for each in found]}, indent=2))
    else:
        for each in found:
            _tell(each)
    other = digest is not None and digest.lower() != found[0].digest
    if other:
        say(f"error: {path} has another digest than {digest}")
    if other or not all(each.whole for each in found):
        raise typer.Exit(FAILED)


def _rebuilt(found: Verified, cache: Path | None) -> Verified:
    from memtriage import api
    from memtriage.pipeline.verify import PAGE
    from memtriage.pipeline.verify import rebuild as make_again
    from memtriage.pipeline.verify import verify as verified

    make_again(found, cache)
    if found.names(PAGE):
        api.load(found.path).report()
    again = verified(found.path)
    for each in found.damage:
        say(f"made again: {each.file}")
    if found.digest and again.digest != found.digest:
        say(f"note: {found.path} was finished with another digest, {found.digest}")
    return again


def _tell(found: Verified) -> None:
    for each in found.damage:
        say(f"error: {each}")
    if found.whole:
        typer.echo(f"{found.path}: unchanged, {found.records:,} records\ndigest: {found.digest}")
    elif not found.damage:
        say(
            f"error: {found.path} is not finished: it has no seal.json; "
            f"finish it with: memtriage resume {shell_word(found.path)}"
        )


def _record(found: Verified) -> dict[str, Any]:
    damage = [
        {"file": each.file.name, "where": each.where, "why": each.why, "rebuildable": each.rebuildable}
        for each in found.damage
    ]
    return {"path": str(found.path), "finished": found.finished, "digest": found.digest or None, "damage": damage}
