"""Download released data files: continued where they broke off, and put in place whole.

huggingface_hub's own download is no substitute: it begins again what an earlier call left unfinished, takes a
mirror only with the Hub's own headers, and MemFail's files are on GitHub.

A mirror is not trusted. It may redirect, but not from https to http, and not into a private network unless the user
named one there; it has a limited time for all files, and each file a limited size.

>>> download("https://example.org/data", {"a/b.csv": "b.csv"}, "main", Path("out"))     # doctest: +SKIP
"""

from __future__ import annotations

import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urljoin, urlsplit
from urllib.request import (
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    Request,
    build_opener,
    getproxies,
)

from memtriage.core.errors import BadInput
from memtriage.host.files import failure_reason
from memtriage.host.masks import mask
from memtriage.suites.kit.datasets import sha256

ENDPOINT_VARIABLE = "MEMTRIAGE_HUB"
"""The environment variable that names a mirror."""

TIMEOUT = 8.0
"""Seconds without an answer after which a connection counts as dead."""

MAX_MINUTES = 120.0
"""How long a download may take in all, however slowly bytes trickle in."""

ATTEMPTS = 4
PAUSE = 0.5
"""Seconds before the first retry; each further one waits twice as long."""

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes there so far, and the bytes in all where the server says."""

_LONGEST_PAUSE = 10.0
_LARGEST = 4 * 2**30  # bytes; a released data file is far smaller, and an endless answer must not fill the disk
_BLOCK = 1 << 16
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 8


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file that is now in place: what it is called, where it came from, and what it holds."""

    file: str
    path: Path
    url: str
    sha256: str
    size: int


class _Interrupted(Exception):
    """A download that broke off and may be tried again, after as many seconds as the server asks for."""

    def __init__(self, reason: str, wait: float = 0.0) -> None:
        super().__init__(reason)
        self.wait = wait


def endpoint(default: str, given: str | None = None) -> str:
    """The address to download from: the one given, else the environment's mirror, else the default."""
    return _address(given or os.environ.get(ENDPOINT_VARIABLE) or default)


def download(
    base_url: str,
    files: Mapping[str, str],
    revision: str,
    out: Path,
    progress: Progress | None = None,
    max_minutes: float = MAX_MINUTES,
) -> list[Downloaded]:
    """Fetch files of one revision from base_url/revision/file into a folder.

    `files` maps the server's names to the names below `out`. A file that broke off stays beside its place as `.part`,
    and the next call continues it.
    """
    base = _address(base_url)
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/+-]*", revision) or ".." in revision:
        raise BadInput(f"{revision!r} is no revision; give a commit, a tag or a branch")
    for file in files:
        _inside(out, file)  # a server's name must not climb out of its revision either
    targets = {file: _inside(out, place) for file, place in files.items()}
    with _Connections(base, max_minutes * 60).within_time() as connections:
        return [
            _Download(file, f"{base}/{quote(revision)}/{quote(file)}", revision, target, progress, connections).run()
            for file, target in targets.items()
        ]


class _Connections:
    """The way to one mirror: where it may redirect to, and until when."""

    def __init__(self, base: str, seconds: float) -> None:
        self._seconds = seconds
        self._end = monotonic() + seconds
        self._opened: list[socket.socket] = []
        # Behind a proxy, the proxy connects, and may well be in the private network itself.
        inside = bool(_inner_addresses(urlsplit(base).hostname or ""))
        self._may_go_inside = inside
        self._opener = _opener(self._connected)
        self._check_peers = not inside and not getproxies()

    @property
    def late(self) -> bool:
        """Whether the time is up."""
        return monotonic() >= self._end

    @property
    def minutes(self) -> float:
        return self._seconds / 60

    @contextmanager
    def within_time(self) -> Iterator[_Connections]:
        """Break whatever is connected when the time is up: a server that trickles never times out by itself."""
        timer = threading.Timer(max(0.0, min(self._seconds, threading.TIMEOUT_MAX)), self._break)
        timer.daemon = True
        timer.start()
        try:
            yield self
        finally:
            timer.cancel()

    @contextmanager
    def open(self, url: str, headers: Mapping[str, str]) -> Iterator[Any]:
        """The answer to a request, after the redirects that are allowed."""
        for _ in range(_MOST_REDIRECTS):
            try:
                with self._opener.open(Request(url, headers=dict(headers)), timeout=TIMEOUT) as answer:
                    yield answer
                    return
            except HTTPError as error:
                if error.code not in _REDIRECTS:
                    raise
                with error:
                    url = self._redirected(url, error.headers.get("Location") or "")
        raise BadInput(f"{mask(url)} redirects again and again; check the address")

    def _redirected(self, url: str, location: str) -> str:
        try:
            target = urljoin(url, location)
            before, after = urlsplit(url), urlsplit(_address(target))
        except (BadInput, ValueError):
            raise BadInput(
                f"{mask(url)} redirects to {mask(location)!r}, which is no web address; check the address"
            ) from None
        if before.scheme == "https" and after.scheme == "http":
            raise BadInput(
                f"{url} redirects from https to plain http ({after.hostname}), where anybody may change files"
            )
        same = (before.scheme, before.netloc) == (after.scheme, after.netloc)
        if not same and not self._may_go_inside and (found := _inner_addresses(after.hostname or "")):
            raise BadInput(_leads_inside(url, f"{after.hostname} ({found[0]})"))
        return target

    def _connected(self, sock: socket.socket) -> None:
        self._opened.append(sock)
        if self.late:
            self._break()
        if self._check_peers and _is_inner(peer := sock.getpeername()[0]):
            raise BadInput(_leads_inside("the address", peer))  # its name was changed after it was looked up

    def _break(self) -> None:
        for sock in list(self._opened):
            with suppress(OSError, ValueError):
                sock.shutdown(socket.SHUT_RDWR)


