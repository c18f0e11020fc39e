"""A network of timm or Transformers sees what its own processor would show it, or is refused."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from torch import nn

from stimuli.errors import UserError
from tests.xai_backend.models.processor_oracle import (
    PICTURES,
    TIMM,
    TRANSFORMERS,
    kept,
    of_transformers,
    picture,
    thinned,
)
from xai_backend.models.classifier import ModelSettings, front_of
from xai_backend.models.frame import InputFrame
from xai_backend.models.image_model import as_images
from xai_backend.models.processors import (
    TOLERANCE,
    UnsupportedSettingError,
    codes_apart,
    followed,
    timm_settings,
    transformers_settings,
)
from xai_backend.models.torchvision_models import untrained
from xai_backend.networks import load_network

ABOUT, INPUTS = kept()
UNSUPPORTED = {
    "DonutImageProcessor": "do_pad",
    "ImageGPTImageProcessor": "do_color_quantize",
    "PPLCNetImageProcessor": "resize_short",
    "PerceiverImageProcessor": "do_center_crop before do_resize",
    "Siglip2ImageProcessor": "max_num_patches",
    "TextNetImageProcessor": "size_divisor",
}


def settings_of(name):
    said = ABOUT["told"][name]
    if said["kind"] == "timm":
        return timm_settings(said["told"])
    settings = transformers_settings(said["kind"], said["told"])
    return settings.model_copy(update={"resizer": "torch"})


def prepared(settings, photo):
    """What a network is shown, (3, H, W)."""
    return front_of(settings)(as_images(torch.tensor(settings.frame.codes(photo)[None])))[0]


def codes_of(settings, values):
    std = settings.std[::-1] if settings.channels == "bgr" else settings.std
    return values * torch.tensor(std).view(3, 1, 1) * 255


@pytest.mark.parametrize("name", [*TRANSFORMERS, *TIMM])
def test_a_picture_is_what_the_processor_made_of_it(name):
    settings = settings_of(name)
    for size in PICTURES:
        found = thinned(prepared(settings, picture(*size)))
        off = codes_of(settings, found - INPUTS[f"{name} {size}"]).abs().max()
        assert off <= TOLERANCE, (name, size, ABOUT["versions"])


def plain(**changes):
    return {
        "do_resize": True,
        "size": {"height": 16, "width": 16},
        "resample": 2,
        "do_rescale": True,
        "rescale_factor": 1 / 255,
        "do_normalize": True,
        "image_mean": 0.5,
        "image_std": [0.5, 0.5, 0.5],
        **changes,
    }


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"do_pad": True}, "do_pad = True"),
        ({"do_resize": False}, "do_resize = False"),
        ({"size": {"height": 16, "width": 24}}, "size = {'height': 16, 'width': 24}"),
        ({"size": {"longest_edge": 16}}, "size = {'longest_edge': 16}"),
        ({"size": {"shortest_edge": 16}}, "size without do_center_crop"),
        ({"do_center_crop": True, "crop_size": {"height": 8, "width": 9}}, "crop_size = "),
        ({"resample": 0}, "resample = 0"),
        ({"resample": 4}, "resample = 4"),
        ({"size_divisor": 32}, "size_divisor = 32"),
        ({"image_mean": [120.0, 120.0, 120.0]}, "mean.1: must be 1 or less"),
    ],
)
def test_a_setting_of_transformers_that_cant_be_followed_is_named(changes, said):
    with pytest.raises(UnsupportedSettingError) as refused:
        transformers_settings("ViTImageProcessor", plain(**changes))
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"input_size": (3, 24, 12)}, "input_size = (3, 24, 12)"),
        ({"input_size": (1, 12, 12)}, "input_size = (1, 12, 12)"),
        ({"crop_mode": "random"}, "crop_mode = 'random'"),
        ({"interpolation": "random"}, "interpolation = 'random'"),
    ],
)
def test_a_setting_of_timm_that_cant_be_followed_is_named(changes, said):
    config = next(iter(TIMM.values())) | changes
    with pytest.raises(UnsupportedSettingError) as refused:
        timm_settings(config)
    assert said in str(refused.value)


@pytest.mark.parametrize("resizer", ["pillow", "torch"])
def test_the_resizer_is_the_processors(resizer):
    said = ModelSettings(side_px=24, resize_px=30, interpolation="bicubic")
    other = said.model_copy(update={"resizer": resizer})
    found = followed(said, lambda photo: prepared(other, photo))
    assert found.resizer == resizer


@pytest.mark.parametrize(
    "changes",
    [
        {"fit": "squash"},
        {"odd_px": "down"},
        {"interpolation": "bicubic"},
        {"channels": "bgr"},
        {"mean": (0.5, 0.5, 0.5)},
        {"resize_px": 31},
        {"side_px": 25},
    ],
)
def test_a_processor_that_does_other_things_than_it_says_is_refused(changes):
    said = ModelSettings(side_px=24, resize_px=30)
    with pytest.raises(UnsupportedSettingError, match="others than its settings say"):
        followed(said, lambda photo: prepared(said.model_copy(update=changes), photo))


class FakeNetwork(nn.Module):
    """Takes pictures of 16 × 16 pixels."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3 * 16 * 16, 2)
        self.config = SimpleNamespace(id2label={0: "cat", 1: "dog"})

    def forward(self, pixel_values):
        return SimpleNamespace(logits=self.layer(pixel_values.flatten(1)))


