"""One build that several modules of tests read."""

import json

import pytest

from tests.xai_backend.studies.human_ai_team.digit_packs import TINY, built_here, options_of


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A lab with a protocol and the trained network, and what `build --json` said of a pack."""
    lab = tmp_path_factory.mktemp("lab")
    (lab / "tiny.toml").write_text(TINY, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        status, said, wrong = built_here(patch, lab, *options_of(lab))
    assert status == 0, wrong
    return lab, json.loads(said)
