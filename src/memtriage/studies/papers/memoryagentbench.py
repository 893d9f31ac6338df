"""The tables and figures of MemoryAgentBench (arXiv:2507.05257)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memtriage.studies.exhibits import (
    Column,
    Elsewhere,
    Exhibit,
    Listing,
    NotHere,
    Paper,
    Printed,
    Runs,
    Statistics,
    Trial,
)
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind

PAPER = Paper(
    "memoryagentbench",
    "Evaluating Memory in LLM Agents via Incremental Multi-Turn Interactions (MemoryAgentBench)",
    "arXiv:2507.05257",
)

# ------------------------------------------------------------------ what is run

_READER = "full-context"
_RETRIEVERS = ("bm25", "dense")
_RAPTOR = "raptor:granularity=turn"  # whose leaves are the paper's chunks
_STRUCTURES = (_RAPTOR, "graphrag", "memorag", "hipporag", "mem0", "cognee", "zep")
_MEMGPT = "memgpt:ingest=archive"  # as the paper ran it: pieces go straight into the archive
_SYSTEMS = (_READER, *_RETRIEVERS, *_STRUCTURES, "self-rag", _MEMGPT, "mirix")

_SHORT = {"length": "6k"}
_ROWS = {
    "sh-docqa": 100,
    "mh-docqa": 100,
    "longmemeval": 300,
    "eventqa": 500,
    "icl": 500,
    "recommendation": 200,
    "summarization": 100,
    "detective": 71,
    "factconsolidation-sh": 100,
    "factconsolidation-mh": 100,
}
"""The questions of each task (table 5)."""


def _trial(kind: str, **settings: object) -> Trial:
    name = f"memoryagentbench/{kind}"
    small = {"rows": 5, "options": {**_SHORT, "contexts": "5"}} if kind == "icl" else {"rows": 2, "options": _SHORT}
    return replace(Trial(name, (name,), _SYSTEMS, rows=_ROWS[kind], small=small), **settings)  # type: ignore[arg-type]


MAIN = {kind: _trial(kind) for kind in _ROWS}

_CHUNKS = ("512", "1024", "2048", "4096")
CHUNKED = {
    kind: _trial(
        kind,
        id=f"memoryagentbench/{kind}-chunks",
        systems=(*_RETRIEVERS, "hipporag", _MEMGPT),
        vary={"chunk": _CHUNKS},
    )
    for kind in ("sh-docqa", "mh-docqa", "summarization")
}
DEPTH = {
    kind: _trial(
        kind, id=f"memoryagentbench/{kind}-k", systems=(*_RETRIEVERS, _RAPTOR, "hipporag", "self-rag"), k=(2, 5, 10)
    )
    for kind in ("sh-docqa", "mh-docqa", "eventqa", "icl")
}
_LENGTHS = {
    "sh-docqa": ("51k", "104k", "197k"),
    "mh-docqa": ("51k", "104k", "421k"),
    "eventqa": ("51k", "108k", "534k"),
    "factconsolidation-sh": ("32k", "64k", "262k"),
    "factconsolidation-mh": ("32k", "64k", "262k"),
}
LENGTHS = {
    kind: _trial(
        kind,
        id=f"memoryagentbench/{kind}-lengths",
        systems=(_READER, "mem0", "cognee"),
        vary={"length": lengths},
        small={"rows": 2},
    )
    for kind, lengths in _LENGTHS.items()
}
_BACKBONES = ("eventqa", "recommendation", "summarization", "factconsolidation-sh")
BACKBONES = {
    kind: _trial(
        kind,
        id=f"memoryagentbench/{kind}-backbones",
        systems=(*_RETRIEVERS, "graphrag", "mirix"),
        models=("answer", "internal"),
    )
    for kind in _BACKBONES
}
REASONING = {
    kind: _trial(
        kind,
        id=f"memoryagentbench/{kind}-reasoning",
        systems=(_READER,),
        models=("answer",),
        vary={"length": ("6k", "32k")},
        small={"rows": 2},
    )
    for kind in ("factconsolidation-sh", "factconsolidation-mh")
}
TIMED = {
    kind: _trial(
        kind,
        id=f"memoryagentbench/{kind}-times",
        systems=_SYSTEMS,
        vary={"chunk": ("512", "4096")},
    )
    for kind in ("mh-docqa", "longmemeval")
}

# ------------------------------------------------------------------ columns

_COMPETENCIES: Mapping[str, Mapping[str, str]] = {
    "AR": {"SH-QA": "sh-docqa", "MH-QA": "mh-docqa", "LME(S*)": "longmemeval", "EventQA": "eventqa"},
    "TTL": {"MCC": "icl", "Recom.": "recommendation"},
    "LRU": {"Summ.": "summarization", "DetQA": "detective"},
    "SF": {"FC-SH": "factconsolidation-sh", "FC-MH": "factconsolidation-mh"},
}
_TITLES = {kind: label for tasks in _COMPETENCIES.values() for label, kind in tasks.items()}


def _column(label: str, kind: str, trials: Mapping[str, Trial], **more: object) -> Column:
    column = Column(label, tasks=(f"memoryagentbench/{kind}",), trial=trials[kind].id)
    return replace(column, **more)  # type: ignore[arg-type]


def _table_2() -> tuple[Column, ...]:
    """Each competency's tasks and their mean, then the mean of the competencies."""
    columns: list[Column] = []
    for group, tasks in _COMPETENCIES.items():
        columns += [_column(label, kind, MAIN, group=group) for label, kind in tasks.items()]
        columns.append(Column("Avg.", mean_of=tuple(f"{group}/{label}" for label in tasks), group=group))
    return (*columns, Column("Overall", mean_of=tuple(f"{group}/Avg." for group in _COMPETENCIES)))


