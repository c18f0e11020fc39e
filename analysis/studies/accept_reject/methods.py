"""The study's sentences of the methods paragraph."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.report.primary import WORDS
from analysis.report.who import all_simulated, counted
from analysis.report.wording import count, grouped, listed, percent, unsigned_points
from analysis.studies.accept_reject.harm import MIXED
from analysis.studies.accept_reject.words import GROUPS, contour_rule, too_few_words
from stimuli.maps.discs import DISCS
from stimuli.maps.origin import IMPORTED, PEOPLE, RESPONSE_MODEL

Results = Mapping[str, Any]


def methods_paragraphs(results: Results) -> list[list[str]]:
    """Return what was done: design, then outcome and analysis; sentences by paragraph.

    Every number is taken from the results. What the table doesn't contain is taken from the
    protocol, if one came with the data; otherwise it is reported as missing.
    """
    known = results["data"]["protocol_known"]
    design = [_people(results), _tasks(results), _runs(results)]
    design += [_trial(results), _controls(results), _session(results)] if known else [_unknown()]
    return [design, [_outcome(results), _exclusion(results), _analysis(results)]]


def _people(results: Results) -> str:
    data = results["data"]
    robots = " (response models)" if all_simulated(data) else ""
    return (
        f"In all {counted(data, 'lead')}{robots} decided on {grouped(data['trials'])} "
        f"task–solution pairs made from {count(data['items'], 'pseudoisochromatic plate')}."
    )


def _tasks(results: Results) -> str:
    data = results["data"]
    said = (
        f"Solutions came from a classifier (S) and from {_experts(data)} (E); the lead wasn’t told "
        "which."
    )
    if data["protocol_known"]:
        plates = results["protocol"]["plates"]
        said += (
            f" Plates measured {plates['size_deg']:g}° across; figure and ground differed along "
            f"{_axes(data)} confusion line in cone excitation, at {_rungs(data, plates)}."
        )
    return said


def _experts(data: Mapping[str, Any]) -> str:
    number, kinds = len(data["experts"]), data["expert_origins"]
    noun = "simulated expert" if kinds == [RESPONSE_MODEL] else "expert"
    who = count(number, noun) if number else f"an unstated number of {noun}s"
    if kinds == [PEOPLE]:
        return f"{who} with normal colour vision"
    if RESPONSE_MODEL in kinds:
        part = "" if kinds == [RESPONSE_MODEL] else "of whom some are simulated, "
        return f"{who} ({part}response models)"
    return f"{who}, whose answers were imported" if kinds == [IMPORTED] else who


def _axes(data: Mapping[str, Any]) -> str:
    return f"the {listed(data['axes'])}" if data["axes"] else "the lead’s own"


def _rungs(data: Mapping[str, Any], plates: Mapping[str, Any]) -> str:
    pairs = [
        f"rung {rung} of the ladder ({axis} Δu′v′ {plates[f'ladder_{axis}'][rung - 1]:g})"
        for axis in data["axes"]
        for rung in data["rungs"]
        if 0 < rung <= len(plates.get(f"ladder_{axis}", ()))
    ]
    few = 0 < len(pairs) <= 3
    return listed(pairs) if few else "the rung of the ladder of contrasts set for each lead"


def _runs(results: Results) -> str:
    methods = results["data"]["methods"]
    return (
        f"There were two runs, without and with explanations, {_order(results['data']['orders'])}; "
        f"explanations were regions from {listed(methods) if methods else 'S and E'}, drawn in "
        "the same way for S and E. Leads were instructed to accept a digit only if they saw it "
        "in the plate."
    )


def _order(orders: Sequence[str]) -> str:
    if not orders:
        return "in an unknown order (the table has no order)"
    if len(orders) == 1:
        return f"in one order ({orders[0].replace('_', ' ')})"
    return "in an order counterbalanced over leads"


def _trial(results: Results) -> str:
    trial, regions = results["protocol"]["trial"], _regions(results["protocol"]["explanation"])
    return (
        f"After {trial['fixation_s']:g} s of fixation, plate and solution appeared together and "
        f"stayed until the answer, for {trial['limit_s']:g} s at most. {regions}"
        if trial["cutoff_mode"] == "internal"
        else f"After {trial['fixation_s']:g} s of fixation, plate and solution appeared together; "
        f"answers were accepted for {trial['limit_s']:g} s at most. {regions}"
    )


def _regions(explanation: Mapping[str, Any]) -> str:
    said = (
        "The area of S’s region was that of E’s painting of the same plate."
        if explanation["area"] == "yoked"
        else f"Every region covered {percent(explanation['fixed_area'])} of the plate’s disc."
    )
    # Protocols before 1.3 know free outlines alone.
    if explanation.get("outline") == "discs":
        said += (
            f" Regions were drawn as separate equal discs, {DISCS} if there was room, on the most "
            "relevant places; controls in the same way."
        )
    return said


def _controls(results: Results) -> str:
    shares = results["protocol"]["solutions"]["shares"]
    controls = {
        "wrong digits": shares["wrong_digit"],
        "right digits": shares["right_digit"],
        "plates without a numeral": shares["no_numeral"],
        "high-contrast right digits": shares["high_contrast"],
        "no-solution": shares["no_solution"],
    }
    said = listed([f"{name} {percent(value)}" for name, value in controls.items()])
    return f"Planned shares of controls were the same in both runs: {said}."


def _session(results: Results) -> str:
    protocol = results["protocol"]
    solutions, session = protocol["solutions"], protocol["session"]
    return (
        f"Each run had {count(solutions['trials_per_run'], 'trial')}, after "
        f"{count(solutions['practice_trials'], 'practice trial')} with feedback, with a break "
        f"every {count(session['break_every_trials'], 'trial')} and one of at least "
        f"{session['between_runs_s']:g} s between the runs; answers were given by "
        f"{session['device']}, with counterbalanced sides."
    )


def _unknown() -> str:
    return (
        "[No protocol came with the data. Describe here the plates, controls, practice and the "
        "course of a trial.]"
    )


def _outcome(results: Results) -> str:
    data = results["data"]
    counted = (
        f"An acceptance counted when it came within {data['cutoff_s']:g} s of the plate’s onset; "
        "no clock was shown."
        if data["cutoff_mode"] == "internal"
        else (
            f"The plate left the screen after {data['cutoff_s']:g} s; an acceptance counted at "
            "any time."
        )
    )
    return (
        f"{counted} Usefulness is the acceptance rate with explanation minus the rate without. It "
        "is given raw, and after subtracting the increase in acceptance that a digit-shaped "
        "contour causes on plates without a numeral (net). Harm is a decrease of d′ with "
        "explanations, from "
        f"{_harm_method(results)}, or a rise in accepting wrong digits beyond "
        f"{unsigned_points(results['controls']['wrong_digits']['margin'])} percentage points, "
        "unless the acceptance of matched right digits rises by more. "
        "Controls with deliberately misleading contours are reported separately."
    )


def _harm_method(results: Results) -> str:
    harm = results["controls"]["sensitivity"]
    if harm["method"] == MIXED:
        return "a mixed probit on matched right and wrong digits"
    return f"pooled counts of matched right and wrong digits ({harm['reason']})"


def _exclusion(results: Results) -> str:
    rules, gone = results["exclusions"], results["exclusions"]["by_rule"]
    least = [
        f"fewer than {percent(minimum)} of {GROUPS[name]}"
        for name, minimum in rules["compliance_minimums"].items()
    ]
    return (
        "All results are by intention to treat; a second analysis excludes leads who were right "
        f"on {' or '.join(least)}, or who accepted from the explanation: digit-shaped contours "
        f"without a numeral at least {unsigned_points(rules['contour_reading_limit'])} percentage "
        f"points more often than plates without a contour ({contour_rule(results)}; {len(gone)} in "
        f"all).{too_few_words(rules['least_controls'])}"
    )


def _analysis(results: Results) -> str:
    model, margin = results["model"], results["comparison"]["margin"]
    text = (
        f"S was compared with E at an equivalence margin of {unsigned_points(margin)} "
        f"percentage points. Intervals of rates and their differences are {results['intervals']}. "
        f"The primary analysis, named in the protocol, is {WORDS[results['primary']['asked']]}; "
        "its family is usefulness of S’s and of E’s explanations, with Holm’s correction. Pairs of "
        "explanation methods are a family of their own. Warnings of harm and verdicts on single "
        "leads aren’t corrected."
    )
    if model["fitted"]:
        kind = "mixed logistic regression" if model["random"] else "logistic regression"
        text += (
            f" Acceptance of S’s and E’s solutions was modelled by {kind}, {model['formula']}, "
            f"fitted with {model['engine']}. {model['rule']}"
        )
    return text
