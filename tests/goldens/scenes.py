"""The scenes: commands whose outcome is held against the goldens. A scene that takes long is `big`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from goldens.normal import canonical, short
from goldens.stage import Scene

SEEDS = ("42", "7")


@dataclass(frozen=True, slots=True)
class Play:
    """A scene by its name."""

    name: str
    act: Callable[[Scene], None]
    big: bool = False


SCENES: dict[str, Play] = {}


def scene(act: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Register a scene that is played in every check."""
    return _registered(act, big=False)


def big(act: Callable[[Scene], None]) -> Callable[[Scene], None]:
    """Register a scene that is played only where all are asked for."""
    return _registered(act, big=True)


def _registered(act: Callable[[Scene], None], big: bool) -> Callable[[Scene], None]:
    name = act.__name__.replace("_", "-")
    assert name not in SCENES, name
    SCENES[name] = Play(name, act, big)
    return act


# ------------------------------------------------------------------ generated rows


def _rows(s: Scene, suite: str, options: str, name: str = "", seeds: Iterable[str] = SEEDS) -> None:
    """Generate rows at each seed and keep what was written."""
    for seed in seeds:
        label = f"{name or suite.replace('/', '-')}-seed{seed}"
        s.cli(f"data generate {suite} {options} --seed {seed} --out {label} -q")
        s.rows(label, label)


@scene
def rows_memfail(s: Scene) -> None:
    _rows(s, "memfail", "--rows 12")
    _rows(s, "memfail/long-hop", "--rows 1", "one-chain", seeds=("1",))
    s.table("validate", "data validate memfail-seed42")


@scene
def rows_meme(s: Scene) -> None:
    _rows(s, "meme", "--rows 3 --filler none")
    _rows(s, "meme/expedition", "--rows 3 --filler none")
    for phrasing in ("implicit", "none"):
        for domain in ("both", "expedition"):
            options = f"--rows 2 --filler none --option phrasing={phrasing} --domain {domain}"
            _rows(s, "meme", options, f"{phrasing}-{domain}", seeds=("42",))
    _rows(s, "meme/personal-life", "--rows 1 --filler 3000", "filler")
    chats = [
        [
            {"role": "user", "content": f"Tell me about the number {n} and why people like it."},
            {"role": "assistant", "content": f"The number {n} comes after {n - 1}. Some like it, some do not."},
        ]
        for n in range(300, 400)
    ]
    s.write("pool.json", chats)
    _rows(s, "meme/software-project", "--rows 1 --filler 1500 --option pool=pool.json", "pool", seeds=("42",))
    s.table("validate", "data validate meme-seed42 --suite meme")


@scene
def rows_longmemeval(s: Scene) -> None:
    _rows(s, "longmemeval/oracle", "--rows 24")
    _rows(s, "longmemeval", "--rows 4 --sessions 8 --option pool=60")
    _rows(s, "longmemeval/s", "--rows 2 --option tokens=9000 --option pool=40 --option mixture=60/30/10", "mixture")
    _rows(s, "longmemeval/m", "--rows 2 --sessions 20 --option pool=80", seeds=("42",))
    s.table("validate", "data validate longmemeval-oracle-seed42 --suite longmemeval")


@scene
def rows_memoryagentbench(s: Scene) -> None:
    _rows(s, "memoryagentbench", "--rows 5 --length 6k")
    _rows(s, "memoryagentbench/longmemeval", "--rows 3 --length 8k --option contexts=2", "contexts", seeds=("42",))
    for task in ("mh-docqa", "eventqa", "detective", "recommendation", "summarization"):
        _rows(s, f"memoryagentbench/{task}", "--rows 4 --length 14k", seeds=("42",))
    _labelled(s)
    _rows(
        s,
        "memoryagentbench/icl",
        "--rows 6 --from train.csv --option shots=24 --option text=said --option label=intent",
        "icl-file",
    )
    _rows(
        s,
        "memoryagentbench/icl",
        "--rows 4 --length 6k --from train.csv --option test=test.csv --option text=said --option label=intent",
        "icl-test",
        seeds=("42",),
    )
    _rows(
        s,
        "memoryagentbench/icl",
        "--rows 4 --length 6k --from questions.txt --option fine=yes",
        "icl-fine",
        seeds=("42",),
    )
    s.table("validate", "data validate memoryagentbench-seed42 --suite memoryagentbench")


