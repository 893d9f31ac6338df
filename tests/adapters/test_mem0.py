"""The real Mem0 in its own environment: what it keeps, lists and brings back, and what it would rather not tell."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from adapter_driver import python_of
from memtriage.models.scripted import Reply, Request, in_order
from memtriage.models.scripted.bodies import hashed
from memtriage.models.scripted.memory import memory
from memtriage.systems.libraries import catalog

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
    assert all("Write like a pirate." in prompt for prompt in (first, second))
    assert asked[0]["temperature"] == 0.7
    assert texts(mem0.all("one")) == ["I moved yesterday.", "Maria: No, to Ghent."]


@pytest.mark.parametrize("name", ["mem0", "mem0-1"])
def test_the_only_day_in_the_prompt_is_that_of_the_session(adapter: Start, name: str) -> None:
    """Today stands there only where the session has no date, or where that is asked for."""
    today = datetime.now(UTC).date().isoformat()
    mem0 = adapter(name)

    def prompts() -> list[str]:
        bodies = [seen.body for seen in mem0.server.requests if "messages" in seen.body]
        extracting = [body for body in bodies if len(body["messages"]) == 2]
        return ["\n".join(message["content"] for message in body["messages"]) for body in extracting]

    stored = []
    for number, when in enumerate(("2023-05-20T02:21:00+00:00", "2023-06-01T10:00:00+00:00", "2023/07/04 (Tue) 08:15")):
        mem0.tell("one", f"Boat {number} left yesterday.", id=f"s{number}", timestamp=when)
        stored.append(when)
        day = when[:10] if "-" in when else when
        assert day in prompts()[-1]
        assert today not in prompts()[-1]
    assert [found["created_at"] for found in mem0.all("one")] == sorted(stored)
    mem0.tell("one", "Boat 9 left yesterday.", id="s9", timestamp=None)
    assert today in prompts()[-1]
    undated = adapter(name, options={"dated": "false"})
    undated.tell("one", "It left yesterday.")
    [asked] = [seen.body for seen in undated.server.requests if len(seen.body.get("messages", ())) == 2]
    assert today in str(asked["messages"])
    assert undated.all("one")[0]["created_at"] == "2026-03-02T09:00:00+00:00"


@pytest.mark.parametrize("name", ["mem0", "mem0-full", "mem0-1"])
def test_two_stores_filled_in_turn_never_see_each_other(adapter: Start, tmp_path: Path, name: str) -> None:
    mem0 = adapter(name)
    for number in range(3):
        for scope, animal in (("left", "goose"), ("right", "heron")):
            mem0.tell(scope, f"My {animal} number {number} is called Otto{number}.", id=f"s{number}")
    for scope, mine, other in (("left", "goose", "heron"), ("right", "heron", "goose")):
        assert len(mem0.all(scope)) == 3
        found = mem0.find(scope, f"What is my {other} called?", k=10)
        assert len(found) == 3
        assert all(mine in text and other not in text for text in texts(mem0.all(scope) + found))
    prompts = [s.body["messages"][-1]["content"] for s in mem0.server.requests if "messages" in s.body]
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


@pytest.mark.parametrize("name", ["mem0", "mem0-1"])
def test_messages_are_kept_word_for_word_without_a_model(adapter: Start, name: str) -> None:
    mem0 = adapter(name, options={"infer": "false"}, internal=False)
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


@pytest.mark.parametrize("name", ["mem0", "mem0-1"])
def test_a_threshold_holds_where_it_is_set(adapter: Start, name: str) -> None:
    mem0 = adapter(name, options={"infer": "false", "threshold": "0.1"}, internal=False)
    if name == "mem0":
        [notice] = mem0.hello["notices"]
        assert "semantic only" in notice
        assert "memtriage systems install mem0-full" in notice
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


# ------------------------------------------------------------ Mem0 1.x: updates and deletions


def deciding(*decisions: dict[str, str]) -> Callable[[Request], Any]:
    """A script in which the model decides so about the second session; the first is kept as it is said."""

    def script(request: Request) -> Any:
        update = "new retrieved facts" in request.last_user and "Ulm" in request.last_user.rpartition("Below is")[2]
        return {"memory": list(decisions)} if update and "Graz" in request.last_user else memory(request)

    return script


def test_one_updates_what_changed_and_deletes_what_is_gone(adapter: Start) -> None:
    update = {"id": "0", "text": "Lives in Graz.", "event": "UPDATE", "old_memory": "I live in Ulm."}
    mem0 = adapter("mem0-1", script=deciding(update))
    assert mem0.hello["version"] == "1.0.3"
    assert mem0.hello["notices"] == []
    mem0.tell("one", "I live in Ulm.", timestamp="2026-03-01T09:00:00+00:00")
    [first] = mem0.all("one")
    mem0.tell("one", "I moved to Graz.", timestamp="2026-04-02T09:00:00+00:00")
    [changed] = mem0.all("one")
    assert (changed["id"], changed["text"]) == (first["id"], "Lives in Graz.")
    assert (first["created_at"], changed["created_at"]) == ("2026-03-01T09:00:00+00:00", "2026-04-02T09:00:00+00:00")
    assert mem0.find("one", "Who lives in Graz?", k=1)[0]["text"] == "Lives in Graz."
    assert mem0.server.count(path="/chat/completions") == 4  # facts, then what to do with them

    gone = adapter("mem0-1", script=deciding({"id": "0", "text": "I live in Ulm.", "event": "DELETE"}))
    gone.tell("one", "I live in Ulm.")
    gone.tell("one", "I moved to Graz.")
    assert gone.all("one") == []
    assert mem0.troubles == gone.troubles == []


def test_one_keeps_everything_where_the_model_adds_everything(adapter: Start) -> None:
    mem0 = adapter("mem0-1", options={"max_tokens": "20000"})  # it repeats what stays, and 2000 would cut that off
    said = [f"Cousin {number} keeps {number + 40} geese in {TOWNS[number % 9]}." for number in range(105)]
    for start in range(0, 105, 35):
        mem0.tell("one", *said[start : start + 35], id=f"s{start}", timestamp=f"2026-03-{start // 35 + 1:02}")
    assert sorted(texts(mem0.all("one"))) == sorted(said)  # get_all of the library stops at 100
    mem0.tell("one", said[3], id="again")
    assert len(mem0.all("one")) == 105
    assert len(mem0.find("one", "What does a zebra eat?", k=102)) == 102
    assert mem0.find("one", "How many geese does Cousin 7 keep?", k=1)[0]["text"] == said[7]
    assert not any("dimensions" in seen.body for seen in mem0.server.requests)  # many endpoints refuse it
    assert mem0.troubles == []


def test_ones_own_instructions_take_the_place_of_its_prompts(adapter: Start) -> None:
    mem0 = adapter(
        "mem0-1", options={"prompt": 'Find "facts", as JSON.', "update_prompt": "Change as little as you can."}
    )
    mem0.tell("one", "I live in Ulm.")
    first, second = (seen.body["messages"] for seen in mem0.server.requests if "messages" in seen.body)
    assert first[0]["content"] == 'Find "facts", as JSON.'
    assert second[0]["content"].startswith("Change as little as you can.")


def test_what_one_leaves_undone_is_told(adapter: Start) -> None:
    facts = {"facts": ["I live in Ulm."]}
    cases = [
        ((Reply("{", finish_reason="length"), facts), "cut off at max_tokens=2000"),
        (("Nothing.", facts), "Error in new_retrieved_facts"),
        ((facts, "no JSON"), "Invalid JSON response"),
        ((facts, Reply("down", status=400)), "Error in new memory actions response"),
        ((facts, {"memory": [{"id": "0", "text": "", "event": "DELETE"}]}), "1 updates without a text"),
        (
            (facts, {"memory": [{"id": "0", "text": "I row.", "event": "KEEP"}]}),
            "1 updates without a text or a known event",
        ),
        ((facts, {"memory": [{"id": "7", "text": "I row.", "event": "UPDATE"}]}), "Error processing memory action"),
    ]
    for replies, told in cases:
        mem0 = adapter("mem0-1", script=in_order(replies))
        mem0.tell("one", "I live in Ulm.")
        assert any(told in text for text in mem0.troubles), (told, mem0.troubles)
        assert mem0.all("one") == []
    down = adapter("mem0-1", script=in_order([Reply("down", status=400)]))
    with pytest.raises(RuntimeError, match="down"):
        down.tell("one", "I live in Ulm.")


# ------------------------------------------------------------ the full Mem0: keywords and entities

BOATS = [f"Boat {number} is green." for number in range(18)]
NUTMEG = "The Dutch merchant finally sold every crate of nutmeg at Zanzibar."
ASKED = "Where did my boat sail, to Zanzibar?"


def test_a_rare_word_puts_a_memory_first_that_similarity_alone_does_not_bring(adapter: Start) -> None:
    """By similarity a short sentence about a boat wins; by keywords Zanzibar counts, since only one memory has it."""
    semantic, hybrid = adapter("mem0"), adapter("mem0-full")
    for mem0 in (semantic, hybrid):
        mem0.tell("one", *BOATS, NUTMEG)
        assert mem0.troubles == []
    assert NUTMEG not in texts(semantic.find("one", ASKED, k=5))
    assert texts(hybrid.find("one", ASKED, k=1)) == [NUTMEG]
    assert len(hybrid.find("one", ASKED, k=19)) == 19
    assert "semantic only" in semantic.hello["notices"][0]
    assert not any("semantic only" in notice for notice in hybrid.hello["notices"])


STAND_IN = """
import sys, zipfile, pathlib, spacy
nlp = spacy.blank("en")
for name in ("tagger", "parser", "ner"):
    nlp.add_pipe(name)
