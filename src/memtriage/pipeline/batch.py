"""Write the calls that a run waits for to a file, and import the replies from one."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

from memtriage.config import Grading, Limits, Repeats
from memtriage.core.errors import BadInput, BadRun
from memtriage.host.files import write_whole
from memtriage.host.inputs import input_lines
from memtriage.host.masks import mask_bytes
from memtriage.host.shell import shell_word
from memtriage.models.cache import CacheEntry, call_key
from memtriage.models.held import DueCall, Waiting
from memtriage.models.keys import know_keys, scrub
from memtriage.models.reply_files import BadReply, Format, cache_entry, call_line, read_line
from memtriage.models.spec import ModelSpec
from memtriage.pipeline import run as runs
from memtriage.pipeline.models import open_cache
from memtriage.pipeline.trust import Named
from memtriage.record.manifest import hold
from memtriage.record.reader import RunReader
from memtriage.runner.watcher import Watcher


@dataclass(slots=True)
class Imported:
    """What became of a file of replies: those taken, those known before, calls without one, and bad lines."""

    taken: int = 0
    known: int = 0
    missing: int = 0
    problems: list[str] = field(default_factory=list)


def export_calls(
    path: Path,
    out: Path,
    form: Format = "openai",
    limits: Limits | None = None,
    watcher: Watcher | None = None,
    named: Named | None = None,
) -> Waiting | None:
    """Write the calls that a run waits for to a file of JSON lines; None if nothing is due.

    A run that was stopped elsewhere goes on first, as far as it can without asking a model.
    """
    waiting = Waiting.read(path)
    if waiting is None:
        finished = runs.finished_run(path)
        if finished is not None and not finished.errors:
            return None
        runs.resume(path, named or Named(), limits=replace(limits or Limits(), hold=True), watcher=watcher)
        waiting = Waiting.read(path)
    if waiting is not None:
        lines = (json.dumps(call_line(call, form), ensure_ascii=False) + "\n" for call in waiting.calls)
        write_whole(out, (line.encode() for line in lines))
    return waiting


def import_replies(path: Path, file: Path, limits: Limits | None = None) -> Imported:
    """Put the replies in a file into the cache, where the run finds them. Bad lines are told; the rest is taken."""
    with hold(path), RunReader(path) as reader, open_cache(limits or Limits()) as cache:
        if cache is None:
            raise BadInput("replies are imported into the cache; leave out --no-cache")
        waiting = Waiting.read(path)
        if waiting is None:
            raise BadRun(f"{path} waits for no replies; `memtriage batch export {shell_word(path)}` says what is due")
        due = {call.id: call for call in waiting.calls}
        for model in {call.model for call in waiting.calls}:
            know_keys(ModelSpec.parse(model))
        found, entries = Imported(), dict[str, CacheEntry]()
        for row, line in input_lines(file):
            try:
                reply = read_line(mask_bytes(line))
                if reply.id in entries:
                    raise BadReply(f"{reply.id} was given twice; the first reply is kept")
                if reply.id in due:
                    _refuse_other_call(due[reply.id], reader.made_here)
                    entries[reply.id] = cache_entry(due[reply.id].call, reply)
                elif cache.get(reply.id) is not None:
                    found.known += 1
                else:
                    raise BadReply(f"{reply.id} is not among the calls that are due")
            except BadReply as problem:
                found.problems.append(scrub(f"{file}, row {row}: {problem}"))
        cache.put_all(entries)
        found.taken, found.missing = len(entries), len(due) - len(entries)
        return found


def _refuse_other_call(due: DueCall, made_here: bool) -> None:
    """Refuse a call that isn't the one its id stands for: its reply would pass for that of another call."""
    spec = ModelSpec.parse(due.model)
    unknowable = made_here and spec.hides_something  # the id was made with what due.json doesn't tell
    if not unknowable and call_key(spec, due.call) != due.id:
        raise BadReply(f"{due.id} is not the id of the call that the run has under it; run again")


def go_on(
    path: Path, limits: Limits | None = None, watcher: Watcher | None = None, named: Named | None = None
) -> runs.Run:
    """Continue a run after an import, without asking any model: to its end, or to the calls that are due next."""
    limits = replace(limits or Limits(), hold=True)
    waiting = Waiting.read(path)
    if waiting is None or not waiting.judging_again:
        return runs.resume(path, named or Named(), limits=limits, watcher=watcher)
    grading = Grading(**{**waiting.grading, "repeats": Repeats(**waiting.grading["repeats"])})
    return runs.judge(
        path,
        grading.judge,
        answer=grading.answer,
        paper_exact=grading.paper_exact,
        repeats=grading.repeats.judge,
        limits=limits,
        watcher=watcher,
    )
