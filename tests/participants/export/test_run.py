"""An export is written whole or not at all, and the command says which."""

import json
import os
import signal

import pytest

from participants.cli import main
from participants.export import run
from participants.export.run import export_bids
from participants.registry import Registry
from participants.registry.tables import exports
from stimuli.errors import UserError
from tests.participants.export.conftest import EVERYBODY, keep
from tests.participants.export.exported import asked

pytestmark = pytest.mark.usefixtures("usual_lab")


def test_a_folder_that_holds_something_is_left_alone(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    with pytest.raises(UserError, match="is not empty; name a new folder"):
        export_bids(asked(tmp_path))
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["thesis.tex"]


def test_a_failure_on_the_way_leaves_no_folder_and_no_note(tmp_path, lab, monkeypatch):
    def full(folder, files):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("participants.export.run._write", full)
    with pytest.raises(UserError, match="No space left on device"):
        export_bids(asked(tmp_path))
    assert {path.name for path in tmp_path.iterdir()} == {"lab"}
    registry = Registry.open(lab.registry_url)
    assert registry.transact(lambda connection: connection.execute(exports.select()).all()) == []


def test_the_verb_says_what_it_did(tmp_path, capsys):
    words = ["export", "bids", "--out", str(tmp_path / "out"), "--purpose", "robot"]
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["participants"], told["noted"], told["left_out"]) == (EVERYBODY, True, {})
    assert main(words) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main(["export", "psych-ds", "--out", str(tmp_path / "p"), "--study", "none"]) == 2
    assert "no study 'none'" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a forked child")
def test_of_an_export_that_was_killed_the_same_command_leaves_nothing_behind(tmp_path, lab):
    keep(lab, "human_ai_team")
    words = ["export", "bids", "--study", "human_ai_team", "--purpose", "robot", "--out"]
    assert main([*words, str(tmp_path / "whole")]) == 0
    for _ in range(2):
        if not (child := os.fork()):
            run.write_private = lambda path, data: os.kill(os.getpid(), signal.SIGKILL)
            main([*words, str(tmp_path / "out")])
            os._exit(0)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    assert {path.name for path in tmp_path.iterdir()} == {"lab", "whole", ".out-.part"}
    assert main([*words, str(tmp_path / "out")]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {"lab", "whole", "out"}
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    registry = Registry.open(lab.registry_url)
    noted = registry.transact(lambda connection: connection.execute(exports.select()).all())
    assert [row.place for row in noted] == [str(tmp_path / "whole"), str(tmp_path / "out")]


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
