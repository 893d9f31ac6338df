"""The tables and figures of MEME (arXiv:2605.12477)."""

from __future__ import annotations

from collections.abc import Mapping
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

PAPER = Paper("meme", "MEME: Multi-entity & Evolving Memory Evaluation", "arXiv:2605.12477")

# ------------------------------------------------------------------ what is run

_SYSTEMS = ("bm25", "dense", "mem0", "graphiti", "mdfile", "wiki")
_WRITERS = ("mem0", "graphiti", "mdfile")
_SMALL = {"rows": 1, "options": {"filler": "none"}}

MAIN = Trial(
    *("meme/main", ("meme",), ("full-context", *_SYSTEMS)),
    rows=50,
    k=(5,),
    options={"filler": "32k"},
    small=_SMALL,
)
DEPTH = Trial(
    *("meme/depth", ("meme",), ("bm25", "dense", "mem0")),
    rows=20,
    k=(5, 10, 20, 40),
    options={"filler": "32k"},
    small=_SMALL,
)
ANSWERS = replace(MAIN, id="meme/answers", systems=_SYSTEMS, models=("answer",))
INSIDE = replace(MAIN, id="meme/internal", systems=_WRITERS, rows=10, models=("internal",))
NOISE = Trial(
    *("meme/noise", ("meme",), ("mdfile", "mem0", "dense")),
    rows=20,
    k=(5,),
    vary={"filler": ("none", "32k", "128k")},
    small={"rows": 1, "vary": {"filler": ("none", "2k", "4k")}},
)
REPEATED = Trial(
    *("meme/repeated", ("meme",), ("mem0", "graphiti", "mdfile", "wiki")),
    rows=5,
    k=(5,),
    options={"filler": "32k"},
    settings={"repeats": "ingest=5"},
    small=_SMALL,
)
CEILING = replace(MAIN, id="meme/ceiling", systems=("gold-facts",), models=("answer",))

# ------------------------------------------------------------------ columns

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
_DEPENDENT = (Column("Cas", tasks=("meme/cascade",)), Column("Abs", tasks=("meme/absence",)))
_TOKENS = tuple(
    Column(f"{title} {way}", f"{stage}_{ways}", group="Tokens / episode")
    for title, stage in (("Ingest", "ingest"), ("Retrv", "retrieve"), ("Ans", "answer"))
    for way, ways in (("in", "input"), ("out", "output"))
)
_DOLLARS = Column("$/ep", "dollars")
_SPREAD = tuple(
    column
    for label, task in _TASKS.items()
    for column in (
        Column(label, tasks=(f"meme/{task}",)),
        Column("SD", "accuracy_sd", tasks=(f"meme/{task}",), group=label),
    )
)
_SPREAD_OVERALL = Column("Overall", mean_of=tuple(_TASKS))

# ------------------------------------------------------------------ what differs

_EMBEDS = "`dense` embeds with wordllama unless --embed names another model."
_CHUNKS = (
    "The paper's raw retrieval returns chunks of a session of up to 4,096 tokens; name "
    "`bm25:granularity=session` and `dense:granularity=session` for that. Here a memory is a turn."
)
_OWN_K = (
    "The paper leaves each system at its own k (Mem0: 20, Graphiti: 10, files: as many as they read); here all are "
    "asked for the same k."
)
_PRICES = "Dollars are today's list prices of the models you name, as if nothing had come from the cache."
_WIKI = "`wiki` is memtriage's own wiki of an agent, not claude-memory-compiler."
_SEEDS = "The paper takes a part of its 100 episodes; which one is not said."
_SETUP = (_EMBEDS, _CHUNKS, _OWN_K)

# ------------------------------------------------------------------ what the paper prints

