"""Refusals: why there is no answer, with the same codes, words and ways out as the command line's.

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
    from .codes import Code

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
    """Something a person should read before relying on an answer."""


class IncrowdError(Exception):
    """Why there is no answer."""

    #: The stable code, such as ``IC407``.
    code: str
    #: What is the matter. Never a cell's value.
    message: str
    #: The way out; empty when the message says it already.
    hint: str
    #: The facts behind the refusal, where there are some.
    facts: list[dict[str, Any]]

    def __init__(self, code: str, message: str, hint: str = "", facts: list[dict[str, Any]] | None = None) -> None:
        said = f"[{code}] {message}" + (f"\n  hint: {hint}" if hint else "")
        super().__init__(said)
        self.code, self.message, self.hint, self.facts = code, message, hint, facts or []

    def explain(self) -> Code:
        """What the code means, why it matters and what to do."""
        from .codes import explain

        return explain(self.code)

    def __reduce__(self) -> tuple[type[IncrowdError], tuple[str, str, str, list[dict[str, Any]]]]:
        return type(self), (self.code, self.message, self.hint, self.facts)


class ReadError(IncrowdError):
    """A table could not be read or written (``IC4xx``)."""


class AskError(IncrowdError):
    """What was asked cannot be (``IC5xx``): a role, a hierarchy, a plan, a model, a question."""


class ReleaseError(IncrowdError):
    """Something is the matter with a release (``IC6xx``)."""


class Infeasible(ReleaseError):
    """No release of this table keeps the policy (``IC601``). ``facts`` say why, each with a way out."""


class NotFound(ReleaseError):
    """A release that keeps the policy was not found; there may be one (``IC625``). ``facts`` say why."""


class Unverified(ReleaseError):
    """The verifier refused what was made (``IC602``). Nothing was published."""


class Leak(ReleaseError):
    """Removed values were found in the written bytes (``IC603``). Nothing was published."""


_BY_CODE: dict[str, type[IncrowdError]] = {
    "IC601": Infeasible,
    "IC602": Unverified,
    "IC603": Leak,
    "IC625": NotFound,
    # What the command line says of an option, Python says of an argument.
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
