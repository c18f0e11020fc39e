"""What participants answered at the end, by method."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import pandas as pd

from analysis.questions.question import Found, Question, Unavailable
from analysis.report.about import about
from analysis.report.declared import ReportTable, changes
from analysis.report.parts import Column
from analysis.report.wording import NOTHING
from analysis.studies.simulatability.data import SimulatabilityData
from analysis.studies.simulatability.words import method_name
from stimuli.studies.simulatability.protocol import cell_of

QUESTION_WORDS: Final = {
    "relied_on": "What did your last predictions rest on most?",
    "explanations_helped": "How much did the explanations help you?",
    "knows_ai": "How much do you know about artificial intelligence?",
}
ANSWER_WORDS: Final = {
    "explanations": "on the explanations",
    "examples": "on the examples",
    "own_answer": "on what I thought was right",
    "guess": "I mostly guessed",
    "other": "on something else",
    "not_at_all": "not at all",
    "a_little": "a little",
    "a_lot": "a lot",
    "hindered": "they got in the way",
    "none": "nothing",
    "heard": "I’ve heard or read about it",
    "basics": "how it works in principle",
    "works_with_it": "I work with it, or have studied it",
    "skip": "I’d rather not say",
}


@dataclass(frozen=True, slots=True)
class ClosingAnswer:
    """How many participants of a method chose an answer at the end."""

    question: Annotated[str, about("The question.")]
    answer: Annotated[str, about("The answer.")]
    method: Annotated[str, about("The method; of the first test, if there were two.")]
    participants: Annotated[int, about("Participants who chose it.")]
    of: Annotated[int, about("Participants of the method who answered the question.")]


@dataclass(frozen=True, slots=True)
class Closing:
    """Answers at the end of the session, by method over all domains."""

    answers: Annotated[tuple[ClosingAnswer, ...], about("By question, answer and method.")]


def compute(data: SimulatabilityData, found: Found) -> Closing | Unavailable:
    """Return how often each answer at the end was chosen, by method."""
    people = data.sessions
    if people is None or not set(QUESTION_WORDS) & set(people):
        return Unavailable("answers at the end", "there is no table of people with them")
    return Closing(tuple(_answers(people, data.predictions.methods)))


def _answers(people: pd.DataFrame, methods: Sequence[str]) -> Iterator[ClosingAnswer]:
    of_method = people["arm"].map(lambda arm: cell_of(str(arm))[1])
    for question in QUESTION_WORDS:
        if question not in people:
            continue
        given = people[question].dropna().astype(str)
        given = given[given != ""]
        known = [answer for answer in ANSWER_WORDS if (given == answer).any()]
        for answer in [*known, *sorted(set(given) - set(known))]:
            for name in methods:
                own = given[of_method[given.index] == name]
                if len(own):
                    yield ClosingAnswer(
                        question, answer, name, int((own == answer).sum()), len(own)
                    )


def _counts(found: Closing) -> list[dict[str, Any]]:
    """Return a row for each answer, with how many of each method chose it."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for own in found.answers:
        row = rows.setdefault(
            (own.question, own.answer), {"question": own.question, "answer": own.answer}
        )
        row[own.method] = f"{own.participants} of {own.of}"
    return list(rows.values())


def _columns(found: Closing) -> Sequence[Column]:
    methods = dict.fromkeys(row.method for row in found.answers)
    return (
        Column("Question", lambda row: QUESTION_WORDS[row["question"]], once=True),
        Column("Answer", lambda row: ANSWER_WORDS.get(row["answer"], row["answer"])),
        *(
            Column(method_name(name), lambda row, name=name: row.get(name, NOTHING), str)
            for name in methods
        ),
    )


ANSWERS = ReportTable(
    "answers_at_the_end",
    "answers",
    "Answers at the end of the session, by method.",
    _columns,
    "How many participants gave an answer, of those of the method who were asked. The arm without "
    "explanations isn’t asked about them.",
    shown=_counts,
    strong=changes("question"),
    row_headers=2,
)
CLOSING = Question(
    id="closing",
    title="Answers at the end",
    answer=Closing,
    compute=compute,
    parts=(ANSWERS,),
)
"""What participants answered at the end."""
