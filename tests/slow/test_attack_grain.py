"""A pack of real digits: a classifier that looks at the grain doesn't find the attacked ones."""

import io
import os

import numpy as np
import pytest
from PIL import Image
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import cross_val_predict

from stimuli.pack import open_pack
from stimuli.studies.human_ai_team.tables import ITEMS, KEY
from xai_backend import cli

PROTOCOL = """\
schema = "protocol/1.0"
study = "human_ai_team"
name = "grain"
[attack]
disguise = "{disguise}"
[help]
arms = ["confidence"]
"""
EDGE_PX = 8


def grain(picture):
    """Features of an image's grain: steps between neighbours, their likeness, the edges' spread."""
    features = []
    for codes in (
        picture.mean(axis=2), picture[..., 0] - picture[..., 1], picture[..., 2] - picture[..., 1]
    ):  # fmt: skip
        for axis in (0, 1):
            features += [*np.percentile(np.abs(np.diff(codes, axis=axis)), [25, 50, 75])]
        centred = codes - np.median(codes)
        features.append((centred[1:] * centred[:-1]).mean())
        for edge in (
            centred[:EDGE_PX], centred[-EDGE_PX:], centred[:, :EDGE_PX], centred[:, -EDGE_PX:]
        ):  # fmt: skip
            features.append((edge**2).mean())
    return features


def found_by_grain(pack):
    """The area under the ROC curve of a forest that says which images were attacked."""
    files = {row["presentation"]: row["image_file"] for row in pack.table(ITEMS)}
    rows = [row for row in pack.table(KEY) if row["role"] == "main"]
    pictures = [
        np.asarray(Image.open(io.BytesIO(pack.asset(files[row["presentation"]]))), dtype=float)
        for row in rows
    ]
    features = np.array([grain(picture) for picture in pictures])
    truth = np.array([row["adversarial"] for row in rows])
    forest = RandomForestClassifier(400, random_state=0, min_samples_leaf=3)
    said = cross_val_predict(forest, features, truth, cv=5, method="predict_proba")[:, 1]
    return roc_auc_score(truth, said)


@pytest.mark.slow
@pytest.mark.parametrize(("disguise", "least", "most"), [("none", 0.95, 1), ("borrowed", 0.4, 0.6)])
def test_grain_tells_attacked_digits_only_without_the_disguise(
    tmp_path, monkeypatch, disguise, least, most
):
    if "PLAINSIGHT_TEST_DATA" not in os.environ:
        pytest.skip("needs MNIST; name its folder's folder by PLAINSIGHT_TEST_DATA")
    monkeypatch.setenv("PLAINSIGHT_DATA", os.environ["PLAINSIGHT_TEST_DATA"])
    file = tmp_path / "grain.toml"
    file.write_text(PROTOCOL.format(disguise=disguise))
    build = ["build", "human_ai_team", "--source", "mnist", "--protocol", str(file)]
    assert cli.main([*build, "--out", str(tmp_path / "pack")]) == 0
    assert least <= found_by_grain(open_pack(tmp_path / "pack")) <= most
