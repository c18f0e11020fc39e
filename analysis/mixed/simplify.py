"""Which terms data can't determine, and the one rule by which a singular model is simplified."""

import numpy as np

from analysis.mixed.design import Design, RandomTerm, independent_columns

SINGULAR_SD = 0.01

RULE = (
    "Random slopes whose standard deviation was estimated below 0.01 on the logit scale were "
    "left out and the model was fitted again; random intercepts stayed."
)


def without_aliased(design: Design) -> tuple[Design, list[str]]:
    """Leave out fixed effects that earlier ones determine, and say which."""
    kept, aliased = independent_columns(design.fixed, design.fixed_names)
    notes = [f"{term} was left out: the terms before it determine it." for term in aliased]
    names = tuple(design.fixed_names[place] for place in kept)
    return _replaced(design, design.fixed[:, kept], names, design.random), notes


def without_undetermined(design: Design) -> tuple[Design, list[str]]:
    """Return the design without random effects that these data can't determine.

    A grouping factor needs two levels, one of them with two rows. A slope must vary
    within two levels at least.
    """
    kept: list[RandomTerm] = []
    notes: list[str] = []
    gone: set[str] = set()
    for term in design.random:
        reason = _factor_reason(term)
        if reason:
            if term.group not in gone:
                notes.append(f"Random effects by {term.group} were left out: {reason}.")
            gone.add(term.group)
        elif not _varies_within(term):
            notes.append(
                f"The slope of {term.term} by {term.group} was left out: "
                f"it doesn't vary within {term.group}s."
            )
        else:
            kept.append(term)
    return _replaced(design, design.fixed, design.fixed_names, tuple(kept)), notes


def without_singular(
    design: Design, deviations: np.ndarray
) -> tuple[Design, np.ndarray, list[str]]:
    """Leave out slopes whose standard deviation vanished (see `RULE`).

    Returns
    -------
    tuple
        The smaller design, (terms,) which random terms stayed, and notes.
    """
    stays = np.array(
        [
            deviation >= SINGULAR_SD or term.term == "(Intercept)"
            for term, deviation in zip(design.random, deviations, strict=True)
        ]
    )
    kept = tuple(term for term, stay in zip(design.random, stays, strict=True) if stay)
    vanished = [term for term, stay in zip(design.random, stays, strict=True) if not stay]
    notes = []
    for group in dict.fromkeys(term.group for term in vanished):
        slopes = ", ".join(term.term for term in vanished if term.group == group)
        notes.append(f"Left out for a vanishing variance by {group}: {slopes}.")
    return _replaced(design, design.fixed, design.fixed_names, kept), stays, notes


def spelled(design: Design, response: str) -> str:
    """Return the formula of a design as it stands, e.g. ``y ~ 1 + x + (1 + x || g)``."""
    fixed = [_plain(name) for name in design.fixed_names]
    parts = [response + " ~ " + " + ".join(fixed or ["0"])]
    for group in dict.fromkeys(term.group for term in design.random):
        terms = [_plain(term.term) for term in design.random if term.group == group]
        if "1" not in terms:
            terms.insert(0, "0")
        bar = "||" if len(terms) > 1 else "|"
        parts.append(f"({' + '.join(terms)} {bar} {group})")
    return " + ".join(parts)


def _plain(name: str) -> str:
    return "1" if name == "(Intercept)" else name


def _factor_reason(term: RandomTerm) -> str:
    counts = np.bincount(term.codes)
    if len(term.levels) < 2:
        return f"there is only one {term.group}"
    if counts.max() < 2:
        return f"no {term.group} was seen twice"
    return ""


def _varies_within(term: RandomTerm) -> bool:
    if term.term == "(Intercept)":
        return True
    low = np.full(len(term.levels), np.inf)
    high = np.full(len(term.levels), -np.inf)
    np.minimum.at(low, term.codes, term.regressor)
    np.maximum.at(high, term.codes, term.regressor)
    return int((high > low).sum()) >= 2


def _replaced(
    design: Design, fixed: np.ndarray, names: tuple[str, ...], random: tuple[RandomTerm, ...]
) -> Design:
    return Design(design.formula, design.response, fixed, names, random)
