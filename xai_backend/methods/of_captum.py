"""Any attribution of captum's that makes a map of an image: ``captum:NAME``."""

import inspect
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import captum
import captum.attr
import torch
from captum.attr import Attribution
from torch import Tensor, nn

from stimuli.errors import UserError, first_line
from xai_backend.determinism import drawn_from
from xai_backend.methods.method import (
    CAPTUM,
    Execution,
    generator_for,
    is_out_of_memory,
    one_by_one,
)
from xai_backend.methods.rectifiers import remedy_for
from xai_backend.models.image_model import ImageModel

PATCH_PX: Final = 32
STRIDE_PX: Final = 8
_GIVEN: Final = frozenset(
    {"model", "forward_func", "inputs", "target", "baselines", "layer", "sliding_window_shapes"}
)
"""Parameters without a default in captum that the suite sets."""
_KEPT: Final = frozenset(
    {
        *_GIVEN,
        "additional_forward_args", "return_convergence_delta", "show_progress", "verbose",
        "device_ids", "return_input_shape", "feature_mask", "strides", "kwargs",
        "internal_batch_size", "perturbations_per_eval", "grad_kwargs",
    }
)  # fmt: skip
"""Parameters that aren't settings: they don't change a map, or the suite sets them."""
_LEFT_OUT: Final = frozenset({"FeaturePermutation", "ShapleyValues", "LRP"})
"""Attributions that aren't offered. FeaturePermutation needs images besides the explained one, and
ShapleyValues every subset of patches. captum's LRP silently returns an empty map if there is a
layer that it has no rule for; `lrp` refuses such a network."""
_OF_LAYERS: Final = frozenset(
    {"DeepLift", "DeepLiftShap", "GuidedBackprop", "GuidedGradCam", "Deconvolution"}
)
"""Attributions with a rule for rectifiers. Where these are functions, captum leaves the rule out
without a word."""
_DISTRIBUTIONS: Final = frozenset({"DeepLiftShap", "GradientShap"})
"""Attributions that need several baselines: black and white."""


@dataclass(frozen=True, slots=True)
class CaptumMethod:
    """An attribution of captum's, its channels summed.

    The baseline is a black image. Attributions that take a mask of features or a sliding window
    work on square patches. Random numbers come from the image's content.

    Attributes
    ----------
    attribution
        Name of the class in ``captum.attr``.
    settings
        Settings of its constructor, of ``attribute``, and of the patches, by name.
    release
        captum's version: another version may make another map.
    """

    attribution: str
    settings: tuple[tuple[str, Any], ...] = ()
    release: str = captum.__version__

    version = 1

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"{CAPTUM}{self.attribution}"

    def explain(
        self,
        model: ImageModel,
        inputs: Tensor,
        targets: Tensor,
        execution: Execution = Execution(),
    ) -> Tensor:
        """Return maps, float32 (n, H, W); see `Method.explain`.

        Raises
        ------
        ValueError
            If captum refuses the network or a setting, or would leave out its rule.
        """
        model.eval()
        first = inputs[:1].to(model.device)
        if self.attribution in _OF_LAYERS and (remedy := remedy_for(model, first)):
            raise ValueError(
                f"captum's {self.attribution} knows rectifiers only as layers; {remedy}"
            )
        chosen = dict(self.settings)

        def explain_one(image: Tensor, target: int) -> Tensor:
            seed = int(generator_for(self.name, image, target).integers(2**32))
            batch = image[None].to(model.device)
            with drawn_from(seed, threads=execution.threads), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about hooks that captum sets and removes
                attribution = _attribution(self.attribution, model, chosen)
                arguments = _call_arguments(attribution, batch, chosen, execution)
                attributed = attribution.attribute(batch, target=target, **arguments)
            if attributed.shape != batch.shape:
                raise ValueError(f"captum gave {tuple(attributed.shape)} for one image")
            return attributed[0].detach().sum(dim=0).to("cpu", torch.float32)

        try:
            return one_by_one(explain_one, inputs, targets)
        except (AssertionError, RuntimeError, TypeError, AttributeError, NotImplementedError) as no:
            if is_out_of_memory(no):
                raise
            raise ValueError(f"captum can't explain this network so ({first_line(no)})") from None


