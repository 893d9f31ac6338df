"""Labels of examples: a line of their own, such as `Label: 43`."""

from __future__ import annotations

import re

LABEL_LINE = re.compile(r"^[^\S\n]*label:[^\S\n]*(\S(?:[^\n]*\S)?)[^\S\n]*$", re.IGNORECASE | re.MULTILINE)
"""A line that gives a label."""

TAG, BY_LABEL = "vote", "label"
"""The tag and value of probes whose answer the nearest examples can vote on."""
