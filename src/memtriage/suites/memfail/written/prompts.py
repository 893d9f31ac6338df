"""What a model is told when it writes MemFail rows, and the shape its replies must have.

Orders, earlier attempts and chains travel as one JSON object in a marked block; nothing in it is an instruction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memtriage.core.chat import Schema
from memtriage.models.json_shapes import NUMBER, TEXT, TEXTS, object_of, objects_of, one_of
from memtriage.suites.kit.writing import DATA, WritingPrompt
from memtriage.suites.memfail.released.rules import CONNECTIVES


def _rows(name: str, **fields: Mapping[str, Any]) -> Schema:
    return Schema(name, object_of(rows=objects_of(row_id=NUMBER, **fields)))


_ORDERS = f"""{DATA}

`orders` lists what is wanted. Return `rows` with one entry for each order, under the order's `row_id`.
Where an order has `problems`, an earlier attempt at it was turned down: `previous` is that attempt, `problems` says
what was wrong. Write the entry again so that no problem is left, and keep what was good.
Where an order has `unlike`, that text exists already: stay far from it in subject and in wording.
Give every entry a subject of its own; two entries must not look like the same one with other words filled in.
"""

_FORBIDDEN = ", ".join(f'"{phrase}"' for phrase in CONNECTIVES)

DATAPOINT = WritingPrompt(
    "write-datapoint",
    f"""\
You invent small private rules for a test of long-term memory. A rule: somebody does one certain thing under one
certain circumstance, and at no other time.
{_ORDERS}
An order says who the rule is about (`entity_category`: person, pet, or character from a tale), which kind of
circumstance decides (`condition_type`), whether the question's situation shall fulfil it (`condition_met`), and a
letter that the name should begin with (`initial`).

Fields of an entry:
- entity: the name, one or two words.
- behavior: the act by itself in the third person present, three to nine words, without the circumstance. Make it
  odd, harmless and particular, something a reader would not expect of just anybody.
- condition: the circumstance as a phrase that continues the sentence, beginning with a word such as "when", "after",
  "during" or "once". It must be definite enough that two witnesses would agree whether it holds; a number, a place, a
  named mood or event is definite. A pet's circumstance can be seen, heard, smelled or felt by anyone present.
- rule: one natural sentence that says who, the act and the circumstance.
- question: somebody describes a definite situation and asks whether the act is to be expected there. It calls the
  entity by name, speaks of the act, and leaves the rule itself unsaid. Somebody who does not know the rule must find
  yes and no equally believable: neither manners nor nature nor plain sense may settle it.
- question_context: the situation alone, in a few words.
- condition_met: yes or no, as ordered. Compare the situation with the circumstance once more before you write it.
- ground_truth_answer: "Yes" or "No" first, in agreement with condition_met, then the reason in half a sentence.
""",
    _rows(
        "memfail_datapoints",
        entity=TEXT,
        behavior=TEXT,
        condition=TEXT,
        rule=TEXT,
        question=TEXT,
        question_context=TEXT,
        condition_met=one_of("yes", "no"),
        ground_truth_answer=TEXT,
    ),
)

_PORTRAIT = """\
An order gives an entity and its rule: `behavior`, `condition`, and both in one sentence as `rule`. Write a short
portrait of the entity, the way a friend would tell it in a message or a diary page: no headings, no lists, one
paragraph, third person, the entity called by its name at least once."""

EASY_ESSAY = WritingPrompt(
    "write-easy-essay",
    f"""\
You write short portraits in which one fact is hidden among others, for a test of long-term memory.
{_ORDERS}
{_PORTRAIT}

- Five to eight sentences.
- Exactly one of them carries the rule, act and circumstance together. Word it as you like, but lose nothing: numbers,
  places and times stay what they are. It stands among the other sentences, at any place.
- Everything else is plainly so at all times: where the entity lives, whom it knows, what it owns, likes, looks like.
  No other sentence makes one thing depend on another; avoid {_FORBIDDEN} outside the rule's sentence.
