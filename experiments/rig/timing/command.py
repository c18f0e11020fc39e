"""What the `timing` verb does and says."""

import json
from pathlib import Path

from rich.console import Console

from experiments.engine.desktop import require_display
from experiments.engine.display_lock import display_taken
from experiments.rig.profile import profile_path, save_timing
from experiments.rig.timing.real import INSTRUCTIONS, run_real
from experiments.rig.timing.sensors import open_sensor
from experiments.rig.timing.settings import TrialSettings
from experiments.rig.timing.table import print_rig, print_table
from experiments.rig.timing.virtual import run_virtual
from participants.folder import LabFolder

UNFIT = 2


def virtual_verb(trials: int, pairs: int, refresh_hz: float, *, as_json: bool) -> None:
    """Run the virtual bench and print what it found."""
    console = Console(stderr=True)
    runs = run_virtual(
        TrialSettings(trials, refresh_hz),
        pairs,
        say=lambda text: console.print(text, highlight=False, markup=False),
    )
    told = runs.figures()
    if as_json:
        print(json.dumps(told, allow_nan=False))
    else:
        print_table(told)


def real_verb(place: str, trials: int, lab: Path | None, *, save: bool, as_json: bool) -> int:
    """Run the bench at this PC's screen; return 2 if the rig is unfit for sessions, else 0."""
    folder = LabFolder.open(lab)
    profile = profile_path(folder.rigs, folder.settings.rig)
    console = Console(stderr=True)
    require_display()
    with display_taken("timing"):
        console.print(INSTRUCTIONS, highlight=False, markup=False)
        with open_sensor(place) as sensor:
            run = run_real(
                sensor,
                TrialSettings(trials, size_px=None),
                say=lambda text: console.print(text, highlight=False, markup=False),
            )
    told = run.figures()
    if save:
        save_timing(profile, run.timing())
    if as_json:
        print(json.dumps(told, allow_nan=False))
    else:
        print_rig(told, str(profile) if save else None)
    return 0 if run.passed else UNFIT
