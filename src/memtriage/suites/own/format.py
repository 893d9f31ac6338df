"""The format of a suite file (docs/own-data.md), checked by type; unknown keys are refused, so that no typo is lost."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    ValidationError,
)

from memtriage.core.errors import BadInput, unknown
from memtriage.suites.kit.dates import parse_date
from memtriage.suites.own.documents import Document, Loc

VERSION = 1
DOCS = "see docs/own-data.md"
MOST_PROBLEMS = 20
ROLES = ("user", "assistant", "system", "tool")


def _iso(value: str) -> str:
    """A date to the minute; one without a time stays a day."""
    found = parse_date(value)
    if found is None:
        raise ValueError(f"{value!r} can't be read as a date; write it as 2026-03-31 or 2026-03-31T09:30")
    return found if ":" in value else found[:10]


def _plain_date(value: object) -> object:
    return value.isoformat() if isinstance(value, date | datetime) else value


def _role_as_key(value: object) -> object:
    """`user: Hello` for `role: user` and `text: Hello`."""
    if isinstance(value, str):
        return {"text": value}
    if isinstance(value, dict) and len(value) == 1 and next(iter(value)) in ROLES:
        ((role, text),) = value.items()
        return {"role": role, "text": text}
    return value


def _printable(value: str) -> str:
    if not value.isprintable():
        raise ValueError(f"{value!r} has characters that can't be seen; use letters, digits, - and _")
    return value


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200), AfterValidator(_printable)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,59}$")]
Date = Annotated[str, BeforeValidator(_plain_date), AfterValidator(_iso)]
_LISTED = BeforeValidator(lambda value: [value] if isinstance(value, str) else value)
Texts = Annotated[list[Text], _LISTED]
Ids = Annotated[list[Id], _LISTED]


class Row(BaseModel):
    """Part of a file, in which unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class TurnRow(Row):
    text: Text
    role: Literal["user", "assistant", "system", "tool"] = "user"


class SessionRow(Row):
    turns: list[Annotated[TurnRow, BeforeValidator(_role_as_key)]] = Field(min_length=1)
    id: Id | None = None
    date: Date | None = None


class FactRow(Row):
    evidence: Texts = []
    id: Id | None = None
    text: str = ""
    details: Texts = []
    subject: str = ""
    session: Id | None = None
    replaces: Ids = []
    deletes: Ids = []
    split: bool | None = None
    settled: bool = False


FactUse = Annotated[
    Annotated[str, Tag("id")] | Annotated[FactRow, Tag("fact")],
    Discriminator(lambda value: "fact" if isinstance(value, dict | FactRow) else "id"),
]
"""A fact that a question needs: the id of one in `facts`, or the fact itself."""


class QuestionRow(Row):
    question: Text
    id: Id | None = None
    gold: str = ""
    golds: Texts = []
    facts: Annotated[list[FactUse], _LISTED] = []
    sufficient: list[Ids] = []
    choices: list[Text] = []
    scoring: Literal["free", "choice", "abstain", "contains", "exact", "points", "nuggets"] | None = None
    after: Id | None = None
    date: Date | None = None
    task: Name = "questions"
    tags: dict[str, str] = {}

    @property
    def scored_by(self) -> Literal["free", "choice", "abstain", "contains", "exact", "points", "nuggets"]:
        return self.scoring or ("choice" if self.choices else "free")


class StoreRow(Row):
    sessions: list[SessionRow] = Field(min_length=1)
    id: Id | None = None
    facts: list[FactRow] = []
    questions: list[QuestionRow] = []


class SuiteRow(Row):
    """A whole file: several stores, or the parts of a single one."""

    memtriage: int = VERSION
    name: Name | None = None
    stores: list[StoreRow] = []
    sessions: list[SessionRow] = []
    facts: list[FactRow] = []
    questions: list[QuestionRow] = []

    def each_store(self) -> Iterator[tuple[Loc, StoreRow]]:
        """The stores, each with its place in the file."""
        if self.sessions:
            yield (), StoreRow.model_construct(sessions=self.sessions, facts=self.facts, questions=self.questions)
        yield from ((("stores", n), store) for n, store in enumerate(self.stores))


_PARTS: dict[str, type[Row]] = {
    "stores": StoreRow,
    "sessions": SessionRow,
    "turns": TurnRow,
    "facts": FactRow,
    "questions": QuestionRow,
}


def checked(document: Document) -> SuiteRow:
    """The file by type; BadInput with everything that does not fit the format."""
    version = document.values.get("memtriage", VERSION)
    if str(version) != str(VERSION):
        where = document.place(("memtriage",))
        raise BadInput(
            f"{where}: this memtriage reads version {VERSION} of the format, not {str(version)[:40]!r}; write "
            f"memtriage: {VERSION}, or install the memtriage that wrote the file"
        )
    try:
        suite = SuiteRow.model_validate(document.values)
    except ValidationError as error:
        raise BadInput(listed([_problem(document, each) for each in error.errors(include_url=False)])) from error
    if not suite.stores and not suite.sessions:
        raise BadInput(f"{document.path} has no stores and no sessions; say what the memory is told ({DOCS})")
    if suite.stores and (suite.sessions or suite.facts or suite.questions):
        raise BadInput(
            f"{document.path} has stores, and sessions, facts or questions beside them; put those into a store"
        )
    return suite


def listed(problems: list[str]) -> str:
    """Problems as one message; of many, the first ones."""
    more = [f"… and {len(problems) - MOST_PROBLEMS} more"] if len(problems) > MOST_PROBLEMS else []
    return "\n".join(problems[:MOST_PROBLEMS] + more)


def _problem(document: Document, error: Any) -> str:
    """What is wrong with a value, where it stands, and what could stand there."""
    loc = _without_tags(error["loc"])
    where = document.place(loc)
    match error["type"]:
        case "missing":
            return f"{where}: it is missing ({DOCS})"
        case "extra_forbidden":
            holder = next((part for part in reversed(loc[:-1]) if isinstance(part, str)), "")
            named = document.place(loc[:-1])
            return f"{named}: {unknown('key', str(loc[-1])[:60], _PARTS.get(holder, SuiteRow).model_fields)}"
        case "value_error":
            return f"{where}: {error['ctx']['error']}"
        case "too_short" | "string_too_short":
            return f"{where}: it is empty; fill it in, or leave it out where it may be ({DOCS})"
        case "string_pattern_mismatch":
            return f"{where}: {_shown(error['input'])} is no name; use small letters, digits, - and _"
        case "literal_error":
            return f"{where}: must be {error['ctx']['expected']}, not {_shown(error['input'])}"
        case "string_type":
            return f"{where}: must be a text, not {_shown(error['input'])}; put it in quotes"
        case "list_type" | "dict_type" | "model_type":
            return f"{where}: must be {_KINDS[error['type']]}, not {_shown(error['input'])} ({DOCS})"
    return f"{where}: {error['msg'][0].lower()}{error['msg'][1:]}, not {_shown(error['input'])} ({DOCS})"


_KINDS = {"list_type": "a list", "dict_type": "keys with values", "model_type": "keys with values"}


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _without_tags(loc: Loc) -> Loc:
    """A place without the words that tell kinds of facts apart."""
    asked = "questions" in loc
    tags = {n for n, part in enumerate(loc) if asked and part in ("id", "fact") and loc[n - 2 : n - 1] == ("facts",)}
    return tuple(part for n, part in enumerate(loc) if n not in tags)
