"""The collector rests while a verb starts, and never longer than the verb."""

import gc

from experiments import cli


def test_the_collector_rests_in_a_verb_and_works_again_after_a_mistake(monkeypatch, capsys):
    seen = []
    monkeypatch.setattr(cli, "run_app", lambda app, arguments: seen.append(gc.isenabled()) or 2)
    assert cli.main(["run"]) == 2
    assert (seen, gc.isenabled()) == ([False], True)
