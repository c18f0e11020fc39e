"""A vision transformer written out, head by head, from the weights of three libraries."""

import math
from dataclasses import dataclass

import torch
from torch.nn import functional


@dataclass
class Block:
    """A block's weights: (weight, bias) each; query, key and value of all heads together."""

    norm: tuple
    query: tuple
    key: tuple
    value: tuple
    out: tuple
    norm_2: tuple
    up: tuple
    down: tuple


@dataclass
class Vit:
    """A vision transformer's weights."""

    patches: tuple
    class_token: torch.Tensor
    positions: torch.Tensor
    blocks: list
    norm: tuple
    head: tuple
    heads: int
    eps: float


def _pair(state, name):
    return state[f"{name}.weight"], state[f"{name}.bias"]


def _three(weight, bias):
    return list(zip(weight.chunk(3), bias.chunk(3), strict=True))


def of_torchvision(network):
    """The weights of torchvision's VisionTransformer."""
    state = network.state_dict()
    blocks = []
    for k in range(len(network.encoder.layers)):
        at = f"encoder.layers.encoder_layer_{k}"
        attention = f"{at}.self_attention"
        packed = state[f"{attention}.in_proj_weight"], state[f"{attention}.in_proj_bias"]
        blocks.append(
            Block(
                _pair(state, f"{at}.ln_1"),
                *_three(*packed),
                _pair(state, f"{attention}.out_proj"),
                _pair(state, f"{at}.ln_2"),
                _pair(state, f"{at}.mlp.0"),
                _pair(state, f"{at}.mlp.3"),
            )
        )
    return Vit(
        _pair(state, "conv_proj"),
        state["class_token"],
        state["encoder.pos_embedding"],
        blocks,
        _pair(state, "encoder.ln"),
        _pair(state, "heads.head"),
        network.encoder.layers[0].num_heads,
        network.encoder.ln.eps,
    )


def of_timm(network):
    """The weights of timm's VisionTransformer."""
    state = network.state_dict()
    blocks = []
    for k in range(len(network.blocks)):
        at = f"blocks.{k}"
        blocks.append(
            Block(
                _pair(state, f"{at}.norm1"),
                *_three(*_pair(state, f"{at}.attn.qkv")),
                _pair(state, f"{at}.attn.proj"),
                _pair(state, f"{at}.norm2"),
                _pair(state, f"{at}.mlp.fc1"),
                _pair(state, f"{at}.mlp.fc2"),
            )
        )
    return Vit(
        _pair(state, "patch_embed.proj"),
        state["cls_token"],
        state["pos_embed"],
        blocks,
        _pair(state, "norm"),
        _pair(state, "head"),
        network.blocks[0].attn.num_heads,
        network.norm.eps,
    )


def of_transformers(network):
    """The weights of Transformers' ViTForImageClassification, in whatever release's names."""
    state = network.state_dict()

    def find(*endings):
        names = [name for name in state if name.endswith(tuple(f"{end}.weight" for end in endings))]
        return [_pair(state, name.removesuffix(".weight")) for name in names]

    parts = zip(
        find("layernorm_before"),
        find("attention.query", "q_proj"),
        find("attention.key", "k_proj"),
        find("attention.value", "v_proj"),
        find("attention.output.dense", "o_proj"),
        find("layernorm_after"),
        find("intermediate.dense", "mlp.fc1"),
        [one for one in find("output.dense", "mlp.fc2") if one[0].shape[1] != one[0].shape[0]],
        strict=True,
    )
    return Vit(
        *find("patch_embeddings.projection"),
        state["vit.embeddings.cls_token"],
        state["vit.embeddings.position_embeddings"],
        [Block(*one) for one in parts],
        _pair(state, "vit.layernorm"),
        _pair(state, "classifier"),
        network.config.num_attention_heads,
        network.config.layer_norm_eps,
    )


@dataclass
class Trace:
    """What happened: logits (K,), each layer's matrices by head, and what it read."""

    logits: torch.Tensor
    matrices: list
    read: list


