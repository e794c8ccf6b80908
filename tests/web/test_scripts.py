"""The pages' scripts: what one uses of another it imports, also where only an error gets there."""

import re
from pathlib import Path

import pytest

import clew_web

SCRIPTS = {
    path.name: re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", path.read_text(), flags=re.DOTALL)
    for path in sorted((Path(clew_web.__file__).parent / "static" / "js").glob("*.js"))
}
EXPORT = re.compile(r"^export (?:async )?(?:function\*?|const|class) (\w+)", re.MULTILINE)
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";', re.MULTILINE)
EXPORTS = {name: set(EXPORT.findall(text)) for name, text in SCRIPTS.items()}
EXPORTED = set[str]().union(*EXPORTS.values())


def imports(text: str) -> list[tuple[str, str, str]]:
    """Return what is imported: the name there, the name here, the script."""
    found = []
    for names, script in IMPORT.findall(text):
        for each in filter(None, map(str.strip, names.split(","))):
            there, _, here = each.partition(" as ")
            found.append((there, here or there, script))
    return found


def undeclared(text: str) -> set[str]:
    """Return what scripts export that this one calls, and neither imports nor declares."""
    here = {own for _, own, _ in imports(text)}
    body = IMPORT.sub("", text)
    missing = set()
    for name in EXPORTED - here:
        called = re.search(rf"(?<![.\w#]){name}\(", body)
        declared = re.search(
            rf"\b(?:function\*?|const|let|class) {name}\b|^ +(?:async |\*)?{name}\([^)]*\) \{{",
            body,
            re.MULTILINE,
        )
        if called and not declared:
            missing.add(name)
    return missing


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_imports_what_it_uses(script: str) -> None:
    text = SCRIPTS[script]
    assert not undeclared(text)
    body = IMPORT.sub("", text)
    for there, here, other in imports(text):
        assert there in EXPORTS[other], f"{other} exports no {there}"
        assert re.search(rf"\b{here}\b", body), f"{here} is imported for nothing"


def test_what_is_missing_is_found() -> None:
    assert undeclared('import { call } from "./rest.js";\nplace.append(errorLine(error));') == {
        "errorLine"
    }
    assert not undeclared('import { errorLine as line } from "./dom.js";\nline(error); a.make();')
