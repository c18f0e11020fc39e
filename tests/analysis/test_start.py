"""What reports must not import: seconds of each analysis, for nothing."""

import subprocess
import sys

HEAVY = (
    "dask", "matplotlib.pyplot", "numba", "pingouin", "scipy.ndimage", "scipy.stats", "seaborn",
    "sklearn", "statsmodels", "torch", "xarray",
)  # fmt: skip

REPORTS = f"""
import sys
import analysis.run
from analysis.studies import STUDIES
for name in ("accept_reject", "accept_reject_accuracy", "simulatability"):
    STUDIES[name].inquiry()
print([name for name in {HEAVY} if name in sys.modules])
"""


def test_a_report_begins_without_what_only_some_reports_need():
    done = subprocess.run([sys.executable, "-c", REPORTS], capture_output=True, text=True)
    assert done.stdout.splitlines() == ["[]"], done.stderr
