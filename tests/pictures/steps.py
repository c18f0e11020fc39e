"""The pictures of the tutorial's steps."""

from pathlib import Path
from typing import Final

from PIL import Image

from stimuli.pack import open_pack
from tests.experiments.studies.progressive_reveal.reveal_rehearsal import rehearse_reveal
from tests.pictures.made import SIZE_PX, Workshop
from tests.pictures.saved import PICTURES, save, save_figure
from tests.pictures.tutorial import read_tutorial

PHOTOGRAPHS: Final = "photographs"
SHEET: Final = (4, 3)
TILE_PX: Final = (240, 180)
SCREENS: Final = {
    "instructions": "instructions",
    "round-untouched": "round",
    "revealed-named": "named",
}
"""Screens of which the page has pictures, and the pictures' names."""
FIGURES: Final = ("reveals", "steps")
MADE: Final = frozenset({PHOTOGRAPHS, *SCREENS.values(), *FIGURES})
"""Names of all pictures of the page."""


def write_steps(workshop: Workshop) -> None:
    """Carry the tutorial out, and keep the pictures of its steps."""
    here = Workshop(workshop.folder / "tutorial")
    tutorial = read_tutorial()
    here.folder.mkdir(parents=True, exist_ok=True)
    (here.folder / "fruit.toml").write_text(tutorial.protocol, encoding="utf-8")
    if not (here.folder / "report" / "results.json").exists():
        for words in tutorial.unattended:
            here.run(*words)
    save_steps(here.folder, PICTURES / "tutorial")


def save_steps(reader: Path, out: Path) -> None:
    """Keep the pictures of a folder in which the tutorial was carried out.

    Parameters
    ----------
    reader
        Where its commands were typed.
    out
        Folder of the pictures.
    """
    save(_sheet(sorted((reader / "photos").rglob("*.jpg"))), out / f"{PHOTOGRAPHS}.webp")
    screens = rehearse_reveal(open_pack(reader / "packs" / "fruit"), "en", SIZE_PX)
    for screen in screens:
        if screen.name in SCREENS:
            save(screen.pixels(), out / f"{SCREENS[screen.name]}.webp")
    for name in FIGURES:
        figure = reader / "report" / "figures" / f"{name}.png"
        save_figure(figure, out / f"{name}.webp")


def _sheet(files: list[Path]) -> Image.Image:
    """Return photographs side by side."""
    (columns, rows), (width, height) = SHEET, TILE_PX
    sheet = Image.new("RGB", (columns * width, rows * height), "white")
    for number, file in enumerate(files):
        with Image.open(file) as photograph:
            tile = photograph.resize(TILE_PX, Image.Resampling.LANCZOS)
        sheet.paste(tile, (number % columns * width, number // columns * height))
    return sheet
