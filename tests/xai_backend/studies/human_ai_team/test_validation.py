"""What validation knows of labels: likely confusions, swapped labels, a lab's own list."""

from types import SimpleNamespace

import numpy as np
import pytest

from stimuli.errors import UserError
from stimuli.protocol import load_protocol
from xai_backend.studies.human_ai_team.ai import PictureAnswer
from xai_backend.studies.human_ai_team.chosen import Labels, counts_of, line_of, listed
from xai_backend.studies.human_ai_team.draw import Judged

OUTPUTS = ("cat", "dog", "bus", "car")
SHARES = {
    "a": (0.97, 0.02, 0.008, 0.002),
    "b": (0.60, 0.30, 0.09, 0.01),
    "c": (0.10, 0.70, 0.15, 0.05),
    "d": (0.25, 0.05, 0.60, 0.10),
}
TRUE = {"a": "cat", "b": "cat", "c": "dog", "d": "bus"}


def protocol_of(labels=(), trials=2):
    validation = {"trials": trials, "right_trials": 1, "pass_right": trials}
    return load_protocol(
        "human_ai_team", None, {"images": {"labels": labels}, "validation": validation}
    )


@pytest.fixture
def answers():
    logits = {item: np.log(np.array(shares, np.float32)) for item, shares in SHARES.items()}
    return {
        item: PictureAnswer(int(own.argmax()), OUTPUTS[int(own.argmax())], max(SHARES[item]), own)
        for item, own in logits.items()
    }


@pytest.fixture
def judged(answers):
    return [Judged(item, TRUE[item], one.label, one.confidence) for item, one in answers.items()]


def labels_of(judged, answers, protocol):
    network = SimpleNamespace(outputs=OUTPUTS)
    ai = SimpleNamespace(output_of=OUTPUTS.index, of=network, recorded=None)
    return Labels.of(judged, protocol, ai, answers)


def test_labels_are_confused_as_often_as_the_ai_takes_either_for_the_other(judged, answers):
    labels = labels_of(judged, answers, protocol_of())
    cat, dog = (
        np.mean([SHARES[k] for k in TRUE if TRUE[k] == true], axis=0) for true in ("cat", "dog")
    )
    assert labels.confusion(Judged("x", "cat", "dog", 0.2)) == pytest.approx(
        max(cat[1], dog[0]), abs=1e-5
    )
    assert labels.confusion(Judged("x", "cat", "car", 0.2)) == pytest.approx(cat[3], abs=1e-5)


def test_a_swapped_label_has_the_ais_confidence_in_it(judged, answers):
    """Neither the true label nor the AI's; the least likely first; only what people may see."""
    labels = labels_of(judged, answers, protocol_of())
    swapped = [(one.label, one.confidence) for one in labels.swapped(judged[0])]
    assert swapped == [("bus", pytest.approx(0.008)), ("dog", pytest.approx(0.02))]
    assert all(one.swapped and not one.right for one in labels.swapped(judged[0]))
    few = labels_of(judged, answers, protocol_of(("cat", "dog")))
    assert [one.label for one in few.swapped(judged[0])] == ["dog"]


def test_a_labs_own_list_shows_the_ais_labels_and_its_own(judged, answers, tmp_path):
    path, protocol = tmp_path / "own.csv", protocol_of()
    labels = labels_of(judged, answers, protocol)
    path.write_text("image,label\na,\nb,bus\n")
    first, second = listed(path, judged, protocol, labels)
    assert (first.label, first.confidence, first.swapped) == ("cat", 0.97, False)
    assert (second.label, second.confidence, second.swapped) == ("bus", pytest.approx(0.09), True)
    assert counts_of([first, second], protocol.validation) == {
        "right": 1, "errors": 0, "swapped": 1, "outside_confidence": 0,
    }  # fmt: skip
    line = line_of([first, second], protocol.validation)
    assert line.startswith(
        "validation: 1 right labels (97 to 97 %), 0 errors of the AI, 1 labels aren't"
    )
    path.write_text("image,label\na,\nb,tram\n")
    with pytest.raises(UserError, match="row 3: tram is not a label of the network"):
        listed(path, judged, protocol, labels)
    path.write_text("image,label\na,\nb,bus\n")
    with pytest.raises(UserError, match=r"row 3: bus is not .* images\.labels"):
        listed(path, judged, protocol_of(("cat", "dog")), labels)
