"""The documentation: the tutorial does what it says, the site has every page and needs nothing from elsewhere."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

Browser = Any

ROOT = Path(__file__).parent.parent
START = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
STEPS = re.findall(r"^```(python|console)\n(.*?)^```", START, re.MULTILINE | re.DOTALL)
COMMANDS = [line[2:] for kind, block in STEPS if kind == "console" for line in block.splitlines()]
FAILS = "memtriage gate runs/new --baseline baseline.jsonl --max-drop 5"


def test_every_step_of_the_tutorial_works_and_the_gate_goes_red(tmp_path: Path) -> None:
    printed = {}
    for kind, block in STEPS:
        if kind == "python":
            name = block.splitlines()[0].removeprefix("# ")
            assert name == "my_memory.py"
            (tmp_path / name).write_text(block, encoding="utf-8")
            continue
        for line in block.splitlines():
            command = line.removeprefix("$ memtriage ")
            done = subprocess.run(
                f"{sys.executable} -m memtriage {command}", shell=True, cwd=tmp_path, capture_output=True, text=True
            )
            assert done.returncode == (1 if line[2:] == FAILS else 0), (line, done.stdout, done.stderr)
            printed[line[2:]] = done.stdout
    assert list(printed) == COMMANDS
    assert "worse" in printed[FAILS]
    assert "gone after" in printed[FAILS]
    assert printed[COMMANDS[-1]].count("not stored") > 10
    first = next(block for kind, block in STEPS if kind == "python")
    (tmp_path / "my_memory.py").write_text(first, encoding="utf-8")  # the change undone
    for command in (
        "run --suite memfail/conditional-easy --system my_memory.py:MyMemory --k 5 --out runs/again",
        FAILS,
    ):
        again = f"{sys.executable} -m memtriage {command.removeprefix('memtriage ').replace('runs/new', 'runs/again')}"
        done = subprocess.run(again, shell=True, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "not worse" in done.stdout


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site, built strictly (a broken link fails) and served from a folder."""
    pytest.importorskip("mkdocs")
    out = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(out)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(out)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


PAGES = {
    "index": "where an LLM memory system fails",
    "start": "goes red",
    "api": "Test memory systems",
    "figures": "hardness",
    "systems/index": "mem0",
}


@pytest.mark.parametrize("width", [1280, 390])
def test_the_site_reads_on_a_desktop_and_a_phone_and_asks_nobody_else(browser: Browser, site: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800})
    context.set_default_timeout(300_000)  # a busy machine is no reason to fail
    page, wrong = context.new_page(), []
    page.on("request", lambda request: None if request.url.startswith(site) else wrong.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    for name, says in PAGES.items():
        page.goto(f"{site}/{name}.html")
        assert says.lower() in page.inner_text("article").lower(), name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    if width < 600:
        page.click("label[for=__search].md-header__button")
    page.locator("input[name=query]").press_sequentially("baseline")  # the search listens to keys
    page.wait_for_selector(".md-search-result__link[href*='gate']", state="attached")
    assert not wrong
    context.close()
