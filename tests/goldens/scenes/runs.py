"""Runs without a model, of every suite, and what can be asked of them; the commands; a run made before."""

from __future__ import annotations

import re

from goldens.play import FOUR, asked_models, scene, show, tasks
from goldens.stage import Scene
from memtriage.cli.app import Commands

_OTHERS = ("Usage", "Options of suites", "Values of --by")
"""Headings of help under which no option of the command itself stands."""


@scene
def memfail(s: Scene) -> None:
    s.view(
        "run",
        f"run --suite memfail --rows 5 {FOUR} --system hybrid --system none --system full-context --k 2,5 --out a "
        "--parallel 1 --json",
    )
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    show(
        s,
        "a",
        "task family system k probe fact store latency cost repeats N",
        csv="task probe fact store latency cost N",
        tables="task family k probe fact",
    )
    for by in ("measure", "outcome", "pair", "nothing"):
        s.refused(f"show-{by}", f"show a --by {by}")
    s.view("show-latency-flag", "show a --latency --json")
    s.view("show-not-retrieved", "show a --by probe --verdict not_retrieved --json")
    s.view("show-facts-not-stored", "show a --by fact --verdict not_stored --json")
    s.view("explain", "explain a --failed --system bm25 --k 2 --json")
    s.table("explain", "explain a --failed --system dense --k 2")
    s.table("explain-probe", "explain a --probe ch0001 --k 2")
    s.cli(
        "run --suite memfail --rows 5 --system bm25:granularity=sentence --system bm25 --k 2,5 --out b --parallel 1 "
        "-q --no-report --looks 2 --option facts_per_conversation=3"
    )
    s.run("b")
    s.view("compare", "compare a b --json")
    s.view("compare-systems", "compare a a --systems bm25,dense --json")
    s.view("compare-granularity", "compare a b --systems bm25,bm25:granularity=sentence --json")
    s.table("compare", "compare a a --systems bm25,dense")


@scene
def meme(s: Scene) -> None:
    s.cli(f"run --suite meme --rows 2 {FOUR} --system none --k 2,5 --filler none --out a --parallel 1 -q")
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    show(s, "a", "task pair stale hop", csv="pair", tables="task pair stale")
    s.cli("run --suite meme/expedition --rows 1 --system bm25 --k 3 --filler 2000 --out b -q --no-report")
    s.run("b")


@scene
def longmemeval(s: Scene) -> None:
    s.cli(f"run --suite longmemeval --rows 10 --sessions 4 {FOUR} --k 2,5 --out a --parallel 1 -q")
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    show(s, "a", "task measure", csv="measure", tables="task measure")


@scene
def memoryagentbench(s: Scene) -> None:
    s.cli(f"run --suite memoryagentbench --rows 3 --length 6k {FOUR} --k 2,5 --out a --parallel 1 -q --no-report")
    s.run("a", shapes=True)
    show(s, "a", "task measure competency stale", tables="task measure")
    s.cli(
        f"run {tasks('icl factconsolidation-mh')} --rows 4 --length 6k --chunk 300 --k 3 --out b -q --no-report "
        "--system dense:granularity=paragraph --system bm25:granularity=sentence"
    )
    s.run("b")
    s.view("chunk-measure", "show b --by measure --json")


@scene
def old_run(s: Scene) -> None:
    """A run that was kept as it was made: it can be shown, explained and judged again."""
    s.given("old")
    models = asked_models(s)
    show(s, "old", "task probe fact store latency cost outcome", tables="task probe")
    s.view("explain", f"explain old --failed --json {models}")
    s.cli("report old")
    s.page("report", "old/report.html")
    s.cli(f"judge old --judge {s.model('strict')} --out again -q --no-report")
    s.run("again")
    s.view("compare", "compare old again --json")
    s.view("audit", "audit old --json")


@scene
def old_run_resumed(s: Scene) -> None:
    """The same run resumed. A change of version, or of a system's class, is a reason to refuse that."""
    s.given("old")
    asked_models(s)
    s.refused("resume", "resume old -q --no-report")
    s.verdicts("old", s.path / "old")


@scene
def commands(s: Scene) -> None:
    """The commands, and the names of their arguments and options."""

    def walk(*words: str) -> None:
        said = s.cli(" ".join([*words, "--help"]))
        options: list[str] = []
        found: list[str] = []
        part = ""
        for line in said.out.splitlines():
            if line and not line.startswith(" "):
                part = line.split(":")[0]
            elif part in ("Commands", *Commands.groups):
                found += re.findall(r"^  ([a-z][a-z-]*) {2,}", line)
            elif not part.startswith(_OTHERS) and line.startswith("  ") and line[2] != " ":
                options.append(_names(line))
        usage = said.out.split("\n\n")[0].split("Usage:")[-1].split()
        entry = {"usage": " ".join(usage), "options": sorted(options), "commands": sorted(found)}
        s.keep("commands", " ".join(words) or "memtriage", entry, said.out)
        for name in found:
            walk(*words, name)

    walk()


def _names(line: str) -> str:
    """The names in a line of help, with what stands for the value.

    >>> _names("  -q, --quiet                 Print only what was asked for.")
    '-q, --quiet'
    """
    return line.strip().split("  ")[0]
