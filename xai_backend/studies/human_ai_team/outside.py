"""The images of a pack for methods of the lab's own: as files, with the label to explain."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from stimuli.errors import UserError
from stimuli.io.files import write_whole
from xai_backend.studies.human_ai_team.ai import Ai
from xai_backend.studies.human_ai_team.chosen import Chosen
from xai_backend.studies.human_ai_team.images import file_name
from xai_backend.studies.human_ai_team.pictures import png_of

TABLE = "images.csv"


@dataclass(frozen=True, slots=True)
class Written:
    """A folder of images, and how many there are."""

    folder: Path
    images: int


def write_for_maps(folder: Path, chosen: Chosen, ai: Ai) -> Written:
    """Write each image as ``NAME.png``, and ``images.csv``: image, label and output to explain.

    Raises
    ------
    UserError
        If the folder isn't empty, or two images have one name.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"--for-maps {folder}: is not empty; name a new folder")
    stream = io.StringIO()
    table = csv.writer(stream, lineterminator="\n")
    table.writerow(("image", "label", "output"))
    seen: set[str] = set()
    for one in sorted(chosen.judged, key=lambda one: one.item):
        name = file_name(one.item)
        if name in seen:
            raise UserError(f"{one.item}: another image is called {name} too; rename one")
        seen.add(name)
        picture = chosen.pictures[one.item]
        write_whole(folder / f"{name}.png", png_of(np.ascontiguousarray(picture.load())))
        table.writerow((name, one.label, ai.output_of(one.label)))
    write_whole(folder / TABLE, stream.getvalue().encode("utf-8"))
    return Written(folder, len(seen))
