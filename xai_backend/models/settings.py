"""How a network takes its pictures, in a file of settings beside its weights."""

import tomllib
from pathlib import Path
from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from stimuli.errors import UserError
from xai_backend.models.frame import IMAGENET_MEAN, IMAGENET_STD, InputFrame

SUFFIX: Final = ".toml"
FOLDER_FILE: Final = "model.toml"
LARGEST_PX: Final = 4096

Side = Annotated[int, Field(ge=8, le=LARGEST_PX)]
Share = Annotated[float, Field(ge=0, le=1, strict=False)]
Spread = Annotated[float, Field(gt=0, le=1, strict=False)]


class ModelSettings(BaseModel):
    """What must be known of a network to show it a picture; the defaults are ImageNet's.

    A picture's shorter side is resized to ``resize_px``, the centre of ``side_px`` is cut out,
    and each channel becomes (code / 255 - mean) / std.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    side_px: Side = Field(default=224, description="Side of the square that the network sees.")
    resize_px: Side | None = Field(
        default=None, description="Shorter side after resizing. Default: side_px, nothing cut off."
    )
    interpolation: Literal["bilinear", "bicubic"] = Field(
        default="bilinear", description="How pictures are resized."
    )
    mean: tuple[Share, Share, Share] = Field(
        default=IMAGENET_MEAN, description="Of red, green and blue, as fractions 0…1."
    )
    std: tuple[Spread, Spread, Spread] = Field(
        default=IMAGENET_STD, description="Of red, green and blue."
    )
    classes: tuple[str, ...] = Field(default=(), description="The classes, in the outputs' order.")
    last_features: str = Field(
        default="", description="Module that gives the last feature maps, which GradCAM weights."
    )

    @property
    def frame(self) -> InputFrame:
        """What the network sees of a photograph."""
        return InputFrame(self.resize_px or self.side_px, self.side_px, self.interpolation)

    def over(self, usual: Self) -> Self:
        """Return the same, where what isn't stated is a network's usual.

        A side that is stated brings its own resizing: the usual one belongs to another side.
        """
        stated = {name: getattr(self, name) for name in self.model_fields_set}
        if "side_px" in stated:
            stated.setdefault("resize_px", None)
        return usual.model_copy(update=stated)


def settings_beside(place: Path) -> ModelSettings | None:
    """Return the settings that lie beside a file or in a folder; None where there are none.

    Beside ``net.pt`` that is ``net.toml``, in a folder ``model.toml``.

    Raises
    ------
    UserError
        If the file can't be read or holds something else.
    """
    path = place / FOLDER_FILE if place.is_dir() else place.with_suffix(SUFFIX)
    if not path.is_file():
        return None
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        for name in ("mean", "std", "classes"):
            if isinstance(document.get(name), list):
                document[name] = tuple(document[name])
        return ModelSettings.model_validate(document)
    except OSError as fault:
        raise UserError(f"{path}: can't be read ({fault.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as fault:
        raise UserError(f"{path}: is not valid TOML ({fault})") from None
    except ValidationError as fault:
        first = fault.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {field}: {first['msg']}") from None
