"""Systems named on the command line: by name, file or module, with arguments; and what is said when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

import memtriage
from conftest import ROOT, Cli, Place
from memtriage import registry as plugins
from memtriage.core.errors import BadInput, BadSystem, MemtriageError


def test_arguments_reach_the_constructor(place: Place) -> None:
    spec = plugins.system(f"{ROOT}/examples/my_memory.py:MyMemory:window=200")
    assert spec.build().system.window == 200  # type: ignore[attr-defined]
    assert plugins.system("bm25:granularity=sentence,k1=1.2").arguments == {"granularity": "sentence", "k1": "1.2"}


def test_a_module_beside_the_user_is_found(place: Place, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    (place.path / "mine").mkdir()
    place.write("mine/__init__.py", "")
    place.write("mine/store.py", "from mems import Keeps\n\n\nclass Mine(Keeps):\n    pass\n")
    ran = place.python("from memtriage.cli.main import main; main()", "check", "mine.store:Mine", PYTHONSAFEPATH="1")
    assert ran.returncode == 0, ran.stderr


def test_a_function_may_build_the_system(place: Place) -> None:
    place.write("maker.py", "from mems import Keeps\n\n\ndef make(size='3'):\n    return Keeps()\n")
    assert plugins.system("maker.py:make:size=4").build().name == "Keeps"


def test_two_files_of_one_name_are_two_modules(place: Place) -> None:
    for folder in ("a", "b"):
        (place.path / folder).mkdir()
        place.write(f"{folder}/mem.py", f"from mems import Keeps\n\n\nclass M(Keeps):\n    where = {folder!r}\n")
    a, b = plugins.system("a/mem.py:M"), plugins.system("b/mem.py:M")
    assert [s.build().system.where for s in (a, b)] == ["a", "b"]  # type: ignore[attr-defined]
    from memtriage.runner.plan import describe

    assert describe(a)["source_sha256"] != describe(b)["source_sha256"]


PROBLEMS = {
    "nowhere.py:X": ["nowhere.py", "does not exist"],
    "mems.py": ["mems.py:MyMemory"],
    "mems.py:Kept": ["did you mean 'Keeps'", "Counted"],
    "mems.py:HERE": ["not a class"],
    "mems.py:Keeps:size=3": ["size", "arguments are ()"],
    "mems.py:Keeps:size": ["'size' is not an argument"],
    "broken.py:X": ["broken.py", "SyntaxError"],
    "raises.py:X": ["raises.py", "ZeroDivisionError"],
    "exits.py:X": ["exits.py", "SystemExit"],
    "needs.py:X": ["needs.py", "no_such_module_anywhere"],
    "needs.py:Y": ["needs.py", "no_such_module_anywhere"],
    "half.py:Half": ["Half has no retrieve_memories"],
    "half.py:Fails": ["can't be built", "ValueError: no key"],
    "half.py:Typed": ["can't be built", "TypeError"],
    "half.py:Wants": ["key", "arguments are (key)"],
    "no_such_package.memory:X": ["no_such_package"],
    "bm52": ["did you mean 'bm25'"],
    "bm25:granulrity=sentence": ["granulrity", "granularity"],
    "bm25:granularity=verse": ["granularity", "verse"],
    "bm25:granularity": ["name=value"],
    ":": ["':'"],
    ":X": [],
    "mems.py:": [],
    "x" * 5000: ["unknown system"],
    "\x00.py:X": [],
    "é.py:X": ["é.py"],
}
FILES = {
    "broken.py": "class X(:\n",
    "raises.py": "1 / 0\n",
    "exits.py": "import sys\n\nsys.exit('use me otherwise')\n",
    "needs.py": "import no_such_module_anywhere\n",
    "half.py": """
from mems import Keeps


class Half:
    def store_conversation(self, conversation): ...


class Fails(Keeps):
    def __init__(self):
        raise ValueError("no key")


class Typed(Keeps):
    def __init__(self):
        None + 1


class Wants(Keeps):
    def __init__(self, key): ...
