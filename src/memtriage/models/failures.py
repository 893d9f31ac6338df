"""What went wrong at an endpoint: one word, one line for the user, and whether asking again can help."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memtriage.core.chat import ModelError, Trouble
from memtriage.models.keys import scrub

_MAX_LINE = 240

_CONTEXT = re.compile(
    r"context[_ ](?:length|size|window)|maximum context|exceed_context_size|prompt is too long|input is too long"
    r"|too many tokens|(?:input|prompt) (?:token count|length).{0,60}exceed"
    r"|reduce the length of the (?:messages|prompt)|maximum number of tokens|must have less than \d+ tokens|n_ctx",
    re.IGNORECASE | re.DOTALL,
)
_NO_MODEL = re.compile(
    r"model_not_found|model_not_available|invalid_model|model[^.\n]{0,120}?(?:not found|does not exist|doesn't exist"
    r"|not exist|is not available|not a valid model|not supported for generateContent)"
    r"|model identifier is invalid|on-demand throughput isn.t supported"
    r"|(?:no such|unknown|invalid) model|not a valid model|unable to access model|try pulling it",
    re.IGNORECASE,
)
_NO_KEY = re.compile(r"api[_ ]?key (?:not valid|is invalid|not found)|invalid[_ ]api[_ ]?key|incorrect api key", re.I)
_NO_MONEY = re.compile(
    r"insufficient_quota|insufficient (?:balance|credits|funds)|exceeded your current quota|credit balance is too low",
    re.IGNORECASE,
)
# Some say in the body how long to wait: Google in a field, Groq in words.
_WAIT = re.compile(r'"retryDelay":\s*"([\d.]+)(s)"|try again in ([\d.]+) ?(ms|s)\b', re.IGNORECASE)
_FILTERED = re.compile(r"content_filter|content management policy|content_policy|moderation|flagged", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back over HTTP."""

    status: int
    text: str
    wait: float | None = None

    @property
    def is_html(self) -> bool:
        return self.text[:200].lstrip("\ufeff \t\r\n").startswith("<")


class GaveUp(ModelError):
    """A call that failed for good.

    `answer` is the error that the endpoint sent last, `reply` the model's reply that was no good, where there is one.
    """

    def __init__(
        self, trouble: Trouble, message: str, answer: HttpAnswer | None = None, reply: dict[str, Any] | None = None
    ) -> None:
        super().__init__(trouble, message)
        self.answer = answer
        self.reply = reply

    def fresh(self) -> ModelError:
        return GaveUp(self.trouble, str(self), self.answer, self.reply)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.trouble, str(self), self.answer, self.reply)


class Failure(ModelError):
    """One request that failed. `again` says whether another try may help, `wait` what the endpoint asked for.

    Where its reply is `lost`, the endpoint may have sent one, and may charge for it.
    """

    def __init__(
        self,
        trouble: Trouble,
        message: str,
        *,
        again: bool,
        wait: float | None = None,
        answer: HttpAnswer | None = None,
        reply: dict[str, Any] | None = None,
        lost: bool = False,
    ) -> None:
        super().__init__(trouble, _one_line(scrub(message)))  # cut first, half a key would not be known as one
        self.again = again
        self.wait = wait
        self.answer = answer
        self.reply = reply
        self.lost = lost

    @property
    def overrun(self) -> bool:
        """Whether fewer calls at once would have helped."""
        return self.trouble in ("rate_limit", "timeout") or (self.answer is not None and self.answer.status in _BUSY)

    def final(self) -> ModelError:
        """The error as callers see it: a fresh one each time it is raised."""
        return GaveUp(self.trouble, str(self), self.answer, self.reply)


_BUSY = (429, 503, 529)
# Groq checks the reply itself, and answers with an error where it is not the JSON asked for.
_MALFORMED = "json_validate_failed"


