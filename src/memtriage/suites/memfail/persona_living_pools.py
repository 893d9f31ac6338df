"""Persona flavours around living things: houseplants, bees, sundews, dogs, and a runner's own body."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import Flavor, flavor, trait

LIVING: tuple[Flavor, ...] = (
    flavor(
        "a meticulous indoor gardener with strong opinions about humidity",
        "{F} runs an indoor garden out of a small apartment and has strong opinions about humidity. || Step into"
        " {F}'s apartment and the first thing anyone notices is the damp air, kept that way for an indoor jungle. ||"
        " {F} is the sort of indoor gardener who apologizes to the plants when the humidity drops.",
        "The windows fog up every morning and nobody in the building understands why. || Houseplants have claimed the"
        " dining table, so meals happen at the counter. || Neighbors leave their dying ferns at the door like"
        " foundlings.",
        trait(
            "{S} keeps the living room at [{level}] relative humidity and gets visibly tense when it drifts.",
            "I'm looking after the plants of {X} for a week; what humidity should I aim for?"
            " || How damp does {X} like the air around {his} houseplants?",
            "Keep it at {level}; {first} gets tense when it drifts.",
            level="62 percent|58 percent|exactly 65 percent|71 percent|fifty-five percent",
        ),
        trait(
            "Nothing gets watered with anything but [{water}], warmed to room temperature overnight.",
            "What water should I use on the houseplants while {X} is away?"
            " || Can I just use the tap when watering for {X}?",
            "Use {water}, warmed to room temperature overnight; {first} waters with nothing else.",
            water="rainwater from the fire escape|melted freezer frost|water from the dehumidifier downstairs|filtered"
            " aquarium water|boiled and cooled kettle water",
        ),
        trait(
            "{S} trusts only [{gauge}] and has banned every digital sensor from the apartment.",
            "Which kind of humidity gauge or sensor would {X} trust around the houseplants?"
            " || Would {X} enjoy a smart sensor for {his} plants?",
            "{first} trusts only {gauge} and has banned digital sensors.",
            gauge="a horsehair hygrometer from an old museum case|a brass wet-and-dry bulb set|a weather house with"
            " two wooden figures|a strip of cobalt paper",
        ),
        trait(
            "Misting happens at [{hour}] and never afterwards, since wet leaves at night mean fungus. || {S} mists at"
            " [{hour}], once, because wet leaves after dark mean fungus.",
            "When should I mist the ferns if I'm house-sitting for {X}?"
            " || Is there a right time of day to spray leaves, according to {X}?",
            "Mist at {hour} and never later; {first} says wet leaves at night mean fungus.",
            "",
            hour="ten past seven|6:20 in the morning|half past eight|first light",
        ),
        trait(
            "{S} repots only during [{when}] and mixes the soil with [{mix}].",
            "When would {X} help me repot a houseplant? || What does {X} put into potting soil?",
            "{first} repots only during {when} and mixes the soil with {mix}.",
            when="the first week of March|a waxing moon|the fortnight after Easter|the last days of February",
            mix="crushed walnut shells|chopped wine corks|aquarium gravel and charcoal|rice hulls",
        ),
        trait(
            "The star of the collection is [{plant}], which {S} calls [{nick}] and insures separately.",
            "Which houseplant should I be most careful with at the home of {X}?"
            " || I might trade houseplants with {X}; which plant is the star of the collection?",
            "It's {plant}, called {nick}, which {first} even insures separately.",
            plant="a variegated monstera|a jewel orchid|a maidenhair fern the size of a chair|a white-veined anthurium",
            nick="the Duchess|Old Pascal|Ministry of Leaves|Aunt Fern",
        ),
        trait(
            "Visitors have to [{rule}] at the door, on account of a thrips invasion nobody mentions anymore.",
            "Is there something I need to do at the door when I visit the plant room of {X}?"
            " || What precaution would {X} want from me before I come near the plants?",
            "You have to {rule} at the door, because of an old thrips invasion.",
            rule="shake out their coats|change into paper slippers|surrender any bouquets|brush down their sleeves",
        ),
        trait(
            "{S} feeds everything with [{feed}] on [{day}], a recipe copied from a botanical garden's notice board.",
            "What fertilizer should I use for the plants of {X}? || Which day do the houseplants get fed at the home"
            " of {X}?",
            "Use {feed} on {day}; that's how {first} feeds everything.",
            feed="diluted oyster-shell tea|banana-peel vinegar|cold nettle brew|seaweed water",
            day="alternate Wednesdays|the second Sunday of the month|third Fridays|Monday nights",
        ),
    ),
    flavor(
        "a beekeeper-turned-marketing-consultant who still keeps three hives",
        "{F} left commercial beekeeping for marketing consulting but couldn't part with the last three hives. ||"
        " Weekdays are slide decks and campaign briefs for {F}, a marketing consultant whose three beehives stand at"
        " the bottom of the yard. || {F} used to keep bees for a living; now it's marketing consulting, plus three"
        " stubborn hives.",
        "Clients have learned not to ask about the stings. || The company logo has a hexagon in it, which surprises"
        " nobody. || Swarm season and pitch season collide every May.",
        trait(
            "The three hives are named [{names}], and {S} gives each one a quarterly review.",
            "What are the beehives of {X} called? I'm having signs painted."
            " || I'd like to ask {X} about each of the hives by name; what are they?",
            "They're called {names}, and {first} gives each a quarterly review.",
            names="Funnel, Reach and Churn|Salt, Pepper and Cumin|Ada, Grace and Hedy|North, South and Attic",
        ),
        trait(
            "{S} opens the hives only on [{cond}] and turns away helpers on any other day.",
            "When could I come and see inside the hives with {X}? || What weather should I wait for to help {X} with"
            " the bees?",
            "Only on {cond}; {first} turns helpers away on any other day.",
            cond="windless afternoons above eighteen degrees|dry days after two in the afternoon|sunny Saturdays"
            " before lunch|days when the lime trees hum",
        ),
        trait(
            "For the smoker {he} burns nothing but [{fuel}].",
            "What fuel could I collect for the bee smoker that {X} uses?"
            " || What goes into the smoker when {X} works the hives?",
            "Collect {fuel}; {first} burns nothing else in the smoker.",
            fuel="dried sumac heads|old burlap coffee sacks|pine needles and orange peel|rotten apple wood|egg-carton"
            " scraps",
        ),
        trait(
            "Client meetings happen [{where}], because {S} thinks conference rooms kill ideas.",
            "Where should I propose holding a marketing meeting with {X}?"
            " || Should I book a conference room for my session with {X}?",
            "Meet {where}; {first} thinks conference rooms kill ideas.",
            "meeting",
            where="on a bench by the canal|standing up in the garden shed|over a walk around the reservoir|in the"
            " back row of an empty cinema",
        ),
        trait(
            "{S} caps every pitch at [{slides}] and sets every headline in [{font}].",
            "How long may the pitch deck be if I'm working with {X}? || I'm drafting slides with {X}; any rules?",
            "{first} caps every pitch at {slides} and sets headlines in {font}.",
            slides="seven slides|nine slides|five slides and a photograph|eleven slides",
            font="typewriter capitals|honey-brown lettering|lowercase only|one enormous serif",
        ),
        trait(
            "Honey leaves the house only in [{jar}], labeled with [{label}].",
            "What containers could I save for {X} when {he} bottles the honey? || How does {X} package {his} honey?",
            "Save {jar}; {first}'s honey leaves the house only in those, labeled with {label}.",
            jar="swing-top bottles|square mustard jars|reused baby-food glasses|little stoneware crocks",
            label="the street the bees foraged on|a line from a poem|the queen's birthday|a hand-stamped date",
        ),
        trait(
            "After one bad sting near the eye {he} never goes near bees without [{gear}].",
            "What protective gear does {X} insist on around the bees? || I'm buying {X} something for hive"
            " inspections; what's the one thing {he} always wears?",
            "{first} never goes near bees without {gear}.",
            gear="a fencing mask|lab goggles under the veil|a motorcycle visor|a wide straw hat with double netting",
        ),
        trait(
            "{S} turns down any campaign for [{ban}], no matter the fee.",
            "Are there products I shouldn't ask {X} to market? || What kind of client or campaign would {X} turn"
            " down, as a marketing consultant?",
            "{first} turns down any campaign for {ban}, whatever the fee.",
            ban="lawn chemicals|bottled water|energy drinks|artificial turf|fake-honey syrups",
        ),
    ),
    flavor(
        "a software engineer who breeds carnivorous plants",
        "{F} writes software all day and breeds carnivorous plants all evening. || By trade {F} is a software"
        " engineer, though the carnivorous plants in the basement get more code review than the code does. || {F}"
        " crosses carnivorous plants the way other software engineers collect keyboards.",
        "The basement glows purple, and the neighbors have drawn their own conclusions. || Every seedling has a row in"
        " a database with far too many columns. || Fruit flies are bred on purpose in a jar by the sink.",
        trait(
            "The proudest cross so far is [{cross}], registered under the name [{nick}].",
            "Which of the carnivorous plants of {X} should I ask to see first?"
            " || What has {X} bred that I could mention in a toast?",
            "Ask about {cross}, registered as {nick}; it's {first}'s proudest cross.",
            cross="a striped pitcher plant|a dwarf flytrap with black teeth|a sundew that glows rust-red|a hanging"
            " Nepenthes with a scalloped rim",
            nick="Null Pointer|Segfault|Garbage Collector|Off By One|Race Condition",
        ),
        trait(
            "{S} feeds the flytraps [{prey}] with [{tool}], and always on [{day}].",
            "What do I feed the flytraps while {X} is on holiday? || How does {X} feed {his} plants?",
            "Feed them {prey} with {tool} on {day}; that's how {first} does it.",
            prey="rehydrated bloodworms|freeze-dried crickets|wingless fruit flies|half a mealworm each",
            tool="dental tweezers|a cocktail pick|bent jewelers' pliers|a plastic fondue fork",
            day="pay day|the first of the month|every second Sunday|Thursday nights",
        ),
        trait(
            "Merging code after [{time}] is forbidden on {his} team, a rule {S} wrote after one terrible weekend.",
            "How late in the week can I ask {X} to merge my code? || When's a bad moment to send {X} a pull request?",
            "Not after {time}; {first} made that rule after one terrible weekend.",
            time="noon on Thursday|three on a Friday|lunch on Fridays|four in the afternoon",
        ),
        trait(
            "The seed stock sleeps through winter in [{fridge}], between the butter and the eggs.",
            "Where should I look for the plant seeds at the house of {X}?"
            " || How does {X} get {his} seeds through the winter?",
            "They're in {fridge}, between the butter and the eggs.",
            fridge="a sandwich box labeled DO NOT EAT|a blue butter dish|a row of film canisters in the fridge door|a"
            " pencil case",
        ),
        trait(
            "{S} writes code only in [{setup}] and finds anything else physically painful to look at.",
            "How should I set up a spare workstation for {X}? || What does {X} like {his} screen to look like when"
            " programming?",
            "Set it to {setup}; {first} finds anything else painful to look at.",
            setup="amber text on brown|a single full-screen terminal|black on pale yellow at sixteen points|green"
            " letters two tabs wide",
        ),
        trait(
            "A visitor may touch any plant except [{off}], which {S} guards with [{guard}].",
            "Is there a plant I must keep my hands off when visiting {X}?"
            " || What should my kids not touch in the growing room of {X}?",
            "Keep off {off}, which {first} guards with {guard}.",
            off="the cobra lily|the oldest bladderwort|the Albany pitcher plant|the waterwheel tank",
            guard="a motion alarm|a bell jar|a strip of red tape on the floor|a toy crocodile",
        ),
        trait(
            "Cuttings get mailed in [{pack}] and never in summer.",
            "How would {X} want a plant cutting packed for the post? || Could I ask {X} to mail me a cutting in July?",
            "{first} mails cuttings in {pack} and never in summer.",
            pack="a thermos packed with moss|hollowed-out bamboo|an old game cartridge case|a damp sock inside a tube",
        ),
        trait(
            "When a bug won't budge, {S} goes downstairs and [{habit}] until the answer turns up.",
            "What should I suggest to {X} when {he} is stuck on a bug? || How does {X} clear {his} head at work?",
            "{first} goes downstairs and {habit} until the answer turns up.",
            habit="counts open traps|explains the problem to a sundew|repots one seedling|rinses pitchers",
        ),
    ),
    flavor(
        "a dog trainer specializing in working breeds",
        "{F} trains dogs for a living, mostly working breeds that need a job more than a cuddle. || Border collies,"
        " malinois, heelers: {F} trains working breeds and says the owners are the harder half. || {F} has spent"
        " fifteen years as a dog trainer, nearly all of them with working breeds.",
        "The field behind the house is full of jumps, tunnels, and one confused goat. || Owners tend to leave with"
        " more homework than their dogs. || The truck is never entirely free of hair.",
        trait(
            "{S} rewards dogs with [{reward}] and nothing bought in a pet shop.",
            "Which treats should I bring for my dog to a session with {X}? || What does {X} use to reward the dogs?",
            "Bring {reward}; {first} uses nothing from a pet shop.",
            reward="shredded duck liver|cubes of mild cheddar|dried sprats|slivers of cooked tripe|peas and chicken"
            " skin",
        ),
        trait(
            "Owners must arrive with [{lead}], and anyone carrying a flexi-lead is sent home.",
            "What leash do I need for a lesson with {X}? || Is there equipment {X} would send me home for?",
            "Arrive with {lead}; {first} sends anyone with a flexi-lead home.",
            lead="a six-foot leather lead|a ten-meter biothane line|a plain rope slip lead|a two-meter cotton webbing"
            " lead",
        ),
        trait(
            "No session lasts longer than [{mins}], because {S} stops while the dog still wants more.",
            "How long should I plan for a training session with {X}?"
            " || When can I pick my dog up after a lesson with {X}?",
            "No longer than {mins}; {first} stops while the dog still wants more.",
            mins="twenty-two minutes|a quarter of an hour|thirty-five minutes|seventeen minutes",
        ),
        trait(
            "All commands are given in [{lang}], so that nobody's toddler can set a dog off by accident.",
            "In what language should I practice commands with my dog before seeing {X}?"
            " || Which words does {X} use to direct the dogs?",
            "{first} gives all commands in {lang}, so that no toddler sets a dog off by accident.",
            lang="Welsh|Dutch|Hungarian|Basque|Finnish",
        ),
        trait(
            "{P} own dog is [{dog}] called [{name}], retired from [{job}].",
            "I want to bring a present for the dog {X} has at home; what can you tell me?"
            " || What kind of dog does {X} live with?",
            "It's {dog} called {name}, retired from {job}.",
            "pet",
            dog="a three-legged kelpie|an elderly malinois|a deaf border collie|a huge Beauceron",
            name="Biscuit|Sergeant|Pickle|Mrs Doyle|Anvil",
            job="avalanche search|truffle hunting|sheep work|airport duty",
        ),
        trait(
            "{S} will not work with a dog that has [{ban}] and says so on the website.",
            "Under what circumstances would {X} decline to take on my dog? || What could stop {X} from training a dog?",
            "{first} won't work with a dog that has {ban}.",
            ban="worn a shock collar in the last year|slept on its owner's bed that week|eaten within three hours|been"
            " off the farm for less than a month",
        ),
        trait(
            "For recall {he} blows [{whistle}], audible two fields away.",
            "Which whistle should I buy to practice recall the way {X} does? || How does {X} call the dogs back in?",
            "Get {whistle}; that's what {first} blows for recall.",
            whistle="a buffalo-horn whistle|a shepherd's tin lip whistle|a plastic referee's pea whistle|a conch shell",
        ),
        trait(
            "During the first lesson the owner has to [{task}] while {S} watches without a word.",
            "What happens in a first lesson with {X}? || How should I prepare myself for meeting {X} with my dog?",
            "You'll have to {task} while {first} watches without a word.",
            task="walk a figure of eight alone|sit on the grass doing nothing|read a newspaper aloud|wear the leash",
        ),
    ),
    flavor(
        "a marathoner with a rare allergy to most stone fruits",
        "{F} runs marathons and, thanks to a rare allergy, has not touched most stone fruits in years. || Two things"
        " people learn about {F} fast: the marathons, and the allergy to nearly every stone fruit. || {F} has finished"
        " more marathons than most people watch, always reading labels for stone fruits because of a rare allergy.",
        "Medals hang from the shower rail for want of anywhere better. || Race weekends are planned months ahead, down"
        " to the hotel breakfast. || Running friends have become very good at reading ingredient lists.",
        trait(
            "One bite of [{fruit}] means hives within minutes, so {S} carries [{med}] in {his} running belt.",
            "What should I keep out of the fruit salad when {X} comes over?"
            " || Is there an ingredient I have to watch for when baking for {X}?",
            "Keep out {fruit}; it gives {first} hives within minutes, and {he} carries {med} in a running belt.",
            fruit="peach or apricot|plum or nectarine|cherry or damson|apricot or greengage",
            med="two antihistamine tablets|an auto-injector|a vial of drops|a foil of chewable antihistamines",
        ),
        trait(
            "Oddly, [{safe}] cause no trouble at all, and {he} eats them by the bowlful after long runs.",
            "Which fruit could I safely put in a basket for {X}? || What fruit should I serve {X} after a run?",
            "Serve {safe}; they cause {first} no trouble at all.",
            safe="mangoes|fresh lychees|black olives and dates|raspberries|coconut chunks",
        ),
        trait(
            "{S} fuels long runs with [{fuel}] and will not touch a commercial gel.",
            "What could I hand {X} at the roadside during a marathon?"
            " || Which energy snack should I buy for {X} before the race?",
            "Hand over {fuel}; {first} won't touch a commercial gel.",
            "snack",
            fuel="salted boiled potatoes|squares of fig roll|maple syrup in a squeezy flask|rice balls with soy",
        ),
        trait(
            "The night before a race dinner is [{dinner}] at [{time}], whatever the time zone.",
            "What should I cook for {X} the evening before a marathon?"
            " || When would {X} want to eat on the eve of a race?",
            "Cook {dinner} for {time}; that's {first}'s rule the night before a race.",
            "dinner",
            dinner="plain gnocchi with butter|buckwheat noodles and an egg|white rice with tofu|baked sweet potato and"
            " feta",
            time="5:15|six on the dot|twenty to seven|half past five",
        ),
        trait(
            "{S} races only in [{color}] socks after a blister ruined a finish in [{city}].",
            "I'm buying {X} running socks; what should I look for? || Is {X} superstitious about what {he} wears to"
            " race?",
            "Get {color} ones; {first} races in nothing else since a blister ruined a finish in {city}.",
            "socks",
            color="lime-green toe|unmatched|knee-high merino|inside-out cotton",
            city="Rotterdam|Valencia|Duluth|Osaka",
        ),
        trait(
            "Training happens [{when}], and invitations that clash with it are declined without guilt.",
            "At what time of day should I avoid inviting {X} anywhere? || When could I join {X} for a training run?",
            "{first} trains {when} and declines anything that clashes with it.",
            "wake early",
            when="from 4:50 in the morning|at lunchtime on the canal towpath|straight after midnight shifts|at dusk"
            " around the reservoir",
        ),
        trait(
            "In every marathon {he} dedicates [mile {mile}] to [{who}] and runs it without looking at a watch.",
            "At which point of the marathon should I stand to cheer for {X}?"
            " || Does any mile of a race mean something special to {X}?",
            "Mile {mile}, which {first} dedicates to {who}.",
            mile="nineteen|twenty-two|seventeen|twenty-four",
            who="an old gym teacher|a late grandmother|the physio who fixed that knee|a neighbor's guide dog",
        ),
        trait(
            "At restaurants {S} shows the waiter [{card}], since almond flavoring often comes from apricot kernels.",
            "How does {X} explain {his} allergy when we eat out? || How does {X} make sure that restaurants and"
            " waiters get the allergy right?",
            "{first} shows the waiter {card}, because almond flavoring often comes from apricot kernels.",
            card="a laminated card in six languages|a hand-drawn chart of forbidden fruit|a photo of a swollen lip|a"
            " stamped letter from a clinic",
        ),
        avoids="allergy fruit sport knee",
    ),
)
