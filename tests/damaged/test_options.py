"""Options: status 2, one line, nothing lost or half-written."""

import pytest


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", "accept_reject", "--mix", "lead:²", "--out", "o"], "KIND:N"),
        (["run", "x", "--robot", "lead", "--size", "²x³"], "1280x720"),
        (["participants", "enroll"], "No such command"),
        (["participants", "enrol", "--role", "lead", "extra"], "extra"),
        (["plates", "--out", "a\0b"], "null"),
        (["doctor", "--bogus"], "--bogus"),
        (["demo", "--protocol", "nowhere.toml"], "nowhere.toml"),
        (["build", "--seed", "1"], "--seed"),
        (["build", "accept-reject"], "no study"),
    ],
)
def test_an_odd_option_is_named(refused, lab, tmp_path, monkeypatch, arguments, words):
    monkeypatch.chdir(tmp_path)
    assert words in refused(*arguments)
    assert not (lab / "demo").exists()
