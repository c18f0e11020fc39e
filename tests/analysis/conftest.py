"""What saves time: reports have the page's drawings alone, and a single worker is this process.

One report is written in `every_format`. To start a worker takes three seconds;
jobs of two workers start theirs. Two reports of accept_reject are looked at in several modules.
"""

from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO

import pytest

from stimuli import workers
from tests.analysis.formats import page_alone, without_drawings
from tests.analysis.known_columns import known_columns_alone

QUICK = 'schema = "protocol/1.0"\nstudy = "accept_reject"\n[analysis]\nreplicates = 200\n'
NASTY = "<script>alert(1)</script>$x_1$"


@pytest.fixture(scope="module", autouse=True)
def drawings_of_the_page_alone():
    with page_alone():
        yield


@pytest.fixture(scope="session", autouse=True)
def no_unknown_columns():
    with known_columns_alone():
        yield


@pytest.fixture(scope="module", autouse=True)
def a_single_worker_works_here():
    started = workers._started

    def here(asked):
        return started(replace(asked, here=asked.here or asked.processes == 1))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(workers, "_started", here)
        yield


@pytest.fixture(scope="session")
def outside(tmp_path_factory):
    """A table from elsewhere, with a participant whose name is markup; and rules for it."""
    from tests.analysis.studies.accept_reject.simulate_table import simulate, write_csv

    folder = tmp_path_factory.mktemp("outside")
    (folder / "protocol.toml").write_text(QUICK, encoding="utf-8")
    robots = ["lead", "dichromat", "contour_reader", "lazy", *["lead"] * 5]
    table = simulate(robots, per_solver=6, scale=0.5)
    table["participant"] = table["participant"].replace("P002", NASTY)
    return write_csv(table, folder / "trials.csv"), folder / "protocol.toml"


@pytest.fixture(scope="session")
def outside_report(outside, tmp_path_factory):
    """The report on the table from elsewhere."""
    from analysis.cli import main

    (trials, protocol), out = outside, tmp_path_factory.mktemp("outside") / "report"
    words = ["analyse", "accept_reject", "--trials", trials, "--protocol", protocol, "--out", out]
    with page_alone():
        assert main(list(map(str, words))) == 0
    return out


@pytest.fixture(scope="session")
def one_lead(tmp_path_factory):
    """The report on a dataset folder of one robot without figures, and what ``--json`` printed."""
    from analysis.cli import main
    from tests.analysis.studies.accept_reject.simulate_table import simulate, write_dataset

    folder = tmp_path_factory.mktemp("one")
    table = simulate(["lead"], per_solver=8, scale=0.3, purpose="robot")
    data, out = write_dataset(table, folder / "data"), folder / "report"
    with without_drawings(), redirect_stdout(StringIO()) as said:
        words = ["analyse", "accept_reject", "--data", str(data), "--out", str(out), "--json"]
        assert main(words) == 0
    return out, said.getvalue()
