"""Protocol of study accept_reject (Saralajew et al. 2022, section 2.4)."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from stimuli.protocol import (
    Answers,
    Channel,
    Comparison,
    FewPeople,
    PositiveCount,
    Practice,
    Protocol,
    Section,
    Share,
)
from stimuli.screening.rules import Screening, Titration

Axis = Literal["deutan", "protan"]
AsLeads = Literal["as_leads"]
AS_LEADS: Final = "as_leads"
HIGHEST: Final = "highest"
BY_SOURCE: Final = "by_source"
LOW_CONTRAST: Final = {"uci": 0.010, "mnist": 0.013}
"""Contrast of E's low-contrast controls. MNIST's figures have a quarter fewer dots than UCI's."""
Outline = Literal["free", "discs"]
Contrast = Annotated[float, Field(gt=0, lt=0.2)]

SHARE_TOLERANCE = 1e-6
TURNS = 4
"""Lists in which a plate comes from each solver in each run."""


class Whole(Section):
    """Shares of a whole."""

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        total = sum(self.model_dump().values())
        if abs(total - 1) > SHARE_TOLERANCE:
            raise ValueError(f"shares add up to {total:.4g}, not to 1")
        return self

    @property
    def controls(self) -> float:
        """Share of all that neither S nor E solved."""
        return sum(share for name, share in self.model_dump().items() if name not in ("S", "E"))


class Plates(Section):
    """The plates: geometry, colours and the ladder of contrasts."""

    source: str = Field(description="Digits: uci, mnist, or a folder of IDX files.")
    axes: tuple[Axis, ...] = Field(
        min_length=1, strict=False, description="Confusion axes for which plates are made."
    )
    ladder_deutan: tuple[Contrast, ...] = Field(
        min_length=1, strict=False, description="Contrast of each rung, lowest first, as Δu′v′."
    )
    ladder_protan: tuple[Contrast, ...] = Field(
        min_length=1, strict=False, description="Contrast of each rung, lowest first, as Δu′v′."
    )
    size_deg: float = Field(
        gt=0, le=40, description="Diameter on screen in degrees of visual angle."
    )
    dot_radius_min: float = Field(gt=0, lt=0.2, description="Smallest dot, in plate radii.")
    dot_radius_max: float = Field(gt=0, lt=0.2, description="Largest dot, in plate radii.")
    dot_gap: float = Field(ge=0, lt=0.05, description="Smallest gap between dots, in plate radii.")
    density: float = Field(gt=0.1, le=0.6, description="Share of the plate that dots cover.")
    mask_span: float = Field(gt=0.3, le=1, description="Half-width of the digit, in plate radii.")
    min_stroke_dots: float = Field(ge=1, description="Narrowest stroke, in largest-dot diameters.")
    base_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Midpoint of the pair of colours, 8-bit sRGB."
    )
    ground_srgb: tuple[Channel, Channel, Channel] = Field(
        strict=False, description="Colour between and around the dots, 8-bit sRGB."
    )
    luminance_levels_cd_m2: tuple[Annotated[float, Field(gt=0)], ...] = Field(
        min_length=2, strict=False, description="Luminance levels of the dots; ratios matter."
    )
    s_jitter_sigma: float = Field(ge=0, lt=1, description="SD of the log-normal S-cone jitter.")

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.dot_radius_min > self.dot_radius_max:
            raise ValueError("dot_radius_min must not exceed dot_radius_max")
        if len(set(self.axes)) != len(self.axes):
            raise ValueError("axes names an axis twice")
        for axis in self.axes:
            ladder = self.ladder(axis)
            if list(ladder) != sorted(set(ladder)):
                raise ValueError(f"ladder_{axis} must rise from rung to rung")
        return self

    def ladder(self, axis: str) -> tuple[float, ...]:
        """Return the contrasts (Δu′v′) of an axis; rung k is entry k − 1."""
        return {"deutan": self.ladder_deutan, "protan": self.ladder_protan}[axis]


class System(Section):
    """S: the network that solves the plates, and its explainer."""

    network: Literal["plate_cnn"] = Field(description="Architecture of the network.")
    input_px: int = Field(ge=32, le=512, description="Side of the network's input in pixels.")
    training_plates: PositiveCount = Field(description="Plates seen in training, all passes.")
    no_numeral_share: Share = Field(description="Share of training plates without a numeral.")
    method: str = Field(description="Explanation method, by its name in xai_backend.")
    further_methods: tuple[str, ...] = Field(
        strict=False,
        description="Methods that are compared with it within each lead: S's explained solutions "
        "are shared evenly among all of them.",
    )
    patch_px: PositiveCount = Field(description="Occlusion: side of the patch in input pixels.")
    stride_px: PositiveCount = Field(description="Occlusion: step of the patch in input pixels.")
    abstention: Literal["match_expert", "never"] = Field(
        description="S says no_solution as often as E does at each rung, or never."
    )

    @model_validator(mode="after")
    def _methods_differ(self) -> Self:
        if len(set(self.methods)) != len(self.methods):
            raise ValueError("method and further_methods name a method twice")
        return self

    @property
    def methods(self) -> tuple[str, ...]:
        """All explanation methods of S."""
        return (self.method, *self.further_methods)


