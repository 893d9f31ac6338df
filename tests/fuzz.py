"""Damaged inputs: what chance, by seed, makes of a good file, and the commands that must bear it.

for problem in fuzz(targets(folder), Random(7), 200, folder): print(problem)
"""

from __future__ import annotations

import contextlib
import csv
import faulthandler
import io
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

RAW = (
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "1e308", "-0", "0.1", "9" * 5000, "-" + "9" * 5000,
    str(2**31), str(2**63), str(2**64), "1" + "0" * 400, "-1", "0", "1", "null", "true", "false", "[]", "{}", "[[]]",
    '[""]', "[null]", "[{}]", '{"": null}', '""', '" "', '"\\ud800"', '"a\\udfffb"', '"\\u0000"', '"\\u202e\\u2066"',
    '"\\u001b[31m\\u0007"', '"\\ufeff"', '"\\uffff"', '"<script>alert(1)</script>"', '"[red]x[/nosuch]"', '"../../x"',
    '{"a": 1, "a": 2}', "[" * 3000 + "]" * 3000, '{"a":' * 3000 + "1" + "}" * 3000, "[" * 60 + "]" * 60,
    '"0000-01-01"', '"99999-12-31"', '"2023/02/30 (Tue) 21:40"', '"2023-05-30T23:40+99:99"', '"0001-01-01T00:00-23:59"',
    '"9999-12-31T23:59:59+14:00"', '"2023-13-01"', '"NaN"', '"1e999"', '"²"', '"٣"', '"' + "x" * 70_000 + '"',
    '"' + "é" * 300 + '"', '"\\r\\n\\t"', '"=1+1"', '"' + "a b. " * 40 + '"',
)  # fmt: skip
"""JSON values that were hard on readers, as files spell them."""

BYTES = (
    b"\x00", b"\xff", b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\xf4\x90\x80\x80", b"\r",
    b"\n", b"\r\n", b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b"\\", b"\\u", b"\\ud83d", b"\x1b[2J", b"NaN",
    b"\xe2\x80\xa8", b"\xe2\x80\xae", b"PAR1", b"-", b"0", b";", b"\t", b"#", b"=", b'"""', b"\x1a", b"\xc2\x85",
)  # fmt: skip

_MARK = "\u0001raw{}\u0001"


def damaged(good: bytes, random: Random) -> bytes:
    """The bytes of a file after something happened to it: to its bytes, or to a value that it holds."""
    found = good
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        change = random.choice((damaged_bytes, damaged_values, damaged_values))
        found = change(found, random)
    return found


def damaged_bytes(good: bytes, random: Random) -> bytes:
    """Bytes cut, changed, doubled, moved, or put in; or another encoding, or nothing that belongs there."""
    at, to = sorted(random.randrange(len(good) + 1) for _ in range(2))
    match random.randrange(12):
        case 0:
            return good[:at]
        case 1:
            return good[:at] + good[to:]
        case 2:
            return good[:to] + good[at:]
        case 3:
            return good[:at] + random.choice(BYTES) + good[at:]
        case 4:
            return good[:at] + random.choice(BYTES) * random.choice((1, 2, 3000)) + good[at + 1 :]
        case 5:
            return good[:at] + bytes([random.randrange(256)]) + good[at + 1 :]
        case 6:
            text = good.decode("utf-8", "replace")
            return text.encode(random.choice(("utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp037")), "replace")
        case 7:
            lines = good.splitlines(keepends=True)
            random.shuffle(lines)
            return b"".join(lines)
        case 8:
            lines = good.splitlines(keepends=True)
            return b"".join(lines[: random.randrange(len(lines) + 1)] * random.choice((1, 2)))
        case 9:
            return random.choice((b"", b" ", b"\n", b"\xef\xbb\xbf", b"\0" * 64, *(raw.encode() for raw in RAW)))
        case 10:
            return good[:at] + bytes(to - at) + good[to:]  # a block of zeros, as a crash leaves it
        case _:
            return good[:at] + random.randbytes(random.choice((1, 16, 200))) + good[to:]


def damaged_values(good: bytes, random: Random) -> bytes:
    """Another JSON value somewhere in a document, in a line or in a cell of a table; bytes where there are none."""
    try:
        text = good.decode("utf-8-sig")
    except UnicodeDecodeError:
        return damaged_bytes(good, random)
    with contextlib.suppress(ValueError, RecursionError):
        return _damaged_json(text, random).encode("utf-8", "surrogatepass")
    lines = text.split("\n")
    number = random.randrange(len(lines))
    with contextlib.suppress(ValueError, RecursionError):
        lines[number] = _damaged_json(lines[number], random)
        return "\n".join(lines).encode("utf-8", "surrogatepass")
    with contextlib.suppress(csv.Error, IndexError):
        return _damaged_table(text, random).encode("utf-8", "surrogatepass")
    return damaged_bytes(good, random)


