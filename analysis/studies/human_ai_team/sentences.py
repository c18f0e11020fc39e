"""What the study shows, in a few sentences."""

from collections.abc import Mapping
from typing import Any

from analysis.report.who import counted, robots_first
from analysis.report.wording import (
    bare_percent,
    count,
    interval,
    listed,
    number,
    p_equals,
    percent,
)
from analysis.studies.human_ai_team.cells import corrected_p
from analysis.studies.human_ai_team.verdicts import HELP, NOTHING, OVER
from analysis.studies.human_ai_team.words import arm_name, tenth
from stimuli.maps.origin import RESPONSE_MODEL

Results = Mapping[str, Any]
Row = Mapping[str, Any]


def headline_sentences(results: Results) -> list[str]:
    """Return the headline, made from the results alone."""
    return [
        *robots_first(results["data"], "participant"),
        *_drawn_by_robots(results["data"]),
        _accuracy(results),
        *_differences(results),
        *_verdicts(results),
        *_trust(results),
        *_alone(results),
        *_once(results),
    ]


def _drawn_by_robots(data: Results) -> list[str]:
    """Return whose help response models made in place of people."""
    origins = data["help_origins"]
    arms = [arm_name(arm) for arm in data["arms"] if RESPONSE_MODEL in origins.get(arm, ())]
    return [f"Response models made the help of {listed(arms)}."] if arms else []


def _accuracy(results: Results) -> str:
    data = results["data"]
    said = [
        f"{arm_name(row['method'])} {number(row['mean'])} %{_sd(row)}"
        for row in results["per_user_accuracy"]
    ]
    return (
        f"{counted(data, 'participant')} answered {count(data['trials'], 'main trial')} on "
        f"{count(data['items'], 'image')}; mean accuracy per participant: {listed(said)}."
    )


def _sd(row: Row) -> str:
    one = f", n {row['n']}" if row["sd"] is None else f", sd {number(row['sd'])}, n {row['n']}"
    return f" ({one[2:]})"


def _differences(results: Results) -> list[str]:
    """Return differences of accuracy to the reference, by the model, or of the one pair without."""
    data, model = results["data"], results["models"]["all"]
    pairs = [row for row in model["pairs"] if row["quantity"] == "accuracy"]
    reference = data["reference"]
    own = [row for row in pairs if reference in (None, row["second"])]
    if own and (reference or len(own) == 1):
        said = [f"{_against(row, reference)} {_points(row)}" for row in own]
        return [
            f"By the mixed model, in points of accuracy{_less(reference)}, averaged over "
            f"participants and images: {listed(said)}; p by Holm over these."
        ]
    tested = [row for row in results["pairs"] if row["part"] == "all"]
    tested = [row for row in tested if reference in (None, row["second"])]
    if not tested or (reference is None and len(tested) > 1):
        return []
    said = [
        f"{_against(row, reference)} {tenth(row['resampled'])} "
        f"{interval(row['resampled_low'], row['resampled_high'], tenth)}"
        for row in tested
    ]
    return [f"In points of accuracy{_less(reference)}: {listed(said)}."]


def _less(reference: str | None) -> str:
    return f" against {arm_name(reference)}" if reference else ""


def _against(row: Row, reference: str | None) -> str:
    if reference:
        return arm_name(row["first"])
    return f"{arm_name(row['first'])} less {arm_name(row['second'])}"


def _points(row: Row) -> str:
    limits = interval(row["ci_low"], row["ci_high"], tenth)
    return f"{tenth(row['estimate'])} {limits} ({p_equals(corrected_p(row))})"


def _verdicts(results: Results) -> list[str]:
    """Return what each kind of help does, over-reliance by its name."""
    pairs = {
        (row["first"], row["quantity"]): row
        for row in results["models"]["all"]["pairs"]
        if row["second"] == results["data"]["reference"]
    }
    said = [
        _verdict(row, pairs, results["verdict_words"])
        for row in results["verdicts"]
        if row["verdict"] != NOTHING
    ]
    quiet = [arm_name(row["method"]) for row in results["verdicts"] if row["verdict"] == NOTHING]
    if quiet:
        said.append(
            f"{listed(quiet)}: no clear difference to {arm_name(results['data']['reference'])} in "
            "accepting right or wrong labels."
        )
    return said


def _verdict(row: Row, pairs: Mapping[tuple[str, str], Row], words: Mapping[str, str]) -> str:
    name, what, reference = arm_name(row["method"]), row["verdict"], arm_name(row["reference"])
    if what == OVER:
        over = pairs[row["method"], "over_reliance"]
        return (
            f"{name} brings over-reliance, not help: wrong labels of the AI are accepted more "
            f"often than with {reference}, by {_points(over)} points, and right and wrong labels "
            "aren’t told apart better."
        )
    if what.startswith(HELP):
        price = what.removeprefix(HELP)
        told = pairs[row["method"], "discrimination"]
        return (
            f"{name} helps{price}: beyond what {reference} does, right labels are accepted more "
            f"often than wrong ones by {_points(told)} points."
        )
    return f"{name} against {reference}: {what} ({words[what]})."


def _trust(results: Results) -> list[str]:
    own = [row for row in results["reliance"] if row["part"] == "all" and row["n"]]
    rows = {(row["method"], row["measure"]): row for row in own}
    said = []
    for arm in dict.fromkeys(row["method"] for row in own):
        over, under = rows.get((arm, "over_reliance")), rows.get((arm, "under_reliance"))
        if over and under:
            said.append(f"{arm_name(arm)} {_share(over)} and {_share(under)}")
    if not said:
        return []
    return [
        f"Over-reliance (wrong labels accepted) and under-reliance (right labels rejected): "
        f"{'; '.join(said)}."
    ]


def _share(row: Row) -> str:
    limits = interval(row["ci_low"], row["ci_high"], lambda v: bare_percent(v, 0))
    return f"{percent(row['estimate'])} {limits}"


def _alone(results: Results) -> list[str]:
    """Return teams beside the AI alone, on the bins alone: the base that both have."""
    rows = [r for r in results["weighted"] if r["weights"] == "pack" and r["estimate"] is not None]
    if not rows:
        return []
    said = [
        f"{arm_name(row['method'])} {percent(row['estimate'], 1)} "
        f"{interval(row['ci_low'], row['ci_high'], bare_percent)}"
        for row in rows
    ]
    return [
        f"On natural images, bins weighted as they occur: {listed(said)}; the AI alone on the same "
        f"bins {percent(rows[0]['ai'], 1)}."
    ]


def _once(results: Results) -> list[str]:
    """Return that images have no effects of their own, where that is so."""
    return [note for note in results["notes"] if "effects of images can't be estimated" in note]
