"""The data of simulatability that its questions use, read once from its tables.

Checks that the data follow the design are here too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from analysis.data.tables import Dataset
from analysis.mixed.result import Outcome
from analysis.questions.question import Lacking
from analysis.questions.setting import Setting
from analysis.report.checks import Check, arm_sizes_check
from analysis.report.flow import FlowStep, arms_of, intake, leaving, stage
from analysis.report.missing import FEW_PARTICIPANTS, no_protocol
from analysis.report.results import (
    TrialSelection,
    interval_words,
    take_trials,
)
from analysis.report.wording import count, percent
from analysis.statistics.bootstrap import Resampling
from analysis.studies.simulatability.model import fitted_model
from analysis.studies.simulatability.people import Person, person_rows
from analysis.studies.simulatability.trials import Predictions, read_predictions, test_rows
from analysis.studies.simulatability.words import SOURCES, method_name
from stimuli.errors import UserError
from stimuli.studies.simulatability.protocol import Simulatability


def design_checks(
    predictions: Predictions, tests: pd.DataFrame, protocol: Simulatability, *, known: bool
) -> list[Check]:
    """Return the checks that the trials are those that the design plans."""
    return [
        _one_method(predictions),
        _same_items(predictions),
        _balanced(predictions),
        _complete(predictions, protocol, known),
        _answered(predictions),
        _one_output(tests),
    ]


def _one_method(predictions: Predictions) -> Check:
    methods = predictions.pairs.groupby(["participant", "domain"])["method"].nunique()
    both = int((methods > 1).sum())
    return Check.unless(
        "Each person has one method in each domain",
        both,
        f"{count(both, 'participant')} had several methods in one domain.",
        "Nobody had two methods in one domain.",
        "note",
        several=both,
    )


def _same_items(predictions: Predictions) -> Check:
    """Check that all arms predict the same items: the means of others aren't comparable."""
    odd = 0
    for _, group in predictions.pairs.groupby(["domain", "test"]):
        sets = [frozenset(mine["item"]) for _, mine in group.groupby("method")]
        whole = frozenset().union(*sets)
        odd += sum(len(items) < len(whole) for items in sets)
    return Check.unless(
        "All arms of a domain predict the same items",
        odd,
        f"In {count(odd, 'arm and test', 'arms and tests')}, some of the items weren’t predicted. "
        "The model adjusts for items; the means don’t.",
        "They do.",
        "note",
        arms_with_fewer=odd,
    )


def _balanced(predictions: Predictions) -> Check:
    sizes = predictions.pairs.groupby(["domain", "method"])["participant"].nunique()
    return arm_sizes_check("Arms have about the same size", sizes)


