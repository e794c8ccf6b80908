"""Base forms without a tagger."""

import pytest

from clew_ingest.triples.predicates import noun_base, verb_base

VERBS = """
was:be born:bear has:have did:do went:go became:become wrote:write written:write writing:write
founded:found found:find published:publish created:create located:locate released:release
based:base named:name called:call directed:direct starred:star starring:star married:marry
moved:move moving:move died:die dying:die lies:lie lying:lie plays:play studied:study
studies:study won:win led:lead made:make making:make held:hold held:hold played:play
established:establish produced:produce recorded:record received:receive served:serve
performed:perform appeared:appear appointed:appoint acquired:acquire retired:retire
visited:visit edited:edit cited:cite invited:invite united:unite executed:execute
planned:plan stopped:stop occurred:occur referred:refer controlled:control controls:control
determined:determine joined:join explained:explain continued:continue argued:argue
settled:settle ruled:rule killed:kill filed:file failed:fail revealed:reveal competed:compete
developed:develop shaped:shape hoped:hope needed:need exceeded:exceed superseded:supersede
succeeded:succeed changed:change belonged:belong managed:manage designed:design
reached:reach reaches:reach passes:pass passed:pass focuses:focus used:use using:use
is:be 's:be sings:sing singing:sing brought:bring included:include includes:include
features:feature featured:feature toured:tour restored:restore considered:consider
decided:decide avoided:avoid invaded:invade noted:note voted:vote seen:see seeing:see
begun:begin ran:run running:run getting:get arose:arise endorsed:endorse focused:focus
""".split()  # noqa: SIM905


@pytest.mark.parametrize("pair", VERBS)
def test_base_form_of_a_verb(pair: str) -> None:
    form, base = pair.split(":")
    assert verb_base(form) == base
    if base != "found":  # also the past of "find"
        assert verb_base(base) == base, "a base form stays"


@pytest.mark.parametrize(
    ("form", "base"),
    [
        ("cities", "city"),
        ("members", "member"),
        ("churches", "church"),
        ("boxes", "box"),
        ("series", "series"),
        ("campus", "campus"),
        ("class", "class"),
        ("basis", "basis"),
    ],
)
def test_singular_of_a_noun(form: str, base: str) -> None:
    assert noun_base(form) == base
    assert noun_base(base) == base


def test_curly_apostrophes_are_apostrophes() -> None:
    assert verb_base("’s") == "be"
