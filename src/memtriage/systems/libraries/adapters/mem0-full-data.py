"""Fetches the data of Mem0's keyword and entity search when `mem0-full` is installed; runs in its environment.

    python mem0-full-data.py FOLDER PIP …       # PIP … is the command that runs pip

FOLDER/bm25 gets the stop words of fastembed's Qdrant/bm25, FOLDER/packages spaCy's English model. Either is taken from
where its library would fetch it, or from a file or folder that the user names. What can't be had is printed as a line
that begins "missing: " and says what to do. Without the stop words spaCy's own are written: they are those that
Mem0 leaves out wherever spaCy's model is there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

MODEL, RELEASE = "en_core_web_sm", "3.8.0"
SHA256 = "1932429db727d4bff3deed6b34cfc05df17794f4a52eeb26cf8928f7c1a0fb85"
PARTS = {"tagger", "parser", "ner"}
WHEEL, WORDS = "MEM0_SPACY_WHEEL", "MEM0_BM25_FOLDER"
AGAIN = "then run: memtriage systems install mem0-full --force"
NO_MODEL = (
    "Mem0 has no entity search: {why}. Download {file} (spaCy's release of its English model) where there is a "
    "network, set {variable} to the file, " + AGAIN
)
NOTE = (
    "Mem0's keyword search leaves out spaCy's English stop words, since those of Qdrant/bm25 could not be fetched when "
    f"it was installed. To have the original ones, set {WORDS} to a copy of that model's folder, {AGAIN}"
)


def main(folder: Path, pip: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    stop_words(folder / "bm25")
    english_model(folder / "packages", pip)


def stop_words(folder: Path) -> None:
    """The folder that fastembed reads Qdrant/bm25 from."""
    if named := os.environ.get(WORDS, "").strip():
        if not (Path(named) / "english.txt").is_file():
            sys.exit(f"ERROR: {WORDS} is {named}, and there is no english.txt in it")
        shutil.copytree(named, folder, dirs_exist_ok=True)
        return
    from huggingface_hub import snapshot_download

    try:
        snapshot_download("Qdrant/bm25", local_dir=folder, allow_patterns=["*.txt", "config.json"])
    except Exception as error:  # no network, a proxy, a hub that is down: all the same here
        print(f"Qdrant/bm25 could not be fetched: {error}")
    if not (folder / "english.txt").is_file():
        from spacy.lang.en.stop_words import STOP_WORDS

        folder.mkdir(exist_ok=True)
        (folder / "english.txt").write_text("\n".join(sorted(STOP_WORDS)) + "\n", "utf-8")
        (folder / "NOTE").write_text(NOTE + "\n", "utf-8")
        print(f"missing: {NOTE}")


def english_model(packages: Path, pip: list[str]) -> None:
    """spaCy's English model as a package, loaded once to see that it works."""
    from spacy import about
    from spacy.cli.download import get_model_filename

    file = get_model_filename(MODEL, RELEASE)
    named = os.environ.get(WHEEL, "").strip()
    wheel = named or f"{about.__download_url__}/{file}#sha256={SHA256}"
    if named and not Path(named).is_file():
        sys.exit(f"ERROR: {WHEEL} is {named}, and there is no such file")
    if named and hashlib.sha256(Path(named).read_bytes()).hexdigest() != SHA256:
        print(f"missing: {named} is not spaCy's own release of {MODEL} {RELEASE}; it is used all the same")
    options = ("--no-deps", "--no-input", "--disable-pip-version-check", "--retries", "2", "--timeout", "30")
    fetched = subprocess.run([*pip, "install", *options, "--target", str(packages), wheel], check=False)
    why = f"{MODEL} could not be fetched"
    if not fetched.returncode:
        code = f"import spacy; print(*spacy.load({MODEL!r}).pipe_names)"
        loaded = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(packages)},
            capture_output=True,
            text=True,
            check=False,
        )
        if set(loaded.stdout.split()) >= PARTS:
            return
        lines = loaded.stderr.strip().splitlines() or [f"its parts are {loaded.stdout.strip() or 'none'}"]
        why = f"{MODEL} does not work: {lines[-1][:200]}"
    shutil.rmtree(packages, ignore_errors=True)
    print("missing: " + NO_MODEL.format(why=why, file=file.rpartition("/")[2], variable=WHEEL))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
