"""Persona flavours at a bench: wood, engines, motorcycles, books and glass."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import Flavor, flavor, trait

WORKSHOP: tuple[Flavor, ...] = (
    flavor(
        "a retired ER nurse who took up woodworking after retirement",
        "{F} retired from the ER after thirty years of nursing and took up woodworking the very next week. || Since"
        " retirement {F}, once an ER nurse, has been turning the garage into a proper woodworking shop. || {F} used to"
        " stitch people up in the ER and now, in retirement, joins boards with the same steady hands.",
        "The grandchildren have more stools than they can sit on. || Old ward colleagues drop by for coffee and leave"
        " with a cutting board. || Retirement turned out to be louder than the night shift.",
        trait(
            "{S} does triage on lumber, tagging boards [{tags}] with leftover wristbands.",
            "How are the boards labeled in the shop of {X}? || How will {X} sort a load of boards and lumber that"
            " I drop off?",
            "{first} tags boards {tags} with leftover wristbands.",
            tags="red, yellow, green and black|stat, stable and discharge|one through five|keep, watch and burn",
        ),
        trait(
            "Joints are cut with [{saw}] only, because {he} cannot stand anything that whines like a bone saw.",
            "What saw would make a sensible gift for {X}? || Does {X} use power tools for cutting joints?",
            "{first} cuts joints with {saw} only and can't stand anything that whines like a bone saw.",
            saw="a Japanese pull saw|a brass-backed dovetail saw|a wooden frame saw|a coping saw",
        ),
        trait(
            "{S} never works with [{wood}], whose dust closes up {his} throat.",
            "Which wood should I avoid when buying a board for {X}? || What wood must stay out of the workshop of"
            " {X} because of the dust?",
            "Avoid {wood}; its dust closes up {first}'s throat.",
            "allergy",
            wood="padauk|western red cedar|iroko|black walnut|yew",
        ),
        trait(
            "Every finished piece has [{mark}] burned into the underside.",
            "How can I tell whether {X} made a piece of furniture? || Does {X} sign {his} work?",
            "Look underneath: {first} burns {mark} into every piece.",
            mark="a tiny heartbeat line|a room number|a stick-figure stork|the date and the word vitals",
        ),
        trait(
            "Glue-ups are timed with [{timer}] and nobody may talk until it stops.",
            "When am I allowed to talk during a glue-up with {X}? || How does {X} time things in the workshop?",
            "Not until {timer} stops; {first} times glue-ups with it.",
            timer="an old fob watch|a dialysis alarm|a sand timer from pediatrics|a wind-up egg clock",
        ),
        trait(
            "{S} will not lift a thing over [{limit}] since the back surgery, so slabs wait for helpers.",
            "How heavy a slab can I leave for {X} to handle alone? || Will {X} need help moving lumber?",
            "Nothing over {limit}; {first} hasn't lifted more since back surgery.",
            limit="twenty-five pounds|thirty pounds|a sack of flour|fifteen kilos",
        ),
        trait(
            "Sanding happens outdoors, in [{garb}], to [{radio}] on a transistor radio.",
            "What would I find {X} wearing on a sanding day? || What does {X} listen to while sanding?",
            "{first} sands outdoors in {garb}, to {radio} on a transistor radio.",
            "music",
            garb="an old surgical gown|a beekeeper's hood|faded green scrubs|a painter's smock",
            radio="baseball from two states over|shipping forecasts|polka hour|police dispatch",
        ),
        trait(
            "The workbench is made from [{bench}], rescued the week the hospital wing closed.",
            "What's the story behind the bench in {X}'s garage? || Which piece in the shop of {X} comes from the"
            " hospital?",
            "The workbench is made from {bench}, rescued when the hospital wing closed.",
            bench="a maternity ward door|two oak pharmacy counters|a chapel pew|an autopsy table frame",
        ),
        avoids="commute",
    ),
    flavor(
        "an opera singer who is also a part-time auto mechanic",
        "{F} sings opera at night and fixes cars three days a week, and sees no contradiction. || The voice coming"
        " from under the car belongs to {F}, opera singer and part-time auto mechanic. || {F} divides the week between"
        " opera rehearsals and a two-bay garage where a part-time mechanic is always welcome.",
        "Customers request arias along with their oil changes. || The chorus has the best-kept cars in the city. ||"
        " There is motor oil on at least one vocal score.",
        trait(
            "Before a performance {S} gargles with [{gargle}] and speaks to nobody for [{hours}].",
            "May I call {X} on the day of a performance? || What does {X} do for {his} throat before singing?",
            "{first} gargles with {gargle} and speaks to nobody for {hours} before a performance.",
            gargle="warm sage water|flat ginger ale|salted pineapple juice|thyme tea",
            hours="four hours|the whole afternoon|ninety minutes|six hours",
        ),
        trait(
            "{S} <refuses to|won't> work on [{cars}], claiming they make {him} go flat.",
            "Which cars shouldn't I bring to {X} for repair? || Would {X} fix any car I bring in?",
            "{first} won't work on {cars}.",
            cars="diesel vans|anything with a touch screen|convertibles|imported hatchbacks",
        ),
        trait(
            "Engines are tuned by ear: {he} wants the idle to hum [{note}].",
            "How does {X} know that an engine is running right? || What would {X} listen for in my engine?",
            "{first} tunes by ear and wants the idle to hum {note}.",
            note="a low B flat|an open fifth|a slightly sharp fourth|the opening drone of Rheingold",
        ),
        trait(
            "{P} hands are scrubbed with [{scrub}] before every costume fitting.",
            "What hand cleaner should I buy {X}? || How does {X} get the grease off before going on stage?",
            "{first} scrubs with {scrub} before every fitting.",
            scrub="sugar and dish soap|coffee grounds in olive oil|lemon halves and sand|cornmeal paste",
        ),
        trait(
            "The role {he} turns down every time is [{role}], calling it bad luck for gearboxes.",
            "What part should I not offer {X}? || Is there an opera role {X} would refuse?",
            "Don't offer {role}; {first} turns it down every time.",
            role="a part in Carmen|anything in Tosca|the Commendatore scene|a Verdi messenger",
        ),
        trait(
            "A 1974 [{car}] sits in the second bay, and {S} rehearses in the front seat with the windows up.",
            "Where might I find {X} rehearsing? || What old car does {X} keep in the garage and rehearse in?",
            "In the front seat of a 1974 {car} in the second bay, with the windows up.",
            car="Volvo wagon|Peugeot 504|Lancia coupe|Checker cab",
        ),
        trait(
            "First-night flowers are unwelcome; {S} would rather have [{gift}].",
            "What should I hand {X} on an opening night? || Would a bouquet be right for {X} after the show?",
            "Skip the flowers and bring {gift}.",
            "gift flowers",
            gift="a good torque wrench|a crate of motor oil|a jar of pickled garlic|new spark plugs|a socket set",
        ),
        trait(
            "Both trades end with the same supper, [{supper}], eaten well after [{late}].",
            "What could I cook for {X} after a late performance? || When does {X} get around to eating supper?",
            "Cook {supper}; {first} eats it well after {late}.",
            "dinner",
            supper="onion soup with two eggs|lentils and smoked sausage|cold roast chicken and horseradish|polenta with"
            " mushrooms",
            late="eleven at night|midnight|half past ten|one in the morning",
        ),
        avoids="flowers early",
    ),
    flavor(
        "a high-school chemistry teacher who restores vintage motorcycles",
        "{F} teaches chemistry at the high school and brings dead motorcycles back to life after the last bell. ||"
        " Ask any student at the high school and they'll say {F} is the chemistry teacher with the vintage"
        " motorcycles. || {F} restores vintage motorcycles in a rented lock-up, using a fair bit of high-school"
        " chemistry on the rust.",
        "Lab reports come back with the occasional oil thumbprint. || The principal has stopped asking about the"
        " noise. || Half the chemistry club can now gap a spark plug.",
        trait(
            "Rust comes off in [{bath}], never with a wire brush, as {S} tells everyone within earshot.",
            "How would {X} get the rust off my old fuel tank? || What should I use on rusty parts if {X} is watching?",
            "Use {bath}; {first} never uses a wire brush.",
            bath="a molasses bath|warm citric acid|white vinegar and salt|an electrolysis tub with washing soda",
        ),
        trait(
            "The bike {he} has been rebuilding the longest is [{bike}], still missing [{part}].",
            "Which spare part should I hunt for on behalf of {X}? || What is {X} restoring at the moment?",
            "Hunt for {part}; {first}'s longest rebuild is {bike}, and that's still missing.",
            bike="a 1951 BSA Bantam|a 1967 Moto Guzzi|a 1938 Zündapp|a 1972 Jawa|a Norton from 1959",
            part="its left side panel|a magneto cover|the original headlamp rim|a kick-start spring",
        ),
        trait(
            "{S} opens each school year by [{demo}], and the fire marshal attends.",
            "What does {X} do in the first lesson of the year? || Which chemistry demonstration is {X} known for?",
            "{first} opens each school year by {demo}.",
            demo="igniting a gummy bear|making elephant toothpaste in a tuba|freezing a banana and hammering a nail"
            " with it|setting fire to a dollar bill that never burns",
        ),
        trait(
            "Homework has to be written in [{ink}], or {he} hands it back unread.",
            "How should my son write his homework for {X}? || What will make {X} hand an assignment back?",
            "It has to be in {ink}, or {first} hands it back unread.",
            ink="pencil|dark green ink|block capitals|fountain pen",
        ),
        trait(
            "{S} rides only on [{roads}] and trailers the bike everywhere else.",
            "Which route should I plan for a ride with {X}? || Would {X} take a motorcycle on the highway?",
            "Plan for {roads}; {first} trailers the bike everywhere else.",
            roads="roads without a center line|gravel farm tracks|the old coast road|numbered county lanes",
        ),
        trait(
            "Tools are hung in the order of [{order}], which makes sense to nobody but {him}.",
            "How do I put tools back properly in the lock-up {X} rents? || What system does {X} use for hanging tools?",
            "Hang them in the order of {order}.",
            order="the periodic table|their melting points|the year they were bought|the color spectrum",
        ),
        trait(
            "{P} leather jacket is patched with [{patch}] and has never once been washed.",
            "I'd like to add something to the riding jacket {X} wears; what's on it?"
            " || Could I offer to have the jacket of {X} cleaned?",
            "It's patched with {patch} and has never been washed.",
            patch="old lab-coat cotton|a school pennant|squares of seat vinyl|a piece of a flour sack",
        ),
        trait(
            "A spark plug from [{source}] hangs on {his} key ring as a lucky charm.",
            "What lucky charm does {X} carry? || Somebody left a key ring at the motorcycle meet; how would I"
            " know it belongs to {X}?",
            "There's a spark plug from {source} on {first}'s key ring.",
            "charm",
            source="a first moped|a grandfather's tractor|a sunken speedboat|a crop duster",
        ),
    ),
    flavor(
        "a bookbinder who designs board games on weekends",
        "{F} binds books during the week and designs board games on weekends, with glue as the common thread. || As a"
        " bookbinder {F} is patient; as a weekend designer of board games, considerably less so. || {F} earns a living"
        " by bookbinding and loses most of it on prototypes for board games.",
        "The playtesters get paid in notebooks. || Offcuts of leather end up as meeples sooner or later. || A shelf in"
        " the hall holds nineteen games that never quite worked.",
        trait(
            "{S} sews every text block with [{thread}], waxed twice.",
            "What thread should I buy for the bindery of {X}? || How does {X} sew a book?",
            "Buy {thread}; {first} sews every text block with it, waxed twice.",
            thread="oxblood linen thread|undyed Irish flax|navy silk twist|hemp cord from Lithuania",
        ),
        trait(
            "None of {his} games contains [{ban}], on principle.",
            "What should I leave out of a board game I want {X} to try? || Which game mechanic does {X} dislike?",
            "Leave out {ban}; none of {first}'s games contains it, on principle.",
            ban="dice|player elimination|a trading phase|hidden roles|a map of Europe",
        ),
        trait(
            "A prototype must be explainable in [{time}] or {S} puts it back in the drawer.",
            "How long may my rules explanation take when I show {X} a game? || When does {X} give up on a prototype?",
            "It must be explainable in {time}, or {first} puts it in the drawer.",
            time="ninety seconds|four minutes|the time it takes to boil an egg|six sentences",
        ),
        trait(
            "The paste is cooked from [{paste}] every [{day}], and the workshop smells of it until evening.",
            "What adhesive does {X} work with? || On which day would {X} be busy making paste?",
            "{first} cooks the paste from {paste} every {day}.",
            paste="wheat starch and cloves|rice flour|potato flour and alum|rye and vinegar",
            day="Monday|Wednesday morning|second Tuesday|Friday",
        ),
        trait(
            "{S} will rebind anything except [{except}], which get sent across town to a rival.",
            "Is there any kind of book I shouldn't take to {X} for rebinding?"
            " || Which binding jobs does {X} turn away?",
            "Anything except {except}; {first} sends those to a rival.",
            **{"except": "cookbooks|family Bibles|phone directories|wedding albums|law reports"},
        ),
        trait(
            "Game night is on [{night}], [six chairs only], and the host brews {drink}.",
            "When does {X} hold game night? || How many of my friends could come along to play at {X}'s?",
            "Game night is on {night}, with six chairs only.",
            "drink",
            night="the first Saturday|alternate Sundays|the last Friday of the month|Tuesday evenings in winter",
            drink="lapsang souchong|spiced cider|chicory coffee|rooibos with orange",
        ),
        trait(
            "{P} bone folder is carved from [{bone}] and must not be touched by left-handed visitors.",
            "Which tool at {X}'s bench should I keep my hands off? || What's special about the bone folder {X} uses?",
            "Keep off the bone folder, carved from {bone}; left-handed visitors mustn't touch it.",
            bone="a moose rib|a whale tooth replica|reindeer antler|a soup bone",
        ),
        trait(
            "The best-selling game {he} made is about [{theme}], for [{players}].",
            "Which of the games by {X} should I buy first? || What is the most popular game by {X} about?",
            "Buy the one about {theme}, for {players}; it's {first}'s best seller.",
            theme="rival lighthouse keepers|pigeon racing|medieval tax collectors|a haunted library|salt smuggling",
            players="exactly three players|two to five players|four players in pairs|one player and a cat",
        ),
    ),
    flavor(
        "a glassblower with severe pollen allergies",
        "{F} is a glassblower whose pollen allergies are severe enough to rule the calendar. || In the hot shop {F} is"
        " fearless, but pollen, with those allergies, is another matter. || {F} blows glass for a living and spends"
        " every spring hiding from pollen.",
        "The forecast on the studio wall shows birch counts rather than rain. || The furnace roars day and night. ||"
        " Spring orders simply have to wait until June.",
        trait(
            "From [{season}] {S} works only between [{hours}], when the counts are lowest.",
            "When could I visit the studio of {X} in spring? || At what times does {X} work during allergy season?",
            "Between {hours}; from {season} {first} works only then.",
            season="March to early June|the first hazel bloom to Whitsun|late February to May|April to midsummer",
            hours="nine at night and four in the morning|dawn and ten|midnight and six|8 and 11 in the evening",
        ),
        trait(
            "Guests get [{gear}] at the door and have to leave [{leave}] in the hall.",
            "What will I have to leave outside when I enter {X}'s studio? || How does {X} keep pollen out of the hot"
            " shop?",
            "Leave {leave} in the hall; you'll get {gear} at the door.",
            "",
            gear="a paper coat|blue overshoes|a sticky roller|a hairnet",
            leave="woolen coats|backpacks|hats|picnic blankets",
        ),
        trait(
            "The worst trigger of all is [{tree}], and {S} once moved house to get away from it.",
            "Which pollen is the worst trigger for {X}? || Which of the pollen allergies is worst for {X}?",
            "{tree}; {first} once moved house to get away from it.",
            tree="silver birch|ragweed|the London plane|olive blossom|mugwort",
        ),
        trait(
            "{P} signature color is [{color}], mixed with [{metal}] and kept off every price list.",
            "Which color should I order in a vase from {X}? || What shade is {X} known for in glass?",
            "Order {color}; it's {first}'s signature, mixed with {metal}.",
            color="a smoky plum|uranium green|a milky apricot|petrol blue|burnt honey",
            metal="manganese|a pinch of gold chloride|old copper wire|cobalt dust",
        ),
        trait(
            "No piece is sold until it has stood [{where}] for [{days}] without cracking.",
            "How soon after it's blown can I collect a piece from {X}? || How does {X} test new glass?",
            "It has to stand {where} for {days} without cracking first.",
            where="on top of the fridge|beside the train tracks|in the coal cellar|on the piano",
            days="nine days|three weeks|a full month|eleven nights",
        ),
        trait(
            "A bouquet is the one present {he} can't have, so friends bring [{gift}].",
            "What do people bring {X} instead of a bouquet? || I'm invited to a gallery opening for {X}; what could I"
            " take along?",
            "Bring {gift}; flowers are out because of the pollen.",
            "gift flowers",
            gift="paper cranes|dried seaweed|bags of marbles|smooth river stones",
        ),
        trait(
            "{S} sleeps with [{device}] running and every window taped until [{until}].",
            "What does a bedroom need so that {X} can sleep through the pollen season? || When can the windows be"
            " opened if {X} is"
            " staying over?",
            "{first} needs {device} running, and the windows stay taped until {until}.",
            "sleep",
            device="two air purifiers|a humming old ionizer|a salt-water humidifier|a hospital-grade filter",
            until="the first August storm|the grass is cut|St. John's Day|the lindens fade",
        ),
        trait(
            "At the bench {he} sings [{song}] to time the gathers, [{verses}] to a tumbler.",
            "What might I hear {X} singing at work? || How does {X} time a gather of glass?",
            "{first} sings {song}, {verses} to a tumbler.",
            song="sea shanties|a Neapolitan street song|hymns in Latin|advertising jingles",
            verses="four verses|two verses and a chorus|seven lines|one refrain",
        ),
        avoids="allergy flowers balcony early",
    ),
)
