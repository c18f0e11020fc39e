"""Who gave E's answers and paintings, as a solution pack says it."""

from typing import Final

from stimuli.maps.origin import Origin, certain_kind, together
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import ITEM_TABLE

OF_EXPERTS: Final = "E's answers and paintings"


def experts_of(pack: Pack) -> Origin:
    """Return who E is in a solution pack; unknown in a task pack.

    An older pack says it by the codes of robots alone.
    """
    if pack.manifest.kind != "solutions":
        return Origin()
    rows = pack.table(ITEM_TABLE)
    return together(
        Origin(
            str(row["expert_origin"] or certain_kind(row["expert_id"])),
            str(row["expert_origin_note"] or row["expert_id"] or ""),
        )
        for row in rows
    )


def origins_of(pack: Pack) -> dict[str, Origin]:
    """Return who made what a pack shows as people's."""
    return {OF_EXPERTS: experts_of(pack)}
