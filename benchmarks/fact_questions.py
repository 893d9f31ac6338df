"""Can the evaluator of FactConsolidation answer questions in words that it has never seen?

Contexts are made up: every person, country, company … has all the facts of its kind, a third of them told again with
another outcome. Questions go over one to four facts. Their gold answers are known from the facts, and their wordings
(fact_wordings.toml) are written apart from the evaluator's lexicon. In half of the contexts the facts are told as in
the released ones, in the other half in several ways.

    python benchmarks/fact_questions.py                                    # 20,000 questions, and the released ones
    python benchmarks/fact_questions.py --unseen                           # the same, in wordings it was never tried on
    python benchmarks/fact_questions.py --contexts 4 --misses 20           # a few, with what went wrong
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memtriage.core.errors import BadInput
from memtriage.metrics.statistics import wilson
from memtriage.suites.memoryagentbench import fact_questions, numbered_facts

HERE = Path(__file__).resolve().parent
RELEASED = HERE.parents[1] / "shared" / "data" / "memoryagentbench"
CONTEXTS, QUESTIONS = 100, 200

KINDS = {
    "country": 9,
    "city": 18,
    "person": 14,
    "athlete": 6,
    "musician": 6,
    "company": 8,
    "party": 4,
    "institute": 4,
    "university": 6,
    "religion": 5,
    "team": 5,
    "book": 9,
    "character": 5,
    "song": 6,
    "software": 5,
    "product": 5,
    "show": 5,
}
PEOPLE = ("person", "athlete", "musician")
FIXED = {
    "continent": ("Africa", "Asia", "Europe", "North America", "South America", "Oceania"),
    "language": ("Occitan", "Tagalog", "Finnish", "Welsh", "Swahili", "Old Norse", "American English", "Quechua"),
    "sport": ("handball", "field hockey", "kabaddi", "table tennis", "bandy", "rugby league"),
    "position": ("left winger", "pivot", "sweeper", "point guard", "libero", "scrum-half"),
    "genre": ("folk rock", "bossa nova", "acid jazz", "country blues", "ska", "chamber music"),
    "field": ("botanist", "diplomat", "sculptor", "engineer", "historian", "choreographer"),
}
DESCRIBED = {
    "book": ("the book", "the novel"),
    "company": ("the company", "the firm"),
    "song": ("the song", "the album"),
    "show": ("the TV show", "the series"),
    "country": ("the country", "the nation"),
    "team": ("the team",),
    "party": ("the political party", "the organization"),
    "character": ("the fictional character",),
}
OPENINGS = (
    "Based on the provided Knowledge Pool, ",
    "According to the facts, ",
    "Please tell me: ",
    "Going by the list, ",
)
_STARTS = "Al Bre Cor Da El Fen Gar Hol Is Jor Kel Lor Mar Nor Os Per Quin Ro Sel Tor Ul Ves Wil Yar Zan".split()
_ENDS = "adan berg cester den ellow fax grin holt ington jan kirk lund mere nova oran pell quist rick stad tova".split()
_TITLE_WORDS = "Lantern Harvest Crow Winter Orchard Bell River Glass Paper Salt Ember Kite Stone Garden Tide".split()
_TITLES = (
    "The {} of {}",
    "{} and {}",
    "A {} in the {}",
    "{} for a {}",
    "Born in the {} {}",
    "The {} Who Was {}",
    "{} {}",
)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer, and the relations it goes over, from the thing it names on."""

    text: str
    gold: str
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A context of numbered facts, whether these are told as in the released ones, and questions about them."""

    text: str
    as_released: bool
    questions: tuple[Question, ...]


Wordings = Mapping[str, Mapping[str, Sequence[str]]]


def wordings(unseen: bool = False) -> Wordings:
    """How each relation is told, asked for and paraphrased."""
    read, later = (
        tomllib.loads((HERE / name).read_text("utf-8")) for name in ("fact_wordings.toml", "fact_wordings_unseen.toml")
    )
    return {
        name: {**each, "subject": each["subject"].split(), **(later[name] if unseen else {})}
        for name, each in read.items()
    }


def sheets(contexts: int, questions: int, seed: int = 0, unseen: bool = False) -> Iterator[Sheet]:
    """Contexts with questions; every other one tells its facts as the released ones do."""
    for number in range(contexts):
        yield _sheet(random.Random(f"facts {seed} {number}"), number % 2 == 0, questions, wordings(unseen))


def _sheet(rng: random.Random, as_released: bool, questions: int, known: Wordings) -> Sheet:
    things = _things(rng)
    kind_of = {thing: kind for kind, each in things.items() for thing in each}
    things["person"] = [person for kind in PEOPLE for person in things[kind]]
    told: list[tuple[str, str, str]] = []
    newest: dict[tuple[str, str], str] = {}
    for name, relation in known.items():
        wanted = PEOPLE if relation["subject"] == ["person"] else relation["subject"]
        for thing, kind in kind_of.items():
            if kind in wanted:
                others = [each for each in things[str(relation["object"])] if each != thing]
                told += [(thing, name, other) for other in rng.sample(others, 1 if rng.random() < 0.67 else 2)]
    order = sorted(range(len(told)), key=lambda _: rng.random())
    lines = []
    for number, (thing, name, other) in enumerate(told[place] for place in order):
        newest[thing, name] = other
        sentence = known[name]["facts"][0] if as_released else rng.choice(known[name]["facts"])
        lines.append(f"{number}. {sentence.format(s=thing, o=other)}")
    asked = tuple(_question(rng, known, newest, kind_of) for _ in range(questions))
    return Sheet("Here is a list of facts:\n" + "\n".join(lines), as_released, asked)


def _things(rng: random.Random) -> dict[str, list[str]]:
    """Things of every kind; no name is part of another's."""
    words = (f"{a}{b}" for a, b in rng.sample(list(itertools.product(_STARTS, _ENDS)), len(_STARTS) * len(_ENDS)))
    titles = list(itertools.permutations(_TITLE_WORDS, 2))
    rng.shuffle(titles)
    forms = {
        "person": ("{} {}", "{} {}", "{} {}", "{} de {}", "{} {} Jr.", "{}, Duke of {}"),
        "company": ("{} Inc.", "{} Motors", "{} Broadcasting Company", "{}"),
        "party": ("{} National Party", "Movement for {}", "Party of {}"),
        "institute": ("{} Museum", "Bank of {}", "{} Opera"),
        "university": ("University of {}", "{} State University", "{} College"),
        "religion": ("{}ism", "Church of {}"),
        "team": ("{} national football team", "{} FC", "{} United"),
        "country": ("{}", "Kingdom of {}", "Republic of {}", "{} Islands"),
        "city": ("{}", "{}, D.C.", "New {}"),
        "character": ("{} al'{}", "Captain {}"),
        "software": ("{} OS", "{} Studio"),
        "product": ("{} 500", "{} Mark II"),
    }
    forms |= dict.fromkeys(("athlete", "musician"), forms["person"])
    made: dict[str, list[str]] = {kind: list(each) for kind, each in FIXED.items()}
    for kind, count in KINDS.items():
        if kind in forms:
            picked = (rng.choice(forms[kind]) for _ in range(count))
            made[kind] = [form.format(*(next(words) for _ in range(form.count("{}")))) for form in picked]
        else:
            made[kind] = [rng.choice(_TITLES).format(*titles.pop()) for _ in range(count)]
    return made


