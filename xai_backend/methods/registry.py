"""Methods by name: built in, captum's, or the user's own.

Methods are named in the same way everywhere. On some networks a method has a caution, which users
see before they show its maps to people.
"""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from types import MappingProxyType
from typing import Any

from stimuli.errors import UserError
from xai_backend.methods.attention import AttentionRelevance, AttentionRollout
from xai_backend.methods.attn_lrp import AttnLrp
from xai_backend.methods.extremal_perturbation import ExtremalPerturbation
from xai_backend.methods.gradcam import GradCam, LayerCam, ScoreCam
from xai_backend.methods.gradients import GradientShap, IntegratedGradients, SmoothGrad
from xai_backend.methods.kernel_shap import KernelShap
from xai_backend.methods.lrp import Lrp
from xai_backend.methods.method import CAPTUM, Method, typed_settings
from xai_backend.methods.occlusion import Occlusion
from xai_backend.methods.of_users import own_method, own_settings, registered_method
from xai_backend.methods.protopnet import ProtoPNetMap
from xai_backend.methods.rise import Rise
from xai_backend.methods.saliency_sod import SalientObject
from xai_backend.own_code import names_own_python

METHODS: Mapping[str, type[Method]] = MappingProxyType(
    {
        method.name: method
        for method in (
            Occlusion,
            Rise,
            Lrp,
            GradCam,
            LayerCam,
            ScoreCam,
            AttentionRollout,
            AttentionRelevance,
            AttnLrp,
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
"""Methods that make a map from a network and an image alone. Not among them: `nearest_neighbours`,
which finds examples; `human`, which reads people's maps; and `pgd`, which attacks instead of
explaining."""
LRP_ON_MOBILENET = (
    "caution: on MobileNetV2, lrp localises objects worse than chance (in mosaics of four "
    "photographs, .18 of the relevance is in the right one; docs/xai_backend.md); take gradcam or "
    "occlusion"
)


def method_of(name: str, settings: Mapping[str, Any]) -> Method:
    """Return the method of a name; settings that it doesn't have are ignored.

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
    setting_names = {field.name for field in fields(kind)}
    try:
        return kind(**{key: value for key, value in settings.items() if key in setting_names})
    except ValueError as fault:
        raise UserError(f"method {name}: {fault}") from None


def named_method(name: str, texts: Sequence[str] = ()) -> Method:
    """Return the method of a name on the command line.

    Parameters
    ----------
    name
        A built-in method, ``captum:NAME``, ``module:function``, or the name under which an
        installed package registers a function (entry points of the group
        ``plainsight.methods``).
    texts
        Its settings, NAME=VALUE.

    Raises
    ------
    UserError
        If there is no such method, or a setting is impossible.
    """
    if name in METHODS:
        return method_of(name, typed_settings(name, _usual(name), texts))
    if name.startswith(CAPTUM):
        from xai_backend.methods.of_captum import CaptumMethod, captum_settings

        attribution = name.removeprefix(CAPTUM)
        settings = typed_settings(name, captum_settings(attribution), texts)
        return CaptumMethod(attribution, tuple(sorted(settings.items())))
    function = name if names_own_python(name) else registered_method(name)
    if function is None:
        return method_of(name, {})  # its error lists the names
    return own_method(function, typed_settings(name, own_settings(function), texts))


def layer_of(method: Method) -> str:
    """Return the layer that a method was told to use; empty if the method chooses it."""
    if isinstance(method, GradCam | LayerCam | ScoreCam):
        return method.layer
    settings = getattr(method, "settings", ()) if method.name.startswith(CAPTUM) else ()
    return dict(settings).get("layer", "")


def _usual(name: str) -> dict[str, Any]:
    return {
        field.name: field.default if field.default is not MISSING else None
        for field in fields(METHODS[name])
    }


def caution(method: str, network: str) -> str | None:
    """Return the caution about a method's maps of a network; None if there is none.

    Parameters
    ----------
    method
        The method's name.
    network
        The network's name, as on the command line.
    """
    mobilenet = network.replace("_", "").removeprefix("timm:").startswith("mobilenetv2")
    return LRP_ON_MOBILENET if method == Lrp.name and mobilenet else None
