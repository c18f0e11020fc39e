"""Protocol of the study human_ai_team (Nguyen, Kim & Nguyen 2021)."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.cases import Cases
from stimuli.keys import Key
from stimuli.protocol import Answers, Channel, Comparison, PositiveCount, Protocol, Section, Share

CONFIDENCE: Final = "confidence"
HUMAN_ALONE: Final = "human_alone"
NEIGHBOURS: Final = "nearest_neighbours"
TEXT: Final = "text"
RATIONALE: Final = "rationale"
HelpKind = Literal["none", "heatmap", "examples", "text"]
Subsampling = Literal["4:4:4", "4:2:2", "4:2:0"]
Variant = Literal["suite", "published"]
Arm = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
Inside = Annotated[float, Field(gt=0, lt=1)]


def help_kind(arm: str) -> HelpKind:
    """Return what kind of help an arm has; an arm that isn't known by name is a set of maps."""
    kinds: dict[str, HelpKind] = {
        CONFIDENCE: "none",
        HUMAN_ALONE: "none",
        NEIGHBOURS: "examples",
        TEXT: "text",
        RATIONALE: "text",
    }
    return kinds.get(arm, "heatmap")


class Images(Section):
    """The labelled images, and which of them are used."""

    resize_px: int = Field(
        ge=16,
        le=4096,
        description="Length of an image's shorter side before its centre is cropped.",
    )
    size_px: int = Field(
        ge=16,
        le=1024,
        description="Side of the crop that the network sees and people are shown, pixels.",
    )
    size_deg: float = Field(
        gt=0, le=40, description="Side of an image on screen in degrees of visual angle."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Colour around the images and of all screens, 8-bit sRGB."
    )
    least_side_px: PositiveCount = Field(
        description="Minimum length of an image's shorter side; smaller images are excluded."
    )
    drop_grey: bool = Field(description="Whether images without colour are excluded.")
    labels: tuple[str, ...] = Field(
        strict=False,
        description="People see no other labels than these: an image is used only if the "
        "classifier gives it one of them, as it is or after an attack; empty: all images. With "
        "breeds of dogs, for example, a dog that is classified as something else is excluded.",
    )
    only_labels: bool = Field(
        description="Whether images whose own label isn't among these labels are excluded, too.",
    )

    @model_validator(mode="after")
    def _crop_fits(self) -> Self:
        if self.size_px > self.resize_px:
            raise ValueError(f"size_px ({self.size_px}) exceeds resize_px ({self.resize_px})")
        if self.only_labels and not self.labels:
            raise ValueError("only_labels needs labels")
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
    calibration: Literal["none", "temperature"] = Field(
        description="temperature: the builder fits a temperature on images that nobody judges, so "
        "that the confidence is as high as the AI is often right, and writes it into temperature.",
    )
    calibration_share: Inside = Field(
        description="Share of each class's images on which the temperature is fitted.",
    )
    temperature: float = Field(
        gt=0,
        le=100,
        description="The network's logits are divided by it before they become a confidence.",
    )


