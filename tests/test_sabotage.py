"""Whatever somebody does to a lab's records, each command names it, refuses, or isn't affected."""

import itertools
import json
from pathlib import Path

import pytest

from tests.participants.export.conftest import SIMULATED
from tests.sabotage import CATALOGUE, HOWS, UNNOTICED, judged, make_lab, untouched

FIGURES = Path(__file__).parents[1] / "docs" / "figures" / "custody.json"
CASES = list(itertools.product(CATALOGUE, HOWS))
AT_ONCE = ("human_ai_team", "simulatability")
# One way with each target, in studies whose labs are soon made. The rest is slow.
QUICK = {
    (AT_ONCE[number % len(AT_ONCE)], what, HOWS[number % len(HOWS)])
    for number, what in enumerate(CATALOGUE)
}
ALL = [
    pytest.param(study, what, how, marks=() if (study, what, how) in QUICK else pytest.mark.slow)
    for study in SIMULATED
    for what, how in CASES
]


@pytest.fixture(scope="module")
def labs(tmp_path_factory):
    """Return a function that makes a study's lab once, with what the commands make of it."""
    made = {}

    def lab_of(study):
        if study not in made:
            lab = make_lab(tmp_path_factory.mktemp(study), study)
            whole = untouched(lab)
            statuses = {command: one.status for command, one in whole.items()}
            assert statuses == dict.fromkeys(whole, 0)
            made[study] = lab, whole
        return made[study]

    return lab_of


@pytest.mark.parametrize(("study", "what", "how"), ALL)
def test_nothing_goes_unnoticed(study, what, how, labs):
    lab, whole = labs(study)
    found = judged(lab, what, how, whole)
    assert not [one for one in found.items() if one[1].startswith(UNNOTICED)]
    told = json.loads(FIGURES.read_text("utf-8"))
    # The page says the same.
    assert found == told[study]["figures"]["outcomes"][f"{what} {how}"]
