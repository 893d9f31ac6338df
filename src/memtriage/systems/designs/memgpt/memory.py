"""An agent with a small context that pages its own memory in and out by tools: the design of MemGPT."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import accumulate, islice
from typing import Any

from memtriage.core.chat import Message
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.core.memory import Answered, Memory, Question, Traits
from memtriage.models.embedders import Embedder
from memtriage.systems.designs.chat.chat_memory import one_of
from memtriage.systems.designs.chat.conversation import Sentence, day_number, people_statements
from memtriage.systems.designs.design import Design
from memtriage.systems.designs.files.file_memory import LineOrigin, WordSearch
from memtriage.systems.designs.memgpt.agent import (
    Agent,
    Passage,
    QueueEntry,
    block_lines,
    call_of,
    cut_into_passages,
    interleaved,
)
from memtriage.systems.designs.memgpt.prompts import EDITS, RULES, SEARCHES, agent_step, agent_summary
from memtriage.systems.designs.prompts import Ask
from memtriage.systems.designs.replies import line, number, records
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import whole
from memtriage.systems.retrieval.vector_store import VectorStore
from memtriage.systems.saved_state import texts
from memtriage.systems.tool_loop import Action, ActionResult, RefusedAction, Tool, run_loop, text_of
from memtriage.text.tokens import count_all, count_tokens, tokens_in
from memtriage.text.words import well_formed

PRESSURE = 0.7
"""From this share of the window on, the agent is warned that messages will leave its context."""

LEFT = 0.5
"""Paging out leaves at most this share of the window in use."""

WARNING = (
    "The context is nearly full. Soon its oldest messages will leave it; save what matters of them in core or "
    "archival memory now."
)
_LONGEST_SUMMARY = 1_500
_LONGEST_THOUGHT = 1_000
_AROUND_A_MESSAGE = 50
"""Tokens for the speaker and the time of a message that is shown."""

_CHARACTERS_TO_A_TOKEN = 4
_LAST_PAGE = 10_000
_STEPS = ("agent_keep", "agent_search", "agent_answer")


class MemGPT(Design):
    """Runs an agent that reads along, edits core memory, files passages, and searches what has left its context.

    Summarise: the agent gets each session as an event (`per=turn`: each turn), and calls tools, step by step, as long
    as its calls ask for another step (a heartbeat), at most `steps` of them. When its context exceeds `window` tokens,
    the oldest messages leave it, and a call writes the summary that stands for them.
    Store: core memory (blocks persona and human, each of `block` characters), recall memory (every message), archival
    memory (passages of up to `passage` tokens, with vectors), and the queue of messages in the context.
    Retrieve: core memory and summary are always shown; the agent searches archive and messages with words of its own,
    page by page, and the best of each search come first. k counts the passages and messages that its searches bring.
    It answers questions itself, too, from its whole context.

    With `ingest=archive` nobody reads: what is said becomes archival passages, and the agent acts only when asked.
    With `summarise=verbatim` there is no agent: messages are found by vectors and by words, in turn. With
    `summarise=rules`, what people state also goes into the block human, whose oldest lines leave it for the archive.
    """

    name = "memgpt"
    rules = RULES
    asks = tuple(RULES)
    traits = Traits(
        family="agentic",
        architecture=(
            "summarise: an agent edits core memory and files passages by tools, and sums up what leaves its context "
            "(or turns verbatim, or by rule); "
            "store: core blocks, recall memory of all messages, archival passages with vectors, a bounded queue; "
            "retrieve: core blocks always, and what the agent's searches of archive and messages bring "
            "(or vectors and BM25 in turn)"
        ),
    )

    def __init__(
        self,
        internal: str = "",
        embedder: str | Embedder = "wordllama",
        summarise: str = "model",
        ingest: str = "agent",
        per: str = "session",
        window: str | int = "8k",
        block: int = 2000,
        passage: int = 300,
        page: int = 5,
        steps: int = 10,
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, embedder, summarise, "turn", repeat, prompts)
        self.ingest, self.per = one_of("ingest", ingest, ("agent", "archive")), one_of("per", per, ("session", "turn"))
        self.window, self.block = tokens_in(window), whole("block", block)
        self.passage, self.page, self.steps = whole("passage", passage), whole("page", page), whole("steps", steps)
        self._refuse_small_window()
        modelled = self.summarise == "model"
        self.traits = replace(self.traits, takes_native=modelled, ranks_all=not modelled)
        self._vectors = VectorStore(self.embedder)
        self._words = WordSearch()
        self.reset()

    def reset(self) -> None:
        self.agent = Agent()
        self._vectors.clear()
        self._cut_short = self._unanswered = 0

    @property
    def answer(self) -> Callable[[Question], Answered]:
        """Answers a question as the agent, with searches of its own. Only where there is a model."""
        if self._writer is None:
            raise AttributeError(f"{self.name} has no model to answer with")
        return self._answer

    def notices(self) -> list[str]:
        """Whether the model was a scripted one, and how often the agent came to no end."""
        counted = {
            "events and questions that ended for want of steps": self._cut_short,
            "questions that the agent left without an answer": self._unanswered,
        }
        return [*super().notices(), *(f"{what}: {times}" for what, times in counted.items() if times)]

    def store_conversation(self, conversation: Session) -> None:
        with self._draft() as agent:
            if self.summarise == "model" and self.ingest == "archive":
                at = conversation.timestamp
                self._insert(agent, [(turn.text, LineOrigin(at, (turn.id,))) for turn in spoken(conversation)])
            elif self.summarise == "model":
                for event in self._events(conversation):
                    self._read(agent, event, conversation.timestamp)
            else:
                self._file(agent, conversation)
            self.agent = agent.kept()

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        if self.summarise == "model":
            return interleaved(self._searches(query, conversation))[: None if k is None else whole("k", k)]
        most, held = whole("k", k), {**self.agent.recall, **self.agent.archive}
        near = self._vectors.nearest(self._vectors.embed_query(query), most)
        said = self._sharing_words(query, list(held.values()), most)
        return interleaved([[held[id].memory for id, _ in near], said])[:most]

    def always_shown(self) -> list[Memory]:
        """Core memory and the summary, which are in the context whatever is asked."""
        return self.agent.core()

    def get_all_memories(self) -> list[Memory]:
        kept = (*self.agent.archive.values(), *self.agent.recall.values())
        return [*self.agent.core(), *(passage.memory for passage in kept)]

    # Summarise

    @contextmanager
    def _draft(self) -> Iterator[Agent]:
        """A copy of the agent to work on. Unless it is made the agent, its passages are forgotten again."""
        draft = self.agent.copy()
        try:
            yield draft
        finally:
            for id in draft.new:
                self._vectors.drop(id)

    def _events(self, session: Session) -> Iterator[list[Passage]]:
        """What the agent reads at once: a session or a turn, or as much of it as fits into half of its free room."""
        event: list[Passage] = []
        most, size = self._most_at_once, 0
        for turn in spoken(session):
            for message in self._messages(turn, session.timestamp, most):
                tokens = count_tokens(message.text) + _AROUND_A_MESSAGE
                if event and size + tokens > most:
                    yield event
                    event, size = [], 0
                event.append(message)
                size += tokens
            if self.per == "turn" and event:
                yield event
                event, size = [], 0
        if event:
            yield event

    def _messages(self, turn: Turn, at: str | None, most: int) -> list[Passage]:
        """A turn as messages: one, or several if it is longer than what can be read at once."""
        cut = cut_into_passages(well_formed(turn.text), most - _AROUND_A_MESSAGE)
        return [Passage("", text, at, (turn.id,), turn.role) for text in cut]

    def _read(self, agent: Agent, event: Sequence[Passage], at: str | None) -> None:
        for message in event:
            agent.hear(message)
        origin = LineOrigin(at, tuple(dict.fromkeys(id for message in event for id in message.sources)))
        self._act(agent, "agent_keep", self._tools(agent, origin, *EDITS, *SEARCHES))

    def _act(self, agent: Agent, task: str, tools: Mapping[str, Tool], **asked: str) -> None:
        """Let the agent take steps, as long as its calls ask for another one or can't be carried out."""
        left = self.steps

        def ask(_: tuple[Message, ...]) -> Mapping[str, Any]:
            nonlocal left
            self._make_room(agent, lambda: agent_step(task, agent.view(self.block), left, **asked))
            reply = self._ask(agent_step(task, agent.view(self.block), left, **asked))
            left -= 1
            agent.unread = 0
            if thought := line(reply, "thought"):
                agent.note(QueueEntry("thought", thought[:_LONGEST_THOUGHT]))
            calls = list(records(reply, "actions"))
            beats = any(call.get("heartbeat") is True for call in calls)
            unanswered = "send_message" in tools and not any(text_of(call, "tool") == "send_message" for call in calls)
            return {**reply, "done": not beats and not unanswered}

        def tell(_: Mapping[str, Any], results: list[ActionResult], __: int) -> tuple[Message, ...]:
            for each in results:
                if each.refused:
                    agent.note(QueueEntry("tool", call_of(each.action), result=f"not carried out: {each.text}"))
            return ()

        self._cut_short += not run_loop(ask, (), tools, tell, self.steps).finished

    def _make_room(self, agent: Agent, view: Callable[[], Ask]) -> None:
        """Warn the agent when its context is nearly full, and page out the oldest messages when it is."""
        size, warning = self._tokens(view()), QueueEntry("system", WARNING)
        if size > self.window:
            self._page_out(agent, size)
        elif (
            size > PRESSURE * self.window
            and not agent.warned
            and size + warning.tokens + _AROUND_A_MESSAGE <= self.window
        ):
            agent.note(warning)
            agent.warned = True

    def _page_out(self, agent: Agent, size: int) -> None:
        """Have the oldest messages leave the queue; what the agent has not seen yet goes only if it must."""
        read, leaving = len(agent.queue) - agent.unread, 0
        allowed = self.window - _LONGEST_SUMMARY // _CHARACTERS_TO_A_TOKEN
        for entry in agent.queue:
            if size <= (LEFT * self.window if leaving < read else allowed):
                break
            size -= entry.tokens
            leaving += 1
        gone = agent.queue[:leaving]
        while gone:  # once, unless it is more than a prompt takes
            room = self.window - self._tokens(agent_summary(agent.summary, []))
            fit = max(bisect_right(list(accumulate(entry.tokens + 1 for entry in gone)), room), 1)
            reply = self._ask(agent_summary(agent.summary, [entry.shown for entry in gone[:fit]]))
            agent.summary = line(reply, "summary")[:_LONGEST_SUMMARY] or agent.summary
            agent.summed_up_at = max((each.when for each in gone[:fit] if each.when), default=agent.summed_up_at)
            gone = gone[fit:]
        agent.queue = agent.queue[leaving:]
        agent.unread = min(agent.unread, len(agent.queue))
        agent.warned = False

    def _tokens(self, ask: Ask) -> int:
        put = ask.with_rule(self.prompts[ask.task])
        return count_all(message.content for message in put.messages)

    # Store

    def _tools(self, agent: Agent, origin: LineOrigin, *names: str) -> dict[str, Tool]:
        """Some of the tools, by name. Each call and its result are noted in the agent's queue."""
        known: dict[str, Callable[[Action], str]] = {
            "core_memory_append": lambda action: agent.append_to_block(action, self.block, origin),
            "core_memory_replace": lambda action: agent.replace_in_block(action, self.block, origin),
            "archival_memory_insert": lambda action: self._insert(agent, [(text_of(action), origin)]),
            "archival_memory_search": lambda action: self._search_archive(agent, action),
            "conversation_search": lambda action: self._search_messages(agent, action),
            "conversation_search_date": lambda action: self._search_days(agent, action),
            "send_message": lambda action: _say(agent, action),
        }

        def noted(run: Callable[[Action], str]) -> Tool:
            def call(action: Action) -> str:
                result = run(action)
                agent.note(QueueEntry("tool", call_of(action), result=result))
                return result

            return Tool(call)

        return {name: noted(known[name]) for name in names}

    def _insert(self, agent: Agent, filed: Sequence[tuple[str, LineOrigin]]) -> str:
        """File texts in the archive, each as one passage or several."""
        cut = [(piece, at) for text, at in filed for piece in cut_into_passages(well_formed(text), self.passage)]
        if filed and not cut:
            raise RefusedAction("`text` is empty; nothing was kept")
        new = [
            Passage(f"a{len(agent.archive) + n}", piece, origin.created_at, origin.sources)
            for n, (piece, origin) in enumerate(cut, 1)
        ]
        self._vectors.put([each.id for each in new], self._vectors.embed([each.text for each in new]))
        agent.archive.update({each.id: each for each in new})
        return f"kept; the archive now has {len(agent.archive)} passages"

    def _file(self, agent: Agent, session: Session) -> None:
        """Keep a session without a model: every turn as it stands and, by rule, what people state in core memory."""
        turns, most = spoken(session), self._most_at_once
        heard = [agent.remember(each) for turn in turns for each in self._messages(turn, session.timestamp, most)]
        self._vectors.put([each.id for each in heard], self._vectors.embed([each.text for each in heard]))
        if self.summarise == "rules":
            self._insert(
                agent,
                [left for each in people_statements(turns) for left in self._stated(agent, each, session.timestamp)],
            )

    def _stated(self, agent: Agent, statement: Sentence, at: str | None) -> Iterator[tuple[str, LineOrigin]]:
        """Add a statement to the block human; what has to leave it then, the oldest lines first, is for the archive."""
        human, stated = agent.blocks["human"], " ".join(well_formed(statement.text).split())
        origin = LineOrigin(at, (statement.turn,))
        if stated in human.text.split("\n"):
            return
        while human.text and len(human.text) + 1 + len(stated) > self.block:
            oldest, _, rest = human.text.partition("\n")
            first = next(iter(block_lines(human.text)), None)
            yield oldest, human.origins.get(first.id, origin) if first else origin
            human = human.written(rest, origin)
        if len(stated) > self.block:
            yield stated, origin
        else:
            human = human.written(f"{human.text}\n{stated}" if human.text else stated, origin)
        agent.blocks["human"] = human

    # Retrieve

    def _searches(self, query: str, conversation: Session) -> list[list[Memory]]:
        """What each search of the agent brings; it changes nothing, and isn't shown the queue, which it can search."""
        if not self.agent.recall and not self.agent.archive:
            return []
        with self._draft() as agent:
            agent.queue, agent.unread = [], 0
            tools = self._tools(agent, LineOrigin(None, ()), *SEARCHES)
            self._act(agent, "agent_search", tools, question=query, asked_at=conversation.timestamp or "")
            return agent.found

    def _answer(self, question: Question) -> Answered:
        """The agent's answer, and all that stood in its context; what it changed meanwhile is forgotten."""
        with self._draft() as agent:
            at_hand = [agent.core(), agent.in_view()]
            tools = self._tools(agent, LineOrigin(question.session.timestamp, ()), "send_message", *SEARCHES, *EDITS)
            self._act(agent, "agent_answer", tools, question=question.text, how=question.how)
            self._unanswered += not agent.said
            kept = self.agent.archive.keys() | self.agent.recall.keys()
            hits = [memory for memory in interleaved(agent.found) if memory.id in kept]
            seen = {memory.id: memory for part in (hits, *at_hand) for memory in part}
            return Answered(agent.said, tuple(seen.values()))

    def _search_archive(self, agent: Agent, action: Action) -> str:
        ranked = self._vectors.ranked(self._vectors.embed_query(_query(action)))
        return self._shown(agent, action, [agent.archive[id] for id, _ in ranked])

    def _search_messages(self, agent: Agent, action: Action) -> str:
        hits = self._sharing_words(_query(action), list(agent.recall.values()), max(len(agent.recall), 1))
        return self._shown(agent, action, [agent.recall[memory.id] for memory in hits])

    def _search_days(self, agent: Agent, action: Action) -> str:
        first = day_number(text_of(action, "start"))
        last = day_number(text_of(action, "end") or text_of(action, "start"))
        if first is None or last is None:
            raise RefusedAction("`start` and `end` are days, such as 2026-05-01")
        said = ((day_number(passage.created_at), passage) for passage in agent.recall.values())
        return self._shown(agent, action, [passage for day, passage in said if day and first <= day <= last])

    def _sharing_words(self, query: str, passages: Sequence[Passage], most: int) -> list[Memory]:
        """The passages that share a word with a query, the best first, at most so many."""
        found = self._words.best(query, [passage.memory for passage in passages], most)
        return [replace(memory, score=None) for memory in found if memory.score]

    def _shown(self, agent: Agent, action: Action, hits: Sequence[Passage]) -> str:
        """A page of what a search found. The pages of one step are together no longer than what can be read at once."""
        page, most = number(action, "page", _LAST_PAGE) or 0, self._most_at_once
        shown = next(islice(self._pages(hits, most), page, None), [])
        if not shown:
            return f"nothing on page {page}: {len(hits)} were found" if hits else "nothing was found"
        text = "\n".join([f"page {page}, {len(shown)} of {len(hits)} that were found:", *(each.line for each in shown)])
        brought = sum(count_tokens(entry.result) for entry in agent.queue[len(agent.queue) - agent.unread :])
        if brought and brought + count_tokens(text) > most:
            raise RefusedAction("this step has brought as much as can be read at once; search again in the next one")
        agent.found.append([passage.memory for passage in shown])
        return text

    def _pages(self, hits: Sequence[Passage], most: int) -> Iterator[list[Passage]]:
        """Hits by the page: `page` of them, or fewer if they are long."""
        shown: list[Passage] = []
        size = 0
        for hit in hits:
            tokens = count_tokens(hit.text) + _AROUND_A_MESSAGE
            if shown and (len(shown) == self.page or size + tokens > most):
                yield shown
                shown, size = [], 0
            shown.append(hit)
            size += tokens
        if shown:
            yield shown

    # Settings and disk

    @property
    def _most_at_once(self) -> int:
        """How many tokens an event or the results of a step may have: half of what the window leaves for the queue.

        The other half is for what is there already, when core memory and summary are full.
        """
        empty = Agent().view(self.block)
        rules = max(self._tokens(agent_step(task, empty, self.steps, question="", how="")) for task in _STEPS)
        full = (2 * self.block + _LONGEST_SUMMARY) // _CHARACTERS_TO_A_TOKEN
        return (self.window - rules - full) // 2

    def _refuse_small_window(self) -> None:
        short = self.passage + _AROUND_A_MESSAGE - self._most_at_once
        if short > 0:
            raise BadInput(
                f"{self.name}: a window of {self.window} tokens has no room for the rules, core memory and a passage; "
                f"name at least window={self.window + 2 * short}, or a smaller block or passage"
            )

    def _settings(self) -> dict[str, str | int | float]:
        own = ("ingest", "per", "window", "block", "passage", "page", "steps")
        return {**super()._settings(), **{name: getattr(self, name) for name in own}}

    def _state(self) -> dict[str, Any]:
        return {**self.agent.to_json(), "order": self._vectors.ids}

    def _restore(self, state: Mapping[str, Any]) -> None:
        agent, order = Agent.from_json(state), texts(state["order"])
        held = {**agent.recall, **agent.archive}
        vectors = self._vectors.embed([held[id].text for id in order])
        self.reset()
        self.agent = agent
        self._vectors.put(order, vectors)


def _query(action: Action) -> str:
    query = well_formed(text_of(action)).strip()
    if not query:
        raise RefusedAction("`text` names what to look for")
    return query


def _say(agent: Agent, action: Action) -> str:
    text = well_formed(text_of(action)).strip()
    if not text:
        raise RefusedAction("`text` is empty; nothing was said")
    agent.said = text
    return "said"
