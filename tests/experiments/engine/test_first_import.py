"""Three processes on a fresh account: PsychoPy makes its preferences once, none of them fails."""

import importlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from experiments.engine.window import deferred, hidden

ROOT = Path(__file__).parents[3]
IMPORT = "from experiments.engine.window import import_psychopy; import_psychopy()"


def test_processes_that_begin_at_once_all_get_psychopy(tmp_path):
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "USERPROFILE": str(tmp_path),
        "PLAINSIGHT_LAB": str(tmp_path / "lab"),
    }
    running = [
        subprocess.Popen(
            [sys.executable, "-c", IMPORT], env=environment, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    said = [process.communicate()[1] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0], said


def test_a_hidden_package_is_missing_for_a_while_but_not_if_it_was_imported_before():
    assert "json" in sys.modules
    sys.modules.pop("this", None)
    with hidden("this", "json"):
        with pytest.raises(ImportError):
            importlib.import_module("this")
        assert importlib.import_module("json").loads("1") == 1
    assert importlib.util.find_spec("this") is not None
    assert "this" not in sys.modules


def test_a_deferred_module_is_imported_at_its_first_use(tmp_path, monkeypatch):
    (tmp_path / "slow_table.py").write_text("ROWS = 3\n")
    (tmp_path / "its_user.py").write_text("import slow_table\n")
    monkeypatch.syspath_prepend(tmp_path)
    with deferred("slow_table", "json"):
        user = importlib.import_module("its_user")
        assert importlib.import_module("json").loads("1") == 1
    assert "slow_table" not in sys.modules
    assert user.slow_table.ROWS == 3
    assert sys.modules.pop("slow_table").ROWS == 3
    del sys.modules["its_user"]


def test_a_function_s_module_is_imported_when_the_function_is_called(tmp_path, monkeypatch):
    (tmp_path / "slow_rows.py").write_text("def row(n, by=1):\n    return n * by\n")
    (tmp_path / "row_user.py").write_text("from slow_rows import row\n")
    monkeypatch.syspath_prepend(tmp_path)
    with deferred(functions={"slow_rows": ("row",)}):
        user = importlib.import_module("row_user")
    assert "slow_rows" not in sys.modules
    assert user.row(3, by=2) == 6
    assert sys.modules.pop("slow_rows").row(1) == 1
    del sys.modules["row_user"]
