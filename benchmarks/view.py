"""How fast `memtriage view` is on a large run, in a real browser.

Makes a run with as many verdicts as asked for (a small real run, whose verdicts and memories are replaced by made-up
ones), reads it through as the viewer does when a run is first opened, and then measures in Chromium: the first paint of
the run's page and of its list of probes, each kind of filter, the opening of a probe, and the next one by key. A filter
is timed from its event to the second frame after the list has changed. Each figure is the median of some rounds, with
the worst one beside it.

    python benchmarks/view.py --verdicts 100000
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import uvicorn

import memtriage
from memtriage.core.memory import Memory
from memtriage.core.verdict import FactVerdict, ProbeVerdict, Retrieved, Verdict
from memtriage.record.reader import RunReader
from memtriage.record.writer import RunWriter
from memtriage.view.library import Library
from memtriage.view.server import application, listen

SYSTEMS = ("bm25", "dense", "hybrid", "facts", "graph", "notes")
KS = (5, 10, 20)
TASKS = ("coexisting", "conditional-easy", "conditional-hard", "long-hop", "persona")
WORDS = (
    "harbour lantern copper Tuesday orchard violin marble ferry pepper attic winter saddle canyon kettle meadow pilot "
    "ribbon granite basil tunnel cello mirror quarry falcon ginger cabin velvet compass willow ember sister neighbour "
    "teacher usually never prefers keeps visits after before during because whenever small green quiet early"
).split()
PER_QUESTION = 10
"""New memories for each question; the others that come back are those of questions before it."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--verdicts", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--keep", type=Path, help="make the run here, and use it again if it is there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = folder
        root = options.keep or Path(folder) / "runs"
        if not (root / "large" / "seal.json").exists():
            make_run(root / "large", options.verdicts)
        size = sum(path.stat().st_size for path in (root / "large").glob("*.jsonl"))
        library = Library([root])
        (run,) = library.runs.listed()
        print(f"{run.verdicts:,} verdicts, {size / 1e6:.0f} MB, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        began = time.perf_counter()
        index = library.make_index(run)
        took, kept = time.perf_counter() - began, index.file.stat().st_size
        print(
            f"read through once      {took:8.1f} s, index {kept / 1e6:.0f} MB, "
            f"for the page {len(index.kept('columns')) / 1e6:.1f} MB"
        )
        measure(library, run.id, options.rounds)


def make_run(path: Path, verdicts: int) -> None:
    """A finished run with this many verdicts."""
    shutil.rmtree(path, ignore_errors=True)
    memtriage.run("none", suite="memfail/coexisting", rows=2, k=list(KS), out=path)
    rng = random.Random(7)
    with RunReader(path) as reader:
        writer = RunWriter(path, reader)
        with writer:
            made = list(made_up(verdicts, rng, lambda text: writer.memory(Memory(id=text[:40], text=text))))
        reader.write_verdicts(made, reader.stores())
        reader.finish({})


def made_up(verdicts: int, rng: random.Random, keep: Callable[[str], str]) -> Iterator[ProbeVerdict]:
    """Verdicts question by question: each asked of every system at every k."""
    keys: list[str] = []
    for number in range(-(-verdicts // (len(SYSTEMS) * len(KS)))):
        task, said = TASKS[number % len(TASKS)], [sentence(rng, 14) for _ in range(PER_QUESTION)]
        own = [keep(text) for text in said]
        keys += own
        details = tuple(said[0].rstrip(".").split()[:2])
        question = f"What did {sentence(rng, 12)[:-1]}?"
        for system in SYSTEMS:
            for k in KS:
                verdict: Verdict = rng.choice(("correct", "correct", "not_stored", "summary_error", "not_retrieved"))
                found = rng.sample(keys[-200:], min(k, len(keys[-200:])))
                yield ProbeVerdict(
                    *("memfail", f"memfail/{task}", system, f"{task}-{number // 8}", f"q{number:06}", k, "memory"),
                    *(verdict, question, details[0]),
                    facts=(
                        fact(f"{number}-a", said[0], details, verdict, own[0]),
                        fact(f"{number}-b", said[1], (), "correct", own[1]),
                    ),
                    retrieved=tuple(Retrieved(key, rank, 20.0 - rank) for rank, key in enumerate(found, start=1)),
                    k_returned=len(found),
                    context_tokens=20 * len(found),
                    seconds=0.002,
                    cluster=f"{task}-{number // 8}",
                    tags={"N": str(number % 5)},
                )


def sentence(rng: random.Random, words: int) -> str:
    return " ".join(rng.choices(WORDS, k=words)).capitalize() + "."


def fact(id: str, text: str, details: tuple[str, ...], verdict: Verdict, witness: str) -> FactVerdict:
    lost = {"not_stored": "storage", "summary_error": "summary", "not_retrieved": "retrieval"}.get(verdict)
    order = ("storage", "summary", "retrieval")
    passed = order.index(lost) if lost else len(order)
    stages: Any = {s: "pass" if i < passed else "fail" if i == passed else "n/a" for i, s in enumerate(order)}
    return FactVerdict(id, text, details, verdict, f"decided at {lost or 'the end'}", stages, (witness,))


def measure(library: Library, id: str, rounds: int) -> None:
    """Open the run in a browser and print how long each step takes."""
    from playwright.sync_api import sync_playwright

    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    opened = listen("127.0.0.1", 0)
    port = opened.getsockname()[1]
    server = uvicorn.Server(
        uvicorn.Config(application(library, "t", port=port), log_level="warning", lifespan="off", ws="none")
    )
    thread = threading.Thread(target=lambda: server.run(sockets=[opened]))
    thread.start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.set_default_timeout(300_000)
            page.goto(f"http://127.0.0.1:{port}/?token=t")
            paints: list[tuple[float, float]] = []
            for _ in range(rounds):
                page.goto("about:blank")
                page.goto(f"http://127.0.0.1:{port}/r/{id}/index.html")
                page.wait_for_selector("#p-list li")
                paints.append(tuple(page.evaluate(PAINT)))
            tell("first paint", [first for first, _ in paints])
            tell("all probes listed", [listed for _, listed in paints])
            for name, steps in STEPS.items():
                times = []
                for turn in range(rounds):  # another word and another probe each time, as the page keeps what it has
                    before, wanted = (step.format(word=WORDS[turn], n=900 * turn, m=900 * turn + 900) for step in steps)
                    page.evaluate(TIMED, before)
                    times.append(float(page.evaluate(TIMED, wanted)))
                tell(name, times)
            browser.close()
    finally:
        server.should_exit = True
        thread.join()


PAINT = """() => new Promise((told) => requestAnimationFrame(() => told(
    [performance.getEntriesByName("first-contentful-paint")[0].startTime, performance.now()])))"""

TIMED = """(hash) => new Promise((told) => {
    const began = performance.now(), wanted = document.documentElement;
    const done = () => requestAnimationFrame(() => requestAnimationFrame(() => told(performance.now() - began)));
    if (location.hash === hash) return told(0);
    const look = (_, watch) => { if (wanted.dataset.shown === hash) { watch.disconnect(); done(); } };
    new MutationObserver(look).observe(wanted, { attributes: true });
    location.hash = hash;
})"""

STEPS = {
    "filter by system": ["#probes", "#system=hybrid"],
    "filter by verdict": ["#probes", "#verdict=not_retrieved"],
    "filter by all": ["#probes", "#task=memfail%2Flong-hop&system=hybrid&k=10&verdict=not_stored"],
    "no filter again": ["#system=hybrid", "#probes"],
    "search in questions": ["#probes", "#q={word}"],
    "search in memories": ["#probes", "#q={word}&in=memories"],
    "open a probe": ["#system=hybrid", "#system=hybrid&p={n}"],
    "the next probe": ["#k=10&p={n}", "#k=10&p={m}"],
}


def tell(name: str, milliseconds: list[float]) -> None:
    worst = f"(worst of {len(milliseconds)}: {max(milliseconds):.0f} ms)"
    print(f"{name:22} {statistics.median(milliseconds):8.0f} ms   {worst}")


if __name__ == "__main__":
    main()
