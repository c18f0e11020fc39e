"""Results of version 1.0 as results of version 2.0."""

from collections.abc import Mapping
from typing import Final

from analysis.questions.results_file import Document, as_version_2, rename_values, whole_fit

OLD: Final = "results_progressive_reveal/1.0"
NEW: Final = "results_progressive_reveal/2.0"
RENAMED: Final[Mapping[str, str]] = {
    **{
        f"data/{name}": f"participants/{name}"
        for name in (
            "rounds", "rounds_a_person", "recognised_rounds", "left_rounds", "classes", "methods",
            "reference", "steps", "image_pixels", "schedule_source", "map_origins",
        )
    },
    **{
        f"exclusions/{name}": f"participants/{name}"
        for name in ("by_hand", "people", "by_rule", "least_catch", "catch_rounds")
    },
    "sample": "participants/sample",
    "table3": "averages/rows",
    "table3_dropping": "averages/dropping",
    "attempts_known": "averages/attempts_known",
    "survival/needed": "needed/turnbull",
    "densities": "needed/densities",
    "survival/restricted": "needed/restricted",
    "courses": "steps/courses",
    "steps": "steps/distribution",
    "survival/steps": "steps/life_tables",
    "first_attempts": "first_answers/rows",
    "table4": "images/lowest",
    "classes": "images/by_class",
    "classes/*/class": "images/by_class/*/image_class",
    "images": "images/by_image",
    "images/*/class": "images/by_image/*/image_class",
    "correlation": "likeness",
    "models/suits": "suits/effects",
    "fits": "suits/fits",
    "second": "other_choices/second",
    "sensitivity": "other_choices/sensitivity",
    "models/typing": "other_choices/typing",
    "models/typing/methods/*/with": "other_choices/typing/methods/*/with_typing",
    "models/typing/methods/*/without": "other_choices/typing/methods/*/without_typing",
    "models/pooled_steps/*/with": "models/pooled_steps/*/first_step",
}  # fmt: skip
"""New keys by old ones, as paths from the root; ``*`` stands for any key.

``cox`` and ``survival/restricted/replicates`` are gone. ``seen`` has no images, in place of null,
if the pack wasn't available.
"""
MODELS: Final = ("hazard", "per_pixel", "tries", "times")
NO_PICTURES: Final[Document] = {"reveals": [], "examples": [], "classes": None}


def upgraded(old: Document) -> Document:
    """Return results of version 1.0 as results of 2.0, and others as they are; pure."""
    if old.get("schema") != OLD:
        return old
    new = as_version_2({key: old[key] for key in old if key != "cox"}, RENAMED, NEW)
    new["bootstrap"].setdefault("drawn", "both")
    new["seen"] = new.get("seen") or NO_PICTURES
    images, models, typing = new["images"], new["models"], new["other_choices"]["typing"]
    rename_values(images["by_image"], {"class": "image_class"})
    rename_values(images["by_class"], {"class": "image_class"})
    rename_values(models["pooled_steps"], {"with": "first_step"})
    if typing and typing["fitted"]:
        typing["reason"] = ""
        rename_values(typing["methods"], {"with": "with_typing", "without": "without_typing"})
    new["needed"]["restricted"].pop("replicates")
    rename_values(new["pairs"]["disagreements"], {"bootstrap": "means"})
    fits = {name: {"rule": "", **whole_fit(models[name])} for name in MODELS}
    return {**new, "models": {**models, **fits}}
