"""Memory systems that run elsewhere: processes, MCP servers, HTTP services."""
