"""Compares a fact with a memory: what is there in any form, what is gone, what is new, and what turns it.

The result is some hundred numbers, the features. Each function below works out those of one theme. The trees that
turn them into chances (`reading.py`) know them by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Protocol

from memtriage.diagnose.lexical.alignment import Alignment, align, total_weight, weight
from memtriage.diagnose.lexical.lexicon import kin, rivals
from memtriage.diagnose.lexical.statement import KIN, SELF, Part, Statement, Unit
from memtriage.text.language import english

Features = dict[str, float]

_MARKS = "negation exclusive condition hedge plan past asked quantity compare cause modal time".split()
_DOUBTS = """
negation_lost negation_added exclusive_lost condition_lost hedge_lost hedge_added plan_lost plan_added past_added
asked_added quantity_lost compare_lost link_conflict player_other player_after_other neighbours_turned number_moved
rivals gone_name gone_number gone_date new_number new_date modal_lost modal_added
""".split()
"""The features that speak against the memory's saying the same."""

_EXACT = frozenset(("name", "number", "date", "time"))
_EDITED = {"date": "number", "time": "number", "pronoun": "self"}
"""Roles that count as another where words were cut or put in."""

_EDITED_ROLES = ("name", "number", "word", "self", "mark", "tense", "link")
_DECISIVE_LINKS = frozenset("from to by than over without against".split())
"""Links that give the next unit another part: from and to, with and without."""