def _varied(trials: Mapping[str, Trial], axis: str, number: str = "accuracy") -> tuple[Column, ...]:
    """A column for each value on the axis, below each task."""
    return tuple(
        _column(value, kind, trials, number=number, where={axis: value}, group=_TITLES[kind])
        for kind, trial in trials.items()
        for value in trial.vary[axis]
    )


def _by_depth(kinds: Sequence[str]) -> tuple[Column, ...]:
    return tuple(_column(f"R={k}", kind, DEPTH, k=k, group=_TITLES[kind]) for kind in kinds for k in (2, 5, 10))


_TIMES = tuple(
    _column(label, kind, TIMED, number=number, where={"chunk": chunk}, group=f"{_TITLES[kind]} {chunk}")
    for kind in TIMED
    for chunk in ("512", "4096")
    for label, number in (("M.C.", "construction_seconds"), ("Q.E.", "question_seconds"))
)
_MCC = {"BANKING": "banking77", "CLINC": "clinc150", "NLU": "nlu", "TREC C": "trec_coarse", "TREC F": "trec_fine"}

# ------------------------------------------------------------------ rows


def _row(label: str, printed: str, system: str = "", group: str = "") -> Printed:
    """A row from its numbers as the paper prints them; `-` is none."""
    numbers = tuple(None if number == "-" else float(number) for number in printed.split())
    return Printed(label, numbers, system, group=group)


_LONG, _SIMPLE, _EMBEDDING = "Long-Context Agents", "Simple RAG Agents", "Embedding RAG Agents"
_STRUCTURED, _AGENTIC = "Structure-Augmented RAG Agents", "Agentic Memory Agents"


def _grouped(rows: Mapping[str, tuple[str, str, str]]) -> tuple[Printed, ...]:
    return tuple(_row(label, numbers, system, group) for label, (numbers, system, group) in rows.items())


