"""Drills: what memtriage promises about kills, faults, damage, disks, pages and odd input, put to the test at length.

    make drills                                   # all of it, about an hour on two cores
    python -m drills kills fuzz --scale 0.1       # two parts, a tenth of each
    python -m drills damage --seed 7 --case 13    # one case again, as a failure prints it

Parts that are done are not done again. Everything is real (processes, HTTP on 127.0.0.1, files), and every case follows
from the seed and its number.
"""
