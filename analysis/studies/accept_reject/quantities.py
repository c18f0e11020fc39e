"""What several questions of accept_reject estimate.

Factors: ``solver`` (S, E, or both), ``explanation`` (without, with), ``part`` (usefulness, or what
is left of it net of contour reading), ``by`` (the analysis), ``contour`` (of a plate without a
numeral), ``participant``.
"""

from typing import Final

from analysis.questions.estimates import Quantity
from analysis.report.wording import grouped, points
from analysis.studies.accept_reject.words import TENTHS

BOTH: Final = "S and E"
RAW, NET = "raw", "net"

ACCEPTED = Quantity(
    "accepted", "Accepted", "Share of a solver's solutions accepted within the decision time.",
    TENTHS,
)  # fmt: skip
GAIN = Quantity(
    "usefulness", "Usefulness",
    "Acceptance with explanation less acceptance without; net: less how much more often plates "
    "without a numeral are accepted if they carry a contour like the solver's.",
    points, "percentage points",
)  # fmt: skip
WITHOUT_NUMERAL = Quantity(
    "no_numeral_accepted", "Accepted",
    "Share of plates without a numeral that is accepted within the decision time.", TENTHS,
)  # fmt: skip
LEADS = Quantity("leads", "Leads", "Leads whose trials an analysis uses.", grouped, "n")
