"""Protocol of study progressive_reveal (Dawoud et al. 2023, sections III and IV)."""

import math
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.protocol import Channel, PositiveCount, Practice, Protocol, Section
from stimuli.studies.progressive_reveal.analysis_plan import Analysis, Exclusion
from stimuli.studies.progressive_reveal.reveal import BESIDE, MOST_STEPS, Polarity, Ties

Method = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40)]
Part = Annotated[float, Field(gt=0, le=1)]
Weight = Annotated[float, Field(ge=0)]

PROTOTYPES: Final = "protopnet"
"""The method whose maps are those of prototypes, which have a rule of their own."""
HUMAN: Final = "human"
"""The method whose maps are people's."""
NO_REFERENCE: Final = "none"
NO_METHOD: Final = "catch_"
"""No method's name begins so: it marks what stands in the method's place of a catch round."""


class Images(Section):
    """The labelled images that are uncovered."""

    size_px: int = Field(
        ge=16, le=1024, description="Side of the square to which every image is resized, pixels."
    )
    size_deg: float = Field(
        gt=0, le=40, description="Side of the square on screen in degrees of visual angle."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False,
        description="Colour around the image and of all screens, 8-bit sRGB; what is covered is "
        "black.",
    )
    classes: int = Field(
        ge=2, le=1000, description="Number of classes. All are in the class table."
    )
    images_per_class: PositiveCount = Field(description="Number of main images of each class.")
    named_classes: tuple[str, ...] = Field(
        strict=False,
        description="Names of the classes, as many as `classes` says; empty: drawn by seed.",
    )
    only_correct: bool = Field(
        description="Whether only correctly classified images are shown.",
    )

    @model_validator(mode="after")
    def _names_as_many_as_there_are(self) -> Self:
        if len(set(self.named_classes)) != len(self.named_classes):
            raise ValueError("named_classes names a class twice")
        if self.named_classes and len(self.named_classes) != self.classes:
            raise ValueError(
                f"named_classes names {len(self.named_classes)} classes, but classes is "
                f"{self.classes}"
            )
        return self


class System(Section):
    """The classifier that the methods explain."""

    network: str = Field(min_length=1, description="The classifier, by its name in xai_backend.")
    lrp_composite: Literal["epsilon_plus_flat"] = Field(
        description="LRP: which rule propagates relevance through which layer."
    )
    patch_px: PositiveCount = Field(
        description="Occlusion: side of the black patch in pixels of the network's input."
    )
    stride_px: PositiveCount = Field(
        description="Occlusion: step of the patch in pixels of the network's input."
    )
    prototype_reading: Literal["class", "contribution", "any"] = Field(
        description="Protopnet: the prototype whose map uncovers the image. class: the most "
        "similar prototype of the image's class. contribution: the one that adds most to the "
        "class's logit. any: the most similar prototype of any class.",
    )
    explained_class: Literal["true", "predicted"] = Field(
        description="Which class the maps explain. true: the true class. predicted: the class "
        "that the explained network predicts, right or wrong.",
    )


class MethodRule(Section):
    """How much of an image one method uncovers, where that isn't the rule for all."""

    method: Method = Field(description="One of reveal.methods, other than the reference.")
    share: Part = Field(description="Share of the image that the method uncovers in the end.")
    follow: bool = Field(
        default=False,
        description="Whether it uncovers as much as the reference does, step by step, where in "
        "the end that is more.",
    )


