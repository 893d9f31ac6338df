"""The real LangMem in its own environment: memories recorded, patched and removed by tool calls."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtriage.models.scripted import Reply, Request
from memtriage.models.scripted.memory import memory

Start = Callable[..., Any]
TOWNS = ("Ulm", "Graz", "Lyon", "Turin", "Ghent", "Porto", "Malmo", "Gdansk", "Tartu")


def texts(memories: list[Any]) -> list[str]:
    return [memory["text"] for memory in memories]


def bodies(adapter: Any) -> list[Any]:
    return [seen.body for seen in adapter.server.requests if "messages" in seen.body]


def test_everything_said_is_kept_listed_and_found(adapter: Start) -> None:
    langmem = adapter("langmem")
    said = [f"Cousin {number} keeps {number + 40} geese in {TOWNS[number % 9]}." for number in range(25)]
    for number in range(0, 25, 5):
        langmem.tell("one", " ".join(said[number : number + 5]), id=f"s{number}", timestamp=f"2026-03-{number + 1:02}")
    listed = langmem.all("one")
    assert texts(listed) == said  # a search of the library stops at 10
    assert [m["created_at"][:10] for m in listed] == [f"2026-03-{n // 5 * 5 + 1:02}" for n in range(25)]
    found = langmem.find("one", "What does a zebra eat?", k=23)
    assert len(found) == len({memory["id"] for memory in found}) == 23
    best = langmem.find("one", "How many geese does Cousin 7 keep?", k=1)[0]
    assert best["text"] == said[7]
    assert best["score"] > 0
    assert langmem.all("one") == listed  # a query writes nothing
    assert langmem.server.count(path="/chat/completions") == 5  # one call per session, none per query
    assert langmem.troubles == []


def test_both_speakers_and_the_time_reach_the_model(adapter: Start) -> None:
    langmem = adapter("langmem", options={"instructions": "Write like a pirate.", "temperature": "0.7"})
    roles = (("user", "I moved yesterday."), ("assistant", "To Bruges?"), ("Maria", "No, to Ghent."))
    turns = [{"role": role, "text": text, "id": f"t/{n}"} for n, (role, text) in enumerate(roles)]
    langmem.ask("store", scope="one", session={"id": "t", "timestamp": "2026-03-02T09:00:00+00:00", "turns": turns})
    [body] = bodies(langmem)
    prompt = body["messages"][1]["content"]
    for said in ("2026-03-02T09:00:00+00:00", "I moved yesterday.", "To Bruges?", "Maria: No", "Write like a pirate."):
        assert said in prompt
    assert body["temperature"] == 0.7
    embedded = [seen.body["input"] for seen in langmem.server.requests if "input" in seen.body]
    assert all(isinstance(text, str) for some in embedded for text in some)  # texts, no numbers of a tokenizer
    assert texts(langmem.all("one")) == ["I moved yesterday.", "Maria: No, to Ghent."]


def test_two_stores_filled_in_turn_never_see_each_other(adapter: Start, tmp_path: Path) -> None:
    langmem = adapter("langmem")
    for number in range(3):
        for scope, animal in (("left", "goose"), ("right", "heron")):
            langmem.tell(scope, f"My {animal} number {number} is called Otto{number}.", id=f"s{number}")
    for scope, mine, other in (("left", "goose", "heron"), ("right", "heron", "goose")):
        assert len(langmem.all(scope)) == 3
        found = langmem.find(scope, f"What is my {other} called?", k=10)
        assert len(found) == 3
        assert all(mine in text and other not in text for text in texts(langmem.all(scope) + found))
    prompts = [str(body["messages"]) for body in bodies(langmem)]
    assert not any("goose" in prompt and "heron" in prompt for prompt in prompts)  # nor on their way to the model

    kept = langmem.all("left")
    langmem.ask("save", scope="left", path=str(tmp_path / "saved"))
    langmem.ask("reset", scope="left")
    assert langmem.all("left") == []
    before = langmem.server.count(path="/embeddings")
    langmem.ask("load", scope="third", path=str(tmp_path / "saved"))
    assert langmem.all("third") == kept
    assert langmem.server.count(path="/embeddings") == before  # the vectors were saved too
    assert langmem.find("third", "What is my goose number 1 called?", k=1)[0]["text"] == kept[1]["text"]
    langmem.tell("third", "My swan is called Ada.")
    assert len(langmem.all("third")) == 4
    assert len(langmem.all("right")) == 3
    with pytest.raises(RuntimeError, match="holds no saved LangMem store"):
        langmem.ask("load", scope="left", path=str(tmp_path))


def test_memories_are_patched_and_removed(adapter: Start) -> None:
    def script(request: Request) -> Any:
        ids = dict(re.findall(r"<instance id=(\w+) .*?>\n.*?'content': '(.*?)'", request.messages[0][1]))
        by_text = {text: id for id, text in ids.items()}
        if "I moved to Graz." in request.text and by_text:
            patch = {"op": "replace", "path": "/content", "value": "I live in Graz."}
            where = by_text["I live in Ulm."]
            return Reply(tools=(("PatchDoc", {"json_doc_id": where, "planned_edits": "-", "patches": [patch]}),))
        if "Otto is gone." in request.text and by_text:
            return Reply(tools=(("RemoveDoc", {"json_doc_id": by_text["My goose is called Otto."]}),))
        return memory(request)

    langmem = adapter("langmem", script=script, options={"deletes": "true"})
    langmem.tell("one", "I live in Ulm. My goose is called Otto.", timestamp="2026-03-01T09:00:00+00:00")
    langmem.tell("one", "I moved to Graz.", timestamp="2026-03-02T09:00:00+00:00")
    listed = langmem.all("one")
    assert sorted(texts(listed)) == ["I live in Graz.", "My goose is called Otto."]
    assert {m["text"]: m["created_at"][:10] for m in listed}["I live in Graz."] == "2026-03-02"
    langmem.tell("one", "Otto is gone.")
    assert texts(langmem.all("one")) == ["I live in Graz."]
    assert langmem.find("one", "Graz", k=5)[0]["text"] == "I live in Graz."
    assert langmem.troubles == []


def test_the_model_may_write_the_queries(adapter: Start) -> None:
    langmem = adapter("langmem", options={"query_model": "true"})
    langmem.tell("one", "I live in Ulm.")
    langmem.tell("one", "I live in Ulm. I row.")
    assert [sorted(tool["function"]["name"] for tool in body["tools"]) for body in bodies(langmem)] == [
        ["search_memory"],
        ["Memory"],
        ["search_memory"],
        ["Memory", "PatchDoc"],  # nothing can be removed by default, as in the library
    ]
    assert sorted(texts(langmem.all("one"))) == ["I live in Ulm.", "I row."]


def test_what_the_library_drops_is_told_and_what_fails_is_an_error(adapter: Start) -> None:
    def script(request: Request) -> Any:
        if "MISFIT" in request.text:  # mended twice in vain, then dropped
            return Reply(tools=(("Memory", {"text": "no content"}),))
        if "CUT" in request.text:
            return Reply("First of all, the user", finish_reason="length")
        return Reply("down", status=400) if "FAIL" in request.text else memory(request)

    langmem = adapter("langmem", script=script)
    langmem.tell("one", "This is a MISFIT.")
    assert any("content" in text and "Field required" in text for text in langmem.troubles)
    langmem.troubles.clear()
    langmem.tell("one", "This is CUT.")
    assert len(langmem.troubles) == 1
    assert "cut off" in langmem.troubles[0]
    with pytest.raises(RuntimeError, match="down"):
        langmem.tell("one", "It will FAIL.")  # no memories yet: the library raises by itself
    langmem.tell("one", "I live in Ulm.")
    calls = langmem.server.count(path="/chat/completions")
    with pytest.raises(RuntimeError, match="down"):
        langmem.tell("one", "It will FAIL.")  # updating: the library asks on and on, and hides why
    assert langmem.server.count(path="/chat/completions") - calls == 12
    assert texts(langmem.all("one")) == ["I live in Ulm."]
    langmem.server.embedding = "wordllama"  # vectors of another size than was said
    with pytest.raises(RuntimeError, match=r"refused: .*gives vectors of 256 numbers.*made for 1536"):
        langmem.find("one", "Ulm")


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        ({"embed": False}, "--embed"),
        ({"internal": False}, "--internal"),
        ({"options": {"deletes": "maybe"}}, "deletes is true or false"),
        ({"options": {"query_limit": "none"}}, "query_limit is a number"),
        ({"options": {"querylimit": "3"}}, "no option 'querylimit'"),
    ],
)
def test_a_wrong_start_is_refused(adapter: Start, start: dict[str, Any], problem: str) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*{problem}"):
        adapter("langmem", **start)
