"""The scenes: commands whose outcome is held against the goldens. A scene that takes long is `big`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

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
VIEWS = ("task", "family", "system", "k", "probe", "fact", "store", "latency")


def _show(s: Scene, run: str, *views: str) -> None:
    """A run as `show` prints it: JSON, CSV, and for people where no times are in it."""
    for by in views:
        s.view(f"show-{by}", f"show {run} --by {by} --json")
        s.csv(f"show-{by}.csv", f"show {run} --by {by} --csv")
        if by not in ("store", "latency"):
            s.table(f"show-{by}", f"show {run} --by {by} --limit 12")


@scene
def memfail(s: Scene) -> None:
    s.view(
        "run",
        f"run --suite memfail --rows 5 {FOUR} --system hybrid --system none --system full-context --k 2,5 --out a "
        "--parallel 1 --json",
    )
    s.run("a")
    s.page("report", "a/report.html")
    _show(s, "a", *VIEWS, "cost", "repeats", "N")
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
    s.run("a")
    s.page("report", "a/report.html")
    _show(s, "a", "task", "pair", "stale", "hop")
    s.cli("run --suite meme/expedition --rows 1 --system bm25 --k 3 --filler 2000 --out b -q --no-report")
    s.run("b")


@scene
def longmemeval(s: Scene) -> None:
    s.cli(f"run --suite longmemeval --rows 12 --sessions 5 {FOUR} --k 2,5 --out a --parallel 1 -q")
    s.run("a")
    s.page("report", "a/report.html")
    _show(s, "a", "task", "measure")


@scene
def memoryagentbench(s: Scene) -> None:
    s.cli(f"run --suite memoryagentbench --rows 3 --length 6k {FOUR} --k 2,5 --out a --parallel 1 -q")
    s.run("a")
    s.page("report", "a/report.html")
    _show(s, "a", "task", "measure", "competency", "stale")
    s.cli(
        "run --suite memoryagentbench/icl --suite memoryagentbench/factconsolidation-mh --rows 4 --length 6k "
        "--chunk 300 --system dense:granularity=paragraph --system bm25:granularity=sentence --k 3 --out b -q"
    )
    s.run("b")
    s.view("chunk-measure", "show b --by measure --json")
