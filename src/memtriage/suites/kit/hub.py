"""Download released data files: resumed where they broke off, checked, and put in place whole.

>>> download("https://example.org/data", ["a/b.csv"], "main", Path("out"))     # doctest: +SKIP
"""

from __future__ import annotations

import errno
import http.client
import json
import os
import re
import socket
import ssl
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlsplit
from urllib.request import Request, urlopen

from memtriage.core.errors import BadInput
from memtriage.suites.kit.datasets import sha256

ENDPOINT_VARIABLE = "MEMTRIAGE_HUB"
"""The environment variable that names a mirror."""

TIMEOUT = 8.0
"""Seconds without an answer after which a connection counts as dead."""

ATTEMPTS = 4
PAUSE = 0.5
"""Seconds before the first retry; each further one waits twice as long."""

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes there so far, and the bytes in all where the server says."""

_LONGEST_PAUSE = 10.0
_LARGEST = 4 * 2**30  # bytes; a released data file is far smaller, and an endless answer must not fill the disk
_BLOCK = 1 << 16
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that is now in place: what it is called, where it came from, and what it holds."""

    file: str
    path: Path
    url: str
    sha256: str
    size: int


class _Interrupted(Exception):
    """A download that broke off and may be tried again."""

    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


def endpoint(default: str, given: str | None = None) -> str:
    """The address to download from: the one given, else the environment's mirror, else the default."""
    return _address(given or os.environ.get(ENDPOINT_VARIABLE) or default)


def download(
    base_url: str,
    files: Sequence[str] | Mapping[str, str],
    revision: str,
    out: Path,
    expected_sha256: Mapping[str, str] | None = None,
    progress: Progress | None = None,
    pause: float = PAUSE,
    timeout: float = TIMEOUT,
) -> list[Downloaded]:
    """Fetch files of one revision from base_url/revision/file into a folder.

    `files` names them as the server does; a mapping also says what each is called below `out`.
    `expected_sha256` holds, under the server's names, the hashes that must come out. A file that broke off
    stays beside its place as `.part`, and the next call continues it.
    """
    base = _address(base_url)
    _check_revision(revision)
    places = dict(files) if isinstance(files, Mapping) else {file: file for file in files}
    for file in places:
        _inside(out, file)  # a server's name must not climb out of its revision either
    targets = {file: _inside(out, place) for file, place in places.items()}
    expected = expected_sha256 or {}
    return [
        _Download(
            file=file,
            url=f"{base}/{quote(revision)}/{quote(file)}",
            revision=revision,
            target=target,
            expected=expected.get(file, "").lower(),
            progress=progress or _silent,
            pause=pause,
            timeout=timeout,
        ).run()
        for file, target in targets.items()
    ]


