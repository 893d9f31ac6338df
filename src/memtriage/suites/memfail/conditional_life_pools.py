"""Names and unconditional sentences about the lives of persons and characters.

A line of a life reads "topic: sentence|sentence|..."; an essay takes at most one sentence per topic,
so that no two of them contradict each other. Slot words start with a consonant sound, for "a".
"""
# ruff: noqa: E501  (one sentence per line reads better than wrapped ones)

SLOTS = {
    "town": "Lisbon|Tromsø|Leeds|Valparaíso|Porto|Ghent|Halifax|Bergen|Trieste|Galway|Kyoto|Tartu|Bruges|Savannah|Duluth|Cork|Basel|Nantes|Girona|Lund|Perth|Hobart|Quito|Dakar|Tbilisi|Riga|Turin|Santa Fe|Portland|Dunedin|Marseille|Kraków|Salzburg|Wellington|Cusco|Tampere|Bath|Malmö|Antwerp|Graz",
    "town2": "Delft|Whitby|Sintra|Bilbao|Pécs|Bamberg|Ronda|Sligo|Visby|Kotor|Taos|Lucca|Zadar|Durham|Brest|Faro|Coimbra|Linz|Vaasa|Oban|Nelson|Cádiz|Pisa|Utrecht|Narvik|Segovia|Mainz|Toledo|Kendal|Rye",
    "realm": "Harrowmere|Saltwick|Thornhollow|Vellmoor|the port of Ashkarr|Greywater|Lanternford|the Upper Marches|Duskhaven|Caldermoor|Pellinby|Orskholm|Winterfold|Mirefen|Stonewick|the canal city of Velade|Brackenholt|Farrowdale|Old Tessaly|Gullscar|Ravenshaw|the lighthouse town of Merrin|Copperhythe|Silverbourne",
    "realm2": "Oxmarch|Dunmarrow|Kestrel Bay|Amberley Cross|Foxglove Hill|Nettlecombe|Sedgewater|Hollowbrook|Cinderwell|Yarrowgate|Barrowdown|Skerry Point|Tolland Keep|Quarrywick|Larkspur Reach|Moonfleet",
    "job": "surgeon|plumber|translator|violin teacher|baker|librarian|cartographer|tram driver|pharmacist|gardener|botanist|mechanic|tailor|notary|sound engineer|ferry pilot|dentist|proofreader|potter|surveyor|nurse|carpenter|museum guard|school cook|watchmaker|beekeeper|piano tuner|geologist|barber|bus inspector",
    "trade": "clockmaker|ship's captain|lamplighter|royal cook|mapmaker|wandering fiddler|gatekeeper|bell founder|falconer|riverboat gambler|hedge wizard|glassblower|retired pirate|court jester|beekeeper|knight of a small order|toll collector|puppet master|lighthouse keeper|poison taster|tinker|dragon physician|night watchman|master thief|baron's librarian|star reader|saddle maker|swamp guide|castle steward|tale collector",
    "animal": "penguin|badger|tortoise|walrus|pelican|hedgehog|crocodile|llama|raccoon|flamingo|beaver|moose|dolphin|squirrel",
    "color": "mustard-yellow|bottle-green|crimson|sky-blue|plum-colored|faded pink|tangerine|slate-grey|turquoise|chestnut-brown|cream|violet",
    "thing": "cello|wheelbarrow|sewing machine|steam whistle|coat stand|bicycle|grandfather clock|lawnmower|birdcage|harmonium|typewriter|tea trolley|telescope|rocking chair|suitcase|weathervane",
    "shape": "a crescent|a teardrop|a boot|a crooked heart|a fish|a bell|a comma|a maple leaf|a key|a bean",
    "place": "boathouse|railway station|greenhouse|fire station|windmill|fish market|vineyard|quarry|bandstand|ferry landing|town hall|freight yard",
    "shop": "bakery|toy shop|pharmacy|cheese shop|bicycle shop|shoe repair shop|barbershop|bookshop|flower shop|laundrette|camera shop|tea shop|hat shop|paint store",
    "woman": "Henrietta|Carla|Signe|Maribel|Judith|Anouk|Pilar|Roxana|Frieda|Ludmila|Simone|Tilda",
    "man": "Gaspar|Rolf|Declan|Anton|Basil|Mustafa|Gerard|Leopold|Niall|Tariq|Ernst|Lionel",
    "fish": "mackerel|tuna|cod|sprats|salmon skin|whitefish",
    "kid": "Rosa|Matteo|Ingrid|Tobias|Leila|Hugo|Paula|Emeka|Greta|Ravi|Nadine|Oskar|Yuki|Callum|Ines|Bram|Farah|Lukas|Odile|Stefan|Thea|Marco|Wanda|Silas",
    "kid2": "Anders|Beatriz|Carmen|Dev|Elke|Finn|Gloria|Harun|Ilona|Jonas|Katya|Liam|Mei|Noor|Olga|Pavel|Ruth|Sven|Tamara|Viktor",
    "n": "three|four|five|six|seven|eight|nine|eleven|twelve",
}

