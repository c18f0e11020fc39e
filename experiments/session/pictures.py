"""Pictures of a study's screens, made by robots that rehearse it, and a page that names them."""

import html
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from experiments.session.options import PictureOptions, ScreenSize
from participants.folder import LabFolder
from participants.study import session_kind_of
from stimuli.errors import UserError
from stimuli.pack import Pack, open_pack
from stimuli.rich_terminal import Console
from stimuli.screening.rules import screening_pack

DOOR: Final = Path(__file__).parents[2] / "lab.py"
OVERVIEW: Final = "index.html"
USUAL_SIZE: Final = ScreenSize(1920, 1080)
NUMBERED: Final = re.compile(r"(?P<number>\d+)-(?P<name>.+)")
CHOSEN: Final = "-chosen"
"""Suffix of the names of screens on which an answer is chosen."""

PAGE: Final = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 15px/1.5 "Helvetica Neue", Arial, "Liberation Sans", "DejaVu Sans", sans-serif;
  color: #1a1a1a; margin: 0 auto; max-width: 1500px; padding: 32px 24px; }}
h1 {{ font-size: 26px; margin: 0 0 4px; }}
h2 {{ border-bottom: 1px solid #d0d0d0; font-size: 19px; margin: 40px 0 14px;
  padding-bottom: 6px; }}
p {{ color: #555; margin: 0; }}
nav a {{ margin-right: 14px; }}
.screens {{ display: grid; gap: 20px;
  grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); }}
figure {{ break-inside: avoid; margin: 0; }}
img {{ border: 1px solid #c4c4c4; display: block; height: auto; width: 100%; }}
figcaption {{ font-size: 13px; padding-top: 5px; }}
figcaption span {{ color: #777; }}
@media print {{ .screens {{ grid-template-columns: repeat(3, 1fr); gap: 12px; }} }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{summary}</p>
{sections}
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Pictured:
    """Number of the pictures written, and the page that shows all of them."""

    pictures: int
    overview: Path


def picture_screens(
    folder: Path, out: Path | None, options: PictureOptions, lab: Path | None
) -> Pictured:
    """Write a picture of each kind of screen in each language, and an overview.

    Parameters
    ----------
    folder
        The pack's folder.
    out
        An empty folder for the pictures, in which each language gets a folder; None for the pack's
        in the lab folder.
    options
        Which pictures to write.
    lab
        The lab folder, whose texts and blanks are shown.

    Raises
    ------
    UserError
        If the pack doesn't offer a language, or a rehearsal can't run; the message is one line.
    """
    folder = folder.expanduser()
    pack, place = open_pack(folder), LabFolder.open(lab)
    spoken = options.languages or pack.protocol.languages
    rehearsed, verb = pack, ["run", str(folder)]
    if options.screening:
        rehearsed, verb = screening_pack(pack.protocol), ["screen", "--pack", str(folder)]
    answers = options.robot or session_kind_of(rehearsed).robot_names[0]
    out = place.screens(rehearsed.pack_id) if out is None else out.expanduser()
    _require_empty(out)
    console = Console(stderr=True)
    size = options.size or USUAL_SIZE
    pixels = f"{size.width}x{size.height}"
    for language in spoken:
        console.print(f"Making screens in {language}: this takes a few minutes", highlight=False)
        words = ["--robot", answers, "--language", language, "--size", pixels]
        words += ["--screenshots", str(out / language), "--lab", str(place.root)]
        _rehearse([*verb, *words])
    by_language = {language: _numbered_anew(out / language) for language in spoken}
    (out / OVERVIEW).write_text(_overview(rehearsed, by_language), encoding="utf-8")
    return Pictured(sum(map(len, by_language.values())), out / OVERVIEW)


def _require_empty(out: Path) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"--out {out}: can't be made ({error.strerror})") from None
    if any(out.iterdir()):
        raise UserError(f"--out {out}: is not empty; name another folder")


def _numbered_anew(folder: Path) -> list[Path]:
    """Delete all but one picture of a chosen answer; renumber the rest and return their paths."""
    paths = sorted(folder.glob("*.png"), key=lambda path: int(named(path)[0] or 0))
    again = [path for path in paths if path.stem.endswith(CHOSEN)][1:]
    for path in again:
        path.unlink()
    kept = [path for path in paths if path not in again]
    digits = len(str(len(kept)))
    return [
        path.rename(folder / f"{number:0{digits}d}-{named(path)[1]}.png")
        for number, path in enumerate(kept, start=1)
    ]


def _rehearse(words: Sequence[str]) -> None:
    """Run a rehearsal in a separate process, with its own window and display."""
    command = [sys.executable, str(DOOR), *words, "--rehearse", "--json"]
    ended = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
    if ended.returncode:
        lines = (ended.stderr or "").strip().splitlines()
        reason = lines[-1] if lines else f"it ended with status {ended.returncode}"
        raise UserError(f"the rehearsal can't be shown: {reason}")


def _overview(pack: Pack, by_language: Mapping[str, Sequence[Path]]) -> str:
    """Return the page that shows and names all pictures."""
    what = "the screening for " if pack.manifest.kind == "screening" else ""
    title = html.escape(f"Screens of {what}{pack.protocol.catalogue_name}")
    summary = f"Protocol {pack.protocol.name}, pack {pack.pack_id}. Every kind of screen once."
    links = "".join(f'<a href="#{name}">{name}</a>' for name in by_language)
    sections = "\n".join(_section(language, paths) for language, paths in by_language.items())
    return PAGE.format(
        title=title, summary=html.escape(summary), sections=f"<nav>{links}</nav>\n{sections}"
    )


def _section(language: str, paths: Sequence[Path]) -> str:
    figures = "\n".join(_figure(language, path) for path in paths)
    return f'<h2 id="{language}">{language}</h2>\n<div class="screens">\n{figures}\n</div>'


def _figure(language: str, path: Path) -> str:
    number, name = named(path)
    place = html.escape(f"{language}/{path.name}")
    caption = f"<span>{number}</span> {html.escape(name)}"
    return (
        f'<figure><a href="{place}"><img src="{place}" alt="{html.escape(name)}" '
        f'loading="lazy"></a><figcaption>{caption}</figcaption></figure>'
    )


def named(path: Path) -> tuple[str, str]:
    """Return the number and the name of a picture that an album saved."""
    match = NUMBERED.fullmatch(path.stem)
    return ("", path.stem) if match is None else (match["number"], match["name"])
