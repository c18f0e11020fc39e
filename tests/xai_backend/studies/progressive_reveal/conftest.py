"""Fewer simulated players go over an image than in a build for people: they took a third of it."""

import pytest

from tests.xai_backend.studies.progressive_reveal.reveal_packs import BUBBLERS
from xai_backend.studies.progressive_reveal import request


@pytest.fixture(autouse=True, scope="session")
def fewer_bubblers():
    """Let two players go over each image."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(request, "USUAL_BUBBLERS", BUBBLERS)
        yield
