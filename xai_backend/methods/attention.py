"""Reads the attention matrices of a vision transformer, and their gradients, during a run."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, Final

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from stimuli.errors import UserError
from xai_backend.models.image_model import ImageModel

ATEN = torch.ops.aten
PRODUCTS: Final = (
    functional.scaled_dot_product_attention,
    ATEN.scaled_dot_product_attention.default,
)
MODULES: Final = (functional.multi_head_attention_forward,)
SOFTMAXES: Final = (functional.softmax, torch.softmax, Tensor.softmax, ATEN.softmax.int)
CONVOLUTIONS: Final = (torch.conv2d, ATEN.conv2d.default)
NORMS: Final = (functional.layer_norm, torch.layer_norm, ATEN.layer_norm.default)
"""Layer normalisation, as modules and as exported programs call it."""

OTHER: Final = "attention that does not connect all tokens with each other"
INSTEAD: Final = "take gradcam, occlusion or integrated_gradients"


@dataclass(frozen=True, slots=True, eq=False)
class Attention:
    """The attention of a layer.

    Attributes
    ----------
    node
        A tensor of the running network that depends on the attention.
    shape
        (n, heads, tokens).
    weights
        Returns the matrices (n, heads, tokens, tokens); rows sum to 1.
    slope
        Maps the gradient at ``node`` to the gradient at the matrices.
    """

    node: Tensor
    shape: tuple[int, int, int]
    weights: Callable[[], Tensor]
    slope: Callable[[Tensor], Tensor]


class Watch(TorchFunctionMode):
    """Records, inside a ``with`` block, what attention methods need of a network's computation.

    The network's own computation does not change, so logits are the same to the bit. A fused
    softmax(Q Kᵀ / √d) V does not return its matrix: the matrix is computed from Q and K again, and
    its gradient is the gradient at the product times Vᵀ.

    Attributes
    ----------
    attentions
        In the order in which they are computed.
    odd
        Names attention that can't be read; empty if there is none.
    grid
        Rows and columns of the last convolution before the first attention: the patches.
    tokens
        Input of the last attention: the normalised tokens (n, tokens, width).
    """

    def __init__(self) -> None:
        super().__init__()
        self.attentions: list[Attention] = []
        self.odd = ""
        self.grid: tuple[int, int] | None = None
        self.tokens: Tensor | None = None
        self._normed: Tensor | None = None

    def __torch_function__(
        self,
        func: Any,
        types: Any,
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Run a call, and record what is needed."""
        named = dict(kwargs or {})
        result = func(*args, **named)
        if func in CONVOLUTIONS and not self.attentions:
            self.grid = (result.shape[-2], result.shape[-1])
        elif func in NORMS and result.dim() == 3:
            self._normed = result
        elif func in PRODUCTS:
            self._keep(_of_product(result, _Product(*args, **named)))
        elif func in MODULES:
            self._keep(_of_module(result[0], args, named))
        elif func in SOFTMAXES and result.dim() > 2:
            self._keep(_of_softmax(result))
        return result

    def _keep(self, found: Attention | str) -> None:
        if isinstance(found, str):
            self.odd = found
            return
        self.attentions.append(found)
        self.tokens = self._normed


@dataclass(frozen=True, slots=True, eq=False)
class _Product:
    """Arguments of torch's product of queries, keys and values (n, heads, N, d)."""

    query: Tensor
    key: Tensor
    value: Tensor
    attn_mask: Tensor | None = None
    dropout_p: float = 0.0
    is_causal: bool = False
    _: KW_ONLY
    scale: float | None = None
    enable_gqa: bool = False


def _of_product(out: Tensor, given: _Product) -> Attention | str:
    """Return the attention of torch's product of queries, keys and values."""
    query, key, attn_mask = given.query, given.key, given.attn_mask
    if query.dim() != 4 or query.shape[:3] != key.shape[:3] or given.is_causal or given.enable_gqa:
        return OTHER
    steepness = query.shape[-1] ** -0.5 if given.scale is None else given.scale

    def weights() -> Tensor:
        scores = query @ key.transpose(-2, -1) * steepness
        if attn_mask is not None:
            off = attn_mask.dtype == torch.bool
            scores = scores.masked_fill(~attn_mask, -torch.inf) if off else scores + attn_mask
        return scores.softmax(dim=-1).detach()

    n, heads, tokens, _ = query.shape
    turned = given.value.detach().transpose(-2, -1)
    return Attention(out, (n, heads, tokens), weights, lambda gradient: gradient @ turned)


_SIGNATURE: Final = inspect.signature(functional.multi_head_attention_forward)


