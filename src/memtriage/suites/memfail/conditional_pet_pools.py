"""Conditions, behaviors and lives of pets; all conditions can be seen, heard or smelled from outside."""
# ruff: noqa: E501  (one sentence per line reads better than wrapped ones)

from __future__ import annotations

from memtriage.suites.memfail.conditional_pools import Cases, Clock, Family, Num, Pick

F = Family

FAMILIES: tuple[Family, ...] = (
    # time_of_day
    F(
        "time_of_day",
        Clock((5.5, 6, 6.5, 7), (-1, -0.75, -0.5), (0.75, 1.5, 2.5)),
        "[before {t}]",
        "The household rises early, and {his} owner is up and about [before {t}].||The kitchen light goes on [before {t}] in that house, and {he} is there to see it.",
        "in that early part of the morning",
        "It is [{v}]|{v} is before {t}",
        "It is [{v}]|{v} is past {t}",
        "a",
    ),
    F(
        "time_of_day",
        Clock((17, 17.5, 18, 18.5), (0.25, 0.5, 0.75), (-1.5, -1, 2, 2.5), span=1.5),
        "[between {t} and {u}]",
        "The children come home and the house fills with voices [between {t} and {u}].||The busiest part of the family's day lies [between {t} and {u}].",
        "in that early-evening window",
        "It is [{v}]|{v} falls between {t} and {u}",
        "It is [{v}]|{v} lies outside {t} to {u}",
        "a",
    ),
    F(
        "time_of_day",
        Clock((22, 22.5, 23), (0.5, 0.75, 1.5), (-1, -1.5, -3)),
        "[after {t}] at night",
        "{His} owner works late shifts, and the lamps stay on [after {t}].||The house is locked up [after {t}], and most of it goes dark.",
        "in those late hours",
        "It is [{v}]|{v} is after {t}",
        "It is [{v}]|{v} is still before {t}",
        "a",
    ),
    F(
        "time_of_day",
        Clock((12, 12.5, 13, 13.5), (0.25, 0.5, 0.75), (-1.5, -1, 2, 3), span=1),
        "[between {t} and {u}]",
        "{His} owner is home for a break [between {t} and {u}] on most days.",
        "during that midday break",
        "It is [{v}]|{v} falls between {t} and {u}",
        "It is [{v}]|{v} lies outside {t} to {u}",
        "a",
    ),
    # weather
    F(
        "weather",
        Pick(
            (
                "fog is drifting past the window",
                "snow is falling",
                "a light rain is falling",
                "thunder is rumbling",
                "a strong wind is blowing",
                "hail is coming down",
            )
        ),
        "when [{t}]",
        "The house stands on a hill, and there are whole days on which [{t}].||From {his} cushion {he} is often the first to notice that [{t}].",
        "in exactly that weather",
        "Outside, [{v}] and nothing more|{t}",
        "Outside, [{v}] and nothing more|the weather is different: {v}",
        "a",
    ),
    F(
        "weather",
        Num((25, 30, 35, 40), (5, 8, 12), (-12, -9, -7)),
        "when the wind blows [above {t} km/h]",
        "The garden is an exposed one, and the small weather station on the shed often reports wind [above {t} km/h].",
        "in the thick of those gusts",
        "The wind is blowing at [{v} km/h]|{v} km/h is above {t}",
        "The wind is blowing at [{v} km/h]|{v} km/h is not above {t}",
        "a",
    ),
    F(
        "weather",
        Num((3, 4, 5), (0, 1, 2), (-1,)),
        "when it has rained for [at least {tw} days running]",
        "It is a wet part of the country, and rain for [at least {tw} days running] keeps the whole family indoors.",
        "during those long wet spells",
        "It has been raining for [{vw} days running]|{vw} days is at least {tw}",
        "It has been raining for [{vw} days running]|{vw} days is fewer than {tw}",
        "a",
    ),
    F(
        "weather",
        Cases(
            (
                ("a cloudless sky", "completely cloudless", "scattered with clouds"),
                ("a fully overcast sky", "fully overcast", "clear from edge to edge"),
            )
        ),
        "under [{t}]",
        "The family eats out on the terrace a great deal, often under [{t}].",
        "beneath precisely such a sky",
        "The sky is [{v}]|the sky is {v}",
        "The sky is [{v}]|the sky is {v}",
        "a",
    ),
    # temperature
    F(
        "temperature",
        Num((3, 5, 7, 10), (-5, -3, -2), (3, 5, 8)),
        "when it is [below {t}°C] outside",
        "Winters are sharp on that side of the river, and the thermometer by the gate often reads [below {t}°C].||The family checks the porch thermometer before each outing, and it is often [below {t}°C].",
        "in that sharp cold",
        "It is [{v}°C outside]|{v}°C is below {t}°C",
        "It is [{v}°C outside]|{v}°C is not below {t}°C",
        "a",
    ),
    F(
        "temperature",
        Num((24, 26, 27, 28), (2, 3, 4), (-5, -4, -3)),
        "when the room is [warmer than {t}°C]",
        "The sunroom heats up quickly and is [warmer than {t}°C] on many afternoons.||The boiler in that house has a mind of its own and makes the living room [warmer than {t}°C].",
        "in that stuffy indoor heat",
        "The room is at [{v}°C]|{v}°C is warmer than {t}°C",
        "The room is at [{v}°C]|{v}°C is not warmer than {t}°C",
        "a",
    ),
    F(
        "temperature",
        Num((14, 16, 18, 20), (1, 2, 3), (-4, -3, 7, 8), span=5),
        "when the air is [between {t}°C and {u}°C]",
        "The climate there is gentle, with the air [between {t}°C and {u}°C] for weeks on end.",
        "in that narrow band of mildness",
        "The air is at [{v}°C]|{v}°C lies between {t}°C and {u}°C",
        "The air is at [{v}°C]|{v}°C is outside {t}°C to {u}°C",
        "a",
    ),
    F(
        "temperature",
        Num((16, 17, 18), (-4, -3, -2), (3, 4, 5)),
        "when the kitchen floor is [colder than {t}°C]",
        "The kitchen has stone tiles, and a floor sensor often shows them to be [colder than {t}°C].",
        "while those tiles are at their coldest",
        "The kitchen floor is at [{v}°C]|{v}°C is colder than {t}°C",
        "The kitchen floor is at [{v}°C]|{v}°C is not colder than {t}°C",
        "a",
    ),
    # location
    F(
        "location",
        Pick(("laundry room", "upstairs landing", "back porch", "garage", "study", "guest bedroom")),
        "in [the {t}]",
        "{He} has the run of the house and passes a good part of each day in [the {t}].||An old cushion has been put down for {him} in [the {t}].",
        "in that favorite spot",
        "{name} is in [the {v}]|{he} is in the {t}",
        "{name} is in [the {v}]|{he} is in the {v}, not the {t}",
        "a",
    ),
    F(
        "location",
        Pick(("the blue armchair", "the garden bench", "the bottom stair", "the old trunk", "the windowsill")),
        "beside [{t}]",
        "{He} has adopted [{t}] as {his} headquarters and has left hairs all around it.",
        "right beside that landmark",
        "{name} is beside [{v}]|{he} is beside {t}",
        "{name} is beside [{v}]|{he} is beside {v}, not {t}",
        "a",
    ),
    F(
        "location",
        Pick(
            (
                "the vet's waiting room",
                "the family car",
                "the grandparents' house",
                "the holiday cabin",
                "the corner bookshop",
            )
        ),
        "in [{t}]",
        "{His} owner takes {him} along everywhere, and {he} knows [{t}] as well as {his} own home.",
        "inside that second home",
        "{name} is in [{v}]|{he} is in {t}",
        "{name} is in [{v}]|{he} is in {v}, not {t}",
        "a",
    ),
    F(
        "location",
        Num((3, 4, 5), (-1, 0), (2, 3, 5)),
        "[within {t} metres of the front door]",
        "{His} bed has been moved over the years until it stood [within {t} metres of the front door].",
        "in that strip of hallway",
        "{name} is [{v} metres from the front door]|{v} is within {t} metres",
        "{name} is [{v} metres from the front door]|{v} is more than {t} metres",
        "a",
    ),
    # noise_level
    F(
        "noise_level",
        Pick(
            (
                "the vacuum cleaner",
                "the doorbell",
                "church bells",
                "the washing machine",
                "a passing train",
                "the neighbor's drill",
            )
        ),
        "while [{t}] can be heard",
        "It is not a quiet address, and [{t}] can be heard there almost every day.||Of all the sounds in the house, that of [{t}] reaches {him} most clearly.",
        "for as long as that sound is in the air",
        "The one thing to be heard is [{v}]|{t} can be heard",
        "The one thing to be heard is [{v}]|what can be heard is {v}, not {t}",
        "a",
    ),
    F(
        "noise_level",
        Num((65, 70, 75), (4, 7, 10), (-25, -20, -12)),
        "when the noise is [above {t} decibels]",
        "Three teenagers and a drum kit share the house, and noise [above {t} decibels] is part of life there.",
        "in the middle of that racket",
        "The noise level is at [{v} decibels]|{v} decibels is above {t}",
        "The noise level is at [{v} decibels]|{v} decibels is not above {t}",
        "a",
    ),
    F(
        "noise_level",
        Num((30, 35, 40), (-10, -8, -5), (12, 18, 25)),
        "when the house is [quieter than {t} decibels]",
        "{His} owner records birdsong for a living and keeps the rooms [quieter than {t} decibels] for hours.",
        "in that recorded hush",
        "The house is at [{v} decibels]|{v} decibels is quieter than {t}",
        "The house is at [{v} decibels]|{v} decibels is not quieter than {t}",
        "a",
    ),
    F(
        "noise_level",
        Num((3, 4, 5), (0, 1, 2), (-1,)),
        "when [at least {tw} people] are talking at once",
        "The family debates everything over dinner, with [at least {tw} people] talking at once.",
        "in the middle of that babble",
        "In the room, [{vw} people] are talking at once|{vw} people is at least {tw}",
        "In the room, [{vw} people] are talking at once|{vw} people is fewer than {tw}",
        "a",
    ),
    # lighting
    F(
        "lighting",
        Pick(("by candlelight", "by moonlight", "by firelight", "by the glow of the television", "in full daylight")),
        "[{t}]",
        "The family is fond of cozy evenings and odd hours, and {he} spends many of them with the room lit [{t}].",
        "in just that light",
        "The room is lit [{v}]|the room is lit {t}",
        "The room is lit [{v}]|the room is lit {v}, not {t}",
        "a",
    ),
    F(
        "lighting",
        Num((2, 3, 4), (0,), (1, 2, 3)),
        "when [exactly {tw} lamps] are on",
        "{His} owner is thrifty about electricity and sits with [exactly {tw} lamps] on most evenings.",
        "under that precise arrangement of lamps",
        "In the room, [{vw} lamps] are on|exactly {tw} lamps are on",
        "In the room, [{vw} lamps] are on|{vw} lamps are on, not exactly {tw}",
        "a",
    ),
    F(
        "lighting",
        Cases(
            (
                ("a patch of direct sunlight", "a patch of direct sunlight", "the shade"),
                ("deep shade", "deep shade", "a patch of direct sunlight"),
                ("total darkness", "total darkness", "a dimly lit corner"),
                ("the grey light before sunrise", "the grey light before sunrise", "the bright light of noon"),
            )
        ),
        "in [{t}]",
        "The rooms change with the hours, and {he} knows just where to find {himself} in [{t}].",
        "in that very light",
        "{name} is in [{v}]|{he} is in {v}",
        "{name} is in [{v}]|{he} is in {v}, not in {t}",
        "a",
    ),
    F(
        "lighting",
        Cases(
            (
                ("fully closed", "fully closed", "wide open"),
                ("half open", "half open", "fully closed"),
                ("wide open", "wide open", "fully closed"),
            )
        ),
        "with [the blinds {t}]",
        "The flat faces the street, and for much of the day {his} owner keeps [the blinds {t}].",
        "with the window set that way",
        "The room has [the blinds {v}]|the blinds are {v}",
        "The room has [the blinds {v}]|the blinds are {v}, not {t}",
        "a",
    ),
    # food_or_drink_present
    F(
        "food_or_drink_present",
        Pick(
            (
                "roast chicken",
                "a tin of sardines",
                "buttered toast",
                "a bowl of yogurt",
                "peanut butter",
                "a slice of ham",
            )
        ),
        "when there is [{t}] on the counter",
        "The cook of the family leaves things lying about, and there is [{t}] on the counter more often than is wise.||{His} nose knows the kitchen well, and [{t}] turns up on the counter several times a week.",
        "with that treat in sniffing range",
        "There is [{v}] on the counter|{t} is on the counter",
        "There is [{v}] on the counter|what is on the counter is {v}, not {t}",
        "a",
    ),
    F(
        "food_or_drink_present",
        Pick(("lamb stew", "chicken broth", "fish soup", "porridge", "rice pudding")),
        "while [{t}] is cooking on the stove",
        "A pot is on the stove most days in that house, and [{t}] is the standing favorite.",
        "for as long as that pot is on",
        "On the stove, [{v}] is cooking|it is {t}",
        "On the stove, [{v}] is cooking|it is {v}, not {t}",
        "a",
    ),
    F(
        "food_or_drink_present",
        Pick(("red", "yellow", "striped", "copper", "spotted")),
        "when [the {t} food bowl] is full",
        "{He} has a whole row of dishes by the door, and [the {t} food bowl] is the one filled by the youngest child.",
        "with that very dish full to the brim",
        "Right now, [the {v} food bowl] is full and the others are empty|the {t} food bowl is full",
        "Right now, [the {v} food bowl] is full and the others are empty|it is the {v} food bowl that is full, not the {t} one",
        "a",
    ),
    F(
        "food_or_drink_present",
        Num((3, 4, 5), (0, 1, 2), (-1,)),
        "when [at least {tw} biscuits] are left in the tin",
        "The treat tin is see-through, and after each shopping trip it holds [at least {tw} biscuits].",
        "while the tin is that well stocked",
        "In the tin, [{vw} biscuits] are left|{vw} is at least {tw}",
        "In the tin, [{vw} biscuits] are left|{vw} is fewer than {tw}",
        "a",
    ),
    # prior_activity
    F(
        "prior_activity",
        Pick(("a bath", "a nail trim", "a car ride", "a brushing session", "a visit to the vet", "a game of tug")),
        "right after [{t}]",
        "{His} week has its fixed points, and [{t}] is one that {he} puts up with bravely.||The calendar on the fridge has a paw print next to each date for [{t}].",
        "in the minutes right after that outing or ordeal",
        "{name} has just had [{v}]|{he} has just had {t}",
        "{name} has just had [{v}]|it was {v}, not {t}",
        "a",
    ),
    F(
        "prior_activity",
        Num((10, 15, 20, 25), (3, 5, 10), (-6, -5, -4)),
        "after [at least {t} minutes of fetch]",
        "The children never tire of throwing things, and [at least {t} minutes of fetch] are the rule in the garden.",
        "still panting from that game",
        "{name} has just had [{v} minutes of fetch]|{v} minutes is at least {t}",
        "{name} has just had [{v} minutes of fetch]|{v} minutes is less than {t}",
        "a",
    ),
    F(
        "prior_activity",
        Num((3, 4, 5), (1, 2), (-1,)),
        "after a nap of [more than {tw} hours]",
        "{He} is a champion sleeper, and a nap of [more than {tw} hours] is nothing out of the ordinary.",
        "fresh out of that deep sleep",
        "{name} has just woken from a nap of [{vw} hours]|{vw} hours is more than {tw}",
        "{name} has just woken from a nap of [{vw} hours]|{vw} hours is not more than {tw}",
        "a",
    ),
    F(
        "prior_activity",
        Pick(
            (
                "chasing a moth",
                "eating supper",
                "digging in the flower bed",
                "watching the mail carrier",
                "rolling on the lawn",
            )
        ),
        "right after [{t}]",
        "{His} days are full of small adventures, with [{t}] among the most regular of them.",
        "on the heels of that adventure",
        "{name} has just been [{v}]|{he} has just been {t}",
        "{name} has just been [{v}]|{he} has just been {v}, not {t}",
        "a",
    ),
    # company
    F(
        "company",
        Num((2, 3, 4), (0,), (1, 2, 3)),
        "when [exactly {tw} people] are in the room",
        "The family comes and goes, and for much of the evening there are [exactly {tw} people] in the room with {him}.",
        "before an audience of that precise size",
        "In the room with {name} there are [{vw} people]|there are exactly {tw} people",
        "In the room with {name} there are [{vw} people]|there are {vw} people, not {tw}",
        "a",
    ),
    F(
        "company",
        Pick(
            (
                "the grandfather",
                "the piano teacher",
                "the cousin from the city",
                "the next-door neighbor",
                "the dog sitter",
                "the youngest daughter",
            )
        ),
        "in the presence of [{t}]",
        "Visitors are frequent in that house, and [{t}] comes by more often than anyone.||Among all {his} people, [{t}] has a special claim on {his} attention.",
        "in that particular company",
        "The one person with {name} is [{v}]|{he} is with {t}",
        "The one person with {name} is [{v}]|{he} is with {v}, not {t}",
        "a",
    ),
    F(
        "company",
        Cases(
            (
                ("another cat", "another cat is", "no other animal is"),
                ("another dog", "another dog is", "no other animal is"),
                ("the tortoise", "the tortoise is", "the parrot is"),
                ("the parrot", "the parrot is", "the tortoise is"),
            )
        ),
        "when [{t}] is in the room",
        "The house is something of a small zoo, and [{t}] is often to be met in the same room.",
        "under the eyes of that fellow creature",
        "Right now [{v} in the room] with {name}|{v} there",
        "Right now [{v} in the room] with {name}|{v} there",
        "a",
    ),
    F(
        "company",
        Num((5, 6, 8), (-2, -1), (4, 6, 8)),
        "when [a child younger than {t}] is visiting",
        "The family has many friends with small children, and [a child younger than {t}] visits most weekends.",
        "with one of those small guests about",
        "A child [aged {v}] is visiting|{v} is younger than {t}",
        "A child [aged {v}] is visiting|{v} is not younger than {t}",
        "a",
    ),
)

