"""The tables and figures of LongMemEval (arXiv:2410.10813)."""

from __future__ import annotations

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
from memtriage.suites.kit.words import items
from memtriage.suites.longmemeval.attributes import groups

PAPER = Paper(
    "longmemeval",
    "LongMemEval: Benchmarking Chat Assistants on Long-Term Interactive Memory",
    "arXiv:2410.10813",
)

_SMALL = {"rows": 14, "options": {"sessions": "12"}}
_SMALL_ORACLE = {"rows": 14}

_Numbers = tuple[float | None, ...]


def _lme(value: str, key: str, **more: str) -> str:
    """The paper's design with a value and a key, without time-aware queries."""
    settings = {"value": value, "key": key, "query": "question", **more}
    return "lme:" + ",".join(f"{name}={setting}" for name, setting in settings.items() if setting)


def _metrics(**where: str) -> tuple[Column, ...]:
    """Recall and NDCG at 5 and at 10, of turns or, where memories are sessions, of sessions."""
    group = f"Value = {where['value']}" if where else "Retrieval"
    return tuple(
        Column(f"{short}@{k}", f"memory/{name}@{k}", k=10, where=where, group=group)
        for k in (5, 10)
        for short, name in (("Recall", "Recall_all"), ("NDCG", "NDCG_any"))
    )


_QA = (
    *(Column(f"Top-{k}", k=k, group="GPT-4o") for k in (5, 10)),
    *(Column(f"Top-{k}", "printed", group=reader) for reader in ("L3.1 70B", "L3.1 8B") for k in (5, 10)),
)
"""Answers by three readers; those of the user's reader stand in the first pair."""

_READER = "The answers of your --answer model stand beside those of GPT-4o, whichever model it is."
_SIDE = (
    "Recall is Recall_all and NDCG is NDCG_any of the official code: of turns where a memory is a round, of sessions "
    "where it is a session."
)
_BY_RULE = (
    "The paper extracts summaries, keyphrases, facts and time ranges with Llama 3.1 8B Instruct; here --internal does."
)
_EMBEDDER = 'The paper\'s retriever is Stella V5 1.5B (--embed "stella?code=trusted"); without --embed it is wordllama.'

# ------------------------------------------------------------------ tables 6 and 9: keys

_KEYS: dict[tuple[str, str, str], tuple[str, _Numbers]] = {
    # value, key, merge: the paper's label, and its ten numbers
    ("round", "value", ""): ("K = V", (0.582, 0.481, 0.692, 0.512, 0.615, 0.670, 0.600, 0.624, 0.518, 0.534)),
    ("round", "fact", ""): ("K = fact", (0.530, 0.411, 0.654, 0.449, 0.588, 0.664, 0.564, 0.610, 0.510, 0.534)),
    ("round", "keyphrase", ""): (
        "K = keyphrase",
        (0.282, 0.159, 0.392, 0.303, 0.425, 0.489, 0.404, 0.450, 0.378, 0.432),
    ),
    ("round", "value+fact", ""): (
        "K = V + fact",
        (0.644, 0.498, 0.784, 0.536, 0.657, 0.720, 0.638, 0.682, 0.566, 0.572),
    ),
    ("round", "value+keyphrase", ""): (
        "K = V + keyphrase",
        (0.478, 0.359, 0.636, 0.410, 0.541, 0.652, 0.538, 0.620, 0.472, 0.524),
    ),
    ("session", "value", ""): ("K = V", (0.706, 0.617, 0.783, 0.638, 0.670, 0.676, 0.592, 0.570, 0.524, 0.464)),
    ("session", "summary", ""): ("K = summary", (0.572, 0.448, 0.648, 0.468, 0.554, 0.252, 0.498, 0.512, 0.444, 0.216)),
    ("session", "fact", ""): ("K = fact", (0.642, 0.524, 0.814, 0.571, 0.644, 0.512, 0.544, 0.550, 0.470, 0.404)),
    ("session", "keyphrase", ""): (
        "K = keyphrase",
        (0.482, 0.375, 0.576, 0.401, 0.618, 0.498, 0.440, 0.450, 0.388, 0.414),
    ),
    ("session", "value+summary", ""): (
        "K = V + summary",
        (0.689, 0.608, 0.749, 0.624, 0.658, 0.666, 0.568, 0.560, 0.518, 0.494),
    ),
    ("session", "value+fact", ""): (
        "K = V + fact",
        (0.732, 0.620, 0.862, 0.652, 0.714, 0.700, 0.588, 0.584, 0.530, 0.490),
    ),
    ("session", "value+keyphrase", ""): (
        "K = V + keyphrase",
        (0.710, 0.587, 0.768, 0.602, 0.665, 0.672, 0.590, 0.566, 0.526, 0.508),
    ),
    ("round", "value+fact", "rank"): (
        "K = V + fact (RM)",
        (0.478, 0.372, 0.568, 0.403, 0.558, 0.596, 0.536, 0.586, 0.458, 0.482),
    ),
    ("round", "value+keyphrase", "rank"): (
        "K = V + keyphrase (RM)",
        (0.386, 0.376, 0.536, 0.329, 0.485, 0.590, 0.460, 0.558, 0.426, 0.466),
    ),
    ("session", "value+summary", "rank"): (
        "K = V + summary (RM)",
        (0.608, 0.488, 0.684, 0.511, 0.600, 0.620, 0.510, 0.544, 0.468, 0.466),
    ),
    ("session", "value+fact", "rank"): (
        "K = V + fact (RM)",
        (0.618, 0.511, 0.754, 0.548, 0.622, 0.688, 0.574, 0.574, 0.468, 0.466),
    ),
    ("session", "value+keyphrase", "rank"): (
        "K = V + keyphrase (RM)",
        (0.550, 0.435, 0.650, 0.466, 0.560, 0.620, 0.454, 0.506, 0.492, 0.482),
    ),
}


