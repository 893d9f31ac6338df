"""Write a run as eval logs of Inspect, which `inspect view` opens: a log per task, system, k and answering model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memtriage.core.amount import K
from memtriage.core.errors import BadInput, install_extra
from memtriage.core.verdict import KINDS, ProbeVerdict
from memtriage.export.files import Written
from memtriage.host.files import failure_reason
from memtriage.host.masks import mask
from memtriage.record.reader import RunReader
from memtriage.tables.table import Row, first_why, table
from memtriage.text.words import well_formed

NO_MODEL = "none/none"
"""What Inspect calls the model of an evaluation that asks none."""

_Group = tuple[str, str, K, str, str]
"""What one log is about: task, system, k, depth, and who answered."""


def write_inspect(reader: RunReader, folder: Path) -> list[Written]:
    """Write a finished run as eval logs into a folder."""
    log = _library()
    groups: dict[_Group, list[ProbeVerdict]] = {}
    for verdict in reader.verdicts():
        key = (verdict.task, verdict.system, verdict.k, verdict.depth, verdict.answered_by)
        groups.setdefault(key, []).append(verdict)
    written = []
    for group, verdicts in groups.items():
        path = folder / f"{_file_name(reader, group)}.eval"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            log.write_eval_log(_log(log, reader, group, verdicts), str(path), format="eval")
        except OSError as error:
            raise BadInput(f"{path} can't be written: {failure_reason(error)}; choose another folder") from error
        written.append(Written(path, len(verdicts)))
    return written


def _library() -> Any:
    try:
        from inspect_ai import log
    except ImportError as error:
        raise BadInput(f"eval logs need Inspect; install it with: {install_extra('inspect')}") from error
    return log


def _file_name(reader: RunReader, group: _Group) -> str:
    """As Inspect names its logs: when, what, and something to tell them apart."""
    task, system, k, depth, model = group
    when = _created(reader)[:19].replace(":", "-")
    parts = (when, task, system, f"k{k}", depth, model, reader.seal.digest[:8] if reader.seal else "")
    return "_".join(re.sub(r"[^A-Za-z0-9.-]+", "-", part).strip("-.")[:60] for part in parts if part)


def _created(reader: RunReader) -> str:
    found = datetime.fromisoformat(str(reader.manifest["created"]))
    return found.astimezone(UTC).isoformat(timespec="seconds")


def _log(log: Any, reader: RunReader, group: _Group, verdicts: list[ProbeVerdict]) -> Any:
    task, system, k, depth, model = group
    samples = list(_samples(log, reader, verdicts))
    ids = list(dict.fromkeys(sample.id for sample in samples))
    digest = reader.seal.digest if reader.seal else ""
    spec = log.EvalSpec(
        run_id=digest[:22],
        created=_created(reader),
        task=task,
        task_id=f"{task}@{system}@{k}",
        task_args={"system": _clean(system), "k": k},
        dataset=log.EvalDataset(name=task, samples=len(ids), sample_ids=ids, shuffled=False),
        model=_clean(model) or NO_MODEL,
        config=log.EvalConfig(epochs=max(sample.epoch for sample in samples)),
        packages={"memtriage": str(reader.manifest["memtriage"])},
        metadata={
            "system": _clean(system),
            "k": k,
            "depth": depth,
            "judge": _clean(verdicts[0].judged_by),
            "run": digest,
            "data": reader.manifest.get("data"),
        },
    )
    plan = log.EvalPlan(
        name="memtriage", steps=[log.EvalPlanStep(solver="memtriage/remember", params={"system": system, "k": k})]
    )
    stores = [store for store in reader.stores() if (store.task, store.system) == (task, system)]
    (row,) = table(verdicts, stores)
    return log.EvalLog(
        status="success", eval=spec, plan=plan, results=_results(log, row, len(samples)), samples=samples
    )


def _samples(log: Any, reader: RunReader, verdicts: list[ProbeVerdict]) -> Iterator[Any]:
    from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, ModelOutput

    episodes = {(verdict.probe, verdict.episode) for verdict in verdicts}
    times = Counter(probe for probe, _ in episodes)
    epochs: Counter[str] = Counter()
    for verdict in verdicts:
        id = verdict.probe if times[verdict.probe] == 1 else f"{verdict.episode}/{verdict.probe}"
        epochs[id] += 1  # repeats of storing, answering and judging
        question, answer = _clean(verdict.question), _clean(verdict.answer or "")
        said: list[Any] = [ChatMessageUser(content=question)]
        if verdict.answer is not None:
            said.append(ChatMessageAssistant(content=answer, model=verdict.answered_by or None))
        error = verdict.error if verdict.verdict == "error" else None
        yield log.EvalSample(
            id=id,
            epoch=epochs[id],
            input=question,
            target=_clean(verdict.gold),
            messages=said,
            output=ModelOutput.from_content(verdict.answered_by or NO_MODEL, answer)
            if verdict.answer is not None
            else ModelOutput(),
            scores=None if verdict.verdict == "error" else scores(verdict),
            metadata=about(verdict, reader),
            error=None if error is None else log.EvalError(message=_clean(error), traceback="", traceback_ansi=""),
        )


def about(verdict: ProbeVerdict, reader: RunReader) -> dict[str, Any]:
    """What a sample says of its question beside question and answer: what came back, and where each fact was lost."""
    keys = {found.key for found in verdict.retrieved}
    texts = reader.texts(keys)
    return {
        "episode": verdict.episode,
        "cluster": f"{verdict.episode}/{verdict.cluster or verdict.probe}",
        "task": verdict.task,
        "system": _clean(verdict.system),
        "k": verdict.k,
        "memories": [
            {
                **{"rank": found.rank, "text": _clean(texts[found.key]), "score": found.score},
                **{"date": found.created_at, **({"why": _clean(found.why)} if found.why else {})},
            }
            for found in verdict.retrieved
        ],
        "facts": [
            {"text": _clean(fact.text), "verdict": fact.verdict, "why": _clean(fact.why)} for fact in verdict.facts
        ],
        **{f"tag_{name}": value for name, value in verdict.tags.items()},
    }


def scores(verdict: ProbeVerdict) -> dict[str, Any]:
    """The scores of a sample: the stage that failed, whether all went well, and whether the answer is right.

    A verdict that is neither right nor wrong is no success, and has the letter that Inspect gives to no answer; what
    was not asked, or not graded, has no score.
    """
    from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, Score

    why = _clean(first_why(verdict))
    found = {}
    if verdict.verdict != "n/a":
        letter = {"correct": CORRECT, "uncertain": NOANSWER}.get(verdict.verdict, INCORRECT)
        found["success"] = Score(value=letter, explanation=why)
    if verdict.right is not None:
        answer = _clean(verdict.answer or "")
        found["right"] = Score(value=CORRECT if verdict.right else INCORRECT, answer=answer)
    return {**found, "stage": Score(value=verdict.verdict, explanation=why)}


def _results(log: Any, row: Row, samples: int) -> Any:
    """The numbers of the table, as `show` prints them."""
    counts = {kind.verdict: getattr(row, kind.column) for kind in KINDS}
    numbers: dict[str, dict[str, float]] = {}
    if row.success is not None:
        numbers["success"] = {"success": row.success, "low": row.low, "high": row.high}
    if row.accuracy is not None:
        numbers["right"] = {"accuracy": row.accuracy, "low": row.accuracy_low, "high": row.accuracy_high}
    numbers["stage"] = {name: count / row.n for name, count in counts.items() if count}
    return log.EvalResults(
        total_samples=samples,
        completed_samples=samples,
        scores=[
            log.EvalScore(
                name=name,
                scorer="memtriage",
                metrics={key: log.EvalMetric(name=key, value=value) for key, value in values.items()},
            )
            for name, values in numbers.items()
        ],
    )


def _clean(text: str) -> str:
    return mask(well_formed(text))
