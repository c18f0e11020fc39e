"""Protocol of study simulatability (Hase & Bansal 2020)."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.protocol.base import Answers, Channel, Comparison, Protocol, Section, Share

NO_EXPLANATION: Final = "no_explanation"
PUBLISHED_METHODS: Final = ("lime", "anchor", "prototype", "decision_boundary", "composite")
OMISSION: Final = "omission"
BUILT_IN: Final = (*PUBLISHED_METHODS, OMISSION, NO_EXPLANATION)
DOMAINS: Final = ("text", "tabular")
OUTCOMES: Final = 4
"""True and false positives and negatives: the cells over which items are balanced."""
UNDERSTANDING_QUESTIONS: Final = 5
"""Questions on method and balance."""
Domain = Literal["text", "tabular"]
Method = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
TestName = Literal["forward", "counterfactual"]


class Design(Section):
    """What is compared: one domain and one method a person."""

    domains: tuple[Domain, ...] = Field(
        min_length=1, strict=False, description="Kinds of data: text, tabular, or both."
    )
    methods: tuple[Method, ...] = Field(
        min_length=1,
        strict=False,
        description="Methods, between people: lime, anchor, prototype, decision_boundary, "
        "composite, omission, no_explanation (the same phases without explanations), or the name "
        "of a CSV of a lab's own explanations.",
    )
    tests: tuple[TestName, ...] = Field(
        min_length=1, strict=False, description="The tests, in the order they are done in."
    )
    second_test: bool = Field(
        description="Whether each person does it all again in the other domain with another method."
    )
    post_in_second_sitting: bool = Field(
        description="Whether what follows the first predictions waits for a second sitting."
    )
    sheets: int = Field(
        ge=1,
        le=1000,
        description="Orders of the tests' items for each domain and method, dealt to people.",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for name in ("domains", "methods", "tests"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name} names one twice")
        if self.second_test and (len(self.domains) < 2 or len(self.methods) < 2):
            raise ValueError("second_test needs both domains and two methods")
        return self


class Models(Section):
    """The models that people predict."""

    variant: Literal["code", "paper"] = Field(
        description="Settings where published code and paper differ."
    )
    resample: Literal["balanced", "none"] = Field(
        description="Whether a table's more frequent class is drawn down to the other's size."
    )


class Explained(Section):
    """How explanations are made."""

    lime_features: int = Field(ge=1, le=20, description="LIME: features of the linear model.")
    anchor_precision: Share = Field(description="Anchor: precision that a rule must have.")
    boundary_steps: int = Field(
        ge=1, le=20, description="Decision boundary: the last so many steps are shown."
    )
    prototype_terms: int = Field(
        ge=1, le=20, description="Prototype: importance scores that are shown at most."
    )


class Items(Section):
    """How many items there are; each count is balanced over the four outcomes."""

    learning: int = Field(ge=4, le=400, description="Examples to learn from.")
    per_test: int = Field(ge=8, le=800, description="Items of each test.")
    most_edits: int = Field(ge=1, le=20, description="Changes of a counterfactual text at most.")
    most_edits_tabular: int = Field(
        ge=1, le=20, description="Changes of a counterfactual row at most."
    )

    @model_validator(mode="after")
    def _is_balanced(self) -> Self:
        if self.learning % OUTCOMES:
            raise ValueError(f"learning ({self.learning}) isn't a multiple of {OUTCOMES}")
        if self.per_test % (2 * OUTCOMES):
            raise ValueError(
                f"per_test ({self.per_test}) isn't a multiple of {2 * OUTCOMES}: half of every "
                "outcome's counterfactuals change the model's output"
            )
        return self


class Length(Section):
    """How many items a test has for a person, by the time left."""

    session_s: float = Field(
        gt=0,
        le=36_000,
        description="How long a session is planned to take; each sitting, where it has two.",
    )
    seconds_per_item: float = Field(
        gt=0, le=600, description="A person is expected to need so long for an item, all phases."
    )
    shorten: bool = Field(
        description="Whether a test has half of its items, balanced too, where the time left at "
        "its start is too short for all."
    )


class Question(Section):
    """One trial: what will the model say?"""

    limit_s: float = Field(gt=0, le=3600, description="After this, decision = none.")
    learning_limit_s: float = Field(
        ge=0,
        le=3600,
        description="An example without a rating is shown for so long at most; 0: any time.",
    )
    exposure_limit_s: float = Field(
        ge=0,
        le=3600,
        description="What is predicted is shown for so long at most; 0: until the answer.",
    )
    rating_steps: Literal[0, 7] = Field(
        description="Steps of the scale on which explanations are rated; 0: not asked."
    )
    confidence_steps: Literal[0, 4] = Field(
        description="Steps of the scale on which people rate how sure they are; 0: not asked."
    )
    learning_at_hand: bool = Field(
        description="Whether the examples can be looked at again, by a key, while predicting."
    )
    learning_key: str = Field(min_length=1, description="The key for it.")


class Understanding(Section):
    """Who takes part: a course in statistics, and a test on the method and on the balance."""

    course: Literal["required", "asked", "off"] = Field(
        description="Question whether the person has had a course in statistics or computer "
        "science. required: who hasn't doesn't go on."
    )
    pass_right: int = Field(
        ge=0,
        le=UNDERSTANDING_QUESTIONS,
        description=f"Right answers, of {UNDERSTANDING_QUESTIONS} on method and balance, that are "
        "needed; 0: no test.",
    )
    then: Literal["go_on", "end"] = Field(description="What follows for who doesn't pass.")


class Look(Section):
    """How text and tables are shown."""

    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Colour of all screens, 8-bit sRGB."
    )
    text_deg: float = Field(
        gt=0, le=5, description="Height of the text's line in degrees of visual angle."
    )


class Session(Answers):
    """The participant's session."""

    least_gap_h: float = Field(
        ge=0,
        le=24 * 365,
        description="Hours that must lie between two sittings at least; 0 lets the second follow "
        "at once.",
    )


