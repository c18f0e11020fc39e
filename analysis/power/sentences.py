"""What a power simulation shows, in a few sentences."""

from collections.abc import Mapping
from typing import Any

from analysis.power.question import Question, Verdicts
from analysis.report.wording import count, percent

Results = Mapping[str, Any]


def headline_sentences(results: Results, question: Question) -> list[str]:
    """Return what the simulation shows of the first test and of the verdicts."""
    verdicts = (_verdicts(results, one) for one in question.verdicts)
    return [*_enough(results, question), *_false_alarms(results, question), *verdicts]


def _enough(results: Results, question: Question) -> list[str]:
    main, said = question.terms[0], []
    runs = count(results["asked"]["runs"], "simulated study", "simulated studies")
    for row in results["enough"]:
        if row["term"] != main.name:
            continue
        size = f"{main.write(row['truth'])} {main.unit}"
        what = f"An effect of {size} ({main.words}) with {row['items']} items each"
        if row["participants"] is None:
            said.append(
                f"{what}: {row['largest_tried']} participants are too few for "
                f"{percent(results['wanted'])} power ({percent(row['largest_power'])} of {runs})."
            )
        else:
            sure = "" if row["sure"] else f", but {runs} can't show this for certain"
            said.append(
                f"{what}: {row['participants']} participants reach "
                f"{percent(results['wanted'])} power{sure}."
            )
    return said


def _false_alarms(results: Results, question: Question) -> list[str]:
    main = question.terms[0].name
    null = [row for row in results["power"] if row["term"] == main and row["truth"] == 0]
    if not null:
        return []
    found, runs = (sum(row[name] for row in null) for name in ("significant", "runs"))
    return [
        f"Without an effect one is found in {percent(found / runs, 1)} of {runs} studies "
        f"(wanted: {percent(results['asked']['alpha'])})."
    ]


def _verdicts(results: Results, verdicts: Verdicts) -> str:
    """Return how often the report's verdict is right, and how often it claims what isn't so."""
    rows = [row for row in results["power"] if row["family"] == verdicts.name]
    right = [row["power"] for row in rows if row["right"]]
    false: dict[tuple[Any, ...], float] = {}
    for row in rows:
        if not row["right"] and row["term"] != verdicts.silent:
            key = (row["put_in"], row["items"], row["participants"])
            false[key] = false.get(key, 0.0) + row["power"]
    worst = max(false.values(), default=0.0)
    low, high = percent(min(right)), percent(max(right))
    span = low if low == high else f"{low} to {high}"
    return (
        f"The report's verdict on {verdicts.title} is right in {span} of the studies. For one size "
        f"and effect, at most {percent(worst, 1)} of the studies make a false claim."
    )
