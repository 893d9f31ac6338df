"""What may happen to somebody in a generated novel: how it is told, and how it is put in short.

Both forms have gaps: `WHO`, `his`, `OBJ` (with its article), `OTHER` (somebody met there), `PLACE` and `SPOT`.
"""

from __future__ import annotations


def _listed(said: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in said.split(","))


QUALITIES = _listed(
    "cracked, dented, tiny, heavy, plain, worn, engraved, crooked, tarnished, mended, foreign, antique, "
    "unfinished, polished, chipped, broken, curious, splendid, cheap, scorched, dusty, slender, narrow, "
    "oversized, misshapen, delicate, weathered, initialled, stained, faded, hollow, scratched, perfumed, "
    "three-sided, twisted, waterproof"
)
FINISHES = _listed(
    "blue, red, black, green, white, gilded, silver, brass, wooden, enamelled, lacquered, painted, copper, "
    "pewter, bronze, ebony, walnut, tin, carved, inlaid, yellow, violet, grey, crimson"
)
NOUNS = _listed(
    "whistle, compass, music box, mask, lantern, medallion, flute, inkwell, snuffbox, letter case, hourglass, "
    "spyglass, brooch, dagger, chess queen, cup, hand bell, comb, locket, signet ring, doll, map case, penknife, "
    "goblet, candlestick, hand mirror, bracelet, drum, globe, pocket watch, puppet, sextant, tea caddy, "
    "tuning fork, vase, violin bow, walking stick, birdcage, paperweight, lute, abacus, barometer, door knocker, "
    "fan, hairpin, flask, perfume bottle, hatbox, dice box, quill box, weathervane, sundial, trumpet, "
    "sewing box, picture frame, magnifying glass, clock hand, censer, belt buckle, ink stamp, mortar, "
    "kaleidoscope"
)

