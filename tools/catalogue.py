"""Write the table of libraries in docs/systems/README.md anew, from the catalogue: `python tools/catalogue.py`."""

from __future__ import annotations

from pathlib import Path

from memtriage.report.terminal.systems import table
from memtriage.systems.libraries.catalog import libraries

README = Path(__file__).parents[1] / "docs" / "systems" / "README.md"
START, END = "<!-- table -->\n\n", "\n<!-- end -->"


def main() -> None:
    text = README.read_text(encoding="utf-8")
    before, rest = text.split(START.strip())
    after = rest.split(END.strip())[1]
    README.write_text(before + START + table(libraries()) + END + after, encoding="utf-8")


if __name__ == "__main__":
    main()
