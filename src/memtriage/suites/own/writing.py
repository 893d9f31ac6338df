"""Writes suite files, in the format that the ending of their name says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memtriage.core.errors import BadInput

_STORE = ("sessions", "facts", "questions")


def refuse_existing(path: Path) -> None:
    """Refuse to write over a file, or to write a format that can't be written."""
    if path.suffix.lower() not in (".yaml", ".yml", ".json", ".jsonl"):
        raise BadInput(f"{path}: choose a name that ends in .yaml, .json or .jsonl (TOML is read, but not written)")
    if path.exists():
        raise BadInput(f"{path} exists already; choose another name, or move it away")


def written(path: Path, values: Mapping[str, Any]) -> bytes:
    """A suite file as bytes."""
    match path.suffix.lower():
        case ".json":
            return (json.dumps(values, indent=2, ensure_ascii=False) + "\n").encode()
        case ".jsonl":
            stores = values.get("stores") or [{key: values[key] for key in _STORE if key in values}]
            header = {key: value for key, value in values.items() if key not in ("stores", *_STORE)}
            rows = [header, *stores] if header else stores
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    return _yaml(values)


def _yaml(values: Mapping[str, Any]) -> bytes:
    try:
        import yaml
    except ImportError as error:
        raise BadInput("YAML needs PyYAML (pip install pyyaml); write .json or .jsonl instead") from error
    dumper = yaml.CSafeDumper if yaml.__with_libyaml__ else yaml.SafeDumper
    text: str = yaml.dump(dict(values), Dumper=dumper, sort_keys=False, allow_unicode=True, width=120)
    return text.encode()
