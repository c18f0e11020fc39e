"""The methods of a report: sentences to take over into a paper, then what they rest on in full.

They say only what was done. What the suite can't know is a blank to fill in, marked as such.
"""

import re
from collections.abc import Sequence
from typing import Final

from analysis.report.parts import Section, reworded
from analysis.report.results import Described
from analysis.report.wording import listed, unsigned_points

MARKED: Final = re.compile(r"\[Fill in: [^\]]*\]")
"""A blank, as it is written."""


def blank(content: str) -> str:
    """Return a place that the experimenter fills in."""
    return f"[Fill in: {content}.]"


TWO_TESTS: Final = "Schuirmann 1987"
"""Source of the two one-sided tests, as cited."""
NO_PROTOCOL: Final = blank("how people were assigned to lists and conditions")
CONSENT: Final = blank(
    "how people were recruited and paid, how they consented, and which committee approved the study"
)
SIZE: Final = blank(
    "why so many people took part, and the smallest effect that so many can show; lab.py power "
    "simulates it"
)
SMALLEST: Final = blank("the smallest effect that so many can show; lab.py power simulates it")
AVAILABLE: Final = blank("where data, pack and scripts can be had; lab.py export makes a copy")


def design_sentences(data: Described, assignment: str) -> tuple[str, ...]:
    """Return what every paper says of its design: assignment, consent, sample size, data.

    Parameters
    ----------
    data
        What was analysed.
    assignment
        How the study's registry assigns conditions.
    """
    assigned = assignment if data.protocol_known else NO_PROTOCOL
    return (assigned, CONSENT, SIZE, AVAILABLE)


def with_size(section: Section, reason: str) -> Section:
    """Return the methods with the planned number of participants and its reason."""
    return reworded(section, lambda text: text.replace(SIZE, reason))


def why_margin(reason: str) -> str:
    """Return why differences below the margin don't matter, or a blank for it."""
    return reason or blank("why smaller differences than this margin don’t matter")


def equivalence(margin: float | None, reason: str, verdict: str, tests: str = "") -> list[str]:
    """Return what shows that a difference is smaller than a margin, and why this margin.

    Parameters
    ----------
    margin
        The margin, a share; None where nothing is compared with one: then there is no sentence.
    reason
        Why smaller differences don't matter; empty if the protocol doesn't say it.
    verdict
        What is then said, at the beginning of a sentence: "Calling S like E".
    tests
        How the tests are corrected, after a comma; empty if they aren't.
    """
    if margin is None:
        return []
    return [
        f"{verdict} takes two one-sided tests at 5 % each ({TWO_TESTS}{tests}) against a "
        f"margin of {unsigned_points(margin)} percentage points, which the protocol sets. "
        f"{why_margin(reason)}"
    ]


def materials_sentence(data: Described, versions: Sequence[tuple[str, str]]) -> str:
    """Return packs, rules and software as one sentence."""
    packs = f"pack {listed(data.pack_ids)}, " if data.pack_ids else ""
    hashes = [f"{value[:12]}…" for value in data.protocol_hashes]
    known = f" (SHA-256 {listed(hashes)})" if hashes else ""
    rules = (
        f"protocol “{data.protocol}”{known}"
        if data.protocol_known
        else "no protocol came with the data, and the analysis follows the published defaults"
    )
    software = ", ".join(f"{_spelled(name)} {value}" for name, value in versions)
    return f"Materials and rules: {packs}{rules}. Software: {software}."


def _spelled(name: str) -> str:
    return {"plainsight": "Plainsight", "python": "Python"}.get(name, name)
