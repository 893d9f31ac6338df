"""Inspect: runs as its logs, and suites as its tasks; `make test-inspect` has it, the main environment hasn't."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import memtriage
from conftest import Cli, Place
from memtriage.models.scripted import StubServer, content

needs_inspect = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason="inspect-ai is not installed; `make test-inspect` runs this"
)


BROKEN = """
class Broken:
    def __init__(self): self.kept = []
    def store_conversation(self, conversation): self.kept.append(conversation.text)
    def get_all_memories(self): return self.kept
    def retrieve_memories(self, query, conversation, k): 1 / 0
"""


@pytest.fixture(autouse=True)
def _surroundings(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(place.path / "cache.db"))
    monkeypatch.setenv("INSPECT_DISPLAY", "none")


@pytest.mark.skipif(find_spec("inspect_ai") is not None, reason="Inspect is installed")
def test_without_inspect_the_command_says_how_to_get_it(cli: Cli) -> None:
    memtriage.run("bm25", suite="memfail/long-hop", rows=1, k=5, out="r")
    said = cli("export", "r", "--inspect", "logs", code=1).err
    assert said == "error: eval logs need Inspect; install it with: pip install '.[inspect]' in memtriage's checkout\n"


# ---------------------------------------------------------------------- runs as logs


def logs(folder: Path) -> list[Any]:
    from inspect_ai.log import list_eval_logs, read_eval_log

    return [read_eval_log(each) for each in list_eval_logs(str(folder))]


@needs_inspect
def test_a_run_becomes_logs_with_the_numbers_of_its_table(cli: Cli, place: Place) -> None:
    run = memtriage.run("bm25", "none", suite="memfail/long-hop", rows=6, k=[3, 5], out="r")
    cli("export", "r", "--inspect", "logs")
    found = {(log.eval.task_args["system"], log.eval.task_args["k"]): log for log in logs(place.path / "logs")}
    rows = {(row["system"], row["k"]): row for row in run.table()}
    assert set(found) == set(rows) == {(system, k) for system in ("bm25", "none") for k in (3, 5)}
    for key, log in found.items():
        scores = {score.name: {name: m.value for name, m in score.metrics.items()} for score in log.results.scores}
        row = rows[key]
        assert scores["success"] == pytest.approx({name: row[name] for name in ("success", "low", "high")}, abs=1e-6)
        assert scores["stage"].get("not_retrieved", 0) == row["not_retrieved"] / row["n"]
        assert (log.status, log.eval.task, log.eval.model) == ("success", "memfail/long-hop", "none/none")
        assert len(log.samples) == row["n"] == 6
    verdicts = {v.probe: v for v in run.verdicts() if (v.system, v.k) == ("bm25", 3)}
    for sample in found["bm25", 3].samples:
        verdict = verdicts[sample.id]
        assert (sample.input, sample.target) == (verdict.question, verdict.gold)
        assert sample.scores["stage"].value == verdict.verdict
        assert len(sample.metadata["memories"]) == verdict.k_returned == 3
        assert [fact["verdict"] for fact in sample.metadata["facts"]] == [fact.verdict for fact in verdict.facts]


@needs_inspect
def test_answers_grades_and_errors_are_in_the_logs(cli: Cli, place: Place) -> None:
    with StubServer(content) as server:
        model = f"{server.url}#m"
        run = memtriage.run("bm25", suite="memfail/long-hop", rows=4, k=5, answer=model, repeats=2, out="r")
        (log,) = logs_of(cli, place, "r")
    verdicts = {(v.probe, v.repeat + 1): v for v in run.verdicts()}
    assert {(sample.id, sample.epoch) for sample in log.samples} == set(verdicts)
    for sample in log.samples:
        verdict = verdicts[sample.id, sample.epoch]
        assert sample.output.completion == sample.messages[-1].text == verdict.answer
        assert (sample.scores["right"].value == "C") is verdict.right
    assert log.eval.model.endswith("#m")
    place.write("broken.py", BROKEN)
    memtriage.run("broken.py:Broken", suite="memfail/long-hop", rows=2, k=5, out="b")
    (log,) = logs_of(cli, place, "b")
    assert all(sample.scores is None and "division by zero" in sample.error.message for sample in log.samples)


def logs_of(cli: Cli, place: Place, run: str) -> list[Any]:
    cli("export", run, "--inspect", f"logs-{run}")
    return logs(place.path / f"logs-{run}")


# ---------------------------------------------------------------------- suites as tasks


@pytest.fixture
def model() -> Any:
    """A model that picks B, answers in prose, and grades what says "mock" as right."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def reply(input: list[Any], tools: Any, choice: Any, config: Any) -> Any:
        name = config.response_schema.name if config.response_schema else ""
        said = {"choice": '{"selected_choice": "B", "used": ["m1"]}', "answer": "It is a mock, I think."}
        right = '{"rulings": [' in input[-1].text or "mock" in input[-1].text
        text = said.get(name) or graded(config.response_schema, right)
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    return get_model("mockllm/model", custom_outputs=reply)


