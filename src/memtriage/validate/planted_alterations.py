"""Planted alterations: what models do to a fact when they rewrite it, made by rule from the gold facts.

Each kind changes a critical detail, or what the main clause says, so that the fact is no longer the same. Where a rule
doesn't fit a sentence, or can't be sure that the meaning changes, it gives None.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

from memtriage.text.words import NEGATIONS, tokens, words
from memtriage.validate.planted_english import capital, table, uncapital, word_list
from memtriage.validate.planted_rewritings import Told, is_name

Alteration = Literal[
    "number_changed",
    "unit_changed",
    "date_changed",
    "negated",
    "entity_swapped",
    "role_swapped",
    "if_to_and",
    "plan_to_done",
    "done_to_plan",
    "hedged",
    "quantifier_changed",
    "detail_lost",
]
ALTERATIONS: tuple[Alteration, ...] = get_args(Alteration)

_Rule = Callable[[str, Told, Sequence[Told], random.Random], str | None]


def alter(kind: Alteration, told: Told, others: Sequence[Told], rng: random.Random) -> Told | None:
    """The fact with this alteration; `others` are the other facts of the episode. None if it doesn't fit."""
    rule = _RULES[kind]
    if kind in _OF_THE_CLAUSE and (told.sentence is None or '"' in told.text):
        return None
    said = {" ".join(other.sentences) for other in others}
    for n, sentence in enumerate(told.sentences):
        if "?" in sentence or "\n" in sentence:
            continue
        changed = rule(sentence, told, others, rng)
        if changed is None or changed == sentence or changed in said:
            continue
        return replace(told, sentences=(*told.sentences[:n], capital(changed), *told.sentences[n + 1 :]))
    return None


def _spans(sentence: str, told: Told) -> list[tuple[int, int]]:
    """Where the critical details stand in a sentence; without any, all of it matters."""
    details = told.fact.details or (sentence,)
    found = (re.search(re.escape(detail), sentence, re.IGNORECASE) for detail in details)
    return sorted(match.span() for match in found if match)


def _in_details(pattern: str | re.Pattern[str], sentence: str, told: Told) -> Iterator[re.Match[str]]:
    """Matches that begin within a critical detail."""
    spans = _spans(sentence, told)
    for match in re.finditer(pattern, sentence):
        if any(start <= match.start() < end for start, end in spans):
            yield match


def _put(sentence: str, match: re.Match[str], text: str) -> str:
    return sentence[: match.start()] + text + sentence[match.end() :]


# ------------------------------------------------------------------ numbers, units, dates

_NUMBER_LINES = [line.split(" / ") for line in word_list("numbers")]
_NUMBER_WORD = "|".join(word for line in _NUMBER_LINES for word in line)
_DIGITS = re.compile(r"(?<![\w.,:/-])\d+(?:[.,:]\d+)*(?![\w/]|-\w)")
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b(?![,.:]\d)")
_WORDED = re.compile(rf"\b(?:{_NUMBER_WORD})\b(?!-)", re.IGNORECASE)


def _number_changed(sentence: str, told: Told, _others: Sequence[Told], rng: random.Random) -> str | None:
    for match in _in_details(_DIGITS, sentence, told):
        if not _YEAR.fullmatch(match[0]):
            return _put(sentence, match, _other_number(match[0], rng))
    for match in _in_details(_WORDED, sentence, told):
        line = next(line for line in _NUMBER_LINES if match[0].lower() in line)
        other = rng.choice([word for word in line if word != match[0].lower()])
        return _put(sentence, match, capital(other) if match[0][0].isupper() else other)
    return None


def _other_number(number: str, rng: random.Random) -> str:
    """The number with another first digit, or another last one if it is a time."""
    places = [n for n, c in enumerate(number) if c.isdigit()]
    place = places[-1] if ":" in number else places[0]
    return number[:place] + rng.choice([d for d in "123456789" if d != number[place]]) + number[place + 1 :]


