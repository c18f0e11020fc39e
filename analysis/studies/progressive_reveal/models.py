"""The mixed models: hazard of recognition, quality per pixel, wrong tries, times."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd

from analysis.mixed import MixedResult, fit_counts, fit_linear, fit_logistic
from analysis.mixed.outcome import Outcome, first_sound, fit_or_reason, model_row
from analysis.mixed.simplify import rule
from analysis.report.estimates import limits_row
from analysis.report.sampled import people_within, sample_note
from analysis.statistics.survival.hazards import Curves, recognition_curves
from analysis.statistics.survival.person_steps import person_steps, pooled_steps
from analysis.statistics.survival.restricted import pairs
from analysis.studies.progressive_reveal.pairs import to_reference, wald_pair
from analysis.studies.progressive_reveal.people import suits
from analysis.studies.progressive_reveal.trials import RoundTable

Array = np.ndarray

HAZARD = "recognised ~ C(step) * method + (1 + method | participant) + (1 + method | item)"
PER_PIXEL = (
    "recognised ~ C(step) + log2_pixels + method + (1 + method | participant) + (1 + method | item)"
)
TRIES = "wrong_tries ~ method + (1 + method || participant) + (1 + method || item)"
TIMES = "log_rt ~ method + (1 + method || participant) + (1 + method || item)"
TYPING_TERM = " + typing"
MOST_ROWS = 150_000
"""Steps of rounds up to which the models are fitted to everybody."""
SAMPLE_ROWS = 50_000
"""Steps of the sample beyond: more rounds than the published study has, fitted in a minute."""
MOST_EFFECTS = 4_000
"""The same in effects of the smaller of people and images, methods times their number."""
_SCALES = {
    "hazard": ("log odds", "Odds ratio", "odds_ratio"),
    "per_pixel": ("log odds", "Odds ratio", "odds_ratio"),
    "tries": ("log rate", "Rate ratio", "rate_ratio"),
    "times": ("log seconds", "Ratio of times", "time_ratio"),
}
_ROWS = dict.fromkeys(("hazard", "per_pixel"), ("step of a round", "steps of rounds"))
CODING = {
    "hazard": "One row for each step of a round, until recognition or the end of the round. "
    "Treatment coding; the first method and step of the sorted ones are the base.",
    "per_pixel": "log2_pixels is the binary logarithm of the share of the image uncovered at the "
    "step: its coefficient is for twice as many pixels. A method's coefficient is then its quality "
    "per pixel: its odds of recognition at the same step and the same number of pixels.",
    "tries": "wrong_tries counts the answers of a completed round that weren't right.",
    "times": "Natural logarithm of the seconds from onset to the confirming press, recognised "
    "rounds only: slow rounds that ended unrecognised are missing, which flatters methods that "
    "fail late.",
}
TYPING_CODING = (
    " typing is the participant's seconds a letter when copying class names, less the mean."
)


def hazard_rows(table: RoundTable) -> pd.DataFrame:
    """Return the person-step rows with the share uncovered at each step.

    ``log2_pixels`` is missing where the image's course isn't known; ``typing`` where the
    person copied no words.
    """
    frame = table.frame
    columns: dict[str, Any] = {
        "participant": frame["participant"].astype(str).to_numpy(dtype=object),
        "item": frame["item"].astype(str).to_numpy(dtype=object),
        "method": frame["method"].astype(str).to_numpy(dtype=object),
        "item_code": table.item_codes,
        "method_code": table.method_codes,
        "typing": _typing(frame),
    }
    rows = person_steps(table.rounds(), columns)
    shares = table.amounts[rows["item_code"], rows["method_code"], rows["step"] - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        rows["log2_pixels"] = np.log2(np.where(shares > 0, shares, np.nan))
    return rows.drop(columns=["item_code", "method_code"])


def _typing(frame: pd.DataFrame) -> Array:
    if "typing_s" not in frame:
        return np.full(len(frame), np.nan)
    typing = frame["typing_s"].to_numpy(dtype=float, na_value=np.nan)
    by_person = pd.Series(typing).groupby(frame["participant"].to_numpy()).first()
    return typing - float(by_person.mean())


def hazard_models(table: RoundTable) -> dict[str, Any]:
    """Return the discrete-time model, the one per pixel and the one with typing time."""
    table = modelled(table)
    found = primary_model(table)
    if not found["pooled_steps"]:
        return {**found, "per_pixel": found["hazard"], "typing": None}
    rows, _ = _pooled(table)
    one_method, one_step = _single(rows)
    known = rows[np.isfinite(rows["log2_pixels"])]
    formula = _reduced(PER_PIXEL, one_method, one_step)
    found["per_pixel"] = (
        _described(_hazard(formula, known), "per_pixel")
        if len(known)
        else _not_fitted(formula, "per_pixel", "no image's course is known")
    )
    found["typing"] = _with_typing(rows, one_method, one_step)
    return found


def primary_model(table: RoundTable) -> dict[str, Any]:
    """Return the discrete-time model and what it says.

    Returns
    -------
    dict
        ``hazard``: the model; ``pooled_steps``: with which first step each shares its hazard,
        empty where no round was recognised; ``curves`` (method × step), ``contrasts`` to the
        reference and ``pairs`` of all methods: recognition averaged over people and images;
        ``suits``: people's and images' effects.
    """
    table = modelled(table)
    rows, pools = _pooled(table)
    if not pools:
        missing = _not_fitted(HAZARD, "hazard", "no round was recognised")
        empty = ("curves", "contrasts", "pairs", "pooled_steps", "suits")
        return {"hazard": missing, **{name: [] for name in empty}}
    one_method, one_step = _single(rows)
    outcome = _hazard(_reduced(HAZARD, one_method, one_step), rows)
    hazard, fitted = _described(outcome, "hazard"), outcome.sound
    hazard["notes"] = [*_pooling_note(pools), *hazard.get("notes", [])]
    return {
        "hazard": hazard,
        "pooled_steps": [{"step": step, "with": first} for step, first in pools.items()],
        **_averaged(table, fitted, pools),
        "suits": suits(fitted, table) if fitted is not None and not one_method else [],
    }


def modelled(table: RoundTable) -> RoundTable:
    """Return the rounds that models are fitted to: of a random sample of people if there are many.

    Beyond `MOST_ROWS` steps together the sample has at most `SAMPLE_ROWS`. Its random effects are
    at most `MOST_EFFECTS`, unless there are few images.
    """
    people = table.frame["participant"].astype(str)
    steps = table.frame["step"].groupby(people).sum()
    most_rows = SAMPLE_ROWS if steps.sum() > MOST_ROWS else MOST_ROWS
    drawn = people_within(steps.to_dict(), most_rows)
    most_people = max(2, MOST_EFFECTS // len(table.methods))
    if len(table.items) > most_people:
        drawn = drawn[:most_people]
    return table if len(drawn) == len(steps) else table.of(people.isin(drawn))


def sample_notes(table: RoundTable) -> list[str]:
    """Return that models are fitted to a sample of people, if they are."""
    drawn = modelled(table).participants
    if drawn == table.participants:
        return []
    return [sample_note(drawn, table.participants, "The mixed models are fitted")]


def _pooled(table: RoundTable) -> tuple[pd.DataFrame, dict[int, int]]:
    """Return the person-step rows with pooled steps, and the pools; none without recognition."""
    rows = hazard_rows(table)
    if rows.empty or not rows["recognised"].any():
        return rows, {}
    pools = pooled_steps(rows, "method")
    return rows.assign(step=rows["step"].map(pools)), pools


def _single(rows: pd.DataFrame) -> tuple[bool, bool]:
    """Return whether there is one method alone, and one hazard for all steps."""
    return rows["method"].nunique() < 2, rows["step"].nunique() < 2


def _reduced(formula: str, one_method: bool, one_step: bool) -> str:
    """Return the formula without factors that have one level here."""
    if one_method:
        formula = formula.replace("1 + method", "1").replace(" * method", "")
        formula = formula.replace(" + method", "")
    if one_step:
        formula = formula.replace("C(step) * ", "").replace("C(step) + ", "")
        formula = formula.replace("C(step)", "1")
    return formula


def _pooling_note(pools: Mapping[int, int]) -> list[str]:
    runs: dict[int, list[int]] = {}
    for step, first in pools.items():
        runs.setdefault(first, []).append(step)
    said = [f"{min(run)} to {max(run)}" for run in runs.values() if len(run) > 1]
    if not said:
        return []
    return [
        f"A hazard is shared by steps {', and one by steps '.join(said)}: by some method too few "
        "rounds were recognised at one of them alone."
    ]


def _hazard(formula: str, rows: pd.DataFrame) -> Outcome:
    """Fit correlated effects; independent ones where that fit isn't sound, and say so."""
    independent = formula.replace(" | ", " || ")
    note = "With correlated random effects the fit wasn't sound; they are independent here."
    simpler = [(independent, note)] if independent != formula else []
    return first_sound(fit_logistic, formula, rows, simpler)