class Analysis(Comparison):
    """What the analysis was decided to be before the data came."""

    reference_method: Method = Field(
        description="The method whose Change is taken from the others'; where design.methods "
        "doesn't have it, Change is compared with zero."
    )
    published_replicates: int = Field(
        ge=100, le=1_000_000, description="Replicates of the published block bootstrap."
    )
    too_fast_s: float = Field(
        ge=0, description="A person whose median time for a prediction is shorter is left out."
    )


class Simulatability(Protocol):
    """People predict a model's outputs, before and after they saw explanations."""

    study: Literal["simulatability"] = Field(description="The study, by its name in every room.")
    design: Design
    models: Models
    explained: Explained
    items: Items
    length: Length
    question: Question
    understanding: Understanding
    look: Look
    session: Session
    analysis: Analysis

    @property
    def least_gap_h(self) -> float:
        """Hours that must lie between two sittings at least; 0 where there is one."""
        return self.session.least_gap_h if self.design.post_in_second_sitting else 0.0

    @property
    def arms(self) -> tuple[str, ...]:
        """A person's cell: domain and method, such as ``text_lime``."""
        return tuple(
            arm_of(domain, method)
            for domain in self.design.domains
            for method in self.design.methods
        )

    def second_arm(self, arm: str) -> str:
        """Return the cell of the second test: the other domain, the next method."""
        domain, method = cell_of(arm)
        others = [other for other in self.design.domains if other != domain]
        methods = self.design.methods
        return arm_of(others[0], methods[(methods.index(method) + 1) % len(methods)])

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        keys = (self.session.left_key, self.session.right_key)
        if self.question.learning_at_hand and self.question.learning_key in keys:
            raise ValueError(
                f"question.learning_key {self.question.learning_key!r} is one of the session's keys"
            )
        if self.least_gap_h * 3600 >= self.assignment.drop_after_s:
            raise ValueError(
                f"assignment.drop_after_s ({self.assignment.drop_after_s:g}) ends before the "
                f"second sitting may begin (session.least_gap_h {self.least_gap_h:g})"
            )
        return self


def arm_of(domain: str, method: str) -> str:
    """Return the name of a domain's and method's arm."""
    return f"{domain}_{method}"


def cell_of(arm: str) -> tuple[str, str]:
    """Return an arm's domain and method."""
    domain, _, method = arm.partition("_")
    return domain, method
