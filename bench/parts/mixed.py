"""Mixed models: published fits met, other engines agreed with, time and memory."""

import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.special import expit
from scipy.stats import poisson

from analysis.fit.command import read_any_table
from analysis.mixed import MixedResult, fit_mixed
from analysis.mixed.estimation import Method
from bench.book import Effort, Measured, Part, table
from bench.memory import peak_gb

DATA = Path(__file__).parents[2] / "tests" / "data"
MAIN = (
    "y ~ explained * solver + run + order + (1 + explained * solver || participant)"
    " + (1 + explained * solver || item)"
)
SHAPES = {
    "intercepts": "y ~ explained * solver + run + order + (1 | participant) + (1 | item)",
    "correlated slopes": (
        "y ~ explained * solver + run + order + (1 + explained * solver | participant) + (1 | item)"
    ),
    "the studies' main model": MAIN,
}


@dataclass(frozen=True, slots=True)
class Published:
    """A value of a published fit, with the number of decimals to which it was published."""

    data: str
    formula: str
    family: str
    restricted: bool
    what: str
    value: float
    decimals: int
    source: str


_SLEEP = "Reaction ~ Days + (1 + Days | Subject)"
_APART = "Reaction ~ Days + (1 + Days || Subject)"
_CROSSED = "diameter ~ 1 + (1 | plate) + (1 | sample)"
_NESTED = "strength ~ 1 + (1 | batch/cask)"
_CBPP = "cbind(incidence, size - incidence) ~ C(period) + (1 | herd)"
_TICKS = "TICKS ~ C(YEAR) + cHEIGHT + (1 | INDEX) + (1 | BROOD) + (1 | LOCATION)"
_LME4, _JULIA = "lme4", "MixedModels.jl, tests"

REFERENCES = (
    Published("sleepstudy", _SLEEP, "gaussian", True, "-2 log L", 1743.6283, 4, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", True, "se (Intercept)", 6.8246, 4, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", True, "var Subject (Intercept)", 612.10, 1, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", True, "var Subject Days", 35.07, 2, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", True, "var residual", 654.94, 2, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", False, "-2 log L", 1751.93934, 5, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", False, "(Intercept)", 251.4051, 4, _LME4),
    Published("sleepstudy", _SLEEP, "gaussian", False, "Days", 10.46729, 5, _LME4),
    Published("sleepstudy", _APART, "gaussian", False, "-2 log L", 1752.003255, 6, _JULIA),
    Published("dyestuff", "Yield ~ 1 + (1 | Batch)", "gaussian", True, "-2 log L", 319.654277, 6,
              _LME4),
    Published("dyestuff", "Yield ~ 1 + (1 | Batch)", "gaussian", False, "-2 log L", 327.327060, 6,
              _LME4),
    Published("dyestuff2", "Yield ~ 1 + (1 | Batch)", "gaussian", False, "-2 log L", 162.873037, 6,
              _JULIA),
    Published("penicillin", _CROSSED, "gaussian", True, "-2 log L", 330.8606, 4, _LME4),
    Published("penicillin", _CROSSED, "gaussian", False, "-2 log L", 332.188349, 6, _JULIA),
    Published("penicillin", _CROSSED, "gaussian", False, "se (Intercept)", 0.7446, 4, _JULIA),
    Published("pastes", _NESTED, "gaussian", False, "-2 log L", 247.994466, 6, _JULIA),
    Published("cbpp", _CBPP, "binomial", True, "-2 log L", 184.05256, 5, _LME4),
    Published("cbpp", _CBPP, "binomial", True, "(Intercept)", -1.39853, 5, _LME4),
    Published("cbpp", _CBPP, "binomial", True, "C(period)[2]", -0.99233, 5, _LME4),
    Published("cbpp", _CBPP, "binomial", True, "C(period)[3]", -1.12868, 5, _LME4),
    Published("cbpp", _CBPP, "binomial", True, "C(period)[4]", -1.58031, 5, _LME4),
    Published("cbpp", _CBPP, "binomial", True, "sd herd (Intercept)", 0.64226, 5, _LME4),
    Published("grouseticks", _TICKS, "poisson", True, "deviance", 849.5440, 4, _JULIA),
)  # fmt: skip


