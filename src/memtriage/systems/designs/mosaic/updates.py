"""Everyday updates: which earlier sentence a plain one overtakes, such as "I live in Rye" and "I moved to Hythe".

A sentence is read as claims (whose, which verb, and what is said by place, time, number and object) and as what it says
is over. A later claim overtakes an earlier one that differs from it in one thing only; what is over overtakes what said
that it was so. Whose it is has to agree in both.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

import Stemmer

from memtriage.systems.designs.mosaic.statements import MOST_LETTERS, Stems, stems
from memtriage.systems.designs.mosaic.word_lists import FUNCTION_WORDS, read_words

Owner = Literal["me", "the", "named", "other"]
NOTHING: Stems = frozenset()
COVERED = 0.6
"""How much of what is over an earlier claim has to say."""
LONGEST, WIDEST = 14, 4
"""Words of a clause, and stems of one of its parts, up to which it is read: what is longer tells a story."""


@dataclass(frozen=True, slots=True)
class Whose:
    """Whom or what a claim is about: the speaker alone, a thing of theirs, a thing, or somebody with a name."""

    owner: Owner
    noun: Stems = NOTHING

    def agrees(self, other: Whose) -> bool:
        """Whether both are the same; "the meeting" may be "my meeting"."""
        if self.noun != other.noun or "other" in (self.owner, other.owner):
            return False
        return self.owner == other.owner or (bool(self.noun) and {self.owner, other.owner} == {"me", "the"})


@dataclass(frozen=True, slots=True)
class Claim:
    """What somebody has, does or is."""

    whose: Whose
    verb: str
    slots: tuple[tuple[str, Stems], ...]
    shape: str = ""
    """What kind of thing the object is, where the verb is `be`."""
    head: str = ""
    """The last word of its object, which says what it is one of."""
    new: bool = False
    """Whether it says itself that it is new."""

    def slot(self, name: str) -> Stems:
        return next((held for key, held in self.slots if key == name), NOTHING)

    @property
    def words(self) -> Stems:
        """Everything that it says."""
        return self.whose.noun.union((self.verb,), *(held for _, held in self.slots))

    @property
    def does(self) -> Stems:
        """What somebody does or is."""
        return self.slot("object") if self.verb == "be" else frozenset((self.verb,))

    @property
    def keys(self) -> list[str]:
        """By what it is looked up."""
        noun = " ".join(sorted(self.whose.noun))
        return [f"{noun}|{self.verb}"] if self.whose.owner in ("me", "the") else [f"{noun}|{self.verb}|named"]

    @property
    def replaced_keys(self) -> list[str]:
        """By what those are looked up whose place it may take."""
        if self.verb not in _TRAVEL:
            return self.keys
        return [key for verb in sorted(_TRAVEL) for key in replace(self, verb=verb).keys]


@dataclass(frozen=True, slots=True)
class Over:
    """Something that is no longer so: whose, and in which words; `whole` if an earlier claim has to say them all."""

    whose: Whose
    words: Stems
    whole: bool = False
    shapes: tuple[str, ...] = ()
    """Of what kind the earlier claim has to be, if that is known."""
    state: bool = False
    """Whether the words are what somebody does or is, and nothing beside that."""
    of_me: bool = False
    """Whether the words are enough, where the earlier sentence is about anything of the speaker's."""

    @property
    def least(self) -> float:
        """How many of the words an earlier claim has to say, a hair less: a share may be rounded up."""
        return (1.0 if self.whole else COVERED) * len(self.words) - 1e-6


@dataclass(frozen=True, slots=True)
class Reading:
    """What a sentence claims, and what it says is over. `quiet` if it is a plan, a wish or a question."""

    claims: tuple[Claim, ...] = ()
    over: tuple[Over, ...] = ()
    quiet: bool = False


EMPTY = Reading(quiet=True)


