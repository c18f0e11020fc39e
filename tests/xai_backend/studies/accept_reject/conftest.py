"""One whole build that several modules of tests read, and smaller builds in every test."""

import pytest

from tests.xai_backend.studies.accept_reject.small_builds import (
    TINY,
    build_printed,
    fewer_plates_in,
)


@pytest.fixture(autouse=True)
def fewer_plates(monkeypatch):
    """Let S be evaluated on fewer plates than in a build for people."""
    fewer_plates_in(monkeypatch)


@pytest.fixture(scope="session")
def protocol_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("protocol") / "tiny.toml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def built(tmp_path_factory, protocol_file):
    """One whole build, in a lab of its own: the lab, and what the command printed."""
    lab = tmp_path_factory.mktemp("lab")
    command = ["--protocol", protocol_file, "--robot-experts", 2, "--out", lab / "pack", "--json"]
    with pytest.MonkeyPatch.context() as patch:
        fewer_plates_in(patch)
        patch.setenv("PLAINSIGHT_LAB", str(lab))
        return lab, build_printed(patch, command)
