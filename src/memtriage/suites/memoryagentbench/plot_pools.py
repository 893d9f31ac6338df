"""Plots of adventure novels in the making: what happens at each stage, told at length and as a point of a summary.

Each stage has alternatives, and each alternative a sentence of the novel and a point. `[brackets]` mark the phrases of
the sentence that carry the point. The gaps: `HERO` (with `he`, `him`, `his`), `FOE`, `ALLY`, `ELDER` and `RIVAL`,
`HOME`, `CITY`, `ISLE` and `FORT`, and `PRIZE`, the thing that everybody wants.
"""

from __future__ import annotations

Stage = tuple[tuple[str, str], ...]

MAIN: tuple[Stage, ...] = (
    (
        (
            "[{HERO} kept the ferry house at {HOME}], alone since both parents had died, and wanted nothing more.",
            "{HERO} runs the ferry house at {HOME} alone after the parents' death.",
        ),
        (
            "At that time [{HERO} was the youngest bell-founder of {HOME}] and owed money to half the town.",
            "{HERO} is a young bell-founder in {HOME} and deep in debt.",
        ),
        (
            "[{HERO} copied deeds for the notary of {HOME}] by day and forged signatures for pleasure by night.",
            "{HERO} is a copyist in {HOME} who forges signatures at night.",
        ),
    ),
    (
        (
            "One night a dying courier crawled to the door and [put {PRIZE} into the hands of {HERO}].",
            "A dying courier entrusts {PRIZE} to {HERO}.",
        ),
        (
            "Behind the plaster of the old kiln [{HERO} found {PRIZE}], wrapped in a flag that nobody knew.",
            "{HERO} finds {PRIZE} hidden in a wall.",
        ),
        (
            "By a mistake of the mail office [{HERO} was sent {PRIZE}], which had been meant for somebody long dead.",
            "{PRIZE} reaches {HERO} by a mistake of the mail.",
        ),
    ),
    (
        (
            "[{ELDER} told {HERO} that {PRIZE} could open the vault of {FORT}], and wanted it thrown into the sea.",
            "{ELDER} explains that {PRIZE} opens the vault of {FORT}.",
        ),
        (
            "With one look [{ELDER} knew that {PRIZE} proved who owned {FORT}], and closed the shutters.",
            "{ELDER} recognises {PRIZE} as the proof of who owns {FORT}.",
        ),
    ),
    (
        (
            "Before the week was over [{FOE} came to {HOME} with forty riders] and asked for {PRIZE} by name.",
            "{FOE} arrives in {HOME} with riders and demands {PRIZE}.",
        ),
        (
            "[{FOE} bought up every debt in {HOME}] and let it be known that {PRIZE} would settle them all.",
            "{FOE} buys up the debts of {HOME} and will only take {PRIZE} for them.",
        ),
    ),
    (
        (
            "When {HERO} refused, [{FOE} had {HOME} set on fire], and by morning only the chapel stood.",
            "{FOE} burns {HOME} down when {HERO} refuses.",
        ),
        (
            "For that refusal [{FOE} had {ELDER} hanged from the mill] in front of all {HOME}.",
            "{FOE} has {ELDER} hanged in {HOME}.",
        ),
    ),
    (
        (
            "[{HERO} fled {HOME} in a coffin maker's cart], under a lid with holes drilled in it.",
            "{HERO} escapes from {HOME} hidden in a coffin.",
        ),
        (
            "[{HERO} left {HOME} over the frozen river] at night, and the ice closed behind {him}.",
            "{HERO} escapes from {HOME} across the frozen river.",
        ),
    ),
    (
        (
            "In the salt caravans [{HERO} met {ALLY}, who had deserted from the riders of {FOE}] and trusted nobody.",
            "{HERO} meets {ALLY}, a deserter from {FOE}'s riders.",
        ),
        (
            "[{ALLY} pulled {HERO} out of a bog], robbed {him} of a purse, and then decided to come along.",
            "{ALLY} rescues and robs {HERO}, then joins the journey.",
        ),
    ),
    (
        (
            "To pay for the passage to {CITY}, [{ALLY} sold the last of the horses] and went the rest barefoot.",
            "{ALLY} sells the last horse to pay for the way to {CITY}.",
        ),
        (
            "On the pass above {CITY} [an avalanche buried the guides], and {HERO} dug {ALLY} out alive.",
            "An avalanche kills the guides, and {HERO} saves {ALLY}.",
        ),
    ),
    (
        (
            "In {CITY} [the scholar {RIVAL} read the writing on {PRIZE}] and kept one line of it back.",
            "{RIVAL}, a scholar in {CITY}, reads the writing on {PRIZE} but hides one line.",
        ),
        (
            "In {CITY} [{RIVAL} claimed to be the rightful owner of {PRIZE}] and brought the case before the judges.",
            "{RIVAL} claims {PRIZE} before the judges of {CITY}.",
        ),
    ),
    (
        (
            "[{HERO} won a place in the guild of {CITY}] by an examination of three days, and was safe for a winter.",
            "{HERO} is admitted to the guild of {CITY} and is safe for a winter.",
        ),
        (
            "All that winter [{HERO} worked in the prison kitchens of {CITY}] under a false name.",
            "{HERO} hides in the prison kitchens of {CITY} under a false name.",
        ),
    ),
    (
        (
            "In spring [{HERO} and {ALLY} were married by a drunken ship's captain], with a nail bent into a ring.",
            "{HERO} and {ALLY} get married by a ship's captain.",
        ),
        (
            "In spring [{ALLY} and {HERO} swore an oath of blood], and they cut a coin in two for a token.",
            "{HERO} and {ALLY} swear an oath of blood and share a coin.",
        ),
    ),
    (
        (
            "That summer [{RIVAL} sold their hiding place to {FOE}] for a purse of gold.",
            "{RIVAL} betrays the hiding place to {FOE} for gold.",
        ),
        (
            "That summer [{RIVAL} exchanged {PRIZE} for a copy] while the house was asleep, and took it to {FOE}.",
            "{RIVAL} swaps {PRIZE} for a copy and brings the real one to {FOE}.",
        ),
    ),
    (
        (
            "[{ALLY} was taken prisoner on the bridge of {CITY}] and brought to {FORT} in chains.",
            "{ALLY} is captured in {CITY} and taken to {FORT}.",
        ),
        (
            "In the fight on the stairs [{ALLY} lost the left hand], and the surgeons of {CITY} gave up hope.",
            "{ALLY} loses a hand in the fight and nearly dies.",
        ),
    ),
    (
        (
            "[{HERO} sailed for {ISLE} on a plague ship], since no other would take {him}.",
            "{HERO} sails to {ISLE} on a plague ship.",
        ),
        (
            "[{HERO} was sold to the pearl divers of {ISLE}] and spent nine months under water.",
            "{HERO} is sold to the pearl divers of {ISLE}.",
        ),
    ),
    (
        (
            "In the archive of {ISLE} [{HERO} learned that {FOE} was the elder child of the same father].",
            "{HERO} learns on {ISLE} that {FOE} is a half-sibling.",
        ),
        (
            "On {ISLE} an old nun swore that [{HERO} was the lost heir of {FORT}], and had the birthmark to prove it.",
            "{HERO} turns out to be the lost heir of {FORT}.",
        ),
    ),
    (
        (
            "[{HERO} raised an army of salt workers on {ISLE}] with nothing but a promise and a borrowed drum.",
            "{HERO} raises an army of salt workers on {ISLE}.",
        ),
        (
            "[{HERO} won the fleet of {ISLE} at a game of chess] that lasted four days.",
            "{HERO} wins the fleet of {ISLE} in a game of chess.",
        ),
    ),
    (
        (
            "The crossing went badly: [half of the ships were lost in a storm off {CITY}], and the powder was wet.",
            "A storm off {CITY} destroys half of the ships.",
        ),
        (
            "Before the walls of {CITY} [the hired soldiers mutinied], and {HERO} had to give them the silver.",
            "The hired soldiers mutiny before {CITY} and are paid off.",
        ),
    ),
    (
        (
            "Full of remorse, [{RIVAL} opened the water gate of {FORT} from inside] and was shot on the threshold.",
            "{RIVAL} repents, opens the gate of {FORT} and is shot.",
        ),
        (
            "To undo the harm, [{RIVAL} poisoned the officers of {FORT} at their own table] and drank with them.",
            "{RIVAL} repents and dies poisoning the officers of {FORT}.",
        ),
    ),
    (
        (
            "In the vault of {FORT} there was no gold, [only the names of all who had been sold as slaves].",
            "The vault of {FORT} holds no gold but the names of those sold as slaves.",
        ),
        (
            "When the vault of {FORT} was opened, [there was nothing in it but seed grain], a hundred years old.",
            "The vault of {FORT} holds nothing but old seed grain.",
        ),
    ),
    (
        (
            "On the roof of {FORT} [{FOE} fell to death while reaching for {PRIZE}], which {HERO} held over the edge.",
            "{FOE} falls to death at {FORT} while reaching for {PRIZE}.",
        ),
        (
            "[{HERO} beat {FOE} in a duel with oars on the moat of {FORT}] and then would not strike the last blow.",
            "{HERO} defeats {FOE} in a duel at {FORT} but spares {FOE}'s life.",
        ),
    ),
    (
        (
            "[{HERO} broke {PRIZE} in two and threw it into the sea], as should have been done at the very beginning.",
            "{HERO} destroys {PRIZE} and throws it into the sea.",
        ),
        (
            "[{HERO} gave {PRIZE} to the orphans of {CITY}], who used it as a toy.",
            "{HERO} gives {PRIZE} to the orphans of {CITY}.",
        ),
    ),
    (
        (
            "In the end [{HERO} went back to {HOME} and built a new house by the river], with {ALLY} for company.",
            "{HERO} returns to {HOME} with {ALLY} and builds a house by the river.",
        ),
        (
            "In the end [{HERO} refused the crown of {FORT}] and was last seen walking north with {ALLY}.",
            "{HERO} refuses to rule {FORT} and walks away with {ALLY}.",
        ),
    ),
)

