"""Networks as files."""

import pytest
import torch

from stimuli.errors import UserError
from xai_backend.models.checkpoint import checkpoint_bytes, sound
from xai_backend.models.picture_cnn import read_pictures
from xai_backend.models.plate_cnn import read_checkpoint
from xai_backend.protopnet.storage import read_protopnet


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
