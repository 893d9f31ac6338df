"""The tables and figures of MemFail (arXiv:2605.26667).

The paper's results are all in figures, whose numbers it prints nowhere.
"""

from __future__ import annotations

from memtriage.studies.exhibits import Column, Exhibit, Listing, Paper, Runs, Statistics, Trial
from memtriage.suites.memfail.cast import first_names, surnames
from memtriage.suites.memfail.paper import categories, condition_types, flavors, pet_condition_types

PAPER = Paper("memfail", "MemFail: Stress-Testing Failure Modes of LLM Memory Systems", "arXiv:2605.26667")

_SYSTEMS = ("mem0-1", "a-mem", "simplemem", "structmem", "facts", "notes", "struct", "bm25")
"""The paper's four; memtriage's own versions of Mem0, A-MEM and StructMem, which need no install; and a baseline."""

_KS = (3, 5, 10, 15, 20)
_SMALL = {"rows": 3, "k": (5,)}
_EXACT = {"paper_exact": True}
_TASKS = {
    "Conditional-Facts": "conditional-easy",
    "Conditional-Facts (Hard)": "conditional-hard",
    "Coexisting-Facts": "coexisting",
    "Persona-Retrieval": "persona",
    "Long-Hop": "long-hop",
}
_ESSAYS = tuple(f"memfail/{task}" for task in _TASKS.values() if task != "long-hop")
"""The tasks with a hundred rows; Long-Hop has 92."""


def _trials(id: str, models: tuple[str, ...] = ()) -> tuple[Trial, Trial]:
    """The runs of all five tasks, at the paper's sizes."""
    return (
        Trial(id, _ESSAYS, _SYSTEMS, 100, _KS, models=models, settings=_EXACT, small=_SMALL),
        Trial(f"{id}-hops", ("memfail/long-hop",), _SYSTEMS, 92, _KS, models=models, settings=_EXACT, small=_SMALL),
    )


MAIN = _trials("memfail/main")
INSIDE = _trials("memfail/inside", ("internal",))


def _columns(trials: tuple[Trial, Trial], *numbers: tuple[str, str]) -> tuple[Column, ...]:
    """For each task the numbers under these labels, or one under the task's own name."""
    return tuple(
        Column(
            label or title,
            number,
            (f"memfail/{task}",),
            trial=trials[task == "long-hop"].id,
            group=title if label else "",
        )
        for title, task in _TASKS.items()
        for label, number in numbers
    )


_NO_NUMBERS = (
    "The paper draws this and prints no numbers; nor does it name the k of its points. These k are from the authors' "
    "plotting script."
)
_INTERNAL = (
    "The paper has Mem0, A-MEM, SimpleMem and StructMem. They write with gpt-4.1-mini (--internal), and gpt-5-mini "
    "answers and judges."
)
_REPLIES = (
    "Graded with --paper-exact; with --answer, conversations are stored with the model's reply, as the paper's are."
)
_EMBEDDER = (
    "The paper's Mem0 is of version 1 (mem0-1). It names no embedding models (--embed); the authors' scripts have "
    "all-MiniLM-L6-v2 for A-MEM and SimpleMem."
)
_ALL = (_NO_NUMBERS, _INTERNAL, _REPLIES, _EMBEDDER)
_SEVERAL = (
    _NO_NUMBERS,
    "The paper's models are gpt-4.1-mini, gpt-5.4-mini, haiku-4.5 and gemini-3.1: name several with --internal.",
    _REPLIES,
)
_ERRORS = (
    ("Storage", "not_stored"),
    ("Summary", "summary_error"),
    ("Retrieval", "not_retrieved"),
    ("Reasoning", "reasoning_error"),
)


def _errors(number: int, model: str) -> Exhibit:
    return Exhibit(
        f"memfail/figure-{number}",
        f"At which stage each system fails, with {model} inside",
        Runs(MAIN, _columns(MAIN, *_ERRORS), row_axes=("k",), percent=True),
        (_NO_NUMBERS, f"The systems write with {model}: name it with --internal.", _REPLIES),
    )


EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit(
        "memfail/table-1",
        "How the systems summarise, store and retrieve",
        Listing(
            ("System", "SUMMARIZE", "STORE", "RETRIEVE", "here"),
            (
                ("SimpleMem", "verbatim", "flat list of turns", "embedding top-k", "simplemem"),
                (
                    "Mem0",
                    "facts by a model",
                    "atomic units, add/update/delete by tool calls",
                    "embedding top-k",
                    "mem0-1",
                ),
                ("A-MEM", "notes by a model", "linked notes in a vector database", "embedding top-k", "a-mem"),
                ("StructMem", "entities and relations by a model", "knowledge graph", "subgraph", "structmem"),
            ),
        ),
        ("As the paper describes them. What the libraries do here: memtriage systems.",),
    ),
    Exhibit(
        "memfail/table-2",
        "Rows, questions and tokens of each dataset",
        Statistics(
            "memfail",
            "MemFail, table 2",
            (
                ("Conditional-Facts (Easy)", "gpt-4.1-mini", "100", "100", "130", "32y / 68n; 27 cond. types"),
                ("Conditional-Facts (Hard)", "gpt-5-mini", "100", "100", "189", "49y / 51n; 27 cond. types"),
                (
                    *("Coexisting-Facts (N=2/3/4/5)", "gpt-4.1-mini", "26/31/20/23", "26/31/20/23", "54/68/84/101"),
                    "52/93/80/115 facts",
                ),
                ("Persona-Retrieval", "gpt-5-mini", "100", "300", "297", "52.3% misleading"),
                ("Long-Hop (K=1/2/3)", "gpt-5", "31/32/29", "31/32/29", "59/74/87", "62/96/116 facts"),
            ),
        ),
    ),
    Exhibit(
        "memfail/figure-1",
        "Success on the five tasks, by how many memories come back",
        Runs(MAIN, _columns(MAIN, ("", "success")), row_axes=("k",), percent=True),
        _ALL,
    ),
    Exhibit(
        "memfail/figure-2",
        "Success by the model inside: StructMem and SimpleMem",
        Runs(INSIDE, _columns(INSIDE, ("", "success")), row_axes=("internal", "k"), percent=True),
        (*_SEVERAL, "The figure has StructMem and SimpleMem only: --system structmem --system simplemem."),
    ),
    Exhibit(
        "memfail/figure-3",
        "Success against the mean size of a memory",
        Runs(
            INSIDE,
            _columns(INSIDE, ("Success", "success"), ("Tokens", "tokens_per_memory")),
            row_axes=("internal", "k"),
        ),
        (*_SEVERAL, "Tokens are those of a stored memory on average."),
    ),
    Exhibit(
        "memfail/figure-4",
        "Success on the five tasks by k, for each model inside",
        Runs(INSIDE, _columns(INSIDE, ("", "success")), row_axes=("internal", "k"), percent=True),
        _SEVERAL,
    ),
    Exhibit(
        "memfail/figure-5",
        "The same, for each system",
        Runs(INSIDE, _columns(INSIDE, ("", "success")), row_axes=("internal", "k"), percent=True),
        (*_SEVERAL, "The numbers are those of figure 4; the paper draws them once by model and once by system."),
    ),
    _errors(6, "gemini-3.1"),
    _errors(7, "haiku-4.5"),
    _errors(8, "gpt-4.1-mini"),
    _errors(9, "gpt-5.4-mini"),
    Exhibit(
        "memfail/table-3",
        "The condition types of Conditional-Facts",
        Listing(
            ("list", "paper", "here"),
            (
                ("condition types", "32", str(len(condition_types()))),
                ("of these, for pets", "9", str(len(pet_condition_types()))),
            ),
        ),
        ("The same types, by the same names; `show --by condition_type` splits a run by them.",),
    ),
    Exhibit(
        "memfail/table-4",
        "The preference categories of Coexisting-Facts",
        Listing(("list", "paper", "here"), (("preference categories", "100", str(len(categories()))),)),
        ("The same categories, by the same names; `show --by category` splits a run by them.",),
    ),
    Exhibit(
        "memfail/table-5",
        "The names and persona flavors of Persona-Retrieval",
        Listing(
            ("list", "paper", "here"),
            (
                ("names", "30", f"{len(first_names())} first names, {len(surnames())} surnames"),
                ("persona flavors", "30", str(len(flavors()))),
            ),
        ),
        ("The same flavors. Generated people have a full name to themselves, so that no namesake answers for them.",),
    ),
)
