"""A key that comes back from a model, a system or a server, in every form: it stands nowhere afterwards."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from drills.command import Home
from drills.engine import Broke, Case, Part
from drills.models import script as scripted
from memtriage.models.scripted import Reply, Request, StubServer

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from batch_server import BatchServer
from key_echoes import FORMS, KEY, leaks, leaks_below

PLUGIN = '''
import json
from pathlib import Path

TEXT = json.loads((Path(__file__).parent / "echo.json").read_text())


class Echoes:
    """Remembers nothing but the key."""

    def store_conversation(self, conversation): ...

    def retrieve_memories(self, query, conversation, k):
        return [{"id": TEXT, "text": TEXT, "sources": [TEXT]}]

    def get_all_memories(self):
        return [{"id": TEXT, "text": TEXT, "sources": [TEXT]}]


class Fails(Echoes):
    def retrieve_memories(self, query, conversation, k):
        raise RuntimeError(TEXT)
'''
ADAPTER = """
import json
import sys
from pathlib import Path

from memtriage_adapter import Memory, serve

TEXT = json.loads((Path(__file__).parent / "echo.json").read_text())


class Echoes:
    def __init__(self, settings): ...

    def store_conversation(self, conversation):
        print(TEXT, file=sys.stderr)

    def retrieve_memories(self, query, conversation, k):
        return [Memory(TEXT, TEXT)]

    def get_all_memories(self):
        return [Memory(TEXT, TEXT)]


serve(Echoes)
"""
MCP_SERVER = """
import json
from pathlib import Path

from mcp.server.mcpserver import MCPServer

TEXT = json.loads((Path(__file__).parent / "echo.json").read_text())
server = MCPServer("echoes")


@server.tool()
def add_memory(text: str) -> str:
    return TEXT


@server.tool()
def search_memories(query: str) -> list[dict[str, str]]:
    return [{"id": TEXT, "memory": TEXT}]


@server.tool()
def list_memories() -> list[dict[str, str]]:
    return [{"id": TEXT, "memory": TEXT}]


server.run("stdio")
"""


def _with(said: Any, text: str) -> Any:
    """What a model said, with the key in the place of every phrase."""
    if isinstance(said, Mapping):
        return {name: _with(value, text) for name, value in said.items()}
    if isinstance(said, list):
        return [_with(value, text) for value in said]
    return text if isinstance(said, str) and " " in said else said


def _says(model: str) -> Callable[[str], Callable[[Request], object]]:
    """The model of this name says it; the others say what they should."""

    def script(text: str) -> Callable[[Request], object]:
        def reply(request: Request) -> object:
            if request.body["model"] != model:
                return scripted(request)
            said = scripted(request).text
            try:
                return _with(json.loads(said), text)
            except ValueError:
                return text

        return reply

    return script


def _fails(status: int) -> Callable[[str], Callable[[Request], object]]:
    return lambda text: lambda request: Reply(text, status=status)


SERVERS: dict[str, Callable[[str], Callable[[Request], object]]] = {
    "answers": _says("reader"),
    "reasons of a judge": _says("judge"),
    "memories a model writes": _says("memory"),
    "a refused request": _fails(400),
    "a refused key": _fails(401),
    "a broken server": _fails(500),
    "lines of a batch": _says("reader"),
}
SYSTEMS = {
    "memories": "echoes.py:Echoes",
    "errors of a system": "echoes.py:Fails",
    "a process": f"proc:{sys.executable} adapter.py",
    "an MCP server": f"mcp:{sys.executable} server.py",
}
PLACES = (*SERVERS, *SYSTEMS)


def nowhere(case: Case) -> None:
    """One form of the key in one place of a whole run; every file and everything printed is searched for all forms."""
    form = list(FORMS)[case.number % len(FORMS)]
    place = PLACES[(case.number + 4 * (case.number // len(FORMS))) % len(PLACES)]
    echo = f"The key is: {FORMS[form](KEY)} and that is all."
    home = Home(case.folder, MEMTRIAGE_API_KEY=KEY)
    knowing = {"echo.json": json.dumps(echo), "echoes.py": PLUGIN, "adapter.py": ADAPTER, "server.py": MCP_SERVER}
    for name, text in knowing.items():
        (case.folder / name).write_text(text)
    rows = ("--suite", "memfail/coexisting", "--rows", "1", "--k", "2", "--patience", "5s")
    system = SYSTEMS.get(place, "facts" if place == "memories a model writes" else "bm25")
    with (
        StubServer(SERVERS[place](echo) if place in SERVERS else scripted) as server,
        BatchServer(server.url) as batches,
    ):
        url = batches.url if place == "lines of a batch" else server.url
        models = ["--answer", f"{url}#reader", "--judge", f"{url}#judge"]
        models += ["--internal", f"{url}#memory"] if system == "facts" else []
        models += ["--batch"] if place == "lines of a batch" else []
        said = [home.run("run", *rows, "--system", system, *models, "--out", "run").clean(0, 1)]
        said.append(home.run("show", "run", "--by", case.rng.choice(("probe", "fact", "store")), "--json").clean(0, 1))
    for name in knowing:
        (case.folder / name).unlink()
    said_there = ("answers", "memories", "memories a model writes", "lines of a batch", "an MCP server")
    if place in said_there and not _masked(case.folder / "run"):
        raise Broke(f"{form} in {place} never came back, so nothing was shown")
    printed = [found for one in said for found in leaks((one.out + one.err).encode())]
    if printed or (written := leaks_below(case.folder)):
        raise Broke(f"{form} in {place}: printed {printed}, written {written if not printed else ''}")


def _masked(run: Path) -> bool:
    return b"[key]" in (run / "journal.jsonl").read_bytes() + (run / "memories.jsonl").read_bytes()


PARTS = (Part("keys", "runs in which a key comes back in some form, from some place", 3 * len(FORMS), nowhere),)
