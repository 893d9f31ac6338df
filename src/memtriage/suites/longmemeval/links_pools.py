"""Questions that join two figures told in two chats.

Per block: `# attribute of the first; of the second`, `a` and `b` their ranges, `>` how they are told, `?` the question,
`op` (`minus`, `plus`, `times`, `clock`: a time of day plus minutes) and what the answer is counted in.
"""

TEXT = """
# person/age; company/family
a int 34 58
b int 3 24
> I'm {a}, so loud bars are not my thing any more.
> My niece just had her birthday, she's {b} and wants a disco theme.
? What is the difference in years between me and my niece?
op minus years

# person/age; life/births and adoptions
a int 33 55
b int 2 12
> At {a} I feel too old for a bunk bed.
> Our adopted son has been with us for {b} years now, and he asks about his first home.
? How old was I when our adopted son came to us?
op minus years old

# life/marriages; person/age
a int 4 22
b int 23 39
> We've been married for {a} years and I forget the date every time.
> I was {b} when we tied the knot, in a borrowed suit.
? Given my age at the wedding, how old am I?
op plus years old

# life/milestone; person/occupation
a int 55 64
b int 2 9
> My contract lets me retire at {a}, not a day earlier.
> I have {b} years to go until retirement, and I'm counting.
? What is my present age, going by my retirement?
op minus years old

# media/book; recreation/reading
a int 380 860
b int 60 340
> The saga on my nightstand has {a} pages in tiny print.
> I'm on page {b} of the saga, and someone has already died twice.
? How many pages of the saga do I still have ahead of me?
op minus pages

# media/tv show; daily/evening activities
a int 24 60
b int 5 22
> That Danish series has {a} episodes in all, which worries me.
> We're {b} episodes into the Danish series and hooked.
? How many episodes of the Danish series remain for us?
op minus episodes

# daily/coffee or tea break; daily/work or school start time
a money 3 7 1
b int 2 5
> The flat white downstairs is {a} now, daylight robbery.
> I'm in the office {b} days a week, and every one begins with a flat white.
? What do I spend on flat whites in an office week?
op times $

# daily/wake-up time; daily/commuting
a clock 6:30 8:00 15
b int 20 70
> I'm out of the door at {a} on workdays, coffee in hand.
> The ride to work takes me {b} minutes, with one change.
? When do I arrive at work if I leave at the usual time?
op clock

# daily/bedtime; recreation/reading
a clock 20:45 22:15 15
b int 20 70
> I get into bed at {a} with a book.
> I read for {b} minutes in bed before the light goes out.
? At what time do I switch off the light after reading?
op clock

# life/trips; travel/packing habits
a money 900 2400 50
b money 150 800 10
> I've put {a} into the pot for the Japan trip.
> The flight to Japan swallowed {b} of it, one way or the other.
? How much of the money for Japan is left after the flight?
op minus $

# life/purchasing a home; owned/home
a money 30000 90000 1000
b money 8000 28000 500
> We need {a} as a down payment, and the bank won't budge.
> We've saved {b} toward the down payment up to now.
? How much money is missing for our down payment?
op minus $

# recreation/fitness classes; daily/exercise routines
a int 8 24
b int 2 7
> My pass at the climbing hall is good for {a} visits.
> I've used the climbing pass {b} times, always on rainy days.
? How often can I still go climbing on my pass?
op minus visits

# travel/airlines; shopping/loyalty program
a int 20000 60000
b int 3000 18000
> A free flight takes {a} miles in that scheme.
> There are {b} miles in my account of the scheme, expiring soon.
? How many miles am I short of a free flight?
op minus miles

# life/illness or surgeries; daily/exercise routines
a int 20 40
b int 4 18
> The physio prescribed me {a} sessions for the back.
> I've been through {b} sessions with the physio, and I can tie my shoes again.
? How many appointments for my back are still to come?
op minus sessions

# recreation/participating in sports; recreation/watching sports
a int 14 34
b int 2 12
> Our handball side has won {a} matches this season, somehow.
> We've lost {b} matches in handball, all of them away.
? How many matches did our handball team win or lose in all?
op plus matches

# recreation/gardening; eating/snacking habits
a int 14 30
b int 4 12
> I put {a} jars of jam away from my own berries.
> I gave {b} of the jam jars to the neighbours for cat sitting.
? How many jars of my jam have I kept?
op minus jars

# owned/farm animal; attending/local markets
a int 12 60
b money 3 6 1
> I took {a} boxes of eggs to the market and sold out.
> I charge {b} for a box of eggs, because the feed got dearer.
? How much did I earn with the eggs I sold?
op times $

# attending/charity events; social/campaigns
a money 800 3000 50
b money 150 700 10
> Our goal for the lido fund is {a}, and the thermometer poster is ready.
> There's {b} in the tin for the lido already.
? How far is the lido fund from its goal?
op minus $

# life/family reunions; eating/home cooking
a int 16 44
b int 3 9
> For the garden lunch {a} relatives have confirmed.
> {b} of the confirmed relatives have dropped out of the garden lunch with colds.
? How many relatives will be at the garden lunch after the cancellations?
op minus relatives

# person/education level; life/academic achievements
a int 120 180
b int 30 110
> The degree needs {a} credits, and some modules are only taught in winter.
> I've earned {b} credits toward the degree so far.
? How many credits stand between me and my degree?
op minus credits

# owned/photography; recreation/photography
a int 6 24
b int 24 36
> I've got {a} rolls of film in the fridge.
> The rolls I use give me {b} exposures each.
? How many pictures can I take with the film that I have?
op times pictures

# social/groups; company/friends
a int 9 26
b int 3 8
> Our supper club has {a} people on the list.
> {b} people of our supper club never show up, bless them.
? How many people of the supper club actually come?
op minus people

# recreation/writing; media/magazine and newspaper
a int 2000 6000
b int 400 1800
> The magazine wants {a} words about the ferry.
> My ferry article stands at {b} words, and I'm stuck.
? How many words does my article still lack?
op minus words

# home/technology; media/streaming service
a money 28 60 1
b money 7 19 1
> The internet at home costs us {a} a month.
> For the film subscription they take {b} monthly.
? What do the internet and film subscriptions cost us a month together?
op plus $

# daily/time spent with family or friends; life/movement
a int 40 160
b int 2 4
> It's {a} kilometres to my mother's place.
> I drive over to my mother's {b} times a month, there and back in a day.
? How many kilometres do I drive one way to my mother's in a month, all visits taken together?
op times kilometres

# eating/baking; attending/local markets
a int 18 64
b int 4 16
> I baked {a} muffins for the school fête.
> {b} of the muffins for the fête were burnt, my own fault.
? How many muffins could I bring along to the school party?
op minus muffins
"""
