"""Protocol of accept_reject's assessment of accuracy (Saralajew et al. 2022, section 2.3)."""

from typing import Literal, Self

from pydantic import Field, model_validator

from stimuli.cases import Cases
from stimuli.protocol import (
    Answers,
    Channel,
    Comparison,
    FewPeople,
    Practice,
    Protocol,
    Section,
    Share,
)
from stimuli.studies.accept_reject.protocol import Trial, Whole


class Images(Section):
    """The labelled images, which are the tasks."""

    size_px: int = Field(
        ge=32, le=2048, description="Side of the square that every image is fitted into, pixels."
    )
    size_deg: float = Field(
        gt=0, le=40, description="Side of the square on screen in degrees of visual angle."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Colour around the images and of all screens, 8-bit sRGB."
    )


class System(Section):
    """S: the classifier."""

    abstain_below: Share = Field(
        description="S says no_solution if its confidence is lower; 0: never."
    )


class Shares(Whole):
    """Shares of a list's trials by who solved them and why."""

    S: Share = Field(description="Labelled by the system.")
    E: Share = Field(description="Labelled by the data set.")
    wrong_label: Share = Field(description="Control: a label that neither of them gave.")
    no_solution: Share = Field(description="Control: the word for no solution derived.")

    @model_validator(mode="after")
    def _is_balanced(self) -> Self:
        if self.S != self.E or self.S == 0:
            raise ValueError(
                f"S ({self.S:g}) and E ({self.E:g}) must be alike and above 0: in half of the "
                "lists an image comes with the one's label, in half with the other's"
            )
        return self


class Solutions(Section):
    """The solution pack: what a lead judges, and how it is balanced."""

    most_trials: int = Field(
        ge=4,
        le=2000,
        description="Maximum number of main trials of a list; with more images there are more "
        "lists.",
    )
    practice_trials: int = Field(
        ge=0, le=100, description="Number of trials with feedback before the run."
    )
    shares: Shares = Field(description="What a list's trials are made of.")


class Session(Answers):
    """The lead's session."""


class Analysis(Comparison):
    """What the analysis was decided to be before the data came."""

    primary_test: Literal["means"] = Field(
        description="The primary analysis: means over leads and images. This assessment has no "
        "model.",
    )
    few_people: FewPeople
    compliance_minimum: Share = Field(
        description="Minimum share of controls that a lead must reject to be included in the "
        "second analysis."
    )


class AcceptRejectAccuracy(Protocol):
    """A lead accepts or rejects labels of images, given by a classifier or by the data set."""

    study: Literal["accept_reject"] = Field(description="The study, by its name in every room.")
    assessment: Literal["accuracy"] = Field(
        description="What is assessed. The protocol that assesses explanations has no such field."
    )
    cases: Cases = Field(
        description="What leads judge. texts: S's answers are recorded beforehand, and of the "
        "section images only ground_srgb has an effect.",
    )
    images: Images
    system: System
    solutions: Solutions
    trial: Trial
    session: Session
    practice: Practice
    analysis: Analysis
