import pickle
from urllib.error import URLError

import pytest
import safetensors.torch
import torch
from torchvision import models

from stimuli.errors import UserError
from stimuli.io.canonical import file_sha256
from xai_backend.models import torchvision_models
from xai_backend.models.classifier import EvenAveragePool, read_state
from xai_backend.models.frame import InputFrame
from xai_backend.models.torchvision_models import load_classifier


@pytest.fixture(scope="module")
def state():
    torch.manual_seed(4)
    return models.squeezenet1_1(num_classes=7).state_dict()


@pytest.fixture
def weights(tmp_path, state):
    path = tmp_path / "own.pt"
    torch.save(state, path)
    return path


def test_a_local_file_gives_the_network_that_was_saved(weights, state):
    classifier = load_classifier("squeezenet1_1", str(weights))
    network = models.squeezenet1_1(num_classes=7).eval()
    network.load_state_dict(state)
    images = torch.rand(2, 3, 64, 64)
    own = classifier.model
    assert torch.equal(own(images), network(own.normalise(images)))
    assert classifier.frame == InputFrame(256, 224, "bilinear")
    assert classifier.categories == ()
    assert classifier.weights_sha256 == file_sha256(weights)
    assert not own.training
    assert own.network.get_submodule(own.last_features)


def test_safetensors_half_precision_and_wrappings_give_the_same(tmp_path, state):
    safetensors.torch.save_file(state, tmp_path / "a.safetensors")
    wrapped = {"state_dict": {f"module.{key}": value for key, value in state.items()}, "epoch": 3}
    torch.save(wrapped, tmp_path / "b.pt")
    torch.save({key: value.half() for key, value in state.items()}, tmp_path / "c.pt")
    for name, tolerance in (("a.safetensors", 0.0), ("b.pt", 0.0), ("c.pt", 1e-3)):
        found = read_state(tmp_path / name)
        assert found.keys() == state.keys()
        for key, value in found.items():
            assert value.dtype == torch.float32
            assert torch.allclose(value, state[key], atol=tolerance)


def test_nothing_but_tensors_is_unpickled(tmp_path, recwarn):
    class Trap:
        def __reduce__(self):
            return (tmp_path.joinpath("sprung").touch, ())

    torch.save({"state_dict": Trap()}, tmp_path / "trap.pt")
    (tmp_path / "old.pt").write_bytes(pickle.dumps(Trap(), protocol=2))
    (tmp_path / "new.pt").write_bytes(pickle.dumps(Trap(), protocol=4))
    for name in ("trap.pt", "old.pt", "new.pt"):
        with pytest.raises(UserError, match=f"{name}: is not a file of weights"):
            read_state(tmp_path / name)
    assert not (tmp_path / "sprung").exists()
    # torch warns of a pickle's protocol; one line of ours is enough.
    assert not recwarn.list