PERSON_OPENINGS = """
{name} is a {job} in {town} and has lived there for {n} years.
{name} works as a {job} on the outskirts of {town}.
{name} grew up near {town2} and moved to {town} to train as a {job}.
These days {name} earns {his} living as a {job} in {town}.
{name}, a {job} by profession, rents two rooms above a {shop} in {town}.
After a decade abroad, {name} settled in {town} and found work as a {job}.
In the old quarter of {town}, most people know {name} as the {job}.
{name} is the third {job} in {his} family and the first to live in {town}.
{name} came to {town} for a summer, found work as a {job} and stayed.
A {job} with a dry sense of humor, {name} lives in {town}.
{name} is a part-time {job} and full-time optimist from {town}.
Before becoming a {job} in {town}, {name} worked behind the counter of a {shop}.
"""

PERSON_LIVES = """
home: {His} flat has {color} walls and a view of the {place}.|The hallway of {his} house is blocked by a {thing} that nobody dares to move.|{He} shares a kitchen with {n} tomato plants and a {thing}.|{His} front door is painted {color}, against the wishes of the landlord.|There are {n} mismatched chairs around {his} table.|A narrow balcony is where {he} grows chili peppers and one stubborn lemon tree.|{His} bookshelves are sorted by the color of the spines.|{He} bought {his} sofa from a {job} who was leaving for {town2}.|The radiator in {his} bedroom knocks like a polite visitor.|{His} spare room is rented to a student of geology named {kid}.
family: {His} sister {woman} runs a {shop} in {town2}.|{He} has {n} cousins, all of them taller.|{His} father was a {job} with a famous temper and a soft heart.|{His} grandmother taught {him} to bake bread without a scale.|{He} phones {his} mother on Sundays and tells her nearly everything.|{His} younger brother {man} plays the trombone in a wedding band.|An aunt in {town2} leaves {him} long voice messages about her garden.|{He} is godparent to {kid} and {kid2}, twins with strong lungs.|{His} parents met on a stalled train outside {town2}.|{His} uncle {man} still calls {him} by the wrong name.
food: {He} makes an excellent mushroom risotto and a terrible omelet.|{His} lunch is a cheese sandwich, wrapped in the same {color} cloth each day.|{He} puts far too much pepper on everything.|Coriander tastes like soap to {him}, and {he} says so.|{He} collects recipes for soup and cooks about one in ten of them.|The bakery on the corner saves {him} a poppy-seed roll.|{He} has been a vegetarian for {n} years.|Pickled beets are {his} idea of luxury.|{He} once won a chili contest in {town2} by a single vote.
hobby: {He} sings, loudly and a little flat, in a community choir.|{He} swims at the municipal pool with a retired {job}.|{He} has been restoring a {thing} for {n} years.|{He} plays table tennis in the second division of a very small league.|Birdwatching takes {him} to the marshes near {town2}.|{He} is learning Portuguese from a book printed in 1968.|{He} goes to the cinema alone and sits in the third row.|{He} volunteers at an animal shelter and is in charge of the keys.|{He} has run the {town2} half marathon {n} times, never quickly.|{He} belongs to a reading group that mostly discusses biscuits.
past: {He} once spent a winter as a cook on a research ship.|{He} studied philosophy for {n} terms and then thought better of it.|At nineteen {he} hitchhiked from {town2} to the sea with a {thing}.|{His} first job was sweeping the floor of a {shop}.|{He} lost a front tooth to a swing at the age of seven.|{He} was an extra in a film shot in {town2} and can be seen for two seconds.|{He} repeated the fifth grade and is oddly proud of it.|A scholarship took {him} to {town2}, where {he} learned to ski.|{He} was nearly named after a {animal}, thanks to {his} father.
look: {He} wears the same {color} scarf all year round.|{His} glasses are held together with a drop of glue.|{He} is tall and ducks under doorways that are high enough.|{His} handwriting slants so far that it is almost lying down.|{He} has a scar in the shape of {shape} on one elbow.|{His} laugh can be heard two rooms away.|{He} cuts {his} own hair, with mixed results.|{His} bicycle helmet is {color} and covered in stickers.|{He} owns {n} identical white shirts.|A small tattoo of a {animal} on {his} ankle recalls a lost bet.
friends: {His} oldest friend, {kid}, is a {job} with a loud car.|{He} meets {kid} and {kid2} for dumplings once a month.|{His} neighbor {kid} waters the plants in {his} absence.|Colleagues describe {him} as punctual and slightly mysterious.|{He} trades paperback thrillers with a {job} across the hall.|{He} never forgets a birthday, not even {kid}'s.|{Kid} from the {shop} says {he} gives the best advice in town.|{He} and {kid} have been arguing about one chess game for {n} years.|{His} friends trust {him} with their spare keys.
quirk: {He} says hello to magpies.|{He} cannot pass a {shop} without looking in.|{He} refuses to own a microwave.|{He} reads the last page of a novel first.|{He} keeps {his} coins in a jar shaped like a {animal}.|Escalators make {him} uneasy, and lifts do not.|{He} pronounces the word "scone" in three different ways.|{He} is convinced that {his} {thing} is haunted.|{He} has never finished a crossword in pencil.|{He} believes firmly in {color} socks.
possession: {His} most valued possession is a {color} fountain pen from {town2}.|{He} drives a van that used to belong to a {shop}.|A {thing} inherited from {his} grandfather stands by the bed.|{He} still uses a telephone with a cord.|{His} umbrella has survived {n} house moves.|{His} suitcase is covered in labels from {town2} and beyond.|A ceramic {animal} guards {his} desk.|{He} owns a {thing} that {he} has no idea how to use.
work: {His} desk at work faces a wall with a poster of a {animal}.|{He} has trained {n} apprentices, of whom two still write.|{His} boss, {kid}, trusts {him} with the difficult clients.|{He} cycles to work along the canal, past the {place}.|{He} once fixed the office {thing} with a paper clip.|{His} colleagues gave {him} a {color} mug for {his} birthday.|{He} has turned down a transfer to {town2} twice.|{His} pay is modest and {his} commute is pleasant.
closing: {He} hopes to retire to a cottage outside {town2} someday.|Next year {he} wants to walk from {town2} to the border.|All told, {he} considers {himself} a lucky person.|{He} has promised {kid} to write it all down eventually.|For now, {he} is content with the life {he} has.|There is talk of a trip to {town2} with {kid}.|{He} is saving up for a better {thing}.
"""

