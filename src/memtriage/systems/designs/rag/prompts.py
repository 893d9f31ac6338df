"""What memorag and self-rag ask their model, and the JSON objects it must reply with.

Passages, notes and questions stand in one block of data only, as JSON; `task` in it names the question.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memtriage.core.chat import Message, Schema
from memtriage.core.memory import Memory
from memtriage.models.json_shapes import NUMBER, NUMBERS, TEXT, TEXTS, object_of, objects_of, one_of
from memtriage.models.prompt_data import prompt_data
from memtriage.systems.designs.prompts import Ask

_ASKED = "`query` is a question, asked at `asked_at`."

RULES: Mapping[str, str] = {
    "memo_notes": (
        "You read a long text piece by piece and keep notes, from which you will later have to say where in the text "
        "an answer may be found. `parts` is the next piece, with who said each part and when; `notes` is what you have "
        "noted so far. Give the notes to add, as few and as short as will do, in at most `room` tokens in all: who and "
        "what the piece is about, what happens, what is decided or changes, names, figures and dates, and how it "
        "continues what came before. Say names instead of pronouns and dates instead of words like yesterday. Don't "
        "repeat what is noted. `parts` of a note are the numbers of the parts it comes from."
    ),
    "memo_fold": (
        "Your notes on a long text no longer fit. Write them again in at most `room` tokens in all: join those about "
        "the same matter, say once what several say, and leave out what is least likely to be asked about. Keep names, "
        "figures, dates and changes over time, in the order of the text. `notes` of a new note are the numbers of the "
        "notes it stands for."
    ),
    "memo_clues": (
        f"{_ASKED} You have read a long text and have nothing but your `notes` on it; the text itself is searched for "
        "what you name. Give in `draft` an answer in a sentence, as well as you can tell; in `spans` sentences as they "
        "may stand in the text where the evidence is, one for each piece of evidence; and in `queries` precise "
        "questions whose answers are steps on the way, with names from the notes in the place of descriptions. Where "
        "an overview is asked for, the spans are the key points of the text. At most `most` spans and queries in all. "
        "Leave out what the notes give no reason for."
    ),
    "self_need": (
        f"{_ASKED} Say in `retrieve` whether a store of past conversations and texts has to be searched for it: yes, "
        "unless common knowledge or the question itself is enough for a full answer. What concerns the user, "
        "people or things that were talked of, or a text that was read, has to be searched for. Do not answer it."
    ),
    "self_relevance": (
        f"{_ASKED} `known` is what was found so far, and `passages` what a search for `search` brought. Give in "
        "`relevant` the numbers of those passages that hold something needed to answer the question: the answer, a "
        "part of it, a step towards it, if only because `known` or another passage leads there, or a change of any of "
        "these. That a passage is about a similar matter is not enough. The list may be empty."
    ),
    "self_draft": (
        f"{_ASKED} Answer it in `answer` from `passages` alone, where there are any, in as few words as will do; the "
        "newer passage holds where they contradict each other. If they don't tell, say that you don't know. `form`, "
        "where it is not empty, says in which form and at what length to answer, and goes before this."
    ),
    "self_critique": (
        f"{_ASKED} `answer` was drafted from `passages`. Say in `support` how far they bear it out: `fully`, every "
        "statement of it follows from them; `partially`, some do; `none`. Give in `passages` the numbers of those that "
        "bear it out. Say in `usefulness` how well it answers the question, from 1 (not at all) to 5 (completely); "
        "that something is not known is 1. Say in `missing` what one would still have to find out; empty if nothing."
    ),
    "self_rewrite": (
        f"{_ASKED} A search by words and meaning was made for each of `tried`, and what it found does not settle the "
        "question; `missing`, where it is not empty, says what is still to be found out. Give in `search` what to "
        "search for next: other words for it, a step that comes first, or a name that `answer`, the draft so far, "
        "brought up. It should differ from what was tried. Do not answer the question."
    ),
}
"""What the model is told to do, by the question's name; systems may be given other words for it."""

SUPPORT = ("fully", "partially", "none")


def memo_notes(parts: Iterable[Mapping[str, str]], notes: Sequence[str], room: int) -> Ask:
    """What to note of the next piece."""
    listed = [{"part": n, **part} for n, part in enumerate(parts, 1)]
    return _ask("memo_notes", "summarise", {"notes": list(notes), "parts": listed, "room": room})


def memo_fold(notes: Sequence[str], room: int) -> Ask:
    """The same notes in less room."""
    return _ask("memo_fold", "fold", {"notes": _numbered(notes), "room": room})


def memo_clues(asked: Mapping[str, str], notes: Sequence[str], most: int) -> Ask:
    """What to search for, going by the notes."""
    return _ask("memo_clues", "clues", {"notes": list(notes), **asked, "most": most})


def self_need(asked: Mapping[str, str]) -> Ask:
    """Whether a question has to be looked up."""
    return _ask("self_need", "need", asked)


def self_relevance(asked: Mapping[str, str], search: str, known: Sequence[Memory], passages: Sequence[Memory]) -> Ask:
    """Which passages bear on a question, going by what was found before."""
    found = {"known": [each.text for each in known], "search": search, "passages": _shown(passages)}
    return _ask("self_relevance", "relevance", {**asked, **found})


def self_draft(asked: Mapping[str, str], form: str, passages: Sequence[Memory]) -> Ask:
    """An answer from passages."""
    return _ask("self_draft", "draft", {**asked, "form": form, "passages": _shown(passages)})


def self_critique(asked: Mapping[str, str], passages: Sequence[Memory], answer: str) -> Ask:
    """How well an answer is borne out, and how well it answers."""
    return _ask("self_critique", "critique", {**asked, "passages": _shown(passages), "answer": answer})


def self_rewrite(asked: Mapping[str, str], tried: Sequence[str], answer: str, missing: str) -> Ask:
    """What to search for next."""
    return _ask("self_rewrite", "rewrite", {**asked, "tried": list(tried), "answer": answer, "missing": missing})


def _ask(task: str, stage: str, data: Mapping[str, Any]) -> Ask:
    messages = (Message("system", RULES[task]), Message("user", prompt_data({"task": task, **data})))
    return Ask(stage, messages, SCHEMAS[task], task)


def _numbered(texts: Sequence[str]) -> list[dict[str, Any]]:
    return [{"number": n, "text": text} for n, text in enumerate(texts, 1)]


def _shown(passages: Sequence[Memory]) -> list[dict[str, Any]]:
    return [{"number": n, "when": each.created_at or "", "text": each.text} for n, each in enumerate(passages, 1)]


# ------------------------------------------------------------------ the replies


_REPLIES: Mapping[str, Mapping[str, Any]] = {
    "memo_notes": {"notes": objects_of(text=TEXT, parts=NUMBERS)},
    "memo_fold": {"notes": objects_of(text=TEXT, notes=NUMBERS)},
    "memo_clues": {"draft": TEXT, "spans": TEXTS, "queries": TEXTS},
    "self_need": {"retrieve": one_of("yes", "no")},
    "self_relevance": {"relevant": NUMBERS},
    "self_draft": {"answer": TEXT},
    "self_critique": {"support": one_of(*SUPPORT), "passages": NUMBERS, "usefulness": NUMBER, "missing": TEXT},
    "self_rewrite": {"search": TEXT},
}
SCHEMAS: Mapping[str, Schema] = {name: Schema(name, object_of(**reply)) for name, reply in _REPLIES.items()}
