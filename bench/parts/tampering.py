"""What each command makes of a lab that somebody tampered with, in every study."""

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from bench.book import Effort, Figures, Measured, Part, table
from tests.participants.export.conftest import SIMULATED
from tests.sabotage import CATALOGUE, COMMANDS, HOWS, judged, make_lab, untouched


def _tampered(study: str) -> Callable[[Effort], Measured]:
    def measure(effort: Effort) -> Measured:
        with tempfile.TemporaryDirectory() as folder:
            lab = make_lab(Path(folder), study)
            whole = untouched(lab)
            found = {
                f"{what} {how}": judged(lab, what, how, whole)
                for what in CATALOGUE
                for how in HOWS[: 1 if effort.quick else None]
            }
        counted = Counter(word for one in found.values() for word in one.values())
        told = ", ".join(f"{number} {word}" for word, number in counted.most_common())
        return Measured(f"{counted.total()} outcomes: {told}.", {"outcomes": found})

    return measure


def summary(figures: Mapping[str, Figures]) -> str:
    """Return the outcomes of all studies in one table, and where one study differs."""
    found = {study: of_study["outcomes"] for study, of_study in figures.items()}
    rows, exceptions = [], []
    for case in next(iter(found.values()), {}):
        cells = []
        for command in COMMANDS:
            there = {study: one[case][command] for study, one in found.items() if case in one}
            (usual, _), *_ = Counter(there.values()).most_common()
            cells.append(usual)
            exceptions += [
                f"- {case}, `{command}`, {study}: {word}"
                for study, word in there.items()
                if word != usual
            ]
        rows.append([case, *cells])
    parts = [
        "## What each command makes of it",
        "A lab with a registry, two sessions and a tombstone was tampered with in each of these "
        "ways, and each command typed. *Same result*: the command made the same as of a lab that "
        "nobody had touched, since it doesn't read what was tampered with, or makes it anew from "
        "the journals.",
        table(["what, and how", *COMMANDS], rows),
    ]
    if exceptions:
        parts.append("\n".join(["Where one study differs from the others:", "", *exceptions]))
    return "\n\n".join(parts)


PARTS = tuple(Part(study, study, _tampered(study)) for study in SIMULATED)
