"""The models that memory systems use: one cache, one bill, one limiter per endpoint, for all threads.

    with SystemModels(cache=Cache()) as models, use_models(models):
        writer = current_models().writer("openai/gpt-4.1-mini")
        writer.ask([Message("user", "Which facts are in this?")], stage="extract")

A system in this process asks for a `writer` or an `embedder`; a library in a process of its own is given the address
of a `gate`. Nothing is opened until something is asked.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, TypeVar

from memtriage.core.chat import PATIENCE, Call, Message, ModelError, Reply, Schema
from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.models.bill import Account, Owner
from memtriage.models.breaker import Breaker, Tell
from memtriage.models.cache import Cache
from memtriage.models.call import MeteredModel
from memtriage.models.client import Client
from memtriage.models.embedding_client import EmbeddingClient
from memtriage.models.gateway.relay import ChatRelay, Relay, ResponsesRelay
from memtriage.models.held import DueCalls, HeldModel
from memtriage.models.ledger import Ledger, tallied
from memtriage.models.limiter import CEILING, Limiter
from memtriage.models.request import Capabilities
from memtriage.models.spec import ModelSpec, names_endpoint

if TYPE_CHECKING:
    from memtriage.models.embedders import Embedder
    from memtriage.models.gateway.server import Gate, Gateway

T = TypeVar("T")
M = TypeVar("M", bound=MeteredModel)


class SystemModels:
    """What systems may use of models during a run, shared by all threads.

    The clients live on an event loop in a thread of their own. The cache belongs to the caller and stays open.
    """

    def __init__(
        self,
        *,
        cache: Cache | None,
        ledger: Ledger | None = None,
        concurrency: int = CEILING,
        due: DueCalls | None = None,
        patience: float = PATIENCE,
        tell: Tell | None = None,
    ) -> None:
        self.cache = cache
        self.due = due or DueCalls()
        self.ledger = ledger or Ledger()
        self.concurrency = concurrency
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self._closed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._local = ExitStack()
        self._served: dict[str, ModelSpec] = {}
        self._patience, self._tell = patience, tell
        self._limiters: dict[str, Limiter] = {}
        self._breakers: dict[str, Breaker] = {}
        self._models: dict[tuple[type[MeteredModel], ModelSpec], MeteredModel] = {}
        self._capabilities: dict[ModelSpec, Capabilities] = {}
        self._gateway: Gateway | None = None

    def writer(self, spec: str, *, repeat: int = 0) -> Writer:
        """A chat model to ask from any thread. `repeat` tells independent repetitions of the same work apart."""
        return Writer(self, self.chat(spec), repeat)

    def chat(self, text: str) -> Client | HeldModel:
        """The chat model that a text names."""
        spec = chat_spec(text)
        if self.due.holds(spec):
            return HeldModel.of(spec, self.due, self.cache, self.ledger, stops=True)
        return self._model(Client, spec)

    def relays(self, text: str) -> list[Relay]:
        """The chat model that a text names, for the requests of libraries."""
        if self.due.holds(spec := chat_spec(text)):
            raise BadInput(
                f"model {spec.name!r} is answered by file, and a library in a process of its own can't wait for that; "
                "name a model with an endpoint"
            )
        return [self._model(ChatRelay, spec), self._model(ResponsesRelay, spec)]

    def embedding(self, text: str) -> EmbeddingClient:
        """The embedding model behind an endpoint that a text names."""
        spec = ModelSpec.parse(text).with_preset()
        if spec.kind == "local":
            raise BadInput(f"embedder {spec.label!r}: local models only chat; name wordllama, minilm or an endpoint")
        return self._model(EmbeddingClient, spec)

    def embedder(self, name: str) -> Embedder:
        """What turns texts into vectors: an offline embedder by its name, or one behind an endpoint."""
        from memtriage.models.embedders import offline_embedder
        from memtriage.models.endpoint_embedder import EndpointEmbedder

        if not names_endpoint(name):
            return offline_embedder(name)
        found = EndpointEmbedder(self.embedding(name), self.run)
        _ = found.dimensions  # an endpoint that isn't there fails now rather than in the middle of a run
        return found

    def gate(self, internal: str = "", embed: str = "", *, repeat: int = 0) -> Gate:
        """An address at which a library in another process finds the models, and is counted."""
        from memtriage.models.gateway.server import Gateway

        relays = self.relays(internal) if internal else []
        vectors = self.embedder(embed) if embed else None
        with self._lock:
            if self._gateway is None:
                self._gateway = Gateway(self.run)
            return self._gateway.gate(relays, vectors, repeat)

    def paid_for(self, owner: Owner) -> Usage:
        """What was paid for somebody, over all sessions of the run."""
        return self.ledger.paid_for(owner)

    @property
    def notes(self) -> list[str]:
        """What endpoints would not take, and were asked without."""
        with self._lock:
            return list(dict.fromkeys(note for model in self._models.values() for note in model.notes))

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Do something on the loop of the clients, and wait for it here. Not for use on that loop itself."""
        future = self.begin(work)
        try:
            return future.result()
        except CancelledError:
            raise ModelError("connection", "the call was broken off: the models are closed") from None
        except BaseException:
            future.cancel()
            raise

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Do something on the loop of the clients, without waiting for it."""
        with self._lock:
            try:
                return asyncio.run_coroutine_threadsafe(work, self._running())
            except BaseException:
                work.close()
                raise

    def close(self) -> None:
        """Break off what is under way and let go of everything; those who wait for an answer get an error."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            loop, thread = self._loop, self._thread
        try:
            if loop is not None and thread is not None and self._pid == os.getpid():
                asyncio.run_coroutine_threadsafe(self._shut(), loop).result()
                loop.call_soon_threadsafe(loop.stop)
                thread.join()
                loop.close()
        finally:
            self._local.close()

    def __enter__(self) -> SystemModels:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._closed or self._pid != os.getpid():
            raise RuntimeError("these models are closed; make another SystemModels")
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="memtriage-models", daemon=True)
            self._thread.start()
        return self._loop

    async def _shut(self) -> None:
        if self._gateway is not None:
            await self._gateway.aclose()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await asyncio.gather(*(model.aclose() for model in self._models.values()))
        await asyncio.get_running_loop().shutdown_default_executor()

    def _model(self, kind: type[M], spec: ModelSpec) -> M:
        """The one model of a kind with this spec, shared by all who ask for it."""
        with self._lock:
            found = self._models.get((kind, spec))
            if found is None:
                limiter = self._limiters.setdefault(spec.endpoint, Limiter(self.concurrency))
                breaker = self._breakers.setdefault(spec.endpoint, Breaker(self._patience, self._tell))
                resolved = self._resolved(spec)
                known = self._capabilities.setdefault(spec, Capabilities.expected(resolved))
                found = kind(
                    resolved,
                    cache=self.cache,
                    limiter=limiter,
                    breaker=breaker,
                    ledger=self.ledger,
                    capabilities=known,
                )
                self._models[kind, spec] = found
            assert isinstance(found, kind)
            return found

    def _resolved(self, spec: ModelSpec) -> ModelSpec:
        """The spec with a URL to ask; a local model is started once, for as many replies at once as the first says."""
        if spec.kind != "local" or spec.base_url is not None:
            return spec
        if spec.model not in self._served:
            from memtriage.models.local import resolve_all

            (self._served[spec.model],) = self._local.enter_context(resolve_all([spec]))
        served, wanted = self._served[spec.model], spec.settings.parallel
        if wanted not in (None, served.settings.parallel):
            raise BadInput(
                f"local model {spec.model!r} was started without parallel={wanted}; say it wherever it is named"
            )
        return spec.at(served.base_url or "")


