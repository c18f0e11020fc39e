"""Whatever somebody does to a lab's records, each command names it, refuses, or isn't affected."""

import json
from pathlib import Path

import pytest

from tests.participants.export.conftest import SIMULATED
from tests.sabotage import CATALOGUE, HOWS, UNNOTICED, judged, make_lab, untouched

QUICK = "accept_reject_accuracy"
FIGURES = Path(__file__).parents[1] / "docs" / "figures" / "custody.json"
STUDIES = [
    pytest.param(study, marks=() if study == QUICK else pytest.mark.slow) for study in SIMULATED
]


@pytest.fixture(scope="module", params=STUDIES)
def lab(request, tmp_path_factory):
    return make_lab(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def whole(lab):
    """What the commands make of the lab as it was recorded."""
    found = untouched(lab)
    assert {command: one.status for command, one in found.items()} == dict.fromkeys(found, 0)
    return found


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("what", CATALOGUE)
def test_nothing_goes_unnoticed(lab, whole, what, how):
    found = judged(lab, what, how, whole)
    assert not [one for one in found.items() if one[1].startswith(UNNOTICED)]
    told = json.loads(FIGURES.read_text("utf-8"))
    if lab.study in told:
        # The page says the same.
        assert found == told[lab.study]["figures"]["outcomes"][f"{what} {how}"]
