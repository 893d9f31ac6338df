"""What is put to the test: one file per architecture."""