def _system(value: str, key: str, merge: str) -> str:
    return _lme(value, key, merge=merge)


def _key_trial(name: str, merges: tuple[str, ...]) -> Trial:
    systems = tuple(_system(*key) for key in _KEYS if key[2] in merges)
    return Trial(f"longmemeval/{name}", ("longmemeval/m",), systems, rows=500, k=(5, 10), small=_SMALL)


def _key_row(value: str, key: str, merge: str, suffix: str = "") -> Printed:
    label, numbers = _KEYS[value, key, merge]
    return Printed(f"{label}{suffix}", numbers, _system(value, key, merge), group=f"Value = {value}")


KEYS = _key_trial("keys", ("",))
MERGED_RANKS = _key_trial("merged-ranks", ("rank",))

_TABLE_6 = tuple(_key_row(*key) for key in _KEYS if not key[2])
_TABLE_9 = tuple(
    row
    for value, expanded in (("round", ("fact", "keyphrase")), ("session", ("summary", "fact", "keyphrase")))
    for row in (
        _key_row(value, "value", ""),
        *(_key_row(value, f"value+{key}", "rank") for key in expanded),
        *(_key_row(value, f"value+{key}", "", " (KM)") for key in expanded),
    )
)

# ------------------------------------------------------------------ tables 7 and 8: queries and retrievers

_BOTH_VALUES = {"value": ("session", "round")}
_TEMPORAL = ("longmemeval/temporal-reasoning",)


def _by_value(tasks: tuple[str, ...] = ()) -> tuple[Column, ...]:
    columns = (*_metrics(value="session"), *_metrics(value="round"))
    return tuple(Column(c.label, c.number, tasks, c.k, c.where, group=c.group) for c in columns)


_QUERIES = {
    "(1) K = V": ("lme:key=value,query=question", (0.639, 0.630, 0.651, 0.707, 0.421, 0.462, 0.499, 0.511)),
    "(1) w/ Query Expansion (GPT-4o)": (
        "lme:key=value,query=time",
        (0.654, 0.660, 0.707, 0.679, 0.451, 0.565, 0.495, 0.538),
    ),
    "(1) w/ Query Expansion (Llama 3.1 8B Instruct)": (
        "",
        (0.624, 0.627, 0.647, 0.692, 0.384, 0.448, 0.489, 0.488),
    ),
    "(2) K = V + fact": ("lme:key=value+fact,query=question", (0.684, 0.688, 0.721, 0.782, 0.489, 0.500, 0.550, 0.598)),
    "(2) w/ Query Expansion (GPT-4o)": (
        "lme:key=value+fact,query=time",
        (0.722, 0.732, 0.797, 0.758, 0.526, 0.548, 0.722, 0.669),
    ),
    "(2) w/ Query Expansion (Llama 3.1 8B Instruct)": (
        "",
        (0.677, 0.688, 0.711, 0.744, 0.481, 0.532, 0.570, 0.647),
    ),
}
QUERIES = Trial(
    *("longmemeval/queries", ("longmemeval/m",), tuple(system for system, _ in _QUERIES.values() if system)),
    rows=500,
    vary=_BOTH_VALUES,
    small=_SMALL,
)

