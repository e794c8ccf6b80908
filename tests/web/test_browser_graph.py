"""The drawing of the Ask page in real Chromium: layouts, view, dragging, keys, stages, colours."""

import io
from functools import partial
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from . import conftest
from .drawing import Drawing, eventually, fits
from .recorded_cards import SUBGRAPH
from .recorded_cards import edge as card_edge
from .recorded_cards import node as card_node

ADDRESS = "/ask?corpus=sample&strategy={}&q=Who+founded+the+shipyard+that+built+the+Aurelia%3F"
ACCENTS = {"light": (0xB8, 0x3D, 0x0A), "dark": (0xFF, 0x9C, 0x66)}


@pytest.fixture
def address(app: Any, serve: Any) -> str:
    return str(serve(app))


def drawn(address: str, open_page: Any, strategy: str = "dense", **options: Any) -> Any:
    """Open the page and wait until its drawing holds the surroundings, too, and has settled."""
    page = open_page(address, ADDRESS.format(strategy), **options)
    expect(page.get_by_text("High confidence")).to_be_visible()
    expect(page.locator(".graph-message")).to_contain_text("There is more")
    drawing = Drawing(page)
    drawing.settled()
    return page, drawing


def test_layouts_differ_and_are_the_same_again(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page)
    _, again = drawn(address, open_page)
    assert drawing.places() == again.places()  # nothing in it is random
    seen = [drawing.places()]
    layouts = page.get_by_label("Layout")
    assert layouts.locator("option").all_text_contents() == ["Forces", "Along the thread", "Rings"]
    for name in ("thread", "rings"):
        layouts.select_option(name)
        drawing.settled()
        seen.append(drawing.places())
    assert seen[0] != seen[1] != seen[2] != seen[0]
    along = seen[1]
    assert along["e1"][0] < along["c1"][0] < along["e2"][0] < along["c2"][0]  # as the path goes
    for places in seen:
        assert len(set(places.values())) == len(places)  # none lies upon another


def test_zoom_pan_and_fit(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page)
    zoom, pan = drawing.zoom(), drawing.pan()

    def zoomed(wanted: float) -> None:
        assert drawing.zoom() == pytest.approx(wanted)

    page.get_by_role("button", name="Zoom in").click()
    eventually(page, lambda: zoomed(1.3 * zoom))
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Zoom out").click()
    eventually(page, lambda: zoomed(zoom / 1.3))
    page.get_by_role("button", name="Fit everything").click()
    eventually(page, lambda: zoomed(zoom))
    drawing.settled()
    assert drawing.pan() == pytest.approx(pan)
    box = page.locator(".graph-canvas").bounding_box()
    page.mouse.move(box["x"] + 8, box["y"] + 8)  # the ground, no node
    page.mouse.down()
    page.mouse.move(box["x"] + 58, box["y"] + 38, steps=4)
    page.mouse.up()

    def panned() -> None:
        assert drawing.pan() != pytest.approx(pan, abs=5)

    eventually(page, panned)
    assert drawing.zoom() == pytest.approx(zoom)


def test_the_wheel_scrolls_the_page_and_zooms_with_control(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page)
    page.mouse.move(*drawing.on_page("e1"))
    zoom, before = drawing.zoom(), page.evaluate("scrollY")
    page.mouse.wheel(0, 60)

    def scrolled() -> None:
        assert page.evaluate("scrollY") > before

    eventually(page, scrolled)
    page.wait_for_timeout(400)
    assert drawing.zoom() == zoom
    page.keyboard.down("Control")
    page.mouse.move(*drawing.on_page("e1"))
    page.mouse.wheel(0, -60)
    page.keyboard.up("Control")

    def zoomed() -> None:
        assert drawing.zoom() > zoom

    eventually(page, zoomed)


