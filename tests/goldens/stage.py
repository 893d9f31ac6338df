"""Where scenes are played: commands in forks, scripted model servers, and what is kept of the outcome."""

from __future__ import annotations

import base64
import csv
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from goldens.listener import Listener
from goldens.normal import (
    MEASURED,
    STRUCK,
    Normal,
    canonical,
    columns,
    digest,
    lines,
    rounded,
    sha256,
    shape,
    short,
    verdict_counts,
)

HERE = Path(__file__).parent
SECTIONS = ("rows", "verdicts", "runs", "views", "tables", "prompts", "commands")

OF_STORES = tuple(f"memtriage.{name}/1" for name in ("stores", "latency", "costs"))
"""Views whose rows come in the order in which stores were finished, which a judge decides by the way."""

PRICED = ("reader", "judge", "writer")
"""The models that have a price; others are free."""

_ASIDE = re.compile(r"<(script|style)\b.*?</\1>|<meta [^>]*>|<svg\b.*?</svg>|<!-- seal: .*?-->\n", re.DOTALL)
_OF_RUN = re.compile(r"<!-- run: \w+ -->")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\+00:00)?|memtriage \d+\.\d+\.\d+")

_LOGGED = re.compile(r"^(DEBUG|INFO):.*\n", re.MULTILINE)
"""What libraries log because another one, imported before them, turned that on."""

_NOW = re.compile(r"(?<=\"created_at\": \")[^\"]+")
"""When a memory was made that was made just now, in a talk."""

Entries = dict[str, dict[str, Any]]
"""What was found, by section and name."""


class Said(NamedTuple):
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str


class Stage:
    """One process to fork commands from, the model servers, and a folder for all files."""

    def __init__(self, home: Path, tree: Path | None = None, dump: Path | None = None) -> None:
        self.home = home.resolve()
        self.dump = dump
        self.listener = Listener()
        self._servers: dict[str, str] = {}
        self._asked = 0
        self._worker = subprocess.Popen(
            [sys.executable, str(HERE / "worker.py")],
            env=_environment(self.home, tree, self.listener.url),
            cwd=self.home,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._warm()

    def __enter__(self) -> Stage:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.close()
        self._worker.wait()
        self._worker.stdout.close()
        self.listener.close()

    def server(self, script: str) -> str:
        """The address of a scripted model server, which runs until the end."""
        if script not in self._servers:
            log = self.home / f"server{len(self._servers)}"
            files = {"in": os.devnull, "out": str(log), "err": str(log.with_suffix(".err"))}
            command = ["serve-stub", script, "--port", "0"]
            self._request({"arguments": command, "stays": True, "cwd": str(self.home), **files})
            for _ in range(600):
                if log.exists() and "\n" in (said := log.read_text(encoding="utf-8")):
                    break
                time.sleep(0.05)
            self._servers[script] = said.split(" ")[0]
        return self._servers[script]

    def ask(self, cwd: Path, typed: str = "", **request: Any) -> Said:
        """Have the worker run something to its end."""
        self._asked += 1
        files = {name: self.home / f"{self._asked:04}.{name}" for name in ("in", "out", "err")}
        files["in"].write_text(typed, encoding="utf-8")
        code = self._request({**request, **{name: str(path) for name, path in files.items()}, "cwd": str(cwd)})
        out, err = _text(files["out"]), _LOGGED.sub("", _text(files["err"]))
        for path in files.values():
            path.unlink(missing_ok=True)
        return Said(code, out, err)

    def _request(self, request: dict[str, Any]) -> int:
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(request) + "\n")
        self._worker.stdin.flush()
        return int(json.loads(self._worker.stdout.readline()))

    def _warm(self) -> None:
        """Run a few commands: tokenizer and words get loaded, and the worker learns what it should import."""
        cwd = self.home / "warm"
        cwd.mkdir()
        for command in (
            "data generate memoryagentbench/factconsolidation-sh --rows 1 --length 2k --out d -q",
            "data generate memfail --rows 1 --out f -q",
            "data generate meme/personal-life --rows 1 --filler none --out m -q",
            "data generate longmemeval/oracle --rows 1 --out l -q",
            "calibrate --suite memfail/persona --rows 1 --json",
        ):
            assert self.ask(cwd, arguments=command.split(), here=True).code == 0
        self.listener.route("reader", self.server("content"))
        models = "--answer openai/reader --judge openai/reader"
        for command in (
            f"run --suite memfail --rows 1 --system bm25 --system dense --k 1 --out r -q {models}",
            f"explain r --failed --json {models}",
            "show r --json",
        ):
            said = self.ask(cwd, arguments=command.split(), learn=[str(cwd / "modules")])
            assert said.code == 0, said


