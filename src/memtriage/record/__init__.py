"""The run directory: reader, writer and journal."""
