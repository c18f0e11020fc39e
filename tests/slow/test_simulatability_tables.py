"""Adult at full size: the models' accuracy. With ``-s`` the figures are printed.

PLAINSIGHT_TEST_DATA names the folder with ``adult/``, or it lies in ``shared/data``.
"""

import time

import numpy as np
import pytest

from tests.xai_backend.studies.simulatability.tables import protocol
from tests.xai_backend.studies.simulatability.test_table_data import adult_folder
from xai_backend.studies.simulatability.table_columns import published_splits
from xai_backend.studies.simulatability.table_data import read_table
from xai_backend.studies.simulatability.train_table import trained_table


def new_rows(trained):
    """Test rows that weren't drawn into the training split too: the published draw replaces."""
    places = published_splits([row.label for row in read_table(adult_folder()).rows])
    new = ~np.isin(places["test"], places["train"])
    return [row for row, is_new in zip(trained.splits["test"], new, strict=True) if is_new]


def accuracy(model, rows):
    said = model.margins([row.instance for row in rows]) > 0
    return np.mean(said == [row.label == model.classes[1] for row in rows])


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["near_code", "near_paper"])
def test_adults_models_are_as_good_as_the_published_ones(tmp_path, variant):
    began_s = time.process_time()
    trained = trained_table(adult_folder(), protocol(variant), folder=tmp_path)
    used_s = time.process_time() - began_s
    model, prototypes = trained.accuracy
    print(f"\n{variant}: MLP {model:.4f}, prototypes {prototypes:.4f}; CPU {used_s:.0f} s")
    new = new_rows(trained)
    print(
        f"  on the {len(new)} test rows that aren't training rows too: "
        f"MLP {accuracy(trained.model, new):.4f}, "
        f"prototypes {accuracy(trained.prototypes, new):.4f}"
    )
    assert model >= 0.83  # published 83.49
    assert prototypes >= 0.80  # published 81.90
    given = trained.splits["test"][0].instance
    assert trained.model.margins_without(given).shape == (12,)