_RAW, _WRITTEN, _FILES = "Raw retrieval", "Memory written by a model", "Agents with files"
_LABELS = {
    "bm25": ("BM25", _RAW),
    "dense": ("text-embedding-3-small", _RAW),
    "mem0": ("Mem0", _WRITTEN),
    "graphiti": ("Graphiti", _WRITTEN),
    "mdfile": ("MD-flat", _FILES),
    "wiki": ("Karpathy Wiki", _FILES),
}
_TABLE_2: dict[str, tuple[float | None, ...]] = {
    "bm25": (1.00, 0.05, 0.16, 0.27, 0.02, 0.00, 0.25, None, 0.04),
    "dense": (0.96, 0.33, 0.46, 0.17, 0.04, 0.00, 0.33, None, 0.03),
    "mem0": (0.67, 0.35, 0.43, 0.21, 0.03, 0.00, 0.28, 0.10, 0.01),
    "graphiti": (0.03, 0.01, 0.04, 0.09, 0.02, 0.01, 0.03, 0.55, 0.00),
    "mdfile": (0.94, 0.45, 0.77, 0.25, 0.06, 0.05, 0.42, 0.04, 0.01),
    "wiki": (0.11, 0.18, 0.27, 0.03, 0.01, 0.02, 0.10, 1.17, 0.22),
}
_SONNET: dict[str, tuple[float, ...]] = {
    "bm25": (0.70, 0.09, 0.11, 0.19, 0.01, 0.12, 0.20),
    "dense": (0.43, 0.27, 0.36, 0.20, 0.03, 0.16, 0.24),
    "mem0": (0.67, 0.65, 0.16, 0.03, 0.01, 0.00, 0.25),
    "graphiti": (0.03, 0.01, 0.00, 0.09, 0.04, 0.00, 0.03),
    "mdfile": (0.90, 0.69, 0.80, 0.24, 0.05, 0.05, 0.46),
    "wiki": (0.11, 0.18, 0.27, 0.03, 0.01, 0.02, 0.10),
}
"""Table 16 with Claude Sonnet 4 as the model that answers."""
_INSIDE = ("gpt-4.1-mini", "gpt-5", "GLM-5.1", "Opus 4.7")
_NAMES = {"GLM-5.1": "glm-5.1", "Opus 4.7": "claude-opus-4-7", "Sonnet 4": "claude-sonnet-4"}
"""The models' names in the price table."""
_TABLE_4 = {
    "mem0": (
        (0.70, 0.60, 0.10, 0.00, 0.00, 0.00, 0.23, 0.10, 0.04),
        (1.00, 0.75, 0.35, 0.10, 0.00, 0.00, 0.37, 0.34, 0.05),
        (0.85, 0.65, 0.30, 0.15, 0.07, 0.00, 0.34, 0.12, 0.04),
        (0.95, 0.60, 0.35, 0.05, 0.03, 0.00, 0.33, 6.00, 0.04),
    ),
    "graphiti": (
        (0.00, 0.05, 0.00, 0.05, 0.03, 0.00, 0.02, 0.55, 0.02),
        (0.00, 0.00, 0.00, 0.05, 0.00, 0.00, 0.01, 1.66, 0.01),
        (0.10, 0.00, 0.00, 0.05, 0.03, 0.00, 0.03, 0.65, 0.01),
        (0.00, 0.00, 0.00, 0.10, 0.00, 0.04, 0.02, 37.12, 0.02),
    ),
    "mdfile": (
        (0.90, 0.65, 0.80, 0.25, 0.00, 0.07, 0.45, 0.04, 0.02),
        (0.25, 0.20, 0.15, 0.35, 0.00, 0.30, 0.21, 0.23, 0.02),
        (0.90, 0.45, 0.25, 0.70, 0.13, 0.11, 0.42, 0.09, 0.02),
        (0.60, 0.80, 0.20, 0.80, 0.32, 0.59, 0.55, 3.87, 0.67),
    ),
}
_TABLE_5 = {
    "bm25": (0, 0, 0, 0, 93_926, 276, 0.038),
    "dense": (0, 0, 0, 0, 76_821, 272, 0.031),
    "mem0": (223_522, 8_703, 0, 0, 11_449, 414, 0.109),
    "graphiti": (1_297_456, 22_146, 0, 0, 3_872, 239, 0.556),
    "mdfile": (89_203, 4_990, 25_211, 760, 1_532, 346, 0.056),
    "wiki": (2_660_556, 67_487, 531_555, 2_248, 0, 0, 1.388),
}
_TABLE_6 = {
    "mem0": (
        (223_522, 8_703, 0, 0, 11_449, 414, 0.144, 1),
        (229_781, 5_611, 0, 0, 13_723, 515, 0.392, 2.7),
        (230_574, 5_994, 0, 0, 10_952, 478, 0.164, 1.1),
        (360_408, 7_912, 0, 0, 10_948, 467, 6.039, 42.0),
    ),
    "graphiti": (
        (1_297_456, 22_146, 0, 0, 3_872, 239, 0.570, 1),
        (1_202_858, 15_523, 0, 0, 3_367, 161, 1.671, 2.9),
        (1_227_645, 24_749, 0, 0, 3_290, 177, 0.663, 1.2),
        (2_201_282, 54_728, 0, 0, 3_646, 219, 37.14, 65.2),
    ),
    "mdfile": (
        (89_203, 4_990, 25_211, 760, 1_532, 346, 0.065, 1),
        (146_904, 4_174, 9_559, 667, 1_194, 211, 0.251, 3.9),
        (162_081, 6_779, 21_483, 818, 1_636, 378, 0.114, 1.8),
        (222_802, 7_018, 34_770, 1_856, 1_651, 343, 4.539, 70.1),
    ),
}
_TABLE_14 = {
    "mem0": ((0.64, 0.05), (0.78, 0.08), (0.26, 0.09), (0.02, 0.04), (0.05, 0.03), (0.01, 0.03), 0.29),
    "graphiti": ((0.04, 0.05), (0.14, 0.05), (0.02, 0.04), (0.04, 0.09), (0.01, 0.02), (0.01, 0.03), 0.04),
    "mdfile": ((0.88, 0.08), (0.64, 0.05), (0.82, 0.04), (0.08, 0.04), (0.11, 0.03), (0.00, 0.00), 0.42),
    "wiki": ((0.10, 0.07), (0.18, 0.08), (0.38, 0.15), (0.02, 0.04), (0.01, 0.03), (0.03, 0.04), 0.12),
}
_TABLE_13 = {
    "mdfile": ((0.00, 0.00, 0.05), (0.03, 0.02, 0.10), (0.02, 0.11, 0.15)),
    "mem0": ((0.00, 0.00, 0.00), (0.03, 0.00, 0.02), (0.00, 0.00, 0.00)),
    "dense": ((0.05, 0.08, 0.15), (0.02, 0.23, 0.35), (0.05, 0.51, 0.48)),
}
_OVERALL_29 = {"mdfile": (0.40, 0.45, 0.36), "mem0": (None, 0.26, 0.22), "dense": (None, 0.23, 0.16)}
"""What the text says of figure 29, which has no numbers."""


