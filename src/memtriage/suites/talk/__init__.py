"""Talk: two people chat for months, and five kinds of questions are asked about it, as LoCoMo does; all generated."""
