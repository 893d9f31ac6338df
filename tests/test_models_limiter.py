"""How many calls run at once: up quickly while all is well, down when the endpoint complains, in order always."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from datetime import UTC, datetime
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.models.limiter import Limiter, retry_after

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


class Server:
    """Calls that take as long as a function of how many run at once says; time is counted, not waited for."""

    def __init__(self, limiter: Limiter) -> None:
        self.limiter = limiter

    async def round(self, latency: float, *, calls: int = 200, limited: bool = False) -> int:
        """Let as many calls as may run at once finish together; says how many that were."""
        gate = asyncio.Event()
        inside = 0

        async def call() -> None:
            nonlocal inside
            async with self.limiter.slot() as slot:
                if gate.is_set():
                    return
                inside += 1
                await gate.wait()
                if limited:
                    slot.limited()
                else:
                    slot.ok(latency)

        tasks = [asyncio.ensure_future(call()) for _ in range(calls)]
        await asyncio.sleep(0)
        started = inside
        gate.set()
        await asyncio.gather(*tasks)
        return started


def test_it_doubles_every_round_up_to_the_ceiling() -> None:
    async def work() -> list[int]:
        server = Server(Limiter(32))
        return [await server.round(0.2) for _ in range(5)]

    assert run(work()) == [4, 8, 16, 32, 32]


def test_it_starts_no_higher_than_the_ceiling() -> None:
    async def work() -> list[int]:
        server = Server(Limiter(2))
        return [await server.round(0.2) for _ in range(2)]

    assert run(work()) == [2, 2]


def test_it_stands_still_while_answers_take_much_longer() -> None:
    async def work() -> list[int]:
        server = Server(Limiter(64))
        return [await server.round(latency) for latency in (0.2, 0.2, 0.2, 0.9, 0.9, 0.9)]

    seen = run(work())
    assert seen[:4] == [4, 8, 16, 32]
    assert seen[-1] < 64


def test_it_halves_once_per_overrun_and_then_grows_by_one() -> None:
    async def work() -> list[int]:
        limiter = Limiter(32)
        server = Server(limiter)
        for _ in range(4):
            await server.round(0.2)
        await server.round(0.2, limited=True)
        return [await server.round(0.2) for _ in range(4)]

    assert run(work()) == [16, 17, 18, 19]


def test_it_does_not_grow_while_nobody_waits() -> None:
    async def work() -> int:
        limiter = Limiter(32)
        for _ in range(50):
            async with limiter.slot() as slot:
                slot.ok(0.2)
        return limiter.limit

    assert run(work()) == 4


def test_it_never_falls_below_one() -> None:
    async def work() -> int:
        limiter = Limiter(8)
        for _ in range(10):
            async with limiter.slot() as slot:
                slot.limited()
        return limiter.limit

    assert run(work()) == 1


class InstantLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        select = self._selector.select  # type: ignore[attr-defined]

        def jump(seconds: float | None) -> Any:
            self._now += seconds or 0.0
            return select(0)

        self._selector.select = jump  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now


def test_retry_after_holds_new_calls_back() -> None:
    async def work() -> float:
        loop = asyncio.get_running_loop()
        limiter = Limiter(8, clock=loop.time)
        async with limiter.slot() as slot:
            slot.limited(90)
        started = loop.time()
        async with limiter.slot():
            return loop.time() - started

    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        assert runner.run(work()) == pytest.approx(90)


def test_a_pause_that_ends_between_two_looks_at_the_clock_leaves_nobody_waiting() -> None:
    """The clock moves on each time it is read, past the end of the pause."""
    times = iter([0.0, *(0.8 + 0.15 * n for n in range(100))])

    async def work() -> bool:
        limiter = Limiter(8, clock=lambda: next(times))
        limiter.pause(1.0)
        async with asyncio.timeout(5), limiter.slot():
            return True

    assert run(work())


def test_first_come_first_served_and_the_cancelled_make_room() -> None:
    async def work() -> list[int]:
        limiter = Limiter(1)
        order: list[int] = []

        async def call(number: int) -> None:
            async with limiter.slot():
                order.append(number)
                await asyncio.sleep(0)

        async with limiter.slot():
            tasks = [asyncio.ensure_future(call(number)) for number in range(6)]
            await asyncio.sleep(0)
            tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.in_flight == 0
        return order

    assert run(work()) == [0, 1, 3, 4, 5]


@given(st.lists(st.tuples(st.sampled_from(["ok", "limited", "nothing", "cancel"]), st.floats(0, 5)), max_size=60))
def test_the_limit_stays_between_one_and_the_ceiling(events: list[tuple[str, float]]) -> None:
    async def work() -> None:
        limiter = Limiter(8)

        async def call(what: str, latency: float) -> None:
            async with limiter.slot() as slot:
                assert limiter.in_flight <= 8
                await asyncio.sleep(0)
                if what == "ok":
                    slot.ok(latency)
                elif what == "limited":
                    slot.limited()
                assert 1 <= limiter.limit <= 8

        tasks = [asyncio.ensure_future(call(*event)) for event in events]
        await asyncio.sleep(0)
        for task, (what, _) in zip(tasks, events, strict=True):
            if what == "cancel":
                task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert limiter.in_flight == 0

    run(work())


@pytest.mark.parametrize(
    ("seconds", "milliseconds", "expected"),
    [
        ("2", None, 2.0),
        ("0.5", None, 0.5),
        ("-3", None, 0.0),
        ("2", "150", 0.15),
        ("Wed, 21 Oct 2026 07:28:10 GMT", None, 10.0),
        ("Wed, 21 Oct 2026 07:27:00 GMT", None, 0.0),
        ("soon", None, None),
        ("inf", None, None),
        ("nan", None, None),
        (None, None, None),
        ("", "", None),
    ],
)
def test_retry_after_is_a_number_or_a_date(seconds: str | None, milliseconds: str | None, expected: float) -> None:
    assert retry_after(seconds, milliseconds, now=datetime(2026, 10, 21, 7, 28, tzinfo=UTC)) == expected
