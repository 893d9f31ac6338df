"""LongMemEval's questions and chats in other languages, from grammars in `words/CODE/`."""