def test_files_that_are_no_weights_are_one_line(tmp_path, state):
    (tmp_path / "letter.pt").write_text("this is a letter", encoding="utf-8")
    (tmp_path / "letter.safetensors").write_text("this is a letter", encoding="utf-8")
    (tmp_path / "empty.pt").write_bytes(b"")
    torch.save([1, 2], tmp_path / "list.pt")
    torch.save(state, tmp_path / "whole.pt")
    data = (tmp_path / "whole.pt").read_bytes()
    (tmp_path / "torn.pt").write_bytes(data[: len(data) // 2])
    for name in ("letter.pt", "letter.safetensors", "empty.pt", "list.pt", "torn.pt", "none.pt"):
        with pytest.raises(UserError, match=name) as line:
            read_state(tmp_path / name)
        assert "\n" not in str(line.value)


def test_weights_of_another_network_name_what_differs(tmp_path, state):
    torch.save(models.resnet18(num_classes=3).state_dict(), tmp_path / "other.pt")
    with pytest.raises(UserError, match=r"doesn't fit squeezenet1_1 \(.* is missing\)"):
        load_classifier("squeezenet1_1", str(tmp_path / "other.pt"))
    wrong = {**state, "features.0.weight": torch.zeros(64, 3, 5, 5)}
    torch.save(wrong, tmp_path / "wrong.pt")
    with pytest.raises(UserError, match=r"features.0.weight"):
        load_classifier("squeezenet1_1", str(tmp_path / "wrong.pt"))
    torch.save({**state, "more": torch.zeros(1)}, tmp_path / "more.pt")
    with pytest.raises(UserError, match="more is unknown"):
        load_classifier("squeezenet1_1", str(tmp_path / "more.pt"))


def test_wrong_names_suggest_near_ones(weights):
    with pytest.raises(UserError, match="no model 'squeezenet11'; did you mean squeezenet1_1"):
        load_classifier("squeezenet11")
    with pytest.raises(UserError, match="neither a file nor one of IMAGENET1K_V1"):
        load_classifier("squeezenet1_1", "nowhere.pt")
    with pytest.raises(UserError, match="finds no such device"):
        load_classifier("squeezenet1_1", str(weights), "cuda:99")
    with pytest.raises(UserError, match="is no device"):
        load_classifier("squeezenet1_1", str(weights), "abacus")


def test_without_network_the_line_says_where_the_file_goes(tmp_path, monkeypatch):
    def unreachable(*arguments, **options):
        raise URLError(OSError(-2, "Name or service not known"))

    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    monkeypatch.setattr(torch.hub, "download_url_to_file", unreachable)
    with pytest.raises(UserError, match="Name or service not known") as line:
        load_classifier("squeezenet1_1")
    said = str(line.value)
    assert "https://download.pytorch.org/models/squeezenet1_1-b8a52dc0.pth" in said
    assert str(tmp_path / "checkpoints") in said
    assert "--weights FILE" in said


def test_weights_that_were_put_there_are_taken_with_their_preset(tmp_path, monkeypatch):
    """MobileNetV2's second weights see another frame than its first, and so do their files."""
    torch.manual_seed(1)
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    torch.save(models.mobilenet_v2().state_dict(), folder / "mobilenet_v2-7ebf99e0.pth")
    monkeypatch.setattr(torch.hub, "get_dir", lambda: str(tmp_path))
    named = load_classifier("mobilenet_v2", "IMAGENET1K_V2")
    as_file = load_classifier("mobilenet_v2", str(folder / "mobilenet_v2-7ebf99e0.pth"))
    assert named.frame == as_file.frame == InputFrame(232, 224, "bilinear")
    assert named.categories[:2] == ("tench", "goldfish")


@pytest.mark.parametrize(
    "name", ["alexnet", "googlenet", "mobilenet_v3_small", "shufflenet_v2_x0_5", "mnasnet0_5"]
)
def test_named_features_are_feature_maps(name):
    """GradCAM's usual layer exists and gives maps, in families of each kind."""
    options = {"init_weights": False} if name == "googlenet" else {}
    kept = []
    layer = torchvision_models.last_features(name)
    with torch.device("meta"):
        network = models.get_model(name, weights=None, **options).eval()
        network.get_submodule(layer).register_forward_hook(lambda *call: kept.append(call[2]))
        network(torch.zeros(1, 3, 224, 224))
    assert kept[0].dim() == 4
    assert min(kept[0].shape[2:]) > 1


@pytest.mark.parametrize(
    ("size", "sides"), [((7, 7), (7, 7)), (2, (6, 4)), (3, (7, 9)), ((1, None), (4, 5))]
)
def test_even_pooling_is_adaptive_pooling(size, sides):
    usual, even = torch.nn.AdaptiveAvgPool2d(size), EvenAveragePool(size)
    features = torch.rand(2, 3, *sides)
    assert (usual(features) - even(features)).abs().max() <= 1e-6


def test_networks_pool_evenly_and_zennit_still_knows_the_pool(weights):
    from zennit.types import AvgPool

    network = load_classifier("squeezenet1_1", str(weights)).model.network
    pools = [module for module in network.modules() if isinstance(module, EvenAveragePool)]
    assert len(pools) == 1
    assert isinstance(pools[0], AvgPool)