# base third gerund | tail | tag, and what species it suits (dog, cat; both where nothing is said)
BEHAVIORS = """
carry carries carrying|a wooden spoon about by the handle|the spoon-carrying
hide hides hiding|one sock behind the radiator|the sock-hiding
spin spins spinning|three times to the left on {his} hind legs|the spinning
press presses pressing|{his} nose into an empty slipper|the slipper-sniffing
drag drags dragging|the bath mat halfway down the stairs|the mat-dragging
tap taps tapping|the mirror gently with one paw|the mirror-tapping
stack stacks stacking|{his} toys into a heap against the door|the toy-stacking
lie lies lying|flat on {his} back with all four paws in the air|the upside-down lying
bury buries burying|a rubber duck under the nearest cushion|the duck-burying
sneeze sneezes sneezing|twice at {his} own reflection|the mirror-sneezing
lick licks licking|the brass door handle until it shines|the handle-licking
walk walks walking|backwards through the doorway|the backwards walking
guard guards guarding|an empty cardboard box with bristling fur|the box-guarding
steal steals stealing|one glove from the hat stand|the glove theft
balance balances balancing|a tennis ball on {his} nose for a moment|the ball-balancing
chew chews chewing|the tassel of the green curtain|the tassel-chewing
howl howls howling|one long note at the ceiling fan|the fan-howling|dog
chirp chirps chirping|softly at the picture of a heron|the heron-chirping|cat
knead kneads kneading|the folded newspaper like dough|the paper-kneading|cat
bow bows bowing|low in front of the umbrella stand|the bowing
circle circles circling|the laundry basket clockwise|the basket-circling
offer offers offering|a stuffed hedgehog to the nearest pair of shoes|the hedgehog-offering
roll rolls rolling|a lemon across the floor with {his} nose|the lemon-rolling
wedge wedges wedging|{himself} between the two bookcases|the bookcase-wedging
shake shakes shaking|a knotted rope exactly four times|the rope-shaking
paw paws pawing|at the bottom drawer of the dresser|the drawer-pawing
sit sits sitting|upright like a meerkat on the footstool|the meerkat-sitting
collect collects collecting|clothes pegs in a neat row|the peg-collecting
nudge nudges nudging|the rocking horse until it sways|the horse-nudging
drape drapes draping|{himself} over the back of the sofa like a scarf|the sofa-draping
splash splashes splashing|one paw in {his} water dish|the paw-splashing
unroll unrolls unrolling|a ball of blue yarn to its end|the yarn-unrolling
tuck tucks tucking|a felt mouse under the rug|the mouse-tucking
bark barks barking|once, very politely, at the fern|the fern-barking|dog
hiss hisses hissing|at the striped beach towel|the towel-hissing|cat
touch touches touching|every chair leg with {his} nose in turn|the chair inspection
hop hops hopping|over the same invisible hurdle|the hurdle-hopping
crawl crawls crawling|commando-style under the coffee table|the table-crawling
parade parades parading|a feather duster from end to end of the hall|the duster parade
stare stares staring|at the keyhole without blinking|the keyhole-staring
pull pulls pulling|one tissue after another from the box|the tissue-pulling
rest rests resting|{his} chin on a stack of cookbooks|the chin-resting
knock knocks knocking|the chess king off the board|the king-toppling
sing sings singing|in a wobbly falsetto to the hat rack|the hat-rack serenade
pat pats patting|the goldfish calendar with a flat paw|the calendar-patting
wrap wraps wrapping|{himself} in the fringe of the tablecloth|the fringe-wrapping
fetch fetches fetching|a rolled-up map from the basket|the map-fetching
line lines lining|up pine cones along the skirting board|the cone-lining
flatten flattens flattening|{himself} like a pancake on the doormat|the pancake pose
chase chases chasing|{his} own tail in slow motion|the slow tail-chase
lean leans leaning|{his} full weight against the broom|the broom-leaning
kick kicks kicking|a ping-pong ball with {his} back legs|the ball-kicking
push pushes pushing|an apple under the armchair|the apple-pushing
salute salutes saluting|the grandfather clock with one raised paw|the clock salute
squeeze squeezes squeezing|into a hatbox two sizes too small|the hatbox-squeezing|cat
yawn yawns yawning|theatrically at the framed diploma|the diploma-yawning
dig digs digging|at the corner of the woolen blanket|the blanket-digging
present presents presenting|a chewed pencil with great ceremony|the pencil ceremony
groom grooms grooming|a plush rabbit from ears to feet|the rabbit-grooming
snore snores snoring|with {his} head inside a boot|the boot-snoring
ring rings ringing|the little brass bell on the gatepost string|the bell-ringing
tiptoe tiptoes tiptoeing|along the edge of the carpet|the carpet-edge walk
nibble nibbles nibbling|the spine of the telephone book|the book-nibbling
swap swaps swapping|{his} blanket for a bath towel|the blanket swap
butt butts butting|{his} forehead against the bread bin|the bread-bin butting
peer peers peering|through the handle of a teapot|the teapot-peering
toss tosses tossing|a wine cork over {his} shoulder|the cork-tossing
whine whines whining|in two notes at the wardrobe|the wardrobe song|dog
swat swats swatting|at the cord of the blind|the cord-swatting|cat
gather gathers gathering|all the left shoes into one corner|the shoe-gathering
lay lays laying|a squeaky carrot on the pillow|the carrot-laying
squint squints squinting|sideways at the barometer|the barometer squint
zigzag zigzags zigzagging|between the dining chairs at top speed|the chair slalom
stretch stretches stretching|out full length along the bookshelf|the shelf-stretching
thump thumps thumping|{his} tail in a slow waltz rhythm|the tail waltz
burrow burrows burrowing|headfirst into the mending basket|the basket-burrowing
sniff sniffs sniffing|the third button of every coat|the button inspection
escort escorts escorting|a toy tractor across the parquet|the tractor escort
perch perches perching|on the piano stool with folded paws|the stool-perching
trot trots trotting|in figure eights around two flowerpots|the figure-eight trot
lick licks licking|{his} left front paw exactly seven times|the paw count
scratch scratches scratching|a small circle into the coir mat|the circle-scratching
mutter mutters muttering|under {his} breath at the toaster|the toaster-muttering
hang hangs hanging|{his} head over the armrest like a bat|the bat pose
nose noses nosing|a marble along the baseboard|the marble-nosing
shred shreds shredding|one page of an old catalog|the catalog-shredding
hold holds holding|a dishcloth in {his} teeth like a flag|the flag-holding
pounce pounces pouncing|on the shadow of the coat hook|the shadow-pouncing
drum drums drumming|on a biscuit lid with both paws|the lid-drumming
sleep sleeps sleeping|curled around an old football|the football nap
climb climbs climbing|onto the tallest laundry pile|the pile-climbing
greet greets greeting|the coat stand like a long-lost friend|the coat-stand greeting
flip flips flipping|{his} food mat upside down|the mat-flipping
rub rubs rubbing|{his} cheek along the violin case|the case-rubbing
gnaw gnaws gnawing|on a single ice skate guard|the guard-gnawing
roll rolls rolling|{himself} up in the yoga mat|the mat-rolling
crouch crouches crouching|behind the watering can like a spy|the spy crouch
trail trails trailing|a ribbon behind {him} through the hall|the ribbon-trailing
tilt tilts tilting|{his} head at the wall map|the head-tilting
lift lifts lifting|the lid of the toy chest with {his} nose|the lid-lifting
wave waves waving|one paw at the ceiling lamp|the lamp-waving
box boxes boxing|with the dangling sleeve of a sweater|the sleeve-boxing
inspect inspects inspecting|the inside of every shopping bag|the bag inspection
rock rocks rocking|back and forth on the squashed beanbag|the beanbag-rocking
park parks parking|{himself} inside the empty suitcase|the suitcase-sitting
slide slides sliding|on {his} belly along the hall runner|the belly slide
whisk whisks whisking|the chess notes off the side table|the note-whisking
click clicks clicking|{his} teeth at the fly swatter|the teeth-clicking
arrange arranges arranging|three tennis balls in a triangle|the ball-arranging
trample tramples trampling|the sofa cushion in tidy circles|the cushion-trampling
snatch snatches snatching|a bookmark out of the nearest novel|the bookmark theft
croon croons crooning|to a pair of rubber boots|the boot-crooning
kiss kisses kissing|the porcelain frog on its head|the frog-kissing
sweep sweeps sweeping|the floor with {his} tail in wide arcs|the tail-sweeping
dance dances dancing|sideways around the mop bucket|the bucket dance
plant plants planting|both front paws on the globe|the globe-planting
blow blows blowing|bubbles with {his} nose in the water dish|the bubble-blowing|dog
twirl twirls twirling|a loose shoelace around one paw|the lace-twirling|cat
mount mounts mounting|guard over a single dropped button|the button-guarding
unlace unlaces unlacing|one hiking boot with {his} teeth|the boot-unlacing
freeze freezes freezing|like a statue with one paw raised|the statue pose
comb combs combing|the shaggy rug with {his} claws|the rug-combing
pluck plucks plucking|a string of the old ukulele|the string-plucking
tug tugs tugging|at the belt of the dressing gown|the belt-tugging
sprawl sprawls sprawling|across the unfinished jigsaw|the jigsaw-sprawling
peek peeks peeking|out from under the ironing board|the board-peeking
grumble grumbles grumbling|at the garden gnome on the shelf|the gnome-grumbling
lap laps lapping|at an empty saucer with real devotion|the saucer-lapping
shuffle shuffles shuffling|along with a slipper on one paw|the slipper shuffle
carry carries carrying|a potholder to the highest spot around|the potholder-carrying
wipe wipes wiping|{his} whiskers on the doily|the whisker-wiping
hug hugs hugging|the table leg with both front paws|the leg-hugging
juggle juggles juggling|a walnut shell between {his} paws|the shell-juggling
scoot scoots scooting|a shoebox along like a sled|the shoebox sledding
purr purrs purring|at full volume into a flowerpot|the pot-purring|cat
sigh sighs sighing|loudly into a woolen hat|the hat-sighing|dog
point points pointing|with one paw at the portrait of an admiral|the admiral-pointing
hoard hoards hoarding|bottle caps beneath the footstool|the cap-hoarding
nod nods nodding|solemnly at the teddy bear|the bear-nodding
patrol patrols patrolling|the bookshelf from A to Z|the shelf patrol
swirl swirls swirling|{his} tail in a bowl of buttons|the button-swirling
lick licks licking|the stamp on every envelope|the stamp-licking
snuggle snuggles snuggling|up to a hot-water bottle cover|the cover-snuggling
jump jumps jumping|through the rungs of the stepladder|the ladder-jumping
flick flicks flicking|the light pull with {his} tail|the pull-flicking
claim claims claiming|the accordion case as a throne|the case-claiming
bring brings bringing|a single chopstick to the doormat|the chopstick delivery
tangle tangles tangling|{himself} in the measuring tape|the tape-tangling
weigh weighs weighing|down the newspaper with {his} chin|the newspaper-weighing
thread threads threading|{himself} through the banister rails|the banister-threading
smell smells smelling|the atlas from the spine outwards|the atlas-smelling
mimic mimics mimicking|the squeak of the pantry hinge|the hinge-mimicking
"""

