"""Tables of web pages, made such that each cell stands below its column's name."""

import copy
import re
from typing import Any

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_WIDEST = 100
_LONGEST_SPANS = {"rowspan": 65_534, "colspan": _WIDEST}
"""What HTML allows, and how wide tables are."""


def with_plain_tables(soup: Any) -> None:
    """Give each table one row of headings, at most, and cells that span nothing; what only places
    things, or gives names their values, is no table any more. ``soup`` is changed.
    """
    _without_layout_tables(soup)
    _without_tables_of_values(soup)
    _with_headed_corners(soup)
    _without_merged_cells(soup)
    for table in soup("table"):
        _without_sections(table)


def _without_layout_tables(soup: Any) -> None:
    """Turn tables that only place things, as e-mails and old pages do, into blocks: what holds a
    heading or another table, or has one cell a row.
    """
    for table in soup("table"):
        single = all(len(row(["td", "th"], recursive=False)) < 2 for row in _rows(table))
        if single or table.find(["table", *_HEADINGS]) or table.get("role") == "presentation":
            table.attrs["data-layout"] = "yes"
    for table in soup("table", attrs={"data-layout": "yes"}):
        cells = table(["thead", "tbody", "tfoot", "tr", "td", "th"])
        for part in [table, *(cell for cell in cells if cell.find_parent("table") is table)]:
            part.attrs["data-block"] = "yes"
    for part in soup(attrs={"data-block": "yes"}):
        part.name = "div"


def _without_tables_of_values(soup: Any) -> None:
    """Turn tables of names and their values, as boxes of encyclopedias and properties of wikis are,
    into terms and what is said of them.
    """
    for table in soup("table"):
        rows = [row(["td", "th"], recursive=False) for row in _rows(table)]
        kinds = [[cell.name for cell in row] for row in rows if len(row) > 1]
        if not kinds or any(kind != ["th", "td"] for kind in kinds):
            continue
        for cells in rows:
            for cell in cells:
                cell.name = {"th": "dt", "td": "dd"}[cell.name] if len(cells) > 1 else "div"
                if len(blocks := cell(["p", "div"])) == 1:
                    blocks[0].unwrap()
        for part in table(["thead", "tbody", "tfoot", "tr"]):
            if part.find_parent("table") is table:
                part.name = "div"
        for caption in table("caption"):
            caption.name = "p"
        table.name = "div"


def _with_headed_corners(soup: Any) -> None:
    """Make an empty cell before the headings of a table's first row a heading too: only a row of
    nothing else is taken for its header.
    """
    for row in filter(None, (table.find("tr") for table in soup("table"))):
        corner, *others = row(["td", "th"], recursive=False) or [row]
        if others and {cell.name for cell in others} == {"th"} and not corner.get_text(strip=True):
            corner.name = "th"


def _without_merged_cells(soup: Any) -> None:
    """Repeat a cell in each row that it spans, and a heading in each column; below other cells
    that span columns all but the first are empty.
    """
    for table in soup("table"):
        above: list[tuple[int, Any]] = []
        section = None
        for row in _rows(table):
            if row.parent is not section:
                section, above = row.parent, []
            cells = _parted(row)
            for column, cell in above:
                if column < len(cells):
                    cells[column].insert_before(cell)
                else:
                    row.append(cell)
                cells.insert(column, cell)
            above = []
            for column, cell in enumerate(cells[:_WIDEST]):
                rows = _span(cell, "rowspan")
                if rows > 1:
                    again = copy.copy(cell)
                    again["rowspan"] = str(rows - 1)
                    above.append((column, again))


def _parted(row: Any) -> list[Any]:
    """Return the cells of a row, once those that span columns are several."""
    own = row(["td", "th"], recursive=False)
    heads = len(own) > 1 and all(cell.name == "th" for cell in own)
    cells = []
    for cell in own:
        cells.append(cell)
        for _ in range(1, _span(cell, "colspan")):
            again = copy.copy(cell)
            if not heads:
                again.clear()
            cells[-1].insert_after(again)
            cells.append(again)
    return cells


def _span(cell: Any, name: str) -> int:
    """Return how many rows or columns a cell spans, which is not said of it any more; 0 stands for
    all that follow.
    """
    given = str(cell.attrs.pop(name, "1")).strip()
    longest = _LONGEST_SPANS[name]
    return min(int(given) or longest, longest) if re.fullmatch(r"[0-9]{1,9}", given) else 1


def _rows(table: Any) -> list[Any]:
    return [row for row in table("tr") if row.find_parent("table") is table]


def _without_sections(table: Any) -> None:
    """Join the rows of headings, put what a table is called before it, and drop what groups its
    rows, whose beginnings a converter takes for headings.
    """
    heads = []
    for row in _rows(table)[:-1]:
        cells = row(["td", "th"], recursive=False)
        if not (row.parent.name == "thead" or (cells and all(cell.name == "th" for cell in cells))):
            break
        heads.append((row, cells))
    while len(heads) > 1 and sum(bool(cell.get_text(strip=True)) for cell in heads[0][1]) < 2:
        row, cells = heads.pop(0)
        row.name = "p"
        for cell in cells:
            cell.name = "span"
        table.insert_before(row.extract())
    for row, cells in heads[1:]:
        for above, cell in zip(heads[0][1], cells, strict=False):
            if above.get_text(strip=True) != cell.get_text(strip=True):
                above.extend([" ", *list(cell.contents)])
        row.decompose()
    for cell in heads[0][1] if heads else ():
        cell.name = "th"
    for caption in table("caption"):
        if caption.find_parent("table") is table:
            caption.name = "p"
            table.insert_before(caption.extract())
    for section in table(["thead", "tbody", "tfoot", "colgroup"]):
        if section.find_parent("table") is table:
            section.unwrap()