""",
}


@pytest.mark.parametrize("text", PROBLEMS, ids=lambda text: repr(text)[:30])
def test_a_system_that_cannot_be_had_is_one_message(place: Place, cli: Cli, text: str) -> None:
    for name, source in FILES.items():
        place.write(name, source)
    told = cli("run", "--suite", "tiny/end", "--rows", "2", "--system", text, "--out", "run", code=1)
    assert told.err.startswith("error: ")
    for part in PROBLEMS[text]:
        assert part in told.err
    assert not (place.path / "run").exists(), "nothing is begun that can't be finished"


def test_a_suite_of_a_stranger_is_found_by_its_entry_point(place: Place, cli: Cli) -> None:
    assert {"tiny", "memfail"} <= set(plugins.registered(plugins.SUITES))
    assert "tiny/along" in cli("suites").out


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        ("memfial", "did you mean 'memfail'"),
        ("memfail/long-hopp", "did you mean 'long-hop'"),
        ("", "unknown suite ''"),
        ("tiny/", None),
        ("/end", "unknown suite"),
    ],
)
def test_an_unknown_suite_or_task_is_refused_with_the_nearest_name(
    place: Place, cli: Cli, suite: str, said: str | None
) -> None:
    told = cli("run", "--suite", suite, "--system", "none", "--rows", "2", "-q", code=1 if said else 0)
    assert said is None or said in told.err


def test_a_broken_suite_is_one_message(place: Place, cli: Cli) -> None:
    entries = place.path / "tiny-1.dist-info" / "entry_points.txt"
    entries.write_text("[memtriage.suites]\ntiny = tiny_suite:THINGS\ngone = no_such_module_anywhere:SUITE\n")
    assert "not a memtriage Suite" in cli("run", "--suite", "tiny", code=1).err
    assert "no_such_module_anywhere" in cli("run", "--suite", "gone", code=1).err


def test_a_broken_system_of_a_stranger_does_not_hide_the_others(place: Place, cli: Cli) -> None:
    entries = place.path / "tiny-1.dist-info" / "entry_points.txt"
    entries.write_text("[memtriage.systems]\ngone = no_such_module_anywhere:X\n")
    shown = cli("systems")
    assert "bm25" in shown.out
    assert "no_such_module_anywhere" in shown.out + shown.err


@pytest.mark.parametrize("file", ["my_memory.py:MyMemory:window=200", "async_memory.py:AsyncMemory"])
def test_the_examples_fit_and_find(place: Place, cli: Cli, file: str) -> None:
    system = str(Path(ROOT, "examples")) + "/" + file
    assert "fits" in cli("check", system).out
    found = memtriage.run(system, suite="tiny/end", rows=12, k=5)
    assert found.table()[0]["success"] == 1.0


def test_every_built_in_system_fits(place: Place, cli: Cli) -> None:
    for name in ("none", "echo", "full-context", "bm25", "dense", "hybrid", "oracle"):
        assert "fits" in cli("check", name).out


@pytest.mark.parametrize("text", ["", " ", "bm25:=3", "bm25:a=1,,b=2", "bm25:1a=2"])
def test_a_text_that_names_nothing_is_refused(place: Place, text: str) -> None:
    with pytest.raises((BadInput, BadSystem)):
        plugins.system(text).build()


def test_errors_of_plug_ins_are_errors_of_memtriage() -> None:
    assert issubclass(BadSystem, MemtriageError)


def test_constructor_arguments_become_what_the_constructor_asks_for(tmp_path: Path) -> None:
    file = tmp_path / "typed.py"
    file.write_text(
        "class Typed:\n"
        "    def __init__(self, size: int = 1, rate=0.5, loud: bool = False, name='x'):\n"
        "        self.got = (size, rate, loud, name)\n"
        "    def store_conversation(self, conversation): ...\n"
        "    def retrieve_memories(self, query, conversation, k): return []\n"
    )
    built = plugins.system(f"{file}:Typed:size=3,rate=2,loud=yes,name=7").build()
    assert built.system.got == (3, 2.0, True, "7")  # type: ignore[attr-defined]
    with pytest.raises(BadInput, match="size must be a whole number, not 'three'"):
        plugins.system(f"{file}:Typed:size=three").build()
    with pytest.raises(BadInput, match="loud must be true or false"):
        plugins.system(f"{file}:Typed:loud=perhaps").build()
