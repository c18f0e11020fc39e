"""What answers are measured by: a value for each trial, its unit, its model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_linear, fit_logistic, fit_ordinal
from analysis.questions.estimates import Quantity
from analysis.report.wording import percent, points, ratio, rounded, signed
from analysis.statistics.estimate import Ends
from participants.table_study.plan import choices_of
from stimuli.table_study.protocol import Measure, PlannedTest, TableStudy
from stimuli.table_study.tables import is_among

Fit = Callable[[str, pd.DataFrame], MixedResult]
ANY: Final[Ends] = (-np.inf, np.inf)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of measure.

    Attributes
    ----------
    mean, difference
        The mean of a cell, and the difference of two.
    fit, family
        What fits its mixed model, and the model in words.
    of
        What is measured, as the beginning of a sentence.
    more, less, differs
        How the sentence goes on if the first level has more, has less, or differs.
    """

    mean: Quantity
    difference: Quantity
    fit: Fit
    family: str
    of: str
    more: str = "more often {first} than {second}"
    less: str = "less often {first} than {second}"
    differs: str = "more or less often {first} than {second}"

    @property
    def is_time(self) -> bool:
        """Whether values are logarithms, and differences ratios."""
        return self.difference.write is ratio

    @property
    def none(self) -> float:
        """The difference that is no difference."""
        return 1.0 if self.is_time else 0.0


def _share(name: str, heading: str, about: str, of: str) -> Kind:
    return Kind(
        Quantity(name, heading, f"{about}.", percent),
        Quantity(f"{name}_difference", heading, f"Difference in: {about[0].lower()}{about[1:]}.",
                 points, "points"),
        fit_logistic,
        "mixed logistic regression",
        of,
    )  # fmt: skip


