"""Trial tables of simulatability for tests, and what is found in them."""

import tomllib
from pathlib import Path

import numpy as np

import stimuli.studies.simulatability
from analysis.data.tables import Dataset
from analysis.power.simulation import Difference
from analysis.studies.simulatability.inquiry import SIMULATABILITY
from analysis.studies.simulatability.power import SimulationWorld
from analysis.studies.simulatability.simulated import simulate_predictions
from analysis.studies.simulatability.trials import read_predictions
from analysis.studies.simulatability.words import TESTS
from stimuli.studies.simulatability.protocol import Simulatability

_PUBLISHED = Path(stimuli.studies.simulatability.__file__).with_name("protocol.toml")


def design_of(orders):
    """Return what a protocol's design says of orders of the tests."""
    first = orders[0][0] if len(orders) == 1 else "balanced"
    return {"first_test": first, "sheets": len(orders)}


def protocol_of(design=None, **analysis):
    """Return the published protocol with few replicates."""
    document = tomllib.loads(_PUBLISHED.read_text(encoding="utf-8"))
    document["design"] |= design or {}
    document["analysis"] |= {"replicates": 100, "published_replicates": 100} | analysis
    return Simulatability.model_validate(document)


def trials_of(people=24, items=12, seed=1, domain="tabular", world=None, orders=(TESTS,), **gains):
    """Return a simulated study's trial table; `gains` are what methods add."""
    arms = {method: Difference(gain) for method, gain in (gains or {"lime": 0.0}).items()}
    made = SimulationWorld(**({"sd_method": 0.0} | (world or {})), arms=arms)
    rng = np.random.default_rng(seed)
    return simulate_predictions(made, people, items, rng, domain, orders)


def predictions_of(trials, orders=(TESTS,), **analysis):
    """Return what a table's people predicted."""
    return read_predictions(trials, protocol_of(design_of(orders), **analysis))


def dataset_of(trials, beside=None, **analysis):
    """Return a table as the analysis takes it."""
    return Dataset(
        "simulatability", "hand", trials, None, protocol_of(**analysis), "a test", absent=(),
        notes=(), beside=beside or {},
    )  # fmt: skip


def results_of(trials, beside=None, **analysis):
    """Return every result of a table as JSON has it; see `SIMULATABILITY.read_results`."""
    return SIMULATABILITY.analyse(dataset_of(trials, beside, **analysis), None, (), lambda _: None)
