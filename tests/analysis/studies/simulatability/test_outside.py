"""Tables from elsewhere: least columns, other words, one clear line for what is wrong."""

import pandas as pd
import pytest

from analysis.data.tables import read_outside
from analysis.options import AnalyseOptions
from analysis.read_results import read_results
from analysis.run import run_analysis
from analysis.studies.simulatability.quantities import PUBLISHED_CHANGE
from analysis.studies.simulatability.questions.change import CHANGE
from analysis.studies.simulatability.questions.participants import PARTICIPANTS
from analysis.studies.simulatability.questions.second import SECOND
from stimuli.errors import UserError
from tests.analysis.asking import without_models
from tests.analysis.formats import without_drawings
from tests.analysis.studies.simulatability.tables_of import predictions_of, trials_of

NAME = "simulatability"


@pytest.fixture
def written(tmp_path):
    """Return what writes a table, and where."""

    def write(frame, name="trials.csv", **how):
        frame.to_csv(tmp_path / name, index=False, **how)
        return tmp_path / name

    return write


@pytest.fixture
def protocol(tmp_path):
    """A protocol with few replicates."""
    path = tmp_path / "quick.toml"
    path.write_text(
        'schema = "protocol/1.0"\nstudy = "simulatability"\nname = "quick"\n'
        "[analysis]\nreplicates = 100\npublished_replicates = 100\n",
        encoding="utf-8",
    )
    return path


def test_seven_columns_are_enough(written, protocol, tmp_path):
    trials = trials_of(18, 6, lime=0.3, anchor=0.0)
    asked = AnalyseOptions(tmp_path / "out", trials=written(trials), protocol=protocol)
    with without_drawings(), without_models():
        done = run_analysis(NAME, asked)
    assert done.page.is_file()
    assert len(read_results(tmp_path / "out").of(CHANGE).rows(PUBLISHED_CHANGE)) == 2 * 9
    page = done.page.read_text(encoding="utf-8")
    assert "never published" in page
    assert ">nan" not in page.casefold()


def test_other_words_are_read(written):
    trials = trials_of(6, 4)
    told = trials.assign(
        phase=trials["phase"].map({"pre": "Before", "post": "after"}),
        domain="Table",
        use=trials["use"].str.upper(),
        correct=trials["correct"].map({True: "yes", False: "no"}),
    )
    own = predictions_of(read_outside(NAME, written(told, sep=";")).trials)
    pd.testing.assert_frame_equal(own.pairs, predictions_of(trials).pairs)


def test_an_empty_correct_is_a_missing_answer(written):
    trials = trials_of(6, 4).astype({"correct": object})
    trials.loc[0, "correct"] = None
    found = predictions_of(read_outside(NAME, written(trials)).trials)
    assert sum(row.unanswered for row in found.missing) == 1
    assert len(found.pairs) == 6 * 8 - 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda t: t.drop(columns="phase"), "column missing: phase"),
        (lambda t: t.assign(phase="during"), "phase"),
        (lambda t: t.assign(use="both"), "use"),
        (lambda t: t.assign(correct="often"), "correct"),
        (lambda t: t.assign(method=""), "method"),
        (lambda t: t.iloc[:0], "no rows"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(written, change, said):
    with pytest.raises(UserError, match=said) as error:
        read_outside(NAME, written(change(trials_of(2, 4))))
    assert "\n" not in str(error.value)


def test_a_column_may_say_who_qualified(written, protocol, tmp_path):
    trials = trials_of(12, 6)
    told = trials.assign(qualified=trials["participant"].map({"p0": "No", "p1": "yes"}))
    asked = AnalyseOptions(tmp_path / "out", trials=written(told), protocol=protocol)
    with without_drawings(), without_models():
        run_analysis(NAME, asked)
    found = read_results(tmp_path / "out")
    assert found.of(SECOND).participants == 11
    people = {row.participant: row.qualified for row in found.of(PARTICIPANTS).people}
    assert (people["p0"], people["p1"], people["p2"]) == (False, True, None)
