"""The configuration of a run, shared by the Python API, the command line and studies."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any, TypedDict

from memtriage.core.amount import NATIVE, K, k_order, parse_k, token_budget
from memtriage.core.chat import PATIENCE
from memtriage.core.errors import BadInput
from memtriage.core.reading import reading_of
from memtriage.core.suite import Request
from memtriage.models.embedding_presets import preset_written_out
from memtriage.models.spec import ModelSpec, names_endpoint
from memtriage.registry import SystemSpec, names_system, system_specs
from memtriage.text.tokens import tokens_in
from memtriage.text.words import well_formed

DEFAULT_SYSTEMS = ("none", "bm25", "dense", "hybrid", "mosaic", "full-context", "oracle")
DEFAULT_KS = (5, 10, 20)
LOOKS = 64
"""How often a store is listed while it fills, at most: after every session of most episodes in the suites here."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often storing, answering and judging are repeated."""

    ingest: int = 1
    answer: int = 1
    judge: int = 1

    @classmethod
    def parse(cls, text: str) -> Repeats:
        """Parse `3` (answers only) or `ingest=2,answer=3,judge=2`.

        >>> Repeats.parse("ingest=2,judge=3")
        Repeats(ingest=2, answer=1, judge=3)
        """
        parts = dict(part.partition("=")[::2] for part in text.split(",")) if "=" in text else {"answer": text}
        if not set(parts) <= {"ingest", "answer", "judge"} or not all(
            re.fullmatch(r"[1-9]\d*", n) for n in parts.values()
        ):
            raise BadInput(f"--repeats {text!r}: give a number, or ingest=2,answer=3,judge=2")
        return cls(**{name: int(number) for name, number in parts.items()})


@dataclass(frozen=True, slots=True)
class Grading:
    """The models that answer and judge, as recorded in the manifest; an empty name means none.

    `reading` is how the answering model reads the memories of systems that don't choose a reading themselves. With
    `cant_tell`, it may say so instead of picking a letter.
    """

    answer: str = ""
    judge: str = ""
    paper_exact: bool = False
    repeats: Repeats = Repeats()
    reading: str = ""
    cant_tell: bool = False

    def record(self) -> dict[str, Any]:
        """The grading as the manifest stores it, without keys or passwords."""
        return {**asdict(self), "answer": recorded_model(self.answer), "judge": recorded_model(self.judge)}

    @classmethod
    def of_run(cls, manifest: Mapping[str, Any]) -> Grading:
        """The grading of a recorded run."""
        record = manifest.get("grading")
        return cls(**{**record, "repeats": Repeats(**record["repeats"])}) if record else cls()

    @property
    def needs_models(self) -> bool:
        return bool(self.answer or self.judge)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a store needs of a node of a cluster; what is None is as its system declares."""

    cpus: float | None = None
    gpus: float | None = None
    memory_gb: float | None = None

    @classmethod
    def parse(cls, text: str) -> Needs:
        """Parse `cpus=2,gpus=0.5,memory=8GB`.

        >>> Needs.parse("gpus=0.5,memory=8GB")
        Needs(cpus=None, gpus=0.5, memory_gb=8.0)
        """
        found: dict[str, float] = {}
        for part in filter(None, map(str.strip, text.split(","))):
            given = re.fullmatch(r"(cpus|gpus)=(\d{1,4}(?:\.\d+)?)|(memory)=(\d{1,6}(?:\.\d+)?) ?([GM]B)", part)
            if given is None:
                raise BadInput(f"--needs {text!r}: say what a store needs as in cpus=2,gpus=0.5,memory=8GB")
            if given[1]:
                found[given[1]] = float(given[2])
            else:
                found["memory_gb"] = float(given[4]) / (1 if given[5] == "GB" else 1000)
        return cls(**found)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run: calls and stores at a time, dollars, errors, and the cache.

    With `hold`, no chat model is asked: the run stops where calls are due, and their replies can be imported. With
    `batch`, answers and judgings go through the provider's batches; None means as the run was begun. `patience` is how
    many seconds an endpoint that answers nothing is waited for. `pass_env` are the environment
    variables that processes of systems may see beside harmless ones. `call_timeout` is how many seconds one call of a
    system may take; None leaves it at 600, and at what a system's name says. `on` is the cluster that fills the stores
    (`ray`, `ray:auto`, `ray://HOST:PORT`), and `needs` what one of them needs there; empty is this machine.
    There, `jobs` processes fill the stores of memtriage's own systems; None is as many as there are processors, if the
    run is large enough, and 1 this process alone.
    """

    concurrency: int = 32
    max_cost: Decimal | None = None
    max_errors: int | None = None
    cache: Path | None = None
    use_cache: bool = True
    stores: int = 4
    hold: bool = False
    batch: bool | None = None
    patience: float = PATIENCE
    pass_env: tuple[str, ...] = ()
    call_timeout: float | None = None
    on: str = ""
    needs: Needs = Needs()
    jobs: int | None = None

    def after_spending(self, spent: Decimal) -> Limits:
        """The limits that remain after spending this many dollars."""
        if self.max_cost is None:
            return self
        return replace(self, max_cost=max(Decimal(0), self.max_cost - spent))


