"""The methods paragraph says how regions were made, by the protocol that the data came with."""

import pytest

from analysis.studies.accept_reject.questions.participants import region_sentence
from stimuli.protocol import load_protocol, protocol_from_resolved

YOKED = "The area of S’s region was that of E’s painting of the same plate."
FIXED = "Every region covered 9 % of the plate’s disc."
DISCS = "Regions were drawn as separate equal discs, 12 if there was room, on the most relevant"


@pytest.mark.parametrize(
    ("explanation", "said", "unsaid"),
    [
        ({"area": "yoked", "outline": "free"}, [YOKED], [FIXED, DISCS]),
        ({"area": "fixed", "fixed_area": 0.09, "outline": "free"}, [FIXED], [YOKED, DISCS]),
        ({"area": "yoked", "outline": "discs"}, [YOKED, DISCS], [FIXED]),
    ],
    ids=["yoked", "fixed", "discs"],
)
def test_how_regions_were_made(explanation, said, unsaid):
    protocol = load_protocol("accept_reject").resolved()
    protocol["explanation"] |= explanation
    text = region_sentence(protocol_from_resolved(protocol, "a protocol").explanation)
    assert all(sentence in text for sentence in said)
    assert not any(sentence in text for sentence in unsaid)
