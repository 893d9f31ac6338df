"""Write docs/dependencies.md: every package that an install brings, with its licence, and what the core's cost on disk.

`python tools/dependencies.py` in a fresh environment made from requirements.lock (`make clean .venv/.installed`). The
libraries' packages are read from their own environments, where these are installed (MEMTRIAGE_HOME).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from memtriage.systems.libraries import catalog, environments

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "dependencies.md"

WHY = {
    "bm25s": "keyword search",
    "budoux": "words of Chinese and Japanese texts",
    "dateparser": "dates in memories",
    "genai-prices": "prices of models",
    "jinja2": "the page's template",
    "numpy": "vectors and statistics",
    "openai": "calls to models",
    "orjson": "lines of runs and released files, read and written quickly",
    "pint": "amounts with units",
    "pydantic": "checks of everything that is read",
    "pystemmer": "word stems",
    "python-dotenv": "keys in a .env file",
    "pyyaml": "suite files in YAML",
    "rapidfuzz": "edit distance of titles and sentences",
    "rensa": "near-duplicates",
    "rich": "tables and progress in a terminal",
    "splintr-rs": "token counts, with the vocabulary inside",
    "starlette": "`memtriage view`, an extra",
    "text2num": "number words",
    "typer": "the command line",
    "uvicorn": "`memtriage view`, an extra",
    "wordllama": "embeddings that need no download: the model is inside",
    "zstandard": "large files of runs, packed",
}

HEAD = """# Dependencies and licences

Written by `tools/dependencies.py`; not by hand.

What `make demo` installs takes {mb} MB beside memtriage itself: {packages} packages, of which memtriage asks for
{asked}, and the rest come with those. More than half of it is four: numpy, splintr-rs (the token table), wordllama
(the bundled embedding model) and openai. Sizes are of the files as installed, with the bytecode that pip compiles; on
disk, in whole blocks, it is about a tenth more. Vendors' packages are extras, and memory libraries have environments
of their own.

`toml`, which wordllama asks for, has had no release since 2020. memtriage doesn't use it; it leaves when wordllama
drops it.

## The core

| package | version | licence | MB | for |
| --- | --- | --- | --- | --- |
"""

LIBRARIES = """
## Memory libraries

Installed by `memtriage systems install NAME`, each with what it asks for. Packages of the core are not repeated.
Licences are as the packages declare them; “not declared” means that the package's metadata says nothing.

| package | licence | comes with |
| --- | --- | --- |
"""

_FREE_TEXT = {  # what a licence's text begins with, where a package gives the whole text
    r"apache|\s*licensed under the apache": "Apache-2.0",
    r"(the )?mit\b|permission is hereby granted": "MIT",
    r"(new |modified )?bsd|copyright .*redistribution and use": "BSD",
    r"mozilla|mpl": "MPL-2.0",
}


def pinned(lock: Path) -> dict[str, str]:
    """The packages of a lock, with their versions."""
    return dict(re.findall(r"^([a-z0-9._-]+)==([^\s\\;]+)", lock.read_text(), re.MULTILINE))


def licence(package: Distribution) -> str:
    """A package's licence in a few words, from whichever field says it."""
    said = package.metadata
    classified = [value.split(" :: ")[-1] for value in said.get_all("Classifier", ()) if value.startswith("License ::")]
    told = said.get("License-Expression") or ""
    if not told and classified and classified != ["OSI Approved"]:
        told = ", ".join(classified)
    told = told or said.get("License") or ""
    if len(told) > 60 or "\n" in told:
        told = next((name for start, name in _FREE_TEXT.items() if re.match(start, told, re.I | re.S)), told[:40])
    return " ".join(told.split()).replace("|", "/") or "not declared"


def megabytes(package: Distribution) -> float:
    """What a package's files take."""
    files = [Path(str(file.locate())) for file in package.files or ()]
    compiled = {
        each for file in files if file.suffix == ".py" for each in file.parent.glob(f"__pycache__/{file.stem}.*.pyc")
    }
    return sum(file.stat().st_size for file in {*files, *compiled} if file.is_file()) / 1e6


def installed(folder: Path | None = None) -> Mapping[str, Distribution]:
    """The packages of this environment, or of another one."""
    where: Iterable[Distribution] = distributions() if folder is None else distributions(path=[str(folder)])
    return {environments.normal_name(each.metadata["Name"]): each for each in where}


def main() -> None:
    core = pinned(ROOT / "requirements.lock")
    here = installed()
    if missing := sorted(core.keys() - here.keys()):
        raise SystemExit(f"install requirements.lock first; missing: {', '.join(missing)}")
    build = {"cython", "setuptools", "wheel"}  # to install memtriage itself from its sources
    rows = [
        f"| {name} | {version} | {licence(here[name])} | {megabytes(here[name]):.1f} | {WHY.get(name, '')} |"
        for name, version in sorted(core.items())
        if name not in build
    ]
    total = sum(megabytes(here[name]) for name in core.keys() - build)
    page = HEAD.format(mb=round(total), packages=len(rows), asked=len(WHY)) + "\n".join(rows) + "\n"

    found: dict[tuple[str, str], set[str]] = {}
    for name in catalog.names():
        folder = environments.python(catalog.library(name)).parents[1]
        for packages in folder.glob("lib/python*/site-packages"):
            for package, distribution in installed(packages).items():
                if package not in core and package != "pip":
                    found.setdefault((package, licence(distribution)), set()).add(name)
    if found:
        lines = (
            f"| {package} | {said} | {', '.join(sorted(users))} |" for (package, said), users in sorted(found.items())
        )
        page += LIBRARIES + "\n".join(lines) + "\n"
    PAGE.write_text(page)
    print(f"{PAGE}: {len(rows)} packages, {total:.0f} MB; {len(found)} packages of libraries")


if __name__ == "__main__":
    main()
