"""The report: what it says of odd datasets, and what large ones cost."""

import gc
import itertools
import json
import multiprocessing
import tempfile
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from analysis.report.model import MOST_ROWS
from bench.book import Effort, Measured, Part, table
from bench.memory import peak_gb

SIZES, QUICK_SIZES = (10, 100, 1_000, 10_102), (10, 40)
REPLICATES = 5_000
PROTOCOL = 'schema = "protocol/1.0"\nstudy = "accept_reject"\n[analysis]\nreplicates = {}\n'


def odd(effort: Effort) -> Measured:
    """Analyse every odd dataset and quote what its report says."""
    from tests.analysis.studies.accept_reject.odd_tables import ODD_TABLES
    from tests.analysis.studies.accept_reject.simulate_table import write_csv

    names = list(ODD_TABLES)[:3] if effort.quick else list(ODD_TABLES)
    rows, figures = [], {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "protocol.toml").write_text(PROTOCOL.format(500), encoding="utf-8")
        for number, name in enumerate(names):
            effort.say(name)
            trials = folder / f"{number}.csv"
            made = ODD_TABLES[name]().reset_index(drop=True)
            if len(made.columns) < 10:
                made.to_csv(trials, index=False)
            else:
                write_csv(made, trials)
            figures[name] = _said(trials, folder / "protocol.toml", folder / str(number))
            rows.append([name, *figures[name].values()])
    headings = [
        "dataset",
        "first sentence on the results",
        "mixed model",
        "results named as missing",
    ]
    text = (
        "Each of them gives a complete page, and every number on it is in `results.json` "
        "(`tests/analysis/studies/accept_reject/test_edge_pages.py`).\n\n"
        + table(headings, [[str(cell) for cell in row] for row in rows])
    )
    return Measured(text, figures)


def scale(effort: Effort) -> Measured:
    """Analyse tables of growing size, each in a process of its own."""
    from tests.analysis.studies.accept_reject.large_table import large_table

    figures: dict[str, Any] = {}
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        replicates = 200 if effort.quick else REPLICATES
        (folder / "protocol.toml").write_text(PROTOCOL.format(replicates), encoding="utf-8")
        for leads in QUICK_SIZES if effort.quick else SIZES:
            effort.say(f"{leads} leads")
            path = folder / f"{leads}.csv"
            made = large_table(leads)
            made.to_csv(path, index=False)
            found = alone(
                "accept_reject", path, folder / "protocol.toml", folder / f"report{leads}"
            )
            figures[str(leads)] = {
                "trials": len(made),
                "csv_mb": path.stat().st_size / 1e6,
                **found,
            }
            rows.append(_row(leads, figures[str(leads)]))
            del made
    headings = [
        "leads", "trials", "table (MB)", "time (s)", "processor time (s)",
        "time of the mixed models (s)", "peak memory (GB)", "page (MB)", "results.json (MB)",
    ]  # fmt: skip
    largest = list(figures.values())[-1]
    text = (
        f"`analyse` on tables of about a hundred trials a lead, {replicates} bootstrap replicates, "
        f"one process each. At {largest['trials']:,} trials it takes {largest['seconds']:.0f} s, "
        f"{largest['processor_s']:.0f} s of processor time, and {largest['peak_gb']:.1f} GB; "
        f"{_slowest(largest)} takes longest. {largest['model']} Above {MOST_ROWS:,} trials it "
        "rests on a random sample of leads, and the report says so.\n\n" + table(headings, rows)
    )
    return Measured(text, figures)


def _said(trials: Path, protocol: Path, out: Path) -> dict[str, Any]:
    from analysis.options import AnalyseOptions
    from analysis.run import run_analysis

    asked = AnalyseOptions(out, trials=trials, protocol=protocol)
    done = run_analysis("accept_reject", asked)
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return {
        "headline": next(said for said in done.headline if not said.startswith("Robots answered")),
        "model": _model_words(results["model"]["fit"]),
        "missing": len(results["missing"]),
    }


def _model_words(model: dict[str, Any]) -> str:
    if not model["fitted"]:
        return str(model["reason"])
    return "The mixed model was fitted." if model["converged"] else str(model["notes"][-1])


def alone(study: str, trials: Path, protocol: Path, out: Path, **beside: Path) -> dict[str, Any]:
    """Analyse in a fresh process, so that its memory is its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(_timed, study, trials, protocol, out, beside).result()


def _timed(
    study: str, trials: Path, protocol: Path, out: Path, beside: Mapping[str, Path]
) -> dict[str, Any]:
    from analysis.options import AnalyseOptions
    from analysis.run import run_analysis

    gc.set_threshold(10000)  # as lab.py does
    marks: list[tuple[str, float]] = []
    start, busy = time.perf_counter(), time.process_time()
    run_analysis(
        study,
        AnalyseOptions(out, trials=trials, protocol=protocol),
        beside,
        lambda what: marks.append((what, time.perf_counter())),
    )
    marks.append(("", time.perf_counter()))
    steps: dict[str, float] = {}
    for (what, begun), (_, ended) in itertools.pairwise(marks):
        steps[what] = steps.get(what, 0.0) + ended - begun
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return {
        "seconds": time.perf_counter() - start,
        "processor_s": time.process_time() - busy,
        "steps_s": steps,
        "peak_gb": peak_gb(),
        "page_mb": (out / "report.html").stat().st_size / 1e6,
        "results_mb": (out / "results.json").stat().st_size / 1e6,
        "model": _model_words(fit) if (fit := _main_fit(results)) else "",
    }


def _main_fit(results: dict[str, Any]) -> Any:
    """Return the main model of accept_reject; None in other studies."""
    return (results.get("model") or {}).get("fit")


def _slowest(found: dict[str, Any]) -> str:
    return max(found["steps_s"], key=found["steps_s"].__getitem__)


def _row(leads: int, found: dict[str, Any]) -> list[str]:
    return [
        f"{leads:,}",
        f"{found['trials']:,}",
        f"{found['csv_mb']:.1f}",
        f"{found['seconds']:.0f}",
        f"{found['processor_s']:.0f}",
        f"{found['steps_s']['fitting the mixed models']:.0f}",
        f"{found['peak_gb']:.2f}",
        f"{found['page_mb']:.2f}",
        f"{found['results_mb']:.2f}",
    ]


PARTS: tuple[Part, ...] = (
    Part("report_odd", "What the report says of odd datasets", odd),
    Part("report_scale", "What a report costs", scale),
)
