"""Endpoints as real ones behave: servers on 127.0.0.1 that keep a provider's rules and refuse whatever breaks them.

Each is a real HTTP server. What they answer comes from a script (`memtriage.models.scripted`), so that a whole run can
be made against them; what they refuse, ignore, cut or count follows the provider's documentation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from memtriage.models.scripted import Reply, Request, Script, content
from memtriage.models.scripted.bodies import completion, prompt_tokens
from memtriage.models.scripted.replies import as_reply, parse_request
from memtriage.text.tokens import count_tokens
from model_server import Answer, ModelServer, error

KEY = "sk-strict-0123456789abcdef"

_OPENAI = set(
    "model messages temperature top_p n stop max_tokens max_completion_tokens seed response_format tools tool_choice "
    "parallel_tool_calls stream stream_options user store metadata logprobs top_logprobs logit_bias presence_penalty "
    "frequency_penalty reasoning_effort service_tier".split()
)
_SAMPLING = ("temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs")


class StrictServer(ModelServer):
    """OpenAI's own rules. `reasoning` says whether the model thinks, and so takes no sampling parameters."""

    model = "strict-1"
    path = "/v1/chat/completions"

    def __init__(self, script: Script = content, *, reasoning: bool = False) -> None:
        super().__init__(self._decide)
        self.script = script
        self.reasoning = reasoning
        self.rejected: list[str] = []
        """What was refused, request by request."""

    @property
    def spec(self) -> str:
        return f"{self.url}#{self.model}"

    @property
    def root(self) -> str:
        """The address that a provider's variable holds."""
        return self.url.removesuffix("/v1")

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        """The error for a request that breaks the rules."""
        if self.headers[number].get("authorization") != f"Bearer {KEY}":
            return error(401, "Incorrect API key provided", code="invalid_api_key")
        if self.paths[number] != self.path:
            return error(404, f"Invalid URL (POST {self.paths[number]})")
        for name in body:
            if name not in _OPENAI:
                return error(400, f"Unrecognized request argument supplied: {name}")
        if self.reasoning and "max_tokens" in body:
            words = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. "
                "Use 'max_completion_tokens' instead."
            )
            return error(400, words, param="max_tokens", code="unsupported_parameter")
        for name in _SAMPLING if self.reasoning else ():
            if body.get(name) not in (None, 1):
                words = (
                    f"Unsupported value: '{name}' does not support {body[name]} with this model. "
                    "Only the default (1) value is supported."
                )
                return error(400, words, param=name, code="unsupported_value")
        return _format_problem(body)

    def reply(self, body: Mapping[str, Any]) -> Reply:
        """What the model says."""
        return as_reply(self.script(asked(body)))

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        """The reply as it is sent."""
        whole = completion(asked(body), reply, f"c{number}", prompt_tokens(asked(body)))
        return Answer(whole | {"system_fingerprint": "fp_strict"})

    def openai(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """A request in OpenAI's format, whatever format it came in."""
        return body

    def _decide(self, number: int, body: Mapping[str, Any]) -> Answer:
        problem = self.problem(number, body)
        if problem is not None:
            self.rejected.append(json.dumps(problem.body))
            return problem
        told = self.openai(body)
        return self.answer(number, told, self.reply(told))


def asked(body: Mapping[str, Any]) -> Request:
    """A request as scripts see it; a schema that only the prompt tells counts as asked for."""
    request = parse_request("/chat/completions", body)
    told = re.search(r"JSON schema:\n(\{.*\})", request.text, re.DOTALL)
    if request.schema is None and told is not None:
        schema = json.JSONDecoder().raw_decode(told[1])[0]
        wanted = {"type": "json_schema", "json_schema": {"name": "told", "schema": schema}}
        return parse_request("/chat/completions", {**body, "response_format": wanted})
    return request


def tells_schema(body: Mapping[str, Any]) -> bool:
    """Whether the prompt itself tells the schema."""
    return "JSON schema:" in parse_request("/chat/completions", body).text


def _format_problem(body: Mapping[str, Any]) -> Answer | None:
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_object" and "json" not in json.dumps(body["messages"]).lower():
        words = "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'."
        return error(400, words, param="messages")
    if wanted.get("type") != "json_schema":
        return None
    named = wanted["json_schema"]
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", named.get("name", "")):
        return error(400, "Invalid 'response_format.json_schema.name': string does not match pattern.")
    for problem in _strict_problems(named["schema"]) if named.get("strict") else ():
        return error(400, f"Invalid schema for response_format '{named['name']}': {problem}")
    return None


def _strict_problems(schema: Mapping[str, Any]) -> Iterator[str]:
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            yield "In context=(), 'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            yield "In context=(), 'required' is required to be supplied and to be an array including every key."
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else ())]
    for each in inner:
        yield from _strict_problems(each)


