"""Which axis and rung each list of a solution pack is for."""

from collections import Counter

from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import ITEMS, LISTS, PRACTICE_RUN


def list_places(pack: Pack) -> dict[str, tuple[str, int]]:
    """Return each list's axis and rung: those of most of its main presentations."""
    place_of = {
        row["presentation"]: (str(row["axis"]), int(row["rung"] or 0)) for row in pack.table(ITEMS)
    }
    counts: dict[str, Counter[tuple[str, int]]] = {}
    for row in pack.table(LISTS):
        if row["run"] != PRACTICE_RUN:
            counts.setdefault(str(row["list"]), Counter())[place_of[row["presentation"]]] += 1
    return {name: counter.most_common(1)[0][0] for name, counter in sorted(counts.items())}
