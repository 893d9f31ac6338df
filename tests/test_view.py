"""The viewer over real HTTP and in a real browser: what it shows, what it refuses, and the same pages as files."""

from __future__ import annotations

import fcntl
import hashlib
import http.client
import json
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from email.message import Message
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import memtriage
from memtriage.core.errors import BadInput
from memtriage.core.verdict import ProbeVerdict
from memtriage.models.scripted import StubServer, content
from memtriage.record.journal import json_line, sealed_lines
from memtriage.record.reader import RunReader
from memtriage.record.seal import write_seal
from memtriage.tables.compare import compare
from memtriage.tables.measures import measure_rows
from memtriage.tables.outcomes import outcomes
from memtriage.tables.standings import standings
from memtriage.view.export import export
from memtriage.view.index import index_file, index_folder
from memtriage.view.library import Library
from memtriage.view.pages import list_page
from test_report import HOSTILE, Browser, Page, overflow

uvicorn = pytest.importorskip("uvicorn", reason="the extra `view` is not installed")
pytest.importorskip("starlette", reason="the extra `view` is not installed")

from memtriage.view.server import Guard, application, listen  # noqa: E402

TOKEN = "the-token"
WIDTHS = (390, 1280)
HOSTILE_TEXTS = tuple(text.encode("utf-8", "replace").decode() for text in HOSTILE)


class Reply(NamedTuple):
    status: int
    headers: Message
    body: bytes