DOGS = "a brindle terrier|a retired greyhound|a stocky corgi|a shaggy sheepdog|a golden spaniel|a one-eared beagle|a wiry dachshund|a fluffy Samoyed|a lanky pointer|a short-legged mongrel|a curly-coated poodle mix|an elderly Labrador|a freckled setter|a young whippet|a barrel-chested bulldog|a silver schnauzer"
CATS = "a round-faced tabby|a long-haired black cat|a lean Siamese|a marmalade tomcat with torn ears|a three-legged calico|a smoky grey shorthair|a cross-eyed Birman|a tuxedo cat with white boots|a tiny tortoiseshell|a cream-colored Persian|a spotted Bengal|an old ginger mouser|a blue-eyed Ragdoll|a bobtailed barn cat|a silver Maine Coon|a rust-colored Somali"

OPENINGS = """
{name} is {breed} who lives with a family of {n} in {town}.
{name}, {breed}, came to {his} people from a shelter in {town}.
At the center of a noisy household in {town} lives {name}, {breed}.
{name} is {breed}, {n} years old and well known on {his} street in {town}.
Everyone on the lane in {town} knows {name}, {breed} with firm opinions.
{name} is {breed} owned by a retired {job} in {town}.
A {job} in {town} shares a flat with {name}, {breed}.
{name} arrived in {town} in a laundry basket and has grown into {breed}.
The {job}'s household in {town} revolves around {name}, {breed}.
"""

