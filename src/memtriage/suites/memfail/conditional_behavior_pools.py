"""Behaviors of persons and characters: small, portable, odd acts that fit any hour, place or mood.

Each line reads "base third gerund|tail|tag"; the tag is the noun that a later sentence refers back with.
"""

PERSON = """
fold folds folding|used train tickets into tiny boats|the ticket-folding
sort sorts sorting|a jar of buttons by shade of blue|the button-sorting
recite recites reciting|the bus timetable from memory|the timetable recital
draw draws drawing|mustaches on old postcards|the mustache-drawing
write writes writing|thank-you notes to lost umbrellas|the umbrella correspondence
knit knits knitting|a single row on an endless scarf|the scarf-knitting
label labels labeling|smooth pebbles with the names of rivers|the pebble-labeling
build builds building|a tower out of sugar cubes|the sugar-cube building
practice practices practicing|{his} signature with {his} left hand|the left-handed signing
whittle whittles whittling|clothes pegs into little owls|the peg-whittling
braid braids braiding|three shoelaces into a bracelet|the lace-braiding
sketch sketches sketching|doorknobs in a pocket notebook|the doorknob-sketching
invent invents inventing|surnames for passing clouds|the cloud-naming
polish polishes polishing|a collection of foreign coins|the coin-polishing
iron irons ironing|old banknotes between two handkerchiefs|the banknote-ironing
balance balances balancing|a teaspoon on the rim of a glass|the spoon-balancing
memorize memorizes memorizing|license plates in alphabetical order|the plate-memorizing
read reads reading|aloud from a 1950s phone directory|the directory reading
stitch stitches stitching|tiny anchors onto {his} cuffs|the anchor-stitching
write writes writing|limericks about household appliances|the limerick-writing
shuffle shuffles shuffling|a deck of cards one-handed|the card-shuffling
trace traces tracing|the outline of keys in a ledger|the key-tracing
whisper whispers whispering|proverbs into a seashell|the shell-whispering
count counts counting|the stripes on {his} necktie drawer|the stripe-counting
paint paints painting|ladybirds on matchboxes|the matchbox-painting
tie ties tying|sailor's knots in a length of red string|the knot-tying
press presses pressing|four-leaf clovers in a dictionary|the clover-pressing
rewrite rewrites rewriting|shopping lists in calligraphy|the list calligraphy
mend mends mending|broken zippers with a bent fork|the zipper-mending
address addresses addressing|envelopes to fictional detectives|the envelope-addressing
juggle juggles juggling|three rolled-up pairs of socks|the sock-juggling
impersonate impersonates impersonating|a weather announcer from the seventies|the announcer impression
translate translates translating|cereal-box slogans into Latin|the slogan-translating
carve carves carving|tiny faces into pencil stubs|the stub-carving
stack stacks stacking|dominoes in a spiral|the domino-stacking
catalog catalogs cataloging|the creaks of the floorboards|the creak catalog
copy copies copying|crossword clues onto index cards|the clue-copying
plait plaits plaiting|strips of newspaper into baskets|the newspaper-plaiting
tune tunes tuning|an out-of-order transistor radio|the radio-tuning
mold molds molding|little elephants from candle wax|the elephant-molding
sharpen sharpens sharpening|every pencil in the house to a needle point|the pencil-sharpening
compose composes composing|haiku about elevators|the haiku-writing
arrange arranges arranging|spice jars by the age of their labels|the jar-arranging
wind winds winding|seven stopped wristwatches|the watch-winding
rehearse rehearses rehearsing|an acceptance speech for an imaginary prize|the speech rehearsal
glue glues gluing|postage stamps onto a lampshade|the stamp-gluing
hum hums humming|the dial tone in two octaves|the dial-tone humming
fence fences fencing|with a rolled umbrella|the umbrella-fencing
number numbers numbering|the pages of blank notebooks|the page-numbering
cut cuts cutting|paper snowflakes out of receipts|the receipt-snipping
embroider embroiders embroidering|punctuation marks on napkins|the napkin embroidery
plan plans planning|imaginary railway routes across Iceland|the railway-planning
string strings stringing|paper clips into a necklace|the clip-stringing
dust dusts dusting|a row of porcelain pigs with a paintbrush|the pig-dusting
dictate dictates dictating|memoirs into an old tape recorder|the memoir dictation
test tests testing|fountain pens on brown paper|the pen-testing
weigh weighs weighing|marbles on a letter scale|the marble-weighing
construct constructs constructing|a bridge of toothpicks|the toothpick building
fold folds folding|napkins into swans|the swan-folding
play plays playing|chess against {himself} with bottle caps|the bottle-cap chess
spell spells spelling|street names backwards out loud|the backwards spelling
sew sews sewing|secret pockets into old jackets|the pocket-sewing
sing sings singing|the alphabet in Danish|the Danish alphabet
draft drafts drafting|a constitution for an invented island|the constitution-drafting
alphabetize alphabetizes alphabetizing|a shoebox of seed packets|the packet-sorting
inspect inspects inspecting|{his} gloves with a magnifying glass|the glove inspection
make makes making|rubbings of manhole covers|the cover-rubbing
peel peels peeling|the labels off empty bottles in one piece|the label-peeling
grade grades grading|the handwriting on old envelopes|the handwriting-grading
rearrange rearranges rearranging|fridge magnets into proverbs|the magnet-shuffling
guess guesses guessing|the weight of melons and suitcases|the weight-guessing
decorate decorates decorating|walnut shells with gold ink|the shell-decorating
practice practices practicing|birdcalls through cupped hands|the birdcall practice
quote quotes quoting|a cookery book from 1911|the cookbook-quoting
tap taps tapping|Morse code on {his} watch glass|the Morse-tapping
collect collects collecting|overheard first lines in a red notebook|the line-collecting
dress dresses dressing|a tailor's dummy in borrowed scarves|the dummy-dressing
wrap wraps wrapping|empty boxes in map paper|the box-wrapping
count counts counting|backwards from two hundred in Welsh|the Welsh counting
paint paints painting|{his} toenails in traffic-light colors|the toenail-painting
solve solves solving|long division on graph paper|the long division
crochet crochets crocheting|hats for boiled eggs|the egg-hat crochet
file files filing|theater programs by smell|the program-filing
repair repairs repairing|music boxes with tweezers|the music-box repair
write writes writing|reviews of park benches|the bench-reviewing
drum drums drumming|a samba on {his} kneecaps|the knee-drumming
sketch sketches sketching|floor plans of submarines|the submarine-sketching
grind grinds grinding|colored chalk into powder|the chalk-grinding
pin pins pinning|paper moths to the corkboard|the moth-pinning
narrate narrates narrating|{his} own actions like a sports reporter|the running commentary
fill fills filling|thimbles with colored sand|the thimble-filling
twist twists twisting|copper wire into tiny bicycles|the wire-twisting
photograph photographs photographing|{his} own shoes from above|the shoe photography
rank ranks ranking|every sandwich of {his} life on a chart|the sandwich-ranking
stamp stamps stamping|leaf patterns onto paper bags|the leaf-stamping
flip flips flipping|a silver dollar along {his} knuckles|the coin-flipping
perform performs performing|a one-minute puppet show with {his} mittens|the mitten theater
transcribe transcribes transcribing|old answering-machine messages|the message-transcribing
measure measures measuring|chairs with a folding ruler|the chair-measuring
compare compares comparing|dictionaries word by word|the dictionary duel
spin spins spinning|a wooden top on the back of {his} hand|the top-spinning
varnish varnishes varnishing|acorns in neat rows|the acorn-varnishing
bind binds binding|loose recipes into little books|the recipe-binding
pace paces pacing|in a perfect hexagon|the hexagon-pacing
speak speaks speaking|in rhyming couplets|the couplet-speaking
arm-wrestle arm-wrestles arm-wrestling|{his} own reflection|the mirror-wrestling
smooth smooths smoothing|candy wrappers into a bright album|the wrapper-smoothing
assemble assembles assembling|a model lighthouse from matchsticks|the lighthouse-building
swap swaps swapping|the laces of {his} shoes|the lace-swapping
dot dots dotting|freckles onto plain teacups|the cup-dotting
lace laces lacing|ribbon through the holes of an old belt|the ribbon-lacing
blow blows blowing|soap bubbles through a wedding ring|the bubble-blowing
solder solders soldering|bent teaspoons into beetles|the beetle-soldering
plot plots plotting|the routes of ants on squared paper|the ant-plotting
punctuate punctuates punctuating|old telegrams in green ink|the telegram-editing
quilt quilts quilting|pot holders out of neckties|the necktie-quilting
scatter scatters scattering|birdseed in the shape of a star|the seed-scattering
drape drapes draping|silk scarves over the chairs|the scarf-draping
unpick unpicks unpicking|the hems of old tablecloths|the hem-unpicking
waltz waltzes waltzing|with a coat on a hanger|the coat-waltzing
chart charts charting|the phases of the moon on {his} forearm|the moon-charting
lecture lectures lecturing|the houseplants on grammar|the grammar lecture
mix mixes mixing|ink from crushed berries|the ink-mixing
rub rubs rubbing|brass buttons with a lemon rind|the brass-rubbing
write writes writing|fortune-cookie messages on rice paper|the fortune-writing
carve carves carving|rubber erasers into stamps|the eraser-carving
tell tells telling|long riddles to the coat rack|the riddle-telling
weave weaves weaving|bookmarks from horsehair|the bookmark-weaving
whistle whistles whistling|through a hollow key|the key-whistling
thread threads threading|dried beans onto fishing line|the bean-threading
frame frames framing|pressed bus transfers|the transfer-framing
hide hides hiding|notes in hollow books|the note-hiding
calculate calculates calculating|prime numbers on an abacus|the abacus work
edit edits editing|old horoscopes with a red pen|the horoscope-editing
mime mimes miming|a tightrope walk|the tightrope mime
snip snips snipping|seed catalogs into portraits|the portrait-pasting
gild gilds gilding|the edges of playing cards|the card-gilding
try tries trying|on hats from a traveling trunk|the hat parade
sculpt sculpts sculpting|chess pieces from soap|the soap-sculpting
iron irons ironing|autumn leaves under wax paper|the leaf-ironing
recount recounts recounting|the plot of one forgotten opera|the opera-recounting
assign assigns assigning|birthdays to wooden spoons|the birthday-assigning
darn darns darning|socks in zebra stripes|the zebra-darning
scribble scribbles scribbling|equations on {his} palm|the palm-scribbling
set sets setting|a row of mousetraps off with a ruler|the trap-snapping
lick licks licking|gold stars onto a homemade calendar|the star-sticking
wax waxes waxing|a pair of antique skis|the ski-waxing
crease creases creasing|paper cranes from sheet music|the crane-folding
tally tallies tallying|the vowels in a newspaper column|the vowel-tallying
empty empties emptying|{his} pockets into a muffin tin|the pocket-sorting
"""

