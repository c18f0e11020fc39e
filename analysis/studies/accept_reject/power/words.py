"""Who judged what in a power simulation of accept_reject, in words."""

from dataclasses import dataclass
from typing import Annotated, Final

from analysis.power.question import ALPHA, MIXED_FIT
from analysis.power.results import Counts, Spliced, StudyAsked, world_values
from analysis.power.summary import spreads
from analysis.report.about import about
from analysis.report.wording import percent, points
from analysis.studies.accept_reject.power.asked import ControlWorld, MixedWorld, Usefulness
from analysis.studies.accept_reject.power.simulated import Calibration


@dataclass(frozen=True, slots=True)
class PlateAsked(StudyAsked):
    """What was asked beside sizes."""

    effects: Annotated[tuple[float, ...], about("Usefulness of S's explanations.")]
    effect_expert: Annotated[float | None, about("That of E's; null if it is that of S's.")]
    cutoff_s: Annotated[float, about("Decision time, s.")]
    robot: Annotated[str | None, about("Kind of robot; null with the model.")]
    pack: Annotated[str | None, about("Name of the pack; null without one.")]
    mixed: Annotated[MixedWorld, about("The mixed model's world."), Spliced(world_values)]
    harm: Annotated[tuple[float, ...], about("By how much explanations lower d′.")]
    controls: Annotated[ControlWorld, about("How controls are answered.")]


Found = Counts[PlateAsked]

TEST: Final = (
    f"{MIXED_FIT}. Usefulness of S’s and of E’s explanations, and their difference, were tested by "
    "the primary analysis of the protocol (by the means where no fit is sound), two-sided at "
    f"{percent(ALPHA)}, the two after Holm’s correction. Harm was looked for, and S was judged "
    "against E, as in the report."
)
"""How each simulated study was analysed."""


def method(found: Found) -> str:
    """Return who judged what, and who answered."""
    return (
        "Everyone judged every item once, solved by S or by E, without or with an explanation, "
        f"rotated over lists as in the study’s packs. {_answers(found)} "
        f"{_controls(found.asked.own.controls)}"
    )


def _controls(world: ControlWorld) -> str:
    right, wrong = world.accepted
    return (
        "Matched controls, as many as the protocol’s lists have, were answered by a probit model: "
        f"without explanations {percent(right)} of the right and {percent(wrong)} of the wrong "
        "digits were accepted in time, averaged over people and items; explanations lowered d′ by "
        "the stated harm. Standard deviations (probit scale; intercept, explained, signal, signal "
        f"× explained) were {spreads(world.sd_participant)} between participants and "
        f"{spreads(world.sd_item)} between items."
    )


def _answers(found: Found) -> str:
    asked = found.asked.own
    mixed, full = asked.mixed, _calibration(found)
    if full is None:
        return (
            f"Answers were drawn from the model itself, with a probability of acceptance within "
            f"{asked.cutoff_s:g} s of {percent(mixed.baseline)} without explanations, "
            f"averaged over people and items, and with standard deviations (log odds; intercept, "
            f"explained, solver, explained × solver) of {spreads(mixed.sd_participant)} between "
            f"participants and {spreads(mixed.sd_item)} between items."
        )
    plates = "a pack" if asked.pack else "a sketch (S and E drawn at stated error rates)"
    return (
        f"Answers were given by robots of the kind “{asked.robot}”, new ones in every study, "
        f"to plates drawn in every study from {full.plates} of {plates}. An effect below "
        f"what explanations bring these robots at most ({points(full.system)} points for S, "
        f"{points(full.expert)} for E) was made by letting them use the explanation in a "
        f"share of trials, drawn at random, and judge as if there were none in the others."
    )


_CONTROLS: Final = (
    "How leads tell right from wrong digits is an assumption, too: take it from a pilot’s report "
    "(--accept-controls, --sd-control-participant, --sd-control-item)."
)


def _calibration(found: Found) -> Calibration | None:
    """Return what robots gain at most; None without robots."""
    return found.calibration


def assumptions(found: Found) -> list[str]:
    """Return what the answers rest on, one sentence each."""
    full = _calibration(found)
    if full is None:
        return [
            "The variances are assumptions: take them from a pilot’s fit "
            "(--sd-participant, --sd-item).",
            _CONTROLS,
        ]
    share = max(found.asked.items) / full.plates
    return [
        "The robots are models that no data of people were fitted to. They differ less from each "
        "other than people do, so real power is likely to be lower.",
        f"Studies draw their items from the same {full.plates} plates (up to "
        f"{percent(share)} of them at once): power is for plates like these.",
        f"What explanations bring at most is itself estimated, with standard errors of "
        f"{100 * full.system_se:.1f} points for S and {100 * full.expert_se:.1f} for E; "
        "the true effects are off by as large a share.",
        _CONTROLS,
    ]


def panel(effect: Usefulness) -> str:
    """Return an effect in words."""
    system, expert, harm = effect.system, effect.expert, effect.harm
    harms = f", d′\u00a0−{harm:g}" if harm else ""
    if system != expert:
        return f"S {points(system)}, E {points(expert)} points{harms}"
    if system == 0:
        return f"No use{harms}" if harm else "No effect"
    return f"Effect {points(system)} points{harms}"
