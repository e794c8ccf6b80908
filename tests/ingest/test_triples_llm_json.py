"""What can be read from a language model's reply, however it is written."""

import json

import pytest

from clew_ingest.triples.llm_json import ReadList, read_list

A = {"head": "Ada", "tail": "Oslo"}
B = {"head": "Bo", "tail": "Rome"}
TWO = json.dumps({"triples": [A, B]})


@pytest.mark.parametrize(
    "reply",
    [
        TWO,
        json.dumps([A, B]),
        f"```json\n{TWO}\n```",
        f"Here is the list [as you asked]:\n{TWO}\nI hope that helps [1].",
        f'<think>Perhaps {{"triples": [{{"head": "Wrong"}}]}}?</think>\n{TWO}',
        '{"triples": [' + json.dumps(A) + ",\n" + json.dumps(B) + ",]}",
        '{"note": "x" "triples": [' + json.dumps(A) + json.dumps(B) + "]}",
    ],
)
def test_the_list_is_found(reply: str) -> None:
    assert read_list(reply, "triples") == ReadList((A, B))


@pytest.mark.parametrize(
    "reply", ['{"triples": []}', "[]", "None found: []", '```{"triples":[]}```']
)
def test_an_empty_list_is_a_list(reply: str) -> None:
    assert read_list(reply, "triples") == ReadList(())


def test_wherever_a_reply_is_cut_off_its_whole_items_stay() -> None:
    first = TWO.index("}") + 1
    for end in range(TWO.index("["), len(TWO) - 2):
        read = read_list(TWO[: end + 1], "triples")
        if end + 1 == len(TWO) - 2:
            assert read.items == (A, B)
        else:
            assert read.items == ((A,) if end + 1 >= first else ())
        assert (read.cut_off, read.problem, read.broken) == (True, "", 0)


def test_an_item_that_is_no_json_costs_that_item() -> None:
    reply = f'{{"triples": [{json.dumps(A)}, {{"head": "x" "tail": y}}, {json.dumps(B)}]}}'
    assert read_list(reply, "triples") == ReadList((A, B), broken=1)
    assert read_list('{"triples": [{"head": oops}]}', "triples") == ReadList((), broken=1)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("<think>I wonder", "empty"),
        (f"<think>As in the example, {TWO}. Now the text", "empty"),
        ("I cannot help with that.", "no list"),
        ("HACKED", "no list"),
        ('{"triples": "none"}', "no list"),
        ('{"answer": 4}', "no list"),
        ("42", "no list"),
        ("null", "no list"),
        ("[" * 100_000, "nested too deeply"),
        ('{"triples": ' + "[" * 100_000, "nested too deeply"),
        ('{"triples": [' + '{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_holds_no_list_says_so(reply: str, problem: str) -> None:
    read = read_list(reply, "triples")
    assert read.items == ()
    assert problem in read.problem
