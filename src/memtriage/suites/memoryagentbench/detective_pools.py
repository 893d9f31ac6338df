"""What cases are made of, and the sentences that tell clues, by what they say.

The gaps are filled from a clue's own values; `[brackets]` mark the phrases that carry the clue.
"""

from __future__ import annotations


def _listed(said: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in said.split(","))


ROOMS = _listed(
    "the map room, the conservatory, the billiard room, the linen room, the gun room, the music room, "
    "the long gallery, the terrace, the chapel, the wine cellar, the library, the winter garden, "
    "the morning room, the stable yard, the boot room, the card room, the orangery, the nursery, "
    "the clock tower, the dairy"
)
CLOCKS = _listed(
    "bronze clock, marble clock, ship's clock, cuckoo clock, travelling clock, porcelain clock, walnut clock"
)
WEAPONS = _listed(
    "hunting knife with the horn grip, three-edged paper knife, sailor's marlinspike, silver hatpin, ice pick, "
    "surgeon's lancet, sword cane, carving knife with the notched blade, bayonet from the island war"
)
INKS = _listed("violet, green, rust-coloured, turquoise, white, silver, crimson")
LODGINGS = _listed(
    "the bakery, the saddler's, the pharmacy, the fish market, the printing works, the music shop, "
    "the candle shop, the post house"
)
SIGNS = _listed(
    "a heron, a bee, an anchor, a half moon, an oak leaf, a tortoise, a crossed pair of keys, a wheel, a bell"
)
THREADS = _listed("blue, yellow, scarlet, orange, pale green, pink, brown")
ITEMS = _listed("grey glove, fur cap, silk scarf, lace collar, riding coat, woollen stocking")
MARKS = _listed(
    "a limp in the left leg, a burn on the neck, a missing little finger, one brown eye and one blue, "
    "a scar across the chin, a gold front tooth, a tattooed wrist"
)
ALIASES = _listed("Amos Quillane, Ferdy Thrale, Lucas Winnow, Sol Beddows, Jonah Prake, Ebner Stroud, Cyril Maddern")
TRADES = _listed("cook, housekeeper, gardener, coachman, chaplain, footman, nurse, steward, governess, gamekeeper")

CLUES: dict[str, tuple[str, ...]] = {
    "house": (
        "Six people had been staying at {house} when {victim} was found dead: {people}.",
        "At {house}, where {victim} lay dead, six guests were asked not to leave: {people}.",
    ),
    "stopped": (
        "In [{scene}] the [{clock}] beside the body of [{victim}] had been knocked over and had [stopped at {time}].",
        "When [{victim}] was struck down in [{scene}], the [{clock}] fell too, and its hands had [stopped at {time}].",
    ),
    "fast": (
        "As the steward knew, the [{clock}] had always been [{minutes} minutes fast], and nobody dared to set it.",
        "The [{clock}] ran well but stood [{minutes} minutes fast], day in, day out, as its owner liked to be early.",
    ),
    "wound": (
        "Only the [{weapon}] could have made the wound, the doctor said, and until that evening it had lain behind the "
        "unbroken lock of [the cabinet in {cabinet}].",
        "The doctor matched the wound to the [{weapon}], which somebody must have taken with a key from "
        "[the cabinet in {cabinet}], since its lock was whole.",
    ),
    "keys": (
        "To [the cabinet in {cabinet}] there were three keys and no more, and [{a}], [{b}] and [{c}] carried them.",
        "The locksmith had cut three keys to [the cabinet in {cabinet}], one each for [{a}], [{b}] and [{c}].",
    ),
    "seen": (
        "The {witness} would swear to it that [{who}] was in [{room}] at [{time}].",
        "At [{time}], by the {witness}'s account, [{who}] sat in [{room}].",
        "The {witness} had carried a tray to [{who}] in [{room}] at [{time}] exactly.",
    ),
    "claims": (
        "[{who}] claimed to have spent the hours before dinner, from five to seven, alone in [{room}].",
        "From five to seven, said [{who}], there had been nothing but a book and a chair in [{room}].",
    ),
    "locked": (
        "[{room}] had been [locked since noon], and the {witness} had worn the only key on a string until morning.",
        "Because of the painters, [{room}] was [locked since noon] that day, and nobody got in before morning.",
    ),
    "letter": (
        "The letter that had threatened [{victim}] was written in [{ink} ink].",
        "Somebody had warned [{victim}] in a letter without a name, and its lines were of [{ink} ink].",
    ),
    "sold": (
        "The stationer had sold one bottle of [{ink} ink] that year, and it went to the lodger [over {lodging}].",
        "Whoever lodged [over {lodging}] had bought the stationer's one bottle of [{ink} ink].",
    ),
    "lodges": (
        "Before coming to the house, [{who}] had taken a room [over {lodging}].",
        "It turned out that [{who}] was still paying for a room [over {lodging}].",
    ),
    "debt": (
        "In the ledger of [{victim}] the largest debt stood under a drawing of [{sign}], without a name.",
        "[{victim}] had written down the largest debt beside [{sign}], drawn with care, and no name.",
    ),
    "seal": (
        "On the envelopes of [{who}] the wax always showed [{sign}].",
        "[{who}] sealed every letter with [{sign}].",
    ),
    "left": (
        "Under the window from which somebody had climbed lay a [{item}], torn once and mended in [{thread} thread].",
        "The one who climbed out of the window had left a [{item}] behind, and an old tear in it was mended in "
        "[{thread} thread].",
    ),
    "mended": (
        "The seamstress had used [{thread} thread] that month for nobody but [{who}].",
        "For [{who}], and for no other customer, the seamstress had put [{thread} thread] on the needle.",
    ),
    "alias": (
        "The passenger who came by the night ferry as [{alias}] had [{mark}], the ferryman said.",
        "On the night ferry somebody had signed as [{alias}], and the ferryman had noticed [{mark}].",
    ),
    "mark": (
        "One could not overlook that [{who}] had [{mark}].",
        "[{who}] had [{mark}] and made no secret of it.",
    ),
}
