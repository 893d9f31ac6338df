"""MemoryAgentBench's data files: contexts generated or made from a book by a model, validated, downloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput, unknown
from memtriage.core.suite import Checked, Problem, Step
from memtriage.suites.kit.datasets import file_away
from memtriage.suites.kit.options import splits_of
from memtriage.suites.memoryagentbench import made
from memtriage.suites.memoryagentbench.context import KINDS, Context, Kind
from memtriage.suites.memoryagentbench.generate import Plan, counted
from memtriage.suites.memoryagentbench.layout import episode

NAME = "memoryagentbench"


class Files:
    """A file of contexts for each kind, with what made it beside it."""

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
            told = {"seed": seed, **plan.provenance()}
            written += _write(out, kind, counted(plan, seed, told), told)
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
        from memtriage.suites.memoryagentbench import books

        others = [task for task in tasks if task != "eventqa"]
        if others:
            raise BadInput(
                f"a model writes eventqa alone, from a book: memtriage data generate {NAME}/eventqa --from book.txt "
                f"--model …; {others[0]} is generated without one"
            )
        strange = [name for name in options or {} if name != "from"]
        if strange or "from" not in (options or {}):
            raise BadInput("give the book with --from book.txt" + (f"; {strange[0]} does not apply" if strange else ""))
        book = Path((options or {})["from"])
        text = books.read_book(book)
        wanted = Plan.of("eventqa", rows, {}).rows
        context = await books.write(text, wanted, seed, model, step, name=book.stem)
        told = {"seed": seed, "rows": len(context.queries), "book": book.name, "model_name": model.name}
        return _write(out, "eventqa", [context], told)

    def validate(self, path: Path) -> Iterator[Checked]:
        found = [(kind, file) for kind in KINDS if (file := made.found(path, kind))] if path.is_dir() else []
        files = [file for _, file in found] or ([path] if path.suffix == ".jsonl" else [])
        if not files:
            raise BadInput(f"{path} holds no file of contexts, such as {made.name_of('eventqa')}")
        return (_checked(file) for file in files)

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        from memtriage.suites.kit.pull import heard
        from memtriage.suites.memoryagentbench.pull import DEFAULT, pull_memoryagentbench

        splits = splits_of(options, DEFAULT, DEFAULT, NAME)
        return pull_memoryagentbench(out, revision, endpoint, heard(step), splits)


def kind_of(task: str) -> Kind:
    """A kind by its name."""
    for kind in get_args(Kind):
        if task == kind:
            return kind  # type: ignore[no-any-return]
    raise BadInput(unknown(f"task of suite {NAME}", task, KINDS))


def _write(out: Path, kind: Kind, contexts: Iterable[Context], told: Mapping[str, object]) -> list[Path]:
    path = out / made.name_of(kind)
    return file_away(NAME, path, out / f"generation_config_{kind}.json", made.lines(contexts), told)


def _checked(path: Path) -> Checked:
    """One file: whether its passages stand where they should, and its questions have words and answers."""
    questions: Counter[str] = Counter()
    problems: list[Problem] = []
    kinds: set[str] = set()
    for context in made.read(path):
        kinds.add(context.kind)
        questions[context.id] = len(context.queries)
        try:
            episode(context)
        except BadInput as error:
            problems.append(Problem(str(error), True))
        for query in context.queries:
            wrong = _wrong(query.golds, query.text)
            problems += [Problem(f"{context.id}, {query.id}: {each}", True) for each in wrong]
    return Checked(f"{NAME}/{', '.join(sorted(kinds)) or '?'}", path, questions.total(), tuple(problems))


def _wrong(golds: Sequence[str], text: str) -> Iterator[str]:
    if not text.strip():
        yield "the question has no words"
    if not any(gold.strip() for gold in golds):
        yield "there is no gold answer"
