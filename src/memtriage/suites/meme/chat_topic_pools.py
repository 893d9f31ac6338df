"""Small questions that go with a statement's topic, and answers to them. They speak of the world, never of a value."""

Pair = tuple[str, str]

PERSONAL: dict[str, tuple[Pair, ...]] = {
    "Living & Commute": (
        (
            "How do people keep the daily way from feeling wasted?",
            "Many use it for listening or for doing nothing on purpose. "
            "A fixed ritual at both ends helps to draw a line under the day.",
        ),
        (
            "What makes a place feel like home quickly?",
            "Light, smell and one familiar object do most of it. "
            "Putting up the first picture on day one is a good trick.",
        ),
        (
            "Is there a simple way to be less in a rush in the morning?",
            "Prepare in the evening whatever needs a decision. Most of the hurry comes from choosing, not from doing.",
        ),
        (
            "What should one check once a year around the house?",
            "Seals, filters and smoke detectors are the usual three. "
            "A short list on the inside of a cupboard door keeps it from being forgotten.",
        ),
        (
            "How do others deal with delays along the way?",
            "A buffer of a tenth and a charged phone cover most of it. "
            "Beyond that, a relaxed attitude is the cheapest tool.",
        ),
        (
            "Any thoughts on getting to know a neighbourhood?",
            "Walk it at three different hours and talk to whoever is sweeping. "
            "Small errands on foot do more than maps.",
        ),
    ),
    "Work": (
        (
            "How can one end the day with a clear head?",
            "Write down the first step for tomorrow before closing everything. The mind lets go of what is on paper.",
        ),
        (
            "What makes meetings shorter?",
            "A question as the title instead of a topic. And a person who may say when it is answered.",
        ),
        (
            "How do people say no politely to extra tasks?",
            "They name what would have to wait instead. That turns a refusal into a choice for the other side.",
        ),
        (
            "Do you know a good way to take notes?",
            "Facts on the left, thoughts on the right, and a line of summary at the bottom. "
            "Reading it again within a day doubles its worth.",
        ),
        (
            "What helps against interruptions?",
            "Agreed quiet hours work better than closed doors. Two short blocks are more realistic than one long one.",
        ),
        (
            "How does one ask for feedback without it being awkward?",
            "Ask about one concrete thing and ask early. Small questions get honest answers.",
        ),
    ),
    "Health & Fitness": (
        (
            "What helps people to stay with good habits?",
            "Make the first step ridiculously small and tie it to something that happens anyway. "
            "Missing once is fine, missing twice is the start of a new habit.",
        ),
        (
            "How does one prepare well for a doctor's visit?",
            "Note the three most important questions and since when things have been noticed. "
            "A list of everything taken saves time as well.",
        ),
        (
            "Is there a gentle way to unwind in the evening?",
            "Dim lights, cooler air and something repetitive for the hands. "
            "Screens are less of a problem than exciting content.",
        ),
        (
            "How much water is sensible on a warm day?",
            "Thirst is a good guide for most people. "
            "A glass with each meal and one in between is a fair rule of thumb.",
        ),
        (
            "What is a realistic way to track progress?",
            "One number and one sentence a week. Daily figures jump about too much to tell anything.",
        ),
        (
            "Do short breaks really make a difference?",
            "Yes, even two minutes of standing and looking far away help. "
            "The trick is to take them before they seem necessary.",
        ),
    ),
    "Food & Diet": (
        (
            "How does one plan meals without getting bored?",
            "Fix the shape of the week and vary the details. A theme for each day leaves enough freedom.",
        ),
        (
            "What is a good question to ask a waiter?",
            "Ask what the kitchen likes to make today. It sounds friendly and usually leads to the freshest plate.",
        ),
        (
            "How do people read labels quickly?",
            "The order of the ingredients tells most, as the first three make up the bulk. The rest is detail.",
        ),
        (
            "Any trick for cutting down on food waste?",
            "Keep a shelf for what has to go first. Seeing it is half of using it.",
        ),
        (
            "How can one bring more colour onto a plate?",
            "Aim for three colours without counting brown. Frozen vegetables count too.",
        ),
        (
            "What should one bring when invited to dinner?",
            "Something that needs no attention on arrival. A good jar or a plant is safer than flowers without a vase.",
        ),
    ),
    "Family": (
        (
            "How does one keep in touch without it becoming a duty?",
            "Short and often beats long and rare. A photo with one line is enough on most days.",
        ),
        (
            "What makes a get-together relaxed?",
            "A clear beginning, an open end and a task for everyone. Seats that face each other help more than music.",
        ),
        (
            "Do you have an idea for a small gesture?",
            "Write down something the other person said and act on it weeks later. "
            "Being remembered is the actual gift.",
        ),
        (
            "How do people handle differing opinions at the table?",
            "Curious questions cool things down. Nobody has to win before dessert.",
        ),
        (
            "What is a nice tradition to begin?",
            "Something tiny that can survive a busy year, like one question that everyone answers.",
        ),
        ("How can one listen better?", "Wait two breaths before answering. Often the more important half comes then."),
    ),
    "Finance": (
        (
            "What is a simple way to keep an overview of spending?",
            "Three buckets are enough: fixed, flexible and fun. Look at them once a month and leave it at that.",
        ),
        (
            "How often should one look at contracts?",
            "Once a year on a fixed date. Cancel first and think later where that's possible.",
        ),
        (
            "Are there warning signs of a bad deal?",
            "Pressure of time is the clearest one. A good offer survives a night's sleep.",
        ),
        (
            "How do people resist impulse buys?",
            "A list with dates works: whatever is still wanted after a month may be bought. Most things aren't.",
        ),
        (
            "What should be kept in a paper file?",
            "Anything that proves a payment, a right or a date. The rest can go after a year.",
        ),
        (
            "Is it worth comparing prices for hours?",
            "Set a limit in proportion to the sum. Beyond the third source, little changes.",
        ),
    ),
    "Schedule": (
        (
            "How do you keep a calendar from filling up?",
            "Block the empty spaces first and let the rest fight for what's left. White space is an appointment too.",
        ),
        (
            "What is the best way to remember dates?",
            "Two reminders: one to prepare and one to go. The first is the one that people forget to set.",
        ),
        (
            "How early should one start preparing?",
            "Count back from the day and add a third. Whatever depends on others comes first.",
        ),
        ("Any advice for packing light?", "Lay everything out, then take away a third. Layers replace variety."),
        (
            "What if two things fall on one day?",
            "Decide by what can't be repeated. Tell the other side early and offer an alternative.",
        ),
        (
            "How can one look forward to things without stress?",
            "Plan one fixed point and leave the rest open. Anticipation likes gaps.",
        ),
    ),
    "Hobbies": (
        (
            "How does one make time for the nice things?",
            "Put the equipment where it is seen. Ten minutes count if they happen often.",
        ),
        (
            "What keeps a pastime from becoming a chore?",
            "No goals for a while. Measuring is what turns play into work.",
        ),
        (
            "How do beginners get better fastest?",
            "Short sessions, a bit too difficult, with quick feedback. And a friend who is one step ahead.",
        ),
        (
            "Is it worth buying good equipment early?",
            "Borrow first and buy when something is clearly missing. Then buy the second cheapest.",
        ),
        (
            "How can one meet people with the same interest?",
            "Go to the same place at the same time for a month. Familiar faces do the rest.",
        ),
        (
            "Do you think that breaks hurt progress?",
            "Less than people fear. After a rest the basics often come back cleaner.",
        ),
    ),
    "Miscellaneous": (
        (
            "What helps when learning something new?",
            "Explain it to somebody else after the first day. The gaps show up at once.",
        ),
        ("How does one stay curious?", "Collect questions instead of answers. A notebook for them fits in any pocket."),
        ("Is there a good way to sum up a week?", "One thing to keep, one to drop, one to try. It takes five minutes."),
        (
            "How do people find calm on busy days?",
            "They do one thing slowly on purpose. It sets the pace for the rest.",
        ),
        (
            "What is a good first step when everything is too much?",
            "Write it all down and circle the smallest item. Motion comes before motivation.",
        ),
        ("Do you believe in lists?", "Short ones, yes. If it doesn't fit on a card, it's a wish and not a plan."),
    ),
}

