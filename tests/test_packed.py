"""Large files of a run are packed: nothing is lost, at whatever moment, and nothing is changed unnoticed."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

import memtriage
from conftest import Cli
from memtriage.host.sealed import seal_line
from memtriage.pipeline.verify import verify
from memtriage.record import episodes, lines, seal
from memtriage.record.files import Damaged, FileSeal
from memtriage.record.journal import Log, json_line, record_at, records, sealed_lines
from memtriage.record.lines import Lines, pack, packed_path
from memtriage.record.reader import RunReader
from memtriage.record.seal import write_seal
from memtriage.record.verdicts import read_verdicts

PACKED = {"sessions.jsonl.zst", "journal.jsonl.zst", "memories.jsonl.zst", "verdicts.jsonl.zst"}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything counts as large, and frames are small."""
    monkeypatch.setattr(lines, "LARGE", 300)
    monkeypatch.setattr(lines, "_FRAME", 2000)
    monkeypatch.setattr(episodes, "_LARGE", 300)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same run twice: plain, and packed."""
    folder = tmp_path_factory.mktemp("runs")
    how: dict[str, Any] = {"suite": "memfail/coexisting", "rows": 6, "k": [2, 5]}
    memtriage.run("bm25", "dense", **how, out=folder / "plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lines, "LARGE", 300)
        patch.setattr(lines, "_FRAME", 2000)
        patch.setattr(episodes, "_LARGE", 300)
        memtriage.run("bm25", "dense", **how, out=folder / "packed").report()
    return folder


@pytest.fixture
def packed(runs: Path, tmp_path: Path) -> Path:
    """A fresh copy of the packed run."""
    return Path(shutil.copytree(runs / "packed", tmp_path / "run"))


def test_a_packed_run_has_no_plain_copy_and_shows_what_the_plain_one_shows(runs: Path, cli: Cli) -> None:
    names = {file.name for file in (runs / "packed").iterdir()}
    assert names >= PACKED
    assert not names & {name.removesuffix(".zst") for name in PACKED}
    assert [file.name for file in (runs / "packed/episodes").iterdir()] == ["0001.json.zst"]
    for command in (["show", "--json"], ["show", "--by", "fact"], ["show", "--by", "difference"]):
        shown = [cli(command[0], str(runs / name), *command[1:]).out for name in ("plain", "packed")]
        assert shown[0] == shown[1]
    found = cli("compare", str(runs / "plain"), str(runs / "packed"), "--json")
    assert {(cell["difference"], cell["n"]) for cell in json.loads(found.out)["cells"]} == {(0.0, 6)}
    assert cli("verify", str(runs / "packed")).out.startswith(f"{runs / 'packed'}: unchanged")


def test_packed_verdicts_that_are_few_are_read_once(packed: Path) -> None:
    reader = RunReader(packed)
    found = list(reader.verdicts())
    assert found
    assert all(one is again for one, again in zip(found, reader.verdicts(), strict=True))


def test_zstd_alone_reads_the_lines_and_the_digest_is_that_of_the_files(runs: Path) -> None:
    seal = json.loads((runs / "packed/seal.json").read_text())
    for name in PACKED:
        raw = (runs / "packed" / name).read_bytes()
        assert seal["files"][name]["sha256"] == hashlib.sha256(raw).hexdigest()
        with zstandard.ZstdDecompressor().stream_reader(raw, read_across_frames=True) as stream:
            content = stream.read()
        assert content.count(b"\n") == seal["files"][name]["records"]
        assert all(json.loads(line) for line in content.splitlines())
    if shutil.which("zstdcat"):
        told = subprocess.run(["zstdcat", runs / "packed/verdicts.jsonl.zst"], check=True, capture_output=True)
        assert told.stdout.count(b"\n") == seal["files"]["verdicts.jsonl.zst"]["records"] == 24


@settings(max_examples=20, deadline=None)
@given(place=st.integers(0, 10**9), bit=st.integers(0, 7), name=st.sampled_from(sorted(PACKED)))
def test_any_changed_byte_of_a_packed_file_is_found_and_the_file_is_named(
    runs: Path, tmp_path_factory: pytest.TempPathFactory, place: int, bit: int, name: str
) -> None:
    run = tmp_path_factory.mktemp("changed") / "run"
    shutil.copytree(runs / "packed", run)
    raw = bytearray((run / name).read_bytes())
    raw[place % len(raw)] ^= 1 << bit
    (run / name).write_bytes(raw)
    assert name in {each.file.name for each in verify(run).damage}
    shutil.rmtree(run)


def test_a_changed_line_in_a_whole_frame_is_named_by_its_number(packed: Path, cli: Cli) -> None:
    file = packed / "verdicts.jsonl.zst"
    with Lines(packed / "verdicts.jsonl") as opened:
        found = [line for _, line in opened.lines()]
    found[6] = found[6].replace(b'"bm25"', b'"bm52"').replace(b'"dense"', b'"dance"')
    file.write_bytes(lines.pack_bytes(b"".join(found[:5])) + lines.pack_bytes(b"".join(found[5:])))
    told = cli("verify", str(packed), code=1).err
    start = sum(map(len, found[:6]))
    assert f"verdicts.jsonl.zst: line 7 (byte {start:}) is damaged (its seal does not fit)" in told
    assert "make it again with: memtriage verify" in told
    assert cli("verify", str(packed), "--rebuild").code == 0
    assert cli("show", str(packed), "--by", "probe", "--json").code == 0


@pytest.mark.parametrize("cut", [1, 40, 700])
def test_what_is_cut_off_a_packed_file_is_missed(packed: Path, cli: Cli, cut: int) -> None:
    file = packed / "journal.jsonl.zst"
    file.write_bytes(file.read_bytes()[:-cut])
    told = cli("show", str(packed), code=1).err
    assert told.startswith(f"error: {file}")
    assert "put the file back from a copy, or run again" in told


def test_what_is_no_frame_of_ours_is_refused_without_being_unpacked(tmp_path: Path) -> None:
    bomb = zstandard.ZstdCompressor().compress(bytes(300 << 20))
    for raw, why in ((bomb, "another kind"), (b"PK\x03\x04 or so", "can't be unpacked"), (b"", "")):
        (tmp_path / "journal.jsonl.zst").write_bytes(raw)
        if not raw:
            assert list(records(tmp_path / "journal.jsonl")) == []
            continue
        with pytest.raises(Damaged, match=why):
            list(records(tmp_path / "journal.jsonl"))


def written(path: Path, numbers: range) -> list[int]:
    """The places of records that are appended to a log."""
    log = Log(path)
    places = [log.append(json_line({"n": n, "text": "x" * (n % 50)})) for n in numbers]
    log.close()
    return places


def numbers_in(path: Path) -> list[int]:
    return [record["n"] for _, record in records(path)]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 60), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_what_is_appended_before_and_after_packing_is_read_in_order_and_from_its_place(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], rng: Any
) -> None:
    path = tmp_path_factory.mktemp("log") / "journal.jsonl"
    places: list[int] = []
    for size in sizes:
        places += written(path, range(len(places), len(places) + size))
        if rng.random() < 0.7:
            pack(path, lambda: None)
    assert numbers_in(path) == list(range(len(places)))
    with Lines(path) as opened:
        for n in rng.sample(range(len(places)), min(9, len(places))):
            assert record_at(opened, places[n])["n"] == n
            assert next(opened.lines(places[n]))[0] == places[n]


@pytest.mark.parametrize("before", [0, 40])
def test_a_kill_between_packing_and_removing_the_plain_file_doubles_nothing(tmp_path: Path, before: int) -> None:
    path = tmp_path / "journal.jsonl"
    written(path, range(before))
    pack(path, lambda: None)
    written(path, range(before, 100))
    left = path.read_bytes()
    pack(path, lambda: None)
    assert not path.exists()
    path.write_bytes(left)
    assert numbers_in(path) == list(range(100))
    pack(path, lambda: None)
    assert not path.exists()
    assert numbers_in(path) == list(range(100))
    path.write_bytes(left)
    written(path, range(100, 110))
    assert numbers_in(path) == list(range(110))


def test_a_part_whose_hash_fits_needs_no_check_of_its_lines_and_what_follows_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.jsonl"
    written(path, range(50))
    pack(path, lambda: None)
    raw = packed_path(path).read_bytes()
    seal = {"journal.jsonl.zst": FileSeal(50, len(raw), hashlib.sha256(raw).hexdigest())}
    written(path, range(50, 60))
    checked: list[int] = []
    monkeypatch.setattr("memtriage.record.journal.check_line", lambda line, start: checked.append(start))
    assert [record["n"] for _, record in records(path, seal)] == list(range(60))
    assert len(checked) == 10
    with pytest.raises(Damaged, match=r"seal\.json has another hash for it"):
        list(records(path, {"journal.jsonl.zst": FileSeal(50, len(raw), "0" * 64)}))


def test_a_packed_run_goes_on_and_is_packed_again(packed: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cli("show", str(packed), "--by", "probe", "--json").out
    (packed / "seal.json").unlink()
    monkeypatch.setattr(lines, "LARGE", 1 << 20)
    assert cli("resume", str(packed), "-q", "--no-report").code == 0
    assert cli("show", str(packed), "--by", "probe", "--json").out == before
    assert (packed / "verdicts.jsonl").exists()
    assert not (packed / "verdicts.jsonl.zst").exists()
    assert (packed / "journal.jsonl.zst").exists()
    assert cli("verify", str(packed)).code == 0


def test_a_run_of_the_former_version_is_read_verified_and_gone_on_with(tmp_path: Path, cli: Cli) -> None:
    run = shutil.copytree(Path(__file__).parent / "recordings/former_run", tmp_path / "run")
    digest = json.loads((run / "seal.json").read_text())["digest"]
    assert digest in cli("verify", str(run)).out
    shown = [
        (row["system"], row["k"], row["correct"], row["not_retrieved"])
        for row in json.loads(cli("show", str(run), "--json").out)["rows"]
    ]
    assert shown == [("bm25", 2, 1, 1), ("bm25", 5, 2, 0), ("full-context", 2, 2, 0), ("full-context", 5, 2, 0)]
    assert cli("report", str(run)).code == 0
    assert cli("compare", str(run), str(run)).code == 0
    assert cli("verify", str(run)).code == 0


@pytest.fixture(scope="module")
def whole_stores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose system brings back all of its 30 or so memories for every question."""
    out = tmp_path_factory.mktemp("whole") / "run"
    memtriage.run("full-context", suite="memfail/coexisting", rows=10, k=[2, 5], out=out)
    return out