def references(effort: Effort) -> Measured:
    """Fit the published models and compare to the digits that were published."""
    fits: dict[tuple[str, str, bool], MixedResult] = {}
    rows, met = [], 0
    for row in REFERENCES:
        key = row.data, row.formula, row.restricted
        if key not in fits:
            frame = read_any_table(DATA / f"{row.data}.csv")
            fits[key] = fit_mixed(row.formula, frame, row.family, Method(row.restricted))
        found = _value(fits[key], row)
        # Published digits are rounded, and their optimiser's own error may show in the last.
        same = abs(found - row.value) <= 1.05 * 10.0**-row.decimals
        met += int(same)
        ours = f"{found:.{row.decimals}f}"
        published = f"{row.value:.{row.decimals}f}"
        kind = (
            {True: "REML", False: "ML"}[row.restricted] if row.family == "gaussian" else "Laplace"
        )
        rows.append((_code(row.formula), kind, row.what, published, ours, "yes" if same else "NO"))
    text = table(("model", "", "value", "published", "ours", "met"), rows)
    text += (
        f"\n\n{met} of {len(rows)} published values are reproduced to the published digits "
        "(± 1 in the last digit). Sources: lme4's documentation and tests, MixedModels.jl's tests; "
        "the data sets are "
        "in `tests/data`. Standard errors of generalised models come from the full Hessian."
    )
    return Measured(text, {"values": len(rows), "met": met})


def _code(formula: str) -> str:
    """Return a formula as Markdown that a table's cell can hold."""
    bars = formula.replace("|", "\\|")
    return f"`{bars}`"


def _value(result: MixedResult, row: Published) -> float:
    estimates = {r.term: r.estimate for r in result.fixed}
    found = {"-2 log L": -2 * result.log_likelihood, **estimates}
    found |= {f"se {r.term}": r.se for r in result.fixed}
    found |= {f"sd {r.group} {r.term}": r.sd for r in result.random}
    found |= {f"var {r.group} {r.term}": r.sd**2 for r in result.random}
    if result.residual_sd is not None:
        found["var residual"] = result.residual_sd**2
    if row.what == "deviance":
        y = result.estimates.design.response
        return float(2 * (poisson.logpmf(y, y).sum() - result.log_likelihood))
    return found[row.what]


