"""Text that would like to be a program, in every place that reaches the page or the terminal."""

from __future__ import annotations

import itertools
import json
import re
import shutil
import sys
import unicodedata
from pathlib import Path
from typing import Any

from drills.command import Home
from drills.engine import Broke, Case, Part

TESTS = Path(__file__).parents[1] / "tests"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
VECTORS = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg onload=alert(1)>", "<svg/onload=alert(1)//",
    "<iframe srcdoc='<script>parent.alert(1)</script>'>", "<iframe src=javascript:alert(1)>", "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>", "<math><mi xlink:href='javascript:alert(1)'>x</mi></math>",
    "<a href=javascript:alert(1)>x</a>", "<input autofocus onfocus=alert(1)>", "<video><source onerror=alert(1)>",
    "<object data=javascript:alert(1)>", "<embed src=javascript:alert(1)>", "<form action=javascript:alert(1)>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>", "<link rel=stylesheet href=http://127.0.0.1:9/>",
    "<style>@import 'http://127.0.0.1:9/x';</style>", "<base href=http://127.0.0.1:9/>", "javascript:alert(1)",
    "<template><script>alert(1)</script></template>", "{{constructor.constructor('alert(1)')()}}", "${alert(1)}",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<select><style></select><img src=x onerror=alert(1)>",
)  # fmt: skip
AROUND = ("{}", "\"'>{}", "</script></textarea></title>{}<!--", "--></style>\\u003c{}\u202e\u2066\x07\x9b31m]]>")
PAYLOADS = tuple(around.replace("{}", vector) for vector, around in itertools.product(VECTORS, AROUND))
PER_PAGE = 10

SUITE = '''
"""A suite whose every text is a payload."""

import json
from pathlib import Path

from memtriage.core.episode import Episode, Fact, Probe, Session, Turn
from memtriage.core.suite import Loaded, Suite, Task

TEXTS = json.loads((Path(__file__).parent / "texts.json").read_text())


def load(request):
    episodes = []
    for n, text in enumerate(TEXTS):
        said = f"{text} Marta keeps the violin in the attic {text}"
        session = Session(f"s{n} {text}", (Turn("user", said, f"s{n} {text}/0"),), "2026-01-05T09:00:00")
        fact = Fact(f"f{n} {text}", said, (f"s{n} {text}/0",), (text, "attic"), subject=text)
        probe = Probe(f"p{n} {text}", f"Where? {text}", text, ((f"f{n} {text}",),), tags={text: text})
        episodes.append(Episode(f"hostile/x/{n}{text}", "hostile/x", (session,), (fact,), (probe,)))
    return Loaded(tuple(episodes), {"source": "generated", "note": TEXTS[0]})


SUITE = Suite("hostile", TEXTS[0], TEXTS[1], TEXTS[2], "1", (Task("hostile/x", TEXTS[3], len(TEXTS), load),))
'''
SYSTEM = """
from memtriage import Memory


class Hostile:
    def __init__(self, text=""):
        self.text, self.kept = text, []

    def store_conversation(self, conversation):
        self.kept += [Memory(turn.id, turn.text) for turn in conversation.turns]

    def retrieve_memories(self, query, conversation, k):
        if len(query) % 3 == 0:
            raise RuntimeError(query)
        return self.kept[:k]

    def get_all_memories(self):
        return list(self.kept)
"""


def payloads_of(case: Case) -> list[str]:
    """The payloads of a page: each is on one page at least."""
    start = case.number * PER_PAGE % len(PAYLOADS)
    return list(PAYLOADS[start : start + PER_PAGE])


def nothing_runs(case: Case) -> None:
    """A real run whose texts are payloads, and a page made of them in every field: nothing runs or is fetched."""
    texts = payloads_of(case)
    home = Home(case.folder, PYTHONPATH=str(case.folder))
    (case.folder / "texts.json").write_text(json.dumps(texts))
    (case.folder / "hostile_suite.py").write_text(SUITE)
    (case.folder / "hostile.py").write_text(SYSTEM)
    info = case.folder / "hostile-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: hostile\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[memtriage.suites]\nhostile = hostile_suite:SUITE\n")
    said = [
        home.run("run", "--suite", "hostile", "--k", "2", "--system", "hostile.py:Hostile", "--out", "run").clean(0, 1)
    ]
    for view in ((), ("--by", "probe"), ("--by", "fact"), ("--by", "probe", "--csv"), ("--by", "probe", "--json")):
        said.append(home.run("show", "run", *view).clean(0))
    for ended in said:
        _only_text(ended.out + ended.err)
    pages = [case.folder / "run" / "report.html", _every_field(texts, case.folder / "every.html")]
    _opened(pages, texts)
    case.counts["payloads"] += len(texts)
    case.counts["pages"] += len(pages)


def _only_text(said: str) -> None:
    """No character that a terminal would act on, other than a line's end."""
    for character in said:
        if character not in "\n\t" and unicodedata.category(character) in ("Cc", "Cf", "Cs"):
            at = said.index(character)
            raise Broke(f"U+{ord(character):04X} is printed: {said[max(0, at - 60) : at + 20]!r}")


def _every_field(texts: list[str], out: Path) -> Path:
    """A page with these texts in all its fields, by the tests' own means."""
    tests = _tests()
    tests.HOSTILE = tuple(texts)
    about = tests.About(*texts[:6], depth="memory", notes=tuple(texts))
    return Path(tests.hostile_run().write(out, about))


def _tests() -> Any:
    sys.path.insert(0, str(TESTS))
    import test_report

    return test_report


def _opened(pages: list[Path], texts: list[str]) -> None:
    from playwright.sync_api import sync_playwright

    tests = _tests()
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for path in pages:
            with tests.opened(browser, path) as page:
                for opener in page.locator(".opener").all():
                    opener.click()
                for button in page.locator(".probe > button").all():
                    button.click()
                shown = page.locator("body").inner_text()
                page.wait_for_timeout(200)
                if page.locator("img, iframe, object, embed, base, form, video, details[ontoggle]").count():
                    raise Broke(f"{path.name}: an element of a payload is on the page")
                if not any(_plain(text)[:20] in _plain(shown) for text in texts):
                    raise Broke(f"{path.name}: the payloads are not shown at all")
        browser.close()


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def _browser() -> str:
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed"
    return "" if CHROMIUM else "no chromium on the path"


PARTS = (Part("browsers", "pages with hostile text in every field", 10, nothing_runs, fits=_browser),)