class Scene:
    """A scene as it is played: its own folder, and the entries it leaves."""

    def __init__(self, stage: Stage, name: str) -> None:
        self.name = name
        self.path = stage.home / name
        self.path.mkdir()
        self.found: Entries = {section: {} for section in SECTIONS}
        self._stage = stage
        stage.listener.heard.clear()

    def model(self, name: str = "reader", script: str = "content") -> str:
        """A model of this name that follows a script, as the command line names it."""
        self._stage.listener.route(name, self._stage.server(script))
        return f"openai/{name}"

    def url(self, script: str = "content") -> str:
        """The address of a scripted server to which nobody listens."""
        return self._stage.server(script)

    def cli(self, *arguments: str, code: int | None = 0, typed: str = "") -> Said:
        """A memtriage command; a first argument with blanks is several."""
        split = [*arguments[0].split(), *arguments[1:]] if arguments else []
        said = self._stage.ask(self.path, typed, arguments=split)
        assert "Traceback" not in said.err, f"{' '.join(split)}\n{said.err}"
        assert code is None or said.code == code, f"{' '.join(split)}: exit {said.code}\n{said.err}{said.out}"
        return said

    def python(self, script: str) -> str:
        """What one of the given scripts prints."""
        said = self._stage.ask(self.path, script=str(self.given(script)))
        assert said.code == 0, said.err
        return said.out

    def given(self, name: str) -> Path:
        """A copy of what lies in `given`: a file or a folder."""
        source = HERE / "given" / name
        copied = shutil.copytree if source.is_dir() else shutil.copyfile
        return Path(copied(source, self.path / name))

    def write(self, name: str, content: Any) -> Path:
        """A file: a text as it is, a list as JSON lines where the name says so, anything else as JSON."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        elif name.endswith(".jsonl"):
            path.write_text("".join(json.dumps(each) + "\n" for each in content), encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
        return path

    def files(self, pattern: str) -> list[Path]:
        """The files that a pattern names."""
        return sorted(self.path.glob(pattern))

    # ------------------------------------------------------------------ what is kept

    def normal(self) -> Normal:
        return Normal({str(self.path): "DIR", str(self._stage.home): "HOME", sys.executable: "PYTHON"})

    def keep(self, section: str, name: str, entry: dict[str, Any], shown: str) -> None:
        """Keep an entry; `shown` is what was hashed, for whoever compares two trees."""
        full = f"{self.name}/{name}"
        assert full not in self.found[section], f"{section} {full} is there already"
        self.found[section][full] = entry
        if self._stage.dump is not None:
            path = self._stage.dump / section / f"{full.replace('/', '__')}.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(shown, encoding="utf-8", errors="surrogatepass")

    def rows(self, name: str, folder: str) -> None:
        """Every file of rows below a folder by its bytes, and what lies beside them without times and versions."""
        for path in sorted((self.path / folder).rglob("*")):
            if not path.is_file():
                continue
            file = f"{name}/{path.relative_to(self.path / folder)}"
            if path.name.startswith("generation_config"):
                told = self.normal().value(json.loads(path.read_bytes()))
                told["timestamp"] = STRUCK
                self.keep("rows", file, digest(told), _pretty(told))
            else:
                content = path.read_bytes()
                entry = {"sha256": sha256(content), "bytes": len(content)}
                self.keep("rows", file, entry, content.decode("utf-8", "surrogateescape"))

    def run(self, name: str, shapes: bool = False) -> None:
        """Everything a run left behind; with `shapes`, what its JSON is made of is told and not only hashed."""
        self.verdicts(name, self.path / name)
        self.directory(name, self.path / name, shapes)

    def verdicts(self, name: str, path: Path) -> None:
        """The verdicts and the stores of a run."""
        for file in ("verdicts.jsonl", "stores.jsonl"):
            normal = self.normal()
            told = [normal.value(line) for line in lines(path / file)]
            if file == "stores.jsonl":  # in the order in which they were finished
                told.sort(key=canonical)
            entry: dict[str, Any] = {"sha256": sha256(canonical(told)), "lines": len(told), "fields": columns(told)}
            if file == "verdicts.jsonl":
                entry |= {"verdicts": verdict_counts(told), "scores": normal.scores}
            self.keep("verdicts", f"{name}/{file}", entry, _listed(told))

    def directory(self, name: str, path: Path, shapes: bool = False) -> None:
        """The files of a run: which there are, what their JSON is made of, and what they hold."""
        files = sorted(str(each.relative_to(path)) for each in path.rglob("*") if each.is_file())
        self.keep("runs", f"{name}/files", {"files": files}, "\n".join(files))
        for file in sorted({file.removesuffix(".zst") for file in files}):
            is_told = file not in ("verdicts.jsonl", "stores.jsonl", "seal.json", "audit.json")
            if not is_told or Path(file).suffix not in (".json", ".jsonl"):
                continue
            normal = self.normal()
            told = [normal.value(line) for line in _read(path / file)]
            if file == "journal.jsonl":
                told.sort(key=_of_store)
            elif file in ("memories.jsonl", "bill.jsonl"):  # stores may be filled at the same time
                told.sort(key=canonical)
            entry: dict[str, Any] = {"sha256": sha256(canonical(told)), "lines": len(told)}
            if not file.startswith("episodes/"):  # all of them together have a shape, below
                entry["shape"] = shape(told) if shapes else short(shape(told))
            if normal.scores:
                entry["scores"] = normal.scores
            self.keep("runs", f"{name}/{file}", entry, _listed(told))
        episodes = [json.loads((path / file).read_bytes()) for file in files if file.startswith("episodes/")]
        found = shape(episodes)
        self.keep("runs", f"{name}/episodes", {"shape": found if shapes else short(found)}, "\n".join(found))

    def view(self, name: str, *arguments: str, code: int | None = 0, typed: str = "") -> Any:
        """What a command prints as JSON."""
        said = self.cli(*arguments, code=code, typed=typed)
        normal = self.normal()
        try:
            told = normal.value(json.loads(said.out))
        except ValueError:
            told = [normal.value(json.loads(line)) for line in _NOW.sub("NOW", said.out).split("\n") if line]
        if isinstance(told, dict) and told.get("schema") in OF_STORES:
            told["rows"].sort(key=canonical)
        entry = {"exit": said.code, **digest(told)}
        if normal.scores:
            entry["scores"] = normal.scores
        self.keep("views", name, entry, _pretty(told))
        return told

    def csv(self, name: str, *arguments: str, code: int | None = 0) -> None:
        """What a command prints as CSV."""
        said = self.cli(*arguments, code=code)
        normal = self.normal()
        told = [
            {key: STRUCK if key in MEASURED else normal.text(_number(value)) for key, value in row.items()}
            for row in csv.DictReader(said.out.splitlines())
        ]
        told.sort(key=canonical)
        self.keep("views", name, {"exit": said.code, **digest(told)}, _listed(told))

    def table(self, name: str, *arguments: str, code: int | None = 0, typed: str = "", timed: str = "") -> None:
        """What a command prints for people; `timed` are the times in it, or a table that has no other numbers."""
        said = self.cli(*arguments, code=code, typed=typed)
        told = self.normal().text(said.out, timed == "times")
        if timed == "all":
            told = re.sub("[ ─]+", " ", re.sub(r"\d[\d,.]*", "#", told))
        self.keep("tables", name, {"exit": said.code, "sha256": sha256(told), "lines": told.count("\n")}, told)

    def heard(self, name: str) -> None:
        """What models were asked since this was last kept: each request once, however often and in whatever order."""
        normal = self.normal()
        asked = sorted({canonical(normal.value(request)) for request in self._stage.listener.heard})
        self._stage.listener.heard.clear()
        kinds: dict[str, list[str]] = {}
        for request in asked:
            kinds.setdefault(_kind(json.loads(request)), []).append(request)
        told = {kind: f"{len(each)} x {short(each)}" for kind, each in sorted(kinds.items())}
        self.keep("prompts", name, {"sha256": sha256("\n".join(asked)), "kinds": told}, "\n".join(asked))

    def refused(self, name: str, *arguments: str) -> None:
        """Why a command is refused."""
        said = self.cli(*arguments, code=None)
        told = self.normal().text(said.err)
        self.keep("tables", name, {"exit": said.code, "says": told}, told)

    def text(self, name: str, file: Path) -> None:
        """What a file holds; JSON is read first."""
        if file.suffix in (".json", ".jsonl"):
            told = [self.normal().value(each) for each in _read(file)]
            self.keep("views", name, digest(told), _listed(told))
        else:
            said = self.normal().text(file.read_text(encoding="utf-8"))
            self.keep("views", name, {"sha256": sha256(said), "lines": said.count("\n")}, said)

    def page(self, name: str, file: str) -> None:
        """The data that a page of a run holds, and what it says without it."""
        page = (self.path / file).read_text(encoding="utf-8")
        told = self.normal().value(_payload(page))
        for struck in ("seconds", "scores"):
            told["verdicts"][struck] = STRUCK
        for store in told["stores"]:
            store["ingest"] = store["query"] = STRUCK
        told["stores"].sort(key=canonical)
        self.keep("views", name, digest(told), _pretty(told))
        said = self.normal().text(_MOMENT.sub("MOMENT", _OF_RUN.sub("", _ASIDE.sub("", page))))
        self.keep("tables", name, {"sha256": sha256(said), "lines": said.count("\n")}, said)


def _kind(request: list[Any]) -> str:
    """What a request is for: its path, its model, and the name of the schema it asks for, if it does."""
    path, body = request
    schema = ((body.get("response_format") or {}).get("json_schema") or {}).get("name", "")
    return f"{path} {body['model']} {schema}".strip()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _of_store(line: Mapping[str, Any]) -> tuple[str, ...]:
    """What a journal is sorted by: each store's lines stay as they are, but for answers, which come any time."""
    late = line["kind"] == "answer"
    return line.get("system", ""), line.get("episode", ""), canonical(line) if late else ""


