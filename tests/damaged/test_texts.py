"""Texts: status 2, one line, nothing lost or half-written."""

import pytest

from participants.folder import LabFolder
from tests.damaged.files import write


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("debrief.md", "hello\n", ["debrief.md", "version: N"]),
        ("debrief.md", b"\xff\xfe", ["debrief.md", "UTF-8"]),
        ("end.md", "---\nversion: 1\n---\n{nosuch}\n", ["end", "{nosuch}", "contact"]),
        ("questions.toml", "[check_unseen]\ntext = 3\nchoices = 4\n", ["questions.toml"]),
        ("words.toml", "keys = 3\n", ["words.toml", "[keys]"]),
        ("words.toml", '[keys]\nletter = "{letter}"\n', ["words.toml", "lacks"]),
        (
            "words.toml",
            '[keys]\nletter = "{letter}"\n[caps]\nspace = "Space"\n',
            ["words.toml", "lacks"],
        ),
    ],
)
def test_a_labs_broken_text_stops_a_session_before_it_begins(
    refused, lab, mini_pack, monkeypatch, file, content, words
):
    from experiments.session import run as session

    monkeypatch.setattr(session, "find_display", lambda request: None)
    write(lab / "texts" / "accept_reject" / "en" / file, content)
    said = refused("run", mini_pack, "--robot", "lead")
    for word in words:
        assert word in said
    assert not any(LabFolder.open(lab).data.sessions())
