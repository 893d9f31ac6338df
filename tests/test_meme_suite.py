"""The MEME suite: which tasks a run gets, what its options do, and its data files made, checked and fetched."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path

import pytest

from memtriage import api
from memtriage import registry as plugins
from memtriage.core.errors import BadInput
from memtriage.core.suite import Request, Step, Task
from memtriage.models.client import Client
from memtriage.models.scripted import StubServer
from memtriage.suites.meme.data import MemeFiles
from memtriage.suites.meme.released.pull import DATASET, RELEASED, pull_meme
from memtriage.suites.meme.suite import SUITE
from memtriage.text.tokens import count_tokens
from test_meme_files import hub, pair, put, saved
from test_meme_written import Player
from test_memfail_pull import Site, site  # noqa: F401  (a fixture)

DOMAINS = ["personal-life", "software-project"]
QUIET: Step = lambda what, share: None  # noqa: E731


def task(name: str) -> Task:
    (found,) = SUITE.select(name)
    return found


def test_the_papers_domains_are_the_default_and_the_third_is_there_by_name() -> None:
    assert [one.name for one in SUITE.select(None)] == ["meme/personal-life", "meme/software-project"]
    assert task("expedition").name == "meme/expedition"
    assert {one.rows for one in SUITE.tasks} == {50}
    with pytest.raises(BadInput, match="did you mean 'expedition'"):
        SUITE.select("expeditions")


def test_the_same_request_gives_the_same_episodes_and_says_what_made_them() -> None:
    request = Request(seed=5, rows=2, options={"filler": "2000", "phrasing": "implicit"})
    first, again = (task("software-project").load(request) for _ in range(2))
    episodes = tuple(first.episodes)
    assert episodes == tuple(again.episodes)
    assert len(episodes) == 2
    assert {probe.tags["filler"] for one in episodes for probe in one.probes} == {"2k"}
    assert dict(first.provenance) == {
        "suite_version": "2",
        "source": "generated",
        "seed": 5,
        "rows": 2,
        "filler": "2k",
        "phrasing": "implicit",
    }


def test_the_filler_option_sets_how_much_other_talk_there_is() -> None:
    def size(filler: str) -> int:
        (one,) = task("personal-life").load(Request(rows=1, options={"filler": filler})).episodes
        return sum(count_tokens(turn.text) for session in one.sessions for turn in session.turns)

    bare = size("none")
    assert bare < 3_000
    assert 5_000 < size("6k") - bare < 7_500


def test_fillers_may_come_from_the_users_file(tmp_path: Path) -> None:
    talk = [
        [{"role": "user", "content": f"Tell me about basalt, part {n}. " + "Rocks are old. " * 60}] for n in range(9)
    ]
    pool = tmp_path / "pool.json"
    pool.write_text(json.dumps(talk), encoding="utf-8")
    loaded = task("personal-life").load(Request(rows=1, options={"filler": "1k", "pool": str(pool)}))
    (one,) = loaded.episodes
    assert any("basalt" in session.text for session in one.sessions)
    assert loaded.provenance["pool"] == str(pool)
    assert len(str(loaded.provenance["pool_sha256"])) == 64


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fillers": "32k"}, "unknown option of suite meme 'fillers'; did you mean 'filler'"),
        ({"filler": "lots"}, "filler must be a number of tokens"),
        ({"phrasing": "explicitly"}, "unknown phrasing 'explicitly'; did you mean 'explicit'"),
        ({"pool": "nowhere.json"}, r"pool of fillers nowhere\.json is no file"),
    ],
)
def test_bad_options_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        list(task("personal-life").load(Request(rows=1, options=options)).episodes)


def test_a_files_episodes_go_to_their_domains(tmp_path: Path) -> None:
    record, other = hub(), hub() | {"episode_id": "pl_902"}
    path = saved(tmp_path / "meme_filler32k.json", record, other)
    loaded = task("personal-life").load(Request(data=path, rows=1))
    assert [one.id for one in loaded.episodes] == ["pl_901"]
    assert loaded.provenance["file"] == str(path)
    assert len(str(loaded.provenance["sha256"])) == 64
    empty = task("software-project").load(Request(data=path))
    assert not list(empty.episodes)
    assert empty.provenance["other_domains"] == {"personal-life": 2}


def test_whole_episodes_take_no_phrasing_and_bare_ones_take_fillers(tmp_path: Path) -> None:
    words = saved(tmp_path / "meme_x.json", hub())
    for options, message in (
        ({"phrasing": "none"}, "leave the option phrasing out"),
        ({"filler": "128k"}, "episode 'pl_901' has 0k of filler, not 128k"),
    ):
        with pytest.raises(BadInput, match=message):
            task("personal-life").load(Request(data=words, options=options))
    bare, _ = pair(tmp_path)
    (one,) = task("personal-life").load(Request(data=bare, options={"filler": "3k"})).episodes
    assert len(one.sessions) > 5
    assert {probe.tags["filler"] for probe in one.probes} == {"3k"}


def test_what_nobody_can_answer_is_left_out_and_recorded(tmp_path: Path) -> None:
    record = hub()
    facts = record["sessions"][1]["gold_facts"]
    record["sessions"][1]["gold_facts"] = [f for f in facts if f["entity"] != "partner"]
    put(record, "Hall Ten", "tasks", 4, "gold_answer")
    loaded = task("personal-life").load(Request(data=saved(tmp_path / "meme_x.json", record)))
    assert loaded.provenance["left_out"] == ["pl_901: deletion of partner"]
    assert loaded.provenance["disputed"] == ["pl_901: cascade of fitness_facility"]
    (one,) = loaded.episodes
    assert not any("deletion" in probe.id for probe in one.probes)


def test_a_run_on_a_file_of_whole_episodes_credits_a_verbatim_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugins, "suite", lambda name: SUITE)
    path = saved(tmp_path / "meme_filler32k.json", hub())
    run = api.run("oracle", "full-context", "none", suite="meme", data=path, k=[5], out=tmp_path / "run")
    found = Counter((verdict.system, verdict.verdict == "correct") for verdict in run.verdicts())
    assert found == {("oracle", True): 10, ("full-context", True): 10, ("none", False): 10}
    assert run.manifest["tasks"]["meme/personal-life"]["rows"] == 1


def test_generated_files_load_as_the_same_episodes_and_pass_validation(tmp_path: Path) -> None:
    assert SUITE.data is not None
    steps: list[float] = []
    options = {"filler": "2k", "phrasing": "none"}
    written = SUITE.data.generate(
        ["personal-life", "expedition"], 2, 9, tmp_path, lambda what, share: steps.append(share), options
    )
    assert [path.name for path in written] == ["meme_filler2k.json", "generation_config_filler2k.json"]
    assert steps == sorted(steps)
    assert steps[-1] == 1.0
    config = json.loads(written[1].read_text())
    assert (config["seed"], config["filler"], config["phrasing"]) == (9, "2k", "none")
    for domain in ("personal-life", "expedition"):
        made = task(domain).load(Request(seed=9, rows=2, options=options)).episodes
        assert tuple(task(domain).load(Request(data=tmp_path)).episodes) == tuple(made)
    checked = list(SUITE.data.validate(tmp_path))
    assert [(one.task, one.rows, one.problems) for one in checked] == [("personal-life", 2, ()), ("expedition", 2, ())]


def test_validation_names_wrong_answers_stray_fillers_and_broken_episodes(tmp_path: Path) -> None:
    assert SUITE.data is not None
    wrong, stray, broken = (hub() | {"episode_id": f"pl_90{n}"} for n in (2, 3, 4))
    put(wrong, "Hall Ten", "tasks", 4, "gold_answer")
    put(stray, "A Brisk Two is what my uncle drives.", "sessions", 2, "conversation", 0, "content")
    put(broken, "Casc", "tasks", 4, "type")
    path = saved(tmp_path / "meme_x.json", hub(), wrong, stray, broken)
    (checked,) = SUITE.data.validate(path)
    assert checked.rows == 4
    told = [(problem.message.partition("episode ")[2], problem.is_error) for problem in checked.problems]
    assert told == [
        ("'pl_902': the answer of cascade of 'fitness_facility' is 'Hall Ten', but 'Dune Gym' follows", True),
        ("'pl_903': 1 filler sessions hold a value of its facts: f3", False),
        ("'pl_904': unknown task tag 'Casc'; did you mean 'Cas'? (known: Abs, Agg, Cas, Del, ER, Tr)", True),
    ]


def test_a_file_without_episodes_does_not_pass_validation(tmp_path: Path) -> None:
    assert SUITE.data is not None
    (checked,) = SUITE.data.validate(saved(tmp_path / "meme_x.json"))
    assert [(problem.message.partition("meme_x.json ")[2], problem.is_error) for problem in checked.problems] == [
        ("holds no episodes", True)
    ]


def test_a_models_chats_are_written_to_the_same_kind_of_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert SUITE.data is not None
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "sk-test-0123456789abcdef")
    steps: list[float] = []

    async def write(url: str) -> list[Path]:
        client = Client(f"{url}#author", max_retries=0)
        try:
            return await MemeFiles().write(
                DOMAINS, 1, 4, tmp_path, lambda what, share: steps.append(share), client, {"filler": "none"}
            )
        finally:
            await client.aclose()

    with StubServer(Player()) as server:
        written = asyncio.run(write(server.url))
    assert [path.name for path in written] == ["meme_nofiller.json", "generation_config_nofiller.json"]
    assert steps == [0.5, 1.0]
    config = json.loads(written[1].read_text())
    assert config["calls"] > 20
    assert config["sessions_worded_by_rules"] == 0
    assert [(one.task, one.rows, one.problems) for one in SUITE.data.validate(tmp_path)] == [
        (domain, 1, ()) for domain in DOMAINS
    ]
    (one,) = task("software-project").load(Request(data=tmp_path)).episodes
    turns = {turn.id: turn.text for session in one.sessions for turn in session.turns}
    told = next(fact for fact in one.facts if fact.id.startswith("dep/"))
    assert told.text in turns[told.turns[0]]
    assert "Just so you know" in told.text


def test_a_file_that_breaks_off_is_a_problem_not_a_crash(tmp_path: Path) -> None:
    assert SUITE.data is not None
    path = saved(tmp_path / "meme_x.json", hub())
    path.write_text(path.read_text()[:-20])
    (checked,) = SUITE.data.validate(path)
    assert (checked.rows, [problem.is_error for problem in checked.problems]) == (0, [True])


def released(site: Site, name: str, *records: object) -> None:  # noqa: F811
    site.files[f"/datasets/{DATASET}/resolve/v2/{name}"] = json.dumps(records).encode()


def test_released_files_are_fetched_checked_and_noted(site: Site, tmp_path: Path) -> None:  # noqa: F811
    assert SUITE.data is not None
    for name in RELEASED:
        released(site, name, hub())
    out = SUITE.data.pull(tmp_path / "meme", "v2", site.url, QUIET)
    assert sorted(path.name for path in out.iterdir()) == sorted([*RELEASED, "pull.json"])
    noted = json.loads((out / "pull.json").read_text())
    assert noted["revision"] == "v2"
    assert [(file["path"], file["episodes"]) for file in noted["files"]] == [(name, 1) for name in RELEASED]
    (one,) = task("personal-life").load(Request(data=out)).episodes
    assert one.id == "pl_901"


def test_a_bad_download_leaves_earlier_data_alone(site: Site, tmp_path: Path) -> None:  # noqa: F811
    released(site, "meme_filler32k.json", hub())
    pull_meme(tmp_path, "v2", site.url, names=["meme_filler32k.json"])
    before = (tmp_path / "meme_filler32k.json").read_bytes()
    released(site, "meme_filler32k.json", hub() | {"total_sessions": 99})
    with pytest.raises(BadInput, match=r"arrived, but is not a file of MEME: .* should have 99"):
        pull_meme(tmp_path, "v2", site.url, names=["meme_filler32k.json"])
    assert (tmp_path / "meme_filler32k.json").read_bytes() == before
