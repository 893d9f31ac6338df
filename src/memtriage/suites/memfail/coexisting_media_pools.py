"""Entertainment and media: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "music genres",
        nouns=(
            "kinds of music",
            "genres",
        ),
        frames=(
            "{Occ}, I listen to {x}.",
            "{Occ}, the music I want to hear is {x}.",
            "{X} {is} the music I turn to {occ}.",
            "{X} {is} my soundtrack {occ}.",
            "I listen to {x} because {they} {pt}.",
            "{X} {is} the music I love most: {they} {pt}.",
            "My playlists are full of {x}, since {they} {pt}.",
            "I could listen to {x} all day; {they} {pt}.",
        ),
        topics=("music", "songs"),
        situations=(
            "I'm building a playlist for [a long drive through Utah|our kitchen renovation|the whole work week]",
            "A friend who DJs offered to do [my fortieth|our reception] and wants a brief from me",
            "I'm choosing records to spend a gift card on [this Saturday|at the store downtown]",
            "The streaming app is asking me to rate my tastes [from scratch|after I lost my account]",
            "My roommate lets me run the speakers [all weekend|on Sundays] while we [paint|clean]",
            "I'm setting up stations in my new car [before a road trip|for the daily commute]",
        ),
        requests=(
            "which genres should I [add|include]?",
            "what kinds of music should be [in the mix|playing]?",
            "what should I queue up?",
            "what sounds would [cover my moods|keep me happy]?",
            "what should [they|I] put on for me?",
        ),
        preferences=(
            Preference(
                "jazz",
                "m",
                (
                    "over a late supper with candles",
                    "when I'm reading by the window",
                ),
                ("lets my thoughts wander",),
            ),
            Preference(
                "indie folk",
                "m",
                (
                    "on drives through the countryside",
                    "when leaves start to fall",
                ),
                ("makes me feel less alone",),
            ),
            Preference(
                "techno",
                "m",
                (
                    "when I have to clean the whole flat",
                    "in dark clubs long after midnight",
                ),
                ("shuts off my inner chatter",),
            ),
            Preference(
                "classical",
                "m",
                (
                    "when I'm writing reports",
                    "on Sunday mornings with the paper",
                ),
                ("clears space in my head",),
                tail="music",
            ),
            Preference(
                "hip-hop",
                "m",
                (
                    "at the gym",
                    "on my walk to the subway",
                ),
                ("puts a swagger in my step",),
            ),
            Preference(
                "bossa nova",
                "m",
                (
                    "while I cook dinner",
                    "on warm evenings on the balcony",
                ),
                ("turns my kitchen into Rio",),
            ),
            Preference(
                "heavy metal",
                "m",
                (
                    "after an argument with my boss",
                    "when I lift weights",
                ),
                ("burns off my anger",),
            ),
            Preference(
                "soul",
                "m",
                (
                    "when I'm nursing a heartbreak",
                    "on slow-dance nights at home",
                ),
                ("gets me right in the chest",),
                tail="music",
            ),
            Preference(
                "reggae",
                "m",
                (
                    "at the beach with nothing planned",
                    "when I garden",
                ),
                ("drops my pulse to a stroll",),
            ),
            Preference(
                "country",
                "m",
                (
                    "on long highway stretches",
                    "around a campfire with friends",
                ),
                ("tells me stories I recognize",),
                tail="music",
            ),
            Preference(
                "synthwave",
                "m",
                (
                    "on night drives through the city",
                    "when I'm deep in code",
                ),
                ("puts me inside an eighties film",),
            ),
            Preference(
                "bluegrass",
                "m",
                (
                    "at summer festivals",
                    "when I need to be cheered up",
                ),
                ("makes my foot tap before I notice",),
            ),
        ),
    ),
    Category(
        "types of movies",
        nouns=(
            "kinds of movies",
            "films",
        ),
        frames=(
            "{Occ}, I like to watch {x}.",
            "{X} {is} my favorite kind of movie {occ}.",
            "{Occ}, I'm in the mood to watch {x}.",
            "I love watching {x} {occ}.",
            "At the movies I choose {x}, because {they} {pt}.",
            "At the cinema I never get tired of {x}, since {they} {pt}.",
            "Of all kinds of film, I like {x} best; {they} {pt}.",
            "When I pick what we watch, I pick {x}: {they} {pt}.",
        ),
        topics=("movies", "film"),
        situations=(
            "I'm curating a film festival for one while [my family is away|I recover from surgery]",
            "Our cinema club lets me program [a month of Thursdays|the autumn season]",
            "My flight is fourteen hours and I'm downloading things to watch [tonight|before I leave for Sydney]",
            "My cousin works at the video library and is setting aside a stack for [my week off|the holidays]",
            "We bought a projector and I'm planning backyard screenings [in July|for the whole summer]",
            "I'm reactivating my streaming account [for the winter|this weekend] and filling the watchlist",
        ),
        requests=(
            "what kinds of movies should I [pick|line up]?",
            "which films should be [on the bill|in the queue]?",
            "what should [we|I] watch to suit my taste?",
            "what should I be looking for on the screen?",
            "which types of film should get [a slot|an evening]?",
        ),
        preferences=(
            Preference(
                "film noir",
                "m",
                (
                    "on rainy nights with the lamps off",
                    "when I'm in a cynical mood",
                ),
                ("hooks me with its shadows and smart talk",),
            ),
            Preference(
                "romantic comedies",
                "p",
                (
                    "when I'm home with a cold",
                    "on girls' nights with wine",
                ),
                ("leave me grinning on the couch",),
            ),
            Preference(
                "heist films",
                "p",
                (
                    "when I want clever people and a ticking clock",
                    "with my brother on Fridays",
                ),
                ("make me root for the crooks",),
            ),
            Preference(
                "westerns",
                "p",
                (
                    "on Sunday afternoons with my grandfather",
                    "when I crave wide horizons",
                ),
                ("give me dust, silence and a showdown",),
            ),
            Preference(
                "animated features",
                "p",
                (
                    "with my nieces",
                    "when I need color after a gray week",
                ),
                ("make me cry more than any drama",),
            ),
            Preference(
                "space operas",
                "p",
                (
                    "on the biggest screen in town",
                    "when I want to forget Earth for a while",
                ),
                ("take me light-years from my inbox",),
            ),
            Preference(
                "psychological thrillers",
                "p",
                (
                    "when I'm home alone and feeling brave",
                    "late on Saturdays",
                ),
                ("keep me guessing until the credits",),
            ),
            Preference(
                "musicals",
                "p",
                (
                    "when I can sing along without witnesses",
                    "around Christmas",
                ),
                ("lift me straight off the sofa",),
            ),
            Preference(
                "war epics",
                "p",
                (
                    "on long winter evenings",
                    "when I've been reading history",
                ),
                ("leave me quiet for an hour afterwards",),
            ),
            Preference(
                "slapstick",
                "m",
                (
                    "after a rotten day",
                    "when kids and grown-ups share the sofa",
                ),
                ("gets a belly laugh out of me every time",),
            ),
            Preference(
                "horror",
                "m",
                (
                    "in the last week of October",
                    "with friends who scream louder than I do",
                ),
                ("gives me a rush I can switch off",),
            ),
            Preference(
                "period dramas",
                "p",
                (
                    "with a pot of tea and a blanket",
                    "when it's sleeting outside",
                ),
                ("let me drool over the costumes",),
            ),
        ),
    ),
    Category(
        "book genres",
        nouns=(
            "book genres",
            "kinds of stories",
        ),
        frames=(
            "{Occ}, I read {x}.",
            "{X} {is} what I like to read {occ}.",
            "{Occ}, I read books, mostly {x}.",
            "{X} {is} the kind of book I reach for {occ}.",
            "I read {x} because {they} {pt}.",
            "In a bookstore I head straight for {x}: {they} {pt}.",
            "My bookshelves are full of {x}, since {they} {pt}.",
            "{X} {is} my favorite genre to read, because {they} {pt}.",
        ),
        topics=("books", "reading"),
        situations=(
            "I'm heading to the used bookstore with [fifty dollars|an empty tote bag] [this Saturday|after work]",
            "My library card finally works and I'm placing holds for [the summer|my parental leave]",
            "A bookseller friend wants to mail me a surprise parcel [every month|for my birthday]",
            "I'm loading my e-reader for [a beach fortnight|three weeks on a cargo ship]",
            "I set myself a target of thirty titles [this year|before I turn fifty] and want a varied stack",
            "I'm founding a reading circle [at the office|in my building] and may propose the first few picks",
        ),
        requests=(
            "which genres should I [draw from|mix]?",
            "what kinds of books should I [take|reserve]?",
            "what should I be reading?",
            "which shelves should I [head for|browse first]?",
            "what sort of stories would [keep me turning pages|suit me]?",
        ),
        preferences=(
            Preference(
                "cozy mysteries",
                "p",
                (
                    "in the bath on Sunday nights",
                    "when I want a body but no gore",
                ),
                ("let me play detective with a cup of tea",),
            ),
            Preference(
                "epic fantasy",
                "m",
                (
                    "during long winter breaks",
                    "when I want a map at the front",
                ),
                ("swallows me for weeks",),
            ),
            Preference(
                "biographies",
                "p",
                (
                    "on commutes",
                    "when I'm stuck on a big decision",
                ),
                ("show me how other people muddled through",),
            ),
            Preference(
                "historical fiction",
                "m",
                (
                    "before I travel somewhere old",
                    "on quiet afternoons",
                ),
                ("teaches me the past without a lecture",),
            ),
            Preference(
                "science fiction",
                "m",
                (
                    "when the present looks bleak",
                    "on red-eye flights",
                ),
                ("stretches my idea of what's possible",),
            ),
            Preference(
                "poetry",
                "m",
                (
                    "before breakfast",
                    "when I only have five minutes",
                ),
                ("says what I can't",),
            ),
            Preference(
                "memoirs",
                "p",
                (
                    "when I miss good company",
                    "on my lunch breaks",
                ),
                ("feel like a long talk with a stranger",),
            ),
            Preference(
                "graphic novels",
                "p",
                (
                    "when my eyes are tired of plain text",
                    "on lazy Saturdays",
                ),
                ("let me linger over each panel",),
            ),
            Preference(
                "true crime",
                "m",
                (
                    "on stormy nights with the door locked",
                    "during long train rides",
                ),
                ("keeps my lamp on past midnight",),
            ),
            Preference(
                "magical realism",
                "m",
                (
                    "on holidays in the heat",
                    "when ordinary life feels flat",
                ),
                ("makes me look twice at the world",),
            ),
            Preference(
                "popular science",
                "m",
                (
                    "when I want to win an argument",
                    "with my morning coffee",
                ),
                ("gives me facts to bore my friends with",),
            ),
            Preference(
                "gothic novels",
                "p",
                (
                    "when fog sits on the street",
                    "in the darkest part of winter",
                ),
                ("give me crumbling houses and secrets",),
            ),
        ),
    ),
    Category(
        "tv show genres",
        nouns=(
            "kinds of shows",
            "series",
        ),
        frames=(
            "{Occ}, I watch {x} on television.",
            "{X} {is} my favorite thing on television {occ}.",
            "For a binge I like {x}, above all {occ}.",
            "{X} {is} what I like to stream {occ}.",
            "I could watch {x} all evening, because {they} {pt}.",
            "Of everything on television, I like {x} best: {they} {pt}.",
            "On the small screen I'm hooked on {x}, since {they} {pt}.",
            "When I turn on the television I look for {x}; {they} {pt}.",
        ),
        topics=("TV shows", "television"),
        situations=(
            "I'm off work for [two weeks with a broken ankle|the whole of Easter] and need things to binge",
            ("We're trimming our streaming subscriptions [tonight|this month] and want to keep what I actually watch"),
            "My mother wants something we can both follow [on Wednesday nights|while she stays with me]",
            "I'm setting the recorder before [we leave for a month|the new season starts]",
            "A colleague keeps swapping recommendations with me [at lunch|on Mondays] and it's my turn to ask",
            "I've rearranged my evenings so there's one episode of something [every night|after dinner]",
        ),
        requests=(
            "which genres should I [favor|go through]?",
            "what kinds of shows should I [follow|start]?",
            "what series should be on [the list|my screen]?",
            "what should I tune in to?",
            "what sort of program would [keep me hooked|fit me]?",
        ),
        preferences=(
            Preference(
                "crime procedurals",
                "p",
                (
                    "when I iron shirts",
                    "after a chaotic day",
                ),
                ("reassure me that cases get solved",),
            ),
            Preference(
                "baking competitions",
                "p",
                (
                    "on Sunday evenings with tea",
                    "when I want stakes no higher than a soggy bottom",
                ),
                ("make me hungry and happy",),
            ),
            Preference(
                "sitcoms",
                "p",
                (
                    "over a quick supper",
                    "when I need twenty minutes of laughing",
                ),
                ("feel like visiting old friends to me",),
            ),
            Preference(
                "medical dramas",
                "p",
                (
                    "on nights in with my sister",
                    "when I want to cry a little",
                ),
                ("keep my pulse up",),
            ),
            Preference(
                "sci-fi series",
                "p",
                (
                    "when I'm hungry for big ideas",
                    "late at night with headphones",
                ),
                ("send me down rabbit holes about time travel",),
            ),
            Preference(
                "reality dating",
                "m",
                (
                    "with my roommates and far too much popcorn",
                    "when my brain is mush",
                ),
                ("gives me endless gossip for the office",),
                tail="TV",
            ),
            Preference(
                "nature programs",
                "p",
                (
                    "on hungover mornings",
                    "with my kids on the rug",
                ),
                ("lower my blood pressure",),
            ),
            Preference(
                "political thrillers",
                "p",
                (
                    "in election years",
                    "when I want schemes and long corridors",
                ),
                ("keep me suspicious of everyone",),
            ),
            Preference(
                "Nordic noir",
                "m",
                (
                    "when the nights draw in",
                    "under a heavy blanket",
                ),
                ("chills me in exactly the right way",),
            ),
            Preference(
                "quiz shows",
                "p",
                (
                    "at my grandparents' house",
                    "while I cook",
                ),
                ("let me shout answers at the wall",),
            ),
            Preference(
                "home makeover",
                "m",
                (
                    "when I'm avoiding my own repairs",
                    "on sick days",
                ),
                ("fills me with plans I never carry out",),
                tail="TV",
            ),
            Preference(
                "anime",
                "m",
                (
                    "when I want wild imagination",
                    "after midnight on weekends",
                ),
                ("draws me in with its worlds and its music",),
            ),
        ),
    ),
    Category(
        "video game genres",
        nouns=(
            "kinds of video games",
            "kinds of games",
        ),
        frames=(
            "{Occ}, I sit down at the console and play {x}.",
            "{X} {is} my favorite kind of video game {occ}.",
            "{Occ}, I lose myself in {x}.",
            "I switch on the console for {x} {occ}.",
            "As a gamer I sink hours into {x}, because {they} {pt}.",
            "I use my console mostly for {x}, since {they} {pt}.",
            "{X} {is} what I like to play: {they} {pt}.",
            "On my gaming nights I play {x}; {they} {pt}.",
            "I unwind with {x} {occ}.",
        ),
        topics=("video games", "gaming"),
        situations=(
            (
                "I just bought a new console and have [a store voucher|three slots in my budget] "
                "for [the holidays|my week off]"
            ),
            "My brother and I are setting up a game room [in the basement|at his place] and picking a library",
            "I'm clearing a backlog [over Christmas|during my notice period] and want a good rotation",
            ("A subscription service wants me to tick what I like [before the trial starts|to tune its suggestions]"),
            "My gaming group votes [tonight|on Friday] and everyone may nominate a few",
            "I have long evenings [in a hotel for work|while my partner studies] and a handheld in my bag",
        ),
        requests=(
            "which genres should I [download|go for]?",
            "what types of games should I [load up|play]?",
            "what should I have installed?",
            "what would be fun for someone with my habits?",
            "which kinds of titles should I [pick|put forward]?",
        ),
        preferences=(
            Preference(
                "role-playing games",
                "p",
                (
                    "when I have a whole weekend to disappear",
                    "in the depths of winter",
                ),
                ("let me live somebody else's life",),
            ),
            Preference(
                "puzzle platformers",
                "p",
                (
                    "when I have half an hour on the couch",
                    "on flights",
                ),
                ("make me feel clever",),
            ),
            Preference(
                "farming sims",
                "p",
                (
                    "when the news gets too much",
                    "with a podcast on",
                ),
                ("bring my stress down to zero",),
            ),
            Preference(
                "first-person shooters",
                "p",
                (
                    "with my college friends on Fridays",
                    "when I need adrenaline",
                ),
                ("sharpen my reflexes",),
            ),
            Preference(
                "city builders",
                "p",
                (
                    "on rainy Saturdays",
                    "when I feel like being mayor",
                ),
                ("scratch my itch for order",),
            ),
            Preference(
                "racing games",
                "p",
                (
                    "when people come over",
                    "after sitting in traffic all day",
                ),
                ("let me drive like I never would",),
            ),
            Preference(
                "survival games",
                "p",
                (
                    "with two friends on voice chat",
                    "when I want real tension",
                ),
                ("punish me just enough to keep me trying",),
            ),
            Preference(
                "visual novels",
                "p",
                (
                    "before I fall asleep",
                    "when I'm in the mood for reading",
                ),
                ("pull me into a story with no fast thumbs needed",),
            ),
            Preference(
                "roguelikes",
                "p",
                (
                    "on lunch breaks",
                    "when I want a fresh start every time",
                ),
                ("teach me to lose gracefully",),
            ),
            Preference(
                "fighting games",
                "p",
                (
                    "at my cousin's house",
                    "when I have ten minutes and a rival",
                ),
                ("settle every argument I have with my brother",),
            ),
            Preference(
                "turn-based strategy",
                "m",
                (
                    "when I want to think before I move",
                    "on quiet nights with a beer",
                ),
                ("makes me stay up for one more turn",),
            ),
            Preference(
                "rhythm games",
                "p",
                (
                    "when I've got energy to burn",
                    "at arcades",
                ),
                ("get my whole body moving",),
            ),
        ),
    ),
    Category(
        "podcast topics",
        nouns=(
            "podcast topics",
            "subjects",
        ),
        frames=(
            "{Occ}, I put on {x}.",
            "{Occ}, I listen to {x}.",
            "{X} {is} what I want in my ears {occ}.",
            "I queue up {x} {occ}.",
            "{X} {is} good company for me {occ}.",
            "I love listening to {x} because {they} {pt}.",
            "There's always {x} in my feed, since {they} {pt}.",
            "I press play on {x} most days; {they} {pt}.",
            "A good listen for me is {x}: {they} {pt}.",
        ),
        topics=("podcasts", "listening to podcasts"),
        situations=(
            "I'm filling my phone for [a twelve-hour drive|a week of gardening|my new commute]",
            "My app lost all my subscriptions [after an update|last night] and I'm starting over",
            "I took up walking [an hour every morning|to the office] and want something in my ears",
            "A friend who produces audio is making me a custom feed [for the summer|as a present]",
            "I'm painting the nursery [this week|alone at night] and silence gets dull",
            "The library is hosting a listening club and I may suggest [a few evenings' worth|the first season]",
        ),
        requests=(
            "which topics should I [search for|subscribe to]?",
            "what should the episodes be about?",
            "what subjects should I [follow|look for]?",
            "what should I listen to people talk about?",
            "which themes would [keep me pressing play|hold my attention]?",
        ),
        preferences=(
            Preference(
                "true crime",
                "s",
                (
                    "on solo night drives",
                    "when I fold laundry",
                ),
                ("has me checking the locks twice",),
                tail="podcast",
            ),
            Preference(
                "personal finance",
                "s",
                (
                    "around tax season",
                    "on my way to work",
                ),
                ("stops me from doing silly things with my paycheck",),
                tail="podcast",
            ),
            Preference(
                "ancient history",
                "s",
                (
                    "when I walk the dog",
                    "on long train journeys",
                ),
                ("makes my own problems look tiny",),
                tail="podcast",
            ),
            Preference(
                "parenting",
                "s",
                (
                    "during the three a.m. feed",
                    "when my toddler won't nap",
                ),
                ("tells me I'm not the only one",),
                tail="podcast",
            ),
            Preference(
                "startup",
                "s",
                (
                    "on the treadmill",
                    "when I'm daydreaming about quitting",
                ),
                ("fires up my ambition",),
                tail="podcast",
            ),
            Preference(
                "climate",
                "s",
                (
                    "on my bike ride home",
                    "when I want solutions rather than doom",
                ),
                ("keeps me informed and a bit hopeful",),
                tail="podcast",
            ),
            Preference(
                "linguistics",
                "s",
                (
                    "while I do the dishes",
                    "on airport buses",
                ),
                ("makes me hear everyday words anew",),
                tail="podcast",
            ),
            Preference(
                "mental health",
                "s",
                (
                    "when I feel low",
                    "on Sunday walks",
                ),
                ("gives me words for what I'm feeling",),
                tail="podcast",
            ),
            Preference(
                "technology",
                "s",
                (
                    "before Monday meetings",
                    "when a new gadget comes out",
                ),
                ("keeps me from sounding out of date",),
                tail="podcast",
            ),
            Preference(
                "soccer",
                "s",
                (
                    "the morning after a match",
                    "when I'm stuck in traffic",
                ),
                ("lets me relive every goal",),
                tail="podcast",
            ),
            Preference(
                "philosophy",
                "s",
                (
                    "when I can't sleep",
                    "on hikes by myself",
                ),
                ("leaves me with questions for days",),
                tail="podcast",
            ),
            Preference(
                "cooking",
                "s",
                (
                    "while I chop onions",
                    "when I run out of dinner ideas",
                ),
                ("sends me straight to the market",),
                tail="podcast",
            ),
        ),
    ),
    Category(
        "comedy styles",
        nouns=(
            "kinds of comedy",
            "kinds of humor",
        ),
        frames=(
            "{Occ}, I laugh most at {x}.",
            "{X} {is} my favorite kind of comedy {occ}.",
            "{Occ}, I need some good {x}.",
            "{X} {is} my kind of funny {occ}.",
            "{X} {is} the humor I like best, because {they} {pt}.",
            "I laugh hardest at {x}, since {they} {pt}.",
            "Nothing cracks me up like {x}: {they} {pt}.",
            "If I want a good laugh I go for {x}; {they} {pt}.",
            "I go out of my way for {x} {occ}.",
        ),
        topics=("comedy", "humor"),
        situations=(
            "A festival pass gives me [five shows|a whole weekend] and I'm marking up the program",
            "My partner wants to cheer me up with an evening out [each week this month|after my layoff]",
            ("I'm booking acts for [our staff party|the charity night|my brother's stag do] and they'd like my steer"),
            "I'm making a laugh list to get through [recovery|the tax season|a long gray winter]",
            "A theater near me is selling mixed passes [until Friday|for the spring]",
            "My dad and I are swapping funny clips and specials [every evening|while he's in rehab]",
        ),
        requests=(
            "what styles of comedy should I [go for|pick]?",
            "which kinds of humor would [get me|land with me]?",
            "what should I see to [laugh hard|be in stitches]?",
            "what acts should be on [the bill|my list]?",
            "which sort of funny should I [look for|lean toward]?",
        ),
        preferences=(
            Preference(
                "stand-up",
                "m",
                (
                    "on weeknights in tiny clubs",
                    "after a breakup",
                ),
                ("makes me feel that everyone is a mess",),
            ),
            Preference(
                "improv",
                "m",
                (
                    "with friends who like to shout suggestions",
                    "when I want to see people sweat",
                ),
                ("thrills me because anything can happen",),
            ),
            Preference(
                "satire",
                "m",
                (
                    "when the headlines drive me mad",
                    "in the run-up to an election",
                ),
                ("gives my outrage somewhere to go",),
            ),
            Preference(
                "deadpan",
                "m",
                (
                    "with my driest friends",
                    "when I'm too tired for shouting",
                ),
                ("sneaks up on me",),
                tail="comedy",
            ),
            Preference(
                "sketch",
                "m",
                (
                    "when I only have ten minutes",
                    "late on Saturday nights",
                ),
                ("gives me lines to quote for weeks",),
                tail="comedy",
            ),
            Preference(
                "dark humor",
                "m",
                (
                    "after a shift at the hospital",
                    "at the pub with my brother",
                ),
                ("helps me cope with grim days",),
            ),
            Preference(
                "physical comedy",
                "m",
                (
                    "with small children around",
                    "when words fail me",
                ),
                ("makes me snort like nothing else",),
            ),
            Preference(
                "mockumentary",
                "m",
                (
                    "when I've survived another office meeting",
                    "on quiet nights on the couch",
                ),
                ("nails the awkwardness I live in",),
                tail="comedy",
            ),
            Preference(
                "absurdist",
                "m",
                (
                    "when reality makes no sense anyway",
                    "after a glass of wine",
                ),
                ("lets my brain off its leash",),
                tail="comedy",
            ),
            Preference(
                "roasts",
                "p",
                (
                    "on birthdays among old friends",
                    "when I want to wince and cackle",
                ),
                ("appeal to my mean streak",),
            ),
            Preference(
                "musical parody",
                "m",
                (
                    "on car rides with my sister",
                    "when a pop song gets stuck in my head",
                ),
                ("has me humming the wrong words",),
            ),
            Preference(
                "observational",
                "m",
                (
                    "after a day of errands",
                    "when I want something gentle",
                ),
                ("points out things I do myself",),
                tail="comedy",
            ),
        ),
    ),
    Category(
        "documentary subjects",
        nouns=(
            "documentary subjects",
            "true stories",
        ),
        frames=(
            "{Occ}, I like to watch documentaries about {x}.",
            "{Occ}, I put on a film about {x}.",
            "A documentary about {x} is just what I want {occ}.",
            "I like learning about {x} on screen {occ}.",
            "I'll watch any documentary about {x}, because {they} {pt}.",
            "{X} {is} my favorite subject for a documentary: {they} {pt}.",
            "Show me a film about {x} and I'm happy, since {they} {pt}.",
            "I'm drawn to factual films about {x}, because {they} {pt}.",
        ),
        topics=("nonfiction film", "factual television"),
        own_frames_only=True,
        situations=(
            "I have a free month of a factual streaming channel [starting Sunday|from my brother]",
            "The film festival's nonfiction strand runs [ten days|over the bank holiday] and tickets go fast",
            "I'm putting together Sunday screenings for [the retirement home|my students|our film society]",
            "I'll be on bed rest [for two weeks|until the new year] and want to learn while I lie there",
            "My roommate and I alternate choosing the evening's viewing and [my week|my turn] is coming up",
            "An archivist friend can lend me footage-heavy films [this weekend|for the long flight]",
        ),
        requests=(
            "which subjects should I [look for|choose]?",
            "what should the documentaries be about?",
            "what topics would [hold me|I get the most out of]?",
            "what true stories should I [queue|watch]?",
            "what areas should [we|I] explore?",
        ),
        preferences=(
            Preference(
                "deep-sea life",
                "m",
                (
                    "when I want to be amazed in silence",
                    "with headphones and the lights out",
                ),
                ("makes me forget to blink",),
            ),
            Preference(
                "space exploration",
                "m",
                (
                    "on clear winter nights",
                    "when earthly news is dull",
                ),
                ("gives me goosebumps at every launch",),
            ),
            Preference(
                "cult leaders",
                "p",
                (
                    "with my true-believer roommate",
                    "when I want to understand the unthinkable",
                ),
                ("disturb and fascinate me in equal parts",),
            ),
            Preference(
                "food history",
                "m",
                (
                    "while I eat dinner",
                    "before I travel",
                ),
                ("sends me to the kitchen with new ideas",),
            ),
            Preference(
                "mountaineering",
                "m",
                (
                    "when I'm safe under a duvet",
                    "in the coldest week of the year",
                ),
                ("makes my palms sweat",),
            ),
            Preference(
                "World War II",
                "m",
                (
                    "with my grandfather",
                    "on gray November Sundays",
                ),
                ("connects me with stories my family never told",),
            ),
            Preference(
                "architecture",
                "m",
                (
                    "before a city break",
                    "when I'm thinking of remodeling",
                ),
                ("changes how I look at my own street",),
            ),
            Preference(
                "music legends",
                "p",
                (
                    "on Friday nights with a record on afterwards",
                    "when I want to sing",
                ),
                ("make me dig out my old albums",),
            ),
            Preference(
                "wildlife",
                "m",
                (
                    "with my kids before bed",
                    "when the week was too full of people",
                ),
                ("reminds me how small I am",),
            ),
            Preference(
                "corporate fraud",
                "m",
                (
                    "after a long day of spreadsheets",
                    "when I want to be outraged",
                ),
                ("keeps me reading footnotes",),
            ),
            Preference(
                "volcanoes",
                "p",
                (
                    "on rainy afternoons",
                    "when I'm in the mood for spectacle",
                ),
                ("hold me glued to the set",),
            ),
            Preference(
                "fashion designers",
                "p",
                (
                    "when I'm mending clothes",
                    "with my sister and a bottle of prosecco",
                ),
                ("inspire me to dress with more nerve",),
            ),
        ),
    ),
    Category(
        "types of concerts",
        nouns=(
            "kinds of concerts",
            "live shows",
        ),
        frames=(
            "{Occ}, my choice of concert is {x}.",
            "For live music I choose {x} {occ}.",
            "{Occ}, I go for {x}.",
            "I love hearing music live, and {occ} I choose {x}.",
            "I spend my ticket money on {x}, because {they} {pt}.",
            "Of all live shows, I like {x} best: {they} {pt}.",
            "I love live bands and singers, and {x} most; {they} {pt}.",
            "For a night of live music I choose {x}, since {they} {pt}.",
            "I go out for {x} {occ}.",
        ),
        topics=("concerts", "live music"),
        situations=(
            (
                "Next season's schedules are out and I'm buying tickets for [the spring|my whole "
                "family's outings|autumn]"
            ),
            "My friend works at a ticketing desk and can get me into things [all summer|through October]",
            "I have a windfall earmarked for live music [this year|while I live in Chicago]",
            "My sister wants to take me out for [every birthday she missed|a live show each month]",
            "I'm visiting [Vienna|Nashville|Berlin] for ten days and want my evenings full of sound",
            "A local venue is polling members [this week|before it books next season]",
        ),
        requests=(
            "what kind of concerts should I [go for|see]?",
            "which live shows should be on [my calendar|the list]?",
            "what gigs would [suit me|I regret missing]?",
            "what should I hear live?",
            "which sort of performances should I [book|vote for]?",
        ),
        preferences=(
            Preference(
                "arena rock",
                "m",
                (
                    "when I want to yell with twenty thousand people",
                    "every time a childhood band reunites",
                ),
                ("shakes my ribs in a way no speaker can",),
            ),
            Preference(
                "chamber music",
                "m",
                (
                    "on quiet Sunday afternoons",
                    "when I need to hear every bow stroke",
                ),
                ("makes me listen with my whole body",),
            ),
            Preference(
                "open-air festivals",
                "p",
                (
                    "in July with a tent and my oldest friends",
                    "when I want three days away from screens",
                ),
                ("leave me muddy and overjoyed",),
            ),
            Preference(
                "jazz clubs",
                "p",
                (
                    "on late nights in a strange city",
                    "when I'm in the mood for a dark corner and a drink",
                ),
                ("put me two feet from the saxophone",),
            ),
            Preference(
                "symphony orchestras",
                "p",
                (
                    "when I can dress up",
                    "with my mother twice a year",
                ),
                ("flood me with sound from every side",),
            ),
            Preference(
                "choral evenings",
                "p",
                (
                    "in Advent",
                    "when I want to sit in an old church",
                ),
                ("raise the hair on my arms",),
            ),
            Preference(
                "acoustic sets",
                "p",
                (
                    "in cafés with thirty chairs",
                    "when I'm tired of volume",
                ),
                ("let me catch every word",),
            ),
            Preference(
                "electronic raves",
                "p",
                (
                    "when I feel like dancing until dawn",
                    "in old warehouses",
                ),
                ("wipe my mind clean",),
            ),
            Preference(
                "opera galas",
                "p",
                (
                    "when I've saved up for good seats",
                    "on my anniversary",
                ),
                ("leave me weeping in a language I don't speak",),
            ),
            Preference(
                "tribute bands",
                "p",
                (
                    "with my music-mad dad",
                    "on cheap Thursday nights",
                ),
                ("let me sing every line",),
            ),
            Preference(
                "house concerts",
                "p",
                (
                    "when a neighbor clears out the living room",
                    "on stormy evenings",
                ),
                ("make me feel like a friend of the band",),
            ),
            Preference(
                "film score nights",
                "p",
                (
                    "with my teenager",
                    "when a favorite soundtrack is on the program",
                ),
                ("bring whole scenes back to me",),
            ),
        ),
    ),
    Category(
        "types of museums",
        nouns=(
            "kinds of museums",
            "exhibitions",
        ),
        frames=(
            "{Occ}, I like to visit {x}.",
            "I love wandering through {x} {occ}.",
            "{Occ}, I could spend hours in {x}.",
            "{X} {is} my idea of a good outing {occ}.",
            "I never pass up {x}, because {they} {pt}.",
            "When I want to see an exhibition I choose {x}, since {they} {pt}.",
            "On a day out I like {x} best: {they} {pt}.",
            "I could look at the exhibits in {x} all day; {they} {pt}.",
        ),
        topics=("museums", "galleries"),
        situations=(
            (
                "I'm drawing up an itinerary for [four rainy days in Berlin|my first trip to "
                "Washington|a week in Amsterdam]"
            ),
            "My company pays for cultural memberships and I can list several [before the deadline|this month]",
            "My nephew and I have a standing day out [every school holiday|once a month]",
            "I've bought a city pass that is valid [for seventy-two hours|until Sunday]",
            "My aunt wants to take me somewhere indoors [whenever it rains|on each of her visits]",
            "I'm scouting field trips for [a club I run|our seniors' group] and they trust my taste",
        ),
        requests=(
            "which museums should I [fit in|visit]?",
            "what kind of collections should [we|I] see?",
            "which exhibits would [be worth my time|grab me]?",
            "where should [we|I] buy tickets?",
            "what sort of place should I [wander through|aim for]?",
        ),
        preferences=(
            Preference(
                "modern art",
                "s",
                (
                    "when I want to be confused on purpose",
                    "on free Thursday evenings",
                ),
                ("gives me something to argue about",),
                tail="museum",
            ),
            Preference(
                "natural history",
                "s",
                (
                    "with kids who love bones",
                    "on wet half-term days",
                ),
                ("makes me feel ten again",),
                tail="museum",
            ),
            Preference(
                "maritime",
                "s",
                (
                    "on seaside holidays",
                    "when my father is with me",
                ),
                ("feeds my fascination with old ships",),
                tail="museum",
            ),
            Preference(
                "science centers",
                "p",
                (
                    "when I can press buttons all morning",
                    "with my godson",
                ),
                ("let me learn with my hands",),
            ),
            Preference(
                "transport",
                "s",
                (
                    "when I'm with my train-mad nephew",
                    "on gray Saturdays",
                ),
                ("puts me in the driver's cab",),
                tail="museum",
            ),
            Preference(
                "open-air folk villages",
                "p",
                (
                    "in early summer",
                    "when I want to walk as I learn",
                ),
                ("let me step into a 1700s kitchen",),
            ),
            Preference(
                "photography",
                "s",
                (
                    "between two appointments downtown",
                    "when I want quiet rooms",
                ),
                ("sharpens my eye for weeks",),
                tail="museum",
            ),
            Preference(
                "war memorial",
                "s",
                (
                    "on anniversaries that matter to my family",
                    "when I travel through Belgium",
                ),
                ("leaves me humble",),
                tail="museum",
            ),
            Preference(
                "textile",
                "s",
                (
                    "when I need ideas for my quilting",
                    "on trips with my aunt",
                ),
                ("shows me patterns I want to copy",),
                tail="museum",
            ),
            Preference(
                "aviation",
                "s",
                (
                    "when I'm near an old airfield",
                    "on Father's Day",
                ),
                ("gets me dreaming of a pilot's license",),
                tail="museum",
            ),
            Preference(
                "archaeology",
                "s",
                (
                    "before I travel to Greece",
                    "on slow weekdays",
                ),
                ("makes two thousand years feel close to me",),
                tail="museum",
            ),
            Preference(
                "toy",
                "s",
                (
                    "at Christmas with my grandmother",
                    "when nostalgia gets the better of me",
                ),
                ("brings back everything I lost under the couch",),
                tail="museum",
            ),
        ),
    ),
    Category(
        "sports to watch on TV",
        nouns=(
            "sports",
            "broadcasts",
        ),
        frames=(
            "{Occ}, I watch {x} on TV.",
            "I tune in to watch {x} live {occ}.",
            "{X} {is} my favorite sport to watch {occ}.",
            "{Occ}, I'm in front of the TV for {x}.",
            "The live sport I watch most is {x}, because {they} {pt}.",
            "{X} {is} the sport I follow on TV: {they} {pt}.",
            "I never miss a broadcast of {x}, since {they} {pt}.",
            "Of all televised sports, I love {x} most; {they} {pt}.",
        ),
        topics=("televised sports", "sports on TV"),
        situations=(
            "I'm choosing a cable package [before the season starts|for the new apartment|this week]",
            (
                "My brother-in-law is spending [the whole fall|ten days] with us and I want our "
                "evenings on the couch sorted"
            ),
            "I'm blocking out my weekends in [the family calendar|my planner] around broadcasts",
            "A sports bar gives regulars a say in what goes on the big screen [this winter|on Saturdays]",
            "I'm laid up with a cast [for six weeks|through the spring] and own a very large screen",
            "A streaming service lets me buy single passes [until Sunday|at half price]",
        ),
        requests=(
            "which sports should I [get coverage of|make sure I have]?",
            "what should be on the screen?",
            "which games and events should I [plan around|keep free for]?",
            "what live coverage would I [miss most|enjoy]?",
            "what should I be able to tune in to?",
        ),
        preferences=(
            Preference(
                "tennis",
                "m",
                (
                    "in the two weeks of Wimbledon",
                    "when I wake up too early on Sundays",
                ),
                ("keeps me tense on every break point",),
            ),
            Preference(
                "Formula 1",
                "m",
                (
                    "on race Sundays with my dad",
                    "when I want noise and strategy",
                ),
                ("has me shouting at pit stops",),
            ),
            Preference(
                "basketball",
                "m",
                (
                    "during the playoffs",
                    "on weeknights with wings",
                ),
                ("never gives me time to look away",),
            ),
            Preference(
                "figure skating",
                "m",
                (
                    "every winter Olympics",
                    "with my mother and a box of tissues",
                ),
                ("makes me hold my breath at each jump",),
            ),
            Preference(
                "cricket",
                "m",
                (
                    "over five slow days",
                    "when I want something on while I iron",
                ),
                ("suits my long attention span",),
            ),
            Preference(
                "American football",
                "m",
                (
                    "on Thanksgiving after the pie",
                    "with the neighbors on Sundays",
                ),
                ("turns my living room into a stadium",),
            ),
            Preference(
                "cycling races",
                "p",
                (
                    "through July afternoons",
                    "when I'd rather look at French villages than work",
                ),
                ("lull me and then thrill me",),
            ),
            Preference(
                "boxing",
                "m",
                (
                    "on big fight nights with friends",
                    "when I stay up past two",
                ),
                ("gets my heart pounding",),
            ),
            Preference(
                "snooker",
                "m",
                (
                    "when I'm winding down",
                    "on dreary afternoons",
                ),
                ("hypnotizes me with its calm",),
            ),
            Preference(
                "swimming meets",
                "p",
                (
                    "when world records are in the air",
                    "when I miss my own racing days",
                ),
                ("bring back the smell of chlorine for me",),
            ),
            Preference(
                "rugby",
                "m",
                (
                    "on Six Nations weekends",
                    "with a pie and a pint",
                ),
                ("wins me over with its toughness and respect",),
            ),
            Preference(
                "gymnastics",
                "m",
                (
                    "when the national team competes",
                    "with my daughters on the rug",
                ),
                ("leaves me speechless every routine",),
            ),
        ),
    ),
    Category(
        "types of theater",
        nouns=(
            "kinds of theater",
            "stage shows",
        ),
        frames=(
            "{Occ}, I like an evening of {x} at the playhouse.",
            "I love seeing {x} on stage {occ}.",
            "{X} {is} my favorite night at the theater {occ}.",
            "{X} {is} what I want from the stage {occ}.",
            "I buy tickets for {x} whenever I can, because {they} {pt}.",
            "{X} {is} the kind of theater I love: {they} {pt}.",
            "Nothing on stage gets to me like {x}; {they} {pt}.",
            "When the curtain goes up I hope for {x}, since {they} {pt}.",
        ),
        topics=("theater", "the stage"),
        situations=(
            "The playhouse is selling a subscription of mixed nights [for next season|until Friday]",
            (
                "I'm spending [a week in London|ten days in New York|a weekend at the fringe] "
                "and want my evenings on stage"
            ),
            "My mother and I share one night out [each month|every other Thursday] and it's my turn to book",
            "Our drama teacher wants suggestions for [the school trip|next year's outings]",
            ("I have an envelope of gift vouchers for [the box office|the arts center] that run out in [May|August]"),
            (
                "My company sponsors the local stage and I may nominate [a few productions|some "
                "evenings] for [staff|clients]"
            ),
        ),
        requests=(
            "what kinds of theater should I [see|choose]?",
            "which shows should [we|I] get seats for?",
            "what sort of staging would [move me|suit me]?",
            "what should I be looking for on the stage?",
            "which productions fit [me|my tastes]?",
        ),
        preferences=(
            Preference(
                "musicals",
                "p",
                (
                    "when I want to leave humming",
                    "with my daughter at Christmas",
                ),
                ("give me songs to sing in the shower",),
            ),
            Preference(
                "Shakespeare",
                "m",
                (
                    "outdoors on summer nights",
                    "when I can read the text beforehand",
                ),
                ("rewards me more each time",),
            ),
            Preference(
                "puppetry",
                "m",
                (
                    "with my youngest",
                    "when I want to be surprised by simple things",
                ),
                ("makes me believe in wood and string",),
            ),
            Preference(
                "improv",
                "m",
                (
                    "with a loud group of friends",
                    "on cheap weeknights",
                ),
                ("keeps me laughing because nothing is planned",),
            ),
            Preference(
                "one-person shows",
                "p",
                (
                    "in rooms of fifty seats",
                    "when I want to hear a single voice",
                ),
                ("pull me so close I forget to clap",),
            ),
            Preference(
                "opera",
                "m",
                (
                    "when I can dress to the nines",
                    "once a year with my godmother",
                ),
                ("overwhelms me with its voices",),
            ),
            Preference(
                "immersive",
                "m",
                (
                    "when I want to wander around the set",
                    "on birthdays with brave friends",
                ),
                ("makes me part of the story",),
                tail="theater",
            ),
            Preference(
                "farce",
                "m",
                (
                    "after a hard week",
                    "when doors need slamming",
                ),
                ("has me wiping tears of laughter",),
            ),
            Preference(
                "Greek tragedy",
                "m",
                (
                    "when I'm up for catharsis",
                    "in stone amphitheaters on vacation",
                ),
                ("shakes me for days",),
            ),
            Preference(
                "pantomime",
                "m",
                (
                    "in the week before Christmas",
                    "with a row full of cousins",
                ),
                ("lets me boo as loud as I like",),
            ),
            Preference(
                "ballet",
                "m",
                (
                    "in the dead of winter",
                    "with my grandmother in the balcony",
                ),
                ("leaves me floating home",),
            ),
            Preference(
                "experimental",
                "m",
                (
                    "in basements and old factories",
                    "when I want to be puzzled",
                ),
                ("keeps me talking until two in the morning",),
                tail="theater",
            ),
        ),
    ),
)
