"""Protocol of study simulatability (Hase & Bansal 2020)."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.keys import DIGITS, Key
from stimuli.protocol import Answers, Channel, Comparison, Protocol, Section, Share

NO_EXPLANATION: Final = "no_explanation"
PUBLISHED_METHODS: Final = ("lime", "anchor", "prototype", "decision_boundary", "composite")
OMISSION: Final = "omission"
INTEGRATED_GRADIENTS: Final = "integrated_gradients"
ATTENTION_ROLLOUT: Final = "attention_rollout"
KERNEL_SHAP: Final = "kernel_shap"
GRADIENT_X_INPUT: Final = "gradient_x_input"
ATTENTION_RELEVANCE: Final = "attention_relevance"
WORD_OCCLUSION: Final = "word_occlusion"
PARTITION_SHAP: Final = "partition_shap"
ATTN_LRP: Final = "attn_lrp"
OF_INSIDE: Final = (
    INTEGRATED_GRADIENTS, GRADIENT_X_INPUT, ATTN_LRP, ATTENTION_ROLLOUT, ATTENTION_RELEVANCE,
)  # fmt: skip
"""Methods that look into a Transformer."""
OF_LEAVING_OUT: Final = (WORD_OCCLUSION, PARTITION_SHAP)
"""Methods that take words of a sentence away."""
OF_WEIGHTS: Final = (*OF_INSIDE, *OF_LEAVING_OUT, KERNEL_SHAP)
"""Methods whose explanations are weights of words or values, and nothing else."""
BUILT_IN: Final = (*PUBLISHED_METHODS, OMISSION, *OF_WEIGHTS, NO_EXPLANATION)
DOMAINS: Final = ("text", "tabular")
FORWARD, COUNTERFACTUAL = "forward", "counterfactual"
TESTS: Final = (FORWARD, COUNTERFACTUAL)
BALANCED: Final = "balanced"
"""True and false positives and negatives: the cells over which items are balanced."""
UNDERSTANDING_QUESTIONS: Final = 5
"""Questions on method and balance."""
Domain = Literal["text", "tabular"]
Method = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
TestName = Literal["forward", "counterfactual"]


class Design(Section):
    """What is compared: one domain and one method for each person."""

    domains: tuple[Domain, ...] = Field(
        min_length=1, strict=False, description="Kinds of data: text, tabular, or both."
    )
    methods: tuple[Method, ...] = Field(
        min_length=1,
        strict=False,
        description="Explanation methods, compared between people: lime, anchor, prototype, "
        "decision_boundary, composite, omission, integrated_gradients, gradient_x_input, "
        "attn_lrp, attention_rollout, attention_relevance, word_occlusion, partition_shap, "
        "kernel_shap, no_explanation (the same phases without explanations), or a name whose "
        "explanations a file gives (build --explanations).",
    )
    tests: tuple[TestName, ...] = Field(
        min_length=1, strict=False, description="The tests; forward stands first."
    )
    first_test: Literal["forward", "counterfactual", "balanced"] = Field(
        description="Which test people take first, if there are two. balanced: people with a sheet "
        "of an odd number take the forward test first, those with one of an even number the other."
    )
    second_test: bool = Field(
        description="Whether each person has a second test, in the other domain with another "
        "method."
    )
    post_in_second_sitting: bool = Field(
        description="Whether everything after the first predictions is done in a second sitting."
    )
    sheets: int = Field(
        ge=1,
        le=1000,
        description="Number of orders of the tests' items for each domain and method. Each person "
        "gets one.",
    )

    @property
    def orders(self) -> tuple[tuple[TestName, ...], ...]:
        """The orders of the tests; of two orders, sheets have them in turn."""
        both = (self.tests, self.tests[::-1])
        return both if self.first_test == BALANCED else (both[self.first_test != self.tests[0]],)

    @property
    def forward_is_first(self) -> bool:
        """Whether nothing is explained to anybody before the forward test."""
        return not self.second_test and {order[0] for order in self.orders} == {FORWARD}

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        for name in ("domains", "methods", "tests"):
            values = getattr(self, name)
            if len(set(values)) != len(values):
                raise ValueError(f"{name} contains a name twice")
        if list(self.tests) != [name for name in TESTS if name in self.tests]:
            raise ValueError(
                "tests names forward first; first_test says which test people take first"
            )
        if self.first_test == BALANCED and (len(self.tests) < 2 or self.sheets % 2):
            raise ValueError(
                f"first_test = 'balanced' needs two tests and an even number of sheets; tests are "
                f"{', '.join(self.tests)}, sheets {self.sheets}"
            )
        if self.second_test and (len(self.domains) < 2 or len(self.methods) < 2):
            raise ValueError("second_test needs both domains and two methods")
        return self


class Models(Section):
    """The models that people predict."""

    variant: Literal["near_code", "near_paper"] = Field(
        description="Which settings to use where the published code and the paper's text differ: "
        "those near the code's or near the text's. Neither is the same as its source: "
        "docs/simulatability_models.md lists every difference."
    )
    resample: Literal["balanced", "none"] = Field(
        description="balanced: a table's more frequent class is sampled down to the size of the "
        "other; none: all rows are used."
    )


class Explained(Section):
    """How explanations are made."""

    lime_features: int = Field(
        ge=1,
        le=20,
        description="LIME: number of features in the linear model. Other "
        "methods of weights show as many words or values.",
    )
    anchor_precision: Share = Field(description="Anchor: precision that a rule must reach.")
    boundary_steps: int = Field(
        ge=1, le=20, description="Decision boundary: number of last steps that are shown."
    )
    prototype_terms: int = Field(
        ge=1, le=20, description="Prototype: largest number of importance scores that are shown."
    )


class Items(Section):
    """How many items there are.

    Each count is balanced over the outputs and whether they are right; half of the counterfactuals
    of each kind change the output. A build checks that with the classes of its data.
    """

    learning: int = Field(ge=4, le=400, description="Examples to learn from.")
    per_test: int = Field(ge=8, le=800, description="Items of each test.")
    most_edits: int = Field(
        ge=1,
        le=20,
        description="Largest number of changes in a counterfactual text, if one with so few has "
        "the needed output.",
    )
    most_edits_tabular: int = Field(
        ge=1, le=20, description="Largest number of changes in a counterfactual row."
    )

    @model_validator(mode="after")
    def _is_balanced(self) -> Self:
        for name, least in (("learning", 2), ("per_test", 4)):
            if (number := getattr(self, name)) % least:
                raise ValueError(f"{name} ({number}) isn't a multiple of {least}")
        return self


class Length(Section):
    """How many items a test has for a person, by the time left."""

    session_s: float = Field(
        gt=0,
        le=36_000,
        description="Planned duration of a session; of each sitting if there are two.",
    )
    seconds_per_item: float = Field(
        gt=0,
        le=600,
        description="Time that a person is expected to need for an item, in all phases together.",
    )
    shorten: bool = Field(
        description="Whether a test has only half of its items, also balanced, if the time that is "
        "left at its start is too short for all."
    )


class Question(Section):
    """One trial: predict what the model says."""

    limit_s: float = Field(
        ge=0.1, le=3600, description="Time limit of a prediction. Afterwards decision = none."
    )
    learning_limit_s: float = Field(
        ge=0,
        le=3600,
        description="Time limit of an example that isn't rated; 0: no limit.",
    )
    exposure_limit_s: float = Field(
        ge=0,
        le=3600,
        description="How long the case that people predict is visible; 0: until the answer.",
    )
    rating_steps: Literal[0, 7] = Field(
        description="Steps of the scale on which explanations are rated; 0: not asked."
    )
    confidence_steps: Literal[0, 4] = Field(
        description="Steps of the scale on which people rate how sure they are; 0: not asked."
    )
    learning_at_hand: bool = Field(
        description="Whether people can look at the examples again, by a key, while they predict."
    )
    learning_key: Key = Field(description="The key that shows the examples; a letter as left_key.")


class Understanding(Section):
    """Who takes part: a course in statistics, and a test on the method and the balance of items."""

    course: Literal["required", "asked", "off"] = Field(
        description="Whether people are asked if they have taken a course in statistics or "
        "computer science. required: the session ends for people who haven't."
    )
    pass_right: int = Field(
        ge=0,
        le=UNDERSTANDING_QUESTIONS,
        description=f"Right answers that a person needs, of {UNDERSTANDING_QUESTIONS} on the "
        "method and the balance of items; 0: no test.",
    )
    then: Literal["go_on", "end"] = Field(
        description="Whether the session goes on for a person who doesn't pass, as everybody is in "
        "the first analysis, or ends (as published). Two of the questions are about the arm's "
        "method, so with end arms also differ in who is left."
    )


class Look(Section):
    """How text and tables are shown."""

    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Colour of all screens, 8-bit sRGB."
    )
    text_deg: float = Field(
        gt=0, le=5, description="Least height of a line of text in degrees of visual angle."
    )
    presentation: Literal["drawn", "plain"] = Field(
        description="drawn: weights colour the words and are drawn as bars, rules are framed, "
        "changes are marked by shape. plain: the lines of text of the published sheets, without a "
        "rule's precision and coverage.",
    )


class Session(Answers):
    """The participant's session."""

    least_gap_h: float = Field(
        ge=0,
        le=24 * 365,
        description="Minimum number of hours between two sittings; 0: no minimum.",
    )