def _leads_inside(url: str, where: str) -> str:
    return (
        f"{url} leads to {where}, an address in a private network, where no mirror should send you; "
        f"if it is yours, pass it with --endpoint or {ENDPOINT_VARIABLE}"
    )


def _opener(connected: Callable[[socket.socket], None]) -> OpenerDirector:
    """Opens http and https, follows no redirect, and tells of each connection before anything is sent."""

    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            connected(self.sock)

    class Tls(http.client.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            connected(self.sock)

    class Http(HTTPHandler):
        def http_open(self, req: Request) -> http.client.HTTPResponse:
            return self.do_open(Plain, req)

    class Https(HTTPSHandler):
        def https_open(self, req: Request) -> http.client.HTTPResponse:
            return self.do_open(Tls, req)

    class Stay(HTTPRedirectHandler):
        def http_error_302(self, *args: Any, **kwargs: Any) -> None:
            return None

        http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    return build_opener(Http, Https, Stay)


def _inner_addresses(host: str) -> list[str]:
    """The addresses of a host that are in no public network; none where the name can't be found."""
    try:
        found = {str(entry[4][0]) for entry in socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)}
    except (OSError, UnicodeError):
        return []
    return sorted(address for address in found if _is_inner(address))


def _is_inner(address: str) -> bool:
    """Whether an address is this machine's or a private network's, however it is written.

    >>> [_is_inner(one) for one in ("127.0.0.1", "::ffff:10.0.0.1", "fe80::1%eth0", "169.254.169.254", "140.82.121.4")]
    [True, True, True, True, False]
    """
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        found = found.ipv4_mapped or found.sixtofour or found
    return not found.is_global or found.is_multicast


