"""Write a run as a dataset for the Hugging Face Hub: its tables as Parquet, and a card that says what was run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memtriage.core.amount import k_text
from memtriage.core.errors import BadInput, MemtriageError
from memtriage.core.suite import Suite
from memtriage.export.files import Written, write_tables
from memtriage.export.public import public, public_names, published
from memtriage.export.tables import Extract, Type
from memtriage.host.files import failure_reason, write_whole
from memtriage.host.masks import mask
from memtriage.record.reader import RunReader
from memtriage.registry import suite
from memtriage.report.headline import headline, interval, percent
from memtriage.report.html.page import about_run
from memtriage.tables.standings import standings
from memtriage.tables.table import Row, table

CARD = "README.md"
DATA = "data"

_TYPES: Mapping[Type, dict[str, str]] = {
    "text": {"dtype": "string"},
    "int": {"dtype": "int64"},
    "float": {"dtype": "float64"},
    "bool": {"dtype": "bool"},
    "texts": {"list": "string"},
}


def write_dataset(
    reader: RunReader, extracts: Sequence[Extract], folder: Path, about: Mapping[str, str]
) -> list[Written]:
    """Write a folder that can be pushed to the Hub as it is: `data/*.parquet` and `README.md`, the card.

    Folders of this machine and addresses are left out; conversations and memories are in it as they are. Tables without
    a row are left out as well, as `datasets` can't load them.
    """
    if (folder / CARD).exists():
        raise BadInput(f"{folder / CARD} is there already and may be yours; remove it, or choose another folder")
    names = public_names(system["label"] for system in reader.manifest["systems"])
    filled = [published(each, names) for each in extracts if next(each.rows(), None) is not None]
    written = write_tables(filled, folder / DATA, "parquet", about)
    sizes = {each.path.stem: each.rows or 0 for each in written}
    card = mask(_card(reader, filled, sizes, names, about))
    try:
        write_whole(folder / CARD, card.encode())
    except OSError as error:
        raise BadInput(f"{folder / CARD} can't be written: {failure_reason(error)}; choose another folder") from error
    return [Written(folder / CARD), *written]


def _card(
    reader: RunReader,
    extracts: Sequence[Extract],
    sizes: Mapping[str, int],
    names: Mapping[str, str],
    about: Mapping[str, str],
) -> str:
    rows = table(reader.verdicts(), reader.stores())
    said = public(str(headline(standings(reader.verdicts(), rows)))).replace("\u00a0", " ")
    parts = [
        _front_matter(reader, extracts),
        "# What memory systems lose, and at which stage\n",
        "Every question that each system was asked, with the stage at which it failed: the facts behind it were never "
        "stored, stored but mangled, not retrieved, or retrieved and misread. Made with memtriage.\n",
        f"{_text(said)}\n",
        *_results(rows, names),
        "## What was run\n",
        *_settings(reader, names),
        "\n## Tables\n",
        *_tables(extracts, sizes),
        "## Load it\n",
        *_loading(extracts),
        "## Repeat it\n",
        *_repeating(reader, about),
        "## Before you publish\n",
        "Conversations, memories and answers are in these files as they are: look through them. Folders and addresses "
        "were taken out of names, errors and commands. The licence is yours to choose (`license:` above); the data of "
        "the suites keep their own:\n",
        *_licences(reader),
    ]
    return "\n".join(parts) + "\n"


def _front_matter(reader: RunReader, extracts: Sequence[Extract]) -> str:
    import yaml

    first = extracts[0].name if extracts else ""
    content = {
        "pretty_name": f"memtriage: {', '.join(map(public, reader.manifest['suites']))}",
        "tags": ["memtriage", "llm-memory", "evaluation", "agents"],
        "configs": [
            {"config_name": each.name, "data_files": f"{DATA}/{each.name}.parquet"}
            | ({"default": True} if each.name == first else {})
            for each in extracts
        ],
        "dataset_info": [
            {
                "config_name": each.name,
                "features": [{"name": column.name, **_TYPES[column.type]} for column in each.columns],
            }
            for each in extracts
        ],
    }
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120)
    return f"---\n# license: choose one, https://hf.co/docs/hub/repositories-licenses\n{text}---\n"


def _results(rows: Sequence[Row], names: Mapping[str, str]) -> Iterator[str]:
    yield "| task | system | k | success | 95 % interval | probes |\n| --- | --- | --- | --- | --- | --- |"
    for row in rows:
        figures = (percent(row.success), interval(row.low, row.high), f"{row.asked:,}")
        cells = (row.task, names.get(row.system, row.system), k_text(row.k), *figures)
        yield f"| {' | '.join(_text(cell) for cell in cells)} |"
    yield ""


def _settings(reader: RunReader, names: Mapping[str, str]) -> Iterator[str]:
    manifest = reader.manifest
    grading = (reader.seal.grading if reader.seal else None) or {}
    inside = manifest.get("models") or {}
    facts = {
        "suites": ", ".join(map(public, manifest["suites"])),
        "data": public(about_run(manifest, ()).data),
        "options": ", ".join(f"{name}={value}" for name, value in (manifest.get("options") or {}).items()),
        "systems": ", ".join(names.values()),
        "k": ", ".join(map(k_text, manifest["ks"])),
        "seed": str(manifest["seed"]),
        "answering model": public(grading.get("answer") or ""),
        "judge": public(grading.get("judge") or ""),
        "models inside systems": ", ".join(public(name) for name in inside.values() if name),
        "date": manifest["created"],
        "versions": ", ".join(f"{name} {version}" for name, version in _versions(manifest).items()),
    }
    for name, value in facts.items():
        if value:
            yield f"- **{name}**: {_text(value)}"
    for system, notices in reader.notices.items():
        yield from (f"- **{_text(names.get(system, system))}**: {_text(public(notice))}" for notice in notices)


def _versions(manifest: Mapping[str, Any]) -> dict[str, str]:
    python = {"python": str(manifest["python"])} if manifest.get("python") else {}
    packages = manifest.get("packages")
    return {"memtriage": manifest["memtriage"], **python, **(packages if isinstance(packages, dict) else {})}


def _tables(extracts: Sequence[Extract], sizes: Mapping[str, int]) -> Iterator[str]:
    for each in extracts:
        yield f"### `{each.name}`, {sizes[each.name]:,} rows\n\n{each.what[0].upper()}{each.what[1:]}.\n"
        yield "| column | type | meaning |\n| --- | --- | --- |"
        yield from (f"| `{_fenced(c.name)}` | {c.type} | {_text(c.what)} |" for c in each.columns)
        yield ""


def _loading(extracts: Sequence[Extract]) -> Iterator[str]:
    name = extracts[0].name if extracts else "probes"
    yield "```python"
    yield f'datasets.load_dataset("YOU/THIS", "{name}", split="train")'
    yield f'pandas.read_parquet("hf://datasets/YOU/THIS/{DATA}/{name}.parquet")'
    yield f'polars.read_parquet("hf://datasets/YOU/THIS/{DATA}/{name}.parquet")'
    yield "```\n"
    yield "`memories` and `retrieved` belong together by `system`, `episode`, `ingest_repeat` and `key`.\n"


def _repeating(reader: RunReader, about: Mapping[str, str]) -> Iterator[str]:
    manifest = reader.manifest
    commit = f", commit {manifest['commit']}" if manifest.get("commit") else ""
    yield f"With memtriage {_text(manifest['memtriage'])}{_text(commit)}:\n"
    yield f"```console\n$ {_fenced(public(manifest['command']))}\n```\n"
    yield f"The run that these tables were made from has the digest `{about['memtriage.run']}` (`memtriage verify`).\n"


def _licences(reader: RunReader) -> Iterator[str]:
    for name in dict.fromkeys(task.partition("/")[0] for task in reader.manifest["tasks"]):
        found = _suite(name)
        told = f"{found.name} ({found.paper}): {found.licence}" if found else public(name)
        yield f"- {_text(told)}"


def _suite(name: str) -> Suite | None:
    try:
        return suite(name)
    except MemtriageError:  # a file of somebody's own, or a plug-in that is not installed here
        return None


def _text(text: str) -> str:
    """Untrusted text as one line of Markdown that means nothing but itself."""
    line = " ".join(text.split())
    return "".join(f"\\{each}" if each in r"\`*_{}[]<>|#" else each for each in line)


def _fenced(text: str) -> str:
    """Untrusted text as code, which it can't end."""
    return " ".join(text.replace("`", "'").replace("|", "/").split())
