"""Wellness and self-care: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "mental health activities",
        nouns=(
            "activities",
            "coping strategies",
        ),
        frames=(
            "{Occ}, {x} {is} how I look after my mental health.",
            "{X} {is} good for my mental state {occ}.",
            "{X} {is} my best therapy {occ}.",
            "{Occ}, I feel better after {x}.",
            "For my mental health I rely on {x}, because {they} {pt}.",
            "{X} {is} my way of staying well: {they} {pt}.",
            "When I'm stressed I rely on {x}, since {they} {pt}.",
            "I always feel better after {x}; {they} {pt}.",
        ),
        topics=("mental health", "emotional well-being"),
        own_frames_only=True,
        situations=(
            "I'm making a plan with my therapist for [the dark months|a stressful spring|life after the breakup]",
            "My job gives us wellness hours [every Wednesday|from this month] and I want to use them well",
            "I'm assembling an emergency list for bad days [on my fridge|with my sister's help]",
            "I'm on leave for burnout [until April|for six weeks] and need to fill the days gently",
            (
                "My best friend worries about me and wants to keep me company [twice a week|this "
                "winter] in whatever helps"
            ),
            "A support group asks us to share what we'd like to do [on Thursdays|in the coming weeks]",
        ),
        requests=(
            "which activities should I [plan|turn to]?",
            "what should I be doing for my mind?",
            "what would help me stay [steady|well]?",
            "what should be on [the plan|the list]?",
            "how should I look after my head?",
        ),
        preferences=(
            Preference(
                "talk therapy",
                "m",
                (
                    "every other Tuesday",
                    "when old patterns come back",
                ),
                ("helps me hear myself",),
            ),
            Preference(
                "nature walks",
                "p",
                (
                    "when my thoughts spin",
                    "before the town wakes",
                ),
                ("let me breathe out",),
            ),
            Preference(
                "painting",
                "m",
                (
                    "when I can't put things into words",
                    "on bad Sundays",
                ),
                ("gets the weight out of me",),
            ),
            Preference(
                "breathing exercises",
                "p",
                (
                    "in the elevator before meetings",
                    "when panic rises",
                ),
                ("bring my heart back down",),
            ),
            Preference(
                "calling a friend",
                "m",
                (
                    "when I start to withdraw",
                    "on lonely evenings",
                ),
                ("reminds me I'm not alone",),
            ),
            Preference(
                "volunteering",
                "m",
                (
                    "when I'm stuck inside my own story",
                    "on Saturdays at the shelter",
                ),
                ("turns my attention outward",),
            ),
            Preference(
                "journaling",
                "m",
                (
                    "when I can't tell what I feel",
                    "before bed",
                ),
                ("untangles my day",),
            ),
            Preference(
                "petting my dog",
                "m",
                (
                    "after a hard phone call",
                    "whenever the tears come",
                ),
                ("settles me faster than pills",),
            ),
            Preference(
                "gardening",
                "m",
                (
                    "in my slumps",
                    "with bare hands after rain",
                ),
                ("gives me proof that things grow back",),
            ),
            Preference(
                "crying at movies",
                "m",
                (
                    "when I've been numb too long",
                    "on Friday nights alone",
                ),
                ("lets the pressure out of me",),
            ),
            Preference(
                "cold showers",
                "p",
                (
                    "on sluggish mornings",
                    "when I'm spiraling",
                ),
                ("snap me back into my body",),
            ),
            Preference(
                "support groups",
                "p",
                (
                    "on Thursday nights",
                    "when nobody at home understands",
                ),
                ("make me feel normal",),
            ),
        ),
    ),
    Category(
        "meditation types",
        nouns=(
            "kinds of meditation",
            "contemplative practices",
        ),
        frames=(
            "{Occ}, I settle into {x}.",
            "{X} {is} the meditation I turn to {occ}.",
            "{X} {is} how I find stillness {occ}.",
            "I calm my thoughts with {x} {occ}.",
            "I meditate most days, and I love {x} because {they} {pt}.",
            "{X} {is} my favorite practice: {they} {pt}.",
            "To quiet my mind I choose {x}, since {they} {pt}.",
            "For a mindful half hour I choose {x}; {they} {pt}.",
        ),
        topics=("meditation", "mindfulness"),
        situations=(
            "I'm going on a ten-day retreat [in Vermont|in May] where each of us sets a program",
            "I've promised myself twenty quiet minutes [every day this year|before work]",
            "My anxiety is back and I'm rebuilding a practice [this month|with my doctor's blessing]",
            "A meditation app wants me to choose tracks [for the first month|before the trial ends]",
            "I'm making a calm corner [in the attic|at the office] and collecting what I need for it",
            "A teacher is visiting our group and will lead sessions on request [this Sunday|for a week]",
        ),
        requests=(
            "which types of meditation should I [practice|choose]?",
            "how should I be sitting?",
            "what practices should [it include|I ask for]?",
            "what sessions would [suit me|settle me]?",
            "what forms of stillness should I [go for|return to]?",
        ),
        preferences=(
            Preference(
                "body scan",
                "s",
                (
                    "when I lie awake",
                    "after long drives",
                ),
                ("shows me where I'm holding on",),
            ),
            Preference(
                "loving-kindness",
                "m",
                (
                    "when I'm angry at somebody",
                    "on family holidays",
                ),
                ("softens me toward difficult people",),
                tail="meditation",
            ),
            Preference(
                "walking meditation",
                "m",
                (
                    "in the park at lunch",
                    "when sitting hurts",
                ),
                ("lets me move and be still at once",),
            ),
            Preference(
                "mantra",
                "m",
                (
                    "on crowded trains",
                    "when my mind won't quit",
                ),
                ("gives my tongue something to hold",),
                tail="meditation",
            ),
            Preference(
                "Zen sitting",
                "m",
                (
                    "at dawn facing a wall",
                    "with my Thursday group",
                ),
                ("strips away my excuses",),
            ),
            Preference(
                "guided visualization",
                "m",
                (
                    "before an operation or exam",
                    "with headphones on",
                ),
                ("takes me to a beach I made up",),
            ),
            Preference(
                "breath counting",
                "m",
                (
                    "in waiting rooms",
                    "when I have two minutes",
                ),
                ("gets me to ten and back",),
            ),
            Preference(
                "sound bath",
                "s",
                (
                    "on full moon Fridays",
                    "when words tire me",
                ),
                ("vibrates through my bones",),
            ),
            Preference(
                "candle gazing",
                "m",
                (
                    "on winter evenings",
                    "when my eyes are sore from screens",
                ),
                ("draws me to one point",),
            ),
            Preference(
                "Vipassana",
                "m",
                (
                    "once a year for ten days",
                    "when I need the hard kind",
                ),
                ("shows me how my mind lies",),
            ),
            Preference(
                "transcendental",
                "m",
                (
                    "twice a day before meals",
                    "when work overheats",
                ),
                ("drops me below the noise",),
                tail="meditation",
            ),
            Preference(
                "moving meditation",
                "m",
                (
                    "with slow gestures on the lawn",
                    "when I'm fidgety",
                ),
                ("drains the restlessness from me",),
            ),
        ),
    ),
    Category(
        "self-care activities",
        nouns=(
            "self-care ideas",
            "small comforts",
        ),
        frames=(
            "{Occ}, I treat myself to {x}.",
            "{X} {is} how I relax and pamper myself {occ}.",
            "{X} {is} my favorite way to pamper myself {occ}.",
            "I take care of myself with {x} {occ}.",
            "To pamper myself I choose {x}, because {they} {pt}.",
            "{X} {is} the best self-care I know: {they} {pt}.",
            "I make room for {x} every week, since {they} {pt}.",
            "I count {x} as self-care; {they} {pt}.",
        ),
        topics=("self-care", "pampering"),
        situations=(
            "I finally have a weekend entirely to myself [while the family is away|after months of caregiving]",
            "My husband gave me a day off from everything [every month|for Mother's Day]",
            "I'm writing a recharge menu for [new-parent life|exam season|a tough quarter]",
            (
                "I have [three hundred dollars|a gift voucher] to spend only on looking after "
                "myself [this month|before it expires]"
            ),
            "My friends want to spoil me [after the surgery|for my birthday] and need direction",
            "I'm scheduling one kind thing for myself [every evening|each day of Lent]",
        ),
        requests=(
            "what self-care should I [plan|include]?",
            "how should I be pampering myself?",
            "what should I treat myself to?",
            "what would help me [recharge|feel human]?",
            "which small comforts should be [on the menu|on the list]?",
        ),
        preferences=(
            Preference(
                "bubble baths",
                "p",
                (
                    "on Sunday nights with the door locked",
                    "when my muscles ache",
                ),
                ("make me untouchable for an hour",),
            ),
            Preference(
                "massages",
                "p",
                (
                    "after a deadline",
                    "once a month on payday",
                ),
                ("undo what my desk does to me",),
            ),
            Preference(
                "face masks",
                "p",
                (
                    "while I watch trash TV",
                    "the night before an event",
                ),
                ("make me sit still",),
            ),
            Preference(
                "solo dinners",
                "p",
                (
                    "at a corner table with a novel",
                    "when I'm all peopled out",
                ),
                ("let me order exactly what I want",),
            ),
            Preference(
                "afternoon naps",
                "p",
                (
                    "under the heavy quilt",
                    "on rainy Saturdays",
                ),
                ("reset my whole mood",),
            ),
            Preference(
                "fresh flowers",
                "p",
                (
                    "on Mondays for my desk",
                    "in bleak months",
                ),
                ("make me feel looked after",),
            ),
            Preference(
                "manicures",
                "p",
                (
                    "with my sister",
                    "before a trip",
                ),
                ("keep my hands off my phone",),
            ),
            Preference(
                "phone-free evenings",
                "p",
                (
                    "in the middle of the week",
                    "when the news gets to me",
                ),
                ("give me back my brain",),
            ),
            Preference(
                "long walks",
                "p",
                (
                    "with no destination",
                    "when I've been cooped up",
                ),
                ("straighten out my thoughts",),
            ),
            Preference(
                "sauna",
                "t",
                (
                    "on icy days",
                    "after training",
                ),
                ("melts the winter out of me",),
            ),
            Preference(
                "reading in bed",
                "m",
                (
                    "on slow mornings",
                    "when the house is silent",
                ),
                ("feels like stealing time to me",),
            ),
            Preference(
                "good chocolate",
                "m",
                (
                    "on the way home from therapy",
                    "after hard conversations",
                ),
                ("rewards me in small squares",),
            ),
        ),
    ),
    Category(
        "sleep habits",
        nouns=(
            "sleep habits",
            "bedtime rituals",
        ),
        frames=(
            "{X} {is} how I get a good night's sleep {occ}.",
            "{Occ}, I fall asleep thanks to {x}.",
            "{X} {is} the secret of my good nights {occ}.",
            "{Occ}, I need {x} to sleep well.",
            "I sleep better with {x}, because {they} {pt}.",
            "{X} {is} my best bedtime habit: {they} {pt}.",
            "For a good night's sleep I depend on {x}; {they} {pt}.",
            "My nights depend on {x}, since {they} {pt}.",
        ),
        topics=("sleep", "rest at night"),
        own_frames_only=True,
        situations=(
            "I'm moving into a new bedroom [next week|near a loud street] and want to set it up for good nights",
            "My sleep doctor asked me what has worked for me [before our visit|so far]",
            "The clocks change [on Sunday|this month] and I always fall apart",
            "I'm on night shifts [until spring|every other week] and must protect my rest",
            "My partner complains I'm grumpy and wants to redo our evenings [for a month|starting tonight]",
            "I'm packing for a trip where I have to sleep well [in strange hotels|across eight time zones]",
        ),
        requests=(
            "which habits should I [keep|bring back]?",
            "what should I do to sleep well?",
            "what should my nights look like?",
            "what would help me drop off?",
            "what should be in place at bedtime?",
        ),
        preferences=(
            Preference(
                "white noise",
                "m",
                (
                    "in thin-walled hotels",
                    "when the neighbors party",
                ),
                ("covers up every creak for me",),
            ),
            Preference(
                "blackout curtains",
                "p",
                (
                    "in the light northern summer",
                    "after night shifts",
                ),
                ("fool my body into staying down",),
            ),
            Preference(
                "early bedtime",
                "s",
                (
                    "on work nights",
                    "when I feel a cold coming",
                ),
                ("makes me a nicer person",),
            ),
            Preference(
                "weighted blanket",
                "s",
                (
                    "when I'm anxious",
                    "in winter",
                ),
                ("holds me still like a hand",),
            ),
            Preference(
                "cool bedroom",
                "s",
                (
                    "in every season",
                    "when I toss and turn",
                ),
                ("puts me out in minutes",),
            ),
            Preference(
                "screen-free hours",
                "p",
                (
                    "for the last hour of the day",
                    "when my mind is wired",
                ),
                ("keep me from scrolling till two",),
            ),
            Preference(
                "lavender spray",
                "m",
                (
                    "after a stressful day",
                    "in unfamiliar beds",
                ),
                ("tells my brain the day is over",),
            ),
            Preference(
                "magnesium",
                "m",
                (
                    "after hard training",
                    "with a glass of water at nine",
                ),
                ("stops my legs from twitching",),
            ),
            Preference(
                "same wake-up time",
                "t",
                (
                    "on weekends too",
                    "when jet lag threatens",
                ),
                ("anchors my whole week",),
            ),
            Preference(
                "separate beds",
                "p",
                (
                    "before big presentations",
                    "when one of us snores",
                ),
                ("give me the whole mattress",),
            ),
            Preference(
                "audiobook timers",
                "p",
                (
                    "when silence is too loud",
                    "on restless nights",
                ),
                ("send me off mid-chapter",),
            ),
        ),
    ),
    Category(
        "morning routine habits",
        nouns=(
            "morning habits",
            "rituals",
        ),
        frames=(
            "{Occ}, I start the morning with {x}.",
            "{X} {is} part of my morning {occ}.",
            "{X} {is} how I get going in the morning, most of all {occ}.",
            "My day begins with {x} after the alarm, above all {occ}.",
            "{X} {is} a morning ritual of mine, because {they} {pt}.",
            "{X} {is} my favorite morning habit: {they} {pt}.",
            "{X} {is} the part of my morning routine I never skip, since {they} {pt}.",
            "{X} {is} how I wake up properly; {they} {pt}.",
        ),
        topics=("mornings", "morning routines"),
        own_frames_only=True,
        situations=(
            "I start a job with a six o'clock alarm [on Monday|next month] and want my mornings to work",
            "I keep snoozing until the last second and I'm redesigning the first hour [this spring|for a month]",
            "A time-use researcher wants me to log my ideal start to the day [this week|as a volunteer]",
            "My roommate and I are syncing our schedules [before school begins|in the new flat]",
            "I'm on vacation at home [for ten days|while the kids are at camp] and want each day to begin well",
            ("My coach says that winning the day starts early, and I'm filling in her worksheet [tonight|by Sunday]"),
        ),
        requests=(
            "which habits should I [build in|start with]?",
            "what should my mornings look like?",
            "what should I do after the alarm?",
            "what should the first hour contain?",
            "what would get my day going right?",
        ),
        preferences=(
            Preference(
                "making the bed",
                "m",
                (
                    "before I can change my mind",
                    "on even the worst days",
                ),
                ("gives me one win by seven",),
            ),
            Preference(
                "lemon water",
                "m",
                (
                    "while the coffee drips",
                    "barefoot in the kitchen",
                ),
                ("rinses the sleep out of me",),
            ),
            Preference(
                "sunrise jogs",
                "p",
                (
                    "from April on",
                    "when the streets are empty",
                ),
                ("make me smug until noon",),
            ),
            Preference(
                "stretching",
                "m",
                (
                    "on the rug beside the cat",
                    "when my back is stiff",
                ),
                ("oils my rusty joints",),
            ),
            Preference(
                "cold plunge",
                "s",
                (
                    "three days a week",
                    "when I need a jolt",
                ),
                ("scares me wide awake",),
            ),
            Preference(
                "reading the paper",
                "m",
                (
                    "over toast",
                    "on the balcony in summer",
                ),
                ("lets me ease into the world",),
            ),
            Preference(
                "writing a to-do list",
                "m",
                (
                    "with my first sip",
                    "on crowded days",
                ),
                ("keeps me from running in circles",),
            ),
            Preference(
                "dog walk",
                "s",
                (
                    "at six in any weather",
                    "round the pond",
                ),
                ("gets me dressed and outside",),
            ),
            Preference(
                "affirmations",
                "p",
                (
                    "in the bathroom mirror",
                    "before interviews",
                ),
                ("make me laugh and then believe",),
            ),
            Preference(
                "big breakfast",
                "s",
                (
                    "when I won't see lunch",
                    "with the kids around the table",
                ),
                ("carries me to two o'clock",),
            ),
            Preference(
                "dancing to one song",
                "m",
                (
                    "in my pajamas",
                    "on gray Mondays",
                ),
                ("shakes off my gloom",),
            ),
            Preference(
                "leaving my phone in a drawer",
                "m",
                (
                    "before my first coffee",
                    "on days when I have to write",
                ),
                ("keeps my head my own",),
            ),
        ),
    ),
    Category(
        "evening routine habits",
        nouns=(
            "evening habits",
            "rituals",
        ),
        frames=(
            "{X} {is} how I wind down in the evening, above all {occ}.",
            "{X} {is} part of my bedtime routine {occ}.",
            "{X} {is} how I end the evening {occ}.",
            "{X} {is} my nightly ritual {occ}.",
            "{X} {is} an evening ritual of mine, because {they} {pt}.",
            "{X} {is} my favorite evening habit: {they} {pt}.",
            "Before bed I like {x}, since {they} {pt}.",
            "My nights end with {x}; {they} {pt}.",
            "After dinner I look forward to {x}; {they} {pt}.",
        ),
        topics=("evenings", "evening routines"),
        own_frames_only=True,
        situations=(
            "My evenings vanish into scrolling and I'm replacing that [from tonight|for the month of May]",
            "I moved in with my girlfriend and we're agreeing on how we wind down [on weeknights|after ten]",
            "A sleep clinic asked me to design my ideal last two hours [for a trial|before Friday]",
            "I have no late meetings anymore [since my promotion|this quarter] and want to use the time well",
            "I'm on my own with the kids asleep by eight [all week|while my wife travels]",
            "The nights are getting longer and I'd like a pleasant rhythm after dinner [this fall|until spring]",
        ),
        requests=(
            "which habits should I [settle into|include]?",
            "what should my evenings look like?",
            "what should I do before bed?",
            "how should I wind down?",
            "what should the last hours hold?",
        ),
        preferences=(
            Preference(
                "herbal tea",
                "m",
                (
                    "once the dishes are done",
                    "in my chipped blue mug",
                ),
                ("tells me the day is over",),
            ),
            Preference(
                "evening stroll",
                "s",
                (
                    "around the block after supper",
                    "when it's still light",
                ),
                ("walks the work out of me",),
            ),
            Preference(
                "light stretching",
                "m",
                (
                    "on the bedroom floor",
                    "after a day of sitting",
                ),
                ("lets my hips forgive me",),
            ),
            Preference(
                "reading fiction",
                "m",
                (
                    "by the small lamp",
                    "for at least one chapter",
                ),
                ("carries me off to other lives",),
            ),
            Preference(
                "setting out clothes",
                "m",
                (
                    "before an early start",
                    "on Sunday nights",
                ),
                ("saves me ten minutes of swearing",),
            ),
            Preference(
                "hot shower",
                "s",
                (
                    "when I come in cold",
                    "right before pajamas",
                ),
                ("washes the office off me",),
            ),
            Preference(
                "journaling",
                "m",
                (
                    "with the window open",
                    "when the day was too much",
                ),
                ("empties my head onto paper",),
            ),
            Preference(
                "tidying the kitchen",
                "m",
                (
                    "with a podcast on",
                    "while the kettle boils",
                ),
                ("makes tomorrow kinder to me",),
            ),
            Preference(
                "skincare",
                "m",
                (
                    "in front of the steamy mirror",
                    "no matter how late",
                ),
                ("feels like a small kindness to myself",),
            ),
            Preference(
                "family card game",
                "s",
                (
                    "after the homework is done",
                    "on stormy nights",
                ),
                ("keeps us off our phones and makes me laugh",),
            ),
            Preference(
                "dim lights",
                "p",
                (
                    "from nine on",
                    "in every room",
                ),
                ("trick my body into slowing down",),
            ),
            Preference(
                "calling my mother",
                "m",
                (
                    "on my way up to bed",
                    "most weeknights",
                ),
                ("closes the day properly for me",),
            ),
        ),
    ),
)