def _not_fitted(formula: str, what: str, reason: str) -> dict[str, Any]:
    return _described(Outcome(formula, None, reason), what)


def _described(outcome: Outcome, what: str) -> dict[str, Any]:
    scale = _SCALES[what]
    found = model_row(outcome, {"coding": CODING[what]}, scale[-1], ("correlations", "residual_sd"))
    result = outcome.result
    if result is None:
        return found
    typing = TYPING_CODING if any(row.term == "typing" for row in result.fixed) else ""
    return found | {
        "formula": _spelled(result),
        "row": _ROWS.get(what, ("round",)),
        "coding": CODING[what] + typing,
        "rule": rule("logit scale" if result.family == "binomial" else "log scale"),
        "scale": scale,
    }


def _spelled(result: MixedResult) -> str:
    """Return the formula as asked where every term of it was fitted."""
    said = " ".join(result.notes).casefold()
    return result.formula if "left out" in said or "independent here" in said else result.asked


def _averaged(
    table: RoundTable, fitted: MixedResult | None, pools: Mapping[int, int]
) -> dict[str, Any]:
    """Return recognition by each step and by the end, averaged over people and images."""
    if fitted is None:
        return {"curves": [], "contrasts": [], "pairs": []}
    steps = [pools.get(step, max(pools.values())) for step in range(1, table.steps + 1)]
    settings = [pd.DataFrame({"step": steps, "method": method}) for method in table.methods]
    found = recognition_curves(fitted, settings)
    curves = [
        {
            "method": method,
            "step": step + 1,
            **limits_row(found.by(place, step)),
        }
        for place, method in enumerate(table.methods)
        for step in range(table.steps)
    ]
    every = _pairs(table, found)
    return {
        "curves": curves,
        "contrasts": to_reference(every, table.reference, "of"),
        "pairs": every,
    }


