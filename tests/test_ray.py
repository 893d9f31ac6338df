"""Runs on a real Ray cluster on this machine come to the same files as runs in one process."""

from __future__ import annotations

import importlib
import json
import re
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import memtriage
from conftest import Place
from memtriage.config import Limits, Needs
from memtriage.core.episode import Session, Turn
from memtriage.core.errors import BadInput
from memtriage.models.scripted import StubServer
from memtriage.runner.watcher import Watcher
from memtriage.systems.retrieval.blocks import BLOCKS
from memtriage.systems.retrieval.dense import Dense
from memtriage.systems.retrieval.text_cache import COSTLY, shared_on
from same_files import assert_same, files

ray = pytest.importorskip("ray", reason="ray is not installed")

from memtriage.cluster import nodes, ray_scheduler  # noqa: E402
from memtriage.cluster.connection import opened  # noqa: E402
from memtriage.cluster.in_order import Store  # noqa: E402
from memtriage.cluster.mailbox import Mailbox, SharedShelf  # noqa: E402
from memtriage.cluster.ray_scheduler import RayScheduler  # noqa: E402

KEY = "sk-test-0123456789abcdef"
HERE = Limits(stores=1)
"""One store after the other, as side by side their records come in any order."""
ON_RAY = Limits(on="ray", stores=1)
SETTINGS: dict[str, Any] = {
    "suite": "meme",
    "rows": 2,
    "k": [2, 5],
    "options": {"filler": "none"},
    "progress": False,
}

MINE = """
import os
import time
from pathlib import Path

from beside import words
from memtriage import Memory, Traits


class Mine:
    traits = Traits(parallel=True)

    def __init__(self, orders: str = ""):
        self.kept, self.orders = [], orders

    def store_conversation(self, conversation):
        self.kept += [Memory(turn.id, turn.text, sources=(turn.id,)) for turn in conversation.turns]
        if self.orders and len(self.kept) > 2:
            for order in sorted(Path(self.orders).parent.glob(Path(self.orders).name + ".*")):
                order.unlink()
                os.kill(os.getpid(), 9)

    def retrieve_memories(self, query, conversation, k):
        return sorted(self.kept, key=lambda memory: -len(words(query) & words(memory.text)))[:k]

    def get_all_memories(self):
        return list(self.kept)


class OneByOne(Mine):
    traits = Traits()


class Tells(Mine):
    def notices(self):
        return [f"{name} is {os.environ.get(name)}" for name in ("MEMTRIAGE_API_KEY", "PLACE_OF_MINE")]


class Signs(Mine):  # its first store waits until another node fills one too; takes its node along if it is told to
    def __init__(self, folder: str):
        super().__init__()
        self.folder = Path(folder)

    def store_conversation(self, conversation):
        import ray

        super().store_conversation(conversation)
        node = ray.get_runtime_context().get_node_id() if ray.is_initialized() else "here"
        (self.folder / f"filled on {node}").touch()
        patient_until = time.monotonic() + 120
        while node != "here" and len(list(self.folder.glob("filled on *"))) < 2 and time.monotonic() < patient_until:
            time.sleep(0.05)
        if len(self.kept) > 2:
            for order in self.folder.glob("lose a node"):
                order.rename(self.folder / f"lost {node}")
                os.kill(os.getppid(), 9)
                os.kill(os.getpid(), 9)


class Jams(Mine):
    def close(self):
        if self.kept:
            raise RuntimeError("it jammed")


class Hungry(Mine):
    traits = Traits(gpus=0.5)


class Raises(Mine):
    def __init__(self):
        super().__init__()
        if "RAY_JOB_ID" in os.environ or os.environ.get("PLACE_OF_MINE") is None:
            raise RuntimeError("PLACE_OF_MINE is not set")
"""