@lru_cache(maxsize=1 << 14)
def reading(text: str) -> Reading:
    """What a sentence claims.

    >>> [sorted(over.words) for over in reading("I sold the boat.").over]
    [['boat']]
    """
    if len(text) > MOST_LETTERS / 2:
        return EMPTY
    if text.rstrip().endswith("?") or _UNREAL.search(plain := _plain(text)):
        return EMPTY
    corrected, more = bool(_CORRECTED.search(text)), bool(_MORE.search(plain))
    claims: list[Claim] = []
    over: list[Over] = []
    whose: Whose | None = None
    for clause in _clauses(_REASON.split(plain)[0]):
        if clause.count(" ") >= LONGEST:
            whose = None
            continue
        bare = _bare(clause)
        subject, rest = _subject(bare, whose)
        found = _over(clause, bare, subject, rest, whose)
        whose = subject or whose
        if subject is not None and not _OVER.search(clause):
            anew = bool(corrected or _ANEW.search(clause) or (over and subject.noun)) and not more
            claims += _claims(subject, _INSTEAD.sub("", rest), anew, bool(_AGAIN.search(clause)) and not more)
        over += found
    return Reading(tuple(claims), tuple(over))


def overtakes(new: Reading, old: Reading) -> float:
    """How surely a later sentence overtakes an earlier one; 0 if it doesn't."""
    ended = (_ends(over, claim) for over in new.over for claim in old.claims)
    replaced = (_replaces(claim, each) for claim in new.claims if claim.new for each in old.claims)
    return max((*ended, *replaced), default=0.0)


def may_go_without(word: str) -> bool:
    """Whether a claim may say a word that isn't among the stems of its sentence, such as a verb that says little."""
    return word in _NO_STEMS or word.endswith(_PARTICLES) or not word.isascii()


def _ends(over: Over, old: Claim) -> float:
    if over.words <= _NUMBERS or old.whose.owner == "other" or (over.state and not over.words & old.does):
        return 0.0
    shared = len(over.words & old.words) / len(over.words)
    if shared < (1.0 if over.whole else COVERED):
        return 0.0
    if over.whose.noun:
        mine = over.whose.noun <= old.whose.noun | old.slot("object")
    else:  # what my father gives up is not mine, but who is my boss is
        near = not old.whose.noun or old.verb in ("be", "call") or over.words <= old.whose.noun
        mine = over.of_me and old.whose.owner == "me" and near
    if not (mine or over.whose.agrees(old.whose)):
        return 0.0
    return 1.0 + shared if not over.shapes or any(_has(old, shape) for shape in over.shapes) else 0.0


def _has(claim: Claim, shape: str) -> bool:
    if shape == "role":
        return claim.verb in ("be", "call") and claim.shape != "word"
    return claim.shape == shape or bool(claim.slot(shape)) or (shape == "number" and bool(claim.slot("time")))


def _replaces(new: Claim, old: Claim) -> float:
    """How surely a claim takes the place of another one: they differ in one thing, and agree in the rest."""
    if not new.whose.agrees(old.whose):
        return 0.0
    if new.verb != old.verb:  # there are many ways to get to work
        way = {new.verb, old.verb} <= _TRAVEL and new.slot("to") == old.slot("to") != NOTHING
        return 1.0 if way and not new.slot("time") else 0.0
    mine, others = dict(new.slots), dict(old.slots)
    both = mine.keys() & others.keys()
    same = [key for key in both if mine[key] == others[key]]
    differing = [key for key in both if mine[key] != others[key]]
    if set(differing) == {"object", "number"} and new.head == old.head:
        differing = ["number"]
    if len(differing) != 1 or (mine.keys() - both and others.keys() - both):
        return 0.0
    (key,) = differing
    akin = key in ("number", "time") or (
        new.head == old.head != "" if key == "object" else bool(mine[key] & others[key])
    )
    if new.verb == "be" and key == "object":
        if new.shape != old.shape and not _FUNCTION & new.whose.noun:
            return 0.0
        if not new.whose.noun and not akin:
            return 0.0  # what somebody is, they are beside much else
        if new.shape == "word" and not (akin or _FUNCTION & new.whose.noun):
            return 0.0
        return 1.5 if new.whose.noun else 1.2
    if key == "object" and new.verb in _MANY and not akin:
        return 0.0
    if new.verb == "be" and not new.whose.noun and not akin:
        return 0.0
    if same or new.whose.noun or new.verb in _SINGLE or key == "place" or (akin and key != "time"):
        return 1.0 + 0.1 * len(same) + 0.2 * akin
    return 0.0


# Reading