LIVES = """
looks: {His} coat turns a shade lighter at the tips in strong sun.|A white patch in the shape of {shape} marks {his} chest.|{He} has one ear that refuses to stand up and one that refuses to lie down.|{His} tail is slightly crooked from an accident with a {thing} years ago.|{He} wears a {color} collar with a tag in the shape of {shape}.|{His} whiskers are so long that visitors remark on them.|The vet calls {him} solid, which the family considers a compliment.|{He} sheds enough fur each week to stuff a small cushion.|{His} eyes are two different shades of amber.|There is a notch in {his} left ear that nobody can account for.|{He} weighs a little more than the chart at the clinic recommends.|A {color} bandana is {his} formal wear.
sleep: {He} sleeps in a wicker basket lined with an old {color} sweater.|{His} bed is a drawer that was taken out of a {thing} and never put back.|Nights are spent at the foot of the eldest child's bed.|{He} snores in a register that {his} owner compares to a distant {thing}.|A folded quilt by the stove is {his} official resting place.|{He} dreams vividly and paddles {his} feet in the process.|{His} favorite blanket has been patched {n} times.|{He} shares {his} cushion with a stuffed {animal}.
toy: {His} best-loved toy is a {color} rubber {animal} with one eye missing.|A knitted {animal} goes with {him} on every trip.|{He} has outlived {n} plush {animal}s so far.|The toy box holds a squeaking {animal}, a knotted rope and a {color} ball.|A faded {color} frisbee hangs on a nail as a souvenir of {his} youth.|{He} once buried a toy {animal} so well that it has never been found.
people: {He} follows the youngest boy, {man}, from room to room.|{His} owner's sister {woman} brushes {him} on Sundays.|A neighbor named {kid} slips {him} treats through the fence.|{He} greets the postwoman by name, or so {kid} claims.|The twins, {kid} and {kid2}, taught {him} to shake hands.|{Kid}, the oldest of the children, writes stories about {him} for school.|Old {kid} from next door calls {him} the mayor.|{His} best friend is a hen named {kid} two gardens away.
food: {He} eats at a low table made from a {thing}.|Breakfast for {him} is a scoop of kibble with warm water.|{He} is fussy about {his} dish and pushes away plastic ones.|Carrot tops are {his} secret weakness.|{He} was once caught with an entire loaf of rye bread.|{His} birthday cake is made of oats and {fish}.|{He} drinks from a {color} enamel mug.|The family buys {his} food in sacks from a shop in {town2}.
past: {He} was found as a youngster in a {place} and bottle-fed by a {job}.|{His} first owner was a {job} who moved abroad.|{He} spent {his} first winter in a {place} outside {town2}.|As a youngster {he} fell into a rain barrel and had to be fished out.|{He} came third in a village pet show in {town2}.|{His} mother belonged to a {job} in {town2}.|{He} traveled the whole way from {town2} in a hatbox.
nature: {He} is patient with toddlers and rude to pigeons.|Strangers get a long look and, in the end, a warm welcome.|{He} has never understood mirrors, stairs or revolving doors.|{His} temper is mild, and {his} dignity is considerable.|{He} is braver in {his} own opinion than in anyone else's.|Calm and a little vain, {he} makes an excellent listener.|{He} learns tricks quickly and forgets them just as fast.|Ducks fascinate {him}, and geese do not.|{He} regards the {thing} in the hall as a personal enemy.|Nothing about balloons has ever made sense to {him}.|{He} holds grudges for about {n} minutes.
place: {He} knows every hedge between the house and the {place}.|The garden has a path worn bare by {his} rounds.|{His} lead hangs on a {color} hook by the door.|A sign on the gate in {color} paint announces that {he} lives there.|There is a framed photograph of {him} in the {shop} on the corner.|The family's old car has a seat cover with {his} initials.|{His} medical file at the clinic in {town2} fills {n} folders.|A {color} rug by the fire carries a permanent imprint of {him}.
fame: {He} appeared once in the local paper beside a giant pumpkin.|The school in {town2} has {him} in its class photo.|{He} has {n} nicknames, most of them to do with food.|A painting of {him} by {kid} won a ribbon.|{His} name is scratched into the wet cement of the garage step.|The baker keeps a picture of {him} beside the till.|{He} lent {his} face to a calendar sold for the animal shelter.
closing: The family cannot picture the house without {him}.|{He} is due for a checkup next month and suspects nothing.|All in all, {he} is spoiled and worth it.|Somebody is knitting {him} a {color} coat.|{His} people have started a scrapbook with {n} pages so far.|The {job} across the road has offered to adopt {him} more than once.
"""

