"""Files of other tools, read as lines of the trace format: telemetry, and the results of memory benchmarks."""
