"""Print one probe in detail: question, facts, retrieved memories, and which repair makes the answer right."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from memtriage.core.amount import k_text
from memtriage.core.verdict import KIND, STAGES, VERDICTS, Verdict
from memtriage.diagnose.stages import Texts
from memtriage.report.terminal.tables import percent, plain
from memtriage.tables.table import first_why
from memtriage.validate.intervention_run import CauseAgreement, ExplainedProbe, agreement
from memtriage.validate.interventions import Context, Intervention, Reask

_CONTEXT_NAMES: Mapping[Context, str] = {
    "gold": "with the gold facts",
    "stored": "with the right stored memories",
    "retrieved": "with what was retrieved",
    "none": "with nothing",
    "recorded": "on record",
}
_CONTEXTS: tuple[Context, ...] = ("gold", "stored", "retrieved", "none")
_ASKED = ("causal", "gold", "stored", "retr.", "none")
_ASKED_WITH = (
    "judged: the stage by the verdict. causal: the stage whose repair makes the answer right. The others: is it "
    "right with the gold facts, the right stored memories, what was retrieved, and nothing."
)
_LONG = 400
_STATES = {"pass": "green", "fail": "red", "uncertain": "yellow", "n/a": "bright_black"}


def print_explained(explained: ExplainedProbe, texts: Texts, console: Console, retrieved: int | None = 10) -> None:
    """Print everything about one probe of one system at one k, including the re-asks.

    `texts` gives memories by content key (a `RunReader`'s `texts`); at most `retrieved` memories are shown.
    """
    verdict = explained.verdict
    kind = KIND[verdict.verdict]
    title = Text.assemble(plain(verdict.probe, "bold"), "  ", plain(verdict.system), f"  k={k_text(verdict.k)}  ")
    if verdict.repeat:
        title.append(f"repeat {verdict.repeat}  ")
    console.print(title.append(kind.title, f"bold {kind.colour}"))
    if verdict.verdict == "error" and verdict.error:
        console.print(plain(verdict.error, "red"))
    _print_question(explained, console)
    _print_retrieved(explained, texts, console, retrieved)
    _print_facts(explained, texts, console)
    if explained.intervention is not None:
        _print_asks(explained.intervention, console)
    elif explained.why:
        console.print(plain(explained.why, "dim"))


def print_failed(explained: Sequence[ExplainedProbe], console: Console, limit: int | None = None) -> None:
    """Print one line per probe with its judged and its causal stage, then how well the two agree."""
    if not explained:
        console.print("No probe failed.")
        return
    asked = any(each.intervention is not None for each in explained)
    grid = _grid("probe", "system", "k", "judged", *(_ASKED if asked else ()), "why")
    for each in explained[:limit]:
        marks = (_mark(each.intervention.ask(context) if each.intervention else None) for context in _CONTEXTS)
        grid.add_row(
            plain(each.verdict.probe),
            plain(each.verdict.system),
            Text(k_text(each.verdict.k)),
            _heading(each.verdict.verdict),
            *((_heading(each.cause), *marks) if asked else ()),
            plain(_short(each.intervention.why if each.intervention else each.why or first_why(each.verdict))),
        )
    console.print(grid)
    if asked:
        console.print(Text(_ASKED_WITH, "dim"))
    if limit is not None and len(explained) > limit:
        console.print(Text(f"... and {len(explained) - limit} more", "dim"))
    if asked:
        print_agreement(agreement(explained), console)


def print_agreement(found: CauseAgreement, console: Console) -> None:
    """Print the judged stage (rows) against the causal one (columns), and Cohen's kappa."""
    used = {label for pair in found.confusion for label in pair}
    labels: list[Verdict] = [label for label in VERDICTS if label in used]
    if labels:
        grid = _grid("judged \\ causal", *(KIND[label].label for label in labels), "n")
        for judged in labels:
            counts = [found.confusion.get((judged, causal), 0) for causal in labels]
            if sum(counts):
                grid.add_row(_heading(judged), *(Text(str(n), "" if n else "dim") for n in counts), str(sum(counts)))
        console.print(grid)
    share = percent(found.agreed / found.compared if found.compared else None)
    kappa = "-" if math.isnan(found.kappa) else f"{found.kappa:.3f}"
    console.print(Text(f"agreement {share} ({found.agreed} of {found.compared}), Cohen's kappa {kappa}", "bold"))
    for count, meaning in (
        (found.untold, "left out because the re-asks could not tell the cause"),
        (found.unsettled, "left out because the verdict was open"),
        (found.guessable, "answered right without any memory: these questions do not need one"),
        (found.crowded, "misread although all that is needed was retrieved, and read right without the rest"),
    ):
        if count:
            console.print(Text(f"{count} {meaning}", "dim"))


def explained_json(explained: ExplainedProbe) -> dict[str, Any]:
    """One explained probe as a record for `--json`."""
    verdict, found = explained.verdict, explained.intervention
    return {
        **{name: getattr(verdict, name) for name in ("suite", "task", "system", "episode", "probe", "k", "repeat")},
        "question": verdict.question,
        "gold": verdict.gold,
        "judged": verdict.verdict,
        "judged_why": first_why(verdict),
        "cause": explained.cause,
        "why": found.why if found else explained.why,
        "model": found.model if found else None,
        "guessable": found.guessable if found else None,
        "crowded": found.crowded if found else None,
        "asks": [_ask_json(ask) for ask in found.asks] if found else [],
    }


def agreement_json(found: CauseAgreement) -> dict[str, Any]:
    """The agreement as a record for `--json`; kappa is null where nothing could be compared."""
    return {
        "confusion": [{"judged": j, "causal": c, "n": n} for (j, c), n in sorted(found.confusion.items())],
        "compared": found.compared,
        "agreed": found.agreed,
        "kappa": None if math.isnan(found.kappa) else found.kappa,
        **{name: getattr(found, name) for name in ("untold", "unsettled", "guessable", "crowded")},
    }


def _ask_json(ask: Reask) -> dict[str, Any]:
    memories = [{"key": key, "text": text} for key, text in ask.memories]
    return {"context": ask.context, "right": ask.right, "answer": ask.answer, "why": ask.why, "memories": memories}


def _print_question(explained: ExplainedProbe, console: Console) -> None:
    verdict, grid = explained.verdict, _pairs()
    grid.add_row("question", plain(verdict.question))
    right = f"{explained.probe.correct_choice}. " if explained.probe.correct_choice else ""
    grid.add_row("gold", plain(right + verdict.gold))
    if verdict.answer is not None:
        who = verdict.answered_by or "the system itself"
        grid.add_row("answer", Text.assemble(plain(verdict.answer), plain(f"  ({who})", "dim")))
    if verdict.right_without_evidence:
        grid.add_row("", Text("right without its evidence", "dim"))
    if verdict.why:
        grid.add_row("why", plain(verdict.why))
    console.print(grid)


def _print_retrieved(explained: ExplainedProbe, texts: Texts, console: Console, most: int | None) -> None:
    ranked = sorted(explained.verdict.retrieved, key=lambda r: r.rank)
    held = texts({r.key for r in ranked[:most]})
    witness = {key for fact in explained.verdict.facts for key in fact.witness}
    console.print(Text(f"\nretrieved ({len(ranked)})", "bold"))
    grid = _pairs()
    for found in ranked[:most]:
        text = plain(_short(held[found.key]), "bold" if found.key in witness else "")
        if found.why:
            text = Text.assemble(text, plain(f"  ({found.why})", "dim"))
        grid.add_row(str(found.rank or "always"), text)
    if most is not None and len(ranked) > most:
        grid.add_row("", Text(f"... and {len(ranked) - most} more", "dim"))
    console.print(grid if ranked else Text("  nothing", "dim"))


def _print_facts(explained: ExplainedProbe, texts: Texts, console: Console) -> None:
    console.print(Text("\nfacts it needs", "bold"))
    retrieved = {r.key: r.rank for r in explained.verdict.retrieved}
    for fact in explained.verdict.facts:
        kind = KIND[fact.verdict]
        console.print(_indented(Text.assemble((kind.label, kind.colour), "  ", plain(fact.text))))
        stages = [Text.assemble(s, " ", (fact.stages[s], _STATES[fact.stages[s]])) for s in STAGES if s in fact.stages]
        console.print(_indented(Text.assemble(plain(fact.why, "dim"), *(Text("  ") + stage for stage in stages)), 4))
        for key, text in _witness_texts(texts, fact.witness).items():
            where = f"retrieved at {retrieved[key]}" if key in retrieved else "in the store"
            console.print(_indented(Text.assemble((f"{where}: ", "dim"), plain(_short(text))), 4))


def _print_asks(found: Intervention, console: Console) -> None:
    console.print(Text.assemble(("\nasked again of ", "bold"), plain(found.model, "bold")))
    grid = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    for ask in found.asks:
        cell = plain(_short(ask.answer)) if ask.answer is not None else Text()
        if ask.why:
            cell.append_text(plain(f"{'  ' if cell else ''}{ask.why}", "dim"))
        count = f"{len(ask.memories)} {'memory' if len(ask.memories) == 1 else 'memories'}" if ask.memories else ""
        grid.add_row(Text(_CONTEXT_NAMES[ask.context]), _mark(ask), Text(count, "dim"), cell)
    console.print(grid)
    console.print(Text.assemble("\n", plain(found.why, "bold")))


def _witness_texts(texts: Texts, keys: Collection[str]) -> Mapping[str, str]:
    return texts(dict.fromkeys(keys).keys()) if keys else {}


def _mark(ask: Reask | None) -> Text:
    if ask is None or ask.right is None:
        return Text("?", "yellow")
    return Text("right", "green") if ask.right else Text("wrong", "red")


def _heading(verdict: Verdict | None) -> Text:
    if verdict is None:
        return Text("?", "yellow")
    return plain(KIND[verdict].label, KIND[verdict].colour)


def _short(text: str) -> str:
    return text if len(text) <= _LONG else text[:_LONG] + " ..."


def _indented(text: Text, by: int = 2) -> Padding:
    return Padding(text, (0, 0, 0, by))


def _pairs() -> Table:
    grid = Table(box=None, show_header=False, padding=(0, 1, 0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _grid(*headings: str) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), collapse_padding=True)
    for heading in headings:
        grid.add_column(Text(heading), overflow="fold")
    return grid
