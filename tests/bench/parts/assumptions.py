"""The model observer's assumptions, as the product states them."""

from stimuli.plates.assumptions import ASSUMPTIONS, PILOT
from stimuli.plates.observer import Observer
from tests.bench.book import Effort, Measured, table


def measure(effort: Effort) -> Measured:
    """Return the table of assumptions; nothing is measured."""
    del effort
    observer = Observer()
    rows = []
    for assumption in ASSUMPTIONS:
        values = ", ".join(f"`{field}` {getattr(observer, field)}" for field in assumption.fields)
        rows.append([assumption.name, assumption.says, values, assumption.source])
    open_ones = sum(PILOT in assumption.source for assumption in ASSUMPTIONS)
    text = (
        "Bars 1 to 3, the robots and titration by robots rest on a model of who looks "
        "(`stimuli/plates/observer.py`). None of it has been fitted to people; "
        f"{open_ones} of its {len(ASSUMPTIONS)} assumptions have no source but reason. Until a "
        "pilot its figures are for verifying plates, not for claims about people.\n\n"
        + table(("about", "says", "parameters", "source"), rows)
    )
    return Measured(text, {"assumptions": len(ASSUMPTIONS), "without_source": open_ones})