def _labelled(s: Scene) -> None:
    """Labelled sentences, as a table and as TREC has them."""
    kinds = {
        "weather": "Will it {} in {}?",
        "travel": "Book me a {} to {}.",
        "music": "Play the {} song by {}.",
        "money": "Move {} coins to {}.",
    }
    words = "rain snow train boat slow loud forty ninety early late".split()
    places = "Arvo Brill Corin Dunmor Estal Fennick Garlow".split()
    said = [(ask.format(word, place), kind) for word in words for place in places for kind, ask in kinds.items()]
    s.write("train.csv", "said,intent\n" + "".join(f'"{text}",{kind}\n' for text, kind in said[:200]))
    s.write("test.csv", "said,intent\n" + "".join(f'"{text}",{kind}\n' for text, kind in said[200:]))
    s.write("questions.txt", "".join(f"{kind.upper()[:4]}:{kind} {text}\n" for text, kind in said[:160]))


# ------------------------------------------------------------------ the command line itself


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
            elif part in ("Options", "Arguments") and line.startswith("  ") and line[2] != " ":
                options.append(_names(line))
            elif part == "Commands" and line.startswith("  ") and line[2] != " ":
                found.append(line.split()[0])
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


# ------------------------------------------------------------------ runs without a model


FOUR = "--system bm25 --system dense --system echo --system oracle"


def _show(s: Scene, run: str, views: str, csv: str = "", tables: str = "") -> None:
    """A run as `show` prints it: as JSON, and some views as CSV and for people."""
    for by in views.split():
        s.view(f"show-{by}", f"show {run} --by {by} --json")
    for by in csv.split():
        s.csv(f"show-{by}.csv", f"show {run} --by {by} --csv")
    for by in tables.split():
        s.table(f"show-{by}", f"show {run} --by {by} --limit 12")


