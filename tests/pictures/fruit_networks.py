"""Networks that learn the made-up fruit, for methods that need a network of their own.

Both learn from the same 72 photographs and are judged by 48 others.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import numpy as np
import torch
from PIL import Image
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

from docs.photographs import FRUITS, photograph
from stimuli.io.canonical import seed_of
from xai_backend.determinism import deterministic
from xai_backend.methods import torchvision_fix
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, InputFrame, Normalise
from xai_backend.models.image_model import ImageModel, logits_of
from xai_backend.models.labelled import Augmentation, Labelled, shuffled_batches
from xai_backend.networks import load_network
from xai_backend.protopnet import ProtoPNetSettings, train_protopnet, write_protopnet

assert torchvision_fix
from torchvision.models import VisionTransformer  # noqa: E402 - after the fix

PROTOPNET: Final = "protopnet"
TRANSFORMER: Final = f"{__name__}:transformer"
UNSEEN, LEARNT = range(16), range(16, 40)
"""Numbers of the photographs of each kind by which networks are judged, and from which they learn.
The one that is explained is among the former."""
LEAST_RIGHT: Final = 0.9
"""So much of what it hasn't seen a network must name rightly."""
SEED: Final = 1
FRAME: Final = InputFrame()
"""What torchvision's networks see of a photograph: so all overlays show the same part of it."""
SETTINGS: Final = f"""\
side_px = {FRAME.crop_px}
resize_px = {FRAME.resize_px}
classes = {list(FRUITS)}
"""
"""What `explain` must know of the transformer; all else is as usual."""
PATCH_PX, LAYERS, HEADS, WIDTH = 16, 4, 4, 96
EPOCHS, BATCH, PEAK_RATE, WEIGHT_DECAY = 40, 16, 1e-3, 0.05
VARIED: Final = Augmentation(scale_share=0.2, shift_share=0.1, mirrored=True)
"""With ProtoPNet's usual changes, which are smaller, its prototypes lay on tables and walls."""
FEW: Final = ProtoPNetSettings(
    cluster=0.4,
    separation=0.2,
    cycles=2,
    batch=4,
    backbone_rate=3e-4,
    decay=0.5,
    augmentation=VARIED,
)
"""Costs as for the small network for pictures, since tables are alike in all classes; and quicker
steps, since so few photographs make few of them."""


def transformer() -> nn.Module:
    """Return a small vision transformer with an output for each kind of fruit, untrained."""
    return VisionTransformer(
        FRAME.crop_px, PATCH_PX, LAYERS, HEADS, WIDTH, 2 * WIDTH, num_classes=len(FRUITS)
    )


def trained_networks(folder: Path, backbone: str) -> Mapping[str, Path]:
    """Return files of weights by what ``--model`` calls their networks; trained if none is there.

    Parameters
    ----------
    folder
        Of the files.
    backbone
        torchvision's network on which the ProtoPNet is built.

    Raises
    ------
    RuntimeError
        If a network doesn't know the fruit well enough to be explained.
    """
    files = {
        name: folder / f"{name.rpartition(':')[2]}.safetensors" for name in (PROTOPNET, TRANSFORMER)
    }
    if not all(file.exists() for file in files.values()):
        folder.mkdir(parents=True, exist_ok=True)
        learnt, unseen = fruit(LEARNT), fruit(UNSEEN)
        parts = train_protopnet(load_network(backbone), learnt, FEW, SEED)
        _judge("ProtoPNet", parts.model, unseen)
        write_protopnet(parts, files[PROTOPNET])
        model = _train_transformer(learnt)
        _judge("vision transformer", model, unseen)
        files[TRANSFORMER].with_suffix(".toml").write_text(SETTINGS, encoding="utf-8")
        save_file(model.network.state_dict(), files[TRANSFORMER])
    return files


def fruit(numbers: Iterable[int]) -> Labelled:
    """Return the photographs of all kinds with these numbers, as the networks see them."""
    wanted = [(name, number) for name in FRUITS for number in numbers]
    codes = [FRAME.codes(Image.fromarray(photograph(*one))) for one in wanted]
    labels = [list(FRUITS).index(name) for name, _ in wanted]
    names = tuple(f"{name} {number}" for name, number in wanted)
    return Labelled(np.stack(codes), np.array(labels, dtype=np.int64), tuple(FRUITS), names)


def _train_transformer(pictures: Labelled) -> ImageModel:
    with deterministic(SEED):
        model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), transformer()).train()
        optimiser = torch.optim.AdamW(model.parameters(), weight_decay=WEIGHT_DECAY)
        steps = EPOCHS * -(-len(pictures) // BATCH)
        rates = torch.optim.lr_scheduler.OneCycleLR(optimiser, PEAK_RATE, total_steps=steps)
        for epoch in range(EPOCHS):
            order = seed_of("fruit transformer", SEED, epoch)
            for images, labels in shuffled_batches(pictures, BATCH, VARIED, order):
                loss = functional.cross_entropy(model(images), labels)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                rates.step()
    return model.eval()


def _judge(network: str, model: ImageModel, unseen: Labelled) -> None:
    """Say how many photographs a network names rightly; refuse one that names too few."""
    images = unseen.images(torch.arange(len(unseen)))
    right = int((logits_of(model, images).argmax(dim=1).numpy() == unseen.labels).sum())
    said = f"{network}: names {right} of {len(unseen)} photographs rightly that it hasn't seen"
    print(said)
    if right < LEAST_RIGHT * len(unseen):
        raise RuntimeError(said)
