"""Lists an assistant gave: what was asked for, the kind of names in them, and what was said of each.

Per block: `# attribute | pool of names`, `>` the request, `=` what the list is called, `one` one of it, `+` what may be
said of an entry (a sentence's end, after the entry's name).
"""

TEXT = """
# travel/hotel | HOTEL
> Can you list some small hotels by the lake for a couple that sleeps badly?
= small hotels by the lake
one hotel
+ has a courtyard without a single car; serves breakfast until noon; lends bicycles for free; has a sauna on a raft;
+ offers rooms with box beds; keeps a library of field guides; allows dogs in the garden rooms; has its own jetty
# eating/favorite cuisines | CAFE
> Which restaurants would you suggest for a relaxed birthday dinner downtown?
= restaurants for a birthday dinner
one restaurant
+ grills everything over vine cuttings; does a seven-course menu on Mondays; bakes its own flatbread;
+ is known for duck with figs; takes no bookings after eight; has a piano in the bar; pours local cider
# media/book | TITLE
> Please suggest a few novels set at sea, but nothing about pirates.
= novels set at sea
one novel
+ follows a lighthouse relief crew; is told by a ship's cat; takes place during one single storm; won a prize;
+ runs to barely a hundred pages; is built from telegrams; has a cook as its hero; ends on a sandbank
# media/podcast | TITLE
> Which podcasts explain economics to someone who hated it at school?
= podcasts about economics
one podcast
+ explains one word per episode; is recorded in a laundrette; interviews shopkeepers; has episodes of nine minutes;
+ was started by two nurses; deals only with failures; reads out listener budgets; is taped before an audience
# media/movie | TITLE
> I need film ideas for a rainy afternoon with my grandparents.
= films for a rainy afternoon
one film
+ is set in a hat shop; has hardly any dialogue; features a talking barge; was shot in one village;
+ has a famous umbrella scene; is about rival bakers; runs under eighty minutes; ends with a parade
# shopping/favorite stores | SHOP
> Where could I look for second-hand lamps in this part of the country?
= shops for second-hand lamps
one shop
+ rewires everything in-house; opens only on Thursdays; specialises in ship lamps; has a cellar full of shades;
+ takes trade-ins; ships in wooden crates; is run by twins; keeps a waiting list for green glass
# recreation/yoga | STUDIO
> Could you name some studios with classes for stiff beginners?
= studios for beginners
one studio
+ limits classes to six people; offers chair classes; has a heated floor; lets you pay by the minute;
+ teaches in the park in summer; has a course for runners; lends mats and blocks; ends each class with tea
# daily/exercise routines | EXERCISE
> Put together a list of exercises for a sore lower back, please.
= exercises for the lower back
one exercise
+ should be held for twenty seconds; is best done before breakfast; needs a rolled towel; is done eight times;
+ works well against a wall; must be stopped if it tingles; can be done in bed; pairs well with slow breathing
# eating/home cooking | DISH
> What can I batch-cook on a Sunday that freezes well?
= dishes to batch-cook
one dish
+ keeps for three months frozen; needs a splash of vinegar at the end; should be frozen flat; is better on day two;
+ works without cream; wants twice the onions; thaws overnight; doubles as a pie filling
# recreation/gardening | PLANT
> Which perennials would you choose for a dry slope?
= perennials for a dry slope
one plant
+ flowers from May to October; should be cut back in March; spreads on its own; attracts hoverflies;
+ dislikes manure; grows knee-high; needs no staking; turns copper in autumn
# media/music | BAND
> I'd like to discover bands that mix brass and electronics.
= bands that mix brass and electronics
one band
+ records in disused pools; has two tuba players; sings in Faroese; began as a wedding band;
+ plays without a drummer; released everything on tape; samples railway stations; wears paper masks
# travel/destination | TOWN
> Can you suggest some quiet towns for a working holiday?
= quiet towns for a working holiday
one town
+ has a library open at night; bans cars after six; rents desks in the old mill; has ferries every hour;
+ holds a lantern market on Fridays; has the cheapest rooms; lies at the end of a branch line; has a tidal pool
# recreation/board games | TITLE
> What board games work for exactly three players?
= board games for three players
one game
+ takes twenty minutes; uses wooden fish; has a silent round; can be played on a tray;
+ comes with a solo mode; needs a timer; has rules on one page; rewards the player in the middle
# life/starting a business | COMPANYNAME
> I need name ideas for a small business that repairs umbrellas.
= names for the umbrella repair business
one name
+ sounds friendly on the phone; fits on a small stamp; hints at the weather; is easy to spell;
+ works in French too; has a nautical ring; would suit a van; is short enough for a web address
# social/hashtags | TAG
> Give me some hashtags for pictures of old staircases.
= hashtags for staircase pictures
one hashtag
+ has a small but loyal following; is popular with architects; works best in the evening; is hardly used;
+ suits spiral stairs; draws many comments; is meant for black and white; is common in Portugal
# company/friends | GAME
> What party games can we play without any props?
= party games without props
one game
+ gets quieter with every round; works for up to thirty people; should end before midnight; needs a good liar;
+ is best played standing; has no winner; was invented on a night train; makes shy people talk
# owned/pet | PETNAME
> Suggest names for a grey puppy with one white ear.
= names for the grey puppy
one name
+ means little cloud in an old dialect; is easy to call across a field; suits a calm dog; comes from a sea song;
+ has two clear syllables; was a poet's dog; sounds like nobody else's; works in any language
# recreation/painting | PAINT
> Which pigments would make a small palette for landscapes?
= pigments for a small palette
one pigment
+ granulates nicely; should be used sparingly; dries lighter than expected; makes good greens;
+ is the only opaque one; lifts off easily; stains the brush; is best for distant hills
# home/technology | BRAND
> Which makers of simple, repairable headphones are there?
= makers of repairable headphones
one maker
+ sells every spare part; gives a ten-year promise; uses standard screws; prints the manual on cloth;
+ takes old sets back; builds in one village; offers left-handed cables; does no marketing
# person/language | METHOD
> What methods are there for learning vocabulary quickly?
= methods for learning vocabulary
one method
+ takes seven minutes a day; works best with a friend; needs a shoe box; is good for verbs;
+ was used by interpreters; relies on drawing; should be done aloud; fades without Sunday reviews
# attending/workshops | STUDIO
> Where can I take a one-day course in pottery?
= places for a one-day pottery course
one place
+ fires pieces the same week; has courses for parents and children; uses only local clay; includes lunch;
+ accepts complete beginners; has wheels for left-handers; closes in August; sells glaze by the spoon
# eating/cocktail mixing | DRINK
> Name some alcohol-free drinks for a wedding toast.
= alcohol-free drinks for a toast
one drink
+ should be served in tall glasses; needs crushed ice; is made with cold tea; keeps its bubbles longest;
+ tastes of smoke; can be batched the day before; wants a sprig of thyme; is the sweetest of them
"""

