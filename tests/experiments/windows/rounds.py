"""A pack of a few short rounds of progressive_reveal, without a network."""

from stimuli.protocol import load_protocol
from stimuli.studies.progressive_reveal.sketch import sketch
from tests.sealing import sealed

STEPS, STEP_S = 12, 0.2
CHANGES = {
    "images": {"classes": 2, "images_per_class": 2, "size_px": 128},
    "reveal": {"steps": STEPS, "step_s": STEP_S},
    "session": {
        "sittings": 2, "rounds_per_sitting": 2, "practice_rounds": 1, "catch_rounds": 0,
        "fixation_s": 0.05,
        "feedback_s": 0.2, "break_every_rounds": 1, "copy_typing_words": 1, "survey": False,
        "orders_per_rotation": 1,
    },
    # A robot that is slow for once would practise again, and rounds be counted otherwise.
    "practice": {"answered_share": 0.0, "right_share": 0.0},
}  # fmt: skip


def sealed_rounds(tmp_path_factory):
    """Return a sealed pack of five rounds; the second sitting warms up with one."""
    protocol = load_protocol("progressive_reveal", None, CHANGES)
    return sealed(sketch(protocol), tmp_path_factory.mktemp("packs") / "rounds")
