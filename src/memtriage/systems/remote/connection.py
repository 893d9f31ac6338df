"""The connection to a process: each request is one line of JSON, and so is its reply.

Whatever goes wrong (no reply in time, the process ends, a reply that is none) ends the process and raises `StoreLost`,
since what the process held is gone with it. The process runs under `side/guard.py`, so that nothing of it outlives
this one.
"""

from __future__ import annotations

import json
import os
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from memtriage.core.errors import BadSystem, StoreLost
from memtriage.host.environment import SUMMARY, child_environment, withheld
from memtriage.host.temporary import TemporaryFolder
from memtriage.models.keys import scrub

SIDE = Path(__file__).parent / "side"
GUARD = SIDE / "guard.py"
LONGEST_REPLY = 256 << 20
STDERR_KEPT = 2 << 20
_TAIL_LINES = 5
_LONGEST_KEY = 10_000
_STORES = "stores"
_TEMPORARY = "t"
"""The process's TMPDIR, in its folder. Its name is short, as the path of a socket has at most about 100 characters."""
_ENDING = 5.0
"""Seconds that a process under its guard takes to end at most, both times of patience included."""

Read = TypeVar("Read")


class ProtocolError(Exception):
    """A process wrote something that the protocol does not allow."""


class _TimedOut(Exception):
    """No reply came in time."""


class _ProcessEnded(Exception):
    """The process ended or closed its stdout; the text says in the middle of what."""


