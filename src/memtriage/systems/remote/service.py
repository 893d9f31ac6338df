"""Any HTTP memory service as a memory system: `http://127.0.0.1:9000`, or `http:my_service.toml` with a mapping.

summarise, store, retrieve: all three happen in the service. Without a mapping it is asked in memtriage's own words:
POST /hello, /store, /retrieve, /answer, /all, /settle and /reset, with the objects of docs/protocol.md as bodies and
replies.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urljoin, urlsplit

from memtriage.core.episode import Session
from memtriage.core.errors import BadInput, BadSystem, StoreLost
from memtriage.core.memory import Question, Traits
from memtriage.core.trace import Usage
from memtriage.models.keys import remember, scrub
from memtriage.systems.remote import mapping
from memtriage.systems.remote.process import question_fields, reported_usage
from memtriage.systems.time_limit import TIMEOUT

_OTHER_WORDS = "; a service with words of its own needs a mapping, http:FILE.toml: see docs/mcp-and-http.md"
_TIMEOUTS_IN_A_ROW = 3
_MOST_MOVES = 5
_VARIABLE = re.compile(r"\$\{(\w+)\}")


class Service:
    """One store in a service, named by a scope of its own."""

    traits = Traits(
        architecture="summarise: the service's; store: the service's; retrieve: the service's", parallel=True
    )

    def __init__(self, base: str, steps: mapping.Steps | None = None, timeout: float = TIMEOUT) -> None:
        self._wire = _Http(base, steps.headers if steps else {}, timeout)
        self._steps = steps
        self._scope = f"memtriage-{uuid.uuid4().hex[:16]}"
        self._notices: list[str] = []
        self._reported: Usage | None = None
        if steps is None:
            try:
                hello = self._standard_call("hello", {"protocol": 1, "options": {}, "models": {}})
            except BadSystem as error:
                self._wire.close()
                raise BadSystem(f"{error}{_OTHER_WORDS if ' answered ' in str(error) else ''}") from error
            self._notices = [str(notice) for notice in hello.get("notices", ())]
            can = set(hello.get("capabilities", ("store", "retrieve", "all", "settle", "reset")))
        else:
            can = set(steps.steps)
        for do in ("all", "answer", "settle", "reset"):
            if do not in can:
                setattr(
                    self, "get_all_memories" if do == "all" else do, None
                )  # what the service can't do, the system hasn't got

    def peak_bytes(self) -> None:
        """What a service takes of memory elsewhere can't be seen from here."""

    def store_conversation(self, conversation: Session) -> None:
        if self._steps is None:
            self._standard_call("store", {"session": _plain(conversation)})
            return
        step = self._steps["store"]
        for values in mapping.calls(step, conversation, self._scope, ""):
            self._mapped_call(step, values)

    def retrieve_memories(self, query: str, conversation: Session, k: int) -> Any:
        if self._steps is None:
            asked = {"query": query, "session": _plain(conversation), "k": k}
            return self._standard_call("retrieve", asked).get("memories")
        step = self._steps["retrieve"]
        values = {"query": query, "k": k, "text": query, "timestamp": conversation.timestamp}
        return mapping.memories(self._mapped_call(step, values), step)

    def answer(self, question: Question) -> dict[str, Any]:
        """The service's own answer, and the memories it was made from, where it says so."""
        if self._steps is None:
            said = self._standard_call("answer", question_fields(question))
            if (used := reported_usage(said.get("usage"))) is not None:
                self._reported = (self._reported or Usage()) + used
            return {"text": said.get("text"), "memories": said.get("memories")}
        step = self._steps["answer"]
        text, read = mapping.answer(self._mapped_call(step, mapping.question_values(question)), step)
        return {"text": text, "memories": read}

    def usage(self) -> Usage | None:
        """What the service reported of its models; None if it reported nothing."""
        return self._reported

    def get_all_memories(self) -> Any:
        if self._steps is None:
            return self._standard_call("all", {}).get("memories")
        step = self._steps["all"]
        return mapping.memories(self._mapped_call(step, {}), step)

    def settle(self) -> None:
        if self._steps is None:
            self._standard_call("settle", {})
        else:
            self._mapped_call(self._steps["settle"], {})

    def reset(self) -> None:
        if self._steps is None:
            self._standard_call("reset", {})
        else:
            self._mapped_call(self._steps["reset"], {})

    def limit_calls(self, seconds: float) -> None:
        """Wait no longer than this for an answer."""
        self._wire.limit(seconds)

    def notices(self) -> list[str]:
        return self._notices

    def close(self) -> None:
        """Leave nothing behind in the service, where it can forget."""
        try:
            if callable(getattr(self, "reset", None)) and not self._wire.is_silent:
                self.reset()
        finally:
            self._wire.close()

    def _standard_call(self, do: str, body: Mapping[str, Any]) -> dict[str, Any]:
        reply = self._wire.ask("POST", f"/{do}", {"do": do, "scope": self._scope, **body})
        if isinstance(reply, Mapping) and isinstance(reply.get("error"), Mapping):
            raise BadSystem(f"{self._wire.base}: {reply['error'].get('message', 'an error without a message')}")
        answer = reply.get("ok", reply) if isinstance(reply, Mapping) else {}
        return dict(answer) if isinstance(answer, Mapping) else {}

    def _mapped_call(self, step: mapping.Step, values: Mapping[str, Any]) -> Any:
        whole = {"scope": self._scope, **values}
        safe = {name: quote(str(value), safe="") for name, value in whole.items()}
        path = str(mapping.filled(f"{step.path} ", safe)).rstrip(" ")  # a blank, so that it stays a text
        return self._wire.ask(step.method or "POST", path, mapping.filled(step.arguments, whole))