def test_a_dragged_node_stays_where_it_was_put(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page)
    x, y = drawing.on_page("e4")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 40, y - 30, steps=5)
    page.mouse.up()
    expect(page.locator(".graph-detail")).to_be_hidden()  # to drag is not to press
    put = drawing.places()["e4"]
    page.mouse.click(*drawing.on_page("e1"))
    drawing.has(11, "node")
    drawing.settled()
    assert drawing.places()["e4"] == put


def test_arrows_lead_from_node_to_node(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page)
    page.get_by_label("Layout").select_option("thread")
    drawing.settled()
    keys = page.locator(".graph-keys button")
    expect(keys).to_have_count(7)
    expect(page.locator(".graph-keys button[tabindex='0']")).to_have_count(1)
    page.locator(".graph-keys [data-node=e1]").focus()
    at = drawing.places()
    for _ in range(3):
        before = page.evaluate("document.activeElement.dataset.node")
        page.keyboard.press("ArrowRight")
        after = page.evaluate("document.activeElement.dataset.node")
        assert at[after][0] > at[before][0]
    expect(page.locator(".graph-keys button[tabindex='0']")).to_have_count(1)
    assert drawing.ids("node.focused") == {after}
    page.keyboard.press("Tab")  # out of the drawing
    assert page.evaluate("document.activeElement.dataset.node") is None
    drawing.has(0, "node.focused")


def test_a_pressed_edge_says_what_carries_it(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page, "translator")
    drawing.has(1, "edge[kind = 'RELATION']")  # the card's
    page.mouse.click(*drawing.middle("[kind = 'RELATION']"))
    detail = page.locator(".graph-detail")
    expect(detail).to_contain_text("Aurelia → Seld Shipyard")
    expect(detail).to_contain_text("“was built at”")
    assert drawing.style("edge[kind = 'RELATION']", "label") == "was built at"


def test_stages_are_stepped_through(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page, "translator")
    slider = page.get_by_label("Shown up to stage")
    expect(slider).to_have_value("1")
    expect(page.locator(".graph-stages output")).to_have_text("2 of 2: what clues led to")
    drawing.has(0, ".later")
    shown = page.locator(".graph-keys button")
    everything = shown.count()
    page.get_by_role("button", name="Stage before").click()
    expect(page.locator(".graph-stages output")).to_have_text("1 of 2: the question's names")
    assert drawing.ids("node") - drawing.ids("node.later") == {"e1", "c1"}
    drawing.has(1, "edge[stage = 0]")
    assert drawing.style("edge[stage = 1]", "visibility") == "hidden"
    expect(shown).to_have_count(2)
    expect(page.locator(".graph-keys [data-node=e1]")).to_have_attribute(
        "aria-label", "Entity (organisation): Aurelia, stage 1"
    )
    slider.focus()
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_count(everything)
    assert drawing.ids("node.came") == {"e2", "c2", "s2", "c3"}
    expect(page.get_by_role("button", name="Next stage")).to_be_disabled()
    page.get_by_label("Layout").select_option("stages")
    drawing.settled()
    columns = {id_: x for id_, (x, _) in drawing.places().items()}
    assert columns["e1"] == columns["c1"] < columns["e2"] == columns["s2"] < columns["e4"]


def test_without_stages_there_is_nothing_to_step_through(address: str, open_page: Any) -> None:
    page, _ = drawn(address, open_page)
    expect(page.locator(".graph-stages")).to_be_hidden()


def test_the_drawing_follows_the_theme(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page, color_scheme="light")

    def in_colours_of(scheme: str, other: str) -> None:
        picture = Image.open(io.BytesIO(page.locator(".graph").screenshot())).convert("RGB")
        counted = picture.getcolors(1_000_000)
        assert counted is not None
        colours = {colour for _, colour in counted}
        assert ACCENTS[scheme] in colours, scheme
        assert ACCENTS[other] not in colours, scheme

    def light_again() -> None:
        border = drawing.style("node[kind = 'chunk'].on-path", "border-color")
        assert border == "rgb(184,61,10)"

    for scheme, other in (("light", "dark"), ("dark", "light")):
        page.mouse.move(2, 2)
        eventually(page, partial(in_colours_of, scheme, other))
        page.locator("[data-theme-toggle]").click()
    eventually(page, light_again)


