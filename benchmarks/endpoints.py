"""A full-depth run against endpoints as real ones behave: how many probes end in an error, and what was asked in vain.

    python benchmarks/endpoints.py
    python benchmarks/endpoints.py --inside graphiti
    python benchmarks/endpoints.py --outages

The servers are those of tests/strict_servers.py; each is asked to answer and to judge the same run. Who cuts prompts
only answers, from the whole of what was said, so that a cut prompt could pass for one that was misread. With
`--inside`, a system writes its memories with the one that ignores response_format. With `--outages`, 100 questions go
to endpoints that never recover, with a timeout of one second and ten seconds of patience.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import strict_servers as strict
from memtriage import api
from memtriage.config import Limits
from memtriage.models.scripted.memory import memory
from memtriage.record.reader import RunReader
from model_server import NEVER, ModelServer, error

SERVERS: dict[str, Callable[[], strict.StrictServer]] = {
    "OpenAI's rules": strict.StrictServer,
    "OpenAI's rules, a model that thinks": lambda: strict.StrictServer(reasoning=True),
    "ignores response_format": strict.IgnoresFormat,
    "cuts prompts at 1,024 tokens": lambda: strict.CutsPrompts(window=1024),
    "Azure": strict.Azure,
    "only streams": strict.OnlyStreams,
    "Groq": strict.Groq,
    "xAI": strict.XAI,
    "Anthropic": strict.Anthropic,
    "Anthropic, a model that thinks": lambda: strict.Anthropic(thinks=True),
    "Gemini": strict.Gemini,
    "Bedrock": strict.Bedrock,
}

BROKEN = {
    "hangs": NEVER,
    "500": error(500, "oops"),
    "429": error(429, "slow down"),
    "429, Retry-After of 30 years": error(429, "slow down", headers={"retry-after": "1e9"}),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--inside", metavar="SYSTEM")
    parser.add_argument("--outages", action="store_true")
    chosen = parser.parse_args()
    os.environ["MEMTRIAGE_API_KEY"] = strict.KEY
    if chosen.outages:
        outages()
    else:
        inside(chosen.inside) if chosen.inside else full_depth()


def inside(system: str) -> None:
    """How many memories a system stores with a model that ignores response_format."""
    with tempfile.TemporaryDirectory() as place, strict.IgnoresFormat(memory) as server:
        found = api.run(
            system,
            suite="memfail/coexisting",
            rows=4,
            k=[5],
            internal=server.spec,
            embed="wordllama",
            out=Path(place) / "run",
            limits=Limits(cache=Path(place) / "calls.sqlite"),
        )
        print(f"{system}: {found.stores()[0].memories} memories, {found.errors} errors, {server.count} calls")


def outages() -> None:
    """How long a run with an endpoint that never recovers takes, and what it leaves behind."""
    print(f"{'endpoint':30} seconds requests errors recorded")
    limits = {"patience": 10.0} if "patience" in Limits.__dataclass_fields__ else {}  # also for versions without it
    for name, answer in BROKEN.items():
        with tempfile.TemporaryDirectory() as place, ModelServer(lambda *_, a=answer: a) as server:  # type: ignore[misc]
            began = time.perf_counter()
            found = api.run(
                "bm25",
                suite="memfail/coexisting",
                rows=100,
                k=[5],
                answer=f"{server.spec}?timeout=1",
                out=Path(place) / "run",
                limits=Limits(cache=Path(place) / "calls.sqlite", **limits),
            )
            seconds = time.perf_counter() - began
            with RunReader(found.path) as reader:
                recorded = [a for unit in reader.units for a in reader.answers(unit, server.spec).values()]
            print(
                f"{name:30} {seconds:7.0f} {server.count:8} {sum(a.error is not None for a in recorded):15}", flush=True
            )


def full_depth() -> None:
    """One line for each endpoint."""
    print(f"{'endpoint':38} probes errors misread  calls rejected")
    for name, start in SERVERS.items():
        with tempfile.TemporaryDirectory() as place, start() as server, strict.StrictServer() as other:
            if isinstance(server, strict.Anthropic | strict.Gemini | strict.Bedrock):
                address, key = server.variables
                os.environ |= {address: server.root, key: strict.KEY}
            try:
                found = api.run(
                    "full-context" if "cuts" in name else "bm25",
                    suite="memfail/coexisting",
                    rows=40,
                    k=[5],
                    answer=server.spec,
                    judge=(other if "cuts" in name else server).spec,
                    paper_exact=True,
                    options={"replies": "no"},
                    out=Path(place) / "run",
                    limits=Limits(cache=Path(place) / "calls.sqlite"),
                )
            except Exception as error:
                print(f"{name:38} {type(error).__name__}: {str(error)[:90]}")
                continue
            verdicts = [probe["verdict"] for probe in found.probes]
            told = (len(verdicts), verdicts.count("error"), verdicts.count("misread"))
            print(
                f"{name:38} {told[0]:6} {told[1]:6} {told[2]:7} {server.count:6} {len(server.rejected):8}", flush=True
            )


if __name__ == "__main__":
    main()
