"""The gateway: an OpenAI-compatible address on 127.0.0.1 for libraries in processes of their own."""
