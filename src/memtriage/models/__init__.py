"""Who reads, writes and judges: embedders and token counts; the offline ones need no key."""