def _each_k(label: str, system: str, *rows: tuple[float | None, ...]) -> tuple[Printed, ...]:
    ks = ("5", "10", "20", "40")
    return tuple(Printed(f"{label}, k = {k}", row, system, {"k": k}) for k, row in zip(ks, rows, strict=True))


def _each_model(role: str, tables: Mapping[str, tuple[tuple[float, ...], ...]]) -> tuple[Printed, ...]:
    """A row for each system and each of the four models inside it."""
    return tuple(
        Printed(f"{_LABELS[system][0]}, {model}", row, system, {role: _NAMES.get(model, model)})
        for system, rows in tables.items()
        for model, row in zip(_INSIDE, rows, strict=True)
    )


def _each_filler(tables: Mapping[str, tuple[tuple[float | None, ...], ...]]) -> tuple[Printed, ...]:
    levels = {"none": "no filler", "32k": "32K", "128k": "128K"}
    return tuple(
        Printed(f"{_LABELS[system][0]}, {words}", row, system, {"filler": level})
        for system, rows in tables.items()
        for (level, words), row in zip(levels.items(), rows, strict=True)
    )


def _answering(columns: slice) -> tuple[Printed, ...]:
    """A row for each system with either of the two models that answer."""
    return tuple(
        Printed(f"{_LABELS[system][0]}, {model}", numbers[columns], system, {"answer": _NAMES.get(model, model)})
        for system in _SYSTEMS
        for model, numbers in (("gpt-4.1-mini", _TABLE_2[system][:7]), ("Sonnet 4", _SONNET[system]))
    )


def _cells(first: str, second: str, *tasks: str) -> Column:
    return Column(second, mean_of=tuple(f"Accuracy/{task}" for task in tasks), group=first)


