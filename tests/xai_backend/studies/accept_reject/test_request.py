"""What the options of a build ask for: which digits, and which tasks."""

from pathlib import Path

from stimuli.images import digits
from xai_backend.studies.accept_reject import build as accept_reject
from xai_backend.studies.accept_reject.request import BuildRequest


def test_the_first_command_of_the_readme_needs_no_download(monkeypatch):
    """UCI's digits come with scikit-learn; the protocol's own, MNIST's, are downloaded."""

    def refuse(*asked, **more):
        raise AssertionError("downloads")

    monkeypatch.setattr(digits, "fetch", refuse)
    lines = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8").splitlines()
    (line,) = [line for line in lines if line.startswith("python3 lab.py build accept_reject ")]
    options = line.split()
    request = BuildRequest(source=options[options.index("--source") + 1])
    protocol, found = accept_reject._resolved(request)
    assert (protocol.plates.source, found.source) == ("uci", "uci")
