"""mosaic: a memory that keeps what was said, and works out while storing what hangs on what."""
