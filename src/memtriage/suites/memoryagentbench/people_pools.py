"""People and places that exist nowhere: first names, halves of family names and of town names, trades, spots, aims."""

from __future__ import annotations


def _listed(said: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in said.split(","))


SHE = _listed(
    "Orsela, Vellis, Tamsa, Ildry, Nerith, Maruva, Ketteline, Osanne, Brivia, Hesper, Lioda, Ruvena, Sathra, "
    "Dorrie, Ysolin, Calvira, Pernelle, Fausta, Gwinnet, Aldusa, Theda, Morwen, Quilla, Zevine, Ebbeth, Jessamy, "
    "Undine, Corisa"
)
HE = _listed(
    "Teval, Hobrecht, Aldous, Corvin, Emeric, Jarrow, Osmund, Pell, Ruskin, Savin, Thaddo, Ulver, Wystan, "
    "Yorick, Bastred, Dacian, Fennick, Garrod, Hasko, Ivo, Kester, Lorcan, Merrik, Noll, Perrin, Quade, Rafe, "
    "Silvan"
)
FAMILY_HEADS = _listed(
    "Tar, Vor, Hal, Bren, Os, Mer, Kel, Dun, Sav, Wix, Pol, Gar, Lin, Fel, Rud, Cor, Nes, Ash, Yar, Bel, Tol, "
    "Hum, Stav, Eld, Quin, Mar, Drev, Sel"
)
FAMILY_TAILS = _listed(
    "rel, mond, bury, sted, wick, lane, dacre, sook, vane, ridge, noy, mere, gate, tin, combe, hollin, sett, "
    "lock, ney, thorpe, bray, dell, kin, low, worth"
)
TOWN_HEADS = _listed(
    "Tarn, Ostel, Veld, Brack, Hollin, Mire, Sorrel, Keld, Pellam, Rook, Grav, Amber, Wend, Lusk, Dray, Corm, "
    "Esker, Fenna, Halla, Joss, Norr, Quarr, Selm, Thrush, Umber, Yell"
)
TOWN_TAILS = _listed(
    "holm, mouth, stead, cross, haven, wath, ford, dale, minster, reach, barrow, gill, march, sluice, moor, "
    "hythe, nook, beck, strand, weir"
)
TRADES = _listed(
    "ferryman, notary, apothecary, innkeeper, glover, bookbinder, harbour clerk, midwife, cooper, clockmaker, "
    "miller, toll keeper, saddler, seamstress, chandler, schoolteacher, gardener, locksmith, baker, engraver, "
    "tanner, surveyor, beekeeper, net maker, sexton, glassblower, coachman, laundress, tinsmith, printer, "
    "vintner, dyer, piano tuner, porter"
)
SPOTS = _listed(
    "the rope market, the north quay, the old fountain, the salt stairs, the corn exchange, the bell tower, "
    "the lower lock, the plane trees, the dyers' bridge, the cattle gate, the bathhouse, the flagstone square, "
    "the herring steps, the gasworks wall, the orphans' garden, the weir, the mail office, the glass arcade, "
    "the chestnut yard, the mint, the carters' rest, the shallow harbour, the quarry road, the water stairs, "
    "the summer theatre, the brick kilns"
)
GOALS = _listed(
    "to clear the family name, to find out who had sold the house, to buy back the boat, "
    "to be rid of an old promise, to learn where the letters had come from, to reach the islands before winter, "
    "to pay what was owed, to see the northern lights once, to bring a lost cousin home, to be left in peace, "
    "to open a workshop, to find the man with the grey gloves, to finish the map, to be forgiven, "
    "to prove the doctors wrong, to win the lawsuit, to bury the past properly, to build a house of stone, "
    "to hear one certain song again, to get the truth out of the mayor"
)
