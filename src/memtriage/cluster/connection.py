"""The connection to a Ray cluster: one that is started on this machine, or any other."""

from __future__ import annotations

import os
import re
import socket
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from memtriage.core.errors import BadInput, install_extra
from memtriage.host.environment import child_environment
from memtriage.host.masks import remember

FORMS = "ray (a cluster on this machine), ray:auto (the one that runs here), ray:HOST:PORT or ray://HOST:PORT"

REACHED = 5.0
"""How many seconds a cluster has to answer at all."""


def address_of(on: str) -> str:
    """The address, as Ray takes it, that `--on` names.

    >>> address_of("ray"), address_of("ray:auto"), address_of("ray:10.0.0.5:6379"), address_of("ray://head:10001")
    ('local', 'auto', '10.0.0.5:6379', 'ray://head:10001')
    """
    found = re.fullmatch(r"ray(?::(auto|//[^/:\s]+:\d{1,5}|[^/:\s]+:\d{1,5}))?", on)
    if found is None:
        raise BadInput(f"--on {on!r}: say where stores are filled: {FORMS}")
    where = found[1] or "local"
    return f"ray:{where}" if where.startswith("//") else where


@contextmanager
def opened(on: str) -> Iterator[None]:
    """Be connected to a cluster in this block; `on` may be empty, and a connection that is there already is used."""
    if not on:
        yield
        return
    address = address_of(on)
    remember(os.environ.get("RAY_AUTH_TOKEN", ""))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # what it will do one day, without its warning
    try:
        import ray
    except ImportError as error:
        raise BadInput(f"--on {on} needs Ray; install it with: {install_extra('ray')}") from error
    if ray.is_initialized():
        yield
        return
    _refuse_unreachable(on, address)
    try:
        _connect(ray, address)
        yield
    finally:
        ray.shutdown()


def _refuse_unreachable(on: str, address: str) -> None:
    """Refuse a cluster whose port nobody answers; Ray itself would try for minutes."""
    if address in ("local", "auto"):
        return
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        socket.create_connection((host, int(port)), REACHED).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise BadInput(f"--on {on}: nothing answers there ({error}); is the cluster up, and its port open?") from error


def _connect(ray: Any, address: str) -> None:
    import logging

    settings: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False, "namespace": "memtriage"}
    if address == "local":
        settings["include_dashboard"] = False
    try:
        with _without_keys(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of what is an error a moment later
            try:
                ray.init(address=address, **settings)
            except ConnectionAbortedError:  # on a busy head, Ray gives up on the process that it starts for a client
                ray.init(address=address, **settings)
    except ImportError as error:  # of the client
        raise BadInput(f"{address} needs more of Ray; install it with: pip install 'ray[client]'") from error
    except Exception as error:  # Ray raises all kinds of things
        raise BadInput(f"the cluster can't be reached: {first_line(error)}; {_remedy(address)}") from error


def _remedy(address: str) -> str:
    if address == "auto":
        return "start one with `ray start --head`, or leave out :auto for one that only this run has"
    return "see that it has the same versions of Ray and Python, and that RAY_AUTH_TOKEN is set if it asks for a token"


@contextmanager
def _without_keys() -> Iterator[None]:
    """Start the processes of a cluster without the keys that stand in the environment."""
    before = dict(os.environ)
    kept = {**child_environment(), **{name: value for name, value in before.items() if name.startswith("RAY_")}}
    try:
        for name in before.keys() - kept.keys():
            del os.environ[name]
        yield
    finally:
        os.environ.update(before)


def first_line(error: BaseException) -> str:
    """The beginning of what Ray says, which goes on for a page."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0][:300].rstrip(".") if lines else type(error).__name__
