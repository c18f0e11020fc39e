"""The question of a power simulation of accept_reject, and its method and assumptions in words."""

from operator import attrgetter
from typing import Final

from analysis.power.question import ALPHA, MIXED_FIT, Question, Term, Verdicts
from analysis.power.summary import spreads
from analysis.report.wording import number, percent, points, unsigned_points
from analysis.studies.accept_reject import against_experts
from analysis.studies.accept_reject.model import FORMULA
from analysis.studies.accept_reject.power import PlateWorld, Usefulness
from analysis.studies.accept_reject.simulated import (
    D_PRIME,
    DIFFERENCE,
    HARM,
    HARMS,
    NO_HARM,
    WRONG,
    StudyAsk,
    run_study,
    usefulness_of,
)
from analysis.studies.accept_reject.simulated_worlds import wrong_digits
from stimuli.errors import UserError

TEST: Final = (
    f"{MIXED_FIT}. Usefulness of S’s and of E’s explanations, and their difference, were tested by "
    "the primary analysis of the protocol (by the means where no fit is sound), two-sided at "
    f"{percent(ALPHA)}, the two after Holm’s correction. Harm was looked for, and S was judged "
    "against E, as in the report."
)
"""How each simulated study was analysed."""

ASSUMPTIONS: Final = (
    "The variances are assumptions: take them from a pilot’s fit (--sd-participant, --sd-item).",
    "How leads tell right from wrong digits is an assumption, too: take it from a pilot’s report "
    "(--accept-controls, --sd-control-participant, --sd-control-item).",
)
"""What the answers rest on."""


def _method(world: PlateWorld, cutoff_s: float) -> str:
    """Return who judged what, and who answered."""
    right, wrong = world.accept_controls
    return (
        "Everyone judged every item once, solved by S or by E, without or with an explanation, "
        "rotated over lists as in the study’s packs. Answers were drawn from the model itself, "
        f"with a probability of acceptance within {cutoff_s:g} s of {percent(world.baseline)} "
        "without explanations, averaged over people and items, and with standard deviations (log "
        "odds; intercept, explained, solver, explained × solver) of "
        f"{spreads(world.sd_participant)} between participants and {spreads(world.sd_item)} "
        "between items. "
        "Matched controls, as many as the protocol’s lists have, were answered by a probit model: "
        f"without explanations {percent(right)} of the right and {percent(wrong)} of the wrong "
        "digits were accepted in time, averaged over people and items; explanations lowered d′ by "
        "the stated harm. Standard deviations (probit scale; intercept, explained, signal, signal "
        f"× explained) were {spreads(world.sd_control_participant)} between participants and "
        f"{spreads(world.sd_control_item)} between items."
    )


def _panel(effect: Usefulness) -> str:
    """Return an effect in words."""
    system, expert, harm = effect.system, effect.expert, effect.harm
    harms = f", d′\u00a0−{harm:g}" if harm else ""
    if system != expert:
        return f"S {points(system)}, E {points(expert)} points{harms}"
    if system == 0:
        return f"No use{harms}" if harm else "No effect"
    return f"Effect {points(system)} points{harms}"


def terms_of(world: PlateWorld) -> tuple[Term, ...]:
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
            truth=lambda effect: round(wrong_digits(world, effect.harm), 12),
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
            meanings={
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


def question_of(ask: StudyAsk) -> Question:
    """Return the question for a power simulation; UserError if an effect can't be."""
    _check_effects(ask)
    return Question(
        study=ask.protocol.study,
        ask=ask,
        run=run_study,
        formula=FORMULA,
        terms=terms_of(ask.world),
        generator="the mixed model",
        panel=_panel,
        method=_method(ask.world, ask.protocol.trial.cutoff_s),
        assumptions=lambda _: ASSUMPTIONS,
        test=TEST,
        verdicts=verdicts_of(ask.protocol.analysis.margin),
    )


def _check_effects(ask: StudyAsk) -> None:
    for effect in ask.grid.effects:
        for option, value in (("--effect", effect.system), ("--effect-expert", effect.expert)):
            if not 0.01 <= ask.world.baseline + value <= 0.99:
                raise UserError(
                    f"{option} {value:g}: on top of --baseline {ask.world.baseline:g} it leaves "
                    "the range from .01 to .99"
                )
