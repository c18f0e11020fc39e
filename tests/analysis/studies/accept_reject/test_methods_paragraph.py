"""The methods paragraph says how regions were made, by the protocol that the data came with."""

import pytest

from analysis.studies.accept_reject.methods import methods_paragraphs
from tests.analysis.studies.accept_reject.simulate_table import simulate
from tests.analysis.studies.accept_reject.whole import results_of

YOKED = "The area of S’s region was that of E’s painting of the same plate."
FIXED = "Every region covered 9 % of the plate’s disc."
DISCS = "Regions were drawn as separate equal discs, 12 if there was room, on the most relevant"


@pytest.fixture(scope="module")
def results():
    return results_of(simulate(["lead"] * 3, per_solver=6, scale=0.3))


@pytest.mark.parametrize(
    ("explanation", "said", "unsaid"),
    [
        ({"area": "yoked", "outline": "free"}, [YOKED], [FIXED, DISCS]),
        ({"area": "fixed", "fixed_area": 0.09, "outline": "free"}, [FIXED], [YOKED, DISCS]),
        ({"area": "yoked", "outline": "discs"}, [YOKED, DISCS], [FIXED]),
        ({"area": "yoked"}, [YOKED], [FIXED, DISCS]),
    ],
    ids=["yoked", "fixed", "discs", "before 1.3"],
)
def test_how_regions_were_made(results, explanation, said, unsaid):
    protocol = results["protocol"] | {"explanation": explanation}
    design, _ = methods_paragraphs(results | {"protocol": protocol})
    text = " ".join(design)
    assert all(sentence in text for sentence in said)
    assert not any(sentence in text for sentence in unsaid)
