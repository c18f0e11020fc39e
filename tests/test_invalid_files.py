"""What is wrong in a file that somebody writes is said in our words, whatever it is."""

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from experiments.rig.profile import RigProfile
from participants.export.description import About
from participants.lab_settings import LabSettings
from stimuli.catalogue import studies_of
from stimuli.io.invalid import REASONS, reason_of
from stimuli.table_study.protocol import TableStudy
from xai_backend.models.classifier import ModelSettings

BAD = (
    None, "x", "", "x" * 5000, -1e12, 1e12, 1, -1, 0, 1.5, float("nan"), float("inf"), True, [], {},
    [1], ["x"], ["x"] * 500, [[]], {"x": 1}, object(),
)  # fmt: skip
PYDANTICS = ("Input should", "should have", "valid", "Value error", "Field required", "Tuple")


def inside(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that a type names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from inside(part)


def models() -> dict[str, type[BaseModel]]:
    """Return all models of files that people write, by name."""
    protocols = [one.protocol for one in studies_of("stimuli").values()]
    left = [*protocols, TableStudy, LabSettings, RigProfile, About, ModelSettings]
    found: dict[str, type[BaseModel]] = {}
    while left:
        model = left.pop()
        if found.setdefault(f"{model.__module__}.{model.__name__}", model) is model:
            for field in model.model_fields.values():
                left += [one for one in inside(field.annotation)
                         if f"{one.__module__}.{one.__name__}" not in found]  # fmt: skip
    return found


@pytest.mark.parametrize("name", sorted(models()))
def test_no_bad_value_is_told_in_the_librarys_words(name):
    model = models()[name]
    for field, about in model.model_fields.items():
        for bad in BAD:
            try:
                model.model_validate({about.alias or field: bad})
            except ValidationError as error:
                for fault in error.errors():
                    assert fault["type"] in REASONS, (field, bad, fault)
                    said = reason_of(fault)
                    own = fault["type"] == "value_error"
                    assert own or not any(word in said for word in PYDANTICS), (field, said)
                    assert "\n" not in said