_RETRIEVERS = {
    "BM25": "retriever=bm25",
    "Contriever": "retriever=dense,embedder=contriever",
    "Stella V5 1.5B": "retriever=dense,embedder=stella?code=trusted",
}
_DASH: _Numbers = (None,) * 4
_RETRIEVED: dict[str, tuple[_Numbers, ...]] = {
    "value": (
        (0.634, 0.516, 0.710, 0.540, 0.472, 0.352, 0.538, 0.372),
        (0.723, 0.634, 0.823, 0.663, 0.589, 0.454, 0.747, 0.495),
        (0.720, 0.594, 0.794, 0.615, 0.660, 0.498, 0.784, 0.528),
    ),
    "value+summary": (
        (0.626, 0.544, 0.694, 0.565, *_DASH),
        (0.732, 0.632, 0.823, 0.657, *_DASH),
        (0.689, 0.608, 0.749, 0.624, *_DASH),
    ),
    "value+fact": (
        (0.683, 0.560, 0.757, 0.582, 0.554, 0.454, 0.608, 0.473),
        (0.762, 0.632, 0.862, 0.658, 0.612, 0.489, 0.756, 0.530),
        (0.732, 0.520, 0.862, 0.552, 0.644, 0.498, 0.784, 0.536),
    ),
    "value+keyphrase": (
        (0.632, 0.546, 0.711, 0.569, 0.453, 0.391, 0.538, 0.416),
        (0.740, 0.638, 0.849, 0.668, 0.546, 0.450, 0.672, 0.489),
        (0.710, 0.587, 0.768, 0.602, 0.478, 0.359, 0.636, 0.410),
    ),
}
_TABLE_8 = tuple(
    Printed(
        name,
        numbers,
        f"lme:key={key},query=question,{how}",
        group="K = " + key.replace("value", "V").replace("+", " + "),
    )
    for key, lines in _RETRIEVED.items()
    for (name, how), numbers in zip(_RETRIEVERS.items(), lines, strict=True)
)
RETRIEVERS = Trial(
    *("longmemeval/retrievers", ("longmemeval/m",), tuple(row.system for row in _TABLE_8)),
    rows=500,
    vary=_BOTH_VALUES,
    small=_SMALL,
)

# ------------------------------------------------------------------ figures from runs


def _reading_trial(size: str, reading: str) -> Trial:
    small = _SMALL_ORACLE if size == "oracle" else _SMALL
    return Trial(
        *(f"longmemeval/{size}-{reading}", (f"longmemeval/{size}",), ("full-context:window=1m",)),
        rows=500,
        models=("answer",),
        settings={"reading": reading},
        small=small,
    )


_WHOLE = {(size, reading): _reading_trial(size, reading) for reading in ("direct", "con") for size in ("oracle", "s")}
_NOTES = {"direct": "No Chain-of-Note", "con": "With Chain-of-Note"}
_FIGURE_2B = {
    "GPT-4o": ("gpt-4o", (0.870, 0.606, 0.924, 0.640)),
    "Llama 3.1 70B Instruct": ("llama-3.1-70b-instruct", (0.744, 0.334, 0.848, 0.286)),
    "Phi-3 Medium 128k Instruct": ("phi-3-medium-128k-instruct", (0.702, 0.380, 0.722, 0.344)),
    "Llama 3.1 8B Instruct": ("llama-3.1-8b-instruct", (0.710, 0.454, 0.710, 0.420)),
}

SHORT = Trial(
    *("longmemeval/short", ("longmemeval/s",), ("full-context:window=1m",)),
    rows=97,
    options={"sessions": "6"},
    small=_SMALL_ORACLE,
)

BUDGETS = Trial(
    *(
        "longmemeval/budgets",
        ("longmemeval/m",),
        tuple(_lme(v, "value") for v in ("session", "round", "summary", "facts")),
    ),
    rows=500,
    k=("1000 tokens", "3000 tokens", "10000 tokens", "20000 tokens"),
    small={**_SMALL, "k": ("1000 tokens", "3000 tokens")},
)

READINGS = Trial(
    "longmemeval/readings",
    ("longmemeval/oracle",),
    tuple(_lme("session", "value", reading=reading) for reading in ("direct", "direct-json", "con", "con-json")),
    rows=500,
    small=_SMALL_ORACLE,
)
_READINGS = {"direct": "NL", "direct-json": "JSON", "con": "CoN + NL", "con-json": "CoN + JSON"}

