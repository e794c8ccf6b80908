import time
from itertools import pairwise

import pytest

from clew_ingest.parsing.identifiers import CODE, identifiers
from clew_ingest.parsing.parser import Parser


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Send C-1107 (the tunic) back with LS-2517.", ["C-1107", "LS-2517"]),
        ("INC-2025-031 hit quay-pay-01.", ["INC-2025-031", "quay-pay-01"]),
        ("K-03/K-04 hang in E07, beside BAT10", ["K-03", "K-04", "E07", "BAT10"]),
        ("PO/2025/12 is for 231-G-2118.", ["PO/2025/12", "231-G-2118"]),
        (
            "Call eth_chainId(max_fee_per_gas), GAS_PER_BLOB; reslug_organisation[a,b] or chainId.",
            ["eth_chainId", "max_fee_per_gas", "GAS_PER_BLOB", "reslug_organisation", "chainId"],
        ),
        ("an iPhone, eBay, macOS, an _important_ YouTube video, a_1, 2_000, report_final.pdf", []),
        ("a 6-minute walk in the mid-1990s, a 20-year-old, the 21st", []),
        ("12-MAR-2025, Q3-2025, FY25, 2025/26, 24/7", []),
        ("EUR300, USD2,500, 10kWh, 6pm, A4, 3-D, B2B", []),
        ("see A.2, B.3.1, XV.24 and 4.2", []),
        ("x@b-22.com, http://a.b/AB-12, C-12_plan.pdf, v2.1.0", []),
        ("", []),
    ],
)
def test_what_stands_for_one_thing_is_found(text: str, found: list[str]) -> None:
    assert [text[start:end] for start, end in identifiers(text)] == found


@pytest.mark.parametrize("run", ["a_", "a-", "A1-", "1/", "A", "aaaB"])
def test_a_long_run_is_read_at_once(run: str) -> None:
    started = time.process_time()
    assert list(identifiers(run * 50_000 + ".x")) == []
    assert time.process_time() - started < 1


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Code: C-1102; Description: Wolf-fur greatcoat; Rack: 4.", "C-1102"),
        ("Loan: 12; Costume: C-1608; Who: Tern Bay Playhouse.", "C-1608"),
        ("We sent C-1107 back to Mr Arkwright.", "C-1107"),
        ("After INC-2025-031 the server quay-pay-01 was replaced.", "quay-pay-01"),
    ],
)
def test_an_identifier_is_an_entity_whatever_the_recogniser_takes_it_for(
    parser: Parser, text: str, code: str
) -> None:
    (parsed,) = parser.parse([text])
    mentions = [one for sentence in parsed.sentences for one in sentence.mentions]
    assert (code, CODE) in [(one.surface, one.type) for one in mentions]
    spans = sorted((one.start, one.end) for one in mentions)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))


def test_a_name_that_holds_an_identifier_stays_whole(parser: Parser) -> None:
    (parsed,) = parser.parse(["The treaty was signed at the COP-21 Climate Conference in Paris."])
    (sentence,) = parsed.sentences
    types = {one.surface: one.type for one in sentence.mentions}
    assert types["Paris"] == "GPE"
    assert [name for name in types if "COP-21" in name]


def test_a_question_names_what_it_asks_for_by_its_identifier(parser: Parser) -> None:
    assert "quay-pay-01" in parser.question_mentions("who mended quay-pay-01 in March?")