def attributions() -> tuple[str, ...]:
    """Return the names of captum's attributions that make a map of one image."""
    return tuple(name for name in dir(captum.attr) if _makes_maps(getattr(captum.attr, name)))


def captum_settings(name: str) -> dict[str, Any]:
    """Return an attribution's settings with their defaults; UserError if there is no such one."""
    if name not in attributions():
        raise UserError(
            f"--method {CAPTUM}{name}: captum has no such attribution of an image; it has "
            f"{', '.join(attributions())}"
        )
    kind = getattr(captum.attr, name)
    usual = {
        parameter.name: parameter.default
        for parameter in (*_parameters(kind.__init__), *_parameters(kind.attribute))
        if parameter.name not in _KEPT
        and isinstance(parameter.default, (bool, int, float, str, tuple))
    }
    takes = {parameter.name for parameter in _parameters(kind.attribute)}
    if takes & {"feature_mask", "sliding_window_shapes"}:
        usual["patch_px"] = PATCH_PX
    if "sliding_window_shapes" in takes:
        usual["stride_px"] = STRIDE_PX
    if "layer" in {parameter.name for parameter in _parameters(kind.__init__)}:
        usual["layer"] = ""
    return usual


def _parameters(function: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())[1:]


def _makes_maps(kind: Any) -> bool:
    """Return whether a class is an attribution that needs only a network and an image."""
    if not (inspect.isclass(kind) and issubclass(kind, Attribution)) or inspect.isabstract(kind):
        return False
    name = kind.__name__
    if name in _LEFT_OUT or name.startswith(("Layer", "Neuron", "Internal")):
        return False
    if not hasattr(kind, "attribute"):
        return False
    needed = {
        parameter.name
        for parameter in (*_parameters(kind.__init__), *_parameters(kind.attribute))
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD
    }
    return needed <= _GIVEN


def _attribution(name: str, model: ImageModel, chosen: Mapping[str, Any]) -> Any:
    kind = getattr(captum.attr, name)
    takes = {parameter.name for parameter in _parameters(kind.__init__)}
    arguments = {key: value for key, value in chosen.items() if key in takes and key != "layer"}
    if "layer" in takes:
        arguments["layer"] = _layer(model, str(chosen.get("layer") or ""))
    return kind(model, **arguments)


def _layer(model: ImageModel, name: str) -> nn.Module:
    wanted = name or model.last_features
    if wanted is None:
        raise ValueError("needs a layer; name one with --set layer=NAME")
    try:
        return model.network.get_submodule(wanted)
    except AttributeError:
        raise ValueError(f"the network has no layer {wanted!r}; --set layer=NAME") from None


def _call_arguments(
    attribution: Any, batch: Tensor, chosen: Mapping[str, Any], execution: Execution
) -> dict[str, Any]:
    """Return the arguments of ``attribute`` besides the image and its class."""
    takes = {parameter.name for parameter in _parameters(attribution.attribute.__func__)}
    arguments = {key: value for key, value in chosen.items() if key in takes}
    if "baselines" in takes:
        black = torch.zeros_like(batch)
        several = type(attribution).__name__ in _DISTRIBUTIONS
        arguments["baselines"] = torch.cat([black, black + 1]) if several else 0
    patch_px = int(chosen.get("patch_px", PATCH_PX))
    if "feature_mask" in takes:
        arguments["feature_mask"] = _patches(batch, patch_px)
    if "sliding_window_shapes" in takes:
        stride_px = int(chosen.get("stride_px", STRIDE_PX))
        arguments["sliding_window_shapes"] = (batch.shape[1], patch_px, patch_px)
        arguments["strides"] = (batch.shape[1], stride_px, stride_px)
    if "perturbations_per_eval" in takes and execution.at_once is not None:
        arguments["perturbations_per_eval"] = execution.at_once
    if "internal_batch_size" in takes and execution.at_once is not None:
        arguments["internal_batch_size"] = execution.at_once
    return arguments


def _patches(batch: Tensor, patch_px: int) -> Tensor:
    """Return the number of the square patch that each pixel lies in, int64 (1, 1, H, W)."""
    height, width = batch.shape[2:]
    rows = torch.arange(height, device=batch.device) // patch_px
    columns = torch.arange(width, device=batch.device) // patch_px
    return (rows[:, None] * (int(columns.max()) + 1) + columns[None])[None, None]
