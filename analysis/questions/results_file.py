"""results.json: what every study's results hold, and answers as they are written and read.

The only place where answers become JSON and where JSON becomes answers.
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

Results = Mapping[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"


def answer_as_json(answer: Any) -> dict[str, Any]:
    """Return an answer as results.json holds it."""
    return plain(answer)


def read_back(question: Question[Any, Any], answer: Any) -> Any:
    """Return an answer as it is read from results.json: rounded, with None for what isn't known."""
    return _reader_of(question.answer).validate_python(answer_as_json(answer))


@cache  # to make one takes longer than to read with it
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
    results: Results, study: str, questions: Sequence[Question[Any, Any]], where: str = "results"
) -> Whole:
    """Return results with each answer in its own type.

    Raises
    ------
    UserError
        If they hold anything else.
    """
    known = {name: value for name, value in results.items() if name != "pictures"}
    try:
        read = results_type(study, questions).model_validate(known)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UserError(f"{where}: {place}: {first['msg']}; analyse the data again") from None
    frame = Frame.model_construct(**{name: getattr(read, name) for name in Frame.model_fields})
    answers = {asked.id: getattr(read, asked.id) for asked in questions}
    return Whole(frame, protocol_from_resolved(results["protocol"], where), answers)


def json_schema(study: str, tag: str, questions: Sequence[Question[Any, Any]]) -> dict[str, Any]:
    """Return the JSON Schema of a study's results."""
    schema = results_type(study, questions).model_json_schema(by_alias=True)
    schema["properties"][TAG] |= {"const": tag}
    return {"$schema": DIALECT, "$id": tag, **schema}
