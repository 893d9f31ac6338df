"""Triples of a sentence without a model: what leads to what, what somebody likes or does, what a thing is.

Patterns of English word order, no more: a clause that opens with `when` and the one it governs, `X makes somebody Y`,
`the mayor of X is Y`. Ends of triples are meant to be names of nodes, so that the same thing has the same name in
another sentence: pronouns, articles and verbs that carry nothing are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import pairwise

from memtriage.systems.designs.rules.extraction import SPEAKER, Triple, names
from memtriage.systems.designs.rules.keyphrases import word_groups
from memtriage.text.words import words

LONGEST = 8
"""Words of a node's name; a proper name counts as one."""
MOST_LETTERS = 400
"""A longer sentence isn't read by patterns: they take long over it and find little."""

_CARRY_NOTHING, _NO_VERB = (
    frozenset((files(__package__) / "words" / name).read_text(encoding="utf-8").split())
    for name in ("light_words.txt", "no_verbs.txt")
)
_NUMBER = re.compile(r"^\s*\d+[.)]\s+")
# Proper names are replaced by marks before patterns are tried, so that these need not know them.
_MARK = "\ue000{}\ue001"
_MARKS = re.compile("\ue000(\\d+)\ue001")
_WHO = "(?:I|he|she|we|they|\ue000\\d+\ue001)"
_WHOM = "(?:me|us|him|her|them|you|\ue000\\d+\ue001)(?:['’]s)?"
_ADVERBS = r"(?:(?:always|often|usually|sometimes|never|rarely|only|also|still|just|then|now|[a-z]+ly)\s+)*"
_PREPOSITION = r"(?:of|in|on|at|to|by|for|from|with|as)"

_OPENER = re.compile(
    r"(when(?:ever)?|once|if|after|before|because(?:\s+of)?|since|while|during|as\s+soon\s+as|(?:every|each)\s+time"
    r"|thanks\s+to|on|with|given)\s+",
    re.IGNORECASE,
)
_SPLITS = tuple(
    re.compile(each)
    for each in (rf"(.{{2,}}?),\s+({_WHO}(?!\w).+)", rf"(.{{2,}}?)\s+({_WHO}(?!\w).+)", r"(.{2,}?),\s+(.+)")
)
_JOINED = re.compile(
    r"(.{3,}?),?\s+(because(?:\s+of)?|so\s+that|so|and\s+then|before|after|until|when(?:ever)?|once|if|while|since)\s+(.{3,})"
)
_IN_ORDER_TO = re.compile(rf"({_WHO}\s+\S+\s+\S.*?)\s+(to)\s+([a-z].{{2,}})")
_MOVES = re.compile(rf"(?P<cause>.+?)\s+{_ADVERBS}(?P<verb>[a-z]+)\s+{_WHOM}\s+(?P<effect>.+)")
_LEADS = re.compile(
    rf"(?P<cause>.+?)\s+{_ADVERBS}(?P<verb>leads?\s+to|results?\s+in|ends?\s+(?:in|with)|turns?\s+into|means?|makes?|gives?"
    r"|brings?|causes?|sparks?|triggers?|prompts?|inspires?|calls?\s+for|helps?(?:\s+with)?|invites?)\s+(?P<effect>.+)"
)
_ACTS = re.compile(rf"(?P<who>{_WHO})(?:['’](?:m|s|re|ve|d|ll))?\s+(?P<act>.+)")
_NAMED = re.compile(r"(?P<who>[A-Z][\w’'-]*) (?P<act>[a-z]+s\b.*)")
_IS = re.compile(r"(?P<subject>\S.*?)\s(?P<verb>is|are|was|were)\s+(?P<object>.+)")
_DOES = re.compile(
    r"(?P<subject>\S+(?: \S+){0,6}?)\s(?P<verb>plays?|played|speaks?|spoke|works?|worked|died|lives?|lived|has|had"
    r"|holds?|held|wrote|founded|owns?|owned|teach(?:es)?|taught|joined|won|directed)\s+(?P<object>.+)"
)
_ROLE = re.compile(rf"(?:[Tt]he |[Aa]n? )?(?:[a-z][\w-]* )*{_PREPOSITION} (?:the )?(?=\S)")
_KIND = re.compile(rf"(?:[a-z][\w-]* )?{_PREPOSITION} (?:the [a-z]+ of )?|(?:the|an?) [a-z]+ of ")
_OWNED = re.compile(r"(?P<owner>.+?)['’]s (?P<what>[a-z][\w -]*)")
_WHERE = re.compile(
    r"The (?P<role>[a-z][\w ]*?) (?:where|that|which|who|(?:in|at|by|from) which) "
    r"(?P<before>(?:[a-z]+ )*)(?P<subject>\S.*?)(?P<after>(?: [a-z]+)*) (?:is|was) (?P<object>.+)"
)


