"""Every method on every kind of network: a graphics card's maps beside a CPU's, and its speed."""

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Any

import torch
from scipy.stats import spearmanr
from torch import Tensor, nn

from bench.book import Effort, Measured, Part, table
from bench.parts.xai_data import NETWORKS, weights_of
from bench.parts.xai_racing import device_of, random_images, random_model, timed
from bench.parts.xai_tables import PUBLISHED_RATE
from stimuli.errors import UserError
from stimuli.io.canonical import seed_of
from stimuli.workers import available_cpus
from xai_backend.explain.answering import channels_last, classifier_at_hand
from xai_backend.methods import Execution, method_of
from xai_backend.models.classifier import hookable
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, Normalise
from xai_backend.models.image_model import ImageModel, logits_of

VIT, TRANSFORMERS = "vit_b_16", "transformers_vit"
LAST_FEATURES = {"resnet50": "layer4", "vgg16": "features"}
COMPARED = ("resnet50", "vgg16", *NETWORKS, VIT, TRANSFORMERS)
TIMED = ("resnet50", "vgg16")
OF_ATTENTION = ("attention_rollout", "attention_relevance")
OF_ALL = {
    "gradcam": {},
    "occlusion": {"stride_px": 32},
    "integrated_gradients": {"steps": 10},
    "smoothgrad": {"samples": 10},
    "gradient_shap": {"samples": 10},
    "kernel_shap": {"samples": 60},
    "extremal_perturbation": {"iterations": 10},
}
"""Settings of the comparison: on a CPU the usual ones take minutes."""
WHOLE = 800
"""Iterations of extremal perturbation, which enlarge rounding."""
TOGETHER = 64
"""Inputs through the network at once on a card, as `explain` chooses on one that is large."""
IMAGES = {"gradcam": 256, "lrp": 256, "occlusion": 2, "kernel_shap": 1, "extremal_perturbation": 16}
FEW_IMAGES = 4
PARTS_OF = {"kernel_shap": ("samples", 10), "extremal_perturbation": ("iterations", 20)}
"""Settings that time is proportional to, and which part of the usual ones is timed."""
RUNS = 3
LEFT_OUT = 3
"""Processors that the CPU's maps leave to the card's."""


@dataclass(frozen=True, slots=True)
class Job:
    """Maps to be made.

    Attributes
    ----------
    network, method
        By name.
    settings
        Of the method.
    images
        How many are explained.
    """

    network: str
    method: str
    settings: Mapping[str, Any]
    images: int = 1

    @property
    def label(self) -> str:
        """What it is called in the table."""
        named = [self.settings.get(name, "") for name in ("variant", "precision")]
        whole = self.settings.get("iterations") == WHOLE
        return " ".join(filter(None, (self.method, *named, f"{WHOLE} steps" if whole else "")))


@dataclass(frozen=True, slots=True)
class Explained:
    """Maps (n, H, W), and the time of each, s: by the clock, and of the processor."""

    maps: Tensor
    seconds: float
    processor_s: float


def measure(effort: Effort) -> Measured:
    """Explain with every method, on a CPU and, if one is asked for, on a graphics card."""
    device = device_of(effort)
    compared = _compared(effort.quick) if device.type == "cuda" or effort.quick else []
    rated = _rated(effort.quick)
    shorts = [_short(job) for job in rated if "precision" not in job.settings]
    jobs = {_key(job): job for job in (*compared, *shorts)}
    on_cpu = sorted(jobs, key=_cost)
    found: dict[str, Any] = {"device": device.type, "compared": [], "rates": []}
    processes = max(1, available_cpus() - LEFT_OUT)
    with multiprocessing.get_context("spawn").Pool(processes) as pool:
        waiting = {key: pool.apply_async(explained, (jobs[key], "cpu")) for key in on_cpu}
        place = str(device)
        theirs = {}
        for job in compared:
            effort.say(f"{job.network}: {job.label}")
            runs = 1 if job.settings.get("iterations") == WHOLE else 2
            theirs[_key(job)] = [explained(job, place) for _ in range(runs)]
        speeds = {}
        for job in rated if device.type == "cuda" else ():
            effort.say(f"{job.network}: speed of {job.label}")
            speeds[_key(job)] = _speed(job, device)
        effort.say("maps of the CPU")
        ours = {key: one.get() for key, one in waiting.items()}
    for job in compared:
        found["compared"].append(_difference(job, ours[_key(job)], theirs[_key(job)]))
    for job in rated:
        short = _short(job)
        own = ours.get(_key(short))
        found["rates"].append(
            {
                "network": job.network,
                "method": job.label,
                "cpu_s": own and own.processor_s / short.images * share_timed(job),
                "per_s": speeds.get(_key(job)),
            }
        )
    return Measured(_text(found), found)


