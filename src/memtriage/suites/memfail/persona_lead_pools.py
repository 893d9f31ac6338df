"""What brings someone to ask: openings of questions, by persona flavour; none names a person or gives a fact away."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import ALTERNATIVE

_WRITTEN = {
    "a meticulous indoor gardener with strong opinions about humidity": (
        "I'm helping out with an indoor garden next month. || This is about an indoor garden, houseplants, and"
        " the humidity they need. || I'm new to indoor gardening and want to get the plants and the humidity"
        " right."
    ),
    "a lapsed competitive swimmer who now coaches youth weekend meets": (
        "My kids have a swim meet this weekend. || I'm helping out at the pool on Saturday, with all the coaches"
        " and swimmers. || We're heading to a youth swimming competition."
    ),
    "a sound engineer obsessed with vintage analog gear": (
        "My band has booked studio time on analog gear. || I'm visiting a studio full of tape machines next week."
        " || We're recording to tape soon, with a proper sound engineer."
    ),
    "a part-time pastry chef who does math research on the side": (
        "I'm stuck between a pastry recipe and a math problem. || I'm dropping by the bakery on the day of the"
        " mathematics seminar. || It's about pastry, or possibly about a proof."
    ),
    "a long-distance hiker training for the Pacific Crest Trail": (
        "I'm going along on a training hike. || We're planning a few days on the trail with full packs. || I keep"
        " hearing about the Pacific Crest Trail and want to join a section hike."
    ),
    "a retired ER nurse who took up woodworking after retirement": (
        "I took up woodworking after retirement myself. || I want to get back into woodworking with a retired"
        " friend. || There's a pile of boards and a workbench waiting in the garage."
    ),
    "a beekeeper-turned-marketing-consultant who still keeps three hives": (
        "I need some help with marketing, and I like honey. || I'm curious about beekeeping and have never stood"
        " next to a hive. || We might hire a marketing consultant who keeps bees."
    ),
    "an amateur astronomer who hates city light pollution": (
        "I'm going along to an observing night under dark skies. || We're planning an evening of astronomy, away"
        " from the city lights. || There's a clear new-moon night coming up, good for a telescope."
    ),
    "a freelance translator working between Portuguese and Korean": (
        "I have a Korean text that needs a translator. || We're hiring a freelance translator for a Portuguese"
        " novel. || It's about a translation, Korean on one side and Portuguese on the other."
    ),
    "a cybersecurity researcher who collects vintage typewriters": (
        "I'm invited to look at some vintage typewriters. || I work in cybersecurity too and we'll be talking"
        " shop. || I've just found a vintage typewriter at a flea market."
    ),
    "a former competitive figure skater now running a small tea shop": (
        "I'm stopping by a tea shop this week. || My niece loves figure skating and I love tea. || I want to"
        " spend an hour over good tea leaves and skating stories."
    ),
    "a chef-instructor who teaches knife skills at a community college": (
        "I've signed up for a knife skills course at the community college. || I want to learn to chop properly"
        " in a real class. || It's about knives and the students' first lesson at the community college."
    ),
    "an opera singer who is also a part-time auto mechanic": (
        "I have opera tickets and a car that makes noises. || My car needs a mechanic, ideally one who sings. ||"
        " I'm going backstage at the opera soon."
    ),
    "an architect specializing in adaptive reuse of old factories": (
        "We've bought an old factory and need an architect. || I'm thinking of converting a brick factory"
        " building. || I'm joining an architect on a factory conversion."
    ),
    "a wildlife photographer focused on owls in the Pacific Northwest": (
        "I'm joining an owl photography outing. || I've heard owls hooting in the forest and want photographs. ||"
        " We're going into the woods of the Pacific Northwest with cameras."
    ),
    "a high-school chemistry teacher who restores vintage motorcycles": (
        "I've inherited a vintage motorcycle that needs restoring. || My son starts chemistry at the high school"
        " this fall. || It's about old motorcycles, and a bit of chemistry."
    ),
    "a marathoner with a rare allergy to most stone fruits": (
        "There's a marathon in town next month. || I'm supporting a runner who has to be careful with stone"
        " fruits. || I'm cooking for marathon runners and somebody mentioned a fruit allergy."
    ),
    "a bookbinder who designs board games on weekends": (
        "I have an old book and a half-finished board game. || I'm visiting a bookbinder's workshop. || We're"
        " getting together to try out board game prototypes."
    ),
    "a software engineer who breeds carnivorous plants": (
        "I've become curious about carnivorous plants. || We're both software engineers, but it's the flytraps I"
        " want to see. || I'm looking after some pitcher plants and flytraps."
    ),
    "a paramedic who plays cello in a community orchestra": (
        "I've just joined the community orchestra. || I ride along with a paramedic crew next week. || I play a"
        " bit of cello and work on the ambulance as well."
    ),
    "a former diplomat now running a pottery studio": (
        "I've signed up for classes at a pottery studio. || I'm visiting a pottery studio to watch some clay"
        " being thrown. || I'd like to order some pots from a studio with its own kiln."
    ),
    "a cartographer obsessed with historic shipwrecks": (
        "I'm writing about shipwrecks and need a good map. || I've found an old sea chart with a shipwreck marked"
        " on it. || We're meeting over charts and shipwreck stories."
    ),
    "a dog trainer specializing in working breeds": (
        "I've got a working breed with too much energy and have tried every dog trainer in town. || My dog needs"
        " a trainer who knows working breeds. || We've booked dog training lessons."
    ),
    "a forensic accountant who writes science fiction novels": (
        "I'm reading science fiction and doing my accounts. || We need a forensic accountant for a fraud case. ||"
        " I'm swapping science fiction manuscripts with someone."
    ),
    "a glassblower with severe pollen allergies": (
        "I'm visiting a glassblower in the middle of pollen season. || I'd like to order some glass straight from"
        " a glassblower's furnace. || It's the season for pollen allergies, and I'm planning a trip to the glass"
        " studio."
    ),
    "a sommelier transitioning to non-alcoholic beverage consulting": (
        "Our restaurant wants a better list of non-alcoholic drinks. || I'm putting on a tasting without any"
        " alcohol. || I used to buy wine from a sommelier and am now after alcohol-free drinks."
    ),
    "a former orchestra conductor who now teaches sailing": (
        "I'm about to start sailing lessons. || I'll be out on a sailing dinghy next week. || I love orchestras"
        " and I'm learning to sail."
    ),
    "a museum conservator focused on 19th-century photographs": (
        "I've inherited an album of 19th-century photographs. || I'm visiting the museum's photograph collection."
        " || Some old prints and plates of mine need a conservator."
    ),
    "a competitive bridge player who works as an actuary": (
        "I've started playing bridge. || There's a bridge tournament coming up. || I work with an actuary who"
        " takes bridge very seriously."
    ),
    "a backcountry ski guide who restores antique furniture in summer": (
        "We're thinking of a guided ski tour in the backcountry. || I have some antique furniture that needs"
        " restoring. || I'm after a ski guide for the winter and a furniture restorer for the summer."
    ),
}

LEADS: dict[str, tuple[str, ...]] = {name: tuple(leads.split(ALTERNATIVE)) for name, leads in _WRITTEN.items()}
