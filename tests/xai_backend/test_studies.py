"""Each study declares its `build` command, and the command line loads no network for its help."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from stimuli import studies as shown
from xai_backend.packs import run
from xai_backend.studies import STUDIES
from xai_backend.study import Study

HELP = """
import sys
from xai_backend.cli import main
assert main(["build", *sys.argv[1:], "--help"]) == 0
print([name for name in ("torch", "numpy", "stimuli.protocol") if name in sys.modules])
"""


def test_every_study_that_is_shown_can_be_built():
    assert list(STUDIES) == list(shown.STUDIES)
    assert all(isinstance(study, Study) for study in STUDIES.values())


@pytest.mark.parametrize("words", [[], ["human_ai_team"]])
def test_help_is_printed_without_networks_and_protocols(words):
    done = subprocess.run([sys.executable, "-c", HELP, *words], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


@dataclass(frozen=True)
class Made:
    pack: Path
    pack_id: str
    kind: str
    images: int


@pytest.mark.parametrize("simulated", ["", "E's answers come from robot-1"])
@pytest.mark.parametrize("foreign", [{}, {"de": "the sentences are in English"}])
@pytest.mark.parametrize("lacking", [{}, {"de": ("it has no texts",)}])
@pytest.mark.parametrize("as_json", [True, False])
def test_what_was_built_is_printed_as_lines_or_as_json(
    capsys, monkeypatch, as_json, simulated, foreign, lacking
):
    """Last of all that robots stand for people, and what isn't in a session's language."""
    monkeypatch.setattr(run, "open_pack", lambda folder: folder)
    monkeypatch.setattr(run, "simulated_people", lambda pack: simulated)
    monkeypatch.setattr(run, "foreign_texts", lambda pack: foreign)
    monkeypatch.setattr(run, "lacking_texts", lambda pack: lacking)
    made = Made(Path("packs/p"), "p solutions 1", "solutions", 3)
    run.run_build(
        lambda request, reporter: made, None, lambda built: [f"{built.images}"], as_json=as_json
    )
    printed = capsys.readouterr().out
    if as_json:
        expected = {"pack": "packs/p", "pack_id": made.pack_id, "kind": "solutions", "images": 3}
        told = {"simulated": simulated, "other_language": foreign}
        told["texts_lacking"] = {language: [*said] for language, said in lacking.items()}
        assert json.loads(printed) == expected | {"pack": str(made.pack), **told}
    else:
        last = f"Simulated people: {simulated}. {run.NOT_FOR_MAIN}\n" if simulated else ""
        last += "In sessions in German, the sentences are in English.\n" if foreign else ""
        last += "No session can be in German yet: it has no texts\n" if lacking else ""
        assert printed == f"pack: {made.pack}\npack_id: {made.pack_id}\n3\n{last}"