class Experts(Section):
    """E: the annotation session."""

    axis: Axis | AsLeads = Field(
        description="Axis of the plates that experts read and paint; as_leads: the axes of the "
        "pack's leads, in turn."
    )
    rung: PositiveCount | Literal["as_leads", "highest"] = Field(
        description="Rung of these plates, from 1, the lowest contrast. highest: the "
        "last rung of the ladder, the easiest. as_leads: solutions.rungs, "
        "drawn evenly over the plates."
    )
    no_numeral_share: Share = Field(description="Controls of E: plates without a numeral.")
    high_contrast_share: Share = Field(
        description="Controls of E: known digits at the highest rung."
    )
    low_contrast_share: Share = Field(
        description="Controls of E: known digits at low_contrast, on all of plates.axes in turn.",
    )
    low_contrast: Contrast | Literal["by_source"] = Field(
        description="Contrast of these plates, as Δu′v′. It is lower than that of the other "
        "plates of experts, so that people with a mild red-green deficit can't read them. "
        "by_source: 0.010 for UCI's digits, 0.013 for MNIST's, whose figures have fewer dots.",
    )
    low_contrast_minimum: Share = Field(
        description="Minimum share of these that an expert must read; map sets exclude experts "
        "who read fewer.",
    )
    expected_plate_s: float = Field(
        gt=0,
        description="Approximate time that an expert needs for a plate; the consent form computes "
        "the session's length from it.",
    )


class Shares(Whole):
    """Shares of a run's trials by who solved them and why; the same in both runs."""

    S: Share = Field(description="Solved by the system.")
    E: Share = Field(description="Solved by an expert.")
    wrong_digit: Share = Field(description="Control: a plausible wrong digit.")
    right_digit: Share = Field(description="Control: the right digit.")
    no_numeral: Share = Field(description="Control: a digit for a plate without a numeral.")
    high_contrast: Share = Field(
        description="Control: a right digit lighter than its ground, which anyone can see."
    )
    no_solution: Share = Field(description="Control: the word for no solution derived.")


class Solutions(Section):
    """The solution pack: what a lead judges, and how it is balanced."""

    trials_per_run: int = Field(ge=4, le=1000, description="Main trials in each of the two runs.")
    practice_trials: int = Field(
        ge=0, le=100, description="Number of trials with feedback before the runs."
    )
    practice_plates: Literal["easy_and_hard", "right_and_wrong"] = Field(
        description="What practice trials show. easy_and_hard: numerals that anyone sees, wrong "
        "digits, plates without a numeral, and right digits one rung below the lead's, where both "
        "decisions can be right. right_and_wrong: right and wrong digits at the highest rung.",
    )
    rungs: tuple[PositiveCount, ...] = Field(
        strict=False,
        description="Rungs of the leads that the pack is for; it has lists for these rungs only. "
        "Empty: all rungs of the ladder.",
    )
    lists: PositiveCount = Field(
        description="Lists per axis and rung; a plate rotates through runs and solvers over them."
    )
    shares: Shares = Field(description="What a run's trials are made of.")
    least_matched: int = Field(
        ge=0,
        description="Minimum number of right digits, and of wrong digits, that are matched in the "
        "run with explanations: their contour is like that of S's and E's solutions. The other "
        "kinds share the rest and rotate over lists. 0: all kinds have equal numbers.",
    )
    probe_share: Share = Field(
        description="In the run with explanations, the share of S's and E's solutions that are "
        "shown without one, half of each. With a fixed order they separate the effects of "
        "explanation and run.",
    )

    @model_validator(mode="after")
    def _probes_fit(self) -> Self:
        if self.probe_share / 2 > min(self.shares.S, self.shares.E):
            raise ValueError("probe_share exceeds twice the smaller of the shares of S and E")
        return self


class Explanation(Section):
    """How every map becomes what the lead sees."""

    area: Literal["yoked", "fixed"] = Field(
        description="Area of the region: that of E's painting of the same plate, or the same for "
        "all plates."
    )
    fixed_area: Share = Field(description="Area with area = fixed, as a share of the disc.")
    region_px: int = Field(ge=32, le=512, description="Side of the region's grid in pixels.")
    smoothing_px: float = Field(
        ge=0, le=20, description="SD of the Gaussian on the map, grid pixels."
    )
    outline: Outline = Field(
        description="discs: twelve equal discs that don't touch, so that their form doesn't show "
        "who made the map. free: the most relevant region, of any form; people with labelled "
        "examples can learn to recognise who made the map.",
    )
    display: Literal["contour"] = Field(description="Double black/white contour around the region.")
    line_share: float = Field(
        gt=0, lt=0.05, description="Width of each of the two lines, as a share of the plate's size."
    )