class Analysis(Comparison):
    """The analysis, decided before the data are collected."""

    reference_method: Method = Field(
        description="The method whose Change is subtracted from that of the others. If "
        "design.methods doesn't contain it, Change is compared with zero."
    )
    published_replicates: int = Field(
        ge=100, le=1_000_000, description="Replicates of the published block bootstrap."
    )
    too_fast_s: float = Field(
        ge=0,
        description="The second analysis excludes people whose median time for a prediction is "
        "shorter.",
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

    def tests_of(self, sheet: str) -> tuple[TestName, ...]:
        """Return the tests of a session with a sheet, in their order."""
        orders = self.design.orders
        return orders[(number_of(sheet) - 1) % len(orders)]

    @property
    def least_gap_h(self) -> float:
        """Smallest number of hours between two sittings; 0 if there is only one."""
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
        keys = (self.session.left_key, self.session.right_key, *DIGITS)
        if self.question.learning_at_hand and self.question.learning_key in keys:
            raise ValueError(
                f"question.learning_key {self.question.learning_key!r} is one of the session's "
                "keys, or a digit, which answers"
            )
        if self.length.shorten and 60 * self.expected_minutes > self.length.session_s:
            raise ValueError(
                f"expected_minutes ({self.expected_minutes:g}) is longer than length.session_s "
                f"({self.length.session_s:g} s), so tests would be shortened; change one of them"
            )
        if self.least_gap_h * 3600 >= self.assignment.drop_after_s:
            raise ValueError(
                f"assignment.drop_after_s ({self.assignment.drop_after_s:g} s) ends before the "
                f"second sitting may begin (session.least_gap_h: {self.least_gap_h:g} h)"
            )
        return self


def sheet_name(number: int) -> str:
    """Return a sheet's name by its number, from 1."""
    return f"sheet-{number:02d}"


def number_of(sheet: str) -> int:
    """Return a sheet's number by its name."""
    return int(sheet.rpartition("-")[2])


def arm_of(domain: str, method: str) -> str:
    """Return the name of a domain's and method's arm."""
    return f"{domain}_{method}"


def cell_of(arm: str) -> tuple[str, str]:
    """Return an arm's domain and method."""
    domain, _, method = arm.partition("_")
    return domain, method