# Without a cluster; a process that is connected to one can't be forked


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ("kube", "--on 'kube': say where stores are filled: ray"),
        ("ray://", "say where stores are filled"),
        ("ray:1\x1b[31m", "say where stores are filled"),
        ("ray:127.0.0.1:1", "--on ray:127.0.0.1:1: nothing answers there"),
        ("ray://127.0.0.1:1", "nothing answers there"),
        ("ray:auto", "the cluster can't be reached"),
    ],
)
def test_a_cluster_that_is_not_there_is_one_sentence(place: Place, on: str, words: str) -> None:
    said = place.cli("run", "--suite", "tiny", "--system", "bm25", "--on", on, code=1)
    assert words in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_needs_are_read_or_refused(place: Place) -> None:
    assert Needs.parse("cpus=2, memory=500MB") == Needs(cpus=2.0, memory_gb=0.5)
    for text in ("gpus", "gpus=x", "memory=8", "disks=2", "cpus=-1", "gpus=1e9"):
        assert "--needs" in place.cli("run", "--on", "ray", "--needs", text, code=1).err
    assert "name one with --on" in place.cli("run", "--needs", "gpus=1", code=1).err


def test_without_ray_the_command_says_how_to_get_it(place: Place) -> None:
    source = "import sys; sys.modules['ray'] = None; from memtriage.cli.main import main; main()"
    done = place.python(source, "run", "--suite", "tiny", "--system", "bm25", "--on", "ray")
    assert done.returncode == 1
    assert done.stderr.strip().endswith(
        "--on ray needs Ray; install it with: pip install '.[ray]' in memtriage's checkout"
    )


# On two nodes; the commands are processes of their own, so that this one stays unconnected


@pytest.fixture(scope="module")
def two_nodes() -> Iterator[tuple[str, str]]:
    """A cluster whose head fills nothing and whose two nodes fill a store each; its address, and that for clients."""
    from ray.cluster_utils import Cluster

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    head = {"num_cpus": 0, "include_dashboard": False, "ray_client_server_port": port}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        cluster = Cluster(initialize_head=True, head_node_args=head)
        try:
            for _ in range(2):
                cluster.add_node(num_cpus=1)
            cluster.wait_for_nodes()
            yield f"ray:{cluster.address}", f"ray://127.0.0.1:{port}"
        finally:
            cluster.shutdown()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # Ray leaves logs of its client open
def test_two_nodes_share_the_stores_and_one_that_is_lost_changes_nothing(
    two_nodes: tuple[str, str], place: Place
) -> None:
    prepare(place)
    beside, outside = two_nodes
    system = f"mine.py:Signs:folder={place.path}"
    suite = "--suite meme --rows 2 --filler none --k 2,5 --parallel 1"
    options = f"run {suite} --system bm25 --system dense --system {system}".split()

    def run(out: str, *more: str) -> None:
        done = place.python("from memtriage.cli.main import main; main()", *options, "--out", out, *more)
        assert done.returncode == 0, done.stderr

    run("here")
    (place.path / "filled on here").unlink()
    run("shared", "--on", beside)
    assert len(list(place.path.glob("filled on *"))) == 2
    run("as a client", "--on", outside)
    place.write("lose a node", "")
    run("lost", "--on", beside)
    assert len(list(place.path.glob("lost *"))) == 1
    for name in ("shared", "as a client", "lost"):
        assert_same(place.path / "here", place.path / name)


# On a cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """One cluster for all tests, begun by somebody with a key in the environment."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MEMTRIAGE_API_KEY", KEY)
        with opened("ray"):
            yield


@pytest.fixture
def mine(cluster: None, place: Place) -> Place:
    return prepare(place)


def prepare(place: Place) -> Place:
    place.write("mine.py", MINE)
    place.write("beside.py", "def words(text):\n    return set(text.lower().split())\n")
    return place


def forget_vectors() -> None:
    BLOCKS.clear()
    COSTLY.clear()


def test_a_run_on_ray_comes_to_the_same_files(mine: Place) -> None:
    here = memtriage.run("bm25", "dense", "mine.py:Mine", out="here", repeats="ingest=2", limits=HERE, **SETTINGS)
    there = memtriage.run("bm25", "dense", "mine.py:Mine", out="there", repeats="ingest=2", limits=ON_RAY, **SETTINGS)
    assert here.errors == there.errors == 0
    assert len(here.stores()) == 4 * 3 * 2
    assert_same(here.path, there.path)