_UNIT = re.compile(
    rf"(?:(?P<symbol>[$€£])\d|(?<![\w.,])(?:\d[\d.,]*|{_NUMBER_WORD})[ -](?P<unit>"
    rf"{'|'.join(sorted((u for u in table('units') if u.isalpha()), key=len, reverse=True))})\b)"
)


def _unit_changed(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    for match in _in_details(_UNIT, sentence, told):
        group = "symbol" if match["symbol"] else "unit"
        return sentence[: match.start(group)] + table("units")[match[group]] + sentence[match.end(group) :]
    return None


_WEEKDAY = re.compile(rf"\b({'|'.join(word_list('weekdays'))})")
_MONTH = re.compile(rf"\b({'|'.join(word_list('months'))})\b(?= \d|$|[ ,.])")
_SLASHED = re.compile(r"\b(\d{4}[/-]\d\d[/-])(\d\d)\b")


def _date_changed(sentence: str, told: Told, _others: Sequence[Told], rng: random.Random) -> str | None:
    for pattern, key in ((_WEEKDAY, "weekdays"), (_MONTH, "months")):
        for match in _in_details(pattern, sentence, told):
            if match[0] != "May" or re.match(r" \d", sentence[match.end() :]):
                return _put(sentence, match, rng.choice([d for d in word_list(key) if d not in sentence]))
    for match in _in_details(_SLASHED, sentence, told):
        return _put(sentence, match, match[1] + f"{(int(match[2]) + rng.randint(3, 20)) % 28 + 1:02}")
    for match in _in_details(_YEAR, sentence, told):
        return _put(sentence, match, str(int(match[0]) + rng.choice((-11, -7, -3, 2, 5, 9))))
    return None


# ------------------------------------------------------------------ what the main clause says

_HELPERS = "am|is|are|was|were|will|would|can|could|should|must|may|might|has|have|had"
_LINK = re.compile(r"\b(?:am|is|are|was|were|will|would|can|could|should|must|may|might)\b(?! not)")
_PERFECT = re.compile(
    r"\b(?:has|have|had)\b(?= (?:long )?(?:been |\w+ed\b|grown|become|stepped|taken|gone|kept|done|won))"
)
_CLAUSE_END = re.compile(r", (?:and|but|so|which|because|though)\b|;|: | [—–] ")
_SUBORDINATE = re.compile(
    r"(?:When|Whenever|If|After|Before|While|Once|As soon as|The moment|Since|Until|In case|Although|Because)\b"
)
_INSIDE = re.compile(r"\b(?:and|that|who|which|when|whenever|if|because|while|where|as|than|unless)\b")
"""Words after which a verb is not that of the main clause."""
_NO_VERBS = frozenset("and of s in at who or to that the a an his her their my our on by for with as".split())
_NEGATIVE = re.compile(r"\b(?:won't|can't|cannot|don't|doesn't|didn't|isn't|aren't|wasn't|weren't|hasn't|haven't)\b")
_SPEAKER = r"\b(?P<subject>I|We|we)(?P<short>'m|'ve|'re)?"
_ADVERBS = rf"(?P<adverbs>(?: (?:{'|'.join(word_list('adverbs'))}|\w+ly))*)"


def _main_verb(sentence: str, told: Told) -> re.Match[str] | None:
    """The verb of the main clause after the speaker, a name or a pronoun; `short` is a contraction with the subject."""
    start = 0
    if _SUBORDINATE.match(sentence):
        comma = sentence.find(", ")
        start = comma + 2 if comma > 0 else max(0, sentence.rfind(" I ") + 1)
        if start == 0:
            return None
    names = [re.escape(name) for name in told.names if name]
    who = "|".join([*sorted(names, key=len, reverse=True), "She", "she", "He", "he"])
    found = re.compile(rf"(?:{_SPEAKER}|\b(?P<name>{who}))(?(short)|{_ADVERBS} (?P<verb>[a-z]+\b(?:'t)?))").search(
        sentence, start
    )
    if found is None or _CLAUSE_END.search(sentence[start : found.start()]):
        return None
    return None if _INSIDE.search(sentence[start : found.start()]) else found


def _negated(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    """The main clause turned round: it is said not to be so, or to be so."""
    if re.match(r"(?:It is only|Only|No |Nobody|Nothing|Not |Here is|There is no)\b", sentence):
        return None
    head = _CLAUSE_END.split(sentence)[0]
    if not any(start < len(head) for start, _ in _spans(sentence, told)):
        return None  # the details stand in another clause
    negative = _NEGATIVE.search(head)
    if negative and not _SUBORDINATE.match(sentence):
        return _put(sentence, negative, table("negatives")[negative[0]])
    if set(tokens(head)) & NEGATIONS or _SUBORDINATE.match(sentence):
        return None
    found = _main_verb(sentence, told)
    link = _LINK.search(head) or _PERFECT.search(head)
    if found and link and (link.start() < found.start() or re.match(r"(?:The|My|Our|What|One|An?) ", sentence)):
        found = None  # a clause that only says which thing is meant: the book I read is …
    if found and found["short"]:
        return sentence[: found.end()] + " not" + _no_longer_only(sentence[found.end() :])
    if found and found["verb"] and not re.fullmatch(_HELPERS, found["verb"]):
        if found["verb"] in _NO_VERBS or not _reaches_detail(sentence, found.end("verb"), told):
            return None
        adverbs = re.sub(r" (?:only|always|just|often|usually|sometimes)\b", "", found["adverbs"])
        rest = _no_longer_only(sentence[found.start("verb") :])
        return sentence[: found.start("adverbs")] + adverbs + " never " + rest
    if link and _INSIDE.search(head[: link.start()]):
        return None  # the verb of another clause
    if link:
        return sentence[: link.end()] + " not" + _no_longer_only(sentence[link.end() :])
    owns = re.search(r"\b(?:has|have|had)\b", head)
    return sentence[: owns.start()] + "never " + sentence[owns.start() :] if owns else None


def _reaches_detail(sentence: str, verb: int, told: Told) -> bool:
    """Whether a detail stands before a verb, or after it in the same clause."""
    return any(
        start < verb or not re.search(r"\b(?:and|that|but)\b", sentence[verb:start])
        for start, _ in _spans(sentence, told)
    )


def _no_longer_only(rest: str) -> str:
    """Without `only`: what is never so only then is perhaps so at other times."""
    return re.sub(
        r"\b(?:but |though )?only (?=(?:when|whenever|if|right|after|on|while|by|in|at|around|during))", "", rest
    )


def _hedged(sentence: str, _told: Told, _others: Sequence[Told], rng: random.Random) -> str | None:
    if _CLAUSE_END.search(sentence):
        return f"Unconfirmed, may be wrong: {sentence}"  # at the end it might concern the last clause only
    hedge = rng.choice(word_list("hedges"))
    return sentence.rstrip(".!") + (hedge if hedge.startswith(",") else f" {hedge}") + "."


_CONDITION_LAST = re.compile(
    r"(?P<main>[^,;]+?),? (?:(?:but |though )?only )?(?:when|whenever|if|while) (?P<condition>[^,;]+)\."
)
_CONDITION_FIRST = re.compile(
    r"(?:When|Whenever|If|While|The moment|Once|As soon as|In case) (?P<condition>[^,;]+), (?P<main>[^;]+)\."
)
_CONDITION_OF_MINE = re.compile(
    r"(?:When|Whenever|The moment|Once|As soon as) (?P<condition>I [^,;]+?) (?P<main>I [^,;]+)\."
)


def _if_to_and(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    """A condition told as a fact of its own."""
    last = _CONDITION_LAST.fullmatch(sentence)
    first = _CONDITION_FIRST.fullmatch(sentence) or _CONDITION_OF_MINE.fullmatch(sentence)
    found = first or last
    if found is None or not _is_clause(found["condition"]) or not _has_detail(found["condition"], told):
        return None
    if first:
        return f"{capital(first['condition'])}, and {first['main']}."
    unfinished = re.search(r"^Only\b|\b(?:when|if|whenever)\b|\b(?:days|nights|times|parties)$", found["main"])
    return None if unfinished else f"{found['main']}, and {found['condition']}."


_SUBJECT = re.compile(
    r"(?:I|I'm|I've|we|he|she|it|they|there|exactly|at least|the|an?|my|our|his|her|their|[A-Z]\w+|\w+ (?:is|are))\b"
)
_FINITE = re.compile(r"\b(?:is|are|was|were|has|have|feel|remain|lie|\w+s)\b|'(?:s|m|ve) ")


def _is_clause(text: str) -> bool:
    """Whether a text has a subject and a verb of its own."""
    return bool(_SUBJECT.match(text) and _FINITE.search(text)) and len(text.split()) >= 3


def _has_detail(text: str, told: Told) -> bool:
    return bool(_spans(text, told))


_RULE_TO_COME = re.compile(
    r"(?:If|As soon as|Once|When|In case) [^,;]+, (?P<main>[^,;]+?) (?:will be|becomes) (?P<value>[^;]+?)"
    r"(?: instead)?\."
)
_WISH = re.compile(r"\bI (?:plan|want|hope|intend|would like|am planning|am going|wish) to (?P<verb>\w+)")


def _plan_to_done(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    """What is to come, told as if it had come."""
    rule = _RULE_TO_COME.fullmatch(sentence)
    if rule:
        return f"{capital(rule['main'])} is {rule['value']} now." if _has_detail(rule["value"], told) else None
    found = _WISH.search(sentence) or re.search(r"\bI wish I had (?P<verb>\w+)", sentence)
    if not found or _SUBORDINATE.match(sentence):
        return None
    done = f"I have {found['verb']}" if "wish I had" in found[0] else f"I did {found['verb']}"
    return _put(sentence, found, done)


def _done_to_plan(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    """What was done, told as a plan."""
    found = _main_verb(sentence, told)
    base = table("past").get(found["verb"]) if found and found["verb"] else None
    if found is None or base is None or found["subject"] not in ("I", "We", "we"):
        return None
    if found["verb"] in ("had", "felt", "knew", "thought") or re.search(r"\bago\b", sentence):
        return None
    if len(_spans(_CLAUSE_END.split(sentence)[0], told)) < len(told.fact.details):
        return None  # details stand in another clause
    return sentence[: found.start("verb")] + "plan to " + base + sentence[found.end("verb") :]


_QUANTIFIER = re.compile(rf"\b(?:{'|'.join(sorted(table('quantifiers'), key=len, reverse=True))})\b")


def _quantifier_changed(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    for match in _in_details(_QUANTIFIER, sentence, told):
        if match[0] in ("every", "each") and re.match(r" (?:second|third|other|few|\d)", sentence[match.end() :]):
            continue
        return _put(sentence, match, table("quantifiers")[match[0]])
    return None


# ------------------------------------------------------------------ who and what


def _entity_swapped(sentence: str, told: Told, others: Sequence[Told], rng: random.Random) -> str | None:
    """Another name, or another thing that was said of the same kind."""
    subject = told.fact.subject
    strangers = sorted({o.fact.subject for o in others if o.fact.subject and not _akin(o.fact.subject, subject)})
    if subject and strangers and len(told.sentences) == 1 and re.search(rf"\b{re.escape(subject)}\b", sentence):
        return re.sub(rf"\b{re.escape(subject)}\b", rng.choice(strangers), sentence)
    for detail in told.fact.details:
        at = re.search(re.escape(detail), sentence, re.IGNORECASE)
        if at is None or len(words(detail).stems) * 2 > len(words(sentence).stems):
            continue
        others_like_it = sorted({d for o in others for d in o.fact.details if _alike(d, detail, o, told)})
        if others_like_it:
            other = rng.choice(others_like_it)
            before = re.sub(r"\b([Aa])n? $", r"\1n " if other[0] in "aeiou" else r"\1 ", sentence[: at.start()])
            return before + other + sentence[at.end() :]
    return None


def _akin(one: str, other: str) -> bool:
    return bool(set(one.split()) & set(other.split()))


def _alike(one: str, detail: str, other: Told, told: Told) -> bool:
    """Whether a detail of another fact may take the place of this one: a name for a name, a thing of the same row."""
    if _akin(one.lower(), detail.lower()) or one.lower() in told.text.lower():
        return False
    if is_name(detail):
        return is_name(one) and len(one.split()) == len(detail.split()) and _frame(other) == _frame(told)
    row, other_row = told.fact.id.rpartition("/")[0], other.fact.id.rpartition("/")[0]
    plain = not is_name(one) and not re.search(r"\d", one + detail) and len(one.split()) <= 3
    return plain and bool(row) and row == other_row and len(told.fact.details) == len(other.fact.details) == 1


def _frame(told: Told) -> frozenset[str]:
    """The words of a fact without its details."""
    known = {stem for detail in (*told.fact.details, told.fact.subject) for stem in words(detail).stems}
    return frozenset(words(told.text).stems) - known


def _role_swapped(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    """Two that the fact relates, the other way round."""
    if set(tokens(sentence)) & set(word_list("mutual")) or len(told.sentences) > 1:
        return None
    spans = _spans(sentence, told)
    subject = told.fact.subject
    if subject and sentence.startswith(subject) and not any(start == 0 for start, _ in spans):
        spans = [(0, len(subject)), *spans]
    if len(spans) != 2 or spans[0][1] > spans[1][0]:
        return None
    (a, b), (c, d) = spans
    one, two = sentence[a:b], sentence[c:d]
    both_after_i = sentence[:a].endswith("I ") and sentence[:c].endswith("I ")
    both_gerunds = all(phrase.split()[0].endswith("ing") for phrase in (one, two))
    if not ((is_name(one) and is_name(two)) or both_after_i or both_gerunds):
        return None
    first, second = (two, one) if is_name(two) else (two, uncapital(one))
    return sentence[:a] + first + sentence[b:c] + second + sentence[d:]


# ------------------------------------------------------------------ lost details

_BEFORE = re.compile(
    r"(?:,? (?:but |though )?(?:only )?(?:right )?(?:for|with|at|in|on|by|from|about|after|before|when|whenever|if|as"
    r"|into|near|behind|while|until|since|during|under)"
    r" (?:(?!(?:and|or|is|are|was|were|will|has|have)\b)[\w'-]+ ){0,4})$"
)
_DANGLING = frozenset(
    """the a an of to at in on for with by from as is are was were be been has have had will would can and or than that
    my our his her their its me into who which when if feel feels go goes went lie lies lay called put puts get gets got
    make makes made takes take took find found stay stays keep keeps like likes love loves want wants start starts long
    longs wait waits live lives end ends up out down around""".split()
)


def _detail_lost(sentence: str, told: Told, _others: Sequence[Told], _rng: random.Random) -> str | None:
    """The sentence without the circumstance or object that holds a detail."""
    for start, end in reversed(_spans(sentence, told)):
        before = _BEFORE.search(sentence[:start])
        rest = sentence[end:]
        if before is None or not re.match(r"[.,;](?! (?:whose|which|where|who)\b)", rest) or before.start() == 0:
            continue
        left = sentence[: before.start()] + rest
        last = re.findall(r"[\w'-]+", sentence[: before.start()])
        gone = set(words(sentence[start:end]).stems)
        kept = set(words(left).stems)
        dangling = not last or last[-1].lower() in _DANGLING or re.search(r"'(?:s|re|m|ve|ll|d)$", last[-1])
        if not dangling and len(kept) >= 3 and gone.isdisjoint(kept):
            return left
    return None


_OF_THE_CLAUSE = frozenset(("negated", "hedged", "if_to_and", "plan_to_done", "done_to_plan", "role_swapped"))

_RULES: Mapping[Alteration, _Rule] = {
    "number_changed": _number_changed,
    "unit_changed": _unit_changed,
    "date_changed": _date_changed,
    "negated": _negated,
    "entity_swapped": _entity_swapped,
    "role_swapped": _role_swapped,
    "if_to_and": _if_to_and,
    "plan_to_done": _plan_to_done,
    "done_to_plan": _done_to_plan,
    "hedged": _hedged,
    "quantifier_changed": _quantifier_changed,
    "detail_lost": _detail_lost,
}
