"""Every number of the report of human_ai_team, in one place."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd
from threadpoolctl import threadpool_limits

from analysis.data.tables import Dataset
from analysis.report.checks import general_checks
from analysis.report.flow import arms_of, intake, leaving, stage
from analysis.report.incidents import incident_results
from analysis.report.results import (
    Taken,
    bootstrap_results,
    describe,
    finished,
    interval_words,
    simulated_participants,
    take_trials,
    values,
)
from analysis.report.timing import timing_results
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import LEVEL
from analysis.studies.human_ai_team import alone, comparisons, trust
from analysis.studies.human_ai_team.accuracy import bin_rows, own_accuracies, per_user_accuracy
from analysis.studies.human_ai_team.checks import design_checks
from analysis.studies.human_ai_team.methods import SOURCES
from analysis.studies.human_ai_team.metrics import metric_rows
from analysis.studies.human_ai_team.missing import unavailable_results
from analysis.studies.human_ai_team.model import model_results, once_sentence
from analysis.studies.human_ai_team.people import arm_rows, person_rows, unqualified
from analysis.studies.human_ai_team.prior import prior_results
from analysis.studies.human_ai_team.published import published_rows
from analysis.studies.human_ai_team.rates import MEASURES, Rates, measure
from analysis.studies.human_ai_team.ratings import rating_results
from analysis.studies.human_ai_team.second import second_analysis
from analysis.studies.human_ai_team.seen import seen_results
from analysis.studies.human_ai_team.sentences import headline_sentences
from analysis.studies.human_ai_team.times import help_rows, time_pairs, time_rows
from analysis.studies.human_ai_team.trials import (
    ALL,
    ATTACKED,
    NATURAL,
    PARTS,
    Answers,
    main_rows,
    read_answers,
)
from analysis.studies.human_ai_team.verdicts import VERDICTS, verdict_rows
from analysis.studies.human_ai_team.words import arm_name
from stimuli.errors import UserError
from stimuli.studies.human_ai_team.protocol import HumanAiTeam

SCHEMA: Final = "results_human_ai_team/1.0"

Step = Callable[[str], None]


def analyse_human_ai_team(
    dataset: Dataset,
    purpose: str | None,
    left_out: Sequence[str],
    step: Step = lambda _: None,
) -> dict[str, Any]:
    """Return every result of human_ai_team as plain JSON values.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`. Of the tables beside the trials ``ai`` (the AI alone
        on all images), ``available`` (how often bins occur) and ``metrics`` (of maps) are used
        where they are there.
    step
        Told what is being computed.

    Raises
    ------
    UserError
        If no answered main trial is left to analyse.
    """
    # Matrices are small here: more threads would only wait for each other.
    with threadpool_limits(1):
        return _analysed(dataset, purpose, left_out, step)


def _analysed(
    dataset: Dataset, purpose: str | None, left_out: Sequence[str], step: Step
) -> dict[str, Any]:
    protocol = dataset.protocol
    assert isinstance(protocol, HumanAiTeam)
    taken = take_trials(dataset, purpose, left_out)
    everybody = read_answers(taken.kept, protocol)
    if everybody.frame.empty:
        raise UserError(f"{dataset.source}: no answered main trials are left")
    people = person_rows(taken.kept, everybody, protocol)
    gone = unqualified(people)
    qualified = everybody.of(~everybody.frame["participant"].isin(gone))
    first = protocol.analysis.primary == "qualified" and len(qualified.frame) > 0
    answers = qualified if first else everybody
    asked = Resampling(protocol.analysis.replicates, protocol.analysis.seed, means=dataset.means)
    plan = everybody.plan(asked)
    step("measuring arms over participants and images")
    rates = measure(answers, plan)
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": dataset.study,
        "data": _described(dataset, answers, taken),
        "protocol": protocol.resolved(),
        "levels": {"interval": LEVEL},
        "sources": dict(SOURCES),
        **_accuracies(answers, rates),
        "pairs": comparisons.accuracy_pairs(answers, rates),
        "rate_pairs": comparisons.rate_pairs(answers, rates, tuple(MEASURES)[1:]),
        "bins": bin_rows(answers),
        "reliance": trust.reliance_rows(answers, plan),
        "detection": trust.detection_rows(answers, rates),
        "complementarity": trust.complementarity_rows(answers, plan),
        **_alone(dataset, answers, protocol, plan),
        "metrics": metric_rows(dataset.beside.get("metrics"), everybody, gone),
        "times": time_rows(answers),
        "time_pairs": time_pairs(answers),
        "help_times": help_rows(answers),
        "exclusions": _exclusions(people, everybody, left_out, protocol),
        "flow": _flow(dataset, taken, everybody, gone, people),
        "incidents": incident_results(dataset.sessions),
        "timing": timing_results(_timed(main_rows(taken.kept)), dataset.sessions),
        "bootstrap": {
            **bootstrap_results(plan),
            "drawn": plan.drawn,
        },
        "intervals": interval_words(plan, what="images"),
    }
    step("resampling confidence ratings")
    results["ratings"] = rating_results(answers, plan)
    step("fitting the mixed models")
    results["models"] = _models(answers)
    results["verdicts"] = verdict_rows(results["models"][ALL]["pairs"], answers.reference)
    results["verdict_words"] = dict(VERDICTS)
    results["prior"] = prior_results(answers)
    step("repeating for those who qualified")
    results["second"] = second_analysis(everybody, qualified, plan, primary=first)
    results["notes"] = [*dataset.notes, *answers.notes, *_remarks(answers)]
    results["seen"] = seen_results(dataset.pack, answers.arms)
    step("checking the data")
    results["published"] = published_rows(results)
    results["missing"] = unavailable_results(dataset, answers, results)
    timed = _timed(main_rows(taken.kept))
    checks = [
        *general_checks(dataset.trials, timed, dataset.sessions, protocol.question.limit_s),
        *design_checks(answers, protocol, dataset.protocol_known),
    ]
    return finished(results, checks, headline_sentences)


def _described(dataset: Dataset, answers: Answers, taken: Taken) -> dict[str, Any]:
    kept = taken.kept[taken.kept["participant"].isin(answers.frame["participant"])]
    main = main_rows(kept)
    return {
        **describe(dataset, main[main["decision"].isin(["yes", "no"])], taken),
        "arms": list(answers.arms),
        "reference": answers.reference,
        "ai_right": answers.right_share,
        "adversarial_share": _adversarial_share(main, answers),
        "seen_twice": answers.seen_twice,
        "images_seen_twice": answers.images_twice,
        "seen_twice_in_arm": answers.seen_twice_in_arm,
        "answers_an_image": answers.answers_an_image,
        "unanswered": dict(answers.unanswered),
        "help_origins": _help_origins(dataset.beside.get("arms")),
        "sheets": values(main, "sheet"),
        "simulated_participants": simulated_participants(main),
    }


def _adversarial_share(main: pd.DataFrame, answers: Answers) -> float | None:
    """Return the share of trials on adversarial images; None where the table doesn't say."""
    return float(answers.frame["adversarial"].mean()) if "adversarial" in main else None


def _help_origins(arms: pd.DataFrame | None) -> dict[str, list[str]]:
    """Return who made the help of each arm, as far as packs tell."""
    if arms is None:
        return {}
    known = arms.dropna(subset=["help_origin"])
    return {str(arm): values(own, "help_origin") for arm, own in known.groupby("arm")}


def _accuracies(answers: Answers, rates: Rates) -> dict[str, Any]:
    parts = (NATURAL, ATTACKED) if answers.parts == PARTS else ()
    by_part = {part: per_user_accuracy(answers, rates, part) for part in parts}
    if not parts:
        which = ATTACKED if answers.frame["adversarial"].all() else NATURAL
        by_part = {NATURAL: [], ATTACKED: []}
        by_part[which] = per_user_accuracy(answers, rates, ALL)
    own = own_accuracies(answers)
    return {
        "per_user_accuracy": per_user_accuracy(answers, rates, ALL),
        "accuracy_by_part": by_part,
        "own_accuracies": own.to_dict("records"),
    }


def _alone(
    dataset: Dataset, answers: Answers, protocol: HumanAiTeam, plan: Resampling
) -> dict[str, Any]:
    source = alone.source_of(dataset.beside.get("ai"), answers, protocol)
    weights = alone.weights_of(dataset.beside.get("available"))
    sweep = alone.sweep_rows(source, weights)
    return {
        "ai_source": None if source is None else {"words": source.words, **source.counts()},
        "ai_alone": sweep,
        "bin_weights": weights,
        "weighted": alone.weighted_rows(answers, weights, sweep, plan),
    }


def _models(answers: Answers) -> dict[str, Any]:
    parts = answers.parts
    return {part: model_results(answers.part(part)) for part in parts}


def _exclusions(
    people: list[dict[str, Any]],
    everybody: Answers,
    left_out: Sequence[str],
    protocol: HumanAiTeam,
) -> dict[str, Any]:
    return {
        "by_hand": list(left_out),
        "people": people,
        "by_rule": [row["participant"] for row in people if row["qualified"] is False],
        "without_main": sum(row["answered"] == 0 for row in people),
        "arms": arm_rows(people, everybody.arms),
        "needed": protocol.validation.pass_right,
        "of": protocol.validation.trials,
        "primary": protocol.analysis.primary,
    }


def _flow(
    dataset: Dataset,
    taken: Taken,
    everybody: Answers,
    gone: Sequence[str],
    people: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    main = main_rows(taken.kept)
    answered = main[main["decision"].isin(["yes", "no"])]
    rest = answered[~answered["participant"].isin(gone)]
    without = taken.kept[~taken.kept["participant"].isin(main["participant"])]
    with_main = taken.kept[~taken.kept["participant"].isin(without["participant"])]
    failed = leaving("didn’t qualify in validation trials", answered, rest)
    told = any(row["qualified"] is not None for row in people)
    return [
        *intake(
            dataset,
            leaving("of another purpose", dataset.trials, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("no main trial", taken.kept, with_main),
            leaving("practice and validation trials", with_main, main),
            leaving("without an answer", main, answered),
        ),
        stage(
            "main trials, by intention to treat",
            answered,
            [failed] if failed["participants"] else [],
            arms_of(answered, "method", arm_name),
        ),
        *(
            [stage("of those who qualified", rest, (), arms_of(rest, "method", arm_name))]
            if told
            else []
        ),
    ]


def _timed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if "rt_s" in frame else frame.assign(rt_s=float("nan"))


def _remarks(answers: Answers) -> list[str]:
    remarks = []
    once = once_sentence(answers)
    if once:
        remarks.append(once)
    if answers.within:
        remarks.append("Some participants answered in several arms.")
    return remarks
