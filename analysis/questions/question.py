"""One question of a study in one place: its numbers, its part of the report, what is promised."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from analysis.data.tables import Dataset
from analysis.questions.estimates import Quantity
from analysis.questions.registered import Hypothesis
from analysis.report.frame import Frame
from analysis.report.missing import Lacking
from analysis.report.parts import Fact
from stimuli.protocol import Protocol

Data = TypeVar("Data")
Answer = TypeVar("Answer")
Other = TypeVar("Other")


Unavailable = Lacking
"""What a question's ``compute`` returns in place of an answer."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What is preregistered of a question.

    Attributes
    ----------
    text
        What is done.
    formula
        The model in lme4's notation; empty if there is none.
    hypotheses
        What is expected; their tests alone are confirmatory.
    """

    text: str
    formula: str = ""
    hypotheses: tuple[Hypothesis, ...] = ()


class TypedAnswers:
    """The answers so far, each of its own type.

    Parameters
    ----------
    answers
        By the question's id; None if a question has no answer.
    """

    def __init__(self, answers: Mapping[str, Any]) -> None:
        self._answers = answers

    def of(self, question: "Question[Any, Other]") -> Other:
        """Return the answer of a question.

        Raises
        ------
        LookupError
            If it has none, or if it stands after the question that builds on it.
        """
        answer = self.get(question)
        if answer is None:
            raise LookupError(f"question {question.id} has no answer")
        return answer

    def get(self, question: "Question[Any, Other]") -> Other | None:
        """Return the answer of a question; None if it has none.

        Raises
        ------
        LookupError
            If it stands after the question that builds on it.
        """
        if question.id not in self._answers:
            raise LookupError(f"question {question.id} must stand before what builds on it")
        return self._answers[question.id]


class Whole(TypedAnswers):
    """All results of an analysis.

    Parameters
    ----------
    frame
        What every study's results have.
    protocol
        The rules.
    answers
        By the question's id.
    """

    def __init__(self, frame: Frame, protocol: Protocol, answers: Mapping[str, Any]) -> None:
        super().__init__(answers)
        self.frame, self.protocol = frame, protocol


@dataclass(frozen=True, slots=True)
class Within(Generic[Answer]):
    """An answer among all results, for parts that show or cite other questions' answers."""

    answer: Answer
    whole: Whole


@dataclass(frozen=True, slots=True)
class Pictured(Generic[Answer]):
    """An answer whose figures show pictures; none if these aren't available."""

    answer: Answer
    pictures: Mapping[Any, Any]
    protocol: Protocol
    whole: Whole


def _nothing(*_: Any) -> Any:
    return ()


@dataclass(frozen=True, slots=True)
class Question(Generic[Data, Answer]):
    """A question that a study asks.

    Attributes
    ----------
    id
        Its key in results.json and in preregistrations; never changes.
    title
        Of its section of the report.
    answer
        The type of its answer: a frozen dataclass whose fields have descriptions (see `about`).
    compute
        Returns its answer from the study's data, or why there is none.
    combine
        In place of `compute`: returns it from the data and the answers of earlier questions.
    quantities
        What it estimates; every row of its estimates is of one of these.
    step
        What the progress bar says while it is computed; empty if that takes no time.
    parts
        What its section shows: declared tables, figures and models, and functions that make
        parts. All of them read the answer; those of a question with `pictures` a `Pictured`.
    view
        Makes what the parts read instead of the answer, from it and all results; such as `Within`.
    shown
        Whether its section is shown.
    facts, headline, methods
        What it says at the top of the report, and in the methods.
    needs
        Results by the column of the trial table that they need.
    lacking
        Returns what can't be given, from the data and the answer (None if there is none).
    registered
        Returns what a protocol promises of it; None for an exploratory one.
    pictures
        Returns the pictures of its figures, from the dataset and the answer.
    """

    id: str
    title: str
    answer: type[Answer]
    compute: Callable[[Data], Answer | Unavailable] | None = None
    combine: Callable[[Data, TypedAnswers], Answer | Unavailable] | None = None
    quantities: tuple[Quantity, ...] = ()
    step: str = ""
    parts: tuple[Any, ...] = ()
    view: Callable[[Any, Whole], Any] = lambda answer, _: answer
    shown: Callable[[Answer], Any] = lambda _: True
    facts: Callable[[Answer, Whole], Sequence[Fact]] = _nothing
    headline: Callable[[Answer, Whole], Sequence[str]] = _nothing
    methods: Callable[[Answer, Whole], Sequence[str]] = _nothing
    needs: Mapping[str, str] = field(default_factory=dict)
    lacking: Callable[[Data, Answer | None], Sequence[Lacking]] = _nothing
    registered: Callable[[Any], Promise | None] = lambda _: None
    pictures: Callable[[Dataset, Answer], Mapping[Any, Any]] | None = None

    def answer_from(self, data: Data, answers: TypedAnswers) -> Answer | Unavailable:
        """Return its answer, or why there is none."""
        if self.combine is not None:
            return self.combine(data, answers)
        assert self.compute is not None
        return self.compute(data)
