"""Networks as files."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from stimuli.errors import UserError
from xai_backend.models.checkpoint import checkpoint_bytes, read_about, sound
from xai_backend.models.image_model import probability
from xai_backend.models.picture_cnn import read_pictures
from xai_backend.models.plate_cnn import read_checkpoint
from xai_backend.protopnet.storage import read_protopnet


def test_what_is_written_is_read(tmp_path):
    network, about = torch.nn.Linear(3, 2), {"b": [1, 2.5], "a": {"version": 1}}
    path = tmp_path / "one.safetensors"
    path.write_bytes(checkpoint_bytes(network.state_dict(), about))
    assert read_about(path) == about
    found = load_file(path)
    assert all(torch.equal(found[name], value) for name, value in network.state_dict().items())


@pytest.mark.parametrize("read", [read_checkpoint, read_pictures, read_protopnet])
@pytest.mark.parametrize("about", [{}, {"format": 1}, []])
def test_a_file_of_something_else_is_refused_in_one_line(tmp_path, read, about):
    path = tmp_path / "one.safetensors"
    for entry in ("checkpoint", "protopnet", "else"):
        path.write_bytes(checkpoint_bytes({"w": torch.zeros(2)}, about, entry))
        with pytest.raises(UserError, match=r"contains no valid (checkpoint|ProtoPNet)") as refused:
            read(path)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("fault", "said"), [(ValueError("one\ntwo"), "(one)"), (KeyError(), "(KeyError)")]
)
def test_a_fault_is_told_by_its_first_line(tmp_path, fault, said):
    with pytest.raises(UserError, match="contains no valid map") as refused, sound(tmp_path, "map"):
        raise fault
    assert str(refused.value).endswith(said)


def test_a_probability_is_that_of_softmax():
    logits = np.array([1.5, -2, 700, 699], dtype=np.float32)
    wanted = torch.from_numpy(logits).double().softmax(dim=0).tolist()
    assert [probability(logits, k) for k in range(4)] == pytest.approx(wanted, rel=1e-12)
