"""Run the study's analysis on a simulated table, with few replicates."""

from analysis.data.tables import Dataset
from analysis.questions.estimates import EstimateRow
from analysis.questions.results_file import answer_as_json, read_back
from analysis.statistics.bootstrap import Resampling
from analysis.studies.accept_reject.data import LeadData
from analysis.studies.accept_reject.inquiry import ACCEPT_REJECT
from analysis.studies.accept_reject.quantities import ACCEPTED, GAIN, RAW
from analysis.studies.accept_reject.questions.comparison import COMPARISON
from analysis.studies.accept_reject.questions.contour import CONTOUR
from analysis.studies.accept_reject.trials import judge_trials
from participants.studies.accept_reject.rows import TABLES
from stimuli.protocol import load_protocol
from tests.analysis.asking import asking
from tests.analysis.report.texts import said_by

QUICK = {"analysis": {"replicates": 300}}
PLAN = Resampling(300, 1)


def dataset(table, items=None, **changes):
    protocol = load_protocol("accept_reject", changes={**QUICK, **changes})
    absent = tuple(name for name in TABLES.trials.names if name not in table)
    return Dataset("accept_reject", "a table", typed(table), items, protocol, "test", absent, ())


def typed(table):
    """Give the columns the types that the reader gives."""
    table = table.astype(object).where(table.notna(), None)
    kinds = {"real": "float64", "integer": "Int64", "boolean": "boolean"}
    for column in TABLES.trials.columns:
        if column.name in table and column.kind in kinds:
            table[column.name] = table[column.name].astype(kinds[column.kind])
    return table


def judged(table):
    """Return a table's trials as the analysis judges them."""
    return judge_trials(typed(table), load_protocol("accept_reject"))


def answer_of(question, table):
    """Return a question's answer as it is read from results.json."""
    protocol = load_protocol("accept_reject")
    data = LeadData(dataset(table), protocol, None, (), judged(table), PLAN)
    return read_back(question, answer_as_json(question.compute(data)))


def results_of(table, left_out=(), items=None, only=None, **changes):
    """Return the results; of some questions alone where a test needs no others."""
    own = dataset(table, items, **changes)
    inquiry = ACCEPT_REJECT if only is None else alone(*only)
    return inquiry.analyse(own, None, left_out, lambda _: None)


def alone(*questions):
    """Return the inquiry into some questions, and into those that their sentences need."""
    return asking(ACCEPT_REJECT, CONTOUR, COMPARISON, *questions)


def said_of(results, *questions):
    """Return the texts of a report on some questions, from results of these alone."""
    return said_by(alone(*questions).build(results))


def estimate(results, quantity, **of):
    """Return the first estimate of a quantity at these levels; `asks` names its question."""
    asks = of.pop("asks", None)
    return next(
        EstimateRow(**row)
        for row in results["estimates"]
        if row["quantity"] == quantity.id
        and of.items() <= row["of"].items()
        and asks in (None, row["question"])
    )


def estimates(results, quantity, **of):
    """Return all estimates of a quantity at these levels."""
    return [
        EstimateRow(**row)
        for row in results["estimates"]
        if row["quantity"] == quantity.id and of.items() <= row["of"].items()
    ]


def gain(results, solver, part=RAW):
    """Return usefulness by the means, of these leads if they are few."""
    return estimate(results, GAIN, solver=solver, part=part, asks="usefulness")


def rate(results, solver, explanation):
    """Return acceptance within the decision time."""
    return estimate(results, ACCEPTED, solver=solver, explanation=explanation, asks="acceptance")


def by(rows, **keys):
    """Return the one row with these values."""
    found = [row for row in rows if all(row[name] == value for name, value in keys.items())]
    assert len(found) == 1, keys
    return found[0]
