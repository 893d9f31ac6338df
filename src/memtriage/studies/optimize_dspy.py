"""Search for better prompts with DSPy: COPRO, which rewrites them, or SIMBA, which appends advice and examples.

DSPy talks to a local server in this process, which asks the named model through memtriage: with its key, its retries
and its cache, so that the same search again proposes the same and costs nothing.
"""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from itertools import count
from typing import Any, Literal, get_args

from memtriage.config import Limits
from memtriage.core.chat import Message, ModelError
from memtriage.core.errors import BadInput, install_extra, unknown
from memtriage.core.trace import Usage
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.spec import ModelSpec
from memtriage.models.system_models import SystemModels, Writer
from memtriage.pipeline.models import open_system_models
from memtriage.studies.optimize import Evaluate, Prompts

STAGE = "propose"

Optimizer = Literal["copro", "simba"]
OPTIMIZERS: tuple[Optimizer, ...] = get_args(Optimizer)

_TEMPERATURE = {"copro": 1.0, "simba": 0.9}
"""How the proposing model is asked, unless its name says otherwise; SIMBA's is that of MEME's paper."""

_READING = ("retrieve", "query", "search", "read", "answer")
"""What the names of prompts have in them that are used when a question is asked; all others store."""


class DspySearch:
    """Looks for better prompts with an optimizer of DSPy's.

    `copro` is coordinate ascent over the prompts: `breadth` proposals, `depth` times. `simba` goes `depth` times
    through `batch` of the training episodes: it samples `breadth` rollouts of each, and where they differ most, or went
    worst, it appends a rule or an example to the prompts, and never takes anything away. The defaults are those of
    MEME's paper.
    """

    def __init__(
        self,
        model: str,
        *,
        optimizer: str = "copro",
        breadth: int = 4,
        depth: int = 2,
        batch: int = 4,
        seed: int = 0,
        limits: Limits | None = None,
    ) -> None:
        if optimizer not in OPTIMIZERS:
            raise BadInput(unknown("--optimizer", optimizer, OPTIMIZERS))
        if breadth < 2:
            raise BadInput(f"--breadth must be at least 2, not {breadth}: one of the proposals is the prompt as it is")
        if depth < 1:
            raise BadInput(f"--depth must be at least 1, not {depth}")
        if batch < 1:
            raise BadInput(f"--batch must be at least 1, not {batch}")
        self._model = _with_temperature(model, _TEMPERATURE[optimizer])
        self._optimizer, self._seed = optimizer, seed
        self._breadth, self._depth, self._batch = breadth, depth, batch
        self._limits = limits or Limits()
        _dspy()  # report a missing library now, not after the first run

    def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
        """Search, and return what the proposing model used."""
        dspy = _dspy()
        search = {"copro": self._copro, "simba": self._simba}[self._optimizer]
        with open_system_models(self._limits) as system_models, _serve(self._model, system_models) as proposer:
            model = dspy.LM(
                f"openai/{ModelSpec.parse(self._model).model}",
                api_base=proposer.url,
                api_key="memtriage",
                cache=False,  # memtriage has one of its own
                num_retries=0,
            )
            examples = [dspy.Example(episode=episode).with_inputs("episode") for episode in episodes]
            try:
                with redirect_stdout(io.StringIO()), dspy.context(lm=model):  # it prints its prompts
                    search(dspy, model, start, examples, evaluate)
            except Exception as error:  # if the model failed, its own error says more than DSPy's
                if proposer.problem is not None:
                    raise proposer.problem from error
                raise ModelError("malformed", f"DSPy gave up: {type(error).__name__}: {error}") from error
            if proposer.problem is not None:  # SIMBA goes on without the advice that it did not get
                raise proposer.problem
            return proposer.usage

    def _copro(self, dspy: Any, model: Any, start: Prompts, examples: Sequence[Any], evaluate: Evaluate) -> None:
        search = dspy.COPRO(
            prompt_model=model,
            metric=lambda example, prediction, trace=None: prediction.score,
            breadth=self._breadth,
            depth=self._depth,
            init_temperature=1.0,
        )
        quiet = {"num_threads": 1, "display_progress": False, "display_table": False}
        search.compile(_program(dspy, start, evaluate), trainset=list(examples), eval_kwargs=quiet)

    def _simba(self, dspy: Any, model: Any, start: Prompts, examples: Sequence[Any], evaluate: Evaluate) -> None:
        search = dspy.SIMBA(
            prompt_model=model,
            metric=_reward(dspy),
            bsize=min(self._batch, len(examples)),
            num_candidates=self._breadth,
            max_steps=self._depth,
            num_threads=1,  # a run has threads of its own
        )
        found = search.compile(_rollout_program(dspy, start, evaluate), trainset=list(examples), seed=self._seed)
        for candidate in found.candidate_programs:
            evaluate(candidate["program"].prompts())


