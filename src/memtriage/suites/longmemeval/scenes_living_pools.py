"""What users tell about shopping, daily routines, their home and what they eat; see `scenes_people_pools`."""

TEXT = """
# shopping/online shopping frequency | ordering things online
+ return policies; parcel lockers; wish lists; price alerts; delivery windows; impulse buys; spending caps
rate: up 2 9
> I get about {v} parcels a week, and the neighbours are starting to joke about it.
! It's up to {v} parcels a week by now, which is embarrassing.
? How many parcels arrive for me in a week?
= {v} parcels a week
locker: @STREET
> My parcels go to the locker on {v}, because nobody is home before six.
! I have my parcels sent to the locker on {v} now, the old one was always full.
? On which street is the parcel locker I use?
< On which street was the parcel locker I used earlier?

# shopping/favorite stores | finding good shops
+ opening hours; local makers; price matching; shop layouts; second-hand finds; staff advice; gift cards
store: @SHOP
> I buy nearly all my stationery at {v}, mostly because of the paper samples.
! For stationery I've gone over to {v}, the other shop stopped stocking my notebooks.
? In which shop do I get my stationery?
< In which shop did I use to get my stationery?
~ stationery > spices

# shopping/loyalty program | making the most of loyalty points
+ expiry dates; tier benefits; partner offers; member days; points transfers; free shipping; card clutter
points: up 800 6400 50
> My pharmacy card has {v} points on it and I have no idea what they're good for.
! The pharmacy card is at {v} points now, after the double-points week.
? What is the balance of points on my pharmacy card?
= {v} points
~ pharmacy card > fuel card

# shopping/sales events | shopping the sales
+ price history; queue tactics; bundle offers; return windows; outlet stores; newsletter codes; shopping lists
item: a stand mixer; a wool overcoat; a robot vacuum; a down duvet; a standing desk; an espresso machine
> At the spring clearance I grabbed {v} at half price, and now I need the right accessories.
? What did I snap up at the spring clearance?
~ spring clearance > autumn warehouse sale

# shopping/coupons | using coupons
+ stacking rules; paper clippings; cashback apps; expiry tracking; store brands; newsletter sign-ups; family packs
saving: money 4 38 1
> The coupon for coffee creamer and dish soap saved me {v} at the till.
? How much did the coupon for creamer and soap save me?
where: @SHOP
> I used the coupon for coffee creamer at {v}, where the self-checkout refused it twice.
? At which store did I redeem the creamer coupon?
~ creamer coupon > shampoo coupon

# shopping/gift purchasing habits | choosing gifts
+ gift wrap; experience vouchers; hobby gifts; last-minute ideas; group presents; budget limits; handmade presents
budget: money 15 90 5
> My limit for birthday presents is {v} a head, otherwise it gets out of hand.
! I have raised my limit for birthday presents to {v} a head.
? How much do I allow myself to spend on a birthday present?
< What used to be my limit for a birthday present?
~ birthday > wedding

# shopping/eco-friendly product preferences | shopping sustainably
+ refill stations; bamboo goods; repair guides; plastic-free bathrooms; fair labels; laundry strips; swap parties
swap: soap nuts; wool dryer balls; a safety razor; beeswax wraps; shampoo bars; a compost bin; cloth napkins
> I have switched to {v} at home, and my flatmate is sceptical.
? To what eco-friendly thing did I switch at home?
refill: @SHOP
> I take my empty jars to {v} for rice and lentils.
! The refill counter I go to with my jars is at {v} now.
? Where do I take my jars for refills?
< Where did I get my jars refilled before?

# shopping/luxury vs budget shopping | spending wisely
+ cost per wear; sample sales; dupes; care labels; resale apps; quality checks; seasonal splurges
splurge: a cashmere scarf; a leather briefcase; a silk robe; a Swiss watch; a tailored blazer; a crystal decanter
> My one splurge of the season was {v}, and now I'm back to thrift shops.
? On what one luxury did I splurge this season?
paid: money 120 940 10
> I put aside {v} for one really good winter coat.
? How much have I set aside for a winter coat?
~ winter coat > raincoat

# shopping/technology gadget purchasing | choosing gadgets
+ warranty terms; battery life; refurbished models; charging standards; user reviews; smart plugs; trade-in offers
earbuds: @BRAND
> My {v} earbuds keep dropping the connection on the tram.
! I replaced the earbuds with a pair from {v}, and they stay connected so far.
? Which make of earbuds am I using?
< Which make of earbuds did I have before?
~ earbuds > smartwatch

# shopping/fashion and apparel | putting outfits together
+ capsule wardrobes; colour matching; hem lengths; layering; tailor visits; fabric care; office dress codes
tailor: @NAME
> My tailor, {v}, swears that linen forgives everything.
? What is my tailor called?
size: 36; 38; 40; 42; 44
> In that brand's jackets I need a size {v}, although it says otherwise on the label.
! I tried the jackets again and my size there is {v} these days.
? Which jacket size do I take in that brand?
~ jacket > trouser

# shopping/grocery shopping | doing the groceries
+ shopping lists; seasonal produce; bulk buying; budget meals; freezer space; unit prices; market hours
spend: money 45 160 5
> Groceries cost me {v} a week at the moment, and that's without wine.
! My weekly shop for food has crept up to {v}.
? How much do I spend on groceries in a week?
< What did I spend on groceries a week earlier on?
store: @SHOP
> I do the big food shop at {v}, because the parking is free.
? At which supermarket do I do my main food shopping?

# shopping/shopping for others | running errands for others
+ size guesses; receipts; substitutions; delivery notes; elderly neighbours; shared lists; thank-you gifts
neighbour: @NAME
> My neighbour {v} can't manage the stairs, so I bring up the shopping.
? For which neighbour do I carry the shopping?
item: oat biscuits; a jar of gherkins; decaf coffee; cat litter; lavender soap; a lottery ticket
> The lady upstairs always wants {v}, no matter what else is on her list.
? What does the lady upstairs always have me bring?

# daily/wake-up time | getting up in the morning
+ alarm sounds; daylight lamps; snooze habits; breakfast prep; cold showers; morning stretches; phone-free starts
time: clock 5:00 8:30 15
> My alarm goes off at {v}, and I lie there negotiating with myself.
! I've pushed my alarm to {v} now, so the mornings look different.
? What time do I get up?
< What time was I getting up before I changed it?

# daily/bedtime | sleeping better
+ blue light; bedroom temperature; evening snacks; wind-down rituals; noise machines; caffeine cut-offs
time: clock 21:00 23:45 15
> I try to have the lights out by {v}, though the book usually wins.
! My new rule is lights out by {v}, no exceptions.
? When do I turn the lights off at night?
< What was my earlier rule for lights out?
tea: chamomile; lemon balm; rooibos; valerian; fennel; passionflower
> A pot of {v} tea is the only thing that settles me before sleep.
? Which tea helps me to fall asleep?

# daily/work or school start time | starting the workday
+ first-hour habits; inbox triage; punctuality; standing meetings; dress choices; desk set-up; commute buffers
time: clock 7:00 9:45 15
> I have to be at my desk by {v}, which rules out the later train.
! From this month on I have to be at my desk by {v}.
? At what time does my workday start?
< At what time did my workday start earlier?

# daily/meal time | planning meals around the day
+ late dinners; packed lunches; fasting windows; protein snacks; family tables; leftovers; breakfast ideas
dinner: clock 17:30 21:00 15
> We sit down to dinner at {v} sharp, because the kids melt down after that.
! Dinner at our place has moved to {v} since the training sessions began.
? When do we have dinner at home?
< When did we use to have dinner?
lunch: @CAFE
> I grab lunch at {v} most days, and my wallet can feel it.
? Where do I usually have lunch?

# daily/exercise routines | building an exercise habit
+ warm-ups; rest days; form checks; short sessions; step goals; mobility drills; training logs; motivation dips
days: up 2 6
> I manage {v} workouts a week, as long as nobody talks to me beforehand.
! I'm up to {v} workouts a week now.
? How many workouts do I do in a week?
= {v} workouts a week
buddy: @NAME
> My training partner {v} is faster than me and won't stop mentioning it.
? With whom do I train?
~ train > carpool
plank: up 60 240 5
> My longest plank is {v} seconds, and I was shaking like a leaf.
! I got my plank up to {v} seconds, in front of witnesses.
? What is my personal best for the plank?
= {v} seconds
< What was my plank record before I improved it?

# daily/coffee or tea break | taking breaks with coffee or tea
+ brew ratios; water temperature; bean storage; caffeine limits; break timing; milk frothing; iced versions
cups: int 2 7
> I drink {v} cups of coffee on a normal day, and my dentist is unimpressed.
! I'm at {v} cups of coffee a day since the new project began.
? How many cups of coffee do I drink in a day?
= {v} cups
~ coffee > matcha
beans: @CAFE
> I get my beans from {v}, roasted on the premises.
? Where do my coffee beans come from?

# daily/commuting | getting to work and back
+ traffic apps; season tickets; cycling in rain; park and ride; audiobooks on the way; seat tactics; delays
minutes: up 18 85
> Door to door my commute is {v} minutes, if the bridge isn't up.
! With the roadworks my commute takes {v} minutes these days.
? How many minutes does it take me to get to work?
= {v} minutes
< How long did it take me to get to work before the roadworks?
line: the 14 tram; the 52 bus; the harbour ferry; the S3 train; the river shuttle; the 9 trolleybus
> I take {v} to the office, usually standing.
? What do I ride to the office?

# daily/evening activities | spending the evenings
+ board games; easy crafts; reading lights; short walks; film picks; unplugging; light suppers
puzzle: up 200 2000 50
> There's a jigsaw of {v} pieces on our table, so dinner happens on the floor.
? How many pieces has the jigsaw on our table?
= {v} pieces
series: @TITLE
> After supper we're working our way through {v}, two episodes at a time.
! We gave up on the old series and are watching {v} after supper.
? What do we watch in the evening after our meal?
< What did we watch in the evenings before switching?

# daily/weekend routines | making weekends count
+ slow breakfasts; day trips; errands; family time; screen limits; market visits; Sunday blues
brunch: @CAFE
> Saturday brunch at {v} is sacred in our house.
! Our Saturday brunch has moved to {v} since the old place closed.
? Where do we go for brunch on Saturdays?
< Where did we go for brunch on Saturdays before the place closed?
sunday: polishing the brass; calling my aunt in Lima; baking rye bread; sorting the recycling; washing the car
> Sunday mornings are for {v}, always have been.
? What do I do on Sunday mornings?
~ Sunday > Wednesday

# daily/cleaning schedules | keeping the place clean
+ room rotation; limescale; pet hair; oven cleaning; decluttering drawers; laundry piles; streak-free windows
day: @DAY
> I do the bathroom on {v}, and everything else is chance.
! Bathroom cleaning is a {v} thing now, because of my new shifts.
? When do I clean the bathroom?
< When did I clean the bathroom before my shifts changed?
cleaner: @NAME
> {v} comes to clean every other week and rearranges my spices each time.
? Who cleans our place every second week?

# daily/time spent with family or friends | time with loved ones
+ picnic ideas; shared hobbies; phone-free dinners; long calls; rainy afternoons; cheap outings; inside jokes
call: @DAY
> I ring my parents every {v}, and they always pass the phone to the dog.
! The weekly call with my parents is on {v} from now on.
? On what day do I phone my parents?
< On what day did I phone my parents before?
~ parents > godchild
game: rummy; backgammon; dominoes; carrom; cribbage; mahjong; yahtzee
> My grandpa and I play {v} for pennies whenever I stay over.
? Which game do my grandfather and I play?

# home/living room | rearranging the living room
+ sofa placement; rug sizes; picture heights; cable clutter; accent colours; reading corners; sound-proofing
sofa: mustard; forest green; rust red; navy; charcoal; dusty pink; teal
> Our sofa is {v}, so the curtains have to be careful.
! We had the sofa re-covered, and it's {v} these days.
? What colour is our couch?
< What colour was our couch before it was re-covered?
~ couch > armchair

# home/kitchen | setting up the kitchen
+ knife storage; counter space; spice order; fridge hygiene; splashbacks; extractor fans; pan care
appliance: a pressure cooker; a bread machine; a rice cooker; a waffle iron; a dehydrator; a pasta roller
> The one thing in my kitchen that I use every single day is {v}.
? Which kitchen appliance do I use daily?
tiles: hexagonal; terracotta; checkerboard; sea-green; hand-painted; slate
> We chose {v} tiles for the kitchen wall, and the grout is a mystery to me.
! In the end we went for {v} tiles on the kitchen wall.
? What sort of tiles did we decide on for the kitchen?
~ kitchen > hallway

# home/bathroom | improving the bathroom
+ grout care; towel storage; shower heads; mould prevention; mirror lights; water saving; small spaces
plumber: @NAME
> The plumber we always call is {v}, but the tap is dripping again already.
! We have a new plumber, {v}, and the tap has finally stopped dripping.
? Who is our plumber?
< Who was our plumber before the new one?
~ plumber > electrician

# home/room style | finding a style for a room
+ mood boards; wall colours; mixing woods; textiles; open shelving; small budgets; statement pieces
style: Japandi; art deco; farmhouse; mid-century; coastal; industrial; Moroccan; Gustavian
> I'm going for {v} in the guest room, and the wardrobe refuses to cooperate.
! I changed course, the guest room is going to be {v}.
? What decorating style have I chosen for the guest room?
< What style did I first have in mind for the guest room?
~ guest room > nursery

# home/room lighting | getting the lighting right
+ bulb warmth; dimmers; reading lamps; hallway sensors; pendant heights; candle safety; energy use
kelvin: 2200; 2400; 2700; 3000; 3500; 4000
> The bulbs in my study are {v} kelvin, which feels wrong in the evening.
! I swapped the bulbs in my study for ones with {v} kelvin.
? What is the colour temperature of the bulbs in my study?
= {v} kelvin
lamp: @SHOP
> My floor lamp came from {v}, and the shade has a dent already.
? Where did I get my floor lamp?
~ floor lamp > bedside lamp

# home/furniture | choosing and caring for furniture
+ assembly tips; wood oil; upholstery fabrics; flat-pack fixes; drawer runners; vintage finds; room measurements
desk: oak; walnut; birch; cherry; bamboo; ash; pine
> My desk is solid {v}, so every coffee ring is a tragedy.
? What wood is my desk made of?
~ desk > bed frame
delivery: int 3 12
> The bookcase I ordered will take {v} weeks to arrive.
! The shop wrote again: the bookcase will take {v} weeks.
? How many weeks is the delivery of my bookcase going to take?
= {v} weeks
< What delivery time did the shop first give for my bookcase?

# home/technology | home technology
+ router placement; smart speakers; backup routines; password managers; cable labels; voice commands; guest networks
router: @BRAND
> The router is a {v} from the attic days, and the bedroom gets no signal.
! We put in a router by {v}, and the bedroom finally gets a signal.
? Which brand is our router?
< Which brand was our old router?
speed: 50; 100; 150; 250; 400; 500
> Our connection is meant to give {v} megabits, at least on paper.
! We upgraded the connection to {v} megabits.
? How fast is our internet connection meant to be?
= {v} megabits

# home/plants | caring for houseplants
+ watering rhythm; repotting; light levels; fungus gnats; propagation; humidity; fertiliser; yellow leaves
fern: Boris; Duchess; Sprout; Mildred; Gonzo; Pepper
> The fern in my hallway is called {v}, and it's dropping leaves out of spite.
? What name did I give to my fern?
~ fern > cactus
day: @DAY
> I water everything on {v}, rain or shine.
! Watering day has become {v}, since I'm away at weekends.
? On which day do I water my plants?
< On which day did I water my plants before?

# eating/home cooking | cooking at home
+ one-pot meals; knife skills; meal planning; spice blends; leftovers; stock cubes; weeknight shortcuts
signature: mushroom stroganoff; lamb tagine; prawn laksa; chicken adobo; leek risotto; bean chili; fish pie
> My signature dish is {v}, and I'd like something else to be known for.
? What is my signature dish?
knife: @BRAND
> I treated myself to a {v} chef's knife, and I'm scared of ruining the edge.
? Which brand is my chef's knife?
~ chef's knife > frying pan

# eating/food delivery | ordering food
+ tipping; lukewarm fries; group orders; healthy picks; packaging waste; delivery fees; late drivers
place: @CAFE
> Friday is for noodles from {v}, delivered by the same cheerful guy.
! Our Friday noodles come from {v} now, the other kitchen shut down.
? From which place do we get our noodles on Fridays?
< From which place did our Friday noodles come before?
times: int 1 6
> I order in {v} times a month, more when deadlines pile up.
? How often a month do I order food?
= {v} times a month

# eating/vegetarian or vegan | eating plant-based
+ protein sources; iron-rich meals; dairy swaps; eating out; label reading; batch cooking; picky relatives
since: int 2 15
> I've been off meat for {v} years, and my uncle still offers me ham.
? For how many years have I not eaten meat?
= {v} years
cheese: cashew; almond; soy; oat; coconut; sunflower seed
> The only vegan cheese I like so far is the {v} kind.
! I've been converted, my favourite vegan cheese is the {v} kind now.
? Which sort of vegan cheese do I like best?
< Which sort of vegan cheese did I like best before?
~ cheese > sausage

# eating/favorite cuisines | exploring cuisines
+ street food; pantry staples; regional dishes; spice levels; restaurant hunting; dinner themes; cookbooks
cuisine: Georgian; Peruvian; Ethiopian; Burmese; Lebanese; Korean; Goan; Sichuan
> If I could eat only one thing for the rest of my life it'd be {v} food.
? Food from which region could I eat for the rest of my life?
restaurant: @CAFE
> {v} is where we go when there's something to celebrate.
! For celebrations we go to {v} these days.
? Which restaurant do we go to for celebrations?
< Which restaurant did we use to pick for celebrations?
~ celebrations > business lunches

# eating/snacking habits | snacking smarter
+ portion sizes; desk snacks; sugar cravings; nut mixes; late-night hunger; lunchbox ideas; crunchy options
snack: wasabi peas; salted licorice; rice crackers; dried mango; smoked almonds; seaweed chips; halva
> There's always a bag of {v} in my desk drawer, and it never lasts.
! The bag in my desk drawer holds {v} now, I had to break the habit.
? What snack is in my desk drawer?
< What snack did I keep in my desk drawer earlier?
~ desk drawer > glove compartment

# eating/barbecue | barbecuing
+ charcoal or gas; marinades; resting meat; vegetable skewers; smoke flavour; cleaning grates; side dishes
grill: @BRAND
> My grill is a {v} with a wobbly leg.
! I've replaced the wobbly grill with a {v}.
? What make is my grill?
< What make was my old grill?
hours: int 4 14
> My brisket takes {v} hours, and everyone is starving by then.
? How many hours do I smoke my brisket?
= {v} hours
~ brisket > salmon

# eating/baking | baking
+ oven temperatures; sourdough starters; pastry crust; sugar swaps; cake layers; proofing; cooling racks
starter: Gerald; Bubbles; Clementine; Doughlores; Ferdinand; Old Faithful
> My sourdough starter is named {v}, and it's sulking.
? What name has my sourdough starter?
flour: spelt; rye; einkorn; buckwheat; kamut; barley
> I bake mostly with {v} flour, which makes everything a bit dense.
! I've gone over to {v} flour for my loaves.
? With what kind of flour do I bake?
< With what kind of flour did I bake before?
~ bake > thicken my sauces

# eating/cocktail mixing | mixing drinks
+ shaking or stirring; syrups; glassware; zero-proof drinks; garnishes; ice quality; party batches
drink: a clover club; a paper plane; an aviation; a penicillin; a corpse reviver; a bramble; a vesper
> The drink my guests keep asking me for is {v}, and the lemons are killing my budget.
? Which cocktail do my guests ask for?
bitters: celery; cardamom; black walnut; grapefruit; lavender; chocolate
> I opened a bottle of {v} bitters and don't know what else to do with it.
? What flavour of bitters did I open?

# eating/cooking classes | taking a cooking class
+ class formats; knife safety; recipe notes; partner tasks; allergies; course fees; practice at home
teacher: @NAME
> In my cooking class {v} makes us taste everything blindfolded.
! A different chef, {v}, has taken over my cooking class.
? Who teaches my cooking class?
< Who taught my cooking class before the change?
theme: dumplings; fresh pasta; chocolate; fermentation; tapas; curry pastes; sauces
> The course I signed up for is all about {v}, six evenings in a row.
? What is the subject of the cooking course I booked?
~ cooking course > wine seminar
"""
