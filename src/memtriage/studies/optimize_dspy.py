"""Search for better prompts with DSPy's COPRO, which proposes instructions based on earlier scores.

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
from typing import Any

from memtriage.config import Limits
from memtriage.core.chat import Message, ModelError
from memtriage.core.errors import BadInput
from memtriage.core.trace import Usage
from memtriage.models.scripted import Reply, Request, StubServer
from memtriage.models.spec import ModelSpec
from memtriage.models.system_models import SystemModels, Writer
from memtriage.pipeline.models import open_system_models
from memtriage.studies.optimize import Evaluate, Prompts

STAGE = "propose"


class DspySearch:
    """Coordinate ascent over a system's prompts (DSPy's COPRO): `breadth` proposals, `depth` times."""

    def __init__(self, model: str, *, breadth: int = 4, depth: int = 2, limits: Limits | None = None) -> None:
        if breadth < 2:
            raise BadInput(f"--breadth must be at least 2, not {breadth}: one of the proposals is the prompt as it is")
        if depth < 1:
            raise BadInput(f"--depth must be at least 1, not {depth}")
        self._model = _with_temperature(model)
        self._breadth, self._depth = breadth, depth
        self._limits = limits or Limits()
        _dspy()  # report a missing library now, not after the first run

    def __call__(self, start: Prompts, episodes: Sequence[str], evaluate: Evaluate) -> Usage:
        """Search, and return what the proposing model used."""
        dspy = _dspy()
        with open_system_models(self._limits) as system_models, _serve(self._model, system_models) as proposer:
            model = dspy.LM(
                f"openai/{ModelSpec.parse(self._model).model}",
                api_base=proposer.url,
                api_key="memtriage",
                cache=False,  # memtriage has one of its own
                num_retries=0,
            )
            search = dspy.COPRO(
                prompt_model=model,
                metric=lambda example, prediction, trace=None: prediction.score,
                breadth=self._breadth,
                depth=self._depth,
                init_temperature=1.0,
            )
            examples = [dspy.Example(episode=episode).with_inputs("episode") for episode in episodes]
            quiet = {"num_threads": 1, "display_progress": False, "display_table": False}
            try:
                with redirect_stdout(io.StringIO()), dspy.context(lm=model):  # it prints its prompts
                    search.compile(_program(dspy, start, evaluate), trainset=examples, eval_kwargs=quiet)
            except Exception as error:  # if the model failed, its own error says more than DSPy's
                if proposer.problem is not None:
                    raise proposer.problem from error
                raise ModelError("malformed", f"DSPy gave up: {type(error).__name__}: {error}") from error
            return proposer.usage


def _dspy() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # otherwise it looks up prices on the network
    try:
        import dspy  # type: ignore[import-not-found, unused-ignore]
    except ImportError as error:
        raise BadInput(
            f'prompts are tuned with DSPy, which is not installed ({error}): pip install "memtriage[optimize]"'
        ) from None
    logging.getLogger("dspy").setLevel(logging.WARNING)  # it logs every proposal
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


def _with_temperature(model: str) -> str:
    """The model with a temperature of 1, unless one is set, so that its proposals differ."""
    if ModelSpec.parse(model).settings.temperature is not None:
        return model
    return f"{model}{'&' if '?' in model else '?'}temperature=1"
