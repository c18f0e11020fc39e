"""Each study's report of simulated sessions has all its figures in every format."""

import pytest

from analysis.cli import main
from participants.cli import main as participants_main
from stimuli.studies import STUDIES
from tests.analysis.formats import formats_of


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_every_figure_is_written_in_every_format(study, tmp_path):
    data = str(tmp_path / "data")
    simulated = ["simulate", study, "--participants", "6", "--out", data]
    assert participants_main(simulated) == 0
    assert main(["analyse", study, "--data", data, "--out", str(tmp_path / "out")]) == 0
    figures = formats_of(tmp_path / "out" / "figures")
    assert figures[".svg"]
    assert figures[".png"] == figures[".pdf"] == figures[".svg"]
