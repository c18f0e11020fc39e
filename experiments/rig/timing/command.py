"""What the `timing` verb does and says."""

import json

from rich.console import Console

from experiments.rig.timing.settings import TrialSettings
from experiments.rig.timing.table import print_table
from experiments.rig.timing.virtual import run_virtual


def virtual_verb(trials: int, pairs: int, refresh_hz: float, *, as_json: bool) -> None:
    """Run the virtual bench and print what it found."""
    console = Console(stderr=True)
    runs = run_virtual(
        TrialSettings(trials, refresh_hz),
        pairs,
        say=lambda text: console.print(text, highlight=False, markup=False),
    )
    told = runs.told()
    if as_json:
        print(json.dumps(told, allow_nan=False))
    else:
        print_table(told)