SIDE: tuple[tuple[Stage, ...], ...] = (
    (
        (
            (
                "Meanwhile [a twin sister of {ALLY} was searching the hospitals of {CITY}] with a torn drawing.",
                "{ALLY}'s twin sister searches the hospitals of {CITY}.",
            ),
        ),
        (
            (
                "[The twin of {ALLY} was mistaken for {ALLY}] and flogged in the market of {CITY}.",
                "The twin is mistaken for {ALLY} and flogged in {CITY}.",
            ),
            (
                "[The twin of {ALLY} took service as a cook with {FOE}] to be near the prisons.",
                "The twin takes service as a cook with {FOE}.",
            ),
        ),
        (
            (
                "After three years [the twins met on the stairs of {FORT}] and did not know each other at first.",
                "The twins find each other at {FORT}.",
            ),
        ),
    ),
    (
        (
            (
                "At the same time [the printer's widow of {HOME} began to print a secret newspaper] against {FOE}.",
                "A widow in {HOME} prints a secret newspaper against {FOE}.",
            ),
        ),
        (
            (
                "[The press of the widow was found in a beehive and smashed], and she went on by hand.",
                "The widow's press is found and smashed, but she goes on.",
            ),
            (
                "[The widow's own son reported her to {FOE}] for a pair of boots.",
                "The widow is reported to {FOE} by her own son.",
            ),
        ),
        (
            (
                "It was [the widow's last newspaper that made {CITY} rise] against its garrison.",
                "The widow's last newspaper makes {CITY} rise.",
            ),
        ),
    ),
    (
        (
            (
                "In those years [a drought emptied the wells around {CITY}], and the bakers were guarded by soldiers.",
                "A drought strikes the country around {CITY}.",
            ),
        ),
        (
            (
                "[{FOE} had the river dammed above {CITY}] and sold the water by the cup.",
                "{FOE} dams the river and sells the water.",
            ),
            (
                "[A child prophet led four hundred people from {CITY} into the hills], and nine came back.",
                "A child prophet leads hundreds from {CITY} into the hills, and few return.",
            ),
        ),
        (
            (
                "On the day of the victory [rain fell on {CITY} for the first time in two years].",
                "Rain returns to {CITY} on the day of the victory.",
            ),
        ),
    ),
)

PRIZES = (
    "the iron seal, the glass key, the drowned man's ledger, the ivory whistle, the map on sealskin, the blind clock, "
    "the queen's thimble, the black compass, the singing bowl, the lead crown, the copper tongue, the seven-sided coin"
)
