"""mosaic: what a question's form says about what is looked for."""

from __future__ import annotations

import numpy as np
import pytest

from memtriage.models.embedders import Vectors, offline_embedder
from memtriage.systems.designs.mosaic.memory import Hit, MosaicMemory
from memtriage.systems.designs.mosaic.questions import FOR_A_KIND, WHAT_FOLLOWS, YOU_SAID

DAILY_LIFE = (
    "The soup I cooked on Sunday was too salty.",
    "My neighbour plays the trombone in the evening.",
    "I use a planner to clear my head and avoid distractions.",
    "Clarity is what I look for in a book.",
    "Weekday markets are where I buy my fruit.",
    "I practise the cello twice a week.",
    "There was fog on the river this morning.",
    "I lost an umbrella on the tram.",
)


def filled(*told: str) -> MosaicMemory:
    """A memory that was told these things, t0, t1, …, after others."""
    memory = MosaicMemory()
    for text in DAILY_LIFE:
        memory.add(text)
    for n, text in enumerate(told):
        memory.add(text, id=f"t{n}")
    return memory


def ids(hits: list[Hit]) -> list[str]:
    return [hit.entry.id for hit in hits]


@pytest.mark.parametrize("request_", ["Please forget that.", "Please delete that from your notes."])
def test_a_request_in_other_words_comes_directly_before_what_it_is_about(request_: str) -> None:
    memory = filled("I'm learning Spanish.", f"One item should go. I'm working on Spanish. {request_}")
    found = memory.search("What am I learning at the moment?", k=3)
    assert ids(found)[:2] == ["t1", "t0"]
    assert (found[0].why, found[0].by) == ("dependency", "t0")
    assert found[1].voided_by is None  # one shared word is too little to be sure


def test_a_request_about_something_else_stays_where_it_is() -> None:
    memory = filled("I'm learning Spanish.", "I had a row with Bo. Please forget that.")
    assert ids(memory.search("What am I learning at the moment?", k=1)) == ["t0"]


def test_a_request_that_found_what_it_is_about_is_not_put_beside_anything_else() -> None:
    memory = filled("I'm learning Spanish.", "My Spanish teacher is Ana.", "I'm learning Spanish. Please forget that.")
    found = {hit.entry.id: hit for hit in memory.search("Who is my Spanish teacher?", k=20)}
    assert found["t0"].voided_by == "t2"
    assert found["t2"].by != "t1"


@pytest.mark.parametrize("asked", ["what do I do next?", "what do I end up doing?", "what do I do as a result?"])
def test_a_question_for_what_comes_of_something_is_followed_though_its_links_are_common_words(asked: str) -> None:
    memory = filled("Weekday fasting gives me clarity.", "Clarity encourages me to write long letters.")
    assert set(ids(memory.search(f"After I practise weekday fasting, {asked}", k=3))) >= {"t0", "t1"}
    assert "t1" not in ids(memory.search("After I practise weekday fasting, what do I do?", k=3))


@pytest.mark.parametrize(
    ("form", "question"),
    [
        (WHAT_FOLLOWS, "Ultimately, what does Nora do?"),
        (WHAT_FOLLOWS, "What happens when I skip lunch?"),
        (FOR_A_KIND, "What should I wear tomorrow?"),
        (YOU_SAID, "I was wondering if you could remind me of the name of that deli."),
    ],
)
def test_a_question_tells_by_its_form_what_it_is_for(form: object, question: str) -> None:
    matching = [each for each in (WHAT_FOLLOWS, FOR_A_KIND, YOU_SAID) if each.search(question)]
    assert matching == [form]


class Asking:
    """Vectors to which a question looks like a plan, and that know ferns for plants."""

    name, dimensions = "asking", 3

    def embed(self, texts: list[str]) -> Vectors:
        asking = np.array(["?" in text or "plan " in text for text in texts])
        plants = np.array(["ern" in text or "plant" in text for text in texts])
        rows = np.stack([~asking, 3 * asking, plants], axis=1).astype(np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_what_questions_have_in_common_doesn_t_count_where_advice_is_asked_for() -> None:
    memory = MosaicMemory(embedder=Asking())
    for id, text in {
        "plan": "I plan my week on Sundays.",
        "fern": "Ferns thrive in my hall.",
        "tram": "The tram was late.",
        "fog": "There was fog on the river.",
    }.items():
        memory.add(text, id=id)
    assert ids(memory.search("Which plants should I get?", k=1)) == ["fern"]


def test_the_everyday_questions_are_embedded_once_for_a_store() -> None:
    calls: list[int] = []

    class Counting:
        name, dimensions = "counting", 256

        def embed(self, texts: list[str]) -> Vectors:
            calls.append(len(texts))
            return offline_embedder("wordllama").embed(texts)

    memory = MosaicMemory(embedder=Counting())
    memory.add("Ferns thrive in my hall.")
    calls.clear()
    for question in ("Which plants should I get?", "What could I wear?", "Where is my fern?"):
        memory.search(question)
    assert sum(calls) == 3 + max(calls)
    assert sorted(calls)[:-1] == [1, 1, 1]
