"""Prompts for a model that finds the events of a book and thinks up others that never happen in it."""

from __future__ import annotations

from memtriage.core.chat import Schema
from memtriage.models.json_shapes import TEXT, TEXTS, object_of, objects_of
from memtriage.suites.kit.writing import DATA, WritingPrompt

EVENTS = WritingPrompt(
    "book-events",
    f"""\
You read a stretch of a novel and note what happens in it. Your notes are used to test what readers remember.
{DATA}

`text` is the stretch. `characters` are the people of the novel that matter. Give `count` entries in `events`, in the
order in which they happen, each with:
- character: the one of `characters` to whom it happens, spelled as there.
- event: one sentence of at most twenty words, in the present tense, that says what the character does or suffers. Call
  the character by that name. Somebody who has read nothing but this sentence must be able to tell it from anything else
  in the novel: name the things, people and places that it turns on.
- quote: one or two sentences of `text`, copied character for character, that tell the event.
Take what happens in this stretch, not what is remembered, planned, dreamed or told by somebody. Spread the events over
the stretch, and take none twice. Where there are fewer than `count`, give fewer.

Where there are `problems`, an earlier attempt was turned down for them; see that they don't come back.
""",
    Schema("book_events", object_of(events=objects_of(character=TEXT, event=TEXT, quote=TEXT))),
)

DISTRACTORS = WritingPrompt(
    "book-distractors",
    f"""\
You write the wrong answers of a quiz about a novel: events that might have happened but did not.
{DATA}

`event` is what really happens next to `character`, after `previous`. `text` is the stretch of the novel around it, and
`happens` are other events of the novel. Write `count` sentences as `distractors`:
- Each is about `character`, calls the character by that name, and is worded like `event`: one sentence, the present
  tense, about as long.
- Each would be a believable way to go on after `previous`, for somebody who has not read the novel.
- None of them happens in the novel, now or later, as far as `text` and `happens` can tell, and none says in other words
  what `event` says.
- No two say the same, and none is absurd.

Where there are `problems`, an earlier attempt was turned down for them; see that they don't come back.
""",
    Schema("book_distractors", object_of(distractors=TEXTS)),
)
