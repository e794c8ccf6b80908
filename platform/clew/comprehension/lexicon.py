"""Which class of answer a noun in a question asks for: "which city" a place, "wife" a person."""

from functools import lru_cache
from importlib.resources import files
from typing import Literal

AnswerClass = Literal["PERSON", "PLACE", "ORG", "GROUP", "DATE", "NUMBER", "WORK", "CODE", "CAUSE"]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


NOUNS: dict[AnswerClass, frozenset[str]] = {
    "PERSON": words(
        "person people boy girl mother father parent son daughter child brother sister sibling "
        "husband wife spouse friend uncle aunt cousin nephew niece king queen prince emperor "
        "president premier mayor star celebrity host hero captain chief member poet architect "
        "athlete character monk saint lord duke earl baron head coach cast model nurse actress "
        "hostess waitress princess duchess empress countess baroness heiress governess goddess "
        "assistant accountant consultant servant merchant lieutenant sergeant participant "
        "applicant immigrant tenant attendant descendant inhabitant defendant giant tutor"
    ),
    "PLACE": words(
        "place city town village country state county province district region area location "
        "continent island river lake sea ocean mountain range peak valley neighborhood borough "
        "municipality suburb capital birthplace territory hometown venue stadium airport station "
        "nation kingdom body landmark arena park street port harbour harbor desert coast "
        "bay hall bridge"
    ),
    "ORG": words(
        "company organization organisation band group team club university college school "
        "institution institute label studio network channel party agency publisher firm newspaper "
        "magazine airline manufacturer church hospital museum league union orchestra society army "
        "government station franchise house brand academy library association police "
        "committee bank corporation developer foundation "
    ),
    "GROUP": words("nationality language religion tribe ethnicity race people denomination"),
    "DATE": words("year date day month decade century time era season birthday period"),
    "NUMBER": words(
        "number population amount percentage percent height length distance area size age depth "
        "speed cost price weight rank ranking score total temperature code seat "
        "times capacity width value rate share cut fee interest salary budget revenue fine "
        "limit maximum minimum max min cap quota threshold ratio fraction "
        "torque pressure voltage frequency volume mass density efficiency duration dose dosage "
        "concentration rent allowance deposit discount wage fare toll"
    ),
    "WORK": words(
        "film movie song album book novel play opera poem series show game title single episode "
        "story painting memoir musical symphony track soundtrack comedy drama piece ballet "
        "magazine newspaper anthem sculpture biography"
    ),
    "CODE": words(
        "version release flag option parameter argument variable field email e-mail url link port "
        "identifier id address key number code gate endpoint header path file command annotation"
    ),
    "CAUSE": words("cause reason"),
}
"""The classes by their nouns (lemmas). A noun may be in several classes."""

PERSON_ENDINGS = ("er", "or", "ist", "ian", "eer", "man", "woman")
"""How nouns for people end ("composer"), tried where NOUNS does not know the noun."""

NOT_PEOPLE = words(
    "number chapter order river water paper letter center centre tower power motor factor sector "
    "color colour flower computer answer matter cover silver border corner quarter winter summer "
    "weather ester timber theater theatre liver fever finger shoulder cluster copper disorder "
    "laser former layer cancer mirror terror error meteor reactor server container browser router "
    "controller scheduler compiler parser header folder buffer pointer register printer scanner "
    "sensor processor adapter adaptor connector helper wrapper loader linker filter timer trigger "
    "counter meter handler listener resolver balancer identifier parameter modifier specifier "
    "placeholder transformer converter charger monitor cursor vector tensor operator selector "
    "descriptor constructor iterator accelerator generator indicator calculator elevator "
    "refrigerator calendar newsletter disclaimer waiver offer transfer poster banner sticker "
    "drawer trailer freezer dinner supper butter sugar pepper dollar manor minor floor door anchor "
    "harbor armor vapor humor labor rumor odor flavor honor behavior interior exterior semester "
    "trimester barrier carrier tier frontier supercomputer shelter gender slider cylinder powder "
    "ladder feather leather lever diameter perimeter thermometer"
)
"""Nouns with such an ending that are no people, or more often tools than people."""

DURATION, RECURRENCE = "DURATION", "SET"
"""The types of a span of time, "12 years", and of how often, "twice a year" (values)."""