@scene
def memfail(s: Scene) -> None:
    s.view(
        "run",
        f"run --suite memfail --rows 5 {FOUR} --system hybrid --system none --system full-context --k 2,5 --out a "
        "--parallel 1 --json",
    )
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    _show(
        s,
        "a",
        "task family system k probe fact store latency cost repeats N",
        csv="task family probe fact store latency cost repeats N",
        tables="task family system k probe fact N",
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
    _show(s, "a", "task pair stale hop", csv="pair", tables="task pair stale")
    s.cli("run --suite meme/expedition --rows 1 --system bm25 --k 3 --filler 2000 --out b -q --no-report")
    s.run("b")


@scene
def longmemeval(s: Scene) -> None:
    s.cli(f"run --suite longmemeval --rows 12 --sessions 5 {FOUR} --k 2,5 --out a --parallel 1 -q")
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    _show(s, "a", "task measure", csv="measure", tables="task measure")


@scene
def memoryagentbench(s: Scene) -> None:
    s.cli(f"run --suite memoryagentbench --rows 3 --length 6k {FOUR} --k 2,5 --out a --parallel 1 -q")
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    _show(s, "a", "task measure competency stale", tables="task measure")
    s.cli(
        "run --suite memoryagentbench/icl --suite memoryagentbench/factconsolidation-mh --rows 4 --length 6k "
        "--chunk 300 --system dense:granularity=paragraph --system bm25:granularity=sentence --k 3 --out b -q"
    )
    s.run("b")
    s.view("chunk-measure", "show b --by measure --json")


# ------------------------------------------------------------------ runs with models


def _models(s: Scene) -> str:
    return f"--answer {s.model('reader')} --judge {s.model('judge')}"


@scene
def judged_memfail(s: Scene) -> None:
    models = _models(s)
    run = f"run --suite memfail --rows 3 --system bm25 --system oracle --system none --k 2 {models}"
    s.view("dry-run", f"{run} --dry-run --json")
    s.table("dry-run", f"{run} --dry-run -q")
    s.view("run", f"{run} --out a --parallel 1 --json")
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    _show(s, "a", "task outcome cost probe latency", csv="outcome cost latency", tables="task outcome")
    s.heard("run")
    s.cli(f"judge a --judge {s.model('strict')} --paper-exact --out b -q --no-report")
    s.run("b")
    s.heard("paper-exact")
    s.view("compare", "compare a b --json")
    s.view("explain", f"explain a --failed --system bm25 --json {models}")
    s.table("explain", f"explain a --failed --system bm25 -q {models}")
    s.heard("explain")
    s.table("audit", "audit a --sample 6 --labeller Ada", typed="1\n2\nn\na note\n3\n4\nf cycling\n5\nu\n1\n")
    s.view("audit", "audit a --json")
    s.table("audit-agreement", "audit a --agreement")
    s.view("resume", "resume a --json")


@scene
def repeats(s: Scene) -> None:
    models = _models(s)
    s.cli(
        "run --suite memfail/persona --suite memfail/long-hop --rows 2 --system bm25 --k 1,3 "
        f"--repeats ingest=2,answer=2,judge=2 {models} --out a --parallel 1 -q --no-report"
    )
    s.run("a")
    _show(s, "a", "task repeats", csv="repeats", tables="repeats")
    s.cli(
        "run --suite memfail/coexisting --rows 2 --system bm25 --k 2 --paper-exact --reading con --repeats 2 "
        f"--answer {s.url()}#reader --judge {s.url()}#judge --out b -q --no-report"
    )
    s.run("b")
    s.heard("asked")


@scene
def judged_meme(s: Scene) -> None:
    s.cli(
        f"run --suite meme --rows 1 --filler none --system bm25 --system oracle --k 3 {_models(s)} --out a "
        "--parallel 1 -q --no-report"
    )
    s.run("a")
    _show(s, "a", "task pair outcome", tables="task pair")
    s.heard("run")
    s.view("explain", f"explain a --failed --system bm25 --limit 5 --json {_models(s)}")


@scene
def judged_longmemeval(s: Scene) -> None:
    models = _models(s)
    s.cli(
        f"run --suite longmemeval/oracle --rows 14 --system bm25 --system lme --k 2 {models} --reading con-json "
        "--out a --parallel 1 -q --no-report"
    )
    s.run("a")
    _show(s, "a", "task outcome measure", tables="task outcome")
    s.heard("run")
    s.cli("data generate longmemeval/oracle --rows 14 --out d -q")
    [data] = s.files("d/longmemeval_*.json")
    questions = json.loads(data.read_bytes())
    says = [
        {"question_id": q["question_id"], "hypothesis": str(q["answer"]) if n % 3 else "I don't know."}
        for n, q in enumerate(questions)
    ]
    s.write("h.jsonl", says[1:])
    score = f"score longmemeval h.jsonl --data {data}"
    s.view("score", f"{score} --out plain --json", code=None)
    s.table("score", f"{score} --out again -q", code=None)
    s.view("score-judged", f"{score} --judge {s.model('judge')} --out judged --json", code=None)
    s.view("score-dry-run", f"{score} --judge {s.model('judge')} --dry-run --json")
    s.heard("score")
    for file in s.files("plain/*") + s.files("judged/*"):
        s.text(f"written-{file.parent.name}-{file.name.split('-http')[0]}", file)


@scene
def judged_memoryagentbench(s: Scene) -> None:
    models = _models(s)
    s.cli(
        f"run {_tasks('sh-docqa longmemeval eventqa icl summarization detective factconsolidation-mh')} --rows 2 "
        f"--length 6k --system bm25 --system oracle --k 3 {models} --out a --parallel 1 -q --no-report"
    )
    s.run("a")
    _show(s, "a", "task outcome measure", tables="measure")
    s.heard("run")
    s.view("explain", f"explain a --failed --system bm25 --limit 8 --json {models}")


def _tasks(names: str) -> str:
    return " ".join(f"--suite memoryagentbench/{name}" for name in names.split())


@scene
def titles(s: Scene) -> None:
    """Recommendations, answered by a numbered list. `explain` may come to read such lists otherwise."""
    s.cli("data generate memoryagentbench/recommendation --rows 3 --length 6k --out d -q")
    [data] = s.files("d/*.jsonl")
    context = json.loads(data.read_text(encoding="utf-8").split("\n")[0])
    golds = [query["golds"][0] for query in context["queries"]]
    listed = "\n".join(f"{n}. {title}" for n, title in enumerate([*golds, *context["titles"][:4]], 1))
    said = {"json": {"answer": listed, "used": ["m1"]}}
    reader = s.model("lister", str(s.write("titles.json", [{"when": {"schema": "answer"}, "reply": said}])))
    s.cli(
        f"run --suite memoryagentbench/recommendation --data d --system bm25 --system none --k 3 --answer {reader} "
        "--out a --parallel 1 -q --no-report"
    )
    s.run("a")
    _show(s, "a", "task measure")
    s.view("explain-titles", f"explain a --failed --json --answer {reader}")


@scene
def leaks(s: Scene) -> None:
    asked = f"leaks memfail/long-hop memfail/persona memoryagentbench/icl --rows 3 {_models(s)}"
    s.view("dry-run", f"{asked} --dry-run --run other --json", code=None)
    s.view("leaks", f"{asked} --run a --json", code=None)
    s.table("leaks", f"{asked} --run a -q", code=None)
    s.run("a")
    for file in s.files("a/leaks.*"):
        s.text(file.name, file)
    s.heard("asked")


# ------------------------------------------------------------------ systems


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
    _show(s, "a", "task cost", csv="cost", tables="cost")
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
        f"run --suite meme/personal-life --rows 1 --filler none --system facts --k 3 --internal {writer} {_models(s)} "
        "--out c --parallel 1 -q --no-report"
    )
    s.run("c")
    s.view("dry-run", f"run --suite memfail/persona --rows 2 --system facts --k 2 --internal {writer} --dry-run --json")


