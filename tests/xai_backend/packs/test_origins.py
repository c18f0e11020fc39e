"""What packs say of methods and networks: by name, settings and hashes, without a path."""

import captum
import pytest

from stimuli.io.canonical import file_sha256
from stimuli.maps.origin import Origin
from xai_backend.methods import named_method
from xai_backend.packs.origins import computed, name_in_pack
from xai_backend.studies.human_ai_team import protocol as team
from xai_backend.studies.human_ai_team.request import TeamRequest
from xai_backend.studies.progressive_reveal import protocol as reveal

OWN = """\
def edges(model, inputs, targets, power=1.0):
    return inputs.mean(dim=1) ** power
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with a method of the lab's, from which the command is typed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_edges.py").write_text(OWN, encoding="utf-8")
    return tmp_path


def test_a_labs_own_function_is_named_with_its_settings_and_its_files_hash(own):
    made = computed(named_method("own_edges:edges", ["power=2"]), "resnet50", "b2")
    code = file_sha256(own / "own_edges.py")
    assert made == Origin("network", "resnet50", "own_edges:edges", "power=2.0", code, "b2")


def test_methods_of_the_suite_and_of_captum_are_named_with_their_settings():
    occlusion = computed(named_method("occlusion", ["patch_px=16"]), "resnet50", "b2")
    settings = "patch_px=16, precision=float32, stride_px=8"
    assert occlusion == Origin("network", "resnet50", "occlusion", settings, "", "b2")
    lime = computed(named_method("captum:Lime", ["n_samples=20"]), "resnet50", "b2")
    assert lime.method == "captum:Lime"
    assert {f"captum={captum.__version__}", "n_samples=20"} <= {*lime.settings.split(", ")}


@pytest.mark.parametrize(
    ("typed", "packed"),
    [
        ("/home/me/nets/net.pt2", "net.pt2"),
        ("hf:/home/me/vit-base", "hf:vit-base"),
        ("my_networks:small", "my_networks:small"),
        ("timm:resnet10t", "timm:resnet10t"),
        ("resnet50", "resnet50"),
    ],
)
def test_a_packs_protocol_names_a_network_without_its_folder(typed, packed):
    assert name_in_pack(typed) == packed
    assert reveal.resolved(None, None, typed, None).system.network == packed
    request = TeamRequest(source="photos", model=typed)
    assert team.resolved(request).system.network == packed
