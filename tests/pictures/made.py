"""Packs, screens and reports of which the documentation has pictures."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from docs.photographs import write_photographs
from experiments.session.pictures import CHOSEN
from stimuli.pack import Pack, open_pack
from stimuli.protocol import load_any_protocol
from stimuli.screening.rules import screening_pack
from tests.experiments.rehearsal import Screen
from tests.experiments.screening.screening_rehearsal import rehearse_screening
from tests.experiments.studies.accept_reject.expert_rehearsal import rehearse_expert
from tests.experiments.studies.accept_reject.lead_rehearsal import rehearse
from tests.experiments.studies.human_ai_team.team_rehearsal import rehearse_team
from tests.experiments.studies.progressive_reveal.reveal_rehearsal import rehearse_reveal
from tests.experiments.studies.simulatability.case_rehearsal import rehearse_cases
from tests.pictures.saved import PICTURES, save, save_figure

ROOT: Final = Path(__file__).parents[2]
PROTOCOLS: Final = Path(__file__).parent / "protocols"
DEMOS: Final = ROOT / "experiments" / "studies"
SIZE_PX: Final = (1280, 720)
LANGUAGES: Final = ("en", "de")
NETWORK: Final = "squeezenet1_1"
FRUIT_PER_CLASS: Final = 16
SHARED: Final = frozenset(
    {
        "abort", "pause", "call_experimenter", "declined", "welcome_back", "withdrawn",
        "consent_renewed", "end", "instructions_again", "guidelines_again", "end_early",
    }
)  # fmt: skip
"""Screens that all studies have; the gallery shows those of the first."""
FIRST: Final = "accept_reject"
OF_EXPERTS: Final = ("expert", "plate", "feedback-b")
"""What names of screens begin with that experts alone see."""
ROBOTS: Final = {
    "accept_reject": 16,
    "accept_reject_accuracy": 12,
    "progressive_reveal": 12,
    "human_ai_team": 30,
    "simulatability": 36,
}
"""How many robots answer for a study's report."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where packs, data and reports lie that are pictured.

    Attributes
    ----------
    folder
        Of all that is built; what is there isn't built again.
    """

    folder: Path

    def run(self, *words: str | Path) -> None:
        """Run a verb as a person would type it."""
        environment = os.environ | {
            "PLAINSIGHT_LAB": str(self.folder / "lab"),
            "PLAINSIGHT_PYTHON_ENV": "current",
        }
        door = [sys.executable, str(ROOT / "lab.py"), *map(str, words)]
        self.folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(door, check=True, env=environment, cwd=self.folder)

    def pack(self, study: str) -> Path:
        """Return the folder of a study's small pack, built if it isn't there."""
        out = self.folder / "packs" / study
        if not (out / "pack.json").exists():
            self.run("build", study, *self._options(study), "--out", out)
        return out

    def _options(self, study: str) -> tuple[str | Path, ...]:
        demo = ("--protocol", DEMOS / study / "demo.toml")
        match study:
            case "accept_reject":
                return *demo, "--source", "uci", "--robot-experts", "3"
            case "progressive_reveal":
                return "--protocol", PROTOCOLS / "fruit.toml", "--source", self._fruit()
            case "accept_reject_accuracy":
                own = PROTOCOLS / "labels.toml"
                return "--protocol", own, "--source", self._fruit(), "--model", NETWORK
            case _:
                return demo

    def _fruit(self) -> Path:
        folder = self.folder / "fruit"
        if not folder.exists():
            write_photographs(folder, FRUIT_PER_CLASS)
        return folder

    def report(self, study: str) -> Path:
        """Return the folder of a study's report on robots, made if it isn't there."""
        out = self.folder / "reports" / study
        if not (out / "results.json").exists():
            data, pack = self.folder / "data" / study, self.pack(study)
            who = ("--participants", str(ROBOTS[study]))
            self.run("simulate", study, "--pack", pack, *who, "--out", data)
            self.run("analyse", study, "--data", data, "--pack", pack, "--out", out)
        return out


def _team(pack: Pack, language: str) -> list[Screen]:
    """Return the pages and trials of all arms, each name once."""
    every = [
        screen
        for arm in reversed(pack.protocol.help.arms)
        for screen in rehearse_team(pack, arm, language, SIZE_PX, pages=True)
    ]
    return list({screen.name: screen for screen in every}.values())


def _cases(pack: Pack, language: str) -> list[Screen]:
    """Return the pages of one arm, and the cases of each of the others."""
    screens: list[Screen] = []
    for arm in pack.protocol.arms:
        screens += rehearse_cases(pack, arm, language, SIZE_PX)
    return screens


REHEARSED: Final[dict[str, Callable[[Pack, str], list[Screen]]]] = {
    "accept_reject": lambda pack, language: rehearse(pack, language, SIZE_PX),
    "accept_reject_accuracy": lambda pack, language: rehearse(pack, language, SIZE_PX),
    "progressive_reveal": lambda pack, language: rehearse_reveal(pack, language, SIZE_PX),
    "human_ai_team": _team,
    "simulatability": _cases,
}


def write_screens(workshop: Workshop) -> None:
    """Draw every kind of screen once, in both languages, by the presenters of a session."""
    for study, rehearsed in REHEARSED.items():
        pack = open_pack(workshop.pack(study))
        for language in LANGUAGES:
            folder = PICTURES / study / language
            _write(rehearsed(pack, language), folder, left_out=_left_out(study))
    tasks = open_pack(workshop.folder / "packs" / f"{FIRST}-tasks")
    for language in LANGUAGES:
        screens = rehearse_expert(tasks, language, SIZE_PX)
        own = [one for one in screens if one.name.startswith(OF_EXPERTS)]
        _write(own, PICTURES / "annotate" / language, left_out=SHARED)


def _left_out(study: str) -> frozenset[str]:
    return frozenset() if study == FIRST else SHARED


def _write(screens: list[Screen], folder: Path, left_out: frozenset[str]) -> None:
    for screen in screens:
        path = folder / f"{screen.name}.webp"
        if screen.name not in left_out and not screen.name.endswith(CHOSEN):
            save(screen.pixels(), path)


def write_screening(_: Workshop) -> None:
    """Draw every kind of screen of a screening once, in both languages."""
    pack = screening_pack(load_any_protocol(PROTOCOLS / "screening.toml"))
    for language in LANGUAGES:
        screens = rehearse_screening(pack, language, SIZE_PX)
        _write(screens, PICTURES / "screening" / language, left_out=SHARED)


def write_reports(workshop: Workshop) -> None:
    """Keep every figure of a report on robots."""
    for study in ROBOTS:
        for figure in sorted((workshop.report(study) / "figures").glob("*.png")):
            save_figure(figure, PICTURES / study / "report" / f"{figure.stem}.webp")
