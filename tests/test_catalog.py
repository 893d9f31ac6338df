"""The catalogue of other people's libraries: every entry is whole, pinned, and told the same everywhere."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from memtriage.cli.systems import systems_app
from memtriage.core.errors import BadInput
from memtriage.registry import SystemSpec
from memtriage.report.terminal import systems as systems_table
from memtriage.runner.check import check
from memtriage.systems.libraries import catalog, environments
from memtriage.systems.libraries.catalog import Library, libraries, steps
from memtriage.systems.libraries.factory import LibraryFactory
from tiny_library import ENTRY, Tiny, tiny

ROOT = Path(__file__).parents[1]
README = ROOT / "docs" / "systems" / "README.md"
LIBRARIES = catalog.names()


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tiny:
    return tiny(tmp_path, monkeypatch)


@pytest.fixture(params=LIBRARIES)
def library(request: pytest.FixtureRequest) -> Library:
    return catalog.library(request.param)


# the entries that ship


def test_the_libraries_of_the_papers_are_there() -> None:
    assert {"mem0", "graphiti", "a-mem", "simplemem", "langmem", "lightrag", "cognee", "letta"} <= set(LIBRARIES)


def test_every_library_has_a_script_that_parses_and_says_its_steps(library: Library) -> None:
    told = (ast.get_docstring(ast.parse(library.script.read_text())) or "").lower()
    assert [step for step in catalog.STEPS if step[:7] not in told] == []


def test_every_lock_pins_and_hashes_everything(library: Library) -> None:
    if not library.installable:
        pytest.skip(f"{library.name} can't be installed by name")
    text = library.lock.read_text()
    pinned = environments.pins(library)
    assert list(pinned) == sorted(pinned)
    assert not re.search(r"://|@ ", text), "a lock names no place"
    unhashed = [name for name, version in pinned.items() if f"{name}=={version} \\\n    --hash=sha256:" not in text]
    assert unhashed == [], "run tools/lock.py"
    assert len(pinned) == len(re.findall(r"==", text))


def test_every_lock_holds_the_tested_versions(library: Library) -> None:
    if not library.installable:
        pytest.skip(f"{library.name} can't be installed by name")
    pinned = environments.pins(library)
    first = {re.split(r"[=<>\[ ]", each)[0] for each in library.first}
    assert not library.package or pinned[environments.normal_name(library.package)] == library.version
    for required in library.requires:
        name, _, version = re.sub(r"\[.*?\]", "", required).partition("==")
        assert name in first or not version or pinned[environments.normal_name(name)] == version, required
    assert not first & set(pinned), "what is installed first is not pinned again"


def test_every_library_has_a_page(library: Library) -> None:
    page = (README.parent / f"{library.name}.md").read_text()
    assert f"memtriage systems install {library.name}" in page or library.unavailable
    assert [option for option in library.options if option not in page] == []


@pytest.mark.parametrize(("name", "written"), [("table", systems_table.table), ("served", systems_table.served)])
def test_the_tables_in_the_documentation_are_the_catalogue(name: str, written: Callable[..., str]) -> None:
    there = README.read_text().split(f"<!-- {name} -->\n\n")[1].split("\n<!-- end -->")[0]
    assert there == written(libraries()), "run tools/catalogue.py"


def test_check_says_how_a_library_is_served_before_anything_is_started(fresh: Tiny) -> None:
    path = fresh.adapters / "tiny-mem.toml"
    path.write_text(
        'departures = ["newest first, where its users sort by name"]\n' + ENTRY + '[served]\nk = "memories"\n'
    )
    catalog.read.cache_clear()
    spec = SystemSpec("tiny-mem", LibraryFactory(catalog.library("tiny-mem")))
    told = [(each.outcome, each.what, each.seen) for each in check(spec)]
    assert told[:3] == [
        ("ok", "version", "tiny_mem 1.0"),
        ("ok", "k", "memories"),
        ("warning", "departs from its users' way", "newest first, where its users sort by name"),
    ]
    assert told[3][0] == "problem", "it is not installed"


def test_reading_the_catalogue_is_cheap() -> None:
    code = (
        "import sys, memtriage.systems.libraries.catalog as c; c.names(); before = set(sys.modules); c.libraries();"
        "print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "openai", "rich", "typer", "scipy", "wordllama"} & set(loaded)


# an entry of one's own


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("family = ", "familly = "), "unknown key 'familly'; did you mean 'family'"),
        (('"simple-rag"', '"rag"'), "key 'family': input should be 'long-context'"),
        (('version = "1.0"', "version = 1.0"), "key 'version': input should be a valid string"),
        (('title = "TinyMem"\n', ""), "key 'title': field required"),
        (('title = "TinyMem"', 'title = " "'), "key 'title': is empty"),
        (('needs = ["embed"]', 'needs = ["embeds"]'), "key 'needs.0': input should be 'internal'"),
        (("store: list", "keep: list"), "key 'architecture': says nothing of store"),
        (('name = "tiny-mem"', 'name = "tiny"'), "key 'name': says 'tiny', and the file is tiny-mem.toml"),
        (("loud = ", "internal = "), "key 'options': 'internal' is an argument of every library"),
        (("[options]", "[options"), "not TOML"),
        (("name = ", "folder = '/'\nname = "), "unknown key 'folder'"),
    ],
)
def test_a_broken_entry_is_named_with_file_and_key(fresh: Tiny, change: tuple[str, str], said: str) -> None:
    assert change[0] in ENTRY
    path = fresh.adapters / "tiny-mem.toml"
    path.write_text(ENTRY.replace(*change))
    catalog.read.cache_clear()
    with pytest.raises(BadInput, match=re.escape(said)) as told:
        libraries()
    assert str(path) in str(told.value)


def test_a_broken_entry_does_not_hide_the_others(fresh: Tiny) -> None:
    (fresh.adapters / "bad.toml").write_text("name = 1")
    result = CliRunner().invoke(systems_app, [])
    assert result.exit_code == 0
    assert "bad.toml" in result.output
    assert "tiny-mem" in result.output


def test_an_unknown_library_is_told_the_nearest(fresh: Tiny) -> None:
    with pytest.raises(BadInput, match="did you mean 'tiny-mem'"):
        catalog.library("tinymem")


def test_an_architecture_comes_apart_into_its_steps() -> None:
    assert steps("summarise: a; b; store: c: d; retrieve: e") == {
        "summarise": "a; b",
        "store": "c: d",
        "retrieve": "e",
    }
    assert steps("something else") == {"summarise": "", "store": "", "retrieve": ""}


# the list


def test_the_list_shows_built_ins_and_libraries(fresh: Tiny) -> None:
    shown = CliRunner().invoke(systems_app, []).output
    bm25 = next(line for line in shown.splitlines() if line.startswith("bm25 "))
    assert bm25.split() == ["bm25", "simple-rag", "built", "in"]
    tiny_line = next(line for line in shown.splitlines() if line.startswith("tiny-mem "))
    assert tiny_line.split() == ["tiny-mem", "simple-rag", "--embed", "not", "installed"]


def test_a_library_is_shown_with_its_options_and_how_to_install_it(fresh: Tiny) -> None:
    shown = " ".join(CliRunner().invoke(systems_app, ["show", "tiny-mem"]).output.split())
    for said in ("retrieve newest first", "not installed; memtriage systems install tiny-mem", "loud"):
        assert said in shown


def test_the_list_as_json(fresh: Tiny) -> None:
    listed = {entry["name"]: entry for entry in json.loads(CliRunner().invoke(systems_app, ["--json"]).stdout)}
    assert listed["tiny-mem"]["state"] == "absent"
    assert listed["tiny-mem"]["needs"] == ["embed"]
    assert listed["tiny-mem"]["next"] == "memtriage systems install tiny-mem"
    assert listed["bm25"]["state"] == "built in"
    assert {"name", "summary", "architecture", "arguments"} <= set(listed["bm25"])


# locks


def lock_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("lock", ROOT / "tools" / "lock.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_freeze_becomes_a_lock_that_reads_back_the_same() -> None:
    lock = lock_tool()
    frozen = lock.pins("Zope.Interface==5.0\n# from a freeze\naiohttp==3.1 \\\n    --hash=sha256:aa\n\naiohttp==3.1\n")
    assert frozen == [("aiohttp", "3.1"), ("zope-interface", "5.0")]
    text = lock.written((pin, {"bb", "aa"}) for pin in frozen)
    assert text.startswith("aiohttp==3.1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nzope-interface==5.0 \\\n")
    assert lock.pins(text) == frozen


@pytest.mark.parametrize("line", ["mem0ai", "mem0ai>=2", "mem0ai @ file:///somewhere", "-e ."])
def test_a_line_that_is_no_pin_is_named(line: str) -> None:
    with pytest.raises(SystemExit, match="line 2: "):
        lock_tool().pins(f"a==1\n{line}\n")
