import pytest
import torch
from torch import nn

from stimuli.images.digits import load_digits
from stimuli.plates.spec import PlateSpec
from xai_backend.determinism import deterministic
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, Normalise
from xai_backend.models.image_model import ImageModel
from xai_backend.models.plate_cnn import TrainingSettings, plate_cnn
from xai_backend.models.plate_stream import StreamSettings
from xai_backend.protopnet import ProtoPNet
from xai_backend.protopnet.network import ProtoPNetSettings

COARSE = PlateSpec(dot_radius_min=0.04, dot_radius_max=0.08, density=0.5, min_stroke_dots=1.5)
PLACES = (("deutan", 0.04), ("protan", 0.09))


def stream_settings(**changes):
    values = {
        "spec": COARSE,
        "input_px": 48,
        "places": PLACES,
        "no_numeral_share": 0.1,
        "packings": 4,
        "digits_most": 60,
    }
    return StreamSettings(**{**values, **changes})


def training_settings(**changes):
    values = {"plates": 96, "stream": stream_settings(), "seed": 1, "batch": 16}
    return TrainingSettings(**{**values, **changes})


@pytest.fixture(scope="session")
def digits():
    return load_digits("uci")


@pytest.fixture
def model():
    """An untrained plate network whose batch norms have seen something."""
    with deterministic(seed=3):
        model = plate_cnn(COARSE)
        model.train()
        for _ in range(3):
            model(torch.rand(8, 3, 48, 48))
    return model.eval()


@pytest.fixture
def images():
    return torch.rand(3, 3, 48, 48, generator=torch.Generator().manual_seed(5))


@pytest.fixture
def small_model():
    """A small network for photographs, with random weights."""
    torch.manual_seed(11)
    network = nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1),
        nn.ReLU(),
        nn.Conv2d(6, 8, 3, stride=2, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(32, 5),
    )
    model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network, last_features="3")
    return model.eval().requires_grad_(False)


@pytest.fixture
def small_protopnet(small_model):
    """A ProtoPNet over the small network's convolutions, with random weights."""
    with deterministic(seed=12):
        network = ProtoPNet(small_model.network[:4], 8, 5, ProtoPNetSettings(3, 6))
    with torch.no_grad():
        network.last.weight.mul_(1 + torch.linspace(0, 1, 15))
    model = ImageModel(small_model.normalise, network, last_features="add_on")
    return model.eval().requires_grad_(False)


@pytest.fixture
def small_vit():
    """A small vision transformer, with random weights."""
    # Only now: beside a CPU build of torch, torchvision needs what xai_backend does for it.
    from torchvision.models import VisionTransformer

    with deterministic(seed=13):
        network = VisionTransformer(24, 8, 2, 2, 16, 32, num_classes=5)
        nn.init.normal_(network.heads.head.weight)
    model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network)
    return model.eval().requires_grad_(False)


@pytest.fixture
def photos():
    return torch.rand(3, 3, 24, 24, generator=torch.Generator().manual_seed(7))


@pytest.fixture
def fixed_model():
    """A network whose weights follow from their places alone: the same everywhere, always."""
    network = nn.Sequential(
        nn.Conv2d(3, 4, 3, padding=1),
        nn.BatchNorm2d(4),
        nn.ReLU(),
        nn.MaxPool2d(3, 2, 1),
        nn.Conv2d(4, 6, 3, padding=1),
        nn.ReLU(),
        nn.AdaptiveAvgPool2d(2),
        nn.Flatten(),
        nn.Linear(24, 5),
    )
    _fill(network)
    network[1].running_var.abs_().add_(0.1)
    model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network, last_features="5")
    return model.eval().requires_grad_(False)


@pytest.fixture
def fixed_protopnet():
    """The same of a ProtoPNet."""
    network = ProtoPNet(nn.Conv2d(3, 6, 5, stride=4), 6, 5, ProtoPNetSettings(2, 4))
    _fill(network)
    network.prototypes.data.add_(0.5)
    model = ImageModel(Normalise(IMAGENET_MEAN, IMAGENET_STD), network, last_features="add_on")
    return model.eval().requires_grad_(False)


@torch.no_grad()
def _fill(network):
    for number, values in enumerate(network.state_dict().values()):
        if values.is_floating_point():
            at = torch.arange(values.numel(), dtype=torch.float64).view(values.shape)
            values.copy_(0.4 * torch.sin(1.7 * at + number))


@pytest.fixture
def fixed_image():
    at = torch.arange(3 * 24 * 24, dtype=torch.float64).view(1, 3, 24, 24)
    return (0.5 + 0.5 * torch.sin(0.013 * at * at)).float()
