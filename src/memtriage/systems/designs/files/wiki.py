"""Daily logs, compiled into a small wiki that is navigated when it is asked: the Karpathy Wiki of MEME's paper."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from memtriage.core.episode import Session
from memtriage.core.memory import Memory, Traits
from memtriage.systems.designs.design import distinct
from memtriage.systems.designs.files.file_memory import (
    FileMemory,
    LineOrigin,
    origins_from_json,
    origins_to_json,
    people_turns,
)
from memtriage.systems.designs.files.pages import (
    FileLine,
    ItemFile,
    PageReader,
    Pages,
    TextFile,
    day,
    hour,
    lines_of,
    slug,
)
from memtriage.systems.designs.files.prompts import WIKI, wiki_answer, wiki_compile, wiki_flush, wiki_query
from memtriage.systems.designs.replies import line, records, sources
from memtriage.systems.designs.rules import extraction
from memtriage.systems.designs.turns import spoken
from memtriage.systems.retrieval.units import whole
from memtriage.text.words import words

INDEX = "index.md"
KINDS = ("concepts", "connections", "qa")
_ARTICLE = re.compile(rf"(?:{'|'.join(KINDS)})/[a-z0-9][a-z0-9-]{{0,79}}\.md")
_LOG = re.compile(r"daily/(?:[0-9]{4}-[0-9]{2}-[0-9]{2}|undated)\.md")
_ELSE = "concepts/everything-else.md"
_SUMMARY = 160


class Wiki(FileMemory):
    """Keeps daily logs, compiles them into articles with an index, and finds its way through those when it is asked.

    Summarise: one call per session takes what is worth keeping into the log of its day.
    Store: `settle` compiles what waits, log by log: an agent works the new entries into articles (concepts,
    connections, qa) with tools, and `index.md` is made of the articles' titles and opening sentences. Nothing is
    compiled twice, and with fewer than `every` sessions waiting nothing is compiled yet.
    Retrieve: an agent starts from the index, opens articles and logs, and names the lines that bear on the question;
    the first k count. It isn't told k, so that one visit serves every k.

    Listed are the paragraphs of all articles, and every entry of a log that no article repeats word for word: a visitor
    can still open the logs. Without a model (`summarise=verbatim`) an entry is a turn, not the assistant's, an article
    holds the entries about one name or word, and words find them, those of articles that the question names first.
    """

    name = "wiki"
    traits = Traits(
        family="agentic",
        architecture=(
            "summarise: a model takes what is worth keeping into daily logs (or turns verbatim); "
            "store: logs compiled by an agent into articles (concepts, connections, qa) with an index; "
            "retrieve: an agent navigates from the index and names lines (or BM25)"
        ),
    )

    def __init__(
        self,
        internal: str = "",
        rounds: int = 15,
        compile_rounds: int = 30,
        every: int = 1,
        summarise: str = "",
        repeat: int = 0,
        prompts: str = "",
    ) -> None:
        super().__init__(internal, summarise, repeat, WIKI, prompts)
        self.rounds, self.compile_rounds = whole("rounds", rounds), whole("compile_rounds", compile_rounds)
        self.every = whole("every", every)
        self.reset()

    def reset(self) -> None:
        self._logs: dict[str, ItemFile] = {}
        self._articles: dict[str, ItemFile | TextFile] = {}
        self._origins: dict[str, LineOrigin] = {}  # by file and line
        self._compiled: dict[str, int] = {}  # of each log, so many entries
        self._waiting = 0  # sessions since the last compilation
        self._term_counts: Counter[str] = Counter()  # how often each name or word was said; for articles by rule
        self._cut_short = 0
        self._listed: list[Memory] | None = None

    @property
    def logs(self) -> dict[str, str]:
        """The daily logs by name."""
        return {name: file.text for name, file in self._logs.items()}

    @property
    def articles(self) -> dict[str, str]:
        """The articles by name."""
        return {name: file.text for name, file in self._articles.items()}

    @property
    def answer(self) -> Callable[[str, Sequence[Memory]], str]:
        """Answers a question from passages, with a call of its own. Only a wiki that has a model can."""
        if self._writer is None:
            raise AttributeError(f"{self.name} has no model to answer with")
        return self._answer

    @property
    def index(self) -> str:
        """The page that leads to all others: the articles, and the logs that none was made of yet."""
        parts = ["# Index\n"]
        for kind in KINDS:
            entries = [self._entry(path) for path in self._articles if path.startswith(f"{kind}/")]
            parts += [f"## {kind}\n", *entries, ""] if entries else []
        waiting = [path for path in self._logs if self._new_in(path)]
        parts += ["## logs, not yet in any article\n", *(f"- {path}" for path in waiting), ""] if waiting else []
        return "\n".join(parts)

    def store_conversation(self, conversation: Session) -> None:
        entries = self._entries(conversation)
        if not entries:
            return
        path = f"daily/{day(conversation.timestamp)}.md"
        log = self._logs.setdefault(path, ItemFile(f"# {day(conversation.timestamp)}\n\n"))
        for text, turn_ids in entries:
            entry = log.append(text, hour(conversation.timestamp))
            self._origins[f"{path}#{entry.id}"] = LineOrigin(conversation.timestamp, turn_ids)
        self._waiting += 1
        self._listed = None

    def settle(self) -> None:
        """Compile the logs that wait. Each is compiled as a whole or not at all; what fails goes on waiting."""
        if not self._waiting or self._waiting < self.every:
            return
        for path in self._logs:
            if new := self._new_in(path):
                self._compile(path, new)
        self._waiting = 0

    def retrieve_memories(self, query: str, conversation: Session, k: int | None) -> list[Memory]:
        most, kept = None if k is None else whole("k", k), self.get_all_memories()
        if self.summarise == "model":
            return self._visited(query)[:most] if kept else []
        asked = set(words(query).stems)
        named = {path for path in self._articles if (about := set(words(self._title(path)).stems)) and about <= asked}
        return self._search.best(query, kept, whole("k", most), {m.id for m in kept if m.id.partition("#")[0] in named})

    def get_all_memories(self) -> list[Memory]:
        if self._listed is None:
            listed = [(path, each) for path, article in self._articles.items() for each in article.lines]
            repeated = {each.text for _, each in listed}
            for path, log in self._logs.items():
                done = self._compiled.get(path, 0)
                listed += [(path, each) for n, each in enumerate(log.lines) if n >= done or each.text not in repeated]
            self._listed = [self._memory(path, each) for path, each in listed]
        return list(self._listed)

    # Summarise

    def _entries(self, session: Session) -> list[tuple[str, tuple[str, ...]]]:
        """What a session gives, with the turns it comes from."""
        turns = spoken(session)
        if self.summarise == "verbatim":
            return [(turn.text, (turn.id,)) for turn in people_turns(session)]
        if not turns:
            return []
        reply = self._ask(wiki_flush(self.prompts["flush"], turns, session.timestamp))
        found = [(line(record, "text"), sources(record, turns)) for record in records(reply, "entries")]
        return [(text, turn_ids) for text, turn_ids in found if text]

    # Store

    def _new_in(self, path: str) -> list[FileLine]:
        return self._logs[path].lines[self._compiled.get(path, 0) :]

    def _compile(self, path: str, new: Sequence[FileLine]) -> None:
        if self.summarise == "model":
            self._edit(path, new)
        else:
            self._file(path, new)
        self._compiled[path] = self._compiled.get(path, 0) + len(new)
        self._listed = None

    def _edit(self, path: str, new: Sequence[FileLine]) -> None:
        """Take over the articles as the model leaves them; those it left alone are not read again."""
        edited = self._edited(path, [entry.text for entry in new])
        before = self._articles
        self._articles = {
            name: before[name] if name in before and before[name].text == text else self._article(text)
            for name, text in edited.items()
        }
        self._origins = self._with_origins(path, new)

    def _article(self, text: str) -> ItemFile | TextFile:
        return ItemFile(text) if self.summarise == "verbatim" else TextFile(text, _paragraphs)

    def _with_origins(self, path: str, new: Sequence[FileLine]) -> dict[str, LineOrigin]:
        """Where every line comes from; a new one of an article from the entry it repeats, or from all of them."""
        nowhere = LineOrigin(None, ())
        entries = [(entry.text, self._origins.get(f"{path}#{entry.id}", nowhere)) for entry in new]
        times = [origin.created_at for _, origin in entries if origin.created_at]
        of_all = LineOrigin(max(times, default=None), distinct(*(origin.sources for _, origin in entries)))
        found = {key: origin for key, origin in self._origins.items() if _LOG.match(key)}
        for name, article in self._articles.items():
            for each in article.lines:
                key = f"{name}#{each.id}"
                same = None if key in self._origins else next((e for e in entries if e[0] == each.text), None)
                if same is not None:
                    entries.remove(same)
                found[key] = self._origins.get(key) or (same[1] if same is not None else of_all)
        return found

    def _edited(self, path: str, entries: Sequence[str]) -> dict[str, str]:
        """The articles as the model leaves them."""
        pages = Pages({INDEX: self.index, **self.articles, **self.logs}, _ARTICLE)
        opening = wiki_compile(self.prompts["compile"], path, entries, self.index, self.compile_rounds)
        self._loop(opening, pages.tools("list", "read", "search", "write", "append", "edit"), self.compile_rounds)
        return {name: text for name, text in pages.files.items() if _ARTICLE.fullmatch(name)}

    def _file(self, path: str, new: Sequence[FileLine]) -> None:
        """Put each entry into the article about the name, or else the word, that is said most often."""
        terms = [_terms(entry.text) for entry in new]
        for about in terms:
            self._term_counts.update(about)
        stamp = path.removeprefix("daily/").removesuffix(".md")
        for entry, about in zip(new, terms, strict=True):
            places = [(f"concepts/{slug(term)}.md", term) for term in about]
            known = [place for place in places if place[0] in self._articles]
            name, title = max(known or places, key=self._weight, default=(_ELSE, ""))
            article = self._articles.setdefault(name, ItemFile(f"# {title}\n\n" if title else ""))
            assert isinstance(article, ItemFile)  # without a model, all of them are
            line = article.append(entry.text, stamp)
            self._origins[f"{name}#{line.id}"] = self._origins.get(f"{path}#{entry.id}", LineOrigin(None, ()))

    def _weight(self, place: tuple[str, str]) -> int:
        """How much there is about a name or word: entries in its article, or how often it was said."""
        name, term = place
        return len(self._articles[name].lines) if name in self._articles else self._term_counts[term]

    def _entry(self, path: str) -> str:
        """An article's line in the index."""
        lines = self._articles[path].lines
        first = " ".join(lines[0].text.split()) if lines else ""
        summary = first if len(first) <= _SUMMARY else f"{first[: _SUMMARY - 1]}…"
        return f"- [{self._title(path) or 'everything else'}]({path})" + (f": {summary}" if summary else "")

    def _title(self, path: str) -> str:
        found = re.match(r"\s*#[ \t]+(\S.*)", self._articles[path].text)
        return found[1].strip() if found else "" if path == _ELSE else path.partition("/")[2].removesuffix(".md")

    # Retrieve

    def _visited(self, query: str) -> list[Memory]:
        """The passages that the model names, out of those it has read."""
        reader = PageReader(Pages({INDEX: self.index, **self.articles, **self.logs}, _ARTICLE))
        opening = wiki_query(self.prompts["query"], query, self.index, self.rounds)
        ended = self._loop(opening, reader.tools("read", "list", "search"), self.rounds)
        listed = {memory.id: memory for memory in self.get_all_memories()}
        repeated = {each.text: f"{path}#{each.id}" for path, file in self._articles.items() for each in file.lines}
        found: dict[str, Memory] = {}
        for path, each in self._pointed_at(ended.reply, reader):
            id = f"{path}#{each.id}"
            id = id if id in listed else repeated.get(each.text, id)
            found[id] = listed[id]
        return list(found.values())

    def _pointed_at(self, reply: Mapping[str, Any], reader: PageReader) -> Iterator[tuple[str, FileLine]]:
        for record in records(reply, "passages"):
            path, number = record.get("path"), record.get("line")
            if not isinstance(path, str) or not isinstance(number, int) or not reader.shown(path, number):
                continue
            if file := self._articles.get(path) or self._logs.get(path):
                yield from ((path, each) for each in file.lines if number in each.numbers)

    def _answer(self, query: str, memories: Sequence[Memory]) -> str:
        reply = self._ask(wiki_answer(self.prompts["answer"], query, [memory.text for memory in memories]))
        return line(reply, "answer")

    def _memory(self, path: str, each: FileLine) -> Memory:
        id = f"{path}#{each.id}"
        origin = self._origins.get(id, LineOrigin(None, ()))
        return Memory(id, each.in_context, origin.created_at, origin.sources)

    # Disk

    def _settings(self) -> dict[str, str | int]:
        own = {"rounds": self.rounds, "compile_rounds": self.compile_rounds, "every": self.every}
        return {**super()._settings(), **own}

    def _owns(self, name: str) -> bool:
        return name == INDEX or bool(_ARTICLE.fullmatch(name) or _LOG.fullmatch(name))

    def _files(self) -> dict[str, str]:
        return {INDEX: self.index, **self.logs, **self.articles}

    def _state(self) -> dict[str, Any]:
        return {"origins": origins_to_json(self._origins), "compiled": self._compiled, "waiting": self._waiting}

    def _restore(self, files: Mapping[str, str], state: Mapping[str, Any]) -> None:
        origins, waiting = origins_from_json(state["origins"]), int(state["waiting"])
        logs = {name: ItemFile(text) for name, text in files.items() if _LOG.fullmatch(name)}
        compiled = {name: int(state["compiled"].get(name, 0)) for name in logs}
        self.reset()
        self._logs, self._compiled, self._origins, self._waiting = logs, compiled, origins, waiting
        self._articles = {name: self._article(text) for name, text in files.items() if _ARTICLE.fullmatch(name)}
        if self.summarise == "verbatim":
            done = (entry for name, log in logs.items() for entry in log.lines[: compiled[name]])
            self._term_counts = Counter(term for entry in done for term in _terms(entry.text))


def _paragraphs(text: str) -> list[FileLine]:
    return lines_of(text, paragraphs=True)


def _terms(text: str) -> tuple[str, ...]:
    """What an entry may be about: the names in it, or its words if it has no names."""
    return extraction.names(text) or extraction.keywords(text)
