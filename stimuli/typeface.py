"""The typeface: DejaVu Sans, which comes with matplotlib, so it is the same on every PC."""

from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

from stimuli.errors import UserError

Weight = Literal["regular", "bold"]
FAMILY: Final = "DejaVu Sans"
FILES: Final[dict[Weight, str]] = {"regular": "DejaVuSans.ttf", "bold": "DejaVuSans-Bold.ttf"}
_REMEDY: Final = "install the suite's requirements again (python3 lab.py setup)"


def font_file(weight: Weight) -> Path:
    """Return the typeface's file; UserError if it is not there."""
    # Found without importing matplotlib, which takes longer than everything here.
    package = find_spec("matplotlib")
    if package is None or not package.submodule_search_locations:
        raise UserError(f"fonts: {FAMILY} comes with matplotlib, which is missing; {_REMEDY}")
    root = Path(package.submodule_search_locations[0])
    path = root / "mpl-data" / "fonts" / "ttf" / FILES[weight]
    if not path.is_file():
        raise UserError(f"fonts: {path} is missing; {_REMEDY}")
    return path


def missing_signs(text: str) -> str:
    """Return the signs of a text that the typeface can't draw, each once, in order.

    Screens have regular and bold letters, so a sign must be in both files.
    """
    unknown = set(text) - _known_signs()
    return "".join(sign for sign in dict.fromkeys(text) if sign in unknown and sign.isprintable())


@lru_cache(maxsize=1)
def _known_signs() -> frozenset[str]:
    from fontTools.ttLib import TTFont

    known = []
    for weight in FILES:
        with TTFont(font_file(weight), lazy=True) as file:
            known.append(frozenset(map(chr, file.getBestCmap() or {})))
    return frozenset.intersection(*known)