class Connection:
    """One process and the connection to it. Calls from several threads go one after another."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], home: Path | None, label: str) -> None:
        self.label = label
        self._command = shlex.join(command)
        self.troubles: list[str] = []
        self.notices: dict[str, None] = {}
        self.hello: Mapping[str, Any] = {}
        self._lock = threading.Lock()
        self._number = 0
        self._buffer = bytearray()
        self._lost: str | None = None
        self._ended = False
        self._keep = home is not None
        self._temporary, self.home = _folder(home, label)
        self._start(command, environment)

    def _start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._lifeline, theirs = socket.socketpair()
        path = os.pathsep.join(filter(None, (str(SIDE), environment.get("PYTHONPATH", os.environ.get("PYTHONPATH")))))
        ours = {"PYTHONPATH": path, "TMPDIR": str(self.home / _TEMPORARY)}
        self._environment = {**child_environment(), **environment, **ours}
        try:
            with theirs:
                self._guard = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(GUARD), str(theirs.fileno()), "--", *command],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    bufsize=0,
                    env=self._environment,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C in the terminal is for memtriage, which then hangs up
                )
        except (OSError, ValueError) as error:
            self._lifeline.close()
            self._clear(keep=False)
            raise BadSystem(scrub(f"{self.label} can't be started: {error}")) from error
        self._in, self._out = _pipe(self._guard.stdin), _pipe(self._guard.stdout)
        self._err = Stderr(_pipe(self._guard.stderr), self.home / "stderr.txt")
        for pipe in (self._in, self._out):
            os.set_blocking(pipe.fileno(), False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._lifeline, 0)  # tells when the guard itself is gone

    def ask(self, do: str, timeout: float, read: Callable[[Any], Read], **fields: object) -> Read:
        """The reply to a request, as `read` parses it."""
        with self._lock:
            if self._lost is not None:
                raise StoreLost(self._lost)
            self._number += 1
            line = json.dumps({"id": self._number, "do": do, **fields}).encode() + b"\n"
            try:
                reply = _reply(self._exchange(line, time.monotonic() + timeout), self._number)
                self.troubles += [quotable(text, 500) for text in reply.get("troubles") or ()]
                self.notices |= {quotable(text, 500): None for text in reply.get("notices") or ()}
                if reply.get("error") is None:
                    return read(reply["ok"])
            except _TimedOut:
                raise self._lose(do, f"no reply within {timeout:g} s, so it was ended") from None
            except ProtocolError as problem:
                raise self._lose(do, f"{problem}, so it was ended") from None
            except _ProcessEnded as problem:
                raise self._lose(do, "", str(problem)) from None
            except BaseException:
                self._lose(do, "the call was broken off")
                raise
            raise _error(self.label, do, reply["error"], self._hint)

    def _exchange(self, line: bytes, until: float) -> bytes:
        """Send one line and receive one; neither may block for longer than the time left."""
        if self._guard.poll() is not None:  # also where only the guard is gone: nothing may run without one
            raise _ProcessEnded("")
        unsent = memoryview(line)
        searched = 0
        while True:
            unsent = self._send(unsent)
            found = self._buffer.find(b"\n", searched)
            if found >= 0:
                reply = bytes(self._buffer[:found])
                del self._buffer[: found + 1]
                return reply
            searched = len(self._buffer)
            _refuse_early(self._buffer)
            self._wait(until, bool(unsent))

    def _send(self, unsent: memoryview) -> memoryview:
        while unsent:
            try:
                unsent = unsent[os.write(self._in.fileno(), unsent) :]
            except BlockingIOError:
                break
            except BrokenPipeError:
                raise _ProcessEnded("") from None
        return unsent

    def _wait(self, until: float, sending: bool) -> None:
        """Wait until there is something to read, or room to write; what there is to read is read."""
        if sending:
            self._poll.register(self._in, select.POLLOUT)
        try:
            ready = dict(self._poll.poll(max(0.0, until - time.monotonic()) * 1000))
        finally:
            if sending:
                self._poll.unregister(self._in)
        if not ready:
            raise _TimedOut
        if self._out.fileno() in ready:
            received = self._out.read(1 << 20)
            if received == b"":
                raise _ProcessEnded(_unfinished_reply(self._buffer))
            self._buffer += received or b""
        elif self._lifeline.fileno() in ready:
            raise _ProcessEnded(_unfinished_reply(self._buffer))

    def _lose(self, do: str, what: str, half: str = "") -> StoreLost:
        """End the process; the store it held is lost, and this says how. With no `what`, it ended by itself."""
        if not what:
            with suppress(subprocess.TimeoutExpired):
                self._guard.wait(_ENDING)
            what = f"its process {_how_it_ended(self._guard.returncode)}{half}"
        self._stop(keep=True)
        where = "" if self._command in self.label else f" ({self._command})"
        happened = f"can't be started{where}" if do == "hello" else f"lost its store during {do}"
        hint = self._hint("\n".join(self._err.lines), always=do == "hello")
        self._lost = scrub(f"{self.label} {happened}: {what}; {self._err.summary()}{hint}")
        return StoreLost(self._lost)

    def _hint(self, said: str, always: bool = False) -> str:
        """What to do if the process lacks a variable: one that it names, or with `always`, any."""
        if missing := withheld(said, self._environment):
            return f"\n{missing[0]} is set here but was not passed on; --pass-env {missing[0]} does that"
        return f"\nit saw only {SUMMARY}; --pass-env NAME adds a variable" if always else ""

    @property
    def pid(self) -> int | None:
        """The process itself, not its guard; None where the guard has not sent it."""
        with suppress(OSError, ValueError):
            return int(self._lifeline.recv(32, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        return None

    def idle(self) -> bool:
        """Whether the process is there, silent, and may be given another store."""
        with self._lock:
            if self._lost is not None or self._guard.poll() is not None or self._buffer:
                return False
            return not self._poll.poll(0)

    def bye(self) -> bool:
        """Tell the process to end, without waiting until it does; False where it can't hear that."""
        if not self._lock.acquire(blocking=False):
            return False  # it is in the middle of a call
        try:
            if self._lost is not None:
                return False
            self._send(memoryview(b'{"id": 0, "do": "bye"}\n'))
            self._in.close()
            self._lost = f"{self.label} was ended"
        except _ProcessEnded:
            return False
        finally:
            self._lock.release()
        return True

    def end(self, patience: float = 0.0) -> None:
        """End the process and all that it started; a call that another thread is waiting for is lost."""
        with suppress(subprocess.TimeoutExpired):
            self._guard.wait(patience)
        self._kill()
        with self._lock:
            if self._lost is None:
                self._lost = f"{self.label} was ended"
            self._stop(keep=self._keep)

    def forget(self) -> None:
        """In a fork of this process: let go, so that the one that started the process remains its only holder."""
        self._lost = f"{self.label} belongs to the process that started it, not to a fork of it"
        self._lock = threading.Lock()
        self._guard.returncode = 0
        self._ended = True
        for end in (self._in, self._out, self._lifeline, _pipe(self._guard.stderr)):
            end.close()
        if self._temporary is not None:
            self._temporary.forget()

    def _kill(self) -> None:
        group = b""
        with suppress(OSError):
            self._lifeline.send(b"k")
        try:
            self._guard.wait(_ENDING)
        except subprocess.TimeoutExpired:
            self._guard.kill()
            self._guard.wait()
        if self._guard.returncode == -signal.SIGKILL:  # of the command, or of the guard: then its work is ours
            with suppress(OSError):
                group = self._lifeline.recv(32, socket.MSG_DONTWAIT)
            with suppress(OSError, ValueError):
                os.killpg(int(group), signal.SIGKILL)

    def _stop(self, keep: bool) -> None:
        """End the process and clear up after it; its stderr is kept for a later look."""
        if self._ended:
            return
        self._ended = True
        self._kill()
        self._err.join()
        for end in (self._in, self._out, self._lifeline):
            end.close()
        self._clear(keep and bool(self._err.lines))

    def _clear(self, keep: bool) -> None:
        """Remove what the process had on disk; with `keep`, all but its stderr."""
        if self._temporary is None:
            for each in (self.home / _STORES, self.home / _TEMPORARY) if keep else (self.home,):
                shutil.rmtree(each, ignore_errors=True)
        elif keep:
            self._temporary.keep(self._err.path.name, self._err.older.name)
        else:
            self._temporary.remove()


