"""What MEME's paper prints about its data: graphs and episodes (tables 7 to 9), and fillers kept out (table 10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from memtriage.core.errors import BadInput
from memtriage.core.suite import Cell, DataTable, Request
from memtriage.suites.meme.data import ROWS, generated_episodes, with_chats
from memtriage.suites.meme.domains import graph_of
from memtriage.suites.meme.generate.conflicts import GoldWords
from memtriage.suites.meme.graph import Role
from memtriage.suites.meme.options import MemeOptions
from memtriage.suites.meme.released import files
from memtriage.suites.meme.skeleton import Skeleton
from memtriage.suites.meme.transcript import Transcript

TITLES = {"personal-life": "Personal Life", "software-project": "Software Project", "expedition": "Expedition"}
TABLES = {8: "personal-life", 9: "software-project"}
ROLES: tuple[Role, ...] = ("root", "middle", "leaf", "orphan")
KINDS = ("A", "B", "C")
"""What keeps a filler out: it contradicts, offers an alternative, or confuses names."""


@dataclass(slots=True)
class _Domain:
    """What is counted of one domain."""

    evidence: list[int] = field(default_factory=list)
    fillers: list[int] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    questions: int = 0
    flags: Counter[str] = field(default_factory=Counter)
    gold: list[GoldWords] = field(default_factory=list)
    chats_given: bool = False

    def add(self, skeleton: Skeleton, transcript: Transcript) -> None:
        self.evidence.append(len(transcript.evidence))
        self.fillers.append(len(transcript.sessions) - len(transcript.evidence))
        self.tokens.append(transcript.filler_tokens)
        self.questions += len(skeleton.questions)
        self.flags.update(transcript.dropped)
        self.gold.append(GoldWords.of(skeleton))


def statistics(domains: Sequence[str], request: Request) -> Iterator[DataTable]:
    """Tables 7 to 10 for generated episodes, or for those in files. Graphs are this project's own."""
    options = MemeOptions.parse(request.options)
    counted = _from_files(domains, request, options) if request.data else _generated(domains, request, options)
    columns = ("", *(TITLES[name] for name in counted))
    for number, name in TABLES.items():
        if name in counted:
            yield DataTable(
                f"MEME, table {number}: entities of {TITLES[name]}", ("Category", "Entities"), _entities(name)
            )
    yield DataTable("MEME, table 7 (a): knowledge graph", columns, tuple(_graph_lines(list(counted))))
    yield DataTable("MEME, table 7 (b): episodes", columns, tuple(_episode_lines(list(counted.values()))))
    chosen = {name: own for name, own in counted.items() if not own.chats_given and any(own.fillers)}
    if chosen:
        yield DataTable(
            "MEME, table 10: fillers before and after those that touch an episode's facts were kept out",
            ("Domain", "Pre-filter", "Post-filter", "Removed", "A / B / C flags"),
            tuple(_filler_line(name, own, options) for name, own in chosen.items()),
        )


def _generated(domains: Sequence[str], request: Request, options: MemeOptions) -> dict[str, _Domain]:
    counted = {name: _Domain() for name in domains}
    for name, own in counted.items():
        rows = ROWS if request.rows is None else request.rows
        for skeleton, transcript in generated_episodes(name, rows, request.seed, options):
            own.add(skeleton, transcript)
    return counted


def _from_files(domains: Sequence[str], request: Request, options: MemeOptions) -> dict[str, _Domain]:
    assert request.data is not None
    counted: dict[str, _Domain] = {}
    for source in files.find(request.data, options.filler if "filler" in options.given else None):
        for entry in files.read(source):
            own = counted.setdefault(entry.domain, _Domain(chats_given=entry.gold is None))
            if entry.domain in domains and (request.rows is None or len(own.evidence) < request.rows):
                one = with_chats(entry, request.seed, options)
                own.add(one.skeleton, one.transcript)
    found = {name: counted[name] for name in domains if name in counted}
    if not found:
        raise BadInput(f"{request.data} holds no episodes of {', '.join(domains)}")
    return found


def _entities(domain: str) -> tuple[tuple[Cell, ...], ...]:
    categories: dict[str, list[str]] = {}
    for entity in graph_of(domain).entities:
        categories.setdefault(entity.category, []).append(entity.name)
    return tuple((category, ", ".join(names)) for category, names in categories.items())


def _graph_lines(domains: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
    graphs = [graph_of(name) for name in domains]
    roles = [Counter(graph.role(entity.name) for entity in graph.entities) for graph in graphs]
    yield ("Total entities", *(len(graph.entities) for graph in graphs))
    for role in ROLES:
        yield (role.capitalize(), *(own[role] for own in roles))
    yield ("Dependency edges", *(len(graph.edges) for graph in graphs))


def _episode_lines(domains: Sequence[_Domain]) -> Iterator[tuple[Cell, ...]]:
    yield ("Number of episodes", *(len(own.evidence) for own in domains))
    yield ("Evidence sessions / epi.", *(round(fmean(own.evidence), 1) for own in domains))
    yield ("Filler sessions / epi.", *(round(fmean(own.fillers), 1) for own in domains))
    yield ("Filler tokens / epi.", *(round(fmean(own.tokens)) for own in domains))
    yield ("Total questions", *(own.questions for own in domains))


def _filler_line(name: str, own: _Domain, options: MemeOptions) -> tuple[Cell, ...]:
    """With a pool of the user's: all of it against all episodes. Else the fillers that the episodes were offered."""
    pool = options.fillers()
    flags, kept, removed = own.flags, sum(own.fillers), own.flags.total()
    if pool is not None:
        distinct = dict.fromkeys(filler.turns for filler in pool)
        found = [[kind for gold in own.gold if (kind := gold.conflict(talk))] for talk in distinct]
        flags = Counter(kind for kinds in found for kind in kinds)
        removed = sum(map(bool, found))
        kept = len(found) - removed
    return TITLES[name], kept + removed, kept, removed, " / ".join(f"{flags[kind]:,}" for kind in KINDS)