nlp.get_pipe("tagger").add_label("NN")
nlp.get_pipe("parser").add_label("dep")
nlp.get_pipe("ner").add_label("PERSON")
nlp.initialize()
nlp.meta.update(name="core_web_sm", version="3.8.0")
folder = pathlib.Path(sys.argv[1])
model = folder / "en_core_web_sm" / "en_core_web_sm-3.8.0"
model.mkdir(parents=True)
nlp.to_disk(model)
(model.parent / "meta.json").write_text((model / "meta.json").read_text())
load = "from spacy.util import load_model_from_init_py\\n"
load += "def load(**options):\\n    return load_model_from_init_py(__file__, **options)\\n"
(model.parent / "__init__.py").write_text(load)
info = folder / "en_core_web_sm-3.8.0.dist-info"
info.mkdir()
(info / "METADATA").write_text("Metadata-Version: 2.1\\nName: en_core_web_sm\\nVersion: 3.8.0\\n")
(info / "WHEEL").write_text("Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
(info / "RECORD").write_text("")
with zipfile.ZipFile(folder / "en_core_web_sm-3.8.0-py3-none-any.whl", "w") as wheel:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".whl":
            wheel.write(path, path.relative_to(folder))
"""


def fetched(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The script that fetches data, as an install runs it, without a network."""
    python = python_of("mem0-full")
    if python is None:
        pytest.skip("mem0-full is not installed; `memtriage systems install mem0-full`")
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    away = {"HF_HUB_OFFLINE": "1", "PIP_NO_INDEX": "1", "PATH": "/usr/bin:/bin", "http_proxy": "http://127.0.0.1:9"}
    return subprocess.run(
        [python, "-P", catalog.library("mem0-full").data_script, folder, *pip],
        env={**away, "https_proxy": "http://127.0.0.1:9", "HOME": str(folder.parent), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_data_that_a_user_names_is_taken_and_entities_then_count(adapter: Start, tmp_path: Path) -> None:
    """spaCy's model is a stand-in without training: titles in quotation marks need none to be entities."""
    python = python_of("mem0-full")
    if python is None:
        pytest.skip("mem0-full is not installed; `memtriage systems install mem0-full`")
    (tmp_path / "made").mkdir()
    subprocess.run([python, "-c", STAND_IN, tmp_path / "made"], check=True)
    (tmp_path / "words").mkdir()
    (tmp_path / "words" / "english.txt").write_text("the\n")
    wheel = tmp_path / "made" / "en_core_web_sm-3.8.0-py3-none-any.whl"
    done = fetched(tmp_path / "data", MEM0_SPACY_WHEEL=str(wheel), MEM0_BM25_FOLDER=str(tmp_path / "words"))
    assert done.returncode == 0, done.stderr
    missing = re.findall(r"^missing: (.*)", done.stdout, re.MULTILINE)
    assert len(missing) == 1
    assert "is not spaCy's own release" in missing[0]  # the hash is looked at

    plain, full = adapter("mem0-full"), adapter("mem0-full", options={"data": str(tmp_path / "data")})
    assert full.hello["notices"] == []
    said = ['Ada gave her uncle Bo the heavy book "Tidal Lamps" away.', "A book about lamps, tidal lamps."]
    for mem0 in (plain, full):
        mem0.tell("one", *said)
        assert mem0.troubles == []
    asked = 'Which book about lamps is "Tidal Lamps"?'
    before, after = ({m["text"]: m["score"] for m in mem0.find("one", asked)} for mem0 in (plain, full))
    assert before[said[0]] < before[said[1]]
    assert after[said[0]] > after[said[1]]


def test_data_that_cannot_be_had_is_named_with_the_remedy(tmp_path: Path) -> None:
    done = fetched(tmp_path / "data")
    assert done.returncode == 0, done.stderr
    words, model = re.findall(r"^missing: (.*)", done.stdout, re.MULTILINE)
    assert "MEM0_BM25_FOLDER" in words
    assert all(part in model for part in ("MEM0_SPACY_WHEEL", "en_core_web_sm-3.8.0-py3-none-any.whl", "--force"))
    assert {"the", "about"} <= set((tmp_path / "data" / "bm25" / "english.txt").read_text().split())
    assert not (tmp_path / "data" / "packages").exists()


def test_data_that_is_named_and_not_there_stops_the_install(tmp_path: Path) -> None:
    for variable, told in (("MEM0_SPACY_WHEEL", "no such file"), ("MEM0_BM25_FOLDER", "no english.txt")):
        done = fetched(tmp_path / "data", **{variable: str(tmp_path / "nowhere")})
        assert done.returncode != 0
        assert told in done.stderr


def test_its_prompt_may_be_tuned_for_one_store_alone(adapter: Start) -> None:
    mem0 = adapter("mem0")
    [(name, own)] = mem0.ask("prompts", scope="one")["prompts"].items()
    assert name == "extraction"
    assert len(own) > 30_000
    mem0.ask("set_prompts", scope="one", prompts={"extraction": f"{own}\n\nBe a Capybara."})
    for scope in ("one", "two", "one"):
        mem0.tell(scope, f"Cousin {scope} keeps geese.", id=f"s-{scope}")
    asked = [str(seen.body["messages"]) for seen in mem0.server.requests if "chat" in seen.path]
    assert ["Capybara" in text for text in asked] == [True, False, True]
    assert mem0.ask("prompts", scope="two")["prompts"] == {"extraction": own}
    with pytest.raises(Exception, match="mem0 has no prompt 'extract'"):
        mem0.ask("set_prompts", scope="one", prompts={"extract": "x"})
