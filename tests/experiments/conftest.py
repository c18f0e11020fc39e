from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from stimuli.digits import Digits, load_digits
from stimuli.pack import write_pack
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.sketch import sketch

CHANGES = {
    "plates": {
        "source": "uci",
        "axes": ["deutan"],
        "ladder_deutan": [0.04, 0.097],
        "density": 0.3,
        "dot_radius_min": 0.02,
        "dot_radius_max": 0.045,
    },
    "solutions": {"trials_per_run": 6, "practice_trials": 5, "lists": 1},
    "trial": {"limit_s": 4.0, "fixation_s": 0.05, "practice_feedback_s": 0.1},
    "session": {
        "between_runs_s": 0.3,
        "break_every_trials": 4,
        "run_order": "without_first",
        "comprehension_attempts": 1,
    },
}


def few_digits() -> Digits:
    """Return a few of each digit, so that templates are quickly made."""
    whole = load_digits("uci")
    train = np.concatenate(
        [whole.train_indices[whole.labels[whole.train_indices] == digit][:4] for digit in range(10)]
    )
    return replace(whole, train_indices=train)


@pytest.fixture(scope="session")
def mini_pack(tmp_path_factory) -> Path:
    """A sealed solution pack of a few trials, without a network."""
    protocol = load_protocol("accept_reject", None, CHANGES)
    made = sketch(protocol, places=[("deutan", 2)], digits=few_digits())
    files = {path: made.asset(path) for path in made.manifest.files}
    folder = tmp_path_factory.mktemp("packs") / "mini"
    write_pack(folder, protocol, "solutions", files, {"made": "sketch"})
    return folder
