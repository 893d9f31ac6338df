"""Work, money and media consumption: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "career fields",
        nouns=(
            "career fields",
            "vocations",
        ),
        frames=(
            "{Occ}, I dream of a career in {x}.",
            "{Occ}, I think about going into {x}.",
            "I can see myself working in {x}, especially {occ}.",
            "{X} {is} the job I long for {occ}.",
            "I'd love a job in {x} because {they} {pt}.",
            "{X} {is} the profession I'd like to work in: {they} {pt}.",
            "If I changed careers, I'd choose {x}, since {they} {pt}.",
            "I'm serious about {x} as my occupation; {they} {pt}.",
        ),
        topics=("careers", "employment"),
        situations=(
            "I got laid off with a good package and have time to retrain [this year|until August]",
            "A career counselor wants me to name directions [before our second session|by Thursday]",
            "I'm choosing stands to visit at a job fair [on Saturday|at the convention center]",
            ("I have informational interviews to set up [during my sabbatical|this spring] through an alumni network"),
            "My daughter and I are both picking what to do next [after her graduation|this summer]",
            "A job-alert service lets me tick sectors [for free|today] and I don't want to miss a thing",
        ),
        requests=(
            "which fields should I [explore|tick]?",
            "what careers should I [look at|consider]?",
            "what kind of work should I be aiming for?",
            "which paths would [suit me|keep me interested]?",
            "where should I be applying?",
        ),
        own_frames_only=True,
        preferences=(
            Preference(
                "graphic design",
                "m",
                (
                    "when I see a bad poster",
                    "on nights when I redo menus for fun",
                ),
                ("lets me argue with pictures",),
            ),
            Preference(
                "nursing",
                "m",
                (
                    "after caring for my father",
                    "when I want work that matters by noon",
                ),
                ("fits my steady hands",),
            ),
            Preference(
                "data science",
                "m",
                (
                    "when I see a messy spreadsheet",
                    "on slow days in my current job",
                ),
                ("rewards my nosiness",),
            ),
            Preference(
                "teaching",
                "m",
                (
                    "whenever a child says aha",
                    "in the summer at camp",
                ),
                ("makes me feel useful",),
            ),
            Preference(
                "landscape architecture",
                "m",
                (
                    "when I walk through a good park",
                    "on every garden tour",
                ),
                ("joins my love of drawing and dirt",),
            ),
            Preference(
                "journalism",
                "m",
                (
                    "when something smells fishy",
                    "at city council meetings",
                ),
                ("gives me an excuse to ask",),
            ),
            Preference(
                "carpentry",
                "m",
                (
                    "on days when emails mean nothing",
                    "when I smell fresh pine",
                ),
                ("ends my day with something solid",),
            ),
            Preference(
                "social work",
                "m",
                (
                    "when I volunteer on the hotline",
                    "after my own rough youth",
                ),
                ("puts my patience to use",),
            ),
            Preference(
                "software engineering",
                "m",
                (
                    "when a stubborn bug finally gives in",
                    "late at night with headphones",
                ),
                ("pays me to solve riddles",),
            ),
            Preference(
                "marine conservation",
                "m",
                (
                    "after every dive",
                    "when I see plastic on a beach",
                ),
                ("answers my guilt with action",),
            ),
            Preference(
                "event planning",
                "m",
                (
                    "when a wedding goes wrong and I fix it",
                    "in spring with ten lists going",
                ),
                ("feeds on my love of checklists",),
            ),
            Preference(
                "forensic accounting",
                "m",
                (
                    "when numbers don't add up",
                    "after I read about a scandal",
                ),
                ("makes a detective of me",),
            ),
        ),
    ),
    Category(
        "types of volunteering",
        nouns=(
            "kinds of volunteering",
            "good causes",
        ),
        frames=(
            "I volunteer my time to {x} {occ}.",
            "{X} {is} how I help my community {occ}.",
            "{X} {is} my way of helping {occ}.",
            "{Occ}, I volunteer, and {x} {is} my cause.",
            "I volunteer a lot, and I love {x} because {they} {pt}.",
            "Of all kinds of volunteering, I like {x} best: {they} {pt}.",
            "I give my free hours to {x}, since {they} {pt}.",
            "I keep volunteering for {x}; {they} {pt}.",
        ),
        topics=("volunteering", "charity work"),
        situations=(
            "My company grants five paid days for good causes [this year|starting in May]",
            "I've retired and the volunteer center asked what I'd like [at my first interview|on Monday]",
            "My teenager needs service hours and wants to do them with me [this summer|on weekends]",
            "I'm new in town and hoping to meet people by helping out [this winter|twice a month]",
            "A charity fair is on [at city hall|this Sunday] and I can only talk to a few booths",
            "I made a resolution to give back [once a week|every month] instead of just donating",
        ),
        requests=(
            "what kinds of volunteering should I [do|sign up for]?",
            "where should I help out?",
            "which causes and tasks should I [look for|offer]?",
            "how should I be giving my time?",
            "what helping roles would [suit me|I be good at]?",
        ),
        preferences=(
            Preference(
                "animal shelters",
                "p",
                (
                    "on Saturday mornings with a leash",
                    "when I miss my old dog",
                ),
                ("cover me in fur and joy",),
            ),
            Preference(
                "tutoring kids",
                "m",
                (
                    "on Wednesdays after school",
                    "when algebra scares somebody",
                ),
                ("reminds me I know things",),
            ),
            Preference(
                "beach cleanups",
                "p",
                (
                    "after storms",
                    "with my children and a sack",
                ),
                ("show me results in an hour",),
            ),
            Preference(
                "food banks",
                "p",
                (
                    "in the weeks before Christmas",
                    "on my free Thursdays",
                ),
                ("put my muscles to good use",),
            ),
            Preference(
                "hospice visits",
                "p",
                (
                    "on quiet afternoons",
                    "when someone has no family near",
                ),
                ("teach me how to listen",),
            ),
            Preference(
                "trail maintenance",
                "m",
                (
                    "in spring with a crew",
                    "when I want to swing an axe",
                ),
                ("repays the paths I've walked",),
            ),
            Preference(
                "crisis hotlines",
                "p",
                (
                    "on night shifts",
                    "when I can't sleep anyway",
                ),
                ("let me be a calm voice",),
            ),
            Preference(
                "building houses",
                "m",
                (
                    "in my vacation weeks",
                    "with a hammer and strangers",
                ),
                ("leaves me sore and proud",),
            ),
            Preference(
                "reading to seniors",
                "m",
                (
                    "on Sundays after lunch",
                    "in the home on my street",
                ),
                ("gives me stories in return",),
            ),
            Preference(
                "museum guiding",
                "m",
                (
                    "on slow weekdays",
                    "when a school class comes",
                ),
                ("lets me talk about paintings all day",),
            ),
            Preference(
                "coaching soccer",
                "m",
                (
                    "on muddy Saturdays",
                    "from March to June",
                ),
                ("keeps me young and hoarse",),
            ),
            Preference(
                "community gardens",
                "p",
                (
                    "on summer evenings",
                    "with neighbors I'd never meet",
                ),
                ("give me dirt and tomatoes",),
            ),
        ),
    ),
    Category(
        "investment types",
        nouns=(
            "investments",
            "assets",
        ),
        frames=(
            "{Occ}, I put money into {x}.",
            "{X} {is} my investment of choice {occ}.",
            "{X} {is} where my money goes {occ}.",
            "{Occ}, I favor {x}.",
            "I invest in {x} because {they} {pt}.",
            "{X} {is} my favorite investment: {they} {pt}.",
            "Part of my savings is invested in {x}, since {they} {pt}.",
            "My portfolio has plenty of {x}; {they} {pt}.",
        ),
        topics=("investing", "money and savings"),
        own_frames_only=True,
        situations=(
            "I inherited a modest sum and want to spread it [before the tax year ends|carefully this spring]",
            (
                "My financial adviser sent a questionnaire [due Friday|before our meeting] about "
                "what I'm comfortable with"
            ),
            "I got my first real bonus and don't want it to sit [in checking|there until summer]",
            (
                "My wife and I are merging our finances [after the wedding|this month] and "
                "comparing what each of us likes"
            ),
            "I turned fifty and I'm rebalancing everything [this quarter|with my brother's help]",
            "I'm setting up an automatic plan on the first of each month [from January|for ten years]",
        ),
        requests=(
            "which investments should I [include|hold]?",
            "where should I put the money?",
            "what should the portfolio contain?",
            "which assets should [we|I] talk about?",
            "what would fit my [nerves|goals and habits]?",
        ),
        preferences=(
            Preference(
                "index funds",
                "p",
                (
                    "every month without looking",
                    "when I want to be lazy and right",
                ),
                ("cost me almost nothing",),
            ),
            Preference(
                "rental property",
                "m",
                (
                    "when I find a duplex near campus",
                    "for my old age",
                ),
                ("pays me on the first of the month",),
            ),
            Preference(
                "government bonds",
                "p",
                (
                    "when markets make me sweat",
                    "for money I need in five years",
                ),
                ("let me sleep",),
            ),
            Preference(
                "gold coins",
                "p",
                (
                    "when inflation scares me",
                    "on birthdays",
                ),
                ("feel real in my hand",),
            ),
            Preference(
                "dividend stocks",
                "p",
                (
                    "for quarterly pocket money",
                    "when I think about retiring early",
                ),
                ("pay me to wait",),
            ),
            Preference(
                "crypto",
                "m",
                (
                    "with money I can lose",
                    "when I feel reckless",
                ),
                ("keeps my evenings exciting",),
            ),
            Preference(
                "high-yield savings",
                "p",
                (
                    "for the emergency cushion",
                    "when I can't lock anything up",
                ),
                ("let me sleep through every headline",),
            ),
            Preference(
                "green energy",
                "m",
                (
                    "when I want my cash to match my beliefs",
                    "after each heat wave",
                ),
                ("makes me feel part of the fix",),
            ),
            Preference(
                "startup equity",
                "m",
                (
                    "when a friend has a crazy idea",
                    "once a year at most",
                ),
                ("gives me a seat near the action",),
            ),
            Preference(
                "art prints",
                "p",
                (
                    "at degree shows",
                    "when I fall in love with a picture",
                ),
                ("look good on my wall even if they fall in price",),
            ),
            Preference(
                "farmland",
                "m",
                (
                    "when I think of my grandchildren",
                    "after a good harvest",
                ),
                ("lets me stand on what I own",),
            ),
            Preference(
                "REITs",
                "p",
                (
                    "when I want buildings without tenants calling",
                    "inside my retirement account",
                ),
                ("give me rent with no leaky taps",),
            ),
        ),
    ),
    Category(
        "budget planning methods",
        nouns=(
            "budgeting methods",
            "ways to manage money",
        ),
        frames=(
            "{Occ}, I control my money with {x}.",
            "{X} {is} how I manage my money {occ}.",
            "{Occ}, I watch my spending with {x}.",
            "I keep my spending in check with {x} {occ}.",
            "I plan my budget with {x}, because {they} {pt}.",
            "{X} {is} the money habit that works for me: {they} {pt}.",
            "My finances run on {x}, since {they} {pt}.",
            "I save more thanks to {x}; {they} {pt}.",
        ),
        topics=("budgeting", "managing money"),
        own_frames_only=True,
        situations=(
            ("I want to be debt-free [by next Christmas|before I turn thirty-five] and I'm planning the year on paper"),
            "My partner and I are sitting down with our bank statements [this Sunday|for the first time]",
            "I'm going freelance [in March|after ten years of salary] and my income will jump around",
            "A money coach wants to build on what I already like doing [at our first call|over six weeks]",
            "I have a new baby, a mortgage and [one income|a leaky roof] and need to tame our spending",
            "I'm teaching my younger sister to manage her first paycheck [this weekend|before college]",
        ),
        requests=(
            "which methods should I [combine|use]?",
            "how should I plan my budget?",
            "what should I set up to track [our|my] money?",
            "what approaches to spending fit me?",
            "which systems should I [go with|keep]?",
        ),
        preferences=(
            Preference(
                "envelope system",
                "t",
                (
                    "at the grocery store",
                    "when cards make it too easy",
                ),
                ("stops me when the cash is gone",),
            ),
            Preference(
                "zero-based budgeting",
                "m",
                (
                    "on payday with coffee",
                    "when I want each dollar employed",
                ),
                ("leaves me no place to hide",),
            ),
            Preference(
                "50/30/20 rule",
                "t",
                (
                    "when I can't face details",
                    "for my steady salary",
                ),
                ("keeps my needs and wants apart",),
            ),
            Preference(
                "spreadsheet tracking",
                "m",
                (
                    "on Sunday nights",
                    "when I'm in the mood for a good formula",
                ),
                ("shows me where it all went",),
            ),
            Preference(
                "sinking funds",
                "p",
                (
                    "for car repairs and Christmas",
                    "when big bills are coming",
                ),
                ("spare me nasty surprises",),
            ),
            Preference(
                "no-spend months",
                "p",
                (
                    "in January",
                    "after a splurge",
                ),
                ("reset my cravings",),
            ),
            Preference(
                "pay yourself first",
                "t",
                (
                    "the minute my wages land",
                    "at the start of every month",
                ),
                ("saves for me before I can object",),
                tail="rule",
            ),
            Preference(
                "cash diary",
                "s",
                (
                    "when small purchases add up",
                    "on vacations",
                ),
                ("makes me think twice about coffee",),
            ),
            Preference(
                "budgeting apps",
                "p",
                (
                    "on the bus",
                    "when I share bills with my roommate",
                ),
                ("ping me before I overdo it",),
            ),
            Preference(
                "debt snowball",
                "t",
                (
                    "when my credit cards get out of hand",
                    "when I need quick wins",
                ),
                ("keeps me motivated",),
            ),
            Preference(
                "annual planning",
                "m",
                (
                    "between the holidays",
                    "with a big wall calendar",
                ),
                ("prepares me for tuition and taxes",),
            ),
            Preference(
                "kakeibo",
                "m",
                (
                    "on quiet evenings with a fountain pen",
                    "at the start of each month",
                ),
                ("makes me ask why I bought it",),
            ),
        ),
    ),
    Category(
        "social media content types",
        nouns=(
            "kinds of posts",
            "kinds of content",
        ),
        frames=(
            "{X} {is} what I want in my social media feed {occ}.",
            "{X} {is} my favorite thing online {occ}.",
            "I like to see {x} in my feed {occ}.",
            "{Occ}, I scroll through posts for {x}.",
            "My feed is full of {x}, because {they} {pt}.",
            "{X} {is} the posts I like best: {they} {pt}.",
            "I follow accounts with {x}, since {they} {pt}.",
            "On social media I never scroll past {x}; {they} {pt}.",
        ),
        topics=("social media", "scrolling online"),
        situations=(
            (
                "I'm starting a fresh account [after deleting the old one|this weekend] and "
                "training the feed from scratch"
            ),
            "I allow myself half an hour of scrolling [a day|after dinner] and want it to be worth it",
            "My niece runs a content agency and wants to know what makes me stop scrolling [for a survey|tonight]",
            "I'm cleaning up whom I follow [before the new year|on a long flight]",
            "A platform gives beta users sliders for [their feed|what they see] and mine are blank",
            "A digital-detox coach told me to keep only what I enjoy [this month|for good]",
        ),
        requests=(
            "what kinds of content should I [follow|keep]?",
            "what should be in my feed?",
            "which posts should I [look for|see]?",
            "what accounts would [suit me|make me happy]?",
            "what should I let the algorithm show me?",
        ),
        preferences=(
            Preference(
                "recipe reels",
                "p",
                (
                    "while my own dinner burns",
                    "when I'm hungry at four",
                ),
                ("send me to the store with a plan",),
            ),
            Preference(
                "dog videos",
                "p",
                (
                    "in bed at midnight",
                    "after a bad meeting",
                ),
                ("repair my faith in the world",),
            ),
            Preference(
                "travel vlogs",
                "p",
                (
                    "in February",
                    "when I can't get away",
                ),
                ("let me wander from my couch",),
            ),
            Preference(
                "memes",
                "p",
                (
                    "in the bathroom at work",
                    "with my brother across the ocean",
                ),
                ("are how I say I love you",),
            ),
            Preference(
                "DIY tutorials",
                "p",
                (
                    "before a Saturday project",
                    "when something breaks",
                ),
                ("give me courage with a drill",),
            ),
            Preference(
                "book recommendations",
                "p",
                (
                    "when my nightstand is empty",
                    "on Sunday mornings",
                ),
                ("ruin my budget",),
            ),
            Preference(
                "stand-up clips",
                "p",
                (
                    "on my commute",
                    "when I need a quick laugh",
                ),
                ("make me snort on the bus",),
            ),
            Preference(
                "workout challenges",
                "p",
                (
                    "on New Year's",
                    "when I'm lying down",
                ),
                ("shame me into moving",),
            ),
            Preference(
                "political explainers",
                "p",
                (
                    "before elections",
                    "when headlines confuse me",
                ),
                ("make me less of a fool at dinner",),
            ),
            Preference(
                "art timelapses",
                "p",
                (
                    "with the sound off",
                    "late at night",
                ),
                ("calm me like watching rain",),
            ),
            Preference(
                "thrift hauls",
                "p",
                (
                    "before I go shopping",
                    "with a cup of tea",
                ),
                ("feed my hunger for corduroy",),
            ),
            Preference(
                "science shorts",
                "p",
                (
                    "at breakfast with my kids",
                    "while the pasta boils",
                ),
                ("give me something to tell at work",),
            ),
        ),
    ),
    Category(
        "news formats",
        nouns=(
            "news sources",
            "sources",
        ),
        frames=(
            "{Occ}, I get my news from {x}.",
            "{X} {is} how I follow the news {occ}.",
            "{Occ}, I keep up with current events through {x}.",
            "{X} {is} my first source of news {occ}.",
            "To know what's going on I turn to {x}, because {they} {pt}.",
            "{X} {is} my favorite way to follow current events: {they} {pt}.",
            "To stay informed I rely on {x}, since {they} {pt}.",
            "I trust {x} for the headlines; {they} {pt}.",
        ),
        topics=("news", "current events"),
        own_frames_only=True,
        situations=(
            (
                "I'm canceling and renewing subscriptions [before the trials end|this month] to "
                "stay informed without drowning"
            ),
            "I moved abroad and want to keep up with home [from a distance|every day]",
            "My media-literacy class asked us to design our own news diet [for next week|on one page]",
            "It's an election year and I'd like to follow it sanely [until November|all spring]",
            "My doctor says doomscrolling is wrecking me and I'm setting up something better [today|from Monday]",
            "I have small pockets of time for current affairs [on workdays|between feeds]",
        ),
        requests=(
            "which formats should I [set up|use]?",
            "how should I be getting my news?",
            "what sources should I [keep|sign up for]?",
            "how should I keep up with events?",
            "what ways of following the world fit me?",
        ),
        preferences=(
            Preference(
                "morning newsletters",
                "p",
                (
                    "before I get out of bed",
                    "on the tram",
                ),
                ("boil it all down for me in five minutes",),
            ),
            Preference(
                "public radio",
                "m",
                (
                    "while I make breakfast",
                    "in the car with my dog",
                ),
                ("keeps me company as it informs me",),
            ),
            Preference(
                "print newspapers",
                "p",
                (
                    "on Saturdays with marmalade",
                    "in cafés on trips",
                ),
                ("let me read things I'd never click on",),
            ),
            Preference(
                "push alerts",
                "p",
                (
                    "on election night",
                    "when a storm is coming",
                ),
                ("reach me wherever I am",),
            ),
            Preference(
                "longform magazines",
                "p",
                (
                    "on planes",
                    "in the bath",
                ),
                ("give me the whole story, weeks later",),
            ),
            Preference(
                "evening broadcasts",
                "p",
                (
                    "with my parents",
                    "at eight on the dot",
                ),
                ("wrap up the day for me",),
            ),
            Preference(
                "daily podcasts",
                "p",
                (
                    "on my run",
                    "while I'm getting dressed",
                ),
                ("explain one thing properly to me",),
            ),
            Preference(
                "live blogs",
                "p",
                (
                    "during trials and debates",
                    "at my desk in a hidden tab",
                ),
                ("keep me refreshing",),
            ),
            Preference(
                "data visualizations",
                "p",
                (
                    "when numbers fly around",
                    "for elections and epidemics",
                ),
                ("let me see it for myself",),
            ),
            Preference(
                "political cartoons",
                "p",
                (
                    "when I need to laugh at it all",
                    "over my first coffee",
                ),
                ("say it quicker than any column",),
            ),
            Preference(
                "local bulletins",
                "p",
                (
                    "at the library counter",
                    "when roadworks start",
                ),
                ("tell me what touches my own street",),
            ),
            Preference(
                "documentary reports",
                "p",
                (
                    "on Sunday nights",
                    "when I want depth",
                ),
                ("make me change my mind now and then",),
            ),
        ),
    ),
    Category(
        "podcast formats",
        nouns=(
            "kinds of podcasts",
            "kinds of episodes",
        ),
        frames=(
            "{Occ}, I listen to {x}.",
            "{X} {is} my favorite kind of podcast {occ}.",
            "{Occ}, I play podcasts, mostly {x}.",
            "{X} {is} what I want in my ears {occ}.",
            "The podcasts I download are {x}, because {they} {pt}.",
            "Of all podcasts, I like {x} best: {they} {pt}.",
            "As podcasts go, I can listen to {x} for hours, since {they} {pt}.",
            "My podcast app is full of {x}; {they} {pt}.",
        ),
        topics=("podcasts", "podcast listening"),
        situations=(
            "I drive four hours a day [for a new contract|this month] and I'm filling up my player",
            "I'm launching a show of my own [in the fall|with a friend] and want to borrow from formats I love",
            "My app asks how I like to listen [after the redesign|to personalize my home page]",
            "I'm knitting a whole sweater [over the holidays|this week] and want voices in the room",
            "A radio school lets me choose modules by type of show [this term|for a weekend course]",
            "I'm stuck on a night shift with one free ear [until June|every other week]",
        ),
        requests=(
            "which formats should I [go for|pick]?",
            "what kinds of podcasts should I [queue|play]?",
            "what style of show should I be listening to?",
            "which sort of episodes would [suit me|hold me]?",
            "what should I load up on?",
        ),
        preferences=(
            Preference(
                "long interviews",
                "p",
                (
                    "on drives across the state",
                    "when I paint walls",
                ),
                ("let people forget the microphone, which I love",),
            ),
            Preference(
                "narrative series",
                "p",
                (
                    "when I'm on a plane",
                    "over one obsessive weekend",
                ),
                ("hook me like a novel",),
            ),
            Preference(
                "daily briefings",
                "p",
                (
                    "while the shower warms up",
                    "on weekdays only",
                ),
                ("catch me up in ten minutes",),
            ),
            Preference(
                "audio dramas",
                "p",
                (
                    "in the dark",
                    "with good headphones at night",
                ),
                ("build a film inside my head",),
            ),
            Preference(
                "roundtable chats",
                "p",
                (
                    "while I cook",
                    "when I feel lonely",
                ),
                ("make me feel I'm among friends",),
            ),
            Preference(
                "solo monologues",
                "p",
                (
                    "on slow walks",
                    "when I like one calm voice",
                ),
                ("keep me thinking along",),
            ),
            Preference(
                "panel quizzes",
                "p",
                (
                    "on Friday evenings",
                    "with my dad in the car",
                ),
                ("have me yelling answers",),
            ),
            Preference(
                "investigative serials",
                "p",
                (
                    "when I can't let a case go",
                    "on long runs",
                ),
                ("leave me pacing the kitchen",),
            ),
            Preference(
                "live recordings",
                "p",
                (
                    "when I want to hear a crowd",
                    "on the cross-trainer",
                ),
                ("make me laugh along with strangers",),
            ),
            Preference(
                "advice call-ins",
                "p",
                (
                    "while I fold laundry",
                    "when my own life is messy",
                ),
                ("comfort me with other people's trouble",),
            ),
            Preference(
                "sleep stories",
                "p",
                (
                    "after lights out",
                    "in hotel rooms",
                ),
                ("knock me out in minutes",),
            ),
            Preference(
                "field recordings",
                "p",
                (
                    "when I miss the woods",
                    "at my desk with rain outside",
                ),
                ("take me somewhere without a plot",),
            ),
        ),
    ),
    Category(
        "types of reading material",
        nouns=(
            "kinds of reading",
            "kinds of books and papers",
        ),
        frames=(
            "{Occ}, I read {x}.",
            "{X} {is} what I like to read {occ}.",
            "{Occ}, I leaf through {x}.",
            "{X} {is} my favorite reading {occ}.",
            "I read {x} because {they} {pt}.",
            "My bedside reading is {x}, since {they} {pt}.",
            "Of everything I read, I enjoy {x} most: {they} {pt}.",
            "I can't stop reading {x}; {they} {pt}.",
        ),
        topics=("reading", "reading matter"),
        situations=(
            "I'm going offline for [two weeks on a boat|a silent month] and want a bag full of things to read",
            "The waiting room at my practice needs a new rack and I'm stocking it to my taste [this week|myself]",
            "I'm recovering from an eye operation and may read again [from Monday|in short bursts]",
            (
                "My subscription budget is [forty dollars|quite small] and everything is up for "
                "renewal [this month|in January]"
            ),
            "I'm setting up a reading nook with [five baskets|one deep shelf] [under the stairs|this weekend]",
            "A librarian friend is putting things aside for me [every Friday|over the summer]",
        ),
        requests=(
            "what reading material should I [take|get]?",
            "what should I have to read?",
            "what kinds of things in print should I [choose|collect]?",
            "what should be in [the bag|the pile]?",
            "what would keep my nose in the page?",
        ),
        preferences=(
            Preference(
                "literary magazines",
                "p",
                (
                    "on Sunday mornings",
                    "between two novels",
                ),
                ("introduce me to writers I'd never find",),
            ),
            Preference(
                "comic books",
                "p",
                (
                    "on the floor of my old bedroom",
                    "when I'm worn out",
                ),
                ("make me twelve again",),
            ),
            Preference(
                "cookbooks",
                "p",
                (
                    "in bed on Sunday mornings",
                    "when I plan a party",
                ),
                ("make me hungry at midnight",),
            ),
            Preference(
                "short story collections",
                "p",
                (
                    "on commutes",
                    "when I only have one stop",
                ),
                ("give me a whole world in ten pages",),
            ),
            Preference(
                "travel guides",
                "p",
                (
                    "in the dead of winter",
                    "when I'm dreaming of getting away",
                ),
                ("let me plan imaginary trips",),
            ),
            Preference(
                "academic papers",
                "p",
                (
                    "with a highlighter on Fridays",
                    "when I want the source",
                ),
                ("keep me honest",),
            ),
            Preference(
                "poetry chapbooks",
                "p",
                (
                    "at the breakfast table",
                    "on park benches",
                ),
                ("slow me to one line at a time",),
            ),
            Preference(
                "newspapers",
                "p",
                (
                    "in cafés on slow mornings",
                    "over breakfast at the weekend",
                ),
                ("stain my fingers happily",),
            ),
            Preference(
                "thick novels",
                "p",
                (
                    "on beach holidays",
                    "in the week after Christmas",
                ),
                ("let me move in for a while",),
            ),
            Preference(
                "instruction manuals",
                "p",
                (
                    "when I buy a gadget",
                    "on odd, quiet Sundays",
                ),
                ("satisfy the engineer in me",),
            ),
            Preference(
                "old letters",
                "p",
                (
                    "in my mother's attic",
                    "on anniversaries",
                ),
                ("bring voices back to me",),
            ),
            Preference(
                "picture books",
                "p",
                (
                    "with my granddaughter on my knee",
                    "when I need beauty fast",
                ),
                ("say everything to me in thirty pages",),
            ),
        ),
    ),
    Category(
        "audio listening formats",
        nouns=(
            "listening formats",
            "ways to listen",
        ),
        frames=(
            "{X} {is} how I like to listen {occ}.",
            "{Occ}, I put on {x}.",
            "{Occ}, my ears want {x}.",
            "{X} {is} my favorite way to listen {occ}.",
            "For listening I like {x} best, because {they} {pt}.",
            "My ears are happiest with {x}: {they} {pt}.",
            "For sound I stay with {x}; {they} {pt}.",
            "When I want to listen I turn to {x}, since {they} {pt}.",
        ),
        topics=("audio", "listening at home and on the go"),
        situations=(
            "I'm wiring the new house for sound [before we move in|this month] and choosing equipment",
            "I'll be convalescing with my eyes bandaged [for a week|in April] and want plenty to hear",
            "My electronics budget is [five hundred dollars|limited] and the sale ends [on Sunday|tomorrow]",
            "I commute, cook and run with something in my ears [every day|all week] and my setup is a mess",
            "My uncle owns an audio shop and will set me up [for my birthday|at cost]",
            ("I'm moving to a cabin with patchy internet [for the winter|to write] and have to plan what I listen on"),
        ),
        requests=(
            "which formats should I [plan for|set up]?",
            "how should I be listening?",
            "what should my setup cover?",
            "what ways of hearing things suit me?",
            "what should I have [around|ready to play]?",
        ),
        preferences=(
            Preference(
                "vinyl records",
                "p",
                (
                    "on Sundays with the lid up",
                    "when friends bring wine",
                ),
                ("make me sit through a whole side",),
            ),
            Preference(
                "audiobooks",
                "p",
                (
                    "on the highway",
                    "while I scrub the bath",
                ),
                ("read to me like my father did",),
            ),
            Preference(
                "live radio",
                "m",
                (
                    "in the kitchen at seven",
                    "when I want company",
                ),
                ("surprises me with songs I'd never pick",),
            ),
            Preference(
                "streaming playlists",
                "p",
                (
                    "at the gym",
                    "when I can't decide",
                ),
                ("keep me moving without a gap",),
            ),
            Preference(
                "cassette tapes",
                "p",
                (
                    "in my ancient car",
                    "when I miss high school",
                ),
                ("hiss at me like old friends",),
            ),
            Preference(
                "podcasts",
                "p",
                (
                    "on dog walks",
                    "during dull chores",
                ),
                ("fill my head with strangers' stories",),
            ),
            Preference(
                "CDs",
                "p",
                (
                    "at home on weekends",
                    "when I want liner notes",
                ),
                ("give me clean sound and something to hold",),
            ),
            Preference(
                "noise-canceling headphones",
                "p",
                (
                    "on planes",
                    "in the open-plan office",
                ),
                ("shut the world out for me",),
            ),
            Preference(
                "concert recordings",
                "p",
                (
                    "on nights I couldn't get a ticket",
                    "with the volume up",
                ),
                ("put me back in the front row",),
            ),
            Preference(
                "spatial audio",
                "m",
                (
                    "with the lights off",
                    "for film scores",
                ),
                ("wraps me up from behind",),
            ),
            Preference(
                "bone-conduction headsets",
                "p",
                (
                    "on bike rides",
                    "when I need to hear traffic",
                ),
                ("keep me safe and entertained",),
            ),
            Preference(
                "language tapes",
                "p",
                (
                    "while I shave",
                    "before a trip",
                ),
                ("drill phrases into me",),
            ),
        ),
    ),
    Category(
        "content creation types",
        nouns=(
            "kinds of content",
            "creative projects",
        ),
        frames=(
            "{Occ}, I work on {x}.",
            "{X} {is} what I like to create {occ}.",
            "{X} {is} the creative work I publish {occ}.",
            "I get creative with {x} {occ}.",
            "{X} {is} the content I like creating, because {they} {pt}.",
            "{X} {is} my favorite content to make: {they} {pt}.",
            "I share my ideas through {x}, since {they} {pt}.",
            "Of everything I publish, I'm proudest of my {x}; {they} {pt}.",
        ),
        topics=("content creation", "creative projects"),
        situations=(
            "I'm taking a year to build an audience [from January|while I freelance] and planning what to put out",
            "A brand offered me a sponsorship and wants to know my formats [by Thursday|before signing]",
            "I've rented a small studio [for a month|on weekends] and need to choose equipment",
            "My school offers a media lab [every evening|this term] and I have to book stations",
            ("I want to document our move to [the countryside|Portugal] in every way I enjoy [this summer|as we go]"),
            "A collective of makers invited me in and asked what I'd contribute [each week|to the first issue]",
        ),
        requests=(
            "what kinds of content should I [make|plan]?",
            "what should I be producing?",
            "which formats should I [work in|offer]?",
            "what should I put out into the world?",
            "what creative output fits me?",
        ),
        preferences=(
            Preference(
                "video essays",
                "p",
                (
                    "when a film won't leave me alone",
                    "over long weekends",
                ),
                ("let me argue with pictures",),
            ),
            Preference(
                "newsletters",
                "p",
                (
                    "on Sunday nights",
                    "when I want replies from real people",
                ),
                ("get me to finish a thought",),
            ),
            Preference(
                "podcasting",
                "m",
                (
                    "with my best friend on Tuesdays",
                    "in a closet full of coats",
                ),
                ("lets me talk as I think",),
            ),
            Preference(
                "webcomics",
                "p",
                (
                    "on the train with a tablet",
                    "when office life gets absurd",
                ),
                ("turn my grumbling into jokes",),
            ),
            Preference(
                "livestreams",
                "p",
                (
                    "on Friday nights",
                    "when I paint",
                ),
                ("keep me company while I work",),
            ),
            Preference(
                "photo essays",
                "p",
                (
                    "on trips",
                    "when a place is changing",
                ),
                ("say what I can't write",),
            ),
            Preference(
                "how-to guides",
                "p",
                (
                    "after I've fixed something",
                    "for beginners like I was",
                ),
                ("make me learn it twice",),
            ),
            Preference(
                "short films",
                "p",
                (
                    "with my cousins in summer",
                    "when I have no budget",
                ),
                ("use up every idea I've got",),
            ),
            Preference(
                "blog posts",
                "p",
                (
                    "over early coffee",
                    "when a topic bugs me",
                ),
                ("clear my head in eight hundred words",),
            ),
            Preference(
                "digital illustrations",
                "p",
                (
                    "late at night",
                    "for friends' birthdays",
                ),
                ("let me undo my mistakes",),
            ),
            Preference(
                "songwriting",
                "m",
                (
                    "with a guitar in the stairwell",
                    "after a breakup",
                ),
                ("squeezes something good out of my sadness",),
            ),
            Preference(
                "zines",
                "p",
                (
                    "on the office copier after hours",
                    "for punk fairs",
                ),
                ("give me scissors, glue and freedom",),
            ),
        ),
    ),
)
