"""MemFail: five datasets that stress what a memory stores, how faithfully, and what it finds again."""