def test_a_store_whose_worker_dies_is_begun_again_and_leaves_no_trace(mine: Place) -> None:
    system = f"mine.py:Mine:orders={mine.path / 'kill'}"
    here = memtriage.run("bm25", system, out="here", limits=HERE, **SETTINGS)
    mine.write("kill.1", "")
    told = Notes()
    there = memtriage.run("bm25", system, out="there", limits=ON_RAY, watcher=told, **SETTINGS)
    assert not (mine.path / "kill.1").exists()
    assert [note for note in told.notes if "its worker was lost" in note and "it is begun again" in note]
    assert told.steps == told.total, "what was lost is counted once"
    assert_same(here.path, there.path)


def test_what_a_store_notes_at_its_end_is_told_once(mine: Place) -> None:
    here, there = Notes(), Notes()
    memtriage.run("mine.py:Jams", out="here", limits=HERE, watcher=here, **SETTINGS)
    memtriage.run("mine.py:Jams", out="there", limits=ON_RAY, watcher=there, **SETTINGS)
    assert len(here.notes) == len(set(here.notes)) > 1
    assert sorted(there.notes) == sorted(here.notes)
    assert "RuntimeError: it jammed" in " ".join(there.notes)


def test_quick_stores_share_a_task_and_each_is_begun_again_alone_if_that_is_lost(
    mine: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ray_scheduler, "_TASK", 60.0)  # on a slow machine they are quick as well
    submit, tasks = RayScheduler._submitted, []

    def noted(scheduler: RayScheduler, stores: Sequence[Store]) -> None:
        submit(scheduler, stores)
        tasks.append([(store.job.unit, store.attempt) for store in stores])
        if len(stores) > 1 and not any(attempt for task in tasks for _, attempt in task):
            ray.cancel(stores[0].task, force=True)  # as if its worker were gone

    monkeypatch.setattr(RayScheduler, "_submitted", noted)
    settings = {**SETTINGS, "suite": "memfail", "rows": 25, "options": {}}
    here = memtriage.run("bm25", "dense", out="here", limits=HERE, **settings)
    told = Notes()
    there = memtriage.run("bm25", "dense", out="there", limits=ON_RAY, watcher=told, **settings)
    lost = next(task for task in tasks if len(task) > 1)
    assert all([(unit, 1)] in tasks for unit, _ in lost)
    assert len([note for note in told.notes if "it is begun again" in note]) == len(lost)
    assert told.steps == told.total
    assert_same(here.path, there.path)


def test_a_store_whose_worker_dies_twice_is_an_error_with_both_reasons(mine: Place) -> None:
    for number in "12":
        mine.write(f"kill.{number}", "")
    system = f"mine.py:OneByOne:orders={mine.path / 'kill'}"
    run = memtriage.run(system, out="run", limits=ON_RAY, **SETTINGS)
    broken = [store for store in run.stores() if store.error]
    assert len(broken) == 1
    assert re.match(r"the store was lost twice; first: .+; then: .+", str(broken[0].error))
    assert run.errors == sum(verdict.episode == broken[0].episode for verdict in run.verdicts())


class Notes(Watcher):
    def __init__(self) -> None:
        self.notes: list[str] = []
        self.steps = self.total = 0

    def begin(self, path: Path, steps: int) -> None:
        self.total = steps

    def step(self, steps: int = 1) -> None:
        self.steps += steps

    def note(self, text: str) -> None:
        self.notes.append(text)


class ControlC(Watcher):
    """Presses Ctrl-C when so many stores were started."""

    def __init__(self, stores: int) -> None:
        self.left = stores

    def unit(self, system: str, episode: str) -> None:
        self.left -= 1
        if not self.left:  # in this thread, and so at once: later, it might reach code that drops exceptions
            signal.raise_signal(signal.SIGINT)