def test_reduced_motion_moves_nothing(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page, reduced_motion="reduce")
    before = drawing.places()
    page.get_by_label("Layout").select_option("rings")
    after = drawing.places()  # at once
    assert after != before
    page.wait_for_timeout(600)
    assert drawing.places() == after
    assert drawing.style("node", "transition-duration") in ("0", "0s", "0ms")


def test_labels_do_not_lie_upon_each_other(address: str, open_page: Any) -> None:
    page, drawing = drawn(address, open_page)
    for _ in range(6):
        page.get_by_role("button", name="Zoom out").click()

    def some_muted() -> None:
        assert drawing.ids("node.mute")

    eventually(page, some_muted)
    drawing.settled()
    page.wait_for_timeout(300)
    muted = drawing.ids("node.mute")
    assert "e1" not in muted  # where the question begins keeps its name
    x, y = drawing.on_page(sorted(muted)[0])
    page.mouse.move(x, y)
    drawing.has(1, "node.over")

    def shown() -> None:
        assert drawing.style("node.over", "text-opacity") == "1"

    eventually(page, shown)


@pytest.fixture
def long_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A card whose rows lead from name to sentence to name, all of them as long as they come."""
    nodes = [card_node("e1", "entity", "Aurelia", 0)]
    edges = []
    for row in range(4):
        for column in range(4):
            kind = ("sentence", "entity")[column % 2]
            label = f"Meridian Expedition {row}{column}"
            nodes.append(card_node(f"n{row}{column}", kind, label, 0))
            before = "e1" if column == 0 else f"n{row}{column - 1}"
            edges.append(card_edge(before, f"n{row}{column}", 0, kind="HAS_TAIL"))
    card = {**SUBGRAPH, "nodes": nodes, "edges": edges, "stages": ["all"]}
    monkeypatch.setattr(conftest, "explanation", lambda strategy: [card])


@pytest.mark.usefixtures("long_thread")
@pytest.mark.parametrize("width", [1280, 390])
def test_no_node_lies_on_a_label(address: str, open_page: Any, width: int) -> None:
    page, drawing = drawn(address, open_page, "translator")
    page.set_viewport_size({"width": width, "height": 900})

    def clear() -> None:
        assert drawing.covered() == []
        assert drawing.cut() == {}
        assert "e1" not in drawing.ids("node.mute")

    for layout in ("force", "thread", "rings"):
        page.get_by_label("Layout").select_option(layout)
        drawing.settled()
        eventually(page, clear)
    page.get_by_role("button", name="Zoom out").click()
    page.get_by_role("button", name="Fit everything").click()
    eventually(page, clear)


@pytest.mark.parametrize("strategy", ["dense", "translator"])
def test_a_phone_holds_the_drawing(address: str, open_page: Any, strategy: str) -> None:
    page, drawing = drawn(address, open_page, strategy)
    wide = drawing.zoom()
    page.set_viewport_size({"width": 360, "height": 740})

    def fitted_again() -> None:
        fits(page, 360)
        assert drawing.zoom() < wide
        for id_ in drawing.ids("node"):
            x, y = drawing.on_page(id_)
            box = page.locator(".graph-canvas").bounding_box()
            assert box["x"] < x < box["x"] + box["width"]
            assert box["y"] < y < box["y"] + box["height"]

    eventually(page, fitted_again)


@pytest.fixture
def long_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names as a corpus has them, as long as a drawing shows them or longer."""
    names = {
        "Victor Ferrand": "Grand Duchess Eleonora of Anselburg",
        "Seld Shipyard": "Meridian Expedition of 1874",
        "1874": "the fourteenth of March 1874",
        "Port Ansel": "Port Ansel and its old harbour",
        "Hestrel Observatory": "Hestrel Observatory on Mount Corvay",
    }
    whole = conftest.node

    def named(id_: str, kind: Any, label: str) -> conftest.GraphNode:
        return whole(id_, kind, names.get(label, label))

    monkeypatch.setattr(conftest, "node", named)


