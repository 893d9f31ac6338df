"""The released CSV files: read, written, downloaded and checked."""