@dataclass(frozen=True, slots=True)
class _Download:
    """One file on its way."""

    file: str
    url: str
    revision: str
    target: Path
    expected: str
    progress: Progress
    pause: float
    timeout: float

    def run(self) -> Downloaded:
        if self.expected and self.target.is_file() and sha256(self.target) == self.expected:
            return self._done()
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            resumed = self._fetch()
            if resumed and not self._as_expected():
                # what an earlier call left behind was not the beginning of this file
                self._forget()
                self._fetch()
            self._check()
            self._part.replace(self.target)
            self._note.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(f"{self.target} could not be written: {_disk(error)}") from error
        return self._done()

    @property
    def _part(self) -> Path:
        return self.target.with_name(self.target.name + ".part")

    @property
    def _note(self) -> Path:
        """Beside the part: which version of which file it is the beginning of."""
        return self.target.with_name(self.target.name + ".part.json")

    def _fetch(self) -> bool:
        """Get the whole file into the part, trying again where that may help; whether an old part was continued."""
        resumed = False
        for attempt in range(1, ATTEMPTS + 1):
            try:
                resumed = self._try() or resumed
                return resumed
            except _Interrupted as error:
                if attempt == ATTEMPTS:
                    raise BadInput(
                        f"{self.url} could not be downloaded: {error} ({ATTEMPTS} attempts); "
                        "try again later, what has arrived is kept"
                    ) from error
                time.sleep(min(max(self.pause * 2 ** (attempt - 1), error.wait if self.pause else 0), _LONGEST_PAUSE))
        raise AssertionError("the last attempt returns or raises")

    def _try(self) -> bool:
        have, validator = self._resumable()
        headers = {"User-Agent": "memtriage", "Accept-Encoding": "identity"}
        if have:
            headers["Range"] = f"bytes={have}-"
            if validator:
                headers["If-Range"] = validator
        try:
            with urlopen(Request(self.url, headers=headers), timeout=self.timeout) as answer:
                resumed = answer.status == 206 and _range_start(answer.headers.get("Content-Range")) == have
                if answer.status == 206 and not resumed:
                    self._forget()
                    raise _Interrupted("the server sent another part of the file than asked for")
                self._receive(answer, have if resumed else 0)
                return resumed and have > 0
        except HTTPError as error:
            with error:
                self._refused(error)
        except URLError as error:
            raise self._unreachable(error.reason) from error
        except (TimeoutError, http.client.HTTPException, ConnectionError, ssl.SSLError) as error:
            raise _Interrupted(f"the connection broke off ({error or type(error).__name__})") from error
        raise AssertionError("every answer returns or raises")

    def _receive(self, answer: http.client.HTTPResponse, have: int) -> None:
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if length.isdigit() else None
        validator = _validator(answer)
        if not have:
            self._note.write_text(json.dumps({"url": self.url, "validator": validator}), encoding="utf-8")
        with self._part.open("ab" if have else "wb") as part:
            size = self._copy(answer, part, have, total)
            part.flush()
            os.fsync(part.fileno())
        if total is not None and size < total:
            raise _Interrupted(f"the connection broke off after {size} of {total} bytes")

    def _copy(self, answer: http.client.HTTPResponse, part: BinaryIO, size: int, total: int | None) -> int:
        self.progress(self.file, size, total)
        while block := answer.read1(_BLOCK):
            size += len(block)
            if size > _LARGEST:
                raise BadInput(f"{self.url} sends more than {_LARGEST} bytes, which is no data file; check the address")
            part.write(block)
            self.progress(self.file, size, total)
        return size

    def _resumable(self) -> tuple[int, str]:
        """The bytes of the part that may be continued, and what tells the server which version they are of."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            size = self._part.stat().st_size
        except (OSError, ValueError):
            return 0, ""
        if not isinstance(note, dict) or note.get("url") != self.url or not isinstance(note.get("validator"), str):
            return 0, ""
        # without a validator only a known hash can tell afterwards whether the two halves belong together
        return (size, note["validator"]) if note["validator"] or self.expected else (0, "")

    def _refused(self, error: HTTPError) -> None:
        if error.code == 416:
            self._forget()
            raise _Interrupted("the server could not continue the file") from error
        if error.code in _AGAIN:
            raise _Interrupted(f"the server answered {error.code} {error.reason}", _seconds(error)) from error
        if error.code == 404:
            raise BadInput(
                f"{self.url} does not exist (404): check the revision {self.revision!r} (a commit, tag or branch), "
                f"and the endpoint if you set one (--endpoint, {ENDPOINT_VARIABLE})"
            ) from error
        raise BadInput(
            f"{self.url} was refused ({error.code} {error.reason}); "
            f"check the address, or name a mirror with --endpoint or {ENDPOINT_VARIABLE}"
        ) from error

    def _unreachable(self, reason: object) -> Exception:
        """No connection at all is told at once; one that broke while it was set up may be tried again."""
        if isinstance(reason, ConnectionResetError | BrokenPipeError):
            return _Interrupted(f"the connection broke off ({reason})")
        host = urlsplit(self.url).hostname
        if isinstance(reason, ssl.SSLCertVerificationError):
            return BadInput(f"{host} can't be trusted ({reason.verify_message}); check the address and the clock")
        what = "its name can't be found" if isinstance(reason, socket.gaierror) else str(reason)
        return BadInput(
            f"no connection to {host} ({what}), so {self.file} was not downloaded; check the network, name a mirror "
            f"with --endpoint or {ENDPOINT_VARIABLE}, or copy the files by hand and give their folder"
        )

    def _as_expected(self) -> bool:
        return not self.expected or sha256(self._part) == self.expected

    def _check(self) -> None:
        if self._as_expected():
            return
        got = sha256(self._part)
        self._forget()
        raise BadInput(
            f"{self.url} arrived with SHA-256 {got}, expected {self.expected}: the file was changed or damaged on its "
            "way; it was removed. Download it again, or name the revision the hash belongs to"
        )

    def _forget(self) -> None:
        self._part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)

    def _done(self) -> Downloaded:
        return Downloaded(self.file, self.target, self.url, sha256(self.target), self.target.stat().st_size)


def _silent(file: str, done: int, total: int | None) -> None:
    """Progress for nobody."""


def _address(text: str) -> str:
    address = text.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that don't close, a port that is no number
        usable = False
    if not usable or re.search(r"[\s\0-\x1f]", address):
        raise BadInput(f"{address!r} is no address to download from; it begins with https:// or http://")
    return address


def _inside(out: Path, name: str) -> Path:
    """The place of a file below a folder; whatever could lead out of it is refused."""
    parts = name.split("/")
    odd = any(part in ("", ".", "..") or re.search(r'[\\:\0-\x1f<>"|?*]', part) for part in parts)
    target = out.joinpath(*parts) if not odd else out
    if odd or not target.resolve().is_relative_to(out.resolve()):
        raise BadInput(f"{name!r} is no file name below {out}; use a relative path without '..'")
    return target


def _check_revision(revision: str) -> None:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/+-]*", revision) or ".." in revision:
        raise BadInput(f"{revision!r} is no revision; give a commit, a tag or a branch")


def _validator(answer: http.client.HTTPResponse) -> str:
    tag = answer.headers.get("ETag", "")
    # a weak tag promises the same meaning, not the same bytes
    return tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified", "")


def _range_start(header: str | None) -> int:
    found = re.match(r"bytes (\d+)-", header or "")
    return int(found.group(1)) if found else -1


def _seconds(error: HTTPError) -> float:
    wait = error.headers.get("Retry-After", "")
    return float(wait) if wait.isdigit() else 0.0


def _disk(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return f"no room left ({error.strerror}); free some space, what has arrived is continued"
    return f"{error.strerror or error}; choose a folder you may write to"
