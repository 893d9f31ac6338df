"""SimpleMem's requests: entries from a window of dialogue; a search's plan, queries, keywords and completeness."""

from __future__ import annotations

import re

from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences
from memtriage.text.words import words

_TURN = re.compile(r"^(?:\[(?P<when>[^\]\n]+)\] )?(?P<who>User|Assistant): (?P<said>.*)$")
_QUESTION = re.compile(r"^(?:(?:Original )?Question|Query): (.*)$", re.MULTILINE)


def reply(request: Request) -> object | None:
    """Every sentence that the user said as an entry; a search for the question itself, complete at once."""
    role, opening = request.messages[0]
    if role != "system":
        return None
    if "information extraction assistant" in opening and "[Current Window Dialogues]" in request.last_user:
        return _entries(request.last_user)
    question = _QUESTION.search(request.last_user)
    if question is None:
        return None
    if "information requirement analyst" in opening:
        return _plan(question[1])
    if "query generation specialist" in opening:
        return {"reasoning": "The question itself.", "queries": [question[1]]}
    if "query analysis assistant" in opening:
        return {
            "keywords": list(words(question[1]).stems),
            "persons": [],
            "time_expression": None,
            "location": None,
            "entities": [],
        }
    if "completeness evaluator" in opening:
        return {
            "assessment": "complete",
            "reasoning": "Scripted.",
            "missing_info_types": [],
            "coverage_percentage": 100,
        }
    if "missing information query generator" in opening:
        return {"missing_analysis": "Nothing.", "targeted_queries": []}
    return None


def _entries(prompt: str) -> list[dict[str, object]]:
    window = prompt.partition("[Current Window Dialogues]")[2].partition("\n[Requirements]")[0]
    found = dict.fromkeys(
        (text, when) for who, when, spoken in _turns(window) if who == "User" for text in sentences(spoken)
    )
    return [
        {
            "lossless_restatement": text,
            "keywords": text.rstrip(".!?").split()[:3],
            "timestamp": when,
            "location": None,
            "persons": [],
            "entities": [],
            "topic": "said by the user",
        }
        for text, when in found
    ]


def _turns(window: str) -> list[tuple[str, str | None, str]]:
    """Who said what and when; a line that names no speaker goes on with what the last one said."""
    turns: list[tuple[str, str | None, str]] = []
    for line in window.strip().splitlines():
        if found := _TURN.match(line):
            turns.append((found["who"], found["when"], found["said"]))
        elif turns:
            who, when, text = turns[-1]
            turns[-1] = (who, when, f"{text}\n{line}")
    return turns


def _plan(question: str) -> dict[str, object]:
    needed = {"info_type": "any", "description": question, "priority": "high"}
    return {
        "question_type": "factual",
        "key_entities": [],
        "required_info": [needed],
        "relationships": [],
        "minimal_queries_needed": 1,
    }
