"""Protocol of study human_ai_team (Nguyen, Kim & Nguyen 2021)."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.protocol.base import (
    Answers,
    Channel,
    Comparison,
    PositiveCount,
    Protocol,
    Section,
    Share,
)

CONFIDENCE: Final = "confidence"
HUMAN_ALONE: Final = "human_alone"
NEIGHBOURS: Final = "nearest_neighbours"
TEXT: Final = "text"
HelpKind = Literal["none", "heatmap", "examples", "text"]
Arm = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Inside = Annotated[float, Field(gt=0, lt=1)]


def help_kind(arm: str) -> HelpKind:
    """Return what kind of help an arm has; an arm that isn't known by name is a set of maps."""
    kinds: dict[str, HelpKind] = {
        CONFIDENCE: "none",
        HUMAN_ALONE: "none",
        NEIGHBOURS: "examples",
        TEXT: "text",
    }
    return kinds.get(arm, "heatmap")


class Images(Section):
    """The labelled images, and which of them are used."""

    resize_px: int = Field(
        ge=16,
        le=4096,
        description="An image's shorter side becomes so long before its centre is cropped.",
    )
    size_px: int = Field(
        ge=16, le=1024, description="Side of the crop that the network sees, which is shown."
    )
    size_deg: float = Field(
        gt=0, le=40, description="Side of an image on screen in degrees of visual angle."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Colour around the images and of all screens, 8-bit sRGB."
    )
    least_side_px: PositiveCount = Field(
        description="Images whose shorter side is smaller are dropped."
    )
    drop_grey: bool = Field(description="Whether images without colour are dropped.")
    labels: tuple[str, ...] = Field(
        strict=False,
        description="Only images that the classifier gives one of these labels are used; empty: "
        "any. With breeds of dogs, a dog that is taken for something else is dropped.",
    )

    @model_validator(mode="after")
    def _crop_fits(self) -> Self:
        if self.size_px > self.resize_px:
            raise ValueError(f"size_px ({self.size_px}) exceeds resize_px ({self.resize_px})")
        return self


class System(Section):
    """The AI: the classifier whose labels are judged."""

    network: str = Field(
        min_length=1, description="The classifier, by its name in torchvision or xai_backend."
    )
    layer: str = Field(
        description="Layer of GradCAM's maps and of the neighbours' features; empty: the last "
        "convolutional one."
    )


class Bins(Section):
    """Bins of images, by whether the AI is right and how confident it is."""

    low_below: Inside = Field(description="Confidence is low below this.")
    mid_from: Inside = Field(description="Confidence is middling from here …")
    mid_below: Inside = Field(description="… to below this.")
    high_from: Inside = Field(description="Confidence is high from here, 1 included.")
    per_bin: int = Field(
        ge=1, le=10_000, description="Images of each of the six bins of natural images."
    )
    adversarial_per_level: int = Field(
        ge=0, le=10_000, description="Attacked images of each of the levels easy, medium and hard."
    )
    sheets: int = Field(ge=1, le=1000, description="Sheets that the images are dealt into.")
    trials_per_sheet: int = Field(ge=1, le=2000, description="Images of a sheet.")

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        limits = (self.low_below, self.mid_from, self.mid_below, self.high_from)
        if list(limits) != sorted(limits) or self.mid_from == self.mid_below:
            raise ValueError("low_below, mid_from, mid_below and high_from must rise")
        if self.trials_per_sheet > self.images:
            raise ValueError(
                f"trials_per_sheet ({self.trials_per_sheet}) exceeds the {self.images} images; "
                "nobody sees an image twice"
            )
        if self.sheets * self.trials_per_sheet < self.images:
            raise ValueError(
                f"{self.sheets} sheets of {self.trials_per_sheet} show fewer than the "
                f"{self.images} images; raise sheets, or lower per_bin or adversarial_per_level"
            )
        return self

    @property
    def images(self) -> int:
        """Images of the main trials, over all sheets."""
        return 6 * self.per_bin + 3 * self.adversarial_per_level


class Attack(Section):
    """How adversarial images are made: projected gradient descent under the maximum norm."""

    epsilon_255: float = Field(
        gt=0, le=255, description="Largest change of a colour value, in steps of 255."
    )
    steps: int = Field(ge=1, le=10_000, description="Steps of ascent.")
    relative_step: float = Field(
        gt=0, le=1, description="Length of a step, as a share of the largest change."
    )
    random_start: bool = Field(description="Whether it starts anywhere in reach, or at the image.")
    stop: Literal["last", "wrong"] = Field(
        description="last: all steps are taken. wrong: it stops at the first step whose JPEG "
        "misleads the AI, so that the AI's confidence in what it then says stays lower."
    )
    jpeg_quality: int = Field(
        ge=1, le=100, description="Quality of the JPEG that must still mislead the AI."
    )
    disguise: Literal["none", "borrowed"] = Field(
        default="none",
        description="borrowed: images that aren't attacked get the grain that attacks left on "
        "other images, and the AI answers to these; so nobody sees which images were attacked. "
        "none: they are shown as they are.",
    )


