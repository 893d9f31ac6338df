"""Measures how good a detector is: its verdicts on planted faults, compared with the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from memtriage.core.episode import Episode, Session, Turn
from memtriage.core.memory import Memory
from memtriage.core.trace import History, Ingest, Retrieved, Snapshot, Trace
from memtriage.core.verdict import FactVerdict, ProbeVerdict, Verdict
from memtriage.diagnose.stages import Texts
from memtriage.diagnose.store import diagnose
from memtriage.metrics.statistics import Interval, kappa, wilson
from memtriage.text.language import speaking
from memtriage.validate.calibrate_memories import MemoriesCalibration, MemoriesTally
from memtriage.validate.calibrate_rewritten import RewrittenCalibration, RewrittenTally
from memtriage.validate.calibrate_risk import Detector
from memtriage.validate.planted_faults import EXPECTED, FaultyMemory, LeftOut
from memtriage.validate.planted_memories import StyleChoice
from memtriage.validate.planted_rewritings import Told


@dataclass(frozen=True, slots=True)
class Calibration:
    """Planned and found verdicts, by fact. `unfaulted` counts those on a memory without any fault.

    `left_out` counts the verdicts on facts of that memory that can't be tested, by the reason, and nothing else does.
    `rewritten` are the results on rewritten memories, if these were tested too, and `memories` those on planted
    inventions.
    """

    confusion: Mapping[tuple[Verdict, Verdict], int]
    unfaulted: Mapping[Verdict, int]
    left_out: Mapping[tuple[LeftOut, Verdict], int] = field(default_factory=dict)
    rewritten: RewrittenCalibration | None = None
    memories: MemoriesCalibration | None = None

    @property
    def planted(self) -> int:
        return sum(n for (planned, _), n in self.confusion.items() if planned != "correct")

    @property
    def attributed(self) -> int:
        """Planted faults that were found at the right stage."""
        return sum(n for (planned, found), n in self.confusion.items() if planned == found != "correct")

    @property
    def attribution(self) -> Interval:
        return wilson(self.attributed, self.planted)

    @property
    def clean(self) -> int:
        return sum(self.unfaulted.values())

    @property
    def false_alarms(self) -> int:
        """Facts of the unfaulted memory that were called lost or uncertain."""
        return self.clean - self.unfaulted.get("correct", 0)

    @property
    def alarm(self) -> Interval:
        return wilson(self.false_alarms, self.clean)

    @property
    def kappa(self) -> float:
        """Cohen's kappa between plan and detector over all facts of the faulted memory."""
        return kappa([pair for pair, n in self.confusion.items() for _ in range(n)])


def calibrate(
    episodes: Iterable[Episode],
    rate: float = 0.5,
    seed: int = 0,
    granularity: str = "turn",
    detector: Detector = diagnose,
    done: Callable[[], None] = lambda: None,
    styles: Sequence[StyleChoice] = (),
    strangers: Callable[[Episode], Sequence[Told]] | None = None,
) -> Calibration:
    """Test a detector on planted faults and on the same memory without them, and on memories rewritten in `styles`.

    With `strangers`, which gives facts of other episodes, inventions are planted too.
    """
    invented = MemoriesTally()
    tally = Tally()
    rewritten = RewrittenTally()
    for episode in episodes:
        faulty, faultless = (FaultyMemory(share, seed, granularity) for share in (rate, 0.0))
        with speaking(episode.language):
            tally.add_faulty(faulty, (f for v in _verdicts(episode, faulty, detector) for f in v.facts))
            tally.add_faultless(faultless, (f for v in _verdicts(episode, faultless, detector) for f in v.facts))
            rewritten.test(episode, styles, rate, seed, detector)
            if strangers is not None:
                invented.test(episode, strangers(episode), granularity, bool(styles), seed)
        done()
    return replace(
        tally.calibration,
        rewritten=rewritten.calibration if styles else None,
        memories=invented.calibration if strangers is not None else None,
    )


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of verdicts so far; facts that can't be tested are counted separately."""

    confusion: Counter[tuple[Verdict, Verdict]] = field(default_factory=Counter)
    unfaulted: Counter[Verdict] = field(default_factory=Counter)
    left_out: Counter[tuple[LeftOut, Verdict]] = field(default_factory=Counter)

    @property
    def calibration(self) -> Calibration:
        return Calibration(self.confusion, self.unfaulted, self.left_out)

    def add_faulty(self, memory: FaultyMemory, verdicts: Iterable[FactVerdict]) -> None:
        for fact in verdicts:
            if memory.left_out(fact.fact) is None:
                self.confusion[EXPECTED[memory.plan.of(fact.fact)], fact.verdict] += 1

    def add_faultless(self, memory: FaultyMemory, verdicts: Iterable[FactVerdict]) -> None:
        for fact in verdicts:
            why = memory.left_out(fact.fact)
            if why is None:
                self.unfaulted[fact.verdict] += 1
            else:
                self.left_out[why, fact.verdict] += 1


def _verdicts(episode: Episode, memory: FaultyMemory, detector: Detector) -> Iterator[ProbeVerdict]:
    history, texts = fill(memory, episode)
    traces = (_trace(memory, probe.id, probe.text) for probe in episode.probes)
    yield from detector(episode, history, traces, texts, "calibration", "planted faults")


def fill(memory: FaultyMemory, episode: Episode) -> tuple[History, Texts]:
    """Store an episode; gives the store's history, and the texts of its memories by key."""
    memory.reveal(episode)
    for session in episode.sessions:
        memory.store_conversation(session)
    kept = {m.id: m for m in memory.get_all_memories()}
    snapshot = Snapshot("end", episode.sessions[-1].id, None, tuple(kept))
    history = History(Ingest(len(episode.sessions), 0.0, memories=len(kept)), (snapshot,))
    return history, lambda keys: {key: kept[key].text for key in keys}


def _trace(memory: FaultyMemory, probe: str, question: str) -> Trace:
    asked = Session("query", (Turn("user", question, "query/0"),))
    shown: list[Memory] = memory.retrieve_memories(question, asked, 1)
    retrieved = tuple(Retrieved(m.id, rank) for rank, m in enumerate(shown, start=1))
    return Trace(probe, max(1, len(shown)), "end", retrieved, answer=memory.answer(question, shown))
