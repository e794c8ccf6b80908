"""The drawing of a page, looked at through cytoscape.js itself, which keeps it at its element."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 20
"""Seconds that a page is given to become what is expected of it, on a machine that is busy."""

CANVAS = "document.querySelector('.graph-canvas')"
CY = f"{CANVAS}._cyreg.cy"


def eventually(page: Any, check: Callable[[], None]) -> None:
    """Repeat a check until its assertions hold; after PATIENCE seconds the last failure counts.

    What a page does upon an event it may do frames later: a look at once sees the state before.
    """
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return check()
        except AssertionError:
            if time.monotonic() > end:
                raise
        page.wait_for_timeout(50)


def fits(page: Any, width: int) -> None:
    """Wait until nothing has to be scrolled sideways in a window so wide (CSS pixels)."""

    def no_wider() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    eventually(page, no_wider)


def whole_groups(page: Any) -> None:
    """Assert that no group of pages in the header is cut; the logo leads home, too."""
    nav = page.get_by_role("navigation", name="Pages")
    box = nav.bounding_box()
    for link in nav.get_by_role("link").all():
        if link.is_visible():
            own = link.bounding_box()
            assert own["x"] >= box["x"]
            assert own["x"] + own["width"] <= box["x"] + box["width"] + 0.5


class Drawing:
    """Reads what is drawn; selectors are cytoscape's, such as `edge[kind = 'RELATION'].on-path`."""

    def __init__(self, page: Any) -> None:
        self._page = page

    def has(self, count: int, selector: str) -> None:
        """Wait until so many elements match, or fail."""
        self._wait(f"s => {CY}.elements(s).length", selector, count)

    def settled(self) -> None:
        """Wait until nothing moves any more."""
        self._wait(f"() => {CY}.animated() || {CY}.nodes().some(n => n.animated())", None, False)

    def _ask(self, script: str, what: Any = None) -> Any:
        """Ask the drawing, once there is one: a page draws when its data have come."""

        def drawn() -> None:
            # asked from here: the pages' policy refuses what wait_for_function does
            assert self._page.evaluate(f"Boolean({CANVAS}?._cyreg?.cy)"), "nothing is drawn"

        eventually(self._page, drawn)
        return self._page.evaluate(script, what)

    def _wait(self, script: str, what: Any, wanted: Any) -> None:
        def as_wanted() -> None:
            assert self._ask(script, what) == wanted, what

        eventually(self._page, as_wanted)
        self._page.wait_for_timeout(50)

    def ids(self, selector: str) -> set[str]:
        found = self._ask(f"s => {CY}.elements(s).map(e => e.id())", selector)
        return set(found)

    def style(self, selector: str, name: str) -> str:
        return str(self._ask(f"([s, n]) => {CY}.elements(s).style(n)", [selector, name]))

    def zoom(self) -> float:
        return float(self._ask(f"{CY}.zoom()"))

    def pan(self) -> tuple[float, float]:
        pan = self._ask(f"{CY}.pan()")
        return pan["x"], pan["y"]

    def places(self) -> dict[str, tuple[float, float]]:
        """Where each node is in the graph, rounded, whatever part of it the view shows."""
        found = self._ask(f"{CY}.nodes().map(n => [n.id(), n.position()])")
        return {id_: (round(at["x"], 3), round(at["y"], 3)) for id_, at in found}

    def cut(self) -> dict[str, float]:
        """How many CSS pixels of a shown label lie left or right of the drawing, by node."""
        found = self._ask(
            f"""{CY}.nodes().filter(n => !n.hasClass('mute') && !n.hasClass('later')).map(n => {{
                const others = {{ includeNodes: false, includeEdges: false, useCache: false }};
                const box = n.renderedBoundingBox({{ ...others, includeUnderlays: false }});
                return [n.id(), Math.max(-box.x1, box.x2 - {CY}.width())];
            }})"""
        )
        return {id_: pixels for id_, pixels in found if pixels > 0}

    def covered(self) -> list[tuple[str, str]]:
        """Return the shown labels that a node lies upon, each by its node, with that node.

        A node that is drawn below the label's covers nothing of it.
        """
        found = self._ask(
            f"""() => {{
                const shown = {CY}.nodes().not('.later');
                const options = {{ includeEdges: false, includeUnderlays: false, useCache: false }};
                const height = n => Number(n.style('z-index'));
                const box = (n, more) => n.renderedBoundingBox({{ ...options, ...more }});
                const meet = (a, b, least) => Math.min(a.x2, b.x2) - Math.max(a.x1, b.x1) > least
                    && Math.min(a.y2, b.y2) - Math.max(a.y1, b.y1) > least;
                return shown.not('.mute').toArray().flatMap(n => shown.toArray()
                    .filter(m => m !== n && height(m) >= height(n))
                    .filter(m => meet(box(n, {{ includeNodes: false }}),
                        box(m, {{ includeLabels: false }}), 2))
                    .map(m => [n.id(), m.id()]));
            }}"""
        )
        return [(label, node) for label, node in found]

    def heaped(self) -> list[tuple[str, str]]:
        """Return the words of edges that lie upon other words, each with those."""
        found = self._ask(
            f"""() => {{
                const told = {CY}.elements().not('.later').filter(e => e.style('label')
                    && Number(e.style('text-opacity')) > 0);
                const box = e => e.renderedBoundingBox({{ includeNodes: false, includeEdges: false,
                    includeUnderlays: false, useCache: false }});
                const meet = (a, b) => Math.min(a.x2, b.x2) - Math.max(a.x1, b.x1) > 2
                    && Math.min(a.y2, b.y2) - Math.max(a.y1, b.y1) > 2;
                return told.edges().toArray().flatMap(e => told.toArray()
                    .filter(o => o !== e && meet(box(e), box(o)))
                    .map(o => [e.style('label'), o.style('label')]));
            }}"""
        )
        return [(words, other) for words, other in found]

    def shape(self) -> float:
        """How much wider than high the nodes lie."""
        at = self.places().values()
        xs, ys = [x for x, _ in at], [y for _, y in at]
        return float((max(xs) - min(xs)) / (max(ys) - min(ys)))

    def on_page(self, id_: str) -> tuple[float, float]:
        """Where a node is on the page, for the mouse."""
        return self._at(f"id => {CY}.getElementById(id).renderedPosition()", id_)

    def middle(self, selector: str) -> tuple[float, float]:
        """Where the middle of the first edge that matches is on the page."""
        return self._at(f"s => {CY}.edges(s)[0].renderedMidpoint()", selector)

    def _at(self, script: str, what: str) -> tuple[float, float]:
        self._page.locator(".graph").scroll_into_view_if_needed()
        self._page.wait_for_timeout(200)  # until cytoscape has seen that the page scrolled
        box = self._page.locator(".graph-canvas").bounding_box()
        at = self._ask(script, what)
        return box["x"] + at["x"], box["y"] + at["y"]