CHARACTER = """
carve carves carving|runes into a walking stick|the rune-carving
sharpen sharpens sharpening|a dagger that has no edge left|the dagger-sharpening
recite recites reciting|the names of drowned ships|the ship litany
wind winds winding|a clock that has no hands|the clock-winding
consult consults consulting|a compass with a painted needle|the compass ritual
polish polishes polishing|a suit of miniature armor|the armor-polishing
draw draws drawing|maps of islands nobody has seen|the island-mapping
toss tosses tossing|a silver coin into an upturned helmet|the coin-tossing
feed feeds feeding|crumbs to a carved raven|the raven-feeding
whisper whispers whispering|a password to {his} lantern|the lantern-whispering
mend mends mending|a torn battle flag with gold thread|the flag-mending
cast casts casting|knucklebones on a velvet cloth|the bone-casting
seal seals sealing|empty letters with green wax|the letter-sealing
count counts counting|the rivets on an iron chest|the rivet-counting
braid braids braiding|horsehair into a long bowstring|the string-braiding
rehearse rehearses rehearsing|a duel against {his} own shadow|the shadow duel
grind grinds grinding|blue beetles' wings into pigment|the wing-grinding
read reads reading|the lines in {his} own glove|the glove-reading
hum hums humming|a charm against mermaids|the mermaid charm
blow blows blowing|smoke rings through a keyring|the ring-blowing
etch etches etching|constellations onto a pewter plate|the plate-etching
dictate dictates dictating|a will to an invisible scribe|the will dictation
unroll unrolls unrolling|a scroll as long as the room|the scroll ritual
balance balances balancing|a goblet on the flat of a sword|the goblet-balancing
bow bows bowing|three times to an empty throne|the throne-bowing
weave weaves weaving|a crown of copper wire|the crown-weaving
write writes writing|riddles on the backs of playing cards|the riddle-writing
oil oils oiling|the joints of a tin soldier|the soldier-oiling
translate translates translating|the speech of owls into verse|the owl-translating
collect collects collecting|keys that fit no lock|the key-collecting
paint paints painting|eyes on the prow of a toy ship|the prow-painting
tell tells telling|fortunes from spilled salt|the salt-reading
stitch stitches stitching|pearls into the lining of {his} cloak|the pearl-stitching
whittle whittles whittling|a chessboard's worth of kings|the king-whittling
ring rings ringing|a handbell that makes no sound|the silent bell-ringing
tie ties tying|wishing knots in a fisherman's net|the net-knotting
sing sings singing|an inventory of the royal pantry|the pantry song
gild gilds gilding|the feathers of a stuffed hawk|the hawk-gilding
quote quotes quoting|a treaty signed by two giants|the treaty-quoting
juggle juggles juggling|three glass eyes|the eye-juggling
brew brews brewing|ink from oak galls in a thimble|the ink-brewing
trace traces tracing|a labyrinth with one fingertip|the labyrinth-tracing
salute salutes saluting|a portrait of a goose|the goose salute
repair repairs repairing|a mechanical nightingale with a hairpin|the nightingale repair
weigh weighs weighing|feathers on a merchant's scale|the feather-weighing
hide hides hiding|a ruby in the heel of {his} boot|the ruby-hiding
recite recites reciting|a dragon's family tree|the dragon genealogy
spin spins spinning|a globe with two south poles|the globe-spinning
light lights lighting|a pipe filled with rose petals|the petal pipe
interrogate interrogates interrogating|a suit of armor about its travels|the armor interrogation
copy copies copying|spells out of a cookbook|the spell-copying
tune tunes tuning|a lute with a single string|the lute-tuning
practice practices practicing|{his} most fearsome laugh|the laugh practice
carve carves carving|tally marks into a cherry stone|the stone-tallying
forge forges forging|tiny horseshoes for crickets|the cricket-shoeing
cross-examine cross-examines cross-examining|a weathercock|the weathercock trial
fold folds folding|banned pamphlets into paper hats|the hat-folding
lecture lectures lecturing|a skull on good manners|the skull lecture
string strings stringing|wolf teeth onto a ribbon|the tooth-stringing
shuffle shuffles shuffling|a deck with five suits|the five-suit shuffling
drape drapes draping|cobweb lace over a mirror|the mirror-draping
measure measures measuring|doorways with a knotted rope|the doorway-measuring
challenge challenges challenging|a scarecrow to single combat|the scarecrow duel
distill distills distilling|perfume from old love letters|the letter-distilling
hoist hoists hoisting|a pocket-sized pirate flag|the flag-hoisting
rub rubs rubbing|a brass lamp with great hope|the lamp-rubbing
embroider embroiders embroidering|a sea serpent on a handkerchief|the serpent embroidery
chant chants chanting|the multiplication table in Elvish|the Elvish chanting
catalog catalogs cataloging|the ghosts of the east wing|the ghost catalog
peer peers peering|through a spyglass held the wrong way round|the spyglass-peering
scrub scrubs scrubbing|a cauldron with crushed pearls|the cauldron-scrubbing
crown crowns crowning|a turnip as regent|the turnip coronation
fletch fletches fletching|arrows with peacock plumes|the peacock-fletching
knot knots knotting|{his} beard or braid into seven loops|the seven-loop knotting
plant plants planting|silver spoons in a flowerpot|the spoon-planting
test tests testing|the floor for trapdoors with a cane|the trapdoor-testing
bargain bargains bargaining|with a stone gargoyle|the gargoyle-bargaining
dust dusts dusting|a library of blank books|the blank-book dusting
imitate imitates imitating|the call of a phoenix|the phoenix-calling
draft drafts drafting|a peace treaty between cats and mice|the treaty-drafting
mint mints minting|chocolate coins in a vise|the coin-minting
swear swears swearing|an oath upon a loaf tin|the loaf-tin oath
map maps mapping|the cracks in a teacup|the crack-mapping
read reads reading|aloud from a grimoire of knitting|the grimoire reading
wrestle wrestles wrestling|a rolled-up tapestry|the tapestry-wrestling
preserve preserves preserving|footprints in wax|the footprint-preserving
adjust adjusts adjusting|a sundial with a candle|the sundial-adjusting
collect collects collecting|sneezes in corked bottles|the sneeze-bottling
rename renames renaming|the stars after {his} aunts|the star-renaming
pickle pickles pickling|the petals of a blue thistle|the thistle-pickling
strum strums strumming|the strings of a broken loom|the loom-strumming
bury buries burying|a marble with military honors|the marble funeral
sketch sketches sketching|machines for catching moonbeams|the machine-sketching
kiss kisses kissing|the hilt of a wooden sword|the hilt-kissing
write writes writing|a ransom note to the wind|the ransom-note writing
dance dances dancing|a minuet with a broom|the broom minuet
inspect inspects inspecting|{his} boots for goblin marks|the boot inspection
fill fills filling|an hourglass with ground pepper|the pepper hourglass
parley parleys parleying|with a beehive in verse|the hive-parleying
memorize memorizes memorizing|the coats of arms of extinct houses|the heraldry drill
throw throws throwing|a grappling hook at {his} own hat|the hat-hooking
varnish varnishes varnishing|a wooden leg that fits nobody|the leg-varnishing
arrange arranges arranging|fossils in order of politeness|the fossil-arranging
whistle whistles whistling|for a horse that never comes|the horse-whistling
crack cracks cracking|walnuts with a judge's gavel|the gavel-cracking
interpret interprets interpreting|the wrinkles in {his} bedsheet|the sheet-reading
disguise disguises disguising|{himself} as a potted palm|the palm disguise
preach preaches preaching|a short sermon to a row of boots|the boot sermon
file files filing|the claws of a bronze griffin|the claw-filing
stack stacks stacking|cannonballs into a pyramid|the cannonball-stacking
sew sews sewing|patches onto an heirloom sail|the sail-patching
guess guesses guessing|the age of bridges by their echo|the bridge-guessing
swing swings swinging|a censer of dried marigolds|the censer-swinging
engrave engraves engraving|insults on the inside of rings|the ring-engraving
summon summons summoning|a council of chess pieces|the chess council
trim trims trimming|candle wicks with embroidery scissors|the wick-trimming
conduct conducts conducting|an orchestra of hanging pans|the pan-conducting
shine shines shining|a shield that belonged to a giantess|the shield-shining
curtsy curtsies curtsying|to a framed map|the map curtsy
post posts posting|letters in a hollow tree stump|the stump-posting
set sets setting|a table for seven absent knights|the knightly table-laying
bottle bottles bottling|echoes in a blue flask|the echo-bottling
tattoo tattoos tattooing|anchors onto lemons|the lemon-tattooing
vow vows vowing|revenge upon a squeaky hinge|the hinge vow
thread threads threading|moonstones onto a harp string|the moonstone-threading
ink inks inking|a secret alphabet onto {his} sleeve|the sleeve-inking
toast toasts toasting|a rival with an empty cup|the empty toast
record records recording|the gossip of gulls in a logbook|the gull log
stuff stuffs stuffing|a straw knight with lavender|the knight-stuffing
crochet crochets crocheting|chain mail from wool|the mail-crochet
prop props propping|a ladder against nothing at all|the ladder trick
sift sifts sifting|the ashes of burnt letters|the ash-sifting
march marches marching|a troop of tin mice across the table|the tin-mouse march
shoe shoes shoeing|a rocking horse with silver nails|the horse-shoeing
forecast forecasts forecasting|battles from the shape of dumplings|the dumpling oracle
hang hangs hanging|{his} hat on an invisible peg|the hat trick
question questions questioning|a tuning fork about the future|the fork oracle
lower lowers lowering|a bucket into a well painted on the wall|the bucket-lowering
lock locks locking|a book inside a smaller book|the book-locking
scratch scratches scratching|a sonnet onto a roof slate|the slate sonnet
splice splices splicing|two ropes into the shape of a heart|the heart-splicing
patch patches patching|a moth-eaten flying carpet|the carpet-patching
tame tames taming|a brass beetle with sugar|the beetle-taming
stir stirs stirring|an empty kettle counterclockwise|the kettle-stirring
rattle rattles rattling|a box of saints' buttons|the button-rattling
invent invents inventing|ancestors for a wooden parrot|the ancestor-inventing
pour pours pouring|sand from one boot to the other|the sand-pouring
appoint appoints appointing|a new ambassador to the attic mice|the mouse embassy
comb combs combing|the mane of a carved unicorn|the mane-combing
banish banishes banishing|a teaspoon from the kingdom|the spoon banishment
blindfold blindfolds blindfolding|a statue of a general|the statue-blindfolding
"""
