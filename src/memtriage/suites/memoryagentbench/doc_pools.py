"""What documents about a made-up world tell, how they say it, and how questions ask for it in other words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Subject = Literal["person", "town", "river", "work", "firm", "school", "landmark", "event"]
Value = Literal[
    Subject,
    "year",
    "people",
    "kilometres",
    "metres",
    "profession",
    "instrument",
    "craft",
    "product",
    "form",
    "hills",
    "colour",
    "material",
]


@dataclass(frozen=True, slots=True)
class Relation:
    """One thing that is told of a subject: `{e}` is the subject, `{v}` the value, `{av}` the value with a or an.

    `via` speaks of the value by the subject, on the way to something else. `compare` are questions whose answer is
    the one of `{a}` and `{b}` with the lower or the higher number; `same` asks whether their values are alike.
    """

    name: str
    about: Subject
    value: Value
    told: tuple[str, ...]
    asks: tuple[str, ...]
    via: str = ""
    compare: tuple[tuple[str, Literal["lower", "higher"]], ...] = ()
    same: str = ""


@dataclass(frozen=True, slots=True)
class Described:
    """A subject without its name, told by two of its values: `{0}` and `{1}`."""

    about: Subject
    relations: tuple[str, str]
    text: str


RELATIONS: tuple[Relation, ...] = (
    Relation(
        "profession",
        "person",
        "profession",
        (
            "{e} made a living as {av} and was known for it well beyond the region.",
            "In the trade registers, {e} appears as {av}.",
            "For more than thirty years {e} worked as {av}.",
            "Contemporaries knew {e} chiefly as {av}.",
            "By calling, {e} was {av}, and by temper something of a hermit.",
        ),
        ("What did {e} do for a living?", "What was the occupation of {e}?", "Which line of work did {e} follow?"),
        same="Did {a} and {b} have the same occupation?",
    ),
    Relation(
        "born-year",
        "person",
        "year",
        (
            "The life of {e} began in {v}, in a house full of relatives.",
            "It was in the spring of {v} that {e} came into the world.",
            "{e} first saw the light of day in {v}.",
            "A parish ledger enters {e} among the infants christened in {v}.",
            "{e} arrived in {v} as the youngest of a large family.",
        ),
        ("In which year was {e} born?", "What is the birth year of {e}?", "When was {e} born?"),
        compare=(
            ("Who was born earlier, {a} or {b}?", "lower"),
            ("Who is older, {a} or {b}?", "lower"),
            ("Which of the two is younger, {a} or {b}?", "higher"),
        ),
        same="Were {a} and {b} born in the same year?",
    ),
    Relation(
        "born-place",
        "person",
        "town",
        (
            "The cradle of {e} stood in {v}, above a cooper's shop.",
            "{e} came from {v}, where the family kept a small garden.",
            "Though the records burned, it is agreed that {v} was where {e} entered the world.",
            "A native of {v}, {e} spoke with its accent to the very end.",
            "{v} counts {e} among its daughters and sons.",
        ),
        ("In which town was {e} born?", "What is the birthplace of {e}?", "Where was {e} born?"),
        via="the birthplace of {e}",
        same="Were {a} and {b} born in the same town?",
    ),
    Relation(
        "home",
        "person",
        "town",
        (
            "In later life {e} settled in {v} and hardly left it again.",
            "The last decades of {e} were spent in {v}.",
            "{e} bought a narrow house in {v} and grew old there.",
            "Once the debts were paid, {e} moved to {v} for good.",
        ),
        ("To which town did {e} retire?", "Where did {e} live in old age?", "Which town was the final home of {e}?"),
        via="the town to which {e} retired",
    ),
    Relation(
        "trained",
        "person",
        "school",
        (
            "{e} was trained at {v}, at first against the wishes of an uncle.",
            "A small legacy allowed {e} to enrol at {v}.",
            "{e} took a diploma from {v} after four uneven years.",
            "The matriculation roll of {v} bears the name of {e}.",
        ),
        ("At which school did {e} study?", "Where was {e} educated?", "Which institution did {e} attend as a student?"),
        via="the school at which {e} studied",
        same="Did {a} and {b} study at the same school?",
    ),
    Relation(
        "teacher",
        "person",
        "person",
        (
            "{e} learned the craft in the workshop of {v}.",
            "It was {v} who took {e} on as an apprentice.",
            "Everything that mattered, {e} used to say, came from the lessons of {v}.",
            "As a pupil of {v}, {e} began with two years of sweeping floors.",
        ),
        ("Who taught {e}?", "Who was the mentor of {e}?", "Under whom did {e} learn?"),
        via="the mentor of {e}",
    ),
    Relation(
        "instrument",
        "person",
        "instrument",
        (
            "On Sunday afternoons {e} played the {v} for whoever would listen.",
            "{e} kept {av} within reach, and used it between two tasks.",
            "Among friends {e} was feared for long evenings at the {v}.",
            "The only luxury of {e} was a well-worn {v}.",
        ),
        ("Which musical instrument did {e} own?", "On which instrument did {e} make music?"),
        same="Did {a} and {b} make music on the same instrument?",
    ),
    Relation(
        "river",
        "town",
        "river",
        (
            "{e} lies on both banks of {v}.",
            "The old quarter of {e} follows a bend of {v}.",
            "{v} divides {e} into an upper and a lower half.",
            "Barges still reach {e} by way of {v}.",
        ),
        ("Which river flows through {e}?", "On which river is {e} situated?", "Which body of water does {e} stand on?"),
        via="the river that flows through {e}",
        same="Are {a} and {b} situated on the same river?",
    ),
    Relation(
        "chartered",
        "town",
        "year",
        (
            "{e} received its charter in {v}.",
            "The right to hold a market was granted to {e} in {v}.",
            "Since {v}, {e} has called itself a town.",
            "A sealed deed of {v} raised {e} above the villages around it.",
        ),
        ("In which year did {e} become a town?", "When were town privileges given to {e}?"),
        compare=(
            ("Which became a town first, {a} or {b}?", "lower"),
            ("Which was given town privileges later, {a} or {b}?", "higher"),
        ),
    ),
    Relation(
        "craft",
        "town",
        "craft",
        (
            "{e} is known far and wide for its {v}.",
            "Half of the workshops in {e} live from {v}.",
            "The guild hall of {e} is given over to {v}.",
            "Fairgoers come to {e} for {v} above all.",
        ),
        ("What is {e} famous for?", "Which local craft made the reputation of {e}?"),
        same="Are {a} and {b} famous for the same craft?",
    ),
    Relation(
        "mayor",
        "town",
        "person",
        (
            "No one sat longer in the mayor's chair of {e} than {v}.",
            "{v} governed {e} through eleven elections, more than anyone else.",
            "The portrait over the council table of {e} shows {v}, who never lost a vote there.",
            "{e} was run for a whole generation by {v}.",
        ),
        ("Who was the longest-serving mayor of {e}?", "Which person led the municipality of {e} the longest?"),
        via="the longest-serving mayor of {e}",
    ),
    Relation(
        "inhabitants",
        "town",
        "people",
        (
            "At the latest count {e} had {v} souls.",
            "{v} people are entered in the rolls of {e}.",
            "The census found {v} residents in {e}.",
        ),
        ("What is the population of {e}?", "How many inhabitants does {e} have?"),
        compare=(
            ("Which has the larger population, {a} or {b}?", "higher"),
            ("Which has fewer inhabitants, {a} or {b}?", "lower"),
        ),
    ),
    Relation(
        "flow",
        "river",
        "kilometres",
        (
            "From end to end, {e} covers {v}.",
            "{e} runs for {v} before it meets the sea.",
            "Surveyors who walked along {e} measured {v}.",
            "After {v}, {e} ends in a wide marsh.",
        ),
        ("How long is {e}?", "What is the length of {e}?"),
        compare=(("Which is longer, {a} or {b}?", "higher"), ("Which is the shorter one, {a} or {b}?", "lower")),
    ),
    Relation(
        "spring",
        "river",
        "hills",
        (
            "{e} comes down from the {v}.",
            "A moor high in the {v} feeds {e}.",
            "The first trickle of {e} is found in the {v}.",
            "Meltwater from the {v} fills {e} each April.",
        ),
        ("In which hills does {e} rise?", "Where is the source of {e}?"),
        same="Do {a} and {b} have their source in the same hills?",
    ),
    Relation(
        "named-colour",
        "river",
        "colour",
        (
            "Peat gives {e} {av} tinge.",
            "In low light {e} looks {v}.",
            "Boatmen know {e} by its {v} sheen.",
        ),
        ("What colour is the water of {e}?", "Which hue does the water of {e} have?"),
    ),
    Relation(
        "form",
        "work",
        "form",
        (
            "{e} is {av} in three parts.",
            "Conceived as a jest, {e} turned into {av}.",
            "Most critics class {e} as {av}.",
            "At heart {e} is {av}, whatever its preface claims.",
        ),
        ("What genre does {e} belong to?", "What kind of work is {e}?"),
    ),
    Relation(
        "author",
        "work",
        "person",
        (
            "{e} was written by {v} over a single winter.",
            "{v} drafted {e} on the backs of old bills.",
            "{e} came from the pen of {v}.",
            "The manuscript of {e} is in the hand of {v}.",
            "With {e}, {v} found a public at last.",
        ),
        ("Who is the author of {e}?", "Who created {e}?"),
        via="the author of {e}",
    ),
    Relation(
        "appeared",
        "work",
        "year",
        (
            "{e} reached the public in {v}, in an edition of three hundred.",
            "It was {v} before {e} found a printer.",
            "The earliest copies of {e} bear the date {v}.",
            "Readers had to wait until {v} for {e}.",
        ),
        ("In which year was {e} published?", "When did {e} come out?"),
        compare=(
            ("Which was published first, {a} or {b}?", "lower"),
            ("Which came out later, {a} or {b}?", "higher"),
        ),
    ),
    Relation(
        "setting",
        "work",
        "town",
        (
            "The plot of {e} unfolds in {v} during a long drought.",
            "{e} follows a family of chandlers through the streets of {v}.",
            "All three parts of {e} take place in {v}.",
            "The heroine of {e} never leaves {v}.",
        ),
        ("In which town is {e} set?", "Where does the story of {e} happen?"),
        via="the town in which {e} is set",
        same="Are {a} and {b} set in the same town?",
    ),
    Relation(
        "dedicated",
        "work",
        "person",
        (
            "The front page of {e} thanks {v}, without giving a reason.",
            "{e} is inscribed to {v}.",
            "{e} carries a rhymed homage to {v}.",
        ),
        ("To whom is {e} dedicated?", "Who is the dedicatee of {e}?"),
        via="the dedicatee of {e}",
    ),
    Relation(
        "founder",
        "firm",
        "person",
        (
            "{e} goes back to {v}, who started with one bench and a borrowed lamp.",
            "{v} set up {e} in a disused stable.",
            "The idea for {e} came to {v} on a ferry.",
            "With a loan from two cousins, {v} brought {e} into being.",
        ),
        ("Who founded {e}?", "Who was the founder of {e}?"),
        via="the founder of {e}",
    ),
    Relation(
        "founded",
        "firm",
        "year",
        (
            "{e} opened its doors in {v}.",
            "The first ledger of {e} begins in {v}.",
            "{e} has been in business since {v}.",
            "In {v} the name of {e} was entered in the register of trade.",
        ),
        ("In which year was {e} founded?", "When was {e} established?"),
        compare=(
            ("Which was founded earlier, {a} or {b}?", "lower"),
            ("Which was established later, {a} or {b}?", "higher"),
        ),
    ),
    Relation(
        "seat",
        "firm",
        "town",
        (
            "{e} is run from a brick yard in {v}.",
            "The offices of {e} look out over the market of {v}.",
            "{e} never moved away from {v}.",
            "Every letter to {e} is addressed to {v}.",
        ),
        ("In which town is {e} based?", "Where are the headquarters of {e}?"),
        via="the town where {e} is based",
        same="Are {a} and {b} based in the same town?",
    ),
    Relation(
        "product",
        "firm",
        "product",
        (
            "{e} turns out {v} by the crate.",
            "The pride of {e} are its {v}.",
            "Shops order {v} from {e} a year ahead.",
            "After some years of trial {e} took to {v}.",
        ),
        ("What does {e} make?", "What are the goods produced by {e}?"),
        same="Do {a} and {b} make the same goods?",
    ),
    Relation(
        "school-town",
        "school",
        "town",
        (
            "{e} occupies a former granary in {v}.",
            "The towers of {e} belong to the skyline of {v}.",
            "Students of {e} lodge all over {v}.",
            "{e} was built on a hill at the edge of {v}.",
        ),
        ("In which town is {e}?", "Where can {e} be found?"),
        via="the town that is home to {e}",
        same="Are {a} and {b} in the same town?",
    ),
    Relation(
        "opened",
        "school",
        "year",
        (
            "{e} took in its first class in {v}.",
            "Lectures at {e} began in {v}.",
            "A bequest of {v} called {e} into life.",
        ),
        ("In which year was {e} established?", "When did {e} start teaching?"),
        compare=(
            ("Which school is older, {a} or {b}?", "lower"),
            ("Which school was established later, {a} or {b}?", "higher"),
        ),
    ),
    Relation(
        "library",
        "school",
        "person",
        (
            "The reading room of {e} is called after {v}.",
            "Books at {e} are kept in a hall that honours {v}.",
            "{e} owes its shelves to {v}, whose bust greets every reader.",
        ),
        ("Whose name does the library of {e} bear?", "Who is the library of {e} named for?"),
        via="the person whose name the library of {e} bears",
    ),
    Relation(
        "gown",
        "school",
        "colour",
        (
            "At {e} everyone wears {av} sash on feast days.",
            "The gates of {e} are painted {v}.",
            "Above {e} flies {av} pennant.",
        ),
        ("What is the colour of {e}?", "Which colour represents {e}?"),
        same="Do {a} and {b} have the same colour?",
    ),
    Relation(
        "architect",
        "landmark",
        "person",
        (
            "{e} was drawn up by {v}, who had never built anything before.",
            "The plans for {e} are signed by {v}.",
            "{v} won the contest for {e} with a sketch on blotting paper.",
            "{e} is thought to be the boldest work of {v}.",
        ),
        ("Who was the architect of {e}?", "Who designed {e}?"),
        via="the architect of {e}",
    ),
    Relation(
        "stands",
        "landmark",
        "town",
        (
            "{e} rises beside the harbour road of {v}.",
            "{e} is the first thing a traveller sees of {v}.",
            "On every postcard from {v} there is {e}.",
            "The council of {v} looks after {e}.",
        ),
        ("In which town does {e} stand?", "Where is {e} located?"),
        via="the town in which {e} stands",
        same="Do {a} and {b} stand in the same town?",
    ),
    Relation(
        "completed",
        "landmark",
        "year",
        (
            "The scaffolding around {e} came down in {v}.",
            "Work on {e} ended in {v}.",
            "The last stone of {e} was laid in {v}.",
        ),
        ("In which year was {e} completed?", "When was {e} finished?"),
        compare=(
            ("Which was completed first, {a} or {b}?", "lower"),
            ("Which was finished later, {a} or {b}?", "higher"),
        ),
    ),
    Relation(
        "tall",
        "landmark",
        "metres",
        (
            "From its footing {e} measures {v}.",
            "{e} reaches up {v}.",
            "A plumb line let down from the top of {e} ran out at {v}.",
        ),
        ("How tall is {e}?", "What is the height of {e}?"),
        compare=(("Which is taller, {a} or {b}?", "higher"), ("Which has the lower height, {a} or {b}?", "lower")),
    ),
    Relation(
        "material",
        "landmark",
        "material",
        (
            "{e} is clad in {v} throughout.",
            "The builders of {e} used {v} and little else.",
            "For {e}, {v} had to be carted in over two summers.",
        ),
        ("What is {e} built of?", "Which building material was chosen for {e}?"),
        same="Are {a} and {b} built of the same material?",
    ),
    Relation(
        "held-in",
        "event",
        "town",
        (
            "{e} filled the inns of {v} for a week.",
            "{v} was chosen for {e} over two larger rivals.",
            "The meadows outside {v} served as the grounds of {e}.",
        ),
        ("Which town hosted {e}?", "Where was {e} held?"),
        via="the town that hosted {e}",
        same="Were {a} and {b} held in the same town?",
    ),
    Relation(
        "took-place",
        "event",
        "year",
        (
            "{e} went ahead in {v} in spite of the floods.",
            "Old posters for {e} give the year {v}.",
            "{e} belongs to the long summer of {v}.",
        ),
        ("In which year did {e} take place?", "When was {e} held?"),
        compare=(
            ("Which took place first, {a} or {b}?", "lower"),
            ("Which was held later, {a} or {b}?", "higher"),
        ),
    ),
    Relation(
        "winner",
        "event",
        "person",
        (
            "At the end of {e} the laurels went to {v}.",
            "The jury of {e} put {v} above all others.",
            "{v} left {e} with the silver cup.",
        ),
        ("Who won {e}?", "Who was the winner of {e}?"),
        via="the winner of {e}",
    ),
    Relation(
        "organiser",
        "event",
        "firm",
        (
            "The costs of {e} were borne by {v}.",
            "{v} paid for the tents and the prizes of {e}.",
            "Without the money of {v} there would have been no {e}.",
        ),
        ("Which company sponsored {e}?", "Who was the sponsor of {e}?"),
        via="the sponsor of {e}",
    ),
)

DESCRIBED: tuple[Described, ...] = (
    Described("person", ("profession", "born-place"), "the {0} who was born in {1}"),
    Described("person", ("profession", "trained"), "the {0} who studied at {1}"),
    Described("person", ("profession", "teacher"), "the {0} whose mentor was {1}"),
    Described("person", ("instrument", "home"), "the {0} player who retired to {1}"),
    Described("town", ("craft", "river"), "the town on {1} that is famous for {0}"),
    Described("work", ("form", "setting"), "the {0} that is set in {1}"),
    Described("work", ("form", "dedicated"), "the {0} dedicated to {1}"),
    Described("firm", ("product", "seat"), "the company based in {1} that makes {0}"),
    Described("firm", ("product", "founder"), "the maker of {0} that was founded by {1}"),
    Described("landmark", ("material", "stands"), "the structure in {1} that is built of {0}"),
    Described("landmark", ("material", "architect"), "the structure of {0} designed by {1}"),
    Described("school", ("gown", "school-town"), "the school in {1} whose colour is {0}"),
)

SHARES: Mapping[Subject, float] = {
    "person": 0.34,
    "town": 0.13,
    "river": 0.05,
    "work": 0.16,
    "firm": 0.11,
    "school": 0.05,
    "landmark": 0.09,
    "event": 0.07,
}
"""Which part of the documents is about what."""

WITH_ARTICLE: frozenset[str] = frozenset({"river", "landmark", "event"})
"""Subjects that are spoken of with `the` before their name."""

FIRM_KINDS = "Works Foundry Brothers Mills Optics Instruments Pottery Bindery Outfitters Trading".split()
SCHOOL_KINDS = "Academy College Conservatory Seminary Polytechnic".split()
LANDMARK_KINDS = "Lighthouse Bridge Observatory Tower Viaduct Granary Gatehouse Belfry".split()
EVENT_KINDS = "Regatta Exhibition Contest Games Fair Tournament Congress".split()
TITLE_FRAMES = (
    "The {0} of {1}",
    "The Last {0} of {1}",
    "The {0} at {1}",
    "A {0} near {1}",
    "The Other {0} of {1}",
    "No {0} in {1}",
)

WORDS: Mapping[str, tuple[str, ...]] = {
    "profession": tuple(
        """glass engraver, clock repairer, map dealer, bell founder, harbour pilot, seed merchant, stage painter,
        organ builder, ropemaker, lens grinder, beekeeper, surveyor, dye chemist, ferry captain, court stenographer,
        bookbinder, puppet carver, salt trader, mine inspector, botanist, wig maker, fencing master, tax clerk,
        weather observer, locksmith, sail designer, printer, river engineer, veterinary surgeon, porcelain painter,
        choirmaster, notary, cheese maker, stonemason, gardener, lamp lighter, translator, bridge keeper, saddler,
        telegraph operator, bird painter, wheelwright, apothecary, quarry owner, violin maker, archivist, millwright,
        hatter, tea blender, astronomer""".replace("\n", " ").split(",")
    ),
    "instrument": tuple(
        """viola, oboe, zither, lute, concertina, harmonium, dulcimer, flute, cornet, bassoon, spinet, cittern,
        mandolin, clarinet, psaltery, hurdy-gurdy, tuba, celesta""".replace("\n", " ").split(",")
    ),
    "craft": tuple(
        """basket weaving, paper marbling, glass blowing, felt making, copper engraving, rope twisting, tile painting,
        cheese smoking, boat building, lace making, wood turning, candle dipping, saddle stitching, pewter casting,
        wool dyeing, clock making, button carving, knife grinding, cider pressing, straw plaiting, book gilding,
        bell casting, salt boiling, kite making, comb cutting, barrel hooping, horn polishing, net knotting,
        pipe carving, silk reeling""".replace("\n", " ").split(",")
    ),
    "product": tuple(
        """barometers, roller skates, oil lamps, fountain pens, music boxes, garden shears, pocket compasses, tin toys,
        umbrella frames, sewing needles, bicycle bells, field glasses, letter scales, coffee mills, ice boxes,
        paint brushes, door hinges, metronomes, snow shoes, watch springs, typewriter ribbons, fishing reels,
        picture frames, chess sets, wicker trunks, diving helmets, camera shutters, rubber boots, globe stands,
        ink stamps, razor strops, bread ovens, signal flags, pipe organs, folding chairs, kite reels""".replace(
            "\n", " "
        ).split(",")
    ),
    "form": tuple(
        """novel, travel diary, verse epic, comic play, chronicle, fable, memoir, pastoral romance, tragedy, satire,
        ghost story, sea story, novel in letters, morality play, picture book, philosophical dialogue""".replace(
            "\n", " "
        ).split(",")
    ),
    "colour": tuple(
        """amber, slate grey, olive, russet, teal, ochre, crimson, ivory, violet, moss green, copper, turquoise, black,
        pale blue, saffron, maroon""".replace("\n", " ").split(",")
    ),
    "material": tuple(
        """red sandstone, grey granite, yellow brick, larch timber, riveted iron, white marble, blue slate,
        rammed earth, basalt, cast concrete, oak beams, limestone, glazed tile, flint""".replace("\n", " ").split(",")
    ),
}
WORDS = {name: tuple(word.strip() for word in pool) for name, pool in WORDS.items()}

SLOTS: Mapping[str, tuple[str, ...]] = {
    "adj": tuple(
        "quiet odd patient stubborn modest cheerful dusty narrow crooked handsome forgotten generous gloomy tidy "
        "sturdy curious plain splendid faded noisy".split()
    ),
    "Who": (
        "A later essay",
        "One old guidebook",
        "A retired archivist",
        "The county almanac",
        "An anonymous pamphlet",
        "A visiting scholar",
        "The local paper",
        "A radio feature",
        "A museum leaflet",
        "The parish newsletter",
        "An undated letter",
        "A student thesis",
    ),
    "says": ("claims", "insists", "hints", "records", "concludes", "notes", "repeats", "suspects"),
    "people": ("neighbours", "visitors", "critics", "sailors", "schoolchildren", "pensioners", "merchants", "clerks"),
    "often": (
        "now and then",
        "as a rule",
        "to this day",
        "from time to time",
        "more often than not",
        "once in a while",
    ),
    "season": ("autumn", "winter", "midsummer", "the rainy months", "harvest time", "carnival week"),
    "thing": (
        "cabbage soup",
        "folding umbrella",
        "brass telescope",
        "stuffed heron",
        "tin whistle",
        "patched overcoat",
        "wooden ladder",
        "ginger cat",
        "chipped teapot",
        "velvet armchair",
        "paper lantern",
        "rusty key",
        "stack of almanacs",
        "jar of plums",
    ),
    "few": ("two", "three", "four", "half a dozen", "a handful of", "several"),
}
"""Words that go into remarks; none is a value that questions ask for."""

REMARKS: Mapping[str, tuple[str, ...]] = {
    "any": (
        "{Who} {says} that a {adj} {thing} played some part in the matter, though nobody has ever found one.",
        "{Who} {says} otherwise on {few} points, none of which has been settled.",
        "Of the {few} anecdotes that are told {often}, the one about the {thing} is certainly false.",
        "{Who} devotes {few} {adj} pages to the subject and promises more.",
        "The county museum sets up a {adj} display on the subject in {season}, which {people} visit {often}.",
        "Much of what {people} tell each other about this during {season} was made up by a {adj} innkeeper.",
    ),
    "person": (
        "Friends describe a {adj} figure who never went out in {season} without a {thing}.",
        "The surviving notebooks, {adj} in tone, mention a {thing} on nearly every page.",
        "{Who} {says} that the {people} of the street were treated to {few} speeches each {season}.",
        "A {adj} temper and a fondness for one {thing} are all that the diaries agree on.",
        "Letters to {few} {people} survive, most of them about the price of a {thing}.",
        "Even {people} who had quarrelled with this {adj} character came to the funeral.",
    ),
    "town": (
        "In {season} the {adj} lanes smell of tar, and {people} keep to the arcades.",
        "{Who} praises the {adj} square, the {few} fountains and the patience of its {people}.",
        "A {adj} custom requires {people} to carry a {thing} through the streets in {season}.",
        "Of the {few} gates, only the {adj} one by the tannery still closes at night.",
        "Its {people} are said to be {adj}, which they deny {often}.",
    ),
    "river": (
        "In {season} {people} gather on the {adj} banks, each with a {thing}.",
        "{Who} {says} that {few} {adj} bridges were swept away within one night.",
        "Otters have come back to the {adj} backwaters, and {people} count them {often}.",
        "The {adj} towpath is kept up by {people}, who mend it in {season}.",
    ),
    "work": (
        "{Who} finds the middle chapters {adj} and the business with the {thing} hard to believe.",
        "It has been put on stage {few} times, mostly in {season}, before {adj} houses.",
        "A {adj} subplot about a {thing} was cut from later printings.",
        "Among {people} it is quoted {often}, and seldom correctly.",
        "The {adj} woodcut on the cover, a {thing}, has nothing to do with the contents.",
    ),
    "firm": (
        "Its {adj} catalogue shows {few} models, each beside a {thing} for scale.",
        "{Who} {says} that wages were paid in kind for {few} months, to the dismay of {people}.",
        "The {adj} trade mark, a {thing}, is older than anything it stands for.",
        "In {season} the night shift is given cocoa, a {adj} tradition that {people} envy.",
    ),
    "school": (
        "Its {adj} corridors are famous among {people} for a {thing} behind glass.",
        "{Who} {says} that examinations were held in {season} to keep the hall {adj}.",
        "Of its {few} societies, the one devoted to the {thing} is the most {adj}.",
        "Former students, now {adj} {people}, meet there in {season}.",
    ),
    "landmark": (
        "Pigeons and {people} share the {adj} stairs in {season}.",
        "{Who} {says} that a {thing} was walled up inside by {few} {adj} workmen.",
        "The {adj} lantern on top is lit {often}, to the annoyance of {people}.",
        "After {few} petitions, {people} got a {adj} railing and a bench.",
    ),
    "event": (
        "A {adj} dispute over a {thing} held up the opening by {few} hours.",
        "{Who} {says} that {people} slept in carts, {adj} but content.",
        "There was {adj} music, and every guest in {season} dress was handed a {thing}.",
        "The {adj} closing supper ended when {few} {people} fell into the pond.",
    ),
}
"""What documents say beside facts: nothing that a question asks for."""
