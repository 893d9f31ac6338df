"""Tech and learning: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "programming languages",
        nouns=(
            "programming languages",
            "languages",
        ),
        frames=(
            "{Occ}, I code in {x}.",
            "{X} {is} the language I use {occ}.",
            "I reach for {x} {occ}.",
            "{X} {is} my language of choice {occ}.",
            "I like to code in {x} because {they} {pt}.",
            "{X} {is} my favorite programming language: {they} {pt}.",
            "I write as much {x} code as I can, since {they} {pt}.",
            "As a developer I keep coming back to {x}; {they} {pt}.",
        ),
        topics=("programming languages", "coding"),
        situations=(
            "I'm setting up a new laptop [for a hackathon|before my first day] and installing toolchains",
            "I'm planning side projects for [the winter|my sabbatical] and want to write them in what I like",
            "A recruiter asked what I'd be happy to code in [by Friday|for my next contract]",
            "My bootcamp wants me to mentor [this spring|on Tuesdays] in whatever I enjoy",
            "I'm building a personal site with small demos [for job interviews|over the holidays]",
            "The library is buying technical books and lets me suggest titles [this month|for the new shelf]",
        ),
        requests=(
            "which languages should I [choose|set up]?",
            "what should I be coding in?",
            "what should I write the programs in?",
            "which compilers and docs should I [have ready|get]?",
            "which ones would [make me productive|suit me]?",
        ),
        preferences=(
            Preference(
                "Python",
                "m",
                (
                    "when I need an answer by lunch",
                    "for data that arrives in a mess",
                ),
                ("reads like my own thoughts",),
            ),
            Preference(
                "Rust",
                "m",
                (
                    "when a crash would be expensive",
                    "on weekends with time to argue with the compiler",
                ),
                ("catches my mistakes before I run anything",),
            ),
            Preference(
                "TypeScript",
                "m",
                (
                    "for anything with buttons",
                    "when a team will touch the code",
                ),
                ("saves me from my own typos",),
            ),
            Preference(
                "Go",
                "m",
                (
                    "for small services that must stay up",
                    "when I want boring and fast",
                ),
                ("lets me read any file in a minute",),
            ),
            Preference(
                "Haskell",
                "m",
                (
                    "when I'm in a mathematical mood",
                    "on long winter evenings",
                ),
                ("bends my brain pleasantly",),
            ),
            Preference(
                "SQL",
                "m",
                (
                    "when the truth is in the tables",
                    "many times a day at work",
                ),
                ("answers me in one statement",),
            ),
            Preference(
                "Kotlin",
                "m",
                (
                    "for apps on my phone",
                    "when Java would take twice the lines",
                ),
                ("keeps me cheerful about Android",),
            ),
            Preference(
                "Julia",
                "m",
                (
                    "for simulations",
                    "when loops must be quick",
                ),
                ("lets me write formulas as I think them",),
            ),
            Preference(
                "Ruby",
                "m",
                (
                    "when I want to build a site over a weekend",
                    "for scripts nobody else sees",
                ),
                ("makes me smile as I type",),
            ),
            Preference(
                "Elixir",
                "m",
                (
                    "when thousands of users chat at once",
                    "for hobby servers",
                ),
                ("shrugs off crashes so I can sleep",),
            ),
            Preference(
                "Swift",
                "m",
                (
                    "for things on my tablet",
                    "when I want polish",
                ),
                ("feels modern to me without being fussy",),
            ),
            Preference(
                "Bash",
                "m",
                (
                    "for gluing jobs together",
                    "at two in the morning on a server",
                ),
                ("gets me out of trouble in one line",),
            ),
        ),
    ),
    Category(
        "tech interests",
        nouns=(
            "areas of technology",
            "tech fields",
        ),
        frames=(
            "{Occ}, I get excited about {x}.",
            "{X} {is} the corner of tech I explore {occ}.",
            "{X} {is} the technology that fascinates me {occ}.",
            "{Occ}, {x} {is} the tech I want to explore.",
            "As a bit of a geek I love {x}, because {they} {pt}.",
            "I find {x} the most exciting part of technology, since {they} {pt}.",
            "{X} {is} my favorite area of technology: {they} {pt}.",
            "In the world of tech I like {x} best; {they} {pt}.",
        ),
        topics=("technology", "tech"),
        own_frames_only=True,
        situations=(
            "I'm choosing talks at a huge expo [in Las Vegas|next week] with twenty stages",
            "I subscribed to a newsletter builder that needs [my interests|a few subjects] [today|to get started]",
            "My employer gives me a learning budget and [ten free Fridays|one free month] to explore",
            "A science museum friend wants to show me around the labs [this Saturday|in Boston]",
            "I'm planning tinkering nights for [the makerspace|my garage] through [the winter|April]",
            "My nephew is picking gadget magazines and kits for [my birthday|Christmas]",
        ),
        requests=(
            "which tech should I [look into|focus on]?",
            "what fields should I [follow|sign up for]?",
            "what should I be exploring?",
            "which gadgets and ideas would [grab me|suit me]?",
            "what areas should be on [the program|my radar]?",
        ),
        preferences=(
            Preference(
                "home automation",
                "m",
                (
                    "when I'm too lazy to get up",
                    "on rainy weekends with sensors all over",
                ),
                ("makes my lights obey me",),
            ),
            Preference(
                "robotics",
                "m",
                (
                    "with my daughter's school team",
                    "when something needs wheels",
                ),
                ("brings out my inner twelve-year-old",),
            ),
            Preference(
                "3D printing",
                "m",
                (
                    "when a knob breaks",
                    "late at night in the garage",
                ),
                ("lets me make the part nobody sells",),
            ),
            Preference(
                "virtual reality",
                "m",
                (
                    "on winter nights",
                    "when I want to be elsewhere",
                ),
                ("makes me duck in my own living room",),
            ),
            Preference(
                "cybersecurity",
                "m",
                (
                    "after every big breach",
                    "on train rides with a lab on my laptop",
                ),
                ("appeals to my suspicious nature",),
            ),
            Preference(
                "drones",
                "p",
                (
                    "on calm mornings",
                    "when I visit the coast",
                ),
                ("give me a bird's eye",),
            ),
            Preference(
                "machine learning",
                "m",
                (
                    "when I have too much data",
                    "in the evenings with a rented graphics card",
                ),
                ("surprises me even when I wrote it",),
            ),
            Preference(
                "electric vehicles",
                "p",
                (
                    "when fuel gets dear",
                    "at every motor show",
                ),
                ("make me read spec sheets for fun",),
            ),
            Preference(
                "wearables",
                "p",
                (
                    "when I train for a race",
                    "on restless nights",
                ),
                ("tell me when I should rest",),
            ),
            Preference(
                "open-source software",
                "m",
                (
                    "on Sunday afternoons",
                    "when a bug annoys me",
                ),
                ("lets me fix what I use",),
            ),
            Preference(
                "quantum computing",
                "m",
                (
                    "when I want my head to hurt",
                    "over coffee with a physicist friend",
                ),
                ("keeps me humble",),
            ),
            Preference(
                "retro computing",
                "m",
                (
                    "when I miss beeps and green text",
                    "at flea markets",
                ),
                ("takes me back to my first keyboard",),
            ),
        ),
    ),
    Category(
        "academic subjects",
        nouns=(
            "academic subjects",
            "fields of study",
        ),
        frames=(
            "{Occ}, I could study {x} for hours.",
            "{X} {is} the subject that draws me in {occ}.",
            "I like to study {x} {occ}.",
            "{X} {is} the field I like to study {occ}.",
            "I love studying {x} because {they} {pt}.",
            "{X} {is} my favorite subject: {they} {pt}.",
            "If I went back to college, I'd take {x}, since {they} {pt}.",
            "I'll read any textbook on {x}; {they} {pt}.",
        ),
        topics=("academic subjects", "studying"),
        own_frames_only=True,
        situations=(
            "I'm enrolling in evening college [in September|for the first time] and may take several courses",
            "My kid's school wants parents to give guest lessons [this term|on Fridays] in what they love",
            "I'm a lifelong learner with free access to online lectures [until June|through the library]",
            "A quiz team needs to know what I can cover [before Thursday|for the league]",
            "I'm choosing electives for [the spring semester|my exchange year]",
            "My retirement plan is to go back to campus [next fall|two days a week] and sit in the back row",
        ),
        requests=(
            "which subjects should I [take|put down]?",
            "what should I study?",
            "what courses should I [sign up for|look for]?",
            "which lectures would [hold me|I enjoy]?",
            "what fields of learning suit me?",
        ),
        preferences=(
            Preference(
                "astronomy",
                "m",
                (
                    "when the sky is clear",
                    "on sleepless nights",
                ),
                ("makes me feel small in a good way",),
            ),
            Preference(
                "economics",
                "m",
                (
                    "when prices jump",
                    "over the Sunday paper",
                ),
                ("explains my neighbors to me",),
            ),
            Preference(
                "medieval history",
                "m",
                (
                    "before a trip to old castles",
                    "in long winters",
                ),
                ("feeds my love of plagues and kings",),
            ),
            Preference(
                "psychology",
                "m",
                (
                    "when my family puzzles me",
                    "after difficult talks",
                ),
                ("gives me names for what people do",),
            ),
            Preference(
                "organic chemistry",
                "m",
                (
                    "when I bake",
                    "with colored pencils",
                ),
                ("appeals to my love of structure",),
            ),
            Preference(
                "art history",
                "m",
                (
                    "on museum Sundays",
                    "when I plan trips to Italy",
                ),
                ("teaches me where to look",),
            ),
            Preference(
                "statistics",
                "m",
                (
                    "when somebody quotes a poll",
                    "on rainy evenings with a dataset",
                ),
                ("guards me against nonsense",),
            ),
            Preference(
                "philosophy",
                "m",
                (
                    "when I can't accept a simple answer",
                    "late at night",
                ),
                ("keeps me asking",),
            ),
            Preference(
                "marine biology",
                "m",
                (
                    "on seaside holidays",
                    "with a bucket at low tide",
                ),
                ("brings back my childhood plan",),
            ),
            Preference(
                "anthropology",
                "m",
                (
                    "when I travel",
                    "after weddings in other cultures",
                ),
                ("makes my own habits look strange",),
            ),
            Preference(
                "geology",
                "m",
                (
                    "on mountain roads",
                    "when I pick up a stone",
                ),
                ("stretches my sense of time",),
            ),
            Preference(
                "literature",
                "m",
                (
                    "with a pencil in my hand",
                    "in quiet weeks",
                ),
                ("lets me live more than once",),
            ),
        ),
    ),
    Category(
        "skills to learn",
        nouns=(
            "skills",
            "abilities",
        ),
        frames=(
            "{Occ}, I wish I had learned {x}.",
            "{X} {is} the skill I miss most {occ}.",
            "{Occ}, I think I should learn {x}.",
            "I want to practice and get good at {x}, above all {occ}.",
            "I'd love to master the skill of {x}, because {they} {pt}.",
            "{X} {is} next on my list of skills: {they} {pt}.",
            "A new skill I'm keen to learn is {x}, since {they} {pt}.",
            "{X} {is} what I'd like to be taught; {they} {pt}.",
            "{X} {is} high on my wish list: {they} {pt}.",
        ),
        topics=("new skills", "learning skills"),
        situations=(
            "I turned thirty and want a list of things to get good at [this year|before forty]",
            "I've got a gift card for any adult-education class [until May|in town]",
            "My mentor suggested I spend an hour a day learning something new [this quarter|outside work]",
            "I'm taking a gap year with [no phone|an open calendar] and want to come back handier",
            "A skills-swap group pairs people [on Sundays|this month] and asked what I'd like to be taught",
            "My resolution list needs to be finished [by New Year's Day|tonight]",
        ),
        requests=(
            "which skills should I [work on|sign up for]?",
            "what should I learn?",
            "what should I be practicing?",
            "what lessons should I [look for|book]?",
            "which abilities would [I be keen on|pay off for me]?",
        ),
        own_frames_only=True,
        preferences=(
            Preference(
                "public speaking",
                "m",
                (
                    "before a wedding toast",
                    "when my knees shake in meetings",
                ),
                ("would cure my fear of crowds",),
            ),
            Preference(
                "first aid",
                "m",
                (
                    "when the kids climb trees",
                    "when I lead hikes",
                ),
                ("would let me help instead of standing by",),
            ),
            Preference(
                "lock picking",
                "m",
                (
                    "when I watch heist films",
                    "after losing my keys again",
                ),
                ("delights the burglar in me",),
            ),
            Preference(
                "sewing",
                "m",
                (
                    "when hems come down",
                    "on rainy Sundays",
                ),
                ("would save my favorite coat",),
            ),
            Preference(
                "juggling",
                "m",
                (
                    "while the kettle boils",
                    "at parties with oranges",
                ),
                ("makes me look foolish in a healthy way",),
            ),
            Preference(
                "touch typing",
                "m",
                (
                    "when I answer emails at work",
                    "when my ideas outrun my fingers",
                ),
                ("frees me from staring at keys",),
            ),
            Preference(
                "negotiation",
                "m",
                (
                    "before every salary talk",
                    "at flea markets",
                ),
                ("stops me from giving in too early",),
            ),
            Preference(
                "bike repair",
                "m",
                (
                    "when a chain snaps far from home",
                    "in early spring",
                ),
                ("keeps me off the bus",),
            ),
            Preference(
                "sign language",
                "m",
                (
                    "on visits to my deaf niece",
                    "when I see interpreters on TV",
                ),
                ("would let me in on my niece's jokes",),
            ),
            Preference(
                "knife skills",
                "p",
                (
                    "when I cook for a crowd",
                    "when I prep meals on Sundays",
                ),
                ("would spare my fingertips",),
            ),
            Preference(
                "speed reading",
                "m",
                (
                    "when reports pile up",
                    "on the train",
                ),
                ("promises me a smaller stack",),
            ),
            Preference(
                "welding",
                "m",
                (
                    "in a friend's workshop",
                    "when the garden gate breaks",
                ),
                ("makes me feel I could build anything",),
            ),
        ),
    ),
    Category(
        "languages to learn",
        nouns=(
            "languages",
            "foreign tongues",
        ),
        frames=(
            "{Occ}, I wish I spoke better {x}.",
            "{Occ}, I practice my {x}.",
            "I'd love to be fluent in {x}, above all {occ}.",
            "{X} {is} the language I want to speak {occ}.",
            "I'm learning {x} because {they} {pt}.",
            "{X} {is} the language I most want to speak: {they} {pt}.",
            "I keep up my {x} vocabulary; the language {pt}.",
            "Of all foreign languages, I love {x} most; {they} {pt}.",
        ),
        topics=("languages", "foreign languages"),
        situations=(
            "I'm starting evening classes [in January|after the summer] and the school lets me take more than one",
            "A polyglot friend is making me a five-year plan [this weekend|over coffee]",
            "My app gives me unlimited courses [for a year|until December] and I'm setting it up",
            "I'm choosing exchange partners at the university [this term|on Thursday]",
            "My next few trips depend on where I'd like to speak with locals [by myself|without a phrasebook]",
            "The library is giving away grammar books [on Saturday|while they last]",
        ),
        requests=(
            "which languages should I [take on|study]?",
            "what should I learn to speak?",
            "which tongues should be [in the plan|on my list]?",
            "what should I sign up for?",
            "which ones match [my reasons|what I want]?",
        ),
        own_frames_only=True,
        preferences=(
            Preference(
                "Spanish",
                "m",
                (
                    "on trips to my in-laws in Bogotá",
                    "when I want to be useful at the clinic",
                ),
                ("opens half a continent to me",),
            ),
            Preference(
                "Japanese",
                "m",
                (
                    "when I watch old films",
                    "before a winter in Sapporo",
                ),
                ("rewards me one character at a time",),
            ),
            Preference(
                "Italian",
                "m",
                (
                    "when I sing arias",
                    "in summer with a cookbook",
                ),
                ("rolls off my tongue like music",),
            ),
            Preference(
                "Arabic",
                "m",
                (
                    "when I hear my neighbors laugh",
                    "on evenings with a reed pen",
                ),
                ("draws me with its script",),
            ),
            Preference(
                "Portuguese",
                "m",
                (
                    "for afternoons with my capoeira group",
                    "when I listen to bossa nova",
                ),
                ("sounds to me like the sea",),
            ),
            Preference(
                "Korean",
                "m",
                (
                    "when subtitles annoy me",
                    "late at night with dramas on",
                ),
                ("has an alphabet I learned in one day",),
            ),
            Preference(
                "Swedish",
                "m",
                (
                    "before midsummer with my cousins",
                    "when crime novels tempt me",
                ),
                ("makes me sing my sentences",),
            ),
            Preference(
                "Mandarin",
                "m",
                (
                    "for calls with our Shanghai office",
                    "at the tea shop",
                ),
                ("keeps my brain young",),
            ),
            Preference(
                "Welsh",
                "m",
                (
                    "on visits to my grandmother's village",
                    "when I sing in chapel",
                ),
                ("connects me to my own name",),
            ),
            Preference(
                "German",
                "m",
                (
                    "when I read philosophy",
                    "before moving to Leipzig",
                ),
                ("satisfies me with its endless words",),
            ),
            Preference(
                "Greek",
                "m",
                (
                    "on ferries between islands",
                    "when I read inscriptions",
                ),
                ("lets me order octopus with pride",),
            ),
            Preference(
                "Swahili",
                "m",
                (
                    "ahead of my year in Tanzania",
                    "with a nurse from Mombasa",
                ),
                ("has a rhythm I can dance to",),
            ),
        ),
    ),
    Category(
        "language learning methods",
        nouns=(
            "language-learning methods",
            "ways of learning",
        ),
        frames=(
            "{X} {is} how I learn to speak {occ}.",
            "{X} {is} my favorite way to practice {occ}.",
            "{Occ}, I work on my fluency with {x}.",
            "To get fluent I depend on {x} {occ}.",
            "{X} {is} my favorite way to learn languages, because {they} {pt}.",
            "{X} {is} the best way to get fluent I know: {they} {pt}.",
            "When I learn a language I count on {x}, since {they} {pt}.",
            "I pick up languages thanks to {x}; {they} {pt}.",
        ),
        topics=("language learning", "getting fluent"),
        own_frames_only=True,
        situations=(
            "I have six months until I move to [Madrid|Seoul|Berlin] and want to be ready to chat",
            "My tutor asked how I like to work so that she can plan [our first month|the term]",
            "I stalled at intermediate level and I'm redesigning my routine [this spring|from Monday]",
            "I've got one free hour each day [until the exam|all summer] for getting fluent",
            "A school lets students assemble their own program [this week|online]",
            ("My friend is starting from zero and wants to copy how I pick up a new tongue [this year|step by step]"),
        ),
        requests=(
            "which methods should I [combine|use]?",
            "how should I be learning?",
            "what should my practice consist of?",
            "what approaches should go [in the plan|on the schedule]?",
            "what ways of learning fit me?",
        ),
        preferences=(
            Preference(
                "flashcards",
                "p",
                (
                    "in line at the store",
                    "on the bus with my phone",
                ),
                ("make words stick in my head",),
            ),
            Preference(
                "tandem partners",
                "p",
                (
                    "over beers on Thursdays",
                    "when I want slang",
                ),
                ("correct me without making me blush",),
            ),
            Preference(
                "shadowing",
                "m",
                (
                    "while I wash up",
                    "alone in the car",
                ),
                ("loosens my accent",),
            ),
            Preference(
                "watching soap operas",
                "m",
                (
                    "at lunch with subtitles off",
                    "when I'm too tired for grammar",
                ),
                ("teaches me how people really fight",),
            ),
            Preference(
                "graded readers",
                "p",
                (
                    "before bed",
                    "when real novels are still too hard",
                ),
                ("let me finish a whole book with pride",),
            ),
            Preference(
                "immersion trips",
                "p",
                (
                    "in the summer break",
                    "when my savings allow it",
                ),
                ("throw me in at the deep end",),
            ),
            Preference(
                "singing along",
                "m",
                (
                    "in the shower",
                    "on road trips",
                ),
                ("tricks my mouth into new sounds",),
            ),
            Preference(
                "grammar drills",
                "p",
                (
                    "with a sharp pencil at my desk",
                    "when rules confuse me",
                ),
                ("calm my need for order",),
            ),
            Preference(
                "language apps",
                "p",
                (
                    "on the subway",
                    "when I only have five minutes",
                ),
                ("keep me coming back with streaks",),
            ),
            Preference(
                "keeping a diary",
                "m",
                (
                    "before I sleep",
                    "at the end of each lesson",
                ),
                ("makes me look up the words I need",),
            ),
            Preference(
                "private tutoring",
                "m",
                (
                    "on Tuesday evenings",
                    "ahead of exams",
                ),
                ("stops me from hiding",),
            ),
            Preference(
                "labeling my house",
                "m",
                (
                    "in the first weeks of a course",
                    "with sticky notes on every door",
                ),
                ("makes me learn fork and faucet",),
            ),
        ),
    ),
    Category(
        "study techniques",
        nouns=(
            "study techniques",
            "revision methods",
        ),
        frames=(
            "{X} {is} how I study {occ}.",
            "{Occ}, I rely on {x}.",
            "{X} {is} my study technique of choice {occ}.",
            "{X} {is} how I learn best {occ}.",
            "{X} {is} my favorite way to revise, because {they} {pt}.",
            "When I study I depend on {x}: {they} {pt}.",
            "When I study for exams I need {x}; {they} {pt}.",
            "Before a test I count on {x}, since {they} {pt}.",
        ),
        topics=("studying", "exam preparation"),
        own_frames_only=True,
        situations=(
            "Finals are [three weeks away|in May] and I'm drawing up a revision plan",
            ("I went back to school at forty and need to relearn how to study [this semester|before the first test]"),
            "My bar exam prep starts [on Monday|in June] and I have [ten weeks|every weekend]",
            "A tutoring center wants older students to show what works for them [at an open day|on Friday]",
            "I'm retaking chemistry and don't want to fail [again|this time]",
            "My little brother is starting college [in the fall|next week] and wants to try my approach",
        ),
        requests=(
            "which techniques should I [mix|use]?",
            "how should I be studying?",
            "what should my sessions consist of?",
            "what methods should I [rely on|schedule]?",
            "what would help me [remember it all|pass]?",
        ),
        preferences=(
            Preference(
                "active recall",
                "m",
                (
                    "with the book shut",
                    "right after a lecture",
                ),
                ("shows me what I don't know",),
            ),
            Preference(
                "mind maps",
                "p",
                (
                    "on big sheets of paper",
                    "when a topic has many arms",
                ),
                ("let me see it whole",),
            ),
            Preference(
                "teaching a friend",
                "m",
                (
                    "the night before a test",
                    "over coffee on campus",
                ),
                ("exposes every gap in my head",),
            ),
            Preference(
                "spaced repetition",
                "m",
                (
                    "on the bus to campus",
                    "for endless vocabulary",
                ),
                ("beats my forgetting",),
            ),
            Preference(
                "past papers",
                "p",
                (
                    "in the final weeks",
                    "with a timer and no phone",
                ),
                ("take away my fear",),
            ),
            Preference(
                "group sessions",
                "p",
                (
                    "in the library on Sundays",
                    "when I can't face it alone",
                ),
                ("keep me from giving up",),
            ),
            Preference(
                "color coding",
                "m",
                (
                    "with five highlighters",
                    "when notes all look the same",
                ),
                ("wakes up my visual memory",),
            ),
            Preference(
                "memory palaces",
                "p",
                (
                    "for long lists",
                    "when dates won't stick",
                ),
                ("let me walk through my grandmother's flat",),
            ),
            Preference(
                "summarizing aloud",
                "m",
                (
                    "while I pace the room",
                    "after each chapter",
                ),
                ("forces me to be clear",),
            ),
            Preference(
                "interleaving",
                "m",
                (
                    "when I get bored of one subject",
                    "on long afternoons",
                ),
                ("keeps me from going numb",),
            ),
            Preference(
                "practice quizzes",
                "p",
                (
                    "on the bus",
                    "at the end of the day",
                ),
                ("turn it into a game for me",),
            ),
            Preference(
                "silent retreats",
                "p",
                (
                    "when the dorm is loud",
                    "at my aunt's cottage before exams",
                ),
                ("make me finish more than a month in town does",),
            ),
        ),
    ),
    Category(
        "note-taking methods",
        nouns=(
            "note-taking methods",
            "ways of writing things down",
        ),
        frames=(
            "{X} {is} how I take notes {occ}.",
            "{Occ}, I get everything down with {x}.",
            "I rely on {x} for my notes {occ}.",
            "{X} {is} how I write things down {occ}.",
            "I use {x} because {they} {pt}.",
            "{X} {is} my favorite way to capture ideas: {they} {pt}.",
            "When I have to write things down I use {x}; {they} {pt}.",
            "For keeping notes I trust {x}, since {they} {pt}.",
            "{Occ}, I use {x}.",
        ),
        topics=("note-taking", "taking notes"),
        own_frames_only=True,
        situations=(
            (
                "A new term starts and I'm buying [stationery|a tablet] with a budget of fifty "
                "dollars [this week|on Monday]"
            ),
            "I'm taking minutes, attending lectures and reading for a thesis [this spring|all at once]",
            "My manager says my notes are chaos and wants a system [by next week|before the audit]",
            "A training day at work asks everyone to show how they write things down [on Thursday|in pairs]",
            "I'm choosing software and notebooks for [law school|a year of research]",
            "I sit through meetings, talks and podcasts [every week|in my new role] and forget most of it",
        ),
        requests=(
            "which note-taking methods should I [use|set up]?",
            "how should I be writing things down?",
            "what formats should I [prepare|switch between]?",
            "what systems fit [me|the way I think]?",
            "what should my notes look like?",
        ),
        preferences=(
            Preference(
                "Cornell notes",
                "p",
                (
                    "in lectures with a clear structure",
                    "when I'll be tested later",
                ),
                ("leave me a column for questions",),
            ),
            Preference(
                "sketchnotes",
                "p",
                (
                    "during talks",
                    "when my hand wants to draw",
                ),
                ("help me recall a whole hour at a glance",),
            ),
            Preference(
                "Zettelkasten",
                "m",
                (
                    "for long research",
                    "when ideas need to meet each other",
                ),
                ("talks back to me after a year",),
            ),
            Preference(
                "voice memos",
                "p",
                (
                    "on walks",
                    "while I'm driving",
                ),
                ("catch my thoughts before they're gone",),
            ),
            Preference(
                "outlines",
                "p",
                (
                    "when the speaker is organized",
                    "for chapters I must summarize",
                ),
                ("keep my hierarchy of points tidy",),
            ),
            Preference(
                "sticky notes",
                "p",
                (
                    "in brainstorms",
                    "all over my monitor",
                ),
                ("let me shuffle ideas with my hands",),
            ),
            Preference(
                "margin scribbles",
                "p",
                (
                    "in paperbacks",
                    "when I disagree with an author",
                ),
                ("turn my reading into a quarrel",),
            ),
            Preference(
                "digital stylus",
                "t",
                (
                    "on a tablet in class",
                    "when I need to search later",
                ),
                ("keeps my handwriting and loses the paper",),
            ),
            Preference(
                "index cards",
                "p",
                (
                    "for speeches",
                    "when I plan a novel",
                ),
                ("fit in my shirt pocket",),
            ),
            Preference(
                "charting",
                "m",
                (
                    "when facts come in columns",
                    "for comparing treaties or drugs",
                ),
                ("gives me everything in one grid",),
            ),
            Preference(
                "photo snapshots",
                "p",
                (
                    "when the whiteboard is full",
                    "in fast meetings",
                ),
                ("spare me from copying",),
            ),
            Preference(
                "shorthand",
                "m",
                (
                    "at interviews",
                    "when people talk fast",
                ),
                ("makes me feel like an old reporter",),
            ),
        ),
    ),
    Category(
        "productivity methods",
        nouns=(
            "productivity methods",
            "work habits",
        ),
        frames=(
            "{X} {is} how I stay focused {occ}.",
            "{Occ}, I fall back on {x}.",
            "{X} {is} my productivity method of choice {occ}.",
            "I stay productive with {x} {occ}.",
            "I organize my work with {x}, because {they} {pt}.",
            "{X} {is} my favorite productivity trick: {they} {pt}.",
            "I'm more productive thanks to {x}; {they} {pt}.",
            "When tasks pile up I depend on {x}, since {they} {pt}.",
        ),
        topics=("productivity", "time management"),
        own_frames_only=True,
        situations=(
            "I start working from home [on Monday|for good] and nobody will be watching me",
            (
                "My to-do list has [two hundred items|a life of its own] and I'm resetting "
                "everything [this weekend|today]"
            ),
            "A coach asked me to design my ideal work week [before our call|by Friday]",
            "I'm juggling a job, a degree and a toddler [this year|until summer]",
            "My team wants to learn how I get things done [at the offsite|in a short talk]",
            "I'm planning a book deadline backward from [September|the end of the year]",
        ),
        requests=(
            "which methods should I [combine|use]?",
            "how should I organize my work?",
            "what systems should I [set up|lean on]?",
            "what would keep me on track?",
            "what habits of working should be [in the plan|in place]?",
        ),
        preferences=(
            Preference(
                "Pomodoro",
                "t",
                (
                    "when I dread starting",
                    "for tedious grading",
                ),
                ("gets me past the first minute",),
                tail="technique",
            ),
            Preference(
                "time blocking",
                "m",
                (
                    "on Sunday nights with colored pens",
                    "when meetings eat my week",
                ),
                ("defends my quiet hours",),
            ),
            Preference(
                "inbox zero",
                "m",
                (
                    "before I leave on Fridays",
                    "after holidays",
                ),
                ("lets me sleep",),
            ),
            Preference(
                "Kanban",
                "m",
                (
                    "with sticky notes on the closet door",
                    "when too much is half done",
                ),
                ("shows me where I'm stuck",),
            ),
            Preference(
                "eat the frog",
                "t",
                (
                    "at eight sharp",
                    "when one task scares me",
                ),
                ("frees the rest of my day",),
                tail="method",
            ),
            Preference(
                "task batching",
                "m",
                (
                    "on errand days",
                    "for invoices and calls",
                ),
                ("saves me from switching all the time",),
            ),
            Preference(
                "two-minute rule",
                "t",
                (
                    "when small stuff piles up",
                    "as I open the mail",
                ),
                ("keeps my counter clear",),
            ),
            Preference(
                "body doubling",
                "m",
                (
                    "over video with a friend",
                    "when I procrastinate",
                ),
                ("shames me into working",),
            ),
            Preference(
                "weekly reviews",
                "p",
                (
                    "on Friday afternoons with tea",
                    "at the end of the month",
                ),
                ("tell me what slipped",),
            ),
            Preference(
                "Eisenhower matrix",
                "t",
                (
                    "when everything screams urgent",
                    "at the start of a project",
                ),
                ("helps me say no",),
            ),
            Preference(
                "deep work",
                "m",
                (
                    "before the phone wakes up",
                    "in the library with no signal",
                ),
                ("gives me my best pages",),
            ),
            Preference(
                "done lists",
                "p",
                (
                    "on discouraging days",
                    "just before I log off",
                ),
                ("prove to me I wasn't lazy",),
            ),
        ),
    ),
)