def graded(schema: Any, right: bool) -> str:
    """Any object that fits a schema, with every verdict the same."""

    def fill(part: Any, name: str = "") -> Any:
        match part.type:
            case "object":
                return {key: fill(inner, key) for key, inner in (part.properties or {}).items()}
            case "array":
                return [fill(part.items)]
            case "boolean":
                return right
            case "integer" | "number":
                return 1
        return part.enum[0] if part.enum else "because"

    return json.dumps(fill(schema.json_schema))


def evaluated(*tasks: Any, **settings: Any) -> Any:
    from inspect_ai import eval

    (log,) = eval(*tasks, log_dir="logs", **settings)
    assert log.status == "success", log.error
    return log


def means(log: Any) -> dict[str, float]:
    return {score.name: next(iter(score.metrics.values())).value for score in log.results.scores}


@needs_inspect
def test_a_suite_is_a_task_by_name_graded_as_a_run_is(place: Place, model: Any) -> None:
    settings = {"system": "bm25", "k": 3, "part": "long-hop", "rows": 8}
    log = evaluated("memtriage/memfail", task_args=settings, model=model)
    run = memtriage.run("bm25", suite="memfail/long-hop", rows=8, k=3, out="r")
    before = {f"{v.episode}/{v.probe}": v for v in run.verdicts()}
    assert {sample.id for sample in log.samples} == set(before)
    for sample in log.samples:
        score, verdict = sample.scores["graded"], before[sample.id]
        assert (score.value["right"] == "C") is (sample.target == "B")
        right = score.value["right"] == "C"
        stage = verdict.verdict if verdict.verdict != "correct" else "correct" if right else "reasoning_error"
        assert (score.metadata["stage"], score.metadata["graded_by"]) == (stage, "letter")
        assert [memory["rank"] for memory in sample.metadata["memories"]] == [1, 2, 3]
        assert sample.metadata["memories"][0]["text"] in sample.messages[1].text
        assert [message.role for message in sample.messages] == ["system", "user", "assistant"]
    found = means(log)
    assert found["right"] == sum(sample.target == "B" for sample in log.samples) / 8
    assert found["not_retrieved"] == sum(v.verdict == "not_retrieved" for v in before.values()) / 8


@needs_inspect
def test_free_answers_are_graded_by_the_model_in_the_role_of_grader(place: Place, model: Any) -> None:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    asked: list[str] = []

    def strict(input: list[Any], tools: Any, choice: Any, config: Any) -> Any:
        asked.append(input[-1].text)
        output = ModelOutput.from_content("mockllm/grader", graded(config.response_schema, right=False))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    grader = get_model("mockllm/grader", custom_outputs=strict)
    settings = {"part": "conditional-easy", "rows": 3, "k": 5}
    log = evaluated("memtriage/memfail", task_args=settings, model=model, model_roles={"grader": grader})
    assert len(asked) == len(log.samples)
    assert all("It is a mock, I think." in text for text in asked)
    assert means(log)["right"] == 0
    assert {sample.scores["graded"].metadata["graded_by"] for sample in log.samples} == {"judge"}


@needs_inspect
def test_a_filled_memory_is_kept_where_told_and_serves_the_next_model(place: Place, model: Any, cli: Cli) -> None:
    from memtriage.inspect_tasks import _filled

    settings = {"part": "long-hop", "rows": 3, "out": str(place.path / "kept")}
    evaluated("memtriage/memfail", task_args=settings, model=model)
    before = (place.path / "kept" / "journal.jsonl").read_bytes()
    _filled.cache_clear()  # as in another process
    evaluated("memtriage/memfail", task_args=settings, model=model)
    assert (place.path / "kept" / "journal.jsonl").read_bytes() == before
    assert "long-hop" in cli("show", "kept").out


@needs_inspect
def test_a_memory_that_fails_is_an_error_of_its_sample(place: Place, model: Any) -> None:
    from inspect_ai import eval

    place.write("broken.py", BROKEN)
    settings = {"part": "long-hop", "rows": 2, "system": "broken.py:Broken"}
    (log,) = eval("memtriage/memfail", task_args=settings, model=model, log_dir="logs", fail_on_error=False)
    assert ["division by zero" in sample.error.message for sample in log.samples] == [True, True]


@needs_inspect
def test_inspect_s_own_client_asks_a_real_endpoint(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(content) as server:
        monkeypatch.setenv("STUB_BASE_URL", server.url)
        monkeypatch.setenv("STUB_API_KEY", "none")
        settings = {"part": "coexisting", "rows": 3, "k": 5}
        log = evaluated("memtriage/memfail", task_args=settings, model="openai-api/stub/m")
        asked = len(server.requests)
    run = memtriage.run("bm25", suite="memfail/coexisting", rows=3, k=5, out="r")
    assert asked == 2 * len(log.samples)  # each is answered, and graded
    assert len(log.samples) == len(list(run.verdicts()))
    assert all(sample.output.usage.input_tokens > 0 for sample in log.samples)