def test_a_long_list_that_comes_back_again_is_written_once(whole_stores: Path) -> None:
    for name, kind in (("journal.jsonl", "trace"), ("verdicts.jsonl", None)):
        with Lines(whole_stores / name) as opened:
            found = [(start, json.loads(line)) for start, line in opened.lines()]
        asked = [(start, line.get("data", line)) for start, line in found if line.get("kind") == kind]
        lists = [(start, content["retrieved"]) for start, content in asked]
        (first, written), *others = lists
        assert len(written) >= 20
        assert len(others) == 19
        assert {place for _, place in others} == {first}
    with RunReader(whole_stores) as reader:
        (unit,) = reader.units
        traces, verdicts = list(reader.traces(unit)), list(reader.verdicts())
        held = reader.history(unit).held_at(None)
    assert {tuple(item.key for item in each.retrieved) for each in (*traces, *verdicts)} == {held}
    assert [item.rank for item in verdicts[7].retrieved] == list(range(1, len(held) + 1))


@pytest.mark.parametrize(
    ("place", "why"),
    [
        (10**9, "is not before it"),
        (0, "is not one of this store"),
        (1, "no record starts where its list should be"),
        (True, "retrieved: input should be"),
    ],
)
def test_a_list_that_leads_nowhere_is_named(whole_stores: Path, tmp_path: Path, place: int, why: str) -> None:
    run = shutil.copytree(whole_stores, tmp_path / "run")
    file = run / "journal.jsonl"
    contents = [record for _, record in records(file)]
    last = next(record for record in reversed(contents) if record["kind"] == "trace")
    last["data"]["retrieved"] = place
    file.write_bytes(b"".join(sealed_lines(map(json_line, contents))))
    with RunReader(run, sealed=False) as reader, pytest.raises(Damaged, match=why):
        list(reader.traces(reader.units[0]))


