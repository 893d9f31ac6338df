"""The chat memories of LongMemEval's table: MemoryBank, LD-Agent, MemWalker."""
