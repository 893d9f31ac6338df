"""Pieces of writing that people order from an assistant, for chats in which nobody tells anything about themselves.

A kind opens with `=`; `:` names its slots, `-` gives one subject each (the first slot names it), `!` are ways to order
the whole, `#` starts a section with its heading, `*` are its sentences. [[a|b]] is a choice, [[2..5]] a number, $name a
slot; an indented line goes on with the one before.
"""

TASKS = """
= lesson
: topic hook skill trap
- fractions | cutting a paper strip into equal parts | comparing parts of different wholes | adding the lower numbers
- the water cycle | a jar of warm water under cling film | telling a cycle from a chain | believing that clouds are
  steam
- persuasive writing | two adverts for the same kettle | backing a claim with a reason | listing opinions without proof
- map reading | a treasure route through the school yard | using a scale | mixing up the legend and the scale
- magnetism | a paper clip that floats on a thread | predicting before testing | thinking that all metals are attracted
- rhythm and pulse | clapping a heartbeat under a song | keeping a steady beat | speeding up with the volume
- ancient writing | a clay tablet with three unknown signs | inferring meaning from context | reading signs as pictures
! Please write a lesson plan on $topic for a group of [[9..13]]-year-olds.
! Create a [[45|60|90]]-minute lesson on $topic, with all stages spelled out.
# Aim
* By the end every learner can explain one idea about $topic to a partner without looking at notes.
* The skill to be practised is $skill, and everything that does not serve it has been left out.
* One aim is enough for a single lesson; a second one only blurs what is to be checked at the door.
* Learners who finish early extend the same aim instead of starting the next chapter.
* The aim stays on the board in plain language from the first minute to the last.
# Opening
* Start with $hook, and say nothing about the title of the lesson yet.
* Ask for predictions and collect at least [[5..9]] of them in the learners' own wording.
* Silence after a question is part of the plan; count slowly to eight before calling on anybody.
* Two predictions that exclude each other make a better start than one that is right.
* The opening takes [[6..10]] minutes and ends with a question nobody has answered yet.
# Main activity
* Groups of three work with one sheet, one pencil and three clear roles: reader, writer and checker.
* Each group meets the typical trap, $trap, in the second task, where it can be talked about.
* Walk around with a list of names and note what is said, not only what is written.
* After [[12..18]] minutes two groups swap sheets and mark one strong and one doubtful line.
* Hints lie face down on the window sill, so that help is a decision and not a reflex.
* Those who are quick write a fourth task for the others and check that it can be solved.
# Talking it over
* Put three anonymous answers side by side and ask which one would convince a stranger.
* Let a learner, not the teacher, sum up what changed compared with the predictions.
* Come back to the trap, $trap, and have the class invent a warning sign for it.
* New terms are introduced now, after the idea is there, and never more than [[2..4]] of them.
* End the talk while hands are still up; the rest goes on the question wall.
# Checking
* The exit slip has two lines: one thing that is certain now, and one that is still odd.
* Sort the slips into three piles before the next lesson; the middle pile decides how that one begins.
* A quick thumb vote is a mood, not a check, and should not replace the slips.
* For [[3..5]] learners a short chat at the door tells more than any sheet.
# Material
* One tray per group with everything needed for $hook.
* Plain paper, thick pens and a timer that all can see.
* A second copy of the sheet in large print lies ready.
* Nothing in the tray costs more than a few coins, so breakage is no drama.

= product
: item feature buyer worry
- folding desk lamp | a hinge that stays where it is put | people with small tables | that it will wobble
- ceramic water filter | a core that can be scrubbed and used again | shared kitchens | that it drips too slowly
- cork yoga block | rounded edges that do not press into the hand | beginners | that it crumbles
- solar garden light | a panel that also charges on grey days | balcony gardeners | that it dies after one winter
- wool felt slippers | a sole that can be replaced | cold studios | that they lose their shape
- pocket notebook | paper that takes fountain pens | travellers | that pages come loose
- bamboo dish rack | slats that lift out for cleaning | narrow counters | that it turns grey
- steel lunch box | a seal without any plastic | school bags | that it leaks
! Write a product page for a $item, about [[250..400]] words.
! Draft web copy for a $item; the tone should be warm but not pushy.
# Headline and lead
* The $item that does one thing and does it for years.
* Made for $buyer, and for everybody who is tired of replacing things.
* No app, no subscription, no manual of [[20..60]] pages: it works when it is taken out of the box.
* A small object can make a daily minute pleasant, and this one was drawn with that minute in mind.
* What looks simple here took [[11..48]] prototypes.
# What makes it different
* Its heart is $feature, a detail that is easy to miss in a picture and hard to miss in use.
* Every part can be ordered singly, and no glue keeps them together.
* The surface was chosen for how it looks after five years, not on the first day.
* We left out [[three|four|five]] functions that testers praised and never used.
* The colours come from the material itself, so that scratches stay quiet.
# An honest answer
* The doubt we hear most is $worry, and it is a fair one.
* That is why each piece is tested [[500..4000]] times on a machine that is less gentle than any owner.
* Should it happen after all, the repair costs the postage and nothing else.
* Reviews with two stars stay on this page, because they say what it is not made for.
* It is not the cheapest of its kind, and it does not pretend to be.
# Care and numbers
* Wipe it with a damp cloth, let it dry in the air and keep it away from the dishwasher.
* It weighs [[180..950]] grams and fits a shelf of [[18..34]] centimetres.
* The packaging is one sheet of card, folded without tape.
* Guarantee: [[3..10]] years, transferable, without a receipt.
* Batches are numbered, and the number tells the month of making.
# Call to action
* Choose a colour, and it leaves the workshop within [[2..5]] working days.
* Shops may ask for a sample set with a return label.
* Not sure yet? Print the outline in real size and put it where it would stand.
* Whoever writes a letter by hand gets an answer by hand.
# Questions and answers
* Does it come assembled? Yes, apart from one part that is pressed in by hand.
* Is there a larger version? One is being tried, and it will only be sold if it is as steady.
* Where is it made? In a workshop with [[9..40]] people who sign what they finish.
* Can it be engraved? Up to [[12..20]] letters, in one plain typeface.

= story
: hero place thing trouble
- a lighthouse keeper | an island that maps forget | a letter without a sender | the lamp answers a ship that isn't
  there
- a retired clockmaker | a town where bells are forbidden | a watch that runs backwards | somebody winds it at night
- a young cartographer | a valley that moves every spring | a compass with two needles | both needles are right
- a tram driver | the last line before the sea | a ticket from a hundred years ago | the passenger pays with it
- a librarian | a reading room below the river | a book that is longer each morning | it begins to mention the reader
- a beekeeper | a rooftop above a silent city | a hive that hums a melody | somebody in the street hums back
- a mountain guide | a pass with two summits and one shadow | a rope that was never cut | it is shorter on the way down
! Write a short story about $hero in $place.
! I need a piece of fiction, roughly [[500..800]] words: $hero, $place, and $thing.
# The beginning
* In $place nobody asked questions before breakfast, and that suited $hero well.
* The morning came in grey and without wind, the kind of morning that keeps its hands in its pockets.
* There had been [[three|four|seven]] such mornings in a row, and the kettle knew all of them.
* On the table lay $thing.
* It had not been there the evening before, and the door had been locked from inside.
* Somebody else would have called for a neighbour; there was no neighbour to call.
# The turn
* By noon it was clear that $trouble.
* First came disbelief, then arithmetic, then the slow walk to the window that people take when arithmetic fails.
* The old rule said to write such things down, so a pencil was found and sharpened to half its length.
* What stood on the page afterwards was true, and that made it worse.
* Twice the light changed, as if the day were thinking it over.
* A gull, the only witness, left without comment.
# The conversation
* "Is it always like this?" asked a voice that had no business being there.
* "Only when it matters," was the answer, and both were surprised by it.
* They spoke about weather for a while, since weather is where strangers keep their courage.
* "You could leave it on the step," said the voice, "and somebody will take it, somebody always does."
* A chair was moved closer, which in that house was a kind of promise.
* Neither of them mentioned $thing again, and neither looked at anything else.
# The climax
* At dusk the whole of $place held its breath.
* What had been strange all day became simple at once, like a knot that falls open in the hand.
* It took [[nine|eleven|twenty]] steps to the door, and each of them could have been the last to turn around on.
* Outside stood nothing at all, very patiently.
* Then there was a sound so small that it could only have been meant for one person.
# The ending
* In the morning the table was empty, and the coffee tasted of salt.
* The page was still there, in a handwriting that was almost familiar.
* People later said that nothing had happened, and they were right in the way people are who were asleep.
* From that day on $hero kept a second cup on the shelf.
* It was never used, and it was never dusty either.

= workshop
: theme activity outcome obstacle
- active listening | retelling a story in half the words | a list of signals that somebody feels heard | fixing too soon
- brainstorming | ideas on cards without a name | twelve ideas in three clusters | the first loud opinion
- giving feedback | rewriting a harsh note | one sentence that can be said tomorrow | hiding the point in praise
- visual note-taking | drawing a recipe without letters | a page that a stranger can read | worrying about drawing well
- time planning | estimating ten small chores | a week plan with empty slots | planning every minute
- public speaking | telling a walk to the bakery in a minute | an opening without notes | reading from slides
- conflict resolution | swapping sides in a dispute | an agreement with a date | looking for the culprit
! Plan a [[half-day|one-day|two-hour]] workshop on $theme for [[8..24]] participants.
! Put together a facilitator's guide for a session on $theme.
# Before the day
* Send one page, not three: why it takes place, what to bring, and when it ends.
* Ask each participant for a situation in which $theme went badly, in two sentences and without names.
* Arrange chairs in a horseshoe; tables invite people to hide behind screens.
* Prepare [[3..6]] large sheets with headings only, so that the room looks unfinished on purpose.
* Check the light at the hour of the session and not the day before at noon.
# Arrival
* Music until everyone sits, then none for the rest of the day.
* Instead of introductions, pairs find one thing that both of them would never buy.
* Name the outcome at once: $outcome.
* Agree on three rules and write the third one together.
* Latecomers are briefed by a participant and not by the facilitator.
# Core exercise
* The central exercise is $activity, in rounds of [[6..12]] minutes.
* In the first round people will run into $obstacle; let them.
* Stop, collect what was noticed, and run the same round again with one change.
* Observers write verbs only, since adjectives turn into verdicts.
* Between rounds everybody changes seats, which breaks up small alliances.
* The facilitator speaks less in each round, and is silent in the last.
# Transfer
* Each participant picks one ordinary situation of the coming week and writes the first sentence they would use.
* Partners test that sentence aloud, three times, at different speeds.
* The obstacle, $obstacle, gets a countermeasure that fits on a sticky note.
* What is not tried within [[three|five|ten]] days is usually never tried, so a date belongs to it.
# Closing
* One round, one sentence each: what will be different on the way back to work.
* Photograph the sheets and throw them away in front of everybody; it shows that the work goes on elsewhere.
* Ask for criticism on paper before the thanks and not after.
* End [[5..10]] minutes early, because that is what people remember.
# Budget and time
* Room, drinks and paper come to about [[120..480]] in any currency.
* Half of the time belongs to exercises, a quarter to talk and a quarter to breaks and slack.
* A second facilitator pays off from fourteen participants on.
* Plan [[2..4]] hours of preparation for each hour of the first run.

= announcement
: news place reason change
- the opening of a repair café | the old fire station | too many good things are thrown away | a workbench for everybody
- a new night bus line | the ring road | late shifts end after the last train | a bus every forty minutes until four
- the renovation of a public pool | the northern district | the roof has been leaking for years | warm water by autumn
- a community orchard | the strip behind the depot | the ground lay idle | sixty trees with open picking days
- longer library hours | the central branch | students asked for quiet evenings | doors open until eleven
- a car-free Sunday | the inner quarters | the air and the noise | streets as playgrounds from nine to six
- a choir festival | the brewery yard | the two choirs had outgrown their halls | nine concerts without tickets
! Write a press release about $news.
! Please draft an announcement of $news, plus a short version for social media.
# Headline
* $place becomes a place to stay
* What residents asked for is coming: $news
* After [[two|three|four]] years of planning, work begins
* A small change with a long history
# Lead
* The city's council has approved $news at its meeting on [[Monday|Tuesday|Thursday]] evening.
* Work at $place starts within [[4..14]] weeks.
* The reason, according to the planners, is simple: $reason.
* Nobody has to sign up, and nothing has to be paid.
* The vote was clear, with [[2..5]] members abstaining.
# Background
* The idea goes back to a petition with [[700..4200]] signatures.
* Earlier plans had failed over the question who would sweep, lock and insure.
* A trial run over [[three|six|eight]] weekends settled most of the doubts, and raised a few new ones.
* Neighbouring towns have tried similar things, with mixed but encouraging results.
* The budget is modest, since most of what is needed is already there.
# What changes
* In practice it means $change.
* Signs in plain language replace the old boards, and there will be a bench for each of them.
* During the first months a team of [[4..12]] volunteers answers questions on the spot.
* Deliveries and emergency services keep their access at all times.
* Whoever lives next door gets a telephone number that is actually answered.
# Voices
* "We measured, we listened, and then we measured again," says the head of the planning office.
* "It should have come ten years ago," a shopkeeper remarks, "but I will take it now."
* Critics point to the cost of upkeep, and want a report after the first winter.
* A pupil of the nearby school asked the shortest question of the evening: "When?"
# Contact
* Further information, pictures and plans in large print are available from the press office.
* Interviews at $place can be arranged on weekday mornings.
* The short version may be printed without asking.

= interview
: role strength task flag
- a bakery apprentice | getting up early without complaint | shaping forty rolls of one size | blaming the oven
- a data analyst | asking what a number is for | finding the odd column in a table | charts before questions
- a museum guide | adjusting to the group | explaining one object to three ages | reciting
- a warehouse planner | thinking in bottlenecks | drawing the way of a parcel | adding people to every problem
- a nursery teacher | staying calm in noise | settling a dispute over a shovel | talking about children as a crowd
- a translator | knowing what to leave out | rendering a joke | hiding behind the dictionary
- a site electrician | tidy documentation | finding a fault in a dummy circuit | skipping the second measurement
! Write a structured interview guide for hiring $role.
! Create interview questions and a scoring sheet for $role.
# Opening questions
* What does a good day in this line of work look like, hour by hour?
* Which part of the work do outsiders always get wrong?
* What was learned from the last mistake, and who noticed it first?
* Ask these of everyone in the same order, and take notes in the words that were used.
* Small talk is fine, but it is not scored.
# Questions about strengths
* The strength that matters most here is $strength; ask for two occasions on which it was needed.
* Follow up with: what would somebody else have done, and why was that not the better way?
* A vivid detail counts for more than a tidy summary.
* If the answer stays general after the second attempt, move on and write that down.
* Try to hear what the person did, as opposed to what the team did.
# Work sample
* Give [[20..40]] minutes for one realistic task: $task.
* Provide everything that would be there on a normal day, including interruptions.
* Watch the first three minutes closely, because they show how a problem is approached.
* Afterwards ask what would be done differently with twice the time.
* The sample belongs to the candidate and may not be used.
# Warning signs
* The most telling sign is $flag.
* So is contempt for a former colleague, however well it is told.
* Nervousness is not a sign of anything.
* One warning sign is a reason to ask again, two are a reason to talk about it in the panel.
# Scoring
* Use four steps, so that nobody can hide in the middle.
* Each member of the panel scores alone before anyone speaks.
* Weights: [[40|50]] for the sample, 30 for the strengths, the rest for the opening.
* Differences of two steps or more are discussed with the notes on the table.
* A candidate is compared with the scale and never with the previous candidate.
# After the interview
* Say when an answer will come, and keep to it even if there is nothing new.
* A refusal names one thing that was good and one that was missing.
* Notes are destroyed after [[three|six]] months.

= comparison
: pair first second measure
- induction and gas hobs | induction | gas | energy that reaches the pot
- oak and bamboo floors | oak | bamboo | dents after a year
- trains and coaches for groups | the train | the coach | door-to-door time
- wood pellets and heat pumps | pellets | the heat pump | cost over fifteen years
- paper and screen for long texts | paper | the screen | what is remembered after a week
- raised beds and open soil | the raised bed | open soil | kilos per square metre
- oil and acrylic paint | oil | acrylic | working time
- fresh and frozen vegetables | fresh | frozen | vitamins on the plate
! Compare $pair in a neutral way, with a recommendation at the end.
! Give me a detailed comparison of $pair, covering price, effort and durability.
# Overview
* Both have loyal friends, and both sides tend to compare the best of one with the worst of the other.
* The measure that decides most cases is $measure.
* On that measure $first leads by [[5..20]] percent under ideal conditions and hardly at all under ordinary ones.
* Older tests are of little use, because $second has changed a good deal in recent years.
* The list below leaves out taste, which nobody can decide for others.
# Cost
* The price at the start favours $second by [[10..35]] percent.
* Running costs turn that around after [[3..8]] years.
* Repairs are rarer with $first and dearer when they come.
* Second-hand offers exist for both, though a look at the date of making is worth the trouble.
* Subsidies change every year and should not tip the scale.
# Effort
* $first asks for more care in the first weeks, $second for more care later.
* Both need space that is not visible in the brochure.
* A beginner gets decent results with $second at once, and good ones with $first after some practice.
* Cleaning takes about [[5..25]] minutes a week in either case.
# Durability
* Under normal use $first lasts [[12..30]] years and $second a little less.
* Damp, heat and impatience shorten both lives.
* Spare parts for $second come from more makers.
* What ages worst is the part nobody looks at, so an inspection each spring is well spent.
# Environment
* The larger part of the footprint lies in the making, for both of them.
* Transport matters less than the brochures of either side suggest.
* Used for a long time, each beats the other used for a short time.
* Disposal is simple with $first; $second has to be taken apart.
# Recommendation
* Where the decision is made for decades, $first has the better arguments.
* Where things may change soon, $second is the safer bet.
* If both fit, choose by what is already there, since the best solution is often the one that needs no rebuilding.

= guide
: thing goal rule mistake
- a style guide for a newsletter | texts that sound like one voice | one idea per paragraph | three exclamation marks
- an onboarding handbook | a newcomer who can work alone after a month | every page has an owner | a page for everything
- a safety leaflet for a makerspace | nobody gets hurt | goggles before power | signs that nobody reads
- a booking policy for shared rooms | rooms that are used and not hoarded | unused slots fall back | exceptions by
  friendship
- a moderation policy for a forum | disagreement without contempt | the post is judged, not the person | deleting in
  anger
- a packing guide for a food bank | boxes that last a week | heavy below, soft above | gifts that need an oven
- a photo archive manual | pictures that can be found again | name the file before the folder | names like final two
! Write $thing, clear enough for someone on the first day.
! Draft $thing with numbered rules and short reasons.
# Purpose
* The purpose is $goal, and every rule below can be traced to it.
* It is a tool, not a monument: whoever finds a better rule proposes it.
* Rules that have not been used for a year are removed without ceremony.
* It fits on [[2..6]] pages, because nobody reads the seventh.
* Words in bold are defined once and then used in that sense only.
# Main rules
* First rule: $rule.
* Second rule: when in doubt, ask the person who has to live with the result.
* Third rule: write down what was decided, where everyone can find it, on the same day.
* Fourth rule: an exception is allowed once; the second time it becomes a rule or it ends.
* Rules apply to the founders as well, and to them first.
# Common mistakes
* The classic is $mistake, which everyone knows and everyone has done.
* Another is to explain a rule only after somebody has broken it.
* A third is politeness in the wrong place, such as fixing things in silence.
* Mistakes are collected on one page with a date and without a name.
* About [[six|seven|eight]] in ten of them happen in the first fortnight.
# Process
* A change is proposed in writing, stays open for [[5..14]] days and is then decided by those present.
* Urgent changes take effect at once and lapse unless they are confirmed.
* Each page shows who keeps it and when it was last read from top to bottom.
* New people read it together with someone, since questions are worth more than signatures.
# Checklist
* Is it clear who does what, and by when?
* Could a stranger follow it without asking?
* Does it say what happens if nobody does anything?
* Is there a reason behind each rule, in one line?
* Has somebody who dislikes rules read it?

= campaign
: cause audience channel metric
- tap water in schools | pupils from ten to fourteen | posters above the basins | refills per day
- cycling to work | commuters within six kilometres | a map in pay slips | bikes at the rack by nine
- a blood donation week | first-time donors under thirty | short films from the waiting room | first visits
- a museum's free Thursday | families who never came before | buses and laundrettes | visitors without a membership
- less food waste in canteens | hungry people in a hurry | two sizes of plates | kilos in the bin
- a reading challenge | readers who stopped reading | bookmarks with a blank side | books passed on
- a swap market | tenants of large blocks | notes in the lifts | things that find a new owner
! Create a marketing plan for $cause on a small budget.
! Work out a [[six|eight|twelve]]-week campaign for $cause, from idea to evaluation.
# Situation
* Most people are in favour of $cause and do nothing about it, which is the usual starting point.
* The group worth winning is $audience, because others follow them.
* What keeps them away is less an opinion than a small nuisance.
* Three earlier attempts relied on guilt, and guilt has a short half-life.
* Interviews with [[8..15]] people are enough to hear the same obstacle three times.
# Idea
* Make the first step so small that refusing it feels odd.
* The main channel is $channel, since that is where the decision is made.
* One picture, one sentence, one thing to do; the rest is on the back.
* Humour is welcome as long as the joke is on the situation.
* The sentence is tested on people who do not care, and rewritten until one of them shrugs less.
# Timeline
* Weeks one and two: listening, and a rough version in a single place.
* Weeks three and four: repair what did not work and print the rest.
* From week five on: everything at once, then a quiet week, then a reminder.
* The last week is for thanks, numbers and a decision about what stays.
* Leave [[10..20]] percent of the time for things that nobody foresaw.
# Budget
* Printing takes about [[300..900]], films cost patience rather than money.
* Partners give space and get their name on the back, in small letters.
* Keep a third in reserve until the first numbers are in.
* Gifts are cheap and forgotten; a good bench or a hook lasts for years.
# Measuring
* Count one thing: $metric.
* Count it for [[2..4]] weeks before the start, otherwise there is nothing to compare.
* Clicks and likes may be noted, on a page that nobody looks at.
* A drop in the quiet week is normal and not a failure.
* Publish the numbers even if they are dull, with one sentence on what they mean.
# Risks
* The most likely risk is indifference, and it is met with a better first step.
* The second is success that the site can't cope with, so agree beforehand who answers the telephone.
* A hostile comment gets one friendly reply and no second one.

= report
: study finding doubt advice
- a survey on noise in offices | speech disturbs more than machines | answers came mostly from the second floor |
  quiet hours
- a pilot with electric cargo bikes | short tours got faster | the weather was unusually dry | a second pilot in winter
- a trial of shorter meetings | decisions did not suffer | people knew they were observed | a standing slot of half
  an hour
- an audit of a seed library | a third of the drawers were never opened | records from spring are missing | fewer,
  better kinds
- a review of emergency exits | two doors open the wrong way | one building was closed | repairs before the next term
- a test of four sorting bins | three colours work better than four | the bins were new and clean | three colours
  everywhere
- a study on evening light in clinics | warm light calmed the wards | staff changed halfway | warm lamps in two more
  wards
! Write an executive summary and a report outline for $study.
! Turn the results of $study into a readable report for decision makers.
# Summary
* This report presents $study and what follows from it.
* In one sentence: $finding.
* The effect is moderate, visible in [[three|four]] of five groups, and absent in the last.
* The main advice is $advice, which can be had for little money.
* Readers in a hurry may stop here; the rest says how far these lines can be trusted.
# Method
* Data were collected over [[4..16]] weeks at [[3..9]] sites.
* Each site kept its routine apart from the one thing under test.
* Numbers were taken at the same hours, by people who did not know what was hoped for.
* Missing values were counted and reported, and not filled in.
* The plan of analysis was written down before the first figure was seen.
# Results
* The clearest result is that $finding.
* The difference came to [[8..31]] percent, with an interval that does not reach zero.
* Averages hide that two sites moved strongly and one hardly at all.
* Comments pointed in the same direction as the figures, though in sharper words.
* A negative result deserves mention as well: satisfaction did not change.
# Limits
* The weakest point of the work is that $doubt.
* A longer run would show whether the effect outlives its novelty.
* Nothing can be said about places that differ much from those under study.
* The authors were paid by the body that asked the question, and say so.
# Advice
* We suggest $advice.
* It should be tried at one more site before it becomes a standard.
* Responsibility lies best with the people who are there every day.
* After [[six|nine|twelve]] months a single page will do to decide whether to go on.
# Next steps
* Present the figures to those who collected them, before anybody else.
* Publish the table without names.
* Fix a date for the decision and the name of the person who calls for it.
"""

