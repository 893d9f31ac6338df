"""A whole run: store, retrieve, answer, diagnose; what it costs beforehand and what it cost."""
