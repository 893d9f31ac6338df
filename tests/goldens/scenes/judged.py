"""Runs that models answer and judge, of every suite, and what else models are asked for."""

from __future__ import annotations

import json

from goldens.play import asked_models, scene, show, tasks
from goldens.stage import Scene


@scene
def judged_memfail(s: Scene) -> None:
    models = asked_models(s)
    run = f"run --suite memfail --rows 3 --system bm25 --system oracle --system none --k 2 {models}"
    s.view("dry-run", f"{run} --dry-run --json")
    s.view("run", f"{run} --out a --parallel 1 --json")
    s.run("a", shapes=True)
    s.page("report", "a/report.html")
    show(s, "a", "task outcome cost probe latency", csv="outcome cost latency", tables="task outcome")
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
    models = asked_models(s)
    s.cli(
        "run --suite memfail/persona --suite memfail/long-hop --rows 2 --system bm25 --k 1,3 "
        f"--repeats ingest=2,answer=2,judge=2 {models} --out a --parallel 1 -q --no-report"
    )
    s.run("a")
    show(s, "a", "task repeats", csv="repeats", tables="repeats")
    s.cli(
        "run --suite memfail/coexisting --rows 2 --system bm25 --k 2 --paper-exact --reading con --repeats 2 "
        f"--answer {s.url()}#reader --judge {s.url()}#judge --out b -q --no-report"
    )
    s.run("b")
    s.cli(
        "run --suite memfail/persona --rows 2 --system bm25 --k 2 --reading direct --out c -q --no-report --answer",
        f"{s.model('reader')}?json=object&temperature=0&seed=7&max_tokens=400",
        "--judge",
        f"{s.model('judge')}?json=none&reasoning_effort=low",
        code=None,
    )
    s.run("c")
    s.heard("asked")


@scene
def resumed(s: Scene) -> None:
    """A run of which the second half was lost is finished, and one that was stopped by its budget goes on."""
    models = asked_models(s)
    s.cli(
        "run --suite memfail/coexisting --suite memfail/persona --rows 3 --system bm25 --system echo --k 2 "
        f"{models} --out a --parallel 1 -q --no-report"
    )
    journal = s.path / "a" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[: len(lines) // 2]) + lines[len(lines) // 2][:40])
    (s.path / "a" / "seal.json").unlink()  # a run that was killed has none
    s.view("resume", "resume a --parallel 1 --json")
    s.run("a")
    s.refused(
        "stopped",
        f"run --suite memfail/persona --rows 3 --system bm25 --k 2 {models} --out b --max-cost 0.001 --concurrency 1 "
        "--parallel 1 -q --no-report --no-cache",
    )
    s.view("goes-on", "resume b --json")
    s.verdicts("b", s.path / "b")
    (s.path / "a" / "run.json").write_text((s.path / "a" / "run.json").read_text().replace('"seed": 42', '"seed": 43'))
    s.refused("changed", "resume a -q")


@scene
def judged_meme(s: Scene) -> None:
    s.cli(
        f"run --suite meme --rows 1 --filler none --system bm25 --system oracle --k 3 {asked_models(s)} --out a "
        "--parallel 1 -q --no-report"
    )
    s.run("a")
    show(s, "a", "task pair outcome", tables="task pair")
    s.heard("run")
    s.view("explain", f"explain a --failed --system bm25 --limit 5 --json {asked_models(s)}")


@scene
def judged_longmemeval(s: Scene) -> None:
    models = asked_models(s)
    s.cli(
        f"run --suite longmemeval/oracle --rows 14 --system bm25 --system lme --k 2 {models} --reading con-json "
        "--out a --parallel 1 -q --no-report"
    )
    s.run("a")
    show(s, "a", "task outcome measure", tables="task outcome")
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
    models = asked_models(s)
    s.cli(
        f"run {tasks('sh-docqa longmemeval eventqa icl summarization detective factconsolidation-mh')} --rows 2 "
        f"--length 6k --system bm25 --system oracle --k 3 {models} --out a --parallel 1 -q --no-report"
    )
    s.run("a")
    show(s, "a", "task outcome measure", tables="measure")
    s.heard("run")
    s.view("explain", f"explain a --failed --system bm25 --limit 8 --json {models}")


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
    show(s, "a", "task measure")
    s.view("explain-titles", f"explain a --failed --json --answer {reader}")


@scene
def leaks(s: Scene) -> None:
    asked = f"leaks memfail/long-hop memfail/persona memoryagentbench/icl --rows 3 {asked_models(s)}"
    s.view("dry-run", f"{asked} --dry-run --run other --json", code=None)
    s.view("leaks", f"{asked} --run a --json", code=None)
    s.table("leaks", f"{asked} --run a -q", code=None)
    s.run("a")
    for file in s.files("a/leaks.*"):
        s.text(file.name, file)
    s.heard("asked")


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
