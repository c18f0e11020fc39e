"""What results.json of each study holds, as pages: made from the types of the answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.questions.inquiry import Inquiry
from analysis.questions.question import Question
from participants.dictionary import FIELD_HEADS, plain_cell, rows_of, value_words
from stimuli.catalogue import studies_of

Schema = Mapping[str, Any]


def documents() -> dict[str, str]:
    """Return the Markdown of every page by its file name in ``docs/``."""
    studies = studies_of("analysis")
    return {f"results_{name}.md": results_page(studies[name].inquiry()) for name in studies}


def results_page(inquiry: Inquiry[Any]) -> str:
    """Return the Markdown of what a study's results.json holds."""
    schema = inquiry.json_schema()
    questions = {question.id for question in inquiry.asked}
    parts = [
        f"# Results of {inquiry.study}",
        f"This page explains every number of a report's `results.json`, format "
        f"`{inquiry.schema.tag}`. Beside it lies `results.schema.json`, the JSON Schema of this "
        "page. `estimates` has every estimate as a row of one kind, and `tables/estimates.csv` is "
        "the same list, to filter by question and quantity. Each question of the study also has a "
        "key for what isn't an estimate: a table, or `null` where it can't be answered; `missing` "
        "says why. Shares and probabilities run from 0 to 1 unless a field says per cent. A number "
        "that isn't known is `null`.",
        "In Python, `analysis.read_results.read_results(path)` returns the same as typed objects.",
        "## The file",
        rows_of(FIELD_HEADS, _fields(schema, schema)),
    ]
    for question in inquiry.asked:
        parts += [
            f"## `{question.id}`",
            *_quantities(question),
            *_tables(schema["properties"][question.id], schema),
        ]
    parts += ["## What all studies share"]
    for name in schema["properties"]:
        if name not in questions:
            parts += _tables(schema["properties"][name], schema)
    return "\n\n".join(dict.fromkeys(parts)) + "\n"


def _quantities(question: Question[Any, Any]) -> list[str]:
    """Return the table of what a question estimates; none if it estimates nothing."""
    if not question.quantities:
        return []
    rows = [
        (f"`{quantity.id}`", quantity.unit, plain_cell(quantity.about))
        for quantity in question.quantities
    ]
    return [
        f"Rows of `estimates` whose `question` is `{question.id}`:",
        rows_of(("quantity", "unit", "what it is"), rows),
    ]


def _fields(schema: Schema, root: Schema) -> list[tuple[str, str, str]]:
    return [
        (f"`{name}`", value_words(field, root), plain_cell(_description(field, root)))
        for name, field in schema["properties"].items()
    ]


def _description(field: Schema, root: Schema) -> str:
    """Return a field's description; pydantic leaves it out if the field's type has the same one."""
    if "description" in field:
        return field["description"]
    (name,) = _references(field)
    return root["$defs"][name]["description"]


def _tables(field: Schema, root: Schema) -> Iterator[str]:
    """Yield the tables of all objects within a field."""
    for name in _references(field):
        schema = root["$defs"][name]
        if not schema["properties"]:
            continue
        yield f"### {name}"
        yield schema["description"].partition("\n")[0]
        yield rows_of(FIELD_HEADS, _fields(schema, root))
        for inner in schema["properties"].values():
            yield from _tables(inner, root)


def _references(field: Any) -> Iterator[str]:
    if isinstance(field, Mapping):
        if "$ref" in field:
            yield field["$ref"].rpartition("/")[2]
        field = list(field.values())
    if isinstance(field, list):
        for part in field:
            yield from _references(part)