def _damaged_json(text: str, random: Random) -> str:
    value = json.loads(text)
    raws: list[str] = []
    changed = _changed(value, random, raws)
    written = json.dumps(changed, ensure_ascii=random.random() < 0.5)
    for number, raw in enumerate(raws):
        mark = json.dumps(_MARK.format(number))
        written = written.replace(mark, raw)
    return re.sub(r"\\u0001raw\d+\\u0001", "odd", written)  # where it became the name of a member


def _changed(value: Any, random: Random, raws: list[str]) -> Any:
    """A value with one place in it changed: any place is as likely as another, or the outer ones are likelier."""
    places = list(_places(value))
    holder, key = random.choice(places) if places and random.random() < 0.98 else (None, None)
    if holder is not None and random.random() < 0.6:
        holder, key = _near_the_root(value, random)
    if holder is None:
        return _odd(value, random, raws)
    match random.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(random.randrange(len(holder) + 1), holder[key])
        case 1 | 2 if isinstance(holder, dict):
            holder[random.choice(("odd", "", "id", "\ud800", "\x1b]8;;x", *holder))] = holder[key]
        case 3:  # a value from elsewhere
            other, at = random.choice(places)
            holder[key] = other[at] if isinstance(other, list) or at in other else None
        case 4 if isinstance(holder, list):
            random.shuffle(holder)
        case 5 if isinstance(holder, list):
            del holder[random.randrange(len(holder)) :]
        case _:
            holder[key] = _odd(holder[key], random, raws)
    return json.loads(json.dumps(value)) if _shared(value) else value


def _shared(value: Any) -> bool:
    """Whether a value holds itself, or is too deep to be written."""
    try:
        json.dumps(value)
    except (ValueError, RecursionError):
        raise ValueError("it holds itself") from None
    return False


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, dict | list):
        for key in list(value) if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])


def _near_the_root(value: Any, random: Random) -> tuple[Any, Any]:
    while True:
        key = random.choice(list(value)) if isinstance(value, dict) else random.randrange(len(value))
        below = value[key]
        if not isinstance(below, dict | list) or not below or random.random() < 0.25:
            return value, key
        value = below


def _odd(old: Any, random: Random, raws: list[str]) -> Any:
    if isinstance(old, str) and random.random() < 0.3:
        at = random.randrange(len(old) + 1)
        return old[:at] + random.choice(("\ud800", "\0", "\u202e", "\x1b[1m", "\x9b", " " * 99, "\n")) + old[at:]
    if isinstance(old, int | float) and abs(old) < 1e300 and random.random() < 0.3:
        return random.choice((-old, old + 1, old - 1, old * 10**30, str(old), [old], float(old) + 0.5))
    raws.append(random.choice(RAW))
    return _MARK.format(len(raws) - 1)


def _damaged_table(text: str, random: Random) -> str:
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row]
    row = random.choice(rows)
    column = random.randrange(len(row))
    match random.randrange(6):
        case 0:
            del row[column]
        case 1:
            row.insert(column, row[column])
        case 2:
            rows.insert(random.randrange(len(rows) + 1), list(row))
        case 3:
            row[column] = random.choice(("", " ", "\0", "\u202e", "=1+1", "9" * 5000, "NaN", *RAW))
        case 4:
            row += [""] * random.choice((1, 20_000))
        case _:
            with contextlib.suppress(ValueError, RecursionError):
                row[column] = _damaged_json(row[column], random)
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


# ------------------------------------------------------------------ commands


@dataclass(frozen=True, slots=True)
class Target:
    """A command and the file that it reads: `{file}` and `{out}` in its arguments stand for their places."""

    name: str
    file: str
    good: bytes
    command: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()
    prepare: Callable[[Path], None] | None = None
    """Puts into the folder what the command needs beside the file."""


@cache
def _memtriage() -> Any:
    """The command line; putting it together takes longer than most damaged files do."""
    from typer.main import get_command

    from memtriage.cli.main import app

    return get_command(app)