@pytest.mark.usefixtures("long_names")
@pytest.mark.parametrize("where", ["an answer", "the explorer"])
def test_no_label_is_cut_on_a_phone(address: str, open_page: Any, where: str) -> None:
    phone = {"width": 390, "height": 844}
    if where == "an answer":
        page, drawing = drawn(address, open_page, "translator")
        page.set_viewport_size(phone)
    else:
        page = open_page(address, "/graph?corpus=sample")
        page.set_viewport_size(phone)
        drawing = Drawing(page)
        page.get_by_label("Entity", exact=True).fill("aurelia")
        page.get_by_role("button", name="Draw").click()
        drawing.has(5, "node")
    drawing.settled()

    def whole() -> None:
        assert drawing.cut() == {}

    eventually(page, whole)
    for layout in ("force", "thread", "rings"):
        page.get_by_label("Layout").select_option(layout)
        drawing.settled()
        eventually(page, whole)
        for id_ in sorted(drawing.ids("node")):  # one that is looked at has all its words
            page.locator(f".graph-keys [data-node={id_}]").focus()
            assert drawing.ids("node.focused") == {id_}
            eventually(page, whole)


@pytest.fixture
def talked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of which many triples say much, as a town of a corpus has them."""
    hub = conftest.node("e1", "entity", "Aurelia")
    around = [conftest.node(f"n{row}", "entity", f"Place {row}") for row in range(24)]
    edges = [
        conftest.GraphEdge(source="e1", target=node.id, kind="RELATION", text=f"was built at {row}")
        for row, node in enumerate(around)
    ]
    graph = conftest.Graph(nodes=(hub, *around), edges=tuple(edges), truncated=False)
    monkeypatch.setattr(conftest.FakeClew, "neighbourhood", lambda *_, **__: graph)


@pytest.mark.usefixtures("talked_about")
def test_what_edges_say_lies_on_nothing(address: str, open_page: Any) -> None:
    page = open_page(address, "/graph?corpus=sample&from=Aurelia")
    drawing = Drawing(page)
    drawing.has(24, "edge.near")
    drawing.settled()

    def clear() -> None:
        assert drawing.heaped() == []

    eventually(page, clear)
    assert drawing.ids("edge.near") - drawing.ids("edge.hushed")  # where there is room, it is said
    hushed = sorted(drawing.ids("edge.hushed"))
    assert hushed
    page.mouse.move(*drawing.middle(f"[id = '{hushed[0]}']"))
    drawing.has(1, "edge.over")
    assert drawing.style("edge.over", "text-opacity") == "1"


@pytest.mark.usefixtures("talked_about")
def test_a_wide_drawing_is_filled(address: str, open_page: Any) -> None:
    page = open_page(address, "/graph?corpus=sample&from=Aurelia")
    drawing = Drawing(page)
    drawing.has(24, "edge.near")
    drawing.settled()
    assert drawing.shape() > 1.5  # a star that is drawn in a box nearly three times as wide as high
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_label("Layout").select_option("rings")
    page.get_by_label("Layout").select_option("force")
    drawing.settled()
    assert drawing.shape() < 1.5


def test_the_legend_says_what_is_drawn(address: str, open_page: Any) -> None:
    page, _ = drawn(address, open_page, "translator")
    expect(page.locator(".legend")).to_contain_text("Path of the evidence")
    page = open_page(address, "/graph?corpus=sample&from=Aurelia")
    Drawing(page).has(5, "node")
    expect(page.locator(".legend")).to_contain_text("Entity")
    expect(page.locator(".legend")).not_to_contain_text("Path")
    page = open_page(address, "/graph?corpus=sample&chunk_ids=c1&entity_ids=e1")
    Drawing(page).has(7, "node")
    expect(page.locator(".legend")).to_contain_text("Path")
    expect(page.locator(".legend")).not_to_contain_text("cited")
