"""docs/dependencies.md names every package of the core, as the lock pins it, with a licence that lets people use it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = (ROOT / "requirements.lock").read_text()
PAGE = (ROOT / "docs" / "dependencies.md").read_text()
ROWS = {
    name: (version, licence)
    for name, version, licence in re.findall(r"^\| (\S+) \| (\S+) \| ([^|]+) \| [\d.]+ \|", PAGE, re.MULTILINE)
}


def test_every_package_of_the_core_has_its_licence() -> None:
    pins = dict(re.findall(r"^([a-z0-9._-]+)==([^\s\\;]+)", LOCK, re.MULTILINE))
    building = {"cython", "setuptools", "wheel"}
    told = "docs/dependencies.md is out of date: python tools/dependencies.py"
    assert {name: version for name, (version, _) in ROWS.items()} == {
        n: v for n, v in pins.items() if n not in building
    }, told
    assert all(re.search(r"MIT|BSD|Apache|MPL|Mozilla|PSF|ISC", licence) for _, licence in ROWS.values())
    assert not any("GPL" in licence for _, licence in ROWS.values())
