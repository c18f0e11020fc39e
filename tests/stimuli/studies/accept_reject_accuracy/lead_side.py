"""Everything on the lead's side of an accuracy pack as numbers, but for what is to be judged."""

import pandas as pd

from stimuli.io.canonical import hash_of
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import KEY, LABELLED, LISTS
from stimuli.studies.accept_reject_accuracy.tables import RUN


def lead_side(pack: Pack) -> pd.DataFrame:
    """Return one row a main trial of S or E: what a lead gets, and who gave the label.

    Columns ``solver`` and ``item`` are the truth; those after it begin with the kind of what
    they tell: ``ids``, ``names``, ``sizes``, ``order``, ``position``, ``label``. Whether a
    label fits its image is left out: it is what the lead judges.
    """
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(LABELLED)}
    line = {name: place for place, name in enumerate(items)}
    stored = {path: place for place, path in enumerate(pack.paths("assets"))}
    listed = [row for row in pack.table(LISTS) if row["run"] == RUN]
    rows = []
    for before, row in zip([None, *listed], listed, strict=False):
        name = row["presentation"]
        what, shown = key[name], items[name]
        if what["solver"] not in ("S", "E"):
            continue
        file = shown["image_file"]
        last = None if before is None else items[before["presentation"]]
        rows.append(
            {
                "solver": what["solver"],
                "item": what["item"],
                "ids_value": _hex(name[1:]),
                "ids_length": len(name),
                "names_value": _hex(file.rsplit("/", 1)[1].partition(".")[0]),
                "names_length": len(file),
                "sizes_bytes": len(pack.asset(file)),
                "order_line": line[name],
                "order_stored": stored[file],
                "position_in_list": row["position"],
                "position_odd": row["position"] % 2,
                "label_which": _hex(hash_of(shown["shown_label"])[:12]),
                "label_as_before": last is not None and last["shown_label"] == shown["shown_label"],
            }
        )
    return pd.DataFrame(rows)


def _hex(text: str) -> float:
    return int(text, 16) / 16 ** len(text)
