"""`python -m memtriage` is the `memtriage` command."""

from memtriage.cli.main import main

main()