class Meaning(Protocol):
    """How close texts are in meaning, from 0 to 1."""

    def likeness(self, words: Sequence[str], others: Sequence[str]) -> Sequence[float]:
        """For each word, how close the closest of the others is."""
        ...

    def closeness(self, text: str, other: str) -> float:
        """How close two texts are."""
        ...


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a memory keeps of a fact."""

    features: Mapping[str, float]
    gone: tuple[Unit, ...]
    new: tuple[Unit, ...]
    places: tuple[int, ...]
    """Where in the memory the units of the fact stand that stayed."""


def compare(fact: Statement, memory: Statement, meaning: Meaning | None = None) -> Comparison:
    """Compare a fact with one memory; without `meaning` there are no features of meaning."""
    pair = align(fact, memory)
    features: Features = {}
    for theme in _THEMES:
        features |= theme(pair)
    if meaning:
        features |= _meaning(pair, meaning)
    features["doubts"] = sum(features[name] > 0 for name in _DOUBTS)
    return Comparison(features, pair.gone, pair.new, tuple(pair.pairs.values()))


def _kept(pair: Alignment) -> Features:
    """How much of the fact stayed, and what is gone or new, by kind."""
    units = pair.fact.units
    total = total_weight(units) or 1.0
    by_sentence: dict[int, float] = {}
    for mine, theirs in pair.kept:
        by_sentence[theirs.sentence] = by_sentence.get(theirs.sentence, 0.0) + weight(mine)
    found: Features = {
        "size": min(len(units), 20) / 10,
        "cover": total_weight([mine for mine, _ in pair.kept]) / total,
        "cover_best": max(by_sentence.values(), default=0.0) / total,
        "sentences": min(len(pair.focus), 4),
    }
    for name, kinds in {"name": ("name",), "number": ("number",), "word": ("word",), "date": ("date", "time")}.items():
        has = sum(u.kind in kinds and u.form != "1" for u in units)
        found[f"gone_{name}"] = min(3, sum(u.kind in kinds and u.form != "1" for u in pair.gone))
        found[f"new_{name}"] = min(3, sum(u.kind in kinds and u.form != "1" for u in pair.new))
        found[f"has_{name}"] = min(3, has)
        found[f"kept_{name}"] = sum(mine.kind in kinds for mine, _ in pair.kept) / has if has else 0.5
    gone = {u.form for u in pair.gone}
    return found | {
        "gone_share": len(pair.gone) / max(1, len(units)),
        "new_share": len(pair.new) / max(1, len(units)),
        "new_words": min(8, len(pair.new)) / 4,
        "memory_size": min(4.0, len(pair.told) / max(1, len(units))),
        "rivals": sum(bool(rivals(u.form) & gone) for u in pair.new),
        "replaced": _replaced(pair),
    }


def _replaced(pair: Alignment) -> int:
    """How many gaps of one to three units were filled by others, between units that stayed."""
    new = set(pair.new_places)
    ends = [(-1, -1), *sorted(pair.pairs.items()), (len(pair.fact.units), len(pair.memory.units))]
    gaps = [(k - i - 1, sum(n in new for n in range(j + 1, m))) for (i, j), (k, m) in pairwise(ends)]
    return min(3, sum(1 <= lost <= 3 and 1 <= filled <= 3 for lost, filled in gaps))


def _order(pair: Alignment) -> Features:
    """Whether what stayed is in the same order, and whether names or people changed places."""
    places = [j for _, j in sorted(pair.pairs.items())]
    runs: list[int] = []
    for n, j in enumerate(places):
        runs.append(1 + max((runs[m] for m in range(n) if places[m] < j), default=0))
    people = [
        j for i, j in sorted(pair.pairs.items()) if pair.fact.units[i].kind == "name" or _is_kin(pair.fact.units[i])
    ]
    return {
        "verbatim": max(runs, default=0) / max(1, len(pair.fact.units)),
        "same_order": sum(a < b for a, b in pairwise(places)) / max(1, len(places) - 1),
        "turned_names": min(3, sum(a > b for a, b in pairwise(people))),
    }


def _roles(pair: Alignment) -> Features:
    """Whether units play the same part, and what the user does."""
    mine = [u for u in pair.fact.units if u.kind == "self"]
    theirs = [u for u in pair.told if u.kind == "self"]
    links = [(a.link, b.link) for a, b in pair.kept]
    return {
        "link_conflict": min(3, sum(a != b and not _DECISIVE_LINKS.isdisjoint((a, b)) for a, b in links)),
        "link_other": min(4, sum(a.link != b.link for a, b in pair.kept if a.kind != "self")),
        "self_more": min(2, max(-2, len(theirs) - len(mine))),
        "self_fact": min(2, len(mine)),
        "self_memory": min(2, len(theirs)),
        "possessive": min(2, sum(english(u.surface.lower()) in ("my", "our", "mine", "ours") for u in mine)),
        "self_turned": _self_turned(pair),
    }


def _self_turned(pair: Alignment) -> int:
    """How often the user stands before units in the memory that stand nowhere near the user in the fact."""
    units, memory = pair.fact.units, pair.memory.units
    near = {
        u.form
        for i, unit in enumerate(units)
        if unit.kind == "self"
        for u in units[max(0, i - 2) : i + 4]
        if u.kind != "self"
    }
    stayed = set(pair.pairs.values())
    turned = 0
    for j, unit in enumerate(memory):
        if unit.kind == "self" and unit.sentence in pair.focus:
            after = [n for n in range(j + 1, min(j + 3, len(memory))) if n in stayed and memory[n].kind != "self"]
            turned += bool(after) and near.isdisjoint(memory[n].form for n in after)
    return min(2, turned)


def _clauses(pair: Alignment) -> Features:
    """How much of each clause stayed, how much of the memory is the fact, and how rare what is gone or new is."""
    whole: dict[int, float] = {}
    kept: dict[int, float] = {}
    for i, unit in enumerate(pair.fact.units):
        whole[unit.clause] = whole.get(unit.clause, 0.0) + weight(unit)
        if i in pair.pairs:
            kept[unit.clause] = kept.get(unit.clause, 0.0) + weight(unit)
    shares = [kept.get(clause, 0.0) / heavy for clause, heavy in whole.items() if heavy > 0]
    rarest = sorted(
        (i for i, u in enumerate(pair.fact.units) if u.kind != "self"), key=lambda i: weight(pair.fact.units[i])
    )
    return {
        "clauses": min(4, len(shares)),
        "clause_most": max(shares, default=0.0),
        "clause_least": min(shares, default=0.0),
        "clause_first": shares[0] if shares else 0.0,
        "precision": total_weight([pair.memory.units[j] for j in set(pair.pairs.values())])
        / (total_weight(pair.told) or 1.0),
        "rare_gone": sum(i not in pair.pairs for i in rarest[-3:]),
        "gone_rarest": max(map(weight, pair.gone), default=0.0),
        "new_rarest": max(map(weight, pair.new), default=0.0),
        "gone_weight": min(8.0, total_weight(pair.gone)),
        "new_weight": min(8.0, total_weight(pair.new)),
    }


def _neighbours(pair: Alignment) -> Features:
    """Whether units that stood side by side in the fact still do, and in the same order."""
    units = pair.fact.units
    kept = turned = total = 0
    for a, b in pairwise(i for i, u in enumerate(units) if u.kind != "self"):
        if units[a].sentence == units[b].sentence and a in pair.pairs and b in pair.pairs:
            distance = pair.pairs[b] - pair.pairs[a]
            total += 1
            kept += 0 < distance <= 3
            turned += -3 <= distance < 0
    return {
        "neighbours": kept / total if total else 0.5,
        "neighbours_apart": min(4, total - kept),
        "neighbours_turned": min(3, turned),
    }


def _edits(pair: Alignment) -> Features:
    """What it takes to turn the fact into the memory, word by word, by what the words are."""
    mine = pair.fact.sequence
    theirs = [part for part in pair.memory.sequence if part.sentence in pair.focus]
    edits = {f"{edit}_{role}": 0 for edit in ("cut", "put") for role in _EDITED_ROLES}
    swapped = 0
    matcher = SequenceMatcher(None, [p.form for p in mine], [p.form for p in theirs], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        cut, put = [p.role for p in mine[a:b]], [p.role for p in theirs[c:d]]
        for edit, roles in (("cut", cut), ("put", put)):
            for role in roles:
                edits[f"{edit}_{_EDITED.get(role, role)}"] += 1
        swapped += not _EXACT.isdisjoint(set(cut) & set(put))
    total = sum(edits.values()) - 0.5 * (edits["cut_link"] + edits["put_link"])
    said, told = _forms(mine), _forms(theirs)
    turns, their_turns = (Counter(p.form for p in parts if p.role in ("mark", "tense")) for parts in (mine, theirs))
    return {name: min(4, count) for name, count in edits.items()} | {
        "edit_swapped": min(3, swapped),
        "edits": min(12.0, total),
        "edit_share": total / max(1, len(mine) + len(theirs)),
        "same_bag": Counter(said) == Counter(told),
        "same_sequence": said == told,
        "same_marks": turns == their_turns,
    }


def _forms(parts: Iterable[Part]) -> list[str]:
    return [part.form for part in parts if part.role != "link"]


def _players(pair: Alignment) -> Features:
    """Whether the same people or names stand before and after each word that stayed: who does what to whom."""
    mine, theirs = _people_around(pair.fact.units), _people_around(pair.memory.units)
    known = {who for around in mine for who in around if who}
    same, other = [0, 0], [0, 0]
    for i, j in pair.pairs.items():
        if not _is_player(pair.fact.units[i]):
            for side, (a, b) in enumerate(zip(mine[i], theirs[j], strict=True)):
                same[side] += bool(a) and a == b
                other[side] += bool(a) and a != b and b in known
    return {
        "player_same": min(4, same[0]),
        "player_other": min(4, other[0]),
        "player_after_same": min(4, same[1]),
        "player_after_other": min(4, other[1]),
        "player_share": other[0] / (same[0] + other[0]) if same[0] + other[0] else 0.0,
        "players": min(3, len(known)),
    }


def _people_around(units: Sequence[Unit]) -> list[tuple[str, str]]:
    """For each unit, the person or name before it and after it in its sentence."""
    people = [u.form if _is_player(u) and not _owns_a_relative(units, i) else "" for i, u in enumerate(units)]
    before = _last_seen(units, people, range(len(units)))
    after = _last_seen(units, people, range(len(units) - 1, -1, -1))
    return [(before[i], after[i]) for i in range(len(units))]


def _last_seen(units: Sequence[Unit], people: Sequence[str], way: Iterable[int]) -> dict[int, str]:
    """Going this way through the units, who was met last in the same sentence, by place."""
    seen: dict[int, str] = {}
    found = {}
    for i in way:
        found[i] = seen.get(units[i].sentence, "")
        if people[i]:
            seen[units[i].sentence] = people[i]
    return found


def _is_kin(unit: Unit) -> bool:
    """Whether a unit is somebody near the user."""
    return unit.form in kin()


def _is_player(unit: Unit) -> bool:
    return unit.kind in ("name", "self") or _is_kin(unit)


def _owns_a_relative(units: Sequence[Unit], at: int) -> bool:
    """Whether the user is only named as whose relative somebody is: my sister, the user's sister."""
    unit, following = units[at], units[at + 1 : at + 3]
    word = english(unit.surface.lower())
    if unit.kind != "self" or not any(_is_kin(u) for u in following if u.sentence == unit.sentence):
        return False
    return word in ("my", "our") or (word == "user" and _is_kin(following[0]))