CHARACTER_OPENINGS = """
{name} is a {trade} in {realm}, and has been for longer than anyone can say.
In {realm} they speak with respect of {name}, the {trade}.
{name} came to {realm} as a child and grew up to be a {trade}.
Few people in {realm} could do without {name}, who is a {trade}.
{name} is the last {trade} in all of {realm}.
{name}, a {trade} of some renown, lodges above an inn in {realm}.
By trade {name} is a {trade}, and by temper a dreamer from {realm}.
The taverns of {realm} are full of stories about {name}, a {trade}.
{name} serves as a {trade} in {realm}, for modest pay and free candles.
Long ago {name} fled {realm2} and set up as a {trade} in {realm}.
"""

CHARACTER_LIVES = """
home: {His} house leans so far over the canal that fish look in.|{He} lives in a tower with {n} staircases and a single door.|{His} rooms smell of cedar, tallow and old parchment.|A {color} curtain divides {his} workshop from {his} bed.|{His} cottage stands on the ruins of a {ruin}.|{His} roof is patched with the sail of a wrecked {ship}.|The sign above {his} door shows a {color} {beast}.|{He} sleeps in a hammock once used by an admiral.|Moss grows on the north side of {his} chimney in the shape of {shape}.|{His} cellar is said to connect with the old {ruin}.
family: {His} mother was a smuggler of nutmeg and lace.|{He} has {n} brothers, each in the service of a different lord.|{His} father kept the gates of {realm2} for forty winters.|A sister named {lass} reigns over a very small duchy.|{He} was raised by an aunt who trained {beast}s.|{His} grandfather dug the well in {realm2} with a spoon, or so the story goes.|{His} cousin {elf} sings at the court of {realm2}.|Of {his} family nobody remains but an uncle called {lad}.|{He} was left on the steps of a {ruin} in a fish basket.
past: {He} once crossed the salt desert on a blind mule.|{He} served {n} years aboard a {ship} that never reached port.|A witch in {realm2} owes {him} a favor.|{He} was knighted by mistake and unknighted by letter.|{He} lost a wager, and with it the right to enter {realm2}.|In {his} youth {he} stole a bishop's horse and returned it brushed.|{He} learned {his} trade from a master called {elf}.|{He} fought in the Turnip War, on both sides.|{He} once talked a {beast} down from a belfry.|Years ago {he} was shipwrecked off {realm2} with a crate of violins.
look: {His} cloak is {color} and older than the mayor.|{He} has one silver tooth and a voice like gravel.|{His} left eye is a shade greener than {his} right.|A scar in the shape of {shape} runs down {his} cheek.|{He} wears {n} rings and will explain none of them.|{His} hat bears the feather of a {beast}.|{His} boots were made for a much larger person.|{He} has ink on {his} fingers and flour on {his} sleeves.|{His} hair turned white in a single night in {realm2}.|{He} carries a walking cane with a {beast}'s head.
friends: {His} closest friend is {elf}, who mends nets by the harbor.|{He} plays dice with {elf} and {elf2} and loses gracefully.|The innkeeper, {elf}, lets {him} eat on credit.|Children follow {him} through the market for the sake of {his} stories.|{He} has a standing feud with the {trade} of {realm2}.|{Elf}, {his} apprentice, is clumsy and loyal.|The duchess of {realm2} sends {him} a goose each year.|{He} trusts nobody but {elf}, and {elf} is deaf.|A ferryman called {lad} carries {his} letters for nothing.
food: {He} lives on black bread, hard cheese and gossip.|{His} eel pie is feared in {n} parishes.|{He} salts {his} porridge and sugars {his} fish.|A barrel of pickled plums stands behind {his} door.|{He} pays the baker in riddles.|{His} kettle has not been empty since the old king's day.|{He} has sworn off turnips on account of the war.|The best dumplings in {realm2} are made from {his} recipe.
creature: A one-winged {beast} shares {his} hearth.|{His} mule, {elf}, is older than the bridge.|{He} keeps a {beast} in the stable and calls it a pony.|A jackdaw named {elf} brings {him} spoons.|{His} cat has {n} kittens and no patience.|{He} is on good terms with the mice behind the paneling.|{He} talks to the {beast} painted on the tavern wall.
skill: {He} can tell a forged coin by its ring.|{He} speaks {n} languages, two of them dead.|{He} reads the tides more surely than any almanac.|{He} writes a beautiful hand and spells like a goat.|{He} can sleep standing up, a leftover of sentry duty.|No lock in {realm2} has ever kept {him} out.|{He} rides badly, swims well and dances better.|{He} once beat the champion of {realm2} at ninepins.|{His} memory for faces is famous, and {his} memory for debts is not.
possession: {He} owns a {relic} that came from a sunken {ship}.|A chest with {n} locks stands at the foot of {his} bed.|{His} most precious belonging is a {relic}, wrapped in {color} silk.|{He} carries a {relic} in {his} left pocket.|On {his} wall hangs a portrait of a {beast} in a ruff.|{His} sword is in pawn with a merchant from {realm2}.|{He} inherited a {relic} and a great many bills.|There is a {relic} on {his} mantel that no guest is allowed to touch.
reputation: The guard at the gate salutes {him} without knowing why.|People in {realm2} say {he} was once a prince.|{His} name is carved into the bench outside the {ruin}.|A ballad about {him} has {n} verses, most of them untrue.|The mayor consults {him} on matters of drainage.|Some call {him} wise, and {elf} calls {him} a nuisance.|{He} is welcome in every kitchen from {realm} to {realm2}.|Tax collectors avoid {his} street.
quirk: {He} refuses to cross a bridge without a coin in {his} shoe.|{He} keeps {his} accounts in verse.|{He} greets statues by their first names.|Thirteen is {his} lucky number, and {he} will not hear otherwise.|{He} wears two waistcoats, one of them inside out.|{He} distrusts any door painted {color}.|{He} calls every cat in town by the name of {elf}.|{He} numbers {his} days from the death of a favorite {beast}.
closing: It is said that {he} will leave for {realm2} in a year or two.|{He} means to write {his} memoirs in invisible ink.|The town would be duller without {him}.|{He} has asked to be buried with a {relic}.|For the present {he} is content with {his} lot.|{Elf} has sworn to set {his} tale to music.|{He} still hopes to see the sea beyond {realm2} once more.
"""

