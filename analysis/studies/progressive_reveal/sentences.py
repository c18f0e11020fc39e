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
    points,
    unknown,
)
from analysis.studies.progressive_reveal.words import method_name
from stimuli.maps.origin import RESPONSE_MODEL

Results = Mapping[str, Any]
Row = Mapping[str, Any]


def headline_sentences(results: Results) -> list[str]:
    """Return the headline, made from the results alone."""
    return [
        *_who(results),
        _rates(results),
        *_model(results),
        *_means(results),
        *_dropping(results),
    ]


def _who(results: Results) -> list[str]:
    """Say first where robots stand for those who look, or for those who made human maps."""
    data = results["data"]
    simulated = [name for name in data["methods"] if RESPONSE_MODEL in data["map_origins"][name]]
    names = [method_name(name, data) for name in simulated]
    said = [f"The {listed(names)} come from response models."] if names else []
    return [*robots_first(data, "participant"), *said]


def _rates(results: Results) -> str:
    rows = [row for row in results["table3"] if row["reading"] == "all_last_step"]
    data = results["data"]
    said = [
        f"{method_name(row['method'], data)} {percent(row['recognition_rate'])}" for row in rows
    ]
    return (
        f"{counted(data, 'participant')} saw "
        f"{count(data['rounds'], 'round')} and named the image in time with {listed(said)}."
    )


def _model(results: Results) -> list[str]:
    """Return the primary model's differences in recognition by the end of the round."""
    data = results["data"]
    rows = [row for row in results["models"]["contrasts"] if row["of"] == "recognised"]
    said = [
        f"{method_name(row['method'], data)} {_points(row['estimate'])} "
        f"{interval(row['ci_low'], row['ci_high'], _points)}{_tested(results, row, 'recognised')}"
        for row in rows
        if row["estimate"] is not None
    ]
    if not said:
        return []
    return [
        "By the discrete-time model, compared with "
        f"{method_name(data['reference'], data)}, in points of recognition by the last step: "
        f"{listed(said)}{_family(results)}."
    ]


def _tested(results: Results, row: Row, of: str) -> str:
    """Return p of a contrast to the reference after Holm over all pairs; empty without one."""
    own = (of, row["method"], row["reference"], row["estimate"])
    for pair in results["pairs"]["rows"]:
        if (pair["of"], pair["method"], pair["other"], pair["estimate"]) == own:
            return "" if unknown(pair["p_holm"]) else f" ({p_equals(pair['p_holm'])})"
    return ""


def _family(results: Results) -> str:
    """Return over which family p is corrected."""
    methods = len(results["data"]["methods"])
    return f"; p by Holm over all {methods * (methods - 1) // 2} pairs" if methods > 2 else ""


def _means(results: Results) -> list[str]:
    data, found = results["data"], results["survival"]["restricted"]
    own = {row["method"]: row for row in found["methods"]}
    reference = data["reference"]
    base = own[reference]
    if base["estimate"] is None:
        return []
    said = []
    for row in found["differences"]:
        if row["estimate"] is not None:
            limits = interval(row["ci_low"], row["ci_high"], _points)
            tested = _tested(results, row, "restricted")
            name = method_name(row["method"], data)
            said.append(f"{name} {_points(row['estimate'])} {limits}{tested}")
    others = (
        f"; compared with them, in points of the image: {listed(said)}{_family(results)}"
        if said
        else ""
    )
    return [
        "Including unrecognised rounds, and up to each image’s smallest final count, "
        f"{method_name(reference, data)} uncovered {percent(base['estimate'], 1)} of the image on "
        f"average {interval(base['ci_low'], base['ci_high'], bare_percent)}{others}."
    ]


def _dropping(results: Results) -> list[str]:
    rows = [row for row in results["table3_dropping"] if row["estimate"] is not None]
    if not rows:
        return []
    data = results["data"]
    most = min(rows, key=lambda row: row["estimate"])
    if not most["estimate"] < 0:
        return []
    return [
        "Averages over recognised rounds only exclude the hardest rounds, which changes them by "
        f"up to {_points(most['estimate'])} points ({method_name(most['method'], data)})."
    ]


def _points(share: float) -> str:
    """Return a difference of shares in points with one decimal and its sign."""
    rounded = round(100 * share, 1)
    said = number(abs(rounded), 1)
    return said if rounded == 0 else f"{'+' if rounded > 0 else '−'}{said}"


def points_tenth(share: float | None) -> str:
    """Return a difference of shares in points with one decimal; a dash where unknown."""
    return points(share) if share is None else _points(share)


def group_sentences(results: Results) -> list[str]:
    """Return what is to be said of clusters of people and of images, honestly."""
    said = []
    for row in results["fits"]["groups"]:
        what = "participants" if row["of"] == "participant" else "images"
        head = f"{row['units']} {what} by the mean and the spread of their log shares: "
        if row["clear"]:
            said.append(
                f"{head}{row['best']} groups fit better than one (BIC lower by "
                f"{number(row['gain'], 1)}). Mixtures of normal distributions also split a "
                "single skewed group, so look at the figure before you conclude that there are "
                "groups."
            )
        else:
            least = number(row["gain"], 1)
            gain = f"the best gains {least}" if row["best"] > 1 else "none gains anything"
            said.append(
                f"{head}no clusters. No number of groups fits clearly better than one (the rule "
                f"requires a gain of BIC above {number(results['fits']['clear_bic'], 0)}; "
                f"{gain})."
            )
    return said


def suits_sentences(results: Results) -> list[str]:
    """Return which method suits whom, with an honest word where units don't differ."""
    said, data = [], results["data"]
    for part in results["models"]["suits"]:
        one = "participant" if part["of"] == "participant" else "image"
        many = f"{one}s"
        best = listed(
            [f"{method_name(row['method'], data)} {row['units']}" for row in part["best"]]
        )
        if not part["varies"]:
            said.append(
                f"By the model {many} don’t differ in the effects of methods: the best method is "
                f"the same for every {one}."
            )
            continue
        clear = (
            f"for {part['clear']} of {part['number']} it is clearly better than the second"
            if part["clear"]
            else "for none is it clearly better than the second"
        )
        said.append(
            f"The best method by the shrunken effects, {many}: {best}; {clear} "
            f"(beyond {number(part['clear_beyond'])} conditional standard errors)."
        )
        if not part["clear"]:
            said.append(
                f"So these data don’t support choosing a method for each {one}: differences "
                f"between {many} are smaller than their uncertainty."
            )
    return said