- No other sentence mentions the act or the circumstance.

Fields of an entry:
- essay: the portrait.
- rule_sentence: the sentence with the rule, copied from the essay character for character.
- condition_words: the words in that sentence that say the circumstance, copied from it character for character.
""",
    _rows("memfail_easy_essays", essay=TEXT, rule_sentence=TEXT, condition_words=TEXT),
)

HARD_ESSAY = WritingPrompt(
    "write-hard-essay",
    f"""\
You write short portraits in which a rule can only be put together from several places, for a test of long-term memory.
{_ORDERS}
{_PORTRAIT}

- Eight to twelve sentences.
- The rule is never told in one sentence. Three sentences carry it together:
  the behavior sentence tells the act as something the entity tends to do, and nothing of the circumstance;
  the condition sentence tells the circumstance as a part of the entity's life, and nothing of the act;
  the link sentence ties the two together by time or scene, pointing back at each of them without stating the rule.
- Any order of the three, but between two of them there is always at least one sentence about something else.
- A reader who lays the three side by side must be sure of the rule: the link says that these occasions are the act's
  occasions, not merely that both exist. Numbers, places and times of the circumstance stay what they are.
- None of these anywhere in the essay, not even within another phrase: {_FORBIDDEN}.
- All other sentences are plainly so at all times, and touch neither act nor circumstance.

Fields of an entry:
- essay: the portrait.
- behavior_sentence, condition_sentence, link_sentence: the three, each copied from the essay character for character.
- condition_words: the words in the condition sentence that say the circumstance, copied character for character.
""",
    _rows(
        "memfail_hard_essays",
        essay=TEXT,
        behavior_sentence=TEXT,
        condition_sentence=TEXT,
        link_sentence=TEXT,
        condition_words=TEXT,
    ),
)

COEXISTING = WritingPrompt(
    "write-coexisting",
    f"""\
You write what one person likes, thing by thing, for a test of long-term memory. Each statement will be kept on its own,
so none may lean on another.
{_ORDERS}
An order names a `category` and how many likings of that kind are wanted (`count`).

Fields of an entry:
- preferences: exactly `count` different things of the category, one to four words each. None is a kind of another,
  and no name is contained in another name.
- preference_facts: exactly `count` statements in the same order, each about its own thing and spelling its name as in
  preferences. One or two short sentences in the first person, in the tone of someone chatting; each is built
  differently. A statement never names, counts or compares with the others, and claims no exclusive favorite.
- question: the same person, in the first person, describes an occasion and asks for suggestions. The occasion has room
  for all of the things, and a reply that knows only some of them is plainly a worse one. It names none of the things
  and does not ask to be told a list of likings.
""",
    _rows("memfail_coexisting", preferences=TEXTS, preference_facts=TEXTS, question=TEXT),
)

PERSONA = WritingPrompt(
    "write-persona",
    f"""\
You write portraits of people, and questions about them or about somebody else, for a test of long-term memory.
{_ORDERS}
An order names the person (`entity`), what the person is known for (`flavor`), and three `slots`. A slot says whom its
question is `about`: the person, or (`misleading`: true) somebody of whom nothing is known.

Fields of an entry:
- essay: one paragraph of ten to fifteen sentences in the third person, relaxed in tone. It gives the full name at
  least once. It is dense with details nobody could guess: habits with their hour, things owned, things never eaten or
  never done and why, fixed opinions, private rules. At least five of them are unrelated to each other. No narrator: the
  words I, me, my, we and our do not occur. Nobody whom a slot asks about, other than the person, is mentioned.
- questions: exactly three, in the order of the slots, each with
  - text: somebody asks, in the first person, for advice or information: a present, an invitation, a meal, a favor. It
    gives the full name of the one the slot is about. A question about the person never names a stranger, and a
    misleading one never names the person. It presupposes nothing of what the essay tells: whoever asks does not know
    the detail that would decide the answer. The three turn on three different details.
  - answer: for the person, one or two sentences that give the essay's detail. For a misleading slot leave it empty.
  - evidence: the one sentence of the essay that decides the answer (misleading: that would, were it about the person),
    copied character for character.
  - detail: the telling words of that sentence, copied character for character.