def _plain(text: str) -> str:
    """A sentence without contractions, and without what opens it."""
    text = text.replace("’", "'").strip().rstrip(".!… ")
    for form, whole in _SHORT if "'" in text else ():
        text = form.sub(whole, text)
    return _LEAD.sub("", text)


def _clauses(text: str) -> list[str]:
    """The parts of a sentence that may have a verb of their own; others stay with what they follow."""
    found: list[str] = []
    for part in _SPLIT.split(text):
        clause = part.strip(" ,")
        first = clause.partition(" ")[0].lower()
        if found and clause and not (_SUBJECT.match(clause) or first in _FORMS or _NOT.match(clause)):
            found[-1] += f", {clause}"
        elif clause:
            found.append(clause)
    return found


def _subject(bare: str, before: Whose | None) -> tuple[Whose | None, str]:
    """Whom a bare clause is about, and the rest of it, from its verb on."""
    words = bare.split()
    if not words:
        return None, ""
    first = words[0].lower()
    if first in ("i", "we"):
        return Whose("me"), " ".join(words[1:])
    if first in _FORMS and before is not None:
        return before, " ".join(words)
    if first in ("it", "that"):
        return before, " ".join(words[1:])
    owner = _owner(words[0])
    if owner is None:
        return None, ""
    for n, word in enumerate(words[1:8], start=1):
        if _verb_at(words, n):
            noun = stems(" ".join(words[0 if owner == "named" else 1 : n]))
            return (Whose(owner, frozenset(noun) - _PASSING) if noun else None), " ".join(words[n:])
        if word.lower() in ("who", "which", "that", "whose"):
            break
    return None, ""


def _bare(clause: str) -> str:
    """A clause without words that only say since when, or how much."""
    return " ".join(_ADVERBS.sub(" ", clause).split())


def _verb_at(words: list[str], n: int) -> bool:
    word = words[n].lower()
    following = [each.lower() for each in words[n + 1 :]]
    if word in _AUXILIARY:
        return True
    if words[n - 1].lower() in _BEFORE_NOUNS or words[n][0].isupper() or (following and following[0] in _FORMS):
        return False
    # A word that only looks like a verb is one if there is no other.
    return word in _FORMS or (n > 1 and _LIKE_A_VERB.match(word) is not None and not _AUXILIARY & set(following))


def _owner(word: str) -> Owner | None:
    lower = word.lower()
    if lower in ("my", "our"):
        return "me"
    if lower == "the":
        return "the"
    if lower in ("his", "her", "their", "your", "a", "an", "some", "they", "he", "she", "you", "nobody", "everyone"):
        return None
    return "named" if word[:1].isupper() else None


def _claims(whose: Whose, rest: str, anew: bool, other: bool) -> list[Claim]:
    """What a clause says of somebody, from its verb on; `anew` if it says so, `other` if it tells of a new one."""
    words = rest.split()
    if whose.owner == "named" and (match := _ROLE.match(rest)):
        role = frozenset(stems(match["role"])) - _PASSING
        new = anew or other or match["verb"] not in ("is", "are")
        return [Claim(Whose("me", role), "be", (("object", whose.noun),), "thing", new=new)] if role else []
    if len(words) > 1 and words[0].lower() in ("have", "has") and _PARTICIPLE.match(words[1]):
        if words[1] not in ("got", "started"):
            return []  # what somebody has done, they have done
        words = ["have", *words[2:]] if words[1] == "got" else words[1:]
    begun = len(words) > 2 and words[0].lower() == "started" and words[1].endswith("ing")
    words = words[1:] if begun else words
    if not words or (verb := _verb(words, other, bool(whose.noun))) is None:
        return []
    relative = next((n for n, word in enumerate(words) if word.lower() in ("who", "that", "which")), None)
    after = words[relative + 1 :] if relative is not None else []
    words = words[:relative]
    slots, shape, head = _slots(words)
    if any(len(held) > WIDEST for _, held in slots):
        return []
    if whose.noun and verb in ("start", "begin") and "time" in dict(slots):
        verb = "be"  # a class that starts at six is at six
    anew = anew or (begun and "object" not in dict(slots))  # who starts one thing goes on with others
    found = [Claim(whose, verb, slots, shape, head, anew or (other and bool(whose.noun)))]
    if verb in ("have", "take", "attend", "do") and not whose.noun and whose.owner == "me":
        found += _things(words, after, dict(slots), anew or other)
    return found


