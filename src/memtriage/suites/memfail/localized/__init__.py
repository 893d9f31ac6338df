"""MemFail's rows in other languages, from grammars in `words/CODE/`."""
