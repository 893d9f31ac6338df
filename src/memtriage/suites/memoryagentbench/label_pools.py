"""Made-up intents in several fields of life, and the many ways in which people put each of them.

In a template, `{a|b}` is a choice of words and `{tool}` something of that kind; what is chosen may hold choices again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

SLOTS: Mapping[str, tuple[str, ...]] = {
    "day": tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()),
    "when": (
        "{day}", "this evening", "tomorrow", "next week", "the weekend", "{day} morning", "the end of the month",
        "the holidays", "{day} afternoon", "the week after next",
    ),
    "amount": ("three", "four", "five", "six", "eight", "nine", "eleven", "twelve", "fourteen", "twenty"),
    "person": (
        "my sister", "my neighbour", "my flatmate", "my father", "a friend", "my daughter", "a colleague", "my aunt",
        "my grandson", "my partner",
    ),
    "tool": (
        "belt sander", "hedge trimmer", "tile cutter", "wood chipper", "pressure washer", "jigsaw", "post-hole digger",
        "steam cleaner", "cordless drill", "extension ladder",
    ),
    "crop": (
        "runner beans", "leeks", "courgettes", "raspberries", "potatoes", "kale", "broad beans", "onions", "pumpkins",
        "strawberries",
    ),
    "pest": ("slugs", "aphids", "cabbage moths", "wireworms", "mice", "pigeons", "flea beetles", "vine weevils"),
    "port": (
        "Skarrow", "Inner Tolm", "Pell Quay", "Drennish", "Ossel Point", "Low Farrow", "Castle Hythe", "Brannoch",
    ),
    "vehicle": ("a camper van", "a motorbike", "two bicycles", "a small trailer", "a pick-up", "an estate car"),
    "animal": ("my spaniel", "two cats", "an old greyhound", "a parrot", "a pair of goats", "my terrier"),
    "piece": ("teapot", "tall vase", "set of mugs", "salad bowl", "butter dish", "candle holder", "jug", "plate"),
    "glaze": ("celadon", "ash white", "oxblood", "cobalt", "honey", "matt black", "speckled grey", "turquoise"),
    "hive": (
        "the hive by the orchard", "my second hive", "the new colony", "the hive near the fence", "my oldest colony",
        "the hive on the roof", "the nucleus box", "the hive behind the shed",
    ),
    "programme": (
        "the night ferry show", "the brass band hour", "the gardening phone-in", "the late jazz slot",
        "the children's hour", "the local history half hour", "the sea forecast", "the folk session",
    ),
    "pool": ("the warm pool", "the big basin", "the outdoor pool", "the diving pool", "the paddling pool", "lane four"),
    "hut": ("the Corrie hut", "the upper hut", "the Varn refuge", "the lake hut", "the glacier hut", "the pass hut"),
    "path": (
        "the ridge path", "the gully route", "the north face track", "the lake round", "the old miners' way",
        "the ladder section",
    ),
    "instrument": ("cello", "oboe", "French horn", "viola", "bassoon", "harp", "trombone", "double bass", "flute"),
    "exhibit": (
        "the clock gallery", "the whale hall", "the map room", "the armour collection", "the tapestry wing",
        "the fossil cabinet", "the lamp collection", "the coin room",
    ),
    "loaf": ("rye loaf", "seeded roll", "spelt loaf", "walnut bread", "sourdough", "plaited loaf", "onion baguette"),
    "allergy": ("nuts", "sesame", "eggs", "milk", "soya", "gluten", "mustard", "lupin"),
    "bike": ("cargo bike", "folding bike", "tandem", "touring bike", "child's bike", "electric bike", "road bike"),
}  # fmt: skip

INTENTS: Mapping[str, tuple[str, ...]] = {
    # a library of tools
    "tool_borrow": (
        "could I {take out|borrow|sign out} a {tool} {for|over} {when}?",
        "I'd like to {have the use of|loan} a {tool} {starting|from} {when}.",
        "is there a {tool} {free|on the shelf} that I may {carry home|take away} {for a few days|until {day}}?",
        "{person} and I need a {tool} for {amount} days, may we {collect|pick up} one?",
    ),
    "tool_return_late": (
        "I {can't|won't manage to} bring the {tool} back {in time|before you close}, what {happens|do I do} now?",
        "the {tool} was due {yesterday|on {day}} and it's still {in my garage|at my place}.",
        "will there be a {fine|penalty} if the {tool} {comes in|reaches you} {amount} days {late|overdue}?",
        "I {forgot|clean forgot} to hand in the {tool}, {how bad is that|am I in trouble}?",
    ),
    "tool_broken": (
        "the {tool} {gave up|stopped} halfway through {the job|my work}.",
        "something {snapped|came loose} on the {tool} {I got from you|that you lent me} and it won't {start|run} now.",
        "there is {smoke|a burning smell} coming from the {tool} whenever I {switch it on|plug it in}.",
        "who {repairs|mends} a {tool} that {broke|went dead} while {person} was using it?",
    ),
    "tool_training": (
        "can somebody {show|teach} me how to {handle|work} a {tool} {safely|without losing a finger}?",
        "do you {run|offer} {lessons|a course} on using the {tool}?",
        "I have never {held|operated} a {tool}, is there {an introduction|a practice session} {on {day}|soon}?",
        "what do I {have to|need to} learn before you {let|allow} {person} {use|near} the {tool}?",
    ),
    "tool_donate": (
        "would you {accept|take} a {used|second-hand} {tool} as a {gift|donation}?",
        "{person} left me a {tool} that I'll never need, {do you want it|may it live with you}?",
        "I'm {clearing out|emptying} the {shed|cellar} and would {give away|pass on} my {tool} to the library.",
        "where do I {drop off|leave} a {tool} I'd like to {donate|hand over for good}?",
    ),
    "tool_deposit_back": (
        "I {returned|brought back} the {tool} {amount} days ago and the deposit {hasn't come|is still missing}.",
        "when do I {see|get back} the {money|sum} I {left|put down} as security for the {tool}?",
        "you still {hold|keep} the {caution money|deposit} for {person}'s {tool}.",
        "my {deposit|security} was {only partly|not} {refunded|paid back} after the {tool} {loan|hire}.",
    ),
    # an allotment garden
    "plot_waiting_list": (
        "how {many people|far} are {ahead of me|we} on the list for {a plot|an allotment}?",
        "{person} {applied|signed up} for a garden {last spring|{amount} months ago}, is there any {movement|news}?",
        "what is my {place|position} in the {queue|line} for a {patch|plot}?",
        "roughly how long {does one wait|is the wait} until {a patch|a garden} {comes free|is given up}?",
    ),
    "plot_share": (
        "may I {split|share} my {plot|patch} with {person}?",
        "{person} wants to {work|dig} half of my allotment, {is that permitted|do you allow it}?",
        "I'd {like|love} to {go halves on|have a co-tenant for} the {plot|garden}.",
        "can two {households|families} {rent|hold} one {patch|allotment} {together|jointly}?",
    ),
    "plot_pests": (
        "{pest} are {eating|ruining} my {crop}, what {helps|would you advise}?",
        "how do I {get rid of|keep away} {pest} without {spraying|poison}?",
        "every {morning|night} the {pest} {strip|go for} the {crop} {again|a little more}.",
        "has anyone else {trouble|a plague} with {pest} on the {crop} {this year|this season}?",
    ),
    "plot_water": (
        "the {tap|standpipe} {near|beside} my {plot|patch} is {dry|shut off}.",
        "am I {allowed|permitted} to {run a hose|leave a sprinkler on} for the {crop} {in this heat|at noon}?",
        "there's no {pressure|water} at the {tank|tap} since {day}, and the {crop} are {wilting|thirsty}.",
        "when will you {turn on|open} the {supply|mains} {after the winter|for the season}?",
    ),
    "plot_seeds_swap": (
        "who would {trade|swap} some {seed|seedlings} of {crop} for {crop}?",
        "I have {far too many|spare} {crop} {plants|seedlings} and {look for|would take} {crop} in {return|exchange}.",
        "is there a {swap table|seed exchange} {on {day}|this month}?",
        "{person} {saved|kept} seed from our {crop}, {does anyone want to barter|what could we get for it}?",
    ),
    "plot_shed_rules": (
        "how {large|tall} may {a shed|a greenhouse} on my {plot|patch} be?",
        "do I need {permission|a permit} to {put up|build} a {hut|lean-to} {beside|behind} the {crop}?",
        "{person} wants to {erect|set up} a polytunnel, what do the {rules|statutes} say?",
        "is a {concrete base|second shed} {forbidden|against the rules} on the allotments?",
    ),
    "plot_bonfire": (
        "when may I {burn|set fire to} {old stalks|garden waste}?",
        "my neighbour's {bonfire|smoke} {drifts|blows} over my {crop} {every|each} {day}.",
        "is {lighting a fire|an incinerator} {allowed|all right} on the {plot|site} {in summer|on {day}}?",
        "can I {get rid of|turn to ash} {diseased|dead} {crop} in {a barrel|a fire}?",
    ),
    # a line of ferries
    "ferry_timetable": (
        "{when|at what hour} does the {last|first} boat {leave|sail} for {port} on {day}?",
        "what are the {sailing|departure} times {from|out of} {port} {to|towards} {port}?",
        "how {often|many times a day} do you {cross|sail} to {port}?",
        "is there {an early|a late} {crossing|boat} to {port} {on {day}|at the weekend}?",
    ),
    "ferry_cancelled_storm": (
        "are the boats to {port} {running|going out} in this {gale|swell|fog}?",
        "the {wind|forecast} looks {awful|frightening}, will the {crossing|sailing} be {called off|scrapped}?",
        "we are {stuck|stranded} in {port} because of the {storm|weather}, when does anything {sail|move} again?",
        "has the {day} boat been {suspended|called off} on account of the {waves|storm}?",
    ),
    "ferry_vehicle": (
        "can I bring {vehicle} {across|on board} to {port}?",
        "what does {vehicle} cost {on top|on the car deck} {to|for} {port}?",
        "how {long|high} may {vehicle} be for the {car deck|ramp}?",
        "{person} {travels|comes} with {vehicle}, do we have to {reserve|book} the {deck space|lane} beforehand?",
    ),
    "ferry_pets": (
        "may {animal} {travel|come} with me on the {boat|crossing} to {port}?",
        "where does one {sit|stay} with {animal} during the {crossing|voyage}?",
        "does {animal} need a {muzzle|ticket|cage} on {board|the ferry}?",
        "is there {a deck|a cabin} where {animal} {is welcome|can lie down}?",
    ),
    "ferry_lost_property": (
        "I {left|forgot} my {umbrella|rucksack|glasses|coat} on the boat {from|to} {port}.",
        "has {anybody|the crew} {handed in|found} a {phone|wallet|red scarf|hat} on the {day} crossing?",
        "my {suitcase|camera|bag} {stayed behind|must still lie} {on deck|in the saloon}, whom do I {ring|ask}?",
        "where do things {go|end up} that people {lose|leave} aboard {between|on the way from} {port} and {port}?",
    ),
    "ferry_seasick": (
        "I {turn green|feel ill} as soon as the boat {rolls|leaves}, what {can I do|do sailors do}?",
        "where on {board|the ferry} does it {sway|rock} least?",
        "do you {sell|hand out} {tablets|ginger|bags} for {queasy|upset} stomachs?",
        "{person} gets {nauseous|sick} on the {water|waves}, which {seat|deck} should we {choose|take}?",
    ),
    "ferry_island_pass": (
        "is there a {season ticket|pass} for people who {live|have a house} {on the islands|in {port}}?",
        "I cross to {port} {amount} times a month, what {saves me money|is cheapest}?",
        "how do I {extend|renew} my {resident's|commuter} pass?",
        "does the {frequent traveller|islander} {card|pass} {cover|count for} {person} too?",
    ),
    # a pottery studio
    "kiln_slot": (
        "is there {room|space} in the kiln for a {piece} {on|before} {day}?",
        "when do you {fire|heat the kiln} next, I have a {piece} {waiting|bone dry}.",
        "could my {piece} go {in|along} with the {next|{day}} firing?",
        "I'd like to {reserve|book} {half a shelf|a shelf} for the {bisque|glaze} firing.",
    ),
    "piece_cracked": (
        "my {piece} {came out|emerged} with a {crack|split} {in the base|down its side}.",
        "why did the {piece} {burst|explode|break} in the {kiln|fire}?",
        "the handle of my {piece} {fell|dropped} off {while drying|in the firing}.",
        "is a {piece} with a {hairline|small} {crack|fissure} still {any good|to be saved}?",
    ),
    "glaze_choice": (
        "which {glaze|coating} would {suit|flatter} a {piece}, {glaze} or {glaze}?",
        "will {glaze} {run|drip} when it's {put|brushed} over {glaze}?",
        "how many {coats|layers} of {glaze} does a {piece} {need|take}?",
        "is the {glaze} one {safe for food|fit for the dishwasher}?",
    ),
    "clay_buy": (
        "what do you {charge|ask} for a {bag|block} of {stoneware|porcelain|red} clay?",
        "I have {run out|none left} of clay, can I {get|buy} {amount} kilos {from you|at the studio}?",
        "do you {sell|stock} {grogged|black|paper} clay, enough for a {piece}?",
        "may I {bring|use} my own {clay|stoneware} or must it be {bought here|yours}?",
    ),
    "wheel_lesson": (
        "I want to {learn|try} {throwing|the wheel}, when can a {beginner|newcomer} {start|come}?",
        "{person} got a voucher for {an hour|an evening} at the {wheel|potter's wheel}, how do we {redeem|use} it?",
        "are there {places|spaces} in the {day} {throwing|wheel} {class|course}?",
        "could a {child|teenager} {join|come to} the {wheel|throwing} {lesson|class} and make a {piece}?",
    ),
    "piece_collect": (
        "is my {piece} {ready|finished} to be {fetched|picked up}?",
        "how long do you {keep|store} a {piece} that nobody {fetches|collects}?",
        "{person} will {come by|call in} for my {piece} on {day}.",
        "I can't find my {piece} on the {shelf|rack} with the {finished|fired} work.",
    ),
    # a club of beekeepers
    "bees_swarm": (
        "there is a {cluster|cloud} of bees {in my chimney|on a lamp post|in the hedge}, who {fetches|catches} it?",
        "half the bees of {hive} have {left|flown off} and {hang|sit} in a tree.",
        "can {somebody|a member} {collect|take} a swarm {today|before {day}}?",
        "how do I {stop|keep} {hive} from {swarming|going off}?",
    ),
    "bees_mites": (
        "I {counted|found} {amount} mites on the {board|tray} under {hive}.",
        "is it time to {treat|dose} {hive} against {varroa|mites}?",
        "which {acid|strips} do you {use|recommend} for mites in {hive} {in autumn|now}?",
        "the young bees of {hive} have {crippled|stunted} wings, {is that the mite|is it varroa}?",
    ),
    "bees_queen": (
        "{hive} seems to have {lost|no} queen.",
        "I {can't see|find no} eggs in {hive}, must I {buy|introduce} a new queen?",
        "how do I {mark|cage} the queen of {hive} without {hurting|dropping} her?",
        "do you {sell|breed} {mated|gentle} queens, {hive} has turned {queenless|nasty}?",
    ),
    "bees_feeding": (
        "how much {sugar|syrup|fondant} does {hive} {need|get} {before winter|now}?",
        "is {hive} {starving|too light}, should I {give it fondant|feed it}?",
        "what is the {mix|ratio} of sugar {and|to} water {in spring|for {hive}}?",
        "can I {feed|offer} {old honey|brown sugar} to {hive}?",
    ),
    "bees_extractor": (
        "could I {use|have} the club's {honey spinner|extractor} on {day}?",
        "who has the {extractor|uncapping tray} {at the moment|now}, my {combs|supers} are full?",
        "I have {amount} {frames|combs} to {spin|empty} and no {machine|extractor}.",
        "is the {honey room|extraction room} {free|taken} {over|on} {when}?",
    ),
    "bees_labels": (
        "what has to {stand|be printed} on a {jar|label} when I {sell|market} honey?",
        "where do I {order|get} the club's {labels|jars} for {amount} dozen?",
        "may I {call|name} my honey {organic|raw} on the {label|jar}?",
        "do jars {need|require} a {batch number|best-before date} at the {market|stall}?",
    ),
    "bees_sting": (
        "{person} was stung {in the neck|on the lip} and it {swells|itches} {badly|a lot}.",
        "what {helps|do you put} {against|on} bee stings?",
        "I {react|swell up} {worse|more} every time {hive} stings me, must I {give up|see a doctor}?",
        "how do I get the {smell|sting} out so that {hive} {calms down|stops attacking}?",
    ),
    # a radio station of the neighbourhood
    "radio_song_request": (
        "could you {play|put on} {something slow|a waltz|that accordion tune} for {person} in {programme}?",
        "{person} has a birthday on {day}, would {programme} {spin|play} a {song|record}?",
        "I'd love to {hear|listen to} {some brass|an old shanty|a tango} {tonight|on {programme}}.",
        "please {squeeze|fit} {our wedding song|a lullaby} into {programme} for {person}.",
    ),
    "radio_song_title": (
        "what was the {tune|piece} at the {end|start} of {programme} on {day}?",
        "who {sang|performed} the {ballad|number} after {programme}?",
        "{person} hums the {melody|song} from {programme} all day, what is it {called|named}?",
        "do you {publish|keep} a list of what was {played|on} in {programme}?",
    ),
    "radio_reception": (
        "{programme} {crackles|hisses} on my set {since {day}|all week}.",
        "I {can't receive|lose} you {behind the hill|in the cellar} whenever {programme} is on.",
        "has your {frequency|transmitter} {moved|changed}, I get only {noise|silence}?",
        "the {stream|web player} {stops|stutters} in the middle of {programme}.",
    ),
    "radio_volunteer": (
        "I would like to {help out|join in} at the station, {what is needed|where do I begin}?",
        "do you {need|look for} {hands|presenters|technicians} for {programme}?",
        "{person} {dreams of|wants to try} {presenting|cutting sound}, may we {visit|come round} on {day}?",
        "how does one {become|get to be} a {volunteer|host} of {programme}?",
    ),
    "radio_advert": (
        "what does {a spot|thirty seconds} {before|during} {programme} cost?",
        "our {bakery|choir|school fair} would {advertise|place a notice} on air {in|for} {amount} days.",
        "do you {carry|broadcast} {paid messages|commercials} from {local shops|small firms}?",
        "how do I {book|buy} {airtime|an announcement} around {programme}?",
    ),
    "radio_archive": (
        "can I {listen again|catch up} to {programme} of {day}?",
        "I {missed|slept through} {programme}, is there a {recording|podcast}?",
        "how long do {shows|episodes} of {programme} {stay|remain} {online|in the archive}?",
        "{person} was interviewed in {programme}, could we have {a copy|the file}?",
    ),
    # public baths
    "baths_lanes": (
        "is {pool} {open|free} to {swimmers|the public} on {day} or is {a club|a school} in it?",
        "how {crowded|busy} is {pool} {before work|around noon|on {day}}?",
        "I want to {swim lengths|do my laps} in {pool}, when is it {quiet|empty}?",
        "which {hours|times} does the {water polo team|swim club} {block|take over} {pool}?",
    ),
    "baths_water_cold": (
        "{pool} was {freezing|far too chilly} on {day}.",
        "why is {pool} {not heated|so cold} {this week|at the moment}?",
        "how {warm|many degrees} is the {water|temperature} in {pool}?",
        "{person} came out of {pool} with {blue lips|chattering teeth}, is the {heating|boiler} broken?",
    ),
    "baths_locker": (
        "my locker {won't open|is jammed} and my {clothes|keys} are in it.",
        "I {lost|dropped} the {wristband|key} of locker {amount}.",
        "the {coin|token} of the locker {didn't come back|is stuck}.",
        "somebody {took|emptied} my {locker|cupboard} while I was in {pool}.",
    ),
    "baths_lessons": (
        "does {person} still get a place in the {swimming|crawl} {course|class} on {day}?",
        "at what age do {children|little ones} {start|begin} to learn in {pool}?",
        "I'm {grown up|past fifty} and never learned to swim, {is there a class|who teaches me}?",
        "how many {lessons|hours} until {person} {dares|manages} {pool} alone?",
    ),
    "baths_sauna": (
        "is the {sauna|steam room} {mixed|for women only} on {day}?",
        "how {hot|late} does the {sauna|steam bath} get on {day}?",
        "must I {wear|bring} a {towel|swimsuit} in the {sauna|steam room}?",
        "the {sauna stove|steam room} has been {out of order|cold} for {amount} days.",
    ),
    "baths_multi_ticket": (
        "how many {visits|swims} are {left|still} on my {ten-swim|multi} {card|ticket}?",
        "can {person} {use|share} my card of {ten|twenty} {swims|entries}?",
        "does the {multi-swim card|strip of tickets} {expire|run out}?",
        "I {washed|tore} my {punch card|multi ticket}, do you {replace|reissue} it?",
    ),
    # huts in the mountains
    "hut_beds": (
        "are there {bunks|beds} at {hut} for {amount} of us on {day}?",
        "we'd like to {sleep|spend the night} at {hut} {around|on} {when}.",
        "is {hut} {full|booked out} on {day}?",
        "could you {keep|hold} {amount} {mattresses|places} for {person}'s group at {hut}?",
    ),
    "hut_cancel": (
        "we {can't come|must call off our stay} at {hut} on {day}.",
        "please {strike|delete} our {reservation|booking} for {hut}, {person} has {broken an ankle|fallen ill}.",
        "is there a {charge|fee} if {amount} of us {don't turn up|pull out} at {hut}?",
        "until when can one {withdraw|back out} of a night at {hut} {for free|at no cost}?",
    ),
    "hut_food": (
        "does {hut} {cook|serve} {without meat|vegan food} in the evening?",
        "can we {bring|cook} our own {supper|food} at {hut}?",
        "{person} can't eat {allergy}, will {hut} {manage|cope}?",
        "what {is there for|do you get at} breakfast at {hut}, and how {early|soon}?",
    ),
    "trail_condition": (
        "is there still {snow|ice} on {path}?",
        "how {slippery|muddy} is {path} after the {rain|thaw}?",
        "has {path} been {cleared|reopened} since the {landslide|rockfall}?",
        "do we need {crampons|poles|ropes} on {path} {on {day}|at present}?",
    ),
    "trail_difficulty": (
        "is {path} {too hard|manageable} for {person}?",
        "how many {hours|metres of climbing} are there between {hut} and {hut} along {path}?",
        "does one need a {head for heights|guide} on {path}?",
        "could {a ten-year-old|someone with bad knees} {do|walk} {path}?",
    ),
    "trail_rescue": (
        "{person} has {fallen|twisted a knee} on {path} and can't {walk|get up}.",
        "we are {lost|in thick fog} somewhere near {hut}, {please send help|what should we do}?",
        "someone is {shouting|calling for help} below {path}.",
        "{amount} people are {cut off|trapped} by the {flood|snow} above {hut}.",
    ),
    # an orchestra of amateurs
    "music_audition": (
        "when can I {play for you|audition}, I play the {instrument}?",
        "do you {have a chair|look} for {another|a} {instrument}?",
        "what should one {prepare|perform} to {get in|be taken} on the {instrument}?",
        "{person} has played the {instrument} for {amount} years and would {try out|apply}.",
    ),
    "music_rehearsal": (
        "where {do we meet|is the practice} on {day}?",
        "is there a {rehearsal|practice} {during|before} the holidays?",
        "I'll be {late for|away from} the {day} {practice|rehearsal}, who {covers|plays} the {instrument} part?",
        "{what|which movement} do we {work on|run through} on {day}?",
    ),
    "music_instrument_hire": (
        "does the orchestra {lend|rent out} a {instrument}?",
        "{person} needs a {instrument} {to start with|for a year}, what would the {rent|hire} be?",
        "may I {keep|go on renting} the {instrument} {over|beyond} the summer?",
        "I'd like to {give back|return} the {instrument} that belongs to the {orchestra|society}.",
    ),
    "music_sheet": (
        "I {lost|can't find} my {part|score} for the {instrument}.",
        "could you {send|copy} me the {instrument} {notes|part} before {day}?",
        "page {amount} is {missing|torn out} {from|in} my {instrument} {part|music}.",
        "who {has|looks after} the {scores|sheet music} for the {spring|next} concert?",
    ),
    "music_concert_seats": (
        "are there {seats|tickets} left for the {concert|performance} on {day}?",
        "{person} {wants|would like} to sit {near|close to} the {instrument}, which {row|side} is that?",
        "I {need|would reserve} {amount} places for {the matinee|the {day} concert}.",
        "do {pupils|pensioners} pay {less|half} at the {concert|matinee}?",
    ),
    "music_instrument_repair": (
        "my {instrument} {buzzes|rattles} on the low notes, who could {look at|fix} it?",
        "a {key|string|valve} of my {instrument} is {stuck|broken} {days|right} before the concert.",
        "do you {know|recommend} a {workshop|maker} for a {instrument} {in need of care|that leaks}?",
        "the {case|mouthpiece|bridge} of the {instrument} was {crushed|damaged} in the {van|bus}.",
    ),
    # a museum
    "museum_opening": (
        "is {exhibit} {open|to be seen} on {day}?",
        "how late {may one stay in|does one get into} {exhibit} on {day}?",
        "why {is|was} {exhibit} {shut|closed off}?",
        "when does {exhibit} {reopen|open again} after the {works|renovation}?",
    ),
    "museum_guided": (
        "is there a {tour|guide} through {exhibit} on {day}?",
        "I'd like to {arrange|order} a {guided walk|tour} of {exhibit} for {amount} people.",
        "does the {guide|tour} of {exhibit} {speak|come in} {sign language|French|plain language}?",
        "how {long|tiring} is the {tour|guided visit} of {exhibit} for {person}?",
    ),
    "museum_photo": (
        "may I {take pictures|film} in {exhibit}?",
        "is {flash|a tripod} {allowed|tolerated} in {exhibit}?",
        "who {grants|gives} {leave|permission} to {print|publish} a photograph of {exhibit}?",
        "{person} wants {wedding|school} {photographs|shots} in front of {exhibit}.",
    ),
    "museum_access": (
        "can one {reach|see} {exhibit} in a wheelchair?",
        "is there a {lift|ramp} {to|up to} {exhibit}?",
        "{person} can't {stand|walk} for long, are there {seats|folding stools} in {exhibit}?",
        "do you have {touch models|audio descriptions} for the blind in {exhibit}?",
    ),
    "museum_school": (
        "I would come with {amount} {pupils|children} to {exhibit}, what is {offered|on} for classes?",
        "does a {school class|nursery group} get into {exhibit} {free|at a reduced price}?",
        "have you {worksheets|a quiz} on {exhibit} for {nine|twelve}-year-olds?",
        "where can my {class|pupils} {eat|leave their bags} before {exhibit}?",
    ),
    "museum_object_identify": (
        "{person} {found|dug up} an old {coin|blade|pot} in the field, could an expert {look at|date} it?",
        "what {might|could} the {brass thing|carved stone|odd tool} from {person}'s attic be?",
        "do you {value|identify} {finds|heirlooms} on {day}?",
        "I have something that {looks like|resembles} a piece in {exhibit}, may I {bring|show} it?",
    ),
    # a bakery with a round
    "bread_order": (
        "I'd like {amount} of the {loaf} {for|on} {day}.",
        "please {put aside|set by} a {loaf} for {person} until {day}.",
        "could you {bake|make} us {amount} {loaf} pieces {more|extra} for {when}?",
        "can I {add|have} a {loaf} to what you {bring|deliver} on {day}?",
    ),
    "bread_pause": (
        "we are {away|on holiday}, please {stop|pause} the bread {until|from} {day}.",
        "no {loaf} for {amount} days, {thank you|we're travelling}.",
        "could the {round|delivery} {skip|leave out} our house on {day}?",
        "{person} won't be {in|at home}, {hold|suspend} the {loaf} for a while.",
    ),
    "bread_allergens": (
        "is there any {allergy} in the {loaf}?",
        "what do you {bake|have} for {people|someone} who can't have {allergy}?",
        "could a {loaf} have {touched|come near} {allergy}?",
        "{person} {reacts to|mustn't eat} {allergy}, is your {loaf} {safe|all right}?",
    ),
    "bread_complaint": (
        "the {loaf} from {day} was {burnt|raw in the middle|stale}.",
        "there was a {hair|piece of string} {baked into|in} the {loaf}.",
        "I {got|found} a {loaf} instead of a {loaf} {in my bag|at the door}.",
        "your {loaf} used to be {better|larger}, {what happened|who bakes it now}?",
    ),
    "bread_recipe": (
        "how do you {get|make} the crust of the {loaf} so {crisp|dark}?",
        "would you {share|tell me} the {recipe|secret} of the {loaf}?",
        "can I {have|buy} some of your {starter|leaven} to {try|bake} a {loaf} myself?",
        "how long does the dough of the {loaf} {rest|rise}?",
    ),
    # a workshop for bicycles
    "bike_puncture": (
        "my {bike} has a {flat|puncture} for the {second|third|fourth} time, {what is wrong|why}?",
        "can you {patch|change} the {tube|tyre} of a {bike} {while I wait|by {day}}?",
        "I rode over {glass|a nail} and the {bike} {lost all its air|is flat}.",
        "which {tyre|tube} {fits|goes on} a {bike} that {keeps going down|won't hold air}?",
    ),
    "bike_brakes": (
        "the brakes of the {bike} {squeal|grind} {in the wet|horribly}.",
        "I {pull|squeeze} the lever and the {bike} {hardly|barely} slows down.",
        "what do new {pads|discs|cables} cost for a {bike}?",
        "the front brake of {person}'s {bike} {rubs|drags} on the {rim|rotor}.",
    ),
    "bike_stolen": (
        "my {bike} was {taken|stolen} {from the yard|outside the station} on {day}.",
        "has anyone {offered|brought} you a {bike} with {a green saddle|a dented bell}, it is {mine|{person}'s}?",
        "I {cut|came back to} a broken lock and no {bike}, do you {know the frame number|have it on file}?",
        "somebody {made off|rode away} with the {bike} of {person}.",
    ),
    "bike_fitting": (
        "my {knees|wrists|shoulders} {hurt|ache} after an hour on the {bike}.",
        "how {high|far back} should the saddle of a {bike} be for {person}?",
        "what {frame size|handlebar} do I need for a {bike} at my height?",
        "could someone {adjust|set up} the {bike} so that it {fits|suits} {person}?",
    ),
    "bike_self_repair": (
        "may I {use|come to} the workshop to {mend|true} my {bike} myself?",
        "is a {stand|bench} {free|available} on {day} for {person} and a {bike}?",
        "do you {lend|have} a {chain tool|spoke key} so that I can {fix|do up} a {bike}?",
        "I want to {take apart|rebuild} a {bike} with {some guidance|your help} on {day}.",
    ),
}

_OPENERS = (
    "", "", "", "", "", "Hello, ", "Good morning, ", "Hi there, ", "Excuse me, ", "Quick question: ",
    "Sorry to bother you, but ", "I wonder: ", "Me again, ", "To whom it may concern: ", "Just so you know, ",
)  # fmt: skip
_CLOSERS = (
    "", "", "", "", "", "", "Thanks.", "Thank you in advance.", "It's rather urgent.", "No hurry, though.",
    "{person} told me to ask.", "I asked on {day} already.", "You can ring me on {number}.",
    "My member number is {number}.", "I'm writing from the bus, so excuse the typing.", "Kind regards.",
)  # fmt: skip

_BEFORE_VOWEL = re.compile(r"\ba (?=[aeio])")
_CHOICE = re.compile(r"\{([^{}]*)\}")


def sentence(intent: str, rng: random.Random) -> tuple[str, str]:
    """What somebody with an intent says: the heart of it, and all of it."""
    heart = _expanded(rng.choice(INTENTS[intent]), rng)
    opener, closer = rng.choice(_OPENERS), _expanded(rng.choice(_CLOSERS), rng)
    said = opener + (heart if opener else _capital(heart))
    return heart, f"{said} {_capital(closer)}" if closer else said


def _expanded(template: str, rng: random.Random) -> str:
    """The template with every choice made, innermost first."""
    text = template
    while found := _CHOICE.search(text):
        text = text[: found.start()] + _chosen(found[1], rng) + text[found.end() :]
    return _BEFORE_VOWEL.sub("an ", text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _chosen(choice: str, rng: random.Random) -> str:
    if choice == "number":
        return str(rng.randrange(100_000, 1_000_000))
    return rng.choice(SLOTS[choice] if choice in SLOTS else choice.split("|"))
