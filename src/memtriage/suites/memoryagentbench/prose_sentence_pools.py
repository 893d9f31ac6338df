"""Sentences of a plain novel that change nothing in its plot, by what they are about, with gaps to be filled.

Small gaps are filled from `SLOTS`; `WHO`, `he`, `him`, `his`, `OTHER`, `PLACE`, `SPOT`, `GOAL` and `THING` come from
the scene. None of these sentences tells an event that a question could be about.
"""

from __future__ import annotations

_SENTENCES: dict[str, str] = {
    "place": """
It was {kindof} town, was {PLACE}, and {house} {looked}.
At the sign of {name} {people} {did}.
{name} {looked}; in front of it {somebody} {acted}.
One side of {street} belonged to {house}, the other to {animal}.
Between {SPOT} and {house} one met {people} at any hour.
{sound}, {sound}: that was the music of {PLACE}.
{when} in {PLACE}, {weather}, and {people} {did} by {house}.
{PLACE} was a town of stairs and wet walls, and {light} {lit} {street}.
Near {SPOT}, {house} {looked}.
{light} {lit} {street}, where {people} {did}.
Somebody had left {thing} in front of {house}.
The air in {PLACE} carried {smell} and, under it, {smell}.
From {street} came {sound}, and then {sound}.
{animal} {beast} beside {thing}.
Between {house} and {house} there was just room for {thing}.
{weather}, and all along {street} the doors were shut.
{house} {looked}, and {house} next to it {looked}.
On {street} {somebody} {acted}.
In {PLACE} they said {saying}, and they seemed to live by it.
There was {thing} on {street}, and {animal} {beast}.
One could hear {sound} as far as {house}.
{people} {did} on {street}, although {weather}.
Behind {house} the ground fell away towards the water, and {thing} had been left there to rot.
{weather}, so that {street} was almost empty.
It was the hour of {smell} and {smell}; {light} {lit} {house}.
A painted board said that {house} would open again in spring.
The walls on {street} were marked with the heights of old floods, each with its year.
Above {street} the washing hung in rows, and {light} {lit} it.
At the corner by {house} the paving gave out and became mud.
Nobody in {PLACE} seemed to be in a hurry, except {people}, who {did}.
""",
    "move": """
At {name} {WHO} turned into {street}, and {animal} {beast}.
{when} {WHO} went from {house} to {house} and {gesture}.
{sound} followed {WHO} along {street}.
Somebody had laid {thing} across {street}, and {he} had to climb over it.
{WHO} let {street} take {him} where it would, and that was {house}.
{WHO} walked down {street} and {gesture}.
{He} went by way of {house}, which {looked}.
{when} {WHO} took {street}, past {thing} and {thing}.
{WHO} stopped at {house} and listened to {sound}.
{He} let {people} go by and {gesture}.
The way led along {street}, and {weather}.
{WHO} lost the way once, near {house}, and {somebody} {acted}.
{He} climbed to {street}, where {animal} {beast}.
It was farther than {he} had thought, and twice {WHO} {gesture}.
On the way {he} passed {somebody}, who {acted}.
{WHO} crossed {street} with {his} head down, because {weather}.
{He} counted the steps up to {house} and forgot the number at once.
The bag was heavy, and at {house} {WHO} put it down and {gesture}.
{WHO} followed {sound} without knowing why, and came out by {house}.
{He} kept to the dry side of {street}.
Where {street} forks, {WHO} {gesture} and then went on.
""",
    "think": """
There was {feeling} in it, and there was {feeling}, and {WHO} could not tell them apart.
{WHO} would have given {small} to know what {somebody} in {PLACE} thought of {topic}.
Once more {he} went through it all, from {topic} to {topic}.
To {WHO} it seemed {kindof} way to live, {while}.
What if {his} {kin} had been right {saying}?
Between {sound} and {sound} there was time enough to want {GOAL}.
Like {people}, {he} had got used to less and less.
{WHO} thought of {his} {kin}, who used to say {saying}.
{He} felt {feeling}, and it stayed {while}.
All the same {he} meant {GOAL}, and nothing in {PLACE} had changed that.
It would have been easy to turn back, {WHO} told {himself}, and {gesture}.
{WHO} had wanted {GOAL} for so long that the wish had become a kind of furniture.
What came over {him} then was {feeling}, and after it {feeling}.
{He} did not believe {saying}, but {he} could not have said why.
If it came to nothing, {he} would at least have seen {PLACE}.
{WHO} tried to think of something else, of {food} or of {topic}.
There were days when the plan seemed mad even to {WHO}, and this was one of them.
{He} was not brave, {WHO} knew, only stubborn, and from outside one looks much like the other.
It struck {WHO} that nobody here would miss {him} if {he} left.
Perhaps it was true {saying}.
{WHO} wondered what {his} {kin} would have made of it all.
{He} caught {himself} making lists again: what was owed, what was left, what could be sold.
Some part of {WHO} had already decided, and was only waiting for the rest.
{He} felt {feeling} and blamed the weather for it.
The trouble with wanting {GOAL} was that one could not do it by halves.
{WHO} had stopped counting the weeks, because the number made {him} dizzy.
{He} remembered a face, then a voice, and then only {smell}.
Of all that had been said, {WHO} kept turning over the part that mattered least.
""",
    "past": """
At {name}, {ago}, {his} {kin} had spoken of {topic}, and {WHO} had pretended to sleep.
Every winter {his} {kin} sent {small} in a letter, with a few words about {topic}.
{ago}, {WHO} had lived above {house} and had woken to {sound} each day.
There was a song about {topic} that {his} {kin} sang to {animal}.
{WHO} had run away {ago} and had got as far as {house}.
{ago}, {his} {kin} had taken {WHO} to see a town like this one, and {people} {did} there too.
{WHO} had owned {small} once, and had thought it a treasure.
{His} {kin} used to {work} on feast days and hum, which nobody else was allowed to do.
{ago}, in a house that {looked}, {WHO} had learned to be quiet.
There had been {thing} in the yard at home, and {animal} that {beast}.
{WHO} still knew by heart what {his} {kin} said at table about {topic}.
At home the evenings had smelled of {smell}, and somebody always had to {work}.
{ago}, {he} had been afraid of {sound}, and had told no one.
{His} {kin} believed {saying}, and died believing it.
The best winter had been one with {food} every day and no visitors.
Once, when {weather}, {his} {kin} had carried {him} all the way home.
{WHO} had been taught to {work} before {he} was taught to read.
What was left of that house was {small} and a quarrel about {topic}.
{His} {kin} had kept {small} in a drawer and never explained it.
Of school {WHO} remembered {smell}, {sound}, and little else.
""",
    "table": """
At {name} they served {food} on feast days and {food} on all others.
{WHO} paid for {food} with {small}, which was accepted.
{somebody} at the long table {acted}, and {people} {did}.
Over {drink} {OTHER} {ogesture} and came back to {topic}.
{OTHER} brought {food} and {drink}, and they ate {while}.
{OTHER} had kept back {food}, which had been better the day before.
{WHO} asked for {drink} and was given {drink}.
At the next table {people} {did}.
{room} was warm and smelled of {smell}, with {furnish} and {furnish}.
For {WHO} they had {food} and nothing else, and {he} ate it standing up.
{somebody} {acted}, and the landlord pretended not to see.
They talked of {topic} until the {drink} was gone.
The bread was hard, but {WHO} had eaten harder.
A plate of {food} went round, and nobody took the last of it.
Under the table {animal} {beast}.
{OTHER} ate fast, as people do who have had brothers, and spoke about {topic}.
{WHO} warmed {his} hands on the cup and {gesture}.
The landlady told everyone about {topic}, as she had the night before.
""",
    "room": """
{He} moved {furnish} against the door, out of {feeling}.
At {name} {WHO} had {room} with {furnish} for a few coins.
{sound} came through the wall of {room}, {while}.
Under the bed stood {thing}, as if somebody had meant to come back for it.
{room} held {furnish}, {furnish} and not much more.
Through the window of {room} one saw {house}, which {looked}.
In {room} there was {furnish}, and {light} {lit} it.
{WHO} sat on the edge of the bed and {gesture}.
Somebody in the next room was talking about {topic}, {while}.
{He} had to {work} before {he} could sleep.
{sound} went on {while}, and then there was only {sound}.
{WHO} found {small} on the sill and put it back.
The floor of {room} sloped, so that {small} rolled from one wall to the other.
{He} lay awake and listened to {sound}.
In one corner stood {furnish}, and beside it lay {small} and {small}.
The lamp smoked; {WHO} turned it down and {gesture}.
{WHO} slept badly and dreamed of {topic}.
It was cold in {room}, and the blanket smelled of {smell}.
When {he} woke, {weather}, and {light} {lit} the ceiling.
""",
    "work": """
{OTHER} asked {WHO} to {work}, and {he} did not mind.
{when} {WHO} {worked} in front of {house}, where {people} {did}.
While {he} {worked}, {somebody} {acted}.
It took {WHO} till dusk to {work}, what with {topic}.
To earn the bed, {WHO} {worked} and then {worked}.
{WHO} {worked} for the people of {house} and was paid in {food}.
There is a comfort in such work, and {he} {worked} {while}.
{OTHER} showed {him} a better way to do it, and they {worked} side by side.
With {his} hands busy, {WHO} could think about {topic} without minding.
{WHO} {worked} until {his} back ached, and felt {feeling}.
{he} {worked} till evening and had nothing to show for it but blisters.
Nobody thanked {him}, but {somebody} gave {him} {small}.
""",
    "crowd": """
Outside {name} {people} {did}, and {somebody} {acted}.
According to {somebody}, it was all decided {ago}.
{people} {did}; {WHO} {gesture} and let them pass.
Word went round that {house} would be sold because of {topic}.
{people} {did}, and {people} {did} right beside them.
Somebody said that it was all the fault of {topic}.
{somebody} {acted}, and after that {somebody} {acted}.
The talk on {street} was of {topic} and of {topic}.
A rumour about {topic} had reached {PLACE}, and by noon it had three endings.
{people} {did}, while {somebody} {acted}.
There was a short quarrel about {topic}; it ended in {drink} for everybody.
{somebody} offered {WHO} {small} for {small}, and was refused.
A bell rang, and {people} {did} as if nothing had happened.
Children ran past with {animal}, and {somebody} shouted after them.
In front of {house} a man made speeches about {topic}, and {people} {did}.
The crowd thinned out by {house}, where {animal} {beast}.
{somebody} took {WHO} for somebody else and talked {while} about {topic}.
""",
    "bridge": """
{later} {WHO} moved to {name}, because {house} {looked}.
{when} {WHO} sat by {SPOT} and felt {feeling}.
{later} {WHO} heard in {PLACE} of {topic} and of {topic}.
{WHO} woke to {sound}, somewhere in {PLACE}.
{later} {people} {did} all over {PLACE}, and {WHO} {gesture}.
The days in {PLACE} smelled of {smell}, and {WHO} let them go by.
{later} {weather}.
{later} {WHO} was still in {PLACE}.
{later} {he} had found a bed near {SPOT}.
{WHO} came to {PLACE} when {weather}.
{when}, {WHO} was on {street} again.
{later} the whole of {PLACE} was talking about {topic}.
{when}, with {sound} outside, {WHO} made up {his} mind to go out.
Nothing happened {while}, and {WHO} grew used to {sound}.
{later} {WHO} knew every stone of {street}.
{when} {he} could be seen near {SPOT}, where {people} {did}.
""",
    "lead": """
{when} things took a turn.
Afterwards {he} could not say what had moved {him} to it: {feeling}, perhaps, or {feeling}.
Nobody was watching except {animal}.
What followed took less time than it takes to {work}.
{OTHER} was there already and {ogesture}.
{WHO} had not planned it; {he} had meant to {work} and go to bed.
There was no good moment for it, and so {WHO} {gesture} and began.
It began like any other errand, with {sound} and {smell}.
{He} had slept on it, and with {light} on the wall it looked no different.
By then {he} had run out of reasons to wait, and {weather}.
And so, while {people} {did}, it came about.
It could not be put off any longer, though {weather}.
{WHO} thought of {topic}, took a deep breath and went in.
In later years {he} would tell it with {food} on the table and leave out half.
{weather}, and {WHO} had {feeling} to get rid of.
{OTHER} spoke of {topic} first, as one does.
{sound} had just stopped when it happened.
One more time {WHO} {gesture}.
""",
    "after": """
{He} said nothing about it to anyone at {name} that night.
When it was done, {WHO} {gesture}.
It left {him} with {feeling}.
{OTHER} {ogesture} and spoke of {topic}, as if that had been all.
Later, over {food}, {he} would wonder whether it had been wise.
Then {sound} broke the silence, and the moment was over.
{WHO} walked back along {street} and felt {feeling}.
There were no witnesses but {animal} and {somebody}, who {acted}.
The rest of the day was given to {topic} and {food}.
It was out of {his} hands now, and {he} {gesture}.
Whether that was the end of something or the beginning, {WHO} could not have said, and {weather}.
Outside, {weather}.
{people} {did} as before, and {he} envied them.
For an answer {OTHER} only {ogesture}.
{WHO} felt {feeling} and had to {work} to get over it.
""",
    "hear": """
It came out by chance, between {topic} and {topic}.
At {name} somebody {ogesture} and began to talk.
{WHO} asked about {topic} first, and only then about the house.
What {he} learned over {food} was short.
{OTHER} knew nothing, but had heard something on {street}.
With {food} on the table, people remember more.
{WHO} went through {his} notes again, with {sound} for company.
There was one more thing, and it took {drink} to get at it.
{WHO} waited until {people} had gone, and asked again.
Of all that was said at {house} that day, one thing was of use.
{He} had come about {topic} and left with something better.
It stood in the report, between {small} and a remark on {topic}.
Among the talk of {people} there was this.
{somebody} had told it to everybody but {WHO}.
""",
    "note": """
{WHO} wrote it down and {gesture}.
It might mean nothing, like {topic}.
{He} thanked {OTHER}, who {ogesture}.
That was all, and {WHO} turned it over in {his} mind {while}.
{WHO} underlined it twice and felt {feeling}.
Nobody at {name} had thought it worth telling.
{He} would have to ask {somebody} as well.
On {street} {he} said it over to {himself} like a lesson.
{OTHER} {ogesture}, and then the talk went back to {topic}.
It fitted, or it did not; outside, {weather}.
Having heard that, {WHO} {gesture}.
One could build on it, or one could go and {work}.
""",
    "recall": """
In {PLACE}, too, {WHO} thought of {THING} whenever there was {sound}.
It was not easy to speak of {THING}, so {WHO} spoke of {topic}.
{WHO} felt {feeling} at the thought of {THING}.
Between {THING} and this morning lay no more than a few bad nights.
Since {THING}, {WHO} had slept badly.
{WHO} still thought of {THING}, and of what it had cost.
Had it not been for {THING}, {he} would have been far away by now.
The business with {THING} was not yet forgotten, least of all by {WHO}.
After what had happened with {THING}, {he} looked over {his} shoulder more often.
{WHO} told nobody about {THING}.
It was {THING} that had brought {him} to this point, {WHO} reflected.
{THING} would not leave {his} thoughts.
""",
}

