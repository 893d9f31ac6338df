"""Requests of Microsoft's GraphRAG: every sentence of a user relates the user to its last words.

A report repeats the relations that it is shown, a point is a report's line that shares a longer word with the question,
and a drift search asks its own question once more.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping

from memtriage.models.scripted.prompt_parts import last_words, longer_words, user_sentences
from memtriage.models.scripted.replies import Request

_TEXT = re.compile(r"-Real Data-\n#+\nEntity_types:[^\n]*\nText: (.*)\n#+\nOutput:", re.DOTALL)
_DESCRIPTIONS = re.compile(r"-Data-\nEntities: [^\n]*\nDescription List: (\[.*?\])\n#+\nOutput:", re.DOTALL)
_RELATIONS = re.compile(r"-----Relationships-----\n(.*?)(?:\n\n|\n-----|\Z)", re.DOTALL)
_TABLES = re.compile(r"---Data tables---\n(.*?)\n---Goal---", re.DOTALL)
_POINTS = re.compile(r"---(?:Analyst|Data) Reports---\n(.*?)\n---(?:Goal|Target)", re.DOTALL)
_HYPOTHESIS = re.compile(r"Create a hypothetical answer to the following query: (.*)")
_PRIMED = re.compile(r"For the query:\n\n(.*?)\n\nThe top-ranked community summaries:", re.DOTALL)
_BETWEEN, _DONE = "\n##\n", "<|COMPLETE|>"


def reply(request: Request) -> object | None:
    """What GraphRAG gets while it indexes and while it searches; None for any other request."""
    prompt = request.last_user
    if found := _TEXT.search(prompt):
        return _graph(user_sentences(found[1]))
    if prompt.startswith("MANY entities and relationships were missed"):
        return _DONE
    if found := _DESCRIPTIONS.search(prompt):
        return " ".join(map(str, json.loads(found[1])))
    if request.schema_name == "CommunityReportResponse":
        return _report(prompt)
    if request.schema_name == "PrimerResponse" and (found := _PRIMED.search(prompt)):
        return {"intermediate_answer": f"Asked: {found[1]}", "score": 10, "follow_up_queries": [f"Again: {found[1]}"]}
    if found := _HYPOTHESIS.search(prompt):
        return found[1]
    if found := _POINTS.search(request.text):
        return _about(prompt, found[1])
    return _searched(request)


def _searched(request: Request) -> object | None:
    """What the model says of the tables that a search lays before it."""
    tables = _TABLES.search(request.text)
    if tables is None:
        return None
    if "consisting of a list of key points" in request.text:
        return {"points": list(_points(request.last_user, tables[1]))}
    said = _about(request.last_user, tables[1])
    return {"response": said, "score": 50, "follow_up_queries": []} if "'follow_up_queries'" in request.text else said


def _about(query: str, shown: str) -> str:
    """The lines that share a word with the query."""
    return "\n".join(line for line in shown.splitlines() if _shared(query, line)) or "Nothing was found."


def _graph(texts: list[str]) -> str:
    rows = ['("entity"<|>USER<|>PERSON<|>The user speaks.)'] if texts else []
    rows += [f'("entity"<|>{_name(text)}<|>EVENT<|>{text})' for text in texts]
    rows += [f'("relationship"<|>USER<|>{_name(text)}<|>{text}<|>5)' for text in texts]
    return _BETWEEN.join([*rows, _DONE])


def _name(sentence: str) -> str:
    return (last_words(sentence) or sentence).upper()


def _report(prompt: str) -> dict[str, object]:
    shown = _RELATIONS.findall(prompt)
    rows = list(csv.DictReader(shown[-1].splitlines())) if shown else []
    findings = [{"summary": str(row.get("target")), "explanation": str(row.get("description"))} for row in rows]
    title = ", ".join(str(row.get("target")) for row in rows[:2]) or "a group"
    rated = {"rating": 5.0, "rating_explanation": "All are alike."}
    return {"title": title, "summary": f"All that is known of {title}.", "findings": findings, **rated}


def _points(query: str, tables: str) -> Iterator[Mapping[str, object]]:
    for row in csv.DictReader(tables.strip().splitlines(keepends=True), delimiter="|"):
        for line in str(row.get("content")).splitlines():
            if (shared := _shared(query, line)) and not line.startswith("#"):
                yield {"description": f"{line} [Data: Reports ({row.get('id')})]", "score": min(100, 20 * shared)}


def _shared(query: str, line: str) -> int:
    return len(set(longer_words(query)) & set(longer_words(line)))
