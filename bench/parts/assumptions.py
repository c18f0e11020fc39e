"""The model observer's assumptions, as the product states them."""

from bench.book import Effort, Measured
from stimuli.plates.assumptions import ASSUMPTIONS, PILOT
from stimuli.plates.observer import Observer


def measure(effort: Effort) -> Measured:
    """Return the list of assumptions; nothing is measured."""
    del effort
    observer = Observer()
    lines = []
    for assumption in ASSUMPTIONS:
        values = ", ".join(f"`{field}` {getattr(observer, field)}" for field in assumption.fields)
        parameters = f" Parameters: {values}." if values else ""
        lines.append(
            f"- **{assumption.name.capitalize()}**: {assumption.says}.{parameters} "
            f"*Source: {assumption.source}.*"
        )
    unproven = sum(PILOT in assumption.source for assumption in ASSUMPTIONS)
    text = (
        "Bars 1 to 3, the robots and titration by robots use a model of the observer "
        "(`stimuli/plates/observer.py`). It hasn't been fitted to people, and "
        f"{unproven} of its {len(ASSUMPTIONS)} assumptions need a pilot study, wholly or in "
        "part. Its results serve to verify plates, not to make claims about people.\n\n"
        + "\n".join(lines)
    )
    return Measured(text, {"assumptions": len(ASSUMPTIONS), "until_a_pilot": unproven})
