"""Chats of any length with questions on all ten abilities, drawn by seed."""
