"""The network that comes with the checkout is what the demo's protocol trains."""

import pytest

from stimuli.catalogue import studies_of
from stimuli.images.digits import load_digits
from stimuli.protocol import load_protocol
from stimuli.studies.accept_reject.tasks import plate_spec
from xai_backend.models import plate_cnn
from xai_backend.models.plate_cnn import trained
from xai_backend.models.plate_reading import accuracies, held_out_plates
from xai_backend.progress import Silent
from xai_backend.studies.accept_reject.network import places_of, training_settings

PLATES = 100


@pytest.fixture(scope="module")
def protocol():
    recipe = studies_of("experiments")["accept_reject"].demo
    return load_protocol("accept_reject", recipe.protocol)


def test_the_demo_finds_its_network(protocol, tmp_path):
    """Where this fails, the demo's settings have changed: train its network anew."""
    shipped = trained(training_settings(protocol), load_digits("uci"), tmp_path, Silent())
    assert shipped.path.parent == plate_cnn.SHIPPED
    assert [path.stem for path in plate_cnn.SHIPPED.iterdir()] == [shipped.checkpoint_id]


@pytest.mark.slow
def test_training_gives_a_network_that_reads_the_same(protocol, tmp_path, monkeypatch):
    digits, settings = load_digits("uci"), training_settings(protocol)
    shipped = trained(settings, digits, tmp_path, Silent())
    monkeypatch.setattr(plate_cnn, "SHIPPED", tmp_path)
    again = trained(settings, digits, tmp_path, Silent())
    plates = held_out_plates(digits, plate_spec(protocol.plates), 1, PLATES, frozenset())
    one, other = (_accuracies(network, plates, protocol) for network in (shipped, again))
    assert one == pytest.approx(other, abs=0.03)


def _accuracies(network, plates, protocol):
    input_px, spec = protocol.system.input_px, plate_spec(protocol.plates)
    read = accuracies(network.model, plates, places_of(protocol), spec, input_px)
    return [one.accuracy for one in read]
