"""Attention of a vision transformer, read during a run; and two methods that are made of it.

Attention rollout is the class token's attention to the patches, through all layers. Chefer's
relevance is attention times its gradient, accumulated over all layers.
"""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from typing import Any, ClassVar, Final

import torch
from torch import Tensor
from torch.nn import functional
from torch.overrides import TorchFunctionMode

from stimuli.errors import UserError
from xai_backend.methods.method import InBatches
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
        (n, heads, asking tokens, tokens).
    weights
        Returns the matrices (n, heads, asking tokens, tokens); rows sum to 1.
    slope
        Maps the gradient at ``node`` to the gradient at the matrices.
    """

    node: Tensor
    shape: tuple[int, int, int, int]
    weights: Callable[[], Tensor]
    slope: Callable[[Tensor], Tensor]

    @property
    def across(self) -> bool:
        """Whether other tokens ask than are read, as where a network pools by attention."""
        return self.shape[2] != self.shape[3]


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
    normed
        Output of the last norm of tokens.
    maps
        The last values (n, C, h, w) of the size that the last of several convolutions over an image
        gives; None if there is at most one, which cuts the image into patches.
    """

    def __init__(self) -> None:
        super().__init__()
        self.attentions: list[Attention] = []
        self.odd = ""
        self.grid: tuple[int, int] | None = None
        self.tokens: Tensor | None = None
        self.normed: Tensor | None = None
        self.maps: Tensor | None = None
        self._sizes: list[tuple[int, int]] = []

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
        if func in CONVOLUTIONS and min(result.shape[-2:]) > 1:
            self._sizes.append((result.shape[-2], result.shape[-1]))
        if isinstance(result, Tensor) and result.dim() == 4 and len(self._sizes) > 1:
            self.maps = result if result.shape[2:] == self._sizes[-1] else self.maps
        if func in CONVOLUTIONS and not self.attentions:
            self.grid = (result.shape[-2], result.shape[-1])
        elif func in NORMS and result.dim() == 3:
            self.normed = result
        elif func in PRODUCTS:
            self._keep(_of_product(result, _Product(*args, **named)))
        elif func in MODULES:
            self._keep(_of_module(result[0], args, named))
        elif func in SOFTMAXES and result.dim() > 2:
            self._keep(_of_softmax(result))
        return result

    def _keep(self, attention: Attention | str) -> None:
        if isinstance(attention, str):
            self.odd = attention
            return
        self.attentions.append(attention)
        self.tokens = self.normed


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


def _of_product(out: Tensor, product: _Product) -> Attention | str:
    """Return the attention of torch's product of queries, keys and values."""
    query, key, attn_mask = product.query, product.key, product.attn_mask
    if (
        query.dim() != 4
        or query.shape[:2] != key.shape[:2]
        or product.is_causal
        or product.enable_gqa
    ):
        return OTHER
    steepness = query.shape[-1] ** -0.5 if product.scale is None else product.scale

    def weights() -> Tensor:
        scores = query @ key.transpose(-2, -1) * steepness
        if attn_mask is not None:
            off = attn_mask.dtype == torch.bool
            scores = scores.masked_fill(~attn_mask, -torch.inf) if off else scores + attn_mask
        return scores.softmax(dim=-1).detach()

    n, heads, asking, _ = query.shape
    turned = product.value.detach().transpose(-2, -1)
    shape = (n, heads, asking, key.shape[2])
    return Attention(out, shape, weights, lambda gradient: gradient @ turned)


_SIGNATURE: Final = inspect.signature(functional.multi_head_attention_forward)


