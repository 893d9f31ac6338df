"""Download LongMemEval's released files, check that they can be read, and note what they are.

>>> pull_longmemeval(Path("data/longmemeval"), splits=("s",))   # doctest: +SKIP
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from memtriage.disk import why, write_whole
from memtriage.errors import BadInput, unknown
from memtriage.suites.hub import Downloaded, Progress, download, endpoint
from memtriage.suites.longmemeval.complaints import Complaints
from memtriage.suites.longmemeval.files import SIZES, Entries, Size
from memtriage.suites.longmemeval.reading import Reader

DATASET = "xiaowu0162/longmemeval-cleaned"
HUB = "https://huggingface.co"
"""Where the dataset is served; a mirror answers under the same paths."""

RELEASED: Mapping[Size, str] = {
    "s": "longmemeval_s_cleaned.json",
    "m": "longmemeval_m_cleaned.json",
    "oracle": "longmemeval_oracle.json",
}
DEFAULT: tuple[Size, ...] = ("s",)
"""What is fetched where nothing is said; the histories of M take several gigabytes."""

_STAGE = ".incoming"
_NOTE = "pull.json"


def splits_of(options: Mapping[str, str] | None) -> tuple[Size, ...]:
    """The splits that options ask for: `split=s`, `split=s,oracle` or `split=all`.

    >>> splits_of({"split": "s,oracle"}), splits_of({})
    (('s', 'oracle'), ('s',))
    """
    for option in options or {}:
        if option != "split":
            raise BadInput(unknown("option of pulling longmemeval", option, ("split",)))
    text = (options or {}).get("split", "").strip().lower()
    if text == "all":
        return SIZES
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in SIZES:
            raise BadInput(unknown("split", name, (*SIZES, "all")))
    return tuple(size for size in SIZES if size in names) or DEFAULT


def pull_longmemeval(
    out: Path,
    revision: str = "main",
    mirror: str | None = None,
    progress: Progress | None = None,
    splits: Sequence[Size] = DEFAULT,
) -> Path:
    """Bring the files of some splits into a folder, with `pull.json` saying which they are; returns the folder.

    A file arrives beside its place and moves there once it has been read without a problem, so that a pull that fails
    leaves earlier data as it was, and the next one continues where it broke off. Other splits in the folder stay.
    """
    base = f"{endpoint(HUB, mirror)}/datasets/{DATASET}/resolve"
    stage = out / _STAGE
    for split in splits:
        (arrived,) = download(base, (RELEASED[split],), revision, stage, progress=progress)
        questions = _read(arrived)
        _note(out, arrived.file, None)  # it must not describe the new file, should moving it break off
        arrived.path.replace(out / arrived.file)
        _note(out, arrived.file, _record(arrived, questions, revision))
    with suppress(OSError):  # what another pull left there is kept
        stage.rmdir()
    return out


def _read(file: Downloaded) -> int:
    """The number of its questions; a file that can't be read whole is thrown away and named."""
    complaints = Complaints(file.path)
    reader = Reader(complaints)
    questions = 0
    try:
        for number, entry in Entries(file.path, complaints.of_file):
            if not questions and reader.question(number, entry) is None:
                raise BadInput("; ".join(complaints.lines()))
            questions += 1
        if not questions or complaints.of_any_file():
            raise BadInput("; ".join(complaints.lines()) or f"{file.path} holds no questions")
    except BadInput as error:
        file.path.unlink(missing_ok=True)
        raise BadInput(f"{file.url} arrived, but is not a file of LongMemEval: {error}") from error
    return questions


def _record(file: Downloaded, questions: int, revision: str) -> dict[str, object]:
    return {
        "path": file.file,
        "url": file.url,
        "revision": revision,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": file.sha256,
        "size": file.size,
        "questions": questions,
    }


def _note(out: Path, name: str, record: Mapping[str, object] | None) -> None:
    """Write down what a file is, beside what is known of the others that are still there."""
    path = out / _NOTE
    try:
        told = json.loads(path.read_text(encoding="utf-8"))["files"]
        others = [one for one in told if one["path"] != name and (out / str(one["path"])).is_file()]
    except (OSError, ValueError, KeyError, TypeError):
        others = []
    known = [*others, *([record] if record is not None else [])]
    try:
        write_whole(path, (json.dumps({"suite": "longmemeval", "files": known}, indent=2) + "\n").encode())
    except OSError as error:
        raise BadInput(f"{path} could not be written: {why(error)}") from error
