"""A chat model: ask it, and get a reply that fits its schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtriage.core.chat import FINGERPRINT, Call, ModelError, Reply, Tokens
from memtriage.models.cache import SCRIPTED_MARK, CacheEntry, call_key
from memtriage.models.call import USUAL_OUTPUT, AskAgain, Exchange, MeteredModel
from memtriage.models.endpoint import Sent
from memtriage.models.failures import Failure
from memtriage.models.openai_format import first_choice, usage_in
from memtriage.models.request import Capabilities
from memtriage.models.structured import parse, without_thoughts
from memtriage.text.tokens import count_tokens
from memtriage.text.words import well_formed

# After a reply that was cut off, the limit on tokens grows so many times, to at least so many.
_MORE_ROOM = 4
_LEAST_ROOM = 1024
_THINKING_ROOM = 4096
_MANY_MALFORMED = 3


class Client(MeteredModel):
    """A chat model behind an OpenAI-compatible endpoint; one client belongs to one event loop.

    >>> async def hello(model: str) -> str:
    ...     async with Client(model) as client:
    ...         return (await client.ask(Call("answer", "answer", (Message("user", "Say hello."),)))).text
    """

    async def ask(self, call: Call) -> Reply:
        """The model's reply, from the cache where the same was asked before. Errors are not kept."""
        key = call_key(self.spec, call)
        entries, free = await self._entries([key], call.role, call.stage, lambda _: [_ChatExchange(self, call, key)])
        entry = entries[key]
        scripted = entry.model.endswith(SCRIPTED_MARK)
        if scripted:
            self.ledger.was_scripted(call.role)
        return Reply(entry.text, Tokens(entry.input, entry.output), entry.seconds, free, entry.data, scripted)


class _ChatExchange(Exchange):
    """One call: what was wrong with a reply changes the next request."""

    path = "/chat/completions"
    capabilities: Capabilities

    def __init__(self, client: Client, call: Call, key: str) -> None:
        self.id, self.keys = key, [key]
        self.role, self.stage = call.role, call.stage
        self.capabilities = client.capabilities
        self._name, self._url = client.name, client.endpoint.url
        self._call = call
        # What the user says of the model goes before what the caller needs.
        self._max_tokens = client.spec.settings.max_tokens or call.max_tokens
        self._widened = False
        self._malformed = 0
        self._only_bound = False
        self._counted: int | None = None

    def expected(self) -> Tokens:
        return Tokens(self._prompt_tokens(), self._max_tokens or USUAL_OUTPUT)

    def body(self) -> dict[str, Any]:
        malformed = self._malformed > 0
        self._only_bound = self._call.schema is not None and not self.capabilities.describes_schema(
            was_malformed=malformed
        )
        return self.capabilities.body(self._call, max_tokens=self._max_tokens, was_malformed=malformed)

    def misfit(self) -> None:
        self._malformed += 1
        if self._only_bound:
            self.capabilities.saw_bound_reply(fits=False)

    def tokens(self, reply: dict[str, Any]) -> Tokens:
        text = _content(first_choice(reply, self._url)["message"])
        return usage_in(reply) or Tokens(self._prompt_tokens(), count_tokens(text))

    def read(self, sent: Sent, tokens: Tokens) -> Mapping[str, CacheEntry]:
        choice = first_choice(sent.body, self._url)
        text = _content(choice["message"])
        said = [message.content for message in self._call.messages]
        if problem := self.capabilities.cut_prompt(said, tokens.input, self._prompt_tokens()):
            raise Failure("context", problem, again=False)
        if refusal := choice["message"].get("refusal"):
            raise Failure("refusal", f"{self._name} refused: {refusal}", again=True)
        if choice.get("finish_reason") == "content_filter":
            raise Failure("refusal", f"{self._name}: a content filter stopped the answer", again=False)
        if choice.get("finish_reason") == "length" and (self._call.schema is not None or not text.strip()):
            self._widen(thinking=not text.strip())
            raise AskAgain
        if not without_thoughts(text):
            raise Failure("empty", f"{self._name} sent an empty answer", again=True)
        data = self._parsed(text)
        if data is None:
            text = without_thoughts(text)
        return {self.id: CacheEntry(text, tokens.input, tokens.output, sent.seconds, _answered_by(sent.body), data)}

    def _prompt_tokens(self) -> int:
        """About how many tokens the prompt has, with the few that every message adds; counted once."""
        if self._counted is None:
            self._counted = sum(count_tokens(message.content) + 4 for message in self._call.messages)
        return self._counted

    def _parsed(self, text: str) -> dict[str, Any] | None:
        if self._call.schema is None:
            return None
        try:
            # A missing end may hide missing words: asking again is better, as long as that can help.
            data = parse(text, self._call.schema.json, close=self._malformed >= _MANY_MALFORMED)
        except ModelError as error:
            self.misfit()
            raise Failure("malformed", f"{self._name}: {error}", again=True) from None
        if self._only_bound:
            self.capabilities.saw_bound_reply(fits=True)
        return data

    def _widen(self, *, thinking: bool) -> None:
        """Ask for a longer reply, once."""
        if self._widened:
            words = f"{self._name}: the answer was cut off at {self._max_tokens} tokens, twice"
            raise Failure("malformed", words, again=False)
        self._widened = True
        # Without a limit of ours, the endpoint's own was reached.
        self._max_tokens = max(_LEAST_ROOM, _MORE_ROOM * (self._max_tokens or _THINKING_ROOM))
        if thinking:
            # All of it went into thinking, and so it would the next time: this model needs more from the start.
            self._max_tokens = max(self._max_tokens, _THINKING_ROOM)
            self.capabilities.allow(self._max_tokens)


def _answered_by(reply: Mapping[str, Any]) -> str:
    """The name under which the endpoint says it answered; the scripted server's is marked, also in the cache."""
    scripted = reply.get("system_fingerprint") == FINGERPRINT
    return str(reply.get("model") or "") + (SCRIPTED_MARK if scripted else "")


def _content(message: Mapping[str, Any]) -> str:
    """The message's text, which some endpoints send in parts."""
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return well_formed(content) if isinstance(content, str) else ""