def run_command(arguments: Sequence[str]) -> str:
    """Run a command in this process; what went wrong, "" if it ended as a command should."""
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            _memtriage()(list(arguments), prog_name="memtriage")
    except SystemExit as end:
        code = end.code
    except BaseException as error:
        import traceback

        last = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:200]} ({last.filename}:{last.lineno})"
    said = err.getvalue()
    if code not in (0, 1, 2, None):
        return f"exit code {code}: {said[-300:]}"
    if "Traceback" in said:
        return said[-500:]
    if code in (1, 2) and not said.strip() and not out.getvalue().strip():
        return f"exit code {code}, and nothing was said"
    return ""


def attempt(target: Target, content: bytes, folder: Path) -> str:
    """What goes wrong if the command reads a file with this content; "" if nothing does."""
    place = folder / "attempt"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if target.prepare is not None:
        target.prepare(place)
    file = place / target.file
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    named = {"file": str(file), "out": str(place / "out"), "place": str(place)}
    before = dict(os.environ)
    os.environ.update({name: value.format(**named) for name, value in target.environment})
    try:
        return run_command([argument.format(**named) for argument in target.command])
    finally:
        os.environ.clear()
        os.environ.update(before)


def fuzz(listed: Sequence[Target], random: Random, times: int, folder: Path, patience: float = 60) -> Iterator[str]:
    """Problems of so many damaged files, spread over the targets; each with the seed that makes the file again."""
    for number in range(times):
        target = listed[number % len(listed)]
        seed = random.getrandbits(32)
        content = damaged(target.good, Random(seed))
        faulthandler.dump_traceback_later(patience, exit=True)
        problem = attempt(target, content, folder)
        faulthandler.cancel_dump_traceback_later()
        if problem:
            yield f"{target.name}, seed {seed}: {problem}"


def generated(folder: Path, *arguments: str) -> bytes:
    """The data file that `memtriage data generate` writes."""
    problem = run_command(["data", "generate", *arguments, "--rows", "1", "--out", str(folder), "-q"])
    assert not problem, problem
    (file,) = (f for f in folder.rglob("*") if f.is_file() and not f.name.startswith("generation_config"))
    return file.read_bytes()


_RUN = ("--system", "bm25", "--k", "1", "--out", "{out}", "--no-report", "-q")


def _suite(suite: str, file: str, good: bytes) -> Iterator[Target]:
    yield Target(f"validate {suite}", file, good, ("data", "validate", "{file}", "--suite", suite.partition("/")[0]))
    yield Target(f"run {suite}", file, good, ("run", "--suite", suite, "--data", "{file}", *_RUN))


TRACES = b"""\
{"store": "nora", "conversations": [{"id": "mon", "date": "2026-03-02", "turns": ["Nora plays the cello.", "Nora \
naps only below 10 degrees."]}, {"id": "tue", "date": "2026-03-03", "turns": [{"text": "Nora lives in Bergen.", \
"role": "user", "id": "t1", "date": "2026-03-03T09:00"}]}], "snapshots": [{"after": "mon", "memories": ["Nora plays \
the cello.", {"text": "Nora naps below 12 degrees.", "id": "m2", "score": 0.5, "date": "2026-03-02"}]}, {"after": \
"tue", "memories": ["Nora lives in Bergen."]}]}
{"probe": "nap", "question": "It is 9 degrees. Will Nora nap?", "store": "nora", "after": "mon", "k": 1, "retrieved": \
["Nora plays the cello."], "facts": [{"id": "f", "text": "Nora naps only below 10 degrees.", "details": ["below 10 \
degrees"], "subject": "Nora"}], "sufficient": [["f"]], "gold": "Yes", "golds": ["Yes"], "scoring": "contains", \
"answer": "Yes, she will.", "system": "mine", "task": "weather", "seconds": 0.3, "tags": {"hop": "1"}}
{"probe": "home", "question": "Where?", "all_memories": ["Nora lives in Bergen."], "retrieved": [{"text": "Nora lives \
in Bergen.", "id": "m"}], "facts": ["Nora lives in Bergen.", "Nora moved to Oslo."], "outdated": [{"fact": "1", \
"voided_by": ["2"]}], "choices": ["Oslo", "Bergen"], "correct_choice": "A", "answer": "B", "asked_at": "2026-03-04"}
"""