def test_a_verdict_whose_list_leads_nowhere_is_named(whole_stores: Path, tmp_path: Path) -> None:
    run = shutil.copytree(whole_stores, tmp_path / "run")
    file = run / "verdicts.jsonl"
    contents = [record for _, record in records(file)]
    second = len(seal_line(json_line(contents[0]), 0))
    contents[2] = {**{k: v for k, v in contents[2].items() if k != "retrieved"}, "retrieved": second}
    file.write_bytes(b"".join(sealed_lines(map(json_line, contents))))
    (run / "summary.json").unlink()
    seal = write_seal(run, {})
    with pytest.raises(Damaged, match=r"line 3 .* has no list of memories"):
        list(read_verdicts(run, seal))


def test_a_run_is_hashed_once_and_sealed_as_if_it_were_hashed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hashed: list[str] = []
    real = seal._seal_of

    def counted(file: Any, path: Path) -> FileSeal:
        hashed.append(path.name)
        return real(file, path)

    monkeypatch.setattr(seal, "_seal_of", counted)
    run = memtriage.run("bm25", suite="memfail/long-hop", rows=3, k=[2], out=tmp_path / "run", progress=False)
    assert len(hashed) == len(set(hashed)) > 4
    assert run.reader.seal is not None
    assert write_seal(run.path, run.reader.seal.grading) == run.reader.seal
