"""What each command makes of a lab that somebody tampered with, in every study."""

import tempfile
from collections import Counter
from pathlib import Path

from tests.bench.book import Effort, Measured, Part, table
from tests.participants.export.conftest import SIMULATED
from tests.sabotage import CATALOGUE, COMMANDS, HOWS, judged, make_lab, untouched


def _outcomes(effort: Effort) -> Measured:
    found: dict[str, dict[str, dict[str, str]]] = {}
    for study in list(SIMULATED)[: 1 if effort.quick else None]:
        effort.say(study)
        with tempfile.TemporaryDirectory() as folder:
            lab = make_lab(Path(folder), study)
            whole = untouched(lab)
            found[study] = {
                f"{what} {how}": judged(lab, what, how, whole) for what in CATALOGUE for how in HOWS
            }
    return Measured(_told(found), {"outcomes": found})


def _told(found: dict[str, dict[str, dict[str, str]]]) -> str:
    rows, exceptions = [], []
    for case in next(iter(found.values())):
        cells = []
        for command in COMMANDS:
            counted = Counter(of_study[case][command] for of_study in found.values())
            (usual, _), *_ = counted.most_common()
            cells.append(usual)
            exceptions += [
                f"- {case}, `{command}`, {study}: {of_study[case][command]}"
                for study, of_study in found.items()
                if of_study[case][command] != usual
            ]
        rows.append([case, *cells])
    all_told = Counter(
        word for of_study in found.values() for one in of_study.values() for word in one.values()
    )
    counts = ", ".join(f"{number} {word}" for word, number in all_told.most_common())
    text = f"{sum(all_told.values())} outcomes in {len(found)} studies: {counts}."
    parts = [text, table(["what, and how", *COMMANDS], rows)]
    if exceptions:
        parts.append("\n".join(["Where one study differs from the others:", "", *exceptions]))
    return "\n\n".join(parts)


PARTS = (Part("outcomes", "What each command makes of it", _outcomes),)
