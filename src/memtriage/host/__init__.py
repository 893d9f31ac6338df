"""This machine: safe file writes, seals, where things were made, versions, process memory."""
