import torch

from xai_backend import torchvision_fix


def test_torchvision_models_work_beside_this_torch():
    from torchvision.models import squeezenet1_1

    assert torchvision_fix.SCHEMAS is None or torch.version.cuda is None
    assert squeezenet1_1().eval()(torch.rand(1, 3, 64, 64)).shape == (1, 1000)


def test_zennit_can_be_imported():
    import zennit.attribution

    assert zennit.attribution.Gradient