def _verb(words: list[str], other: bool, thing: bool) -> str | None:
    """The verb with which some words begin, which is taken away from them; None if it tells of no lasting thing."""
    verb = words.pop(0).lower()
    if verb in ("am", "is", "are", "be"):
        if not words or not _DOING.match(words[0]) or words[0].lower() in _NO_DOING:
            return "be"
        doing = words.pop(0).lower()
        verb = _stem(doing)
        return verb if verb in _LASTING or (thing and doing.endswith("ed")) else None
    if verb in ("bought", "got", "found", "hired") and other:
        return "have"
    if _PAST.match(verb) or verb in _IRREGULAR or verb in ("been", "was", "were"):
        return None
    if verb == "wants" and [word.lower() for word in words[:2]] == ["to", "be"]:
        del words[:2]
        return "wantto"
    verb = {"has": "have", "does": "do", "goes": "go"}.get(verb) or _stem(verb)
    if words and words[0].lower() in _PARTICLES:
        verb += words.pop(0).lower()
    return None if verb in _MINDS and not thing else verb


def _things(words: list[str], after: list[str], held: dict[str, Stems], new: bool) -> list[Claim]:
    """What follows for a thing from having it: "I have a blue car" says that my car is blue."""
    stop = next((n for n, word in enumerate(words) if word.lower() in (*_PREPOSITIONS, "called", "named")), len(words))
    noun = stems(" ".join(words[:stop]))
    if not noun or (new and _SEVERAL & frozenset(noun)):
        return []
    whole, last = (Whose("me", frozenset(each) - _PASSING) for each in (noun, noun[-1:]))
    if stop < len(words) and words[stop].lower() in ("called", "named"):
        name = frozenset(stems(" ".join(words[stop + 1 :])))
        return [Claim(whole, "call", (("object", name),), new=new)]
    found = []
    described = frozenset(noun[:-1]) - _PASSING
    if described and not any(each in _NUMBERS or each[0].isdigit() for each in described):
        found.append(Claim(last, "be", (("object", described),), _shape(described, words), new=new))
    found += [Claim(whole, "be", ((key, held[key]),), new=new) for key in ("time", "place") if held.get(key)]
    return found + (_claims(last, " ".join(after), new, new) if after else [])


def _slots(words: list[str]) -> tuple[tuple[tuple[str, Stems], ...], str, str]:
    """What stands behind a verb, by place, time, number and the rest; of what shape its object is, and its head."""
    parts: dict[str, list[str]] = {}
    key = "object"
    for word in words:
        lower = word.lower().strip(",")
        if lower in _PREPOSITIONS and not (lower == "of" and key == "object"):
            key = _PREPOSITIONS[lower]
            parts.setdefault(key, [])
        else:
            parts.setdefault(key, []).append(word)
    found: dict[str, Stems] = {}
    for name, held in parts.items():
        said = frozenset(stems(" ".join(held))) - _PASSING
        if not said:
            continue
        numbers = frozenset(each for each in said if each in _NUMBERS or each[0].isdigit())
        timed = any(held[n].lower().strip(",.") in _TIMES for n in (0, -1))
        if (name in ("place", "for", "from") and (timed or numbers == said)) or (name == "object" and timed):
            found["time"] = found.get("time", NOTHING) | said
        elif name == "object" and numbers:
            found["number"] = numbers
            if said - numbers:
                found["object"] = said - numbers
        else:
            found[name] = said
    objects = stems(" ".join(parts.get("object", ())))
    shape = _shape(found.get("object", NOTHING), parts.get("object", []))
    return tuple(sorted(found.items())), shape, objects[-1] if objects else ""


def _shape(said: Stems, words: list[str]) -> str:
    """Of what kind an object is: a colour, something with a name, one of a kind, or a word."""
    if any(each in _COLOURS for each in said):
        return "colour"
    first = words[0].lower() if words else ""
    if any(word[:1].isupper() for word in words) or first in ("a", "an", "the"):
        return "thing"
    return "word" if said else ""


