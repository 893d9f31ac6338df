"""Which stage lost a fact: detectors that read traces only, and the planted faults that test them."""
