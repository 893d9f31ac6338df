"""This machine: safe file writes, versions, process memory."""
