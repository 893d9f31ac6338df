"""Providers' own formats: a chat request in OpenAI's format is rewritten on its way out, and the reply on its way back.

Everything else (clients, gateway, retries, bill) speaks OpenAI's format alone.
"""
