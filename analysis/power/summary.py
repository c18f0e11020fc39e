"""Summarise simulated studies: power and its interval, and sentences on results and method."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np

from analysis.power.question import Outcome, Question, Term, Verdicts
from analysis.power.results import WANTED, Counts, Enough, ModelCount, PowerRow
from analysis.power.simulation import Cell
from analysis.report.wording import count, listed, percent
from analysis.statistics.proportions import Count, wilson
from stimuli.versions import suite_version

SOFTWARE = ("formulae", "statsmodels", "scipy", "numpy", "pandas")


@dataclass(frozen=True, slots=True)
class Studies:
    """The outcomes of one cell's runs, and the cell's effect in words."""

    cell: Cell
    put_in: str
    outcomes: Sequence[Outcome]


def summarise(studies: Studies, term: Term) -> PowerRow:
    """Return one cell's power for one test.

    A study without a result counts as one that found nothing. Type S is the share of
    significant estimates with the wrong sign, type M the mean ratio of their size to the
    true one (Gelman & Carlin 2014, Perspect. Psychol. Sci. 9(6)); both are unknown if the true
    value is 0 or isn't known.
    """
    truth = term.truth(studies.cell.effect)
    known = [
        outcome.tests[term.name]
        for outcome in studies.outcomes
        if outcome.fitted and term.name in outcome.tests
    ]
    every = [estimate for estimate, _ in known if estimate is not None]
    sizes = np.array([estimate for estimate, significant in known if significant], dtype=float)
    sized = bool(truth) and len(sizes) > 0
    return replace(
        _row(studies, term.name, sum(significant for _, significant in known)),
        truth=truth,
        type_s=float((np.sign(sizes) != np.sign(truth)).mean()) if sized else None,
        type_m=float(np.abs(sizes).mean() / abs(truth)) if sized else None,
        mean_estimate=float(np.mean(every)) if every else None,
    )


def share_verdicts(studies: Studies, verdicts: Verdicts) -> list[PowerRow]:
    """Return how often each verdict is given in one cell, and whether it is the right one."""
    by_verdict = Counter(
        outcome.verdicts.get(verdicts.name) for outcome in studies.outcomes if outcome.fitted
    )
    right = verdicts.right(studies.cell.effect)
    return [
        replace(_row(studies, name, by_verdict[name]), family=verdicts.name, right=name == right)
        for name in verdicts.meanings
    ]


def _row(studies: Studies, term: str, times: int) -> PowerRow:
    """Return in how many studies a test found something, or a verdict was given."""
    cell, outcomes = studies.cell, studies.outcomes
    power = wilson(Count(times, len(outcomes)))
    whole = [outcome.as_asked for outcome in outcomes if outcome.as_asked is not None]
    return PowerRow(
        participants=cell.participants,
        items=cell.items,
        effect=cell.effect,
        put_in=studies.put_in,
        term=term,
        family="",
        truth=None,
        right=None,
        runs=len(outcomes),
        significant=times,
        power=power.estimate,
        ci_low=power.ci_low,
        ci_high=power.ci_high,
        type_s=None,
        type_m=None,
        mean_estimate=None,
        as_asked=float(np.mean(whole)) if whole else None,
        failed=float(np.mean([not outcome.fitted for outcome in outcomes])),
        median_run_s=float(np.median([outcome.run_s for outcome in outcomes])),
    )


def fitted_models(outcomes: Mapping[Cell, Sequence[Outcome]]) -> tuple[ModelCount, ...]:
    """Return which models were fitted, by the size of the study, the most frequent first."""
    counts: dict[tuple[int, int], Counter[tuple[str, bool]]] = {}
    for cell, of_cell in outcomes.items():
        fits = [
            (outcome.model, outcome.as_asked) for outcome in of_cell if outcome.as_asked is not None
        ]
        counts.setdefault((cell.participants, cell.items), Counter()).update(fits)
    return tuple(
        ModelCount(*size, model, whole, number, models.total())
        for size, models in counts.items()
        for (model, whole), number in models.most_common()
    )


def failures(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """Return why fits failed, and how often."""
    counts: dict[str, int] = {}
    for outcome in outcomes:
        if not outcome.fitted:
            counts[outcome.reason] = counts.get(outcome.reason, 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def smallest_enough(rows: Sequence[PowerRow], power: float = WANTED) -> tuple[Enough, ...]:
    """Return for each test, effect and number of items the fewest participants that are enough.

    A number is enough if power is at least as wanted there and at every larger number tried;
    ``sure`` says whether its interval lies above, too. If there is no effect, no number is enough.
    Of the verdicts, the right one counts.
    """
    groups: dict[tuple[str, str, int], list[PowerRow]] = {}
    for row in rows:
        if row.right or (row.right is None and row.truth != 0):
            groups.setdefault((row.term, row.put_in, row.items), []).append(row)
    return tuple(
        _enough(sorted(group, key=lambda row: row.participants), power) for group in groups.values()
    )


def _enough(rows: Sequence[PowerRow], power: float) -> Enough:
    """Return how many participants are enough, from rows that differ only in their number."""
    short = [place for place, row in enumerate(rows) if row.power < power]
    first, last = short[-1] + 1 if short else 0, rows[-1]
    enough = rows[first] if first < len(rows) else None
    return Enough(
        term=last.term,
        put_in=last.put_in,
        truth=last.truth,
        items=last.items,
        participants=None if enough is None else enough.participants,
        sure=enough is not None and enough.ci_low >= power,
        largest_tried=last.participants,
        largest_power=last.power,
    )


def versions() -> dict[str, str]:
    """Return the versions that the numbers come from."""
    return {"plainsight": suite_version(), **{name: version(name) for name in SOFTWARE}}


def method_paragraph(counts: Counts, question: Question) -> str:
    """Return what was done, ready to copy into a preregistration."""
    asked = counts.asked
    sizes = (
        f"{listed([str(n) for n in asked.participants])} participants and "
        f"{listed([str(n) for n in asked.items])} items each"
    )
    test = f"{question.test} A study without a result counts as one that found nothing."
    return (
        f"Power was estimated by simulating {asked.runs} studies for each combination of "
        f"{sizes}. {question.method} {test} "
        f"Intervals for power are Wilson’s and hold for the number of simulated studies."
    )


def spreads(values: Sequence[float]) -> str:
    """Return standard deviations in words."""
    return listed([f"{value:g}" for value in values])


def assumptions(counts: Counts, question: Question) -> tuple[str, ...]:
    """Return what the numbers rest on, one sentence each."""
    return (
        "Participants and items are both random: power levels off with few items, however many "
        "participants there are (Westfall, Kenny & Judd 2014, J. Exp. Psychol. Gen. 143).",
        *question.assumptions(counts),
    )


def headline_sentences(counts: Counts, question: Question) -> tuple[str, ...]:
    """Return what the simulation shows of the first test and of the verdicts."""
    verdicts = (_verdict_words(counts, verdict) for verdict in question.verdicts)
    return (*_enough_words(counts, question), *_false_alarm_words(counts, question), *verdicts)


def _enough_words(counts: Counts, question: Question) -> list[str]:
    main, sentences = question.terms[0], []
    runs = count(counts.asked.runs, "simulated study", "simulated studies")
    wanted = percent(counts.wanted)
    for row in counts.enough:
        if row.term != main.name:
            continue
        size = f"{main.write(row.truth)} {main.unit}"
        what = f"An effect of {size} ({main.words}) with {row.items} items each"
        if row.participants is None:
            sentences.append(
                f"{what}: {row.largest_tried} participants are too few for "
                f"{wanted} power ({percent(row.largest_power)} of {runs})."
            )
        else:
            sure = "" if row.sure else f", but {runs} can't show this for certain"
            sentences.append(f"{what}: {row.participants} participants reach {wanted} power{sure}.")
    return sentences


def _false_alarm_words(counts: Counts, question: Question) -> list[str]:
    main = question.terms[0].name
    null = [row for row in counts.power if row.term == main and row.truth == 0]
    if not null:
        return []
    alarms, runs = sum(row.significant for row in null), sum(row.runs for row in null)
    return [
        f"False alarms: {percent(alarms / runs, 1)} of {runs} studies without an effect "
        f"(expected: {percent(counts.asked.alpha)})."
    ]


def _verdict_words(counts: Counts, verdicts: Verdicts) -> str:
    """Return how often the report's verdict is right, and how often it claims what isn't so."""
    rows = [row for row in counts.power if row.family == verdicts.name]
    right = [row.power for row in rows if row.right]
    false: dict[tuple[str, int, int], float] = {}
    for row in rows:
        if not row.right and row.term != verdicts.silent:
            key = (row.put_in, row.items, row.participants)
            false[key] = false.get(key, 0.0) + row.power
    worst = max(false.values(), default=0.0)
    low, high = percent(min(right)), percent(max(right))
    span = low if low == high else f"{low} to {high}"
    return (
        f"The report's verdict on {verdicts.title} is right in {span} of the studies. For one size "
        f"and effect, at most {percent(worst, 1)} of the studies make a false claim."
    )
