"""Models of another process, for the systems of this one.

Stores may be filled on other machines. What their systems ask of models goes to the one process that has the keys, the
cache, the limits and the bill: here a `BorrowedModels` sends it there, and there `lend` asks the model and says what
that took.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from memtriage.core.chat import CallHeld
from memtriage.core.errors import MemtriageError
from memtriage.core.trace import Usage
from memtriage.models.bill import Account, Owner
from memtriage.models.client import Client
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.embedding_presets import EmbeddingPreset, preset_for
from memtriage.models.gateway.relay import Relay, RelayPath
from memtriage.models.held import HeldModel
from memtriage.models.ledger import current_tally, tallied
from memtriage.models.spec import ModelSpec
from memtriage.models.system_models import SystemModels, chat_spec

Kind = Literal["chat", "embedding", "/chat/completions", "/responses"]


@dataclass(frozen=True, slots=True)
class Request:
    """Something asked of the models: of which, for whom, and with what; without a model, what was paid for somebody."""

    owner: Owner
    kind: Kind = "chat"
    model: str = ""
    arguments: tuple[Any, ...] | None = None
    """None asks only what the model is."""


@dataclass(frozen=True, slots=True)
class Loan:
    """What came of a request, and what it took."""

    value: Any = None
    error: BaseException | None = None
    account: Account = field(default_factory=Account)


@dataclass(frozen=True, slots=True)
class Described:
    """A model as others may know it: without passwords, and without headers, as these may be secret."""

    name: str
    spec: ModelSpec


async def lend(models: SystemModels, request: Request) -> Loan:
    """Do what another process asked of these models, on their loop."""
    account = Account(owner=request.owner)
    try:
        if not request.model:
            return Loan(models.paid_for(request.owner))
        model = await asyncio.to_thread(_named, models, request)  # a local model is started, which takes a while
        if request.arguments is None:
            return Loan(_described(model.name, model.spec))
        with tallied(account):
            return Loan(await _ask(model, *request.arguments), account=account)
    except (MemtriageError, CallHeld) as error:
        return Loan(error=error, account=account)


def _named(models: SystemModels, request: Request) -> Client | HeldModel | EmbeddingClient | Relay:
    match request.kind:
        case "chat":
            return models.chat(request.model)
        case "embedding":
            return models.embedding(request.model)
        case path:
            return next(relay for relay in models.relays(request.model) if relay.path == path)


async def _ask(model: Any, *arguments: Any) -> Any:
    if isinstance(model, EmbeddingClient):
        texts, more, query = arguments
        return await model.embed(texts, more, query=query)
    return await model.ask(*arguments)


def _described(name: str, spec: ModelSpec) -> Described:
    return Described(name, replace(spec, userinfo="", query=(), settings=replace(spec.settings, headers=())))


class BorrowedModels(SystemModels):
    """The models of another process, reached through `send`; nothing is cached, limited or paid for here."""

    def __init__(self, send: Callable[[Request], Awaitable[Loan]]) -> None:
        super().__init__(cache=None)
        self._send = send
        self._known: dict[tuple[Kind, str], Described] = {}

    def chat(self, text: str) -> Client:
        chat_spec(text)  # where nothing is named, nobody has to be asked
        return cast(Client, _Chat(self, "chat", text))

    def relays(self, text: str) -> list[Relay]:
        paths: tuple[RelayPath, ...] = ("/chat/completions", "/responses")
        return [cast(Relay, _Relay(self, path, text)) for path in paths]

    def embedding(self, text: str) -> EmbeddingClient:
        return cast(EmbeddingClient, _Embedding(self, "embedding", text))

    def paid_for(self, owner: Owner) -> Usage:
        paid: Usage = self.run(self.ask(Request(owner)))
        return paid

    def described(self, kind: Kind, text: str) -> Described:
        """What a model is, as the other process has it."""
        if (kind, text) not in self._known:
            self._known[kind, text] = self.run(self.ask(Request((), kind, text)))
        return self._known[kind, text]

    async def ask(self, request: Request) -> Any:
        """What comes of a request; what it took goes on the account that is tallied here."""
        loan = await self._send(request)
        if (tally := current_tally()) is not None:
            tally.add(loan.account)
        if loan.error is not None:
            raise loan.error
        return loan.value


class _Borrowed:
    """One model, as far as writers, embedders and the gateway use it."""

    def __init__(self, models: BorrowedModels, kind: Kind, text: str) -> None:
        found = models.described(kind, text)
        self.name, self.spec = found.name, found.spec
        self._models, self._kind, self._text = models, kind, text

    async def _ask(self, *arguments: Any) -> Any:
        tally = current_tally()
        owner = tally.owner if tally is not None else ()
        return await self._models.ask(Request(owner, self._kind, self._text, arguments))


class _Chat(_Borrowed):
    async def ask(self, call: Any) -> Any:
        return await self._ask(call)


class _Relay(_Borrowed):
    @property
    def path(self) -> Kind:
        return self._kind

    async def ask(self, body: Mapping[str, Any], repeat: int = 0) -> Any:
        return await self._ask(dict(body), repeat)


class _Embedding(_Borrowed):
    @property
    def preset(self) -> EmbeddingPreset:
        return preset_for(self.spec.model, self.spec.settings.preset)

    async def embed(self, texts: Sequence[str], more: Mapping[str, Any] | None = None, *, query: bool = False) -> Any:
        return await self._ask(list(texts), None if more is None else dict(more), query)
