"""Slides: each is told by its number, with a title or without, and all that it shows is read."""

import io
from typing import Any

from clew_ingest.limits import IngestLimits
from clew_ingest.reading.read_document import ReadDocument, each_place
from clew_ingest.reading.readers import read

_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def presentation() -> Any:
    from pptx import Presentation

    return Presentation()


def box(slide: Any, text: str, inches: float = 1.0) -> Any:
    from pptx.util import Inches

    frame = slide.shapes.add_textbox(Inches(1), Inches(inches), Inches(5), Inches(1)).text_frame
    frame.text = text
    return frame


def document(deck: Any) -> ReadDocument:
    target = io.BytesIO()
    deck.save(target)
    return read(target.getvalue(), "x.pptx", IngestLimits()).documents[0]


def placed(deck: Any) -> list[tuple[str, int, str]]:
    """Return the paragraphs with the number of their slide and their heading."""
    found = document(deck)
    texts = found.text.split("\n\n")
    places = each_place(found.places, len(texts))
    return [(text, one.page, one.heading) for text, one in zip(texts, places, strict=True)]


def test_each_text_is_known_to_be_of_its_slide_and_under_its_title() -> None:
    """What stands on a slide without a title stood under that of the slide before."""
    deck = presentation()
    first = deck.slides.add_slide(deck.slide_layouts[5])
    first.shapes.title.text = "Fleet"
    first.shapes.title.top = 6_000_000
    box(first, "Three tugs.")
    box(deck.slides.add_slide(deck.slide_layouts[6]), "A slide without a title.")
    last = deck.slides.add_slide(deck.slide_layouts[5])
    last.shapes.title.text = "Crew"
    box(last, "Nine people.")
    assert document(deck).title == "Fleet"
    assert placed(deck) == [
        ("Three tugs.", 1, "Fleet"),
        ("A slide without a title.", 2, ""),
        ("Crew", 3, "Crew"),
        ("Nine people.", 3, "Crew"),
    ]


def test_what_stands_on_every_slide_is_left_out() -> None:
    deck = presentation()
    layout = deck.slide_layouts[6]
    slide = deck.slides.add_slide(layout)
    box(slide, "Three tugs.")
    for mark in layout.placeholders:
        slide.shapes.clone_placeholder(mark)
    for shape in slide.placeholders:
        shape.text_frame.text = "Not for others, 7"
    assert len(list(slide.placeholders)) == 3
    assert document(deck).text == "Three tugs."


def test_numbers_above_the_line_and_lines_are_kept_apart() -> None:
    deck = presentation()
    frame = box(deck.slides.add_slide(deck.slide_layouts[6]), "In 2019")
    for text, raised in (("1", "30000"), (" it had 5 m", "0"), ("2", "30000"), (" or so", "")):
        run = frame.paragraphs[0].add_run()
        run.text = text
        if raised:
            run.font._element.set("baseline", raised)
    frame.paragraphs[0].add_line_break()
    frame.paragraphs[0].add_run().text = "of <land>."
    assert document(deck).text == "In 2019¹ it had 5 m² or so\nof <land>."


def test_the_texts_of_a_diagram_are_read() -> None:
    from lxml import etree
    from pptx.opc.package import Part
    from pptx.opc.packuri import PackURI
    from pptx.util import Inches

    deck = presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    data = (
        f'<d:dataModel xmlns:d="{_DIAGRAM}" xmlns:a="{_DRAWING}"><d:ptLst>'
        + "".join(
            f"<d:pt><d:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></d:t></d:pt>"
            for text in ("Build", "Launch")
        )
        + "</d:ptLst></d:dataModel>"
    )
    part = Part(
        PackURI("/ppt/diagrams/data1.xml"),
        "application/vnd.openxmlformats-officedocument.drawingml.diagramData+xml",
        deck.part.package,
        data.encode(),
    )
    name = slide.part.relate_to(part, f"{_OFFICE}/diagramData")
    frame = slide.shapes.add_table(1, 1, Inches(1), Inches(1), Inches(1), Inches(1))._element
    graphic = frame.graphic.graphicData
    graphic.set("uri", _DIAGRAM)
    for child in list(graphic):
        graphic.remove(child)
    etree.SubElement(graphic, f"{{{_DIAGRAM}}}relIds", {f"{{{_OFFICE}}}dm": name})
    assert document(deck).text == "Build\n\nLaunch"
