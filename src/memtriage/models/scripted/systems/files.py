"""What memtriage's file-keeping systems ask their model, answered by rule: a short loop, and nothing is understood.

Every sentence of the user's is written down once, under the word that its article is about; whatever shares a telling
word with a question is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences

T = TypeVar("T")

_SHOWN = re.compile(r"^(?:(?P<path>[a-z/0-9.-]+\.md):)?(?P<line>\d+): (?P<text>.*)$", re.MULTILINE)
_LINKED = re.compile(r"^- \[(?P<title>.*)\]\((?P<path>[a-z]+/[a-z0-9-]+\.md)\)(?P<summary>.*)$", re.MULTILINE)
_WAITING = re.compile(r"^- (daily/\S+\.md)$", re.MULTILINE)
_OPENED = 3
_TOPICS = 8
_REST = "misc"


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/files/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1], _results(request)) if found else None


def _results(request: Request) -> list[Data] | None:
    """What came of the last round; None in the first one."""
    last = data_block(replace(request, messages=request.messages[-1:]))
    return list(last["results"]) if last is not None and last.get("task") == "results" else None


def _file_keeping(data: Data, results: Sequence[Data] | None) -> Data:
    """Reads the file, then appends every sentence of the user's that it doesn't hold."""
    if results is None:
        return {"actions": [_action("read", "memory.md")], "done": False}
    known = "\n".join(str(each.get("result", "")) for each in results)
    new = [text for _, text in _user_sentences(data) if text not in known]
    stamp = str(data.get("said_at") or "undated")[:10]
    text = "".join(f"- [{stamp}] {each}\n" for each in dict.fromkeys(new))
    return {"actions": [_action("append", "memory.md", text)] if text else [], "done": True}


def _file_reading(data: Data, results: Sequence[Data] | None) -> Data:
    """Reads the file, then names the lines that share a longer word with the question."""
    if results is None:
        return {"actions": [_action("read", "memory.md")], "lines": [], "done": False}
    shown = [(int(found["line"]), found["text"]) for found in _lines(results)]
    return {"actions": [], "lines": _ranked(str(data["query"]), shown), "done": True}


def _wiki_flush(data: Data, results: Sequence[Data] | None) -> Data:
    return {"entries": [{"text": text, "turns": [turn]} for turn, text in _user_sentences(data)]}


def _wiki_compile(data: Data, results: Sequence[Data] | None) -> Data:
    """Reads the articles that the entries belong to, where there are any, and adds the entries to them."""
    there = {found["path"] for found in _LINKED.finditer(str(data["index"]))}
    topics: dict[str, list[str]] = {}
    for entry in data["entries"]:
        topic = (longer_words(entry) or [_REST])[0]
        topics.setdefault(topic if topic in topics or len(topics) < _TOPICS else _REST, []).append(entry)
    paths = {topic: f"concepts/{re.sub('[^a-z0-9]', '-', topic.lower()).strip('-') or _REST}.md" for topic in topics}
    known = [_action("read", paths[topic], old="") for topic in topics if paths[topic] in there]
    if results is None and known:
        return {"actions": known, "done": False}
    held = "\n".join(str(each.get("result", "")) for each in results or ())
    actions = []
    for topic, entries in topics.items():
        opening = "" if paths[topic] in there else f"# {topic}\n\n"
        text = "".join(f"- {entry}\n" for entry in dict.fromkeys(entries) if entry not in held)
        if text:
            actions.append(_action("append", paths[topic], opening + text, old=""))
    return {"actions": actions, "done": True}


def _wiki_query(data: Data, results: Sequence[Data] | None) -> Data:
    """Opens what shares a word with the question in the index, and all logs that wait; then names lines."""
    index, query = str(data["index"]), str(data["query"])
    listed = [(found["path"], f"{found['title']} {found['summary']}") for found in _LINKED.finditer(index)]
    best = _ranked(query, listed)[:_OPENED]
    paths = [*best, *_WAITING.findall(index)]
    if results is None:
        return {"actions": [_action("read", path) for path in paths], "passages": [], "done": not paths}
    shown = [
        ((path, int(found["line"])), found["text"])
        for path, each in zip(paths, results, strict=True)
        for found in _lines([each])
    ]
    passages = [{"path": path, "line": number} for path, number in _ranked(query, shown)]
    return {"actions": [], "passages": passages, "done": True}


def _wiki_answer(data: Data, results: Sequence[Data] | None) -> Data:
    return {"answer": " ".join(data["passages"]) or "I don't have that information."}


_TASKS: Mapping[str, Callable[[Data, Sequence[Data] | None], Data]] = {
    "file_keeping": _file_keeping,
    "file_reading": _file_reading,
    "wiki_flush": _wiki_flush,
    "wiki_compile": _wiki_compile,
    "wiki_query": _wiki_query,
    "wiki_answer": _wiki_answer,
}


def _action(tool: str, path: str, text: str = "", **more: str) -> Data:
    return {"tool": tool, "path": path, **more, "text": text}


def _user_sentences(data: Data) -> Iterator[tuple[int, str]]:
    """Every sentence that isn't the assistant's, with the number of its turn."""
    for each in data.get("turns") or []:
        if each.get("role") != "assistant":
            yield from ((int(each["turn"]), sentence) for sentence in sentences(str(each["text"])))


def _lines(results: Sequence[Data]) -> Iterator[re.Match[str]]:
    for each in results:
        yield from _SHOWN.finditer(str(each.get("result", "")))


def _ranked(query: str, shown: Sequence[tuple[T, str]]) -> list[T]:
    """Those that share a longer word with the question, the most first."""
    asked = set(longer_words(query))
    shared = {key: len(asked & set(longer_words(text))) for key, text in shown if not text.startswith("#")}
    return sorted((key for key in shared if shared[key]), key=lambda key: -shared[key])
