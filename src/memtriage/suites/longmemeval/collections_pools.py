"""Things of a kind that users add up over several chats, each with a figure.

Per block: `# attribute`, `+` the things, `q` the figure's range (unit low high step), `>` how one is told, `count`,
`sum`, `diff`, `most` and `when` how it is asked for their number, the figures' total, the difference of two,
the one with the largest figure, and the one of a certain time.
"""

TEXT = """
# home/plants
+ a Boston fern; a rubber plant; a peace lily; a prayer plant; a string of pearls; a bird's nest fern; a calathea
q $ 8 46 1
> I came home with {item} for {q}, and it looks a bit sad by the window.
> {item} cost me {q} at the nursery, so I'd rather not kill it.
> I've just put {item} on the sill, {q} well spent if it survives.
count How many houseplants have I acquired lately?
sum What have I spent on houseplants altogether?
diff How much more did I pay for {a} than for {b}?
most Which houseplant was the most expensive one I got?
when Which houseplant did I get

# owned/bikes
+ a helmet; a floor pump; a dynamo light; a folding lock; a set of panniers; a gel saddle; a bell
q $ 12 140 4
> I bought {item} for my bike at {q}, which hurt a little.
> For cycling I got myself {item}, {q} in the shop on the corner.
> I picked up {item} for the bike, down to {q} in the sale.
count How many accessories have I purchased for cycling?
sum How much money went into accessories for my bike in total?
diff What is the price difference between {a} and {b} that I got for cycling?
most Which bike accessory did I spend the most on?
when Which bike accessory did I buy

# owned/cars
+ a new battery; an oil change; a wheel alignment; two front tyres; a wiper motor; a brake check; a windscreen repair
q $ 45 390 5
> The garage did {item} for {q}, and now the radio code is gone.
> I had to pay {q} for {item}, not what I'd planned this month.
> My car needed {item}, which came to {q} with labour.
count How many jobs did I have done on my car?
sum What did all the work on my car come to?
diff How much dearer was {a} than {b} for my car?
most What was the costliest job on my car?
when What did I have done on the car

# owned/pet
+ a travel crate; a raised bowl; a chew-proof bed; a winter coat; a reflective harness; a puzzle feeder; a pet camera
q $ 14 120 2
> I ordered {item} for the dog, {q} with shipping.
> The dog now has {item}, which set me back {q}.
> I gave in and paid {q} for {item}, because the dog looked at me.
count How many things did I get for my dog?
sum How much did I spend on my dog's things overall?
diff How much more did {a} cost than {b} for the dog?
most On which item for my dog did I spend the most?
when What did I get for the dog

# eating/baking
+ a lemon tart; a rye loaf; a tray of cinnamon buns; an almond cake; a plum galette; a batch of scones; a cheesecake
q minutes 35 160 5
> I baked {item} and it took me {q} from start to finish.
> My kitchen smells of {item}, {q} of work and no regrets.
> I spent {q} on {item}, and the first slice was gone in seconds.
count How many different things have I baked?
sum How many minutes of baking were that in all?
diff How many minutes longer did {a} take me than {b}?
most Which of my bakes took the longest?
when What did I bake

# eating/home cooking
+ a lentil curry; a fish stew; a mushroom lasagne; a beef pho; a pumpkin soup; a paella; a moussaka
q people 2 14 1
> I cooked {item} for {q}, and the big pot was barely enough.
> There were {q} at the table when I served {item}.
> I made {item} for a round of {q}, with a lot of improvising.
count How many dishes have I cooked for guests?
sum How many people did I feed with those dishes in total?
diff How many more people ate {a} than {b}?
most Which dish did I serve to the largest round?
when What did I cook for guests

# media/book
+ a history of salt; a novel about twins; a biography of a diver; a spy thriller; a book on moss; a family saga
q pages 140 620 10
> I've read {item} to the end, {q} in a few evenings.
> I finished {item}, all {q} of it, and need something lighter.
> {item} is done, {q} later I'm none the wiser.
count How many books have I completed?
sum How many pages are the books I completed together?
diff How many pages more did {a} have than {b}?
most Which of the books I completed was the longest?
when Which book did I complete

# media/movie
+ a courtroom thriller; a silent comedy; a western; a film about whales; a heist story; a musical; a ghost film
q minutes 82 190 4
> We watched {item}, and {q} felt like half of that.
> Last pick of our film night was {item}, {q} without a break.
> I saw {item}, which ran for {q}, and I want something similar.
count How many films have I watched?
sum What is the total running time of the films I watched?
diff By how many minutes was {a} longer than {b}?
most What was the longest film I watched?
when What kind of film did I watch

# media/video game
+ a farming sim; a puzzle platformer; a racing game; a space trader; a detective game; a city builder; a roguelike
q hours 6 94 1
> I finished {item} after {q}, and my eyes are square.
> It took me {q} to get through {item}.
> I put {q} into {item} before the credits rolled.
count How many games have I played through?
sum How many hours have I put into the games I played through?
diff How many more hours did I spend on {a} than on {b}?
most Which game did I put the most hours into?
when Which sort of game did I play through

# travel/destination
+ Lisbon; Ghent; Tromsø; Zadar; Valletta; Kraków; Bergen; Trieste
q days 2 13 1
> I was in {item} for {q}, and the photos are still unsorted.
> My stay in {item} was {q} long, and I ate far too much.
> We had {q} in {item}, with rain on every one of them.
count How many cities have I visited?
sum How many days did I spend in those cities altogether?
diff How many days more did I stay in {a} than in {b}?
most In which city was my stay the longest?
when To which city did I go

# travel/road trips
+ the lakes; the border hills; the salt flats; the wine villages; the cape; the canyon rim; the old mill towns
q miles 90 780 10
> We drove to {item}, {q} there and back.
> Our drive to {item} came to {q} on the counter.
> I did {q} on the trip to {item}, with two flat tyres.
count How many drives did we make for pleasure?
sum How many miles were all our drives together?
diff How many miles further was the drive to {a} than the one to {b}?
most Which drive had the most miles?
when Where did we drive

# travel/hotel
+ a lodge by the weir; a hostel in a chapel; a farm stay; a harbour inn; a tower room; a lakeside cabin
q $ 55 320 5
> A night in {item} was {q}, breakfast not included.
> I stayed in {item}, which charged me {q} a night.
> We paid {q} a night for {item}, and the walls were thin.
count In how many different places did I stay overnight?
sum If I add one night in each of the places I stayed at, how much is that?
diff How much more per night was {a} than {b}?
most Which of the places I stayed at charged the most per night?
when In what kind of place did I stay

# shopping/gift purchasing habits
+ a silk scarf; a card game; a tea sampler; a pocket knife; a poetry book; a photo frame; a box of truffles
q $ 12 96 2
> I got {item} for a birthday, {q} and already wrapped.
> As a present I chose {item} at {q}, and hope it lands.
> I spent {q} on {item} as a gift for a colleague.
count How many presents have I bought?
sum How much did I spend on presents in total?
diff How much more did I spend on {a} than on {b} as presents?
most Which present was my most expensive one?
when What did I buy as a present

# shopping/fashion and apparel
+ a linen shirt; a pair of wool trousers; a denim jacket; a rain cape; a knit dress; a velvet blazer; a silk tie
q $ 24 210 3
> I bought {item} for {q}, and nothing I own goes with it.
> {item} came home with me, {q} after the discount.
> I gave in to {item} at {q} and need ideas for pairing it.
count How many pieces of clothing have I added to my wardrobe?
sum How much have my new clothes cost me so far?
diff What did I pay on top for {a} compared with {b}?
most Which new piece in my wardrobe cost the most?
when Which garment did I buy

# shopping/grocery shopping
+ the farm shop; the corner store; the wholesale hall; the organic market; the night shop; the fish counter
q $ 14 160 2
> I left {q} at {item} for food, with hardly anything in the bag.
> My food run to {item} came to {q}.
> At {item} I paid {q} for groceries, snacks included.
count At how many different places did I shop for food?
sum What did all my food shopping add up to?
diff How much more did I leave at {a} than at {b}?
most At which place did I spend the most on food?
when Where did I do a food run

# shopping/technology gadget purchasing
+ a smart plug set; a tablet; a label printer; a dash cam; a weather station; a drone; a bone-conduction headset
q $ 28 460 4
> I ordered {item} for {q}, and the manual is useless.
> {item} arrived, {q} in total, and I can't pair it.
> I paid {q} for {item} and wonder about the warranty.
count How many electronic devices have I ordered?
sum What is the sum I spent on electronic devices?
diff How much pricier was {a} than {b}?
most Which electronic device cost me the most?
when Which electronic device did I order

# attending/concerts
+ a brass band; a string quartet; a ska group; a gospel choir; a synth duo; a jazz trio; a folk singer
q $ 15 130 5
> I saw {item} live, the ticket was {q}.
> My ticket for {item} cost {q}, and my ears are still ringing.
> I paid {q} to hear {item}, worth every cent.
count How many live music nights have I been to?
sum How much have I paid for live music?
diff How much more was the ticket for {a} than the one for {b}?
most For which act was my ticket the most expensive?
when Which act did I hear live

# attending/galleries and museums
+ the puppet museum; the print gallery; the railway museum; the glass museum; the tea museum; the map rooms
q minutes 40 210 5
> I spent {q} in {item}, and my feet hurt.
> {item} kept me for {q}, mostly in one room.
> I was in {item} for {q} and missed the whole upper floor.
count To how many museums and galleries did I go?
sum How many minutes did I spend in museums and galleries?
diff How many minutes longer was I in {a} than in {b}?
most Where did I stay the longest among the museums?
when Which museum did I visit

# attending/charity events
+ a river clean-up; a sponsored walk; a soup kitchen shift; a toy drive; a blood donation day; a charity quiz
q hours 2 9 1
> I helped at {item} for {q}, and my back knows it.
> I gave {q} of my weekend to {item}.
> I did {q} at {item}, next time I'm bringing gloves.
count How many good causes have I lent a hand to?
sum How many hours of helping out have I done?
diff How many hours more did I give to {a} than to {b}?
most To which good cause did I give the most hours?
when What did I volunteer for

# attending/workshops
+ a silver casting day; a kite making course; a mosaic course; a soap making day; a calligraphy course; a felt class
q $ 25 180 5
> I took {item} for {q}, and I've got the stains to prove it.
> I paid {q} to join {item}, materials included.
> {item} was {q}, and I'd do it again.
count How many creative courses have I taken?
sum How much did the creative courses cost me together?
diff How much more was {a} than {b}?
most Which creative course was the most expensive?
when Which creative course did I take

# recreation/gardening
+ courgettes; beetroot; runner beans; strawberries; kale; garlic; potatoes
q kilos 2 19 1
> I harvested {q} of {item}, and the kitchen is full.
> {q} of {item} came out of my garden, more than expected.
> I've dug and picked {q} of {item} with muddy knees.
count How many kinds of produce did I harvest?
sum How many kilos has my garden given me overall?
diff How many kilos more of {a} than of {b} did I harvest?
most Which crop gave me the most?
when What did I harvest

# recreation/painting
+ a harbour scene; a portrait of my aunt; a bowl of figs; a winter lane; an abstract in blue; a sleeping cat
q hours 3 26 1
> I worked {q} on {item}, and the light is still off.
> {item} is dry at last, {q} of painting later.
> I painted {item} in {q}, mostly at night.
count How many pictures have I painted?
sum How many hours did I sit at the easel for these pictures?
diff How many hours longer did I work on {a} than on {b}?
most On which picture did I work the longest?
when What did I paint

# recreation/model building
+ a fire engine; a lifeboat; a signal box; a flying boat; a tank wagon; a windmill; a snow plough
q parts 48 390 6
> I built {item} from {q}, and two were missing.
> {item} with its {q} is done, glue on every finger.
> I got through the {q} of {item} in a weekend.
count How many scale models have I completed?
sum How many parts did my completed models have in total?
diff How many more parts did {a} have than {b}?
most Which of my scale models had the most parts?
when Which scale model did I build

# recreation/fishing or hunting
+ a carp; a perch; an eel; a sea bass; a chub; a rainbow trout; a catfish
q pounds 2 24 1
> I landed {item} of {q}, and nobody was there to see it.
> {item} of {q} took my bait, after hours of nothing.
> I caught {item} that weighed {q}, and let it go.
count How many fish have I caught?
sum What is the combined weight of my fish?
diff How much heavier was {a} than {b}?
most Which was the heaviest fish I caught?
when What did I catch

# recreation/bird watching
+ the estuary; the gravel pits; the heath; the reed bed; the old orchard; the sea wall; the quarry lake
q species 6 54 1
> I ticked off {q} at {item} before it got windy.
> A morning at {item} gave me {q}, all in the notebook.
> I noted {q} out at {item}, with a borrowed scope.
count At how many spots did I go watching birds?
sum If I add up my notes from each spot, how many species entries is that?
diff How many more species did I note at {a} than at {b}?
most Which spot gave me the most species?
when Where did I watch birds

# recreation/board games
+ a canal building game; a game about moths; a card duel; a trading game; a mystery box; a dexterity game
q $ 14 88 2
> I bought {item} for {q}, and now the rules are confusing us.
> {item} joined the shelf for {q}.
> I spent {q} on {item} and need two more players.
count How many tabletop games have I bought?
sum How much money have I put into tabletop games?
diff How much more did {a} cost me than {b}?
most Which tabletop game did I pay the most for?
when Which tabletop game did I buy

# recreation/writing
+ a ghost story; an essay on fog; a radio play; a letter to the editor; a travel piece; a fable; a love poem
q words 180 4200 20
> I finished {item}, {q} exactly, and it needs a title.
> {item} ended up at {q}, twice the limit.
> I wrote {item} of {q} in one sitting.
count How many texts have I written?
sum How many words are my texts altogether?
diff How many words longer is {a} than {b}?
most What is the longest text I have written?
when What did I write

# recreation/fitness classes
+ a spin class; a rowing class; a boxing session; a circuit class; a hula hoop class; a trampoline hour
q calories 180 720 10
> I did {item} and burned {q}, says the watch.
> {item} was worth {q}, and I can't lift my arms.
> According to the screen I burned {q} in {item}.
count How many different workouts in a group have I done?
sum How many calories did I burn in those group workouts?
diff How many more calories did I burn in {a} than in {b}?
most Which group workout burned the most?
when Which group workout did I do

# recreation/collecting
+ a brass thimble; a railway badge; a perfume bottle; a tin sign; a glass marble; a coin from Crete; a toy lorry
q $ 6 140 2
> I added {item} to the cabinet for {q}.
> At the flea market I found {item}, {q} after some haggling.
> I paid a dealer {q} for {item}, and polished it all evening.
count How many pieces did I add to my cabinet?
sum How much have I spent on pieces for my cabinet?
diff How much more did I give for {a} than for {b}?
most Which piece in my cabinet cost the most?
when Which piece did I add to my cabinet

# recreation/aquarium keeping
+ neon tetras; cherry shrimp; corydoras; zebra snails; rasboras; guppies; otocinclus
q animals 2 18 1
> I put {item} into the tank, {q} to begin with.
> The tank has {item} now, {q} that hide all day.
> I brought home {item}, {q} in one bag, for the aquarium.
count How many sorts of animals have I put into my aquarium?
sum How many animals have I put into my aquarium in all?
diff How many more {a} than {b} went into my aquarium?
most Of which sort did I put the most into my aquarium?
when What did I put into my aquarium

# owned/jewelry
+ a jade bracelet; a silver brooch; a pearl pendant; a pair of onyx earrings; a copper bangle; a signet ring
q $ 35 480 5
> I bought {item} for {q}, and the clasp is stiff.
> {item} was {q} at the crafts fair.
> I treated myself to {item} at {q}, no occasion at all.
count How often did I treat myself to new jewellery?
sum What did my jewellery purchases total?
diff How much more did I pay for {a} than for {b}?
most Which piece of jewellery was the dearest?
when Which piece of jewellery did I buy

# owned/sports gear
+ a climbing harness; a wetsuit; a pair of skates; a rowing jacket; a table tennis bat; a ski helmet; a yoga wheel
q $ 22 290 4
> I bought {item} at {q}, and it needs breaking in.
> {item} cost me {q}, second-hand but fine.
> I picked up {item} for {q} and don't know how to store it.
count How many items of sports equipment did I buy?
sum What did I spend on sports equipment overall?
diff What was the extra I paid for {a} over {b}?
most Which item of sports equipment cost the most?
when Which item of sports equipment did I buy

# owned/crafting
+ a baby hat; a shawl; a pair of mittens; a bobble scarf; a tea cosy; a bedspread; an egg warmer
q hours 2 41 1
> I knitted {item} in {q}, watching old quizzes.
> {item} is off the needles after {q}.
> I put {q} into {item}, unpicking included.
count How many things have I knitted?
sum How many hours of knitting were that together?
diff How many hours more did {a} take than {b}?
most Which piece of knitting took the most time?
when What did I knit

# owned/antiques
+ a washstand; a brass kettle; an oil lamp; a school desk; a butter mould; a coal scuttle; a writing box
q $ 40 620 10
> I brought {item} home from an auction for {q}.
> {item} came from an estate sale, {q} in cash.
> I paid {q} for {item} that's older than my house.
count How many old pieces did I acquire?
sum How much money went on old pieces in total?
diff By how much did {a} exceed {b} in price?
most Which old piece was I ready to pay the most for?
when Which old piece did I acquire

# home/furniture
+ a hallway bench; a bookcase; a bar stool; a chest of drawers; a rocking chair; a nest of tables; a shoe rack
q $ 49 540 6
> I bought {item} for {q}, and the screws don't fit.
> {item} is finally here, {q} with delivery.
> We spent {q} on {item}, because the old one wobbled.
count How many pieces of furniture have I bought?
sum How much have I spent on furniture altogether?
diff How much more did I pay for {a} than for {b}?
most Which piece of furniture cost me the most?
when Which piece of furniture did I buy

# home/kitchen
+ a cast-iron pan; a salad spinner; a mortar; a kitchen scale; a fondue set; a knife block; a steamer basket
q $ 13 150 2
> I got {item} for the kitchen, {q} on offer.
> {item} moved into my kitchen for {q}.
> I paid {q} for {item}, and the drawer is too small.
count How many kitchen items have I bought?
sum What do my purchases for the kitchen add up to?
diff How much more was {a} than {b} for the kitchen?
most Which kitchen item was the most expensive?
when Which kitchen item did I buy

# daily/exercise routines
+ the canal path; the stadium steps; the cemetery hill; the beach; the ring road; the forest track; the golf course
q km 3 21 1
> I ran {q} along {item}, dodging prams.
> My run at {item} was {q}, slower than planned.
> I did {q} on foot by {item} before breakfast.
count How many places have I been running at?
sum How many kilometres have I run in total?
diff How many kilometres longer was my run at {a} than the one at {b}?
most Where was my longest run?
when Where did I go for a run

# social/posting
+ a picture of frost; a clip of my parrot; a rant about buses; a soup recipe; a sunset; a photo of a snail
q likes 14 880 2
> I posted {item} and it got {q}, more than usual.
> {item} that I put up collected {q}.
> I shared {item}, which brought me {q} overnight.
count How many posts have I put online?
sum How many likes did my posts get in total?
diff How many more likes did {a} get than {b}?
most Which of my posts was liked the most?
when What did I post

# media/educational content
+ a course on tides; a tax primer; an intro to Latin; a drawing course; a coding course; a course on bees; a Go class
q hours 3 38 1
> I completed {item}, {q} of video in all.
> {item} took me {q}, with the quizzes.
> I got through {item} in {q} and want more.
count How many courses did I get through online?
sum How many hours of online courses have I worked through?
diff How many more hours did {a} take than {b}?
most Which online course was the longest?
when Which online course did I complete

# media/podcast
+ an episode on glaciers; a talk with a diver; a fraud story; an episode on bread; a tram debate; a bat special
q minutes 22 110 2
> I listened to {item}, {q} while folding laundry.
> {item} ran {q}, and I missed my stop.
> I spent {q} on {item} and want to read up on it.
count How many podcast episodes have I heard?
sum How many minutes of podcasts have I heard?
diff By how many minutes was {a} longer than {b}?
most Which podcast episode was the longest I heard?
when Which podcast episode did I hear

# life/starting a business
+ a stall permit; a logo; a card reader; a first print run; a website; a business bank account; a set of crates
q $ 30 640 10
> For the little company I paid {q} for {item}.
> {item} for the business cost {q}, and that's only the start.
> I put {q} of the start-up money into {item}.
count For how many things did my small company need money?
sum What has my small company cost me so far?
diff How much more did my company spend on {a} than on {b}?
most What was the biggest expense of my small company?
when What did I pay for in my small company

# life/marriages
+ the florist; the photographer; the string trio; the tent hire; the cake; the invitations; the bus for guests
q $ 120 2400 20
> We paid {q} for {item}, wedding prices are a thing.
> {item} for the wedding comes to {q}, deposit included.
> We've settled {item} at {q} for the big day.
count How many items of the wedding have we settled or paid?
sum What do the settled items of the wedding come to?
diff How much more is {a} than {b} for the wedding?
most What is the biggest single cost of our wedding?
when What did we settle for the wedding

# owned/farm animal
+ geese; goats; ducks; quails; alpacas; sheep; rabbits
q animals 2 16 1
> We took in {item}, {q} for now, from a farm that closed.
> {item} have moved in, {q} with big appetites.
> I fetched {item} with the trailer, {q} in two rounds.
count How many kinds of farm animals did we take in?
sum How many farm animals have we taken in altogether?
diff How many more {a} than {b} did we take in?
most Of which kind of farm animal did we take in the most?
when Which farm animals did we take in

# owned/health related devices
+ a heating pad; a massage gun; an inhaler mask; a posture belt; a thermometer; a light therapy lamp
q $ 16 180 4
> I bought {item} for {q}, doctor's orders.
> {item} was {q}, and the app wants my birthday.
> I paid {q} for {item} and can't find the charger.
count How many health gadgets have I bought?
sum How much have I spent on health gadgets?
diff How much more was {a} than {b}?
most Which health gadget cost the most?
when Which health gadget did I buy

# person/language
+ Danish; Welsh; Tagalog; Czech; Basque; Farsi; Icelandic
q lessons 3 42 1
> I did {q} of {item} before I lost the thread.
> In {item} I've had {q}, all in the evenings.
> I took {q} in {item}, for the fun of it.
count In how many languages have I taken lessons?
sum How many language lessons have I had in total?
diff How many more lessons did I have in {a} than in {b}?
most In which language have I had the most lessons?
when In which language did I take lessons

# shopping/eco-friendly product preferences
+ a bamboo brush; a linen bread bag; a solar charger; a rain barrel; a bee hotel; a hemp towel; a draught excluder
q $ 6 98 2
> I swapped plastic for {item}, {q} well spent.
> {item} cost {q}, and it's meant to last.
> I ordered {item} at {q} to cut down on waste.
count How many green products did I get?
sum How much did the green products cost altogether?
diff How much more expensive was {a} than {b}?
most Which green product was the priciest?
when Which green product did I get

# attending/lectures or workshops
+ a talk on comets; a lecture on Vikings; a talk on sleep; a seminar on wills; a talk on jellyfish; a lecture on jazz
q minutes 35 140 5
> I sat in {item} for {q}, on a very hard chair.
> {item} lasted {q}, and half the room was asleep.
> I went to {item}, {q} without slides.
count How many public talks have I been to?
sum For how many minutes have I listened to public talks?
diff How many minutes longer was {a} than {b}?
most Which public talk lasted the longest?
when Which public talk did I go to

# eating/cocktail mixing
+ a rhubarb gin; a cold-brew liqueur; an elderflower syrup; a ginger beer; a cherry bitters; a spiced rum
q bottles 2 16 1
> I made {item}, {q} of it, and my fridge is full.
> {item} turned out well, {q} and counting.
> I filled {q} with {item} over the weekend.
count How many drinks have I made myself?
sum How many bottles of homemade drinks have I filled?
diff How many more bottles of {a} than of {b} did I fill?
most Of which homemade drink did I fill the most bottles?
when Which drink did I make
"""