PRICES = b'{"gpt-5-mini": {"input": 0.25, "cached": 0.025, "output": 2.00}, "made/up": {"input": 1, "output": 3}}'
POOL = json.dumps(
    [
        [
            {"role": "user", "content": f"Tell me about tea {n}."},
            {
                "role": "assistant",
                "content": "Tea is \
a drink.",
            },
        ]
        for n in range(30)
    ]
).encode()
PROMPTS = b'{"fact_list": "Say what is worth remembering.", "fact_operations": "Say what the new facts do."}'
MAPPING = b"""\
base = "http://127.0.0.1:9"
[store]
path = "/memories"
arguments = { text = "{text}" }
[retrieve]
path = "/search"
arguments = { query = "{query}", limit = "{k}" }
items = "results"
text = "memory"
"""
OWN = (Path(__file__).parents[1] / "src" / "memtriage" / "suites" / "own" / "example.yaml").read_bytes()
OWN_LINES = b"""\
{"memtriage": 1, "name": "trip"}
{"id": "a", "sessions": [{"id": "s", "date": "2026-03-02", "turns": [{"user": "We leave at 7:40."}, "Bring tea."]}], \
"facts": [{"id": "f", "evidence": ["We leave at 7:40."], "details": ["7:40"], "subject": "", "split": false}], \
"questions": [{"id": "q", "question": "When?", "gold": "7:40", "golds": ["7:40"], "sufficient": [["f"]], "scoring": \
"contains", "after": "s", "date": "2026-03-03", "task": "times", "tags": {"hop": "1"}}]}
"""
LOG = b"""\
[{"id": "c1", "user": "nora", "created": 1767225600, "messages": [{"role": "user", "content": [{"type": "text", \
"text": "Hi."}]}, {"role": "assistant", "content": "Hello."}]}, {"create_time": 1767225700.5, "current_node": "b", \
"mapping": {"a": {"message": null, "parent": null}, "b": {"message": {"author": {"role": "user"}, "content": {"parts": \
["One."]}}, "parent": "a"}}}]
"""
LABELLED = b'text,label,split\nWhere is my card?,card,train\nIs it late?,"time, late",train\nMy card?,card,test\n'


def targets(folder: Path) -> list[Target]:
    """Every command that reads a file of the user's, with a good file to begin with."""
    tasks = {
        "memfail/coexisting": "coexisting_facts_dataset.csv",
        "memfail/conditional-easy": "conditional_facts_dataset_easy.csv",
        "memfail/persona": "persona_dataset.csv",
        "memfail/long-hop": "long_hop_chains.csv",
    }
    found: list[Target] = []
    for task, file in tasks.items():
        found += _suite(task, file, generated(folder / file, task))
    found += _suite("meme", "meme.json", generated(folder / "meme", "meme", "--filler", "none"))
    lme = generated(folder / "lme", "longmemeval/oracle")
    found += _suite("longmemeval/oracle", "longmemeval_oracle.json", lme)
    for kind in ("icl", "eventqa"):
        contexts = generated(folder / kind, f"memoryagentbench/{kind}", "--length", "3k")
        found += _suite(f"memoryagentbench/{kind}", f"memoryagentbench_{kind}.jsonl", contexts)
    ids = [entry["question_id"] for entry in json.loads(lme)]
    answers = "".join(json.dumps({"question_id": id, "hypothesis": "Four days."}) + "\n" for id in ids).encode()

    def beside(place: Path) -> None:
        (place / "longmemeval_oracle.json").write_bytes(lme)

    dry = ("run", "--suite", "memfail/coexisting", "--rows", "2", "--k", "1", "--dry-run")
    meme = ("data", "generate", "meme", "--rows", "1", "--filler", "300", "--out", "{out}", "-q", "--pool", "{file}")
    facts = ("--system", "facts:prompts={file}", "--internal", "offline/x")
    pairs = ("calibrate", "--rewritten", "--json", "--answers")
    icl = ("data", "generate", "memoryagentbench/icl", "--rows", "1", "--length", "3k", "--out", "{out}", "-q")
    found += [
        Target("diagnose", "traces.jsonl", TRACES, ("diagnose", "{file}", "--by", "probe")),
        Target("diagnose --out", "traces.jsonl", TRACES, ("diagnose", "{file}", "--json", "--out", "{out}")),
        Target(
            "score", "answers.jsonl", answers,
            ("score", "longmemeval", "{file}", "--data", "{place}/longmemeval_oracle.json", "-q"), prepare=beside,
        ),
        Target(
            "agree", "labelled.jsonl", answers.replace(b'"}', b'", "label": true}'),
            ("agree", "longmemeval", "{file}", "--data", "{place}/longmemeval_oracle.json", "-q"), prepare=beside,
        ),
        Target(
            "score a table", "answers.csv", f"question_id,hypothesis\n{ids[0]},Four days.\n".encode(),
            ("score", "longmemeval", "{file}", "--data", "{place}/longmemeval_oracle.json", "-q"), prepare=beside,
        ),
        Target(
            "score's questions", "longmemeval_oracle.json", lme,
            ("score", "longmemeval", "{place}/answers.jsonl", "--data", "{file}", "-q"),
            prepare=lambda place: (place / "answers.jsonl").write_bytes(answers) and None,
        ),
        Target(
            "prices", "prices.json", PRICES, (*dry, "--system", "bm25", "--answer", "openai/gpt-5-mini"),
            environment=(("MEMTRIAGE_PRICES", "{file}"), ("OPENAI_API_KEY", "none")),
        ),
        Target("own data", "my.yaml", OWN, ("data", "validate", "{file}")),
        Target("own data in lines", "my.jsonl", OWN_LINES, ("data", "stats", "{file}")),
        Target("a log", "log.json", LOG, ("data", "import", "{file}", "--from", "openai", "--out", "{out}.yaml")),
        Target("filler pool", "pool.json", POOL, meme),
        Target("labelled table", "labels.csv", LABELLED, (*icl, "--option", "from={file}")),
        Target("prompts", "prompts.json", PROMPTS, (*dry, *facts)),
        Target("mapping", "mapping.toml", MAPPING, ("check", "http:{file}")),
        Target("detector's answers", "a.jsonl", _labels(), (*pairs, "{file}")),
        _replies(folder / "held"),
        Target("parquet", "Accurate_Retrieval.parquet", *_parquet(folder)),
    ]  # fmt: skip
    return [target for target in found if target.good]