TALE_SLOTS = {
    "ruin": "monastery|windmill|toll house|watchtower|bathhouse|granary|playhouse|gatehouse|mint|chapel",
    "ship": "schooner|galleon|whaler|royal barge|merchantman|pirate sloop|herring boat|packet ship",
    "beast": "griffin|heron|wolfhound|basilisk|peacock|boar|mastiff|sea serpent|stag|wyvern|goat|raven",
    "elf": "Osric|Maude|Tobin|Isolde|Garrick|Wilhelmina|Bartholomew|Hesper|Quillon|Rowena|Sorrel|Dagmar|Florian|Mirabel|Leofric|Ottoline|Percival|Brunhild|Casper|Eudora",
    "lass": "Guinevere|Ermintrude|Sybil|Rosamund|Hawise|Matilda|Yseult|Cunegund",
    "lad": "Egbert|Hengist|Torquil|Gervase|Lancelin|Ambrosius|Ranald|Cuthbert",
    "elf2": "Aldous|Berengar|Cecily|Drusilla|Emrys|Fenwick|Griselda|Humphrey|Jocasta|Lysander",
    "relic": "cracked spyglass|bone flute|music box|silver thimble|star chart|jade toad|brass sextant|pearl-handled comb|crystal inkwell|wooden crown|copper lantern|velvet glove",
}