OWN = '''
"""A memory of one's own, that keeps every other turn and answers by itself."""

from memtriage import Memory


class Every:
    parallel = True

    def __init__(self, step: int = 2) -> None:
        self.step, self.kept = step, []

    def store_conversation(self, conversation):
        told = [Memory(turn.id, turn.text, conversation.timestamp, (turn.id,)) for turn in conversation.turns]
        self.kept += told if len(self.kept) % self.step else [{"text": each.text, "id": each.id} for each in told]

    async def retrieve_memories(self, query, conversation, k):
        asked = set(query.lower().split())
        return sorted(self.kept, key=lambda m: -len(asked & set(_text(m).lower().split())))[:k]

    def get_all_memories(self):
        return self.kept

    def answer(self, query, memories):
        return _text(memories[0]) if memories else "I have no information about that."


def _text(memory):
    return memory["text"] if isinstance(memory, dict) else memory.text


class Blind:
    """Can't be looked into, and breaks on one question."""

    def __init__(self) -> None:
        self.kept = []

    def store_conversation(self, conversation):
        if conversation.id == "s0002":
            raise ValueError("not this one")
        self.kept += [turn.text for turn in conversation.turns]

    def retrieve_memories(self, query, conversation, k):
        if "hat" in query:
            raise KeyError("hat")
        return self.kept[-k:]
'''

BESIDE = """
from memtriage_adapter import Memory, serve


class Newest:
    def __init__(self, settings):
        self.window = int(settings.options.get("window", 1000))
        self.turns = []

    def store_conversation(self, conversation):
        self.turns += [Memory(t.id, t.text, conversation.timestamp, (t.id,)) for t in conversation.turns]
        del self.turns[: -self.window]

    def retrieve_memories(self, query, conversation, k):
        words = set(query.lower().split())
        return sorted(self.turns, key=lambda m: len(words & set(m.text.lower().split())), reverse=True)[:k]

    def get_all_memories(self):
        return self.turns


serve(Newest, options={"window": "how many turns are kept (1000)"})
"""


