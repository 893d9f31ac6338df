"""MemoryAgentBench's data files: contexts generated or made from a book by a model, validated, downloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memtriage.core.chat import ChatModel
from memtriage.core.episode import Probe
from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.kit.datasets import write_data_file
from memtriage.suites.kit.options import splits_of
from memtriage.suites.kit.shortcuts import guessable
from memtriage.suites.memoryagentbench import context_files
from memtriage.suites.memoryagentbench.context import Context
from memtriage.suites.memoryagentbench.episodes import episode
from memtriage.suites.memoryagentbench.generate.plan import Plan, counted
from memtriage.suites.memoryagentbench.kinds import KINDS, Kind

NAME = "memoryagentbench"


class MemoryAgentBenchFiles:
    """A file of contexts for each kind, with a record of how it was made beside it."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        written: list[Path] = []
        for place, kind in enumerate(map(kind_of, tasks)):
            step(kind, place / len(tasks))
            plan = Plan.of(kind, rows, options or {})
            record = {"seed": seed, **plan.provenance()}
            written += _write(out, kind, counted(plan, seed, record), record)
        step("done", 1.0)
        return written

    async def write(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        model: ChatModel,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        from memtriage.suites.memoryagentbench.written.book import read_book
        from memtriage.suites.memoryagentbench.written.eventqa import write

        others = [task for task in tasks if task != "eventqa"]
        if others:
            raise BadInput(
                f"a model writes eventqa alone, from a book: memtriage data generate {NAME}/eventqa --from book.txt "
                f"--model …; {others[0]} is generated without one"
            )
        given = options or {}
        unwanted = [name for name in given if name != "from"]
        if unwanted or "from" not in given:
            raise BadInput(
                "give the book with --from book.txt" + (f"; {unwanted[0]} does not apply" if unwanted else "")
            )
        book = Path(given["from"])
        text = read_book(book)
        wanted = Plan.of("eventqa", rows, {}).rows
        context = await write(text, wanted, seed, model, step, name=book.stem)
        record = {"seed": seed, "rows": len(context.queries), "book": book.name, "model_name": model.name}
        return _write(out, "eventqa", [context], record)

    def validate(self, path: Path) -> Iterator[Checked]:
        found = [(kind, file) for kind in KINDS if (file := context_files.find(path, kind))] if path.is_dir() else []
        files = [file for _, file in found] or ([path] if path.suffix == ".jsonl" else [])
        if not files:
            raise BadInput(f"{path} holds no file of contexts, such as {context_files.file_name('eventqa')}")
        return (_checked(file) for file in files)

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        from memtriage.suites.kit.pull import Terms, byte_progress
        from memtriage.suites.memoryagentbench.released.pull import DEFAULT, pull_memoryagentbench

        terms, rest = Terms.of(options)
        splits = splits_of(rest, DEFAULT, DEFAULT, NAME)
        return pull_memoryagentbench(out, revision, endpoint, byte_progress(step), splits, terms)


def kind_of(task: str) -> Kind:
    """A kind by its name."""
    for kind in KINDS:
        if task == kind:
            return kind
    raise BadInput(unknown(f"task of suite {NAME}", task, KINDS))


def _write(out: Path, kind: Kind, contexts: Iterable[Context], record: Mapping[str, object]) -> list[Path]:
    path = out / context_files.file_name(kind)
    return write_data_file(NAME, path, out / f"generation_config_{kind}.json", context_files.lines(contexts), record)


def _checked(path: Path) -> Checked:
    """One file: whether its passages stand where they should, and its questions have words and answers."""
    questions: Counter[str] = Counter()
    problems: list[Problem] = []
    kinds: set[str] = set()
    probes: list[Probe] = []
    for context in context_files.read(path):
        kinds.add(context.kind)
        questions[context.id] = len(context.queries)
        try:
            probes += episode(context).probes
        except BadInput as error:
            problems.append(Problem(str(error), True))
        for query in context.queries:
            wrong = _wrong(query.golds, query.text)
            problems += [Problem(f"{context.id}, {query.id}: {each}", True) for each in wrong]
    if not kinds:
        problems.append(Problem(f"{path} holds no contexts; was the file cut off?", True))
    problems += guessable(probes)
    return Checked(f"{NAME}/{', '.join(sorted(kinds)) or '?'}", path, questions.total(), tuple(problems))


def _wrong(golds: Sequence[str], text: str) -> Iterator[str]:
    if not text.strip():
        yield "the question has no words"
    if not any(gold.strip() for gold in golds):
        yield "there is no gold answer"