LEADS = (
    "Here is a first version:",
    "Sure, here you go.",
    "Below is a draft that you can adapt.",
    "Of course. I kept the tone plain:",
    "Here is the text, ready to be edited:",
    "This is how I would set it up:",
    "Done. The structure follows the usual order:",
    "Certainly! A complete draft:",
)
CLOSINGS = (
    "I can adjust the tone or the length.",
    "Tell me which part should be longer.",
    "Numbers are placeholders and easy to change.",
    "Shall I prepare a version for print?",
    "If anything should go, say which section.",
    "",
    "",
    "",
)
DETAILS = (
    "Please expand the part “{part}”.",
    "The section on “{part}” is too thin. Add more.",
    "Can you go into more depth under “{part}”?",
    "Rewrite “{part}” as a paragraph, with more to it.",
)
SHORTER = (
    "Now cut it down to one line per section.",
    "Give me a version that fits on a card.",
    "Make it much shorter.",
    "Could you condense this to the bare bones?",
)
TABLES = (
    "Put that into a table.",
    "Turn it into a two-column table, please.",
    "Can I have it as a table with headings on the left?",
)
OTHERS = (
    "Great. Now do the same for {other}.",
    "Next, one for {other}, same structure.",
    "Write another, this time about {other}.",
    "Same again, but {other}.",
)
REWRITES = (
    "Rewrite this text so that it reads well and has headings:",
    "Below is a rough draft. Sort it into sections:",
    "Clean up the following notes:",
    "Give this text a structure, and do not lose anything:",
)
QUESTIONS = (
    "Which questions could readers have after that?",
    "List the points a critic would pick on.",
    "What should be checked before this goes out?",
)
QUESTION_LEADS = (
    "A careful reader may stop at these lines:",
    "I would look again at the following:",
    "These deserve a second look:",
)
CONTINUE = ("Continue.", "Go on, please.", "You stopped in the middle, continue.", "Keep going.")
"""What a user says when an answer was cut off."""