def _pairs(table: RoundTable, found: Curves) -> list[dict[str, Any]]:
    """Return each method less each before it: recognition by the end, and mean steps."""
    rows = []
    for first, second in pairs(len(table.methods)):
        end = np.zeros(found.reached.shape)
        end[second, -1], end[first, -1] = 1, -1
        steps = np.zeros(found.reached.shape)
        steps[second, :-1], steps[first, :-1] = -1, 1
        for what, weights in (("recognised", end), ("steps", steps)):
            of = (what, table.methods[second], table.methods[first])
            rows.append(wald_pair(*of, found.contrast(weights)))
    return rows


def _with_typing(rows: pd.DataFrame, one_method: bool, one_step: bool) -> dict[str, Any] | None:
    """Return methods' coefficients with and without typing time; None where it isn't known."""
    known = rows[np.isfinite(rows["typing"])]
    people = known.groupby("participant")["typing"].first() if len(known) else pd.Series()
    if one_method or len(people) < 3 or people.nunique() < 2:
        return None
    base = "recognised ~ C(step) + method + (1 | participant) + (1 | item)"
    base = _reduced(base, one_method, one_step)
    with_typing = base.replace(" + (1", f"{TYPING_TERM} + (1", 1)
    outcome = fit_or_reason(fit_logistic, with_typing, known)
    with_it, without = outcome.sound, fit_or_reason(fit_logistic, base, known).sound
    if with_it is None or without is None:
        return {"fitted": False, "reason": outcome.reason or "the fit isn't sound"}
    names = [row.term for row in without.fixed if row.term.startswith("method")]
    both = {row.term: row for row in with_it.fixed}
    return {
        "fitted": True,
        "formula": _spelled(with_it),
        "typing": asdict(both["typing"]),
        "people": len(people),
        "methods": [
            {
                "term": name,
                "with": both[name].estimate,
                "without": next(row.estimate for row in without.fixed if row.term == name),
                "se": both[name].se,
            }
            for name in names
        ],
    }


def tries_model(table: RoundTable) -> dict[str, Any]:
    """Return the model of wrong tries over completed rounds."""
    frame = modelled(table).completed.frame
    if "attempts" not in frame or frame["attempts"].isna().any():
        return _not_fitted(TRIES, "tries", "the table has no attempts")
    rows = _plain(frame).assign(
        wrong_tries=frame["attempts"].to_numpy(dtype=float) - frame["recognised"].to_numpy(float)
    )
    if (rows["wrong_tries"] < 0).any():
        return _not_fitted(TRIES, "tries", "a recognised round has no attempt")
    formula = _reduced(TRIES, rows["method"].nunique() < 2, False)
    return _described(fit_or_reason(fit_counts, formula, rows), "tries")


def times_model(table: RoundTable) -> dict[str, Any]:
    """Return the model of the times to the confirming press, recognised rounds only."""
    frame = modelled(table).frame
    if "rt_s" not in frame:
        return _not_fitted(TIMES, "times", "the table has no rt_s")
    own = frame[frame["recognised"] & (frame["rt_s"] > 0)]
    typing = _typing(own)
    rows = _plain(own).assign(log_rt=np.log(own["rt_s"].to_numpy(dtype=float)), typing=typing)
    formula = _reduced(TIMES, rows["method"].nunique() < 2, False)
    if len(rows) and np.isfinite(typing).all() and np.unique(typing).size > 2:
        formula = formula.replace(" + (1", f"{TYPING_TERM} + (1", 1)
    return _described(fit_or_reason(fit_linear, formula, rows), "times")


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    names = ("participant", "item", "method")
    return pd.DataFrame({n: frame[n].astype(str).to_numpy(dtype=object) for n in names})
