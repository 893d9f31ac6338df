"""HippoRAG 2: triples and passages in one graph, passages ranked by personalised PageRank."""