_TABLE_2 = {
    "GPT-4o": ("72.0 51.0 32.0 77.2 58.1 87.6 12.3 50.0 32.2 77.5 54.9 60.0 5.0 32.5 48.8", "", _LONG),
    "GPT-4o-mini": ("64.0 43.0 30.7 59.0 49.2 82.0 15.1 48.6 28.9 63.4 46.2 45.0 5.0 25.0 42.2", _READER, _LONG),
    "GPT-4.1-mini": ("83.0 66.0 55.7 82.6 71.8 75.6 16.7 46.2 41.9 56.3 49.1 36.0 5.0 20.5 46.9", "", _LONG),
    "Gemini-2.0-Flash": ("87.0 59.0 47.0 67.2 65.1 84.0 8.7 46.4 23.9 59.2 41.6 30.0 3.0 16.5 42.4", "", _LONG),
    "Claude-3.7-Sonnet": ("77.0 53.0 34.0 74.6 59.7 89.4 18.3 53.9 52.5 71.8 62.2 43.0 2.0 22.5 49.6", "", _LONG),
    "BM25": ("66.0 56.0 45.3 74.6 60.5 75.4 13.6 44.5 19.0 52.1 35.6 48.0 3.0 25.5 41.5", "bm25", _SIMPLE),
    "Contriever": ("22.0 31.0 15.7 66.8 33.9 70.6 15.2 42.9 17.2 42.3 29.8 18.0 7.0 12.5 29.8", "", _EMBEDDING),
    "Text-Embed-3-Small": (
        "60.0 44.0 48.3 63.0 53.8 70.0 15.3 42.7 17.7 54.9 36.3 28.0 3.0 15.5 37.1",
        "dense",
        _EMBEDDING,
    ),
    "Text-Embed-3-Large": ("54.0 44.0 50.3 70.0 54.6 72.4 16.2 44.3 18.2 56.3 37.3 28.0 4.0 16.0 38.0", "", _EMBEDDING),
    "Qwen3-Embedding-4B": ("57.0 47.0 43.3 71.4 54.7 78.0 12.2 45.1 14.8 59.2 37.0 29.0 3.0 16.0 38.2", "", _EMBEDDING),
    "RAPTOR": ("29.0 38.0 34.3 45.8 36.8 59.4 12.3 35.9 13.4 42.3 27.9 14.0 1.0 7.5 27.0", _RAPTOR, _STRUCTURED),
    "GraphRAG": ("47.0 47.0 35.0 34.4 40.9 39.8 9.8 24.8 0.4 39.4 19.9 14.0 2.0 8.0 23.4", "graphrag", _STRUCTURED),
    "MemoRAG": ("29.0 33.0 20.0 56.0 34.5 77.0 13.1 45.1 9.2 50.7 30.0 21.0 7.0 14.0 30.9", "memorag", _STRUCTURED),
    "HippoRAG-v2": (
        "76.0 66.0 50.7 67.6 65.1 61.4 10.2 35.8 14.6 57.7 36.2 54.0 5.0 29.5 41.6",
        "hipporag",
        _STRUCTURED,
    ),
    "Mem0": ("25.0 32.0 36.0 37.5 32.6 32.4 10.0 21.2 4.8 36.6 20.7 18.0 2.0 10.0 21.1", "mem0", _STRUCTURED),
    "Cognee": ("31.0 26.0 29.3 26.8 28.3 35.4 10.1 22.8 2.3 29.6 16.0 28.0 3.0 15.5 20.6", "cognee", _STRUCTURED),
    "Zep": ("44.0 25.0 38.3 42.5 37.5 62.8 12.1 37.5 4.2 28.2 16.2 7.0 3.0 5.0 24.0", "zep", _STRUCTURED),
    "Self-RAG": ("35.0 42.0 25.7 31.8 33.6 11.6 12.8 12.2 0.9 35.2 18.1 19.0 3.0 11.0 18.7", "self-rag", _AGENTIC),
    "MemGPT": ("41.0 38.0 32.0 26.2 34.3 67.6 14.0 40.8 2.5 42.3 22.4 28.0 3.0 15.5 28.3", _MEMGPT, _AGENTIC),
    "MIRIX": ("62.0 61.0 37.3 29.8 47.5 38.4 9.8 24.1 9.9 40.8 25.4 14.0 2.0 8.0 26.2", "mirix", _AGENTIC),
    "MIRIX (4.1-mini)": ("73.0 75.0 51.0 53.0 63.0 61.0 10.3 35.7 18.9 62.0 40.5 20.0 3.0 11.5 37.7", "", _AGENTIC),
}
_TABLE_6 = {
    "GPT-4o": ("96.0 96.0 90.0 87.0 69.0", "", _LONG),
    "GPT-4o-mini": ("93.0 93.0 87.0 73.0 66.0", _READER, _LONG),
    "GPT-4.1-mini": ("93.0 82.0 85.0 68.0 50.0", "", _LONG),
    "Gemini-2.0-Flash": ("91.0 90.0 84.0 88.0 67.0", "", _LONG),
    "Claude-3.7-Sonnet": ("97.0 98.0 86.0 87.0 79.0", "", _LONG),
    "BM25": ("89.0 89.0 84.0 62.0 53.0", "bm25", _SIMPLE),
    "Contriever": ("89.0 88.0 80.0 55.0 41.0", "", _EMBEDDING),
    "Text-Embed-3-Small": ("88.0 89.0 83.0 54.0 36.0", "dense", _EMBEDDING),
    "Text-Embed-3-Large": ("90.0 91.0 80.0 55.0 46.0", "", _EMBEDDING),
    "Qwen3-Embedding-4B": ("90.0 88.0 86.0 67.0 59.0", "", _EMBEDDING),
    "RAPTOR": ("78.0 75.0 73.0 48.0 23.0", _RAPTOR, _STRUCTURED),
    "GraphRAG": ("64.0 54.0 49.0 24.0 6.0", "graphrag", _STRUCTURED),
    "MemoRAG": ("90.0 87.0 86.0 66.0 56.0", "memorag", _STRUCTURED),
    "HippoRAG-v2": ("81.0 86.0 73.0 38.0 29.0", "hipporag", _STRUCTURED),
    "Mem0": ("35.0 37.0 35.0 29.0 26.0", "mem0", _STRUCTURED),
    "Cognee": ("34.0 42.0 42.0 41.0 18.0", "cognee", _STRUCTURED),
    "Zep": ("83.0 74.0 70.0 50.0 37.0", "zep", _STRUCTURED),
    "Self-RAG": ("19.0 13.0 6.0 15.0 5.0", "self-rag", _AGENTIC),
    "MemGPT": ("89.0 83.0 79.0 56.0 31.0", _MEMGPT, _AGENTIC),
    "MIRIX": ("42.0 53.0 49.0 36.0 12.0", "mirix", _AGENTIC),
    "MIRIX (4.1-mini)": ("65.0 83.0 69.0 73.0 25.0", "", _AGENTIC),
}
_TABLE_3 = {
    "BM25": (
        "bm25",
        ("74.6 13.6 19.0 48.0 38.8", "76.4 14.0 19.4 51.0 40.2", "70.8 10.0 18.9 47.0 36.7"),
    ),
    "Text-Embed-3-Small": (
        "dense",
        ("63.0 15.3 17.7 28.0 31.0", "62.0 15.5 17.9 30.0 31.4", "64.0 10.3 17.2 27.0 29.6"),
    ),
    "GraphRAG": ("graphrag", ("34.4 9.8 0.4 14.0 14.7", "39.0 10.3 1.2 16.0 16.6", "36.2 7.2 0.8 13.0 14.3")),
    "MIRIX": ("mirix", ("29.8 9.8 9.9 14.0 15.9", "53.0 10.3 18.9 20.0 25.6")),
}
_MODELS = ("openai/gpt-4o-mini", "openai/gpt-4.1-mini", "gemini/gemini-2.0-flash")
_TABLE_7 = (
    _row("BM25", "66.0 67.0 68.0 66.0 56.0 54.0 52.0 56.0 11.5 13.2 15.2 19.0", "bm25"),
    _row("Qwen3-Embedding-4B", "57.0 53.0 52.0 50.0 47.0 44.0 40.0 38.0 7.9 9.4 13.2 14.8", "dense"),
    _row("HippoRAG-v2", "76.0 70.0 57.0 49.0 66.0 63.0 51.0 38.0 4.6 6.0 10.5 14.6", "hipporag"),
    _row("MemGPT", "41.0 32.0 24.0 27.0 38.0 33.0 37.0 35.0 1.2 1.8 4.2 2.5", _MEMGPT),
)
_TABLE_8 = (
    _row("BM25", "50.0 60.0 66.0 49.0 54.0 56.0 66.6 71.2 74.6 67.8 74.6 75.4", "bm25"),
    _row("Contriever", "17.0 20.0 22.0 22.0 27.0 31.0 54.4 66.8 56.0 63.0 70.0 70.6"),
    _row("Text-Embed-3-Large", "36.0 47.0 54.0 37.0 41.0 44.0 51.8 62.4 70.0 59.4 69.4 72.4", "dense"),
    _row("RAPTOR", "22.0 27.0 29.0 30.0 36.0 38.0 45.8 41.8 40.4 56.3 57.4 59.4", _RAPTOR),
    _row("HippoRAG-v2", "60.0 69.0 76.0 53.0 60.0 66.0 58.8 67.6 67.4 58.8 61.4 61.4", "hipporag"),
    _row("Self-RAG", "27.0 33.0 35.0 34.0 39.0 42.0 28.2 30.6 31.8 9.0 11.6 11.6", "self-rag"),
)
_TABLE_9 = (
    _row("GPT-4o", "91.0 84.0 72.0 72.0 68.0 51.0 96.8 94.0 77.2 88.0 85.0 60.0 10.0 13.0 5.0"),
    _row("GPT-4o-mini", "84.0 83.0 64.0 58.0 54.0 43.0 90.2 85.8 59.0 63.0 58.0 45.0 10.0 5.0 5.0", _READER),
    _row("GPT-4.1-mini", "93.0 86.0 83.0 72.0 75.0 66.0 97.0 93.8 82.6 82.0 72.0 36.0 7.0 9.0 5.0"),
    _row("Gemini-2.0-Flash", "92.0 87.0 87.0 69.0 61.0 59.0 93.4 88.6 67.2 49.0 62.0 30.0 7.0 9.0 3.0"),
    _row("Claude-3.7-Sonnet", "90.0 82.0 77.0 67.0 59.0 53.0 96.6 95.2 74.6 46.0 45.0 43.0 2.0 2.0 2.0"),
    _row("Mem0", "31.0 25.0 25.0 36.0 29.0 32.0 60.8 47.0 37.5 22.0 8.0 18.0 3.0 2.0 2.0", "mem0"),
    _row("Cognee", "38.0 42.0 31.0 36.0 38.0 26.0 53.4 39.0 26.8 39.0 31.0 28.0 4.0 5.0 3.0", "cognee"),
)
_TABLE_11 = tuple(
    _row(label, numbers, system)
    for label, numbers, system in (
        ("BM25", "0.12 0.47 0.11 1.7 0.09 1.1 0.08 1.9", "bm25"),
        ("Contriever", "7.4 0.59 1.7 2.0 6.9 0.92 1.6 1.9", ""),
        ("Text-Embed-3-Large", "6.1 0.46 5.0 1.7 6.5 0.62 5.8 1.8", "dense"),
        ("Qwen3-Embedding-4B", "367 0.49 470 1.9 293 0.71 372 1.8", ""),
        ("RAPTOR", "193 0.41 161 0.67 108 0.60 104 0.53", _RAPTOR),
        ("GraphRAG", "97.8 12.8 91.9 10.9 149 7.0 88.8 7.8", "graphrag"),
        ("HippoRAG-v2", "1089 0.71 380 1.71 544 1.5 188 3.5", "hipporag"),
        ("Mem0", "10804 0.79 1334 0.65 18483 1.6 2946 1.7", "mem0"),
        ("Cognee", "11890 58.7 1185 4.8 4728 7.7 738 4.1", "cognee"),
        ("Self-RAG", "11.4 3.1 8.1 2.4 5.3 0.82 5.2 1.0", "self-rag"),
        ("MemGPT", "433 9.4 101 10.5 392 11.7 85.5 12.3", _MEMGPT),
        ("MIRIX", "29000 - 20171 14.1 12600 - 3258 8.7", "mirix"),
        ("MIRIX (GPT-4.1-mini)", "28800 - 21361 16.9 9000 - 2512 9.2", ""),
    )
)


