"""AttnLRP: layer-wise relevance propagation for transformers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Final, NoReturn

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.modules.module import register_module_forward_hook
from torch.overrides import TorchFunctionMode

from stimuli.errors import UserError
from xai_backend.methods.attention import MODULES, bound_attention
from xai_backend.methods.method import InBatches
from xai_backend.models.image_model import ImageModel

ATEN = torch.ops.aten
INPUTS_AT_ONCE: Final = 2
INSTEAD: Final = "take gradcam, occlusion or integrated_gradients"

Call = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class AttnLrp(InBatches):
    """AttnLRP (Achtibat et al. 2024, section 3: the rules of attention-aware relevance).

    The target's logit is passed down to the network's input. Softmax: the first-order Taylor
    expansion at what it was given. Products of two activations, such as attention times values: in
    equal parts to both (the uniform rule). Activation functions, and divisions such as that by the
    standard deviation in a normalisation: as it is (the identity rule). Linear layers and
    convolutions: the
    γ rule (Montavon et al. 2019), the ε rule if γ is 0; biases absorb their share. Sums share in
    proportion. So the map is the input times a gradient with changed rules, channels summed.

    Attributes
    ----------
    gamma, gamma_conv
        γ of linear layers and of convolutions; larger values make maps less noisy.
    """

    gamma: float = 0.05
    gamma_conv: float = 0.25

    inputs_at_once: ClassVar[int] = INPUTS_AT_ONCE
    name: ClassVar[str] = "attn_lrp"
    version: ClassVar[int] = 2

    def __post_init__(self) -> None:
        for name in ("gamma", "gamma_conv"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} is {getattr(self, name)}, must be 0 or more")

    def maps_of(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return maps, (n, H, W); see `InBatches.maps_of`.

        Raises
        ------
        UserError
            If the network has a normalisation over groups of channels.
        """
        with torch.enable_grad():
            signal = model.normalise(images).detach().requires_grad_()
            with Rules(self.gamma, self.gamma_conv):
                logits = model.network(signal)
            (slope,) = torch.autograd.grad(logits.gather(1, targets[:, None]).sum(), signal)
        return (signal * slope).sum(dim=1).detach()


class Rules(TorchFunctionMode):
    """Within a ``with`` block, gradients are those of AttnLRP; what is computed stays the same.

    Parameters
    ----------
    gamma, gamma_conv
        As in `AttnLrp`.
    """

    def __init__(self, gamma: float, gamma_conv: float) -> None:
        super().__init__()
        linear = partial(_linear, gamma)
        self._rules: dict[Call, Call] = {
            **dict.fromkeys((functional.linear, ATEN.linear.default), linear),
            **dict.fromkeys((torch.conv2d, ATEN.conv2d.default), partial(_conv, gamma_conv)),
            **dict.fromkeys(MODULES, partial(_attention, linear)),
            **_RULES,
        }

    def __enter__(self) -> "Rules":
        """Begin; activation functions of several operations are one by the rules."""
        self._whole = register_module_forward_hook(_whole_activation)
        return super().__enter__()

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        """End."""
        super().__exit__(exc_type, exc_val, exc_tb)
        self._whole.remove()

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run a call by its rule, or as it is."""
        return self._rules.get(func, func)(*args, **dict(kwargs or {}))


def _halved(values: Tensor) -> Tensor:
    """Return values with half their gradient."""
    return 0.5 * values + 0.5 * values.detach()


def _product(multiply: Call, first: Any, other: Any, **kwargs: Any) -> Any:
    both = all(isinstance(part, Tensor) and part.requires_grad for part in (first, other))
    return (
        multiply(*map(_halved, (first, other)), **kwargs)
        if both
        else multiply(first, other, **kwargs)
    )


def _einsum(einsum: Call, equation: str, *operands: Any) -> Tensor:
    listed = operands[0] if isinstance(operands[0], (list, tuple)) else operands
    plain = partial(torch.einsum, equation)
    return _product(plain, *listed) if len(listed) == 2 else plain(*listed)


def _activation(function: Call, values: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    with torch.no_grad():
        out = function(values.clone(), *args, **kwargs)  # it may write into what it is given
    return _passed(values, out)


def _whole_activation(module: nn.Module, inputs: tuple[Any, ...], out: Any) -> Any:
    """Return the output of an activation function of Transformers', which may be several calls."""
    whole = type(module).__module__ == "transformers.activations"
    return _passed(inputs[0], out.detach()) if whole else None


