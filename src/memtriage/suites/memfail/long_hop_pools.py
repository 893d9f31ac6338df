"""Names, moods and stems for Long-Hop chains."""

from __future__ import annotations

# First names that stand alone, with the pronoun that goes with them.
SHE_NAMES = (
    "Adaeze Alma Amina Anneli Astrid Beatriz Bianca Bronwen Camille Carmen Chiara Cordelia Dalia Daphne Delphine "
    "Dorota Edith Eleni Eloise Esperanza Estelle Farida Fatima Fiona Freya Gemma Giulia Greta Gwen Harriet Hedda "
    "Ingrid Ines Irina Isla Ivana Jasmine Joanna Josefina Juno Katya Kavita Lakshmi Lena Lindiwe Livia Lucia Mabel "
    "Magda Marisol Matilda Meera Mina Miriam Nadia Naomi Nilufar Noor Odette Olga Ottilie Paloma Petra Philippa "
    "Ramona Renata Rosalind Rosa Ruth Saanvi Salma Selma Shirin Simone Siobhan Soraya Sunniva Tamar Tatiana Thandi "
    "Tilda Ursula Valentina Vera Viola Wanda Winifred Xiomara Yasmin Yolanda Zainab Zofia"
).split()
HE_NAMES = (
    "Abdul Adrian Alejandro Anders Andrei Anton Arjun Arturo Axel Bashir Bastian Benedikt Bjorn Bruno Callum Cedric "
    "Chidi Conrad Cyrus Damian Declan Dimitri Dominik Eamon Eduardo Elias Emeka Emil Enzo Esteban Farhan Fergus "
    "Fernando Florian Gareth Gideon Giovanni Gustav Hamza Hector Henrik Hugo Ibrahim Idris Ignacio Isaac Ivo Jasper "
    "Javier Joaquin Kareem Kasper Klaus Kofi Kwame Laszlo Leandro Leopold Lorenzo Luca Magnus Malik Mateo Matthias "
    "Mikhail Milan Mohan Murray Nabil Nico Niels Oskar Otis Pablo Pascal Pavel Quentin Rafael Rajesh Raymond Rohan "
    "Rupert Samir Santiago Sergei Silvio Stellan Sven Tariq Thaddeus Tobias Umberto Viktor Vincent Walter Xavier "
    "Yannick Yusuf Zoltan"
).split()

# First names that only come with a surname, so that nobody shares a bare name with somebody else.
SHE_FIRST = (
    "Abigail Alice Amelie Anna Audrey Barbara Bella Carla Cecilia Charlotte Claudia Diana Eleanor Eliza Emma Esme "
    "Frances Gloria Grace Hannah Helena Iris Jane Judith Julia Karin Laura Lillian Louise Lydia Margaret Maria "
    "Martha Mary Monica Nell Nicola Nina Olive Pauline Phoebe Rachel Rebecca Sabine Sarah Sylvia Teresa Tessa Vivian "
    "Yvonne"
).split()
HE_FIRST = (
    "Aaron Adam Albert Alfred Arthur August Barnaby Carl Charles Clement Colin Daniel David Dennis Edmund Edward "
    "Edgar Francis Frank Gabriel George Graham Gregory Harold Harvey Henry Howard Jacob James Jerome Joel Joseph "
    "Julian Kenneth Lawrence Leon Lewis Martin Maurice Nathan Neil Oliver Patrick Paul Peter Philip Robert Roland "
    "Simon Stephen"
).split()
SURNAMES = (
    "Abara Achterberg Adeyemi Aguilar Alden Almeida Andrade Ashworth Ayala Baptiste Barros Becker Bellamy Benali "
    "Berglund Bianchi Blackwood Borges Brandt Bukowski Calloway Cardoso Castellano Chandra Cho Clarke Conti Corrigan "
    "Dahl Darwish Delgado Dubois Dvorak Eriksen Espinoza Fairchild Farrell Ferreira Fischer Fontaine Forsyth Fujita "
    "Galloway Ganguly Garnier Georgiou Gill Greenwood Grimaldi Guerrero Haas Hajduk Halloran Hansen Hartley Hashimoto "
    "Haugen Herrera Hoang Holloway Horvat Ibsen Igwe Ishikawa Ito Jablonski Jansen Jimenez Kamau Kapoor Karlsson "
    "Kasprzak Keating Khalil Kimura Koch Kovacs Kowalski Lachance Larsen Lindqvist Llewellyn Lombardi Lopes Maalouf "
    "Macready Mancini Marchetti Markovic Mbeki Medina Mendoza Mertens Molnar Moreau Moretti Mwangi Nakamura Navarro "
    "Ndiaye Nowak Obando Oduya Okonkwo Olsen Orlov Ortega Osei Pacheco Papadakis Pereira Petrenko Pham Pinto Popescu "
    "Quiroga Ramirez Rasmussen Reyes Ricci Romano Rossi Rutherford Saito Salazar Santoro Schneider Sedlak Serrano "
    "Sinclair Soares Sorensen Stavros Suarez Szabo Takeda Tanner Thorne Toivonen Tran Usman Valdez Vandenberg Vasquez "
    "Verma Vogel Wakefield Weiss Whitlock Wójcik Yamada Yeo Zamora Zielinski"
).split()


