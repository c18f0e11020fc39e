"""Checks of what the design of progressive_reveal promises."""

import numpy as np

from analysis.report.checks import DIFFERING_P, Check
from analysis.report.wording import count, grouped, listed, number, p_equals, were
from analysis.statistics.proportions import Count, equal_rates_p
from analysis.studies.progressive_reveal.trials import RoundTable
from analysis.studies.progressive_reveal.words import Methods
from stimuli.maps.origin import RESPONSE_MODEL
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal


def design_checks(table: RoundTable, protocol: ProgressiveReveal, known: bool) -> list[Check]:
    """Return whether the rounds are those that the design plans."""
    return [
        _seen_once(table),
        _balanced(table),
        _complete(table, protocol, known),
        _left(table),
        _counts_fit(table),
        _ran_out(table),
        _steps_shown(table),
    ]


def _seen_once(table: RoundTable) -> Check:
    twice = int(table.frame.duplicated(["participant", "item"]).sum())
    said = f"{count(twice, 'image')} came twice before the same person." if twice else "Nobody did."
    state = "warning" if twice else "passed"
    return Check("Nobody saw an image twice", state, said, {"repeated_images": twice})


def _balanced(table: RoundTable) -> Check:
    name = "Everybody saw all methods about as often"
    counts = table.frame.groupby(["participant", "method"]).size().unstack(fill_value=0)
    uneven = int((counts.max(axis=1) - counts.min(axis=1) > 2).sum())
    cells = table.frame.groupby(["item", "method"]).size().unstack(fill_value=0)
    gaps = int((cells == 0).sum().sum())
    said = (
        f"For {count(uneven, 'participant')} counts differ by more than 2; "
        f"pairs of an image and a method that nobody saw: {gaps}."
    )
    counted = {"uneven_people": uneven, "unseen_pairs": gaps, "tolerance": 2}
    return Check(name, "note" if uneven or gaps else "passed", said, counted)


def _complete(table: RoundTable, protocol: ProgressiveReveal, known: bool) -> Check:
    name = "Everyone has all rounds"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    rounds = table.frame["participant"].value_counts()
    short = int((rounds < protocol.rounds).sum())
    said = (
        f"{count(short, 'participant')} with fewer than the {protocol.rounds} planned; "
        f"{number(float(rounds.mean()), 1)} rounds a participant on average."
    )
    counts = {"planned_rounds": protocol.rounds, "people_with_fewer": short}
    counts["mean_rounds"] = float(rounds.mean())
    return Check(name, "note" if short else "passed", said, counts)


def _named(table: RoundTable) -> Methods:
    """Return the methods; maps that response models made are called simulated."""
    origins, methods = table.frame.get("map_origin"), table.frame["method"]
    simulated = () if origins is None else methods[origins.eq(RESPONSE_MODEL).fillna(False)]
    return Methods(tuple(table.methods), frozenset(simulated))


def _left(table: RoundTable) -> Check:
    """Return how many rounds were left midway, and whether that depends on the method."""
    name = "Rounds were seen to their end"
    left, shown = table.frame["left"].to_numpy(dtype=bool), table.frame["method"].to_numpy()
    by_method = {
        method: Count(int(left[shown == method].sum()), int((shown == method).sum()))
        for method in table.methods
    }
    total = sum(one.successes for one in by_method.values())
    if not total:
        return Check(name, "passed", "None was left midway.", {"left_rounds": 0})
    named = _named(table)
    each = listed([f"{named.name(key)} {grouped(n.successes)}" for key, n in by_method.items()])
    p = equal_rates_p(tuple(by_method.values()))
    said = (
        f"{count(total, 'round')} {were(total)} left midway and censored at the last whole step. "
        f"By method: {each} (exact test, {p_equals(p)})."
    )
    if p >= DIFFERING_P:
        return Check(name, "note", said, {"left_rounds": total, "p": p})
    said += " Averages over completed rounds are of other rounds with each method."
    return Check(name, "warning", said, {"left_rounds": total, "p": p})


def _counts_fit(table: RoundTable) -> Check:
    name = "Pixels of the rounds agree with the images’ courses"
    if not table.schedule_source.startswith("the table of curves"):
        return Check(name, "not checked", "There is no table of curves.")
    own = table.frame[table.frame["step"] > 0]
    part = table.of(table.frame["step"] > 0)
    course = part.amounts[part.item_codes, part.method_codes, own["step"].to_numpy(int) - 1]
    pixels = course * own["image_pixels"].to_numpy(dtype=float)
    odd = int((np.abs(pixels - own["pixels"].to_numpy(dtype=float)) > 0.5).sum())
    said = f"In {count(odd, 'round')} they differ." if odd else "All of them do."
    return Check(name, "warning" if odd else "passed", said, {"differing_rounds": odd})


def _ran_out(table: RoundTable) -> Check:
    name = "Maps had pixels enough"
    last = table.amounts[:, :, -1]
    known = np.isfinite(last)
    still = np.zeros(known.shape, dtype=bool)
    if table.steps > 1:
        still = known & (table.amounts[:, :, -2] >= last)
    counts = {"pairs": int(known.sum()), "ran_out": int(still.sum())}
    said = (
        f"{counts['ran_out']} of {count(counts['pairs'], 'pair')} of image and method uncovered "
        "nothing more at the last step: relevance had run out."
    )
    return Check(name, "note" if counts["ran_out"] else "passed", said, counts)


def _steps_shown(table: RoundTable) -> Check:
    name = "First keys come no later than confirming presses"
    frame = table.frame
    if "step_first_key" not in frame:
        return Check(name, "not checked", "The table has no column step_first_key.")
    own = frame[frame["recognised"]]
    odd = int((own["step_first_key"] > own["step"]).fillna(False).sum())
    said = f"In {count(odd, 'round')} it is later." if odd else "It never is."
    return Check(name, "warning" if odd else "passed", said, {"later_first_keys": odd})
