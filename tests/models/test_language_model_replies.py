"""What a language model wrote, read: without its thoughts, as the object that was asked for."""

import json

import pytest
from pydantic import BaseModel

from clew_models.language_model import begins_as_json, read_object, without_thoughts

THOUGHT = 'I must reply {"name": "a name"}.'


class Named(BaseModel):
    name: str


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("Oslo", "Oslo"),
        (f"<think>{THOUGHT}</think>Oslo", "Oslo"),
        (f"Okay. {THOUGHT}</think>Oslo", "Oslo"),
        (f"<think>It ends with </think>. {THOUGHT}</think>Oslo", "Oslo"),
        (f"<think>{THOUGHT}", ""),
        (f"Okay.<think>{THOUGHT}", "Okay."),
        ("", ""),
    ],
)
def test_the_reply_is_what_stands_behind_the_thoughts(text: str, reply: str) -> None:
    assert without_thoughts(text) == reply


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```", "<think>Hm.</think>\n{}", " {}"])
def test_the_marks_of_thoughts_are_text_within_json(fence: str) -> None:
    for value in ({"name": "<think> and </think>"}, [{"name": "</think>"}]):
        written = json.dumps(value)
        assert written in without_thoughts(fence.replace("{}", written))


def test_a_reply_begins_as_json_or_with_words() -> None:
    assert all(map(begins_as_json, ["{", " ```json\n{", "[{", "[]", "```\n[ {"]))
    assert not any(map(begins_as_json, ["", "Sure: {", "[1] {", "<think>{", "```json"]))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"name": "Ada"}', "Ada"),
        ('Here it is:\n```json\n{"name": "Ada"}\n```', "Ada"),
        (f'<think>{THOUGHT}</think>\n{{"name": "Ada"}}', "Ada"),
        ('{"name": "Ada\nLind"}', "Ada\nLind"),
        (r'{"name": "Ada \ud83d!"}', "Ada ?!"),
        (r'{"name": "Ada \ud83d\ude00"}', "Ada 😀"),
    ],
)
def test_an_object_is_read_whatever_stands_around_it(text: str, name: str) -> None:
    assert read_object(text, Named).name == name


@pytest.mark.parametrize(
    "text",
    ["", "Ada", '{"name": 7}', '{"name": "Ada"', f"<think>{THOUGHT}", '{"name":' * 100_000 + "}"],
)
def test_what_is_no_such_object_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        read_object(text, Named)
