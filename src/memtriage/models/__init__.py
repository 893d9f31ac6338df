"""Models: chat and embedding clients, the cache, costs and limits, the gateway, and offline stand-ins."""