_QUADRANTS = (
    _cells("Single", "static", "ER"),
    _cells("Single", "evolving", "Tr", "Del"),
    _cells("Multi", "static", "Agg"),
    _cells("Multi", "evolving", "Cas", "Abs"),
)
_MARGINS = (
    Column("Static", mean_of=("Single/static", "Multi/static")),
    Column("Evolving", mean_of=("Single/evolving", "Multi/evolving")),
    Column("Single", mean_of=("Single/static", "Single/evolving")),
    Column("Multi", mean_of=("Multi/static", "Multi/evolving")),
)
_PROMPTS = NotHere("A prompt of the paper's own. Ours are in the code, and are written anew.")

EXHIBITS = (
    Exhibit("meme/table-1", "Which tasks other benchmarks have", NotHere("A survey of other benchmarks.")),
    Exhibit("meme/figure-1", "The tasks on two axes", NotHere("A drawing; figure 3 has its numbers.")),
    Exhibit(
        "meme/figure-2",
        "An example of each task",
        Elsewhere("memtriage data generate meme --episodes 1 --filler none", "Examples are generated."),
    ),
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
                *(Printed(_LABELS[name][0], row, name, group=_LABELS[name][1]) for name, row in _TABLE_2.items()),
                Printed("Average", (0.62, 0.23, 0.35, 0.17, 0.03, 0.01, 0.24, None, None), average=True),
            ),
            average="Average",
        ),
        differs=(*_SETUP, _WIKI, _PRICES),
    ),
    Exhibit(
        "meme/figure-3",
        "Accuracy by entity scope and time, averaged over the systems",
        Runs(
            (replace(MAIN, systems=_SYSTEMS),),
            (*_ACCURACY, *_QUADRANTS, *_MARGINS),
            (
                Printed(
                    "Average",
                    (0.62, 0.23, 0.35, 0.17, 0.03, 0.01, 0.62, 0.26, 0.23, 0.02, 0.42, 0.14, 0.44, 0.13),
                    average=True,
                ),
            ),
            average="Average",
        ),
        differs=(
            *_SETUP,
            "The paper prints differences of 0.28 and 0.31, and 0.02 where both meet; the other numbers follow from "
            "its table 2. A cell is the mean of its tasks, an axis the mean of its cells.",
        ),
    ),
    Exhibit(
        "meme/figure-4",
        "One episode, traced through Graphiti, Karpathy Wiki and MD-flat",
        Elsewhere(
            "memtriage diagnose stores.jsonl --data meme_filler32k.json --by stage",
            "Published episodes with their stores are read from a file (docs/traces.md), and each system is traced "
            "through encoding, maintenance, retrieval and answering.",
        ),
    ),
    Exhibit(
        "meme/figure-5a",
        "Accuracy before and after prompts are tuned",
        Elsewhere(
            "memtriage optimize --optimizer simba --system mdfile --suite meme --filler 32k --seed 7 "
            "--internal openai/gpt-4.1-mini --answer MODEL --judge MODEL --optimizer-model openai/gpt-4.1-mini",
            "Prompts are tuned on ten episodes and scored on ten others, task by task; also for mem0, graphiti, wiki.",
        ),
    ),
    Exhibit(
        "meme/figure-5b",
        "Accuracy with 32K of filler and without",
        Runs(
            (NOISE,),
            (*_ACCURACY, _OVERALL),
            tuple(
                Printed(row.label, (None,) * 6 + row.numbers, row.system, row.at)
                for row in _each_filler({name: tuple((x,) for x in found) for name, found in _OVERALL_29.items()})
                if row.at["filler"] != "128k"
            ),
            row_axes=("filler",),
        ),
        differs=(*_SETUP, _SEEDS, "The figure has no numbers; those of `Overall` are from the text."),
    ),
    Exhibit(
        "meme/table-3a",
        "Cascade and absence, by how many memories come back",
        Runs(
            (DEPTH,),
            _DEPENDENT,
            (
                *_each_k("BM25", "bm25", (0.02, 0.07), (0.00, 0.15), (0.02, 0.24), (0.02, 0.21)),
                *_each_k("text-emb-3-small", "dense", (0.02, 0.15), (0.02, 0.19), (0.00, 0.23), (0.00, 0.15)),
                *_each_k("Mem0", "mem0", (0.00, 0.04), (0.00, 0.02), (0.02, 0.02), (0.00, 0.02)),
            ),
            row_axes=("k",),
        ),
        differs=(_EMBEDS, _CHUNKS, _SEEDS),
    ),
    Exhibit(
        "meme/table-3b",
        "Cascade and absence, by the model that answers",
        Runs((ANSWERS,), _DEPENDENT, _answering(slice(4, 6)), row_axes=("answer",)),
        differs=(*_SETUP, _WIKI),
    ),
    Exhibit(
        "meme/table-4",
        "Accuracy and cost, by the model inside the system",
        Runs((INSIDE,), (*_ACCURACY, _OVERALL, *_COST), _each_model("internal", _TABLE_4), row_axes=("internal",)),
        differs=(_OWN_K, _PRICES, _SEEDS),
    ),
    Exhibit(
        "meme/table-5",
        "Tokens and cost of an episode",
        Runs(
            (replace(MAIN, systems=_SYSTEMS),),
            (*_TOKENS, _DOLLARS),
            tuple(Printed(_LABELS[name][0], row, name) for name, row in _TABLE_5.items()),
        ),
        differs=(*_SETUP, _WIKI, _PRICES, "Models that embed are counted too; the paper leaves them out."),
    ),
    Exhibit(
        "meme/table-6",
        "Tokens and cost of an episode, by the model inside the system",
        Runs(
            (INSIDE,),
            (*_TOKENS, _DOLLARS, Column("vs base", "multiple", over_first="$/ep")),
            _each_model("internal", _TABLE_6),
            row_axes=("internal",),
        ),
        differs=(_OWN_K, _PRICES, _SEEDS, "The base is the first --internal."),
    ),
    Exhibit(
        "meme/table-7a",
        "The knowledge graphs",
        Statistics(
            "meme",
            "MEME, table 7 (a): knowledge graph",
            (
                ("Total entities", "39", "51"),
                ("Root", "5", "5"),
                ("Middle", "5", "6"),
                ("Leaf", "19", "21"),
                ("Orphan", "10", "19"),
                ("Dependency edges", "34", "27"),
            ),
            rows=1,
            options={"filler": "none"},
        ),
        differs=("Entities, edges and patterns are the paper's; the values are our own.",),
    ),
    Exhibit(
        "meme/table-7b",
        "Episodes, sessions and questions",
        Statistics(
            "meme",
            "MEME, table 7 (b): episodes",
            (
                ("Number of episodes", "50", "50"),
                ("Evidence sessions / epi.", "5", "5"),
                ("Filler sessions / epi.", "18", "14.9"),
                ("Filler tokens / epi.", "32K", "32K"),
                ("Total questions", "332", "362"),
            ),
            rows=50,
            options={"filler": "32k"},
        ),
    ),
    Exhibit(
        "meme/table-8",
        "The entities of Personal Life",
        Statistics("meme", "MEME, table 8: entities of Personal Life", rows=1, options={"filler": "none"}),
        differs=("The paper has the same entities in the same nine categories.",),
    ),
    Exhibit(
        "meme/table-9",
        "The entities of Software Project",
        Statistics("meme", "MEME, table 9: entities of Software Project", rows=1, options={"filler": "none"}),
        differs=("The paper has the same entities in the same six categories.",),
    ),
    Exhibit(
        "meme/table-10",
        "Fillers before and after the filter",
        Statistics(
            "meme",
            "MEME, table 10: fillers before and after those that touch an episode's facts were kept out",
            (
                ("Personal Life", "1,130", "1,009", "121", "148 / 48 / 17"),
                ("Software Project", "9,135", "9,008", "127", "34 / 253 / 55"),
            ),
            rows=50,
            options={"filler": "32k"},
        ),
        differs=(
            "The paper filters public chats once, with a model, against all that a domain could tell; here generated "
            "chats are held against each episode, by words.",
        ),
    ),
    Exhibit(
        "meme/table-11",
        "How the systems encode, maintain and retrieve",
        Listing(
            ("System", "Encoding", "Maintenance", "Retrieval", "Here"),
            (
                ("BM25", "no LLM", "append-only", "top-5 (lexical)", "bm25"),
                ("text-embedding-3-small", "no LLM", "append-only", "top-5 (cosine)", "dense"),
                ("Mem0", "LLM extracts", "LLM resolves", "top-20 (vector)", "mem0"),
                ("Graphiti", "LLM extracts", "LLM edge invalid.", "top-10 (graph, BM25, cosine)", "graphiti"),
                ("MD-flat", "LLM tool-use", "LLM tool-use", "LLM tool-use", "mdfile"),
                ("Karpathy Wiki", "LLM tool-use", "LLM compile", "LLM navigates index.md", "wiki"),
            ),
        ),
    ),
    Exhibit(
        "meme/table-12",
        "How prompts were tuned",
        Listing(
            ("Setting", "In the paper", "memtriage optimize"),
            (
                ("Optimizer", "DSPy SIMBA", "--optimizer simba"),
                ("Task LM (ingest, retrieve)", "gpt-4.1-mini, temperature 0", "--internal"),
                ("Answer LM", "Claude Sonnet 4, temperature 0", "--answer"),
                ("Prompt model (SIMBA meta)", "gpt-4.1-mini, temperature 0.9", "--optimizer-model (0.9 by itself)"),
                ("Judge", "GPT-4o, temperature 0", "--judge"),
                ("max_steps", "2", "--depth 2"),
                ("bsize", "4", "--batch 4"),
                ("num_candidates", "4", "--breadth 4"),
                ("num_threads", "4", "1: a run has threads of its own"),
                ("Split", "seed 7, 10 to train and 10 to test", "--seed 7 --train 10 --test 10"),
            ),
        ),
    ),
    Exhibit(
        "meme/table-13",
        "Right after a change, but never known before",
        Runs(
            (NOISE,),
            tuple(
                Column(title, "trivial", tasks=(f"meme/{task}",))
                for title, task in (("Cascade", "cascade"), ("Absence", "absence"), ("Deletion", "deletion"))
            ),
            _each_filler(_TABLE_13),
            row_axes=("filler",),
        ),
        differs=(*_SETUP, _SEEDS),
    ),
    Exhibit(
        "meme/table-14",
        "How far five repeated runs differ",
        Runs(
            (REPEATED,),
            (*_SPREAD, _SPREAD_OVERALL),
            tuple(
                Printed(_LABELS[name][0], (*(x for pair in row[:-1] for x in pair), row[-1]), name)
                for name, row in _TABLE_14.items()
            ),
        ),
        differs=(_OWN_K, _WIKI, _SEEDS, "Stores are filled five times; the paper also prints the SD of Overall."),
    ),
    Exhibit(
        "meme/table-15",
        "How far five repeated runs differ, before and after prompts are tuned",
        Elsewhere(
            "memtriage run --suite meme --filler 32k --rows 5 --repeats ingest=5 --system mdfile --system "
            "mdfile:prompts=runs/optimize-meme-mdfile/prompts.json --internal openai/gpt-4.1-mini --answer MODEL "
            "--judge MODEL",
            "It takes the prompts that figure 5a brings; `memtriage show RUN --by repeats` prints the spread.",
        ),
    ),
    Exhibit(
        "meme/table-16",
        "Accuracy on the six tasks, by the model that answers",
        Runs((ANSWERS,), (*_ACCURACY, _OVERALL), _answering(slice(0, 7)), row_axes=("answer",)),
        differs=(*_SETUP, _WIKI),
    ),
    Exhibit(
        "meme/table-17",
        "Known before the change and failed after it: what was missing",
        Runs(
            (replace(DEPTH, systems=("bm25", "dense")),),
            tuple(
                column
                for task in ("cascade", "absence")
                for column in (
                    Column("Cases", "failed_cases", tasks=(f"meme/{task}",), group=task.capitalize()),
                    *(
                        Column(title, f"missed_{what}", tasks=(f"meme/{task}",), group=task.capitalize())
                        for title, what in (("Change", "change"), ("Rule", "rule"), ("Answering", "answering"))
                    ),
                )
            ),
            _each_k(
                *("BM25 + dense", ""),
                (57, 0.56, 0.00, 0.44, 58, 0.59, 0.00, 0.41),
                (34, 0.29, 0.00, 0.71, 16, 0.44, 0.00, 0.56),
                (22, 0.55, 0.00, 0.45, 7, 0.14, 0.00, 0.86),
                (22, 0.55, 0.00, 0.45, 12, 0.17, 0.00, 0.83),
            ),
            row_axes=("k",),
        ),
        differs=(
            _EMBEDS,
            _CHUNKS,
            _SEEDS,
            "The paper adds the two systems up; here each has its own rows, and `memtriage show RUN --by missed` adds "
            "them up. Cases in which both the change and the rule were missing count in neither column.",
        ),
    ),
    Exhibit(
        "meme/table-18",
        "What MD-flat does to its file in the session of the change",
        Elsewhere(
            "memtriage sweep --suite meme --filler 32k --rows 10 --system mdfile --vary internal=MODEL,MODEL",
            "`memtriage show RUN --by rewrite` prints, for each run of the sweep, how many stores were rewritten, and "
            "their size before and after. In the paper: gpt-4.1-mini 2 of 20 (7,500 characters to 7,400), gpt-5 19 "
            "(1,800 to 1,300), GLM-5.1 19 (5,100 to 5,100), Opus 4.7 20 (2,900 to 2,700).",
        ),
    ),
    Exhibit(
        "meme/table-19",
        "The gold facts as context: what an answering model could reach",
        Runs(
            (CEILING,),
            (*_ACCURACY, _OVERALL),
            tuple(
                Printed(model, row, "gold-facts", {"answer": name})
                for model, name, row in (
                    ("Opus 4.7", "claude-opus-4-7", (1.00, 0.85, 0.96, 0.98, 0.93, 0.72, 0.91)),
                    ("Sonnet 4.6", "claude-sonnet-4-6", (1.00, 0.87, 0.98, 0.70, 0.84, 0.62, 0.84)),
                    ("Sonnet 4", "claude-sonnet-4", (1.00, 0.95, 0.97, 0.87, 0.60, 0.81, 0.87)),
                    ("gpt-4.1-mini", "gpt-4.1-mini", (1.00, 0.47, 0.98, 0.62, 0.74, 0.37, 0.70)),
                )
            ),
            row_axes=("answer",),
        ),
    ),
    Exhibit(
        "meme/figure-6",
        "A generated session",
        Elsewhere("memtriage data generate meme --episodes 1 --filler none --model MODEL", "A model writes sessions."),
    ),
    Exhibit("meme/figure-7", "Fillers that were kept out", NotHere("Examples from the paper's pool of fillers.")),
    Exhibit("meme/figure-8", "Prompts: facts in the third person (figures 8 and 9)", _PROMPTS),
    Exhibit("meme/figure-10", "Prompts: both sides of a chat (figures 10 to 12)", _PROMPTS),
    Exhibit("meme/figure-13", "Prompts: annotation and audit (figures 13 and 14)", _PROMPTS),
    Exhibit("meme/figure-15", "Prompts: MD-flat, answer and judge (figures 15 to 24)", _PROMPTS),
    Exhibit("meme/figure-25", "Prompt: conflicts of fillers", _PROMPTS),
    Exhibit(
        "meme/figure-26",
        "What SIMBA appended to prompts (figures 26 to 28)",
        Elsewhere(
            "memtriage optimize --optimizer simba --system mdfile --internal MODEL --optimizer-model MODEL",
            "prompts.json has the best prompts, and optimize.json all that were tried.",
        ),
    ),
    Exhibit(
        "meme/figure-29",
        "Accuracy under three levels of filler",
        Runs(
            (NOISE,),
            (*_ACCURACY, _OVERALL),
            tuple(
                Printed(row.label, (None,) * 6 + row.numbers, row.system, row.at)
                for row in _each_filler({name: tuple((x,) for x in found) for name, found in _OVERALL_29.items()})
            ),
            row_axes=("filler",),
        ),
        differs=(*_SETUP, _SEEDS, "The figure has no numbers; those of `Overall` are from the text."),
    ),
    Exhibit(
        "meme/figure-30",
        "The same episode, traced through the other four systems",
        Elsewhere(
            "memtriage diagnose stores.jsonl --data meme_filler32k.json --by stage",
            "Published episodes with their stores are read from a file (docs/traces.md).",
        ),
    ),
)
