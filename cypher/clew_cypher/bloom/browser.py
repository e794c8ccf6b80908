"""For those without Bloom: a guide and a style sheet for Neo4j Browser, with the same queries."""

from html import escape

from clew_cypher.bloom.perspective import LOOKS
from clew_cypher.bloom.queries import PHRASES, query_text
from clew_cypher.kinds import BOOKKEEPING
from clew_cypher.schema import LABELS, RELATIONSHIPS


def browser_guide(values: dict[str, str] | None = None) -> str:
    """Return a guide for ``:play``: an HTML page whose slides hold the queries, ready to be run.

    ``values``: of parameters, by name, for ``:param``; others are to be filled in.
    """
    values = values or {}
    slides = [_intro()]
    for phrase in PHRASES:
        told = "\n".join(
            f":param {one.name} => {_quoted(values.get(one.name, one.key or 'id, id'))};"
            for one in phrase.parameters
        )
        slides.append(
            f"<slide><h3>{escape(phrase.words)}</h3><p>{escape(phrase.description)}</p>"
            f"{_runnable(told)}{_runnable(query_text(phrase.statement))}</slide>"
        )
    body = "\n".join(slides)
    opening = '<article class="guide"><carousel class="deck container-fluid">'
    return f"{opening}\n{body}\n</carousel></article>\n"


def browser_style() -> str:
    """Return a style sheet for ``:style`` (GraSS): the colours and captions of the perspective."""
    declared = {label.name: label for label in LABELS}
    rules = ['node { color: #A5ABB6; caption: "{name}"; }']
    # later rules win where a node has several labels
    for look in reversed(LOOKS):
        caption = declared[look.label].caption if look.label in declared else "name"
        size = round(50 * look.size)
        rules.append(
            f"node.{look.label} {{ color: {look.color}; diameter: {size}px; "
            f'caption: "{{{caption}}}"; }}'
        )
    rules.append(f'node.{BOOKKEEPING} {{ color: #D9D9D9; diameter: 20px; caption: "{{name}}"; }}')
    for kind in RELATIONSHIPS:
        caption = f"{{{kind.caption}}}" if kind.caption else "<type>"
        rules.append(f'relationship.{kind.name} {{ color: #A5ABB6; caption: "{caption}"; }}')
    return "\n".join(rules) + "\n"


def _intro() -> str:
    return (
        "<slide><h3>Clew in Neo4j Browser</h3><p>Click a query to bring it into the editor. First "
        "the parameters, then the query. The style sheet of the same download colours the kinds "
        "of things and captions triples as they are written.</p></slide>"
    )


def _runnable(text: str) -> str:
    return f'<pre class="pre-scrollable code runnable">{escape(text)}</pre>'


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
