"""Generated rows: every generator of every suite, with the options that change what it writes."""

from __future__ import annotations

from goldens.play import rows, scene
from goldens.stage import Scene


@scene
def rows_memfail(s: Scene) -> None:
    rows(s, "memfail", "--rows 12")
    rows(s, "memfail/long-hop", "--rows 1", "one-chain", seeds=("1",))
    s.table("validate", "data validate memfail-seed42")


@scene
def rows_meme(s: Scene) -> None:
    rows(s, "meme", "--rows 3 --filler none")
    rows(s, "meme/expedition", "--rows 3 --filler none")
    for phrasing in ("implicit", "none"):
        for domain in ("both", "expedition"):
            options = f"--rows 2 --filler none --option phrasing={phrasing} --domain {domain}"
            rows(s, "meme", options, f"{phrasing}-{domain}", seeds=("42",))
    rows(s, "meme/personal-life", "--rows 1 --filler 3000", "filler")
    chats = [
        [
            {"role": "user", "content": f"Tell me about the number {n} and why people like it."},
            {"role": "assistant", "content": f"The number {n} comes after {n - 1}. Some like it, some do not."},
        ]
        for n in range(300, 400)
    ]
    s.write("pool.json", chats)
    rows(s, "meme/software-project", "--rows 1 --filler 1500 --option pool=pool.json", "pool", seeds=("42",))
    s.table("validate", "data validate meme-seed42 --suite meme")


@scene
def rows_longmemeval(s: Scene) -> None:
    rows(s, "longmemeval/oracle", "--rows 24")
    rows(s, "longmemeval", "--rows 4 --sessions 8 --option pool=60")
    rows(s, "longmemeval/s", "--rows 2 --option tokens=9000 --option pool=40 --option mixture=60/30/10", "mixture")
    rows(s, "longmemeval/m", "--rows 2 --sessions 20 --option pool=80", seeds=("42",))
    s.table("validate", "data validate longmemeval-oracle-seed42 --suite longmemeval")


@scene
def rows_memoryagentbench(s: Scene) -> None:
    rows(s, "memoryagentbench", "--rows 5 --length 6k")
    rows(s, "memoryagentbench/longmemeval", "--rows 3 --length 8k --option contexts=2", "contexts", seeds=("42",))
    for task in ("mh-docqa", "eventqa", "detective", "recommendation", "summarization"):
        rows(s, f"memoryagentbench/{task}", "--rows 4 --length 14k", seeds=("42",))
    _labelled(s)
    rows(
        s,
        "memoryagentbench/icl",
        "--rows 6 --from train.csv --option shots=24 --option text=said --option label=intent",
        "icl-file",
    )
    rows(
        s,
        "memoryagentbench/icl",
        "--rows 4 --length 6k --from train.csv --option test=test.csv --option text=said --option label=intent",
        "icl-test",
        seeds=("42",),
    )
    rows(
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