class Writer:
    """A chat model for a memory system: ask it from any thread, and see what that took."""

    def __init__(self, models: SystemModels, client: Client | HeldModel, repeat: int = 0) -> None:
        self._models = models
        self._client = client
        self._repeat = repeat
        self._account = Account()
        self.scripted = False
        """Whether a reply came from the scripted server: reports must say so."""

    @property
    def name(self) -> str:
        """The model as tables and files name it, without any key."""
        return self._client.name

    @property
    def usage(self) -> Usage:
        """What went through this object alone; tokens and dollars are those paid for."""
        return self._account.usage()

    def ask(
        self,
        messages: Sequence[Message],
        *,
        stage: str,
        schema: Schema | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """The model's reply; ModelError where there is none."""
        call = Call("internal", stage, tuple(messages), schema, max_tokens, self._repeat)
        reply = self._models.run(self._ask(call))
        self.scripted = self.scripted or reply.scripted
        return reply

    async def _ask(self, call: Call) -> Reply:
        with tallied(self._account):
            return await self._client.ask(call)

    def __repr__(self) -> str:
        return f"Writer({self.name!r})"


def chat_spec(text: str) -> ModelSpec:
    """The spec of a chat model; BadInput if a text names none."""
    spec = ModelSpec.parse(text) if text.strip() else None
    if spec is None or (spec.kind == "offline" and not spec.is_by_file):
        problem = "no model was named" if spec is None else "model 'offline' writes nothing"
        raise BadInput(f"this memory writes with a model, and {problem}; name one with --internal openai/gpt-4.1-mini")
    return spec
