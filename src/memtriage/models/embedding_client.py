"""Texts as vectors from an endpoint: in batches, each text paid for once."""

from __future__ import annotations

import base64
from array import array
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Any

from memtriage.core.chat import FINGERPRINT, Role, Tokens
from memtriage.models.cache import CacheEntry, embedding_key
from memtriage.models.call import Exchange, MeteredModel
from memtriage.models.embedding_batches import BatchLimits, cut, shortened, too_much
from memtriage.models.embedding_presets import EmbeddingPreset, preset_for
from memtriage.models.endpoint import Sent
from memtriage.models.failures import Failure
from memtriage.models.idempotency_key import IdempotencyKey
from memtriage.models.openai_format import packed_vector, token_count
from memtriage.text.tokens import count_all
from memtriage.text.words import well_formed

_MOST_BYTES = 128 << 20
"""What vectors of a run without a cache may take; the oldest go first."""
_CUT = "cut "
"""Stands before a cached vector that is of the beginning of its text only."""


class EmbeddingClient(MeteredModel):
    """An embedding model behind an OpenAI-compatible endpoint; every text's vector is kept on its own.

    What the model's preset puts before texts and queries is part of what is sent, and so of the cache key. A text that
    is longer than the model takes is cut, and counted on the bill.
    """

    @cached_property
    def preset(self) -> EmbeddingPreset:
        return preset_for(self.spec.model, self.spec.settings.preset)

    @cached_property
    def limits(self) -> BatchLimits:
        return BatchLimits.expected(self.spec)

    @cached_property
    def _cut(self) -> set[str]:
        """The keys of texts that were cut."""
        return set()

    @cached_property
    def _without_cache(self) -> OrderedDict[str, CacheEntry]:
        """What a run without a cache has embedded: a text has one vector, however many systems want it."""
        return OrderedDict()

    async def embed(
        self, texts: Sequence[str], more: Mapping[str, Any] | None = None, *, query: bool = False
    ) -> list[list[float]]:
        """One vector per text, in order; texts embedded before, or just being embedded, cost nothing.

        `more` goes into the request as it is, such as dimensions.
        """
        before = self.preset.query if query else self.preset.document
        # Endpoints refuse an empty text; a blank stands in for it.
        wanted = [before + (well_formed(text) if text.strip() else " ") for text in texts]
        keys = {text: embedding_key(self.spec, text, more) for text in wanted}
        text_of = {key: text for text, key in keys.items()}

        def batches(missing: Sequence[str]) -> Iterable[_EmbeddingExchange]:
            start = 0
            while start < len(missing):
                part = self.limits.first({key: text_of[key] for key in missing[start : start + self.limits.texts]})
                yield _EmbeddingExchange(self, part, more or {})
                start += len(part)

        entries, _ = await self._entries(list(text_of), _EmbeddingExchange.role, _EmbeddingExchange.stage, batches)
        self._count_cut(key for key, entry in entries.items() if entry.text.startswith(_CUT))
        vectors = {key: _unpacked(entry.text) for key, entry in entries.items()}
        return [vectors[keys[text]] for text in wanted]

    def _kept(self, keys: Sequence[str], role: Role, stage: str) -> dict[str, CacheEntry]:
        if self.cache is not None:
            return super()._kept(keys, role, stage)
        return {key: entry for key in keys if (entry := self._without_cache.get(key)) is not None}

    async def _pay(self, exchange: Exchange) -> Mapping[str, CacheEntry]:
        entries = await super()._pay(exchange)
        if self.cache is None:
            self._without_cache.update(entries)
            size = max((len(entry.text) for entry in entries.values()), default=0)  # of one as of the other
            while size * len(self._without_cache) > _MOST_BYTES:
                self._without_cache.popitem(last=False)
        return entries

    async def _send(
        self, exchange: Exchange, key: IdempotencyKey, dollars: Decimal | None, again: bool
    ) -> Mapping[str, CacheEntry]:
        """One try at a batch, in several requests where the endpoint takes less at once."""
        assert isinstance(exchange, _EmbeddingExchange)
        while True:
            exchange.take()
            try:
                await super()._send(exchange, key, dollars, again)
            except Failure as failure:
                if not exchange.made_smaller(failure):
                    raise
                again = True
                self.ledger.retried(exchange.role, exchange.stage)
                continue
            if not exchange.open:
                return exchange.entries

    def _count_cut(self, keys: Iterable[str]) -> None:
        new = set(keys) - self._cut
        if new:
            self._cut.update(new)
            self.ledger.cut(_EmbeddingExchange.role, _EmbeddingExchange.stage, len(new))


