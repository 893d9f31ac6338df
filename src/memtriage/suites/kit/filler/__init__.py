"""Chats about the world at large, for suites that hide evidence among other chats."""