def _dspy() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # otherwise it looks up prices on the network
    try:
        import dspy  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise BadInput(
            f"prompts are tuned with DSPy, which is missing ({error}); install it with: {install_extra('optimize')}"
        ) from None
    logging.getLogger("dspy").setLevel(logging.ERROR)  # it logs every proposal, and warns of itself
    return dspy


def _program(dspy: Any, start: Prompts, evaluate: Evaluate) -> Any:
    """The memory system as a DSPy program, with a predictor for each prompt."""

    class Memory(dspy.Module):  # type: ignore[misc, name-defined, unused-ignore]
        def __init__(self) -> None:
            super().__init__()
            self.parts = [dspy.Predict(dspy.Signature("material -> reply", text)) for text in start.values()]

        def forward(self, episode: str) -> Any:
            prompts = {name: part.signature.instructions for name, part in zip(start, self.parts, strict=True)}
            return dspy.Prediction(score=evaluate(prompts)[episode])

    return Memory()


def _reward(dspy: Any) -> Any:
    """The score of a rollout, with what became of each question."""

    def reward(example: Any, prediction: Any, trace: Any = None) -> Any:
        return dspy.Prediction(score=prediction.score, findings=prediction.findings)

    return reward


def _rollout_program(dspy: Any, start: Prompts, evaluate: Evaluate) -> Any:
    """The memory system as a DSPy program that leaves a trace: what each prompt was given, and what came of it."""

    class Memory(dspy.Module):  # type: ignore[misc, name-defined, unused-ignore]
        """A memory system. It is told the sessions of an episode, keeps memories, and brings some back when asked."""

        def __init__(self) -> None:
            super().__init__()
            self.parts = {name: dspy.Predict(dspy.Signature("material -> reply", text)) for name, text in start.items()}

        def prompts(self) -> dict[str, str]:
            return {name: _with_examples(part) for name, part in self.parts.items()}

        def forward(self, episode: str) -> Any:
            sampled = next(iter(self.parts.values())).lm  # set where several rollouts are wanted
            repeat = int(sampled.kwargs.get("rollout_id") or 0) if sampled is not None else 0
            found = evaluate.episode(self.prompts(), episode, repeat)
            for name, part in self.parts.items():
                reads = any(word in name for word in _READING)
                material, reply = (found.asked, found.brought) if reads else (found.told, found.kept)
                if dspy.settings.trace is not None:
                    dspy.settings.trace.append((part, {"material": material}, dspy.Prediction(reply=reply)))
            return dspy.Prediction(score=found.score, findings=found.findings)

    return Memory()


def _with_examples(part: Any) -> str:
    """A prompt with the examples that were appended to it."""
    text = str(part.signature.instructions)
    for number, demo in enumerate(part.demos, 1):
        text += f"\n\nExample {number}, of material:\n{demo.material}\n\nand what was made of it:\n{demo.reply}"
    return text


class _Proposer:
    """Serves the proposing model. Each request counts as another repeat, so a repeated search hits the cache."""

    def __init__(self, model: str, system_models: SystemModels) -> None:
        self.problem: ModelError | None = None
        self.url = ""
        self._model, self._system_models = model, system_models
        self._repeats = count()
        self._writers: list[Writer] = []

    @property
    def usage(self) -> Usage:
        return sum((writer.usage for writer in self._writers), Usage())

    def __call__(self, request: Request) -> Reply:
        writer = self._system_models.writer(self._model, repeat=next(self._repeats))
        self._writers.append(writer)
        known = {"system": "system", "assistant": "assistant"}
        messages = [Message(known.get(role, "user"), text) for role, text in request.messages]  # type: ignore[arg-type]
        try:
            return Reply(writer.ask(messages, stage=STAGE).text)
        except ModelError as error:
            self.problem = error
            return Reply(str(error), status=400)


@contextmanager
def _serve(model: str, system_models: SystemModels) -> Iterator[_Proposer]:
    proposer = _Proposer(model, system_models)
    with StubServer(proposer, keep=0) as server:
        proposer.url = server.url
        yield proposer


def _with_temperature(model: str, temperature: float) -> str:
    """The model with this temperature, unless one is set, so that its proposals differ."""
    if ModelSpec.parse(model).settings.temperature is not None:
        return model
    return f"{model}{'&' if '?' in model else '?'}temperature={temperature:g}"
