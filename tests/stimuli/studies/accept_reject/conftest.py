import pytest

from stimuli.images.digits import load_digits
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import SketchRates, sketch, sketch_tasks

SMALL = {
    "plates": {
        "source": "uci",
        "axes": ["deutan"],
        "ladder_deutan": [0.02, 0.04, 0.09],
    },
    # Few trials: all kinds of controls come only where they are split evenly.
    "solutions": {"trials_per_run": 26, "practice_trials": 4, "lists": 4, "least_matched": 0},
    "experts": {"no_numeral_share": 0.05, "high_contrast_share": 0.05},
}


def small_protocol(**changes):
    return load_protocol("accept_reject", changes={**SMALL, **changes})


@pytest.fixture(scope="session")
def protocol():
    return small_protocol()


@pytest.fixture(scope="session")
def tasks(protocol):
    """A task pack in memory and one expert's map set."""
    rates = SketchRates(expert_abstention=0.2, system_error=0.2)
    return sketch_tasks(protocol, None, rates, load_digits("uci"))


@pytest.fixture(scope="session")
def pack(protocol):
    return sketch(protocol, rates=SketchRates(expert_abstention=0.2, system_error=0.2))
