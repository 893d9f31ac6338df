"""MemoryAgentBench: one long context absorbed in pieces, many questions after it."""
