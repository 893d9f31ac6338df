"""A full-depth run through batches beside the same run live: are the verdicts the same, and what does it cost?

Both are answered by the scripted server, the batches through the server that the tests use.

    python benchmarks/batches.py --rows 10
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from memtriage.models.scripted import StubServer, content

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from batch_server import BatchServer

PRICES = {name: {"input": 1.0, "output": 4.0} for name in ("reader", "judge")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder, StubServer(content) as live, BatchServer(live.url) as batches:
        os.chdir(folder)
        Path("prices.json").write_text(json.dumps(PRICES))
        verdicts = {name: run(name, url, rows) for name, url in (("live", live.url), ("batch", batches.url))}
        bills = {name: json.loads(Path(name, "cost.json").read_text())["total"] for name in verdicts}
        print(f"verdicts: {len(verdicts['live'])}, the same: {verdicts['live'] == verdicts['batch']}")
        print(f"calls: {bills['live']['calls']} live, {bills['batch']['calls']} in {len(batches.batches)} batches")
        print(f"sent more than once: {sum(sent > 1 for sent in batches.sent.values())}")
        print(f"dollars: {bills['live']['dollars']:.4f} live, {bills['batch']['dollars']:.4f} in batches")


def run(name: str, url: str, rows: int) -> list[str]:
    """Run every task of MemFail at full depth; its verdicts, without times and addresses."""
    systems = [part for system in ("bm25", "dense", "facts:summarise=rules") for part in ("--system", system)]
    models = ["--answer", f"{url}#reader", "--judge", f"{url}#judge", "--cache", f"{name}.db"]
    asked = ["--suite", "memfail", "--rows", str(rows), "--k", "5,10", *systems, *models, "--out", name]
    more = ["--batch"] if name == "batch" else []
    command = [sys.executable, "-m", "memtriage", "run", *asked, *more, "-q", "--no-report"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    text = Path(name, "verdicts.jsonl").read_text().replace(url, "")
    return re.sub(r'"(seconds|seal)":[^,}]+', "", text).splitlines()


if __name__ == "__main__":
    main()