def test_an_interrupted_run_goes_on_without_ray_and_on_ray(mine: Place) -> None:
    systems = ("bm25", "mine.py:Mine", "dense")
    here = memtriage.run(*systems, out="here", limits=HERE, **SETTINGS)
    for name, limits in (("resumed here", HERE), ("resumed there", ON_RAY)):
        with pytest.raises(KeyboardInterrupt):
            memtriage.run(*systems, out=name, limits=ON_RAY, watcher=ControlC(11), **SETTINGS)
        done = [line for line in (mine.path / name / "journal.jsonl").read_text().splitlines() if '"done"' in line[:20]]
        assert 0 < len(done) < 12
        resumed = memtriage.resume(name, limits=limits, progress=False)
        assert_same(here.path, resumed.path)


def test_a_run_that_was_begun_here_goes_on_on_ray(mine: Place) -> None:
    """Also in the middle of a store, of which some questions were asked."""
    mine.write("kill.1", "")
    system = f"mine.py:Mine:orders={mine.path / 'kill'}"
    options = f"run --suite meme --rows 2 --filler none --k 2,5 --out run --system bm25 --system {system}".split()
    killed = mine.python("from memtriage.cli.main import main; main()", *options)
    assert killed.returncode == -signal.SIGKILL
    resumed = memtriage.resume("run", limits=ON_RAY, progress=False)
    here = memtriage.run("bm25", system, out="here", limits=HERE, **SETTINGS)
    assert files(resumed.path)["verdicts.jsonl"] == files(here.path)["verdicts.jsonl"]


def test_systems_made_in_python_travel_too(mine: Place) -> None:
    module = importlib.import_module("mine")
    systems = {"class": module.Mine, "instance": module.Mine(), "module": "mine:Mine"}
    here = memtriage.run(systems, out="here", limits=HERE, **SETTINGS)
    there = memtriage.run(systems, out="there", limits=ON_RAY, **SETTINGS)
    for name in ("mine", "beside"):
        del sys.modules[name]
    assert here.errors == there.errors == 0
    assert_same(here.path, there.path)


