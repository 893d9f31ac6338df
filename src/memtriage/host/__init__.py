"""This machine: files written whole, versions, the memory of processes."""