class Bins(Section):
    """Bins of images, by whether the AI is right and how confident it is."""

    limits: Literal["fixed", "quantiles"] = Field(
        description="quantiles: the builder sets the four limits below to quantiles of the AI's "
        "confidence, so that every network fills every bin. Images that the AI gets right weigh as "
        "much as those that it gets wrong.",
    )
    quantiles: tuple[Inside, Inside, Inside, Inside] = Field(
        strict=False,
        description="Which quantiles low_below, mid_from, mid_below and high_from are then.",
    )
    low_below: Inside = Field(description="Upper limit of low confidence.")
    mid_from: Inside = Field(description="Confidence is medium from here …")
    mid_below: Inside = Field(description="… to below this.")
    high_from: Inside = Field(description="Lower limit of high confidence.")
    per_bin: int = Field(
        ge=1, le=10_000, description="Number of images of each of the six bins of natural images."
    )
    adversarial_per_level: int = Field(
        ge=0,
        le=10_000,
        description="Number of attacked images of each of the levels easy, medium and hard.",
    )
    sheets: int = Field(ge=1, le=1000, description="Number of sheets.")
    trials_per_sheet: int = Field(ge=1, le=2000, description="Number of images of a sheet.")

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        limits = (self.low_below, self.mid_from, self.mid_below, self.high_from)
        if list(limits) != sorted(limits) or self.mid_from == self.mid_below:
            raise ValueError("low_below, mid_from, mid_below and high_from must rise")
        if list(self.quantiles) != sorted(set(self.quantiles)):
            raise ValueError("quantiles must rise")
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
        gt=0, le=255, description="Maximum change of a colour value, in steps of 255."
    )
    steps: int = Field(ge=1, le=10_000, description="Number of gradient steps.")
    relative_step: float = Field(
        gt=0, le=1, description="Length of a step, as a share of the largest change."
    )
    random_start: bool = Field(
        description="Whether the attack starts at a random point in reach, or at the image."
    )
    stop: Literal["last", "wrong"] = Field(
        description="last: all steps are taken. wrong: the attack stops at the first step whose "
        "JPEG misleads the AI, so that the AI's confidence stays lower."
    )
    jpeg_quality: int = Field(
        ge=1,
        le=100,
        description="Quality of the JPEG that all images go through, and that must still mislead "
        "the AI after an attack.",
    )
    jpeg_subsampling: Subsampling = Field(
        description="Resolution of this JPEG's colours: 4:4:4 is all of it, 4:2:2 half of it from "
        "left to right, 4:2:0 half of it in both directions.",
    )


class Help(Section):
    """What helps people to judge, one kind an arm."""

    arms: tuple[Arm, ...] = Field(
        min_length=1,
        strict=False,
        description="The arms, between people: confidence, gradcam, extremal_perturbation, "
        "salient_object, nearest_neighbours, human_alone (the label only), text (from a CSV), "
        "rationale (what the AI itself says, from a table of its answers), another method of "
        "explain, or the name of a set of maps that the builder is given.",
    )
    neighbours: int = Field(ge=1, le=5, description="Number of examples.")
    near_duplicate_distance: float = Field(
        ge=0,
        description="Training images nearer than this count as the image itself and are excluded.",
    )
    extremal_areas: tuple[Inside, ...] = Field(
        min_length=1,
        strict=False,
        description="Extremal perturbation: shares of the image to keep; their masks are summed.",
    )
    extremal_variant: Variant = Field(
        description="Extremal perturbation: published searches as the authors did, suite in the "
        "suite's own way (docs/xai_backend.md compares both).",
    )
    extremal_smoothing: Share = Field(
        description="SD of the Gaussian that smooths the sum of masks, as a share of the image's "
        "side."
    )
    edge_share: Share = Field(description="Weight of the image's edges in a displayed heatmap.")
    when: Literal["at_once", "after_delay", "on_demand"] = Field(
        description="When the help is shown: with the image, delay_s after it, or on request."
    )
    delay_s: float = Field(ge=0, le=60, description="Delay of the help, with when = after_delay.")
    key: Key = Field(
        description="Key that requests the help, with when = on_demand; a key as left_key."
    )

    @model_validator(mode="after")
    def _arms_differ(self) -> Self:
        if len(set(self.arms)) != len(self.arms):
            raise ValueError("arms names an arm twice")
        return self


class Question(Section):
    """One trial: is the label right, yes or no?"""

    decision: Literal["one_stage", "two_stage"] = Field(
        description="one_stage: one answer, with the AI's confidence and the help. two_stage: a "
        "first answer without them, then a final one with them."
    )
    confidence_steps: Literal[0, 4] = Field(
        description="Steps of the scale on which people rate how sure they are; 0: not asked."
    )
    fixation_s: float = Field(ge=0, le=10, description="Fixation before the image.")
    limit_s: float = Field(ge=0.1, le=3600, description="Time limit; afterwards decision = none.")
    feedback_s: float = Field(ge=0, le=30, description="Feedback after a practice trial.")


