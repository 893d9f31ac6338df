"""`data generate memfail --model` on recorded replies, good and malformed: whose words the rows are, and their cost.

`recordings/memfail-rows.json` has hand-written replies to the orders of seed 7, by what was asked for and by attempt.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from conftest import Cli, Place
from memtriage.models.call import MeteredModel
from memtriage.suites.memfail.data import MemFailFiles
from memtriage.suites.memfail.released.files import find_files, read_rows
from memtriage.suites.memfail.rows import DATASETS, CoexistingRow, ConditionalRow, LongHopRow, PersonaRow, Row
from model_server import Answer, ModelServer, error, says

REPLIES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("recordings").joinpath("memfail-rows.json").read_text(encoding="utf-8")
)
EACH = Decimal("0.041")
"""What a reply costs: the server reports 11 tokens in, at 1,000 dollars per million, and 3 out, at 10,000."""


class Author:
    """Gives the recorded replies; the last one again where more attempts are made than were recorded."""

    def __init__(self) -> None:
        self._asked = Counter[str]()
        self._lock = Lock()

    def __call__(self, _: int, body: Mapping[str, Any]) -> Answer:
        form = body["response_format"]["json_schema"]["name"]
        orders = json.loads(body["messages"][-1]["content"].split("\n")[1]).get("orders", ())
        about = [str(order["answer"] if form == "memfail_options" else order["row_id"]) for order in orders]
        key = "/".join([form, ",".join(about)] if orders else [form])
        with self._lock:
            attempt = self._asked[key]
            self._asked[key] += 1
        if key not in REPLIES:
            return error(400, f"nobody was asked for {key} when the replies were recorded")
        return says(REPLIES[key][min(attempt, len(REPLIES[key]) - 1)])


@pytest.fixture(autouse=True)
def _prices(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.write("prices.json", '{"author": {"input": 1000, "output": 10000}}')
    monkeypatch.setenv("MEMTRIAGE_PRICES", "prices.json")
    assert MeteredModel.__init__.__kwdefaults__
    monkeypatch.setitem(MeteredModel.__init__.__kwdefaults__, "backoff", 0.001)  # nobody is there to be spared


def told(row: Row) -> list[str]:
    """All that the author of a row had to write."""
    match row:
        case ConditionalRow():
            return [row.entity, row.behavior, row.condition, row.essay, row.question, row.ground_truth_answer]
        case CoexistingRow():
            return [*row.preferences, *row.preference_facts, row.question]
        case PersonaRow():
            right = [question.ground_truth_answer for question in row.questions if not question.is_misleading]
            return [row.essay, *right, *(question.text for question in row.questions)]
        case LongHopRow():
            return [*row.facts, *row.chain, *row.choices, row.graded_question.split("\n")[0]]


def dollars(text: str) -> Decimal:
    found = re.search(r"model calls: .*\$([0-9.]+)", text)
    assert found, text
    return Decimal(found[1])


def test_every_row_is_in_the_authors_words_and_every_reply_is_paid_for(cli: Cli, place: Place) -> None:
    with ModelServer(Author()) as server:
        model = f"{server.url}#author"
        out = cli("data", "generate", "memfail", "--rows", "2", "--seed", "7", "--model", model, "--out", "d", "-q")
        requests = len(server.bodies)
        again = cli("data", "generate", "memfail", "--rows", "2", "--seed", "7", "--model", model, "--out", "e", "-q")
        malformed = len(server.bodies) - requests  # replies that can't be read are not kept, so these are asked again
    said = "\n".join(text for texts in REPLIES.values() for text in texts)
    for dataset, path in find_files(place.path / "d").items():
        rows = read_rows(path, dataset)
        assert len(rows) == 2
        for row in rows:
            for text in told(row):
                assert json.dumps(text, ensure_ascii=False)[1:-1] in said, text
        record = json.loads(path.with_name("generation_config.json").read_text())
        assert record["model_name"] == model
        assert path.read_bytes() == find_files(place.path / "e")[dataset].read_bytes()
    assert dollars(out.err) == EACH * requests
    assert dollars(again.err) == EACH * malformed
    assert 0 < malformed < requests
    assert not [
        file for checked in MemFailFiles().validate(place.path / "d") for file in checked.problems if file.is_error
    ]
    printed = json.loads(cli("data", "stats", "memfail", "--data", "d", "--json").out)
    assert {row["Generator"] for row in printed["tables"][0]["rows"]} == {model}


MALFORMED = ["Gladly!", '{"rows": [{"row_id": 1', '{"rows": []}', '{"rows": "two"}', "null"]


@pytest.mark.parametrize(("dataset", "reply"), list(zip(DATASETS, MALFORMED, strict=True)))
def test_a_model_that_never_replies_as_asked_writes_no_rows(cli: Cli, place: Place, dataset: str, reply: str) -> None:
    """Nor do rows that were there before become its own."""
    cli("data", "generate", f"memfail/{dataset}", "--rows", "2", "--out", "d", "-q")
    [path] = find_files(place.path / "d", (dataset,)).values()
    before = [file.read_bytes() for file in (path, path.with_name("generation_config.json"))]
    with ModelServer(lambda *_: says(reply)) as server:
        flags = ["--rows", "2", "--model", f"{server.url}#author", "-q"]
        failed = cli("data", "generate", f"memfail/{dataset}", *flags, "--out", "d", code=1)
        cli("data", "generate", f"memfail/{dataset}", *flags, "--out", "fresh", code=1)
    assert "wrote 0 of 2 usable" in failed.err
    assert dollars(failed.err) > 0
    assert [file.read_bytes() for file in (path, path.with_name("generation_config.json"))] == before
    assert not list(place.path.glob("fresh/**/*.csv"))
