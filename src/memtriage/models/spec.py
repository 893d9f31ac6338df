"""Which model, where, and with which settings: `openai/gpt-5-mini?temperature=0`, `http://host/v1#model`, `local/…`.

`extra.NAME=value` puts a field into the request as it is, `header.NAME=value` a header. A header's value, or one in the
query of a URL, may be a secret: it is shown as `***`, unless it names a variable of the environment (`$NAME`).
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit, urlunsplit

from memtriage.core.errors import BadInput, unknown
from memtriage.models.embedding_presets import PRESETS, preset_for

ModelKind = Literal["remote", "local", "offline"]
JsonMode = Literal["schema", "object", "none"]
Wire = Literal["openai", "azure", "anthropic", "gemini", "bedrock"]
Pairs = tuple[tuple[str, str], ...]

GENERIC_KEY = "MEMTRIAGE_API_KEY"
HIDDEN = "***"

FORMS = "provider/model, http://host/v1#model, local/smollm2, local/PATH.gguf or offline/NAME (replies by file)"


@dataclass(frozen=True, slots=True)
class Provider:
    """An endpoint that needs no URL: where it is, and which variable holds its key."""

    base_url: str
    key_variable: str
    needs_key: bool = True
    priced_as: str | None = None
    wire: Wire = "openai"


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
            "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY", priced_as="google", wire="gemini"
        ),
        "anthropic": Provider(
            "https://api.anthropic.com/v1", "ANTHROPIC_API_KEY", priced_as="anthropic", wire="anthropic"
        ),
        "bedrock": Provider(
            "https://bedrock-runtime.us-east-1.amazonaws.com",
            "AWS_BEARER_TOKEN_BEDROCK",
            needs_key=False,
            priced_as="aws",
            wire="bedrock",
        ),
        "azure": Provider("", "AZURE_OPENAI_API_KEY", priced_as="azure", wire="azure"),
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
    parallel: int | None = None
    """How many replies a local model works on at once; None leaves it to the machine. Batches may change a word."""
    extra: Pairs = ()
    headers: Pairs = field(default=(), repr=False)

    def named(self) -> dict[str, Any]:
        """What a request says of the settings with a name of their own: those that differ from the defaults."""
        pairs = {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _APART}
        if pairs["json"] == "schema":
            del pairs["json"]
        return {name: value for name, value in pairs.items() if value is not None}

    def given(self) -> dict[str, Any]:
        """All settings that can change a reply. A header may hold a secret."""
        served = {} if self.parallel is None else {"parallel": self.parallel}
        extra = {f"extra.{name}": value for name, value in self.extra}
        return self.named() | served | extra | {f"header.{name}": value for name, value in self.headers}

    def extra_fields(self) -> dict[str, Any]:
        """What goes into every request: values that are JSON are read as such, and dots make objects.

        >>> ModelSettings(extra=(("top_k", "40"), ("chat_template_kwargs.enable_thinking", "false"))).extra_fields()
        {'top_k': 40, 'chat_template_kwargs': {'enable_thinking': False}}
        """
        fields: dict[str, Any] = {}
        for name, value in self.extra:
            *parents, last = name.split(".")
            place = fields
            for parent in parents:
                place = place.setdefault(parent, {})
            place[last] = _json_or_text(value)
        return fields


_APART = ("timeout", "parallel", "extra", "headers")


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as a user names it. Its `label` and its repr never hold a key or a password."""

    kind: ModelKind
    model: str
    provider: str | None = None
    base_url: str | None = None
    settings: ModelSettings = ModelSettings()
    userinfo: str = field(default="", repr=False)
    query: Pairs = field(default=(), repr=False)

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
        shown = self.settings.given() | {f"header.{name}": _masked(value) for name, value in self.settings.headers}
        settings = "&".join(f"{name}={_shown(value)}" for name, value in shown.items())
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
        return "local" if self.kind == "local" else (self.base_url or self.kind) + self._shown_query

    @property
    def wire(self) -> Wire:
        """The format of its requests."""
        if self.provider is not None and PROVIDERS[self.provider].wire != "openai":
            return PROVIDERS[self.provider].wire
        return "azure" if is_azure(self.base_url or "") else "openai"

    @property
    def hides_something(self) -> bool:
        """Whether it was read from a file that doesn't tell its passwords."""
        values = (value for _, value in (*self.query, *self.settings.headers))
        return self.userinfo == HIDDEN or HIDDEN in values

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
        return (url.replace("://", f"://{HIDDEN}@", 1) if self.userinfo else url) + self._shown_query

    @property
    def _shown_query(self) -> str:
        shown = ((name, value if name == "api-version" else _masked(value)) for name, value in self.query)
        return "?" + "&".join(f"{name}={_shown(value)}" for name, value in shown) if self.query else ""

    def __str__(self) -> str:
        return self.label


def names_endpoint(text: str) -> bool:
    """Whether a text names a model behind an endpoint, rather than an embedder that runs here.

    >>> names_endpoint("openai/text-embedding-3-small"), names_endpoint("wordllama"), names_endpoint("my/file.py:Mine")
    (True, False, False)
    """
    provider, slash, _ = text.partition("/")
    return "#" in text or bool(slash and (":" not in text or provider in PROVIDERS))


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
        return ModelSpec("local", model, settings=_settings(query, whole, local=True))
    if provider == "offline":
        return ModelSpec("offline", model.strip(), settings=_settings(query, whole))
    if provider not in PROVIDERS:
        raise BadInput(unknown("model provider", provider, [*PROVIDERS, "local", "offline"]) + f"; write {FORMS}")
    settings = _settings(query, whole)
    base_url: str | None = PROVIDERS[provider].base_url
    userinfo = ""
    query_of_url: Pairs = ()
    variable, ending = _ADDRESSES.get(provider, ("", ""))
    if own := environment.get(variable, "").strip():
        base_url, userinfo, query_of_url = _clean(_split(own, variable))
        base_url = base_url.removesuffix(ending) + ending
    elif provider == "bedrock" and (region := environment.get("AWS_REGION") or environment.get("AWS_DEFAULT_REGION")):
        base_url = f"https://bedrock-runtime.{region.strip()}.amazonaws.com"
    if provider == "azure" and (version := environment.get("OPENAI_API_VERSION", "").strip()) and base_url:
        base_url = f"{base_url.removesuffix('/v1')}/deployments/{quote(model.strip(), safe='')}"
        query_of_url = (("api-version", version),)
    return ModelSpec("remote", model.strip(), provider, base_url or None, settings, userinfo, query_of_url)


