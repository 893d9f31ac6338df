"""Topics of everyday assistance: a household's questions about the world, never about the one who asks.

The notation is that of the world's topics.
"""

HOME = """
= dishes
: dish base season heat sign keep
- lentil soup | red lentils, carrots and an onion | cumin and a squeeze of lemon | a gentle simmer for 25 minutes |
  the lentils fall apart when stirred | three days in the fridge
- potato gratin | thin potato slices and cream | nutmeg and garlic | 170 degrees for 70 minutes | a knife slides in
  without resistance | two days, covered
- risotto | short-grain rice and warm stock | white pepper and a hard cheese | medium heat with steady stirring for
  18 minutes | the grains are tender with a firm heart | a day, then only as fried cakes
- ratatouille | aubergine, courgette and peppers | thyme and bay | low heat for 50 minutes after browning | the
  vegetables hold their shape but give way to a spoon | four days, and better on the second
- pancakes | flour, milk and two eggs | a pinch of salt and vanilla | a medium-hot pan for a minute and a half per
  side | bubbles break on the surface | a day, stacked with paper in between
- vegetable curry | chickpeas, cauliflower and coconut milk | turmeric, ginger and coriander seed | a lively simmer
  for 20 minutes | the sauce coats a spoon | three days
- flatbread | flour, water and a little oil | salt and sesame | a very hot dry pan for two minutes per side | brown
  blisters appear | a day in a cloth
- apple crumble | tart apples, butter and oats | cinnamon | 190 degrees for 35 minutes | juice bubbles up at the
  edges | two days at room temperature
- onion tart | slow-cooked onions on a short crust | caraway | 200 degrees for 30 minutes | the edge is deep gold |
  two days, reheated in the oven
? Could you give a simple method for $dish that serves [[2..6]]?
? How does one make $dish from scratch?
* The base is $base.
* The seasoning that makes it recognisable is $season.
* As for the heat: $heat.
* It is ready when $sign.
* Set everything out before the stove goes on, because the last minutes are busy.
* Salt in small steps and taste after each of them.
? What can go wrong with $dish, and how is it rescued?
? How does one save $dish when the result is [[too thin|too salty|too bland]]?
* Too thin usually means too little time, so let it cook on without a lid for [[5..12]] minutes.
* Too salty is best met with more of the base, which is $base.
* Bland rarely means too little salt; a little acid wakes it up.
* If the bottom has caught, change the pot without scraping.
* A dull colour can't be undone, but fresh herbs distract from it.
? How can $dish be prepared ahead?
? How long can $dish be kept, and what is the best way to reheat it?
* As a rule it keeps for $keep.
* Let it cool in a shallow dish, so that it passes quickly through the lukewarm stage.
* Reheat slowly with a spoonful of water rather than fast and dry.
* Whatever is crisp belongs in a separate box.
* Label the box with the day, since memory is a poor clock.
* Freezing works best in portions of [[250..400]] grams.
? Which variations of $dish are worth trying?
? How could $dish be changed for guests who like it [[milder|spicier|lighter]]?
* Change one thing at a time, otherwise nobody can tell what made the difference.
* The simplest change is the seasoning: take half of what is usual, which is $season, and add a new note.
* Toasted seeds on top give contrast for little effort.
* Roasting one of the vegetables first deepens the whole.
* For a lighter version, replace a third of the fat by stock.
* A sharp side salad does more than any garnish.
? What should be on the shopping list for $dish for [[4..10]] people?
? Could you work out amounts for $dish for a table of [[4..10]]?
* Reckon with about [[300..420]] grams of finished food per adult.
* For the base, which is $base, buy a tenth more than the sum says.
* Spices scale less than the rest; double the people needs about one and a half times the spice.
* Check the size of the pot before doubling anything.
* Fat for frying depends on the pan and not on the number of guests.
? What goes well with $dish?
? Could you plan a small menu around $dish?
* Something crisp, something sharp and something soft make a good trio.
* Begin with a raw vegetable plate, so that there is no rush at the stove.
* Water with [[mint|cucumber|lemon peel]] suits most tables.
* For afters choose a cold dish that can wait.
* Keep the number of hot dishes at two, since most stoves get crowded beyond that.

= plants
: plant light water soil trouble
- tomatoes | full sun for at least six hours | deeply every second day in summer | rich soil with plenty of compost
  | brown patches at the end of the fruit, from uneven watering
- basil plants | a bright windowsill | a little from below whenever the surface is dry | loose soil that drains well
  | black stems after a cold night
- lavender bushes | the hottest spot there is | rarely once it has settled | poor and chalky ground | woody stems
  after missed pruning
- strawberries | sun with some shade at noon | often but never over the leaves | slightly acid soil with straw on
  top | grey mould in wet weeks
- radishes | sun or half shade | evenly, as dryness makes them sharp | fine and loose soil | small holes made by
  flea beetles
- mint plants | half shade | generously | any soil, but in a pot because it wanders | rust-coloured spots under the
  leaves
- peas | sun and a cool start | more once they flower | soil that was not manured lately | mildew in late summer
- spider plants | bright but not direct light | when the top two centimetres are dry | ordinary potting soil | brown
  tips from dry air or hard water
- orchids | an east window | by dipping once a week | coarse bark instead of soil | limp leaves after too much water
? What do $plant need to grow well?
? How are $plant looked after, in short?
* Light: $light.
* Water: $water.
* Ground: $soil.
* A fixed day for checking is better than good intentions.
* Turn pots a little every [[5..10]] days so that growth stays even.
* Feed weakly and often rather than strongly and seldom.
? What are typical problems with $plant?
? Why might $plant look unwell, and what can be done?
* The usual trouble: $trouble.
* Look under the leaves first, since most visitors sit there.
* Change one condition, then wait [[7..14]] days before the next attempt.
* Remove what is clearly lost; it costs strength.
* Too much care kills more often than too little.
? When and how are $plant started?
? How does one get from seed or cutting to strong $plant?
* Sow or set them no deeper than twice the thickness of the seed.
* Even warmth from below shortens the wait to about [[6..16]] days.
* Thin them out early, though it feels cruel.
* Harden them off for a week before they go outside for good.
* Label each row; in spring everything looks alike.
* The ground for the start should be leaner than the later one: $soil.
? What can be combined with $plant in one box?
? Which neighbours suit $plant?
* Choose partners with the same thirst, which here means water $water.
* Tall ones belong to the north side, so that they take no light.
* Flowers with open blossoms bring useful insects.
* Leave [[15..35]] centimetres, even where it looks empty at first.
* Avoid close relatives, because they share pests.
? How are $plant brought through a [[dry spell|cold winter|rainy month]]?
? What changes in the care of $plant through the year?
* In the dark months everything slows down, and so should the can.
* A layer of straw or leaves evens out the extremes.
* Move pots closer together; they shelter one another.
* Watch for the usual trouble: $trouble.
* Write down dates of frost and first flowers, as local records beat any table.

= stains
: stain first agent cloth never
- red wine | blot with a dry cloth | mineral water and a little detergent | cotton and linen | hot water, which sets
  the colour
- grease | lay kitchen paper on both sides | washing-up liquid left on for ten minutes | most sturdy fabrics |
  rubbing, which spreads it
- candle wax | let it harden and lift off the crust | a warm iron through brown paper | tablecloths | scraping with
  a blade
- grass stains | rinse from the back | alcohol dabbed on with a swab | trousers and canvas | ammonia on wool
- ink | keep it damp | milk or alcohol, depending on the ink | shirts and pockets | a hairdryer
- coffee | rinse with cold water at once | a spoonful of glycerine | upholstery and cotton | soap as a first step
- rust marks | keep iron tools away from it | lemon juice and salt in the sun | white linen | bleach, which makes it
  worse
- chewing gum | freeze it for an hour | a drop of eucalyptus oil | seats and carpets | pulling it while it is warm
- tomato sauce | lift off the excess with a spoon | white vinegar diluted by half | aprons and napkins | the dryer
  before it is gone
? How does one get $stain out of fabric?
? What removes $stain best?
* First of all: $first.
* Then use $agent.
* This works well on $cloth.
* Work from the rim to the middle, so that it does not grow.
* Repeat a mild step [[2..4]] times rather than taking a strong one once.
* Rinse thoroughly before the thing goes into the wash.
? What should be avoided with $stain?
? Which well-meant tricks make $stain worse?
* Above all avoid $never.
* Colour-safe does not mean fibre-safe, so test on a seam.
* Salt helps only for a minute and then becomes part of the problem.
* Mixing two cleaners can release fumes.
* Heat comes last, when nothing is visible in daylight.
? What if $stain has already dried?
? Does anything help against old traces of $stain?
* Soften it first by soaking for [[20..90]] minutes in lukewarm water.
* Then proceed as with a fresh one: $agent.
* Give it three rounds before giving up.
* A faint rest may vanish in the sun on white fabric.
* Professionals like to know what has been tried, so make a note of it.
? Which supplies belong in a small kit against spots?
? What would you put into a basic kit for accidents such as $stain?
* White cloths without print, since colours can run.
* A mild liquid detergent, alcohol, vinegar and glycerine cover most cases.
* A soft brush and a blunt knife for whatever sits on top.
* Cotton swabs for edges and seams.
* A card with the order of steps, because nobody remembers it in a hurry.
* Check the kit every [[4..8]] months.
? Why does that treatment work on $stain?
? What is the chemistry behind removing $stain?
* Like dissolves like: fatty things need something that gets along with fat.
* Acids loosen minerals and many plant colours.
* Enzymes cut long molecules into short ones that rinse out, but they need time and warmth below [[40..50]] degrees.
* Oxygen-based whiteners change the colour instead of removing the matter.
* Mechanical work brings the agent to the fibre, and too much of it roughens the surface.

= repairs
: job tools step mistake time
- a squeaking hinge | a cloth and a drop of oil | lift the pin, wipe it, oil it and put it back | oiling over old
  dirt | ten minutes
- a dripping tap | a wrench and a new washer | close the supply, open the tap and replace the washer | forgetting to
  close the supply | half an hour
- a sticking drawer | a candle stub and sandpaper | rub the runners with wax after a light sanding | sanding too
  much at once | a quarter of an hour
- a hole in plaster | filler, a knife and fine sandpaper | fill in two layers and sand when dry | one thick layer
  that cracks | an afternoon with pauses
- a loose chair leg | wood glue and a clamp | clean the joint, glue it and press overnight | adding screws that
  split the wood | a night
- a slow drain | a rubber plunger and a bucket | cover the overflow and pump with short strokes | pouring in strong
  chemicals first | twenty minutes
- a torn window screen | a patch of mesh and thread | cut it square, overlap it and sew it on | pulling the mesh too
  tight | half an hour
- a wobbly shelf | a spirit level and wall plugs | take the weight off, plug the holes anew and level it | using
  plugs that don't suit the wall | an hour
- a scratched table top | wax sticks and a soft cloth | fill the scratch, level it and polish with the grain |
  polishing across the grain | half an hour
? How does one fix $job?
? What is the easiest way to deal with $job?
* What is needed: $tools.
* In short: $step.
* Reckon with $time.
* Photograph each stage, so that everything finds its way back.
* Put small parts into a bowl with a rim.
* Stop when something needs force; there is usually a hidden screw.
? What do beginners get wrong with $job?
? Which mistakes should be avoided with $job?
* The classic is $mistake.
* Another is starting late in the evening, when shops are shut.
* Cheap tools slip and leave marks that cost more than the tool.
* Skipping the cleaning step shortens the result to a few weeks.
* Two people in a small space are one too many.
? When is $job a case for a professional?
? How does one recognise that $job is beyond a beginner?
* When water, gas or current can't be shut off with certainty.
* When the same fault returns within [[2..6]] weeks.
* When the part is no longer made and has to be copied.
* When the wall behind it sounds different from one spot to the next.
* Ask for a fixed price for finding the cause, apart from the repair.
? How can $job be prevented in the future?
? What upkeep keeps $job from coming back?
* A short round twice a year finds most things while they are small.
* Keep the manual and the receipt in one folder.
* Damp and dust are behind more faults than wear.
* Tighten, clean and oil, in that order.
* Note what was done and when; after [[3..5]] entries patterns appear.
? What belongs in a basic toolbox?
? Which few tools cover jobs such as $job?
* Two screwdrivers of good steel, pliers, a hammer and a tape measure.
* A spirit level of [[30..60]] centimetres and a pencil that writes on everything.
* Sandpaper in three grades and a block to wrap it round.
* For this case in particular: $tools.
* A torch worn on the head leaves both hands free.
* Add a tool only when it has been missed twice.

= letters
: letter aim tone open end
- a thank-you note | to name what was done and why it mattered | warm and short | with the deed itself | with a
  glance ahead
- a complaint to a shop | to get a fault put right | calm and factual | with the date and the article | with a clear
  wish and a deadline
- an invitation to a summer party | to make people look forward to it | light | with the occasion | with place, hour
  and what to bring
- a toast | to make a room smile together | personal and brief | with a small scene | with glasses in the air
- a condolence card | to share grief without explaining it | quiet | with the name of the one who died | with an
  offer that is easy to accept
- an apology | to own a mistake | plain | with the mistake itself | with what will be different
- a review of a hotel | to help strangers decide | fair | with who would like it | with one tip
- a notice to neighbours about building noise | to ask for patience | friendly | with the dates | with a number to
  call
- a farewell card for a colleague | to mark a shared time | kind with a wink | with a memory | with good wishes
? What makes $letter good?
? How is $letter best built up?
* The aim is $aim, and everything else can go.
* The tone should be $tone.
* Begin $open.
* End $end.
* Between [[60..140]] words are usually enough.
* Read it aloud once; whatever trips the tongue will trip the reader.
? Could you draft $letter as a template with gaps to fill in?
? Can you write a neutral sample of $letter?
* Dear [name], this is about [occasion], and it will not take long.
* It begins $open, so the first line reads: [one concrete sentence].
* Then comes the heart of it, in two sentences at most: [what happened], [what it meant or what is asked].
* A detail that only this reader would recognise makes it personal: [detail].
* It closes $end: [last line].
* With kind regards, [signature].
? Which phrases should be avoided in $letter?
? What sounds wrong in $letter?
* Stock phrases that could stand in any other text.
* Words that claim a feeling instead of showing it.
* Three adjectives where a noun would do.
* Anything that explains the reader's feelings to the reader.
* Jokes that need a tone of voice.
* Sentences of more than [[22..30]] words.
? How could $letter be shortened?
? Could you give advice on cutting $letter down to [[40..70]] words?
* Strike the first sentence and see whether anything is missing.
* Keep what only this text can say.
* Replace each pair of similar words by the stronger one.
* Dates and names stay, reasons go.
* Let it lie overnight and cut a tenth in the morning.
? By hand or on a screen, how should $letter be sent?
? What is the right form for $letter today?
* By hand when it is personal, typed when it may have to be filed.
* Speed counts more than paper in most cases.
* A card limits the length, which is a gift.
* Check the spelling of names twice.
* Keep a copy of anything that asks for an answer by a date.

= games
: game players rule catch variant
- charades | four to twelve | one person acts a word while the own side guesses | no sounds and no pointing at
  objects | with drawings instead of gestures
- twenty questions | two to eight | yes or no questions lead to a thing | the answerer must not change the thing |
  with places only
- the memory tray | three or more | a tray of objects is covered after a minute | nobody may write | with one object
  removed
- dots and boxes | two | lines are added until a box closes | whoever closes a box must go on | on a triangular grid
- scavenger hunts | any number | a list of things has to be found | everything goes back afterwards | with
  photographs only
- consequences | three or more | each writes a line and folds the paper | nobody peeks | with drawings of heads,
  bodies and feet
- hot and cold | two or more | an object is hidden and hints are warm or cold | only those two words are allowed |
  with clapping
- battleship on paper | two | shots are named by letter and number | ships may not touch | with three shots per turn
- word chains | two or more | each word begins with the last letter of the one before | no repeats | within one theme
? How does one play $game?
? Could you explain the rules of $game?
* Players: $players.
* The core: $rule.
* Important: $catch.
* A round takes about [[5..20]] minutes.
* The youngest begins, which settles the first quarrel.
* Agree on the end before the start.
? How can $game be made fair for different ages?
? What helps when players of very different ages try $game?
* Mixed sides work better than handicaps.
* Give younger ones a second try and older ones a time limit of [[20..60]] seconds.
* Let children invent the tasks; adults find them surprisingly hard.
* Praise a clever attempt more than a win.
* Stop while it is still fun.
? Which variants of $game are there?
? How does one freshen up $game after several rounds?
* A well-tried variant: $variant.
* Change the theme every [[3..5]] rounds.
* Let the loser choose the next rule.
* Play it once in complete silence.
* Combine two games, so that each turn begins with the other.
* Write new rules on a card before they are forgotten.
? What is needed to prepare $game for a group of [[6..20]]?
? How should one organise $game for a large group?
* Split into groups of five at most.
* One person keeps time and does not play.
* Prepare a third more tasks than seem necessary.
* Explain the catch twice: $catch.
* Have a short game ready for those who finish early.
? What do children learn from $game?
? Is there any educational value in $game?
* Waiting for a turn, which is harder than it looks.
* Putting a thought into few words or gestures.
* Losing in small doses.
* Planning [[two|three]] moves ahead.
* Listening, since the best clue is often what others did not say.

= choosing
: item look skip price care
- kettles | a wide spout and a visible water line | coloured lights | the middle of the range | descale with citric
  acid
- umbrellas | fibreglass ribs and a double cover | gadgets in the handle | a little above the middle | dry it open
- headphones | a comfortable fit for two hours | impressive numbers on the box | the upper middle | clean the pads
- kitchen knives | balance and a blade that can be sharpened | large sets | one good one rather than five | wash by
  hand
- backpacks | straps with padding and a firm back | dozens of pockets | the middle | brush off dirt when it is dry
- vacuum cleaners | low noise and parts that are easy to buy | watts as a measure of quality | the middle | empty it
  before it is full
- rain jackets | taped seams and vents under the arms | fashionable cuts that ride up | the upper middle | renew the
  coating once a year
- desk lamps | a shade that hides the bulb from the eye | colour effects | the lower middle | wipe the shade
- suitcases | wheels that can be replaced | a shell in a delicate finish | the middle | store it open for a while
  after use
- alarm clocks | buttons that can be found in the dark | projectors and weather icons | the lower end | change the
  battery yearly
? What should one look for in $item?
? Which criteria matter when comparing $item?
* The decisive points: $look.
* What can be skipped: $skip.
* As for the price: $price.
* Read the worst reviews first and see whether the complaint would matter.
* Try it with the hand or the ear wherever possible.
* A guarantee of [[2..5]] years says something about the maker's trust.
? How do cheap and expensive $item differ?
? Is it worth spending more on $item?
* Up to the middle, money buys function; beyond it, mostly finish.
* Spare parts separate the good from the merely new.
* A sensible spot is often $price.
* The dearest model is seldom the most durable.
* Wait [[4..8]] weeks after a new model appears, as the old one falls in price.
? How are $item cared for, so that they last?
? What makes $item last longer?
* The most useful habit: $care.
* Store them dry and without pressure.
* Repair the first small fault at once.
* Keep the box for [[14..30]] days only, then flatten it.
* Mark the day of the purchase somewhere inside.
? Could you make a comparison table for $item with made-up models?
? Can you show how a decision table for $item could look?
* Model A: weight [[200..900]] g, noise or strain low, parts available, [[3..5]] of 5 points.
* Model B: weight [[200..900]] g, average in most respects, parts unknown, [[2..4]] of 5 points.
* Model C: weight [[200..900]] g, handsome, hard to repair, [[1..3]] of 5 points.
* Give each criterion a weight before looking at the candidates.
* If two come out within a point, choose by touch.
? What are common regrets after buying $item?
? What do people wish they had known about $item?
* That they paid for this: $skip.
* That a friend's excellent choice was excellent for somebody else's needs.
* That the return period had passed while it stood in the hall.
* That the size in the picture and the size on the shelf are two things.
* That they never checked how it is cleaned.

= crafts
: craft need step snag next
- paper lanterns | card, tissue and a punch | cut windows, line them with tissue and join the sides | glue that
  shows through | lanterns with five sides
- friendship bracelets | six threads and a safety pin | knot each thread twice over its neighbour | losing the order
  of the colours | a chevron pattern
- beeswax candles | sheets of wax and a wick | warm the sheet and roll it tightly | gaps that make it flicker |
  tapered candles
- pressed-flower cards | blossoms, blotting paper and heavy books | dry for two weeks and glue with tiny dots |
  browned petals | bookmarks
- origami boxes | square paper | fold the corners to the centre and lift the walls | inexact first folds | a lid
  that fits
- salt-dough ornaments | flour, salt and water | knead, cut and dry in a low oven | cracks from drying too fast |
  painted tiles
- sock puppets | a sock, buttons and wool | mark the mouth first, then sew the eyes | eyes that sit too far back | a
  whole cast
- macrame hangers | cord and a ring | work square knots in four groups | uneven lengths | a hanger with beads
- marbled paper | size, inks and a comb | drop the ink, draw the comb and lay the sheet | air bubbles | endpapers
  for a notebook
? How does one make $craft?
? Could you explain $craft step by step?
* Materials: $need.
* The main step: $step.
* Allow [[30..90]] minutes for the first attempt.
* Protect the table, since everything travels.
* Lay out all pieces in order before anything is joined.
* Keep one spare of each piece.
? What goes wrong with $craft most often?
? Which snags should one expect with $craft?
* The usual snag: $snag.
* Cheap glue is behind many other ones.
* Hurrying the drying costs more time than it saves.
* Measure from one edge only, as errors add up otherwise.
* The second one always turns out better, so plan for two.
? How could a group of [[5..12]] children make $craft together?
? What has to be prepared for making $craft with a class?
* Cut the difficult parts beforehand.
* One tray per child keeps the peace.
* Show a finished one and one that went wrong.
* Work in stages, and let the quick ones help the slow.
* Plan [[10..20]] minutes for cleaning up, with music.
? What could come after $craft for somebody who enjoyed it?
? Which project is a good next step after $craft?
* A natural next step: $next.
* Or the same again at half the size, which is harder than it sounds.
* Try it with found materials only.
* Combine two techniques once each is safe.
* Give the results away; it clears the shelf for new ones.
? Which materials for $craft can be found at home?
? How could $craft be made almost without buying anything?
* Packaging, ribbons and old calendars are a treasure.
* Kitchen tools do most of the cutting and pressing.
* Swap leftovers with others instead of buying packs of [[20..100]].
* Natural materials cost nothing but need drying.
* Buy only what touches the result: good thread or good glue.

= pantry
: food store last spoil use
- rice | in a sealed jar | a year or more | small moths and a dull smell | a pudding or fried cakes
- bread | in a box that breathes | three to five days | grey or green spots | crumbs, croutons and soup
- soft cheese | in its paper on the warmest shelf of the fridge | a week | ammonia in the nose | a sauce
- fresh herbs | upright in water | five days | slimy stems | a paste with oil
- flour | dark and dry | half a year if it is wholemeal | a rancid note | flat cakes
- nuts | cool and airtight | some months | bitterness | a crust or a spread
- honey | at room temperature | practically for ever | fermentation after water got in | dressings
- root vegetables | in sand or a drawer | several weeks | soft spots | stock
- yoghurt | at the back of the fridge | well past the date if unopened | mould or gas | dough and marinades
- dried beans | in a jar away from light | two years | they stay hard however long they boil | a thick soup
? How should $food be stored?
? What is the best place to keep $food?
* Ideally $store.
* Kept like that it lasts about as follows: $last.
* Buy amounts that are used up in [[2..6]] weeks, whatever the offer says.
* First in, first out: new packs go to the back.
* Light and swings of temperature do the most harm.
* Glass shows what is left, which prevents double purchases.
? How can one tell that $food went off?
? What are signs that $food should no longer be eaten?
* The clearest sign: $spoil.
* Trust the nose more than the date, except with meat and fish.
* Cut off generously only where the food is hard; soft things go as a whole.
* When in doubt about mould, throw it out.
* Wipe the container with vinegar before it is filled again.
? What can be made from leftovers of $food?
? How is surplus $food used up?
* A classic: $use.
* Freeze small portions flat, so that they thaw within [[20..40]] minutes.
* Keep a box for odds and ends and plan one meal a week around it.
* Toasting or roasting revives what has become dull.
* Share early rather than late.
? Does it pay to buy $food in bulk?
? How large a stock of $food makes sense?
* Only if the storage suits it: $store.
* Work out the price per [[100|250|500]] grams, including what will be thrown away.
* A stock for [[2..3]] weeks covers most surprises.
* Splitting a sack with others gives the price without the waste.
* Rotate it, otherwise the reserve becomes a museum.
? What are the common myths about $food?
? Which advice about $food is outdated?
* That the date on the pack is a border between safe and dangerous.
* That the fridge is right for everything.
* That washing before storing is always cleaner; moisture invites mould.
* That freezing kills whatever is in it.
* That dearer brands keep longer.
"""
