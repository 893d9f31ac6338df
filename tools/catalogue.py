"""Write the tables of libraries in docs/systems/README.md anew, from the catalogue: `python tools/catalogue.py`."""

from __future__ import annotations

from pathlib import Path

from memtriage.report.terminal.systems import served, table
from memtriage.systems.libraries.catalog import libraries

README = Path(__file__).parents[1] / "docs" / "systems" / "README.md"
TABLES = {"table": table, "served": served}
"""What stands between `<!-- NAME -->` and the next `<!-- end -->`."""


def main() -> None:
    text = README.read_text(encoding="utf-8")
    for name, write in TABLES.items():
        start, end = f"<!-- {name} -->", "<!-- end -->"
        before, rest = text.split(start)
        after = rest.split(end, 1)[1]
        text = f"{before}{start}\n\n{write(libraries())}\n{end}{after}"
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
