"""Hobbies and creativity: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "hobbies",
        nouns=(
            "hobbies",
            "pastimes",
        ),
        frames=(
            "{Occ}, I spend my free time on {x}.",
            "{X} {is} my favorite pastime {occ}.",
            "{X} {is} the hobby I turn to {occ}.",
            "My favorite hobby {occ} is {x}.",
            "In my free time I enjoy {x}, because {they} {pt}.",
            "{X} {is} my oldest hobby: {they} {pt}.",
            "Of all my hobbies, I love {x} most, since {they} {pt}.",
            "I took up {x} as a hobby years ago; {they} {pt}.",
        ),
        topics=("hobbies", "pastimes"),
        situations=(
            "I'm cutting back to a four-day week [from March|after the summer] and planning my free day",
            "My kids have left home and I have [a spare room|three free evenings a week] all to myself",
            "I'm filling out my profile for [a pen-pal club|a retreat] [tonight|before Sunday]",
            "My wife wants to give me things I'd use in my spare time [this Christmas|for my sixtieth]",
            "I'm snowed in with [a long weekend|two weeks of leave] and a full pantry",
            "A community center asked what it should offer people like me [this fall|on weeknights]",
        ),
        requests=(
            "which hobbies should I [make room for|go back to]?",
            "what pastimes should I [plan|take up again]?",
            "how should I be spending the hours?",
            "what should I have supplies for?",
            "what leisure pursuits fit me?",
        ),
        preferences=(
            Preference(
                "woodworking",
                "m",
                (
                    "in the garage on Saturdays",
                    "when I've stared at screens too long",
                ),
                ("gives me sawdust and something to show for it",),
            ),
            Preference(
                "baking sourdough",
                "m",
                (
                    "on slow weekends",
                    "when the starter needs feeding",
                ),
                ("teaches me to wait",),
            ),
            Preference(
                "model trains",
                "p",
                (
                    "on rainy Sundays with my son",
                    "in the attic at night",
                ),
                ("let me run a world on time",),
            ),
            Preference(
                "gardening",
                "m",
                (
                    "as soon as the frost is gone",
                    "after work in June",
                ),
                ("grounds me in the plain sense",),
            ),
            Preference(
                "chess",
                "m",
                (
                    "over coffee with a neighbor",
                    "online when I can't sleep",
                ),
                ("makes hours vanish for me",),
            ),
            Preference(
                "amateur radio",
                "m",
                (
                    "when the ionosphere cooperates",
                    "late at night in winter",
                ),
                ("connects me with strangers in Chile",),
            ),
            Preference(
                "calligraphy",
                "m",
                (
                    "when I need to slow my hand",
                    "before the holidays",
                ),
                ("turns my grocery lists into art",),
            ),
            Preference(
                "beekeeping",
                "m",
                (
                    "from April on",
                    "when I want to be calm by necessity",
                ),
                ("pays me in honey",),
            ),
            Preference(
                "astronomy",
                "m",
                (
                    "on moonless nights",
                    "when the air is cold and clear",
                ),
                ("keeps me humble",),
            ),
            Preference(
                "genealogy",
                "m",
                (
                    "on winter evenings with old letters",
                    "when my mother tells stories",
                ),
                ("introduces me to ancestors",),
            ),
            Preference(
                "singing in a choir",
                "m",
                (
                    "on Tuesdays after work",
                    "in the weeks before Christmas",
                ),
                ("fills my lungs and my calendar",),
            ),
            Preference(
                "restoring furniture",
                "m",
                (
                    "when I find a wreck on the curb",
                    "on dry weekends",
                ),
                ("satisfies my urge to rescue things",),
            ),
        ),
    ),
    Category(
        "crafts",
        nouns=(
            "crafts",
            "handmade projects",
        ),
        frames=(
            "{Occ}, my creative project is {x}.",
            "{X} {is} the craft I turn to {occ}.",
            "{X} {is} what keeps my hands busy {occ}.",
            "{Occ}, I get out my supplies for {x}.",
            "I took up {x} because {they} {pt}.",
            "{X} {is} my favorite thing to do with my hands: {they} {pt}.",
            "Of all crafts, I like {x} best, since {they} {pt}.",
            "When I make things by hand I choose {x}; {they} {pt}.",
        ),
        topics=("crafts", "handiwork"),
        situations=(
            "I'm setting up a maker's table in [the spare room|my studio] [this month|before winter]",
            "I've got a voucher for a giant craft store [until Sunday|from my coworkers]",
            "I want to make every present by hand [this Christmas|for my sister's wedding]",
            "A retreat in the country lets guests choose workshops [for five days|over Easter]",
            "My grandmother wants to spend her visits making things with me [in the spring|on Fridays]",
            "I'm renting a stall at [the school fair|the holiday market] and need to fill it",
        ),
        requests=(
            "which crafts should I [plan for|do]?",
            "what should I be making?",
            "what materials and projects should I [get ready|buy for]?",
            "what handiwork would [suit me|keep me busy]?",
            "what should be on [the table|the list]?",
        ),
        preferences=(
            Preference(
                "knitting",
                "m",
                (
                    "in front of long films",
                    "when my hands get fidgety",
                ),
                ("turns my nerves into scarves",),
            ),
            Preference(
                "pottery",
                "m",
                (
                    "on Thursday nights at the studio",
                    "when I want to get muddy",
                ),
                ("forces me to let go of perfect",),
            ),
            Preference(
                "embroidery",
                "m",
                (
                    "on trains",
                    "with an audiobook on",
                ),
                ("lets me paint with thread",),
            ),
            Preference(
                "candle making",
                "m",
                (
                    "when the evenings draw in",
                    "before the holidays",
                ),
                ("fills my flat with beeswax and clove",),
            ),
            Preference(
                "quilting",
                "m",
                (
                    "through the winter",
                    "with my aunts around one table",
                ),
                ("gives a home to my old shirts",),
            ),
            Preference(
                "macramé",
                "m",
                (
                    "when I need a wall hanging fast",
                    "on the porch in summer",
                ),
                ("reminds me of my mother's seventies curtains",),
            ),
            Preference(
                "origami",
                "m",
                (
                    "while I'm on hold",
                    "in waiting rooms",
                ),
                ("clears my mind with one square",),
            ),
            Preference(
                "bookbinding",
                "m",
                (
                    "when I run out of notebooks",
                    "on quiet Sundays",
                ),
                ("makes me fussy about glue",),
            ),
            Preference(
                "soap making",
                "m",
                (
                    "when the lavender is dry",
                    "with goggles and loud music",
                ),
                ("keeps my friends in presents",),
            ),
            Preference(
                "leatherwork",
                "m",
                (
                    "in the shed on weekends",
                    "when I want something that lasts",
                ),
                ("smells like a saddle shop to me",),
            ),
            Preference(
                "weaving",
                "m",
                (
                    "when I can leave the loom out for days",
                    "in the darkest months",
                ),
                ("gets me into a trance",),
            ),
            Preference(
                "papermaking",
                "m",
                (
                    "when the recycling piles up",
                    "in the garden in July",
                ),
                ("lets me turn junk mail into stationery",),
            ),
        ),
    ),
    Category(
        "art styles",
        nouns=(
            "kinds of art",
            "artistic styles",
        ),
        frames=(
            "{Occ}, I like to look at {x}.",
            "{X} {is} the art I'm drawn to {occ}.",
            "{X} {is} my favorite style {occ}.",
            "I seek out {x} {occ}.",
            "I can look at {x} for hours, because {they} {pt}.",
            "{X} {is} my favorite kind of art: {they} {pt}.",
            "As an art lover I keep coming back to {x}, since {they} {pt}.",
            "No other pictures affect me like {x}; {they} {pt}.",
            "In museums I look for {x}, because {they} {pt}.",
        ),
        topics=("art", "paintings"),
        situations=(
            "I have bare walls in [my new office|a long hallway|the living room] and a small budget for prints",
            "A gallery friend is picking shows for us to see [this season|in New York]",
            (
                "I'm signing up for painting courses [this winter|at the community college] and "
                "want to try what I admire"
            ),
            "An auction house sends alerts by taste and I'm setting mine [tonight|for the spring sales]",
            "My company asked me to choose art for [the lobby|five meeting rooms]",
            "I'm buying coffee-table books with [a gift card|my bonus] [this week|at the museum]",
        ),
        requests=(
            "which art styles should I [go for|pick]?",
            "what kind of art should [be on the walls|I look at]?",
            "which movements should I [explore|choose from]?",
            "what would I love to look at?",
            "what sort of pictures should [we|I] seek out?",
        ),
        preferences=(
            Preference(
                "impressionism",
                "m",
                (
                    "on hazy mornings",
                    "when I need light and gardens",
                ),
                ("makes me squint and smile",),
            ),
            Preference(
                "surrealism",
                "m",
                (
                    "when logic bores me",
                    "after strange dreams",
                ),
                ("lets my mind slip its leash",),
            ),
            Preference(
                "pop art",
                "m",
                (
                    "in kitchens and hallways",
                    "when I want a jolt of color",
                ),
                ("makes me grin at soup cans",),
            ),
            Preference(
                "abstract expressionism",
                "m",
                (
                    "when I'm too full of words",
                    "on big empty walls",
                ),
                ("hits me before I can think",),
            ),
            Preference(
                "art nouveau",
                "m",
                (
                    "when I'm drawn to curves and lilies",
                    "on trips to Brussels",
                ),
                ("satisfies my taste for ornament",),
            ),
            Preference(
                "Baroque",
                "m",
                (
                    "in dim old churches",
                    "when I want drama and gold",
                ),
                ("bowls me over every time",),
                tail="art",
            ),
            Preference(
                "street murals",
                "p",
                (
                    "on walks through rough areas",
                    "on every trip to Philadelphia",
                ),
                ("stop me in my tracks",),
            ),
            Preference(
                "ukiyo-e",
                "m",
                (
                    "when I crave calm lines",
                    "when snow is falling",
                ),
                ("taught me to love empty space",),
            ),
            Preference(
                "cubism",
                "m",
                (
                    "when I feel like a puzzle",
                    "at the modern wing on free days",
                ),
                ("makes me look from five sides",),
            ),
            Preference(
                "folk art",
                "m",
                (
                    "at country fairs",
                    "when I'm tired of clever things",
                ),
                ("charms me with its wonky animals",),
            ),
            Preference(
                "minimalism",
                "m",
                (
                    "when my life is too loud",
                    "in rooms with one chair",
                ),
                ("gives my eyes a rest",),
            ),
            Preference(
                "photorealism",
                "m",
                (
                    "when I want to be fooled",
                    "up close with my nose to the canvas",
                ),
                ("makes me doubt what I see",),
            ),
        ),
    ),
    Category(
        "photography styles",
        nouns=(
            "kinds of photography",
            "genres behind the lens",
        ),
        frames=(
            "I take my camera out for {x} {occ}.",
            "{X} {is} what I do with my camera {occ}.",
            "{Occ}, my camera is set up for {x}.",
            "{Occ}, I try my hand at {x}.",
            "I bought my camera for {x}, because {they} {pt}.",
            "Behind the lens I like {x} best: {they} {pt}.",
            "My best pictures come from {x}, since {they} {pt}.",
            "I never get tired of {x}; {they} {pt}.",
        ),
        topics=("photography", "camera work"),
        situations=(
            "I'm putting together a portfolio for [a grant|my first exhibition|art school]",
            "I've rented good lenses for [ten days in Scotland|a week] and want to use each of them",
            "A mentor offered me weekend assignments [this spring|until June] and asked what I shoot",
            "I'm planning a year-long project with one picture a day [from January|starting now]",
            "My camera club assigns slots for [the autumn show|members' talks] by what we do",
            (
                "I'm printing a photo book of my best work [for my parents|before the holidays] "
                "and sorting it in chapters"
            ),
        ),
        requests=(
            "which styles should I [include|cover]?",
            "what kind of photography should I [do|plan]?",
            "what should I be pointing my camera at?",
            "which sort of shots should [it have|I chase]?",
            "what genres behind the lens fit me?",
        ),
        preferences=(
            Preference(
                "street photography",
                "m",
                (
                    "when it has just rained downtown",
                    "on my lunch break with a small camera",
                ),
                ("trains me to be quick",),
            ),
            Preference(
                "macro",
                "m",
                (
                    "in the garden at dawn",
                    "when bugs hold still",
                ),
                ("opens a hidden world for me",),
                tail="photography",
            ),
            Preference(
                "portraits",
                "p",
                (
                    "by a north window",
                    "when somebody has a face I can't forget",
                ),
                ("make me listen before I shoot",),
            ),
            Preference(
                "astrophotography",
                "m",
                (
                    "in the desert with no moon",
                    "when I can stay up until four",
                ),
                ("rewards my cold fingers",),
            ),
            Preference(
                "wildlife",
                "m",
                (
                    "from a hide in winter",
                    "when I have patience to spare",
                ),
                ("makes my heart stop for a fox",),
                tail="photography",
            ),
            Preference(
                "long exposure",
                "m",
                (
                    "at waterfalls",
                    "on piers at blue hour",
                ),
                ("turns my impatience into silk",),
                tail="photography",
            ),
            Preference(
                "black and white",
                "m",
                (
                    "on foggy mornings",
                    "when color only distracts",
                ),
                ("shows me what light is doing",),
                tail="photography",
            ),
            Preference(
                "food photography",
                "m",
                (
                    "at brunch with patient friends",
                    "when I try a new recipe",
                ),
                ("makes me cook prettier",),
            ),
            Preference(
                "drone shots",
                "p",
                (
                    "over empty coasts",
                    "on windless mornings",
                ),
                ("show me my hometown like a map",),
            ),
            Preference(
                "film photography",
                "m",
                (
                    "when I want only thirty-six tries",
                    "on family trips",
                ),
                ("makes me think before each click",),
            ),
            Preference(
                "architecture",
                "m",
                (
                    "in cities with brave buildings",
                    "on empty Sundays",
                ),
                ("feeds my love of lines",),
                tail="photography",
            ),
            Preference(
                "underwater",
                "m",
                (
                    "on reef holidays",
                    "when visibility is good",
                ),
                ("lets me hover and wait",),
                tail="photography",
            ),
        ),
    ),
    Category(
        "creative writing styles",
        nouns=(
            "kinds of writing",
            "literary forms",
        ),
        frames=(
            "{Occ}, I write {x}.",
            "{X} {is} what I like to write {occ}.",
            "{Occ}, I sit down to write {x}.",
            "{X} {is} the writing I do {occ}.",
            "I write {x} because {they} {pt}.",
            "As a writer I'm happiest with {x}: {they} {pt}.",
            "My notebooks are full of {x}, since {they} {pt}.",
            "{X} {is} the kind of writing I love most; {they} {pt}.",
        ),
        topics=("creative writing", "literary work"),
        situations=(
            "I signed up for a workshop where each member submits [several pieces|something new every week]",
            "I'm filling a notebook a month [this year|until my birthday] and want to vary what I write",
            "A literary magazine I love is open for all kinds of work [until Friday|in the spring]",
            "I've got a cabin and a typewriter for [ten days|the whole of October]",
            "My old teacher offered to give feedback on [a mixed bag of my work|whatever I send] by [mail|June]",
            "I'm starting a newsletter for friends with a new text [each Sunday|twice a month]",
        ),
        requests=(
            "which writing styles should I [try|use]?",
            "what should I write?",
            "what forms should I [work in|send]?",
            "which kinds of pieces would [come naturally to me|fit me]?",
            "what sort of writing should be [in it|on my desk]?",
        ),
        preferences=(
            Preference(
                "flash fiction",
                "m",
                (
                    "on my commute",
                    "when I have one good image",
                ),
                ("forces me to cut",),
            ),
            Preference(
                "haiku",
                "m",
                (
                    "on morning walks",
                    "when the seasons shift",
                ),
                ("trains me to notice small things",),
            ),
            Preference(
                "personal essays",
                "p",
                (
                    "when something won't leave me alone",
                    "late at night with tea",
                ),
                ("help me find out what I think",),
            ),
            Preference(
                "magical realism",
                "m",
                (
                    "when I miss my grandmother's stories",
                    "in hot weather",
                ),
                ("lets my dead relatives sit at the table",),
            ),
            Preference(
                "screenplays",
                "p",
                (
                    "when I hear voices in my head",
                    "with my co-writer on Sundays",
                ),
                ("suit my ear for talk",),
            ),
            Preference(
                "free verse",
                "m",
                (
                    "when I'm heartsick",
                    "on scraps of paper at work",
                ),
                ("breaks lines where my breath does",),
            ),
            Preference(
                "satire",
                "m",
                (
                    "after I read the news",
                    "when I'm furious",
                ),
                ("gives my anger a funny hat",),
            ),
            Preference(
                "letters",
                "p",
                (
                    "when I'm far from someone",
                    "on airplanes",
                ),
                ("loosen my tongue",),
            ),
            Preference(
                "fan fiction",
                "m",
                (
                    "when a series ends badly",
                    "for my online friends",
                ),
                ("lets me fix what annoyed me",),
            ),
            Preference(
                "stream of consciousness",
                "m",
                (
                    "before I'm properly awake",
                    "when I'm blocked",
                ),
                ("gets my inner critic out of the room",),
            ),
            Preference(
                "historical sketches",
                "p",
                (
                    "after a day in the archives",
                    "when I visit ruins",
                ),
                ("make me smell another century",),
            ),
            Preference(
                "children's stories",
                "p",
                (
                    "for my niece at bedtime",
                    "when I feel silly",
                ),
                ("keep me honest and short",),
            ),
        ),
    ),
    Category(
        "musical instruments",
        nouns=("instruments",),
        frames=(
            "{Occ}, I play {x}.",
            "{X} {is} my instrument of choice {occ}.",
            "{Occ}, I practice {x}.",
            "I make music on {x} {occ}.",
            "In a band or alone I play {x}, because {they} {pt}.",
            "{X} {is} my favorite instrument: {they} {pt}.",
            "As a musician I never get tired of {x}, since {they} {pt}.",
            "The instrument I love to play is {x}; {they} {pt}.",
        ),
        topics=("musical instruments", "making music"),
        situations=(
            "A music shop is closing and everything is half price [on Saturday|this week]",
            ("I'm soundproofing a room at home [before the new year|for my band days] and planning what goes inside"),
            "My sister and I are forming a family band for [the reunion|Mom's seventieth]",
            "I finally have time for lessons again [this autumn|now that I'm retired]",
            "A friend with a recording studio gave me [two days|a weekend] to lay down every part myself",
            "A neighbor who repairs instruments offered to get mine [playable|in tune] again [by May|for free]",
        ),
        requests=(
            "which instruments should I [go for|have]?",
            "what should I be playing?",
            "what should I take lessons in?",
            "which ones should I [practice|sort out]?",
            "what should I make music on?",
        ),
        preferences=(
            Preference(
                "cello",
                "t",
                (
                    "when I want something close to a human voice",
                    "on melancholy evenings",
                ),
                ("hums right through my ribs",),
            ),
            Preference(
                "ukulele",
                "t",
                (
                    "on camping trips",
                    "when I want three chords and a laugh",
                ),
                ("fits in my backpack",),
            ),
            Preference(
                "piano",
                "t",
                (
                    "before dinner",
                    "when I'm lost for words",
                ),
                ("lets me play a whole orchestra alone",),
            ),
            Preference(
                "drums",
                "p",
                (
                    "when I need to get rid of steam",
                    "in the basement after work",
                ),
                ("make me sweat and grin",),
            ),
            Preference(
                "harmonica",
                "t",
                (
                    "around a fire",
                    "on long walks",
                ),
                ("lives in my coat pocket",),
            ),
            Preference(
                "violin",
                "t",
                (
                    "in the community orchestra",
                    "on winter Sundays",
                ),
                ("keeps me humble after twenty years",),
            ),
            Preference(
                "bass guitar",
                "t",
                (
                    "with my Thursday band",
                    "when I'd rather stand at the back",
                ),
                ("lets me hold it all together",),
            ),
            Preference(
                "accordion",
                "t",
                (
                    "at weddings with my uncles",
                    "when folks want to dance",
                ),
                ("makes me the center of any party",),
            ),
            Preference(
                "flute",
                "t",
                (
                    "in the garden at dusk",
                    "when I want a light, clear sound",
                ),
                ("steadies my breath",),
            ),
            Preference(
                "banjo",
                "t",
                (
                    "on the porch in summer",
                    "when my cousins bring fiddles",
                ),
                ("cheers me up on the first note",),
            ),
            Preference(
                "saxophone",
                "t",
                (
                    "late at night with the mute in",
                    "when I feel smoky and blue",
                ),
                ("says what I'd never dare to",),
            ),
            Preference(
                "handpan",
                "t",
                (
                    "when my mind is racing",
                    "in the park with strangers around",
                ),
                ("rings so softly that I forget the time",),
            ),
        ),
    ),
    Category(
        "types of puzzles",
        nouns=(
            "kinds of puzzles",
            "brain-teasers",
        ),
        frames=(
            "{Occ}, my puzzle of choice is {x}.",
            "{X} {is} my favorite brain exercise {occ}.",
            "{Occ}, I puzzle over {x}.",
            "I exercise my brain with {x} {occ}.",
            "For a mental challenge I love {x}, because {they} {pt}.",
            "{X} {is} my favorite brain-teaser{s}: {they} {pt}.",
            "I'm hooked on solving {x}, since {they} {pt}.",
            "When I want a challenge I turn to {x}; {they} {pt}.",
        ),
        topics=("puzzles", "brain-teasers"),
        situations=(
            "I'm flying to [Auckland|Seoul] and want enough to keep my brain busy for [eighteen hours|both ways]",
            "My grandmother and I spend rainy afternoons together [at the cottage|every Sunday]",
            "I'm on crutches until [Easter|the end of the month] and bored out of my mind",
            "My coworkers are making a brain-teaser corner [in the break room|for my last week] in my honor",
            "I'm shopping for [a long winter|a week in a cabin without internet]",
            "A puzzle shop packs custom hampers and my brother is ordering [for my birthday|tonight]",
        ),
        requests=(
            "what kinds of puzzles should I [bring|get]?",
            "which ones should be [in the bag|in the box]?",
            "what should I have to solve?",
            "what brain-teasers would [suit me|keep me hooked]?",
            "what should I puzzle over?",
        ),
        preferences=(
            Preference(
                "crosswords",
                "p",
                (
                    "with Saturday's paper and coffee",
                    "on the train",
                ),
                ("make me feel well-read",),
            ),
            Preference(
                "sudoku",
                "m",
                (
                    "in waiting rooms",
                    "before I turn off the light",
                ),
                ("settles my mind with its neat rows",),
            ),
            Preference(
                "jigsaws",
                "p",
                (
                    "at the cabin with a thousand pieces",
                    "around the holidays",
                ),
                ("keep my family at one table",),
            ),
            Preference(
                "escape rooms",
                "p",
                (
                    "on team outings",
                    "with my cleverest cousins",
                ),
                ("make my heart race against the clock",),
            ),
            Preference(
                "Rubik's cubes",
                "p",
                (
                    "when my fingers need work",
                    "during long phone calls",
                ),
                ("humble me in six colors",),
            ),
            Preference(
                "logic grids",
                "p",
                (
                    "with a sharp pencil",
                    "on rainy afternoons",
                ),
                ("appeal to the detective in me",),
            ),
            Preference(
                "word searches",
                "p",
                (
                    "when I'm too tired to think",
                    "on the beach",
                ),
                ("relax me like nothing else",),
            ),
            Preference(
                "cryptograms",
                "p",
                (
                    "when I feel like a spy",
                    "late in the evening",
                ),
                ("give me a thrill at the first cracked letter",),
            ),
            Preference(
                "nonograms",
                "p",
                (
                    "on my phone in line",
                    "when I want a picture at the end",
                ),
                ("pull me in for one more row",),
            ),
            Preference(
                "mechanical puzzles",
                "p",
                (
                    "after dinner with my engineer friends",
                    "when I want wood and metal in hand",
                ),
                ("frustrate me deliciously",),
            ),
            Preference(
                "riddles",
                "p",
                (
                    "on car rides with kids",
                    "around a campfire",
                ),
                ("make me think sideways",),
            ),
            Preference(
                "tangrams",
                "p",
                (
                    "with my six-year-old",
                    "at my desk between tasks",
                ),
                ("teach me to turn things around",),
            ),
        ),
    ),
    Category(
        "journaling styles",
        nouns=(
            "kinds of journaling",
            "kinds of diary entries",
        ),
        frames=(
            "{Occ}, I open my notebook for {x}.",
            "{X} {is} my kind of journaling {occ}.",
            "{Occ}, I pick up a pen for {x}.",
            "{X} {is} how I put things on paper {occ}.",
            "I keep up {x} because {they} {pt}.",
            "Of all the ways to keep a diary, I like {x} best: {they} {pt}.",
            "My notebook is mostly for {x}, since {they} {pt}.",
            "I've stuck with {x} for years; {they} {pt}.",
        ),
        topics=("journaling", "keeping a diary"),
        situations=(
            (
                "I bought a stack of blank notebooks [in the January sale|on a trip to Tokyo] "
                "and want to give each one a purpose"
            ),
            "My counselor suggested I write every day [for a month|until our next session]",
            "I'm creating a gift for my future kids: shelves of my own pages from [this year|now on]",
            "I've blocked out half an hour each evening [this spring|from Monday] to put pen to paper",
            "A stationery store runs a workshop series [on Saturdays|in May] and I can pick sessions",
            "I'm about to take a big trip and want to record it [in every way I like|properly]",
        ),
        requests=(
            "which journaling styles should I [use|keep up]?",
            "what should I fill the pages with?",
            "what kinds of entries should I [write|make]?",
            "how should I be journaling?",
            "which approaches on paper fit me?",
        ),
        preferences=(
            Preference(
                "gratitude lists",
                "p",
                (
                    "right before sleep",
                    "in gloomy months",
                ),
                ("tilt my mood toward the good",),
            ),
            Preference(
                "bullet journaling",
                "m",
                (
                    "when my tasks multiply",
                    "on Sunday nights",
                ),
                ("gets the chaos out of my skull",),
            ),
            Preference(
                "morning pages",
                "p",
                (
                    "before anyone is up",
                    "when I feel blocked",
                ),
                ("drain the noise out of me",),
            ),
            Preference(
                "art journaling",
                "m",
                (
                    "when words run dry",
                    "with watercolors on weekends",
                ),
                ("lets me be messy",),
            ),
            Preference(
                "dream journaling",
                "m",
                (
                    "the second I open my eyes",
                    "after vivid nights",
                ),
                ("catches images before I lose them",),
            ),
            Preference(
                "travel journaling",
                "m",
                (
                    "in cafés abroad",
                    "on every train ride",
                ),
                ("keeps tickets and smells together for me",),
            ),
            Preference(
                "prayer journaling",
                "m",
                (
                    "on Sunday afternoons",
                    "when I worry about my family",
                ),
                ("quiets me",),
            ),
            Preference(
                "reading journals",
                "p",
                (
                    "when I finish a novel",
                    "with a pencil behind my ear",
                ),
                ("help me remember what moved me",),
            ),
            Preference(
                "one-line-a-day",
                "m",
                (
                    "when I'm too tired for more",
                    "at the kitchen counter",
                ),
                ("shows me five years at a glance",),
            ),
            Preference(
                "letter journaling",
                "m",
                (
                    "when I miss my late father",
                    "on anniversaries",
                ),
                ("lets me say what I didn't",),
            ),
            Preference(
                "nature journaling",
                "m",
                (
                    "on walks with a field guide",
                    "in early spring",
                ),
                ("makes me draw what I'd overlook",),
            ),
            Preference(
                "mood tracking",
                "m",
                (
                    "when my hormones are wild",
                    "at the end of each day",
                ),
                ("shows me patterns I'd never see",),
            ),
        ),
    ),
    Category(
        "home improvement projects",
        nouns=(
            "home projects",
            "renovation jobs",
        ),
        frames=(
            "{Occ}, {x} {is} the home project I get started on.",
            "{X} {is} my favorite DIY job {occ}.",
            "I get out my tools for {x} {occ}.",
            "{X} {is} the work I like doing on the house {occ}.",
            "{X} {is} the house project I enjoy most, because {they} {pt}.",
            "With a toolbox in reach I like {x} best: {they} {pt}.",
            "When I renovate, I look forward to {x}, since {they} {pt}.",
            "When there's work to do on the house, I enjoy {x}; {they} {pt}.",
        ),
        topics=("home improvement", "renovation"),
        own_frames_only=True,
        situations=(
            "I've got two weeks off, a toolbox and [a patient spouse|a tax refund] [in May|this summer]",
            "We're preparing the house for [winter|my mother to move in|a long stay at home]",
            "A handy friend owes me [several weekends|a favor] and asked what we should do around the place",
            "I'm making a wish list before we apply for a renovation loan [this month|on Thursday]",
            "Our new house is sound but boring, and I get to choose what happens [first|this year]",
            "The hardware store has a one-day sale [on Saturday|for members] and I'm planning ahead",
        ),
        requests=(
            "which projects should I [tackle|put down]?",
            "what should I be fixing up?",
            "what jobs around the house should [we|I] do?",
            "what improvements would [I enjoy doing|suit me]?",
            "what should I buy materials for?",
        ),
        preferences=(
            Preference(
                "tiling backsplashes",
                "m",
                (
                    "when the kitchen looks tired",
                    "over a long weekend",
                ),
                ("lets me be as fussy as I like",),
            ),
            Preference(
                "building shelves",
                "m",
                (
                    "when books pile up on the floor",
                    "on rainy days in the workshop",
                ),
                ("gives me order in one afternoon",),
            ),
            Preference(
                "painting walls",
                "m",
                (
                    "when a season changes",
                    "with music turned up",
                ),
                ("transforms my mood for forty dollars",),
            ),
            Preference(
                "laying decking",
                "m",
                (
                    "in dry spring weather",
                    "when I dream of barbecues",
                ),
                ("earns me a place to sit outdoors",),
            ),
            Preference(
                "refinishing floors",
                "m",
                (
                    "when the family is away",
                    "once the carpets come up",
                ),
                ("shows me the oak beneath",),
            ),
            Preference(
                "installing lighting",
                "m",
                (
                    "when the days get short",
                    "on evenings with the fuse off",
                ),
                ("makes my rooms look twice as big",),
            ),
            Preference(
                "hanging wallpaper",
                "m",
                (
                    "in tiny rooms where I can go wild",
                    "with my sister on the ladder",
                ),
                ("tests my patience and pays it back",),
            ),
            Preference(
                "insulating attics",
                "m",
                (
                    "before the cold sets in",
                    "when the heating bill arrives",
                ),
                ("saves me money every month",),
            ),
            Preference(
                "landscaping",
                "m",
                (
                    "from the first warm weekend",
                    "when I need to dig",
                ),
                ("lets me shape something that grows",),
            ),
            Preference(
                "upgrading faucets",
                "m",
                (
                    "when a drip keeps me awake",
                    "on quiet Sundays",
                ),
                ("makes me feel like a plumber",),
            ),
            Preference(
                "restoring windows",
                "m",
                (
                    "on dry September days",
                    "when drafts creep in",
                ),
                ("keeps the old glass I love",),
            ),
            Preference(
                "soundproofing",
                "m",
                (
                    "when my son takes up drums",
                    "between tenants",
                ),
                ("buys me peace",),
            ),
        ),
    ),
    Category(
        "garden types",
        nouns=(
            "kinds of gardens",
            "kinds of planting",
        ),
        frames=(
            "I love tending {x} {occ}.",
            "{Occ}, I like to have {x}.",
            "{Occ}, I'd choose {x}.",
            "{X} {is} my pride and joy {occ}.",
            "I'd plant {x} anywhere I lived, because {they} {pt}.",
            "Any yard of mine needs {x}: {they} {pt}.",
            "When I get my hands in the soil, it's for {x}, since {they} {pt}.",
            "I've always wanted a place with {x}; {they} {pt}.",
        ),
        topics=("gardens", "gardening"),
        situations=(
            (
                "I've bought a house with [half an acre of mud|a bare yard|a long thin lot] and "
                "start digging [in April|this fall]"
            ),
            "A landscape student will draw plans for me [for her thesis|for free] and needs a brief",
            "The allotment office gave me [a double plot|three small plots] [this year|to share with nobody]",
            "I'm dividing my mother's estate grounds into areas [over the winter|with her blessing]",
            "We're touring open gardens [in June|in England] and I want to see ideas I'd copy",
            "My landlord lets me do whatever I like [in the courtyard|with the back lot] [from spring|as of now]",
        ),
        requests=(
            "what kinds of gardens should I [plant|make]?",
            "what areas should [the plan|it] have?",
            "what should I be growing out there?",
            "which styles of garden should I [look for|go for]?",
            "how should I lay it out?",
        ),
        preferences=(
            Preference(
                "herb garden",
                "s",
                (
                    "by the kitchen door",
                    "when I cook every night",
                ),
                ("saves me trips to the store",),
            ),
            Preference(
                "rock garden",
                "s",
                (
                    "on a dry slope",
                    "when I'm away a lot",
                ),
                ("asks me for next to nothing",),
            ),
            Preference(
                "wildflower meadow",
                "s",
                (
                    "where mowing is a pain",
                    "from May to August",
                ),
                ("hums with bees while I read",),
            ),
            Preference(
                "vegetable patch",
                "s",
                (
                    "when I've got kids to feed",
                    "in full sun behind the shed",
                ),
                ("gives me tomatoes worth bragging about",),
            ),
            Preference(
                "zen garden",
                "s",
                (
                    "when my head is loud",
                    "with a rake at sunrise",
                ),
                ("makes me breathe slower",),
            ),
            Preference(
                "rose garden",
                "s",
                (
                    "under the bedroom window",
                    "in memory of my grandmother",
                ),
                ("greets me with perfume in June",),
            ),
            Preference(
                "water garden",
                "s",
                (
                    "near the bench where I drink coffee",
                    "on hot days",
                ),
                ("brings frogs and dragonflies to me",),
            ),
            Preference(
                "container garden",
                "s",
                (
                    "on a balcony five floors up",
                    "when I might move again",
                ),
                ("comes along when I change flats",),
            ),
            Preference(
                "cottage garden",
                "s",
                (
                    "along the front fence",
                    "when I want hollyhocks and chaos",
                ),
                ("forgives me for every weed",),
            ),
            Preference(
                "orchard",
                "s",
                (
                    "at the far end of the lot",
                    "when I think in decades",
                ),
                ("feeds me pies all autumn",),
            ),
            Preference(
                "moon garden",
                "s",
                (
                    "for evenings after work",
                    "when I want white blooms after dark",
                ),
                ("glows when I finally get home",),
            ),
            Preference(
                "butterfly garden",
                "s",
                (
                    "in a sheltered corner",
                    "with my granddaughter and her net",
                ),
                ("gives me a reason to look up",),
            ),
        ),
    ),
    Category(
        "houseplants",
        nouns=(
            "plants",
            "kinds of greenery",
        ),
        frames=(
            "I like having {x} around {occ}.",
            "{X} {is} the plant I want {occ}.",
            "{X} {is} my favorite bit of green {occ}.",
            "{Occ}, I like {x} as a houseplant.",
            "I grow {x} indoors because {they} {pt}.",
            "{X} {is} my favorite houseplant{s}, since {they} {pt}.",
            "Of all the greenery in my home, I love {x} most: {they} {pt}.",
            "There's always room for {x} in my home; {they} {pt}.",
        ),
        topics=("houseplants", "indoor greenery"),
        situations=(
            "I moved into a flat with [huge windows|one dark corner and one sunny sill] and it looks bare",
            "The nursery has a sale [on Saturday|until the end of March] and my shelves are ready",
            "My office gave me [a whole windowsill|an empty glass cabinet] to green up",
            "A friend is moving abroad and I can adopt from her jungle [this weekend|before she flies]",
            "I'm building a plant stand for [the living room|the bathroom and hall] and choosing who lives there",
            "My aunt runs a greenhouse and sends cuttings [every spring|on request]",
        ),
        requests=(
            "which plants should I [get|bring home]?",
            "what should I put in the pots?",
            "what greenery would [suit me|thrive with me]?",
            "which ones should I [ask for|look for]?",
            "what should be growing indoors?",
        ),
        preferences=(
            Preference(
                "monstera",
                "s",
                (
                    "in the bright corner by the couch",
                    "when I want drama from one pot",
                ),
                ("makes my living room look like a magazine",),
            ),
            Preference(
                "snake plant",
                "s",
                (
                    "in the dim hallway",
                    "when I travel for weeks",
                ),
                ("survives my neglect",),
            ),
            Preference(
                "pothos",
                "m",
                (
                    "on top of the bookcase",
                    "when I feel like propagating",
                ),
                ("trails down while I do nothing",),
            ),
            Preference(
                "orchids",
                "p",
                (
                    "on the bathroom sill",
                    "when I want flowers in winter",
                ),
                ("reward my three ice cubes a week",),
            ),
            Preference(
                "succulents",
                "p",
                (
                    "on my desk in full sun",
                    "when I forget the watering can",
                ),
                ("ask nothing of me",),
            ),
            Preference(
                "peace lily",
                "s",
                (
                    "in the bedroom",
                    "when the air feels stale",
                ),
                ("droops to tell me it's thirsty",),
            ),
            Preference(
                "fiddle-leaf fig",
                "s",
                (
                    "in a tall empty space",
                    "when I'm up for a challenge",
                ),
                ("keeps me on my toes",),
            ),
            Preference(
                "Boston fern",
                "s",
                (
                    "in the steamy bathroom",
                    "in front of the shower window",
                ),
                ("makes my mornings feel tropical",),
            ),
            Preference(
                "spider plant",
                "s",
                (
                    "in the kids' room",
                    "when I need presents for the neighbors",
                ),
                ("hands me babies all year",),
            ),
            Preference(
                "aloe vera",
                "m",
                (
                    "next to the stove",
                    "when somebody gets burned",
                ),
                ("soothes my scalds in a minute",),
            ),
            Preference(
                "string of pearls",
                "m",
                (
                    "in a hanging pot",
                    "when I want something odd",
                ),
                ("makes visitors ask me questions",),
            ),
            Preference(
                "African violets",
                "p",
                (
                    "on my grandmother's old table",
                    "in an east-facing window",
                ),
                ("bloom for me in February",),
            ),
        ),
    ),
)
