"""Grows the trees that read rewritten memories, and tests them on facts they never saw.

    python benchmarks/reader.py PAIRS.jsonl...              # cross-validation by fact: coverage and risk
    python benchmarks/reader.py PAIRS.jsonl... --write      # the same, then writes the trees into the package
    python benchmarks/reader.py PAIRS.jsonl... --test HELD_OUT.jsonl

Needs scikit-learn (not a dependency of memtriage, which only walks down the finished trees).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from memtriage.diagnose.lexical import reading
from memtriage.diagnose.lexical.comparison import compare
from memtriage.diagnose.lexical.statement import statement

OUT = Path(reading.__file__).with_name("trees.json")
SEEDS = (0, 1, 2)
DEPTH = 4
LEVELS = (0.95, 0.92, 0.9, 0.87, 0.85, 0.8, 0.7, 0.6, 0.5)


def load(paths: list[Path]) -> list[dict[str, Any]]:
    """The labelled pairs of these files."""
    return [json.loads(line) for path in paths for line in path.read_text("utf-8").splitlines() if line.strip()]


def table(rows: list[dict[str, Any]]) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The names of the features, their values by pair, and the label of each pair."""
    found = [
        compare(statement(r["fact"], r.get("said", "")), statement(r["memory"]), reading.MEANING).features for r in rows
    ]
    names = list(found[0])
    values = np.array([[float(f[name]) for name in names] for f in found])
    return names, values, np.array([reading.LABELS.index(r["label"]) for r in rows])


def grow(values: np.ndarray, labels: np.ndarray, seed: int) -> GradientBoostingClassifier:
    """Trees grown on these pairs; each sees half of them and some of the features, so that they err differently."""
    grower = GradientBoostingClassifier(
        n_estimators=160,
        max_depth=DEPTH,
        learning_rate=0.05,
        subsample=0.5,
        min_samples_leaf=10,
        max_features=0.15,
        random_state=seed,
    )
    return grower.fit(values, labels)


def forest(names: list[str], grown: list[GradientBoostingClassifier]) -> dict[str, Any]:
    """All trees in one table, as `reading.py` reads them; a leaf is its own child, and seeds share the score."""
    nodes: dict[str, list[Any]] = {key: [] for key in ("feature", "threshold", "left", "right", "value")}
    roots, label_of = [], []
    for model in grown:
        for stage in model.estimators_:
            for label, regressor in enumerate(stage):
                tree, start = regressor.tree_, len(nodes["feature"])
                roots.append(start)
                label_of.append(label)
                for n in range(tree.node_count):
                    leaf = tree.children_left[n] < 0
                    nodes["feature"].append(0 if leaf else int(tree.feature[n]))
                    nodes["threshold"].append(0.0 if leaf else round(float(tree.threshold[n]), 5))
                    nodes["left"].append(start + n if leaf else start + int(tree.children_left[n]))
                    nodes["right"].append(start + n if leaf else start + int(tree.children_right[n]))
                    score = model.learning_rate * float(tree.value[n, 0, 0]) / len(grown)
                    nodes["value"].append(round(score, 6) if leaf else 0.0)
    start = np.mean([model._raw_predict_init(np.zeros((1, len(names))))[0] for model in grown], axis=0)
    return {"features": names, **nodes, "roots": roots, "label_of": label_of, "start": start.tolist(), "depth": DEPTH}


def chances(grown: list[GradientBoostingClassifier], values: np.ndarray) -> np.ndarray:
    """The chance of each label by pair, the scores of several seeds averaged."""
    scores = np.mean([model.decision_function(values) for model in grown], axis=0)
    scores = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def report(title: str, found: np.ndarray, labels: np.ndarray) -> None:
    """Print coverage and risk at some levels of confidence."""
    best, sure = found.argmax(axis=1), found.max(axis=1)
    print(f"{title}: {len(labels)} pairs, right {np.mean(best == labels):.3f} if all are decided")
    for level in LEVELS:
        on = sure >= level
        wrong = np.mean(best[on] != labels[on]) if on.any() else 0.0
        print(f"  confidence {level:.2f}: coverage {on.mean():.3f}, risk {wrong:.3f}")


def main() -> None:
    """Test trees on facts they never saw, then grow them on all pairs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="+", type=Path)
    parser.add_argument("--test", nargs="*", type=Path, default=[])
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = load(options.pairs)
    names, values, labels = table(rows)
    found = np.zeros((len(rows), len(reading.LABELS)))
    folds = GroupKFold(5, shuffle=True, random_state=1)
    for train, test in folds.split(values, labels, [r["fact"] for r in rows]):
        found[test] = chances([grow(values[train], labels[train], seed) for seed in SEEDS], values[test])
    report("cross-validated by fact", found, labels)
    grown = [grow(values, labels, seed) for seed in SEEDS]
    for path in options.test:
        _, held_out, truth = table(load([path]))
        report(f"held out, {path.name}", chances(grown, held_out), truth)
    if options.write:
        grown_on = {"grown_on": [path.stem for path in options.pairs]}
        OUT.write_text(json.dumps(grown_on | forest(names, grown), separators=(",", ":")) + "\n", "utf-8")
        print(f"wrote {OUT} ({OUT.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