def bound_attention(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the arguments of `functional.multi_head_attention_forward` by name.

    None if there is more to it than queries, and keys and values of the same tokens (N, n, width).
    """
    bound = _SIGNATURE.bind(*args, **kwargs)
    bound.apply_defaults()
    arguments = bound.arguments
    further = ("bias_k", "bias_v", "attn_mask", "key_padding_mask", "static_k", "static_v")
    plain = not arguments["add_zero_attn"] and not arguments["use_separate_proj_weight"]
    one_source = arguments["value"] is arguments["key"] and arguments["key"].dim() == 3
    return (
        arguments
        if plain and one_source and all(arguments[name] is None for name in further)
        else None
    )


def _of_module(out: Tensor, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Attention | str:
    """Return the attention of `torch.nn.MultiheadAttention`."""
    arguments = bound_attention(args, kwargs)
    if arguments is None:
        return OTHER
    asking, source, width = arguments["query"], arguments["key"], arguments["embed_dim_to_check"]
    heads = arguments["num_heads"]
    tokens, n, _ = source.shape

    def by_head(values: Tensor) -> Tensor:
        return values.view(-1, n, heads, width // heads).permute(1, 2, 0, 3)

    def projected(part: int, tokens: Tensor) -> Tensor:
        bias = arguments["in_proj_bias"]
        bias = None if bias is None else bias.chunk(3)[part]
        weight = arguments["in_proj_weight"].chunk(3)[part]
        return by_head(functional.linear(tokens, weight, bias).detach())

    def weights() -> Tensor:
        query, key = projected(0, asking), projected(1, source)
        return (query @ key.transpose(-2, -1) * (width // heads) ** -0.5).softmax(dim=-1)

    def slope(gradient: Tensor) -> Tensor:
        value = projected(2, source)
        return by_head(gradient @ arguments["out_proj_weight"]) @ value.transpose(-2, -1)

    return Attention(out, (n, heads, len(asking), tokens), weights, slope)


def _of_softmax(out: Tensor) -> Attention | str:
    """Return the attention whose matrix is the output of a softmax."""
    if out.dim() != 4 or out.shape[-1] != out.shape[-2]:
        return OTHER
    n, heads, asking, tokens = out.shape
    return Attention(out, (n, heads, asking, tokens), out.detach, lambda gradient: gradient)


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
        if not self.chosen.requires_grad:  # they depend on nothing from which the graph begins
            return [None] * len(nodes)
        slopes = torch.autograd.grad(self.chosen, nodes, retain_graph=True, allow_unused=True)
        return list(slopes)

    def gradient(self, node: Tensor) -> Tensor:
        """Return the gradient of the chosen logits at a tensor that they depend on."""
        (slope,) = torch.autograd.grad(self.chosen, [node], retain_graph=True)
        return slope


def run(model: ImageModel, images: Tensor, targets: Tensor, *, from_image: bool = True) -> Run:
    """Return a network's run over images (n, 3, H, W), for the classes (n,).

    Its graph begins at the images; else where a hook on one of the network's layers begins one.
    """
    watch = Watch()
    with torch.enable_grad():
        points = images.detach().requires_grad_(from_image)
        with watch:
            logits = model(points)
        return Run(logits.gather(1, targets[:, None]).sum(), watch)


@dataclass(frozen=True, slots=True, eq=False)
class Followed:
    """The attention of all layers, from the patches to the tokens that answer.

    Attributes
    ----------
    layers
        In the order in which they are computed.
    pool
        The attention by which the answer is read from the tokens; None if it has none.
    answering
        (tokens,) whether the answer is read from a token: from a class token, from several, or from
        all patches where a network pools by their mean.
    grid
        Rows and columns of the patches, which are the last tokens.
    """

    layers: Sequence[Attention]
    pool: Attention | None
    answering: Tensor
    grid: tuple[int, int]

    def over_image(
        self, reached: Tensor, mixed: Callable[[Attention], Tensor], size: tuple[int, ...]
    ) -> Tensor:
        """Return what answers over the patches, (n, H, W), enlarged bilinearly.

        Parameters
        ----------
        reached
            (n, tokens, tokens): what each token has of each, after the last layer.
        mixed
            Returns the matrices (n, asking, tokens) of an attention, its heads taken together.
        size
            (H, W).
        """
        rows, columns = self.grid
        answering = reached[:, self.answering] if self.pool is None else mixed(self.pool) @ reached
        coarse = answering.mean(dim=1)[:, None, -rows * columns :].unflatten(2, (rows, columns))
        fine = functional.interpolate(coarse, tuple(size), mode="bilinear", align_corners=False)
        return fine[:, 0]


def followed(method: str, ran: Run, size: tuple[int, ...]) -> Followed:
    """Return the attention of all layers, if it can be followed from the image to the answer.

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
        If there is no attention, if it is over windows or between different sets of tokens, or if
        layers are parallel.
    """
    used = [
        attention
        for attention in ran.watch.attentions
        if ran.gradients([attention.node])[0] is not None
    ]
    if not ran.watch.attentions and not ran.watch.odd:
        raise UserError(f"{method}: this network has no self-attention; {INSTEAD}")
    layers = used[:-1] if used and used[-1].across else used
    trouble = ran.watch.odd or _trouble(ran, used, layers, size)
    if trouble or ran.watch.grid is None:
        raise UserError(f"{method}: this network has {trouble}; {INSTEAD}")
    last = layers[-1]
    answering = last.slope(ran.gradient(last.node)).ne(0).any(dim=3).any(dim=1).any(dim=0)
    return Followed(layers, used[-1] if used[-1].across else None, answering, ran.watch.grid)


def _trouble(
    ran: Run, used: Sequence[Attention], layers: Sequence[Attention], size: tuple[int, ...]
) -> str:
    """Return why the layers' matrices can't be multiplied; empty if they can."""
    if not layers or any(layer.across for layer in layers):
        return OTHER
    if len({layer.shape for layer in layers}) > 1 or used[-1].shape[3] != layers[0].shape[3]:
        return "attention layers over different sets of tokens (windows, for example)"
    if tokens_before(ran.watch, layers[0].shape[3], size) is None:
        return "attention over parts of the image"
    for before, after in pairwise(used):
        (depends,) = torch.autograd.grad(
            after.node.sum(), before.node, retain_graph=True, allow_unused=True
        )
        if depends is None:
            return "parallel attention layers"
    return ""


def tokens_before(watch: Watch, tokens: int, size: tuple[int, ...]) -> int | None:
    """Return how many tokens come before the patches; None if they don't lie over the image.

    The patches must lie over the image as rows and columns that have its shape.
    """
    if watch.grid is None:
        return None
    rows, columns = watch.grid
    over = abs(rows * size[1] - columns * size[0]) <= max(size)
    before = tokens - rows * columns
    return before if over and before >= 0 else None


INPUTS_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class AttentionRelevance(InBatches):
    """Relevance by attention and gradients (Chefer, Gur & Wolf 2021, equations 5 and 6).

    "Generic Attention-model Explainability", self-attention: R begins as the identity, and each
    layer adds Ā R, where Ā is the mean over the heads of the positive part of the attention
    matrix times the gradient of the target's logit at it. The map is the class token's row of R
    over the patches, enlarged bilinearly; the mean row of all tokens that the answer is read from
    where these are several, such as all patches.
    """

    inputs_at_once: ClassVar[int] = INPUTS_AT_ONCE
    name: ClassVar[str] = "attention_relevance"
    version: ClassVar[int] = 1

    def maps_of(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return maps, (n, H, W), ≥ 0; see `InBatches.maps_of`.

        Raises
        ------
        UserError
            See `followed`.
        """
        size = images.shape[2:]
        ran = run(model, images, targets)
        path = followed(self.name, ran, size)
        tokens = path.layers[0].shape[3]

        def mixed(layer: Attention) -> Tensor:
            weighted = layer.weights() * layer.slope(ran.gradient(layer.node))
            return weighted.clamp(min=0).mean(dim=1).to(images.dtype)

        relevance = torch.eye(tokens, device=images.device, dtype=images.dtype)
        for layer in path.layers:
            relevance = relevance + mixed(layer) @ relevance
        return path.over_image(relevance, mixed, size)


@dataclass(frozen=True, slots=True)
class AttentionRollout(InBatches):
    """Attention rollout (Abnar & Zuidema 2020, section 3.1), for vision transformers.

    A layer's attention is averaged over its heads and mixed with the identity, for the residual
    connection: Ã = (1 - residual) A + residual I. The map is the class token's row, over the
    patches, of the product Ã_L … Ã_1, enlarged bilinearly; the mean row of all tokens that the
    answer is read from where these are several, such as all patches. It does not depend on the
    class.

    Attributes
    ----------
    residual
        Weight of the residual connection, 0…1.
    """

    residual: float = 0.5

    inputs_at_once: ClassVar[int] = INPUTS_AT_ONCE
    name: ClassVar[str] = "attention_rollout"
    version: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if not 0 <= self.residual <= 1:
            raise ValueError(f"residual is {self.residual}, must be 0 to 1")

    def maps_of(self, model: ImageModel, images: Tensor, targets: Tensor) -> Tensor:
        """Return maps, (n, H, W), ≥ 0; see `InBatches.maps_of`.

        Raises
        ------
        UserError
            See `followed`.
        """
        size = images.shape[2:]
        ran = run(model, images, targets)
        path = followed(self.name, ran, size)
        tokens = path.layers[0].shape[3]

        def mixed(layer: Attention) -> Tensor:
            return layer.weights().mean(dim=1).to(images.dtype)

        reached = torch.eye(tokens, device=images.device, dtype=images.dtype)
        for layer in path.layers:
            reached = (1 - self.residual) * mixed(layer) @ reached + self.residual * reached
        return path.over_image(reached, mixed, size)
