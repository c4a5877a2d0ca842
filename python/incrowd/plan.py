"""The plan as typed objects: the keys and defaults of ``incrowd.toml``.

>>> from incrowd.plan import ColumnPlan, Plan, PolicyPlan
>>> plan = Plan(policy=PolicyPlan(k=5), columns=[ColumnPlan("age", "quasi-identifier", hierarchy=[5, 10, 20])])
>>> print(plan.to_toml())
version = 1
<BLANKLINE>
[source]
path = ""
<BLANKLINE>
[policy]
k = 5
suppress = 0.0
<BLANKLINE>
[[column]]
name = "age"
role = "quasi-identifier"
<BLANKLINE>
[column.hierarchy]
intervals = [5.0, 10.0, 20.0]
<BLANKLINE>
>>> Plan.parse(plan.to_toml()) == plan
True
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar, Union

from . import _incrowd
from ._compat import dataclass
from ._options import BUILDS as BUILDS
from ._options import Build as Build
from ._options import PopulationPlan as PopulationPlan
from ._options import ReleasePlan as ReleasePlan
from ._options import SolvePlan as SolvePlan
from .errors import AskError

Role = Literal["identifier", "subject", "quasi-identifier", "sensitive", "insensitive", "weight"]


class RaggedFile(str):
    """The name of a hierarchy file whose lines may have different lengths: a short line repeats its last label."""


#: A file, widths of nested intervals, or the name of a builder.
HierarchyPlan = Union[str, Sequence[float]]
#: A number such as 0.2, or a ratio such as "1/5".
Number = Union[float, str]


@dataclass(kw_only=True)
class SourcePlan:
    """The table and how it is read. The path is relative to the plan."""

    path: str = ""
    format: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    nulls: list[str] = field(default_factory=list)
    rows_are_people: bool = False


@dataclass
class AlphaPlan:
    """A limit on the share of values of a sensitive column in every class."""

    column: str
    alpha: Number
    values: list[str] = field(default_factory=list)
    rule: Literal["exact", "refined"] = "exact"


class RulePlan:
    """A model that protects a sensitive column, with its parameters. ``incrowd.listed("models")`` names them.

    The parameters depend on the model; they are keyword arguments and attributes.

    >>> from incrowd.plan import RulePlan
    >>> rule = RulePlan("t-closeness", "diagnosis", t=0.2, distance="equal")
    >>> rule, rule.t
    (RulePlan('t-closeness', 'diagnosis', t=0.2, distance='equal'), 0.2)
    """

    def __init__(self, model: str, column: str, **parameters: Any) -> None:
        self.model = model
        self.column = column
        self.parameters = {name: value for name, value in parameters.items() if value is not None and value != []}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "parameters":
            raise AttributeError(name)
        return self.parameters.get(name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RulePlan) and self._words() == other._words()

    def _words(self) -> dict[str, Any]:
        return {"model": self.model, "column": self.column, **self.parameters}

    def __repr__(self) -> str:
        parameters = "".join(f", {name}={value!r}" for name, value in self.parameters.items())
        return f"RulePlan({self.model!r}, {self.column!r}{parameters})"


@dataclass
class LimitPlan:
    """Maximum success of an attack, or maximum of one of its figures."""

    attack: str
    max: float
    figure: str | None = None


@dataclass(kw_only=True)
class PolicyPlan:
    """What a release has to promise."""

    k: int = 5
    suppress: float = 0.0
    #: Rows of one person that an attacker may know, 2 or more, or "all".
    known_rows: Literal["all"] | int | None = None
    alpha: list[AlphaPlan] = field(default_factory=list)
    rules: list[RulePlan] = field(default_factory=list)
    limits: list[LimitPlan] = field(default_factory=list)
    #: Whether k and the rules are confirmed; a draft says False, and `anonymize` refuses it.
    confirmed: bool = True


@dataclass(kw_only=True)
class ContextPlan:
    """Context of the release, as described by the custodian; shown in the report."""

    purpose: str | None = None
    recipients: str | None = None
    release_model: Literal["public", "controlled", "enclave"] | None = None
    responsible: str | None = None
    next_review: str | None = None


@dataclass(kw_only=True)
class RunPlan:
    """Resources of a run."""

    memory_mib: int | None = None
    threads: int | None = None
    cluster: str | None = None


@dataclass
class ColumnPlan:
    """One column: its role, date format and hierarchy, and whether it is published although it singles out people."""

    name: str
    role: Role
    date_format: str | None = None
    hierarchy: HierarchyPlan | None = None
    keep_identifying: bool = False
    #: What is done to its cells: ``blank``, ``mask:N``, ``pseudonym``, ``pseudonym-digits``, ``round:BASE``, ``top:N``, ``bottom:N``, ``bins:WIDTH``,
    #: ``shift:DAYS``, ``microaggregate:K,round:BASE``, ``random-round:BASE``, ``laplace:SCALE,round:BASE``,
    #: ``normal:SCALE,round:BASE`` or ``items:K,known:M,split:C``.
    treatment: str | None = None
    #: What to do with spellings that differ only in letter case, spaces or Unicode form.
    spellings: Literal["fold", "keep"] | None = None
    #: Whether this entry is confirmed; a draft says False, and `anonymize` refuses it.
    confirmed: bool = True


@dataclass(kw_only=True)
class TablePlan:
    """One of several tables with the same people, which are released together."""

    name: str
    source: SourcePlan
    alpha: list[AlphaPlan] = field(default_factory=list)
    rules: list[RulePlan] = field(default_factory=list)
    columns: list[ColumnPlan] = field(default_factory=list)


@dataclass(kw_only=True)
class Plan:
    """A plan: the table, the roles of its columns, and what a release has to promise."""

    version: int = 1
    source: SourcePlan = field(default_factory=SourcePlan)
    policy: PolicyPlan = field(default_factory=PolicyPlan)
    population: PopulationPlan = field(default_factory=PopulationPlan)
    solve: SolvePlan = field(default_factory=SolvePlan)
    release: ReleasePlan = field(default_factory=ReleasePlan)
    context: ContextPlan = field(default_factory=ContextPlan)
    run: RunPlan = field(default_factory=RunPlan)
    columns: list[ColumnPlan] = field(default_factory=list)
    #: Several tables of the same people, instead of one.
    tables: list[TablePlan] = field(default_factory=list)
    #: The folder that file names are relative to; the current one unless the plan was read from a file.
    folder: str = field(default="", compare=False, repr=False)
    #: The file that the plan was read from.
    file: str = field(default="", compare=False, repr=False)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Plan:
        """Read a plan from its file; unknown keys are refused, with the line."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            hint = "check the path and your permissions"
            raise AskError("IC502", f"{file}: the plan could not be read", hint) from error
        return replace(cls.parse(text), folder=str(file.parent), file=str(file))

    @classmethod
    def parse(cls, text: str) -> Plan:
        """Read the text of a plan."""
        return _plan_of(json.loads(_incrowd.plan_of_toml(text)))

    def to_toml(self) -> str:
        """The text of its file."""
        return _incrowd.plan_to_toml(self.to_json())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its file. File names in the plan are relative to it."""
        Path(path).write_text(self.to_toml(), encoding="utf-8")

    def to_json(self) -> str:
        """The plan as JSON, according to its schema."""
        return json.dumps(_words(self), ensure_ascii=False)

    @staticmethod
    def schema() -> dict[str, Any]:
        """The JSON Schema of plans."""
        schema: dict[str, Any] = json.loads(_incrowd.plan_schema())
        return schema

    def confirm(self) -> Plan:
        """The same plan with every entry confirmed, after a person has read and corrected the draft.

        >>> import incrowd
        >>> people = incrowd.sample(rows=1000)
        >>> drafted = incrowd.Plan.parse(incrowd.init(people))
        >>> drafted.policy.confirmed, drafted.confirm().policy.confirmed
        (False, True)
        """

        def confirmed(columns: list[ColumnPlan]) -> list[ColumnPlan]:
            return [replace(column, confirmed=True) for column in columns]

        return replace(
            self,
            columns=confirmed(self.columns),
            tables=[replace(table, columns=confirmed(table.columns)) for table in self.tables],
            policy=replace(self.policy, confirmed=True),
        )

    def of_role(self, role: Role) -> list[str]:
        """The names of the columns of a role."""
        return [column.name for column in self.columns if column.role == role]


#: Fields with another name in the file.
_NAMES = {"columns": "column", "rules": "rule", "limits": "limit", "tables": "table"}


def _hierarchy_words(plan: HierarchyPlan) -> dict[str, Any]:
    if not isinstance(plan, str):
        return {"intervals": [float(width) for width in plan]}
    if isinstance(plan, RaggedFile):
        return {"ragged-file": str(plan)}
    return {"build": plan} if plan in BUILDS else {"file": plan}


def _words(value: Any) -> Any:
    """An object of a plan as plain data of its schema; what is not set is left out."""
    if isinstance(value, RulePlan):
        return _words(value._words())
    if hasattr(value, "__dataclass_fields__"):
        said = {}
        for one in fields(value):
            inner = getattr(value, one.name)
            if one.name in ("folder", "file") or inner is None or inner == []:
                continue
            # What is written by hand is confirmed.
            if inner is True and one.name == "confirmed":
                continue
            # Pages are written unless it is said that they are not.
            if inner is False and one.name not in ("report", "confirmed"):
                continue
            if one.name == "rule" and inner == "exact":
                continue
            if isinstance(value, ColumnPlan) and one.name == "hierarchy":
                said["hierarchy"] = _hierarchy_words(inner)
                continue
            words = _words(inner)
            if words == {} and one.name in ("population", "solve", "release", "context", "run"):
                continue
            said[_name_of(value, one.name)] = words
        return said
    if isinstance(value, Mapping):
        return {str(key): _words(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_words(inner) for inner in value]
    return value


def _name_of(value: Any, name: str) -> str:
    return _NAMES.get(name, name) if isinstance(value, (Plan, PolicyPlan, TablePlan)) else name


_T = TypeVar("_T")


def _object(cls: type[_T], said: Mapping[str, Any]) -> _T:
    return cls(**said)


def _columns_of(said: Mapping[str, Any]) -> list[ColumnPlan]:
    columns = []
    for column in said.get("column", []):
        hierarchy = column.pop("hierarchy", None)
        words = next(iter(hierarchy.values())) if hierarchy else None
        if hierarchy and "ragged-file" in hierarchy:
            words = RaggedFile(words)
        columns.append(ColumnPlan(**column, hierarchy=words))
    return columns


def _table_of(said: Mapping[str, Any]) -> TablePlan:
    return TablePlan(
        name=said["name"],
        source=_object(SourcePlan, said["source"]),
        alpha=[_object(AlphaPlan, alpha) for alpha in said.get("alpha", [])],
        rules=[_object(RulePlan, rule) for rule in said.get("rule", [])],
        columns=_columns_of(said),
    )


def _plan_of(said: dict[str, Any]) -> Plan:
    policy = dict(said["policy"])
    return Plan(
        version=said["version"],
        source=_object(SourcePlan, said["source"]),
        policy=PolicyPlan(
            k=policy["k"],
            suppress=policy.get("suppress", 0.0),
            known_rows=policy.get("known_rows"),
            alpha=[_object(AlphaPlan, alpha) for alpha in policy.get("alpha", [])],
            rules=[_object(RulePlan, rule) for rule in policy.get("rule", [])],
            limits=[_object(LimitPlan, limit) for limit in policy.get("limit", [])],
            confirmed=policy.get("confirmed", True),
        ),
        population=_object(PopulationPlan, said.get("population", {})),
        solve=_object(SolvePlan, said.get("solve", {})),
        release=_object(ReleasePlan, said.get("release", {})),
        context=_object(ContextPlan, said.get("context", {})),
        run=_object(RunPlan, said.get("run", {})),
        columns=_columns_of(said),
        tables=[_table_of(table) for table in said.get("table", [])],
    )
