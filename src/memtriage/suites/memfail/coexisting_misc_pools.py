"""Animals, collections and other interests: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "animals",
        nouns=(
            "animals",
            "creatures",
        ),
        frames=(
            "{Occ}, I love to watch {x}.",
            "I have a soft spot for {x}, above all {occ}.",
            "I could watch {x} for hours {occ}.",
            "{Occ}, I always hope to see {x}.",
            "I love {x} because {they} {pt}.",
            "{X} {is} the animals I like best: {they} {pt}.",
            "Of all creatures, I'm fondest of {x}, since {they} {pt}.",
            "Among all animals I have a weakness for {x}; {they} {pt}.",
        ),
        topics=("animals", "wildlife"),
        situations=(
            (
                "I'm planning a day at [a huge wildlife park|the zoo with my nephew|a sanctuary] "
                "and can't see everything"
            ),
            "A wildlife charity lets donors sponsor several creatures [this month|as a Christmas gift]",
            "An illustrator friend is painting a mural in [my study|the nursery] full of what I love",
            "I'm choosing a nature calendar, prints and mugs [for my desk|with a gift card]",
            "My kids are doing a school project on their dad's tastes [this week|for Friday]",
            "I'm booking trips to see creatures in the wild [over the next years|once I retire]",
        ),
        requests=(
            "which animals should [be included|I choose]?",
            "what creatures should I [see|look for]?",
            "which ones should [we|I] start with?",
            "what should be in the picture?",
            "which beasts would [delight me|suit me]?",
        ),
        own_frames_only=True,
        preferences=(
            Preference(
                "elephants",
                "p",
                (
                    "in nature films at midnight",
                    "at a watering hole on safari",
                ),
                ("move me with the way they grieve",),
            ),
            Preference(
                "octopuses",
                "p",
                (
                    "at the aquarium with my nose to the glass",
                    "when I need to be amazed",
                ),
                ("outsmart me every time",),
            ),
            Preference(
                "horses",
                "p",
                (
                    "on misty mornings at the stable",
                    "when I'm anxious",
                ),
                ("read my mood before I do",),
            ),
            Preference(
                "owls",
                "p",
                (
                    "on night walks",
                    "in the barn near my parents'",
                ),
                ("give me a shiver when they turn their heads",),
            ),
            Preference(
                "foxes",
                "p",
                (
                    "when one trots down my street",
                    "in the first snow",
                ),
                ("make me stop the car",),
            ),
            Preference(
                "penguins",
                "p",
                (
                    "in documentaries",
                    "with my daughter at the zoo",
                ),
                ("cheer me up just by walking",),
            ),
            Preference(
                "sea turtles",
                "p",
                (
                    "on diving trips",
                    "at hatching time",
                ),
                ("teach me to go slowly",),
            ),
            Preference(
                "wolves",
                "p",
                (
                    "when I camp up north",
                    "on still winter nights",
                ),
                ("raise the hair on my neck",),
            ),
            Preference(
                "hummingbirds",
                "p",
                (
                    "at my kitchen feeder",
                    "in late spring",
                ),
                ("stop my dishwashing cold",),
            ),
            Preference(
                "cats",
                "p",
                (
                    "on rainy Sundays",
                    "whenever I work from home",
                ),
                ("keep my lap warm and my ego small",),
            ),
            Preference(
                "dolphins",
                "p",
                (
                    "off the bow of a ferry",
                    "on sailing days",
                ),
                ("make me shout like a child",),
            ),
            Preference(
                "hedgehogs",
                "p",
                (
                    "in my garden at dusk",
                    "after the first frost",
                ),
                ("charm me with their snuffling",),
            ),
        ),
    ),
    Category(
        "dog breeds",
        nouns=(
            "dog breeds",
            "kinds of dogs",
        ),
        frames=(
            "{Occ}, the dog I'd like at my side is {x}.",
            "{X} {is} the dog I want {occ}.",
            "{X} {is} my idea of the perfect dog {occ}.",
            "I have a soft spot for {g}, most of all {occ}.",
            "I'd love to live with {x}, because {they} {pt}.",
            "{X} {is} my favorite kind of dog: {they} {pt}.",
            "I'd get {x} again tomorrow, since {they} {pt}.",
            "There's no pet like {x} for me; {they} {pt}.",
        ),
        topics=("dogs", "dog breeds"),
        situations=(
            ("I finally have a fenced yard and I'm visiting breeders and shelters [this spring|over the next weeks]"),
            "A dog-sitting app wants to know whom I'd gladly take [before my first booking|on weekends]",
            "I'm going to a big dog show [on Sunday|in Birmingham] and the rings all run at once",
            "My sister is knitting me cushions with portraits of pups [for my new couch|for Christmas]",
            "My husband agreed we can foster [through the winter|a few at a time]",
            "A photographer is putting together a calendar for me [as a gift|by November]",
        ),
        requests=(
            "which breeds should I [look at|choose]?",
            "what kind of dogs should I [go for|ask about]?",
            "which ones would [match me|suit my life]?",
            "what should I look for on four legs?",
            "which pups should I [meet|pick]?",
        ),
        own_frames_only=True,
        preferences=(
            Preference(
                "border collie",
                "s",
                (
                    "on long hill walks",
                    "when I want to be outsmarted",
                ),
                ("runs me ragged and still wants more",),
            ),
            Preference(
                "golden retriever",
                "s",
                (
                    "around small children",
                    "on beach days",
                ),
                ("greets me as if I'd been gone a year",),
            ),
            Preference(
                "dachshund",
                "s",
                (
                    "on the sofa under a blanket",
                    "in my little flat",
                ),
                ("makes me laugh with its stubbornness",),
            ),
            Preference(
                "greyhound",
                "s",
                (
                    "on lazy Sundays",
                    "in the quiet hours at home",
                ),
                ("sleeps all day beside my desk",),
            ),
            Preference(
                "German shepherd",
                "s",
                (
                    "when I'm home alone",
                    "on night walks",
                ),
                ("makes me feel safe",),
            ),
            Preference(
                "corgi",
                "s",
                (
                    "when I'm having a bad day",
                    "at the park on Saturdays",
                ),
                ("cracks me up with that wiggle",),
            ),
            Preference(
                "Newfoundland",
                "s",
                (
                    "near lakes",
                    "on winter evenings",
                ),
                ("drools on me and I don't care",),
            ),
            Preference(
                "beagle",
                "s",
                (
                    "on country lanes",
                    "when there's a cookie about",
                ),
                ("follows its nose and takes me along",),
            ),
            Preference(
                "poodle",
                "s",
                (
                    "with my allergic wife",
                    "when I want brains and curls",
                ),
                ("learns a trick before I've finished explaining",),
            ),
            Preference(
                "Shiba Inu",
                "s",
                (
                    "when I want cat manners on a leash",
                    "on proud city strolls",
                ),
                ("ignores me with style",),
            ),
            Preference(
                "husky",
                "s",
                (
                    "in deep snow",
                    "on sled weekends up north",
                ),
                ("sings to me at dawn",),
            ),
            Preference(
                "pug",
                "s",
                (
                    "in front of the TV",
                    "on visits to my aunt",
                ),
                ("snores louder than I do",),
            ),
        ),
    ),
    Category(
        "collectibles",
        nouns=(
            "collectibles",
            "finds",
        ),
        frames=(
            "{Occ}, my collector's eye looks for {x}.",
            "I hunt for {x} {occ}.",
            "{Occ}, I add to my collection of {x}.",
            "I love finding {x} for my collection {occ}.",
            "I collect {x} because {they} {pt}.",
            "{X} {is} the collectibles I treasure most: {they} {pt}.",
            "I have a whole collection of {x}, since {they} {pt}.",
            "I've been collecting {x} for years; {they} {pt}.",
        ),
        topics=("collectibles", "collecting"),
        situations=(
            "I'm going to the largest flea market in [Paris|the state|Europe] [on Sunday|for two days]",
            "I'm setting alerts on an auction site [tonight|before the big sale]",
            "My display cabinet arrives [next week|on Friday] and each shelf needs a theme",
            "My relatives never know what to buy me and asked for hints [before Christmas|for my birthday]",
            "I'm insuring my treasures and listing what I gather [by the end of the month|for the agent]",
            "An estate in my street is being cleared [on Saturday|this week] and I'm allowed in early",
        ),
        requests=(
            "which collectibles should I [look for|hunt]?",
            "what should I be keeping my eyes open for?",
            "what kinds of finds would [thrill me|suit me]?",
            "what should I bid on?",
            "what should be on [the list|the shelves]?",
        ),
        preferences=(
            Preference(
                "vintage postcards",
                "p",
                (
                    "in shoeboxes at flea markets",
                    "on trips to seaside towns",
                ),
                ("give me strangers' handwriting",),
            ),
            Preference(
                "vinyl records",
                "p",
                (
                    "in dusty basements",
                    "whenever I get paid",
                ),
                ("make me flip through crates for hours",),
            ),
            Preference(
                "stamps",
                "p",
                (
                    "on winter nights with tweezers",
                    "when letters come from abroad",
                ),
                ("taught me geography",),
            ),
            Preference(
                "enamel pins",
                "p",
                (
                    "at museum shops",
                    "at music festivals",
                ),
                ("mark where I've been",),
            ),
            Preference(
                "fountain pens",
                "p",
                (
                    "when I've finished a big project",
                    "at pen shows",
                ),
                ("make my handwriting behave",),
            ),
            Preference(
                "baseball cards",
                "p",
                (
                    "with my son on Sundays",
                    "in the spring",
                ),
                ("smell like bubble gum and summer to me",),
            ),
            Preference(
                "snow globes",
                "p",
                (
                    "in every city I visit",
                    "at airport shops",
                ),
                ("shake my memories awake",),
            ),
            Preference(
                "typewriters",
                "p",
                (
                    "when I find one that still clacks",
                    "in junk stores",
                ),
                ("make my shelves heavy and me happy",),
            ),
            Preference(
                "seashells",
                "p",
                (
                    "after high tide",
                    "on long beach walks",
                ),
                ("cost me nothing but time",),
            ),
            Preference(
                "movie posters",
                "p",
                (
                    "when a cinema closes down",
                    "when the stairwell looks bare",
                ),
                ("turn my hall into a lobby",),
            ),
            Preference(
                "action figures",
                "p",
                (
                    "at conventions",
                    "when I find the original box",
                ),
                ("bring back my Saturday mornings",),
            ),
            Preference(
                "antique maps",
                "p",
                (
                    "in dusty shops in old towns",
                    "when I plan journeys",
                ),
                ("let me see what people got wrong",),
            ),
        ),
    ),
    Category(
        "subscription box types",
        nouns=(
            "subscription boxes",
            "deliveries",
        ),
        frames=(
            "{Occ}, I like getting a monthly box of {x}.",
            "{X} {is} the subscription I enjoy {occ}.",
            "I love opening a box of {x} {occ}.",
            "{X} {is} what I want delivered {occ}.",
            "I subscribe to {x} because {they} {pt}.",
            "{X} {is} my favorite monthly delivery: {they} {pt}.",
            "I'm glad to find {x} in my mailbox, since {they} {pt}.",
            "Every month I wait for my {x}; {they} {pt}.",
        ),
        topics=("subscription boxes", "monthly deliveries"),
        situations=(
            (
                "My mailbox is boring and I've set aside [eighty dollars a month|a little money] "
                "for surprises [this year|from May]"
            ),
            "My family wants to give me something that arrives every few weeks [for a year|starting at Christmas]",
            "I'm winning loyalty points that can be traded for monthly parcels [until June|at my bank]",
            "I'm reviewing mail-order kits for [my blog|a consumer site] and may choose which to test",
            "I'm posted abroad [for a year|on a base] and my sister wants to sign me up for deliveries",
            "I'm comparing trial offers [this weekend|before they lapse] and can keep what I love",
        ),
        requests=(
            "which boxes should I [try|sign up for]?",
            "what should arrive at my door?",
            "what kinds of deliveries should I [pick|ask for]?",
            "what monthly surprises would [please me|suit me]?",
            "what should I subscribe to?",
        ),
        preferences=(
            Preference(
                "coffee samplers",
                "p",
                (
                    "when I'm bored of my usual beans",
                    "on the first of the month",
                ),
                ("introduce me to tiny roasters",),
            ),
            Preference(
                "mystery snacks",
                "p",
                (
                    "with my roommates around the table",
                    "on movie nights",
                ),
                ("make me eat things I can't pronounce",),
            ),
            Preference(
                "craft kits",
                "p",
                (
                    "on rainy weekends",
                    "when my hands itch",
                ),
                ("save me the trip to the store",),
            ),
            Preference(
                "fresh bouquets",
                "p",
                (
                    "on Fridays",
                    "in the gray season",
                ),
                ("make me tidy the table",),
            ),
            Preference(
                "surprise novels",
                "p",
                (
                    "when I can't choose for myself",
                    "at the start of winter",
                ),
                ("push me beyond my usual shelf",),
            ),
            Preference(
                "shaving supplies",
                "p",
                (
                    "when I've run out again",
                    "every other month",
                ),
                ("keep my chin from looking sad",),
            ),
            Preference(
                "beauty samples",
                "p",
                (
                    "before trips",
                    "when I'm tempted by full sizes",
                ),
                ("let me test before I splurge",),
            ),
            Preference(
                "plant cuttings",
                "p",
                (
                    "in spring",
                    "when there's a free spot on the sill",
                ),
                ("arrive wrapped like treasure to me",),
            ),
            Preference(
                "puzzle kits",
                "p",
                (
                    "on snowed-in Sundays",
                    "with the whole family bent over one code",
                ),
                ("keep us up past my bedtime",),
            ),
            Preference(
                "cheese selections",
                "p",
                (
                    "when guests are due",
                    "around the holidays",
                ),
                ("educate me one rind at a time",),
            ),
            Preference(
                "dog treats",
                "p",
                (
                    "when my spoiled terrier has been good",
                    "on his adoption day",
                ),
                ("make his tail hit my shins",),
            ),
            Preference(
                "novelty socks",
                "p",
                (
                    "when my drawer is full of holes",
                    "when I need a monthly laugh",
                ),
                ("put color on my ankles",),
            ),
        ),
    ),
    Category(
        "car types",
        nouns=(
            "kinds of cars",
            "vehicles",
        ),
        frames=(
            "{Occ}, I like to drive {x}.",
            "{X} {is} my car of choice {occ}.",
            "{Occ}, I'm happiest behind the wheel of {x}.",
            "{X} {is} what I like to drive {occ}.",
            "I like driving {x} because {they} {pt}.",
            "{X} {is} my favorite kind of car: {they} {pt}.",
            "Of all the cars on the road, I'd pick {x}, since {they} {pt}.",
            "I've always wanted {x} in the driveway; {they} {pt}.",
        ),
        topics=("cars", "driving"),
        situations=(
            ("I'm renting something different for each leg of [a tour of the West|our holidays] [this summer|in May]"),
            "I won a prize of five test-drive weekends [this spring|from a magazine]",
            "A car-sharing service lets me favorite vehicles [in its app|when I sign up]",
            "My lottery syndicate paid out and I'm daydreaming about the garage [I always wanted|tonight]",
            "My uncle is a dealer and lets me borrow from the lot [while mine is fixed|for the month]",
            (
                "We're planning what to drive [once the twins arrive|after moving to the hills] "
                "and may end up with more than one"
            ),
        ),
        requests=(
            "which cars should I [go for|choose]?",
            "what should I be driving?",
            "what kind of vehicles should I [book|look at]?",
            "which ones would [suit my life|put a smile on me]?",
            "what should be parked outside?",
        ),
        preferences=(
            Preference(
                "convertible",
                "s",
                (
                    "on coast roads in May",
                    "when the sun comes out for an hour",
                ),
                ("blows the office out of my hair",),
            ),
            Preference(
                "pickup truck",
                "s",
                (
                    "when there's lumber to haul",
                    "at my brother's farm",
                ),
                ("makes me popular on moving day",),
            ),
            Preference(
                "electric hatchback",
                "s",
                (
                    "for the daily commute",
                    "when parking is tight",
                ),
                ("costs me pennies per mile",),
            ),
            Preference(
                "station wagon",
                "s",
                (
                    "with two dogs and a canoe",
                    "on family trips",
                ),
                ("swallows everything I own",),
            ),
            Preference(
                "classic roadster",
                "s",
                (
                    "on Sunday mornings",
                    "at summer rallies",
                ),
                ("leaks oil and makes me happy",),
            ),
            Preference(
                "camper van",
                "s",
                (
                    "when I don't know where I'll sleep",
                    "for surf weekends",
                ),
                ("lets me wake up by the sea",),
            ),
            Preference(
                "minivan",
                "s",
                (
                    "on soccer Saturdays",
                    "with all the cousins aboard",
                ),
                ("embarrasses my teens and saves my back",),
            ),
            Preference(
                "sports coupe",
                "s",
                (
                    "on empty mountain passes",
                    "when I need to feel alive",
                ),
                ("glues me to the seat",),
            ),
            Preference(
                "off-road SUV",
                "s",
                (
                    "in mud season",
                    "on tracks to the trailhead",
                ),
                ("gets me where the map gives up",),
            ),
            Preference(
                "hybrid sedan",
                "s",
                (
                    "on long highway days",
                    "when fuel prices climb",
                ),
                ("lets me skip three gas stations",),
            ),
            Preference(
                "microcar",
                "s",
                (
                    "in old towns with tiny lanes",
                    "when I run errands",
                ),
                ("parks where I can barely stand",),
            ),
            Preference(
                "muscle car",
                "s",
                (
                    "on hot nights with the windows down",
                    "at the drag strip",
                ),
                ("makes my neighbors hate me a little",),
            ),
        ),
    ),
    Category(
        "home organization methods",
        nouns=(
            "organizing methods",
            "ways to fight clutter",
        ),
        frames=(
            "{Occ}, I declutter with {x}.",
            "{X} {is} how I stay organized {occ}.",
            "{Occ}, {x} {is} how I tidy up.",
            "{X} {is} my way of keeping order {occ}.",
            "I keep clutter down with {x}, because {they} {pt}.",
            "{X} {is} the best cure for clutter I know: {they} {pt}.",
            "For closets and cupboards I swear by {x}, since {they} {pt}.",
            "My house would be chaos without {x}; {they} {pt}.",
        ),
        topics=("home organization", "decluttering"),
        own_frames_only=True,
        situations=(
            "I've taken a week off to get the house in order [before the in-laws come|this spring]",
            "We're merging two households into [a small apartment|one bungalow] [in June|next month]",
            "A professional organizer asked how I like to work before [her first visit|Thursday]",
            (
                "I've cleared the garage, attic and closets onto the lawn [today|in one mad "
                "burst] and now I need a system"
            ),
            "My ADHD makes clutter build up and I'm setting the place up properly [this month|with a friend]",
            "I bought labels and bins [in the January sale|on impulse] and want to put them to use",
        ),
        requests=(
            "which methods should I [use|combine]?",
            "how should I organize the house?",
            "what systems should I [set up|follow]?",
            "what approach to tidying fits me?",
            "what should I put in place?",
        ),
        preferences=(
            Preference(
                "KonMari",
                "m",
                (
                    "with everything heaped on the bed",
                    "when my closet won't shut",
                ),
                ("makes me thank my socks",),
            ),
            Preference(
                "labeled bins",
                "p",
                (
                    "in the pantry",
                    "for the kids' toys",
                ),
                ("end the shouting in my house",),
            ),
            Preference(
                "one in, one out",
                "t",
                (
                    "when I come home with shoes",
                    "for books and mugs",
                ),
                ("keeps my shelves honest",),
                tail="rule",
            ),
            Preference(
                "color-coded closets",
                "p",
                (
                    "at the turn of each season",
                    "when I dress in the dark",
                ),
                ("please my eye every morning",),
            ),
            Preference(
                "vertical storage",
                "m",
                (
                    "in my tiny kitchen",
                    "when floor space runs out",
                ),
                ("uses the walls I forgot I had",),
            ),
            Preference(
                "capsule wardrobe",
                "s",
                (
                    "for work clothes",
                    "after a big purge",
                ),
                ("takes the panic out of my mornings",),
            ),
            Preference(
                "drop zones",
                "p",
                (
                    "by the front door",
                    "for keys, leashes and mail",
                ),
                ("catch the mess before I spread it",),
            ),
            Preference(
                "digital inventory",
                "s",
                (
                    "for the freezer and the attic",
                    "before I shop",
                ),
                ("stops me from buying a third stapler",),
            ),
            Preference(
                "Swedish death cleaning",
                "m",
                (
                    "on sober winter days",
                    "in small steps each spring",
                ),
                ("spares my children the job",),
            ),
            Preference(
                "daily reset",
                "s",
                (
                    "for ten minutes before bed",
                    "with a timer and music",
                ),
                ("lets me wake up to clear counters",),
            ),
            Preference(
                "zone cleaning",
                "m",
                (
                    "on busy weeks",
                    "when the whole place overwhelms me",
                ),
                ("keeps me from quitting halfway",),
            ),
            Preference(
                "packing party",
                "s",
                (
                    "when I can't tell what I use",
                    "with friends and pizza",
                ),
                ("shows me how little I need",),
            ),
        ),
    ),
    Category(
        "types of naps",
        nouns=(
            "kinds of naps",
            "daytime rests",
        ),
        frames=(
            "{Occ}, I take {x}.",
            "{X} {is} my kind of rest {occ}.",
            "{Occ}, I treat myself to {x}.",
            "{X} {is} just what I need {occ}.",
            "I like to take {x} because {they} {pt}.",
            "{X} {is} my favorite way to doze: {they} {pt}.",
            "When I'm short of sleep I take {x}, since {they} {pt}.",
            "Nothing restores me like {x}; {they} {pt}.",
        ),
        topics=("naps", "napping"),
        situations=(
            "I'm working nights [this month|until Easter] and planning how to rest by day",
            "Our new baby wakes us up every two hours and I need to catch sleep [however I can|this week]",
            "My company opened a quiet room [on our floor|for shift workers] and asks how people would use it",
            "I'm on vacation [in a hammock town|with no alarm] and intend to doze as much as possible",
            ("A sleep lab pays volunteers to rest in different ways [next week|on five afternoons] and I can choose"),
            "My training plan has me up at five [for the marathon|until June] and I want rest built in",
        ),
        requests=(
            "what kinds of naps should I [plan|take]?",
            "how should I be dozing?",
            "which daytime rests should I [schedule|sign up for]?",
            "what sort of snooze would [restore me|suit me]?",
            "how should I catch up on sleep?",
        ),
        preferences=(
            Preference(
                "power nap",
                "s",
                (
                    "in the car before a meeting",
                    "when I've got twenty minutes",
                ),
                ("brings me back sharper than coffee",),
            ),
            Preference(
                "coffee nap",
                "s",
                (
                    "before a long drive",
                    "at two in the afternoon",
                ),
                ("wakes me as the caffeine hits",),
            ),
            Preference(
                "siesta",
                "s",
                (
                    "in the worst of the heat",
                    "after a long lunch with wine",
                ),
                ("makes my evening twice as long",),
            ),
            Preference(
                "couch nap",
                "s",
                (
                    "on Sunday with the game on",
                    "when nobody needs me",
                ),
                ("comes over me without asking",),
            ),
            Preference(
                "hammock nap",
                "s",
                (
                    "between two trees in July",
                    "with a hat over my face",
                ),
                ("rocks me like a baby",),
            ),
            Preference(
                "train nap",
                "s",
                (
                    "on the ride home",
                    "with my head on the window",
                ),
                ("makes my stop come too soon",),
            ),
            Preference(
                "beach nap",
                "s",
                (
                    "after a swim",
                    "under an umbrella with a paperback",
                ),
                ("leaves me sandy and blissful",),
            ),
            Preference(
                "disco nap",
                "s",
                (
                    "before a big night out",
                    "around eight in the evening",
                ),
                ("keeps me dancing till three",),
            ),
            Preference(
                "full-cycle nap",
                "s",
                (
                    "after a night shift",
                    "with the curtains shut for ninety minutes",
                ),
                ("repairs me properly",),
            ),
            Preference(
                "cat nap",
                "s",
                (
                    "in the sunny armchair",
                    "while the bread rises",
                ),
                ("needs only ten minutes to fix my mood",),
            ),
            Preference(
                "office nap",
                "s",
                (
                    "under my desk with the door locked",
                    "during crunch time",
                ),
                ("saves my afternoon",),
            ),
            Preference(
                "snuggle nap",
                "s",
                (
                    "with my toddler on my chest",
                    "on rainy days",
                ),
                ("melts my heart and my schedule",),
            ),
        ),
    ),
    Category(
        "camping styles",
        nouns=(
            "kinds of camping",
            "nights in the wild",
        ),
        frames=(
            "{Occ}, I choose {x}.",
            "{X} {is} how I like to sleep outdoors {occ}.",
            "{X} {is} my kind of night in the wild {occ}.",
            "I pack my gear for {x} {occ}.",
            "When I sleep outdoors I choose {x}, because {they} {pt}.",
            "Of all the ways to sleep out, I like {x} best: {they} {pt}.",
            "I plan my trips around {x}, since {they} {pt}.",
            "Under the stars I'm happiest with {x}; {they} {pt}.",
        ),
        topics=("camping", "life under canvas"),
        situations=(
            ("I've got four long weekends outdoors planned [this summer|before school starts] and want to vary them"),
            "An outdoor store is renting gear at half price [in May|to members] and I'm choosing what I need",
            (
                "My new girlfriend has never slept outside and I want to show her how I like it "
                "[this season|step by step]"
            ),
            "Our scout troop lets parents propose trips [for the year|by Sunday]",
            "I'm touring the national parks [for a month|after I retire] and booking sites now",
            (
                "My brothers and I have a yearly tradition of nights under the sky and [it's my "
                "turn to plan|I'm in charge this time]"
            ),
        ),
        requests=(
            "what kinds of camping should I [plan|book]?",
            "how should [we|I] be sleeping out?",
            "which trips should be on [the list|the calendar]?",
            "what sort of setup should I get gear for?",
            "what styles of outdoor nights suit me?",
        ),
        preferences=(
            Preference(
                "glamping",
                "m",
                (
                    "on anniversaries",
                    "when I want stars and a mattress",
                ),
                ("lets me keep my back and my dignity",),
            ),
            Preference(
                "backcountry",
                "m",
                (
                    "when I need two days without a voice",
                    "far from any road",
                ),
                ("makes me carry my own life",),
                tail="camping",
            ),
            Preference(
                "car camping",
                "m",
                (
                    "with the kids and too much stuff",
                    "on short notice",
                ),
                ("forgives my overpacking",),
            ),
            Preference(
                "hammock camping",
                "m",
                (
                    "in dense woods",
                    "on hot nights with no bugs",
                ),
                ("swings me to sleep",),
            ),
            Preference(
                "RV camping",
                "m",
                (
                    "with my parents",
                    "on month-long loops",
                ),
                ("gives me a fridge in the desert",),
            ),
            Preference(
                "canoe camping",
                "m",
                (
                    "on chains of lakes",
                    "in early fall",
                ),
                ("takes me to islands nobody sleeps on",),
            ),
            Preference(
                "winter camping",
                "m",
                (
                    "when the snow squeaks",
                    "with a good stove and brave friends",
                ),
                ("makes me proud by morning",),
            ),
            Preference(
                "beach camping",
                "m",
                (
                    "in July above the tide line",
                    "when I want surf all night",
                ),
                ("fills my sleeping bag with sand",),
            ),
            Preference(
                "bikepacking",
                "m",
                (
                    "on gravel roads",
                    "over three-day weekends",
                ),
                ("keeps me light and tired",),
            ),
            Preference(
                "rooftop tent",
                "t",
                (
                    "when the ground is soaked",
                    "on desert tracks",
                ),
                ("sets up before I finish my beer",),
            ),
            Preference(
                "festival camping",
                "m",
                (
                    "with forty friends",
                    "when music goes on till four",
                ),
                ("robs me of sleep gladly",),
            ),
            Preference(
                "cowboy camping",
                "m",
                (
                    "on clear, dry nights",
                    "with only a mat and a blanket",
                ),
                ("puts nothing between me and the sky",),
            ),
        ),
    ),
    Category(
        "astrology interests",
        nouns=(
            "astrology topics",
            "cosmic subjects",
        ),
        frames=(
            "{Occ}, I read the stars through {x}.",
            "{Occ}, I turn to {x}.",
            "{X} {is} the part of astrology I turn to {occ}.",
            "I read up on {x} {occ}.",
            "In astrology I follow {x}, because {they} {pt}.",
            "I find {x} the most fascinating part of astrology, since {they} {pt}.",
            "{X} {is} what first drew me to astrology: {they} {pt}.",
            "Like any stargazer, I believe in {x}; {they} {pt}.",
            "My horoscope-loving side is drawn to {x}; {they} {pt}.",
        ),
        topics=("astrology", "the zodiac"),
        own_frames_only=True,
        situations=(
            "I'm turning thirty and treating myself to readings [all month|on a retreat]",
            ("An astrologer friend offered me sessions in exchange for [web design|babysitting] and asked for a focus"),
            "I'm making a yearly planner that follows the sky [for myself|before January]",
            "A bookstore has a whole esoteric corner on sale [this weekend|until Sunday]",
            "I'm hosting a cosmic evening for [my coven of coworkers|old friends] [at the solstice|on Friday]",
            "I'm taking an online course where students pick modules [this spring|by interest]",
        ),
        requests=(
            "which astrology topics should I [go into|pick]?",
            "what should I look at in the stars?",
            "what parts of astrology should [it cover|I explore]?",
            "which cosmic subjects would [grab me|suit me]?",
            "what should be on the program?",
        ),
        preferences=(
            Preference(
                "birth charts",
                "p",
                (
                    "when I meet someone new",
                    "on nights of self-doubt",
                ),
                ("explain my moods better than I can",),
            ),
            Preference(
                "moon phases",
                "p",
                (
                    "when I set intentions",
                    "with a candle at the window",
                ),
                ("give my month a shape",),
            ),
            Preference(
                "Mercury retrograde",
                "m",
                (
                    "when my phone dies and trains stop",
                    "three times a year",
                ),
                ("gives me something to blame",),
            ),
            Preference(
                "tarot",
                "m",
                (
                    "at a crossroads",
                    "with my cards on a silk cloth",
                ),
                ("asks me the questions I avoid",),
            ),
            Preference(
                "synastry",
                "m",
                (
                    "at the start of a romance",
                    "after a fight with my wife",
                ),
                ("tells me why we clash",),
            ),
            Preference(
                "Saturn returns",
                "p",
                (
                    "around big birthdays",
                    "when everything falls apart",
                ),
                ("reassure me that it's a phase",),
            ),
            Preference(
                "Chinese zodiac",
                "t",
                (
                    "at Lunar New Year",
                    "with my grandmother",
                ),
                ("makes me proud to be an ox",),
            ),
            Preference(
                "rising signs",
                "p",
                (
                    "when first impressions puzzle me",
                    "at parties",
                ),
                ("show me the mask I wear",),
            ),
            Preference(
                "numerology",
                "m",
                (
                    "when I choose dates",
                    "when I move to a new address",
                ),
                ("finds patterns I enjoy",),
            ),
            Preference(
                "Vedic astrology",
                "m",
                (
                    "on visits to my uncle in Pune",
                    "when I want a second opinion",
                ),
                ("moves my sun sign and my certainties",),
            ),
            Preference(
                "solar eclipses",
                "p",
                (
                    "when endings are in the air",
                    "when I want a fresh start",
                ),
                ("push me to make changes",),
            ),
            Preference(
                "crystals",
                "p",
                (
                    "before a sleepless night",
                    "when I'm nervous before travel",
                ),
                ("feel cool and calm in my palm",),
            ),
        ),
    ),
)