def _number(text: str) -> str:
    """A number of a table with the digits that count; any other text as it is."""
    return str(rounded(float(text))) if re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", text) else text


def _payload(page: str) -> Any:
    packed = re.search(r'<script type="application/octet-stream" id="data">([^<]+)</script>', page)
    assert packed is not None
    return json.loads(gzip.decompress(base64.b64decode(packed[1])))


def _read(path: Path) -> list[Any]:
    return lines(path) if path.suffix == ".jsonl" else [json.loads(path.read_bytes())]


def _pretty(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _listed(values: list[Any]) -> str:
    return "".join(json.dumps(value, sort_keys=True, ensure_ascii=False) + "\n" for value in values)


def _environment(home: Path, tree: Path | None, url: str) -> dict[str, str]:
    """The variables of all commands: nothing of the user's, the tree that is to be examined, and where models are."""
    prices = home / "prices.json"
    prices.write_text(json.dumps({name: {"input": 0.4, "output": 1.6} for name in PRICED}))
    kept = {name: value for name, value in os.environ.items() if not re.match(r"MEMTRIAGE|OPENAI|PYTHON|XDG", name)}
    source = tree / "src" if tree is not None else _source()
    paths = [str(_metadata(home, source)), str(source), os.environ.get("PYTHONPATH", "")]
    return {
        **kept,
        "PYTHONPATH": os.pathsep.join(path for path in paths if path),
        "PYTHONUTF8": "1",
        "HOME": str(home),
        "MEMTRIAGE_HOME": str(home / "libraries"),
        "MEMTRIAGE_PRICES": str(prices),
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "sk-nobodys",
        "GIT_DIR": str(home / "no-git"),  # which commit it is does not matter, and takes time to find out
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    } | {name: os.environ[name] for name in ("PYTHONHASHSEED",) if name in os.environ}


def _source() -> Path:
    """The folder that `import memtriage` finds it in."""
    found = find_spec("memtriage")
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).resolve().parents[1]


def _metadata(home: Path, source: Path) -> Path:
    """A folder with the entry points that the tree's pyproject.toml names, whatever an older install says."""
    folder = home / "metadata"
    folder.mkdir()
    project = source.parent / "pyproject.toml"
    if not project.is_file():
        return folder
    told = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    groups: Mapping[str, Mapping[str, str]] = {"console_scripts": told["scripts"], **told["entry-points"]}
    info = folder / f"{told['name']}-{told['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {told['name']}\nVersion: {told['version']}\n")
    (info / "entry_points.txt").write_text(
        "\n".join(
            f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
            for group, points in groups.items()
        )
    )
    return folder


def fresh(folder: Path) -> Path:
    """An empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
