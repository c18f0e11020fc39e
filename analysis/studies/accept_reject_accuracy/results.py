"""Every number of the accuracy report, in one place."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd

from analysis.data.tables import Dataset
from analysis.report.checks import general_checks
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
from analysis.studies.accept_reject.blinding import lead_answers
from analysis.studies.accept_reject.trials import ScoredTrials, judge_trials
from analysis.studies.accept_reject_accuracy import rates as r
from analysis.studies.accept_reject_accuracy import uncertainty as u
from analysis.studies.accept_reject_accuracy.label_words import label_words
from analysis.studies.accept_reject_accuracy.pairs import Judgements, judgements
from analysis.studies.accept_reject_accuracy.people import control_rows, excluded, lead_rows
from analysis.studies.accept_reject_accuracy.sentences import headline_sentences
from stimuli.errors import UserError
from stimuli.studies.accept_reject_accuracy.protocol import AcceptRejectAccuracy

SCHEMA: Final = "results_accuracy/1.0"

Step = Callable[[str], None]


def analyse_accuracy(
    dataset: Dataset,
    purpose: str | None,
    left_out: Sequence[str],
    step: Step = lambda _: None,
) -> dict[str, Any]:
    """Return every result of the assessment of accuracy as plain JSON values.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.
    step
        Told what is being computed.

    Raises
    ------
    UserError
        If no trial is left to analyse, or a column that it rests on is missing.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, AcceptRejectAccuracy)
    _require_labels(dataset)
    rules = protocol.analysis
    plan = Resampling(rules.replicates, rules.seed, means=dataset.means)
    taken = take_trials(dataset, purpose, left_out)
    step("judging trials")
    kept = taken.kept
    kept = kept if "explained" in kept else kept.assign(explained=False)
    judged = judge_trials(kept, protocol)
    found = judgements(judged, dataset.items)
    leads = lead_rows(judged.frame, rules)
    gone = excluded(leads)
    step("measuring rates over leads and images")
    rates = r.measure(found, plan)
    results: dict[str, Any] = {
        "schema": SCHEMA,
        "study": dataset.study,
        "assessment": protocol.assessment,
        "data": _described(dataset, judged, taken),
        "protocol": protocol.resolved(),
        "levels": {"interval": LEVEL, "equivalence_interval": 0.90},
        "accuracy": r.ratio_row(rates, _plain(found)),
        "set_accuracy": _set_accuracy(dataset.items),
        "acceptance": r.acceptance_rows(rates, judged.cutoff_s),
        "comparison": r.comparison(rates, rules.margin),
        "uncertainty": u.label_summary(found.pairs),
        "agreement": u.agreement_rows(found.pairs, plan),
        "beyond_labels": u.beyond_labels(found.pairs),
        "classes": u.class_rows(found.pairs),
        "pairs": u.pair_rows(found.pairs),
        "label_words": label_words(dataset.copies.values()),
        "controls": control_rows(judged.frame),
        "answers": lead_answers(judged.frame),
        "participants": leads,
        "exclusions": {
            "compliance_minimum": rules.compliance_minimum,
            "by_hand": list(left_out),
            "by_rule": gone,
        },
        "flow": _flow(dataset, taken, judged, gone),
        "incidents": incident_results(dataset.sessions),
        "timing": timing_results(judged.frame, dataset.sessions),
        "bootstrap": bootstrap_results(plan),
        "intervals": interval_words(plan, "leads", "images"),
    }
    step("repeating under other choices")
    results["sensitivity"] = _sensitivity(dataset, kept, judged, gone, plan, rates)
    results["notes"] = [*dataset.notes, *judged.notes, *found.notes, *_remarks(found)]
    step("checking the data")
    checks = general_checks(dataset.trials, judged.frame, dataset.sessions, judged.limit_s)
    return finished(results, checks, headline_sentences)


def _require_labels(dataset: Dataset) -> None:
    missing = [name for name in ("true_label", "shown_label") if name not in dataset.trials]
    if missing:
        raise UserError(
            f"{dataset.source}: column missing: {', '.join(missing)}; the assessment of accuracy "
            "compares labels"
        )