SOFTWARE: dict[str, tuple[Pair, ...]] = {
    "Framework & Build": (
        (
            "What usually makes local runs slow?",
            "Work that is repeated although nothing changed. Measuring one cold and one warm run shows where to look.",
        ),
        (
            "How does one keep commands easy to remember?",
            "Wrap the long ones behind short names and print them on demand. Nobody should need to know the flags.",
        ),
        (
            "Any general advice on keeping things reproducible?",
            "Pin what can be pinned and fail loudly where it can't. A clean machine once a week is the real proof.",
        ),
        (
            "What's a good folder rule of thumb?",
            "Things that change together should live together. Depth beyond four levels is rarely worth it.",
        ),
        (
            "How can one speed up feedback while coding?",
            "Run the smallest relevant part first and everything later. Seconds decide whether people use it.",
        ),
        (
            "What do you think about upgrading early?",
            "Early enough to have help, late enough to read about the problems. A fixed rhythm beats both.",
        ),
    ),
    "Data Layer": (
        (
            "What should one watch when data grows?",
            "The slowest one per cent of requests and the largest tables. Averages hide both.",
        ),
        (
            "How do people change a schema safely?",
            "Add first, move over, remove last. Each step must be able to run next to the old code.",
        ),
        (
            "What makes a restore plan trustworthy?",
            "That somebody carried it out recently. An untested copy is a hope.",
        ),
        ("Is it worth writing raw queries at times?", "For reports, yes. Keep them in one place and name the reason."),
        (
            "How should names of fields be chosen?",
            "After the meaning in the business and not after the source. Units belong in the name.",
        ),
        (
            "How can one find slow access early?",
            "Log the count of calls per page and set a limit in tests. Loops around single reads are the usual cause.",
        ),
    ),
    "Deployment & Infra": (
        (
            "What makes rollouts boring in a good way?",
            "Small steps, one way back, and a person who watches. The rest is routine.",
        ),
        (
            "How do teams notice trouble quickly?",
            "A handful of signals tied to what users feel. Everything else is for the search afterwards.",
        ),
        (
            "How can one keep costs visible?",
            "Show them next to the thing that causes them. A weekly number beats a monthly surprise.",
        ),
        (
            "What belongs in a pre-flight list?",
            "What has changed, who is affected, how to go back. Three lines are enough.",
        ),
        (
            "Are manual steps always bad?",
            "Not if they are rare and written down. They become bad when only one person knows them.",
        ),
        (
            "How should environments differ?",
            "As little as possible, and only through settings. Each difference is a place for bugs to hide.",
        ),
    ),
    "Team & Process": (
        (
            "How can reviews be faster without being sloppy?",
            "Smaller changes and a description that says why. Half an hour a day at a fixed time clears most queues.",
        ),
        (
            "What helps when decisions drag on?",
            "Name who decides and by when. Write the losing option down too, it saves the next discussion.",
        ),
        (
            "How does one hand over work well?",
            "A short walk through open ends, recorded. Paper alone misses the doubts.",
        ),
        (
            "What makes a status report readable?",
            "One line for what changed, one for what's at risk. Lists of activity help nobody.",
        ),
        (
            "How do groups avoid too many meetings?",
            "Cancel by default and keep what is missed. Written notes replace a surprising number.",
        ),
        (
            "How should disagreements be settled?",
            "With the smallest experiment that could prove either side wrong. It's cheaper than a third debate.",
        ),
    ),
    "Auth & Security": (
        (
            "What is the most common mistake in access checks?",
            "Checking at the door and trusting everything inside. Each action needs its own check.",
        ),
        (
            "How long should sign-ins last in general?",
            "As long as the risk allows, and no longer. Ask again before anything that can't be undone.",
        ),
        (
            "What should never end up in logs?",
            "Anything that opens a door, and anything that names a person without need.",
        ),
        (
            "How does one test security without experts?",
            "Try each action as the wrong person. A table of who may do what is a fine start.",
        ),
        (
            "What about old sessions after a password change?",
            "They should end. People expect that and attackers hope for the opposite.",
        ),
        ("Any tip for naming routes?", "Plain verbs and nouns, and nothing secret. Obscure names protect nobody."),
    ),
    "Miscellaneous": (
        (
            "What makes written guidance stay current?",
            "An owner and a date on each page. Pages without either should expire.",
        ),
        (
            "How can newcomers become productive quickly?",
            "A small change that goes live in the first week. Reading comes after that.",
        ),
        (
            "What is a sensible way to write messages in the history?",
            "Say why in the first line and what in the rest. The code already shows how.",
        ),
        (
            "How do teams keep quality goals realistic?",
            "Measure the trend on touched code. Absolute numbers invite tricks.",
        ),
        (
            "What helps during incidents?",
            "One voice, one timeline, no blame. Fix first and understand later, but do understand.",
        ),
        (
            "How should small rules be enforced?",
            "By tools where possible and by kindness elsewhere. People resent reminders from people.",
        ),
    ),
}

