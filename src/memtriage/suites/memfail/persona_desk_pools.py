"""Persona flavours at a desk: translation, security, forensics, bridge tables and charts."""

from __future__ import annotations

from memtriage.suites.memfail.persona_pools import Flavor, flavor, trait

DESK: tuple[Flavor, ...] = (
    flavor(
        "a freelance translator working between Portuguese and Korean",
        "{F} works as a freelance translator between Portuguese and Korean, a pairing that confuses most dinner"
        " parties. || There aren't many freelance translators who go from Portuguese to Korean and back, but {F} does."
        " || {F} lives off translating, freelance, between Korean and Portuguese, usually novels and now and then a"
        " washing-machine manual.",
        "Dictionaries hold up one end of the sofa. || Deadlines in two time zones make for strange evenings. ||"
        " Arguments about honorifics can last through dessert.",
        trait(
            "{S} takes no job due in under [{notice}], however well it pays.",
            "How much time should I allow if I send {X} a text to translate? || Would {X} take a rush translation?",
            "Allow at least {notice}; {first} takes nothing shorter, however well it pays.",
            notice="thirty-six hours|four days|two full weeks|seventy-two hours",
        ),
        trait(
            "First drafts are done in [{draft}], and only the second goes into a computer.",
            "What stationery would {X} use up fastest when drafting? || How does {X} write a first draft of a"
            " translation?",
            "{first} does first drafts in {draft}.",
            draft="soft pencil on yellow legal paper|brown ink on music paper|a stack of school jotters|pencil on the"
            " backs of proofs",
        ),
        trait(
            "There is one word {he} refuses to translate, [{word}], and leaves it standing in every text.",
            "Which word will {X} leave as it is in my text? || Is there a word {X} considers untranslatable?",
            "{first} leaves {word} standing in every text.",
            word="saudade|nunchi|desenrascanço|jeong|cafuné|aegyo",
        ),
        trait(
            "{S} reads every page aloud to [{listener}] before invoicing.",
            "Who gets to hear a translation by {X} first? || How does {X} check a page before sending it?",
            "{first} reads every page aloud to {listener} before invoicing.",
            listener="a deaf tomcat|the rubber plant|an uncle in Busan over the phone|a bust of Pessoa",
        ),
        trait(
            "Invoices are paid by [{pay}], or {he} does not work for that client twice.",
            "How should I pay {X} for a translation? || What would annoy {X} about an invoice?",
            "Pay by {pay}, or {first} won't work for you twice.",
            pay="bank transfer within ten days|cash in an envelope|postal order|transfer on the day of delivery",
        ),
        trait(
            "Korean goes with [{kr}] and Portuguese with [{pt}], and {S} never mixes up the two.",
            "What snack should I bring {X} while {he} is working from Korean?"
            " || What does {X} like to eat while translating?",
            "Korean goes with {kr} and Portuguese with {pt}; {first} never mixes them up.",
            "snack",
            kr="roasted seaweed|barley crisps|honey-butter chips|dried squid",
            pt="lupini beans|custard tarts|salted almonds|quince paste",
        ),
        trait(
            "{P} working hours run from [{hours}], so that both continents are asleep.",
            "When's the best time to phone {X} without interrupting work? || What hours does {X} keep?",
            "Avoid the time from {hours}; that's when {first} works.",
            "wake early",
            hours="ten at night to three|five in the morning to eleven|nine in the evening to two|noon to seven",
        ),
        trait(
            "Machine translation is banned from the house, and the penalty is [{penalty}].",
            "What if I run my text through a machine before giving it to {X}?"
            " || How does {X} feel about translation software?",
            "It's banned; the penalty is {penalty}.",
            penalty="a donation to the library|washing up for a week|buying everyone bibimbap|reciting Camões",
        ),
    ),
    flavor(
        "a cybersecurity researcher who collects vintage typewriters",
        "{F} breaks into networks for a living, legally, and comes home to a wall of vintage typewriters. || As a"
        " cybersecurity researcher {F} trusts very few machines, and nearly all of those are typewriters. || {F}"
        " studies malware by day, and the cybersecurity salary vanishes into vintage typewriters.",
        "Nothing in the apartment connects to anything else. || Conference badges hang from the carriage levers. ||"
        " Packages with ribbons and key tops arrive almost weekly.",
        trait(
            "The prize of the collection is [{machine}], and only {S} may type on it.",
            "Which of the typewriters at {X}'s place should I not touch? || What machine is {X} proudest of?",
            "It's {machine}; only {first} may type on it.",
            machine="a 1926 Corona in red|a Cyrillic Olympia|a glass-keyed Underwood|an Olivetti Valentine|a folding"
            " Erika",
        ),
        trait(
            "Passwords live on [{medium}] inside [{hiding}], since {he} trusts no software with them.",
            "How does {X} keep passwords? || Would {X} like a subscription to a password manager?",
            "{first} keeps them on {medium} inside {hiding} and trusts no software with them.",
            medium="index cards|library slips|strips of ticker tape|carbon copies",
            hiding="a hollowed-out atlas|a tea caddy|the piano|a box of fuses",
        ),
        trait(
            "Any guest's phone spends the evening in [{place}], no exceptions.",
            "Where does my phone go when I spend an evening with {X}? || Can I bring my phone to {X}'s apartment?",
            "It spends the evening in {place}, without exception.",
            "phone",
            place="the microwave|a biscuit tin lined with foil|a lead-glass jar|the freezer drawer",
        ),
        trait(
            "{S} buys only ribbons in [{ribbon}] and re-inks the rest with [{ink}].",
            "What typewriter ribbon should I buy for {X}? || How does {X} keep ribbons going?",
            "Buy ribbons in {ribbon}; {first} re-inks the rest with {ink}.",
            ribbon="purple-black silk|two-tone green|sepia cotton|plain blue nylon",
            ink="stamp-pad refill|walnut ink|squid ink|fountain-pen dregs",
        ),
        trait(
            "Research reports are first typed on [{paper}], which cannot be hacked, as {S} likes to point out.",
            "What paper would be welcome in the study of {X}? || How does {X} write up a security report?",
            "{first} first types reports on {paper}.",
            paper="onionskin|pink carbonless forms|airmail sheets|teleprinter rolls",
        ),
        trait(
            "{S} pays for everything in [{pay}] and keeps no loyalty cards.",
            "How will {X} want to settle the bill if we go out? || Would a store gift card suit {X}?",
            "{first} pays for everything in {pay} and keeps no loyalty cards.",
            pay="crisp small bills|two-dollar notes|coins from a pouch|prepaid vouchers",
        ),
        trait(
            "The camera on {his} laptop is covered with [{cover}], changed every [{cycle}].",
            "What covers the webcam of {X}? I'd like to get a nicer one. || Which little laptop habit does {X} have?",
            "It's covered with {cover}, changed every {cycle}.",
            cover="a postage stamp|a square of velvet|a bandage with cartoons|a pressed clover",
            cycle="birthday|solstice|Monday|quarter",
        ),
        trait(
            "At conferences {he} sits [{seat}] and leaves by [{exit}].",
            "Where should I save a seat for {X} at the conference? || How will I find {X} when everyone leaves"
            " the security conference?",
            "{first} sits {seat} and leaves by {exit}.",
            seat="in the aisle seat of row seven|with a wall behind|next to the projector|at the far left",
            exit="the loading dock|the kitchen door|the fire stairs|the side entrance",
        ),
    ),
    flavor(
        "a forensic accountant who writes science fiction novels",
        "{F} follows money for a living as a forensic accountant and invents planets at night for science fiction"
        " novels. || By day {F} is a forensic accountant, and by night there are science fiction novels to finish. ||"
        " {F} has testified in eleven fraud trials and written four science fiction novels, and forensic accounting"
        " pays for all of it.",
        "The villains all have offshore accounts. || Colleagues look for themselves in every chapter. || The study has"
        " two desks, and the lamps are never lit at the same time.",
        trait(
            "{S} writes [{quota}] before breakfast and stops mid-sentence on purpose.",
            "How much does {X} write in a day? || If I wanted to write alongside {X}, what target should I set?",
            "{first} writes {quota} before breakfast and stops mid-sentence.",
            "wake",
            quota="612 words|exactly three pages|four hundred words|one scene",
        ),
        trait(
            "All of {his} novels are set [{setting}], and editors have given up asking for Earth.",
            "What sort of setting would {X} like in a novel I give {him}? || Where do the stories of {X} take place?",
            "They're all set {setting}.",
            setting="on a tax-haven moon|in a hollowed-out comet|aboard a generation ship run by auditors|under the ice"
            " of Europa",
        ),
        trait(
            "Ledgers are checked with [{tool}] before any spreadsheet gets opened.",
            "Which old calculating tool does {X} rely on? || How does {X} go through a ledger?",
            "{first} checks ledgers with {tool} before opening a spreadsheet.",
            tool="a slide rule|a hand-cranked adding machine|an ivory abacus|a red wax pencil and a ruler",
        ),
        trait(
            "{S} never discusses a case [{where}], following a nasty surprise in [{city}].",
            "Where should I avoid bringing up work with {X}? || Can I ask {X} about a case over lunch?",
            "Never {where}; {first} had a nasty surprise in {city}.",
            where="in an elevator|within sight of a waiter|on a train|by telephone",
            city="Zurich|Panama City|Luxembourg|Tallinn",
        ),
        trait(
            "Each manuscript goes to [{reader}] first, who is allowed only [{remarks}].",
            "Who reads the manuscripts of {X} first? || How much feedback does {X} want on a draft?",
            "They go to {reader} first, who is allowed only {remarks}.",
            reader="a retired judge|the building's janitor|an ex-wife's mother|a teenage nephew",
            remarks="three remarks|one question|yes or no|a single page",
        ),
        trait(
            "{S} cannot work without [{noise}] playing quietly behind the door.",
            "What background sound should I put on while {X} works? || Does {X} like silence at the desk?",
            "Put on {noise}; {first} can't work without it playing behind the door.",
            "music",
            noise="recordings of rain on canvas|Gregorian chant|cricket commentary|whale song|a ticking metronome",
        ),
        trait(
            "Fraud files are tied with [{ribbon}] and fiction with [{string}], so nothing goes to the wrong place.",
            "How do I tell work files from fiction on the desk of {X}? || What does {X} tie papers up with?",
            "Fraud files are tied with {ribbon} and fiction with {string}.",
            ribbon="black tape|butcher's twine|gray elastic|red legal ribbon",
            string="silver tinsel|orange yarn|a shoelace|fishing line",
        ),
        trait(
            "A publisher once offered more money for [{ask}], and {S} said no in [{reply}].",
            "What would {X} never do to sell more books? || What should I not suggest to {X} about {his} writing?",
            "Don't suggest {ask}; {first} once said no to that in {reply}.",
            ask="a romance subplot|a happier ending|a talking robot|a pen name",
            reply="a one-word telegram|a forty-page memo|red ink|double-entry form",
        ),
    ),
    flavor(
        "a competitive bridge player who works as an actuary",
        "{F} prices risk as an actuary and then takes far more of it at the bridge table. || Weekends mean bridge"
        " tournaments for {F}, who spends the working week as an actuary. || {F} is an actuary with a competitive"
        " streak that comes out only over a hand of bridge.",
        "Dinner guests get dealt in whether they like it or not. || The mortality tables stay at the office, mostly."
        " || Old tournament boards are stacked in the bathtub of the spare bathroom.",
        trait(
            "{S} plays [{system}] and lists every exception on a card the size of a menu.",
            "Which bidding system should I learn to partner {X}? || How does {X} like to bid?",
            "Learn {system}; that's what {first} plays.",
            system="Polish Club|an old-fashioned Acol|Precision with weak openings|Blue Team Club",
        ),
        trait(
            "A partner who [{sin}] is not asked back, and {S} has been through nine of them.",
            "What should I be careful not to do when I partner {X} at cards?"
            " || Why has {X} gone through so many partners?",
            "{first} doesn't ask back a partner who {sin}.",
            sin="hums during defense|touches a card and puts it back|apologizes mid-hand|sighs at dummy",
        ),
        trait(
            "Before a match {he} eats [{food}], always [{how}].",
            "What can I get {X} to eat ahead of a tournament? || What does {X} have before a match?",
            "{first} eats {food}, always {how}.",
            "snack",
            food="half a grapefruit|seven almonds|a cheese scone|one poached pear",
            how="standing by a window|exactly an hour ahead|with a plastic spoon|in silence",
        ),
        trait(
            "The lucky item is [{item}], worn since a win in [{city}].",
            "Does {X} wear anything for luck at tournaments? || What should I remind {X} to put on before a match?",
            "{item}, worn since a win in {city}.",
            "charm",
            item="a moth-eaten cardigan|a bow tie with ducks|one mismatched cufflink|a paper flower brooch",
            city="Biarritz|Reno|Gdansk|Hobart",
        ),
        trait(
            "{S} will not fly on [{day}], having calculated something nobody wants explained.",
            "On which day should I not book a flight for {X}? || When will {X} not fly to a bridge tournament?",
            "Not on {day}; {first} has calculated something about it.",
            "flight",
            day="the 29th|any Tuesday in March|a full moon|the day after a holiday",
        ),
        trait(
            "Practice hands are dealt by [{dealer}] at [{time}] each evening, eighteen of them.",
            "When in the evening is {X} busy with practice hands? || Who deals when {X} practices?",
            "They're dealt by {dealer} at {time} each evening, eighteen of them.",
            dealer="a clattering dealing machine|a neighbor's son|a homemade script|an aunt who cheats",
            time="7:10|half past nine|eight sharp|a quarter to ten",
        ),
        trait(
            "{S} insures almost nothing, except for [{thing}].",
            "What has {X} bothered to insure? || What would an actuary such as {X} have insured at home?",
            "Only {thing}; {first} insures almost nothing else.",
            thing="a set of ivory-colored cards|both thumbs|a fountain pen|the family samovar",
        ),
        trait(
            "Cards have to be [{brand}], shuffled [{times}], or {he} asks for a new deck.",
            "What playing cards should I have ready when {X} comes over? || How many times should the deck be"
            " shuffled for {X}?",
            "Have {brand} ready, shuffled {times}, or {first} asks for a new deck.",
            brand="linen-finish jumbo index|plastic Italian ones|four-color decks|plain casino seconds",
            times="seven times|eleven times|five times face down|nine times by two people",
        ),
        avoids="early",
    ),
    flavor(
        "a cartographer obsessed with historic shipwrecks",
        "{F} draws maps for the harbor authority and fills the margins with historic shipwrecks. || As a cartographer"
        " {F} is paid to map what's afloat, but the obsession is shipwrecks, the older the better. || {F} is a"
        " cartographer with a weakness for historic shipwrecks and a hallway papered in sea charts.",
        "Holidays tend to end at some windy headland. || Archivists in four ports know that handwriting. || The bath"
        " is where the big charts get flattened.",
        trait(
            "{S} inks coastlines with [{pen}] and the wrecks themselves in [{color}].",
            "Which pen should I buy {X} for drawing maps? || How are wrecks marked on a chart by {X}?",
            "{first} inks coastlines with {pen} and wrecks in {color}.",
            pen="a crow-quill nib|a ruling pen from 1904|a sharpened goose feather|a Japanese brush pen",
            color="rust red|sea-glass green|bone white|burnt orange",
        ),
        trait(
            "The wreck {he} most wants to find is [{wreck}], lost in [{year}].",
            "Which shipwreck should I read up on before dinner with {X}? || What is {X} searching for?",
            "Read up on {wreck}, lost in {year}; {first} wants to find it most.",
            wreck="the barque Esperance|the packet ship Halcyon|a herring drifter called Mina|the collier Ravensgate",
            year="1841|1797|1866|1723",
        ),
        trait(
            "No satellite image is allowed in the studio; {S} trusts [{source}] instead.",
            "What kind of source would {X} accept for a coastline? || Should I send {X} satellite pictures for a map?",
            "Don't; {first} trusts {source} instead.",
            source="lighthouse logs|pilots' sketchbooks|insurance ledgers|lead-line soundings",
        ),
        trait(
            "Distances are still given in [{unit}], even on grocery lists.",
            "In what unit should I give {X} a distance? || In which unit would {X} give the distance between two"
            " points on a map?",
            "{first} gives distances in {unit}, even on grocery lists.",
            unit="cable lengths|leagues|fathoms|Russian versts",
        ),
        trait(
            "{S} won't set foot on [{craft}], which is awkward in this line of work.",
            "What kind of boat should I not invite {X} onto? || How could I get {X} out to a wreck site?",
            "Not on {craft}; {first} won't set foot on one.",
            craft="a catamaran|an inflatable|a car ferry|anything with sails|a jet boat",
        ),
        trait(
            "On the desk stands [{relic}], the only thing {he} ever brought up from the seabed.",
            "What relic could I ask {X} to show me? || Did {X} ever bring anything up from a wreck?",
            "{relic}, the only thing {first} ever brought up from the seabed.",
            relic="a crusted pewter spoon|a deadeye block|a stoneware ink bottle|half a ship's biscuit under glass",
        ),
        trait(
            "Maps are rolled in [{tube}] and never, ever folded, not even once.",
            "How should I pack a map that I'm returning to {X}? || What storage would {X} need for charts?",
            "Roll it in {tube} and never fold it.",
            tube="sailcloth sleeves|cedar tubes|oiled silk|old drainpipes",
        ),
        trait(
            "Every [{date}] {S} lights a lamp in the window for [{crew}].",
            "On which night of the year does {X} remember the crews of lost ships?"
            " || Why might there be a lamp in the window at {X}'s?",
            "Every {date} {first} lights a lamp for {crew}.",
            date="tenth of November|first night of Lent|third of February|autumn equinox",
            crew="a drowned pilot crew|forty-one lost herring men|the cook of a Danish brig|a lighthouse relief boat",
        ),
    ),
)
