"""The topics users talk about: the paper's 164 attributes in five categories (its table 2).

>>> len(ATTRIBUTES), len(set(map(category, ATTRIBUTES)))
(164, 5)
>>> kin("media/book") >= {"recreation/reading"}
True
"""

from __future__ import annotations

from functools import cache

DEMOGRAPHIC, LIFESTYLE, SITUATION, EVENTS, BELONGINGS = (
    "demographic information",
    "lifestyle",
    "situational context",
    "life events",
    "belongings",
)
CATEGORIES = (DEMOGRAPHIC, LIFESTYLE, SITUATION, EVENTS, BELONGINGS)

GROUPS: dict[str, tuple[str, str]] = {
    "person": (DEMOGRAPHIC, "age, gender, ethnicity, nationality, language, education level, occupation"),
    "shopping": (
        LIFESTYLE,
        "online shopping frequency, favorite stores, loyalty program, sales events, coupons, gift purchasing habits, "
        "eco-friendly product preferences, luxury vs budget shopping, technology gadget purchasing, "
        "fashion and apparel, grocery shopping, shopping for others",
    ),
    "media": (
        LIFESTYLE,
        "book, movie, tv show, music, podcast, video game, streaming service, theater, magazine and newspaper, "
        "youtube, educational content, audiobook and e-book",
    ),
    "social": (
        LIFESTYLE,
        "posting, commenting, followers, groups, hashtags, campaigns, messaging, live streaming, social media breaks",
    ),
    "daily": (
        LIFESTYLE,
        "wake-up time, bedtime, work or school start time, meal time, exercise routines, coffee or tea break, "
        "commuting, evening activities, weekend routines, cleaning schedules, time spent with family or friends",
    ),
    "travel": (
        LIFESTYLE,
        "frequency, destination, road trips, travel agencies, outdoor adventures, airlines, hotel, "
        "travel with family vs solo travel, packing habits",
    ),
    "recreation": (
        LIFESTYLE,
        "reading, painting, musical instruments, dancing, watching sports, participating in sports, gardening, "
        "bird watching, fishing or hunting, board games, video games, fitness classes, yoga, sculpting, photography, "
        "stand-up comedy, writing, collecting, model building, aquarium keeping",
    ),
    "eating": (
        LIFESTYLE,
        "home cooking, food delivery, vegetarian or vegan, favorite cuisines, snacking habits, barbecue, baking, "
        "cocktail mixing, cooking classes",
    ),
    "attending": (
        LIFESTYLE,
        "concerts, theater, galleries and museums, sports games, film festivals, religious services, book readings, "
        "charity events, trade shows, lectures or workshops, theme parks, local markets, networking events, sports, "
        "auto racing, workshops, museum tours",
    ),
    "home": (SITUATION, "living room, kitchen, bathroom, room style, room lighting, furniture, technology, plants"),
    "company": (SITUATION, "alone, family, friends, interactions with strangers"),
    "time": (SITUATION, "time of day, day of week, seasonal"),
    "life": (
        EVENTS,
        "graduations, academic achievements, study abroad, significant academic projects, job promotions, "
        "starting a business, births and adoptions, marriages, family reunions, illness or surgeries, "
        "mental health journeys, purchasing a home, trips, movement, living abroad, refugee or immigration, "
        "loss of loved ones, name change, belief, milestone",
    ),
    "owned": (
        BELONGINGS,
        "cars, bikes, vehicles, computer, phone, pet, farm animal, animal care items, home, land, art, antiques, "
        "collectible, rare items, clothing, jewelry, shoes, bag, sports gear, musical instruments, "
        "health related devices, crafting, photography",
    ),
}
"""Each group of attributes with its category; an attribute is written `group/name`."""

ATTRIBUTES: tuple[str, ...] = tuple(
    f"{group}/{name}" for group, (_, names) in GROUPS.items() for name in names.split(", ")
)

_KIN = (
    "media/book, recreation/reading, media/audiobook and e-book, attending/book readings, media/magazine and newspaper",
    "media/video game, recreation/video games",
    "media/theater, attending/theater, recreation/stand-up comedy",
    "media/movie, media/tv show, media/streaming service, attending/film festivals",
    "media/music, recreation/musical instruments, owned/musical instruments, attending/concerts",
    "recreation/photography, owned/photography",
    "media/podcast, media/youtube, media/educational content",
    "owned/cars, owned/bikes, owned/vehicles, daily/commuting, travel/road trips, attending/auto racing",
    "travel/frequency, travel/destination, travel/road trips, travel/travel with family vs solo travel, life/trips, "
    "travel/outdoor adventures, travel/hotel, travel/airlines, travel/travel agencies, travel/packing habits, "
    "life/study abroad, life/living abroad",
    "home/plants, recreation/gardening",
    "home/living room, home/furniture, home/room style, home/room lighting, home/kitchen, home/bathroom, "
    "home/technology, owned/home, life/purchasing a home, life/movement",
    "owned/computer, owned/phone, shopping/technology gadget purchasing, home/technology, owned/health related devices",
    "owned/pet, owned/farm animal, owned/animal care items, recreation/aquarium keeping",
    "owned/collectible, owned/rare items, owned/antiques, owned/art, recreation/collecting",
    "owned/clothing, owned/jewelry, owned/shoes, owned/bag, shopping/fashion and apparel, "
    "shopping/luxury vs budget shopping",
    "owned/crafting, recreation/model building, recreation/sculpting, recreation/painting",
    "owned/sports gear, recreation/participating in sports, attending/sports, attending/sports games, "
    "recreation/watching sports, daily/exercise routines, recreation/fitness classes, recreation/yoga, "
    "life/milestone, attending/charity events",
    "eating/home cooking, eating/baking, eating/barbecue, eating/cooking classes, eating/favorite cuisines, "
    "eating/food delivery, eating/vegetarian or vegan, eating/snacking habits, eating/cocktail mixing",
    "attending/galleries and museums, attending/museum tours, owned/art",
    "attending/workshops, attending/lectures or workshops, attending/trade shows, attending/networking events, "
    "eating/cooking classes",
    "shopping/gift purchasing habits, shopping/shopping for others",
    "shopping/online shopping frequency, shopping/favorite stores, shopping/loyalty program, shopping/sales events, "
    "shopping/coupons, shopping/grocery shopping, attending/local markets",
    "life/graduations, life/academic achievements, life/significant academic projects, person/education level",
    "life/job promotions, life/starting a business, person/occupation",
    "life/births and adoptions, life/marriages, life/family reunions, company/family, "
    "daily/time spent with family or friends, company/friends, person/age",
    "social/posting, social/commenting, social/followers, social/groups, social/hashtags, social/campaigns, "
    "social/messaging, social/live streaming, social/social media breaks",
)


def group(attribute: str) -> str:
    """The group an attribute stands in: `media` for `media/book`."""
    return attribute.partition("/")[0]


def category(attribute: str) -> str:
    """The category an attribute belongs to: `belongings` for `owned/cars`."""
    return GROUPS[group(attribute)][0]


@cache
def kin(attribute: str) -> frozenset[str]:
    """The attribute itself and those so near that telling of one may count as telling of the other."""
    near = [names.split(", ") for names in _KIN]
    return frozenset({attribute, *(name for names in near if attribute in names for name in names)})