def test_models_are_asked_here_and_paid_once(mine: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    prices = mine.write("prices.json", json.dumps({"scripted": {"input": 1.0, "output": 1.0}}))
    monkeypatch.setenv("MEMTRIAGE_PRICES", str(prices))
    monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
    with StubServer("memory") as server:
        model = f"{server.url}#scripted"
        settings = {**SETTINGS, "internal": model}
        here = memtriage.run("facts", out="here", limits=Limits(use_cache=False, stores=1), **settings)
        calls = len(server.requests)
        there = memtriage.run("facts", out="there", limits=Limits(use_cache=False, stores=1, on="ray"), **settings)
        assert len(server.requests) == 2 * calls
        assert here.cost is not None
        assert here.cost == there.cost
        assert here.cost["roles"]["internal"]["extract"]["calls"] > 0
        for name in ("journal.jsonl", "memories.jsonl", "verdicts.jsonl", "stores.jsonl"):
            assert files(here.path)[name] == files(there.path)[name], name
        held = [
            memtriage.run("facts", out=f"held{on}", limits=Limits(hold=True, on=on), **settings) for on in ("", "ray")
        ]
        assert held[0].waiting is not None
        assert held[1].waiting is not None
        assert sorted(call.id for call in held[0].waiting.calls) == sorted(call.id for call in held[1].waiting.calls)
        budget = Limits(use_cache=False, stores=1, on="ray", max_cost=here.cost["total"]["dollars"] / 4)
        stopped = memtriage.run("facts", out="stopped", limits=budget, **settings)
        assert stopped.stopped is not None
        assert "could pass the limit" in stopped.stopped
        assert stopped.cost is not None
        # The last reply may be longer than what was set aside for it.
        assert stopped.cost["total"]["dollars"] < here.cost["total"]["dollars"] / 2


def test_workers_have_no_keys_and_see_what_is_passed_on(mine: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY", KEY)
    monkeypatch.setenv("PLACE_OF_MINE", "the attic")
    bare = memtriage.run("mine.py:Tells", out="bare", limits=ON_RAY, **SETTINGS)
    assert bare.notices["mine.py:Tells"] == ("MEMTRIAGE_API_KEY is None", "PLACE_OF_MINE is None")
    with pytest.MonkeyPatch.context():
        from memtriage.host.environment import passing

        with passing(["PLACE_OF_MINE"]):
            given = memtriage.run("mine.py:Tells", out="given", limits=ON_RAY, **SETTINGS)
    assert given.notices["mine.py:Tells"] == ("MEMTRIAGE_API_KEY is None", "PLACE_OF_MINE is the attic")
    missing = memtriage.run("mine.py:Raises", out="missing", limits=ON_RAY, **SETTINGS)
    (reason,) = {str(store.error) for store in missing.stores()}
    assert "it could not be begun" in reason
    assert "--pass-env PLACE_OF_MINE" in reason


def test_what_a_transformer_made_for_one_worker_is_there_for_others(
    mine: Place, stub_transformers: list[tuple[str, dict[str, Any]]]
) -> None:
    mailbox = ray.remote(num_cpus=0)(Mailbox).remote()

    def filled_by_a_worker(*said: str) -> list[tuple[str, float | None]]:
        forget_vectors()  # every worker has a memory of its own
        with shared_on(SharedShelf(mailbox)):
            memory = Dense(embedder="sentence-transformers:stub/tiny")
            memory.store_conversation(Session("s", tuple(Turn("user", text, str(n)) for n, text in enumerate(said))))
            return [(one.text, one.score) for one in memory.retrieve_memories("Who?", Session("n", ()), 9)]

    first = filled_by_a_worker("Odo came.", "It rained.")
    then = filled_by_a_worker("It rained.", "Noor left early.", "Odo came.")
    assert [text for text, _ in stub_transformers[1:]] == [
        "Odo came.",
        "It rained.",
        "Who?",
        "Noor left early.",
        "Who?",
    ]
    assert set(first) < set(then), "the vectors are the same"
    ray.kill(mailbox)
    assert filled_by_a_worker("Odo came.", "It rained.") == first, "without a shelf, a worker makes its own"


def test_a_sweep_runs_on_the_cluster(mine: Place) -> None:
    from memtriage.studies.sweep import sweep

    settings = {key: value for key, value in SETTINGS.items() if key != "progress"}
    vary = {"seed": [1, 2]}
    here = sweep("bm25", vary=vary, out="here", limits=HERE, **settings)
    there = sweep("bm25", vary=vary, out="there", limits=ON_RAY, **settings)
    assert here.table() == there.table()
    for cell in here.cells:
        assert_same(Path("here") / cell.folder, Path("there") / cell.folder)


def test_what_no_node_has_is_said_before_anything_is_stored(mine: Place) -> None:
    with pytest.raises(BadInput, match=r"a store of mine.py:Hungry needs 1 processors and 0.5 GPUs, and no node"):
        memtriage.run("mine.py:Hungry", out="run", limits=ON_RAY, **SETTINGS)
    run = memtriage.resume(
        "run", limits=Limits(on="ray", needs=Needs.parse("gpus=0,cpus=0.5,memory=10MB")), progress=False
    )
    assert run.errors == 0
    with pytest.raises(BadInput, match=r"needs 1 processors and 90000 GB of memory"):
        memtriage.run("bm25", out="other", limits=Limits(on="ray", needs=Needs.parse("memory=90000GB")), **SETTINGS)


def test_a_node_that_lacks_something_says_so(mine: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "versions", lambda: {"memtriage": "99.0"})
    with pytest.raises(BadInput, match=r"node \S+ of the cluster: it has memtriage \S+, and the run 99.0"):
        memtriage.run("bm25", out="run", limits=ON_RAY, **SETTINGS)


def test_too_much_code_is_not_sent_around(mine: Place) -> None:
    mine.write("large.py", f"{'#' * (21 << 20)}\n")
    with pytest.raises(BadInput, match=r"mine.py: more than 20 MB of Python files stand beside it"):
        memtriage.run("mine.py:Mine", out="run", limits=ON_RAY, **SETTINGS)