WH = words("who whom whose what which where when how why")
"""With which one asks."""

OF_NO_ONE = words(
    "agm aob api asap atm bbq cctv ceo cfo coo cto cv diy dj dvd eta ev faq fyi gp hq hr hvac id "
    "isp it kpi led md mot nda ok pa pc pdf pin pm poa pr qr rsvp sim sla sms sos sql ssl tba tbc "
    "tv ui ups url usb ux vat vip vpn wc wi-fi wifi www"
)
"""Short forms that are usual words, and no names: what they stand for may be told in others."""

CODE = "CODE"
"""The label of what is written to be copied: "v1.22", "--dry-run", an address (candidates)."""

ADDRESSED = {"email": "@", "e-mail": "@", "url": "://", "link": "://"}
NUMBERED = words("version release port number")
"""What is copied has so in it, or a digit, where such a noun asks for it."""

COUNT = "COUNT"
"""The label of a number with the noun that it counts, "300 seats"."""

MEASURES = frozenset({DURATION, RECURRENCE, "MONEY", "PERCENT", "QUANTITY"})
"""Types of numbers that say what they measure: none of them stands for another."""

DEFINITION = "DEFINITION"
"""The label of what something is said to be (definitions)."""

UNITS = words(
    "metre meter centimetre centimeter millimetre millimeter kilometre kilometer m cm mm km mile "
    "yard foot inch gram gramme kilogram milligram g kg mg tonne ton ounce litre liter millilitre "
    "gallon acre hectare degree watt kilowatt megawatt volt ampere hertz knot joule calorie byte "
    "kilobyte megabyte gigabyte terabyte mb gb tb ml cl dl nm bar kpa mpa psi hz khz mhz kv kw mw "
    "db rpm °"
)
"""Units of lengths, weights, volumes and the like, which the parser may not take for such."""

SURE_TYPES = frozenset({"PERSON", "GPE", "NORP", "LANGUAGE"})
"""Types of entities that the parser tells from others most surely."""

WHOLE = frozenset({CODE, DURATION, "MONEY", "QUANTITY"})
"""Types of what is nothing in part, as a number without its unit."""

LABELS: dict[AnswerClass, frozenset[str]] = {
    "PERSON": words("PERSON"),
    "PLACE": words("GPE LOC FAC"),
    "ORG": words("ORG FAC"),
    "GROUP": words("NORP LANGUAGE"),
    "DATE": words("DATE TIME YEAR"),
    "NUMBER": frozenset({"CARDINAL", "ORDINAL", "NUMBER", COUNT, *MEASURES}),
    "WORK": words("WORK_OF_ART PRODUCT EVENT LAW QUOTED"),
    "CODE": frozenset({CODE}),
    "CAUSE": frozenset(),  # no name is one, and no value
}
"""Which entity types of a parse are of a class (spaCy's, and this reader's own)."""

VALUE_LABELS = LABELS["DATE"] | LABELS["NUMBER"]
"""Types of values, which never stand for a name."""

HOW: dict[str, frozenset[str]] = {
    "many": frozenset(),
    "soon": frozenset({DURATION}),
    "quickly": frozenset({DURATION}),
    "fast": frozenset({DURATION, "QUANTITY", COUNT}),
    "much": frozenset({"MONEY", "PERCENT", "QUANTITY", COUNT}),
    "old": frozenset({DURATION, "CARDINAL"}),
    "long": frozenset({DURATION, "QUANTITY", COUNT}),
    "often": frozenset({RECURRENCE}),
    **dict.fromkeys(
        ("tall", "big", "large", "deep", "far", "wide", "heavy", "thick"),
        frozenset({"QUANTITY", COUNT}),
    ),
    "high": frozenset({"QUANTITY", COUNT, "MONEY", "PERCENT"}),
}
"""The adjectives with which "how" asks for a number, and the types that such a number has, of
LABELS; empty: any."""

SUMS = frozenset({"MONEY", "PERCENT", COUNT})
"""The types of a sum of money, or of a share of one; COUNT: "300 euros"."""

