"""Which format a model is asked in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from memtriage.models.spec import Wire
from memtriage.models.wire.anthropic import AnthropicFormat
from memtriage.models.wire.bedrock import BedrockFormat
from memtriage.models.wire.gemini import GeminiFormat


class WireFormat(Protocol):
    """One provider's format."""

    def path(self, model: str) -> str:
        """Where requests go, below the base URL."""

    def request(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """A chat request as the provider wants it; Failure where it can't be said there."""

    def reply(self, native: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
        """The provider's reply as a chat completion; KeyError, TypeError or AttributeError where it is none."""


_FORMATS: Mapping[Wire, WireFormat] = {
    "anthropic": AnthropicFormat(),
    "gemini": GeminiFormat(),
    "bedrock": BedrockFormat(),
}


def wire_format(wire: Wire) -> WireFormat | None:
    """The format of a provider; None where it is OpenAI's."""
    return _FORMATS.get(wire)
