"""Composite: LIME and Anchor, the boundary's last step and Prototype (Hase & Bansal 2020, 3.5).

The four are those of their own arms, as in the published sheets.
"""

from stimuli.studies.simulatability.stimulus import Anchor, Boundary, Composite, Lime, Prototype


def composite(
    lime: Lime | None,
    anchor: Anchor | None,
    boundary: Boundary | None,
    prototype: Prototype,
) -> Composite | None:
    """Return four explanations together; None where one of them is missing."""
    if lime is None or anchor is None or boundary is None:
        return None
    return Composite(lime=lime, anchor=anchor, boundary=last_step(boundary), prototype=prototype)


def last_step(boundary: Boundary) -> Boundary:
    """Return only a boundary's last step, without margins."""
    last = boundary.steps[-1].model_copy(update={"margin": None})
    return boundary.model_copy(update={"margin": None, "steps": (last,)})
