"""What is asked of a power simulation of accept_reject, and where its answers come from."""

from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

from analysis.power.question import Grid, Question, Simulator, Stage, Term, Verdicts, key_of
from analysis.report.wording import number, unsigned_points
from analysis.studies.accept_reject.model import FORMULA
from analysis.studies.accept_reject.power import words
from analysis.studies.accept_reject.power.against_experts import against_experts
from analysis.studies.accept_reject.power.asked import USUAL, ControlWorld, MixedWorld
from analysis.studies.accept_reject.power.control_world import wrong_digits
from analysis.studies.accept_reject.power.robot_world import Source
from analysis.studies.accept_reject.power.simulated import (
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
from stimuli.errors import UserError
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.workers import Kept, Workers, ordered_map


def terms_of(controls: ControlWorld) -> tuple[Term, ...]:
    """Return what is tested: usefulness, and the two signs of harm."""
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
        against_experts(attrgetter("difference"), margin),
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
        Kind of robot; None where the mixed model draws the answers.
    mixed
        The mixed model's baseline and variances.
    seed
        Root of every draw.
    calibration_robots, calibration_plates
        How many robots judge how many plates to find what explanations bring at most.
    controls
        How matched controls are answered, whoever answers the others.
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


def question_of(ask: Ask) -> Question[words.PlateAsked]:
    """Return the question for a power simulation."""
    return Question(
        study=ask.protocol.study,
        formula=FORMULA,
        terms=terms_of(ask.controls),
        grid=ask.grid,
        seed=ask.seed,
        asked=_describe(ask),
        prepare=lambda workers, kept, stage: _simulator(ask, workers, kept, stage),
        panel=words.panel,
        method=words.method,
        assumptions=words.assumptions,
        test=words.TEST,
        verdicts=verdicts_of(ask.protocol.analysis.margin),
    )


def _simulator(ask: Ask, workers: Workers, kept: Kept, stage: Stage) -> Simulator:
    """Return where answers come from; with robots, what they gain at most is measured first."""
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


def _describe(ask: Ask) -> words.PlateAsked:
    effects = ask.grid.effects
    systems, experts = [effect.system for effect in effects], [effect.expert for effect in effects]
    return words.PlateAsked(
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
