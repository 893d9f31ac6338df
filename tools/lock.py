"""Turn the pins of a tested environment into a lock with hashes: `python tools/lock.py mem0 graphiti`, or all of them.

`adapters/locks/NAME.lock` begins as a `pip freeze` of an environment that was tested. This asks the package index
that pip is set up with for the hashes of every file of those versions, for all platforms, and writes the lock anew,
sorted. A version that the index doesn't have is named, and its lock is left alone. Needs pip-tools, as `make lock`.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

LOCKS = Path(__file__).parents[1] / "src" / "memtriage" / "systems" / "libraries" / "adapters" / "locks"
AT_ONCE = 4

Pin = tuple[str, str]
"""A project's name, as the index spells it, and a version."""


def pins(text: str) -> list[Pin]:
    """The pins of a freeze or of a lock, sorted, each once."""
    found: set[Pin] = set()
    for number, line in enumerate(text.splitlines(), 1):
        said = line.split(" #")[0].removesuffix("\\").strip()
        if not said or said.startswith(("#", "--hash=")):
            continue
        match = re.fullmatch(r"([A-Za-z0-9][A-Za-z0-9._-]*)\s*==\s*([^\s;]+)", said)
        if match is None:
            raise SystemExit(f"line {number}: {said!r} is not name==version")
        found.add((re.sub(r"[-_.]+", "-", match[1]).lower(), match[2]))
    return sorted(found)


def written(hashed: Iterable[tuple[Pin, Iterable[str]]]) -> str:
    """A lock as pip reads it: one pin after the other, each with its hashes."""
    return "".join(
        " \\\n".join([f"{name}=={version}", *(f"    --hash=sha256:{each}" for each in sorted(hashes))]) + "\n"
        for (name, version), hashes in hashed
    )


def asked(wanted: Iterable[Pin]) -> dict[Pin, frozenset[str]]:
    """The hashes of all files of these versions, from the index that pip is set up with."""
    try:
        from piptools.repositories import PyPIRepository
    except ImportError:
        raise SystemExit("this needs pip-tools: pip install pip-tools") from None
    with tempfile.TemporaryDirectory() as cache:
        repository = PyPIRepository([], cache_dir=cache)
        with repository.allow_all_wheels(), ThreadPoolExecutor(AT_ONCE) as pool:
            wanted = list(wanted)
            return dict(zip(wanted, pool.map(_files(repository.find_all_candidates), wanted), strict=True))


def _files(candidates: Callable[[str], Iterable[Any]]) -> Callable[[Pin], frozenset[str]]:
    def hashes(pin: Pin) -> frozenset[str]:
        links = [each.link for each in candidates(pin[0]) if each.version == type(each.version)(pin[1])]
        return frozenset(link.hash for link in links if link.hash_name == "sha256")

    return hashes


def main(names: list[str]) -> int:
    names = names or sorted(path.stem for path in LOCKS.glob("*.lock"))
    if strange := [name for name in names if not (LOCKS / f"{name}.lock").is_file()]:
        raise SystemExit(f"no {strange[0]}.lock in {LOCKS}")
    wanted = {name: pins((LOCKS / f"{name}.lock").read_text()) for name in names}
    hashes = asked({pin for each in wanted.values() for pin in each})
    failed = False
    for name, each in wanted.items():
        if absent := [f"{project}=={version}" for project, version in each if not hashes[project, version]]:
            print(f"{name}: left as it is; the index has no {', '.join(absent)}", file=sys.stderr)
            failed = True
            continue
        (LOCKS / f"{name}.lock").write_text(written((pin, hashes[pin]) for pin in each))
        print(f"{name}: {len(each)} pins, {sum(len(hashes[pin]) for pin in each)} hashes")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
