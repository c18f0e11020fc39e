"""What a study declares so that it can be preregistered; its texts follow from a protocol."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from analysis.power.results import RegisteredPower
from stimuli.protocol import Protocol

Role = Literal["primary", "secondary"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """What is expected, and what decides it.

    Attributes
    ----------
    name
        Short name, such as ``H1``.
    text
        The hypothesis in one sentence.
    decided_by
        The estimate or test, and what it must show.
    """

    name: str
    text: str
    decided_by: str


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
    role
        Whether a hypothesis is decided by it.
    text
        What is done.
    formula
        The model in lme4's notation; empty if there is none.
    id
        Id of the question; made of the title by default.
    """

    section: str
    role: Role
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
        What is planned; sections of the report that aren't named here are exploratory.
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

    @property
    def sections(self) -> dict[str, Role]:
        """The role of each planned section of the report, by its title."""
        return {one.section: one.role for one in self.analyses}


@dataclass(frozen=True, slots=True)
class Given:
    """What a preregistration is made from, apart from what the study declares.

    Attributes
    ----------
    protocol, protocol_hash
        The rules, and their hash.
    participants
        How many are to be analysed.
    power
        Results of a power simulation; None if there was none.
    rationale
        Why so many, in the experimenter's words; may be empty if `power` is given.
    registered_utc
        When, ISO 8601.
    versions
        Of the suite and of what it rests on.
    """

    protocol: Protocol
    protocol_hash: str
    participants: int
    power: RegisteredPower | None
    rationale: str
    registered_utc: str
    versions: Mapping[str, str]