NAMES = "Biscuit Pepper Waffles Juniper Mochi Sprocket Clementine Bramble Tofu Marzipan Figaro Pickle Nutmeg Dumpling Ziggy Poppet Truffle Bandit Olive Crumpet Basil Pumpkin Domino Sesame Rollo Tansy Custard Noodle Bertie Plum Fennel Gizmo Hazel Buttons Pretzel Maple Otto Quill Saffron Tuppence Umber Velvet Wombat Yam Zephyr Acorn Bisque Cricket Dandelion Ember Fidget Ginger Hobnob Inky Jellybean Kipper Lentil Minnow Nimbus Orzo Pebble Quince Radish Sorrel Thimble Ursa Vesper Widget Yodel Zinnia Almond Bonbon Cashew Doodle Echo Fudge Gumbo Huckle Iggy Jasper Kiwi Lolly Muffin Nougat Opal Paprika Rascal Scout Taco Uno Vinnie Wasabi Yoyo Zorro Anchovy Bagel Cobbler Dill Eclair Falafel Gnocchi Hopscotch Indigo Jigsaw Kazoo Latte Marble Nacho Oreo Patches Ramen Smudge Turnip Vulcan Winkle Monty Percy Clover Dottie Fergus Gus Hattie Ivy Jonty Kit Lottie Mabel Ned Pippa Roscoe Sukie Tilly Wilbur Zelda Barnaby Cosmo Duchess Elmo Flora"
HONORS = "Captain|Lady|Professor|Sir|Miss|Colonel|Madame|Duke|Baroness|Doctor|Old|Little|Major|Princess|Admiral|Countess|Judge|Mister|Big|Señor|Sergeant|Young"
