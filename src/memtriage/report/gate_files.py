"""What a gate found, for other programs: JSON, JUnit, annotations and a comment for GitHub, and a badge.

Names, questions and reasons come from data and models. In none of these can they act: no markup, no mention of a
person, no workflow command, no character that is not seen.
"""

from __future__ import annotations

import html
import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any
from xml.etree import ElementTree as ET

from memtriage.core.amount import k_text
from memtriage.report.gate_text import (
    LABELS,
    cost_sentence,
    flip_words,
    floor_sentence,
    headline,
    hints,
    open_counts,
    sentence,
    where,
)
from memtriage.report.headline import points
from memtriage.report.terminal.machine_readable import is_hidden
from memtriage.report.terminal.tables import percent, visible
from memtriage.tables.gate import Gate, GateCell
from memtriage.tables.pairs import Flip
from memtriage.tables.table import MERGED

SCHEMA = "memtriage.gate/1"

_LISTED = 50
"""How many lost probes a comment lists at most; GitHub takes 65,536 characters."""

_NOT_XML = re.compile("[^\t\n -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_RED, _GREEN, _AMBER = "#c62828", "#2e7d32", "#9a6700"


def gate_json(found: Gate) -> dict[str, Any]:
    """The gate as plain JSON values in a stable schema."""
    return {
        "schema": SCHEMA,
        "failed": found.failed,
        "finding": found.finding,
        "new": found.name,
        "baseline": found.baseline,
        "max_drop": found.max_drop,
        "strict": found.strict,
        "cells": [_rounded(asdict(cell)) for cell in found.cells],
        "floors": [_rounded({**asdict(floor), "held": floor.held}) for floor in found.floors],
        "costs": [_rounded({**asdict(cost), "held": cost.held}) for cost in found.costs],
        "flips": [asdict(flip) for flip in found.flips],
        "only_new": found.only_new,
        "notes": list(found.notes),
    }


def _rounded(record: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in record.items()}


def junit(found: Gate, limit: int = _LISTED) -> bytes:
    """The gate as a JUnit file: a case per test, floor and cost; what can't be told is skipped.

    Of the probes that a test lost, up to `limit` are named.
    """
    suite = ET.Element("testsuite", name="memtriage gate")
    for cell in found.cells:
        case = _case(suite, cell.task, where(cell))
        told = sentence(cell, found)
        if cell.finding == "worse" or (found.strict and cell.finding == "undecided"):
            failure = ET.SubElement(case, "failure", message=_xml(told))
            lost = [flip for flip in found.flips if flip.verdict_b != "correct" and _is_of(flip, cell)]
            named = ["  ".join(flip_words(flip)) for flip in lost[:limit]]
            more = [f"… and {len(lost) - limit} more"] if limit and len(lost) > limit else []
            failure.text = _xml("\n".join(named + more))
        elif cell.finding == "undecided":
            ET.SubElement(case, "skipped", message=_xml(told))
        else:
            ET.SubElement(case, "system-out").text = _xml(told)
    for floor in found.floors:
        case = _case(suite, floor.task, f"floor: {where(floor)}")
        if not floor.held:
            ET.SubElement(case, "failure", message=_xml(floor_sentence(floor)))
    for cost in found.costs:
        case = _case(suite, cost.suite, f"cost: {cost.suite}, {cost.system}")
        if not cost.held:
            ET.SubElement(case, "failure", message=_xml(cost_sentence(cost)))
    if told := "\n".join(hints(found)):
        ET.SubElement(suite, "system-out").text = _xml(told)
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(kind, str(sum(1 for _ in suite.iter(tag))))
    suite.set("errors", "0")
    whole = ET.Element("testsuites")
    whole.append(suite)
    return f"{ET.tostring(whole, encoding='unicode', xml_declaration=True)}\n".encode()


def _is_of(flip: Flip, cell: GateCell) -> bool:
    same = (flip.system_b, flip.k, flip.depth) == (cell.system, cell.k, cell.depth)
    return same and cell.task in (flip.task, MERGED)


def _case(suite: ET.Element, group: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=_xml(f"memtriage.{group}"), name=_xml(name), time="0")


def _xml(text: str) -> str:
    """Text that XML can hold, with nothing hidden in it."""
    shown = "".join("\ufffd" if is_hidden(one) and one != "\n" else one for one in text)
    return _NOT_XML.sub("\ufffd", shown)


def workflow_commands(found: Gate) -> Iterator[str]:
    """Workflow commands of GitHub Actions: an error for what fails, a warning for what can't be told."""
    for cell in found.cells:
        if cell.finding != "not_worse":
            level = "error" if cell.finding == "worse" or found.strict else "warning"
            yield _annotation(level, f"memory {LABELS[cell.finding]}: {where(cell)}", sentence(cell, found))
    for floor in found.floors:
        if not floor.held:
            yield _annotation("error", f"success too low: {where(floor)}", floor_sentence(floor))
    for cost in found.costs:
        if not cost.held:
            yield _annotation("error", f"cost too high: {cost.suite}, {cost.system}", cost_sentence(cost))
    yield _annotation("error" if found.failed else "notice", "memtriage gate", headline(found))


def _annotation(level: str, title: str, message: str) -> str:
    message = visible(message).replace("%", "%25")
    title = visible(title).replace("%", "%25").replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{message}"


def muting() -> tuple[str, str]:
    """Lines around a text in the log of GitHub Actions, so that nothing in it is taken for a workflow command."""
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}", f"::{token}::"