def _by_model(label: str, system: str, rows: Sequence[str]) -> tuple[Printed, ...]:
    return tuple(
        replace(_row(f"{label}, {model.partition('/')[2]}", numbers, system), at={"answer": model})
        for model, numbers in zip(_MODELS, rows, strict=False)
    )


# ------------------------------------------------------------------ what is different here

_READS = (
    "A long-context agent is `full-context` with the model that --answer names, and that model's window; the paper has "
    "five of them."
)
_EMBEDS = "`dense` embeds with wordllama unless --embed names another model, such as contriever."
_MADE_UP = "Contexts are made up unless --data has the released files."
_COUNTERPARTS = (
    "`raptor`, `graphrag`, `memorag`, `hipporag`, `self-rag` and `memgpt` are memtriage's own small designs after "
    "those papers; `microsoft-graphrag`, `hipporag-2` and `letta` are the authors' packages, and --system names them."
)
_LABELS = (
    "Without --data, three contexts of made-up intents stand in for BANKING77, CLINC150 and NLU, and questions by type "
    "for TREC."
)
_GENERAL = (_READS, _EMBEDS, _MADE_UP)
_MACHINE = "Times are those of the machine at hand; the paper's had four L40 GPUs. Query times leave out the answer."

_STATISTICS_1 = (
    ("Accurate Retrieval", "SH-Doc QA", "Accuracy", "197K", "one gold passage"),
    ("Accurate Retrieval", "MH-Doc QA", "Accuracy", "421K", "several gold passages"),
    ("Accurate Retrieval", "LongMemEval (S*)", "Accuracy", "355K", "dialogues"),
    ("Accurate Retrieval", "EventQA", "Accuracy", "534K", "events of characters, multiple choice"),
    ("Test-time Learning", "BANKING77", "Accuracy", "103K", "77 labels"),
    ("Test-time Learning", "CLINC150", "Accuracy", "103K", "151 labels"),
    ("Test-time Learning", "NLU", "Accuracy", "103K", "68 labels"),
    ("Test-time Learning", "TREC Coarse", "Accuracy", "103K", "6 labels"),
    ("Test-time Learning", "TREC Fine", "Accuracy", "103K", "50 labels"),
    ("Test-time Learning", "Movie Recommendation", "Recall@5", "1.44M", "films, from dialogues"),
    ("Long Range Understanding", "∞Bench-Sum", "F1-Score", "172K", "novels, names replaced"),
    ("Long Range Understanding", "Detective QA", "Accuracy", "124K", "detective novels"),
    ("Selective Forgetting", "FactConsolidation-SH", "Accuracy", "262K", "one fact"),
    ("Selective Forgetting", "FactConsolidation-MH", "Accuracy", "262K", "several facts"),
)
_SEQUENCES = ("1 : 100", "1 : 100", "5 : 300", "5 : 500", *["1 : 100"] * 5, "1 : 200", "100 : 100", "10 : 71")
_STATISTICS_5 = tuple(
    (capability, task, sequences, length)
    for (capability, task, _, length, _), sequences in zip(
        _STATISTICS_1, (*_SEQUENCES, "1 : 100", "1 : 100"), strict=True
    )
)

