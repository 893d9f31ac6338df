"""Replies that a strong model gave to the project's own prompts, kept so that runs can be made again without it.

A reply is kept under what it was about: every message but the instructions. So a prompt may be reworded without losing
its replies. The rows are kept too, in `recordings/rows.zip`, since generators get better. Other rows need new replies:

    python tests/recorded.py SCENE --internal MODEL --answer MODEL --judge MODEL

asks real models, each an OpenAI-compatible `http://HOST/v1#NAME`, and writes `recordings/SCENE.jsonl`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from model_server import Answer, ModelServer, error, says

RECORDINGS = Path(__file__).with_name("recordings")
ROLES = ("internal", "answer", "judge")

SCENES = {
    "memfail": "--suite memfail --system facts --system bm25",
    "meme": "--suite meme --system notes --system graph --system struct",
    "longmemeval": "--suite longmemeval --system lme --system facts",
    "memoryagentbench": "--suite memoryagentbench --system bm25",
    "agent": "--suite memfail --system mdfile",
}
ALIKE = "--seed 2027 --k 5 --looks 2 --quiet --no-cache --no-report".split()


def arguments(scene: str, url: str, folder: Path) -> list[str]:
    """The command that plays a scene, its rows in a folder; the models of all roles are at this address."""
    with ZipFile(RECORDINGS / "rows.zip") as rows:
        rows.extractall(folder, [name for name in rows.namelist() if name.startswith(f"{scene}/")])
    given = [*SCENES[scene].split(), "--data", str(folder / scene)]
    roles = ROLES if scene != "memoryagentbench" else ROLES[1:]
    return ["run", *given, *ALIKE, *(part for role in roles for part in (f"--{role}", f"{url}#{role}"))]


def key(body: Mapping[str, Any]) -> str:
    """What a request is about: its role, the form of the reply, and all that isn't an instruction."""
    form = (body.get("response_format") or {}).get("json_schema", {}).get("name")
    about = [message for message in body["messages"] if message["role"] != "system"]
    return hashlib.sha256(json.dumps([body["model"], form, about], sort_keys=True).encode()).hexdigest()[:20]


class Recording:
    """The replies of one scene. What it doesn't have is refused, and listed in `missing`."""

    def __init__(self, scene: str) -> None:
        lines = (RECORDINGS / f"{scene}.jsonl").read_text(encoding="utf-8").splitlines()
        self.replies = {each["key"]: each["reply"] for each in map(json.loads, lines)}
        self.used: set[str] = set()
        self.missing: list[Any] = []

    def __call__(self, _: int, body: Mapping[str, Any]) -> Answer:
        found = key(body)
        if found not in self.replies:
            self.missing.append(body["messages"][-1])
            return error(400, "nobody was asked this when the replies were recorded")
        self.used.add(found)
        reply = self.replies[found]
        if "tool_calls" in reply:
            return says(reply.get("content"), finish="tool_calls", tool_calls=reply["tool_calls"])
        return says(reply["content"])


def record(scene: str, models: Mapping[str, str]) -> None:
    """Play a scene with real models and keep what they say."""
    kept: dict[str, Any] = {}

    def ask(_: int, body: Mapping[str, Any]) -> Answer:
        place, _, name = models[body["model"]].partition("#")
        request = urllib.request.Request(
            f"{place}/chat/completions",
            json.dumps({**body, "model": name}).encode(),
            {"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=3600) as reply:
            message = json.load(reply)["choices"][0]["message"]
        said = {part: message[part] for part in ("content", "tool_calls") if message.get(part)}
        kept[key(body)] = {"key": key(body), "role": body["model"], "reply": said}
        return says(message.get("content"), **{k: v for k, v in said.items() if k == "tool_calls"})

    with ModelServer(ask) as server, tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "memtriage",
            *arguments(scene, server.url, Path(folder)),
            "--out",
            f"{folder}/run",
        ]
        subprocess.run(command, check=True)
    lines = sorted(json.dumps(each, ensure_ascii=False, sort_keys=True) for each in kept.values())
    RECORDINGS.mkdir(exist_ok=True)
    (RECORDINGS / f"{scene}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scene", choices=SCENES)
    for role in ROLES:
        parser.add_argument(f"--{role}", required=True)
    given = parser.parse_args()
    record(given.scene, {role: getattr(given, role) for role in ROLES})
