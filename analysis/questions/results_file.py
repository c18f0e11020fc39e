"""Read and write results.json, and define the type of each study's results.

Answers become JSON, and JSON becomes answers, only here.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from pydantic import Field, TypeAdapter, ValidationError, create_model

from analysis.data.json_values import plain
from analysis.questions.question import Question, Whole
from analysis.report.frame import TAG, Frame
from stimuli.errors import UserError
from stimuli.protocol import protocol_from_resolved

Document = Mapping[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def answer_as_json(answer: Any) -> dict[str, Any]:
    """Return an answer as results.json holds it."""
    return plain(answer)


def read_back(question: Question[Any, Any], answer: Any) -> Any:
    """Return an answer as it is read from results.json: rounded, with None for unknown values."""
    return _reader_of(question.answer).validate_python(answer_as_json(answer))


@cache  # making an adapter takes longer than reading with it
def _reader_of(answer: type) -> TypeAdapter[Any]:
    return TypeAdapter(answer)


def first_line(answer: type) -> str:
    """Return what an answer is: the first line of its type's docstring."""
    return (answer.__doc__ or "").partition("\n")[0]


def results_type(study: str, questions: Sequence[Question[Any, Any]]) -> type[Frame]:
    """Return the type of a study's whole results."""
    return _results_type(study, tuple((asked.id, asked.answer) for asked in questions))


@cache  # an analysis reads its results again for the headline and for the page
def _results_type(study: str, answers: tuple[tuple[str, type], ...]) -> type[Frame]:
    fields: dict[str, Any] = {
        name: (answer | None, Field(description=first_line(answer))) for name, answer in answers
    }
    return create_model(f"results_{study}", __base__=Frame, **fields)


def read_whole(
    results: Document, study: str, questions: Sequence[Question[Any, Any]], where: str = "results"
) -> Whole:
    """Return results with each answer in its own type.

    A question that the file lacks has no answer, and one that isn't known here is left out: a
    suite of the same version may ask other questions.

    Raises
    ------
    UserError
        If what all studies share, or an answer, is of another type.
    """
    asked = dict.fromkeys(question.id for question in questions)
    shared = {TAG, *Frame.model_fields}
    known = {name: value for name, value in results.items() if name in asked or name in shared}
    try:
        read = results_type(study, questions).model_validate(asked | known)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"{where}: {place}: {first['msg']}; analyse the data again") from None
    frame = Frame.model_construct(**{name: getattr(read, name) for name in Frame.model_fields})
    answers = {name: getattr(read, name) for name in asked}
    return Whole(frame, protocol_from_resolved(results["protocol"], where), answers)


def json_schema(study: str, tag: str, questions: Sequence[Question[Any, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of a study's results."""
    schema = results_type(study, questions).model_json_schema(by_alias=True)
    schema["properties"][TAG] |= {"const": tag}
    return {"$schema": DIALECT, "$id": tag, **schema}