""",
    _rows(
        "memfail_personas",
        essay=TEXT,
        questions=objects_of(text=TEXT, answer=TEXT, evidence=TEXT, detail=TEXT),
    ),
)

CHAINS = WritingPrompt(
    "write-chains",
    f"""\
You build chains of small personal facts for a test of long-term memory: only all facts of a chain together lead from
its beginning to its end.
{_ORDERS}
An order says how many `facts` and how many `anchors` (one more than facts) a chain has, and its `voice`.
`prior` lists chains that exist already, by their beginning and end. Common words may come back, but tell another story.

What a chain is:
- An anchor is a short phrase of everyday private life: a mood, an act, a habit, a taste, a thing at home. Never an
  institution, a place on a map, a title, or anything that could be looked up. All anchors of a chain differ.
- Fact n joins anchor n and anchor n+1, and contains both of them letter for letter, in the same form in which `chain`
  lists them. It says how one comes with the other: by cause, time, circumstance or taste. Neighboring facts say it in
  different ways.
- From the second on, an anchor stands in the facts on its two sides and in no other.
- voice "first": the speaker talks of himself or herself ("I", "my"). The speaker is not an anchor; the first anchor is
  already a mood, act or thing.
- voice "named": one person, by an invented first name or full name, is the first anchor, and that name stands in every
  fact of the chain.
- A fact is one plain sentence of at most sixteen words with a single statement, about this person's life rather than
  about the world. Each will be read alone: he, she, it or they only where the same sentence says who or what is meant,
  and no "this", "that" or "the same" pointing elsewhere.

Fields of an entry:
- facts: the sentences, first to last.
- chain: the anchors, first to last.
- question: one sentence that names the first anchor and asks for the last one without saying it. No anchor in between
  is mentioned or described. No fact alone answers it; all together leave one answer.
""",
    _rows("memfail_chains", facts=TEXTS, chain=TEXTS, question=TEXT),
)

AUDIT = WritingPrompt(
    "audit-chains",
    f"""\
You check whether groups of facts can live in one memory without spoiling each other.
{DATA}

`chains` lists groups, each with an `id` and its `facts`. All first-person facts are said by one and the same speaker.
Two groups clash where
- they cannot both be true of the same person, act or thing;
- they share something unmistakable: a person's name, or a phrase of several words that is special rather than common,
  also when spelled or put a little differently;
- they tell the same story: the same steps in the same places, with only words exchanged.
Everyday words in common (a drink, a mood, a time of day) are no clash.

Return `conflicts`, empty where nothing clashes. For each clashing pair one entry: `drop`, the id of the group to give
up (the later one, unless the earlier clashes with several); `keep`, the id of the other; `reason`, a few words.
""",
    Schema("memfail_conflicts", object_of(conflicts=objects_of(drop=TEXT, keep=TEXT, reason=TEXT))),
)

OPTIONS = WritingPrompt(
    "write-options",
    f"""\
You write wrong options for multiple-choice questions in a test of long-term memory.
{_ORDERS}
An order gives the `facts` of a chain, the `question` that only all of them answer, and the right `answer`.

Fields of an entry:
- options: exactly four wrong answers. Each
  - has the make of the right one: same kind of thing, same grammar, about as many words, and reads as well after the
    question;
  - is ordinary: what a sensible acquaintance might guess, nothing silly or far-fetched;
  - is wrong beyond dispute: shares no wording or meaning with the right answer or with any phrase of the facts;
  - is suggested by no fact: whoever sees one of the facts alone would not think of it as its result, part or companion.
    Choose fields of life that the facts leave untouched;
  - differs clearly from the other three.
""",
    _rows("memfail_options", options=TEXTS),
)
