from drills.engine import Part
PARTS: tuple[Part, ...] = ()
