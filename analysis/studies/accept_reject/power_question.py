"""The question of a power simulation of accept_reject, and its method and assumptions in words."""

from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Final

from analysis.power.question import (
    ALPHA,
    MIXED_FIT,
    Grid,
    Question,
    Simulator,
    Stage,
    Term,
    Verdicts,
    key_of,
)
from analysis.power.results import Counts, Spliced, StudyAsked, world_values
from analysis.power.summary import spreads
from analysis.report.about import about
from analysis.report.wording import number, percent, points, unsigned_points
from analysis.studies.accept_reject import against_experts
from analysis.studies.accept_reject.model import FORMULA
from analysis.studies.accept_reject.power import USUAL, ControlWorld, MixedWorld, Usefulness
from analysis.studies.accept_reject.simulated import (
    D_PRIME,
    DIFFERENCE,
    HARM,
    HARMS,
    NO_HARM,
    WRONG,
    Calibration,
    Generator,
    RobotRates,
    Run,
    calibrate,
    calibration_of,
    run_study,
    source_key,
    usefulness_of,
)
from analysis.studies.accept_reject.simulated_worlds import Source, wrong_digits
from stimuli.errors import UserError
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.workers import Kept, Workers, ordered_map

TEST: Final = (
    f"{MIXED_FIT}. Usefulness of S’s and of E’s explanations, and their difference, were tested by "
    "the primary analysis of the protocol (by the means where no fit is sound), two-sided at "
    f"{percent(ALPHA)}, the two after Holm’s correction. Harm was looked for, and S was judged "
    "against E, as in the report."
)
"""How each simulated study was analysed."""

_CONTROLS: Final = (
    "How leads tell right from wrong digits is an assumption, too: take it from a pilot’s report "
    "(--accept-controls, --sd-control-participant, --sd-control-item)."
)


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


def _calibration(found: Found) -> Calibration | None:
    """Return the most that robots can gain; None without robots."""
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


def terms_of(controls: ControlWorld) -> tuple[Term, ...]:
    """Return the tests: usefulness, and the two signs of harm."""
    return (
        *(
            Term(
                name=usefulness_of(solver),
                truth=attrgetter(of),
                words=f"usefulness of {solver}'s explanations",
                title=f"Usefulness of {solver}’s explanations",
                figure=f"power_usefulness_{solver.lower()}",
            )
            for solver, of in (("S", "system"), ("E", "expert"))
        ),
        Term(
            name=DIFFERENCE,
            truth=attrgetter("difference"),
            words="difference in usefulness between S's and E's explanations",
            title="S’s against E’s explanations",
            figure="power_difference",
        ),
        Term(
            name=D_PRIME,
            truth=lambda effect: -effect.harm + 0.0,
            words="fall of d′ on matched digits",
            title="Harm by d′",
            figure="power_d_prime",
            write=number,
            unit="d′",
        ),
        Term(
            name=WRONG,
            truth=lambda effect: round(wrong_digits(controls, effect.harm), 12),
            words="rise in accepting wrong digits",
            title="Harm by wrong digits",
            figure="power_wrong_digits",
        ),
    )


def verdicts_of(margin: float) -> tuple[Verdicts, ...]:
    """Return what the report gives a verdict on: S against E, and harm."""
    return (
        against_experts.verdicts(attrgetter("difference"), margin),
        Verdicts(
            name=HARM,
            title="harm",
            said={
                HARMS: "the 95 % interval of the change of d′ lies below zero, or wrong digits are "
                f"accepted more often by more than {unsigned_points(margin)} percentage points and "
                "their interval lies above zero",
                NO_HARM: "neither is so",
            },
            silent=NO_HARM,
            right=lambda effect: HARMS if effect.harm > 0 else NO_HARM,
            figure="power_harm",
        ),
    )


