"""What ``study.toml`` says: how the items of a table are shown, answered, ordered and tested."""

import re
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.devices import DeviceName
from stimuli.io.tables import Row
from stimuli.keys import Key
from stimuli.languages import ENGLISH
from stimuli.protocol import Assignment, Channel, Deviation, PositiveCount, Protocol, Section

SCALE_KEYS: Final = tuple("123456789")
NAME: Final = re.compile(r"[a-z][a-z0-9_]*")
"""Names of factors: columns of tables, and variables of models."""
Vary = Literal["within", "between"]
Measure = Literal[
    "accuracy", "choice", "rating", "time", "agreement", "over_reliance", "under_reliance",
    "switching",
]  # fmt: skip
WITH_CHANCE: Final[frozenset[Measure]] = frozenset({"accuracy", "choice"})
"""Measures that chance gives a value to."""
OF_ADVICE: Final[frozenset[Measure]] = frozenset(
    {"agreement", "over_reliance", "under_reliance", "switching"}
)
MOMENTS: Final = ("with_item", "after_answer", "on_key")
"""When advice is shown: with the item; after a first answer without it, which may then be changed;
or when a key is pressed."""
PROMPTED: Final = ("question", "text", "answers", "right", "advice")
"""Columns that a prompt may name, beside the factors."""
PLACE: Final = re.compile(r"\{([a-z][a-z0-9_]*)\}")
"""Where an item's cell stands in a prompt: the column's name in braces."""
Texts = Annotated[tuple[str, ...], Field(strict=False)]


class Scale(Section):
    """Steps to choose from, in place of answers in words."""

    steps: int = Field(ge=2, le=9, description="Number of steps; their keys are 1, 2 and so on.")
    low: str = Field(description="The words at the first step.")
    high: str = Field(description="The words at the last step.")


class TrialRules(Section):
    """How an item is shown and answered."""

    answers: Texts = Field(
        default=(),
        description="The answers to every item, from left to right; without them the table has a "
        "column answers.",
    )
    keys: tuple[Key, ...] = Field(
        default=("f", "j"),
        strict=False,
        description="Keys of the answers, from left to right: digits, or letters that are the "
        "same on all keyboards (not a, m, q, w, y or z).",
    )
    scale: Scale | None = Field(default=None, description="A scale in place of answers.")
    typed: bool = Field(
        default=False,
        description="Whether people type their answers, a line of up to 200 letters, in place of "
        "choosing. The column right may list the accepted ones.",
    )
    device: DeviceName = Field(
        default="keyboard",
        description="How people answer: keyboard; mouse, by clicks on the answers; or the "
        "response pad of the rig.",
    )
    fixation_s: float = Field(
        default=0.5, gt=0, le=10, description="Fixation before each stimulus."
    )
    limit_s: float = Field(
        default=30.0, ge=0.1, le=3600, description="Longest time for an answer, from the onset."
    )
    exposure_s: float | None = Field(
        default=None,
        gt=0,
        le=3600,
        description="How long pictures and texts are shown at most; without it until the answer.",
    )
    size_deg: float = Field(
        default=8.0, gt=0, le=40, description="Side of pictures in degrees of visual angle."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        default=(64, 64, 64), strict=False, description="The screen's ground, sRGB codes."
    )
    feedback: Literal["never", "practice", "always"] = Field(
        default="practice", description="After which trials people are told the right answer."
    )
    feedback_s: float = Field(default=1.5, gt=0, le=60, description="How long feedback is shown.")
    ratings: Texts = Field(
        default=(), description="Questions of questions.toml that follow each trial."
    )

    @model_validator(mode="after")
    def _keys_fit(self) -> Self:
        if len(set(self.keys)) < len(self.keys):
            raise ValueError(f"keys must differ: {', '.join(self.keys)}")
        if self.scale is not None and self.answers:
            raise ValueError("give answers or a scale, not both")
        if self.typed and (self.answers or self.scale is not None):
            raise ValueError("typed: give no answers and no scale, or let people choose")
        if self.typed and self.device != "keyboard":
            raise ValueError(f"device: answers are typed on the keyboard, not on the {self.device}")
        if self.scale is None and len(self.keys) < 2:
            raise ValueError("keys: two or more are needed")
        if self.answers:
            check_answers(self.answers, self.keys)
        return self

    @property
    def answer_keys(self) -> tuple[str, ...]:
        """The keys of the answers, from left to right; none if answers are typed."""
        if self.typed:
            return ()
        return self.keys if self.scale is None else SCALE_KEYS[: self.scale.steps]

    @property
    def same_answers(self) -> tuple[str, ...]:
        """The answers that all items have; empty if the table has them."""
        return self.answers if self.scale is None else self.answer_keys


class AdviceRules(Section):
    """When the AI's advice and explanation are shown."""

    when: str = Field(
        description="with_item; after_answer: after a first answer without it, which may then be "
        "changed; on_key: when a key is pressed; or the name of a factor that has two or three of "
        "these as its levels."
    )
    key: Key = Field(default="h", description="The key that shows it, if a key does.")


