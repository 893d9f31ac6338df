"""Run directories that somebody else made, to run a command, import a file or get a key; and traps that see it happen.

`CASES` is the family: each is a change to the manifest of a harmless run. `plant` writes one, as this user would have
made it or as somebody else did.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from memtriage import registry
from memtriage.host import origin
from memtriage.host.sealed import open_line, seal_document, seal_line
from memtriage.record.manifest import read_manifest
from memtriage.record.seal import write_seal
from memtriage.runner.plan import describe

SECRETS = {
    "MEMTRIAGE_API_KEY": "sk-generic-7d1f0c55ab",
    "OPENAI_API_KEY": "sk-openai-91be44c0d2",
    "ANOTHER_SECRET": "of-no-concern-55aa01",
}

EVIL = """
from pathlib import Path
Path("imported").touch()

class M:
    def store_conversation(self, conversation): ...
    def retrieve_memories(self, query, conversation, k): return []
    def get_all_memories(self): return []

class E:
    name, dimensions = "evil", 2
    def embed(self, texts): return [[1.0, 0.0] for _ in texts]
"""


class Trap:
    """A server that writes down whatever reaches it, and refuses it."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Mapping[str, str], bytes]] = []
        trap = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length") or 0))
                trap.seen.append((self.path, dict(self.headers), content))
                self.send_response(401)
                self.send_header("content-length", "0")
                self.end_headers()

            do_GET = do_PUT = do_DELETE = do_POST

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@dataclass(frozen=True)
class Case:
    """What a manifest is made to name; `URL` stands for the trap's address, `HERE` for the folder.

    Without `works`, it can't be started here even by those who may.
    """

    systems: tuple[str, ...] = ("bm25",)
    answer: str = ""
    judge: str = ""
    internal: str = ""
    embedder: str = ""
    works: bool = True

    def fill(self, manifest: Mapping[str, Any], url: str) -> dict[str, Any]:
        """The manifest with all this in it."""
        systems = [self._described(_at(label, url)) for label in self.systems]
        exact = {"paper_exact": True} if self.judge else {}  # a judge that is asked whatever words can settle
        grading = {**manifest["grading"], "answer": _at(self.answer, url), "judge": _at(self.judge, url), **exact}
        models = {"internal": _at(self.internal, url), "embedder": _at(self.embedder, url)}
        return {**manifest, "systems": systems, "grading": grading, "models": models}

    def options(self, url: str) -> list[str]:
        """What names all of it again."""
        roles = {"answer": self.answer, "judge": self.judge, "internal": self.internal, "embed": self.embedder}
        named = [("system", label) for label in self.systems] + [(role, text) for role, text in roles.items() if text]
        return [word for role, text in named for word in (f"--{role}", _at(text, url))]

    @property
    def only_chats(self) -> bool:
        """Whether there is nothing in it but chat models, which nobody asks while calls are held."""
        return self.systems in (("bm25",), ("facts",)) and not self.embedder

    def _described(self, label: str) -> dict[str, Any]:
        known = self.works or label == "bm25"
        return describe(registry.system(label)) if known else {"label": label, "class": "memtriage.it"}


def _at(text: str, url: str) -> str:
    return text.replace("URL", url).replace("HERE", str(Path.cwd()))


CASES: dict[str, Case] = {
    "a program": Case(("proc:touch ran",)),
    "a file with code": Case(("evil.py:M",)),
    "a module": Case(("evil_module:M",)),
    "an MCP server": Case(("mcp:touch HERE/ran",)),
    "an MCP server elsewhere": Case(("mcp:URL/mcp",)),
    "a service": Case(("URL",)),
    "a service by its mapping": Case(("http:mapping.toml",)),
    "one of several": Case(("bm25", "none", "evil.py:M")),
    "an embedder with code": Case(("dense:embedder=evil.py:E",)),
    "an embedder with code for all": Case(("dense",), embedder="evil.py:E"),
    "an embedder elsewhere": Case(("dense",), embedder="URL/v1#e"),
    "a model in a system": Case(("facts:internal=URL/v1#m",)),
    "a model inside": Case(("facts",), internal="URL/v1#m"),
    "a model that answers": Case(answer="URL/v1#m"),
    "a judge": Case(judge="URL/v1#m"),
    "a provider's model": Case(answer="openai/m"),
    "a variable of the environment": Case(answer="URL/v1#m?header.X-Take=$ANOTHER_SECRET"),
    "a variable in a query": Case(judge="URL/v1?take=$ANOTHER_SECRET#m"),
    "a file of weights": Case(answer="local/weights.gguf", works=False),
    "a library": Case(("mem0:source=checkout",), works=False),
    "prompts from a file": Case(("facts:prompts=evil.py",), works=False),
    "a name nobody knows": Case(("\x1b]0;owned\x07proc:touch ran\nok",), works=False),
}


def set_traps(folder: Path, url: str) -> None:
    """Put beside a run whatever its manifest may name."""
    for name in ("evil.py", "evil_module.py"):
        (folder / name).write_text(EVIL)
    (folder / "mapping.toml").write_text(
        f'base = "{url}"\n[store]\npath = "/store"\neach = "turn"\narguments = {{ body = "{{text}}" }}\n'
        '[retrieve]\npath = "/find"\narguments = { q = "{query}" }\nitems = "found"\ntext = "body"\n'
    )


def sprung(folder: Path, trap: Trap) -> list[str]:
    """What ran, was imported or sent; empty if nothing was."""
    files = [name for name in ("ran", "imported") if (folder / name).exists()]
    return files + [path for path, _, _ in trap.seen]


def disarm(folder: Path, trap: Trap) -> None:
    """As if nothing had happened yet."""
    for name in ("ran", "imported"):
        (folder / name).unlink(missing_ok=True)
    sys.modules.pop("evil_module", None)
    trap.seen.clear()


def plant(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]], *, state: Path | None = None) -> None:
    """Change the manifest of a run, and mark and seal it anew: as this user, or as who has another `state`."""
    manifest = {key: value for key, value in read_manifest(path).items() if key not in ("origin", "seal")}
    (path / "seal.json").unlink(missing_ok=True)
    with as_user(state):
        write_manifest(path, origin.marked(change(manifest)))
    for began in ("journal.jsonl", "memories.jsonl"):  # as if it had only been laid out
        (path / began).unlink(missing_ok=True)


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest as it is, with a seal that fits, which anybody can make."""
    (path / "run.json").write_bytes(seal_document(manifest))
    seal_anew(path)


def rewrite_lines(file: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the lines of a sealed file, and seal them anew."""
    at, changed = 0, b""
    for line in file.read_bytes().splitlines(keepends=True):
        changed += seal_line(change(open_line(line, at)), len(changed))
        at += len(line)
    file.write_bytes(changed)
    seal_anew(file.parent)


def seal_anew(path: Path) -> None:
    """Seal a run that was finished; one without a journal was not."""
    if (path / "seal.json").exists() and (path / "journal.jsonl").exists():
        write_seal(path, {})
    else:
        (path / "seal.json").unlink(missing_ok=True)


@contextmanager
def as_user(state: Path | None) -> Iterator[None]:
    """As another user on another machine would do it; as this one without a state."""
    before = os.environ.get("XDG_STATE_HOME")
    if state is not None:
        os.environ["XDG_STATE_HOME"] = str(state)
    try:
        yield
    finally:
        if before is None:
            os.environ.pop("XDG_STATE_HOME", None)
        else:
            os.environ["XDG_STATE_HOME"] = before
