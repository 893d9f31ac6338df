"""Topics about the world at large, for fillers of any domain.

A family opens with `=`; `:` names its slots, `-` gives one subject each, `?` starts an aspect with the ways to ask
about it, `*` are points of the answer, `|` lines of code. [[a|b]] is a choice, [[2..5]] a number, $name a slot;
an indented line goes on with the one before.
"""

WORLD = """
= phenomena
: thing cause where famous myth
- rainbows | sunlight bending and reflecting inside falling drops | opposite the sun during a shower | the double
  bow, whose colours run in reverse | that both ends touch the ground somewhere
- tides | the pull of the moon and, less strongly, of the sun | along every open coast | the funnel-shaped bays
  where the water climbs by more than ten metres | that the water is simply lifted straight up
- thunder | air that expands violently around a lightning channel | within about fifteen kilometres of a strike |
  the long rumble that hills throw back | that heat alone makes it without any lightning
- fog | damp air that cools until tiny droplets form | in valleys and over cool water | the summer banks that roll
  in over cold currents | that it is a kind of smoke
- northern lights | charged particles that strike gases high in the air | in a ring around the magnetic pole | the
  green curtains seen in very dark winters | that one can hear them crackle on any clear night
- echoes | sound that comes back from a hard and distant face | in canyons and large empty halls | the whispering
  galleries under old domes | that a duck's call has none
- frost | water vapour that freezes straight onto a cold surface | on clear and windless nights | the fern patterns
  on old single windows | that it falls from the sky like snow
- mirages | light that bends through layers of warm and cool air | over hot roads and calm seas | the ships that
  seem to float upside down | that only thirsty travellers see them
- earthquakes | sudden slips along cracks in the crust | mostly along the edges of plates | the slow slips that last
  for weeks and are felt by nobody | that animals predict them reliably
? Could you explain [[in plain words|simply]] what causes $thing?
? What is going on, physically, when we see or notice $thing?
* The short version: it all comes down to $cause.
* It helps to picture it step by step, because each step on its own is [[ordinary|unspectacular]] physics.
* Energy has to come from somewhere, and here it comes from differences in temperature, pressure or position that
  even themselves out.
* The scale matters: what happens in a space of millimetres adds up to something that can be noticed from [[2..40]]
  kilometres away.
* Textbooks usually draw it as a neat diagram, while the real thing is messier and changes from minute to minute.
* A tabletop version with a [[lamp|basin|glass of water|tray]] shows the idea, though not the size of it.
? Where and when does one have the best chance to observe $thing?
? What conditions make $thing likely?
* The classic place is $where.
* Patience pays: observers report [[3..9]] failed attempts for each good one.
* Early morning and late evening give softer light and calmer air, which makes details easier to notice.
* A written note of the hour, the wind and the sky makes it possible to compare several occasions later.
* Binoculars add less than expected; a steady position and a clear view add more.
? Is there a famous case of $thing that people still talk about?
? What is the most [[impressive|surprising]] example of $thing?
* Many writers would name $famous.
* Sailors and shepherds described it long before anyone measured it, and their accounts agree surprisingly well.
* Old paintings are a good source too, since artists often recorded what scholars of the day dismissed.
* Modern cameras have settled several arguments that went on for [[40..150]] years.
* Some of the best records come from amateurs who simply wrote down what they saw on the same spot every day.
? Which wrong ideas about $thing are common?
? What do people usually get wrong about $thing?
* The most stubborn one is $myth.
* It survives because it is easy to remember and sounds like something a teacher would say.
* A second mistake is to look for one single cause where [[two|three|four]] conditions have to meet.
* A third is to trust a striking photograph without asking how it was taken.
* A simple test is to ask what the idea would predict under other circumstances, and then to check.
? How did scholars come to understand $thing?
? What is the history of research into $thing?
* For centuries the explanations were stories, and some of them were quite clever.
* Careful measuring began around [[1620..1790]], when instruments became good enough to trust.
* The decisive step was to reproduce a small version of it indoors, under control.
* After that the discussion moved from what happens to how much of it happens, which is a sign of a maturing field.
* Today most open questions concern details that only fast computers or long series of observations can settle.
* A good popular account spends as much time on the wrong turns as on the final answer.
? Could you suggest a small experiment about $thing for a class of [[9..14]]-year-olds?
? What could one try at a table to understand $thing better?
* Begin with a prediction that everyone writes down, since that makes the outcome memorable.
* Keep the set-up to three objects or fewer, so that nobody wonders which one did it.
* Change one condition at a time and repeat each run [[3..5]] times.
* Let the group argue about the result before the explanation is given.
* End with the link back to nature: $cause.

= inventions
: thing before key effect hurdle
- printing press | scribes copied every page by hand | metal letters that could be set, inked and used again | books
  became cheap enough for workshops and schools | the ink, which had to stick to metal and not run
- telescope | the sky was watched with the naked eye and sighting rods | two lenses at the right distance in one
  tube | the moon turned out to have mountains | grinding glass without bubbles
- bicycle | people walked or kept a horse | a chain that let the wheels stay small | short distances shrank for
  ordinary people | roads that shook the rider to pieces
- refrigerator | ice was cut from lakes and stored in straw | a fluid that boils and condenses in a closed loop |
  fresh food travelled across oceans | early fluids that were poisonous
- compass | sailors followed coasts and stars | a magnetised needle that floats or turns freely | crossings in
  cloudy weather became possible | the difference between magnetic and true north
- zip fastener | rows of hooks and buttons | interlocking teeth joined by a slider | clothes and luggage closed in
  seconds | teeth that jammed or burst open
- elevator | buildings stopped at five or six floors | a brake that catches the cabin when the rope fails | upper
  floors became the most wanted ones | convincing the public that it was safe
- barcode | clerks typed each price by hand | stripes of varying width read by a beam | shops learned what was sold
  and when | agreeing on one standard
- microscope | nobody knew of life too small to see | a tiny, strongly curved lens | the cell and the germ entered
  medicine | blurred edges in every colour
? What was life like before the $thing was invented?
? How did people manage before there was such a thing as the $thing?
* Before it, $before.
* That worked, but it was slow, and it tied up [[skilled|many]] hands that were missing elsewhere.
* Accounts from the time complain less than one would expect, simply because nobody could picture an alternative.
* Prices tell the story well: the same service cost [[5..30]] times as much once wages are taken into account.
* Local solutions differed widely, so a traveller would meet a new arrangement in each region.
? What was the decisive idea behind the $thing?
? Which single trick made the $thing work?
* The core of it was $key.
* The pieces had existed for decades; somebody had to bring them together in the right proportion.
* Several workshops came close at about the same time, which is why the credit is disputed.
* Early models look clumsy because the makers copied familiar shapes instead of trusting the new principle.
* A good way to see the trick is to imagine the device without it and ask what would fail first.
* Patents of the period describe it in [[2..12]] pages, most of which protect details that no longer matter.
? Which obstacle nearly stopped the $thing?
? What was hard about getting the $thing right?
* The main trouble was $hurdle.
* Money was a problem too, since backers wanted results within [[1..3]] years and got them after [[7..20]].
* A change of material, rather than a change of design, brought the breakthrough.
* Test users found faults that the makers had stopped noticing.
* The first buyers were enthusiasts, which hid how inconvenient the early versions were.
? How did the $thing change everyday life?
? What did the $thing change in the long run?
* The obvious effect: $effect.
* A less obvious one was that habits of time shifted, because waiting became shorter.
* New trades grew up around making, selling and mending it.
* Some older skills vanished within [[one|two]] generations and are now kept alive by museums.
* Laws had to follow, usually a decade late and after a public quarrel.
* It also changed language: several everyday expressions still come from it.
? What would be a good way to present the $thing in a short talk?
? Could you outline a [[5..12]]-minute talk about the $thing?
* Open with the problem rather than the date: $before.
* Show one picture of an early model and let the audience guess what each part does.
* Explain the key idea in a single sentence, for example: $key.
* Tell the story of the obstacle, because listeners remember difficulty better than success.
* Close with one effect that the audience can see in the room.
* Keep a spare slide with sources in case somebody asks.

= animals
: animal food trick home young
- hedgehogs | beetles, worms and caterpillars | rolling into a ball of several thousand spines | hedges and leaf
  piles | four or five hoglets born blind
- octopuses | crabs, clams and small fish | changing colour and texture within a second | dens among rocks |
  thousands of eggs guarded until they hatch
- swifts | insects caught in flight | sleeping on the wing | crevices under roofs and cliffs | two or three chicks
  that can go torpid in cold spells
- honeybees | nectar and pollen | dancing to tell others the way | hollow trunks and hives | larvae fed more than a
  thousand times
- beavers | bark, leaves and water plants | building dams that hold for decades | slow rivers with soft banks | kits
  that stay for two years
- bats | moths, midges and fruit | finding their way by echoes | caves, attics and old trees | a single pup each
  summer
- salmon | insects when small, fish and krill at sea | smelling the way back to the stream of their birth | cold
  rivers and the open ocean | eggs buried in gravel
- elephants | grass, bark and fruit | talking over kilometres in tones too low for human ears | savannas and forests
  | one calf after twenty-two months
- snails | leaves, algae and decaying matter | sealing the shell with a lid in dry weather | damp corners of all
  kinds | dozens of pearly eggs in the soil
? What do $animal eat, and how do they find it?
? How do $animal feed through the seasons?
* The usual menu is $food.
* Where that runs short, they switch to whatever costs the least effort to reach.
* Most feeding happens in [[two|three]] bursts a day with long pauses in between.
* Researchers learn about it from droppings, camera traps and marked individuals.
* In captivity the diet is simpler, which is one reason why zoos vary how the food is offered.
? What is the most remarkable ability of $animal?
? Which talent are $animal best known for?
* The famous one is $trick.
* It looks like magic but was studied in detail during the last [[30..80]] years.
* Young ones do it badly at first and improve with practice.
* Engineers have copied the principle in a few prototypes with mixed success.
* The ability has a cost: it takes energy that is then missing for growth.
* Related species show weaker forms of it, which hints at how it arose step by step.
? Where do $animal live, and what does a good habitat need?
? What kind of surroundings do $animal depend on?
* Typical places are $home.
* Three things count: shelter, food within reach and few disturbances.
* Corridors between patches matter more than the size of a single patch.
* A habitat can look untidy and still be excellent; neatness is a human preference.
* Surveys usually run for [[3..10]] years before anyone speaks of a trend.
? How do $animal raise their young?
? What is known about the early life of $animal?
* In short: $young.
* The first [[days|weeks]] decide, since losses are highest then.
* Parents trade off the number of young against the care that each one gets.
* A cold spring can delay everything by [[2..5]] weeks.
* What looks like play is mostly training for later.
* Observers keep their distance during this time, because a disturbed parent may leave.
? What threatens $animal, and what helps?
? How could a town make things easier for $animal?
* Loss of habitat comes first almost everywhere, ahead of every other cause.
* Light at night and traffic come next in built-up areas.
* Small measures add up: a gap under a fence, a strip left unmown, a lamp that points down.
* Chemicals harm twice, directly and by removing the food: $food.
* Good programmes publish their counts, including the disappointing ones.
* Involving schools works well because children notice details that adults pass by.

= landforms
: thing made sign example use
- volcanoes | molten rock that finds a way up through the crust | cones, craters and warm springs | the island
  chains that grow older in one direction | fertile soil and heat from the ground
- fjords | glaciers that carved valleys which the sea later filled | steep walls and a shallow sill at the mouth |
  the long arms of the sea in the far north | deep natural shelter for ships
- deltas | rivers that slow down and drop what they carry | branching channels and flat islands | the bird's-foot
  shape of some large ones | rich farmland
- caves | water that dissolves limestone drop by drop | sinkholes and streams that vanish | halls tall enough for a
  church tower | records of past climate in dripstones
- dunes | wind that pushes loose sand up one side and lets it slide down the other | ripples and a steep lee face |
  the moving crescents of dry basins | natural walls against storm tides
- canyons | rivers that cut down faster than the sides wear away | layers of rock like pages of a book | the gorges
  that are deeper than they are wide | a reading lesson in geology
- coral reefs | tiny animals that build skeletons of lime | calm lagoons behind a line of surf | the rings that
  remain when an island sinks | nurseries for fish
- oases | groundwater that reaches the surface in dry land | palms in a shallow hollow | strings of wells along old
  trade routes | resting places for travellers
? How do $thing form?
? What processes create $thing?
* In one sentence: they are the work of $made.
* Time is the main ingredient, usually counted in tens of thousands of years.
* The process is rarely even; a single violent season can do more than [[50..300]] quiet ones.
* The kind of rock underneath decides how sharp the edges become.
* A sand table and a jug of water show a surprising amount of it.
? How would one recognise $thing on a map or from the air?
? Which signs point to $thing in a landscape?
* Look for $sign.
* Contour lines tell the rest: their spacing shows where the ground is steep.
* Old maps help, because the changes of a century become visible side by side.
* Shadows in a low sun bring out shapes that vanish at noon.
* Names on the map are clues too, since people name what they see.
? Is there a well-known example of $thing worth reading about?
? Which example of $thing do textbooks like to use?
* A favourite of textbooks: $example.
* It became well known because it is easy to reach and was surveyed early.
* The first scientific description appeared around [[1780..1890]] and is still readable.
* Smaller examples are often better for learning since the whole can be walked in an afternoon.
* Photographs flatten the scale; drawings with a human figure do better.
? What are $thing good for, from a human point of view?
? How have people made use of $thing?
* Above all they offer $use.
* Settlements keep a respectful distance where the ground can move or flood.
* Visitors bring income and wear, so paths and limits are needed within [[5..15]] years.
* Many stories and songs are tied to such places, which protects them better than signs do.
* Scientists value them as archives that nobody had to write.
? How fast do $thing change today?
? Are $thing still changing, and can it be measured?
* Yes, and modern instruments can follow it month by month.
* Typical rates lie between [[1..9]] millimetres and [[2..30]] metres a year, depending on the place.
* Satellites compare heights on repeated passes, and marked stones tell the same story on the ground.
* A warmer climate speeds up some of the processes and stops others.
* A change that looks dramatic in a film may be normal for the place.
* Long series are rare and precious, which is why old survey books are being scanned.

= sums
: idea plain example trap use
- percentages | parts of a hundred | a price that falls by 20 % and then rises by 20 % ends lower than it began |
  adding percentages that refer to different totals | discounts, taxes and interest
- probability | how often something happens in the long run | two dice show a seven more often than any other sum |
  thinking that a run of bad luck must soon end | insurance and weather forecasts
- prime numbers | numbers that only one and themselves divide | 91 looks prime but is 7 times 13 | taking odd for
  prime | codes that keep messages private
- averages | one number that stands for many | the mean of 2, 3 and 40 is 15, though nobody is near it | forgetting
  how far the values spread | comparing groups fairly
- fractions | shares of a whole | a half plus a third is five sixths | adding the bottoms | recipes and music
- logarithms | the question which power gives a number | a thousand is ten to the third, so its logarithm is three |
  taking equal steps for equal amounts | loudness and acidity
- Fibonacci numbers | each one is the sum of the two before it | 1, 1, 2, 3, 5, 8, 13 | finding them in places where
  they are not | growth patterns and puzzles
- symmetry | what stays the same when something is turned or flipped | a square has eight ways to land on itself |
  counting the same turn twice | crystals and tilings
- negative numbers | numbers on the other side of zero | taking away minus three adds three | mixing up the sign of
  the result and of the step | debts, depths and temperatures below freezing
? Could you explain $idea without formulas?
? What is the idea behind $idea, in everyday words?
* Think of it as $plain.
* A picture usually does more than a definition; try a strip of [[10..24]] squares and colour some of them.
* The word is used loosely in newspapers, which makes the exact meaning feel stricter than it is.
* Once the basic case is clear, everything else is bookkeeping.
* It is fine to forget the rule as long as one can rebuild it from a small case.
? Could you give a worked example about $idea?
? What is a good first example for $idea?
* A small one to begin with: $example.
* Work it out on paper once, then change a single number and predict what happens.
* With [[3..9]] instead of the first number the same steps apply.
* Check the result by going backwards, which catches most slips.
* Write the units next to each number, even where they seem obvious.
* If the result looks surprising, test an extreme case such as zero or a million.
? Which mistakes do learners make with $idea?
? What is the usual trap with $idea?
* The classic trap is $trap.
* The second is to start calculating before saying in words what is asked.
* Estimating first, to within a factor of [[two|three]], exposes many errors.
* Mistakes are worth collecting: a page of them teaches more than a page of right answers.
* A calculator hides the trap, because it answers the wrong question without complaint.
? Where does one meet $idea outside school?
? Why should one learn about $idea at all?
* Obvious uses are $use.
* It also trains a habit: asking what a number is compared with.
* Engineers, nurses and carpenters use it daily without calling it by its name.
* Games of strategy and card tricks are full of it.
* A good exercise is to find [[3..6]] cases in a single newspaper.
? Could you make up a few practice questions on $idea?
? Can you set a short exercise about $idea, from easy to hard?
* Easy: repeat the worked example with [[11..19]] and [[21..48]] in place of the numbers.
* Medium: explain to a twelve-year-old why the trap is a trap.
* Medium: invent a story problem whose answer is [[5..60]].
* Hard: find a case in which intuition and calculation disagree, and say which is right.
* Hard: write down what would have to change for the rule to fail.
* Leave a day between attempts; recall after a pause is what makes it stick.

= sky
: body size path notice fact
- the Moon | a quarter of the Earth's diameter | round the Earth in about 27 days | its shape changes from night to
  night | it always shows nearly the same face
- Mars | half the Earth's diameter | round the Sun in 687 days | its colour is distinctly red | its tallest mountain
  is over twenty kilometres high
- Jupiter | eleven times the Earth's diameter | round the Sun in about twelve years | four of its moons show up in
  small binoculars | a storm on it has lasted for centuries
- Venus | almost the Earth's diameter | round the Sun in 225 days | it outshines everything but the Sun and the Moon
  | its day is longer than its year
- Saturn | nine times the Earth's diameter | round the Sun in 29 years | its rings need a small telescope | it would
  float on water if there were a tub large enough
- comets | a core of a few kilometres | on long ellipses that can take millennia | a tail that points away from the
  Sun | they are among the oldest bodies we can study
- meteors | mostly grains no larger than a pea | into the air at tens of kilometres a second | streaks that last
  about a second | the same showers return every year
- the Milky Way | a hundred thousand light years across | once round its centre in some 230 million years | a pale
  band on moonless nights | it holds more than a hundred billion stars
? What are the basic facts about $body?
? Could you introduce $body to a beginner?
* As for size: $size.
* As for its path: $path.
* A detail that people like to hear: $fact.
* Numbers of that kind mean little on their own, so compare them with something that fits on a table.
* The value in a reference work may differ by [[1..3]] per cent from another because definitions differ.
? How can one spot $body without expensive equipment?
? What should a beginner look for to find $body?
* The mark to look for: $notice.
* Allow [[15..30]] minutes for the eyes to adapt, and avoid white light during that time.
* A star chart for the month, turned to the right direction, is enough.
* A spot away from street lamps helps more than any lens.
* Steady hands matter: leaning on a wall already improves the view through binoculars.
* Haze near the horizon swallows detail, so wait until it stands higher.
? What did people in earlier times believe about $body?
? How was $body explained before modern astronomy?
* It was given a character and a story in nearly every culture.
* Calendars and festivals were tied to it because it was reliable.
* Tables of its positions were kept on clay and paper for [[400..900]] years before anyone could explain them.
* The change came when measuring became more exact than the old models allowed.
* Some old observations are still useful today, as they extend the record far back.
? How do we know what we know about $body?
? Which methods are used to study $body?
* Light is the main source: its spectrum tells what things are made of.
* Radar and probes add distances and pictures from nearby.
* Timing gives a lot too, for instance when one body covers another.
* Every result comes with an error bar, and the bar has shrunk by a factor of [[10..200]] within a century.
* Amateurs contribute long series that large observatories have no time for.
? Could you write a short text on $body for a children's magazine?
? How would you describe $body to a child of [[6..10]]?
* Begin with something to look at: $notice.
* Then a comparison: take an orange for the Earth and ask how large the other thing would be.
* One astonishing fact is enough: $fact.
* Invite the reader to draw it on several evenings.
* End with a question that nobody can answer yet.

= materials
: stuff made strong weak old
- glass | sand, soda and lime melted together | it lets light through and barely ages | it breaks under a sudden
  blow | beads and small bottles
- steel | iron with a little carbon | it bears both pull and pressure | it rusts where water and air meet it |
  blades and springs
- concrete | cement, water, sand and gravel | it can be poured into any shape | it cracks when pulled | domes and
  harbour walls
- paper | fibres that settle from water on a sieve | it is light, cheap and takes ink | moisture and light weaken it
  | scrolls and playing cards
- wool | the fleece of sheep, washed and spun | it warms even when damp | moths and hot water harm it | blankets and
  felt
- silk | threads from the cocoons of a moth | it is fine and very strong for its weight | sunlight makes it brittle
  | robes and bowstrings
- rubber | the milky sap of a tree, hardened with sulphur | it stretches and comes back | ozone and heat make it
  crack | balls and waterproof coats
- porcelain | white clay fired at great heat | it is hard, white and rings when struck | it chips at the edges |
  bowls and tiles
- cork | the bark of an oak, peeled every nine years | it is springy and keeps liquids in | it crumbles when dry |
  stoppers and floats
? What is $stuff made of, and how is it produced?
? How does one get from the raw materials to $stuff?
* The recipe in short: $made.
* Heat, time and cleanliness decide about the quality more than the recipe does.
* A small works of the past turned out in a year what a modern line makes in [[2..10]] hours.
* The same basic steps have been used for centuries; what changed is control.
* Waste from one step often becomes the raw material of another.
? What are the strengths and weaknesses of $stuff?
? When would one choose $stuff, and when something else?
* Its great strength: $strong.
* Its weak spot: $weak.
* Designers combine it with a partner that covers the weak spot.
* Price matters less than how long it lasts, as repairs cost [[2..6]] times the material.
* Samples tell more than data sheets; bend, wet and scratch one before deciding.
* The weight of the finished object often settles the choice.
? What was $stuff first used for?
? What is the early history of $stuff?
* Among the oldest finds are $old.
* The makers guarded their methods, and several secrets were lost and found again.
* Trade routes can be traced by it, since each region had its own handwriting.
* For a long time it was a luxury; the price fell within [[30..80]] years once machines took over.
* Museums keep failures too, which show how the skill grew.
? How can $stuff be recycled or reused?
? What happens to $stuff at the end of its life?
* Sorting comes first, because small amounts of the wrong thing spoil a whole batch.
* Some loss of quality is normal, and between [[3..9]] rounds are realistic.
* Reuse in the same shape beats melting or shredding whenever transport is short.
* Deposits and labels work when they are simple.
* Where recycling fails, the cause is more often a glue or coating than the thing itself.
? How does one care for old objects of $stuff?
? What should a small museum know about keeping $stuff?
* Keep in mind its weak spot: $weak.
* Even conditions matter more than perfect ones; swings do the harm.
* Handle with clean, dry hands and support the full weight.
* Note every repair with a date, including what was used for it.
* Cleaning less is nearly always better; test on [[1..2]] square centimetres first.
* Light should be dim and brief for anything with colour on it.

= language
: point rule good bad tip
- the comma | it separates what would otherwise run together | "While we ate, the dog slept." | "While we ate the
  dog slept." | read the sentence aloud and notice the pauses
- the apostrophe | it marks possession or a missing letter | "The cat's bowl and it's late." | "The cats bowl and
  its late." | write the long form and see whether it still makes sense
- the semicolon | it joins two complete thoughts that belong together | "The rain stopped; the game went on." | "The
  rain stopped; and the game." | replace it with a full stop and check both halves
- the passive voice | it puts what is acted on first | "The bridge was closed at noon." | "It was decided by the
  committee that it was to be closed by them." | ask who does it, and whether that matters
- the hyphen | it ties words together that act as one | "a well-known story" | "a well known-story" | see whether
  the words could stand apart before the noun
- paragraphs | each one carries a single thought | a first sentence that says what is to come | five thoughts in one
  block of text | write the thought of each one in the margin
- similes | they compare two things with like or as | "The lake lay like a sheet of tin." | "It was as good as
  something good." | choose a picture that the reader has seen
- indirect speech | it reports what was said without quoting | "She said that the shop was shut." | "She said that
  the shop is shut yesterday." | shift the tense one step back
? Could you explain how to use $point correctly?
? What is the rule for $point in English?
* The basic rule: $rule.
* Grammar books list [[6..14]] special cases, but two or three of them cover most texts.
* Usage has shifted over time, so older novels are no safe guide.
* The aim is always the same: the reader should never have to go back.
* If a sentence needs a rule to be understood, it may be better to rewrite it.
? Could you show a good and a bad example of $point?
? How does a good use of $point differ from a bad one?
* A good one: $good
* A bad one: $bad
* The difference seems small on the page and large in the ear.
* Collect real examples from notices and packaging, as those are memorable.
* Editors disagree about borderline cases, so look for consistency within one text.
* Mark [[5..12]] cases in an article and decide for each whether it helps.
? How can one practise $point?
? What exercise would you suggest for $point?
* The quickest check: $tip.
* Take a page of a good book, remove every case of it, put it back and compare.
* Write the same message in [[3..5]] ways and choose.
* Ten minutes a day for two weeks is better than one long afternoon.
* Swapping texts with somebody else reveals habits one no longer sees.
? Why bother with $point at all?
? Is it true that readers care about $point?
* Yes: readers slow down at the wrong place and lose the thread.
* In contracts a misplaced mark has led to quarrels that lasted [[2..9]] years.
* Tone depends on it as well; too much of it sounds breathless, too little sounds flat.
* Machines have become better at coping, but people still judge a text by it.
* It is also a courtesy, much like a tidy table.
? Could you write a short paragraph that shows $point at work?
? Can you make up a text of about [[60..110]] words with several uses of $point?
* The museum opened late that morning, because the keys had been left in the wrong coat.
* A queue had formed along the railing; nobody seemed to mind.
* Two children counted the statues on the roof, lost track and began again.
* When the door finally moved, an old attendant bowed as though the curtain had risen.
* Inside it smelled of wax, dust and a little of oranges.
* Notice in each sentence where the reader takes a breath, and why.

= arts
: style look when how start
- watercolour | thin layers through which the paper shines | in the travel sketches of the eighteenth century | from
  light to dark, as white can't be added later | three pigments and one round brush
- woodcut | bold lines with flat areas | in the earliest printed books | by cutting away whatever is to stay white |
  a soft block and a single blade
- mosaic | small stones that catch the light at different angles | on the floors of antique villas | by setting
  pieces into fresh mortar | broken tiles and a shallow tray
- calligraphy | strokes that swell and thin | in the manuscripts of many cultures | by keeping the angle of the pen
  steady | a broad nib and lined paper
- collage | scraps with torn or cut edges | in the studios of the early twentieth century | by moving the pieces
  until they argue less | old magazines and paste
- linocut | clean shapes with lively tool marks | in posters of the last century | by carving a soft sheet and
  rolling ink over it | one sheet and two gouges
- charcoal drawing | deep blacks and soft greys | in the studies of many old masters | by smudging, lifting and
  drawing again | a stick, a rag and an eraser
- fresco | colours that belong to the wall | in churches and palaces | by painting while the plaster is still wet |
  a small panel of lime plaster
? What characterises $style as a technique?
? How would you recognise $style?
* The typical look: $look.
* The surface tells most; tilt it against the light if that is allowed.
* Experts also look at the back and the edges, where nobody took care to hide anything.
* Copies tend to be too regular, because the copyist hesitates.
* Comparing [[3..6]] works side by side trains the eye faster than reading.
? How does the process of $style work, step by step?
? Could you walk through the making of a piece in $style?
* The principle: the work is done $how.
* Planning takes a third of the time, even for people with experience.
* A small trial of [[8..15]] centimetres saves material and nerves.
* Work from the large shapes to the small ones and stop early.
* Let it rest overnight, then decide whether anything is missing.
* Clean the tools at once, as dried remains ruin the next attempt.
? What is the history of $style?
? When was $style at its height?
* It is best known from its use $when.
* Later periods rejected it and later ones again rediscovered it, as so often.
* Workshops passed on recipes by word of mouth, so many details are guesses.
* Cheap materials made it popular with amateurs within about [[20..60]] years.
* Its reputation rose and fell with what people hung on their walls.
? What does a beginner need for $style?
? How could an evening course introduce $style to [[6..14]] beginners?
* Very little: $start.
* Good paper or a good base is worth more than many colours.
* Begin with a subject that stays still, such as a jug or a leaf.
* Set a limit of [[20..40]] minutes, since endless correcting teaches the wrong thing.
* Put the results on the floor at the end and look at them together from a distance.
* Everyone should name one thing that worked, before anything else is said.
? Which mistakes are typical in $style?
? What goes wrong most often in $style?
* Starting with details before the whole is settled.
* Using everything that the box offers.
* Working from a tiny picture on a screen, which flattens every tone.
* Not waiting for a layer to settle before the next step.
* Throwing away attempts that would be instructive in [[2..6]] months.
"""
