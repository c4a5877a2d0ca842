"""Hierarchies: the tree of a column's values and their generalizations.

>>> import incrowd
>>> hierarchy = incrowd.Hierarchy("flu;lung;*\\npneumonia;lung;*\\nulcer;stomach;*\\n")
>>> hierarchy.leaves, hierarchy.height, hierarchy.levels
(3, 2, [3, 2, 1])
>>> ages = incrowd.build_hierarchy(incrowd.sample(rows=1000), "age", [5, 10, 20])
>>> ages.height
4
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from . import _incrowd
from .errors import AskError

__all__ = ["Hierarchy"]


class Hierarchy:
    """One line per value, ``value;level 1;…;*``, checked when it is made.

    It lists the values of the column: protect it like the table. ``ragged`` allows lines of different lengths.
    """

    #: The lines of its file.
    text: str
    #: Whether lines may have different lengths.
    ragged: bool
    #: The number of values.
    leaves: int
    #: The number of levels of generalization.
    height: int
    #: The number of labels at each level, values first.
    levels: list[int]

    def __init__(self, text: str, *, ragged: bool = False) -> None:
        told = json.loads(_incrowd.read_hierarchy(text, ragged))
        self.text, self.ragged = text, ragged
        self.leaves, self.height = told["leaves"], told["height"]
        self.levels = told["levels"]

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, ragged: bool = False) -> Hierarchy:
        """Reads a hierarchy from its file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise AskError("IC501", f"{path}: the hierarchy could not be read", "check the path") from error
        return cls(text, ragged=ragged)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes its file."""
        Path(path).write_text(self.text, encoding="utf-8")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.levels))
        return f"<incrowd.Hierarchy: {self.leaves} values, {self.height} levels, labels by level {sizes}>"
