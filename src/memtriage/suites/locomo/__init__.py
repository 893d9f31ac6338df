"""LoCoMo: months of talk between two people, and five kinds of questions about it."""