def forward(vit, picture):
    """Run a normalised picture (3, H, W) through the network, one head after the other."""
    weight, bias = vit.patches
    side = weight.shape[-1]
    tokens = [vit.class_token.view(-1)]
    for row in range(0, picture.shape[1], side):
        for column in range(0, picture.shape[2], side):
            patch = picture[:, row : row + side, column : column + side]
            tokens.append((weight * patch).sum(dim=(1, 2, 3)) + bias)
    x = torch.stack(tokens) + vit.positions[0]
    matrices, read = [], []
    for block in vit.blocks:
        normed = functional.layer_norm(x, x.shape[-1:], *block.norm, vit.eps)
        normed.retain_grad()
        read.append(normed)
        queries, keys, values = (
            functional.linear(normed, *one).chunk(vit.heads, dim=1)
            for one in (block.query, block.key, block.value)
        )
        own, mixed = [], []
        for query, key, value in zip(queries, keys, values, strict=True):
            scores = torch.exp(query @ key.T / math.sqrt(query.shape[1]))
            matrix = scores / scores.sum(dim=1, keepdim=True)
            matrix.retain_grad()
            own.append(matrix)
            mixed.append(matrix @ value)
        matrices.append(own)
        x = x + functional.linear(torch.cat(mixed, dim=1), *block.out)
        normed = functional.layer_norm(x, x.shape[-1:], *block.norm_2, vit.eps)
        x = x + functional.linear(
            functional.gelu(functional.linear(normed, *block.up)), *block.down
        )
    x = functional.layer_norm(x, x.shape[-1:], *vit.norm, vit.eps)
    return Trace(functional.linear(x[0], *vit.head), matrices, read)


def explained(vit, picture, target):
    """Return the trace, with the gradients of the target's logit."""
    trace = forward(vit, picture.clone().requires_grad_())
    trace.logits[target].backward()
    return trace


def rollout(trace):
    """Abnar & Zuidema 2020: mean of heads, half of it the identity, layer times layers below."""
    reached = None
    for heads in trace.matrices:
        attention = sum(heads).detach() / len(heads)
        mixed = 0.5 * attention + 0.5 * torch.eye(len(attention), dtype=attention.dtype)
        reached = mixed if reached is None else mixed @ reached
    return reached[0, 1:]


def relevance(trace):
    """Chefer, Gur & Wolf 2021, equations 5 and 6, entry by entry for the heads' mean."""
    tokens = len(trace.matrices[0][0])
    found = torch.eye(tokens, dtype=trace.logits.dtype)
    for heads in trace.matrices:
        mean = torch.zeros_like(found)
        for matrix in heads:
            mean += torch.where(matrix.grad * matrix > 0, matrix.grad * matrix, 0.0).detach()
        found = found + mean / len(heads) @ found
    return found[0, 1:]


def gradcam(trace):
    """Selvaraju et al. 2017, with the patches' tokens that the last attention reads as maps."""
    features, slopes = trace.read[-1].detach()[1:], trace.read[-1].grad[1:]
    total = torch.zeros(len(features), dtype=features.dtype)
    for channel in range(features.shape[1]):
        total += slopes[:, channel].mean() * features[:, channel]
    return total.clamp(min=0)


def over_the_picture(patches, side):
    """Patches' values over a square picture of ``side`` pixels."""
    rows = math.isqrt(len(patches))
    coarse = patches.view(1, 1, rows, rows)
    fine = functional.interpolate(coarse, (side, side), mode="bilinear", align_corners=False)
    return fine[0, 0]


def shared(parts, relevance):
    """Relevance of a sum's parts, in proportion to what each brings."""
    whole = sum(parts)
    return [part * relevance / whole for part in parts]


def of_layer(values, weight, bias, relevance, gamma):
    """Relevance of a linear layer's input (tokens, inputs) by the γ rule, one output at a time.

    What an input brings counts 1 + γ times if it has the output's sign; so does the bias.
    """
    found = torch.zeros_like(values)
    for token, out in enumerate(values @ weight.T + bias):
        for j, sign in enumerate(out.sign()):
            brought = torch.cat([values[token] * weight[j], bias[j : j + 1]])
            brought = torch.where(brought * sign > 0, (1 + gamma) * brought, brought)
            found[token] += (brought / brought.sum() * relevance[token, j])[:-1]
    return found


def of_product(one, other, relevance):
    """Relevance of both factors of a matrix product, half of it each."""
    out = one @ other
    first, second = torch.zeros_like(one), torch.zeros_like(other)
    for i in range(len(one)):
        for k in range(other.shape[1]):
            half = one[i] * other[:, k] / out[i, k] * relevance[i, k] / 2
            first[i] += half
            second[:, k] += half
    return first, second


