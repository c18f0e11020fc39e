"""What the protocol of progressive_reveal decides about the analysis before the data come."""

from typing import Literal

from pydantic import Field

from stimuli.protocol import FewPeople, MarginReason, Section, Share


class Exclusion(Section):
    """Whom the second analysis leaves out; the first is by intention to treat.

    The defaults leave nobody out, as before there were rules.
    """

    idle_share: Share = Field(
        description="Maximum share of a person's rounds without a key; people with more are "
        "excluded.",
    )
    wrong_answers: float = Field(
        ge=0,
        description="Maximum mean number of wrong answers per round; people with more are "
        "guessing. 0: no limit.",
    )
    walk_answers: int = Field(
        ge=0,
        description="A round is a walk if this many answers in a row go through the table of "
        "classes one by one, down or up. 0: walks aren't detected.",
    )
    walks_share: Share = Field(description="Maximum share of a person's rounds that are walks.")
    catch_answers: int = Field(
        ge=0,
        description="Maximum number of guesses in a catch round that can't be recognised before "
        "its last step; with more the round is failed. A catch round that is shown whole is "
        "failed if it isn't recognised.",
    )
    catch_share: Share = Field(
        description="Maximum share of failed catch rounds of each kind; people who fail more are "
        "excluded. The rule needs at least two rounds of a kind.",
    )


class Analysis(Section):
    """What the analysis was decided to be before the data came."""

    reference: str = Field(description="The method with which the others are compared.")
    margin: float = Field(
        gt=0,
        lt=1,
        description="Equivalence margin: methods are nearly equivalent if recognition by the last "
        "step differs by less, as a share of rounds.",
    )
    margin_reason: MarginReason
    replicates: int = Field(ge=1, le=1_000_000, description="Bootstrap replicates.")
    seed: int = Field(ge=0, description="Seed of the bootstrap.")
    few_people: FewPeople
    primary_test: Literal["model", "means"] = Field(
        description="The primary analysis: the mixed model of the study (t tests with "
        "Satterthwaite's degrees of freedom), or means over participants and items. Reports also "
        "give the other.",
    )
    restricted_mean: Literal["smallest_final_count"] = Field(
        description="Upper limit of the restricted mean of needed pixels: the smallest final "
        "count among the methods, for each image."
    )
