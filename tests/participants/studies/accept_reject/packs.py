"""Small packs for tests of sessions: one of tables alone, one with real plates."""

from functools import cache

from participants.lists import Assignment
from participants.session import SessionPlan
from participants.studies.accept_reject.plan import plan_session
from stimuli.maps.origin import NETWORK, Origin
from stimuli.pack import Pack
from stimuli.pack.model import pack_in_memory
from stimuli.protocol import load_protocol, protocol_hash
from stimuli.studies.accept_reject.lists import list_places
from stimuli.studies.accept_reject.origins import arms_file
from stimuli.studies.accept_reject.sketch import sketch
from stimuli.studies.accept_reject.tables import ITEM_TABLE, ITEMS, KEY, LISTS

ANYBODY = {"practice": {"answered_share": 0.0, "right_share": 0.0}}
"""Lets everybody go on from practice, whatever they answer."""


def protocol_of(**changes):
    return load_protocol("accept_reject", None, {**ANYBODY, **changes})


def plan_of(pack: Pack, order: str = "without_first", participant: str = "P") -> SessionPlan:
    """The plan of a pack's first list."""
    return plan_session(pack, Assignment(sorted(list_places(pack))[0], order), "en", participant)


def bare_pack(
    main_trials: int = 6, practice: int = 5, lists: int = 1, solver_id: str = "net", **changes
) -> Pack:
    """A solution pack without a single plate file: what plans and tables need."""
    protocol = protocol_of(**changes)
    items, key, shown = [], [], []
    for number in range(lists):
        for run, count in ((0, practice), (1, main_trials), (2, main_trials)):
            for position in range(1, count + 1):
                name = f"p{number}{run}{position:03d}"
                wrong = position % 2 == 0
                items.append(
                    {
                        "presentation": name,
                        "axis": "deutan",
                        "rung": 3,
                        "plate_file": f"assets/plates/{number}{run}{position:03d}.plate",
                        "shown_label": "4" if wrong else "7",
                        "region_file": f"assets/regions/{name}.region" if run == 2 else None,
                    }
                )
                key.append(
                    {
                        "presentation": name,
                        "item": f"i{run}{position:03d}",
                        "solver": "control" if wrong else "S",
                        "solver_id": None if wrong else solver_id,
                        "method": "occlusion" if run == 2 else None,
                        "explained": run == 2,
                        "true_label": "7",
                        "control_kind": "wrong_digit" if wrong else None,
                        "solver_origin": None if wrong else "network",
                        "solver_origin_note": None if wrong else solver_id,
                    }
                )
                shown.append(
                    {"list": f"l{number}", "run": run, "position": position, "presentation": name}
                )
    item_row = {
        "item": "i1001", "method": "occlusion", "axis": "deutan", "rung": 3, "true_label": "7",
        "model_label": "7", "model_confidence": 0.9, "expert_id": None, "expert_label": None,
        "region_area": None, "region_iou": None, "expert_origin": None,
        "expert_origin_note": None,
    }  # fmt: skip
    files = {
        "items.csv": ITEMS.to_csv(items),
        "key.csv": KEY.to_csv(key),
        "lists.csv": LISTS.to_csv(shown),
        "item_table.csv": ITEM_TABLE.to_csv([item_row]),
        "arms.csv": arms_file({("S", "occlusion"): Origin(NETWORK)}),
    }
    return pack_in_memory(protocol, protocol_hash(protocol), "solutions", files)


@cache
def least_sketch() -> Pack:
    """A sketch with real plates for a session as short as there may be: 6 trials a run."""
    protocol = protocol_of(
        plates={"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.097]},
        solutions={"trials_per_run": 6, "practice_trials": 1, "lists": 1},
    )
    return sketch(protocol, [("deutan", 1)])


@cache
def tiny_protocol():
    return protocol_of(
        plates={"source": "uci", "axes": ["deutan"], "ladder_deutan": [0.0256, 0.097]},
        solutions={"trials_per_run": 20, "practice_trials": 4, "lists": 2},
    )


@cache
def tiny_sketch() -> Pack:
    """A sketch with real plates: 20 trials a run, two lists at each of two rungs."""
    return sketch(tiny_protocol(), [("deutan", 1)])
