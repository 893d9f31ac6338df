"""Personal style and places: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "fashion styles",
        nouns=(
            "fashion styles",
            "looks",
        ),
        frames=(
            "{Occ}, I wear {x}.",
            "{X} {is} what I put on {occ}.",
            "{X} {is} my look of choice {occ}.",
            "{Occ}, I dress in {x}.",
            "My wardrobe is full of {x} because {they} {pt}.",
            "I feel most like myself in {x}: {they} {pt}.",
            "{X} {is} my favorite look, since {they} {pt}.",
            "When I go shopping I look for {x}; {they} {pt}.",
        ),
        topics=("fashion", "clothes"),
        situations=(
            "I'm rebuilding my closet after [losing thirty pounds|a flood in the basement|years of uniforms]",
            "A stylist is pulling looks for me [next Wednesday|ahead of a photo shoot]",
            (
                "My best friend and I are going thrifting [on Saturday|in Paris] and she wants "
                "to know what to look out for"
            ),
            "I'm setting up a clothing rental account [for the season|for my new job] that asks for my taste",
            "I'm creating a mood board of outfits for [the coming autumn|a year abroad]",
            "My sister sews and promised me a capsule wardrobe [for my birthday|by summer]",
        ),
        requests=(
            "which fashion styles should [it include|I go for]?",
            "what looks should I [gather|try on]?",
            "how should I be dressing?",
            "what kind of clothes should I [look for|collect]?",
            "which aesthetics should [we|I] aim at?",
        ),
        preferences=(
            Preference(
                "minimalist",
                "p",
                (
                    "on workdays when I can't think",
                    "when I want everything to match",
                ),
                ("free my mornings from decisions",),
                tail="clothes",
            ),
            Preference(
                "bohemian",
                "p",
                (
                    "at music festivals",
                    "in the heat of summer",
                ),
                ("let me float around in long skirts",),
                tail="clothes",
            ),
            Preference(
                "streetwear",
                "m",
                (
                    "on weekends downtown",
                    "when a sneaker drop is coming",
                ),
                ("feels like my second skin",),
            ),
            Preference(
                "preppy",
                "p",
                (
                    "at regattas and garden parties",
                    "when I visit my old college",
                ),
                ("bring out the polite side of me",),
                tail="clothes",
            ),
            Preference(
                "vintage",
                "p",
                (
                    "when I've been digging in flea markets",
                    "on nights at the swing club",
                ),
                ("make me feel like I have a past life",),
                tail="clothes",
            ),
            Preference(
                "gothic",
                "p",
                (
                    "in the darker months",
                    "at concerts in small clubs",
                ),
                ("let me hide and stand out at once",),
                tail="clothes",
            ),
            Preference(
                "athleisure",
                "m",
                (
                    "on travel days",
                    "when errands and the gym blur together",
                ),
                ("keeps me comfy from dawn to dusk",),
            ),
            Preference(
                "business casual",
                "m",
                (
                    "for client lunches",
                    "when the office dress code is vague",
                ),
                ("makes me look as if I tried",),
            ),
            Preference(
                "cottagecore",
                "m",
                (
                    "at the farmers' market",
                    "when I bake bread in spring",
                ),
                ("satisfies my daydreams of a farmhouse",),
            ),
            Preference(
                "punk",
                "p",
                (
                    "when I feel rebellious",
                    "at protests and gigs",
                ),
                ("remind me of who I was at seventeen",),
                tail="clothes",
            ),
            Preference(
                "avant-garde",
                "p",
                (
                    "for gallery openings",
                    "when I want to start a conversation",
                ),
                ("treat my body like a sculpture",),
                tail="clothes",
            ),
            Preference(
                "Western",
                "p",
                (
                    "at rodeos with my cousins",
                    "when my boots want out",
                ),
                ("give me a bit of a swagger",),
                tail="clothes",
            ),
        ),
    ),
    Category(
        "home decor styles",
        nouns=(
            "decor styles",
            "interiors",
        ),
        frames=(
            "{Occ}, I go for {x}.",
            "{X} {is} the style I want {occ}.",
            "{X} {is} my favorite look {occ}.",
            "{Occ}, I lean toward {x}.",
            "{X} {is} my favorite style for a home, because {they} {pt}.",
            "I feel at home with {x}: {they} {pt}.",
            "For my own rooms I choose {x}, since {they} {pt}.",
            "I've done up my place with {x}; {they} {pt}.",
        ),
        topics=("home decor", "interior design"),
        situations=(
            ("I just got the keys to [an empty loft|a small cottage|my first apartment] and there isn't a chair in it"),
            "An interior designer is drawing up rooms for me [by Thursday|this month]",
            "I'm redoing the bedroom, hall and study [over the summer|one weekend at a time]",
            "My parents are giving me furniture money [for my wedding|as a graduation gift]",
            "I'm combing through auctions and catalogs for [the guest house|my studio] [tonight|this week]",
            "A home magazine wants to stage my place [for a shoot|in the spring] so that it looks like me",
        ),
        requests=(
            "which decor styles should I [blend|bring in]?",
            "what look should the rooms have?",
            "what kind of furnishings should I [look at|choose]?",
            "how should I be decorating?",
            "which aesthetics should guide [it|me]?",
        ),
        preferences=(
            Preference(
                "Scandinavian",
                "m",
                (
                    "in rooms that get little sun",
                    "when I want pale wood and wool",
                ),
                ("makes my mornings feel calm",),
                tail="decor",
            ),
            Preference(
                "mid-century modern",
                "m",
                (
                    "when I find teak at an estate sale",
                    "in my own living room",
                ),
                ("suits my love of tapered legs",),
                tail="decor",
            ),
            Preference(
                "industrial",
                "m",
                (
                    "in old brick spaces",
                    "when exposed pipes can't be hidden anyway",
                ),
                ("gives my kitchen some grit",),
                tail="decor",
            ),
            Preference(
                "farmhouse",
                "m",
                (
                    "around a big scrubbed table",
                    "when family fills the place",
                ),
                ("makes my guests put their elbows down",),
                tail="decor",
            ),
            Preference(
                "maximalist",
                "m",
                (
                    "when I've come home from a market with too much",
                    "in the powder room",
                ),
                ("lets me hang every picture I own",),
                tail="decor",
            ),
            Preference(
                "Japandi",
                "m",
                (
                    "when my head is cluttered",
                    "for the place where I sleep",
                ),
                ("soothes me with low, quiet shapes",),
                tail="decor",
            ),
            Preference(
                "art deco",
                "m",
                (
                    "for the bar corner",
                    "when I feel like brass and velvet",
                ),
                ("adds glamour to my evenings",),
                tail="furniture",
            ),
            Preference(
                "coastal",
                "m",
                (
                    "in rooms with white curtains",
                    "when I miss the shore",
                ),
                ("lets me smell salt that isn't there",),
                tail="decor",
            ),
            Preference(
                "rustic",
                "m",
                (
                    "up at the cabin",
                    "near the wood stove",
                ),
                ("hides every scratch my dogs make",),
                tail="decor",
            ),
            Preference(
                "Victorian",
                "m",
                (
                    "in the library with a tiled fireplace",
                    "when I find carved chairs",
                ),
                ("indulges my weakness for tassels",),
                tail="decor",
            ),
            Preference(
                "Mediterranean",
                "m",
                (
                    "on the terrace and in the bath",
                    "when I bring tiles back from trips",
                ),
                ("warms me up in February",),
                tail="decor",
            ),
            Preference(
                "shabby chic",
                "m",
                (
                    "when I've got chalk paint and an afternoon",
                    "in the guest room",
                ),
                ("forgives my crooked brushwork",),
                tail="decor",
            ),
        ),
    ),
    Category(
        "makeup styles",
        nouns=(
            "makeup looks",
            "beauty looks",
        ),
        frames=(
            "{Occ}, I go for {x} when I do my makeup.",
            "{X} {is} my makeup of choice {occ}.",
            "{X} {is} the beauty look I go for {occ}.",
            "{Occ}, my brushes come out for {x}.",
            "With lipstick and brushes at hand I choose {x}, because {they} {pt}.",
            "When I do my face I aim for {x}: {they} {pt}.",
            "In front of the mirror I keep coming back to {x}, since {they} {pt}.",
            "With my makeup bag open, I usually do {x}; {they} {pt}.",
            "{X} {is} what I do at the mirror {occ}.",
        ),
        topics=("makeup", "beauty looks"),
        situations=(
            "I've booked a makeup artist to teach me [for a whole afternoon|before my wedding season]",
            (
                "I'm packing one small cosmetics pouch for [fashion week|ten days of mixed "
                "plans|a work trip with two galas]"
            ),
            "My old products expired and I'm restocking [from zero|in the spring sale]",
            "My cousin is a beauty student and needs a model [five evenings in a row|for her portfolio]",
            "I have a calendar full of [parties, meetings and dates|family events] [this month|in December]",
            "A beauty counter offers a free consultation [on Friday|with every purchase] and asks what I go for",
        ),
        requests=(
            "which makeup looks should [we|I] practice?",
            "what kind of faces should I be able to do?",
            "what styles should I [plan for|have ready]?",
            "how should I be doing my makeup?",
            "which looks would [suit me|feel like me]?",
        ),
        preferences=(
            Preference(
                "smoky eye",
                "s",
                (
                    "on nights out dancing",
                    "when I wear black",
                ),
                ("makes my eyes the main event",),
            ),
            Preference(
                "no-makeup makeup",
                "m",
                (
                    "on video calls",
                    "when I overslept",
                ),
                ("fools everyone into thinking I slept eight hours",),
            ),
            Preference(
                "red lip",
                "s",
                (
                    "with a white shirt and nothing else",
                    "when I need courage",
                ),
                ("gives me confidence in three strokes",),
            ),
            Preference(
                "winged liner",
                "m",
                (
                    "on first dates",
                    "when my hand is steady",
                ),
                ("sharpens my whole face",),
            ),
            Preference(
                "dewy skin",
                "m",
                (
                    "in spring",
                    "when I'm headed to brunch",
                ),
                ("makes me look as if I drink enough water",),
            ),
            Preference(
                "glitter lids",
                "p",
                (
                    "on New Year's Eve",
                    "at festivals",
                ),
                ("put me in a party mood",),
            ),
            Preference(
                "soft glam",
                "m",
                (
                    "at weddings",
                    "for family portraits",
                ),
                ("photographs well on me",),
            ),
            Preference(
                "bronzed glow",
                "s",
                (
                    "after a week at the beach",
                    "when I'm pale in March",
                ),
                ("fakes a vacation for me",),
            ),
            Preference(
                "grunge eyes",
                "p",
                (
                    "at basement shows",
                    "when I feel moody",
                ),
                ("look better on me the next morning",),
            ),
            Preference(
                "pin-up",
                "m",
                (
                    "at retro fairs",
                    "when I curl my bangs",
                ),
                ("brings out my playful side",),
                tail="makeup",
            ),
            Preference(
                "monochrome pink",
                "m",
                (
                    "when I only have one pot of blush",
                    "on lazy Sundays",
                ),
                ("takes me ninety seconds",),
            ),
            Preference(
                "bold brows",
                "p",
                (
                    "when I skip everything else",
                    "on office days",
                ),
                ("frame my face without fuss",),
            ),
        ),
    ),
    Category(
        "jewelry types",
        nouns=(
            "pieces of jewelry",
            "accessories",
        ),
        frames=(
            "{Occ}, I like to accessorize with {x}.",
            "{X} {is} what I put on {occ}.",
            "{X} {is} the jewelry I choose {occ}.",
            "{Occ}, I look in my jewelry box for {x}.",
            "Out of my jewelry box I pick {x}, because {they} {pt}.",
            "{X} {is} my favorite jewelry: {they} {pt}.",
            "For a bit of sparkle I wear {x}, since {they} {pt}.",
            "Of all jewelry, I love {x} most; {they} {pt}.",
        ),
        topics=("jewelry", "accessories"),
        situations=(
            "My grandmother is letting me choose pieces from her collection [on Sunday|when I visit]",
            "I have a bonus to spend at a goldsmith [in Florence|before Christmas]",
            "I'm laying out accessories for [a week of weddings|my sister's big day and the dinners around it]",
            "My husband keeps asking for hints ahead of [our anniversary|my birthday and the holidays]",
            "I'm organizing a travel case for [a cruise|fashion week] and can't take everything",
            "An artisan fair is on [this weekend|at the harbor] and I'm making a wish list",
        ),
        requests=(
            "which pieces should I [pick|pack]?",
            "what jewelry should I [look for|ask for]?",
            "what should I put on?",
            "what kind of sparkle would [please me|suit me]?",
            "what should be in [the box|my case]?",
        ),
        preferences=(
            Preference(
                "hoop earrings",
                "p",
                (
                    "with my hair up on weekends",
                    "when I want to look pulled together fast",
                ),
                ("frame my face just right",),
            ),
            Preference(
                "signet rings",
                "p",
                (
                    "on my little finger at work",
                    "when I'm missing my grandfather",
                ),
                ("feel like family on my hand",),
            ),
            Preference(
                "pearl necklace",
                "s",
                (
                    "with a plain sweater",
                    "for concerts and christenings",
                ),
                ("makes me sit up straighter",),
            ),
            Preference(
                "charm bracelets",
                "p",
                (
                    "when a trip needs a souvenir",
                    "when I catch up with my aunts",
                ),
                ("jingle with my memories",),
            ),
            Preference(
                "layered chains",
                "p",
                (
                    "over a black T-shirt",
                    "on summer nights",
                ),
                ("give my basics an edge",),
            ),
            Preference(
                "brooches",
                "p",
                (
                    "on winter coats",
                    "when a jacket looks dull",
                ),
                ("start conversations for me",),
            ),
            Preference(
                "anklets",
                "p",
                (
                    "at the beach",
                    "from June to September",
                ),
                ("make me feel barefoot even in town",),
            ),
            Preference(
                "statement cuffs",
                "p",
                (
                    "with sleeveless dresses",
                    "when I speak on stage",
                ),
                ("make my gestures bigger",),
            ),
            Preference(
                "cocktail rings",
                "p",
                (
                    "at parties with a glass in hand",
                    "when I want one loud thing",
                ),
                ("brighten my whole outfit",),
            ),
            Preference(
                "locket",
                "s",
                (
                    "when I travel without my kids",
                    "close to my heart on hard days",
                ),
                ("keeps my mother's picture near me",),
            ),
            Preference(
                "stud earrings",
                "p",
                (
                    "when I'm at the gym or asleep",
                    "on plain office days",
                ),
                ("never snag on my scarf",),
            ),
            Preference(
                "ear cuffs",
                "p",
                (
                    "when I feel a bit rebellious",
                    "without a single piercing",
                ),
                ("let me change my mind every day",),
            ),
        ),
    ),
    Category(
        "shoe styles",
        nouns=(
            "shoes",
            "kinds of footwear",
        ),
        frames=(
            "{Occ}, the shoes I wear are {x}.",
            "{X} {is} the shoes I put on {occ}.",
            "{Occ}, my feet want {x}.",
            "The shoes I step into {occ} are {x}.",
            "{X} {is} my favorite footwear, because {they} {pt}.",
            "I live in {x}: {they} {pt}.",
            "I'd buy {x} again and again, since {they} {pt}.",
            "My feet are happiest in {x}; {they} {pt}.",
        ),
        topics=("shoes", "footwear"),
        situations=(
            "I'm packing a suitcase for [three climates|a wedding, a hike and a conference|six weeks away]",
            "My closet flooded and insurance pays for new footwear [this month|if I list it]",
            "A cobbler friend makes shoes to order and owes me [a few pairs|a big favor]",
            "I'm decluttering the hall rack [on Sunday|before we move] and want to keep only what I reach for",
            "There's an outlet sale [on Black Friday|this weekend] and I'm going with a plan",
            "My personal shopper is pulling things in my size for [the new season|next Tuesday]",
        ),
        requests=(
            "which shoes should I [take|get|keep]?",
            "what should I have for my feet?",
            "what pairs should be [there|on the list]?",
            "what footwear would [cover my life|serve me]?",
            "which styles should I [aim for|go by]?",
        ),
        preferences=(
            Preference(
                "Chelsea boots",
                "p",
                (
                    "from October to March",
                    "when it's drizzling and I still want to look sharp",
                ),
                ("slip on while I hold the dog",),
            ),
            Preference(
                "white sneakers",
                "p",
                (
                    "with a sundress in the city",
                    "when I'll be on my feet all day",
                ),
                ("go with everything I own",),
            ),
            Preference(
                "loafers",
                "p",
                (
                    "for client meetings",
                    "when laces are too much trouble",
                ),
                ("make my jeans look grown-up",),
            ),
            Preference(
                "stilettos",
                "p",
                (
                    "at parties where I can take a cab",
                    "when I need three extra inches",
                ),
                ("change how I walk into a room",),
            ),
            Preference(
                "espadrilles",
                "p",
                (
                    "on seaside vacations",
                    "with rolled-up linen",
                ),
                ("feel like August to me",),
            ),
            Preference(
                "hiking boots",
                "p",
                (
                    "when there's mud involved",
                    "on weekends in the hills",
                ),
                ("hold my ankles steady",),
            ),
            Preference(
                "ballet flats",
                "p",
                (
                    "when I bike to work",
                    "on museum days",
                ),
                ("fold into my handbag",),
            ),
            Preference(
                "clogs",
                "p",
                (
                    "in the garden and the kitchen",
                    "on long shifts standing up",
                ),
                ("keep my back from hurting",),
            ),
            Preference(
                "cowboy boots",
                "p",
                (
                    "at concerts with a denim skirt",
                    "when I visit Texas",
                ),
                ("make me stomp a little",),
            ),
            Preference(
                "strappy sandals",
                "p",
                (
                    "on hot nights out",
                    "at beach weddings",
                ),
                ("show off my pedicure",),
            ),
            Preference(
                "brogues",
                "p",
                (
                    "with tweed in autumn",
                    "when I give a lecture",
                ),
                ("polish up my oldest suit",),
            ),
            Preference(
                "slippers",
                "p",
                (
                    "the second I get home",
                    "on snowy mornings",
                ),
                ("rescue me from cold tiles",),
            ),
        ),
    ),
    Category(
        "hair care styles",
        nouns=(
            "hairstyles",
            "looks for my hair",
        ),
        frames=(
            "{Occ}, I go for {x}.",
            "{X} {is} my hairstyle of choice {occ}.",
            "{X} {is} how I wear my hair {occ}.",
            "{Occ}, my hair calls for {x}.",
            "{X} {is} my favorite hairstyle, because {they} {pt}.",
            "For my hair I choose {x}: {they} {pt}.",
            "However long my hair is, I like {x}, since {they} {pt}.",
            "With hair like mine I rely on {x}; {they} {pt}.",
        ),
        topics=("hair", "hairdos"),
        situations=(
            "I'm booking my hairdresser for [a month full of events|the run-up to my wedding|next Friday]",
            ("I leave on a trip with [beach days, hikes and a gala|all kinds of weather] and need a plan for my hair"),
            "A new stylist wants to know how I usually wear it before [our first appointment|the big chop]",
            "I'm filming short tutorials at home [this week|for my channel] about what I do with my mane",
            "My daughter loves doing my hair [on Sundays|during the holidays] and wants new ideas",
            "I start a job with early shifts [on Monday|next month] and want to have looks ready",
        ),
        requests=(
            "which hairstyles should I [plan on|cycle through]?",
            "what should I do with my hair?",
            "which looks should [we|I] practice?",
            "how should I be wearing it?",
            "what styles would [suit me|feel like me]?",
        ),
        preferences=(
            Preference(
                "messy bun",
                "s",
                (
                    "when the alarm didn't go off",
                    "on deep-cleaning days",
                ),
                ("keeps strands out of my eyes",),
            ),
            Preference(
                "beach waves",
                "p",
                (
                    "after a swim in the sea",
                    "with salt spray on Fridays",
                ),
                ("make me look relaxed even when I'm not",),
            ),
            Preference(
                "French braid",
                "s",
                (
                    "for long flights",
                    "when I'm at the stables",
                ),
                ("stays put all day for me",),
            ),
            Preference(
                "sleek ponytail",
                "s",
                (
                    "for presentations",
                    "on greasy days when nobody must notice",
                ),
                ("makes me look like I mean business",),
            ),
            Preference(
                "natural curls",
                "p",
                (
                    "in hopelessly humid weather",
                    "after a co-wash",
                ),
                ("let me feel most like myself",),
            ),
            Preference(
                "blowout",
                "s",
                (
                    "before a big date",
                    "when I have a voucher for the salon",
                ),
                ("gives me volume for three days",),
            ),
            Preference(
                "box braids",
                "p",
                (
                    "when I go on vacation",
                    "through the summer",
                ),
                ("save me an hour each morning",),
            ),
            Preference(
                "pixie cut",
                "s",
                (
                    "when I'm tired of upkeep",
                    "in the hottest part of the year",
                ),
                ("dries before I've finished my coffee",),
            ),
            Preference(
                "half-up knot",
                "s",
                (
                    "when I can't choose between up and down",
                    "at brunch",
                ),
                ("shows my earrings and keeps my length",),
            ),
            Preference(
                "headscarf wrap",
                "s",
                (
                    "on windy days in a convertible",
                    "between washes",
                ),
                ("adds color to my plainest outfit",),
            ),
            Preference(
                "chignon",
                "s",
                (
                    "at the ballet",
                    "with a backless dress",
                ),
                ("makes my neck look endless",),
            ),
            Preference(
                "space buns",
                "p",
                (
                    "at festivals",
                    "when I hang out with my teenage sister",
                ),
                ("make me laugh at the mirror",),
            ),
        ),
    ),
    Category(
        "skincare routines",
        nouns=(
            "skincare steps",
            "face care rituals",
        ),
        frames=(
            "{Occ}, I treat my skin to {x}.",
            "{X} {is} part of my skincare routine {occ}.",
            "My complexion needs {x} {occ}.",
            "{X} {is} what my skin needs {occ}.",
            "My skin loves {x}, because {they} {pt}.",
            "{X} {is} the step I never skip: {they} {pt}.",
            "For my face I swear by {x}, since {they} {pt}.",
            "I've been faithful to {x} for years; {they} {pt}.",
        ),
        topics=("skincare", "face care"),
        own_frames_only=True,
        situations=(
            ("My dermatologist asked me to write down what I like doing for my face [before Tuesday|at my next visit]"),
            "I'm editing my bathroom shelf [before we move|on a tight budget] and want to keep what I use",
            "I'm building a weekly plan for my skin [ahead of my wedding|now that winter is here]",
            "A spa voucher covers products for home use [up to a hundred dollars|if I order by Friday]",
            "My sister, who is new to all this, wants to copy [everything I do|my whole regimen]",
            "I'm packing toiletries for [a dry mountain town|two weeks in the tropics] and space is tight",
        ),
        requests=(
            "which routines should I [keep up|pack for]?",
            "what should I be doing for my skin?",
            "which steps should [it contain|I hold on to]?",
            "what kind of care would [suit my face|work for me]?",
            "what should stay in the plan?",
        ),
        preferences=(
            Preference(
                "double cleansing",
                "m",
                (
                    "after a day in city dust",
                    "when I've worn heavy makeup",
                ),
                ("leaves me squeaky clean without tightness",),
            ),
            Preference(
                "slugging",
                "m",
                (
                    "on freezing nights",
                    "when my cheeks feel raw",
                ),
                ("seals everything in while I sleep",),
            ),
            Preference(
                "sheet masking",
                "m",
                (
                    "on long flights",
                    "during a Sunday film",
                ),
                ("cools my face and makes me sit still",),
            ),
            Preference(
                "vitamin C serum",
                "m",
                (
                    "first thing in the morning",
                    "when I look dull",
                ),
                ("brightens me up before coffee",),
            ),
            Preference(
                "retinol nights",
                "p",
                (
                    "twice a week after dark",
                    "on evenings at home",
                ),
                ("keep my forehead smooth",),
            ),
            Preference(
                "gua sha",
                "m",
                (
                    "when my jaw is clenched",
                    "in front of a podcast",
                ),
                ("drains my morning puffiness",),
            ),
            Preference(
                "mineral sunscreen",
                "m",
                (
                    "before I so much as open the door",
                    "on ski days",
                ),
                ("has saved my nose from burning for years",),
            ),
            Preference(
                "ice rolling",
                "m",
                (
                    "the morning after wine",
                    "when it's sweltering",
                ),
                ("shocks my eyes awake",),
            ),
            Preference(
                "oil massage",
                "m",
                (
                    "by candlelight in winter",
                    "after a stressful call",
                ),
                ("relaxes my whole head",),
            ),
            Preference(
                "clay masking",
                "m",
                (
                    "when my chin breaks out",
                    "once a week in the bath",
                ),
                ("pulls the gunk out of my pores",),
            ),
            Preference(
                "skin cycling",
                "m",
                (
                    "when I've overdone the acids",
                    "over a four-night rhythm",
                ),
                ("gives my barrier time to recover",),
            ),
            Preference(
                "rose water misting",
                "m",
                (
                    "at my desk in the afternoon",
                    "on long drives",
                ),
                ("perks up my tired skin",),
            ),
        ),
    ),
    Category(
        "bag styles",
        nouns=(
            "bags",
            "carryalls",
        ),
        frames=(
            "{Occ}, I carry {x}.",
            "{X} {is} my bag of choice {occ}.",
            "I take {x} with me {occ}.",
            "{Occ}, my keys and wallet go in {x}.",
            "I carry {x} because {they} {pt}.",
            "{X} {is} my favorite bag: {they} {pt}.",
            "When I pack my things I use {x}, since {they} {pt}.",
            "Of all the bags I could carry, I like {x} best; {they} {pt}.",
            "I'd choose {x} any day; {they} {pt}.",
        ),
        topics=("bags", "handbags"),
        situations=(
            (
                "I have a packed week of [commuting, gym and parties|flights and client dinners] "
                "and keep grabbing the wrong thing"
            ),
            "A leather worker is making me pieces [in exchange for a website|over the winter]",
            "I'm clearing the hooks by the door [this weekend|before the baby comes] and keeping only what I use",
            "An airline lost my luggage and the claim covers [all the bags inside|replacements up to a limit]",
            "There's a sample sale [on Thursday|at the warehouse] and I want a plan before I go",
            "My family pooled money for [my graduation|my promotion] and I may choose things to carry",
        ),
        requests=(
            "which bags should I [get|hold on to]?",
            "what should I be carrying my things in?",
            "what styles should I [look for|list]?",
            "which ones would [cover my days|earn their place]?",
            "what carryalls fit [me|how I live]?",
        ),
        preferences=(
            Preference(
                "tote",
                "s",
                (
                    "for the library and the market",
                    "when I never know what I'll bring home",
                ),
                ("swallows half my household",),
            ),
            Preference(
                "backpack",
                "s",
                (
                    "on bike rides to work",
                    "when I'm carrying a laptop and lunch",
                ),
                ("spares my shoulder",),
            ),
            Preference(
                "crossbody",
                "s",
                (
                    "at crowded concerts",
                    "in foreign cities",
                ),
                ("keeps my hands free and my phone safe",),
            ),
            Preference(
                "clutch",
                "s",
                (
                    "at weddings",
                    "when I only need a lipstick and a card",
                ),
                ("makes me travel light",),
            ),
            Preference(
                "belt bag",
                "s",
                (
                    "on dog walks",
                    "at theme parks",
                ),
                ("holds my keys where I can feel them",),
            ),
            Preference(
                "weekender",
                "s",
                (
                    "for two nights at my parents'",
                    "on spontaneous trips",
                ),
                ("fits under my seat",),
            ),
            Preference(
                "messenger bag",
                "s",
                (
                    "on days full of lectures",
                    "when I need my papers flat",
                ),
                ("gets me to my notebook in a second",),
            ),
            Preference(
                "bucket bag",
                "s",
                (
                    "on summer evenings",
                    "with a linen dress",
                ),
                ("closes with one tug of my hand",),
            ),
            Preference(
                "satchel",
                "s",
                (
                    "at the office in autumn",
                    "when I feel bookish",
                ),
                ("ages better than I do",),
            ),
            Preference(
                "duffel",
                "s",
                (
                    "for training and a change of clothes",
                    "on ferry rides",
                ),
                ("forgives the way I stuff things in",),
            ),
            Preference(
                "saddle bag",
                "s",
                (
                    "on Sunday strolls",
                    "when my outfit needs leather",
                ),
                ("sits at my hip just right",),
            ),
            Preference(
                "straw basket",
                "s",
                (
                    "at the farmers' market in July",
                    "on the way to the beach",
                ),
                ("makes me feel like I'm in Provence",),
            ),
        ),
    ),
    Category(
        "hat styles",
        nouns=(
            "hats",
            "kinds of headgear",
        ),
        frames=(
            "{Occ}, I wear {x}.",
            "{Occ}, my headwear is {x}.",
            "{X} {is} my hat of choice {occ}.",
            "{X} {is} what I wear on my head {occ}.",
            "When I need a hat I choose {x}, because {they} {pt}.",
            "{X} {is} my favorite hat: {they} {pt}.",
            "Of all hats, I like {x} best, since {they} {pt}.",
            "For headwear I choose {x}; {they} {pt}.",
            "I like to wear {x}, because {they} {pt}.",
        ),
        topics=("hats", "headwear"),
        situations=(
            "I'm off on a trip with [sun, rain and one fancy lunch|sailing, hiking and a garden party]",
            "My head gets cold and my hairline is going, so I'm investing in headgear [this season|at last]",
            "A milliner is holding a workshop sale [on Saturday|in my street]",
            "I'm sorting the coat rack [before winter|with my wife watching] and can't keep them all",
            "My grandchildren want to buy me something for my head [this Christmas|for Father's Day]",
            "I'm dressing for a string of [outdoor weddings|race days and picnics] [in June|this summer]",
        ),
        requests=(
            "which hats should I [bring|choose]?",
            "what should I wear on my head?",
            "what headgear would [serve me|I use]?",
            "which ones should I [keep|look at]?",
            "what toppers would [suit my habits|cover it]?",
        ),
        preferences=(
            Preference(
                "fedora",
                "s",
                (
                    "with a long coat in the city",
                    "when my outfit needs an anchor",
                ),
                ("has me tipping the brim at strangers",),
            ),
            Preference(
                "beanie",
                "s",
                (
                    "on frosty dog walks",
                    "when my ears go numb",
                ),
                ("hides my bed head",),
            ),
            Preference(
                "baseball cap",
                "s",
                (
                    "at the ballpark",
                    "on errand mornings",
                ),
                ("keeps the sun out of my eyes",),
            ),
            Preference(
                "beret",
                "s",
                (
                    "on gallery days",
                    "when I'm feeling a bit French",
                ),
                ("turns my plain coat into a look",),
            ),
            Preference(
                "bucket hat",
                "s",
                (
                    "on the beach with a novel",
                    "at festivals",
                ),
                ("protects my neck and my mood",),
            ),
            Preference(
                "panama",
                "s",
                (
                    "on hot afternoons by the water",
                    "with linen in July",
                ),
                ("keeps me cool at cricket matches",),
                tail="hat",
            ),
            Preference(
                "trapper",
                "s",
                (
                    "when I clear snow",
                    "at twenty below",
                ),
                ("covers my cheeks as well",),
                tail="hat",
            ),
            Preference(
                "flat cap",
                "s",
                (
                    "at the pub on Sundays",
                    "when I drive the old roadster",
                ),
                ("reminds me of my granddad",),
            ),
            Preference(
                "wide-brimmed sun hat",
                "s",
                (
                    "when I garden",
                    "on boats",
                ),
                ("saves my shoulders from burning",),
            ),
            Preference(
                "cowboy hat",
                "s",
                (
                    "at country concerts",
                    "on my uncle's ranch",
                ),
                ("shades me better than any umbrella",),
            ),
            Preference(
                "turban",
                "s",
                (
                    "between washes",
                    "by the pool",
                ),
                ("gives me drama with no effort",),
            ),
            Preference(
                "fascinator",
                "s",
                (
                    "at spring weddings",
                    "at the races",
                ),
                ("makes me feel properly dressed up",),
            ),
        ),
    ),
    Category(
        "travel destinations",
        nouns=(
            "destinations",
            "places",
        ),
        frames=(
            "{Occ}, I like to travel to {x}.",
            "{X} {is} the place I want to visit {occ}.",
            "{Occ}, I dream of a trip to {x}.",
            "{X} {is} my favorite destination {occ}.",
            "I'd travel to {x} every year if I could, because {they} {pt}.",
            "Of all the places I've traveled to, I love {x} most: {they} {pt}.",
            "Whenever I plan a trip I think of {x} first, since {they} {pt}.",
            "I keep booking trips to {x}; {they} {pt}.",
        ),
        topics=("travel", "trips abroad"),
        situations=(
            "I have a round-the-world ticket with [several stops|room for detours] to book [by Friday|this month]",
            "My partner and I are putting pins in a map for [the next few years|our sabbatical]",
            "I won airline miles that expire [in December|soon] and want to use every last one",
            "A travel agent is sketching itineraries for [my retirement|my gap year]",
            "My company lets me work from anywhere [for three months|this winter]",
            "We're making a photo wall of places I want to return to and booking trips [for each season|to match]",
        ),
        requests=(
            "which destinations should I [book|plan on]?",
            "where should I go?",
            "what places should be [on the route|on the map]?",
            "which spots would [I never regret|suit me]?",
            "where in the world should [we|I] be heading?",
        ),
        preferences=(
            Preference(
                "Kyoto",
                "m",
                (
                    "in cherry blossom season",
                    "when I need temples and moss",
                ),
                ("slows me down by the first evening",),
            ),
            Preference(
                "Lisbon",
                "m",
                (
                    "in the mild part of autumn",
                    "when I want hills, tiles and custard tarts",
                ),
                ("makes my legs ache and my heart light",),
            ),
            Preference(
                "Iceland",
                "m",
                (
                    "when I want weather with character",
                    "in the months of northern lights",
                ),
                ("makes me feel I'm on another planet",),
            ),
            Preference(
                "Marrakech",
                "m",
                (
                    "when I'm starved of color",
                    "for a long weekend in March",
                ),
                ("overloads my senses in the best way",),
            ),
            Preference(
                "New Zealand",
                "m",
                (
                    "when I can spare a month",
                    "for roads with nobody on them",
                ),
                ("gives me a fjord and a beach in one day",),
            ),
            Preference(
                "Buenos Aires",
                "m",
                (
                    "when it's winter at home",
                    "for steak, tango and late nights",
                ),
                ("keeps me up until four without regret",),
            ),
            Preference(
                "Scottish Highlands",
                "tp",
                (
                    "when I'm tired of crowds",
                    "with a rental car and rain gear",
                ),
                ("fill me with silence",),
            ),
            Preference(
                "New Orleans",
                "m",
                (
                    "around festival time",
                    "when I want brass bands on the sidewalk",
                ),
                ("feeds me better than anywhere",),
            ),
            Preference(
                "Santorini",
                "m",
                (
                    "in late September",
                    "for anniversaries with my wife",
                ),
                ("stuns me at every sunset",),
            ),
            Preference(
                "Vancouver",
                "m",
                (
                    "when I want mountains and sushi in one day",
                    "on visits to my cousins",
                ),
                ("makes me want to move",),
            ),
            Preference(
                "Costa Rica",
                "m",
                (
                    "in the dry season",
                    "when I need sloths and surf",
                ),
                ("puts my watch in a drawer",),
            ),
            Preference(
                "Istanbul",
                "m",
                (
                    "on stopovers that I stretch to a week",
                    "when I want two continents in a day",
                ),
                ("never runs out of tea for me",),
            ),
        ),
    ),
    Category(
        "vacation types",
        nouns=(
            "kinds of vacations",
            "getaways",
        ),
        frames=(
            "{X} {is} my kind of vacation {occ}.",
            "{X} {is} my favorite getaway {occ}.",
            "I use my leave for {x} {occ}.",
            "{Occ}, my holidays are {x}.",
            "When I have time off I choose {x}, because {they} {pt}.",
            "My best vacations have been {x}: {they} {pt}.",
            "I save my vacation days for {x}, since {they} {pt}.",
            "For a vacation I like {x}; {they} {pt}.",
        ),
        topics=("vacations", "holidays"),
        situations=(
            "I have five weeks of leave saved up and want to divide them [over the year|before they expire]",
            "My family votes on holidays [every January|this Sunday] and I need to put in my wishes",
            (
                "A travel company sends me offers by profile and I'm filling in [the "
                "questionnaire|my account] [tonight|now]"
            ),
            "My spouse is planning surprise trips for [my fiftieth year|our tenth anniversary]",
            "I changed jobs and have [the whole of June|a free summer] before I start",
            "We're budgeting our time off for [the next two years|once the kids leave home]",
        ),
        requests=(
            "what kinds of vacations should I [plan|put down]?",
            "which trips should I [book|ask for]?",
            "how should I spend my time away?",
            "what sort of getaways would [recharge me|suit me]?",
            "what should I be saving my days off for?",
        ),
        preferences=(
            Preference(
                "road trips",
                "p",
                (
                    "when the weather is unpredictable anyway",
                    "with my brother and a bad stereo",
                ),
                ("let me stop for every pie",),
            ),
            Preference(
                "all-inclusive resorts",
                "p",
                (
                    "after a brutal quarter",
                    "when I don't want to decide a thing",
                ),
                ("switch off my brain",),
            ),
            Preference(
                "city breaks",
                "p",
                (
                    "on long weekends",
                    "when I crave museums and coffee",
                ),
                ("fit into my three spare days",),
            ),
            Preference(
                "safaris",
                "p",
                (
                    "once every few years",
                    "when I've saved enough",
                ),
                ("have me whispering for a week",),
            ),
            Preference(
                "ski weeks",
                "p",
                (
                    "in February with old friends",
                    "when I need cold air and cheese",
                ),
                ("leave me sore and happy",),
            ),
            Preference(
                "cruises",
                "p",
                (
                    "with my parents",
                    "when I'd rather unpack only once",
                ),
                ("take me to breakfast in a new port",),
            ),
            Preference(
                "wellness retreats",
                "p",
                (
                    "when I'm burned out",
                    "in gloomy November",
                ),
                ("give me back my sleep",),
            ),
            Preference(
                "island hopping",
                "m",
                (
                    "in early summer",
                    "with a ferry timetable and no plan",
                ),
                ("satisfies my itch to move on",),
            ),
            Preference(
                "house swaps",
                "p",
                (
                    "with the kids in tow",
                    "when money is short",
                ),
                ("let me live like a local",),
            ),
            Preference(
                "volunteer trips",
                "p",
                (
                    "in the long university break",
                    "when lying around feels pointless",
                ),
                ("send me home with calluses and friends",),
            ),
            Preference(
                "sailing charters",
                "p",
                (
                    "with three couples in August",
                    "when I want wind to decide",
                ),
                ("teach me to live with less",),
            ),
            Preference(
                "train journeys",
                "p",
                (
                    "when I have weeks to spare",
                    "when flying feels wrong",
                ),
                ("give me days at a window",),
            ),
        ),
    ),
    Category(
        "nature environments",
        nouns=(
            "landscapes",
            "wild places",
        ),
        frames=(
            "{Occ}, {x} {is} the scenery I seek out.",
            "{X} {is} my favorite natural scenery {occ}.",
            "{X} {is} my favorite landscape {occ}.",
            "{Occ}, I long for {x}.",
            "For a landscape to lose myself in I choose {x}, because {they} {pt}.",
            "{X} {is} the scenery I travel for: {they} {pt}.",
            "When I need nature I go looking for {x}, since {they} {pt}.",
            "I could spend weeks exploring {x}; {they} {pt}.",
        ),
        topics=("nature", "wild landscapes"),
        situations=(
            "I'm picking places to restore myself [during a month off|after a rough year in the city]",
            "A nature photographer is taking me along [for three trips|this autumn] and lets me set the scenery",
            "My wife and I are deciding where to spend each season [in our camper|once we retire]",
            "I'm designing a slideshow wall of scenery for [my windowless office|the waiting room]",
            "A conservation group asked donors which habitats to support [this year|by Friday]",
            "My kids have spring break and I want them to see [the outdoors I love|what I grew up with]",
        ),
        requests=(
            "which landscapes should I [head for|choose]?",
            "what kind of natural places should [we|I] visit?",
            "where outdoors should I be?",
            "what scenery would [do me good|suit me]?",
            "which environments should be [part of it|on the list]?",
        ),
        preferences=(
            Preference(
                "alpine meadows",
                "p",
                (
                    "when the wildflowers are out",
                    "in early July",
                ),
                ("make me want to lie down and stay",),
            ),
            Preference(
                "rainforests",
                "p",
                (
                    "when I want green on every side",
                    "on trips to my sister in Brazil",
                ),
                ("wrap me in noise and damp",),
            ),
            Preference(
                "deserts",
                "p",
                (
                    "in winter when the light is low",
                    "when I need emptiness",
                ),
                ("quiet me like no chapel can",),
            ),
            Preference(
                "rocky coasts",
                "p",
                (
                    "on stormy weekends",
                    "when I have something to decide",
                ),
                ("let me shout at the waves",),
            ),
            Preference(
                "pine forests",
                "p",
                (
                    "after a hot week in town",
                    "with a thermos and my dog",
                ),
                ("smell like my childhood camp",),
            ),
            Preference(
                "salt marshes",
                "p",
                (
                    "at dawn in bird season",
                    "when I want wide, flat skies",
                ),
                ("teach me to look closely",),
            ),
            Preference(
                "lakeshores",
                "p",
                (
                    "on midsummer evenings",
                    "with a canoe on the roof",
                ),
                ("smooth out my mood",),
            ),
            Preference(
                "glaciers",
                "p",
                (
                    "when I need perspective",
                    "on trips up north",
                ),
                ("make me feel short-lived",),
            ),
            Preference(
                "canyons",
                "p",
                (
                    "in spring before the heat",
                    "when I crave red rock",
                ),
                ("swallow every sound I make",),
            ),
            Preference(
                "prairies",
                "p",
                (
                    "when the grass is waist-high",
                    "under thunderclouds",
                ),
                ("give me a horizon to breathe by",),
            ),
            Preference(
                "coral reefs",
                "p",
                (
                    "on dive holidays",
                    "when I want to be weightless",
                ),
                ("turn me into a quiet guest",),
            ),
            Preference(
                "caves",
                "p",
                (
                    "on blistering days",
                    "with a headlamp and my cousins",
                ),
                ("cool me off and spook me a little",),
            ),
        ),
    ),
    Category(
        "city neighborhood types",
        nouns=(
            "kinds of neighborhoods",
            "parts of town",
        ),
        frames=(
            "{Occ}, {x} {is} the parts of town I explore.",
            "I love strolling through {x} {occ}.",
            "{X} {is} my favorite part of any city {occ}.",
            "{X} {is} where I feel at home {occ}.",
            "When I explore a city I look for {x}, because {they} {pt}.",
            "{X} {is} the neighborhoods I like best: {they} {pt}.",
            "If I had to pick a part of town, I'd say {x}, since {they} {pt}.",
            "I could wander around {x} all day; {they} {pt}.",
        ),
        topics=("neighborhoods", "city districts"),
        situations=(
            "I'm apartment hunting in [Chicago|Lyon|a city I barely know] and the agent wants a profile",
            "A friend is giving me a walking tour of her hometown [this Saturday|over two days]",
            "I'm picking where to stay on each leg of [a trip through Europe|our West Coast tour]",
            "My photo project needs me to roam different parts of town [this autumn|every Sunday]",
            "My company is relocating me and pays for [three scouting trips|a month of rentals]",
            "We have four free afternoons in [Mexico City|Montreal] between conference days",
        ),
        requests=(
            "what kind of neighborhoods should I [see|look at]?",
            "which parts of town should [we|I] explore?",
            "where in the city would I [feel at home|be happiest]?",
            "which quarters should be on [the route|my list]?",
            "what areas fit me?",
        ),
        preferences=(
            Preference(
                "arts districts",
                "p",
                (
                    "on first Fridays with galleries open",
                    "when I need ideas",
                ),
                ("make me want to rent a studio",),
            ),
            Preference(
                "waterfronts",
                "p",
                (
                    "at sunset with an ice cream",
                    "when I jog in new places",
                ),
                ("give me air and gulls",),
            ),
            Preference(
                "Chinatowns",
                "p",
                (
                    "when I'm hungry after ten",
                    "on Lunar New Year",
                ),
                ("feed me dumplings at any hour",),
            ),
            Preference(
                "university quarters",
                "p",
                (
                    "when I want cheap noodles and bookshops",
                    "in September",
                ),
                ("keep me feeling young",),
            ),
            Preference(
                "old towns",
                "p",
                (
                    "before the tour buses arrive",
                    "on cobbled evenings",
                ),
                ("let me get lost on purpose",),
            ),
            Preference(
                "leafy suburbs",
                "p",
                (
                    "when my kids need a lawn",
                    "on Sunday strolls",
                ),
                ("lower my shoulders with their quiet",),
            ),
            Preference(
                "warehouse blocks",
                "p",
                (
                    "for late nights and loud music",
                    "when I look for big windows",
                ),
                ("excite me with their rough edges",),
            ),
            Preference(
                "market streets",
                "p",
                (
                    "on Saturday mornings with a basket",
                    "when I want to hear six languages",
                ),
                ("make shopping feel like theater to me",),
            ),
            Preference(
                "financial centers",
                "p",
                (
                    "on empty Sundays",
                    "when I like tall glass and echo",
                ),
                ("turn my walks into science fiction",),
            ),
            Preference(
                "canal rings",
                "p",
                (
                    "on a borrowed bike",
                    "in the first spring sun",
                ),
                ("have me stopping on every bridge",),
            ),
            Preference(
                "garden squares",
                "p",
                (
                    "with a sandwich at noon",
                    "when I need a bench and shade",
                ),
                ("offer me peace two steps from traffic",),
            ),
            Preference(
                "immigrant enclaves",
                "p",
                (
                    "when I cook and need odd spices",
                    "on curious afternoons",
                ),
                ("remind me of my grandparents' street",),
            ),
        ),
    ),
    Category(
        "outdoor dining settings",
        nouns=(
            "outdoor dining spots",
            "open-air settings",
        ),
        frames=(
            "{X} {is} my favorite spot for a meal outside {occ}.",
            "{X} {is} where I like to eat {occ}.",
            "{Occ}, I choose {x} for an outdoor meal.",
            "Give me lunch outdoors and {x} {occ}, and I'm happy.",
            "When I eat outside I want {x}, because {they} {pt}.",
            "{X} {is} my favorite place for a meal in the open air: {they} {pt}.",
            "No dining room compares to {x} for me, since {they} {pt}.",
            "I'd swap any indoor table for {x}; {they} {pt}.",
        ),
        topics=("outdoor dining", "meals outside"),
        situations=(
            "The weather turned and I want to eat outside [all week|every evening this month]",
            "I'm arranging meals in the open air for [my in-laws' visit|a reunion|our anniversary weekend]",
            "A travel writer friend is reviewing alfresco spots and invites me along [this summer|on five nights]",
            "My birthday falls in [July|May] and I'm spreading the celebrations over several dinners",
            "I'm scouting venues for [a rehearsal dinner and the brunch after|client lunches] under the sky",
            "My date nights have been indoors [since October|for too long] and I'm changing that",
        ),
        requests=(
            "what settings should I [book|look for]?",
            "where should [we|I] be having dinner?",
            "what kind of tables in the open should I [reserve|seek out]?",
            "which spots would [please me|be right for me]?",
            "what places to eat outside should [we|I] try?",
        ),
        preferences=(
            Preference(
                "rooftop terrace",
                "s",
                (
                    "when the skyline lights up",
                    "for cocktails that turn into supper",
                ),
                ("gives me a breeze and a view",),
            ),
            Preference(
                "beach shack",
                "s",
                (
                    "with salt still on my skin",
                    "on barefoot evenings",
                ),
                ("serves me fish on paper plates",),
            ),
            Preference(
                "vineyard",
                "s",
                (
                    "at harvest time",
                    "when there's something to toast",
                ),
                ("makes me linger over every glass",),
            ),
            Preference(
                "sidewalk café",
                "s",
                (
                    "when I feel like watching people",
                    "at noon in a strange city",
                ),
                ("entertains me better than any show",),
            ),
            Preference(
                "picnic blanket",
                "s",
                (
                    "in the park after work",
                    "with cheese and a good friend",
                ),
                ("costs me next to nothing",),
            ),
            Preference(
                "courtyard",
                "s",
                (
                    "on windy days",
                    "when I want candles and ivy",
                ),
                ("shuts the traffic out for me",),
            ),
            Preference(
                "riverside deck",
                "s",
                (
                    "at dusk in June",
                    "when boats are passing",
                ),
                ("calms me with its reflections",),
            ),
            Preference(
                "farm table",
                "s",
                (
                    "on late summer weekends",
                    "with a dozen strangers",
                ),
                ("shows me where my carrots grew",),
            ),
            Preference(
                "beer garden",
                "s",
                (
                    "under chestnut trees with colleagues",
                    "when I want long benches",
                ),
                ("makes me talk to the next table",),
            ),
            Preference(
                "garden gazebo",
                "s",
                (
                    "in a warm drizzle",
                    "for my mother's birthdays",
                ),
                ("keeps me dry and outdoors at once",),
            ),
            Preference(
                "mountain hut",
                "s",
                (
                    "after a climb",
                    "when soup has never tasted better",
                ),
                ("rewards me with a whole valley",),
            ),
            Preference(
                "night market",
                "s",
                (
                    "when the stalls steam and sizzle",
                    "on humid nights",
                ),
                ("lets me eat in five small courses",),
            ),
        ),
    ),
)
