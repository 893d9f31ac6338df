"""What is to be generated: which module makes which kind of context, how long, with how many questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module

from memtriage.core.errors import BadInput
from memtriage.suites.kit.options import count_of, refuse_unknown
from memtriage.suites.memoryagentbench.context import PACKAGE, Context
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind
from memtriage.text.tokens import tokens_in

OPTIONS = {
    "length": "tokens of a context: 6k, 32k, 262k, 1.4m (default: the paper's)",
    "chunk": "tokens of a chunk (default: the paper's, 512 or 4096)",
    "acknowledge": "yes for an assistant that acknowledges every chunk, as in the paper's prompts",
    "demonstrations": "summarization: yes for two summaries of other novels before the question, as in the paper's",
    "from": "icl: a labelled file to take examples from; eventqa: a book (data generate with --model)",
    "test": "icl: a labelled file to take questions from (default: held out of the first)",
    "shots": "icl: how many examples (default: as many as the length holds)",
    "text": "icl: the column of the sentences (default: guessed)",
    "label": "icl: the column of the labels (default: guessed)",
    "fine": "icl: yes for the finer labels of a file that has two kinds, or of question-types",
    "labels": "icl: intents or question-types, what made-up labels are (default: both in turn, as the rows need them)",
    "contexts": "longmemeval, eventqa, icl: over how many contexts the questions are spread (default: as in the paper)",
}


@dataclass(frozen=True, slots=True)
class Maker:
    """How contexts of a kind are generated: by which module, and what the paper has (its table 5).

    `rows` are the questions of all its `contexts` together; `options` are those of the module.
    """

    module: str
    length: int
    rows: int
    contexts: int = 1
    options: tuple[str, ...] = ()

    @property
    def questions(self) -> int:
        """How many questions the paper asks about one context, at the most."""
        return -(-self.rows // self.contexts)


MAKERS: Mapping[Kind, Maker] = {
    "sh-docqa": Maker("docqa", 197_000, 100),
    "mh-docqa": Maker("docqa", 421_000, 100),
    "longmemeval": Maker("longmemeval", 355_000, 300, 5, ("contexts",)),
    "eventqa": Maker("eventqa", 534_000, 500, 5, ("contexts",)),
    "icl": Maker("icl", 103_000, 500, 5, ("from", "test", "shots", "text", "label", "fine", "labels", "contexts")),
    "recommendation": Maker("recommendation", 1_440_000, 200),
    "summarization": Maker("summarization", 172_000, 100, 100, ("demonstrations",)),
    "detective": Maker("detective", 124_000, 71, 10),
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
            if option not in ("length", "chunk", "acknowledge", *maker.options):
                raise BadInput(f"option {option!r} does not apply to memoryagentbench/{kind}")
        length = tokens_in(options["length"], "length") if "length" in options else maker.length
        chunk = tokens_in(options["chunk"], "chunk") if "chunk" in options else None
        own = {name: value for name, value in options.items() if name in maker.options or name == "acknowledge"}
        one = "contexts" not in own and ("from" in own or "labels" in own)
        usual = maker.questions if one else maker.rows
        return cls(kind, length, usual if rows is None else rows, chunk, own)

    def provenance(self) -> dict[str, object]:
        """What a run or a file records of this."""
        return {"rows": self.rows, "length": self.length, "chunk": self.chunk or SPECS[self.kind].chunk, **self.own}


def counted(plan: Plan, seed: int, record: dict[str, object]) -> Iterator[Context]:
    """The contexts of a plan, one at a time; if they have fewer questions than asked for, the record says so then."""
    asked = contexts = 0
    for context in generated(plan, seed):
        asked, contexts = asked + len(context.queries), contexts + 1
        yield context
    if asked < plan.rows:
        hold = f"{plan.length} tokens hold" if contexts == 1 else f"{contexts} contexts of {plan.length} tokens hold"
        why = f"{hold} {asked} questions, not the {plan.rows} asked for; a longer context holds more"
        record |= {"rows": asked, "problems": [f"memoryagentbench/{plan.kind}: {why}"]}


def shares(kind: Kind, rows: int, options: Mapping[str, str]) -> list[int]:
    """How many questions each context has: no more than in the paper, or as many as it takes for `contexts` of them.

    >>> shares("eventqa", 250, {}), shares("eventqa", 7, {"contexts": "2"}), shares("eventqa", 0, {})
    ([84, 83, 83], [4, 3], [0])
    """
    count = count_of(options, "contexts") or max(1, -(-rows // MAKERS[kind].questions))
    return [rows * (number + 1) // count - rows * number // count for number in range(count)][::-1]


def generated(plan: Plan, seed: int) -> Iterator[Context]:
    """The contexts of a plan, one at a time."""
    name = MAKERS[plan.kind].module
    module = import_module(f"{PACKAGE}.generate.{name}")
    which = {"kind": plan.kind} if name in _BOTH else {}
    contexts: Iterator[Context] = module.contexts(plan.length, plan.rows, seed, plan.own, **which)
    return contexts