def of_norm(values, weight, bias, eps, relevance):
    """Relevance of a layer norm's input: through the subtraction and the scaling alone."""
    centred = values - values.mean(dim=1, keepdim=True)
    scaled = centred / (centred.square().mean(dim=1, keepdim=True) + eps).sqrt() * weight
    own, found = scaled * relevance / (scaled + bias), torch.zeros_like(values)
    width = values.shape[1]
    subtracts = torch.eye(width, dtype=values.dtype) - 1 / width
    for token in range(len(values)):
        for j in range(width):
            found[token] += subtracts[j] * values[token] / centred[token, j] * own[token, j]
    return found


@torch.no_grad()
def attn_lrp(vit, picture, target, gamma, gamma_conv):
    """Achtibat et al. 2024, from the logit down to the picture (3, H, W), summed over colours."""
    weight, bias = vit.patches
    side = weight.shape[-1]
    corners = [
        (row, column)
        for row in range(0, picture.shape[1], side)
        for column in range(0, picture.shape[2], side)
    ]
    cut = torch.stack([picture[:, r : r + side, c : c + side].flatten() for r, c in corners])
    flat = weight.flatten(1)
    tokens = torch.cat([vit.class_token.view(1, -1), cut @ flat.T + bias])
    x, kept = tokens + vit.positions[0], []
    for block in vit.blocks:
        normed = functional.layer_norm(x, x.shape[-1:], *block.norm, vit.eps)
        heads = [
            functional.linear(normed, *one).chunk(vit.heads, dim=1)
            for one in (block.query, block.key, block.value)
        ]
        scores = [q @ k.T / math.sqrt(q.shape[1]) for q, k in zip(*heads[:2], strict=True)]
        mixed = torch.cat(
            [s.softmax(dim=1) @ v for s, v in zip(scores, heads[2], strict=True)], dim=1
        )
        added = functional.linear(mixed, *block.out)
        middle = x + added
        normed_2 = functional.layer_norm(middle, x.shape[-1:], *block.norm_2, vit.eps)
        up = functional.linear(normed_2, *block.up)
        more = functional.linear(functional.gelu(up), *block.down)
        kept.append((block, x, normed, heads, scores, mixed, added, middle, normed_2, up, more))
        x = middle + more
    normed = functional.layer_norm(x, x.shape[-1:], *vit.norm, vit.eps)
    logits = functional.linear(normed[:1], *vit.head)
    start = torch.zeros_like(logits)
    start[0, target] = logits[0, target]
    relevance = torch.zeros_like(normed)
    relevance[:1] = of_layer(normed[:1], *vit.head, start, gamma)
    relevance = of_norm(x, *vit.norm, vit.eps, relevance)
    for block, x, normed, heads, scores, mixed, added, middle, normed_2, up, more in kept[::-1]:
        own, branch = shared([middle, more], relevance)
        branch = of_layer(functional.gelu(up), *block.down, branch, gamma)
        branch = of_layer(normed_2, *block.up, branch, gamma)
        own, branch = shared([x, added], own + of_norm(middle, *block.norm_2, vit.eps, branch))
        branch = of_layer(mixed, *block.out, branch, gamma)
        down = [[], [], []]
        for k, part in enumerate(branch.chunk(vit.heads, dim=1)):
            query, key, value = (one[k] for one in heads)
            matrix = scores[k].softmax(dim=1)
            of_matrix, of_value = of_product(matrix, value, part)
            of_scores = scores[k] * (of_matrix - matrix * of_matrix.sum(dim=1, keepdim=True))
            of_query, of_key = of_product(query, key.T, of_scores)
            for place, one in zip(down, (of_query, of_key.T, of_value), strict=True):
                place.append(one)
        into = sum(
            of_layer(normed, *one, torch.cat(place, dim=1), gamma)
            for one, place in zip((block.query, block.key, block.value), down, strict=True)
        )
        relevance = own + of_norm(x, *block.norm, vit.eps, into)
    brought, _ = shared([tokens, vit.positions[0]], relevance)
    patches = of_layer(cut, flat, bias, brought[1:], gamma_conv)
    found = torch.zeros(picture.shape[1:], dtype=picture.dtype)
    for (row, column), one in zip(corners, patches, strict=True):
        found[row : row + side, column : column + side] = one.view(3, side, side).sum(dim=0)
    return found
