"""What a lead is shown who judges labels: an image with a label."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImageStimulus:
    """An image with a label.

    Attributes
    ----------
    image_file
        Path in the pack.
    shown_label
        The label's word in the session's language, or ``no_solution``.
    axis, rung, region_file
        None: what plates have and images don't.
    """

    image_file: str
    shown_label: str
    axis: None = None
    rung: None = None
    region_file: None = None
