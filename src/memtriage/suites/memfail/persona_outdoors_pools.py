"""Persona flavours spent out of doors: trail, night sky, owls, snow and sail."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import Flavor, flavor, trait

OUTDOORS: tuple[Flavor, ...] = (
    flavor(
        "a long-distance hiker training for the Pacific Crest Trail",
        "{F} is <deep in training for|counting down to> the Pacific Crest Trail and has quietly rearranged a whole life"
        " around it. || Ask around the trailheads near town and people will know {F}, the one training for the Pacific"
        " Crest Trail. || {F} plans to walk the Pacific Crest Trail from end to end, and the training has taken over"
        " every weekend.",
        "The spare room has become a staging area full of stuff sacks and maps. || Most Sundays end with sore feet, a"
        " long shower, and another row in the mileage spreadsheet. || The start permit is taped to the fridge, and"
        " everything else gets planned around that date.",
        trait(
            "{S} <will not start|never starts> a training walk with a pack heavier than [{weight}], even if that means"
            " sawing the handle off a toothbrush.",
            "I'm lending {X} some gear for a training walk; how heavy can the pack be?"
            " || How much weight should I plan on {X} carrying when we go hiking?",
            "Keep it under {weight}; {first} won't start a training walk with a heavier pack.",
            weight="eighteen pounds|twenty-one pounds|nineteen and a half pounds|twenty-four pounds|sixteen pounds",
        ),
        trait(
            "Every resupply box gets [{treat}] tucked under the dehydrated dinners, because {S} swears morale weighs"
            " nothing. || In each resupply box {S} hides [{treat}], the one luxury that survives every gear shakedown.",
            "What should I slip into a resupply box on the trail as a surprise for {X}?"
            " || What treat should I mail to {X} along the trail?",
            "Send {treat}; {first} puts that in every resupply box.",
            "snack",
            treat="a bar of salted licorice|two packets of freeze-dried mango|a tube of hazelnut spread|a wedge of"
            " smoked gouda|a bag of chili-dusted cashews|a tin of sardines in mustard",
        ),
        trait(
            "{S} hikes only in [{shoes}] and retires each pair at [{miles}] on the dot.",
            "When should I expect {X} to need a new pair of trail shoes?"
            " || How long does a pair of hiking shoes usually last {X}?",
            "At {miles}; {first} hikes in {shoes} and retires each pair at exactly that point.",
            "shoes",
            shoes="zero-drop trail runners|wide-toed mesh runners|old-fashioned leather boots|low-cut gravel runners",
            miles="380 miles|420 miles|three hundred miles|450 miles",
        ),
        trait(
            "Water gets [{method}] every single time, because {S} once picked up a stomach bug at a stream that looked"
            " perfect.",
            "How should I treat the drinking water if I'm camping with {X}?"
            " || Is there a way of handling stream water that {X} would insist on?",
            "It has to be {method}; {first} caught a stomach bug from an untreated stream once.",
            method="filtered twice|boiled for three full minutes|treated with chlorine drops and left for half an"
            " hour|run through a ceramic filter and then zapped with a UV pen",
        ),
        trait(
            "On long climbs {he} counts steps in sets of [{count}] and takes one sip of water between sets.",
            "How can I match the way {X} paces a long uphill stretch?"
            " || Does {X} have a trick for getting up steep climbs?",
            "{first} counts steps in sets of {count} and takes one sip of water between sets.",
            count="two hundred|a hundred and fifty|three hundred|eighty-eight|five hundred",
        ),
        trait(
            "{S} carries [{charm}] clipped to the shoulder strap and turns back if it's ever left at home."
            " || Clipped to the shoulder strap is [{charm}], and {S} once drove home forty minutes to fetch it.",
            "Is there something I should check {X} has packed before we leave for the trailhead?"
            " || What little object does {X} refuse to hike without?",
            "Check for {charm}, which {he} keeps clipped to the shoulder strap and won't hike without.",
            "charm",
            charm="a tin whistle from scout camp|a brass bear bell|a tiny plastic dinosaur|a cracked compass|a"
            " blue-beaded key ring",
        ),
        trait(
            "{S} sleeps under [{shelter}] and calls anything with poles a waste of ounces.",
            "What kind of shelter should I buy {X} for the big trip?"
            " || Would {X} want to share my tent on an overnight?",
            "{first} sleeps under {shelter} and thinks anything with poles is wasted weight.",
            shelter="a flat silnylon tarp|a bug net slung from trekking sticks|a plain sheet of painter's plastic|a"
            " hand-sewn poncho tarp",
        ),
        trait(
            "Before any big walk {he} tapes [{spot}] with [{tape}], whether or not it hurts yet.",
            "What should I put into a foot kit for {X} before a big walk on the trail?"
            " || How does {X} look after {his} feet on long walks?",
            "Pack {tape}; {first} tapes {spot} with it before every big walk.",
            spot="both heels|the two smallest toes|the balls of the feet|the left heel",
            tape="orange kinesiology tape|old-school duct tape|paper surgical tape|cotton climbing tape",
        ),
        avoids="knee",
    ),
    flavor(
        "an amateur astronomer who hates city light pollution",
        "{F} is an amateur astronomer who takes every new streetlight as a personal insult. || Clear nights belong to"
        " the telescope in {F}'s world, preferably as far from the city's glow as the fuel tank allows. || {F} has"
        " been hunting faint galaxies as an amateur astronomer for years and complains about light pollution to anyone"
        " who'll listen.",
        "Cloudy evenings are spent cleaning eyepieces and grumbling at the forecast. || The neighbors have learned to"
        " switch off the porch lamp without being asked. || A map of dark-sky sites covers most of the hallway wall.",
        trait(
            "{S} <refuses to|won't> unfold a tripod less than [{distance}] from the nearest town.",
            "How far out should I drive if I'm taking {X} stargazing?"
            " || Where could I take {X} to look at the night sky?",
            "Go at least {distance} from the nearest town; {first} won't set up any closer.",
            distance="thirty-five miles|fifty kilometers|an hour's drive|twenty-two miles|forty miles",
        ),
        trait(
            "{P} main telescope is [{scope}], which goes by the name of [{nick}].",
            "I'd like to buy an eyepiece for the telescope {X} uses as an amateur astronomer; which one is it?"
            " || What telescope does {X} observe with?",
            "{first} uses {scope} and calls it {nick}.",
            scope="an eight-inch reflector on a plywood mount|a brass-tubed refractor from the sixties|a ten-inch"
            " truss-tube scope|a stubby little catadioptric",
            nick="the Stovepipe|Big Agnes|the Coffee Can|Gertrude",
        ),
        trait(
            "At the eyepiece {he} drinks [{drink}] out of [{vessel}] and lets nobody pour it under a white light.",
            "What hot drink should I bring along for {X} on a cold observing night?"
            " || What would {X} like to sip while we wait for the stars to come out?",
            "Bring {drink}; that's what {first} drinks at the eyepiece, from {vessel}.",
            "drink",
            drink="roasted barley tea|hot apple juice with cloves|malted milk|miso broth|ginger cordial",
            vessel="a dented army canteen|a lidded enamel cup|an old film canister|a wooden kuksa",
        ),
        trait(
            "Phones go into [{box}] before anyone may come near the scope, and {S} checks.",
            "What should I do with my phone when I join {X} for a session at the telescope?"
            " || Can I keep my phone out around {X} to use a star app?",
            "It goes into {box}; {first} lets nobody near the scope with a phone.",
            "phone",
            box="a biscuit tin in the trunk|a felt-lined cigar box|a zipped cooler bag|the glove compartment",
        ),
        trait(
            "{S} logs each object in [{log}] and grades the sky with [{grade}].",
            "What sort of notebook would suit {X} for writing up observations?"
            " || How does {X} keep records of what {he} has seen in the sky?",
            "{first} logs every object in {log} and grades the sky with {grade}.",
            "notebook",
            log="a waterproof surveyor's book|a pile of index cards|a gridded ledger bound in red cloth|a school"
            " exercise book",
            grade="a one-to-nine row of dots|tiny drawn owls|letters like a report card|a smear of graphite",
        ),
        trait(
            "For the first [{minutes}] in the dark {he} observes nothing at all, so that both eyes can adapt.",
            "How soon after we arrive in the dark will {X} be ready to start observing?"
            " || If I meet {X} at a dark site, how long before we look at anything?",
            "Not for the first {minutes}; {first} waits so that both eyes can adapt.",
            minutes="forty minutes|twenty-five minutes|thirty-three minutes|full hour",
        ),
        trait(
            "{S} has a soft spot for [{target}] and ends every session by finding it one last time.",
            "Which object in the sky should I ask {X} to show me? || What does {X} love to end an observing"
            " session with?",
            "Ask for {target}; {first} ends every session with it.",
            target="the Ring Nebula|the double star Albireo|the globular cluster M13|the Owl Cluster|the moons of"
            " Saturn",
        ),
        trait(
            "When the council fitted new lamps on the street, {S} [{protest}] until they were shielded.",
            "Has {X} ever done anything about the street lighting near {his} home that I could bring up?"
            " || I'm starting a dark-sky petition; would {X} have experience with that kind of thing?",
            "Yes, {first} {protest} until the new street lamps were shielded.",
            protest="wrote to the mayor every Tuesday|hung black bedsheets over the balcony|sent in eighty-one"
            " photographs of glare|attended fourteen committee meetings in a row",
        ),
        avoids="early",
    ),
    flavor(
        "a wildlife photographer focused on owls in the Pacific Northwest",
        "{F} photographs owls in the wet forests of the Pacific Northwest and keeps hours to match. || For most of the"
        " year {F} can be found under a dripping cedar, waiting with a camera for an owl to turn its head. || {F} is"
        " a wildlife photographer whose subject, almost without exception, is the owls of the Pacific Northwest.",
        "Half the calls that come in are from loggers who have heard something hooting. || There is always moss on at"
        " least one piece of clothing. || The good locations stay secret, even from other photographers.",
        trait(
            "{S} never uses a flash on an owl and instead waits for [{light}].",
            "What sort of light should I plan for if I go photographing owls with {X}?"
            " || Should I pack a flash for a shoot with {X}?",
            "No flash; {first} waits for {light}.",
            light="the blue quarter hour before sunrise|overcast late afternoons|the first gray light|a full moon on"
            " fresh snow",
        ),
        trait(
            "To keep scent down in the blind {he} washes every jacket in [{wash}] the night before.",
            "How should I prepare my clothes before sitting in a blind with {X}?"
            " || Is there a laundry rule I should follow before going into the woods with {X}?",
            "Wash them in {wash}; {first} does that the night before to keep scent down.",
            "scent",
            wash="plain baking soda|cold creek water|unscented castile soap|spruce-needle tea",
        ),
        trait(
            "{P} favorite lens is [{lens}], wrapped in [{wrap}] against the rain.",
            "I want to get {X} something to protect {his} favorite lens; what should I know?"
            " || Which lens does {X} rely on for birds?",
            "It's {lens}, which {first} keeps wrapped in {wrap}.",
            lens="a scuffed 400-millimeter prime|an old manual-focus 300|a borrowed 600 that never went back|a"
            " 500-millimeter mirror lens",
            wrap="a strip of green oilcloth|a shower cap|an old neoprene sleeve|bicycle inner tube",
        ),
        trait(
            "Nest sites are off limits to everyone until [{until}], and {S} has ended friendships over it.",
            "When in the year could I ask {X} to take me to see an owl nest? || Would {X} show me a nest this spring?",
            "Not until {until}; before that {first} keeps nest sites off limits to everyone.",
            until="the fledglings have been out for three weeks|the tenth of July|the last chick has left|midsummer"
            " week",
        ),
        trait(
            "{S} sits in the blind on [{seat}] and allows exactly [{moves}] an hour.",
            "What should I sit on if I share a blind with {X}? || How still would {X} expect me to be in the blind?",
            "{first} sits on {seat} and allows exactly {moves} an hour.",
            seat="an upturned milk crate|a boat cushion|a folded saddle blanket|a three-legged milking stool",
            moves="one stretch|two changes of position|one sip of water|three slow head turns",
        ),
        trait(
            "The species {he} would drop everything for is [{owl}], and there's a framed feather-print of one above"
            " the sink.",
            "Which bird print would please {X} most? || Which kind of owl should I call {X} about if I ever spot one?",
            "{owl}; {first} would drop everything for one.",
            owl="the northern saw-whet owl|the great gray owl|the flammulated owl|the western screech owl|the northern"
            " pygmy owl",
        ),
        trait(
            "Out in the field {S} eats only [{food}], since wrappers rustle.",
            "What can I bring {X} to eat during a long wait in the forest?"
            " || What should I pack to eat for a day in the blind, waiting for owls with {X}?",
            "Bring {food}; {first} won't eat anything in the field that rustles.",
            "snack",
            food="cold boiled potatoes|banana bread in a cotton napkin|hard-boiled eggs|soft rice balls|cubes of corn"
            " bread",
        ),
        trait(
            "Pellets found under a roost are dried, dissected, and stored in [{store}], much to the dismay of"
            " houseguests.",
            "I found a pellet under an owl roost; how would {X} want it stored? || What does {X} do with the"
            " things {he} finds under"
            " a roost?",
            "{first} dries and dissects pellets and stores them in {store}.",
            store="labeled jam jars|an egg carton on the windowsill|a printer's type drawer|old tea tins",
        ),
    ),
    flavor(
        "a backcountry ski guide who restores antique furniture in summer",
        "{F} guides backcountry ski tours until the snow goes and then spends the summer restoring antique furniture."
        " || Winter finds {F} leading ski tours through the backcountry, and summer finds the same hands stripping"
        " varnish off antique furniture. || {F} lives two lives: ski guide in the backcountry from December on,"
        " restorer of antique furniture once it melts.",
        "The barn smells of beeswax in July and of wet wool in January. || Clients from one season keep turning up in"
        " the other. || The van has skis on the roof and somebody's chair legs in the back, whatever the month.",
        trait(
            "{S} turns the whole group around at [{time}], summit or no summit.",
            "What time should I expect to head back on a ski tour with {X}?"
            " || How late can we still be climbing if {X} is guiding?",
            "{first} turns the group around at {time}, summit or not.",
            time="one o'clock sharp|12:40|half past eleven|a quarter to two",
        ),
        trait(
            "No tour {he} leads ever has more than [{size}], and a waiting list does not change that.",
            "How many friends could I bring on a ski tour led by {X}? || What group size should I book with {X}?",
            "No more than {size}; {first} doesn't bend that even for a waiting list.",
            size="four guests|five guests|three paying guests|six people including the dog",
        ),
        trait(
            "{S} finishes tabletops with [{finish}] and leaves the room if anyone mentions polyurethane.",
            "What finish should I ask for if {X} restores my table?"
            " || I have antique furniture to restore; how would {X} finish a tabletop?",
            "{first} finishes tabletops with {finish} and can't stand polyurethane.",
            finish="hand-rubbed walnut oil|seven thin coats of shellac|boiled linseed and beeswax|milk paint under"
            " clear wax",
        ),
        trait(
            "For skins and skis {he} swears by [{wax}], melted in [{pot}].",
            "What ski wax should I pick up for {X}? || How does {X} wax {his} skis?",
            "{first} swears by {wax}, melted in {pot}.",
            wax="a pine-tar blend from Finland|plain yellow candle stubs|a graphite block from the eighties|goat-milk"
            " soap and paraffin",
            pot="a dented coffee pot|an old fondue set|a cast-iron egg pan|a sardine tin",
        ),
        trait(
            "{S} will not take a commission on [{piece}], having once lost a whole August to one.",
            "Is there any kind of furniture I shouldn't ask {X} to restore? || Which antique would {X} turn down?",
            "Don't ask about {piece}; {first} once lost a whole August to one and won't take them.",
            piece="a roll-top desk|a grandfather clock|a wicker pram|a piano stool|a barber's chair",
        ),
        trait(
            "At the trailhead everyone has to [{ritual}] before {S} hands out the avalanche beacons.",
            "What will {X} have me do at the trailhead before we set off?"
            " || Is there some routine of {X}'s I should know about at the start of a tour?",
            "You'll have to {ritual} before {first} hands out the beacons.",
            ritual="dig one practice pit|say the forecast out loud|swap packs with a neighbor for a minute|find a"
            " buried sandwich box",
        ),
        trait(
            "Old screws and hinges are sorted by decade into [{tins}], and {S} can tell 1880 from 1910 by touch.",
            "I found some old furniture hardware; how does {X} sort such things?"
            " || What containers would {X} like for storing old screws and hinges?",
            "{first} sorts screws and hinges by decade into {tins}.",
            tins="tobacco tins|baby-food jars|muffin trays|a wall of matchboxes",
        ),
        trait(
            "Lunch on snow is always [{lunch}], eaten standing up.",
            "What will we eat at midday on a ski day with {X}? || What lunch should I carry for {X} up the mountain?",
            "It's always {lunch}, eaten standing up.",
            "lunch",
            lunch="rye crackers with brown cheese|a cold bean burrito|two pickled eggs and a heel of bread|leftover"
            " dumplings in a thermos",
        ),
        avoids="knee",
    ),
    flavor(
        "a former orchestra conductor who now teaches sailing",
        "{F} conducted orchestras for a living before trading the podium for a tiller and a sailing school. || These"
        " days {F} teaches sailing, but the gestures still belong to a former orchestra conductor. || {F} left"
        " conducting after a last season with a regional orchestra and now teaches beginners how to sail.",
        "Students say a tack feels like a cue for the brass section. || The scores are boxed up in the loft above the"
        " boathouse. || Old colleagues from the orchestra turn up every summer and get seasick.",
        trait(
            "{S} still owns the baton from {his} last concert and uses it to [{use}].",
            "Does {X} still have any use for an old conducting baton?"
            " || What happened to the baton from the last concert that {X} conducted?",
            "Yes, {first} kept the baton from the last concert and uses it to {use}.",
            use="point at the wind indicator|stir varnish|prop open the cabin hatch|tap out the starting countdown",
        ),
        trait(
            "Lessons are called off above [{wind}], without discussion and without refunds.",
            "Up to what wind will {X} still take me out on the water?"
            " || Should I expect my sailing lesson with {X} to go ahead on a blowy day?",
            "Lessons are called off above {wind}, and {first} gives no refunds.",
            wind="eighteen knots|twenty-two knots|a steady fifteen knots|force five",
        ),
        trait(
            "On board {he} allows no [{ban}], because one of those once cost a student two teeth.",
            "What should I leave ashore before stepping aboard with {X}?"
            " || Is anything forbidden on the boat {X} sails?",
            "No {ban} on board; one once cost a student two teeth.",
            ban="glass bottles|trailing scarves|metal water flasks|loose camera straps|hard-soled shoes",
        ),
        trait(
            "{P} dinghy is called [{boat}] and has a hull painted [{color}].",
            "How will I recognize the boat at the dock when I meet {X}?"
            " || I'm ordering a pennant for the boat of {X}; what's it called?",
            "Look for {boat}, whose hull is painted {color}.",
            boat="Adagio|Second Fiddle|Da Capo|Tacet|Upbeat",
            color="mustard yellow|oxblood red|pistachio green|tuxedo black",
        ),
        trait(
            "{S} has students learn knots to [{tune}], one turn per bar.",
            "Which music goes with the knots when {X} teaches them?"
            " || How does {X} get beginners to remember their knots?",
            "{first} has them learn knots to {tune}, one turn per bar.",
            tune="a slow Schubert march|the Radetzky March|a Brahms lullaby|Ravel's Bolero",
        ),
        trait(
            "The one composer {he} will not have played on the boat is [{composer}], for reasons that go back to a"
            " disastrous [{place}] premiere.",
            "I'm making a playlist for a day on the boat with {X}; which composer should I leave off?"
            " || Any music I should avoid around {X}?",
            "Leave off {composer}; {first} hasn't allowed that on the boat since a disastrous {place} premiere.",
            "music",
            composer="Mahler|Wagner|Bruckner|Sibelius|Berlioz",
            place="Leipzig|Trieste|Bergen|Antwerp",
        ),
        trait(
            "For seasickness {S} hands out [{cure}] and distrusts every pill on the market.",
            "What would {X} give me if I get seasick during a sailing lesson? || What remedy for seasickness does"
            " {X} believe in?",
            "{first} hands out {cure} and distrusts pills.",
            cure="candied ginger|dry oat crackers|slices of green apple|cold cola syrup on a spoon",
        ),
        trait(
            "Each lesson opens with [{open}] on the dock, a habit carried over from orchestra rehearsals.",
            "What happens first in a sailing lesson with {X}? || How should I be ready when {X} starts a lesson?",
            "It opens with {open} on the dock, as orchestra rehearsals did.",
            open="ninety seconds of silence|a breathing exercise|everyone humming the same note|a roll call by"
            " position in the boat",
        ),
    ),
)