class RunSettings(TypedDict, total=False):
    """The settings of a run as `RunConfig.of` and `memtriage.run` take them; what each means stands there."""

    suite: str | Sequence[str]
    k: K | Iterable[K] | None
    context_tokens: int | str | Iterable[int | str] | None
    seed: int
    rows: int | None
    data: str | Path | None
    options: Mapping[str, str] | None
    answers: bool
    looks: int
    answer: str | None
    judge: str | None
    internal: str | None
    embed: str | None
    repeats: int | str
    reading: str | None
    paper_exact: bool
    cant_tell: bool
    limits: Limits | None
    command: str | None


@dataclass(frozen=True, slots=True)
class RunConfig:
    """The suites, systems and settings of a run. With `own_answers`, systems answer themselves."""

    systems: tuple[SystemSpec, ...]
    suites: tuple[str, ...] = ("memfail",)
    ks: tuple[K, ...] = DEFAULT_KS
    request: Request = field(default_factory=Request)
    own_answers: bool = False
    looks: int = LOOKS
    grading: Grading = field(default_factory=Grading)
    internal: str = field(default="", repr=False)
    embed: str = field(default="", repr=False)
    limits: Limits = field(default_factory=Limits)
    command: str = "memtriage.run(…)"

    def __post_init__(self) -> None:
        if not self.systems:
            raise BadInput("no system to test; name one with --system, or see `memtriage systems`")
        labels = [spec.label for spec in self.systems]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise BadInput(
                f"system {twice!r} is named twice; from Python, tell two of a kind apart with a dict of names"
            )

    @classmethod
    def of(
        cls,
        *systems: object,
        suite: str | Sequence[str] = "memfail",
        k: K | Iterable[K] | None = None,
        context_tokens: int | str | Iterable[int | str] | None = None,
        seed: int = 42,
        rows: int | None = None,
        data: str | Path | None = None,
        options: Mapping[str, str] | None = None,
        answers: bool = False,
        looks: int = LOOKS,
        answer: str | None = None,
        judge: str | None = None,
        internal: str | None = None,
        embed: str | None = None,
        repeats: int | str = 1,
        reading: str | None = None,
        paper_exact: bool = False,
        cant_tell: bool = False,
        limits: Limits | None = None,
        command: str | None = None,
    ) -> RunConfig:
        """Build a configuration from the arguments of Python callers and the command line.

        A system is an object with the three functions, its class, a name as on the command line, or a dict from names
        to any of these. Without any, the built-in systems are compared. `answer` and `judge` name models
        (`openai/gpt-5-mini`, `http://127.0.0.1:8000/v1#qwen3-8b`, `local/smollm2`) for the full depth; `internal` and
        `embed` name the models for systems that write or embed with one. `reading` is how the answering model reads
        the memories: `direct`, `con` (notes first), `direct-json` or `con-json`, with `+dates` or `+nodates` where
        their dates should be shown or not. With `cant_tell`, lettered questions may be answered so.

        `k` is how much comes back: numbers of memories, or `"native"`, what a system hands its own users. With
        `context_tokens`, every system fills the same number of tokens instead. Give both to compare both ways.
        """
        reading_of(reading)
        chosen = reading or ""
        if chosen and not answer:
            raise BadInput(f"--reading {chosen} is how a model reads what came back; name one with --answer")
        if cant_tell and not answer:
            raise BadInput("--cant-tell is what a model may answer; name one with --answer")
        if cant_tell and paper_exact:
            raise BadInput("--cant-tell is not in the paper, where a letter is always picked; leave out --paper-exact")
        if rows is not None and (not isinstance(rows, int) or rows < 1):
            raise BadInput(f"rows must be a whole number from 1 on, not {rows!r}")
        return cls(
            systems=system_specs(systems or DEFAULT_SYSTEMS),
            suites=(suite,) if isinstance(suite, str) else tuple(suite),
            ks=_ks(k, context_tokens),
            request=Request(
                seed,
                rows,
                Path(data) if data is not None else None,
                dict(options or {}),
                paper_exact=paper_exact and bool(answer),  # what harnesses do while they store, a model does
            ),
            own_answers=answers,
            looks=looks,
            grading=Grading(answer or "", judge or "", paper_exact, Repeats.parse(str(repeats)), chosen, cant_tell),
            internal=internal or "",
            embed=embed or "",
            limits=limits or Limits(),
            command=command or "memtriage.run(…)",
        )

    @property
    def models(self) -> dict[str, str]:
        """The labels of the models inside systems, by the constructor argument that takes them."""
        return models_inside(self.internal, self.embed)

    def record(self) -> dict[str, Any]:
        """The configuration as the manifest stores it."""
        request = self.request
        return {
            "suites": list(self.suites),
            "seed": request.seed,
            "rows": request.rows,
            "data": well_formed(str(request.data)) if request.data else None,
            "options": dict(request.options),
            "ks": list(self.ks),
            "answers": self.own_answers,
            "looks": self.looks,
            "grading": self.grading.record(),
            "models": self.models,
        }

    def toml(self) -> str:
        """The settings as a file for `memtriage run -c`, by the names of its options; keys and passwords left out."""
        usual = _limit_options(Limits())
        settings: dict[str, Any] = {
            "suite": list(self.suites),
            "system": [spec.label for spec in self.systems],
            "k": list(self.ks),
            "seed": self.request.seed,
            "rows": self.request.rows,
            "data": str(self.request.data) if self.request.data else None,
            "answer": "system" if self.own_answers else recorded_model(self.grading.answer),
            "judge": recorded_model(self.grading.judge),
            "internal": self.models["internal"],
            "embed": self.models["embedder"],
            "repeats": ",".join(f"{each}={n}" for each, n in asdict(self.grading.repeats).items() if n > 1),
            "reading": self.grading.reading,
            "paper_exact": self.grading.paper_exact,
            "cant_tell": self.grading.cant_tell,
            "looks": self.looks,
            **{name: value for name, value in _limit_options(self.limits).items() if value != usual[name]},
        }
        lines = [
            "# The settings of this run. The same again: memtriage run -c THIS_FILE --out NEW_FOLDER",
            "# Keys are the options of `memtriage run`; what the command line says comes first.",
        ]
        if in_python := [spec.label for spec in self.systems if not names_system(spec.label)]:
            lines.append(
                f"# Made in Python, so name file and class instead (my_memory.py:MyMemory): {_toml(in_python)}"
            )
        lines += [f"{key} = {_toml(value)}" for key, value in settings.items() if _is_set(value)]
        if self.request.options:
            lines += ["", "[option]"]
            lines += [f"{_toml(name)} = {_toml(value)}" for name, value in self.request.options.items()]
        return "\n".join(lines) + "\n"