_DIAGRAM = NotHere("a drawing")
_PROMPT = NotHere("a prompt; memtriage words its own, as the paper's are not free to be copied")

_DESIGNS = f"""
In-context RAG | round/session | K = V | question | flat | no | direct | {_lme("round", "value", reading="direct")}
MemoryBank | summary + round | K = V | question | flat | yes | direct | memorybank
LD-Agent | summary + fact | K = V | keyphrase | flat | yes | direct | ld-agent
CoN | round/session | K = V | question | flat | no | CoN | {_lme("round", "value", reading="con")}
ChatGPT | fact | – | – | – | no | – | –
Coze | fact | – | – | – | no | – | –
RAPTOR | round/session | node summary | question | flat/interactive | no | – | raptor
MemWalker | round/session | node summary | question | interactive | no | interactive | memwalker
HippoRAG | round/session | entity | entity | PPR | no | direct | hipporag
Our Design | round | K = V + fact | question + time | flat | yes | CoN | lme
"""

EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit(
        "longmemeval/table-1",
        "The benchmark beside others: sessions, questions, tokens of a history",
        Statistics(
            "longmemeval/s",
            "LongMemEval, table 1",
            (("LongMemEval S", "500", "about 50", "115k"), ("LongMemEval M", "500", "500", "1.5M")),
            rows=500,
        ),
        differs=("The rows about other benchmarks are left out. Sessions and tokens are means of five histories.",),
    ),
    Exhibit("longmemeval/figure-1", "An example of each type of question", NotHere("examples")),
    Exhibit(
        "longmemeval/figure-2a",
        "Commercial systems on short histories, beside reading all of them",
        Runs(
            (SHORT,),
            (Column("Accuracy"),),
            (
                Printed("Offline Reading, GPT-4o", (0.9184,), "full-context:window=1m"),
                Printed("ChatGPT, GPT-4o", (0.5773,)),
                Printed("ChatGPT, GPT-4o-mini", (0.7113,)),
                Printed("Coze, GPT-4o", (0.3299,)),
                Printed("Coze, GPT-3.5-turbo", (0.2474,)),
            ),
        ),
        differs=(
            "The paper's 97 questions have histories of 3 to 6 sessions; here all have 6.",
            "Answers of chats without an API are typed in by hand: memtriage score longmemeval answers.csv --data …",
        ),
    ),
    Exhibit(
        "longmemeval/figure-2b",
        "Long-context models on the evidence alone and on whole histories",
        Runs(
            tuple(_WHOLE.values()),
            tuple(
                Column({"oracle": "Oracle", "s": "S"}[size], trial=trial.id, group=_NOTES[reading])
                for (size, reading), trial in _WHOLE.items()
            ),
            tuple(
                Printed(label, numbers, "full-context:window=1m", {"answer": model})
                for label, (model, numbers) in _FIGURE_2B.items()
            ),
            row_axes=("answer",),
        ),
        differs=(
            "Several --answer models make a row each.",
            "The row of 0.744 is taken for Llama 3.1 70B: one copy of the paper names the 8B model twice.",
        ),
    ),
    Exhibit("longmemeval/figure-3", "A memory's three stages and four control points", _DIAGRAM),
    Exhibit("longmemeval/figure-4", "How the data was made", _DIAGRAM),
    Exhibit(
        "longmemeval/figure-5",
        "Types of questions, sessions with evidence, and where in a session it stands",
        Statistics("longmemeval/oracle", "LongMemEval, figure 5", rows=500),
        differs=("The paper draws these as charts without numbers.",),
    ),
    Exhibit(
        "longmemeval/table-2",
        "The attributes that users talk about",
        Listing(
            ("category", "group", "attributes"),
            tuple((str(each["category"]), name, ", ".join(items(each["names"]))) for name, each in groups().items()),
        ),
    ),
    *(
        Exhibit(f"longmemeval/figure-{n}", what, _PROMPT)
        for n, what in ((6, "A prompt: backgrounds"), (7, "A prompt: chats"), (8, "The judge's prompts"))
    ),
    Exhibit(
        "longmemeval/table-3",
        "How far the judge agrees with people, by type of question",
        Elsewhere(
            "memtriage agree longmemeval labelled.jsonl --data … --judge MODEL",
            "It takes answers that people labelled. In the paper, 30 of each type by each of two models: GPT-4o as a "
            "judge agrees on 0.98 of GPT-4o's answers (0.90 on preferences, 0.97 on abstention, 1.00 on the others) "
            "and on 0.97 of Llama 3.1 8B Instruct's (0.97 on single-session-user, preferences and temporal reasoning, "
            "0.90 on abstention, 1.00 on the others).",
        ),
    ),
    Exhibit(
        "longmemeval/table-4",
        "Commercial systems by ability",
        Elsewhere(
            "memtriage score longmemeval answers.csv --data … --judge MODEL",
            "These chats have no API, so answers are typed in. The paper's accuracies for IE, MR, KU and TR: ChatGPT "
            "with GPT-4o-mini 1.000, 0.647, 0.667, 0.652; with GPT-4o 0.688, 0.441, 0.833, 0.435; Coze with "
            "GPT-3.5-turbo 0.625, 0.118, 0.375, 0.043; with GPT-4o 0.813, 0.147, 0.208, 0.391.",
        ),
    ),
    Exhibit(
        "longmemeval/table-5",
        "Memory designs by their control points",
        Listing(
            ("method", "value", "key", "query", "retrieval", "time-aware", "reading", "here"),
            tuple(tuple(cell.strip() for cell in line.split("|")) for line in _DESIGNS.strip().splitlines()),
        ),
    ),
    Exhibit(
        "longmemeval/figure-9",
        "Answers by value and by how many tokens are read",
        Runs(
            (BUDGETS,),
            (
                Column("All"),
                Column("Multi-session", tasks=("longmemeval/multi-session",)),
                Column("Tokens read", "context_tokens"),
            ),
            row_axes=("k",),
        ),
        differs=(
            "The paper draws this as a chart without numbers; it finds that GPT-4o gains beyond 20,000 tokens, and "
            "that Llama 3.1 8B falls off beyond 3,000.",
            _BY_RULE,
            _EMBEDDER,
        ),
    ),
    Exhibit(
        "longmemeval/table-6",
        "Retrieval and answers by key",
        Runs((KEYS,), (*_metrics(), *_QA), _TABLE_6),
        differs=(_SIDE, _READER, _BY_RULE, _EMBEDDER),
    ),
    Exhibit(
        "longmemeval/table-7",
        "Time-aware queries on temporal reasoning",
        Runs(
            (QUERIES,),
            _by_value(_TEMPORAL),
            tuple(Printed(label, numbers, system) for label, (system, numbers) in _QUERIES.items()),
        ),
        differs=(_SIDE, "Query expansion is done by --internal; without it, by rules.", _BY_RULE, _EMBEDDER),
    ),
    Exhibit(
        "longmemeval/figure-10",
        "Answers by how the evidence is laid out and read",
        Runs(
            (READINGS,),
            (Column("Accuracy", "right"),),
            tuple(
                Printed(label, (None,), _lme("session", "value", reading=reading))
                for reading, label in _READINGS.items()
            ),
        ),
        differs=("The paper draws this as a chart without numbers; CoN + JSON is best, by up to ten points.",),
    ),
    *(
        Exhibit(f"longmemeval/figure-{n}", what, _PROMPT)
        for n, what in ((11, "Prompts: extraction"), (12, "Prompts: events and time ranges"), (13, "Prompts: reading"))
    ),
    Exhibit(
        "longmemeval/table-8",
        "Three retrievers under four keys",
        Runs((RETRIEVERS,), _by_value(), _TABLE_8),
        differs=(
            _SIDE,
            "Contriever and Stella need sentence-transformers; try your --embed model with --system lme:key=…",
            _BY_RULE,
        ),
    ),
    Exhibit(
        "longmemeval/table-9",
        "Keys merged into one, or rankings merged",
        Runs((KEYS, MERGED_RANKS), (*_metrics(), *_QA), _TABLE_9),
        differs=(_SIDE, _READER, _BY_RULE, _EMBEDDER),
    ),
    Exhibit("longmemeval/table-10", "Time ranges that two models read out of four questions", NotHere("examples")),
    Exhibit(
        "longmemeval/figure-14",
        "Retrieval right or wrong against the answer right or wrong",
        Elsewhere(
            "memtriage run --suite longmemeval/m --system lme --k 10 --answer … --judge … --out runs/a && "
            "memtriage show runs/a --by outcome",
            "The paper draws this as a chart: with three readers, 15 to 19 % of the questions are answered wrong "
            "although all the evidence came back, and some 90 % of the right answers had it.",
        ),
    ),
)
