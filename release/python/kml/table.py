"""Rows that draw themselves: as text on a terminal, as a table in a notebook."""

from __future__ import annotations

from html import escape
from typing import Any, Dict, Iterable, List, Sequence


class Table(List[Dict[str, Any]]):
    """A list of dictionaries. Only `columns` are drawn; pandas.DataFrame(table) has all."""

    def __init__(self, rows: Iterable[Dict[str, Any]], columns: Sequence[str]) -> None:
        super().__init__(rows)
        self.columns = list(columns)

    def _cells(self) -> List[List[str]]:
        return [[_text(row.get(column)) for column in self.columns] for row in self]

    def __repr__(self) -> str:
        lines = [[column.upper() for column in self.columns], *self._cells()]
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip()
                         for line in lines)

    def _repr_html_(self) -> str:
        head = "".join("<th>%s</th>" % escape(column) for column in self.columns)
        body = "".join("<tr>%s</tr>" % "".join("<td>%s</td>" % escape(cell) for cell in cells)
                       for cells in self._cells())
        return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>" % (head, body)


def number(value: Any) -> Any:
    """The value, as a float if it is NaN or infinite: JSON has only texts for these."""
    return float(value) if value in ("NaN", "Infinity", "-Infinity") else value


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return "%.4g" % value
    if isinstance(value, (list, tuple)):
        return ", ".join(_text(item) for item in value)
    return str(value)
