"""Parts of made-up names. No name made of them is meant to exist."""

ONSETS = "b br c cr d dr f fl g gr h j k l m n p pr r s st t th tr v w y z".split()
VOWELS = "a e i o u a e i o u ai ea ie ou".split()
CODAS = "d l m n nd r rn s st t k v".split()

FIRST_ENDINGS = "a an e el en i ia in is o on or us wen yn".split()
LAST_ENDINGS = (
    "ard ber by dale ek ell en er ford gren holt ick inger ling man mar ney ov ski stone ton wick wood".split()
)
CITY_ENDINGS = "burg by dale ford grad ham haven holm minster mouth port stad ton vale ville wick".split()
COUNTRY_ENDINGS = "ania ar ava esia eth ia inia istan land mark ora oria ovia stan ura".split()

COMPANY_KINDS = (
    "Works Foundry Motors Systems Instruments Shipyards Optics Mills Airlines Press Laboratories Films".split()
)
CLUB_KINDS = "Rovers United Wanderers Rangers Athletic Harriers Albion Borough".split()
ORDER_ENDINGS = "ism ite-faith ologism anism".split()
SPORT_ENDINGS = "ball polo ling racket hurl bat skate fist".split()
BOOK_FRAMES = (
    "The {0} of {1}",
    "{0} and the {1}",
    "A Winter in {1}",
    "The Last {0} of {1}",
    "Letters from {1}",
    "The {0} Who Forgot {1}",
    "Seven Nights in {1}",
    "{1} Revisited",
)
BOOK_NOUNS = (
    "Lantern Orchard Compass Glazier Ferryman Beekeeper Harbour Almanac Clockmaker Cartographer Stairwell Meridian "
    "Loom Salt Feather Quarry Viaduct Aviary Cellar Mirror Bellringer Weir Cinder Tollgate Pilgrim Sundial "
    "Threshold Juniper"
).split()
CONTINENTS = "Aldemar Borrea Cyndria Halvane Orestia Tharsund Umbrae Velasca".split()
POSITIONS = "anchor sweeper lancer spotter flyhand keystone rearguard pivot".split()
FIELDS = (
    "glaziery cartography apiculture metallurgy lexicography hydrology puppetry horology mycology cryptography".split()
)
GENRES = "drift-step lanternfolk brassgaze tidewave slowreel hearthbeat".split()
