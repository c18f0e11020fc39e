"""What a study declares so that it can be preregistered; its texts follow from a protocol."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from analysis.questions.estimates import Quantity
from analysis.report.deciding import MEANS, MODEL, words_of

Shows = Literal["above", "below", "apart", "within"]
"""Where an interval must lie: above or below a value, on one side of it, or within ± of it."""


@dataclass(frozen=True, slots=True)
class Criterion:
    """What a report's estimate must show: its whole interval lies in a region.

    So nothing is shown by an estimate that isn't significant. That something is no worse, or alike,
    needs a margin, and an interval on the right side of it.

    Attributes
    ----------
    estimate
        What is estimated, in words.
    quantity, of
        Its row of the estimates: the quantity, and the levels that tell it from other rows.
    shows, value
        Where its interval must lie.
    by
        The analyses that may decide. The first of which the report has the row does; empty if there
        is one analysis.
    question
        Id of the question whose row it is; of the one that promises it by default.
    """

    estimate: str
    quantity: Quantity
    of: Mapping[str, str]
    shows: Shows
    value: float = 0.0
    by: tuple[str, ...] = ()
    question: str = ""

    @property
    def level(self) -> int:
        """Level of the interval in per cent: 90 for two one-sided tests at 5 %."""
        return 90 if self.shows == "within" else 95

    @property
    def region(self) -> str:
        """Where its interval must lie, in words."""
        written = f"{self.quantity.write(self.value).lstrip('+')} {self.quantity.unit}"
        value = written.strip() if self.value else "0"
        return {
            "above": f"above {value}",
            "below": f"below {value}",
            "apart": f"above or below {value}",
            "within": f"within ±{value}",
        }[self.shows]

    @property
    def row(self) -> str:
        """The row of results.json that it reads, in words."""
        levels = ", ".join(f"{factor} {level}" for factor, level in self.of.items())
        return f"{self.question} / {self.quantity.id}{f' ({levels})' if levels else ''}"

    def holds(self, low: float, high: float) -> bool:
        """Return whether an interval lies where it must."""
        above, below = low > self.value, high < self.value
        if self.shows == "within":
            return low > -self.value and high < self.value
        return {"above": above, "below": below, "apart": above or below}[self.shows]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What is expected, and the tests that decide it.

    Attributes
    ----------
    name
        Short name, such as ``H1``.
    text
        The hypothesis in one sentence.
    tests
        What the report must show.
    rule
        Whether all of them must hold, or one.
    family
        Over what their limits and p are corrected by Holm's method, in words; empty if they aren't.
        It must be named if one of several tests is enough.
    note
        What else decides, sentences.
    """

    name: str
    text: str
    tests: tuple[Criterion, ...]
    rule: Literal["all", "one"] = "all"
    family: str = ""
    note: str = ""

    @property
    def decided_by(self) -> str:
        """How its tests decide it, in words."""
        several, by = len(self.tests) > 1, self.tests[0].by
        needed = "At least one" if self.rule == "one" else "Each"
        parts = [f"{needed} of its tests must hold" if several else "Its test must hold"]
        if MEANS in by:
            parts.append(f"by {words_of(MODEL if MODEL in by else MEANS)}")
        if self.family:
            parts.append(f"its interval corrected by Holm's method over {self.family}")
        return f"{', '.join(parts)}.{self.note}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: its name in the tables, what it is, and its levels or unit."""

    name: str
    meaning: str
    values: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """A planned analysis.

    Attributes
    ----------
    section
        Title of the report's section that shows it.
    text
        What is done.
    formula
        The model in lme4's notation; empty if there is none.
    id
        Id of the question; made of the title by default.
    """

    section: str
    text: str
    formula: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True)
class Registered:
    """All that a study preregisters, apart from the sample's size.

    Attributes
    ----------
    question
        What the study asks, in one sentence.
    people
        Who takes part, in the plural, such as ``leads``.
    hypotheses
        What is expected.
    design, blinding, assignment
        What people go through, what they aren't told, and how conditions are assigned; sentences.
    items
        Material that each person sees, in words.
    manipulated, measured
        The variables.
    analyses
        What is planned. Confirmatory are the hypotheses' tests alone.
    primary
        Which analysis is primary, and which is reported beside it.
    exclusions
        Whom and what the analyses leave out; sentences.
    multiplicity
        How several tests are dealt with.
    missing
        What becomes of missing answers.
    """

    question: str
    people: str
    design: tuple[str, ...]
    blinding: str
    assignment: str
    items: str
    manipulated: tuple[Variable, ...]
    measured: tuple[Variable, ...]
    primary: str
    exclusions: tuple[str, ...]
    multiplicity: str
    missing: str
    hypotheses: tuple[Hypothesis, ...] = ()
    analyses: tuple[Analysis, ...] = ()