def _limit_options(limits: Limits) -> dict[str, Any]:
    """Limits by the options that set them."""
    return {
        "max_cost": None if limits.max_cost is None else float(limits.max_cost),
        "max_errors": limits.max_errors,
        "patience": f"{limits.patience:g}s",
        "concurrency": limits.concurrency,
        "parallel": limits.stores,
        "pass_env": list(limits.pass_env),
        "cache": str(limits.cache) if limits.cache else None,
        "no_cache": not limits.use_cache,
        "hold": limits.hold,
        "batch": limits.batch,
    }


def _is_set(value: Any) -> bool:
    """Whether a setting has a value; 0 is one."""
    return value is not None and value is not False and value not in ("", [])


def _toml(value: Any) -> str:
    """A text, number, truth or list as TOML, which writes them as JSON does, except for one character."""
    return well_formed(json.dumps(value, ensure_ascii=False)).replace("\x7f", "\\u007f")


def models_inside(internal: str, embed: str) -> dict[str, str]:
    """Models that systems use, as the manifest names them, by the constructor argument that takes them."""
    return {"internal": recorded_model(internal), "embedder": embedder_label(embed)}


def model_label(spec: str) -> str:
    """The name of a model in tables and files."""
    return ModelSpec.parse(spec).label if spec else ""


def embedder_label(name: str) -> str:
    """The name of an embedding model in tables and files: its spec, or the name of an offline one."""
    return ModelSpec.parse(name).with_preset().label if names_endpoint(name) else preset_written_out(name)


def recorded_model(spec: str) -> str:
    """A model as the manifest stores it: everything needed to ask it again, except keys and passwords."""
    if not spec or (seconds := ModelSpec.parse(spec).settings.timeout) is None:
        return model_label(spec)
    return f"{model_label(spec)}{'&' if '?' in model_label(spec) else '?'}timeout={seconds:g}"


def _ks(k: K | Iterable[K] | None, context_tokens: int | str | Iterable[int | str] | None) -> tuple[K, ...]:
    """All that a run asks for, without duplicates: the system's own amount, numbers of tokens, numbers of memories."""
    given = () if context_tokens is None else _listed(context_tokens)
    chosen: list[K] = [f"{tokens_in(value, 'context_tokens')} tokens" for value in given]
    if k is not None or not chosen:
        chosen += [_k(value) for value in (DEFAULT_KS if k is None else _listed(k))]
    if not chosen:
        raise BadInput("no k; give at least one, as in --k 5,10")
    return tuple(sorted(set(chosen), key=k_order))


def _listed(values: int | str | Iterable[K]) -> list[K]:
    """The values, which may stand in one text with commas."""
    if isinstance(values, str):
        return [part.strip() for part in values.split(",") if part.strip()]
    return [values] if isinstance(values, int) else list(values)


def _k(value: object) -> K:
    k = parse_k(value) if isinstance(value, str) else value
    if not isinstance(k, int | str) or isinstance(k, bool):
        raise BadInput(f"k must be whole numbers or native, as in k=[5, 10, 'native'], not {value!r}")
    if isinstance(k, int) and k < 1:
        raise BadInput(f"k must be at least 1, not {k}")
    if isinstance(k, str) and k != NATIVE and token_budget(k) is None:
        raise BadInput(f"a context must have at least 1 token, not {value!r}")
    return k
