"""Study accept_reject: what its analysis finds of worlds whose truth is known."""

from tests.bench.book import Book
from tests.bench.parts import lead_side_leaks, outline_blinding, robot_worlds

BOOK = Book(
    name="accept_reject_truth",
    title="What the analysis of accept_reject finds",
    intro=(
        "Simulated studies whose truth was put in, analysed as `analyse` does, and an attempt to "
        "tell the solver from what a lead gets. Leads are response models "
        "(`participants/studies/accept_reject/robots/leads.py`), fitted to nobody: a right verdict "
        "here says that machinery and analysis work, not how people will decide."
    ),
    parts=(*robot_worlds.PARTS, *lead_side_leaks.PARTS, *outline_blinding.PARTS),
)