class _EmbeddingExchange(Exchange):
    """One batch of texts, by their cache keys."""

    path = "/embeddings"
    role = "embed"
    stage = "embed"

    def __init__(self, client: EmbeddingClient, texts: Mapping[str, str], more: Mapping[str, Any]) -> None:
        self.keys = list(texts)
        self.id = sha256("".join(texts).encode()).hexdigest()
        self.entries: dict[str, CacheEntry] = {}
        longest = client.preset.longest
        self.open = dict(texts) if longest is None else {key: cut(text, longest) for key, text in texts.items()}
        self._cut = {key for key, text in self.open.items() if text != texts[key]}
        self._batch: dict[str, str] = {}
        self._most: int | None = None
        self._client = client
        self._more = more

    def known(self, entries: Mapping[str, CacheEntry]) -> None:
        self.entries |= entries
        for key in entries:
            del self.open[key]

    def take(self) -> None:
        """Choose what is sent next of what has no vector yet."""
        self._batch = dict(islice(self._client.limits.first(self.open).items(), self._most))

    def made_smaller(self, failure: Failure) -> bool:
        """Whether less will be sent next, because the endpoint found this too much."""
        what = too_much(failure)
        if what is None:
            return False
        if len(self._batch) > 1:
            self._client.limits.learn(self._batch, what)
            if what == "text":  # one of them is too long: which one shows when there are fewer
                self._most = len(self._batch) // 2
            return True
        ((key, text),) = self._batch.items()
        less = shortened(text, failure) if what != "texts" else None
        if less is None:
            return False
        self.open[key] = less
        self._cut.add(key)
        self._client.limits.learn({key: less}, "text")
        return True

    def expected(self) -> Tokens:
        return Tokens(count_all((self._batch or self.open).values()), 0)

    def body(self) -> dict[str, Any]:
        model = self._client.spec.model
        return {**self._more, "model": model, "input": list(self._batch.values()), "encoding_format": "float"}

    def tokens(self, reply: dict[str, Any]) -> Tokens:
        usage = reply.get("usage")
        given = token_count(usage.get("prompt_tokens")) if isinstance(usage, dict) else None
        return self.expected() if given is None else Tokens(given, 0)

    def read(self, sent: Sent, tokens: Tokens) -> Mapping[str, CacheEntry]:
        if sent.body.get("system_fingerprint") == FINGERPRINT:
            self._client.ledger.was_scripted(self.role)
        vectors = _vectors(sent.body, len(self._batch), self._client.endpoint.url)
        share = tokens.input // len(self._batch)
        for key, vector in zip(self._batch, vectors, strict=True):
            text = (_CUT if key in self._cut else "") + packed_vector(vector)
            self.entries[key] = CacheEntry(text, share, 0, sent.seconds, self._client.spec.model)
            del self.open[key]
        if len(self._batch) == 1:
            self._most = None  # the text that was too long is done
        return self.entries


def _vectors(reply: Mapping[str, Any], count: int, url: str) -> list[array[float]]:
    try:
        ordered = sorted(enumerate(reply["data"]), key=lambda pair: pair[1].get("index", pair[0]))
        vectors = [array("f", each["embedding"]) for _, each in ordered]
    except (AttributeError, KeyError, TypeError, OverflowError):
        words = f"{url} sent embeddings that are not one list of numbers per text"
        raise Failure("malformed", words, again=True) from None
    if len(vectors) != count or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        raise Failure("malformed", f"{url} sent {len(vectors)} vectors for {count} texts", again=True)
    return vectors


def _unpacked(text: str) -> list[float]:
    vector = array("f")
    vector.frombytes(base64.b64decode(text.removeprefix(_CUT)))
    return vector.tolist()
