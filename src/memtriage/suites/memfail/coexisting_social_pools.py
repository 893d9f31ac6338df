"""Social life: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "weekend activities",
        nouns=(
            "weekend plans",
            "activities",
        ),
        frames=(
            "{Occ}, my weekend calls for {x}.",
            "{X} {is} my favorite weekend plan {occ}.",
            "{X} {is} how I like to spend my weekend {occ}.",
            "I look forward to {x} {occ}.",
            "My weekends are made for {x}, because {they} {pt}.",
            "No weekend of mine is complete without {x}: {they} {pt}.",
            "On my days off I enjoy {x}, since {they} {pt}.",
            "All week I look forward to {x}; {they} {pt}.",
        ),
        topics=("weekends", "days off"),
        situations=(
            ("I have three completely free weekends in a row [before the baby comes|in October] and nothing planned"),
            "My sister is visiting [from Friday to Monday|over Presidents' Day] and wants to do my kind of things",
            "I'm trying to stop working on Saturdays [this year|from now on] and need something better to do",
            "My partner is filling our shared calendar [for May|for the summer] and asked for my wishes",
            "After months of overtime I finally get two days off [this week|in a row]",
            (
                "A friend is writing about ordinary people's days off and will follow me around "
                "[this month|for a few Sundays]"
            ),
        ),
        requests=(
            "what should I do with my weekends?",
            "which plans should go [in the calendar|on the list]?",
            "how should [we|I] spend the days off?",
            "what would make [Saturday and Sunday|the time off] feel good?",
            "what activities should I [pencil in|count on]?",
        ),
        preferences=(
            Preference(
                "farmers' markets",
                "p",
                (
                    "early on Saturdays",
                    "with a basket and no list",
                ),
                ("make me cook better all week",),
            ),
            Preference(
                "antiquing",
                "m",
                (
                    "in small towns off the highway",
                    "when I've got cash in my pocket",
                ),
                ("keeps me hunting for that one lamp",),
            ),
            Preference(
                "brunch with friends",
                "m",
                (
                    "around eleven on Sundays",
                    "when everyone is in town",
                ),
                ("catches me up on the gossip",),
            ),
            Preference(
                "matinee movies",
                "p",
                (
                    "when it pours",
                    "on my own with a big soda",
                ),
                ("feel like playing hooky to me",),
            ),
            Preference(
                "long bike rides",
                "p",
                (
                    "when the forecast is dry",
                    "before the roads fill up",
                ),
                ("leave me happily wrecked by noon",),
            ),
            Preference(
                "thrifting",
                "m",
                (
                    "with my best friend",
                    "at the start of the season",
                ),
                ("gives me clothes with a story",),
            ),
            Preference(
                "board game nights",
                "p",
                (
                    "on Saturdays with pizza",
                    "when nobody wants to go out",
                ),
                ("bring out my worst behavior",),
            ),
            Preference(
                "visiting museums",
                "m",
                (
                    "on wet Sundays",
                    "when a new exhibition opens",
                ),
                ("fills my head with something other than work",),
            ),
            Preference(
                "cooking all day",
                "m",
                (
                    "when there's snow outside",
                    "with a pot that needs six hours",
                ),
                ("makes my house smell like a home",),
            ),
            Preference(
                "day trips by train",
                "p",
                (
                    "on the first sunny morning",
                    "when I'm sick of my own street",
                ),
                ("cost me little and give me the sea",),
            ),
            Preference(
                "sleeping in",
                "m",
                (
                    "after a week of early shifts",
                    "until the cat complains",
                ),
                ("puts me back together",),
            ),
            Preference(
                "karaoke",
                "m",
                (
                    "on Friday nights in a rented room",
                    "when I've got a song stuck in me",
                ),
                ("cures my shyness",),
            ),
        ),
    ),
    Category(
        "party activities",
        nouns=(
            "party activities",
            "kinds of entertainment",
        ),
        frames=(
            "{X} {is} my favorite part of a party {occ}.",
            "{Occ}, a party for me means {x}.",
            "I'm always up for {x} {occ}.",
            "{X} {is} my idea of fun with guests {occ}.",
            "At any party I hope for {x}, because {they} {pt}.",
            "When I have guests I plan for {x}, since {they} {pt}.",
            "{X} {is} the best party entertainment I know: {they} {pt}.",
            "To liven up a party I suggest {x}; {they} {pt}.",
        ),
        topics=("parties", "celebrations"),
        situations=(
            "I'm throwing my own [thirtieth|fortieth|farewell party] and want it to be exactly my kind of evening",
            "My friends are planning a surprise for me and pretending they aren't [this month|in June]",
            "Our office social falls to me [this quarter|in December] and I get to set the program",
            "I'm having thirty people over [on New Year's Eve|after graduation] and I hate awkward silences",
            "We've rented a barn [for the weekend|in August] and need to fill a long night",
            "My cousin is arranging my [bachelorette|stag weekend] and wants hints",
        ),
        requests=(
            "what activities should be [on the program|planned]?",
            "what should [we|everyone] do at the party?",
            "which entertainments would [I enjoy|get me going]?",
            "what should I set up?",
            "what would keep me [in the room|having fun]?",
        ),
        preferences=(
            Preference(
                "karaoke",
                "m",
                (
                    "after the second drink",
                    "when my sister is there to duet",
                ),
                ("cures me of shyness in one chorus",),
            ),
            Preference(
                "charades",
                "m",
                (
                    "with three generations in a room",
                    "when the music stops",
                ),
                ("makes my father ridiculous, which I love",),
            ),
            Preference(
                "beer pong",
                "m",
                (
                    "in garages with old college friends",
                    "before midnight",
                ),
                ("revives the student in me",),
            ),
            Preference(
                "dancing",
                "m",
                (
                    "when somebody plays disco",
                    "until my feet give out",
                ),
                ("is the reason I show up at all",),
            ),
            Preference(
                "trivia contests",
                "p",
                (
                    "with teams and a silly prize",
                    "when the crowd is nerdy",
                ),
                ("let me use my useless knowledge",),
            ),
            Preference(
                "photo booth",
                "s",
                (
                    "with props and bad wigs",
                    "at weddings",
                ),
                ("gives me a souvenir I stick on my fridge",),
            ),
            Preference(
                "murder mystery",
                "s",
                (
                    "over a long dinner",
                    "when everyone dresses up",
                ),
                ("lets me lie to my friends all night",),
            ),
            Preference(
                "piñata",
                "s",
                (
                    "at backyard birthdays",
                    "when kids and adults mix",
                ),
                ("turns me into a savage",),
            ),
            Preference(
                "wine tasting",
                "m",
                (
                    "when things stay civilized",
                    "with blindfolds and scorecards",
                ),
                ("makes me feel like a snob for fun",),
            ),
            Preference(
                "cornhole",
                "m",
                (
                    "on summer lawns",
                    "with a burger in one hand",
                ),
                ("keeps me outdoors and chatting",),
            ),
            Preference(
                "fire pit stories",
                "p",
                (
                    "once it gets dark",
                    "when only the close ones remain",
                ),
                ("are where I finally relax",),
            ),
            Preference(
                "scavenger hunts",
                "p",
                (
                    "across the whole neighborhood",
                    "with mixed teams",
                ),
                ("bring out the strategist in me",),
            ),
        ),
    ),
    Category(
        "dating activities",
        nouns=(
            "date ideas",
            "romantic outings",
        ),
        frames=(
            "{Occ}, my favorite romantic plan is {x}.",
            "{X} {is} my favorite date {occ}.",
            "{X} {is} my idea of romance {occ}.",
            "{Occ}, {x} {is} what I suggest to someone special.",
            "{X} {is} my kind of date, because {they} {pt}.",
            "When I plan a date I suggest {x}: {they} {pt}.",
            "I'd choose {x} for a date any time, since {they} {pt}.",
            "{X} {is} the most romantic date I know; {they} {pt}.",
        ),
        topics=("dating", "dates"),
        situations=(
            "I've met someone wonderful and we're seeing each other [every Friday|all through the spring]",
            "My wife and I are bringing back date night [once a week|for our twentieth year]",
            "A matchmaking app wants me to describe outings I'd love [by tonight|for my profile]",
            "My boyfriend is planning a month of surprises [for my birthday|while I'm between jobs]",
            "I'm back on the market after [a long marriage|three years] and out of ideas",
            "We're long-distance and finally have [nine days together|two weekends] [in March|next month]",
        ),
        requests=(
            "which dates should I [suggest|plan]?",
            "what should [the two of us|we] do?",
            "what outings would [feel like me|I enjoy]?",
            "how should we spend our evenings?",
            "what romantic plans should I [make|put down]?",
        ),
        preferences=(
            Preference(
                "cooking together",
                "m",
                (
                    "on rainy Fridays with a bottle open",
                    "when it's time to see each other's kitchens",
                ),
                ("shows me how somebody handles chaos",),
            ),
            Preference(
                "mini golf",
                "m",
                (
                    "when nerves run high",
                    "on a second date",
                ),
                ("lets me flirt and lose",),
            ),
            Preference(
                "sunset picnics",
                "p",
                (
                    "in warm months",
                    "when I want to talk for hours",
                ),
                ("make me bold enough to hold hands",),
            ),
            Preference(
                "bookstore browsing",
                "m",
                (
                    "on cold afternoons",
                    "when I want to learn what someone loves",
                ),
                ("tells me more than any profile",),
            ),
            Preference(
                "stand-up nights",
                "p",
                (
                    "when we both had a hard week",
                    "early in a romance",
                ),
                ("tell me whether we laugh at the same things",),
            ),
            Preference(
                "pottery class",
                "s",
                (
                    "when small talk runs out",
                    "on Sundays",
                ),
                ("gets my hands dirty and my guard down",),
            ),
            Preference(
                "stargazing",
                "m",
                (
                    "out of town with a blanket",
                    "when words aren't needed",
                ),
                ("makes me want to stay till dawn",),
            ),
            Preference(
                "dive bar pool",
                "m",
                (
                    "on low-key Wednesdays",
                    "when I don't want to dress up",
                ),
                ("brings out my cocky side",),
            ),
            Preference(
                "aquarium visits",
                "p",
                (
                    "on days when it's too hot",
                    "when I want dark rooms and blue light",
                ),
                ("make me childish with wonder",),
            ),
            Preference(
                "ice skating",
                "m",
                (
                    "in December under string lights",
                    "when I need an excuse to cling",
                ),
                ("makes me laugh at my own falls",),
            ),
            Preference(
                "coffee walks",
                "p",
                (
                    "for a first meeting",
                    "on crisp mornings",
                ),
                ("let me leave or linger",),
            ),
            Preference(
                "live jazz",
                "m",
                (
                    "when I want low lights and slow talk",
                    "for anniversaries",
                ),
                ("puts me in a tender mood",),
            ),
        ),
    ),
    Category(
        "types of social gatherings",
        nouns=(
            "kinds of gatherings",
            "get-togethers",
        ),
        frames=(
            "{X} {is} my favorite way to socialize {occ}.",
            "I love getting people together for {x} {occ}.",
            "{Occ}, I like to gather people for {x}.",
            "{X} {is} the kind of social event I enjoy {occ}.",
            "When friends get together I like {x}, because {they} {pt}.",
            "{X} {is} my kind of gathering: {they} {pt}.",
            "Of all social occasions, I like {x} best, since {they} {pt}.",
            "When I host friends I like {x}; {they} {pt}.",
        ),
        topics=("social gatherings", "get-togethers"),
        situations=(
            "I've moved to a new town and want a social life of my own making [this year|by summer]",
            "My calendar is empty after [a long illness|finishing my degree] and I'm planning to see people again",
            "Our neighborhood committee asked me to propose events [for the season|by Monday]",
            "I'm turning my big house into a meeting place for friends [this winter|once a month]",
            "My birthday month is coming and I'd rather have several small occasions [in May|than one big bash]",
            "An introvert friend wants to know which invitations I'd say yes to [this fall|in the coming weeks]",
        ),
        requests=(
            "what kinds of gatherings should I [host|plan]?",
            "which get-togethers should be on [the list|the calendar]?",
            "how should I be bringing people together?",
            "what occasions would [I enjoy|suit me]?",
            "what events should I [say yes to|put forward]?",
        ),
        preferences=(
            Preference(
                "potlucks",
                "p",
                (
                    "when the building has new tenants",
                    "at harvest time",
                ),
                ("let me taste everyone's best dish",),
            ),
            Preference(
                "dinner parties",
                "p",
                (
                    "for six at a round table",
                    "in the dark months",
                ),
                ("make me polish the glasses and talk till one",),
            ),
            Preference(
                "book clubs",
                "p",
                (
                    "on the last Thursday of the month",
                    "when I want to argue kindly",
                ),
                ("get me to read outside my lane",),
            ),
            Preference(
                "garden parties",
                "p",
                (
                    "in June when the peonies are out",
                    "with hats and lemonade",
                ),
                ("make me feel like a novelist",),
            ),
            Preference(
                "game nights",
                "p",
                (
                    "on Fridays with chips",
                    "when talk runs dry",
                ),
                ("bring out my competitive side",),
            ),
            Preference(
                "bonfires",
                "p",
                (
                    "on the beach in autumn",
                    "when the nights are clear",
                ),
                ("make strangers open up to me",),
            ),
            Preference(
                "coffee mornings",
                "p",
                (
                    "after school drop-off",
                    "when I need adult voices",
                ),
                ("keep me sane",),
            ),
            Preference(
                "barbecues",
                "p",
                (
                    "on holiday weekends",
                    "when the whole street is home",
                ),
                ("give me tongs and authority",),
            ),
            Preference(
                "house concerts",
                "p",
                (
                    "when a friend is on tour",
                    "on winter Sundays",
                ),
                ("fill my living room with song",),
            ),
            Preference(
                "cocktail hours",
                "p",
                (
                    "right after work",
                    "when I want an end time",
                ),
                ("let me be home by eight",),
            ),
            Preference(
                "family reunions",
                "p",
                (
                    "every other summer",
                    "at my grandparents' lake",
                ),
                ("tell me where my nose comes from",),
            ),
            Preference(
                "craft circles",
                "p",
                (
                    "on rainy weeknights",
                    "when my hands are restless",
                ),
                ("let me chat without eye contact",),
            ),
        ),
    ),
    Category(
        "board games",
        nouns=(
            "board games",
            "tabletop games",
        ),
        frames=(
            "{Occ}, I play {x}.",
            "{X} {is} the game I bring out {occ}.",
            "On game night I like {x}, and above all {occ}.",
            "{X} {is} my board game of choice {occ}.",
            "I'm always ready to play {x}, because {they} {pt}.",
            "{X} {is} my favorite board game: {they} {pt}.",
            "From my game shelf I usually pick {x}, since {they} {pt}.",
            "Around the table I never get tired of {x}; {they} {pt}.",
        ),
        topics=("board games", "tabletop games"),
        situations=(
            (
                "I'm hosting game night [every Friday this month|for eight people|on New Year's "
                "Eve] and the shelf is a mess"
            ),
            "A game café gives me [a private table|five hours] [on Saturday|for my birthday]",
            "We're off to a cabin without internet [for a week|with another couple] and the box space is limited",
            "My niece turned twelve and I want to introduce her to what I love [this summer|over the holidays]",
            "I'm replacing a collection lost in [the move|a basement flood] and the insurance pays",
            "My new colleagues meet at lunch to play [on Wednesdays|from next week] and I'm to bring something",
        ),
        requests=(
            "which games should I [bring|put on the table]?",
            "what should [we|I] play?",
            "what boxes should I [pack|buy]?",
            "which titles would [make my evening|suit me]?",
            "what should be on the shelf?",
        ),
        preferences=(
            Preference(
                "Catan",
                "m",
                (
                    "with three cutthroat friends",
                    "when I'm in the mood to haggle",
                ),
                ("makes me beg for sheep",),
            ),
            Preference(
                "Ticket to Ride",
                "m",
                (
                    "with people who never play",
                    "on snowy afternoons",
                ),
                ("gives me the joy of finishing a long route",),
            ),
            Preference(
                "Pandemic",
                "m",
                (
                    "when I'd rather win together",
                    "with my anxious cousin",
                ),
                ("has me sweating over every outbreak",),
            ),
            Preference(
                "Scrabble",
                "m",
                (
                    "with my mother by the fire",
                    "when I feel wordy",
                ),
                ("lets me show off my two-letter words",),
            ),
            Preference(
                "Codenames",
                "m",
                (
                    "with eight people and wine",
                    "after dinner",
                ),
                ("teaches me how my friends think",),
            ),
            Preference(
                "Carcassonne",
                "m",
                (
                    "on a small café table",
                    "with my husband on Sundays",
                ),
                ("satisfies me tile by tile",),
            ),
            Preference(
                "Azul",
                "m",
                (
                    "when I want something pretty",
                    "for two on weeknights",
                ),
                ("soothes me until somebody takes my blue",),
            ),
            Preference(
                "Risk",
                "m",
                (
                    "when we have all night",
                    "with my brothers at Christmas",
                ),
                ("brings out the tyrant in me",),
            ),
            Preference(
                "Wingspan",
                "m",
                (
                    "with my birder friends",
                    "on quiet mornings",
                ),
                ("teaches me species while I plot",),
            ),
            Preference(
                "Dixit",
                "m",
                (
                    "with dreamers and kids",
                    "when I want stories rather than points",
                ),
                ("surprises me with what people see",),
            ),
            Preference(
                "Clue",
                "m",
                (
                    "on stormy nights",
                    "with my nieces",
                ),
                ("makes me suspect the butler every time",),
            ),
            Preference(
                "Go",
                "m",
                (
                    "with an old man in the park",
                    "when I want silence and depth",
                ),
                ("shows me how little I know",),
            ),
        ),
    ),
    Category(
        "card games",
        nouns=(
            "card games",
            "games",
        ),
        frames=(
            "{Occ}, I play {x}.",
            "I get out the cards for {x} {occ}.",
            "{X} {is} my card game of choice {occ}.",
            "{Occ}, the card game I like is {x}.",
            "Of all card games, I love {x} most, because {they} {pt}.",
            "{X} {is} my favorite card game: {they} {pt}.",
            "With a deck in my hand I choose {x}, since {they} {pt}.",
            "I never say no to a few hands of {x} when the cards come out; {they} {pt}.",
        ),
        topics=("card games", "cards"),
        situations=(
            "I'm sailing with friends [for ten days|along the coast] and the only entertainment is a pack or two",
            "My grandfather taught me a lot and I'm passing it on to my kids [this winter|over Easter]",
            "Our pub is starting a weekly card table [on Mondays|in September] and I can put games on the rota",
            "We're snowed in at [the airport|a lodge] and somebody just found a deck",
            "I'm hosting a cards evening for [my neighbors|the retirees' club] [on Thursday|next week]",
            "A long train ride [across Canada|with my cousins] is coming up and my bag has a little room",
        ),
        requests=(
            "which games should [we|I] play?",
            "what should I deal?",
            "what card games should I [teach|suggest]?",
            "which ones would [keep me at the table|suit me]?",
            "what should [we|everyone] have a round of?",
        ),
        preferences=(
            Preference(
                "poker",
                "m",
                (
                    "on Fridays with low stakes",
                    "when I want to read faces",
                ),
                ("lets me practice lying",),
            ),
            Preference(
                "bridge",
                "m",
                (
                    "with three sharp retirees",
                    "on Tuesday afternoons",
                ),
                ("keeps my memory in shape",),
            ),
            Preference(
                "rummy",
                "m",
                (
                    "on trains",
                    "with my grandmother and peppermints",
                ),
                ("relaxes me like knitting",),
            ),
            Preference(
                "hearts",
                "m",
                (
                    "with exactly four of us",
                    "late in the evening",
                ),
                ("lets me pass on the queen with a smile",),
            ),
            Preference(
                "cribbage",
                "m",
                (
                    "at the kitchen counter with my dad",
                    "when there's a pegboard around",
                ),
                ("makes me count in my sleep",),
            ),
            Preference(
                "Uno",
                "m",
                (
                    "with small kids",
                    "when everyone is tipsy",
                ),
                ("gives me cruel joy with every draw four",),
            ),
            Preference(
                "solitaire",
                "m",
                (
                    "when I can't sleep",
                    "on the phone in line",
                ),
                ("needs nobody but me",),
            ),
            Preference(
                "blackjack",
                "m",
                (
                    "on trips to Vegas",
                    "for matchsticks with my roommates",
                ),
                ("makes my pulse jump at nineteen",),
            ),
            Preference(
                "euchre",
                "m",
                (
                    "with my Midwestern in-laws",
                    "on lake weekends",
                ),
                ("has me talking in code",),
            ),
            Preference(
                "canasta",
                "m",
                (
                    "with my aunts after lunch",
                    "when we have two decks and all afternoon",
                ),
                ("sounds like my childhood",),
            ),
            Preference(
                "Exploding Kittens",
                "m",
                (
                    "when teenagers visit",
                    "as a warm-up",
                ),
                ("makes me laugh out loud",),
            ),
            Preference(
                "Magic: The Gathering",
                "m",
                (
                    "at the shop on draft night",
                    "with my oldest friend",
                ),
                ("has eaten my wallet since school",),
            ),
        ),
    ),
    Category(
        "conversation topics",
        nouns=(
            "conversation topics",
            "subjects",
        ),
        frames=(
            "{Occ}, I like to talk about {x}.",
            "{Occ}, I steer the conversation to {x}.",
            "{X} {is} my favorite topic {occ}.",
            "I could chat about {x} for hours {occ}.",
            "I enjoy talking about {x}, because {they} {pt}.",
            "{X} {is} the subject I love to discuss: {they} {pt}.",
            "Ask me about {x} and I'll talk for an hour, since {they} {pt}.",
            "My best conversations are about {x}; {they} {pt}.",
        ),
        topics=("conversation", "small talk"),
        own_frames_only=True,
        situations=(
            ("I'm seated next to strangers at [a wedding|a conference dinner|a long banquet] [on Saturday|next week]"),
            (
                "A podcaster friend invited me for a relaxed chat [on her show|next Tuesday] and "
                "asked what I like to discuss"
            ),
            "I'm meeting my daughter's future in-laws [for the first time|over lunch on Sunday]",
            "I signed up for a language exchange and need things to talk about [every week|in ten sessions]",
            "We have a fourteen-hour drive [with a new colleague|to my cousin's wedding] and the radio is broken",
            "A speed-friending night asks everybody to write down subjects [beforehand|on a card]",
        ),
        requests=(
            "which topics should I [bring up|steer toward]?",
            "what should I talk about?",
            "what subjects would [I light up at|get me talking]?",
            "what should the conversation turn to?",
            "what themes should I [prepare|put down]?",
        ),
        preferences=(
            Preference(
                "travel mishaps",
                "p",
                (
                    "when a table goes quiet",
                    "over the first drink",
                ),
                ("get a laugh out of me even years later",),
            ),
            Preference(
                "philosophy",
                "m",
                (
                    "after midnight",
                    "on long walks with my brother",
                ),
                ("makes me forget to check the time",),
            ),
            Preference(
                "childhood memories",
                "p",
                (
                    "with people I trust",
                    "around a fire",
                ),
                ("soften me up",),
            ),
            Preference(
                "food",
                "m",
                (
                    "with anyone from another country",
                    "when I'm hungry",
                ),
                ("never leaves me stuck for words",),
            ),
            Preference(
                "politics",
                "m",
                (
                    "with people who can disagree nicely",
                    "in election years",
                ),
                ("gets my blood moving",),
            ),
            Preference(
                "movies",
                "p",
                (
                    "on first dates",
                    "when I need neutral ground",
                ),
                ("bring out my strongest opinions",),
            ),
            Preference(
                "dreams",
                "p",
                (
                    "over breakfast",
                    "with my sister on the phone",
                ),
                ("let me be weird for a minute",),
            ),
            Preference(
                "science news",
                "m",
                (
                    "with my engineer friends",
                    "when something has just been discovered",
                ),
                ("makes me wave my hands",),
            ),
            Preference(
                "relationships",
                "p",
                (
                    "with my oldest friends and wine",
                    "when somebody's heart is broken",
                ),
                ("show me what I believe",),
            ),
            Preference(
                "sports rivalries",
                "p",
                (
                    "at the barbershop",
                    "before a derby",
                ),
                ("turn me into a loudmouth",),
            ),
            Preference(
                "books",
                "p",
                (
                    "with shy people",
                    "in any kitchen at any party",
                ),
                ("help me find my kind",),
            ),
            Preference(
                "local history",
                "m",
                (
                    "with cab drivers",
                    "when I'm new in a place",
                ),
                ("makes me see the street with other eyes",),
            ),
        ),
    ),
)
