"""Tables for the terminal and one self-contained HTML page."""
