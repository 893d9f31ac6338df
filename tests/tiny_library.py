"""A memory library of a few lines with an adapter, a wheel and a lock, so that installs need no registry."""

from __future__ import annotations

import hashlib
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from memtriage.systems.libraries import catalog
from memtriage.systems.libraries.catalog import Library

ENTRY = """
name = "tiny-mem"
title = "TinyMem"
package = "tiny_mem"
version = "1.0"
architecture = "summarise: verbatim; store: list; retrieve: newest first"
family = "simple-rag"
needs = ["embed"]
requires = ["tiny_mem==1.0"]

[environment]
TINY_TELEMETRY = "off"

[options]
loud = "true or false: keep texts in capitals"
mood = "of the library"

[variables]
TINY_KEY = "the key of the tiny service"
"""

ADAPTER = '''
"""summarise: nothing; store: a list; retrieve: newest first"""
import json
import os
import urllib.error
import urllib.request

import tiny_mem
from memtriage_adapter import Info, Refused, serve, trouble


class Tiny:
    def __init__(self, settings):
        if settings.embed is None:
            raise Refused("tiny-mem needs --embed")
        self.settings, self.kept = settings, []

    def ask(self, model, path, **body):
        body = json.dumps({"model": model.model, **body}).encode()
        head = {"Content-Type": "application/json", "Authorization": f"Bearer {model.api_key}"}
        with urllib.request.urlopen(urllib.request.Request(model.base_url + path, body, head)) as reply:
            return json.load(reply)

    def store_conversation(self, conversation):
        loud = self.settings.options.get("loud") == "true"
        self.kept += [turn.text.upper() if loud else turn.text for turn in conversation.turns]
        if self.settings.internal is not None:
            messages = [{"role": "user", "content": conversation.turns[-1].text}]
            try:
                reply = self.ask(self.settings.internal, "/chat/completions", messages=messages)
                self.kept.append("told: " + reply["choices"][0]["message"]["content"])
            except urllib.error.HTTPError:
                pass  # as libraries do
        vector = self.ask(self.settings.embed, "/embeddings", input=["one"])["data"][0]["embedding"]
        assert len(vector) == self.settings.embed.dimensions
        if any("hiccup" in turn.text for turn in conversation.turns):
            trouble("tiny_mem swallowed a hiccup")

    def retrieve_memories(self, query, conversation, k):
        return self.kept[: -k - 1 : -1]

    def get_all_memories(self):
        return self.kept

    def settle(self):
        pass


def prepare(settings):
    assert os.environ["TINY_TELEMETRY"] == "off"
    return Info(tiny_mem.__version__, ("tiny-mem has no sense of time",))


serve(Tiny, name="tiny-mem", options={"loud": "true or false", "mood": "any"}, prepare=prepare)
'''


@dataclass(frozen=True)
class Tiny:
    """Where everything of the tiny library lies; `library` is its entry."""

    adapters: Path
    wheels: Path
    home: Path

    @property
    def library(self) -> Library:
        return catalog.library("tiny-mem")

    def pin(self, *pins: tuple[str, str], hashed: str | None = None) -> None:
        """Make wheels of these packages and the lock that asks for them."""
        lines = []
        for name, version in pins:
            found = hashed or hashlib.sha256(wheel(self.wheels, name, version).read_bytes()).hexdigest()
            lines.append(f"{name}=={version} \\\n    --hash=sha256:{found}\n")
        self.library.lock.write_text("".join(lines))


def tiny(root: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    """The tiny library below a folder, as the only one in the catalogue, with pip looking nowhere else."""
    made = Tiny(root / "adapters", root / "wheels", root / "home")
    (made.adapters / "locks").mkdir(parents=True)
    made.wheels.mkdir()
    (made.adapters / "tiny-mem.toml").write_text(ENTRY)
    (made.adapters / "tiny-mem.py").write_text(ADAPTER)
    monkeypatch.setattr(catalog, "ADAPTERS", made.adapters)
    made.pin(("tiny_mem", "1.0"), ("tiny_dep", "0.3"))
    for name, value in {
        "MEMTRIAGE_HOME": str(made.home),
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(made.wheels),
        "PIP_CONFIG_FILE": "/dev/null",
        "PIP_CACHE_DIR": str(root / "pip"),
    }.items():
        monkeypatch.setenv(name, value)
    return made


def wheel(folder: Path, name: str, version: str) -> Path:
    """A wheel with one module that knows its version, the same bytes each time."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f'__version__ = "{version}"\n',
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: by-hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{path},,\n" for path in [*files, f"{info}/RECORD"])
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for each, text in files.items():
            archive.writestr(zipfile.ZipInfo(each, (2026, 1, 1, 0, 0, 0)), text)
    return path
