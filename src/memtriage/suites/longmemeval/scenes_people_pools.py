"""What users tell about themselves, the company they keep, their days and the turns of their lives.

One block per attribute: `# attribute | what the chat is about`, `+ things to ask advice on`, then slots:
`name: values`, `> told as`, `! told when it has changed`, `? asked as`, `< asked for what it was before`,
`= answer`, `~ told > never told` (a word of the question, and the one that makes its premise false).
Values are listed, or drawn: `@POOL`, `int 2 9`, `up 2 9` (grows when it changes), `money`, `clock`.
"""

TEXT = """
# person/age | planning around a birthday
+ party budgets; guest lists; cake ideas; venue choices; small speeches; photo albums; playlist picks; surprise plans
turning: int 27 61
> I'm turning {v} this autumn and I'd rather keep the whole thing low-key.
> Somehow I'll be {v} in a few months, so a bouncy castle is probably off the table.
? Which birthday do I have coming up?
= You are turning {v}
venue: @CAFE
> I have already put down a deposit at {v} for the birthday dinner.
! The birthday dinner has moved to {v} because the first place double-booked us.
? At which place is my birthday dinner going to be?
< Where was my birthday dinner supposed to take place at first?
~ birthday dinner > anniversary dinner

# person/gender | choosing a haircut and grooming routine
+ face shapes; low-effort styling; scalp care; trimming at home; beard or fringe upkeep; salon etiquette
salon: @SALON
> I've been a regular at {v} ever since they fixed a terrible fringe of mine.
! I switched to {v} for my cuts after the old place raised its prices.
? Where do I get my hair cut these days?
< Where did I have my hair cut before I changed salons?
~ hair cut > nails done

# person/ethnicity | learning about family heritage
+ family trees; old letters; archive searches; recipe traditions; oral histories; festival customs; DNA test kits
roots: Basque; Welsh; Lebanese; Maltese; Punjabi; Armenian; Sicilian; Igbo; Filipino; Estonian
> My grandmother's side is {v}, and I'd love to cook something for her from there.
? What heritage does my grandmother's side of the family have?
~ grandmother's > stepfather's
relative: my great-aunt Odile; my great-uncle Tomas; my great-aunt Petra; my great-uncle Leif; my great-aunt Yara
> The oldest photographs in the house came to us through {v}, who kept them in a biscuit tin.
? From which relative did the oldest family pictures come?

# person/nationality | passports and official papers
+ renewal deadlines; photo requirements; consulate appointments; certified copies; dual citizenship rules; visa fees
appointment: @DAY
> My consulate appointment falls on a {v}, which means taking the morning off.
! They moved my consulate appointment, so now it's on a {v}.
? On which weekday do I have to go to the consulate?
< For which weekday was my visit to the consulate planned originally?
~ consulate > notary
second: Irish; Portuguese; Canadian; Brazilian; Croatian; Chilean; Finnish; Moroccan
> Since I picked up {v} citizenship through my father, I keep mixing up the two sets of forms.
? Which nationality did I get through my dad?
~ dad > wife

# person/language | learning a language
+ verb drills; listening practice; tandem partners; vocabulary cards; pronunciation habits; exam formats
learning: Portuguese; Korean; Norwegian; Swahili; Greek; Turkish; Vietnamese; Hungarian; Catalan; Hindi
> I keep mixing up the word order in {v} even though I practise most evenings.
? Which foreign language am I studying?
tutor: @NAME
> My tutor {v} insists on an hour without a single word of English.
! I have a new tutor now, {v}, who is far more patient about mistakes.
? What is the name of the tutor who teaches me now?
< Who taught me before my present tutor?
~ tutor > driving instructor
streak: up 20 400
> The practice app says I'm on a streak of {v} days, and I'd hate to lose it.
! My practice streak just hit {v} days, which is mostly stubbornness.
? How many days in a row have I kept up my language practice?
= {v} days

# person/education level | going back to studying
+ part-time timetables; entry requirements; study loans; note-taking systems; exam nerves; thesis topics
degree: museum studies; food chemistry; maritime law; speech therapy; soil science; stage design; urban planning
> I left university with a degree in {v}, which nobody ever knows what to do with.
? What did I study at university?
~ university > night school
school: @SCHOOL
> The evening course I enrolled in at {v} starts with a refresher on statistics.
? Where am I enrolled for the evening course?

# person/occupation | handling things at work
+ difficult emails; meeting notes; shift swaps; performance reviews; salary talks; handover documents; job adverts
role: dental technician; claims adjuster; stage manager; bakery supervisor; land surveyor; piano tuner; lab buyer
> Ten years as a {v} and I still can't write a decent out-of-office reply.
! As of this month I'm working as a {v}, so half the jargon is new to me.
? What do I do for a living at present?
< What was my job before the one I have now?
boss: @NAME
> My manager {v} wants the report as a single page, which feels impossible.
! Our team got a new manager, {v}, who prefers everything as bullet points.
? Who is my manager at work at the moment?
< Who was my previous manager?
~ manager > landlord
previous: @COMPANY
> Back when I was at {v} we had a template for this sort of thing.
? At which company did I work in the past?

# company/alone | spending time alone
+ solo dinners; quiet evenings; journaling prompts; screen-free hours; long walks; short retreats; self-dates
ritual: the rooftop of the library; the old ferry pier; the botanical glasshouse; the hill behind the quarry
> Whenever I need an hour to myself I go to {v} with a flask of tea.
! Lately my place for being by myself is {v}, since the other one got noisy.
? Where do I go when I want to be by myself?
< Which spot did I use to go to for time on my own?
retreat: int 2 9
> I booked {v} nights in a cabin with no signal, just me and a stack of crosswords.
? How many nights by myself in a cabin have I reserved?
= {v} nights

# company/family | organising family life
+ shared calendars; chore charts; sibling quarrels; screen rules; elderly parents; school runs; family budgets
sister: @TOWN
> My sister lives in {v} now, so every visit takes a whole weekend.
! My sister has packed up and moved to {v}, so we're rethinking the holidays.
? In which town does my sister live?
< Where did my sister live before her move?
~ sister > godfather
nephew: trombone; fencing; beekeeping; judo; chess; archery; unicycling; pottery
> My nephew is completely hooked on {v}, and his parents asked me to encourage it.
? Which hobby has my nephew taken up?
~ nephew > niece

# company/friends | keeping up with friends
+ group dinners; awkward silences; long-distance calls; birthday reminders; borrowed money; weekend plans
roommate: @NAME
> My old roommate {v} is visiting and eats neither garlic nor onions.
? What is the name of my former roommate who comes to visit?
~ roommate > band mate
evening: @DAY
> Our quiz night with the usual crowd is always on a {v}, so that evening is out.
! The usual crowd shifted our quiz night to {v}, which suits me better.
? On what day do my friends and I meet for the quiz?
< On what day did we hold our quiz nights earlier?
~ quiz > poker round

# company/interactions with strangers | small talk and strangers
+ conversation starters; polite exits; asking for directions; lost property; crowded trains; new neighbours
seat: a retired lighthouse keeper; a beekeeper from Malta; a touring puppeteer; a harp maker; a crossword editor
> On the train the other day I sat next to {v} and had no idea how to keep the talk going.
? With what sort of person did I share a seat on the train?
~ train > plane
found: a violin case; a velvet purse; a pair of reading glasses; a child's raincoat; a silver thermos; a sketchbook
> I found {v} on a park bench and I'm trying to track down whoever left it there.
? What lost item did I come across in the park?

# time/time of day | planning the hours of the day
+ deep work blocks; afternoon slumps; early meetings; power naps; golden hour walks; noise at night; meal gaps
focus: clock 5:30 10:30 15
> I get my best thinking done around {v}, so I guard that slot fiercely.
! These days my mind is sharpest at about {v}, ever since I changed my sleep.
? At what hour do I think most clearly?
< At what hour did I use to do my best thinking?
nap: int 12 40
> My after-lunch nap is exactly {v} minutes, any longer and I'm useless.
? How long do I nap after lunch?
= {v} minutes

# time/day of week | organising the week
+ weekly reviews; meal prep; errand batching; quiet days; recurring calls; late shifts; laundry rhythm
laundry: @DAY
> In our building I only get the washing machine on {v}, so everything else moves around it.
! My slot for the washing machine in our building is on {v} from now on.
? On what day may I use the laundry machine in my building?
~ laundry machine > roof terrace
volunteer: @DAY
> {v} is when I help out at the repair café, so please keep that free in the plan.
? On which day of the week do I volunteer?

# time/seasonal | preparing for the season
+ attic insulation; pollen days; festive menus; summer heat; window cleaning; storm checks; seasonal wardrobes
swim: int 2 9
> Last winter I went into the lake {v} times, and my towel froze solid once.
? How often did I bathe in the lake during the winter?
= {v} times
decor: a paper star from my aunt; a wreath of dried oranges; a wooden sledge; a string of copper bells
> The first thing I put up in December is {v}, everything else comes after.
? Which decoration do I put up before all others?

# life/graduations | planning a graduation
+ gown rentals; seating limits; gift ideas; speeches; photo spots; dinner bookings; thank-you notes
whose: @NAME
> My cousin {v} is graduating in a few weeks and I'm in charge of the lunch.
? Which cousin of mine is about to graduate?
~ cousin > stepson
gift: a fountain pen; a set of luggage; a vintage map; a pocket watch; a stand mixer; a telescope
> For the graduate I have settled on {v}, now I only need a decent card.
! I returned the first idea and the graduate is getting {v} instead.
? What present will the graduate get from me?
< What was I first going to give the graduate?

# life/academic achievements | exams and academic work
+ revision plans; past papers; citation styles; study groups; scholarship essays; oral exams; grading appeals
score: int 71 98
> I came out of the ecology exam with {v} points, so the next one has to match that.
? How many points did I score in ecology?
= {v} points
~ ecology > genetics
prize: the Halden essay prize; the Corvin medal; the Ostrava bursary; the Linden award; the Bramwell scholarship
> The committee just gave me {v}, and I have no clue what to write in the thank-you letter.
? Which award did I receive?

# life/study abroad | studying abroad
+ host families; course approval; culture shock; budget tracking; student housing; language placement; farewell plans
where: @TOWN
> My exchange semester in {v} was years ago, yet I still miss the bakery on the corner.
? In which place did I do my semester abroad?
host: a ferry captain; two retired opera singers; a family of beekeepers; a ceramics teacher; a chess coach
> My host family turned out to be {v}, and I'd like to send them something nice.
? What did the people do who hosted me while I was an exchange student?

# life/significant academic projects | managing a big project
+ literature reviews; milestone plans; supervisor meetings; data clean-up; figure design; defence slides; team conflicts
topic: urban foxes; peat bogs; lighthouse optics; medieval bridges; seagrass meadows; tram networks; sourdough microbes
> My thesis on {v} has grown to twice the length it should have.
? What is my thesis about?
pages: up 20 180
> I'm at {v} pages of the thesis draft and the end is nowhere in sight.
! The thesis draft has reached {v} pages, mostly thanks to two rainy weekends.
? How long is my thesis draft by now?
= {v} pages
~ thesis > grant proposal

# life/job promotions | a new position
+ first team talks; delegation; pay negotiations; office politics; leadership books; work-life balance; farewell lunches
title: regional coordinator; head of maintenance; senior buyer; lead archivist; deputy editor; shift manager
> Since they made me {v}, my calendar has been nothing but meetings.
? What position was I promoted to?
team: up 3 18
> I'm responsible for {v} people now and I've never written a review before.
! After the merger of departments I look after {v} people.
? How many people report to me these days?
= {v} people
< How many people reported to me before the departments merged?

# life/starting a business | running a small business
+ pricing; invoices; first customers; trade licences; packaging; bookkeeping; social media ads; supplier contracts
product: beeswax candles; dog collars; ink stamps; granola; walking sticks; linen aprons; hot sauce; seed bombs
> My little side business with {v} finally needs a proper price list.
? What do I sell in my side business?
orders: up 6 120
> We had {v} orders last month, and packing them took over the dining table.
! Orders are up to {v} a month, so I'm looking for a better way to pack.
? How many orders a month does my small business get?
= {v} orders a month
~ small business > video channel

# life/births and adoptions | preparing for a baby
+ sleep routines; cot safety; nursery colours; feeding gear; parental leave; adoption paperwork; hand-me-downs
baby: @NAME
> My brother's newborn is called {v} and I want to knit something with the initial.
? What is the name of my brother's baby?
~ brother's > cousin's
weight: 2.8 kilos; 3.1 kilos; 3.4 kilos; 3.7 kilos; 4.1 kilos
> The little one arrived at {v}, and everybody in the family is besotted.
? How heavy was the newborn in our family?

# life/marriages | planning a wedding
+ seating charts; vows; flower budgets; dress codes; band or playlist; invitation wording; speeches; rainy-day plans
guests: up 40 160
> We're at {v} guests, which is already more than the barn can seat.
! After adding the neighbours the guest list stands at {v}.
? How many guests are on our wedding list?
= {v} guests
< How many wedding guests had we counted at first?
location: a converted barn; a rose nursery; a canal boat; a vineyard terrace; an old observatory; a glass pavilion
> Our wedding will be in {v}, and the caterer wants to know about power sockets.
! We changed our minds and will get married in {v}, so the lighting has to be planned again.
? In what kind of place will the wedding be held?
~ wedding > engagement party

# life/family reunions | organising a reunion
+ group menus; name tags; travel plans; photo walls; games for all ages; shared costs; sleeping arrangements
count: up 14 60
> So far {v} relatives have said yes to the reunion, and I have one oven.
! The reunion has grown to {v} relatives after the coastal branch replied.
? How many relatives are coming to the reunion?
= {v} relatives
dish: smoked trout; pumpkin gnocchi; stuffed cabbage; lamb stew; cherry dumplings; walnut cake
> My uncle always brings {v} to the reunion, so that part of the menu is fixed.
? What does my uncle contribute to the meal when the family gathers?
~ uncle > mother-in-law

# life/illness or surgeries | recovering after treatment
+ gentle stretching; medication reminders; follow-up visits; light meals; sleep after surgery; insurance claims
doctor: @DOCTOR
> {v} told me to keep weight off my knee for a while, so stairs are a nuisance.
! My knee is now looked after by {v}, since the first doctor retired.
? Which doctor takes care of my knee?
< Which doctor treated my knee earlier?
~ knee > hip
weeks: int 3 11
> I've been told to expect {v} weeks off work after the hand operation.
? How long will I be off work because of my hand?
= {v} weeks

# life/mental health journeys | looking after one's mood
+ breathing exercises; mood diaries; therapy costs; grounding techniques; sleep hygiene; boundaries; support groups
therapist: @DOCTOR
> {v} suggested that I write down three good moments a day, and I keep forgetting.
? Who recommended that I note down good moments every day?
group: @DAY
> My support group meets every {v}, and the bus home is a bit grim.
! The support group was moved to {v}, which clashes with nothing for once.
? On which day does my support group get together?
< On which day did my support group meet in the beginning?
~ support group > grief circle

# life/purchasing a home | buying a home
+ mortgage rates; survey reports; closing costs; renovation budgets; neighbourhood checks; offer letters; moving dates
agent: @NAME
> Our estate agent {v} thinks the sellers will come down a little.
! We have changed estate agents and {v} is handling everything now.
? Who is our estate agent?
< Who was our estate agent before we changed?
~ estate agent > mortgage broker
price: money 190000 480000 5000
> The asking price of the terraced house is {v}, and the roof needs work.
? What are the sellers asking for the terraced house?

# life/trips | getting ready for a trip
+ day plans; ticket passes; rainy-day options; local dishes; phrase lists; travel insurance; photo stops
companion: @NAME
> I'm going with {v} from my choir, who gets seasick on anything that floats.
? Who will be my companion on the upcoming trip?
days: int 4 19
> We have {v} days for the islands and far too long a list of villages.
? How many days have we set aside for the islands?
= {v} days
~ islands > mountains

# life/movement | moving house
+ packing order; moving vans; address changes; fragile boxes; deposit returns; decluttering; first-night bags
street: @STREET
> The new flat is on {v}, third floor, with a staircase like a corkscrew.
! The first flat fell through, and the one we're moving to is on {v}.
? On what street is the flat that I'm moving to?
< On which street was the apartment that fell through?
~ flat > storage unit
boxes: up 12 70
> I've filled {v} boxes already and the bookcase hasn't even been touched.
! The tally of packed boxes is up to {v} now.
? How many moving boxes have I packed?
= {v} boxes

# life/living abroad | settling in abroad
+ residence permits; local banks; making friends; homesickness; health cover; tax forms; grocery differences
years: int 2 14
> I spent {v} years in Tallinn, and I still say good morning the wrong way round.
? How many years was I in Tallinn?
= {v} years
~ Tallinn > Helsinki
miss: the night trams; the rye bread; the harbour sauna; the covered market; the long twilight; the apple fairs
> What I miss most from my years abroad is {v}, oddly enough.
? What do I long for most from the time I lived abroad?

# life/refugee or immigration | settling into a new country
+ language tests; work permits; recognised diplomas; host programmes; legal advice; community centres; school enrolment
helper: @NAME
> A volunteer named {v} has been walking us through the forms.
? Which volunteer helps us with the paperwork?
~ paperwork > flat search
test: @DAY
> My integration test takes place on a {v} and covers local history as well.
! They postponed my integration test, it's on a {v} now.
? On what day of the week is my integration test?
< On which day of the week was my integration test meant to be?

# life/loss of loved ones | coping with a loss
+ memorial texts; thank-you cards; sorting belongings; anniversaries; talking to children; grief books; keepsakes
keepsake: a brass compass; a recipe notebook; a walnut pipe; a set of chess pieces; a felt hat; a mantel clock
> My grandfather left me {v}, and I'd like to have it restored.
? Which keepsake do I have from my grandfather?
~ grandfather > aunt
song: an old sailor's waltz; a harvest hymn; a tango; a lullaby in Polish; a brass march; a blues number
> At the memorial they played {v}, because she hummed it all her life.
? What music was played at the memorial?

# life/name change | changing a name
+ official forms; bank records; email signatures; passport updates; announcement cards; professional profiles
name: @SURNAME
> After the wedding I'm taking the surname {v}, so every account needs updating.
! We talked it over again and I'm going with {v} as my surname after all.
? What surname am I taking?
< Which surname had I first decided on?
office: the registry on Mill Lane; the town hall annexe; the district court; the citizens' desk at the library
> For the papers I have to appear in person at {v}, with two forms of ID.
? Where do I have to appear in person for my new name?

# life/belief | exploring beliefs and practice
+ meditation; sacred texts; fasting days; interfaith talks; prayer groups; pilgrimage routes; ethics reading
practice: int 8 45
> I sit in silence for {v} minutes each morning, though my mind wanders off.
! I have extended my silent sitting to {v} minutes each morning.
? How many minutes do I meditate in the morning?
= {v} minutes
< How many minutes of meditation did I start with?
route: the coastal pilgrim way; the chapel trail; the monastery loop; the saints' path; the valley of shrines
> I'd like to walk {v} before the year is out, at my own pace.
? Which pilgrimage would I like to walk this year?

# life/milestone | celebrating a milestone
+ toast ideas; savings goals; thank-you gestures; memory books; reward plans; honest reflection; small rituals
marathon: 3:42; 3:58; 4:05; 4:17; 4:26; 4:39; 4:51
> I ran my first marathon in {v}, and my toes have not forgiven me.
? What was my finishing time in the marathon?
~ marathon > triathlon
sober: up 30 400
> I'm {v} days without a cigarette, and coffee suddenly tastes different.
! I've made it to {v} days without a cigarette by now.
? For how many days have I not smoked?
= {v} days
"""
