"""Systems that rewrite what they are told, one's own, and memtriage from Python."""

from __future__ import annotations

import json
import sys

from goldens.normal import canonical, short
from goldens.play import asked_models, scene, show
from goldens.stage import Scene


@scene
def rewriting(s: Scene) -> None:
    """Designs that rewrite what they are told: with a model, and by rule."""
    writer = s.model("writer", "memory")
    names = "facts notes graph struct mdfile wiki lme memorybank ld-agent memwalker"
    systems = " ".join(f"--system {name}" for name in names.split())
    s.cli(
        f"run --suite memfail/coexisting --suite memfail/conditional-easy --rows 2 {systems} --k 2 --internal {writer} "
        "--out a --parallel 1 -q --no-report"
    )
    s.run("a", shapes=True)
    show(s, "a", "task cost", csv="cost", tables="cost")
    s.heard("inside")
    rules = " ".join(f"--system {name}:summarise={how}" for name in ("facts", "notes") for how in ("rules", "verbatim"))
    s.cli(
        f"run --suite memfail --rows 2 {rules} --system graph:summarise=rules --system struct:summarise=rules "
        "--k 2 --out b --parallel 1 -q --no-report"
    )
    s.run("b")
    s.cli(
        "run --suite longmemeval/oracle --rows 6 --system lme:value=facts,key=fact,query=question "
        "--system lme:merge=rank,retriever=hybrid --system lme:value=session,key=value+keyphrase --k 3 --out d "
        "--parallel 1 -q --no-report"
    )
    s.run("d")
    s.cli(
        f"run --suite meme/personal-life --rows 1 --filler none --system facts --k 3 --internal {writer} "
        f"{asked_models(s)} --out c --parallel 1 -q --no-report"
    )
    s.run("c")
    s.cli(
        f"run --suite memfail/coexisting --rows 3 --system dense --system facts --k 2 --internal {writer} "
        f"--embed {s.model('embedder', 'memory')} --out e --parallel 1 -q --no-report"
    )
    s.run("e")
    s.given("written.py")
    beside = f"proc:{sys.executable} written.py"
    embed = f"--internal {s.model('echo', 'echo')} --embed {s.model('embedder', 'memory')}"
    s.cli(f"run --suite memfail/coexisting --rows 2 --k 2 --out f --parallel 1 -q --no-report {embed} --system", beside)
    s.run("f")
    s.view("show-beside", "show f --by cost --json")
    s.heard("embedding")
    s.view("dry-run", f"run --suite memfail/persona --rows 2 --system facts --k 2 --internal {writer} --dry-run --json")


@scene
def own_systems(s: Scene) -> None:
    """Systems from a file and in a process of their own, with errors among what they do."""
    s.given("mine.py")
    s.given("beside.py")
    s.cli(
        "run --suite memfail/persona --rows 3 --system mine.py:Every:step=3 --system mine.py:Blind --k 2 --out a "
        "--parallel 1 -q --no-report",
        code=1,
    )
    s.run("a")
    show(s, "a", "task store latency", csv="store")
    s.cli("run --suite memfail/coexisting --rows 2 --system mine.py:Every --k 2 --answer system --out b -q --no-report")
    s.run("b")
    beside = f"proc[window=4]:{sys.executable} beside.py"
    s.cli("run --suite memfail/coexisting --rows 3 --k 2 --out c -q --no-report --system", beside)
    s.run("c")
    s.view("show-beside", "show c --latency --json")
    s.table("show-beside", "show c --latency", timed="all")
    s.table("show-store", "show a --by store", timed="all")
    s.view("check", "check mine.py:Every --sessions 6 --json")
    s.view("check-blind", "check mine.py:Blind --sessions 6 --json", code=None)
    s.view("check-bm25", "check bm25 --sessions 6 --json")
    s.view("check-beside", "check --sessions 4 --json", beside)
    s.table("check", "check dense --sessions 6", timed="times")
    said = "I keep my kettle in the attic.\nNora naps only below 10 degrees.\nWhere is my kettle?\n\n"
    s.view("chat", "chat --system bm25 --k 2 --json", typed=said)
    s.view("chat-answered", f"chat --system mine.py:Every --k 2 --json --answer {s.model()}", typed=said)
    s.table("chat", "chat --system dense --k 2", typed=said, timed="times")
    s.view("systems", "systems list --json")
    s.table("systems", "systems")
    s.view("doctor", "systems doctor --json")
    s.view("suites", "suites --json")
    s.table("suites", "suites")


@scene
def python(s: Scene) -> None:
    """The same from Python."""
    s.given("mine.py")
    asked_models(s)
    said = s.python("from_python.py")
    normal = s.normal()
    told = [normal.value(json.loads(line)) for line in said.split("\n") if line]
    s.keep("views", "python", {"lines": [short(line) for line in told]}, "\n".join(canonical(line) for line in told))
    s.run("p")
    s.run("q")