class IgnoresFormat(StrictServer):
    """Takes response_format and ignores it, as Anthropic's OpenAI-compatible endpoint says it does.

    Asked for JSON in the prompt it gives it, with a fence around it; otherwise it answers in prose.
    """

    def reply(self, body: Mapping[str, Any]) -> Reply:
        said = super().reply(body)
        if tells_schema(body):
            return Reply(f"```json\n{said.text}\n```")
        return said if "response_format" not in body else Reply("I looked at it closely, and it seems fine to me.")


class CutsPrompts(StrictServer):
    """Reads the last `window` tokens of a prompt and says nothing of it, as Ollama does by default."""

    def __init__(self, script: Script = content, *, window: int = 4096) -> None:
        super().__init__(script)
        self.window = window

    def reply(self, body: Mapping[str, Any]) -> Reply:
        whole = prompt_tokens(asked(body))
        return super().reply(body) if whole <= self.window else Reply("I don't know.")

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        answer = super().answer(number, body, reply)
        read = min(self.window, answer.body["usage"]["prompt_tokens"])
        answer.body["usage"] |= {
            "prompt_tokens": read,
            "total_tokens": read + answer.body["usage"]["completion_tokens"],
        }
        return answer


class Azure(StrictServer):
    """A deployment at Azure: its own path, an api-version in the query, the key in `api-key` and nowhere else."""

    @property
    def spec(self) -> str:
        return f"{self.url.removesuffix('/v1')}/openai/deployments/mine?api-version=2024-10-21#gpt-4o"

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        url, headers = urlsplit(self.paths[number]), self.headers[number]
        if url.path != "/openai/deployments/mine/chat/completions" or "api-version" not in parse_qs(url.query):
            return error(404, "Resource not found", code="404")
        if headers.get("api-key") != KEY or "authorization" in headers:
            return error(401, "Access denied due to invalid subscription key or wrong API endpoint.", code="401")
        return None


