"""Which column of a table may have been meant by a name that it lacks."""

import difflib
from collections.abc import Collection, Sequence

# What other programs call the columns that every study needs; compared without case and signs.
_ALSO_CALLED = {
    "participant": ("subject", "subj", "subjectid", "sub", "id", "code", "person", "worker"),
    "item": ("stimulus", "stim", "image", "plate", "itemid", "trialitem"),
    "explained": ("explanation", "withexplanation", "condition"),
    "solver": ("source", "agent"),
    "decision": ("response", "answer", "choice", "verdict"),
    "method": ("condition", "explainer", "xai", "xaimethod", "technique"),
    "class": ("label", "category", "truelabel", "target", "classname"),
    "recognised": ("recognized", "correct", "success", "solved", "hit"),
    "step": ("revelationstep", "steps", "revealstep"),
    "pixels": ("pixel", "npixels", "pixelcount", "uncovered"),
    "rt_s": ("rt", "rts", "rtms", "reactiontime", "responsetime", "latency", "time"),
}
_ALIKE = 0.75


def near_miss(wanted: str, names: Collection[str], taken: Collection[str] = ()) -> str:
    """Return the column that may have been meant; empty where none comes near.

    Parameters
    ----------
    wanted
        The name that the table lacks.
    names
        The table's own names.
    taken
        Names that are needed themselves and so can't be meant.
    """
    free = {_bare(name): name for name in names if name not in taken}
    if _bare(wanted) in free:
        return free[_bare(wanted)]
    for other in _ALSO_CALLED.get(wanted, ()):
        if other in free:
            return free[other]
    close = difflib.get_close_matches(_bare(wanted), list(free), n=1, cutoff=_ALIKE)
    return free[close[0]] if close else ""


def missing_words(missing: Sequence[str], names: Collection[str], needed: Collection[str]) -> str:
    """Return the missing columns as ``rt_s (is it 'RT'?), solver``."""
    said = []
    for name in missing:
        near = near_miss(name, names, needed)
        said.append(f"{name} (is it {near!r}?)" if near else name)
    return ", ".join(said)


def _bare(name: str) -> str:
    return "".join(sign for sign in name.casefold() if sign.isalnum())
