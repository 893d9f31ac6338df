"""Physical activity: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "sports",
        nouns=(
            "sports",
            "games and sports",
        ),
        frames=(
            "{Occ}, my sport is {x}.",
            "{X} {is} the sport I enjoy most {occ}.",
            "I get my exercise from {x} {occ}.",
            "{Occ}, my favorite sport is {x}.",
            "I'm serious about {x} because {they} {pt}.",
            "{X} {is} my favorite sport, since {they} {pt}.",
            "Of all the sports I've tried, I like {x} best: {they} {pt}.",
            "I stay fit with {x}; {they} {pt}.",
        ),
        topics=("sports", "playing sports"),
        situations=(
            (
                "I've moved to a town with a big recreation center and can join [several "
                "leagues|any club I like] [from September|this spring]"
            ),
            "My doctor wants me moving more and I'd rather play than [jog|diet]",
            "My company pays for club memberships [this year|until June] and I have to list what I'd use",
            "My kids and I are planning a sporty [half-term|summer] and they asked what I'm into",
            "I'm buying gear in the end-of-season sale [on Saturday|with a fixed budget]",
            "The local clubs hold an open day [this weekend|on the green] and I can try out several",
        ),
        requests=(
            "which sports should I [sign up for|focus on]?",
            "what should I play?",
            "which teams or courts should I [look into|join]?",
            "what games would [get me sweating gladly|suit me]?",
            "what should I take up again?",
        ),
        preferences=(
            Preference(
                "tennis",
                "m",
                (
                    "on Thursday evenings with my neighbor",
                    "when I want to hit something hard",
                ),
                ("makes me move without thinking of it as exercise",),
            ),
            Preference(
                "basketball",
                "m",
                (
                    "at the park after work",
                    "whenever three friends turn up",
                ),
                ("gets me running without noticing",),
            ),
            Preference(
                "rowing",
                "m",
                (
                    "at dawn on the river",
                    "when I need rhythm and quiet",
                ),
                ("empties my mind by the tenth stroke",),
            ),
            Preference(
                "volleyball",
                "m",
                (
                    "on the beach in summer",
                    "with coworkers on Wednesdays",
                ),
                ("brings out my competitive streak",),
            ),
            Preference(
                "badminton",
                "m",
                (
                    "in the school gym on winter nights",
                    "with my wife against the in-laws",
                ),
                ("keeps me light on my feet",),
            ),
            Preference(
                "fencing",
                "m",
                (
                    "when I want to outwit somebody",
                    "on Monday evenings",
                ),
                ("feels like chess at full speed to me",),
            ),
            Preference(
                "ice hockey",
                "m",
                (
                    "when the pond freezes",
                    "in the over-thirties league",
                ),
                ("lets me go fast and fall hard",),
            ),
            Preference(
                "table tennis",
                "m",
                (
                    "during lunch at the office",
                    "when it's raining sideways",
                ),
                ("sharpens my reflexes",),
            ),
            Preference(
                "golf",
                "m",
                (
                    "on long June evenings",
                    "with my father-in-law",
                ),
                ("gives me four hours without my phone",),
            ),
            Preference(
                "rugby",
                "m",
                (
                    "on muddy Saturdays",
                    "with the team I've known since school",
                ),
                ("taught me to get back up",),
            ),
            Preference(
                "softball",
                "m",
                (
                    "in the Sunday league",
                    "when the barbecue is part of the deal",
                ),
                ("gets me out with the whole neighborhood",),
            ),
            Preference(
                "rock climbing",
                "m",
                (
                    "at the indoor wall after class",
                    "when I need to stop overthinking",
                ),
                ("makes me solve problems with my arms",),
            ),
        ),
    ),
    Category(
        "outdoor activities",
        nouns=(
            "outdoor activities",
            "outings",
        ),
        frames=(
            "{Occ}, I get outside and go {x}.",
            "{X} {is} what gets me outdoors {occ}.",
            "{X} {is} my favorite outdoor adventure {occ}.",
            "I love to get out for some {x} {occ}.",
            "I spend my days outdoors {x} because {they} {pt}.",
            "Of all outdoor pursuits, I like {x} best: {they} {pt}.",
            "Outdoors I'm happiest when I'm {x}, since {they} {pt}.",
            "For an outdoor adventure I go {x}; {they} {pt}.",
        ),
        topics=("the outdoors", "outdoor pursuits"),
        situations=(
            (
                "I'm spending a week at [a lake house|my uncle's farm|a national park] and want "
                "my days filled with fresh air"
            ),
            "My therapist says I should get outside [three times a week|every weekend]",
            "A guide is tailoring a trip for me [in Patagonia|in the Lake District|this September]",
            "We're planning a screen-free [long weekend|summer holiday] and everyone names what they'd like to do",
            "I'm buying equipment with [my tax refund|a gift card] and only want things I'll use",
            "My outdoorsy cousin is hosting me [for five days|over Memorial Day]",
        ),
        requests=(
            "which activities should I [do|plan]?",
            "what should I be doing out there?",
            "what outings should [we|I] schedule?",
            "which adventures would [suit me|I love]?",
            "how should I fill the days?",
        ),
        preferences=(
            Preference(
                "kayaking",
                "m",
                (
                    "when the lake is like glass",
                    "on early mornings before the boats",
                ),
                ("gives my arms a workout and my head a rest",),
            ),
            Preference(
                "birdwatching",
                "m",
                (
                    "in migration season",
                    "with a flask at sunrise",
                ),
                ("makes me stand still and notice",),
            ),
            Preference(
                "foraging",
                "m",
                (
                    "after autumn rain",
                    "when mushrooms are about",
                ),
                ("turns a stroll into a treasure hunt for me",),
            ),
            Preference(
                "fly fishing",
                "m",
                (
                    "on cold clear streams",
                    "when I need hours of silence",
                ),
                ("teaches me patience",),
            ),
            Preference(
                "stargazing",
                "m",
                (
                    "far from town in August",
                    "when there's no moon",
                ),
                ("puts my worries in proportion",),
            ),
            Preference(
                "geocaching",
                "m",
                (
                    "with kids who hate plain walks",
                    "in cities I don't know",
                ),
                ("makes me feel like a spy",),
            ),
            Preference(
                "paddleboarding",
                "m",
                (
                    "on hot afternoons",
                    "when the sea is flat",
                ),
                ("works my core while I daydream",),
            ),
            Preference(
                "horseback riding",
                "m",
                (
                    "along the beach at low tide",
                    "when I visit my aunt's ranch",
                ),
                ("makes me trust another creature",),
            ),
            Preference(
                "snowshoeing",
                "m",
                (
                    "after a fresh dump of powder",
                    "when the trails go quiet",
                ),
                ("takes me where nobody else goes",),
            ),
            Preference(
                "orienteering",
                "m",
                (
                    "on foggy Sundays",
                    "when I want to use my brain on a run",
                ),
                ("forces me to read the land",),
            ),
            Preference(
                "beachcombing",
                "m",
                (
                    "after storms",
                    "with my dog off the leash",
                ),
                ("fills my pockets with sea glass",),
            ),
            Preference(
                "tree climbing",
                "m",
                (
                    "with my nephews",
                    "when I feel far too grown-up",
                ),
                ("gives me a view and scraped knees",),
            ),
        ),
    ),
    Category(
        "physical exercises",
        nouns=(
            "exercises",
            "workouts",
        ),
        frames=(
            "{Occ}, my workout is {x}.",
            "{X} {is} my exercise of choice {occ}.",
            "{X} {is} how I like to train {occ}.",
            "I get my workout from {x} {occ}.",
            "I build my training around {x} because {they} {pt}.",
            "{X} {is} my favorite exercise: {they} {pt}.",
            "No workout of mine is complete without {x}; {they} {pt}.",
            "I stay in shape with {x}, since {they} {pt}.",
        ),
        topics=("exercise", "working out"),
        situations=(
            "I'm writing a training plan for [the next twelve weeks|a busy spring|my thirty-day challenge]",
            "My physiotherapist cleared me to move again and wants to build on what I [enjoy|will stick with]",
            "I joined a gym with every machine imaginable and start [on Monday|next week]",
            "I'm furnishing a corner of the garage as a workout space [this month|on a small budget]",
            "A trainer gave me a blank chart for [five days a week|the whole quarter]",
            "I travel a lot [this autumn|for work] and want to stay in shape wherever I land",
        ),
        requests=(
            "which exercises should I [build in|rely on]?",
            "what workouts should go [in the plan|on the chart]?",
            "what should I do to stay [fit|consistent]?",
            "how should I be training?",
            "what moves should I [center it on|come back to]?",
        ),
        preferences=(
            Preference(
                "deadlifts",
                "p",
                (
                    "on heavy days with loud music",
                    "when I want to feel strong",
                ),
                ("make me stand taller",),
            ),
            Preference(
                "jumping rope",
                "m",
                (
                    "when I have ten minutes and no equipment",
                    "in hotel parking lots",
                ),
                ("gets my heart racing fast",),
            ),
            Preference(
                "planks",
                "p",
                (
                    "during ad breaks",
                    "before I shower",
                ),
                ("keep my back from aching",),
            ),
            Preference(
                "swimming laps",
                "m",
                (
                    "before the office opens",
                    "when my knees complain",
                ),
                ("leaves me loose and sleepy",),
            ),
            Preference(
                "kettlebell swings",
                "p",
                (
                    "when I'm short of time",
                    "on my balcony in spring",
                ),
                ("hit my whole body at once",),
            ),
            Preference(
                "push-ups",
                "p",
                (
                    "first thing out of bed",
                    "in hotel rooms",
                ),
                ("give me a number to beat",),
            ),
            Preference(
                "hill sprints",
                "p",
                (
                    "on crisp mornings",
                    "when I need to shake off anger",
                ),
                ("burn my lungs and clear my head",),
            ),
            Preference(
                "squats",
                "p",
                (
                    "twice a week before work",
                    "when I've been sitting for days",
                ),
                ("keep my legs ready for ski season",),
            ),
            Preference(
                "rowing machine",
                "t",
                (
                    "while I watch the news",
                    "on icy days",
                ),
                ("works every muscle I own",),
            ),
            Preference(
                "stretching",
                "m",
                (
                    "after long hours at the desk",
                    "before I turn in",
                ),
                ("undoes the knots in my neck",),
            ),
            Preference(
                "pull-ups",
                "p",
                (
                    "on the bars in the park",
                    "when I want proof of progress",
                ),
                ("humble me every time",),
            ),
            Preference(
                "stair climbing",
                "m",
                (
                    "on lunch breaks in the tower",
                    "when the elevator line is long",
                ),
                ("makes my thighs burn",),
            ),
        ),
    ),
    Category(
        "fitness class types",
        nouns=(
            "fitness classes",
            "group workouts",
        ),
        frames=(
            "{Occ}, I go to {x}.",
            "{Occ}, I sign up for {x}.",
            "{X} {is} the class I book {occ}.",
            "{X} {is} my favorite group workout {occ}.",
            "At the gym I always choose {x}, because {they} {pt}.",
            "{X} {is} the class I never skip: {they} {pt}.",
            "Of all the workouts at the studio, I like {x} best, since {they} {pt}.",
            "I show up for {x} every week; {they} {pt}.",
        ),
        topics=("fitness classes", "group workouts"),
        situations=(
            (
                "The new studio gives first-timers unlimited passes for [a month|two weeks] and "
                "I'm filling in my timetable"
            ),
            "My insurer reimburses group training [this year|from January] if I name what I'll attend",
            "A friend and I agreed to go together [three evenings a week|every lunch hour]",
            "I'm choosing between gym memberships by what's on their schedule [this week|before the offer ends]",
            "I want some structure after [having the baby|my desk job ate my winter]",
            "I'm building a mixed week for [my half-marathon year|the run-up to my wedding]",
        ),
        requests=(
            "which classes should I [book|put my name down for]?",
            "what kind of sessions should be [in the plan|on the schedule]?",
            "which instructors and formats should I look for?",
            "what group workouts would [keep me coming|fit me]?",
            "what should I be signing up for?",
        ),
        preferences=(
            Preference(
                "spin",
                "m",
                (
                    "at six in the morning with the lights low",
                    "when I want to drown in loud music",
                ),
                ("leaves me drenched and grinning",),
                tail="class",
            ),
            Preference(
                "Pilates",
                "m",
                (
                    "when my lower back acts up",
                    "on Sunday mornings",
                ),
                ("finds muscles I didn't know I had",),
            ),
            Preference(
                "Zumba",
                "m",
                (
                    "with my sister on Thursdays",
                    "when exercise feels like a chore",
                ),
                ("makes me forget I'm working out",),
            ),
            Preference(
                "barre",
                "m",
                (
                    "on my lunch hour",
                    "when I miss my childhood ballet lessons",
                ),
                ("makes my legs shake in five minutes",),
            ),
            Preference(
                "HIIT",
                "m",
                (
                    "when I only have half an hour",
                    "before weekends of heavy eating",
                ),
                ("gets it over with fast, as I like",),
            ),
            Preference(
                "aqua aerobics",
                "m",
                (
                    "when my joints are sore",
                    "with my mother on Tuesdays",
                ),
                ("lets me splash like a kid",),
            ),
            Preference(
                "boot camp",
                "m",
                (
                    "in the park at dawn",
                    "when I need somebody to shout at me",
                ),
                ("pushes me further than I'd go alone",),
            ),
            Preference(
                "kickboxing",
                "m",
                (
                    "after difficult meetings",
                    "on Friday nights",
                ),
                ("lets me punch my stress away",),
            ),
            Preference(
                "TRX",
                "m",
                (
                    "when free weights bore me",
                    "at the studio after work",
                ),
                ("uses my own weight against me",),
            ),
            Preference(
                "step",
                "m",
                (
                    "when I'm in the mood for eighties hits",
                    "on dark winter evenings",
                ),
                ("keeps my brain busy with the combinations",),
                tail="class",
            ),
            Preference(
                "body pump",
                "m",
                (
                    "when I want weights but not the weight room",
                    "on Mondays",
                ),
                ("tones my arms without boring me",),
            ),
            Preference(
                "tai chi",
                "m",
                (
                    "outdoors on mild mornings",
                    "when I'm wound up",
                ),
                ("slows my breath to a crawl",),
            ),
        ),
    ),
    Category(
        "martial arts styles",
        nouns=(
            "martial arts",
            "fighting styles",
        ),
        frames=(
            "{Occ}, I train in {x}.",
            "{X} {is} my martial art of choice {occ}.",
            "I practice {x} {occ}.",
            "{X} {is} the fighting style that suits me {occ}.",
            "I train in {x} because {they} {pt}.",
            "Of all martial arts, I like {x} best: {they} {pt}.",
            "{X} {is} the martial art I love, since {they} {pt}.",
            "I keep going to {x} practice; {they} {pt}.",
        ),
        topics=("martial arts", "combat sports"),
        situations=(
            (
                "A multi-discipline academy opened [near my office|two streets away] and I'm "
                "choosing which mats to step onto"
            ),
            "I'm going to a week-long training camp [in Thailand|in August] where you design your own timetable",
            "My teenager wants us to train together [this year|on Saturdays] and asked what I'm into",
            "I'm collecting instructional videos to practice at home [over the winter|while the gym is shut]",
            "A stunt coordinator wants me to prepare a mixed routine [by spring|for a short film]",
            "I'm taking a sabbatical to train properly [for six months|in Asia]",
        ),
        requests=(
            "which martial arts should I [study|include]?",
            "what styles should I [work on|train]?",
            "which dojos or gyms should I [visit|try]?",
            "what fighting systems fit me?",
            "what should I be practicing?",
        ),
        preferences=(
            Preference(
                "judo",
                "m",
                (
                    "on Tuesday nights",
                    "when I want to throw somebody politely",
                ),
                ("taught me how to fall",),
            ),
            Preference(
                "Muay Thai",
                "m",
                (
                    "when I have rage to burn",
                    "three mornings a week",
                ),
                ("conditions me from the shins up",),
            ),
            Preference(
                "karate",
                "m",
                (
                    "when I need discipline and clean lines",
                    "with my son on Saturdays",
                ),
                ("straightens my back and my mind",),
            ),
            Preference(
                "capoeira",
                "m",
                (
                    "in the park with drums",
                    "when I feel like dancing more than fighting",
                ),
                ("keeps me upside down and laughing",),
            ),
            Preference(
                "aikido",
                "m",
                (
                    "when I'm tired of aggression",
                    "on quiet Sunday mornings",
                ),
                ("shows me how to redirect force",),
            ),
            Preference(
                "krav maga",
                "m",
                (
                    "before late walks home",
                    "when I want no-nonsense self-defense",
                ),
                ("makes me feel safe on dark streets",),
            ),
            Preference(
                "kendo",
                "m",
                (
                    "when I want to shout and strike",
                    "in the cold months",
                ),
                ("gives me armor, ritual and bruises",),
            ),
            Preference(
                "taekwondo",
                "m",
                (
                    "when my hips feel stiff",
                    "before belt exams",
                ),
                ("lets me kick higher than my age allows",),
            ),
            Preference(
                "wing chun",
                "m",
                (
                    "in spaces as cramped as my hallway",
                    "with a partner and a wooden dummy",
                ),
                ("fits my small frame",),
            ),
            Preference(
                "wrestling",
                "m",
                (
                    "when I want an honest struggle",
                    "in the winter season",
                ),
                ("leaves me with nothing left to prove",),
            ),
            Preference(
                "Brazilian jiu-jitsu",
                "m",
                (
                    "after sitting in front of code all day",
                    "when I want chess with chokes",
                ),
                ("makes me tap and think again",),
            ),
            Preference(
                "kung fu",
                "m",
                (
                    "on mornings in the garden",
                    "when I'm in the mood for long flowing forms",
                ),
                ("connects me to the films I grew up on",),
            ),
        ),
    ),
    Category(
        "dance styles",
        nouns=(
            "dances",
            "dance styles",
        ),
        frames=(
            "{X} {is} my favorite dance {occ}.",
            "{X} {is} the way I like to move to music {occ}.",
            "{Occ}, {x} {is} what gets me on the dance floor.",
            "{Occ}, my feet want {x}.",
            "I take dance lessons in {x} because {they} {pt}.",
            "On the ballroom or club floor I choose {x}, since {they} {pt}.",
            "{X} {is} the style of dance I love: {they} {pt}.",
            "When the music starts I want {x}; {they} {pt}.",
            "{Occ}, I love nothing more than {x}.",
            "I'm always first on the floor for {x}; {they} {pt}.",
        ),
        topics=("dance", "dancing"),
        situations=(
            (
                "A dance school is offering a sampler card [for the spring term|until Saturday] "
                "and I have to mark my choices"
            ),
            ("My partner and I are picking numbers for [our wedding|a charity gala] and the teacher asked what I like"),
            "I'm going to a weekend congress with [four studios|eight workshops a day] at once",
            "I'm planning themed evenings at [the community hall|my local bar] through [the summer|autumn]",
            "After my divorce I promised myself a night on the floor [every week|each Friday]",
            "A cruise has lessons every afternoon [in May|for ten days] and I'm planning mine",
        ),
        requests=(
            "which dances should I [learn|sign up for]?",
            "what styles should I [work on|practice]?",
            "which lessons should I [book|take]?",
            "what should I be dancing?",
            "what steps would [suit me|get me moving]?",
        ),
        preferences=(
            Preference(
                "salsa",
                "m",
                (
                    "on Friday nights in a packed bar",
                    "when I need to flirt a little",
                ),
                ("wakes up my hips",),
            ),
            Preference(
                "tango",
                "m",
                (
                    "in dim halls with a live band",
                    "when I'm in a dramatic mood",
                ),
                ("makes me listen to another body",),
            ),
            Preference(
                "swing",
                "m",
                (
                    "at vintage fairs",
                    "when a big band strikes up",
                ),
                ("leaves me out of breath and beaming",),
                tail="dance",
            ),
            Preference(
                "ballet",
                "m",
                (
                    "in an adult beginners' class on Mondays",
                    "when I want discipline",
                ),
                ("corrects my terrible posture",),
            ),
            Preference(
                "hip-hop",
                "m",
                (
                    "when I feel younger than I am",
                    "in sneakers after work",
                ),
                ("gives me an attitude I lack elsewhere",),
            ),
            Preference(
                "waltz",
                "t",
                (
                    "at weddings with my uncle",
                    "on formal occasions",
                ),
                ("makes me feel like I'm in a novel",),
            ),
            Preference(
                "flamenco",
                "m",
                (
                    "when I've got anger in my heels",
                    "on hot nights in Seville",
                ),
                ("lets me stamp out my feelings",),
            ),
            Preference(
                "tap",
                "m",
                (
                    "on hard kitchen floors",
                    "when it rains and I feel like Gene Kelly",
                ),
                ("turns my feet into drums",),
                tail="dance",
            ),
            Preference(
                "belly dancing",
                "m",
                (
                    "with my girlfriends on Wednesdays",
                    "when I want to feel at home in my body",
                ),
                ("loosens my lower back",),
            ),
            Preference(
                "line dancing",
                "m",
                (
                    "at the country bar",
                    "when I've come without a partner",
                ),
                ("lets me join in without asking anyone",),
            ),
            Preference(
                "contemporary",
                "m",
                (
                    "barefoot on a Sunday",
                    "when words aren't enough",
                ),
                ("helps me work through grief",),
                tail="dance",
            ),
            Preference(
                "bachata",
                "m",
                (
                    "on slow, late nights",
                    "when the crowd thins out",
                ),
                ("brings out my tender side",),
            ),
        ),
    ),
    Category(
        "cycling types",
        nouns=(
            "kinds of cycling",
            "kinds of rides",
        ),
        frames=(
            "{X} {is} my favorite kind of ride {occ}.",
            "{X} {is} how I like to spend time on two wheels {occ}.",
            "{Occ}, I get in the saddle for {x}.",
            "I get out my bike for {x} {occ}.",
            "I ride a lot, and I love {x} because {they} {pt}.",
            "Of all kinds of cycling, I like {x} best: {they} {pt}.",
            "On a bike I'm happiest with {x}, since {they} {pt}.",
            "{X} {is} my favorite way to ride; {they} {pt}.",
        ),
        topics=("cycling", "bike rides"),
        situations=(
            "I'm moving to [Portland|the Netherlands|a hilly town] and shopping for bikes to match how I ride",
            "My cycling club wants every member to propose routes [for the spring calendar|by Sunday]",
            "I have nine days off and a car with a rack [in September|over Easter]",
            "I'm setting goals on two wheels for [the coming year|my fiftieth birthday]",
            "A bike magazine offered to test me on different setups [next month|for a feature]",
            "My partner just took up biking and wants to share [all of my weekend rides|whatever I do]",
        ),
        requests=(
            "which kinds of cycling should I [plan|make room for]?",
            "what rides should be on [the calendar|my list]?",
            "what sort of bikes and routes should I [look at|consider]?",
            "how should I spend my time in the saddle?",
            "what riding would [suit me|make me happiest]?",
        ),
        preferences=(
            Preference(
                "gravel riding",
                "m",
                (
                    "on dusty back roads in June",
                    "when I want to lose the cars",
                ),
                ("mixes speed and scenery as I like it",),
            ),
            Preference(
                "bike touring",
                "m",
                (
                    "in the long summer break",
                    "when I can carry my tent along",
                ),
                ("shows me a country at the right pace",),
            ),
            Preference(
                "mountain biking",
                "m",
                (
                    "when the forest trails are dry",
                    "with my reckless cousins",
                ),
                ("makes me whoop out loud",),
            ),
            Preference(
                "commuting by bike",
                "m",
                (
                    "on any day without ice",
                    "when gas prices jump",
                ),
                ("wakes me up better than the bus",),
            ),
            Preference(
                "track cycling",
                "m",
                (
                    "at the velodrome on Tuesdays",
                    "when I want pure speed",
                ),
                ("teaches me to hold my line",),
            ),
            Preference(
                "BMX",
                "m",
                (
                    "at the skate park with my son",
                    "when I feel fourteen",
                ),
                ("gives me bruises I'm proud of",),
            ),
            Preference(
                "fat biking",
                "m",
                (
                    "on snow and sand",
                    "when winter shuts the other trails",
                ),
                ("keeps me outside all year",),
            ),
            Preference(
                "indoor cycling",
                "m",
                (
                    "when sleet hits the window",
                    "before the family wakes",
                ),
                ("lets me race strangers from my basement",),
            ),
            Preference(
                "tandem riding",
                "m",
                (
                    "with my husband on Sundays",
                    "on flat river paths",
                ),
                ("forces me to trust the person in front",),
            ),
            Preference(
                "e-biking",
                "m",
                (
                    "on steep days with heavy panniers",
                    "when my knees have had enough",
                ),
                ("flattens every hill for me",),
            ),
            Preference(
                "road racing",
                "m",
                (
                    "in the Saturday peloton",
                    "when I've trained all winter",
                ),
                ("makes me suffer happily",),
            ),
            Preference(
                "bikepacking",
                "m",
                (
                    "over long weekends off the grid",
                    "when I want everything I own under my saddle",
                ),
                ("gives me stars for a ceiling",),
            ),
        ),
    ),
    Category(
        "swimming styles",
        nouns=(
            "kinds of swimming",
            "strokes and styles",
        ),
        frames=(
            "{Occ}, I like {x} best.",
            "{X} {is} my kind of swim {occ}.",
            "{X} {is} my favorite way to swim {occ}.",
            "{Occ}, I get into the water for {x}.",
            "In the water I like {x} best, because {they} {pt}.",
            "When I swim I keep coming back to {x}: {they} {pt}.",
            "{X} {is} the part of swimming I love most, since {they} {pt}.",
            "At the pool or the lake I enjoy {x}; {they} {pt}.",
            "I never get tired of {x}, because {they} {pt}.",
        ),
        topics=("swimming", "the pool"),
        own_frames_only=True,
        situations=(
            "The pool opened lanes for adults again and I'm planning my sets for [the month|a charity swim]",
            ("A coach offered to film my technique [next Tuesday|over three sessions] and needs to know what I swim"),
            "I'm preparing for a week by the sea [in Croatia|with strong swimmers]",
            "My masters team fills its relay and event sheet [by Friday|before nationals]",
            "I'm coming back to the water after [shoulder surgery|ten years] and want sessions I like",
            ("My goddaughter wants me to teach her [this summer|during the holidays] everything I like in the water"),
        ),
        requests=(
            "which strokes or styles should I [work on|put in]?",
            "what should my laps consist of?",
            "what kind of swimming should I [plan|practice]?",
            "how should I spend my hour in the water?",
            "which events or sets would [suit me|fit]?",
        ),
        preferences=(
            Preference(
                "freestyle",
                "m",
                (
                    "when I want to cover distance",
                    "on weekday mornings",
                ),
                ("lets me find a rhythm and disappear",),
            ),
            Preference(
                "backstroke",
                "m",
                (
                    "when my neck is stiff",
                    "under an open sky",
                ),
                ("lets me look at clouds as I go",),
            ),
            Preference(
                "butterfly",
                "m",
                (
                    "when I feel invincible",
                    "at the end of a hard set",
                ),
                ("makes me feel like a dolphin for ten seconds",),
            ),
            Preference(
                "breaststroke",
                "m",
                (
                    "when I'd like to chat along the way",
                    "with my head up on lazy days",
                ),
                ("calms me with its glide",),
            ),
            Preference(
                "open water swimming",
                "m",
                (
                    "in the lake at dawn",
                    "when lanes feel like a cage",
                ),
                ("scares me just enough",),
            ),
            Preference(
                "sidestroke",
                "m",
                (
                    "in choppy waves",
                    "when I'm tired but far from shore",
                ),
                ("saves my energy",),
            ),
            Preference(
                "cold water dips",
                "p",
                (
                    "on January mornings",
                    "when I'm in a slump",
                ),
                ("jolt me alive",),
            ),
            Preference(
                "synchronized swimming",
                "m",
                (
                    "with my old team on Sundays",
                    "when there's music underwater",
                ),
                ("challenges my lungs and my memory",),
            ),
            Preference(
                "aqua jogging",
                "m",
                (
                    "when I'm injured",
                    "in the deep end at lunchtime",
                ),
                ("keeps me fit without the pounding",),
            ),
            Preference(
                "underwater swimming",
                "m",
                (
                    "when I crave silence",
                    "on holidays with clear water",
                ),
                ("makes the world go quiet for me",),
            ),
            Preference(
                "treading water",
                "m",
                (
                    "while I watch my kids play",
                    "at the end of practice",
                ),
                ("builds my stamina more than it looks",),
            ),
            Preference(
                "medley sets",
                "p",
                (
                    "when I'm bored of doing one thing",
                    "before competitions",
                ),
                ("keep me from switching off",),
            ),
        ),
    ),
    Category(
        "types of yoga",
        nouns=(
            "kinds of yoga",
            "styles on the mat",
        ),
        frames=(
            "{Occ}, I roll out my mat for {x}.",
            "{Occ}, I practice {x}.",
            "{X} {is} my yoga of choice {occ}.",
            "{X} {is} the practice that suits me {occ}.",
            "I practice {x} because {they} {pt}.",
            "On the mat I like {x} best: {they} {pt}.",
            "{X} {is} my favorite kind of yoga, since {they} {pt}.",
            "I make time for {x} every week; {they} {pt}.",
            "I stretch and breathe with {x} {occ}.",
        ),
        topics=("yoga", "yoga practice"),
        situations=(
            "I'm booking a retreat in [Bali|the Catskills|Goa] where guests choose their daily classes",
            "My studio asked members which sessions to add [this autumn|on weekends]",
            "I'm setting up a home practice [before the baby comes|for the new year]",
            "I bought a thirty-class pass and want to spread it [over the winter|across a hectic month]",
            "My physio said to stay flexible [while I train for a marathon|through menopause]",
            "A teacher friend is designing a private series for me [in May|on Sunday mornings]",
        ),
        requests=(
            "what types of yoga should I [go to|include]?",
            "which styles should I [alternate between|pick]?",
            "what classes on the mat should I [look for|take]?",
            "how should I be practicing?",
            "which sort of sessions would [serve me|feel right]?",
        ),
        preferences=(
            Preference(
                "vinyasa",
                "m",
                (
                    "when I'm restless on weekday mornings",
                    "with a fast playlist",
                ),
                ("keeps me moving so I can't brood",),
            ),
            Preference(
                "yin",
                "m",
                (
                    "on Sunday nights",
                    "when my hips are locked from sitting",
                ),
                ("teaches me to stay put",),
                tail="yoga",
            ),
            Preference(
                "Ashtanga",
                "m",
                (
                    "when I want the same sequence every day",
                    "at six before the city wakes",
                ),
                ("gives me a ladder to climb",),
            ),
            Preference(
                "hot yoga",
                "m",
                (
                    "in the coldest months",
                    "when I want to sweat out a bad week",
                ),
                ("wrings me out like a towel",),
            ),
            Preference(
                "restorative",
                "m",
                (
                    "after a race",
                    "when I'm running on empty",
                ),
                ("lets bolsters do the work for me",),
                tail="yoga",
            ),
            Preference(
                "Kundalini",
                "m",
                (
                    "when I feel stuck",
                    "around the new moon",
                ),
                ("buzzes through my spine",),
            ),
            Preference(
                "aerial",
                "m",
                (
                    "on rainy Saturdays with friends",
                    "when my back needs decompressing",
                ),
                ("hangs me upside down and makes me giggle",),
                tail="yoga",
            ),
            Preference(
                "Iyengar",
                "m",
                (
                    "when an injury is healing",
                    "with straps and blocks",
                ),
                ("fixes my alignment inch by inch",),
            ),
            Preference(
                "chair yoga",
                "m",
                (
                    "in the office at four",
                    "on days when my knees hurt",
                ),
                ("lets me stretch without getting changed",),
            ),
            Preference(
                "acro",
                "m",
                (
                    "in the park with a partner",
                    "when I feel playful",
                ),
                ("makes me trust other people's feet",),
                tail="yoga",
            ),
            Preference(
                "nidra",
                "m",
                (
                    "when I lie awake",
                    "after lunch on stressful days",
                ),
                ("rests me more than a nap",),
            ),
            Preference(
                "prenatal",
                "m",
                (
                    "in my last trimester",
                    "when my ankles swell",
                ),
                ("connects me with the baby",),
                tail="yoga",
            ),
        ),
    ),
    Category(
        "hiking styles",
        nouns=(
            "kinds of hikes",
            "treks",
        ),
        frames=(
            "{Occ}, I lace up my hiking boots for {x}.",
            "{X} {is} my favorite kind of hike {occ}.",
            "{X} {is} how I like to be on the trail {occ}.",
            "I set out for some {x} {occ}.",
            "On foot, I'm happiest with {x}: {they} {pt}.",
            "When I hit the trail I choose {x}, because {they} {pt}.",
            "{X} {is} the walking I love most, since {they} {pt}.",
            "My boots have seen a lot of {x}; {they} {pt}.",
        ),
        topics=("hiking", "trekking"),
        situations=(
            "I have eight days in [the Dolomites|Colorado|Wales] and a pair of broken-in boots",
            "My walking group asked me to lead outings [through the spring|every second Sunday]",
            "I'm turning forty on the trail and planning a whole [season|month] around it",
            "A park ranger friend offered to point me to routes [on my visit|near her station]",
            "My new dog needs exercise and I want us out [every weekend|before work too]",
            "I'm choosing new packs and poles [in the sale|before the summer] and it depends on how I walk",
        ),
        requests=(
            "what kinds of hikes should I [do|plan]?",
            "which routes should I [look for|aim at]?",
            "how should I be hiking?",
            "what sort of trails would [suit me|match me]?",
            "what outings on foot should I [schedule|count on]?",
        ),
        preferences=(
            Preference(
                "thru-hiking",
                "m",
                (
                    "when I can take months off",
                    "when I want to earn my dinner every day",
                ),
                ("strips my life down to one bag",),
            ),
            Preference(
                "day hikes",
                "p",
                (
                    "on bright Saturdays",
                    "when I want to sleep in my own bed",
                ),
                ("fit neatly between my chores",),
            ),
            Preference(
                "summit scrambles",
                "p",
                (
                    "in dry, stable weather",
                    "with my most sure-footed friend",
                ),
                ("make my hands as useful as my feet",),
            ),
            Preference(
                "night hiking",
                "m",
                (
                    "under a full moon",
                    "in the heat of August",
                ),
                ("makes me hear every owl",),
            ),
            Preference(
                "hut-to-hut",
                "m",
                (
                    "in the Alps in July",
                    "when I want soup and a bunk at the end",
                ),
                ("spares my shoulders a tent",),
                tail="hiking",
            ),
            Preference(
                "forest bathing",
                "m",
                (
                    "when I'm burned out",
                    "on misty mornings",
                ),
                ("slows me to a mile an hour",),
            ),
            Preference(
                "coastal walks",
                "p",
                (
                    "when the wind is up",
                    "with my sea-loving parents",
                ),
                ("blow the cobwebs out of my head",),
            ),
            Preference(
                "desert trekking",
                "m",
                (
                    "in the cooler months",
                    "when I crave emptiness",
                ),
                ("shrinks my problems to dust",),
            ),
            Preference(
                "waterfall trails",
                "p",
                (
                    "after the spring melt",
                    "with the kids",
                ),
                ("reward me with cold spray at the end",),
            ),
            Preference(
                "solo backpacking",
                "m",
                (
                    "when I need to hear myself think",
                    "after big life changes",
                ),
                ("proves to me I can manage",),
            ),
            Preference(
                "snow hiking",
                "m",
                (
                    "in January sun",
                    "with microspikes on my boots",
                ),
                ("gives me whole valleys to myself",),
            ),
            Preference(
                "urban hiking",
                "m",
                (
                    "in cities with steep stairs",
                    "when I have no car",
                ),
                ("shows me corners no guidebook mentions",),
            ),
        ),
    ),
)