class Reveal(Section):
    """How an image is uncovered: which pixels, how many, how fast."""

    methods: tuple[Method, ...] = Field(
        min_length=1,
        max_length=12,
        strict=False,
        description="Methods whose maps uncover the images: human, protopnet, or a method's name "
        "in xai_backend.",
    )
    reference: str = Field(
        description="The method that uncovers all of its relevant pixels and sets the number for "
        "others: the human maps; none if there are none."
    )
    steps: int = Field(ge=1, le=MOST_STEPS, description="Revelation steps of a round.")
    step_s: float = Field(gt=0, le=60, description="Duration of a step.")
    relevant_share: Part = Field(
        description="Share of the image that methods other than the reference and protopnet have "
        "uncovered at the last step.",
    )
    follow_reference: bool = Field(
        description="Whether these methods uncover as much as the reference at each step, if the "
        "reference uncovers more in total."
    )
    prototype_share: Part = Field(
        description="Share of the image that protopnet has uncovered at the last step."
    )
    rules: tuple[MethodRule, ...] = Field(
        strict=False,
        description="Rules of single methods, instead of relevant_share, follow_reference and "
        "prototype_share.",
    )
    polarity: Polarity = Field(
        description="positive: only evidence for the class is uncovered. absolute: evidence for "
        "and against the class, the strongest first. absolute_marked: the same, with pixels "
        "against the class tinted. negative_beside: evidence for the class is uncovered in the "
        "image, and evidence against it, by the same rule, in a small window beside it."
    )
    ties: Ties = Field(
        description="Order of equally relevant pixels. inside_out: first the pixels farthest from "
        "the edge of their plateau; among these, the nearest to the uncovered area; then a keyed "
        "hash. hash: the hash only.",
    )
    prototype_beside: bool = Field(
        description="Whether protopnet's rounds show the most similar prototype beside the image."
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if len(set(self.methods)) != len(self.methods):
            raise ValueError("methods names a method twice")
        if NO_REFERENCE in self.methods:
            raise ValueError(f"methods: {NO_REFERENCE} is a reserved word")
        if any(method.startswith(NO_METHOD) for method in self.methods):
            raise ValueError(f"methods: a name that begins with {NO_METHOD} is of catch rounds")
        if self.reference not in (*self.methods, NO_REFERENCE):
            raise ValueError(
                f"reference {self.reference!r} is not among methods; take one of them, or "
                f"{NO_REFERENCE}"
            )
        ruled = [rule.method for rule in self.rules]
        if len(set(ruled)) != len(ruled):
            raise ValueError("rules has two rules of one method")
        if self.reference in ruled:
            raise ValueError(f"rules: {self.reference} is the reference, which has its own rule")
        for unknown in sorted(set(ruled) - set(self.methods)):
            raise ValueError(f"rules: {unknown} is not among methods")
        if self.prototype_beside and PROTOTYPES not in self.methods:
            raise ValueError(f"prototype_beside needs {PROTOTYPES} among methods")
        if self.prototype_beside and self.polarity == BESIDE:
            raise ValueError(
                f"prototype_beside and polarity {BESIDE} need the same place; take one of them"
            )
        return self


class Session(Section):
    """The participant's rounds, in one or several sittings."""

    sittings: PositiveCount = Field(description="Number of sittings.")
    rounds_per_sitting: PositiveCount = Field(
        description="Number of main rounds of a sitting; later sittings have one less if rounds "
        "don't divide evenly."
    )
    least_gap_h: float = Field(
        ge=0,
        le=24 * 365,
        description="Minimum number of hours between the end of a sitting and the next one; 0: no "
        "minimum.",
    )
    practice_rounds: int = Field(
        ge=0, le=20, description="Number of rounds before the main ones, with their own images."
    )
    warm_up_rounds: int = Field(
        ge=0,
        le=20,
        description="Number of practice rounds at the start of each sitting except the first, "
        "with images of the practice rounds; at most as many as those.",
    )
    catch_rounds: int = Field(
        ge=0,
        le=100,
        description="Number of a participant's catch rounds over all sittings, with their own "
        "images: half of them can't be recognised before the last step, half are shown whole at "
        "once. To the participant they look like any other round. They are used for the exclusion "
        "rules only.",
    )
    expected_marking_s: float = Field(
        gt=0,
        description="Approximate time to mark an image with bubbles; the consent form computes "
        "the session's length from it.",
    )
    fixation_s: float = Field(ge=0, le=10, description="Fixation before the image.")
    feedback_s: float = Field(
        gt=0,
        le=30,
        description="Time for which the whole image with the right word is shown after a round.",
    )
    suggestions_most: int = Field(
        ge=0, le=30, description="Maximum number of suggestions below the answer field; 0: no list."
    )
    copy_typing_words: int = Field(
        ge=0, le=100, description="Class names to copy before the rounds, to time the typing."
    )
    break_every_rounds: PositiveCount = Field(
        description="Number of rounds between breaks. In a break people can also leave and "
        "continue on another day."
    )
    survey: bool = Field(
        description="Whether the optional questions are asked: gender, age band, field, knowledge "
        "of machine learning."
    )
    demographics: Literal["before", "after"] = Field(
        description="When the questions on gender, age band and field are asked: before the first "
        "round, or after the last. The question on machine learning is always asked after the "
        "last round, because it reveals what the study is about.",
    )
    orders_per_rotation: int = Field(
        ge=1,
        le=1000,
        description="Number of lists, each with its own order, for each rotation of methods over "
        "images.",
    )
    comprehension_attempts: PositiveCount = Field(
        description="Attempts at the comprehension check before the experimenter is called."
    )
    wait_after_unanswered: int = Field(
        ge=0,
        description="After this many rounds in a row without a key, the session waits for a key; "
        "0: never.",
    )


class Training(Section):
    """ProtoPNet on the classifier as its backbone (Chen et al. 2019)."""

    prototypes_per_class: PositiveCount = Field(description="Prototypes of each class.")
    channels: PositiveCount = Field(description="Depth of a prototype.")
    cluster: Weight = Field(
        description="Weight of the cluster cost, which moves each image near a prototype of its "
        "class."
    )
    separation: Weight = Field(
        description="Weight of the separation cost, which moves each image away from other "
        "classes' prototypes."
    )
    l1: Weight = Field(description="Weight of the last layer's connections to other classes.")
    warm_epochs: int = Field(
        ge=0, description="Epochs of prototypes and add-on layers, with the backbone frozen."
    )
    cycles: PositiveCount = Field(
        description="Number of cycles of joint epochs, push and optimisation of the last layer."
    )
    joint_epochs: PositiveCount = Field(
        description="Epochs of all layers but the last in each cycle."
    )
    last_iterations: int = Field(
        ge=0, description="Iterations of the last layer after each push, at most."
    )


class Answering(Section):
    """What counts as an answer."""

    accept_aliases: bool = Field(
        description="Whether a class's other names are also accepted and suggested."
    )
    tries: int = Field(
        ge=0, le=100, description="Maximum number of answers per round; 0: no limit."
    )


class ProgressiveReveal(Protocol):
    """Images are uncovered step by step in an explanation's order; a person names them."""

    study: Literal["progressive_reveal"] = Field(
        description="The study, by its name in every room."
    )
    images: Images
    system: System
    reveal: Reveal
    session: Session
    practice: Practice
    training: Training
    answering: Answering
    exclusion: Exclusion
    analysis: Analysis

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        wanted = math.ceil(self.rounds / self.session.sittings)
        if self.session.rounds_per_sitting != wanted:
            raise ValueError(
                f"{self.images.classes} classes × {self.images.images_per_class} images are "
                f"{self.rounds} rounds: with session.sittings {self.session.sittings}, "
                f"session.rounds_per_sitting must be {wanted}"
            )
        if self.session.sittings > self.rounds:
            raise ValueError(f"session.sittings exceeds the {self.rounds} rounds")
        if 2 * self.session.catch_rounds > self.rounds:
            raise ValueError(
                f"session.catch_rounds is {self.session.catch_rounds}, with {self.rounds} rounds "
                f"at most {self.rounds // 2}"
            )
        if self.session.catch_rounds and self.reveal.steps < 2:
            raise ValueError("session.catch_rounds needs reveal.steps of 2 or more")
        if self.analysis.reference not in self.reveal.methods:
            raise ValueError(
                f"analysis.reference {self.analysis.reference!r} is not among reveal.methods"
            )
        if self.system.explained_class == "predicted" and set(self.reveal.methods) <= {HUMAN}:
            raise ValueError(
                "system.explained_class predicted: no network is explained; reveal.methods names "
                f"{HUMAN} alone"
            )
        return self

    @property
    def least_gap_h(self) -> float:
        """Least number of hours between two sittings."""
        return self.session.least_gap_h

    @property
    def rounds(self) -> int:
        """Main rounds of a participant: every image once."""
        return self.images.classes * self.images.images_per_class

    @property
    def rounds_with_catch(self) -> int:
        """Rounds of a participant that aren't practice: the main ones and the catch rounds."""
        return self.rounds + self.session.catch_rounds

    @property
    def image_pixels(self) -> int:
        """Pixels of an image."""
        return self.images.size_px**2