class FakeProcessor:
    """Squashes, as ViT's does."""

    def __init__(self, told):
        self._told = told

    def to_dict(self):
        return self._told

    def __call__(self, images, return_tensors):
        return {"pixel_values": [prepared(transformers_settings("ViT", self._told), images)]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of Transformers, which is only pretended to be there."""

    class Fake:
        def __init__(self):
            self.told = plain()

        def network(self, *_, **__):
            return FakeNetwork()

        def processor(self, *_, **__):
            if self.told is None:
                raise OSError("there is no preprocessor_config.json\nor so")
            return FakeProcessor(self.told)

    fake = Fake()
    automatic = lambda make: SimpleNamespace(from_pretrained=make)  # noqa: E731
    library = SimpleNamespace(
        AutoModelForImageClassification=automatic(fake.network),
        AutoImageProcessor=automatic(fake.processor),
    )
    monkeypatch.setitem(sys.modules, "transformers", library)
    (tmp_path / "config.json").write_text("{}")
    return tmp_path, fake


def test_a_folder_whose_processor_cant_be_followed_is_one_line_that_names_the_way_out(folder):
    place, fake = folder
    for fake.told in (plain(do_pad=True), None):
        with pytest.raises(UserError, match=r"state side_px, mean and std in .*model\.toml") as no:
            load_network(f"hf:{place}")
        assert "\n" not in str(no.value)
    (place / "model.toml").write_text("side_px = 16\nmean = [0, 0, 0]")
    with pytest.raises(UserError, match="state side_px, mean and std"):
        load_network(f"hf:{place}")
    (place / "model.toml").write_text("side_px = 16\nmean = [0, 0, 0]\nstd = [1, 1, 1]")
    assert load_network(f"hf:{place}").frame == InputFrame(16, 16)


def test_settings_change_what_the_processor_says_and_no_more(folder):
    place, _ = folder
    usual = load_network(f"hf:{place}")
    assert (usual.frame.fit, usual.categories) == ("squash", ("cat", "dog"))
    (place / "model.toml").write_text('fit = "pad"\nborder = [128, 128, 128]')
    stated = load_network(f"hf:{place}")
    assert stated.frame == replace(usual.frame, fit="pad", border=(128, 128, 128))
    assert stated.preprocessing == usual.preprocessing


def test_transformers_networks_are_squashed_as_their_processors_do(tmp_path):
    transformers = pytest.importorskip("transformers")
    config = transformers.ViTConfig(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64,
        image_size=32, patch_size=16, num_labels=3,
    )  # fmt: skip
    transformers.ViTForImageClassification(config).save_pretrained(tmp_path)
    processor = transformers.ViTImageProcessor(size={"height": 32, "width": 32}, resample=3)
    processor.save_pretrained(tmp_path)
    found = load_network(f"hf:{tmp_path}")
    assert (found.frame.fit, found.frame.resize_px, found.frame.crop_px) == ("squash", 32, 32)


@pytest.mark.slow
def test_every_processor_of_transformers_classifiers_is_followed_or_refused():
    transformers = pytest.importorskip("transformers")
    auto = pytest.importorskip("transformers.models.auto.image_processing_auto")
    modeling = pytest.importorskip("transformers.models.auto.modeling_auto")

    known = [
        auto.IMAGE_PROCESSOR_MAPPING_NAMES.get(one)
        for one in modeling.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES
    ]
    kinds = {one["torchvision"] for one in known if one and "torchvision" in one}
    refused = {}
    for kind in sorted(kinds):
        processor = getattr(transformers, kind)()

        def prepare(photo, processor=processor):
            return processor(images=photo, return_tensors="pt")["pixel_values"][0]

        try:
            settings = followed(transformers_settings(kind, processor.to_dict()), prepare)
        except UnsupportedSettingError as fault:
            refused[kind] = str(fault)
            continue
        for size in ((301, 200), (233, 517)):
            assert codes_apart(settings, picture(*size), prepare(picture(*size))) <= TOLERANCE, kind
    assert refused.keys() == UNSUPPORTED.keys()
    assert all(UNSUPPORTED[kind] in said for kind, said in refused.items())


@pytest.mark.slow
def test_what_is_kept_of_transformers_is_what_it_makes():
    transformers = pytest.importorskip("transformers")
    for name in TRANSFORMERS:
        prepare = of_transformers(transformers, name)[1]
        for size in PICTURES:
            off = thinned(prepare(picture(*size))) - INPUTS[f"{name} {size}"]
            assert codes_of(settings_of(name), off).abs().max() <= TOLERANCE, name


@pytest.mark.slow
def test_every_way_in_which_timm_prepares_pictures_is_followed_or_refused():
    timm = pytest.importorskip("timm")
    configs = {}
    for name in timm.list_models():
        config = timm.models.get_pretrained_cfg(name, allow_unregistered=False)
        if config is not None:
            told = timm.data.resolve_data_config(pretrained_cfg=config.to_dict())
            configs[tuple(map(str, told.values()))] = told
    assert len(configs) > 100
    for told in configs.values():
        try:
            settings = timm_settings(told)
        except UnsupportedSettingError:
            assert told["input_size"][1] != told["input_size"][2]
            continue
        prepare = timm.data.create_transform(**told)
        for size in ((301, 200), (233, 317)):
            assert codes_apart(settings, picture(*size), prepare(picture(*size))) < 0.01, told


def test_a_network_of_timms_is_prepared_as_timm_does(tmp_path):
    timm = pytest.importorskip("timm")
    torch.manual_seed(0)
    network = timm.create_model("resnet10t", num_classes=3)
    torch.save(network.state_dict(), tmp_path / "net.pt")
    found = load_network("timm:resnet10t", str(tmp_path / "net.pt"))
    config = timm.data.resolve_model_data_config(network)
    assert found.frame.resize_px == int(config["input_size"][1] / config["crop_pct"])
    photo = picture(301, 200)
    ours = found.model.normalise(as_images(torch.tensor(found.frame.codes(photo)[None])))[0]
    assert (ours - timm.data.create_transform(**config)(photo)).abs().max() < 1e-5


def test_blue_comes_first_where_settings_say_so(tmp_path):
    torch.save(untrained("squeezenet1_1", num_classes=2).state_dict(), tmp_path / "net.pt")
    plain_order = load_network("squeezenet1_1", str(tmp_path / "net.pt"))
    (tmp_path / "net.toml").write_text('channels = "bgr"\nclasses = ["a", "b"]')
    blue_first = load_network("squeezenet1_1", str(tmp_path / "net.pt"))
    images = torch.rand(1, 3, 64, 64)
    shown = [one.model.normalise(images) for one in (plain_order, blue_first)]
    assert torch.equal(shown[0].flip(1), shown[1])
    assert blue_first.preprocessing == {**plain_order.preprocessing, "channels": "bgr"}