def status_failure(answer: HttpAnswer, model: str, url: str) -> Failure:
    """The failure behind an HTTP status that isn't success."""
    wait = answer.wait if answer.wait is not None else _wait_in(answer)
    trouble, words = _meaning(answer, model, url)
    again = trouble in ("timeout", "rate_limit", "server", "not_a_model_server", "malformed")
    return Failure(trouble, words, again=again, wait=wait, answer=answer)


def error_body(body: Mapping[str, Any]) -> HttpAnswer | None:
    """The error inside a body that came with status 200, as gateways send it; None if there is none."""
    error = body.get("error")
    if not error or body.get("choices") or body.get("data"):
        return None
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    return HttpAnswer(status, json.dumps(body))


def not_a_model(url: str, what: str, *, lost: bool = True) -> Failure:
    """An endpoint that answers, but not as a model server would."""
    words = f"{url} is not an OpenAI-compatible endpoint: it answered with {what}; check the URL (it often ends in /v1)"
    return Failure("not_a_model_server", words, again=True, lost=lost)


def message_in(answer: HttpAnswer) -> str:
    """The endpoint's error message, from any of the formats in use."""
    try:
        body = json.loads(answer.text)
    except (ValueError, RecursionError):
        return "an HTML page" if answer.is_html else answer.text.strip()
    return _message(body) or answer.text.strip()


def _wait_in(answer: HttpAnswer) -> float | None:
    """The seconds that the body of a rejection asks to wait."""
    found = _WAIT.search(answer.text) if answer.status in _BUSY else None
    if found is None:
        return None
    number, unit = found.group(1) or found.group(3), found.group(2) or found.group(4)
    try:
        return float(number) / (1000 if unit == "ms" else 1)
    except ValueError:
        return None


def _meaning(answer: HttpAnswer, model: str, url: str) -> tuple[Trouble, str]:
    status, message = answer.status, message_in(answer)
    details = f"{status}: {message}" if message else f"{status} without a word"
    if _FILTERED.search(answer.text) and status in (400, 403, 422):
        return "refusal", f"the endpoint refused the prompt ({details})"
    if status == 413 or (status != 429 and _CONTEXT.search(answer.text)):
        return "context", f"the prompt is longer than the context of {model} ({details})"
    if _MALFORMED in answer.text and status == 400:
        return "malformed", f"{model} did not write the JSON asked for ({details})"
    # Google's limit on calls a minute has the words of an empty account, and says when to come back.
    if status == 402 or (_NO_MONEY.search(answer.text) and not (status == 429 and _wait_in(answer))):
        return "auth", f"the account at {url} has no credit left ({details})"
    if status == 401 or _NO_KEY.search(answer.text):
        return "auth", f"the key was not accepted by {url} ({details})"
    if status in (400, 404, 422) and _NO_MODEL.search(answer.text):
        return "unknown_model", f"{url} has no model {model!r} ({details})"
    if status in (404, 405) or (status < 500 and answer.is_html and status != 429):
        return "not_a_model_server", (
            f"{url} is not an OpenAI-compatible endpoint ({details}); check the URL (it often ends in /v1)"
        )
    if status == 403:
        return "auth", f"the key may not use {model} at {url} ({details})"
    if status in (408, 504):
        return "timeout", f"{url} gave up waiting for {model} ({details})"
    if status == 429:
        return "rate_limit", f"{url} asks for fewer calls ({details})"
    if status >= 500 or status in (409, 424, 425):
        return "server", f"{url} failed ({details})"
    return "bad_request", f"{url} did not take the request ({details})"


def _message(body: Any) -> str:
    """`error.message`, `error`, `message` or `detail`: the first that is text."""
    if isinstance(body, list) and body:  # Google wraps its errors in a list
        body = body[0]
    if not isinstance(body, dict):
        return ""
    error = body.get("error")
    inner = error if isinstance(error, dict) else {}
    for value in (inner.get("message"), error, body.get("message"), body.get("detail")):
        if isinstance(value, str) and value.strip():
            return value
    return ""


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_LINE else line[: _MAX_LINE - 1] + "…"
