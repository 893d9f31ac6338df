"""What suites share: options, files, downloads, drawing, writing with a model."""
