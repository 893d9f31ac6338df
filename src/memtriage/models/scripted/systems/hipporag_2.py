"""HippoRAG 2's requests: every sentence is a triple of its first word, its second one and the rest."""

from __future__ import annotations

import json
import re

from memtriage.models.scripted.prompt_parts import longer_words
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences

_PASSAGE = re.compile(r"^Paragraph:\n```\n(.*)\n```\n", re.MULTILINE | re.DOTALL)
_QUESTION = re.compile(r"^\[\[ ## question ## \]\]\n(.*?)\n\n\[\[ ## fact_before_filter ## \]\]\n(.*?)\n\n", re.DOTALL)
_MARKS = str.maketrans(dict.fromkeys('[]{}"\\', " "))  # the library finds replies by brackets, and reads none inside


def reply(request: Request) -> object | None:
    """What the library gets for entities, for triples and for the filter of triples."""
    opening, prompt = request.messages[0][1] if request.messages else "", request.last_user
    if "extract named entities from the given paragraph" in opening:
        return json.dumps({"named_entities": [word for word in _plain(prompt).split() if word[0].isupper()]})
    if "construct an RDF" in opening and (passage := _PASSAGE.search(prompt)):
        return json.dumps({"triples": [_triple(sentence) for sentence in sentences(_plain(passage[1]))]})
    if "fact_before_filter" in prompt and (asked := _QUESTION.search(prompt)):
        return _filtered(asked[1], asked[2])
    return None


def _triple(sentence: str) -> list[str]:
    subject, relation, object = (*sentence.rstrip(".!?").split(maxsplit=2), "", "")[:3]
    return [subject, relation or "says", object or subject]


def _filtered(question: str, facts: str) -> str:
    """The triples that share a longer word with the question."""
    asked = set(longer_words(question))
    kept = [fact for fact in json.loads(facts)["fact"] if asked & set(longer_words(" ".join(fact)))]
    return f"[[ ## fact_after_filter ## ]]\n{json.dumps({'fact': kept})}\n\n[[ ## completed ## ]]"


def _plain(text: str) -> str:
    return text.translate(_MARKS)
