"""Model specs and keys: what users may write, what they are told otherwise, and what is never shown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtriage.core.errors import BadInput
from memtriage.models.keys import key_for, remember, scrub
from memtriage.models.spec import PROVIDERS, ModelSpec


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ["MEMTRIAGE_API_KEY", "OPENAI_BASE_URL", *(each.key_variable for each in PROVIDERS.values())]:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.chdir(tmp_path)


def test_a_provider_and_a_model() -> None:
    spec = ModelSpec.parse("openrouter/meta-llama/llama-3:free?temperature=0&seed=7&max_tokens=400&timeout=60")
    assert (spec.kind, spec.provider, spec.model) == ("remote", "openrouter", "meta-llama/llama-3:free")
    assert spec.base_url == "https://openrouter.ai/api/v1"
    assert (spec.settings.temperature, spec.settings.seed, spec.settings.max_tokens) == (0, 7, 400)
    assert spec.settings.timeout == 60
    assert spec.label == "openrouter/meta-llama/llama-3:free?temperature=0&seed=7&max_tokens=400"


def test_a_url_and_a_model() -> None:
    spec = ModelSpec.parse("HTTP://Host:8000/v1/#Qwen/Qwen3-8B?json=object")
    assert (spec.base_url, spec.model, spec.settings.json) == ("http://host:8000/v1", "Qwen/Qwen3-8B", "object")


def test_local_and_offline_models_have_no_address() -> None:
    assert ModelSpec.parse("offline").label == "offline"
    spec = ModelSpec.parse("local/models/tiny.gguf?seed=1")
    assert (spec.kind, spec.model, spec.base_url) == ("local", "models/tiny.gguf", None)
    started = spec.at("http://127.0.0.1:5123/v1/")
    assert started.base_url == "http://127.0.0.1:5123/v1"
    assert started.endpoint == spec.endpoint == "local"
    assert started.label == "local/models/tiny.gguf?seed=1"


def test_openai_respects_its_base_url_variable() -> None:
    spec = ModelSpec.parse("openai/gpt-5-mini", {"OPENAI_BASE_URL": "http://gateway:9/v1/"})
    assert spec.base_url == "http://gateway:9/v1"
    assert ModelSpec.parse("groq/x", {"OPENAI_BASE_URL": "http://gateway:9/v1/"}).base_url != "http://gateway:9/v1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "can't be read"),
        ("gpt-5-mini", "can't be read; write it as provider/model"),
        ("openai/", "can't be read"),
        ("opnai/gpt-5", "did you mean 'openai'"),
        ("http://host/v1", "names no model"),
        ("http://host/v1#", "names no model"),
        ("http://#model", "needs http:// or https:// and a host"),
        ("http://host:notaport/v1#m", "can't be read"),
        ("http://host/v1?temperature=0#m", "behind the model"),
        ("openai/m?temprature=0", "did you mean 'temperature'"),
        ("openai/m?temperature=hot", "a number from 0 to 2"),
        ("openai/m?temperature=nan", "a number from 0 to 2"),
        ("openai/m?seed=1.5", "a whole number"),
        ("openai/m?max_tokens=0", "1 or more"),
        ("openai/m?timeout=0", "more than 0"),
        ("openai/m?json=yes", "schema, object or none"),
        ("openai/m?reasoning_effort=huge", "one of none, minimal"),
        ("openai/m?seed=1&seed=2", "given twice"),
    ],
)
def test_what_cannot_be_read_is_explained(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        ModelSpec.parse(text)
    assert told in str(caught.value)


def test_passwords_in_urls_are_masked_everywhere() -> None:
    spec = ModelSpec.parse("https://ann:s3cret-pass@host/v1#m?seed=1")
    assert spec.label == "https://***@host/v1#m?seed=1"
    assert "s3cret" not in repr(spec) + str(spec) + spec.endpoint
    with pytest.raises(BadInput) as caught:
        ModelSpec.parse("https://ann:s3cret-pass@host/v1#m?seed=x")
    assert "s3cret" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_spec_or_bad_input(text: str) -> None:
    try:
        spec = ModelSpec.parse(text, {})
    except BadInput:
        return
    if "***" not in spec.label and spec.settings.timeout is None:
        assert ModelSpec.parse(spec.label, {}) == spec


def test_a_key_comes_from_the_environment_before_the_env_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = ModelSpec.parse("openai/gpt-5-mini")
    with pytest.raises(BadInput, match="OPENAI_API_KEY"):
        key_for(spec)
    (tmp_path / ".env").write_text('OPENAI_API_KEY="from-the-file"\nOTHER=1\n')
    assert key_for(spec) == "from-the-file"
    monkeypatch.setenv("OPENAI_API_KEY", " from-the-environment ")
    assert key_for(spec) == "from-the-environment"


def test_a_providers_key_goes_to_that_provider_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
    assert key_for(ModelSpec.parse("https://elsewhere.example/v1#gpt-5")) == ""
    assert key_for(ModelSpec.parse("https://api.openai.com/v1#gpt-5")) == "key-of-openai"
    assert key_for(ModelSpec.parse("ollama/qwen3")) == ""
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "key-of-a-gateway")
    assert key_for(ModelSpec.parse("https://elsewhere.example/v1#gpt-5")) == "key-of-a-gateway"


def test_a_key_with_a_line_end_inside_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "abcdefgh\nijklmnop")
    with pytest.raises(BadInput) as caught:
        key_for(ModelSpec.parse("openai/gpt-5"))
    assert "OPENAI_API_KEY" in str(caught.value)
    assert "abcdefgh" not in str(caught.value)


def test_scrubbing_removes_known_keys_and_what_looks_like_one() -> None:
    remember("correct-horse-battery")
    shown = scrub(
        "correct-horse-battery, Bearer abc.def-123, sk-proj-12345678abc, gsk_abcdefgh12, "
        "http://ann:pa55@host/v1 and sk-learn and risk-averse-people"
    )
    for secret in ("correct-horse", "abc.def", "proj-12345678", "abcdefgh12", "pa55"):
        assert secret not in shown
    assert "risk-averse-people" in shown


def test_a_short_key_does_not_blot_out_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "mod")
    key_for(ModelSpec.parse("vllm/m"))
    assert scrub("a model, the mod key") == "a model, the [key] key"
