"""mosaic as the memory of your own program: `MosaicMemory`, an MCP server, LangChain, the OpenAI Agents SDK.

>>> from memtriage.mosaic import MosaicMemory
>>> memory = MosaicMemory()
>>> _ = memory.add("I moved to Lisbon.", at="2026-03-01")
>>> [hit.entry.text for hit in memory.search("Where do I live?", k=1)]
['I moved to Lisbon.']
"""

from __future__ import annotations

from memtriage.systems.designs.mosaic.memory import Entry, Event, Hit, MosaicMemory

__all__ = ["Entry", "Event", "Hit", "MosaicMemory"]