MONEY_WORDS = words(
    "euro eur pound gbp dollar usd cent pence penny quid franc chf yen jpy yuan renminbi rupee kr "
    "ruble rouble rand zloty krona krone crown shilling dinar dirham lira baht "
    "cad aud nzd sgd hkd inr cny sek nok dkk pln czk huf zar brl mxn ils krw"
)
"""What sums of money are counted in; of MONEY, the parser leaves some out."""

MEASURED: dict[str, frozenset[str]] = {
    "age": HOW["old"],
    **dict.fromkeys(("percentage", "percent", "share", "cut"), frozenset({"PERCENT"})),
    **dict.fromkeys(
        words("price cost fee fare toll salary budget revenue fine rent allowance deposit wage"),
        SUMS,
    ),
}
"""The types of the number that a noun asks for, where it tells."""

CHARGED = words("cost charge pay earn invoice bill fine")
"""Verbs of which "what" is a sum of money."""

CALLED = words("call name rename nickname title dub")
"""Verbs of which "what" is a name: "What are baby kangaroos called?"."""

GIVEN = words("give award grant offer allow owe ask tell teach")
"""Verbs of which "what" is something else than who receives it: "What are members given?"."""

EXTREMES = words("maximum minimum max min")
"""What makes a number of any noun that it stands before: "the minimum revenue goal"."""

PRICED = words("cost pay spend charge earn price fee salary donate worth sell buy")
"""Words with which "how much" asks for money, or a share."""


def classes_of(noun: str) -> frozenset[AnswerClass]:
    """Return the classes a noun (lemma) asks for; empty: it may be anything."""
    found = frozenset(name for name, nouns in NOUNS.items() if noun in nouns)
    if found or noun in NOT_PEOPLE or len(noun) < 5:
        return found
    return frozenset({"PERSON"}) if noun.endswith(PERSON_ENDINGS) else found


LEAST_DATE = words("first earlier earliest older oldest eldest before")
MOST_DATE = words("later latest younger youngest newer newest last after recently")
LEAST_NUMBER = words(
    "smaller smallest shorter shortest fewer fewest less least lower lowest cheaper cheapest "
    "lighter lightest narrower narrowest shallower shallowest"
)
MOST_NUMBER = words(
    "longer longest larger largest bigger biggest higher highest taller tallest more most deeper "
    "deepest greater greatest dearer dearest pricier costlier heavier heaviest wider widest"
)
"""What comparatives look for: the smaller or greater date or number."""

AT_ORGANISATIONS = words("work study employ teach")
"""What people do at organisations, which "where" asks for then, too."""

NAMED_THINGS = words("ship boat aircraft plane vehicle war battle event award prize medal")
"""Nouns of no class for things that have names of their own."""

SPANS_OF_TIME = words("year month week day hour minute century decade")
BASE_FORMS = {
    "longer": "long",
    "shorter": "long",
    "taller": "tall",
    "higher": "high",
    "lower": "high",
    "deeper": "deep",
    "shallower": "deep",
    "larger": "large",
    "bigger": "big",
    "smaller": "large",
    "wider": "wide",
    "heavier": "heavy",
    "lighter": "heavy",
}
"""Comparatives by what "how" asks for."""

DIMENSIONS = {
    "heavy": "weight",
    "wide": "width",
    "deep": "depth",
    "fast": "speed",
    "old": "age",
    "far": "distance",
    "loud": "noise",
    **dict.fromkeys(("warm", "hot", "cold"), "temperature"),
    **dict.fromkeys(("expensive", "cost"), "price"),
}
"""What a column is called that has how heavy, how wide … something is, beside words of its family
(stems)."""

SETTLEMENTS = words("city town village suburb hometown municipality settlement port")
DISTRICTS = words("state county province district region municipality territory borough")
COUNTRIES = words("country nation kingdom")
OF_COUNTRIES = COUNTRIES | {"nationality"}


@lru_cache(maxsize=1)
def countries() -> frozenset[str]:
    """Return the normalised names of countries (places.txt)."""
    lines = (
        files("clew.comprehension").joinpath("places.txt").read_text(encoding="utf-8").split("\n")
    )
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_of_size(focus: str, key: str) -> bool:
    """Say whether a place can be of the size that a noun asks for: no city is a country."""
    if focus in COUNTRIES:
        return key in countries()
    return not ((focus in DISTRICTS or focus in SETTLEMENTS) and key in countries())
