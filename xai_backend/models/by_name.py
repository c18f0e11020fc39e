"""Any network that photographs or plates can be shown to, by its name."""

from pathlib import Path

from stimuli.errors import UserError
from stimuli.places import cache_dir
from xai_backend.models.checkpoint import read_checkpoint
from xai_backend.models.frame import PREPROCESSING, InputFrame
from xai_backend.models.plate_cnn import ARCHITECTURE, DIGITS
from xai_backend.models.torchvision_models import Classifier, checked_device, load_classifier


def load_network(name: str, weights: str | None = None, device: str = "cpu") -> Classifier:
    """Return a classifier with its weights.

    Parameters
    ----------
    name
        One of torchvision's, or ``plate_cnn``: the network that reads plates, whose weights
        are a checkpoint that ``build`` left. It sees the whole of a square picture.
    weights, device
        See `load_classifier`.

    Raises
    ------
    UserError
        If there is no such network or device, or the weights can't be had or don't fit.
    """
    if name != ARCHITECTURE:
        return load_classifier(name, weights, device)
    place = checked_device(device)
    if weights is None:
        raise UserError(f"{name}: give --weights FILE, {_where()}")
    checkpoint, settings = read_checkpoint(Path(weights), str(place))
    side = settings.stream.input_px
    return Classifier(
        name,
        checkpoint.model.requires_grad_(False),
        InputFrame(resize_px=side, crop_px=side),
        tuple(str(digit) for digit in range(DIGITS)),
        checkpoint.weights_sha256,
        PREPROCESSING,
    )


def _where() -> str:
    """Return where checkpoints are, if there are any."""
    folder = cache_dir() / "checkpoints"
    there = sorted(path.name for path in folder.glob(f"{ARCHITECTURE}-*[0-9a-f].safetensors"))
    whole = [name for name in there if ".snapshot" not in name]
    if not whole:
        return "a checkpoint that lab.py build leaves"
    return f"such as {folder / whole[0]}"
