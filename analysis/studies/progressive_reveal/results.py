"""Every number of the report of progressive_reveal, in one place."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd

from analysis.data.tables import Dataset
from analysis.report.checks import Check, general_checks
from analysis.report.flow import intake, leaving, stage
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
from analysis.studies.progressive_reveal import models, rates
from analysis.studies.progressive_reveal.checks import design_checks
from analysis.studies.progressive_reveal.correlations import correlation_results
from analysis.studies.progressive_reveal.exclusions import (
    LEAST_CATCH,
    excluded,
    person_rows,
    split_catch,
)
from analysis.studies.progressive_reveal.fits import fit_results
from analysis.studies.progressive_reveal.images import class_rows, image_rows, table4
from analysis.studies.progressive_reveal.methods import SOURCES
from analysis.studies.progressive_reveal.missing import unavailable_results
from analysis.studies.progressive_reveal.needed import courses, densities, needed_shares
from analysis.studies.progressive_reveal.pairs import OF_WORDS, disagreements, with_holm
from analysis.studies.progressive_reveal.published import published_rows
from analysis.studies.progressive_reveal.restricted_results import restricted_results, sensitivity
from analysis.studies.progressive_reveal.second import second_analysis
from analysis.studies.progressive_reveal.seen import seen_results
from analysis.studies.progressive_reveal.sentences import headline_sentences
from analysis.studies.progressive_reveal.survey import sample_results
from analysis.studies.progressive_reveal.trials import RoundTable, read_rounds
from stimuli.errors import UserError
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal

SCHEMA: Final = "results_progressive_reveal/1.0"

Step = Callable[[str], None]


def analyse_progressive_reveal(
    dataset: Dataset,
    purpose: str | None,
    left_out: Sequence[str],
    step: Step = lambda _: None,
) -> dict[str, Any]:
    """Return every result of progressive_reveal as plain JSON values.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`. Of the tables beside the rounds ``curves`` (what
        each image uncovers step by step) and ``people`` (each person's session) are used where
        they are there.
    step
        Told what is being computed.

    Raises
    ------
    UserError
        If no round is left to analyse, or a recognised round lacks its step or pixels.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, ProgressiveReveal)
    plan = Resampling(protocol.analysis.replicates, protocol.analysis.seed, means=dataset.means)
    taken = take_trials(dataset, purpose, left_out, "rounds")
    curves = dataset.beside.get("curves")
    main, catch = split_catch(taken.kept)
    if main.empty:
        raise UserError(f"{dataset.source}: no rounds are left but catch rounds")
    people = person_rows(main, catch, protocol)
    gone = excluded(people)
    table = read_rounds(main, protocol, curves, dataset.source)
    step("measuring methods over participants and images")
    third = rates.table3(table, plan)
    restricted = restricted_results(table, plan)
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": dataset.study,
        "data": _described(dataset, table, taken),
        "protocol": protocol.resolved(),
        "levels": {"interval": LEVEL},
        "sources": dict(SOURCES),
        "table3": third["rows"],
        "table3_dropping": third["dropping"],
        "attempts_known": third["attempts_known"],
        "first_attempts": rates.first_attempts(table, plan),
        "steps": rates.step_distribution(table),
        "courses": courses(table),
        "densities": densities(table),
        "survival": {"steps": rates.life_tables(table, plan), "restricted": restricted},
        "table4": table4(table, plan),
        "classes": class_rows(table, plan),
        "images": image_rows(table),
        "correlation": correlation_results(table, dataset.items, curves, plan.seed),
        "sample": sample_results(dataset.beside.get("people"), table),
        "exclusions": {
            "by_hand": list(left_out),
            "people": people,
            "by_rule": [row for row in people if row["reason"]],
            "least_catch": LEAST_CATCH,
            "catch_rounds": len(catch),
        },
        "flow": _flow(dataset, taken, main, table, people),
        "incidents": incident_results(dataset.sessions),
        "timing": timing_results(table.frame, dataset.sessions),
        "bootstrap": bootstrap_results(plan),
        "intervals": interval_words(plan, what="images"),
    }
    step("estimating what recognition needed")
    results["survival"]["needed"] = needed_shares(table, plan)
    step("fitting the discrete-time models")
    results["models"] = models.hazard_models(table)
    step("fitting tries and times")
    results["models"] |= {"tries": models.tries_model(table), "times": models.times_model(table)}
    step("fitting distributions to participants and images")
    results["fits"] = fit_results(table, plan.seed)
    step("repeating under other choices")
    results["sensitivity"] = sensitivity(table, plan, restricted, gone)
    results["second"] = second_analysis(table, plan, results, gone)
    results["pairs"] = _pairs(results)
    results["notes"] = [*dataset.notes, *table.notes, *models.sample_notes(table)]
    results["seen"] = seen_results(dataset.pack, table, results["images"])
    step("checking the data")
    results["published"] = published_rows(results)
    results["missing"] = unavailable_results(dataset, table, results, curves is not None)
    return finished(results, _checks(dataset, table, protocol), headline_sentences)


def _described(dataset: Dataset, table: RoundTable, taken: Taken) -> dict[str, Any]:
    frame = table.frame
    sizes = sorted(int(size) for size in frame["image_pixels"].unique())
    return {
        **describe(dataset, frame, taken),
        "rounds": len(frame),
        "rounds_a_person": len(frame) / table.participants,
        "recognised_rounds": int(frame["recognised"].sum()),
        "left_rounds": int(frame["left"].sum()),
        "classes": int(frame["class"].nunique()) if "class" in frame else None,
        "methods": list(table.methods),
        "reference": table.reference,
        "steps": table.steps,
        "image_pixels": sizes,
        "schedule_source": table.schedule_source,
        "simulated_participants": simulated_participants(frame),
        "map_origins": {
            method: values(frame[frame["method"] == method], "map_origin")
            for method in table.methods
        },
    }


def _flow(
    dataset: Dataset,
    taken: Taken,
    main: pd.DataFrame,
    table: RoundTable,
    people: Sequence[dict[str, Any]],
) -> list[dict[str, Any]]:
    frame, completed = table.frame, table.completed.frame
    midway = leaving("left midway, censored", frame, completed)
    by_rule, rest = [], completed
    for reason in dict.fromkeys(row["reason"] for row in people if row["reason"]):
        codes = [row["participant"] for row in people if row["reason"] == reason]
        smaller = rest[~rest["participant"].isin(codes)]
        by_rule.append(leaving(reason, rest, smaller))
        rest = smaller
    return [
        *intake(
            dataset,
            leaving("of another purpose", dataset.trials, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("catch rounds, not analysed", taken.kept, main),
        ),
        stage(
            "rounds in life tables and models, by intention to treat",
            frame,
            [midway] if midway["trials"] else [],
        ),
        stage("completed rounds, in Tables III and IV", completed, by_rule),
        *([stage("second analysis, without those left out by rule", rest)] if by_rule else []),
    ]


def _pairs(results: dict[str, Any]) -> dict[str, Any]:
    survival = results["survival"]
    rows = with_holm(
        [*results["models"]["pairs"], *survival["steps"]["pairs"], *survival["restricted"]["pairs"]]
    )
    return {"rows": sorted(rows, key=_place), "disagreements": disagreements(rows)}


def _place(row: dict[str, Any]) -> int:
    return list(OF_WORDS).index(row["of"])


def _checks(dataset: Dataset, table: RoundTable, protocol: ProgressiveReveal) -> list[Check]:
    limit_s = protocol.reveal.steps * protocol.reveal.step_s
    timed = table.frame if "rt_s" in table.frame else table.frame.assign(rt_s=float("nan"))
    general = general_checks(dataset.trials, timed, dataset.sessions, limit_s)
    return [*general, *design_checks(table, protocol, dataset.protocol_known)]
