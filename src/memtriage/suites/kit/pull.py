"""Bring a suite's released files into a folder: downloaded beside their places, read, moved there and noted.

A pull that fails leaves earlier data as it was, and the next one continues where it broke off.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.core.suite import Step
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.suites.kit.datasets import now, write_record
from memtriage.suites.kit.hub import Downloaded, Progress, download, endpoint

NOTE = "pull.json"
"""The record beside the files of which they are."""

HUB = "https://huggingface.co"
"""Where datasets are served; a mirror answers under the same paths."""

Read = Callable[[Downloaded], Mapping[str, object]]
"""Reads a file that arrived, and gives what is to be noted of it; BadInput where it can't be read."""

_STAGE = ".incoming"


def dataset(name: str, mirror: str | None) -> str:
    """The address below which the files of a dataset are served."""
    return f"{endpoint(HUB, mirror)}/datasets/{name}/resolve"


def byte_progress(step: Step) -> Progress:
    """Progress in bytes, passed on as the share that has arrived."""
    return lambda name, got, total: step(name, got / total if total else 0.0)


@contextmanager
def must_be(what: str, file: Downloaded) -> Iterator[None]:
    """Remove a file that can't be read, and say what it should have been."""
    try:
        yield
    except BadInput as error:
        file.path.unlink(missing_ok=True)
        raise BadInput(f"{file.url} arrived, but is not {what}: {error}") from error


@dataclass(frozen=True, slots=True)
class Pull:
    """Released files of one revision on their way into a folder."""

    suite: str
    base: str
    revision: str
    out: Path
    progress: Progress | None = None

    def fetch_all(self, files: Mapping[str, str], read: Read) -> Path:
        """Bring files that belong together, each under its new name; none moves before all have been read."""
        arrived = download(self.base, files, self.revision, self._stage, progress=self.progress)
        known = [self._described(file, read(file)) for file in arrived]
        (self.out / NOTE).unlink(missing_ok=True)  # it must not describe the new files, should moving them break off
        for file in arrived:
            target = self.out / self._place(file)
            target.parent.mkdir(parents=True, exist_ok=True)
            file.path.replace(target)
        shutil.rmtree(self._stage)
        about = {"suite": self.suite, "date": now(), "revision": self.revision, "url": self.base}
        write_record(self.out / NOTE, {**about, "files": known})
        return self.out

    def fetch_each(self, files: Mapping[str, str], read: Read) -> Path:
        """Bring files of use by themselves, each under its new name; others in the folder stay, and their notes."""
        for served, place in files.items():
            (file,) = download(self.base, {served: place}, self.revision, self._stage, progress=self.progress)
            known = self._described(file, read(file), revision=self.revision, date=now())
            self._note(place, None)  # it must not describe the new file, should moving it break off
            file.path.replace(self.out / place)
            self._note(place, known)
        with suppress(OSError):  # what another pull left there is kept
            self._stage.rmdir()
        return self.out

    @property
    def _stage(self) -> Path:
        return self.out / _STAGE

    def _place(self, file: Downloaded) -> str:
        return file.path.relative_to(self._stage).as_posix()

    def _described(self, file: Downloaded, content: Mapping[str, object], **pulled: str) -> dict[str, object]:
        about = {"path": self._place(file), "url": file.url, **pulled}
        return {**about, "sha256": file.sha256, "size": file.size, **content}

    def _note(self, place: str, known: Mapping[str, object] | None) -> None:
        """Write down what a file is, beside what is known of the others that are still there."""
        path = self.out / NOTE
        try:
            noted = loads(read_text(path))["files"]
            others = [one for one in noted if one["path"] != place and (self.out / str(one["path"])).is_file()]
        except (BadInput, BadJson, KeyError, TypeError):
            others = []
        write_record(path, {"suite": self.suite, "files": [*others, *([known] if known is not None else [])]})