class RationaleRules(Section):
    """What a language model is asked where an explanation is ``rationale:text``."""

    prompt: str = Field(
        description="What the model reads and goes on with. The name of a column in braces, such "
        "as {text} or {advice}, stands for the item's cell."
    )
    most_tokens: int = Field(
        default=60, ge=1, le=1000, description="How many tokens it writes at most."
    )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the prompt names."""
        return tuple(dict.fromkeys(PLACE.findall(self.prompt)))

    def asked(self, item: Row) -> str:
        """Return what the model reads of an item."""
        return PLACE.sub(lambda place: str(item[place[1]]), self.prompt)


class SessionRules(Section):
    """In which order people see the items, and what else a session has."""

    lists: PositiveCount = Field(
        default=4, description="Number of lists: orders of the items, dealt evenly to participants."
    )
    order: Literal["as_listed", "shuffled"] = Field(
        default="shuffled", description="The order of the main items: the table's, or a drawn one."
    )
    blocks: str = Field(
        default="",
        description="A factor whose levels come one after the other, in an order that changes from "
        "list to list; empty for none.",
    )
    versions: Literal["one", "all"] = Field(
        default="one",
        description="Whether a person sees one version of an item (a Latin square over the lists) "
        "or all of them. Versions are rows with the same item and other levels of a factor.",
    )
    break_every_trials: int = Field(
        default=0, ge=0, description="Number of main trials between breaks; 0 for none."
    )
    before: Texts = Field(default=(), description="Questions of questions.toml before the items.")
    after: Texts = Field(default=(), description="Questions of questions.toml after the items.")
    catch_right: int = Field(
        default=0,
        ge=0,
        description="How many catch items must be answered rightly. Others are left out of the "
        "analysis.",
    )


class Factor(Section):
    """A column of the table whose levels are compared."""

    levels: Texts = Field(min_length=2, description="Its levels; the first is the reference.")
    vary: Vary = Field(
        default="within",
        description="Whether every person sees all levels (within) or one of them (between).",
    )

    @model_validator(mode="after")
    def _levels_differ(self) -> Self:
        if len(set(self.levels)) < len(self.levels):
            raise ValueError(f"levels must differ: {', '.join(self.levels)}")
        return self


class PlannedTest(Section):
    """A planned comparison, which a preregistration promises: of two levels, or with chance."""

    measure: Measure = Field(description="What is compared.")
    factor: str = Field(
        default="", description="The factor; without it the measure is compared with chance."
    )
    levels: tuple[str, ...] = Field(
        default=(), strict=False, description="Two levels: the first less the second."
    )
    expect: Literal["more", "less", "differ"] = Field(
        default="differ", description="What is expected of the first level, or of the measure."
    )
    answer: str = Field(
        default="",
        description="For choice: the answer that counts, as the table has it, or what it stands "
        "for. Empty for the first answer.",
    )
    question: str = Field(
        default="", description="For rating: the question after a trial; empty for the scale."
    )


class TableStudy(Protocol):
    """The protocol of a study from a table."""

    schema_tag: str = Field(
        default="protocol/1.0", alias="schema", description="Format and version of this file."
    )
    name: str = Field(
        default="default",
        description="The name of this variant of the study, used in the names of folders.",
    )
    seed: int = Field(default=1, ge=0, description="Seed of all random draws of the builder.")
    languages: tuple[str, ...] = Field(
        default=(ENGLISH,),
        min_length=1,
        strict=False,
        description="Languages of the texts, by IETF tag.",
    )
    deviations: tuple[Deviation, ...] = Field(
        default=(), strict=False, description="Where this protocol differs from a paper, and why."
    )
    assignment: Assignment = Field(
        default=Assignment(seed=1, drop_after_s=3600.0), description="How people are assigned."
    )
    title: str = Field(description="What the study asks, in one sentence: the report's title.")
    table: str = Field(
        default="items.csv",
        description="The table of items in the study's folder: CSV, Parquet, Excel or JSON.",
    )
    trial: TrialRules = Field(
        default=TrialRules(), description="How an item is shown and answered."
    )
    advice: AdviceRules | None = Field(
        default=None, description="When the AI's advice is shown; without it there is none."
    )
    rationale: RationaleRules | None = Field(
        default=None, description="What a language model is asked for rationales."
    )
    session: SessionRules = Field(
        default=SessionRules(), description="In which order people see the items."
    )
    factors: dict[str, Factor] = Field(
        default_factory=dict, description="Columns of the table whose levels are compared."
    )
    other_columns: Texts = Field(
        default=(), description="Columns of the table that the study doesn't use."
    )
    tests: tuple[PlannedTest, ...] = Field(
        default=(), strict=False, description="The planned comparisons, the primary one first."
    )

    @model_validator(mode="after")
    def _parts_fit(self) -> Self:
        self._check_factors()
        self._check_advice()
        self._check_rationale()
        for number, test in enumerate(self.tests, start=1):
            if reason := self._wrong_in(test):
                raise ValueError(f"tests: test {number}: {reason}")
        return self

    def _check_factors(self) -> None:
        for name in self.factors:
            if not NAME.fullmatch(name):
                raise ValueError(f"factors: {name!r}: use small letters, digits and _")
        blocks = self.session.blocks
        if blocks and blocks not in self.of("within"):
            raise ValueError(f"session.blocks: {blocks} is no factor that varies within people")

    def _check_advice(self) -> None:
        if self.advice is None:
            return
        if not {*self.moments} <= {*MOMENTS} or not self.moments:
            raise ValueError(
                f"advice.when: {self.advice.when!r} is not with_item, after_answer or on_key, nor "
                "a factor with these as its levels"
            )
        if "on_key" not in self.moments:
            return
        if self.trial.typed:
            raise ValueError("advice.when: on_key can't be where answers are typed")
        if self.advice.key in self.trial.answer_keys:
            raise ValueError(f"advice.key: {self.advice.key} also chooses an answer")
        if self.trial.exposure_s is not None:
            raise ValueError("trial.exposure_s: an item must stay if a key shows the advice")

    def _check_rationale(self) -> None:
        if self.rationale is None:
            return
        known = (*PROMPTED, *self.factors)
        if not self.rationale.columns:
            raise ValueError("rationale.prompt: names no column, such as {text}")
        for name in self.rationale.columns:
            if name not in known:
                raise ValueError(
                    f"rationale.prompt: {{{name}}} is no column that a prompt can have: "
                    f"{', '.join(known)}"
                )

    def _wrong_in(self, test: PlannedTest) -> str:
        """Return what is wrong in a test, in words; empty if nothing is."""
        if reason := self._wrong_levels(test):
            return reason
        if self.trial.typed and (test.measure == "choice" or not test.factor):
            return "typed answers can be compared by a factor: in accuracy, time and ratings"
        if test.measure in OF_ADVICE and self.advice is None:
            return f"{test.measure} needs [advice]"
        if test.measure == "switching" and "after_answer" not in self.moments:
            return "switching needs advice after an answer: advice.when"
        rated = self.trial.ratings
        if test.measure == "rating" and test.question and test.question not in rated:
            return f"{test.question} is no question of trial.ratings"
        if test.measure == "rating" and not test.question and self.trial.scale is None:
            return "rating needs a scale, or a question of trial.ratings"
        return ""

    def _wrong_levels(self, test: PlannedTest) -> str:
        if not test.factor:
            shares = test.measure in WITH_CHANCE and not test.levels
            return "" if shares else f"{test.measure} needs a factor and two of its levels"
        factor = self.factors.get(test.factor)
        if factor is None:
            return f"{test.factor} is no factor; known: {', '.join(self.factors) or 'none'}"
        if unknown := [level for level in test.levels if level not in factor.levels]:
            return f"{test.factor} has no level {unknown[0]}; it has {', '.join(factor.levels)}"
        if len(set(test.levels)) != 2 or len(test.levels) != 2:
            return f"levels: two different levels of {test.factor} are needed"
        return ""

    @property
    def moments(self) -> tuple[str, ...]:
        """When advice is shown: one moment, or the levels of the factor that decides it."""
        if self.advice is None or self.advice.when in MOMENTS:
            return () if self.advice is None else (self.advice.when,)
        factor = self.factors.get(self.advice.when)
        return () if factor is None else factor.levels

    def moment_of(self, item: Row) -> str:
        """Return when an item's advice is shown; empty in a study without advice."""
        if len(self.moments) < 2 or self.advice is None:
            return "".join(self.moments)
        return str(item[self.advice.when] or self.moments[0])

    def of(self, vary: Vary) -> tuple[str, ...]:
        """Return the names of the factors that vary within people, or of those between people."""
        return tuple(name for name, factor in self.factors.items() if factor.vary == vary)

    @property
    def arms(self) -> tuple[str, ...]:
        """What people are assigned to beside a list: a level of each factor between people."""
        arms = [""]
        for name in self.of("between"):
            arms = [join_levels(arm, level) for arm in arms for level in self.factors[name].levels]
        return tuple(arm or "all" for arm in arms)

    def levels_of_arm(self, arm: str) -> dict[str, str]:
        """Return an arm's level of each factor between people."""
        names = self.of("between")
        return dict(zip(names, arm.split(BETWEEN_LEVELS), strict=True)) if names else {}


BETWEEN_LEVELS: Final = "+"
"""Separator between the levels that name an arm."""


def join_levels(arm: str, level: str) -> str:
    """Return the name of an arm with a level of one more factor."""
    return f"{arm}{BETWEEN_LEVELS}{level}" if arm else level


def check_answers(answers: tuple[str, ...], keys: tuple[str, ...]) -> None:
    """Raise ValueError unless there is a different answer for each key."""
    if len(answers) != len(keys) or len(set(answers)) < len(answers):
        raise ValueError(
            f"{len(keys)} different answers are needed, one a key: {', '.join(answers)}"
        )