class _Http:
    """One connection, opened anew when the service closed it."""

    def __init__(self, base: str, headers: Mapping[str, str], timeout: float) -> None:
        parts = urlsplit(base)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadInput(f"{scrub(base)!r} is no address; write http://host:port")
        self.base = f"{parts.scheme}://{parts.hostname}" + (f":{parts.port}" if parts.port else "")
        self._path = parts.path.rstrip("/")
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        self._seconds = timeout
        self._late = False
        self._timeouts = 0
        self._headers = {name: _secret(value) for name, value in headers.items()}

    def limit(self, seconds: float) -> None:
        """Wait this long for an answer, from the next connection on."""
        self._connection.close()
        self._connection.timeout = self._seconds = seconds

    @property
    def is_silent(self) -> bool:
        """Whether it left so many requests in a row without an answer that there is no use in another."""
        return self._timeouts >= _TIMEOUTS_IN_A_ROW

    def ask(self, method: str, path: str, body: Any) -> Any:
        """What the service says; a refusal, a wrong status and a reply that is no JSON are told in one line."""
        target = self._path + path
        sent: bytes | None = json.dumps(body).encode()
        if method.upper() in ("GET", "DELETE"):
            target += ("&" if "?" in target else "?") + urlencode(body) if body else ""
            sent = None
        try:
            with self._within_time():
                status, received, moved = self._exchange(method.upper(), target, sent)
                for _ in range(_MOST_MOVES):
                    if status not in (307, 308) or not moved:
                        break
                    status, received, moved = self._exchange(method.upper(), self._moved(target, moved), sent)
        except TimeoutError as error:
            self._connection.close()
            self._timeouts += 1
            words = f"{self.base} did not answer within {self._seconds:g} s"
            if self.is_silent:
                raise StoreLost(f"{words}, {self._timeouts} times in a row") from error
            raise BadSystem(words) from error
        except (OSError, HTTPException) as error:
            raise BadSystem(
                f"{self.base} can't be reached ({type(error).__name__}: {error}); check that it is running"
            ) from error
        self._timeouts = 0
        if status >= 300:
            text = scrub(" ".join(received[:3000].decode("utf-8", "replace").split()))[:300]
            raise BadSystem(scrub(f"{self.base} answered {method} {target.partition('?')[0]} with {status}: {text}"))
        if not received.strip():
            return {}
        try:
            return json.loads(received)
        except ValueError as error:
            raise BadSystem(f"{self.base} answered {method} {target} with something that is not JSON") from error

    @contextmanager
    def _within_time(self) -> Iterator[None]:
        """Break the connection when the time is up: a service that trickles never times out by itself."""
        self._late = False
        timer = threading.Timer(self._seconds, self._break)
        timer.daemon = True
        timer.start()
        try:
            yield
        except (OSError, HTTPException) as error:
            if not self._late:
                raise
            raise TimeoutError from error
        finally:
            timer.cancel()
        if self._late:  # a broken connection may pass for the end of an answer
            raise TimeoutError

    def _break(self) -> None:
        self._late = True
        if (sock := self._connection.sock) is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def _moved(self, target: str, location: str) -> str:
        """Where on the same service a redirect points; what was said to a memory is not carried anywhere else."""
        place = urlsplit(urljoin(self.base + target, location))
        if f"{place.scheme}://{place.netloc}" != self.base:
            where = f"{place.scheme}://{place.netloc.rpartition('@')[2]}{place.path}"
            raise BadSystem(
                scrub(f"{self.base} redirects to {where}, which was not followed; if you trust it, use that address")
            )
        return place.path + (f"?{place.query}" if place.query else "")

    def _exchange(self, method: str, target: str, body: bytes | None) -> tuple[int, bytes, str]:
        if self._has_leftover():
            self._connection.close()
        headers = {
            "Accept": "application/json",
            **({"Content-Type": "application/json"} if body else {}),
            **self._headers,
        }
        for retried in (False, True):
            fresh = self._connection.sock is None
            try:
                self._connection.request(method, target, body, headers)
                response = self._connection.getresponse()
                return response.status, response.read(), response.headers.get("Location", "")
            except (ConnectionError, HTTPException):
                self._connection.close()
                # A kept connection may have been closed meanwhile; a new one that breaks is broken.
                if retried or fresh or self._late:
                    raise
        raise AssertionError("unreachable")

    def _has_leftover(self) -> bool:
        """Whether something came that was not asked for, and would pass for the next answer."""
        if self._connection.sock is None:
            return False
        poll = select.poll()
        poll.register(self._connection.sock, select.POLLIN)
        pending = getattr(self._connection.sock, "pending", int)
        return bool(poll.poll(0)) or bool(pending())

    def close(self) -> None:
        self._connection.close()


def _secret(value: str) -> str:
    """A header with `${VARIABLE}` taken from the environment, and never shown again."""

    def from_environment(found: re.Match[str]) -> str:
        held = os.environ.get(found[1], "")
        if not held:
            raise BadInput(f"a header needs the environment variable {found[1]}, which is not set")
        remember(held)
        return held

    return _VARIABLE.sub(from_environment, value)


def _plain(session: Session) -> dict[str, Any]:
    turns = [{"role": turn.role, "text": turn.text, "id": turn.id} for turn in session.turns]
    return {"id": session.id, "timestamp": session.timestamp, "turns": turns}


def read_mapping(path: Path) -> tuple[str, mapping.Steps]:
    """A service's address and mapping from a file."""
    steps = mapping.read(path)
    if not steps.base:
        raise BadInput(f'{path}: the address is missing; add base = "http://127.0.0.1:9000" at the top')
    for name, step in steps.steps.items():
        if not step.path:
            raise BadInput(f"{path}: [{name}] names no path")
    return steps.base, steps
