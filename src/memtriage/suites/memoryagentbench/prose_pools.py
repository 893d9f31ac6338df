"""The small change of a plain novel: phrases that stand in sentences, several hundred thousand combinations of them.

`SLOTS` maps the name of a gap to what may fill it, separated by bars. What fills a gap may have gaps of its own.
"""

from __future__ import annotations

_SLOTS: dict[str, str] = {
    # --- weather, light, time -----------------------------------------------------------------
    "weather": "a thin rain fell | the fog had come up again | the wind had dropped at last | "
    "frost held in the shade | the heat pressed down | sleet came in sideways | "
    "the clouds hung low and did not move | a dry wind blew grit about | the first snow was melting | "
    "the sun stood white behind the haze | the air smelled of thunder | it drizzled | "
    "it had rained since before dawn | the sky was clearing from the west | a warm wind came up the valley | "
    "hail had flattened the gardens | the mist was lifting in rags | the mud was freezing into ruts | "
    "the evening was mild for the season | the cold had come early that year | the gutters ran full | "
    "the dust lay ankle deep | there was lightning far off over the hills | the dew had not yet dried",
    "light": "a grey light | a yellow light | the last light | a greenish light | the low sun | "
    "a pale winter light | the glow of the ovens | a single lamp | the light of three candles | "
    "the moon, nearly full, | a smoky torch | the first light | a bar of sunlight | the dull shine of the snow | "
    "the flicker of the hearth | a hanging lantern",
    "lit": "fell across | lay on | barely reached | picked out | crept along | slid over | settled on | touched | "
    "turned brown on | broke on | wandered over | gave back",
    "when": "In the morning | Towards noon | By late afternoon | At dusk | After dark | Before the bells | "
    "At first light | In the middle of the day | When the lamps were lit | An hour past sunset | "
    "While the market was packing up | Before anyone else was awake | At the hour when the shops close | "
    "When the tide had turned | After the noon meal | Shortly before midnight",
    "later": "Two days later | The next day | A week passed, and then | That same evening | "
    "On the third morning after | Not long afterwards | When the weather let up | Some days went by, and | "
    "The following night | After a night without much sleep | As soon as the roads were dry | "
    "Before the week was out | When the moon had changed | By the end of the month | The day after that | "
    "Ten days on",
    "while": "for a while | for the length of a hymn | until the candle guttered | longer than was polite | "
    "for as long as it takes to boil water | until somebody coughed | for most of an hour | "
    "until the bells rang again | for the space of a few breaths | without noticing how time went",
    "ago": "years ago | when the bridge was still of wood | in the year of the big flood | "
    "long before the toll house | the summer the wells failed | in the old mayor's time | "
    "before the war with the islands | as a child | the winter the river froze | at the age of nine | "
    "in another town | when there was still money for such things",
    # --- places and things --------------------------------------------------------------------
    "street": "the street | the lane | the long stairs | the square | the yard | the towpath | "
    "the alley behind the mill | the upper road | the causeway | the arcade | the slope below the wall | "
    "the timber market | the fish steps | the bridge | the avenue of limes | the landing stage | "
    "the cattle road | the passage by the bakehouse | the embankment",
    "house": "the chandler's shop | the granary | the customs shed | the bakehouse | the old school | "
    "the weigh house | the tannery | the chapel | the almshouse | the inn | the pump house | the dyer's house | "
    "the ropewalk | the stables | the brewery | the reading room | the lock-keeper's cottage | "
    "the cooper's shop | the boathouse | the potter's kiln | the town hall | the hospital | the barracks | "
    "the laundry",
    "looked": "looked smaller than it was | leaned a little towards the water | had lost half of its shutters | "
    "had been painted blue once | was shut for the season | smelled of tallow | had a new roof and old walls | "
    "stood open on both sides | kept its lamps burning all day | showed a row of cracked panes | "
    "seemed to be waiting for a tenant | was full of people who had nowhere else to go | had a crooked chimney | "
    "was propped up with ship's timber | wore a fresh coat of whitewash | had grass growing on its sills | "
    "rang with hammering | was quiet as a Sunday | had been divided among three families | gave off a sour warmth",
    "thing": "a broken barrel | a child's shoe | a coil of rope | a stack of roof tiles | "
    "a handcart without wheels | a row of clay pots | an overturned basket | a heap of wet sacks | "
    "a bench with one leg missing | a rusted plough | a cage with a starling in it | a pile of nets | "
    "a crate of onions | a mended sail | a bucket of lime | a broom worn down to the wood | a stone trough | "
    "a ladder that led nowhere | a signboard turned to the wall | a bundle of willow rods | a grindstone | "
    "a bolt of sailcloth",
    "small": "a button | a bent spoon | a ribbon | a walnut | a piece of chalk | a copper coin | "
    "a darning needle | a pipe stem | a key that fitted nothing | a length of twine | a crust of bread | "
    "a marble | a thimble | a feather | a candle stub | a wooden peg | a smooth stone | a scrap of lace | "
    "a fishhook | a seed pod",
    "room": "the room | the kitchen | the attic | the back parlour | the narrow hall | the upstairs chamber | "
    "the cellar | the wash house | the counting room | the taproom | the store room | the porch",
    "furnish": "a table scrubbed almost white | two chairs that did not match | a cold stove | "
    "a shelf of chipped plates | a clock that nobody had wound | a bed with a straw mattress | "
    "a map gone brown at the folds | a basin and a jug | a chest with iron corners | "
    "curtains made from flour sacks | a mirror spotted like a trout | a smoking lamp | "
    "a row of hooks with one hat on them | a stool by the window | a cracked washstand | a rack of drying herbs",
    "smell": "wet wool | tar | baking bread | cold ashes | river mud | apples kept too long | horses | lamp oil | "
    "boiled cabbage | lye soap | fresh sawdust | malt | pepper | smoke from green wood | old paper | leather | "
    "mint",
    "sound": "a cart going over the bridge | somebody practising scales | the mill wheel | a dog two yards away | "
    "the sawyers in their pit | the halyards slapping | hens complaining | a woman calling her children in | "
    "water in the pipes | the watchman's rattle | an axe, regular as a clock | laughter behind a wall | "
    "the ferry's bell | a shutter banging | boots on the stairs | somebody beating a carpet",
    "food": "barley soup | cold mutton | a heel of bread and some cheese | fried smelt | pea pudding | "
    "stewed pears | a pie that was mostly crust | boiled eggs | buckwheat porridge | pickled beets | "
    "a dish of lentils | sausage ends | roast chestnuts | herring in vinegar | turnips baked in ash | "
    "dumplings with plums",
    "drink": "small beer | a cup of hot milk | cider | bitter tea | thin wine | nettle tea | plum spirit | "
    "water from the jug | a jug of ale | mulled wine | buttermilk | chicory brew",
    "animal": "a yellow dog | a grey cat | a goat on a string | two geese | a blind mare | a flock of starlings | "
    "a heron | a donkey | an old hound | a crow | some sparrows | a pig that had got loose | "
    "a litter of kittens | a barge horse",
    "beast": "slept in the doorway | watched from the wall | would not be driven off | drank from the gutter | "
    "picked at the rubbish | took no notice of anybody | stood in the middle of the road | fled from the noise | "
    "scratched at a closed gate | turned its back on the wind | came closer and thought better of it | "
    "had found the only dry spot",
    "garment": "coat | shawl | cap | scarf | cloak | hat | jacket | hood",
    # --- people -------------------------------------------------------------------------------
    "people": "carters | washerwomen | two apprentices | old men | market women | soldiers on leave | "
    "schoolchildren | pilgrims | masons | the ferrymen | pedlars | a party of surveyors | fishwives | "
    "harvesters | grooms | some weavers | three nuns | the brewer's men | nursemaids | day labourers | bargees | "
    "seamstresses",
    "did": "argued over a broken axle | waited for a cart that did not come | shared a loaf without speaking | "
    "were counting sacks aloud | laughed at something nobody else had heard | "
    "sang the same verse again and again | carried a wardrobe through a door that was too small | "
    "were playing at dice on a drumhead | stood about in the wet | passed buckets from hand to hand | "
    "sorted rags into heaps | complained about the price of oil | were scraping the ice from the steps | "
    "stared and then looked away | were putting up a stall | hurried by with their collars up | "
    "talked of nothing but the harvest | were mending a net between them | threw stones at a tin | "
    "made room without being asked | crowded around a man with a bear",
    "somebody": "a boy with a bandaged hand | an old woman in black | a clerk with ink on his cuffs | "
    "a girl with a tray of matches | a man who had once been a soldier | the sexton | a pedlar of needles | "
    "a tall woman with a basket of eels | the postman | a deaf-looking porter | a child of six or seven | "
    "the glazier | a nurse in a starched apron | a stout man with a cane | the lamplighter | a barefoot girl | "
    "a priest with a cold | the woman from the laundry | a drunk in a good coat | a young man with a violin case",
    "acted": "asked the way to the ferry and left before hearing it | sold chestnuts without looking up | "
    "was telling a story to which no one listened | held the door and expected a coin | "
    "swept the same three steps | went by whistling | "
    "sat on an upturned crate and peeled an apple in one ribbon | nodded as if they had met before | "
    "was quarrelling with a shopkeeper about change | slept with an open mouth | dropped a parcel and swore | "
    "wrote something into a small book | pointed at the sky and said that it would turn | "
    "begged and was given bread | stepped aside too late | had set up a table to sharpen knives",
    "kin": "mother | father | grandmother | aunt | uncle | elder sister | younger brother | cousin | grandfather | "
    "godmother",
    "saying": "that a debt is a kind of dog | that every house has one honest window | "
    "that rain makes all roads equal | that the slow mule sees the most | that one should never lend a knife | "
    "that bread remembers the hand | that silence is the cheapest coat | that nobody drowns in a small promise | "
    "that the moon keeps no accounts | that a door is only a wall that has changed its mind | "
    "that old grief likes company | that two liars make a witness | that a good pot outlives its cook | "
    "that pride is heavy to carry uphill | that the last to speak pays | "
    "that a bridge belongs to whoever mends it",
    # --- feelings, gestures -------------------------------------------------------------------
    "feeling": "a dull unease | something like relief | an anger that had no address | a tiredness in the bones | "
    "a foolish cheerfulness | shame, though there was no cause for it | a longing to be elsewhere | "
    "an odd calm | the old stubbornness | a fear that did not go away when looked at | "
    "pity, which came too late | a kind of hunger that food would not help | "
    "envy of everyone who was only passing through | doubt | the beginning of a headache | "
    "a sudden affection for the place",
    "gesture": "pulled the {garment} closer | rubbed both hands over {his} face | "
    "counted the coins in {his} pocket again | leaned against the wall | "
    "bent to tie a lace that was tied already | kicked a pebble into the gutter | looked back twice | "
    "shifted the bag from one shoulder to the other | blew on {his} fingers | turned {small} over and over | "
    "stood quite still | smiled at nothing | chewed the inside of {his} cheek | tapped on the railing | "
    "wiped the rain from {his} eyes | breathed out slowly | hummed a tune and broke it off",
    "ogesture": "shrugged | scratched an ear | looked at the floor | spat neatly to one side | folded both arms | "
    "went on working | laughed without joy | lifted a hand and let it fall | glanced at the door | "
    "nodded slowly | polished a cup that was clean | sucked at an empty pipe | raised an eyebrow | "
    "pushed the plate away | drew a line in the dust with one foot | waited for the noise to pass",
    "manner": "quietly | at last | after a pause | without turning round | in a flat voice | almost kindly | "
    "rather too fast | through a mouthful of bread | as if reading it from a list | with a sigh | in a whisper | "
    "over one shoulder | for the second time | drily | and meant it | and did not look up",
    "topic": "the price of salt | the new tax on windows | the mayor's daughter | the ferry that ran aground | "
    "the wells | a cousin's wedding | the way bread tasted before the new mill | the bell that cracked | "
    "the wolves | the dykes | the troupe of players | the lottery | a lawsuit over a pear tree | "
    "the fever in the lower town | the eel fishing | the trouble with rats | a comet that somebody had seen | "
    "the bad roads | the schoolmaster's wig | the horse fair",
    "worked": "split kindling | mended straps | cleaned the lamps | washed shirts | patched boots | "
    "sharpened knives | carried water | swept the ashes out | peeled potatoes | stacked wood | "
    "sewed on buttons | scoured kettles | oiled hinges | copied lists | plucked hens | shelled peas | "
    "wound wool | aired blankets | picked over lentils",
    "work": "split kindling | mend a strap | clean the lamp | wash a shirt | patch a boot | sharpen a knife | "
    "carry water | sweep the ashes out | peel potatoes | stack wood | sew on a button | scour a kettle | "
    "oil the hinges | copy a list | pluck a hen | shell peas | wind a ball of wool | air the blankets",
    "name": "the Blind Heron | the Three Ladles | the Copper Goose | the Last Ferry | the Quiet Drum | "
    "the Old Weir | the Two Widows | the Green Anchor | the Lame Horse | the Fourth Bell | the Salt Rose | "
    "the Empty Net",
    "kindof": "an honest | a tired | a crowded | a proud | a forgetful | a suspicious | a cheerful | "
    "a half-built | a sleepy | a careful | a patient | a quarrelsome",
    "since": "since {topic} | since the mill burned | since last winter | since my {kin} died | "
    "since the new toll | since before you were born | since the river changed its bed | for thirty years | "
    "since the spring floods",
}

SLOTS: dict[str, tuple[str, ...]] = {name: tuple(p.strip() for p in said.split(" | ")) for name, said in _SLOTS.items()}
