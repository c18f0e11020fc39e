"""What a report of progressive_reveal costs, up to a million rounds."""

import tempfile
from pathlib import Path
from typing import Any

from analysis.studies.progressive_reveal.models import MOST_ROWS, SAMPLE_ROWS
from bench.book import Effort, Measured, Part, table
from bench.parts.reports import alone
from tests.analysis.studies.progressive_reveal.large_table import WORLD, large_table

PEOPLE, QUICK_PEOPLE = (24, 98, 980, 9_804), (8, 24)
STUDY = "progressive_reveal"
REPLICATES, QUICK_REPLICATES = 5_000, 200
PROTOCOL = 'schema = "protocol/1.0"\nstudy = "progressive_reveal"\n[analysis]\nreplicates = {}\n'
MODELS = ("fitting the discrete-time models", "fitting tries and times")


def scale(effort: Effort) -> Measured:
    """Analyse tables of growing size, each in a process of its own."""
    figures: dict[str, Any] = {}
    replicates = QUICK_REPLICATES if effort.quick else REPLICATES
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "protocol.toml").write_text(PROTOCOL.format(replicates), encoding="utf-8")
        WORLD.curves().to_csv(folder / "curves.csv", index=False)
        WORLD.item_table().to_csv(folder / "items.csv", index=False)
        for people in QUICK_PEOPLE if effort.quick else PEOPLE:
            effort.say(f"{people} people")
            figures[str(people)] = _measured(folder, people)
    headings = [
        "people", "rounds", "table (MB)", "time (s)", "processor time (s)", "of it models (s)",
        "peak memory (GB)", "page (MB)", "results.json (MB)",
    ]  # fmt: skip
    largest = list(figures.values())[-1]
    text = (
        f"`analyse {STUDY}` on tables of 102 rounds a person, {replicates} bootstrap replicates, "
        f"one process each. At {largest['rounds']:,} rounds it takes {largest['seconds']:.0f} s, "
        f"{largest['processor_s']:.0f} s of processor time, and {largest['peak_gb']:.1f} GB. Above "
        f"{MOST_ROWS:,} steps of rounds the mixed models are fitted to a random sample of "
        f"participants with {SAMPLE_ROWS:,} steps, and the report says so.\n\n"
        + table(headings, [_row(people, found) for people, found in figures.items()])
    )
    return Measured(text, figures)


def _measured(folder: Path, people: int) -> dict[str, Any]:
    path = folder / f"{people}.csv"
    made = large_table(people)
    made.to_csv(path, index=False)
    rounds = len(made)
    del made
    beside = {stem: folder / f"{stem}.csv" for stem in ("items", "curves")}
    found = alone(STUDY, path, folder / "protocol.toml", folder / f"report{people}", **beside)
    return {"rounds": rounds, "csv_mb": path.stat().st_size / 1e6, **found}


def _row(people: str, found: dict[str, Any]) -> list[str]:
    return [
        f"{int(people):,}",
        f"{found['rounds']:,}",
        f"{found['csv_mb']:.1f}",
        f"{found['seconds']:.0f}",
        f"{found['processor_s']:.0f}",
        f"{sum(found['steps_s'][step] for step in MODELS):.0f}",
        f"{found['peak_gb']:.2f}",
        f"{found['page_mb']:.2f}",
        f"{found['results_mb']:.2f}",
    ]


PARTS = (
    Part("report_scale_progressive_reveal", "What a report of progressive_reveal costs", scale),
)