_LINES: dict[str, str] = {
    "say": """
I have been here since {house} was built
you will not find a bed tonight, not with {topic}
my {kin} always said {saying}
it is a long way to {house}, and there is {thing} across {street}
they talk too much in {PLACE}
I would not go near {house} after dark
you can have {food} if you {work} for it
you have the look of somebody who wants {GOAL}
people come here for {topic} and stay for the {drink}
I never trusted {people}
it was better before {topic}
you get used to {sound}
once there was {thing} just there, and then one day it was gone
I do not ask about {topic}, and I sleep well
nobody has been the same since {topic}
you should {work} first and worry afterwards
there was {somebody} here this morning, who {acted}
what one hears about {topic} is only half of it
I can offer you {drink}, or nothing
I am too old for {topic}
we had {somebody} at {name} once, who {acted}
there is {feeling} in all of us, I suppose, {since}
I have seen {people} at {house} {since}
they sell {food} at {name}, and {drink}
you can hear {sound} from here, {since}
nobody goes to {house} but {people}
I would give {small} to know the truth about {topic}
this is {kindof} town, and it was worse before {topic}
my {kin} kept {animal}, and it {beast}
at {house} they tell it differently
one day I shall {work} and the next day not, and nobody will mind
it {looked}, that house, {since}
""",
    "ask": """
Have you come far, or only from {street}
Do you always {work} at this hour
Is it true about {topic}
Would you go by {street}, in my place
Is there anything to eat besides {food}
Did you ever want to leave {PLACE}
Do you believe {saying}
Did you hear {sound} last night
Has {house} been empty for long
Do you remember {topic}
Would your {kin} have said so
Can one still get {drink} at {name}
Were there {people} here before
""",
    "reply": """
Not since {topic}
Only on feast days, with {food}
You are not the first to ask, there was {somebody} before you
They say so, but they also say {saying}
Yes, {since}, and I am not sorry
Yes, like everyone at {name}
No, not {since}, and I never shall
No, and neither did my {kin}
Everybody says so, from {somebody} to {people}
I used to think so, {ago}
Now and then, when there are {people} in town
Yes, but do not tell {somebody}
I am told so by {people}, for what that is worth
No more than anyone on {street}
""",
    "askwhat": """
What do they say about {topic}
Who lives in {house} now
How long does it take to get used to {sound}
And what would your {kin} have said
Why does {house} stand empty
What is that smell of {smell}
Who left {thing} out there
What became of {somebody} from {house}
Where do {people} go at night
Who was it that spoke of {topic}
What are they building behind {house}
Why do they ring the bell on {street}
Who pays for {food} and {drink}
""",
    "replywhat": """
That depends on who is asking, you or {people}
I could not tell you, I was busy with {topic}
Ask me again after the fair, or ask {somebody}
I gave up wondering about that {ago}
Only {people} know that
There is nothing to be said about it, and still less about {topic}
Nobody has asked me that {since}
Sit down and have {drink}, then we shall see
You had better ask at {name}
I would rather talk about {topic}
My {kin} knew, and took it along
They tell it one way at {house} and another way at {name}
One hears this and that, mostly from {people}
If I knew, I would not have to {work} for my bread
""",
    "tag": """
said {SPEAKER}
said {SPEAKER} {manner}
{SPEAKER} said {manner}
said {SPEAKER}, and {ogesture}
{SPEAKER} answered {manner}
said {SPEAKER}, who {ogesture}
""",
    "asktag": """
asked {SPEAKER}
asked {SPEAKER} {manner}
{SPEAKER} asked
{SPEAKER} wanted to know
asked {SPEAKER}, and {ogesture}
""",
}

SENTENCES: dict[str, tuple[str, ...]] = {kind: tuple(said.strip().splitlines()) for kind, said in _SENTENCES.items()}
LINES: dict[str, tuple[str, ...]] = {kind: tuple(said.strip().splitlines()) for kind, said in _LINES.items()}

# Which kinds of sentences make a paragraph, in order; each is drawn as it stands here.
PARAGRAPHS: tuple[tuple[str, ...], ...] = (
    ("place", "place", "place", "move"),
    ("place", "crowd", "place", "place"),
    ("move", "place", "move", "think"),
    ("move", "crowd", "move"),
    ("think", "past", "think"),
    ("past", "past", "think", "past"),
    ("room", "room", "think", "room"),
    ("room", "past", "room"),
    ("table", "table", "crowd", "table"),
    ("table", "think", "table"),
    ("work", "think", "work"),
    ("work", "crowd", "past"),
    ("crowd", "crowd", "place", "think"),
    ("place", "think", "past", "move"),
    ("talk",),
    ("talk",),
    ("talk",),
    ("talk",),
    ("talk",),
)
