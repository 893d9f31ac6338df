"""Downloads over real HTTP: resumed, retried, and never outside their folder."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from memtriage.core.errors import BadInput
from memtriage.suites.kit import hub
from memtriage.suites.kit.hub import Downloaded, Progress, download, endpoint
from memtriage.suites.memfail.released.files import csv_path, find_files, read_rows, write_rows
from memtriage.suites.memfail.released.pull import pull_memfail
from memtriage.suites.memfail.rows import DATASETS
from test_memfail_files import ROWS

BODY = bytes(range(256)) * 2000


@dataclass
class Site:
    """A server on this machine: what it serves, how it misbehaves, and what it was asked."""

    files: dict[str, bytes] = field(default_factory=dict)
    failures: list[int] = field(default_factory=list)
    cut_after: list[int] = field(default_factory=list)
    ranges: bool = True
    etags: bool = True
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    retry_after: str = ""
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    site: Site

    def do_GET(self) -> None:
        site, wanted = self.site, self.headers.get("Range")
        site.asked.append((self.path, wanted))
        if site.failures:
            return self.refuse(site.failures.pop(0))
        body = site.files.get(self.path)
        if body is None:
            return self.refuse(404)
        tag = f'"{hashlib.sha256(body).hexdigest()[:8]}"'
        start = int(re.findall(r"\d+", wanted)[0]) if wanted and site.ranges else 0
        if self.headers.get("If-Range", tag) != tag:
            start = 0
        if start >= len(body):
            return self.refuse(416)
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        if site.etags:
            self.send_header("ETag", tag)
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        self.wfile.write(body[start : start + site.cut_after.pop(0)] if site.cut_after else body[start:])

    def refuse(self, code: int) -> None:
        self.send_response(code)
        if self.site.retry_after:
            self.send_header("Retry-After", self.site.retry_after)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds between attempts, which nobody waits."""
    found: list[float] = []
    monkeypatch.setattr(hub, "sleep", found.append)
    return found


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "MEMTRIAGE_HUB"):
        monkeypatch.delenv(name, raising=False)
    handler = type("SiteHandler", (Handler,), {"site": Site()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    handler.site.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield handler.site
    server.shutdown()
    thread.join()
    server.server_close()


def get(site: Site, out: Path, progress: Progress | None = None) -> list[Downloaded]:
    return download(site.url, {"d/a.bin": "d/a.bin"}, "v1", out, progress)


def test_a_file_arrives_with_its_hash_and_tells_its_progress(site: Site, tmp_path: Path) -> None:
    site.files["/v1/d/a.bin"] = BODY
    seen: list[tuple[str, int, int | None]] = []
    (got,) = get(site, tmp_path, progress=lambda *step: seen.append(step))
    assert got.path == tmp_path / "d" / "a.bin"
    assert got.path.read_bytes() == BODY
    assert (got.sha256, got.size, got.url) == (hashlib.sha256(BODY).hexdigest(), len(BODY), f"{site.url}/v1/d/a.bin")
    assert seen[0] == ("d/a.bin", 0, len(BODY))
    assert seen[-1] == ("d/a.bin", len(BODY), len(BODY))
    assert [f.name for f in (tmp_path / "d").iterdir()] == ["a.bin"]


def test_passing_trouble_is_tried_again_and_what_broke_off_is_continued(
    site: Site, tmp_path: Path, pauses: list[float]
) -> None:
    site.files["/v1/d/a.bin"] = BODY
    site.failures = [503]
    site.cut_after = [100_000, 50_000]
    (got,) = get(site, tmp_path)
    assert got.path.read_bytes() == BODY
    assert [wanted for _, wanted in site.asked] == [None, None, "bytes=100000-", "bytes=150000-"]
    assert pauses == [0.5, 1, 2]


@pytest.mark.parametrize(("asked", "waited"), [("7", 7), ("3600", 10), ("tomorrow", 0.5)])
def test_a_server_may_ask_for_a_longer_pause(
    site: Site, tmp_path: Path, pauses: list[float], asked: str, waited: float
) -> None:
    site.files["/v1/d/a.bin"] = BODY
    site.failures, site.retry_after = [429], asked
    get(site, tmp_path)
    assert pauses == [waited]


def test_a_second_call_continues_what_the_first_left(site: Site, tmp_path: Path) -> None:
    site.files["/v1/d/a.bin"] = BODY
    site.cut_after = [1000] * 4
    with pytest.raises(BadInput, match=r"broke off after 4000 of 512000 bytes \(4 attempts\)"):
        get(site, tmp_path)
    assert not (tmp_path / "d" / "a.bin").exists()
    (got,) = get(site, tmp_path)
    assert got.path.read_bytes() == BODY
    assert site.asked[-1][1] == "bytes=4000-"


@pytest.mark.parametrize(("ranges", "etags"), [(True, True), (False, True), (True, False)])
def test_halves_of_two_versions_are_never_joined(site: Site, tmp_path: Path, ranges: bool, etags: bool) -> None:
    site.ranges, site.etags = ranges, etags
    site.files["/v1/d/a.bin"] = BODY
    site.cut_after = [1000] * 4
    with pytest.raises(BadInput):
        get(site, tmp_path)
    site.files["/v1/d/a.bin"] = BODY[::-1]
    (got,) = get(site, tmp_path)
    assert got.path.read_bytes() == BODY[::-1]


@pytest.mark.parametrize("note", ["[]", "{", '{"url": "http://elsewhere/a.bin", "validator": "x"}'])
def test_a_part_of_unknown_origin_is_not_continued(site: Site, tmp_path: Path, note: str) -> None:
    site.files["/v1/d/a.bin"] = BODY
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a.bin.part").write_bytes(b"x" * 4000)
    (tmp_path / "d" / "a.bin.part.json").write_text(note)
    (got,) = get(site, tmp_path)
    assert got.path.read_bytes() == BODY
    assert [wanted for _, wanted in site.asked] == [None]


def test_a_part_longer_than_the_file_is_begun_anew(site: Site, tmp_path: Path) -> None:
    site.files["/v1/d/a.bin"] = BODY
    site.cut_after = [1000] * 4
    with pytest.raises(BadInput):
        get(site, tmp_path)
    with (tmp_path / "d" / "a.bin.part").open("ab") as part:
        part.write(BODY)
    (got,) = get(site, tmp_path)
    assert got.path.read_bytes() == BODY
    assert [wanted for _, wanted in site.asked[-2:]] == [f"bytes={4000 + len(BODY)}-", None]


def test_a_folder_that_takes_no_files_is_named(site: Site, tmp_path: Path) -> None:
    (tmp_path / "d").write_text("no folder")
    with pytest.raises(BadInput, match=r"a\.bin could not be written: .*; choose a folder you may write to"):
        get(site, tmp_path)


@pytest.mark.parametrize(
    ("failures", "requests", "says"),
    [
        ([404], 1, r"does not exist \(404\): check the revision 'v1'"),
        ([403], 1, r"refused \(403 Forbidden\)"),
        ([500] * 9, 4, r"answered 500 .*\(4 attempts\)"),
    ],
)
def test_only_what_may_pass_is_tried_again(
    site: Site, tmp_path: Path, failures: list[int], requests: int, says: str
) -> None:
    site.failures = failures
    with pytest.raises(BadInput, match=says):
        get(site, tmp_path)
    assert len(site.asked) == requests


def test_a_server_that_falls_silent_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(hub, "TIMEOUT", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # accepts, and never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(BadInput, match=r"timed out\) \(4 attempts\)"):
            download(url, {"a": "a"}, "v1", tmp_path)
    assert pauses == [0.5, 1, 2]


@pytest.mark.parametrize("name", ["../a", "/etc/a", "a/../../b", "a//b", "..\\a", "C:/a", "a\0b", "", "."])
def test_no_name_leads_out_of_the_folder(name: str, site: Site, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no file name below"):
        download(site.url, {"fine": name}, "v1", tmp_path)
    with pytest.raises(BadInput, match="no file name below"):
        download(site.url, {name: "fine"}, "v1", tmp_path)
    assert site.asked == []


def test_a_link_out_of_the_folder_is_not_followed(site: Site, tmp_path: Path) -> None:
    site.files["/v1/d/a.bin"] = BODY
    (tmp_path / "outside").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "d").symlink_to(tmp_path / "outside")
    with pytest.raises(BadInput, match="no file name below"):
        get(site, tmp_path / "out")
    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("address", ["file:///etc", "ftp://host/a", "host/a", "http://", "http://[a", "http://h:x/"])
def test_only_web_addresses_are_asked(address: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no address to download from"):
        download(address, {"a": "a"}, "v1", tmp_path)


@pytest.mark.parametrize("revision", ["", "../main", "a b", "-x", "a?b"])
def test_only_revisions_are_asked_for(revision: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is no revision"):
        download("http://127.0.0.1:9", {"a": "a"}, revision, tmp_path)


def test_the_endpoint_given_comes_before_the_environments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMTRIAGE_HUB", raising=False)
    assert endpoint("https://a.example/") == "https://a.example"
    monkeypatch.setenv("MEMTRIAGE_HUB", "http://mirror.example/x/")
    assert endpoint("https://a.example") == "http://mirror.example/x"
    assert endpoint("https://a.example", "http://mine.example") == "http://mine.example"


# --- MemFail ------------------------------------------------------------------------------------


def serve_memfail(site: Site, folder: Path, revision: str = "main") -> None:
    for dataset, row in ROWS.items():
        path = csv_path(folder, dataset)
        write_rows([row], path, dataset)
        address = f"/ishirgarg/MemFail/{revision}/datasets/{path.relative_to(folder).as_posix()}"
        site.files[address] = path.read_bytes()


def test_memfail_is_pulled_read_and_recorded(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve_memfail(site, tmp_path / "origin", "abc123")
    monkeypatch.setenv("MEMTRIAGE_HUB", site.url)
    out = pull_memfail(tmp_path / "out", "abc123")
    files = find_files(out)
    assert {d: read_rows(path, d) for d, path in files.items()} == {d: [row] for d, row in ROWS.items()}
    record = json.loads((out / "pull.json").read_text())
    assert record["revision"] == "abc123"
    assert [f["dataset"] for f in record["files"]] == list(DATASETS)
    for entry in record["files"]:
        content = (out / entry["path"]).read_bytes()
        assert (entry["sha256"], entry["size"]) == (hashlib.sha256(content).hexdigest(), len(content))
        assert entry["url"].startswith(f"{site.url}/ishirgarg/MemFail/abc123/datasets/")
    assert sorted(p.name for p in out.iterdir() if p.is_file() or p.name.startswith(".")) == ["pull.json"]


def test_a_pull_that_fails_leaves_the_earlier_data_alone(site: Site, tmp_path: Path) -> None:
    serve_memfail(site, tmp_path / "origin")
    out = pull_memfail(tmp_path / "out", endpoint=site.url)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    broken = next(address for address in site.files if "long_hop" in address)
    site.files[broken] = b"<html>please log in</html>"
    with pytest.raises(BadInput, match=r"(?s)arrived, but is not a long-hop file of MemFail: .*unknown column"):
        pull_memfail(out, endpoint=site.url)
    assert {path: path.read_bytes() for path in before} == before


def test_without_a_network_one_message_comes_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.create_server(("127.0.0.1", 0)) as held:
        port = held.getsockname()[1]
    with pytest.raises(BadInput, match=r"no connection to 127\.0\.0\.1 .*--endpoint or MEMTRIAGE_HUB"):
        pull_memfail(tmp_path, endpoint=f"http://127.0.0.1:{port}")
    assert not pauses
    assert not (tmp_path / "pull.json").exists()
