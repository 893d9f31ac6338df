"""Persona flavours of pool, studio, stage and archive: coaching, sound, buildings, cello and photographs."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import Flavor, flavor, trait

STAGE: tuple[Flavor, ...] = (
    flavor(
        "a lapsed competitive swimmer who now coaches youth weekend meets",
        "{F} stopped swimming competitively years ago and now coaches kids at weekend meets. || At the weekend youth"
        " meets {F} is the coach with the towel around the neck, a lapsed competitive swimmer who never quite left. ||"
        " {F} gave up competitive swimming at twenty-two but can't stay away from a pool, so it's coaching youth meets"
        " now.",
        "The car smells of chlorine and orange peel. || Parents have learned not to shout times from the stands. ||"
        " Saturdays begin in the dark and end with a bag of wet towels.",
        trait(
            "{S} times every race with [{watch}] and ignores the electronic board.",
            "What stopwatch would {X} actually use? || How are the kids timed at meets with {X}?",
            "{first} uses {watch} and ignores the electronic board.",
            watch="a wind-up Soviet stopwatch|two stopwatches at once|a yellow plastic timer from 1991|an old ship's"
            " chronometer",
        ),
        trait(
            "Kids may eat only [{snack}] before their heats, by order of the coach.",
            "What snack should I pack for my kid on a meet day with {X}? || What are swimmers allowed to eat under"
            " {X}?",
            "Only {snack} before their heats.",
            "snack",
            snack="plain bagels|rice pudding|sliced banana on toast|salted pretzels|cold pancakes",
        ),
        trait(
            "Nobody says the word [{word}] on deck, since {S} considers it a jinx.",
            "Is there a word I shouldn't say around {X} at the pool? || What counts as bad luck for {X} on deck?",
            "Don't say {word}; {first} considers it a jinx.",
            word="taper|record|medal|gold|easy",
        ),
        trait(
            "{P} own event was [{event}], and {S} hasn't swum a single length of it since [{year}].",
            "What did {X} swim in {his} racing days? || Which stroke should I not ask {X} to demonstrate?",
            "{event}; {first} hasn't swum it since {year}.",
            event="the 200 butterfly|the 400 medley|the 100 backstroke|the mile",
            year="2009|the Olympic trials|a collarbone fracture|2012",
        ),
        trait(
            "On the pool deck {he} wears [{shoes}], whatever the weather.",
            "What does {X} wear on {his} feet at the pool? || How do I spot {X} on the deck?",
            "Look for {shoes}; {first} wears them whatever the weather.",
            "shoes",
            shoes="wooden clogs|bright orange crocs|two different flip-flops|rubber fishing boots",
        ),
        trait(
            "Relay order is decided by [{draw}], which saves {him} from arguing with parents.",
            "How does {X} decide who swims in which relay leg? || Could I talk {X} into letting my kid go last in the"
            " relay?",
            "No use arguing: relay order is decided by {draw}.",
            draw="drawing straws|a coin jar|rock-paper-scissors|the alphabet backwards",
        ),
        trait(
            "Goggles get rinsed in [{rinse}] after each session and are never wiped.",
            "How should my daughter clean her goggles, according to {X}? || What does {X} use against foggy goggles?",
            "Rinse them in {rinse} and never wipe them.",
            rinse="baby shampoo|cold black tea|spit and pool water|diluted vinegar",
        ),
        trait(
            "Last place at a meet earns [{prize}] from {him}, and some kids now aim for it.",
            "What does {X} give to the swimmer who comes last? || How does {X} cheer up a kid who lost?",
            "Last place earns {prize}.",
            prize="a rubber lobster|first pick of the music|a golden bath plug|a ride on the lane reel",
        ),
        avoids="sport",
    ),
    flavor(
        "a sound engineer obsessed with vintage analog gear",
        "{F} is a sound engineer whose love of vintage analog gear has outgrown two apartments. || Tape hiss is music"
        " to {F}, a sound engineer who'd rather repair vintage analog gear than buy anything new. || {F} runs a small"
        " studio as a sound engineer, stuffed with vintage analog gear that takes an hour to warm up.",
        "The electricity bill could belong to a bakery. || Bands book months ahead and bring blankets. || There's"
        " always something with its lid off on the bench.",
        trait(
            "The heart of the studio is [{desk}], bought from [{source}].",
            "What mixing desk does {X} have, in case I want to record there? || Where did {X} buy the desk at the"
            " heart of the studio?",
            "It's {desk}, bought from {source}.",
            desk="a sixteen-channel Helios|an ex-broadcast Studer|a hand-wired Trident|a chipped MCI console",
            source="a bankrupt radio station|a cruise ship|a Belgian monastery|a demolished ballroom",
        ),
        trait(
            "{S} will not switch anything on until the room has reached [{temp}].",
            "How warm should the studio be before {X} arrives? || Why might {X} refuse to power up the equipment?",
            "The room has to reach {temp} first.",
            temp="19 degrees|seventy-one degrees|21 and a half degrees|sixty-six degrees",
        ),
        trait(
            "Drinks stay outside, apart from [{drink}] in [{cup}].",
            "Can I bring a drink into the control room with {X}? || What is {X} happy to see people drinking in the"
            " studio?",
            "Only {drink} in {cup}; everything else stays outside.",
            "drink",
            drink="still water|cold rooibos|clear broth|lemon barley",
            cup="a lidded flask|a sports bottle|a toddler's cup|an espresso thermos",
        ),
        trait(
            "Vocals are always cut with [{mic}], which {S} wraps in [{wrap}] overnight.",
            "Which microphone will I be singing into at {X}'s studio? || How does {X} put the good microphone to bed?",
            "It's {mic}, which {first} wraps in {wrap} overnight.",
            mic="a ribbon mic with a cracked grille|an East German bottle mic|a tube mic named Ingrid|a gray RCA copy",
            wrap="a cashmere sock|a pillowcase|an old silk tie|a chamois",
        ),
        trait(
            "A mix is finished only when it has been heard [{where}].",
            "Where does {X} check a final mix? || When will {X} call my song done?",
            "Only when it has been heard {where}.",
            where="in a parked delivery van|through a kitchen radio|from the corridor with the door shut|on a"
            " one-speaker cassette player",
        ),
        trait(
            "{S} turns away any session that needs [{ban}].",
            "What kind of recording session would {X} turn down? || Is there anything {X} won't do in a recording"
            " session in the studio?",
            "{first} turns away any session that needs {ban}.",
            ban="pitch correction|a click track|more than twenty-four tracks|a drum machine|wireless headphones",
        ),
        trait(
            "Tape heads are cleaned with [{fluid}] every [{interval}], marked on a butcher's calendar.",
            "What should I use to clean a tape head at {X}'s? || How often does {X} clean the machines?",
            "Use {fluid}; {first} does it every {interval}.",
            fluid="pure isopropyl|vodka from Krakow|lighter fluid|lens cleaner",
            interval="nine hours of running|Sunday|third reel|new moon",
        ),
        trait(
            "Cables must be coiled [{coil}], and {S} re-coils everyone else's after they leave.",
            "How should I coil the cables when packing up with {X}? || What do I do with the leads after a session at"
            " {X}'s?",
            "Coil them {coil}; otherwise {first} re-coils them after you leave.",
            coil="over-under in loops of ten|clockwise and tied with velvet|in figure eights|around a paint tin",
        ),
    ),
    flavor(
        "an architect specializing in adaptive reuse of old factories",
        "{F} is an architect who turns old factories into places people want to live, one adaptive reuse at a time. ||"
        " Show {F} an old factory and this architect will see apartments, a library, maybe a swimming pool. || {F} has"
        " built a practice as an architect around adaptive reuse, mostly of old factories nobody else would touch.",
        "Brick dust is a permanent feature of the car. || Every holiday photo has a chimney in it. || Demolition"
        " notices are taken personally.",
        trait(
            "{S} walks every new site [{how}] before drawing a line.",
            "How does {X} get to know a new building? || What should I plan for a first site visit with {X}?",
            "{first} walks every new site {how} before drawing a line.",
            how="alone at night with a lantern|barefoot at dawn|three times in silence|with a retired worker as guide",
        ),
        trait(
            "Original [{part}] must stay, or {he} walks away from the job.",
            "What should I not tear out of my old mill if I hope to hire {X}? || Over what would {X} drop a project?",
            "Keep the original {part}; {first} walks away otherwise.",
            part="crane rails|sawtooth skylights|loading doors|boiler chimneys|time-clock alcoves",
        ),
        trait(
            "Sketches are done on [{paper}] with [{pen}], never on a screen.",
            "What drawing supplies could I give {X}? || How does {X} sketch an idea?",
            "{first} sketches on {paper} with {pen}.",
            paper="butcher paper|yellow trace|old shipping manifests|the backs of wallpaper rolls",
            pen="a carpenter's pencil|a fat graphite stick|a ballpoint from a bank|white chalk",
        ),
        trait(
            "{S} collects [{thing}] from doomed plants and stores them in [{place}].",
            "What might I salvage from a closing factory for {X}? || What does {X} collect?",
            "Salvage {thing}; {first} collects them and stores them in {place}.",
            "collect",
            thing="enamel warning signs|punch clocks|gear-wheel patterns|foremen's whistles",
            place="the bathtub|a disused elevator|a shipping container|the office kitchen",
        ),
        trait(
            "No meeting runs past [{mins}], timed by a factory siren on the roof.",
            "How long will a meeting with {X} take? || What should I expect at the end of a meeting at the office of"
            " {X}?",
            "No longer than {mins}; a factory siren on the roof marks the end.",
            "meeting",
            mins="forty-four minutes|half an hour|thirty-seven minutes|fifty minutes",
        ),
        trait(
            "One thing {he} cannot stand is [{ban}], as clients learn the hard way.",
            "Which material shouldn't I propose to {X} for a renovation? || What would {X} hate to see clients"
            " put into a converted factory?",
            "Don't propose {ban}; {first} can't stand it.",
            ban="fake brick|glass balustrades|gray laminate|exposed spotlights|vinyl plank",
        ),
        trait(
            "{P} dream commission is [{dream}], and {S} has kept a drawer of plans for it since college.",
            "Which building should I ask {X} about if I want to see {him} light up? || What does {X} dream of"
            " converting?",
            "{dream}; {first} has kept a drawer of plans for it since college.",
            dream="an abandoned sugar refinery|the old match factory|a gasworks by the river|a derelict cannery",
        ),
        trait(
            "On site {S} wears [{hat}], inherited from [{who}].",
            "How will I recognize {X} on a building site? || What hard hat would {X} accept instead of {his} own?",
            "Look for {hat}, inherited from {who}.",
            hat="a dented miner's helmet|a sky-blue hard hat|a leather welding cap|a white helmet with a stork",
            who="a great-uncle in steel|the last foreman of a tannery|a first client|a demolition crew",
        ),
    ),
    flavor(
        "a paramedic who plays cello in a community orchestra",
        "{F} works shifts as a paramedic and plays cello in the community orchestra whenever the roster allows. ||"
        " Between ambulance calls {F}, a paramedic, fingers cello passages on the steering wheel for the community"
        " orchestra. || {F} plays cello in a community orchestra and works as a paramedic, and treats both with the"
        " same calm.",
        "The conductor has learned to plan around the sirens. || Colleagues know the whole repertoire through the"
        " locker-room wall. || Rehearsals start with a pager on the music stand.",
        trait(
            "The cello is called [{name}] and has never once been inside [{place}].",
            "Where should I not take the cello belonging to {X}? || What does {X} call the cello?",
            "It's called {name} and has never been inside {place}.",
            name="Walter|Old Bess|Madame Grippe|Hortense",
            place="an ambulance|an airplane|a church in winter|a basement",
        ),
        trait(
            "{S} practices [{when}] with a [{mute}] so the neighbors can sleep.",
            "When could I hear {X} practice? || How does {X} play without waking the neighbors?",
            "{first} practices {when} with a {mute}.",
            when="right after night shifts|at five in the morning|between eleven and midnight|before the school run",
            mute="heavy brass mute|rolled sock under the bridge|clothes-peg mute|rubber hotel mute",
        ),
        trait(
            "For {his} bow {he} buys only [{rosin}].",
            "Which rosin should I give {X}? || What could I buy for the bow {X} plays with?",
            "Buy {rosin}; {first} uses nothing else.",
            rosin="dark winter rosin|a green cake from Cremona|rosin with gold flecks|amber rosin in a wooden block",
        ),
        trait(
            "In the left pocket of the uniform there's always [{item}], for frightened children.",
            "What could I donate to {X} for young patients? || What does {X} carry to calm a scared child?",
            "There's always {item} in the left uniform pocket, for frightened children.",
            item="a finger puppet|a roll of star stickers|a tiny kaleidoscope|a knitted mouse",
        ),
        trait(
            "After a bad shift {S} plays [{piece}] once through and then doesn't talk until [{until}].",
            "What does {X} need after a rough shift? || When should I leave {X} in peace?",
            "{first} plays {piece} once through and doesn't talk until {until}.",
            piece="a Bach sarabande|The Swan|one Fauré elegy|a Kodály slow movement",
            until="noon|the second coffee|the dishes are done|the next day",
        ),
        trait(
            "The one thing {he} refuses to play is [{ban}], orchestra vote or not.",
            "Which piece should I not request from {X}? || What might make {X} sit out a concert?",
            "Don't request {ban}; {first} refuses to play it.",
            ban="Pachelbel's canon|film medleys|anything in five flats|Christmas potpourris",
        ),
        trait(
            "On the dashboard of [ambulance {number}] {S} keeps [{thing}], and relief crews leave it alone.",
            "How will I know which ambulance {X} drives? || Is there something on the dashboard I shouldn't move when"
            " I take over from {X}?",
            "It's ambulance {number}; leave {thing} on the dashboard alone.",
            number="17|forty-two|9|thirty-one",
            thing="a wind-up metronome|a plastic Beethoven|a jar of spare pegs|a dried sunflower head",
        ),
        trait(
            "Strings get changed every [{cycle}], and the old ones end up as [{use}].",
            "How often does {X} need new cello strings? || What happens to the old strings of {X}?",
            "Every {cycle}; the old ones end up as {use}.",
            cycle="equinox|hundred rehearsal hours|first of October|fifth concert",
            use="cheese cutters|picture wire|tomato ties|curtain rails",
        ),
        avoids="early",
    ),
    flavor(
        "a museum conservator focused on 19th-century photographs",
        "{F} is a museum conservator who spends the day with 19th-century photographs and very small brushes. || At"
        " the museum {F} looks after 19th-century photographs, a conservator with endless patience and cold hands. ||"
        " {F} conserves 19th-century photographs for a museum and can't walk past an attic without wondering.",
        "The studio is kept so dim that visitors walk into the tables. || Faces from 1860 look down from every shelf."
        " || Strangers keep mailing in shoeboxes of dead relatives.",
        trait(
            "{S} handles plates only with [{gloves}], having banned cotton years ago.",
            "What gloves should I wear to handle old plates with {X}?"
            " || Would {X} mind the gloves I use for handling photographs?",
            "Wear {gloves}; {first} banned cotton years ago.",
            gloves="powder-free nitrile gloves|latex-free surgical gloves|deerskin fingertips|silk liners",
        ),
        trait(
            "The studio light never rises above [{lux}], even for the director.",
            "How bright may the lamp be if I photograph something in {X}'s studio?"
            " || What light does {X} allow in the studio with the photographs?",
            "Never above {lux}.",
            lux="forty lux|thirty-five lux|a single candle's worth|fifty lux",
        ),
        trait(
            "Of everything in the collection {he} loves [{piece}] best and visits it every [{day}].",
            "Which picture at the museum should I ask {X} to show me? || What is the favorite object of {X}?",
            "Ask for {piece}; {first} visits it every {day}.",
            piece="a daguerreotype of a sleeping dog|a salt print of a ferry|a tintype of twin blacksmiths|an ambrotype"
            " of a fencing class",
            day="Monday at nine|payday|Friday before closing|birthday",
        ),
        trait(
            "Dust comes off with [{brush}], one stroke per breath.",
            "What brush should I order for {X}? || How would {X} dust a fragile print?",
            "Order {brush}; {first} dusts with it, one stroke per breath.",
            brush="a squirrel-hair brush|a goat-hair hake|a single ostrich feather|a baby's first brush",
        ),
        trait(
            "{S} won't allow [{ban}] within two rooms of a print.",
            "What should I leave at the museum door when I visit {X}? || What does {X} keep well away from the prints?",
            "Leave {ban} behind; {first} won't allow it within two rooms of a print.",
            ban="ballpoint pens|fresh paint|sticky notes|mandarin oranges|hair spray",
        ),
        trait(
            "Albums are boxed in [{box}] and labeled in [{label}], always on the short side.",
            "How should I box an album before giving it to {X}? || What do the labels of {X} look like?",
            "Albums are boxed in {box} and labeled in {label}, always on the short side.",
            box="blue-gray archival board|unbleached linen|basswood crates|lignin-free corrugated",
            label="soft pencil|a typed strip|India ink|tiny Roman numerals",
        ),
        trait(
            "At home {S} owns [{count}], and keeps {his} own family pictures in [{store}].",
            "Does {X} have photographs at home that I could look at? || How does {X} keep family pictures?",
            "{first} owns {count} and keeps family pictures in {store}.",
            count="no camera at all|one wooden plate camera|nine broken Kodaks|a single pinhole box",
            store="a bread bin|a hatbox under the bed|the vegetable drawer|a locked piano bench",
        ),
        trait(
            "Fakes are spotted by [{test}], a trick {he} learned from [{who}].",
            "How would {X} tell whether my old photo is real? || Who taught {X} to spot a forgery?",
            "{first} spots fakes by {test}, learned from {who}.",
            test="the smell of the varnish|tapping the glass|the bend of the mount|a damp fingertip",
            who="a Prague dealer|a retired forger|an old framer|a customs officer",
        ),
    ),
)
