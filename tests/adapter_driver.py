"""Real adapters in their own environments, driven line by line against the scripted model server."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from memtriage.models.scripted import Faults, Script, StubServer
from memtriage.systems.libraries import catalog, environments

SYSTEMS = Path(__file__).parents[1] / "src" / "memtriage" / "systems"
SIDE = SYSTEMS / "remote" / "side"
SECONDS = 180


BUILT_ON = {
    "mem0": ("openai", "qdrant_client", "sqlalchemy", "posthog"),
    "graphiti": ("kuzu", "openai", "neo4j", "numpy"),
}
"""What takes longest to import of the libraries that are always tested, and looks at no variable while it is."""


class Forked:
    """An adapter that was forked, with what tests use of a `Popen`."""

    def __init__(self, forks: Forks, pid: int, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self.stdin, self.stdout = stdin, stdout
        self._forks = forks
        self._pid = pid
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:
            os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> int:
        if self._code is None:
            self._code = self._forks.ask({"wait": self._pid})
        return self._code


class Forks:
    """The process that a library's adapters are forked from; it ends with this one."""

    def __init__(self, name: str, python: Path) -> None:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [python, "-P", Path(__file__).with_name("adapter_forks.py"), str(theirs.fileno()), *BUILT_ON[name]],
                env={**os.environ, "PYTHONPATH": str(SIDE)},
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)

    def start(self, script: str, log: int, environment: Mapping[str, str], cwd: Path) -> Forked:
        """An adapter of its own."""
        asked, written = os.pipe()
        read, told = os.pipe()
        try:
            pid = self.ask({"script": script, "environment": environment, "cwd": str(cwd)}, asked, told, log)
        finally:
            os.close(asked)
            os.close(told)
        return Forked(self, pid, os.fdopen(written, "wb"), os.fdopen(read, "rb"))

    def ask(self, request: Mapping[str, object], *files: int) -> int:
        socket.send_fds(self._control, [json.dumps(request).encode()], files)
        return int(self._control.recv(64))

    def close(self) -> None:
        self._control.close()
        self._process.wait()


@cache
def forks(name: str, python: Path) -> Forks:
    """One for each library, until the tests end."""
    return Forks(name, python)


class Driver:
    """One adapter process and its model server; every request waits for its reply."""

    def __init__(self, name: str, python: Path, home: Path, server: StubServer, hello: dict[str, Any]) -> None:
        self.server = server
        self.troubles: list[str] = []
        self._number = 0
        self._log = (home / "stderr.txt").open("w+b")
        environment = {
            **os.environ,
            "PYTHONPATH": str(SIDE),
            "HOME": str(home),
            **catalog.library(name).environment,
        }
        script = str(catalog.library(name).script)
        self.process: Forked | subprocess.Popen[bytes]
        if name in BUILT_ON:
            self.process = forks(name, python).start(script, self._log.fileno(), environment, home)
        else:
            self.process = subprocess.Popen(
                [python, "-P", script],
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