def _over(clause: str, plain: str, subject: Whose | None, rest: str, before: Whose | None) -> list[Over]:
    """What a clause says is no longer so; it is given as it stands and bare, with its subject and what follows that."""
    mine = subject or before or Whose("me")
    found: list[Over] = []
    if match := _PARTED.search(plain):
        found.append(Over(Whose("me"), frozenset(stems(match["who"] or match["with"])), True, of_me=True))
    for match in _INSTEAD.finditer(plain):
        if words := frozenset(stems(match["what"] or match["not"])):
            found.append(Over(mine, words, True, of_me=True))
    if match := _USED_TO.search(plain):
        words = frozenset(stems(match["what"]))
        if words:
            found.append(Over(mine, words, True))
        return found
    if match := _NO_LONGER.search(clause):
        kept, _, _ = clause.partition(", ")
        words = frozenset(stems(_NO_LONGER_WORDS.sub(" ", kept))) - _PASSING
        whose = Whose("me") if re.match(r"(?:nobody|no one)\b.*\bme\b", clause, re.IGNORECASE) else mine
        if words:
            found.append(Over(whose, words, of_me=True))
        return found
    if match := _STOPPED.match(_HAVING.sub("", rest)):
        words = frozenset(stems(match["what"] or match["away"])) - _PASSING
        if words:
            found.append(Over(mine, words, len(words) < 3, of_me=True))
    elif match := _LOST_ITS_OWNER.search(plain):
        owner = _owner(match["who"].split()[0])
        noun = frozenset(stems(match["who"])) - _PASSING
        if owner and noun:
            found.append(Over(Whose(owner, noun), noun, True))
    found += _moved(plain, subject)
    for event, states, shapes in _ENDS:
        if subject is not None and event.match(_HAVING.sub("", rest)):
            found += [Over(subject, frozenset((state,)), True, shapes, state=True) for state in states]
    return found


def _moved(clause: str, subject: Whose | None) -> list[Over]:
    """What was changed, moved, raised or renamed."""
    match = _MOVED.search(clause)
    found: list[Over] = []
    if (done := _HAD_DONE.search(clause)) and subject is not None and not subject.noun:
        noun = frozenset(stems(done["what"])) - _PASSING
        shape = "word" if done["how"] in ("cut", "shortened") else "colour"
        return [Over(Whose("me", noun), noun, True, (shape,))] if noun else []
    if (unit := _UP_TO.search(clause)) and subject is not None:
        return [Over(subject, frozenset(stems(unit["unit"])), True, ("number",), of_me=True)]
    if match is None:
        if (had := _NEW_ONE.search(clause)) and subject == Whose("me"):
            noun = frozenset(stems(had["what"])) - _PASSING
            if noun and not noun & _SEVERAL:
                found.append(Over(Whose("me", noun), noun, True, ("role",)))
        return found
    verb = match["verb"].lower()
    shapes = next((kinds for form, kinds in _CHANGED if re.match(form, verb)), ())
    rest, _, target = match["rest"].partition(" to ")
    if verb == "set" and not target:
        return found
    if verb == "turned":
        number = subject is not None and any(each.isdigit() for each in rest)
        return [Over(subject, subject.noun, True, ("number",))] if number and subject and subject.noun else []
    rest, _, origin = f" {_WITH.split(rest)[0]}".partition(" from ")
    if words := frozenset(stems(origin)):
        found.append(Over(subject or Whose("me"), words, True, of_me=True))
    thing = rest.split()
    owner = _owner(thing[0]) if thing else None
    if owner in ("me", "the", "named"):
        noun = frozenset(stems(rest if owner == "named" else " ".join(thing[1:]))) - _PASSING
        if noun:
            found.append(Over(Whose(owner, noun), noun, True, shapes))
    elif not thing and subject is not None and subject.noun and (target or shapes or verb == "changed"):
        found.append(Over(subject, subject.noun, True, shapes))
    return found


def _stem(word: str) -> str:
    return str(_STEMMER.stemWord(word))


