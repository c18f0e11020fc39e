"""Whether robots stand for E in a solution pack."""

from stimuli.maps.map_set import robots_among
from stimuli.pack import Pack
from stimuli.studies.accept_reject.tables import ITEM_TABLE


def robots_as_experts(pack: Pack) -> str:
    """Return which robots gave E's answers and paintings; empty where only people did."""
    if pack.manifest.kind != "solutions":
        return ""
    robots = robots_among(row["expert_id"] for row in pack.table(ITEM_TABLE))
    return f"E's answers and paintings come from {', '.join(robots)}" if robots else ""
