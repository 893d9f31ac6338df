"""Persona flavours around kitchen, table and kiln: pastry, tea, knives, drinks and pottery."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import Flavor, flavor, trait

KITCHEN: tuple[Flavor, ...] = (
    flavor(
        "a part-time pastry chef who does math research on the side",
        "{F} bakes pastry three days a week and spends the other days on math research that pays nothing. || Half of"
        " {F}'s flour-dusted notebooks are recipes and the other half are proofs, which is what happens when a pastry"
        " chef does math research. || {F} is a part-time pastry chef with a side career in mathematics that keeps"
        " creeping into the desserts.",
        "More than one lemma has been worked out on parchment paper. || The other bakers have stopped asking what a"
        " manifold is. || Seminar talks come with cake, so attendance is excellent.",
        trait(
            "{S} folds croissant dough exactly [{turns}] and calls anyone who does otherwise a vandal.",
            "I want to make croissants with {X}; how should the dough be folded?"
            " || How does {X} go about laminating dough?",
            "Fold it exactly {turns}; {first} calls anything else vandalism.",
            turns="three and a half times|five times|four times in opposite directions|six times with a rest between",
        ),
        trait(
            "The open problem on {his} whiteboard concerns [{problem}], and it has been there for [{years}].",
            "What math problem is {X} doing research on, in case I want to ask about it?"
            " || Which math book might help {X} with {his} research?",
            "It's about {problem}; the problem has been on {first}'s whiteboard for {years}.",
            problem="tilings of the torus|colorings of infinite graphs|gaps between smooth numbers|knots with few"
            " crossings|sums of palindromes",
            years="six years|a decade|four winters|eleven years",
        ),
        trait(
            "{S} measures everything in grams with [{scale}] and returns recipe books that use cups.",
            "Which kitchen scale would {X} like? || Would a cookbook with cup measures be a good present for {X}?",
            "{first} measures in grams with {scale} and returns books that use cups.",
            scale="a lab balance from a closed school|a brass beam scale|a jeweler's scale|a postal scale",
        ),
        trait(
            "Nothing with [{flavour}] ever leaves {his} oven, since the smell brings back one awful summer job.",
            "Which flavor should I avoid when ordering a cake from {X}?"
            " || Is there a dessert I shouldn't request from {X}?",
            "Avoid {flavour}; the smell reminds {first} of an awful summer job.",
            flavour="artificial vanilla|rose water|mint chocolate|coconut essence|banana syrup",
        ),
        trait(
            "{S} does proofs only between [{window}], while the first dough is resting.",
            "When should I call {X} to talk about a proof? || At what hours does {X} get {his} math done?",
            "Between {window}, while the first dough is resting.",
            window="4 and 5:30 in the morning|two and three at night|nine and ten in the morning|5 and 6:15 before"
            " sunrise",
        ),
        trait(
            "Birthday tarts from {him} are always decorated with [{pattern}] in [{icing}].",
            "What would a birthday tart from {X} look like? || How does {X} decorate a birthday order?",
            "It'd be decorated with {pattern} in {icing}.",
            pattern="a Sierpinski triangle|the first forty digits of e|a spiral of primes|a Penrose tiling",
            icing="blackcurrant glaze|burnt-sugar lace|white chocolate thread|saffron icing",
        ),
        trait(
            "The rolling pin {he} uses is [{pin}], and it never goes through a dishwasher.",
            "I'm helping to clean up after {X}; how do I handle the rolling pin?"
            " || What rolling pin does {X} bake with?",
            "It's {pin}, and it must never go through a dishwasher.",
            pin="a length of copper pipe|a marble one from Ljubljana|a sanded-down chair leg|a French taper made of"
            " pear wood",
        ),
        trait(
            "Co-authors get paid in [{pay}], one box per theorem.",
            "What might {X} offer me for help with a theorem? || How does {X} thank co-authors?",
            "{first} pays co-authors in {pay}, one box per theorem.",
            pay="canelés|kouign-amann|pistachio financiers|sesame shortbread|Paris-Brest halves",
        ),
        avoids="baking wake",
    ),
    flavor(
        "a former competitive figure skater now running a small tea shop",
        "{F} skated competitively until an ankle gave out, and now runs a small tea shop two streets from the rink."
        " || The small tea shop on the corner belongs to {F}, who used to be a competitive figure skater. || {F} went"
        " from figure skating competitions to weighing out tea in a shop barely wider than a hallway.",
        "The medals are in a drawer under the till. || Regulars come for the tea and stay for the gossip about judges."
        " || In winter the shop stays open late for the hockey parents.",
        trait(
            "{S} brews the house oolong at [{temp}] and sends back any kettle that can't hold it.",
            "At what temperature should I brew tea for {X}? || I'm buying a kettle for {X}; what must it be able to"
            " do?",
            "It should hold {temp}; {first} brews the house oolong at that.",
            temp="88 degrees|ninety-one degrees|exactly 84 degrees|93 degrees",
        ),
        trait(
            "Nobody gets [{ban}] in the shop, not even the mayor, who asked twice.",
            "What should I not ask for at the tea shop of {X}? || Can I have whatever I like with my tea at {X}'s"
            " counter?",
            "Don't ask for {ban}; {first} refused it even to the mayor.",
            ban="lemon slices|skimmed milk|artificial sweetener|a paper cup|flavored syrup",
        ),
        trait(
            "{P} competition skates hang by the door, laced with [{lace}], and children may touch them for luck.",
            "What can I show my daughter at the shop of {X} if she loves skating?"
            " || What became of the old skates {X} competed in?",
            "They hang by the door, laced with {lace}, and children may touch them for luck.",
            lace="scarlet ribbon|gold cord|fishing line|peppermint-striped string",
        ),
        trait(
            "The jump that ended {his} career was [{jump}], and {S} still changes the channel when one comes up.",
            "Which part of a skating broadcast might upset {X}? || Is there a skating move I shouldn't bring up with"
            " {X}?",
            "Avoid {jump}; it ended {first}'s career.",
            jump="a triple Lutz|the double Axel|a quad Salchow attempt|a triple flip",
        ),
        trait(
            "Every morning {he} does [{exercise}] behind the counter before unlocking the door.",
            "Why might {X} be late to unlock the shop? || Is there anything {X} does before opening time?",
            "{first} does {exercise} behind the counter before unlocking.",
            exercise="forty one-legged squats|ten minutes of edge drills on a towel|a full split|sixty calf raises",
        ),
        trait(
            "{S} stores the best leaves in [{tin}] and dates the lids in [{ink}].",
            "What kind of container would {X} like for tea leaves? || How does {X} store tea?",
            "{first} uses {tin} and dates the lids in {ink}.",
            tin="cherry-bark canisters|old film tins|dark blue apothecary jars|lead-lined chests",
            ink="silver pen|sealing wax|green grease pencil|violet ink",
        ),
        trait(
            "On [{day}] the shop plays only [{music}], the program music {he} never got to skate to.",
            "What music will be playing if I drop by the tea shop of {X}?"
            " || Which record should I bring {X} for the shop?",
            "On {day} it plays only {music}, which {first} never got to skate to.",
            "music",
            day="Thursdays|rainy Mondays|the last Sunday of the month|Wednesday afternoons",
            music="Argentine tangos|Satie waltzes|spaghetti-western soundtracks|Armenian duduk tunes",
        ),
        trait(
            "A pot must be finished within [{mins}] of pouring, after which {S} takes it away without apology.",
            "How long may I linger over a pot of tea at the place {X} runs?"
            " || Could I work all afternoon over one pot at {X}'s?",
            "No longer than {mins}; then {first} takes the pot away.",
            mins="twenty-five minutes|half an hour|eighteen minutes|forty minutes",
        ),
        avoids="drink knee",
    ),
    flavor(
        "a chef-instructor who teaches knife skills at a community college",
        "{F} teaches knife skills at the community college and can hear a dull blade from across the room. || At the"
        " community college {F} is the chef-instructor who makes first-years chop onions until they stop crying. ||"
        " {F} left restaurant kitchens to become a chef-instructor, and the knife skills course fills up in an hour.",
        "Graduates still send photographs of their first even brunoise. || The practice onions all go to the shelter"
        " down the road. || There's a small shrine of broken tips by the door.",
        trait(
            "{S} sharpens only on [{stone}] and keeps it soaking in [{bath}].",
            "What sharpening stone could I get {X}? || How does {X} keep a blade sharp?",
            "{first} sharpens only on {stone}, kept soaking in {bath}.",
            stone="a Belgian blue whetstone|a 3000-grit waterstone|an Arkansas oilstone|a 1200-grit diamond plate",
            bath="a fish kettle|cold green tea|an old roasting tin|a baby bathtub",
        ),
        trait(
            "Students who leave a knife in the sink have to [{penalty}].",
            "What happens if I leave a blade in the sink in the class {X} teaches?"
            " || Is there a rule in {X}'s kitchen that beginners fall foul of?",
            "You'd have to {penalty}, since {first} won't have knives left in the sink.",
            penalty="peel ten kilos of carrots|sing the safety rules|sharpen the whole rack|turn a crate of artichokes",
        ),
        trait(
            "{P} everyday knife is [{knife}] with a handle of [{wood}].",
            "I'm having a sheath made for the knife {X} uses; which one is it? || What does {X} like to cut with?",
            "It's {knife} with a handle of {wood}.",
            knife="a nine-inch gyuto|a carbon-steel santoku|a worn Sabatier|a Chinese cleaver",
            wood="bog oak|cherry|burnt chestnut|olive wood",
        ),
        trait(
            "No one in class may wear [{ban}], after an incident that {S} describes in detail every September.",
            "What should I not wear to a cutting class with {X}? || Does {X} have a dress rule for students?",
            "Don't wear {ban}; {first} bans it because of an incident.",
            ban="rings|bell sleeves|nail polish|sandals|wristwatches",
        ),
        trait(
            "The final exam is [{exam}] in [{time}], blindfold optional.",
            "What should I practice for the final exam {X} gives? || How does {X} test students at the end of the"
            " course?",
            "Practice {exam} in {time}; that's the final exam.",
            exam="boning a chicken|twelve potatoes tourné|a whole mackerel filleted|two kilos of julienned leeks",
            time="four minutes|nine minutes|six and a half minutes|a quarter of an hour",
        ),
        trait(
            "{S} will not cook with [{food}], having chopped too much of it in the army.",
            "What vegetable should I leave out when I cook for {X}? || Is there a food {X} won't have in the pan?",
            "Leave out {food}; {first} chopped too much of it in the army.",
            "dislike",
            food="celery|red cabbage|rutabaga|green peppers|turnips",
        ),
        trait(
            "Class begins when {S} strikes [{gong}], and latecomers watch from the corridor.",
            "How strict is {X} about latecomers in class, and what's the signal?"
            " || What do I listen for at the start of the class {X} holds?",
            "Class begins when {first} strikes {gong}; latecomers watch from the corridor.",
            gong="a dented wok lid|a ship's bell|a triangle from a ranch|an upturned stockpot",
        ),
        trait(
            "For cuts {he} trusts [{remedy}] and keeps a jar of it beside the first-aid box.",
            "What would {X} put on a cut finger? || How should I restock the first-aid corner for {X}?",
            "{first} trusts {remedy} and keeps a jar beside the first-aid box.",
            remedy="ground white pepper|honey and gauze|powdered alum|superglue and tape",
        ),
    ),
    flavor(
        "a sommelier transitioning to non-alcoholic beverage consulting",
        "{F} spent years as a sommelier and is now moving into consulting on non-alcoholic drinks. || After a long run"
        " as a sommelier, {F} started advising restaurants on non-alcoholic beverages instead. || {F} can still name a"
        " vineyard by smell but earns a living these days by writing non-alcoholic drinks lists.",
        "The old wine cellar has filled up with shrubs and ferments. || Former colleagues tease a little, then ask for"
        " recipes. || The tasting notes read the same as they did before, minus the alcohol.",
        trait(
            "{S} refuses to put [{ban}] in any zero-proof drink and has walked out of meetings over it.",
            "Which ingredient should I leave out of a mocktail for {X}?"
            " || What would {X} object to on an alcohol-free menu?",
            "Leave out {ban}; {first} refuses to use it and has walked out of meetings over it.",
            ban="grenadine|stevia|coconut water|blue coloring|agave syrup",
        ),
        trait(
            "Tastings start at [{time}], because {he} believes the palate dies after lunch.",
            "When should I schedule a tasting with {X}? || What hour suits {X} for tastings?",
            "Start at {time}; {first} believes the palate dies after lunch.",
            time="9:40 in the morning|ten on the dot|a quarter past eleven|half past eight",
        ),
        trait(
            "The secret of most of {his} recipes is [{base}], made in [{vessel}] under the stairs.",
            "What secret base goes into the drinks recipes of {X}? || I'd like to copy a recipe from {X}; what's"
            " the secret ingredient?",
            "It's {base}, made in {vessel} under the stairs.",
            base="verjus and smoked tea|a pear-skin ferment|toasted hay syrup|black-lime brine|roasted dandelion root",
            vessel="a glass demijohn|an old milk churn|an earthenware crock|a steel pressure cooker",
        ),
        trait(
            "{S} serves everything in [{glass}], on the grounds that a tumbler flattens the aroma.",
            "What glasses should I put out when {X} comes to pour? || Which glassware would {X} want as a present?",
            "Put out {glass}; {first} says a tumbler flattens the aroma.",
            glass="tulip-shaped copitas|stemless brandy bowls|old champagne coupes|tiny sherry glasses",
        ),
        trait(
            "At dinner parties {he} brings [{bottle}] and expects the host to open it first.",
            "What will {X} bring to my dinner party, and should I open it?"
            " || Which bottle goes on the table when {X} is a guest?",
            "{first} brings {bottle} and expects it to be opened first.",
            bottle="a sparkling quince must|a rhubarb pét-nat without alcohol|a bottle of sea-buckthorn cordial|a"
            " cold-steeped hojicha magnum",
        ),
        trait(
            "New clients must [{task}] before {S} writes a single line of a menu.",
            "What does {X} ask of a restaurant before advising it? || How should my bar prepare for working with {X}?",
            "You must {task} before {first} writes a line.",
            task="blind-taste five waters|pour out their tonic|send in their spice drawer|keep a sugar diary for a"
            " week",
        ),
        trait(
            "{S} protects {his} nose by never [{never}] on working days.",
            "What should I keep in mind about {X}'s sense of smell before a working day together?"
            " || How does {X} take care of {his} nose?",
            "{first} protects it by never {never} on working days.",
            "scent",
            never="wearing deodorant|eating raw onion|using scented soap|brushing with mint toothpaste",
        ),
        trait(
            "The last real wine {he} kept is [{wine}], saved for [{when}].",
            "Does {X} still have any wine around that I could ask about? || On what occasion will {X} open a proper"
            " bottle?",
            "{first} kept {wine}, saved for {when}.",
            wine="a 1989 Vouvray|a half bottle of Tokaji|a magnum of Barolo|a dusty Madeira",
            when="a daughter's graduation|the hundredth client|the day the mortgage ends|a solar eclipse",
        ),
        avoids="alcohol drink",
    ),
    flavor(
        "a former diplomat now running a pottery studio",
        "{F} was a diplomat for two decades and now runs a pottery studio with the same quiet firmness. || After"
        " postings on three continents, {F} gave up diplomacy and opened a pottery studio in an old laundry. || {F}"
        " swapped embassy receptions for a kick wheel and these days runs a pottery studio full of beginners.",
        "Arguments between students are settled with protocol. || The visitors' book has two ministers and a plumber"
        " on the same page. || Clay dust has found its way into every good suit.",
        trait(
            "{S} glazes the good pieces in [{glaze}] and gives the recipe to no one.",
            "Which glaze should I ask for if I order a bowl from {X}? || What color are the best pots {X} makes?",
            "Ask for {glaze}; {first} uses it on the good pieces.",
            glaze="a cracked celadon|an iron-speckled oatmeal|a copper red|a matte ink blue|a tea-dust brown",
        ),
        trait(
            "At the studio table politics may be discussed only [{when}].",
            "When is it all right to talk politics around {X}? || Are there subjects I should avoid in the studio of"
            " {X}?",
            "Politics may be discussed only {when}.",
            when="while the kiln is firing|after the third cup|with wet hands|on the back step",
        ),
        trait(
            "The kiln is called [{kiln}] and {S} bows to it before each firing.",
            "What is the kiln at {X}'s studio called? I'm making a plaque. || Is there a custom around the kiln where"
            " {X} works?",
            "It's called {kiln}, and {first} bows to it before each firing.",
            kiln="the Ambassador|Geneva|Chairman|the Plenary",
        ),
        trait(
            "{S} still keeps [{gift}] from {his} last posting and stores [{content}] in it.",
            "What souvenir of {his} diplomatic years could I ask {X} about?"
            " || Does {X} have anything left from the embassy days?",
            "{first} kept {gift} from the last posting and stores {content} in it.",
            gift="a silver cigarette case|a lacquered document box|a camel-bone casket|a felt hat-box",
            content="needle tools|spare buttons|sponge scraps|seed packets",
        ),
        trait(
            "Beginners spend the whole first month making [{form}], and nothing else gets fired.",
            "What will I be making when I start lessons with {X}? || How does {X} start off newcomers to clay?",
            "You'll make {form} for the whole first month.",
            form="cylinders without handles|lidded salt pots|thumb-sized cups|plain tiles|egg cups",
        ),
        trait(
            "{S} answers every invitation with [{reply}], an old habit from the ministry.",
            "How will I hear back if I invite {X}? || In what form does {X} reply to invitations?",
            "{first} answers every invitation with {reply}.",
            reply="a handwritten card within two days|a fountain-penned note in the third person|a telegram-style"
            " postcard|a phone call at nine sharp",
        ),
        trait(
            "At receptions {he} learned never to eat [{food}], and sticks to it.",
            "What should I not serve at a party for {X}? || Which nibbles does {X} stay away from?",
            "Don't serve {food}; {first} learned at receptions never to eat it.",
            "dislike",
            food="anything on a toothpick|raw oysters|shrimp in aspic|deviled eggs|stuffed vine leaves",
        ),
        trait(
            "Cracked pots are buried [{where}] with a short speech in [{lang}].",
            "What does {X} do with pieces that come out broken? || A pot by {X} cracked at my place; how should it be"
            " disposed of?",
            "{first} buries cracked pots {where} with a short speech in {lang}.",
            where="under the fig tree|behind the bicycle shed|beside the compost|along the garden wall",
            lang="Swahili|Portuguese|Turkish|formal French",
        ),
    ),
)
