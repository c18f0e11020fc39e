"""What a participant is shown: an image or a text with the AI's label and one kind of help."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TeamStimulus:
    """An image or a text, the label that the AI proposes, and what helps to judge it.

    Attributes
    ----------
    image_file
        Path in the pack: a square PNG, the crop that the network sees; empty for a text.
    shown_label
        The proposed label's id.
    label_name
        Its word in the session's language.
    confidence_percent
        The AI's confidence as it is shown, 0…100; None where the arm shows none.
    arm
        The arm, as in ``protocol.help.arms``; `protocol.help_kind` says what kind of help it has.
    help_files
        Paths in the pack: one grey PNG of a heatmap (0 is no relevance, 255 the map's most), or the
        images of examples, the nearest first; empty where the arm has no pictures.
    help_text
        The help in words in the session's language; None where the arm has none.
    case_text
        The text that is judged, in the session's language; None where an image is.
    """

    image_file: str
    shown_label: str
    label_name: str
    confidence_percent: int | None
    arm: str
    help_files: tuple[str, ...] = ()
    help_text: str | None = None
    case_text: str | None = None


@dataclass(frozen=True, slots=True)
class PriorStimulus:
    """What a label means: shown before it is asked about, with the question whether it is known.

    Attributes
    ----------
    label_name
        The label's word in the session's language.
    definition
        What it means, in a sentence of that language; None where nobody wrote one.
    sample_files
        Paths in the pack of images of the label, which the AI gets right with confidence.
    """

    label_name: str
    definition: str | None
    sample_files: tuple[str, ...] = ()
