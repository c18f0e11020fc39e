"""Protocol of study progressive_reveal (Dawoud et al. 2023, sections III and IV)."""

import math
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.protocol.base import Channel, PositiveCount, Practice, Protocol, Section, Share
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
        ge=16, le=1024, description="Side of the square that every image is brought to, pixels."
    )
    size_deg: float = Field(
        gt=0, le=40, description="Side of the square on screen in degrees of visual angle."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False,
        description="Colour around the image and of all screens, 8-bit sRGB; what is covered is "
        "black.",
    )
    classes: int = Field(ge=2, le=1000, description="Classes, all of them in the class table.")
    images_per_class: PositiveCount = Field(description="Main images of each class.")
    named_classes: tuple[str, ...] = Field(
        default=(),
        strict=False,
        description="The classes by name, as many as classes says; empty to draw them by seed.",
    )
    only_correct: bool = Field(
        default=False,
        description="Whether only images are shown whose class the classifier names rightly.",
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
        default="class",
        description="Protopnet: whose map uncovers the image. class: that of the class's own "
        "prototype that the image is most like. contribution: of the one that adds most to the "
        "class's logit. any: of the prototype that the image is most like, whatever its class.",
    )
    explained_class: Literal["true", "predicted"] = Field(
        default="true",
        description="Which class the maps explain. true: the image's own. predicted: the one that "
        "the explained network gives, right or wrong.",
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
        description="The method that uncovers every pixel it finds relevant, and that others "
        "follow: the human maps; none where there are none."
    )
    steps: int = Field(ge=1, le=MOST_STEPS, description="Revelation steps of a round.")
    step_s: float = Field(gt=0, le=60, description="Duration of a step.")
    relevant_share: Part = Field(
        description="Share of the image that methods other than the reference and protopnet "
        "uncover in the end.",
    )
    follow_reference: bool = Field(
        description="Whether these methods uncover as much as the reference does, step by step, "
        "where in the end that is more."
    )
    prototype_share: Part = Field(
        description="Share of the image that protopnet uncovers in the end."
    )
    polarity: Polarity = Field(
        description="positive: relevance for the class alone is uncovered. absolute: evidence for "
        "and against the class, the strongest first. absolute_marked: the same, and pixels that "
        "speak against the class are tinted. negative_beside: what speaks for the class is "
        "uncovered in the image, and what speaks against it, by the same rule, in a small window "
        "beside it."
    )
    ties: Ties = Field(
        default="hash",
        description="Which of equally relevant pixels come first. inside_out: the farthest from "
        "where their plateau ends, of these the nearest to what is uncovered by then, last a "
        "keyed hash. hash: the hash alone.",
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
        if self.prototype_beside and PROTOTYPES not in self.methods:
            raise ValueError(f"prototype_beside needs {PROTOTYPES} among methods")
        if self.prototype_beside and self.polarity == BESIDE:
            raise ValueError(
                f"prototype_beside and polarity {BESIDE} need the same place; take one of them"
            )
        return self


class Session(Section):
    """The participant's rounds, in one or several sittings."""

    sittings: PositiveCount = Field(description="Sittings over which the rounds are spread.")
    rounds_per_sitting: PositiveCount = Field(
        description="Main rounds of a sitting; of the last ones one fewer where it doesn't divide."
    )
    least_gap_h: float = Field(
        default=0.0,
        ge=0,
        le=24 * 365,
        description="Least hours between the end of a sitting and the next one; 0: it may "
        "follow at once.",
    )
    practice_rounds: int = Field(
        ge=0, le=20, description="Rounds before the main ones, with images of their own."
    )
    warm_up_rounds: int = Field(
        default=0,
        ge=0,
        le=20,
        description="Rounds of practice that each sitting but the first begins with, with images "
        "of the practice rounds; at most as many as these are.",
    )
    catch_rounds: int = Field(
        default=0,
        ge=0,
        le=100,
        description="Catch rounds of a participant over all sittings, with images of their own: "
        "half of them can't be recognised before the last step, half are shown whole at once. To "
        "the participant they look like any round. The exclusion rules alone rest on them.",
    )
    expected_marking_s: float = Field(
        default=20.0,
        gt=0,
        description="About how long it takes to mark an image by bubbles; the consent tells the "
        "session's length by it.",
    )
    fixation_s: float = Field(ge=0, le=10, description="Fixation before the image.")
    feedback_s: float = Field(
        gt=0, le=30, description="The whole image with the right word after a round."
    )
    suggestions_most: int = Field(
        ge=0, le=30, description="Lines of the list below the answer field; 0 is no list."
    )
    copy_typing_words: int = Field(
        ge=0, le=100, description="Class names to copy before the rounds, to time the typing."
    )
    break_every_rounds: PositiveCount = Field(
        description="After so many rounds of a sitting a break is offered, or to go on another day."
    )
    survey: bool = Field(
        description="Whether the optional questions come: gender, age band, field, knowledge of "
        "machine learning."
    )
    demographics: Literal["before", "after"] = Field(
        default="after",
        description="Where gender, age band and field are asked: before the first round, or after "
        "the last. What is known of machine learning is always asked after the last round: the "
        "question names what the study is about.",
    )
    orders_per_rotation: int = Field(
        ge=1,
        le=1000,
        description="Lists, each in an order of its own, for each of the rotations of methods "
        "over images.",
    )
    comprehension_attempts: PositiveCount = Field(
        description="Tries at the comprehension check before the experimenter is called."
    )
    wait_after_unanswered: int = Field(
        default=0,
        ge=0,
        description="After so many rounds in a row without a key the session waits until "
        "somebody presses a key; 0 is never.",
    )


class Training(Section):
    """ProtoPNet on the classifier as its backbone (Chen et al. 2019)."""

    prototypes_per_class: PositiveCount = Field(description="Prototypes of each class.")
    channels: PositiveCount = Field(description="Depth of a prototype.")
    cluster: Weight = Field(
        description="Weight of the cluster cost: each image near a prototype of its class."
    )
    separation: Weight = Field(
        description="Weight of the separation cost: each image far from other classes' prototypes."
    )
    l1: Weight = Field(description="Weight of the last layer's connections to other classes.")
    warm_epochs: int = Field(
        ge=0, description="Epochs of prototypes and add-on layers, the backbone frozen."
    )
    cycles: PositiveCount = Field(
        description="Rounds of joint epochs, push and optimisation of the last layer."
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
        description="Whether a class's other names are answers and suggestions too."
    )
    tries: int = Field(ge=0, le=100, description="Answers a round; 0 is any number.")


class Exclusion(Section):
    """Whom the second analysis leaves out; the first is by intention to treat.

    The defaults leave nobody out, as before there were rules.
    """

    idle_share: Share = Field(
        default=1.0,
        description="Largest share of a person's rounds without a key; who has more is left out.",
    )
    wrong_answers: float = Field(
        default=0.0,
        ge=0,
        description="Largest number of wrong answers a round on average; who gives more guesses. "
        "0 is any number.",
    )
    walk_answers: int = Field(
        default=0,
        ge=0,
        description="A round is a walk where so many answers in a row go through the table of "
        "classes one by one, down or up. 0 looks for none.",
    )
    walks_share: Share = Field(
        default=1.0, description="Largest share of a person's rounds that are walks."
    )
    catch_answers: int = Field(
        default=0,
        ge=0,
        description="Guesses that a catch round may have which can't be recognised before its last "
        "step; with more it is failed. One that is shown whole is failed if it isn't recognised.",
    )
    catch_share: Share = Field(
        default=1.0,
        description="Largest share of failed catch rounds of either kind; who fails more of them "
        "is left out. Judged from two rounds of a kind on.",
    )


class Analysis(Section):
    """What the analysis was decided to be before the data came."""

    reference: str = Field(description="The method with which the others are compared.")
    replicates: int = Field(ge=1, le=1_000_000, description="Bootstrap replicates.")
    seed: int = Field(ge=0, description="Seed of the bootstrap.")
    primary_test: Literal["model", "means"] = Field(
        default="model",
        description="The primary analysis: the mixed model of the study (t tests with "
        "Satterthwaite's degrees of freedom), or means over participants and items. The other "
        "stands beside it.",
    )
    restricted_mean: Literal["smallest_final_count"] = Field(
        description="Up to where the mean of needed pixels is taken: each image's smallest final "
        "count among the methods."
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
    practice: Practice = Practice()
    training: Training
    answering: Answering
    exclusion: Exclusion = Exclusion()
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