@scene
def own_systems(s: Scene) -> None:
    """Systems from a file and in a process of their own, with errors among what they do."""
    s.write("mine.py", OWN)
    s.write("beside.py", BESIDE)
    s.cli(
        "run --suite memfail/persona --rows 3 --system mine.py:Every:step=3 --system mine.py:Blind --k 2 --out a "
        "--parallel 1 -q --no-report",
        code=1,
    )
    s.run("a")
    _show(s, "a", "task store latency", csv="store")
    s.cli("run --suite memfail/coexisting --rows 2 --system mine.py:Every --k 2 --answer system --out b -q --no-report")
    s.run("b")
    beside = f"proc[window=4]:{sys.executable} beside.py"
    s.cli("run --suite memfail/coexisting --rows 3 --k 2 --out c -q --no-report --system", beside)
    s.run("c")
    s.view("show-beside", "show c --latency --json")
    s.view("check", "check mine.py:Every --sessions 6 --json")
    s.view("check-blind", "check mine.py:Blind --sessions 6 --json", code=None)
    s.view("check-bm25", "check bm25 --sessions 6 --json")
    s.view("check-beside", "check --sessions 4 --json", beside)
    s.table("check", "check dense --sessions 6", timed=True)
    said = "I keep my kettle in the attic.\nNora naps only below 10 degrees.\nWhere is my kettle?\n\n"
    s.view("chat", "chat --system bm25 --k 2 --json", typed=said)
    s.view("chat-answered", f"chat --system mine.py:Every --k 2 --json --answer {s.model()}", typed=said)
    s.table("chat", "chat --system dense --k 2", typed=said, timed=True)
    s.view("systems", "systems list --json")
    s.table("systems", "systems")
    s.view("doctor", "systems doctor --json")
    s.view("suites", "suites --json")
    s.table("suites", "suites")


PYTHON = """
import inspect
import json
import sys

sys.path.insert(0, ".")
import memtriage
from mine import Every


def told(*values):
    print(json.dumps(values, default=str))


told(sorted(memtriage.__all__))
for name in ("run", "resume", "load"):
    told(name, str(inspect.signature(getattr(memtriage, name))))
for name in ("Episode", "Fact", "Memory", "Probe", "Session", "Turn"):
    told(name, [str(each) for each in inspect.signature(getattr(memtriage, name)).parameters])
run = memtriage.run(Every(), {"three": Every(3), "sentences": "bm25:granularity=sentence"}, "bm25",
                    suite="memfail/long-hop", k=[2, 4], rows=4, seed=5, out="p")
told(run.table())
told(run.probes)
told(run.errors, run.stopped, run.notes, run.problems, run.notices, run.unfinished, run.cost)
again = memtriage.load("p")
told(again.table() == run.table())
told(memtriage.resume("p", {"Every": Every(), "three": Every(3), "sentences": "bm25:granularity=sentence"}).table())
judged = memtriage.run("bm25", suite=["memfail/persona", "memfail/coexisting"], k=2, rows=2, answer="openai/reader",
                       judge="openai/judge", repeats=2, out="q")
told(judged.table(), judged.probes, judged.cost, judged.notices)
"""


@scene
def python(s: Scene) -> None:
    """The same from Python."""
    s.write("mine.py", OWN)
    _models(s)
    said = s.python(PYTHON)
    normal = s.normal()
    told = [normal.value(json.loads(line)) for line in said.split("\n") if line]
    s.keep("views", "python", {"lines": [short(line) for line in told]}, "\n".join(canonical(line) for line in told))
    s.run("p")
    s.run("q")


# ------------------------------------------------------------------ data from files


