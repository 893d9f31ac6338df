"""The batch endpoints of OpenAI and Anthropic: send a batch, ask how it is, fetch its lines."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from urllib.parse import quote

from memtriage.models.failures import Failure, HttpAnswer

WINDOW = "24h"
_MOST_SHOWN = 100
_CLOCKS = timedelta(minutes=1)
"""How far the clocks of two machines may be apart."""

Line = HttpAnswer | Failure
"""What became of one call: an answer as the endpoint would have sent it over HTTP, or none."""


@dataclass(frozen=True, slots=True)
class BatchState:
    """A batch as its provider describes it. `files` are where its lines are."""

    id: str
    status: str
    ended: bool
    total: int = 0
    done: int = 0
    expires: datetime | None = None
    files: tuple[str, ...] = ()
    problem: str = ""


class Http(Protocol):
    """Requests to one provider; Failure where one didn't succeed."""

    async def get(self, path: str) -> str: ...

    async def post(self, path: str, body: Mapping[str, Any]) -> str: ...

    async def upload(self, name: str, content: bytes) -> str: ...


class BatchService(Protocol):
    """One provider's batches."""

    most_calls: int
    most_bytes: int

    async def prepare(self, http: Http, requests: Mapping[str, Mapping[str, Any]]) -> str:
        """Upload what a batch needs before it is made; names the upload."""

    async def create(self, http: Http, upload: str, requests: Mapping[str, Mapping[str, Any]]) -> BatchState:
        """Send a batch."""

    async def find(
        self, http: Http, upload: str, calls: int, since: datetime, known: frozenset[str]
    ) -> BatchState | None:
        """The batch that was made of an upload, if it arrived."""

    async def state(self, http: Http, batch: str) -> BatchState: ...

    async def lines(self, http: Http, batch: BatchState) -> dict[str, Line]:
        """The lines of a batch that ended, by call."""


class OpenAIBatches:
    """Files with a request per line, and /batches."""

    most_calls = 50_000
    most_bytes = 150_000_000

    async def prepare(self, http: Http, requests: Mapping[str, Mapping[str, Any]]) -> str:
        lines = (
            {"custom_id": id, "method": "POST", "url": "/v1/chat/completions", "body": body}
            for id, body in requests.items()
        )
        content = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        return str(_object(await http.upload("calls.jsonl", content.encode()))["id"])

    async def create(self, http: Http, upload: str, requests: Mapping[str, Mapping[str, Any]]) -> BatchState:
        body = {"input_file_id": upload, "endpoint": "/v1/chat/completions", "completion_window": WINDOW}
        return self._state(_object(await http.post("/batches", body)))

    async def find(
        self, http: Http, upload: str, calls: int, since: datetime, known: frozenset[str]
    ) -> BatchState | None:
        listed = _object(await http.get(f"/batches?limit={_MOST_SHOWN}")).get("data") or []
        return next((self._state(each) for each in listed if each.get("input_file_id") == upload), None)

    async def state(self, http: Http, batch: str) -> BatchState:
        return self._state(_object(await http.get(f"/batches/{_part(batch)}")))

    async def lines(self, http: Http, batch: BatchState) -> dict[str, Line]:
        found: dict[str, Line] = {}
        for file in batch.files:
            for record in _records(await http.get(f"/files/{_part(file)}/content")):
                found[str(record.get("custom_id"))] = _openai_line(record)
        return found

    def _state(self, record: Mapping[str, Any]) -> BatchState:
        counts = record.get("request_counts") or {}
        errors = ((record.get("errors") or {}).get("data")) or [{}]
        expires = record.get("expires_at")
        return BatchState(
            str(record["id"]),
            str(record["status"]),
            record["status"] in ("completed", "failed", "expired", "cancelled"),
            counts.get("total", 0),
            counts.get("completed", 0) + counts.get("failed", 0),
            datetime.fromtimestamp(expires, UTC) if isinstance(expires, int | float) else None,
            tuple(file for name in ("output_file_id", "error_file_id") if (file := record.get(name))),
            str(errors[0].get("message") or ""),
        )


def _openai_line(record: Mapping[str, Any]) -> Line:
    response, error = record.get("response") or {}, record.get("error") or {}
    if not error and "body" in response:
        return HttpAnswer(int(response.get("status_code", 200)), json.dumps(response["body"]))
    return _no_reply(str(error.get("code") or "it has no response"), str(error.get("message") or ""))


class AnthropicBatches:
    """Message Batches."""

    most_calls = 100_000
    most_bytes = 200_000_000

    async def prepare(self, http: Http, requests: Mapping[str, Mapping[str, Any]]) -> str:
        return ""

    async def create(self, http: Http, upload: str, requests: Mapping[str, Mapping[str, Any]]) -> BatchState:
        body = {"requests": [{"custom_id": id, "params": params} for id, params in requests.items()]}
        return self._state(_object(await http.post("/messages/batches", body)))

    async def find(
        self, http: Http, upload: str, calls: int, since: datetime, known: frozenset[str]
    ) -> BatchState | None:
        # Nothing of ours stands with a batch but its size, and when it was made.
        for record in _object(await http.get(f"/messages/batches?limit={_MOST_SHOWN}")).get("data") or []:
            state = self._state(record)
            made = datetime.fromisoformat(str(record["created_at"]))
            if state.id not in known and state.total == calls and made >= since - _CLOCKS:
                return state
        return None

    async def state(self, http: Http, batch: str) -> BatchState:
        return self._state(_object(await http.get(f"/messages/batches/{_part(batch)}")))

    async def lines(self, http: Http, batch: BatchState) -> dict[str, Line]:
        # The address is the one that results_url names; made here, the key can't be sent elsewhere.
        records = _records(await http.get(f"/messages/batches/{_part(batch.id)}/results"))
        return {str(record.get("custom_id")): _anthropic_line(record.get("result") or {}) for record in records}

    def _state(self, record: Mapping[str, Any]) -> BatchState:
        counts = record.get("request_counts") or {}
        left = counts.get("processing", 0)
        expires = record.get("expires_at")
        return BatchState(
            str(record["id"]),
            str(record["processing_status"]),
            record["processing_status"] == "ended",
            sum(counts.values()),
            sum(counts.values()) - left,
            datetime.fromisoformat(expires) if isinstance(expires, str) else None,
        )


_STATUSES = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "overloaded_error": 529,
}


def _anthropic_line(result: Mapping[str, Any]) -> Line:
    if result.get("type") == "succeeded":
        return HttpAnswer(200, json.dumps(result.get("message")))
    if result.get("type") == "errored":
        error = result.get("error") or {}
        inner = error["error"] if isinstance(error.get("error"), dict) else error
        return HttpAnswer(_STATUSES.get(str(inner.get("type")), 500), json.dumps({"error": inner}))
    return _no_reply(str(result.get("type")), "")


def _no_reply(code: str, message: str) -> Failure:
    """A line without an answer: it expired, or the batch was stopped."""
    words = f"the batch brought no reply ({code}{': ' if message else ''}{message})"
    # One that was stopped on purpose is not sent again by itself.
    return Failure("timeout", words, again="cancel" not in code)


def _part(id: str) -> str:
    """An id as a part of a path; it was read from a file or a reply, and must not lead elsewhere."""
    return quote(id, safe="").replace(".", "%2E")


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise Failure("malformed", "the batch endpoint sent something that is not a JSON object", again=True)
    return found


def _records(text: str) -> Iterator[Mapping[str, Any]]:
    return (_object(line) for line in text.splitlines() if line.strip())