_STEMMER = Stemmer.Stemmer("english")
_LISTS = tomllib.loads(read_words("claims.toml"))
_VERBS = _LISTS["verbs"].split()
_BE = {"am", "is", "are", "was", "were", "be"}
_AUXILIARY = _BE | {"has", "have", "had", "does", "do", "did", "got", "came", "went", "turned", "changed", "moved"}
_ENDING = frozenset(_LISTS["ending"].split())
_FORMS = (
    _AUXILIARY
    | _ENDING
    | {
        form
        for verb in _VERBS
        for form in (verb, f"{verb}s", f"{verb}es", f"{verb[:-1]}ies" if verb.endswith("y") else f"{verb}s")
    }
)
_SINGLE = frozenset(_STEMMER.stemWords(_LISTS["single"].split())) | {"getup", "wakeup"}
_MANY = frozenset(_STEMMER.stemWords(_LISTS["many"].split()))
_MINDS = frozenset(_STEMMER.stemWords(_LISTS["minds"].split()))
_LASTING = frozenset(_STEMMER.stemWords(_LISTS["lasting"].split()))
_TRAVEL = frozenset(_STEMMER.stemWords(_LISTS["travel"].split()))
_SEVERAL = frozenset(_STEMMER.stemWords(_LISTS["several"].split()))
_NUMBERS = frozenset(_STEMMER.stemWords(_LISTS["numbers"].split()))
_TIMES = frozenset(_LISTS["times"].split())
_COLOURS = frozenset(_STEMMER.stemWords(_LISTS["colours"].split()))
_ENDS = tuple(
    (
        re.compile(rf"(?:{each['event']})\b", re.IGNORECASE),
        tuple(_STEMMER.stemWords(each["state"].split())),
        tuple(each.get("shape", "").split()),
    )
    for each in _LISTS["ends"]
)
_PARTICLES = ("up", "off", "out")
_NO_STEMS = frozenset(_STEMMER.stemWords(list(FUNCTION_WORDS))) | {"be", "have", "do", "go", "call", "wantto"}
_PASSING = frozenset(
    _STEMMER.stemWords("new current currently old now longer anymore again different instead former previous".split())
)
_FUNCTION = frozenset(
    _STEMMER.stemWords(
        "favourite favorite name number code password username address email size colour color pin nickname job "
        "status blood postcode language snack drink breakfast title".split()
    )
)
"""Nouns that have one value, of whatever kind."""
_PREPOSITIONS = {
    **dict.fromkeys(
        ("every", "each", "in", "at", "on", "under", "behind", "near", "into", "around", "inside", "beside", "above"),
        "place",
    ),
    **{each: each for each in ("to", "with", "by", "as", "from", "about", "for")},
    "of": "about",
}
_LIKE_A_VERB = re.compile(r"^[a-z]{3,}[^s\W]s$")
_BEFORE_NOUNS = frozenset("a an the my our his her their of for in at on to with and".split())
_NO_DOING = frozenset("interested tired married engaged allergic red bored excited bed".split())
_DOING = re.compile(r"^[a-z]{2,}(?:ing|ed)$", re.IGNORECASE)
_PARTICIPLE = re.compile(
    r"^(?:[a-z]+ed|[a-z]+[wkt]en|got|been|gone|begun|become|heard|seen|done|met|had|read|made|found|told|bought"
    r"|lost|left|sold|come|kept"
    r"|thought|felt|spent|won|put|set|cut|quit|known|grown|run|held|paid|sent|built)$",
    re.IGNORECASE,
)
_PAST = re.compile(r"^(?!need|feed|speed)[a-z]+ed$")
_IRREGULAR = frozenset(
    "got was were had did went came saw met bought ate took made gave told said found left quit lost sold ran sang "
    "drank drove wrote spoke slept woke wore paid sent grew flew rode swam held hung stood led built".split()
)
_SHORT = tuple(
    (re.compile(form, re.IGNORECASE), whole)
    for form, whole in (
        (r"\b(I)'m\b", r"\1 am"),
        (r"\bcan't\b", "can not"),
        (r"\bwon't\b", "will not"),
        (r"n't\b", " not"),
        (r"'ve\b", " have"),
        (r"'re\b", " are"),
        (r"'ll\b", " will"),
        (r"\b(it|he|she|that|there|here)'s\b", r"\1 is"),
        (r"\b(I|we|you|he|she|they)'d\b", r"\1 would"),
    )
)
_LEAD = re.compile(
    r"^\W*(?:(?:correction|update|actually|oh|well|so|sorry|by the way|btw|fyi|good news|bad news|also|and|but"
    r"|in fact|hey|hi)\b[\s,:;—–-]*)*"
    r"(?:(?:since|after|as of|from|starting|because of|due to|these|for)\s(?:(?:the|my|our|last"
    r"|this)\s)?(?:(?!(?:I|my|we|our)\b)\S+\s){1,4}(?=(?:I|my|we|our)\b))?"
    r"(?:(?:(?:it\s)?turns out|the \S+ (?:showed|shows|says|said)|I (?:found out|learned|realised"
    r"|realized))\s(?:that\s)?)?",
    re.IGNORECASE,
)
_ANEW = re.compile(
    r"\b(?:now|these days|nowadays|currently|instead|again|as of|from (?:today|tomorrow|now|next|this)|by now"
    r"|meanwhile"
    r"|at the moment|for the time being|for now|no longer|since (?:last |this |the |my |our )?\w+$)\b|^since\b",
    re.IGNORECASE,
)
_AGAIN = re.compile(r"\b(?:new|different)\b", re.IGNORECASE)
_MORE = re.compile(
    r"\b(?:also|too|as well|another|additionally|in addition|besides|both|a second|a third)\b", re.IGNORECASE
)
_UNREAL = re.compile(
    r"\b(?:if|would|might|may|could|should|will|shall|(?:am|is|are|was|were) (?:\w+ )?going to|gonna|plan|plans"
    r"|planning|thinking (?:of|about)|imagine|suppose"
    r"|wish|wishes|hope|hopes|hoping|maybe|perhaps|consider(?:ing|s)?|never tell|as if|unless|dreamt|dreamed)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\s+(?:because|as a result|so that|which is why|due to|thanks to)\b", re.IGNORECASE)
