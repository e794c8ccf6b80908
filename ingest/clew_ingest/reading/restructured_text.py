"""reStructuredText to Markdown, by Docutils. What Sphinx and others add to it is no error: the text
of their directives and roles stays, whatever they are called.
"""

import re
from functools import cache
from typing import Any

from clew_ingest.reading.html_page import markdown_of

_DIRECTIVE = re.compile(
    r"^[ \t]*\.\. (?:\|[^|\n]+\| )?([a-z][\w:.+-]*)::", re.IGNORECASE | re.MULTILINE
)
_ROLE = re.compile(r":([a-z][\w:.+-]*):`|`:([a-z][\w:.+-]*):", re.IGNORECASE)
_NAMED = re.compile(r"(.+?)\s*<[^<>]+>\Z", re.DOTALL)
"""A role's text and what it leads to."""
_NO_TEXT = frozenset(
    {
        *("contents", "currentmodule", "default-domain", "default-role", "highlight", "include"),
        *("index", "literalinclude", "meta", "module", "raw", "sectionauthor", "sectnum"),
        *("tabularcolumns", "toctree"),
    }
)
"""Directives that say what is to be done, or shown from elsewhere."""
_SERIES = frozenset({"pep", "rfc"})
"""Roles of documents that are called by a number, for which Docutils takes no other text."""
_OF_VERSIONS = {
    "versionadded": "Added in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
"""How Sphinx writes what is given a version."""
_CONDITIONS = frozenset({"ifconfig", "only"})
"""Directives whose text is shown on a condition."""
LONGEST_LINE = 100_000
"""Characters of a line; Docutils leaves a text with a longer one."""
_SETTINGS = {
    "_disable_config": True,
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,  # what is wrong in it is read as it stands
    "halt_level": 5,
    "line_length_limit": LONGEST_LINE,
    "warning_stream": False,
    "syntax_highlight": "none",
    "math_output": "LaTeX",
    "embed_stylesheet": False,
    "stylesheet_path": None,
    "section_self_link": False,
    "toc_backlinks": False,
    "footnote_backlinks": False,
}


def read_rst(text: str, *, titled: bool = False) -> tuple[str, str]:
    """Return the title of a text in reStructuredText, "" where it has none, and its Markdown.

    ``titled``: it has one already; its one highest heading is a heading then.
    """
    from bs4 import BeautifulSoup
    from docutils.core import publish_parts

    _make_known(text)
    settings = _SETTINGS | {"doctitle_xform": not titled}
    parts = publish_parts(text, writer="html5", settings_overrides=settings)
    soup = BeautifulSoup(parts["body"], "html.parser")
    for mark in soup(class_=["label", "admonition-title"]):  # of a footnote, and of a note
        if (said := mark.find_next_sibling()) is not None and said.name == "p":
            colon = ": " if "admonition-title" in mark["class"] else " "
            said.insert(0, mark.extract().get_text() + colon)
    for said in soup("dd"):  # of a term
        if len(inside := said(True, recursive=False)) == 1 and inside[0].name == "p":
            inside[0].unwrap()
    return BeautifulSoup(parts["title"], "html.parser").get_text(), markdown_of(soup)


def _make_known(text: str) -> None:
    """Register what the text has of directives and roles that Docutils does not know."""
    from docutils.parsers.rst import directives, roles
    from docutils.parsers.rst.languages import en

    directive = _directive()
    for name in set(map(str.lower, _DIRECTIVE.findall(text))):
        if name in _NO_TEXT or name not in en.directives:
            directives.register_directive(name, directive)
    for name in {one.lower() for found in _ROLE.findall(text) for one in found if one}:
        if name in _SERIES or name not in en.roles:
            roles.register_local_role(name, _told)


def _told(role: str, raw: str, text: str, *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
    """Make what a role says plain text: "the C API" of :ref:`the C API <c-api>`."""
    from docutils import nodes
    from docutils.utils import unescape

    said = unescape(text)
    if role.lower() in _SERIES and said.isdecimal():
        said = f"{role.upper()} {said}"
    elif named := _NAMED.match(said):
        said = named[1]
    elif said.startswith("~"):
        said = said.rsplit(".", 1)[-1]
    return [nodes.inline(raw, said.lstrip("!~"))], []


class _AnyOption(dict[str, Any]):
    """Takes whatever options a directive is given."""

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        return lambda value: value


@cache
def _directive() -> Any:
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Told(Directive):
        """A directive that is not known: what it is given, and what it holds."""

        has_content = True
        optional_arguments = 1
        final_argument_whitespace = True
        option_spec = _AnyOption()

        def run(self) -> list[Any]:
            if self.name in _NO_TEXT:
                return []
            found: list[Any] = []
            if self.arguments and self.name not in _CONDITIONS:
                said, _ = self.state.inline_text(self._given(), self.lineno)
                found.append(nodes.paragraph("", "", *said))
            holder = nodes.container()
            self.state.nested_parse(self.content, self.content_offset, holder, match_titles=True)
            return found + holder.children

        def _given(self) -> str:
            given = str(self.arguments[0])
            if self.name not in _OF_VERSIONS:
                return given
            version, *rest = given.split(maxsplit=1)
            return ": ".join((f"{_OF_VERSIONS[self.name]} {version}", *rest))

    return Told
