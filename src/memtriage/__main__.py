"""`python -m memtriage` is the `memtriage` command."""

from memtriage.cli import main

main()