ANY: tuple[Pair, ...] = (
    (
        "Does that sound familiar to you?",
        "It does, in a way. Many people describe something like it, and each has found an own way of dealing with it.",
    ),
    (
        "What would you ask next in your place?",
        "I'd ask what would make the biggest difference with the least effort. "
        "That question tends to sort things quickly.",
    ),
    (
        "Is that worth writing down somewhere?",
        "Usually yes. A line with a date is enough, and it saves a discussion later on.",
    ),
    (
        "How would you explain that to an outsider?",
        "I'd begin with why it matters and leave out the details. If they want more, they will ask.",
    ),
    (
        "Do you see anything that I should think about?",
        "Not right away. It may be worth looking at it again in a few weeks with fresh eyes.",
    ),
    (
        "What do people usually overlook here?",
        "The small steps in between. The beginning and the end get attention, and the middle goes wrong.",
    ),
    (
        "How does one keep track of such things?",
        "One list in one place, looked through on a fixed day. Two lists are worse than none.",
    ),
    (
        "Is there a rule of thumb for this kind of thing?",
        "Keep it simple until it hurts. Then change one thing and watch what happens.",
    ),
    (
        "Can you make sense of that?",
        "Yes, that's clear enough. I'd only ask again if something depended on the details.",
    ),
    (
        "How often should one review such points?",
        "Every few months is plenty. More often and it turns into a ritual without content.",
    ),
    ("Would you have guessed that?", "Probably not. It shows how little one can tell from the outside."),
    (
        "Should I go into more detail?",
        "Only if you like. The essentials are clear, and the rest can come when it's needed.",
    ),
    (
        "Is it good to be that specific?",
        "For me it is. Specific information is easier to work with than general impressions.",
    ),
    ("What's the best way to bring this up with others?", "Briefly and early. People mind surprises more than facts."),
)
"""For any topic of any domain."""

