"""Episodes in the schema of the released files: found, read, written, checked and downloaded."""
