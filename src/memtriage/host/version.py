"""The versions that runs and data files record: of memtriage and of packages."""

from __future__ import annotations

import subprocess
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from memtriage.host.environment import child_environment


def installed_version(name: str) -> str | None:
    """The version of an installed package; None where it is missing."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@cache
def commit() -> str | None:
    """The commit of memtriage itself, where it runs from a checkout."""
    here = Path(__file__).resolve()
    root = next((p for p in here.parents if (p / ".git").exists() and (p / "src" / "memtriage").is_dir()), None)
    if root is None:
        return None
    head = _git(root, "rev-parse", "HEAD")
    dirty = head and _git(root, "status", "--porcelain", "--untracked-files=no")
    return f"{head}+changes" if dirty else head


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=10,
            env=child_environment(),
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
