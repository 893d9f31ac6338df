"""mosaic in LangChain: a retriever that is written to, in a chain with a model, and the tools of an agent."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from memtriage.core.errors import BadInput
from memtriage.mosaic import MosaicMemory

pytest.importorskip("langchain_core", reason="the extra langchain is not installed")

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from memtriage.mosaic.langchain import MosaicRetriever, memory_tools

GYM = "My gym is Baths Hall, because of my job; if my job changes, so will this."
JOB = "I have a new job as a baker."


def texts(documents: list[Document]) -> list[str]:
    return [document.page_content for document in documents]


def test_a_chain_is_given_what_was_said_and_what_overtook_it() -> None:
    memory = MosaicMemory()
    retriever = MosaicRetriever(memory=memory, k=2)
    gym, job = retriever.add_texts([GYM, JOB], [{"at": "2026-03-01"}, {"at": "2026-04-01", "session": "spring"}])
    retriever.add_texts(["The soup was too salty.", "There was fog on the river."])
    asked: list[str] = []

    class Model(GenericFakeChatModel):
        def _generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
            asked.append(str(messages[-1].text))
            return super()._generate(messages, *args, **kwargs)

    chain = (
        {"memories": retriever | (lambda found: "\n".join(texts(found))), "question": RunnablePassthrough()}
        | ChatPromptTemplate.from_template("{memories}\n\n{question}")
        | Model(messages=iter([AIMessage("Ask again once you know the new gym.")]))
        | StrOutputParser()
    )
    assert chain.invoke("Where is my gym?") == "Ask again once you know the new gym."
    assert asked == [f"{JOB}\n{GYM}\n\nWhere is my gym?"]
    first, second = retriever.invoke("Where is my gym?")
    assert (first.id, first.metadata["why"], first.metadata["session"]) == (job, "dependency", "spring")
    assert (second.id, second.metadata["voided_by"], second.metadata["at"]) == (gym, job, "2026-03-01")
    assert asyncio.run(retriever.ainvoke("Where is my gym?")) == [first, second]


def test_messages_are_kept_once_and_only_what_people_said() -> None:
    memory = MosaicMemory()
    retriever = MosaicRetriever(memory=memory)
    conversation = [
        SystemMessage("You are a helpful assistant."),
        HumanMessage("I moved to Lisbon.", id="one"),
        AIMessage("", tool_calls=[{"name": "weather", "args": {}, "id": "call"}], id="two"),
        ToolMessage("sunny", tool_call_id="call"),
        AIMessage([{"type": "text", "text": "Enjoy the sun!"}], id="three"),
        HumanMessage("\n".join(f"{n}. Box {n} has books." for n in range(9)), id="boxes"),
    ]
    assert retriever.add_messages(conversation, session="chat", at="2026-05-01") == ["one", "three", "boxes"]
    again = [*conversation, HumanMessage("I sold the car.", id="four")]
    assert retriever.add_messages(again, session="chat") == ["four"]
    kept = [(entry.role, entry.text) for entry in memory.get_all() if "#" not in entry.id]
    assert kept == [("user", "I moved to Lisbon."), ("assistant", "Enjoy the sun!"), ("user", "I sold the car.")]
    assert {entry.session for entry in memory.get_all()} == {"chat"}
    assert len(memory) == 3 + 9
    assert texts(retriever.invoke("Where did I move to?"))[0] == "I moved to Lisbon."


def test_a_budget_of_tokens_limits_what_comes_back() -> None:
    retriever = MosaicRetriever(memory=MosaicMemory(), k=10)
    retriever.add_documents([Document(f"My box {word} has books.") for word in ("red", "blue", "green", "white")])
    assert len(retriever.invoke("What is in my boxes?")) == 4
    retriever.tokens = 15  # a memory is 6 or 7 tokens
    assert len(retriever.invoke("What is in my boxes?")) == 2


def test_what_a_memory_does_not_keep_is_refused() -> None:
    memory = MosaicMemory()
    retriever = MosaicRetriever(memory=memory)
    with pytest.raises(BadInput, match="keeps role, session, at of a document's metadata, not 'source'"):
        retriever.add_documents([Document("I row."), Document("I swim.", metadata={"source": "a.pdf"})])
    with pytest.raises(BadInput, match="2 texts came with 1 ids"):
        retriever.add_texts(["I row.", "I swim."], ids=["a"])
    assert len(memory) == 0


def test_an_agents_tools_keep_and_look_up() -> None:
    memory = MosaicMemory()
    remember, recall = memory_tools(memory, session="chat", k=1)
    assert (remember.name, recall.name) == ("remember", "recall")
    assert "in the user's own words" in remember.args["text"]["description"]
    assert "whole question" in recall.args["question"]["description"]

    async def used() -> list[str]:
        return [
            await recall.ainvoke({"question": "Where do I live?"}),
            await remember.ainvoke({"text": "I live in Lisbon."}),
            await remember.ainvoke({"text": " "}),
            await memory_tools(memory)[1].ainvoke({"question": "Where do I live?"}),
            await recall.ainvoke({"question": "Where do I live?"}),  # the model sees that conversation anyway
        ]

    nothing, kept, empty, found, own = asyncio.run(used())
    assert (nothing, kept, empty) == ("Nothing is known about it.", "Kept as m0.", "An empty text was not kept.")
    assert own == nothing
    assert re.fullmatch(r"- \d{4}-\d\d-\d\d, user: I live in Lisbon\. \[m0\]", found)
    assert memory.get_all()[0].session == "chat"
