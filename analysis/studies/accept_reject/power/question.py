"""What is asked of a power simulation of accept_reject, and where its answers come from."""

from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from analysis.power.grid import Grid
from analysis.power.question import MIXED_TEST, Question, Simulator, Stage, Term, key_of
from analysis.studies.accept_reject.model import FORMULA
from analysis.studies.accept_reject.power import words
from analysis.studies.accept_reject.power.mixed_world import MixedWorld
from analysis.studies.accept_reject.power.robot_world import Source
from analysis.studies.accept_reject.power.simulated import (
    BEYOND,
    LIKE,
    Calibration,
    Generator,
    Run,
    calibrate,
    calibration_of,
    run_study,
    source_key,
)
from stimuli.errors import UserError
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.workers import Kept, Workers, ordered_map

_MODEL_TERMS: Final = (
    Term(
        name="explained",
        contrast="mean",
        truth=attrgetter("mean"),
        words="usefulness of explanations, averaged over S and E",
        title="Usefulness",
        figure="power_usefulness",
    ),
    Term(
        name="explained:solver",
        contrast="S-E",
        truth=attrgetter("difference"),
        words="difference in usefulness between S's and E's explanations",
        title="S's against E's explanations",
        figure="power_difference",
        parts="S, E",
    ),
)


def terms_of(margin: float) -> tuple[Term, ...]:
    """Return what is tested: the primary model's terms, and the verdict on S against E."""
    return (
        *_MODEL_TERMS,
        Term(
            name=LIKE,
            contrast=LIKE,
            truth=lambda effect: round(margin - abs(effect.difference), 12),
            words="likeness of S and E with explanations; its effect is how far p_S − p_E lies "
            "within the margin",
            title="S is like E",
            figure="power_like",
            parts="S, E",
        ),
        Term(
            name=BEYOND,
            contrast=BEYOND,
            truth=lambda effect: round(abs(effect.difference) - margin, 12),
            words="verdict worse or better; its effect is how far p_S − p_E lies beyond the margin",
            title="S is worse or better than E",
            figure="power_beyond",
            parts="S, E",
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
    """

    protocol: AcceptReject
    grid: Grid
    pack: Path | None
    robot: str | None
    mixed: MixedWorld
    seed: int
    calibration_robots: int = 48
    calibration_plates: int = 48


def question_of(ask: Ask) -> Question:
    """Return the question for a power simulation."""
    return Question(
        study=ask.protocol.study,
        formula=FORMULA,
        terms=terms_of(ask.protocol.analysis.margin),
        grid=ask.grid,
        seed=ask.seed,
        asked=_asked(ask),
        prepare=lambda workers, kept, stage: _simulator(ask, workers, kept, stage),
        panel=words.panel,
        method=words.method,
        assumptions=words.assumptions,
        test=f"{MIXED_TEST} {words.VERDICT}",
    )


def _simulator(ask: Ask, workers: Workers, kept: Kept, stage: Stage) -> Simulator:
    """Return where answers come from; with robots, what they gain at most is measured first."""
    source = None
    if ask.robot is not None:
        source = Source.of(ask.protocol, max(ask.grid.items), ask.pack, ask.robot)
    generator, found = Generator(ask.protocol, source, ask.mixed, None, ask.seed), None
    if source is not None:
        count, plates = ask.calibration_robots, ask.calibration_plates
        tasks = {
            f"{key_of(source_key(generator))}/calibrate/{plates}/{number}": (
                source,
                ask.seed,
                number,
                plates,
            )
            for number in range(count)
        }
        step = stage("plates, and what explanations bring", count)
        rows = [row for _, row in ordered_map(calibrate, tasks.items(), workers, kept, step)]
        full = calibration_of(rows)
        generator, found = replace(generator, full=full), _calibration(full, rows[0])
    _check_effects(ask, generator.full)
    key = key_of(source_key(generator))
    return Simulator(key, run_study, lambda cell, number: Run(generator, cell, number), found)


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


def _asked(ask: Ask) -> dict[str, Any]:
    systems, experts = ([getattr(e, of) for e in ask.grid.effects] for of in ("system", "expert"))
    return {
        "protocol": ask.protocol.name,
        "effects": systems,
        "effect_expert": None if experts == systems else experts[0],
        "cutoff_s": ask.protocol.trial.cutoff_s,
        "generator": "model" if ask.robot is None else "robots",
        "robot": ask.robot,
        "pack": None if ask.pack is None else ask.pack.name,
        "baseline": ask.mixed.baseline,
        "sd_participant": list(ask.mixed.sd_participant),
        "sd_item": list(ask.mixed.sd_item),
    }


def _calibration(full: Calibration, found: dict[str, Any]) -> dict[str, Any]:
    return {
        "system": full.system,
        "system_se": full.se_system,
        "expert": full.expert,
        "expert_se": full.se_expert,
        "baseline": full.baseline,
        "plates": found["plates"],
        "pack_id": found["pack_id"],
    }
