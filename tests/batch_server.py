"""A server with the batch endpoints of OpenAI and Anthropic, as their documents describe them.

Lines are answered by a scripted server. A batch goes through its states, one for each time somebody asks; while the
server is `held`, it doesn't end.
"""

from __future__ import annotations

import json
import re
import threading
import urllib.request
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[[int, str], str | None]
"""What goes wrong with a line, by how often it was sent and its custom_id: error, expired, nonsense, or nothing."""

_STATES = ("validating", "in_progress", "finalizing", "completed")


class BatchServer:
    """Batches over real HTTP, at `url`."""

    def __init__(
        self, answers_at: str, fault: Fault = lambda sent, id: None, said: str = "The server had an error"
    ) -> None:
        self._answers_at = answers_at
        self.fault = fault
        self._said = said
        self.held = threading.Event()
        self.polled = threading.Condition()
        self.polls = 0
        self.lose_answers = 0
        """How many answers to a new batch are lost on the way."""
        self.refuse: str | None = None
        """Why every batch fails as a whole, if it does."""
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.sent: dict[str, int] = {}
        self.headers: list[Mapping[str, str]] = []
        self._lock = threading.RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> BatchServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def wait_for_polls(self, count: int) -> None:
        with self.polled:
            assert self.polled.wait_for(lambda: self.polls >= count, timeout=60)

    # ------------------------------------------------------------------ what the endpoints do

    def post(self, path: str, headers: Mapping[str, str], body: bytes) -> tuple[int, Any]:
        with self._lock:
            self.headers.append(headers)
            if path == "/v1/files":
                return self._upload(headers, body)
            if path == "/v1/batches":
                return self._create_openai(json.loads(body))
            if path == "/v1/messages/batches":
                return self._create_anthropic(headers, json.loads(body))
        return 404, {"error": {"message": "no such path"}}

    def get(self, path: str) -> tuple[int, Any]:
        with self._lock:
            if found := re.fullmatch(r"/v1/files/(\w+)/content", path):
                return 200, self.files[found[1]]
            if path.startswith(("/v1/batches?", "/v1/messages/batches?")):
                return 200, {"data": [batch["shown"]() for batch in reversed(self.batches.values())]}
            if found := re.fullmatch(r"/v1/messages/batches/(\w+)/results", path):
                return 200, self.batches[found[1]]["results"]
            if (found := re.fullmatch(r"/v1/(?:messages/)?batches/(\w+)", path)) and found[1] in self.batches:
                return 200, self._polled(self.batches[found[1]])
        return 404, {"error": {"message": "no such path"}}

    def _upload(self, headers: Mapping[str, str], body: bytes) -> tuple[int, Any]:
        form = BytesParser().parsebytes(b"Content-Type: " + headers["content-type"].encode() + b"\r\n\r\n" + body)
        listed: Any = form.get_payload()
        parts = {part.get_param("name", header="content-disposition"): part for part in listed}
        assert parts["purpose"].get_payload() == "batch"
        id = f"file_{len(self.files) + 1}"
        self.files[id] = parts["file"].get_payload(decode=True)
        return 200, {"id": id, "object": "file", "purpose": "batch"}

    def _create_openai(self, asked: dict[str, Any]) -> tuple[int, Any]:
        assert asked["endpoint"] == "/v1/chat/completions"
        assert asked["completion_window"] == "24h"
        lines = [json.loads(line) for line in self.files[asked["input_file_id"]].splitlines()]
        assert {(line["method"], line["url"]) for line in lines} == {("POST", "/v1/chat/completions")}
        assert len({line["body"]["model"] for line in lines}) == 1
        id = self._new(lines, asked["input_file_id"])
        batch = self.batches[id]
        until = datetime.now(UTC) + timedelta(hours=24)

        def shown() -> dict[str, Any]:
            state = "failed" if self.refuse else _STATES[batch["state"]]
            ended = state == "completed"
            count = len(lines)
            counts = {"total": count, "completed": count if batch["state"] > 1 else 0, "failed": 0}
            return {
                "id": id,
                "object": "batch",
                "status": state,
                "input_file_id": asked["input_file_id"],
                "output_file_id": f"{id}_out" if ended else None,
                "error_file_id": f"{id}_err" if ended and self.files[f"{id}_err"] else None,
                "errors": {"data": [{"message": self.refuse}]} if self.refuse else None,
                "request_counts": counts,
                "expires_at": int(until.timestamp()),
            }

        batch["shown"] = shown
        return self._created(shown())

    def _create_anthropic(self, headers: Mapping[str, str], asked: dict[str, Any]) -> tuple[int, Any]:
        if not headers.get("anthropic-version") or "authorization" in headers:
            return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": "wrong headers"}}
        if headers.get("x-api-key") != "sk-ant-right":
            return 401, {"type": "error", "error": {"type": "authentication_error", "message": "invalid x-api-key"}}
        id = self._new(asked["requests"], "")
        batch, made = self.batches[id], datetime.now(UTC)

        def shown() -> dict[str, Any]:
            ended, count = batch["state"] == len(_STATES) - 1, len(asked["requests"])
            counts = {"processing": 0 if ended else count, "succeeded": count if ended else 0, "errored": 0}
            return {
                "id": id,
                "type": "message_batch",
                "processing_status": "ended" if ended else "in_progress",
                "request_counts": {**counts, "canceled": 0, "expired": 0},
                "created_at": made.isoformat(),
                "expires_at": (made + timedelta(hours=24)).isoformat(),
                "results_url": f"{self.url}/messages/batches/{id}/results" if ended else None,
            }

        batch["shown"] = shown
        return self._created(shown())

    def _new(self, lines: list[dict[str, Any]], file: str) -> str:
        ids = [line["custom_id"] for line in lines]
        assert len(set(ids)) == len(ids)
        assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", each) for each in ids)
        id = f"batch{len(self.batches) + 1}"
        self.batches[id] = {"id": id, "lines": lines, "state": 0, "file": file, "results": b""}
        return id

    def _created(self, shown: dict[str, Any]) -> tuple[int, Any]:
        if self.lose_answers:
            self.lose_answers -= 1
            return 0, None
        return 200, shown

    def _polled(self, batch: dict[str, Any]) -> dict[str, Any]:
        with self.polled:
            self.polls += 1
            self.polled.notify_all()
        last = len(_STATES) - (2 if self.held.is_set() else 1)
        batch["state"] = min(batch["state"] + 1, max(last, batch["state"]))
        if _STATES[batch["state"]] == "completed" and not batch["results"]:
            self._finish(batch)
        shown: dict[str, Any] = batch["shown"]()
        return shown

    def _finish(self, batch: dict[str, Any]) -> None:
        id = batch["id"]
        good: list[str] = []
        bad: list[str] = []
        for line in batch["lines"]:
            ok, record = self._line(line)
            (good if ok else bad).append(json.dumps(record) + "\n")
        self.files |= {f"{id}_out": "".join(good).encode(), f"{id}_err": "".join(bad).encode()}
        batch["results"] = "".join(reversed([*good, *bad])).encode()  # in any order

    def _line(self, line: dict[str, Any]) -> tuple[bool, dict[str, Any]]:
        id = line["custom_id"]
        self.sent[id] = self.sent.get(id, 0) + 1
        fault = self.fault(self.sent[id], id)
        if "params" in line:
            if fault in ("expired", "canceled"):
                return False, {"custom_id": id, "result": {"type": fault}}
            if fault == "error":
                error = {"type": "error", "error": {"type": "overloaded_error", "message": self._said}}
                return False, {"custom_id": id, "result": {"type": "errored", "error": error}}
            message = _message(self._chat(_chat_body(line["params"])), fault == "nonsense")
            return True, {"custom_id": id, "result": {"type": "succeeded", "message": message}}
        if fault == "expired":
            error = {"code": "batch_expired", "message": "This request could not be executed in time."}
            return False, {"id": "r", "custom_id": id, "response": None, "error": error}
        if fault == "error":
            told = {"error": {"message": self._said, "type": "server_error"}}
            return False, {"id": "r", "custom_id": id, "response": {"status_code": 500, "body": told}, "error": None}
        body = self._chat(line["body"])
        if fault == "nonsense":
            body["choices"][0]["message"]["content"] = "I would rather not use JSON."
        return True, {"id": "r", "custom_id": id, "response": {"status_code": 200, "body": body}, "error": None}

    def _chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        sent = urllib.request.Request(
            f"{self._answers_at}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(sent) as answer:
            found: dict[str, Any] = json.loads(answer.read())
            return found

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self._answer(*server.post(self.path, {k.lower(): v for k, v in self.headers.items()}, body))

            def do_GET(self) -> None:
                self._answer(*server.get(self.path))

            def _answer(self, status: int, body: Any) -> None:
                if not status:
                    self.close_connection = True
                    return
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _chat_body(params: Mapping[str, Any]) -> dict[str, Any]:
    """What a Claude would be asked, as a chat request."""
    assert params["max_tokens"] > 0
    assert {message["role"] for message in params["messages"]} <= {"user", "assistant"}
    system = [{"role": "system", "content": params["system"]}] if "system" in params else []
    turns = [{"role": each["role"], "content": _text(each["content"])} for each in params["messages"]]
    body: dict[str, Any] = {"model": params["model"], "messages": [*system, *turns]}
    for tool in params.get("tools", ()):
        assert params["tool_choice"] == {"type": "tool", "name": tool["name"]}
        schema = {"name": tool["name"], "schema": tool["input_schema"], "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def _message(chat: Mapping[str, Any], nonsense: bool) -> dict[str, Any]:
    text = chat["choices"][0]["message"]["content"]
    try:
        block: dict[str, Any] = {"type": "tool_use", "id": "t1", "name": "reply", "input": json.loads(text)}
    except ValueError:
        block = {"type": "text", "text": text}
    usage = {"input_tokens": chat["usage"]["prompt_tokens"], "output_tokens": chat["usage"]["completion_tokens"]}
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": chat["model"],
        "content": [{"type": "text", "text": "No."}] if nonsense else [block],
        "stop_reason": "tool_use" if block["type"] == "tool_use" and not nonsense else "end_turn",
        "usage": usage,
    }