def _passed(values: Tensor, out: Tensor) -> Tensor:
    """Return an activation function's output, as its input times a constant."""
    with torch.no_grad():
        times = out / torch.where(values == 0, 1, values)
    return values * times


def _divided(divide: Call, values: Any, by: Any, **kwargs: Any) -> Tensor:
    return divide(values, by.detach() if isinstance(by, Tensor) else by, **kwargs)


def _spread(function: Call, values: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Return a root, by which a normalisation divides, as a constant."""
    return function(values, *args, **kwargs).detach()


def _layer_norm(
    values: Tensor,
    shape: Any,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    *_: Any,
) -> Tensor:
    axes = tuple(range(-len(shape), 0))
    centred = values - values.mean(axes, keepdim=True)
    variance = values.detach().var(axes, unbiased=False, keepdim=True)
    return _scaled(centred / (variance + eps).sqrt(), weight, bias)


def _rms_norm(
    values: Tensor, shape: Any, weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    axes = tuple(range(-len(shape), 0))
    eps = torch.finfo(values.dtype).eps if eps is None else eps
    square = values.detach().square().mean(axes, keepdim=True)
    return _scaled(values / (square + eps).sqrt(), weight, None)


def _unit(
    values: Tensor, p: float = 2.0, dim: int = 1, eps: float = 1e-12, out: None = None
) -> Tensor:
    return values / values.detach().norm(p, dim, keepdim=True).clamp(min=eps)


def _scaled(values: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    values = values if weight is None else values * weight
    return values if bias is None else values + bias


def _refused(name: str, *_: Any, **__: Any) -> NoReturn:
    raise UserError(f"attn_lrp: no rule for {name}; {INSTEAD}")


def _scaled_product(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Return torch's product of queries, keys and values, with the rules of its parts."""
    if enable_gqa:
        times = query.shape[-3] // key.shape[-3]
        key, value = (part.repeat_interleave(times, dim=-3) for part in (key, value))
    steepness = query.shape[-1] ** -0.5 if scale is None else scale
    scores = _halved(query) @ _halved(key).transpose(-2, -1) * steepness
    if is_causal:
        attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=query.device).tril()
    if attn_mask is not None and attn_mask.dtype == torch.bool:
        scores = scores.masked_fill(~attn_mask, -torch.inf)
    elif attn_mask is not None:
        scores = scores + attn_mask
    return _halved(scores.softmax(dim=-1)) @ _halved(value)