@scene
def files(s: Scene) -> None:
    """Generated files read back, with and without what only this project writes into them."""
    s.cli("data generate memfail --rows 3 --seed 9 --out d/memfail -q")
    s.cli("run --suite memfail --data d/memfail --rows 2 --system bm25 --k 2 --out memfail -q --no-report")
    s.run("memfail")
    s.cli("data generate meme --rows 1 --filler 1000 --seed 9 --out d/meme -q")
    s.cli("run --suite meme --data d/meme --filler 1k --system bm25 --k 3 --out meme -q --no-report")
    s.run("meme")
    s.cli("data generate longmemeval --rows 12 --sessions 4 --seed 9 --option pool=40 --out d/lme -q")
    [data] = s.files("d/lme/longmemeval_*.json")
    s.cli(f"run --suite longmemeval --data {data} --rows 10 --system bm25 --k 2 --out lme -q --no-report")
    s.run("lme")
    entries = json.loads(data.read_bytes())
    for entry in entries:
        entry.pop("memtriage")
    entries[0]["haystack_dates"][0] = "13th of May"
    entries[1].pop("answer")
    entries[2]["answer_session_ids"].append("nowhere")
    entries[3]["haystack_sessions"][0] = []
    released = s.write("longmemeval_s.json", entries)
    s.cli(f"run --suite longmemeval --data {released} --system bm25 --k 2 --out released -q --no-report", code=None)
    s.run("released")
    s.table("validate", f"data validate {released} --suite longmemeval", code=None)
    s.cli("data generate memoryagentbench --rows 2 --length 4k --seed 9 --out d/mab -q")
    s.cli("run --suite memoryagentbench --data d/mab --system bm25 --k 2 --out mab -q --no-report --chunk 256")
    s.run("mab")
    s.python(PARQUET)
    s.cli("run --suite memoryagentbench --data d/parquet --system bm25 --k 2 --out parquet -q --no-report")
    s.run("parquet")


PARQUET = """
import json
from pathlib import Path

import pyarrow
from pyarrow import parquet

SPLITS = {
    "Accurate_Retrieval": {"sh-docqa": "ruler_qa1_4K", "mh-docqa": "ruler_qa2_4K", "eventqa": "eventqa_4096",
                           "longmemeval": "longmemeval_s*"},
    "Test_Time_Learning": {"icl": "icl_banking77_100shot_balance", "recommendation": "recsys_redial_full"},
    "Long_Range_Understanding": {"summarization": "infbench_sum_eng_shots2", "detective": "detective_qa"},
    "Conflict_Resolution": {"factconsolidation-sh": "factconsolidation_sh_4k",
                            "factconsolidation-mh": "factconsolidation_mh_4k"},
}
titles = {}
out = Path("d/parquet")
out.mkdir()
for split, kinds in SPLITS.items():
    rows = []
    for kind, source in kinds.items():
        context = json.loads(Path(f"d/mab/memoryagentbench_{kind}.jsonl").read_text().split("\\n")[0])
        for title in context["titles"]:
            titles.setdefault(title, len(titles))
        queries = context["queries"]
        golds = [query["golds"] for query in queries]
        if kind == "recommendation":
            golds = [[str(titles.setdefault(title, len(titles))) for title in each] for each in golds]
        rows.append({
            "context": context["text"],
            "questions": [query["text"] for query in queries],
            "answers": golds,
            "metadata": {
                "source": source,
                "qa_pair_ids": [query["id"] for query in queries],
                "question_types": [query["tags"].get("type", "") for query in queries],
                "question_dates": [query["asked_at"] or "" for query in queries],
                "keypoints": golds[0] if kind == "summarization" else [],
            },
        })
    parquet.write_table(pyarrow.Table.from_pylist(rows), out / f"{split}-00000-of-00001.parquet")
named = {f"<http://example.org/{title.replace(' ', '_')}_(1984_film)>": id for title, id in titles.items()}
(out / "entity2id.json").write_text(json.dumps(named))
"""


# ------------------------------------------------------------------ studies, calibration, other people's traces


@scene
def sweeps(s: Scene) -> None:
    sweep = "sweep --suite meme/personal-life --rows 1 --system bm25 --system dense --k 2,4 --filler none,1500"
    s.view("sweep", f"{sweep} --vary granularity=turn,session --out a -q --json")
    s.csv("sweep.csv", f"{sweep} --vary granularity=turn,session --out a -q --csv")
    s.view("show", "show a --json")
    s.table("show", "show a")
    s.text("sweep.json", s.path / "a" / "sweep.json")
    s.keep("runs", "files", {"files": [str(f.relative_to(s.path)) for f in s.files("a/*/run.json")]}, "")
    models = f"--vary judge={s.model('judge')},{s.model('strict')} --answer {s.model('reader')}"
    study = f"sweep --suite memfail/persona --rows 2 --system bm25 --k 2 --ceiling --vary seed=1,2 {models}"
    s.view("dry-run", f"{study} --out b --dry-run --json")
    s.view("judged", f"{study} --out b -q --json")