def _of_module(out: Tensor, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Attention | str:
    """Return the attention of `torch.nn.MultiheadAttention`, with tokens (N, n, width)."""
    bound = _SIGNATURE.bind(*args, **kwargs)
    bound.apply_defaults()
    given = bound.arguments
    source, width = given["query"], given["embed_dim_to_check"]
    further = ("bias_k", "bias_v", "attn_mask", "key_padding_mask", "static_k", "static_v")
    plain = not given["add_zero_attn"] and not given["use_separate_proj_weight"]
    one_source = given["key"] is source and given["value"] is source and source.dim() == 3
    if not (plain and one_source and all(given[name] is None for name in further)):
        return OTHER
    heads = given["num_heads"]
    tokens, n, _ = source.shape

    def by_head(values: Tensor) -> Tensor:
        return values.view(tokens, n, heads, width // heads).permute(1, 2, 0, 3)

    def projected() -> list[Tensor]:
        all_three = functional.linear(source, given["in_proj_weight"], given["in_proj_bias"])
        return [by_head(part) for part in all_three.detach().chunk(3, dim=-1)]

    def weights() -> Tensor:
        query, key, _ = projected()
        return (query @ key.transpose(-2, -1) * (width // heads) ** -0.5).softmax(dim=-1)

    def slope(gradient: Tensor) -> Tensor:
        return by_head(gradient @ given["out_proj_weight"]) @ projected()[2].transpose(-2, -1)

    return Attention(out, (n, heads, tokens), weights, slope)


def _of_softmax(out: Tensor) -> Attention | str:
    """Return the attention whose matrix is the output of a softmax."""
    if out.dim() != 4 or out.shape[-1] != out.shape[-2]:
        return OTHER
    n, heads, tokens, _ = out.shape
    return Attention(out, (n, heads, tokens), out.detach, lambda gradient: gradient)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A network's run over some images, with its autograd graph.

    Attributes
    ----------
    chosen
        The targets' logits, summed: each image affects only its own logit.
    watch
        What was recorded.
    """

    chosen: Tensor
    watch: Watch

    def gradients(self, nodes: list[Tensor]) -> list[Tensor | None]:
        """Return the gradients of the chosen logits at tensors of the network."""
        found = torch.autograd.grad(self.chosen, nodes, retain_graph=True, allow_unused=True)
        return list(found)


def run(model: ImageModel, images: Tensor, targets: Tensor) -> Run:
    """Return a network's run over images (n, 3, H, W), for the classes (n,)."""
    watch = Watch()
    with torch.enable_grad():
        points = images.detach().requires_grad_()
        with watch:
            logits = model(points)
        return Run(logits.gather(1, targets[:, None]).sum(), watch)


def checked_layers(method: str, ran: Run, size: tuple[int, ...]) -> list[Attention]:
    """Return the attention of all layers, if it can be followed from the image to a class token.

    Parameters
    ----------
    method
        Its name, for messages.
    ran
        The network's run over n images.
    size
        The images' (height, width).

    Raises
    ------
    UserError
        If there is no attention, if it is over windows or between different sets of tokens, if
        layers are parallel, or if the answer doesn't come from the first token only.
    """
    layers = ran.watch.attentions
    if not layers and not ran.watch.odd:
        raise UserError(f"{method}: this network has no self-attention; {INSTEAD}")
    trouble = ran.watch.odd or _trouble(ran, size)
    if trouble:
        raise UserError(f"{method}: this network has {trouble}; {INSTEAD}")
    return layers


def _trouble(ran: Run, size: tuple[int, ...]) -> str:
    """Return why the layers' matrices can't be multiplied; empty if they can."""
    layers = ran.watch.attentions
    if len({layer.shape for layer in layers}) > 1:
        return "attention layers over different sets of tokens (windows, for example)"
    tokens = layers[0].shape[2]
    if class_tokens(ran.watch, tokens, size) is None:
        return "attention over parts of the image, or no class token"
    for before, after in pairwise(layers):
        (depends,) = torch.autograd.grad(
            after.node.sum(), before.node, retain_graph=True, allow_unused=True
        )
        if depends is None:
            return "parallel attention layers"
    (gradient,) = ran.gradients([layers[-1].node])
    if gradient is None or bool(layers[-1].slope(gradient)[:, :, 1:].any()):
        return "an answer that does not come from the class token only"
    return ""


def class_tokens(watch: Watch, tokens: int, size: tuple[int, ...]) -> int | None:
    """Return how many tokens come before the patches; None if there are none, or no patches.

    The patches must lie over the image as rows and columns that have its shape.
    """
    if watch.grid is None:
        return None
    rows, columns = watch.grid
    over = abs(rows * size[1] - columns * size[0]) <= max(size)
    before = tokens - rows * columns
    return before if over and before >= 1 else None


def of_patches(reached: Tensor, watch: Watch, size: tuple[int, ...]) -> Tensor:
    """Return the first token's row over the patches, which come last, over the image.

    Parameters
    ----------
    reached
        (n, tokens, tokens).
    watch
        What was recorded; its grid is known.
    size
        (H, W).

    Returns
    -------
    (n, H, W)
        Enlarged bilinearly.
    """
    assert watch.grid is not None
    rows, columns = watch.grid
    coarse = reached[:, :1, -rows * columns :].unflatten(2, (rows, columns))
    return functional.interpolate(coarse, tuple(size), mode="bilinear", align_corners=False)[:, 0]
