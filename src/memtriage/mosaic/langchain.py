"""mosaic in LangChain: a retriever that can also be written to, and tools for an agent.

There is no chat history: langchain-core deprecates them since 1.6.4, in favour of LangGraph's checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from memtriage.core.errors import BadInput, install_extra
from memtriage.mosaic import Entry, Hit, MosaicMemory
from memtriage.mosaic.tools import memory_functions, now

try:
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
except ImportError as error:
    needed = install_extra("langchain")
    raise ImportError(f"mosaic in LangChain needs langchain-core; install it with: {needed}") from error

_ROLES = {"human": "user", "ai": "assistant"}
_KEPT = ("role", "session", "at")
"""What a memory keeps of a document's metadata."""


class MosaicRetriever(BaseRetriever):
    """A retriever over a mosaic memory that also takes messages, texts and documents.

    A document's metadata say who said it, in which session and when, why it came back and what overtook it.
    """

    memory: MosaicMemory
    k: int = 5
    tokens: int | None = None
    """As many documents as fit into so many tokens, and k at most."""

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        return [_document(hit) for hit in self.memory.search(query, self.k, at=now(), tokens=self.tokens)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun | None = None
    ) -> list[Document]:
        return self._get_relevant_documents(query)

    def add_messages(self, messages: Iterable[BaseMessage], *, session: str = "", at: str | None = None) -> list[str]:
        """Keep what the user and the assistant said, and return the new ids.

        System prompts, calls of tools and what they returned are left out, and so is a message whose id was kept
        before: you may pass the whole conversation every time. In a session, a message without an id gets one made of
        the session, its place in what is passed, and its text; without a session it is kept each time.
        """
        entries = []
        taken: set[str] = set()
        for n, message in enumerate(messages):
            role, text = _ROLES.get(message.type), str(message.text)
            id = message.id or (
                f"{session}/{n}-{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}" if session else ""
            )
            if role is None or not text.strip() or id in taken or (id and self.memory.get(id) is not None):
                continue
            entries.append(Entry(id, text, role, session, at or now()))
            taken |= {id} - {""}
        return self.memory.add_all(entries)

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: Sequence[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str] | None = None,
    ) -> list[str]:
        """Keep texts, and return their ids; metadata may be `role`, `session` and `at`."""
        listed = list(texts)
        for what, given in (("metadatas", metadatas), ("ids", ids)):
            if given is not None and len(given) != len(listed):
                raise BadInput(f"{len(listed)} texts came with {len(given)} {what}; give one for each")
        parts = zip(listed, metadatas or [{}] * len(listed), ids or [""] * len(listed), strict=True)
        return self.memory.add_all([_entry(text, data, id) for text, data, id in parts])

    def add_documents(self, documents: Iterable[Document]) -> list[str]:
        """Keep documents, and return their ids; their metadata may be `role`, `session` and `at`."""
        return self.memory.add_all([_entry(each.page_content, each.metadata, each.id or "") for each in documents])


def memory_tools(memory: MosaicMemory, *, session: str = "", k: int = 5) -> list[BaseTool]:
    """The tools `remember` and `recall`, for an agent that decides itself what to keep and what to look up."""
    functions = memory_functions(memory, session=session, k=k)
    return [StructuredTool.from_function(coroutine=function, parse_docstring=True) for function in functions]


def _document(hit: Hit) -> Document:
    entry = hit.entry
    said = {"role": entry.role, "session": entry.session, "at": entry.at}
    found = {"score": hit.score, "why": hit.why, "by": hit.by, "voided_by": hit.voided_by}
    return Document(entry.text, id=entry.id, metadata=said | found)


def _entry(text: str, given: Mapping[str, Any], id: str) -> Entry:
    for key in given:
        if key not in _KEPT:
            raise BadInput(f"mosaic keeps {', '.join(_KEPT)} of a document's metadata, not {key!r}; leave it out")
    role, session, at = (str(given.get(key) or "") for key in _KEPT)
    return Entry(id, text, role or "user", session, at or now())