class Stderr:
    """What a process writes beside the protocol: in a file of bounded size, with the newest lines at hand."""

    def __init__(self, pipe: IO[bytes], path: Path) -> None:
        self.path = path
        self.older = path.with_suffix(".older.txt")
        self.lines: deque[str] = deque(maxlen=_TAIL_LINES)
        self._pipe = pipe
        self._size = 0
        self._thread = threading.Thread(target=self._read, name="stderr", daemon=True)
        self._thread.start()

    def summary(self) -> str:
        """The newest lines and where the rest is, for an error message."""
        if not self.lines:
            return "it wrote nothing to stderr"
        return f"its stderr is kept in {self.path} and ends:\n  " + "\n  ".join(self.lines)

    def join(self) -> None:
        """Wait until all is read, but not for a process that can't be ended."""
        self._thread.join(1.0)

    def _read(self) -> None:
        with self._pipe:
            rest = b""
            while chunk := os.read(self._pipe.fileno(), 1 << 16):
                *lines, rest = re.split(rb"[\r\n]+", rest + chunk)
                if len(rest) > 1 << 16:
                    lines, rest = [*lines, rest], b""
                self._keep(lines)
            self._keep([rest])

    def _keep(self, lines: Sequence[bytes]) -> None:
        texts = scrub(b"\n".join(filter(None, lines)).decode("utf-8", "replace")).splitlines()
        self.lines.extend(quotable(text, 300) for text in texts[-_TAIL_LINES:])
        with suppress(OSError):  # a full disk is no reason to stop reading, which would stop the process
            self._write("".join(f"{text}\n" for text in texts).encode("utf-8", "replace"))

    def _write(self, content: bytes) -> None:
        if self._size + len(content) > STDERR_KEPT and self._size:
            self.path.replace(self.older)
            self._size = 0
        with self.path.open("ab") as file:
            file.write(content)
        self._size += len(content)


def quotable(text: object, longest: int) -> str:
    """Text from a process, fit to be quoted in a message: one line, printable, bounded, without keys."""
    shown = scrub(str(text)[: 4 * longest + _LONGEST_KEY])
    line = "".join(c if c.isprintable() else " " if c.isspace() else "?" for c in shown[: 4 * longest]).strip()
    return line if len(line) <= longest else f"{line[:longest]}…"


def _reply(line: bytes, number: int) -> dict[str, Any]:
    try:
        reply = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise ProtocolError(f"it wrote {_quoted(line)} to stdout, where only replies belong") from None
    if not isinstance(reply, dict):
        raise ProtocolError(f"it wrote {_quoted(line)} to stdout, where only replies belong")
    if reply.get("id") != number:
        raise ProtocolError(f"it replied to request {quotable(reply.get('id'), 50)} where {number} was asked")
    error = reply.get("error")
    if not isinstance(error, dict) and (error is not None or "ok" not in reply):
        raise ProtocolError(f"its reply has neither ok nor error ({_quoted(line)})")
    for beside in ("troubles", "notices"):
        if not isinstance(reply.get(beside) or [], list):
            raise ProtocolError(f"its {beside} are not a list")
    return reply


def _refuse_early(begun: bytearray) -> None:
    """Refuse what can't become a reply as soon as that shows, rather than wait for its end."""
    if begun and begun[:1] != b"{":
        raise ProtocolError(f"it wrote {_quoted(begun)} to stdout, where only replies belong")
    if len(begun) > LONGEST_REPLY:
        raise ProtocolError(f"it wrote more than {LONGEST_REPLY >> 20} MB without an end of line")


def _error(label: str, do: str, error: Mapping[str, Any], hint: Callable[[str], str]) -> BadSystem:
    message = scrub(str(error.get("message") or "without a word"))
    message += hint(message)
    if error.get("kind") == "refused":
        return BadSystem(message)
    at = f", at {quotable(error['at'], 200)}" if error.get("at") else ""
    return BadSystem(f"{scrub(label)}: {do} raised {quotable(error.get('kind') or 'an error', 80)}: {message}{at}")


def _quoted(line: bytes | bytearray) -> str:
    return f"{quotable(line[:400].decode('utf-8', 'replace'), 80)!r} ({len(line):,} bytes)"


def _unfinished_reply(begun: bytearray) -> str:
    return f" in the middle of a reply, after {_quoted(begun)}" if begun else ""


def _how_it_ended(code: int | None) -> str:
    """How a process ended."""
    if code is None:
        return "closed its stdout and was ended"
    if code >= 0:
        return f"ended with exit code {code}"
    known = {each.value: each.name for each in signal.Signals}
    return f"was ended by {known.get(-code, f'signal {-code}')}"


def _folder(home: Path | None, label: str) -> tuple[TemporaryFolder | None, Path]:
    """A new folder for one process: its stores, its stderr, and what it writes for a while only."""
    prefix = re.sub(r"[^\w.-]+", "-", label)[:40].strip("-.") + "-"
    try:
        if home is None:
            temporary = TemporaryFolder(prefix)
            folder = temporary.path
        else:
            temporary = None
            home.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix=prefix, dir=home)).resolve()
        (folder / _STORES).mkdir()
        (folder / _TEMPORARY).mkdir()
    except OSError as error:
        raise BadSystem(f"no folder for {label} can be made in {home or tempfile.gettempdir()}: {error}") from error
    return temporary, folder


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None
    return end
