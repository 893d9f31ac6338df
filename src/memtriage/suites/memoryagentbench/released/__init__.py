"""The released files of MemoryAgentBench: downloaded, read, and turned into contexts."""