PERSON_WOMEN = "Marta Priya Odessa Helene Yasmin Bridget Noemi Adaeze Linnea Carlotta Saoirse Fumiko Delphine Rukmini Agnes Tova Imani Gudrun Paloma Zuzana Harriet Amina Birgit Chiara Dolores Esther Fiona Giulia Hannah Irina Joanna Kirsten Lucia Magda Nadia Orla Petra Renata Sabine Teresa Ursula Valeria Winifred Ximena Yvonne Zainab Anneke Bettina Claudia Daphne Eleni Florence Gemma Hilda Ilse Jolanta Keiko Lorna Mireille Nkechi Ottilie Philippa Rosalind Sunita Tatiana Una Veronika Wendy Yolanda Zora Alma Beatrice Corinne Dagny Edith Freya"
PERSON_MEN = "Anselm Mateus Dmitri Kwame Henrik Rafael Tadeusz Idris Laszlo Benedict Cormac Emil Farid Giorgio Hiroshi Isak Joaquin Kofi Leander Milan Nikolai Olafur Piotr Quentin Rashid Sergio Tomasz Ulrich Vikram Walter Xavier Yannis Zoltan Arjun Bartosz Cedric Dario Eamon Felix Gustav Hamid Igor Jerome Klaus Lorenzo Magnus Nestor Orlando Pascal Reuben Samir Thaddeus Umberto Vincent Wendell Yusuf Zachary Alistair Bruno Caspian Desmond Edgar Fabian Gregor Horace Ismael Julian Kenji Lucien Murray Nigel Omar Perrin Rodrigo Stellan Theo"
SURNAMES = "Okafor|Lindqvist|Moreau|Castellano|Petrov|Nakamura|Abernathy|Delgado|Vandermeer|Kowalski|Achebe|Bianchi|Thorvaldsen|Rahman|Fitzgerald|Novak|Sandoval|Ito|Brandt|Osei|Marchetti|Haugen|Dubois|Pereira|Varga|Mbeki|Larsson|Quigley|Yamamoto|Zielinski|Ferreira|Blackwood|Choudhury|Esposito|Gallagher|Holloway|Ivanova-Reed|Jansen|Kaya|Leclerc|Montoya|Nyberg|O'Dwyer|Papadakis|Rossi|Sorensen|Tanaka|Usman|Vogel|Whitcombe"
CHARACTER_WOMEN = "Isaura|Thessaly|Morwenna|Brynhild|Elowen|Sabra|Calista|Ysolde|Nerissa|Tamsin|Oriel|Vesna|Lunete|Hespera|Maerwen|Petronel|Galatea|Sidony|Avelina|Melisande|Rhoswen|Quintessa|Zephyrine|Damaris|Eglantine|Fenella|Ginevra|Hildreth|Jessamine|Kerensa|Lavinia|Muriel|Nimue|Ondine|Perdita|Sunniva|Theodora|Undine|Viveka|Wilmot|Xanthe|Ysabeau|Araminta|Bellamy|Cressida|Drusa|Emmeline|Faustina|Guinevra|Honora"
CHARACTER_MEN = "Aldric|Balthasar|Corvin|Dunstan|Edric|Fulk|Godric|Hartwin|Ignatius|Jorund|Kestrel|Lambert|Mordaunt|Norbert|Odo|Peregrine|Quenby|Roderick|Sigmund|Tiberius|Ulfric|Valdemar|Wulfstan|Yorick|Zebulon|Ambrose|Barnabas|Crispin|Dorian|Erasmus|Fabrizio|Gawain|Hieronymus|Ivo|Jocelin|Kasimir|Lothar|Merrick|Nicodemus|Oswin|Phineas|Ranulf|Silvanus|Thorne|Urien|Vortigern|Waldo|Alaric|Brandt|Cassius"
TITLES_WOMEN = "|Captain|Lady|Dame|Mother|Old|Mistress|Sister|Countess|Doctor|Aunt|Widow|Madam|Warden|Judge|Baroness|Magistra|Quartermaster|Abbess|Young"
TITLES_MEN = "|Captain|Sir|Brother|Old|Master|Father|Count|Doctor|Uncle|Bosun|Warden|Judge|Baron|Squire|Magister|Sergeant|Quartermaster|Abbot|Young"
