"""Study accept_reject: what its analysis finds of worlds whose truth is known."""

from bench.book import Book
from bench.parts import (
    careless,
    control_compliance,
    control_contours,
    control_harm,
    expert_controls,
    lead_side_leaks,
    outline_blinding,
    robot_worlds,
)

BOOK = Book(
    name="accept_reject_truth",
    title="What the analysis of accept_reject finds",
    intro=(
        "This page says what `analyse accept_reject` finds in simulated studies whose truth is "
        "known, which experts fail their controls, and whether a classifier can guess the solver "
        "from what a lead sees. `python3 lab.py bench accept_reject_truth` measures it again; "
        "`PLAINSIGHT_DATA` names the folder of MNIST's digits. Leads are response models "
        "(`participants/studies/accept_reject/robots/leads.py`) that were not fitted to people: a "
        "right verdict here says that the analysis works, not how people decide."
    ),
    parts=(
        *robot_worlds.PARTS,
        *careless.PARTS,
        *control_harm.PARTS,
        *control_compliance.PARTS,
        *control_contours.PARTS,
        *expert_controls.PARTS,
        *lead_side_leaks.PARTS,
        *outline_blinding.PARTS,
    ),
)
