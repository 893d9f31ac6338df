"""LongMemEval's data files: generated in the official schema, written by a model, validated, downloaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from memtriage.core.chat import ChatModel
from memtriage.core.errors import BadInput
from memtriage.core.suite import Checked, Step
from memtriage.suites.kit.datasets import write_data_file
from memtriage.suites.kit.writing import together
from memtriage.suites.longmemeval.generate.haystack import Haystacks
from memtriage.suites.longmemeval.generate.questions import ROWS, generate_questions
from memtriage.suites.longmemeval.options import HistoryPlan
from memtriage.suites.longmemeval.question import Question
from memtriage.suites.longmemeval.released import writing
from memtriage.suites.longmemeval.written.questions import (
    Assignment,
    WrittenQuestion,
    assignments,
    question_id,
    write_question,
)
from memtriage.text.language import ENGLISH, in_language


class LongMemEvalFiles:
    """LongMemEval's data files: one for each size of histories, with what made it beside it."""

    def generate(
        self,
        tasks: Sequence[str],
        rows: int | None,
        seed: int,
        out: Path,
        step: Step,
        options: Mapping[str, str] | None = None,
    ) -> list[Path]:
        wanted = ROWS if rows is None else rows
        plans = [HistoryPlan.of(task, options or {}) for task in tasks]
        written: list[Path] = []
        for place, plan in enumerate(plans):
            questions = in_language(plan.language, generate_questions(plan.size, wanted, seed, options or {}))
            questions = _with_progress(questions, plan.size, place, len(plans), wanted, step)
            provenance = {"questions": wanted, "seed": seed, **plan.provenance()}
            written += _write(out, f"longmemeval_{plan.size}_generated", questions, provenance)
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
        wanted = ROWS if rows is None else rows
        plans = [HistoryPlan.of(task, options or {}) for task in tasks]
        if any(plan.language != ENGLISH for plan in plans):
            raise BadInput("a model writes LongMemEval's questions in English alone; leave out language")
        done = 0

        async def one(assignment: Assignment) -> WrittenQuestion:
            nonlocal done
            written = await write_question(assignment, seed, model)
            done += 1
            step(assignment.type, done / wanted)
            return written

        questions = await together(one(assignment) for assignment in assignments(wanted, seed))
        by = {"model_name": model.name, **_writing_statistics(questions)}
        if not by["written"]:
            raise BadInput(
                f"{model.name} wrote none of the {wanted} questions as they were asked for; what was turned down, by "
                f"what was wrong with it: {by['turned_down']}. Nothing was filed; try another model"
            )
        paths: list[Path] = []
        for plan in plans:
            provenance = {"questions": by["written"], "seed": seed, **plan.provenance(), **by}
            paths += _write(out, f"longmemeval_{plan.size}_written", _with_histories(questions, plan, seed), provenance)
        return paths

    def validate(self, path: Path) -> Iterator[Checked]:
        from memtriage.suites.longmemeval.released.validate import check_files

        return check_files(path)

    def pull(
        self, out: Path, revision: str, endpoint: str | None, step: Step, options: Mapping[str, str] | None = None
    ) -> Path:
        from memtriage.suites.kit.pull import Terms, byte_progress
        from memtriage.suites.longmemeval.released.pull import pull_longmemeval, splits_of

        terms, rest = Terms.of(options)
        return pull_longmemeval(out, revision, endpoint, byte_progress(step), splits_of(rest), terms)


def _with_progress(
    questions: Iterable[Question], size: str, place: int, sizes: int, wanted: int, step: Step
) -> Iterator[Question]:
    """The questions as they come, reporting progress."""
    for number, question in enumerate(questions):
        step(size, (place + number / wanted) / sizes)
        yield question


def _with_histories(questions: Iterable[WrittenQuestion], plan: HistoryPlan, seed: int) -> Iterator[Question]:
    """The questions that a model wrote, with histories of one size."""
    haystacks = Haystacks(plan, seed)
    for one in questions:
        if one.outline is not None:
            yield haystacks.question(question_id(one.assignment, seed), one.outline, one.chats, one.evidence)


def _writing_statistics(questions: Sequence[WrittenQuestion]) -> dict[str, object]:
    """What it took to have them written: calls, what was turned down and why, and what had to be given up."""
    problems: Counter[str] = Counter()
    for one in questions:
        problems.update(one.problems)
    good = sum(one.outline is not None for one in questions)
    return {
        "calls": sum(one.calls for one in questions),
        "turned_down": dict(problems),
        "written": good,
        "dropped": len(questions) - good,
    }


def _write(out: Path, name: str, questions: Iterable[Question], provenance: Mapping[str, object]) -> list[Path]:
    """Put questions in their file as they come, with what made them beside it."""
    config = out / f"generation_config_{name.removeprefix('longmemeval_')}.json"
    return write_data_file("longmemeval", out / f"{name}.json", config, writing.encode_questions(questions), provenance)
