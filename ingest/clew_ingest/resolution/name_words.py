"""The words that names are compared with: titles, legal forms, numbers, abbreviations."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


MALE_TITLES = _words("mr sir king prince lord duke count baron emperor father brother")
FEMALE_TITLES = _words(
    "mrs ms miss lady queen princess dame duchess countess baroness empress sister"
)
MARRIED_TITLES = frozenset({"mrs", "lady"})
"""Titles that a wife bears with her husband's name ("Mrs. John Smith", "Lady Byron")."""

PEERAGE = _words("lord lady baron baroness count countess duke duchess earl viscount marquess")
"""Titles that pass from one bearer to the next."""

TITLES = (
    MALE_TITLES
    | FEMALE_TITLES
    | PEERAGE
    | _words(
        "dr doctor prof professor rev reverend pope saint st president senator sen governor gov "
        "congressman congresswoman representative rep chancellor minister premier mayor judge "
        "justice general gen colonel col captain capt major maj lieutenant lt sergeant sgt "
        "admiral adm commander corporal cardinal bishop archbishop coach hon"
    )
)
"""Words in front of a person's name that are no part of it."""

LEGAL_FORMS = {
    "inc": "inc",
    "incorporated": "inc",
    "corp": "corp",
    "corporation": "corp",
    "ltd": "ltd",
    "limited": "ltd",
    "co": "co",
    "company": "co",
    "llc": "llc",
    "llp": "llp",
    "plc": "plc",
    "gmbh": "gmbh",
    "ag": "ag",
    "nv": "nv",
    "bv": "bv",
    "oyj": "oyj",
    "spa": "spa",
}
"""Legal forms at the end of an organisation's name, each with its short spelling."""

GENERATIONS = {
    "jr": "jr",
    "junior": "jr",
    "sr": "sr",
    "senior": "sr",
    "elder": "sr",
    "younger": "jr",
}
"""Words at the end of a person's name that tell father and son apart."""

SPELLINGS = {
    "&": "and",
    "theatre": "theater",
    "centre": "center",
    "harbour": "harbor",
    "colour": "color",
    "defence": "defense",
    "organisation": "organization",
    "univ": "university",
    "dept": "department",
    "intl": "international",
    "bros": "brothers",
    "ave": "avenue",
    "vs": "versus",
}
"""Spellings of one word, which are compared as one."""

FIRST_SPELLINGS = {"st": "saint", "ste": "sainte", "mt": "mount", "ft": "fort"}
"""Abbreviations that stand at the beginning of a name ("St" at the end is a street)."""

NUMBER_WORDS = {
    word: str(value)
    for value, words in enumerate(
        (
            "one first",
            "two second",
            "three third",
            "four fourth",
            "five fifth",
            "six sixth",
            "seven seventh",
            "eight eighth",
            "nine ninth",
            "ten tenth",
            "eleven eleventh",
            "twelve twelfth",
            "thirteen thirteenth",
            "fourteen fourteenth",
            "fifteen fifteenth",
            "sixteen sixteenth",
            "seventeen seventeenth",
            "eighteen eighteenth",
            "nineteen nineteenth",
            "twenty twentieth",
        ),
        start=1,
    )
    for word in words.split()
}
"""Numbers and ordinals in words, with their value."""

SMALL_WORDS = _words(
    "of the and for in on at to a an de la le du des der den von van di da del y et und"
)
"""Words that initials and acronyms often leave out."""

GENERIC_WORDS = _words(
    "academy agency airlines airport american army association bank battle board british "
    "bureau center central church city club college commission committee company congress "
    "corporation council county court department district division east eastern european "
    "federal federation film football force foundation french games general german government "
    "group high hospital house institute international island islands lake league library "
    "magazine major market minister ministry museum national navy new north northern office "
    "old orchestra order organization party press radio records republic river royal saint "
    "school senate series service show society south southern state states station street "
    "studios supreme team television theater tournament union united university west western "
    "world"
)
"""Words that name no organisation or place by themselves, so that none is joined by one alone."""

ORGANISATION_KINDS = _words(
    "university college school academy institute company corporation group holdings bank airlines "
    "airways records motors industries brothers technologies systems foundation museum magazine "
    "newspaper studios pictures enterprises party club band orchestra railway railroad"
)
"""Words that say of which kind an organisation is, and that texts leave out the second time."""

