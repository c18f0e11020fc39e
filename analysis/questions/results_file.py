"""Read and write results.json, and define the type of each study's results.

Answers become JSON, and JSON becomes answers, only here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, Final

from pydantic import Field, TypeAdapter, ValidationError, create_model

from analysis.data.json_values import plain
from analysis.questions.estimates import EstimateRow, Estimates
from analysis.questions.question import Question, Whole
from analysis.report.frame import TAG, Frame
from stimuli.errors import UserError
from stimuli.protocol import protocol_from_resolved

Document = Mapping[str, Any]

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

ESTIMATES: Final = "estimates"
"""Key of the list of all estimates, and the stem of its file."""
FIRST: Final = ("question", "quantity", "of")


def answer_as_json(answer: Any) -> dict[str, Any]:
    """Return an answer as results.json holds it."""
    return plain(answer)


def read_back(question: Question[Any, Any], document: Document) -> Any:
    """Return an answer as it is read from results.json: rounded, with None for unknown values."""
    return _reader_of(question.answer).validate_python(document)


@cache  # making an adapter takes longer than reading with it
def _reader_of(answer: type) -> TypeAdapter[Any]:
    return TypeAdapter(answer)


def first_line(answer: type) -> str:
    """Return what an answer is: the first line of its type's docstring."""
    return (answer.__doc__ or "").partition("\n")[0]


def gathered(
    answers: Mapping[str, Document | None], questions: Sequence[Question[Any, Any]]
) -> dict[str, Any]:
    """Return answers as results.json holds them: all estimates in one list, the rest by question.

    Parameters
    ----------
    answers
        From `answer_as_json`, by the question's id; None for a question without an answer.
    questions
        The questions.

    Raises
    ------
    LookupError
        If an estimate is of a quantity that its question doesn't declare.
    """
    documents: dict[str, Any] = {ESTIMATES: []}
    for question in questions:
        answer = answers[question.id]
        documents[question.id] = answer
        if answer is not None and issubclass(question.answer, Estimates):
            documents[ESTIMATES] += _with_question(answer[ESTIMATES], question)
            documents[question.id] = {
                name: value for name, value in answer.items() if name != ESTIMATES
            }
    return documents


def _with_question(
    rows: Iterable[Document], question: Question[Any, Any]
) -> Iterator[dict[str, Any]]:
    """Yield a question's estimates with its id, and without the fields that don't apply."""
    known = {quantity.id for quantity in question.quantities}
    for row in rows:
        if row["quantity"] not in known:
            raise LookupError(f"question {question.id} doesn't declare {row['quantity']}")
        filled = {name: value for name, value in row.items() if value not in (None, "")}
        yield {"question": question.id, **filled}


def _spread(results: Document, questions: Sequence[Question[Any, Any]]) -> dict[str, Any]:
    """Return results with each question's estimates in its answer."""
    by_question: dict[str, list[Any]] = {}
    for row in results.get(ESTIMATES, ()):
        by_question.setdefault(row["question"], []).append(row)
    answers = {
        question.id: {**results[question.id], ESTIMATES: by_question.get(question.id, [])}
        for question in questions
        if issubclass(question.answer, Estimates) and results.get(question.id) is not None
    }
    return {**results, **answers}


def as_table(results: Document) -> dict[str, list[dict[str, Any]]]:
    """Return the list of all estimates as a file has it: a column for each factor and field.

    A factor that is called as a field is, such as ``test``, has the column ``of_test``.
    """
    rows = results[ESTIMATES]
    if not rows:
        return {}
    factors = dict.fromkeys(factor for row in rows for factor in row["of"])
    values = [field.name for field in fields(EstimateRow) if field.name not in FIRST]
    columns = {name: f"of_{name}" if name in (*FIRST, *values) else name for name in factors}
    names = ("question", "quantity", *columns.values(), *values)
    table = [
        {columns[factor]: level for factor, level in row["of"].items()}
        | {name: value for name, value in row.items() if name != "of"}
        for row in rows
    ]
    # The first row names all columns, in their order; the others have the cells that they fill.
    return {ESTIMATES: [dict.fromkeys(names) | table[0], *table[1:]]}


def results_type(study: str, questions: Sequence[Question[Any, Any]]) -> type[Frame]:
    """Return the type of a study's whole results."""
    return _results_type(study, tuple((asked.id, asked.answer) for asked in questions))


@cache  # an analysis reads its results again for the headline and for the page
def _results_type(study: str, answers: tuple[tuple[str, type], ...]) -> type[Frame]:
    of_questions: dict[str, Any] = {
        name: (answer | None, Field(description=first_line(answer))) for name, answer in answers
    }
    of_questions[ESTIMATES] = (list[EstimateRow], Field(description="Every estimate, by question."))
    return create_model(f"results_{study}", __base__=Frame, **of_questions)


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
    shared = {TAG, ESTIMATES, *Frame.model_fields}
    known = {name: value for name, value in results.items() if name in asked or name in shared}
    known = _spread(known, questions)
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
    for asked in questions:
        if issubclass(asked.answer, Estimates):  # its rows are in the list of all estimates
            definition = schema["$defs"][asked.answer.__name__]
            definition["properties"].pop(ESTIMATES, None)
            definition["required"] = [
                name for name in definition.get("required", ()) if name != ESTIMATES
            ]
    return {"$schema": DIALECT, "$id": tag, **schema}
