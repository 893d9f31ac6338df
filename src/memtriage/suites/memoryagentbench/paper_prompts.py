"""What the paper's prompts have beyond chunks and questions: replies to chunks, and summaries to follow.

Figure 4 has an assistant that acknowledges what it was given; figure 5 shows two summaries before asking for one. Both
are options, in words of this project.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from memtriage.core.episode import Episode, Session, Turn
from memtriage.suites.memoryagentbench.generate.summarization import example_summary
from memtriage.suites.memoryagentbench.kinds import SPECS, Kind

DEMONSTRATIONS = 2


def acknowledged(episode: Episode, kind: Kind) -> Episode:
    """An episode in which an assistant replies to every chunk that it has it in mind."""
    return replace(
        episode,
        sessions=tuple(_answered(session, kind) for session in episode.sessions),
        coarse=tuple(_answered(session, kind) for session in episode.coarse),
    )


def _answered(session: Session, kind: Kind) -> Session:
    reply = Turn("assistant", SPECS[kind].reply, f"{session.turns[0].id.removesuffix('#0')}#1")
    return replace(session, turns=(*session.turns, reply))


def demonstrated(episode: Episode) -> Episode:
    """An episode whose requests for a summary come with summaries of other novels."""
    shown = "".join(f"\n\nAn example, of another novel:\n{text}" for text in _examples())
    probes = (replace(probe, instruction=probe.instruction + shown) for probe in episode.probes)
    return replace(episode, probes=tuple(probes))


@cache
def _examples() -> tuple[str, ...]:
    return tuple(example_summary(f"demonstration-{number}") for number in range(1, DEMONSTRATIONS + 1))
