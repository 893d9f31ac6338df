"""What users tell about media, social networks, travel, hobbies and going out; see `scenes_people_pools`."""

TEXT = """
# media/book | finding and finishing books
+ reading goals; genre swaps; book clubs; chapter notes; library holds; slow starts; spoiler etiquette
current: @TITLE
> I'm halfway through {v} and the middle part drags.
! I dropped the slow one and started {v}, which moves a lot faster.
? Which book am I reading right now?
< Which book did I put aside before the one I am reading?
author: @WRITER
> Everything by {v} goes straight onto my nightstand.
? Which author do I collect on my nightstand?

# media/movie | picking films
+ director marathons; subtitles; family films; plot twists; cinema snacks; rewatch value; film scores
seen: @TITLE
> We watched {v} at the weekend, and half the room was in tears.
? What film did we see at the weekend?
fav: @TITLE
> {v} is my all-time favourite film, I know the dialogue by heart.
! I have to admit that {v} has overtaken my old favourite film.
? What is my favourite film?
< Which film was my favourite before it was overtaken?
~ film > opera

# media/tv show | choosing a series
+ pilot episodes; binge pacing; watch parties; cliffhangers; dubbed versions; mini-series; spoiler filters
episode: up 3 40
> I'm on episode {v} of that hospital drama and can't stop.
! I've got to episode {v} of that hospital drama.
? Up to which episode of the hospital drama have I watched?
= episode {v}
~ hospital drama > courtroom comedy

# media/music | discovering music
+ playlists; vinyl care; lyrics; concert films; genre history; headphones; practice tracks
band: @BAND
> I've had {v} on repeat while painting the fence.
! My current obsession is {v}, everything else sounds flat.
? Which band do I listen to all the time these days?
< Which band did I have on repeat before my current obsession?
records: up 20 300
> There are {v} records on my shelf, and the shelf is bending.
! My shelf holds {v} records by now.
? How many records do I own?
= {v} records
~ records > cassettes

# media/podcast | listening to podcasts
+ episode length; playback speed; true crime fatigue; commuting listens; note-taking; new releases; host chemistry
show: @TITLE
> I listen to {v} while I iron, so my shirts are never finished.
! For ironing I've changed over to a podcast called {v}.
? Which podcast do I listen to when I iron?
< Which podcast was my ironing companion earlier?
~ iron > jog

# media/video game | playing video games
+ boss fights; side quests; controller settings; co-op play; backlog guilt; save files; difficulty modes
game: @TITLE
> I've sunk far too many evenings into {v}, and the last boss still flattens me.
? Which video game has a final boss that I cannot beat?
hours: up 15 240
> The save file says {v} hours, which I'd prefer not to think about.
! My save file has crossed {v} hours.
? How many hours are on my save file?
= {v} hours
< How many hours did my save file show when I first mentioned it?

# media/streaming service | managing streaming subscriptions
+ shared accounts; watch lists; picture quality; cancel reminders; kids' profiles; price hikes; offline downloads
service: Lumiflix; StreamBarn; Orbito; ViewNest; Kinora; Pebble+; Telavia
> The only streaming subscription I've kept is {v}, mainly for the nature films.
! I've cancelled the old streaming service, and {v} is the only subscription left.
? Which streaming service do I subscribe to?
< Which streaming service did I cancel?
fee: money 6 19 1
> They charge me {v} a month for streaming, and I mostly watch one show.
? How much is my monthly streaming fee?

# media/theater | watching plays
+ seat choice; play scripts; intermission plans; recorded stage shows; classic authors; student tickets; dress codes
play: @TITLE
> I finally streamed the stage version of {v}, and the lighting was stunning.
? Which play did I watch in a recorded version?

# media/magazine and newspaper | reading the papers
+ subscriptions; long reads; crosswords; news fatigue; paper recycling; archive access; op-eds
paper: The Harbour Courier; The Morning Ledger; The Valley Post; The Northern Gazette; The Evening Quill
> I read {v} over breakfast, chiefly for the crossword.
! I let the old subscription lapse, and now it's {v} at breakfast.
? What newspaper do I read at breakfast?
< What newspaper did I read at breakfast before my subscription lapsed?
~ newspaper > comic strip collection

# media/youtube | following video channels
+ watch time; tutorials; comment sections; ad blockers; playlists; video quality; creator support
channel: Rusty Hinge; Tiny Loom; Salt and Cinder; Moss Lab; Backyard Comet; Brass Tacks Garage; Slow Kettle
> A channel called {v} taught me how to fix the dishwasher.
? Which video channel helped me with the dishwasher?
~ dishwasher > sewing machine

# media/educational content | learning online
+ course choice; quiz drills; certificates; study pace; note apps; discussion boards; motivation
course: astronomy; bookkeeping; marine biology; art history; statistics; carpentry; Roman law
> I'm taking a free course on {v}, and the videos send me to sleep.
! I dropped the first course and signed up for one on {v}.
? What subject is the online course I'm taking?
< What subject was the online course that I dropped?
module: up 2 12
> I've finished {v} modules of the online course, and the final test is still far off.
! That makes {v} modules of the online course finished.
? How many course modules have I completed?
= {v} modules

# media/audiobook and e-book | listening to books
+ narrators; sleep timers; e-reader fonts; library loans; highlight exports; playback speed; battery care
narrator: @NAME
> A narrator named {v} read my last audiobook, and I'd listen to her reading a phone book.
? Who narrated the last audiobook I heard?
loan: int 7 28
> The e-book loan runs out in {v} days, and I'm on page nine.
? In how many days does my e-book loan end?
= {v} days

# social/posting | posting online
+ captions; posting times; photo edits; privacy settings; content plans; drafts; engagement dips
theme: moss; manhole covers; old shop signs; breakfast plates; ferry boats; shadow patterns; garden gates
> My feed is nothing but pictures of {v}, and people seem to enjoy it.
! I have changed my feed over to pictures of {v}.
? What do I post pictures of?
< What did I post pictures of before I changed my feed?
likes: up 40 900 5
> My best post got {v} likes, all of them from strangers.
! One of my posts got {v} likes, which is a new record for me.
? How many likes has my most popular post had?
= {v} likes

# social/commenting | taking part in comment threads
+ tone; trolls; fact checks; muting threads; thoughtful replies; moderation; time limits
forum: the tram spotters' board; the sourdough forum; the allotment board; the fountain pen forum; the kite forum
> I answer most questions on {v}, often before breakfast.
? On which online board do I answer questions?

# social/followers | growing an audience
+ niche topics; bio texts; collabs; follower drops; analytics; consistency; giveaways
count: up 120 9800 10
> I have {v} followers, and half of them are bots, I suspect.
! My account has grown to {v} followers.
? How many people follow my account?
= {v} followers
< How many followers did I have when I first brought it up?
~ account > newsletter

# social/groups | running an online group
+ welcome posts; group rules; event threads; spam control; polls; active members; admin fatigue
members: up 30 900 5
> The neighbourhood group I moderate has {v} members, and they argue about bins.
! The neighbourhood group is at {v} members now.
? How many members does the group I moderate have?
= {v} members
admin: @NAME
> {v} and I share the admin duties, though I do most of the deleting.
! My co-admin stepped back, so {v} shares the duties with me now.
? Who shares the admin duties of the group with me?
< Who was my co-admin before?

# social/hashtags | using hashtags
+ tag research; banned tags; branded tags; tag counts; trends; local tags; caption placement
tag: #slowfern; #rustandpaint; #teaoclock; #tinybridges; #wetboots; #pocketgarden; #nightbakers
> I came up with the tag {v} for my series, and nobody else uses it yet.
? Which hashtag did I invent?

# social/campaigns | supporting campaigns
+ petition texts; share images; donation links; slogans; volunteers; press notes; timing
cause: saving the lido; a hedgehog crossing; the night bus; a free seed library; the clock tower; cleaner canals
> I'm helping with the campaign for {v}, and our flyer is unreadable.
? Which campaign am I supporting?
signatures: up 80 4000 10
> We have collected {v} signatures so far, with a month to go.
! We're at {v} signatures as of last night.
? How many signatures have we collected?
= {v} signatures

# social/messaging | staying on top of messages
+ group chats; voice notes; quick replies; muted hours; read receipts; photo dumps; polite declines
app: Chirrup; Pingbox; Tello; Murmur; Hearsay; Quillo
> The family chat is on {v}, and it never stops.
! The whole family moved the chat over to {v}.
? On which app is our family chat?
< On which app was our family chat before the move?
~ family chat > book club chat

# social/live streaming | streaming live
+ overlays; audio levels; chat moderation; stream schedules; camera angles; viewer games; internet drops
day: @DAY
> I go live every {v} with my pottery wheel.
! My pottery stream is on {v} from now on.
? When do I stream my pottery?
< When did I stream my pottery before?
viewers: up 8 240
> I had {v} viewers on my stream last time, and two of them were my parents.
! My last stream had {v} viewers.
? How many viewers did my latest stream have?
= {v} viewers

# social/social media breaks | taking a break from social media
+ app limits; boredom; notification settings; replacement habits; fear of missing out; re-entry rules; grey screens
days: int 7 60
> I stayed off every network for {v} days, and my thumbs kept twitching.
? For how many days did I stay away from social networks?
= {v} days

# travel/frequency | planning a year of travel
+ leave days; off-season deals; weekend breaks; travel fatigue; carbon footprint; loyalty tiers; home exchange
times: up 2 12
> I've been away {v} times this year, mostly with hand luggage.
! With the last getaway I've been away {v} times this year.
? How many times have I been away this year?
= {v} times

# travel/destination | choosing a destination
+ best months; visa rules; budget per day; local transport; crowds; food scenes; walking routes
next: @TOWN
> We've settled on {v} for the autumn, and I know nothing about the place.
! We dropped our first pick and are heading for {v} in the autumn.
? Where are we going in the autumn?
< What was our first choice for the autumn?
~ autumn > new year's break

# travel/road trips | planning a road trip
+ rest stops; playlists; fuel stops; scenic detours; car snacks; overnight stays; driver rotation
miles: up 180 1400 10
> We drove {v} miles over the long weekend, and the dog was sick twice.
? How many miles did we cover on the long weekend?
= {v} miles
stop: a diner shaped like a boot; a cider press; a dinosaur park; an abandoned quarry; a cheese cave; a salt museum
> Our favourite stop on the coast road was {v}, and I'd love to find more like it.
? What was our favourite stop along the coast road?
~ coast road > desert highway

# travel/travel agencies | booking through an agency
+ package deals; deposits; cancellation terms; tour guides; small groups; travel advisers; booking fees
agency: @COMPANY
> I booked through {v}, and now they don't pick up the phone.
! I rebooked everything with {v}, who at least reply.
? Through which agency is my trip booked?
< Through which agency did I book at first?

# travel/outdoor adventures | heading outdoors
+ trail maps; water filters; blister care; weather windows; campsite etiquette; layering; bear safety
trail: the Kestrel Ridge loop; the Saltmarsh path; the Gorge traverse; the Seven Tarns trail; the Old Drovers' way
> We hiked {v} with far too little water.
? Which trail did we hike with too little water?
~ hike > cycle
tent: @BRAND
> Our tent is a {v} that leaks at one seam.
! We bought a tent by {v}, the leaky one is history.
? Which brand is our tent?
< Which brand was our leaky tent?

# travel/airlines | flying
+ seat selection; lounge access; delays; baggage fees; jet lag; connecting flights; upgrades
airline: @AIRLINE
> I nearly always fly {v}, for the legroom more than the food.
! I've moved all my flights to {v} since the strike.
? With which airline do I fly these days?
< Which airline did I fly with before the strike?
seat: aisle; window; front-row; exit-row; back-row
> I'll take {v} seats every time, even if it means waiting.
? What sort of seat do I pick on a plane?

# travel/hotel | choosing a place to stay
+ breakfast deals; noise; late check-out; room upgrades; family rooms; cancellation; hidden fees
hotel: @HOTEL
> We're booked into {v} for two nights, and the reviews mention a rooster.
! We've been rebooked into {v}, the first place had a burst pipe.
? At which hotel do we have a reservation?
< At which hotel were we booked before the burst pipe?
room: int 101 480
> They gave us room {v} last time, right beside the lift.
? What was the number of our hotel room the last time?

# travel/travel with family vs solo travel | travelling with others or alone
+ shared budgets; kids on planes; alone time; safety; compromise; group tickets; meeting people
solo: @TOWN
> I went to {v} all by myself, and dining alone was the hard part.
? Where did I travel on my own?
~ on my own > with my in-laws

# travel/packing habits | packing light
+ rolling clothes; packing cubes; liquids; laundry on the road; shoe limits; day bags; checklists
weight: int 6 22
> My suitcase came to {v} kilos, mostly books.
! I repacked, and the suitcase is down to business at {v} kilos.
? What does my suitcase weigh?
= {v} kilos
< What did my suitcase weigh before I repacked it?
never: a travel kettle; a door wedge; a silk pillowcase; a sink plug; an extension lead; a clothes line
> I never leave without {v}, and everyone laughs at me for it.
? Which thing do I always pack?

# recreation/reading | reading as a habit
+ reading nooks; page goals; annotating; rereading; poetry; reading slumps; book lights
pages: up 20 90 5
> I read {v} pages a night before my eyes give up.
! I'm reading {v} pages a night by now.
? How many pages do I read in one night?
= {v} pages
club: @DAY
> My reading circle meets on {v}, and I never finish in time.
! My reading circle switched to {v}.
? On which weekday does my reading circle meet?
< On which weekday did my reading circle meet before it switched?
~ reading circle > writing workshop

# recreation/painting | painting
+ brush care; colour mixing; canvas sizes; underpainting; varnish; sketching; perspective
medium: gouache; egg tempera; acrylics; watercolour; oil pastels; ink wash; casein
> I paint in {v}, and skies always come out muddy.
! I've taken up {v} instead, because the drying time suits me.
? What do I paint with these days?
< What did I paint with before I changed?
subject: lighthouses; my neighbour's goats; tea tins; storm clouds; allotment sheds; fishing nets
> Half my paintings are of {v}, I can't explain why.
? What do half of my paintings show?
~ paintings > etchings

# recreation/musical instruments | practising an instrument
+ scales; finger strength; metronome use; sight-reading; stage fright; tuning; practice logs
plays: the accordion; the cello; the banjo; the oboe; the mandolin; the clarinet; the ukulele
> I've been learning {v} for a while, and my cat leaves the room.
! I've given up the first instrument and am on to {v}.
? Which instrument am I learning?
< Which instrument did I give up?
minutes: up 10 90 5
> I practise {v} minutes a day, when the neighbours are out.
! My practice time is up to {v} minutes a day.
? How many minutes do I practise music in a day?
= {v} minutes

# recreation/dancing | learning to dance
+ leading and following; shoes; rhythm; turns; practice at home; social dances; posture
style: tango; lindy hop; forró; bachata; flamenco; waltz; kizomba
> In {v} I'm forever half a beat late.
! I moved over from the beginners' style to {v}, which suits my knees.
? What sort of dance am I doing?
< What sort of dance did I do before I moved over?
partner: @NAME
> My dance partner {v} counts out loud, which doesn't help.
? Who is my partner at the dance lessons?
~ dance lessons > tennis doubles

# recreation/watching sports | following sports
+ match schedules; rules explained; pub screenings; fan travel; stats; fantasy leagues; season tickets
team: the Harbour Foxes; the Dunmore Rovers; the Ashford Comets; the Vale Kingfishers; the Pier Street Owls
> I've supported {v} since school, which builds character.
? Which team have I supported since my school days?
pub: @CAFE
> We watch the matches at {v}, under the broken fan.
! We watch the matches at {v} nowadays, because of the bigger screen.
? Where do we go to watch matches?
< Where did we watch matches before?

# recreation/participating in sports | playing a sport
+ warm-ups; league rules; injuries; gear care; team spirit; technique; match nerves
position: goalkeeper; left back; setter; scrum half; point guard; striker; libero
> I've been playing as {v}, and my knees have opinions.
! The coach has moved me to {v}, and I'm lost.
? In what position do I play?
< In what position did I play before the coach moved me?
goals: up 2 24
> I've scored {v} times this season, twice by accident.
! I've scored {v} times now this season.
? How many times have I scored this season?
= {v} times

# recreation/gardening | gardening
+ soil mix; slug control; pruning; seed starting; compost; raised beds; watering in heat
tomato: Black Krim; Green Zebra; Tigerella; Brandywine; Moneymaker; Sungold
> I'm growing {v} tomatoes, and the leaves are curling.
! I pulled up the first lot and planted {v} tomatoes.
? Which tomato variety am I growing?
< Which tomato variety did I pull up?
~ tomato > pumpkin
beds: up 2 9
> I've got {v} raised beds and no plan for any of them.
? How many raised beds are in my garden?
= {v} raised beds

# recreation/bird watching | bird watching
+ binocular settings; bird calls; feeders; field notes; hides; migration; photo distance
species: up 30 260
> My life list is at {v} species, not counting the one I dreamed.
! My life list has reached {v} species.
? How many species are on my bird list?
= {v} species
bird: a hoopoe; a golden oriole; a bittern; a wryneck; a hawfinch; a goshawk; a waxwing
> The rarest thing I've had on the feeder was {v}, for ten seconds.
? What was the rarest visitor at my bird feeder?

# recreation/fishing or hunting | fishing
+ bait choice; knots; licences; river etiquette; catch and release; cold mornings; tackle boxes
catch: a pike; a zander; a brown trout; a tench; a barbel; a grayling
> My biggest catch so far was {v}, and the photo is blurry.
! I've beaten that with {v}, which is my biggest catch now.
? What is my biggest catch?
< What was my biggest catch before I beat it?
lake: Lake Orrin; Tarn Hollow; Mirror Weir; Pike Pond; Lake Vessel; Heron Reach
> I've got a season permit for {v}, and I've been twice.
? For which water do I have a fishing permit?
~ fishing permit > boating permit

# recreation/board games | playing board games
+ rule explanations; game length; two-player picks; sleeving cards; storage; co-operative games; sore losers
game: Harvest of Ravens; Tin Canal; Moonlit Guilds; Orchard Barons; Nine Lanterns; Copper & Clover
> We've played {v} so often that the box is falling apart.
! Our table has moved on to {v}, and I lose at that as well.
? Which board game does our table play most these days?
< Which board game did we play most before?
wins: up 2 30
> My partner has beaten me {v} times in a row, and I want a strategy.
! It's {v} defeats in a row now, so any strategy is welcome.
? How many times in a row have I lost to my partner?
= {v} times

# recreation/video games | gaming as a hobby
+ set-up ergonomics; frame rates; retro consoles; streaming play; game nights; parental limits; achievements
console: a Nimbus Go; an Orbit Five; a PlayBarn Mini; a Retrobit; a Vextor Deck; a Quasar One
> My console is {v}, and the left stick drifts.
! I sold the old machine, so I'm on {v} now.
? Which console do I have?
< Which console did I sell?
~ console > arcade cabinet

# recreation/fitness classes | joining fitness classes
+ class etiquette; spin bikes; recovery; trainers; membership deals; class anxiety; water breaks
class: spinning; aqua aerobics; kettlebell circuits; barre; boxing drills; step aerobics; trampoline
> My Tuesday class is {v}, and I hide in the back row.
! My Tuesday class has been turned into {v}.
? What is the fitness class I do every Tuesday?
< What was my Tuesday fitness class before it changed?
~ Tuesday > Saturday
fee: money 18 70 2
> The gym takes {v} a month from me, used or not.
! My gym put the fee up to {v} a month.
? How much is my gym membership a month?
< What did my gym cost before the fee went up?

# recreation/yoga | practising yoga
+ breathing; tight hamstrings; props; morning flows; balance poses; teacher styles; mats
studio: @STUDIO
> The floor at {v} is freezing, so I bring two mats.
! I've changed studios and roll out my mat at {v}.
? Where do I go for yoga?
< Where did I practise yoga before?
pose: crow pose; headstand; dancer pose; the splits; wheel pose; side plank
> I still can't hold {v} for more than a breath.
? Which yoga position am I unable to hold?
~ yoga > gymnastics

# recreation/sculpting | sculpting
+ clay types; armatures; glazes; kiln firing; carving tools; drying cracks; studio rent
piece: a sleeping fox; a hand holding a pear; a heron; a knotted rope; a bust of my father; a snail
> I'm working on {v}, and the neck keeps cracking.
! I abandoned the cracked one and started on {v}.
? What am I sculpting at present?
< What sculpture did I abandon?

# recreation/photography | taking better pictures
+ exposure; composition; golden hour; street etiquette; editing; backups; portrait light
project: night buses; barber shops; empty swimming pools; market hands; puddles; stairwells
> My long-term photo project is about {v}, and permission is tricky.
? What is my photo project about?
shots: up 200 4000 50
> There are {v} shots on the card that I haven't sorted.
! The unsorted pile is up to {v} shots.
? How many of my shots are still unsorted?
= {v} shots

# recreation/stand-up comedy | trying stand-up comedy
+ opening lines; timing; hecklers; notebooks; open mics; callbacks; stage nerves
venue: @CAFE
> My first open mic was at {v}, in front of eleven people.
? At which venue did I do my first open mic?
minutes: up 3 20
> I've got {v} minutes of material, if people laugh slowly.
! I've built my set up to {v} minutes.
? How long is my comedy set?
= {v} minutes
~ comedy set > magic act

# recreation/writing | writing
+ outlines; dialogue; writer's block; feedback; word goals; submissions; titles
words: up 3000 64000 500
> My novel is at {v} words, most of them weather.
! The novel has grown to {v} words.
? How many words has my novel got?
= {v} words
< How many words did my novel have when I first spoke of it?
~ novel > memoir
hero: @NAME
> My main character is called {v} and refuses to do anything.
? What is the main character of my story called?

# recreation/collecting | collecting things
+ cataloguing; fair prices; storage; swaps; fakes; display cases; fairs
what: matchboxes; sugar sachets; enamel pins; ticket stubs; ink bottles; marbles; thimbles
> I've run out of drawers for my {v}, and a proper cabinet costs a fortune.
? What do I keep in my drawers as a collection?
count: up 40 900
> The collection has {v} pieces, and I know every one.
! I counted again, and the collection has {v} pieces.
? How many pieces are in my collection?
= {v} pieces

# recreation/model building | building models
+ glue choice; airbrushing; decals; scale; tiny parts; weathering; display
kit: a paddle steamer; a steam crane; a biplane; a lunar rover; a tram from the twenties; a trawler
> The kit on my bench is {v}, and I've lost a funnel.
! I finished that kit, and {v} is on my bench.
? What model am I building now?
< What model did I build before the present one?
scale: 1:24; 1:35; 1:48; 1:72; 1:87; 1:144
> I only build in {v}, anything bigger won't fit in the cabinet.
? In what scale do I build?

# recreation/aquarium keeping | keeping an aquarium
+ water changes; filters; algae; stocking; plants; lighting; quarantine
litres: 54; 80; 112; 160; 200; 240
> My tank holds {v} litres, and the glass is always green.
! I upgraded to a tank of {v} litres.
? How big is my aquarium?
= {v} litres
< How big was my aquarium before the upgrade?
fish: Captain; Biscuit; Nori; Wellington; Saffron; Dumpling
> The betta answers to {v}, or so I tell myself.
? What name does my betta have?
~ betta > tortoise

# attending/concerts | going to concerts
+ ear plugs; ticket resale; support acts; standing or seated; set lists; getting home; merch
band: @BAND
> I've got tickets for {v}, and my friend wants to know what to expect.
? For which band do I have tickets?
~ band > ballet
seat: row C; row F; row K; the balcony; the standing area; the second gallery
> We ended up in {v}, which was cheaper than I feared.
! The venue reseated us, so we're in {v}.
? Where will we be sitting at the show?
< Where were our seats before the venue moved us?

# attending/theater | going to the theatre
+ last-minute tickets; matinees; programmes; stage doors; dress; interval drinks; understudies
seen: @TITLE
> We saw {v} at the playhouse, and the set collapsed in act two.
? Which production did we see at the playhouse?
~ playhouse > open-air stage

# attending/galleries and museums | visiting galleries
+ audio guides; quiet hours; sketching; exhibition texts; memberships; kids' trails; museum cafés
show: glass beads; tide clocks; miniature rooms; forged paintings; protest posters; royal umbrellas
> The exhibition on {v} kept me busy for three hours.
? What was the subject of the exhibition that kept me for hours?
card: money 20 85 5
> My museum pass costs {v} a year, and I've used it four times.
! They raised the price of my museum pass to {v} a year.
? What is the yearly price of my museum pass?
< What was the yearly price of my museum pass before they raised it?

# attending/sports games | going to games
+ parking; chants; stadium food; family stands; weather gear; ticket apps; half-time
block: block 12; block 27; the north stand; the river end; the family terrace; block 8
> Our season seats are in {v}, right by the drummers.
! They've moved our season seats to {v}.
? Where are our season seats?
< Where were our season seats before?

# attending/film festivals | going to a film festival
+ festival passes; short films; panels; queue tactics; subtitles; late screenings; awards
award: @TITLE
> The one I voted for at the festival was {v}, and of course it lost.
? Which film did I vote for at the festival?
pass: int 4 15
> My pass is good for {v} screenings, and I've no idea how to choose.
? How many screenings does my festival pass cover?
= {v} screenings

# attending/religious services | attending services
+ choir practice; reading aloud; seasonal services; hospitality; etiquette; music; quiet prayer
choir: alto; tenor; bass; soprano; baritone
> I sing {v} in the parish choir, badly but loudly.
! The choirmaster has put me with a different voice, so I'm singing {v}.
? Which voice do I sing in the choir?
< Which voice did I sing before the choirmaster moved me?
~ choir > barbershop quartet

# attending/book readings | going to readings
+ questions for authors; signing queues; small venues; note-taking; signed copies; reading aloud; introductions
author: @WRITER
> I heard {v} read last month, and the voice did not match the photo at all.
? Which author did I hear read aloud?
shop: @SHOP
> The reading nights at {v} are always packed, so come early.
? Where are the reading nights I go to?

# attending/charity events | joining charity events
+ sponsor forms; bake sales; volunteer rotas; donation boxes; fun runs; auctions; thank-you letters
raised: money 120 1900 10
> The bake sale brought in {v}, mostly thanks to lemon tarts.
? How much did the bake sale raise?
~ bake sale > car wash
charity: the lifeboat crew; the owl sanctuary; the night shelter; the toy library; the river trust
> I'm running for {v} this time, and the vest is itchy.
! I've changed my charity, so I'm running for {v}.
? For which charity am I running?
< For which charity was I running at first?

# attending/trade shows | visiting trade shows
+ booth layout; business cards; freebies; comfortable shoes; talks; follow-up mails; badge scans
hall: hall 2; hall 4; hall 7; hall 9; the east pavilion; the annexe
> Our stand is in {v}, far from the coffee.
! The organisers moved our stand to {v}.
? Where is our stand at the fair?
< Where was our stand before the organisers moved it?

# attending/lectures or workshops | attending lectures
+ note formats; front rows; questions; slides; speaker bios; recordings; follow-up reading
speaker: @DOCTOR
> The lecture by {v} went over my head after ten minutes.
? Whose lecture was too difficult for me?
topic: black holes; fungi; Etruscan tombs; deep-sea mining; tax history; bee dances
> I sat through a public lecture on {v}, and I'd like to read more.
? What was the subject of the public lecture I sat through?
~ lecture > debate

# attending/theme parks | visiting theme parks
+ queue strategy; height limits; water rides; snacks; season passes; rainy days; lockers
ride: the Iron Gull; the Whirlpool Twins; Thunder Mill; the Lost Funicular; Comet Alley; the Beanstalk
> I went on {v} three times and regretted the last one.
? Which ride did I go on three times?
~ ride > slide

# attending/local markets | shopping at markets
+ haggling; seasonal stalls; reusable bags; early birds; street food; craft stalls; storage at home
stall: goat cheese; smoked eel; quince jam; sea salt; heirloom beans; chestnut honey
> I queue for {v} every market day, whatever the weather.
! The stall I queue for these days sells {v}.
? For what do I queue at the market?
< For what did I queue at the market before?
~ market > airport

# attending/networking events | networking
+ elevator pitches; name recall; follow-ups; small talk; business cards; exit lines; online profiles
contact: @NAME
> I met {v} from a seed company at a networking evening, and promised to write.
? Whom did I meet at the networking event and promise to write to?

# attending/sports | taking part in competitions
+ race bibs; pacing; tapering; pre-race meals; start-line nerves; finish photos; recovery
time: 24:10; 25:35; 26:50; 27:45; 28:20; 29:05
> My five-kilometre time is {v}, and I'd like to shave a bit off.
! I ran the five kilometres in {v}, which is my best so far.
? What is my personal best over five kilometres?
< What was my five-kilometre time before I improved it?

# attending/auto racing | following motor racing
+ grandstand tickets; ear protection; pit stops; track rules; camping at the circuit; kart days; lap times
lap: 1:02.4; 1:04.9; 1:07.3; 1:11.8; 58.6; 59.9
> My best lap on the kart track is {v} seconds, according to the slip.
! I got my best kart lap to {v} seconds.
? What is my best lap on the kart track?
= {v} seconds
< What was my best kart lap before I improved it?

# attending/workshops | taking workshops
+ materials; beginner mistakes; tool safety; group sizes; fees; take-home pieces; practice
craft: bookbinding; spoon carving; basket weaving; letterpress; enamelling; felting; stained glass
> The workshop I've booked is on {v}, and they said to bring an apron.
! The first one was cancelled, so I'm in the workshop on {v}.
? Which workshop have I got a place in?
< Which workshop of mine was cancelled?
~ workshop > summer camp

# attending/museum tours | guided tours
+ tour length; accessible routes; tipping guides; night tours; headsets; group discounts; photo bans
guide: @NAME
> Our guide at the museum, {v}, knew a ghost story for every room.
? Who guided our museum tour?
~ museum tour > ghost walk
"""
