"""Words that the rules know: pronouns, and nouns that say what kind of thing a subject is."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSONAL = _words("he him his himself she her hers herself")
NEUTRAL = _words("it its itself")
PLURAL = _words("they them their theirs themselves")
RELATIVE = _words("who whom whose which that")
PRONOUNS = PERSONAL | NEUTRAL | PLURAL | RELATIVE
PRONOUNS |= _words(
    """i me my mine myself we us our ours ourselves you your yours yourself this these those one
    ones some any many few all both each other others another none most much such what whoever
    whatever something anything nothing everything someone anyone everyone nobody there here
    several everybody anybody somebody half so where when why how"""
)
"""Words that are never an argument by themselves."""

QUANTIFIERS = _words("many several few other all both most each")
"""Words that are no argument by themselves, but belong to the phrase that they begin."""

PERSON_NOUNS = _words(
    """actor actress singer player king queen prince princess emperor duke earl bishop pope
    priest saint lawyer model poet chef nurse coach captain general judge mathematician
    scholar pianist guitarist footballer wrestler boxer cricketer rapper activist businessman
    businesswoman woman man boy girl son daughter wife husband brother sister father mother
    politician comedian president minister senator governor mayor knight monk composer artist
    architect dancer hero character member host star drummer athlete god goddess deity"""
)
PERSON_ENDINGS = ("er", "or", "ist", "ian", "man", "woman", "ess")
THING_NOUNS = _words(
    """newspaper river number theater theatre order paper center power chapter border tower water
    territory harbor quarter cover thriller semester computer printer container helicopter
    motor sector error tractor corridor floor album film song single series show city town
    village county country state region district company band group team club novel book game
    magazine journal school university organization organisation party island mountain lake
    building software language species genus church station airport bridge road highway event
    war battle festival award ship agency museum park stadium label episode play musical opera
    poem"""
)
GROUP_NOUNS = _words(
    """band group team duo trio quartet family company club orchestra people tribe brothers
    sisters party army force police crew choir society"""
)
GENERIC = THING_NOUNS | _words(
    """movie newspaper river theater theatre programme program network service site institution
    college hospital airline firm corporation brand model aircraft vessel version organisation
    municipality province community suburb neighborhood neighbourhood settlement region area
    project tournament competition league season conference treaty act law court system
    publication"""
)

SAME = tuple(
    frozenset(group.split())
    for group in (
        "community village town city municipality settlement place hamlet suburb borough township",
        "song single track piece tune ballad recording",
        "album record release soundtrack",
        "film movie picture documentary drama comedy thriller",
        "series show sitcom programme program",
        "company firm corporation business chain brand manufacturer retailer",
        "band group duo trio quartet ensemble orchestra",
        "school university college institution academy institute",
        "journal magazine publication newspaper periodical",
        "book novel work play story",
        "station facility building structure",
        "organization organisation association agency party",
        "ship vessel boat submarine",
        "river stream tributary",
        "area region appellation",
        "tournament competition event championship season",
    )
)
