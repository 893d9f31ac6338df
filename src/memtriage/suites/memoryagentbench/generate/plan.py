"""What is to be generated: which module makes which kind of context, how long, with how many questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from memtriage.core.errors import BadInput
from memtriage.suites.kit.options import refuse_unknown
from memtriage.suites.memoryagentbench.context import PACKAGE, Context
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind
from memtriage.text.tokens import tokens_in

OPTIONS = {
    "length": "tokens of a context: 6k, 32k, 262k, 1.4m (default: the paper's)",
    "chunk": "tokens of a chunk (default: the paper's, 512 or 4096)",
    "from": "icl: a labelled file to take examples from; eventqa: a book (data generate with --model)",
    "test": "icl: a labelled file to take questions from (default: held out of the first)",
    "shots": "icl: how many examples (default: as many as the length holds)",
    "text": "icl: the column of the sentences (default: guessed)",
    "label": "icl: the column of the labels (default: guessed)",
    "fine": "icl: yes for the finer labels of a file that has two kinds",
    "contexts": "longmemeval: how many histories (the paper has 5)",
}


@dataclass(frozen=True, slots=True)
class Maker:
    """How contexts of a kind are generated: by which module, the paper's length and questions, options of its own."""

    module: str
    length: int
    rows: int
    options: tuple[str, ...] = ()


MAKERS: Mapping[Kind, Maker] = {
    "sh-docqa": Maker("docqa", 197_000, 100),
    "mh-docqa": Maker("docqa", 421_000, 100),
    "longmemeval": Maker("longmemeval", 355_000, 60, ("contexts",)),
    "eventqa": Maker("eventqa", 534_000, 100),
    "icl": Maker("icl", 103_000, 100, ("from", "test", "shots", "text", "label", "fine")),
    "recommendation": Maker("recommendation", 1_440_000, 200),
    "summarization": Maker("summarization", 172_000, 1),
    "detective": Maker("detective", 124_000, 71),
    "factconsolidation-sh": Maker("factconsolidation", 262_000, 100),
    "factconsolidation-mh": Maker("factconsolidation", 262_000, 100),
}
_BOTH = ("docqa", "factconsolidation")
"""Modules that make two kinds: of one hop and of several."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be generated. `chunk` is None for the paper's size; `own` are the options of the kind's module."""

    kind: Kind
    length: int
    rows: int
    chunk: int | None
    own: Mapping[str, str] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, kind: Kind, rows: int | None, options: Mapping[str, str]) -> Plan:
        """What a kind and options ask for.

        >>> Plan.of("eventqa", None, {"length": "64k"}).length
        64000
        """
        maker = MAKERS[kind]
        refuse_unknown(options, OPTIONS, "suite memoryagentbench")
        if kind == "eventqa" and "from" in options:
            raise BadInput("eventqa takes a book and a model that reads it: data generate … --from book.txt --model …")
        for option in options:
            if option not in ("length", "chunk", *maker.options):
                raise BadInput(f"option {option!r} does not apply to memoryagentbench/{kind}")
        length = tokens_in(options["length"], "length") if "length" in options else maker.length
        chunk = tokens_in(options["chunk"], "chunk") if "chunk" in options else None
        own = {name: value for name, value in options.items() if name in maker.options}
        return cls(kind, length, maker.rows if rows is None else rows, chunk, own)

    def provenance(self) -> dict[str, object]:
        """What a run or a file records of this."""
        return {"rows": self.rows, "length": self.length, "chunk": self.chunk or SPECS[self.kind].chunk, **self.own}


def counted(plan: Plan, seed: int, record: dict[str, object]) -> Iterator[Context]:
    """The contexts of a plan, one at a time; if they have fewer questions than asked for, the record says so then."""
    asked = contexts = 0
    for context in generated(plan, seed):
        asked, contexts = asked + len(context.queries), contexts + 1
        yield context
    wanted = plan.rows * (contexts if "contexts" in MAKERS[plan.kind].options else 1)
    if asked < wanted:
        why = f"{plan.length} tokens hold {asked} questions, not the {wanted} asked for; a longer context holds more"
        record |= {"rows": asked, "problems": [f"memoryagentbench/{plan.kind}: {why}"]}


def generated(plan: Plan, seed: int) -> Iterator[Context]:
    """The contexts of a plan, one at a time."""
    name = MAKERS[plan.kind].module
    module = import_module(f"{PACKAGE}.generate.{name}")
    which = {"kind": plan.kind} if name in _BOTH else {}
    contexts: Iterator[Context] = module.contexts(plan.length, plan.rows, seed, plan.own, **which)
    return contexts
