import importlib
import sys

import torch

from xai_backend import torchvision_fix


def test_torchvision_models_work_beside_this_torch():
    from torchvision.models import squeezenet1_1

    assert torchvision_fix.SCHEMAS is None or torch.version.cuda is None
    assert squeezenet1_1().eval()(torch.rand(1, 3, 64, 64)).shape == (1, 1000)


def test_zennit_can_be_imported():
    import zennit.attribution

    assert zennit.attribution.Gradient


def test_torch_s_compiler_is_lent_until_it_is_asked_for(monkeypatch):
    """As it is in a process that has not loaded the compiler."""
    names = "torch._dynamo", "torch._dynamo.utils"
    with monkeypatch.context() as patch:
        for name in names:
            patch.delitem(sys.modules, name, raising=False)
        with torchvision_fix._compiler_left_out():
            lent = importlib.import_module(names[1])
            assert not hasattr(lent, "__file__")
        assert not {*names} & {*sys.modules}
    assert lent.is_compile_supported("cpu") is True
    assert importlib.import_module(names[1]) is not lent
    assert torch._dynamo.config.cache_size_limit > 0
