"""Things users did on a certain day.

Blocks of four lines: the attribute, `>` what is told after `I`, `?` the same in other words as it is asked after `I`,
`~` the same after `did I`. Capitals in braces are drawn from the pools of names.
"""

TEXT = """
# owned/bikes
> dropped my road bike off at {COMPANY} for a full overhaul
? took my bicycle in for its big service
~ take my bicycle in for its big service
# owned/bikes
> fitted a child seat to the cargo bike
? put the kid's seat on the cargo bicycle
~ put the kid's seat on the cargo bicycle
# owned/cars
> got the brake pads on the car replaced
? had my brakes done
~ have my brakes done
# owned/cars
> picked up the hire car for the removal
? collected the rental car
~ collect the rental car
# owned/vehicles
> sold the old caravan to a couple from {TOWN}
? parted with our caravan
~ part with our caravan
# owned/computer
> wiped my laptop and set it up from scratch
? reset my notebook to a clean state
~ reset my notebook to a clean state
# owned/phone
> dropped my phone into the canal
? lost my mobile in the water
~ lose my mobile in the water
# owned/pet
> took {PET} to the vet for the yearly jabs
? had my pet vaccinated
~ have my pet vaccinated
# owned/pet
> brought home a kitten from the shelter
? adopted a young cat
~ adopt a young cat
# owned/farm animal
> moved the hens into the bigger coop
? gave the chickens their larger house
~ give the chickens their larger house
# owned/animal care items
> put up the scratching tower for the cats
? assembled the cats' climbing furniture
~ assemble the cats' climbing furniture
# owned/home
> had the boiler swapped out by {COMPANY}
? got a new heating unit installed
~ get a new heating unit installed
# owned/land
> cleared the brambles from the lower field
? got rid of the thorny bushes down in the field
~ get rid of the thorny bushes down in the field
# owned/art
> hung the big seascape in the hallway
? put up the large painting of the sea
~ put up the large painting of the sea
# owned/antiques
> took the grandfather clock to a restorer
? handed over the old standing clock for repair
~ hand over the old standing clock for repair
# owned/jewelry
> had my wedding ring resized at {SHOP}
? got the ring made to fit
~ get the ring made to fit
# owned/shoes
> wore my hiking boots out on the trail for the first time
? broke in the walking boots
~ break in the walking boots
# owned/sports gear
> bought a second-hand kayak
? purchased a used paddling boat
~ purchase a used paddling boat
# owned/musical instruments
> had the piano tuned by a man with a tuning fork on a chain
? let a professional tune our piano
~ let a professional tune our piano
# owned/health related devices
> started wearing the sleep tracker
? began recording my sleep with a device
~ begin recording my sleep with a device
# owned/crafting
> finished the baby blanket with the whales on it
? completed the knitted cover for the baby
~ complete the knitted cover for the baby
# owned/photography
> sent my camera in to have the sensor cleaned
? posted the camera off for cleaning
~ post the camera off for cleaning
# owned/bag
> left my rucksack on the night bus
? lost my backpack on public transport
~ lose my backpack on public transport
# owned/collectible
> sold my tin train set at an online auction
? let the toy railway go to a bidder
~ let the toy railway go to a bidder
# life/graduations
> went to {NAME}'s graduation ceremony
? saw a friend receive a diploma
~ see a friend receive a diploma
# life/academic achievements
> sat the entrance exam for the evening college
? took the college admission test
~ take the college admission test
# life/significant academic projects
> handed in the final draft of my thesis
? submitted my dissertation
~ submit my dissertation
# life/job promotions
> had my interview for the team lead post
? was questioned for the leadership role
~ have the talk about the leadership role
# life/starting a business
> registered the pickle company at the trade office
? made my food business official
~ make my food business official
# life/starting a business
> shipped the first order from the web shop
? sent out my very first customer parcel
~ send out my very first customer parcel
# life/births and adoptions
> met my newborn godson at the hospital
? saw my godchild for the first time
~ see my godchild for the first time
# life/marriages
> was a witness at {NAME}'s wedding
? stood beside the couple as they said their vows
~ stand beside a couple as they said their vows
# life/marriages
> tasted cakes for the reception with my fiancé
? tried out desserts for our own wedding party
~ try out desserts for our own wedding party
# life/family reunions
> hosted the cousins for the big get-together
? had the extended family over
~ have the extended family over
# life/illness or surgeries
> had my wisdom teeth taken out
? underwent the operation on my jaw
~ undergo the operation on my jaw
# life/illness or surgeries
> got the cast off my wrist
? had the plaster removed from my arm
~ have the plaster removed from my arm
# life/mental health journeys
> had my first session with a counsellor
? began talking to a therapist
~ begin talking to a therapist
# life/purchasing a home
> got the keys to the flat on {STREET}
? took possession of the new apartment
~ take possession of the new apartment
# life/purchasing a home
> signed the mortgage papers
? finalised the home loan
~ finalise the home loan
# life/movement
> carried the last boxes out of the old place
? emptied my former home
~ empty my former home
# life/name change
> picked up the passport with my new surname
? collected the travel document in my changed name
~ collect the travel document in my changed name
# life/loss of loved ones
> planted a pear tree in memory of my uncle
? put a fruit tree in the ground for a late relative
~ put a fruit tree in the ground for a late relative
# life/milestone
> paid off the last of my student loan
? got rid of my study debts
~ get rid of my study debts
# life/milestone
> did my first parachute jump
? leapt out of a plane
~ leap out of a plane
# life/living abroad
> got my residence card from the immigration desk
? obtained the permit to stay in the country
~ obtain the permit to stay in the country
# life/belief
> joined a silent retreat at the abbey
? spent time in silence with the monks
~ spend time in silence with the monks
# life/trips
> came back from a week on {TOWN}'s coast
? returned from the seaside holiday
~ return from the seaside holiday
# home/living room
> had the new sofa delivered
? received the couch I had ordered
~ receive the couch I had ordered
# home/kitchen
> tore out the old kitchen cabinets
? removed the cupboards where we cook
~ remove the cupboards where we cook
# home/bathroom
> retiled the shower with my brother-in-law
? put fresh tiles in the bathroom
~ put fresh tiles in the bathroom
# home/room style
> painted the bedroom a deep green
? gave the room I sleep in a new colour
~ give the room I sleep in a new colour
# home/room lighting
> put up the paper lantern in the stairwell
? installed the lamp by the stairs
~ install the lamp by the stairs
# home/furniture
> assembled the bunk beds for the kids
? built the children's double-decker bed
~ build the children's double-decker bed
# home/technology
> mounted the projector on the ceiling
? fixed the beamer above the sofa
~ fix the beamer above the sofa
# home/plants
> repotted the monstera that was bursting its pot
? gave the big-leaved houseplant a larger pot
~ give the big-leaved houseplant a larger pot
# eating/home cooking
> cooked a five-course dinner for the neighbours
? made the long menu for the people next door
~ make the long menu for the people next door
# eating/barbecue
> smoked a whole salmon for the first time
? tried smoking a large fish
~ try smoking a large fish
# eating/baking
> baked the three-tier cake for my aunt's seventieth
? made the birthday cake with several layers
~ make the birthday cake with several layers
# eating/cocktail mixing
> ran the bar at {NAME}'s housewarming
? mixed drinks for somebody's new home party
~ mix drinks for somebody's new home party
# eating/cooking classes
> went to the dumpling class at {STUDIO}
? learned how to fold dumplings
~ learn how to fold dumplings
# eating/vegetarian or vegan
> went fully vegan
? gave up all animal products
~ give up all animal products
# eating/food delivery
> cancelled my meal kit subscription
? stopped the weekly cooking boxes
~ stop the weekly cooking boxes
# recreation/reading
> finished the last volume of that endless sea saga
? got to the end of the maritime series
~ get to the end of the maritime series
# recreation/painting
> showed two of my watercolours at the town hall
? exhibited my pictures in public
~ exhibit my pictures in public
# recreation/musical instruments
> played at the open stage with the accordion
? performed on my instrument in front of people
~ perform on my instrument in front of people
# recreation/dancing
> passed the bronze badge in ballroom
? got my dancing certificate
~ get my dancing certificate
# recreation/participating in sports
> twisted my ankle at handball
? hurt my foot during a match
~ hurt my foot during a match
# recreation/gardening
> sowed the broad beans
? put the bean seeds in the soil
~ put the bean seeds in the soil
# recreation/gardening
> built the greenhouse from old windows
? put together the glass shed for seedlings
~ put together the glass shed for seedlings
# recreation/bird watching
> spotted a kingfisher by the weir
? saw the blue diving bird
~ see the blue diving bird
# recreation/fishing or hunting
> went out on the charter boat for mackerel
? joined the fishing tour at sea
~ join the fishing tour at sea
# recreation/board games
> won the club's backgammon evening
? came first in the board game contest
~ come first in the board game contest
# recreation/fitness classes
> tried aerial hoop at {STUDIO}
? had a go at the circus-style workout
~ have a go at the circus-style workout
# recreation/yoga
> signed up for the ten-class yoga pass
? committed to a block of yoga lessons
~ commit to a block of yoga lessons
# recreation/sculpting
> got my first bowl back from the kiln
? received the fired piece of pottery
~ receive the fired piece of pottery
# recreation/photography
> gave a slide show of my night shots at the library
? presented my pictures taken after dark
~ present my pictures taken after dark
# recreation/stand-up comedy
> did five minutes at the comedy cellar
? told jokes on a stage
~ tell jokes on a stage
# recreation/writing
> sent my short story to a magazine
? submitted a piece of fiction
~ submit a piece of fiction
# recreation/model building
> finished the model of the paddle steamer
? completed the miniature ship
~ complete the miniature ship
# recreation/aquarium keeping
> added the shrimp to the tank
? put crustaceans into the aquarium
~ put crustaceans into the aquarium
# attending/concerts
> saw {BAND} at the old tram depot
? heard a band play in a former depot
~ hear a band play in a former depot
# attending/theater
> took my mother to the operetta
? went to a musical stage show with Mum
~ go to a musical stage show with Mum
# attending/galleries and museums
> went to the opening at the clock museum
? attended the first night of the exhibition on timepieces
~ attend the first night of the exhibition on timepieces
# attending/sports games
> watched the cup final from the away end
? was in the stadium for the deciding match
~ go to the stadium for the deciding match
# attending/film festivals
> sat through the all-night horror screening
? watched scary films until dawn
~ watch scary films until dawn
# attending/religious services
> read the lesson at the harvest service
? spoke in church for the thanksgiving
~ speak in church for the thanksgiving
# attending/book readings
> got a novel signed by {WRITER}
? had an author write in my copy
~ have an author write in my copy
# attending/charity events
> ran the stall at the hospice fair
? helped out at a fundraising sale
~ help out at a fundraising sale
# attending/trade shows
> walked the aisles of the packaging fair
? visited the industry exhibition
~ visit the industry exhibition
# attending/lectures or workshops
> heard the talk about glaciers at the observatory
? listened to an expert on ice
~ listen to an expert on ice
# attending/theme parks
> rode the wooden coaster with my niece
? took a child on the roller coaster
~ take a child on the roller coaster
# attending/local markets
> sold my jams at the Saturday market
? had a stall with my own preserves
~ have a stall with my own preserves
# attending/networking events
> went to the founders' breakfast
? had a morning meal with entrepreneurs
~ have a morning meal with entrepreneurs
# attending/sports
> swam in the harbour race
? took part in the swimming competition
~ take part in the swimming competition
# attending/auto racing
> drove twelve laps at the kart arena
? went round the karting track
~ go round the karting track
# attending/workshops
> carved my first spoon at a green-wood workshop
? learned to make cutlery from fresh wood
~ learn to make cutlery from fresh wood
# attending/museum tours
> did the torchlight tour of the salt mine museum
? was led through the mine in the dark
~ go on the tour through the mine in the dark
# travel/destination
> booked the ferry to {TOWN}
? reserved our passage by ship
~ reserve our passage by ship
# travel/road trips
> drove the whole coast road in one go
? did the long drive along the sea
~ do the long drive along the sea
# travel/outdoor adventures
> slept in a hammock above the tree line
? spent a night outdoors in the mountains
~ spend a night outdoors in the mountains
# travel/airlines
> got bumped off the early flight with {AIRLINE}
? lost my seat on an overbooked plane
~ lose my seat on an overbooked plane
# travel/hotel
> checked out of {HOTEL}
? left the hotel at the end of my stay
~ leave the hotel at the end of my stay
# shopping/technology gadget purchasing
> ordered a noise-cancelling headset
? bought headphones for quiet
~ buy headphones for quiet
# shopping/fashion and apparel
> had my measurements taken for a suit
? visited the tailor about formal wear
~ visit the tailor about formal wear
# shopping/sales events
> queued from six in the morning at the warehouse clearance
? stood in line for the big sale
~ stand in line for the big sale
# shopping/loyalty program
> cashed in my loyalty points for a kettle
? redeemed the bonus points
~ redeem the bonus points
# social/followers
> hit a thousand followers with the pottery account
? reached the four-figure audience online
~ reach the four-figure audience online
# social/social media breaks
> deleted the photo app from my phone
? quit the picture-sharing network
~ quit the picture-sharing network
# social/campaigns
> handed our petition to the mayor
? delivered the signatures to the town's head
~ deliver the signatures to the town's head
# media/streaming service
> cancelled the sports channel
? ended the subscription for live matches
~ end the subscription for live matches
# media/educational content
> got the certificate for the online bookkeeping course
? completed the web class on accounts
~ complete the web class on accounts
# media/video game
> beat the final boss after forty tries
? won the last fight in the game
~ win the last fight in the game
# person/language
> took the oral exam in Norwegian
? was tested on speaking a Nordic language
~ get tested on speaking a Nordic language
# person/occupation
> gave notice at {COMPANY}
? told my employer that I was leaving
~ tell my employer that I was leaving
# person/nationality
> swore the citizenship oath
? formally became a national of this country
~ formally become a national of this country
# company/friends
> had {NAME} from school over for the weekend
? put up an old classmate
~ put up an old classmate
# company/family
> helped my parents clear out the attic
? sorted through the things under my parents' roof
~ sort through the things under my parents' roof
# daily/commuting
> switched to cycling to the office
? began going to work by bicycle
~ begin going to work by bicycle
# daily/exercise routines
> ran ten kilometres without stopping
? covered a five-digit number of metres on foot in one go
~ cover a five-digit number of metres on foot in one go
# daily/cleaning schedules
> had the chimney swept
? let someone clean the flue
~ let someone clean the flue
# time/seasonal
> put the winter tyres on
? changed the wheels for the cold months
~ change the wheels for the cold months
"""
