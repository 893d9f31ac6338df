"""The environment of the programs that memtriage starts: what any program needs to run, and nothing secret.

Keys and tokens stand in the environment of many shells. A memory server or an adapter gets one only if the user names
it (`--pass-env NAME`), or if the catalogue says that this library reads it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from memtriage.core.errors import BadInput

_NAMES = frozenset(
    """
    PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR NO_COLOR
    LD_LIBRARY_PATH DYLD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH VIRTUAL_ENV CONDA_PREFIX NODE_PATH JAVA_HOME
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE NODE_EXTRA_CA_CERTS
    CUDA_VISIBLE_DEVICES HF_HOME HF_ENDPOINT HF_HUB_OFFLINE TRANSFORMERS_OFFLINE TIKTOKEN_CACHE_DIR
    """.split()
)
_COMPUTING = ("OMP_", "OPENBLAS_", "MKL_", "BLIS_", "NVPL_", "VECLIB_", "NPY_")
"""How libraries compute. A program that didn't see these might come to another last digit than this process."""
_PREFIXES = ("LC_", "XDG_", "PYTHON", "MEMTRIAGE_", *_COMPUTING)
_PROXIES = frozenset("HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY".split())
_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSW|CREDENTIAL", re.IGNORECASE)

SUMMARY = "PATH, HOME, the locale, proxies and the like"
"""What a program sees of the user's environment, for people."""

_passed: list[tuple[str, ...]] = []


def child_environment(*more: str) -> dict[str, str]:
    """The environment of a program that is started now: what is harmless, what `passing` names, and `more`."""
    named = {*more, *passed()}
    return {name: value for name, value in os.environ.items() if name in named or _harmless(name, value)}


def installer_environment(*more: str) -> dict[str, str]:
    """The environment of pip, which also needs its own settings, and the way through a proxy with a password."""
    its_own = (name for name in os.environ if name.startswith("PIP_") or name.upper() in _PROXIES)
    return child_environment(*its_own, *more)


def passed() -> tuple[str, ...]:
    """The variables that programs get beside the harmless ones."""
    return tuple(dict.fromkeys(name for names in _passed for name in names))


@contextmanager
def passing(names: Iterable[str]) -> Iterator[None]:
    """Let the programs that are started in this block, in any thread, see these variables; each must be set."""
    chosen = tuple(names)
    for name in chosen:
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise BadInput(f"--pass-env {name!r}: give the name of an environment variable, without its value")
        if name not in os.environ:
            raise BadInput(f"--pass-env {name}: no variable of that name is set; export it, or leave the option out")
    _passed.append(chosen)
    try:
        yield
    finally:
        _passed.remove(chosen)


def withheld(text: str, seen: Mapping[str, str]) -> list[str]:
    """The variables that are set here, that a program did not see, and that a text of it names."""
    return [name for name in dict.fromkeys(re.findall(r"[A-Za-z_]\w{2,}", text)) if name in os.environ.keys() - seen]


def _harmless(name: str, value: str) -> bool:
    if name.upper() in _PROXIES:
        return "@" not in value  # an address with a password
    return name in _NAMES or (name.startswith(_PREFIXES) and not _SECRET.search(name))
