"""Write docs/papers.md: every table and figure of the papers with its command, or why there is none.

`python tools/papers.py` writes it, `python tools/papers.py --check` compares it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from memtriage.studies.exhibits import Elsewhere, Exhibit, NotHere
from memtriage.studies.papers import exhibits, papers

FILE = Path(__file__).parents[1] / "docs/papers.md"

HEAD = """# Every table of the papers

    memtriage reproduce                                                   # lists them, with what each needs and costs
    memtriage reproduce meme/table-2 --system bm25 --system mine.py:M     # fills one in, beside the paper's numbers
    memtriage reproduce --all --scale small                               # all of them, on little data, with one page

A table is laid out as in the paper. Each row has what was found here, its 95 % interval, and what the paper printed.
Without `--system`, memtriage's counterparts of the paper's systems run, as far as they are installed. Without
`--answer` and `--judge`, a question counts where all it needs came back intact. Below each table stands where the
setup here is another than the paper's. `--data` reads the released files instead of generated ones.

Runs are kept below `runs/reproduce`; the same command continues them. Tables that rest on the same runs share them.

Scripted models fill in every table without a key, in ten minutes or so. They read, write and judge by rule
([stub](stub.md)), so the numbers say nothing about models, but you see all of it work. `rules.json` says which model
does what; there are two of a kind, as some tables compare models.

```json
[{"when": {"model": "memory-a"}, "reply": {"script": "memory"}},
 {"when": {"model": "memory-b"}, "reply": {"script": "memory"}},
 {"reply": {"script": "content"}}]
```

```console
$ memtriage serve-stub rules.json --port 8000 &
$ U=http://127.0.0.1:8000/v1
$ memtriage reproduce --all --scale small --answer $U#reader-a --answer $U#reader-b --judge $U#judge \\
    --internal $U#memory-a --internal $U#memory-b
```

This page is written by `python tools/papers.py`.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for name, paper in papers().items():
        rows = [_row(one) for one in exhibits().values() if one.paper == name]
        parts += [f"\n## {paper.title} ({paper.cite})\n\n| | what it shows | |\n| --- | --- | --- |\n", *rows]
    return "".join(parts)


def _row(exhibit: Exhibit) -> str:
    where = exhibit.id.partition("/")[2].replace("-", " ")
    source = exhibit.source
    if isinstance(source, NotHere):
        how = source.why
    elif isinstance(source, Elsewhere):
        how = f"`{source.command}`: {source.why}"
    else:
        how = f"`memtriage reproduce {exhibit.id}`"
    return f"| {where} | {exhibit.title} | {how} |\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if FILE.read_text("utf-8") == page() else f"{FILE} is out of date; run python tools/papers.py")
    FILE.write_text(page(), "utf-8")