@dataclass(frozen=True, slots=True)
class _Download:
    """One file on its way."""

    file: str
    url: str
    revision: str
    target: Path
    progress: Progress | None
    connections: _Connections

    def run(self) -> Downloaded:
        try:
            self.target.parent.mkdir(parents=True, exist_ok=True)
            self._fetch()
            self._part.replace(self.target)
            self._note.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(
                f"{self.target} could not be written: {failure_reason(error)}; what has arrived is kept"
            ) from error
        return Downloaded(self.file, self.target, self.url, sha256(self.target), self.target.stat().st_size)

    @property
    def _part(self) -> Path:
        return self.target.with_name(self.target.name + ".part")

    @property
    def _note(self) -> Path:
        """Beside the part: which version of which file it is the beginning of."""
        return self.target.with_name(self.target.name + ".part.json")

    def _fetch(self) -> None:
        """Get the whole file into the part, trying again where that may help."""
        for attempt in range(ATTEMPTS):
            try:
                return self._try()
            except _Interrupted as error:
                if self.connections.late:
                    raise BadInput(
                        f"{self.url} was not downloaded within {self.connections.minutes:g} minutes (--max-minutes); "
                        "what has arrived is kept, and the same command goes on"
                    ) from error
                if attempt + 1 == ATTEMPTS:
                    raise BadInput(
                        f"{self.url} could not be downloaded: {error} ({ATTEMPTS} attempts); "
                        "try again later, what has arrived is kept"
                    ) from error
                sleep(min(max(PAUSE * 2**attempt, error.wait), _LONGEST_PAUSE))

    def _try(self) -> None:
        have, validator = self._resumable()
        headers = {"User-Agent": "memtriage", "Accept-Encoding": "identity"}
        if have:
            headers |= {"Range": f"bytes={have}-", "If-Range": validator}
        try:
            with self.connections.open(self.url, headers) as answer:
                if answer.status != 206:
                    have = 0
                elif not answer.headers.get("Content-Range", "").startswith(f"bytes {have}-"):
                    self._discard()
                    raise _Interrupted("the server sent another part of the file than asked for")
                self._receive(answer, have)
        except HTTPError as error:
            with error:
                raise self._refused(error) from error
        except URLError as error:
            raise self._unreachable(error.reason) from error
        except (TimeoutError, http.client.HTTPException, ConnectionError, ssl.SSLError, ValueError) as error:
            raise _Interrupted(f"the connection broke off ({error or type(error).__name__})") from error

    def _receive(self, answer: http.client.HTTPResponse, have: int) -> None:
        length = answer.headers.get("Content-Length", "")
        total = have + int(length) if re.fullmatch(r"[0-9]{1,18}", length) else None
        if total is not None and total > _LARGEST:
            raise self._too_large()
        with self._part.open("ab" if have else "wb") as part:
            if not have:  # once the part is empty: a note of this version must never stand beside bytes of another
                self._note.write_text(json.dumps({"url": self.url, "validator": _validator(answer)}), encoding="utf-8")
            self._report(have, total)
            while block := answer.read1(_BLOCK):
                have += len(block)
                if have > _LARGEST:
                    raise self._too_large()
                part.write(block)
                self._report(have, total)
            part.flush()
            os.fsync(part.fileno())
        if self.connections.late:  # without a length, breaking the connection looks like the end of the file
            raise _Interrupted("the time is up")
        if total is not None and have < total:
            raise _Interrupted(f"the connection broke off after {have} of {total} bytes")

    def _too_large(self) -> BadInput:
        return BadInput(f"{self.url} sends more than {_LARGEST} bytes, which is no data file; check the address")

    def _report(self, have: int, total: int | None) -> None:
        if self.progress is not None:
            self.progress(self.file, have, total)

    def _resumable(self) -> tuple[int, str]:
        """The bytes of the part that may be continued, and what tells the server which version they are of."""
        try:
            note = json.loads(self._note.read_text(encoding="utf-8"))
            url, validator, size = note["url"], str(note["validator"]), self._part.stat().st_size
        except (OSError, ValueError, KeyError, TypeError):
            return 0, ""
        return (size, validator) if validator and url == self.url else (0, "")

    def _refused(self, error: HTTPError) -> Exception:
        reason = mask(str(error.reason))
        if error.code == 416:
            self._discard()
            return _Interrupted("the server could not continue the file")
        if error.code in _RETRIED:
            wait = error.headers.get("Retry-After", "")
            return _Interrupted(f"the server answered {error.code} {reason}", float(wait if wait.isdigit() else 0))
        if error.code == 404:
            return BadInput(
                f"{self.url} does not exist (404): check the revision {self.revision!r} (a commit, tag or branch), "
                f"and the endpoint if you set one (--endpoint, {ENDPOINT_VARIABLE})"
            )
        return BadInput(
            f"{self.url} was refused ({error.code} {reason}); "
            f"check the address, or name a mirror with --endpoint or {ENDPOINT_VARIABLE}"
        )

    def _unreachable(self, reason: object) -> Exception:
        """No connection at all is final; one that broke while it was set up may be tried again."""
        if isinstance(reason, ConnectionResetError | BrokenPipeError):
            return _Interrupted(f"the connection broke off ({reason})")
        host = urlsplit(self.url).hostname
        if isinstance(reason, ssl.SSLCertVerificationError):
            return BadInput(f"{host} can't be trusted ({reason.verify_message}); check the address and the clock")
        what = "its name can't be found" if isinstance(reason, socket.gaierror) else str(reason)
        return BadInput(
            f"no connection to {host} ({what}), so {self.url} was not downloaded; check the network, name a mirror "
            f"with --endpoint or {ENDPOINT_VARIABLE}, or copy the files by hand and give their folder"
        )

    def _discard(self) -> None:
        self._part.unlink(missing_ok=True)
        self._note.unlink(missing_ok=True)


def _address(text: str) -> str:
    address = text.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that don't close, a port that is no number
        usable = False
    if not usable or re.search(r"[\s\0-\x1f]", address):
        raise BadInput(f"{address!r} is no address to download from; it begins with https:// or http://")
    if parts.username is not None:
        raise BadInput(f"the address of {parts.hostname} has a password in it, which downloads don't use; leave it out")
    return address


def _inside(out: Path, name: str) -> Path:
    """The place of a file below a folder; whatever could lead out of it is refused."""
    parts = name.split("/")
    odd = any(part in ("", ".", "..") or re.search(r'[\\:\0-\x1f<>"|?*]', part) for part in parts)
    target = out.joinpath(*parts) if not odd else out
    if odd or not target.resolve().is_relative_to(out.resolve()):
        raise BadInput(f"{name!r} is no file name below {out}; use a relative path without '..'")
    return target


def _validator(answer: http.client.HTTPResponse) -> str:
    tag = answer.headers.get("ETag", "")
    # a weak tag promises the same meaning, not the same bytes
    return mask(tag if tag and not tag.startswith("W/") else answer.headers.get("Last-Modified", ""))
