"""Names, places, titles and makes, all made up; the two-part ones are put together from halves."""

LISTED: dict[str, str] = {
    "NAME": (
        "Anselm, Birgit, Cosima, Dario, Elspeth, Farid, Greta, Hakon, Imani, Jorun, Kenji, Lucinda, Marek, "
        "Noemi, Otis, Priya, Quentin, Rosalba, Soren, Tamsin, Ugo, Viveka, Wendell, Ximena, Yannick, Zelda, "
        "Aroha, Bastien, Ciara, Dmitri, Eluned, Florian, Ginevra, Hamza, Ingrid, Jasper, Katya, Leopold, "
        "Mireille, Nikhil, Orla, Pavel, Renske, Stellan, Thandi, Ulrika, Vaughn, Wiebke, Yasmin, Zoltan, "
        "Alma, Bruno, Delphine, Ezra, Fenella, Gwendal, Hedda"
    ),
    "SURNAME": (
        "Halloran, Brandvold, Okonjo, Pereira, Lindqvist, Castellano, Dunmore, Eriksen, Fairweather, "
        "Grimaldi, Hashimoto, Ivanova, Jankowski, Kowalczyk, Lafontaine, Marchetti, Nakagawa, Oyelaran, "
        "Pemberton, Quispe, Rasmussen, Silvestri, Thorvald, Underhill, Vandermeer, Whitlock, Yilmaz, "
        "Zielinski, Ashdown, Bellweather, Carrington, Drexel"
    ),
    "TOWN": (
        "Larkhaven, Brindle Cross, Osmere, Portanova, Kelsvik, Montclair Bay, Drumlea, Sandrigo, Fenwater, "
        "Aldermoor, Vistamar, Thornby, Quarrydale, Saint Oriel, Rostelle, Hexworth, Calder Point, Mirafiore, "
        "Juniper Falls, Westering, Norhaven, Pellworm, Ravensea, Tollgate, Ullsby, Velden Heath, Wickmere, "
        "Yarrowby, Zuidkerk, Esperance Cove"
    ),
    "DAY": ("Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"),
    "PET": ("Waffles, Juniper, Mackerel, Pickles, Otto, Biscotti, Marmalade, Tuppence, Ziggy, Fennel"),
    "EXERCISE": (
        "Pelvic tilt, Bird dog, Cat and cow, Knee hug, Dead bug, Wall sit, Side bridge, Sphinx pose, Heel "
        "slide, Clamshell, Child's pose, Seated twist"
    ),
    "DISH": (
        "Lentil ragout, Chicken mole, Split pea soup, Goulash, Ratatouille, Chickpea stew, Beef rendang, "
        "Caponata, Black bean soup, Sweet potato curry, Braised cabbage, Barley broth"
    ),
    "PLANT": (
        "Catmint, Sea holly, Yarrow, Lamb's ear, Stonecrop, Russian sage, Blue fescue, Evening primrose, "
        "Coneflower, Verbena, Thrift, Hyssop"
    ),
    "TAG": (
        "#turnofstairs, #stepwise, #upthewell, #banisterlove, #flightpath, #stairgazing, #onestepup, "
        "#landingview, #railandtread, #spiraldaily"
    ),
    "GAME": (
        "Silent Auction, Two Clocks, The Lighthouse, Backwards Interview, Counting Sheep, The Last Ferry, "
        "Shadow King, Whispered Recipe, Elevator, Blind Portrait"
    ),
    "PETNAME": ("Nimbo, Pebble, Skerry, Ash, Drizzle, Moth, Sorrel, Gull, Thimble, Smudge, Loam, Halyard"),
    "PAINT": (
        "Raw umber, Cerulean, Naples yellow, Terre verte, Indigo, Quinacridone rose, Burnt sienna, Cobalt "
        "teal, Ivory black, Buff titanium"
    ),
    "METHOD": (
        "Shoe box cards, Room walking, Story chains, Sticky labels, Echo reading, Picture grids, Verb "
        "ladders, Reverse diary, Song gaps, Word pairs"
    ),
    "DRINK": (
        "Garden Fizz, Smoked Plum, Thyme Collins, Pear Sparkle, Quince Cooler, Cold Verbena, Rhubarb Spritz, "
        "Ginger Crown, Hibiscus Tall, Apple Shrub"
    ),
    "COMPANYNAME": (
        "Drip & Dry, Second Canopy, The Brolly Bench, Ribwright, Under Cover, Stormhand, Spokes & Silk, "
        "Puddle Works, Dry Heads, Fold Again"
    ),
    "AIRLINE": (
        "Aurelis Air, Northlark, Skyferry, Meridian Blue, Halcyon Airways, Polar Wings, Altamar, Cirrus Connect"
    ),
}

