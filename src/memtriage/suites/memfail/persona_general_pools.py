"""Personal traits that go with any way of life: food, sleep, home, travel, gifts, allergies and habits."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import ALTERNATIVE, Trait, trait

GENERAL: tuple[Trait, ...] = (
    trait(
        "{S} drinks [{drink}] from the same [{cup}] every morning and is useless until it's empty.",
        "What should I pour {X} first thing in the morning? || What does {X} like to drink at breakfast time?",
        "Pour {drink}; {first} drinks it every morning from the same {cup}.",
        "drink",
        drink="black coffee with cardamom|strong Assam with condensed milk|hot water and lemon peel|chicory with oat"
        " milk|cocoa without sugar",
        cup="chipped diner mug|tin cup|blue-rimmed bowl|jam jar",
    ),
    trait(
        "Breakfast is [{food}], seven days a week, and hotels are judged by whether they can manage it.",
        "What breakfast should I make for {X}? || {X} is staying over; what should I have in for the morning?",
        "Make {food}; {first} has it seven days a week.",
        "breakfast",
        food="cold rice with a fried egg|rye bread and anchovy paste|porridge with tahini|toast with sliced radish|two"
        " plain pancakes and pickles",
    ),
    trait(
        "{S} breaks out in a rash from [{allergen}], so hosts are warned well in advance.",
        "Does {X} have any allergies I should know about before cooking? || I'm hosting {X} for dinner; what should I"
        " leave out?",
        "Leave out {allergen}; {first} breaks out in a rash from it.",
        "allergy",
        allergen="sesame oil|pine nuts|mustard seed|kiwi|buckwheat flour|squid ink",
    ),
    trait(
        "Wool is fine, but [{fabric}] makes {him} itch within minutes, and sweaters get returned for it.",
        "I'm knitting something for {X}; which fiber should I avoid? || What material is wrong for a scarf for {X}?",
        "Avoid {fabric}; it makes {first} itch within minutes.",
        "fabric",
        fabric="mohair|angora|brushed polyester|raw linen|acrylic bouclé",
    ),
    trait(
        "Bedtime is [{time}], with [{thing}] under the pillow, and nobody phones after that.",
        "How late can I call {X} in the evening? || What time does {X} go to bed?",
        "Before {time}; that's {first}'s bedtime, with {thing} under the pillow.",
        "sleep early",
        time="9:15|a quarter to nine|ten past ten|half past eight",
        thing="a folded map|a sprig of rosemary|a paper fan|a flat river stone",
    ),
    trait(
        "{S} cannot sleep without [{noise}] and carries a small recording of it on trips.",
        "What would help {X} fall asleep in my guest room? || What does {X} need at night to get some rest?",
        "Put on {noise}; {first} can't sleep without it.",
        "sleep",
        noise="the sound of a ceiling fan|rain on a tin roof|a dishwasher running|frogs from a pond",
    ),
    trait(
        "A rescue [{pet}] named [{name}] runs the household and has opinions about visitors.",
        "I want to bring something for the pet at {X}'s home; what kind of animal is it? || What should I know about"
        " {X}'s pet before I visit?",
        "It's a rescue {pet} named {name}.",
        "pet",
        pet="parrot|alley cat|tortoise|ferret|greyhound|house rabbit",
        name="Mustard|Colonel|Juniper|Tax Return|Noodle|Bertha",
    ),
    trait(
        "{S} never boards a plane without [{item}] and once paid a change fee because of it.",
        "What should I make sure {X} has before we fly? || What does {X} always want on a flight?",
        "Make sure of {item}; {first} never boards without it.",
        "flight",
        item="a window seat over the wing|a bag of sour candy|a paper crossword|thick ski socks|a jar of pickles",
    ),
    trait(
        "For any journey under [{limit}] {he} takes [{mode}], even in sleet.",
        "How will {X} get here if I suggest meeting across town? || Should I offer {X} a lift for a short trip?",
        "Under {limit} {first} takes {mode}, even in sleet.",
        "commute",
        limit="eight miles|five miles|an hour|twelve kilometers",
        mode="a folding bicycle|the tram|a kick scooter|a secondhand tandem",
    ),
    trait(
        "Gifts have to be [{gift}] or {S} quietly passes them on.",
        "What would be a good birthday present for {X}? || I need a gift idea for {X}; what would be kept and used?",
        "Something {gift}; {first} quietly passes anything else on.",
        "gift",
        gift="edible|handmade|secondhand|smaller than a matchbox|usable within a week",
    ),
    trait(
        "Shoes come off at the door, and guests are handed [{slippers}].",
        "What should I wear on my feet when I go to {X}'s house? || What's the custom at the door of {X}'s home?",
        "Shoes come off at the door; guests are handed {slippers}.",
        "shoes",
        slippers="felt slippers in three sizes|knitted socks|straw sandals|old hotel slippers",
    ),
    trait(
        "{S} wears [{sock}] socks every day of the year and stopped explaining it long ago.",
        "Which socks should I buy as a stocking filler for {X}? || What footwear detail is {X} known for?",
        "Buy {sock} ones; {first} wears them every day of the year.",
        "socks",
        sock="mustard-colored|polka-dot|hand-knitted gray|odd striped",
    ),
    trait(
        "The color [{color}] is banned from {his} closet, {his} walls, and preferably {his} sight.",
        "Which color should I avoid when picking something for {X}'s home? || I'm choosing a sweater for {X}; what"
        " color won't do?",
        "Avoid {color}; {first} can't stand the sight of it.",
        "color",
        color="beige|turquoise|lilac|neon orange|hunter green",
    ),
    trait(
        "{S} collects [{things}] and lines them up by [{order}] on the windowsill.",
        "What could I add to the collection {X} has at home? || What does {X} collect?",
        "{first} collects {things}, lined up by {order}.",
        "collect",
        things="airline sick bags|hotel soaps|brass thimbles|matchbooks|broken watches|toy buses",
        order="year|weight|smell|country of origin",
    ),
    trait(
        "Texts go unanswered on [{day}], since that's the day the phone lives in [{place}].",
        "On which day shouldn't I text {X}? || Why might {X} not answer my messages?",
        "Not on {day}; that day the phone lives in {place}.",
        "phone",
        day="Sundays|Wednesdays|the first of the month|Saturdays",
        place="the bread bin|a kitchen drawer|the glove box|a sock",
    ),
    trait(
        "{S} writes everything down in [{book}], one line per day, and has [{count}] of them.",
        "What notebook should I give {X}? || How does {X} keep track of the days?",
        "Give {book}; {first} writes one line per day and has {count} of them.",
        "notebook",
        book="squared pocket diaries|cheap spiral pads|black oilcloth books|reporter's notebooks",
        count="thirty-one|nineteen|over fifty|a shelf and a half",
    ),
    trait(
        "The one food {he} won't be talked into is [{food}], no matter how it's cooked.",
        "What should I not cook for {X}? || Is there any food that {X} can't stand?",
        "Don't cook {food}; {first} won't be talked into it.",
        "dislike",
        food="eggplant|beetroot|liver|blue cheese|papaya|boiled carrots",
    ),
    trait(
        "Dessert means [{dessert}], and a restaurant without it gets skipped.",
        "What dessert should I order for {X}? || Which sweet would please {X} after dinner?",
        "Order {dessert}; {first} skips restaurants without it.",
        "dessert",
        dessert="rice pudding with burnt skin|lemon sorbet|a plain crème caramel|sticky date cake|sesame ice cream",
    ),
    trait(
        "{P} pockets always hold [{candy}], offered to strangers in queues.",
        "Which candy could I bring {X}? || What does {X} usually carry around to nibble on?",
        "Bring {candy}; {first}'s pockets always hold some.",
        "snack fruit",
        candy="aniseed drops|salted plums|violet pastilles|toffee in wax paper|roasted chickpeas",
    ),
    trait(
        "Alcohol stays off {his} table, with the single exception of [{drink}] on [{day}].",
        "Should I bring a bottle when I'm invited to {X}'s? || When would {X} accept a drink?",
        "Only {drink} on {day}; alcohol otherwise stays off {first}'s table.",
        "alcohol fruit",
        drink="plum brandy|a small sherry|elderflower wine|one dark beer",
        day="New Year's Day|a birthday|the longest night|election night",
    ),
    trait(
        "{S} swims [{where}] on [{day}], ice permitting, and counts it as a bath.",
        "When could I go swimming with {X}? || Which kind of exercise could I join {X} for?",
        "{first} swims {where} on {day}.",
        "sport",
        where="in the canal|in a flooded quarry|off the ferry jetty|in the mill pond",
        day="new-moon mornings|Sundays at seven|Friday evenings|the first of each month",
    ),
    trait(
        "A bad knee keeps {him} from [{act}], so plans get changed without fuss.",
        "Is there any physical activity I shouldn't plan with {X}? || What should I consider about mobility when"
        " inviting {X}?",
        "A bad knee keeps {first} from {act}.",
        "knee stairs",
        act="kneeling on hard floors|descending spiral stairs|dancing in heels|squatting by a campfire",
    ),
    trait(
        "{S} refuses elevators above [{floor}] and takes the stairs with groceries and all.",
        "What should I mention to {X} if our hotel room is high up? || Which floor should I book for {X}?",
        "{first} refuses elevators above {floor} and takes the stairs.",
        "stairs",
        floor="the third floor|the sixth floor|floor nine|the mezzanine",
    ),
    trait(
        "Perfume gives {him} a headache, [{scent}] worst of all, and taxis get waved on because of it.",
        "Which scent should I not wear when I meet {X}? || Could I give {X} a candle?",
        "Perfume gives {first} a headache, {scent} worst of all.",
        "scent",
        scent="patchouli|lavender|sandalwood|vanilla|jasmine",
    ),
    trait(
        "{S} keeps the thermostat at [{temp}] and lends guests [{cover}] rather than touch it.",
        "How warm will it be at {X}'s place, so that I dress right? || Can I turn up the heating when I stay with {X}?",
        "It stays at {temp}; {first} lends guests {cover} instead.",
        "heating",
        temp="sixty-one degrees|16 degrees|sixty-three|fifteen and a half degrees",
        cover="a ship's blanket|a quilted vest|a sheepskin|a hot-water bottle",
    ),
    trait(
        "Umbrellas are unlucky in {his} book, so there's [{coat}] by the door instead.",
        "What should I get {X} for rainy days? || Would an umbrella be a welcome present for {X}?",
        "Not an umbrella, which {first} finds unlucky; there's {coat} by the door instead.",
        "rain",
        coat="a yellow oilskin|a waxed poncho|a fisherman's cape|a plastic rain bonnet",
    ),
    trait(
        "{S} tips in [{tip}] and remembers every waiter's name.",
        "How does {X} like to leave a tip? || What will {X} do when the bill comes at a restaurant?",
        "{first} tips in {tip}.",
        "money",
        tip="two-dollar bills|silver half-dollars|coins wrapped in paper|crisp new notes",
    ),
    trait(
        "Letters are sealed with [{wax}] and posted only from [{box}].",
        "What could I give {X} for writing letters? || How would I recognize a letter from {X}?",
        "{first} seals letters with {wax} and posts them only from {box}.",
        "mail",
        wax="bottle-green wax|a thumbprint|masking tape|a strip of map",
        box="the station mailbox|the box outside the fire hall|a village across the river|the museum steps",
    ),
    trait(
        "Laundry is done at [{time}] on [{day}], a slot defended for eleven years.",
        "When is {X} busy with laundry? || On which day shouldn't I drop in on {X} because of housework?",
        "At {time} on {day}; {first} has defended that slot for eleven years.",
        "laundry",
        time="five in the morning|lunchtime|ten at night|3:30",
        day="Tuesdays|Thursdays|Sundays|Fridays",
    ),
    trait(
        "{S} reads only [{books}] in bed and leaves them on benches when finished.",
        "Which book should I lend {X}? || What does {X} like to read before going to sleep?",
        "Lend something from {books}; {first} reads nothing else in bed.",
        "books",
        books="railway mysteries|polar diaries|old travel guides|ghost stories|biographies of inventors",
    ),
    trait(
        "At the cinema {he} sits [{seat}] and leaves at once if [{fail}].",
        "Where should I book seats if I take {X} to a movie? || What could spoil an evening at the cinema for {X}?",
        "Book {seat}; {first} leaves at once if {fail}.",
        "cinema",
        seat="in the very front row|on the left aisle|dead center in row eleven|beside the exit",
        fail="someone narrates|the film is dubbed|there are more than four trailers|a phone lights up",
    ),
    trait(
        "Every photograph of {him} shows the same [{garment}], mended with [{thread}].",
        "Which piece of clothing does {X} always wear? || I'd like to replace the garment {X} keeps mending; what is"
        " it?",
        "It's a {garment}, mended with {thread}.",
        "garment",
        garment="corduroy jacket|green waistcoat|canvas overshirt|fisherman's sweater",
        thread="red thread|dental floss|gold yarn|bootlace",
    ),
    trait(
        "{S} parks facing [{dir}] wherever possible, a superstition picked up from [{who}].",
        "How should I park when I drive {X}'s car home? || Does {X} have any odd habits around the car?",
        "Face it {dir}; {first} picked that superstition up from {who}.",
        "parking",
        dir="north|the sea|downhill|the way out",
        who="a bush pilot|a Breton grandmother|a driving teacher|a long-haul trucker",
    ),
    trait(
        "Weekly shopping happens at [{shop}], where {he} buys exactly [{count}] and no more.",
        "Where does {X} do the grocery shopping? || How could I surprise {X} at the market?",
        "{first} shops at {shop} and buys exactly {count}.",
        "shopping",
        shop="the harbor market|a Lebanese corner store|the farm gate stall|the night grocer",
        count="fourteen items|seven items|one basket|what fits a bicycle bag",
    ),
    trait(
        "{S} hums [{tune}] when nervous and doesn't notice.",
        "How can I tell that {X} is nervous? || Which tune might I hear from {X} before a big day?",
        "{first} hums {tune} when nervous.",
        "humming",
        tune="an old toothpaste jingle|the wedding march|a cartoon theme|a Portuguese lullaby",
    ),
    trait(
        "On the kitchen wall hangs [{clock}], set [{offset}] fast on purpose.",
        "Can I trust the kitchen clock at {X}'s place? || Why would {X} always be early?",
        "No; {clock} there is set {offset} fast on purpose.",
        "clock",
        clock="a railway clock|a cuckoo clock|a school bell clock|a brass ship's clock",
        offset="seven minutes|thirteen minutes|a quarter of an hour|twenty-two minutes",
    ),
    trait(
        "{S} grows [{plant}] on the balcony and gives away the surplus in [{pack}].",
        "What might {X} give me from the balcony? || Which seeds could I buy for {X}?",
        "{first} grows {plant} and gives away the surplus in {pack}.",
        "balcony",
        plant="shiso|padron peppers|purple beans|lemon verbena|dwarf fennel",
        pack="paper cones|egg boxes|old envelopes|shoe boxes",
    ),
    trait(
        "For birthdays {he} wants [{wish}] and absolutely no singing.",
        "How should I celebrate {X}'s birthday? || What would {X} want for a birthday party?",
        "{first} wants {wish} and absolutely no singing.",
        "birthday",
        wish="a long walk with one friend|a picnic in a cemetery|breakfast at a truck stop|a day without speeches|a"
        " boat ride",
    ),
    trait(
        "{S} is learning [{lang}] from [{source}] and practices on the baker.",
        "Which language could I practice with {X}? || What is {X} studying in {his} spare time?",
        "{first} is learning {lang} from {source}.",
        "language",
        lang="Icelandic|Esperanto|Maltese|Georgian|sign language",
        source="radio plays|a 1950s primer|children's comics|a retired sailor",
    ),
    trait(
        "Holidays are always spent [{where}], with [{luggage}] and nothing more.",
        "Where would {X} like to go on vacation? || I'm planning a trip with {X}; how much luggage will there be?",
        "{first} spends holidays {where}, with {luggage} and nothing more.",
        "travel",
        where="in a lighthouse|on night trains|at a closed-down spa|on an island without cars",
        luggage="one canvas bag|a violin case|a hatbox|a single rucksack",
    ),
    trait(
        "{S} will not eat after [{time}], doctor's orders, and dinner invitations are negotiated around it.",
        "What time should I serve dinner when {X} is invited? || Can I take {X} out for a late supper?",
        "Before {time}; {first} won't eat later, on doctor's orders.",
        "dinner",
        time="6:30 in the evening|seven in the evening|half past five|eight at night",
    ),
    trait(
        "The bed faces [{dir}], and hotel furniture gets moved to match.",
        "How should I set up the guest bed for {X}? || What might {X} rearrange in a hotel room?",
        "It should face {dir}; {first} moves hotel furniture to match.",
        "bed",
        dir="east|the door|the nearest river|away from mirrors",
    ),
    trait(
        "{S} settles disputes with [{method}], [best of {n}], and accepts the result.",
        "How can I settle a disagreement with {X}? || What's a fair way to decide something with {X}?",
        "With {method}, best of {n}; {first} accepts the result.",
        "dispute",
        method="arm wrestling|dominoes|a coin from Samoa|thumb war",
        n="three|five|seven|nine",
    ),
    trait(
        "Glasses are worn on [{cord}] and replaced only when [{when}].",
        "What could I get {X} for {his} reading glasses? || How does {X} carry {his} glasses?",
        "{first} wears them on {cord} and replaces them only when {when}.",
        "glasses",
        cord="a bootlace|a string of amber beads|a brass chain|braided fishing line",
        when="both lenses are cracked|the dog gets them|a screw is lost|friends insist",
    ),
    trait(
        "{S} donates [{what}] every [{when}] and turns down any thanks.",
        "Which cause could I support in {X}'s name? || What charity matters to {X}?",
        "{first} donates {what} every {when}.",
        "charity",
        what="blood|a week's pay|winter coats|forty books|a sack of dog food",
        when="leap day|tenth week|December|school holiday",
    ),
    trait(
        "Loud [{sound}] makes {him} leave the room, so parties are chosen with care.",
        "What sound should I avoid at a party with {X}? || What might make {X} leave my party early?",
        "Loud {sound} makes {first} leave the room.",
        "noise",
        sound="balloon popping|blender noise|karaoke|saxophone music|fireworks",
    ),
    trait(
        "{P} front door key is hidden [{where}], known to exactly two people.",
        "Where would I find the spare key to {X}'s house? || How do I get in if {X} is out?",
        "It's hidden {where}.",
        "key",
        where="in a hollow garden gnome|under the third flowerpot|inside the birdhouse|behind a loose brick",
    ),
    trait(
        "{S} cuts {his} own hair with [{tool}] on [{day}].",
        "Would {X} like a voucher for a haircut? || When does {X} get a haircut?",
        "No need; {first} cuts {his} own hair with {tool} on {day}.",
        "hair",
        tool="sewing scissors|horse clippers|a razor comb|kitchen shears",
        day="the first Sunday of the month|the eve of every holiday|the last day of the quarter|rainy Saturdays",
    ),
    trait(
        "The car radio is stuck on [{station}], which {S} has come to love.",
        "What will be playing if {X} gives me a ride? || Which station should I put on for {X}?",
        "{station}; {first}'s car radio is stuck on it.",
        "music",
        station="a Bulgarian folk station|the farm report|a gospel channel|round-the-clock bagpipes|harbor weather",
    ),
    trait(
        "{S} sends [{card}] instead of Christmas greetings, usually in [{month}].",
        "When might I get a card from {X}? || What sort of greeting does {X} send?",
        "{first} sends {card}, usually in {month}.",
        "cards",
        card="linocut postcards|pressed leaves|a one-page newsletter|hand-drawn mazes",
        month="February|mid-August|May|late October",
    ),
    trait(
        "House rule number one is [{rule}], painted over the stove.",
        "What rule should I remember when I help out in {X}'s kitchen? || What is painted on the kitchen wall at"
        " {X}'s?",
        "House rule number one is {rule}.",
        "rule",
        rule="taste before salting|never hurry an onion|whoever spills, sings|no clean plate left behind",
    ),
    trait(
        "{S} still uses [{phone}] and answers on the [{ring} ring].",
        "How long should I let it ring when I call {X}? || What phone accessory would be no use to {X}?",
        "Let it ring: {first} still uses {phone} and answers on the {ring} ring.",
        "phone",
        phone="a rotary telephone|a flip phone from 2004|a wall phone with a long cord|a yellow payphone handset",
        ring="fifth|third|eighth|sixth",
    ),
    trait(
        "Cut flowers make {him} sad, so visitors bring [{instead}].",
        "Should I bring flowers when I visit {X}? || What can I bring as a host gift for {X}?",
        "Bring {instead}; cut flowers make {first} sad.",
        "flowers gift",
        instead="a bag of bulbs|good butter|a loaf of bread|kindling|a lemon and a joke",
    ),
    trait(
        "{S} gets up at [{time}] to [{act}], weekends included.",
        "When is {X} usually up? || How early can I knock at {X}'s door?",
        "{first} gets up at {time} to {act}, weekends included.",
        "wake",
        time="4:40|ten past five|six minutes to six|3:50",
        act="sweep the sidewalk|watch the milk train|feed the crows|do the crossword in pen",
    ),
    trait(
        "Lunch is the same every workday: [{lunch}], eaten [{where}].",
        "Where could I join {X} for lunch? || What does {X} have for lunch?",
        "It's {lunch}, eaten {where}.",
        "lunch",
        lunch="a sardine sandwich|cold soba|lentil soup from a flask|cottage cheese and dill|a baked potato",
        where="on the fire stairs|by the duck pond|in a parked car|at a bus stop",
    ),
    trait(
        "{S} bakes [{bake}] whenever it [{weather}], and the whole street hears about it.",
        "When might there be something fresh from the oven at {X}'s? || What does {X} like to bake?",
        "{first} bakes {bake} whenever it {weather}.",
        "baking",
        bake="caraway rolls|saffron buns|gingerbread|poppy-seed cake",
        weather="snows|thunders|is foggy|rains on a Sunday",
    ),
    trait(
        "A tattoo of [{tattoo}] on {his} [{where}] marks a bet lost in [{place}].",
        "Does {X} have a tattoo, and what's the story? || What bet did {X} lose that I could tease {him} about?",
        "There's one of {tattoo} on {first}'s {where}, from a bet lost in {place}.",
        "tattoo",
        tattoo="a teapot|a parking meter|a small radish|a paper boat",
        where="left ankle|forearm|shoulder|right calf",
        place="Lisbon|Tromsø|Baltimore|Hanoi",
    ),
)

_ENDINGS = (
    "None of it seems strange to {him} anymore. || Friends have stopped trying to change any of this. || It's a full"
    " life, a slightly odd one, and {S} wouldn't trade it. || People who know {him} well just smile and go along. ||"
    " Some call it stubbornness; {S} calls it knowing what works. || By the end of the week {he} is usually tired and"
    " quite content. || Anyone who sticks around long enough ends up adopting a habit or two. || Not every rule makes"
    " sense, but {S} keeps them all. || There's a reason behind each of these quirks, if anyone has an evening to"
    " spare. || Most weeks run on just these rails, and that suits {him} just fine. || {P} sister keeps a list of all"
    " this on her fridge, half as a joke. || Ask {him} about any of it and the explanation will outlast the coffee."
)
ENDINGS: tuple[str, ...] = tuple(_ENDINGS.split(ALTERNATIVE))

_ASIDES = (
    "It took the neighbors a while to get used to all this. || Outside of work things are hardly more ordinary. || At"
    " home the habits are just as fixed. || Away from all that, {S} is easygoing in most things and immovable in a few."
    " || The private side is no less particular. || Some of it rubs off on everyone nearby. || Old friends say {S} was"
    " already like this at school. || Money is spent carefully, time even more so. || The rest of the week follows its"
    " own small laws. || Small things matter a great deal in that household. || A cousin"
    " who visited last fall came away with stories for months."
)
ASIDES: tuple[str, ...] = tuple(_ASIDES.split(ALTERNATIVE))
