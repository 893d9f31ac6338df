"""A key, the forms in which a server may send it back, and a search for all of them in whatever was written."""

from __future__ import annotations

import base64
import gzip
import html
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

KEY = "mk-7Q2vN4xLw9ZpR3tY8sBd6HfJ1cGk/5+u"
"""Of no provider's shape, so that nothing but knowing it helps."""

HALF = len(KEY) // 2


def _every(between: str) -> Callable[[str], str]:
    return lambda key: between.join(key)


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": lambda key: key,
    "in capitals": str.upper,
    "in small letters": str.lower,
    "backwards": lambda key: key[::-1],
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "base64 without padding": lambda key: base64.b64encode(key.encode()).decode().rstrip("="),
    "base64 for URLs": lambda key: base64.urlsafe_b64encode(key.encode()).decode(),
    "base64 behind one byte": lambda key: base64.b64encode(b":" + key.encode() + b"}").decode(),
    "base64 behind two bytes": lambda key: base64.b64encode(b"k=" + key.encode() + b"&x").decode(),
    "base64 of a header": lambda key: base64.b64encode(f"user:{key}".encode()).decode(),
    "base64 in lines": lambda key: re.sub("(.{16})", "\\1\n", base64.b64encode(key.encode()).decode()),
    "hex": lambda key: key.encode().hex(),
    "hex in capitals": lambda key: key.encode().hex().upper(),
    "hex with blanks": lambda key: key.encode().hex(" "),
    "hex with colons": lambda key: key.encode().hex(":"),
    "percent-encoded": lambda key: quote(key, safe=""),
    "percent-encoded, every letter": lambda key: "".join(f"%{ord(each):02X}" for each in key),
    "escapes of JSON": lambda key: "".join(f"\\u{ord(each):04x}" for each in key),
    "escapes of Python": lambda key: "".join(f"\\x{ord(each):02x}" for each in key),
    "entities": lambda key: "".join(f"&#{ord(each)};" for each in key),
    "entities in hex": lambda key: "".join(f"&#x{ord(each):x};" for each in key),
    "in quotes of JSON": lambda key: json.dumps({"key": key}),
    "broken over two lines": lambda key: f"{key[:HALF]}\n{key[HALF:]}",
    "broken over lines inside JSON": lambda key: json.dumps(f"{key[:9]}\n{key[9:20]}\r\n{key[20:]}"),
    "with blanks": _every(" "),
    "with dots": _every("."),
    "with characters of no width": _every("\u200b"),
    "with soft hyphens": _every("\u00ad"),
    "in two halves": lambda key: f"it begins {key[:HALF]} and it ends {key[HALF:]}",
    "its halves the other way round": lambda key: f"{key[HALF:]} comes after {key[:HALF]}",
}
"""How a key can be echoed."""

ALL_FORMS = "".join(f"<{name}> {write(KEY)} </{name}>\n" for name, write in FORMS.items())
"""One text with all of them."""


def leaks(content: bytes) -> list[str]:
    """The forms of the key that stand in something written."""
    text = content.decode("utf-8", "replace")
    texts = {text, html.unescape(text), text.replace("\\n", "\n").replace("\\r", "\r").replace("\\\\", "\\")}
    texts |= {re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), each) for each in texts}
    found = [name for name, form in _written_forms() if any(form in each for each in texts)]
    # And as the letters alone, whatever stands between them.
    plain = ["".join(filter(str.isalnum, each)).lower() for each in texts]
    letters = "".join(filter(str.isalnum, KEY)).lower()
    for name, wanted in (
        ("its letters", letters),
        ("its letters backwards", letters[::-1]),
        ("its first half", letters[: len(letters) // 2]),
        ("its second half", letters[len(letters) // 2 :]),
        ("its hex", KEY.encode().hex()),
    ):
        found += [name] if any(wanted in each for each in plain) else []
    return sorted(set(found))


def _written_forms() -> Iterator[tuple[str, str]]:
    for name, write in FORMS.items():
        yield name, write(KEY)
        yield name, json.dumps(write(KEY))[1:-1]
    for name in ("in two halves",):
        yield name, KEY[:HALF]
        yield name, KEY[HALF:]


def leaks_below(folder: Path) -> dict[str, list[str]]:
    """The files below a folder in which the key stands, each with its forms; a page is unpacked."""
    found: dict[str, list[str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            in_it = leaks(unpacked(path) if path.suffix == ".html" else path.read_bytes())
            found |= {str(path.relative_to(folder)): in_it} if in_it else {}
    return found


def unpacked(page: Path) -> bytes:
    """A page with the data that it carries in compressed form."""
    content = page.read_bytes()
    packed = re.findall(rb"H4sI[A-Za-z0-9+/=]+", content)
    return b"\n".join([content, *(gzip.decompress(base64.b64decode(each)) for each in packed)])
