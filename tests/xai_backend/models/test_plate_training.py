import pytest
import torch

from stimuli.errors import UserError
from tests.xai_backend.conftest import COARSE, stream_settings, training_settings
from xai_backend.models import plate_cnn as checkpoints
from xai_backend.models.plate_cnn import (
    Snapshots,
    TrainingSettings,
    checkpoint_id,
    identity,
    train,
    trained,
)
from xai_backend.models.plate_reading import accuracies, held_out_plates
from xai_backend.models.plate_stream import StreamSettings
from xai_backend.progress import Silent


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 2},
        {"plates": 112},
        {"label_smoothing": 0.1},
        {"stream": stream_settings(packings=5)},
    ],
)
def test_whatever_determines_the_weights_changes_the_name(digits, changes):
    names = {checkpoint_id(identity(training_settings(**some), digits)) for some in ({}, changes)}
    assert len(names) == 2


def test_training_goes_on_from_a_snapshot_to_the_same_weights(digits):
    kept = {}
    snapshots = Snapshots(keep=lambda step, state: kept.update({step: state}), every=2)
    whole = train(training_settings(), digits, snapshots=snapshots)
    assert sorted(kept) == [2, 4]
    resumed = train(training_settings(), digits, snapshots=Snapshots(start=(4, kept[4])))
    for name, value in whole.state_dict().items():
        assert torch.equal(value, resumed.state_dict()[name]), name


def test_an_interrupted_training_leaves_a_snapshot_and_uses_it(digits, tmp_path, monkeypatch):
    undisturbed = trained(training_settings(), digits, tmp_path / "a", Silent())
    monkeypatch.setattr(checkpoints, "SNAPSHOT_STEPS", 2)

    class Impatient(Silent):
        seen = 0

        def stage(self, title, total, done=0):
            import contextlib

            @contextlib.contextmanager
            def counting():
                yield self.count

            return counting()

        def count(self, plates):
            self.seen += plates
            if self.seen >= 80:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(training_settings(), digits, tmp_path / "b", Impatient())
    (snapshot,) = (tmp_path / "b").iterdir()
    assert "snapshot" in snapshot.name
    resumed = trained(training_settings(), digits, tmp_path / "b", Silent())
    assert resumed.weights_sha256 == undisturbed.weights_sha256
    assert not snapshot.exists()


def test_a_damaged_checkpoint_is_refused_by_name(digits, tmp_path):
    trained(training_settings(), digits, tmp_path, Silent())
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(UserError, match=r"contains no valid checkpoint .* delete it"):
        trained(training_settings(), digits, tmp_path, Silent())


@pytest.mark.slow
def test_the_network_learns_to_read_and_reads_nothing_without_contrast(digits):
    plates, input_px, least = 2560, 64, 0.6
    places = (("deutan", 0.06),)
    stream = StreamSettings(COARSE, input_px, places, 0.0, packings=24, digits_most=1100)
    model = train(TrainingSettings(plates, stream, seed=1, batch=32), digits)
    plates = held_out_plates(digits, COARSE, 1, 120, frozenset())
    places = [("deutan", 1, 0.06), ("protan", 1, 0.06), ("deutan", 0, 0.0)]
    read, other_axis, nothing = accuracies(model, plates, places, COARSE, input_px)
    assert read.accuracy > least
    assert read.ci_low < read.accuracy < read.ci_high
    assert other_axis.accuracy > least
    assert nothing.ci_low < nothing.chance < nothing.ci_high


def test_evaluation_leaves_out_a_packs_digits(digits):
    own = frozenset(int(index) for index in digits.held_out_indices[:650])
    plates = held_out_plates(digits, COARSE, 1, 400, own)
    assert len(plates) == len(digits.held_out_indices) - 650
