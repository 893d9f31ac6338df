"""Memory of GPUs, where there is one: what torch counts, or what nvidia-smi lists for a process and its children."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from memtriage.core.verdict import StoreSummary
from memtriage.host.gpu_memory import gpu_bytes
from memtriage.report.terminal.latency import _caption
from memtriage.runner.memory_use import Footprint
from memtriage.tables.latency import latencies


def nvidia_smi(folder: Path, monkeypatch: pytest.MonkeyPatch, *lines: str, code: int = 0) -> None:
    tool = folder / "nvidia-smi"
    said = "\n".join(f'echo "{line}"' for line in lines)
    tool.write_text(f"#!/bin/sh\n{said}\nexit {code}\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def torch(peaks: list[int], available: bool = True) -> SimpleNamespace:
    cuda = SimpleNamespace(
        is_available=lambda: available,
        device_count=lambda: len(peaks),
        max_memory_allocated=lambda device: peaks[device],
    )
    return SimpleNamespace(cuda=cuda)


def test_nvidia_smi_tells_what_a_process_and_its_children_use(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    nvidia_smi(tmp_path, monkeypatch, f"{os.getpid()}, 300", f"{os.getpid()}, 200", "1, 4000", f"{os.getpid()}, [N/A]")
    assert gpu_bytes() == gpu_bytes(os.getpid()) == 500 * 2**20
    with Footprint(object()) as here, Footprint(SimpleNamespace(peak_bytes=lambda: 5, gpu_bytes=lambda: 7)) as there:
        assert (here.gpu(), there.gpu()) == (500 * 2**20, 7)


def test_torch_knows_the_peak_of_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nvidia_smi(tmp_path, monkeypatch, f"{os.getpid()}, 300")
    monkeypatch.setitem(sys.modules, "torch", torch([1_000, 24]))
    assert gpu_bytes() == 1_024
    monkeypatch.setitem(sys.modules, "torch", torch([1_000], available=False))
    assert gpu_bytes() == 300 * 2**20


def test_without_a_gpu_there_is_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    nvidia_smi(tmp_path, monkeypatch, "no devices were found", code=6)
    assert gpu_bytes() is None
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    assert gpu_bytes() is None


def test_times_show_gpu_memory_or_say_why_not() -> None:
    def rows(*peaks: int | None) -> list:  # type: ignore[type-arg]
        stores = [StoreSummary("s", "s/t", "a", f"e{n}", 1, 1, 1, 0.1, gpu_bytes=peak) for n, peak in enumerate(peaks)]
        return latencies(stores, [], {}, {})

    assert rows(3, None, 9)[0].gpu_bytes == 9
    assert any(line.startswith("GPU: the peak that torch counted") for line in _caption(rows(3)))
    assert any(line.startswith("GPU memory: n/a, as neither torch") for line in _caption(rows(None)))
