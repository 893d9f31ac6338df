"""Look into many runs in a browser: a local server that only reads, and the same pages as files."""
