"""Who follows a run: what happens is told to a `Watcher`, and what it makes of it is its own."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path


class Watcher:
    """Follows the progress of a run; this base class does nothing."""

    def loading(self, episodes: int) -> None:
        """This many episodes are loaded so far."""

    def begin(self, path: Path, steps: int) -> None:
        """A run starts or continues in this directory; it has this many steps."""

    def unit(self, system: str, episode: str) -> None:
        """A store is started."""

    def step(self, steps: int = 1) -> None:
        """Steps are done: sessions stored or questions asked."""

    def note(self, text: str) -> None:
        """Something the user should know."""

    def batch(self, text: str, news: bool = False) -> None:
        """What is known of a batch of calls; `news` if something happened to it."""

    def waiting(self, text: str, news: bool = False) -> None:
        """An endpoint is waited for; `news` if it just went away or came back."""

    def paying(self, spent: Callable[[], Decimal]) -> None:
        """Models are in use from now on; `spent` tells the dollars so far."""

    def answering(self, model: str) -> None:
        """Retrieval is done; this model answers now, one step per question."""

    def diagnosing(self) -> None:
        """Everything is recorded; the diagnosis starts."""

    def judging(self, traces: int) -> None:
        """So many traces of another tool are judged now, one step each."""
