"""What users tell about the things and animals they own; see `scenes_people_pools`."""

TEXT = """
# owned/cars | looking after a car
+ tyre pressure; oil changes; insurance cover; winter storage; fuel economy; resale value; strange noises
model: @CAR
> My {v} has been making a faint rattle at low speed.
! I traded the old one in, so it's a {v} on the drive.
? What car do I drive?
< What car did I trade in?
garage: @COMPANY
> I take the car to {v} for the service, because they don't make me feel stupid.
! I've moved to {v} for servicing the car, they had a slot this week.
? Which garage services my car?
< Which garage serviced my car before?
~ car > camper van
plate: int 14 98
> I get {v} miles out of a gallon on the motorway, if I behave.
? What mileage per gallon does my car give on the motorway?
= {v} miles per gallon

# owned/bikes | maintaining a bike
+ chain care; puncture repair; lights; locks; saddle height; winter riding; bike fitting
brand: @BRAND
> My {v} bike needs a new chain again.
! I sold that bike, and I'm riding a {v} now.
? What make is my bike?
< What make was the bike I sold?
~ bike > kick scooter
bikes: up 2 7
> There are {v} bikes in the hallway, and nobody can get to the meter.
! That makes {v} bikes in the hallway.
? How many bikes do I keep in the hallway?
= {v} bikes

# owned/vehicles | owning other vehicles
+ registration; towing; battery care; licences; storage; leaks; seasonal checks
boat: Marigold; Second Wind; Tadpole; Ottoline; Gin Fizz; Little Heron
> Our old dinghy is called {v}, and she leaks like a basket.
? What name does our dinghy have?
~ dinghy > caravan
scooter: @BRAND
> My scooter is a {v}, slow but loyal.
! I've gone over to a {v} scooter, with actual brakes.
? Which make is my scooter?
< Which make was my scooter before?

# owned/computer | choosing and fixing a computer
+ storage; slow start-ups; backups; memory upgrades; keyboard feel; cooling; second screens
laptop: @BRAND
> My laptop is a {v} and sounds like a hairdryer.
! The hairdryer is gone, I'm typing on a {v} laptop.
? Which make is my laptop?
< Which make was my noisy laptop?
~ laptop > printer
memory: 8; 16; 24; 32; 48; 64
> My computer only has {v} gigabytes of memory, and the photo program crawls.
! I had the computer's memory upgraded to {v} gigabytes.
? How much memory does my computer have?
= {v} gigabytes

# owned/phone | getting the most out of a phone
+ screen protectors; storage; battery health; photo backups; plans; notification settings; repairs
screen: money 60 280 10
> Fixing the cracked screen of my phone came to {v}.
? How much was the screen repair of my phone?
~ screen > camera
plan: 5; 8; 12; 20; 30; 50
> My mobile plan has {v} gigabytes, and they're gone by the twentieth.
! I moved to a mobile plan with {v} gigabytes.
? How much data comes with my mobile plan?
= {v} gigabytes
< How much data came with my mobile plan before I moved?

# owned/pet | looking after a pet
+ vet visits; house training; grooming; separation stress; toys; feeding times; travel crates
name: Waffles; Juniper; Mackerel; Pickles; Otto; Biscotti; Marmalade; Tuppence; Ziggy; Fennel
> My dog {v} is scared of umbrellas.
? What is my dog's name?
~ dog's > hamster's
breed: whippet; beagle; Leonberger; schnauzer; greyhound; Samoyed; border collie; dachshund
> My dog's a {v}, so everybody tells me how much exercise he needs.
? What breed is my dog?
vet: @DOCTOR
> {v} wants to see the dog again because of the ear.
! We're with a different vet now, {v}, closer to home.
? Who is our vet?
< Who was our vet before we changed?

# owned/farm animal | keeping farm animals
+ fencing; feed; predators; shelter; egg production; hoof care; breeding
hens: up 4 30
> I've got {v} hens, and one of them thinks she's a rooster.
! With the newcomers it's {v} hens in the run.
? How many hens do I keep?
= {v} hens
~ hens > goats
eggs: up 10 90
> We get {v} eggs a week, which is far too many for two people.
! We're up to {v} eggs a week.
? How many eggs do we collect per week?
= {v} eggs

# owned/animal care items | choosing animal supplies
+ bedding; food storage; harness fit; scratching posts; dental sticks; flea treatment; travel bowls
food: @BRAND
> The cat only eats {v}, and she'd rather starve than switch.
! The cat has gone off it and only touches {v} these days.
? Which brand of food does my cat eat?
< Which brand of food did my cat eat before?
~ cat > rabbit

# owned/home | looking after a house
+ gutters; heating bills; insulation; damp; smoke alarms; paint; roof checks
year: 1894; 1907; 1923; 1931; 1948; 1956; 1962
> The house was built in {v}, so nothing in it is straight.
? In what year was our house built?
~ house > garage
heating: money 70 260 10
> Heating costs us {v} a month, with woolly socks on.
! The new tariff puts our heating at {v} a month.
? How much do we pay a month for heating?
< How much was our heating before the new tariff?

# owned/land | looking after a piece of land
+ fencing; soil tests; mowing; access rights; tree planting; drainage; wildflower strips
acres: int 2 24
> My grandfather's plot is {v} acres, mostly nettles.
! We sold a strip, so the plot is {v} acres.
? How many acres is the plot from my grandfather?
= {v} acres
< How many acres was the plot before we sold a strip?
trees: plum; hazel; walnut; quince; medlar; cider apple
> I've planted {v} trees along the ditch.
? What kind of trees did I plant along the ditch?
~ ditch > driveway

# owned/art | living with art
+ framing; hanging heights; light damage; insurance; local artists; prints; provenance
piece: a lino print of a ferry; a charcoal nude; a ceramic owl; an oil sketch of a quarry; a woven hanging
> Above my bed hangs {v}, slightly crooked.
! I've rehung things, so above my bed there's {v}.
? Which artwork hangs over my bed?
< Which artwork hung over my bed before?
~ bed > fireplace

# owned/antiques | caring for antiques
+ wood worm; restoration; valuations; polish; fairs; fakes; moving heavy pieces
piece: a barometer; a sea chest; a butter churn; a corner cupboard; a spinning wheel; a brass sextant
> I've inherited {v}, and it smells of pipe smoke.
? What antique did I inherit?
value: money 180 2400 20
> A dealer put the old clock at {v}, which surprised me.
! A second dealer looked at the old clock and said {v}.
? What is my old clock worth according to the latest valuation?
< What did the first dealer say my old clock was worth?

# owned/collectible | keeping collectibles
+ mint condition; display shelves; price guides; insurance; trading; humidity; certificates
figure: a tin robot; a moon bear; a space cadet; a clockwork tram; a glass frog; a resin dragon
> The best piece on my shelf is {v}, still in its box.
! Since the swap the best piece on my shelf is {v}.
? What is the best piece among my collectibles?
< What was my best collectible before the swap?

# owned/rare items | looking after rare items
+ authentication; safe storage; auctions; museum loans; cleaning; paperwork; appraisal
item: a first edition on moths; a misprinted stamp; a signed playbill; a meteorite slice; a pilot's logbook
> The rarest thing I own is {v}, and I keep it in a biscuit tin.
? What is the rarest thing that I own?

# owned/clothing | caring for clothes
+ stain removal; moths; ironing; wool washing; repairs; storage boxes; donation piles
coat: tweed; corduroy; waxed cotton; camel hair; loden; denim; quilted
> My favourite coat is {v}, and the lining has torn.
! I replaced my coat, and this one is {v}.
? What is my coat made of?
< What was my previous coat made of?
~ coat > dressing gown

# owned/jewelry | caring for jewellery
+ cleaning silver; clasp repairs; ring sizes; insurance; travel pouches; gemstones; allergies
ring: an opal; a garnet; a tourmaline; a moonstone; a citrine; a peridot
> My ring has {v} in it, and the setting is loose.
? Which stone is set in my ring?
~ ring > brooch
jeweller: @SHOP
> I leave my repairs with {v}, who never lose a stone.
! My repairs go to {v} these days.
? Which jeweller does my repairs?
< Which jeweller did my repairs before?

# owned/shoes | caring for shoes
+ leather cream; waterproofing; insoles; resoling; odour; storage; breaking in
pairs: up 7 40
> I own {v} pairs of shoes, and I wear three of them.
! After the sale it's {v} pairs of shoes in the hallway.
? How many pairs of shoes do I have?
= {v} pairs
~ shoes > gloves
cobbler: @NAME
> My cobbler {v} says these are beyond saving.
? What is my cobbler's name?

# owned/bag | choosing a bag
+ straps; laptop sleeves; leather care; anti-theft; weight; zips; organisers
bag: a canvas satchel; a roll-top rucksack; a doctor's bag; a waxed tote; a messenger bag; a hip pack
> I carry {v} to work, and the strap is fraying.
! I retired that one and carry {v} to work.
? What sort of bag do I take to work?
< What sort of bag did I take to work before?
~ work > the gym

# owned/sports gear | looking after sports gear
+ grip tape; drying gear; helmet age; storage; second-hand buys; sizing; safety checks
racket: @BRAND
> My racket is a {v}, restrung twice already.
! I've switched to a {v} racket, which is lighter.
? Which make is my racket?
< Which make was my racket before I switched?
~ racket > snowboard
shoes: int 120 720
> My running shoes have {v} kilometres on them, and it shows.
? How many kilometres have my running shoes done?
= {v} kilometres

# owned/musical instruments | caring for instruments
+ strings; humidity; cases; tuning pegs; cleaning; insurance; setting up
guitar: @BRAND
> My guitar is a {v} with a scratch shaped like Italy.
! I've traded the scratched one, so I'm playing a {v} guitar.
? Which make is my guitar?
< Which make was the guitar I traded?
~ guitar > keyboard
piano: 1888; 1902; 1911; 1926; 1934; 1951
> Our upright piano dates from {v}, and two keys stick.
? How old is our piano, that is, from what year is it?

# owned/health related devices | using health devices
+ calibration; battery checks; tracking sleep; reading charts; comfort; doctor reports; app syncing
pressure: 118; 122; 126; 131; 137; 142
> My blood pressure cuff showed {v} this morning, for the upper number.
! The cuff says {v} for the upper number these days.
? What is my latest upper reading on the blood pressure cuff?
< What upper reading did my blood pressure cuff show at first?
steps: up 4000 14000 500
> My band says I walk {v} steps a day on average.
! My daily average has gone to {v} steps.
? What is my average number of steps a day?
= {v} steps

# owned/crafting | craft supplies and projects
+ yarn weights; pattern reading; storage; gifts; blocking; sewing machines; beginner mistakes
project: a lace shawl; a quilt for my niece; a cable sweater; a patchwork bag; a crocheted owl; felt slippers
> I'm in the middle of {v}, and I've miscounted somewhere.
! I put that aside and cast on {v}.
? Which craft project am I working on?
< Which craft project did I put aside?
~ craft > woodwork
skeins: up 8 90
> There are {v} skeins in the cupboard, and I'm not allowed more.
! It's {v} skeins in the cupboard, purely by accident.
? How many skeins of yarn do I have?
= {v} skeins

# owned/photography | camera equipment
+ lens choice; sensor cleaning; tripods; straps; memory cards; filters; second-hand bodies
camera: @BRAND
> My camera is a {v} with a sticky shutter.
! The shutter gave up, so I shoot with a {v}.
? Which make is my camera?
< Which make was my camera with the sticky shutter?
lens: 24; 35; 50; 85; 105; 135
> The lens I leave on all the time is the {v} millimetre.
! The lens that stays on my camera is the {v} millimetre now.
? Which focal length stays on my camera?
= {v} millimetres
< Which focal length did I leave on my camera before?
~ camera > telescope
"""
