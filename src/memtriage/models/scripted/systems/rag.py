"""What memorag and self-rag ask their model, answered by rule from the DATA block.

A note is a part's opening sentence, folded notes are the longer words of four, and clues are the notes that share the
most longer words with the question. A passage is relevant if it shares one; the draft is its sentence that shares the
most. Nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from memtriage.models.scripted.prompt_parts import Data, longer_words, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/rag/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1]) if found else None


def _memo_notes(data: Data) -> Data:
    opening = ((int(part["part"]), next(iter(sentences(str(part["text"]))), "")) for part in data.get("parts") or [])
    known = set(data.get("notes") or [])
    return {"notes": [{"text": text, "parts": [part]} for part, text in opening if text and text not in known]}


def _memo_fold(data: Data) -> Data:
    listed = [(int(each["number"]), str(each["text"])) for each in data.get("notes") or []]
    fours = [listed[start : start + 4] for start in range(0, len(listed), 4)]
    return {"notes": [{"text": _topics(text for _, text in four), "notes": [n for n, _ in four]} for four in fours]}


def _memo_clues(data: Data) -> Data:
    query = str(data["query"])
    best = [text for text in _most_alike(query, map(str, data.get("notes") or [])) if _shared(query, text)]
    return {"draft": "", "spans": best[:3], "queries": [" ".join(longer_words(query))]}


def _self_need(data: Data) -> Data:
    return {"retrieve": "yes" if longer_words(str(data["query"])) else "no"}


def _self_relevance(data: Data) -> Data:
    passages = data.get("passages") or []
    return {"relevant": [int(p["number"]) for p in passages if _shared(str(data["query"]), str(p["text"]))]}


def _self_draft(data: Data) -> Data:
    said = (sentence for p in data.get("passages") or [] for sentence in sentences(str(p["text"])))
    return {"answer": next(iter(_most_alike(str(data["query"]), said)), "I don't know.")}


def _self_critique(data: Data) -> Data:
    """A draft is borne out by passages that hold it word for word, and useful if it shares a word with the question."""
    answer = str(data["answer"])
    bearing = [int(p["number"]) for p in data.get("passages") or [] if answer in str(p["text"])]
    useful = 5 if _shared(str(data["query"]), answer) else 2
    return {"support": "fully" if bearing else "none", "passages": bearing, "usefulness": useful, "missing": ""}


def _self_rewrite(data: Data) -> Data:
    return {"search": " ".join(longer_words(f"{data['query']} {data.get('answer') or ''}"))}


_TASKS: Mapping[str, Callable[[Data], Data]] = {
    "memo_notes": _memo_notes,
    "memo_fold": _memo_fold,
    "memo_clues": _memo_clues,
    "self_need": _self_need,
    "self_relevance": _self_relevance,
    "self_draft": _self_draft,
    "self_critique": _self_critique,
    "self_rewrite": _self_rewrite,
}


def _topics(texts: Iterable[str]) -> str:
    return " ".join(dict.fromkeys(word for text in texts for word in longer_words(text)))[:200]


def _shared(query: str, text: str) -> int:
    return len(set(longer_words(query)) & set(longer_words(text)))


def _most_alike(query: str, texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: -_shared(query, text))
