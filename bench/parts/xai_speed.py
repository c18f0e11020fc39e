"""How fast explanations are, against the libraries that they are checked with."""

from bench.book import Part
from bench.parts import (
    xai_compile,
    xai_end_to_end,
    xai_extremal,
    xai_lrp,
    xai_occlusion,
    xai_precision,
    xai_scripts,
)

PARTS = (
    Part("end_to_end", "`explain` from start to end", xai_end_to_end.measure),
    Part("captum_script", "`explain` and a plain script around captum", xai_scripts.measure),
    Part("occlusion", "Occlusion's speed", xai_occlusion.measure),
    Part("compile", "Occlusion of a compiled network", xai_compile.measure),
    Part("precision", "Occlusion in half precision", xai_precision.measure),
    Part("lrp", "LRP's speed", xai_lrp.measure),
    Part("extremal", "Extremal perturbation's speed", xai_extremal.measure),
)
