"""Systems on their way to another machine: by name where they are installed there, with their code where not.

A system from a file (`my_memory.py:MyMemory`) takes the Python files of its folder along, and the packages in it; so
does one from a module, unless that is installed. An object from Python is pickled.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memtriage import registry
from memtriage.core.errors import BadInput
from memtriage.host.temporary import TemporaryFolder
from memtriage.registry import SystemSpec
from memtriage.runner.store_runner import Build
from memtriage.systems.error_line import error_line

MOST_BYTES = 20 << 20
"""How much code goes along with a system at most."""

_unpacked: dict[str, tuple[Callable[..., object], TemporaryFolder | None]] = {}


@dataclass(frozen=True, slots=True)
class Shipped:
    """A system on its way: what names it, the code that goes with it, or else the pickled object that builds it."""

    label: str
    text: str
    arguments: Mapping[str, str]
    notice: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Files by their path below one folder."""
    pickled: bytes = b""

    @property
    def digest(self) -> str:
        """What tells the code of one system from that of another."""
        whole = hashlib.sha256(self.text.encode() + b"\0" + self.pickled)
        for name, content in sorted(self.files.items()):
            whole.update(f"\0{name}\0{len(content)}\0".encode() + content)
        return whole.hexdigest()


def ship(build: Build) -> Shipped:
    """A system as another machine can build it."""
    spec = build.spec
    where = registry.code_of(spec.text) if spec.text else getattr(spec.factory, "__module__", None)
    folder = _folder_of(where) if where else None
    files = _bounded(where, _code_beside(folder), folder) if where and folder else {}
    text = spec.text
    if where and where.endswith(".py"):
        text = f"{Path(where).name}{spec.text.removeprefix(where)}"
    return Shipped(spec.label, text, spec.arguments, build.notice, files, b"" if text else _pickled(spec))


def _folder_of(where: str) -> Path | None:
    """The folder of a file with code, or that from which a module is imported; None for what is installed."""
    if where.endswith(".py"):
        return Path(where).resolve().parent
    top = where.partition(".")[0]
    module = importlib.import_module(top)
    file = getattr(module, "__file__", None)
    if file is None or _is_installed(Path(file)):
        return None
    return Path(file).resolve().parents[1 if hasattr(module, "__path__") else 0]


def unpacked(shipped: Shipped) -> Build:
    """The system, on the machine it was sent to; its code is imported once for all of its stores there."""
    if shipped.digest not in _unpacked:
        _unpacked[shipped.digest] = _unpack(shipped)
    factory, _ = _unpacked[shipped.digest]
    return Build(SystemSpec(shipped.label, factory, shipped.arguments, shipped.text), shipped.notice)


def _unpack(shipped: Shipped) -> tuple[Callable[..., object], TemporaryFolder | None]:
    folder = None
    if shipped.files:
        folder = TemporaryFolder("shipped-")
        for name, content in shipped.files.items():
            file = folder.path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        sys.path.insert(0, str(folder.path))
        names = {Path(name).parts[0].removesuffix(".py") for name in shipped.files}
        registry.forget_modules(names, [before.path for _, before in _unpacked.values() if before is not None])
    if shipped.pickled:
        from ray import cloudpickle

        factory: Callable[..., object] = cloudpickle.loads(shipped.pickled)
        return factory, folder
    by_file = (registry.code_of(shipped.text) or "").endswith(".py") and folder is not None
    return registry.system(f"{folder.path}/{shipped.text}" if by_file and folder else shipped.text).factory, folder


def _pickled(spec: SystemSpec) -> bytes:
    """What builds a system, which finds its modules again among the files; `__main__` goes along by itself."""
    from ray import cloudpickle

    try:
        pickled: bytes = cloudpickle.dumps(spec.factory)
    except Exception as error:  # of a stranger's object
        raise BadInput(
            f"system {spec.label!r} can't be sent to another process ({error_line(error)}); pass its class, or name "
            "its file and class as a text: 'my_memory.py:MyMemory'"
        ) from error
    return pickled


def _is_installed(file: Path) -> bool:
    """Whether a module came with Python, with pip, or with memtriage, and is on the other machines as well."""
    places = [Path(path) for path in {*sysconfig.get_paths().values(), *map(str, Path(__file__).parents[1:2])}]
    return "site-packages" in file.parts or any(place in file.parents for place in places)


def _code_beside(folder: Path) -> Iterator[Path]:
    """The Python files in a folder, and those of packages in it."""
    yield from sorted(folder.glob("*.py"))
    for inner in sorted(folder.iterdir()):
        if inner.is_dir() and (inner / "__init__.py").is_file():
            yield from sorted(inner.rglob("*.py"))


def _bounded(where: str, code: Iterable[Path], root: Path) -> dict[str, bytes]:
    """The content of files by their path below a folder; BadInput if that is too much to be sent around."""
    files: dict[str, bytes] = {}
    for file in code:
        if file.is_file():
            files[str(file.relative_to(root))] = file.read_bytes()
        if sum(map(len, files.values())) > MOST_BYTES:
            raise BadInput(
                f"{where}: more than {MOST_BYTES >> 20} MB of Python files stand beside it, too much to send to a "
                "cluster; move it into a folder of its own, or install it on the nodes"
            )
    return files