@dataclass(frozen=True, slots=True)
class Ask:
    """What is asked of a power simulation.

    Attributes
    ----------
    protocol
        The study's.
    grid
        Sizes, effects (`Usefulness`) and runs.
    pack
        Where robots' plates come from; None for a sketch.
    robot
        Kind of robot; None if the mixed model draws the answers.
    mixed
        The mixed model's baseline and variances.
    seed
        Root of every draw.
    calibration_robots, calibration_plates
        How many robots judge how many plates to find the most that explanations can bring.
    controls
        How matched controls are answered, whoever answers the other trials.
    """

    protocol: AcceptReject
    grid: Grid
    pack: Path | None
    robot: str | None
    mixed: MixedWorld
    seed: int
    calibration_robots: int = 48
    calibration_plates: int = 48
    controls: ControlWorld = USUAL


def question_of(ask: Ask) -> Question[PlateAsked]:
    """Return the question for a power simulation."""
    return Question(
        study=ask.protocol.study,
        formula=FORMULA,
        terms=terms_of(ask.controls),
        grid=ask.grid,
        seed=ask.seed,
        asked=_describe(ask),
        prepare=lambda workers, kept, stage: _simulator(ask, workers, kept, stage),
        panel=panel,
        method=method,
        assumptions=assumptions,
        test=TEST,
        verdicts=verdicts_of(ask.protocol.analysis.margin),
    )


def _simulator(ask: Ask, workers: Workers, kept: Kept, stage: Stage) -> Simulator:
    """Return where answers come from; with robots, measure first the most that they can gain."""
    source = None
    if ask.robot is not None:
        source = Source.of(ask.protocol, max(ask.grid.items), ask.pack, ask.robot)
    generator = Generator(ask.protocol, source, ask.mixed, None, ask.seed, ask.controls)
    if source is not None:
        count, plates = ask.calibration_robots, ask.calibration_plates
        key = key_of(source_key(generator))
        tasks = {
            f"{key}/calibrate/{plates}/{number}": (source, ask.seed, number, plates)
            for number in range(count)
        }
        step = stage("plates, and what explanations bring", count)
        robots = ordered_map(calibrate, tasks.items(), workers, kept, step)
        full = calibration_of([RobotRates(**rates) for _, rates in robots])
        generator = replace(generator, full=full)
    _check_effects(ask, generator.full)
    key = key_of(source_key(generator))
    return Simulator(
        key, run_study, lambda cell, number: Run(generator, cell, number), generator.full
    )


def _check_effects(ask: Ask, full: Calibration | None) -> None:
    effects = ask.grid.effects
    asked: list[tuple[str, str, float]] = [
        *(("--effect", "S", effect.system) for effect in effects),
        *(("--effect-expert", "E", effect.expert) for effect in effects),
    ]
    for option, solver, effect in asked:
        if full is None:
            if not 0.01 <= ask.mixed.baseline + effect <= 0.99:
                raise UserError(
                    f"{option} {effect:g}: on top of --baseline {ask.mixed.baseline:g} it leaves "
                    "the range from .01 to .99"
                )
            continue
        most = full.system if solver == "S" else full.expert
        if not 0 <= effect <= most:
            raise UserError(
                f"{option} {effect:g}: explanations of {solver}'s bring these robots 0 to "
                f"{most:.3f}; name an effect within, or take --generator model"
            )


def _describe(ask: Ask) -> PlateAsked:
    effects = ask.grid.effects
    systems, experts = [effect.system for effect in effects], [effect.expert for effect in effects]
    return PlateAsked(
        protocol=ask.protocol.name,
        generator="model" if ask.robot is None else "robots",
        effects=tuple(systems),
        effect_expert=None if experts == systems else experts[0],
        cutoff_s=ask.protocol.trial.cutoff_s,
        robot=ask.robot,
        pack=None if ask.pack is None else ask.pack.name,
        mixed=ask.mixed,
        harm=tuple(effect.harm for effect in effects),
        controls=ask.controls,
    )