def triples(sentence: str, known: Sequence[str] = ()) -> list[Triple]:
    """The triples of a sentence; `known` are names in it. Where no pattern fits, word groups that follow each other.

    >>> triples("A cold swim helps me wake up.")
    [Triple(subject='cold swim', relation='helps', object='wake up')]
    >>> triples("When I'm in a hurry I skip breakfast.")
    [Triple(subject='hurry', relation='when', object='skip breakfast')]
    >>> triples("The mayor of Old Harbour is Ines Varga.")
    [Triple(subject='Old Harbour', relation='mayor is', object='Ines Varga')]
    """
    text = _NUMBER.sub("", " ".join(_MARKS.sub(" ", sentence).split())).rstrip(".!?… ")
    here = [name for name in known if name in text]
    called = sorted(dict.fromkeys([*here, *names(text)]), key=len, reverse=True)
    for n, name in enumerate(called):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", _MARK.format(n), text)

    def whole(part: str) -> str:
        return _MARKS.sub(lambda mark: called[int(mark[1])], part)

    read = _read(text) if len(text) <= MOST_LETTERS else ()
    found = [Triple(whole(each.subject), whole(each.relation), whole(each.object)) for each in read]
    told = [each for each in dict.fromkeys(found) if each.subject and each.object and each.subject != each.object]
    about_others = [each for each in told if each.subject != SPEAKER]
    return about_others or told or _neighbours(whole(text))


def _read(text: str) -> Iterator[Triple]:
    if role := _WHERE.fullmatch(text):
        how = " ".join(f"{role['role']} {role['before']}{role['after']}".split())
        yield Triple(_node(role["subject"]), how, _node(role["object"]))
        return
    two = _opened(text) or _JOINED.fullmatch(text) or _IN_ORDER_TO.fullmatch(text)
    if two is None:
        yield from _clause(text, text)[1]
        return
    one, how, other = (two[0], two[1], two[2]) if isinstance(two, tuple) else (two[1], two[2], two[3])
    (before, said_before), (after, said_after) = _clause(one, text), _clause(other, text)
    if before and after:
        yield Triple(before, how.lower(), after)
    yield from (*said_before, *said_after)


def _opened(text: str) -> tuple[str, str, str] | None:
    """`When A, B` and `When A B`, where B begins with somebody."""
    if opener := _OPENER.match(text):
        for split in _SPLITS:
            if found := split.fullmatch(text, opener.end()):
                return found[1], opener[1], found[2]
    return None


def _clause(text: str, sentence: str) -> tuple[str, list[Triple]]:
    """What a clause is about, as the name of a node, and the triples inside it."""
    for pattern in (_MOVES, _LEADS):
        found = pattern.fullmatch(text)
        if found and found["verb"] not in _NO_VERB and not re.fullmatch(_WHO, found["cause"]):
            cause, effect = _node(found["cause"]), _node(found["effect"])
            if cause.lower() in ("", "it", "this", "that"):
                return effect, []
            return effect, [Triple(cause, found["verb"], effect)] if effect else []
    for pattern in (_IS, _DOES):
        found = pattern.fullmatch(text)
        if found and not re.fullmatch("I|he|she|we|they|it", found["subject"]):
            return _stated(found["subject"], found["verb"], found["object"])
    if found := _ACTS.fullmatch(text) or _NAMED.fullmatch(text):
        what = _node(found["act"])
        named, verb = _MARKS.search(sentence), found["act"].split()[0]
        subject = {"I": SPEAKER, "we": SPEAKER, **dict.fromkeys(("he", "she", "they"), named[0] if named else "")}
        who = subject.get(found["who"], found["who"])
        return what, [Triple(who, "does" if what.startswith(verb) else verb, what)] if who and what else []
    return _node(text), []


def _stated(subject: str, verb: str, object: str) -> tuple[str, list[Triple]]:
    """`The mayor of Graz is Ines`, `Odo was born in the city of Graz`: what stands before the names says how."""
    role, kind = _ROLE.match(subject), _KIND.match(object)
    if owned := _OWNED.fullmatch(subject):
        one, how = owned["owner"], owned["what"]
    else:
        one, how = subject[role.end() if role else 0 :], _bare(role[0]) if role else ""
    node, other = _node(one), _node(object[kind.end() if kind else 0 :])
    relation = " ".join(f"{how} {verb} {kind[0] if kind else ''}".split())
    return other, [Triple(node, relation, other)] if node and other else []


def _bare(role: str) -> str:
    """`The mayor of` as `mayor`."""
    parts = role.split()
    while parts and (parts[-1] == "the" or re.fullmatch(_PREPOSITION, parts[-1])):
        parts.pop()
    return " ".join(parts[1:] if parts and parts[0].lower() in ("the", "a", "an") else parts)


def _node(text: str) -> str:
    """The name of a node: a phrase without what opens it and carries nothing; empty where nothing is left."""
    parts = text.strip(' ,;:.!?"“”()').split()[:LONGEST]
    while len(parts) > 1 and parts[0].replace("’", "'").lower() in _CARRY_NOTHING:
        if parts[0][0].isupper() and not parts[1][0].islower():
            break  # The Last Lamplighter
        parts.pop(0)
    name = " ".join(parts)
    return name if words(_MARKS.sub("name", name)).stems else ""


def _neighbours(text: str) -> list[Triple]:
    return [Triple(one, "with", other) for one, other in pairwise(dict.fromkeys(word_groups(text)))]
