"""Food and drink: categories, preferences and scenarios for Coexisting-Facts (data only)."""

from __future__ import annotations

from memtriage.suites.memfail.coexisting_pools import Category, Preference

CATEGORIES: tuple[Category, ...] = (
    Category(
        "foods",
        nouns=(
            "dishes",
            "meals",
        ),
        frames=(
            "{Occ}, I'm hungry for a meal of {x}.",
            "{X} {is} the dinner I like to cook and eat {occ}.",
            "I'd happily eat {x} any day, but above all {occ}.",
            "Few dishes make me as happy as {x} {occ}.",
            "{X} {is} my favorite dish because {they} {pt}.",
            "Of all meals, I never get tired of {x}; {they} {pt}.",
            "I cook {x} a lot because {they} {pt}.",
            "{X} {is} my idea of a good dinner: {they} {pt}.",
        ),
        topics=("food", "meals"),
        situations=(
            (
                "I'm doing the big grocery run [before my parents visit|for the first week back "
                "at work|after two weeks of takeout]"
            ),
            "My roommate offered to cook for my birthday [on Saturday|next Thursday] and asked for a few ideas",
            ("I'm writing a dinner plan for [the next two weeks|a houseful of cousins|my first month in the new flat]"),
            "A new neighbor wants to drop off a welcome meal [this weekend|on Sunday evening]",
            "I'm stocking the freezer ahead of [a busy exam season|the new baby|a month of night shifts]",
            "My sister is catering my housewarming [in June|after the move] and needs to know what to make",
        ),
        requests=(
            "what should [go in the cart|be on the menu|end up on the table]?",
            "which dishes would [make me happiest|I be glad to eat more than once]?",
            "what should [we|I] cook so that I don't get bored?",
            "what meals would [actually please me|never disappoint me]?",
            "what would be [safe bets|sure hits] for my palate?",
        ),
        preferences=(
            Preference(
                "sushi",
                "m",
                (
                    "when I want something clean and light",
                    "after a long week at the office",
                ),
                (
                    "makes a plain Tuesday feel like an occasion",
                    "never leaves me feeling heavy",
                ),
            ),
            Preference(
                "ramen",
                "m",
                (
                    "when the wind is howling outside",
                    "at the end of a freezing commute",
                ),
                ("warms me right down to my toes",),
            ),
            Preference(
                "lasagna",
                "m",
                (
                    "on lazy Sundays with a full house",
                    "when friends come over hungry",
                ),
                ("tastes even better to me the next day",),
            ),
            Preference(
                "falafel",
                "m",
                (
                    "when I skip meat for the day",
                    "after the farmers' market",
                ),
                ("gives me that crunchy, herby bite I crave",),
            ),
            Preference(
                "tacos",
                "p",
                (
                    "on Tuesdays with the whole family",
                    "when nobody agrees on toppings",
                ),
                ("let me pile on as much salsa as I like",),
            ),
            Preference(
                "mushroom risotto",
                "m",
                (
                    "when I feel like stirring a pot for half an hour",
                    "on rainy autumn evenings",
                ),
                ("calms me down while it simmers",),
            ),
            Preference(
                "fried chicken",
                "m",
                (
                    "on picnics by the river",
                    "when a diet needs breaking",
                ),
                ("reminds me of my grandmother's kitchen",),
            ),
            Preference(
                "pad thai",
                "m",
                (
                    "when I need sweet, sour and salty in one bite",
                    "on nights when the fridge is empty",
                ),
                ("always hits the spot with its lime and peanuts",),
            ),
            Preference(
                "lentil soup",
                "m",
                (
                    "when money is tight before payday",
                    "on damp November days",
                ),
                ("fills me up for almost nothing",),
            ),
            Preference(
                "grilled salmon",
                "m",
                (
                    "after a hard workout",
                    "when the evenings get long enough to eat outside",
                ),
                ("gives me protein without any fuss",),
            ),
            Preference(
                "dumplings",
                "p",
                (
                    "when my hands want something to fold",
                    "around Lunar New Year",
                ),
                ("vanish from my plate in minutes",),
            ),
            Preference(
                "shepherd's pie",
                "m",
                (
                    "after a muddy walk with the dog",
                    "when the clocks go back",
                ),
                ("feels like a hug in a casserole dish to me",),
            ),
        ),
    ),
    Category(
        "cuisines",
        nouns=(
            "cuisines",
            "culinary traditions",
        ),
        frames=(
            "{Occ}, I get hungry for {x}.",
            "{X} {is} what I like to eat {occ}.",
            "Of all the world's cooking, I love {x} most {occ}.",
            "{Occ}, I'm happiest with a table full of {x}.",
            "When I get to choose what we eat, I say {x}, because {they} {pt}.",
            "I love to cook {x} because {they} {pt}.",
            "I keep going back to {x}, since {they} {pt}.",
            "No other cooking excites me like {x}: {they} {pt}.",
        ),
        topics=("international dining", "world cooking"),
        situations=(
            ("We're choosing where to book for [our anniversary week|three team dinners next month|my cousin's visit]"),
            (
                "I'm mapping out places to eat during [a food trip to Toronto|our layover in "
                "London|a month in Melbourne]"
            ),
            "My partner is buying me a stack of cookbooks [for Christmas|for my fortieth]",
            (
                "I signed up for a meal kit that lets me set [a flavor profile|my regional "
                "favorites] before [Monday|the first delivery]"
            ),
            "Our supper club lets each member propose [a season of themes|the next few themes]",
            (
                "A friend who runs a test kitchen wants to cook me [a farewell banquet|a tasting "
                "menu] in [March|October]"
            ),
        ),
        requests=(
            "which cuisines should [we|I] put on the list?",
            "what parts of the world should the [cooking|menu] draw on?",
            "which [culinary traditions|kitchens of the world] would please me most?",
            "what kind of cooking should I be [looking for|asking about]?",
            "what should [we|I] pick to match my palate?",
        ),
        preferences=(
            Preference(
                "Ethiopian",
                "m",
                (
                    "when I want to eat with my hands and share a platter",
                    "for long dinners with a big table",
                ),
                ("wins me over with its sour bread and slow stews",),
                tail="food",
            ),
            Preference(
                "Thai",
                "m",
                (
                    "when I crave heat and lime together",
                    "after a dull week of sandwiches",
                ),
                ("wakes up my whole mouth",),
                tail="food",
            ),
            Preference(
                "Italian",
                "m",
                (
                    "on Sunday afternoons with family",
                    "when simple ingredients look good at the market",
                ),
                ("never asks me to choose between comfort and elegance",),
                tail="food",
            ),
            Preference(
                "Mexican",
                "m",
                (
                    "on hot evenings with friends",
                    "when I feel like chili and corn",
                ),
                ("brings out the cheerful side of me",),
                tail="food",
            ),
            Preference(
                "Japanese",
                "m",
                (
                    "when I want quiet, careful plates",
                    "before a concert downtown",
                ),
                ("appeals to my love of precision",),
                tail="food",
            ),
            Preference(
                "Lebanese",
                "m",
                (
                    "when a dozen little plates sound better than one",
                    "on summer nights outdoors",
                ),
                ("keeps me happy with garlic, lemon and herbs",),
                tail="food",
            ),
            Preference(
                "Indian",
                "m",
                (
                    "when the weather turns gray",
                    "for a feast after payday",
                ),
                ("gives me layers of spice that I think about for days",),
                tail="food",
            ),
            Preference(
                "Peruvian",
                "m",
                (
                    "when I'm in the mood for citrus and fresh fish",
                    "on special dates",
                ),
                ("surprises me with every plate",),
                tail="food",
            ),
            Preference(
                "Korean",
                "m",
                (
                    "when I need something fermented and fiery",
                    "late on Friday nights",
                ),
                ("makes my table crowded in the best way",),
                tail="food",
            ),
            Preference(
                "French",
                "m",
                (
                    "when there is something to celebrate",
                    "on trips with my mother",
                ),
                ("turns butter into an argument I always lose",),
                tail="food",
            ),
            Preference(
                "Vietnamese",
                "m",
                (
                    "when I want herbs by the handful",
                    "on my lunch break",
                ),
                ("tastes bright to me even in winter",),
                tail="food",
            ),
            Preference(
                "Moroccan",
                "m",
                (
                    "when dried fruit and meat sound right together",
                    "on cold weekends in",
                ),
                ("fills my kitchen with cinnamon and cumin",),
                tail="food",
            ),
        ),
    ),
    Category(
        "types of desserts",
        nouns=(
            "desserts",
            "sweets",
        ),
        frames=(
            "{X} {is} the dessert I want {occ}.",
            "{Occ}, I treat myself to {x}.",
            "My sweet tooth calls for {x} {occ}.",
            "{Occ}, the sweet treat I can't resist is {x}.",
            "I have {x} for dessert whenever I can, because {they} {pt}.",
            "{X} {is} the treat I love best: {they} {pt}.",
            "If there's {x} on the dessert menu, I order {them}, since {they} {pt}.",
            "My sweet tooth loves {x} because {they} {pt}.",
        ),
        topics=("dessert", "sugary things"),
        situations=(
            "I'm ordering the sweets table for [my graduation party|our engagement party|my thirtieth]",
            ("My aunt loves to bake and asked what to bring me [at the holidays|for the long weekend|when she visits]"),
            "I'm planning a baking Saturday [with my niece|with my old roommate|while the oven is fixed and free]",
            (
                "We're closing a long dinner with a buffet of [small plates of sugar|something "
                "sweet] at [the cabin|my place]"
            ),
            (
                "The pastry shop near work lets me assemble a [mixed box|gift hamper] for [my "
                "own birthday|a cozy night in]"
            ),
            "I promised to sort out the last course for [a potluck|book club|Friendsgiving]",
        ),
        requests=(
            "which desserts should [be there|I count on]?",
            "what sweet things would [I enjoy most|make me smile]?",
            "what should [we|I] have for the finish?",
            "what treats should go [in the box|on the tray]?",
            "which sweets would cover [all my cravings|my whole sweet tooth]?",
        ),
        preferences=(
            Preference(
                "tiramisu",
                "m",
                (
                    "after a big plate of pasta",
                    "when coffee and cream sound perfect together",
                ),
                ("puts me in a holiday mood",),
            ),
            Preference(
                "apple pie",
                "m",
                (
                    "when the orchards open in fall",
                    "with a scoop of vanilla on the side",
                ),
                ("smells like my childhood home",),
            ),
            Preference(
                "crème brûlée",
                "m",
                (
                    "when I'm dressed up at a bistro",
                    "on anniversaries",
                ),
                ("lets me crack the top with a spoon",),
            ),
            Preference(
                "lemon bars",
                "p",
                (
                    "when I need a sharp bite after a heavy meal",
                    "on spring afternoons",
                ),
                ("make my mouth pucker in the nicest way",),
            ),
            Preference(
                "chocolate mousse",
                "m",
                (
                    "when a bad day needs fixing",
                    "at candlelit dinners",
                ),
                ("melts before I can think about it",),
            ),
            Preference(
                "rice pudding",
                "m",
                (
                    "when I have a cold",
                    "on snowy nights by the stove",
                ),
                ("comforts me like nothing else",),
            ),
            Preference(
                "mango sorbet",
                "m",
                (
                    "in the middle of a heat wave",
                    "after spicy curries",
                ),
                ("cools me off without any dairy",),
            ),
            Preference(
                "cinnamon rolls",
                "p",
                (
                    "on slow mornings that turn into afternoons",
                    "when the house feels chilly",
                ),
                ("fill my apartment with the best smell",),
            ),
            Preference(
                "banana bread",
                "m",
                (
                    "when the fruit bowl has gone spotty",
                    "with my second cup of coffee",
                ),
                ("is the one thing I can bake without looking",),
            ),
            Preference(
                "baklava",
                "m",
                (
                    "with strong coffee after dinner",
                    "whenever I pass the Turkish bakery",
                ),
                ("leaves my fingers sticky and me delighted",),
            ),
            Preference(
                "profiteroles",
                "p",
                (
                    "at weddings and big parties",
                    "when cream and pastry are what I'm after",
                ),
                ("disappear from my plate before anyone else gets one",),
            ),
            Preference(
                "peach cobbler",
                "m",
                (
                    "at the height of July",
                    "after a backyard barbecue",
                ),
                ("tastes of porch evenings to me",),
            ),
        ),
    ),
    Category(
        "drinks",
        nouns=(
            "drinks",
            "beverages",
        ),
        frames=(
            "{Occ}, I drink {x}.",
            "{X} {is} the drink I reach for {occ}.",
            "{Occ}, my favorite thing to drink is {x}.",
            "{X} {is} my drink of choice {occ}.",
            "When I'm thirsty I drink {x}, because {they} {pt}.",
            "I keep {x} in the house because {they} {pt}.",
            "Of all drinks, I like {x} best: {they} {pt}.",
            "{X} {is} the beverage I order most, since {they} {pt}.",
        ),
        topics=("drinks", "refreshments"),
        situations=(
            "I'm filling a cooler for [a day on the boat|the block party|a Saturday at the lake]",
            "The office is restocking the kitchen fridge and wants my input [by Friday|before the new quarter]",
            "I'm hosting [a baby shower|a film marathon|a quiet get-together] and the bar cart is still empty",
            "My brother is doing a supermarket run [ahead of the holidays|before our road trip]",
            "I'm trying to keep something on hand for [every hour of the day|hot afternoons and chilly nights]",
            ("I'll be house-sitting [for ten days|over Easter] and the owners want to leave the fridge stocked for me"),
        ),
        requests=(
            "which drinks should [be in there|I have ready]?",
            "what should I [pour|sip] over the course of it?",
            "what beverages would [I reach for|keep me content]?",
            "what should be [on ice|in the glasses]?",
            "what should I stock so I always have something [I like|to sip]?",
        ),
        preferences=(
            Preference(
                "ginger ale",
                "m",
                (
                    "when my stomach feels off",
                    "on every flight I take",
                ),
                ("settles me within minutes",),
            ),
            Preference(
                "iced coffee",
                "m",
                (
                    "when the sidewalk is baking",
                    "on the drive to work",
                ),
                ("gets me going without burning my tongue",),
            ),
            Preference(
                "coconut water",
                "m",
                (
                    "after a sweaty run",
                    "on beach days",
                ),
                ("puts back what the sun took out of me",),
            ),
            Preference(
                "hot chocolate",
                "m",
                (
                    "after shoveling the driveway",
                    "when the first snow falls",
                ),
                ("makes me feel eight years old again",),
            ),
            Preference(
                "kombucha",
                "m",
                (
                    "when I'm skipping alcohol but want some fizz",
                    "with a spicy lunch",
                ),
                ("gives me a tart little lift",),
            ),
            Preference(
                "lemonade",
                "m",
                (
                    "at cookouts in August",
                    "when I'm done mowing the lawn",
                ),
                ("cuts right through my thirst",),
            ),
            Preference(
                "sparkling water",
                "m",
                (
                    "at my desk in the afternoon",
                    "with dinner on weeknights",
                ),
                ("keeps me away from sugar",),
            ),
            Preference(
                "chai",
                "m",
                (
                    "on drizzly mornings",
                    "when I visit my in-laws",
                ),
                ("wraps me up in cardamom and cloves",),
            ),
            Preference(
                "orange juice",
                "m",
                (
                    "with eggs on a Saturday",
                    "when I feel a cold coming on",
                ),
                ("tastes like sunshine to me",),
            ),
            Preference(
                "red wine",
                "m",
                (
                    "with a steak on a Friday",
                    "when a friend stays late to talk",
                ),
                ("loosens my shoulders after work",),
            ),
            Preference(
                "horchata",
                "m",
                (
                    "when lunch was too spicy",
                    "at the taqueria on my corner",
                ),
                ("soothes me with its rice and cinnamon",),
            ),
            Preference(
                "root beer",
                "m",
                (
                    "at the ballpark",
                    "with a burger and fries",
                ),
                ("takes me back to summer camp",),
            ),
        ),
    ),
    Category(
        "coffee types",
        nouns=(
            "coffees",
            "café orders",
        ),
        frames=(
            "{Occ}, I ask the barista for {x}.",
            "{X} {is} my coffee of choice {occ}.",
            "{Occ}, my caffeine fix is {x}.",
            "I like to sip {x} {occ}.",
            "My usual order at the café is {x}, because {they} {pt}.",
            "I drink {x} because {they} {pt}.",
            "If you're making me a coffee, make it {x}: {they} {pt}.",
            "When I need caffeine I want {x}, since {they} {pt}.",
        ),
        topics=("coffee", "café drinks"),
        situations=(
            (
                "I'm buying a fancy machine and training myself [over the winter|before guests "
                "arrive] to make everything I order at cafés"
            ),
            (
                "A colleague does the café run [every Monday|before the long meeting] and wants "
                "to vary what she brings me"
            ),
            "A barista friend is designing a tasting flight for [my birthday|the end of my thesis]",
            "I'm writing a card of standing orders for [my assistant|the hotel|the new café downstairs]",
            "I have a gift card to use up at the roastery [by the end of May|this week], one cup a day",
            "We're hiring an espresso cart for [my retirement party|our wedding brunch] and must fix the menu",
        ),
        requests=(
            "which coffees should [be on it|I include]?",
            "what should I be [brewing|sipping] across the week?",
            "what cups would suit my different [moods|hours of the day]?",
            "which orders would [never miss with me|I be glad to get]?",
            "what styles of coffee should [we|I] go with?",
        ),
        preferences=(
            Preference(
                "cappuccino",
                "s",
                (
                    "with a croissant before ten",
                    "when I want foam up to my nose",
                ),
                ("feels like a tiny vacation to me",),
            ),
            Preference(
                "flat white",
                "s",
                (
                    "when I want milk but not a bucket of it",
                    "at the café next to the station",
                ),
                ("balances strength and silk just how I like it",),
            ),
            Preference(
                "cold brew",
                "m",
                (
                    "from May until September",
                    "when I'm up late on a deadline",
                ),
                ("goes down smooth and keeps me sharp",),
            ),
            Preference(
                "espresso",
                "m",
                (
                    "right after lunch",
                    "standing at the bar on trips abroad",
                ),
                ("resets my brain in two sips",),
            ),
            Preference(
                "cortado",
                "s",
                (
                    "when a full mug is too much",
                    "with a dear friend and no hurry",
                ),
                ("takes the edge off without drowning the beans",),
            ),
            Preference(
                "pour-over",
                "s",
                (
                    "on quiet Saturdays at home",
                    "when I've bought special beans",
                ),
                ("lets me taste every note",),
            ),
            Preference(
                "mocha",
                "s",
                (
                    "when I can't choose between dessert and caffeine",
                    "after ice skating",
                ),
                ("satisfies my inner child",),
            ),
            Preference(
                "Americano",
                "s",
                (
                    "on long working mornings",
                    "when I want to sip for an hour",
                ),
                ("stays simple, the way I like it",),
            ),
            Preference(
                "macchiato",
                "s",
                (
                    "between two meetings",
                    "when I only have a minute",
                ),
                ("gives me a short, strong hit",),
            ),
            Preference(
                "Turkish coffee",
                "m",
                (
                    "after a big family meal",
                    "when my neighbor reads the grounds",
                ),
                ("makes me slow down and talk",),
            ),
            Preference(
                "affogato",
                "s",
                (
                    "at the end of a summer dinner",
                    "when it's too hot to eat cake",
                ),
                ("turns ice cream into something grown-up for me",),
            ),
            Preference(
                "vanilla latte",
                "s",
                (
                    "on gloomy Mondays",
                    "when I need a bit of sweetness",
                ),
                ("cheers me up on the train",),
            ),
        ),
    ),
    Category(
        "tea varieties",
        nouns=(
            "teas",
            "brews",
        ),
        frames=(
            "{Occ}, I brew myself some {x}.",
            "{X} {is} the tea I drink {occ}.",
            "I like a cup of {x} {occ}.",
            "{Occ}, I put the kettle on for {x}.",
            "I always keep {x} in the cupboard because {they} {pt}.",
            "I drink {x} because {they} {pt}.",
            "{X} {is} my favorite brew: {they} {pt}.",
            "Of all the teas I've tried, I like {x} best, since {they} {pt}.",
        ),
        topics=("tea", "herbal and black teas"),
        situations=(
            "I'm refilling the tin cupboard [before winter|now that the kettle is fixed]",
            ("My mother-in-law is visiting a famous tea merchant [in London|in Kyoto] and offered to bring some back"),
            "I'm arranging an afternoon with scones for [the neighbors|my book group|old colleagues]",
            "I want to swap every soda for a hot cup [this month|during Lent]",
            "The spa lets me set up [a personal tray|a welcome tray] for [my weekend stay|Sunday]",
            "I'm packing an insulated flask for [each day of the conference|a week of night shifts]",
        ),
        requests=(
            "which teas should I [get|pick|have around]?",
            "what should be [in the pot|in my mug]?",
            "which leaves would [suit me|fit my habits]?",
            "what should I ask for to cover [mornings and nights|every mood]?",
            "what blends or varieties should I settle on?",
        ),
        preferences=(
            Preference(
                "Earl Grey",
                "m",
                (
                    "with my first email of the day",
                    "when lemon cake is on the table",
                ),
                ("lifts me with its bergamot perfume",),
            ),
            Preference(
                "matcha",
                "m",
                (
                    "before a yoga class",
                    "when I need focus without jitters",
                ),
                ("keeps me steady for hours",),
            ),
            Preference(
                "rooibos",
                "m",
                (
                    "after nine in the evening",
                    "when I've had enough caffeine",
                ),
                ("tastes rich to me with a splash of milk",),
            ),
            Preference(
                "peppermint",
                "m",
                (
                    "after a heavy dinner",
                    "when my head aches",
                ),
                ("settles my stomach like a charm",),
                tail="tea",
            ),
            Preference(
                "chamomile",
                "m",
                (
                    "right before bed",
                    "when my nerves are frayed",
                ),
                ("makes my eyelids heavy",),
                tail="tea",
            ),
            Preference(
                "oolong",
                "m",
                (
                    "on unhurried afternoons",
                    "when I can steep the same leaves all day",
                ),
                ("changes with each cup, which fascinates me",),
            ),
            Preference(
                "jasmine",
                "m",
                (
                    "with dim sum",
                    "in the first warm week of spring",
                ),
                ("smells like a garden at my desk",),
                tail="tea",
            ),
            Preference(
                "lapsang souchong",
                "m",
                (
                    "on cold nights with a novel",
                    "when I miss campfires",
                ),
                ("gives me smoke in a cup",),
            ),
            Preference(
                "hibiscus",
                "m",
                (
                    "over ice in July",
                    "when I want something tart",
                ),
                ("looks like rubies in my glass",),
                tail="tea",
            ),
            Preference(
                "English breakfast",
                "m",
                (
                    "with toast and marmalade",
                    "when the alarm goes off too early",
                ),
                ("gets me upright before I can think",),
                tail="tea",
            ),
            Preference(
                "white peony",
                "m",
                (
                    "when my palate is tired",
                    "on silent Sunday mornings",
                ),
                ("has a softness I can't find elsewhere",),
                tail="tea",
            ),
            Preference(
                "lemongrass",
                "m",
                (
                    "when my throat is scratchy",
                    "after cooking a curry",
                ),
                ("perks me up without any caffeine",),
                tail="tea",
            ),
        ),
    ),
    Category(
        "breakfast foods",
        nouns=(
            "breakfasts",
            "morning meals",
        ),
        frames=(
            "I have {x} for breakfast {occ}.",
            "{X} {is} how I like to start the day {occ}.",
            "{Occ}, I wake up wanting {x}.",
            "{Occ}, breakfast for me means {x}.",
            "{X} {is} my favorite breakfast because {they} {pt}.",
            "I like to start the morning with {x}, since {they} {pt}.",
            "I could eat {x} every morning; {they} {pt}.",
            "First thing in the morning I want {x}: {they} {pt}.",
            "{Occ}, I make {x}.",
        ),
        topics=("breakfast", "the first meal of the day"),
        situations=(
            "I'm prepping my mornings for [the first week of school|a month of early shifts|marathon training]",
            "The bed-and-breakfast asked what I'd like served [during our four-night stay|over the long weekend]",
            "I'm hosting overnight guests and doing brunch [both days|on New Year's Day]",
            "My partner wants to surprise me in bed [every Sunday this month|on my birthday weekend]",
            "I keep skipping the first meal of the day and want to fix that [from Monday|this spring]",
            "I'm making a grocery list that covers mornings [at the cabin|while the kids are off]",
        ),
        requests=(
            "what should I be [eating|having] before work?",
            "which breakfasts should [be on the rota|I count on]?",
            "what morning plates would [get me out of bed|keep me interested]?",
            "what should [we|I] put on the table?",
            "what should I have ready so each day starts [well|right]?",
        ),
        preferences=(
            Preference(
                "oatmeal",
                "m",
                (
                    "when the mornings are dark",
                    "before a long bike ride",
                ),
                ("keeps me full until one o'clock",),
            ),
            Preference(
                "shakshuka",
                "m",
                (
                    "on weekends with crusty bread",
                    "when friends stay over",
                ),
                ("makes me feel like I'm on vacation",),
            ),
            Preference(
                "pancakes",
                "p",
                (
                    "on Saturdays with the kids",
                    "when the maple syrup is the real stuff",
                ),
                ("turn me into a morning person",),
            ),
            Preference(
                "avocado toast",
                "m",
                (
                    "after the gym",
                    "when I find a ripe one on the counter",
                ),
                ("takes me four minutes and looks fancy",),
            ),
            Preference(
                "granola",
                "m",
                (
                    "when I'm running late",
                    "with thick yogurt in summer",
                ),
                ("gives me the crunch I need",),
            ),
            Preference(
                "French toast",
                "m",
                (
                    "when the loaf has gone stale",
                    "on birthdays",
                ),
                ("makes my kitchen smell of cinnamon",),
            ),
            Preference(
                "breakfast burritos",
                "p",
                (
                    "on road trips",
                    "when I have to eat with one hand",
                ),
                ("hold me over through any meeting",),
            ),
            Preference(
                "scrambled eggs",
                "p",
                (
                    "when I need protein fast",
                    "after an early run",
                ),
                ("never let me down, even half asleep",),
            ),
            Preference(
                "bagels with lox",
                "p",
                (
                    "on Sundays with the newspaper",
                    "when I'm back in New York",
                ),
                ("taste of family mornings to me",),
            ),
            Preference(
                "chia pudding",
                "m",
                (
                    "when I prep the night before",
                    "in the hot months",
                ),
                ("waits for me in the fridge, ready to go",),
            ),
            Preference(
                "congee",
                "m",
                (
                    "when I'm under the weather",
                    "on icy days",
                ),
                ("soothes me with ginger and scallions",),
            ),
            Preference(
                "waffles",
                "p",
                (
                    "on snow days",
                    "when I have leftover buttermilk",
                ),
                ("catch the syrup in every pocket, which I adore",),
            ),
        ),
    ),
    Category(
        "street foods",
        nouns=(
            "street foods",
            "market bites",
        ),
        frames=(
            "{Occ}, I buy {x} from a street vendor.",
            "{X} {is} the street food I can't walk past {occ}.",
            "{Occ}, I line up at a stall for {x}.",
            "I look for a food cart with {x} {occ}.",
            "At any market I make straight for {x}, because {they} {pt}.",
            "{X} {is} my favorite thing to eat from a stall: {they} {pt}.",
            "From a cart on the corner I like {x}, since {they} {pt}.",
            "From a street vendor I like to eat {x}; {they} {pt}.",
        ),
        topics=("street food", "market stalls"),
        situations=(
            (
                "We're visiting a night market [in Taipei|on our last evening|this Friday] and "
                "I'll only have room for so much"
            ),
            "The city is holding a food truck rally [at the harbor|on the fairground] next [Saturday|month]",
            "I'm hiring stalls for [my outdoor wedding|our block party|the company picnic]",
            ("My friend scouts vendors and wants to lead me on a [crawl|walking lunch] [downtown|across the old town]"),
            "I'm theming a backyard evening around things eaten [standing up|out of paper]",
            "I have an hour and twenty dollars between [trains|meetings] near the [market|plaza]",
        ),
        requests=(
            "what should I [hunt down|look out for]?",
            "which stands should I [head to|line up at]?",
            "what handheld bites should [we|I] go for?",
            "which vendors should be [on the route|on our list]?",
            "what should I eat to leave [happy|with no regrets]?",
        ),
        preferences=(
            Preference(
                "churros",
                "p",
                (
                    "at fairs after dark",
                    "when I want something hot and sugary",
                ),
                ("leave me with cinnamon on my sleeves",),
            ),
            Preference(
                "arepas",
                "p",
                (
                    "when I'm starving after a concert",
                    "on my walk through the plaza",
                ),
                ("fill me up with cheese and corn",),
            ),
            Preference(
                "bao buns",
                "p",
                (
                    "when the steam rises off the baskets",
                    "at the Saturday market",
                ),
                ("feel like eating a cloud to me",),
            ),
            Preference(
                "elote",
                "m",
                (
                    "in peak corn season",
                    "whenever a cart rolls by",
                ),
                ("makes me forget about manners",),
            ),
            Preference(
                "banh mi",
                "m",
                (
                    "on rushed lunch breaks",
                    "when I want pickles and crunch",
                ),
                ("packs everything I like into one roll",),
            ),
            Preference(
                "satay skewers",
                "p",
                (
                    "when charcoal is in the air",
                    "with a cold beer in hand",
                ),
                ("get me with that peanut sauce",),
            ),
            Preference(
                "doner kebab",
                "m",
                (
                    "at two in the morning",
                    "after a match at the stadium",
                ),
                ("tastes better to me outdoors",),
            ),
            Preference(
                "empanadas",
                "p",
                (
                    "when I need lunch in my coat pocket",
                    "at the bus station",
                ),
                ("keep my hands warm",),
            ),
            Preference(
                "jerk chicken",
                "m",
                (
                    "at carnival every August",
                    "when I want real heat",
                ),
                ("makes my lips tingle for an hour",),
            ),
            Preference(
                "crepes",
                "p",
                (
                    "on strolls in a strange town",
                    "when the griddle is hot and the queue is short",
                ),
                ("suit me savory or sweet",),
            ),
            Preference(
                "samosas",
                "p",
                (
                    "when it pours and I duck under an awning",
                    "between two errands",
                ),
                ("give me potatoes and spice in three bites",),
            ),
            Preference(
                "takoyaki",
                "m",
                (
                    "at festivals with loud music",
                    "when I feel brave enough to burn my tongue",
                ),
                ("delights me with its gooey middle",),
            ),
        ),
    ),
    Category(
        "snack types",
        nouns=(
            "snacks",
            "nibbles",
        ),
        frames=(
            "{Occ}, I snack on {x}.",
            "{X} {is} the snack I reach for {occ}.",
            "I munch on {x} {occ}.",
            "{Occ}, my favorite little snack is {x}.",
            "I always keep {x} around because {they} {pt}.",
            "{X} {is} my favorite snack, since {they} {pt}.",
            "Between meals I reach for {x}: {they} {pt}.",
            "When I'm peckish I want {x}, because {they} {pt}.",
        ),
        topics=("snacks", "nibbles"),
        situations=(
            "I'm filling the glovebox and the cooler for [a nine-hour drive|our trip to the coast]",
            "My desk drawer is empty and I'm placing an order [for the month|before the audit starts]",
            "My study group meets here [every night this week|until finals] and I'm in charge of the bowls",
            "I'm packing my carry-on for [an overnight flight|two long layovers]",
            "We're marathoning a series [this weekend|on Friday night] and I'm off to the store",
            "A friend is putting together a care package for [my first semester|my hospital stay]",
        ),
        requests=(
            "which snacks should [go in|I throw in]?",
            "what little bites should I [have at hand|buy]?",
            "what would keep me [going|from getting grumpy]?",
            "what should I munch on?",
            "what nibbles would [please me|hit the spot]?",
        ),
        preferences=(
            Preference(
                "trail mix",
                "m",
                (
                    "on hikes above the tree line",
                    "when lunch got pushed back",
                ),
                ("keeps my energy from crashing",),
            ),
            Preference(
                "popcorn",
                "m",
                (
                    "in front of a film",
                    "when I want volume without guilt",
                ),
                ("keeps my hands busy",),
            ),
            Preference(
                "dark chocolate",
                "m",
                (
                    "around three in the afternoon",
                    "after dinner with the lights low",
                ),
                ("needs only one square to cheer me up",),
            ),
            Preference(
                "hummus and carrots",
                "m",
                (
                    "when I get home before anyone else",
                    "while I'm cooking",
                ),
                ("fools me into eating my vegetables",),
            ),
            Preference(
                "beef jerky",
                "m",
                (
                    "on road trips",
                    "when I'm camping far from a stove",
                ),
                ("gives me something to chew on for miles",),
            ),
            Preference(
                "rice crackers",
                "p",
                (
                    "when I want salt and crunch",
                    "on long train rides",
                ),
                ("never leave crumbs on my keyboard",),
            ),
            Preference(
                "string cheese",
                "m",
                (
                    "after school pickup",
                    "when I need a bite between classes",
                ),
                ("makes me feel like a kid",),
            ),
            Preference(
                "roasted almonds",
                "p",
                (
                    "at my desk before lunch",
                    "when I can't stop for a meal",
                ),
                ("hold me over until dinner",),
            ),
            Preference(
                "apple slices",
                "p",
                (
                    "with a smear of peanut butter",
                    "when I want something crisp",
                ),
                ("wake me up better than coffee",),
            ),
            Preference(
                "pretzels",
                "p",
                (
                    "at ball games",
                    "with mustard on a Friday",
                ),
                ("satisfy my craving for salt",),
            ),
            Preference(
                "seaweed sheets",
                "p",
                (
                    "when I'm craving the ocean",
                    "late at night with a show on",
                ),
                ("weigh nothing in my bag",),
            ),
            Preference(
                "dried mango",
                "m",
                (
                    "on planes",
                    "when my sugar dips",
                ),
                ("tastes like a holiday to me",),
            ),
        ),
    ),
    Category(
        "cocktail types",
        nouns=(
            "cocktails",
            "mixed drinks",
        ),
        frames=(
            "{Occ}, I ask the bartender for {x}.",
            "{X} {is} my cocktail of choice {occ}.",
            "{Occ}, I like to sip {x}.",
            "{X} {is} what I order at the bar {occ}.",
            "At a cocktail bar I usually order {x}, because {they} {pt}.",
            "{X} {is} my favorite cocktail: {they} {pt}.",
            "If the bartender asks, I want {x}, since {they} {pt}.",
            "If you're mixing drinks, I'd like {x}; {they} {pt}.",
        ),
        topics=("cocktails", "mixed drinks"),
        situations=(
            "I'm stocking the home bar for [New Year's Eve|my housewarming|a summer of guests]",
            "A bartender friend is mixing for me [all evening on Saturday|at my birthday] and wants direction",
            "I'm writing the drinks card for [our wedding|my company's gala|the rooftop party]",
            "We're bar-hopping [in New Orleans|through the old town] and I'd like one good round at each stop",
            "I signed up for a mixology class where you pick [your own curriculum|what you shake]",
            "My sister wants to batch a few pitchers [before I arrive|for my visit in July]",
        ),
        requests=(
            "which cocktails should [make the list|I plan for]?",
            "what should be [shaken or stirred for me|in my glass]?",
            "what rounds would [suit me best|go down well with me]?",
            "which bottles and recipes should I be ready for?",
            "what drinks should [we|I] settle on?",
        ),
        preferences=(
            Preference(
                "margarita",
                "s",
                (
                    "when there's salt on the rim and guacamole on the table",
                    "on the first hot evening of the year",
                ),
                ("gets me into a party mood",),
            ),
            Preference(
                "negroni",
                "s",
                (
                    "before dinner with olives",
                    "when I want something bitter",
                ),
                ("wakes up my appetite",),
            ),
            Preference(
                "old fashioned",
                "s",
                (
                    "by the fire in December",
                    "when I'm in a leather chair kind of mood",
                ),
                ("makes me sip instead of gulp",),
            ),
            Preference(
                "mojito",
                "s",
                (
                    "by the pool",
                    "when the mint in my garden takes over",
                ),
                ("cools me down fast",),
            ),
            Preference(
                "espresso martini",
                "s",
                (
                    "when the night is just starting",
                    "after a long dinner",
                ),
                ("keeps me on the dance floor",),
            ),
            Preference(
                "whiskey sour",
                "s",
                (
                    "in dim little bars",
                    "when the weather can't make up its mind",
                ),
                ("hits the balance of tart and strong that I love",),
            ),
            Preference(
                "Aperol spritz",
                "s",
                (
                    "on terraces at sunset",
                    "whenever I miss Venice",
                ),
                ("makes an ordinary Tuesday feel like a holiday to me",),
            ),
            Preference(
                "gin and tonic",
                "s",
                (
                    "when I get home from a hot commute",
                    "at cricket matches with my dad",
                ),
                ("is the one thing I can mix with my eyes closed",),
            ),
            Preference(
                "paloma",
                "s",
                (
                    "with fish tacos",
                    "when grapefruits are in season",
                ),
                ("refreshes me without being sweet",),
            ),
            Preference(
                "dark and stormy",
                "s",
                (
                    "on sailing weekends",
                    "when thunder is rolling in",
                ),
                ("gives me ginger heat and rum in one go",),
            ),
            Preference(
                "Manhattan",
                "s",
                (
                    "when I'm wearing a suit",
                    "on theater nights",
                ),
                ("makes me feel like I'm in an old film",),
            ),
            Preference(
                "piña colada",
                "s",
                (
                    "on cruise decks",
                    "when I refuse to admit summer is over",
                ),
                ("makes me laugh before the first sip",),
            ),
        ),
    ),
    Category(
        "cooking methods",
        nouns=(
            "cooking methods",
            "kitchen techniques",
        ),
        frames=(
            "{Occ}, {x} {is} how I like to cook.",
            "{X} {is} my favorite way to cook {occ}.",
            "{X} {is} the technique I rely on {occ}.",
            "In my kitchen, {x} {is} the way to go {occ}.",
            "{X} {is} my favorite way to prepare food because {they} {pt}.",
            "As a cook I swear by {x}, since {they} {pt}.",
            "I've learned to love {x}, because {they} {pt}.",
            "Of all the ways to cook, I like {x} best: {they} {pt}.",
        ),
        topics=("cooking", "preparing meals"),
        situations=(
            (
                "I'm equipping a brand-new kitchen [on a small budget|after the remodel] and "
                "want gear for how I really cook"
            ),
            "A chef friend is giving me private lessons [this spring|every Thursday] and asked where to focus",
            "I'm planning weeknight suppers for [the whole month|a family of five]",
            (
                "We're renting a cottage [in August|with six friends] and I need to tell the "
                "owner what equipment I'll want"
            ),
            "I'm sorting my recipe binder into sections [over the holidays|before I give copies to my kids]",
            "I won a voucher at [a cookware store|a culinary school] and have to use it by [June|Sunday]",
        ),
        requests=(
            "which cooking methods should I [plan around|build on]?",
            "what techniques should [it cover|I prepare for]?",
            "what ways of cooking should I [keep up|lean on]?",
            "how should I be [preparing my food|cooking], going by what I like?",
            "which kitchen techniques [belong there|matter for me]?",
        ),
        preferences=(
            Preference(
                "grilling",
                "m",
                (
                    "the moment the patio dries in spring",
                    "when I have good steaks and company",
                ),
                ("gives me smoke, char and an excuse to be outside",),
            ),
            Preference(
                "slow cooking",
                "m",
                (
                    "on days when I leave at seven",
                    "with cheap, tough cuts",
                ),
                ("has dinner ready when I walk in",),
            ),
            Preference(
                "stir-frying",
                "m",
                (
                    "when I have ten minutes and a crisper full of vegetables",
                    "on hungry weeknights",
                ),
                ("keeps everything crunchy, as I like it",),
            ),
            Preference(
                "roasting",
                "m",
                (
                    "for a Sunday bird",
                    "when the squash piles up in October",
                ),
                ("fills my house with the smell of rosemary",),
            ),
            Preference(
                "steaming",
                "m",
                (
                    "when I've bought very fresh fish",
                    "after a week of rich meals",
                ),
                ("lets me taste the ingredient itself",),
            ),
            Preference(
                "braising",
                "m",
                (
                    "on cold weekends with a bottle of wine open",
                    "when I want meat to fall apart",
                ),
                ("rewards my patience every time",),
            ),
            Preference(
                "sous vide",
                "m",
                (
                    "when I want a steak dead even",
                    "before dinner parties",
                ),
                ("takes the guesswork out of my kitchen",),
            ),
            Preference(
                "air frying",
                "m",
                (
                    "when I crave crisp fries without the oil",
                    "for a quick supper for one",
                ),
                ("cleans up in a minute, so I use it daily",),
            ),
            Preference(
                "poaching",
                "m",
                (
                    "when I do eggs for brunch",
                    "with pears in winter",
                ),
                ("is gentle in a way I find soothing",),
            ),
            Preference(
                "smoking",
                "m",
                (
                    "on long holiday weekends",
                    "when I have twelve hours and a brisket",
                ),
                ("turns me into a philosopher with tongs",),
                tail="meat",
            ),
            Preference(
                "pressure cooking",
                "m",
                (
                    "when I forgot to soak the beans",
                    "on nights when practice runs late",
                ),
                ("saves me an hour at the stove",),
            ),
            Preference(
                "fermenting",
                "m",
                (
                    "when the cabbage harvest comes in",
                    "during quiet winter weeks",
                ),
                ("makes me feel like a scientist",),
            ),
        ),
    ),
    Category(
        "restaurant types",
        nouns=(
            "kinds of restaurants",
            "places to eat",
        ),
        frames=(
            "{Occ}, I like to eat at {x}.",
            "{Occ}, {x} {is} the restaurants I look for.",
            "{X} {is} where I like to eat out {occ}.",
            "{X} {is} my kind of restaurant {occ}.",
            "When I eat out, I look for {x}, because {they} {pt}.",
            "{X} {is} my favorite places to eat: {they} {pt}.",
            "For a meal out I choose {x}, since {they} {pt}.",
            "I've always liked eating at {x}; {they} {pt}.",
        ),
        topics=("restaurants", "eating out"),
        situations=(
            "My in-laws are in town [for five days|over the holidays] and I'm booking dinner every night",
            ("I'm moving to [a new neighborhood|Philadelphia|a bigger city] and scouting where I'd become a regular"),
            "My team lets me choose the venue for [each monthly lunch|our next few outings]",
            "I have a stack of dining vouchers to spend [before the year ends|by Valentine's Day]",
            "A food critic friend invited me along [next week|through the spring] and I can steer where we eat",
            "My partner and I promised ourselves one night out [every Friday|each week this season]",
        ),
        requests=(
            "what sort of places should [we|I] reserve?",
            "which kinds of restaurants should I [look for|have in mind]?",
            "where should [we|I] be eating?",
            "what spots would [fit me|I enjoy the most]?",
            "what type of venue should be on [the list|our calendar]?",
        ),
        preferences=(
            Preference(
                "food trucks",
                "p",
                (
                    "when the weather is fine and nobody wants to sit",
                    "after softball games",
                ),
                ("let me try three things standing up",),
            ),
            Preference(
                "diners",
                "p",
                (
                    "at midnight after a show",
                    "when I want eggs at any hour",
                ),
                ("treat me like a regular on my first visit",),
            ),
            Preference(
                "steakhouses",
                "p",
                (
                    "when a bonus comes through",
                    "with my dad on his birthday",
                ),
                ("make me feel like ordering a martini",),
            ),
            Preference(
                "izakayas",
                "p",
                (
                    "with coworkers on a Thursday",
                    "when little plates and loud voices sound right",
                ),
                ("keep me nibbling for hours",),
            ),
            Preference(
                "farm-to-table bistros",
                "p",
                (
                    "on weekends in the countryside",
                    "when the asparagus comes in",
                ),
                ("show me what's in season",),
            ),
            Preference(
                "buffets",
                "p",
                (
                    "on vacation with hungry teenagers",
                    "when I can't make up my mind",
                ),
                ("suit my habit of wanting one of everything",),
            ),
            Preference(
                "trattorias",
                "p",
                (
                    "on date nights with red-checked tablecloths",
                    "when I need carbs and candlelight",
                ),
                ("make me forget the clock",),
            ),
            Preference(
                "brasseries",
                "p",
                (
                    "for oysters after the opera",
                    "when I dine alone with a book",
                ),
                ("suit my idea of a proper evening",),
            ),
            Preference(
                "tapas bars",
                "p",
                (
                    "when our group can't stop talking",
                    "on warm nights with a stroll between stops",
                ),
                ("let me share everything",),
            ),
            Preference(
                "ramen shops",
                "p",
                (
                    "when I'm soaked from the rain",
                    "for a solo lunch at the counter",
                ),
                ("serve me a hot bowl in five minutes",),
            ),
            Preference(
                "seafood shacks",
                "p",
                (
                    "by the harbor in July",
                    "with sand still on my feet",
                ),
                ("give me butter, lemon and paper plates",),
            ),
            Preference(
                "vegan cafés",
                "p",
                (
                    "after a yoga class",
                    "when I need to eat something green",
                ),
                ("always surprise me with their cakes",),
            ),
        ),
    ),
)
