"""What each method does, in the words of the headline."""

from collections.abc import Iterator, Sequence

from analysis.report.estimates import APART_WORDS, MEANS, MODEL, WORDS, Unvarying, apart
from analysis.report.wording import listed, no_finer, p_equals, signed
from analysis.studies.simulatability.contrasts import FALLS, HARMS, HELPS, RISES, SAME, Contrast
from analysis.studies.simulatability.points import PointsBrief
from analysis.studies.simulatability.words import domain_name, method, method_name, signed_points


def verdict_sentence(
    name: str, contrasts: Sequence[Contrast], unvarying: Unvarying, margin: float
) -> str:
    """Return what a domain's methods do beyond practice, and by how much.

    Parameters
    ----------
    name
        The domain.
    contrasts
        What each method adds to Change, of all domains.
    unvarying
        People and items of the domain that hardly vary.
    margin
        The equivalence margin, percentage points.
    """
    rows = [row for row in contrasts if row.domain == name]
    what = domain_name(name).capitalize()
    if not rows:
        return f"{what}: no method could be compared."
    reference = rows[0].reference
    change = "Change (accuracy after explanations minus accuracy before)"
    effect = (
        f"{change} minus that of the arm “{method_name(reference)}”"
        if reference
        else f"{change}, which includes practice"
    )
    named = listed([f"{method(row)} {_points(row)}" for row in rows])
    by = "" if rows[0].by == MEANS else f"by {WORDS[rows[0].by]}, "
    return (
        f"{what}: {'; '.join(_verdict_clauses(rows, margin))}. {effect}, in percentage points by "
        f"{WORDS[MEANS]} (p {by}with Holm’s correction): {named}."
        f"{_model_beside(rows, unvarying)}"
    )


def _model_beside(rows: Sequence[Contrast], unvarying: Unvarying) -> str:
    """Return what the mixed model says of the same, and where it differs by much, and why."""
    both = [(row, row.means, row.model) for row in rows if row.means and row.model]
    if not both:
        return ""
    given = listed([f"{method(row)} {_bare(model)}" for row, _, model in both])
    far = [method(row) for row, means, model in both if apart(means, model)]
    said = f" By {WORDS[MODEL]}: {given}."
    if not far:
        return said
    why = unvarying.words("participants")
    return f"{said} For {listed(far)}, {APART_WORDS}{f': {why}' if why else ''}."


def _verdict_clauses(rows: Sequence[Contrast], margin: float) -> Iterator[str]:
    """Yield what is true of the methods with each verdict."""
    clauses = {
        HELPS: "{} helped people predict the model",
        HARMS: "{} made people’s predictions of the model worse",
        RISES: "with {}, people predicted the model better after explanations than before; some of "
        "this may be practice",
        FALLS: "with {}, people predicted the model worse after explanations than before",
        SAME: "for {}, the data rule out an effect of {margin:g} points or more",
    }
    of = {
        verdict: listed([method(row) for row in own])
        for verdict in clauses
        if (own := [row for row in rows if row.verdict == verdict])
    }
    if set(of) <= {SAME}:
        yield "the data don’t show that any method helps or harms people’s predictions of the model"
    for verdict, names in of.items():
        yield clauses[verdict].format(names, margin=margin)


def _points(row: Contrast) -> str:
    """Return the design's estimate in percentage points with its interval, and p that decides."""
    own = row.means or row
    return f"{signed_points(own.estimate, own)} ({p_equals(row.p_holm)})"


def _bare(row: PointsBrief) -> str:
    """Return an estimate without its limits, no finer than they allow."""
    return no_finer(signed, row.ci_low, row.ci_high, row.estimate)(row.estimate)
