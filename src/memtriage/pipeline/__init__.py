"""Whole runs: store, retrieve, answer and diagnose, with estimates and bills."""
