"""What scripts for memory systems read in prompts: tasks, turns, users' sentences, telling words."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from typing import Any

from memtriage.models.scripted.data_block import data_block
from memtriage.models.scripted.replies import Request
from memtriage.text.sentences import sentences
from memtriage.text.words import words

Data = Mapping[str, Any]

_LINE = re.compile(r"^(\w+): ?(.*(?:\n(?!\w+: ).*)*)", re.MULTILINE)


def task_data(request: Request, tasks: Container[str]) -> tuple[str, Data] | None:
    """The task and the data of a request from memtriage's own systems; None if it is not one of these tasks."""
    data = data_block(request)
    task = str(data.get("task")) if data is not None else ""
    if data is None or task not in tasks or request.schema_name not in (None, task):
        return None
    return task, data


def turn_sentences(data: Data) -> Iterator[tuple[int, str]]:
    """Every sentence with the number of its turn."""
    for each in data.get("turns") or []:
        yield from ((int(each["turn"]), sentence) for sentence in sentences(str(each["text"])))


def user_sentences(conversation: str) -> list[str]:
    """The user's sentences in a conversation whose lines begin with the speaker, each once."""
    texts = [text.strip() for role, text in _LINE.findall(conversation) if role.lower() == "user"]
    return list(dict.fromkeys(sentence for text in texts for sentence in sentences(text)))


def last_words(sentence: str) -> str:
    """What a sentence is about, as far as a rule can tell: its last three words."""
    return " ".join(re.findall(r"[\w'’-]+", sentence)[-3:])


def longer_words(text: str) -> list[str]:
    """The stems of the longer content words, each once."""
    return [stem for stem in dict.fromkeys(words(text).stems) if len(stem) > 3]