STATES = {
    name: code
    for code, name in (
        pair.split(":")
        for pair in [
            "al:alabama",
            "ak:alaska",
            "az:arizona",
            "ar:arkansas",
            "ca:california",
            "co:colorado",
            "ct:connecticut",
            "de:delaware",
            "fl:florida",
            "ga:georgia",
            "hi:hawaii",
            "id:idaho",
            "il:illinois",
            "in:indiana",
            "ia:iowa",
            "ks:kansas",
            "ky:kentucky",
            "la:louisiana",
            "me:maine",
            "md:maryland",
            "ma:massachusetts",
            "mi:michigan",
            "mn:minnesota",
            "ms:mississippi",
            "mo:missouri",
            "mt:montana",
            "ne:nebraska",
            "nv:nevada",
            "nh:new hampshire",
            "nj:new jersey",
            "nm:new mexico",
            "ny:new york",
            "nc:north carolina",
            "nd:north dakota",
            "oh:ohio",
            "ok:oklahoma",
            "or:oregon",
            "pa:pennsylvania",
            "ri:rhode island",
            "sc:south carolina",
            "sd:south dakota",
            "tn:tennessee",
            "tx:texas",
            "ut:utah",
            "vt:vermont",
            "va:virginia",
            "wa:washington",
            "wv:west virginia",
            "wi:wisconsin",
            "wy:wyoming",
            "dc:district of columbia",
            "uk:united kingdom",
            "us:united states",
        ]
    )
}
"""Regions behind a comma with their postal codes: "Portland, OR" is "Portland, Oregon"."""

WHOLE_NAMES = {
    ("us",): ("united", "states"),
    ("usa",): ("united", "states"),
    ("united", "states", "of", "america"): ("united", "states"),
    ("uk",): ("united", "kingdom"),
    ("ussr",): ("soviet", "union"),
    ("un",): ("united", "nations"),
    ("eu",): ("european", "union"),
}
"""Names of places and organisations that texts shorten without ever saying how."""

QUALIFIER_FAMILIES = {
    word: family
    for family, words in {
        "person": "actor actress singer musician politician footballer author writer poet rapper "
        "artist painter director composer wrestler boxer born cricketer swimmer explorer",
        "org": "band group company magazine newspaper club team label school duo orchestra channel",
        "place": "city town village river state county country district island mountain lake region"
        " province municipality",
        "work": "film album song novel book series play musical show game opera comic comics manga "
        "soundtrack episode ep single franchise anime tv video",
        "event": "battle tournament war election season",
    }.items()
    for word in words.split()
}
"""Words in the brackets behind a title, and the family of types that they tell."""

OPPOSITES = tuple(
    frozenset(words.split())
    for words in (
        "north south east west central northern southern eastern western northeast northwest "
        "southeast southwest",
        "upper lower middle",
        "old new",
        "men mens women womens boys girls",
        "senior junior youth",
        "father mother son daughter brother sister",
        "inner outer",
        "great lesser little greater",
        "republican democratic",
    )
)
"""Words of which one name can hold one only: names that differ in two of a set differ."""

DIVISIONS = _words("county township parish district province borough university airport")
"""Words that make another thing of a place's name."""

PARTS = _words("women womens ladies youth junior juniors reserves non anti former vice deputy")
"""Words that make another thing of any name."""

NICKNAMES = tuple(
    frozenset(names.split())
    for names in (
        "william bill billy will",
        "robert bob bobby rob",
        "richard dick rick",
        "james jim jimmy",
        "john jack johnny",
        "thomas tom tommy",
        "joseph joe joey",
        "michael mike mick",
        "charles charlie chuck",
        "edward ed eddie ted",
        "henry harry hank",
        "david dave",
        "daniel dan danny",
        "samuel sam sammy",
        "benjamin ben",
        "anthony tony",
        "matthew matt",
        "christopher chris",
        "stephen steven steve",
        "elizabeth liz beth betty",
        "margaret peggy maggie meg",
        "katherine catherine kate kathy",
        "theodore ted teddy",
        "frederick fred",
        "alexander alex",
        "andrew andy",
        "gregory greg",
        "lawrence larry",
        "timothy tim",
        "kenneth ken",
    )
)
"""Given names that one person can go by."""
