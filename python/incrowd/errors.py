"""Refusals, with the same codes and messages as on the command line; hints name keyword arguments.

>>> import incrowd
>>> try:
...     incrowd.diagnose(incrowd.sample(rows=100), qi=["height"])
... except incrowd.ReadError as refusal:
...     print(refusal.code, refusal.explain().name)
IC407 unknown-column
"""

from __future__ import annotations

import json
import warnings
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._codes import Code

__all__ = [
    "AskError",
    "IncrowdError",
    "IncrowdWarning",
    "Infeasible",
    "Leak",
    "NotFound",
    "ReadError",
    "ReleaseError",
    "Unverified",
]


class IncrowdWarning(UserWarning):
    """A warning to read before using an answer."""


class IncrowdError(Exception):
    """A refusal or an error."""

    #: The stable code, such as ``IC407``.
    code: str
    #: What is wrong. Never a cell's value.
    message: str
    #: The remedy; empty if the message already says it.
    hint: str
    #: The facts behind the refusal, if any.
    facts: list[dict[str, Any]]

    def __init__(self, code: str, message: str, hint: str = "", facts: list[dict[str, Any]] | None = None) -> None:
        said = f"[{code}] {message}" + (f"\n  hint: {hint}" if hint else "")
        super().__init__(said)
        self.code, self.message, self.hint, self.facts = code, message, hint, facts or []

    def explain(self) -> Code:
        """The meaning of the code: what it is, why it matters and what to do."""
        from ._codes import explain

        return explain(self.code)

    def __reduce__(self) -> tuple[type[IncrowdError], tuple[str, str, str, list[dict[str, Any]]]]:
        return type(self), (self.code, self.message, self.hint, self.facts)


class ReadError(IncrowdError):
    """A table could not be read or written (``IC4xx``)."""


class AskError(IncrowdError):
    """The request is invalid (``IC5xx``): a role, a hierarchy, a plan, a model or a query."""


class ReleaseError(IncrowdError):
    """A problem with a release (``IC6xx``)."""


class Infeasible(ReleaseError):
    """No release of this table meets the policy (``IC601``). ``facts`` has the reasons, each with a remedy."""


class NotFound(ReleaseError):
    """A release that meets the policy was not found, but may exist (``IC625``). ``facts`` has the reasons."""


class Unverified(ReleaseError):
    """The verifier did not accept the release (``IC602``). Nothing was published."""


class Leak(ReleaseError):
    """Removed values were found in the written bytes (``IC603``). Nothing was published."""


_BY_CODE: dict[str, type[IncrowdError]] = {
    "IC601": Infeasible,
    "IC602": Unverified,
    "IC603": Leak,
    "IC625": NotFound,
    # An invalid option of the command line is an invalid argument in Python.
    "IC626": AskError,
    "IC627": AskError,
}
_BY_HUNDRED: dict[str, type[IncrowdError]] = {"IC4": ReadError, "IC5": AskError, "IC6": ReleaseError}


def _raised(code: str, message: str, hint: str, facts: str | None = None) -> IncrowdError:
    """The exception for a refusal of the native half."""
    kind = _BY_CODE.get(code) or _BY_HUNDRED.get(code[:3]) or IncrowdError
    return kind(code, message, hint, json.loads(facts) if facts else None)


def _warn(words: str) -> None:
    """A warning of the native half."""
    warnings.warn(words, IncrowdWarning, stacklevel=3)
