"""The data of progressive_reveal that its questions use, read once from its tables.

Checks that the data follow the design are here too.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from analysis.data.tables import Dataset
from analysis.questions.estimates import EstimateRow
from analysis.questions.question import Lacking
from analysis.questions.setting import Setting
from analysis.report.checks import DIFFERING_P, Check
from analysis.report.flow import FlowStep, intake, leaving, leaving_by_rule, stage
from analysis.report.missing import about_others, no_protocol
from analysis.report.results import (
    TrialSelection,
    interval_words,
    take_trials,
)
from analysis.report.wording import count, grouped, listed, number, p_equals, were
from analysis.statistics.bootstrap import Resampling
from analysis.statistics.proportions import Count, equal_rates_p
from analysis.studies.progressive_reveal.exclusions import (
    MainResults,
    Person,
    excluded,
    person_rows,
    split_catch,
)
from analysis.studies.progressive_reveal.images import image_averages
from analysis.studies.progressive_reveal.models import sample_notes
from analysis.studies.progressive_reveal.share_curves import ShareCurves, share_curves
from analysis.studies.progressive_reveal.trials import RoundTable, read_rounds
from analysis.studies.progressive_reveal.words import SOURCES, Methods
from stimuli.errors import UserError
from stimuli.maps.origin import RESPONSE_MODEL
from stimuli.studies.progressive_reveal.protocol import ProgressiveReveal


def design_checks(
    table: RoundTable, protocol: ProgressiveReveal, *, known: bool, says_left: bool
) -> list[Check]:
    """Return the checks that the rounds are those that the design plans.

    Parameters
    ----------
    table, protocol
        The rounds and their rules.
    known
        Whether the protocol came with the data.
    says_left
        Whether the trial table says which rounds were left midway.
    """
    return [
        _seen_once(table),
        _balanced(table),
        _complete(table, protocol, known),
        _left(table, says_left),
        _counts_fit(table),
        _ran_out(table),
        _steps_shown(table),
    ]


def _seen_once(table: RoundTable) -> Check:
    twice = int(table.frame.duplicated(["participant", "item"]).sum())
    text = f"{count(twice, 'image')} came twice before the same person."
    name = "Nobody saw an image twice"
    return Check.unless(name, twice, text, "Nobody did.", repeated_images=twice)


def _balanced(table: RoundTable) -> Check:
    name = "Everybody saw all methods about as often"
    counts = table.frame.groupby(["participant", "method"]).size().unstack(fill_value=0)
    uneven = int((counts.max(axis=1) - counts.min(axis=1) > 2).sum())
    cells = table.frame.groupby(["item", "method"]).size().unstack(fill_value=0)
    gaps = int((cells == 0).sum().sum())
    text = (
        f"For {count(uneven, 'participant')} counts differ by more than 2; "
        f"pairs of an image and a method that nobody saw: {gaps}."
    )
    counted = {"uneven_people": uneven, "unseen_pairs": gaps, "tolerance": 2}
    return Check(name, "note" if uneven or gaps else "passed", text, counted)


def _complete(table: RoundTable, protocol: ProgressiveReveal, known: bool) -> Check:
    name = "Everyone has all rounds"
    if not known:
        return Check(name, "not checked", "No protocol came with the data.")
    rounds = table.frame["participant"].value_counts()
    short = int((rounds < protocol.rounds).sum())
    text = (
        f"{count(short, 'participant')} with fewer than the {protocol.rounds} planned; "
        f"{number(float(rounds.mean()), 1)} rounds a participant on average."
    )
    counts = {"planned_rounds": protocol.rounds, "people_with_fewer": short}
    counts["mean_rounds"] = float(rounds.mean())
    return Check(name, "note" if short else "passed", text, counts)


def _named(table: RoundTable) -> Methods:
    """Return the methods; maps that response models made are called simulated."""
    origins, methods = table.frame.get("map_origin"), table.frame["method"]
    simulated = () if origins is None else methods[origins.eq(RESPONSE_MODEL).fillna(False)]
    return Methods(tuple(table.methods), frozenset(simulated))


def _left(table: RoundTable, says_left: bool) -> Check:
    """Check how many rounds were left midway, and whether that depends on the method."""
    name = "Rounds were seen to their end"
    if not says_left:
        return Check(name, "not checked", "The table has no column left.")
    left, method_of = table.frame["left"].to_numpy(dtype=bool), table.frame["method"].to_numpy()
    by_method = {
        method: Count(int(left[method_of == method].sum()), int((method_of == method).sum()))
        for method in table.methods
    }
    total = sum(counted.successes for counted in by_method.values())
    if not total:
        return Check(name, "passed", "None was left midway.", {"left_rounds": 0})
    named = _named(table)
    left_by_method = listed(
        [f"{named.name(key)} {grouped(n.successes)}" for key, n in by_method.items()]
    )
    p = equal_rates_p(tuple(by_method.values()))
    text = (
        f"{count(total, 'round')} {were(total)} left midway and censored at the last whole step. "
        f"By method: {left_by_method} (exact test, {p_equals(p)})."
    )
    if p >= DIFFERING_P:
        return Check(name, "note", text, {"left_rounds": total, "p": p})
    text += " Averages over completed rounds are of other rounds with each method."
    return Check(name, "warning", text, {"left_rounds": total, "p": p})


def _counts_fit(table: RoundTable) -> Check:
    name = "Pixels of the rounds agree with the images’ courses"
    if not table.schedule_source.startswith("the table of curves"):
        return Check(name, "not checked", "There is no table of curves.")
    rows = table.frame[table.frame["step"] > 0]
    part = table.of(table.frame["step"] > 0)
    course = part.amounts[part.item_codes, part.method_codes, rows["step"].to_numpy(int) - 1]
    pixels = course * rows["image_pixels"].to_numpy(dtype=float)
    odd = int((np.abs(pixels - rows["pixels"].to_numpy(dtype=float)) > 0.5).sum())
    text = f"In {count(odd, 'round')} they differ."
    return Check.unless(name, odd, text, "All of them do.", differing_rounds=odd)


def _ran_out(table: RoundTable) -> Check:
    name = "Maps had enough pixels"
    last = table.amounts[:, :, -1]
    known = np.isfinite(last)
    if not known.any():
        return Check(name, "not checked", "No pair’s pixels at the last step are known.")
    still = np.zeros(known.shape, dtype=bool)
    if table.steps > 1:
        still = known & (table.amounts[:, :, -2] >= last)
    counts = {"pairs": int(known.sum()), "ran_out": int(still.sum())}
    text = (
        f"{counts['ran_out']} of {count(counts['pairs'], 'pair')} of image and method uncovered "
        "nothing more at the last step: relevance had run out."
    )
    return Check(name, "note" if counts["ran_out"] else "passed", text, counts)


def _steps_shown(table: RoundTable) -> Check:
    name = "First keys come no later than confirming presses"
    frame = table.frame
    if "step_first_key" not in frame:
        return Check(name, "not checked", "The table has no column step_first_key.")
    recognised = frame[frame["recognised"]]
    odd = int((recognised["step_first_key"] > recognised["step"]).fillna(False).sum())
    text = f"In {count(odd, 'round')} it is later."
    return Check.unless(name, odd, text, "It never is.", later_first_keys=odd)


# Without slots: what several questions build on is computed once, when the first needs it.
@dataclass(frozen=True)
class RevealData:
    """A dataset, who is analysed, and what several questions build on.

    Attributes
    ----------
    dataset, protocol
        The tables, and the rules. Of the tables beside the rounds ``curves`` (what each image
        uncovers step by step) and ``people`` (each person's session) are used where they are
        there.
    selection
        The rounds of the chosen purpose.
    left_out
        Participants who were left out by hand.
    main, catch
        Main rounds and catch rounds of the trial table.
    people
        What the exclusion rules find about each participant.
    table
        The rounds that are analysed.
    plan
        How intervals are found, and the number of replicates.
    """

    dataset: Dataset
    protocol: ProgressiveReveal
    selection: TrialSelection
    left_out: tuple[str, ...]
    main: pd.DataFrame
    catch: pd.DataFrame
    people: tuple[Person, ...]
    table: RoundTable
    plan: Resampling

    @property
    def curves(self) -> pd.DataFrame | None:
        """The table of what each image uncovers step by step."""
        return self.dataset.beside.get("curves")

    @property
    def excluded(self) -> tuple[str, ...]:
        """Codes of those whom the rules leave out of the second analysis."""
        return excluded(self.people)

    @cached_property
    def results(self) -> MainResults:
        """Averages, life tables, restricted means and the primary model, of everybody."""
        return MainResults(self.table, self.plan)

    @cached_property
    def curves_over_shares(self) -> ShareCurves:
        """Recognition over the uncovered share."""
        return share_curves(self.table, self.plan)

    @cached_property
    def images(self) -> tuple[EstimateRow, ...]:
        """Every image by every method."""
        return tuple(image_averages(self.table))


def read_data(dataset: Dataset, purpose: str | None, left_out: Sequence[str]) -> RevealData:
    """Return the data of progressive_reveal.

    Parameters
    ----------
    dataset, purpose, left_out
        What is analysed; as in `take_trials`.

    Raises
    ------
    UserError
        If no round is left to analyse, or a recognised round lacks its step or pixels.
    """
    protocol = dataset.protocol
    assert isinstance(protocol, ProgressiveReveal)
    selection = take_trials(dataset, purpose, left_out, "rounds")
    main, catch = split_catch(selection.kept)
    if main.empty:
        raise UserError(f"{dataset.source}: no rounds are left but catch rounds")
    rules = protocol.analysis
    table = read_rounds(main, protocol, dataset.beside.get("curves"), dataset.source)
    plan = Resampling(rules.replicates, rules.seed, means=dataset.means)
    return RevealData(
        dataset=dataset,
        protocol=protocol,
        selection=selection,
        left_out=tuple(left_out),
        main=main,
        catch=catch,
        people=person_rows(main, catch, protocol),
        table=table,
        plan=plan.for_people(table.units, rules.few_people),
    )


def setting(data: RevealData) -> Setting:
    """Return what the report says about the data apart from the answers."""
    dataset, protocol, table = data.dataset, data.protocol, data.table
    says_left = "left" not in dataset.absent
    return Setting(
        data=data,
        analysed=table.frame,
        intervals=interval_words(data.plan, items="images"),
        flow=_flow(data),
        limit_s=protocol.reveal.steps * protocol.reveal.step_s,
        notes=[*table.notes, *sample_notes(table)],
        design_checks=design_checks(
            table, protocol, known=dataset.protocol_known, says_left=says_left
        ),
        lacking=_lacking(data),
        sources=SOURCES,
    )


def _lacking(data: RevealData) -> list[Lacking]:
    design = "the design in words, and deviations from the paper"
    return [
        *no_protocol(data.dataset, design),
        *about_others(data.table.participants, "participant"),
    ]


def _flow(data: RevealData) -> list[FlowStep]:
    selection, frame, completed = data.selection, data.table.frame, data.table.completed.frame
    midway = leaving("left midway, censored", frame, completed)
    reasons = {person.participant: person.reason for person in data.people if person.reason}
    by_rule, rest = leaving_by_rule(completed, reasons)
    return [
        *intake(
            data.dataset,
            selection,
            leaving("catch rounds, not analysed", selection.kept, data.main),
        ),
        stage(
            "rounds in life tables and models, by intention to treat",
            frame,
            [midway] if midway.trials else [],
        ),
        stage("completed rounds, in Tables III and IV", completed, by_rule),
        *([stage("second analysis, without those left out by rule", rest)] if by_rule else []),
    ]
