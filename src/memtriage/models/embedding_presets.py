"""How embedding models want to be asked: what goes before a query and before a text, and how tokens become one vector.

Many models were trained with an instruction before the query, some with one before the text as well. Without it they
find less than they can. The instructions are those of the model cards, to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Pooling = Literal["mean", "cls", "lasttoken"]
Similarity = Literal["cosine", "dot"]

NO_PRESET = "none"
SENTENCE_TRANSFORMERS = "sentence-transformers:"
"""Stands before a model that sentence-transformers runs on this machine."""


@dataclass(frozen=True, slots=True)
class EmbeddingPreset:
    """What one family of models expects. `models` is a pattern of their names, as they are without owner and tag."""

    name: str
    models: str = ""
    query: str = ""
    document: str = ""
    pooling: Pooling | None = None
    """None leaves it to the model's own files: some have a layer of their own behind it."""
    similarity: Similarity = "cosine"
    longest: int | None = None
    """The longest text in tokens of cl100k, for models that count in these."""
    usual: str = ""
    """The model that the preset's name alone stands for."""
    own_code: bool = False
    """Its folder has code that computes the vectors; without it, others come out, without a word."""

    @property
    def changes_texts(self) -> bool:
        return bool(self.query or self.document)


_WEB_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query"
_SEARCHING = "Represent this sentence for searching relevant passages: "

_ALL = (
    EmbeddingPreset("openai", r"text-embedding-(3-(small|large)|ada-002)", longest=8191),
    EmbeddingPreset("qwen3", r"qwen3-embedding(-(0\.6b|4b|8b))?", _WEB_SEARCH + "\nQuery:", pooling="lasttoken"),
    EmbeddingPreset(
        "nv-embed",
        r"nv-embed-v[12]",
        "Instruct: Given a question, retrieve passages that answer the question\nQuery: ",
        own_code=True,
    ),
    EmbeddingPreset(
        "stella",
        r"stella[-_]en[-_](400m|1\.5b)[-_]v5",
        _WEB_SEARCH + ".\nQuery: ",
        usual="NovaSearch/stella_en_1.5B_v5",
        own_code=True,
    ),
    EmbeddingPreset(
        "gte-qwen2",
        r"gte-qwen(2-(1\.5b|7b)|1\.5-7b)-instruct",
        _WEB_SEARCH + "\nQuery: ",
        pooling="lasttoken",
        own_code=True,
    ),
    EmbeddingPreset("gte", r"gte-(small|base|large)", pooling="mean"),
    EmbeddingPreset("gte-v1.5", r"gte-((base|large)-en-v1\.5|modernbert-base|multilingual-base)", pooling="cls"),
    EmbeddingPreset("e5", r"(multilingual-)?e5-(small|base|large)(-v2)?", "query: ", "passage: ", "mean"),
    EmbeddingPreset("e5-instruct", r"multilingual-e5-large-instruct", _WEB_SEARCH + "\nQuery: ", pooling="mean"),
    EmbeddingPreset("e5-mistral", r"e5-mistral-7b-instruct", _WEB_SEARCH + "\nQuery: ", pooling="lasttoken"),
    EmbeddingPreset("bge", r"bge-(small|base|large)-en(-v1\.5)?", _SEARCHING, pooling="cls"),
    EmbeddingPreset(
        "bge-zh",
        r"bge-(small|base|large)-zh(-v1\.5)?",
        "为这个句子生成表示以用于检索相关文章：",
        pooling="cls",
    ),
    EmbeddingPreset("bge-m3", r"bge-m3", pooling="cls"),
    EmbeddingPreset("mxbai", r"mxbai-embed-large(-v1)?", _SEARCHING, pooling="cls"),
    EmbeddingPreset("arctic", r"snowflake-arctic-embed(-(xs|s|m|m-v1\.5|m-long|l))?", _SEARCHING, pooling="cls"),
    EmbeddingPreset("arctic-v2", r"snowflake-arctic-embed(2|-(m|l)-v2\.0)", "query: ", pooling="cls"),
    EmbeddingPreset(
        "nomic",
        r"nomic-embed-text(-v1|-v1\.5|-v2-moe)?",
        "search_query: ",
        "search_document: ",
        "mean",
    ),
    EmbeddingPreset(
        "embeddinggemma", r"embeddinggemma(-300m)?", "task: search result | query: ", "title: none | text: "
    ),
    EmbeddingPreset(
        "contriever", r"m?contriever(-msmarco)?", pooling="mean", similarity="dot", usual="facebook/contriever"
    ),
    EmbeddingPreset("minilm", r"all-minilm(-l(6|12)-v[12])?", pooling="mean"),
    EmbeddingPreset("mpnet", r"all-mpnet-base-v[12]", pooling="mean"),
)

PRESETS: Mapping[str, EmbeddingPreset] = MappingProxyType(
    {preset.name: preset for preset in (EmbeddingPreset(NO_PRESET), *_ALL)}
)

SHORT_NAMES: Mapping[str, str] = MappingProxyType({preset.name: preset.usual for preset in _ALL if preset.usual})
"""Models that `--embed` knows by a short name."""

# Where the same weights are served by others: ollama's tags, and the formats that files are called after.
_PACKAGING = re.compile(r"([-._](gguf|onnx|f16|f32|fp16|bf16|fp8|i?q\d\w*|awq|gptq|int[48]))+$")


def preset_for(model: str, chosen: str | None = None) -> EmbeddingPreset:
    """The preset that was chosen, or else the one that knows a model by its name.

    >>> preset_for("Qwen/Qwen3-Embedding-0.6B").name, preset_for("qwen3-embedding:4b-q8_0").name
    ('qwen3', 'qwen3')
    >>> preset_for("my-own-model").name, preset_for("intfloat/e5-base-v2", "none").query
    ('none', '')
    """
    if chosen is not None:
        return PRESETS[chosen]
    name = re.split(r"[:@]", model.rstrip("/").replace("\\", "/").rpartition("/")[2].lower())[0]
    name = _PACKAGING.sub("", name)
    return next((preset for preset in _ALL if re.fullmatch(preset.models, name)), PRESETS[NO_PRESET])


def preset_written_out(embedder: str) -> str:
    """The name of an offline embedder in full: a short name as its model, with the preset that knows it.

    The preset is only named if it changes what is embedded.

    >>> preset_written_out("sentence-transformers:intfloat/e5-base-v2"), preset_written_out("wordllama")
    ('sentence-transformers:intfloat/e5-base-v2?preset=e5', 'wordllama')
    >>> preset_written_out("contriever"), preset_written_out("stella?preset=none")
    ('sentence-transformers:facebook/contriever', 'sentence-transformers:NovaSearch/stella_en_1.5B_v5?preset=none')
    """
    name, mark, settings = embedder.partition("?")
    if name in SHORT_NAMES:
        name = f"{SENTENCE_TRANSFORMERS}{SHORT_NAMES[name]}"
    if not name.startswith(SENTENCE_TRANSFORMERS) or "preset=" in settings:
        return f"{name}{mark}{settings}"
    known = preset_for(name.removeprefix(SENTENCE_TRANSFORMERS))
    wanted = [f"preset={known.name}"] if known.changes_texts else []
    return "?".join([name, *filter(None, ["&".join([*wanted, *filter(None, [settings])])])])