# Moods by cluster; moods of one cluster are too close to stand beside each other in one question.
MOODS: dict[str, tuple[str, ...]] = {
    "bright": ("cheerful", "upbeat", "giddy", "playful", "lighthearted", "chipper", "jolly", "silly", "bubbly"),
    "calm": ("calm", "peaceful", "serene", "settled", "unhurried", "mellow", "relaxed", "grounded", "soothed"),
    "driven": ("motivated", "focused", "determined", "productive", "ambitious", "energetic", "decisive", "efficient"),
    "warm": ("affectionate", "grateful", "generous", "tender", "sociable", "talkative", "forgiving", "sympathetic"),
    "wistful": ("nostalgic", "wistful", "homesick", "sentimental", "reflective", "pensive", "dreamy", "contemplative"),
    "curious": ("curious", "adventurous", "inspired", "imaginative", "inventive", "daring", "spontaneous"),
    "proud": ("proud", "accomplished", "confident", "capable", "brave", "triumphant", "optimistic"),
    "restless": ("restless", "fidgety", "antsy", "jittery", "impatient", "keyed up", "twitchy"),
    "low": ("gloomy", "lonely", "discouraged", "deflated", "mopey", "downhearted", "forlorn"),
    "tense": ("anxious", "overwhelmed", "frazzled", "stressed", "uneasy", "flustered", "panicky"),
    "cross": ("grumpy", "irritable", "cranky", "prickly", "resentful", "grouchy", "short-tempered"),
    "tired": ("drowsy", "sluggish", "worn out", "sleepy", "lazy", "drained", "weary"),
    "shy": ("self-conscious", "shy", "awkward", "bashful", "tongue-tied", "timid"),
}

# The moods one can be "in", as in "a reflective mood".
MOODS_TO_BE_IN: dict[str, tuple[str, ...]] = {
    "bright": ("cheerful", "upbeat", "giddy", "playful", "lighthearted", "silly", "jolly"),
    "calm": ("calm", "peaceful", "serene", "mellow", "relaxed", "unhurried"),
    "driven": ("determined", "ambitious", "energetic", "decisive"),
    "warm": ("affectionate", "generous", "tender", "sociable", "talkative", "forgiving"),
    "wistful": ("nostalgic", "wistful", "sentimental", "reflective", "pensive", "dreamy", "contemplative"),
    "curious": ("curious", "adventurous", "imaginative", "inventive", "daring", "spontaneous"),
    "proud": ("confident", "triumphant", "optimistic"),
    "restless": ("restless", "fidgety", "impatient", "jittery"),
    "low": ("gloomy", "mopey", "forlorn", "downhearted"),
    "tense": ("anxious", "uneasy", "frazzled"),
    "cross": ("grumpy", "irritable", "cranky", "prickly", "grouchy"),
    "tired": ("drowsy", "sluggish", "sleepy", "lazy"),
    "shy": ("shy", "bashful", "timid"),
}

# Fields of life in which a mood of the cluster would be the obvious guess.
MOOD_FIELDS: dict[str, str] = {
    "bright": "social pets games",
    "calm": "rest drinks home",
    "driven": "work study admin",
    "warm": "calls social pets",
    "wistful": "memories weather",
    "curious": "trips reading study travel",
    "proud": "exercise repair work",
    "restless": "drinks trips",
    "low": "weather",
    "tense": "work admin places",
    "cross": "work places",
    "tired": "exercise work rest routine screen",
    "shy": "social places",
}

DEGREES: dict[str, tuple[str, ...]] = {
    "good": (
        "quietly",
        "unusually",
        "wonderfully",
        "suddenly",
        "surprisingly",
        "a little",
        "deeply",
        "truly",
        "extra",
        "newly",
        "so very",
        "freshly",
        "pleasantly",
        "blissfully",
        "all the more",
        "more than usually",
    ),
    "bad": (
        "oddly",
        "a bit",
        "strangely",
        "unusually",
        "terribly",
        "suddenly",
        "vaguely",
        "rather",
        "faintly",
        "slightly",
        "ever so",
        "unreasonably",
        "painfully",
        "awfully",
        "a touch",
        "more than usually",
    ),
}
BAD_CLUSTERS = frozenset({"restless", "low", "tense", "cross", "tired", "shy"})

# Occasions that fit almost anything one does, likes or dreads.
OCCASIONS = (
    "on Sundays",
    "on weekdays",
    "in spring",
    "in late summer",
    "in December",
    "on holidays",
    "on {my} days off",
    "every other Friday",
    "around payday",
    "at the start of the month",
    "during school breaks",
)

# What a mood can be about, for the adjectives that take it.
ABOUT: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "wistful": (
        ("nostalgic about", "wistful about", "sentimental about", "pensive about"),
        (
            "childhood summers",
            "{my} school days",
            "{my} first apartment",
            "lost friendships",
            "{my} hometown",
            "past holidays",
            "{my} student years",
            "{my} first job",
        ),
    ),
    "curious": (
        ("curious about", "inspired by", "imaginative about"),
        ("distant cities", "strangers' lives", "{my} family tree", "other careers", "old inventions", "deep space"),
    ),
    "proud": (
        ("proud of", "confident about", "optimistic about"),
        ("small wins", "{my} progress", "the year ahead", "{my} choices", "{my} new habits", "{my} team"),
    ),
    "tense": (
        ("anxious about", "stressed about", "uneasy about", "overwhelmed by"),
        ("{my} future", "the coming week", "small mistakes", "unread messages", "growing older", "family news"),
    ),
    "warm": (
        ("grateful for", "sympathetic toward", "generous toward"),
        ("{my} old teachers", "total strangers", "{my} whole family", "{my} neighbors", "{my} younger self"),
    ),
    "cross": (
        ("grumpy about", "irritable about", "resentful about"),
        ("tiny delays", "{my} roommate's habits", "unfair rules", "loud neighbors", "broken promises"),
    ),
}

MOOD_NOUNS = ("mood", "frame of mind", "state of mind", "headspace")
