"""Keys go to the host they are meant for, over real HTTP, and nowhere else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from memtriage.core.chat import Call, Message
from memtriage.models.client import Client
from memtriage.models.keys import key_for, key_variables
from memtriage.models.request import Capabilities
from memtriage.models.spec import PROVIDERS, ModelSpec
from model_server import ModelServer, says


@pytest.fixture(autouse=True)
def _surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MEMTRIAGE_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "OPENAI_API_VERSION"):
        monkeypatch.delenv(name, raising=False)
    for provider in PROVIDERS.values():
        monkeypatch.delenv(provider.key_variable, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("url", "variables"),
    [
        ("https://llm.example.org/v1", ["LLM_EXAMPLE_ORG"]),
        ("https://llm.example.org:8443/v1", ["LLM_EXAMPLE_ORG_8443", "LLM_EXAMPLE_ORG"]),
        ("https://LLM-1.Example.ORG/v1", ["LLM__1_EXAMPLE_ORG"]),
        ("https://llm.1.example.org/v1", ["LLM_1_EXAMPLE_ORG"]),
        ("http://my_llm:8000/v1", ["MY___LLM_8000", "MY___LLM"]),
        ("http://127.0.0.1:8000/v1", ["127_0_0_1_8000", "127_0_0_1"]),
        ("http://[::1]:8000/v1", ["__1_8000", "__1"]),
        ("https://straße.example/v1", ["STRA___E_EXAMPLE"]),
    ],
)
def test_a_host_has_a_variable_of_its_own(url: str, variables: list[str]) -> None:
    expected = [f"MEMTRIAGE_API_KEY_{name}" for name in variables]
    assert list(key_variables(ModelSpec.parse(f"{url}#m"))) == [*expected, "MEMTRIAGE_API_KEY"]


def test_the_key_of_a_host_comes_before_the_one_for_all_and_goes_to_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY_LLM_EXAMPLE_ORG", "key-of-the-host")
    monkeypatch.setenv("MEMTRIAGE_API_KEY_LLM_EXAMPLE_ORG_8443", "key-of-the-port")
    assert key_for(ModelSpec.parse("https://llm.example.org/v1#m")) == "key-of-the-host"
    assert key_for(ModelSpec.parse("https://llm.example.org:9000/v1#m")) == "key-of-the-host"
    assert key_for(ModelSpec.parse("https://llm.example.org:8443/v1#m")) == "key-of-the-port"
    assert key_for(ModelSpec.parse("https://other.example.org/v1#m")) == ""
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "key-for-all")
    assert key_for(ModelSpec.parse("https://llm.example.org/v1#m")) == "key-of-the-host"
    assert key_for(ModelSpec.parse("https://other.example.org/v1#m")) == "key-for-all"


def test_hosts_that_differ_in_a_dot_and_a_hyphen_have_keys_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMTRIAGE_API_KEY_A_B_EXAMPLE", "key-of-the-dot")
    assert key_for(ModelSpec.parse("https://a.b.example/v1#m")) == "key-of-the-dot"
    assert key_for(ModelSpec.parse("https://a-b.example/v1#m")) == ""
    monkeypatch.setenv("MEMTRIAGE_API_KEY_A__B_EXAMPLE", "key-of-the-hyphen")
    assert key_for(ModelSpec.parse("https://a-b.example/v1#m")) == "key-of-the-hyphen"
    assert key_for(ModelSpec.parse("https://a.b.example/v1#m")) == "key-of-the-dot"


@pytest.mark.parametrize("where", ["https://api.openai.com/v1", "https://mine.openai.azure.com/openai/deployments/m"])
def test_the_more_specific_key_comes_first(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    spec, host = ModelSpec.parse(f"{where}#m"), (urlsplit(where).hostname or "").upper().replace(".", "_")
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "key-for-all")
    assert key_for(spec) == "key-for-all"
    for variable in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"):
        monkeypatch.setenv(variable, "key-of-the-provider")
    assert key_for(spec) == "key-of-the-provider"
    monkeypatch.setenv(f"MEMTRIAGE_API_KEY_{host}", "key-of-the-host")
    assert key_for(spec) == "key-of-the-host"


def test_a_server_gets_its_own_key_and_not_its_neighbours(monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(lambda *_: says("yes")) as one, ModelServer(lambda *_: says("yes")) as other:
        port = urlsplit(one.url).port
        monkeypatch.setenv(f"MEMTRIAGE_API_KEY_127_0_0_1_{port}", "key-of-the-first")
        monkeypatch.setenv("OPENAI_API_KEY", "key-of-openai")
        for server in (one, other):
            asyncio.run(_ask(server.spec))
        assert one.headers[0]["authorization"] == "Bearer key-of-the-first"
        assert "key-of" not in str(other.headers)


async def _ask(spec: str) -> None:
    client = Client(spec)
    await client.ask(Call("answer", "answer", (Message("user", "Is it?"),)))
    await client.aclose()


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/v1",
        "https://api.openai.com.elsewhere.example/v1",
        "https://elsewhere.example/api.openai.com/v1",
        "http://api.openai.com/v1",
        "https://api.openai.com:444/v1",
        "https://elsewhere.example/openai/deployments/gpt-4o",
        "https://openai.azure.com.elsewhere.example/openai/deployments/gpt-4o",
        "http://mine.openai.azure.com/openai/deployments/gpt-4o",
    ],
)
def test_providers_keys_go_nowhere_else(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for provider in PROVIDERS.values():
        monkeypatch.setenv(provider.key_variable, f"key-of-{provider.key_variable}")
    assert key_for(ModelSpec.parse(f"{url}#m")) == ""


@pytest.mark.parametrize(
    ("url", "variable"),
    [
        ("https://api.openai.com/v1", "OPENAI_API_KEY"),
        ("https://API.OpenAI.com:443/v1", "OPENAI_API_KEY"),
        ("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
        ("https://mine.openai.azure.com/openai/deployments/gpt-4o", "AZURE_OPENAI_API_KEY"),
        ("https://gateway.example/openai/deployments/gpt-4o", "AZURE_OPENAI_API_KEY"),
    ],
)
def test_providers_keys_go_to_their_own_host(monkeypatch: pytest.MonkeyPatch, url: str, variable: str) -> None:
    monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://gateway.example/")
    for provider in PROVIDERS.values():
        monkeypatch.setenv(provider.key_variable, f"key-of-{provider.key_variable}")
    assert key_for(ModelSpec.parse(f"{url}#m")) == f"key-of-{variable}"


@pytest.mark.parametrize(
    ("model", "variable", "address"),
    [
        ("openai/m", "OPENAI_API_KEY", "OPENAI_BASE_URL"),
        ("anthropic/m", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"),
        ("gemini/m", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"),
        ("azure/m", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT"),
    ],
)
def test_a_file_in_the_working_directory_sets_keys_and_redirects_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: str, variable: str, address: str
) -> None:
    monkeypatch.setenv(variable, "from-the-environment")
    if model.startswith("azure"):
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com")
    before = ModelSpec.parse(model).base_url
    (tmp_path / ".env").write_text(f"{variable}=from-the-folder\n{address}=https://elsewhere.example/v1\n")
    spec = ModelSpec.parse(model)
    assert spec.base_url == before
    assert "elsewhere" not in (before or "")
    assert key_for(spec) == "from-the-environment"


def test_a_key_that_would_go_unencrypted_to_another_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def notes(model: str) -> list[str]:
        return Capabilities.expected(ModelSpec.parse(model)).notes

    assert notes("http://llm.example.org/v1#m") == []
    assert len(notes("http://llm.example.org/v1#m?header.X-Token=secret-token")) == 1
    monkeypatch.setenv("MEMTRIAGE_API_KEY", "key-for-all")
    (note,) = notes("http://llm.example.org/v1#m")
    assert "over plain http" in note
    assert "key-for-all" not in note
    for safe in ("https://llm.example.org/v1#m", "http://127.0.0.1:8000/v1#m", "http://localhost/v1#m", "ollama/m"):
        assert notes(safe) == []