_KINDS: dict[str, tuple[str, str]] = {
    "buy": (
        "At {SPOT} in {PLACE} {WHO} bought {OBJ} from {OTHER} and did not haggle over the price.",
        "{WHO} pays {OTHER} for {OBJ} in {PLACE}.",
    ),
    "steal": (
        "While {OTHER} looked the other way, {WHO} slipped {OBJ} into {his} sleeve and left {PLACE} by the back road.",
        "{WHO} steals {OBJ} from {OTHER} in {PLACE}.",
    ),
    "bury": (
        "Behind {SPOT} in {PLACE} {WHO} dug a hole as deep as an arm and buried {OBJ} in it.",
        "{WHO} hides {OBJ} in the ground in {PLACE}.",
    ),
    "wager": (
        "{WHO} sat down to cards with {OTHER} in {PLACE} and lost {OBJ} on the last hand.",
        "{WHO} gambles {OBJ} away to {OTHER} in {PLACE}.",
    ),
    "win": (
        "In {PLACE} {WHO} beat {OTHER} at draughts three times running and took {OBJ} as the prize.",
        "{WHO} wins {OBJ} in a game against {OTHER} in {PLACE}.",
    ),
    "repair": (
        "{WHO} sat up all night in {PLACE} with glue and wire until {OBJ} that belonged to {OTHER} was whole again.",
        "{WHO} repairs {OBJ} for {OTHER} in {PLACE}.",
    ),
    "break": (
        "{WHO} stumbled on the stairs of {SPOT} in {PLACE}, and {OBJ} shattered at the feet of {OTHER}.",
        "{WHO} drops and ruins {OBJ} before the eyes of {OTHER} in {PLACE}.",
    ),
    "gift": (
        "Before leaving {PLACE}, {WHO} pressed {OBJ} into the hands of {OTHER} and would hear no thanks.",
        "{WHO} makes {OTHER} a present of {OBJ} in {PLACE}.",
    ),
    "inherit": (
        "In {PLACE} {OTHER} read out a will of two lines, by which {WHO} came into {OBJ} and nothing else.",
        "{WHO} inherits {OBJ} in {PLACE}.",
    ),
    "pawn": (
        "{WHO} pawned {OBJ} with {OTHER} in {PLACE} to pay for a month's rent.",
        "{WHO} leaves {OBJ} with {OTHER} in {PLACE} as security for money.",
    ),
    "find": (
        "Under a loose board near {SPOT} in {PLACE} {WHO} found {OBJ} wrapped in oilcloth.",
        "{WHO} comes upon {OBJ} beneath the floor in {PLACE}.",
    ),
    "drown": (
        "Leaning over the rail at {PLACE}, {WHO} let {OBJ} fall into the water, and {OTHER} saw it sink.",
        "{WHO} throws {OBJ} into the water at {PLACE}.",
    ),
    "burn": (
        "{WHO} fed {OBJ} to the stove of {OTHER} in {PLACE} and stirred the ashes until nothing was left.",
        "{WHO} destroys {OBJ} by fire in {PLACE}.",
    ),
    "swap": (
        "In {PLACE} {WHO} gave {OTHER} a winter coat and got {OBJ} for it.",
        "{WHO} trades a coat for {OBJ} with {OTHER} in {PLACE}.",
    ),
    "accused": (
        "At {SPOT} in {PLACE} {OTHER} pointed at {WHO} and cried that {OBJ} had been taken by nobody else.",
        "{WHO} is accused by {OTHER} of having taken {OBJ} in {PLACE}.",
    ),
    "arrest": (
        "The constables of {PLACE} found {OBJ} in the bag of {WHO} and locked {him} up for the night.",
        "{WHO} spends a night in jail in {PLACE} because of {OBJ}.",
    ),
    "rescue": (
        "{WHO} ran into the burning warehouse in {PLACE} and came out coughing, with {OBJ} under one arm.",
        "{WHO} saves {OBJ} from a fire in {PLACE}.",
    ),
    "forge": (
        "With {OTHER} holding the lamp, {WHO} made a false copy of {OBJ} in {PLACE}, so good that both were confused.",
        "{WHO} makes a forgery of {OBJ} with the help of {OTHER} in {PLACE}.",
    ),
    "return": (
        "{WHO} knocked at the door of {OTHER} in {PLACE} and gave back {OBJ} after all those years.",
        "{WHO} brings {OBJ} back to {OTHER} in {PLACE}.",
    ),
    "confess": (
        "By {SPOT} in {PLACE} {WHO} confessed to {OTHER} that {OBJ} had never belonged to the family.",
        "{WHO} admits to {OTHER} in {PLACE} the truth about {OBJ}.",
    ),
    "smuggle": (
        "{WHO} got {OBJ} past the customs men of {PLACE} in a barrel of {OTHER}'s pickled fish.",
        "{WHO} smuggles {OBJ} through the customs of {PLACE}.",
    ),
    "refuse": (
        "{OTHER} offered forty crowns for {OBJ}, but {WHO} shook {his} head and walked out into the rain of {PLACE}.",
        "{WHO} refuses to sell {OBJ} to {OTHER} in {PLACE}.",
    ),
    "auction": (
        "At the auction in {PLACE} {WHO} raised a hand once too often and went home with {OBJ}.",
        "{WHO} ends up with {OBJ} at a sale in {PLACE}.",
    ),
    "message": (
        "Inside {OBJ} that {OTHER} had left in {PLACE}, {WHO} discovered a message in a childish hand.",
        "{WHO} discovers a message inside {OBJ} in {PLACE}.",
    ),
    "robbed": (
        "On the road out of {PLACE} two men stopped {WHO} and took {OBJ} from {him} at knifepoint.",
        "{WHO} is robbed of {OBJ} near {PLACE}.",
    ),
    "paint": (
        "{WHO} sat for a portrait in {PLACE}, holding {OBJ}, because {OTHER} had asked for it.",
        "{WHO} has a portrait painted in {PLACE} with {OBJ} in hand.",
    ),
    "dream": (
        "In a cheap bed in {PLACE} {WHO} dreamed of {OBJ} and woke with its name on {his} lips.",
        "{WHO} sees {OBJ} in a dream while staying in {PLACE}.",
    ),
    "duel": (
        "{WHO} and {OTHER} fought with sticks at {SPOT} in {PLACE} over {OBJ} until neither could stand.",
        "{WHO} comes to blows with {OTHER} over {OBJ} in {PLACE}.",
    ),
    "deliver": (
        "As promised, {WHO} carried {OBJ} across the hills and delivered it to {OTHER} in {PLACE}.",
        "{WHO} hands {OBJ} over to {OTHER} in {PLACE} as agreed.",
    ),
    "recognise": (
        "In the window of {OTHER} in {PLACE} {WHO} recognised {OBJ} that had hung over the bed at home.",
        "{WHO} sees {OBJ} from home again, on show in {PLACE}.",
    ),
    "lend": (
        "Against better judgement {WHO} lent {OBJ} to {OTHER} in {PLACE} until the next fair.",
        "{WHO} lets {OTHER} borrow {OBJ} in {PLACE}.",
    ),
    "carve": (
        "{WHO} scratched two letters into {OBJ} and left it on the sill of {OTHER} in {PLACE}.",
        "{WHO} marks {OBJ} with letters and leaves it for {OTHER} in {PLACE}.",
    ),
    "taught": (
        "For nine evenings {OTHER} taught {WHO} in {PLACE} how {OBJ} has to be made.",
        "{WHO} learns from {OTHER} in {PLACE} how to make {OBJ}.",
    ),
    "witness": (
        "From behind {SPOT} in {PLACE} {WHO} watched {OTHER} hand {OBJ} to a man in a grey hood.",
        "{WHO} secretly sees {OTHER} pass on {OBJ} in {PLACE}.",
    ),
    "insure": (
        "Before {OTHER} in {PLACE} {WHO} swore an oath on {OBJ} and signed with a shaking hand.",
        "{WHO} takes an oath on {OBJ} before {OTHER} in {PLACE}.",
    ),
    "fever": (
        "{WHO} lay ill in {PLACE} for eleven days, clutching {OBJ}, and {OTHER} sent up broth.",
        "{WHO} falls ill in {PLACE} and will not let go of {OBJ}.",
    ),
}
KINDS: dict[str, tuple[str, str]] = _KINDS
