"""Every number of the report of simulatability, in one place."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd

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
)
from analysis.report.timing import timing_results
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import LEVEL
from analysis.studies.simulatability.change import published_change
from analysis.studies.simulatability.checks import design_checks
from analysis.studies.simulatability.confidence import confidence_results
from analysis.studies.simulatability.contrasts import VERDICTS, contrast_rows
from analysis.studies.simulatability.means import mean_results
from analysis.studies.simulatability.methods import SOURCES
from analysis.studies.simulatability.missing import unavailable_results
from analysis.studies.simulatability.model import model_results
from analysis.studies.simulatability.people import arm_rows, person_rows
from analysis.studies.simulatability.published import published_rows
from analysis.studies.simulatability.published_bootstrap import NAME
from analysis.studies.simulatability.ratings import rating_results
from analysis.studies.simulatability.regression import regression_results
from analysis.studies.simulatability.seen import seen_results
from analysis.studies.simulatability.sentences import headline_sentences
from analysis.studies.simulatability.trials import Predictions, read_predictions, test_rows
from analysis.studies.simulatability.words import method_name
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import Simulatability

SCHEMA: Final = "results_simulatability/1.0"
UNITS: Final = "accuracies, changes, their limits and standard errors: percentage points"

Row = dict[str, Any]
Step = Callable[[str], None]


def analyse_simulatability(
    dataset: Dataset,
    purpose: str | None,
    left_out: Sequence[str],
    step: Step = lambda _: None,
) -> Row:
    """Return every result of simulatability as plain JSON values.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`. Of the tables beside the trials ``people`` is used
        where it is there.
    step
        Told what is being computed.

    Raises
    ------
    UserError
        If no item is left that somebody predicted in both phases.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, Simulatability)
    taken = take_trials(dataset, purpose, left_out)
    everybody = read_predictions(taken.kept, protocol)
    if everybody.pairs.empty:
        raise UserError(
            f"{dataset.source}: nobody predicted an item in both phases; the same participant, "
            "item and method needs a row with phase pre and a row with phase post, with use "
            "forward or counterfactual, and with a value in correct"
        )
    people = person_rows(taken.kept, _people_of(dataset, taken, left_out), everybody, protocol)
    gone = [row["participant"] for row in people if row["left_out"]]
    plan = Resampling(protocol.analysis.replicates, protocol.analysis.seed, means=dataset.means)
    step("resampling people and items, as published")
    published = published_change(everybody, protocol)
    step("resampling ratings")
    ratings = rating_results(everybody, protocol)
    step("fitting the mixed models")
    primary = primary_results(everybody, protocol, plan)
    results: Row = {
        "schema": SCHEMA,
        "study": dataset.study,
        "units": UNITS,
        "data": _described(dataset, everybody, taken),
        "protocol": protocol.resolved(),
        "levels": {"interval": LEVEL},
        "sources": dict(SOURCES),
        **published,
        "ratings": ratings,
        **primary,
        "verdict_words": dict(VERDICTS),
        "regression": regression_results(everybody),
        "confidence": confidence_results(everybody, plan),
        "exclusions": _exclusions(people, everybody, left_out, protocol),
        "flow": _flow(dataset, taken, people, gone),
        "incidents": incident_results(dataset.sessions),
        "timing": timing_results(_timed(test_rows(taken.kept)), dataset.sessions),
        "bootstrap": {
            **bootstrap_results(plan),
            "published": NAME,
            "published_replicates": protocol.analysis.published_replicates,
        },
        "intervals": interval_words(plan),
    }
    step("repeating without those who are left out")
    results["second"] = _second(everybody, gone, protocol, plan)
    results["notes"] = [*dataset.notes, *everybody.notes, *_remarks(everybody)]
    results["seen"] = seen_results(dataset, everybody.methods)
    step("checking the data")
    results["published"] = published_rows(results)
    results["missing"] = unavailable_results(dataset, everybody, results)
    tests = test_rows(taken.kept)
    checks = [
        *general_checks(dataset.trials, _timed(tests), dataset.sessions, protocol.question.limit_s),
        *design_checks(everybody, tests, protocol, known=dataset.protocol_known),
    ]
    return finished(results, checks, headline_sentences)


def primary_results(predictions: Predictions, protocol: Simulatability, plan: Resampling) -> Row:
    """Return the mixed models, plain means, and the contrasts that decide."""
    models = {name: model_results(predictions.domain(name)) for name in predictions.domains}
    means = mean_results(predictions, plan)
    rules = protocol.analysis
    rows = contrast_rows(predictions, models, means, rules.primary_test, 100 * rules.margin)
    return {"models": models, "means": means, "contrasts": rows}


def _second(
    everybody: Predictions, gone: Sequence[str], protocol: Simulatability, plan: Resampling
) -> Row | None:
    """Return the contrasts without those who are left out; None where nobody is, or all are."""
    people = set(everybody.pairs["participant"])
    left = people - set(gone)
    if not left or left == people:
        return None
    kept = everybody.of(sorted(left))
    return {"participants": kept.participants, **primary_results(kept, protocol, plan)}


def _people_of(dataset: Dataset, taken: Taken, left_out: Sequence[str]) -> pd.DataFrame | None:
    """Return the table of people, those of the purpose that are not left out by hand."""
    table = dataset.beside.get("people")
    if table is None:
        return None
    keep = ~table["participant"].isin(left_out)
    if taken.purpose and "purpose" in table:
        keep &= table["purpose"] == taken.purpose
    return table[keep]


def _described(dataset: Dataset, predictions: Predictions, taken: Taken) -> Row:
    tests = test_rows(taken.kept)
    pairs = predictions.pairs
    twice = pairs.groupby("participant")[["domain", "method"]].nunique().max(axis=1) > 1
    described = describe(dataset, tests[tests["participant"].isin(pairs["participant"])], taken)
    return {
        **described,
        "items": int(pairs["item"].nunique()),
        "pairs": len(pairs),
        "methods": list(predictions.methods),
        "domains": list(predictions.domains),
        "tests": list(predictions.tests),
        "reference": predictions.reference,
        "tested_again": int(twice.sum()),
        "unanswered": sum(row["unanswered"] for row in predictions.missing),
        "simulated_participants": simulated_participants(
            tests[tests["participant"].isin(pairs["participant"])]
        ),
    }


def _exclusions(
    people: list[Row], everybody: Predictions, left_out: Sequence[str], protocol: Simulatability
) -> Row:
    return {
        "by_hand": list(left_out),
        "people": people,
        "arms": arm_rows(people, everybody),
        "not_qualified": sum(row["qualified"] is False for row in people),
        "too_fast": sum(row["too_fast"] is True for row in people),
        "without_items": sum(row["items"] == 0 for row in people),
        "needed": protocol.understanding.pass_right,
        "too_fast_s": protocol.analysis.too_fast_s,
    }


def _flow(dataset: Dataset, taken: Taken, people: Sequence[Row], gone: Sequence[str]) -> list[Row]:
    tests = test_rows(taken.kept)
    answered = tests[tests["correct"].notna()]
    in_both = [row["participant"] for row in people if row["items"]]
    first = answered[answered["participant"].isin(in_both)]
    rest = first[~first["participant"].isin(gone)]
    with_tests = taken.kept[taken.kept["participant"].isin(tests["participant"])]
    left = leaving("didn’t understand the method, or too fast", first, rest)
    return [
        *intake(
            dataset,
            leaving("of another purpose", dataset.trials, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("no prediction", taken.kept, with_tests),
            leaving("examples to learn from", with_tests, tests),
            leaving("without an answer", tests, answered),
            leaving("nothing predicted in both phases", answered, first),
        ),
        stage(
            "predictions, by intention to treat",
            first,
            [left] if left.participants else [],
            arms_of(first, "method", method_name),
        ),
        *(
            [stage("of those who qualified", rest, (), arms_of(rest, "method", method_name))]
            if left.participants
            else []
        ),
    ]


def _timed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if "rt_s" in frame else frame.assign(rt_s=float("nan"))


def _remarks(predictions: Predictions) -> list[str]:
    remarks = []
    if predictions.reference is None:
        remarks.append(
            "No arm without explanations can be compared with another arm, so Change includes "
            "practice and regression to the mean."
        )
    many = predictions.pairs.groupby("participant")["domain"].nunique() > 1
    if many.any():
        remarks.append(
            "Participants who were tested in both domains count as one participant in results that "
            "combine the domains."
        )
    return remarks