def _complete(predictions: Predictions, protocol: Simulatability, known: bool) -> Check:
    name = "Everyone has all items in both phases"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    planned = protocol.items.per_test
    counts = predictions.pairs.groupby(["participant", "domain", "test"]).size()
    short = int((counts < planned).sum())
    half = int((counts == planned // 2).sum())
    sentence = (
        f"{count(short, 'test')} with fewer than the {planned} planned items. Of these, {half} had "
        "exactly half, as planned if time is short."
    )
    return Check.unless(name, short, sentence, state="note", with_fewer=short, half=half)


def _answered(predictions: Predictions) -> Check:
    asked = sum(row.shown for row in predictions.missing)
    silent = sum(row.unanswered for row in predictions.missing)
    text = (
        f"{count(silent, 'prediction')} without an answer ({percent(silent / max(asked, 1), 1)})."
    )
    name = "Every prediction was answered"
    return Check.unless(name, silent, text, state="note", silent=silent)


def _one_output(tests: pd.DataFrame) -> Check:
    """Check that an item has one output in all arms: other outputs mean another model."""
    name = "Every arm predicts the same model"
    if "output" not in tests:
        return Check(name, "not checked", "The table has no column output.")
    outputs = tests.groupby(["domain", "use", "item"])["output"].nunique()
    odd = int((outputs > 1).sum())
    text = f"The table gives several outputs for {count(odd, 'item')}."
    otherwise = "The table gives one output for each item."
    return Check.unless(name, odd, text, otherwise, odd_items=odd)


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class SimulatabilityData:
    """A dataset, who is analysed, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules. Of the tables beside the trials ``people`` is used where it is
        there.
    selection
        The trials of the chosen purpose.
    left_out
        Participants who were left out by hand.
    people
        Everybody in the trial table and in the table of people.
    sessions
        The table of people; None if there is none.
    predictions
        What everybody predicted and rated.
    plan
        How intervals are found, and the number of replicates.
    """

    dataset: Dataset
    protocol: Simulatability
    selection: TrialSelection
    left_out: tuple[str, ...]
    people: tuple[Person, ...]
    sessions: pd.DataFrame | None
    predictions: Predictions
    plan: Resampling

    @property
    def dropped(self) -> tuple[str, ...]:
        """Codes of those whom the second analysis leaves out."""
        return tuple(row.participant for row in self.people if row.left_out)

    @property
    def remaining(self) -> Predictions | None:
        """The predictions of the second analysis; None if it leaves out nobody or everybody."""
        people = set(self.predictions.pairs["participant"])
        left = people - set(self.dropped)
        return self.predictions.of(sorted(left)) if 0 < len(left) < len(people) else None

    @cached_property
    def tests(self) -> pd.DataFrame:
        """Rows of predictions, of everybody who isn't left out by hand."""
        return test_rows(self.selection.kept)

    @cached_property
    def models(self) -> dict[str, Outcome]:
        """The mixed model of each domain."""
        return fitted_models(self.predictions)


def fitted_models(predictions: Predictions) -> dict[str, Outcome]:
    """Return the mixed model of each domain."""
    return {name: fitted_model(predictions.domain(name)) for name in predictions.domains}


def read_data(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> SimulatabilityData:
    """Return the data of simulatability.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.

    Raises
    ------
    UserError
        If no item is left that somebody predicted in both phases.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, Simulatability)
    selection = take_trials(dataset, purpose, left_out)
    predictions = read_predictions(selection.kept, protocol)
    if predictions.pairs.empty:
        raise UserError(
            f"{dataset.source}: nobody predicted an item in both phases; the same participant, "
            "item and method needs a row with phase pre and a row with phase post, with use "
            "forward or counterfactual, and with a value in correct"
        )
    table = _people_of(dataset, selection, left_out)
    people = person_rows(selection.kept, table, predictions, protocol)
    rules = protocol.analysis
    plan = Resampling(rules.replicates, rules.seed, means=dataset.means)
    return SimulatabilityData(
        dataset, protocol, selection, tuple(left_out), people, table, predictions, plan
    )


def _people_of(
    dataset: Dataset, selection: TrialSelection, left_out: Sequence[str]
) -> pd.DataFrame | None:
    """Return the table of people, those of the purpose that are not left out by hand."""
    table = dataset.beside.get("people")
    if table is None:
        return None
    keep = ~table["participant"].isin(left_out)
    if selection.purpose and "purpose" in table:
        keep &= table["purpose"] == selection.purpose
    return table[keep]


def setting(data: SimulatabilityData) -> Setting:
    """Return what the report says about the data apart from the answers."""
    predictions, tests, known = data.predictions, data.tests, data.dataset.protocol_known
    return Setting(
        data=data,
        analysed=tests[tests["participant"].isin(predictions.pairs["participant"])],
        intervals=interval_words(data.plan),
        flow=_flow(data),
        limit_s=data.protocol.question.limit_s,
        timed=tests,
        checked=tests,
        notes=[*predictions.notes, *_remarks(predictions)],
        design_checks=design_checks(predictions, tests, data.protocol, known=known),
        lacking=_lacking(data),
        sources=SOURCES,
        items=int(predictions.pairs["item"].nunique()),
    )


def _remarks(predictions: Predictions) -> list[str]:
    remarks = []
    if predictions.reference is None:
        remarks.append(
            "No arm without explanations can be compared with another arm, so Change includes "
            "practice."
        )
    many = predictions.pairs.groupby("participant")["domain"].nunique() > 1
    if many.any():
        remarks.append(
            "Participants who were tested in both domains count as one participant in results that "
            "combine the domains."
        )
    return remarks


def _lacking(data: SimulatabilityData) -> list[Lacking]:
    design = "the design in words, and deviations from the paper"
    rows = no_protocol(data.dataset, design)
    arms = data.predictions.pairs.groupby(["domain", "method"])["participant"].nunique()
    if arms.min() < FEW_PARTICIPANTS:
        who = count(int(arms.min()), "participant")
        reason = f"the smallest arm has {who}: intervals may be too narrow"
        rows.append(Lacking("firm conclusions about other participants", reason))
    return rows


def _flow(data: SimulatabilityData) -> list[FlowStep]:
    selection, tests = data.selection, data.tests
    answered = tests[tests["correct"].notna()]
    in_both = [row.participant for row in data.people if row.items]
    first = answered[answered["participant"].isin(in_both)]
    rest = first[~first["participant"].isin(data.dropped)]
    with_tests = selection.kept[selection.kept["participant"].isin(tests["participant"])]
    left = leaving("didn’t understand the method, or too fast", first, rest)
    last = stage("of those who qualified", rest, (), arms_of(rest, "method", method_name))
    return [
        *intake(
            data.dataset,
            selection,
            leaving("no prediction", selection.kept, with_tests),
            leaving("examples to learn from", with_tests, tests),
            leaving("without an answer", tests, answered),
            leaving("nothing predicted in both phases", answered, first),
        ),
        stage(
            "predictions in both phases",
            first,
            [left] if left.participants else [],
            arms_of(first, "method", method_name),
        ),
        *([last] if left.participants else []),
    ]
