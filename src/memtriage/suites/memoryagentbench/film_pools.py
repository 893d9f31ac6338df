"""Made-up films and people who talk about them: titles, directors, tastes, and the ways they are put in words."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping

_ADJECTIVES = tuple(
    """quilted brackish sevenfold pewter unposted borrowed lopsided saffron moonless tinfoil whispering unpaid ninth
    porcelain threadbare salted wandering hollow tangerine stubborn paper clockwork rusted velvet unlit crooked amber
    patient feathered sunken gilded sleepless barefoot copper unmapped windless chalk scarlet tidal mislaid double
    frozen backward mercurial tattered lacquered indigo splintered drowsy jade""".split()
)
_NOUNS = tuple(
    """orchard lighthouse carousel accordion ledger staircase harbour lantern tollgate weathervane almanac cartwheel
    teacup glacier umbrella sparrow cellar telegram aqueduct bonfire marionette compass hourglass archipelago ballroom
    gramophone quarry heron typewriter caravan granary overcoat parade chandelier thimble ferryman locksmith beekeeper
    cartographer understudy violinist glassblower signalman milliner stowaway apprentice widower magistrate
    puppeteer postmistress""".split()
)
_PLACES = tuple(
    """Varnholt Ostkeld Miremont Tarsk Ellowby Quennick Sordavale Brackwater Hesperin Lumsgate Ivanetta Corvayne
    Drumlassie Pellucia Nethermoor Zarandol Wexhollow Orrinfall Tashbury Yllmarsh Cardigane Fenwillow Gorsemere
    Jorvaney""".split()
)
_NAMES = tuple(
    """Ottoline Barnaby Ilse Thaddeus Marisol Cosmo Philippa Anselm Jacinta Leopold Wilhelmina Ambrose Delphine Rufus
    Henrike Octavio Sunniva Gideon Petronella Casimir Isolde Florian Zenobia Matteus""".split()
)
_TITLES = (
    "The {adjective} {noun}",
    "A {noun} for {name}",
    "{name} and the {noun}",
    "The Last {noun} of {place}",
    "{adjective} Nights in {place}",
    "No {noun} in {place}",
    "What {name} Left in {place}",
    "{noun} Season, {adjective} Year",
    "The {noun} and the {noun2}",
    "Seven {adjective} Days with {name}",
)
_FIRST = tuple("Aino Bertil Carmela Dov Edda Fausto Greta Hamid Ines Jonas Keiko Lazar Mina Nuno Oona Paavo".split())
_LAST = tuple(
    """Achterberg Belloq Czernik Dunmore Eskelin Farouche Gantry Holmqvist Iwanow Jessop Kestrel Lindqvarn Mazurek
    Novarro Orlandsen Pettibone""".split()
)

GENRES: Mapping[str, tuple[str, ...]] = {
    "heist": ("heist films", "films about robberies", "stories of an elaborate theft"),
    "court": ("courtroom dramas", "films about trials", "legal dramas"),
    "ghost": ("ghost stories", "hauntings", "films with spirits in them"),
    "western": ("westerns", "cowboy films", "frontier stories"),
    "space": ("space operas", "films among the stars", "starship adventures"),
    "road": ("road movies", "films about a long drive", "stories of people on the road"),
    "musical": ("musicals", "films in which they sing", "song-and-dance films"),
    "spy": ("spy films", "espionage stories", "secret-agent films"),
    "romance": ("love stories", "romances", "films about falling in love"),
    "monster": ("monster films", "creature features", "films with a great beast"),
    "sport": ("sports dramas", "films about a contest", "underdog team stories"),
    "slapstick": ("slapstick comedies", "films full of pratfalls", "knockabout farces"),
    "whodunit": ("whodunits", "murder mysteries", "films in which someone must find the killer"),
    "youth": ("coming-of-age films", "stories about growing up", "films about teenagers finding their way"),
    "duel": ("swashbucklers", "films with fencing in them", "cloak-and-dagger adventures"),
    "disaster": ("disaster films", "catastrophe stories", "films in which everything collapses"),
}
SETTINGS: Mapping[str, tuple[str, ...]] = {
    "sea": ("by the sea", "on the coast", "among fishermen"),
    "alps": ("in the mountains", "high up among peaks", "in an alpine valley"),
    "city": ("in a huge city", "among skyscrapers", "in a crowded metropolis"),
    "desert": ("in the desert", "among dunes", "somewhere dry and sandy"),
    "train": ("on a train", "aboard a sleeper car", "on the railway"),
    "school": ("in a boarding school", "among pupils and teachers", "in a classroom"),
    "circus": ("in a circus", "under the big top", "among acrobats"),
    "hospital": ("in a hospital", "among doctors and nurses", "on a ward"),
    "north": ("in the far north", "in the polar night", "among snow and reindeer"),
    "castle": ("in a castle", "behind old battlements", "at a royal court"),
    "hotel": ("in a hotel", "among guests and porters", "in a grand old inn"),
    "jungle": ("in the jungle", "deep in the rainforest", "among vines and rivers"),
    "farm": ("on a farm", "among fields and cattle", "in the countryside"),
    "theatre": ("in a theatre", "behind the stage", "among actors"),
    "prison": ("in a prison", "behind bars", "among inmates"),
    "market": ("in a bazaar", "among market stalls", "in a trading town"),
}
MOODS: Mapping[str, tuple[str, ...]] = {
    "sad": ("slow and sad", "unhurried and a little mournful", "melancholy"),
    "loud": ("fast and loud", "full of racket and speed", "breakneck"),
    "cosy": ("cosy", "warm like a blanket", "snug and harmless"),
    "eerie": ("eerie", "quietly unsettling", "creepy without gore"),
    "biting": ("biting", "satirical and a bit cruel", "sharp-tongued"),
    "tender": ("tender", "gentle with its people", "soft-hearted"),
    "absurd": ("absurd", "gloriously silly", "without any logic"),
    "tense": ("nerve-racking", "tense from start to finish", "the kind that makes you grip the chair"),
    "dreamy": ("dreamlike", "like half a sleep", "hazy and floating"),
    "gritty": ("gritty", "rough and unpolished", "dirty under the fingernails"),
    "uplifting": ("uplifting", "the sort that sends you home smiling", "full of hope"),
    "dry": ("deadpan", "dry as dust in its humour", "funny with a straight face"),
    "grand": ("grand and sweeping", "epic", "made for the largest screen"),
    "talky": ("full of clever talk", "wordy", "driven by conversation"),
    "angry": ("furious", "angry at the world", "political and heated"),
    "puzzling": ("puzzling", "one you have to work out", "like a riddle"),
}
QUIRKS: Mapping[str, tuple[str, ...]] = {
    "backwards": ("told backwards", "that begins with the end", "whose scenes run in reverse order"),
    "twist": ("with a twist at the end", "whose ending turns everything round", "with a last-minute surprise"),
    "animal": ("with an animal in the lead", "in which a dog or a horse steals the show", "with a furry hero"),
    "old": ("with old people at the centre", "about pensioners for once", "with heroes past seventy"),
    "piano": ("with a lone piano on the soundtrack", "scored for one piano", "with hardly any music but a piano"),
    "grey": ("in black and white", "without colour", "shot in greys"),
    "liar": ("whose narrator lies", "told by somebody you can't trust", "with an unreliable storyteller"),
    "night": ("that takes place in one night", "over before sunrise", "set between dusk and dawn"),
    "children": ("with children as heroes", "in which the kids run things", "seen from a child's height"),
    "siblings": ("about brothers and sisters at odds", "with a feud between siblings", "around a family quarrel"),
    "letters": ("with letters read aloud", "held together by a correspondence", "in which people write to each other"),
    "food": ("with a lot of cooking", "that makes you hungry", "with long meals in it"),
    "silent": ("with almost no dialogue", "in which hardly a word is said", "told by pictures alone"),
    "villain": ("with a charming villain", "whose crook you root for", "with a likeable scoundrel"),
    "chapters": ("told in chapters", "made of several short stories", "in separate episodes"),
    "weather": ("with storms all through it", "in which it never stops raining", "with wild weather"),
}

GREETINGS = (
    "Hi, I need something to watch {occasion}.",
    "Hello, could you help me find a film {occasion}?",
    "Good evening, I'm out of ideas what to see {occasion}.",
    "Hey, what would you put on {occasion}?",
    "Good day, I'm looking for a film {occasion}.",
)
OCCASIONS = (
    "tonight", "for the weekend", "with my sister", "for a long flight", "while I'm down with a cold",
    "for our film club", "on a rainy afternoon", "with three flatmates", "for my father's birthday",
    "before the holidays are over", "with somebody I want to impress", "after a hard week",
)  # fmt: skip
QUESTIONS = (
    "Gladly, what do you usually like?",
    "Sure, tell me a little about your taste.",
    "Of course, what kind of thing are you after?",
    "With pleasure, what do you enjoy?",
    "Let's see, what draws you in?",
)
TASTES = (
    ("I'm fond of {genre}, best of all {setting}.", "Make it {mood}.", "I have a weakness for anything {quirk}."),
    ("Mostly I watch {genre}.", "I like it when they play {setting} and are {mood}.", "Ideally one {quirk}."),
    ("Give me {genre} and I'm happy.", "It should be {mood}, and {setting} is best.", "Best of all one {quirk}."),
    ("My favourites are {genre} set {setting}.", "The mood should be {mood}.", "And I love a film {quirk}."),
    ("I could watch {genre} all day.", "{setting} is where I like them to happen.", "Something {mood}, {quirk}."),
)  # fmt: skip
SUGGESTED = (
    'Have you seen "{title}" by {director}?',
    'How about "{title}"?',
    'Then perhaps "{title}", directed by {director}.',
    '"{title}" comes to mind.',
    'People often enjoy "{title}".',
)
REFUSED = (
    "I have, and I nearly fell asleep.",
    "That one left me cold.",
    "Not my thing at all, I'm afraid.",
    "I gave up on it after half an hour.",
    "My cousin hated it, and I trust my cousin.",
    "I know it, and no, thank you.",
)
OFFERED = (
    'Then you might try "{title}" by {director}.',
    'In that case, "{title}" could be right for you.',
    'Let me think, "{title}" has all of that.',
    'What about "{title}", by {director}?',
)
LIKED = (
    'I put on "{title}" at once and loved every minute.',
    'We watched "{title}", and it was just what I wanted.',
    'I saw "{title}" in the meantime, what a wonderful film.',
    '"{title}" turned out to be perfect for me.',
    'I can say now that "{title}" is one of my favourites.',
    'Thanks to you I found "{title}", and I adored it.',
)
ENDINGS = (
    "I'm glad to hear it.",
    "Wonderful, come back any time.",
    "That makes my day.",
    "Enjoy the next one too.",
    "Happy to help.",
)


def titles(rng: random.Random) -> Iterator[str]:
    """New titles, some tens of thousands of them; none is part of another."""
    seen: set[str] = set()
    while True:
        title = _title(rng)
        if title not in seen:
            seen.add(title)
            yield title


def _title(rng: random.Random) -> str:
    noun, other = rng.sample(_NOUNS, 2)
    return rng.choice(_TITLES).format(
        adjective=rng.choice(_ADJECTIVES).capitalize(),
        noun=noun.capitalize(),
        noun2=other.capitalize(),
        place=rng.choice(_PLACES),
        name=rng.choice(_NAMES),
    )


def director(rng: random.Random) -> str:
    """Somebody who made a film."""
    return f"{rng.choice(_FIRST)} {rng.choice(_LAST)}"