def crossed(people: int, items: int, seed: int) -> pd.DataFrame:
    """Return simulated trials of leads and plates; truths of a plausible size."""
    rng = np.random.default_rng(seed)
    participant, item = np.repeat(np.arange(people), items), np.tile(np.arange(items), people)
    order = participant % 2 - 0.5
    cell = (participant // 2 + item) % 4
    explained, solver = cell % 2 - 0.5, cell // 2 - 0.5
    person, slope = rng.normal(0, 0.8, people), rng.normal(0, 0.5, people)
    eta = -0.4 + person[participant] + rng.normal(0, 0.7, items)[item]
    eta += (1.2 + slope[participant]) * explained + 0.3 * solver - 0.5 * explained * solver
    columns = {"participant": participant, "item": item, "explained": explained}
    columns |= {"solver": solver, "order": order, "run": -2 * order * explained}
    frame = pd.DataFrame(columns)
    frame["y"] = (rng.random(len(frame)) < expit(eta)).astype(int)
    frame["rt"] = eta + rng.normal(0, 1, len(frame))
    return frame


def speed(effort: Effort) -> Measured:
    """Time the crossed logistic model of 7,500 rows, without imports."""
    people, items, repeats = (15, 40, 1) if effort.quick else (75, 100, 5)
    frame = crossed(people, items, seed=1)
    rows, figures = [], {}
    for name, formula in SHAPES.items():
        seconds, processor = [], []
        for _ in range(repeats):
            begun, busy = time.perf_counter(), time.process_time()
            result = fit_mixed(formula, frame, "binomial")
            seconds.append(time.perf_counter() - begun)
            processor.append(time.process_time() - busy)
        figures[name] = {
            "median_s": float(np.median(seconds)),
            "median_processor_s": float(np.median(processor)),
            "converged": result.converged,
        }
        parameters = str(result.parameters)
        rows.append(
            (
                name,
                _code(formula),
                parameters,
                f"{np.median(seconds):.2f} s",
                f"{np.median(processor):.2f} s",
            )
        )
    text = table(("shape", "model", "parameters", "time", "processor time"), rows)
    text += (
        f"\n\n{len(frame):,} simulated rows ({people} people × {items} items), binomial; median of "
        f"{repeats}, from table to result, imports not counted."
    )
    return Measured(text, {"rows": len(frame), "shapes": figures, **_glmer(frame, effort)})


def _glmer(frame: pd.DataFrame, effort: Effort) -> dict[str, object]:
    """Return glmer's time for the simplest shape where R with lme4 is there."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        return {"glmer": None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trials.csv"
        frame.to_csv(path, index=False)
        code = (
            "library(lme4); d <- read.csv(commandArgs(TRUE)[1]); "
            f"t <- system.time(m <- glmer({SHAPES['intercepts']}, d, family = binomial)); "
            "cat(t[['elapsed']], as.numeric(logLik(m)))"
        )
        done = subprocess.run(
            [rscript, "-e", code, str(path)], capture_output=True, text=True, check=False
        )
    if done.returncode:
        return {"glmer": None}
    seconds, value = map(float, done.stdout.split()[-2:])
    return {"glmer": {"seconds": seconds, "log_likelihood": value}}


def with_glmer(effort: Effort) -> Measured:
    """Time, and compare with glmer where R is there."""
    found = speed(effort)
    other = found.figures["glmer"]
    if other is None:
        text = "glmer's time wasn't measured: there is no `Rscript` with lme4 on this machine."
    else:
        ours = found.figures["shapes"]["intercepts"]["median_s"]
        text = (
            f"R's glmer took {other['seconds']:.2f} s for the first shape, "
            f"{other['seconds'] / ours:.1f} times as long."
        )
    return Measured(f"{found.text} {text}", found.figures)


def engines(effort: Effort) -> Measured:
    """Compare with statsmodels on a model that it can fit."""
    frame = crossed(20, 30, 2) if effort.quick else crossed(60, 60, 2)
    formula = "rt ~ explained + (1 + explained | participant)"
    result = fit_mixed(formula, frame)
    value, coefficients, errors = _mixedlm(frame)
    ours = np.array([row.estimate for row in result.fixed])
    se = np.array([row.se for row in result.fixed])
    found = {
        "log_likelihood_difference": float(result.log_likelihood - value),
        "largest_coefficient_difference": float(np.abs(ours - coefficients).max()),
        "standard_error_ratio": float((errors / se).min()),
    }
    row = (
        "statsmodels MixedLM",
        _code(formula),
        f"{found['log_likelihood_difference']:+.1e}",
        f"{found['largest_coefficient_difference']:.1e}",
        f"{found['standard_error_ratio']:.3f}",
    )
    heads = ("engine", "model", "log L, ours less theirs", "coefficients differ by at most",
             "smallest ratio of standard errors, theirs to ours")  # fmt: skip
    text = f"{table(heads, [row])}\n\n{len(frame):,} simulated rows."
    return Measured(text, {"statsmodels MixedLM": found})


def _mixedlm(frame: pd.DataFrame) -> tuple[float, np.ndarray, np.ndarray]:
    import statsmodels.formula.api as smf

    model = smf.mixedlm("rt ~ explained", frame, groups=frame["participant"],
                        re_formula="~explained")  # fmt: skip
    fitted = model.fit(reml=True)
    return float(fitted.llf), fitted.fe_params.to_numpy(), fitted.bse_fe.to_numpy()


def scale(effort: Effort) -> Measured:
    """Fit a million rows in a process of their own; state time and peak memory."""
    people, items = (200, 50) if effort.quick else (5_000, 200)
    models = (
        ("binomial", "y ~ explained * solver + (1 | participant) + (1 | item)"),
        ("gaussian", "rt ~ explained * solver + (1 + explained | participant) + (1 | item)"),
        ("binomial", "y ~ explained * solver + (1 + explained | participant) + (1 | item)"),
    )
    rows, figures = [], []
    for family, formula in models:
        effort.say(f"{people * items:,} rows: {formula}")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            found = pool.submit(_large, people, items, formula, family).result()
        figures.append({"family": family, "formula": formula, **found})
        times = f"{found['seconds']:.1f} s", f"{found['processor_s']:.1f} s"
        rows.append((_code(formula), family, *times, f"{found['peak_gb']:.2f} GB"))
    heads = ("model", "family", "time", "processor time", "peak memory of the process")
    text = table(heads, rows)
    text += f"\n\n{people * items:,} simulated rows ({people:,} people × {items} items)."
    return Measured(text, {"rows": people * items, "models": figures})


def _large(people: int, items: int, formula: str, family: str) -> dict[str, float | bool | None]:
    frame = crossed(people, items, seed=3)
    begun, busy = time.perf_counter(), time.process_time()
    result = fit_mixed(formula, frame, family)
    return {
        "seconds": time.perf_counter() - begun,
        "processor_s": time.process_time() - busy,
        "peak_gb": peak_gb(),
        "converged": result.converged,
    }


PARTS: tuple[Part, ...] = (
    Part("references", "Mixed models: published fits", references),
    Part("engines", "Mixed models: other engines", engines),
    Part("speed", "Mixed models: 7,500 rows", with_glmer),
    Part("scale", "Mixed models: a million rows", scale),
)
