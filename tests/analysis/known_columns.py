"""Hold that the studies' analyses name no column that is neither recorded nor made.

A type checker knows no columns, and a column that is looked for by ``in`` or ``get`` may be
missing. So while tests run, each name by which a module of `analysis/studies` reads a data frame is
compared with the columns that its study declares and that the analysis makes.

A recorded column that the analysis makes again, under the same name, isn't noticed here: without
it, tables that the suite writes raise a ``KeyError``.
"""

import ast
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from stimuli.catalogue import studies_of
from stimuli.protocol import load_protocol

ROOT = Path(__file__).resolve().parents[2]
STUDIES = ROOT / "analysis" / "studies"
READ_BY = ("__getitem__", "__contains__", "get", "filter")


@contextmanager
def known_columns_alone() -> Iterator[None]:
    """Fail where a study's analysis reads a column that nothing records or makes."""
    with pytest.MonkeyPatch.context() as patch:
        for name in READ_BY:
            patch.setattr(pd.DataFrame, name, _checked(getattr(pd.DataFrame, name)))
        yield


def _checked(read: Callable[..., Any]) -> Callable[..., Any]:
    def checked(frame: pd.DataFrame, *asked: Any, **named: Any) -> Any:
        caller = sys._getframe(1).f_code.co_filename
        # The columns of a pivot table have a name, and are levels of a factor.
        if (study := _study_of(caller)) and asked and frame.columns.name is None:
            for name in sorted(set(_texts(asked[0])) - _known(study)):
                where = f"{Path(caller).relative_to(ROOT)}: line {sys._getframe(1).f_lineno}"
                raise AssertionError(f"{where} reads {name!r}, which nothing records or makes")
        return read(frame, *asked, **named)

    return checked


@cache
def _study_of(file: str) -> str:
    """Return the study to which a module belongs; empty for others."""
    path = Path(file)
    return path.relative_to(STUDIES).parts[0] if path.is_relative_to(STUDIES) else ""


def _texts(asked: Any) -> Iterable[str]:
    if isinstance(asked, str):
        return (asked,)
    return (name for name in asked if isinstance(name, str)) if isinstance(asked, list) else ()


@cache
def _known(study: str) -> frozenset[str]:
    """Return the columns that a study declares, and those that its analysis makes."""
    tables = studies_of("participants")[load_protocol(study).study].tables
    declared = {name for schema in tables.schemas().values() for name in schema.names}
    shared = (path for path in (ROOT / "analysis").rglob("*.py") if STUDIES not in path.parents)
    made = {name for path in (*shared, *(STUDIES / study).rglob("*.py")) for name in _made_in(path)}
    return frozenset(declared | made)


def _made_in(path: Path) -> Iterator[str]:
    """Yield the names that a module gives to columns."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Subscript(slice=name, ctx=ast.Store()):
                yield from _names((name,))
            case ast.Return(value=ast.Dict(keys=names)) | ast.AnnAssign(value=ast.Dict(keys=names)):
                yield from _names(names)  # for assign(**...)
            case ast.Call(func=function, args=given, keywords=keywords):
                named = {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
                yield from _given_names(_called(function), given, named)


def _given_names(function: str, given: list[ast.expr], named: dict[str, ast.expr]) -> Iterator[str]:
    if function == "assign":
        yield from named
    elif function == "rename" and isinstance(changed := named.get("columns"), ast.Dict):
        yield from _names(changed.values)
    elif function in ("agg", "rename", "reset_index"):
        yield from _names((*given, *named.values()))
    elif function == "DataFrame":
        for part in (*given, *named.values()):
            if isinstance(part, ast.Dict | ast.List):
                yield from _names(part.keys if isinstance(part, ast.Dict) else part.elts)


def _called(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _names(parts: Iterable[ast.expr | None]) -> Iterator[str]:
    """Yield the texts among expressions, also those in a list of them."""
    for part in parts:
        for name in part.elts if isinstance(part, ast.List | ast.Tuple) else (part,):
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                yield name.value
