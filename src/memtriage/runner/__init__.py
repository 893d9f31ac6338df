"""Plan, ingest, ask, record: everything that happens lands in one run directory."""