_LONGEST_ANSWERS: tuple[tuple[str, str, Kind], ...] = (
    ("SH-QA / MH-QA", "50", "sh-docqa"),
    ("LME(S*)", "100", "longmemeval"),
    ("EventQA", "40", "eventqa"),
    ("MCC", "20", "icl"),
    ("Movie Recommendation", "300", "recommendation"),
    ("∞Bench-Sum", "1,200", "summarization"),
    ("Detective QA", "500", "detective"),
    ("FactConsolidation", "10", "factconsolidation-sh"),
)
_SHORT_CHUNKS: tuple[Kind, ...] = (
    "sh-docqa",
    "mh-docqa",
    "factconsolidation-sh",
    "factconsolidation-mh",
    "longmemeval",
)
_LONG_CHUNKS: tuple[Kind, ...] = ("summarization", "icl", "recommendation", "eventqa", "detective")


def _chunks(*kinds: Kind) -> str:
    """The sizes of chunks that some tasks have here."""
    return ", ".join(sorted({str(SPECS[kind].chunk) for kind in kinds}))


EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit("memoryagentbench/figure-1", "The four competencies", NotHere("A drawing of four examples.")),
    Exhibit(
        "memoryagentbench/table-1",
        "Datasets, metrics and lengths",
        Statistics("memoryagentbench", "MemoryAgentBench, table 1", _STATISTICS_1),
        differs=(_LABELS,),
    ),
    Exhibit(
        "memoryagentbench/table-2",
        "All tasks, the mean of each competency, and the overall score",
        Runs(tuple(MAIN.values()), _table_2(), _grouped(_TABLE_2), percent=True),
        differs=(*_GENERAL, _COUNTERPARTS, "The paper prints GPT-4o-mini twice, with 42.2 and 42.3 overall."),
    ),
    Exhibit(
        "memoryagentbench/figure-2",
        "SH-Doc QA and ∞Bench-Sum by the size of chunks",
        Runs(
            (CHUNKED["sh-docqa"], CHUNKED["summarization"]),
            _varied({kind: CHUNKED[kind] for kind in ("sh-docqa", "summarization")}, "chunk"),
            tuple(replace(row, numbers=(*row.numbers[:4], *row.numbers[8:])) for row in _TABLE_7),
            percent=True,
        ),
        differs=(*_GENERAL, "The figure has no numbers; these are from table 7."),
    ),
    Exhibit(
        "memoryagentbench/figure-3",
        "Accuracy when 2, 5 or 10 chunks come back",
        Runs(tuple(DEPTH.values()), _by_depth(tuple(DEPTH)), _TABLE_8, percent=True),
        differs=(*_GENERAL, "The figure has no numbers; these are from table 8."),
    ),
    Exhibit(
        "memoryagentbench/table-3",
        "Four tasks by the model that answers",
        Runs(
            tuple(BACKBONES.values()),
            (
                *(_column(_TITLES[kind], kind, BACKBONES) for kind in _BACKBONES),
                Column("Avg.", mean_of=tuple(_TITLES[kind] for kind in _BACKBONES)),
            ),
            tuple(row for label, (system, rows) in _TABLE_3.items() for row in _by_model(label, system, rows)),
            row_axes=("answer",),
            percent=True,
        ),
        differs=(_EMBEDS, _MADE_UP, "MIRIX writes with the model that answers; here --internal names it."),
    ),
    Exhibit(
        "memoryagentbench/table-4",
        "Reasoning models on short FactConsolidation",
        Runs(
            tuple(REASONING.values()),
            _varied(REASONING, "length"),
            (
                replace(_row("GPT-4o", "92.0 88.0 28.0 10.0", _READER), at={"answer": "openai/gpt-4o"}),
                replace(_row("O4-mini", "100.0 61.0 80.0 14.0", _READER), at={"answer": "openai/o4-mini"}),
            ),
            row_axes=("answer",),
            percent=True,
        ),
        differs=(_READS, _MADE_UP),
    ),
    Exhibit(
        "memoryagentbench/table-5",
        "Contexts, questions and lengths",
        Statistics("memoryagentbench", "MemoryAgentBench, table 5", _STATISTICS_5),
        differs=(_LABELS, "The paper's 1K is 1,024 tokens; here it is 1,000."),
    ),
    Exhibit(
        "memoryagentbench/figure-4",
        "Prompts that build the memory",
        Elsewhere(
            "memtriage run --suite memoryagentbench --option acknowledge=yes",
            "Messages around chunks are in our own words; the acknowledgement is an option.",
        ),
    ),
    Exhibit(
        "memoryagentbench/figure-5",
        "Prompts that ask",
        Elsewhere(
            "memtriage run --suite memoryagentbench/summarization --option demonstrations=yes",
            "Instructions are in our own words; example summaries are an option.",
        ),
    ),
    Exhibit(
        "memoryagentbench/table-6",
        "Test-time learning, dataset by dataset",
        Runs(
            (MAIN["icl"],),
            tuple(_column(label, "icl", MAIN, tags={"dataset": name}) for label, name in _MCC.items()),
            _grouped(_TABLE_6),
            percent=True,
        ),
        differs=(*_GENERAL, _COUNTERPARTS, _LABELS),
    ),
    Exhibit(
        "memoryagentbench/table-7",
        "Three tasks by the size of chunks",
        Runs(tuple(CHUNKED.values()), _varied(CHUNKED, "chunk"), _TABLE_7, percent=True),
        differs=(*_GENERAL, _COUNTERPARTS),
    ),
    Exhibit(
        "memoryagentbench/table-8",
        "Four tasks when 2, 5 or 10 chunks come back",
        Runs(tuple(DEPTH.values()), _by_depth(tuple(DEPTH)), _TABLE_8, percent=True),
        differs=(*_GENERAL, _COUNTERPARTS),
    ),
    Exhibit(
        "memoryagentbench/table-9",
        "Five tasks by the length of contexts",
        Runs(tuple(LENGTHS.values()), _varied(LENGTHS, "length"), _TABLE_9, percent=True),
        differs=_GENERAL,
    ),
    Exhibit(
        "memoryagentbench/table-10",
        "Seconds for a question, long-context agents",
        Runs(
            tuple(MAIN[kind] for kind in ("mh-docqa", "longmemeval")),
            tuple(
                _column(_TITLES[kind], kind, MAIN, number="question_seconds") for kind in ("mh-docqa", "longmemeval")
            ),
            tuple(
                _row(label, numbers, system)
                for label, numbers, system in (
                    ("GPT-4o", "17.0 20.1", ""),
                    ("GPT-4o-mini", "4.9 5.4", _READER),
                    ("GPT-4.1-mini", "9.0 7.4", ""),
                    ("Gemini-2.0-Flash", "12.4 10.1", ""),
                    ("Claude-3.7-Sonnet", "23.3 22.7", ""),
                )
            ),
        ),
        differs=(_READS, _MACHINE, "With a model that answers, show --latency has the time of its answers too."),
    ),
    Exhibit(
        "memoryagentbench/table-11",
        "Seconds to build the memory and to ask it",
        Runs(tuple(TIMED.values()), _TIMES, _TABLE_11),
        differs=(_EMBEDS, _MACHINE, _COUNTERPARTS),
    ),
    Exhibit(
        "memoryagentbench/table-12",
        "Peak GPU memory of embedding models, in MB, by the size of chunks",
        Runs(
            (TIMED["mh-docqa"],),
            tuple(
                _column(chunk, "mh-docqa", TIMED, number="gpu_megabytes", where={"chunk": chunk})
                for chunk in ("512", "4096")
            ),
            (_row("HippoRAG-v2 (NV-Embed-v2)", "27674 60205"), _row("Qwen3-Embedding-4B", "16671 41262", "dense")),
        ),
        differs=(_EMBEDS, "Without a GPU there is nothing to measure. The paper's is an A100 with 80 GB."),
    ),
    Exhibit(
        "memoryagentbench/table-13",
        "The longest answers",
        Listing(
            ("Task", "Max Output Tokens", "Here"),
            tuple((title, printed, f"{SPECS[kind].max_tokens:,}") for title, printed, kind in _LONGEST_ANSWERS),
        ),
    ),
    Exhibit(
        "memoryagentbench/table-14",
        "The size of chunks",
        Listing(
            ("Chunk Size", "Dataset", "Here"),
            (
                ("512", "SH-QA, MH-QA, FactCon-SH, FactCon-MH, LME(S*)", _chunks(*_SHORT_CHUNKS)),
                ("4096", "∞Bench-Sum, MCC, Recom, EventQA, Detective QA", _chunks(*_LONG_CHUNKS)),
                ("4096", "all of them for Mem0, Zep, Cognee and MIRIX", "4096"),
            ),
        ),
    ),
)
