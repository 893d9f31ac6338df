"""API keys: read from the environment or a .env file, sent, and otherwise never shown or kept."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from memtriage.core.errors import BadInput, install_extra
from memtriage.host.masks import HIDDEN, LEAST, known, mask, may_be_a_word
from memtriage.host.masks import remember as remember
from memtriage.models.spec import GENERIC_KEY, PROVIDERS, ModelSpec, is_azure_host

_RANDOM = 16
"""Letters and digits, of both kinds, from which on a value is taken for a secret whatever its name."""

_SHAPES = re.compile(
    r"(?:\b(?:Bearer|Basic)\s+)[\w.~+/=*-]{4,}"
    r"|(?<![A-Za-z0-9])(?:sk|pk|rk)-[\w*.-]{8,}"
    r"|(?<![A-Za-z0-9])(?:gsk_|xai-|fw_|csk-|hf_)[\w*-]{8,}"
    r"|(?<![A-Za-z0-9])AIza[\w*-]{8,}"
    r"|(?<=://)[^/@\s:]+:[^/@\s]+(?=@)",
    re.IGNORECASE,
)


_SECRETIVE = re.compile(r"auth|key|token|secret|passw|cookie|credential|session", re.IGNORECASE)


def key_for(spec: ModelSpec) -> str:
    """The key to send for a model, or an empty string where none is needed and none is set."""
    if spec.kind != "remote":
        return ""
    if spec.base_url is None:
        raise BadInput(f"model {spec.name!r}: set AZURE_OPENAI_ENDPOINT, such as https://NAME.openai.azure.com")
    variables = key_variables(spec)
    for variable in variables:
        if key := _look_up(variable):
            remember(key)
            return _sendable(key, variable)
    if spec.provider is not None and PROVIDERS[spec.provider].needs_key and not spec.userinfo:
        raise BadInput(
            f"model {spec.name!r} needs a key: set {variables[0]} in the environment, "
            "or write it into a .env file in the working directory"
        )
    if spec.wire == "bedrock" and find_spec("botocore") is None:
        raise BadInput(
            f"model {spec.name!r} needs a key: set {variables[0]}, "
            f"or use your AWS credentials, with botocore; install it with: {install_extra('bedrock')}"
        )
    return ""


def value_of(text: str, where: str) -> str:
    """A header's or a query's value as it is sent: `$NAME` stands for a variable of the environment.

    What may be a secret is remembered. A version or a title is none, and may stand in what people said.
    """
    value = text
    if text.startswith("$"):
        value = _look_up(text[1:])
        if not value:
            raise BadInput(f"{where}: the variable {text[1:]} is not set")
    if len(value) >= LEAST and (text.startswith("$") or _SECRETIVE.search(where) or _looks_random(value)):
        remember(value)
    return value


def key_variables(spec: ModelSpec) -> tuple[str, ...]:
    """The variables in which a model's key is looked for, in order.

    >>> key_variables(ModelSpec.parse("https://llm.example.org:8443/v1#m"))
    ('MEMTRIAGE_API_KEY_LLM_EXAMPLE_ORG_8443', 'MEMTRIAGE_API_KEY_LLM_EXAMPLE_ORG', 'MEMTRIAGE_API_KEY')
    """
    if spec.provider == "gemini":
        return ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    if spec.provider is not None:
        return (PROVIDERS[spec.provider].key_variable,)
    url = spec.base_url or ""
    return (*_host_variables(url), *_provider_variables(url), GENERIC_KEY)


def know_keys(spec: ModelSpec) -> None:
    """Take note of a model's keys, though none is sent: what is read from a file may hold them."""
    for variable in key_variables(spec) if spec.kind == "remote" else ():
        remember(_look_up(variable))


def sends_secrets_in_the_clear(spec: ModelSpec) -> bool:
    """Whether a key or another secret would go to another machine without encryption."""
    if spec.kind != "remote" or spec.on_this_machine or urlsplit(spec.base_url or "").scheme != "http":
        return False
    return bool(spec.userinfo or spec.settings.headers or spec.query or any(map(_look_up, key_variables(spec))))


def _host_variables(url: str) -> list[str]:
    """The variables for the key of one host: its name in capitals, with its port if the address has one, and without.

    A dot becomes one underscore, a hyphen two, and whatever else is no letter from A to Z and no digit three, so that
    the names of a-b.example and a.b.example differ. The colons of an IPv6 address are written as dots are.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    names = [host] if parts.port is None else [f"{host}:{parts.port}", host]
    return [f"{GENERIC_KEY}_{re.sub('[^a-z0-9]', _underscores, name).upper()}" for name in names]


def _underscores(found: re.Match[str]) -> str:
    return "_" * {".": 1, ":": 1, "-": 2}.get(found[0], 3)


def _provider_variables(url: str) -> list[str]:
    """The variables of the providers that an address belongs to: their keys may go to them, and to nobody else."""
    own = [each.key_variable for each in PROVIDERS.values() if each.needs_key and _place(each.base_url) == _place(url)]
    at_azure = is_azure_host(url) and _place(url)[0] == "https"
    if at_azure or _place(os.environ.get("AZURE_OPENAI_ENDPOINT", "").strip()) == _place(url):
        own.append("AZURE_OPENAI_API_KEY")
    return own


def _place(url: str) -> tuple[str, str | None, int | None]:
    """How, where and at which port an address is reached."""
    try:
        parts = urlsplit(url)
        return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    except ValueError:
        return "", None, None


def scrub(text: str) -> str:
    """The text without any key: those in use, and whatever looks like one.

    >>> scrub("Incorrect API key provided: sk-abcd1234efgh.")
    'Incorrect API key provided: [key]'
    """
    text = mask(text)
    for key in known():
        if may_be_a_word(key):  # or part of one, which should stay readable
            text = re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", HIDDEN, text)
    return _SHAPES.sub(HIDDEN, text)


def _looks_random(value: str) -> bool:
    letters = [each for each in value if each.isalnum()]
    return len(letters) >= _RANDOM and any(map(str.isalpha, letters)) and any(map(str.isdigit, letters))


def _look_up(variable: str) -> str:
    if value := os.environ.get(variable, "").strip():
        return value
    path = Path.cwd() / ".env"
    if not path.is_file():
        return ""
    from dotenv import dotenv_values

    try:
        return (dotenv_values(path, interpolate=False).get(variable) or "").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} can't be read as a .env file ({type(error).__name__})") from None


def _sendable(key: str, variable: str) -> str:
    if not key.isascii() or not key.isprintable() or " " in key:
        raise BadInput(f"{variable} holds characters that no key has (spaces, line ends or letters beyond ASCII)")
    return key