class Trial(Section):
    """One trial: fixation, plate and solution together, accept or reject."""

    fixation_s: float = Field(ge=0, le=10, description="Fixation before the plate.")
    cutoff_mode: Literal["internal", "visible"] = Field(
        description="internal: no clock shown, late acceptances count as rejections. "
        "visible: the plate leaves at the cutoff."
    )
    cutoff_s: float = Field(gt=0, le=120, description="The primary decision time.")
    limit_s: float = Field(ge=0.1, le=600, description="Time limit; afterwards decision = none.")
    practice_feedback_s: float = Field(ge=0, le=30, description="Feedback after a practice trial.")
    repeat_dropped: bool = Field(
        description="Whether a trial with a dropped frame before the answer is repeated at the "
        "end of the run."
    )

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        if self.cutoff_s > self.limit_s:
            raise ValueError(f"cutoff_s ({self.cutoff_s}) exceeds limit_s ({self.limit_s})")
        return self


class Session(Answers):
    """The lead's session."""

    run_order: Literal["counterbalanced", "without_first", "with_first"] = Field(
        description="Which run is first; without_first for everyone is the published order."
    )
    sham_group: bool = Field(
        description="Whether an additional group of leads has two runs without explanations.",
    )
    between_runs_s: float = Field(ge=0, description="Shortest break between the two runs.")
    source_questions: int = Field(
        ge=0,
        le=100,
        description="Number of explained solutions that the lead sees again at the end, to guess "
        "who gave each one.",
    )


class Analysis(Comparison):
    """What the analysis was decided to be before the data came."""

    few_people: FewPeople
    compliance_minimum: Share = Field(
        description="Minimum share of right answers of an expert on controls that need no colour "
        "vision."
    )
    anyone_minimum: Share = Field(
        description="Minimum share of controls that anyone sees (high-contrast right digits of "
        "both runs) that a lead must accept to be included in the second analysis.",
    )
    must_reject_minimum: Share = Field(
        description="Minimum share of plates without a numeral and of no-solution, in the run "
        "without explanations, that a lead must reject to be included in the second analysis.",
    )
    least_controls: int = Field(
        ge=0,
        description="Minimum number of controls of a group (those that anyone sees; those to "
        "reject) from which a lead's compliance is judged. Leads with fewer are kept, and the "
        "report says that these were too few. From 5 on, one error among the controls that anyone "
        "sees never excludes a lead at anyone_minimum 0.8.",
    )
    contour_reading_limit: Share = Field(
        description="A lead is reported as accepting from the explanation if they accept plates "
        "without a numeral more often with a digit-shaped contour than without one, by at least "
        "this much."
    )


class AcceptReject(Protocol):
    """A lead expert accepts or rejects digits read from plates, with and without explanation."""

    study: Literal["accept_reject"] = Field(description="The study, by its name in every room.")
    plates: Plates
    system: System
    experts: Experts
    solutions: Solutions
    explanation: Explanation
    trial: Trial
    session: Session
    practice: Practice
    titration: Titration
    screening: Screening
    analysis: Analysis

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        axis, rung = self.experts.axis, self.experts.rung
        if axis not in (*self.plates.axes, AS_LEADS):
            raise ValueError(f"experts.axis {axis!r} is not among plates.axes")
        for name in self.plates.axes:
            self._check_rungs("solutions.rungs", self.solutions.rungs, name)
            if isinstance(rung, int) and axis in (name, AS_LEADS):
                self._check_rungs("experts.rung", (rung,), name)
        methods = len(self.system.methods)
        if methods > 1 and self.solutions.lists % (TURNS * methods):
            raise ValueError(
                f"solutions.lists is {self.solutions.lists}; with {methods} methods it must be a "
                f"multiple of {TURNS * methods}, so that each plate is explained by every method"
            )
        return self

    def _check_rungs(self, field: str, rungs: tuple[int, ...], axis: Axis) -> None:
        there = len(self.plates.ladder(axis))
        if max(rungs, default=0) > there:
            raise ValueError(f"{field} is {max(rungs)}, but {axis} has {there} rungs")

    @property
    def low_contrast(self) -> float:
        """Contrast (Δu′v′) of the digits that experts with normal colour vision alone can read."""
        asked = self.experts.low_contrast
        if asked != BY_SOURCE:
            return asked
        return LOW_CONTRAST["uci" if self.plates.source == "uci" else "mnist"]

    @property
    def lead_places(self) -> tuple[tuple[Axis, int], ...]:
        """Axes and rungs of the leads that a pack is for; rungs count from 1."""
        return tuple(
            (axis, rung)
            for axis in self.plates.axes
            for rung in self.solutions.rungs or range(1, len(self.plates.ladder(axis)) + 1)
        )
