"""The real Mem0 in its own environment: what it keeps, lists and brings back, and what it would rather not tell."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from memtriage.models.scripted import Reply, Request, in_order
from memtriage.models.scripted.bodies import hashed

Start = Callable[..., Any]
TOWNS = ("Ulm", "Graz", "Lyon", "Turin", "Ghent", "Porto", "Malmo", "Gdansk", "Tartu")


def opposite() -> tuple[str, str]:
    """Two words whose vectors point in opposite directions at the scripted server."""
    seen: dict[tuple[int, bool], str] = {}
    for word in map("".join, product("bdkmrtvz", "aou", "bdkmrtvz", "aou", "bdkmrt")):
        vector = hashed(word, 1536)
        place = max(range(1536), key=lambda at: abs(vector[at]))
        seen[place, vector[place] > 0] = word
        if (other := seen.get((place, vector[place] < 0))) is not None:
            return word, other
    raise AssertionError("no two words point in opposite directions")


def texts(memories: list[Any]) -> list[str]:
    return [memory["text"] for memory in memories]


def test_everything_said_is_kept_listed_and_found(adapter: Start, tmp_path: Path) -> None:
    mem0 = adapter("mem0")
    assert mem0.hello["version"].startswith("2.")
    said = [f"Cousin {number} keeps {number + 40} geese in {TOWNS[number % 9]}." for number in range(25)]
    for number, text in enumerate(said):
        mem0.tell("one", text, id=f"s{number}", timestamp=f"2026-03-{number + 1:02}T09:00:00+00:00")
    listed = mem0.all("one")
    assert texts(listed) == said  # get_all of the library stops at 20
    assert [memory["created_at"][:10] for memory in listed] == [f"2026-03-{n + 1:02}" for n in range(25)]
    found = mem0.find("one", "What does a zebra eat?", k=23)  # nothing is similar, and k is k
    assert len(found) == len({memory["id"] for memory in found}) == 23
    best = mem0.find("one", "How many geese does Cousin 7 keep?", k=1)[0]
    assert best["text"] == said[7]
    assert best["score"] > 0.3
    assert mem0.all("one") == listed  # a query writes nothing
    assert mem0.server.count(path="/chat/completions") == 25  # one call per session, none per query
    assert mem0.troubles == []
    assert not (tmp_path / "mem0-0" / ".mem0").exists()


def test_both_speakers_the_time_and_the_instructions_reach_the_model(
    adapter: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", "would send every call elsewhere")
    mem0 = adapter("mem0", options={"prompt": "Write like a pirate.", "temperature": "0.7", "batch": "2"})
    roles = (("user", "I moved yesterday."), ("assistant", "To Bruges?"), ("Maria", "No, to Ghent."))
    turns = [{"role": role, "text": text, "id": f"t/{n}"} for n, (role, text) in enumerate(roles)]
    mem0.ask("store", scope="one", session={"id": "t", "timestamp": "2026-03-02T09:00:00+00:00", "turns": turns})
    asked = [seen.body for seen in mem0.server.requests if seen.path.endswith("/chat/completions")]
    first, second = (body["messages"][1]["content"] for body in asked)
    assert "user: I moved yesterday.\nassistant: To Bruges?" in first
    assert "user: Maria: No, to Ghent." in second
    assert all("2026-03-02T09:00:00+00:00" in prompt and "Write like a pirate." in prompt for prompt in (first, second))
    assert asked[0]["temperature"] == 0.7
    assert texts(mem0.all("one")) == ["I moved yesterday.", "Maria: No, to Ghent."]


def test_two_stores_filled_in_turn_never_see_each_other(adapter: Start, tmp_path: Path) -> None:
    mem0 = adapter("mem0")
    for number in range(3):
        for scope, animal in (("left", "goose"), ("right", "heron")):
            mem0.tell(scope, f"My {animal} number {number} is called Otto{number}.", id=f"s{number}")
    for scope, mine, other in (("left", "goose", "heron"), ("right", "heron", "goose")):
        assert len(mem0.all(scope)) == 3
        found = mem0.find(scope, f"What is my {other} called?", k=10)
        assert len(found) == 3
        assert all(mine in text and other not in text for text in texts(mem0.all(scope) + found))
    prompts = [s.body["messages"][1]["content"] for s in mem0.server.requests if "messages" in s.body]
    assert not any("goose" in prompt and "heron" in prompt for prompt in prompts)  # nor on their way to the model

    kept = mem0.all("left")
    mem0.ask("save", scope="left", path=str(tmp_path / "saved"))
    mem0.ask("reset", scope="left")
    assert mem0.all("left") == []
    mem0.ask("load", scope="third", path=str(tmp_path / "saved"))
    assert mem0.all("third") == kept
    mem0.tell("third", "My swan is called Ada.")
    assert len(mem0.all("third")) == 4
    assert mem0.find("third", "What is my goose number 1 called?", k=1)[0]["text"] == kept[1]["text"]
    mem0.ask("load", scope="left", path=str(tmp_path / "saved"))  # what was saved has not changed since
    assert mem0.all("left") == kept
    assert len(mem0.all("right")) == 3
    with pytest.raises(RuntimeError, match="holds no saved Mem0 store"):
        mem0.ask("load", scope="left", path=str(tmp_path))


def test_messages_are_kept_word_for_word_without_a_model(adapter: Start) -> None:
    mem0 = adapter("mem0", options={"infer": "false"}, internal=False)
    mem0.tell("one", "I live in Ulm. I row.", "My boat is called Ada.", id="s1")
    listed = mem0.all("one")
    assert sorted(texts(listed)) == ["I live in Ulm. I row.", "My boat is called Ada.", "Noted.", "Noted."]
    assert {source for memory in listed for source in memory["sources"]} == {"s1/0", "s1/1", "s1/2", "s1/3"}
    assert next(m["sources"] for m in listed if "boat" in m["text"]) == ["s1/2"]
    assert mem0.server.count(path="/chat/completions") == 0

    query, memory = opposite()  # similarity may be below zero, and k is still k
    turns = [{"role": "user", "text": memory, "id": "s/0"}]
    mem0.ask("store", scope="two", session={"id": "s", "timestamp": None, "turns": turns})
    [found] = mem0.find("two", query)
    assert found["text"] == memory
    assert found["score"] < -0.5


def test_a_threshold_holds_where_it_is_set(adapter: Start) -> None:
    mem0 = adapter("mem0", options={"infer": "false", "threshold": "0.1"}, internal=False)
    [notice] = mem0.hello["notices"]
    assert all(word in notice for word in ("semantic only", "spacy", "fastembed"))
    mem0.tell("one", "I live in Ulm.")
    assert mem0.find("one", "zebra") == []
    assert texts(mem0.find("one", "Who lives in Ulm?")) == ["I live in Ulm."]


def test_what_the_library_loses_is_told_and_what_fails_is_an_error(adapter: Start) -> None:
    lost = [
        (Reply('{"memory": [{"text": "I live', finish_reason="length"), "cut off at max_tokens=2000"),
        ("", "is empty"),
        ("I remember nothing.", "is no JSON"),
        ({"facts": ["I live in Ulm."]}, "has no list 'memory'"),
        ({"memory": [{"id": "0", "fact": "I live in Ulm."}]}, "1 memories without a text"),
    ]
    mem0 = adapter("mem0", script=in_order([*(reply for reply, _ in lost), {"memory": []}, Reply("down", status=400)]))
    for number, (_, told) in enumerate(lost, 1):
        mem0.tell("one", "I live in Ulm.")
        assert len(mem0.troubles) == number
        assert told in mem0.troubles[-1]
    mem0.tell("one", "Well, well.")  # finding nothing to keep is no trouble
    with pytest.raises(RuntimeError, match=r"LLMError.*down"):  # and an endpoint that fails is an error
        mem0.tell("one", "I row.")
    assert len(mem0.troubles) == len(lost)
    assert mem0.all("one") == []
    mem0.server.embedding = "wordllama"  # vectors of another size than was said
    with pytest.raises(RuntimeError, match=r"refused: .*gives vectors of 256 numbers.*made for 1536"):
        mem0.tell("one", "I live in Ulm.")


def test_reranking_orders_by_the_model(adapter: Start) -> None:
    from memtriage.models.scripted.memory import memory

    def script(request: Request) -> Any:
        if "New Messages" in request.text:
            return memory(request)
        return "0.9" if "heron" in request.last_user.partition("Document:")[2] else "no idea"

    mem0 = adapter("mem0", options={"rerank": "true"}, script=script)
    mem0.tell("one", "The goose is called Otto. The heron sleeps.")
    found = mem0.find("one", "What is the goose called?", k=2)
    assert texts(found) == ["The heron sleeps.", "The goose is called Otto."]
    assert [memory["score"] for memory in found] == [0.9, 0.5]
    assert any("gave no score" in text for text in mem0.troubles)


@pytest.mark.parametrize(
    ("start", "problem"),
    [
        ({"embed": False}, "--embed"),
        ({"internal": False}, "--internal"),
        ({"options": {"infer": "maybe"}}, "infer is true or false"),
        ({"options": {"threshold": "7"}}, "threshold is a number from 0 to 1"),
        ({"options": {"inferr": "true"}}, "no option 'inferr'"),
    ],
)
def test_a_wrong_start_is_refused(adapter: Start, start: dict[str, Any], problem: str) -> None:
    with pytest.raises(RuntimeError, match=f"refused: .*{problem}"):
        adapter("mem0", **start)
