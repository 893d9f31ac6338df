"""Which model, where, and with which settings: `openai/gpt-5-mini?temperature=0`, `http://host/v1#model`, `local/…`."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedding_presets import PRESETS, preset_for

ModelKind = Literal["remote", "local", "offline"]
JsonMode = Literal["schema", "object", "none"]

GENERIC_KEY = "MEMTRIAGE_API_KEY"

FORMS = "provider/model, http://host/v1#model, local/smollm2, local/PATH.gguf or offline/NAME (replies by file)"


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint that needs no URL: where it is, and which variable holds its key."""

    base_url: str
    key_variable: str
    needs_key: bool = True
    priced_as: str | None = None


PROVIDERS: Mapping[str, Provider] = MappingProxyType(
    {
        "openai": Provider("https://api.openai.com/v1", "OPENAI_API_KEY", priced_as="openai"),
        "openrouter": Provider("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", priced_as="openrouter"),
        "groq": Provider("https://api.groq.com/openai/v1", "GROQ_API_KEY", priced_as="groq"),
        "together": Provider("https://api.together.xyz/v1", "TOGETHER_API_KEY", priced_as="together"),
        "deepseek": Provider("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", priced_as="deepseek"),
        "mistral": Provider("https://api.mistral.ai/v1", "MISTRAL_API_KEY", priced_as="mistral"),
        "fireworks": Provider("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY", priced_as="fireworks"),
        "xai": Provider("https://api.x.ai/v1", "XAI_API_KEY", priced_as="x-ai"),
        "cerebras": Provider("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", priced_as="cerebras"),
        "moonshot": Provider("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", priced_as="moonshotai"),
        "gemini": Provider(
            "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", priced_as="google"
        ),
        "anthropic": Provider("https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", priced_as="anthropic"),
        "ollama": Provider("http://127.0.0.1:11434/v1", "OLLAMA_API_KEY", needs_key=False),
        "vllm": Provider("http://127.0.0.1:8000/v1", "VLLM_API_KEY", needs_key=False),
        "llamacpp": Provider("http://127.0.0.1:8080/v1", "LLAMACPP_API_KEY", needs_key=False),
        "lmstudio": Provider("http://127.0.0.1:1234/v1", "LMSTUDIO_API_KEY", needs_key=False),
    }
)


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What is asked of the model beside the prompt; None leaves it to the endpoint."""

    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    json: JsonMode = "schema"
    timeout: float | None = None
    preset: str | None = None
    """How an embedding model wants to be asked (`embedding_presets.py`); None knows it by the model's name."""

    def given(self) -> dict[str, Any]:
        """The settings that differ from the defaults and can change a reply: a timeout can't."""
        pairs = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "timeout"}
        if pairs["json"] == "schema":
            del pairs["json"]
        return {name: value for name, value in pairs.items() if value is not None}


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as a user names it. Its `label` and its repr never hold a key or a password."""

    kind: ModelKind
    model: str
    provider: str | None = None
    base_url: str | None = None
    settings: ModelSettings = ModelSettings()
    userinfo: str = field(default="", repr=False)

    @classmethod
    def parse(cls, text: str, environment: Mapping[str, str] | None = None) -> ModelSpec:
        """The spec that a text stands for.

        >>> ModelSpec.parse("openai/gpt-5-mini?temperature=0&seed=7").label
        'openai/gpt-5-mini?temperature=0&seed=7'
        >>> ModelSpec.parse("http://127.0.0.1:8000/v1#qwen3-8b").base_url
        'http://127.0.0.1:8000/v1'
        """
        return parse(text, os.environ if environment is None else environment)

    @property
    def label(self) -> str:
        """The model as tables and files name it."""
        settings = "&".join(f"{name}={_shown(value)}" for name, value in self.settings.given().items())
        return self.name + (f"?{settings}" if settings else "")

    @property
    def name(self) -> str:
        """The label without the settings."""
        if self.kind == "offline":
            return f"offline/{self.model}" if self.is_by_file else "offline"
        if self.provider is not None:
            return f"{self.provider}/{self.model}"
        if self.kind == "local":
            return f"local/{self.model}"
        return f"{self._masked_url}#{self.model}"

    @property
    def endpoint(self) -> str:
        """Where the replies come from, for cache keys: without password, and `local` whatever port that has."""
        return "local" if self.kind == "local" else self.base_url or self.kind

    @property
    def is_by_file(self) -> bool:
        """Whether its calls are written to a file, and its replies imported from one."""
        return self.kind == "offline" and bool(self.model)

    @property
    def on_this_machine(self) -> bool:
        """Whether the model runs here and so costs nothing."""
        return self.kind != "remote" or _is_loopback(self.base_url or "")

    def at(self, base_url: str) -> ModelSpec:
        """The same model behind another URL: where a local server listens, once it is started."""
        return replace(self, base_url=base_url.rstrip("/"))

    def with_preset(self) -> ModelSpec:
        """An embedding model with the preset that knows it by its name written out, if that changes what is sent.

        >>> ModelSpec.parse("http://127.0.0.1:8000/v1#e5-base-v2").with_preset().label
        'http://127.0.0.1:8000/v1#e5-base-v2?preset=e5'
        """
        known = preset_for(self.model)
        if self.settings.preset is not None or not known.changes_texts:
            return self
        return replace(self, settings=replace(self.settings, preset=known.name))

    @property
    def _masked_url(self) -> str:
        url = self.base_url or ""
        return url.replace("://", "://***@", 1) if self.userinfo else url

    def __str__(self) -> str:
        return self.label


def names_endpoint(text: str) -> bool:
    """Whether a text names a model behind an endpoint, rather than an embedder that runs here.

    >>> names_endpoint("openai/text-embedding-3-small"), names_endpoint("wordllama"), names_endpoint("my/file.py:Mine")
    (True, False, False)
    """
    return "#" in text or ("/" in text and ":" not in text)


def parse(text: str, environment: Mapping[str, str]) -> ModelSpec:
    """Read `provider/model`, `URL#model`, `local/…` or `offline`, each with `?settings` behind it."""
    whole = text.strip()
    if whole == "offline":
        return ModelSpec("offline", "")
    if re.match(r"https?://", whole, re.IGNORECASE):
        return _url(whole)
    name, _, query = whole.partition("?")
    provider, slash, model = name.partition("/")
    if not slash or not provider or not model.strip():
        raise BadInput(f"model {_safe(whole)!r} can't be read; write it as {FORMS}")
    if provider == "local":
        return ModelSpec("local", model, settings=_settings(query, whole))
    if provider == "offline":
        return ModelSpec("offline", model.strip(), settings=_settings(query, whole))
    if provider not in PROVIDERS:
        raise BadInput(unknown("model provider", provider, [*PROVIDERS, "local", "offline"]) + f"; write {FORMS}")
    settings = _settings(query, whole)
    base_url = PROVIDERS[provider].base_url
    userinfo = ""
    if provider == "openai" and (own := environment.get("OPENAI_BASE_URL", "").strip()):
        base_url, userinfo = _clean(_split(own, "OPENAI_BASE_URL"))
    return ModelSpec("remote", model.strip(), provider, base_url, settings, userinfo)


def _url(text: str) -> ModelSpec:
    url, hash_, behind = text.partition("#")
    model, _, query = behind.partition("?")
    if not hash_ or not model.strip():
        raise BadInput(f"model {_safe(text)!r} names no model; write the URL, a #, and the model: http://host/v1#model")
    base_url, userinfo = _clean(_split(url, f"model {_safe(text)!r}"))
    return ModelSpec("remote", model.strip(), None, base_url, _settings(query, _safe(text)), userinfo)


def _split(url: str, where: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise BadInput(f"{where}: the URL can't be read ({error})") from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
        raise BadInput(f"{where}: the URL needs http:// or https:// and a host")
    if parts.query:
        raise BadInput(f"{where}: settings go behind the model (http://host/v1#model?temperature=0), not before the #")
    return parts


def _clean(parts: SplitResult) -> tuple[str, str]:
    """The URL without user and password, and those two."""
    userinfo, _, host = parts.netloc.rpartition("@")
    url = urlunsplit((parts.scheme.lower(), host.lower(), parts.path.rstrip("/"), "", ""))
    return url, unquote(userinfo)


def _safe(text: str) -> str:
    """A spec as messages may show it."""
    return re.sub(r"://[^/@\s]*@", "://***@", text)


def _number(low: float, high: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        value = float(text)
        if not math.isfinite(value) or not low <= value <= high:
            raise ValueError
        return value

    return read


def _whole(low: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        value = int(text)
        if value < low or value >= 2**63:
            raise ValueError
        return value

    return read


def _one_of(*allowed: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in allowed:
            raise ValueError
        return text

    return read


_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")

_READERS: Mapping[str, tuple[Callable[[str], Any], str]] = MappingProxyType(
    {
        "temperature": (_number(0, 2), "a number from 0 to 2"),
        "top_p": (_number(0, 1), "a number from 0 to 1"),
        "seed": (_whole(0), "a whole number, 0 or more"),
        "max_tokens": (_whole(1), "a whole number, 1 or more"),
        "reasoning_effort": (_one_of(*_EFFORTS), f"one of {', '.join(_EFFORTS)}"),
        "json": (_one_of("schema", "object", "none"), "schema, object or none"),
        "timeout": (_number(0.001, 86_400), "seconds, more than 0"),
        "preset": (_one_of(*PRESETS), f"one of {', '.join(PRESETS)}"),
    }
)


def _settings(query: str, where: str) -> ModelSettings:
    read: dict[str, Any] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name not in _READERS:
            raise BadInput(f"model {where!r}: {unknown('setting', name, _READERS)}")
        if name in read:
            raise BadInput(f"model {where!r}: setting {name!r} is given twice")
        reader, expected = _READERS[name]
        try:
            read[name] = reader(value)
        except ValueError:
            raise BadInput(f"model {where!r}: setting {name}={value!r} must be {expected}") from None
    return ModelSettings(**read)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