class Help(Section):
    """What helps people to judge, one kind an arm."""

    arms: tuple[Arm, ...] = Field(
        min_length=1,
        strict=False,
        description="The arms, between people: confidence, gradcam, extremal_perturbation, "
        "salient_object, nearest_neighbours, human_alone (the label alone), text (from a CSV), or "
        "the name of a set of maps that the builder is given.",
    )
    neighbours: int = Field(ge=1, le=5, description="Examples that are shown.")
    near_duplicate_distance: float = Field(
        ge=0, description="Nearer training images count as the image itself and are left out."
    )
    extremal_areas: tuple[Inside, ...] = Field(
        min_length=1,
        strict=False,
        description="Extremal perturbation: shares of the image to keep; their masks are summed.",
    )
    extremal_smoothing: Share = Field(
        description="SD of the Gaussian on that sum, as a share of the image's side."
    )
    edge_share: Share = Field(
        description="Weight of the image's edges in the picture of a heatmap."
    )
    when: Literal["at_once", "after_delay", "on_demand"] = Field(
        description="When the help is shown: with the image, delay_s after it, or when asked for."
    )
    delay_s: float = Field(ge=0, le=60, description="How much later with when = after_delay.")
    key: str = Field(min_length=1, description="Key that asks for it with when = on_demand.")

    @model_validator(mode="after")
    def _arms_differ(self) -> Self:
        if len(set(self.arms)) != len(self.arms):
            raise ValueError("arms names an arm twice")
        return self


class Question(Section):
    """One trial: is the label right, yes or no?"""

    decision: Literal["one_stage", "two_stage"] = Field(
        description="one_stage: one answer, with the AI's confidence and the help. two_stage: an "
        "answer of one's own without them, then a final one with them."
    )
    confidence_steps: Literal[0, 4] = Field(
        description="Steps of the scale on which people rate how sure they are; 0: not asked."
    )
    fixation_s: float = Field(ge=0, le=10, description="Fixation before the image.")
    limit_s: float = Field(gt=0, le=3600, description="After this, decision = none.")
    feedback_s: float = Field(ge=0, le=30, description="Feedback after a practice trial.")


class Prior(Section):
    """Before each trial: whether the person has ever seen such a thing."""

    asked: bool = Field(description="Whether it is asked.")
    samples: int = Field(ge=0, le=5, description="Images that show what the label means.")
    sample_from: Share = Field(
        description="The AI gets these right, with at least this confidence."
    )


class Validation(Section):
    """Trials that show who attends."""

    trials: int = Field(ge=0, le=100, description="How many; none: everybody passes.")
    right_trials: int = Field(ge=0, description="In so many of them the AI is right.")
    pass_right: int = Field(ge=0, description="Right answers that are needed to pass.")
    placed: Literal["block", "mixed"] = Field(
        description="Before the sheet's trials, or spread among them."
    )
    then: Literal["go_on", "end"] = Field(
        description="What follows for who doesn't pass; placed = mixed always goes on."
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for name in ("right_trials", "pass_right"):
            if getattr(self, name) > self.trials:
                raise ValueError(f"{name} ({getattr(self, name)}) exceeds trials ({self.trials})")
        return self


class Metrics(Section):
    """How maps are compared with the object's box."""

    pointing_tolerance_px: float = Field(
        ge=0, description="Pointing game: so far from the box is near enough."
    )
    iou_from: Inside = Field(description="IoU: smallest threshold of a binarised map …")
    iou_to: Inside = Field(description="… largest …")
    iou_step: Inside = Field(description="… and the step between two.")
    wsl_threshold: Share = Field(
        description="WSL: the map's box holds values above this share of its maximum."
    )
    wsl_iou: Share = Field(description="It must overlap the object's box by more than this.")


class Session(Answers):
    """The participant's session."""

    practice_trials: int = Field(ge=0, le=50, description="Trials with feedback, at the start.")


class Analysis(Comparison):
    """What the analysis was decided to be before the data came."""

    primary: Literal["all", "qualified"] = Field(
        description="Whose data come first: everybody's (intention to treat), or those who passed."
    )
    reference_arm: Arm = Field(description="The arm that the others are compared with first.")


class HumanAiTeam(Protocol):
    """People judge whether an AI's label is right, each with one kind of help."""

    study: Literal["human_ai_team"] = Field(description="The study, by its name in every room.")
    images: Images
    system: System
    bins: Bins
    attack: Attack
    help: Help
    question: Question
    prior: Prior
    validation: Validation
    metrics: Metrics
    session: Session
    analysis: Analysis

    @property
    def trials(self) -> int:
        """Trials of one person, over all phases."""
        return self.session.practice_trials + self.validation.trials + self.bins.trials_per_sheet

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.analysis.reference_arm not in self.help.arms:
            raise ValueError(
                f"analysis.reference_arm {self.analysis.reference_arm!r} is not among help.arms"
            )
        keys = (self.session.left_key, self.session.right_key)
        if self.help.when == "on_demand" and self.help.key in keys:
            raise ValueError(f"help.key {self.help.key!r} is one of the session's keys")
        return self
