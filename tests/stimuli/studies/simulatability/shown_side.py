"""Everything on the shown side of a pack as numbers, but for what the inputs themselves say."""

import pandas as pd

from stimuli.pack import Pack
from stimuli.studies.simulatability.tables import CLASSES, EXPLANATIONS, ITEMS, KEY, LISTS


def shown_side(pack: Pack) -> pd.DataFrame:
    """Return one row a tested item of a sheet, and whether the predicted output is positive.

    ``positive`` and ``flips`` are the truth; the columns after them begin with the kind of what
    they tell: ``ids``, ``cells``, ``order``, ``position``, ``helps``. Words, values and edits are
    left out: by them people are to predict.
    """
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    positive = {row["domain"]: row["class"] for row in pack.table(CLASSES) if row["positive"]}
    line = {name: place for place, name in enumerate(items)}
    explained = pd.DataFrame(pack.table(EXPLANATIONS))
    explained["line"] = range(len(explained))
    helps = dict(list(explained.groupby("presentation")))
    rows = []
    for row in pack.table(LISTS):
        name = row["presentation"]
        what, shown, own = key[name], items[name], helps.get(name)
        if shown["use"] == "learning":
            continue
        rows.append(
            {
                "positive": what["output"] == positive[shown["domain"]],
                "flips": bool(what["flips"]),
                "use": shown["use"],
                "ids_value": int(name[1:], 16) / 16 ** len(name[1:]),
                "ids_length": len(name),
                "cells_filled": sum(cell is not None for cell in shown.values()),
                "cells_label": shown["shown_label"] == positive[shown["domain"]],
                "cells_output": shown["shown_output"] == positive[shown["domain"]],
                "order_line": line[name],
                "order_stored": list(key).index(name),
                "order_help_line": -1 if own is None else own["line"].min(),
                "helps_count": 0 if own is None else len(own),
                "position": row["position"],
                "position_odd": row["position"] % 2,
                "position_sheet": int(row["list"].rpartition("-")[2]),
            }
        )
    return pd.DataFrame(rows)
