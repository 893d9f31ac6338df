"""Real adapters in their own environments, driven line by line against the scripted model server."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memtriage.models.scripted import Faults, Script, StubServer
from memtriage.systems.libraries import catalog, environments

SYSTEMS = Path(__file__).parents[1] / "src" / "memtriage" / "systems"
SECONDS = 180


class Driver:
    """One adapter process and its model server; every request waits for its reply."""

    def __init__(self, name: str, python: Path, home: Path, server: StubServer, hello: dict[str, Any]) -> None:
        self.server = server
        self.troubles: list[str] = []
        self._number = 0
        self._log = (home / "stderr.txt").open("w+b")
        environment = {
            **os.environ,
            "PYTHONPATH": str(SYSTEMS / "remote" / "side"),
            "HOME": str(home),
            **catalog.library(name).environment,
        }
        self.process = subprocess.Popen(
            [python, "-P", catalog.library(name).script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment,
            cwd=home,
        )
        try:
            self.hello = self.ask("hello", protocol=1, home=str(home / "stores"), **hello)
        except BaseException:
            self.close()
            raise

    def ask(self, do: str, **fields: Any) -> Any:
        """What the adapter says to a request; raises what it reports as an error."""
        self._number += 1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"id": self._number, "do": do, **fields}).encode() + b"\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the adapter is gone:\n{self.stderr()}"
        reply = json.loads(line)
        assert reply["id"] == self._number
        self.troubles += reply.get("troubles", [])
        if "error" in reply:
            raise RuntimeError(f"{reply['error']['kind']}: {reply['error']['message']}")
        return reply["ok"]

    def tell(
        self, scope: str, *texts: str, id: str = "s1", timestamp: str | None = "2026-03-02T09:00:00+00:00"
    ) -> None:
        """Store a conversation in which the user says these texts and the assistant nods after each."""
        turns = []
        for number, text in enumerate(texts):
            turns.append({"role": "user", "text": text, "id": f"{id}/{2 * number}"})
            turns.append({"role": "assistant", "text": "Noted.", "id": f"{id}/{2 * number + 1}"})
        self.ask("store", scope=scope, session={"id": id, "timestamp": timestamp, "turns": turns})

    def find(self, scope: str, query: str, k: int | None = 5) -> list[Any]:
        """What the adapter retrieves."""
        session = {"id": "q", "timestamp": None, "turns": [{"role": "user", "text": query, "id": "q/0"}]}
        found: list[Any] = self.ask("retrieve", scope=scope, query=query, session=session, k=k)["memories"]
        return found

    def all(self, scope: str) -> list[Any]:
        """What the adapter lists."""
        listed: list[Any] = self.ask("all", scope=scope)["memories"]
        return listed

    def stderr(self) -> str:
        """What the process wrote beside the protocol."""
        self._log.flush()
        return Path(self._log.name).read_text(errors="replace")[-4000:]

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout, self._log):
            if pipe is not None:
                pipe.close()


def python_of(name: str) -> Path | None:
    """The interpreter of a library's environment, where it is installed."""
    library = catalog.library(name)
    return environments.python(library) if environments.status(library).state == "installed" else None


@pytest.fixture
def adapter(tmp_path: Path) -> Iterator[Callable[..., Driver]]:
    """Starts an adapter by name; skips where its library is not installed."""
    running: list[Driver] = []
    servers: list[StubServer] = []

    def start(
        name: str,
        *,
        options: dict[str, str] | None = None,
        internal: bool = True,
        embed: bool = True,
        script: Script | str | None = None,
        faults: Faults | None = None,
    ) -> Driver:
        python = python_of(name)
        if python is None:
            pytest.skip(f"{name} is not installed; `memtriage systems install {name}`")
        server = StubServer(script or "memory", faults=faults).start()
        servers.append(server)
        model = {"base_url": server.url, "api_key": "any", "model": "scripted"}
        models = {
            "internal": model if internal else None,
            "embed": {**model, "model": "scripted-embed", "dimensions": 1536} if embed else None,
        }
        home = tmp_path / f"{name}-{len(servers)}"
        home.mkdir()
        running.append(Driver(name, python, home, server, {"options": options or {}, "models": models}))
        return running[-1]

    yield start
    for driver in running:
        driver.close()
    for server in servers:
        server.close()
