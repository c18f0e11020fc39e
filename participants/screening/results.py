"""Results of a screening as journals and the registry keep them, and back."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from math import isfinite
from typing import Any

from participants.screening.ishihara import IshiharaScore
from participants.screening.staircase import Threshold
from participants.screening.trivector import TrivectorResult
from stimuli.screening.d15 import D15Score

DECIMALS = 4


def record_of(result: Any) -> dict[str, Any]:
    """Return a result, a dataclass, as plain JSON values: numbers to four decimals, infinity
    as null.
    """
    if isinstance(result, TrivectorResult):
        thresholds = {axis: asdict(one) for axis, one in result.thresholds.items()}
        plain = {field.name: getattr(result, field.name) for field in fields(result)}
        return _rounded({**plain, "thresholds": thresholds})
    return _rounded(asdict(result))


def trivector_of(record: Mapping[str, Any]) -> TrivectorResult:
    """Return a trivector's result from its record."""
    found = {axis: Threshold(**one) for axis, one in record["thresholds"].items()}
    return TrivectorResult(**{**record, "thresholds": found})


def d15_of(record: Mapping[str, Any]) -> D15Score:
    """Return a D-15's score from its record."""
    return D15Score(**{field.name: record[field.name] for field in fields(D15Score)})


def ishihara_of(record: Mapping[str, Any]) -> IshiharaScore:
    """Return the book's score from its record."""
    return IshiharaScore(**record)


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DECIMALS) if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _rounded(entry) for key, entry in value.items()}
    return [_rounded(entry) for entry in value] if isinstance(value, tuple | list) else value
