"""What the processors of Transformers and timm make of a few pictures, kept in a file.

To make the file again, with both packages installed:
``python -m tests.xai_backend.models.processor_oracle``.
"""

import json
from importlib import import_module
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from safetensors import safe_open
from safetensors.torch import save_file

FILE = Path(__file__).with_name("processor_oracle.safetensors")
PICTURES = ((57, 40), (33, 70), (9, 12))
"""Widths and heights."""

SQUARE, SHORTER = {"height": 14, "width": 14}, {"shortest_edge": 14}
CROP = {"height": 12, "width": 12}
TRANSFORMERS = {
    "vit": ("ViTImageProcessor", {"size": CROP}),
    "vit, bicubic": ("ViTImageProcessor", {"size": CROP, "resample": 3}),
    "vit, lanczos": ("ViTImageProcessor", {"size": CROP, "resample": 1}),
    "vit, codes": ("ViTImageProcessor", {"size": CROP, "do_rescale": False}),
    "vit, fractions": ("ViTImageProcessor", {"size": CROP, "do_normalize": False}),
    "siglip": ("SiglipImageProcessor", {"size": CROP}),
    "pvt": ("PvtImageProcessor", {"size": CROP}),
    "segformer": ("SegformerImageProcessor", {"size": CROP}),
    "deit": ("DeiTImageProcessor", {"size": SQUARE, "crop_size": CROP}),
    "beit": (
        "BeitImageProcessor",
        {"size": {"height": 15, "width": 15}, "crop_size": CROP, "do_center_crop": True},
    ),
    "resnet": ("ConvNextImageProcessor", {"size": {"shortest_edge": 12}, "resample": 2}),
    "convnext": ("ConvNextImageProcessor", {"size": {"shortest_edge": 12}, "crop_pct": 0.8}),
    "convnext, squashed": ("ConvNextImageProcessor", {"size": {"shortest_edge": 384}}),
    "clip": ("CLIPImageProcessor", {"size": {"shortest_edge": 12}, "crop_size": CROP}),
    "bit": ("BitImageProcessor", {"size": SHORTER, "crop_size": CROP}),
    "levit": ("LevitImageProcessor", {"size": SHORTER, "crop_size": CROP}),
    "poolformer": (
        "PoolFormerImageProcessor",
        {"size": {"shortest_edge": 12}, "crop_size": CROP, "crop_pct": 0.7},
    ),
    "poolformer, sides": ("PoolFormerImageProcessor", {"size": CROP, "crop_size": CROP}),
    "mobilenet": ("MobileNetV2ImageProcessor", {"size": SHORTER, "crop_size": CROP}),
    "mobilevit": ("MobileViTImageProcessor", {"size": SHORTER, "crop_size": CROP}),
    "mobilevit, border": (
        "MobileViTImageProcessor",
        {"size": {"shortest_edge": 9}, "crop_size": CROP},
    ),
    "efficientnet": ("EfficientNetImageProcessor", {"size": CROP}),
    "efficientnet, offset": (
        "EfficientNetImageProcessor",
        {"size": CROP, "rescale_factor": 1 / 127.5, "rescale_offset": True, "include_top": False},
    ),
}
"""Processor class and settings."""
USUAL = {"input_size": (3, 12, 12), "mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
TIMM = {
    f"timm, {mode} {share} {interpolation}": USUAL
    | {"crop_mode": mode, "crop_pct": share, "interpolation": interpolation}
    for mode in ("center", "squash", "border")
    for share, interpolation in ((0.875, "bicubic"), (1.0, "bilinear"), (0.9, "lanczos"))
}


def picture(width, height):
    """Noise with sharp edges."""
    codes = np.random.default_rng(width).integers(0, 256, (height, width, 3), dtype=np.uint8)
    codes[: height // 3], codes[:, : width // 5] = 255, 0
    return Image.fromarray(codes)


def thinned(values):
    """A grid of an input's pixels (3, h, w): the file stays small."""
    return values[:, :: -(-values.shape[1] // 16), :: -(-values.shape[2] // 16)].contiguous()


def of_transformers(transformers, name):
    """A processor, and what it makes of a picture."""
    kind, settings = TRANSFORMERS[name]
    processor = getattr(transformers, kind)(**settings)
    return processor, lambda one: processor(images=one, return_tensors="pt")["pixel_values"][0]


def kept():
    """Versions, what the processors say by name, and inputs by name and picture's size."""
    with safe_open(FILE, "pt") as file:
        about = json.loads(file.metadata()["about"])
        inputs = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    return about, inputs


def _write():
    from xai_backend.models import torchvision_models  # first: it mends torchvision's import

    assert torchvision_models
    # Of an environment of their own: the suite needs neither.
    timm, transformers = map(import_module, ("timm", "transformers"))

    told, inputs = {}, {}
    for name in TRANSFORMERS:
        processor, prepare = of_transformers(transformers, name)
        told[name] = {"kind": type(processor).__name__, "told": processor.to_dict()}
        inputs |= {f"{name} {size}": thinned(prepare(picture(*size))) for size in PICTURES}
    for name, config in TIMM.items():
        prepare = timm.data.create_transform(**config)
        told[name] = {"kind": "timm", "told": config}
        inputs |= {f"{name} {size}": thinned(prepare(picture(*size))) for size in PICTURES}
    versions = {one.__name__: one.__version__ for one in (transformers, timm, torch)}
    about = json.dumps({"versions": versions, "told": told}, default=int)
    save_file(inputs, FILE, {"about": about})


if __name__ == "__main__":
    _write()
