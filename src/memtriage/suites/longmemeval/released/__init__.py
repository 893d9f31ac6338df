"""Files in the format of the released ones: found, read, checked, written and downloaded."""
