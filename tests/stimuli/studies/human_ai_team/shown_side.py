"""Everything on the shown side of a pack as numbers, but for label, confidence and pictures."""

import pandas as pd

from stimuli.pack import Pack
from stimuli.studies.human_ai_team.tables import HELPS, ITEMS, KEY, LISTS, SAMPLES


def shown_side(pack: Pack) -> pd.DataFrame:
    """Return one row a main trial of a sheet: what there is to see, and whether the AI is right.

    Columns ``ai_correct``, ``adversarial`` and ``item`` are the truth; those after it begin with
    the kind of what they tell: ``ids``, ``names``, ``sizes``, ``order``, ``position``. The label,
    the confidence and what pictures show are left out: by them the AI is judged.
    """
    key = {row["presentation"]: row for row in pack.table(KEY)}
    items = {row["presentation"]: row for row in pack.table(ITEMS)}
    line = {name: place for place, name in enumerate(items)}
    stored = {path: place for place, path in enumerate(pack.paths("assets"))}
    help_rows = pack.table(HELPS)
    helps = pd.DataFrame(help_rows).assign(line=range(len(help_rows)))
    by_name = dict(list(helps.groupby("presentation")))
    samples = pd.DataFrame(pack.table(SAMPLES)).groupby("label").size()
    rows = []
    for row in pack.table(LISTS):
        name = row["presentation"]
        if row["phase"] != "main":
            continue
        what, shown, own = key[name], items[name], by_name[name]
        file = shown["image_file"]
        pictures = [path for path in own["help_file"] if path is not None]
        maps = [path for path in pictures if pictures.count(path) == 1][:1]
        rows.append(
            {
                "ai_correct": what["ai_correct"],
                "adversarial": what["adversarial"],
                "item": what["item"],
                "ids_value": _hex(name[1:]),
                "ids_length": len(name),
                "names_image": _hex(_stem(file)),
                "names_length": len(file),
                "names_helps": sum(_hex(_stem(path)) for path in pictures),
                "names_helps_length": sum(map(len, pictures)),
                "names_samples": samples.get(shown["shown_label"], 0),
                "sizes_image": len(pack.asset(file)),
                "sizes_helps": sum(len(pack.asset(path)) for path in pictures),
                "sizes_count": len(own),
                "order_line": line[name],
                "order_help_line": own["line"].min(),
                "order_stored": stored[file],
                "order_stored_help": stored[maps[0]],
                "position_in_sheet": row["position"],
                "position_odd": row["position"] % 2,
                "position_sheet": int(row["list"].rpartition("-")[2]),
            }
        )
    return pd.DataFrame(rows)


def _stem(path: str) -> str:
    return path.rsplit("/", 1)[1].partition(".")[0]


def _hex(text: str) -> float:
    return int(text, 16) / 16 ** len(text)
