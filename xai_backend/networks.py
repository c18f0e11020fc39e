"""Any network that photographs, pictures or plates can be shown to, by its name."""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from stimuli.places import cache_dir
from xai_backend.models import (
    own_networks,
    picture_cnn,
    plate_cnn,
    timm_models,
    transformers_models,
)
from xai_backend.models.classifier import Classifier, checked_device
from xai_backend.models.frame import PREPROCESSING, InputFrame
from xai_backend.models.own_networks import load_own
from xai_backend.models.picture_cnn import read_pictures
from xai_backend.models.plate_cnn import read_checkpoint
from xai_backend.models.torchvision_models import load_classifier
from xai_backend.own_code import names_own_python
from xai_backend.protopnet import storage


def is_from_elsewhere(name: str) -> bool:
    """Return whether a network's code is neither torchvision's nor the suite's."""
    return ":" in name or name.endswith(own_networks.PROGRAM_SUFFIX)


Reader = Callable[[Path, str], Classifier]


def load_network(name: str, weights: str | None = None, device: str = "cpu") -> Classifier:
    """Return a classifier with its weights.

    Parameters
    ----------
    name
        One of torchvision's; ``timm:NAME``; ``hf:DIR``, a folder of Transformers;
        ``FILE.pt2``, an exported program; ``module:function``, the user's own Python; or one
        whose weights are a checkpoint that ``build`` left: ``plate_cnn``, which reads plates
        and sees the whole of a square picture, ``picture_cnn``, or ``protopnet``.
    weights, device
        See `load_classifier`. A file of settings beside the weights says how the network
        takes pictures (`ModelSettings`).

    Raises
    ------
    UserError
        If there is no such network or device, or the weights aren't available or don't fit.
    """
    place = checked_device(device)
    if name.startswith(timm_models.PREFIX):
        return timm_models.load_timm(name.removeprefix(timm_models.PREFIX), weights, place)
    if name.startswith(transformers_models.PREFIX):
        folder = Path(name.removeprefix(transformers_models.PREFIX)).expanduser()
        return transformers_models.load_transformers(folder, weights, place)
    if name.endswith(own_networks.PROGRAM_SUFFIX):
        return own_networks.load_exported(Path(name).expanduser(), weights, place)
    if names_own_python(name):
        return load_own(name, weights, place)
    if name not in OWN:
        return load_classifier(name, weights, device)
    if weights is None:
        raise UserError(f"{name}: give --weights FILE, {_where(name)}")
    return OWN[name](Path(weights), str(place))


def _plate_network(path: Path, device: str) -> Classifier:
    checkpoint, settings = read_checkpoint(path, device)
    side = settings.stream.input_px
    return Classifier(
        plate_cnn.ARCHITECTURE,
        checkpoint.model.requires_grad_(False),
        InputFrame(resize_px=side, crop_px=side),
        tuple(str(digit) for digit in range(plate_cnn.DIGITS)),
        checkpoint.weights_sha256,
        PREPROCESSING,
    )


def _protopnet(path: Path, device: str) -> Classifier:
    trained = storage.read_protopnet(path, device)
    return trained.classifier(file_sha256(path))


OWN: Mapping[str, Reader] = MappingProxyType(
    {
        plate_cnn.ARCHITECTURE: _plate_network,
        picture_cnn.ARCHITECTURE: read_pictures,
        storage.ARCHITECTURE: _protopnet,
    }
)
"""Networks that are trained here, and the functions that read their checkpoints."""


def _where(name: str) -> str:
    """Return a hint at a checkpoint to use: the path of one that exists, or how to make one."""
    folder = cache_dir() / "checkpoints"
    there = sorted(path.name for path in folder.glob(f"{name}-*[0-9a-f].safetensors"))
    whole = [name for name in there if ".snapshot" not in name]
    if not whole:
        return "a checkpoint that lab.py build leaves"
    return f"such as {folder / whole[0]}"
