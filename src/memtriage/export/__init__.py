"""A run as tables for other tools: data frames, Parquet, CSV and JSON lines, or a dataset for the Hugging Face Hub."""
