"""Methods by name."""

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from stimuli.errors import UserError
from xai_backend.methods.attention_relevance import AttentionRelevance
from xai_backend.methods.attention_rollout import AttentionRollout
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation
from xai_backend.methods.gradcam import GradCam
from xai_backend.methods.gradient_shap import GradientShap
from xai_backend.methods.integrated_gradients import IntegratedGradients
from xai_backend.methods.kernel_shap import KernelShap
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.method import Method
from xai_backend.methods.occlusion import Occlusion
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.methods.saliency_sod import SalientObject
from xai_backend.methods.smoothgrad import SmoothGrad

METHODS: Mapping[str, type[Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Occlusion,
            Lrp,
            GradCam,
            AttentionRollout,
            AttentionRelevance,
            ExtremalPerturbation,
            IntegratedGradients,
            SmoothGrad,
            GradientShap,
            KernelShap,
            SalientObject,
            ProtoPNetMap,
        )
    }
)
"""Those that make a map from a network and an image alone. What explains otherwise has a
verb of its own: `nearest_neighbours` finds examples, `human` reads people's maps, and `pgd`
doesn't explain but attacks."""


def method_of(name: str, settings: Mapping[str, Any]) -> Method:
    """Return the method of a name; of the settings it takes those that it has.

    Raises
    ------
    UserError
        If there is no such method, or a setting is impossible.
    """
    if name not in METHODS:
        raise UserError(
            f"no explanation method {name!r}; take one of {', '.join(sorted(METHODS))}, "
            "captum:NAME or module:function"
        )
    kind = METHODS[name]
    own = {field.name for field in fields(kind)}
    try:
        return kind(**{key: value for key, value in settings.items() if key in own})
    except ValueError as fault:
        raise UserError(f"method {name}: {fault}") from None
