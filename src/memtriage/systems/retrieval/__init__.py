"""Search over what was said, word for word: BM25, embeddings, both."""
