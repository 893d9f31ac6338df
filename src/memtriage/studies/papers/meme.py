"""The tables and figures of MEME (arXiv:2605.12477)."""

from __future__ import annotations

from memtriage.studies.exhibits import Column, Exhibit, Paper, Printed, Runs, Trial

PAPER = Paper("meme", "MEME: Multi-entity & Evolving Memory Evaluation", "arXiv:2605.12477")

_COUNTERPARTS = ("full-context", "bm25", "dense", "mem0", "graphiti", "mdfile", "wiki")
_SMALL = {"rows": 1, "options": {"filler": "none"}}

MAIN = Trial("meme/main", ("meme",), _COUNTERPARTS, rows=50, k=(5,), options={"filler": "32k"}, small=_SMALL)
DEPTH = Trial(
    *("meme/depth", ("meme",), ("bm25", "dense", "mem0")),
    rows=20,
    k=(5, 10, 20, 40),
    options={"filler": "32k"},
    small=_SMALL,
)

_TASKS = {
    "ER": "exact-recall",
    "Agg": "aggregation",
    "Tr": "tracking",
    "Del": "deletion",
    "Cas": "cascade",
    "Abs": "absence",
}
_ACCURACY = tuple(Column(label, tasks=(f"meme/{task}",), group="Accuracy") for label, task in _TASKS.items())
_OVERALL = Column("Overall", mean_of=tuple(f"Accuracy/{label}" for label in _TASKS), group="Accuracy")
_COST = (
    Column("Ingest", "ingest_dollars", group="Cost $/ep"),
    Column("Inference", "inference_dollars", group="Cost $/ep"),
)


def _depth_rows(label: str, system: str, *pairs: tuple[float, float]) -> tuple[Printed, ...]:
    return tuple(
        Printed(f"{label}, k = {k}", pair, system, {"k": k})
        for k, pair in zip(("5", "10", "20", "40"), pairs, strict=True)
    )


EXHIBITS = (
    Exhibit(
        "meme/table-2",
        "Accuracy on the six tasks, and cost",
        Runs(
            (MAIN,),
            (*_ACCURACY, _OVERALL, *_COST),
            (
                Printed(
                    *("gpt-4.1-mini", (1.00, 0.27, 0.69, 0.45, 0.03, 0.04, 0.36, None, 0.16), "full-context"),
                    group="In context",
                ),
                Printed("Sonnet 4.6", (0.50, 0.21, 0.58, 0.39, 0.05, 0.35, 0.32, None, 1.50), group="In context"),
                Printed("BM25", (1.00, 0.05, 0.16, 0.27, 0.02, 0.00, 0.25, None, 0.04), "bm25", group="Raw retrieval"),
                Printed(
                    *("text-embedding-3-small", (0.96, 0.33, 0.46, 0.17, 0.04, 0.00, 0.33, None, 0.03), "dense"),
                    group="Raw retrieval",
                ),
                Printed(
                    *("Mem0", (0.67, 0.35, 0.43, 0.21, 0.03, 0.00, 0.28, 0.10, 0.01), "mem0"),
                    group="Memory written by a model",
                ),
                Printed(
                    *("Graphiti", (0.03, 0.01, 0.04, 0.09, 0.02, 0.01, 0.03, 0.55, 0.00), "graphiti"),
                    group="Memory written by a model",
                ),
                Printed(
                    *("MD-flat", (0.94, 0.45, 0.77, 0.25, 0.06, 0.05, 0.42, 0.04, 0.01), "mdfile"),
                    group="Agents with files",
                ),
                Printed(
                    *("Karpathy Wiki", (0.11, 0.18, 0.27, 0.03, 0.01, 0.02, 0.10, 1.17, 0.22), "wiki"),
                    group="Agents with files",
                ),
                Printed("Average", (0.62, 0.23, 0.35, 0.17, 0.03, 0.01, 0.24, None, None), average=True),
            ),
            average="Average",
        ),
        differs=("`dense` embeds with wordllama unless --embed names another model.",),
    ),
    Exhibit(
        "meme/table-3a",
        "Cascade and absence, by how many memories come back",
        Runs(
            (DEPTH,),
            (Column("Cas", tasks=("meme/cascade",)), Column("Abs", tasks=("meme/absence",))),
            (
                *_depth_rows("BM25", "bm25", (0.02, 0.07), (0.00, 0.15), (0.02, 0.24), (0.02, 0.21)),
                *_depth_rows("text-emb-3-small", "dense", (0.02, 0.15), (0.02, 0.19), (0.00, 0.23), (0.00, 0.15)),
                *_depth_rows("Mem0", "mem0", (0.00, 0.04), (0.00, 0.02), (0.02, 0.02), (0.00, 0.02)),
            ),
            row_axes=("k",),
        ),
    ),
)