_LIFE = {
    "Living & Commute": "residence_location housing_type living_arrangement commute_method commute_duration vehicle",
    "Work": "employer job_title work_location work_schedule work_project",
    "Health & Fitness": "health_condition medication exercise_routine fitness_facility sleep_pattern",
    "Food & Diet": "diet_preference dietary_restriction favorite_restaurant food_allergy",
    "Family": "relationship_status partner family_event",
    "Finance": "financial_goal insurance subscription_service planned_purchase",
    "Schedule": "travel_plan regular_appointment upcoming_event",
    "Hobbies": "hobby sports club_membership media_consumption social_gathering",
}
_PROJECT = {
    "Framework & Build": "framework build_tool build_command test_framework test_command project_structure "
    "dev_server_command package_manager",
    "Data Layer": "database orm_library model_syntax migration_tool connection_string backup_schedule",
    "Deployment & Infra": "deploy_target ci_config deploy_command monitoring_url staging_url docker_image "
    "dockerfile_path log_drain_endpoint alert_channel oncall_rotation release_cadence",
    "Team & Process": "team_lead code_reviewer escalation_contact approval_authority weekly_report_recipient "
    "meeting_day slack_channel standup_format code_review_policy sprint_deadline",
    "Auth & Security": "auth_provider auth_method middleware_config token_format login_endpoint user_session_ttl "
    "secret_manager",
}

_POOLS = {"personal-life": (PERSONAL, _LIFE), "software-project": (SOFTWARE, _PROJECT)}


def pairs(domain: str, entity: str) -> tuple[Pair, ...]:
    """Questions with answers that go with an entity of a domain; without a topic of its own, those for any."""
    if domain not in _POOLS:
        return ANY
    pool, members = _POOLS[domain]
    category = next((name for name, names in members.items() if entity in names.split()), "Miscellaneous")
    return pool[category]
