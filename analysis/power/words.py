"""How a power simulation was done and what it shows, in words."""

from collections.abc import Sequence
from importlib.metadata import version

from analysis.power.question import Question, Verdicts
from analysis.power.results import Counts, Own
from analysis.report.wording import count, listed, percent
from stimuli.versions import suite_version

SOFTWARE = ("formulae", "statsmodels", "scipy", "numpy", "pandas")


def versions() -> dict[str, str]:
    """Return the versions that the numbers come from."""
    return {"plainsight": suite_version(), **{name: version(name) for name in SOFTWARE}}


def method_paragraph(counts: Counts[Own], question: Question[Own]) -> str:
    """Return what was done, ready to take over into a preregistration."""
    asked = counts.asked
    sizes = (
        f"{listed([str(n) for n in asked.participants])} participants and "
        f"{listed([str(n) for n in asked.items])} items each"
    )
    test = f"{question.test} A study without a result counts as one that found nothing."
    return (
        f"Power was estimated by simulating {asked.runs} studies for each combination of "
        f"{sizes}. {question.method(counts)} {test} "
        f"Intervals for power are Wilson’s and hold for the number of simulated studies."
    )


def spreads(values: Sequence[float]) -> str:
    """Return standard deviations in words."""
    return listed([f"{value:g}" for value in values])


def assumptions(counts: Counts[Own], question: Question[Own]) -> tuple[str, ...]:
    """Return what the numbers rest on, one sentence each."""
    return (
        "Participants and items are both random: power levels off with few items, however many "
        "participants there are (Westfall, Kenny & Judd 2014, J. Exp. Psychol. Gen. 143).",
        *question.assumptions(counts),
    )


def headline_sentences(counts: Counts[Own], question: Question[Own]) -> tuple[str, ...]:
    """Return what the simulation shows of the first test and of the verdicts."""
    verdicts = (_verdicts(counts, one) for one in question.verdicts)
    return (*_enough(counts, question), *_false_alarms(counts, question), *verdicts)


def _enough(counts: Counts[Own], question: Question[Own]) -> list[str]:
    main, said = question.terms[0], []
    runs = count(counts.asked.runs, "simulated study", "simulated studies")
    wanted = percent(counts.wanted)
    for row in counts.enough:
        if row.term != main.name:
            continue
        size = f"{main.write(row.truth)} {main.unit}"
        what = f"An effect of {size} ({main.words}) with {row.items} items each"
        if row.participants is None:
            said.append(
                f"{what}: {row.largest_tried} participants are too few for "
                f"{wanted} power ({percent(row.largest_power)} of {runs})."
            )
        else:
            sure = "" if row.sure else f", but {runs} can't show this for certain"
            said.append(f"{what}: {row.participants} participants reach {wanted} power{sure}.")
    return said


def _false_alarms(counts: Counts[Own], question: Question[Own]) -> list[str]:
    main = question.terms[0].name
    null = [row for row in counts.power if row.term == main and row.truth == 0]
    if not null:
        return []
    found, runs = sum(row.significant for row in null), sum(row.runs for row in null)
    return [
        f"Without an effect one is found in {percent(found / runs, 1)} of {runs} studies "
        f"(wanted: {percent(counts.asked.alpha)})."
    ]


def _verdicts(counts: Counts[Own], verdicts: Verdicts) -> str:
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