class Prior(Section):
    """Before each trial: whether the person has ever seen such a thing."""

    asked: bool = Field(description="Whether this question is asked.")
    samples: int = Field(ge=0, le=5, description="Number of images that show what the label means.")
    sample_from: Share = Field(
        description="The AI is right on these images, with at least this confidence."
    )


class Validation(Section):
    """Trials that show who attends."""

    trials: int = Field(
        ge=0, le=100, description="Number of validation trials; without any, everybody passes."
    )
    right_trials: int = Field(ge=0, description="Number of these on which the AI is right.")
    right_from: Share = Field(
        description="Lowest confidence of right labels; if there are too few, the next lower ones "
        "follow.",
    )
    wrong_from: Share = Field(
        description="Lowest confidence of wrong labels, which are the AI's errors …"
    )
    wrong_to: Share = Field(
        description="… and highest confidence; if there are too few, the nearest others follow.",
    )
    pass_right: int = Field(ge=0, description="Number of right answers needed to pass.")
    placed: Literal["block", "mixed"] = Field(
        description="Before the trials of the sheet, or mixed with them."
    )
    then: Literal["go_on", "end"] = Field(
        description="What happens if a person doesn't pass. With placed = mixed the session "
        "always continues."
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for name in ("right_trials", "pass_right"):
            if getattr(self, name) > self.trials:
                raise ValueError(f"{name} ({getattr(self, name)}) exceeds trials ({self.trials})")
        if self.wrong_from > self.wrong_to:
            raise ValueError(f"wrong_from ({self.wrong_from}) exceeds wrong_to ({self.wrong_to})")
        return self


class Metrics(Section):
    """How maps are compared with the object's box."""

    pointing_tolerance_px: float = Field(
        ge=0, description="Pointing game: maximum distance from the box."
    )
    iou_from: Inside = Field(description="IoU: smallest threshold of a binarised map …")
    iou_to: Inside = Field(description="… largest …")
    iou_step: Inside = Field(description="… and the step between two.")
    wsl_threshold: Share = Field(
        description="WSL: the map's box holds values above this share of its maximum. The paper's "
        "value is the result of its search for the best score of its own maps."
    )
    wsl_iou: Share = Field(description="It must overlap the object's box by more than this.")


class Session(Answers):
    """The participant's session."""

    practice_trials: int = Field(
        ge=0, le=50, description="Number of trials with feedback, at the start."
    )


class Analysis(Comparison):
    """What the analysis was decided to be before the data came."""

    primary: Literal["all", "qualified"] = Field(
        description="Whose data are reported first: everybody's (intention to treat), or those of "
        "people who passed."
    )
    reference_arm: Arm = Field(
        description="The arm that the others are compared with. Holm's correction is over every "
        "arm against the reference, by families: discrimination (primary), over- and "
        "under-reliance, and right answers."
    )


class HumanAiTeam(Protocol):
    """People judge whether an AI's label is right, each with one kind of help."""

    study: Literal["human_ai_team"] = Field(description="The study, by its name in every room.")
    cases: Cases = Field(
        description="What people judge. texts: the AI's answers are recorded beforehand, and the "
        "sections images, attack and metrics have no effect.",
    )
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

    @model_validator(mode="after")
    def _texts_have_no_pixels(self) -> Self:
        if self.cases == "images":
            return self
        for arm in self.help.arms:
            if help_kind(arm) not in ("none", "text"):
                raise ValueError(f"help.arms: {arm} is made of an image's pixels; cases are texts")
        if self.bins.adversarial_per_level:
            raise ValueError("bins.adversarial_per_level must be 0: texts aren't attacked")
        if self.prior.asked:
            raise ValueError(
                "prior.asked must be false: it asks whether a person has seen what an image shows"
            )
        return self