def _spread(pair: Alignment) -> Features:
    """Whether numbers stand beside other things, and how far what stayed is spread over the memory."""
    moved = 0
    for i, j in pair.pairs.items():
        unit = pair.fact.units[i]
        if unit.kind == "number":
            mine = {u.form for u in pair.fact.units[max(0, i - 2) : i + 3]} - {unit.form}
            moved += bool(mine) and mine.isdisjoint(u.form for u in pair.memory.units[max(0, j - 3) : j + 4])
    at = pair.pairs.values()
    spread = (max(at) - min(at) + 1) / len(at) - 1 if len(at) > 1 else 0.0
    return {"number_moved": min(3, moved), "apart": min(4.0, spread)}


def _marks(pair: Alignment) -> Features:
    """Which words that turn a statement are gone or new, and whether what stayed is negated in one text only."""
    fact, memory = pair.fact, pair.memory
    beside = frozenset(theirs.clause for _, theirs in pair.kept)
    # Where nothing stayed, no sentence is in focus, and all of the memory counts.
    inside = frozenset(clause for clause, sentence in enumerate(memory.clauses) if sentence in pair.focus) or None
    found: Features = {}
    for kind in _MARKS:
        mine, theirs = fact.count(kind), memory.count(kind, inside)
        found[f"{kind}_lost"] = min(2, (mine - theirs).total())
        found[f"{kind}_added"] = min(2, (theirs - mine).total())
        found[f"{kind}_added_near"] = min(2, (memory.count(kind, beside) - mine).total())
        found[f"{kind}_count"] = min(2, max(-2, theirs.total() - mine.total()))
    found["generic"] = min(2, (memory.count("generic", inside) - fact.count("generic")).total())
    negated, their_negated = ({m.clause for m in text.marks if m.kind == "negation"} for text in (fact, memory))
    flips = sum((a.clause in negated) != (b.clause in their_negated) for a, b in pair.kept)
    found["flipped"] = flips / max(1, len(pair.kept))
    return found