def markdown(found: Gate, limit: int = _LISTED) -> str:
    """A comment for a pull request; its first line is a mark by which the comment can be found and replaced.

    Of the probes that were lost, up to `limit` are listed, and never more than fit.
    """
    limit = min(limit, _LISTED)
    mark = {"worse": "🔴", "not_worse": "🟢", "undecided": "🟡"}
    lines = [
        "<!-- memtriage gate -->",
        f"### {'🔴' if found.failed else mark[found.finding]} Memory: {_md(headline(found))}",
        "",
        f"{_code(found.name)} against {_code(found.baseline)}; a drop of up to {found.max_drop:g} points is allowed.",
        "",
        "| | task | system | k | n | before | now | change (95 %) | lost / won | |",
        "| --- | --- | --- | --- | ---: | ---: | ---: | --- | ---: | --- |",
    ]
    for cell in found.cells:
        change = "–"
        if cell.difference is not None:
            change = f"{points(cell.difference)} ({points(cell.low)} to {points(cell.high)})"
        more = [open_counts(cell)] if open_counts(cell) else []
        if cell.needed is not None:
            more.append(f"needs about {cell.needed:,} probes")
        system = cell.system if cell.system == cell.system_before else f"{cell.system_before} → {cell.system}"
        shares = f"{percent(cell.before)} | {percent(cell.now)} | {change} | {cell.lost} / {cell.won}"
        lines.append(
            f"| {mark[cell.finding]} {LABELS[cell.finding]} | {_code(cell.task)} | {_code(system)} | {k_text(cell.k)} "
            f"| {cell.n} | {shares} | {', '.join(more)} |"
        )
    lines.append("")
    lines += [f"- {_code(where(floor))}: {floor_sentence(floor)}" for floor in found.floors]
    lines += [f"- {_code(f'{cost.suite}, {cost.system}')}: {_md(cost_sentence(cost))}" for cost in found.costs]
    lines += [f"- {_md(hint)}" for hint in hints(found)]
    lost = [flip for flip in found.flips if flip.verdict_b != "correct"]
    if lost and limit:
        lines += ["", f"<details><summary>{len(lost)} probes that were right and are not now</summary>", ""]
        lines += ["| probe | k | now | question and reason |", "| --- | --- | --- | --- |"]
        for flip in lost[:limit]:
            probe, k, _, now, told = flip_words(flip)
            lines.append(f"| {_code(probe)} | {k} | {now} | {_code(told)} |")
        lines += [f"\n… and {len(lost) - limit} more"] if len(lost) > limit else []
        lines += ["", "</details>"]
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    """Untrusted text for a comment: as code, where nobody is mentioned and nothing becomes a link."""
    return f"<code>{_md(text)}</code>" if text else ""


def _md(text: str) -> str:
    """Text in which Markdown finds nothing of its own: every sign is spelled as a number, which is never markup."""
    return re.sub(r"[!-/:-@\[-`{-~]", lambda sign: f"&#{ord(sign[0])};", visible(text))


def badge(found: Gate) -> str:
    """A badge: what was found, in two words."""
    told = "failed" if found.failed and found.finding != "worse" else LABELS[found.finding]
    colour = _RED if found.failed else _GREEN if found.finding == "not_worse" else _AMBER
    left, right = 58, 14 + 7 * len(told)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-label="memory: {html.escape(told)}">'
        f'<rect width="{left}" height="20" fill="#555"/><rect x="{left}" width="{right}" height="20" fill="{colour}"/>'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
        f'<text x="{left / 2}" y="14">memory</text><text x="{left + right / 2}" y="14">{html.escape(told)}</text>'
        "</g></svg>\n"
    )