ROTAS: tuple[tuple[str, str, str, str, str], ...] = (
    (
        "person/occupation",
        "I need a weekly rota for the front office with {names}.",
        "the rota for the front office",
        "at the desk",
        "on the phones",
    ),
    (
        "attending/charity events",
        "Can you plan the food bank week for {names}?",
        "the plan for the food bank",
        "in the store room",
        "at the counter",
    ),
    (
        "owned/farm animal",
        "Please share out the work at the stable between {names}.",
        "the work plan for the stable",
        "on feeding",
        "on mucking out",
    ),
    (
        "company/family",
        "Could you make a chore chart for our house, with {names}?",
        "the chore chart for our house",
        "on dishes",
        "on laundry",
    ),
    (
        "eating/home cooking",
        "We cook together in our shared flat, can you plan a week for {names}?",
        "the cooking plan for our flat",
        "at the stove",
        "on shopping",
    ),
    (
        "recreation/participating in sports",
        "I coach juniors and need a training plan with {names} helping out.",
        "the helpers' plan for the juniors",
        "with the beginners",
        "with the advanced group",
    ),
    (
        "life/starting a business",
        "My market stall needs a schedule for {names}.",
        "the schedule for my market stall",
        "on sales",
        "on packing",
    ),
    (
        "social/groups",
        "Help me split the moderation of our forum between {names}.",
        "the moderation schedule of our forum",
        "on new posts",
        "on complaints",
    ),
    (
        "daily/commuting",
        "We share lifts to the office, please plan the week for {names}.",
        "the lift-sharing plan",
        "at the wheel",
        "in charge of coffee",
    ),
)
"""Rotas it can draw up: attribute, request, what the rota is called, and the two jobs of a day."""
