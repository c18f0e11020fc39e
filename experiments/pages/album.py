"""Pictures of a session's screens, each distinct one once; for looking at, never for data."""

from pathlib import Path

from PIL import Image

from experiments.engine.picture import Drawn
from experiments.engine.stage import Stage
from stimuli.errors import UserError


class Album:
    """Saves screens as PNG, read back from the graphics card.

    Parameters
    ----------
    folder
        Where they go; None keeps nothing.
    """

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._kept: set[str] = set()
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise UserError(f"{folder}: can't be made ({error.strerror})") from None

    def keep(self, name: str, stage: Stage, picture: Drawn | None) -> None:
        """Save what a frame with this picture looks like, if none of that name was saved."""
        if self._folder is None or name in self._kept:
            return
        self._kept.add(name)
        path = self._folder / f"{len(self._kept):02d}-{name}.png"
        Image.fromarray(stage.pixels_of(picture)).save(path)
