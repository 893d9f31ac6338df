"""What graphrag asks its model, answered by rule from the DATA block.

Every sentence relates its first word to its last words and describes both; a report repeats what it was shown; a point
is a line of a report that shares a longer word with the question. Nothing is understood.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from memtriage.models.scripted.prompt_parts import Data, last_words, longer_words, task_data
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences

_FINDINGS = 10


def reply(request: Request) -> Data | None:
    """The answer to a question of `systems/designs/graphrag/prompts.py`; None for any other request."""
    found = task_data(request, _TASKS)
    return _TASKS[found[0]](found[1]) if found else None


def _extract(data: Data) -> Data:
    entities: list[Data] = []
    relations: list[Data] = []
    for passage in data.get("passages") or []:
        for text in sentences(str(passage["text"])):
            source, target = text.split()[0].strip(".,!?"), last_words(text) or text
            both = {"description": text, "passages": [passage["passage"]]}
            entities += [{"name": name, "type": "thing", **both} for name in (source, target)]
            relations.append({"source": source, "target": target, "strength": 5, **both})
    return {"entities": entities, "relations": relations}


def _descriptions(data: Data) -> Data:
    """The first words of all of them, as many as are allowed."""
    joined = ((each["number"], " ".join(map(str, each["descriptions"])).split()) for each in data["items"])
    return {"descriptions": [{"number": n, "text": " ".join(said[: data["words"]])} for n, said in joined]}


def _report(data: Data) -> Data:
    relations = (data.get("relations") or [])[:_FINDINGS]
    findings = [{"text": each["description"], "relations": [each["number"]]} for each in relations]
    names = dict.fromkeys(str(each["source"]) for each in relations)
    title = ", ".join(list(names)[:3]) or "a group"
    return {"title": title, "summary": f"All that is known of {title}.", "findings": findings}


def _points(data: Data) -> Data:
    asked = set(longer_words(str(data["query"])))
    points: list[dict[str, Any]] = []
    for report in data.get("reports") or []:
        for line in str(report["text"]).splitlines():
            shared = len(asked & set(longer_words(line)))
            if shared and line.startswith("- "):
                rating = min(100, 20 * shared)
                points.append({"text": line[2:], "rating": rating, "reports": [report["number"]]})
    return {"points": points}


def _questions(data: Data) -> Data:
    """The query itself, and then what the nearest reports are called; nothing more after that."""
    titles = [str(report["text"]).partition("\n")[0] for report in data.get("reports") or []]
    return {"questions": [] if data.get("asked") else [str(data["query"]), *titles][: data["most"]]}


_TASKS: Mapping[str, Callable[[Data], Data]] = {
    "graphrag_extract": _extract,
    "graphrag_descriptions": _descriptions,
    "graphrag_report": _report,
    "graphrag_points": _points,
    "graphrag_questions": _questions,
}
