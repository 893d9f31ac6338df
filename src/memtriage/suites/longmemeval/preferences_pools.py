"""Tastes users let slip, the advice they ask for later, and what a personal answer would make use of.

Per block: `# attribute`, `>` told (may repeat), `?` asked later, `=` the rubric. `x:` and `y:` are values to draw.
"""

TEXT = """
# travel/hotel
x: a balcony over water; a fireplace; a kitchenette; a reading corner; a rooftop terrace
> For me a hotel is made or broken by {x}, the lobby can be as dull as it likes.
? Could you help me find a hotel for a few nights in Porto?
= places that offer {x}, rather than general hotel lists
# eating/home cooking
x: smoked paprika; tahini; fish sauce; preserved lemon; tamarind; miso
> I put {x} into practically everything I cook these days.
? What might I cook for myself on a lazy evening?
= dishes that make good use of {x}, which the user loves to cook with
# media/movie
x: slow films with little dialogue; heist films with clever planning; films told backwards; courtroom dramas
> I keep coming back to {x}, anything loud puts me to sleep.
? I have a free night, can you suggest a film to watch?
= {x}; loud blockbusters would not fit
# media/book
x: unreliable narrators; maps in the front; very short chapters; old diaries as a device; several timelines
> I'm a sucker for books with {x}, whatever the genre.
? I need a book for a long train ride, any ideas?
= books with {x}, whatever their genre
# recreation/photography
x: Fenwick; Aldora; Tessaro; Quillon; Maruvia
> All my lenses are {x} ones, and I'd like flash units that work with them.
? What could I add to my camera and lenses next?
= accessories that work with the user's {x} equipment
# home/living room
x: dark woods and brass; pale linen and birch; lots of primary colours; bare brick and steel; velvet and plum tones
> In our place it's all {x}, so new things have to get along with that.
? Do you have any ideas for freshening up my lounge?
= suggestions that go with {x}
# eating/vegetarian or vegan
x: texture more than taste; anything with a smoky note; dishes from Tamil Nadu; meals without mock meat
> Since giving up meat I've been looking for {x} above all.
? I'm having two friends over, what should I put on the table?
= vegetarian dishes in line with the user looking for {x}
# recreation/yoga
x: slow sequences with long holds; early sessions by candlelight; restorative poses; flows set to music
> What keeps me going on the mat are {x}, the sweaty stuff isn't for me.
? Can you recommend an activity to unwind after work?
= {x}, on the yoga mat; nothing sweaty or competitive
# travel/outdoor adventures
x: ridge walks; river crossings; forest paths without people; coastal scrambles; hut-to-hut tours
> {x} are what I look for outdoors, a paved path bores me.
? Any suggestions for what to do on a free long weekend?
= {x}, not paved or urban walks
# shopping/gift purchasing habits
x: something handmade; an experience rather than a thing; something edible; something that can be planted
> When I give presents it's always {x}, that's my one rule.
? My brother-in-law's birthday is coming up, what present could I get him?
= {x}, following the user's rule for presents
# media/music
x: brass sections; songs in languages I can't understand; live recordings; songs over eight minutes; female choirs
> My playlists are full of {x}, and my flatmate suffers.
? Could you put together a playlist for my drive?
= music with or of this kind: {x}
# daily/exercise routines
x: ten-minute bursts; anything in water; workouts with a partner; exercises without jumping; training to a counted beat
> The only exercise I stick with is {x}, everything else lasts a week.
? I want to get fitter over the summer, which exercise would you suggest?
= {x}, since the user sticks with nothing else
# owned/phone
x: with one hand; while wearing gloves; without reading glasses; in bright sunlight; without any sound
> I mostly use my phone {x}, so half the apps drive me mad.
? What should I look for in new apps for my mobile?
= apps and settings that suit using the phone {x}
# eating/favorite cuisines
x: small plates for sharing; fermented things; very hot dishes; cold noodles; bitter greens
> When we eat out I go for {x}, my partner has given up arguing.
? Where should we have dinner when we're in Osaka?
= restaurants known for {x}
# eating/snacking habits
x: salty and crunchy; cold and sour; nutty and not sweet; chewy; spicy
> My weakness between meals is anything {x}, chocolate leaves me cold.
? I get hungry in the afternoon at work, what can I keep at hand?
= snacks that are {x}; no chocolate
# recreation/gardening
x: a shady north-facing yard; a windy roof; heavy clay; a single balcony box; sandy soil by the sea
> All I have to grow things in is {x}, which rules out most of the catalogue.
? What ought I to grow this season?
= plants that cope with {x}
# travel/destination
x: places with night trains; islands without cars; towns with old libraries; cities with thermal baths
> I pick my holidays by one thing, {x}, and it has never failed.
? Where could I go on holiday in spring?
= destinations of this kind: {x}
# recreation/painting
x: limited palettes; palette knives instead of brushes; painting from old postcards; very small formats
> What excites me in painting right now is {x}, I've stopped doing anything else.
? I'm out of inspiration for my painting, any thoughts?
= ideas that build on {x}
# recreation/board games
x: no dice at all; everyone playing against the box; a good story; games under half an hour; bluffing
> At our table we want {x}, we've had enough quarrels.
? Which game should I buy for the next evening with the gang?
= games that offer {x}
# owned/computer
x: colour grading; large spreadsheets; recording voice-overs; compiling big programs; drawing with a pen
> I spend most of my computer time on {x}, so that's where it has to be quick.
? Should I replace my computer, and with what?
= advice centred on {x}, the user's main use
# media/podcast
x: two hosts who disagree; original sound recordings; no adverts; single-topic seasons; scientists as guests
> I only subscribe to shows with {x}, I can't stand the rest.
? What shows can I listen to on my commute?
= podcasts with {x}
# shopping/fashion and apparel
x: deep pockets; natural fibres; no visible logos; loose sleeves; colours from the earth
> I won't buy any garment without {x}, call me stubborn.
? I have an office party next week, what could I wear?
= an outfit that respects the user's demand: {x}
# daily/evening activities
x: hands-on puzzles; calls with my sister; star gazing; mending clothes; learning magic tricks
> After eight I switch the screens off, and {x} keep me from missing them.
? What could I do with my evenings this winter?
= screen-free ideas in the vein of {x}
# owned/pet
x: thunder; other dogs; men with hats; the vacuum cleaner; long car rides
> My dog gets terribly worked up about {x}, we've tried treats and all.
? I'd like to plan a day out with my dog, what do you propose?
= a day that avoids {x}, which upsets the dog
# recreation/writing
x: the second person; letters between characters; unexplained endings; scenes in real time; dialect
> I've become obsessed with {x} in my stories, my group rolls its eyes.
? Could you give me a prompt for my next story?
= a writing prompt that makes use of {x}
# eating/cocktail mixing
x: gin-based sours; low-alcohol spritzes; smoky mezcal drinks; tea-infused drinks; savoury highballs
> My friends come for my {x}, and I like to riff on those.
? I'm hosting a garden party, what should I serve to drink?
= variations on {x}
# recreation/musical instruments
x: fingerpicking; odd time signatures; sea shanties; bossa nova; slide playing
> I want to get deeper into {x}, my teacher only does pop songs.
? What should I practise next on my guitar?
= practice material on {x}
# attending/theater
x: tiny stages; plays with puppets; new writing; shows where you walk around; verse drama
> Give me {x} any day, the big houses do nothing for me.
? My parents want to see a show with me, what should I look for?
= {x}, not big mainstream houses
# home/plants
x: my cats chew on everything; I travel two weeks a month; there's hardly any light; the radiators run all winter
> With houseplants I have one problem, {x}, and I've lost a few that way.
? Which houseplants would you put in my hallway?
= plants that suit this: {x}
# media/educational content
x: drawings on paper; worked examples; long lectures without cuts; learning by teaching; quizzes after each minute
> I only remember things through {x}, slides go right past me.
? I'd like to learn about astronomy, how should I start?
= resources and methods that use {x}
# life/mental health journeys
x: being near water; repetitive handwork; writing things down by hand; total silence; walking in the dark
> When everything gets too much the one thing that calms me is {x}.
? Work is stressing me out this month, what would you advise?
= ways to relieve stress that include {x}
# recreation/bird watching
x: owls; waders; birds of prey; warblers; seabirds
> I've developed a real soft spot for {x}, the rest I barely write down.
? Where and when should I go out with my binoculars?
= places and times that are good for {x}
# daily/commuting
x: sketch strangers; listen to old radio plays; do crosswords; count herons; rehearse Spanish verbs
> On the train I like to {x}, it makes the delays bearable.
? My train commute is getting longer, how can I make it nicer?
= ideas that build on the fact that the user likes to {x} on the train
# attending/galleries and museums
x: textiles; industrial machines; forgeries; medical history; cartoons
> In any city I end up in front of {x}, my friends wander off.
? What should I see on my afternoon in Vienna?
= collections or exhibitions of {x}
# owned/crafting
x: undyed wool; scraps only; botanical dyes; wooden needles; patterns older than a century
> I work with {x} these days, it became a bit of a principle.
? What could I make for a friend's baby?
= a project that can be done with {x}
# travel/airlines
x: overnight flights; the shortest layover; trains for anything under six hours; small airports
> If there's a choice I go for {x}, even when it costs more.
? How should I get to Milan for a meeting?
= a route in keeping with the user's taste for {x}
# recreation/video games
x: games I can pause at any moment; hand-drawn worlds; building rather than fighting; short runs; split-screen play
> With two kids I need {x}, that's all I play now.
? Which game should I play next?
= suggestions of {x}
# eating/baking
x: without an electric mixer; with less sugar; in a tiny oven; with rye instead of wheat; for people allergic to nuts
> I always have to bake {x}, so I adapt most recipes.
? What cake could I bake for the office?
= a cake that can be baked {x}
"""
