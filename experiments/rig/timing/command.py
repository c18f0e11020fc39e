"""What the `timing` verb does, and its figures as a table."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.engine.display import display_taken, require_display
from experiments.rig.options import TimingOptions
from experiments.rig.profile import profile_path, save_timing
from experiments.rig.timing.bench import INSTRUCTIONS, run_real, run_virtual
from experiments.rig.timing.errors import MEASURES
from experiments.rig.timing.exclusions import REASONS
from experiments.rig.timing.sensors import open_sensor
from experiments.rig.timing.settings import TrialSettings
from participants.folder import LabFolder
from stimuli.rich_terminal import Console

UNFIT = 2

NAMES = {
    "onset": "onset error",
    "duration": "duration error",
    "key": "key error",
    "button": "button error",
}

PROGRAMMES = ("suite", "plain", "plain_without_wait")


def virtual_verb(options: TimingOptions, *, as_json: bool) -> None:
    """Run the virtual bench and print what it found."""
    console = Console(stderr=True)
    runs = run_virtual(
        TrialSettings(options.trials, options.refresh_hz),
        options.pairs,
        say=lambda text: console.print(text, highlight=False, markup=False),
    )
    figures = runs.figures()
    if as_json:
        print(json.dumps(figures, allow_nan=False))
    else:
        print_table(figures)


def real_verb(options: TimingOptions, lab: Path | None, *, as_json: bool) -> int:
    """Run the bench at this PC's screen; return 2 if the rig is unfit for sessions, else 0."""
    folder = LabFolder.open(lab)
    profile = profile_path(folder.rigs, folder.settings.rig)
    console = Console(stderr=True)
    require_display()
    with display_taken("timing"):
        console.print(INSTRUCTIONS, highlight=False, markup=False)
        with open_sensor(options.sensor) as sensor:
            run = run_real(
                sensor,
                TrialSettings(options.trials, size_px=None),
                say=lambda text: console.print(text, highlight=False, markup=False),
            )
    figures = run.figures()
    if options.save:
        save_timing(profile, run.timing())
    if as_json:
        print(json.dumps(figures, allow_nan=False))
    else:
        print_rig(figures, str(profile) if options.save else None)
    return 0 if run.passed else UNFIT


def print_table(figures: Mapping[str, Any]) -> None:
    """Print the results of a virtual bench."""
    from rich.table import Table

    from stimuli.rich_terminal import Console

    table = Table("ms: mean ± SD (max)", box=None, pad_edge=False)
    for heading in ("suite", "plain PsychoPy", "plain, not waiting"):
        table.add_column(heading, justify="right", no_wrap=True)
    for measure in MEASURES:
        cells = [spread_words(figures[name][f"{measure}_error_ms"]) for name in PROGRAMMES]
        table.add_row(NAMES[measure], *cells)
    table.add_row("presses lost", *(_lost(figures[name]) for name in PROGRAMMES))
    table.add_row("under a frame", *(_short(figures[name]) for name in PROGRAMMES))
    table.add_row("frames dropped", *(_dropped(figures[name]) for name in PROGRAMMES))
    table.add_row("left apart", *(_apart(figures[name]) for name in PROGRAMMES))
    table.add_row("grade", *(figures[name]["grade"] for name in PROGRAMMES))
    console = Console()
    console.print(table)
    console.print("\nSD of the suite by that of plain PsychoPy (95 % interval):")
    for measure in MEASURES:
        by = figures["ratio"][f"{measure}_error_ms"]
        console.print(f"  {NAMES[measure]:<20} {ratio_words(by)}", highlight=False)
    settings, facts = figures["settings"], figures["facts"]
    console.print(
        f"\nPairs of runs: {figures['pairs']}, of {figures['trials_a_run']} trials at "
        f"{settings['refresh_hz']:g} Hz on a virtual display, paced by the clock. An error is "
        "what was recorded minus what photodiode and button box saw and did; not waiting: the "
        "plain script with waitBlanking=False. Frames dropped: as recorded (as the photodiode "
        "saw). Left out: errors not in these figures because the observer was late itself, or "
        "the processor was taken away; --json lists them. Priority: "
        f"{facts['suite']['priority']} (suite), {facts['plain']['priority']} (plain).",
        highlight=False,
    )


def print_rig(figures: Mapping[str, Any], profile: str | None) -> None:
    """Print the results on a real rig, and the profile in which they were saved."""
    from rich.table import Table

    from stimuli.rich_terminal import Console

    rig, facts, kept = figures["rig"], figures["facts"], figures["calibration"]
    table = Table("ms: mean ± SD (max)", box=None, pad_edge=False)
    table.add_column("this rig", justify="right", no_wrap=True)
    for measure in MEASURES:
        table.add_row(NAMES[measure], spread_words(rig[f"{measure}_error_ms"]))
    table.add_row("pictures never seen", str(rig["onsets_unseen"]))
    table.add_row("presses lost", _lost(rig))
    table.add_row("frames dropped", _dropped(rig))
    table.add_row("grade", rig["grade"])
    console = Console()
    console.print(table)
    width, height = facts["size_px"]
    console.print(
        f"\n{width} × {height} pixels at {facts['refresh_hz']:.2f} Hz, {facts['pacing']}, priority "
        f"{facts['priority']}; seen by {figures['sensor']}.",
        highlight=False,
    )
    for device in ("keyboard", "mouse"):
        lag_s = kept[f"{device}_lag_s"]
        words = (
            "not measured (the sensor pressed none); the onset's is taken"
            if lag_s is None
            else f"{lag_s * 1000:.2f} ms"
        )
        console.print(f"Lag from onset to press, {device}: {words}", highlight=False)
    console.print(f"Lag of onsets: {kept['onset_lag_s'] * 1000:.2f} ms", highlight=False)
    if profile is not None:
        console.print(f"Kept in {profile}", soft_wrap=True, highlight=False)
    console.print(_verdict(figures["passed"], rig["grade"]))


def _verdict(passed: bool, grade: str) -> str:
    if passed:
        return "Passed."
    if grade == "unfit":
        return "Not passed: not fit for sessions of main, which are refused here."
    return "Not passed: mend what was found before sessions of main."


def spread_words(spread: Mapping[str, float] | None) -> str:
    """Return a spread as mean ± SD (largest)."""
    if spread is None:
        return "none"
    return f"{spread['mean']:.2f} ± {spread['sd']:.3f} ({spread['max']:.2f})"


def ratio_words(ratio: Mapping[str, float] | None) -> str:
    """Return a ratio with its interval, if it has one."""
    if ratio is None:
        return "none"
    if ratio["ci_low"] is None:
        return f"{ratio['estimate']:.2f}"
    return f"{ratio['estimate']:.2f} ({ratio['ci_low']:.2f} to {ratio['ci_high']:.2f})"


def _lost(figures: Mapping[str, Any]) -> str:
    return f"{figures['presses_lost']} of {figures['presses_sent']}"


def _short(figures: Mapping[str, Any]) -> str:
    return f"{figures['short_lost']} of {figures['short_sent']}"


def _dropped(figures: Mapping[str, Any]) -> str:
    return f"{figures['frames_dropped']} ({figures['frames_dropped_seen']})"


def _apart(figures: Mapping[str, Any]) -> str:
    apart = (figures["apart"][measure] for measure in MEASURES)
    return str(sum(counts[reason] for counts in apart for reason in REASONS))
