from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Known = TypeVar("Known")
Parsed = tuple[list[str], Sequence[str], list[int], int, int]

def read_sessions(
    held: bytes | bytearray,
    at: int,
    end: int,
    ids: Sequence[str],
    known: Callable[[str], Iterable[tuple[bytes, Known]] | None],
) -> tuple[list[Known | Parsed], int] | None: ...