# The variables by which providers' own SDKs are pointed elsewhere, and what such an address may leave out.
_ADDRESSES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "openai": ("OPENAI_BASE_URL", ""),
        "anthropic": ("ANTHROPIC_BASE_URL", "/v1"),
        "gemini": ("GOOGLE_GEMINI_BASE_URL", "/v1beta"),
        "bedrock": ("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", ""),
        "azure": ("AZURE_OPENAI_ENDPOINT", "/openai/v1"),
    }
)


def _url(text: str) -> ModelSpec:
    url, hash_, behind = text.partition("#")
    model, _, query = behind.partition("?")
    if not hash_ or not model.strip():
        raise BadInput(f"model {_safe(text)!r} names no model; write the URL, a #, and the model: http://host/v1#model")
    base_url, userinfo, query_of_url = _clean(_split(url, f"model {_safe(text)!r}"))
    return ModelSpec("remote", model.strip(), None, base_url, _settings(query, _safe(text)), userinfo, query_of_url)


def _split(url: str, where: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError as error:
        raise BadInput(f"{where}: the URL can't be read ({error})") from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or re.search(r"\s", url):
        raise BadInput(f"{where}: the URL needs http:// or https:// and a host")
    if any(name in _READERS or name.startswith(_FREE) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise BadInput(f"{where}: settings go behind the model (http://host/v1#model?temperature=0), not before the #")
    return parts


def _clean(parts: SplitResult) -> tuple[str, str, Pairs]:
    """The URL without user, password and query, and these."""
    userinfo, _, host = parts.netloc.rpartition("@")
    url = urlunsplit((parts.scheme.lower(), host.lower(), parts.path.rstrip("/"), "", ""))
    return url, unquote(userinfo), tuple(parse_qsl(parts.query, keep_blank_values=True))


def _safe(text: str) -> str:
    """A spec as messages may show it."""
    shown = re.sub(r"://[^/@\s]*@", f"://{HIDDEN}@", text)
    shown = re.sub(r"(?<=[?&])(header\.[^=&#]*)=[^&#]*", rf"\1={HIDDEN}", shown)
    url, hash_, behind = shown.partition("#")
    return re.sub(r"=[^&]*", f"={HIDDEN}", url) + hash_ + behind if hash_ else shown


def is_azure(url: str) -> bool:
    """Whether a URL is one of Azure's, which wants the key in a header of its own."""
    return is_azure_host(url) or "/openai/deployments/" in urlsplit(url).path


def is_azure_host(url: str) -> bool:
    """Whether a URL leads to Azure itself, and not to somebody who has such paths too."""
    return (urlsplit(url).hostname or "").endswith(_AZURE_HOSTS)


_AZURE_HOSTS = (".openai.azure.com", ".cognitiveservices.azure.com", ".services.ai.azure.com")


def _masked(value: str) -> str:
    """A value that may be a secret, as it may be shown: the name of a variable is none."""
    return value if re.fullmatch(r"\$\w+", value) else HIDDEN


def _json_or_text(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


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
        "parallel": (_whole(1), "a whole number, 1 or more"),
    }
)


_FREE = ("extra.", "header.")
_NAMES = {"extra.": re.compile(r"\w[\w-]*(\.\w[\w-]*)*"), "header.": re.compile(r"[\w-]+", re.ASCII)}


def _settings(query: str, where: str, local: bool = False) -> ModelSettings:
    where = _safe(where)
    read: dict[str, Any] = {}
    free: dict[str, dict[str, str]] = {kind: {} for kind in _FREE}
    for name, value in parse_qsl(query, keep_blank_values=True):
        if name.startswith(_FREE):
            kind = next(kind for kind in _FREE if name.startswith(kind))
            inner = name.removeprefix(kind)
            if not _NAMES[kind].fullmatch(inner) or not value.isprintable() or _clashes(inner, free[kind]):
                raise BadInput(f"model {where!r}: {name!r} must be {kind}NAME=value, each name once")
            free[kind][inner] = value
            continue
        if name not in _READERS:
            raise BadInput(f"model {where!r}: {unknown('setting', name, _READERS)}")
        if name in read:
            raise BadInput(f"model {where!r}: setting {name!r} is given twice")
        reader, expected = _READERS[name]
        try:
            read[name] = reader(value)
        except ValueError:
            raise BadInput(f"model {where!r}: setting {name}={value!r} must be {expected}") from None
    if "parallel" in read and not local:
        raise BadInput(f"model {where!r}: 'parallel' is for local models; for others there is --concurrency")
    return ModelSettings(**read, extra=tuple(free["extra."].items()), headers=tuple(free["header."].items()))


def _clashes(name: str, names: Mapping[str, str]) -> bool:
    """Whether a name is there already, as a value or as an object that holds it."""
    return any(name == other or name.startswith(f"{other}.") or other.startswith(f"{name}.") for other in names)


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else quote(str(value), safe="$*,:;/@!'()[]{}\" ")


@cache
def _is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
