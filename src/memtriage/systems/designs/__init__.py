"""Memory architectures of papers and libraries, each in a small file."""
