"""mosaic: whom a question asks about, and whom an entry tells of."""

from __future__ import annotations

import pytest

from memtriage.systems.designs.mosaic.memory import Hit, MosaicMemory
from memtriage.systems.designs.mosaic.questions import EXPECTING

DAILY_LIFE = (
    "The soup on Sunday was too salty.",
    "There was a thick fog on the river.",
    "Fruit is cheaper at the weekday market.",
    "An umbrella was left on the tram.",
    "The trombone next door is loud.",
)
JONAH = (
    "Jonah dislikes crowded ferries.",
    "Crowded ferries push Jonah toward solo walks.",
    "Solo walks give Jonah a peaceful mood.",
)
OTHERS = (
    "Mira enjoys solo trips.",
    "Solo trips move Mira to sketch nightly.",
    "Solo road trips lead Zadie to hum loudly.",
    "Zadie enjoys solo road trips.",
    "Crowded ferries move Zadie to hum.",
    "Peaceful moods make Mira sketch nightly.",
)
OPTIONS = "\n\nOptions:\nA. loud hum\nB. peaceful mood\nC. nightly sketch"


def filled(*told: str) -> MosaicMemory:
    """A memory that was told these things, t0, t1, …, after others."""
    memory = MosaicMemory()
    for text in DAILY_LIFE:
        memory.add(text)
    for n, text in enumerate(told):
        memory.add(text, id=f"t{n}")
    return memory


def texts(hits: list[Hit]) -> list[str]:
    return [hit.entry.text for hit in hits]


def test_a_chain_about_one_person_does_not_lead_through_another() -> None:
    asked = f"Given Jonah's feelings about certain ferries, what does he finally get?{OPTIONS}"
    assert sorted(texts(filled(*OTHERS, *JONAH).search(asked, k=3))) == sorted(JONAH)


def test_a_chain_leads_to_somebody_by_their_name() -> None:
    memory = filled("I share a workshop with Ottoline.", "Ottoline keeps bees on the roof.", "Bees sleep in winter.")
    found = memory.search("What ends up on the roof because of the one I share a workshop with?", k=2)
    assert texts(found) == ["I share a workshop with Ottoline.", "Ottoline keeps bees on the roof."]


@pytest.mark.parametrize(
    "asked",
    [
        "The stove is lit tonight. Will Jonah carve spoons?",
        "The stove is lit tonight — should I expect Jonah to carve spoons?",
        "Jonah has lit the stove. Will he carve spoons?",
    ],
)
def test_what_is_told_of_the_one_who_is_asked_about_comes_first(asked: str) -> None:
    memory = filled(
        "Choosing to carve spoons leads Mira to light the stove.",
        "Jonah takes a knife along wherever he goes. He is fond of whittling, and leaves tiny spoons in cups.",
    )
    assert memory.search(asked, k=1)[0].entry.id == "t1"


def test_a_name_that_nobody_told_of_does_not_count_against_others() -> None:
    memory = filled("Mira wears woollen socks in bed.", "Wool was dear this year.")
    assert memory.search("Does Zadie wear woollen socks in bed?", k=1)[0].entry.id == "t0"


@pytest.mark.parametrize("report", ["Clarice has news. Her baking is over now.", "I gave up baking last week."])
def test_what_one_person_reports_changes_nothing_for_another(report: str) -> None:
    memory = filled("Bettina's hallway smells of cloves because of her baking.", report)
    assert memory.search("What does Bettina's hallway smell of?", k=1)[0].voided_by is None


@pytest.mark.parametrize(
    ("told", "report"),
    [
        (
            "Bettina lives by the harbour, because of her job.",
            "Bettina has news. She has a new job now.",
        ),
        ("Bettina lives by the harbour, because of her job.", "Her job moved to Berlin in March."),
        ("Bettina's hallway smells of cloves because of her baking.", "Yesterday she gave up baking."),
        ("Bettina's hallway smells of cloves because of her baking.", "Dinner is cold. The baking is over now."),
    ],
)
def test_a_report_that_names_nobody_else_changes_what_hangs_on_it(told: str, report: str) -> None:
    found = {hit.entry.id: hit for hit in filled(told, report).search("What of Bettina?", k=2)}
    assert found["t0"].voided_by == "t1"


def test_a_place_in_a_question_is_nobody_of_whom_it_is_asked() -> None:
    memory = filled("My dentist's number is 555 0199.", "The train to Leeds leaves at ten.", "Leeds is big.")
    assert memory.search("What is the number of the dentist in Leeds?", k=1)[0].entry.id == "t0"


def test_expecting_something_makes_nobody_the_one_who_is_asked_about() -> None:
    assert EXPECTING.sub("", "Should I expect Jonah to call?") == "Jonah to call?"
