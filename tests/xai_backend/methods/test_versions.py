"""Golden maps: a method's version is raised where they change by more than rounding."""

import pytest
import torch

from xai_backend.methods import method_of

GOLDEN = {
    ("occlusion", 1): [
        *(-0.694608, -0.0658262, -0.137753, 0.100699, 0.141912),
        *(-0.0685759, 0.242926, 0.098081, 0.09357),
    ],
    ("lrp", 2): [
        *(-0.00584372, -0.000227711, -0.00243667, -0.00199935, -0.000736921),
        *(-0.00178075, 0.00681029, 0.00540148, 0.00654717),
    ],
    ("extremal_perturbation", 2): [
        *(0.870024, 0.0405179, 0.0811916, 2.15381, 0.316445),
        *(0.00596032, 1.49885, 0.184189, 0.0157781),
    ],
    ("protopnet", 2): [
        *(1.2093, 1.15067, 0.776409, 1.40007, 1.37405),
        *(1.42557, 0.884356, 1.07535, 1.37503),
    ],
}
"""Every ninth pixel of the map of ``fixed_image``, by method and version."""

SETTINGS = {
    "patch_px": 8,
    "stride_px": 4,
    "iterations": 12,
    "step_px": 4,
    "sigma_px": 9.0,
    "variant": "suite",
}


@pytest.mark.parametrize(("name", "version"), sorted(GOLDEN))
def test_the_map_of_a_version_stays(name, version, fixed_model, fixed_protopnet, fixed_image):
    model = fixed_protopnet if name == "protopnet" else fixed_model
    method = method_of(name, SETTINGS)
    assert method.version == version
    found = method.explain(model, fixed_image, torch.tensor([2]))[0]
    golden = GOLDEN[name, version]
    assert found[::9, ::9].flatten().tolist() == pytest.approx(golden, rel=1e-4, abs=1e-6)
