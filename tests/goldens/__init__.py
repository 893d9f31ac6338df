"""What memtriage does, seen from outside, held against what it did when the goldens were recorded."""