@scene
def calibration(s: Scene) -> None:
    s.view("calibrate", "calibrate --rows 8 --json")
    s.table("calibrate", "calibrate --suite memfail/persona --rows 6 --rate 0.8 --granularity sentence -q")
    s.view("calibrate-meme", "calibrate --suite meme/personal-life --rows 1 --seed 3 --json")
    judge = f"calibrate --suite memfail --rows 2 --per-kind 1 --judge {s.model('judge')}"
    s.view("judge", f"{judge} --json", code=None)
    s.table("judge", f"{judge} -q", code=None)
    s.heard("judge")


def _traces(choices: int) -> list[dict[str, object]]:
    """Traces of somebody else: a store with something mangled, a lettered question, an error."""
    letters = "ABCDEFGH"[:choices]
    kept = ["Nora naps below 12 degrees.", "Nora plays the cello.", "Odo rows on Mondays only."]
    naps = {"text": "Nora naps only below 10 degrees.", "details": ["below 10 degrees", "naps"], "subject": "Nora"}
    cello = {"text": "Nora plays the cello.", "details": ["the cello"], "subject": "Nora", "id": "c"}
    rows = {"text": "Odo rows on Mondays only.", "details": ["on Mondays only", "rows"], "subject": "Odo"}
    asked = {"question": "Which instrument?", "facts": [cello], "choices": [f"option {a}" for a in letters]}
    return [
        {"store": "s1", "memories": kept, "conversations": ["Nora naps only below 10 degrees. Nora plays the cello."]},
        {"probe": "q1", "question": "Will Nora nap?", "store": "s1", "k": 1, "retrieved": kept[1:2], "facts": [naps]},
        {
            "probe": "q2",
            "question": "What and when?",
            "store": "s1",
            "k": 2,
            "retrieved": kept[:2],
            "facts": [cello, rows],
        },
        {
            "probe": "q3",
            "question": "When?",
            "retrieved": kept,
            "facts": [rows],
            "gold": "on Mondays",
            "tags": {"N": "1"},
        },
        {"probe": "q4", "question": "When?", "retrieved": [], "facts": [rows], "error": "it broke", "system": "other"},
        {"probe": "q5", "retrieved": kept, "answer": letters[-2], "correct_choice": letters[-2], **asked},
        {"probe": "q6", "retrieved": kept, "answer": f"It is ({letters[0]}).", "correct_choice": letters[-2], **asked},
        {
            "probe": "q7",
            "question": "Either?",
            "store": "s1",
            "k": 1,
            "retrieved": [{"text": kept[1], "id": "m", "score": 0.5}],
            "facts": [cello, {**rows, "id": "r"}],
            "sufficient": [["c"], ["r"]],
        },
    ]


def _diagnosed(s: Scene, choices: int) -> None:
    s.write("traces.jsonl", _traces(choices))
    for by in ("task", "system", "probe", "fact"):
        s.view(f"by-{by}", f"diagnose traces.jsonl --by {by} --json", code=None)
    s.table("by-fact", "diagnose traces.jsonl --by fact --out found", code=None)
    s.verdicts("found", s.path / "found")
    s.page("report", "found/report.html")


@scene
def traces(s: Scene) -> None:
    _diagnosed(s, 4)


@scene
def traces_of_eight_letters(s: Scene) -> None:
    """Letters beyond E, which may come to be read."""
    _diagnosed(s, 8)


@scene
def authors(s: Scene) -> None:
    """What a model is asked that is to write rows; its replies have the right form and nothing else."""
    author = s.model("author", "schema")
    for task in ("conditional-hard", "coexisting", "persona", "long-hop"):
        made = f"data generate memfail/{task} --rows 1 --model {author} --out {task} -q"
        s.refused(task, made)
    s.refused("longmemeval", f"data generate longmemeval/oracle --rows 1 --model {author} --out lme -q")
    s.write(
        "book.txt", "Chapter 1\n\n" + "".join(f"Ada sold kettle {n} to Odo. Odo smiled at Ada.\n" for n in range(90))
    )
    s.refused("book", f"data generate memoryagentbench/eventqa --rows 1 --from book.txt --model {author} --out b -q")
    s.heard("asked")
