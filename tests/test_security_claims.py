"""Every claim of docs/security.md names tests, and they exist."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "security.md").read_text()
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if re.match(r"\| (?!claim|---)", line)]


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:50] for row in ROWS])
def test_a_claim_names_tests_that_exist(row: list[str]) -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row[-1])
    assert named, f"no test is named like `test_file.py::test_name`: {row}"
    for file, test in named:
        functions = ast.walk(ast.parse((TESTS / file).read_text()))
        assert any(isinstance(each, ast.FunctionDef) and each.name == test for each in functions), f"{file}::{test}"