class OnlyStreams(StrictServer):
    """Answers as a stream of events or not at all."""

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        if not body.get("stream"):
            return error(
                400, "This model only support stream mode, please enable the stream parameter to access the model."
            )
        return super().problem(number, body)

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        whole = super().answer(number, body, reply).body
        usage, choices = whole.pop("usage"), whole.pop("choices")
        pieces: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        pieces += [{"content": piece} for piece in re.findall(r"\S+\s*|\s+", choices[0]["message"]["content"] or "")]
        chunks = [whole | {"choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
        chunks.append(whole | {"choices": [{"index": 0, "delta": {}, "finish_reason": choices[0]["finish_reason"]}]})
        chunks.append(whole | {"choices": [], "usage": usage})
        events = ": ping\n\n" + "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
        return Answer(events, headers={"content-type": "text/event-stream"})


class Groq(StrictServer):
    """Checks the reply itself: now and then it is an error instead of bad JSON."""

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        if "response_format" in body and not tells_schema(body) and number % 5 == 0:
            words = "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details."
            return error(400, words, code="json_validate_failed", failed_generation="{'a':")
        return super().problem(number, body)


class XAI(StrictServer):
    """Counts thoughts apart: they are in the total, and not among the tokens of the answer."""

    thoughts = 320

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        answer = super().answer(number, body, reply)
        usage = answer.body["usage"]
        usage["total_tokens"] += self.thoughts
        usage["completion_tokens_details"] = {"reasoning_tokens": self.thoughts}
        usage["prompt_tokens_details"] = {"cached_tokens": usage["prompt_tokens"] // 2}
        return answer


# ---------------------------------------------------------------------- formats of their own

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Anthropic(StrictServer):
    """Anthropic's Messages API. `thinks` models take no forced tool and no temperature."""

    model = "claude-sonnet-4-5"
    path = "/v1/messages"
    spec = "anthropic/claude-sonnet-4-5"
    variables = ("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY")
    fields = frozenset(
        "model max_tokens messages system temperature top_p top_k stop_sequences tools tool_choice metadata thinking "
        "output_config cache_control stream service_tier".split()
    )

    def __init__(self, script: Script = content, *, thinks: bool = False, busy: int = 0) -> None:
        super().__init__(script)
        self.thinks = thinks
        self.busy = busy

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        headers = self.headers[number]
        if headers.get("x-api-key") != KEY or "authorization" in headers or "anthropic-version" not in headers:
            return self.refusal(401, "authentication_error", "invalid x-api-key")
        if self.paths[number] != self.path:
            return self.refusal(404, "not_found_error", "Not Found")
        if number < self.busy:
            words = "This request would exceed your organization's rate limit"
            return self.refusal(429, "rate_limit_error", words, {"retry-after": "0"})
        for words in self.broken_rules(body):
            return self.refusal(400, "invalid_request_error", words)
        return None

    def refusal(self, status: int, kind: str, words: str, headers: Mapping[str, str] | None = None) -> Answer:
        return Answer({"type": "error", "error": {"type": kind, "message": words}}, status, headers or {})

    def broken_rules(self, body: Mapping[str, Any]) -> Iterator[str]:
        for name in body:
            if name not in self.fields:
                yield f"{name}: Extra inputs are not permitted"
        if not isinstance(body.get("max_tokens"), int):
            yield "max_tokens: Field required"
        if not 0 <= body.get("temperature", 0) <= 1:
            yield "temperature: range: 0..1"
        if "temperature" in body and "top_p" in body:
            yield "`temperature` and `top_p` cannot both be specified for this model. Please use only one."
        if self.thinks and "temperature" in body:
            yield "`temperature` is deprecated for this model."
        choice = body.get("tool_choice") or {"type": "auto"}
        if self.thinks and choice["type"] in ("tool", "any"):
            yield "Thinking may not be enabled when tool_choice forces tool use."
        offered = {tool["name"] for tool in body.get("tools", ())}
        if choice["type"] == "tool" and choice["name"] not in offered:
            yield f"Tool '{choice['name']}' not found in provided tools"
        for tool in body.get("tools", ()):
            if not _NAME.fullmatch(tool["name"]) or tool["input_schema"].get("type") != "object":
                yield "tools.0: Input should be a valid tool"
        waiting: set[str] = set()
        for turn in body["messages"]:
            if turn["role"] not in ("user", "assistant"):
                yield f'messages: Unexpected role "{turn["role"]}".'
            if not turn["content"]:
                yield "messages: text content blocks must be non-empty"
            given = {block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"}
            if waiting - given:
                yield "messages: `tool_use` ids were found without `tool_result` blocks immediately after"
            waiting = {block["id"] for block in turn["content"] if block["type"] == "tool_use"}

    def openai(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        messages = [{"role": "system", "content": body["system"]}] if "system" in body else []
        for turn in body["messages"]:
            texts = [block.get("text") or block.get("content") for block in turn["content"]]
            messages.append({"role": turn["role"], "content": "\n\n".join(text for text in texts if text)})
        return _told(body["model"], messages, body.get("tools", ()), body.get("tool_choice"), "input_schema")

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": reply.text}] if reply.text else []
        if "response_format" in body:
            name = body["response_format"]["json_schema"]["name"]
            blocks = [{"type": "tool_use", "id": "toolu_1", "name": name, "input": json.loads(reply.text)}]
        blocks += [
            {"type": "tool_use", "id": f"toolu_{n}", "name": k, "input": v} for n, (k, v) in enumerate(reply.tools)
        ]
        if self.thinks:
            blocks.insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"})
        read = prompt_tokens(asked(body))
        return Answer(
            {
                "id": f"msg_{number}",
                "type": "message",
                "role": "assistant",
                "model": self.model,
                "content": blocks,
                "stop_reason": "tool_use" if blocks[-1]["type"] == "tool_use" else "end_turn",
                "stop_sequence": None,
                "usage": {
                    "input_tokens": read - read // 4,
                    "cache_read_input_tokens": read // 4,
                    "cache_creation_input_tokens": 0,
                    "output_tokens": count_tokens(reply.text),
                },
            }
        )


class Gemini(StrictServer):
    """Google's generateContent."""

    model = "gemini-2.5-flash"
    path = "/v1beta/models/gemini-2.5-flash:generateContent"
    spec = "gemini/gemini-2.5-flash"
    variables = ("GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY")
    thoughts = 57

    def __init__(self, script: Script = content, *, busy: int = 0) -> None:
        super().__init__(script)
        self.busy = busy

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        headers = self.headers[number]
        if headers.get("x-goog-api-key") != KEY or "authorization" in headers:
            return self.refusal(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.")
        if self.paths[number] != self.path:
            return self.refusal(404, "NOT_FOUND", "models/x is not found for API version v1beta")
        if number < self.busy:
            words = "You exceeded your current quota, please check your plan and billing details."
            wait = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"}
            return self.refusal(429, "RESOURCE_EXHAUSTED", words, [wait])
        for words in self.broken_rules(body):
            return self.refusal(400, "INVALID_ARGUMENT", words)
        return None

    def refusal(self, status: int, kind: str, words: str, details: Any = ()) -> Answer:
        inner = {"code": status, "message": words, "status": kind, "details": list(details)}
        return Answer({"error": inner}, status)

    def broken_rules(self, body: Mapping[str, Any]) -> Iterator[str]:
        known = {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig", "safetySettings"}
        config = set(
            "temperature topP topK seed maxOutputTokens stopSequences responseMimeType responseJsonSchema "
            "thinkingConfig frequencyPenalty presencePenalty candidateCount".split()
        )
        for name in (*(set(body) - known), *(set(body.get("generationConfig", {})) - config)):
            yield f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.'
        settings = body.get("generationConfig", {})
        if "responseJsonSchema" in settings and settings.get("responseMimeType") != "application/json":
            yield "response_schema requires response_mime_type application/json"
        if "responseMimeType" in settings and body.get("tools"):
            yield "Function calling with a response mime type: 'application/json' is unsupported"
        called: list[str] = []
        for turn in body["contents"]:
            if turn["role"] not in ("user", "model") or not turn["parts"]:
                yield "Please use a valid role: user, model."
            answered = [part["functionResponse"]["name"] for part in turn["parts"] if "functionResponse" in part]
            if called and answered != called:
                yield "Please ensure that function response turn comes immediately after a function call turn."
            calls = [part for part in turn["parts"] if "functionCall" in part]
            called = [part["functionCall"]["name"] for part in calls]
            if any("thoughtSignature" not in part for part in calls[:1]):
                yield "Function call is missing a thought_signature in functionCall parts."

    def openai(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        system = body.get("systemInstruction")
        messages = [{"role": "system", "content": system["parts"][0]["text"]}] if system else []
        for turn in body["contents"]:
            texts = [part.get("text") or str(part.get("functionResponse", "")) for part in turn["parts"]]
            role = "assistant" if turn["role"] == "model" else "user"
            messages.append({"role": role, "content": "\n\n".join(text for text in texts if text)})
        declared = [tool for each in body.get("tools", ()) for tool in each["functionDeclarations"]]
        told = _told(self.model, messages, declared, None, "parametersJsonSchema")
        if "responseJsonSchema" in body.get("generationConfig", {}):
            schema = body["generationConfig"]["responseJsonSchema"]
            told |= {"response_format": {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}}
        return told

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        parts: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
        parts += [{"functionCall": {"name": k, "args": v}, "thoughtSignature": "c2ln+/="} for k, v in reply.tools]
        read, said = prompt_tokens(asked(body)), count_tokens(reply.text)
        return Answer(
            {
                "candidates": [{"content": {"parts": parts, "role": "model"}, "finishReason": "STOP", "index": 0}],
                "usageMetadata": {
                    "promptTokenCount": read,
                    "cachedContentTokenCount": read // 2,
                    "candidatesTokenCount": said,
                    "thoughtsTokenCount": self.thoughts,
                    "totalTokenCount": read + said + self.thoughts,
                },
                "modelVersion": self.model,
                "responseId": f"r{number}",
            }
        )


class Bedrock(StrictServer):
    """Amazon Bedrock's Converse, with a key or a signature. `tools=False`: a model that knows no tools."""

    model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
    spec = f"bedrock/{model}"
    variables = ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "AWS_BEARER_TOKEN_BEDROCK")

    def __init__(self, script: Script = content, *, busy: int = 0, tools: bool = True) -> None:
        super().__init__(script)
        self.busy = busy
        self.tools = tools

    def problem(self, number: int, body: Mapping[str, Any]) -> Answer | None:
        given = self.headers[number].get("authorization", "")
        if given != f"Bearer {KEY}" and not given.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/"):
            return Answer({"message": "The security token included in the request is invalid."}, 403)
        if unquote(self.paths[number]) != f"/model/{self.model}/converse" or ":" in self.paths[number]:
            return Answer({"message": "Unable to determine the service/operation name to be authorized"}, 404)
        if number < self.busy:
            return Answer({"message": "Too many tokens, please wait before trying again."}, 429)
        for words in self.broken_rules(body):
            return Answer({"message": words}, 400, {"x-amzn-errortype": "ValidationException"})
        return None

    def broken_rules(self, body: Mapping[str, Any]) -> Iterator[str]:
        known = {"messages", "system", "inferenceConfig", "toolConfig", "additionalModelRequestFields"}
        settings = {"maxTokens", "temperature", "topP", "stopSequences"}
        for name in (*(set(body) - known), *(set(body.get("inferenceConfig", {})) - settings)):
            yield f"Malformed input request: extraneous key [{name}] is not permitted"
        if "toolConfig" in body and not self.tools:
            yield "This model doesn't support tool use."
        waiting: set[str] = set()
        for turn in body["messages"]:
            if turn["role"] not in ("user", "assistant") or not turn["content"]:
                yield "A conversation must alternate between user and assistant roles."
            given = {block["toolResult"]["toolUseId"] for block in turn["content"] if "toolResult" in block}
            if waiting - given:
                yield "Expected toolResult blocks at messages.2.content"
            waiting = {block["toolUse"]["toolUseId"] for block in turn["content"] if "toolUse" in block}

    def openai(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        messages = [{"role": "system", "content": part["text"]} for part in body.get("system", ())]
        for turn in body["messages"]:
            texts = [block.get("text") or str(block.get("toolResult", "")) for block in turn["content"]]
            messages.append({"role": turn["role"], "content": "\n\n".join(text for text in texts if text)})
        config = body.get("toolConfig", {})
        offered = [
            tool["toolSpec"] | {"schema": tool["toolSpec"]["inputSchema"]["json"]} for tool in config.get("tools", ())
        ]
        choice = config.get("toolChoice", {}).get("tool")
        return _told(self.model, messages, offered, {"type": "tool", **choice} if choice else None, "schema")

    def answer(self, number: int, body: Mapping[str, Any], reply: Reply) -> Answer:
        blocks: list[dict[str, Any]] = [{"text": reply.text}] if reply.text else []
        if "response_format" in body:
            name = body["response_format"]["json_schema"]["name"]
            blocks = [{"toolUse": {"toolUseId": "t1", "name": name, "input": json.loads(reply.text)}}]
        blocks += [{"toolUse": {"toolUseId": f"t{n}", "name": k, "input": v}} for n, (k, v) in enumerate(reply.tools)]
        read, said = prompt_tokens(asked(body)), count_tokens(reply.text)
        usage = {"inputTokens": read - 10, "outputTokens": said, "totalTokens": read + said}
        return Answer(
            {
                "output": {"message": {"role": "assistant", "content": blocks}},
                "stopReason": "tool_use" if "toolUse" in blocks[-1] else "end_turn",
                "usage": usage | {"cacheReadInputTokens": 10, "cacheWriteInputTokens": 0},
                "metrics": {"latencyMs": 1},
            }
        )


def _told(
    model: str, messages: list[dict[str, Any]], tools: Any, choice: Mapping[str, Any] | None, schema: str
) -> dict[str, Any]:
    """A request in OpenAI's format; a tool that must be called stands for the schema of the reply."""
    body: dict[str, Any] = {"model": model, "messages": messages}
    if choice is not None and choice.get("type") == "tool":
        found = next(tool for tool in tools if tool["name"] == choice["name"])
        named = {"name": found["name"], "schema": found[schema]}
        return body | {"response_format": {"type": "json_schema", "json_schema": named}}
    if tools:
        functions = ({"name": tool["name"], "parameters": tool.get(schema) or {}} for tool in tools)
        body["tools"] = [{"type": "function", "function": function} for function in functions]
    return body