@dataclass
class Served:
    """A viewer at work, and where its runs are."""

    library: Library
    root: Path
    port: int
    guard: Guard

    def id(self, name: str) -> str:
        return next(run.id for run in self.library.runs.listed() if run.name == name)

    def get(self, path: str, method: str = "GET", host: str = "", cookie: str = TOKEN) -> Reply:
        """One request as it stands; nothing is normalised on the way."""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        link.putrequest(method, path, skip_host=True)
        link.putheader("Host", host or f"127.0.0.1:{self.port}")
        if cookie:
            link.putheader("Cookie", f"memtriage-{self.port}={cookie}")
        link.endheaders()
        reply = link.getresponse()
        found = Reply(reply.status, reply.headers, reply.read())
        link.close()
        return found

    def json(self, path: str) -> Any:
        reply = self.get(path)
        assert reply.status == 200, reply.body
        return json.loads(reply.body)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs of one task, one with hostile texts, and directories that are no finished runs."""
    root = tmp_path_factory.mktemp("runs")
    same: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 8, "k": [1, 3], "seed": 7}
    memtriage.run("bm25", "none", out=root / "old", **same)
    memtriage.run("bm25:granularity=sentence", "none", out=root / "sub" / "new", **same)
    suite = root.parent / f"{root.name}.json"
    said = [
        f"The {thing} is {text}."
        for thing, text in zip(("pin", "sign", "code", "word", "name", "tag"), HOSTILE_TEXTS, strict=True)
    ]
    asked = [
        {"question": f"What is {text}?", "gold": text, "facts": [{"evidence": line}]}
        for text, line in zip(HOSTILE_TEXTS, said, strict=True)
    ]
    content = {"name": "hostile", "sessions": [{"turns": [{"user": line}]} for line in said], "questions": asked}
    suite.write_text(json.dumps(content))
    memtriage.run("bm25", suite=str(suite), k=[3], out=root / "<b>hostile")
    for name in ("unsealed", "cut", "version"):
        shutil.copytree(root / "old", root / name)
    (root / "unsealed" / "seal.json").unlink()
    verdicts = root / "cut" / "verdicts.jsonl"
    verdicts.write_bytes(verdicts.read_bytes()[:-40])
    manifest = (root / "version" / "run.json").read_text()
    (root / "version" / "run.json").write_text(manifest.replace("memtriage.run/4", "memtriage.run/1"))
    (root / "empty").mkdir()
    (root / "empty" / "run.json").write_text("")
    return root


@pytest.fixture(scope="module", autouse=True)
def _cache_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="module")
def served(made: Path) -> Iterator[Served]:
    library = Library([made])
    opened = listen("127.0.0.1", 0)
    port = opened.getsockname()[1]
    guard = application(library, TOKEN, port=port)
    config = uvicorn.Config(guard, log_level="warning", lifespan="off", ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: server.run(sockets=[opened]))
    thread.start()
    yield Served(library, made, port, guard)
    server.should_exit = True
    thread.join()


@contextmanager
def looking(browser: Browser, address: str, wide: int = 1280) -> Iterator[Page]:
    """A page; it fails on any console error, any dialog, and any request beyond the place it comes from."""
    context = browser.new_context(viewport={"width": wide, "height": 900}, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    page, wrong = context.new_page(), []
    origin = re.match(r"http://[^/]+/|file://.*/", address)[0]  # type: ignore[index]
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append(f"dialog {dialog.message}"))
    page.on(
        "request",
        lambda request: None if request.url.startswith((origin, "data:,", "about:")) else wrong.append(request.url),
    )
    page.goto(address)
    yield page
    context.close()
    assert wrong == []


def open_run(browser: Browser, served: Served, name: str, wide: int = 1280, state: str = "") -> Any:
    served.library.make_index(next(run for run in served.library.runs.listed() if run.name == name))
    return looking(browser, f"http://127.0.0.1:{served.port}/r/{served.id(name)}/index.html?token={TOKEN}{state}", wide)


def shows(page: Page, state: str) -> None:
    """Wait until the page shows what the address says."""
    page.wait_for_selector(f'html[data-shown="{state}"]')


# ---- numbers ------------------------------------------------------------------------------------


def test_every_number_is_that_of_show(served: Served) -> None:
    run = memtriage.load(served.root / "old")
    index = served.library.make_index(served.library.runs.get(served.id("old")))  # type: ignore[arg-type]
    assert json.loads(index.kept("rows")) == run.table()
    columns = json.loads(index.kept("columns"))
    counted = {(row["task"], row["system"], row["k"]): row for row in run.table()}
    for place, row in enumerate(run.table()):
        mine = [v for v, at in zip(columns["verdict"], columns["row"], strict=True) if at == place]
        assert len(mine) == counted[row["task"], row["system"], row["k"]]["n"]
        assert mine.count(0) == row["correct"]


def test_answers_repeats_errors_and_measures_count_alike(tmp_path: Path, served: Served) -> None:
    """An error before the answer counts once for each answer of its task, here as everywhere."""
    shutil.copytree(served.root / "old", tmp_path / "answered")
    reader, rng = RunReader(tmp_path / "answered"), random.Random(7)
    graded: list[ProbeVerdict] = []
    for verdict in reader.verdicts():
        if rng.random() < 0.2:
            graded.append(replace(verdict, verdict="error", error="out of luck"))
            continue
        for repeat in (0, 1):
            right = rng.random() < 0.5
            answer = {"answer": "so", "right": right, "credit": rng.random(), "measures": {"f1": rng.random()}}
            graded.append(replace(verdict, depth="full", repeat=repeat, judged_by="j", prompts="p", **answer))  # type: ignore[arg-type]
    reader.write_verdicts(graded, reader.stores())
    reader.finish({})
    run, library = memtriage.load(tmp_path / "answered"), Library([tmp_path])
    index = library.make_index(library.runs.listed()[0])
    rows = run.rows()
    assert sum(row.error for row in rows) > sum(verdict.verdict == "error" for verdict in graded) > 0
    assert json.loads(index.kept("rows")) == run.table()
    for view in (lambda v: standings(v, rows), measure_rows, outcomes, lambda v: compare(v, graded)):
        assert view(index.verdicts()) == view(run.verdicts())
    asked = json.loads(index.kept("columns"))["question"]
    for question in set(asked):
        assert len(index.question(question)["verdicts"]["row"]) == asked.count(question)  # type: ignore[index]


# ---- who may read -------------------------------------------------------------------------------


def test_nobody_enters_without_the_token(served: Served) -> None:
    assert served.get("/index.html", cookie="").status == 403
    assert served.get("/index.html", cookie="another").status == 403
    assert served.get("/?token=another", cookie="").status == 403
    entered = served.get("/r/x/?a=1&token=" + TOKEN, cookie="")
    assert (entered.status, entered.headers.get("location")) == (303, "/r/x/?a=1")
    cookie = entered.headers.get("set-cookie") or ""
    assert cookie.startswith(f"memtriage-{served.port}={TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert served.get("/index.html").status == 200
    elsewhere = served.get("//evil.example/?token=" + TOKEN, cookie="")
    assert elsewhere.headers.get("location") == "/evil.example/"


def test_the_link_that_a_browser_is_started_with_works_once(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(served.guard, "_once", "for-the-browser")
    assert served.get("/?token=for-the-browser", cookie="").status == 303
    assert served.get("/?token=for-the-browser", cookie="").status == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example:80", "10.0.0.5", "localhost.evil", "[::2]", "a"]
)
def test_other_hosts_are_refused(served: Served, host: str) -> None:
    assert served.get("/index.html", host=host).status == 421


@pytest.mark.parametrize("host", ["localhost", "localhost:80", "127.0.0.1", "127.0.0.2:9", "[::1]", "[::1]:80"])
def test_this_machine_is_known_by_its_names(served: Served, host: str) -> None:
    assert served.get("/index.html", host=host).status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_it_only_reads(served: Served, method: str) -> None:
    assert served.get("/index.html", method).status == 405


@pytest.mark.parametrize("path", [
    *("/..%2f..%2fetc%2fpasswd", "/assets/..%2fserver.py", "/assets/report.html", "/assets/%2e%2e/x"),
    *("/r/old/index.html", "/r/%2fetc/index.html", "/r/..%2f/index.html", "/r/{id}/q/-1.json"),
    *("/r/{id}/q/999999.json", "/r/{id}/q/..%2fcolumns.json"),
    *("/r/{id}/run.json", "/r/{id}/../../etc", "/r/{id}/q/99999999999999999999999999.json", "/nothing"),
])  # fmt: skip
def test_no_path_leads_anywhere_else(served: Served, path: str) -> None:
    reply = served.get(path.replace("{id}", served.id("old")))
    assert reply.status == 404
    assert b"root:" not in reply.body


@pytest.mark.parametrize(
    "path", ["/index.html", "/assets/view.js", "/nothing", "/compare/index.html", "/r/{id}/state.json"]
)
def test_every_reply_is_locked_down(served: Served, path: str) -> None:
    reply = served.get(path.replace("{id}", served.id("old")))
    policy = reply.headers.get("content-security-policy") or ""
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    assert reply.headers.get("x-content-type-options") == "nosniff"
    assert reply.headers.get("referrer-policy") == "no-referrer"
    assert reply.headers.get("access-control-allow-origin") is None
    assert b"<script>" not in reply.body


def test_nothing_in_a_run_directory_is_touched(served: Served) -> None:
    def state() -> dict[str, tuple[float, str]]:
        files = (path for path in (served.root / "old").rglob("*") if path.is_file())
        return {str(path): (path.stat().st_mtime, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files}

    before = state()
    index_file(served.library.runs.get(served.id("old")).digest).unlink(missing_ok=True)  # type: ignore[union-attr]
    while served.json(f"/r/{served.id('old')}/state.json")["state"] == "reading":
        pass
    for path in ("index.html", "columns.json", "q/0.json", "memories.json?q=a"):
        assert served.get(f"/r/{served.id('old')}/{path}").status == 200
    assert state() == before
    modes = {path.stat().st_mode & 0o777 for path in (index_folder(), *index_folder().iterdir())}
    assert modes == {0o700, 0o600}


# ---- runs that are no finished runs -------------------------------------------------------------


def test_broken_and_old_runs_are_listed_with_the_reason(served: Served) -> None:
    found = {run.name: run for run in served.library.runs.listed()}
    assert {name: run.state for name, run in found.items()} == {
        **dict.fromkeys(("old", "sub/new", "<b>hostile"), "finished"),
        **dict.fromkeys(("cut", "version", "empty"), "broken"),
        "unsealed": "stopped",
    }
    assert "memtriage.run/1; this memtriage reads" in found["version"].reason
    assert "verify" in found["cut"].reason
    page = served.get("/index.html").body.decode()
    assert "memtriage.run/1; this memtriage reads" in page
    assert "&lt;b&gt;hostile" in page
    assert "<b>hostile" not in page
    for name in ("cut", "version", "empty"):
        reply = served.get(f"/r/{found[name].id}/index.html")
        assert (reply.status, b"Traceback" in reply.body) == (200, False)


def test_damage_behind_a_right_size_is_told(tmp_path: Path, served: Served) -> None:
    shutil.copytree(served.root / "old", tmp_path / "bent")
    verdicts = tmp_path / "bent" / "verdicts.jsonl"
    reader = RunReader(tmp_path / "bent")
    reader.write_verdicts(list(reader.verdicts())[::-1], reader.stores())  # another digest, so that no index is known
    reader.finish({})
    content = verdicts.read_bytes()
    verdicts.write_bytes(content.replace(b"coexisting", b"coexistinG", 1))
    library = Library([tmp_path])
    (run,) = library.runs.listed()
    while (status := library.status(run))["state"] == "reading":
        pass
    assert status["state"] == "failed"
    assert "line 1 (byte 0) is damaged" in status["told"]
    assert "memtriage verify" in status["told"]


@pytest.mark.parametrize(("file", "before", "after", "told"), [
    ("memories.jsonl", b'"text":', b'"txet":', "line 1 (byte 0) is damaged (it lacks a key or a text)"),
    ("memories.jsonl", b'"key":"', b'"key":0,"k":"', "it lacks a key or a text"),
    ("verdicts.jsonl", b'"k_returned":', b'"k_returned":99999999999999999999', "a number in it is too large to be one"),
    ("verdicts.jsonl", b'"facts":[', b'"facts":[7,', "line 1 (byte 0) is damaged (facts.0"),
])  # fmt: skip
def test_nonsense_that_was_sealed_anew_ends_in_a_sentence(
    tmp_path: Path, served: Served, file: str, before: bytes, after: bytes, told: str
) -> None:
    shutil.copytree(served.root / "old", tmp_path / "bent")
    lines = [json.loads(line) for line in (tmp_path / "bent" / file).read_bytes().splitlines()]
    plain = [json_line({name: value for name, value in line.items() if name != "seal"}) for line in lines]
    plain[0] = plain[0].replace(before, after, 1)
    (tmp_path / "bent" / file).write_bytes(b"".join(sealed_lines(plain)))
    write_seal(tmp_path / "bent", {})
    library = Library([tmp_path])
    (run,) = library.runs.listed()
    for _ in range(2):  # asked again, it says the same again
        while (status := library.status(run))["state"] == "reading":
            pass
        assert status["state"] == "failed"
        assert told in status["told"]
    assert [path.suffix for path in index_folder().iterdir() if "part" in path.name] == []


def test_a_damaged_index_is_named_with_a_remedy(tmp_path: Path, served: Served) -> None:
    run = served.library.runs.get(served.id("sub/new"))
    assert run is not None
    file = served.library.make_index(run).file
    whole = file.read_bytes()
    file.write_bytes(b"no database" * 1000)
    reply = served.get(f"/r/{run.id}/index.html")
    assert reply.status == 500
    assert "remove it, and it is made again" in reply.body.decode()
    file.write_bytes(whole)


def test_a_run_that_goes_on_is_followed_until_it_is_finished(browser: Browser, tmp_path: Path, served: Served) -> None:
    run = served.root / "going on"
    shutil.copytree(served.root / "sub" / "new", run)
    journal, seal = (run / "journal.jsonl").read_bytes(), (run / "seal.json").read_bytes()
    (run / "seal.json").unlink()
    lines = journal.splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if b'"kind":"trace"' in line)
    failed = json.loads(lines[first])
    failed["data"]["error"] = "<i>the endpoint is away"
    (run / "journal.jsonl").write_bytes(
        b"".join(lines[:first]) + json.dumps(failed).encode() + b"\n" + lines[first + 1][:9]
    )
    with (run / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        status = served.json(f"/r/{served.id('going on')}/state.json")
        assert (status["state"], status["questions"], status["stores"]) == ("running", [1, 32], [0, 2])
        assert (status["errors"], status["reasons"]) == (1, [["<i>the endpoint is away", 1]])
        with looking(
            browser, f"http://127.0.0.1:{served.port}/r/{served.id('going on')}/index.html?token={TOKEN}"
        ) as page:
            page.wait_for_selector("text=1 of 32")
            assert page.locator("#reasons").inner_text().splitlines() == [
                "1 error so far",
                "1 × <i>the endpoint is away",
            ]
            (run / "journal.jsonl").write_bytes(journal)
            (run / "seal.json").write_bytes(seal)
            page.wait_for_selector("#p-list li")
    shutil.rmtree(run)


def test_what_models_cost_so_far_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_CACHE", str(tmp_path / "cache.db"))
    with StubServer(content) as stub:
        models = {"answer": f"{stub.url}#reader", "judge": f"{stub.url}#judge"}
        memtriage.run("bm25", suite="memfail/coexisting", rows=3, k=[2], out=tmp_path / "paid", **models)
        calls = stub.count(ok=True)
    (tmp_path / "paid" / "seal.json").unlink()
    library = Library([tmp_path])
    (run,) = library.runs.listed()
    status = library.status(run)
    assert (status["state"], status["answers"], status["stores"], status["errors"]) == ("stopped", 3, [1, 1], 0)
    assert status["cost"].startswith(f"{calls} model calls, $0.0000")
    assert status["told"].endswith(f"memtriage resume {run.path}")


# ---- in the browser -----------------------------------------------------------------------------


@pytest.mark.parametrize("wide", WIDTHS)
def test_filter_open_next_by_key_and_back(browser: Browser, served: Served, wide: int) -> None:
    rows = memtriage.load(served.root / "old").table()
    lost = next(row for row in rows if row["system"] == "bm25" and row["k"] == 1)["not_retrieved"]
    assert lost > 2
    with open_run(browser, served, "old", wide) as page:
        shows(page, "")
        assert overflow(page) == 0
        assert page.title() == "old · memtriage"
        assert page.locator("#title").inner_text() == "old · memtriage: memfail/coexisting"
        assert page.locator("#p-count").inner_text() == "32 of 32"
        page.select_option("#p-filters [name=system]", "bm25")
        page.select_option("#p-filters [name=k]", "1")
        page.click("[data-verdict=not_retrieved]")
        state = "system=bm25&k=1&verdict=not_retrieved"
        shows(page, f"#{state}")
        assert page.locator("#p-count").inner_text() == f"{lost} of 32"
        assert page.locator("#p-list li").count() == lost
        page.locator("#p-list a").first.click()
        page.wait_for_selector("#one:not([hidden])")
        assert page.locator("#place").inner_text() == f"1 of {lost}"
        assert overflow(page) == 0
        first = page.url
        page.keyboard.press("j")
        page.wait_for_selector(f"#place:text('2 of {lost}')")
        second = page.url
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(f"#place:text('1 of {lost}')")
        assert page.url == first
        page.go_back()
        page.wait_for_selector(f"#place:text('2 of {lost}')")
        assert page.url == second
        page.keyboard.press("Escape")
        shows(page, f"#{state}")
        assert page.locator("#one").is_hidden()
        page.goto(second)  # the same link, opened anew
        page.wait_for_selector(f"#place:text('2 of {lost}')")


def test_a_link_leads_to_a_fact(browser: Browser, served: Served) -> None:
    with open_run(browser, served, "old", state="#system=bm25&k=3&p=0") as page:
        page.locator(".fact .here-link").nth(1).click()
        page.wait_for_selector(".fact:nth-of-type(2).chosen")
        link = page.url
        page.goto("about:blank")
        page.goto(link)
        page.wait_for_selector(".fact:nth-of-type(2).chosen")
        assert page.locator(".fact.chosen").count() == 1


def test_a_row_of_the_table_opens_its_probes_and_the_twins_of_a_probe_open(browser: Browser, served: Served) -> None:
    with open_run(browser, served, "old") as page:
        shows(page, "")
        page.locator("tr.row .opener").first.click()
        page.wait_for_url("**#task=*")
        task, system, k = (page.locator("tr.row").first.locator("td").nth(i).inner_text() for i in (0, 1, 2))
        chosen = [page.locator(f"#p-filters [name={name}]").input_value() for name in ("task", "system", "k")]
        assert chosen == [task, system, k]
        page.locator("#p-list a").first.click()
        page.wait_for_selector("#one:not([hidden])")
        other = page.locator(".matrix .cell:not(.here)").last
        title = other.get_attribute("title")
        other.click()
        page.wait_for_selector(f'.matrix .cell.here[title="{title}"]')


def test_search_in_questions_and_in_memories(browser: Browser, served: Served) -> None:
    memories = [json.loads(line)["text"] for line in (served.root / "old" / "memories.jsonl").read_text().splitlines()]
    word = max((word for text in memories for word in text.lower().split() if word.isalpha()), key=len)
    with RunReader(served.root / "old") as reader:
        brought = {
            (verdict.episode, verdict.probe, verdict.k)
            for verdict in reader.verdicts()
            for item in verdict.retrieved
            if word in reader.memory(item.key)["text"].lower()
        }
    with open_run(browser, served, "old", state=f"#q={word.upper()}&in=memories") as page:
        shows(page, f"#q={word.upper()}&in=memories")
        assert page.locator("#p-list li").count() == len(brought)
        assert word in page.locator("#p-memories .memory").first.inner_text().lower()
        page.fill("#p-filters [name=q]", "no such word anywhere")
        page.select_option("#p-filters [name=in]", "")
        page.wait_for_selector("#p-count:text('0 of 32')")
        page.fill("#p-filters [name=q]", page.evaluate("''"))
        page.wait_for_selector("#p-count:text('32 of 32')")


@pytest.mark.parametrize("wide", WIDTHS)
def test_hostile_texts_are_shown_and_do_nothing(browser: Browser, served: Served, wide: int) -> None:
    with open_run(browser, served, "<b>hostile", wide) as page:
        shows(page, "")
        assert "<img src=x onerror=alert(1)>" in page.locator("#p-list").inner_text()
        assert page.locator("#title").inner_text().startswith("<b>hostile · ")
        page.locator("#p-list a").first.click()
        page.wait_for_selector("#one:not([hidden])")
        assert "<img src=x onerror=alert(1)>" in page.locator("#one").inner_text()
        assert page.locator("#one img, #one script, #p-list img, #p-list script").count() == 0
        assert overflow(page) == 0


@pytest.mark.parametrize("wide", WIDTHS)
def test_the_list_is_filtered_and_its_filter_is_a_link(browser: Browser, served: Served, wide: int) -> None:
    with looking(browser, f"http://127.0.0.1:{served.port}/?token={TOKEN}", wide) as page:
        cards = page.locator(".run-card:visible h2")
        page.wait_for_selector("#run-count")
        assert cards.count() == 7
        assert overflow(page) == 0
        page.select_option("[name=system]", "bm25:granularity=sentence")
        page.wait_for_selector("#run-count:text('1 of 7 runs')")
        assert cards.all_inner_texts() == ["sub/new"]
        link = page.url
        page.go_back()
        page.wait_for_selector("#run-count:text('7 runs')")
        page.goto(link)
        page.wait_for_selector("#run-count:text('1 of 7 runs')")
        page.select_option("[name=system]", "")
        page.fill("[name=q]", "reads memtriage.run/4")
        page.wait_for_selector("#run-count:text('1 of 7 runs')")
        assert cards.all_inner_texts() == ["version"]
        page.fill("[name=q]", "")
        page.fill("[name=since]", "2000-01-01")
        page.wait_for_selector("#run-count:text('4 of 7 runs')")
        page.fill("[name=until]", "2000-01-02")
        page.wait_for_selector("#none-left:visible")


@pytest.mark.parametrize("wide", WIDTHS)
def test_two_runs_are_compared_and_a_flip_opens_its_probe(browser: Browser, served: Served, wide: int) -> None:
    old, new = (memtriage.load(served.root / name) for name in ("old", "sub/new"))
    found = compare(old.verdicts(), new.verdicts(), ("bm25", "none"))
    query = f"a={served.id('old')}&x=bm25&b={served.id('sub/new')}&y=none"
    with looking(browser, f"http://127.0.0.1:{served.port}/compare/index.html?{query}&token={TOKEN}", wide) as page:
        page.wait_for_selector("#cells")
        cell = found.cells[0]
        line = page.locator("#cells tbody tr").first.inner_text()
        assert f"{cell.only_a_right} / {cell.only_b_right}" in line
        assert f"{100 * (cell.both_right + cell.only_a_right) / cell.n:.1f} %" in line
        assert page.locator("#flips li").count() == len(found.flips) > 0
        assert overflow(page) == 0
        page.locator("#flips a").first.click()
        page.wait_for_selector("#one:not([hidden])")
        flip = found.flips[0]
        assert f"· bm25 · k = {flip.k}" in page.locator("#one").inner_text()
        assert flip.question in page.locator("#one-h").inner_text()


def test_a_run_leads_to_its_comparison(browser: Browser, served: Served) -> None:
    with open_run(browser, served, "old") as page:
        shows(page, "")
        page.click("#to-compare")
        page.wait_for_selector("#pairing")
        page.wait_for_load_state()  # its script is what submits a choice
        assert page.locator("[name=b]").input_value() == served.id("old")
        page.select_option("[name=a]", served.id("old"))
        page.wait_for_selector("text=Choose two runs, or two systems of one run.")
        page.wait_for_load_state()
        page.select_option("[name=x]", "bm25")
        page.select_option("[name=y]", "none")
        page.wait_for_selector("#cells")
        assert page.locator("#compare-h").inner_text() == "bm25 against none"


def test_a_comparison_begins_with_runs_that_can_be_compared(made: Path) -> None:
    page = Library([made]).compared(("", "", "", ""))
    ids = {run.name: run.id for run in Library([made]).runs.listed()}
    chosen = re.findall(r'value="([^"]+)" selected', page)
    assert sorted(chosen) == sorted([ids["old"], ids["sub/new"]])  # the newest is of another suite
    assert "Choose two runs, or two systems of one run, then press Compare" in page
    assert "There is nothing to compare" in Library([made / "<b>hostile"]).compared(("", "", "", ""))


def test_a_comparison_can_be_read_on_a_phone(browser: Browser, served: Served) -> None:
    here = f"http://127.0.0.1:{served.port}/compare/index.html?token={TOKEN}"
    old, new = (served.library.runs.get(served.id(name)) for name in ("old", "sub/new"))
    assert old is not None
    assert new is not None
    for run in (old, new):
        served.library.make_index(run)
    with looking(browser, f"{here}&a={old.id}&b={new.id}", 390) as page:
        page.wait_for_selector("#cells")
        assert overflow(page) == 0
        for label in ("A", "B", "B − A", "p", "Better"):
            box = page.locator(f'#cells td[data-label="{label}"]').first.bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390
        assert page.locator("#cells thead").is_hidden()


def test_the_list_counts_errors_and_says_what_was_not_read(tmp_path: Path) -> None:
    class Raises:
        def store_conversation(self, conversation: object) -> None:
            raise RuntimeError("no")

        def retrieve_memories(self, query: str, conversation: object, k: int) -> list[str]:
            raise RuntimeError("no")

    suite = tmp_path / "one.json"
    asked = [{"question": "What is the pin?", "gold": "4711", "facts": [{"evidence": "The pin is 4711."}]}]
    said = [{"turns": [{"user": "The pin is 4711."}]}]
    suite.write_text(json.dumps({"name": "one", "sessions": said, "questions": asked}))
    memtriage.run(Raises(), suite=str(suite), k=[1], out=tmp_path / "runs" / "raises")
    memtriage.run("bm25", suite=str(suite), k=[1], out=tmp_path / "runs" / "works")
    library = Library([tmp_path / "runs"])

    def cards() -> dict[str, str]:
        listed = library.runs.listed()
        page = list_page(listed, library.summaries(listed), live=True)
        found = (" ".join(re.sub("<[^>]+>", " ", card).split()) for card in page.split('<li class="card')[1:])
        return {run.name: card for run, card in zip(listed, found, strict=True)}

    assert all("Not read yet" in card and "1 verdict ·" in card for card in cards().values())
    for run in library.runs.listed():
        library.make_index(run)
    read = cards()
    assert "finished, only errors" in read["raises"]
    assert "1 verdict, 0 correct, 1 error " in read["raises"]
    assert "only errors" not in read["works"]
    assert "1 verdict, 1 correct, 0 errors " in read["works"]
    assert not any("Not read yet" in card for card in read.values())


def test_what_an_address_asks_for_in_vain_is_named(browser: Browser, served: Served) -> None:
    with open_run(browser, served, "old", state="#p=99999") as page:
        shows(page, "#p=99999")
        assert "This run has no probe 99999." in page.locator("#p-unknown").inner_text()
        page.evaluate("location.hash = '#verdict=zzz&system=nosuch'")
        shows(page, "#verdict=zzz&system=nosuch")
        told = page.locator("#p-unknown").inner_text()
        assert told == 'This run has no verdict "zzz". This run has no system "nosuch". Choose from what stands here.'
        page.evaluate("location.hash = '#system=bm25'")
        shows(page, "#system=bm25")
        assert page.locator("#p-unknown").is_hidden()


def test_what_can_not_be_compared_says_why(served: Served) -> None:
    page = served.get(f"/compare/index.html?a={served.id('old')}&b={served.id('<b>hostile')}")
    served.library.make_index(served.library.runs.get(served.id("<b>hostile")))  # type: ignore[arg-type]
    page = served.get(f"/compare/index.html?a={served.id('old')}&b={served.id('<b>hostile')}")
    assert "nothing to compare: suite is memfail in A" in page.body.decode()
    unknown = served.get(f"/compare/index.html?a={served.id('old')}&x=nobody&b={served.id('old')}&y=bm25")
    assert "unknown system &#39;nobody&#39;" in unknown.body.decode()


# ---- as files -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    told: list[str] = []
    first = export([made], tmp_path_factory.mktemp("out") / "site", told.append)
    assert len(told) == 4
    return first.parent


@pytest.mark.parametrize("wide", WIDTHS)
def test_the_same_pages_open_from_disk(browser: Browser, site: Path, served: Served, wide: int) -> None:
    with looking(browser, (site / "index.html").as_uri(), wide) as page:
        assert page.locator(".run-card a").count() == 3
        page.click("text=sub/new")
        page.wait_for_selector("#p-list li")
        page.select_option("#p-filters [name=system]", "none")
        shows(page, "#system=none")
        page.locator("#p-list a").nth(1).click()
        page.wait_for_selector("#place:text('2 of 16')")
        page.keyboard.press("j")
        page.wait_for_selector("#place:text('3 of 16')")
        page.go_back()
        page.wait_for_selector("#place:text('2 of 16')")
        assert overflow(page) == 0
        page.keyboard.press("Escape")
        page.select_option("#p-filters [name=system]", "")
        page.select_option("#p-filters [name=in]", "memories")
        page.fill("#p-filters [name=q]", "I")
        page.wait_for_selector("#p-memories .memory")
        page.click("#to-compare")
        assert page.locator("#pairing").count() == 0
        page.click("text=old: bm25 against none")
        page.wait_for_selector("#cells")
        page.locator("#flips a").first.click()
        page.wait_for_selector("#one:not([hidden])")


def test_the_files_find_the_same_memories_as_the_server(site: Path, served: Served) -> None:
    run = served.library.runs.get(served.id("old"))
    assert run is not None
    index = served.library.make_index(run)
    script = (site / "r" / run.id / "memories.js").read_text()
    content = json.loads(script.removeprefix('memtriageData("memories",').rstrip().removesuffix(");"))
    hits = {i for i, text in enumerate(content["texts"]) if "my" in text.lower()}
    assert hits
    numbers = [n for n, ids in enumerate(content["brought"]) if hits & set(ids)]
    assert index.search("MY")["numbers"] == numbers


def test_files_hold_no_markup_of_the_data_and_load_nothing_from_elsewhere(site: Path) -> None:
    pages = [path.read_text() for path in site.rglob("*.html")]
    assert len(pages) > 5
    for page in pages:
        assert "<img" not in page
        assert "http://" not in page
        assert "https://" not in page
        assert "script-src &#39;self&#39;;" in page


def test_an_export_overwrites_nothing_else(site: Path, made: Path, tmp_path: Path) -> None:
    (site / "r" / "mine.txt").write_text("mine")
    export([made / "old"], site)  # an earlier one is written anew, without what is no longer asked for
    assert len([*site.glob("r/*/index.html")]) == 1
    assert len([*site.glob("compare/*.html")]) == 2
    assert (site / "r" / "mine.txt").exists()
    assert len([found for found in (site / "r").iterdir() if found.is_dir()]) == 1
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="holds something else"):
        export([made], tmp_path)
    with pytest.raises(BadInput, match="is in a run directory"):
        export([made], made / "old" / "site")
    with pytest.raises(BadInput, match="there is no run below"):
        export([tmp_path], tmp_path / "site")


# ---- the command --------------------------------------------------------------------------------


def test_a_taken_port_a_missing_folder_and_a_missing_extra_are_one_sentence(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        said = cli("view", str(tmp_path), "--no-open", "--port", port, code=1).err
    taken_port = f"error: can't listen on 127.0.0.1 port {port} (Address already in use)"
    assert said == f"{taken_port}; choose another one, or any free one: --port 0\n"
    assert "is not a folder" in cli("view", str(tmp_path / "x"), "--no-open", "--port", "0", code=1).err
    monkeypatch.setattr("memtriage.cli.view.find_spec", lambda name: None)
    assert "pip install '.[view]'" in cli("view", str(tmp_path), code=1).err


def test_another_host_needs_a_word_and_gives_a_warning(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    said = cli("view", str(tmp_path), "--no-open", "--port", "0", "--host", "0.0.0.0")
    assert said.err.startswith("warning: whoever reaches 0.0.0.0")
    assert f"note: there are no runs below {tmp_path} yet" in said.err
    quiet = cli("view", str(tmp_path), "--no-open", "--port", "0")
    assert "warning" not in quiet.err
    assert quiet.out.startswith("http://127.0.0.1:")


def test_a_browser_is_opened_where_there_is_one(cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    monkeypatch.setattr("typer.launch", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    cli("view", str(tmp_path), "--port", "0")
    monkeypatch.setenv("DISPLAY", ":0")
    cli("view", str(tmp_path), "--port", "0", "--no-open")
    assert opened == []
    printed = cli("view", str(tmp_path), "--port", "0").out.strip()
    assert [link.partition("token=")[0].partition("127")[0] for link in opened] == ["http://"]
    assert opened != [printed]


def test_ctrl_c_ends_it_cleanly(made: Path) -> None:
    command = [sys.executable, "-m", "memtriage", "view", str(made), "--no-open", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    link = process.stdout.readline().strip()
    port = int(link.partition("127.0.0.1:")[2].partition("/")[0])
    reply = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    reply.request("GET", link.partition(str(port))[2])
    with reply.getresponse() as entered:
        assert entered.status == 303
    reply.close()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "Ctrl-C ends it\n")
