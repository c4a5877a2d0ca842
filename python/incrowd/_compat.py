"""What Python 3.9 lacks: keyword-only dataclasses, and ``int | None`` in annotations that are read at run time."""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin, get_type_hints

if TYPE_CHECKING or sys.version_info >= (3, 10):
    from dataclasses import dataclass as dataclass
    from types import UnionType

    UNIONS: tuple[Any, ...] = (Union, UnionType)

    def type_hints(cls: type[Any]) -> dict[str, Any]:
        """The annotations of a class as types."""
        return get_type_hints(cls)

else:
    import dataclasses

    UNIONS = (Union,)

    def _has_default(cls, name):
        value = vars(cls).get(name, dataclasses.MISSING)
        if isinstance(value, dataclasses.Field):
            return (value.default, value.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
        return value is not dataclasses.MISSING

    def dataclass(cls=None, /, *, kw_only=False, **words):
        """A dataclass whose fields may be given by position, too: those with a default come last."""
        if cls is None:
            return lambda cls: dataclass(cls, kw_only=kw_only, **words)
        if kw_only:
            notes = vars(cls).get("__annotations__", {})
            cls.__annotations__ = dict(sorted(notes.items(), key=lambda one: _has_default(cls, one[0])))
        return dataclasses.dataclass(cls, **words)

    class _Unions(ast.NodeTransformer):
        """``a | b`` as ``Union[a, b]``."""

        def visit_BinOp(self, node):
            node = self.generic_visit(node)
            both = ast.Tuple([node.left, node.right], ast.Load())
            return ast.Subscript(ast.Name("Union", ast.Load()), ast.Index(both), ast.Load())

    def type_hints(cls):
        """The annotations of a class as types."""
        hints = {}
        for base in reversed(cls.__mro__):
            names = {**vars(sys.modules[base.__module__]), "Union": Union}
            for name, text in vars(base).get("__annotations__", {}).items():
                tree = ast.fix_missing_locations(_Unions().visit(ast.parse(text, mode="eval")))
                hints[name] = eval(compile(tree, base.__module__, "eval"), names)  # noqa: S307 (our own annotations)
        return hints


def optional(kind: Any) -> Any:
    """The type of a value that may be missing; nothing if the type is not a union."""
    if get_origin(kind) not in UNIONS:
        return None
    return next(one for one in get_args(kind) if one is not type(None))
