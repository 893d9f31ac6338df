"""The run directory: its reader, its writer, its journal."""