def _parquet(folder: Path) -> tuple[bytes, tuple[str, ...]]:
    command = ("run", "--suite", "memoryagentbench/sh-docqa", "--data", "{file}", *_RUN)
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        return b"", command
    row = {
        "context": "Document 1:\nThe bridge at Vell was built in 1921.\n\nDocument 2:\nTin is soft.",
        "questions": ["When was the bridge at Vell built?"],
        "answers": [["1921"]],
        "metadata": {"source": "ruler_qa1_197K", "qa_pair_ids": ["q1"], "question_dates": None},
    }
    folder.mkdir(parents=True, exist_ok=True)
    parquet.write_table(pyarrow.Table.from_pylist([row]), folder / "good.parquet")
    return (folder / "good.parquet").read_bytes(), command


def _labels() -> bytes:
    from memtriage.validate.calibrate_pairs import shipped_pairs

    lines = ({"id": pair.id, "label": pair.label, "confidence": 0.5} for pair in shipped_pairs()[:3])
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def _replies(held: Path) -> Target:
    """Replies to the calls that a run waits for."""
    suite = ("--suite", "memfail/coexisting", "--rows", "2", "--answer", "offline/m", "--judge", "offline/m")
    problem = run_command(["run", *suite, *(part.format(out=held / "out") for part in _RUN)])
    problem = problem or run_command(
        ["batch", "export", str(held / "out"), "--out", str(held / "c"), "--format", "plain"]
    )
    assert not problem, problem
    ids = [json.loads(line)["custom_id"] for line in (held / "c").read_text().splitlines()]
    lines = [
        {"custom_id": ids[0], "reply": "Tea."},
        {"custom_id": ids[1], "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "Tea."},
         "finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": 2}, "model": "m"}}},
        {"custom_id": ids[1], "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "Tea."}],
         "stop_reason": "end_turn", "usage": {"input_tokens": 5, "output_tokens": 2}, "model": "m"}}},
    ]  # fmt: skip

    def prepare(place: Path) -> None:
        shutil.copytree(held / "out", place / "out")

    good = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    command = ("batch", "import", "{out}", "{file}", "--cache", "{place}/cache.db", "--no-report", "-q")
    return Target("batch import", "replies.jsonl", good, command, prepare=prepare)


def main() -> None:
    """Fuzz from the command line: python tests/fuzz.py TIMES SEED [NAME]."""
    import tempfile

    times, seed, only = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    with tempfile.TemporaryDirectory() as made:
        listed = [t for t in targets(Path(made) / "good") if not only or any(o in t.name for o in only)]
        for target in listed:
            print(f"{target.name}, undamaged: {attempt(target, target.good, Path(made)) or 'ok'}")
        for problem in fuzz(listed, Random(seed), times, Path(made)):
            print(problem, flush=True)


if __name__ == "__main__":
    main()
