"""What a run directory may start: anything if this user made it here, otherwise only what is named again.

A manifest names programs, files with code, services and models. One from elsewhere is data: whoever wrote it must not
get a command run, a file imported, or a prompt and a key sent to an address of their choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from memtriage import registry
from memtriage.config import Grading, RunConfig, models_inside
from memtriage.core.errors import BadInput, BadRun, unknown
from memtriage.host.environment import passed
from memtriage.host.shell import shell_word
from memtriage.record.reader import RunReader
from memtriage.registry import SystemSpec
from memtriage.runner.plan import code_changed

_BUNDLED_EMBEDDER = "wordllama"
_PLAIN_VALUE = re.compile(r"[\w+-]+|\d*\.\d+", re.ASCII)
"""A number or a word; paths, addresses and files with code have other characters in them."""


class Part(NamedTuple):
    """Something that a manifest names, and the option that names it again."""

    option: str
    text: str

    @property
    def effect(self) -> str:
        """What would happen."""
        if self.option == "--system":
            kinds = (each for pattern, each in _KINDS if re.search(pattern, self.text))
            return f"{next(kinds, 'start the system')} {shell_word(self.text)}"
        return f"{_ASKED[self.option]} {shell_word(self.text)}"


_KINDS = (
    (r"^proc[\[:]", "run the program"),
    (r"^mcp[\[:]", "run or contact the MCP server"),
    (r"^https?:", "contact the service"),
    (r"^[^:=]+:[^:=]+(:|$)", "import and run"),
)
_ASKED = {
    "--answer": "ask for answers from the model",
    "--judge": "ask for judgements from the model",
    "--internal": "let systems write with the model",
    "--embed": "let systems embed with",
    "--pass-env": "let its programs see the variable",
}


@dataclass(frozen=True, slots=True)
class Named:
    """The systems and models that the caller of a command names; they may be used whoever made the run.

    `command` is the command line as it was typed; empty if there was none. A system that is named by its file may have
    changed since the run began, unless `as_before`.
    """

    systems: tuple[SystemSpec, ...] = ()
    answer: str = ""
    judge: str = ""
    internal: str = ""
    embed: str = ""
    command: str = ""
    as_before: bool = False

    @classmethod
    def of(cls, config: RunConfig) -> Named:
        """Everything that a configuration names, for a run that is to be what it would be if it were made now."""
        grading = config.grading
        return cls(config.systems, grading.answer, grading.judge, config.internal, config.embed, as_before=True)

    def grading_of(self, manifest: Mapping[str, Any]) -> Grading:
        """The grading of a run, with the passwords of what is named here; its manifest has none."""
        given = {role: model for role in ("answer", "judge") if (model := getattr(self, role))}
        return replace(Grading.of_run(manifest), **given)

    def refuse_others(self, reader: RunReader, *, hold: bool = False) -> None:
        """Refuse names that the run doesn't have, and what it has and is not named: all if it was made elsewhere,
        otherwise files with code that changed since.

        With `hold`, no chat model is asked, so that none has to be named.
        """
        recorded = recorded_models(reader.manifest)
        labels = [str(system["label"]) for system in reader.manifest["systems"] or ()]
        for spec in self.systems:
            if spec.label not in labels:
                raise BadInput(f"{reader.path}: {unknown('system of this run', spec.label, labels)}")
        for role, model in self._models.items():
            if model and model != recorded[role]:
                raise BadInput(f"{reader.path} was made with --{role} {recorded[role]!r}, not with {model!r}")
        resume = self.command or f"memtriage resume {shell_word(reader.path)}"
        if reader.made_here:
            named_here = {spec.label for spec in self.systems}
            unnamed = [each for each in reader.manifest["systems"] or () if each["label"] not in named_here]
            if changed := [Part("--system", each["label"]) for each in unnamed if code_changed(each)]:
                raise _changed(reader.path, changed, resume)
            return
        asked = {role: model for role, model in recorded.items() if role == "embed" or not hold}
        parts = startable(labels, asked, reader.manifest.get("pass_env") or ())
        named = {("--system", spec.label) for spec in self.systems} | {("--pass-env", name) for name in passed()}
        named |= {(f"--{role}", model) for role, model in self._models.items()}
        if unnamed := [part for part in parts if part not in named]:
            raise refusal(reader.path, unnamed, resume, unnamed if self.command else parts)

    @property
    def _models(self) -> dict[str, str]:
        """The models by role, as a manifest names them."""
        grading, inside = Grading(self.answer, self.judge).record(), models_inside(self.internal, self.embed)
        return recorded_models({"grading": grading, "models": inside})


def startable(systems: Iterable[str], models: Mapping[str, str], variables: Iterable[str]) -> list[Part]:
    """What naming these would start, ask or show: systems, models by role, and variables of the environment."""
    parts = [Part("--system", label) for label in systems if not is_harmless(label)]
    parts += [Part(f"--{role}", model) for role, model in models.items() if model and not _asks_nobody(role, model)]
    return parts + [Part("--pass-env", name) for name in variables]


def recorded_models(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The models that a manifest names, by the option that names them."""
    grading, inside = manifest.get("grading") or {}, manifest.get("models") or {}
    places = {"answer": (grading, "answer"), "judge": (grading, "judge")}
    places |= {"internal": (inside, "internal"), "embed": (inside, "embedder")}
    return {role: str(record.get(name) or "") for role, (record, name) in places.items()}


def judge_of(reader: RunReader, command: str) -> str:
    """The run's judge, for whoever names no other; refused if the run was made elsewhere."""
    judge = recorded_models(reader.manifest)["judge"]
    if judge and not reader.made_here and not _asks_nobody("judge", judge):
        raise refusal(reader.path, part := [Part("--judge", judge)], command, part)
    return judge


def _changed(path: Path, changed: Sequence[Part], command: str) -> BadRun:
    """The error for a run of ones own whose files with code changed."""
    labels = ", ".join(shell_word(part.text) for part in changed)
    again = " ".join([command, *(f"{part.option} {shell_word(part.text)}" for part in changed)])
    return BadRun(
        f"{path}: the code of {labels} changed since the run began, so it was not imported. Run again to test the new "
        f"code alone. If you know the change, you can also go on with it; the run will say that it is there:\n  {again}"
    )


def refusal(path: Path, unnamed: Sequence[Part], command: str, options: Sequence[Part]) -> BadRun:
    """The error for a run from elsewhere: what it would start, and the command that lets it."""
    effects = "\n".join(f"  {part.effect}" for part in unnamed)
    again = " ".join([command, *(f"{part.option} {shell_word(part.text)}" for part in options)])
    hidden = ", with the password or value that *** stands for" if any("***" in part.text for part in options) else ""
    return BadRun(
        f"{path} was not made by you on this machine, or was changed since, so nothing in it is started unless you "
        f"name it. It would\n{effects}\nIf you trust all of that, name it again{hidden}:\n  {again}"
    )


def is_harmless(label: str) -> bool:
    """Whether a system is memtriage's own code, and its arguments name no file, address or model."""
    try:
        arguments = registry.built_in_arguments(label)
    except BadInput:
        return False
    return arguments is not None and all(_is_plain(name, value) for name, value in arguments.items())


def _is_plain(name: str, value: str) -> bool:
    if name == "embedder":
        return value == _BUNDLED_EMBEDDER
    return name not in ("internal", "prompts") and _PLAIN_VALUE.fullmatch(value) is not None


def _asks_nobody(role: str, model: str) -> bool:
    if role == "embed":
        return model == _BUNDLED_EMBEDDER
    return model == "offline" or model.startswith("offline/")
