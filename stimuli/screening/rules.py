"""Rules of a screening: sections of a protocol, and the pack that is made from the rules alone.

This is for studies that screen and titrate participants' colour vision. The pack has no stimuli. It
has the rules, and says which stages come.
"""

from collections.abc import Sequence
from typing import Final, Literal, Self, get_args

from pydantic import Field, model_validator

from stimuli.errors import UserError
from stimuli.io.tables import Column, TableSchema, levels
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import PositiveCount, Protocol, Section, Share, catalogue_name, protocol_hash


class Screening(Section):
    """Who is a lead, who is an expert: the staircases on three lines, and the limits."""

    size_deg: float = Field(
        gt=0,
        le=40,
        description="Diameter of a screening plate in degrees of visual angle. At 10 the C has the "
        "size of the Cambridge Colour Test's.",
    )
    limit_s: float = Field(
        ge=0.1,
        le=60,
        description="Maximum time for a plate; without an answer in that time it counts as wrong.",
    )
    start_1e4: float = Field(
        gt=0,
        le=1500,
        description="First excursion of each staircase, and its largest, 10⁻⁴ of u′v′.",
    )
    first_factor: float = Field(
        gt=1,
        le=4,
        description="Until the first wrong answer on a line, each right answer divides the "
        "excursion by this factor.",
    )
    factor: float = Field(
        gt=1,
        le=2,
        description="Afterwards each right answer divides the excursion by this factor, and each "
        "wrong one multiplies it by the factor's cube, so that 75 % of answers become right.",
    )
    reversals: int = Field(
        ge=2, le=60, description="Number of reversals after which a staircase ends."
    )
    most_trials: int = Field(ge=4, le=200, description="Maximum number of trials of a staircase.")
    ceiling_errors: int = Field(
        ge=1,
        le=20,
        description="A staircase ends after this many wrong answers at the largest excursion: the "
        "threshold is there or above.",
    )
    catch_share: float = Field(
        ge=0,
        le=0.5,
        description="Share of trials whose gap differs in lightness, so that anyone sees it.",
    )
    catch_minimum: Share = Field(
        description="Minimum share of these answered correctly; with fewer the screening gives no "
        "decision and must be repeated.",
    )
    expert_red_green_1e4: float = Field(
        gt=0,
        description="Maximum protan and deutan threshold of an expert, 10⁻⁴ of u′v′.",
    )
    tritan_1e4: float = Field(
        gt=0,
        description="Maximum tritan threshold of experts and leads, 10⁻⁴ of u′v′.",
    )
    lead_red_green_1e4: float = Field(
        gt=0,
        description="Lower limit of a lead's protan or deutan threshold, 10⁻⁴ of u′v′.",
    )
    lead_cap_1e4: float = Field(
        gt=0,
        description="Upper limit of a lead's protan and deutan thresholds, 10⁻⁴ of u′v′; set it "
        "by a pilot.",
    )
    d15_confusion_index: float = Field(
        gt=0,
        description="Maximum confusion index of a lead's D-15; above it the deficit isn't slight.",
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.expert_red_green_1e4 > self.lead_red_green_1e4:
            raise ValueError("expert_red_green_1e4 exceeds lead_red_green_1e4")
        if not self.lead_red_green_1e4 < self.lead_cap_1e4 <= self.start_1e4:
            raise ValueError("lead_cap_1e4 must lie above lead_red_green_1e4, up to start_1e4")
        return self


class Titration(Section):
    """How a lead's rung is found: a staircase over the ladder, then a verification."""

    trials: PositiveCount = Field(description="Number of trials of the staircase.")
    target_share: Share = Field(description="Target share of plates read within trial.cutoff_s.")
    verify_trials: PositiveCount = Field(
        description="Number of new plates in each part of the verification: shown for "
        "trial.cutoff_s, and for trial.limit_s."
    )
    accept_low: Share = Field(description="Minimum share read within trial.cutoff_s.")
    accept_high: Share = Field(description="Maximum share read within trial.cutoff_s.")
    long_share: Share = Field(description="Minimum share read within trial.limit_s.")
    neighbours: int = Field(
        ge=0,
        le=10,
        description="How often, at most, the neighbouring rung is tried if a rung isn't verified.",
    )
    slope: float = Field(
        gt=0,
        le=10,
        description="Slope that the staircase assumes for the Weibull function of log₁₀ contrast; "
        "set it by a pilot.",
    )


Stage = Literal["trivector", "d15", "ishihara", "titration"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
"""Stages of a screening, in order."""

STAGE_TABLE: Final = TableSchema(
    "stages",
    "What a screening consists of.",
    (
        Column(
            "stage",
            "text",
            "What is done.",
            levels=levels(
                trivector="staircases on the protan, deutan and tritan lines",
                d15="the caps of the Farnsworth D-15 are put in order",
                ishihara="the score of the printed Ishihara book is entered",
                titration="a lead's rung is found and verified",
            ),
        ),
        Column(
            "axis",
            "text",
            "Axis of a titration that is done by itself; else the screening finds it.",
            optional=True,
        ),
        Column("attempt", "integer", "Which screening of the person it is, from 1."),
    ),
)


def screening_pack(
    protocol: Protocol, stages: Sequence[Stage] = STAGES, axis: str | None = None, attempt: int = 1
) -> Pack:
    """Return the pack that a screening is run with.

    Parameters
    ----------
    protocol
        Has the sections ``screening`` and ``titration``.
    stages
        What is done.
    axis
        Axis of a titration without a screening before it.
    attempt
        Number of the person's screening, from 1; each uses different plates.

    Raises
    ------
    UserError
        If nobody is screened for this protocol.
    """
    if not (hasattr(protocol, "screening") and hasattr(protocol, "titration")):
        raise UserError(
            f"protocol of {catalogue_name(protocol.resolved())}: has no screening; take one of a "
            "study whose participants' colour vision is screened"
        )
    rows = [
        {"stage": stage, "axis": axis if stage == "titration" else None, "attempt": attempt}
        for stage in STAGES
        if stage in stages
    ]
    files = {f"{STAGE_TABLE.name}.csv": STAGE_TABLE.to_csv(rows)}
    return pack_in_memory(protocol, protocol_hash(protocol), "screening", files)
