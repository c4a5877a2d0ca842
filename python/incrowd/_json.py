"""From the JSON of the native half to typed objects."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin

from ._compat import optional, type_hints

_T = TypeVar("_T")


@cache
def _hints(cls: type[Any]) -> dict[str, Any]:
    return type_hints(cls)


def _read(kind: Any, value: Any) -> Any:
    """A value of JSON as the type that is declared for it."""
    if value is None:
        return None
    if (present := optional(kind)) is not None:
        return _read(present, value)
    if get_origin(kind) is list:
        return [_read(get_args(kind)[0], one) for one in value]
    if is_dataclass(kind) and isinstance(kind, type):
        return made(kind, value)
    return value


def made(cls: type[_T], value: dict[str, Any]) -> _T:
    """An answer from JSON. Keys that are not declared stay in ``json``."""
    said = {}
    for one in fields(cls):  # type: ignore[arg-type]
        if one.name == "json":
            said["json"] = value
        elif one.name in value:
            said[one.name] = _read(_hints(cast(Any, cls))[one.name], value[one.name])
    return cls(**said)


def parsed(cls: type[_T], text: str) -> _T:
    """An answer from the text of its JSON."""
    return made(cls, json.loads(text))
