"""Descriptions of the fields of answers."""

from typing import Any

from pydantic import Field


def about(text: str) -> Any:
    """Return the description of a field of an answer, for ``Annotated``."""
    return Field(description=text)