def _compared(quick: bool) -> list[Job]:
    jobs = []
    for network in ("squeezenet1_1",) if quick else COMPARED:
        of_tokens = network in (VIT, TRANSFORMERS)
        methods = {**OF_ALL, **({name: {} for name in OF_ATTENTION} if of_tokens else {"lrp": {}})}
        if quick:
            methods = {"gradcam": {}, "lrp": {}}
        jobs += [Job(network, method, settings) for method, settings in methods.items()]
        if not quick:
            also = {"iterations": 10, "variant": "suite"}
            jobs.append(Job(network, "extremal_perturbation", also))
    if not quick:
        jobs += [
            Job("squeezenet1_1", "extremal_perturbation", {"iterations": WHOLE, "variant": variant})
            for variant in ("suite", "published")
        ]
    return jobs


def _rated(quick: bool) -> list[Job]:
    """Return the jobs whose speed is measured on a card."""
    if quick:
        return [Job("squeezenet1_1", "lrp", {}, 2)]
    usual = [(method, usual_part(method)) for method in (*OF_ALL, "lrp")]
    half = [("occlusion", {"precision": precision}) for precision in ("float16", "bfloat16")]
    return [
        Job(network, method, settings, IMAGES.get(method, FEW_IMAGES))
        for network in TIMED
        for method, settings in (*usual, *half)
    ]