def _described(dataset: Dataset, judged: ScoredTrials, taken: Taken) -> dict[str, Any]:
    frame = judged.frame
    return {
        **describe(dataset, frame, taken),
        "cutoff_s": judged.cutoff_s,
        "cutoff_mode": judged.mode,
        "limit_s": judged.limit_s,
        "systems": values(frame[frame["solver"] == "S"], "solver_id"),
        "experts": values(frame[frame["solver"] == "E"], "solver_id"),
        "labels": int(frame["true_label"].nunique()),
        "simulated_participants": simulated_participants(frame),
    }


def _plain(found: Judgements) -> Any:
    """Return plain accuracy over the tasks whose S's label was judged."""
    true = {pair.task: pair.true_label for pair in found.pairs}
    tasks = {pair.task: pair.label for pair in found.of("S")}
    return r.plain_accuracy((label, true[task]) for task, label in tasks.items())


def _set_accuracy(items: pd.DataFrame | None) -> dict[str, Any] | None:
    """Return plain accuracy over the whole item table; None without one."""
    if items is None or not {"model_label", "true_label"} <= set(items):
        return None
    own = items.dropna(subset=["model_label", "true_label"])
    found = r.plain_accuracy(zip(own["model_label"], own["true_label"], strict=True))
    return {"rate": None if found is None else float(found), "items": len(own)}


def _flow(
    dataset: Dataset, taken: Taken, judged: ScoredTrials, gone: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    frame = judged.frame
    codes = [row["participant"] for row in gone]
    rest = frame[~frame["participant"].isin(codes)]
    by_rule = [leaving(gone[0]["reason"], frame, rest)] if gone else []
    return [
        *intake(
            dataset,
            leaving("of another purpose", dataset.trials, taken.chosen),
            leaving("left out by hand (--exclude)", taken.chosen, taken.kept),
            leaving("practice, or accepted without a time", taken.kept, frame),
        ),
        stage("analysed by intention to treat", frame, by_rule),
        stage("second analysis, without those left out by rule", rest),
    ]


def _sensitivity(
    dataset: Dataset,
    kept: pd.DataFrame,
    judged: ScoredTrials,
    gone: list[dict[str, Any]],
    plan: Resampling,
    rates: r.Rates,
) -> list[dict[str, Any]]:
    rows = [_repeated("all leads (intention to treat)", rates, judged.participants)]
    codes = [row["participant"] for row in gone]
    if codes and len(codes) < judged.participants:
        second = judged.of(~judged.frame["participant"].isin(codes))
        found = r.measure(judgements(second, dataset.items), plan)
        rows.append(_repeated("without the leads left out by rule", found, second.participants))
    drawn = r.measure(judgements(judged, dataset.items, as_drawn=True), plan)
    rows.append(_repeated("each judgement for the drawn solver alone", drawn, judged.participants))
    if "rt_corrected_s" in kept and kept["rt_corrected_s"].notna().any():
        corrected = judge_trials(kept, dataset.protocol, "rt_corrected_s")
        found = r.measure(judgements(corrected, dataset.items), plan)
        rows.append(_repeated("times less the rig’s lag", found, corrected.participants))
    return rows


def _repeated(label: str, rates: r.Rates, participants: int) -> dict[str, Any]:
    row = r.ratio_row(rates, None)
    return {
        "analysis": label,
        "participants": participants,
        "p_S": None if rates.p["S"] is None else float(rates.p["S"]),
        "p_E": None if rates.p["E"] is None else float(rates.p["E"]),
        "accuracy": row["estimate"],
        "ci_low": row["ci_low"],
        "ci_high": row["ci_high"],
    }


def _remarks(found: Judgements) -> list[str]:
    remarks = []
    if found.frame["participant"].nunique() == 1:
        remarks.append(
            "There is one lead: intervals are over images alone, and hold for no other lead."
        )
    once = sum(pair.n < 2 for pair in found.pairs)
    if once:
        remarks.append(
            f"{once} of {len(found.pairs)} labels were judged by one lead only: of these nothing "
            "can be said about disagreement."
        )
    unjudged = len(found.system) - len({pair.task for pair in found.of("S")})
    if unjudged > 0:
        remarks.append(
            f"S’s label of {unjudged} images was not judged: acc_L is over the other "
            f"{len(found.system) - unjudged}; lists come in pairs, and each needs a lead."
        )
    return remarks