def _attention(linear: Call, *args: Any, **kwargs: Any) -> tuple[Tensor, None]:
    """Return the attention of `torch.nn.MultiheadAttention`, with the rules of its parts."""
    arguments = bound_attention(args, kwargs)
    if arguments is None:
        _refused("this kind of torch.nn.MultiheadAttention")
    heads, width, bias = (
        arguments["num_heads"],
        arguments["embed_dim_to_check"],
        arguments["in_proj_bias"],
    )
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    parts = zip(
        ("query", "key", "value"), arguments["in_proj_weight"].chunk(3), biases, strict=True
    )

    def by_head(values: Tensor) -> Tensor:
        return values.unflatten(2, (heads, width // heads)).permute(1, 2, 0, 3)

    query, key, value = (by_head(linear(arguments[name], w, b)) for name, w, b in parts)
    mixed = _scaled_product(query, key, value).permute(2, 0, 1, 3).flatten(2)
    return linear(mixed, arguments["out_proj_weight"], arguments["out_proj_bias"]), None


def _linear(gamma: float, values: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    return _by_gamma(functional.linear, gamma, values, weight, bias)


def _conv(
    gamma: float, values: Tensor, weight: Tensor, bias: Tensor | None = None, *args: Any,
    **kwargs: Any,
) -> Tensor:  # fmt: skip
    def convolved(values: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        return torch.conv2d(values, weight, bias, *args, **kwargs)

    return _by_gamma(convolved, gamma, values, weight, bias)


def _by_gamma(
    layer: Call, gamma: float, values: Tensor, weight: Tensor, bias: Tensor | None
) -> Tensor:
    if gamma == 0 or not values.requires_grad:
        return layer(values, weight, bias)
    return _Gamma.apply(layer, gamma, values, weight, bias)


class _Gamma(torch.autograd.Function):
    """A linear layer whose gradient, times its input, is the γ rule's relevance.

    What an input brings counts 1 + γ times if it has the output's sign, as does the bias.
    """

    @staticmethod
    def forward(
        ctx: Any, layer: Call, gamma: float, values: Tensor, weight: Tensor, bias: Tensor | None
    ) -> Tensor:
        """Return the layer's output."""
        ctx.layer, ctx.gamma, ctx.inputs = layer, gamma, (values, weight, bias)
        ctx.out = layer(values, weight, bias)
        return ctx.out

    @staticmethod
    def backward(ctx: Any, *slopes: Tensor) -> tuple[Tensor | None, ...]:
        """Return the changed gradient at the layer's input."""
        values, weight, bias = ctx.inputs
        above, below = values.clamp(min=0), values.clamp(max=0)
        more = {up: _more(weight, ctx.gamma, up=up) for up in (True, False)}
        relevance, propagated = slopes[0] * ctx.out, torch.zeros_like(values)
        for up in (True, False):
            favoured = None if bias is None else _more(bias, ctx.gamma, up=up)
            whole = ctx.layer(above, more[up], favoured) + ctx.layer(below, more[not up], None)
            same_sign = (ctx.out > 0) if up else (ctx.out < 0)
            share = torch.where(same_sign, relevance / torch.where(same_sign, whole, 1), 0)
            for part, with_weight in ((values > 0, more[up]), (values < 0, more[not up])):
                propagated += part * _transposed(ctx.layer, values, with_weight, share)
        return None, None, propagated, None, None


def _more(values: Tensor, gamma: float, *, up: bool) -> Tensor:
    """Return values of which those above 0 (below, if not ``up``) count 1 + γ times."""
    return values + gamma * (values.clamp(min=0) if up else values.clamp(max=0))


def _transposed(layer: Call, values: Tensor, weight: Tensor, slope: Tensor) -> Tensor:
    """Return the gradient of a linear layer with other weights at its input."""
    with torch.enable_grad():
        point = values.detach().requires_grad_()
        (gradient,) = torch.autograd.grad(layer(point, weight, None), point, slope)
    return gradient


def _with(rule: Call, *functions: Call) -> dict[Call, Call]:
    return {function: partial(rule, function) for function in functions}


_NAMES: Final = (
    "celu", "elu", "gelu", "hardsigmoid", "hardswish", "hardtanh", "leaky_relu", "log_sigmoid",
    "logsigmoid", "mish", "relu", "relu6", "selu", "sigmoid", "silu", "softplus", "tanh",
)  # fmt: skip


def _activations() -> Iterator[Call]:
    """Yield the functions of torch by these names; exported programs have those that overwrite."""
    for name in _NAMES:
        for place in (functional, torch, Tensor):
            if hasattr(place, name):
                yield getattr(place, name)
        for packet in (name, f"{name}_"):
            if hasattr(ATEN, packet):
                yield getattr(ATEN, packet).default


_RULES: Final[Mapping[Call, Call]] = {
    **_with(
        _product, torch.mul, Tensor.mul, Tensor.__mul__, Tensor.__rmul__, Tensor.__imul__,
        torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm, ATEN.mul.Tensor,
        ATEN.mul_.Tensor, ATEN.matmul.default, ATEN.bmm.default,
    ),
    **_with(_einsum, torch.einsum, ATEN.einsum.default),
    **_with(_activation, *_activations()),
    **_with(
        _divided, torch.div, torch.true_divide, Tensor.div, Tensor.__truediv__, ATEN.div.Tensor,
    ),
    **_with(
        _spread, torch.rsqrt, Tensor.rsqrt, torch.sqrt, Tensor.sqrt, torch.reciprocal,
        Tensor.reciprocal, Tensor.__rtruediv__, ATEN.rsqrt.default, ATEN.sqrt.default,
        ATEN.reciprocal.default,
    ),
    **dict.fromkeys((functional.layer_norm, ATEN.layer_norm.default), _layer_norm),
    functional.rms_norm: _rms_norm,
    functional.normalize: _unit,
    **dict.fromkeys(
        (functional.scaled_dot_product_attention, ATEN.scaled_dot_product_attention.default),
        _scaled_product,
    ),
    **{
        function: partial(_refused, "group_norm")
        for function in (functional.group_norm, functional.instance_norm, ATEN.group_norm.default)
    },
}  # fmt: skip