def usual_part(method: str) -> dict[str, Any]:
    """Return the settings with which a method is timed: a part of those that take long."""
    if method not in PARTS_OF:
        return {}
    name, part = PARTS_OF[method]
    return {name: getattr(method_of(method, {}), name) // part}


def share_timed(job: Job) -> float:
    """Return how many times as long a map takes as what is timed of it."""
    return float(PARTS_OF[job.method][1]) if job.method in PARTS_OF else 1.0


def _short(job: Job) -> Job:
    """Return the same for a CPU: few images."""
    return replace(job, images=min(job.images, 4 if job.method in ("gradcam", "lrp") else 1))


def _key(job: Job) -> str:
    return f"{job.network} {job.method} {sorted(job.settings.items())} {job.images}"


def _cost(key: str) -> tuple[bool, ...]:
    """Order jobs: those that last longest first."""
    slow = (str(WHOLE), "vgg16", "resnet50", "extremal", "kernel")
    return tuple(part not in key for part in slow)


def explained(job: Job, place: str) -> Explained:
    """Return a job's maps, made on a device by one thread."""
    torch.set_num_threads(1)
    model, images, targets = prepared(job.network, place, job.images)
    method = method_of(job.method, job.settings)
    areas = 4 if job.method == "extremal_perturbation" else TOGETHER
    together = 4 if place == "cpu" else min(TOGETHER, job.images * areas)
    own = job.method == "occlusion" or (place == "cpu" and job.method not in ("gradcam", "lrp"))
    execution = Execution(at_once=None if own else together)
    begun, processor = time.perf_counter(), time.process_time()
    maps = method.explain(model, images, targets, execution)
    return Explained(maps, time.perf_counter() - begun, time.process_time() - processor)


def _speed(job: Job, device: torch.device) -> float:
    """Return maps a second on a card, with the method's usual settings."""
    model, images, targets = prepared(job.network, str(device), job.images)
    method = method_of(job.method, job.settings)
    own = Execution(at_once=None if job.method == "occlusion" else TOGETHER)
    lasts = [timed(lambda: method.explain(model, images, targets, own), device) for _ in range(3)]
    return job.images / median(lasts[1:]) / share_timed(job)


def prepared(network: str, place: str, count: int) -> tuple[ImageModel, Tensor, Tensor]:
    """Return a network, images (n, 3, H, W), and the class that it answers for each."""
    model = network_at_hand(network, place)
    images = random_images(count, torch.device("cpu")).sigmoid()
    return model, images, logits_of(model, images, min(count, TOGETHER)).argmax(dim=1)


@lru_cache(maxsize=1)
def network_at_hand(name: str, place: str) -> ImageModel:
    """Return a network with the weights that are at hand, or random ones."""
    if name in NETWORKS:
        try:
            return classifier_at_hand(name, str(weights_of(name)), place).model
        except UserError:
            pass
    network = _transformer() if name == TRANSFORMERS else random_model(name, torch.device("cpu"))
    if isinstance(network, ImageModel):
        network = network.network
    if name == VIT:
        with torch.random.fork_rng():
            torch.manual_seed(seed_of("bench xai", "head") % 2**32)
            nn.init.normal_(network.heads.head.weight)
    front = Normalise(IMAGENET_MEAN, IMAGENET_STD)
    model = ImageModel(front, hookable(network), LAST_FEATURES.get(name))
    channels_last(model.network)
    return model.to(place).eval().requires_grad_(False)


def _transformer() -> nn.Module:
    from transformers import ViTConfig, ViTForImageClassification

    from xai_backend.models.transformers_models import Logits

    with torch.random.fork_rng():
        torch.manual_seed(seed_of("bench xai", TRANSFORMERS) % 2**32)
        config = ViTConfig(
            hidden_size=192, num_hidden_layers=6, num_attention_heads=3, intermediate_size=768,
            num_labels=10, initializer_range=0.1,
        )  # fmt: skip
        return Logits(ViTForImageClassification(config))


def _difference(job: Job, ours: Explained, theirs: Sequence[Explained]) -> dict[str, Any]:
    one, other = ours.maps.double(), theirs[0].maps.double()
    pairs = zip(one.flatten(1), other.flatten(1), strict=True)
    return {
        "network": job.network,
        "method": job.label,
        "difference": float((one - other).norm() / one.norm()),
        "largest": float((one - other).abs().max() / one.abs().max()),
        "spearman": min(float(spearmanr(*pair)[0]) for pair in pairs),
        "same_again": bool(torch.equal(theirs[0].maps, theirs[-1].maps)),
    }


def _text(found: Mapping[str, Any]) -> str:
    blocks = []
    if found["compared"]:
        blocks += [_ABOUT, _differences(found["compared"]), _same(found["compared"])]
    blocks += [_SPEED, _rates(found["rates"]), *_to_published(found["rates"])]
    return "\n\n".join(blocks)


_ABOUT = (
    "Each method explains one image of 224 px on the card and on a CPU, in float32. The table "
    "gives the difference of the two maps (its norm as a share of the CPU map's) and, in brackets, "
    "the largest difference of a pixel as a share of the map's largest value. SqueezeNet and "
    "MobileNet have trained weights, the others random ones; transformers_vit is a small vision "
    "transformer of Transformers. Settings: occlusion stride 32; integrated gradients 10 steps; "
    "SmoothGrad and gradient SHAP 10 samples; kernel SHAP 60 samples; extremal perturbation 10 "
    "steps, where the table doesn't say 800. A gradient jumps where a rectifier or a max pool "
    "tips, and rounding decides on which side; so single pixels of gradient methods differ more. "
    "In float64 they don't (`tests/xai_backend/methods/test_on_a_card.py`). The 800 steps of "
    "extremal perturbation enlarge rounding. The salient object doesn't use a network."
)
_SPEED = (
    "Speed with the usual settings (occlusion: 625 windows; 50 steps or samples; kernel SHAP 1,000 "
    "samples; extremal perturbation 800 steps of four masks), images of 224 px, random weights, "
    "float32. On the card 64 inputs are computed at once, as `explain` chooses; the time is that "
    "of the clock, the median of the runs after the first. The CPU's is processor time with one "
    "thread. Both were measured at the same time: the CPU's maps were computed on all but three of "
    "its cores. For kernel SHAP a tenth and for extremal perturbation a twentieth of the work was "
    "timed. Published: Samek et al. (2021), on a card that they don't name."
)


def _differences(compared: Sequence[Mapping[str, Any]]) -> str:
    networks = list(dict.fromkeys(one["network"] for one in compared))
    methods = list(dict.fromkeys(one["method"] for one in compared))
    cells = {
        (one["method"], one["network"]): f"{one['difference']:.0e} ({one['largest']:.0e})"
        for one in compared
    }
    rows = [[method, *(cells.get((method, name), "") for name in networks)] for method in methods]
    return table(["method", *networks], rows)


def _same(compared: Sequence[Mapping[str, Any]]) -> str:
    other = [f"{one['method']} ({one['network']})" for one in compared if not one["same_again"]]
    again = f"not with {', '.join(other)}" if other else "each time"
    lowest = min(compared, key=lambda one: one["spearman"])
    return (
        "The lowest rank correlation of the pixels is "
        f"{lowest['spearman']:.4f} ({lowest['method']}, {lowest['network']}). A second run on the "
        f"card gave the same bits, {again} (800 steps were run once)."
    )


def _rates(rates: Sequence[Mapping[str, Any]]) -> str:
    rows = []
    for rate in rates:
        network, method = rate["network"], rate["method"]
        on_card, on_cpu = rate["per_s"], rate["cpu_s"]
        occlusion, lrp = PUBLISHED_RATE.get(network, ("", ""))
        published = {"occlusion": occlusion, "lrp": lrp}.get(method, "")
        rows.append(
            [
                network,
                method,
                "" if on_card is None else f"{on_card:.3g}",
                str(published),
                "" if on_cpu is None else f"{on_cpu:.3g}",
                "" if on_card is None or on_cpu is None else f"{on_card * on_cpu:.0f}",
            ]
        )
    headings = ["network", "method", "maps/s, card", "published", "s a map, CPU", "times as fast"]
    return table(headings, rows)


def _to_published(rates: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return how many times as fast as published a card is; nothing without one."""
    speeds = {(rate["method"], rate["network"]): rate["per_s"] for rate in rates if rate["per_s"]}
    told = [
        f"{method} of {network} {speeds[method, network] / published:.1f}"
        for network, both in PUBLISHED_RATE.items()
        for method, published in zip(("occlusion", "lrp"), both, strict=True)
        if (method, network) in speeds
    ]
    return [f"Times as fast as published: {', '.join(told)}."] if told else []


PARTS = (Part("methods", "Every method, and graphics cards", measure),)