def _about(pair: Alignment) -> Features:
    """Whether fact and memory speak of the same person."""
    whom = next((who for who in pair.fact.about if who), "")
    in_focus = [pair.memory.about[sentence] for sentence in sorted(pair.focus)]
    their_whom = next((who for who in (*in_focus, *pair.memory.about) if who), "")
    named = {SELF, KIN, *(u.form for u in pair.fact.units), *(u.surface.lower() for u in pair.fact.units)}
    mine, theirs = ({u.form for u in units if _is_kin(u)} for units in (pair.fact.units, pair.told))
    return {
        "about_self": whom == SELF,
        "about_same": their_whom == whom,
        "about_other_name": bool(their_whom) and their_whom not in named,
        "about_kin": their_whom == KIN and whom != KIN,
        "about_nobody": not their_whom,
        "kin_added": min(2, len(theirs - mine)),
        "kin_lost": min(2, len(mine - theirs)),
    }


def _meaning(pair: Alignment, meaning: Meaning) -> Features:
    """How close what is gone and what is new are in meaning, and the texts as a whole."""
    gone = [u.surface for u in pair.gone if u.kind == "word"]
    new = [u.surface for u in pair.new if u.kind in ("word", "name")]
    both = bool(gone and new)
    likes = list(meaning.likeness(gone, new)) if both else [0.0] * len(gone)
    back = list(meaning.likeness(new, gone)) if both else [0.0] * len(new)
    kept = sum(weight(mine) for mine, _ in pair.kept)
    said = " ".join(u.surface for u in pair.fact.units if u.kind != "self")
    told = " ".join(u.surface for u in pair.told if u.kind != "self")
    return {
        "gone_like_mean": sum(likes) / len(likes) if likes else 1.0,
        "gone_like_least": min(likes, default=1.0),
        "cover_soft": (sum(likes) + kept) / (total_weight(pair.fact.units) or 1.0),
        "new_unlike": min(8, sum(1 - like for like in back)) / 4,
        "close": meaning.closeness(said, told) if told else 0.0,
        "rest_close": meaning.closeness(" ".join(gone), " ".join(new)) if both else 1.0 - bool(gone),
    }


_THEMES = (_kept, _order, _roles, _clauses, _neighbours, _edits, _players, _spread, _marks, _about)
"""In the order in which the trees were grown."""