KINDS: Final[dict[Measure, Kind]] = {
    "accuracy": _share("accuracy", "Right", "Share of right answers", "answers are right"),
    "choice": _share("choice", "Chosen", "Share of answers that are the named one",
                     "the answer is chosen"),
    "agreement": _share("agreement", "Agreement", "Share of answers that are the AI’s",
                        "answers agree with the AI"),
    "over_reliance": _share("over_reliance", "Over-reliance",
                            "Share of the AI’s wrong answers that were followed",
                            "wrong advice is followed"),
    "under_reliance": _share("under_reliance", "Under-reliance",
                             "Share of the AI’s right answers that were not followed",
                             "right advice is rejected"),
    "switching": _share("switching", "Switched",
                        "Share of first answers other than the AI’s that were given up for it",
                        "one’s own answer is given up for the AI’s"),
    "rating": Kind(
        Quantity("rating", "Rating", "Mean rating, the first step as 1."),
        Quantity("rating_difference", "Rating", "Difference of mean ratings.", rounded(signed, 2),
                 "steps"),
        fit_ordinal,
        "ordinal mixed regression (cumulative logit)",
        "the mean rating",
        "is higher {first} than {second}",
        "is lower {first} than {second}",
        "isn’t the same {first} and {second}",
    ),
    "time": Kind(
        Quantity("time_s", "Time", "Geometric mean of the times to the answer.", unit="s"),
        Quantity("time_ratio", "Time", "Ratio of geometric mean times.", ratio),
        fit_linear,
        "linear mixed regression of log times",
        "the time to the answer",
        "is longer {first} than {second}",
        "is shorter {first} than {second}",
        "isn’t the same {first} and {second}",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """A measure of a study's trials.

    Attributes
    ----------
    id
        Its name in results: the measure, with the answer or the question if it has one.
    kind
        Its kind.
    column
        Returns the value of each trial, NaN where a trial has none.
    ends
        The least and the most that a value can be; None for shares.
    words
        What it is, in words.
    """

    id: str
    kind: Kind
    column: Callable[[pd.DataFrame], pd.Series]
    ends: Ends | None
    words: str

    def rows(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the trials that have a value, with it in the column ``value``."""
        valued = frame.assign(value=self.column(frame))
        return valued[np.isfinite(valued["value"])].reset_index(drop=True)


def value_of_test(protocol: TableStudy, test: PlannedTest) -> Value:
    """Return what a planned test compares."""
    return _value(protocol, test.measure, test.answer, test.question)


def values_of(protocol: TableStudy) -> Iterator[Value]:
    """Yield everything that a study measures, each once: what it tests first."""
    by_id: dict[str, Value] = {}
    for value in _all_values(protocol):
        if by_id.setdefault(value.id, value) is value:
            yield value


def _all_values(protocol: TableStudy) -> Iterator[Value]:
    for test in protocol.tests:
        yield value_of_test(protocol, test)
    yield _value(protocol, "accuracy")
    if protocol.trial.scale is not None:
        yield _value(protocol, "rating")
    for question in protocol.trial.ratings:
        yield _value(protocol, "rating", question=question)
    if protocol.advice is not None:
        yield _value(protocol, "agreement")
    yield _value(protocol, "time")


def _value(protocol: TableStudy, measure: Measure, answer: str = "", question: str = "") -> Value:
    kind = KINDS[measure]
    named = answer or question
    words = {"choice": f"{answer or 'the first answer'} is chosen",
             "rating": f"the mean rating ({question})" if question else kind.of}  # fmt: skip
    return Value(
        f"{measure}_{named}" if named else measure,
        kind,
        lambda frame: _COLUMNS[measure](frame, named),
        _ends(protocol, measure, question),
        words.get(measure, kind.of),
    )


def _ends(protocol: TableStudy, measure: Measure, question: str) -> Ends | None:
    if measure == "time":
        return ANY
    if measure != "rating":
        return None
    if not question:
        assert protocol.trial.scale is not None
        return (1.0, float(protocol.trial.scale.steps))
    return (1.0, float(len(choices_of(protocol.study, question))))


def _numbers(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return a column's numbers; all NaN where another program's table lacks it."""
    if name not in frame:
        return pd.Series(np.nan, index=frame.index)
    return pd.to_numeric(frame[name], errors="coerce").astype("Float64").astype(float)


def _logs(frame: pd.DataFrame, name: str) -> pd.Series:
    """Return logarithms of times in seconds; NaN for a time that isn't above zero."""
    times = _numbers(frame, name)
    return pd.Series(np.log(times.where(times > 0).to_numpy()), index=times.index)


def _chosen(frame: pd.DataFrame, answer: str) -> pd.Series:
    if not answer:
        return (_numbers(frame, "place") == 1).astype(float)
    return ((frame["decision"] == answer) | (frame["stands_for"] == answer)).astype(float)


def _followed(frame: pd.DataFrame, ai_correct: bool) -> pd.Series:
    agrees, right = _numbers(frame, "agrees"), _numbers(frame, "ai_correct")
    return agrees.where(right == float(ai_correct))


def first_is(frame: pd.DataFrame, column: str) -> np.ndarray:
    """Return whether the answer before the advice is what a column has, (n,) bool."""
    answers = frame["answers"].where(frame["answers"].notna(), "")
    rows = zip(frame["own_decision"], frame[column], answers, strict=True)
    return np.array([is_among(first, wanted, {"answers": some}) for first, wanted, some in rows])


def _switched(frame: pd.DataFrame) -> pd.Series:
    agrees = _numbers(frame, "agrees")
    if not {"own_decision", "advice", "answers"} <= {*frame}:
        return agrees * np.nan
    known = np.isfinite(_numbers(frame, "own_rt_s"))
    return agrees.where(known & ~first_is(frame, "advice"))


_COLUMNS: Final[dict[str, Callable[[pd.DataFrame, str], pd.Series]]] = {
    "accuracy": lambda frame, _: _numbers(frame, "correct"),
    "choice": _chosen,
    "rating": lambda frame, question: _numbers(frame, question or "place"),
    "time": lambda frame, _: _logs(frame, "rt_s"),
    "agreement": lambda frame, _: _numbers(frame, "agrees"),
    "over_reliance": lambda frame, _: _followed(frame, False),
    "under_reliance": lambda frame, _: 1 - _followed(frame, True),
    "switching": lambda frame, _: _switched(frame),
}
