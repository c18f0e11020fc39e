"""Results of version 1.0 as results of version 2.0."""

from collections.abc import Mapping
from typing import Final

from analysis.questions.results_file import Document, as_version_2

OLD: Final = "results_accuracy/1.0"
NEW: Final = "results_accept_reject_accuracy/2.0"
SOURCES: Final = {"design": "Saralajew et al. 2022", "agreement": "Krippendorff 2011"}
"""Sources of the methods, as cited; version 1.0 didn't hold them."""
RENAMED: Final[Mapping[str, str]] = {
    **{
        f"data/{name}": f"participants/{name}"
        for name in ("cutoff_s", "cutoff_mode", "limit_s", "systems", "experts", "labels")
    },
    "participants": "participants/leads",
    **{
        f"exclusions/{name}": f"participants/{name}"
        for name in ("compliance_minimum", "by_hand", "by_rule")
    },
    "accuracy": "accuracy/ratio",
    "acceptance": "accuracy/acceptance",
    "comparison": "accuracy/comparison",
    "set_accuracy": "accuracy/whole_set",
    "classes": "accuracy/classes",
    "agreement": "uncertainty/agreement",
    "pairs": "uncertainty/pairs",
    "label_words": "uncertainty/label_words",
    "controls": "controls/kinds",
    "answers": "noticed/answers",
    "sensitivity": "sensitivity/analyses",
}
"""New keys by old ones, as paths from the root.

``assessment`` is in the protocol. ``accuracy/label_words`` repeats the words of labels.
"""


def upgraded(old: Document) -> Document:
    """Return results of version 1.0 as results of 2.0, and others as they are; pure."""
    if old.get("schema") != OLD:
        return old
    new = as_version_2(old, RENAMED, NEW)
    new |= {"missing": [], "sources": dict(SOURCES)}
    del new["assessment"]
    new["bootstrap"]["drawn"] = "both"
    new["accuracy"]["label_words"] = dict(new["uncertainty"]["label_words"])
    return new