def _question(
    rng: random.Random,
    known: Wordings,
    newest: Mapping[tuple[str, str], str],
    kind_of: Mapping[str, str],
) -> Question:
    hops = rng.choice((1, 2, 2, 3, 3, 4))
    while True:
        steps = [rng.choice(list(newest))]
        while len(steps) < hops:
            seen = {subject for subject, _ in steps}
            on = [key for key in newest if key[0] == newest[steps[-1]] and key[0] not in seen]
            if not on:
                break
            steps.append(rng.choice(on))
        if len(steps) == hops:
            break
    start = steps[0][0]
    named = rng.choice(DESCRIBED.get(kind_of[start], ("",))) if rng.random() < 0.15 else ""
    words = f"{named} {start}".strip()
    for place, (_, name) in enumerate(steps):
        forms = known[name]["phrases" if place < hops - 1 else "asks"]
        # nobody says "the death of the person who was born in Rome's location"
        words = rng.choice([form for form in forms if place == 0 or "{x}'s" not in form]).format(x=words)
    text = words
    if rng.random() < 0.1:
        text = rng.choice(OPENINGS) + text[0].lower() + text[1:]
    return Question(text, newest[steps[-1]], tuple(name for _, name in steps))


def answer(world: numbered_facts.World, question: str) -> str | None:
    """The one answer of the evaluator; None where it has none, or several."""
    answers = {chain.answer for chain in fact_questions.derive(world, question)}
    return answers.pop() if len(answers) == 1 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--contexts", type=int, default=CONTEXTS)
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="of each context")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--unseen", action="store_true", help="wordings that the evaluator was never tried on before")
    parser.add_argument("--misses", type=int, default=0, help="how many wrong or missing answers to print")
    parser.add_argument("--released", type=Path, default=RELEASED)
    options = parser.parse_args()
    asked: Counter[str] = Counter()
    right: Counter[str] = Counter()
    silent = left = 0
    for sheet in sheets(options.contexts, options.questions, options.seed, options.unseen):
        try:
            world = numbered_facts.read(sheet.text, "a made-up context")
        except BadInput as error:
            world = None
            print(error)
        for question in sheet.questions:
            found = answer(world, question.text) if world else None
            told = "told as in the released ones" if sheet.as_released else "told in several ways"
            groups = ["all", f"{len(question.relations)} facts", told, *(f"  {each}" for each in question.relations)]
            asked.update(groups)
            right.update(groups if found == question.gold else ())
            silent += found is None
            if found != question.gold and left < options.misses:
                left += 1
                print(f"{question.text}\n    {' > '.join(question.relations)}: {question.gold}, not {found}")
    for name in sorted(asked, key=lambda name: (name.startswith("  "), name)):
        low, high = wilson(right[name], asked[name])
        share = right[name] / asked[name]
        print(f"{name:32} {right[name]:6,} of {asked[name]:6,}  {share:6.1%}  [{low:.1%}, {high:.1%}]")
    print(f"no answer, or several: {silent:,}")
    if options.released.is_dir():
        _print_released(options.released)


def _print_released(folder: Path) -> None:
    for context in sorted(folder.glob("*_context.txt")):
        world = numbered_facts.read(context.read_text("utf-8"), str(context))
        for file in sorted(folder.glob(context.name.replace("_context.txt", "_questions*.json"))):
            rows = json.loads(file.read_text("utf-8"))
            hits = [answer(world, row["question"]) in row["golds"] for row in rows]
            print(f"{file.name}: {sum(hits)} of {len(hits)} released questions")
            for row, hit in zip(rows, hits, strict=True):
                if not hit:
                    print(f"    {row['question']}: {row['golds']}, not {answer(world, row['question'])}")


if __name__ == "__main__":
    main()