PAIRED: dict[str, tuple[str, str]] = {
    "SHOP": (
        "Tanner's, Bluegate, Corner Loft, Hollis, Marlow's, Kitewood, Old Pier, Peregrine, Sable, Turnstone, "
        "Wrenfield, Osk",
        "Emporium, Market, & Daughters, Supply, Trading, Warehouse, Goods, Depot",
    ),
    "CAFE": (
        "The Copper, The Salty, The Velvet, The Lazy, The Crooked, The Ninth, The Amber, The Humble, The "
        "Paper, The Blue",
        "Ladle, Heron, Lantern, Spoon, Fig, Anchor, Kettle, Magpie, Walnut, Bell, Tram, Pepperpot",
    ),
    "HOTEL": (
        "Hotel, Pension, Villa, Casa, Haus",
        "Miramonte, Seerose, Belvarda, Calendula, Tramonto, Linnea, Ostrella, Fontanel, Aurikel, Marisol",
    ),
    "COMPANY": (
        "Harrow, Pinecrest, Tidewater, Larch, Meridian, Foxglove, Bright Harbour, Quill, Stonebridge, Ember, Nordvik",
        "Partners, Services, Works, Group, Brothers, Collective, Bureau",
    ),
    "STUDIO": (
        "Still, Willow, Open, Cedar, Low Tide, Paper, Ember, North Light, Clay",
        "Studio, House, Loft, Room, Yard, Barn",
    ),
    "SALON": (
        "Snip, Velvet, Shear, Copper, Mop, Razor",
        "& Comb, Parlour, Theory, Corner, Social, Club",
    ),
    "SCHOOL": (
        "Ashgrove, Wexcombe, Harlington, Saint Brannoc, Merrivale, Kingsferry",
        "College, Polytechnic, Institute, Night School",
    ),
    "STREET": (
        "Tanyard, Lantern, Juniper, Cobbler, Mill Race, Orchard, Saddler, Weaver, Quay, Belfry, Foundry, Larkspur",
        "Street, Lane, Row, Hill, Square, Terrace",
    ),
    "TITLE": (
        "The Glass, A Borrowed, The Quiet, Seven, The Last, The Salt, Midnight, The Paper, An Honest, The "
        "Hollow, Winter's",
        "Orchard, Harbour, Clockmaker, Ferries, Testament, Garden, Cartographer, Meridian, Lighthouse, "
        "Bridges, Sparrow",
    ),
    "BAND": (
        "The Velour, Static, Copper, Midnight, Paper, The Tidal, Electric, Lonesome",
        "Foxes, Orchard, Telegraph, Ministry, Weather, Parade, Hounds, Canal",
    ),
    "BRAND": (
        "Tor, Vel, Quan, Hal, Mar, Zeph, Ost, Brin, Kel, Lum",
        "vane, dora, tek, mark, sson, ira, well, ovic, ando",
    ),
    "CAR": (
        "Velora, Tamsen, Orion, Brask, Kestra, Monteo",
        "Lynx, Estate, Sierra, Comet, Duo, Alpine, Wagon, Pico",
    ),
}