_SPLIT = re.compile(
    r"\s*[;—–]\s*|,\s+(?:and\s+|but\s+|so\s+)?|:\s+|\s+(?:and|but)\s+(?!I (?:broke|split|separated|divorced|fell))"
)
_SUBJECT = re.compile(
    r"^(?:(?:now|then|today)\s+)?(?:(?:i|we|my|our|it|he|she|they|the|nobody|everyone)\b|[A-Z])", re.IGNORECASE
)
_NOT = re.compile(r"^not\b", re.IGNORECASE)
_ADVERBS = re.compile(
    r"\b(?:now|these days|nowadays|currently|actually|just|mostly|usually|recently|finally|already|still|only"
    r"|always|often|again"
    r"|instead(?! of)|even|really|about|since (?:last |this |the )?\w+$|from (?:today|tomorrow|now on|next \w+)"
    r"|as of (?:last |this |next )?\w+"
    r"|after all|by now|at the moment|for now|lately|temporarily|permanently|officially|had to|have to|has to)\b",
    re.IGNORECASE,
)
_OVER = re.compile(r"\bused to\b|\bno longer\b|\bnot\b|\bnever\b|\bnobody\b", re.IGNORECASE)
_NO_LONGER = re.compile(
    r"\bno longer\b|\b(?:not|never|nobody|no one)\b.*\b(?:any ?more|any longer|again|after all)\b"
    r"|\bnot\b.*\b(?:but|it is)\b",
    re.IGNORECASE,
)
_NO_LONGER_WORDS = re.compile(
    r"\b(?:no longer|not|never|any ?more|any longer|after all|again|do|does|showed|nobody|no one|use|but\b.*"
    r"|it is\b.*)\b",
    re.IGNORECASE,
)
_HAVING = re.compile(r"^(?:(?:have|has|had|was|were|am|is|are|got|been|just|had to|have to|to)\s+)+", re.IGNORECASE)
_WITH = re.compile(r"\s(?:with|by|as|for|into|because|last|this|yesterday|today)\b")
_ROLE = re.compile(
    r"(?P<verb>is|are|became|has become|took over as|has taken over as|takes over as)\s+(?:(?:my|our"
    r"|the)\s+)?(?:new\s+)?(?P<role>[a-z][a-z ]{2,30})$"
)
"""How it is said of somebody with a name what they are to the speaker."""
_CORRECTED = re.compile(
    r"^\W*(?:(?:since|as of|after) (?:the|last|this)|correction|actually|update|sorry|in fact)\b|\b(?:i meant"
    r"|i misspoke|got (?:it|that|the last one) wrong|was wrong)\b",
    re.IGNORECASE,
)
_STOPPED = re.compile(
    r"(?:stopped|quit|ceased|gave up|given up|giving up|dropped|cancelled|canceled|called off|sold|got rid of"
    r"|get rid of|gotten rid of"
    r"|finished|resigned (?:as|from)|stepped down (?:as|from)|retired (?:as|from)|left|lost|ended|shaved off"
    r"|cut off|threw (?:out|away)"
    r"|thrown (?:out|away)|gone off|went off|done with|through with|moved out of|unsubscribed from|passed"
    r"|gave away|returned|closed|deleted)"
    r"\s+(?P<what>\S+(?:\s(?!(?:and|but|for|at)\b)\S+)*)"
    r"|(?:gave|give|given|threw|thrown)\s+(?P<away>.+?)\s+(?:away|up|back)\b",
    re.IGNORECASE,
)
_LOST_ITS_OWNER = re.compile(
    r"^(?P<who>(?:my |our |the )?(?:\S+ ){0,2}?\S+) (?:has |have |had )?(?:left|retired|resigned|quit|died"
    r"|came off|come off|closed|broke down|passed away|expired|ended|moved (?:out|away)|healed"
    r"|(?:is|are|was|were|got|been) (?:gone|stolen|cancelled|canceled|over|broken|dead|sold|healed))$",
    re.IGNORECASE,
)
_PARTED = re.compile(
    r"^(?P<who>[A-Z]\w+) and I (?:have )?(?:broke|broken|split|separated|divorced|fell|fallen)\b"
    r"|\bI (?:have )?(?:broke|broken|split) up with (?P<with>\w+)"
)
_INSTEAD = re.compile(
    r"\b(?:instead of|rather than|in place of)\s+(?P<what>\S+(?:\s\S+){0,3}?)(?=$|\s(?:now|these|since|on|at|in"
    r"|for|and)\b|,)"
    r"|(?:,\s*|^)not\s+(?!(?:just|only|even|sure|really|a|an|the|too|so|yet|much)\b)(?:on |in "
    r"|at )?(?P<not>\S+(?:\s\S+){0,2})$",
    re.IGNORECASE,
)
_USED_TO = re.compile(r"\bused to (?P<what>(?:(?!\b(?:but|now|and)\b)[^,;])+)", re.IGNORECASE)
_MOVED = re.compile(
    r"\b(?P<verb>moved|set|rebooked|rescheduled|postponed|pushed (?:back|forward)|put (?:back|off)"
    r"|brought forward|changed|switched|renamed|raised|lowered"
    r"|increased|reduced|cut|dropped|transferred|relocated|migrated|upgraded|swapped|replaced|shifted|delayed"
    r"|extended|turned|painted|went up"
    r"|gone up|went down|gone down|rose|fell)\b(?P<rest>.*)$",
    re.IGNORECASE,
)
_HAD_DONE = re.compile(
    r"\b(?:had|got) (?:my|our) (?P<what>\S+(?: \S+)?) (?P<how>cut|dyed|painted|repainted|shortened)\b", re.IGNORECASE
)
_UP_TO = re.compile(r"\b(?:am|is|are) (?:down|up) to [\d.,]+ (?P<unit>\w+)$", re.IGNORECASE)
_CHANGED: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("moved|shifted|relocated", ("place", "time")),
    ("set|rescheduled|postponed|pushed|put|brought|delayed|extended", ("time", "number")),
    ("raised|lowered|increased|reduced|cut|dropped|went|gone|rose|fell|turned", ("number", "time")),
    ("painted", ("colour",)),
)
_NEW_ONE = re.compile(
    r"\b(?:have|has|got|bought|found|hired)\s+(?:an?|my|our)?\s*(?:new"
    r"|different)\s+(?P<what>[^,;.\s]+(?:\s(?!(?:with|for|at|on|in|who|that|called|as|from)\b)[^,;.\s]+){0,2})",
    re.IGNORECASE,
)
