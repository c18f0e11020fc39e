"""Checks of what the design of accept_reject promises."""

from collections.abc import Collection

import pandas as pd

from analysis.report.checks import Check, exclusion_check
from analysis.report.wording import count, number
from analysis.statistics.proportions import Count
from analysis.studies.accept_reject.run_effect import separated_by
from analysis.studies.accept_reject.trials import SIGNAL, ScoredTrials
from analysis.studies.accept_reject.words import ORDER_WORDS
from stimuli.studies.accept_reject.protocol import AcceptReject
from stimuli.studies.accept_reject.shares import ENOUGH_MATCHED

SHARE_TOLERANCE = 0.02


def design_checks(judged: ScoredTrials, protocol: AcceptReject, known: bool) -> list[Check]:
    """Return whether the trials are those that the design plans.

    Parameters
    ----------
    judged
        The analysed trials.
    protocol
        The rules.
    known
        Whether they are the data's own.
    """
    return [
        _seen_once(judged.frame),
        _complete(judged.frame, protocol, known),
        _same_shares(judged.frame),
        _matched(judged.frame),
        _orders(judged.frame),
        _stored(judged),
    ]


def exclusions_by_order(frame: pd.DataFrame, left_out: Collection[str]) -> list[Check]:
    """Return whether rules leave out as many leads of each order of runs.

    Parameters
    ----------
    frame
        The analysed trials.
    left_out
        Leads who are left out of the second analysis.

    Returns
    -------
    list of Check
        Empty with fewer than two orders (or groups, with a sham group).
    """
    if "order" not in frame or frame["order"].nunique() < 2:
        return []
    order = frame.groupby("participant")["order"].first().dropna()
    by_order = pd.Series(order.index.isin(list(left_out)), order.index).groupby(order)
    arms = {ORDER_WORDS.get(name, name): Count(int(own.sum()), len(own)) for name, own in by_order}
    return [exclusion_check(arms, "As many are left out by rule in each order of runs")]


def _seen_once(frame: pd.DataFrame) -> Check:
    solved = frame[frame["solver"].isin(["S", "E"])]
    twice = int(solved.duplicated(["participant", "item"]).sum())
    said = f"{count(twice, 'plate')} shown twice to the same lead." if twice else "No lead did."
    return Check(
        "No lead saw a plate of S or E twice",
        "warning" if twice else "passed",
        said,
        {"repeated_plates": twice},
    )


def _complete(frame: pd.DataFrame, protocol: AcceptReject, known: bool) -> Check:
    name = "Every lead has all trials"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    planned = 2 * protocol.solutions.trials_per_run
    short = int((frame["participant"].value_counts() < planned).sum())
    counts = {"planned_trials": planned, "leads_with_fewer": short}
    said = f"{count(short, 'lead')} with fewer than the {planned} planned."
    return Check(name, "note" if short else "passed", said, counts)


def _same_shares(frame: pd.DataFrame) -> Check:
    """Compare the share of every kind of trial between the runs, over all leads.

    A probe belongs to the run with explanations; the sham group has no such run.
    """
    name = "Equal shares of S, E and controls in both runs"
    frame = frame[~frame["sham"]]
    of_explained = frame["explained"] | frame["probe"]
    shares = [
        frame.loc[of_explained == explained, "solver"].value_counts(normalize=True)
        for explained in (False, True)
    ]
    if any(part.empty for part in shares):
        return Check(name, "not checked", "One of the runs has no trials.")
    widest = float(shares[1].sub(shares[0], fill_value=0).abs().max())
    said = f"The largest difference of a share is {number(100 * widest, 1)} percentage points."
    state = "passed" if widest <= SHARE_TOLERANCE else "warning"
    return Check(name, state, said, {"largest_difference_points": 100 * widest})


def _matched(frame: pd.DataFrame) -> Check:
    """Count matched right digits of every lead in both runs: harm rests on them."""
    name = f"At least {ENOUGH_MATCHED} matched right digits of each lead in each run"
    frame = frame[~frame["sham"]]
    own = frame[(frame["solver"] == "control") & (frame["control_kind"] == SIGNAL)]
    if own.empty:
        return Check(name, "not checked", "There are no right digits among the controls.")
    counts = pd.crosstab(own["participant"], own["explained"])
    counts = counts.reindex(index=frame["participant"].unique(), columns=[False, True])
    fewest = int(counts.fillna(0).to_numpy().min())
    said = f"The fewest are {fewest}."
    if fewest < ENOUGH_MATCHED:
        said += " With so few, harm by explanations is hard to detect."
    state = "passed" if fewest >= ENOUGH_MATCHED else "note"
    return Check(name, state, said, {"fewest_matched_right_digits": fewest})


def _orders(frame: pd.DataFrame) -> Check:
    name = "Equal numbers of both orders of the runs"
    if "order" not in frame or frame["order"].isna().all():
        return Check(name, "not checked", "The table doesn’t state the order.")
    leads = frame.groupby("order")["participant"].nunique()
    first, other = int(leads.get("without_first", 0)), int(leads.get("with_first", 0))
    said = f"Without explanations first: {count(first, 'lead')}; with them first: {other}."
    counts = {"without_first": first, "with_first": other}
    others = set(separated_by(frame)) - {"order"}
    if (not first or not other) and others:
        by = " and ".join(
            {"probes": "probes", "sham": "a sham group"}[name] for name in sorted(others)
        )
        said += f" There is only one order, but {by} separate the effects of explanation and run."
        return Check(name, "note", said, counts)
    if not first or not other:
        said += (
            " With only one order, the effect of explanations is confounded with practice and "
            "fatigue."
        )
        return Check(name, "warning", said, counts)
    return Check(name, "passed" if abs(first - other) <= 1 else "note", said, counts)


def _stored(judged: ScoredTrials) -> Check:
    name = "Stored judgements agree with decision and time"
    if "accepted" not in judged.stored:
        return Check(name, "not checked", "The table has no column accepted.")
    differing = judged.stored["accepted"]
    said = f"In {count(differing, 'trial')} they differ; the analysis uses decision and time."
    return Check(
        name,
        "warning" if differing else "passed",
        said if differing else "All of them do.",
        {"differing_trials": differing},
    )
