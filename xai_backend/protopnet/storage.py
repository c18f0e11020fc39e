"""ProtoPNets as files: weights, settings and prototypes in one safetensors file."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import TypeAdapter
from safetensors.torch import load
from torch import Tensor

from stimuli.io.canonical import canonical_json
from stimuli.io.files import write_whole
from xai_backend.models.checkpoint import checkpoint_bytes, checkpoint_id, read_about, sound
from xai_backend.models.classifier import Classifier
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import ImageModel
from xai_backend.models.labelled import Labelled
from xai_backend.progress import Reporter, Silent
from xai_backend.protopnet.backbone import Backbone, blank
from xai_backend.protopnet.network import ProtoPNet, ProtoPNetSettings
from xai_backend.protopnet.trained import ARCHITECTURE, Epoch, Prototype, Trained
from xai_backend.protopnet.training import train_protopnet

FORMAT = "protopnet/1.0"
VERSION = 2
"""Raise it by hand whenever the same settings would give other weights or frames."""

WEIGHTS, PICTURES, PICTURE_OF = "weights.", "pictures", "picture_of"


def trained_protopnet(
    plain: Classifier,
    pictures: Labelled,
    settings: ProtoPNetSettings,
    seed: int,
    folder: Path,
    reporter: Reporter = Silent(),
) -> Path:
    """Return the file of a trained ProtoPNet; it is trained unless the folder already has it.

    The file's name is a hash of all that determines the ProtoPNet: settings, seed, the plain
    network's weights, the pictures. See `train_protopnet`.
    """
    determined_by = {
        "architecture": ARCHITECTURE,
        "version": VERSION,
        "backbone": [plain.name, plain.weights_sha256, plain.preprocessing],
        "settings": _plain(settings),
        "seed": seed,
        "pictures": pictures.content_sha256(),
        "names": list(pictures.names),
    }
    path = folder / f"{checkpoint_id(determined_by)}.safetensors"
    if not path.exists():
        write_protopnet(train_protopnet(plain, pictures, settings, seed, reporter), path)
    return path


def write_protopnet(trained: Trained, path: Path) -> None:
    """Write a ProtoPNet to a file, atomically."""
    state = trained.model.network.state_dict()
    tensors = {f"{WEIGHTS}{name}": value for name, value in state.items()}
    pictures, picture_of = _each_once([prototype.picture for prototype in trained.prototypes])
    tensors |= {PICTURES: torch.from_numpy(pictures), PICTURE_OF: torch.tensor(picture_of)}
    network = trained.model.network
    assert isinstance(network, ProtoPNet)
    about = {
        "format": FORMAT,
        "backbone": asdict(trained.backbone),
        "features": network.add_on[0].in_channels,
        "frame": asdict(trained.frame),
        "classes": list(trained.classes),
        "settings": asdict(trained.settings),
        "prototypes": [_origin(prototype) for prototype in trained.prototypes],
        "history": [asdict(epoch) for epoch in trained.history],
    }
    write_whole(path, checkpoint_bytes(tensors, about, ARCHITECTURE))


def read_protopnet(path: Path, device: str = "cpu") -> Trained:
    """Return the ProtoPNet of a file.

    Raises
    ------
    UserError
        If the file isn't a valid ProtoPNet of this version.
    """
    with sound(path, "ProtoPNet"):
        tensors = load(path.read_bytes())
        about = read_about(path, ARCHITECTURE)
        if about["format"] != FORMAT:
            raise ValueError("it is of another version")
        return _trained(about, tensors, device)


def _trained(about: Mapping[str, Any], tensors: dict[str, Tensor], device: str) -> Trained:
    settings = TypeAdapter(ProtoPNetSettings).validate_python(about["settings"])
    backbone = Backbone(**about["backbone"])
    classes = tuple(about["classes"])
    front, trunk = blank(backbone)
    with torch.device("meta"):  # no initial weights are drawn, since they are read from the file
        network = ProtoPNet(
            trunk,
            about["features"],
            len(classes),
            settings,
        )
    weights = {
        name.removeprefix(WEIGHTS): value
        for name, value in tensors.items()
        if name.startswith(WEIGHTS)
    }
    network.load_state_dict(weights, assign=True)
    model = ImageModel(front, network, last_features="add_on").to(device)
    return Trained(
        model=model.eval().requires_grad_(False),
        backbone=backbone,
        frame=TypeAdapter(InputFrame).validate_python(about["frame"]),
        classes=classes,
        settings=settings,
        prototypes=_prototypes(about["prototypes"], tensors),
        history=tuple(Epoch(**epoch) for epoch in about["history"]),
    )


def _origin(prototype: Prototype) -> dict[str, Any]:
    """Return everything about a prototype except its picture."""
    return {
        "label": prototype.label,
        "image": prototype.image,
        "cell": list(prototype.cell),
        "box": list(prototype.box),
        "distance": prototype.distance,
    }


def _prototypes(
    origins: Sequence[Mapping[str, Any]], tensors: Mapping[str, Tensor]
) -> tuple[Prototype, ...]:
    pictures, picture_of = tensors[PICTURES].numpy(), tensors[PICTURE_OF].tolist()
    return tuple(
        Prototype(
            label=origin["label"],
            image=origin["image"],
            cell=tuple(origin["cell"]),
            box=tuple(origin["box"]),
            distance=origin["distance"],
            picture=pictures[number],
        )
        for origin, number in zip(origins, picture_of, strict=True)
    )


def _each_once(
    pictures: Sequence[np.ndarray[Any, np.dtype[np.uint8]]],
) -> tuple[np.ndarray[Any, np.dtype[np.uint8]], list[int]]:
    """Return each distinct picture once, and the index of each given picture among them."""
    numbers: dict[bytes, int] = {}
    picture_of = [numbers.setdefault(picture.tobytes(), len(numbers)) for picture in pictures]
    first = [picture_of.index(number) for number in range(len(numbers))]
    return np.stack([pictures[k] for k in first]), picture_of


def _plain(settings: ProtoPNetSettings) -> Any:
    return json.loads(canonical_json(asdict(settings)))
