"""Bring a suite's released files into a folder: downloaded beside their places, read, moved there and noted.

A pull that fails leaves earlier data as it was, and the next one continues where it broke off. The first pull of a file
pins it: should the same revision hold something else later, it is refused unless the user says otherwise.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from memtriage.core.errors import BadInput
from memtriage.core.suite import Step
from memtriage.host.inputs import BadJson, loads, read_text
from memtriage.host.masks import mask
from memtriage.suites.kit.datasets import now, sha256, write_record
from memtriage.suites.kit.hub import MAX_MINUTES, Downloaded, Progress, download, endpoint

NOTE = "pull.json"
"""The record beside the files of which they are."""

HUB = "https://huggingface.co"
"""Where datasets are served; a mirror answers under the same paths."""

Read = Callable[[Downloaded], Mapping[str, object]]
"""Reads a file that arrived, and gives what is to be noted of it; BadInput where it can't be read."""

_STAGE = ".incoming"


@dataclass(frozen=True, slots=True)
class Terms:
    """What a user allows a pull: so much time, and files that are not those of the first pull."""

    max_minutes: float = MAX_MINUTES
    accept_changed: bool = False

    @classmethod
    def of(cls, options: Mapping[str, str] | None) -> tuple[Terms, dict[str, str]]:
        """The terms among the options of a pull, and the other options."""
        rest = dict(options or {})
        minutes, changed = rest.pop("max_minutes", None), rest.pop("accept_changed", "no")
        return cls(MAX_MINUTES if minutes is None else float(minutes), changed == "yes"), rest


USUAL = Terms()


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
        raise BadInput(f"{file.url} arrived, but is not {what}: {mask(str(error))}") from error


@dataclass(frozen=True, slots=True)
class Pin:
    """What a file was when it was pulled."""

    revision: str
    sha256: str
    date: str


def pins(folder: Path) -> dict[str, Pin]:
    """The files that were pulled into a folder, by their place in it; none where it has no readable `pull.json`."""
    try:
        note = loads(read_text(folder / NOTE))
        about = [{"revision": note.get("revision"), "date": note.get("date"), **one} for one in note["files"]]
        return {str(a["path"]): Pin(str(a["revision"]), str(a["sha256"]), str(a["date"])) for a in about}
    except (BadInput, BadJson, KeyError, TypeError, AttributeError):
        return {}


def altered(path: Path) -> Iterator[str]:
    """Files of a pull that are no longer what was pulled; `path` is its folder, or one of its files."""
    folder = path if path.is_dir() else path.parent
    for place, pin in pins(folder).items():
        file = folder / place
        if path in (folder, file) and file.is_file() and sha256(file) != pin.sha256:
            yield f"{file} is not the file that was pulled on {pin.date}: its SHA-256 was {pin.sha256[:16]}…"


@dataclass(frozen=True, slots=True)
class Pull:
    """Released files of one revision on their way into a folder."""

    suite: str
    base: str
    revision: str
    out: Path
    progress: Progress | None = None
    terms: Terms = USUAL

    def fetch_all(self, files: Mapping[str, str], read: Read) -> Path:
        """Bring files that belong together, each under its new name; none moves before all have been read."""
        pinned = pins(self.out)
        arrived = download(self.base, files, self.revision, self._stage, self.progress, self.terms.max_minutes)
        known = [self._described(file, read(file)) for file in arrived]
        for file in arrived:
            self._refuse_changed(file, pinned)
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
        pinned = pins(self.out)
        end = monotonic() + self.terms.max_minutes * 60
        for served, place in files.items():
            minutes = max(0.0, (end - monotonic()) / 60)
            (file,) = download(self.base, {served: place}, self.revision, self._stage, self.progress, minutes)
            known = self._described(file, read(file), revision=self.revision, date=now())
            self._refuse_changed(file, pinned)
            self._note(place, None)  # it must not describe the new file, should moving it break off
            (self.out / place).parent.mkdir(parents=True, exist_ok=True)
            file.path.replace(self.out / place)
            self._note(place, known)
        inside = {folder for place in files.values() for folder in Path(place).parents}
        for folder in sorted(inside, key=lambda folder: -len(folder.parts)):
            with suppress(OSError):  # what another pull left there is kept
                (self._stage / folder).rmdir()
        return self.out

    def _refuse_changed(self, file: Downloaded, pinned: Mapping[str, Pin]) -> None:
        pin = pinned.get(self._place(file))
        if pin is None or pin.revision != self.revision or pin.sha256 == file.sha256 or self.terms.accept_changed:
            return
        file.path.unlink(missing_ok=True)
        raise BadInput(
            f"{file.url} is not what it was on {pin.date}: its SHA-256 was {pin.sha256[:16]}…, and is "
            f"{file.sha256[:16]}… now; the old file was kept, and --accept-changed takes the new one"
        )

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
